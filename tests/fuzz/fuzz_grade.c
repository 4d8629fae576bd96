/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_grade.c - any bytes as a review of the cycles dialect. What must hold for all of them:
 *
 * 1. The verdict is clean only for PASS, invalid only where there is no review or a PASS beside a
 *    line that complains, else findings: at least one, each with a text inside its bound.
 * 2. The document is judged like the answer it was made from, and stays as it is.
 * 3. The whole text in quotes, or indented as code, or between fences that it cannot close, is no
 *    PASS: nothing that is quoted gives a grade. Put in front of a reviewer's own grade like that,
 *    it changes nothing.
 * 4. A FAIL in the last line is a FAIL, after any text.
 * 5. As a spec it has a title in one line and phases inside their bound. */
#include "dialect/cycles/cycles.h"
#include "format/text/utf8.h"
#include "quoted.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum grade grade_of(const struct buf *text)
{
    struct grading grading;

    assert(!text->overflow);
    grading_read(buf_str(text), &grading);
    assert(grading.found || grading.grade == GRADE_FAIL);
    return grading.grade;
}

static void check_quoted(struct str text)
{
    enum { WAYS = 3 };
    struct buf review;

    buf_init(&review, 8 << 20);
    for (int way = 0; way < WAYS; way++) {
        buf_clear(&review);
        if (way == 0) add_marked(&review, "> ", text);
        if (way == 1) add_marked(&review, "    ", text);
        if (way == 2) add_fenced(&review, text);
        assert(grade_of(&review) == GRADE_FAIL);
        buf_text(&review, "\n## Grade: PASS\n");
        assert(grade_of(&review) == GRADE_PASS);
    }
    buf_release(&review);
}

static void check_before(struct str text)
{
    struct buf review;

    buf_init(&review, 8 << 20);
    buf_add(&review, text);
    buf_text(&review, "\n\n## Grade: FAIL\n");
    assert(grade_of(&review) == GRADE_FAIL);
    buf_release(&review);
}

static void check_judged(struct str text)
{
    struct arena arena = { 0 };
    struct result result, again;
    struct grading grading;

    cycles_judge_review(text, "spec-reviewer", &arena, &result);
    if (result.verdict == VERDICT_INVALID) {
        struct str word = str_trim(text);
        grading_read(text, &grading);
        assert(word.size == 0 || str_is(word, "done") || grading.grade == GRADE_PASS);
        assert(result.problem.size > 0 && result.doc.size == 0 && result.finding_count == 0);
        arena_release(&arena);
        return;
    }
    assert(str_ends(result.doc, STR("\n")) && utf8_prefix(result.doc) == result.doc.size);
    grading_read(result.doc, &grading);
    assert((result.verdict == VERDICT_CLEAN) == (grading.grade == GRADE_PASS));
    assert((result.finding_count > 0) == (result.verdict == VERDICT_FINDINGS));
    for (uint32_t i = 0; i < result.finding_count; i++) {
        const struct finding *finding = &result.findings[i];
        assert(finding->text.size > 0 && finding->text.size <= 4096 + 3);
        assert(utf8_prefix(finding->text) == finding->text.size);
        assert(finding->file.size <= 1024);
        assert((finding->line > 0) == (finding->file.size > 0));
        assert(finding->fingerprint == finding_fingerprint(finding));
    }
    cycles_judge_review(result.doc, "spec-reviewer", &arena, &again);
    assert(again.verdict == result.verdict && str_eq(again.doc, result.doc));
    assert(again.finding_count == result.finding_count);
    arena_release(&arena);
}

static void check_spec(struct str text)
{
    struct spec spec = { .path = "1.md", .text = text };
    struct arena arena = { 0 };
    const char *title = spec_title(&spec, "", &arena);
    struct buf rows;

    assert(*title && strlen(title) < 100);
    for (const char *at = title; *at; at++) assert((unsigned char)*at >= ' ');
    buf_init(&rows, 8 << 20);
    assert(spec_phase_count(&spec, CYCLES_PHASES_MAX, NULL) <= CYCLES_PHASES_MAX);
    (void)spec_criteria(&spec, 1, &rows);
    buf_release(&rows);
    arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = { (const char *)data, size };

    if (size > 1 << 20) return 0;
    check_judged(text);
    check_quoted(text);
    check_before(text);
    check_spec(text);
    return 0;
}
