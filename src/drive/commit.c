/* SPDX-License-Identifier: Apache-2.0
 *
 * commit.c - the commits of a run: of what its agents changed, and of nothing else.
 *
 * When a run of a committing dialect begins, the tree is taken and kept as runs/RUN/tree-start.
 * Files that differ from HEAD then are the user's. The run is refused, or, with the option that the
 * dialect has for it, these files are left out of every commit, even if an agent changes them
 * later. Every other file that differs from HEAD at a commit is the run's, but for those that the
 * writer found changed.
 *
 * The index of that moment is kept, too, and so is that of each task's work tree when it is made
 * (runs/RUN/tracked-LANE). An agent that may commit can write to git's own index, and can make it
 * say that a changed file is as HEAD has it. So a file is committed if it differs from HEAD by
 * either of the two.
 *
 * 1. Contract files are no part of a tree, so they are never committed.
 * 2. The commit itself is made by a process of its own (`hone agent commit`), with the user's git
 *    settings, hooks and signing, and with limits like any agent.
 * 3. Where there is nothing to commit, no commit is made, and that is said.
 * 4. A merge, rebase or the like that the user has begun is never ended by a commit of the run.
 * 5. That git cannot commit is found before an agent is started, as far as that can be known.
 *
 * What a writer found, so that its commit holds its own changes alone.
 *
 * The user may change the tree beside a run, mostly while it waits for an answer. So the tree is
 * taken before a writer begins, and kept as runs/RUN/tree-step until its commit is made: a file
 * that is still as it was then is no change of the writer's.
 *
 *     writer ------- and again: a crash, a question, another writer ... ------- commit
 *       '-- tree-step, if there is none                                           '-- gone
 *
 * 1. If tree-step is there already, another writer of the run wrote before, and nothing was
 *    committed since: the next commit holds the changes of both.
 * 2. If tree-step is lost, the next commit holds more, never less.
 * 3. The first writer of a run finds what the run found. In a task's work tree all changes are the
 *    lane's. */
#include "drive/commit.h"

#include "io/file/file.h"
#include "io/file/scratch.h"
#include "io/git/git_locks.h"
#include "io/process/helper.h"

#include <inttypes.h>
#include <string.h>

enum { LIST_BYTES_MAX = 64 << 20, NAMED_MAX = 5, IDENT_BYTES_MAX = 64 * 1024,
       INDEX_BYTES_MAX = 1 << 30, LOCKS_BYTES_MAX = 16 << 10, NAMES_BYTES_MAX = 2048 };

/* ---- what a writer found ---- */

static const char step_name[] = "tree-step";

static const char *file_of_run(const struct drive *drive, const char *name, struct arena *arena)
{
    return arena_printf(arena, "%s/%s", run_folder(&drive->run, arena), name);
}

static bool is_committed(const struct drive *drive, const struct action *action)
{
    const struct role *role = &drive->run.plan.roles[action->role];

    return drive->run.dialect->commits && action->lane == 0 && role->writes && !role->builtin;
}

/* Warns of the files that the user changed beside the run, and not already before it. */
static void say_changed(struct drive *drive, const struct tree *step, struct arena *arena)
{
    struct tree start = { 0 };
    struct err lost = { 0 };
    uint32_t count = 0;
    struct buf names;

    (void)tree_load(&start, file_of_run(drive, COMMIT_START, arena), &lost);
    buf_init(&names, NAMES_BYTES_MAX);
    for (uint32_t i = 0; i < step->count; i++) {
        const struct tree_entry *entry = &step->entries[i];

        if (entry->hidden || tree_find(&start, entry->path) || count++ >= NAMED_MAX) continue;
        buf_printf(&names, "%s%.*s", count > 1 ? ", " : "", STR_ARG(entry->path));
    }
    if (count > NAMED_MAX) buf_printf(&names, " and %u more", (unsigned)(count - NAMED_MAX));
    if (count > 0) {
        drive_warn(drive, "changed beside the run, and in none of its commits unless "
                   "an agent changes it too: %s", buf_cstr(&names));
    }
    buf_release(&names);
    tree_release(&start);
}

