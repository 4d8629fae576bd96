/* SPDX-License-Identifier: Apache-2.0
 *
 * test_iterate_severity.c - what reviewers write, and what is read out of it. */
#include "dialect/check.h"
#include "dialect/iterate/iterate.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

#define FENCE "fence7f3a"

/* "HIGH src/a.c:3 text" for each issue, a line each; "clean"; or "invalid". Lives in arena. */
static const char *reading_of(struct str answer, struct arena *arena)
{
    struct check_report report = { 0 };
    struct iterate_issues issues;
    struct buf out;
    const char *kept;
    bool good = iterate_issues_read(answer, FENCE, arena, &report, &issues);

    buf_init(&out, 1 << 20);
    for (uint32_t i = 0; i < issues.count; i++) {
        struct str place = iterate_place_print(&issues.items[i], arena);
        buf_printf(&out, "%s%s ", i ? "\n" : "",
                   iterate_severity_word(issues.items[i].severity));
        buf_add(&out, place.size ? place : STR("-"));
        buf_byte(&out, ' ');
        buf_add(&out, issues.items[i].text);
    }
    if (issues.count == 0) buf_text(&out, good ? "clean" : "invalid");
    assert_true(good || report.count > 0);
    check_report_release(&report);
    kept = arena_cstr(arena, buf_str(&out));
    buf_release(&out);
    return kept;
}

struct sample {
    const char *answer, *wanted;
};

static void expect_samples(const struct sample *samples, size_t count)
{
    struct arena arena = { 0 };

    for (size_t i = 0; i < count; i++) {
        const char *got = reading_of(str_of(samples[i].answer), &arena);
        if (strcmp(got, samples[i].wanted) != 0) {
            fail_msg("the answer\n%s\nwas read as\n%s\nand not as\n%s", samples[i].answer, got,
                     samples[i].wanted);
        }
    }
    arena_release(&arena);
}

#define EXPECT(samples) expect_samples(samples, sizeof samples / sizeof *samples)

TEST(json_lists_issues)
{
    static const struct sample samples[] = {
        { "{\"issues\":[]}", "clean" },
        { "  \n{\"issues\": [ ] }\n\n", "clean" },
        { "\xef\xbb\xbf{\"issues\":[]}", "clean" },
        { "{\"issues\":[{\"severity\":\"HIGH\",\"message\":\"breaks\",\"location\":\"a.c:3\"}]}",
          "HIGH a.c:3 breaks" },
        { "{\"issues\":[{\"severity\":\"medium\",\"message\":\" m \",\"location\":null},"
          "{\"severity\":\"Low\",\"message\":\"l\"}]}", "MEDIUM - m\nLOW - l" },
        { "{\"issues\":[{\"severity\":\"Critical\",\"message\":\"a\",\"location\":\"\"},"
          "{\"severity\":\"Important\",\"message\":\"b\",\"location\":\"b.c\"},"
          "{\"severity\":\"Minor\",\"message\":\"c\",\"location\":\"c.c:1:2\"}]}",
          "HIGH - a\nMEDIUM b.c b\nLOW c.c:1 c" },
        { "{\"summary\":\"No issues found.\",\"issues\":[{\"severity\":\"LOW\",\"message\":\"x\","
          "\"location\":\"a:1\"}]}", "LOW a:1 x" },
        { "```json\n{\"issues\":[]}\n```", "clean" },
        { "\n```\n{\"issues\":[{\"severity\":\"LOW\",\"message\":\"x\",\"location\":\"a:1\"}]}\n"
          "```\n\n", "LOW a:1 x" },
    };

    EXPECT(samples);
}

