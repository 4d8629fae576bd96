/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_r1.c - any bytes as a reviewer's answer. What must hold for all of them:
 *
 * 1. The verdict is clean, findings or invalid; never failed, which is not the judge's to say.
 * 2. Invalid says why and has neither findings nor a document.
 * 3. Clean has no finding, and its document passes the check. So does the document of every answer
 *    that passes it; but for the witness, whose status only its judge can know.
 * 4. Findings are at least one, each with a text inside its bound and valid UTF-8 in every field.
 * 5. A document is judged like the answer it was made from.
 * 6. A prompt that quotes the findings is valid UTF-8 without control characters, and the fence
 *    closes each quote once. */
#include "check_laws.h"
#include "dialect/dialects.h"
#include "dialect/quote.h"
#include "dialect/review/review.h"
#include "format/text/utf8.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct result judge(struct arena *arena, uint16_t role, struct str answer)
{
    struct action action = { .kind = ACT_START, .role = role, .purpose = FOR_REVIEW };
    struct plan plan;
    struct engine engine = { .plan = &plan };
    struct run_view run = { .engine = &engine };
    struct result result;
    struct err err;
    int rc = dialect_review.plan(&(struct settings){ 0 }, arena, &plan, &err);

    assert(rc == 0);
    (void)rc;
    dialect_review.judge(&run, &action, answer, arena, &result);
    return result;
}

static void check_text(struct str text, size_t bytes_max)
{
    assert(text.size <= bytes_max);
    assert(utf8_prefix(text) == text.size);
}

static void check_list(const struct result *result)
{
    static const char fence[] = "0f1e2d";
    struct job job = { .state = JOB_DONE, .result = *result };
    struct batch batch = { .jobs = &job, .count = 1, .round = 1 };
    struct buf out;
    uint32_t fences = 0;

    buf_init(&out, 1 << 20);
    review_list_full(&out, fence, &batch);
    review_list_short(&out, fence, &batch);
    assert(!out.overflow);
    check_text(buf_str(&out), 1 << 20);
    for (size_t i = 0; i < out.size; i++) {
        unsigned char byte = (unsigned char)out.data[i];
        assert(byte >= ' ' || byte == '\n' || byte == '\t');
        fences += strncmp(out.data + i, fence, sizeof fence - 1) == 0;
    }
    assert(fences == 4);
    buf_release(&out);
}

static void check_findings(const struct result *result)
{
    assert(result->finding_count >= 1 && result->finding_count <= 2000);
    for (uint32_t i = 0; i < result->finding_count; i++) {
        const struct finding *finding = &result->findings[i];
        assert(finding->severity < SEVERITY_COUNT);
        assert(finding->text.size > 0 && finding->source.size > 0);
        assert(finding->fingerprint == finding_fingerprint(finding));
        check_text(finding->text, 4096);
        check_text(finding->evidence, 8192);
        check_text(finding->suggestion, 8192);
        check_text(finding->file, 1024);
        check_text(finding->kind, 1024);
    }
    check_list(result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str answer = { (const char *)data, size };
    uint16_t role = (uint16_t)(REVIEW_FIRST + size % REVIEWER_COUNT);
    struct arena arena = { 0 };
    struct result result = judge(&arena, role, answer);
    bool valid = check_laws("r1", answer);

    if (result.verdict == VERDICT_INVALID) {
        assert(result.problem.size > 0 && result.finding_count == 0 && result.doc.size == 0);
        assert(!valid);
    } else {
        struct result again = judge(&arena, role, result.doc);
        assert(again.verdict == result.verdict);
        assert(str_ends(result.doc, STR("}\n")));
        assert(!valid || role == REVIEW_WITNESS || check_laws("r1", result.doc));
        if (result.verdict == VERDICT_CLEAN) {
            assert(result.finding_count == 0 && check_laws("r1", result.doc));
        } else {
            assert(result.verdict == VERDICT_FINDINGS);
            check_findings(&result);
        }
    }
    arena_release(&arena);
    return 0;
}
