/* SPDX-License-Identifier: Apache-2.0
 *
 * test_found.c - findings for a person who reads: below their files, broken and not cut, with the
 * line of the source; and as lines for editors. */
#include "report/found.h"

#include "format/report/listing.h"
#include "format/text/width.h"
#include "ground.h"
#include "listing_scene.h"
#include "test.h"

#include <string.h>

static const struct ledger_entry entries[] = {
    { .role = ROLE_CRITIC, .round_first = 1, .round_last = 2,
      .finding = { .severity = SEVERITY_HIGH, .file = STR("src/sum.c"), .line = 12,
                   .kind = STR("-Wformat"), .text = STR("format '%d' expects an int") } },
    { .role = ROLE_PEDANT, .round_first = 1, .round_last = 1, .state = FINDING_FIXED,
      .finding = { .severity = SEVERITY_LOW, .text = STR("no tests\nat all") } },
};

static struct buf page_of(const struct ledger_entry *list, uint32_t count, struct found_page page)
{
    struct listing listing = { .run = "7k2m", .plan = &listing_plan };
    struct buf out;

    for (uint32_t i = 0; i < count; i++) listing_add(&listing, &list[i]);
    listing_sort(&listing, LISTING_BY_GROUP);
    page.listing = &listing;
    buf_init(&out, 1 << 20);
    found_groups(&page, &out);
    assert_false(out.overflow);
    listing_release(&listing);
    return out;
}

static void expect_page(uint32_t columns, const char *expected)
{
    struct buf out = page_of(entries, 2, (struct found_page){ .columns = columns });

    assert_string_equal(buf_cstr(&out), expected);
    buf_release(&out);
}

/* "groups by file": a heading for each file, and what is fixed behind all others */
TEST(findings_stand_below_their_files)
{
    expect_page(100,
        "src/sum.c\n"
        "  12  high    format '%d' expects an int [-Wformat, critic; rounds 1-2; 00000000]\n"
        "\n"
        "about no file (fixed)\n"
        "  -   low     no tests at all [pedant; round 1; fixed; 00000000]\n");
}

/* "wraps instead of cutting": every word is there, at any width */
TEST(words_are_broken_into_lines_and_not_cut)
{
    expect_page(40,
        "src/sum.c\n"
        "  12  high    format '%d' expects an int\n"
        "              [-Wformat, critic; rounds\n"
        "              1-2; 00000000]\n"
        "\n"
        "about no file (fixed)\n"
        "  -   low     no tests at all [pedant;\n"
        "              round 1; fixed; 00000000]\n");
}

/* "shows the source line": of the work tree now; evidence where that line does not hold it */
ON_GROUND(the_line_of_the_source_is_shown)
{
    const struct ground *ground = *state;
    static const char *const wanted[] = {
        "             2 |   two;\n",
        "             2 |   two;\n             evidence: it was three\n",
        "", "", "",
    };
    static const struct finding findings[] = {
        { .file = STR("a.c"), .line = 2, .text = STR("x"), .evidence = STR("two;") },
        { .file = STR("a.c"), .line = 2, .text = STR("x"), .evidence = STR("it was three") },
        { .file = STR("a.c"), .line = 9, .text = STR("x") },
        { .file = STR("../a.c"), .line = 1, .text = STR("x") },
        { .file = STR("link.c"), .line = 1, .text = STR("x") },
    };
    struct ledger_entry entry = { .role = ROLE_CRITIC, .round_first = 1, .round_last = 1 };

    put(at(ground, "work/a.c"), "one\n  two;\n");
    put_link(at(ground, "work/link.c"), "a.c");
    for (uint32_t i = 0; i < sizeof findings / sizeof *findings; i++) {
        struct buf out;
        const char *behind;

        entry.finding = findings[i];
        out = page_of(&entry, 1, (struct found_page){ .columns = 80, .workspace = ground->work });
        behind = strstr(buf_cstr(&out), "round 1; 00000000]\n");
        assert_non_null(behind);
        assert_string_equal(behind + strlen("round 1; 00000000]\n"), wanted[i]);
        buf_release(&out);
    }
}

