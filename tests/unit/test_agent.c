/* SPDX-License-Identifier: Apache-2.0
 *
 * test_agent.c - specs of agents, their environment, and the backend that is a command. */
#include "agent/backends.h"

#include "test.h"

#include <string.h>

TESTS_ARENA

static void expect_refused(const char *spec, const char *words)
{
    struct agent agent;
    struct err err = { 0 };

    assert_int_equal(agent_parse(spec, &arena, &agent, &err), ERR_USAGE);
    assert_int_equal(err.code, ERR_USAGE);
    if (!strstr(err.text, words)) fail_msg("'%s' is not in: %s", words, err.text);
}

TEST_WITH(a_spec_is_cut_at_its_first_colon, NULL, release)
{
    struct agent agent;
    struct err err;

    assert_int_equal(agent_parse("cmd:echo a:b =c", &arena, &agent, &err), 0);
    assert_ptr_equal(agent.backend, &backend_cmd);
    assert_string_equal(agent.argument, "echo a:b =c");
    assert_string_equal(agent.spec, "cmd:echo a:b =c");
    assert_int_equal(agent_parse("script:x.jsonl", &arena, &agent, &err), 0);
    assert_ptr_equal(agent.backend, &backend_script);
}

TEST_WITH(a_spec_is_copied, NULL, release)
{
    char spec[] = "cmd:true";
    struct agent agent;
    struct err err;

    assert_int_equal(agent_parse(spec, &arena, &agent, &err), 0);
    memset(spec, 'x', sizeof spec - 1);
    assert_string_equal(agent.argument, "true");
    assert_string_equal(agent.spec, "cmd:true");
}

TEST_WITH(a_mistyped_backend_is_answered_with_the_right_one, NULL, release)
{
    expect_refused("cdm:x", "unknown backend 'cdm'; did you mean 'cmd'?");
    expect_refused("scirpt:x", "did you mean 'script'?");
}

TEST_WITH(an_unknown_backend_is_answered_with_the_list, NULL, release)
{
    expect_refused("telepathy:x", "cmd:COMMAND, script:FILE");
    expect_refused("", "cmd:COMMAND, script:FILE");
    expect_refused(":x", "cmd:COMMAND, script:FILE");
}

TEST_WITH(a_missing_argument_is_named, NULL, release)
{
    expect_refused("cmd", "cmd:COMMAND");
    expect_refused("cmd:", "cmd:COMMAND");
    expect_refused("script", "script:FILE");
}

TEST_WITH(a_monstrous_backend_name_is_cut, NULL, release)
{
    char spec[100000];
    struct agent agent;
    struct err err;

    memset(spec, 'c', sizeof spec - 1);
    spec[sizeof spec - 1] = '\0';
    assert_int_equal(agent_parse(spec, &arena, &agent, &err), ERR_USAGE);
    assert_true(strlen(err.text) < 300);
    assert_non_null(strstr(err.text, "cmd:COMMAND"));
}

TEST(every_backend_answers_in_exactly_one_way)
{
    for (uint32_t i = 0; backends[i]; i++) {
        const struct backend *backend = backends[i];
        assert_int_equal(!!backend->command + !!backend->play + backend->hosted, 1);
        assert_int_equal(!!backend->help + !!backend->help_of, 1);
        assert_true(!backend->argument_needed || backend->argument);
        assert_null(strchr(backend->name, ':'));
    }
}

TEST_WITH(a_relative_file_is_taken_from_the_folder, NULL, release)
{
    struct agent agent, moved;
    struct err err;

    assert_int_equal(agent_parse("script:a/b.jsonl", &arena, &agent, &err), 0);
    moved = agent_absolute(&agent, "/x y", &arena);
    assert_string_equal(moved.argument, "/x y/a/b.jsonl");
    assert_string_equal(moved.spec, "script:/x y/a/b.jsonl");
    moved = agent_absolute(&agent, "/", &arena);
    assert_string_equal(moved.argument, "/a/b.jsonl");
    assert_int_equal(agent_parse("script:/etc/b", &arena, &agent, &err), 0);
    assert_string_equal(agent_absolute(&agent, "/x", &arena).spec, "script:/etc/b");
}

TEST_WITH(a_command_is_no_file, NULL, release)
{
    struct agent agent;
    struct err err;

    assert_int_equal(agent_parse("cmd:./x.sh", &arena, &agent, &err), 0);
    assert_string_equal(agent_absolute(&agent, "/x", &arena).spec, "cmd:./x.sh");
}

