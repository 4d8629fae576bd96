/* SPDX-License-Identifier: Apache-2.0
 *
 * judge.c - an agent's answer as a verdict, findings and the text that is kept of it.
 *
 *     review   PASS: clean; WARN, FAIL: findings; empty, or the word "done": invalid
 *     work     anything that is not empty; a last line "STUCK: reason" says that it cannot go on
 *     commit   "commit ID" and files, or "nothing"
 *
 * 1. Findings are never none: where a review that did not pass lists nothing that has a place, its
 *    grade and its beginning are the one finding.
 * 2. A finding is an item of a list, in the reviewer's own words, with a file and a line in it, and
 *    with a severity or below a heading of issues: a table of met criteria is no list of faults.
 * 3. What is kept of a review is all of it: its file has the bytes that were judged, and judging
 *    the file again gives the same. */
#include "dialect/cycles/cycles.h"

#include "base/byte.h"
#include "dialect/answer.h"
#include "dialect/complaint.h"
#include "prompts/cycles.h"

#include <assert.h>
#include <string.h>

enum {
    FINDINGS_MAX = 500,
    TEXT_BYTES_MAX = 4096,
    FILE_BYTES_MAX = 1024,
    BEGINNING_BYTES_MAX = 1000,
    REPORT_BYTES_MAX = 1024 * 1024, /* of what the implementer and the fixer say */
};

/* ---- texts ---- */

/* Without empty lines in front, with one line end behind. */
static struct str framed(struct str text, struct arena *arena)
{
    struct str rest = text, line;
    struct str end = str_trim(text);
    char *copy;

    while (str_cut(&rest, '\n', &line) && str_trim(line).size == 0) text = rest;
    text.size = (size_t)(end.data + end.size - text.data);
    copy = arena_alloc(arena, text.size + 2);
    memcpy(copy, text.data, text.size);
    copy[text.size] = '\n';
    return (struct str){ copy, text.size + 1 };
}

/* ---- findings ---- */

/* The word at the beginning, with no letter behind it. */
static bool begins_with(struct str text, const char *word)
{
    size_t size = strlen(word);

    return starts_with_word(text, word) && (text.size == size || !byte_is_letter(text.data[size]));
}

static bool has_word(struct str text, const char *word)
{
    for (bool inside = false; text.size; text = str_skip(text, 1)) {
        if (!inside && begins_with(text, word)) return true;
        inside = byte_is_letter(text.data[0]);
    }
    return false;
}

static const struct {
    const char *word;
    enum severity severity;
} severities[] = {
    { "critical", SEVERITY_HIGH }, { "blocking", SEVERITY_HIGH }, { "high", SEVERITY_HIGH },
    { "medium", SEVERITY_MEDIUM }, { "warning", SEVERITY_MEDIUM }, { "low", SEVERITY_LOW },
    { "minor", SEVERITY_LOW },
};

/* A severity among the first words: [HIGH], **HIGH**, HIGH: */
static bool severity_of(struct str text, enum severity *out)
{
    text = text_skip(text, "[(*_`");
    for (size_t i = 0; i < sizeof severities / sizeof *severities; i++) {
        if (!begins_with(text, severities[i].word)) continue;
        *out = severities[i].severity;
        return true;
    }
    return false;
}

/* src/a.c:12, src/a.c:12-20, src/a.c:12:5 */
static bool read_place(struct str word, struct str *file, uint32_t *line)
{
    const char *colon = word.size ? memchr(word.data, ':', word.size) : NULL;
    struct str digits;
    uint64_t number = 0;

    if (!colon) return false;
    *file = (struct str){ word.data, (size_t)(colon - word.data) };
    digits = str_skip(word, file->size + 1);
    for (size_t i = 0; i < digits.size; i++) {
        if (byte_is_digit(digits.data[i])) continue;
        if (i == 0 || !strchr("-:,.", digits.data[i])) return false;
        digits.size = i;
    }
    if (!str_number(digits, &number) || number == 0 || number > UINT32_MAX) return false;
    if (file->size == 0 || file->size > FILE_BYTES_MAX) return false;
    if (!str_has(*file, '.') && !str_has(*file, '/')) return false;
    *line = (uint32_t)number;
    return true;
}

/* The first place in a text. */
static bool find_place(struct str text, struct str *file, uint32_t *line)
{
    static const char around[] = " \t`*()[]{}<>,;\"'|";
    size_t from = 0;

    for (size_t i = 0; i <= text.size; i++) {
        bool end = i == text.size || (text.data[i] && strchr(around, text.data[i]));

        if (!end) continue;
        if (i > from && read_place((struct str){ text.data + from, i - from }, file, line)) {
            return true;
        }
        from = i + 1;
    }
    return false;
}

/* What the heading above an item says of it. */
struct section {
    bool of_issues;
    bool ranked;
    enum severity severity;
};

static struct section section_of(struct str heading)
{
    static const char *const words[] = { "issue", "issues", "finding", "findings", "problem",
                                         "problems", "gap", "gaps", "fault", "faults" };
    struct section section = { .of_issues = false };

    for (size_t i = 0; i < sizeof severities / sizeof *severities && !section.ranked; i++) {
        section.ranked = has_word(heading, severities[i].word);
        section.severity = severities[i].severity;
    }
    section.of_issues = section.ranked;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        section.of_issues = section.of_issues || has_word(heading, words[i]);
    }
    return section;
}

static struct finding finding_of(enum severity severity, struct str text)
{
    return (struct finding){ .severity = severity, .text = text };
}

/* The one finding of a review that lists none. */
static struct finding finding_of_grade(const struct grading *grading, struct str review,
                                       struct arena *arena)
{
    struct str beginning = answer_short(str_trim(review), BEGINNING_BYTES_MAX, arena);
    const char *why = grading->found ? "" : " (the review says no grade)";

