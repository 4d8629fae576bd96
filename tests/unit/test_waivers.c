/* SPDX-License-Identifier: Apache-2.0
 *
 * The file of waivers: what is written comes back, what is not understood is refused with its line,
 * and an entry knows the code it is about wherever that has moved to. */
#include "format/report/waivers.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENTRY(id, more) \
    "- id: " id "\n  severity: medium\n  text: a leak\n  code: 00c0ffee00c0ffee\n" \
    "  reason: known\n  owner: Ada\n  made: 2026-11-16\n" more

static int read_text(const char *text, struct arena *arena, struct waivers *out, struct err *err)
{
    return waivers_read(str_of(text), arena, out, err);
}

TEST(what_is_written_comes_back)
{
    static const char *const odd[] = {
        "plain", "\"quoted\" and \\ back", "two\nlines\tand a tab", "- [x]: {y} # no comment",
        "\x7f\xc2\x85\xc2\x9f\xe2\x80\xa8\xef\xbb\xbf", "\xf0\x9f\x98\x80 \xe6\x97\xa5", "yes", "",
        "\x1b[31mred", "ends in a blank ", " begins with one", "%TAG ! x", "---", "...",
    };
    struct arena arena = { 0 };

    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        struct waiver_entry entry = {
            .id = STR("5c3f0a1b2c3d4e5f.2"), .file = str_of(odd[i]), .line = 12,
            .text = str_of(odd[i]), .tool = STR("gcc"), .rule = str_of(odd[i]),
            .severity = SEVERITY_HIGH, .code = UINT64_C(0xc0ffee), .grave = i % 2,
            .reason = STR("it is known"), .owner = STR("Ada"), .made = STR("2026-11-16"),
            .until = i % 2 ? STR("2028-02-29") : STR(""),
        };
        struct waivers back;
        struct buf text, twice, one, other;
        struct err err = { 0 };

        buf_init(&text, 1 << 20);
        buf_init(&twice, 1 << 20);
        buf_init(&one, 1 << 16);
        buf_init(&other, 1 << 16);
        waivers_append(STR(""), &entry, &text);
        entry.id = STR("5c3f0a1b2c3d4e5f");
        waivers_append(buf_str(&text), &entry, &twice);
        assert_int_equal(waivers_read(buf_str(&twice), &arena, &back, &err), 0);
        assert_int_equal(back.count, 2);
        waiver_decision(&entry, &one);
        waiver_decision(&back.items[1], &other);
        assert_true(str_eq(buf_str(&one), buf_str(&other)));
        assert_true(str_is(back.items[0].id, "5c3f0a1b2c3d4e5f.2"));
        assert_true(str_is(back.items[1].reason, "it is known"));
        assert_true(str_is(back.items[1].owner, "Ada"));
        /* Cutting the second gives the first, byte for byte. */
        buf_clear(&one);
        waivers_cut(buf_str(&twice), &back.items[1], &one);
        assert_string_equal(buf_cstr(&one), buf_cstr(&text));
        buf_release(&text);
        buf_release(&twice);
        buf_release(&one);
        buf_release(&other);
    }
    arena_release(&arena);
}

TEST(what_people_wrote_stays)
{
    static const char text[] =
        "# ours\n\n" ENTRY("a1", "\n# about b2\n") ENTRY("b2", "  until: 2027-01-01\n") "# last\n";
    struct arena arena = { 0 };
    struct waivers waivers;
    struct err err = { 0 };
    struct buf out;

    assert_int_equal(read_text(text, &arena, &waivers, &err), 0);
    assert_int_equal(waivers.count, 2);
    assert_int_equal(waivers.items[0].first, 3);
    assert_int_equal(waivers.items[0].last, 9);
    buf_init(&out, 1 << 16);
    waivers_cut(str_of(text), &waivers.items[0], &out);
    assert_string_equal(buf_cstr(&out), "# ours\n\n\n# about b2\n"
                        ENTRY("b2", "  until: 2027-01-01\n") "# last\n");
    buf_release(&out);
    arena_release(&arena);
}

