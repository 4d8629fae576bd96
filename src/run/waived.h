/* SPDX-License-Identifier: Apache-2.0
 *
 * waived.h - which waivers of a workspace hold now, and why the others do not. */
#ifndef HONE_RUN_WAIVED_H
#define HONE_RUN_WAIVED_H

#include "core/event.h"
#include "format/report/waivers.h"
#include "io/git/repo.h"

enum waiver_standing {
    WAIVER_HOLDS,
    WAIVER_EXPIRED, /* its last day is over */
    WAIVER_CHANGED, /* the code at its place is another, or gone */
    WAIVER_FOREIGN, /* it is part of the change that is reviewed, and not this user's */
    WAIVER_STANDING_COUNT
};

struct waived {
    struct waivers waivers;          /* as the file has them */
    enum waiver_standing *standings; /* of each ... */
    uint32_t *lines;                 /* ... and where its code is now, of one that holds */
    uint32_t counts[WAIVER_STANDING_COUNT];
    const char *measured;            /* what they must be in: "commit 0123456789ab"; "any commit" */
};

/* The file of the workspace: its text and its entries, in arena. ERR_USAGE where it cannot be read
 * or is broken. No file: there are none. */
int waived_read(const char *workspace, struct arena *arena, struct str *text,
                struct waivers *out, struct err *err);

/* since: the commit that the change is measured against; "" or NULL: HEAD. All lives in arena.
 * Errors as of waived_read(). */
int waived_load(const struct repo *repo, const char *since, struct arena *arena,
                struct waived *out, struct err *err);
/* Those that hold, for the engine; their number. */
uint32_t waived_list(const struct waived *waived, struct arena *arena, const struct waiver **out);
/* Which findings a person has decided to leave, by the waivers that hold now; those that are newer
 * than the run that found it count, too. *out has one for each, in arena. */
int waived_match(const struct repo *repo, const char *since, const struct finding *const *findings,
                 uint32_t count, struct arena *arena, bool **out, struct err *err);
/* "2 waivers do not hold: 1 expired, 1 whose code changed: hone waive --list", and what else there
 * is to say at the beginning of a run, a line each; "": nothing. */
const char *waived_say(const struct waived *waived, struct arena *arena);

/* The user has made this entry: it counts in this workspace before it is committed. Or has taken it
 * back: it counts no more, unless it is committed. */
int waived_agree(const char *workspace, const struct waiver_entry *entry, struct arena *arena,
                 struct err *err);
int waived_take_back(const char *workspace, const struct waiver_entry *entry, struct arena *arena,
                     struct err *err);

/* The hash of the code at a place in the workspace; 0: nothing can be read there. */
uint64_t waived_code(const char *workspace, struct str file, uint32_t line);
/* Whether the code that the entry is about is still in its file. */
bool waived_code_is_there(const char *workspace, const struct waiver_entry *entry);

const char *waiver_standing_word(enum waiver_standing standing); /* for JSON: "holds" ... */

#endif
