/* SPDX-License-Identifier: Apache-2.0
 *
 * ledger.h - everything a run's reviewers found, each thing once, with what became of it.
 *
 * Fed with the same events as the engine and the actions they led to, live or from a journal. Two
 * findings are the same when one role reports the same complaint about the same file in the same
 * lane and phase, wherever its line has moved to. Where it reports it of several lines, evidence
 * and line tell which is which; other evidence on another line is another finding.
 *
 * {0} is an empty ledger. What it holds is good until the next ledger_note(). */
#ifndef HONE_CORE_LEDGER_H
#define HONE_CORE_LEDGER_H

#include "core/event.h"

enum finding_state {
    FINDING_OPEN,  /* its reviewer's newest review has it */
    FINDING_NOTED, /* likewise, and it is too small to fail that review */
    FINDING_FIXED, /* its reviewer looked again and found it no more */
    FINDING_STATE_COUNT
};

struct ledger_entry {
    struct finding finding; /* as it was last reported */
    uint32_t ordinal;       /* among those with the same complaint, from 0 */
    uint32_t lane, phase;
    uint16_t role;          /* of the plan */
    uint32_t iteration_first, iteration_last; /* when it was first and last reported */
    uint32_t round_first, round_last;
    enum finding_state state;
};

struct ledger {
    struct ledger_entry *entries; /* in the order they were first reported */
    uint32_t count, cap;
    struct ledger_slot *slots;    /* from here on its own affair: beside each entry, what is */
    uint32_t slot_cap;            /* needed to find it again and to take a review back */
    struct ledger_chain *chains;  /* chains[lane]: its entries */
    uint32_t chain_count, chain_cap;
    uint32_t reviews;             /* taken so far */
    struct ledger_asked *asked;   /* attempts that were asked for and have not ended */
    uint32_t asked_count, asked_cap;
};

/* Any event; it may change nothing. */
void ledger_note(struct ledger *ledger, const struct event *event, const struct actions *actions);
uint32_t ledger_count(const struct ledger *ledger, enum finding_state state);
void ledger_release(struct ledger *ledger);

const char *finding_state_word(enum finding_state state); /* open, noted, fixed */
bool finding_state_from_word(struct str word, enum finding_state *out);

#endif
