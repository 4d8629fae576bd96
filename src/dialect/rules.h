/* SPDX-License-Identifier: Apache-2.0
 *
 * rules.h - what agents are told of the project's rules, the same in every dialect. */
#ifndef HONE_DIALECT_RULES_H
#define HONE_DIALECT_RULES_H

#include "dialect/dialect.h"

/* A rules file is kept with a run as the file RULES_PREFIX PATH of its settings, in the order in
 * which they are shown. One with no text is named, and not shown. */
#define RULES_PREFIX "rules:"

enum {
    RULES_FILE_BYTES_MAX = 32 * 1024,  /* of one file */
    RULES_SHOWN_BYTES_MAX = 96 * 1024, /* of all of them */
    RULES_BYTES_MAX = 256 * 1024,      /* of all that is told */
};

/* A part for a prompt: the rules, and what follows from them for one that judges or writes; then
 * what a person said to the agents that follow. Nothing where the run has neither. */
void rules_write(struct buf *out, const struct run_view *run, const struct action *action);

#endif
