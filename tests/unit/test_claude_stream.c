/* SPDX-License-Identifier: Apache-2.0
 *
 * test_claude_stream.c - what Claude Code's stream tells, and what cannot be made of it. */
#include "stream_scene.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

#define INIT "{\"type\":\"system\",\"subtype\":\"init\",\"model\":\"opus-5\",\"tools\":[]}\n"
#define CALL(id, name, input) \
    "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"id\":\"" id \
    "\",\"name\":\"" name "\",\"input\":" input "}]}}\n"
#define RESULT_OF(id, more) \
    "{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"" id \
    "\"" more "}]}}\n"
#define SAYS(text) \
    "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"" text \
    "\"}]}}\n"
#define DONE(more) \
    "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false," \
    "\"terminal_reason\":\"completed\"" more "}\n"
#define FAILED(more) \
    "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":true," \
    "\"terminal_reason\":\"api_error\"" more "}\n"
#define RETRY(status, word) \
    "{\"type\":\"system\",\"subtype\":\"api_retry\",\"error_status\":" status \
    ",\"error\":\"" word "\"}\n"

static struct reading read_text(const char *text, int exit_status)
{
    return scene_read(&claude_stream, text, exit_status);
}

TEST_WITH(the_result_is_the_answer, NULL, scene_release)
{
    struct reading reading = read_text(INIT SAYS("Let me see.") SAYS("Hello.")
        DONE(",\"result\":\"Hello.\",\"total_cost_usd\":0.0016,\"num_turns\":3,"
             "\"duration_ms\":175"), 0);

    scene_expect_end(&reading, READING_OK, "");
    assert_true(reading.has_result);
    assert_false(reading.structured);
    assert_true(str_is(reading.answer, "Hello."));
    assert_true(str_is(reading.model, "opus-5"));
    assert_true(reading.cost_known);
    assert_int_equal(reading.usage.cost_micros, 1600);
    assert_int_equal(reading.turns, 3);
    assert_int_equal(reading.duration_ms, 175);
    assert_int_equal(reading.events, 4);
    assert_int_equal(reading.unknown, 0);
}

TEST_WITH(structured_output_goes_before_the_text, NULL, scene_release)
{
    struct reading reading = read_text(
        DONE(",\"result\":\"words\",\"structured_output\":{\"issues\":[],\"n\":1.5}"), 0);

    scene_expect_end(&reading, READING_OK, "");
    assert_true(reading.structured);
    assert_true(str_is(reading.answer, "{\"issues\":[],\"n\":1.5}"));
    reading = read_text(DONE(",\"result\":\"words\",\"structured_output\":null"), 0);
    assert_false(reading.structured);
    assert_true(str_is(reading.answer, "words"));
}

TEST_WITH(the_last_of_several_results_counts, NULL, scene_release)
{
    struct reading reading = read_text(
        DONE(",\"result\":\"one\",\"total_cost_usd\":0.5") SAYS("more")
        DONE(",\"result\":\"two\",\"total_cost_usd\":0.75"), 0);

    assert_true(str_is(reading.answer, "two"));
    assert_int_equal(reading.usage.cost_micros, 750000);
    reading = read_text(DONE(",\"result\":\"one\"")
                        FAILED(",\"api_error_status\":500,\"result\":\"x\""), 1);
    scene_expect_end(&reading, READING_OVERLOAD, "x");
    reading = read_text(FAILED(",\"api_error_status\":401,\"result\":\"x\"")
                        DONE(",\"result\":\"one\""), 0);
    scene_expect_end(&reading, READING_OK, "");
    assert_false(reading.permanent);
}

TEST_WITH(an_error_is_one_whatever_its_subtype, NULL, scene_release)
{
    struct reading reading = read_text(
        FAILED(",\"api_error_status\":400,\"result\":\"API Error: 400 broke\""), 1);

    scene_expect_end(&reading, READING_OTHER, "400 broke");
    reading = read_text(FAILED(",\"result\":\"x\""), 0); /* as after SIGINT: status 0 */
    scene_expect_end(&reading, READING_OTHER, "x");
}

