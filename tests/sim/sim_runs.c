/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_runs.c - whole runs by the hundred thousand, each made from a seed.
 *
 *   sim_runs [-v] [COUNT] [FIRST_SEED]
 *
 * A seed chooses one of the five plans or a random one, its sizes and policies, and then what
 * happens: every end an attempt can have, crashes, stops, resumes, answers, changes of the tree,
 * stale and repeated events, a clock that jumps back. After that the faults are off and the run
 * must come to its end within a number of steps that follows from its plan. Every step is held
 * against the world (world.h).
 *
 * One run in MANY_EVERY is a loop over 10 to 60 tasks in several groups, up to eight at once.
 *
 * One run in REPLAY_EVERY is recorded and played again into a fresh engine, up to a moment in the
 * middle and to the end: the same events must make the same engine, word for word. In the same
 * runs, an event that was ignored must have changed nothing.
 *
 * Half of the runs lose attempts. One run in TWIN_EVERY has a twin that loses up to four more
 * before an attempt ends: it must ask for the same, step by step, and end the same (twin.h). Runs
 * whose calls are limited have none.
 *
 * The seeds are shared by two processes. A seed that fails is told again with its trace. */
#include "shared/engine_print.h"
#include "shared/prng.h"
#include "moves.h"
#include "seeds.h"
#include "trace.h"
#include "twin.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPLAY_EVERY = 100, MANY_EVERY = 299, TWIN_EVERY = 10 };
enum { STEPS_MAX = 160, STEPS_PER_TASK = 10, LOSTS = 20 };
enum { PRINT_BYTES_MAX = 1 << 20, GRANTS = 20, GRANTS_MANY = 200, DRIFTS = 3, DRIFTS_MANY = 10 };

/* What the processes tell the one that waits for them. */
struct tally_box {
    uint64_t runs, steps, replays, many;
    uint64_t limited, spent; /* with a budget; and of those, that ran out of it */
    uint64_t lost, twins, twins_lost; /* attempts; runs with a twin; attempts that twins lost */
    uint64_t by_plan[PLAN_KIND_COUNT];
    uint64_t by_reason[REASON_COUNT];
};

struct sim {
    struct fixture fixture;
    struct world world;
    struct engine engine;
    struct twin twin;
    struct actions actions;
    struct prng prng;
    struct event *events; /* of a run that is replayed */
    uint32_t event_count, event_cap;
    bool recorded, verbose, many, has_twin;
    bool spent;          /* it has ended for want of budget, once at least */
    uint32_t late_every; /* so often an end is told late; 0: never */
    uint64_t steps, lost;
    struct buf text, other;
};

static uint32_t up_to(struct prng *prng, uint32_t low, uint32_t high)
{
    return low + prng_below(prng, high - low + 1);
}

static struct plan_size any_size(struct prng *prng, enum plan_kind kind)
{
    struct plan_size size = plans_size(kind);

    size.reviewers = up_to(prng, 1, 5);
    size.repairs = up_to(prng, 0, 3);
    size.invalid_max = up_to(prng, 0, 2);
    size.failed_max = up_to(prng, 0, 2);
    size.iterations = up_to(prng, 1, 3);
    size.copies = up_to(prng, 1, 3);
    size.by_groups = prng_chance(prng, 50);
    size.lite = prng_chance(prng, 50);
    size.on_fail = prng_chance(prng, 50) ? FAIL_REPAIR
                                         : (enum on_fail)up_to(prng, FAIL_REPAIR, FAIL_STOP);
    size.at_bound = (enum at_bound)up_to(prng, BOUND_STOP, BOUND_PROCEED);
    size.phases = up_to(prng, 1, 4);
    size.repeats = up_to(prng, 0, 3);
    size.repeat_stages = up_to(prng, 0, 3);
    size.lanes = up_to(prng, 1, 3);
    size.runs = up_to(prng, 1, 4);
    size.checkpoint = up_to(prng, 0, 2);
    size.revisions = up_to(prng, 0, 2);
    size.gated = prng_chance(prng, 50);
    return size;
}

