/* SPDX-License-Identifier: Apache-2.0
 *
 * told.h - the parts of a session's prompts that tell what was found and what changed. */
#ifndef HONE_DIALECT_SESSION_TOLD_H
#define HONE_DIALECT_SESSION_TOLD_H

#include "dialect/session/session.h"

/* What every part of a prompt needs. */
struct sheet {
    const struct run_view *run;
    const struct prompt_request *request;
    struct arena *arena;
    const struct session_story *story;
    const char *phase;
    uint32_t number; /* of the round */
    struct buf *out;
};

/* Each writes its section, or nothing where there is nothing to tell. */
void told_open_issues(const struct sheet *sheet); /* what a repair is to mend */
void told_findings(const struct sheet *sheet);    /* every issue so far, and what became of it */
void told_history(const struct sheet *sheet);     /* Review History, its newest part */
void told_tree(const struct sheet *sheet);        /* changed files, this round's delta, the diff */

#endif
