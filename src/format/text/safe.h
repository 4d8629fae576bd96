/* SPDX-License-Identifier: Apache-2.0
 *
 * safe.h - text from outside made harmless for a terminal.
 *
 * Agents, files and branch names may hold anything. Shown as they are they could move the
 * cursor, set the title, forge a prompt or reverse the writing direction.
 *
 * Room: text for people: made harmless, measured, matched, and the few small languages people write
 * in options. */
#ifndef HONE_FORMAT_TEXT_SAFE_H
#define HONE_FORMAT_TEXT_SAFE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

/* Appends text with every control character (C0 but for tab and line end, DEL, C1), bidirectional
 * control, zero-width character and bad UTF-8 byte shown as \xNN or \u{N}. "\r\n" becomes
 * "\n". With one_line, line ends and tabs become blanks too. At most bytes_max bytes (0: all),
 * the "..." that marks a cut included; a character or its \u{N} is never cut in two. */
void safe_text(struct buf *out, struct str text, bool one_line, size_t bytes_max);

/* The same in one line, in arena: for messages. */
const char *safe_copy(struct arena *arena, struct str text, size_t bytes_max);

#endif
