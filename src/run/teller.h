/* SPDX-License-Identifier: Apache-2.0
 *
 * teller.h - a run's story in parts: each reads what it tells, and nothing else. For a page that
 * shows one diff or one finding of many, and for the whole story alike (run/story.h).
 *
 * Rounds, attempts and lanes come from the engine and the history; diffs and lines of source from
 * the trees that were kept beside the journal. A tree that is not there any more, or cannot be
 * compared, is said: no error. */
#ifndef HONE_RUN_TELLER_H
#define HONE_RUN_TELLER_H

#include "format/report/story.h"
#include "format/secret/mask.h"
#include "run/cast.h"
#include "run/history.h"
#include "run/look.h"

struct tree;
struct teller_round; /* a round, to be found by what it is of */
struct teller_tree;  /* the tree of a round */

struct teller {
    const struct look *look;
    const struct run *replay;
    const struct history *history;
    const struct chronicle *chronicle;
    struct arena *arena;
    struct chronicle own;        /* where the history has none */
    struct teller_round *rounds; /* in order; NULL until one is asked for */
    struct teller_tree *trees;   /* by round; NULL until one is asked for */
    struct cast_memory cast;
    struct mask mask;
    bool masks;                  /* mask is made */
};

/* What is told lives in arena; what it is told of is borrowed. teller_close() is due. */
void teller_open(struct teller *teller, const struct look *look, const struct run *replay,
                 const struct history *history, struct arena *arena);
void teller_close(struct teller *teller);

/* What was true between events: for teller_counts() and teller_fate(). Where the history did not
 * keep it the journal is read once more. */
int teller_recall(struct teller *teller, struct err *err);

/* ---- without a file ---- */

/* How the run stands: tone, words, what to do. */
struct story_end {
    enum story_tone tone;
    const char *word, *line, *meaning;
    const char *next; /* NULL: nothing */
};
struct story_end tell_outcome(const struct look *look, const struct run *replay);

/* A round by its number in the engine; STORY_NONE: there is none. */
uint32_t teller_round(struct teller *teller, uint32_t lane, uint32_t phase, uint32_t iteration,
                      uint32_t number);
/* The lane's next round. */
uint32_t teller_round_behind(const struct teller *teller, uint32_t at);
/* What the engine knows of it, and, after teller_recall(), what was open then. Its diff is not
 * told. */
void tell_round(const struct teller *teller, uint32_t at, struct story_round *out);
struct story_lane tell_lane(const struct teller *teller, uint32_t lane);
/* What the history knows; model, effort and files are not told. */
void tell_attempt(struct teller *teller, const struct entry *entry, struct story_attempt *out);

/* After teller_recall(): every state, and behind them the one at the end of what is known, of round
 * STORY_NONE, where it is another. Neither diff nor source is told. */
void tell_fate(struct teller *teller, const struct ledger_entry *entry, struct story_fate *out);
/* The rounds between whose trees a fixed finding was resolved; false: they are not known. */
bool tell_resolved(struct teller *teller, const struct ledger_entry *entry,
                   const struct story_fate *fate, uint32_t *from, uint32_t *to);

/* ---- from what was kept ---- */

/* The evidence of an attempt: model, effort, files that it read. */
void tell_evidence(struct teller *teller, const struct entry *entry, struct story_attempt *out);

/* The tree that the reviewers of a round looked at; NULL: it is not kept any more. */
struct tree *teller_tree(struct teller *teller, uint32_t at);
/* Of the main lane's first and last review. STORY_NONE: none is kept. */
uint32_t teller_tree_first(struct teller *teller);
uint32_t teller_tree_last(struct teller *teller);
/* What changed from the tree of a round to that of another, at most bytes_max of it. */
void tell_diff(struct teller *teller, uint32_t from, uint32_t to, size_t bytes_max,
               struct story_diff *out);

/* Lines of a file as the tree of a round has it. */
struct teller_source {
    uint32_t at;         /* the round */
    struct str file;
    uint32_t line;       /* the one in the middle, from 1 */
    uint32_t around;     /* so many before and behind it */
    uint32_t first;      /* told: the number of the first; 0: the file is not known, or shorter */
    struct str text;     /* told */
};
/* All that can be told of them, by one call of git. */
void tell_sources(struct teller *teller, struct teller_source *sources, uint32_t count);

#endif
