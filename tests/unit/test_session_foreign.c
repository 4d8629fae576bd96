/* SPDX-License-Identifier: Apache-2.0
 *
 * test_session_foreign.c - session files that other tools wrote, continued. */
#include "session_scene.h"
#include "test.h"

#include <string.h>

#define FOREIGN(phase, plan, history, stages) \
    "<!-- by another tool -->\n# Session\n\n## Problem Description\nTwo writers.\n\n" \
    "## Context\nsrc/queue.c\n\n## Acceptance Criteria\n- none lost\n\n" \
    "## Current Phase\n" phase "\n\n## Approved Plan\n" plan "\n## Notes of mine\nkeep me\n\n" \
    "## Review History\n" history "\n## Files Changed\n- `a.c`\n\n## Key Related Files\nNone.\n\n" \
    "## Timing Log\n- planning took long\n\n## Session Metadata\n" \
    "- session_origin: codex-skill\n- orchestrator_backend: codex\n" \
    "- executor_backend: codex-subagent\n- reviewer_backend: claude-cli\n" \
    "- reviewer_fallback_used: false\n" stages

#define FOREIGN_PLAN "- Source: reviewer-approved\n\n### Solution Plan: theirs\n\n1. lock\n"
#define FOREIGN_ROUND(title, verdict, issues) \
    "### " title "\n- Executor backend: codex-subagent\n- Executor result: done\n" \
    "- Reviewer backend: claude-cli\n- Reviewer verdict: " verdict "\n- Reviewer issues:\n" \
    issues "- Outcome: x\n\n"
#define FOREIGN_CRITICAL "  - [CRITICAL] it leaks\n    File: `a.c`, around line 7\n"

static void assert_restored(const char *text, enum lane_state state, const char *phase,
                            uint32_t rounds, uint32_t mints)
{
    struct session_scene scene;

    session_continue(&scene, text, "", NULL);
    session_stands(&scene, state, phase, rounds, mints);
    assert_string_equal(session_text(&scene), text);
    session_close(&scene);
}

TEST(a_session_that_has_not_begun_to_plan_plans)
{
    assert_restored(FOREIGN("planning", "", "", ""), LANE_WORKING, "planning", 0, 0);
}

TEST(unresolved_issues_of_a_plan_are_repaired)
{
    assert_restored(FOREIGN("planning", "", FOREIGN_ROUND("Planning Round 1", "REQUEST_CHANGES",
                                                          FOREIGN_CRITICAL), ""),
                    LANE_REPAIRING, "planning", 1, 0);
}

TEST(an_approved_plan_is_executed)
{
    assert_restored(FOREIGN("execution", FOREIGN_PLAN,
                            FOREIGN_ROUND("Planning Round 1", "APPROVE", "  - None.\n"), ""),
                    LANE_WORKING, "execution", 0, 0);
}

TEST(unresolved_issues_of_the_code_are_repaired)
{
    struct session_scene scene;

    session_continue(&scene, FOREIGN("execution", FOREIGN_PLAN,
                            FOREIGN_ROUND("Execution Round 1", "REQUEST_CHANGES", FOREIGN_CRITICAL)
                            FOREIGN_ROUND("Execution Round 2", "REQUEST_CHANGES",
                                          FOREIGN_CRITICAL), "- completed_stages: []\n"),
            "", NULL);
    session_stands(&scene, LANE_REPAIRING, "execution", 2, 0);
    assert_has(session_prompt_text(&scene, "executor"),
               "[CRITICAL] it leaks\n  File: `a.c`, around line 7\n");
    assert_has(session_prompt_text(&scene, "executor"), "theirs");
    session_close(&scene);
}

TEST(completed_stages_hold)
{
    assert_restored(FOREIGN("execution", FOREIGN_PLAN,
                            FOREIGN_ROUND("Execution Round 1", "APPROVE", "  - None.\n"),
                            "- completed_stages: [exec, polish]\n"),
                    LANE_REVIEWING, "docs", 1, 3);
    assert_restored(FOREIGN("execution", FOREIGN_PLAN, "",
                            "- completed_stages:\n  - exec\n  - polish\n  - docs\n  - security\n"),
                    LANE_WORKING, "delivery", 0, 15);
}

TEST(empty_stages_do_not_count_as_execution)
{
    assert_restored(FOREIGN("execution", FOREIGN_PLAN,
                            FOREIGN_ROUND("Execution Round 1", "APPROVE", "  - None.\n"),
                            "- completed_stages: []\n"),
                    LANE_REVIEWING, "execution", 1, 0);
    assert_restored(FOREIGN("execution", FOREIGN_PLAN,
                            FOREIGN_ROUND("Execution Round 1", "APPROVE", "  - None.\n"), ""),
                    LANE_REVIEWING, "execution", 1, 0);
}

TEST(rounds_are_counted_on_where_older_ones_are_gone)
{
    assert_restored(FOREIGN("execution", FOREIGN_PLAN,
                            FOREIGN_ROUND("Execution Round 5", "REQUEST_CHANGES",
                                          FOREIGN_CRITICAL), ""),
                    LANE_ASKING, "execution", 5, 0);
}

