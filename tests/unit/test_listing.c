/* SPDX-License-Identifier: Apache-2.0
 *
 * test_listing.c - findings in order, counted, and as JSON. */
#include "format/report/listing.h"

#include "format/report/rules.h"
#include "format/report/uri.h"
#include "listing_scene.h"
#include "test.h"

static const struct ledger_entry entries[] = {
    { .role = ROLE_CRITIC, .state = FINDING_FIXED,
      .finding = { .severity = SEVERITY_HIGH, .file = STR("a.c"), .line = 1, .text = STR("0") } },
    { .role = ROLE_CRITIC,
      .finding = { .severity = SEVERITY_LOW, .file = STR("b.c"), .line = 9, .text = STR("1") } },
    { .role = ROLE_CRITIC, .finding = { .severity = SEVERITY_HIGH, .text = STR("2") } },
    { .role = ROLE_CRITIC,
      .finding = { .severity = SEVERITY_HIGH, .file = STR("b.c"), .line = 10, .text = STR("3") } },
    { .role = ROLE_CRITIC,
      .finding = { .severity = SEVERITY_HIGH, .file = STR("b.c"), .line = 9, .column = 2,
                   .text = STR("4") } },
    { .role = ROLE_CRITIC,
      .finding = { .severity = SEVERITY_HIGH, .file = STR("b.c"), .line = 9, .column = 2,
                   .text = STR("5") } },
};

static void expect_order(enum listing_order order, const char *expected)
{
    struct listing listing = { .plan = &listing_plan };
    char got[7] = "";

    for (uint32_t i = 6; i-- > 0;) listing_add(&listing, &entries[i]);
    listing_sort(&listing, order);
    for (uint32_t i = 0; i < 6; i++) got[i] = listing.items[i]->finding.text.data[0];
    assert_string_equal(got, expected);
    listing_release(&listing);
}

TEST(open_and_grave_ones_come_first)
{
    expect_order(LISTING_BY_STATE, "453210");
}

/* ---- one fault, several tools ---- */

TEST(rules_of_different_tools_that_stand_for_one_fault)
{
    static const struct { const char *a, *b; bool equal; } rows[] = {
        { "-Wunused-variable", "clang-diagnostic-unused-variable", true },
        { "-Wunused-variable", "unusedVariable", true },
        { "clang-diagnostic-unused-variable", "unusedVariable", true },
        { "-Wformat=", "clang-diagnostic-format", true },
        { "-Wanalyzer-double-free", "clang-analyzer-unix.Malloc", true },
        { "memleak", "clang-analyzer-unix.Malloc", true },
        { "memleak", "doubleFree", false },
        { "-Wunused-variable", "-Wunused-function", false },
        { "SC2086", "SC2086", true },
        { "", "", false },
        { "", "memleak", false },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(rules_are_equal(str_of(rows[i].a), str_of(rows[i].b)), rows[i].equal);
        assert_int_equal(rules_are_equal(str_of(rows[i].b), str_of(rows[i].a)), rows[i].equal);
    }
}

/* What a tool reports: of a.c, in round 1. */
static struct ledger_entry report_of(struct str tool, struct str kind, uint32_t line)
{
    struct ledger_entry entry = {
        .role = ROLE_CRITIC, .round_first = 1, .round_last = 1, .line_first = line,
        .finding = { .severity = SEVERITY_MEDIUM, .tool = tool, .kind = kind, .file = STR("a.c"),
                     .line = line, .text = kind },
    };

    entry.finding.fingerprint = finding_fingerprint(&entry.finding);
    return entry;
}

