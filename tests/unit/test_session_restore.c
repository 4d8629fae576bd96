/* SPDX-License-Identifier: Apache-2.0
 *
 * test_session_restore.c - session files, hone's own and other tools', back to runs. */
#include "session_scene.h"

#include "base/prng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Continues the text of a session file in a scene of its own. */
static void restore(struct session_scene *scene, const char *text, const char *options,
                    const char *config)
{
    struct contract files = { 0 };
    struct restored restored;
    struct err err = { 0 };
    const char *all = options && *options ? options : "";
    char joined[256];

    snprintf(joined, sizeof joined, "session=" SESSION_UUID " %s", all);
    assert_int_equal(session_prepare(scene, joined, config, SESSION_MD, text, &err), 0);
    contract_file_add(&files, SESSION_MD, str_of(text));
    assert_int_equal(dialect_session.restore(&files, &scene->settings, &restored, &err), 0);
    scene->run.task = arena_cstr(&scene->arena, str_of(restored.task));
    for (uint32_t i = 0; i < restored.count; i++) {
        engine_step(&scene->engine, &restored.events[i], &scene->actions);
        assert_true(scene->actions.count > 0);
    }
    scene->now_ms = 1767400000000;
    arena_release(&restored.arena);
    contract_release(&files);
}

static void assert_at(const struct session_scene *scene, enum lane_state state, const char *phase,
                      uint32_t rounds, uint32_t mints)
{
    const struct lane *lane = &scene->engine.lanes[0];

    assert_string_equal(lane_state_word(lane->state), lane_state_word(state));
    assert_string_equal(scene->plan.phases[lane->phase].name, phase);
    assert_int_equal(lane->tallies[lane->phase].rounds, rounds);
    assert_int_equal(lane->mints, mints);
}

static void assert_has(const char *text, const char *wanted)
{
    if (!strstr(text, wanted)) fail_msg("'%s' is not in:\n%s", wanted, text);
}

/* ---- files by other tools ---- */

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

    restore(&scene, text, "", NULL);
    assert_at(&scene, state, phase, rounds, mints);
    assert_string_equal(session_text(&scene), text);
    session_close(&scene);
}

static void a_session_that_has_not_begun_to_plan_plans(void **state)
{
    (void)state;
    assert_restored(FOREIGN("planning", "", "", ""), LANE_WORKING, "planning", 0, 0);
}

static void unresolved_issues_of_a_plan_are_repaired(void **state)
{
    (void)state;
    assert_restored(FOREIGN("planning", "", FOREIGN_ROUND("Planning Round 1", "REQUEST_CHANGES",
                                                          FOREIGN_CRITICAL), ""),
                    LANE_REPAIRING, "planning", 1, 0);
}

static void an_approved_plan_is_executed(void **state)
{
    (void)state;
    assert_restored(FOREIGN("execution", FOREIGN_PLAN,
                            FOREIGN_ROUND("Planning Round 1", "APPROVE", "  - None.\n"), ""),
                    LANE_WORKING, "execution", 0, 0);
}

static void unresolved_issues_of_the_code_are_repaired(void **state)
{
    struct session_scene scene;

    (void)state;
    restore(&scene, FOREIGN("execution", FOREIGN_PLAN,
                            FOREIGN_ROUND("Execution Round 1", "REQUEST_CHANGES", FOREIGN_CRITICAL)
                            FOREIGN_ROUND("Execution Round 2", "REQUEST_CHANGES",
                                          FOREIGN_CRITICAL), "- completed_stages: []\n"),
            "", NULL);
    assert_at(&scene, LANE_REPAIRING, "execution", 2, 0);
    assert_has(session_prompt_text(&scene, "executor"),
               "[CRITICAL] it leaks\n  File: `a.c`, around line 7\n");
    assert_has(session_prompt_text(&scene, "executor"), "theirs");
    session_close(&scene);
}

static void completed_stages_hold(void **state)
{
    (void)state;
    assert_restored(FOREIGN("execution", FOREIGN_PLAN,
                            FOREIGN_ROUND("Execution Round 1", "APPROVE", "  - None.\n"),
                            "- completed_stages: [exec, polish]\n"),
                    LANE_REVIEWING, "docs", 1, 3);
    assert_restored(FOREIGN("execution", FOREIGN_PLAN, "",
                            "- completed_stages:\n  - exec\n  - polish\n  - docs\n  - security\n"),
                    LANE_WORKING, "delivery", 0, 15);
}

