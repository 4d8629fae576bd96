/* SPDX-License-Identifier: Apache-2.0
 *
 * test_codex_stream.c - what Codex's stream tells, and what cannot be made of it. */
#include "stream_scene.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

#define BEGIN "{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n{\"type\":\"turn.started\"}\n"
#define ITEM(body) "{\"type\":\"item.completed\",\"item\":{\"id\":\"i\"," body "}}\n"
#define SAYS(text) ITEM("\"type\":\"agent_message\",\"text\":\"" text "\"")
#define END \
    "{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":19144,\"cached_input_tokens\":40," \
    "\"output_tokens\":25}}\n"

static struct reading read_text(const char *text, int exit_status)
{
    return scene_read(&codex_stream, text, exit_status);
}

TEST_WITH(the_last_message_is_the_answer, NULL, scene_release)
{
    struct reading reading = read_text(BEGIN SAYS("Let me look.") SAYS("{\\\"issues\\\":[]}") END,
                                       0);

    scene_expect_end(&reading, READING_OK, "");
    assert_true(str_is(reading.answer, "{\"issues\":[]}"));
    assert_int_equal(reading.usage.tokens_in, 19144);
    assert_int_equal(reading.tokens_cached, 40);
    assert_int_equal(reading.usage.tokens_out, 25);
    assert_int_equal(reading.turns, 1);
    assert_false(reading.cost_known);
    assert_int_equal(reading.unknown, 0);
}

TEST_WITH(usage_is_a_running_total, NULL, scene_release)
{
    struct reading reading = read_text(
        BEGIN SAYS("a") "{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":100}}\n"
        "{\"type\":\"turn.started\"}\n" SAYS("b")
        "{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":300}}\n", 0);

    assert_int_equal(reading.usage.tokens_in, 300);
    assert_true(str_is(reading.answer, "b"));
    assert_int_equal(reading.turns, 2);
}

TEST_WITH(a_turn_without_a_message_is_no_answer, NULL, scene_release)
{
    struct reading reading = read_text(BEGIN END, 0);

    scene_expect_end(&reading, READING_MISSING, "without a message");
    reading = read_text(BEGIN SAYS("a") END "{\"type\":\"turn.started\"}\n" END, 0);
    scene_expect_end(&reading, READING_MISSING, "without a message");
}

TEST_WITH(no_end_is_no_answer, NULL, scene_release)
{
    struct reading reading = read_text(BEGIN SAYS("{\\\"issues\\\":[]}"), 0);

    scene_expect_end(&reading, READING_MISSING, "without a result");
    reading = read_text(BEGIN SAYS("x") END, 1);
    scene_expect_end(&reading, READING_OTHER, "status 1");
    reading = read_text("codex: command not found\n", 127);
    scene_expect_end(&reading, READING_PROTOCOL, "command not found");
}

TEST_WITH(a_failed_turn_has_no_answer_and_a_class, NULL, scene_release)
{
    static const struct {
        const char *sentence;
        enum reading_end end;
        bool permanent;
    } rows[] = {
        { "exceeded retry limit, last status: 429 Too Many Requests", READING_RATE, false },
        { "You\xe2\x80\x99ve hit your usage limit. Try again later.", READING_RATE, false },
        { "Quota exceeded. Check your plan.", READING_CREDIT, true },
        { "unexpected status 401 Unauthorized: bad, url: http://x", READING_LOGIN, true },
        { "unexpected status 404 Not Found: bad", READING_MODEL, true },
        { "unexpected status 503 Service Unavailable: oops", READING_OVERLOAD, false },
        { "We\xe2\x80\x99re currently experiencing high demand, which", READING_OVERLOAD, false },
        { "stream disconnected before completion: Transport error", READING_NETWORK, false },
        { "Connection failed: error sending request", READING_NETWORK, false },
        { "Missing environment variable: `KEY`.", READING_LOGIN, true },
        { "Incomplete response returned, reason: max_output_tokens", READING_OTHER, false },
        { "somebody said: unexpected status 401 Unauthorized", READING_OTHER, false },
        { "unexpected status many", READING_OTHER, false },
        { "the code hits a rate limit", READING_OTHER, false },
    };

    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[600];
        struct reading reading;

        snprintf(text, sizeof text, BEGIN SAYS("half")
                 "{\"type\":\"turn.failed\",\"error\":{\"message\":\"%s\"}}\n", rows[i].sentence);
        reading = read_text(text, 1);
        scene_expect_end(&reading, rows[i].end, rows[i].sentence);
        assert_int_equal(reading.permanent, rows[i].permanent);
    }
}

