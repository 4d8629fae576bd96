/* SPDX-License-Identifier: Apache-2.0
 *
 * test_hook_samples.c - what the hosts send, one file of tests/corpus/hook for each kind of
 * event, and what is read from it. */
#include "format/hook.h"
#include "reported.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *file;
    const char *told; /* by told() */
} samples[] = {
    { "claude_session_start", "SessionStart claude source=startup" },
    { "claude_session_start_compact", "SessionStart claude source=compact" },
    { "claude_session_end", "SessionEnd claude" },
    { "claude_prompt", "UserPromptSubmit claude prompt=/hone:review the shop" },
    { "claude_prompt_notice", "UserPromptSubmit claude prompt=<task-notification> <tas" },
    { "claude_pre_agent", "PreToolUse claude tool=1 Agent starts=hone:critic" },
    { "claude_pre_write_subagent",
      "PreToolUse claude agent=a2222222222222222 hone:critic tool=2 Write "
      "path=/srv/shop/right.json" },
    { "claude_post_write_subagent",
      "PostToolUse claude agent=a2222222222222222 hone:critic tool=2 Write "
      "path=/srv/shop/right.json" },
    { "claude_post_bash",
      "PostToolUse claude agent=a1111111111111111 hone:critic tool=3 Bash command=printf "
      "'{\"task\":\"left\"}\\" },
    { "claude_post_agent", "PostToolUse claude tool=1 Agent starts=hone:critic" },
    { "claude_post_agent_background", "PostToolUse claude tool=1 Agent starts=hone:critic" },
    { "claude_post_mcp", "PostToolUse claude tool=0 mcp__demo__echo" },
    { "claude_post_failure", "PostToolUseFailure claude tool=3 Bash command=echo out; exit 7" },
    { "claude_post_batch", "PostToolBatch claude" },
    { "claude_permission", "PermissionRequest claude tool=2 Write path=/srv/shop/out.txt" },
    { "claude_subagent_start", "SubagentStart claude agent=a1111111111111111 hone:critic" },
    { "claude_subagent_stop",
      "SubagentStop claude agent=a1111111111111111 hone:critic said=REPORT left done" },
    { "claude_subagent_stop_nobody",
      "SubagentStop claude agent=a5555555555555555  said=<summary>SUMMARY-TEXT</s" },
    { "claude_stop", "Stop claude said=All reviewers are starte" },
    { "claude_stop_background",
      "Stop claude said=All reviewers are starte task=hone:critic running task=hone:critic "
      "running" },
    { "claude_stop_failure",
      "StopFailure claude agent=a6666666666666666 hone:critic said=API Error: 400 broke" },
    { "claude_pre_compact", "PreCompact claude" },
    { "codex_session_start", "SessionStart codex source=startup" },
    /* Nothing in it tells the hosts apart, and hone gives no answer. */
    { "codex_session_end", "SessionEnd claude" },
    { "codex_prompt", "UserPromptSubmit codex prompt=$hone-review the notes" },
    { "skill_colon", "UserPromptSubmit codex prompt=$hone:review x" },
    { "codex_prompt_subagent",
      "UserPromptSubmit codex agent=01b0aaaa-0000-7000-8000-000000000008 hone-critic "
      "prompt=Review prices.txt" },
    { "codex_pre_bash", "PreToolUse codex tool=3 Bash command=echo two >> prices.txt &" },
    { "codex_pre_bash_touch", "PreToolUse codex tool=3 Bash command=touch FORBIDDEN" },
    { "codex_post_bash", "PostToolUse codex tool=3 Bash command=echo two >> prices.txt &" },
    { "codex_pre_patch",
      "PreToolUse codex tool=2 apply_patch command=*** Begin Patch *** Upda path=prices.txt "
      "path=old/prices.txt path=added.txt path=gone file.txt" },
    { "codex_post_patch",
      "PostToolUse codex tool=2 apply_patch command=*** Begin Patch *** Upda path=prices.txt "
      "path=old/prices.txt path=added.txt path=gone file.txt" },
    { "codex_pre_mcp", "PreToolUse codex tool=0 mcp__demo__add" },
    { "codex_post_mcp", "PostToolUse codex tool=0 mcp__demo__add" },
    { "codex_pre_spawn", "PreToolUse codex tool=1 spawn_agent starts=hone-critic" },
    { "codex_post_spawn", "PostToolUse codex tool=1 spawn_agent starts=hone-critic" },
    { "codex_pre_wait", "PreToolUse codex tool=0 multi_agent_v1wait_agent" },
    { "codex_post_wait", "PostToolUse codex tool=0 multi_agent_v1wait_agent" },
    { "codex_subagent_start",
      "SubagentStart codex agent=01b0aaaa-0000-7000-8000-000000000008 hone-critic" },
    { "codex_subagent_stop",
      "SubagentStop codex agent=01b0aaaa-0000-7000-8000-000000000008 hone-critic said=Child: "
      "looks good." },
    { "codex_stop", "Stop codex said=Proof done." },
    { "task_old", "PreToolUse claude tool=1 Task starts=minions:review-fixer" },
    { "notebook", "PreToolUse claude tool=2 NotebookEdit path=a.ipynb" },
    { "multiedit", "PreToolUse claude tool=2 MultiEdit path=src/a.c" },
    { "agent_name", "SubagentStop claude agent= minions:pedant" },
    { "surrogate", "PreToolUse claude tool=2 Write path=a\xef\xbf\xbd" "b" },
    { "deep", "PreToolUse claude tool=0 mcp__x__y" },
    { "wrong_types", " claude" },
};