static void empty_stages_do_not_count_as_execution(void **state)
{
    (void)state;
    assert_restored(FOREIGN("execution", FOREIGN_PLAN,
                            FOREIGN_ROUND("Execution Round 1", "APPROVE", "  - None.\n"),
                            "- completed_stages: []\n"),
                    LANE_REVIEWING, "execution", 1, 0);
    assert_restored(FOREIGN("execution", FOREIGN_PLAN,
                            FOREIGN_ROUND("Execution Round 1", "APPROVE", "  - None.\n"), ""),
                    LANE_REVIEWING, "execution", 1, 0);
}

static void rounds_are_counted_on_where_older_ones_are_gone(void **state)
{
    (void)state;
    assert_restored(FOREIGN("execution", FOREIGN_PLAN,
                            FOREIGN_ROUND("Execution Round 5", "REQUEST_CHANGES",
                                          FOREIGN_CRITICAL), ""),
                    LANE_ASKING, "execution", 5, 0);
}

static void entries_that_nobody_knows_are_kept_and_passed_over(void **state)
{
    (void)state;
    assert_restored(FOREIGN("execution", FOREIGN_PLAN,
                            "### Round 1 — Executor\nsomething\n\n### 2026-01-01\n- a: b\n\n",
                            ""),
                    LANE_WORKING, "execution", 0, 0);
}

static void a_mad_number_of_a_round_is_the_next_one(void **state)
{
    (void)state;
    assert_restored(FOREIGN("execution", FOREIGN_PLAN,
                            FOREIGN_ROUND("Execution Round 4000000000", "REQUEST_CHANGES",
                                          FOREIGN_CRITICAL), ""),
                    LANE_REPAIRING, "execution", 1, 0);
}

static void a_session_that_plans_is_past_planning_by_no_guess(void **state)
{
    (void)state;
    assert_restored(FOREIGN("planning", "", FOREIGN_ROUND("Planning Round 1", "APPROVE",
                                                          "  - None.\n"), ""),
                    LANE_REVIEWING, "planning", 1, 0);
    assert_restored(FOREIGN("planning", "", FOREIGN_ROUND("Execution Round 1", "APPROVE",
                                                          "  - None.\n"),
                            "- completed_stages: [exec]\n"),
                    LANE_WORKING, "planning", 0, 0);
}

static void a_review_only_session_goes_on_with_its_repair(void **state)
{
    (void)state;
    assert_restored(FOREIGN("execution", "- Source: review-only\n\n(none — review-only mode)\n\n"
                            "Scope: see `## Review Target` section below.\n",
                            "### Execution Round 1 (review-only)\n"
                            "- Executor backend: skipped (review-only first round)\n"
                            "- Reviewer verdict: REQUEST_CHANGES\n- Reviewer issues:\n"
                            FOREIGN_CRITICAL, ""),
                    LANE_REPAIRING, "execution", 1, 0);
}

