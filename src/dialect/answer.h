/* SPDX-License-Identifier: Apache-2.0
 *
 * answer.h - what agents' answers have in common in every dialect. */
#ifndef HONE_DIALECT_ANSWER_H
#define HONE_DIALECT_ANSWER_H

#include "base/arena.h"
#include "base/str.h"

#include <stdbool.h>

/* Valid UTF-8 out of any bytes, by the JSON writer's own rule; borrowed where it was valid. */
struct str answer_mended(struct str bytes, struct arena *arena);

/* A copy of at most so many bytes (more than 3), with dots at its end where some are missing. */
struct str answer_short(struct str text, size_t bytes_max, struct arena *arena);

/* The text, or as much of it as so many bytes (more than 48) hold, with a note how long it is. */
struct str answer_bounded(struct str text, size_t bytes_max, struct arena *arena);

/* Agents like to put JSON into a Markdown code fence. Where one stands around the whole answer,
 * a copy (to be freed) of the same size in which its two lines are blank, so that line numbers stay
 * true; else NULL. */
char *answer_unfenced(struct str answer);

/* Whether the last line says "STUCK: reason": there is nothing left that this agent could do. */
bool answer_is_stuck(struct str answer);
/* The reason in that line, trimmed; empty where there is no such line, or nothing in it. */
struct str answer_stuck_reason(struct str answer);

#endif
