/* SPDX-License-Identifier: Apache-2.0
 *
 * test_markdown_write.c - findings as Markdown whose shape no text of an agent can change. */
#include "format/report/listing.h"

#include "base/mem.h"
#include "listing_scene.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect(const struct ledger_entry *entries, uint32_t count, const char *expected)
{
    struct buf out = written(markdown_write, entries, count);

    assert_string_equal(buf_cstr(&out), expected);
    buf_release(&out);
}

/* The cell of the finding's own words. */
static void expect_words(const char *text, const char *expected)
{
    struct ledger_entry entry = { .role = ROLE_CRITIC, .round_first = 1, .round_last = 1,
                                  .finding = { .file = STR("a.c"), .text = str_of(text) } };
    struct buf out = written(markdown_write, &entry, 1);
    char row[4096];

    (void)snprintf(row, sizeof row, "| low | [`a.c`](a.c) | `critic` | %s | 1 | new |\n",
                   expected);
    if (!strstr(buf_cstr(&out), row)) fail_msg("no %sin %s", row, buf_cstr(&out));
    buf_release(&out);
}

#define HEAD "\n| severity | place | rule | finding | rounds | state |\n|---|---|---|---|---|---|\n"

TEST(what_is_open_stands_first_and_the_rest_is_folded)
{
    const struct ledger_entry entries[] = {
        { .role = ROLE_CRITIC, .round_first = 1, .round_last = 2,
          .finding = { .severity = SEVERITY_HIGH, .file = STR("a.c"), .line = 3,
                       .kind = STR("-Wformat"), .text = STR("bad format"),
                       .suggestion = STR("use %zu") } },
        { .role = ROLE_CRITIC, .round_first = 2, .round_last = 2, .state = FINDING_FIXED,
          .finding = { .severity = SEVERITY_LOW, .file = STR("a.c"), .text = STR("style") } },
        { .role = ROLE_PEDANT, .round_first = 1, .round_last = 1,
          .finding = { .severity = SEVERITY_MEDIUM, .text = STR("no tests") } },
    };

    expect(entries, 3,
           "### hone: 2 open (1 high, 1 medium), 1 fixed\n" HEAD
           "| high | [`a.c:3`](a.c#L3) | `-Wformat` | bad format<br>Suggestion: use %zu | 1-2 | "
           "new |\n"
           "| medium |  | `pedant` | no tests | 1 | new |\n"
           "\n<details>\n<summary>0 noted, 0 waived, 1 fixed</summary>\n" HEAD
           "| low | [`a.c`](a.c) | `critic` | style | 2 | fixed |\n"
           "\n</details>\n");
}

/* "worst first, the rest folded in <details>" */
TEST(many_that_are_open_are_folded)
{
    struct ledger_entry entries[40] = { 0 };
    const char *fold;
    struct buf out;
    uint32_t rows = 0;

    for (uint32_t i = 0; i < 40; i++) {
        entries[i] = (struct ledger_entry){ .role = ROLE_CRITIC, .finding = {
            .text = STR("t"), .severity = i == 39 ? SEVERITY_LOW : SEVERITY_HIGH } };
    }
    out = written(markdown_write, entries, 40);
    fold = strstr(buf_cstr(&out), "<details>\n<summary>15 more that are open</summary>\n\n|");
    assert_non_null(fold);
    for (const char *at = buf_cstr(&out); (at = strstr(at, "| high |")) && at < fold; at++) rows++;
    assert_int_equal(rows, 25);
    assert_non_null(strstr(fold, "| low |"));
    assert_non_null(strstr(fold, "\n</details>\n"));
    buf_release(&out);
}

TEST(a_run_that_has_not_said_all_is_not_clean)
{
    static listing_writer *const writers[] = { markdown_write, summary_write };

    for (uint32_t i = 0; i < 2; i++) {
        struct buf out = written_listing(writers[i],
                                         (struct listing){ .unfinished = "failed: <b> ran" });

        assert_non_null(strstr(buf_cstr(&out), "### hone: no findings so far\n\n> **Not everything "
                               "was reviewed.** run 7k2m: failed: &lt;b&gt; ran\n"));
        buf_release(&out);
    }
}

