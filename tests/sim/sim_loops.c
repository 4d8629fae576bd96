/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_loops.c - loop files by the thousand, each made from a seed, and runs of those that pass the
 * check.
 *
 *   sim_loops [COUNT] [FIRST_SEED]
 *
 * A seed writes a loop file out of everything that the notation has, sometimes with a mistake in
 * it. A file that passes the check must make a plan that the engine takes, and its run, with
 * answers of every kind in any order, must come to an end within the bounds that `hone plan`
 * prints: agents started, rounds. Agents that are started again for an attempt that was lost come
 * on top. No person resumes these runs or answers them. Every third file has lanes; in every
 * fourth run nearly no agent dies and every look finds something, so that bounds are reached.
 *
 * The same loop is written in the notation and read again: a second engine is told the same events
 * and must ask for the same, word for word. So it is with the plans of review and cycles, as they
 * are and as the notation tells them. */
#include "shared/prng.h"
#include "trace.h"

#include "core/engine.h"
#include "dialect/custom/custom.h"
#include "dialect/dialects.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES_MAX = 1 << 20, STEPS_MAX = 200000, JOBS_MAX = 4096, WORDS = 5,
       NO_FAN = 99, TASKS = 6, LOST_PERCENT = 10 };

/* An attempt that was asked for and has not ended. */
struct asked {
    uint32_t job, attempt;
    enum purpose purpose;
};

struct sim {
    struct prng prng;
    struct arena arena;
    struct buf text;
    struct asked asked[JOBS_MAX];
    uint32_t asked_count;
    uint64_t now_ms;
    uint64_t seed;
    uint32_t minted; /* the phase that mints last, and one; 0: none does yet */
    uint32_t fan;    /* the phase that has lanes; NO_FAN: none has */
    bool worst;      /* no agent dies, and every look finds something: bounds are reached */
    const char *file;
};

static void fail(const struct sim *sim, const char *what)
{
    printf("seed %" PRIu64 ": %s\n%s\n", sim->seed, what, sim->file);
    exit(1);
}

/* ---- files ---- */

static const char *any(struct prng *prng, const char *const *words)
{
    uint32_t count = 0;

    while (words[count]) count++;
    return words[prng_below(prng, count)];
}

static void write_roles(struct sim *sim)
{
    struct prng *prng = &sim->prng;
    const char *once = sim->worst ? ", retries: {invalid: 0, failed: 0}" : "";

    buf_printf(&sim->text, "roles:\n"
               "  looks-a: {remit: look, answers: findings%s}\n"
               "  looks-b: {role: critic, answers: grade%s}\n"
               "  looks-c: {remit: look, answers: verdict%s}\n"
               "  test: {run: make test}\n", once, once, once);
    buf_printf(&sim->text, "  works: {remit: work, retries: {invalid: %u, failed: %u}%s}\n",
               sim->worst ? 0 : prng_below(prng, 3), sim->worst ? 0 : prng_below(prng, 3),
               prng_chance(prng, 30) ? ", commits: true" : "");
    buf_printf(&sim->text, "  mends: {remit: mend%s%s}\n",
               prng_chance(prng, 30) ? ", ask-when-dead: true" : "", once);
    buf_text(&sim->text, "  keeps: {commit: kept}\n");
    if (sim->fan != NO_FAN) buf_text(&sim->text, "  merges: {merge: lanes}\n"
                                                 "  draws: {remit: draw, writes: false}\n");
}

/* In up to three groups, some behind others. */
static void write_tasks(struct sim *sim)
{
    struct prng *prng = &sim->prng;
    uint32_t count = 1 + prng_below(prng, TASKS);

    buf_text(&sim->text, "tasks:\n");
    for (uint32_t i = 0; i < count; i++) {
        buf_printf(&sim->text, "  - {id: t%u, task: do %u, group: g%u%s}\n", i, i,
                   prng_chance(prng, 50) ? 0 : prng_below(prng, 3),
                   i > 0 && prng_chance(prng, 20) ? ", after: [t0]" : "");
    }
}

