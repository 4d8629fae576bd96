/* SPDX-License-Identifier: Apache-2.0
 *
 * commit.c - the commits of a run: of what its agents changed, and of nothing else.
 *
 * When a run of a committing dialect begins, the tree is taken and kept as runs/RUN/tree-start.
 * What differs from HEAD then was somebody's before us: it is refused, or (--allow-dirty) left out
 * of every commit, whoever changes it later. All else that differs from HEAD is the run's.
 *
 * 1. Contract files are no part of a tree, so they are never committed.
 * 2. The commit itself is made by a process of its own (`hone agent commit`), with the user's git
 *    settings, hooks and signing, and with limits like any agent.
 * 3. Nothing to commit is said, not committed.
 * 4. A merge of the user's, or the like, is never ended by a commit of ours.
 * 5. That git cannot commit is found before anybody works for it, as far as that can be known. */
#include "drive/drive.h"

#include "drive/place.h"
#include "io/file.h"
#include "io/scratch.h"
#include "io/supervisor.h"

#include <string.h>

enum { LIST_BYTES_MAX = 64 << 20, NAMED_MAX = 5, IDENT_BYTES_MAX = 64 * 1024 };

static const char start_name[] = "tree-start";

/* Whether the work tree or the index differs from HEAD there, in a way that a commit can hold. */
static bool is_ours(const struct tree *start, const struct tree_entry *entry)
{
    enum { REPOSITORY = 0160000 };
    bool as_head = entry->mode == entry->head_mode && strcmp(entry->oid, entry->head) == 0;
    bool index_as_head = entry->staged_mode == entry->head_mode &&
                         strcmp(entry->staged, entry->head) == 0;

    if (entry->mode == REPOSITORY && entry->head_mode != REPOSITORY) return false;
    if (as_head && index_as_head) return false;
    return !tree_find(start, entry->path);
}

static int refuse_dirty(const struct tree *start, struct err *err)
{
    struct buf names;
    int rc;

    buf_init(&names, 2048);
    for (uint32_t i = 0; i < start->count && i < NAMED_MAX; i++) {
        buf_printf(&names, "%s%.*s", i ? ", " : "", STR_ARG(start->entries[i].path));
    }
    if (start->count > NAMED_MAX) {
        buf_printf(&names, " and %u more", (unsigned)(start->count - NAMED_MAX));
    }
    rc = err_set(err, ERR_USAGE, "the work tree has changes that are not committed (%s): commit or "
                 "stash them, or leave them out of the run's commits with --allow-dirty",
                 buf_cstr(&names));
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
    rc = helper_run(ask, env, drive->repo.workspace, STR(""), &said, &why);
    buf_release(&said);
    if (rc != ERR_FAILED) return 0; /* whatever else it is, the commit will say it better */
    return err_set(err, ERR_USAGE, "%s makes commits, and git does not know who you are: git "
                   "config --global user.name 'YOUR NAME'; git config --global user.email "
                   "'YOUR ADDRESS'", drive->run.dialect->name);
}

int commit_begin(struct drive *drive)
{
    const char *run = place_run(&drive->repo, drive->run.row.id, &drive->arena);
    struct tree start = { 0 };
    int rc;

    if (!drive->repo.is_git) {
        return err_set(&drive->err, ERR_USAGE, "%s makes commits, and this is no git repository: "
                       "git init makes one", drive->run.dialect->name);
    }
    rc = refuse_unfinished(&drive->repo, &drive->arena, &drive->err);
    if (rc == 0) rc = refuse_nobody(drive, &drive->err);
    if (rc == 0) rc = tree_take(&drive->repo, drive->private_paths, &start, &drive->err);
    if (rc == 0 && start.count > 0 &&
        !setting_value(&drive->run.settings.options, "allow-dirty")) {
        rc = refuse_dirty(&start, &drive->err);
    }
    if (rc == 0) rc = tree_save(&start, run, start_name, &drive->err);
    if (rc == 0 && start.count > 0) {
        report_warning(&drive->report, "%u changed file%s of before will be in no commit",
                       (unsigned)start.count, start.count == 1 ? "" : "s");
    }
    tree_release(&start);
    return rc;
}

/* What was somebody's before the run; in a task's lane nothing was. */
static int start_load(struct drive *drive, uint32_t lane, struct tree *start, struct arena *arena)
{
    *start = (struct tree){ 0 };
    if (lane != 0) return 0;
    return tree_load(start, arena_printf(arena, "%s/%s", place_run(&drive->repo,
                                                                   drive->run.row.id, arena),
                                         start_name), &drive->err);
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
    const struct site *site = site_of(drive, live->action.lane);
    struct tree start, now = { 0 };
    struct buf list;
    int rc = start_load(drive, site->lane, &start, arena);

    /* A merge that a builder left in its own work tree is finished by this commit. */
    if (rc == 0 && site->lane == 0) rc = refuse_unfinished(&site->repo, arena, &drive->err);
    *count = 0;
    buf_init(&list, LIST_BYTES_MAX);
    if (rc == 0) rc = tree_take(&site->repo, drive->private_paths, &now, &drive->err);
    if (rc == 0) {
        buf_text(&list, message);
        buf_byte(&list, '\0');
        for (uint32_t i = 0; i < now.count; i++) {
            if (!is_ours(&start, &now.entries[i])) continue;
            buf_add(&list, now.entries[i].path);
            buf_byte(&list, '\0');
            (*count)++;
        }
        if (list.overflow) rc = err_set(&drive->err, ERR_LIMIT, "too many files for one commit");
        *keep = keep_reason(&now, arena);
    }
    if (rc == 0) rc = scratch_write(live->dir, "commit", buf_str(&list), &drive->err);
    buf_release(&list);
    tree_release(&start);
    tree_release(&now);
    return rc;
}
