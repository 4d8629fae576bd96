/* SPDX-License-Identifier: Apache-2.0 */
#include "run/forecast.h"

#include "run/reviewers.h"

enum { MEASURED_RUNS_MAX = 50 };

static uint64_t part_of(uint64_t amount, uint64_t calls, uint64_t agents)
{
    double share = (double)amount / (double)calls * (double)agents;

    return share < 1e15 ? (uint64_t)share : (uint64_t)1e15;
}

/* How many tasks are named already, of a plan that fans; and in how many groups. */
static void count_tasks(const struct dialect *dialect, const struct settings *options,
                        struct forecast *out)
{
    struct run_view view = { .id = "", .task = "", .workspace = "", .settings = options };
    struct result start = { .verdict = VERDICT_CLEAN };
    struct arena arena = { 0 };
    struct err none;

    if (dialect->lanes && dialect->framing &&
        dialect->framing->start(&view, &arena, &start, &none) == 0) {
        out->groups = start.group_count;
        for (uint32_t i = 0; i < start.group_count; i++) out->tasks += start.groups[i];
    }
    arena_release(&arena);
}

/* By the newest runs, of one dialect or of any (NULL); false: there are none. */
static bool measure_by(struct journal *journal, const char *dialect, struct forecast *out)
{
    const struct reviewers_bounds bounds = { .runs_max = MEASURED_RUNS_MAX, .dialect = dialect };
    struct reviewers reviewers = { .count = 0 };
    struct err none;

    out->measured = reviewers_read(journal, &bounds, &reviewers, &none) == 0 &&
                    reviewers.calls > 0;
    if (out->measured) {
        out->by_same = dialect != NULL;
        out->by_runs = reviewers.runs;
        out->cost_micros = part_of(reviewers.usage.cost_micros, reviewers.calls,
                                   out->most.agents);
        out->took_ms = part_of(reviewers.active_ms, reviewers.calls, out->most.agents);
    }
    reviewers_release(&reviewers);
    return out->measured;
}

void forecast_make(const struct dialect *dialect, const struct settings *options,
                   const struct plan *plan, struct journal *journal, struct forecast *out)
{
    *out = (struct forecast){ .tasks = 0 };
    count_tasks(dialect, options, out);
    out->most = plan_most(plan, out->tasks);
    if (!out->most.bounded || !journal) return;
    if (!measure_by(journal, dialect->name, out)) (void)measure_by(journal, NULL, out);
}
