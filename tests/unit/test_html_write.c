/* SPDX-License-Identifier: Apache-2.0
 *
 * test_html_write.c - a run as one page: what is on it, that no text of others is markup, and that
 * it has a bound.
 *
 * row: reviewer.page | names, tasks, branches, findings, problems and files hold markup, quotes, ends of tags, escapes and bidi marks for the HTML report | all of it is text of the page: no element, attribute, address or style is made of it, and the page's policy loads nothing | - | `test_html_write.c: no_text_of_others_is_markup`, `export_html.sh: hostile: all markup is the writer's` */
#include "format/report/listing.h"

#include "base/mem.h"
#include "format/text/html.h"
#include "listing_scene.h"
#include "shared/page_walk.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Markup, quotes, ends of what surrounds a text, controls, bidirectional marks, bytes that are no
 * UTF-8, and a code point that no page may hold. */
#define HOSTILE "</title></style></script>--><intruder intruder='1' onload=\"intruder()\">" \
                "&lt;&#60;\x1b[2J\xe2\x80\xae\xff\xc3\xef\xbf\xbf\r\n]]><!-- intruder"

static const struct str hostile = STR(HOSTILE);

/* A page of these entries, read by a strict reader; its text is in *text. */
static struct buf page_of(const struct listing *listing, struct buf *text)
{
    struct buf page, why;

    buf_init(&page, 64 << 20);
    buf_init(text, 64 << 20);
    buf_init(&why, 4096);
    html_write(listing, &page);
    assert_false(page.overflow);
    if (!page_walk(buf_str(&page), text, &why)) fail_msg("%s", buf_cstr(&why));
    buf_release(&why);
    return page;
}

static void expect_page(const struct listing *listing, const char *const *says)
{
    struct buf text, page = page_of(listing, &text);

    for (; *says; says++) {
        if (!strstr(buf_cstr(&text), *says)) fail_msg("no '%s' in %s", *says, buf_cstr(&text));
    }
    buf_release(&text);
    buf_release(&page);
}

static struct listing listing_of(const struct ledger_entry *entries, uint32_t count,
                                 const struct story *story)
{
    struct listing listing = { .run = "7k2m", .version = "1.2.3", .plan = &listing_plan,
                               .story = story };

    for (uint32_t i = 0; i < count; i++) listing_add(&listing, &entries[i]);
    return listing;
}

/* ---- a story ---- */

static struct story_lane lanes[] = { { "main", STR("") }, { HOSTILE, STR(HOSTILE) } };
static uint32_t by_end[] = { 0, 1 };
static struct str files[] = { STR(HOSTILE), STR("a.c"), STR("a.c") };

static struct story_round rounds[] = {
    { .phase = HOSTILE, .number = 1, .iteration = 1, .started_ms = 1000, .ended_ms = 3000,
      .repaired_ms = 5000, .verdict = VERDICT_FINDINGS, .finding_count = 2, .counted = true,
      .open_change = 2, .diff = 0 },
    { .phase = "R1", .number = 2, .iteration = 2, .lane = 1, .started_ms = 5000, .ended_ms = 6000,
      .verdict = VERDICT_CLEAN, .counted = true, .open_fix = 1, .fixed = 1, .diff = STORY_NONE },
};

static struct story_diff diffs[] = {
    { .from = 0, .to = 1,
      .text = STR("diff --git a/a.c b/a.c\n--- a/a.c\n+++ b/a.c\n@@ -1,2 +1,2 @@\n-" HOSTILE
                  "\n+<intruder>\n two\n") },
};

static struct story_change changes[] = { { 0, FINDING_NEW }, { 1, FINDING_FIXED } };
static struct story_fate fates[] = {
    { .order = 1, .changes = changes, .change_count = 2, .diff = 0, .line = 1 },
    { .order = 2, .changes = changes, .change_count = 1, .diff = STORY_NONE, .line = 2,
      .source = STR("one\n" HOSTILE "\nthree\n"), .source_first = 1 },
};

