/* SPDX-License-Identifier: Apache-2.0
 *
 * ledger.h - everything a run's reviewers found, each thing once, with what became of it.
 *
 * Fed with the same events as the engine and the actions they led to, live or from a journal. A
 * finding that a role reports again in the same lane and phase is the same one, in the same words
 * or in others, wherever its line has moved to (core/identity.h). Each role has entries of its own:
 * ledger_group() says which of them are about one fault.
 *
 * {0} is an empty ledger. What it holds is good until the next ledger_note(). */
#ifndef HONE_CORE_LEDGER_H
#define HONE_CORE_LEDGER_H

#include "core/event.h"

#include <stdbool.h>
#include <stdint.h>

enum finding_state {
    FINDING_OPEN,  /* its reviewer's newest review has it */
    FINDING_NOTED, /* likewise, and it is too small to fail that review */
    FINDING_FIXED, /* its reviewer looked again and found it no more */
    FINDING_STATE_COUNT
};

struct ledger_entry {
    struct finding finding; /* as it was last reported */
    uint64_t fingerprint;   /* of its first report */
    uint32_t ordinal;       /* among those with the same fingerprint, from 0 */
    uint32_t lane, phase;
    uint16_t role;          /* of the plan */
    uint32_t iteration_first, iteration_last; /* when it was first and last reported */
    uint32_t round_first, round_last;
    uint32_t line_first;    /* its line when it was first reported */
    enum finding_state state;
    enum doubt doubt; /* of an open one: why the repair did not resolve it; else DOUBT_NONE */

    /* By ledger_group(), until the next ledger_note(). */
    uint32_t group;   /* the same number, from 1, in all entries about one fault; 0: not known */
    uint32_t votes;   /* how many roles reported it */
};

struct ledger {
    struct ledger_entry *entries; /* in the order they were first reported */
    uint32_t count, cap;
    struct ledger_slot *slots;    /* from here on its own affair: beside each entry, what is */
    uint32_t slot_cap;            /* needed to find it again and to take a review back */
    struct ledger_chain *chains;  /* chains[lane]: its entries */
    uint32_t chain_count, chain_cap;
    uint32_t reviews;             /* taken so far */
    struct ledger_look *looks;    /* how much each role, lane and phase has looked at last */
    uint32_t look_count, look_cap;
    struct ledger_asked *asked;   /* attempts that were asked for and have not ended */
    uint32_t asked_count, asked_cap;
};

/* Any event; it may change nothing. */
void ledger_note(struct ledger *ledger, const struct event *event, const struct actions *actions);
/* Of the newest reviews together: each file and tool once, by file; findings that were counted and
 * not listed are added up. Its list lives in arena, its texts in the ledger. */
struct coverage ledger_coverage(const struct ledger *ledger, struct arena *arena);
/* How many files there are in it that were not looked at. */
uint32_t coverage_unlooked(const struct coverage *coverage);
/* Which entries of one lane and phase are about one fault, told by several roles. */
void ledger_group(struct ledger *ledger);
void ledger_release(struct ledger *ledger);

const char *finding_state_word(enum finding_state state); /* open, noted, fixed */
bool finding_state_from_word(struct str word, enum finding_state *out);

#endif
