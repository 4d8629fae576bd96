/* SPDX-License-Identifier: Apache-2.0
 *
 * isolate.h - a fixer at work in a disposable work tree, and how its result comes to the user's. */
#ifndef HONE_DRIVE_ISOLATE_H
#define HONE_DRIVE_ISOLATE_H

#include "drive/drive.h"

/* When a run begins that wants it: ERR_USAGE where no work tree can be made. */
int isolate_check(struct drive *drive);
/* Tells the user which fixers of the run work so, and which do not and why. */
void isolate_tell(struct drive *drive);
/* Before an attempt begins there: the contract files, as they are now, for it to read. */
int isolate_begin(struct drive *drive, const struct live *live);
/* An attempt has ended so: what it changed comes to the user's tree, or nothing does. */
int isolate_end(struct drive *drive, struct live *live, enum verdict verdict);
/* Its end is in the journal, or it is lost: its work tree goes. But where its answer broke the
 * contract, the next attempt goes on there. */
void isolate_dispose(struct drive *drive, struct live *live);
/* Work trees of the run that no attempt works in any more: of a hone that was killed. */
void isolate_sweep(struct drive *drive);

#endif
