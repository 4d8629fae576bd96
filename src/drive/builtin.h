/* SPDX-License-Identifier: Apache-2.0
 *
 * builtin.h - roles that hone plays itself. */
#ifndef HONE_DRIVE_BUILTIN_H
#define HONE_DRIVE_BUILTIN_H

#include "drive/drive.h"
#include "drive/outcome.h"

/* What to run for it; NULL: it has ended already. */
const char *const *builtin_command(struct drive *drive, struct live *live, struct arena *arena);
bool builtin_is_command(const struct drive *drive, const struct action *action);
enum builtin_kind builtin_kind_of(const struct drive *drive, const struct action *action);
/* Whether hone played the role, as that kind, and it came to what it should. */
bool builtin_made(const struct facts *facts, enum builtin_kind kind);

#endif
