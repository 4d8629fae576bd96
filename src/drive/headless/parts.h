/* SPDX-License-Identifier: Apache-2.0
 *
 * parts.h - what the files of the headless driver share; no other room includes it. */
#ifndef HONE_DRIVE_HEADLESS_PARTS_H
#define HONE_DRIVE_HEADLESS_PARTS_H

#include "drive/fleet/fleet.h"
#include "drive/headless/headless.h"
#include "drive/headless/notices.h"
#include "drive/headless/pause.h"
#include "drive/headless/telemetry.h"
#include "drive/open.h"

/* A run in this process. */
struct headless {
    struct drive drive; /* first: the hands find the rest by it */
    struct report report;
    const struct headless_request *request;
    bool tidied; /* tidy.c was asked */
    struct telemetry telemetry;
    struct notices notices;
    struct pause pause;
    struct fleet fleet;
    bool damage_said; /* that the record of calls was damaged */
};

/* --- open.c: their context is the struct headless --- */
extern const struct opening_way headless_new, headless_left;

/* ---- tidy.c ---- */

/* The files that the dialect writes into the work tree get lines in the repository's info/exclude,
 * where they have none: git does not show them. Before any agent begins. */
void tidy_exclude(struct drive *drive);
/* Old runs that cannot go on are removed, as many as the settings say. */
void tidy_old_runs(struct drive *drive);

#endif