/* "it fits": also a path that begins with a blank */
TEST(a_long_word_behind_a_blank_fits)
{
    struct ledger_entry entry = { .role = ROLE_CRITIC, .round_first = 1, .round_last = 1,
        .finding = { .file = STR(" aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.c"),
                     .text = STR("x") } };
    struct buf out = page_of(&entry, 1, (struct found_page){ .columns = 40 });
    struct str rest = buf_str(&out), line;

    while (str_cut(&rest, '\n', &line)) assert_true(line.size <= 40);
    buf_release(&out);
}

/* Wide characters, a long path, a long rule, and texts without a blank. */
TEST(no_line_is_wider_than_the_terminal)
{
    char path[600], text[600];
    struct ledger_entry list[3];

    for (uint32_t i = 0; i < 199; i++) memcpy(path + 3 * i, "\xe6\x97\xa5", 3);
    memcpy(path + 597, ".c", 3);
    memset(text, 'x', sizeof text);
    for (uint32_t i = 0; i < 3; i++) {
        list[i] = (struct ledger_entry){
            .role = ROLE_CRITIC, .round_first = 12345678, .round_last = 4000000000,
            .finding = { .file = i == 0 ? str_of(path) : (struct str){ text, sizeof text },
                         .line = 4000000000, .kind = i == 1 ? str_of(path) : STR("rule"),
                         .text = i == 2 ? str_of(path) : (struct str){ text, sizeof text } } };
    }
    for (uint32_t columns = 40; columns < 200; columns++) {
        struct buf out = page_of(list, 3, (struct found_page){ .columns = columns });
        struct str rest = buf_str(&out), line;

        while (str_cut(&rest, '\n', &line)) {
            if (width_of(line) > columns) {
                fail_msg("%u columns, but %u in: %.*s", columns, width_of(line), STR_ARG(line));
            }
        }
        buf_release(&out);
    }
}

TEST(texts_from_outside_cannot_act)
{
    struct ledger_entry entry = { .role = ROLE_CRITIC, .finding = {
        .file = STR("\x1b]0;title\x07.c"), .kind = STR("\x1b[2J"), .text = STR("a\rb\x1b[31m") } };
    struct buf out = page_of(&entry, 1, (struct found_page){
        .columns = 200, .links = "file://host/work/", .color = false });
    struct buf lines;
    struct listing listing = { .plan = &listing_plan };
    const char *link;

    link = strstr(buf_cstr(&out), "\033]8;;");
    assert_non_null(link);
    assert_true(str_starts(str_of(link), STR("\033]8;;file://host/work/%1B%5D0%3Btitle%07.c\033\\"
                                             "\\x1b]0;title\\x07.c\033]8;;\033\\")));
    assert_null(strchr(buf_cstr(&out), '\r'));
    assert_null(strchr(buf_cstr(&out), '\x07'));
    assert_null(strstr(buf_cstr(&out), "\x1b[2J"));
    buf_release(&out);
    listing_add(&listing, &entry);
    buf_init(&lines, 4096);
    lines_write(&listing, &lines);
    assert_null(strchr(buf_cstr(&lines), '\x1b'));
    buf_release(&lines);
    listing_release(&listing);
}

TEST(only_what_is_in_the_workspace_is_linked)
{
    static const char *const cases[] = { "../a.c", "/etc/passwd", "" };
    struct found_page page = { .columns = 100, .links = "file://host/work/" };
    struct buf out = page_of(entries, 1, page);

    assert_non_null(strstr(buf_cstr(&out), "\033]8;;file://host/work/src/sum.c\033\\src/sum.c"
                                           "\033]8;;\033\\\n"));
    buf_release(&out);
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ledger_entry entry = entries[0];

        entry.finding.file = str_of(cases[i]);
        out = page_of(&entry, 1, page);
        assert_null(strchr(buf_cstr(&out), '\033'));
        buf_release(&out);
    }
}

TEST(colours_tell_severities_and_what_is_fixed)
{
    struct buf out = page_of(entries, 2, (struct found_page){ .columns = 100, .color = true });

    assert_non_null(strstr(buf_cstr(&out), "\033[1;31mhigh  \033[0m  format"));
    assert_non_null(strstr(buf_cstr(&out), "\033[2mlow     no tests"));
    buf_release(&out);
}

