/* SPDX-License-Identifier: Apache-2.0
 *
 * hints.h - what a tool says beside its message (notes, steps, addresses), joined to the one text
 * that a diagnostic has for it.
 *
 * For the readers of format/report/diagnostic.h. */
#ifndef HONE_FORMAT_REPORT_HINTS_H
#define HONE_FORMAT_REPORT_HINTS_H

#include "base/buf.h"
#include "format/report/diagnostic.h"

enum { HINTS_BYTES_MAX = 4096, HINTS_LAST_BYTES_MAX = 512 };

struct hints {
    struct buf text;
    bool full; /* something did not fit: nothing behind it is added, so that no story has a gap */
};

void hints_init(struct hints *hints);
void hints_release(struct hints *hints);
void hints_clear(struct hints *hints);

/* One more, with " (line N)" behind it unless line is 0. An empty one is none. */
void hints_add(struct hints *hints, struct str text, uint32_t line);
/* The same of a place in any file: " (FILE:N)" where it is another than home, the diagnostic's. */
void hints_add_in(struct hints *hints, struct str text, struct str file, struct str home,
                  uint32_t line);
/* Cuts the next that says where it is off *rest, which is such a text, and passes over those before
 * it that do not. file is empty where it is the diagnostic's own. False: there is none. */
bool hint_cut(struct str *rest, struct str *text, struct str *file, uint32_t *line);

/* One that has room even when the others have taken all of theirs: an address. */
void hints_add_last(struct hints *hints, struct str text);

/* All of them, as the diagnostics keep it. */
struct str hints_text(const struct hints *hints, struct diagnostics *diagnostics);

#endif
