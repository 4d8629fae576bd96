/* SPDX-License-Identifier: Apache-2.0
 *
 * law_event.c - what each kind of event does to the world, and what it makes due. */
#include "law.h"

static const struct phase *phase_of(const struct world *world, const struct wlane *lane)
{
    return &world->plan->phases[lane->phase];
}

/* Jobs without a good answer are due again, with a fresh allowance. */
static void due_again(struct wlane *lane)
{
    bool all = lane->stale && lane->purpose == FOR_REVIEW;

    for (uint32_t i = 0; i < lane->count; i++) {
        struct wjob *job = &lane->jobs[i];
        if (all) job->state = WJOB_HALTED;
        job->again = job->state != WJOB_DONE;
    }
    if (all) lane->stale = 0;
    lane->due = DUE_AGAIN;
}

/* A delivery whose stages do not hold any more. */
static bool is_void(const struct world *world, const struct wlane *lane)
{
    bool works = lane->purpose == FOR_WORK || lane->purpose == FOR_JOIN;

    return works && !lane_is_of_task(world, lane) &&
           (phase_of(world, lane)->needs & ~(uint32_t)lane->mints);
}

/* What was cut off or died is due again; a delivery that is void is not. */
static void due_redo(struct world *world, struct wlane *lane)
{
    if (is_void(world, lane)) {
        lane_drop(lane);
        law_enter(world, lane, lane->phase);
    } else {
        due_again(lane);
    }
}

static void on_start(struct world *world, const struct event *event)
{
    world->state = ENGINE_RUNNING;
    world->iteration = 1;
    law_open(world, event);
    law_groups(world, world_tasks_number(&event->result));
    law_enter(world, &world->lanes[0], 0);
}

static bool dead_asks(const struct world *world, const struct wlane *lane)
{
    for (uint32_t i = 0; i < lane->count; i++) {
        const struct wjob *job = &lane->jobs[i];
        if (job->state == WJOB_DEAD && !world->plan->roles[job->role].ask_when_dead) return false;
    }
    return true;
}

/* Invalid, failed or lost while the run goes on: once more within the allowance, or never again. */
static void on_bad(struct world *world, struct wjob *job, const struct result *result)
{
    bool paid = result->failure == FAILURE_BUDGET && world->budget.limit.of[BUDGET_USD] > 0;
    bool lost = result->failure == FAILURE_LOST;

    job->state = paid || job->told ? WJOB_HALTED : WJOB_DEAD;
    job->losts = (uint8_t)(lost ? job->losts + 1 : 0);
    if (paid) world->spent = 1;
    if (job->state == WJOB_HALTED || result->permanent) return;
    if (lost) {
        if (job->losts == WORLD_LOSTS) return;
        world->retry_at_ms = 0;
    } else if (result->verdict == VERDICT_INVALID) {
        if (job->invalid_left == 0) return;
        job->invalid_left--;
        world->retry_at_ms = 0;
    } else if (result->retry_at_ms != 0) {
        world->retry_at_ms = result->retry_at_ms;
    } else {
        if (job->failed_left == 0) return;
        job->failed_left--;
        world->retry_at_ms = world->now_ms + world->plan->retry_pause_ms;
    }
    if (law_refuses(world, job->role)) {
        job->state = WJOB_HALTED;
    } else {
        world->retry_id = job->id;
    }
}

static void on_ended(struct world *world, const struct event *event)
{
    const struct result *result = &event->result;
    struct wlane *lane;
    struct wjob *job = world_job(world, event->job, &lane);

    job->verdict = (uint8_t)result->verdict;
    job->complete = result->complete;
    job->stuck = result->stuck;
    job->fix_groups = (uint8_t)result->fix_groups;
    job->fix_alone = result->fix_alone;
    job->tasks = world_tasks_number(result);
    job->grave = result->finding_count > 0 && result->findings[0].severity == SEVERITY_HIGH;
    job->tainted = 0;
    law_settle(world, job, result);
    if (result->verdict == VERDICT_CLEAN || result->verdict == VERDICT_FINDINGS) {
        job->state = WJOB_DONE;
    } else if (world->state == ENGINE_STOPPING || is_void(world, lane)) {
        job->state = WJOB_HALTED;
    } else {
        on_bad(world, job, result);
    }
    job->told = 0;
    if (world->retry_id) return;
    if (world->state == ENGINE_STOPPING || lane_has(lane, WJOB_LIVE)) return;
    if (is_void(world, lane)) {
        due_redo(world, lane);
    } else if (!lane_has(lane, WJOB_DEAD)) {
        if (!lane_has(lane, WJOB_HALTED)) law_act(world, lane);
    } else if (dead_asks(world, lane)) {
        law_ask(lane, ASK_DEAD);
    }
}