static enum plan_kind make_many(struct sim *sim)
{
    struct plan_size size = any_size(&sim->prng, PLAN_LOOPS);

    size.lanes = up_to(&sim->prng, 1, 8);
    plans_make(&sim->fixture, PLAN_LOOPS, &size);
    return PLAN_LOOPS;
}

static enum plan_kind make_plan(struct sim *sim)
{
    static const enum plan_kind kinds[] = { PLAN_REVIEW, PLAN_ITERATE, PLAN_CYCLES, PLAN_SESSION,
                                            PLAN_SESSION, PLAN_LOOPS, PLAN_LOOPS, PLAN_RANDOM };
    enum plan_kind kind = kinds[prng_below(&sim->prng, sizeof kinds / sizeof kinds[0])];

    if (kind == PLAN_RANDOM) {
        plans_random(&sim->fixture, &sim->prng);
    } else {
        struct plan_size size = any_size(&sim->prng, kind);
        plans_make(&sim->fixture, kind, &size);
    }
    return kind;
}

static void print_engine(const struct engine *engine, struct buf *out)
{
    buf_clear(out);
    engine_print(engine, out);
    if (out->overflow) world_fail("the engine's text is too long");
}

static void show(struct sim *sim)
{
    fputs(buf_cstr(&sim->text), stdout);
    fflush(stdout);
    buf_clear(&sim->text);
}

static void record(struct sim *sim, const struct event *event)
{
    sim->events = mem_grow(sim->events, sim->event_count, &sim->event_cap, sizeof *sim->events);
    sim->events[sim->event_count++] = *event;
}

static void engines_step(struct sim *sim, const struct event *event)
{
    const char *problem = NULL;

    if (sim->has_twin) {
        problem = twin_step(&sim->twin, &sim->engine, event, &sim->actions);
    } else {
        engine_step(&sim->engine, event, &sim->actions);
    }
    if (problem) world_fail("%s", problem);
}

/* One event into engine and world. */
static void take(struct sim *sim, struct move move, uint64_t now_ms)
{
    struct event event = move_event(&sim->world, move);
    bool quiet;

    if (event.kind != EV_SPENT || now_ms > event.now_ms) event.now_ms = now_ms;
    event.late = event.kind == EV_ENDED && sim->late_every && sim->steps % sim->late_every == 0;
    quiet = sim->recorded && world_ignores(&sim->world, &event);
    if (sim->recorded) record(sim, &event);
    if (quiet) print_engine(&sim->engine, &sim->other);
    if (sim->verbose) {
        trace_event(&sim->engine, &event, &sim->text);
        show(sim);
    }
    engines_step(sim, &event);
    sim->steps++;
    sim->lost += sim->actions.count > 0 && event.result.failure == FAILURE_LOST;
    if (sim->verbose) {
        trace_actions(&sim->fixture.plan, &sim->actions, &sim->text);
        show(sim);
    }
    moves_spend(&sim->world, move);
    world_step(&sim->world, &sim->engine, &event, &sim->actions);
    sim->spent = sim->spent || sim->world.reason == REASON_BUDGET;
    if (!quiet) return;
    print_engine(&sim->engine, &sim->text);
    if (strcmp(buf_cstr(&sim->text), buf_cstr(&sim->other)) != 0) {
        world_fail("1: an ignored event changed something");
    }
    buf_clear(&sim->text);
}

static uint64_t next_ms(struct sim *sim)
{
    uint64_t now_ms = sim->world.now_ms;

    if (!prng_chance(&sim->prng, 5)) return now_ms + prng_below(&sim->prng, 100);
    return now_ms > 500 ? now_ms - prng_below(&sim->prng, 500) : 0; /* the clock jumps back */
}

/* Without faults: at most this many steps until it is over. One walk costs a step per job; gates
 * may be walked again from where a stage is missing, a resume and an answer cost a step each. */
