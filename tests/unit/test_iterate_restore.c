/* SPDX-License-Identifier: Apache-2.0
 *
 * test_iterate_restore.c - a run out of its state file: for every step of many random walks the
 * restored run has the same file, and goes on where the file says. */
#include "base/prng.h"
#include "cases.h"
#include "nine_scene.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

/* ---- restoring ---- */

/* Feeds what a state file says into a fresh run of the same settings. 0, or the code. */
static int restore_into(struct nine *fresh, struct nine_setup setup, const char *state,
                        struct err *err)
{
    struct contract contract = { 0 };
    struct restored restored = { 0 };
    int rc;

    nine_prepare(fresh, setup);
    contract_file_add(&contract, ".agents/iteration-state.json", str_of(state));
    rc = iterate_restore(&contract, &fresh->settings, &restored, err);
    if (rc == 0) fresh->run.task = arena_cstr(&fresh->arena, str_of(restored.task));
    for (uint32_t i = 0; i < restored.count && rc == 0; i++) {
        engine_step(&fresh->engine, &restored.events[i], &fresh->actions);
        assert_true(fresh->actions.count > 0); /* each fits */
        fresh->now_ms = restored.events[i].now_ms;
    }
    contract_release(&contract);
    arena_release(&restored.arena);
    return rc;
}

/* What the file can tell of the work at hand. */
static void expect_same_place(const struct nine *run, const struct nine *fresh)
{
    const struct lane *was = &run->engine.lanes[0], *is = &fresh->engine.lanes[0];
    const struct tally *tally = &was->tallies[was->phase];
    bool over = run->engine.reason == REASON_CLEAN || run->engine.reason == REASON_NOTED;

    assert_int_equal(run->engine.iteration, fresh->engine.iteration);
    assert_int_equal(was->phase, is->phase);
    if (over) {
        assert_int_equal(is->state, LANE_OVER);
        assert_int_equal(fresh->engine.reason, run->engine.reason);
        return;
    }
    if (was->state == LANE_WORKING || was->state == LANE_JOINING) {
        assert_int_equal(is->state, LANE_WORKING);
        assert_int_equal(is->now.count, run->plan.phases[was->phase].work.copies);
    }
    if (was->state == LANE_REVIEWING) {
        assert_int_equal(is->state, LANE_REVIEWING);
        assert_int_equal(is->now.round, was->now.round);
    }
    if (was->state == LANE_REPAIRING) {
        bool told = tally->repairs == 0 && was->phase + 1 != PHASE_TEST;
        bool by_plan = run->plan.phases[was->phase].gate.on_fail == FAIL_REPAIR;
        enum lane_state repairs = by_plan ? LANE_REPAIRING : LANE_ASKING; /* who allowed it */

        assert_int_equal(is->state, told ? repairs : LANE_REVIEWING);
        if (told && by_plan && was->now.jobs[0].copy == 1) {
            assert_int_equal(is->now.count, was->now.count);
        }
        if (is->now.count) assert_int_equal(is->now.round, was->now.round);
    }
    assert_int_equal(is->tallies[is->phase].repairs, tally->repairs);
}

static void expect_restores(struct nine *run, struct nine_setup setup)
{
    const char *state = nine_state(run), *again;
    struct err err = { 0 };
    struct nine fresh;

    if (restore_into(&fresh, setup, state, &err) != 0) {
        fail_msg("%s\n%s\n%s", err.text, setup.config, state);
    }
    again = nine_state(&fresh);
    if (strcmp(state, again) != 0) {
        fail_msg("%s\n%s\nis restored as\n%s", setup.config, state, again);
    }
    expect_same_place(run, &fresh);
    nine_close(&fresh);
}

/* ---- walks ---- */

static const char *pick(struct prng *prng, const char *const *words, uint32_t count)
{
    return words[prng_below(prng, count)];
}

