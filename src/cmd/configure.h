/* SPDX-License-Identifier: Apache-2.0
 *
 * configure.h - what the files of `hone configure` share. */
#ifndef HONE_CMD_CONFIGURE_H
#define HONE_CMD_CONFIGURE_H

#include "base/buf.h"
#include "base/err.h"
#include "dialect/iterate/iterate.h"

/* Whoever answers: a person, or a pipe. */
struct asker {
    bool terminal; /* a wrong answer may be given as often as one likes */
    bool quiet;    /* questions are not shown */
    struct buf line;
};

void asker_init(struct asker *asker, bool quiet);
void asker_release(struct asker *asker);

/* What was answered: settings that somebody wants, given or as they are. */
struct wishes {
    bool given[PHASE_NUMBER_MAX + 1][FIELD_COUNT];
    struct iterate_config values;
};

enum { PLACE_USER, PLACE_PROJECT, PLACE_BOTH, PLACE_COUNT };

/* All questions about the phases; now is what holds, and what an empty answer keeps. ERR_USAGE
 * where the answers end too early or never fit. */
int ask_wishes(struct asker *asker, const struct iterate_config *now, struct wishes *out,
               struct err *err);

/* Where to save; exists says which files there are. */
int ask_place(struct asker *asker, const bool exists[2], uint32_t *place, struct err *err);
/* What to reset: one of the two, or both. */
int ask_reset(struct asker *asker, const bool exists[2], uint32_t *place, struct err *err);

/* A configuration file that is to be written. */
struct target {
    const char *name;        /* as people know it */
    const char *root, *path; /* where it is really written */
    const char *backup;      /* below backup_root */
    const char *backup_root;
    bool exists;
    struct str text;         /* what it holds now */
};

/* Looks at the file in this place (PLACE_USER or PLACE_PROJECT) and reads it. */
int target_open(struct target *target, uint32_t place, const char *workspace, struct arena *arena,
                struct err *err);

/* The file's text with the wishes that were given in it: everything else is kept. False where what
 * it holds now is no JSON object: then the text holds the wishes alone. Pure. */
bool target_merge(struct str old, const struct wishes *wishes, struct buf *out);

/* Keeps what is there as NAME.backup, and writes. */
int target_write(const struct target *target, struct str text, struct err *err);
/* Keeps what is there as NAME.backup, and removes it. */
int target_remove(const struct target *target, struct err *err);

#endif
