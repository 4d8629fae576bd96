/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_session_contract.c - any bytes as an answer in the session dialect; the first byte chooses
 * plan (p), report (e) or review. What must hold for all of them:
 *
 * 1. A reader says true exactly where it has nothing to say. Problems are lines of valid UTF-8, and
 *    lie inside the text.
 * 2. A valid plan has everything a plan must have, and so have a report and a review. A report is a
 *    no-op or has claims, never both, and no claim leads out of the repository.
 * 3. A valid answer without what stands before its first heading is valid and reads the same.
 * 4. Nothing that is quoted, indented as code or fenced changes an answer that follows it.
 * 5. A second verdict or a critical issue at the end is never approved.
 * 6. A correction can be written of every problem. */
#include "base/buf.h"
#include "dialect/session/answers.h"
#include "format/text/utf8.h"
#include "quoted.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define APPROVED "### VERDICT: APPROVE\n"
#define STRENGTHS "### Strengths\n- It is short.\n"

static void check_report(const struct check_report *report, struct str text, bool valid,
                         enum session_form form)
{
    struct arena arena = { 0 };
    uint32_t lines = 1;

    for (size_t i = 0; i < text.size; i++) lines += text.data[i] == '\n';
    assert(valid == (report->count == 0));
    for (uint32_t i = 0; i < report->count; i++) {
        struct str message = str_of(report->problems[i].message);
        assert(report->problems[i].line <= lines && message.size > 0);
        assert(utf8_prefix(message) == message.size);
    }
    if (!valid) {
        static const char shown[] = "in exactly this form:\n\n```md\n";
        struct str words = session_correction(form, report, &arena);
        assert(memmem(words.data, words.size, shown, sizeof shown - 1));
    }
    arena_release(&arena);
}

static bool read_plan(struct str text, struct arena *arena, struct session_plan_text *plan)
{
    struct check_report report = { 0 };
    bool valid = session_plan_text_read(text, arena, &report, plan);

    check_report(&report, text, valid, SESSION_FORM_PLAN);
    if (valid) assert(plan->title.size > 0 && plan->files.count > 0);
    check_report_release(&report);
    return valid;
}

static void check_plan(struct str text)
{
    struct session_plan_text plan, again;
    struct arena arena = { 0 };

    if (read_plan(text, &arena, &plan)) {
        assert(read_plan(plan.text, &arena, &again));
        assert(str_eq(plan.title, again.title) && plan.files.count == again.files.count);
        assert(str_eq(plan.text, again.text));
    }
    arena_release(&arena);
}

static bool read_exec(struct str text, const char *workspace, struct arena *arena,
                      struct session_exec_text *exec)
{
    struct check_report report = { 0 };
    bool valid = session_exec_text_read(text, workspace, arena, &report, exec);
    uint32_t line = 0;

    check_report(&report, text, valid, SESSION_FORM_EXEC);
    assert(exec->is_noop == (exec->noop_changes && exec->noop_files && exec->noop_notes));
    if (valid) {
        assert(exec->is_noop == (exec->files.count == 0));
        assert(exec->is_noop == (exec->noop_changes || exec->noop_files || exec->noop_notes));
        for (int i = 0; i < EXEC_SECTION_COUNT; i++) {
            assert(exec->lines[i] > line);
            line = exec->lines[i];
        }
        for (uint32_t i = 0; i < exec->files.count; i++) {
            struct str rest = exec->files.items[i].path, step;
            assert(rest.size > 0 && rest.data[0] != '/' && !memchr(rest.data, 0, rest.size));
            while (str_cut(&rest, '/', &step)) assert(step.size && !str_is(step, ".."));
        }
    }
    check_report_release(&report);
    return valid;
}

static void check_exec(struct str text)
{
    struct session_exec_text exec, again;
    struct arena arena = { 0 };

    if (read_exec(text, NULL, &arena, &exec)) {
        assert(read_exec(exec.text, NULL, &arena, &again));
        assert(exec.is_noop == again.is_noop && exec.files.count == again.files.count);
        assert(str_eq(exec.text, again.text));
    }
    read_exec(text, "/some/repo", &arena, &exec);
    arena_release(&arena);
}

