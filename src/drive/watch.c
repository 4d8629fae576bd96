/* SPDX-License-Identifier: Apache-2.0
 *
 * watch.c - reviewers change nothing, and a review counts only for the tree it judged.
 *
 * Before a review begins the tree is taken and kept in runs/RUN/tree-JOB. Whenever a reviewer
 * ends, the tree is compared with it: by its seal where that proves enough, else by content.
 *
 *   no sandbox:  a reviewer may have changed it, and may still be at it; and the git folder, the
 *                refs and permissions, which are compared as well (io/tree/hold.h). When the last
 *                reviewer has ended, the files are put back, the changed versions are kept with an
 *                attempt, and every reviewer of that review is asked again.
 *   sandbox:     no reviewer can have changed it, so it was the user or another program, and
 *                nothing is put back. What was judged is void, and the review begins anew on the
 *                tree as it is; at most DRIFTS_MAX times. A large tree, whose seal proves nothing,
 *                is compared only when the last reviewer has ended. Where all reviewers play on
 *                other machines, none of them can reach the tree either.
 *
 * After a crash hone cannot tell whether a reviewer, the user or another program changed the tree:
 * it then counts as drifted.
 *
 * 1. tree-JOB is there before a reviewer begins. It stays while any answer about it counts, and is
 *    removed when those answers are void: where it is missing, nothing is proven.
 * 2. A power cut may take it (io/file/scratch.h). Then hone does not know which tree was judged,
 *    and the review is done again.
 *
 * Whether a tree is still the one that was judged, when it was not watched.
 *
 * A lane that has passed waits for its group, one that is stuck waits for a person, and a delivery
 * follows its reviews: in between any program may change the tree. Before it counts again it is
 * compared with the one that was kept:
 *
 *   delivery, passed, integration   the tree of the lane's last review: runs/RUN/tree-JOB
 *   stuck                           the tree as the run ended: runs/RUN/rest-LANE
 *
 * In a task's lane only contents count: hone commits there itself. */
#include "drive/watch.h"

#include "io/file/file.h"
#include "io/file/scratch.h"
#include "run/place.h"

#include <inttypes.h>

enum { DRIFTS_MAX = 3, NAMED_MAX = 20 };

const char *tree_name(struct arena *arena, uint32_t job)
{
    return arena_printf(arena, "tree-%" PRIu32, job);
}

static const char *watch_path(const struct drive *drive, uint32_t job, struct arena *arena)
{
    return arena_printf(arena, "%s/%s", run_folder(&drive->run, arena), tree_name(arena, job));
}

bool has_reader(const struct drive *drive, const struct batch *batch)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        if (!drive->run.plan.roles[batch->jobs[i].role].builtin) return true;
    }
    return false;
}

/* A tree of the lane, against its workspace as it is. An index that was replaced is not believed:
 * it may say of a file that it is as it was. */
static int compare_now(struct drive *drive, const struct site *site, struct tree *then,
                       struct tree *now, struct tree_delta *delta)
{
    const struct hold *hold = &site->watch.hold;
    bool forged = hold->index && !hold_index_same(&site->repo, hold);
    int rc = forged ? tree_take_by(&site->repo, hold->index, drive->run.private_paths, now,
                                   &drive->err)
                    : tree_take(&site->repo, drive->run.private_paths, now, &drive->err);

    if (rc == 0) rc = tree_settle(&site->repo, then, now, &drive->err);
    if (rc == 0) rc = tree_align(&site->repo, then, now, &drive->err);
    if (rc == 0) tree_compare(then, now, delta);
    return rc;
}

int watch_kept(struct drive *drive, const struct site *site, const char *name, struct tree *now,
               struct kept_delta *out)
{
    struct arena arena = { 0 };
    const char *path = arena_printf(&arena, "%s/%s", run_folder(&drive->run, &arena), name);
    struct err gone;
    int rc = 0;

    *out = (struct kept_delta){ 0 };
    out->known = tree_load(&out->then, path, &gone) == 0;
    if (out->known && !now) {
        rc = compare_now(drive, site, &out->then, &out->now, &out->delta);
    } else if (out->known) {
        rc = tree_align(&site->repo, &out->then, now, &drive->err);
        if (rc == 0) tree_compare(&out->then, now, &out->delta);
    }
    arena_release(&arena);
    return rc;
}

