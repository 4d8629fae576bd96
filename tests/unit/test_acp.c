/* SPDX-License-Identifier: Apache-2.0
 *
 * test_acp.c - our side of the Agent Client Protocol: what is sent, what is allowed, and what an
 * agent with bad intentions gets. */
#include "format/stream/acp.h"

#include "test.h"

#include <string.h>

static struct acp acp;
static struct buf out;

static void begin(bool writes)
{
    acp_init(&acp, &(struct acp_about){ .writes = writes, .workspace = "/w",
                                        .prompt = STR("say \"hi\"\n"), .version = "1" });
    buf_init(&out, 1 << 20);
    acp_begin(&acp, &out);
}

static int finish(void **state)
{
    (void)state;
    acp_release(&acp);
    buf_release(&out);
    return 0;
}

/* A line of the agent; what we send is compared, NULL for any. */
static enum acp_event say(const char *line, const char *sent)
{
    enum acp_event event;

    buf_clear(&out);
    event = acp_line(&acp, str_of(line), &out);
    if (sent) assert_string_equal(buf_cstr(&out), sent);
    return event;
}

/* As far as the prompt. */
static void begin_prompt(bool writes)
{
    begin(writes);
    say("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":1}}", NULL);
    say("{\"id\":2,\"result\":{\"sessionId\":\"s1\"}}", NULL);
    assert_int_equal(acp.waiting, ACP_PROMPT);
}

TEST_WITH(a_prompt_takes_three_requests, NULL, finish)
{
    begin(false);
    assert_non_null(strstr(buf_cstr(&out), "\"method\":\"initialize\""));
    assert_non_null(strstr(buf_cstr(&out), "\"readTextFile\":false,\"writeTextFile\":false"));
    assert_int_equal(say("{\"id\":1,\"result\":{\"protocolVersion\":1}}",
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"session/new\",\"params\":{\"cwd\":\"/w\","
        "\"mcpServers\":[]}}\n"), ACP_GOES_ON);
    assert_int_equal(say("{\"id\":2,\"result\":{\"sessionId\":\"s\\n1\"}}",
        "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"session/prompt\",\"params\":{\"sessionId\":"
        "\"s\\n1\",\"prompt\":[{\"type\":\"text\",\"text\":\"say \\\"hi\\\"\\n\"}]}}\n"),
        ACP_GOES_ON);
    assert_int_equal(say("{\"id\":4,\"result\":{\"stopReason\":\"end_turn\"}}", ""), ACP_OVER);
    assert_int_equal(acp.problem.size, 0);
}

TEST_WITH(an_agent_that_decides_by_itself_is_given_the_mode_of_the_role, NULL, finish)
{
#define MODES "\"modes\":{\"availableModes\":[{\"id\":\"agent\"},{\"id\":\"read-only\"}," \
              "{\"id\":\"workspace-write\"}]}"
    begin(false);
    say("{\"id\":1,\"result\":{\"protocolVersion\":1}}", NULL);
    say("{\"id\":2,\"result\":{\"sessionId\":\"s\"," MODES "}}",
        "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"session/set_mode\",\"params\":{\"sessionId\":"
        "\"s\",\"modeId\":\"read-only\"}}\n");
    say("{\"id\":3,\"error\":{\"code\":1}}", NULL);
    assert_int_equal(acp.waiting, ACP_PROMPT);
    finish(NULL);
    begin(true);
    say("{\"id\":1,\"result\":{\"protocolVersion\":1}}", NULL);
    say("{\"id\":2,\"result\":{\"sessionId\":\"s\"," MODES "}}", NULL);
    assert_non_null(strstr(buf_cstr(&out), "workspace-write"));
}

TEST_WITH(another_version_is_refused, NULL, finish)
{
    begin(false);
    assert_int_equal(say("{\"id\":1,\"result\":{\"protocolVersion\":2}}", ""), ACP_OVER);
    assert_non_null(strstr(buf_cstr(&acp.problem), "version 1"));
}

