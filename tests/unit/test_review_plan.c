/* SPDX-License-Identifier: Apache-2.0 */
#include "dialect/dialects.h"
#include "settings/settings.h"

#include "test.h"

#include <stdio.h>
#include <string.h>

static int compile(const char *name, const char *value, struct arena *arena, struct plan *plan,
                   struct err *err)
{
    struct setting setting = { name, value };
    struct settings settings = { .items = &setting, .count = name ? 1 : 0 };

    *err = (struct err){ 0 };
    return dialect_review.plan(&settings, arena, plan, err);
}

TEST(the_plan_is_one_gate_of_five_with_one_fixer)
{
    static const char *const names[] = { "", "critic", "pedant", "witness", "security-reviewer",
                                         "silent-failure-hunter", "review-fixer" };
    struct arena arena = { 0 };
    struct plan plan;
    struct err err;
    const struct gate *gate;

    assert_int_equal(compile(NULL, NULL, &arena, &plan, &err), 0);
    assert_null(plan_problem(&plan));
    assert_int_equal(plan.role_count, 7);
    for (uint32_t i = 1; i < plan.role_count; i++) {
        assert_string_equal(plan.roles[i].name, names[i]);
        assert_int_equal(plan.roles[i].writes, i == 6);
        assert_false(plan.roles[i].commits);
        assert_int_equal(plan.roles[i].invalid_max, 1);
        assert_int_equal(plan.roles[i].failed_max, 1);
        assert_false(plan.roles[i].builtin);
        assert_false(plan.roles[i].ask_when_dead);
    }
    assert_int_equal(plan.phase_count, 1);
    assert_string_equal(plan.phases[0].name, "R1");
    assert_string_equal(plan.phases[0].repair_name, "R2");
    assert_int_equal(plan.phases[0].work.role, ROLE_NONE);
    gate = &plan.phases[0].gate;
    assert_int_equal(gate->reviewer_count, 5);
    for (uint16_t i = 0; i < 5; i++) assert_int_equal(gate->reviewers[i], i + 1);
    assert_int_equal(gate->on_fail, FAIL_REPAIR);
    assert_int_equal(gate->repair.role, 6);
    assert_int_equal(gate->at_bound, BOUND_STOP);
    assert_int_equal(gate->recheck, 0);
    assert_int_equal(plan.iteration_max, 1);
    assert_int_equal(plan.retry_pause_ms, 1000);
    arena_release(&arena);
}

/* Until something: the checker is a role, and what the user said of the bound bounds it, too. Until
 * the seed: the plan is the one above. */