static void grant(const struct world *world, struct wlane *lane)
{
    if (phase_of(world, lane)->gate.repair_max == NO_BOUND) return;
    if (lane->repairs[lane->phase] >= law_repairs_max(world, lane)) lane->granted[lane->phase]++;
}

static void resume_rested(struct world *world, struct wlane *lane)
{
    uint32_t repair_max = phase_of(world, lane)->gate.repair_max;

    lane->resting = 0;
    if (!lane_is_of_task(world, lane)) {
        grant(world, lane);
        law_recheck(world, lane);
        return;
    }
    lane->runs = lane->looked = 0;
    lane->checked = lane->repairs[lane->phase];
    lane->granted[lane->phase] =
        (uint8_t)(lane->repairs[lane->phase] + (repair_max == 0));
    due_begin(world, lane);
}

/* What it was doing was cut off, or ended while the run was stopping. */
static void resume_batch(struct world *world, struct wlane *lane)
{
    bool undone = lane_has(lane, WJOB_HALTED) || lane_has(lane, WJOB_DEAD);

    if (lane->purpose == FOR_REVIEW && lane->stale) {
        due_again(lane);
    } else if (is_void(world, lane)) {
        due_redo(world, lane);
    } else if (!undone) {
        law_act(world, lane);
    } else if (lane->purpose == FOR_INTEGRATE) {
        lane_drop(lane);
        lane->passed = !lane->stale || lane->rounds[lane->phase] == 0;
        if (!lane->passed) due_review(world, lane, lane->phase);
    } else {
        due_redo(world, lane);
    }
}

static void on_resume(struct world *world, const struct event *event)
{
    uint32_t lane_count = world->lane_count;

    law_open(world, event);

    world->state = ENGINE_RUNNING;
    world->reason = REASON_NONE;
    for (uint32_t i = 0; i < lane_count; i++) {
        struct wlane *lane = &world->lanes[i];

        for (uint32_t k = 0; k < lane->count; k++) {
            struct wjob *job = &lane->jobs[k];
            if (job->state != WJOB_LIVE) continue;
            job->state = WJOB_HALTED;
            job->told = job->tainted = 0;
            law_free(world, job);
        }
        if (lane->due == DUE_AGAIN) lane->due = DUE_NOTHING;
        if (lane->question == ASK_DEAD) {
            lane->question = ASK_NOTHING;
            due_redo(world, lane);
        } else if (lane->question != ASK_NOTHING) {
            lane->ask_due = lane->question;
        } else if (lane->resting) {
            resume_rested(world, lane);
        } else if (lane->count > 0 && !lane->acted) {
            resume_batch(world, lane);
        }
    }
}

static void on_continue(struct world *world, struct wlane *lane, enum question question)
{
    const struct gate *gate = &phase_of(world, lane)->gate;

    if (question == ASK_DEAD) {
        due_redo(world, lane);
        return;
    }
    grant(world, lane);
    if (lane_is_of_task(world, lane)) {
        due_begin(world, lane);
    } else if (lane->rounds[lane->phase] == 0) {
        due_work(world, lane);
    } else if (gate->repair.role != ROLE_NONE) {
        due_repair(world, lane);
    } else {
        due_review(world, lane, lane->phase);
    }
}