TEST_WITH(a_status_other_than_0_is_an_error_whatever_the_result_says, NULL, scene_release)
{
    struct reading reading = read_text(DONE(",\"result\":\"fine\""), 1);

    scene_expect_end(&reading, READING_OTHER, "status 1");
    assert_true(reading.has_result);
    reading = read_text(DONE(",\"result\":\"fine\""), -1);
    assert_int_equal(reading.end, READING_OTHER);
}

TEST_WITH(a_turn_that_was_cut_short_is_no_answer, NULL, scene_release)
{
    static const char *const reasons[] = { "hook_stopped", "tool_deferred", "aborted_streaming",
                                           "stop_hook_prevented", "something_new" };

    for (uint32_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        char text[300];
        struct reading reading;

        snprintf(text, sizeof text, "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":"
                 "false,\"terminal_reason\":\"%s\",\"result\":\"\"}\n", reasons[i]);
        reading = read_text(text, 0);
        scene_expect_end(&reading, READING_OTHER, reasons[i]);
    }
}

TEST_WITH(an_older_program_gives_no_reason, NULL, scene_release)
{
    struct reading reading = read_text(
        "{\"type\":\"result\",\"is_error\":false,\"result\":\"a\"}\n", 0);

    scene_expect_end(&reading, READING_OK, "");
}

TEST_WITH(the_class_of_an_error_is_its_http_status, NULL, scene_release)
{
    static const struct {
        const char *status;
        enum reading_end end;
        bool permanent;
    } rows[] = {
        { "400", READING_OTHER, false }, { "401", READING_LOGIN, true },
        { "403", READING_LOGIN, true }, { "404", READING_MODEL, true },
        { "413", READING_OTHER, true }, { "429", READING_RATE, false },
        { "500", READING_OVERLOAD, false }, { "529", READING_OVERLOAD, false },
    };

    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[300];
        struct reading reading;

        snprintf(text, sizeof text, FAILED(",\"api_error_status\":%s,\"result\":\"words\""),
                 rows[i].status);
        reading = read_text(text, 1);
        scene_expect_end(&reading, rows[i].end, "words");
        assert_int_equal(reading.permanent, rows[i].permanent);
    }
}

TEST_WITH(other_fields_tell_the_class_where_there_is_no_status, NULL, scene_release)
{
    struct reading reading = read_text(
        FAILED(",\"api_error_status\":null,\"api_error\":\"connection_failed\",\"result\":\"x\""),
        1);

    scene_expect_end(&reading, READING_NETWORK, "x");
    reading = read_text(FAILED(",\"stop_reason\":\"refusal\",\"result\":\"x\""), 1);
    scene_expect_end(&reading, READING_REFUSED, "x");
    reading = read_text("{\"type\":\"result\",\"is_error\":true,\"terminal_reason\":"
                        "\"budget_exhausted\",\"errors\":[\"Reached $1\"]}", 1);
    scene_expect_end(&reading, READING_BUDGET, "Reached $1");
    assert_true(reading.permanent);
    reading = read_text("{\"type\":\"result\",\"is_error\":true,\"terminal_reason\":"
                        "\"max_turns\"}", 1);
    scene_expect_end(&reading, READING_BUDGET, "max_turns");
    reading = read_text("{\"type\":\"assistant\",\"error\":\"authentication_failed\",\"message\":"
                        "{\"content\":[]}}\n" FAILED(",\"result\":\"Please log in\""), 1);
    scene_expect_end(&reading, READING_LOGIN, "Please log in");
    assert_true(reading.permanent);
}

TEST_WITH(words_in_texts_change_nothing, NULL, scene_release)
{
    struct reading reading = read_text(
        SAYS("rate_limit 429 overloaded api_error")
        DONE(",\"result\":\"The code says: rate limit reached, 429, resetsAt 1799999999\""), 0);

    scene_expect_end(&reading, READING_OK, "");
    assert_int_equal(reading.retry_at_ms, 0);
    reading = read_text(FAILED(",\"result\":\"429 rate limit, please log in\""), 1);
    assert_int_equal(reading.end, READING_OTHER);
}

