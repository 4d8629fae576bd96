/* SPDX-License-Identifier: Apache-2.0
 *
 * chronicle.h - what was true between the events of a run, and is not in its engine any more: what
 * was open after each round, every state that a finding was in, what happened to the whole run.
 *
 * It is noted while a journal is replayed, by history_visit() where history_keep() was called
 * before. Who keeps a run replayed keeps this with it, and never reads a journal twice. */
#ifndef HONE_RUN_CHRONICLE_H
#define HONE_RUN_CHRONICLE_H

#include "base/arena.h"
#include "core/engine.h"
#include "format/report/story.h"

/* Faults of the whole run, after a round. */
struct chronicle_counts {
    bool counted;              /* false: the round has not ended; and the rest is 0 */
    uint32_t open_change, open_fix; /* open, by what brought them: the change, or a fix */
    uint32_t fixed, set_aside; /* set aside: noted or waived */
};

/* What became of one finding, up to the last round that ended. */
struct chronicle_fate {
    uint64_t order;               /* of its ledger entry */
    struct story_change *changes; /* the first is its first report */
    uint32_t change_count, change_cap;
    uint32_t line;                /* where it was when it was last reported */
};

struct chronicle_lane {
    struct chronicle_fate *fates, *spare; /* by order; room for the next */
    uint32_t fate_count, cap;
    struct chronicle_counts counts;
};

/* {0} is empty. */
struct chronicle {
    struct arena arena;
    struct chronicle_counts *rounds; /* by round */
    uint32_t round_count, round_cap;
    uint32_t open_from;              /* rounds below have ended and are counted */
    struct chronicle_lane *lanes;
    uint32_t lane_count, lane_cap;
    struct story_mark *marks;
    uint32_t mark_count, mark_cap;
};

/* An event, after the step that it led to. */
void chronicle_note(struct chronicle *chronicle, const struct engine *engine,
                    const struct event *event);
void chronicle_release(struct chronicle *chronicle);

/* NULL: it was not there when a round of its lane ended. */
const struct chronicle_fate *chronicle_fate(const struct chronicle *chronicle,
                                            const struct ledger_entry *entry);
/* After a round; one that has not ended is not counted. */
struct chronicle_counts chronicle_counts(const struct chronicle *chronicle, uint32_t round);

#endif