/* Of the first writer. */
static int commit_step_save(struct drive *drive, const struct tree *step)
{
    return tree_save(step, run_folder(&drive->run, &drive->run.arena), step_name, &drive->err);
}

int commit_step_begin(struct drive *drive, const struct live *live)
{
    struct arena arena = { 0 };
    struct tree step = { 0 };
    int rc = 0;

    if (is_committed(drive, &live->action) && !file_exists(file_of_run(drive, step_name, &arena))) {
        rc = tree_take(&drive->run.repo, drive->run.private_paths, &step, &drive->err);
        if (rc == 0) say_changed(drive, &step, &arena);
        if (rc == 0) rc = commit_step_save(drive, &step);
    }
    tree_release(&step);
    arena_release(&arena);
    return rc;
}

/* What the writer found; empty where that is not known. */
static void commit_step_load(const struct drive *drive, uint32_t lane, struct tree *out,
                      struct arena *arena)
{
    struct err lost = { 0 };

    *out = (struct tree){ 0 };
    if (lane == 0) (void)tree_load(out, file_of_run(drive, step_name, arena), &lost);
}

void commit_step_end(struct drive *drive, const struct live *live)
{
    struct arena arena = { 0 };
    struct err kept = { 0 };

    if (live->action.lane == 0) {
        (void)file_remove_in(run_folder(&drive->run, &arena), step_name, &kept);
    }
    arena_release(&arena);
}

/* ---- commits ---- */

/* Whether neither the work tree nor the index differs from HEAD there. */
static bool is_clean(const struct tree_entry *entry)
{
    return entry->mode == entry->head_mode && strcmp(entry->oid, entry->head) == 0 &&
           entry->staged_mode == entry->head_mode && strcmp(entry->staged, entry->head) == 0;
}

/* What differed from HEAD before the run, and before the writer. */
struct others {
    struct tree start, step;
};

/* Whether it differs from HEAD in a way that a commit can hold. */
static bool is_ours(const struct others *others, const struct tree_entry *entry)
{
    enum { REPOSITORY = 0160000 };
    const struct tree_entry *found = tree_find(&others->step, entry->path);

    if (entry->mode == REPOSITORY && entry->head_mode != REPOSITORY) return false;
    if (found && found->mode == entry->mode && strcmp(found->oid, entry->oid) == 0) return false;
    return !is_clean(entry) && !tree_find(&others->start, entry->path);
}

/* Leaves out the files that git is told not to look at and that are as HEAD has them. Returns how
 * many of the rest git shows as changed: a change that the user hides from git refuses no run. */
static uint32_t keep_changed(struct tree *start)
{
    uint32_t kept = 0, shown = 0;

    for (uint32_t i = 0; i < start->count; i++) {
        const struct tree_entry *entry = &start->entries[i];

        if (entry->hidden && is_clean(entry)) continue;
        shown += !entry->hidden;
        start->entries[kept++] = *entry;
    }
    start->count = kept;
    return shown;
}

static int refuse_dirty(const struct tree *start, uint32_t shown, const char *option,
                        struct err *err)
{
    uint32_t named = 0;
    struct buf names;
    int rc;

    buf_init(&names, 2048);
    for (uint32_t i = 0; i < start->count && named < NAMED_MAX; i++) {
        if (start->entries[i].hidden) continue;
        buf_printf(&names, "%s%.*s", named++ ? ", " : "", STR_ARG(start->entries[i].path));
    }
    if (shown > named) buf_printf(&names, " and %u more", (unsigned)(shown - named));
    rc = err_set(err, ERR_USAGE, "the work tree has changes that are not committed (%s): commit or "
                 "stash them, or leave them out of the run's commits with --%s",
                 buf_cstr(&names), option);
    buf_release(&names);
    return rc;
}

