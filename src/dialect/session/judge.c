/* SPDX-License-Identifier: Apache-2.0
 *
 * judge.c - an answer as a verdict, findings and what is kept of it.
 *
 *     plan      in the exact form: clean
 *     report    in the exact form, and true: what it claims lies in the round's delta; a no-op says
 *               so in all three places and is one
 *     review    APPROVE: clean, with its MINOR issues beside it; REQUEST_CHANGES: findings. One
 *               that is not in its form is kept as it was written: what it found is not lost
 *     findings  of the scan and of analyzers: a review that says the same
 *
 * 1. The delta is by content, from the tree before the round's executor began: a file that was
 *    dirty before and was not touched is not in it.
 * 2. A change that was not claimed is no lie: it is kept, and shown to the reviewer as undeclared.
 * 3. Without a look at the tree no report is taken.
 *
 * Not here: the forms (answers.h). */
#include "dialect/session/session.h"

#include "dialect/answer.h"
#include "dialect/session/answers.h"
#include "prompts/session.h"

#include <assert.h>

enum {
    ANSWER_BYTES_MAX = 1 << 20, /* that is kept of a text */
    ISSUES_MAX = 500,
    ISSUE_BYTES_MAX = 4096,
    NAMED_MAX = 30, /* files in a correction */
};

static void keep_tree(const struct tree_view *tree, struct session_doc *doc)
{
    if (!tree) return;
    doc->has_tree = true;
    doc->head = str_of(tree->head);
    doc->dirty = tree->dirty;
    doc->dirty_count = tree->dirty_count;
}

static const struct session_claim *claims_of(const struct named_files *files, struct arena *arena)
{
    struct session_claim *claims = arena_alloc(arena, files->count * sizeof *claims + 1);

    for (uint32_t i = 0; i < files->count; i++) {
        claims[i] = (struct session_claim){ files->items[i].path, files->items[i].what };
    }
    return claims;
}

/* ---- the executor ---- */

static void judge_plan(struct str answer, struct arena *arena, struct result *out)
{
    struct check_report report = { 0 };
    struct session_plan_text plan;

    if (session_plan_text_read(answer, arena, &report, &plan)) {
        out->verdict = VERDICT_CLEAN;
        out->doc = session_doc_write(&(struct session_doc){
            .title = plan.title,
            .answer = answer_short(plan.text, ANSWER_BYTES_MAX, arena),
            .claims = claims_of(&plan.files, arena),
            .claim_count = plan.files.count }, arena);
    } else {
        out->problem = session_correction(SESSION_FORM_PLAN, &report, arena);
    }
    check_report_release(&report);
}

static bool in_delta(const struct tree_view *tree, struct str path)
{
    for (uint32_t i = 0; i < tree->delta_count; i++) {
        if (str_eq(tree->delta[i].path, path)) return true;
    }
    return false;
}

/* What the report says against what the tree shows. */
static void check_claims(const struct tree_view *tree, const struct session_exec_text *exec,
                         struct check_report *report)
{
    uint32_t named = 0;

    for (uint32_t i = 0; i < exec->files.count && named < NAMED_MAX; i++) {
        const struct named_file *file = &exec->files.items[i];

        if (in_delta(tree, file->path)) continue;
        check_report_add(report, "claim-outside-delta", file->line,
                         "`%.*s` is claimed, and nothing about it changed in this round: make the "
                         "change in this workspace, or do not claim it", STR_ARG(file->path));
        named++;
    }
    for (uint32_t i = 0; exec->is_noop && i < tree->delta_count && named < NAMED_MAX; i++) {
        check_report_add(report, "noop-with-delta", exec->lines[EXEC_FILES],
                         "this is no no-op round: `%.*s` was %s in it",
                         STR_ARG(tree->delta[i].path), tree->delta[i].change);
        named++;
    }
}

static void keep_report(const struct run_view *run, const struct session_exec_text *exec,
                        struct arena *arena, struct result *out)
{
    struct session_doc doc = {
        .title = exec->title,
        .answer = answer_short(exec->text, ANSWER_BYTES_MAX, arena),
        .noop = exec->is_noop,
        .claims = claims_of(&exec->files, arena),
        .claim_count = exec->files.count,
        .delta = run->tree->delta,
        .delta_count = run->tree->delta_count,
    };

