/* SPDX-License-Identifier: Apache-2.0
 *
 * guidelines.h - the project's rules for a run: which files hold them, and what these say. */
#ifndef HONE_SETTINGS_GUIDELINES_H
#define HONE_SETTINGS_GUIDELINES_H

#include "dialect/dialect.h"
#include "io/git/repo.h"
#include "settings/settings.h"

enum { GUIDELINES_FILES_MAX = 32, GUIDELINES_READ_BYTES_MAX = 1 << 20 };

/* Whose rules they are. */
struct guidelines_of {
    const struct repo *repo;
    const struct dialect *dialect;
    const char *start; /* the folder that the user was in: a relative HONE_CONFIG is from there */
};

/* Adds the rules to the files of the settings (dialect/rules.h), the nearest first, and a warning
 * for each that the change alters or that is left out. All lives in arena. ERR_FAILED where git
 * fails. */
int guidelines_pin(const struct guidelines_of *of, struct run_settings *settings,
                   struct arena *arena, struct err *err);

/* The user agrees to the rules as the folder has them, where there is no commit to read them from.
 * Does nothing where there is one. */
int guidelines_agree(const struct guidelines_of *of, const struct run_settings *settings,
                     struct err *err);

#endif
