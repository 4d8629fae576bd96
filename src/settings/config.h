/* SPDX-License-Identifier: Apache-2.0
 *
 * config.h - a dialect's own configuration files, read when a run begins and kept with it. */
#ifndef HONE_SETTINGS_CONFIG_H
#define HONE_SETTINGS_CONFIG_H

#include "settings/hone_json.h"

enum { CONFIG_BYTES_MAX = 1 << 20 };

/* Where a configuration file is; NULL where there is no home to look in. */
const char *config_path(const char *name, const char *workspace, struct arena *arena);

/* Puts the dialect's files that are there in front of settings->files. One that cannot be read is
 * a warning, in settings->warnings, and left out. Everything lives in arena. */
void config_load(const struct dialect *dialect, const char *workspace, struct settings *settings,
                 struct arena *arena);

/* What the repository's own files say, of those that config_load() read, and the user must agree to
 * (enum consent): "FILE: KEY" and its value each. Returns how many; they live in arena. */
uint32_t config_asked(const struct dialect *dialect, const struct settings *settings,
                      struct arena *arena, struct hone_value **out);

/* The user wrote these files: all that they say is agreed to. */
int config_agree(const struct dialect *dialect, const char *workspace,
                 const struct settings *settings, struct arena *arena, struct err *err);

/* ERR_USAGE where the user has not agreed to one of them in this workspace, and names it. */
int config_check(const struct dialect *dialect, const char *workspace,
                 const struct settings *settings, struct arena *arena, struct err *err);

#endif
