/* SPDX-License-Identifier: Apache-2.0
 *
 * chronicle.c - a run's rounds, as they left the ledger.
 *
 * When a round ends the entries of its lane are looked at, and no others: what another lane has
 * found is as that lane's own last round left it. So the work is that of the ledger itself, and not
 * all findings for each round.
 *
 * 1. A state is noted where it is another than before, with the round that made it so.
 * 2. An entry whose review is void is gone, its fate with it.
 * 3. One fault that several tools report counts once, as everywhere (listing_merge()); what no tool
 *    reported is never merged, and is counted without sorting anything. */
#include "run/chronicle.h"

#include "base/mem.h"
#include "format/report/listing.h"

#include <stdlib.h>

/* The round that goes by this lane, phase, iteration and number; STORY_NONE: of none. The newest
 * are asked for most. */
static uint32_t round_of(const struct engine *engine, const struct ledger_entry *entry)
{
    for (uint32_t i = engine->round_count; i-- > 0;) {
        const struct round *round = &engine->rounds[i];

        if (round->lane == entry->lane && round->phase == entry->phase &&
            round->iteration == entry->iteration_first && round->number == entry->round_first) {
            return i;
        }
    }
    return STORY_NONE;
}

/* ---- fates ---- */

static void fate_note(struct chronicle *chronicle, struct chronicle_fate *fate,
                      const struct engine *engine, const struct ledger_entry *entry,
                      uint32_t round)
{
    bool first = fate->change_count == 0;

    if (entry->state != FINDING_FIXED) fate->line = entry->finding.line;
    if (!first && fate->changes[fate->change_count - 1].state == entry->state) return;
    if (first) { /* it was there in the round of its first report, also where that has not ended */
        uint32_t at = round_of(engine, entry);

        if (at != STORY_NONE) round = at;
    }
    fate->changes = arena_grow(&chronicle->arena, fate->changes, fate->change_count,
                               &fate->change_cap, sizeof *fate->changes);
    fate->changes[fate->change_count++] = (struct story_change){ round, entry->state };
}

static int compare_orders(const void *one, const void *other)
{
    const struct ledger_entry *a = *(const struct ledger_entry *const *)one;
    const struct ledger_entry *b = *(const struct ledger_entry *const *)other;

    return (a->order > b->order) - (a->order < b->order);
}

/* The entries of a lane in their order, in arena. */
static uint32_t list_lane(const struct engine *engine, uint32_t lane, struct arena *arena,
                          const struct ledger_entry ***out)
{
    const struct ledger_entry *entries;
    uint32_t count = ledger_of_lane(&engine->ledger, lane, &entries);
    const struct ledger_entry **list = arena_alloc(arena, (count + (size_t)1) * sizeof(void *));
    bool ordered = true;

    for (uint32_t i = 0; i < count; i++) {
        list[i] = &entries[i];
        ordered = ordered && (i == 0 || entries[i - 1].order < entries[i].order);
    }
    if (!ordered) qsort(list, count, sizeof(void *), compare_orders);
    *out = list;
    return count;
}

static void note_fates(struct chronicle *chronicle, struct chronicle_lane *lane,
                       const struct engine *engine, const struct ledger_entry *const *entries,
                       uint32_t count, uint32_t round)
{
    struct chronicle_fate *fates;
    uint32_t old = 0;

    if (count > lane->cap) {
        free(lane->spare);
        lane->cap = 2 * count;
        lane->spare = mem_alloc(lane->cap * sizeof *lane->spare);
        lane->fates = mem_resize(lane->fates, lane->cap * sizeof *lane->fates);
    }
    fates = lane->spare;
    for (uint32_t i = 0; i < count; i++) {
        while (old < lane->fate_count && lane->fates[old].order < entries[i]->order) old++;
        if (old < lane->fate_count && lane->fates[old].order == entries[i]->order) {
            fates[i] = lane->fates[old];
        } else {
            fates[i] = (struct chronicle_fate){ .order = entries[i]->order };
        }
        fate_note(chronicle, &fates[i], engine, entries[i], round);
    }
    lane->spare = lane->fates;
    lane->fates = fates;
    lane->fate_count = count;
}

/* ---- counts ---- */

static void count_one(struct chronicle_counts *counts, const struct ledger_entry *entry)
{
    bool open = finding_is_open(entry->state);

    counts->open_fix += open && entry->cause_round > 0;
    counts->open_change += open && entry->cause_round == 0;
    counts->fixed += entry->state == FINDING_FIXED;
    counts->set_aside += entry->state == FINDING_NOTED || entry->state == FINDING_WAIVED;
}

