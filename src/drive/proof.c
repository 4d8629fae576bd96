/* SPDX-License-Identifier: Apache-2.0
 *
 * proof.c - proof of reading, gathered: each changed file was read or diffed by the reviewer.
 *
 *   the tree that the review judges (watch.c) --> files of the change --.
 *   stream | HONE_EVIDENCE | a host's transcript --> sights -------------+--> files not looked at
 *
 * The change is, by the first that fits:
 *
 *   a scope that the user named, a task's lane   what differs from that commit
 *   a dialect that commits each step             the newest commit
 *   anything differs from HEAD                   that
 *   else                                         the newest commit
 *
 * 1. Files that tell a reader nothing are not demanded: deleted, binary, empty, generated and lock
 *    files, links, what was moved and is as it was, what the settings leave out.
 * 2. A recheck is of what changed since the review before: no other file is demanded.
 * 3. With --all, and where a gate judges a text that its prompt holds, no file is demanded; but
 *    that the reviewer looked at something is.
 * 4. What the prompt of a dialect quotes counts as read where the quote is whole.
 * 5. An analyzer reads what it reports on, and hone its own work: they are not asked for proof.
 *
 * Not here: what a command shows (format/stream/sight.c), what follows (outcome.c). */
#include "drive/proof.h"

#include "base/path.h"
#include "drive/transcript.h"
#include "drive/watch.h"
#include "format/text/made.h"
#include "format/text/pattern.h"
#include "io/file/peek.h"
#include "io/file/scratch.h"

#include <string.h>

enum { HEAD_BYTES = 8000, EVIDENCE_BYTES_MAX = 8 << 20, MODE_TYPE = 0170000, MODE_FILE = 0100000 };

/* ---- the change ---- */

/* The change that is being put together. */
struct collector {
    struct drive *drive;
    const struct tree *now;
    const struct watch *only; /* what changed since the review before is the change; or NULL */
    struct peek peek;
    bool peeks;
    struct changed_file *files;
    uint32_t count;
    struct str *touched; /* all that it touches, also what cannot be read */
    uint32_t touched_count;
};

static bool is_excluded(const struct drive *drive, struct str path)
{
    struct str rest = str_of(drive->run.settings.exclude), pattern;
    struct str paths = str_of(drive->run.settings.paths);

    if (paths.size > 0 && !path_is_among(path, paths)) return true;
    while (str_cut(&rest, '\n', &pattern)) {
        if (pattern_matches(pattern, path)) return true;
    }
    return false;
}

static bool is_listed(const struct str *list, uint32_t count, struct str path)
{
    for (uint32_t i = 0; i < count; i++) {
        if (str_eq(list[i], path)) return true;
    }
    return false;
}

/* Whether another file that is gone had this content: it was moved, and nothing else. */
static bool was_moved(const struct tree *tree, const struct tree_entry *entry)
{
    if (entry->head_mode != 0) return false;
    for (uint32_t i = 0; i < tree->count; i++) {
        const struct tree_entry *other = &tree->entries[i];
        if (other->mode == 0 && strcmp(other->head, entry->oid) == 0) return true;
    }
    return false;
}

/* Empty, or with a NUL byte near its beginning, as git tells binary files. */
static bool is_no_text(struct collector *collector, struct str path)
{
    struct err none;
    struct buf head;
    bool odd;

    if (!collector->peeks) return false;
    buf_init(&head, HEAD_BYTES);
    odd = peek_head(&collector->peek, path, HEAD_BYTES, &head, &none) != 0 || head.size == 0 ||
          memchr(head.data, '\0', head.size) != NULL;
    buf_release(&head);
    return odd;
}

static void collect_touched(struct collector *collector, struct str path)
{
    const struct watch *only = collector->only;

    if (path.size == 0 || is_excluded(collector->drive, path)) return;
    if (only && !is_listed(only->changed, only->changed_count, path)) return;
    collector->touched[collector->touched_count++] = arena_copy(&collector->drive->run.arena, path);
}

static void collect(struct collector *collector, struct str path, const struct tree_entry *entry)
{
    bool dirty = entry && (entry->mode != entry->head_mode || strcmp(entry->oid, entry->head) != 0);

    if (entry && (entry->mode & MODE_TYPE) != MODE_FILE) return;
    if (collector->only && !is_listed(collector->only->changed, collector->only->changed_count,
                                      path)) return;
    if (dirty && strcmp(entry->oid, entry->head) == 0) return; /* its mode changed, no more */
    if (file_is_made(path) || is_excluded(collector->drive, path)) return;
    if (dirty && was_moved(collector->now, entry)) return;
    if (is_no_text(collector, path)) return;
    collector->files[collector->count++] = (struct changed_file){
        .path = arena_copy(&collector->drive->run.arena, path), .dirty = dirty,
        .untracked = dirty && entry->head_mode == 0 && entry->staged_mode == 0,
        .staged = dirty && strcmp(entry->staged, entry->head) != 0,
        .unstaged = dirty && strcmp(entry->staged, entry->oid) != 0,
    };
}

