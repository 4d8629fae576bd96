/* SPDX-License-Identifier: Apache-2.0
 *
 * test_cycles_plan.c - settings and spec as a plan, and the names that are made of them. */
#include "../sim/plans.h"
#include "cycles_scene.h"
#include "dialect/cycles/cycles.h"
#include "test.h"
#include "dialect/dialects.h"

#include <stdio.h>
#include <string.h>

/* ---- the plan ---- */

struct compiled {
    struct arena arena;
    struct plan plan;
    struct warnings warnings;
    struct err err;
    int rc;
};

static struct compiled compile(const char *name, const char *value, const char *spec)
{
    struct compiled out = { .rc = 0 };
    struct setting items[] = { { "spec", "specs/7.md" }, { name, value } };
    struct config_text file = { "--spec", str_of(spec) };
    struct settings settings = { .items = items, .count = name ? 2 : 1, .files = &file,
                                 .file_count = spec ? 1 : 0, .warnings = &out.warnings };

    out.rc = dialect_cycles.plan(&settings, &out.arena, &out.plan, &out.err);
    return out;
}

static void compiled_release(struct compiled *compiled)
{
    arena_release(&compiled->arena);
    warnings_release(&compiled->warnings);
}

/* "1 2 3": the phases of the plan, each of two rows. */
static void expect_phases(const char *name, const char *value, const char *spec,
                          const char *wanted)
{
    struct compiled compiled = compile(name, value, spec);
    struct buf text;

    assert_int_equal(compiled.rc, 0);
    assert_null(plan_problem(&compiled.plan));
    buf_init(&text, 4096);
    for (uint32_t i = 0; i < compiled.plan.phase_count; i += 2) {
        const struct phase *phase = &compiled.plan.phases[i];
        assert_string_equal(phase[0].name, phase[1].name);
        buf_printf(&text, "%s%s", i ? " " : "", phase->name);
    }
    assert_string_equal(buf_cstr(&text), wanted);
    buf_release(&text);
    compiled_release(&compiled);
}

static void refused(const char *name, const char *value, const char *words)
{
    struct compiled compiled = compile(name, value, NULL);

    assert_int_equal(compiled.rc, ERR_USAGE);
    if (!strstr(compiled.err.text, words)) fail_msg("%s: %s", value, compiled.err.text);
    compiled_release(&compiled);
}

static void same_gate(const struct gate *gate, const struct gate *wanted)
{
    assert_int_equal(gate->reviewer_count, wanted->reviewer_count);
    assert_int_equal(gate->on_fail, wanted->on_fail);
    assert_int_equal(gate->repair_max, wanted->repair_max);
    assert_int_equal(gate->at_bound, wanted->at_bound);
    assert_int_equal(gate->recheck, wanted->recheck);
    assert_int_equal(gate->mints, wanted->mints);
    assert_int_equal(gate->repeat_max, wanted->repeat_max);
    assert_int_equal(gate->repair.by_groups, wanted->repair.by_groups);
    assert_int_equal(gate->repair.on_stuck, wanted->repair.on_stuck);
}

/* The simulations play the fixture: the real plan must be of its shape. */
TEST(the_plan_is_the_one_that_is_simulated)
{
    struct plan_size size = { .phases = 2, .repairs = 2, .invalid_max = 1, .failed_max = 1 };
    struct compiled compiled = compile("phases", "1,2", NULL);
    const struct plan *plan = &compiled.plan;
    struct fixture fixture;

    plans_make(&fixture, PLAN_CYCLES, &size);
    assert_int_equal(compiled.rc, 0);
    assert_int_equal(plan->phase_count, fixture.plan.phase_count);
    assert_int_equal(plan->role_count, fixture.plan.role_count);
    assert_int_equal(plan->iteration_max, fixture.plan.iteration_max);
    assert_int_equal(plan->retry_pause_ms, fixture.plan.retry_pause_ms);
    for (uint32_t i = 0; i < plan->phase_count; i++) {
        const struct phase *phase = &plan->phases[i], *wanted = &fixture.plan.phases[i];
        const struct role *worker = &plan->roles[phase->work.role];
        const struct role *wanted_worker = &fixture.plan.roles[wanted->work.role];

        assert_string_equal(phase->name, wanted->name);
        assert_null(phase->repair_name);
        assert_int_equal(phase->work.copies, 1);
        assert_int_equal(worker->builtin, wanted_worker->builtin);
        assert_int_equal(worker->writes, wanted_worker->writes);
        same_gate(&phase->gate, &wanted->gate);
    }
    compiled_release(&compiled);
}

