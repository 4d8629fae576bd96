/* SPDX-License-Identifier: Apache-2.0
 *
 * script.h - a script's text, checked and played. Pure: the caller reads the file. */
#ifndef HONE_AGENT_SCRIPT_H
#define HONE_AGENT_SCRIPT_H

#include "agent/agent.h"

enum { SCRIPT_BYTES_MAX = 16 << 20 };

/* name is the file's, for messages. ERR_USAGE with name:line for the first line that is wrong,
 * and for a script without a line. */
int script_check(struct str text, const char *name, struct err *err);

/* Appends the answer of the first line that fits, or sets *exit_code. ERR_FAILED when no line
 * fits; ERR_USAGE as script_check(), for lines up to the one that is played. */
int script_play(struct str text, const char *name, const struct attempt *attempt,
                struct buf *answer, int *exit_code, struct err *err);

#endif