static struct chronicle_counts count_faults(const struct ledger_entry *const *entries,
                                            uint32_t count, struct arena *arena)
{
    struct chronicle_counts counts = { .counted = true };
    struct listing tools = { .count = 0 };

    for (uint32_t i = 0; i < count; i++) {
        if (entries[i]->finding.tool.size == 0) count_one(&counts, entries[i]);
        else listing_add(&tools, entries[i]);
    }
    listing_merge(&tools, arena);
    for (uint32_t i = 0; i < tools.count; i++) count_one(&counts, tools.items[i]);
    listing_release(&tools);
    return counts;
}

static void counts_add(struct chronicle_counts *sum, const struct chronicle_counts *more)
{
    sum->open_change += more->open_change;
    sum->open_fix += more->open_fix;
    sum->fixed += more->fixed;
    sum->set_aside += more->set_aside;
}

/* ---- rounds ---- */

static void note_round(struct chronicle *chronicle, const struct engine *engine, uint32_t round)
{
    uint32_t at = engine->rounds[round].lane;
    const struct ledger_entry **entries;
    struct chronicle_counts sum = { .counted = true };
    struct chronicle_lane *lane;
    struct arena arena = { 0 };
    uint32_t count = list_lane(engine, at, &arena, &entries);

    while (chronicle->lane_count <= at) {
        chronicle->lanes = mem_grow(chronicle->lanes, chronicle->lane_count, &chronicle->lane_cap,
                                    sizeof *chronicle->lanes);
        chronicle->lanes[chronicle->lane_count++] = (struct chronicle_lane){ .cap = 0 };
    }
    lane = &chronicle->lanes[at];
    note_fates(chronicle, lane, engine, entries, count, round);
    lane->counts = count_faults(entries, count, &arena);
    for (uint32_t i = 0; i < chronicle->lane_count; i++) {
        counts_add(&sum, &chronicle->lanes[i].counts);
    }
    chronicle->rounds[round] = sum;
    arena_release(&arena);
}

static void note_mark(struct chronicle *chronicle, const struct event *event)
{
    static const enum story_mark_kind kinds[EV_COUNT] = {
        [EV_START] = STORY_MARK_COUNT, [EV_ENDED] = STORY_MARK_COUNT,
        [EV_STOP] = STORY_STOPPED,     [EV_RESUME] = STORY_RESUMED,
        [EV_ANSWER] = STORY_ANSWERED,  [EV_DRIFT] = STORY_DRIFTED,
        [EV_SPENT] = STORY_SPENT,
    };

    if (kinds[event->kind] == STORY_MARK_COUNT) return;
    chronicle->marks = arena_grow(&chronicle->arena, chronicle->marks, chronicle->mark_count,
                                  &chronicle->mark_cap, sizeof *chronicle->marks);
    chronicle->marks[chronicle->mark_count++] = (struct story_mark){
        .kind = kinds[event->kind], .at_ms = event->now_ms, .choice = event->choice,
        .lane = event->lane,
    };
}

void chronicle_note(struct chronicle *chronicle, const struct engine *engine,
                    const struct event *event)
{
    note_mark(chronicle, event);
    while (chronicle->round_count < engine->round_count) {
        chronicle->rounds = mem_grow(chronicle->rounds, chronicle->round_count,
                                     &chronicle->round_cap, sizeof *chronicle->rounds);
        chronicle->rounds[chronicle->round_count++] = (struct chronicle_counts){ .counted = false };
    }
    for (uint32_t i = chronicle->open_from; i < engine->round_count; i++) {
        bool counted = chronicle->rounds[i].counted;

        if (engine->rounds[i].ended_ms != 0 && !counted) note_round(chronicle, engine, i);
        if (chronicle->rounds[i].counted && i == chronicle->open_from) chronicle->open_from++;
    }
}

void chronicle_release(struct chronicle *chronicle)
{
    for (uint32_t i = 0; i < chronicle->lane_count; i++) {
        free(chronicle->lanes[i].fates);
        free(chronicle->lanes[i].spare);
    }
    free(chronicle->lanes);
    free(chronicle->rounds);
    arena_release(&chronicle->arena);
    *chronicle = (struct chronicle){ .round_count = 0 };
}

/* ---- asked ---- */

static int compare_fate(const void *key, const void *item)
{
    uint64_t order = *(const uint64_t *)key;
    const struct chronicle_fate *fate = item;

    return (order > fate->order) - (order < fate->order);
}

const struct chronicle_fate *chronicle_fate(const struct chronicle *chronicle,
                                            const struct ledger_entry *entry)
{
    const struct chronicle_lane *lane;

    if (entry->lane >= chronicle->lane_count) return NULL;
    lane = &chronicle->lanes[entry->lane];
    if (lane->fate_count == 0) return NULL;
    return bsearch(&entry->order, lane->fates, lane->fate_count, sizeof *lane->fates,
                   compare_fate);
}

struct chronicle_counts chronicle_counts(const struct chronicle *chronicle, uint32_t round)
{
    if (round < chronicle->round_count) return chronicle->rounds[round];
    return (struct chronicle_counts){ .counted = false };
}