/* What git has begun here and not ended; its next commit would be that one. */
static int refuse_unfinished(const struct repo *repo, struct arena *arena, struct err *err)
{
    static const struct {
        const char *file, *what;
    } signs[] = {
        { "MERGE_HEAD", "a merge" },         { "CHERRY_PICK_HEAD", "a cherry-pick" },
        { "REVERT_HEAD", "a revert" },       { "rebase-merge", "a rebase" },
        { "rebase-apply", "a rebase" },
    };

    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (!file_exists(arena_printf(arena, "%s/%s", repo->git_dir, signs[i].file))) continue;
        return err_set(err, ERR_USAGE, "%s is not finished in %s, and a commit would be taken for "
                       "its end: finish it or call it off first ('git status' says how)",
                       signs[i].what, repo->workspace);
    }
    return 0;
}

/* By the user's own settings, all of them, as the commit is made. */
static int refuse_nobody(const struct drive *drive, struct err *err)
{
    static const char *const ask[] = { "git", "var", "GIT_COMMITTER_IDENT", NULL };
    static const char *const env[] = { "LC_ALL=C", NULL };
    struct err why = { 0 };
    struct buf said;
    int rc;

    buf_init(&said, IDENT_BYTES_MAX);
    rc = helper_run(ask, env, drive->run.repo.workspace, STR(""), &said, &why);
    buf_release(&said);
    if (rc != ERR_FAILED) return 0; /* any other trouble the commit itself will name better */
    return err_set(err, ERR_USAGE, "%s makes commits, and git does not know who you are: git "
                   "config --global user.name 'YOUR NAME'; git config --global user.email "
                   "'YOUR ADDRESS'", drive->run.dialect->name);
}

int commit_begin(struct drive *drive)
{
    const char *run = run_folder(&drive->run, &drive->run.arena);
    const char *option = drive->run.dialect->dirty_option;
    struct tree start = { 0 };
    uint32_t shown = 0;
    int rc;

    if (!drive->run.repo.is_git) {
        return err_set(&drive->err, ERR_USAGE, "%s makes commits, and this is no git repository: "
                       "git init makes one", drive->run.dialect->name);
    }
    rc = refuse_unfinished(&drive->run.repo, &drive->run.arena, &drive->err);
    if (rc == 0) rc = refuse_nobody(drive, &drive->err);
    if (rc == 0) rc = tree_take(&drive->run.repo, drive->run.private_paths, &start, &drive->err);
    if (rc == 0) shown = keep_changed(&start);
    if (shown > 0 && !setting_value(&drive->run.settings.options, option)) {
        rc = refuse_dirty(&start, shown, option, &drive->err);
    }
    if (rc == 0) rc = tree_save(&start, run, COMMIT_START, &drive->err);
    if (rc == 0) rc = commit_step_save(drive, &start);
    if (rc == 0) rc = commit_keep_index(drive, site_of(&drive->run, 0));
    if (rc == 0 && start.count > 0) {
        drive_warn(drive, "%u changed file%s of before will be in no commit",
                   (unsigned)start.count, start.count == 1 ? "" : "s");
    }
    tree_release(&start);
    return rc;
}

void commit_unlock(struct drive *drive, uint64_t since_ms)
{
    struct buf names;

    buf_init(&names, LOCKS_BYTES_MAX);
    if (drive->run.repo.is_git) git_locks_clear(&drive->run.repo, since_ms, &names);
    if (names.size > 0) {
        drive_warn(drive, "removed what a git that was killed had left locked in %s: "
                   "%s", drive->run.repo.common_dir, buf_cstr(&names));
    }
    buf_release(&names);
}

/* ---- what agents cannot write to ---- */

static const char *tracked_name(uint32_t lane, struct arena *arena)
{
    return arena_printf(arena, "tracked-%" PRIu32, lane);
}

int commit_keep_index(struct drive *drive, const struct site *site)
{
    struct arena arena = { 0 };
    const char *run = run_folder(&drive->run, &arena);
    struct buf text;
    int rc;

    buf_init(&text, INDEX_BYTES_MAX);
    rc = file_read(arena_printf(&arena, "%s/index", site->repo.git_dir), &text, &drive->err);
    if (rc == 0) {
        rc = scratch_replace(run, tracked_name(site->lane, &arena), buf_str(&text), &drive->err);
    }
    buf_release(&text);
    arena_release(&arena);
    return rc == ERR_MISSING ? 0 : rc; /* nothing was ever added */
}