TEST(a_policy_brings_the_checker_and_keeps_the_bound_that_was_said)
{
    static const struct {
        const char *until, *iterations;
        uint32_t role_count, review_max;
    } rows[] = {
        { "", NULL, 7, 0 }, { "seed", "3", 7, 0 }, { "settled", NULL, 8, 5 },
        { "settled", "3", 8, 3 }, { "thorough", NULL, 8, 7 }, { "lean", "1", 8, 1 },
        { "clean", NULL, 8, 20 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct setting setting = { "max-iterations", rows[i].iterations };
        struct run_settings settings = {
            .options = { .items = &setting, .count = rows[i].iterations ? 1 : 0 },
            .until = rows[i].until, .eyes = "codex\ngemini",
        };
        struct arena arena = { 0 };
        const struct gate *gate;
        struct plan plan;
        struct err err = { 0 };

        assert_int_equal(settings_plan(&settings, &dialect_review, &arena, &plan, &err), 0);
        gate = &plan.phases[0].gate;
        assert_null(plan_problem(&plan));
        assert_int_equal(plan.role_count, rows[i].role_count);
        assert_int_equal(gate->reviewer_count, 5);
        assert_int_equal(gate->policy ? gate->policy->review_max : 0, rows[i].review_max);
        if (gate->policy) {
            assert_string_equal(plan.roles[gate->checker].name, "checker");
            assert_int_equal(plan.eyes, 3);
        }
        settings.no_fix = true;
        assert_int_equal(settings_plan(&settings, &dialect_review, &arena, &plan, &err), 0);
        assert_null(plan.phases[0].gate.policy);
        assert_int_equal(plan.role_count, 7);
        arena_release(&arena);
    }
}

TEST(five_reviews_where_nothing_is_said)
{
    struct arena arena = { 0 };
    struct plan plan;
    struct err err;

    assert_int_equal(compile(NULL, NULL, &arena, &plan, &err), 0);
    assert_int_equal(plan.phases[0].gate.repair_max, 4);
    arena_release(&arena);
}

TEST(max_iterations_leaves_one_repair_less)
{
    static const struct { const char *value; uint32_t repairs; } rows[] = {
        { "1", 0 }, { "2", 1 }, { "5", 4 }, { "1000", 999 }, { "007", 6 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arena arena = { 0 };
        struct plan plan;
        struct err err;

        assert_int_equal(compile("max-iterations", rows[i].value, &arena, &plan, &err), 0);
        assert_int_equal(plan.phases[0].gate.repair_max, rows[i].repairs);
        assert_null(plan_problem(&plan));
        arena_release(&arena);
    }
}

TEST(max_iterations_refuses_everything_else)
{
    static const char *const values[] = { "0", "1001", "", "x", "-1", "+1", "1.5", " 5", "5 ",
                                          "5x", "0x5", "18446744073709551617", NULL };

    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct arena arena = { 0 };
        struct plan plan;
        struct err err;
        char wanted[128];

        snprintf(wanted, sizeof wanted, "max-iterations: '%s' is not a whole number from 1 to 1000",
                 values[i] ? values[i] : "");
        assert_int_equal(compile("max-iterations", values[i], &arena, &plan, &err), ERR_USAGE);
        assert_string_equal(err.text, wanted);
        arena_release(&arena);
    }
}

TEST(a_later_setting_wins)
{
    struct setting items[] = { { "max-iterations", "2" }, { "max-iterations", "3" } };
    struct settings settings = { .items = items, .count = 2 };
    struct arena arena = { 0 };
    struct err err = { 0 };
    struct plan plan;

    assert_int_equal(dialect_review.plan(&settings, &arena, &plan, &err), 0);
    assert_int_equal(plan.phases[0].gate.repair_max, 2);
    arena_release(&arena);
}

TEST(an_unknown_setting_is_named)
{
    struct arena arena = { 0 };
    struct plan plan;
    struct err err;

    assert_int_equal(compile("max-iteration", "3", &arena, &plan, &err), ERR_USAGE);
    assert_non_null(strstr(err.text, "max-iteration:"));
    arena_release(&arena);
}

TEST(the_dialect_is_found_by_its_whole_name)
{
    assert_ptr_equal(dialect_find(STR("review")), &dialect_review);
    assert_null(dialect_find(STR("revie")));
    assert_null(dialect_find(STR("reviews")));
    assert_null(dialect_find(STR("")));
}

TEST(every_dialect_in_the_table_is_whole)
{
    for (size_t i = 0; dialects[i]; i++) {
        assert_ptr_equal(dialect_find(str_of(dialects[i]->name)), dialects[i]);
        assert_non_null(dialects[i]->summary);
        assert_non_null(dialects[i]->options);
        assert_true(dialects[i]->plan && dialects[i]->prompt && dialects[i]->judge &&
                    dialects[i]->record);
        assert_int_equal(dialects[i]->commits, dialects[i]->dirty_option != NULL);
    }
    assert_string_equal(dialect_review.private_paths[0], ".agents/tmp/state.json");
    assert_string_equal(dialect_review.private_paths[1], ".agents/tmp/phases");
    assert_null(dialect_review.private_paths[2]);
    assert_string_equal(dialect_review.trail, ".agents/tmp/phases");
    assert_non_null(dialect_review.task_default);
    assert_string_equal(dialect_review.options[0].name, "max-iterations");
    assert_string_equal(dialect_review.options[1].name, "reviewers");
    assert_null(dialect_review.options[2].name);
}

TEST(a_contract_copies_what_it_is_given)
{
    struct contract contract = { 0 };
    char path[32], content[32];

    for (int i = 0; i < 100; i++) {
        snprintf(path, sizeof path, "file-%d", i);
        snprintf(content, sizeof content, "content %d", i);
        contract_file_add(&contract, path, str_of(content));
        contract_folder_add(&contract, path);
    }
    assert_int_equal(contract.file_count, 100);
    assert_int_equal(contract.folder_count, 100);
    for (int i = 0; i < 100; i++) {
        snprintf(path, sizeof path, "file-%d", i);
        snprintf(content, sizeof content, "content %d", i);
        assert_string_equal(contract.files[i].path, path);
        assert_true(str_is(contract.files[i].content, content));
        assert_string_equal(contract.folders[i], path);
    }
    contract_release(&contract);
    assert_int_equal(contract.file_count, 0);
    contract_release(&contract);
}

/* ---- other reviewers than the five ---- */

#define PERF_PATH ".hone/roles/perf.md"

/* A plan for these reviewers; there is one role file. */
static int compile_panel(const char *names, const char *path, const char *text, struct arena *arena,
                         struct plan *plan, struct err *err)
{
    struct setting setting = { "reviewers", names };
    struct config_text file = { .path = path, .text = str_of(text) };
    struct settings settings = { .items = &setting, .count = 1, .files = &file, .file_count = 1 };

    *err = (struct err){ 0 };
    return dialect_review.plan(&settings, arena, plan, err);
}

/* `count` names, each with a comma behind it but for the last. */
static const char *many_names(uint32_t count, struct arena *arena)
{
    const char *names = "";

    for (uint32_t i = 0; i < count; i++) {
        names = arena_printf(arena, "%s%sr%u", names, i ? "," : "", (unsigned)i);
    }
    return names;
}

TEST(others_review_in_the_order_of_their_names)
{
    static const char *const wanted[] = { "", "perf", "witness", "critic", "review-fixer",
                                          "checker" };
    struct arena arena = { 0 };
    struct plan plan;
    struct err err;

    assert_int_equal(compile_panel(" perf , witness,critic", PERF_PATH, "x", &arena, &plan, &err),
                     0);
    assert_null(plan_problem(&plan));
    assert_int_equal(plan.role_count, 5);
    assert_int_equal(plan.checker_count, 1);
    for (uint32_t i = 1; i < 6; i++) {
        assert_string_equal(plan.roles[i].name, wanted[i]);
        assert_int_equal(plan.roles[i].writes, i == 4);
        assert_int_equal(plan.roles[i].invalid_max, 1);
        assert_int_equal(plan.roles[i].failed_max, 1);
    }
    assert_int_equal(plan.phases[0].gate.reviewer_count, 3);
    assert_int_equal(plan.phases[0].gate.repair.role, 4);
    assert_int_equal(plan.phases[0].gate.checker, 5);
    arena_release(&arena);
}

TEST(one_to_sixteen_review)
{
    struct arena arena = { 0 };
    struct config_text files[17];
    struct setting setting = { "reviewers", "critic" };
    struct settings settings = { .items = &setting, .count = 1, .files = files, .file_count = 17 };
    struct plan plan;
    struct err err = { 0 };

    for (uint32_t i = 0; i < 17; i++) {
        files[i] = (struct config_text){
            .path = arena_printf(&arena, ".hone/roles/r%u.md", (unsigned)i), .text = STR("look") };
    }
    assert_int_equal(dialect_review.plan(&settings, &arena, &plan, &err), 0);
    assert_null(plan_problem(&plan));
    assert_int_equal(plan.phases[0].gate.reviewer_count, 1);
    setting.value = many_names(16, &arena);
    assert_int_equal(dialect_review.plan(&settings, &arena, &plan, &err), 0);
    assert_null(plan_problem(&plan));
    assert_int_equal(plan.phases[0].gate.reviewer_count, 16);
    assert_int_equal(plan.role_count, 18);
    setting.value = many_names(17, &arena);
    assert_int_equal(dialect_review.plan(&settings, &arena, &plan, &err), ERR_USAGE);
    assert_string_equal(err.text, "reviewers: a review has at most 16 reviewers");
    arena_release(&arena);
}

TEST(reviewers_that_cannot_review)
{
    static const struct { const char *names, *says; } rows[] = {
        { "", "reviewers: name at least one" },
        { ",", "a role has a name" },
        { "perf,,critic", "a role has a name" },
        { "perf,critic,perf", "perf stands there twice" },
        { "critic, critic", "critic stands there twice" },
        { "nobody", "there is no role 'nobody': 'hone roles' lists them; a role of your own is a "
                    "file .hone/roles/nobody.md" },
        { "critic;perf", "'critic;perf' is no name for a role" },
        { "critic perf", "'critic perf' is no name for a role" },
        { "Critic", "'Critic' is no name for a role" },
        { "../perf", "'../perf' is no name for a role" },
        { "cr\xd1\x96tic", "so that none can look like another" },
        { "verdict", "no role can be called verdict" },
        { "overall-verdict", "no role can be called overall-verdict" },
        { "total-issues", "no role can be called total-issues" },
        { "critic,review-fixer", "review-fixer has another part in this loop" },
        { "checker", "checker has another part in this loop" },
        { "implementer", "there is no role 'implementer'" },
    };
    struct arena arena = { 0 };
    struct plan plan;
    struct err err;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (compile_panel(rows[i].names, PERF_PATH, "x", &arena, &plan, &err) != ERR_USAGE) {
            fail_msg("taken: %s", rows[i].names);
        }
        assert_int_equal(strncmp(err.text, "reviewers: ", 11), 0);
        assert_has(err.text, rows[i].says);
    }
    /* A file of that name makes none of them right. */
    assert_int_equal(compile_panel("verdict", ".hone/roles/verdict.md", "x", &arena, &plan, &err),
                     ERR_USAGE);
    assert_int_equal(compile_panel("checker", ".hone/roles/checker.md",
                                   "---\nextends: checker\n---\nx", &arena, &plan, &err),
                     ERR_USAGE);
    arena_release(&arena);
}