static uint32_t steps_bound(const struct world *world)
{
    const struct plan *plan = world->plan;
    uint32_t walk = 2, task = 0;

    for (uint32_t i = 0; i < plan->phase_count; i++) {
        const struct phase *phase = &plan->phases[i];
        uint32_t jobs = phase->work.copies + phase->gate.reviewer_count + 5 * WORLD_JOBS / 4;

        walk += jobs;
        if (phase->fan) task = jobs + 8;
    }
    return 4 * walk + 3 * world->lane_cap * task;
}

static void replay(struct sim *sim, uint32_t count, const char *live)
{
    struct engine fresh;
    struct actions actions = { .item = NULL };

    engine_init(&fresh, &sim->fixture.plan);
    for (uint32_t i = 0; i < count; i++) engine_step(&fresh, &sim->events[i], &actions);
    print_engine(&fresh, &sim->text);
    if (strcmp(buf_cstr(&sim->text), live) != 0) {
        world_fail("replayed:\n%s\nlive:\n%s", buf_cstr(&sim->text), live);
    }
    buf_clear(&sim->text);
    actions_release(&actions);
    engine_release(&fresh);
}

static void replay_now(struct sim *sim)
{
    print_engine(&sim->engine, &sim->other);
    replay(sim, sim->event_count, buf_cstr(&sim->other));
}

static void end_twin(struct sim *sim, struct tally_box *box)
{
    const char *problem = twin_compare(&sim->twin, &sim->engine);

    if (problem) world_fail("%s", problem);
    box->twins++;
    box->twins_lost += sim->twin.lost;
    twin_release(&sim->twin);
}

/* A run that has ended stays ended after any event. */
static void knock(struct sim *sim)
{
    struct move list[MOVES_MAX];
    uint32_t count = moves_noise(&sim->world, 0, list);

    for (uint32_t i = 0; i < 3; i++) {
        take(sim, list[prng_below(&sim->prng, count)], sim->world.now_ms + 10);
    }
}

/* A few tasks that an agent names; or many from the start, and more where there is room. */
static void begin_world(struct sim *sim)
{
    uint32_t first = sim->many ? up_to(&sim->prng, 5, 7) : 0;
    uint32_t tasks = 7;

    if (sim->many) tasks = up_to(&sim->prng, world_tasks(first)->sum, WORLD_TASKS);
    world_init(&sim->world, &sim->fixture.plan, tasks);
    sim->world.tasks_first = (uint8_t)first;
    sim->world.tasks_max = (uint8_t)tasks;
    sim->world.drifts_left = (uint8_t)up_to(&sim->prng, 0, sim->many ? DRIFTS_MANY : DRIFTS);
    sim->world.grants_left = sim->many ? GRANTS_MANY : GRANTS;
    if (prng_chance(&sim->prng, 50)) sim->world.losts_left = (uint8_t)up_to(&sim->prng, 1, LOSTS);
}

/* A third of the runs is limited: in one thing or in several, narrowly or amply. */
static void begin_budget(struct sim *sim)
{
    static const uint32_t most[BUDGET_PART_COUNT] = {
        [BUDGET_USD] = 40, [BUDGET_TOKENS] = 120, [BUDGET_TIME] = 3000, [BUDGET_CALLS] = 30,
    };
    struct budget *budget = &sim->world.budget_first;
    bool one = prng_chance(&sim->prng, 60);
    uint32_t which = prng_below(&sim->prng, BUDGET_PART_COUNT);

    if (!prng_chance(&sim->prng, 33)) return;
    budget->stop = prng_chance(&sim->prng, 50);
    for (uint32_t i = 0; i < BUDGET_PART_COUNT; i++) {
        if (one && i != which) continue;
        budget->limit.of[i] = 1 + prng_below(&sim->prng, most[i]);
    }
    sim->late_every = prng_below(&sim->prng, 12);
}