TEST_WITH(an_error_ends_the_talk, NULL, finish)
{
    begin(false);
    say("{\"id\":1,\"result\":{\"protocolVersion\":1}}", NULL);
    assert_int_equal(say("{\"id\":2,\"error\":{\"code\":-32000,\"message\":\"who \\u001b[1m?\"}}",
                         ""), ACP_OVER);
    assert_string_equal(buf_cstr(&acp.problem),
                        "the agent wants a login: start it once by hand: who \\x1b[1m?");
    finish(NULL);
    begin_prompt(false);
    assert_int_equal(say("{\"id\":4,\"result\":{\"stopReason\":\"refusal\"}}", ""), ACP_OVER);
    assert_non_null(strstr(buf_cstr(&acp.problem), "refusal"));
    finish(NULL);
    begin_prompt(false);
    assert_int_equal(say("{\"id\":4,\"result\":7}", ""), ACP_OVER);
    assert_true(acp.problem.size > 0);
}

TEST_WITH(answers_nobody_asked_for_are_ignored, NULL, finish)
{
    begin(false);
    assert_int_equal(say("{\"id\":4,\"result\":{\"stopReason\":\"end_turn\"}}", ""), ACP_GOES_ON);
    assert_int_equal(say("{\"id\":2,\"result\":{\"sessionId\":\"evil\"}}", ""), ACP_GOES_ON);
    assert_int_equal(say("{\"id\":\"1\",\"result\":{\"protocolVersion\":1}}", ""), ACP_GOES_ON);
    assert_int_equal(say("{\"id\":1.0,\"result\":{}}", ""), ACP_GOES_ON);
    assert_int_equal(say("npm notice: new version", ""), ACP_GOES_ON);
    assert_int_equal(say("[]", ""), ACP_GOES_ON);
    assert_int_equal(say("", ""), ACP_GOES_ON);
    assert_int_equal(acp.waiting, ACP_INITIALIZE);
    assert_int_equal(say("{\"method\":\"session/update\",\"params\":{}}", ""), ACP_GOES_ON);
    assert_int_equal(say("{\"id\":{\"a\":1},\"method\":\"x\"}", ""), ACP_GOES_ON);
}

TEST_WITH(a_session_needs_an_id_of_some_length, NULL, finish)
{
    begin(false);
    say("{\"id\":1,\"result\":{\"protocolVersion\":1}}", NULL);
    assert_int_equal(say("{\"id\":2,\"result\":{\"sessionId\":\"\"}}", ""), ACP_OVER);
}

/* Asks for permission; "allow", "reject" or "cancel" is what was answered. */
static const char *asks(const char *call)
{
    struct buf line;
    const char *answer;

    buf_init(&line, 1 << 16);
    buf_printf(&line, "{\"id\":\"q\",\"method\":\"session/request_permission\",\"params\":{"
               "\"toolCall\":%s,\"options\":[{\"optionId\":\"always\",\"kind\":\"allow_always\"},"
               "{\"optionId\":\"allow\",\"kind\":\"allow_once\"},"
               "{\"optionId\":\"reject\",\"kind\":\"reject_once\"}]}}", call);
    assert_int_equal(say(buf_cstr(&line), NULL), ACP_GOES_ON);
    buf_release(&line);
    assert_non_null(strstr(buf_cstr(&out), "\"id\":\"q\",\"result\""));
    answer = strstr(buf_cstr(&out), "\"optionId\":\"allow\"") ? "allow"
           : strstr(buf_cstr(&out), "\"optionId\":\"reject\"") ? "reject" : "cancel";
    return answer;
}

TEST_WITH(a_reviewer_may_read_and_run_and_not_edit, NULL, finish)
{
    begin_prompt(false);
    assert_string_equal(asks("{\"kind\":\"read\"}"), "allow");
    assert_string_equal(asks("{\"kind\":\"search\"}"), "allow");
    assert_string_equal(asks("{\"kind\":\"execute\"}"), "allow");
    assert_string_equal(asks("{\"kind\":\"fetch\"}"), "allow");
    assert_string_equal(asks("{\"kind\":\"edit\"}"), "reject");
    assert_string_equal(asks("{\"kind\":\"delete\"}"), "reject");
    assert_string_equal(asks("{\"kind\":\"move\"}"), "reject");
    assert_string_equal(asks("{\"kind\":\"switch_mode\"}"), "reject");
    assert_string_equal(asks("{\"kind\":\"other\"}"), "reject");
    assert_string_equal(asks("{}"), "reject");
    assert_string_equal(asks("null"), "reject");
}

