/* SPDX-License-Identifier: Apache-2.0
 *
 * test_lsp_mark.c - a finding keeps to its line while the text is edited. */
#include "base/err.h"
#include "format/lsp/mark.h"
#include "format/lsp/place.h"
#include "shared/prng.h"

#include "test.h"

#include <stdio.h>
#include <string.h>

/* A text with a mark on "bad line", and what an edit makes of both. */
struct scene {
    struct buf text;
    struct mark mark;
};

static const char *const begin = "one\n    bad line;\nthree\n";

static void open_scene(struct scene *scene)
{
    buf_init(&scene->text, 4096);
    buf_text(&scene->text, begin);
    scene->mark = mark_at(str_of(begin), 8, 8);
}

/* Replaces the first `old` by `new`, in place. */
static void type(struct scene *scene, const char *old, const char *new)
{
    const char *at = strstr(buf_cstr(&scene->text), old);
    struct text_edit edit = { .text = str_of(new) };

    assert_non_null(at);
    edit.start = (size_t)(at - scene->text.data);
    edit.end = edit.start + strlen(old);
    text_edit_trim(&edit, buf_str(&scene->text));
    assert_int_equal(text_edit_make(&scene->text, &edit), 0);
    mark_shift(&scene->mark, &edit);
    mark_settle(&scene->mark, buf_str(&scene->text));
}

static void expect_mark(struct scene *scene, const char *shown, bool stale)
{
    struct text_edit range = mark_shown(&scene->mark);

    assert_false(scene->mark.gone);
    assert_int_equal(scene->mark.stale, stale);
    assert_str((struct str){ scene->text.data + range.start, range.end - range.start }, shown);
}

TEST(lines_above_and_below_come_and_go)
{
    struct scene scene;

    open_scene(&scene);
    expect_mark(&scene, "bad line;", false);
    type(&scene, "one\n", "one\nnew\nnewer\n");
    expect_mark(&scene, "bad line;", false);
    type(&scene, "new\nnewer\n", "");
    expect_mark(&scene, "bad line;", false);
    type(&scene, "one\n", "");
    expect_mark(&scene, "bad line;", false);
    type(&scene, "three\n", "3\n");
    expect_mark(&scene, "bad line;", false);
    type(&scene, ";\n", ";\nmore\n"); /* Enter at its end */
    expect_mark(&scene, "bad line;", false);
    type(&scene, "    bad", "\n        bad"); /* another indentation, and a line above */
    expect_mark(&scene, "bad line;", false);
    buf_release(&scene.text);
}

TEST(a_line_that_was_edited_is_stale_until_it_is_as_it_was)
{
    struct scene scene;

    open_scene(&scene);
    type(&scene, "bad", "good");
    expect_mark(&scene, "good line;", true);
    type(&scene, "good", "bad");
    expect_mark(&scene, "bad line;", false);
    type(&scene, ";", "; // why"); /* behind it */
    expect_mark(&scene, "bad line; // why", true);
    type(&scene, "; // why", ";");
    expect_mark(&scene, "bad line;", false);
    type(&scene, "bad", "// bad"); /* in front of it */
    expect_mark(&scene, "// bad line;", true);
    type(&scene, "// ", "");
    expect_mark(&scene, "bad line;", false);
    type(&scene, "bad line;", "x"); /* all of it, in its line */
    expect_mark(&scene, "x", true);
    type(&scene, "x", "bad line;");
    expect_mark(&scene, "bad line;", false);
    type(&scene, "one\n    ", "one "); /* joined to the line above */
    expect_mark(&scene, "one bad line;", true);
    buf_release(&scene.text);
}

TEST(a_line_that_was_taken_out_has_no_mark)
{
    struct scene scene;

    open_scene(&scene);
    type(&scene, "    bad line;\n", "");
    assert_true(scene.mark.gone);
    type(&scene, "one\n", "one\n    bad line;\n");
    assert_true(scene.mark.gone); /* a new line is not the old one */
    buf_release(&scene.text);
    open_scene(&scene);
    type(&scene, "one\n    bad line;\nthree", "something\nelse");
    assert_true(scene.mark.gone);
    buf_release(&scene.text);
}

TEST(a_part_of_a_line_is_shown_where_it_is)
{
    struct scene scene;

    open_scene(&scene);
    scene.mark = mark_at(buf_str(&scene.text), 12, 16);
    expect_mark(&scene, "line", false);
    type(&scene, "one\n", "1\n2\n");
    expect_mark(&scene, "line", false);
    type(&scene, "bad", "good");
    expect_mark(&scene, "good line;", true);
    buf_release(&scene.text);
    open_scene(&scene);
    scene.mark = mark_at(buf_str(&scene.text), 8, 18); /* to the beginning of the next line */
    expect_mark(&scene, "bad line;", false);
    buf_release(&scene.text);
}

