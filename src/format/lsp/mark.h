/* SPDX-License-Identifier: Apache-2.0
 *
 * mark.h - places that a finding has in a text, and how they move while that text is edited.
 *
 * A mark keeps to the content of its lines: their text without the blanks around it. Lines above it
 * may come and go, and its indentation may change. A mark whose content is another than it was made
 * for is stale; where the old content comes back, as by an undo, it is stale no more. */
#ifndef HONE_FORMAT_LSP_MARK_H
#define HONE_FORMAT_LSP_MARK_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

/* Offsets from start to end become that text. */
struct text_edit {
    size_t start, end;
    struct str text;
};

struct mark {
    size_t from, to;       /* the content of its lines */
    size_t begin, end;     /* what is shown of it, from `from` on */
    uint64_t content;      /* the content's hash when it was made */
    bool stale;            /* the content is another now: all of it is shown */
    bool gone;             /* its lines were taken out */
    bool over;             /* an edit since mark_settle() has taken or replaced all of it */
};

/* A place of the finding: from begin to end, both offsets of text; where they are the same, all of
 * the line's content is meant. */
struct mark mark_at(struct str text, size_t begin, size_t end);

/* One edit after the other; and then once for all of them, with the text as they left it. */
void mark_shift(struct mark *mark, const struct text_edit *edit);
void mark_settle(struct mark *mark, struct str text);

/* What is shown, in offsets. */
struct text_edit mark_shown(const struct mark *mark);

/* A span that must stay as it is: of an edit that is yet to be made. False: it was touched. */
struct span {
    size_t start, end;
};
bool span_move(struct span *span, const struct text_edit *edit);

/* Leaves out what the edit does not change at its beginning and its end. */
void text_edit_trim(struct text_edit *edit, struct str text);

/* Makes an edit whose offsets are in the text. ERR_LIMIT: it does not fit, and nothing changed. */
int text_edit_make(struct buf *text, const struct text_edit *edit);

/* The edits that make `now` of `was`, the last one first: so each one's offsets are those of `was`,
 * and they can be made one after the other. Lines that are in both stay, as far as a bounded search
 * finds them. Texts are views of `now`; the list lives in arena. */
uint32_t edits_between(struct str was, struct str now, struct arena *arena,
                       const struct text_edit **out);

#endif