static void collect_dirty(struct collector *collector, const struct tree *tree)
{
    for (uint32_t i = 0; i < tree->count; i++) {
        const struct tree_entry *entry = &tree->entries[i];

        if (entry->mode == entry->head_mode && strcmp(entry->oid, entry->head) == 0) continue;
        collect_touched(collector, entry->path);
        if (entry->mode != 0) collect(collector, entry->path, entry);
    }
}

/* All that differs from a commit. */
static int collect_since(struct collector *collector, const struct site *site, const char *commit,
                         struct tree *tree)
{
    struct drive *drive = collector->drive;
    struct tree before = { .private_paths = tree->private_paths };
    struct tree_delta delta = { 0 };
    bool touched = collector->touched_count > 0; /* by what is not committed: then that is it */
    int rc = 0;

    if (strlen(commit) >= sizeof before.head) goto out;
    memcpy(before.head, commit, strlen(commit) + 1);
    rc = tree_align(&site->repo, &before, tree, &drive->err);
    if (rc != 0) goto out;
    tree_compare(&before, tree, &delta);
    collector->files = arena_alloc(&drive->run.arena,
                                   (delta.count + 1) * sizeof *collector->files);
    if (!touched) {
        collector->touched = arena_alloc(&drive->run.arena,
                                         (delta.count + 1) * sizeof *collector->touched);
    }
    for (uint32_t i = 0; i < delta.count; i++) {
        const struct tree_change *change = &delta.items[i];

        if (!touched) collect_touched(collector, change->path);
        if (change->kind != CHANGE_ADDED && change->kind != CHANGE_MODIFIED) continue;
        collect(collector, change->path, tree_find(tree, change->path));
    }

out:
    tree_delta_release(&delta);
    tree_release(&before);
    return rc;
}

static int collect_change(struct collector *collector, const struct site *site, struct tree *tree,
                          struct arena *arena)
{
    struct drive *drive = collector->drive;
    const struct run_settings *settings = &drive->run.settings;
    const char *since = site->since ? site->since : settings->since, *parent;
    struct err none;

    if (since && *since && strcmp(since, tree->head) != 0) {
        return collect_since(collector, site, since, tree);
    }
    if (!drive->run.dialect->commits) collect_dirty(collector, tree);
    if (collector->count > 0 || !*tree->head || (since && *since)) return 0;
    parent = repo_commit(&site->repo, "HEAD~1", arena, &none);
    return parent ? collect_since(collector, site, parent, tree) : 0;
}

/* The change of the review at work in the lane: taken once, from the tree that it judges. */
static int change_of(struct drive *drive, const struct live *live, struct watch **out)
{
    const struct lane *lane = &drive->run.engine.lanes[live->action.lane];
    struct site *site = site_of(&drive->run, live->action.lane);
    struct watch *watch = &site->watch;
    uint32_t job = lane->now.count ? lane->now.jobs[0].id : 0;
    struct collector collector = { .drive = drive };
    struct arena arena = { 0 };
    struct tree tree = { 0 };
    struct err none;
    int rc = 0;

    *out = watch;
    if (watch->change_job == job && job != 0) return 0;
    watch->change_job = job;
    watch->change_count = watch->touched_count = 0;
    if (drive->run.settings.scope_given && !*drive->run.settings.since) return 0;
    if (tree_load(&tree, arena_printf(&arena, "%s/%s", run_folder(&drive->run, &arena),
                                      tree_name(&arena, job)), &none) != 0) {
        goto out;
    }
    collector.now = &tree;
    if (live->action.recheck) collector.only = watch;
    collector.peeks = peek_open(&collector.peek, site->repo.workspace, &none) == 0;
    collector.files = arena_alloc(&drive->run.arena, (tree.count + 1) * sizeof *collector.files);
    collector.touched = arena_alloc(&drive->run.arena,
                                    (tree.count + 1) * sizeof *collector.touched);
    rc = collect_change(&collector, site, &tree, &arena);
    if (collector.peeks) peek_close(&collector.peek);
    watch->change = collector.files;
    watch->change_count = collector.count;
    watch->touched = collector.touched;
    watch->touched_count = collector.touched_count;

out:
    tree_release(&tree);
    arena_release(&arena);
    return rc;
}

