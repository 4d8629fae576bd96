/* SPDX-License-Identifier: Apache-2.0
 *
 * copy.c - states that are the same, and a second one of the same.
 *
 * Two histories can be gone on from as one when engine and world agree in all that can matter
 * later. What cannot is left out of their numbers: ids and attempts, which only count up; the
 * clock; what was said and is acted upon; how often phases were tried that are behind for good;
 * texts and history. To leave out too much would hide futures, to leave out too little only costs
 * time. */
#include "copy.h"

#include "base/mem.h"
#include "moves.h"

#include <stddef.h>
#include <string.h>

static void *copy_of(const void *items, size_t count, size_t item_bytes)
{
    void *copy;

    if (count == 0) return NULL;
    copy = mem_alloc(count * item_bytes);
    memcpy(copy, items, count * item_bytes);
    return copy;
}

static void batch_copy(struct batch *to, const struct batch *from)
{
    *to = *from;
    to->arena = (struct arena){ NULL };
    to->cap = from->count;
    to->jobs = copy_of(from->jobs, from->count, sizeof *from->jobs);
    for (uint32_t i = 0; i < to->count; i++) moves_point(&to->jobs[i].result);
}

static void lane_copy(struct lane *to, const struct lane *from, uint32_t phase_count)
{
    *to = *from;
    to->tallies = copy_of(from->tallies, phase_count, sizeof *from->tallies);
    to->repeats = copy_of(from->repeats, from->repeat_count, sizeof *from->repeats);
    to->repeat_cap = from->repeat_count;
    batch_copy(&to->now, &from->now);
    batch_copy(&to->work, &from->work);
    batch_copy(&to->review, &from->review);
    batch_copy(&to->repair, &from->repair);
    to->docs = NULL; /* agents say nothing here */
    to->doc_count = to->doc_cap = 0;
}

/* Each lane keeps the last row of its history: the engine writes into it. */
static void rounds_copy(struct engine *to, const struct engine *from)
{
    to->rounds = mem_alloc((from->lane_count + 1) * sizeof *to->rounds);
    to->round_cap = from->lane_count + 1;
    to->round_count = 0;
    for (uint32_t lane = 0; lane < from->lane_count; lane++) {
        uint32_t last = from->lanes[lane].round_last;

        if (last == 0) continue;
        to->rounds[to->round_count++] = from->rounds[last - 1];
        to->lanes[lane].round_last = to->round_count;
    }
}

