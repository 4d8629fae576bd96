/* SPDX-License-Identifier: Apache-2.0
 *
 * test_gemini_stream.c - what Gemini CLI's stream tells, and what cannot be made of it. */
#include "stream_scene.h"
#include "test.h"

#include <string.h>

#define INIT "{\"type\":\"init\",\"session_id\":\"s\",\"model\":\"gemini-2.5-pro\"}\n"
#define SAYS(text) \
    "{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"" text "\",\"delta\":true}\n"
#define CALL(id, name, parameters) \
    "{\"type\":\"tool_use\",\"tool_name\":\"" name "\",\"tool_id\":\"" id \
    "\",\"parameters\":" parameters "}\n"
#define RESULT_OF(id, status) \
    "{\"type\":\"tool_result\",\"tool_id\":\"" id "\",\"status\":\"" status "\"}\n"
#define END \
    "{\"type\":\"result\",\"status\":\"success\",\"stats\":{\"input_tokens\":36934," \
    "\"output_tokens\":67,\"cached\":5,\"duration_ms\":465,\"tool_calls\":2}}\n"
#define FAILED \
    "{\"type\":\"result\",\"status\":\"error\",\"error\":{\"type\":\"unknown\",\"message\":" \
    "\"[API Error: 429 rate limit, log in]\"}}\n"

static struct reading read_text(const char *text, int exit_status)
{
    return scene_read(&gemini_stream, text, exit_status);
}

TEST_WITH(the_answer_is_what_was_said_behind_the_last_call, NULL, scene_release)
{
    struct reading reading = read_text(
        INIT "{\"type\":\"message\",\"role\":\"user\",\"content\":\"the prompt\"}\n" SAYS("I look.")
        CALL("a", "read_file", "{\"file_path\":\"x.c\"}") RESULT_OF("a", "success")
        SAYS("All ") SAYS("done.") END, 0);

    scene_expect_end(&reading, READING_OK, "");
    assert_true(str_is(reading.answer, "All done."));
    assert_true(str_is(reading.model, "gemini-2.5-pro"));
    assert_int_equal(reading.usage.tokens_in, 36934);
    assert_int_equal(reading.usage.tokens_out, 67);
    assert_int_equal(reading.tokens_cached, 5);
    assert_int_equal(reading.duration_ms, 465);
    assert_int_equal(reading.unknown, 0);
}

TEST_WITH(what_was_said_before_a_call_is_no_answer, NULL, scene_release)
{
    struct reading reading = read_text(
        INIT SAYS("{\\\"issues\\\":[]}") CALL("a", "read_file", "{}") END, 0);

    scene_expect_end(&reading, READING_MISSING, "no text");
    reading = read_text(INIT END, 0);
    scene_expect_end(&reading, READING_MISSING, "no text");
    reading = read_text(INIT SAYS("x"), 0);
    scene_expect_end(&reading, READING_MISSING, "without a result");
    reading = read_text(SAYS("x") "{\"type\":\"result\",\"status\":\"perhaps\"}\n", 0);
    scene_expect_end(&reading, READING_PROTOCOL, "whether it failed");
}

TEST_WITH(a_message_that_is_whole_replaces_what_was_said, NULL, scene_release)
{
    struct reading reading = read_text(
        SAYS("a") "{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"whole\"}\n" END, 0);

    assert_true(str_is(reading.answer, "whole"));
}

TEST_WITH(the_exit_status_tells_the_class_of_an_error, NULL, scene_release)
{
    static const struct {
        int exit_status;
        enum reading_end end;
        bool permanent;
    } rows[] = {
        { 41, READING_LOGIN, true }, { 53, READING_BUDGET, true },
        { 400 & 255, READING_OTHER, false }, { 401 & 255, READING_LOGIN, true },
        { 404 & 255, READING_MODEL, true }, { 429 & 255, READING_RATE, false },
        { 500 & 255, READING_OVERLOAD, false }, { 503 & 255, READING_OVERLOAD, false },
        { 1, READING_OTHER, false }, { 0, READING_OTHER, false }, { -1, READING_OTHER, false },
    };

    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct reading reading = read_text(INIT SAYS("half") FAILED, rows[i].exit_status);
        scene_expect_end(&reading, rows[i].end, "API Error");
        assert_int_equal(reading.permanent, rows[i].permanent);
    }
}

TEST_WITH(a_good_result_is_not_made_worse_than_its_status, NULL, scene_release)
{
    struct reading reading = read_text(SAYS("x") END, 429 & 255);

    scene_expect_end(&reading, READING_OTHER, "ended badly");
}

TEST_WITH(calls_that_went_well_are_evidence, NULL, scene_release)
{
    struct reading reading = read_text(
        CALL("a", "read_file", "{\"file_path\":\"x.c\"}") RESULT_OF("a", "error")
        CALL("b", "run_shell_command", "{\"command\":\"ls\"}") RESULT_OF("b", "success")
        CALL("c", "write_file", "{\"file_path\":\"y.c\"}") RESULT_OF("c", "success")
        CALL("d", "google_web_search", "{}") RESULT_OF("d", "success") SAYS("x") END, 0);

    assert_int_equal(reading.tool_calls, 4);
    assert_int_equal(reading.commands, 1);
    assert_int_equal(reading.reads, 0);
    assert_int_equal(reading.writes, 1);
    assert_int_equal(reading.path_count, 1);
}

TEST_WITH(a_program_without_a_login_says_so_by_its_status_alone, NULL, scene_release)
{
    struct reading reading = scene_read(&gemini_stream, "", 41);

    scene_expect_end(&reading, READING_LOGIN, "status 41");
    assert_true(reading.permanent);
    reading = scene_read(&gemini_stream, "", 173); /* of HTTP 429, if it had said more */
    scene_expect_end(&reading, READING_MISSING, "status 173");
    reading = scene_read(&codex_stream, "", 41);
    scene_expect_end(&reading, READING_MISSING, "status 41");
}
