/* SPDX-License-Identifier: Apache-2.0
 *
 * test_findings_table.c - findings on a terminal: what fits, what is cut, what is coloured. */
#include "cmd/findings.h"

#include "format/text/width.h"
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

static struct buf table_of(const struct ledger_entry *list, uint32_t count,
                           struct findings_table table)
{
    struct listing listing = { .run = "7k2m", .plan = &listing_plan };
    struct buf out;

    for (uint32_t i = 0; i < count; i++) listing_add(&listing, &list[i]);
    table.listing = &listing;
    buf_init(&out, 1 << 20);
    findings_table(&table, &out);
    assert_false(out.overflow);
    listing_release(&listing);
    return out;
}

static void expect_table(uint32_t columns, const char *expected)
{
    struct buf out = table_of(entries, 2, (struct findings_table){ .columns = columns });

    assert_string_equal(buf_cstr(&out), expected);
    buf_release(&out);
}

TEST(a_wide_terminal_shows_everything)
{
    expect_table(100,
        "severity  where         rule      finding                     rounds  state\n"
        "high      src/sum.c:12  -Wformat  format '%d' expects an int  1-2     open\n"
        "low       -             pedant    no tests at all             1       fixed\n");
}

TEST(a_narrower_one_leaves_out_the_rounds_and_cuts_the_words)
{
    expect_table(70,
        "severity  where         rule      finding                     state\n"
        "high      src/sum.c:12  -Wformat  format '%d' expects an int  open\n"
        "low       -             pedant    no tests at all             fixed\n");
    expect_table(65,
        "severity  where         rule      finding                   state\n"
        "high      src/sum.c:12  -Wformat  format '%d' expects a...  open\n"
        "low       -             pedant    no tests at all           fixed\n");
}

TEST(a_narrow_one_leaves_out_rule_and_state)
{
    expect_table(64,
        "severity  where         finding                     state\n"
        "high      src/sum.c:12  format '%d' expects an int  open\n"
        "low       -             no tests at all             fixed\n");
    expect_table(53,
        "severity  where         finding                 state\n"
        "high      src/sum.c:12  format '%d' expects...  open\n"
        "low       -             no tests at all         fixed\n");
    expect_table(45,
        "severity  where         finding\n"
        "high      src/sum.c:12  format '%d' expect...\n"
        "low       -             no tests at all\n");
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
        struct buf out = table_of(list, 3, (struct findings_table){ .columns = columns });
        struct str rest = buf_str(&out), line;

        while (str_cut(&rest, '\n', &line)) {
            if (width_of(line) > columns) {
                fail_msg("%u columns, but %u in: %.*s", columns, width_of(line), STR_ARG(line));
            }
        }
        buf_release(&out);
    }
}

TEST(a_path_keeps_its_end)
{
    struct ledger_entry entry = entries[0];
    struct buf out;

    entry.finding.file = STR("a/very/long/way/to/a/folder/of/things/and/more/sum.c");
    out = table_of(&entry, 1, (struct findings_table){ .columns = 80 });
    assert_non_null(strstr(buf_cstr(&out), "  ...hings/and/more/sum.c:12  "));
    buf_release(&out);
}

TEST(texts_from_outside_cannot_act)
{
    struct ledger_entry entry = { .role = ROLE_CRITIC, .finding = {
        .file = STR("\x1b]0;title\x07.c"), .kind = STR("\x1b[2J"), .text = STR("a\rb\x1b[31m") } };
    struct buf out = table_of(&entry, 1, (struct findings_table){
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
    findings_lines(&listing, &lines);
    assert_null(strchr(buf_cstr(&lines), '\x1b'));
    buf_release(&lines);
    listing_release(&listing);
}

TEST(only_what_is_in_the_workspace_is_linked)
{
    static const char *const cases[] = { "../a.c", "/etc/passwd", "" };
    struct findings_table table = { .columns = 100, .links = "file://host/work/" };
    struct buf out = table_of(entries, 1, table);

    assert_non_null(strstr(buf_cstr(&out), "\033]8;;file://host/work/src/sum.c\033\\src/sum.c:12"
                                           "\033]8;;\033\\  -Wformat"));
    buf_release(&out);
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ledger_entry entry = entries[0];

        entry.finding.file = str_of(cases[i]);
        out = table_of(&entry, 1, table);
        assert_null(strchr(buf_cstr(&out), '\033'));
        buf_release(&out);
    }
}

TEST(colours_tell_severities_and_what_is_fixed)
{
    struct buf out = table_of(entries, 2, (struct findings_table){ .columns = 100,
                                                                   .color = true });

    assert_non_null(strstr(buf_cstr(&out), "\033[1;31mhigh\033[0m      src/sum.c:12  -Wformat"));
    assert_non_null(strstr(buf_cstr(&out), "\033[2mlow\033[0m"));
    assert_non_null(strstr(buf_cstr(&out), "\033[32mfixed\033[0m\n"));
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
            .kind = STR("-Wformat"), .text = STR(" bad\nformat\n") }, FINDING_OPEN,
          "a.c:3:7: error: bad format [-Wformat]\n" },
        { { .severity = SEVERITY_MEDIUM, .file = STR("a b.c"), .line = 3, .text = STR("bad") },
          FINDING_OPEN, "a b.c:3: warning: bad [critic]\n" },
        { { .severity = SEVERITY_LOW, .file = STR("a.c"), .text = STR("bad") }, FINDING_OPEN,
          "a.c:0: note: bad [critic]\n" },
        { { .severity = SEVERITY_HIGH, .text = STR("bad") }, FINDING_OPEN,
          "hone: error: bad [critic]\n" },
        { { .severity = SEVERITY_HIGH, .file = STR("a.c"), .line = 3, .text = STR("bad") },
          FINDING_FIXED, "a.c:3: note: fixed: bad [critic]\n" },
        { { .severity = SEVERITY_HIGH, .file = STR("::error::x"), .line = 3, .text = STR("bad") },
          FINDING_OPEN, "./::error::x:3: error: bad [critic]\n" },
    };

    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ledger_entry entry = { .role = ROLE_CRITIC, .finding = cases[i].finding,
                                      .state = cases[i].state };
        struct buf out = written(findings_lines, &entry, 1);

        assert_string_equal(buf_cstr(&out), cases[i].line);
        buf_release(&out);
    }
}