TEST(a_file_is_wrong_whether_its_role_is_named_or_built_in)
{
    static const struct { const char *names, *path, *text, *says; } rows[] = {
        { "perf", PERF_PATH, "", PERF_PATH ": it tells the agent nothing" },
        { "perf", PERF_PATH, "---\nwrites: true\n---\nx", "a reviewer changes nothing" },
        { "perf", PERF_PATH, "---\nextends: review-fixer\n---\nx", "extend one that reviews" },
        { "perf", PERF_PATH, "---\nextends: nobody\n---\nx", "it extends 'nobody'" },
        { "critic", ".hone/roles/critic.md", "x", "hone has a role of this name" },
        { NULL, ".hone/roles/critic.md", "x", "hone has a role of this name" },
        { NULL, ".hone/roles/critic.md", "---\nwrites: true\nextends: critic\n---\nx",
          "a reviewer changes nothing" },
        { NULL, ".hone/roles/review-fixer.md", "---\nreplaces: review-fixer\n---\nx",
          "how review-fixer works is a part of the loop: say 'extends: review-fixer'" },
        { NULL, ".hone/roles/checker.md", "---\nreplaces: checker\n---\nx",
          "how checker works is a part of the loop" },
    };
    struct arena arena = { 0 };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct setting setting = { "reviewers", rows[i].names };
        struct config_text file = { .path = rows[i].path, .text = str_of(rows[i].text) };
        struct settings settings = { .items = &setting, .count = rows[i].names ? 1 : 0,
                                     .files = &file, .file_count = 1 };
        struct plan plan;
        struct err err = { 0 };

        assert_int_equal(dialect_review.plan(&settings, &arena, &plan, &err), ERR_USAGE);
        if (!strstr(err.text, rows[i].says)) fail_msg("row %zu: %s", i, err.text);
    }
    arena_release(&arena);
}