TEST(nothing_is_an_empty_list)
{
    static const char *const empty[] = { "", "# words\n", "---\n", "[]\n", "--- # x\n" };
    struct arena arena = { 0 };
    struct waivers waivers;
    struct err err = { 0 };

    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        assert_int_equal(read_text(empty[i], &arena, &waivers, &err), 0);
        assert_int_equal(waivers.count, 0);
    }
    arena_release(&arena);
}

TEST(what_is_not_understood_is_refused_with_its_line)
{
    static const struct { const char *text, *says; } rows[] = {
        { "- id: a\n  severity: low\n  text: t\n  code: 00c0ffee00c0ffee\n  owner: A\n"
          "  made: 2026-11-16\n", ":1: this entry has no reason" },
        { "\n- id: a\n  severity: low\n  text: t\n  code: 00c0ffee00c0ffee\n  owner: A\n"
          "  made: 2026-11-16\n  reason: '  '\n", ":2: this entry has no reason" },
        { "- reason: x\n", ":1: this entry has no id" },
        { "- reason: x\n  id: ''\n", ":1: this entry has no id" },
        { "- reason: x\n  id: a\n", "no severity" },
        { "- reason: x\n  id: a\n  severity: low\n", "no text" },
        { "- reason: x\n  id: a\n  severity: low\n  text: t\n", "no code" },
        { ENTRY("a", "  until: tomorrow\n"), ":8: this is no day" },
        { ENTRY("a", "  until: 2027-02-29\n"), ":8: this is no day" },
        { ENTRY("a", "  until: 2027-13-01\n"), ":8: this is no day" },
        { ENTRY("a", "  until: 2027-1-1\n"), ":8: this is no day" },
        { ENTRY("a", "  line: -1\n"), ":8: a line is a number" },
        { ENTRY("a", "  grave: yes\n"), ":8: grave: true or false" },
        { ENTRY("a", "  owner: Bob\n"), ":8: this key stands twice" },
        { ENTRY("a", "  Reason: more\n"), ":8: there is no key 'Reason'" },
        { ENTRY("a", "  file: [x]\n"), ":8: a text is missing" },
        { ENTRY("a", "") ENTRY("a", ""), ":8: the id of this entry stands twice" },
        { "- id: a\n  severity: grave\n", ":2: severity" },
        { "- id: a\n  code: c0ffee\n", ":2: code" },
        { "waivers: []\n", ":1: wanted: a list" },
        { "just words\n", ":1: wanted: a list" },
        { "- words\n", ":1: this is no mapping" },
        { ENTRY("a", "---\n"), ":8: there is more behind the list" },
        { ENTRY("&x a", ""), "anchors, aliases and tags" },
        { "- &a [*a]\n", "anchors, aliases and tags" },
        { "- id: !!str a\n", "anchors, aliases and tags" },
        { "&a [&b [&c [x]]]\n", "anchors, aliases and tags" },
        { "- id: 'a\n", ":" },
        { "\t- id: a\n", ":1" },
        { "- id: a\xff\n", ":" },
        { "- id: a\x01\n", ":" },
        { "[[[[[[[[[[[[[[[[[[[[[[[[[[", ":1" },
    };
    struct arena arena = { 0 };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct waivers waivers;
        struct err err = { 0 };

        assert_int_equal(read_text(rows[i].text, &arena, &waivers, &err), ERR_FORMAT);
        assert_int_equal(waivers.count, 0);
        if (!strstr(err.text, rows[i].says)) fail_msg("row %zu: %s", i, err.text);
        if (strncmp(err.text, WAIVERS_PATH ":", strlen(WAIVERS_PATH ":")) != 0) {
            fail_msg("row %zu names no line: %s", i, err.text);
        }
    }
    arena_release(&arena);
}