static void what_happens_next_is_added_and_the_rest_stays(void **state)
{
    static const char text[] =
        FOREIGN("execution", FOREIGN_PLAN,
                FOREIGN_ROUND("Execution Round 1", "REQUEST_CHANGES", FOREIGN_CRITICAL),
                "- completed_stages: []\n- their_key: kept\n");
    struct session_scene scene;
    const char *now;

    (void)state;
    restore(&scene, text, "", NULL);
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

static void a_review_that_was_cut_off_is_continued_under_its_number(void **state)
{
    struct session_scene first, second;
    const char *text;

    (void)state;
    session_open(&first, "", NULL);
    session_plan_it(&first);
    session_execute(&first, "locked");
    text = session_text(&first);
    restore(&second, text, "", NULL);
    assert_at(&second, LANE_REVIEWING, "execution", 1, 0);
    assert_has(session_prompt_text(&second, "reviewer"), "Implementation Complete: locked");
    session_answer(&second, "reviewer", CHANGES_ANSWER("it leaks"));
    assert_has(session_text(&second), "### Execution Round 1 (continued)\n\n"
                                      "- Reviewer backend: cmd\n");
    session_close(&second);
    restore(&second, session_text(&first), "", NULL);
    session_close(&second);
    session_close(&first);
}

static void a_continued_round_is_read_as_one(void **state)
{
    static const char text[] =
        FOREIGN("execution", FOREIGN_PLAN,
                "### Execution Round 1\n- Executor backend: cmd\n- Executor result: done\n\n"
                "### Execution Round 1 (continued)\n- Reviewer verdict: REQUEST_CHANGES\n"
                "- Reviewer issues:\n" FOREIGN_CRITICAL, "");

    (void)state;
    assert_restored(text, LANE_REPAIRING, "execution", 1, 0);
}

static void the_task_is_read_back(void **state)
{
    struct session_scene first, second;

    (void)state;
    session_open(&first, "", NULL);
    restore(&second, session_text(&first), "", NULL);
    assert_string_equal(second.run.task,
                        "### Lock the queue\n\nTwo writers may lose an entry.\n\n"
                        "## Context\n\nsrc/queue.c\n\n## Acceptance Criteria\n\n"
                        "- no entry is lost");
    session_close(&second);
    session_close(&first);
}

/* ---- drift ---- */

static const char *drift_of(struct session_scene *scene)
{
    return dialect_session.drifted(&scene->run, &scene->arena);
}

static void a_tree_as_the_file_left_it_has_not_drifted(void **state)
{
    struct session_scene first, second;

    (void)state;
    session_open(&first, "", NULL);
    session_plan_it(&first);
    session_execute(&first, "locked");
    restore(&second, session_text(&first), "", NULL);
    second.tree.dirty = first.dirty;
    second.tree.dirty_count = first.tree.dirty_count;
    assert_null(drift_of(&second));
    session_close(&second);
    session_close(&first);
}

static void every_kind_of_drift_is_named(void **state)
{
    struct session_scene first, second;

    (void)state;
    session_open(&first, "", NULL);
    session_plan_it(&first);
    session_execute(&first, "locked");
    restore(&second, session_text(&first), "", NULL);
    assert_has(drift_of(&second), "reverted-externally src/queue.c");
    session_change(&second, "new.c:added");
    assert_has(drift_of(&second), "newly-dirty new.c");
    session_change(&second, "src/queue.c:deleted");
    assert_has(drift_of(&second), "content-or-deletion-changed src/queue.c");
    second.tree.head = "2222222222222222222222222222222222222222";
    assert_has(drift_of(&second), "external-head 2222");
    session_close(&second);
    session_close(&first);
}

static void a_file_without_a_baseline_must_be_asked_about(void **state)
{
    struct session_scene scene;

    (void)state;
    restore(&scene, FOREIGN("planning", "", "", ""), "", NULL);
    assert_has(drift_of(&scene), "no-baseline");
    session_close(&scene);
}

/* ---- random walks of the real engine ---- */

static const char *const critical[] = { "it leaks", "it races", "it is slow" };

static void random_answer(struct session_scene *scene, struct prng *prng, const char *role)
{
    uint64_t pick = prng_next(prng) % 10;

    if (strcmp(role, "scan") == 0) {
        session_scan(scene, pick < 2 ? "a key" : NULL);
    } else if (strcmp(role, "deliver") == 0) {
        session_answer(scene, role, "delivered");
    } else if (pick == 0) {
        session_fail(scene, role, "cmd", "status 1");
    } else if (pick == 1) {
        session_answer(scene, role, "what?");
    } else if (strcmp(role, "executor") == 0) {
        bool planning = scene->plan.phases[scene->engine.lanes[0].now.phase].name[0] == 'p' &&
                        !strcmp(scene->plan.phases[scene->engine.lanes[0].now.phase].name,
                                "planning");
        if (planning) {
            session_answer(scene, role, PLAN_ANSWER("a lock"));
        } else if (pick == 2) {
            session_change(scene, "");
            session_answer(scene, role, NOOP_ANSWER);
        } else {
            session_execute(scene, "locked");
        }
    } else if (pick < 5) {
        session_answer(scene, role, arena_printf(&scene->arena, CHANGES_ANSWER("%s"),
                                                 critical[prng_next(prng) % 3]));
    } else {
        session_answer(scene, role, pick == 5 ? MINOR_ANSWER : APPROVE_ANSWER);
    }
}

/* One thing that may happen; false: the run is over. */
static bool random_step(struct session_scene *scene, struct prng *prng)
{
    const struct batch *now = &scene->engine.lanes[0].now;
    uint32_t at = (uint32_t)prng_next(prng);

    if (scene->engine.lanes[0].state == LANE_ASKING) {
        session_choose(scene, prng_next(prng) % 2 ? CHOICE_CONTINUE : CHOICE_ACCEPT);
        return true;
    }
    if (scene->engine.state == ENGINE_ENDED) {
        if (!engine_can_resume(&scene->engine)) return false;
        session_event(scene, (struct event){ .kind = EV_RESUME });
        return true;
    }
    for (uint32_t i = 0; i < now->count; i++) {
        const struct job *job = &now->jobs[(at + i) % now->count];

        if (job->state != JOB_RUNNING) continue;
        random_answer(scene, prng, scene->plan.roles[job->role].name);
        return true;
    }
    return false;
}

static void assert_same_place(const struct session_scene *one, const struct session_scene *two)
{
    const struct lane *a = &one->engine.lanes[0], *b = &two->engine.lanes[0];

    assert_string_equal(one->plan.phases[a->phase].name, two->plan.phases[b->phase].name);
    assert_string_equal(lane_state_word(a->state), lane_state_word(b->state));
    assert_int_equal(a->mints, b->mints);
    assert_int_equal(a->tallies[a->phase].rounds, b->tallies[b->phase].rounds);
}

static void a_recorded_run_is_restored_to_the_same_file_and_place(void **state)
{
    static const char *const options[] = { "", "review-only=", "stop-after=before-docs" };

    (void)state;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        struct prng prng = { .state = seed };
        struct session_scene scene, again;
        const char *how = options[seed % 3];

        session_open(&scene, how, NULL);
        for (int step = 0; step < 60; step++) {
            const char *text = session_text(&scene);
            bool over = scene.engine.lanes[0].state == LANE_OVER;

            restore(&again, text, strstr(how, "stop") ? how : "", NULL);
            if (strcmp(session_text(&again), text) != 0) {
                fail_msg("seed %llu step %d:\n%s\n---\n%s", (unsigned long long)seed, step, text,
                         session_text(&again));
            }
            if (!over) assert_same_place(&scene, &again);
            session_close(&again);
            if (!random_step(&scene, &prng)) break;
        }
        session_close(&scene);
    }
}

