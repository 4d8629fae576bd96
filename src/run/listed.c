/* SPDX-License-Identifier: Apache-2.0
 *
 * listed.c - a run replayed into its history and its ledger, and findings chosen from that.
 *
 * Why something was waived stands in the file of waivers, not in the journal: it is read here, and
 * where it cannot be read the findings are told without. */
#include "run/listed.h"

#include "run/waived.h"

int listed_read(const struct look *look, const char *version, struct listed *out, struct err *err)
{
    struct str text;
    struct err none;
    int rc;

    *out = (struct listed){
        .listing = { .run = look->run.id, .version = version,
                     .unfinished = look_unfinished(look) },
    };
    rc = run_load(&out->replay, &look->run, err);
    if (rc == 0) {
        rc = run_replay(&out->replay, look->journal, history_visit, &out->history, err);
    }
    if (rc != 0) return rc;
    out->listing.plan = &out->replay.plan;
    out->listing.coverage = ledger_coverage(&out->replay.engine.ledger, &out->arena);
    if (waived_read(look->run.workspace, &out->arena, &text, &out->waivers, &none) == 0) {
        out->listing.waivers = &out->waivers;
    }
    return 0;
}

int listed_tell(const struct look *look, struct listed *listed, struct err *err)
{
    int rc = story_read(look, &listed->replay, &listed->history, &listed->arena, &listed->story,
                        err);

    if (rc == 0) listed->listing.story = &listed->story;
    return rc;
}

int listed_waive(struct listed *listed, const struct look *look, struct err *err)
{
    const struct ledger_entry *const *entries;
    uint32_t count = ledger_list(&listed->replay.engine.ledger, &listed->arena, &entries);
    const struct finding **findings = arena_alloc(&listed->arena,
                                                  (count + (size_t)1) * sizeof *findings);

    for (uint32_t i = 0; i < count; i++) findings[i] = &entries[i]->finding;
    return waived_match(&look->repo, listed->replay.settings.since, findings, count,
                        &listed->arena, &listed->waived, err);
}

void listed_choose(struct listed *listed, const struct finding_filter *filter,
                   enum listing_order order)
{
    const struct ledger_entry *const *entries;

    listed->listing.count = 0;
    listed->total = ledger_list(&listed->replay.engine.ledger, &listed->arena, &entries);
    for (uint32_t i = 0; i < listed->total; i++) {
        if (listed->waived && listed->waived[i]) continue;
        if (!finding_filter_fits(filter, &listed->listing, entries[i])) continue;
        listing_add(&listed->listing, entries[i]);
    }
    listing_merge(&listed->listing, &listed->arena);
    listing_sort(&listed->listing, order);
}

void listed_release(struct listed *listed)
{
    listing_release(&listed->listing);
    history_release(&listed->history);
    run_release(&listed->replay);
    arena_release(&listed->arena);
}