TEST(roles_are_the_seeds_and_hone_commits)
{
    struct compiled compiled = compile(NULL, NULL, NULL);
    const struct role *roles = compiled.plan.roles;
    const struct gate *gate = &compiled.plan.phases[1].gate;

    assert_string_equal(roles[compiled.plan.phases[0].work.role].name, "implementer");
    assert_string_equal(roles[gate->reviewers[0]].name, "spec-reviewer");
    assert_string_equal(roles[gate->repair.role].name, "spec-fixer");
    assert_true(roles[gate->repair.role].writes);
    assert_true(roles[gate->repair.role].commits);
    assert_true(roles[compiled.plan.phases[0].work.role].commits);
    assert_true(roles[gate->repair.role].ask_when_dead);
    assert_int_equal(roles[gate->repair.role].failed_max, 1);
    assert_false(roles[gate->reviewers[0]].writes);
    assert_true(roles[gate->repair.then].builtin);
    assert_int_equal(gate->repair.then, compiled.plan.phases[1].work.role);
    assert_true(dialect_cycles.commits);
    compiled_release(&compiled);
}

TEST(three_cycles_where_nothing_is_said)
{
    static const struct { const char *value; uint32_t repairs; } rows[] = {
        { NULL, 2 }, { "1", 0 }, { "2", 1 }, { "1000", 999 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct compiled compiled = compile(rows[i].value ? "cycles" : NULL, rows[i].value, NULL);
        assert_int_equal(compiled.rc, 0);
        assert_int_equal(compiled.plan.phases[1].gate.repair_max, rows[i].repairs);
        compiled_release(&compiled);
    }
    refused("cycles", "0", "cycles: '0' is not a whole number from 1 to 1000");
    refused("cycles", "1001", "cycles");
    refused("cycles", "-1", "cycles");
    refused("cycles", "many", "cycles");
    refused("cycles", "", "cycles");
}

TEST(phases_come_from_the_option_first)
{
    char many[1024] = "";

    expect_phases("phases", "1,2,3", NULL, "1 2 3");
    expect_phases("phases", "7", NULL, "7");
    expect_phases("phases", "3,1", CYCLES_SPEC, "3 1");
    expect_phases("phases", " 1 , 2", NULL, "1 2");
    refused("phases", "1,1", "phases: 1 stands in '1,1' twice");
    refused("phases", "0", "phases");
    refused("phases", "1,", "phases");
    refused("phases", ",1", "phases");
    refused("phases", "1,,2", "phases");
    refused("phases", "1;2", "phases");
    refused("phases", "-1", "phases");
    refused("phases", "1001", "phases");
    refused("phases", "", "phases");
    refused("phases", "one", "such as 1,2,3");
    for (unsigned i = 1; i <= 101; i++) {
        snprintf(many + strlen(many), sizeof many - strlen(many), "%s%u", i > 1 ? "," : "", i);
    }
    refused("phases", many, "more than 100");
}

TEST(else_from_the_specs_table_else_one)
{
    expect_phases(NULL, NULL, NULL, "1");
    expect_phases(NULL, NULL, "# No table\n\nWords.\n", "1");
    expect_phases(NULL, NULL, CYCLES_SPEC, "1 2");
    expect_phases(NULL, NULL, "| SC-001 | does | 3 |\n", "1 2 3");
    expect_phases(NULL, NULL, "| SC-1 | a | 1 |\n| SC-2 | b | 2 |\n| SC-3 | c | 1 |\n", "1 2");
    expect_phases(NULL, NULL, "| **SC-001** | does | Phase 2 |\n", "1 2");
    expect_phases(NULL, NULL, "| `SC-001` | a \\| b | 1, 2 |\n", "1 2");
    expect_phases(NULL, NULL, "| SC-001 | does | 2\n", "1 2");
    expect_phases(NULL, NULL, "| ID | Does | Phase | N |\n| SC-001 | a \\| b | 2 | 9 |\n", "1 2");
    expect_phases(NULL, NULL, "| SC-001 | does | 2 |\r\n", "1 2");
    expect_phases(NULL, NULL, "| ID | Phase | Notes |\n|-|-|-|\n| SC-001 | 2 | 9 of 9 |\n", "1 2");
    expect_phases(NULL, NULL, "| SC-x | does | 3 |\n| AC-001 | does | 4 |\n", "1");
    expect_phases(NULL, NULL, "| SC-001 | does | soon |\n", "1");
    expect_phases(NULL, NULL, "```\n| SC-001 | an example | 9 |\n```\n", "1");
    expect_phases(NULL, NULL, "> | SC-001 | quoted | 9 |\n", "1");
}

TEST(a_phase_that_cannot_be_is_left_out_and_said)
{
    struct compiled compiled = compile(NULL, NULL, "# S\n| SC-001 | a | 101 |\n"
                                       "| SC-002 | b | 0 |\n| SC-003 | c | 2 |\n"
                                       "| SC-004 | d | 99999999999999999999999 |\n");

    assert_int_equal(compiled.rc, 0);
    assert_int_equal(compiled.plan.phase_count, 4);
    assert_int_equal(compiled.warnings.count, 3);
    assert_string_equal(compiled.warnings.items[0], "specs/7.md: line 2: the phase of a criterion "
                        "is a number from 1 to 100; this row is left out");
    compiled_release(&compiled);
}

/* "a spec whose headings look like phases but are not read as such is said" */
TEST(headings_that_look_like_phases_are_said)
{
    static const struct {
        const char *spec;
        uint32_t warnings;
    } cases[] = {
        { "# S\n\n## Phase 1: a\n\ntext\n\n### phase 2\n\ntext\n", 1 },
        { "# S\n\n## Phase 1: a\n\n## Phase 2\n\n| SC-001 | a | 2 |\n", 0 },
        { "# S\n\n## Phase 1: a\n", 0 },
        { "# S\n\n## Phases\n\n## Phase one\n", 0 },
        { "# S\n\n```\n## Phase 1\n## Phase 2\n```\n", 0 },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct compiled compiled = compile(NULL, NULL, cases[i].spec);

        assert_int_equal(compiled.rc, 0);
        assert_int_equal(compiled.warnings.count, cases[i].warnings);
        if (cases[i].warnings) {
            assert_non_null(strstr(compiled.warnings.items[0], "2 headings 'Phase N' are not read "
                                   "as phases, so all of it is one: name the phases with "
                                   "--phases 1,2,3"));
        }
        compiled_release(&compiled);
    }
    {
        struct compiled compiled = compile("phases", "1,2", "## Phase 1\n## Phase 2\n");

        assert_int_equal(compiled.warnings.count, 0); /* the user named them */
        compiled_release(&compiled);
    }
}

TEST(the_session_folder_lies_in_the_repository)
{
    static const char *const good[] = { "out", "out/", "a/b/c", ".x/y", "a b" };
    static const char *const bad[] = { "", "/", "/tmp/x", "../x", "a/../b", "./a", "a//b", "a/.",
                                       ".git", ".git/x", ".hone/x", "a\nb", "a//", "\x7f" };

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct compiled compiled = compile("session-dir", good[i], NULL);
        assert_int_equal(compiled.rc, 0);
        compiled_release(&compiled);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) refused("session-dir", bad[i], "session");
    refused("max-iterations", "3", "cycles has no such setting");
}

