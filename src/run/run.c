/* SPDX-License-Identifier: Apache-2.0
 *
 * run.c - a run rebuilt from its journal.
 *
 * The row says which dialect and which settings; the dialect compiles them to the plan, as it did
 * when the run began; the engine takes the events in their order. The engine is pure, so it ends
 * in the state it was in when the last event was journaled. What it asked for on the way has been
 * done, or is lost with the process that did it: a resume (EV_RESUME) asks again.
 *
 * Not here: performing actions (the drivers), how events are kept (store/journal.c). */
#include "run/run.h"

#include "dialect/role_file.h"
#include "run/cast.h"
#include "run/place.h"
#include "run/site.h"
#include "settings/hone_use.h"

#include <assert.h>

/* Copies the row, so that it lives as long as the run. */
static struct journal_run row_copy(const struct journal_run *row, struct arena *arena)
{
    struct journal_run copy = *row;

    copy.id = arena_cstr(arena, str_of(row->id));
    copy.dialect = arena_cstr(arena, str_of(row->dialect));
    copy.task = arena_cstr(arena, str_of(row->task));
    copy.workspace = arena_cstr(arena, str_of(row->workspace));
    copy.settings = arena_cstr(arena, str_of(row->settings));
    return copy;
}

static int compile(struct run *run, struct err *err)
{
    const char *problem;
    int rc;

    rc = settings_read(str_of(run->row.settings), &run->arena, &run->settings, err);
    if (rc == 0) rc = hone_define(&run->settings, err);
    if (rc != 0) return err_wrap(err, "settings");
    run->dialect = dialect_of(run->row.dialect, &run->settings.options, &run->arena);
    if (!run->dialect) {
        return err_set(err, ERR_USAGE, "there is no dialect \"%s\"", run->row.dialect);
    }
    rc = settings_plan(&run->settings, run->dialect, &run->arena, &run->plan, err);
    if (rc != 0) return rc;
    cast_first(run);
    problem = plan_problem(&run->plan);
    if (problem) {
        return err_set(err, ERR_USAGE, "these settings make no plan that can work: %s", problem);
    }
    return 0;
}

int run_load(struct run *run, const struct journal_run *row, struct err *err)
{
    int rc;

    run->row = row_copy(row, &run->arena);
    rc = compile(run, err);
    if (rc == 0) engine_init(&run->engine, &run->plan);
    return rc;
}

/* What one pass over the journal needs. */
struct pass {
    struct run *run;
    struct actions actions;
    run_visit *visit;
    void *context;
};

static bool on_event(void *context, uint64_t sequence, const struct event *event)
{
    struct pass *pass = context;
    struct run *run = pass->run;

    engine_step(&run->engine, event, &pass->actions);
    run->event_count = sequence;
    return !pass->visit || pass->visit(pass->context, run, sequence, event, &pass->actions);
}

int run_replay(struct run *run, struct journal *journal, run_visit *visit, void *context,
               struct err *err)
{
    assert(run->engine.state == ENGINE_IDLE && run->event_count == 0); /* once only */
    return run_catch_up(run, journal, visit, context, err);
}

int run_catch_up(struct run *run, struct journal *journal, run_visit *visit, void *context,
                 struct err *err)
{
    struct pass pass = { .run = run, .visit = visit, .context = context };
    int rc = journal_replay(journal, run->row.id, run->event_count, on_event, &pass, err);

    actions_release(&pass.actions);
    return rc;
}

void run_release(struct run *run)
{
    journal_close(run->journal);
    sites_release(run);
    engine_release(&run->engine);
    repo_release(&run->repo);
    arena_release(&run->arena);
    *run = (struct run){ 0 };
}

const char *run_folder(const struct run *run, struct arena *arena)
{
    return place_run(&run->repo, run->row.id, arena);
}

bool run_test_is_used(const struct run *run)
{
    return run->sandboxed || !run->settings.test_found;
}

uint32_t run_iteration(const struct run *run, const struct action *action)
{
    const struct lane *lane = &run->engine.lanes[action->lane];

    if (action->lane > 0) { /* of its writer: what it did before, and what it does now */
        return lane_iterations(lane) +
               (action->purpose == FOR_WORK || action->purpose == FOR_REPAIR);
    }
    return run->dialect->rounds_are_iterations ? action->round : action->iteration;
}

/* Whether nothing is open: what was passed over is too small to fail a review, or waived. */
static bool is_noted_below(const struct run *run)
{
    for (uint32_t lane = 0; lane < run->engine.lane_count; lane++) {
        const struct ledger_entry *entries;
        uint32_t count = ledger_of_lane(&run->engine.ledger, lane, &entries);

        for (uint32_t i = 0; i < count; i++) {
            if (finding_is_open(entries[i].state)) return false;
        }
    }
    return true;
}

enum exit_code run_exit_code(const struct run *run)
{
    enum reason reason = run->engine.reason;

    if (reason == REASON_PARTIAL && run->settings.allow_partial) return CODE_DONE;
    /* The user said what fails, or what is left: the rest is noted or waived, and that is all. */
    if (reason == REASON_NOTED && is_noted_below(run) &&
        (*run->settings.fail_on || run->engine.ledger.waiver_count > 0 ||
         run->dialect->notes_pass)) {
        return CODE_DONE;
    }
    return exit_code_of(reason);
}

const struct end *run_end_of(const struct run *run)
{
    enum reason reason = run->engine.reason;

    if (reason == REASON_BOUND && run->settings.no_fix) return run_end_looked();
    if (reason == REASON_NOTED && run_exit_code(run) == CODE_DONE) return run_end_passed();
    return run_end(reason);
}

const struct role_file *run_role_file(const struct run *run, const struct action *action,
                                      struct arena *arena)
{
    if (!run->dialect->role_file) return NULL;
    return run->dialect->role_file(&run->settings.options, run->plan.roles[action->role].name,
                                   arena);
}

struct role_rights run_rights(const struct run *run, const struct action *action,
                              struct arena *arena)
{
    const struct role_file *file = run_role_file(run, action, arena);

    if (!file || !(file->no_network || file->no_home || file->no_tmp)) {
        return (struct role_rights){ .from = NULL };
    }
    return (struct role_rights){ .no_network = file->no_network, .no_home = file->no_home,
                                 .no_tmp = file->no_tmp, .from = file->path };
}