void kept_release(struct kept_delta *kept)
{
    tree_delta_release(&kept->delta);
    tree_release(&kept->now);
    tree_release(&kept->then);
}

void watch_hand_on(const struct drive *drive, struct site *site, struct kept_delta *kept)
{
    struct watch *watch = &site->watch;

    if (!watch->seal.large) return;
    tree_release(&watch->next);
    watch->next = kept->now;
    watch->next_turn = drive->turn;
    kept->now = (struct tree){ 0 };
}

/* What changed between the review before and this one, for the prompts. */
static void watch_changes(struct drive *drive, struct site *site, const struct lane *lane)
{
    struct watch *watch = &site->watch;
    struct kept_delta kept;

    if (lane->review.count == 0) return;
    if (watch->saved == lane->review.jobs[0].id) return; /* it is that very tree */
    if (watch_kept(drive, site, tree_name(&drive->run.arena, lane->review.jobs[0].id),
                   &watch->tree, &kept) != 0 || !kept.known) {
        kept_release(&kept); /* then prompts name no files */
        return;
    }
    watch->before = kept.then;
    watch->delta = kept.delta;
    watch->changed = arena_alloc(&drive->run.arena,
                                 (watch->delta.count + 1) * sizeof *watch->changed);
    for (uint32_t i = 0; i < watch->delta.count; i++) {
        if (watch->delta.items[i].path.size == 0) continue;
        watch->changed[watch->changed_count++] = watch->delta.items[i].path;
    }
}

/* A tree that had too many files for a seal is not walked again. */
static void watch_seal(const struct drive *drive, const struct site *site, struct seal *out)
{
    *out = site->watch.seal;
    if (!out->large) site_seal(&drive->run, site, out);
}

static bool has_tasks(const struct run *run)
{
    for (uint32_t lane = 1; lane < run->site_count; lane++) {
        if (site_find(run, lane)) return true;
    }
    return false;
}

/* Without a sandbox a reader can reach more than files. Refs are shared by all lanes: those of
 * tasks move them. What an agent that is confined changes of them is seen otherwise (guard/git.c).
 * */
static int hold_begin(struct drive *drive, struct site *site)
{
    struct arena arena = { 0 };
    const char *folder = run_folder(&drive->run, &arena);
    int rc = 0;

    hold_release(&site->watch.hold);
    site->watch.held_confined = site->watch.confined;
    if (!drive->run.sandboxed) rc = file_make_folder(folder, false, &drive->err);
    if (rc == 0 && !drive->run.sandboxed) {
        rc = hold_take(&site->repo, folder, arena_printf(&arena, "held-%" PRIu32, site->lane),
                       site->lane == 0 && !site->watch.confined && !has_tasks(&drive->run),
                       &site->watch.hold, &drive->err);
    }
    arena_release(&arena);
    return rc;
}

static int watch_take(struct drive *drive, struct site *site)
{
    struct watch *watch = &site->watch;
    struct seal seal;
    int rc;

    if (watch->turn == drive->turn && watch->turn != 0) return 0;
    /* The seal first: a change between the two makes it differ, and then contents decide. */
    watch_seal(drive, site, &seal);
    if (seal_proves_same(&watch->seal, &seal) && watch->held_confined == watch->confined) return 0;
    watch->seal = seal;
    watch->saved = 0;
    tree_release(&watch->tree);
    if (site->lane != 0 || !seal.large) tree_ahead_drop(&drive->ahead);
    if (watch->next_turn == drive->turn && watch->next_turn != 0) {
        watch->tree = watch->next;
        watch->next = (struct tree){ 0 };
        watch->next_turn = 0;
        rc = 0;
    } else {
        rc = tree_ahead_take(&drive->ahead, &site->repo, drive->run.private_paths, &watch->tree,
                             &drive->err);
    }
    return rc == 0 ? hold_begin(drive, site) : rc;
}

static int watch_save(struct drive *drive, struct watch *watch)
{
    struct arena arena = { 0 };
    const char *folder = run_folder(&drive->run, &arena);
    const char *name = tree_name(&arena, watch->job);
    struct err none;
    int rc = ERR_MISSING;

    if (watch->saved) rc = scratch_link(folder, tree_name(&arena, watch->saved), name, &none);
    if (rc != 0) rc = tree_save(&watch->tree, folder, name, &drive->err);
    if (rc == 0) watch->saved = watch->job;
    arena_release(&arena);
    return rc;
}