/* ---- names ---- */

static const char *folder(const char *spec, const char *task, uint32_t nth, struct arena *arena)
{
    struct setting item = { "spec", spec };
    struct settings settings = { .items = &item, .count = spec ? 1 : 0 };
    const struct dialect_option *option = dialect_cycles.options;

    while (!option->folder) option++;
    return option->folder(task, &settings, "20260115-0840", nth, arena);
}

TEST(the_folder_has_time_and_topic_and_is_told_apart)
{
    struct arena arena = { 0 };

    assert_string_equal(folder("specs/042-login.md", "x", 0, &arena),
                        "tmp/mux/20260115-0840-042-login");
    assert_string_equal(folder("specs/042-login.md", "x", 1, &arena),
                        "tmp/mux/20260115-0840-042-login-2");
    assert_string_equal(folder("specs/042-login.md", "x", 2, &arena),
                        "tmp/mux/20260115-0840-042-login-3");
    assert_string_equal(folder(NULL, "Build the Login!", 0, &arena),
                        "tmp/mux/20260115-0840-build-the-login");
    assert_string_equal(folder(NULL, "\n\n  ../../etc: x\nsecond", 0, &arena),
                        "tmp/mux/20260115-0840-etc-x");
    assert_string_equal(folder(NULL, "\xc3\xbc\xc3\xb6", 0, &arena),
                        "tmp/mux/20260115-0840-session");
    assert_string_equal(folder(NULL, "a task with many words in one long line of text", 0, &arena),
                        "tmp/mux/20260115-0840-a-task-with-many-words-in-one-long-line");
    assert_string_equal(folder("Spec", "x", 0, &arena), "tmp/mux/20260115-0840-spec");
    arena_release(&arena);
}

