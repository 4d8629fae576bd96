/* SPDX-License-Identifier: Apache-2.0
 *
 * findings.c - the findings of a run, chosen and in order, as a document. The counts are of all
 * that fit, also where a part of them is listed. */
#include "document/parts.h"

#include <string.h>

static const struct {
    const char *name;
    enum listing_order order;
} orders[] = {
    { "state", LISTING_BY_STATE },
    { "file", LISTING_BY_FILE },
    { "severity", LISTING_BY_SEVERITY },
    { "round", LISTING_BY_ROUND },
};

int findings_order(const char *word, const char *prefix, enum listing_order *out, struct err *err)
{
    *out = LISTING_BY_STATE;
    for (size_t i = 0; word && i < sizeof orders / sizeof *orders; i++) {
        if (strcmp(orders[i].name, word) != 0) continue;
        *out = orders[i].order;
        return 0;
    }
    if (!word) return 0;
    return err_set(err, ERR_USAGE, "%sorder %.60s: there are state, file, severity and round",
                   prefix, word);
}

int findings_check(const struct listed *listed, const struct findings_query *query,
                   struct err *err)
{
    const struct plan *plan = listed->listing.plan;
    const char *role = query->filter.role;

    for (uint32_t i = 1; role && i < plan->role_count; i++) {
        if (strcmp(role, plan->roles[i].name) == 0) return 0;
    }
    if (!role) return 0;
    return err_set(err, ERR_USAGE, "this run has no role '%.60s'; 'hone show' lists who took part",
                   role);
}

void document_findings(struct listed *listed, const struct findings_query *query,
                       yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    const struct slice *slice = &query->slice;
    struct listing_counts counts;
    struct listing part;
    uint32_t total;

    listed_choose(listed, &query->filter, query->order);
    total = listed->listing.count;
    counts = listing_count(&listed->listing);
    part = listed->listing;
    if (slice->from >= total) {
        part.count = 0;
    } else {
        part.items += slice->from;
        part.count = total - slice->from;
        if (slice->count > 0 && slice->count < part.count) part.count = slice->count;
    }
    listing_json(&part, &counts, doc, root);
    yyjson_mut_obj_add_uint(doc, root, "total", total);
    yyjson_mut_obj_add_uint(doc, root, "from", slice->from);
}