static bool touches(struct str patterns, struct str path)
{
    struct str pattern;

    while (str_cut(&patterns, '\n', &pattern)) {
        if (pattern_matches(pattern, path)) return true;
    }
    return false;
}

int change_touches(struct drive *drive, const struct live *live, const char *patterns, bool *out)
{
    struct watch *watch;
    int rc = change_of(drive, live, &watch);

    /* Where everything is judged, or what changed cannot be told, all are asked. */
    *out = rc != 0 || watch->touched_count == 0;
    for (uint32_t i = 0; !*out && i < watch->touched_count; i++) {
        *out = touches(str_of(patterns), watch->touched[i]);
    }
    return rc;
}

/* ---- what was looked at ---- */

/* What a command wrote into HONE_EVIDENCE: a path in a line. False: it wrote nothing. */
static bool read_evidence(const struct live *live, struct arena *arena, struct sights *out)
{
    struct str rest, line;
    struct err none;

    if (!(live->files & FILE_BIT(FILE_EVIDENCE))) return false;
    if (scratch_text(live->dir, attempt_files[FILE_EVIDENCE], EVIDENCE_BYTES_MAX, arena, &rest,
                     &none) != 0) {
        return false;
    }
    while (str_cut(&rest, '\n', &line)) {
        line = str_trim(line);
        if (line.size == 0 || line.size > SIGHT_PATH_BYTES_MAX) continue;
        sights_add(out, &(struct sight){ .kind = SIGHT_FILE, .at = { "", 0 }, .path = line },
                   arena);
    }
    return out->count > 0;
}

/* The files that the prompt of the attempt held whole. */
static void read_held(const struct live *live, struct arena *arena, struct sights *out)
{
    struct str rest, line;
    struct err none;

    if (scratch_text(live->dir, "held", EVIDENCE_BYTES_MAX, arena, &rest, &none) != 0) return;
    while (str_cut(&rest, '\n', &line)) {
        sights_add(out, &(struct sight){ .kind = SIGHT_FILE, .at = { "", 0 }, .path = line },
                   arena);
    }
}

/* What shows the reading stays with the attempt, as a command would have handed it in. */
static int leave_evidence(struct drive *drive, struct live *live, const struct watch *watch,
                          const struct proof *proof)
{
    struct arena arena = { 0 };
    struct buf text;
    int rc;

    buf_init(&text, EVIDENCE_BYTES_MAX);
    for (uint32_t i = 0; i < watch->change_count; i++) {
        struct str path = watch->change[i].path;
        if (!is_listed(proof->unread, proof->unread_count, path)) {
            buf_printf(&text, "%.*s\n", STR_ARG(path));
        }
    }
    if (live->files != 0) live->files |= FILE_BIT(FILE_EVIDENCE); /* 0: not looked at yet */
    rc = scratch_folder(run_folder(&drive->run, &arena), path_leaf_text(live->dir), &drive->err);
    if (rc == 0) {
        rc = scratch_write(live->dir, attempt_files[FILE_EVIDENCE], buf_str(&text), &drive->err);
    }
    buf_release(&text);
    arena_release(&arena);
    return rc;
}

int facts_proof(struct gathered *gathered, struct drive *drive, struct live *live,
                const struct sights *at_hand)
{
    struct facts *facts = &gathered->facts;
    struct proof *proof = &facts->proof;
    const struct phase *phase = &drive->run.plan.phases[live->action.phase];
    const char *workspace = site_of(&drive->run, live->action.lane)->repo.workspace;
    struct sights sights = { 0 };
    struct watch *watch;
    bool told;
    int rc = 0;

    proof->wanted = live->action.purpose == FOR_REVIEW && !facts->builtin &&
                    !facts->agent->backend->answers_findings;
    if (!proof->wanted || !notice_is_answer(&facts->notice)) return 0;
    proof->required = drive->run.settings.require_proof;
    if (facts->streamed) at_hand = &facts->reading.sights;
    if (at_hand) sights = *at_hand;
    told = at_hand ? true : read_evidence(live, &gathered->arena, &sights);
    proof->told = told;
    if (!told) return 0;
    proof->idle = sights.count == 0 && !sights.busy;
    if (phase->gate.of_text) return 0;
    read_held(live, &gathered->arena, &sights);
    rc = change_of(drive, live, &watch);
    if (rc != 0) return rc;
    if (watch->change_count == 0) {
        proof->idle = sights.count == 0;
        return 0;
    }
    proof->unread_count = sights_missing(&sights, watch->change, watch->change_count, workspace,
                                         &gathered->arena, &proof->unread);
    return at_hand ? leave_evidence(drive, live, watch, proof) : 0;
}