TEST(files_that_no_role_has_change_nothing)
{
    struct config_text files[] = {
        { .path = PERF_PATH, .text = STR("not: [read") },
        { .path = "REVIEW.md", .text = STR("be kind") },
    };
    struct settings settings = { .files = files, .file_count = 2 };
    struct arena arena = { 0 };
    struct plan plan, seed;
    struct err err = { 0 };

    assert_int_equal(dialect_review.plan(&settings, &arena, &plan, &err), 0);
    assert_int_equal(compile(NULL, NULL, &arena, &seed, &err), 0);
    assert_ptr_equal(plan.roles, seed.roles);
    assert_ptr_equal(plan.phases[0].gate.reviewers, seed.phases[0].gate.reviewers);
    arena_release(&arena);
}

TEST(a_policy_takes_other_reviewers_and_their_checker)
{
    struct setting setting = { "reviewers", "perf,critic" };
    struct config_text file = { .path = PERF_PATH, .text = STR("x") };
    struct run_settings settings = {
        .options = { .items = &setting, .count = 1, .files = &file, .file_count = 1 },
        .until = "settled", .paths = "", .fail_on = "", .since = "",
    };
    struct arena arena = { 0 };
    struct plan plan;
    struct err err = { 0 };

    assert_int_equal(settings_plan(&settings, &dialect_review, &arena, &plan, &err), 0);
    assert_null(plan_problem(&plan));
    assert_non_null(plan.phases[0].gate.policy);
    assert_int_equal(plan.role_count, 5);
    assert_string_equal(plan.roles[plan.phases[0].gate.checker].name, "checker");
    arena_release(&arena);
}
