/* SPDX-License-Identifier: Apache-2.0
 *
 * wiring_parts.h - what the files of wiring share. */
#ifndef HONE_INSTALL_WIRING_PARTS_H
#define HONE_INSTALL_WIRING_PARTS_H

#include "install/wiring.h"

/* One more file below the host's folder, as it is now: the last of the list. links: the path may
 * be one. */
int wiring_add(struct wiring *wiring, const char *path, const char *what, bool links,
               struct err *err);
/* It shall hold text. */
void wiring_want(struct wiring_file *file, struct str text);

/* Codex's files that are ours as a whole, to be made, or to be removed. */
int wiring_plan_own(struct wiring *wiring, struct err *err);
int wiring_plan_gone(struct wiring *wiring, struct err *err);

#endif
