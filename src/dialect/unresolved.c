/* SPDX-License-Identifier: Apache-2.0
 *
 * unresolved.c - nothing is done on a report's word, and the agents that follow a repair are told.
 *
 * A reviewer is told what the repair since the last review left unresolved; a fixer, what of that
 * was reported again. Both are the findings of the lane's last review that its last repair is in
 * doubt about (core/event.h): a finding that a later review has no more is no longer listed.
 *
 * 1. Where several fixers shared the repair, one that left no doubt about a finding resolved it.
 * 2. What two reviewers report alike is listed once.
 * 3. Of a repair that was taken back nothing is resolved, and what it broke is told below the list.
 * 4. A list that is too long ends with how many are left out. */
#include "dialect/unresolved.h"

#include "dialect/quote.h"

enum { LINE_BYTES_MAX = 512, LISTED_BYTES_MAX = UNRESOLVED_BYTES_MAX / 2 };

static const char *const reasons[DOUBT_COUNT] = {
    [DOUBT_NONE] = "", [DOUBT_UNNAMED] = "the report does not name it",
    [DOUBT_UNTOUCHED] = "nothing changed near it",
    [DOUBT_DECLINED] = "nothing changed near it; the report says why",
};

/* A line of this finding may have drifted since: its fingerprint says which it is. */
static enum doubt doubt_of(const struct result *repair, const struct finding *finding)
{
    for (uint32_t i = 0; i < repair->doubt_count; i++) {
        if (repair->doubts[i].fingerprint == finding->fingerprint) return repair->doubts[i].why;
    }
    return DOUBT_NONE;
}

static bool is_taken_back(const struct batch *repair)
{
    return repair->count > 0 && repair->jobs[0].result.taken_back;
}

static enum doubt doubt_left(const struct batch *repair, const struct finding *finding)
{
    enum doubt worst = DOUBT_NONE;

    if (is_taken_back(repair)) return DOUBT_UNTOUCHED;
    for (uint32_t i = 0; i < repair->count; i++) {
        const struct job *job = &repair->jobs[i];
        enum doubt doubt = doubt_of(&job->result, finding);

        if (job->state != JOB_DONE) continue;
        if (doubt == DOUBT_NONE) return DOUBT_NONE;
        if (doubt > worst) worst = doubt;
    }
    return worst;
}

/* Whether the same stands in the review before this place. */
static bool is_repeated(const struct batch *review, uint32_t job, uint32_t at)
{
    const struct finding *finding = &review->jobs[job].result.findings[at];

    for (uint32_t i = 0; i <= job; i++) {
        const struct result *result = &review->jobs[i].result;
        uint32_t end = i == job ? at : result->finding_count;

        for (uint32_t k = 0; k < end; k++) {
            if (result->findings[k].fingerprint == finding->fingerprint &&
                result->findings[k].line == finding->line) {
                return true;
            }
        }
    }
    return false;
}

static void write_finding(struct buf *out, const char *fence, const struct finding *finding,
                          const char *reason)
{
    buf_text(out, "- ");
    quote_line(out, fence, finding->file.size ? finding->file : STR("(no file)"), LINE_BYTES_MAX);
    if (finding->line) buf_printf(out, ":%u", (unsigned)finding->line);
    buf_text(out, " -- ");
    quote_line(out, fence, finding->text, LINE_BYTES_MAX);
    buf_printf(out, ": %s\n", reason);
}

/* What was tried and made things worse, a line each. */
static void write_tried(struct buf *out, const char *fence, struct str tried)
{
    struct str line;

    buf_text(out, "\nThis was tried, made things worse, and was taken back; the tree is as before "
                  "it. Repair it in another way:\n");
    quote_open(out, fence);
    while (str_cut(&tried, '\n', &line)) {
        buf_text(out, "- ");
        quote_line(out, fence, line, LINE_BYTES_MAX);
        buf_text(out, "\n");
    }
    quote_close(out, fence);
}

void list_unresolved(struct buf *out, const char *fence, const struct lane *lane)
{
    bool back = is_taken_back(&lane->repair);
    size_t begin = out->size;
    uint32_t left_out = 0;

    for (uint32_t i = 0; i < lane->review.count; i++) {
        const struct result *result = &lane->review.jobs[i].result;

        for (uint32_t k = 0; k < result->finding_count; k++) {
            enum doubt doubt = doubt_left(&lane->repair, &result->findings[k]);

            if (doubt == DOUBT_NONE) continue;
            if (out->size - begin > LISTED_BYTES_MAX) {
                left_out++;
            } else if (!is_repeated(&lane->review, i, k)) {
                if (out->size == begin) quote_open(out, fence);
                write_finding(out, fence, &result->findings[k],
                              back ? "its repair was taken back" : reasons[doubt]);
            }
        }
    }
    if (out->size == begin) return;
    quote_close(out, fence);
    if (left_out) buf_printf(out, "%u more are left out here.\n", (unsigned)left_out);
    if (back) write_tried(out, fence, lane->repair.jobs[0].result.problem);
}
