/* SPDX-License-Identifier: Apache-2.0
 *
 * test_models.c - the commands that start the programs of models, by role and by what is asked.
 *
 * row: repository.clients | settings, hooks and MCP servers for Claude Code, Codex or Gemini | switched off when hone starts these programs | an agent of `cmd:` or `acp:` does what its program does | `test_models.c: claude_is_asked_for_its_stream_and_keeps_nothing` */
#include "agent/agent.h"

#include "test.h"

#include <string.h>

TESTS_ARENA

/* The command in one line, for looking at. */
static const char *command_with(const char *spec, const char *effort, struct attempt attempt)
{
    const char *const *argv;
    struct agent agent;
    struct err err;
    struct buf line;
    const char *kept;

    assert_int_equal(agent_parse(spec, &arena, &agent, &err), 0);
    assert_null(agent.effort);
    if (effort) assert_int_equal(agent_set_effort(&agent, effort, &err), 0);
    assert_non_null(agent.backend->stream);
    buf_init(&line, 1 << 16);
    for (argv = agent.backend->command(&agent, &attempt, &arena); *argv; argv++) {
        buf_printf(&line, "%s ", *argv);
    }
    kept = arena_cstr(&arena, buf_str(&line));
    buf_release(&line);
    return kept;
}

static const char *command(const char *spec, struct attempt attempt)
{
    return command_with(spec, NULL, attempt);
}

static void expect(const char *line, const char *words)
{
    if (!strstr(line, words)) fail_msg("'%s' is not in: %s", words, line);
}

static void refuse(const char *line, const char *words)
{
    if (strstr(line, words)) fail_msg("'%s' is in: %s", words, line);
}

TEST_WITH(claude_is_asked_for_its_stream_and_keeps_nothing, NULL, release)
{
    const char *line = command("claude", (struct attempt){ 0 });

    expect(line, "claude -p --output-format stream-json --verbose ");
    expect(line, " --include-partial-messages --no-session-persistence ");
    expect(line, "--strict-mcp-config --setting-sources user ");
    expect(line, "--settings {\"disableAllHooks\":true} ");
    refuse(line, "--model");
    refuse(line, "--json-schema");
    refuse(line, "--effort");
    refuse(line, "--max-budget-usd");
    expect(command("claude:opus", (struct attempt){ 0 }), "--model opus ");
}

TEST_WITH(claude_has_the_tools_of_its_role, NULL, release)
{
    const char *reviewer = command("claude", (struct attempt){ 0 });
    const char *fixer = command("claude", (struct attempt){ .writes = true });

    expect(reviewer, "--permission-mode default --tools Read,Glob,Grep,Bash --allowedTools "
           "Read,Glob,Grep,Bash ");
    refuse(reviewer, "Edit");
    /* "Agent is write-enabled (Read, Write, Edit, Glob, Grep, Bash; no Task)." */
    expect(fixer, "--permission-mode acceptEdits --tools Read,Glob,Grep,Bash,Edit,Write "
           "--allowedTools Read,Glob,Grep,Bash,Edit,Write ");
}

TEST_WITH(claude_is_told_schema_effort_and_budget, NULL, release)
{
    const char *line = command_with("claude", "high", (struct attempt){
        .schema = "{\"type\":\"object\"}", .schema_file = "/s", .budget_micros = 1050000 });

    expect(line, "--json-schema {\"type\":\"object\"} ");
    expect(line, "--effort high ");
    expect(line, "--max-budget-usd 1.050000 ");
    refuse(line, "/s");
}

TEST_WITH(codex_has_the_sandbox_of_its_role, NULL, release)
{
    const char *reviewer = command("codex:gpt", (struct attempt){ 0 });
    const char *fixer = command("codex", (struct attempt){ .writes = true });

    expect(reviewer, "codex exec --json --skip-git-repo-check --ephemeral ");
    expect(reviewer, "--sandbox read-only ");
    expect(reviewer, "--model gpt - ");
    expect(fixer, "--sandbox workspace-write ");
    refuse(fixer, "--model");
}

TEST_WITH(codex_is_told_schema_and_effort, NULL, release)
{
    const char *line = command_with("codex", "low", (struct attempt){
        .schema = "{}", .schema_file = "/s/schema" });

    expect(line, "--output-schema /s/schema ");
    expect(line, "-c model_reasoning_effort=low ");
}

TEST_WITH(an_effort_is_one_that_the_program_knows, NULL, release)
{
    static const struct {
        const char *spec, *effort;
        int rc;
        bool told;
    } rows[] = {
        { "claude", "low", 0, true }, { "claude:opus", "max", 0, true },
        { "claude", "minimal", ERR_USAGE, false }, { "claude", "ultra", ERR_USAGE, false },
        { "claude", "", ERR_USAGE, false }, { "claude", "low --x", ERR_USAGE, false },
        { "codex", "minimal", 0, true }, { "codex", "ultra", 0, true },
        { "codex", "bogus", ERR_USAGE, false },
        { "gemini", "high", 0, false }, { "acp:x", "high", 0, false },
        { "cmd:x", "high", 0, false }, { "analyzer:gcc", "high", 0, false },
        { "fixits", "high", 0, false }, { "script:x", "bogus", 0, false },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct agent agent;
        struct err err = { 0 };

        assert_int_equal(agent_parse(rows[i].spec, &arena, &agent, &err), 0);
        if (agent_set_effort(&agent, rows[i].effort, &err) != rows[i].rc ||
            (agent.effort != NULL) != rows[i].told) {
            fail_msg("%s %s: %s", rows[i].spec, rows[i].effort, err.text);
        }
        if (rows[i].rc) expect(err.text, "low, medium, high, xhigh, max");
    }
    refuse(command_with("gemini", "high", (struct attempt){ 0 }), "high");
}

TEST_WITH(each_backend_knows_efforts_of_the_list_alone, NULL, release)
{
    for (uint32_t i = 0; backends[i]; i++) {
        const char *const *word = backends[i]->efforts;

        for (; word && *word; word++) {
            uint32_t k = 0;
            while (agent_efforts[k] && strcmp(agent_efforts[k], *word) != 0) k++;
            assert_non_null(agent_efforts[k]);
        }
    }
}

TEST_WITH(gemini_may_write_only_where_its_role_does, NULL, release)
{
    const char *reviewer = command("gemini:pro", (struct attempt){ 0 });
    const char *fixer = command("gemini", (struct attempt){ .writes = true });

    expect(reviewer, "gemini --output-format stream-json ");
    expect(reviewer, "--allowed-tools run_shell_command --model pro ");
    refuse(reviewer, "yolo");
    expect(fixer, "--approval-mode yolo ");
}

TEST_WITH(an_agent_of_acp_is_spoken_to_by_hone_itself, NULL, release)
{
    struct agent agent;
    struct err err;

    expect(command("acp:x --y:z", (struct attempt){ 0 }), " agent acp -- x --y:z ");
    expect(command("acp:x", (struct attempt){ .writes = true }), " agent acp-writes -- x ");
    assert_int_equal(agent_parse("acp: ", &arena, &agent, &err), 0);
    assert_int_equal(agent.backend->check(&agent, &err), ERR_USAGE);
}
