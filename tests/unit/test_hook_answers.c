/* SPDX-License-Identifier: Apache-2.0
 *
 * test_hook_answers.c - the names that hosts use, and what a hook answers. */
#include "format/hook.h"

#include "test.h"

TEST(events_are_named_in_any_spelling)
{
    for (int event = 1; event < HOOK_EVENT_COUNT; event++) {
        const char *name = hook_event_name((enum hook_event)event);

        assert_true(name[0] != '\0');
        assert_int_equal(hook_event_of(str_of(name)), event);
    }
    assert_int_equal(hook_event_of(STR("pre-tool-use")), HOOK_PRE_TOOL_USE);
    assert_int_equal(hook_event_of(STR("subagent_stop")), HOOK_SUBAGENT_STOP);
    assert_int_equal(hook_event_of(STR("USERPROMPTSUBMIT")), HOOK_USER_PROMPT_SUBMIT);
    assert_int_equal(hook_event_of(STR("")), HOOK_OTHER);
}

TEST(only_what_is_asked_before_a_tool_is_a_gate)
{
    for (int event = 0; event < HOOK_EVENT_COUNT; event++) {
        assert_int_equal(hook_is_gate((enum hook_event)event), event == HOOK_PRE_TOOL_USE);
    }
}

TEST(a_role_is_the_end_of_a_name)
{
    assert_str(hook_role(STR("hone:critic")), "critic");
    assert_str(hook_role(STR("minions:review-fixer")), "review-fixer");
    assert_str(hook_role(STR("hone-pedant")), "pedant");
    assert_str(hook_role(STR("a:b:hone-witness")), "witness");
    assert_str(hook_role(STR("security-reviewer")), "security-reviewer");
    assert_str(hook_role(STR("hone:")), "");
    assert_str(hook_role(STR("hone-")), "");
    assert_str(hook_role(STR("hone-hone-critic")), "hone-critic");
    assert_int_equal(hook_role((struct str){ 0 }).size, 0);
    assert_str(hook_plugin(STR("minions:critic")), "minions");
    assert_str(hook_plugin(STR("a:b:c")), "a:b");
    assert_str(hook_plugin(STR(":c")), "");
    assert_str(hook_plugin(STR("critic")), "");
}

TEST(a_command_is_a_plugin_a_verb_and_the_rest)
{
    static const char *const others[] = {
        "", " ", "/", "hello", "/review", "/hone:", "hone: review", ":review", "//hone:review",
        "please /hone:review x", "http://hone:review", "/hone:review/x", "/hone:review:x",
        "/hone review", "/hone-review x", "hone-review x", "$hone", "$hone-", "$-review",
        "$hone-review/x", "$ hone-review",
    };
    struct hook_command command;

    assert_true(hook_command_read(&command, STR("  /hone:review --max-iterations 3 the\nshop \n")));
    assert_str(command.plugin, "hone");
    assert_str(command.verb, "review");
    assert_str(command.rest, "--max-iterations 3 the\nshop");
    assert_true(hook_command_read(&command, STR("minions:review")));
    assert_str(command.plugin, "minions");
    assert_str(command.rest, "");
    assert_true(hook_command_read(&command, STR("$hone:session\tx")));
    assert_str(command.verb, "session");
    assert_true(hook_command_read(&command, STR("$hone-review the notes")));
    assert_str(command.plugin, "hone");
    assert_str(command.verb, "review");
    assert_str(command.rest, "the notes");
    assert_true(hook_command_read(&command, STR(" $minions-review")));
    assert_str(command.plugin, "minions");
    assert_str(command.verb, "review");
    assert_true(hook_command_read(&command, STR("$hone-a-b c")));
    assert_str(command.verb, "a-b");
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (hook_command_read(&command, str_of(others[i]))) fail_msg("'%s'", others[i]);
    }
}

TEST(answers_are_one_json_value)
{
    struct buf out;

    buf_init(&out, 4096);
    hook_deny(&out, STR("no \"edits\"\nin R1"));
    assert_string_equal(buf_cstr(&out),
                        "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\","
                        "\"permissionDecision\":\"deny\","
                        "\"permissionDecisionReason\":\"no \\\"edits\\\"\\nin R1\"}}");
    buf_clear(&out);
    hook_block(&out, STR("go\0on\x1b\xff"));
    assert_string_equal(buf_cstr(&out),
                        "{\"decision\":\"block\",\"reason\":\"go\\u0000on\\u001B\xef\xbf\xbd\"}");
    buf_clear(&out);
    hook_context(&out, HOOK_SESSION_START, STR("R1"));
    assert_string_equal(buf_cstr(&out),
                        "{\"hookSpecificOutput\":{\"hookEventName\":\"SessionStart\","
                        "\"additionalContext\":\"R1\"}}");
    buf_clear(&out);
    hook_tell(&out, STR("stalled"));
    assert_string_equal(buf_cstr(&out), "{\"systemMessage\":\"stalled\"}");
    buf_release(&out);
}

TEST(nothing_is_empty_for_claude_and_an_object_for_codex)
{
    struct buf out;

    buf_init(&out, 4096);
    hook_nothing(&out, HOOK_CLAUDE);
    assert_string_equal(buf_cstr(&out), "");
    hook_nothing(&out, HOOK_CODEX);
    assert_string_equal(buf_cstr(&out), "{}");
    buf_release(&out);
}
