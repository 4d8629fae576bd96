/* SPDX-License-Identifier: Apache-2.0
 *
 * repairs.h - what a repair really did about the findings it was given. */
#ifndef HONE_DRIVE_REPAIRS_H
#define HONE_DRIVE_REPAIRS_H

#include "drive/facts.h"
#include "io/tree/tree.h"

/* What is held against a fixer's report. */
struct repaired {
    const struct batch *review;
    const struct tree_delta *delta; /* what changed since the review */
    struct line_map moved;          /* the same by lines; a file that it does not list counts as
                                       changed everywhere */
    struct str report;
};

/* The findings of the review that are unresolved, in arena; how many. Pure. */
uint32_t repair_doubts(const struct repaired *repaired, struct arena *arena,
                       const struct doubtful **out);

/* Gathers, of a fixer that answered: whether the tree is as it was, and which findings are
 * unresolved. Behind facts_answer(). */
int facts_repair(struct gathered *gathered, struct drive *drive, const struct live *live);

#endif