/* A review's tree is in memory; whether one is kept is another matter. */
static int watch_open(struct drive *drive, const struct lane *lane)
{
    struct site *site = site_of(&drive->run, lane->id);
    struct watch *watch = &site->watch;
    uint32_t job = lane->now.jobs[0].id;
    int rc;

    if (watch->job == job) return 0;
    watch_forget(watch);
    watch->confined = drive->run.plan.roles[lane->now.jobs[0].role].confined;
    rc = watch_take(drive, site);
    if (rc != 0) return rc;
    watch->job = job;
    watch_changes(drive, site, lane);
    if (lane->mints != 0 && watch->delta.count > 0) {
        /* Agents that write take the stages back themselves: another program or person did. */
        drive_warn(drive, "the work tree changed since it was checked (%s): it is "
                   "checked again", delta_text(&watch->delta, &drive->run.arena));
        drive_push(drive, (struct event){ .kind = EV_DRIFT, .now_ms = now_wall_ms(),
                                          .lane = lane->id });
    }
    return 0;
}

int watch_begin(struct drive *drive, const struct lane *lane)
{
    struct watch *watch = &site_of(&drive->run, lane->id)->watch;
    int rc = watch_open(drive, lane);

    if (rc != 0 || watch->saved == watch->job) return rc;
    /* The others of the review go by the one that is kept. */
    if (file_exists(watch_path(drive, watch->job, &drive->run.arena))) return 0;
    return watch_save(drive, watch);
}

int watch_void(struct drive *drive, uint32_t job)
{
    struct arena arena = { 0 };
    int rc = file_remove_in(run_folder(&drive->run, &arena), tree_name(&arena, job), &drive->err);

    arena_release(&arena);
    return rc;
}

static int adopt_batch(struct drive *drive, struct site *site, const struct batch *batch)
{
    int rc;

    if (!has_reader(drive, batch)) return 0;
    rc = watch_take(drive, site);
    if (rc != 0) return rc;
    site->watch.job = batch->jobs[0].id;
    return watch_save(drive, &site->watch);
}

int watch_adopt(struct drive *drive, const struct lane *lane)
{
    struct site *site = site_of(&drive->run, lane->id);
    int rc = file_make_folder(run_folder(&drive->run, &drive->run.arena), false, &drive->err);

    if (rc == 0) rc = adopt_batch(drive, site, &lane->review);
    if (rc == 0 && lane->state == LANE_REVIEWING) rc = adopt_batch(drive, site, &lane->now);
    site->watch.job = 0;
    return rc;
}

int watch_given(struct drive *drive, const struct lane *lane)
{
    if (!batch_is_given(&lane->review)) return 0;
    if (file_exists(watch_path(drive, lane->review.jobs[0].id, &drive->run.arena))) return 0;
    return watch_adopt(drive, lane);
}

const char *delta_text(const struct tree_delta *delta, struct arena *arena)
{
    struct buf text;

    buf_init(&text, 1 << 16);
    for (uint32_t i = 0; i < delta->count && i < NAMED_MAX; i++) {
        buf_printf(&text, "%s%s %.*s", i ? ", " : "", change_word(delta->items[i].kind),
                   STR_ARG(delta->items[i].path));
    }
    if (delta->count > NAMED_MAX) {
        buf_printf(&text, " and %" PRIu32 " more", delta->count - NAMED_MAX);
    }
    return arena_take_cstr(arena, &text);
}

/* What a reader changed beside the tree: *out is empty where nothing was; else it names that, and
 * what the delta names. */
static int look_beside(struct drive *drive, struct site *site, const struct tree_delta *delta,
                       struct arena *arena, const char **out)
{
    struct hold *hold = &site->watch.hold;
    struct buf what;
    int rc;

    buf_init(&what, 1 << 16);
    rc = hold_git(&site->repo, hold, NULL, &what, &drive->err);
    if (rc == 0) rc = hold_refs(&site->repo, hold, NULL, &what, &drive->err);
    if (rc == 0) rc = hold_modes(&site->repo, hold, false, &what, &drive->err);
    if (what.size && delta->count) buf_printf(&what, ", %s", delta_text(delta, arena));
    *out = arena_take_cstr(arena, &what);
    return rc;
}