TEST(json_that_is_malformed_is_never_clean)
{
    static const struct sample samples[] = {
        { "{", "invalid" },
        { "{\"issues\":[", "invalid" },
        { "{\"issues\":[]", "invalid" },
        { "{\"issues\":[]} No issues found.", "invalid" },
        { "{\"issues\":[]}\n{\"issues\":[]}", "invalid" },
        { "{}", "invalid" },
        { "{\"issues\":null}", "invalid" },
        { "{\"issues\":{}}", "invalid" },
        { "{\"issues\":\"none\"}", "invalid" },
        { "{\"issues\":0}", "invalid" },
        { "{\"Issues\":[]}", "invalid" },
        { "{\"issues\":[],\"issues\":[{\"severity\":\"HIGH\",\"message\":\"x\"}]}", "invalid" },
        { "{\"issues\":[],\"\\u0069ssues\":[{}]}", "invalid" },
        { "[]", "invalid" },
        { "[{\"severity\":\"HIGH\",\"message\":\"x\",\"location\":\"a:1\"}]", "invalid" },
        { "\"No issues found.\"", "invalid" },
        { "null", "invalid" },
        { "{\"issues\":[{}]}", "invalid" },
        { "{\"issues\":[null]}", "invalid" },
        { "{\"issues\":[\"HIGH a.c:3 x\"]}", "invalid" },
        { "{\"issues\":[{\"message\":\"no severity\"}]}", "invalid" },
        { "{\"issues\":[{\"severity\":\"nit\",\"message\":\"x\"}]}", "invalid" },
        { "{\"issues\":[{\"severity\":3,\"message\":\"x\"}]}", "invalid" },
        { "{\"issues\":[{\"severity\":\"HIGH\",\"severity\":\"LOW\",\"message\":\"x\"}]}",
          "invalid" },
        { "{\"issues\":[{\"severity\":\"HIGH\",\"message\":\"x\"},{\"severity\":\"?\"}]}",
          "invalid" },
        { "{\"issues\":[{\"severity\":\"LOW\",\"message\":\"\",\"location\":\"a:1\"}]}",
          "LOW a:1 {\"severity\":\"LOW\",\"message\":\"\",\"location\":\"a:1\"}" },
        { "{\"issues\":[{\"severity\":\"LOW\",\"message\":\"x\",\"location\":{\"line\":3}}]}",
          "LOW - x" },
        { "```json\n{\"issues\":[]}\n", "invalid" },
        { "```json\n{\"issues\":[]}\n```\n```json\n{\"issues\":[]}\n```", "invalid" },
        { "Here you are:\n```json\n{\"issues\":[]}\n```", "invalid" },
    };

    EXPECT(samples);
}

TEST(words_for_clean_are_whole_lines)
{
    static const struct sample samples[] = {
        { "No issues found.", "clean" },
        { "no issues found", "clean" },
        { "NO ISSUES FOUND.\n", "clean" },
        { "No issues.", "clean" },
        { "Plan looks good to proceed.", "clean" },
        { "LGTM", "clean" },
        { "lgtm.", "clean" },
        { "clean", "clean" },
        { "**No issues found.**", "clean" },
        { "I read the change and ran the tests.\r\n\r\nNo issues found.\r\n", "clean" },
        { "The plan covers all of it.\n\nPlan looks good to proceed.\n\nGood work.", "clean" },
        { "", "invalid" },
        { " \n\t\n", "invalid" },
        { "No issues found. But I did not look.", "invalid" },
        { "No issues found!", "invalid" },
        { "There are no issues found.", "invalid" },
        { "No issues found..", "invalid" },
        { "The code is clean", "invalid" },
        { "cleaner", "invalid" },
        { "- clean", "invalid" },
        { "Not LGTM", "invalid" },
        { "LGTM!", "invalid" },
        { "Ready to merge? Yes", "invalid" },
        { "Everything looks great to me.", "invalid" },
        { "No issues found.\rHIGH a.c:3 x", "invalid" },
    };

    EXPECT(samples);
}

