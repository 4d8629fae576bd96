/* SPDX-License-Identifier: Apache-2.0
 *
 * test_reading.c - what all streams have in common: bounds, and a file of any size. */
#include "agent/agent.h"
#include "ground.h"
#include "stream_scene.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

#define DONE \
    "{\"type\":\"result\",\"is_error\":false,\"terminal_reason\":\"completed\"," \
    "\"result\":\"fine\"}\n"

TESTS_ARENA

TEST_WITH(a_mad_line_takes_no_memory, NULL, release)
{
    static char block[1 << 20];
    struct stream stream;
    struct reading reading;
    struct err err;

    memset(block, 'x', sizeof block);
    stream_init(&stream, &claude_stream);
    for (int i = 0; i < 1024; i++) {
        stream_feed(&stream, (struct str){ block, sizeof block });
        assert_true(stream.lines.part.cap <= 2 * (size_t)READING_LINE_BYTES_MAX + 2);
    }
    stream_feed(&stream, STR("\n" DONE));
    assert_int_equal(stream_end(&stream, 0, &arena, &reading, &err), 0);
    scene_expect_end(&reading, READING_OK, "");
    assert_int_equal(reading.skipped, 1);
    stream_release(&stream);
}

TEST_WITH(a_result_that_was_passed_over_is_said, NULL, release)
{
    static char block[1 << 20];
    struct stream stream;
    struct reading reading;
    struct err err;

    memset(block, ' ', sizeof block);
    stream_init(&stream, &claude_stream);
    for (int i = 0; i <= READING_LINE_BYTES_MAX >> 20; i++) {
        stream_feed(&stream, (struct str){ block, sizeof block });
    }
    stream_feed(&stream, STR(DONE));
    assert_int_equal(stream_end(&stream, 0, &arena, &reading, &err), 0);
    scene_expect_end(&reading, READING_PROTOCOL, "a line of more than 40 MiB");
    stream_release(&stream);
}

TEST_WITH(an_answer_that_is_too_long_is_refused, NULL, release)
{
    static char piece[1 << 20];
    struct stream stream;
    struct reading reading;
    struct err err = { 0 };

    memset(piece, 'a', sizeof piece);
    stream_init(&stream, &claude_stream);
    stream_feed(&stream, STR("{\"type\":\"result\",\"is_error\":false,\"total_cost_usd\":1,"
                             "\"result\":\""));
    for (int i = 0; i < 17; i++) stream_feed(&stream, (struct str){ piece, sizeof piece });
    stream_feed(&stream, STR("\"}\n"));
    assert_int_equal(stream_end(&stream, 0, &arena, &reading, &err), ERR_LIMIT);
    assert_non_null(strstr(err.text, "16 MiB"));
    assert_int_equal(reading.usage.cost_micros, 1000000);
    assert_int_equal(reading.answer.size, 0);
    stream_release(&stream);
}

TEST_WITH(calls_without_end_are_bounded, NULL, release)
{
    struct stream stream;
    struct reading reading;
    struct err err;

    stream_init(&stream, &claude_stream);
    for (int i = 0; i < 5000; i++) {
        char text[400];
        int size = snprintf(text, sizeof text,
            "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"id\":"
            "\"%d\",\"name\":\"Read\",\"input\":{\"file_path\":\"f%d\"}}]}}\n"
            "{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\","
            "\"tool_use_id\":\"%d\"}]}}\n", i, i, i % 3 ? i : -1);
        stream_feed(&stream, (struct str){ text, (size_t)size });
        assert_true(stream.call_count <= READING_CALLS_MAX);
    }
    stream_feed(&stream, STR(DONE));
    assert_int_equal(stream_end(&stream, 0, &arena, &reading, &err), 0);
    assert_int_equal(reading.tool_calls, 5000);
    assert_int_equal(reading.reads, 3333);
    assert_int_equal(reading.path_count, READING_PATHS_MAX);
    assert_true(reading.paths_cut);
    stream_release(&stream);
}

