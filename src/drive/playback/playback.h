/* SPDX-License-Identifier: Apache-2.0
 *
 * playback.h - a run played again from its journal and from what was kept of its attempts.
 *
 * Room: a run played again from what was kept; nothing is started or written. */
#ifndef HONE_DRIVE_PLAYBACK_PLAYBACK_H
#define HONE_DRIVE_PLAYBACK_PLAYBACK_H

#include "run/history.h"
#include "run/look.h"

/* An attempt, as a script can play it. */
struct cue_note {
    struct action start;
    const char *role, *phase, *task; /* task: of a task's lane; "" elsewhere */
    uint32_t iteration;              /* as HONE_ITERATION counts */
    bool playable;                   /* it ended, and a script would make it end so */
    int exit_status;                 /* other than 0: it failed so */
    struct str answer;
};

struct playback_request {
    struct look *look;   /* with its run */
    uint64_t until;      /* the last event to play; 0: all */
    bool json, color;    /* how steps are told */
    bool silent;         /* they are not */
};

/* What came of it. */
struct playback {
    struct arena arena;
    struct history history;
    struct cue_note *cues; /* in the order they were asked for */
    uint32_t cue_count, cue_cap;
    uint32_t judged;       /* answers that were judged again */
    uint32_t unjudged;     /* that could not be: nothing was kept, or it took the tree of then */
    uint32_t differences;  /* judgements that are others now; each was told as a warning */
    uint64_t events, at_ms; /* how far it was played, and when that was */
    bool same_end;         /* as far as it was played to the end: it ends as it did */
};

/* Plays; replay is initialised by it and holds the state at the end. The caller releases it and out
 * in any case. */
int playback_run(const struct playback_request *request, struct run *replay,
                 struct playback *out, struct err *err);
void playback_release(struct playback *playback);

/* The run as lines of a script: see agent/script.h. *left_out counts attempts that a script
 * cannot play. */
void playback_script(const struct playback *playback, struct buf *out, uint32_t *left_out);

#endif
