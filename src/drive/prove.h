/* SPDX-License-Identifier: Apache-2.0
 *
 * prove.h - a repair that made things worse is taken back. */
#ifndef HONE_DRIVE_PROVE_H
#define HONE_DRIVE_PROVE_H

#include "drive/drive.h"

/* The command that proves; NULL: none can, and the proof says nothing. */
const char *prove_command(const struct drive *drive);
/* Before an attempt begins: the tree as it is before a repair, and before its proof, is kept. */
int prove_begin(struct drive *drive, const struct live *live);
/* A proof has ended: where it failed, and held before the repair, the repair is taken back, and
 * the result says so. Its texts are in pending's arena. */
int prove_end(struct drive *drive, struct live *live, struct pending *pending);

#endif