static void write_lanes(struct sim *sim)
{
    static const char *const bounds[] = { "stuck", "ask", "escalate", "proceed", NULL };
    static const char *const stucks[] = { "repaired", "ask", "rest", NULL };
    struct prng *prng = &sim->prng;

    buf_printf(&sim->text, "    lanes: {at-once: %u, integrate: merges}\n",
               1 + prng_below(prng, 4));
    if (prng_chance(prng, 50)) {
        buf_printf(&sim->text, "    work: {role: works, again: %u", 1 + prng_below(prng, 6));
        if (prng_chance(prng, 60)) {
            buf_printf(&sim->text, ", checkpoint: {role: looks-c, every: %u}",
                       1 + prng_below(prng, 2));
        }
        buf_text(&sim->text, "}\n");
    } else {
        buf_printf(&sim->text, "    work: {role: works, copies: %u}\n", 1 + prng_below(prng, 2));
    }
    if (prng_chance(prng, sim->worst ? 50 : 15)) return;
    buf_printf(&sim->text, "    gate:\n      reviewers: %s\n      at-bound: %s\n",
               prng_chance(prng, 50) ? "[looks-a]" : "[looks-b, looks-a, test]",
               prng_chance(prng, 97) ? any(prng, bounds) : "stop");
    if (prng_chance(prng, 80)) {
        buf_printf(&sim->text, "      repair: {role: mends, when-stuck: %s%s}\n      repairs: %u\n",
                   any(prng, stucks), prng_chance(prng, 30) ? ", then: keeps" : "",
                   prng_below(prng, 4));
    } else {
        buf_text(&sim->text, "      on-fail: proceed\n");
    }
    if (prng_chance(prng, 20)) buf_text(&sim->text, "      repeats: 2\n");
}

static void write_gate(struct sim *sim, uint32_t phase)
{
    static const char *const teams[] = { "[looks-a]", "[looks-a, looks-b]", "[test]",
                                         "[looks-a, looks-c, test]", "[looks-b, looks-a]", NULL };
    static const char *const bounds[] = { "stop", "ask", "escalate", "restart", "proceed", NULL };
    static const char *const fails[] = { "restart", "proceed", "stop", NULL };
    static const char *const calm_bounds[] = { "stop", "ask", "escalate", "proceed", NULL };
    static const char *const calm_fails[] = { "proceed", "stop", NULL };
    static const char *const stucks[] = { "repaired", "ask", "rest", NULL };
    struct prng *prng = &sim->prng;
    const char *team = any(prng, teams);
    bool lanes = sim->fan != NO_FAN, before = lanes && phase < sim->fan;

    buf_printf(&sim->text, "    gate:\n      reviewers: %s\n", team);
    if (!before && prng_chance(prng, 75)) {
        buf_printf(&sim->text, "      repair: {role: mends, when-stuck: %s%s}\n      repairs: %u\n",
                   any(prng, stucks), prng_chance(prng, 30) ? ", then: keeps" : "",
                   prng_below(prng, 5));
    } else {
        buf_printf(&sim->text, "      on-fail: %s\n", any(prng, lanes ? calm_fails : fails));
    }
    buf_printf(&sim->text, "      at-bound: %s\n", any(prng, lanes ? calm_bounds : bounds));
    if (strchr(team, ',') && prng_chance(prng, 40)) {
        buf_printf(&sim->text, "      votes: 2\n%s",
                   prng_chance(prng, 50) ? "      or: evidence\n" : "");
    }
    if (phase > 0 && prng_chance(prng, 40)) {
        buf_printf(&sim->text, "      recheck: p%u\n", prng_below(prng, phase));
    }
    if (prng_chance(prng, 25)) {
        buf_printf(&sim->text, "      mints: [s%u]\n", phase);
        sim->minted = phase + 1;
    }
    if (prng_chance(prng, 20)) buf_text(&sim->text, "      repeats: 2\n");
}

static void write_work(struct sim *sim, uint32_t phase)
{
    struct prng *prng = &sim->prng;
    bool before = sim->fan != NO_FAN && phase < sim->fan;
    const char *role = before ? "draws" : prng_chance(prng, 80) ? "works" : "keeps";

    buf_printf(&sim->text, "    work: {role: %s, copies: %u}\n", role, 1 + prng_below(prng, 3));
}

static void write_phase(struct sim *sim, uint32_t phase)
{
    struct prng *prng = &sim->prng;
    bool works = prng_chance(prng, 50);

    buf_printf(&sim->text, "  - name: p%u\n", phase);
    if (phase == sim->fan) {
        write_lanes(sim);
        return;
    }
    if (sim->minted > 0 && prng_chance(prng, 50)) {
        buf_printf(&sim->text, "    needs: [s%u]\n    work: works\n", sim->minted - 1);
        works = true;
    } else if (works) {
        write_work(sim, phase);
    }
    if (!works || prng_chance(prng, 60)) write_gate(sim, phase);
}