static struct story_attempt attempts[] = {
    { .role = "critic", .by = HOSTILE, .phase = HOSTILE, .model = STR(HOSTILE), .job = 1,
      .attempt = 1, .round_at = 0, .purpose = FOR_REVIEW, .judges = true, .asked_ms = 1000,
      .started_ms = 1000, .ended_ms = 3000, .verdict = VERDICT_FINDINGS, .finding_count = 2,
      .proof = PROOF_READ, .files = files, .file_count = 3,
      .usage = { .cost_micros = 1500000, .tokens_in = 12500, .tokens_out = 300 } },
    { .role = "critic", .by = HOSTILE, .phase = "R1", .job = 2, .attempt = 1, .round_at = 0,
      .purpose = FOR_REPAIR, .asked_ms = 3000, .started_ms = 4000, .ended_ms = 5000,
      .verdict = VERDICT_FAILED, .failure = FAILURE_RATE, .problem = STR(HOSTILE) },
    { .role = "pedant", .by = "", .phase = "R1", .lane = 1, .job = 3, .attempt = 2,
      .round_at = STORY_NONE, .purpose = FOR_WORK, .asked_ms = 86400000, .started_ms = 86400000 },
};

static struct story_mark marks[] = {
    { STORY_STOPPED, 5000, CHOICE_CONTINUE, 0 }, { STORY_ANSWERED, 6000, CHOICE_ACCEPT, 0 },
};

static struct story story_made(void)
{
    return (struct story){
        .run = "7k2m", .dialect = HOSTILE, .task = STR(HOSTILE), .repository = STR(HOSTILE),
        .branch = STR(HOSTILE), .commit = STR(HOSTILE), .since = STR(HOSTILE), .until = HOSTILE,
        .tone = STORY_LEFT, .word = "rounds used up", .line = "findings remain: and more",
        .meaning = "what it means", .next = "look at them",
        .updated_ms = 86500000, .active_ms = 5000, .unproven = 1, .calls = 3,
        .budget = { .limit = { .of = { [BUDGET_USD] = 5000000 } } },
        .used = { .of = { [BUDGET_USD] = 1500000 } },
        .usage = { .cost_micros = 1500000, .tokens_in = 12500, .tokens_out = 300 },
        .lanes = lanes, .lane_count = 2, .rounds = rounds, .round_count = 2, .by_end = by_end,
        .attempts = attempts, .attempt_count = 3, .marks = marks, .mark_count = 2,
        .diffs = diffs, .diff_count = 1, .fates = fates, .fate_count = 2,
        .found = 2, .left = 1, .left_by = { [SEVERITY_HIGH] = 1 },
        .states = { [FINDING_NEW] = 1, [FINDING_FIXED] = 1 },
    };
}

static struct vote votes[] = {
    { .role = ROLE_PEDANT, .by = STR(HOSTILE), .round = 1, .stands = true,
      .finding = { .severity = SEVERITY_HIGH, .text = STR(HOSTILE) } },
};

static const struct ledger_entry entries[] = {
    { .role = ROLE_CRITIC, .order = 2, .fingerprint = 2, .round_first = 1, .round_last = 2,
      .state = FINDING_PERSISTING, .votes = votes, .vote_count = 1, .cause_round = 1, .tries = 2,
      .doubt = DOUBT_DECLINED, .regressions = 1,
      .finding = { .severity = SEVERITY_HIGH, .file = STR(HOSTILE), .line = 2, .kind = STR(HOSTILE),
                   .text = STR(HOSTILE), .evidence = STR(HOSTILE), .suggestion = STR(HOSTILE) } },
    { .role = ROLE_CRITIC, .order = 1, .fingerprint = 1, .round_first = 1, .round_last = 1,
      .state = FINDING_FIXED,
      .finding = { .file = STR("a.c"), .line = 1, .text = STR("was bad") } },
};

static const struct unlooked unlooked[] = { { STR(HOSTILE), STR(HOSTILE), STR(HOSTILE) } };

/* ---- */

