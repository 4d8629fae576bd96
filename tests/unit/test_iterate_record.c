/* SPDX-License-Identifier: Apache-2.0
 *
 * test_iterate_record.c - the state file, byte for byte. */
#include "nine_scene.h"
#include "test.h"

#include <string.h>

#define PENDING_FROM_6                                                                       \
    "        '6': {\n          'status': 'pending',\n          'retryCount': 0\n        },\n" \
    "        '7': {\n          'status': 'pending'\n        },\n"                            \
    "        '8': {\n          'status': 'pending',\n          'retryCount': 0,\n"            \
    "          'lastIssues': []\n        }\n"

#define PENDING_FROM_4                                                                       \
    "        '4': {\n          'status': 'pending'\n        },\n"                            \
    "        '5': {\n          'status': 'pending',\n          'retryCount': 0,\n"            \
    "          'lastIssues': []\n        },\n" PENDING_FROM_6

/* A whole file; ' stands for ". */
static void expect_state(struct nine *nine, const char *wanted)
{
    assert_string_equal(nine_state(nine), nine_json(nine, wanted));
}

static void expect_part(struct nine *nine, const char *part)
{
    const char *state = nine_state(nine), *wanted = nine_json(nine, part);

    if (!strstr(state, wanted)) fail_msg("%s\nis not in\n%s", wanted, state);
}

TEST(a_run_that_has_begun)
{
    struct nine nine;

    nine_open(&nine, (struct nine_setup){ 0 });
    expect_state(&nine,
        "{\n"
        "  'version': 4,\n"
        "  'task': 'Make it right',\n"
        "  'mode': 'full',\n"
        "  'maxIterations': 10,\n"
        "  'currentIteration': 1,\n"
        "  'currentPhase': 1,\n"
        "  'startedAt': '2026-01-02T03:04:05Z',\n"
        "  'iterations': [\n"
        "    {\n"
        "      'iteration': 1,\n"
        "      'startedAt': '2026-01-02T03:04:05Z',\n"
        "      'phases': {\n"
        "        '1': {\n          'status': 'in_progress'\n        },\n"
        "        '2': {\n          'status': 'pending'\n        },\n"
        "        '3': {\n          'status': 'pending',\n          'retryCount': 0,\n"
        "          'lastIssues': []\n        },\n"
        PENDING_FROM_4
        "      }\n"
        "    }\n"
        "  ],\n"
        "  'phase9': {\n    'status': 'pending'\n  }\n"
        "}\n");
    nine_close(&nine);
}

TEST(a_run_in_its_second_iteration_after_a_repair)
{
    struct nine nine;

    nine_open(&nine, (struct nine_setup){ .max_iterations = "3", .config =
        "{'phases':{'1':{'parallel':false},'2':{'parallel':false}}}" });
    nine_reach(&nine, PHASE_PLAN_REVIEW);
    nine_answer(&nine, "plan-reviewer", "MEDIUM docs/plan.md:7 no test for \"empty\"");
    nine_reach(&nine, PHASE_CODE_REVIEW);
    nine_answer(&nine, "code-reviewer", "HIGH a.c:1 breaks\nLOW odd");
    nine_answer(&nine, "fixer", "one");
    nine_answer(&nine, "fixer", "two");
    expect_state(&nine,
        "{\n"
        "  'version': 4,\n"
        "  'task': 'Make it right',\n"
        "  'mode': 'full',\n"
        "  'maxIterations': 3,\n"
        "  'currentIteration': 2,\n"
        "  'currentPhase': 5,\n"
        "  'startedAt': '2026-01-02T03:04:05Z',\n"
        "  'iterations': [\n"
        "    {\n"
        "      'iteration': 1,\n"
        "      'startedAt': '2026-01-02T03:04:05Z',\n"
        "      'phases': {\n"
        "        '1': {\n          'status': 'completed'\n        },\n"
        "        '2': {\n          'status': 'completed'\n        },\n"
        "        '3': {\n          'status': 'in_progress',\n          'retryCount': 0,\n"
        "          'lastIssues': [\n"
        "            {\n"
        "              'severity': 'MEDIUM',\n"
        "              'message': 'no test for \\'empty\\'',\n"
        "              'location': 'docs/plan.md:7'\n"
        "            }\n"
        "          ]\n        },\n"
        PENDING_FROM_4
        "      }\n"
        "    },\n"
        "    {\n"
        "      'iteration': 2,\n"
        "      'startedAt': '2026-01-02T03:04:08Z',\n"
        "      'phases': {\n"
        "        '1': {\n          'status': 'completed'\n        },\n"
        "        '2': {\n          'status': 'completed'\n        },\n"
        "        '3': {\n          'status': 'completed',\n          'retryCount': 0,\n"
        "          'lastIssues': []\n        },\n"
        "        '4': {\n          'status': 'completed'\n        },\n"
        "        '5': {\n          'status': 'in_progress',\n          'retryCount': 1,\n"
        "          'lastIssues': [\n"
        "            {\n"
        "              'severity': 'HIGH',\n"
        "              'message': 'breaks',\n"
        "              'location': 'a.c:1'\n"
        "            },\n"
        "            {\n"
        "              'severity': 'LOW',\n"
        "              'message': 'odd',\n"
        "              'location': ''\n"
        "            }\n"
        "          ]\n        },\n"
        PENDING_FROM_6
        "      }\n"
        "    }\n"
        "  ],\n"
        "  'phase9': {\n    'status': 'pending'\n  }\n"
        "}\n");
    nine_close(&nine);
}