static void on_answer(struct world *world, const struct event *event)
{
    struct wlane *lane = &world->lanes[event->lane];
    enum question question = (enum question)lane->question;

    if (world->state == ENGINE_ENDED) law_open(world, event);
    world->state = ENGINE_RUNNING;
    world->reason = REASON_NONE;
    lane->question = ASK_NOTHING;
    switch (event->choice) {
    case CHOICE_CONTINUE:
        on_continue(world, lane, question);
        break;
    case CHOICE_ACCEPT:
        lane->noted = 1;
        lane->mints |= (uint8_t)phase_of(world, lane)->gate.mints;
        lane_drop(lane);
        law_done(world, lane);
        break;
    case CHOICE_RESTART:
        lane_drop(lane);
        law_restart(world, lane);
        break;
    case CHOICE_STOP:
        lane_drop(lane);
        law_stop(world, lane);
        break;
    case CHOICE_COUNT:
        world_fail("no such choice");
    }
}

/* What was judged is void: answers of a review that is going on are due again at once, and a
 * task that has passed is reviewed again. What is alive reads a tree that was changed under it. */
static void on_drift(struct world *world, const struct event *event)
{
    struct wlane *lane = &world->lanes[event->lane];
    bool reviewing = lane->purpose == FOR_REVIEW && lane->count > 0 && !lane->acted &&
                     lane->question == ASK_NOTHING;
    bool refused = world->state == ENGINE_RUNNING && lane->due == DUE_NOTHING &&
                   lane_has(lane, WJOB_HALTED) && !lane_has(lane, WJOB_DEAD);

    lane->mints = 0;
    lane->stale = 1;
    if (reviewing && (lane_has(lane, WJOB_LIVE) || refused)) {
        for (uint32_t i = 0; i < lane->count; i++) {
            if (lane->jobs[i].state == WJOB_LIVE) lane->jobs[i].tainted = 1;
        }
        if (world->state != ENGINE_RUNNING) return;
        lane->stale = 0;
        for (uint32_t i = 0; i < lane->count; i++) {
            if (lane->jobs[i].state != WJOB_DONE) continue;
            lane->jobs[i].state = WJOB_HALTED;
            lane->jobs[i].again = 1;
            lane->due = DUE_AGAIN;
        }
    } else if (reviewing && lane->due == DUE_AGAIN) {
        due_again(lane);
    } else if (lane->passed && (lane->count == 0 || lane->acted) &&
               lane->rounds[lane->phase] > 0) {
        lane->passed = 0;
        due_review(world, lane, lane->phase);
    } else if (lane_is_of_task(world, lane) && lane->due == DUE_JOBS && !lane->held) {
        due_begin(world, lane);
    }
}

void law_event(struct world *world, const struct event *event)
{
    switch (event->kind) {
    case EV_START:
        on_start(world, event);
        break;
    case EV_ENDED:
        on_ended(world, event);
        break;
    case EV_STOP:
        world->state = ENGINE_STOPPING;
        break;
    case EV_RESUME:
        on_resume(world, event);
        break;
    case EV_ANSWER:
        on_answer(world, event);
        break;
    case EV_DRIFT:
        on_drift(world, event);
        break;
    case EV_SPENT: /* what follows is what follows whenever something is used up */
    case EV_WORD:  /* it decides nothing */
        break;
    case EV_COUNT:
        world_fail("no such event");
    }
}

static enum reason lane_rest_reason(const struct world *world, const struct wlane *lane)
{
    if (lane->question == ASK_DEAD) return REASON_FAILED;
    if (lane->question == ASK_BOUND &&
        phase_of(world, lane)->gate.at_bound == BOUND_ESCALATE) return REASON_ESCALATED;
    if (lane->question != ASK_NOTHING) return REASON_WAITING;
    if (!lane->acted && lane->due == DUE_AGAIN) return REASON_BUDGET;
    if (!lane->acted && lane_has(lane, WJOB_DEAD)) return REASON_FAILED;
    if (!lane->acted && lane_has(lane, WJOB_HALTED)) return REASON_BUDGET;
    return lane->resting ? REASON_STUCK : REASON_NONE;
}

enum reason law_rest_reason(const struct world *world)
{
    enum reason worst = REASON_NONE;

    for (uint32_t i = 0; i < world->lane_count; i++) {
        enum reason reason = lane_rest_reason(world, &world->lanes[i]);
        if (reason > worst) worst = reason;
    }
    return worst;
}
