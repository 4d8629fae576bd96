/* SPDX-License-Identifier: Apache-2.0
 *
 * test_session_plan.c - settings of a session as plans, and what is refused. */
#include "session_scene.h"
#include "test.h"
#include "dialect/dialects.h"

#include <stdio.h>
#include <string.h>

static const char file_planning[] =
    "## Problem Description\n\nx\n\n## Current Phase\n\nplanning\n\n## Approved Plan\n";
static const char file_execution[] =
    "## Problem Description\n\nx\n\n## Current Phase\n\nexecution\n\n## Approved Plan\n\n"
    "- Source: reviewer-approved\n\n### Solution Plan: y\n";
static const char file_review_only[] =
    "## Problem Description\n\nx\n\n## Current Phase\n\nexecution\n\n## Approved Plan\n\n"
    "- Source: review-only\n\n(none — review-only mode)\n\n"
    "Scope: see `## Review Target` section below.\n";

/* "planning+w execution+w polish ..." with +w for work. */
static void assert_phases(const char *options, const char *config, const char *name,
                          const char *text, const char *wanted)
{
    struct session_scene scene;
    struct err err = { 0 };
    char got[256] = "";

    assert_int_equal(session_prepare(&scene, options, config, name, text, &err), 0);
    for (uint32_t i = 0; i < scene.plan.phase_count; i++) {
        size_t used = strlen(got);
        snprintf(got + used, sizeof got - used, "%s%s%s", i ? " " : "", scene.plan.phases[i].name,
                 scene.plan.phases[i].work.role != ROLE_NONE ? "+w" : "");
    }
    assert_string_equal(got, wanted);
    session_close(&scene);
}

static void assert_refused(const char *options, const char *name, const char *text,
                           const char *wanted)
{
    struct session_scene scene;
    struct err err = { 0 };

    assert_int_equal(session_prepare(&scene, options, NULL, name, text, &err), ERR_USAGE);
    if (!strstr(err.text, wanted)) fail_msg("'%s' is not in '%s'", wanted, err.text);
    arena_release(&scene.arena);
}

TEST(six_phases_lead_to_the_delivery)
{
    assert_phases("", NULL, NULL, NULL,
                  "planning+w execution+w polish docs security delivery+w");
}

TEST(a_given_plan_needs_no_planning)
{
    assert_phases("plan=p.md", NULL, "--plan", "do it",
                  "execution+w polish docs security delivery+w");
}

TEST(a_review_of_what_is_there_begins_without_work)
{
    assert_phases("review-only=", NULL, NULL, NULL,
                  "execution polish docs security delivery+w");
}

TEST(a_continued_session_begins_where_its_file_stands)
{
    assert_phases("session=" SESSION_UUID, NULL, SESSION_MD, file_planning,
                  "planning+w execution+w polish docs security delivery+w");
    assert_phases("session=" SESSION_UUID, NULL, SESSION_MD, file_execution,
                  "execution+w polish docs security delivery+w");
    assert_phases("session=" SESSION_UUID, NULL, SESSION_MD, file_review_only,
                  "execution polish docs security delivery+w");
}

TEST(stop_after_leaves_out_what_comes_behind)
{
    assert_phases("stop-after=exec-round", NULL, NULL, NULL, "planning+w execution+w");
    assert_phases("stop-after=before-polish", NULL, NULL, NULL, "planning+w execution+w");
    assert_phases("stop-after=before-docs", NULL, NULL, NULL, "planning+w execution+w polish");
    assert_phases("stop-after=before-security", NULL, NULL, NULL,
                  "planning+w execution+w polish docs");
    assert_phases("stop-after=before-delivery", NULL, NULL, NULL,
                  "planning+w execution+w polish docs security");
    assert_phases("stop-after=delivery", NULL, NULL, NULL,
                  "planning+w execution+w polish docs security delivery+w");
    assert_phases("review-only= stop-after=exec-round", NULL, NULL, NULL, "execution");
}

