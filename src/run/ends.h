/* SPDX-License-Identifier: Apache-2.0
 *
 * ends.h - what each end of a run is called, what it means and what to do next: one table for the
 * end line, for `hone status`, `hone list` and for `hone help ends`. */
#ifndef HONE_RUN_ENDS_H
#define HONE_RUN_ENDS_H

#include "core/event.h"

/* Texts are half sentences with a small first letter and no final point. */
struct end {
    const char *word;    /* what a table of runs says: one to three words */
    const char *line;    /* the end line, and where the run stands */
    const char *meaning; /* more of it, for the list of ends */
    const char *next;    /* what the user does next */
    const char *stands;  /* the line, and the way on where there is one */
    const char *hosted;  /* likewise where Claude Code or Codex plays the run; NULL: the same */
};

/* Of REASON_NONE: a run that died. */
const struct end *run_end(enum reason reason);

/* REASON_BOUND of a run that only looks (no_fix): no round was to follow. */
const struct end *run_end_looked(void);

/* REASON_NOTED of a run that ends with 0: nothing is open. */
const struct end *run_end_passed(void);

#endif