/* A configuration of random words, into arena. */
static const char *random_config(struct prng *prng, struct arena *arena)
{
    static const char *const failures[] = { "mini-loop", "mini-loop", "restart", "proceed",
                                            "stop" };
    static const char *const bounds[] = { "stop", "ask", "restart", "proceed" };
    static const char *const severities[] = { "LOW", "LOW", "MEDIUM", "HIGH", "NONE" };
    static const char *const retries[] = { "1", "1", "2", "3", "null" };
    static const char *const flags[] = { "true", "false" };
    struct buf text;
    const char *kept;

    buf_init(&text, 4096);
    buf_printf(&text, "{'phases':{'1':{'parallel':%s},'2':{'parallel':%s}",
               pick(prng, flags, 2), pick(prng, flags, 2));
    for (int number = 3; number <= 8; number++) {
        if (number == 4 || number == 7) continue;
        buf_printf(&text, ",'%d':{'onFailure':'%s','onMaxRetries':'%s','maxRetries':%s", number,
                   pick(prng, failures, 5), pick(prng, bounds, 4), pick(prng, retries, 5));
        if (number != 6) {
            buf_printf(&text, ",'failOnSeverity':'%s','parallelFixes':%s",
                       pick(prng, severities, 5), pick(prng, flags, 2));
        }
        buf_text(&text, "}");
    }
    buf_text(&text, "}}");
    kept = arena_cstr(arena, buf_str(&text));
    buf_release(&text);
    return kept;
}

/* What a running job may say. */
static const char *random_answer(struct nine *run, const struct job *job, struct prng *prng)
{
    static const char *const reviews[] = {
        NINE_CLEAN, NINE_CLEAN, "No issues found.", "HIGH a.c:3 broken\nLOW b.c:4 odd\n",
        "- MEDIUM x y z\n- HIGH a.c:9 n\"u\\l\n- LOW\xff z:1:2:3 t\n", "hm",
        ("{\"issues\":[{\"severity\":\"LOW\",\"message\":\"\\u0000\\n\",\"location\":\"a:1:2\"},"
         "{\"severity\":\"HIGH\",\"message\":\"m\",\"location\":\"\\u0000:5\"}]}"),
    };
    static const char *const works[] = { "done", "done\nin two lines", "fine\nSTUCK: no idea",
                                         "" };

    if (run->plan.roles[job->role].builtin) {
        return prng_chance(prng, 60) ? "exit 0\nok\n" : "exit 2\nnot ok 3\n";
    }
    if (job->purpose == FOR_REVIEW) return pick(prng, reviews, 7);
    return pick(prng, works, prng_chance(prng, 90) ? 3 : 4);
}

static void random_end(struct nine *run, struct prng *prng)
{
    const struct batch *now = &run->engine.lanes[0].now;
    uint32_t first = prng_below(prng, now->count);

    for (uint32_t i = 0; i < now->count; i++) {
        const struct job *job = &now->jobs[(first + i) % now->count];
        struct event event = { .kind = EV_ENDED, .job = job->id, .attempt = job->attempt };
        struct action action = { .kind = ACT_START, .job = job->id, .role = job->role,
                                 .purpose = job->purpose, .phase = now->phase,
                                 .iteration = now->iteration, .round = now->round,
                                 .copy = job->copy };

        if (job->state != JOB_RUNNING) continue;
        if (prng_chance(prng, 5)) {
            event.result = (struct result){ .verdict = VERDICT_FAILED, .failure = FAILURE_EXIT };
        } else {
            iterate_judge(&run->run, &action, str_of(random_answer(run, job, prng)), &run->arena,
                          &event.result);
        }
        nine_step(run, event);
        return;
    }
}

static void random_step(struct nine *run, struct prng *prng)
{
    const struct engine *engine = &run->engine;
    uint32_t dice = prng_below(prng, 100);

    run->now_ms += prng_below(prng, 100000);
    if (engine->state == ENGINE_ENDED && engine->lanes[0].state == LANE_ASKING && dice < 90) {
        nine_choose(run, (enum choice)prng_below(prng, CHOICE_COUNT));
    } else if (engine->state == ENGINE_ENDED || dice < 3) {
        nine_step(run, (struct event){ .kind = EV_RESUME });
    } else if (dice < 5) {
        nine_step(run, (struct event){ .kind = EV_STOP });
    } else if (dice < 8) {
        nine_step(run, (struct event){ .kind = EV_DRIFT });
    } else {
        random_end(run, prng);
    }
}

