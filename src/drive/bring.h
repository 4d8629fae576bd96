/* SPDX-License-Identifier: Apache-2.0
 *
 * bring.h - a change as two trees, brought to the user's tree as a whole, also after a kill. */
#ifndef HONE_DRIVE_BRING_H
#define HONE_DRIVE_BRING_H

#include "drive/drive.h"

/* A folder of ours with the trees BRING_FROM and BRING_TO: what the second has otherwise than the
 * first comes to the user's tree (io/tree/tree.h, tree_bring()). Versions that are replaced go to
 * BRING_REPLACED in it, versions that do not come to the folder left. */
#define BRING_FROM "from"
#define BRING_TO "to"
#define BRING_REPLACED "replaced"
/* The file in it that names the work tree; where it is missing that is the run's workspace. */
#define BRING_WHERE "where"

/* The change is for this work tree, which may be a lane's. Before bring_run(). */
int bring_aim(struct drive *drive, const char *folder, const struct repo *repo);
/* An attempt's doing, while the note names it (undo.h). what_left: the paths that did not come, as
 * text; "": all came. It lives as long as the run. */
int bring_run(struct drive *drive, struct live *live, const char *folder, const char *left,
              const char **what_left);
/* What the note names: the rest of it. */
int bring_finish(struct drive *drive, const char *folder, const char *left);

#endif
