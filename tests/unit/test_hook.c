/* SPDX-License-Identifier: Apache-2.0
 *
 * test_hook.c - what a host tells a hook: odd, hostile and broken. */
#include "format/hook.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct scene {
    struct buf text, out;
    struct hook_input in;
    struct err err;
};

static int begin(void **state)
{
    struct scene *scene = calloc(1, sizeof *scene);

    if (!scene) return -1;
    buf_init(&scene->text, HOOK_TEXT_BYTES_MAX);
    buf_init(&scene->out, 1 << 20);
    *state = scene;
    return 0;
}

static int end(void **state)
{
    struct scene *scene = *state;

    hook_release(&scene->in);
    buf_release(&scene->text);
    buf_release(&scene->out);
    free(scene);
    return 0;
}

static int reads_bytes(struct scene *scene, struct str json, const char *argument)
{
    hook_release(&scene->in);
    buf_clear(&scene->text);
    buf_add(&scene->text, json);
    return hook_read(&scene->in, &scene->text, str_of(argument), &scene->err);
}

static int reads(struct scene *scene, const char *json, const char *argument)
{
    return reads_bytes(scene, str_of(json), argument);
}

/* The paths that an edit with this input would write to, each in brackets. */
static const char *paths_of(struct scene *scene, const char *tool, const char *input)
{
    struct hook_paths paths = { 0 };
    struct str path;
    struct buf json;

    buf_init(&json, 1 << 20);
    buf_printf(&json, "{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"%s\",\"tool_input\":%s}",
               tool, input);
    assert_int_equal(reads(scene, buf_cstr(&json), NULL), 0);
    buf_release(&json);
    buf_clear(&scene->out);
    while (hook_path_next(&scene->in, &paths, &path)) {
        buf_printf(&scene->out, "[%.*s]", STR_ARG(path));
    }
    assert_false(hook_path_next(&scene->in, &paths, &path));
    return buf_cstr(&scene->out);
}

#define IN_SCENE(name) TEST_WITH(name, begin, end)

IN_SCENE(the_input_names_the_event_and_else_the_argument)
{
    struct scene *scene = *state;

    assert_int_equal(reads(scene, "{\"hook_event_name\":\"Stop\"}", "PreToolUse"), 0);
    assert_int_equal(scene->in.event, HOOK_STOP);
    assert_int_equal(reads(scene, "{}", "PreToolUse"), 0);
    assert_int_equal(scene->in.event, HOOK_PRE_TOOL_USE);
    assert_int_equal(reads(scene, "{\"hook_event_name\":\"\"}", "Stop"), 0);
    assert_int_equal(scene->in.event, HOOK_STOP);
    assert_int_equal(reads(scene, "{\"hook_event_name\":5}", "Stop"), 0);
    assert_int_equal(scene->in.event, HOOK_STOP);
    assert_int_equal(reads(scene, "{}", NULL), 0);
    assert_int_equal(scene->in.event, HOOK_OTHER);
}

IN_SCENE(an_event_that_nobody_knows_is_another_one)
{
    struct scene *scene = *state;

    assert_int_equal(reads(scene, "{\"hook_event_name\":\"TeaTime\"}", "Stop"), 0);
    assert_int_equal(scene->in.event, HOOK_OTHER);
    assert_int_equal(hook_event_of(STR("Stop\0")), HOOK_OTHER);
    assert_int_equal(hook_event_of(STR("StopFailur")), HOOK_OTHER);
    assert_int_equal(hook_event_of(STR("Stops")), HOOK_OTHER);
    assert_int_equal(hook_event_of(STR("-_")), HOOK_OTHER);
}

IN_SCENE(what_is_no_object_is_refused_in_one_line)
{
    static const char *const texts[] = {
        "", " \n", "x", "[]", "[{}]", "null", "\"Stop\"", "7", "{", "{\"a\":}", "{} {}", "{}x",
        "noise\n{\"hook_event_name\":\"Stop\"}", "{'a':1}", "{\"a\":1,}", "\x1b[31m{}", "\xff",
        "{\"a\":\"\\u12\"}", "\xef\xbb\xbf",
    };
    struct scene *scene = *state;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_int_equal(reads(scene, texts[i], NULL), ERR_FORMAT);
        assert_memory_equal(scene->err.text, "read what the host says on standard input: ", 43);
        assert_null(strchr(scene->err.text, '\n'));
        assert_null(strchr(scene->err.text, '\x1b'));
        assert_int_equal(scene->in.session_id.size, 0);
    }
}

