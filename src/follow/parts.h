/* SPDX-License-Identifier: Apache-2.0
 *
 * parts.h - what the files of this room share. */
#ifndef HONE_FOLLOW_PARTS_H
#define HONE_FOLLOW_PARTS_H

#include "follow/follow.h"
#include "io/file/watcher.h"

/* A run that is kept replayed. The engine points into it: it stays where it is. */
struct replayed {
    struct look look;       /* a copy of the place's: only its arena and its run are its own */
    struct run run;
    struct history history;
    struct follow_run whole;
    uint64_t used;          /* follow->uses when it was last asked for */
    struct round *rounds;   /* the engine's, as they were when news were last told */
    uint32_t round_count, round_cap;
};

/* Attempts and rounds that changed while events were fed, as places in the lists of them. */
struct changes {
    uint32_t *entries, *rounds;
    uint32_t entry_count, entry_cap, round_count, round_cap;
};

/* A run, in the order of the place's rows. */
struct row {
    struct run_row row;
    struct arena arena;         /* the texts of the row ... */
    struct arena sums;          /* ... and of its sums */
    struct replayed *replayed;  /* NULL: it is not kept */
    uint64_t summed;            /* events that its sums are of, and one; 0: it has none yet */
    uint64_t told;              /* events that are no news any more ... */
    struct changes changes;     /* ... and what those behind them changed */
    bool added, owed;           /* news of it are owed: that it is there, or that it changed */
    bool asked;                 /* it is wanted whole */
    bool shown;                 /* it was shown without sums */
    bool seen;                  /* in the pass that is going on */
};

/* A repository. */
struct place {
    const char *folder;
    struct look look;       /* its repository and journal; look.journal NULL: there is none */
    bool found;             /* look.repo is one */
    bool told;              /* the first look is over: what comes now is news */
    char problem[ERR_TEXT_BYTES]; /* "": none */
    int watched;            /* its hone folder; or what that will be made in; -1: neither */
    bool whole;             /* watched is the hone folder itself */
    uint64_t journal_device, journal_inode, journal_stamp;
    bool fixed;             /* the journal was opened as one that does not change */
    uint64_t version, census;
    uint64_t ask_ms;        /* when the journal is asked next; 0: when it is written */
    uint64_t pause_ms;      /* and how long it is until the question after that */
    uint64_t look_ms;       /* when that is looked at next which the system does not tell */
    uint64_t find_ms;       /* not before which a repository that is not there is looked for */
    uint32_t looks;
    uint64_t all_ms;        /* not before which all rows are read again */
    bool behind;            /* a pass over all rows is owed then */
    struct row **rows;      /* the newest first */
    uint32_t row_count, row_cap;
};

/* An attempt that runs, whose output is watched. */
struct growing {
    struct place *place;
    const struct row *row;
    uint32_t job, attempt;
    char *folder;
    int number;             /* -1: its folder is not there yet, or it cannot be watched */
    bool written;           /* since its size was told */
    uint64_t bytes, told_ms;
};

enum { GROWING_MAX = 64 };

struct follow {
    struct arena arena;
    struct watcher watcher;
    struct place *places;
    uint32_t count;
    uint64_t uses;
    struct growing growing[GROWING_MAX];
    uint32_t growing_count;
    struct listed_row {
        const struct run_row *row;
        uint32_t repo;
    } *list;
    uint32_t list_cap;
    struct follow_rows rows; /* as it was last given */
    follow_visit *visit;     /* of the step that is going on; NULL: there is none */
    void *context;
};

/* ---- replayed.c ---- */

/* Feeds what the row has and its run has not, until that moment: *whole says whether it has all
 * then. An error where it cannot be read: it is not kept any more. */
int replayed_feed(struct follow *follow, struct place *place, struct row *row, uint64_t until_ms,
                  bool *whole, struct err *err);
void replayed_close(struct row *row); /* accepts one that is not kept */
/* Those that are too many, beside the one that is wanted now. */
void replayed_trim(struct follow *follow, const struct row *wanted);

/* ---- growing.c ---- */

/* The attempts of this run that are at work now. */
void growing_note(struct follow *follow, struct place *place, const struct row *row);
void growing_forget(struct follow *follow, const struct row *row);
void growing_changed(struct follow *follow, const struct watch_change *change);
void growing_step(struct follow *follow, uint64_t now_ms);
int64_t growing_due_in_ms(const struct follow *follow, uint64_t now_ms);

#endif
