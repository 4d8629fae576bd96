/* SPDX-License-Identifier: Apache-2.0
 *
 * ledger.h - everything a run's reviewers found, each thing once, with what became of it.
 *
 * Fed with the same events as the engine and the actions they led to, live or from a journal. Two
 * findings are the same when one role reports the same complaint about the same file; where it
 * reports it several times in one review (other lines), they are told apart by their order. */
#ifndef HONE_CORE_LEDGER_H
#define HONE_CORE_LEDGER_H

#include "core/event.h"

enum finding_state {
    FINDING_OPEN,  /* its reviewer's newest review has it */
    FINDING_FIXED, /* its reviewer looked again and found it no more */
    FINDING_STATE_COUNT
};

struct ledger_entry {
    struct finding finding; /* as it was last reported */
    uint32_t ordinal;       /* among the same in one review, from 0 */
    uint32_t lane, phase;
    uint32_t iteration_first, iteration_last;
    uint32_t round_first, round_last;
    enum finding_state state;
};

struct ledger {
    struct arena arena;
    struct ledger_entry *entries; /* in the order they were first reported */
    uint32_t count, cap;
    struct ledger_asked *asked;   /* attempts that were asked for and have not ended */
    uint32_t asked_count, asked_cap;
};

struct ledger_asked {
    uint32_t job, attempt, lane, phase, iteration, round;
    uint16_t role;
};

void ledger_note(struct ledger *ledger, const struct event *event, const struct actions *actions);
uint32_t ledger_count(const struct ledger *ledger, enum finding_state state);
void ledger_release(struct ledger *ledger);

const char *finding_state_word(enum finding_state state); /* open, fixed */

#endif