IN_SCENE(a_broken_input_still_says_whether_it_is_a_gate)
{
    static const char *const cut[] = {
        "{\"session_id\":\"s\",\"hook_event_name\":\"PreToolUse\",\"tool_input\":{\"content\":\"x",
        "{\"hook_event_name\" :\n \"PreToolUse\"", "{\"hook_event_name\":\"PreToolUse",
        "[{\"hook_event_name\":\"PreToolUse\"}]",
    };
    struct scene *scene = *state;

    for (size_t i = 0; i < sizeof cut / sizeof cut[0]; i++) {
        assert_int_equal(reads(scene, cut[i], NULL), ERR_FORMAT);
        assert_int_equal(scene->in.event, HOOK_PRE_TOOL_USE);
        assert_int_equal(reads(scene, cut[i], "Stop"), ERR_FORMAT);
        assert_int_equal(scene->in.event, HOOK_STOP);
    }
    assert_int_equal(reads(scene, "{\"hook_event_name\":", NULL), ERR_FORMAT);
    assert_int_equal(scene->in.event, HOOK_OTHER);
    assert_int_equal(reads(scene, "garbage", "PreToolUse"), ERR_FORMAT);
    assert_int_equal(scene->in.event, HOOK_PRE_TOOL_USE);
}

IN_SCENE(an_input_that_is_too_large_is_refused_and_one_of_the_size_is_not)
{
    struct scene *scene = *state;
    const char *head = "{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Write\","
                       "\"tool_input\":{\"content\":\"";
    const char *tail = "\",\"file_path\":\"big.c\"}}";
    struct hook_paths paths = { 0 };
    struct buf json;
    struct str path;

    buf_init(&json, HOOK_BYTES_MAX + 1);
    buf_text(&json, head);
    assert_int_equal(buf_reserve(&json, HOOK_BYTES_MAX), ERR_LIMIT);
    json.overflow = false;
    while (json.size + strlen(tail) < HOOK_BYTES_MAX) buf_byte(&json, 'x');
    buf_text(&json, tail);
    assert_int_equal(json.size, HOOK_BYTES_MAX);
    assert_int_equal(reads_bytes(scene, buf_str(&json), NULL), 0);
    assert_true(hook_path_next(&scene->in, &paths, &path));
    assert_str(path, "big.c");
    buf_byte(&json, ' ');
    assert_int_equal(reads_bytes(scene, buf_str(&json), NULL), ERR_LIMIT);
    assert_int_equal(scene->in.event, HOOK_PRE_TOOL_USE);
    assert_non_null(strstr(scene->err.text, "16 MiB"));
    buf_release(&json);
}

IN_SCENE(a_text_that_was_cut_by_its_buffer_is_refused)
{
    struct scene *scene = *state;

    buf_release(&scene->text);
    buf_init(&scene->text, 20);
    buf_text(&scene->text, "{\"a\":1}");
    buf_text(&scene->text, "                                ");
    assert_int_equal(hook_read(&scene->in, &scene->text, STR("Stop"), &scene->err), ERR_LIMIT);
    assert_int_equal(scene->in.event, HOOK_STOP);
}

IN_SCENE(depth_and_width_do_no_harm)
{
    enum { DEEP = 200000 };
    struct scene *scene = *state;
    struct buf json;

    buf_init(&json, 1 << 20);
    buf_text(&json, "{\"hook_event_name\":\"PreToolUse\",\"tool_input\":");
    for (int i = 0; i < DEEP; i++) buf_byte(&json, '[');
    for (int i = 0; i < DEEP; i++) buf_byte(&json, ']');
    buf_text(&json, ",\"session_id\":\"s\"}");
    assert_int_equal(reads_bytes(scene, buf_str(&json), NULL), 0);
    assert_str(scene->in.session_id, "s");
    buf_release(&json);
}

IN_SCENE(the_first_of_two_members_counts)
{
    struct scene *scene = *state;

    assert_int_equal(reads(scene, "{\"session_id\":\"a\",\"session_id\":\"b\"}", NULL), 0);
    assert_str(scene->in.session_id, "a");
}

IN_SCENE(texts_are_told_byte_by_byte)
{
    struct scene *scene = *state;

    assert_int_equal(reads(scene, "{\"prompt\":\"a\\u0000b\\n\\u001b[31m\\ud83d\\ude00\"}", NULL),
                     0);
    assert_true(str_eq(scene->in.prompt, STR("a\0b\n\x1b[31m\xf0\x9f\x98\x80")));
    assert_int_equal(reads(scene, "{\"prompt\":\"\xff\xfe\"}", NULL), 0);
    assert_str(scene->in.prompt, "\xff\xfe");
}

IN_SCENE(half_a_pair_is_mended_and_nothing_else)
{
    struct scene *scene = *state;

    assert_int_equal(reads(scene, "{\"prompt\":\"\\ud83d\"}", NULL), 0);
    assert_str(scene->in.prompt, "\xef\xbf\xbd");
    assert_int_equal(reads(scene, "{\"prompt\":\"\\uDE00\\uD83D\"}", NULL), 0);
    assert_str(scene->in.prompt, "\xef\xbf\xbd\xef\xbf\xbd");
    assert_int_equal(reads(scene, "{\"prompt\":\"\\ud83d\\ud83d\\ude00\"}", NULL), 0);
    assert_str(scene->in.prompt, "\xef\xbf\xbd\xf0\x9f\x98\x80");
    assert_int_equal(reads(scene, "{\"prompt\":\"\\\\ud83d\\\\\\ud83d\\n\"}", NULL), 0);
    assert_str(scene->in.prompt, "\\ud83d\\\xef\xbf\xbd\n");
    assert_int_equal(reads(scene, "{\"prompt\":\"\\ud83d\\", NULL), ERR_FORMAT);
    assert_int_equal(reads(scene, "{\"prompt\":\"\\ud8", NULL), ERR_FORMAT);
}