TEST_WITH(an_error_event_is_no_end, NULL, scene_release)
{
#define ERROR "{\"type\":\"error\",\"message\":\"unexpected status 401 Unauthorized\"}\n"
    struct reading reading = read_text(BEGIN ERROR SAYS("fine") END, 0);

    scene_expect_end(&reading, READING_OK, "");
    assert_int_equal(reading.unknown, 0);
    reading = read_text(BEGIN ERROR, 1);
    scene_expect_end(&reading, READING_MISSING, "status 1");
    reading = read_text("{\"type\":\"turn.failed\"}\n", 1);
    scene_expect_end(&reading, READING_OTHER, "does not say why");
}

TEST_WITH(completed_items_are_evidence, NULL, scene_release)
{
    struct reading reading = read_text(
        BEGIN "{\"type\":\"item.started\",\"item\":{\"type\":\"command_execution\"}}\n"
        ITEM("\"type\":\"command_execution\",\"exit_code\":1,\"status\":\"failed\","
             "\"command\":\"/bin/bash -lc 'cat a.c && make'\"")
        ITEM("\"type\":\"file_change\",\"status\":\"completed\",\"changes\":["
             "{\"path\":\"/w/a\",\"kind\":\"add\"},{\"path\":\"/w/b\",\"kind\":\"update\"}]")
        ITEM("\"type\":\"file_change\",\"status\":\"failed\",\"changes\":[{\"path\":\"/w/c\"}]")
        ITEM("\"type\":\"mcp_tool_call\"") ITEM("\"type\":\"reasoning\"")
        ITEM("\"type\":\"brand_new\"") SAYS("x") END, 0);

    assert_int_equal(reading.tool_calls, 4);
    assert_int_equal(reading.commands, 1);
    assert_int_equal(reading.writes, 2);
    assert_int_equal(reading.path_count, 2);
    assert_true(str_is(reading.paths[1].path, "/w/b"));
    assert_int_equal(reading.unknown, 1);
    assert_true(reading.sights.busy);
    assert_int_equal(reading.sights.count, 1);
    assert_true(str_is(reading.sights.items[0].path, "a.c"));
    reading = read_text(BEGIN "{\"type\":\"item.started\",\"item\":{\"type\":"
                        "\"command_execution\"}}\n" SAYS("x") END, 0);
    assert_false(reading.sights.busy);
}

/* One that was ended while it tried again: what it was in trouble with is known. */
TEST_WITH(trouble_is_told_while_it_tries_again, NULL, scene_release)
{
    static const struct {
        const char *said;
        enum reading_end end;
    } cases[] = {
        { "Reconnecting... 2/5 (Connection failed: error sending request)", READING_NETWORK },
        { "Reconnecting... 1/5 (unexpected status 529 Overloaded: x)", READING_OVERLOAD },
        { "Reconnecting... 1/5 (exceeded retry limit, last status: 429 Too Many Requests)",
          READING_RATE },
        { "Reconnecting... 1/5 (something else)", READING_NETWORK },
        { "a warning (unexpected status 529 Overloaded)", READING_MISSING },
        { "Reconnecting... ", READING_MISSING },
    };

    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct reading reading;
        char text[512], served[1024];

        snprintf(text, sizeof text, "{\"type\":\"turn.started\"}\n"
                 "{\"type\":\"error\",\"message\":\"%s\"}\n", cases[i].said);
        reading = scene_read(&codex_stream, text, -1);
        assert_int_equal(reading.end, cases[i].end);
        snprintf(served, sizeof served, "%s{\"type\":\"item.started\",\"item\":"
                 "{\"type\":\"reasoning\"}}\n", text);
        reading = scene_read(&codex_stream, served, -1);
        assert_int_equal(reading.end, READING_MISSING); /* it was served after all */
    }
}
