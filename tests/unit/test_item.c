/* SPDX-License-Identifier: Apache-2.0
 *
 * test_item.c - streams of agents as items: what was said, thought, called and given back. */
#include "format/stream/item.h"

#include "test.h"

#include <stdio.h>
#include <string.h>

/* An item as a line: its kind, id, tool, about and text, with marks for the rest. */
static void note(void *context, const struct item *item)
{
    static const char *const kinds[] = {
        [ITEM_SAID] = "said", [ITEM_THOUGHT] = "thought", [ITEM_TOOL] = "tool",
        [ITEM_RESULT] = "result", [ITEM_NOTE] = "note",
    };

    buf_printf(context, "%s%s%s [%.*s] %.*s(%.*s): %.*s\n", kinds[item->kind],
               item->failed ? "!" : "", item->piece ? "+" : item->told_again ? "~" : "",
               STR_ARG(item->id), STR_ARG(item->tool), STR_ARG(item->about), STR_ARG(item->text));
}

/* The items of these lines; in memory of the test's own. */
static const char *items(const struct stream_kind *kind, const char *stream)
{
    static char kept[4096];
    struct str rest = str_of(stream), line;
    struct buf out;

    buf_init(&out, sizeof kept);
    while (str_cut(&rest, '\n', &line)) {
        struct items reading = { .visit = note, .context = &out };

        items_line(&reading, kind, line);
    }
    (void)snprintf(kept, sizeof kept, "%s", buf_cstr(&out));
    buf_release(&out);
    return kept;
}

TEST(claude_thinks_calls_and_is_answered)
{
    assert_string_equal(
        items(&claude_stream,
              "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"thinking\","
              "\"thinking\":\"hm\"},{\"type\":\"redacted_thinking\",\"data\":\"x\"},"
              "{\"type\":\"text\",\"text\":\"I look.\"},{\"type\":\"tool_use\",\"id\":\"t1\","
              "\"name\":\"Read\",\"input\":{\"file_path\":\"a.c\"}}]}}\n"
              "{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"go on\"},"
              "{\"type\":\"tool_result\",\"tool_use_id\":\"t1\",\"content\":[{\"type\":\"text\","
              "\"text\":\"one\"},{\"type\":\"image\"},{\"type\":\"text\",\"text\":\"two\"}]},"
              "{\"type\":\"tool_result\",\"tool_use_id\":\"t2\",\"content\":\"gone\","
              "\"is_error\":true}]}}\n"),
        "thought [] (): hm\nthought [] (): (not shown by its service)\nsaid [] (): I look.\n"
        "tool [t1] Read(a.c): {\n  \"file_path\": \"a.c\"\n}\n"
        "result [t1] (): one\ntwo\nresult! [t2] (): gone\n");
}

TEST(codex_tells_a_call_twice)
{
    assert_string_equal(
        items(&codex_stream,
              "{\"type\":\"item.started\",\"item\":{\"id\":\"i4\",\"type\":\"command_execution\","
              "\"command\":\"make\",\"exit_code\":null}}\n"
              "{\"type\":\"item.completed\",\"item\":{\"id\":\"i4\",\"type\":\"command_execution\","
              "\"command\":\"make\",\"aggregated_output\":\"no rule\",\"exit_code\":2}}\n"
              "{\"type\":\"item.completed\",\"item\":{\"id\":\"i5\",\"type\":\"reasoning\","
              "\"text\":\"so\"}}\n"
              "{\"type\":\"item.completed\",\"item\":{\"id\":\"i6\",\"type\":\"mcp_tool_call\","
              "\"server\":\"demo\",\"tool\":\"add\",\"result\":{\"content\":[{\"type\":\"text\","
              "\"text\":\"42\"}]},\"error\":null}}\n"),
        "tool~ [i4] run(make): make\nresult! [i4] run(make): no rule\nthought [] (): so\n"
        "result [i6] add(demo): 42\n");
}

TEST(gemini_and_acp)
{
    assert_string_equal(
        items(&gemini_stream,
              "{\"type\":\"message\",\"role\":\"user\",\"content\":\"edit\"}\n"
              "{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"I \",\"delta\":true}\n"
              "{\"type\":\"tool_result\",\"tool_id\":\"g1\",\"status\":\"error\",\"error\":"
              "{\"message\":\"denied\"}}\n"),
        "said+ [] (): I \nresult! [g1] (): denied\n");
    assert_string_equal(
        items(&acp_stream,
              "{\"method\":\"session/update\",\"params\":{\"update\":{\"sessionUpdate\":"
              "\"agent_thought_chunk\",\"content\":{\"text\":\"hm\"}}}}\n"
              "{\"method\":\"session/update\",\"params\":{\"update\":{\"sessionUpdate\":"
              "\"tool_call\",\"toolCallId\":\"c1\",\"title\":\"echo hi\",\"rawInput\":{\"command\":"
              "\"echo hi\"}}}}\n"
              "{\"method\":\"session/update\",\"params\":{\"update\":{\"sessionUpdate\":"
              "\"tool_call_update\",\"toolCallId\":\"c1\",\"status\":\"in_progress\"}}}\n"
              "{\"method\":\"session/update\",\"params\":{\"update\":{\"sessionUpdate\":"
              "\"tool_call_update\",\"toolCallId\":\"c1\",\"status\":\"completed\",\"rawOutput\":"
              "{\"aggregated_output\":\"hi\"}}}}\n"),
        "thought+ [] (): hm\ntool [c1] echo hi(echo hi): {\n  \"command\": \"echo hi\"\n}\n"
        "result [c1] (): hi\n");
}

TEST(trouble_and_what_is_no_event)
{
    assert_string_equal(items(&claude_stream, "oops\n\n{\"type\":7}\n[1]\n"
                                              "{\"type\":\"result\",\"is_error\":true,"
                                              "\"result\":\"over\"}\n"),
                        "note [] (): oops\nnote [] (): [1]\nnote! [] (): over\n");
    assert_string_equal(items(NULL, "{\"type\":\"assistant\"}\n"),
                        "note [] (): {\"type\":\"assistant\"}\n");
    assert_string_equal(items(&codex_stream, "{\"type\":\"turn.failed\"}"),
                        "note! [] (): an error\n");
}
