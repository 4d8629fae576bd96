/* SPDX-License-Identifier: Apache-2.0
 *
 * judge.c - an answer as a verdict, findings, and what is kept of it.
 *
 *     reviewers   issues at or above the phase's threshold are findings, those below are notes
 *     the tests   exit status 0 is clean; any other is one grave finding, with what was said last
 *     workers     any text; it is kept as it is, for the phases behind
 *     fixers      any text, the plan for each issue first; a last line `STUCK: why` asks the user
 *
 * 1. An answer that is no review (issues.c) is invalid, and its agent is told why.
 * 2. The findings are the document's issues, one by one: what is recorded is what counted.
 * 3. Nothing is dropped without a word: beyond the bounds one issue says how many are left out,
 *    and it is as grave as the gravest of them. */
#include "dialect/iterate/iterate.h"

#include "base/mem.h"
#include "dialect/answer.h"
#include "dialect/check.h"
#include "prompts/iterate.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { PROBLEMS_SHOWN = 5, TAIL_BYTES_MAX = 3000 };

/* ---- reviewers ---- */

/* How many of the issues, from the front, are inside the bounds. */
static uint32_t fitting(const struct iterate_issues *issues)
{
    size_t bytes = 0;
    uint32_t count = 0;

    for (; count < issues->count && count < ISSUES_MAX; count++) {
        bytes += issues->items[count].text.size + issues->items[count].file.size;
        if (bytes > ISSUES_BYTES_MAX) break;
    }
    return count;
}

/* In their order, the gravest first. */
static void sort_issues(struct iterate_issues *issues, struct arena *arena)
{
    struct iterate_issues sorted = { 0 };

    for (int severity = SEVERITY_COUNT; severity-- > 0;) {
        for (uint32_t i = 0; i < issues->count; i++) {
            if ((int)issues->items[i].severity != severity) continue;
            *iterate_issue_add(&sorted, arena) = issues->items[i];
        }
    }
    *issues = sorted;
}

/* As they are where all fit; else the gravest, and one that speaks for the rest. */
static void bound_issues(struct iterate_issues *issues, struct arena *arena)
{
    uint32_t shown;

    if (fitting(issues) == issues->count) return;
    assert(issues->items);
    sort_issues(issues, arena);
    shown = fitting(issues) - 1;
    issues->items[shown] = (struct finding){
        .severity = issues->items[shown].severity,
        .text = str_of(arena_printf(arena, "%u more issues were listed and are left out here: mend "
                                    "the others first", (unsigned)(issues->count - shown))),
    };
    issues->count = shown + 1;
}

static void seal_issues(struct iterate_issues *issues, struct str source)
{
    for (uint32_t i = 0; i < issues->count; i++) {
        issues->items[i].source = source;
        issues->items[i].fingerprint = finding_fingerprint(&issues->items[i]);
    }
}

static uint32_t threshold_of(const struct run_view *run, const struct action *action)
{
    static const struct settings none = { 0 };
    struct iterate_config config;
    struct arena arena = { 0 };
    uint32_t threshold;

    iterate_config_read(run->settings ? run->settings : &none, &arena, &config);
    threshold = iterate_threshold(&config, iterate_phase_number(action->phase));
    arena_release(&arena);
    return threshold;
}

static struct iterate_groups groups_of(const struct run_view *run, const struct action *action,
                                       const struct iterate_issues *issues)
{
    struct iterate_groups groups = { .count = issues->count > 0 };
    bool divides = run->engine->plan->phases[action->phase].gate.repair.by_groups;
    uint32_t *group_of;

    for (uint32_t i = 0; i < issues->count; i++) {
        if (issues->items[i].fix.size) divides = false; /* one fixer makes all of such edits */
    }
    if (issues->count == 0 || !divides) return groups;
    group_of = mem_alloc(issues->count * sizeof *group_of);
    groups = iterate_groups(issues->items, issues->count, group_of);
    free(group_of);
    return groups;
}

/* A review's result: the threshold, groups, bounds and the document. Takes issues over. */
static void review_result(const struct run_view *run, const struct action *action,
                          struct iterate_issues *issues, struct arena *arena, struct result *out)
{
    struct str source = str_of(run->engine->plan->roles[action->role].name);
    uint32_t threshold = threshold_of(run, action);
    struct iterate_review review = { .amendments = { "", 0 } };
    struct iterate_groups groups;

    for (uint32_t i = 0; i < issues->count; i++) {
        const struct finding *issue = &issues->items[i];
        bool counts = (uint32_t)issue->severity >= threshold;
        *iterate_issue_add(counts ? &review.issues : &review.notes, arena) = *issue;
    }
    bound_issues(&review.issues, arena);
    bound_issues(&review.notes, arena);
    seal_issues(&review.issues, source);
    seal_issues(&review.notes, source);
    if (action->role == ITERATE_PLAN_REVIEWER) {
        review.amendments = iterate_amendments(run->engine, true, arena);
    }
    groups = groups_of(run, action, &review.issues);
    *out = (struct result){
        .verdict = review.issues.count ? VERDICT_FINDINGS : VERDICT_CLEAN,
        .findings = review.issues.items,
        .finding_count = review.issues.count,
        .notes = review.notes.items,
        .note_count = review.notes.count,
        .fix_groups = groups.count,
        .fix_alone = groups.alone,
        .doc = iterate_review_write(&review, arena),
    };
}

