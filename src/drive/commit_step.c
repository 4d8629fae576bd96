/* SPDX-License-Identifier: Apache-2.0
 *
 * commit_step.c - what a writer found, so that its commit holds its own changes alone.
 *
 * Somebody may change the tree beside a run: while it waits for an answer, mostly. So the tree is
 * taken before a writer begins, and kept as runs/RUN/tree-step until its commit is made: what is
 * still as it was then is no change of the writer's.
 *
 *     writer ------- and again: a crash, a question, another writer ... ------- commit
 *       '-- tree-step, if there is none                                           '-- gone
 *
 * 1. Where it is there already somebody of ours wrote before, and nothing was committed since: both
 *    are in the next commit.
 * 2. Where it is lost the next commit has more in it, never less.
 * 3. The first writer of a run finds what the run found (commit.c). In a task's work tree
 *    everything is its loop's. */
#include "drive/drive.h"

#include "io/file/file.h"
#include "run/place.h"

enum { NAMED_MAX = 5, NAMES_BYTES_MAX = 2048 };

static const char step_name[] = "tree-step";

static const char *file_of_run(const struct drive *drive, const char *name, struct arena *arena)
{
    return arena_printf(arena, "%s/%s", place_run(&drive->repo, drive->run.row.id, arena), name);
}

static bool is_committed(const struct drive *drive, const struct action *action)
{
    const struct role *role = &drive->run.plan.roles[action->role];

    return drive->run.dialect->commits && action->lane == 0 && role->writes && !role->builtin;
}

/* The files that were not somebody's before the run as well. */
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
        report_warning(&drive->report, "changed beside the run, and in none of its commits unless "
                       "an agent changes it too: %s", buf_cstr(&names));
    }
    buf_release(&names);
    tree_release(&start);
}

int commit_step_save(struct drive *drive, const struct tree *step)
{
    return tree_save(step, place_run(&drive->repo, drive->run.row.id, &drive->arena), step_name,
                     &drive->err);
}

int commit_step_begin(struct drive *drive, const struct live *live)
{
    struct arena arena = { 0 };
    struct tree step = { 0 };
    int rc = 0;

    if (is_committed(drive, &live->action) &&
        !file_exists(file_of_run(drive, step_name, &arena))) {
        rc = tree_take(&drive->repo, drive->private_paths, &step, &drive->err);
        if (rc == 0) say_changed(drive, &step, &arena);
        if (rc == 0) rc = commit_step_save(drive, &step);
    }
    tree_release(&step);
    arena_release(&arena);
    return rc;
}

void commit_step_load(const struct drive *drive, uint32_t lane, struct tree *out,
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
        (void)file_remove_in(place_run(&drive->repo, drive->run.row.id, &arena), step_name, &kept);
    }
    arena_release(&arena);
}