TEST(a_summary_says_who_looked)
{
    static const struct listing_look looks[] = {
        { .role = "critic", .phase = "R1", .by = "claude", .looks = 2, .ended = true,
          .verdict = VERDICT_FINDINGS, .finding_count = 3, .problem = "" },
        { .role = "pedant", .phase = "R1", .by = "", .looks = 1, .ended = true,
          .verdict = VERDICT_FAILED, .failure = FAILURE_EXIT, .problem = "it said | 1" },
        { .role = "witness", .phase = "R1", .by = "", .looks = 1, .problem = "" },
    };
    struct buf out = written_listing(summary_write, (struct listing){
        .looks = looks, .look_count = 3, .end = "failed" });

    assert_non_null(strstr(buf_cstr(&out), "\nRun `7k2m`: failed.\n"));
    assert_non_null(strstr(buf_cstr(&out), "| `critic` | R1 | claude | 2 | findings (3) |\n"));
    assert_non_null(strstr(buf_cstr(&out), "| `pedant` | R1 |  | 1 | failed (exit): it said \\| 1 "
                           "|\n"));
    assert_non_null(strstr(buf_cstr(&out), "| `witness` | R1 |  | 1 | has not answered |\n"));
    buf_release(&out);
}

/* "links that work": at the commit where its service is known */
TEST(a_link_is_to_the_commit_that_was_looked_at)
{
    static const struct {
        const char *repository;
        bool changed;
        const char *link, *summary;
    } rows[] = {
        { "https://github.com/o/r.git", false, "](https://github.com/o/r/blob/c0ffee/a%20b.c#L3)",
          "](https://github.com/o/r/blob/c0ffee/a%20b.c#L3)" },
        { "https://gitlab.example.org/o/r", false,
          "](https://gitlab.example.org/o/r/-/blob/c0ffee/a%20b.c#L3)",
          "](https://gitlab.example.org/o/r/-/blob/c0ffee/a%20b.c#L3)" },
        { "https://github.com/o/r.git", true, "](a%20b.c#L3)", NULL },
        { "https://git.example.org/o/r", false, "](a%20b.c#L3)", NULL },
        { "ssh://github.com/o/r", false, "](a%20b.c#L3)", NULL },
        { "https://github.com/o/r)[x](y", false, "](a%20b.c#L3)", NULL },
        { NULL, false, "](a%20b.c#L3)", NULL },
    };
    struct ledger_entry entry = { .role = ROLE_CRITIC, .finding = {
        .file = STR("a b.c"), .line = 3, .text = STR("t") } };

    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct listing listing = { .source = { .repository = rows[i].repository,
                                               .revision = "c0ffee", .changed = rows[i].changed } };
        struct buf comment, summary;

        listing_add(&listing, &entry);
        comment = written_listing(markdown_write, listing);
        summary = written_listing(summary_write, listing);
        assert_non_null(strstr(buf_cstr(&comment), rows[i].link));
        if (rows[i].summary) assert_non_null(strstr(buf_cstr(&summary), rows[i].summary));
        else assert_null(strstr(buf_cstr(&summary), "]("));
        buf_release(&comment);
        buf_release(&summary);
        listing_release(&listing);
    }
}

TEST(nothing_found_is_said)
{
    expect(NULL, 0, "### hone: no findings\n");
}

TEST(markup_is_escaped)
{
    expect_words("a | b", "a \\| b");
    expect_words("`x` *b* _i_ ~~s~~ $m$", "\\`x\\` \\*b\\* \\_i\\_ \\~\\~&#8203;s\\~\\~ \\$m\\$");
    expect_words("<b>&amp;</b>", "&lt;b&gt;&amp;amp;&lt;/b&gt;");
    expect_words("![i](x) [l](y)", "\\!\\[i\\](x) \\[l\\](y)");
    expect_words("c:\\d", "c:\\\\d");
    expect_words("a\nb\r\n| c |", "a b \\| c \\|");
}

TEST(nobody_is_called_and_nothing_linked)
{
    expect_words("@octocat and me@example.org", "@&#8203;octocat and me@&#8203;example.org");
    expect_words("@ alone", "@ alone");
    expect_words("fixes #12, # 1", "fixes \\#&#8203;12, \\# 1");
    expect_words("https://x.example WWW.x.example",
                 "https&#58;&#8203;//x.example WWW&#8203;.x.example");
    expect_words("closes GH-12 !3 ~bug %4 &5 $6",
                 "closes GH&#8203;-12 \\!&#8203;3 \\~&#8203;bug %&#8203;4 &amp;&#8203;5 "
                 "\\$&#8203;6");
}

TEST(what_cannot_be_seen_is_shown)
{
    expect_words("\x1b[31m", "\\\\x1b\\[31m");
    expect_words("a\xe2\x80\xae" "b", "a\\\\u{202e}b");
    expect_words("\xff", "\\\\xff");
}

