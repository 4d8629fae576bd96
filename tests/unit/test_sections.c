/* SPDX-License-Identifier: Apache-2.0
 *
 * test_sections.c - Markdown cut at its headings, and texts that can stand between them. */
#include "dialect/sections.h"

#include "test.h"

#include <string.h>

TESTS_ARENA

static struct str body_of(const struct section *section)
{
    return str_skip(section->text, section->text.size - section->body_bytes);
}

/* "preamble|title:body|..." with line ends as $. Nothing is lost on the way. */
static const char *cut(const char *text)
{
    struct sections sections;
    struct buf out;
    const char *kept;

    sections_read(str_of(text), &arena, &sections);
    buf_init(&out, 1 << 16);
    buf_add(&out, sections.preamble);
    for (uint32_t i = 0; i < sections.count; i++) {
        buf_text(&out, "|");
        buf_add(&out, sections.items[i].title);
        buf_text(&out, ":");
        buf_add(&out, body_of(&sections.items[i]));
    }
    for (size_t i = 0; i < out.size; i++) {
        if (out.data[i] == '\n') out.data[i] = '$';
    }
    kept = arena_cstr(&arena, buf_str(&out));
    buf_clear(&out);
    buf_add(&out, sections.preamble);
    for (uint32_t i = 0; i < sections.count; i++) buf_add(&out, sections.items[i].text);
    assert_string_equal(buf_cstr(&out), text);
    buf_release(&out);
    return kept;
}

static const char *normal(const char *text, uint32_t level)
{
    const char *once, *twice;
    struct buf out;

    buf_init(&out, 1 << 16);
    markdown_normal(str_of(text), level, &out);
    once = arena_cstr(&arena, buf_str(&out));
    buf_clear(&out);
    markdown_normal(str_of(once), level, &out);
    twice = arena_cstr(&arena, buf_str(&out));
    assert_string_equal(once, twice);
    buf_release(&out);
    return once;
}

TEST_WITH(a_text_is_cut_at_its_second_level_headings, NULL, release)
{
    assert_string_equal(cut("# T\n\n## A\nx\n### B\ny\n## C ##\n"), "# T$$|A:x$### B$y$|C:");
    assert_string_equal(cut("## A"), "|A:");
    assert_string_equal(cut("##A\n##\n#### B\n"), "##A$|:#### B$");
    assert_string_equal(cut("\xef\xbb\xbf## A\r\nx\r\n## B\r\n"),
                        "\xef\xbb\xbf|A:x\r$|B:");
    assert_string_equal(cut(""), "");
    assert_string_equal(cut("   ## A\n    ## code\n"), "|A:    ## code$");
}

TEST_WITH(a_heading_in_code_a_quote_or_a_comment_is_none, NULL, release)
{
    assert_string_equal(cut("## A\n```\n## x\n```\n## B\n"), "|A:```$## x$```$|B:");
    assert_string_equal(cut("~~~~\n## x\n~~~\n## y\n~~~~\n## B\n"),
                        "~~~~$## x$~~~$## y$~~~~$|B:");
    assert_string_equal(cut("<!-- a\n## x\n-->\n## B\n"), "<!-- a$## x$-->$|B:");
    assert_string_equal(cut("> ## x\n## B\n"), "> ## x$|B:");
}

TEST_WITH(a_fence_that_nothing_closes_swallows_nothing, NULL, release)
{
    struct sections sections;

    assert_string_equal(cut("## A\n```c\nx\n## B\ny\n"), "|A:```c$x$|B:y$");
    assert_string_equal(cut("## A\n<!-- x\n## B\n## C\n"), "|A:<!-- x$|B:|C:");
    sections_read(STR("## A\n```c\nx\n## B\ny\n"), &arena, &sections);
    assert_int_equal(sections.open_line, 2);
    assert_int_equal(sections.items[1].line, 4);
}

TEST_WITH(a_text_in_a_section_begins_no_section, NULL, release)
{
    assert_string_equal(normal("# A\n## B\n```\n## code\n```", 3),
                        "### A\n#### B\n```\n## code\n```");
    assert_string_equal(normal("### A\n#### B", 3), "### A\n#### B");
    assert_string_equal(normal("# A\n###### B", 3), "### A\n###### B");
    assert_string_equal(normal("#a\n#!x", 3), "#a\n#!x");
}

TEST_WITH(what_a_text_leaves_open_is_closed, NULL, release)
{
    assert_string_equal(normal("````c\nx\n```\n", 3), "````c\nx\n```\n````");
    assert_string_equal(normal("<!-- x", 3), "<!-- x\n-->");
    assert_string_equal(normal("<pre>\n## x", 3), "<pre>\n## x\n</pre>");
}

TEST_WITH(a_text_has_plain_lines, NULL, release)
{
    assert_string_equal(normal("\r\n \n  a\r\nb\rc\x1b[1m\n\n", 3),
                        "  a\nb\nc\xef\xbf\xbd[1m");
    assert_string_equal(normal("\n\xef\xbb\xbf\xef\xbb\xbf```\nx", 3), "```\nx\n```");
    assert_string_equal(normal("a\xff", 3), "a\xef\xbf\xbd");
}

TEST_WITH(headings_move_between_one_and_six, NULL, release)
{
    struct buf out;

    buf_init(&out, 4096);
    markdown_shift(STR("# A\n  ###### B\n####### C\n"), 1, &out);
    assert_string_equal(buf_cstr(&out), "## A\n  ###### B\n####### C\n");
    buf_clear(&out);
    markdown_shift(STR("# A\n### B"), -2, &out);
    assert_string_equal(buf_cstr(&out), "# A\n# B");
    buf_release(&out);
    assert_int_equal(markdown_level(STR("x\n#### A\n### B\n```\n# C\n```")), 3);
    assert_int_equal(markdown_level(STR("x")), 0);
}
