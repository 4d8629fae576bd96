/* SPDX-License-Identifier: Apache-2.0
 *
 * rest.c - whether a tree is still the one that was judged, when nobody was watching it.
 *
 * A lane that has passed waits for its group, one that is stuck waits for a person, and a delivery
 * follows its reviews: in between anybody may change the tree. Before it counts again it is
 * compared with the one that was kept:
 *
 *   delivery, passed, integration   the tree of the lane's last review: runs/RUN/tree-JOB
 *   stuck                           the tree as the run ended: runs/RUN/rest-LANE
 *
 * In a task's lane only contents count: hone commits there itself. */
#include "drive/drive.h"

#include "run/place.h"

#include <inttypes.h>

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

/* Compares with a tree that was kept; one that is gone was another. */
static int compare(struct drive *drive, const struct site *site, const char *name,
                   struct arena *arena, bool *same, const char **what)
{
    const char *path = arena_printf(arena, "%s/%s",
                                    place_run(&drive->repo, drive->run.row.id, arena), name);
    struct tree then = { 0 }, now = { 0 };
    struct tree_delta delta = { 0 };
    struct err problem = { 0 };
    int rc;

    *same = false;
    *what = "how it was is not known any more";
    if (tree_load(&then, path, &problem) != 0) return 0;
    rc = tree_take(&site->repo, drive->private_paths, &now, &drive->err);
    if (rc == 0) rc = tree_align(&site->repo, &then, &now, &drive->err);
    if (rc == 0) {
        tree_compare(&then, &now, &delta);
        if (site->lane != 0) keep_contents(&delta);
        *same = delta.count == 0;
        *what = delta_text(&delta, arena);
    }
    tree_delta_release(&delta);
    tree_release(&now);
    tree_release(&then);
    return rc;
}

int watch_still(struct drive *drive, const struct lane *lane, struct arena *arena, bool *same,
                const char **what)
{
    struct site *site = site_of(drive, lane->id);
    struct seal seal;
    uint32_t job;

    *same = true;
    *what = "";
    if (!has_reader(drive, &lane->review)) return 0;
    job = lane->review.jobs[0].id;
    watch_seal(drive, site, &seal);
    if (site->watch.job == job && seal_proves_same(&site->watch.seal, &seal)) return 0;
    site->watch.turn = 0; /* whoever reviews next looks at it anew */
    return compare(drive, site, tree_name(arena, job), arena, same, what);
}

int rest_keep(struct drive *drive, const struct lane *lane)
{
    struct site *site = site_of(drive, lane->id);
    struct arena arena = { 0 };
    struct tree now = { 0 };
    int rc = 0;

    if (lane->id != 0 && lane->state == LANE_STUCK && site_is_there(site)) {
        rc = tree_take(&site->repo, drive->private_paths, &now, &drive->err);
        if (rc == 0) {
            rc = tree_save(&now, place_run(&drive->repo, drive->run.row.id, &arena),
                           rest_name(&arena, lane->id), &drive->err);
        }
    }
    tree_release(&now);
    arena_release(&arena);
    return rc;
}

int rest_resume(struct drive *drive, const struct lane *lane, bool *drifted)
{
    struct site *site = site_of(drive, lane->id);
    struct arena arena = { 0 };
    bool same = true;
    const char *what;
    int rc = 0;

    *drifted = false;
    if (!site_is_there(site)) {
        *drifted = lane->state == LANE_REVIEWING || lane->state == LANE_PASSED;
    } else if (lane->state == LANE_STUCK) {
        rc = compare(drive, site, rest_name(&arena, lane->id), &arena, &same, &what);
    } else if (lane->state == LANE_PASSED) {
        rc = watch_still(drive, lane, &arena, &same, &what);
    }
    if (rc == 0 && !same) {
        *drifted = true;
        report_warning(&drive->report, "the work tree of %s changed since the run stopped (%s): it "
                       "is reviewed", site->about.name, what);
    }
    arena_release(&arena);
    return rc;
}