static void write_file(struct sim *sim)
{
    struct prng *prng = &sim->prng;
    uint32_t phases = 1 + prng_below(prng, 4);
    bool lanes = prng_chance(prng, 33);

    sim->minted = 0;
    sim->worst = prng_chance(prng, 25);
    if (lanes && sim->worst) phases = 1; /* nothing before the lanes may end it */
    sim->fan = lanes ? prng_below(prng, phases) : NO_FAN;
    buf_text(&sim->text, "about: a loop\n");
    if (prng_chance(prng, lanes ? 3 : 95)) {
        buf_printf(&sim->text, "restarts: %u\n", 1 + prng_below(prng, 3));
    }
    if (lanes && prng_chance(prng, 97)) write_tasks(sim);
    write_roles(sim);
    buf_text(&sim->text, "phases:\n");
    /* Every role has a job, or the file says too much: a first work and a last gate for those that
     * have none. */
    if (lanes) buf_text(&sim->text, "  - {name: first, work: draws}\n");
    for (uint32_t i = 0; i < phases; i++) write_phase(sim, i);
    buf_text(&sim->text, "  - name: last\n    work: works\n    gate:\n"
             "      reviewers: [looks-a, looks-b, looks-c, test]\n"
             "      repair: {role: mends, then: keeps}\n      repairs: 1\n");
    if (!lanes && prng_chance(prng, 95)) buf_text(&sim->text, "      at-bound: restart\n");
}

/* ---- runs ---- */

static struct finding any_finding(struct prng *prng)
{
    static const char *const texts[WORDS] = { "a leak of the handle", "the sum is wrong",
                                              "no test covers it", "the name lies",
                                              "a path is trusted" };
    struct finding finding = {
        .severity = (enum severity)prng_below(prng, SEVERITY_COUNT),
        .file = prng_chance(prng, 50) ? STR("a.c") : STR("b.c"),
        .text = str_of(texts[prng_below(prng, WORDS)]),
        .line = 1 + prng_below(prng, 40),
        .evidence = prng_chance(prng, 30) ? STR("seen") : STR(""),
    };

    finding.fingerprint = finding_fingerprint(&finding);
    return finding;
}

/* An end of an attempt, and what it says. */
static struct event any_end(struct sim *sim, const struct asked *asked, struct finding *findings)
{
    struct prng *prng = &sim->prng;
    struct event event = { .kind = EV_ENDED, .now_ms = sim->now_ms, .job = asked->job,
                           .attempt = asked->attempt };
    struct result *result = &event.result;
    uint32_t fate = prng_below(prng, 100);
    bool looks = asked->purpose == FOR_REVIEW || asked->purpose == FOR_CHECKPOINT;

    if (sim->worst) fate = asked->purpose == FOR_WORK && fate < 90 ? 70 : 10;
    if (fate < 5) {
        result->verdict = VERDICT_INVALID;
        result->problem = STR("no");
    } else if (fate < 9) {
        result->verdict = VERDICT_FAILED;
        result->failure = FAILURE_EXIT;
    } else if (prng_chance(prng, LOST_PERCENT)) {
        result->verdict = VERDICT_FAILED;
        result->failure = FAILURE_LOST;
    } else if (looks && fate < 65) {
        result->verdict = VERDICT_FINDINGS;
        result->findings = findings;
        result->finding_count = 1 + prng_below(prng, 3);
        for (uint32_t i = 0; i < result->finding_count; i++) findings[i] = any_finding(prng);
    } else if (asked->purpose == FOR_INTEGRATE && fate < 40) {
        result->verdict = VERDICT_FINDINGS;
        result->findings = findings;
        result->finding_count = 1;
        findings[0] = any_finding(prng);
    } else {
        result->complete = asked->purpose == FOR_WORK && fate < 60;
        result->stuck = !looks && asked->purpose != FOR_INTEGRATE && fate > 97;
        result->unchanged = asked->purpose == FOR_REPAIR && fate > 90;
    }
    result->doc = STR("said");
    return event;
}

static void note_asked(struct sim *sim, const struct actions *actions)
{
    for (uint32_t i = 0; i < actions->count; i++) {
        const struct action *action = &actions->item[i];

        if (action->kind != ACT_START) continue;
        if (sim->asked_count == JOBS_MAX) fail(sim, "too many at once");
        sim->asked[sim->asked_count++] = (struct asked){ action->job, action->attempt,
                                                         action->purpose };
    }
}