TEST(a_run_that_is_clean_has_completed_everything)
{
    struct nine nine;

    nine_open(&nine, (struct nine_setup){ .config = NINE_SIMPLE });
    nine_reach(&nine, PHASE_CODEX_FINAL);
    expect_part(&nine, "'phase9': {\n    'status': 'in_progress'\n  }");
    nine_answer(&nine, "codex-final", NINE_CLEAN);
    assert_int_equal(nine.engine.reason, REASON_CLEAN);
    assert_null(strstr(nine_state(&nine), "pending"));
    assert_null(strstr(nine_state(&nine), "in_progress"));
    expect_part(&nine, "'phase9': {\n    'status': 'completed'\n  }");
    expect_part(&nine, "'currentPhase': 9,");
    nine_close(&nine);
}

TEST(a_lite_run_ends_with_phase_8)
{
    struct nine nine;

    nine_open(&nine, (struct nine_setup){ .config = NINE_SIMPLE, .lite = true });
    nine_reach(&nine, PHASE_FINAL_REVIEW);
    nine_answer(&nine, "final-reviewer", NINE_CLEAN);
    assert_int_equal(nine.engine.reason, REASON_CLEAN);
    expect_part(&nine, "'mode': 'lite',");
    expect_part(&nine, "'currentPhase': 8,");
    expect_part(&nine, "'8': {\n          'status': 'completed',");
    expect_part(&nine, "'phase9': {\n    'status': 'pending'\n  }");
    nine_close(&nine);
}

TEST(what_stops_the_run_stays_in_progress)
{
    struct nine nine;

    nine_open(&nine, (struct nine_setup){ .config = NINE_SIMPLE });
    nine_reach(&nine, PHASE_CODEX_FINAL);
    nine_answer(&nine, "codex-final", "HIGH a.c:1 x");
    assert_int_equal(nine.engine.reason, REASON_BOUND);
    expect_part(&nine, "'phase9': {\n    'status': 'in_progress'\n  }");
    nine_close(&nine);

    nine_open(&nine, (struct nine_setup){ .config =
        "{'phases':{'1':{'parallel':false},'2':{'parallel':false},'5':{'onFailure':'stop'}}}" });
    nine_reach(&nine, PHASE_CODE_REVIEW);
    nine_answer(&nine, "code-reviewer", "HIGH a.c:1 x");
    assert_int_equal(nine.engine.reason, REASON_BOUND);
    expect_part(&nine, "'5': {\n          'status': 'in_progress',");
    nine_close(&nine);
}

TEST(issues_below_the_threshold_are_recorded_with_their_severity)
{
    struct nine nine;

    nine_open(&nine, (struct nine_setup){ .config =
        "{'phases':{'1':{'parallel':false},'2':{'parallel':false},"
        "'5':{'failOnSeverity':'MEDIUM','onFailure':'proceed'}}}" });
    nine_reach(&nine, PHASE_CODE_REVIEW);
    nine_answer(&nine, "code-reviewer", "HIGH a.c:1 grave\nLOW b.c:2 small");
    expect_part(&nine, "'5': {\n          'status': 'completed',\n          'retryCount': 0,\n"
                       "          'lastIssues': [\n            {\n"
                       "              'severity': 'HIGH',\n              'message': 'grave',\n"
                       "              'location': 'a.c:1'\n            },\n            {\n"
                       "              'severity': 'LOW',\n              'message': 'small',\n"
                       "              'location': 'b.c:2'\n            }\n          ]\n");
    nine_close(&nine);
}

