/* SPDX-License-Identifier: Apache-2.0
 *
 * look.c - runs, as they stand in the journal and in the world.
 *
 * The journal knows why a run ended. A run without an end in the journal need not be alive. It is
 * alive exactly while a process holds its workspace's lock and names this run in it, or while the
 * host lives whose session it belongs to. */
#include "run/look.h"

#include "base/clock.h"
#include "run/ends.h"
#include "run/host_notes.h"
#include "run/place.h"
#include "settings/settings.h"

#include <string.h>

int look_open(struct look *look, const char *cwd, struct err *err)
{
    int rc;

    *look = (struct look){ 0 };
    rc = repo_open(&look->repo, cwd, false, err);
    if (rc != 0) return rc;
    rc = journal_open_readonly(&look->journal, place_journal(&look->repo, &look->arena), err);
    if (rc == ERR_MISSING) {
        return err_set(err, ERR_MISSING, "no runs in this repository yet; 'hone run %s' starts one",
                       dialects[0]->name);
    }
    return rc;
}

bool look_is_empty(const struct look *look)
{
    return look->repo.hone_dir && !look->journal;
}

int look_run(struct look *look, const char *prefix, struct err *err)
{
    bool named = prefix && prefix[0];
    int rc;

    rc = journal_find(look->journal, named ? prefix : "", named ? NULL : look->repo.workspace,
                      &look->arena, &look->run, err);
    if (rc == ERR_MISSING && named) {
        return err_set(err, rc, "no run begins with '%.60s'; 'hone list' shows them", prefix);
    }
    if (rc == ERR_MISSING) {
        return err_set(err, rc, "no runs in this workspace yet; 'hone list' shows those of the "
                       "whole repository");
    }
    if (rc != 0) return rc;
    return look_alive(look, &look->run, &look->alive, err);
}

int look_newest(struct look *look, struct err *err)
{
    int rc;

    journal_close(look->journal);
    look->journal = NULL;
    look->run = (struct journal_run){ 0 };
    look->lock = NULL;
    look->alive = false;
    arena_release(&look->arena);
    rc = journal_open_readonly(&look->journal, place_journal(&look->repo, &look->arena), err);
    return rc == 0 ? look_run(look, NULL, err) : rc;
}

void look_close(struct look *look)
{
    journal_close(look->journal);
    repo_release(&look->repo);
    arena_release(&look->arena);
    *look = (struct look){ 0 };
}

static bool is_owned(const char *lock, const struct journal_run *run)
{
    struct lock_owner owner;

    return lock_is_held(lock, &owner) && strcmp(owner.note, run->id) == 0;
}

/* A hosted run has no process between two hooks: it lives as long as its host. */
static bool is_hosted(struct look *look, const struct journal_run *run)
{
    struct host_search search = { .workspace = run->workspace, .run = run->id };

    return host_run_at_work(look->repo.hone_dir, &search, &look->arena) != NULL;
}

int look_alive(struct look *look, struct journal_run *run, bool *alive, struct err *err)
{
    const char *lock;
    int rc;

    *alive = false;
    look->lock = NULL;
    if (place_lock_path(&look->repo, run->workspace, &look->arena, &lock, err) != 0) return 0;
    look->lock = lock;
    *alive = is_owned(lock, run);
    if (*alive || run->reason != REASON_NONE) return 0;
    /* It may have ended after the row was read: an end is written before the lock is released. */
    rc = journal_find(look->journal, run->id, NULL, &look->arena, run, err);
    if (rc == 0 && run->reason == REASON_NONE) *alive = is_owned(lock, run) || is_hosted(look, run);
    return rc;
}

enum standing standing_of(const struct journal_run *run, bool alive)
{
    if (alive) return STANDING_RUNNING;
    return run->reason == REASON_NONE ? STANDING_CRASHED : STANDING_ENDED;
}

static const struct end *end_of(const struct journal_run *run)
{
    struct run_settings settings = { 0 };
    struct arena arena = { 0 };
    struct err none;
    bool looked = run->reason == REASON_BOUND &&
                  settings_read(str_of(run->settings), &arena, &settings, &none) == 0 &&
                  settings.no_fix;

    arena_release(&arena);
    return looked ? run_end_looked() : run_end(run->reason);
}

const char *standing_word(const struct journal_run *run, bool alive)
{
    switch (standing_of(run, alive)) {
    case STANDING_RUNNING: return "running";
    case STANDING_CRASHED:
    case STANDING_ENDED: break;
    }
    return end_of(run)->word;
}

bool run_is_hosted(const struct journal_run *run)
{
    struct run_settings settings = { 0 };
    struct arena arena = { 0 };
    struct err none;
    bool hosted = false;

    if (settings_read(str_of(run->settings), &arena, &settings, &none) == 0) {
        for (uint32_t i = 0; i < settings.agent_count && !hosted; i++) {
            struct str spec = str_of(settings.agents[i].spec);
            hosted = str_is(spec, "host") || str_starts(spec, STR("host:"));
        }
    }
    arena_release(&arena);
    return hosted;
}

const char *standing_text(const struct journal_run *run, bool alive)
{
    const struct end *end = end_of(run);

    if (standing_of(run, alive) == STANDING_RUNNING) return "running";
    return end->hosted && run_is_hosted(run) ? end->hosted : end->stands;
}

const char *look_unfinished(const struct look *look)
{
    switch (look->run.reason) {
    case REASON_NONE:
    case REASON_BUDGET:
    case REASON_INTERRUPTED:
    case REASON_FAILED:
    case REASON_STUCK:
    case REASON_WAITING:
    case REASON_UNSEEN:
    case REASON_PARTIAL:
        return standing_text(&look->run, look->alive);
    case REASON_CLEAN:
    case REASON_CONVERGED:
    case REASON_SETTLED:
    case REASON_NOTED:
    case REASON_BOUND:
    case REASON_OSCILLATING:
    case REASON_DIVERGING:
    case REASON_ESCALATED:
    case REASON_COUNT:
        break;
    }
    return look->alive ? standing_text(&look->run, true) : NULL;
}

void look_describe(yyjson_mut_doc *doc, yyjson_mut_val *object, const struct journal_run *run,
                   bool alive)
{
    bool ended = standing_of(run, alive) == STANDING_ENDED;

    json_add(doc, object, "run", run->id);
    json_add(doc, object, "dialect", run->dialect);
    json_add(doc, object, "task", run->task);
    json_add(doc, object, "workspace", run->workspace);
    json_add_time(doc, object, "created", run->created_ms);
    json_add_time(doc, object, "updated", run->updated_ms);
    json_add(doc, object, "state", ended ? "ended" : standing_word(run, alive));
    if (ended) json_add(doc, object, "reason", reason_word(run->reason));
    else yyjson_mut_obj_add_null(doc, object, "reason");
    yyjson_mut_obj_add_uint(doc, object, "events", run->event_count);
}
