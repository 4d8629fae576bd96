/* SPDX-License-Identifier: Apache-2.0
 *
 * pause.h - a person at the terminal pauses a run, says a word to the agents that follow, and lets
 * it go on. */
#ifndef HONE_DRIVE_HEADLESS_PAUSE_H
#define HONE_DRIVE_HEADLESS_PAUSE_H

#include "drive/drive.h"

/* {0} is one without keys. */
struct pause {
    bool on;             /* keys are open */
    struct buf word;     /* what was typed so far, while drive->held */
    uint64_t typed_ms;   /* when the last key came, by the steady clock */
    uint32_t escape;     /* within a sequence of an arrow key or the like */
};

/* Where there is a view on a terminal, and a person at its keyboard. Before the supervisor is
 * forked. */
void pause_open(struct pause *pause, const struct report *report);
void pause_close(struct pause *pause); /* the terminal is as it was */

/* Takes the keys that came. */
void pause_keys(struct pause *pause, struct drive *drive, struct report *report);
/* Shows what has changed since: how many agents are still at work. */
void pause_show(const struct pause *pause, const struct drive *drive, struct report *report);
/* Whether the run is paused and no agent is at work: its time does not count. */
bool pause_is_idle(const struct drive *drive);

#endif
