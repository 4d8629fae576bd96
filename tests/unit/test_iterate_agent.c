/* SPDX-License-Identifier: Apache-2.0
 *
 * test_iterate_agent.c - who plays iterate's roles by its configuration, and what hone itself
 * does for the test. In the texts ' stands for ". */
#include "iterate_reading.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

typedef const char *agent_fn(const struct settings *settings, const char *role, uint32_t copy,
                             struct arena *arena);

static void check_by(agent_fn *agent, const char *config, bool lite, const char *role,
                     uint32_t copy, const char *wanted)
{
    struct setting item = { "lite", "true" };
    struct arena arena = { 0 };
    struct config_text file = { READING_USER, str_of(reading_quoted(&arena, config)) };
    struct settings settings = { .items = &item, .count = lite ? 1 : 0, .files = &file,
                                 .file_count = 1 };
    const char *spec = agent(&settings, role, copy, &arena);

    assert_string_equal(spec ? spec : "the run's default", wanted ? wanted : "the run's default");
    arena_release(&arena);
}

static void check_agent(const char *config, bool lite, const char *role, uint32_t copy,
                        const char *wanted)
{
    check_by(iterate_agent, config, lite, role, copy, wanted);
}

TEST(codex_reviews_where_nothing_is_said_and_the_rest_is_the_runs_default)
{
    static const struct { const char *role, *spec; } rows[] = {
        { "brainstormer", NULL },  { "planner", NULL },    { "plan-reviewer", "codex" },
        { "implementer", NULL },   { "code-reviewer", NULL }, { "simplifier", NULL },
        { "final-reviewer", "codex" }, { "codex-final", "codex" }, { "fixer", NULL },
        { "somebody", NULL },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (uint32_t copy = 0; copy < 3; copy++) {
            check_by(iterate_agent_default, "{}", false, rows[i].role, copy, rows[i].spec);
            check_by(iterate_agent_default, "{}", true, rows[i].role, copy, NULL);
            check_agent("{}", false, rows[i].role, copy, NULL);
        }
    }
}

static void check_effort(const char *config, bool lite, const char *role, uint32_t copy,
                         bool by_default, const char *wanted)
{
    struct setting item = { "lite", "true" };
    struct arena arena = { 0 };
    struct config_text file = { READING_USER, str_of(reading_quoted(&arena, config)) };
    struct settings settings = { .items = &item, .count = lite ? 1 : 0, .files = &file,
                                 .file_count = 1 };
    const char *effort = iterate_effort(&settings, role, copy, by_default, &arena);

    assert_string_equal(effort ? effort : "its own", wanted ? wanted : "its own");
    arena_release(&arena);
}

/* "9": { "tool": "mcp__codex-high__codex" }, and all others of that form. */
TEST(a_tools_name_says_how_hard_codex_thinks)
{
    static const char *const efforts[] = { "minimal", "low", "medium", "high", "xhigh", "max",
                                           "ultra" };

    check_effort("{}", false, "codex-final", 0, true, "high");
    check_effort("{}", false, "codex-final", 0, false, NULL);
    check_effort("{}", true, "codex-final", 0, true, NULL);
    check_effort("{}", false, "plan-reviewer", 0, true, NULL);
    check_effort("{}", false, "final-reviewer", 0, true, NULL);
    check_effort("{}", false, "code-reviewer", 0, true, NULL);
    check_effort("{'phases':{'9':{'tool':'mcp__codex__codex'}}}", false, "codex-final", 0, false,
                 NULL);
    check_effort("{'phases':{'9':{'tool':'mcp__codex__codex'}}}", false, "codex-final", 0, true,
                 NULL);
    check_effort("{'phases':{'3':{'tool':'claude-review'}}}", false, "plan-reviewer", 0, false,
                 NULL);
    check_effort("{'phases':{'5':{'model':'mcp__codex-low__codex'}}}", false, "code-reviewer", 0,
                 false, "low");
    check_effort("{'phases':{'1':{'model':'mcp__codex-low__codex',"
                 "'parallelModel':'mcp__codex-xhigh__codex'}}}", false, "brainstormer", 0, false,
                 "low");
    check_effort("{'phases':{'1':{'model':'mcp__codex-low__codex',"
                 "'parallelModel':'mcp__codex-xhigh__codex'}}}", false, "brainstormer", 1, false,
                 "xhigh");
    for (uint32_t i = 0; i < sizeof efforts / sizeof *efforts; i++) {
        char config[96];

        snprintf(config, sizeof config, "{'phases':{'3':{'tool':'mcp__codex-%s__codex'}}}",
                 efforts[i]);
        check_effort(config, false, "plan-reviewer", 0, false, efforts[i]);
        check_agent(config, false, "plan-reviewer", 0, "codex");
        check_agent(config, true, "plan-reviewer", 0, NULL);
    }
    check_agent("{'phases':{'3':{'tool':'mcp__codex-hihg__codex'}}}", false, "plan-reviewer", 0,
                NULL); /* it is refused with a warning, and so is such a model */
    check_agent("{'phases':{'5':{'model':'mcp__codex-hihg__codex'}}}", false, "code-reviewer", 0,
                NULL);
}

