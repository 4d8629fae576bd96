/* SPDX-License-Identifier: Apache-2.0
 *
 * remove.c - runs taken away.
 *
 *     rows, in one transaction --> the folder
 *
 * 1. A run that is not in the journal is no run: after a kill in between neither a list nor a
 *    resume finds it, and the folder that is left goes with the next runs_prune().
 * 2. A folder without a run is taken for a left one only while no run lives in this repository: a
 *    run that begins has its folder before its row, and the lock of its workspace before both.
 * 3. The lock of the run's workspace is held while it is removed: it cannot be resumed meanwhile.
 *
 * Not here: contents of trees (objects/), which runs share; work trees of lanes. */
#include "run/remove.h"

#include "base/mem.h"
#include "io/file/folder.h"
#include "io/file/lock.h"
#include "io/file/peek.h"
#include "run/ends.h"
#include "run/host_notes.h"
#include "run/place.h"
#include "run/site.h"

#include <stdlib.h>
#include <string.h>

static int take_rows(struct journal *journal, const char *id, struct err *err)
{
    int rc = journal_begin(journal, err);

    if (rc == 0) rc = journal_remove_run(journal, id, err);
    return rc == 0 ? journal_commit(journal, err) : rc;
}

static int remove_it(const struct repo *repo, struct journal *journal, const char *id,
                     struct arena *arena, struct err *err)
{
    struct err none;
    int rc = take_rows(journal, id, err);

    if (rc == 0) (void)sites_sweep(repo, id, &none); /* that a killed hone left */
    if (rc == 0) (void)folder_erase(place_run(repo, id, arena), &none); /* else: the next prune */
    return rc;
}

int run_remove(const struct repo *repo, struct journal *journal, const struct journal_run *row,
               bool force, struct err *err)
{
    struct host_search search = { .workspace = row->workspace, .run = row->id };
    struct lock lock = { .fd = -1 };
    struct lock_owner owner = { 0 };
    struct arena arena = { 0 };
    const char *path;
    struct err gone;
    int rc = 0;

    if (!reason_is_final(row->reason) && !force) {
        rc = err_set(err, ERR_USAGE, "run %s can still go on (%s): hone resume %s goes on with it, "
                     "--force removes it all the same", row->id, run_end(row->reason)->word,
                     row->id);
    } else if (place_lock_path(repo, row->workspace, &arena, &path, &gone) == 0) {
        rc = lock_open(&lock, path, "rm", 0, &owner, err);
        /* Another run works there: this one does not. */
        if (rc == ERR_BUSY && strcmp(owner.note, row->id) != 0) rc = 0;
    }
    if (rc == ERR_BUSY || (rc == 0 && host_run_at_work(repo->hone_dir, &search, &arena))) {
        rc = err_set(err, ERR_BUSY, "run %s is at work: 'hone stop %s' ends it first", row->id,
                     row->id);
    }
    if (rc == 0) rc = remove_it(repo, journal, row->id, &arena, err);
    lock_close(&lock);
    arena_release(&arena);
    return rc;
}

/* ---- many ---- */

struct roll {
    struct journal_run *runs;
    uint32_t count, cap;
};

static bool collect(void *context, const struct journal_run *run)
{
    struct roll *roll = context;

    roll->runs = mem_grow(roll->runs, roll->count, &roll->cap, sizeof *roll->runs);
    roll->runs[roll->count++] = *run;
    return true;
}

static bool is_in(const struct roll *roll, const char *id)
{
    for (uint32_t i = 0; i < roll->count; i++) {
        if (strcmp(roll->runs[i].id, id) == 0) return true;
    }
    return false;
}

static bool runs_live(const struct repo *repo, struct arena *arena)
{
    const char *folder = arena_printf(arena, "%s/locks", repo->hone_dir);
    const char *const *names = folder_names(folder, "workspace-", arena);
    struct lock_owner owner;

    for (; *names; names++) {
        const char *path = arena_printf(arena, "%s/%s", folder, *names);
        if (!strchr(*names, '.') && lock_is_held(path, &owner)) return true;
    }
    return false;
}

static void erase_left(const struct repo *repo, const struct roll *roll, struct arena *arena)
{
    const char *folder = arena_printf(arena, "%s/runs", repo->hone_dir);
    const char *const *names = folder_names(folder, "", arena);
    struct err none;

    if (runs_live(repo, arena)) return;
    for (; *names; names++) {
        if ((*names)[0] == '.' || is_in(roll, *names)) continue;
        (void)folder_erase(place_run(repo, *names, arena), &none);
    }
}

int runs_prune(const struct repo *repo, struct journal *journal, uint32_t keep, uint32_t *removed,
               struct err *err)
{
    struct arena arena = { 0 };
    struct roll roll = { 0 };
    uint32_t final = 0;
    int rc = journal_runs(journal, &arena, collect, &roll, err); /* the newest first */

    *removed = 0;
    if (rc == 0) erase_left(repo, &roll, &arena);
    for (uint32_t i = 0; rc == 0 && i < roll.count; i++) {
        if (!reason_is_final(roll.runs[i].reason) || final++ < keep) continue;
        rc = run_remove(repo, journal, &roll.runs[i], false, err);
        if (rc == 0) (*removed)++;
        if (rc == ERR_BUSY) rc = 0; /* its end is told, and it is just leaving */
    }
    free(roll.runs);
    arena_release(&arena);
    return rc;
}