static bool can_go_on(const struct engine *engine)
{
    return engine->state != ENGINE_ENDED || engine_can_resume(engine);
}

TEST(every_step_of_a_random_walk_is_restored)
{
    enum { WALKS = 1000, STEPS = 60 };
    uint32_t ends[REASON_COUNT] = { 0 }, iterations = 0;

    for (uint64_t seed = 1; seed <= cases(WALKS); seed++) {
        struct prng prng = { .state = seed };
        struct arena arena = { 0 };
        struct nine_setup setup = { .config = random_config(&prng, &arena),
                                    .max_iterations = seed % 3 ? "3" : "1",
                                    .lite = prng_chance(&prng, 30) };
        struct nine run;

        nine_open(&run, setup);
        expect_restores(&run, setup);
        for (int i = 0; i < STEPS && can_go_on(&run.engine); i++) {
            random_step(&run, &prng);
            expect_restores(&run, setup);
            ends[run.engine.reason]++;
        }
        iterations += run.engine.iteration > 1;
        nine_close(&run);
        arena_release(&arena);
    }
    /* A walk that never gets anywhere would prove nothing. */
    assert_true(ends[REASON_CLEAN] > 0 && ends[REASON_NOTED] > 0 && ends[REASON_BOUND] > 0);
    assert_true(ends[REASON_WAITING] > 0 && iterations > 20);
}

/* ---- files of others, and broken ones ---- */

static void expect_refused(struct nine_setup setup, const char *state, const char *words)
{
    struct err err = { 0 };
    struct nine fresh;

    if (restore_into(&fresh, setup, state, &err) == 0) fail_msg("taken, not '%s'", words);
    assert_int_equal(err.code, ERR_FORMAT);
    if (!strstr(err.text, words) || !strstr(err.text, ".agents/iteration-state.json")) {
        fail_msg("'%s' is not in '%s'", words, err.text);
    }
    nine_close(&fresh);
}

/* The state with one piece of it replaced. */
static const char *spoilt(struct nine *run, const char *state, const char *from, const char *to)
{
    const char *at = strstr(state, from);

    if (!at) fail_msg("'%s' is not in %s", from, state);
    return arena_printf(&run->arena, "%.*s%s%s", (int)(at - state), state, to, at + strlen(from));
}

TEST(what_contradicts_itself_is_refused)
{
    static const struct {
        const char *from, *to, *words;
    } samples[] = {
        { "\"version\": 4", "\"version\": 3", "version is not 4" },
        { "\"version\": 4,", "", "version is not 4" },
        { "\"task\": \"Make it right\"", "\"task\": 7", "task is missing" },
        { "\"mode\": \"full\"", "\"mode\": \"lite\"", "mode is not full" },
        { "\"maxIterations\": 10", "\"maxIterations\": 9", "maxIterations is not 10" },
        { "\"currentIteration\": 1", "\"currentIteration\": 2", "currentIteration" },
        { "\"currentPhase\": 5", "\"currentPhase\": 6", "currentPhase" },
        { "\"startedAt\": \"2026", "\"startedAt\": \"yesterday", "startedAt" },
        { "\"iterations\": [", "\"iterations\": 3, \"x\": [", "iterations is no list" },
        { "\"completed\"", "\"done\"", "status is not pending" },
        { "\"completed\"", "\"pending\"", "a later phase was begun" },
        { "\"retryCount\": 0", "\"retryCount\": -1", "retryCount is no number" },
        { "\"retryCount\": 0", "\"retryCount\": 99999", "retryCount is no number" },
        { "\"retryCount\": 2", "\"retryCount\": 11", "retryCount is more than" },
        { "\"severity\": \"HIGH\"", "\"severity\": \"nit\"", "an issue has no severity" },
        { "\"lastIssues\": []", "\"lastIssues\": {}", "lastIssues is no list" },
        { "\"version\": 4,", "\"version\": 4,,", "line 2" },
    };
    struct nine_setup setup = { .config = NINE_SIMPLE };
    struct nine run;
    const char *good;

    nine_open(&run, setup);
    nine_reach(&run, PHASE_CODE_REVIEW);
    for (int i = 0; i < 2; i++) {
        nine_answer(&run, "code-reviewer", nine_issues(&run, "a.c:1"));
        nine_answer(&run, "fixer", "done");
    }
    expect_restores(&run, setup);
    good = nine_state(&run);
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        expect_refused(setup, spoilt(&run, good, samples[i].from, samples[i].to),
                       samples[i].words);
    }
    expect_refused(setup, "", "no JSON here");
    expect_refused(setup, "{}", "version");
    expect_refused(setup, "[]", "version");
    nine_close(&run);
}

