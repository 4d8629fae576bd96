/* SPDX-License-Identifier: Apache-2.0
 *
 * test_settings.c - how a run was asked for comes back as it was written. */
#include "settings/settings.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct setting options[] = {
    { .name = "max-iterations", .value = "3" },
    { .name = "test", .value = "make \"check\"" },
    { .name = "max-iterations", .value = "4" },
};

static const struct agent_setting agents[] = {
    { .role = "critic", .spec = "cmd:x" },
    { .role = "*", .spec = "claude" },
    { .role = "critic", .spec = "codex:big" },
    { .role = "*", .spec = "script:f" },
};

static const struct effort_setting efforts[] = {
    { .role = "*", .effort = "low" },
    { .role = "critic", .effort = "high" },
    { .role = "*", .effort = "max" },
};

static const struct run_settings all = {
    .options = { .items = options, .count = COUNT(options) },
    .agents = agents,
    .agent_count = COUNT(agents),
    .efforts = efforts,
    .effort_count = COUNT(efforts),
    .time_ms_max = UINT64_MAX,
    .idle_ms_max = 0,
    .start_ms_max = 1,
    .first_ms_max = 2,
    .wait_ms_max = 3,
    .sandbox_off = true,
    .since = "c0ffee",
    .scope_given = true,
    .exclude = "*.gen.c\nold/",
    .test = "make check",
    .until = "settled",
    .eyes = "codex\ncmd:x",
    .missed = "310 215 155 129",
};

TEST(settings_are_written_as_described)
{
    struct buf out;

    buf_init(&out, 4096);
    settings_write(&all, &out);
    assert_string_equal(buf_cstr(&out),
        "{\"options\":[[\"max-iterations\",\"3\"],[\"test\",\"make \\\"check\\\"\"],"
        "[\"max-iterations\",\"4\"]],\"agents\":[[\"critic\",\"cmd:x\"],[\"*\",\"claude\"],"
        "[\"critic\",\"codex:big\"],[\"*\",\"script:f\"]],\"efforts\":[[\"*\",\"low\"],"
        "[\"critic\",\"high\"],[\"*\",\"max\"]],\"time_ms\":18446744073709551615,"
        "\"idle_ms\":0,\"start_ms\":1,\"first_ms\":2,\"wait_ms\":3,\"sandbox\":\"off\","
        "\"scope_given\":true,\"since\":\"c0ffee\","
        "\"exclude\":\"*.gen.c\\nold/\",\"test\":\"make check\",\"until\":\"settled\","
        "\"eyes\":\"codex\\ncmd:x\","
        "\"missed\":\"310 215 155 129\"}");
    buf_release(&out);
}

TEST(settings_come_back)
{
    struct arena arena = { 0 };
    struct run_settings back;
    struct err err;
    struct buf out;

    buf_init(&out, 4096);
    settings_write(&all, &out);
    assert_int_equal(settings_read(buf_str(&out), &arena, &back, &err), 0);
    memset(out.data, 'x', out.size);
    assert_int_equal(back.options.count, COUNT(options));
    for (size_t i = 0; i < COUNT(options); i++) {
        assert_string_equal(back.options.items[i].name, options[i].name);
        assert_string_equal(back.options.items[i].value, options[i].value);
    }
    assert_int_equal(back.agent_count, COUNT(agents));
    for (size_t i = 0; i < COUNT(agents); i++) {
        assert_string_equal(back.agents[i].role, agents[i].role);
        assert_string_equal(back.agents[i].spec, agents[i].spec);
    }
    assert_int_equal(back.effort_count, COUNT(efforts));
    assert_string_equal(settings_effort(&back, "critic"), "high");
    assert_string_equal(settings_effort(&back, "pedant"), "max");
    assert_true(back.time_ms_max == UINT64_MAX);
    assert_true(back.idle_ms_max == 0);
    assert_true(back.start_ms_max == 1);
    assert_true(back.first_ms_max == 2);
    assert_true(back.wait_ms_max == 3);
    assert_true(back.sandbox_off);
    assert_true(back.scope_given);
    assert_string_equal(back.since, all.since);
    assert_string_equal(back.exclude, all.exclude);
    assert_string_equal(back.test, all.test);
    assert_string_equal(back.until, all.until);
    assert_string_equal(settings_eye(&back, 1, &arena), "codex");
    assert_string_equal(settings_eye(&back, 2, &arena), "cmd:x");
    assert_null(settings_eye(&back, 3, &arena));
    assert_null(settings_eye(&back, 0, &arena));
    arena_release(&arena);
    buf_release(&out);
}