TEST(a_clean_review_empties_the_last_issues)
{
    struct nine nine;

    nine_open(&nine, (struct nine_setup){ .config = NINE_SIMPLE });
    nine_reach(&nine, PHASE_CODE_REVIEW);
    nine_answer(&nine, "code-reviewer", "HIGH a.c:1 grave");
    nine_answer(&nine, "fixer", "done");
    nine_answer(&nine, "code-reviewer", NINE_CLEAN);
    expect_part(&nine, "'5': {\n          'status': 'completed',\n          'retryCount': 1,\n"
                       "          'lastIssues': []\n");
    nine_close(&nine);
}

TEST(tests_count_their_retries)
{
    struct nine nine;

    nine_open(&nine, (struct nine_setup){ .config = NINE_SIMPLE });
    nine_reach(&nine, PHASE_TEST);
    nine_answer(&nine, "test", "exit 1\nnot ok\n");
    expect_part(&nine, "'6': {\n          'status': 'in_progress',\n          'retryCount': 0\n");
    nine_answer(&nine, "fixer", "done");
    nine_answer(&nine, "test", "exit 0\n");
    expect_part(&nine, "'6': {\n          'status': 'completed',\n          'retryCount': 1\n");
    nine_close(&nine);
}

TEST(an_answer_that_comes_late_dates_the_iteration)
{
    struct nine nine;

    nine_open(&nine, (struct nine_setup){ .max_iterations = "3", .config =
        "{'phases':{'1':{'parallel':false},'2':{'parallel':false},"
        "'5':{'maxRetries':1,'onMaxRetries':'ask'}}}" });
    nine_reach(&nine, PHASE_CODE_REVIEW);
    nine_answer(&nine, "code-reviewer", "HIGH a.c:1 x");
    nine_answer(&nine, "fixer", "done");
    nine_answer(&nine, "code-reviewer", "HIGH a.c:1 x");
    nine.now_ms += 3600 * 1000;
    nine_choose(&nine, CHOICE_RESTART);
    expect_part(&nine, "'iteration': 2,\n      'startedAt': '2026-01-02T04:04:13Z',");
    nine_reach(&nine, PHASE_PLAN_REVIEW);
    nine_answer(&nine, "plan-reviewer", "HIGH again");
    expect_part(&nine, "'currentIteration': 3,");
    expect_part(&nine, "'iteration': 2,\n      'startedAt': '2026-01-02T04:04:13Z',");
    nine_close(&nine);
}

TEST(hostile_texts_are_escaped)
{
    struct nine nine;

    nine_open(&nine, (struct nine_setup){ .config = NINE_SIMPLE });
    nine.run.task = "a \"task\"\nwith \x1b[31m and \xff";
    nine_reach(&nine, PHASE_CODE_REVIEW);
    nine_answer(&nine, "code-reviewer", "HIGH a.c:1 \x1b[2J \xc3 x");
    expect_part(&nine, "'task': 'a \\'task\\'\\nwith \\u001B[31m and \xef\xbf\xbd',");
    expect_part(&nine, "'message': '\\u001B[2J \xef\xbf\xbd x',");
    nine_close(&nine);
}

/* Those of all reviewers, each with its name; also when the loop is somewhere else by now. */
TEST(issues_of_several_reviewers_name_them)
{
    struct nine nine;

    nine_open(&nine, (struct nine_setup){ .role = "Look at queries.\n",
        .reviewers = "code-reviewer,perf", .config =
        "{'phases':{'1':{'parallel':false},'2':{'parallel':false},"
        "'5':{'onFailure':'proceed','failOnSeverity':'MEDIUM'}}}" });
    nine_reach(&nine, PHASE_CODE_REVIEW);
    nine_answer(&nine, "perf", "HIGH a.c:1 slow\n");
    nine_answer(&nine, "code-reviewer", "HIGH b.c:2 wrong\nLOW b.c:3 odd\n");
    nine_reach(&nine, PHASE_FINAL_REVIEW);
    expect_part(&nine,
        "          'lastIssues': [\n"
        "            {\n"
        "              'severity': 'HIGH',\n"
        "              'message': 'wrong',\n"
        "              'location': 'b.c:2',\n"
        "              'reviewer': 'code-reviewer'\n"
        "            },\n"
        "            {\n"
        "              'severity': 'LOW',\n"
        "              'message': 'odd',\n"
        "              'location': 'b.c:3',\n"
        "              'reviewer': 'code-reviewer'\n"
        "            },\n"
        "            {\n"
        "              'severity': 'HIGH',\n"
        "              'message': 'slow',\n"
        "              'location': 'a.c:1',\n"
        "              'reviewer': 'perf'\n"
        "            }\n"
        "          ]\n");
    nine_close(&nine);
}
