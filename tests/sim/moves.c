/* SPDX-License-Identifier: Apache-2.0
 *
 * moves.c - what may happen next, from the outside's point of view. */
#include "moves.h"

#include <stddef.h>

enum { GRAVE_FINGERPRINT = 77, NOISE_TRIES = 4 };
enum { LOST_PERCENT = 8, LOST_AGAIN_PERCENT = 60 }; /* one gone, the next often goes as well */

static const struct finding plain_finding = { .severity = SEVERITY_LOW, .fingerprint = 5,
                                              .file = STR("a.c"), .text = STR("odd") };
static const struct finding grave_finding = { .severity = SEVERITY_HIGH, .text = STR("leak"),
                                              .fingerprint = GRAVE_FINGERPRINT };

void moves_point(struct result *result)
{
    if (result->finding_count > 0) {
        result->findings = result->findings[0].fingerprint == GRAVE_FINGERPRINT ?
            &grave_finding : &plain_finding;
    }
    if (result->group_count > 0) {
        result->groups = world_tasks(world_tasks_number(result))->sizes;
    }
    result->doc = result->problem = (struct str){ NULL, 0 };
}

/* The number of the list. */
static uint32_t tasks_of(enum how how)
{
    return (uint32_t)how - HOW_TASKS_1 + 1;
}

static struct result move_result(const struct world *world, enum how how)
{
    struct result result = { .verdict = VERDICT_CLEAN, .doc = STR("said") };

    switch (how) {
    case HOW_CLEAN:
    case HOW_COUNT:
        break;
    case HOW_COMPLETE:
        result.complete = true;
        break;
    case HOW_FINDINGS:
    case HOW_GRAVE:
    case HOW_GROUPS:
    case HOW_ALONE:
        result.verdict = VERDICT_FINDINGS;
        result.findings = how == HOW_GRAVE ? &grave_finding : &plain_finding;
        result.finding_count = 1;
        result.fix_groups = how == HOW_GROUPS || how == HOW_ALONE ? 2 : 0;
        result.fix_alone = how == HOW_ALONE;
        break;
    case HOW_STUCK:
        result.stuck = true;
        break;
    case HOW_TASKS_1:
    case HOW_TASKS_2:
    case HOW_TASKS_3:
    case HOW_TASKS_4:
    case HOW_TASKS_10:
    case HOW_TASKS_25:
    case HOW_TASKS_60:
        result.groups = world_tasks(tasks_of(how))->sizes;
        result.group_count = world_tasks(tasks_of(how))->count;
        break;
    case HOW_INVALID:
    case HOW_BROKEN:
        result.verdict = VERDICT_INVALID;
        result.permanent = how == HOW_BROKEN;
        result.problem = STR("no contract of ours");
        break;
    case HOW_FAILED:
    case HOW_DEAD:
    case HOW_WAIT:
    case HOW_BUDGET:
    case HOW_LOST:
    case HOW_STOPPED:
        result.verdict = VERDICT_FAILED;
        result.failure = how == HOW_STOPPED ? FAILURE_STOPPED
                         : how == HOW_LOST ? FAILURE_LOST
                         : how == HOW_BUDGET ? FAILURE_BUDGET : FAILURE_EXIT;
        result.permanent = how == HOW_DEAD || how == HOW_BUDGET;
        /* What is lost may have said before that its service lets it wait. */
        result.retry_at_ms = how == HOW_WAIT || how == HOW_LOST ? world->now_ms + 50 : 0;
        break;
    }
    return result;
}

/* One costs more than the other, and an attempt that failed costs, too. Where nothing is limited
 * nothing is told: it would only make states differ. */
static struct usage usage_of(const struct world *world, const struct wjob *job, enum how how)
{
    struct usage usage = { .tokens_in = 2, .tokens_out = how == HOW_CLEAN ? 1 : 2 };

    usage.cost_micros = job->role % 3U + (how >= HOW_INVALID);
    if (world->plan->roles[job->role].builtin || !budget_has_limit(&world->budget)) {
        return (struct usage){ 0 };
    }
    return usage;
}

struct event move_event(const struct world *world, struct move move)
{
    const struct wjob *job =
        move.lane < world->lane_cap ? &world->lanes[move.lane].jobs[move.job] : NULL;
    struct event event = { .now_ms = world->now_ms, .lane = move.lane };