int watch_look(struct drive *drive, struct site *site, struct arena *arena,
               enum watch_verdict *verdict, const char **what)
{
    struct watch *watch = &site->watch;
    struct tree now = { 0 };
    struct tree_delta delta = { 0 };
    const char *beside = "";
    struct seal seal;
    int rc;

    *verdict = WATCH_SAME;
    *what = "";
    watch_seal(drive, site, &seal);
    if (seal_proves_same(&watch->seal, &seal)) {
        watch->turn = drive->turn;
        return 0;
    }
    rc = compare_now(drive, site, &watch->tree, &now, &delta);
    if (rc == 0 && watch->here) rc = look_beside(drive, site, &delta, arena, &beside);
    if (rc == 0 && *beside) {
        *verdict = WATCH_CHANGED;
        *what = beside;
    } else if (rc == 0 && delta.count == 0) {
        watch->seal = seal;
    } else if (rc == 0 && !drive->run.sandboxed && watch->here) {
        *verdict = WATCH_CHANGED;
        *what = delta_text(&delta, arena);
    } else if (rc == 0 && ++watch->drifts > DRIFTS_MAX) {
        *verdict = WATCH_WILD;
        *what = delta_text(&delta, arena);
        watch->drifts = 0; /* a run that goes on later finds it changed, and begins anew */
    } else if (rc == 0) {
        *verdict = WATCH_DRIFTED;
        *what = delta_text(&delta, arena);
        tree_release(&watch->tree);
        watch->tree = now;
        watch->seal = seal;
        watch->saved = 0;
        now = (struct tree){ 0 };
        rc = watch_void(drive, watch->job);
    }
    tree_delta_release(&delta);
    tree_release(&now);
    return rc;
}

int watch_put_back(struct drive *drive, struct site *site, const char *keep_dir,
                   struct arena *arena, const char **what)
{
    struct watch *watch = &site->watch;
    struct tree now = { 0 };
    struct tree_delta delta = { 0 };
    const char *kept = arena_printf(arena, "refs/hone/%s", drive->run.row.id);
    struct buf named;
    int rc;

    /* The index first: the look at the files goes by it. */
    buf_init(&named, 1 << 16);
    rc = hold_git(&site->repo, &watch->hold, keep_dir, &named, &drive->err);
    if (rc == 0) rc = compare_now(drive, site, &watch->tree, &now, &delta);
    if (rc == 0) {
        if (delta.count)
            buf_printf(&named, "%s%s", named.size ? ", " : "", delta_text(&delta, arena));
        rc = tree_put_back(&site->repo, &watch->tree, &delta, keep_dir, &drive->err);
    }
    if (rc == 0) rc = hold_refs(&site->repo, &watch->hold, kept, &named, &drive->err);
    if (rc == 0) rc = hold_modes(&site->repo, &watch->hold, true, &named, &drive->err);
    *what = arena_take_cstr(arena, &named);
    if (rc == 0) rc = hold_begin(drive, site); /* what was put back has other times */
    if (rc == 0) watch_seal(drive, site, &watch->seal);
    tree_delta_release(&delta);
    tree_release(&now);
    return rc;
}

/* ---- whether a tree is still the one that was judged ---- */

static const char *rest_name(struct arena *arena, uint32_t lane)
{
    return arena_printf(arena, "rest-%" PRIu32, lane);
}

/* Leaves what a commit changes out of it. */
static void keep_contents(struct tree_delta *delta)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < delta->count; i++) {
        enum change_kind kind = delta->items[i].kind;
        if (kind != CHANGE_HEAD && kind != CHANGE_STAGED) delta->items[kept++] = delta->items[i];
    }
    delta->count = kept;
}

/* Compares with a tree that was kept; a tree that is gone counts as changed. */
static int is_as_kept(struct drive *drive, const struct site *site, const char *name,
                      struct arena *arena, bool *same, const char **what)
{
    struct kept_delta kept;
    int rc = watch_kept(drive, site, name, NULL, &kept);

    if (rc == 0 && kept.known && site->lane != 0) keep_contents(&kept.delta);
    *same = rc == 0 && kept.known && kept.delta.count == 0;
    *what = kept.known ? delta_text(&kept.delta, arena) : "how it was is not known any more";
    kept_release(&kept);
    return rc;
}

