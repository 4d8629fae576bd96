/* SPDX-License-Identifier: Apache-2.0
 *
 * item.h - a coding agent's stream as items, in the order they came: what it said, what it thought,
 * which tools it called and what these gave back. For a user who reads along on a terminal
 * (telling.h) and for pages alike.
 *
 * An event by itself tells all that is told of it: what came before is not remembered. So a stream
 * can be read from any border of its lines. Texts are the agent's own bytes: the caller makes them
 * safe, and bounds them. */
#ifndef HONE_FORMAT_STREAM_ITEM_H
#define HONE_FORMAT_STREAM_ITEM_H

#include "format/stream/reading.h"

enum item_kind {
    ITEM_SAID,
    ITEM_THOUGHT,
    ITEM_TOOL,   /* a tool is called */
    ITEM_RESULT, /* what a tool gave back */
    ITEM_NOTE,   /* a line that is no event, or trouble */
};

struct item {
    enum item_kind kind;
    bool piece;      /* of what is said or thought: the next one may go on with it */
    bool failed;     /* of a result: the call went wrong; of a note: it is trouble */
    bool told_again; /* of a call: its result tells tool and about as well */
    struct str id;   /* a call and its result have the same; empty: it is not told */
    struct str tool, about; /* about: the path, command or pattern that says most */
    struct str text; /* of a call: its whole input, as JSON */
};

struct items {
    void (*visit)(void *context, const struct item *item); /* item is borrowed for the visit */
    void *context;
    struct arena arena; /* of the line that is read; {0} to begin with, empty afterwards */
};

/* One line of the stream; most events have no item. kind NULL: no line is an event. */
void items_line(struct items *items, const struct stream_kind *kind, struct str line);

/* ---- for the kinds of streams ---- */

void item_text(struct items *items, enum item_kind kind, struct str text, bool piece);
void item_trouble(struct items *items, struct str message);
/* A call, with its input of any type; input may be NULL. */
void item_call(struct items *items, struct str id, struct str tool, yyjson_val *input);
/* What it gave back: a text, a list of blocks with a text each, or anything. */
void item_result(struct items *items, struct str id, yyjson_val *content, bool failed);

/* The member of a tool's input that says most about it. */
struct str item_about(yyjson_val *input);
/* A value as a text: itself, the texts of a list of blocks, or JSON. Lives in items->arena. */
struct str item_value(struct items *items, yyjson_val *value);

#endif