TEST_WITH(a_reset_is_told_with_a_rate_limit, NULL, scene_release)
{
#define LIMIT(status, reset) \
    "{\"type\":\"rate_limit_event\",\"rate_limit_info\":{\"status\":\"" status \
    "\",\"resetsAt\":" reset "}}\n"
    struct reading reading = read_text(LIMIT("rejected", "1799999999")
        FAILED(",\"api_error_status\":429,\"result\":\"x\""), 1);

    scene_expect_end(&reading, READING_RATE, "x");
    assert_int_equal(reading.retry_at_ms, UINT64_C(1799999999000));
    assert_int_equal(reading.unknown, 0);
    reading = read_text(LIMIT("rejected", "1799999999") LIMIT("allowed", "1799999999")
        FAILED(",\"api_error_status\":429,\"result\":\"x\""), 1);
    assert_int_equal(reading.retry_at_ms, 0);
    reading = read_text(LIMIT("rejected", "18446744073709551615")
        FAILED(",\"api_error_status\":429,\"result\":\"x\""), 1);
    assert_int_equal(reading.retry_at_ms, 0);
    reading = read_text(LIMIT("rejected", "1799999999") DONE(",\"result\":\"x\""), 0);
    assert_int_equal(reading.retry_at_ms, 0);
    reading = read_text(LIMIT("rejected", "1799999999")
        FAILED(",\"api_error_status\":401,\"result\":\"x\""), 1);
    assert_int_equal(reading.retry_at_ms, 0);
}

TEST_WITH(a_program_that_ended_between_retries_tells_what_it_waited_for, NULL, scene_release)
{
    struct reading reading = read_text(INIT RETRY("529", "overloaded"), 143);

    scene_expect_end(&reading, READING_OVERLOAD, "waited");
    assert_false(reading.has_result);
    reading = read_text(INIT RETRY("null", "unknown"), 143);
    scene_expect_end(&reading, READING_NETWORK, "waited");
    reading = read_text(INIT RETRY("401", "authentication_failed"), 143);
    scene_expect_end(&reading, READING_LOGIN, "waited");
    reading = read_text(INIT RETRY("529", "overloaded") SAYS("on"), 143);
    scene_expect_end(&reading, READING_MISSING, "status 143");
}

TEST_WITH(no_result_is_no_answer, NULL, scene_release)
{
    struct reading reading = read_text(INIT SAYS("{\\\"issues\\\":[]}"), 0);

    scene_expect_end(&reading, READING_MISSING, "without a result");
    assert_false(reading.has_result);
    reading = read_text("", 0);
    scene_expect_end(&reading, READING_MISSING, "without a result");
    reading = read_text(DONE(""), 0);
    scene_expect_end(&reading, READING_MISSING, "no text");
    assert_true(reading.has_result);
    reading = read_text(DONE(",\"result\":7"), 0);
    scene_expect_end(&reading, READING_MISSING, "no text");
    reading = read_text("{\"type\":\"result\",\"result\":\"x\"}", 0);
    scene_expect_end(&reading, READING_PROTOCOL, "whether it failed");
    reading = read_text("{\"type\":\"result\",\"is_error\":\"false\",\"result\":\"x\"}", 0);
    scene_expect_end(&reading, READING_PROTOCOL, "whether it failed");
}

TEST_WITH(an_empty_answer_is_for_the_judge, NULL, scene_release)
{
    struct reading reading = read_text(DONE(",\"result\":\"\""), 0);

    scene_expect_end(&reading, READING_OK, "");
    assert_int_equal(reading.answer.size, 0);
}

TEST_WITH(what_is_no_stream_is_said_with_its_first_words, NULL, scene_release)
{
    struct reading reading = read_text("Segmentation fault \x1b[31m\nmore\n", 0);

    scene_expect_end(&reading, READING_PROTOCOL, "Segmentation fault \\x1b[31m");
    assert_int_equal(reading.malformed, 2);
    reading = read_text("[1,2]\n\"x\"\n{\"type\":\"result\",\n", 1);
    scene_expect_end(&reading, READING_PROTOCOL, "[1,2]");
    assert_int_equal(reading.malformed, 3);
    reading = read_text("noise\n\n  \r\n" DONE(",\"result\":\"x\"") "noise", 0);
    scene_expect_end(&reading, READING_OK, "");
    assert_int_equal(reading.malformed, 2);
}