TEST(lines_carry_a_severity_and_a_place)
{
    static const struct sample samples[] = {
        { "HIGH src/a.c:3 reads behind the end", "HIGH src/a.c:3 reads behind the end" },
        { "HIGH: src/a.c:3: reads", "HIGH src/a.c:3 reads" },
        { "HIGH - src/a.c:3 - reads", "HIGH src/a.c:3 reads" },
        { "HIGH \xe2\x80\x94 src/a.c:3 \xe2\x80\x94 reads", "HIGH src/a.c:3 reads" },
        { "- HIGH src/a.c:3 reads\n- MEDIUM b.py:10-12 leaks\n* LOW c:1 typo",
          "HIGH src/a.c:3 reads\nMEDIUM b.py:10 leaks\nLOW c:1 typo" },
        { "1. **HIGH** `src/a.c:3`: reads", "HIGH src/a.c:3 reads" },
        { "2) **[MEDIUM]** src/a.c:3 reads", "MEDIUM src/a.c:3 reads" },
        { "[LOW] src/a.c:3: reads", "LOW src/a.c:3 reads" },
        { "- [high] src/a.c:3: reads", "HIGH src/a.c:3 reads" },
        { "**High:** reads (src/a.c:3)", "HIGH src/a.c:3 reads (src/a.c:3)" },
        { "High - reads, see src/a.c:3.", "HIGH src/a.c:3 reads, see src/a.c:3." },
        { "src/a.c:3 [HIGH] reads", "HIGH src/a.c:3 [HIGH] reads" },
        { "src/a.c:3: (MEDIUM) reads", "MEDIUM src/a.c:3 (MEDIUM) reads" },
        { "src/a.c:3: HIGH: reads", "HIGH src/a.c:3 HIGH: reads" },
        { "src/a.c:3:7: High: reads", "HIGH src/a.c:3 High: reads" },
        { "- src/a.c:3 - LOW - reads", "LOW src/a.c:3 LOW - reads" },
        { "1. **src/a.c:3** \xe2\x80\x94 **MEDIUM**: reads",
          "MEDIUM src/a.c:3 **MEDIUM**: reads" },
        { "`my file.c:3`: CRITICAL reads", "HIGH my file.c:3 CRITICAL reads" },
        { "src/a.c:3 severity: low, reads", "LOW src/a.c:3 severity: low, reads" },
        { "LOW a.c:1 odd\nb.c:2: HIGH: reads", "LOW a.c:1 odd\nHIGH b.c:2 HIGH: reads" },
        { "| HIGH | src/a.c:3 | reads |", "HIGH src/a.c:3 reads" },
        { "| 1 | LOW | src/a.c:3 | reads |", "LOW src/a.c:3 1 | LOW | src/a.c:3 | reads" },
        { "\xf0\x9f\x94\xb4 **HIGH** src/a.c:3 reads", "HIGH src/a.c:3 reads" },
        { "\xe2\x80\xa2 HIGH src/a.c:3 reads\n\xe2\x80\x93 LOW b.c:1 odd",
          "HIGH src/a.c:3 reads\nLOW b.c:1 odd" },
        { "### HIGH: reads behind the end in src/a.c:3",
          "HIGH src/a.c:3 reads behind the end in src/a.c:3" },
        { "HIGH low memory ends it", "HIGH - low memory ends it" },
        { "[HIGH] Low memory ends it", "HIGH - Low memory ends it" },
        { "| HIGH | Low memory ends it |", "HIGH - Low memory ends it" },
        { "HIGH no tests at all", "HIGH - no tests at all" },
        { "HIGH severity: no tests", "HIGH - no tests" },
        { "HIGH. It reads", "HIGH - It reads" },
        { "Issue 1 (HIGH): a.c:3 reads", "HIGH a.c:3 Issue 1 (HIGH): a.c:3 reads" },
        { "Issue 1 [Severity: high] a.c:3", "HIGH a.c:3 Issue 1 [Severity: high] a.c:3" },
        { "It reads (severity: low) a.c:3", "LOW a.c:3 It reads (severity: low) a.c:3" },
        { "[HIGH](#high) a.c:3 reads", "HIGH a.c:3 (#high) a.c:3 reads" },
        { "HIGH C:\\src\\a.c:12 x", "HIGH C:\\src\\a.c:12 x" },
        { "HIGH `my file.c:12` x", "HIGH my file.c:12 x" },
        { "HIGH see http://localhost:80 and src/a.c:3", "HIGH src/a.c:3 see http://localhost:80"
          " and src/a.c:3" },
        { "CRITICAL a.c:1 x\nIMPORTANT a.c:2 y\nMINOR a.c:3 z",
          "HIGH a.c:1 x\nMEDIUM a.c:2 y\nLOW a.c:3 z" },
        { "Critical: a.c:1 x\nImportant: y\nMinor: z", "HIGH a.c:1 x\nMEDIUM - y\nLOW - z" },
    };

    EXPECT(samples);
}

