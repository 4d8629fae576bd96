/* SPDX-License-Identifier: Apache-2.0
 *
 * replay.c - a run rebuilt from its journal.
 *
 * The row says which dialect and which settings; the dialect compiles them to the plan, as it did
 * when the run began; the engine takes the events in their order. The engine is pure, so it ends
 * in the state it was in when the last event was journaled. What it asked for on the way has been
 * done, or is lost with the process that did it: a resume (EV_RESUME) asks again.
 *
 * Not here: performing actions (the drivers), how events are kept (store/journal.c). */
#include "run/replay.h"

#include <assert.h>

/* Copies the row, so that it lives as long as the replay. */
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

static int compile(struct replay *replay, struct err *err)
{
    const char *problem;
    int rc;

    replay->dialect = dialect_find(str_of(replay->row.dialect));
    if (!replay->dialect) {
        return err_set(err, ERR_USAGE, "there is no dialect \"%s\"", replay->row.dialect);
    }
    rc = settings_read(str_of(replay->row.settings), &replay->arena, &replay->settings, err);
    if (rc != 0) return err_wrap(err, "settings");
    rc = replay->dialect->plan(&replay->settings.options, &replay->arena, &replay->plan, err);
    if (rc != 0) return rc;
    problem = plan_problem(&replay->plan);
    if (problem) {
        return err_set(err, ERR_USAGE, "these settings make no plan that can work: %s", problem);
    }
    return 0;
}

int replay_init(struct replay *replay, const struct journal_run *row, struct err *err)
{
    int rc;

    *replay = (struct replay){ 0 };
    replay->row = row_copy(row, &replay->arena);
    rc = compile(replay, err);
    if (rc != 0) goto fail;
    engine_init(&replay->engine, &replay->plan);
    return 0;

fail:
    arena_release(&replay->arena);
    *replay = (struct replay){ 0 };
    return rc;
}

/* What one pass over the journal needs. */
struct pass {
    struct replay *replay;
    struct actions actions;
    replay_visit *visit;
    void *context;
};

static bool on_event(void *context, uint64_t sequence, const struct event *event)
{
    struct pass *pass = context;
    struct replay *replay = pass->replay;

    engine_step(&replay->engine, event, &pass->actions);
    replay->event_count = sequence;
    return !pass->visit || pass->visit(pass->context, replay, sequence, event, &pass->actions);
}

int replay_run(struct replay *replay, struct journal *journal, replay_visit *visit, void *context,
               struct err *err)
{
    struct pass pass = { .replay = replay, .visit = visit, .context = context };
    int rc;

    assert(replay->engine.state == ENGINE_IDLE && replay->event_count == 0); /* once only */
    rc = journal_replay(journal, replay->row.id, on_event, &pass, err);
    actions_release(&pass.actions);
    return rc;
}

void replay_release(struct replay *replay)
{
    engine_release(&replay->engine);
    arena_release(&replay->arena);
    *replay = (struct replay){ 0 };
}