TEST_WITH(a_command_goes_to_the_shell_as_it_is, NULL, release)
{
    const char *const *argv;
    struct agent agent;
    struct err err;

    assert_int_equal(agent_parse("cmd:a 'b' \"$c\"; d", &arena, &agent, &err), 0);
    argv = backend_cmd.command(&agent, NULL, &arena);
    assert_string_equal(argv[0], "sh");
    assert_string_equal(argv[1], "-c");
    assert_string_equal(argv[2], "a 'b' \"$c\"; d");
    assert_null(argv[3]);
    assert_int_equal(backend_cmd.check(&agent, &err), 0);
}

TEST_WITH(a_blank_command_is_refused_before_the_run, NULL, release)
{
    struct agent agent;
    struct err err;

    assert_int_equal(agent_parse("cmd: \t", &arena, &agent, &err), 0);
    assert_int_equal(backend_cmd.check(&agent, &err), ERR_USAGE);
}

static const char *env_value(const char *const *env, const char *name)
{
    const char *found = NULL;

    for (; *env; env++) {
        size_t bytes = strlen(name);
        if (strncmp(*env, name, bytes) != 0 || (*env)[bytes] != '=') continue;
        assert_null(found);
        found = *env + bytes + 1;
    }
    return found;
}

TEST_WITH(the_environment_says_what_an_attempt_is_about, NULL, release)
{
    const struct attempt attempt = {
        .run = "r1", .dialect = "review", .role = "critic", .lane = "main", .phase = "R1",
        .iteration = 1, .round = 4294967295U, .attempt = 3, .copy = 0,
        .eye = 1, .recheck = true,
        .output = "/out", .workspace = "/work space", .task = "a=b\nc",
        .since = "c0ffee", .exclude = "old/", .test = "make check", .cache = "/cache",
        .budget = "usd=5", .paths = "src", .file_ms_max = 300000, .fixes = "all",
        .generated = "true",
    };
    const char *const *env = agent_env(&attempt, (const char *const[]){ NULL }, &arena);
    const struct {
        const char *name, *value;
    } expected[] = {
        { "HONE_RUN", "r1" }, { "HONE_DIALECT", "review" }, { "HONE_ROLE", "critic" },
        { "HONE_LANE", "main" }, { "HONE_PHASE", "R1" }, { "HONE_ITERATION", "1" },
        { "HONE_ROUND", "4294967295" }, { "HONE_ATTEMPT", "3" }, { "HONE_COPY", "0" },
        { "HONE_EYE", "1" }, { "HONE_RECHECK", "true" },
        { "HONE_OUTPUT", "/out" }, { "HONE_WORKSPACE", "/work space" },
        { "HONE_TASK", "a=b\nc" }, { "HONE_TASK_ID", "" }, { "HONE_FINDINGS", "" },
        { "HONE_SINCE", "c0ffee" }, { "HONE_EXCLUDE", "old/" }, { "HONE_ANALYZERS", "" },
        { "HONE_TEST", "make check" },
        { "HONE_CACHE", "/cache" }, { "HONE_BUDGET", "usd=5" }, { "HONE_EVIDENCE", "" },
        { "HONE_PATHS", "src" }, { "HONE_FILE_MS", "300000" },
        { "HONE_FIXES", "all" }, { "HONE_GENERATED", "true" }, { "HONE_BASELINE", "" },
    };
    uint32_t count = 0;

    for (uint32_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const char *value = env_value(env, expected[i].name);
        assert_non_null(value);
        assert_string_equal(value, expected[i].value);
    }
    while (env[count]) count++;
    assert_int_equal(count, sizeof expected / sizeof *expected);
}

TEST_WITH(a_task_of_its_own_is_named, NULL, release)
{
    const struct attempt attempt = {
        .run = "", .dialect = "", .role = "", .lane = "", .phase = "", .output = "",
        .workspace = "", .task = "", .task_id = "t7",
    };

    const char *const *env = agent_env(&attempt, (const char *const[]){ "A_TOKEN", NULL }, &arena);
    uint32_t count = 0;

    assert_string_equal(env_value(env, "HONE_TASK_ID"), "t7");
    while (env[count]) count++;
    assert_string_equal(env[count - 1], "A_TOKEN"); /* a name alone takes it out */
}