    if (grading->heading.odd || grading->final.odd) why = " (the review's grade is another word)";
    return finding_of(grading->grade == GRADE_FAIL ? SEVERITY_HIGH : SEVERITY_MEDIUM,
                      str_of(arena_printf(arena, "%s%s: %.*s", grade_word(grading->grade), why,
                                          STR_ARG(beginning))));
}

/* What the review lists; how many there are, of which at most FINDINGS_MAX are kept. */
static uint32_t findings_of(struct str review, enum severity otherwise,
                            struct finding findings[FINDINGS_MAX], struct arena *arena)
{
    struct prose prose = { .rest = review };
    struct section section = { .of_issues = false };
    enum prose_kind kind;
    uint32_t count = 0;
    struct str line, text;

    while (prose_next(&prose, &line, &kind)) {
        enum severity severity = section.ranked ? section.severity : otherwise;
        struct finding *finding = &findings[count < FINDINGS_MAX ? count : FINDINGS_MAX - 1];
        struct str file;
        uint32_t number;
        bool ranked, numbered;

        if (kind != PROSE_OWN) continue;
        if (prose_heading(line, &text)) section = section_of(text);
        if (!prose_item(line, &text, &numbered)) continue;
        ranked = severity_of(text, &severity);
        if ((!ranked && !section.of_issues) || !find_place(text, &file, &number)) continue;
        *finding = finding_of(severity, answer_short(text, TEXT_BYTES_MAX, arena));
        finding->file = arena_copy(arena, file);
        finding->line = number;
        count++;
    }
    if (count > FINDINGS_MAX) {
        findings[FINDINGS_MAX - 1] = finding_of(otherwise, str_of(
            arena_printf(arena, "%u more issues stand in the review alone",
                         (unsigned)(count - FINDINGS_MAX + 1))));
        count = FINDINGS_MAX;
    }
    return count;
}

/* ---- answers ---- */

static void judge_findings(struct str review, const struct grading *grading, const char *by,
                           struct arena *arena, struct result *out)
{
    enum severity otherwise = grading->grade == GRADE_FAIL ? SEVERITY_HIGH : SEVERITY_MEDIUM;
    struct finding *findings = arena_alloc(arena, FINDINGS_MAX * sizeof *findings);
    uint32_t count = findings_of(review, otherwise, findings, arena);

    if (count == 0) findings[count++] = finding_of_grade(grading, review, arena);
    for (uint32_t i = 0; i < count; i++) {
        findings[i].source = str_of(by);
        findings[i].fingerprint = finding_fingerprint(&findings[i]);
    }
    out->verdict = VERDICT_FINDINGS;
    out->findings = findings;
    out->finding_count = count;
}

static struct str no_review(bool hosted, struct arena *arena)
{
    struct cycles_page page = { .hosted = hosted };

    return cycles_words(cycles_page_no_review, &page, arena);
}

static bool is_no_review(struct str answer)
{
    return str_trim(answer).size == 0 || str_is(str_trim(answer), "done");
}

void cycles_judge_review(struct str review, const char *by, struct arena *arena,
                         struct result *out)
{
    struct grading grading;
    struct str doc;

    *out = (struct result){ .verdict = VERDICT_INVALID };
    if (is_no_review(review)) {
        out->problem = no_review(false, arena);
        return;
    }
    doc = framed(answer_mended(review, arena), arena);
    grading_read(doc, &grading);
    if (grading.grade == GRADE_PASS && text_complains(doc)) {
        out->problem = str_of(cycles_text_pass_complains);
        return;
    }
    out->doc = doc;
    if (grading.grade == GRADE_PASS) out->verdict = VERDICT_CLEAN;
    else judge_findings(doc, &grading, by, arena, out);
}

/* The implementer's and the fixer's report. */
static void judge_report(struct str answer, struct arena *arena, struct result *out)
{
    if (str_trim(answer).size == 0) {
        out->problem = str_of(cycles_text_answer_empty);
        return;
    }
    answer = framed(answer_mended(answer, arena), arena);
    out->verdict = VERDICT_CLEAN;
    out->stuck = answer_is_stuck(answer);
    out->doc = answer_short(answer, REPORT_BYTES_MAX, arena);
}

static void judge_commit(struct str answer, struct arena *arena, struct result *out)
{
    if (str_is(str_trim(answer), "nothing")) {
        out->verdict = VERDICT_CLEAN;
        out->problem = STR("nothing was changed, so there is no commit");
    } else if (str_starts(answer, STR("commit "))) {
        out->verdict = VERDICT_CLEAN;
    } else {
        out->problem = STR("the commit could not be understood");
        return;
    }
    out->doc = answer_short(answer_mended(str_trim(answer), arena), REPORT_BYTES_MAX, arena);
}

void cycles_judge(const struct run_view *run, const struct action *action, struct str answer,
                  struct arena *arena, struct result *out)
{
    *out = (struct result){ .verdict = VERDICT_INVALID };
    switch (cycles_kind(run->engine->plan, action->role)) {
    case CYCLES_REVIEWER:
        cycles_judge_review(answer, run->engine->plan->roles[action->role].name, arena, out);
        if (view_is_hosted(run) && is_no_review(answer)) out->problem = no_review(true, arena);
        break;
    case CYCLES_IMPLEMENTER:
    case CYCLES_FIXER:
        judge_report(answer, arena, out);
        break;
    case CYCLES_COMMITTER:
        judge_commit(answer, arena, out);
        break;
    case CYCLES_NOBODY:
    case CYCLES_ROLE_COUNT:
        assert(!"no such role answers");
    }
}
