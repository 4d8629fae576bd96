/* SPDX-License-Identifier: Apache-2.0
 *
 * mends.h - what mends the findings of a listing, by lines, for reports that have it in them. */
#ifndef HONE_RUN_MENDS_H
#define HONE_RUN_MENDS_H

#include "format/report/listing.h"
#include "run/history.h"
#include "run/look.h"

/* Sets listing->fixes, for the items that it has now; all of it lives in arena. What cannot be
 * known is left out. Calls git where a repair fixed something, and reads files of the workspace. */
void mends_find(const struct look *look, const struct history *history, struct listing *listing,
                struct arena *arena);

#endif