/* " key=text", of which at most 24 bytes are told of what may be long. */
static void add(struct buf *out, const char *key, struct str text)
{
    if (text.size == 0) return;
    buf_printf(out, " %s=", key);
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] != '\n') buf_byte(out, text.data[i]);
        else buf_byte(out, ' ');
    }
}

static struct str start_of(struct str text)
{
    return (struct str){ text.data, text.size < 24 ? text.size : 24 };
}

static void add_tool(struct buf *out, const struct hook_input *in)
{
    const struct hook_tool *tool = &in->tool;
    struct hook_paths paths = { 0 };
    struct str path;

    if (tool->name.size) buf_printf(out, " tool=%d %.*s", (int)tool->kind, STR_ARG(tool->name));
    add(out, "starts", tool->agent_type);
    add(out, "isolation", tool->isolation);
    add(out, "task", tool->task_name);
    add(out, "closes", tool->target);
    add(out, "command", start_of(tool->command));
    while (hook_path_next(in, &paths, &path)) add(out, "path", path);
}

static void told(struct buf *out, const struct hook_input *in)
{
    struct hook_tasks tasks = { 0 };
    struct hook_task task;

    buf_printf(out, "%s %s", hook_event_name(in->event),
               in->host == HOOK_CODEX ? "codex" : "claude");
    if (in->agent_id.size || in->agent_type.size) {
        buf_printf(out, " agent=%.*s %.*s", STR_ARG(in->agent_id), STR_ARG(in->agent_type));
    }
    add(out, "prompt", start_of(in->prompt));
    add(out, "said", start_of(in->last_message));
    add(out, "source", in->source);
    add_tool(out, in);
    while (hook_task_next(in, &tasks, &task)) {
        buf_printf(out, " task=%.*s %.*s", STR_ARG(task.agent_type), STR_ARG(task.status));
    }
}

/* The bytes of tests/corpus/hook/NAME.json. */
static void load(struct buf *text, const char *name)
{
    char path[4096];
    struct str bytes;

    snprintf(path, sizeof path, "hook/%s.json", name);
    bytes = report_load(path);
    buf_add(text, bytes);
    free((char *)(uintptr_t)bytes.data);
}

TEST(every_sample_is_read)
{
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        struct hook_input in;
        struct buf text, out;
        struct err err;

        buf_init(&text, HOOK_TEXT_BYTES_MAX);
        buf_init(&out, 1 << 20);
        load(&text, samples[i].file);
        assert_int_equal(hook_read(&in, &text, (struct str){ 0 }, &err), 0);
        told(&out, &in);
        if (!str_is(buf_str(&out), samples[i].told)) {
            fail_msg("%s:\n got    '%s'\n wanted '%s'", samples[i].file, buf_cstr(&out),
                     samples[i].told);
        }
        hook_release(&in);
        buf_release(&out);
        buf_release(&text);
    }
}

TEST(every_sample_of_a_host_says_session_and_folder)
{
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        bool codex = str_starts(str_of(samples[i].file), STR("codex_"));
        struct hook_input in;
        struct buf text;
        struct err err;

        if (!codex && !str_starts(str_of(samples[i].file), STR("claude_"))) continue;
        buf_init(&text, HOOK_TEXT_BYTES_MAX);
        load(&text, samples[i].file);
        assert_int_equal(hook_read(&in, &text, (struct str){ 0 }, &err), 0);
        assert_true(str_is(in.session_id, codex ? "01b0aaaa-0000-7000-8000-000000000001"
                                                : "7c1e2a34-5b60-4d7e-8f90-a1b2c3d4e5f6"));
        assert_true(str_is(in.cwd, "/srv/shop"));
        assert_true(in.transcript_path.size > 0);
        hook_release(&in);
        buf_release(&text);
    }
}
