/* SPDX-License-Identifier: Apache-2.0
 *
 * width.h - how much room a text takes on a terminal, counted in columns.
 *
 * For texts that safe_text() made harmless. Where terminals disagree the larger number counts: a
 * text that is thought too wide stands a column off, one that is thought too narrow breaks its
 * line. No locale is asked: the same text is as wide everywhere. */
#ifndef HONE_FORMAT_TEXT_WIDTH_H
#define HONE_FORMAT_TEXT_WIDTH_H

#include "base/buf.h"
#include "base/str.h"

#include <stdbool.h>

/* 0 for marks that combine with the character before, 2 for wide ones, else 1. */
uint32_t width_char(uint32_t code);

/* A byte that is no character counts as one. */
uint32_t width_of(struct str text);

/* The longest beginning of text that takes at most so many columns; whole characters, with the
 * marks that belong to the last. */
struct str width_cut(struct str text, uint32_t columns);

/* Appends text with everything beyond ASCII as \u{N} or \xNN: for a terminal that cannot show
 * more. */
void ascii_text(struct buf *out, struct str text);

struct wrap {
    uint32_t at, indent;  /* where we are, in a line that is begun; where the others begin */
    uint32_t columns_max; /* of a line; 0: all is one line */
    bool whole_words;     /* one that fits no line is too long there; else it is broken */
};

/* Appends harmless text, broken between words into lines; without a line end behind the last. */
void wrap_text(struct buf *out, struct str text, const struct wrap *wrap);

/* Appends a message: on one line, or, where it is too long for that, with a line for each of its
 * parts, which end in a semicolon; indent stands before all but the first. */
void message_lines(struct buf *out, struct str text, const char *indent);

#endif
