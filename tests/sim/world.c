/* SPDX-License-Identifier: Apache-2.0
 *
 * world.c - the engine's actions, held against what is alive and what is due.
 *
 * The numbers in the messages are those of world.h. */
#include "law.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void world_fail(const char *format, ...)
{
    va_list args;

    fflush(stdout);
    fputs("wrong: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    abort();
}

const struct tasks *world_tasks(uint32_t number)
{
    static const struct tasks lists[] = {
        { { 1 }, 1, 1 },
        { { 2 }, 1, 2 },
        { { 2, 1 }, 2, 3 },
        { { 3, 1 }, 2, 4 },
        { { 4, 3, 3 }, 3, 10 },
        { { 1, 13, 2, 9 }, 4, 25 },
        { { 17, 4, 23, 16 }, 4, 60 },
    };

    if (number == 0 || number > sizeof lists / sizeof lists[0]) return NULL;
    return &lists[number - 1];
}

uint8_t world_tasks_number(const struct result *result)
{
    const struct tasks *list;

    if (result->group_count == 0) return 0;
    for (uint8_t i = 1; (list = world_tasks(i)); i++) {
        size_t bytes = list->count * sizeof *list->sizes;

        if (list->count == result->group_count &&
            memcmp(list->sizes, result->groups, bytes) == 0) return i;
    }
    world_fail("tasks that no agent named");
}

void world_init(struct world *world, const struct plan *plan, uint32_t tasks)
{
    if (tasks > WORLD_TASKS) world_fail("the world is too small");
    memset(world, 0, sizeof *world);
    world->plan = plan;
    world->lane_cap = (uint8_t)(tasks + 1);
    world->lanes = mem_alloc(world->lane_cap * sizeof *world->lanes);
    world->lane_count = 1;
    world->lanes[0].acted = 1;
}

void world_release(struct world *world)
{
    free(world->lanes);
}

struct wjob *world_job(struct world *world, uint32_t id, struct wlane **lane)
{
    for (uint32_t i = 0; i < world->lane_count; i++) {
        struct wlane *here = &world->lanes[i];
        for (uint32_t k = 0; k < here->count; k++) {
            if (here->jobs[k].id != id) continue;
            if (lane) *lane = here;
            return &here->jobs[k];
        }
    }
    return NULL;
}

uint32_t world_live(const struct world *world)
{
    uint32_t live = 0;

    for (uint32_t i = 0; i < world->lane_count; i++) {
        for (uint32_t k = 0; k < world->lanes[i].count; k++) {
            live += world->lanes[i].jobs[k].state == WJOB_LIVE;
        }
    }
    return live;
}

static bool ended_is_stale(const struct world *world, const struct event *event)
{
    for (uint32_t i = 0; i < world->lane_count; i++) {
        for (uint32_t k = 0; k < world->lanes[i].count; k++) {
            const struct wjob *job = &world->lanes[i].jobs[k];
            if (job->id == event->job && job->attempt == event->attempt &&
                job->state == WJOB_LIVE) return false;
        }
    }
    return true;
}

static bool answer_is_open(const struct world *world, const struct event *event)
{
    bool open = world->state == ENGINE_RUNNING || world->reason == REASON_WAITING ||
                world->reason == REASON_ESCALATED || world->reason == REASON_BUDGET ||
                world->reason == REASON_FAILED;

    if (!open || world->state == ENGINE_STOPPING || event->lane >= world->lane_count) return false;
    if (world->lanes[event->lane].question == ASK_NOTHING) return false;
    return event->choice != CHOICE_RESTART || world->iteration < world->plan->iteration_max;
}

bool world_ignores(const struct world *world, const struct event *event)
{
    switch (event->kind) {
    case EV_START:
        return world->state != ENGINE_IDLE;
    case EV_ENDED:
        return ended_is_stale(world, event);
    case EV_STOP:
        return world->state != ENGINE_RUNNING;
    case EV_RESUME:
        return world->state == ENGINE_IDLE || world->over;
    case EV_ANSWER:
        return !answer_is_open(world, event);
    case EV_DRIFT:
        return world->state == ENGINE_IDLE || event->lane >= world->lane_count;
    case EV_SPENT:
        return world->state != ENGINE_RUNNING || world->cut ||
               !law_used_up(world, event->now_ms > world->now_ms && !event->late ?
                                       event->now_ms - world->now_ms : 0);
    case EV_WORD:
        return world->state != ENGINE_RUNNING && world->state != ENGINE_STOPPING;
    case EV_COUNT:
        break;
    }
    return true;
}

/* 16: whether something that is used up ends it. */
static bool is_cut(const struct world *world, const struct wjob *job)
{
    return world->budget.stop || job->begins_ms > world->now_ms;
}

static void on_action(struct look *look, const struct event *event, const struct action *action)
{
    struct world *world = look->world;
    struct wjob *job;

    if (look->finished) world_fail("4: something follows the finish");
    switch (action->kind) {
    case ACT_RECORD:
        world_fail("1: a record that does not come first");
    case ACT_START:
        on_start_action(look, action);
        break;
    case ACT_STOP:
        job = world_job(world, action->job, NULL);
        if (event->kind != EV_STOP && !(look->cuts && job && is_cut(world, job))) {
            world_fail("5: a stop without a reason");
        }
        if (!job || job->state != WJOB_LIVE || job->attempt != action->attempt || job->told) {
            world_fail("5: what is stopped is not alive");
        }
        job->told = 1;
        break;
    case ACT_ASK:
        if (action->lane >= world->lane_count ||
            world->lanes[action->lane].ask_due != (uint8_t)action->question ||
            action->question == ASK_NOTHING) world_fail("10: nothing to ask");
        world->lanes[action->lane].ask_due = ASK_NOTHING;
        break;
    case ACT_FINISH:
        look->finished = true;
        break;
    }
}

static bool is_active(const struct wlane *lane)
{
    return lane->held || (lane->purpose != FOR_INTEGRATE && lane_has(lane, WJOB_LIVE));
}

/* 8 and 13: a job that may start does, and no other. */
static void check_places(const struct world *world)
{
    uint32_t active = 0, waiting = 0, integrating = 0, ready = 0, unmerged = 0;

    for (uint32_t i = group_first(world); i < world->lane_count; i++) {
        const struct wlane *lane = &world->lanes[i];
        bool busy = lane->count > 0 && !lane->acted;

        active += is_active(lane);
        waiting += lane->due != DUE_NOTHING && !lane->held;
        integrating += lane->purpose == FOR_INTEGRATE && lane_has(lane, WJOB_LIVE);
        unmerged += !lane->merged;
        ready += lane->passed && !busy;
        if (lane->held && !world->checkpoint_due) world_fail("13: held for no checkpoint");
    }
    if (active > world->plan->lane_max) world_fail("8: too many lanes are active");
    if (integrating > 1) world_fail("8: more than one lane integrates");
    if (world->state != ENGINE_RUNNING) return;
    if (world->spent) return; /* places are held for those who had no room */
    if (waiting > 0 && active < world->plan->lane_max) world_fail("13: a place stays empty");
    if (unmerged > 0 && ready == unmerged) world_fail("13: all have passed, and none integrates");
}

static void check_engine(const struct world *world, const struct engine *engine)
{
    uint32_t live = 0;

    engine_check(engine);
    for (uint32_t i = 0; i < world->lane_count; i++) {
        const struct wlane *lane = &world->lanes[i];
        for (uint32_t k = 0; k < lane->count; k++) {
            const struct wjob *mine = &lane->jobs[k];
            const struct job *job;

            if (mine->state != WJOB_LIVE) continue;
            job = engine_job(engine, mine->id, NULL);
            if (!job || job->state != JOB_RUNNING || job->attempt != mine->attempt) {
                world_fail("3: job %" PRIu32 " lives, and the engine forgot it", mine->id);
            }
            live++;
        }
    }
    if (live != engine->running) world_fail("3: the engine counts %" PRIu32 " jobs of %" PRIu32,
                                            engine->running, live);
    if (engine->iteration > world->plan->iteration_max) world_fail("6: too many iterations");
    if (engine->calls != world->spend.calls || engine->active_ms != world->spend.active_ms ||
        engine->usage.cost_micros != world->spend.cost ||
        engine->reserved.of[BUDGET_USD] != world->spend.held_cost ||
        engine->reserved.of[BUDGET_TOKENS] != world->spend.held_tokens) {
        world_fail("15: the engine counts otherwise");
    }
}

/* 13: a checkpoint that waits for no lane has begun; where none is held, it is over. */
static void check_checkpoint(struct world *world)
{
    if (!world->checkpoint_due || world->state != ENGINE_RUNNING || world->over) return;
    if (checkpoint_waits(world)) return;
    for (uint32_t i = group_first(world); i < world->lane_count; i++) {
        if (world->lanes[i].held) world_fail("13: a checkpoint waits for nothing");
    }
    world->checkpoint_due = 0;
}

/* What was due in this step must have happened in it; only tasks may wait for a place. */
static void check_due(const struct look *look, const struct event *event)
{
    struct world *world = look->world;

    if (world->retry_id) world_fail("11, 17: job %" PRIu32 " was not tried again", world->retry_id);
    for (uint32_t i = 0; i < world->lane_count; i++) {
        struct wlane *lane = &world->lanes[i];

        if (!look->engine->lanes[i].parked) { /* else it waits for a place */
            take_refused_again(world, lane, lane->jobs + lane->count);
        }
        if (lane->ask_due) world_fail("10: lane %" PRIu32 " did not ask", i);
        if (lane->due == DUE_JOBS && lane->due_done > 0) world_fail("10: half a batch started");
        if (i == 0 && lane->due != DUE_NOTHING) {
            world_fail("10: %s in phase %u did not start",
                       purpose_word((enum purpose)lane->due_purpose), lane->due_phase);
        }
        for (uint32_t k = 0; k < lane->count; k++) {
            const struct wjob *job = &lane->jobs[k];
            bool behind = world->plan->roles[job->role].builtin; /* it may have begun behind that */
            bool stops = event->kind == EV_STOP || (look->cuts && is_cut(world, job) && !behind);
            if (stops && job->state == WJOB_LIVE && !job->told) {
                world_fail("5: job %" PRIu32 " was not told to end", lane->jobs[k].id);
            }
        }
    }
    check_checkpoint(world);
    check_places(world);
}

static void check_finish(struct world *world, const struct actions *actions, bool finished)
{
    enum reason reason = (enum reason)world->reason, said;

    if (finished != (world_live(world) == 0)) {
        world_fail(finished ? "4: finished with something alive" : "4: nothing lives, no finish");
    }
    if (!finished) return;
    if (!world->over) {
        reason = world->state == ENGINE_STOPPING ? REASON_INTERRUPTED : law_rest_reason(world);
    }
    said = actions->item[actions->count - 1].reason;
    if (said != reason) {
        world_fail("14: finished as %s instead of %s", reason_word(said), reason_word(reason));
    }
    world->reason = (uint8_t)reason;
    world->state = ENGINE_ENDED;
}

void world_step(struct world *world, const struct engine *engine, const struct event *event,
                const struct actions *actions)
{
    struct look look = { .world = world, .engine = engine, .late = event->late,
                         .resumes = event->kind == EV_RESUME };
    struct wlane *own = NULL;
    bool ignores = world_ignores(world, event);
    bool ended = world->state == ENGINE_ENDED;

    if (ignores != (actions->count == 0)) {
        world_fail(ignores ? "1: %s was not ignored" : "1: %s was ignored",
                   event_word(event->kind));
    }
    if (!ignores) {
        if (actions->item[0].kind != ACT_RECORD) world_fail("1: no record first");
        law_time(world, event);
        if (event->kind == EV_ENDED) world_job(world, event->job, &own);
        if (event->kind == EV_ANSWER || event->kind == EV_DRIFT) own = &world->lanes[event->lane];
        look.own = own;
        law_event(world, event);
        look.cuts = world->state == ENGINE_RUNNING && !world->over && !world->cut &&
                    law_used_up(world, 0);
        if (look.cuts) world->cut = world->spent = 1;
        for (uint32_t i = 1; i < actions->count; i++) on_action(&look, event, &actions->item[i]);
        take_refused(&look, engine->job_next);
        ended = ended && event->kind == EV_DRIFT;
        if (!ended) check_due(&look, event);
        if (!ended) check_finish(world, actions, look.finished);
        if (ended && actions->count > 1) world_fail("2: a drift wakes no ended run");
    }
    check_engine(world, engine);
}