TEST(an_exec_round_is_one_review_and_no_repair)
{
    struct session_scene scene;

    session_open(&scene, "stop-after=exec-round", NULL);
    session_plan_it(&scene);
    session_execute(&scene, "locked");
    session_answer(&scene, "reviewer", CHANGES_ANSWER("it leaks"));
    assert_int_equal(scene.engine.reason, REASON_BOUND);
    session_close(&scene);
}

TEST(limits_of_the_configuration_are_reviews)
{
    struct session_scene scene;
    struct err err = { 0 };

    assert_int_equal(session_prepare(&scene, "", "soft_limit_plan: 2\nsoft_limit_exec: 5\n", NULL,
                                     NULL, &err), 0);
    assert_int_equal(scene.plan.phases[0].gate.repair_max, 1);
    for (uint32_t i = 1; i < 5; i++) {
        assert_int_equal(scene.plan.phases[i].gate.repair_max, 4);
        assert_int_equal(scene.plan.phases[i].gate.at_bound, BOUND_ASK);
        assert_int_equal(scene.plan.phases[i].gate.recheck, 1);
        assert_int_equal(scene.plan.phases[i].gate.mints, 1U << (i - 1));
    }
    session_close(&scene);
}

TEST(handsfree_asks_nobody)
{
    struct session_scene scene;
    struct err err = { 0 };

    assert_int_equal(session_prepare(&scene, "handsfree=", NULL, NULL, NULL, &err), 0);
    assert_int_equal(scene.plan.phases[1].gate.at_bound, BOUND_STOP);
    session_close(&scene);
    assert_int_equal(session_prepare(&scene, "", "handsfree: true\n", NULL, NULL, &err), 0);
    assert_int_equal(scene.plan.phases[1].gate.at_bound, BOUND_STOP);
    session_close(&scene);
}

TEST(a_skipped_polish_is_played_by_hone)
{
    struct session_scene scene;
    struct err err = { 0 };
    uint16_t role;

    assert_int_equal(session_prepare(&scene, "", "skip_quality_polish: true\n", NULL, NULL, &err),
                     0);
    role = scene.plan.phases[2].gate.reviewers[0];
    assert_true(scene.plan.roles[role].builtin);
    session_close(&scene);
}

TEST(the_executor_writes_only_when_it_executes)
{
    struct session_scene scene;
    struct err err = { 0 };

    assert_int_equal(session_prepare(&scene, "", NULL, NULL, NULL, &err), 0);
    assert_string_equal(scene.plan.roles[scene.plan.phases[0].work.role].name, "executor");
    assert_false(scene.plan.roles[scene.plan.phases[0].work.role].writes);
    assert_string_equal(scene.plan.roles[scene.plan.phases[1].work.role].name, "executor");
    assert_true(scene.plan.roles[scene.plan.phases[1].work.role].writes);
    assert_false(scene.plan.roles[scene.plan.phases[1].work.role].commits);
    session_close(&scene);
}

TEST(what_does_not_fit_is_refused_with_what_is_allowed)
{
    assert_refused("stop-after=docs", NULL, NULL, "before-docs");
    assert_refused("cycles=3", NULL, NULL, "session has no such setting");
    assert_refused("plan=p.md review-only=", "--plan", "x", "exclude each other");
    assert_refused("plan=p.md session=" SESSION_UUID, "--plan", "x", "exclude each other");
    assert_refused("review-only= session=" SESSION_UUID, SESSION_MD, "x", "exclude each other");
    assert_refused("session=../../etc/passwd", NULL, NULL, "no name of a session");
    assert_refused("session=.hidden", NULL, NULL, "no name of a session");
    assert_refused("session=" SESSION_UUID, SESSION_MD, " \n", SESSION_MD " is empty");
    assert_refused("plan=p.md", "--plan", " \n", "is empty");
}

