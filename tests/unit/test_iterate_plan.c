/* SPDX-License-Identifier: Apache-2.0
 *
 * test_iterate_plan.c - iterate's plan from its configuration, and what the engine makes of it:
 * every way to fail, every threshold, every way at the bound. In the texts ' stands for ". */
#include "iterate_reading.h"
#include "nine_scene.h"
#include "test.h"

#include <string.h>

/* A run of the real plan. Every answer is clean, but for the gates of one phase: they find
 * something of one severity, as long as that is at or above the phase's threshold. */
struct play {
    struct arena arena;
    struct iterate_config config;
    struct plan plan;
    struct engine engine;
    struct actions actions;
    uint64_t now_ms;
    uint32_t number;        /* the phase that finds something */
    enum severity severity;
    uint32_t findings_max;  /* so often; then it is clean */
    bool stuck;             /* its fixer says so */
    uint32_t reviews, repairs, works; /* of that phase; jobs of phase 1 */
};

static struct settings settings_of(struct config_text *file, struct arena *arena, const char *text)
{
    *file = (struct config_text){ READING_PROJECT, str_of(reading_quoted(arena, text)) };
    return (struct settings){ .files = file, .file_count = 1 };
}

static void play_open(struct play *play, const char *config, const char *iterations, bool lite)
{
    struct setting items[2] = { { "max-iterations", iterations }, { "lite", "true" } };
    struct config_text file;
    struct settings settings;
    struct err err = { 0 };

    *play = (struct play){ .now_ms = 1000, .findings_max = UINT32_MAX,
                           .severity = SEVERITY_HIGH };
    settings = settings_of(&file, &play->arena, config);
    settings.items = items;
    settings.count = lite ? 2 : 1;
    assert_int_equal(iterate_plan(&settings, &play->arena, &play->plan, &err), 0);
    assert_null(plan_problem(&play->plan));
    iterate_config_read(&settings, &play->arena, &play->config);
    engine_init(&play->engine, &play->plan);
}

static void play_close(struct play *play)
{
    engine_release(&play->engine);
    actions_release(&play->actions);
    arena_release(&play->arena);
}

static void play_step(struct play *play, struct event event)
{
    event.now_ms = ++play->now_ms;
    engine_step(&play->engine, &event, &play->actions);
}

static struct result play_result(struct play *play, const struct job *job, uint32_t number)
{
    static const struct finding findings[SEVERITY_COUNT] = {
        { .severity = SEVERITY_LOW }, { .severity = SEVERITY_MEDIUM },
        { .severity = SEVERITY_HIGH },
    };
    struct result result = { .verdict = VERDICT_CLEAN };

    play->works += number == PHASE_BRAINSTORM && job->purpose != FOR_JOIN;
    if (number != play->number) return result;
    if (job->purpose == FOR_REPAIR) {
        play->repairs++;
        result.stuck = play->stuck;
    } else if (job->purpose == FOR_REVIEW && play->reviews++ < play->findings_max &&
               play->severity >= iterate_threshold(&play->config, number)) {
        result.verdict = VERDICT_FINDINGS;
        result.findings = &findings[play->severity];
        result.finding_count = 1;
        result.fix_groups = 2;
    }
    return result;
}

/* Until the run ends, or the steps do; how it ended. */
static enum reason play_on(struct play *play, struct event first)
{
    play_step(play, first);
    for (uint32_t steps = 0; steps < 2000 && play->engine.state == ENGINE_RUNNING; steps++) {
        const struct batch *now = &play->engine.lanes[0].now;
        uint32_t number = iterate_phase_number(now->phase), i = 0;
        while (i < now->count && now->jobs[i].state != JOB_RUNNING) i++;
        assert_true(i < now->count);
        play_step(play, (struct event){ .kind = EV_ENDED, .job = now->jobs[i].id,
                                        .attempt = now->jobs[i].attempt,
                                        .result = play_result(play, &now->jobs[i], number) });
    }
    return play->engine.state == ENGINE_ENDED ? play->engine.reason : REASON_NONE;
}

static enum reason play_all(struct play *play)
{
    return play_on(play, (struct event){ .kind = EV_START });
}

/* ---- the shape ---- */

