/* SPDX-License-Identifier: Apache-2.0
 *
 * keep.c - what agents said, kept for later phases: a plan for its implementer, a review for the
 * history.
 *
 * The batches of a lane are the newest of each kind; the next phase replaces them. What a dialect
 * may still want then is the document of each phase, as it was judged last:
 *
 *   work, repair   the newest of the phase, in any iteration
 *   review         the newest of the phase in each iteration: of each of its reviewers
 *
 * 1. Of work and repairs only what one agent said by itself is kept: alone, or as the one that
 *    joined copies.
 * 2. Documents of one review stand side by side, in the order of its reviewers, marked as shared;
 *    the next review of the phase takes the place of all of them.
 * 3. So what is kept grows with phases, reviewers and iterations, all bounded by the plan, not with
 *    rounds. How large a document may be is up to the dialect.
 * 4. Each lane keeps its own: to find one costs the same however many lanes there are. */
#include "core/step.h"

#include "base/mem.h"

#include <stdlib.h>

static bool is_same(const struct kept_doc *doc, const struct kept_doc *key)
{
    if (doc->phase != key->phase || doc->purpose != key->purpose) return false;
    return key->purpose != FOR_REVIEW || doc->iteration == key->iteration;
}

static struct kept_doc *doc_find(const struct lane *lane, const struct kept_doc *key, uint32_t nth)
{
    for (uint32_t i = 0; i < lane->doc_count; i++) {
        if (is_same(&lane->docs[i], key) && nth-- == 0) return &lane->docs[i];
    }
    return NULL;
}

static enum purpose doc_purpose(enum purpose purpose)
{
    return purpose == FOR_JOIN ? FOR_WORK : purpose;
}

static void docs_forget(struct lane *lane, const struct kept_doc *key)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < lane->doc_count; i++) {
        if (is_same(&lane->docs[i], key)) free(lane->docs[i].text);
        else lane->docs[kept++] = lane->docs[i];
    }
    lane->doc_count = kept;
}

void doc_keep(struct lane *lane, const struct batch *batch)
{
    struct kept_doc key = { .phase = batch->phase, .iteration = batch->iteration,
                            .shared = batch->count > 1 };

    if (batch->count == 0) return;
    key.purpose = doc_purpose(batch->jobs[0].purpose);
    if (key.shared && key.purpose != FOR_REVIEW) return;
    docs_forget(lane, &key);
    for (uint32_t i = 0; i < batch->count; i++) {
        struct str text = batch->jobs[i].result.doc;

        if (text.size == 0) continue;
        key.role = batch->jobs[i].role;
        key.text = mem_copy(text.data, text.size);
        key.bytes = text.size;
        lane->docs = mem_grow(lane->docs, lane->doc_count, &lane->doc_cap, sizeof *lane->docs);
        lane->docs[lane->doc_count++] = key;
    }
}

const struct kept_doc *engine_review_doc(const struct engine *engine, uint32_t iteration,
                                         uint32_t phase, uint32_t nth)
{
    const struct kept_doc key = { .iteration = iteration, .phase = phase, .purpose = FOR_REVIEW };

    return engine->lane_count > 0 ? doc_find(&engine->lanes[0], &key, nth) : NULL;
}

struct str engine_doc(const struct engine *engine, uint32_t lane, uint32_t iteration,
                      uint32_t phase, enum purpose purpose)
{
    struct kept_doc key = { .iteration = iteration, .phase = phase,
                            .purpose = doc_purpose(purpose) };
    const struct kept_doc *doc = NULL;

    if (lane < engine->lane_count) doc = doc_find(&engine->lanes[lane], &key, 0);
    return doc && !doc->shared ? (struct str){ doc->text, doc->bytes } : (struct str){ "", 0 };
}

void docs_release(struct lane *lane)
{
    for (uint32_t i = 0; i < lane->doc_count; i++) free(lane->docs[i].text);
    free(lane->docs);
}