TEST(sentences_that_only_begin_with_such_a_word_are_no_issues)
{
    static const struct sample samples[] = {
        { "High latency is expected here.", "invalid" },
        { "Low-level code looks right.\nNo issues found.", "clean" },
        { "HIGH-level design is fine.\nLGTM", "clean" },
        { "Critical path is short.\nLGTM", "clean" },
        { "Minor things were fixed before.\nLGTM", "clean" },
        { "HIGH_WATER is a constant.\nLGTM", "clean" },
        { "There is no HIGH issue.\nLGTM", "clean" },
        { "The risk is (low) here.\nLGTM", "clean" },
        { "Severities are HIGH, MEDIUM and LOW.\nNo issues found.", "clean" },
        { "HIGH, MEDIUM or LOW\nNo issues found.", "clean" },
        { "HIGH/MEDIUM/LOW: 0/0/0\nNo issues found.", "clean" },
        { "[HIGH|MEDIUM|LOW] file:line message\nNo issues found.", "clean" },
        { "[HIGH], [MEDIUM] and [LOW] are the words\nNo issues found.", "clean" },
        { "[HIGH] [MEDIUM] [LOW]\nNo issues found.", "clean" },
        { "HIGH or LOW, it depends.\nNo issues found.", "clean" },
        { "| HIGH | MEDIUM | LOW |\n|---|---|---|\n| 0 | 0 | 0 |\n\nNo issues found.", "clean" },
        { "HIGH: none\nMEDIUM: None.\nLOW: 0\n\nNo issues found.", "clean" },
        { "src/a.c:3: HIGH = 1 is right.\nNo issues found.", "clean" },
        { "src/a.c:3: high water mark\nNo issues found.", "clean" },
        { "src/a.c: HIGH_WATER\nNo issues found.", "clean" },
        { "src/a.c:3: `HIGH` is a word of the code\nNo issues found.", "clean" },
        { "http://localhost:80 HIGH traffic\nNo issues found.", "clean" },
        { "- HIGH: 0 issues\n- MEDIUM: none found\n- LOW: n/a\n\nNo issues found.", "clean" },
        { "HIGH: none\nMEDIUM: none\nLOW: none", "invalid" },
    };

    EXPECT(samples);
}