TEST_WITH(an_unknown_event_is_counted_and_ignored, NULL, scene_release)
{
    struct reading reading = read_text("{}\n{\"type\":\"brand_new\",\"result\":\"no\"}\n"
        "{\"type\":7}\n" DONE(",\"result\":\"x\""), 0);

    scene_expect_end(&reading, READING_OK, "");
    assert_int_equal(reading.unknown, 3);
    assert_int_equal(reading.events, 4);
}

TEST_WITH(tool_calls_are_evidence, NULL, scene_release)
{
    struct reading reading = read_text(
        CALL("a", "Bash", "{\"command\":\"make\"}") CALL("b", "Read", "{\"file_path\":\"/w/x.c\"}")
        RESULT_OF("b", "") RESULT_OF("a", ",\"is_error\":true")
        CALL("c", "Read", "{\"file_path\":\"/w/none\"}") RESULT_OF("c", ",\"is_error\":true")
        CALL("d", "Edit", "{\"file_path\":\"/w/x.c\"}") RESULT_OF("d", ",\"is_error\":false")
        CALL("e", "WebSearch", "{}") CALL("f", "StructuredOutput", "{}")
        DONE(",\"result\":\"x\""), 0);

    assert_int_equal(reading.tool_calls, 5);
    assert_int_equal(reading.commands, 1);
    assert_int_equal(reading.reads, 1);
    assert_int_equal(reading.writes, 1);
    assert_int_equal(reading.path_count, 1);
    assert_true(str_is(reading.paths[0].path, "/w/x.c"));
    assert_true(reading.paths[0].written);
    assert_true(reading.sights.busy);
}

/* What was shown is kept where the command ran: with status 0 or not, but not where it was refused
 * or its program was not there. A search that tells names shows no file. */
TEST_WITH(what_a_reviewer_was_shown, NULL, scene_release)
{
    struct reading reading = read_text(
        CALL("a", "Bash", "{\"command\":\"true\"}") RESULT_OF("a", "")
        CALL("b", "Read", "{\"file_path\":\"/w/x.c\"}") RESULT_OF("b", "")
        CALL("c", "Grep", "{\"pattern\":\"x\",\"path\":\"y.c\"}") RESULT_OF("c", "")
        CALL("d", "Grep", "{\"pattern\":\"x\",\"path\":\"z.c\",\"output_mode\":\"content\"}")
        RESULT_OF("d", "") CALL("e", "Bash", "{\"command\":\"git diff HEAD; make\"}")
        RESULT_OF("e", ",\"is_error\":true,\"content\":\"Exit code 2\\nno\"")
        CALL("f", "Bash", "{\"command\":\"cat f.c\"}")
        RESULT_OF("f", ",\"is_error\":true,\"content\":\"permission denied\"")
        CALL("g", "Bash", "{\"command\":\"cat g.c\"}")
        RESULT_OF("g", ",\"is_error\":true,\"content\":\"Exit code 127\\nno\"")
        CALL("h", "Bash", "{\"command\":\"cat h.c\"}")
        DONE(",\"result\":\"x\""), 0);

    assert_int_equal(reading.sights.count, 3);
    assert_true(str_is(reading.sights.items[0].path, "/w/x.c"));
    assert_true(str_is(reading.sights.items[1].path, "z.c"));
    assert_int_equal(reading.sights.items[2].kind, SIGHT_HEAD);
    reading = read_text(CALL("a", "Bash", "{\"command\":\"true\"}") RESULT_OF("a", "")
                        DONE(",\"result\":\"x\""), 0);
    assert_false(reading.sights.busy);
}

#define KEPT "\"parentUuid\":\"p\",\"isSidechain\":true,\"agentId\":\"a1\",\"cwd\":\"/w\","