    keep_tree(run->tree, &doc);
    out->verdict = VERDICT_CLEAN;
    out->doc = session_doc_write(&doc, arena);
}

static void judge_report(const struct run_view *run, struct str answer, struct arena *arena,
                         struct result *out)
{
    struct check_report report = { 0 };
    struct session_exec_text exec;

    if (!run->tree) {
        out->problem = str_of(session_text_no_tree);
        out->miss = MISS_TREE;
        return;
    }
    if (session_exec_text_read(answer, run->workspace, arena, &report, &exec)) {
        check_claims(run->tree, &exec, &report);
    }
    if (report.count == 0) {
        keep_report(run, &exec, arena, out);
    } else {
        out->problem = session_correction(SESSION_FORM_EXEC, &report, arena);
    }
    check_report_release(&report);
}

/* ---- reviewers ---- */

static void keep_review(const struct run_view *run, struct str text, struct arena *arena,
                        struct result *out)
{
    struct session_doc doc = {
        .answer = answer_short(text, ANSWER_BYTES_MAX, arena),
        .approved = out->verdict == VERDICT_CLEAN,
        .issues = out->findings,
        .issue_count = out->finding_count,
    };

    keep_tree(run->tree, &doc);
    out->doc = session_doc_write(&doc, arena);
}

/* In place of those that are left out. */
static struct finding finding_of_rest(uint32_t left, struct str source, struct arena *arena)
{
    struct finding finding = { .severity = SEVERITY_HIGH, .source = source };

    finding.text = str_of(arena_printf(arena, "%u more issues are left out here", (unsigned)left));
    finding.fingerprint = finding_fingerprint(&finding);
    return finding;
}

void session_review_findings(const struct session_review_text *review, const char *role,
                             struct arena *arena, struct result *out)
{
    uint32_t count = review->issue_count < ISSUES_MAX ? review->issue_count : ISSUES_MAX;
    struct finding *findings = arena_alloc(arena, count * sizeof *findings + 1);

    for (uint32_t i = 0; i < count; i++) {
        const struct session_issue *issue = &review->issues[i];

        findings[i] = finding_copy(&(struct finding){
            .severity = issue->critical ? SEVERITY_HIGH : SEVERITY_LOW,
            .source = str_of(role),
            .file = issue->file,
            .line = issue->file_line,
            .text = answer_short(issue->description, ISSUE_BYTES_MAX, arena),
        }, arena);
        findings[i].fingerprint = finding_fingerprint(&findings[i]);
    }
    if (count < review->issue_count) {
        findings[count - 1] = finding_of_rest(review->issue_count - count + 1, str_of(role),
                                              arena);
    }
    out->findings = findings;
    out->finding_count = count;
}

/* The paths that differ from the last commit, and those of the round. */
static struct anchor_rule anchors_of(const struct tree_view *tree, struct arena *arena)
{
    struct anchor_rule rule = { .changed = NULL };
    struct str *paths;

    if (!tree) return rule;
    paths = arena_alloc(arena, (tree->dirty_count + tree->delta_count) * sizeof *paths + 1);
    rule.changed = paths;
    for (uint32_t i = 0; i < tree->dirty_count; i++) {
        paths[rule.changed_count++] = tree->dirty[i].path;
    }
    for (uint32_t i = 0; i < tree->delta_count; i++) {
        paths[rule.changed_count++] = tree->delta[i].path;
    }
    return rule;
}

static void judge_review(const struct run_view *run, const struct action *action,
                         struct str answer, struct arena *arena, struct result *out)
{
    bool planning = session_phase_is(run->engine->plan, action->phase, "planning");
    enum session_form form = planning ? SESSION_FORM_PLAN_REVIEW : SESSION_FORM_CODE_REVIEW;
    struct anchor_rule anchors = anchors_of(run->tree, arena);
    struct check_report report = { 0 };
    struct session_review_text review;

    if (session_review_text_read(answer, planning ? NULL : &anchors, arena, &report, &review)) {
        out->verdict = review.verdict == SESSION_APPROVE ? VERDICT_CLEAN : VERDICT_FINDINGS;
        session_review_findings(&review, session_role_name(action->role), arena, out);
        keep_review(run, review.text, arena, out);
    } else {
        out->problem = session_correction(form, &report, arena);
        out->doc = session_doc_write(&(struct session_doc){
            .answer = answer_short(answer_mended(str_trim(answer), arena), ANSWER_BYTES_MAX,
                                   arena) }, arena);
    }
    check_report_release(&report);
}

