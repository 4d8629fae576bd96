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

/* One step's view of it: what this list of actions has done so far. */
struct look {
    struct world *world;
    const struct wlane *own; /* whose the event is; NULL: nobody's alone */
    bool resumes;
    bool finished;
};

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
    world_fail("tasks that nobody named");
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
                world->reason == REASON_ESCALATED || world->reason == REASON_FAILED;

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
    case EV_COUNT:
        break;
    }
    return true;
}

/* 8: the lowest lane of the group that is not merged, when all the others are ready. */
static void check_integrate(const struct world *world, const struct wlane *lane)
{
    for (uint32_t i = group_first(world); i < world->lane_count; i++) {
        const struct wlane *other = &world->lanes[i];
        bool busy = other->count > 0 && !other->acted;

        if (!other->merged && (!other->passed || busy)) {
            world_fail("8: a lane integrates while lane %" PRIu32 " is not ready", i);
        }
        if (!other->merged && other < lane) world_fail("8: not in order of the tasks");
    }
    if (!lane->passed) world_fail("8: a lane integrates that has not passed");
}

/* 8: nobody is reviewed while writing; a checkpoint takes all who wait for it. */
static void begin_checkpoint(struct world *world)
{
    for (uint32_t i = group_first(world); i < world->lane_count; i++) {
        const struct wlane *lane = &world->lanes[i];
        if (lane->purpose == FOR_WORK && lane_has(lane, WJOB_LIVE)) {
            world_fail("8: a checkpoint while lane %" PRIu32 " is at work", i);
        }
    }
    for (uint32_t i = group_first(world); i < world->lane_count; i++) {
        struct wlane *lane = &world->lanes[i];
        if (!lane->held) continue;
        lane->held = 0;
        lane->due_purpose = FOR_CHECKPOINT;
    }
    world->checkpoint_due = 0;
}

static uint16_t role_due(const struct world *world, const struct wlane *lane)
{
    const struct phase *phase = &world->plan->phases[lane->due_phase];

    switch ((enum purpose)lane->due_purpose) {
    case FOR_WORK:
    case FOR_JOIN:
        return phase->work.role;
    case FOR_REVIEW:
        return phase->gate.reviewers[lane->due_done];
    case FOR_REPAIR:
        return phase->gate.repair.role;
    case FOR_THEN:
        return phase->gate.repair.then;
    case FOR_CHECKPOINT:
        return phase->work.checkpoint_role;
    case FOR_INTEGRATE:
        return world->plan->integrate;
    case FOR_COUNT:
        break;
    }
    return ROLE_NONE;
}

/* The round its jobs carry: a review's own number, a repair's that of the review before it. */
static void batch_begin(struct world *world, struct wlane *lane)
{
    if (lane->count > 0 && !lane->acted) world_fail("7: a batch begins before the last is done");
    lane->count = 0;
    lane->acted = 0;
    lane->purpose = lane->due_purpose;
    lane->round = 1;
    if (lane->purpose == FOR_REVIEW) lane->round = ++lane->rounds[lane->phase];
    if (lane->purpose == FOR_REPAIR || lane->purpose == FOR_THEN) {
        lane->round = lane->rounds[lane->phase];
    }
    if (lane->purpose == FOR_REPAIR && lane->repairs[lane->phase] >= law_repairs_max(world, lane)) {
        world_fail("6: a repair beyond the bound");
    }
    if (lane->due_count > WORLD_JOBS) world_fail("the world is too small");
}

static void start_new(struct world *world, struct wlane *lane, const struct action *action)
{
    uint32_t copy = 1;

    if (action->purpose == FOR_INTEGRATE && lane->due == DUE_NOTHING) {
        check_integrate(world, lane);
        lane->due = DUE_JOBS;
        lane->due_purpose = FOR_INTEGRATE;
        lane->due_phase = lane->phase;
        lane->due_count = 1;
        lane->due_done = 0;
    }
    if (action->purpose == FOR_CHECKPOINT && lane->held) begin_checkpoint(world);
    if (lane->due != DUE_JOBS) world_fail("10: job %" PRIu32 " was not called for", action->job);
    if (lane->due_done == 0) batch_begin(world, lane);
    lane->held = 0;
    if (lane->purpose == FOR_WORK || lane->purpose == FOR_REPAIR) copy = lane->due_done + 1U;
    if (lane->purpose == FOR_JOIN) copy = 0;
    if (action->purpose != (enum purpose)lane->due_purpose || action->phase != lane->due_phase) {
        world_fail("10: %s in phase %" PRIu32 ", but %s in phase %u is due",
                   purpose_word(action->purpose), action->phase,
                   purpose_word((enum purpose)lane->due_purpose), lane->due_phase);
    }
    if (action->role != role_due(world, lane)) world_fail("10: the wrong role");
    if (action->copy != copy) world_fail("10: copy %" PRIu32, action->copy);
    if (action->round != lane->round || action->iteration != world->iteration) {
        world_fail("10: round %" PRIu32 " of iteration %" PRIu32, action->round,
                   action->iteration);
    }
    if (action->attempt != 1 || action->not_before_ms != 0) world_fail("3: no first attempt");
    lane->jobs[lane->count++] = (struct wjob){ .id = action->job, .role = action->role };
    world->job_last = action->job;
    if (++lane->due_done == lane->due_count) lane->due = DUE_NOTHING;
}