TEST(nine_phases_alternate_work_and_gates)
{
    static const uint16_t workers[] = {
        ITERATE_BRAINSTORMER, ITERATE_PLANNER, 0, ITERATE_IMPLEMENTER, 0, 0, ITERATE_SIMPLIFIER,
        0, 0,
    };
    static const uint16_t reviewers[] = {
        0, 0, ITERATE_PLAN_REVIEWER, 0, ITERATE_CODE_REVIEWER, ITERATE_TEST, 0,
        ITERATE_FINAL_REVIEWER, ITERATE_CODEX_FINAL,
    };
    static const uint32_t copies[] = { 2, 2, 0, 1, 0, 0, 1, 0, 0 };
    static const enum on_fail on_fail[] = { 0, 0, FAIL_RESTART, 0, FAIL_REPAIR, FAIL_RESTART, 0,
                                            FAIL_RESTART, FAIL_STOP };
    struct play play;

    play_open(&play, "{}", "10", false);
    assert_int_equal(play.plan.phase_count, 9);
    assert_int_equal(play.plan.iteration_max, 10);
    for (uint32_t i = 0; i < 9; i++) {
        const struct phase *phase = &play.plan.phases[i];
        bool repairs = i == 2 || i == 4 || i == 5 || i == 7;
        assert_int_equal(phase->name[0], '1' + i);
        assert_int_equal(phase->name[1], 0);
        assert_int_equal(phase->work.role, workers[i]);
        assert_int_equal(phase->work.copies, copies[i]);
        assert_int_equal(phase->gate.reviewer_count, reviewers[i] ? 1 : 0);
        if (!reviewers[i]) continue;
        assert_int_equal(phase->gate.reviewers[0], reviewers[i]);
        assert_int_equal(phase->gate.on_fail, on_fail[i]);
        assert_int_equal(phase->gate.at_bound, BOUND_STOP);
        assert_int_equal(phase->gate.recheck, i);
        assert_int_equal(phase->gate.repair.role, repairs ? ITERATE_FIXER : ROLE_NONE);
        assert_int_equal(phase->gate.repair_max, repairs ? 10 : 0);
        assert_int_equal(phase->gate.repair.by_groups, i == 4 || i == 7);
        if (repairs) assert_int_equal(phase->gate.repair.on_stuck, STUCK_ASK);
    }
    play_close(&play);
}

TEST(reviewers_write_nothing_and_hone_runs_the_tests)
{
    static const char *const names[] = {
        "", "brainstormer", "planner", "plan-reviewer", "implementer", "code-reviewer", "test",
        "simplifier", "final-reviewer", "fixer", "codex-final",
    };
    struct play play;

    play_open(&play, "{}", "10", false);
    assert_int_equal(play.plan.role_count, ITERATE_ROLE_COUNT);
    for (uint16_t i = 1; i < ITERATE_ROLE_COUNT; i++) {
        const struct role *role = &play.plan.roles[i];
        bool reviews = strstr(names[i], "review") || i == ITERATE_CODEX_FINAL;
        assert_string_equal(role->name, names[i]);
        assert_string_equal(iterate_role_name(i), names[i]);
        assert_int_equal(role->writes, !reviews);
        assert_false(role->commits);
        assert_int_equal(role->builtin, i == ITERATE_TEST);
        assert_int_equal(role->invalid_max, i == ITERATE_TEST ? 0 : 1);
        assert_int_equal(role->failed_max, i == ITERATE_TEST ? 0 : 1);
    }
    play_close(&play);
}

TEST(lite_mode_has_neither_phase_9_nor_a_role_for_it)
{
    struct play play;

    play_open(&play, "{}", "10", true);
    assert_int_equal(play.plan.phase_count, 8);
    for (uint32_t i = 1; i < play.plan.role_count; i++) {
        assert_string_not_equal(play.plan.roles[i].name, "codex-final");
    }
    assert_int_equal(play_all(&play), REASON_CLEAN);
    play_close(&play);
}