TEST(size_and_number_are_bounded)
{
    char *many = malloc(4 << 20);
    struct arena arena = { 0 };
    struct waivers waivers;
    struct err err = { 0 };
    size_t used = 0;

    memset(many, '#', WAIVERS_BYTES_MAX + 1);
    assert_int_equal(waivers_read((struct str){ many, WAIVERS_BYTES_MAX + 1 }, &arena, &waivers,
                                  &err), ERR_LIMIT);
    for (uint32_t i = 0; i <= WAIVERS_MAX; i++) { /* 4 MiB are enough for all of them */
        used += (size_t)snprintf(many + used, 1024, ENTRY("a%u", ""), i);
    }
    assert_true(used < WAIVERS_BYTES_MAX);
    assert_int_equal(waivers_read((struct str){ many, used }, &arena, &waivers, &err), ERR_FORMAT);
    assert_non_null(strstr(err.text, "more than 4096 entries"));
    used = (size_t)snprintf(many, 1024, "- text: ");
    memset(many + used, 'x', WAIVER_TEXT_BYTES_MAX + 1);
    used += WAIVER_TEXT_BYTES_MAX + 1;
    assert_int_equal(waivers_read((struct str){ many, used }, &arena, &waivers, &err), ERR_FORMAT);
    assert_non_null(strstr(err.text, "too long"));
    free(many);
    arena_release(&arena);
}

TEST(a_decision_is_one_whatever_reason_it_has)
{
    struct waiver_entry a = { .id = STR("a"), .file = STR("f"), .text = STR("t"), .code = 1,
                              .reason = STR("x"), .until = STR("2027-01-01") }, b;
    struct buf one, other;

    buf_init(&one, 1 << 12);
    buf_init(&other, 1 << 12);
    waiver_decision(&a, &one);
#define SAME(change) \
    (b = a, change, buf_clear(&other), waiver_decision(&b, &other), \
     str_eq(buf_str(&one), buf_str(&other)))
    assert_true(SAME(b.reason = STR("y")));
    assert_true(SAME(b.owner = STR("y")));
    assert_false(SAME(b.until = STR("2028-01-01")));
    assert_false(SAME(b.grave = true));
    assert_false(SAME(b.code = 2));
    assert_false(SAME(b.text = STR("u")));
    assert_false(SAME(b.severity = SEVERITY_HIGH));
    assert_false(SAME((b.file = STR(""), b.tool = STR("f"))));
    buf_release(&one);
    buf_release(&other);
}

TEST(code_is_known_where_it_moved_and_not_where_it_changed)
{
    static const char before[] = "a\nb\nint x = f( 1 );\nc\nd\ne\n";
    uint64_t code = waiver_code(str_of(before), 3);
    uint32_t line = 3;

    assert_int_not_equal(code, 0);
    assert_true(waiver_code_is_there(str_of(before), code, &line));
    assert_int_equal(line, 3);
    /* lines above, blanks, blank lines */
    assert_true(waiver_code_is_there(STR("x\n\nx\na\n\tb\n\n  int x =  f( 1 );\r\nc\nd\nq\n"), code,
                                     &line));
    assert_int_equal(line, 7);
    line = 3;
    assert_false(waiver_code_is_there(STR("a\nb\nint x = f( 2 );\nc\nd\ne\n"), code, &line));
    assert_false(waiver_code_is_there(STR("a\nB\nint x = f( 1 );\nc\nd\ne\n"), code, &line));
    assert_false(waiver_code_is_there(STR("a\nb\nint x = f( 1 );\nc\nD\ne\n"), code, &line));
    assert_false(waiver_code_is_there(STR(""), code, &line));
    assert_int_equal(line, 3);
    /* of two such places the nearer */
    line = 11;
    assert_true(waiver_code_is_there(
        STR("a\nb\nint x = f( 1 );\nc\nd\nz\na\nb\nint x = f( 1 );\nc\nd\n"), code, &line));
    assert_int_equal(line, 9);
    /* near the ends of a file, and of the whole file */
    assert_int_equal(waiver_code(str_of(before), 7), 0);
    assert_int_not_equal(waiver_code(str_of(before), 1), waiver_code(str_of(before), 2));
    line = 0;
    assert_true(waiver_code_is_there(STR(" a\n\nb"), waiver_code(STR("a\nb\n"), 0), &line));
    assert_false(waiver_code_is_there(STR("a\nc"), waiver_code(STR("a\nb\n"), 0), &line));
}
