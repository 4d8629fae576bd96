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
    uint32_t ordinal;       /* among those with the same complaint, from 0 */
    uint32_t lane, phase;
    uint16_t role;          /* of the plan */
    uint32_t iteration_first, iteration_last; /* when it was first and last reported */
    uint32_t round_first, round_last;
    uint32_t line_first;    /* its line when it was first reported */
    enum finding_state state;
    enum doubt doubt; /* of an open one: why the repair did not resolve it; else DOUBT_NONE */
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
void ledger_release(struct ledger *ledger);

const char *finding_state_word(enum finding_state state); /* open, noted, fixed */
bool finding_state_from_word(struct str word, enum finding_state *out);

/* ---- which known finding a new report is about; for the ledger and its tests ---- */

#define NO_ENTRY UINT32_MAX

/* What is compared of a finding. */
struct match_side {
    uint64_t fingerprint; /* of file and text */
    uint64_t evidence;    /* likewise; 0: there is none */
    uint32_t line;        /* 0: there is none */
    uint32_t index;       /* the caller's number for it; of what is reported, 0 to count - 1 */
    bool paired;          /* false at first */
};

struct match_sides {
    struct match_side *known, *reported; /* both are shuffled, and their items lost */
    uint32_t known_count, reported_count;
};

struct match {
    uint32_t entry;   /* the index of the known one that it is; NO_ENTRY: it is new ... */
    uint32_t ordinal; /* ... and this many have the same fingerprint before it */
};

/* out: a match for each that is reported, by its index. */
void ledger_match(const struct match_sides *sides, struct match *out);

#endif