static struct str no_review(const struct check_report *report, struct arena *arena)
{
    struct iterate_page page = { .fence = NULL };

    page.wrong = slot_words(check_report_list(report, PROBLEMS_SHOWN, arena));
    return iterate_words(iterate_page_no_review, &page, arena);
}

static void judge_review(const struct run_view *run, const struct action *action,
                         struct str answer, struct arena *arena, struct result *out)
{
    struct check_report report = { 0 };
    struct iterate_issues issues;

    if (iterate_issues_read(answer, run->fence, arena, &report, &issues)) {
        review_result(run, action, &issues, arena, out);
    } else {
        out->problem = no_review(&report, arena);
    }
    check_report_release(&report);
}

void iterate_found(const struct run_view *run, const struct action *action,
                   const struct found *found, struct arena *arena, struct result *out)
{
    struct iterate_issues issues = { 0 };

    for (int severity = SEVERITY_COUNT; severity-- > 0;) {
        for (uint32_t i = 0; i < found->count; i++) {
            struct finding issue = found->findings[i];
            if ((int)issue.severity != severity) continue;
            issue.text = iterate_text(issue.text, ISSUE_BYTES_MAX, arena);
            issue.file = iterate_text(issue.file, PLACE_BYTES_MAX, arena);
            *iterate_issue_add(&issues, arena) = finding_copy(&issue, arena);
        }
    }
    review_result(run, action, &issues, arena, out);
}

/* ---- the tests ---- */

/* The last lines of text, at most so many bytes. */
static struct str tail_of(struct str text, size_t bytes_max)
{
    struct str first;

    text = str_trim(text);
    if (text.size <= bytes_max) return text;
    text = str_skip(text, text.size - bytes_max);
    if (memchr(text.data, '\n', text.size)) str_cut(&text, '\n', &first);
    return text;
}

static void judge_test(const struct run_view *run, struct str answer, struct arena *arena,
                       struct result *out)
{
    struct str rest = answer, line = { "", 0 }, word = STR("exit "), tail;
    struct iterate_tested tested = { 0 };
    struct finding *finding;

    str_cut(&rest, '\n', &line);
    if (!str_starts(line, word) || !str_number(str_skip(line, word.size), &tested.status)) {
        out->problem = STR("The tests were run and their exit status is not known.");
        return;
    }
    tested.output = iterate_text(tail_of(rest, OUTPUT_BYTES_MAX), 4 * OUTPUT_BYTES_MAX, arena);
    out->doc = iterate_tested_write(&tested, arena);
    out->verdict = tested.status == 0 ? VERDICT_CLEAN : VERDICT_FINDINGS;
    if (tested.status == 0) {
        if (!run->test || !*run->test) out->problem = str_trim(tested.output); /* there were none */
        return;
    }
    tail = iterate_text(tail_of(rest, TAIL_BYTES_MAX), 4 * TAIL_BYTES_MAX, arena);
    finding = arena_alloc(arena, sizeof *finding);
    *finding = (struct finding){
        .severity = SEVERITY_HIGH,
        .source = str_of(iterate_role_name(ITERATE_TEST)),
        .kind = STR("test"),
        .text = str_of(arena_printf(arena, "The tests failed with exit status %llu%s%.*s",
                                    (unsigned long long)tested.status,
                                    tail.size ? "; the last they said:\n" : "", STR_ARG(tail))),
        .suggestion = str_of(run->test && *run->test ? arena_printf(arena, "Make `%s` pass",
                                                                    run->test) : ""),
    };
    finding->fingerprint = finding_fingerprint(finding);
    out->findings = finding;
    out->finding_count = out->fix_groups = 1;
}

/* ---- workers and fixers ---- */

static void judge_text(const struct action *action, struct str answer, struct arena *arena,
                       struct result *out)
{
    struct str text = str_trim(answer);
    struct iterate_page page = { 0 };

    if (text.size == 0) {
        page.repairs = action->role == ITERATE_FIXER;
        out->problem = iterate_words(iterate_page_answer_empty, &page, arena);
        return;
    }
    out->verdict = VERDICT_CLEAN;
    out->stuck = action->role == ITERATE_FIXER && answer_is_stuck(text);
    out->doc = iterate_text(text, WORK_BYTES_MAX, arena);
}

void iterate_judge(const struct run_view *run, const struct action *action, struct str answer,
                   struct arena *arena, struct result *out)
{
    *out = (struct result){ .verdict = VERDICT_INVALID };
    switch (iterate_kind(run->engine->plan, action->role)) {
    case ITERATE_PLAN_REVIEWER:
    case ITERATE_CODE_REVIEWER:
    case ITERATE_FINAL_REVIEWER:
    case ITERATE_CODEX_FINAL:
        judge_review(run, action, answer, arena, out);
        return;
    case ITERATE_TEST:
        judge_test(run, answer, arena, out);
        return;
    case ITERATE_BRAINSTORMER:
    case ITERATE_PLANNER:
    case ITERATE_IMPLEMENTER:
    case ITERATE_SIMPLIFIER:
    case ITERATE_FIXER:
        judge_text(action, answer, arena, out);
        return;
    case ITERATE_NOBODY:
    case ITERATE_ROLE_COUNT:
        return;
    }
}