/* A run of the plan, and the same events told to an engine of the other: they ask for the same. */
static void run_both(struct sim *sim, const struct loop *loop, const struct plan *other,
                     uint64_t *steps)
{
    const struct plan *plan = &loop->plan;
    struct event event = { .kind = EV_START, .now_ms = 1,
                           .result = { .groups = loop->waves, .group_count = loop->wave_count } };
    struct plan_most most = plan_most(plan, loop->tasks.count);
    struct engine one, two;
    struct actions asked = { 0 }, again = { 0 };
    struct finding findings[4];
    struct buf text, same;
    uint64_t lost = 0; /* agents that were started once more for that */

    buf_init(&text, TEXT_BYTES_MAX);
    buf_init(&same, TEXT_BYTES_MAX);
    engine_init(&one, plan);
    engine_init(&two, other);
    sim->asked_count = 0;
    sim->now_ms = 1;
    for (uint32_t step = 0;; step++) {
        uint64_t calls = one.calls;

        engine_step(&one, &event, &asked);
        engine_step(&two, &event, &again);
        if (event.result.failure == FAILURE_LOST) lost += one.calls - calls;
        engine_check(&one);
        buf_clear(&text);
        buf_clear(&same);
        trace_actions(plan, &asked, &text);
        trace_actions(other, &again, &same);
        if (!str_eq(buf_str(&text), buf_str(&same))) fail(sim, "the notation acts otherwise");
        note_asked(sim, &asked);
        (*steps)++;
        if (one.calls > most.agents + lost) fail(sim, "more agents than the plan says");
        if (one.round_count > most.rounds) fail(sim, "more rounds than the plan says");
        if (one.state == ENGINE_ENDED) break;
        if (step > STEPS_MAX || sim->asked_count == 0) fail(sim, "it does not end");
        {
            uint32_t at = prng_below(&sim->prng, sim->asked_count);
            struct asked ended = sim->asked[at];

            sim->asked[at] = sim->asked[--sim->asked_count];
            sim->now_ms += 2000;
            event = any_end(sim, &ended, findings);
        }
    }
    actions_release(&asked);
    actions_release(&again);
    engine_release(&one);
    engine_release(&two);
    buf_release(&text);
    buf_release(&same);
}

/* The loop as the notation tells it. */
static struct loop loop_again(struct sim *sim, const struct loop *loop)
{
    struct check_report report = { 0 };
    struct loop back;
    struct buf text;

    buf_init(&text, TEXT_BYTES_MAX);
    loop_write(loop, &text);
    if (!loop_read(buf_str(&text), &sim->arena, &report, &back)) {
        printf("%s\n%s: %s\n", buf_cstr(&text), report.problems[0].code,
               report.problems[0].message);
        fail(sim, "what was written is refused");
    }
    check_report_release(&report);
    buf_release(&text);
    return back;
}

/* With a policy on top, as --until would put it there. */
static void with_policy(struct sim *sim, struct plan *plan)
{
    static const char *const names[] = { "settled", "lean", "thorough", "clean", NULL };

    for (uint32_t i = 0; i < plan->phase_count; i++) {
        if (plan->phases[i].gate.votes_min > 1) return;
    }
    plan_until(plan, policy_find(str_of(any(&sim->prng, names))), 2, &sim->arena);
}

static bool run_file(struct sim *sim, uint64_t *steps)
{
    struct check_report report = { 0 };
    struct loop loop, back;
    bool good;

    buf_init(&sim->text, TEXT_BYTES_MAX);
    write_file(sim);
    sim->file = arena_cstr(&sim->arena, buf_str(&sim->text));
    good = loop_read(buf_str(&sim->text), &sim->arena, &report, &loop);
    buf_release(&sim->text);
    if (good) {
        uint64_t state = sim->prng.state;

        if (plan_problem(&loop.plan)) fail(sim, plan_problem(&loop.plan));
        back = loop_again(sim, &loop);
        if (prng_chance(&sim->prng, 30)) {
            state = sim->prng.state;
            with_policy(sim, &loop.plan);
            sim->prng.state = state;
            with_policy(sim, &back.plan);
        }
        run_both(sim, &loop, &back.plan, steps);
    }
    check_report_release(&report);
    return good;
}

static void run_dialect(struct sim *sim, const struct dialect *dialect, uint64_t *steps)
{
    const struct settings none = { .count = 0 };
    struct loop loop, back;
    struct plan plan;
    struct err err;

    sim->file = dialect->name;
    if (dialect->plan(&none, &sim->arena, &plan, &err) != 0 ||
        loop_of_plan(dialect, &plan, &sim->arena, &loop, &err) != 0) {
        fail(sim, err.text);
    }
    back = loop_again(sim, &loop);
    loop.plan = plan;
    run_both(sim, &loop, &back.plan, steps);
}

int main(int argc, char **argv)
{
    uint64_t usual = getenv("HONE_TEST_SHORT") ? 500 : 20000;
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : usual;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1, good = 0, lanes = 0, steps = 0;
    static struct sim sim;

    for (uint64_t seed = first; seed < first + count; seed++) {
        sim.seed = seed;
        sim.prng.state = seed;
        if (run_file(&sim, &steps)) {
            good++;
            lanes += sim.fan != NO_FAN;
        }
        run_dialect(&sim, seed % 2 ? &dialect_review : &dialect_cycles, &steps);
        arena_release(&sim.arena);
    }
    if (good * 4 < count || lanes * 10 < count) {
        printf("only %" PRIu64 " of %" PRIu64 " files pass the check, %" PRIu64 " with lanes\n",
               good, count, lanes);
        return 1;
    }
    printf("%" PRIu64 " loop files, %" PRIu64 " pass the check, %" PRIu64 " of them with lanes; %"
           PRIu64 " steps within bounds\n", count, good, lanes, steps);
    return 0;
}
