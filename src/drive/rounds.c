/* SPDX-License-Identifier: Apache-2.0
 *
 * rounds.c - what a writer's round changed, for dialects that compare words with the tree.
 *
 * Before the first attempt of a worker's or fixer's job the tree of its lane is taken and kept as
 * runs/RUN/round-JOB. When the attempt is judged, and when reviewers are asked about it, the tree
 * as it is then is compared with that one, by content.
 *
 *   round-JOB ----- writer at work, also over several attempts and a crash ----- now
 *                                                                                 '-- delta, diff
 *
 * 1. A commit made by the writer changes nothing of the delta: HEAD may move, contents count.
 * 2. Ignored files and contract files are in no tree, so they are in no delta.
 * 3. A reviewer is told what the newest round of its lane changed, by the tree that it is to judge
 *    (watch.c): all reviewers of a review are told the same. Where that round began elsewhere (a
 *    contract file that is continued), or no agent has written yet, the reviewer is told what
 *    differs from HEAD, and that this is what it sees.
 * 4. Only dialects with wants_tree pay for it; and a recheck, which is told what changed since the
 *    review before it. */
#include "drive/rounds.h"

#include "run/site.h"

#include <inttypes.h>
#include <string.h>

enum { DIFF_BYTES_MAX = 256 << 10 };

static const char *round_name(struct arena *arena, uint32_t job)
{
    return arena_printf(arena, "round-%" PRIu32, job);
}

static bool is_writer(const struct drive *drive, const struct action *action)
{
    const struct role *role = &drive->run.plan.roles[action->role];

    return role->writes && !role->builtin;
}

int round_begin(struct drive *drive, const struct live *live)
{
    const struct site *site = site_at(&drive->run, &live->action);
    struct arena arena = { 0 };
    const char *folder = run_folder(&drive->run, &arena);
    const char *name = round_name(&arena, live->action.job);
    struct tree tree = { 0 };
    int rc = 0;

    if (!drive->run.dialect->wants_tree || !is_writer(drive, &live->action)) goto out;
    if (live->action.attempt > 1 && file_exists(arena_printf(&arena, "%s/%s", folder, name))) {
        goto out;
    }
    rc = tree_take(&site->repo, drive->run.private_paths, &tree, &drive->err);
    if (rc == 0) rc = tree_save(&tree, folder, name, &drive->err);

out:
    tree_release(&tree);
    arena_release(&arena);
    return rc;
}

/* ---- looking ---- */

/* The job whose round a lane's reviewers judge; 0: no agent has written anything. */
static uint32_t newest_writer(const struct drive *drive, uint32_t lane)
{
    const struct lane *row = &drive->run.engine.lanes[lane];
    enum { BATCH_COUNT = 2 };
    const struct batch *const batches[BATCH_COUNT] = { &row->work, &row->repair };
    uint32_t newest = 0;

    for (size_t i = 0; i < BATCH_COUNT; i++) {
        const struct batch *batch = batches[i];
        if (batch->count == 0 || batch->jobs[0].id < newest) continue;
        if (!drive->run.plan.roles[batch->jobs[0].role].writes) continue;
        newest = batch->jobs[0].id;
    }
    return newest;
}

static bool is_as_head(const struct tree_entry *entry)
{
    return entry->mode == entry->head_mode && strcmp(entry->oid, entry->head) == 0;
}

static const char *word_from_head(const struct tree_entry *entry)
{
    if (entry->head_mode == 0) return "added";
    if (entry->mode == 0) return "deleted";
    return strcmp(entry->oid, entry->head) == 0 ? "mode" : "modified";
}

static void list_dirty(const struct tree *tree, struct arena *arena, struct tree_view *out)
{
    struct tree_file *files = arena_alloc(arena, (tree->count + (size_t)1) * sizeof *files);

    out->head = arena_cstr(arena, str_of(tree->head));
    out->dirty = files;
    for (uint32_t i = 0; i < tree->count; i++) {
        const struct tree_entry *entry = &tree->entries[i];

        if (is_as_head(entry)) continue;
        files[out->dirty_count++] = (struct tree_file){
            .path = entry->path, .change = word_from_head(entry), .oid = entry->oid };
    }
}

/* What the file holds now, by the tree that names it, or by HEAD. */
static const char *oid_now(const struct round_tree *round, const struct tree *now,
                           const struct tree_change *change)
{
    const struct tree_entry *entry = tree_find(now, change->path);

    if (change->kind == CHANGE_DELETED) return "";
    if (entry) return entry->oid;
    entry = tree_find(&round->before, change->path);
    return entry ? entry->head : "";
}

static void list_delta(struct round_tree *round, const struct tree *now)
{
    static const char *const words[CHANGE_COUNT] = {
        [CHANGE_ADDED] = "added", [CHANGE_MODIFIED] = "modified", [CHANGE_DELETED] = "deleted",
        [CHANGE_MODE] = "mode", /* what is only staged, and a HEAD that moved, is no content */
    };
    const struct tree_delta *delta = &round->delta;
    struct tree_file *files = arena_alloc(&round->arena,
                                          (delta->count + (size_t)1) * sizeof *files);

    round->view.delta = files;
    for (uint32_t i = 0; i < delta->count; i++) {
        const struct tree_change *change = &delta->items[i];

        if (!words[change->kind]) continue;
        files[round->view.delta_count++] = (struct tree_file){
            .path = change->path, .change = words[change->kind],
            .oid = oid_now(round, now, change) };
    }
}