    switch ((enum move_kind)move.kind) {
    case MOVE_START:
        event.kind = EV_START;
        event.has_budget = budget_has_limit(&world->budget_first);
        event.budget = world->budget_first;
        event.result = move_result(world, (enum how)move.how);
        break;
    case MOVE_END:
    case MOVE_STALE:
        event.kind = EV_ENDED;
        event.job = job->id;
        event.attempt = job->attempt - (move.kind == MOVE_STALE);
        event.result = move_result(world, (enum how)move.how);
        event.result.usage = usage_of(world, job, (enum how)move.how);
        break;
    case MOVE_UNKNOWN:
        event.kind = EV_ENDED;
        event.job = world->job_last + 1;
        event.attempt = 1;
        break;
    case MOVE_STOP:
        event.kind = EV_STOP;
        break;
    case MOVE_RESUME:
        event.kind = EV_RESUME;
        event.has_budget = move.how == 1;
        break;
    case MOVE_ANSWER:
        event.kind = EV_ANSWER;
        event.choice = (enum choice)move.how;
        break;
    case MOVE_DRIFT:
        event.kind = EV_DRIFT;
        break;
    case MOVE_SPENT:
        event.kind = EV_SPENT;
        if (world->budget.limit.of[BUDGET_TIME] > world->spend.active_ms) {
            event.now_ms += world->budget.limit.of[BUDGET_TIME] - world->spend.active_ms;
        }
        break;
    case MOVE_COUNT:
        world_fail("no such move");
    }
    return event;
}

static uint32_t tasks_begun(const struct world *world)
{
    uint32_t begun = 0;

    for (uint32_t i = 0; i < world->group; i++) begun += world->groups[i];
    return begun;
}

/* The main lane's work and repair in a plan that fans: they may name tasks. */
static bool may_name(const struct world *world, const struct wlane *lane, uint32_t tasks)
{
    bool fans = false;

    for (uint32_t i = 0; i < world->plan->phase_count; i++) {
        fans = fans || world->plan->phases[i].fan;
    }
    return fans && lane == &world->lanes[0] && tasks_begun(world) + tasks <= world->tasks_max;
}

/* The ends that mean something for this job, good ones first; returns how many. */
static uint32_t good_ends(const struct world *world, const struct wlane *lane, uint8_t *out)
{
    const struct phase *phase = &world->plan->phases[lane->phase];
    bool repeated = phase->work.run_max > 0;
    uint32_t count = 0;

    switch ((enum purpose)lane->purpose) {
    case FOR_WORK:
    case FOR_JOIN:
        if (repeated) out[count++] = HOW_COMPLETE;
        out[count++] = HOW_CLEAN;
        if (repeated || lane == &world->lanes[0]) out[count++] = HOW_STUCK;
        break;
    case FOR_REVIEW:
        out[count++] = HOW_CLEAN;
        out[count++] = HOW_FINDINGS;
        if (phase->gate.repeat_max > 0) out[count++] = HOW_GRAVE;
        if (phase->gate.repair.by_groups) {
            out[count++] = HOW_GROUPS;
            out[count++] = HOW_ALONE;
        }
        break;
    case FOR_REPAIR:
        out[count++] = HOW_CLEAN;
        if (phase->gate.repair.on_stuck != STUCK_REPAIRED) out[count++] = HOW_STUCK;
        break;
    case FOR_CHECKPOINT:
    case FOR_INTEGRATE:
        out[count++] = HOW_CLEAN;
        out[count++] = HOW_FINDINGS;
        break;
    case FOR_PROOF: /* no plan of these has one: it wants a policy */
    case FOR_THEN:
    case FOR_COUNT:
        out[count++] = HOW_CLEAN;
        break;
    }
    if (lane->count == 1 && (lane->purpose == FOR_WORK || lane->purpose == FOR_JOIN ||
                             lane->purpose == FOR_REPAIR)) {
        for (uint8_t i = HOW_TASKS_1; i <= HOW_TASKS_60; i++) {
            if (may_name(world, lane, world_tasks(tasks_of((enum how)i))->sum)) out[count++] = i;
        }
    }
    return count;
}

static uint32_t ends(const struct world *world, const struct wlane *lane, const struct wjob *job,
                     uint8_t out[HOW_COUNT])
{
    uint32_t count = job->tainted ? 0 : good_ends(world, lane, out);

    if (job->told) {
        out[count++] = HOW_STOPPED;
    } else {
        out[count++] = HOW_INVALID;
        out[count++] = HOW_BROKEN;
        out[count++] = HOW_FAILED;
        out[count++] = HOW_DEAD;
        if (world->budget.limit.of[BUDGET_USD] > 0) out[count++] = HOW_BUDGET;
    }
    if (world->losts_left > 0) out[count++] = HOW_LOST;
    return count;
}

