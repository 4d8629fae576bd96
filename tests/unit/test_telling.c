/* SPDX-License-Identifier: Apache-2.0
 *
 * test_telling.c - streams of agents as a user reads them. */
#include "format/stream/telling.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What these lines tell; in memory of the test's own. */
static const char *told(const struct stream_kind *kind, const char *stream)
{
    static char kept[1024];
    struct str rest = str_of(stream), line;
    struct telling telling = { 0 };
    struct buf out;

    buf_init(&out, 1 << 20);
    telling.out = &out;
    while (str_cut(&rest, '\n', &line)) telling_line(&telling, kind, line);
    telling_end(&telling);
    snprintf(kept, sizeof kept, "%s", buf_cstr(&out));
    buf_release(&out);
    return kept;
}

TEST(claude_says_and_does)
{
    assert_string_equal(
        told(&claude_stream,
             "{\"type\":\"system\",\"subtype\":\"init\"}\n"
             "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"I "
             "look.\"},{\"type\":\"tool_use\",\"name\":\"Read\",\"input\":{\"file_path\":\"a.c\"}}"
             "]}}\n"
             "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"name\":"
             "\"Bash\",\"input\":{\"command\":\"make\\ntest\"}}]}}\n"
             "{\"type\":\"result\",\"is_error\":true,\"result\":\"overloaded\"}\n"),
        "I look.\n> Read a.c\n> Bash make\n! overloaded\n");
}

TEST(codex_says_and_does)
{
    assert_string_equal(
        told(&codex_stream,
             "{\"type\":\"item.completed\",\"item\":{\"type\":\"command_execution\",\"command\":"
             "\"ls\"}}\n"
             "{\"type\":\"item.completed\",\"item\":{\"type\":\"file_change\",\"changes\":[{"
             "\"path\":\"b.c\"}]}}\n"
             "{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"done\"}"
             "}\n"
             "{\"type\":\"turn.failed\",\"error\":{\"message\":\"no more\"}}\n"),
        "> run ls\n> edit b.c\ndone\n! no more\n");
}

TEST(pieces_of_a_message_are_one_line)
{
    assert_string_equal(
        told(&gemini_stream,
             "{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"I \",\"delta\":true}\n"
             "{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"look.\",\"delta\":true}\n"
             "{\"type\":\"tool_use\",\"tool_name\":\"read_file\",\"parameters\":{\"file_path\":"
             "\"a\"}}\n"),
        "I look.\n> read_file a\n");
    assert_string_equal(
        told(&acp_stream,
             "{\"method\":\"session/update\",\"params\":{\"update\":{\"sessionUpdate\":"
             "\"agent_message_chunk\",\"content\":{\"text\":\"a\"}}}}\n"
             "{\"method\":\"session/update\",\"params\":{\"update\":{\"sessionUpdate\":"
             "\"agent_message_chunk\",\"content\":{\"text\":\"b\"}}}}\n"
             "{\"method\":\"session/update\",\"params\":{\"update\":{\"sessionUpdate\":"
             "\"tool_call\",\"title\":\"Look\",\"locations\":[{\"path\":\"c\"}]}}}\n"),
        "ab\n> Look c\n");
}

TEST(what_is_no_event_is_told_as_it_is)
{
    assert_string_equal(told(&claude_stream, "oops\n\n[1]\n{\"type\":7}\n"), "oops\n[1]\n");
    assert_string_equal(told(&codex_stream, "{\"type\":\"turn.failed\"}"), "! an error\n");
}
