/* SPDX-License-Identifier: Apache-2.0
 *
 * test_iterate_bounds.c - every onFailure with every failOnSeverity and every onMaxRetries: where
 * a review that keeps finding the same leads. What is expected is told anew here, from the seed's
 * own flow, and not by the plan. */
#include "nine_scene.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

enum { FAILURES = 4, SEVERITIES = 4, BOUNDS = 4, RETRIES = 2 };

static const char *const failures[FAILURES] = { "mini-loop", "restart", "proceed", "stop" };
static const char *const severities[SEVERITIES] = { "LOW", "MEDIUM", "HIGH", "NONE" };
static const char *const bounds[BOUNDS] = { "stop", "ask", "restart", "proceed" };

struct sample {
    const char *failure, *severity, *bound;
    uint32_t found; /* 0 LOW to 2 HIGH */
    bool may_restart;
};

static bool is(const char *a, const char *b) { return strcmp(a, b) == 0; }

/* In which phase and how the run stands when the phase is done with. */
static const char *expected_of(const struct sample *sample)
{
    uint32_t threshold = 0;

    while (!is(severities[threshold], sample->severity)) threshold++;
    if (sample->found < threshold) return "goes on noted"; /* passed over, and not clean */
    if (is(sample->failure, "proceed")) return "goes on noted";
    if (is(sample->failure, "stop")) return "stopped";
    if (is(sample->failure, "restart") && sample->may_restart) return "restarted";
    if (is(sample->bound, "stop")) return "stopped";
    if (is(sample->bound, "ask")) return "asks";
    if (is(sample->bound, "proceed")) return "goes on noted";
    return sample->may_restart ? "restarted" : "stopped";
}

static const char *standing_of(const struct nine *nine, uint32_t number)
{
    const struct engine *engine = &nine->engine;

    if (engine->reason == REASON_BOUND) return "stopped";
    if (engine->reason == REASON_WAITING) return "asks";
    if (engine->iteration > 1) return "restarted";
    if (iterate_phase_number(engine->lanes[0].phase) != number + 1) return "nowhere";
    return engine->lanes[0].noted ? "goes on noted" : "goes on clean";
}

/* How many repairs it took to come there. */
static uint32_t repairs_of(const struct sample *sample)
{
    uint32_t threshold = 0;

    while (!is(severities[threshold], sample->severity)) threshold++;
    return sample->found < threshold || !is(sample->failure, "mini-loop") ? 0 : RETRIES;
}

static void play(const struct sample *sample, uint32_t number, const char *role,
                 const char *answer)
{
    char config[512], severity[64] = "";
    const char *expected = expected_of(sample);
    uint32_t repairs = 0;
    struct nine nine;

    if (number != PHASE_TEST) {
        snprintf(severity, sizeof severity, ",'failOnSeverity':'%s'", sample->severity);
    }
    snprintf(config, sizeof config, "{'phases':{'1':{'parallel':false},'2':{'parallel':false},"
             "'%u':{'onFailure':'%s','onMaxRetries':'%s','maxRetries':%d%s}}}", (unsigned)number,
             sample->failure, sample->bound, RETRIES, severity);
    nine_open(&nine, (struct nine_setup){ .config = config,
                                          .max_iterations = sample->may_restart ? "2" : "1" });
    nine_reach(&nine, number);
    for (nine_answer(&nine, role, answer); nine.engine.lanes[0].state == LANE_REPAIRING;
         nine_answer(&nine, role, answer)) {
        nine_answer(&nine, "fixer", "done");
        repairs++;
    }
    if (!is(standing_of(&nine, number), expected) || repairs != repairs_of(sample)) {
        fail_msg("%s found %s: %s after %u repairs, not %s", config, severities[sample->found],
                 standing_of(&nine, number), (unsigned)repairs, expected);
    }
    nine_close(&nine);
}

static void play_all(uint32_t number, const char *role)
{
    static const char *const answers[] = { "LOW a.c:1 x", "MEDIUM a.c:1 x", "HIGH a.c:1 x" };

    for (uint32_t i = 0; i < FAILURES * SEVERITIES * BOUNDS * 3 * 2; i++) {
        struct sample sample = {
            .failure = failures[i % FAILURES],
            .severity = severities[i / FAILURES % SEVERITIES],
            .bound = bounds[i / FAILURES / SEVERITIES % BOUNDS],
            .found = i / FAILURES / SEVERITIES / BOUNDS % 3,
            .may_restart = i / FAILURES / SEVERITIES / BOUNDS / 3,
        };
        play(&sample, number, role, answers[sample.found]);
    }
}

TEST(every_setting_leads_where_the_plan_review_says)
{
    play_all(PHASE_PLAN_REVIEW, "plan-reviewer");
}

TEST(every_setting_leads_where_the_code_review_says)
{
    play_all(PHASE_CODE_REVIEW, "code-reviewer");
}

TEST(every_setting_leads_where_the_final_review_says)
{
    play_all(PHASE_FINAL_REVIEW, "final-reviewer");
}

TEST(tests_that_fail_know_no_severity)
{
    for (uint32_t i = 0; i < FAILURES * BOUNDS * 2; i++) {
        struct sample sample = { .failure = failures[i % FAILURES], .severity = "LOW",
                                 .bound = bounds[i / FAILURES % BOUNDS], .found = 2,
                                 .may_restart = i / FAILURES / BOUNDS };
        play(&sample, PHASE_TEST, "test", "exit 1\n");
    }
}

TEST(noted_by_the_last_gate_is_not_clean)
{
    static const struct {
        const char *config;
        uint32_t number;
        const char *role;
        enum reason reason;
    } samples[] = {
        { "{'phases':{'1':{'parallel':false},'2':{'parallel':false},'8':{'onFailure':'proceed'}}}",
          PHASE_FINAL_REVIEW, "final-reviewer", REASON_NOTED },
        { "{'phases':{'1':{'parallel':false},'2':{'parallel':false},'5':{'onFailure':'proceed'}}}",
          PHASE_CODE_REVIEW, "code-reviewer", REASON_CLEAN },
    };

    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct nine nine;

        nine_open(&nine, (struct nine_setup){ .config = samples[i].config, .lite = true });
        nine_reach(&nine, samples[i].number);
        nine_answer(&nine, samples[i].role, "HIGH a.c:1 x");
        if (samples[i].number < PHASE_FINAL_REVIEW) {
            nine_reach(&nine, PHASE_FINAL_REVIEW);
            nine_answer(&nine, "final-reviewer", "No issues found.");
        }
        assert_int_equal(nine.engine.reason, samples[i].reason);
        nine_close(&nine);
    }
}

TEST(no_limit_is_no_limit)
{
    struct nine nine;

    nine_open(&nine, (struct nine_setup){ .config =
        "{'phases':{'1':{'parallel':false},'2':{'parallel':false},'5':{'maxRetries':null}}}" });
    nine_reach(&nine, PHASE_CODE_REVIEW);
    for (int i = 0; i < 100; i++) {
        nine_answer(&nine, "code-reviewer", "HIGH a.c:1 x");
        nine_answer(&nine, "fixer", "done");
    }
    assert_int_equal(nine_action(&nine, "code-reviewer").round, 101);
    nine_close(&nine);
}