/* Adds what differs from HEAD by our own index and is not in `now`, and leaves that index to the
 * process that commits. */
static int list_unseen(struct drive *drive, const struct live *live, const struct others *others,
                       const struct tree *now, struct buf *list, uint32_t *count)
{
    const struct site *site = site_of(&drive->run, live->action.lane);
    struct arena arena = { 0 };
    const char *run = run_folder(&drive->run, &arena);
    const char *index = arena_printf(&arena, "%s/%s", run, tracked_name(site->lane, &arena));
    struct tree tree = { 0 };
    struct buf text;
    int rc;

    buf_init(&text, INDEX_BYTES_MAX);
    rc = file_read(index, &text, &drive->err);
    if (rc == 0) rc = scratch_write(live->dir, "tracked", buf_str(&text), &drive->err);
    if (rc == 0) {
        rc = tree_take_by(&site->repo, index, drive->run.private_paths, &tree, &drive->err);
    }
    for (uint32_t i = 0; rc == 0 && i < tree.count; i++) {
        struct tree_entry entry = tree.entries[i];

        entry.staged_mode = entry.head_mode; /* only the files count */
        memcpy(entry.staged, entry.head, OID_BYTES);
        if (!is_ours(others, &entry) || tree_find(now, entry.path)) continue;
        buf_add(list, entry.path);
        buf_byte(list, '\0');
        (*count)++;
    }
    tree_release(&tree);
    buf_release(&text);
    arena_release(&arena);
    return rc == ERR_MISSING ? 0 : rc;
}

/* ---- lists ---- */

/* In a task's lane nothing was. */
static int others_load(struct drive *drive, uint32_t lane, struct others *others,
                       struct arena *arena)
{
    others->start = (struct tree){ 0 };
    commit_step_load(drive, lane, &others->step, arena);
    if (lane != 0) return 0;
    return tree_load(&others->start, arena_printf(arena, "%s/%s", run_folder(&drive->run, arena),
                                         COMMIT_START), &drive->err);
}

/* Why a work tree must outlive its lane: what is in there is in no commit of ours. */
static const char *keep_reason(const struct tree *now, struct arena *arena)
{
    enum { REPOSITORY = 0160000 };

    for (uint32_t i = 0; i < now->count; i++) {
        const struct tree_entry *entry = &now->entries[i];
        if (entry->mode != REPOSITORY) continue;
        return arena_printf(arena, "%.*s is a repository of its own", STR_ARG(entry->path));
    }
    return "";
}

int commit_list(struct drive *drive, const struct live *live, const char *message,
                uint32_t *count, const char **keep, struct arena *arena)
{
    const struct site *site = site_of(&drive->run, live->action.lane);
    struct others others;
    struct tree now = { 0 };
    struct buf list;
    int rc = others_load(drive, site->lane, &others, arena);

    /* A merge that a builder left in its own work tree is finished by this commit. */
    if (rc == 0 && site->lane == 0) rc = refuse_unfinished(&site->repo, arena, &drive->err);
    *count = 0;
    buf_init(&list, LIST_BYTES_MAX);
    if (rc == 0) rc = tree_take(&site->repo, drive->run.private_paths, &now, &drive->err);
    if (rc == 0) {
        buf_text(&list, message);
        buf_byte(&list, '\0');
        for (uint32_t i = 0; i < now.count; i++) {
            if (!is_ours(&others, &now.entries[i])) continue;
            buf_add(&list, now.entries[i].path);
            buf_byte(&list, '\0');
            (*count)++;
        }
        rc = list_unseen(drive, live, &others, &now, &list, count);
        if (rc == 0 && list.overflow) {
            rc = err_set(&drive->err, ERR_LIMIT, "too many files for one commit");
        }
        *keep = keep_reason(&now, arena);
    }
    if (rc == 0) rc = scratch_write(live->dir, "commit", buf_str(&list), &drive->err);
    buf_release(&list);
    tree_release(&others.start);
    tree_release(&others.step);
    tree_release(&now);
    return rc;
}