IN_SCENE(an_agent_is_known_by_the_first_name_that_says_something)
{
    static const char *const keys[] = {
        "agent_type", "agent_name", "agentName", "subagent_type", "agentType", "type",
    };
    struct scene *scene = *state;

    for (size_t i = 0; i < 6; i++) {
        struct buf json;

        buf_init(&json, 4096);
        buf_text(&json, "{\"hook_event_name\":\"SubagentStop\"");
        for (size_t k = 6; k-- > i;) buf_printf(&json, ",\"%s\":\"%s\"", keys[k], keys[k]);
        for (size_t k = 0; k < i; k++) {
            buf_printf(&json, ",\"%s\":%s", keys[k], k % 2 ? "3" : "\"\"");
        }
        buf_text(&json, "}");
        assert_int_equal(reads(scene, buf_cstr(&json), NULL), 0);
        assert_str(scene->in.agent_type, keys[i]);
        buf_release(&json);
    }
}

IN_SCENE(in_a_tools_event_only_agent_type_names_an_agent)
{
    struct scene *scene = *state;

    assert_int_equal(reads(scene, "{\"hook_event_name\":\"PreToolUse\",\"type\":\"x\"}", NULL), 0);
    assert_int_equal(scene->in.agent_type.size, 0);
    assert_int_equal(reads(scene, "{\"agent_type\":\"hone:critic\",\"type\":\"x\"}", "PreToolUse"),
                     0);
    assert_str(scene->in.agent_type, "hone:critic");
}

IN_SCENE(tools_have_kinds_by_their_exact_names)
{
    static const struct {
        const char *name;
        enum hook_tool_kind kind;
    } rows[] = {
        { "Agent", HOOK_TOOL_AGENT }, { "Task", HOOK_TOOL_AGENT },
        { "spawn_agent", HOOK_TOOL_AGENT }, { "collaborationspawn_agent", HOOK_TOOL_AGENT },
        { "Edit", HOOK_TOOL_EDIT }, { "Write", HOOK_TOOL_EDIT }, { "MultiEdit", HOOK_TOOL_EDIT },
        { "NotebookEdit", HOOK_TOOL_EDIT }, { "apply_patch", HOOK_TOOL_EDIT },
        { "Bash", HOOK_TOOL_SHELL }, { "TaskCreate", HOOK_TOOL_OTHER },
        { "BashOutput", HOOK_TOOL_OTHER }, { "write", HOOK_TOOL_OTHER },
        { "close_agent", HOOK_TOOL_CLOSE }, { "multi_agent_v1close_agent", HOOK_TOOL_CLOSE },
        { "mcp__x__close_agent", HOOK_TOOL_OTHER },
        { "mcp__x__spawn_agent", HOOK_TOOL_OTHER }, { "mcp__x__Write", HOOK_TOOL_OTHER },
        { "Read", HOOK_TOOL_OTHER }, { "", HOOK_TOOL_OTHER },
    };
    struct scene *scene = *state;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        (void)paths_of(scene, rows[i].name, "{}");
        assert_int_equal(scene->in.tool.kind, rows[i].kind);
    }
}

IN_SCENE(every_path_of_an_edit_is_told)
{
    struct scene *scene = *state;

    assert_string_equal(paths_of(scene, "Write", "{\"content\":\"x\",\"file_path\":\"/a b\"}"),
                        "[/a b]");
    assert_string_equal(paths_of(scene, "NotebookEdit", "{\"notebook_path\":\"n\"}"), "[n]");
    assert_string_equal(paths_of(scene, "Edit", "{\"notebook_path\":\"n\",\"file_path\":\"f\"}"),
                        "[f][n]");
    assert_string_equal(paths_of(scene, "Edit", "{\"file_path\":7}"), "");
    assert_string_equal(paths_of(scene, "Edit", "\"file_path\""), "");
    assert_string_equal(paths_of(scene, "Write", "{\"command\":\"*** Add File: x\"}"), "");
    assert_string_equal(paths_of(scene, "Read", "{\"file_path\":\"f\"}"), "");
    assert_string_equal(paths_of(scene, "Write", "{\"file_path\":\"a\\nb\"}"), "[a\nb]");
}

IN_SCENE(every_file_of_a_patch_is_told)
{
    struct scene *scene = *state;

    assert_string_equal(
        paths_of(scene, "apply_patch",
                 "{\"command\":\"*** Begin Patch\\n*** Add File: a\\n+*** Add File: no\\n"
                 "*** Update File: b c\\r\\n*** Move to: d\\n@@\\n-*** Delete File: no\\n"
                 "  *** Delete File:  e  \\n*** Delete File: \\n*** End Patch\"}"),
        "[a][b c][d][e]");
    assert_string_equal(paths_of(scene, "apply_patch", "{\"input\":\"*** Update File: z\"}"),
                        "[z]");
    assert_string_equal(paths_of(scene, "apply_patch", "{\"command\":[\"apply_patch\"]}"), "");
}
