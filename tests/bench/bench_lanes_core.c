/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_lanes_core.c - what the engine and its ledger take for a lane: builds, reviews and
 * integrates 100, 1,000 and 10,000 tasks of one group, four at once, with a checkpoint now and
 * then. Nothing is started and nothing is written. A lane must not cost more because there are
 * others. */
#include "bench.h"

#include "core/engine.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROLE_BUILDER = 1, ROLE_REVIEWER, ROLE_INTEGRATOR, ROLES, TRIES = 5 };

static const struct role roles[ROLES] = {
    [ROLE_BUILDER] = { .name = "builder", .writes = true },
    [ROLE_REVIEWER] = { .name = "reviewer" },
    [ROLE_INTEGRATOR] = { .name = "integrator", .builtin = true },
};
static const uint16_t reviewers[] = { ROLE_REVIEWER };
static const struct phase build = {
    .name = "build", .fan = true,
    .work = { .role = ROLE_BUILDER, .copies = 1, .run_max = 5, .checkpoint_role = ROLE_REVIEWER,
              .checkpoint_every = 2 },
    .gate = { .reviewers = reviewers, .reviewer_count = 1, .on_fail = FAIL_REPAIR,
              .repair = { .role = ROLE_BUILDER }, .repair_max = 2, .at_bound = BOUND_STUCK },
};
static const struct plan plan = {
    .roles = roles, .role_count = ROLES, .phases = &build, .phase_count = 1, .iteration_max = 1,
    .lane_max = 4, .integrate = ROLE_INTEGRATOR,
};

static const struct finding odd = { .severity = SEVERITY_LOW, .fingerprint = 5, .line = 3,
                                    .file = STR("src/some/file.c"), .text = STR("odd") };

/* Every third lane needs three runs, every second a repair. */
static struct result answer_of(const struct action *action, const struct engine *engine)
{
    struct result result = { .verdict = VERDICT_CLEAN, .doc = STR("said") };

    if (action->purpose == FOR_WORK) {
        result.complete = action->lane % 3 != 0 || engine->lanes[action->lane].runs == 2;
    }
    if (action->purpose == FOR_REVIEW && action->lane % 2 == 0 && action->round == 1) {
        result.verdict = VERDICT_FINDINGS;
        result.findings = &odd;
        result.finding_count = 1;
    }
    return result;
}

/* The agent that is asked first answers first. */
static void run(struct engine *engine, uint32_t lanes)
{
    struct event event = { .kind = EV_START, .now_ms = 1,
                           .result = { .groups = &lanes, .group_count = 1 } };
    struct action *asked = malloc(20 * (size_t)lanes * sizeof *asked);
    struct actions actions = { .item = NULL };
    uint32_t first = 0, count = 0;

    engine_init(engine, &plan);
    for (;;) {
        engine_step(engine, &event, &actions);
        for (uint32_t i = 0; i < actions.count; i++) {
            if (actions.item[i].kind == ACT_START) asked[count++] = actions.item[i];
        }
        if (first == count) break;
        event = (struct event){ .kind = EV_ENDED, .now_ms = first, .job = asked[first].job,
                                .attempt = asked[first].attempt };
        event.result = answer_of(&asked[first++], engine);
    }
    actions_release(&actions);
    free(asked);
}

/* Microseconds for each lane, the best of some tries. */
static double lane_us(uint32_t lanes, int tries)
{
    double best = 1e9;

    for (int i = 0; i < tries; i++) {
        uint64_t start = now_ns();
        struct engine engine;
        double took;

        run(&engine, lanes);
        took = (double)(now_ns() - start) / 1e3 / lanes;
        if (engine.reason != REASON_CLEAN) {
            fprintf(stderr, "bench_lanes_core: the run did not end clean\n");
            exit(1);
        }
        engine_release(&engine);
        if (took < best) best = took;
    }
    return best;
}

int main(void)
{
    double hundred = lane_us(100, 4 * TRIES);

    bench_less("the engine, for a lane of 100", hundred, 20, "us");
    bench_less("  a lane of 1,000 against that", lane_us(1000, TRIES) / hundred, 2, "times");
    bench_less("the engine, for a lane of 10,000", lane_us(10000, TRIES), 20, "us");
    return 0;
}