TEST(a_models_name_is_claude_with_that_model)
{
    static const char config[] =
        "{'phases':{'1':{'model':'opus'},'2':{'model':null,'parallelModel':'haiku'},"
        "'4':{'model':'claude-sonnet-4-5'},'5':{'model':'mcp__codex__codex'},"
        "'7':{'model':'mcp__codex-high__codex'}}}";

    for (uint32_t lite = 0; lite < 2; lite++) {
        check_agent(config, lite, "brainstormer", 0, "claude:opus");
        check_agent(config, lite, "implementer", 0, "claude:claude-sonnet-4-5");
        check_agent(config, lite, "implementer", 1, "claude:claude-sonnet-4-5");
        check_agent(config, lite, "planner", 0, NULL);
        check_agent(config, lite, "planner", 1, "claude:haiku");
        check_agent(config, lite, "code-reviewer", 0, lite ? NULL : "codex");
        check_agent(config, lite, "simplifier", 0, lite ? NULL : "codex");
        check_agent(config, lite, "fixer", 0, NULL);
    }
}

TEST(copies_have_a_model_of_their_own_and_the_join_has_the_phases)
{
    static const char config[] =
        "{'phases':{'1':{'model':'opus','parallelModel':'haiku'},"
        "'2':{'model':'opus','parallelModel':'haiku','parallel':false}}}";

    check_agent(config, false, "brainstormer", 0, "claude:opus");
    check_agent(config, false, "brainstormer", 1, "claude:haiku");
    check_agent(config, false, "brainstormer", 2, "claude:haiku");
    check_agent(config, false, "planner", 0, "claude:opus");
    check_agent(config, false, "planner", 1, "claude:opus"); /* it is alone */
}

TEST(a_tool_is_codex_claude_or_the_runs_default)
{
    static const char config[] =
        "{'phases':{'3':{'tool':'claude-review'},'8':{'tool':'inherit'},'9':{'tool':null}}}";

    check_agent(config, false, "plan-reviewer", 0, "claude");
    check_agent(config, true, "plan-reviewer", 0, "claude");
    check_agent(config, false, "final-reviewer", 0, NULL);
    check_agent(config, false, "codex-final", 0, NULL);
    check_agent("{'phases':{'3':{'tool':'mcp__codex-high__codex'}}}", false, "plan-reviewer", 0,
                "codex");
}

TEST(what_a_file_says_is_no_default)
{
    static const char *const tools[] = { "'claude-review'", "'inherit'", "null",
                                         "'mcp__codex__codex'" };
    char config[64];

    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        snprintf(config, sizeof config, "{'phases':{'3':{'tool':%s}}}", tools[i]);
        check_by(iterate_agent_default, config, false, "plan-reviewer", 0, NULL);
        check_by(iterate_agent_default, config, false, "final-reviewer", 0, "codex");
    }
}

TEST(the_test_is_the_projects_own_command)
{
    struct run_view run = { .test = "make check" };
    struct action action = { .kind = ACT_START, .role = ITERATE_TEST, .purpose = FOR_REVIEW };
    struct builtin builtin = { 0 };
    struct arena arena = { 0 };

    iterate_builtin(&run, &action, &arena, &builtin);
    assert_int_equal(builtin.kind, BUILTIN_COMMAND);
    assert_string_equal(builtin.text, "make check");
    arena_release(&arena);
}

TEST(without_a_command_the_test_passes_and_says_how_to_name_one)
{
    struct action action = { .kind = ACT_START, .role = ITERATE_TEST, .purpose = FOR_REVIEW };

    for (uint32_t i = 0; i < 2; i++) {
        struct run_view run = { .test = i ? "" : NULL };
        struct builtin builtin = { 0 };
        struct arena arena = { 0 };
        iterate_builtin(&run, &action, &arena, &builtin);
        assert_int_equal(builtin.kind, BUILTIN_ANSWER);
        assert_true(str_starts(str_of(builtin.text), STR("exit 0\n")));
        assert_non_null(strstr(builtin.text, "No test command"));
        assert_non_null(strstr(builtin.text, "--test CMD"));
        assert_non_null(strstr(builtin.text, "hone.json"));
        arena_release(&arena);
    }
}
