/* SPDX-License-Identifier: Apache-2.0
 *
 * scope.h - what a run looks at, decided once when it begins. */
#ifndef HONE_SETTINGS_SCOPE_H
#define HONE_SETTINGS_SCOPE_H

#include "dialect/dialect.h"
#include "io/git/repo.h"
#include "settings/settings.h"

/* Whether one of the agents must be told what to look at: an analyzer. Models find the change by
 * themselves. */
bool scope_must_be_told(const struct run_settings *settings, struct arena *arena);

/* Sets settings->since for the whole run. A revision that the user gave becomes its commit:
 * ERR_USAGE where there is none. Where the user gave none and an agent must be told, it is HEAD
 * when something differs from it, else "": everything. A change that the run itself makes later
 * must not narrow what it looks at. */
int scope_pin(const struct repo *repo, const struct dialect *dialect,
              struct run_settings *settings, struct arena *arena, struct err *err);

/* Whether anything but the dialect's own files (NULL: of no dialect), hone's, and those that hone
 * speaks to, differs from HEAD. */
int scope_has_changed(const struct repo *repo, const struct dialect *dialect, bool *changed,
                      struct arena *arena, struct err *err);

/* Whether there is nothing to review: no commit, and no file but hone's own. */
bool scope_is_void(const struct repo *repo, struct arena *arena);

#endif