static bool read_review(struct str text, bool anchors, struct arena *arena,
                        struct session_review_text *review)
{
    struct check_report report = { 0 };
    struct anchor_rule rule = { .changed = NULL };
    bool valid = session_review_text_read(text, anchors ? &rule : NULL, arena, &report, review);
    uint32_t critical = 0, line = 0;

    check_report(&report, text, valid,
                 anchors ? SESSION_FORM_CODE_REVIEW : SESSION_FORM_PLAN_REVIEW);
    for (uint32_t i = 0; i < review->issue_count; i++) {
        const struct session_issue *issue = &review->issues[i];

        critical += issue->critical;
        assert(issue->description.size > 0 && issue->text.size > 0 && issue->line > line);
        assert(utf8_prefix(issue->description) == issue->description.size);
        assert(issue->anchored || issue->file.size == 0);
        line = issue->line;
    }
    assert(critical == review->critical_count);
    if (valid) {
        assert(review->verdict != SESSION_VERDICT_NONE);
        assert((review->verdict == SESSION_REQUEST_CHANGES) == (critical > 0));
    }
    check_report_release(&report);
    return valid;
}

/* Whether the text, as it was added, is approved. */
static enum session_verdict verdict_of(const struct buf *text, bool *valid)
{
    struct session_review_text review;
    struct arena arena = { 0 };

    assert(!text->overflow);
    *valid = read_review(buf_str(text), false, &arena, &review);
    arena_release(&arena);
    return review.verdict;
}

static void check_quoted(struct str text)
{
    struct buf out;
    bool valid;

    buf_init(&out, 16 * text.size + 4096);
    for (int way = 0; way < 6; way++) {
        buf_clear(&out);
        buf_text(&out, "It says:\n\n");
        if (way % 3 == 0) add_marked(&out, "> ", text);
        if (way % 3 == 1) add_marked(&out, "     ", text);
        if (way % 3 == 2) add_fenced(&out, text);
        buf_byte(&out, '\n');
        buf_text(&out, way < 3 ? APPROVED STRENGTHS : STRENGTHS);
        assert(verdict_of(&out, &valid) == (way < 3 ? SESSION_APPROVE : SESSION_VERDICT_NONE));
        /* An indented label is an issue that stands outside its place. */
        assert(valid == (way < 3) || way % 3 == 1);
    }
    buf_release(&out);
}

static void check_review(struct str text)
{
    static const char *const ends[] = {
        "\n### VERDICT: REQUEST_CHANGES\n", "\n### Issues\n- [CRITICAL] x `a.c`\n",
        "\n\n- [CRITICAL] x `a.c`\n", "\n\nVERDICT: REQUEST_CHANGES\n",
    };
    struct session_review_text review, again;
    struct arena arena = { 0 };
    struct buf out;
    bool valid;

    if (read_review(text, true, &arena, &review)) {
        assert(read_review(text, false, &arena, &again));
    }
    if (read_review(text, false, &arena, &review)) {
        assert(read_review(review.text, false, &arena, &again));
        assert(review.verdict == again.verdict && review.issue_count == again.issue_count);
        assert(str_eq(review.text, again.text));
    }
    buf_init(&out, text.size + 4096);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        enum session_verdict verdict;

        buf_clear(&out);
        buf_add(&out, text);
        buf_text(&out, ends[i]);
        verdict = verdict_of(&out, &valid);
        assert(!valid || verdict != SESSION_APPROVE);
    }
    buf_release(&out);
    arena_release(&arena);
    check_quoted(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = { (const char *)data, size };

    if (size == 0) return 0;
    text = str_skip(text, 1);
    if (data[0] == 'p') check_plan(text);
    else if (data[0] == 'e') check_exec(text);
    else check_review(text);
    return 0;
}