/* A resume while a lane is stuck, like `continue`, grants more repairs. */
static bool resume_grants(const struct world *world)
{
    for (uint32_t i = 0; i < world->lane_count; i++) {
        if (world->lanes[i].resting) return true;
    }
    return false;
}

static void add(struct move *out, uint32_t *count, struct move move)
{
    if (*count == MOVES_MAX) world_fail("too many moves");
    out[(*count)++] = move;
}

static uint32_t list_lane(const struct world *world, uint32_t index, struct move *out,
                          uint32_t count)
{
    const struct wlane *lane = &world->lanes[index];
    struct move move = { .lane = (uint8_t)index };
    uint8_t hows[HOW_COUNT];

    for (uint32_t i = 0; i < lane->count; i++) {
        uint32_t how_count = ends(world, lane, &lane->jobs[i], hows);

        move.kind = MOVE_END;
        move.job = (uint8_t)i;
        for (uint32_t k = 0; lane->jobs[i].state == WJOB_LIVE && k < how_count; k++) {
            move.how = hows[k];
            add(out, &count, move);
        }
    }
    move.job = 0;
    move.kind = MOVE_ANSWER;
    for (uint32_t i = 0; lane->question != ASK_NOTHING && i < CHOICE_COUNT; i++) {
        move.how = (uint8_t)i;
        if (i == CHOICE_CONTINUE && lane->question != ASK_DEAD && !world->grants_left) continue;
        if (!world_ignores(world, &(struct event){ .kind = EV_ANSWER, .lane = index,
                                                   .choice = (enum choice)i })) {
            add(out, &count, move);
        }
    }
    move.how = 0;
    move.kind = MOVE_DRIFT;
    if (world->drifts_left > 0 && !world->over && !lane->merged) add(out, &count, move);
    return count;
}

static struct move start_of(const struct world *world)
{
    uint32_t how = world->tasks_first ? HOW_TASKS_1 + world->tasks_first - 1U : HOW_CLEAN;

    return (struct move){ .kind = MOVE_START, .how = (uint8_t)how };
}

uint32_t moves_list(const struct world *world, struct move out[MOVES_MAX])
{
    uint32_t count = 0;

    if (world->over) return 0;
    if (world->state == ENGINE_IDLE) {
        add(out, &count, start_of(world));
        return count;
    }
    for (uint32_t i = 0; i < world->lane_count; i++) count = list_lane(world, i, out, count);
    if (world->state == ENGINE_RUNNING) add(out, &count, (struct move){ .kind = MOVE_STOP });
    if (!resume_grants(world) || world->grants_left > 0) {
        add(out, &count, (struct move){ .kind = MOVE_RESUME });
        if (budget_has_limit(&world->budget)) {
            add(out, &count, (struct move){ .kind = MOVE_RESUME, .how = 1 });
        }
    }
    if (world->budget.limit.of[BUDGET_TIME] > 0 && world->state == ENGINE_RUNNING && !world->cut) {
        add(out, &count, (struct move){ .kind = MOVE_SPENT });
    }
    return count;
}

/* What mostly is noise. */
static uint32_t list_noise(const struct world *world, uint32_t lane, struct move *out)
{
    uint32_t count = 0;
    uint32_t end = lane + NOISE_LANES < world->lane_count ? lane + NOISE_LANES : world->lane_count;

    add(out, &count, (struct move){ .kind = MOVE_START });
    add(out, &count, (struct move){ .kind = MOVE_UNKNOWN });
    add(out, &count, (struct move){ .kind = MOVE_STOP });
    add(out, &count, (struct move){ .kind = MOVE_RESUME });
    add(out, &count, (struct move){ .kind = MOVE_SPENT });
    for (uint8_t i = (uint8_t)lane; i <= end; i++) {
        add(out, &count, (struct move){ .kind = MOVE_DRIFT, .lane = i });
        for (uint8_t k = 0; k < CHOICE_COUNT; k++) {
            add(out, &count, (struct move){ .kind = MOVE_ANSWER, .lane = i, .how = k });
        }
        for (uint8_t k = 0; i < world->lane_count && k < world->lanes[i].count; k++) {
            add(out, &count, (struct move){ .kind = MOVE_STALE, .lane = i, .job = k });
            add(out, &count, (struct move){ .kind = MOVE_END, .lane = i, .job = k });
        }
    }
    return count;
}

static bool is_noise(const struct world *world, struct move move)
{
    struct event event = move_event(world, move);

    return world_ignores(world, &event);
}