static void expect_message(const char *path, const char *text, const char *task,
                           const char *wanted)
{
    struct setting item = { "spec", path };
    struct config_text file = { "--spec", str_of(text) };
    struct settings settings = { .items = &item, .count = path ? 1 : 0, .files = &file,
                                 .file_count = text ? 1 : 0 };
    struct phase phases[] = { { .name = "1" }, { .name = "1" } };
    struct plan plan = { .phases = phases, .phase_count = 2 };
    struct engine engine = { .plan = &plan };
    struct run_view run = { .engine = &engine, .settings = &settings, .task = task };
    struct action action = { .kind = ACT_START, .role = CYCLES_COMMITTER, .purpose = FOR_THEN,
                             .phase = 1, .round = 2 };
    struct arena arena = { 0 };
    struct builtin builtin = { 0 };

    dialect_cycles.builtin(&run, &action, &arena, &builtin);
    assert_int_equal(builtin.kind, BUILTIN_COMMIT);
    assert_string_equal(builtin.text, wanted);
    arena_release(&arena);
}

TEST(commits_have_number_phase_cycle_and_title)
{
    static const struct { const char *path, *number; } rows[] = {
        { "specs/042-login.md", "042" }, { "7.md", "007" }, { "a/spec-12-x.md", "012" },
        { "login.md", "000" }, { "v1/login.md", "000" }, { "1234-x.md", "1234" },
        { "123456789012345.md", "123456789012" }, { ".042", "042" }, { "x.042", "000" },
    };
    char wanted[128];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(wanted, sizeof wanted, "spec(%s): FIX phase-1 cycle-2 - T", rows[i].number);
        expect_message(rows[i].path, "# T\n", "x", wanted);
    }
    expect_message("1.md", "---\n# comment: x\n---\n\n```\n# code\n```\n## Real ##\n", "x",
                   "spec(001): FIX phase-1 cycle-2 - Real");
    expect_message("1-login.md", "no heading\n", "x", "spec(001): FIX phase-1 cycle-2 - 1-login");
    expect_message("1-login.md", "#\n\n# \n", "x", "spec(001): FIX phase-1 cycle-2 - 1-login");
    expect_message(NULL, NULL, "\nBuild it\nwell", "spec(000): FIX phase-1 cycle-2 - Build it");
    expect_message("1.md", "# a\x1b[31m b\tc\n", "x", "spec(001): FIX phase-1 cycle-2 - "
                   "a\\x1b[31m b c");
    expect_message("1.md", "# 12345678901234567890123456789012345678901234567890123456789012345678"
                   "90123456789\n", "x", "spec(001): FIX phase-1 cycle-2 - "
                   "123456789012345678901234567890123456789012345678901234567890123456789...");
}

TEST(the_implementers_commit_says_so)
{
    struct cycles_scene scene;
    struct builtin builtin = { 0 };
    struct action action;

    cycles_open(&scene, CYCLES_SPEC, NULL);
    cycles_answer(&scene, "implementer", "built");
    action = cycles_action(&scene, "committer");
    dialect_cycles.builtin(&scene.run, &action, &scene.arena, &builtin);
    assert_string_equal(builtin.text, "spec(042): IMPLEMENT phase-1 - Login form");
    cycles_close(&scene);
}

/* Both look at once, and only where both say PASS the phase passes. */
TEST(of_several_reviewers_the_worst_grade_counts)
{
    struct cycles_scene scene;

    cycles_open_panel(&scene, "perf,spec-reviewer", "Look at queries.\n");
    assert_int_equal(scene.plan.phases[1].gate.reviewer_count, 2);
    assert_int_equal(scene.plan.phases[1].gate.reviewers[1], CYCLES_REVIEWER);
    assert_string_equal(scene.plan.roles[CYCLES_ROLE_COUNT].name, "perf");
    assert_int_equal(cycles_kind(&scene.plan, CYCLES_ROLE_COUNT), CYCLES_REVIEWER);
    assert_null(plan_problem(&scene.plan));
    assert_string_equal(dialect_cycles.model(&scene.settings, "claude", "perf", &scene.arena),
                        "opus");
    cycles_implement(&scene);
    cycles_answer(&scene, "perf", "## Grade: WARN");
    assert_str(scene.engine.lanes[0].now.jobs[0].result.findings[0].source, "perf");
    cycles_answer(&scene, "spec-reviewer", "## Grade: PASS");
    cycles_fix(&scene);
    cycles_answer(&scene, "spec-reviewer", "## Grade: PASS");
    assert_int_equal(scene.engine.state, ENGINE_RUNNING);
    cycles_answer(&scene, "perf", "## Grade: PASS");
    assert_int_equal(scene.engine.reason, REASON_CLEAN);
    cycles_close(&scene);
}