TEST_WITH(a_fixer_may_edit_inside_the_workspace, NULL, finish)
{
    begin_prompt(true);
    assert_string_equal(asks("{\"kind\":\"edit\",\"locations\":[{\"path\":\"/w/a\"}]}"), "allow");
    assert_string_equal(asks("{\"kind\":\"edit\",\"locations\":[{\"path\":\"/w/a\"},"
                             "{\"path\":\"/etc/passwd\"}]}"), "reject");
    assert_string_equal(asks("{\"kind\":\"edit\",\"locations\":[{\"path\":\"/workshop/a\"}]}"),
                        "reject");
    assert_string_equal(asks("{\"kind\":\"edit\",\"content\":[{\"type\":\"diff\",\"path\":"
                             "\"/etc/x\"}]}"), "reject");
    assert_string_equal(asks("{\"kind\":\"switch_mode\"}"), "reject");
    assert_string_equal(asks("{\"kind\":\"execute\"}"), "allow");
    assert_string_equal(asks("{}"), "allow");
}

TEST_WITH(options_of_the_wanted_kind_are_taken_or_none, NULL, finish)
{
    begin_prompt(false);
    say("{\"id\":1,\"method\":\"session/request_permission\",\"params\":{\"toolCall\":{\"kind\":"
        "\"edit\"},\"options\":[{\"optionId\":\"yes\",\"kind\":\"allow_once\"}]}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"outcome\":{\"outcome\":\"cancelled\"}}}\n");
    say("{\"id\":1,\"method\":\"session/request_permission\",\"params\":{\"toolCall\":{\"kind\":"
        "\"read\"},\"options\":[{\"optionId\":\"ever\",\"kind\":\"allow_always\"}]}}", NULL);
    assert_non_null(strstr(buf_cstr(&out), "\"optionId\":\"ever\""));
}

TEST_WITH(after_a_cancel_nothing_is_allowed, NULL, finish)
{
    begin_prompt(true);
    buf_clear(&out);
    acp_cancel(&acp, &out);
    assert_string_equal(buf_cstr(&out), "{\"jsonrpc\":\"2.0\",\"method\":\"session/cancel\","
                        "\"params\":{\"sessionId\":\"s1\"}}\n");
    assert_string_equal(asks("{\"kind\":\"read\"}"), "cancel");
    buf_clear(&out);
    acp_cancel(&acp, &out);
    assert_int_equal(out.size, 0);
    assert_int_equal(say("{\"id\":4,\"result\":{\"stopReason\":\"cancelled\"}}", ""), ACP_OVER);
    assert_true(acp.problem.size > 0);
}

TEST_WITH(without_a_session_there_is_nothing_to_cancel, NULL, finish)
{
    begin(true);
    buf_clear(&out);
    acp_cancel(&acp, &out);
    assert_int_equal(out.size, 0);
}

TEST_WITH(files_of_the_workspace_are_read, NULL, finish)
{
#define READ(more) "{\"id\":9,\"method\":\"fs/read_text_file\",\"params\":{" more "}}"
    begin_prompt(false);
    assert_int_equal(say(READ("\"path\":\"/w/src/a.c\",\"line\":2,\"limit\":1"), ""),
                     ACP_WANTS_READ);
    assert_string_equal(buf_cstr(&acp.path), "src/a.c");
    acp_file_read(&acp, STR("one\ntwo\nthree\n"), NULL, &out);
    assert_string_equal(buf_cstr(&out),
                        "{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{\"content\":\"two\\n\"}}\n");
    assert_int_equal(say(READ("\"path\":\"/w/b\""), ""), ACP_WANTS_READ);
    acp_file_read(&acp, STR(""), "no such file", &out);
    assert_non_null(strstr(buf_cstr(&out), "\"error\":{\"code\":-32603,\"message\":\"no such"));
    assert_int_equal(say(READ("\"path\":\"/w/b\",\"line\":99999"), ""), ACP_WANTS_READ);
    acp_file_read(&acp, STR("one\n"), NULL, &out);
    assert_non_null(strstr(buf_cstr(&out), "\"content\":\"\""));
}