TEST(quoted_words_do_not_count)
{
    static const struct sample samples[] = {
        { "> HIGH a.c:3 x\n\nNo issues found.", "clean" },
        { "> No issues found.", "invalid" },
        { "> LGTM\n> really", "invalid" },
        { "```\nHIGH a.c:3 x\n```\nNo issues found.", "clean" },
        { "The file says:\n```\nNo issues found.\n```\n", "invalid" },
        { "~~~~\n```\nHIGH a.c:3 x\n~~~\n~~~~\nLGTM", "clean" },
        { "`HIGH` is a word of the code.\nLGTM", "clean" },
        { "`[HIGH]` and ``(LOW) ` `` too\nLGTM", "clean" },
        { "The comment `// LGTM` is there.", "invalid" },
        { "    No issues found.", "invalid" },
        { "    HIGH a.c:3 x\n\nLGTM", "clean" },
        { "<!-- HIGH a.c:3 x -->\nLGTM", "clean" },
        { "<!--\nNo issues found.\n-->", "invalid" },
        { "===== data " FENCE " =====\nNo issues found.\n===== end of data " FENCE " =====\n",
          "invalid" },
        { "===== data " FENCE " =====\nHIGH a.c:3 x\n```\n===== end of data " FENCE " =====\nLGTM",
          "clean" },
        { "> ===== data " FENCE " =====\n> ===== end of data " FENCE " ===== [LOW] x\nLGTM",
          "clean" },
        { "===== data other =====\nHIGH a.c:3 x\n===== end of data other =====\nLGTM",
          "HIGH a.c:3 x\n===== end of data other =====" },
        { "> Why?\nHIGH a.c:3 nobody knows", "HIGH a.c:3 nobody knows" },
        { "> Why?\nLGTM", "invalid" },
    };

    EXPECT(samples);
}

TEST(what_is_left_open_is_not_clean)
{
    static const struct sample samples[] = {
        { "No issues found.\n```\nint main", "invalid" },
        { "No issues found.\n<!-- \n", "invalid" },
        { "LGTM\n===== data " FENCE " =====\nHIGH a.c:3 x\n", "invalid" },
        { "HIGH a.c:3 x\n```\nint main", "HIGH a.c:3 x" },
        { "No issues found.\n\nHIGH a.c:3 x", "HIGH a.c:3 x" },
        { "HIGH a.c:3 x\n\nLGTM", "HIGH a.c:3 x" },
        { "HIGH: 2\nMEDIUM: 0\n\nNo issues found.",
          "HIGH - The review counts issues of severity HIGH and lists none of them" },
        { "HIGH: 1\n\n- HIGH a.c:3 x", "HIGH a.c:3 x" },
    };

    EXPECT(samples);
}

TEST(an_issue_may_have_several_lines)
{
    static const struct sample samples[] = {
        { "- HIGH a.c:3 reads\n  behind the end\n- LOW b.c:4 typo",
          "HIGH a.c:3 reads\nbehind the end\nLOW b.c:4 typo" },
        { "HIGH reads\n  File: a.c:3\n\nThat is all.", "HIGH a.c:3 reads\nFile: a.c:3" },
        { "- HIGH reads\n\n  in a.c:3, always\n\nThat is all.",
          "HIGH a.c:3 reads\nin a.c:3, always" },
        { "- HIGH x a.c:3\n- a second item that is none\n", "HIGH a.c:3 x a.c:3" },
        { "### 1. [HIGH] It reads\n\n**File:** `a.c:3`\n\n- always\n\n"
          "### 2. [LOW] Typo\n\nIn b.c:4.\n\n## Verdict\n\nNot yet.",
          "HIGH a.c:3 It reads\n**File:** `a.c:3`\n- always\nLOW b.c:4 Typo\nIn b.c:4." },
        { "### Issue 1: no check\n- **Severity:** HIGH\n- **File:** a.c:3\n- **Fix:** check\n\n"
          "### Issue 2: typo\n- **Severity:** low\n- **File:** b.c:4\n",
          "HIGH a.c:3 - **File:** a.c:3\n- **Fix:** check\nLOW b.c:4 - **File:** b.c:4" },
    };

    EXPECT(samples);
}

