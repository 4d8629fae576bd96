/* SPDX-License-Identifier: Apache-2.0
 *
 * test_acp_stream.c - what the messages of an agent tell that speaks ACP. */
#include "stream_scene.h"
#include "test.h"

#include <string.h>

#define BEGIN \
    "{\"id\":1,\"result\":{\"protocolVersion\":1}}\n" \
    "{\"id\":2,\"result\":{\"sessionId\":\"s\",\"models\":{\"currentModelId\":\"m\"}}}\n"
#define UPDATE(body) \
    "{\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\",\"update\":{" body "}}}\n"
#define SAYS(text) \
    UPDATE("\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"" \
           text "\"}")
#define TOOL(id, more) \
    UPDATE("\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"" id "\"," more)
#define TOOL_UPDATE(id, more) \
    UPDATE("\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"" id "\"," more)
#define END(more) "{\"id\":4,\"result\":{\"stopReason\":\"end_turn\"" more "}}\n"

static struct reading read_text(const char *text, int exit_status)
{
    return scene_read(&acp_stream, text, exit_status);
}

TEST_WITH(the_last_message_is_the_answer, NULL, scene_release)
{
    struct reading reading = read_text(
        BEGIN SAYS("I look.") TOOL("a", "\"kind\":\"execute\"")
        TOOL_UPDATE("a", "\"status\":\"completed\"") SAYS("All ") SAYS("done.")
        UPDATE("\"sessionUpdate\":\"usage_update\",\"cost\":{\"amount\":0.1,\"currency\":\"USD\"}")
        END(",\"usage\":{\"inputTokens\":5,\"outputTokens\":2,\"totalTokens\":12,"
            "\"cachedReadTokens\":5}"), 0);

    scene_expect_end(&reading, READING_OK, "");
    assert_true(str_is(reading.answer, "All done."));
    assert_true(str_is(reading.model, "m"));
    assert_int_equal(reading.usage.cost_micros, 100000);
    assert_int_equal(reading.usage.tokens_in, 10);
    assert_int_equal(reading.usage.tokens_out, 2);
    assert_int_equal(reading.tokens_cached, 5);
    assert_int_equal(reading.commands, 1);
    assert_int_equal(reading.unknown, 0);
}

TEST_WITH(another_id_is_another_message, NULL, scene_release)
{
    struct reading reading = read_text(
        BEGIN UPDATE("\"sessionUpdate\":\"agent_message_chunk\",\"messageId\":\"1\",\"content\":{"
                     "\"text\":\"I look.\"}")
        UPDATE("\"sessionUpdate\":\"agent_message_chunk\",\"messageId\":\"2\",\"content\":{"
               "\"text\":\"Do\"}")
        UPDATE("\"sessionUpdate\":\"agent_message_chunk\",\"messageId\":\"2\",\"content\":{"
               "\"text\":\"ne.\"}")
        END(",\"_meta\":{\"quota\":{\"token_count\":{\"input_tokens\":9,\"output_tokens\":1}}}"),
        0);

    assert_true(str_is(reading.answer, "Done."));
    assert_int_equal(reading.usage.tokens_in, 9);
}

TEST_WITH(only_the_end_of_a_turn_is_an_answer, NULL, scene_release)
{
    struct reading reading = read_text(BEGIN SAYS("x"), 1);

    scene_expect_end(&reading, READING_MISSING, "without a result");
    reading = read_text(BEGIN SAYS("x") TOOL("a", "\"kind\":\"read\"") END(""), 0);
    scene_expect_end(&reading, READING_MISSING, "without a message");
    reading = read_text(BEGIN END(""), 0);
    scene_expect_end(&reading, READING_MISSING, "without a message");
    reading = read_text(BEGIN SAYS("x") "{\"id\":4,\"result\":{\"stopReason\":\"cancelled\"}}", 1);
    scene_expect_end(&reading, READING_OTHER, "cancelled");
    reading = read_text(BEGIN SAYS("x") "{\"id\":4,\"result\":{\"stopReason\":\"refusal\"}}", 1);
    scene_expect_end(&reading, READING_REFUSED, "refusal");
    reading = read_text(BEGIN SAYS("x") "{\"id\":4,\"result\":{}}", 1);
    scene_expect_end(&reading, READING_PROTOCOL, "why");
    reading = read_text(BEGIN SAYS("x") END(""), 1);
    scene_expect_end(&reading, READING_OTHER, "status 1");
}

TEST_WITH(errors_have_their_class_in_the_code, NULL, scene_release)
{
    struct reading reading = read_text(
        "{\"id\":2,\"error\":{\"code\":-32000,\"message\":\"log in\"}}", 1);

    scene_expect_end(&reading, READING_LOGIN, "log in");
    assert_true(reading.permanent);
    reading = read_text("{\"id\":4,\"error\":{\"code\":429,\"message\":\"slow\"}}", 1);
    scene_expect_end(&reading, READING_RATE, "slow");
    reading = read_text("{\"id\":4,\"error\":{\"code\":-32603,\"message\":\"429 rate\"}}", 1);
    scene_expect_end(&reading, READING_OTHER, "429 rate");
    reading = read_text("{\"id\":4,\"error\":{}}", 1);
    scene_expect_end(&reading, READING_OTHER, "does not say");
    reading = read_text(BEGIN "{\"id\":3,\"error\":{\"code\":-1}}\n" SAYS("x") END(""), 0);
    scene_expect_end(&reading, READING_OK, "");
}

TEST_WITH(completed_calls_are_evidence, NULL, scene_release)
{
    struct reading reading = read_text(
        BEGIN TOOL("a", "\"kind\":\"read\",\"locations\":[{\"path\":\"/w/a\"}]")
        TOOL_UPDATE("a", "\"status\":\"completed\"")
        TOOL("b", "\"kind\":\"execute\"") TOOL_UPDATE("b", "\"status\":\"failed\"")
        TOOL_UPDATE("c", "\"kind\":\"edit\",\"status\":\"completed\",\"locations\":[{\"path\":"
                    "\"/w/c\"}]")
        TOOL("d", "\"kind\":\"fetch\",\"status\":\"completed\"")
        "{\"id\":0,\"method\":\"session/request_permission\",\"params\":{}}\n"
        UPDATE("\"sessionUpdate\":\"brand_new\"") SAYS("x") END(""), 0);

    assert_int_equal(reading.tool_calls, 4);
    assert_int_equal(reading.reads, 1);
    assert_int_equal(reading.commands, 0);
    assert_int_equal(reading.writes, 1);
    assert_int_equal(reading.path_count, 2);
    assert_int_equal(reading.unknown, 1);
}

/* Gemini has the command of a call as its title, and no rawInput. */
TEST_WITH(a_title_is_a_command_where_there_is_no_other, NULL, scene_release)
{
    struct reading reading = read_text(
        BEGIN TOOL("a", "\"kind\":\"execute\",\"title\":\"cat a.c\",\"status\":\"in_progress\"")
        TOOL_UPDATE("a", "\"kind\":\"execute\",\"title\":\"cat a.c\",\"status\":\"completed\"")
        TOOL("b", "\"kind\":\"execute\",\"title\":\"cat b.c\",\"rawInput\":{\"command\":\"ls\"}")
        TOOL_UPDATE("b", "\"status\":\"completed\"")
        TOOL("c", "\"kind\":\"read\",\"title\":\"cat c.c\",\"status\":\"completed\"")
        SAYS("x") END(""), 0);

    assert_int_equal(reading.sights.count, 1);
    assert_true(str_is(reading.sights.items[0].path, "a.c"));
}