TEST(a_mark_of_several_lines_is_stale_when_one_of_them_is_edited)
{
    struct scene scene;

    open_scene(&scene);
    scene.mark = mark_at(buf_str(&scene.text), 0, 20);
    type(&scene, "one", "1");
    expect_mark(&scene, "1\n    bad line;\nthree", true);
    type(&scene, "1", "one");
    expect_mark(&scene, "one\n    bad line;\nth", false);
    buf_release(&scene.text);
}

TEST(a_span_is_lost_where_it_is_touched)
{
    struct span span = { 10, 12 };

    assert_true(span_move(&span, &(struct text_edit){ 0, 2, STR("abcd") }));
    assert_int_equal(span.start, 12);
    assert_int_equal(span.end, 14);
    assert_true(span_move(&span, &(struct text_edit){ 15, 16, STR("") }));
    assert_int_equal(span.start, 12);
    assert_false(span_move(&span, &(struct text_edit){ 14, 14, STR("x") }));
    assert_false(span_move(&span, &(struct text_edit){ 12, 12, STR("x") }));
    assert_false(span_move(&span, &(struct text_edit){ 13, 20, STR("x") }));
}

TEST(an_edit_that_does_not_fit_changes_nothing)
{
    struct buf text;

    buf_init(&text, 4);
    buf_text(&text, "abc");
    assert_int_equal(text_edit_make(&text, &(struct text_edit){ 1, 1, STR("xy") }), ERR_LIMIT);
    assert_str(buf_str(&text), "abc");
    assert_int_equal(text_edit_make(&text, &(struct text_edit){ 1, 2, STR("xy") }), 0);
    assert_str(buf_str(&text), "axyc");
    buf_release(&text);
    buf_init(&text, 4);
    assert_int_equal(text_edit_make(&text, &(struct text_edit){ 0, 0, STR("") }), 0);
    assert_int_equal(text_edit_make(&text, &(struct text_edit){ 0, 0, STR("a") }), 0);
    assert_str(buf_str(&text), "a");
    buf_release(&text);
}

/* The edits make `now` of `was`; their number. */
static uint32_t compare(struct str was, struct str now)
{
    const struct text_edit *edits;
    struct arena arena = { 0 };
    uint32_t count = edits_between(was, now, &arena, &edits);
    struct buf text;

    buf_init(&text, 1 << 20);
    buf_add(&text, was);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(edits[i].start <= edits[i].end && edits[i].end <= was.size);
        assert_true(i == 0 || edits[i].end <= edits[i - 1].start);
        assert_int_equal(text_edit_make(&text, &edits[i]), 0);
    }
    assert_true(str_eq(buf_str(&text), now));
    buf_release(&text);
    arena_release(&arena);
    return count;
}

TEST(two_texts_are_compared_by_lines)
{
    assert_int_equal(compare(STR(""), STR("")), 0);
    assert_int_equal(compare(STR("a\nb\n"), STR("a\nb\n")), 0);
    assert_int_equal(compare(STR(""), STR("a\n")), 1);
    assert_int_equal(compare(STR("a"), STR("")), 1);
    assert_int_equal(compare(STR("a\nb\nc\nd\ne\nf\n"), STR("a\nB\nc\nd\nE\nf\n")), 2);
    assert_int_equal(compare(STR("a\nb\nc\nd\ne\nf\n"), STR("x\na\nb\nc\nd\nf\n")), 2);
    assert_int_equal(compare(STR("a\r\nb\r\n"), STR("a\nb\n")), 2);
}

TEST(any_two_texts_are_an_edit_or_more_apart)
{
    struct prng prng = { .state = 7 };

    for (int round = 0; round < 3000; round++) {
        char texts[2][64];

        for (int i = 0; i < 2; i++) {
            size_t size = prng_below(&prng, sizeof texts[i] - 1);
            for (size_t k = 0; k < size; k++) texts[i][k] = "ab\n\r "[prng_below(&prng, 5)];
            texts[i][size] = '\0';
        }
        (void)compare(str_of(texts[0]), str_of(texts[1]));
    }
}

TEST(marks_between_two_changes_stay)
{
    struct str was = STR("1\n2\nkeep me\n4\n5\n"), now = STR("one\n2\nkeep me\n4\nfive\n6\n");
    struct mark mark = mark_at(was, 4, 4);
    const struct text_edit *edits;
    struct arena arena = { 0 };
    uint32_t count = edits_between(was, now, &arena, &edits);

    for (uint32_t i = 0; i < count; i++) mark_shift(&mark, &edits[i]);
    mark_settle(&mark, now);
    assert_false(mark.stale || mark.gone);
    assert_str((struct str){ now.data + mark.from, mark.to - mark.from }, "keep me");
    arena_release(&arena);
}