uint32_t moves_noise(const struct world *world, uint32_t lane, struct move out[MOVES_MAX])
{
    uint32_t count = list_noise(world, lane, out), kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (is_noise(world, out[i])) out[kept++] = out[i];
    }
    return kept;
}

bool moves_good(const struct world *world, bool accept, struct move *out)
{
    *out = start_of(world);
    if (world->state == ENGINE_IDLE) return true;
    if (world->over) return false;
    for (uint8_t i = 0; i < world->lane_count; i++) {
        const struct wlane *lane = &world->lanes[i];
        uint8_t hows[HOW_COUNT];

        for (uint8_t k = 0; k < lane->count; k++) {
            if (lane->jobs[k].state != WJOB_LIVE) continue;
            ends(world, lane, &lane->jobs[k], hows);
            *out = (struct move){ .kind = MOVE_END, .lane = i, .job = k, .how = hows[0] };
            return true;
        }
    }
    for (uint8_t i = 0; i < world->lane_count; i++) {
        const struct wlane *lane = &world->lanes[i];
        uint8_t how = accept ? CHOICE_ACCEPT : CHOICE_STOP;

        if (lane->question == ASK_NOTHING || world->reason == REASON_INTERRUPTED) continue;
        *out = (struct move){ .kind = MOVE_ANSWER, .lane = i, .how = how };
        return true;
    }
    *out = (struct move){ .kind = MOVE_RESUME, .how = world->reason == REASON_BUDGET };
    return !resume_grants(world) || world->grants_left > 0;
}

void moves_spend(struct world *world, struct move move)
{
    bool answer = move.kind == MOVE_ANSWER && move.how == CHOICE_CONTINUE &&
                  move.lane < world->lane_count && world->lanes[move.lane].question != ASK_DEAD;
    bool resume = move.kind == MOVE_RESUME && resume_grants(world);
    bool lost = move.kind == MOVE_END && move.how == HOW_LOST;

    if (move.kind == MOVE_DRIFT && world->drifts_left > 0) world->drifts_left--;
    if (lost && world->losts_left > 0) world->losts_left--;
    if ((answer || resume) && world->grants_left > 0) world->grants_left--;
}

/* Any of what is alive; false when nothing is. */
static bool any_live(const struct world *world, struct prng *prng, struct move *out)
{
    uint32_t live = world_live(world), pick;

    if (live == 0) return false;
    pick = prng_below(prng, live);
    for (uint8_t i = 0; i < world->lane_count; i++) {
        for (uint8_t k = 0; k < world->lanes[i].count; k++) {
            if (world->lanes[i].jobs[k].state != WJOB_LIVE) continue;
            *out = (struct move){ .kind = MOVE_END, .lane = i, .job = k };
            if (pick-- == 0) return true;
        }
    }
    return false;
}

static struct move random_end(const struct world *world, struct prng *prng, struct move move)
{
    const struct wlane *lane = &world->lanes[move.lane];
    const struct wjob *job = &lane->jobs[move.job];
    uint8_t hows[HOW_COUNT];
    uint32_t good = job->tainted ? 0 : good_ends(world, lane, hows);
    uint32_t lost = job->losts > 0 ? LOST_AGAIN_PERCENT : LOST_PERCENT;

    if (world->losts_left > 0 && prng_chance(prng, lost)) {
        move.how = HOW_LOST;
    } else if (good > 0 && prng_chance(prng, 85)) {
        move.how = hows[prng_chance(prng, 50) ? 0 : prng_below(prng, good)];
    } else if (job->told) {
        move.how = HOW_STOPPED;
    } else {
        move.how = (uint8_t)(HOW_INVALID + prng_below(prng, HOW_LOST - HOW_INVALID));
    }
    return move;
}

struct move moves_random(const struct world *world, struct prng *prng)
{
    struct move move = start_of(world), list[MOVES_MAX];
    uint32_t dice = prng_below(prng, 100), count;

    if (world->state == ENGINE_IDLE && dice < 80) return move;
    if (dice < 75 && any_live(world, prng, &move)) return random_end(world, prng, move);
    if (dice < 85) {
        count = list_noise(world, prng_below(prng, world->lane_count), list);
        for (uint32_t i = 0; i < NOISE_TRIES; i++) {
            move = list[prng_below(prng, count)];
            if (is_noise(world, move)) return move;
        }
    }
    count = moves_list(world, list);
    if (count > 0 && dice < 97) return list[prng_below(prng, count)];
    return (struct move){ .kind = (uint8_t)(dice % 2 ? MOVE_STOP : MOVE_RESUME) };
}