TEST(the_same_fault_by_three_tools_is_one_with_the_tools_named)
{
    struct ledger_entry all[] = {
        report_of(STR("gcc"), STR("-Wunused-variable"), 7),
        report_of(STR("clang-tidy"), STR("clang-diagnostic-unused-variable"), 7),
        report_of(STR("cppcheck"), STR("unusedVariable"), 7),
        report_of(STR("cppcheck"), STR("unusedVariable"), 8),  /* another line */
        report_of(STR("gcc"), STR("-Wunused-variable"), 7),    /* a second one of that line */
        report_of(STR("cppcheck"), STR("memleak"), 7),         /* another fault */
        report_of(STR(""), STR("unusedVariable"), 7),          /* a model's words */
    };
    struct listing listing = { .plan = &listing_plan };
    struct arena arena = { 0 };
    struct buf rule;

    all[0].state = FINDING_FIXED;
    all[2].finding.severity = SEVERITY_HIGH;
    for (uint32_t i = 0; i < 7; i++) listing_add(&listing, &all[i]);
    listing_merge(&listing, &arena);
    listing_sort(&listing, LISTING_BY_STATE);
    assert_int_equal(listing.count, 5);
    assert_true(str_is(listing.items[0]->finding.tool, "cppcheck, gcc, clang-tidy"));
    assert_int_equal(listing.items[0]->state, FINDING_NEW); /* two of them still report it */
    buf_init(&rule, 100);
    listing_rule_say(&listing, listing.items[0], &rule);
    assert_string_equal(buf_cstr(&rule), "cppcheck/unusedVariable, gcc, clang-tidy");
    buf_release(&rule);
    listing_release(&listing);
    arena_release(&arena);
}

TEST(one_tool_in_two_roles_reports_one_fault_as_often_as_each_of_them_says_it)
{
    struct ledger_entry all[] = {
        report_of(STR("gcc"), STR("-Wformat"), 7), report_of(STR("gcc"), STR("-Wformat"), 7),
        report_of(STR("gcc"), STR("-Wformat"), 7), report_of(STR("gcc"), STR("-Wformat"), 7),
        report_of(STR("gcc"), STR("-Wformat"), 7), report_of(STR("own"), STR(""), 9),
        report_of(STR("own"), STR(""), 9),
    };
    struct listing listing = { .plan = &listing_plan };
    struct arena arena = { 0 };

    all[2].role = all[3].role = all[6].role = ROLE_CRITIC + 1; /* all but the last of line 7 */
    all[4].finding.text = STR("another");
    all[4].finding.fingerprint = finding_fingerprint(&all[4].finding);
    for (uint32_t i = 0; i < 7; i++) listing_add(&listing, &all[i]);
    listing_merge(&listing, &arena);
    assert_int_equal(listing.count, 4); /* twice, another, and a tool that names no rule */
    listing_release(&listing);
    arena_release(&arena);
}

TEST(an_empty_list_is_one)
{
    struct listing listing = { .plan = &listing_plan };

    listing_sort(&listing, LISTING_BY_STATE);
    assert_int_equal(listing_count(&listing).open_count, 0);
    listing_release(&listing);
}

static void say(uint32_t first, uint32_t count, const char *expected)
{
    struct listing listing = { .plan = &listing_plan };
    struct buf out;

    for (uint32_t i = first; i < first + count; i++) listing_add(&listing, &entries[i]);
    buf_init(&out, 100);
    listing_say(&listing, &out);
    assert_string_equal(buf_cstr(&out), expected);
    buf_release(&out);
    listing_release(&listing);
}

TEST(counts_are_said_in_a_line)
{
    say(0, 6, "5 open (4 high, 1 low), 1 fixed");
    say(1, 1, "1 open (1 low), 0 fixed");
    say(0, 1, "0 open, 1 fixed");
    say(0, 0, "0 open, 0 fixed");
}

