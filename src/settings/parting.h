/* SPDX-License-Identifier: Apache-2.0
 *
 * parting.h - the commit that a change in a pipeline is measured against: where it parted from what
 * it is to go into. */
#ifndef HONE_SETTINGS_PARTING_H
#define HONE_SETTINGS_PARTING_H

#include "format/pipeline.h"
#include "io/git/repo.h"

struct parting_request {
    const struct pipeline *pipeline;
    const char *base;    /* a revision that the user named; NULL: none */
    const char *base_by; /* by what: "--base" */
    const char *head;    /* the commit that is judged, its whole name */
};

struct parting {
    const char *commit; /* its whole name; "": the change is the whole history, and all is new */
    const char *how;    /* why this one, in words */
};

/* Texts live in arena. ERR_USAGE where it cannot be found: says which commit is missing, how many
 * the clone has, and what brings it. */
int parting_find(const struct repo *repo, const struct parting_request *request,
                 struct arena *arena, struct parting *out, struct err *err);

#endif