TEST(phases_have_the_names_of_the_contract)
{
    static const char *const names[] = {
        "Brainstorm", "Plan", "Plan Review", "Implement", "Code Review", "Test", "Simplify",
        "Final Review", "Codex Final",
    };

    for (uint32_t i = 0; i < 9; i++) {
        assert_int_equal(iterate_phase_number(i), i + 1);
        assert_string_equal(iterate_phase_name(i + 1), names[i]);
    }
}

TEST(parallel_off_is_one_agent_and_no_join)
{
    struct play play;

    play_open(&play, "{'phases':{'1':{'parallel':false},'4':{'parallel':true},"
              "'7':{'parallel':true}}}", "10", false);
    assert_int_equal(play.plan.phases[0].work.copies, 1);
    assert_int_equal(play.plan.phases[1].work.copies, 2);
    assert_int_equal(play.plan.phases[3].work.copies, 1);
    assert_int_equal(play.plan.phases[6].work.copies, 1);
    play_close(&play);
}

TEST(an_option_that_is_wrong_is_refused_by_name)
{
    static const struct setting rows[] = {
        { "max-iterations", "0" },   { "max-iterations", "-1" },  { "max-iterations", "1001" },
        { "max-iterations", "" },    { "max-iterations", "ten" }, { "max-iterations", NULL },
        { "max-rounds", "3" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct settings settings = { .items = &rows[i], .count = 1 };
        struct arena arena = { 0 };
        struct err err = { 0 };
        struct plan plan;
        assert_int_equal(iterate_plan(&settings, &arena, &plan, &err), ERR_USAGE);
        assert_non_null(strstr(err.text, rows[i].name));
        arena_release(&arena);
    }
}

/* ---- the engine on it ---- */

TEST(work_that_nobody_faults_ends_clean)
{
    struct play play;

    play_open(&play, "{}", "10", false);
    assert_int_equal(play_all(&play), REASON_CLEAN);
    assert_int_equal(play.engine.iteration, 1);
    assert_int_equal(play.works, 2);
    play_close(&play);
}

struct row {
    uint32_t number;
    const struct iterate_word *on_failure, *threshold, *at_bound;
    uint32_t retries; /* NO_BOUND: null */
};

/* What the contract says must come of a phase that finds something whenever it looks. */
static void check_row(const struct row *row, enum severity severity)
{
    enum { ITERATIONS = 2 };
    bool fails = row->number == PHASE_TEST || severity >= row->threshold->number;
    uint32_t fixes = row->retries, reviews, repairs = 0, iterations = 1;
    enum on_fail on_fail = (enum on_fail)row->on_failure->number;
    enum at_bound at_bound = (enum at_bound)row->at_bound->number;
    enum reason reason = REASON_CLEAN, ended;
    struct arena arena = { 0 };
    struct play play;
    const char *more = row->number == PHASE_TEST ? ""
        : arena_printf(&arena, ",'failOnSeverity':'%s'", row->threshold->word);
    const char *retries = row->retries == NO_BOUND ? "null"
        : arena_printf(&arena, "%u", (unsigned)row->retries);

    play_open(&play, arena_printf(&arena, "{'phases':{'%u':{'onFailure':'%s','onMaxRetries':'%s',"
              "'maxRetries':%s%s}}}", (unsigned)row->number, row->on_failure->word,
              row->at_bound->word, retries, more), "2", false);
    play.number = row->number;
    play.severity = severity;
    if (row->retries == NO_BOUND) play.findings_max = fixes = 25; /* far behind any default */
    reviews = 1;
    if (fails && on_fail == FAIL_STOP) reason = REASON_BOUND;
    if (fails && on_fail == FAIL_RESTART) {
        iterations = ITERATIONS;
        reviews = ITERATIONS;
    }
    if (fails && on_fail == FAIL_REPAIR) {
        reviews = fixes + 1;
        repairs = fixes;
        if (at_bound == BOUND_RESTART && row->retries != NO_BOUND) {
            iterations = ITERATIONS;
            reviews *= ITERATIONS;
            repairs *= ITERATIONS;
        }
    }
    if (fails && ((on_fail == FAIL_REPAIR && row->retries != NO_BOUND) ||
                  on_fail == FAIL_RESTART)) {
        reason = at_bound == BOUND_ASK ? REASON_WAITING
               : at_bound == BOUND_PROCEED ? REASON_CLEAN /* a later gate passed */
               : REASON_BOUND;
    }
    ended = play_all(&play);
    assert_int_equal(ended, reason);
    assert_int_equal(play.reviews, reviews);
    assert_int_equal(play.repairs, repairs * (iterate_divides(row->number) ? 2 : 1));
    assert_int_equal(play.engine.iteration, iterations);
    play_close(&play);
    arena_release(&arena);
}

TEST(every_failure_threshold_and_bound_does_what_the_contract_says)
{
    static const uint32_t numbers[] = { 3, 5, 6, 8 }, retries[] = { 0, 1, 3, NO_BOUND };
    const struct iterate_word *fails = iterate_fields[FIELD_ON_FAILURE].words;
    const struct iterate_word *thresholds = iterate_fields[FIELD_FAIL_ON_SEVERITY].words;
    const struct iterate_word *bounds = iterate_fields[FIELD_ON_MAX_RETRIES].words;
    uint32_t count = 0;

    for (uint32_t n = 0; n < 4; n++) {
        for (uint32_t i = 0; i < 4 * 4 * 4 * 4 * SEVERITY_COUNT; i++) {
            struct row row = {
                .number = numbers[n],
                .on_failure = &fails[i % 4],
                .threshold = &thresholds[i / 4 % 4],
                .at_bound = &bounds[i / 16 % 4],
                .retries = retries[i / 64 % 4],
            };
            check_row(&row, (enum severity)(i / 256));
            count++;
        }
    }
    assert_int_equal(count, 3072);
}

TEST(findings_noted_by_the_last_gate_do_not_pass_for_clean)
{
    struct play play;

    play_open(&play, "{'phases':{'8':{'onFailure':'proceed'}}}", "10", true);
    play.number = PHASE_FINAL_REVIEW;
    assert_int_equal(play_all(&play), REASON_NOTED);
    play_close(&play);
    play_open(&play, "{'phases':{'8':{'onMaxRetries':'proceed'}}}", "1", true);
    play.number = PHASE_FINAL_REVIEW;
    assert_int_equal(play_all(&play), REASON_NOTED);
    play_close(&play);
}

TEST(phase_9_looks_once_and_goes_by_the_review_defaults)
{
    static const struct { const char *config; enum reason reason; } rows[] = {
        { "{}", REASON_BOUND },
        { "{'reviewDefaults':{'failOnSeverity':'MEDIUM','onMaxRetries':'restart'}}", REASON_BOUND },
        { "{'reviewDefaults':{'failOnSeverity':'HIGH'}}", REASON_CLEAN },
        { "{'reviewDefaults':{'failOnSeverity':'NONE'}}", REASON_CLEAN },
        { "{'phases':{'8':{'failOnSeverity':'NONE'}}}", REASON_BOUND },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct play play;
        play_open(&play, rows[i].config, "10", false);
        play.number = PHASE_CODEX_FINAL;
        play.severity = SEVERITY_MEDIUM;
        assert_int_equal(play_all(&play), rows[i].reason);
        assert_int_equal(play.reviews, 1);
        assert_int_equal(play.repairs, 0);
        assert_int_equal(play.engine.iteration, 1);
        play_close(&play);
    }
}

TEST(parallel_fixes_off_is_one_fixer_for_all)
{
    struct play play;

    play_open(&play, "{'phases':{'5':{'parallelFixes':false}}}", "10", false);
    play.number = PHASE_CODE_REVIEW;
    play.findings_max = 1;
    assert_int_equal(play_all(&play), REASON_CLEAN);
    assert_int_equal(play.repairs, 1);
    play_close(&play);
}

TEST(a_fixer_that_is_stuck_asks_and_the_user_decides)
{
    struct play play;

    play_open(&play, "{}", "10", false);
    play.number = PHASE_CODE_REVIEW;
    play.stuck = true;
    assert_int_equal(play_all(&play), REASON_WAITING);
    assert_int_equal(play.engine.lanes[0].question, ASK_STUCK);
    assert_int_equal(play.reviews, 1);
    play.stuck = false;
    play.findings_max = 1;
    assert_int_equal(play_on(&play, (struct event){ .kind = EV_ANSWER,
                                                    .choice = CHOICE_CONTINUE }), REASON_CLEAN);
    assert_int_equal(play.reviews, 2);
    play_close(&play);
}

TEST(an_answer_at_the_bound_grants_one_more_repair)
{
    struct play play;

    play_open(&play, "{'phases':{'5':{'maxRetries':1,'onMaxRetries':'ask'}}}", "10", false);
    play.number = PHASE_CODE_REVIEW;
    assert_int_equal(play_all(&play), REASON_WAITING);
    assert_int_equal(play.reviews, 2);
    assert_int_equal(play_on(&play, (struct event){ .kind = EV_ANSWER,
                                                    .choice = CHOICE_CONTINUE }), REASON_WAITING);
    assert_int_equal(play.reviews, 3);
    assert_int_equal(play_on(&play, (struct event){ .kind = EV_ANSWER,
                                                    .choice = CHOICE_ACCEPT }), REASON_CLEAN);
    play_close(&play);
}

/* ---- several reviewers of the code ---- */

#define PERF "---\ndescription: finds what is slow\nagent: cmd:./perf\n---\n- A query in a loop.\n"

TEST(the_user_names_who_reviews_the_code)
{
    struct nine nine;
    const struct gate *gate;

    nine_open(&nine, (struct nine_setup){ .reviewers = "perf,code-reviewer", .role = PERF });
    gate = &nine.plan.phases[PHASE_CODE_REVIEW - 1].gate;
    assert_int_equal(gate->reviewer_count, 2);
    assert_int_equal(gate->reviewers[0], ITERATE_ROLE_COUNT);
    assert_int_equal(gate->reviewers[1], ITERATE_CODE_REVIEWER);
    assert_false(gate->repair.by_groups);
    assert_string_equal(nine.plan.roles[ITERATE_ROLE_COUNT].name, "perf");
    assert_int_equal(nine.plan.role_count, ITERATE_ROLE_COUNT + 1);
    assert_int_equal(iterate_kind(&nine.plan, ITERATE_ROLE_COUNT), ITERATE_CODE_REVIEWER);
    assert_int_equal(nine.plan.phases[PHASE_FINAL_REVIEW - 1].gate.reviewer_count, 1);
    assert_null(plan_problem(&nine.plan));
    nine_close(&nine);
}

TEST(in_lite_mode_a_named_reviewer_is_no_last_one)
{
    struct nine nine;

    nine_open(&nine, (struct nine_setup){ .reviewers = "code-reviewer,perf", .role = PERF,
                                          .lite = true });
    assert_int_equal(nine.plan.role_count, ITERATE_CODEX_FINAL + 1);
    assert_string_equal(nine.plan.roles[ITERATE_CODEX_FINAL].name, "perf");
    assert_int_equal(iterate_kind(&nine.plan, ITERATE_CODEX_FINAL), ITERATE_CODE_REVIEWER);
    assert_null(plan_problem(&nine.plan));
    nine_close(&nine);
    nine_open(&nine, (struct nine_setup){ .reviewers = "perf", .role = PERF });
    assert_string_equal(nine.plan.roles[ITERATE_CODE_REVIEWER].name, "perf");
    assert_int_equal(nine.plan.role_count, ITERATE_ROLE_COUNT);
    nine_close(&nine);
}

TEST(a_role_file_names_its_agent_and_phase_5_its_model)
{
    struct nine nine;

    nine_open(&nine, (struct nine_setup){ .reviewers = "code-reviewer,perf", .role = PERF,
                                          .config = "{'phases':{'5':{'model':'opus'}}}" });
    assert_string_equal(iterate_agent(&nine.settings, "perf", 0, &nine.arena), "cmd:./perf");
    assert_string_equal(iterate_agent(&nine.settings, "code-reviewer", 0, &nine.arena),
                        "claude:opus");
    nine_close(&nine);
    nine_open(&nine, (struct nine_setup){ .reviewers = "perf", .role = "Look.\n",
                                          .config = "{'phases':{'5':{'model':'opus'}}}" });
    assert_string_equal(iterate_agent(&nine.settings, "perf", 0, &nine.arena), "claude:opus");
    nine_close(&nine);
}
