/* SPDX-License-Identifier: Apache-2.0
 *
 * metrics.c - a repository's runs as Prometheus metrics.
 *
 * 1. How many series there are follows from the plan and from the dialects that were run, not from
 *    how often: no label has the name of a run, of a file or of a finding. A state that no run is
 *    in has a series with 0, so that a series does not come and go.
 * 2. What is said of all runs are gauges: old runs are removed (keepRuns), so those numbers fall.
 *    What is said of the run that is looked at counts up while it goes on, and begins again at 0
 *    with the next run: that is what a counter does, so rate() and increase() hold over runs.
 * 3. Cost and tokens are what agents report: 0 where none does.
 *
 * Not here: the text format (format/observe/metrics.c). */
#include "report/metrics.h"

#include "format/json/finding_json.h"
#include "format/observe/metrics.h"
#include "format/report/listing.h"

#include <string.h>

enum { MS_DIGITS = 3, MICROS_DIGITS = 6, DIALECTS_MAX = 64, GROUPS_MAX = 512 };

const char *run_state_word(enum standing standing, enum reason reason)
{
    switch (standing) {
    case STANDING_RUNNING:
        return "running";
    case STANDING_CRASHED:
        return "crashed";
    case STANDING_ENDED:
        break;
    }
    return reason_word(reason);
}

/* The nth state that a run can be in, from 0; NULL behind the last. */
static const char *state_at(uint32_t nth)
{
    if (nth == 0) return "running";
    if (nth == 1) return "crashed";
    return nth - 1 < REASON_COUNT ? reason_word((enum reason)(nth - 1)) : NULL;
}

static void put_one(struct buf *out, const struct metrics *metrics, const struct metric *metric,
                    uint64_t value, uint32_t digits)
{
    const struct metric_label labels[] = {
        { "workspace", str_of(metrics->workspace) },
        { "dialect", str_of(metrics->status->look->run.dialect) },
        { .name = NULL },
    };

    metric_head(out, metric);
    metric_sample(out, metric, labels, value, digits);
}

/* A sample of the run that is looked at, with one label more. */
static void put_with(struct buf *out, const struct metrics *metrics, const struct metric *metric,
                     struct metric_label label, uint64_t value)
{
    const struct metric_label labels[] = {
        { "workspace", str_of(metrics->workspace) },
        { "dialect", str_of(metrics->status->look->run.dialect) },
        label,
        { .name = NULL },
    };

    metric_sample(out, metric, labels, value, 0);
}

/* ---- all runs ---- */

static bool is_first_of_dialect(const struct metrics *metrics, uint32_t at)
{
    for (uint32_t i = 0; i < at; i++) {
        if (strcmp(metrics->runs[i].dialect, metrics->runs[at].dialect) == 0) return false;
    }
    return true;
}

static uint32_t count_runs(const struct metrics *metrics, const char *dialect, const char *state)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < metrics->run_count; i++) {
        count += strcmp(metrics->runs[i].dialect, dialect) == 0 &&
                 strcmp(metrics->runs[i].state, state) == 0;
    }
    return count;
}

static void put_runs(struct buf *out, const struct metrics *metrics)
{
    static const struct metric runs = {
        "hone_runs", "gauge", "Runs that the repository's journal holds, by how they stand.",
    };
    uint32_t known = 0;

    metric_head(out, &runs);
    for (uint32_t i = 0; i < metrics->run_count && known < DIALECTS_MAX; i++) {
        if (!is_first_of_dialect(metrics, i)) continue;
        known++;
        for (uint32_t k = 0; state_at(k); k++) {
            const struct metric_label labels[] = {
                { "workspace", str_of(metrics->workspace) },
                { "dialect", str_of(metrics->runs[i].dialect) },
                { "state", str_of(state_at(k)) },
                { .name = NULL },
            };

            metric_sample(out, &runs, labels,
                          count_runs(metrics, metrics->runs[i].dialect, state_at(k)), 0);
        }
    }
}

/* ---- the run that is looked at ---- */

static void put_state(struct buf *out, const struct metrics *metrics)
{
    static const struct metric state = {
        "hone_run_state", "gauge", "How the newest run stands: 1 for the state that it is in.",
    };
    const struct look *look = metrics->status->look;
    const char *now = run_state_word(standing_of(&look->run, look->alive), look->run.reason);

    metric_head(out, &state);
    for (uint32_t i = 0; state_at(i); i++) {
        put_with(out, metrics, &state, (struct metric_label){ "state", str_of(state_at(i)) },
                 strcmp(state_at(i), now) == 0);
    }
}

static void put_times(struct buf *out, const struct metrics *metrics)
{
    static const struct metric began = {
        "hone_run_start_time_seconds", "gauge", "When the newest run began, in Unix time.",
    };
    static const struct metric newest = {
        "hone_run_last_event_time_seconds", "gauge",
        "When the newest run last wrote to its journal, in Unix time.",
    };
    static const struct metric active = {
        "hone_run_active_seconds_total", "counter",
        "Seconds that the newest run has been at work, resumes included.",
    };
    const struct journal_run *run = &metrics->status->look->run;
    const struct engine *engine = &metrics->status->replay->engine;

    put_one(out, metrics, &began, run->created_ms, MS_DIGITS);
    put_one(out, metrics, &newest, run->updated_ms, MS_DIGITS);
    put_one(out, metrics, &active, engine->active_ms + status_more_ms(metrics->status), MS_DIGITS);
}