static void begin(struct sim *sim, uint64_t seed, struct tally_box *box)
{
    sim->prng = (struct prng){ seed };
    sim->steps = sim->lost = 0;
    sim->event_count = 0;
    sim->recorded = seed % REPLAY_EVERY == 0 || sim->verbose;
    sim->many = seed % MANY_EVERY == 0;
    box->by_plan[sim->many ? make_many(sim) : make_plan(sim)]++;
    begin_world(sim);
    sim->late_every = 0;
    sim->spent = false;
    begin_budget(sim);
    engine_init(&sim->engine, &sim->fixture.plan);
    sim->has_twin = seed % TWIN_EVERY == 0 && !sim->world.budget_first.limit.of[BUDGET_CALLS];
    if (sim->has_twin) twin_init(&sim->twin, &sim->fixture.plan, seed);
}

static void run_seed(struct sim *sim, uint64_t seed, struct tally_box *box)
{
    uint32_t steps, bound;
    struct move move;

    begin(sim, seed, box);
    steps = STEPS_MAX + (sim->many ? STEPS_PER_TASK * sim->world.tasks_max : 0U);
    steps = prng_below(&sim->prng, steps);
    for (uint32_t i = 0; i < steps && !sim->world.over; i++) {
        take(sim, moves_random(&sim->world, &sim->prng), next_ms(sim));
        if (sim->recorded && i == steps / 2) replay_now(sim);
    }
    bound = steps_bound(&sim->world);
    sim->world.grants_left = GRANTS_MANY;
    for (uint32_t i = 0; moves_good(&sim->world, seed % 4 != 0, &move); i++) {
        if (i == bound) world_fail("no end in %" PRIu32 " steps without a fault", bound);
        take(sim, move, sim->world.now_ms + 10);
    }
    knock(sim);
    if (sim->recorded) replay_now(sim);
    if (sim->has_twin) end_twin(sim, box);
    box->by_reason[sim->world.reason]++;
    box->runs++;
    box->steps += sim->steps;
    box->replays += sim->recorded;
    box->many += sim->many;
    box->limited += budget_has_limit(&sim->world.budget_first);
    box->spent += sim->spent;
    box->lost += sim->lost;
    engine_release(&sim->engine);
    world_release(&sim->world);
}

static void run_seeds(void *tally, uint64_t *seed, uint64_t first, uint64_t count, uint64_t stride,
                      bool verbose)
{
    struct sim *sim = mem_alloc(sizeof *sim);

    sim->verbose = verbose;
    buf_init(&sim->text, PRINT_BYTES_MAX);
    buf_init(&sim->other, PRINT_BYTES_MAX);
    for (uint64_t i = 0; i < count; i += stride) {
        *seed = first + i;
        run_seed(sim, *seed, tally);
    }
    actions_release(&sim->actions);
    buf_release(&sim->text);
    buf_release(&sim->other);
    free(sim->events);
    free(sim);
}

static void say_counts(const void *tally)
{
    const struct tally_box *sum = tally;

    for (uint32_t i = 0; i < PLAN_KIND_COUNT; i++) {
        if (!sum->by_plan[i]) continue;
        printf("%s %" PRIu64 " ", plans_name((enum plan_kind)i), sum->by_plan[i]);
    }
    printf("\n%" PRIu64 " runs, %" PRIu64 " of many tasks, %" PRIu64 " steps, %" PRIu64
           " replayed, %" PRIu64 " with a budget, %" PRIu64 " out of it; ", sum->runs, sum->many,
           sum->steps, sum->replays, sum->limited, sum->spent);
    printf("%" PRIu64 " attempts lost, %" PRIu64 " twins that lost %" PRIu64 " more; ends:",
           sum->lost, sum->twins, sum->twins_lost);
    for (uint32_t i = 0; i < REASON_COUNT; i++) {
        if (sum->by_reason[i]) {
            printf(" %s %" PRIu64, reason_word((enum reason)i), sum->by_reason[i]);
        }
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    return seeds_main(&(struct seeds){ .tally_bytes = sizeof(struct tally_box), .run = run_seeds,
                                       .say = say_counts, .count = 300000, .count_short = 10000 },
                      argc, argv);
}