TEST_WITH(files_outside_are_not_for_anybody, NULL, finish)
{
    static const char *const bad[] = {
        READ("\"path\":\"/etc/passwd\""), READ("\"path\":\"/workshop/a\""), READ("\"path\":\"a\""),
        READ("\"path\":\"/w\""), READ("\"path\":\"/w/\""), READ("\"path\":7"), READ(""),
        READ("\"path\":\"/w/a\\u0000b\""),
    };

    begin_prompt(true);
    for (uint32_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(say(bad[i], NULL), ACP_GOES_ON);
        assert_non_null(strstr(buf_cstr(&out), "\"id\":9,\"error\""));
    }
}

TEST_WITH(only_a_fixer_writes, NULL, finish)
{
#define WRITE "{\"id\":\"f\",\"method\":\"fs/write_text_file\",\"params\":{\"path\":\"/w/a\"," \
              "\"content\":\"x\"}}"
    begin_prompt(false);
    assert_int_equal(say(WRITE, NULL), ACP_GOES_ON);
    assert_non_null(strstr(buf_cstr(&out), "a reviewer changes nothing"));
    finish(NULL);
    begin_prompt(true);
    assert_int_equal(say(WRITE, ""), ACP_WANTS_WRITE);
    assert_string_equal(buf_cstr(&acp.content), "x");
    acp_file_written(&acp, NULL, &out);
    assert_string_equal(buf_cstr(&out), "{\"jsonrpc\":\"2.0\",\"id\":\"f\",\"result\":{}}\n");
}

TEST_WITH(what_we_do_not_offer_is_answered_as_unknown, NULL, finish)
{
    begin_prompt(true);
    say("{\"id\":5,\"method\":\"terminal/create\",\"params\":{\"command\":\"rm\"}}",
        "{\"jsonrpc\":\"2.0\",\"id\":5,\"error\":{\"code\":-32601,\"message\":\"hone does not "
        "offer this\"}}\n");
}

static void begin_look(void)
{
    acp_init(&acp, &(struct acp_about){ .looks = true, .workspace = "/w", .prompt = STR("never"),
                                        .version = "1" });
    buf_init(&out, 1 << 20);
    acp_begin(&acp, &out);
    assert_int_equal(say("{\"id\":1,\"result\":{\"protocolVersion\":1,\"agentInfo\":"
                         "{\"name\":\"a\\u001b[2J\\nb\",\"version\":\"1.2\"}}}", NULL),
                     ACP_GOES_ON);
}

TEST_WITH(a_look_asks_for_nothing, NULL, finish)
{
    begin_look();
    assert_int_equal(say("{\"id\":2,\"result\":{\"sessionId\":\"s1\",\"modes\":{\"availableModes\":"
                         "[{\"id\":\"read-only\"}]}}}", ""), ACP_OVER);
    assert_int_equal(acp.problem.size, 0);
    assert_false(acp.login);
    assert_non_null(strstr(buf_cstr(&acp.who), " 1.2"));
    assert_null(strchr(buf_cstr(&acp.who), '\033'));
    assert_null(strchr(buf_cstr(&acp.who), '\n'));
}

TEST_WITH(a_look_tells_a_login_from_other_trouble, NULL, finish)
{
    begin_look();
    assert_int_equal(say("{\"id\":2,\"error\":{\"code\":-32000,\"message\":\"no\"}}", ""),
                     ACP_OVER);
    assert_true(acp.login);
    finish(NULL);
    begin_look();
    assert_int_equal(say("{\"id\":2,\"error\":{\"code\":-32603,\"message\":\"no\"}}", ""),
                     ACP_OVER);
    assert_false(acp.login);
    assert_true(acp.problem.size > 0);
}