/* The part of the file that only grows. */
static const char *history_of(struct session_scene *scene)
{
    const char *text = session_text(scene), *from = strstr(text, "## Review History\n");
    const char *end = from ? strstr(from, "\n## Files Changed") : NULL;

    assert_non_null(end);
    while (end > from && end[-1] == '\n') end--;
    return arena_cstr(&scene->arena, (struct str){ from, (size_t)(end - from) });
}

static void a_continued_run_keeps_what_the_file_said(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct prng prng = { .state = seed };
        struct session_scene scene, again;
        const char *text, *before;

        session_open(&scene, "", NULL);
        for (uint64_t step = 0; step < 3 + seed % 20; step++) {
            if (!random_step(&scene, &prng)) break;
        }
        text = session_text(&scene);
        restore(&again, text, "", NULL);
        before = history_of(&scene);
        for (int step = 0; step < 30 && random_step(&again, &prng); step++) {
            const char *now = history_of(&again);
            if (strncmp(now, before, strlen(before)) != 0) {
                fail_msg("seed %llu: lost of\n%s\n---\n%s", (unsigned long long)seed, before, now);
            }
        }
        session_close(&again);
        session_close(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_session_that_has_not_begun_to_plan_plans),
        cmocka_unit_test(unresolved_issues_of_a_plan_are_repaired),
        cmocka_unit_test(an_approved_plan_is_executed),
        cmocka_unit_test(unresolved_issues_of_the_code_are_repaired),
        cmocka_unit_test(completed_stages_hold),
        cmocka_unit_test(empty_stages_do_not_count_as_execution),
        cmocka_unit_test(rounds_are_counted_on_where_older_ones_are_gone),
        cmocka_unit_test(entries_that_nobody_knows_are_kept_and_passed_over),
        cmocka_unit_test(a_mad_number_of_a_round_is_the_next_one),
        cmocka_unit_test(a_session_that_plans_is_past_planning_by_no_guess),
        cmocka_unit_test(a_review_only_session_goes_on_with_its_repair),
        cmocka_unit_test(what_happens_next_is_added_and_the_rest_stays),
        cmocka_unit_test(a_review_that_was_cut_off_is_continued_under_its_number),
        cmocka_unit_test(a_continued_round_is_read_as_one),
        cmocka_unit_test(the_task_is_read_back),
        cmocka_unit_test(a_tree_as_the_file_left_it_has_not_drifted),
        cmocka_unit_test(every_kind_of_drift_is_named),
        cmocka_unit_test(a_file_without_a_baseline_must_be_asked_about),
        cmocka_unit_test(a_recorded_run_is_restored_to_the_same_file_and_place),
        cmocka_unit_test(a_continued_run_keeps_what_the_file_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
