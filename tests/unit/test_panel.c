/* SPDX-License-Identifier: Apache-2.0
 *
 * test_panel.c - who reviews, as the user names them: which lists are taken, what their files may
 * say, and where such roles stand in a plan. */
#include "dialect/dialects.h"
#include "dialect/panel.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

TESTS_ARENA

#define PERF "---\ndescription: finds what is slow\n---\n- A query in a loop.\n"

static bool is_builtin(const char *role)
{
    return strcmp(role, "looker") == 0 || strcmp(role, "mender") == 0;
}

static const char *const reviewers[] = { "looker", NULL };
static const char *const taken[] = { "sum", NULL };
static const struct panel_rule rule = { .is_builtin = is_builtin, .reviewers = reviewers,
                                        .taken = taken };
static const struct role roles[] = { { .name = "" }, { .name = "mender", .writes = true },
                                     { .name = "looker" } };

/* Reads a list, with this file of the role perf; where that is good, makes the plan and checks its
 * files. The message, or "". */
static const char *problem_of(const char *list, const char *path, const char *text,
                              struct plan *plan)
{
    struct setting item = { "reviewers", list };
    struct config_text file = { path, str_of(text) };
    struct settings settings = { .items = &item, .count = list != NULL, .files = &file,
                                 .file_count = 1 };
    struct err err = { .text = "" };
    struct panel panel;

    *plan = (struct plan){ .roles = roles, .role_count = 3 };
    if (panel_read(&settings, &rule, &arena, &panel, &err) != 0) {
        assert_int_equal(err.code, ERR_USAGE);
    } else {
        if (panel.count > 0) (void)panel_join(&panel, 2, &arena, plan);
        (void)panel_check(&settings, &rule, plan, &arena, &err);
    }
    return arena_cstr(&arena, str_of(err.text));
}

static void expect_list(const char *list, const char *words)
{
    struct plan plan;
    const char *problem = problem_of(list, ".hone/roles/perf.md", PERF, &plan);

    if (!strstr(problem, words)) fail_msg("'%s' is not in '%s'", words, problem);
}

TEST(lists_that_cannot_be_taken_say_why)
{
    expect_list("", "name at least one");
    expect_list("looker,,perf", "a role has a name");
    expect_list("looker,looker", "looker stands there twice");
    expect_list("mender", "mender has another part in this loop");
    expect_list("sum", "no role can be called sum");
    expect_list("nobody", "there is no role 'nobody'");
    expect_list("Perf", "'Perf' is no name for a role");
    expect_list("../x", "is no name for a role");
}

TEST(a_review_has_at_most_sixteen)
{
    struct config_text files[17];
    struct settings settings = { .files = files, .file_count = 17 };
    struct setting item = { "reviewers", "" };
    struct panel panel;
    struct err err;

    for (int i = 0; i < 17; i++) {
        files[i] = (struct config_text){ arena_printf(&arena, ".hone/roles/r%d.md", i),
                                         STR("look") };
        item.value = arena_printf(&arena, "%s%sr%d", item.value, i ? "," : "", i);
        settings.items = &item;
        settings.count = 1;
        assert_int_equal(panel_read(&settings, &rule, &arena, &panel, &err),
                         i < PANEL_MAX ? 0 : ERR_USAGE);
    }
    assert_non_null(strstr(err.text, "at most 16"));
}

TEST(the_first_has_the_place_of_the_own_one_unless_that_is_named)
{
    struct plan plan;

    assert_string_equal(problem_of("perf", ".hone/roles/perf.md", PERF, &plan), "");
    assert_int_equal(plan.role_count, 3);
    assert_string_equal(plan.roles[2].name, "perf");
    assert_string_equal(problem_of("perf, looker", ".hone/roles/perf.md", PERF, &plan), "");
    assert_int_equal(plan.role_count, 4);
    assert_string_equal(plan.roles[2].name, "looker");
    assert_string_equal(plan.roles[3].name, "perf");
    assert_int_equal(plan.roles[3].invalid_max, 1);
    assert_false(plan.roles[3].writes);
    assert_string_equal(problem_of(NULL, ".hone/roles/perf.md", PERF, &plan), "");
    assert_ptr_equal(plan.roles, roles);
}

static void expect_file(const char *path, const char *text, const char *words)
{
    struct plan plan;
    const char *problem = problem_of("looker,perf", path, text, &plan);

    if (!*words) assert_string_equal(problem, "");
    if (!strstr(problem, words)) fail_msg("'%s' is not in '%s'", words, problem);
}