void engine_copy(struct engine *to, const struct engine *from)
{
    *to = *from;
    to->diary = NULL; /* the engine never reads it */
    to->entry_count = to->entry_cap = 0;
    to->ledger = (struct ledger){ 0 }; /* nor this, where no gate has a policy: enum_policies.c */
    to->groups = copy_of(from->groups, from->group_count, sizeof *from->groups);
    to->group_cap = from->group_count;
    to->costs = copy_of(from->costs, from->plan->role_count, sizeof *from->costs);
    to->job_lanes = copy_of(from->job_lanes, from->job_next - 1, sizeof *from->job_lanes);
    to->job_cap = from->job_next - 1;
    to->lanes = mem_alloc(from->lane_count * sizeof *to->lanes);
    to->lane_cap = from->lane_count;
    for (uint32_t i = 0; i < from->lane_count; i++) {
        lane_copy(&to->lanes[i], &from->lanes[i], from->plan->phase_count);
    }
    rounds_copy(to, from);
}

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t word;

    for (; size >= sizeof word; at += sizeof word, size -= sizeof word) {
        memcpy(&word, at, sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    for (; size > 0; at++, size--) hash = (hash ^ *at) * 0x100000001b3u;
    return hash;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return hash_bytes(hash, &value, sizeof value);
}

/* What of a job can still matter: the allowance while it lives, the answer once it is done. */
static void job_forget(struct wjob *job, const struct world *world)
{
    bool waits = job->state == WJOB_LIVE && job->begins_ms > world->now_ms &&
                 budget_has_limit(&world->budget);

    job->id = job->attempt = 0;
    job->begins_ms = waits ? job->begins_ms - world->now_ms : 0;
    if (job->state != WJOB_LIVE) job->invalid_left = job->failed_left = job->losts = 0;
    if (job->state == WJOB_DONE) return;
    job->verdict = job->complete = job->stuck = job->grave = 0;
    job->fix_groups = job->fix_alone = job->tasks = 0;
}

static void lane_forget(struct wlane *lane, const struct world *world, uint32_t floor)
{
    bool fans = world->plan->lane_max > 0;
    bool waits = lane->question || lane->resting || lane->due != DUE_NOTHING;

    if (lane->merged) {
        *lane = (struct wlane){ .merged = 1, .noted = lane->noted };
        return;
    }
    if (lane->acted) lane->count = lane->purpose = lane->round = 0;
    for (uint32_t k = 0; k < WORLD_JOBS; k++) {
        if (k >= lane->count) memset(&lane->jobs[k], 0, sizeof lane->jobs[k]);
        job_forget(&lane->jobs[k], world);
    }
    if (lane->due == DUE_NOTHING) lane->due_purpose = lane->due_phase = lane->due_count = 0;
    lane->due_done = 0;
    if (!waits && lane->purpose != FOR_REPAIR) lane->fix_groups = lane->fix_alone = 0;
    if (lane->purpose != FOR_REPAIR && lane->due_purpose != FOR_REPAIR) lane->fixed = 0;
    if (!fans) lane->worked = 0;
    for (uint32_t k = 0; k < floor; k++) {
        lane->rounds[k] = lane->repairs[k] = lane->granted[k] = 0;
    }
}

/* The first phase that can be walked again from this one without a restart. */
static uint32_t phase_floor(const struct plan *plan, uint32_t phase)
{
    uint32_t floor = phase, needed = 0;

    for (uint32_t i = phase; i < plan->phase_count; i++) {
        const struct gate *gate = &plan->phases[i].gate;
        if (gate->reviewer_count > 0 && gate->recheck < floor) floor = gate->recheck;
        needed |= plan->phases[i].needs;
    }
    for (uint32_t i = 0; i < floor; i++) {
        if (plan->phases[i].gate.mints & needed) return i;
    }
    return floor;
}

void world_copy(struct world *to, const struct world *from)
{
    *to = *from;
    to->lanes = mem_alloc(from->lane_cap * sizeof *to->lanes);
    memcpy(to->lanes, from->lanes, from->lane_count * sizeof *to->lanes);
}

/* What is not limited is counted, and nothing follows from it. */
static void spend_forget(struct world *world)
{
    const uint64_t *limit = world->budget.limit.of;
    struct wspend *spend = &world->spend;

    if (limit[BUDGET_USD] == 0 && limit[BUDGET_TOKENS] == 0) {
        memset(spend->by_role, 0, sizeof spend->by_role);
        spend->cost = spend->tokens = spend->held_cost = spend->held_tokens = 0;
    }
    if (limit[BUDGET_TIME] == 0) spend->active_ms = 0;
    if (limit[BUDGET_CALLS] == 0) spend->calls = 0;
}

uint64_t world_hash(const struct world *world, uint64_t hash)
{
    struct world copy = *world;

    if (world->over) return hash_bytes(hash, &world->reason, sizeof world->reason);
    copy.plan = NULL;
    copy.now_ms = copy.retry_at_ms = 0;
    copy.job_last = copy.retry_id = 0;
    spend_forget(&copy);
    hash = hash_bytes(hash, &copy, offsetof(struct world, groups) + copy.group_count);
    for (uint32_t i = 0; i < world->lane_count; i++) {
        uint32_t floor = i > 0 ? 0 : phase_floor(world->plan, world->lanes[0].phase);
        struct wlane lane;

        memcpy(&lane, &world->lanes[i], sizeof lane);
        lane_forget(&lane, world, floor);
        hash = hash_bytes(hash, &lane, sizeof lane);
    }
    return hash;
}

/* The jobs asked for: the allowance of those that run, the answers of those that are done. */
static uint64_t now_hash(const struct engine *engine, const struct batch *batch, uint64_t hash)
{
    hash = mix(hash, batch->count);
    if (batch->count == 0) return hash;
    hash = mix(hash, batch->phase | (uint64_t)batch->iteration << 16 |
                     (uint64_t)batch->round << 32);
    for (uint32_t i = 0; i < batch->count; i++) {
        const struct job *job = &batch->jobs[i];
        const struct result *result = &job->result;

        hash = mix(hash, job->role | (uint64_t)job->purpose << 16 | (uint64_t)job->copy << 24 |
                         (uint64_t)job->state << 32);
        if (job->state == JOB_RUNNING) {
            hash = mix(hash, job->invalid_left | (uint64_t)job->lost_left << 16 |
                             (uint64_t)job->failed_left << 32 | (uint64_t)job->told << 63);
            hash = mix(hash, job->reserved.of[BUDGET_USD] |
                             job->reserved.of[BUDGET_TOKENS] << 32);
            if (budget_has_limit(&engine->budget) && job->started_ms > engine->now_ms) {
                hash = mix(hash, job->started_ms - engine->now_ms);
            }
        }
        if (job->state != JOB_DONE) continue;
        hash = mix(hash, (uint64_t)result->verdict | (uint64_t)result->complete << 9 |
                         (uint64_t)result->stuck << 10 | (uint64_t)result->fix_alone << 11 |
                         (uint64_t)result->fix_groups << 16 |
                         (uint64_t)result->group_count << 24 |
                         (uint64_t)result->finding_count << 32);
        if (result->finding_count > 0) hash = mix(hash, result->findings[0].fingerprint);
    }
    return hash;
}

/* What the batches of before can still be asked: was there work, how many groups to repair. */
static uint64_t then_hash(const struct lane *lane, bool fans, uint64_t hash)
{
    bool waits = lane->state == LANE_ASKING || lane->state == LANE_STUCK ||
                 lane->state == LANE_WAITING || lane->state == LANE_REPAIRING;
    uint32_t fix_groups = 0, fix_alone = 0;

    for (uint32_t i = 0; waits && i < lane->review.count; i++) {
        fix_groups += lane->review.jobs[i].result.fix_groups;
        fix_alone += lane->review.jobs[i].result.fix_alone;
    }
    return mix(hash, fix_groups | fix_alone << 16 |
                     (uint64_t)(fans && lane->work.count > 0) << 32);
}

static uint64_t lane_hash(const struct engine *engine, const struct lane *lane, uint64_t hash)
{
    const struct plan *plan = engine->plan;
    uint32_t floor = lane->id > 0 ? 0 : phase_floor(plan, lane->phase);

    if (lane->state == LANE_MERGED) return mix(hash, (uint64_t)lane->noted << 32 | LANE_MERGED);
    hash = mix(hash, lane->id | (uint64_t)lane->group << 16 | (uint64_t)lane->state << 32 |
                     (uint64_t)lane->phase << 40 | (uint64_t)lane->question << 48);
    hash = mix(hash, (lane->runs - lane->granted) | /* what was granted changes nothing by itself */
                     (uint64_t)(lane->checked - lane->granted) << 16 |
                     (uint64_t)lane->mints << 32);
    hash = mix(hash, (uint64_t)lane->noted | (uint64_t)lane->drifted << 1 |
                     (uint64_t)lane->conflict << 2 | (uint64_t)lane->parked << 3 |
                     (uint64_t)(lane->begun == engine->checkpoints) << 4);
    hash = hash_bytes(hash, lane->tallies + floor,
                      (plan->phase_count - floor) * sizeof *lane->tallies);
    for (uint32_t i = 0; i < lane->repeat_count; i++) {
        hash = mix(mix(hash, lane->repeats[i].fingerprint),
                   lane->repeats[i].rounds | (uint64_t)lane->repeats[i].phase << 32);
    }
    return then_hash(lane, plan->lane_max > 0, now_hash(engine, &lane->now, hash));
}

/* Only of what is limited: from the rest nothing follows. */
static uint64_t spend_hash(const struct engine *engine, uint64_t hash)
{
    const struct budget *budget = &engine->budget;
    struct amounts used = engine_used(engine);
    bool priced = budget->limit.of[BUDGET_USD] > 0 || budget->limit.of[BUDGET_TOKENS] > 0;

    hash = mix(hash, (uint64_t)engine->spent | (uint64_t)engine->cut << 1 |
                     (uint64_t)budget->stop << 2);
    for (uint32_t i = 0; i < BUDGET_PART_COUNT; i++) {
        hash = mix(hash, budget->limit.of[i]);
        if (budget->limit.of[i] > 0) hash = mix(mix(hash, used.of[i]), engine->reserved.of[i]);
    }
    for (uint32_t i = 0; priced && i < engine->plan->role_count; i++) {
        hash = mix(mix(mix(hash, engine->costs[i].attempts), engine->costs[i].cost_micros),
                   engine->costs[i].tokens);
    }
    return hash;
}

uint64_t engine_hash(const struct engine *engine, uint64_t hash)
{
    hash = mix(hash, (uint64_t)engine->state | (uint64_t)engine->reason << 8 |
                     (uint64_t)engine->running << 32);
    if (engine->state == ENGINE_ENDED && !engine_can_resume(engine)) return hash;
    hash = mix(hash, engine->iteration | (uint64_t)engine->checkpoint_due << 32);
    hash = mix(hash, engine->group | (uint64_t)engine->group_count << 32);
    hash = hash_bytes(hash, engine->groups, engine->group_count * sizeof *engine->groups);
    hash = spend_hash(engine, hash);
    for (uint32_t i = 0; i < engine->lane_count; i++) {
        hash = lane_hash(engine, &engine->lanes[i], hash);
    }
    return hash;
}
