/* SPDX-License-Identifier: Apache-2.0
 *
 * test_finding_json.c - a list of findings, as tools of hone's own answer with it: what is written
 * comes back, and what is no such list is never taken for an empty one. */
#include "format/json/finding_json.h"

#include "test.h"

#include <string.h>

TESTS_ARENA

/* A list is what programs answer with: none of them speaks for the user. */
TEST(a_word_of_the_users_is_written_and_not_taken_from_a_list)
{
    struct finding item = { .text = STR("odd"), .say = STR("keep it") };
    const struct findings written = { .items = &item, .count = 1 };
    struct findings read;
    struct err err;
    struct buf text;

    buf_init(&text, 1 << 16);
    findings_write(&written, &text);
    assert_non_null(strstr(buf_cstr(&text), "\"say\":\"keep it\""));
    assert_int_equal(findings_read(buf_str(&text), &arena, &read, &err), 0);
    buf_release(&text);
    assert_int_equal(read.items[0].say.size, 0);
}

TEST(what_is_written_comes_back)
{
    struct finding items[] = {
        { .severity = SEVERITY_HIGH, .source = STR("gcc"), .kind = STR("-Wall"),
          .file = STR("a.c"), .line = 7, .text = STR("a \"quoted\"\nword") },
        { .severity = SEVERITY_LOW, .text = STR("anywhere") },
    };
    struct str notes[] = { STR("b.c was left out") };
    const struct findings written = { .items = items, .count = 2, .notes = notes, .note_count = 1 };
    struct findings read;
    struct err err;
    struct buf text;

    for (uint32_t i = 0; i < 2; i++) items[i].fingerprint = finding_fingerprint(&items[i]);
    buf_init(&text, 1 << 16);
    findings_write(&written, &text);
    assert_int_equal(findings_read(buf_str(&text), &arena, &read, &err), 0);
    buf_release(&text);
    assert_int_equal(read.count, 2);
    assert_int_equal(read.note_count, 1);
    assert_true(str_is(read.notes[0], "b.c was left out"));
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(read.items[i].severity, items[i].severity);
        assert_int_equal(read.items[i].line, items[i].line);
        assert_int_equal(read.items[i].fingerprint, items[i].fingerprint);
        assert_true(str_eq(read.items[i].source, items[i].source));
        assert_true(str_eq(read.items[i].kind, items[i].kind));
        assert_true(str_eq(read.items[i].file, items[i].file));
        assert_true(str_eq(read.items[i].text, items[i].text));
    }
}

TEST(nothing_found_is_a_list_of_nothing)
{
    struct findings read;
    struct err err;

    assert_int_equal(findings_read(STR("{\"findings\":[]}"), &arena, &read, &err), 0);
    assert_int_equal(read.count, 0);
    assert_false(read.unseen);
}

TEST(a_reviewer_that_looked_at_nothing_says_so)
{
    struct findings nothing = { .unseen = true }, read;
    struct err err;
    struct buf out;

    buf_init(&out, 1 << 10);
    findings_write(&nothing, &out);
    assert_int_equal(findings_read(buf_str(&out), &arena, &read, &err), 0);
    assert_true(read.unseen);
    buf_release(&out);
}

TEST(what_is_no_list_is_not_an_empty_one)
{
    static const char *const texts[] = {
        "", "{", "[]", "null", "{}", "\"findings\"", "{\"notes\":[]}", "{\"findings\":{}}",
        "{\"findings\":null}", "{\"findings\":0}", "{\"findings\":[1]}", "{\"findings\":[{}]}",
        "{\"findings\":[]} {}", "{\"findings\":[],\"notes\":[1]}",
        "{\"findings\":[],\"notes\":\"none\"}", "{\"findings\":[",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct findings read = { .count = 9 };
        struct err err;

        if (findings_read(str_of(texts[i]), &arena, &read, &err) != ERR_FORMAT) {
            fail_msg("taken: %s", texts[i]);
        }
        assert_int_equal(read.count, 0);
        assert_true(strlen(err.text) > 0);
    }
}

TEST(more_than_anybody_reads_is_refused)
{
    struct findings read;
    struct err err;
    struct buf text;

    buf_init(&text, 1 << 20);
    buf_text(&text, "{\"findings\":[0");
    for (uint32_t i = 0; i < FINDINGS_COUNT_MAX; i++) buf_text(&text, ",0");
    buf_text(&text, "]}");
    assert_false(text.overflow);
    assert_int_equal(findings_read(buf_str(&text), &arena, &read, &err), ERR_LIMIT);
    assert_int_equal(read.count, 0);
    buf_release(&text);
}

TESTS_WITHIN(NULL, release)