TEST(a_severity_alone_begins_a_section)
{
    static const struct sample samples[] = {
        { "### Strengths\n- Clear names (a.c:1)\n\n"
          "### Issues\n\n"
          "#### Critical (Must Fix)\n\n"
          "#### Important (Should Fix)\n"
          "1. **Missing help text**\n"
          "   - File: index.ts:1-31\n"
          "   - Issue: no --help\n"
          "2. **Dates are not checked**\n"
          "   - File: search.ts:25\n\n"
          "#### Minor (Nice to Have)\n"
          "1. **Progress**\n"
          "   - File: indexer.ts:130\n\n"
          "### Recommendations\n- Add a config file\n\n"
          "### Assessment\n\n**Ready to merge: With fixes**\n",
          "MEDIUM index.ts:1 **Missing help text**\n- File: index.ts:1-31\n- Issue: no --help\n"
          "MEDIUM search.ts:25 **Dates are not checked**\n- File: search.ts:25\n"
          "LOW indexer.ts:130 **Progress**\n- File: indexer.ts:130" },
        { "#### Critical\nNone.\n\n#### Important\n- None\n\n#### Minor\nNo issues.\n\n"
          "**Ready to merge?** Yes\n\nNo issues found.\n", "clean" },
        { "## HIGH\n\n- a.c:3 reads\n- b.c:4 writes\n\n## MEDIUM\n\nNone\n\n## LOW\n\nNone\n",
          "HIGH a.c:3 reads\nHIGH b.c:4 writes" },
        { "**HIGH**\n- a.c:3 reads\n\n**LOW**\n- b.c:4 typo\n\nOverall it is good.\n- a point",
          "HIGH a.c:3 reads\nLOW b.c:4 typo" },
        { "HIGH\n====\na.c:3 reads\n\nb.c:4 writes\n\n---\n- not one\n",
          "HIGH a.c:3 reads\nHIGH b.c:4 writes" },
        { "## HIGH (2)\n- a.c:3 reads\n- LOW b.c:4 typo\n", "HIGH a.c:3 reads\nLOW b.c:4 typo" },
        { "## HIGH: 1\n- a.c:3 reads\n", "HIGH a.c:3 reads" },
        { "## Critical issues\nThe lock is never released.\n\nVerdict: not ready.",
          "HIGH - The lock is never released." },
        { "### HIGH\n\n### MEDIUM\n\n### LOW\n", "invalid" },
    };

    EXPECT(samples);
}

TEST(places_are_read_and_printed)
{
    static const struct sample samples[] = {
        { "src/a.c:12", "src/a.c:12" },    { "src/a.c:12:5", "src/a.c:12" },
        { "src/a.c", "src/a.c" },          { "", "" },
        { "  a.c:3 ", "a.c:3" },           { "a.c:10-20", "a.c:10" },
        { "a.c#L10", "a.c:10" },           { "a.c#L10-L20", "a.c:10" },
        { "a.c:L10", "a.c:10" },           { "C:\\a.c:3", "C:\\a.c:3" },
        { "C:\\a.c", "C:\\a.c" },          { "a.c:0", "a.c" },
        { "a.c:99999999999", "a.c" },      { "a:1:2:3:4", "a:1" },
        { ":5", ":5" },                    { "5:3", "5:3" },
        { "v2", "v2" },                    { "the whole plan", "the whole plan" },
        { "a.c:", "a.c:" },                { "a.c#", "a.c#" },
        { "a.c-3", "a.c-3" },              { "a.c:3-", "a.c:3-" },
    };
    struct arena arena = { 0 };

    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct finding finding = { 0 };
        struct str printed;

        iterate_place_read(str_of(samples[i].answer), &finding);
        printed = iterate_place_print(&finding, &arena);
        if (!str_is(printed, samples[i].wanted)) {
            fail_msg("'%s' is printed as '%s'", samples[i].answer, printed.data);
        }
        iterate_place_read(printed, &finding);
        assert_true(str_eq(iterate_place_print(&finding, &arena), printed));
    }
    arena_release(&arena);
}

/* Text that repeats a piece many times. */
static struct str many(const char *piece, size_t times, struct arena *arena)
{
    size_t size = strlen(piece);
    char *text = arena_alloc(arena, size * times + 1);

