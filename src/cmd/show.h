/* SPDX-License-Identifier: Apache-2.0
 *
 * show.h - what the files of hone show share. */
#ifndef HONE_CMD_SHOW_H
#define HONE_CMD_SHOW_H

#include "agent/agent.h"
#include "run/history.h"
#include "run/look.h"

#include <stdbool.h>

struct show {
    struct look look;
    struct run replay;
    struct history history;
};

/* One attempt. */
struct shown {
    const struct entry *entry;
    const char *folder;
    struct agent agent;
    const struct stream_kind *stream; /* NULL: its standard output is no stream of events */
};

/* --- show_evidence.c --- */
/* What the attempt did for its answer; nothing where its backend does not tell. */
void evidence_text(const struct shown *shown, struct buf *out);
void evidence_json(const struct shown *shown, yyjson_mut_doc *doc, yyjson_mut_val *root);
/* A stream as text: what was said, and a line for each call of a tool. */
void stream_text_of(const struct shown *shown, struct str stream, struct buf *out);

/* --- show_follow.c --- */
struct follow_request {
    bool json, raw;
};

/* Shows what the attempt says until it has ended. */
int show_follow(struct show *show, struct shown *shown, const struct follow_request *request,
                struct err *err);

#endif
