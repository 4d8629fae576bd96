/* SPDX-License-Identifier: Apache-2.0
 *
 * world_start.c - what starts, held against what is due; and who was due and had no room.
 *
 * The numbers in the messages are those of world.h. */
#include "law.h"

#include <inttypes.h>

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

bool checkpoint_waits(const struct world *world)
{
    for (uint32_t i = group_first(world); i < world->lane_count; i++) {
        const struct wlane *lane = &world->lanes[i];
        bool refused = lane_has(lane, WJOB_HALTED) && !lane_has(lane, WJOB_DEAD) &&
                       lane->due != DUE_AGAIN; /* it keeps its place, and may start again */

        if (lane->awaited && (lane_has(lane, WJOB_LIVE) || refused)) return true;
    }
    return false;
}

/* 8: no lane is reviewed in the iteration that it was in when the checkpoint became due, and the
 * checkpoint takes all that are held for it. */
static void begin_checkpoint(struct world *world)
{
    if (checkpoint_waits(world)) world_fail("8: a checkpoint while a lane is at work");
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
    case FOR_PROOF:
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
    if (lane->purpose != FOR_WORK && lane->purpose != FOR_REPAIR) {
        lane->iterating = lane->awaited = 0; /* a drift ended the iteration: its end was void */
    } else if (!lane->iterating) {
        law_iterates(lane); /* it waited for its place */
    }
    lane->held = 0;
    if (lane->purpose == FOR_WORK) copy = lane->due_done + 1U;
    if (lane->purpose == FOR_REPAIR) copy = 1U + lane->fixed - lane->due_count + lane->due_done;
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
    job->losts = 0;
}

static void start_again(struct world *world, struct wlane *lane, struct wjob *job,
                        const struct action *action)
{
    if (job->state == WJOB_LIVE) world_fail("3: two attempts of job %" PRIu32, job->id);
    if (action->attempt != job->attempt + 1) world_fail("3: attempt %" PRIu32, action->attempt);
    if (world->retry_id == job->id) {
        if (action->not_before_ms != world->retry_at_ms) {
            world_fail("11, 17: not at the right time");
        }
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
    if (world->plan->roles[action->role].builtin && world->spent) return; /* the others had none */
    for (const struct wlane *other = &world->lanes[group_first(world)]; other < lane; other++) {
        if (other->due != DUE_NOTHING && !other->held) world_fail("13: not the first that waits");
    }
}

/* Another job that was due again came first, and had no room. */
static bool was_spent(struct look *look)
{
    struct world *world = look->world;

    for (uint32_t i = 0; i < world->lane_count; i++) {
        const struct wlane *lane = &world->lanes[i];

        if (lane->due != DUE_AGAIN || look->engine->lanes[i].parked) continue;
        for (uint32_t k = 0; k < lane->count; k++) {
            if (lane->jobs[k].again && law_refuses(world, lane->jobs[k].role)) return true;
        }
    }
    return false;
}

void take_refused(struct look *look, uint32_t end)
{
    struct world *world = look->world;

    while (world->job_last + 1 < end) {
        const struct lane *of;
        const struct job *job = engine_job(look->engine, world->job_last + 1, &of);
        struct wlane *lane;

        if (!job || job->state != JOB_HALTED || job->attempt != 0) {
            world_fail("3: job ids have a hole");
        }
        if (!law_refuses(world, job->role) &&
            (!was_spent(look) || !law_refuses(world, job->role))) {
            world_fail("15: job %" PRIu32 " did not start, and there is room for it", job->id);
        }
        lane = &world->lanes[of->id];
        start_new(world, lane, &(struct action){
            .kind = ACT_START, .job = job->id, .attempt = 1, .lane = of->id, .role = job->role,
            .purpose = job->purpose, .phase = of->now.phase, .iteration = of->now.iteration,
            .round = of->now.round, .copy = job->copy });
        lane->jobs[lane->count - 1].state = WJOB_HALTED;
    }
}

void take_refused_again(struct world *world, struct wlane *lane, const struct wjob *end)
{
    for (struct wjob *job = lane->jobs; lane->due == DUE_AGAIN && job < end; job++) {
        if (!job->again) continue;
        if (!law_refuses(world, job->role)) {
            world_fail("15: job %" PRIu32 " did not start again, and there is room for it",
                       job->id);
        }
        job->again = 0;
        job->state = WJOB_HALTED;
    }
    if (lane->due == DUE_AGAIN) again_done(lane);
}

void on_start_action(struct look *look, const struct action *action)
{
    struct world *world = look->world;
    struct wlane *lane = &world->lanes[action->lane];
    struct wlane *owner = lane;
    struct wjob *job;
    bool fresh;

    if (world->state != ENGINE_RUNNING || world->over || look->finished) {
        world_fail("2: job %" PRIu32 " starts while nothing may", action->job);
    }
    if (action->lane >= world->lane_count) world_fail("8: no such lane yet");
    take_refused(look, action->job);
    check_queue(look, lane, action);
    fresh = action->job == world->job_last + 1;
    if (fresh) start_new(world, lane, action);
    job = world_job(world, action->job, &owner);
    if (!job || owner != lane) world_fail("3: a job of another batch or lane");
    if (fresh) {
        allow(world, job);
    } else {
        take_refused_again(world, lane, job);
        start_again(world, lane, job, action);
    }
    if (!law_affords(world, action->role)) {
        world_fail("15: job %" PRIu32 " starts, and there is no room for it", action->job);
    }
    law_reserve(world, job, look->late);
    job->begins_ms = action->not_before_ms;
    job->state = WJOB_LIVE;
    job->attempt = action->attempt;
    if (lane->due == DUE_AGAIN) again_done(lane);
}