TEST(json_has_every_text_and_what_became_of_it)
{
    struct vote votes[] = {
        { .role = ROLE_PEDANT, .by = STR("claude"), .round = 3, .finding.text = STR("t") },
        { .role = ROLE_CRITIC, .by = STR("codex"), .round = 1, .finding.text = STR("u") },
    };
    struct ledger_entry entry = {
        .role = ROLE_PEDANT, .state = FINDING_FIXED, .round_first = 1, .round_last = 3,
        .iteration_first = 1, .iteration_last = 2, .ordinal = 4, .lane = 5,
        .fingerprint = 0xc0ffee, .votes = votes, .vote_count = 2, .cause_round = 2, .tries = 6,
        .rounds_seen = 3, .regressions = 1,
        .finding = { .severity = SEVERITY_MEDIUM, .source = STR("pedant"), .kind = STR("k"),
                     .file = STR("a\n.c"), .line = 7, .column = 8, .end_line = 9,
                     .end_column = 10, .text = STR("\x1b[31m"), .evidence = STR("e"),
                     .suggestion = STR("s"), .fix = STR("[]"), .fingerprint = 0xbad },
    };
    yyjson_doc *doc = written_json(listing_write, &entry, 1);

    expect_text(doc, "/run", "7k2m");
    expect_text(doc, "/findings/0/severity", "medium");
    expect_text(doc, "/findings/0/file", "a\n.c");
    expect_number(doc, "/findings/0/line", 7);
    expect_number(doc, "/findings/0/end_column", 10);
    expect_text(doc, "/findings/0/text", "\x1b[31m");
    expect_text(doc, "/findings/0/fix", "[]");
    expect_text(doc, "/findings/0/fingerprint", "0000000000c0ffee"); /* of its first report */
    expect_text(doc, "/findings/0/id", "0000000000c0ffee-4");
    expect_text(doc, "/findings/0/votes/1/role", "critic");
    expect_text(doc, "/findings/0/votes/1/by", "codex");
    expect_number(doc, "/findings/0/votes/1/round", 1);
    expect_text(doc, "/findings/0/votes/1/text", "u");
    expect_nothing(doc, "/findings/0/votes/2");
    expect_number(doc, "/findings/0/cause/round", 2);
    expect_number(doc, "/findings/0/tries", 6);
    expect_number(doc, "/findings/0/rounds_seen", 3);
    expect_number(doc, "/findings/0/regressions", 1);
    expect_text(doc, "/findings/0/state", "fixed");
    expect_text(doc, "/findings/0/role", "pedant");
    expect_text(doc, "/findings/0/phase", "R1");
    expect_number(doc, "/findings/0/round_first", 1);
    expect_number(doc, "/findings/0/round_last", 3);
    expect_number(doc, "/findings/0/iteration_last", 2);
    expect_number(doc, "/findings/0/ordinal", 4);
    expect_number(doc, "/findings/0/lane", 5);
    expect_number(doc, "/counts/fixed", 1);
    expect_number(doc, "/counts/open", 0);
    expect_number(doc, "/counts/medium", 0);
    yyjson_doc_free(doc);
    doc = written_json(listing_write, entries, 6);
    expect_number(doc, "/counts/open", 5);
    expect_number(doc, "/counts/high", 4);
    expect_number(doc, "/counts/low", 1);
    yyjson_doc_free(doc);
    doc = written_json(listing_write, NULL, 0);
    assert_true(yyjson_is_arr(yyjson_doc_ptr_get(doc, "/findings")));
    yyjson_doc_free(doc);
}

TEST(a_path_below_is_told_from_one_that_is_not)
{
    static const char *const good[] = { "a", "a/b", "./a", "a//b", "..a", "a..", "a/...", " " };
    static const char *const bad[] = { "", ".", "./", "..", "../a", "a/..", "a/../b", "/a", "//" };

    for (uint32_t i = 0; i < sizeof good / sizeof *good; i++) {
        if (!path_below(str_of(good[i]))) fail_msg("%s", good[i]);
    }
    for (uint32_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (path_below(str_of(bad[i]))) fail_msg("%s", bad[i]);
    }
    assert_false(path_below((struct str){ "a\0b", 3 }));
}