TEST(a_claude_reviewer_is_asked_once_and_nobody_else)
{
    assert_true(dialect_session.insisting->asked_once("claude", "reviewer"));
    assert_true(dialect_session.insisting->asked_once("claude", "polish"));
    assert_true(dialect_session.insisting->asked_once("claude", "docs"));
    assert_true(dialect_session.insisting->asked_once("claude", "security"));
    assert_false(dialect_session.insisting->asked_once("claude", "executor"));
    assert_false(dialect_session.insisting->asked_once("codex", "reviewer"));
    assert_false(dialect_session.insisting->asked_once("cmd", "reviewer"));
}

static const char *spec_of_role(const char *config, const char *role, struct arena *arena)
{
    struct config_text file = { ".review-loop/config.md", str_of(config) };
    struct settings settings = { .files = &file, .file_count = 1 };

    return dialect_session.casting->agent(&settings, role, 0, arena);
}

TEST(the_configuration_names_reviewers_and_no_executor)
{
    struct arena arena = { 0 };

    assert_null(spec_of_role("", "reviewer", &arena));
    assert_null(spec_of_role("reviewer: subagent\n", "reviewer", &arena));
    assert_string_equal(spec_of_role("reviewer_model: m1\njudgment_model: m2\n", "docs", &arena),
                        "claude:m1");
    assert_string_equal(spec_of_role("judgment_model: m2\n", "reviewer", &arena), "claude:m2");
    assert_string_equal(spec_of_role("codex_reviewer_backend: codex\nreviewer_model: m1\n",
                                     "reviewer", &arena), "codex");
    assert_string_equal(spec_of_role("codex_reviewer_backend: codex\ncodex_reviewer_model: g\n",
                                     "security", &arena), "codex:g");
    assert_null(spec_of_role("reviewer_model: m1\nexecutor_model: e\n", "executor", &arena));
    arena_release(&arena);
}

TEST(the_model_of_a_reviewer_has_a_backstop)
{
    struct config_text file = { ".review-loop/config.md", STR("judgment_model: m2\n") };
    struct settings none = { .count = 0 }, one = { .files = &file, .file_count = 1 };
    struct arena arena = { 0 };

    assert_string_equal(dialect_session.model(&none, "claude", "reviewer", &arena),
                        "claude-sonnet-4-6");
    assert_string_equal(dialect_session.model(&one, "claude", "polish", &arena), "m2");
    assert_null(dialect_session.model(&one, "claude", "executor", &arena));
    assert_null(dialect_session.model(&one, "codex", "reviewer", &arena));
    arena_release(&arena);
}

static const char *default_of(const char *role)
{
    struct settings none = { .count = 0 };
    struct arena arena = { 0 };
    const char *spec = dialect_session.casting->agent_default(&none, role, 0, &arena);

    arena_release(&arena);
    return spec;
}

/* "With a Codex Executor", "keep review on the outside-sandbox Claude CLI reviewer path", "do not
 * auto-fall back to the local Codex reviewer". */
TEST(codex_executes_and_claude_alone_reviews)
{
    static const char *const reviewers[] = { "reviewer", "polish", "docs", "security" };

    assert_string_equal(default_of("executor"), "codex");
    assert_null(dialect_session.insisting->no_stand_in("executor"));
    for (size_t i = 0; i < sizeof reviewers / sizeof *reviewers; i++) {
        assert_string_equal(default_of(reviewers[i]), "claude");
        assert_non_null(strstr(dialect_session.insisting->no_stand_in(reviewers[i]),
                               "codex_reviewer_backend: codex"));
    }
}

TEST(inside_a_host_its_own_agents_execute)
{
    static const char *const hosts[] = { "claude", "codex" };
    struct settings none = { .count = 0 };
    struct arena arena = { 0 };

    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        assert_string_equal(dialect_session.insisting->hosted_agent(&none, hosts[i], "executor",
                                                                    &arena), hosts[i]);
        assert_null(dialect_session.insisting->hosted_agent(&none, hosts[i], "reviewer", &arena));
    }
    arena_release(&arena);
}
