/* SPDX-License-Identifier: Apache-2.0
 *
 * test_script.c - scripts: which line is played, and what is said about a wrong one. */
#include "agent/backends.h"
#include "agent/script.h"

#include "io/file/file.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct attempt critic = {
    .run = "r", .dialect = "review", .role = "critic", .lane = "main", .phase = "R1",
    .iteration = 7, .round = 2, .attempt = 1, .copy = 3, .task_id = "task-1",
    .output = "/o", .workspace = "/w", .task = "t",
};

/* Plays text for the critic and compares the answer. */
static void expect_answer(const char *text, const char *answer)
{
    struct buf out;
    struct err err = { 0 };
    int exit_code = -1;

    buf_init(&out, 1 << 20);
    if (script_play(str_of(text), "s", &critic, &out, &exit_code, &err) != 0) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(exit_code, 0);
    assert_string_equal(buf_cstr(&out), answer);
    buf_release(&out);
}

static void expect_wrong(const char *text, const char *words)
{
    struct err err = { 0 };

    assert_int_equal(script_check(str_of(text), "s", &err), ERR_USAGE);
    if (!strstr(err.text, words)) fail_msg("'%s' is not in: %s", words, err.text);
}

TEST(a_string_is_the_answer_byte_for_byte)
{
    expect_answer("{\"answer\":\"a\\n\\\"b\\\" \\u00e9\"}", "a\n\"b\" \xc3\xa9");
    expect_answer("{\"answer\":\"\"}\n", "");
}

TEST(another_value_is_written_as_json)
{
    expect_answer("{\"answer\":{\"a\":[1,2.5,null]}}",
                  "{\n  \"a\": [\n    1,\n    2.5,\n    null\n  ]\n}\n");
    expect_answer("{\"answer\":null}", "null\n");
    expect_answer("{\"answer\":7}", "7\n");
}

TEST(the_first_line_that_fits_is_played)
{
    expect_answer("{\"role\":\"pedant\",\"answer\":\"a\"}\n"
                  "{\"role\":\"critic\",\"round\":1,\"answer\":\"b\"}\n"
                  "{\"role\":\"critic\",\"answer\":\"c\"}\n"
                  "{\"answer\":\"d\"}\n", "c");
}

TEST(every_matcher_must_fit)
{
    static const char *const others[] = {
        "\"role\":\"critics\"", "\"role\":\"Critic\"", "\"role\":\"\"",
        "\"role\":\"critic\\u0000\"",
        "\"phase\":\"R2\"", "\"task\":\"t\"",
        "\"iteration\":8", "\"round\":3", "\"attempt\":2", "\"copy\":0",
        "\"role\":\"critic\",\"phase\":\"R1\",\"round\":2,\"attempt\":1,\"copy\":4",
    };

    for (uint32_t i = 0; i < sizeof others / sizeof *others; i++) {
        char text[256];
        snprintf(text, sizeof text, "{%s,\"answer\":\"wrong\"}\n{\"answer\":\"right\"}",
                 others[i]);
        expect_answer(text, "right");
    }
    expect_answer("{\"role\":\"critic\",\"phase\":\"R1\",\"round\":2,\"attempt\":1,\"copy\":3,"
                  "\"task\":\"task-1\",\"iteration\":7,\"answer\":\"all\"}", "all");
}

TEST(blank_lines_and_foreign_line_ends_do_not_count)
{
    expect_answer("\n  \t\r\n{\"answer\":\"x\"}\r\n\n", "x");
    expect_wrong("\n\n{\"answer\":1}\r\n\n{\"x\":1}", "s:5: ");
}

TEST(an_exit_is_a_failure_without_an_answer)
{
    struct buf out;
    struct err err;
    int exit_code = 0;

    buf_init(&out, 100);
    assert_int_equal(script_play(STR("{\"exit\":7}"), "s", &critic, &out, &exit_code, &err), 0);
    assert_int_equal(exit_code, 7);
    assert_int_equal(out.size, 0);
    buf_release(&out);
}

TEST(nothing_that_fits_says_what_was_looked_for)
{
    struct buf out;
    struct err err;
    int exit_code;

    buf_init(&out, 100);
    assert_int_equal(script_play(STR("{\"role\":\"x\",\"answer\":\"\"}"), "my.jsonl", &critic,
                                 &out, &exit_code, &err), ERR_FAILED);
    assert_string_equal(err.text, "my.jsonl: no line fits role critic, phase R1, round 2, "
                                  "attempt 1, copy 3");
    buf_release(&out);
}

TEST(an_answer_beyond_the_bound_is_refused_and_not_cut)
{
    struct buf out;
    struct err err;
    int exit_code;

    buf_init(&out, 3);
    assert_int_equal(script_play(STR("{\"answer\":\"four\"}"), "s", &critic, &out, &exit_code,
                                 &err), ERR_LIMIT);
    assert_int_equal(out.size, 0);
    buf_release(&out);
}

