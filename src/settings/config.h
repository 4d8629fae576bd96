/* SPDX-License-Identifier: Apache-2.0
 *
 * config.h - a dialect's own configuration files, read when a run begins and kept with it. */
#ifndef HONE_SETTINGS_CONFIG_H
#define HONE_SETTINGS_CONFIG_H

#include "dialect/dialect.h"

enum { CONFIG_BYTES_MAX = 1 << 20 };

/* Where a configuration file is; NULL where there is no home to look in. */
const char *config_path(const char *name, const char *workspace, struct arena *arena);

/* Puts the dialect's files that are there in front of settings->files. One that cannot be read is
 * a warning, in settings->warnings, and left out. Everything lives in arena. */
void config_load(const struct dialect *dialect, const char *workspace, struct settings *settings,
                 struct arena *arena);

#endif