/* What hone said itself in a reviewer's place. */
static void judge_skip(const struct run_view *run, struct str answer, struct arena *arena,
                       struct result *out)
{
    out->verdict = VERDICT_CLEAN;
    keep_review(run, answer_mended(str_trim(answer), arena), arena, out);
}

void session_judge(const struct run_view *run, const struct action *action, struct str answer,
                   struct arena *arena, struct result *out)
{
    bool empty = str_trim(answer).size == 0;
    struct session_page page = { 0 };

    *out = (struct result){ .verdict = VERDICT_INVALID };
    if (run->backend && *run->backend) {
        out->permanent = session_asked_once(run->backend, session_role_name(action->role));
    }
    if (empty) {
        page.hosted = view_is_hosted(run);
        out->problem = session_words(session_page_no_answer, &page, arena);
        out->miss = MISS_EMPTY;
        return;
    }
    switch ((enum session_role)action->role) {
    case SESSION_PLANNER:
        judge_plan(answer, arena, out);
        break;
    case SESSION_EXECUTOR:
        judge_report(run, answer, arena, out);
        break;
    case SESSION_REVIEWER:
    case SESSION_POLISHER:
    case SESSION_DOCUMENTER:
    case SESSION_GUARD:
        judge_review(run, action, answer, arena, out);
        break;
    case SESSION_SCAN:
        out->problem = STR("the scan for secrets could not be understood");
        break;
    case SESSION_SKIP:
        judge_skip(run, answer, arena, out);
        break;
    case SESSION_DELIVER:
        out->verdict = VERDICT_CLEAN;
        break;
    case SESSION_NOBODY:
    case SESSION_ROLE_COUNT:
        assert(!"no such role answers");
    }
    if (out->verdict != VERDICT_INVALID) out->permanent = false;
}

/* ---- findings that come without a form ---- */

/* The gravest first, in their own order. A scan's and an analyzer's graver findings block; what
 * is small does not. */
void session_found(const struct run_view *run, const struct action *action,
                   const struct found *found, struct arena *arena, struct result *out)
{
    uint32_t room = found->count < ISSUES_MAX ? found->count : ISSUES_MAX, count = 0;
    struct finding *findings = arena_alloc(arena, room * sizeof *findings + 1);
    bool blocked = false;
    struct buf notes;

    for (int severity = SEVERITY_COUNT; severity-- > 0;) {
        for (uint32_t i = 0; i < found->count && count < room; i++) {
            if ((int)found->findings[i].severity != severity) continue;
            findings[count] = finding_copy(&found->findings[i], arena);
            findings[count].source = str_of(session_role_name(action->role));
            if (severity == SEVERITY_MEDIUM) findings[count].severity = SEVERITY_HIGH;
            findings[count].fingerprint = finding_fingerprint(&findings[count]);
            blocked = blocked || severity >= SEVERITY_MEDIUM;
            count++;
        }
    }
    if (count < found->count) {
        findings[count - 1] = finding_of_rest(found->count - count + 1,
                                              str_of(session_role_name(action->role)), arena);
    }
    buf_init(&notes, ANSWER_BYTES_MAX);
    for (uint32_t i = 0; i < found->note_count; i++) {
        buf_add(&notes, found->notes[i]);
        buf_byte(&notes, '\n');
    }
    *out = (struct result){ .verdict = blocked ? VERDICT_FINDINGS : VERDICT_CLEAN,
                            .findings = findings, .finding_count = count };
    keep_review(run, answer_mended(str_trim(buf_str(&notes)), arena), arena, out);
    buf_release(&notes);
}

/* ---- the beginning ---- */

int session_start(const struct run_view *run, struct arena *arena, struct result *out,
                  struct err *err)
{
    struct session_doc doc = { .restored = false };

    (void)err;
    if (session_opening_of(run->settings) == OPEN_CONTINUED) {
        if (!session_lacks_baseline(run)) return 0;
        session_doc_read(out->doc, arena, &doc);
    }
    keep_tree(run->tree, &doc);
    *out = (struct result){ .doc = session_doc_write(&doc, arena) };
    return 0;
}