TEST(a_wrong_line_is_named_with_its_number)
{
    expect_wrong("{\"answer\":1}\n{\"anwser\":1}", "s:2: unknown member \"anwser\"");
    expect_wrong("{", "s:1: not JSON: ");
    expect_wrong("{\"answer\":1} x", "s:1: not JSON: ");
    expect_wrong("{\"answer\":1},\n", "s:1: not JSON: ");
    expect_wrong("[]", "s:1: not a JSON object");
    expect_wrong("\"x\"", "s:1: not a JSON object");
    expect_wrong("{\"answer\":\"\xff\"}", "s:1: not JSON: ");
    expect_wrong("{}", "\"answer\" or \"exit\"");
    expect_wrong("{\"answer\":1,\"exit\":1}", "only one of them");
    expect_wrong("{\"answer\":1,\"answer\":2}", "\"answer\" twice");
    expect_wrong("{\"a\\n\\u001b[2J\":1}", "unknown member \"a \\x1b[2J\"");
    expect_wrong("{\"answer\":1,\"changes\":{}}", "unknown member \"changes\"");
    expect_wrong("{\"role\":1,\"answer\":1}", "\"role\" wants a string");
    expect_wrong("{\"role\":null,\"answer\":1}", "\"role\" wants a string");
    expect_wrong("{\"round\":\"1\",\"answer\":1}", "\"round\" wants a whole number");
    expect_wrong("{\"round\":-1,\"answer\":1}", "\"round\" wants a whole number");
    expect_wrong("{\"copy\":1.0,\"answer\":1}", "\"copy\" wants a whole number");
    expect_wrong("{\"attempt\":4294967296,\"answer\":1}", "\"attempt\" wants a whole number");
    expect_wrong("{\"exit\":0}", "1 to 255");
    expect_wrong("{\"exit\":256}", "1 to 255");
    expect_wrong("{\"exit\":-1}", "1 to 255");
    expect_wrong("{\"exit\":true}", "1 to 255");
}

TEST(a_script_without_lines_is_wrong)
{
    expect_wrong("", "no lines");
    expect_wrong("\n \n", "no lines");
}

TEST(json_that_is_too_deep_is_refused)
{
    struct buf text;

    buf_init(&text, 1024);
    buf_text(&text, "{\"answer\":");
    for (uint32_t i = 0; i < 200; i++) buf_byte(&text, '[');
    for (uint32_t i = 0; i < 200; i++) buf_byte(&text, ']');
    buf_byte(&text, '}');
    expect_wrong(buf_cstr(&text), "s:1: ");
    buf_release(&text);
}

/* ---- the backend, over real files ---- */

TEST(a_file_is_checked_and_played)
{
    char folder[] = "/tmp/hone-test-script-XXXXXX";
    char path[64], spec[80];
    struct arena arena = { 0 };
    struct agent agent;
    struct buf out;
    struct err err;
    int exit_code;

    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/s.jsonl", folder);
    snprintf(spec, sizeof spec, "script:%s", path);
    assert_int_equal(agent_parse(spec, &arena, &agent, &err), 0);
    assert_int_equal(backend_script.check(&agent, &err), ERR_MISSING);
    assert_non_null(strstr(err.text, path));

    assert_int_equal(file_write(folder, "s.jsonl", STR("{\"answer\":1}\nx\n"), &err), 0);
    assert_int_equal(backend_script.check(&agent, &err), ERR_USAGE);
    assert_non_null(strstr(err.text, "s.jsonl:2: "));

    assert_int_equal(file_write(folder, "s.jsonl", STR("{\"answer\":\"hello\"}"), &err), 0);
    assert_int_equal(backend_script.check(&agent, &err), 0);
    buf_init(&out, 100);
    assert_int_equal(backend_script.play(&agent, &critic, &out, &exit_code, &err), 0);
    assert_string_equal(buf_cstr(&out), "hello");
    assert_int_equal(exit_code, 0);

    assert_int_equal(unlink(path), 0);
    assert_int_not_equal(backend_script.play(&agent, &critic, &out, &exit_code, &err), 0);
    assert_int_equal(rmdir(folder), 0);
    buf_release(&out);
    arena_release(&arena);
}

TEST(a_folder_is_no_script)
{
    struct arena arena = { 0 };
    struct agent agent;
    struct err err;

    assert_int_equal(agent_parse("script:/", &arena, &agent, &err), 0);
    assert_int_not_equal(backend_script.check(&agent, &err), 0);
    assert_int_equal(agent_parse("script:/dev/zero", &arena, &agent, &err), 0);
    assert_int_not_equal(backend_script.check(&agent, &err), 0);
    arena_release(&arena);
}