    for (size_t i = 0; i < times; i++) memcpy(text + i * size, piece, size);
    return (struct str){ text, size * times };
}

TEST(hostile_text_is_bounded)
{
    static const char *const pieces[] = {
        "[HIGH ", "`", "` ``", "> ", "- ", "[", "HIGH a.c:3 x\n", "HIGH\n", "issues ", "*_", "#",
        "|", "1. ", "a:1", "\xff", "```\n", "<!--", "===== data " FENCE " =====\n", "Severity:",
        "HIGH/", "(HIGH) ",
    };

    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        struct arena arena = { 0 };
        reading_of(many(pieces[i], 100000, &arena), &arena);
        arena_release(&arena);
    }
}

TEST(bytes_that_are_no_text_become_valid)
{
    struct arena arena = { 0 };

    assert_string_equal(reading_of(STR("HIGH a.c:3 \xff\xfe x"), &arena),
                        "HIGH a.c:3 \xef\xbf\xbd\xef\xbf\xbd x");
    assert_string_equal(reading_of(STR("No issues\0 found."), &arena), "invalid");
    assert_string_equal(reading_of(STR("\0\0\0"), &arena), "invalid");
    arena_release(&arena);
}

TEST(too_much_is_no_review)
{
    struct arena arena = { 0 };

    assert_string_equal(reading_of(many("LGTM\n\n\n\n", ANSWER_BYTES_MAX / 8 + 1, &arena), &arena),
                        "invalid");
    arena_release(&arena);
}

TEST(what_just_fits_is_whole_and_what_does_not_says_so)
{
    struct arena arena = { 0 };
    struct str fits = many("x", ISSUE_BYTES_MAX, &arena);
    struct str longer = many("\xc3\xa4", ISSUE_BYTES_MAX / 2 + 1, &arena);
    struct str cut = iterate_text(longer, ISSUE_BYTES_MAX, &arena);

    assert_true(str_eq(iterate_text(fits, ISSUE_BYTES_MAX, &arena), fits));
    assert_true(cut.size <= ISSUE_BYTES_MAX);
    assert_true(str_ends(cut, STR("\xc3\xa4... [cut: 4098 bytes in all]")));
    arena_release(&arena);
}

/* The worst sentence counts: clean is believed only where nothing else complains. */
TEST(clean_beside_a_complaint_is_no_review)
{
    static const struct sample samples[] = {
        { "### a.c\nNo issues found.\n### b.c\nA buffer overflow in line 3, critical.\n",
          "invalid" },
        { "A buffer overflow in line 3, critical.\n\nLGTM\n", "invalid" },
        { "LGTM\n\n1. b.c:3 reads behind the end\n", "invalid" },
        { "LGTM\n\n- `b.c:3` takes the lock twice\n", "invalid" },
        { "There is a bug in the parser.\nclean\n", "invalid" },
        { "No issues found.\nHowever, the sort order is wrong.\n", "invalid" },
        { "### a.c\nNo issues found.\n### b.c\nHIGH b.c:3 a buffer overflow\n",
          "HIGH b.c:3 a buffer overflow" },
    };

    EXPECT(samples);
}

TEST(a_denial_beside_clean_is_clean)
{
    static const struct sample samples[] = {
        { "I found no critical issues.\n\nNo issues found.\n", "clean" },
        { "This is not a bug.\nLGTM\n", "clean" },
        { "Looked for leaks, races and overflows: none.\n\nNo issues found.\n", "clean" },
        { "The overflow in b.c:3 of the last round is fixed.\nNo issues.\n", "clean" },
        { "- b.c:3 is fine\n- the tests cover a.c:9\n\nLGTM\n", "clean" },
        { "#### Critical (Must Fix)\nNone.\n#### Minor\nNone.\n\nNo issues found.\n", "clean" },
        { "> a critical bug\n\nLGTM\n", "clean" },
    };

    EXPECT(samples);
}
