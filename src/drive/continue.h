/* SPDX-License-Identifier: Apache-2.0
 *
 * continue.h - a run that goes on from a contract file. */
#ifndef HONE_DRIVE_CONTINUE_H
#define HONE_DRIVE_CONTINUE_H

#include "drive/drive.h"

/* The contract file that the settings ask to continue, added to their files. */
int continue_pin(struct drive *drive, const struct dialect *dialect, struct settings *settings);
/* The past that it tells; nothing where there is none. */
int continue_restore(struct drive *drive, const struct dialect *dialect,
                     const struct settings *settings, struct restored *out);
/* A past that a run begins with. Its actions are not performed: the engine takes its events; the
 * journal gets the row and its events, in the transaction that is open. */
void past_step(struct drive *drive, const struct restored *past);
int past_put(struct drive *drive, const struct restored *past);
/* The run begins with that past. ERR_USAGE where the tree is not as the file left it. */
int continue_run(struct drive *drive, const struct restored *restored);
/* Says that a task which was given beside such a file is not taken. */
void continue_task(struct drive *drive, const char *task);
/* Before a resume: ERR_USAGE where that file is none that this run ever wrote. */
int continue_untouched(struct drive *drive);
/* Before that file is written again: where it is not as this process wrote it, another program has
 * changed it. That version is kept with the run, and the user is told. */
int continue_keep_other(struct drive *drive, const struct contract *contract);
/* ERR_BUSY where the lock file of the dialect names a process that lives. */
int claim_lock_file(struct drive *drive);

#endif
