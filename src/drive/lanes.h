/* SPDX-License-Identifier: Apache-2.0
 *
 * lanes.h - lanes of tasks: where they begin, how work trees are made, how lanes are merged. */
#ifndef HONE_DRIVE_LANES_H
#define HONE_DRIVE_LANES_H

#include "drive/drive.h"
#include "run/site.h"

#define SITE_ID (UINT64_C(1) << 63) /* with a lane: the making of its work tree, not an attempt */
#define ISOLATED_ID (UINT64_C(1) << 62) /* beside it, with a job: of a disposable one */

/* When a run begins whose plan fans: the commit that its lanes begin at. */
int lanes_begin(struct drive *drive);
/* False: the attempt waits for its lane's work tree, and is launched when that is there. */
bool site_enter(struct drive *drive, struct live *live);
void site_made(struct drive *drive, const struct notice *notice);
/* Leaves the order for `hone agent integrate` with the attempt. */
int integrate_prepare(struct drive *drive, const struct live *live, const char *message);
/* Whether the lane was merged by an attempt that may not have lived to say so. */
bool lane_was_merged(const struct drive *drive, uint32_t lane);
/* When the run has ended: what was merged is removed; what was not is named. */
void lanes_end(struct drive *drive);
void lanes_report(struct drive *drive, struct buf *out);

#endif