static void put_usage(struct buf *out, const struct metrics *metrics)
{
    static const struct metric rounds = {
        "hone_run_rounds_total", "counter", "Reviews that the newest run has begun.",
    };
    static const struct metric calls = {
        "hone_run_agent_starts_total", "counter",
        "Agents that the newest run has started, as its budget counts them.",
    };
    static const struct metric cost = {
        "hone_run_cost_usd_total", "counter",
        "Dollars that the agents of the newest run report to have cost.",
    };
    static const struct metric tokens = {
        "hone_run_tokens_total", "counter",
        "Tokens that the agents of the newest run report to have read and written.",
    };
    const struct engine *engine = &metrics->status->replay->engine;

    put_one(out, metrics, &rounds, engine->round_count, 0);
    put_one(out, metrics, &calls, engine->calls, 0);
    put_one(out, metrics, &cost, engine->usage.cost_micros, MICROS_DIGITS);
    metric_head(out, &tokens);
    put_with(out, metrics, &tokens, (struct metric_label){ "direction", STR("input") },
             engine->usage.tokens_in);
    put_with(out, metrics, &tokens, (struct metric_label){ "direction", STR("output") },
             engine->usage.tokens_out);
}

static void put_agents(struct buf *out, const struct metrics *metrics)
{
    static const struct metric agents = {
        "hone_run_agents", "gauge",
        "Agents of the newest run that are at work, or wait until their service can serve.",
    };
    const struct status *status = metrics->status;
    const struct engine *engine = &status->replay->engine;
    uint64_t running = 0, waiting = 0;

    for (uint32_t i = 0; status->look->alive && i < engine->lane_count; i++) {
        const struct batch *now = &engine->lanes[i].now;

        for (uint32_t k = 0; k < now->count; k++) {
            if (now->jobs[k].state != JOB_RUNNING) continue;
            if (status_waits(&now->jobs[k], status->now_ms)) waiting++;
            else running++;
        }
    }
    metric_head(out, &agents);
    put_with(out, metrics, &agents, (struct metric_label){ "state", STR("running") }, running);
    put_with(out, metrics, &agents, (struct metric_label){ "state", STR("waiting") }, waiting);
}

static void put_findings(struct buf *out, const struct metrics *metrics)
{
    static const struct metric findings = {
        "hone_run_findings", "gauge", "Findings of the newest run, by what has become of them.",
    };
    static const struct metric open = {
        "hone_run_open_findings", "gauge", "Findings of the newest run that are open.",
    };
    struct listing_counts counts = ledger_faults(&metrics->status->replay->engine.ledger);

    metric_head(out, &findings);
    for (uint32_t i = 0; i < FINDING_STATE_COUNT; i++) {
        put_with(out, metrics, &findings, (struct metric_label){
            "state", str_of(finding_state_word((enum finding_state)i)) }, counts.states[i]);
    }
    metric_head(out, &open);
    for (uint32_t i = SEVERITY_COUNT; i-- > 0;) {
        put_with(out, metrics, &open, (struct metric_label){
            "severity", str_of(severity_word((enum severity)i)) }, counts.open[i]);
    }
}

/* ---- attempts ---- */

/* Attempts that are counted together. */
struct attempt_group {
    uint16_t role;
    const char *by;
    enum verdict verdict;
    uint64_t count;
};

static struct attempt_group *group_of(struct attempt_group *groups, uint32_t *count,
                                      const struct entry *entry)
{
    for (uint32_t i = 0; i < *count; i++) {
        if (groups[i].role == entry->start.role && groups[i].verdict == entry->verdict &&
            strcmp(groups[i].by, entry->by) == 0) return &groups[i];
    }
    if (*count == GROUPS_MAX) return NULL;
    groups[*count] = (struct attempt_group){ .role = entry->start.role, .by = entry->by,
                                             .verdict = entry->verdict };
    return &groups[(*count)++];
}

static void put_attempts(struct buf *out, const struct metrics *metrics)
{
    static const struct metric attempts = {
        "hone_run_attempts_total", "counter",
        "Attempts of the newest run that have ended, by role, backend and verdict.",
    };
    const struct history *history = metrics->status->history;
    const struct plan *plan = &metrics->status->replay->plan;
    struct attempt_group groups[GROUPS_MAX];
    uint32_t count = 0;

    for (uint32_t i = 0; i < history->count; i++) {
        struct attempt_group *group = NULL;

        if (history->entries[i].ended_ms) group = group_of(groups, &count, &history->entries[i]);
        if (group) group->count++;
    }
    metric_head(out, &attempts);
    for (uint32_t i = 0; i < count; i++) {
        const struct metric_label labels[] = {
            { "workspace", str_of(metrics->workspace) },
            { "dialect", str_of(metrics->status->look->run.dialect) },
            { "role", str_of(plan->roles[groups[i].role].name) },
            { "backend", str_of(groups[i].by) },
            { "verdict", str_of(verdict_word(groups[i].verdict)) },
            { .name = NULL },
        };

        metric_sample(out, &attempts, labels, groups[i].count, 0);
    }
}

void metrics_write(const struct metrics *metrics, struct buf *out)
{
    static const struct metric build = {
        "hone_build_info", "gauge", "The version of hone that wrote this.",
    };
    const struct metric_label version[] = {
        { "version", str_of(metrics->version) }, { .name = NULL },
    };

    metric_head(out, &build);
    metric_sample(out, &build, version, 1, 0);
    put_runs(out, metrics);
    if (!metrics->status) return;
    put_state(out, metrics);
    put_times(out, metrics);
    put_usage(out, metrics);
    put_agents(out, metrics);
    put_findings(out, metrics);
    put_attempts(out, metrics);
}
