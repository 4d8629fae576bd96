/* SPDX-License-Identifier: Apache-2.0
 *
 * undo.h - what an attempt wrote and had not checked is taken back, where its backend can
 * (agent.h); and what came half out of a disposable work tree comes as a whole. */
#ifndef HONE_DRIVE_UNDO_H
#define HONE_DRIVE_UNDO_H

#include "drive/drive.h"

/* Before the attempt's process is started: a note says that it may have to be undone. */
int undo_begin(struct drive *drive, struct live *live);
/* Its process has ended. */
int undo_end(struct drive *drive, struct live *live, const struct notice *notice);
/* Of a run that goes on: an attempt that did not end by itself, also where a power cut took the
 * note. */
int undo_lost(struct drive *drive, struct live *live);
/* The note, as the attempts at work are. */
int undo_note(struct drive *drive);
/* What the note names and no process is at work on any more: of a run that was killed, or that was
 * stopped at once. The workspace is locked. */
int undo_left(struct drive *drive);

#endif