TEST(a_run_is_told)
{
    struct story story = story_made();
    struct listing listing = listing_of(entries, 2, &story);

    expect_page(&listing, (const char *const[]){
        "Findings remain: and more.", "1 high, 0 medium, 0 low", "$1.50", "12,500",
        "$1.50 of $5.00",
        "by the change", "the fix of round 1", "2 times", "once, after it was fixed",
        "the fixer declined it", "was bad", "failed (rate)", "not ended",
        "a person stopped the run", "a person answered: accept", "1970-01-01 00:00:01 UTC",
        "1 review counted though nothing shows", "no agent was at work for", "1 of 1 reviews",
        "2 files", "Written by hone 1.2.3.", NULL });
    listing_release(&listing);
}

TEST(no_text_of_others_is_markup)
{
    struct story story = story_made();
    struct listing listing = listing_of(entries, 2, &story);

    listing.unfinished = HOSTILE;
    listing.coverage = (struct coverage){ .files = 2, .unlooked = unlooked, .unlooked_count = 1,
                                          .hint = STR(HOSTILE) };
    expect_page(&listing, (const char *const[]){
        "</title></style></script>-->", "\\x1b[2J", "\\u{202e}", "\\xff", "\\u{ffff}", "&lt;&#60;",
        "1 of 2 files were not looked at", NULL });
    listing_release(&listing);
}

TEST(the_same_run_is_the_same_page)
{
    struct story story = story_made();
    struct listing listing = listing_of(entries, 2, &story);
    struct buf text, again, one = page_of(&listing, &text), two = page_of(&listing, &again);

    assert_int_equal(str_compare(buf_str(&one), buf_str(&two)), 0);
    buf_release(&again);
    buf_release(&two);
    buf_release(&text);
    buf_release(&one);
    listing_release(&listing);
}

TEST(findings_alone_without_a_story)
{
    struct listing listing = listing_of(entries, 2, NULL);

    expect_page(&listing, (const char *const[]){ "Run 7k2m", "was bad", "Left open", NULL });
    listing_release(&listing);
}

TEST(a_run_of_nothing)
{
    struct story story = { .run = "7k2m", .dialect = "review", .until = "", .word = "running",
                           .line = "the run is still at work", .meaning = "more may be found",
                           .tone = STORY_AT_WORK };
    struct listing listing = listing_of(NULL, 0, &story);

    expect_page(&listing, (const char *const[]){
        "The run is still at work.", "Nothing was found.", "No agent was started.",
        "No reviewer was asked.", NULL });
    listing_release(&listing);
}

TEST(fifty_thousand_findings_have_a_bound)
{
    enum { COUNT = 50000, SIZE = 8000 };
    struct story story = story_made();
    struct ledger_entry *many = mem_alloc(COUNT * sizeof *many);
    struct listing listing = { .run = "7k2m", .version = "1.2.3", .plan = &listing_plan,
                               .story = &story };
    char *long_text = mem_alloc(SIZE);
    struct buf text, page;

    memset(long_text, '<', SIZE);
    for (uint32_t i = 0; i < COUNT; i++) {
        many[i] = entries[0];
        many[i].order = 100 + i;
        many[i].fingerprint = i;
        many[i].finding.text = (struct str){ long_text, SIZE };
        many[i].finding.evidence = (struct str){ long_text, SIZE };
        listing_add(&listing, &many[i]);
    }
    page = page_of(&listing, &text);
    assert_true(page.size < HTML_BYTES_MAX);
    assert_non_null(strstr(buf_cstr(&text), "more findings are not on this page:"));
    assert_non_null(strstr(buf_cstr(&text), "Attempts"));
    buf_release(&text);
    buf_release(&page);
    listing_release(&listing);
    free(long_text);
    free(many);
}

TEST(text_is_escaped)
{
    struct buf out;

    buf_init(&out, 4096);
    html_text(&out, STR("<a href=\"x\" title='y'>&amp;\n\xef\xb7\x90</a>"), true, 0);
    assert_string_equal(buf_cstr(&out), "&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp; "
                                        "\\u{fdd0}&lt;/a&gt;");
    buf_clear(&out);
    html_text(&out, hostile, false, 12);
    assert_string_equal(buf_cstr(&out), "&lt;/title&gt;&lt;...");
    buf_release(&out);
}