/* What a host keeps of an agent of its own: the same lines with more members, and no result. */
TEST_WITH(a_transcript_of_a_host_shows_what_its_agent_was_shown, NULL, scene_release)
{
    static const char kept[] =
        "{" KEPT "\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"review\"}}\n"
        "{" KEPT "\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\","
        "\"id\":\"t1\",\"name\":\"Read\",\"input\":{\"file_path\":\"/w/x.c\"}}]}}\n"
        "{" KEPT "\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\","
        "\"tool_use_id\":\"t1\",\"content\":\"int x;\"}]},\"toolUseResult\":{\"type\":\"text\"}}\n"
        "{" KEPT "\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\","
        "\"id\":\"t2\",\"name\":\"Bash\",\"input\":{\"command\":\"cat y.c\"}}]}}\n"
        "{" KEPT "\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\","
        "\"tool_use_id\":\"t2\",\"is_error\":true,\"content\":\"permission denied\"}]}}\n";
    struct reading reading = read_text(kept, 0);

    assert_true(reading.events > 0);
    assert_int_equal(reading.sights.count, 1); /* y.c was refused */
    assert_true(str_is(reading.sights.items[0].path, "/w/x.c"));
    reading = read_text("{" KEPT "\"type\":\"user\",\"message\":{\"content\":\"review\"}}\n", 0);
    assert_int_equal(reading.sights.count, 0);
    reading = read_text("no transcript\n", 0);
    assert_int_equal(reading.events, 0); /* then the host tells nothing */
}

TEST_WITH(calls_that_were_refused_are_no_evidence, NULL, scene_release)
{
    struct reading reading = read_text(
        CALL("a", "Bash", "{\"command\":\"make\"}") RESULT_OF("a", ",\"is_error\":true")
        CALL("b", "Read", "{\"file_path\":\"x\"}")
        DONE(",\"result\":\"x\",\"permission_denials\":[{\"tool_name\":\"Bash\"},"
             "{\"tool_name\":\"Bash\"}]"), 0);

    assert_int_equal(reading.commands, 0);
    assert_int_equal(reading.reads, 0);
    assert_false(reading.sights.busy);
    reading = read_text(CALL("f", "StructuredOutput", "{}") DONE(",\"result\":\"x\""), 0);
    assert_int_equal(reading.tool_calls, 0);
    assert_false(reading.sights.busy);
}

TEST_WITH(tokens_are_those_of_all_models, NULL, scene_release)
{
    struct reading reading = read_text(
        DONE(",\"result\":\"x\",\"usage\":{\"input_tokens\":1},\"modelUsage\":{"
             "\"m\":{\"inputTokens\":100,\"outputTokens\":20,\"cacheReadInputTokens\":7,"
             "\"cacheCreationInputTokens\":3},\"k\":{\"inputTokens\":5,\"outputTokens\":1}}"), 0);

    assert_int_equal(reading.usage.tokens_in, 115);
    assert_int_equal(reading.usage.tokens_out, 21);
    assert_int_equal(reading.tokens_cached, 7);
    assert_true(str_is(reading.model, "m"));
    assert_false(reading.cost_known);
    reading = read_text(DONE(",\"result\":\"x\",\"usage\":{\"input_tokens\":100,"
        "\"output_tokens\":20,\"cache_read_input_tokens\":7}"), 0);
    assert_int_equal(reading.usage.tokens_in, 107);
    assert_int_equal(reading.usage.tokens_out, 20);
}

TEST_WITH(mad_numbers_are_not_taken, NULL, scene_release)
{
    struct reading reading = read_text(
        DONE(",\"result\":\"x\",\"total_cost_usd\":-1,\"num_turns\":-3,\"modelUsage\":{"
             "\"m\":{\"inputTokens\":18446744073709551615,\"outputTokens\":1.5},"
             "\"k\":{\"inputTokens\":5}}"), 0);

    assert_int_equal(reading.usage.tokens_in, UINT64_MAX);
    assert_int_equal(reading.usage.tokens_out, 0);
    assert_int_equal(reading.usage.cost_micros, 0);
    assert_int_equal(reading.turns, 0);
    assert_false(reading.cost_known);
    reading = read_text(DONE(",\"result\":\"x\",\"total_cost_usd\":1e300"), 0);
    assert_true(reading.cost_known); /* a budget must not take it for nothing */
    assert_true(reading.usage.cost_micros == UINT64_C(1000000000000000000));
}