/* Words and numbers of a file exchanged at random: it is refused in words, or gives a run. */
TEST(a_spoilt_file_is_refused_or_restored)
{
    static const char *const pieces[] = { "completed", "in_progress", "pending", "[]", "{}", "null",
                                          "0", "1", "2", "9999", "\"", ",", "HIGH", "2027" };
    enum { PIECES = sizeof pieces / sizeof *pieces, TRIES = 4000 };
    struct nine_setup setup = { .max_iterations = "3", .config =
        "{'phases':{'3':{'onFailure':'restart'},'5':{'maxRetries':2,'onMaxRetries':'ask'}}}" };
    struct prng prng = { .state = 7 };
    uint32_t taken = 0;
    const char *good;
    struct nine run;

    nine_open(&run, setup);
    nine_reach(&run, PHASE_PLAN_REVIEW);
    nine_answer(&run, "plan-reviewer", nine_issues(&run, "a.c:1"));
    nine_reach(&run, PHASE_CODE_REVIEW);
    nine_answer(&run, "code-reviewer", nine_issues(&run, "a.c:1 b.c:2"));
    good = nine_state(&run);
    for (int i = 0; i < TRIES; i++) {
        const char *from = pick(&prng, pieces, PIECES), *to = pick(&prng, pieces, PIECES);
        const char *at = strstr(good + prng_below(&prng, (uint32_t)strlen(good)), from);
        struct err err = { 0 };
        struct nine fresh;

        if (!at) continue;
        if (restore_into(&fresh, setup,
                         arena_printf(&run.arena, "%.*s%s%s", (int)(at - good), good, to,
                                      at + strlen(from)), &err) == 0) {
            nine_state(&fresh);
            taken++;
        } else {
            assert_int_equal(err.code, ERR_FORMAT);
            assert_true(err.text[0] != '\0');
        }
        nine_close(&fresh);
    }
    assert_in_range(taken, 1, TRIES / 2);
    nine_close(&run);
}

TEST(retries_survive_and_the_next_repair_counts_on)
{
    struct nine_setup setup = { .config = NINE_SIMPLE };
    struct err err = { 0 };
    struct nine run, fresh;

    nine_open(&run, setup);
    nine_reach(&run, PHASE_CODE_REVIEW);
    nine_answer(&run, "code-reviewer", nine_issues(&run, "a.c:1 b.c:2"));
    nine_answer(&run, "fixer", "one");
    nine_answer(&run, "fixer", "two");
    assert_int_equal(restore_into(&fresh, setup, nine_state(&run), &err), 0);
    assert_int_equal(nine_action(&fresh, "code-reviewer").round, 2);
    nine_answer(&fresh, "code-reviewer", nine_issues(&fresh, "a.c:1"));
    assert_int_equal(nine_action(&fresh, "fixer").round, 2);
    nine_answer(&fresh, "fixer", "three");
    assert_non_null(strstr(nine_state(&fresh), "\"retryCount\": 2"));
    nine_close(&fresh);
    nine_close(&run);
}

TEST(a_missing_file_is_named)
{
    struct contract none = { 0 };
    struct restored restored = { 0 };
    struct settings settings = { 0 };
    struct err err = { 0 };

    assert_int_equal(iterate_restore(&none, &settings, &restored, &err), ERR_FORMAT);
    assert_string_equal(err.text, ".agents/iteration-state.json: it is not there");
    arena_release(&restored.arena);
}