TEST(what_is_not_there_has_its_default)
{
    struct arena arena = { 0 };
    struct run_settings back;
    struct err err;

    assert_int_equal(settings_read(STR("{\"later\":{\"a\":1}}"), &arena, &back, &err), 0);
    assert_int_equal(back.options.count, 0);
    assert_int_equal(back.agent_count, 0);
    assert_null(settings_effort(&back, "critic"));
    assert_true(back.time_ms_max == 3600000);
    assert_true(back.idle_ms_max == 900000);
    assert_true(back.start_ms_max == 120000);
    assert_true(back.first_ms_max == 600000);
    assert_true(back.wait_ms_max == 21600000);
    assert_false(back.sandbox_off);
    assert_null(settings_agent(&back, "critic"));
    arena_release(&arena);
}

TEST(wrong_types_are_named)
{
    static const struct {
        struct str text;
        const char *problem;
    } cases[] = {
        { STR(""), "line 1" },
        { STR("[]"), "must be an object" },
        { STR("{\"options\":{}}"), "\"options\" must be a list" },
        { STR("{\"options\":null}"), "\"options\" must be a list" },
        { STR("{\"options\":[[\"a\",\"b\"],[\"a\"]]}"), "option 2: it must be a pair of strings" },
        { STR("{\"options\":[[\"a\",1]]}"), "option 1" },
        { STR("{\"options\":[[\"a\",\"b\",\"c\"]]}"), "option 1" },
        { STR("{\"options\":[{\"a\":\"b\"}]}"), "option 1" },
        { STR("{\"options\":[\"ab\"]}"), "option 1" },
        { STR("{\"options\":[[\"a\",\"b\\u0000c\"]]}"), "option 1" },
        { STR("{\"agents\":\"claude\"}"), "\"agents\" must be a list" },
        { STR("{\"agents\":[[null,\"b\"]]}"), "agent 1" },
        { STR("{\"efforts\":{\"*\":\"low\"}}"), "\"efforts\" must be a list" },
        { STR("{\"efforts\":[[\"*\",\"low\"],[\"*\"]]}"), "effort 2" },
        { STR("{\"time_ms\":\"1\"}"), "\"time_ms\" must be" },
        { STR("{\"time_ms\":-1}"), "\"time_ms\" must be" },
        { STR("{\"idle_ms\":1.5}"), "\"idle_ms\" must be" },
        { STR("{\"sandbox\":true}"), "\"sandbox\" must be \"auto\", \"on\" or \"off\"" },
        { STR("{\"sandbox\":\"of\"}"), "\"sandbox\" must be" },
        { STR("{\"sandbox\":\"\"}"), "\"sandbox\" must be" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena arena = { 0 };
        struct run_settings back;
        struct err err = { 0 };

        assert_int_equal(settings_read(cases[i].text, &arena, &back, &err), ERR_FORMAT);
        if (!strstr(err.text, cases[i].problem)) fail_msg("case %zu: %s", i, err.text);
        arena_release(&arena);
    }
}

TEST(the_last_that_names_a_role_wins)
{
    struct run_settings few = { .agents = agents, .agent_count = 2 };

    assert_string_equal(settings_agent(&all, "critic"), "codex:big");
    assert_string_equal(settings_agent(&all, "fixer"), "script:f");
    assert_string_equal(settings_agent(&few, "critic"), "cmd:x");
    assert_string_equal(settings_agent(&few, "fixer"), "claude");
    few.agent_count = 1;
    assert_null(settings_agent(&few, "fixer"));
}

/* "brainstormer copies" is for those that work side by side, where it is there. */
TEST(copies_may_have_an_entry_of_their_own)
{
    static const struct agent_setting cast[] = {
        { .role = "brainstormer", .spec = "host:opus" },
        { .role = "brainstormer copies", .spec = "host:haiku" },
        { .role = "planner", .spec = "host" },
    };
    struct run_settings settings = { .agents = cast, .agent_count = 3 };
    struct dialect none = { 0 };
    struct arena arena = { 0 };

    assert_string_equal(settings_spec(&settings, &none, "brainstormer", 0, &arena), "host:opus");
    assert_string_equal(settings_spec(&settings, &none, "brainstormer", 1, &arena), "host:haiku");
    assert_string_equal(settings_spec(&settings, &none, "planner", 1, &arena), "host");
    arena_release(&arena);
}