TEST(lines_are_what_editors_read)
{
    static const struct {
        struct finding finding;
        enum finding_state state;
        const char *line;
    } cases[] = {
        { { .severity = SEVERITY_HIGH, .file = STR("a.c"), .line = 3, .column = 7,
            .kind = STR("-Wformat"), .text = STR(" bad\nformat\n") }, FINDING_NEW,
          "a.c:3:7: error: bad format [-Wformat] (00c0ffee)\n" },
        { { .severity = SEVERITY_MEDIUM, .file = STR("a b.c"), .line = 3, .text = STR("bad") },
          FINDING_NEW, "a b.c:3: warning: bad [critic] (00c0ffee)\n" },
        { { .severity = SEVERITY_LOW, .file = STR("a.c"), .text = STR("bad") }, FINDING_NEW,
          "a.c:0: note: bad [critic] (00c0ffee)\n" },
        { { .severity = SEVERITY_HIGH, .text = STR("bad") }, FINDING_NEW,
          "hone: error: bad [critic] (00c0ffee)\n" },
        { { .severity = SEVERITY_HIGH, .file = STR("a.c"), .line = 3, .text = STR("bad") },
          FINDING_FIXED, "a.c:3: note: fixed: bad [critic] (00c0ffee)\n" },
        { { .severity = SEVERITY_HIGH, .file = STR("::error::x"), .line = 3, .text = STR("bad") },
          FINDING_NEW, "./::error::x:3: error: bad [critic] (00c0ffee)\n" },
    };

    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ledger_entry entry = { .role = ROLE_CRITIC, .finding = cases[i].finding,
                                      .fingerprint = UINT64_C(0xc0ffee00000000),
                                      .state = cases[i].state };
        struct buf out = written(lines_write, &entry, 1);

        assert_string_equal(buf_cstr(&out), cases[i].line);
        buf_release(&out);
    }
}

/* "text output clear and short: state, votes, cause, tries where they matter" */
TEST(what_matters_is_said_behind_the_name)
{
    static struct vote votes[2] = { { .role = ROLE_CRITIC }, { .role = ROLE_PEDANT } };
    static struct waiver_entry waiver = { .id = STR("w"), .reason = STR(" it\nis known ") };
    static const struct waivers waivers = { &waiver, 1, 1 };
    static const struct {
        struct ledger_entry entry;
        const char *line;
    } cases[] = {
        { { .state = FINDING_REGRESSED, .votes = votes, .vote_count = 2, .cause_round = 3,
            .tries = 2, .ordinal = 7 },
          "hone: note: bad [critic] (00000000-7; regressed; 2 votes; by the fix of round 3; tried "
          "2 times)\n" },
        { { .state = FINDING_PARKED, .votes = votes, .vote_count = 1, .tries = 1 },
          "hone: note: bad [critic] (00000000; parked; tried once)\n" },
        { { .state = FINDING_FIXED, .tries = 1 },
          "hone: note: fixed: bad [critic] (00000000)\n" },
        { { .state = FINDING_WAIVED, .waiver = STR("w") },
          "hone: note: waived: bad [critic] (00000000; it is known)\n" },
        { { .state = FINDING_WAIVED, .waiver = STR("other") },
          "hone: note: waived: bad [critic] (00000000)\n" },
    };

    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct listing listing = { .plan = &listing_plan, .waivers = &waivers };
        struct ledger_entry entry = cases[i].entry;
        struct buf out;

        entry.role = ROLE_CRITIC;
        entry.finding.text = STR("bad");
        listing_add(&listing, &entry);
        buf_init(&out, 1 << 16);
        lines_write(&listing, &out);
        assert_string_equal(buf_cstr(&out), cases[i].line);
        buf_release(&out);
        listing_release(&listing);
    }
}

/* "at a run's end the worst five findings left, with source line and tool" */
ON_GROUND(the_worst_come_with_their_file_and_tool)
{
    const struct ground *ground = *state;
    struct listing listing = { .plan = &listing_plan };
    struct ledger_entry by_tool = entries[0];
    struct buf out;

    put(at(ground, "work/src/sum.c"), "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n  printf();\n");
    by_tool.finding.tool = STR("gcc");
    listing_add(&listing, &by_tool);
    listing_add(&listing, &by_tool);
    buf_init(&out, 1 << 16);
    found_worst(&(struct found_page){ .listing = &listing, .workspace = ground->work }, 1, &out);
    assert_string_equal(buf_cstr(&out),
        "  src/sum.c:12\n"
        "    high    format '%d' expects an int [gcc/-Wformat]\n"
        "            12 |   printf();\n");
    buf_release(&out);
    listing_release(&listing);
}