TEST_WITH(a_path_that_is_too_long_is_counted_and_not_listed, NULL, scene_release)
{
    char path[READING_PATH_BYTES_MAX + 2], text[2 * READING_PATH_BYTES_MAX + 400];
    struct reading reading;

    memset(path, 'p', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    snprintf(text, sizeof text, "{\"type\":\"item.completed\",\"item\":{\"type\":\"file_change\","
             "\"status\":\"completed\",\"changes\":[{\"path\":\"%s\"},{\"path\":\"%s\"}]}}\n",
             path, path + 1);
    reading = scene_read(&codex_stream, text, 0);
    assert_int_equal(reading.writes, 2);
    assert_int_equal(reading.path_count, 1);
    assert_true(reading.paths_cut);
}

TEST_WITH(hostile_texts_are_safe_to_show, NULL, scene_release)
{
    struct reading reading = scene_read(&claude_stream,
        "{\"type\":\"system\",\"subtype\":\"init\",\"model\":\"a\\u001b[2Jb\\u202e\"}\n"
        "{\"type\":\"result\",\"is_error\":true,\"result\":\"one\\ntwo\\u0007\\u001b]0;x\"}\n", 1);

    assert_true(str_is(reading.model, "a\\x1b[2Jb\\u{202e}"));
    scene_expect_end(&reading, READING_OTHER, "one two\\x07\\x1b]0;x");
}

TEST_WITH(a_message_of_any_length_is_cut, NULL, scene_release)
{
    struct buf text;
    struct reading reading;

    buf_init(&text, 1 << 20);
    buf_text(&text, "{\"type\":\"result\",\"is_error\":true,\"result\":\"");
    for (int i = 0; i < 10000; i++) buf_text(&text, "\\u001b");
    buf_text(&text, "\"}");
    reading = scene_read(&claude_stream, buf_cstr(&text), 1);
    scene_expect_end(&reading, READING_OTHER, "\\x1b\\x1b");
    assert_true(reading.message.size <= READING_TEXT_BYTES_MAX);
    buf_clear(&text);
    buf_text(&text, "{\"type\":\"result\",\"is_error\":true,\"result\":\"");
    for (int i = 0; i < 10000; i++) buf_text(&text, "word");
    buf_text(&text, "\"}");
    reading = scene_read(&claude_stream, buf_cstr(&text), 1);
    scene_expect_end(&reading, READING_OTHER, "wordword");
    assert_true(reading.message.size <= READING_TEXT_BYTES_MAX);
    buf_release(&text);
}

TEST_WITH(deep_and_binary_lines_are_no_events, NULL, scene_release)
{
    char deep[2000];
    struct reading reading;

    memset(deep, '[', sizeof deep - 1);
    deep[sizeof deep - 2] = '\n';
    deep[sizeof deep - 1] = '\0';
    reading = scene_read(&claude_stream, deep, 0);
    scene_expect_end(&reading, READING_PROTOCOL, "[[[");
    reading = scene_read_bytes(&claude_stream, STR("\0\0\xff\xfe\n{\"type\":\"\0\"}\n" DONE), 0);
    scene_expect_end(&reading, READING_OK, "");
    assert_int_equal(reading.malformed, 2);
}

TEST_WITH(a_transcript_is_read_from_its_file, ground_open, ground_close)
{
    static const struct backend backend = { .name = "x", .stream = &claude_stream };
    const struct ground *ground = *state;
    const struct agent agent = { .backend = &backend, .argument = "", .spec = "x" };
    struct reading reading;
    struct err err = { 0 };

    put(at(ground, "work/stdout"), DONE);
    assert_int_equal(agent_read(&agent, ground->work, 0, &arena, &reading, &err), 0);
    assert_true(str_is(reading.answer, "fine"));
    assert_int_equal(agent_read(&agent, ground->root, 1, &arena, &reading, &err), 0);
    scene_expect_end(&reading, READING_MISSING, "status 1");
    put_link(at(ground, "stdout"), "work/stdout");
    assert_int_equal(agent_read(&agent, ground->root, 0, &arena, &reading, &err), ERR_FORMAT);
    assert_int_equal(reading.end, READING_OTHER);
    assert_int_equal(reading.answer.size, 0);
    arena_release(&arena);
}

/* What each client writes while its model has not answered yet, and what it writes then. */
TEST_WITH(a_beginning_is_told_from_an_answer, ground_open, ground_close)
{
    static const struct {
        const struct stream_kind *kind;
        const char *begins, *answers;
    } cases[] = {
        { &claude_stream, "{\"type\":\"system\",\"subtype\":\"init\"}\n"
          "{\"type\":\"system\",\"subtype\":\"api_retry\",\"error_status\":529}\n"
          "{\"type\":\"assistant\",\"error\":\"rate_limit\"}\n",
          "{\"type\":\"assistant\",\"message\":{\"content\":[]}}\n" },
        { &codex_stream, "{\"type\":\"thread.started\"}\n{\"type\":\"turn.started\"}\n"
          "{\"type\":\"error\",\"message\":\"Reconnecting... 1/5\"}\n"
          "{\"type\":\"item.completed\",\"item\":{\"type\":\"error\"}}\n",
          "{\"type\":\"item.started\",\"item\":{\"type\":\"command_execution\"}}\n" },
        { &gemini_stream, "{\"type\":\"init\"}\n{\"type\":\"message\",\"role\":\"user\"}\n",
          "{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"I\"}\n" },
        { &acp_stream, "{\"id\":1,\"result\":{\"protocolVersion\":1}}\n"
          "{\"method\":\"session/update\",\"params\":{\"update\":{\"sessionUpdate\":"
          "\"available_commands_update\"}}}\n",
          "{\"method\":\"session/update\",\"params\":{\"update\":{\"sessionUpdate\":"
          "\"agent_thought_chunk\"}}}\n" },
    };
    const struct ground *ground = *state;

    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct backend backend = { .name = "x", .stream = cases[i].kind };
        const struct agent agent = { .backend = &backend, .argument = "", .spec = "x" };
        char text[1024];

        remove_all(at(ground, "work/stdout"));
        assert_int_equal(agent_look(&agent, ground->work), AGENT_SILENT);
        put(at(ground, "work/stdout"), "Loaded credentials.\n{\"type\":");
        assert_int_equal(agent_look(&agent, ground->work), AGENT_SILENT);
        put(at(ground, "work/stdout"), cases[i].begins);
        assert_int_equal(agent_look(&agent, ground->work), AGENT_BEGUN);
        snprintf(text, sizeof text, "%s%s", cases[i].begins, cases[i].answers);
        put(at(ground, "work/stdout"), text);
        assert_int_equal(agent_look(&agent, ground->work), AGENT_ANSWERED);
    }
}
