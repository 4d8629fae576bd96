/* SPDX-License-Identifier: Apache-2.0
 *
 * keep.c - what agents said, kept for later phases: a plan for its implementer, a review for the
 * history.
 *
 * The batches of a lane are the newest of each kind; the next phase replaces them. What a dialect
 * may still want then is the document of each phase, as it was judged last:
 *
 *   work, repair   the newest of the phase, in any iteration
 *   review         the newest of the phase in each iteration
 *
 * 1. Only what one agent said by itself is kept: alone, or as the one that joined copies. Five
 *    reviewers have five files.
 * 2. So what is kept grows with phases and iterations, both bounded by the plan, not with rounds.
 *    How large a document may be is up to the dialect.
 * 3. Each lane keeps its own: to find one costs the same however many lanes there are. */
#include "core/step.h"

#include "base/mem.h"

#include <stdlib.h>

static struct kept_doc *doc_find(const struct lane *lane, const struct kept_doc *key)
{
    for (uint32_t i = 0; i < lane->doc_count; i++) {
        struct kept_doc *doc = &lane->docs[i];

        if (doc->phase != key->phase || doc->purpose != key->purpose) continue;
        if (key->purpose == FOR_REVIEW && doc->iteration != key->iteration) continue;
        return doc;
    }
    return NULL;
}

static enum purpose doc_purpose(enum purpose purpose)
{
    return purpose == FOR_JOIN ? FOR_WORK : purpose;
}

void doc_keep(struct lane *lane, const struct batch *batch)
{
    struct kept_doc key = { .phase = batch->phase, .iteration = batch->iteration };
    struct kept_doc *doc;
    struct str text;

    if (batch->count != 1) return;
    key.purpose = doc_purpose(batch->jobs[0].purpose);
    text = batch->jobs[0].result.doc;
    doc = doc_find(lane, &key);
    if (!doc && text.size == 0) return;
    if (!doc) {
        lane->docs = mem_grow(lane->docs, lane->doc_count, &lane->doc_cap, sizeof *lane->docs);
        doc = &lane->docs[lane->doc_count++];
        *doc = (struct kept_doc){ 0 };
    }
    free(doc->text);
    key.text = text.size ? mem_copy(text.data, text.size) : NULL;
    key.bytes = text.size;
    *doc = key;
}

struct str engine_doc(const struct engine *engine, uint32_t lane, uint32_t iteration,
                      uint32_t phase, enum purpose purpose)
{
    struct kept_doc key = { .iteration = iteration, .phase = phase,
                            .purpose = doc_purpose(purpose) };
    const struct kept_doc *doc = NULL;

    if (lane < engine->lane_count) doc = doc_find(&engine->lanes[lane], &key);
    return doc && doc->bytes ? (struct str){ doc->text, doc->bytes } : (struct str){ "", 0 };
}

void docs_release(struct lane *lane)
{
    for (uint32_t i = 0; i < lane->doc_count; i++) free(lane->docs[i].text);
    free(lane->docs);
}
