/* SPDX-License-Identifier: Apache-2.0
 *
 * own.h - hone's own settings at the command line: said, asked about, shown, changed. */
#ifndef HONE_CMD_OWN_H
#define HONE_CMD_OWN_H

#include "cmd/parse.h"
#include "settings/choose.h"
#include "settings/hone_files.h"
#include "settings/hone_use.h"

/* Before a run begins: what settings files say for it, a line for each file, on standard error.
 * Where a file that came with the repository would run a command, the user must agree: at the
 * terminal, by --trust, or once before. ERR_USAGE where the user has not. */
int own_agree(struct call *call, const struct hone_own *own, const struct hone_use *use,
              struct err *err);

/* The settings files that are there; the agent of each role, by flags, files and choice.
 * Harmless, in one line; they live in arena. */
const char *own_files_text(const struct hone_own *own, struct arena *arena);
const char *own_agents_text(const struct run_settings *named, const struct selection *selection,
                            struct arena *arena);

/* Notes that the user agrees to everything that the project's file names: the caller has just
 * written it for the user. */
int own_remember(const struct hone_own *own, struct err *err);

/* Every setting with its value and where it comes from, as hone config lists them. */
void own_list(const struct hone_own *own, struct arena *arena, struct config_list *out);

/* `hone config set` and `unset` (word NULL); the exit code. */
int own_set(const struct call *call, const char *path, const char *word);

#endif