static void allow(const struct world *world, struct wjob *job)
{
    job->invalid_left = (uint8_t)world->plan->roles[job->role].invalid_max;
    job->failed_left = (uint8_t)world->plan->roles[job->role].failed_max;
}

static void start_again(struct world *world, struct wlane *lane, struct wjob *job,
                        const struct action *action)
{
    if (job->state == WJOB_LIVE) world_fail("3: two attempts of job %" PRIu32, job->id);
    if (action->attempt != job->attempt + 1) world_fail("3: attempt %" PRIu32, action->attempt);
    if (world->retry_id == job->id) {
        if (action->not_before_ms != world->retry_at_ms) world_fail("11: not at the right time");
        world->retry_id = 0;
        return;
    }
    if (lane->due != DUE_AGAIN) world_fail("12: job %" PRIu32 " starts again", job->id);
    if (!job->again) world_fail("12: job %" PRIu32 " starts again, and need not", job->id);
    job->again = 0;
    if (action->not_before_ms != 0) world_fail("12: a resume does not wait");
    allow(world, job);
}

static void again_done(struct wlane *lane)
{
    for (uint32_t i = 0; i < lane->count; i++) {
        if (lane->jobs[i].again) return;
    }
    lane->due = DUE_NOTHING;
}

/* 13: places go to those who wait, in order. Who has one, or needs none, is not in the queue; after
 * a resume, who has one cannot be told from outside. */
static void check_queue(const struct look *look, const struct wlane *lane,
                        const struct action *action)
{
    const struct world *world = look->world;

    if (look->resumes || lane == look->own || !lane_is_of_task(world, lane)) return;
    if (action->purpose == FOR_CHECKPOINT || action->purpose == FOR_INTEGRATE) return;
    for (const struct wlane *other = &world->lanes[group_first(world)]; other < lane; other++) {
        if (other->due != DUE_NOTHING && !other->held) world_fail("13: not the first that waits");
    }
}

static void on_start_action(struct look *look, const struct action *action)
{
    struct world *world = look->world;
    struct wlane *lane = &world->lanes[action->lane];
    struct wlane *owner = lane;
    struct wjob *job;

    if (world->state != ENGINE_RUNNING || world->over || look->finished) {
        world_fail("2: job %" PRIu32 " starts while nothing may", action->job);
    }
    if (action->lane >= world->lane_count) world_fail("8: no such lane yet");
    if (action->job > world->job_last + 1) world_fail("3: job ids have a hole");
    check_queue(look, lane, action);
    if (action->job == world->job_last + 1) start_new(world, lane, action);
    job = world_job(world, action->job, &owner);
    if (!job || owner != lane) world_fail("3: a job of another batch or lane");
    if (action->attempt == 1) {
        allow(world, job);
    } else {
        start_again(world, lane, job, action);
    }
    job->state = WJOB_LIVE;
    job->attempt = action->attempt;
    if (lane->due == DUE_AGAIN) again_done(lane);
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
        if (event->kind != EV_STOP) world_fail("5: nobody asked to stop");
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

/* 8 and 13: who may start does, and nobody else. */
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
}

/* What was due in this step must have happened in it; only tasks may wait for a place. */
static void check_due(struct world *world, const struct event *event)
{
    if (world->retry_id) world_fail("11: job %" PRIu32 " was not tried again", world->retry_id);
    for (uint32_t i = 0; i < world->lane_count; i++) {
        const struct wlane *lane = &world->lanes[i];

        if (lane->ask_due) world_fail("10: lane %" PRIu32 " did not ask", i);
        if (lane->due == DUE_JOBS && lane->due_done > 0) world_fail("10: half a batch started");
        if (i == 0 && lane->due != DUE_NOTHING) {
            world_fail("10: %s in phase %u did not start",
                       purpose_word((enum purpose)lane->due_purpose), lane->due_phase);
        }
        for (uint32_t k = 0; event->kind == EV_STOP && k < lane->count; k++) {
            if (lane->jobs[k].state == WJOB_LIVE && !lane->jobs[k].told) {
                world_fail("5: job %" PRIu32 " was not told to end", lane->jobs[k].id);
            }
        }
    }
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
    struct look look = { .world = world, .resumes = event->kind == EV_RESUME };
    struct wlane *own = NULL;
    bool ignores = world_ignores(world, event);
    bool ended = world->state == ENGINE_ENDED;

    if (ignores != (actions->count == 0)) {
        world_fail(ignores ? "1: %s was not ignored" : "1: %s was ignored",
                   event_word(event->kind));
    }
    if (!ignores) {
        if (actions->item[0].kind != ACT_RECORD) world_fail("1: no record first");
        if (event->now_ms > world->now_ms) world->now_ms = event->now_ms;
        if (event->kind == EV_ENDED) world_job(world, event->job, &own);
        if (event->kind == EV_ANSWER || event->kind == EV_DRIFT) own = &world->lanes[event->lane];
        look.own = own;
        law_event(world, event);
        for (uint32_t i = 1; i < actions->count; i++) on_action(&look, event, &actions->item[i]);
        ended = ended && event->kind == EV_DRIFT;
        if (!ended) check_due(world, event);
        if (!ended) check_finish(world, actions, look.finished);
        if (ended && actions->count > 1) world_fail("2: a drift wakes nobody");
    }
    check_engine(world, engine);
}