int watch_still(struct drive *drive, const struct lane *lane, struct arena *arena, bool *same,
                const char **what)
{
    struct site *site = site_of(&drive->run, lane->id);
    struct seal seal;
    uint32_t job;

    *same = true;
    *what = "";
    if (!has_reader(drive, &lane->review)) return 0;
    job = lane->review.jobs[0].id;
    watch_seal(drive, site, &seal);
    if (site->watch.job == job && seal_proves_same(&site->watch.seal, &seal)) return 0;
    site->watch.turn = 0; /* the next review looks at it anew */
    return is_as_kept(drive, site, tree_name(arena, job), arena, same, what);
}

int rest_keep(struct drive *drive, const struct lane *lane)
{
    struct site *site = site_of(&drive->run, lane->id);
    struct arena arena = { 0 };
    struct tree now = { 0 };
    int rc = 0;

    if (lane->id != 0 && lane->state == LANE_STUCK && site_is_there(site)) {
        rc = tree_take(&site->repo, drive->run.private_paths, &now, &drive->err);
        if (rc == 0) {
            rc = tree_save(&now, run_folder(&drive->run, &arena),
                           rest_name(&arena, lane->id), &drive->err);
        }
    }
    tree_release(&now);
    arena_release(&arena);
    return rc;
}

/* On resume, of a task's lane that reviews nothing: whether its tree was changed meanwhile. */
static int rest_resume(struct drive *drive, const struct lane *lane, bool *drifted)
{
    struct site *site = site_of(&drive->run, lane->id);
    struct arena arena = { 0 };
    bool same = true;
    const char *what;
    int rc = 0;

    *drifted = false;
    if (!site_is_there(site)) {
        *drifted = lane->state == LANE_REVIEWING || lane->state == LANE_PASSED;
    } else if (lane->state == LANE_STUCK) {
        rc = is_as_kept(drive, site, rest_name(&arena, lane->id), &arena, &same, &what);
    } else if (lane->state == LANE_PASSED) {
        rc = watch_still(drive, lane, &arena, &same, &what);
    }
    if (rc == 0 && !same) {
        *drifted = true;
        drive_warn(drive, "the work tree of %s changed since the run stopped (%s): it "
                   "is reviewed", site->about.name, what);
    }
    arena_release(&arena);
    return rc;
}

/* ---- on resume ---- */

/* Whether an agent has answered: the engine knows it, or an attempt ended unnoticed. */
static bool has_answer(const struct drive *drive, const struct batch *batch, struct arena *arena)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        const struct job *job = &batch->jobs[i];
        const char *dir = place_attempt(&drive->run.repo, drive->run.row.id, job->id, job->attempt,
                                        arena);

        if (job->state == JOB_DONE) return true;
        if (job->state == JOB_RUNNING && file_exists(arena_printf(arena, "%s/status", dir))) {
            return true;
        }
    }
    return false;
}

int watch_resume(struct drive *drive, const struct lane *lane, bool *drifted)
{
    struct site *site = site_of(&drive->run, lane->id);
    struct watch *watch = &site->watch;
    struct kept_delta kept;
    const char *what;
    bool same = true;
    int rc;

    *drifted = false;
    if (lane->id != 0 && (lane->state != LANE_REVIEWING || !site_is_there(site))) {
        return rest_resume(drive, lane, drifted);
    }
    /* A test may write what it likes, so its tree proves nothing. */
    if (lane->state != LANE_REVIEWING || !has_reader(drive, &lane->now)) return 0;
    rc = watch_open(drive, lane);
    if (rc != 0) return rc;
    rc = watch_kept(drive, site, tree_name(&drive->run.arena, watch->job), &watch->tree, &kept);
    if (kept.known) {
        *drifted = kept.delta.count > 0;
    } else if (!has_answer(drive, &lane->now, &drive->run.arena)) {
        /* It had not begun. What holds was said about the tree of the review before. */
        rc = watch_still(drive, lane, &drive->run.arena, &same, &what);
        *drifted = lane->mints != 0 && !same;
    } else {
        *drifted = true; /* it is not known any more which tree was judged */
    }
    if (rc == 0 && (*drifted || !kept.known)) rc = watch_void(drive, watch->job);
    if (kept.delta.count > 0) {
        drive_warn(drive, "the work tree changed since the run stopped (%s): what was "
                   "reviewed is reviewed again", delta_text(&kept.delta, &drive->run.arena));
    }
    kept_release(&kept);
    return rc;
}