/* A diff that cannot be made is no reason to end a run: the delta is what counts. */
static void show_delta(struct drive *drive, const struct site *site, struct round_tree *round,
                       const struct tree *now)
{
    const char *folder = run_folder(&drive->run, &round->arena);
    struct err err = { 0 };
    struct buf text;

    if (round->view.delta_count == 0) return;
    buf_init(&text, 2 * DIFF_BYTES_MAX + 4096);
    if (tree_diff(&site->repo, &round->before, now, &round->delta, DIFF_BYTES_MAX, folder,
                  "round.index", &text, &err) != 0) {
        drive_warn(drive, "%s", err.text);
    }
    round->view.diff_cut = text.size >= DIFF_BYTES_MAX / 2; /* it may be, at the end of a line */
    round->view.diff = arena_take(&round->arena, &text);
}

static bool round_load(struct drive *drive, uint32_t job, struct round_tree *round, struct err *err)
{
    const char *folder = run_folder(&drive->run, &round->arena);

    return tree_load(&round->before, arena_printf(&round->arena, "%s/%s", folder,
                                                  round_name(&round->arena, job)), err) == 0;
}

static int compare_round(struct drive *drive, const struct action *action,
                         struct round_tree *round, struct tree *now)
{
    const struct site *site = site_at(&drive->run, action);
    bool writes = is_writer(drive, action);
    uint32_t job = writes ? action->job : newest_writer(drive, action->lane);
    struct err lost = { 0 };
    int rc;

    if (job == 0 || !round_load(drive, job, round, &lost)) {
        if (writes) {
            drive_warn(drive, "what the round changed is not known any more: %s",
                       lost.text);
        }
        if (!is_reviewer(&drive->run, action)) return 0;
        round->view.from_head = true;
        memcpy(round->before.head, now->head, sizeof now->head);
    }
    rc = tree_align(&site->repo, &round->before, now, &drive->err);
    if (rc != 0) return rc;
    tree_compare(&round->before, now, &round->delta);
    list_delta(round, now);
    show_delta(drive, site, round, now);
    return 0;
}

/* What changed since the review before this one, by the trees that both judge. */
static void look_repaired(struct drive *drive, struct site *site, struct round_tree *out)
{
    const struct watch *watch = &site->watch;
    const char *folder = run_folder(&drive->run, &out->arena);
    struct tree_file *files = arena_alloc(&out->arena,
                                          (watch->changed_count + (size_t)1) * sizeof *files);
    struct err err = { 0 };
    struct buf text;

    for (uint32_t i = 0; i < watch->changed_count; i++) files[i].path = watch->changed[i];
    out->view.delta = files;
    out->view.delta_count = watch->changed_count;
    out->known = true;
    if (watch->changed_count == 0) return;
    buf_init(&text, 2 * DIFF_BYTES_MAX + 4096);
    if (tree_diff(&site->repo, &watch->before, &watch->tree, &watch->delta, DIFF_BYTES_MAX, folder,
                  "round.index", &text, &err) != 0) {
        drive_warn(drive, "%s", err.text);
    }
    out->view.diff_cut = text.size >= DIFF_BYTES_MAX / 2; /* it may be, at the end of a line */
    out->view.diff = arena_take(&out->arena, &text);
}

int round_look(struct drive *drive, const struct live *live, struct round_tree *out)
{
    const struct action *action = &live->action;
    struct site *site = site_at(&drive->run, action);
    bool reads = is_reviewer(&drive->run, action) && site->watch.job != 0;
    struct tree *now = reads ? &site->watch.tree : &out->now;
    int rc = 0;

    *out = (struct round_tree){ 0 };
    if (!drive->run.dialect->wants_tree && action->recheck && reads) {
        look_repaired(drive, site, out);
    }
    if (!drive->run.dialect->wants_tree) return 0;
    if (!reads) rc = tree_take(&site->repo, drive->run.private_paths, now, &drive->err);
    if (rc == 0) list_dirty(now, &out->arena, &out->view);
    if (rc == 0) rc = compare_round(drive, action, out, now);
    out->known = rc == 0;
    if (rc != 0) round_release(out);
    return rc;
}

int tree_view_take(struct drive *drive, struct round_tree *out)
{
    int rc;

    *out = (struct round_tree){ 0 };
    rc = tree_take(&drive->run.repo, drive->run.private_paths, &out->now, &drive->err);
    if (rc == 0) list_dirty(&out->now, &out->arena, &out->view);
    out->known = rc == 0;
    return rc;
}

void round_release(struct round_tree *round)
{
    tree_delta_release(&round->delta);
    tree_release(&round->before);
    tree_release(&round->now);
    arena_release(&round->arena);
    *round = (struct round_tree){ 0 };
}