TEST(entries_that_nobody_knows_are_kept_and_passed_over)
{
    assert_restored(FOREIGN("execution", FOREIGN_PLAN,
                            "### Round 1 — Executor\nsomething\n\n### 2026-01-01\n- a: b\n\n",
                            ""),
                    LANE_WORKING, "execution", 0, 0);
}

TEST(a_mad_number_of_a_round_is_the_next_one)
{
    assert_restored(FOREIGN("execution", FOREIGN_PLAN,
                            FOREIGN_ROUND("Execution Round 4000000000", "REQUEST_CHANGES",
                                          FOREIGN_CRITICAL), ""),
                    LANE_REPAIRING, "execution", 1, 0);
}

TEST(a_session_that_plans_is_past_planning_by_no_guess)
{
    assert_restored(FOREIGN("planning", "", FOREIGN_ROUND("Planning Round 1", "APPROVE",
                                                          "  - None.\n"), ""),
                    LANE_REVIEWING, "planning", 1, 0);
    assert_restored(FOREIGN("planning", "", FOREIGN_ROUND("Execution Round 1", "APPROVE",
                                                          "  - None.\n"),
                            "- completed_stages: [exec]\n"),
                    LANE_WORKING, "planning", 0, 0);
}

TEST(a_review_only_session_goes_on_with_its_repair)
{
    assert_restored(FOREIGN("execution", "- Source: review-only\n\n(none — review-only mode)\n\n"
                            "Scope: see `## Review Target` section below.\n",
                            "### Execution Round 1 (review-only)\n"
                            "- Executor backend: skipped (review-only first round)\n"
                            "- Reviewer verdict: REQUEST_CHANGES\n- Reviewer issues:\n"
                            FOREIGN_CRITICAL, ""),
                    LANE_REPAIRING, "execution", 1, 0);
}

TEST(a_continued_round_is_read_as_one)
{
    static const char text[] =
        FOREIGN("execution", FOREIGN_PLAN,
                "### Execution Round 1\n- Executor backend: cmd\n- Executor result: done\n\n"
                "### Execution Round 1 (continued)\n- Reviewer verdict: REQUEST_CHANGES\n"
                "- Reviewer issues:\n" FOREIGN_CRITICAL, "");

    assert_restored(text, LANE_REPAIRING, "execution", 1, 0);
}

TEST(changes_that_nobody_lists_are_asked_for_all_the_same)
{
    static const char text[] =
        FOREIGN("execution", FOREIGN_PLAN,
                FOREIGN_ROUND("Execution Round 1", "REQUEST_CHANGES", "  - None.\n"), "");
    struct session_scene scene;

    session_continue(&scene, text, "", NULL);
    session_stands(&scene, LANE_REPAIRING, "execution", 1, 0);
    assert_int_equal(scene.engine.lanes[0].review.jobs[0].result.verdict, VERDICT_FINDINGS);
    assert_has(session_prompt_text(&scene, "executor"), "- Reviewer verdict: REQUEST_CHANGES");
    session_close(&scene);
}

TEST(a_stage_that_the_file_does_not_list_does_not_hold)
{
    assert_restored(FOREIGN("execution", FOREIGN_PLAN,
                            FOREIGN_ROUND("Execution Round 1", "APPROVE", "  - None.\n")
                            FOREIGN_ROUND("Polish Round 1", "APPROVE", "  - None.\n"),
                            "- completed_stages: [polish]\n"),
                    LANE_REVIEWING, "docs", 1, 0);
}

TEST(planning_that_went_on_behind_an_approval_is_gone_on_with)
{
    assert_restored(FOREIGN("planning", "",
                            FOREIGN_ROUND("Planning Round 1", "APPROVE", "  - None.\n")
                            FOREIGN_ROUND("Planning Round 2", "REQUEST_CHANGES",
                                          FOREIGN_CRITICAL), ""),
                    LANE_REPAIRING, "planning", 2, 0);
}

TEST(what_happens_next_is_added_and_the_rest_stays)
{
    static const char text[] =
        FOREIGN("execution", FOREIGN_PLAN,
                FOREIGN_ROUND("Execution Round 1", "REQUEST_CHANGES", FOREIGN_CRITICAL),
                "- completed_stages: []\n- their_key: kept\n");
    struct session_scene scene;
    const char *now;

    session_continue(&scene, text, "", NULL);
    session_execute(&scene, "leak mended");
    session_answer(&scene, "reviewer", APPROVE_ANSWER);
    now = session_text(&scene);
    assert_has(now, "<!-- by another tool -->\n# Session\n\n## Problem Description\n"
                    "Two writers.\n");
    assert_has(now, "## Notes of mine\nkeep me\n");
    assert_has(now, FOREIGN_ROUND("Execution Round 1", "REQUEST_CHANGES", FOREIGN_CRITICAL)
               "### Execution Round 2\n\n- Executor backend: cmd\n");
    assert_has(now, "- planning took long\n- ");
    assert_has(now, "- session_origin: codex-skill\n- orchestrator_backend: hone\n"
                    "- executor_backend: cmd\n- reviewer_backend: cmd\n");
    assert_has(now, "- their_key: kept\n");
    assert_has(now, "- completed_stages: [exec]\n");
    assert_has(now, "- `a.c`\n- `src/queue.c` - modified: takes the lock\n");
    session_deliver(&scene);
    session_close(&scene);
}