TEST(code_spans_hold_what_they_are_given)
{
    static const char *const cases[][3] = {
        { "a`b", "| [`` a`b ``](a%60b) |", "| `` a`b `` |" },
        { "``", "| [``` `` ```](%60%60) |", "| ``` `` ``` |" },
        { "a|b", "| [`a\\|b`](a%7Cb) |", "| `a\\|b` |" },
        { "a\nb", "| [`a b`](a%0Ab) |", "| `a b` |" },
        { "<i>", "| [`<i>`](%3Ci%3E) |", "| `<i>` |" },
    };

    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ledger_entry entry = { .role = ROLE_CRITIC,
                                      .finding = { .file = str_of(cases[i][0]),
                                                   .kind = str_of(cases[i][0]),
                                                   .text = STR("t") } };
        struct buf out = written(markdown_write, &entry, 1);

        assert_non_null(strstr(buf_cstr(&out), cases[i][1]));
        assert_non_null(strstr(buf_cstr(&out), cases[i][2]));
        buf_release(&out);
    }
}

TEST(it_fits_a_comment_and_says_what_is_left_out)
{
    enum { COUNT = 2000 };
    struct ledger_entry *entries = mem_alloc(COUNT * sizeof *entries);
    char text[3000];
    struct buf out;
    uint32_t rows = 0, more = 0;
    const char *last;

    memset(text, '<', sizeof text);
    for (uint32_t i = 0; i < COUNT; i++) {
        entries[i] = (struct ledger_entry){
            .role = ROLE_CRITIC,
            .finding = { .file = STR("a.c"), .text = { text, i % 100 == 0 ? sizeof text : 9 } } };
    }
    out = written(markdown_write, entries, COUNT);
    assert_in_range(out.size, MARKDOWN_BYTES_MAX - 6000, MARKDOWN_BYTES_MAX);
    for (const char *at = buf_cstr(&out); (at = strstr(at, "| low |")); at++) rows++;
    last = strstr(buf_cstr(&out), "\nand ");
    assert_non_null(last);
    assert_int_equal(sscanf(last, "\nand %u more: `hone findings 7k2m` shows all", &more), 1);
    assert_int_equal(rows + more, COUNT);
    assert_non_null(strstr(buf_cstr(&out), "\n</details>\n\nand "));
    buf_release(&out);
    out = written(summary_write, entries, COUNT);
    assert_true(out.size <= SUMMARY_BYTES_MAX);
    buf_release(&out);
    free(entries);
}

/* "no analyzer path as Suggestion": neither the steps that a tool tells nor an address is one. */
TEST(what_a_tool_says_beside_is_no_suggestion)
{
    struct listing listing = { .run = "7k2m", .plan = &listing_plan };
    struct ledger_entry steps = { .role = ROLE_CRITIC, .finding = {
        .file = STR("a.c"), .text = STR("leak"), .tool = STR("gcc"),
        .suggestion = STR("allocated here (line 3)") } };
    struct ledger_entry page = { .role = ROLE_PEDANT, .finding = {
        .file = STR("a.c"), .text = STR("leak"), .evidence = STR("x = malloc(1);"),
        .suggestion = STR("https://example.org/rules#leak") } };
    struct buf out;

    listing_add(&listing, &steps);
    listing_add(&listing, &page);
    buf_init(&out, 1 << 16);
    markdown_write(&listing, &out);
    assert_null(strstr(buf_cstr(&out), "Suggestion"));
    assert_null(strstr(buf_cstr(&out), "line 3"));
    assert_non_null(strstr(buf_cstr(&out), "| leak<br>`x = malloc(1);` |"));
    buf_release(&out);
    listing_release(&listing);
}

/* "links that work": only files of the repository have one */
TEST(only_files_of_the_repository_are_linked)
{
    static const char *const paths[] = { "/etc/passwd", "../a.c" };

    for (uint32_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct ledger_entry entry = { .role = ROLE_CRITIC, .finding = {
            .file = str_of(paths[i]), .line = 7, .text = STR("t") } };
        struct buf out = written(markdown_write, &entry, 1);

        assert_null(strstr(buf_cstr(&out), "]("));
        assert_non_null(strstr(buf_cstr(&out), i == 0 ? "| low | `/etc/passwd:7` |"
                                                      : "| low | `../a.c:7` |"));
        buf_release(&out);
    }
}
