/* SPDX-License-Identifier: Apache-2.0
 *
 * scope.h - what a run looks at, decided once when it begins. */
#ifndef HONE_SETTINGS_SCOPE_H
#define HONE_SETTINGS_SCOPE_H

#include "base/arena.h"
#include "dialect/dialect.h"
#include "io/git/repo.h"
#include "settings/settings.h"

/* Whether an agent is among them that must be given what to look at: an analyzer. Models find the
 * change by themselves. */
bool scope_must_be_told(const struct run_settings *settings, struct arena *arena);

/* Makes settings->since what it stays for the whole run. A revision that was given becomes its
 * commit: ERR_USAGE where there is none. Where nothing was given, and an agent must be told: HEAD
 * when something differs from it, else "", everything. A change that the run itself makes later
 * must not narrow what it looks at. */
int scope_pin(const struct repo *repo, const struct dialect *dialect,
              struct run_settings *settings, struct arena *arena, struct err *err);

/* Whether nobody could look at anything: there is no commit, and no file but our own. */
bool scope_is_void(const struct repo *repo, struct arena *arena);

#endif
