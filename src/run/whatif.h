/* SPDX-License-Identifier: Apache-2.0
 *
 * whatif.h - where a recorded run would have ended if its gates had gone on until something else.
 *
 * The engine itself answers: it gets the plan with the other policy, and what the record says its
 * agents answered, as far as the record can answer. */
#ifndef HONE_RUN_WHATIF_H
#define HONE_RUN_WHATIF_H

#include "run/run.h"

/* How far a run came, and what that took. */
struct course {
    enum reason reason; /* REASON_NONE: it did not end, or it is not known how */
    uint32_t rounds;
    uint64_t calls;
    struct usage usage;
    uint64_t took_ms;
};

struct whatif {
    struct arena arena;
    struct run record; /* replayed to its end */
    struct course was, would;
    struct run other;  /* under the policy, as far as that is known */
    bool asks;         /* would: it ends with a question to the user */

    /* Where the record could not answer: what was asked for. NULL: it could. */
    const char *wanted;    /* the role */
    struct action asked;

    uint32_t rechecks; /* answered by what was said of the whole change in that round */
    const struct ledger_entry **missed; /* of the record: what the other way never reported */
    uint32_t missed_count;
};

/* until: as of struct run_settings. whatif_release() is due in any case. ERR_USAGE where no gate of
 * the run repairs. */
int whatif_play(struct whatif *whatif, struct journal *journal, const struct journal_run *row,
                const char *until, struct err *err);
void whatif_release(struct whatif *whatif);

#endif
