/* SPDX-License-Identifier: Apache-2.0
 *
 * story.c - a run told as a whole, of the parts that run/teller.h tells.
 *
 * 1. All is bounded: DIFFS_MAX comparisons, DIFF_BYTES_MAX of each, SOURCES_MAX files of source.
 * 2. The grave findings have their lines first.
 *
 * Not here: how it is shown (format/report/html_write.c). */
#include "run/story.h"

#include "base/mem.h"
#include "base/path.h"
#include "format/report/listing.h"
#include "io/tree/tree.h"
#include "run/teller.h"

#include <stdlib.h>
#include <string.h>

enum {
    DIFFS_MAX = 300,
    DIFF_BYTES_MAX = 256 << 10,
    SOURCES_MAX = 2000,
    AROUND = 3,            /* lines before and behind the line of a finding */
};

static const char too_many[] = "this run has too many fixes to show each of them";

/* ---- rounds ---- */

/* Where no time says it, the order in which they began. */
static void order_rounds(struct teller *teller, struct story *story)
{
    story->by_end = arena_alloc(teller->arena, (story->round_count + 1) * sizeof(uint32_t));
    for (uint32_t i = 0; i < story->round_count; i++) {
        uint64_t end = story->rounds[i].ended_ms;
        uint32_t at = i;

        while (at > 0 && end != 0) {
            uint64_t before = story->rounds[story->by_end[at - 1]].ended_ms;

            if (before != 0 && before <= end) break;
            story->by_end[at] = story->by_end[at - 1];
            at--;
        }
        story->by_end[at] = i;
    }
}

/* The difference between the trees of two rounds, made once; its number in diffs[]. */
static uint32_t diff_between(struct teller *teller, struct story *story, uint32_t from, uint32_t to)
{
    struct story_diff *diff;

    for (uint32_t i = story->diff_count; i-- > 0;) {
        if (story->diffs[i].from == from && story->diffs[i].to == to) return i;
    }
    story->diffs = arena_grow(teller->arena, story->diffs, story->diff_count, &story->diff_cap,
                              sizeof *story->diffs);
    diff = &story->diffs[story->diff_count++];
    if (story->diff_count > DIFFS_MAX) {
        *diff = (struct story_diff){ .from = from, .to = to, .why = too_many };
    } else {
        tell_diff(teller, from, to, DIFF_BYTES_MAX, diff);
    }
    return story->diff_count - 1;
}

static void add_rounds(struct teller *teller, struct story *story)
{
    story->round_count = teller->replay->engine.round_count;
    story->rounds = arena_alloc(teller->arena, (story->round_count + (size_t)1) *
                                                   sizeof *story->rounds);
    for (uint32_t i = 0; i < story->round_count; i++) tell_round(teller, i, &story->rounds[i]);
    order_rounds(teller, story);
}

static void add_fixes(struct teller *teller, struct story *story)
{
    for (uint32_t i = 0; i < story->round_count; i++) {
        uint32_t next = story->rounds[i].repaired_ms ? teller_round_behind(teller, i) : STORY_NONE;

        if (next != STORY_NONE) story->rounds[i].diff = diff_between(teller, story, i, next);
    }
}

static void add_attempts(struct teller *teller, struct story *story)
{
    const struct history *history = teller->history;

    story->attempts = arena_alloc(teller->arena, (history->count + (size_t)1) *
                                                     sizeof *story->attempts);
    story->attempt_count = history->count;
    for (uint32_t i = 0; i < history->count; i++) {
        tell_attempt(teller, &history->entries[i], &story->attempts[i]);
        tell_evidence(teller, &history->entries[i], &story->attempts[i]);
    }
}

/* ---- findings ---- */

/* What is open at the end; one fault that several tools report counts once, as everywhere. */
static void count_end(const struct ledger_entry *const *entries, uint32_t count,
                      struct arena *arena, struct story *story)
{
    struct listing listing = { .count = 0 };
    struct listing_counts counts;

    for (uint32_t i = 0; i < count; i++) listing_add(&listing, entries[i]);
    listing_merge(&listing, arena);
    counts = listing_count(&listing);
    for (uint32_t i = 0; i < listing.count; i++) {
        bool open = finding_is_open(listing.items[i]->state);

        story->end_fix += open && listing.items[i]->cause_round > 0;
        story->end_change += open && listing.items[i]->cause_round == 0;
    }
    story->found = counts.total;
    story->left = counts.open_count;
    memcpy(story->left_by, counts.open, sizeof story->left_by);
    memcpy(story->states, counts.states, sizeof story->states);
    listing_release(&listing);
}

/* The place of a finding that is open, in the tree of its last report. */
static bool want_source(struct teller *teller, const struct ledger_entry *entry,
                        const struct story_fate *fate, struct teller_source *out)
{
    *out = (struct teller_source){
        .at = teller_round(teller, entry->lane, entry->phase, entry->iteration_last,
                           entry->round_last),
        .file = entry->finding.file, .line = fate->line, .around = AROUND,
    };
    return out->at != STORY_NONE && out->line > 0 && teller_tree(teller, out->at);
}