TEST(a_file_fits_the_part_of_its_role)
{
    static const char perf[] = ".hone/roles/perf.md";

    expect_file(perf, PERF, "");
    expect_file(perf, "---\nextends: critic\n---\n", ""); /* of another dialect, which reviews */
    expect_file(perf, "---\nwrites: true\n---\nx\n", "a reviewer changes nothing");
    expect_file(perf, "---\nextends: review-fixer\n---\nx\n", "there is no such role");
    expect_file(perf, "---\nextends: mender\n---\nx\n", "extend one that reviews");
    expect_file(perf, "---\nextends: perf\n---\nx\n", "it extends itself");
}

/* A role with another part: its file adds to it, and does not replace it. */
TEST(a_file_adds_to_a_role_that_does_not_review)
{
    struct plan plan;

    assert_string_equal(problem_of(NULL, ".hone/roles/mender.md",
                                   "---\nextends: mender\n---\nMend it well.\n", &plan), "");
    assert_non_null(strstr(problem_of(NULL, ".hone/roles/mender.md",
                                      "---\nreplaces: mender\n---\nMend it well.\n", &plan),
                           "say 'extends: mender'"));
    assert_non_null(strstr(problem_of(NULL, ".hone/roles/mender.md",
                                      "---\nextends: critic\n---\nMend it well.\n", &plan),
                           "say 'extends: mender'"));
}

TEST(what_a_role_is_told_has_a_bound)
{
    struct config_text files[5];
    struct setting item = { "reviewers", "r0" };
    struct settings settings = { .items = &item, .count = 1, .files = files, .file_count = 5 };
    struct plan plan = { .roles = roles, .role_count = 3 };
    struct panel panel;
    struct err err;
    char *body = arena_alloc(&arena, (24 << 10) + 1);

    memset(body, 'x', 24 << 10);
    for (int i = 0; i < 5; i++) {
        files[i].path = arena_printf(&arena, ".hone/roles/r%d.md", i);
        files[i].text = str_of(i == 4 ? body : arena_printf(&arena, "---\nextends: r%d\n---\n%s",
                                                            i + 1, body));
    }
    assert_int_equal(panel_read(&settings, &rule, &arena, &panel, &err), 0);
    (void)panel_join(&panel, 2, &arena, &plan);
    assert_int_equal(panel_check(&settings, &rule, &plan, &arena, &err), ERR_USAGE);
    assert_non_null(strstr(err.text, "more than 64 KiB"));
}

TEST(an_agent_is_told_the_base_and_the_files)
{
    struct config_text file = { ".hone/roles/perf.md",
                                STR("---\nextends: critic\n---\nLook at queries.\n") };
    struct settings settings = { .files = &file, .file_count = 1 };
    struct own_role own;
    struct buf base, told;

    assert_true(panel_own(&settings, "perf", is_builtin, &arena, &own));
    buf_init(&base, 1 << 20);
    buf_init(&told, 1 << 20);
    panel_base(&own, &arena, &base);
    panel_told(&own, "fence", &told);
    assert_true(str_starts(buf_str(&base), STR("Find what breaks.\n")));
    assert_string_equal(buf_cstr(&told), "===== data fence =====\nLook at queries.\n"
                                         "===== end of data fence =====\n");
    buf_release(&base);
    buf_release(&told);
    assert_null(panel_file(&settings, "looker", is_builtin, &arena));
}

/* Every dialect that takes a list has it as an option and as a key, and its own list is one. */
TEST(dialects_that_take_a_list_take_their_own)
{
    static const char *const lists[][2] = { { "review", "critic" }, { "iterate", "code-reviewer" },
                                            { "cycles", "spec-reviewer" } };

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const struct dialect *dialect = dialect_find(str_of(lists[i][0]));
        struct setting item = { "reviewers", lists[i][1] };
        struct settings settings = { .items = &item, .count = 1 };
        struct plan plan;
        struct err err = { .text = "" };

        assert_non_null(dialect->role_file);
        assert_non_null(dialect->casting);
        assert_int_equal(dialect->plan(&settings, &arena, &plan, &err), 0);
        assert_null(plan_problem(&plan));
        item.value = "perf";
        assert_int_equal(dialect->plan(&settings, &arena, &plan, &err), ERR_USAGE);
    }
}

TESTS_WITHIN(NULL, release)
