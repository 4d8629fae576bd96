/* SPDX-License-Identifier: Apache-2.0
 *
 * reviewers.c - what each reviewer has found so far, and at what price (run/reviewers.h), as a
 * document. */
#include "document/document.h"

#include <inttypes.h>

static void reviewer_json(yyjson_mut_doc *doc, yyjson_mut_val *object,
                          const struct reviewer *reviewer)
{
    const struct {
        const char *key;
        uint64_t value;
    } numbers[] = {
        { "calls", reviewer->calls },       { "looked", reviewer->looked },
        { "found", reviewer->found },       { "alone", reviewer->alone },
        { "confirmed", reviewer->confirmed }, { "accepted", reviewer->accepted },
        { "declined", reviewer->declined }, { "fixed", reviewer->fixed },
        { "regressed", reviewer->regressed },
        { "tokens", amount_sum(reviewer->usage.tokens_in, reviewer->usage.tokens_out) },
    };
    double cost = (double)reviewer->usage.cost_micros / 1e6;

    json_add(doc, object, "role", reviewer->role);
    json_add(doc, object, "by", reviewer->by);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        yyjson_mut_obj_add_uint(doc, object, numbers[i].key, numbers[i].value);
    }
    if (reviewer->usage.cost_micros > 0) yyjson_mut_obj_add_real(doc, object, "cost", cost);
    else yyjson_mut_obj_add_null(doc, object, "cost"); /* its agent reported none */
    if (reviewer->usage.cost_micros > 0 && reviewer->accepted > 0) {
        yyjson_mut_obj_add_real(doc, object, "cost_per_accepted", cost / reviewer->accepted);
    } else {
        yyjson_mut_obj_add_null(doc, object, "cost_per_accepted");
    }
}

static void measure_json(yyjson_mut_doc *doc, yyjson_mut_val *object,
                         const struct measure *measure)
{
    uint32_t missed[MEASURE_LOOKS];
    bool known = measure_missed(measure, missed);
    yyjson_mut_val *list;

    yyjson_mut_obj_add_uint(doc, object, "runs", measure->runs);
    yyjson_mut_obj_add_uint(doc, object, "first", measure->first);
    yyjson_mut_obj_add_uint(doc, object, "later_same", measure->later_same);
    yyjson_mut_obj_add_uint(doc, object, "later_other", measure->later_other);
    yyjson_mut_obj_add_bool(doc, object, "enough", known);
    if (!known) return;
    list = yyjson_mut_obj_add_arr(doc, object, "missed");
    for (uint32_t i = 0; i < MEASURE_LOOKS; i++) {
        yyjson_mut_arr_add_real(doc, list, missed[i] / 1000.0);
    }
}

void document_reviewers(const struct reviewers *reviewers, yyjson_mut_doc *doc,
                        yyjson_mut_val *root)
{
    yyjson_mut_val *list;

    yyjson_mut_obj_add_uint(doc, root, "runs", reviewers->runs);
    yyjson_mut_obj_add_uint(doc, root, "unread", reviewers->unread);
    list = yyjson_mut_obj_add_arr(doc, root, "reviewers");
    for (uint32_t i = 0; i < reviewers->count; i++) {
        reviewer_json(doc, yyjson_mut_arr_add_obj(doc, list), &reviewers->items[i]);
    }
    measure_json(doc, yyjson_mut_obj_add_obj(doc, root, "looks"), &reviewers->measure);
}