static void add_fates(struct teller *teller, struct story *story)
{
    struct teller_source *sources = mem_alloc(SOURCES_MAX * sizeof *sources);
    struct story_fate **fates = mem_alloc(SOURCES_MAX * sizeof(void *));
    const struct ledger_entry *const *entries;
    uint32_t count = ledger_list(&teller->replay->engine.ledger, teller->arena, &entries);
    uint32_t wanted = 0, from, to;

    story->fates = arena_alloc(teller->arena, (count + (size_t)1) * sizeof *story->fates);
    story->fate_count = count;
    count_end(entries, count, teller->arena, story);
    for (uint32_t i = 0; i < count; i++) tell_fate(teller, entries[i], &story->fates[i]);
    for (uint32_t rank = SEVERITY_COUNT; rank-- > 0;) { /* the grave ones have their lines first */
        for (uint32_t i = 0; i < count; i++) {
            struct story_fate *fate = &story->fates[i];

            if ((uint32_t)entries[i]->finding.severity != rank) continue;
            if (entries[i]->state == FINDING_FIXED) {
                if (tell_resolved(teller, entries[i], fate, &from, &to)) {
                    fate->diff = diff_between(teller, story, from, to);
                }
            } else if (wanted < SOURCES_MAX &&
                       want_source(teller, entries[i], fate, &sources[wanted])) {
                fates[wanted++] = fate;
            }
        }
    }
    tell_sources(teller, sources, wanted);
    for (uint32_t i = 0; i < wanted; i++) {
        fates[i]->source = sources[i].text;
        fates[i]->source_first = sources[i].first;
    }
    free(fates);
    free(sources);
}

/* ---- the run ---- */

static void add_run(struct teller *teller, struct story *story)
{
    const struct run *run = teller->replay;
    const struct journal_run *row = &teller->look->run;
    struct story_end end = tell_outcome(teller->look, run);

    story->run = row->id;
    story->dialect = run->dialect->name;
    story->task = str_of(row->task);
    story->repository = str_of(path_leaf_text(row->workspace));
    story->since = str_of(run->settings.since);
    story->until = run->settings.until ? run->settings.until : "";
    story->hosted = run_is_hosted(row);
    story->only_looks = run->settings.no_fix;
    story->created_ms = row->created_ms;
    story->updated_ms = run->engine.now_ms ? run->engine.now_ms : row->updated_ms;
    story->active_ms = run->engine.active_ms;
    story->usage = run->engine.usage;
    story->calls = run->engine.calls;
    story->unproven = run->engine.unproven;
    story->budget = run->engine.budget;
    story->used = engine_used(&run->engine);
    story->tone = end.tone;
    story->word = end.word;
    story->line = end.line;
    story->meaning = end.meaning;
    story->next = end.next;
}

/* A copy: what was recalled goes with the teller. */
static void add_marks(struct teller *teller, struct story *story)
{
    uint32_t count = teller->chronicle->mark_count;

    story->marks = arena_alloc(teller->arena, (count + (size_t)1) * sizeof *story->marks);
    story->mark_count = story->mark_cap = count;
    if (count > 0) {
        memcpy(story->marks, teller->chronicle->marks, count * sizeof *story->marks);
    }
}

static void add_lanes(struct teller *teller, struct story *story)
{
    story->lane_count = teller->replay->engine.lane_count;
    story->lanes = arena_alloc(teller->arena, (story->lane_count + (size_t)1) *
                                                  sizeof *story->lanes);
    for (uint32_t i = 0; i < story->lane_count; i++) story->lanes[i] = tell_lane(teller, i);
}

/* Where the first review of the main lane found the repository: a task's lane has a branch of its
 * own. */
static void add_commit(struct teller *teller, struct story *story)
{
    uint32_t first = teller_tree_first(teller);
    const struct tree *tree = first == STORY_NONE ? NULL : teller_tree(teller, first);

    if (!tree) return;
    story->branch = arena_copy(teller->arena, tree->branch);
    story->commit = arena_copy(teller->arena, str_of(tree->head));
}

int story_read(const struct look *look, const struct run *replay, const struct history *history,
               struct arena *arena, struct story *out, struct err *err)
{
    struct teller teller;
    int rc;

    *out = (struct story){ .round_count = 0 };
    teller_open(&teller, look, replay, history, arena);
    rc = teller_recall(&teller, err);
    if (rc == 0) {
        add_run(&teller, out);
        add_marks(&teller, out);
        add_rounds(&teller, out);
        add_lanes(&teller, out);
        add_attempts(&teller, out);
        add_commit(&teller, out);
        add_fixes(&teller, out);
        add_fates(&teller, out);
    }
    teller_close(&teller);
    return rc;
}
