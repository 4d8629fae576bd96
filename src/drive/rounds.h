/* SPDX-License-Identifier: Apache-2.0
 *
 * rounds.h - what a writer's round changed. */
#ifndef HONE_DRIVE_ROUNDS_H
#define HONE_DRIVE_ROUNDS_H

#include "drive/drive.h"
#include "io/tree/tree.h"

/* What a dialect is told of a tree: rounds.c. Empty is a valid value. */
struct round_tree {
    struct arena arena;
    struct tree before, now;
    struct tree_delta delta;
    struct tree_view view;
    bool known; /* false: the dialect does not ask for it */
};

/* Before each attempt: where it is a writer's first of its job, the tree is remembered. */
int round_begin(struct drive *drive, const struct live *live);
/* What the writer, or the newest writer of a reviewer's lane, has changed. */
int round_look(struct drive *drive, const struct live *live, struct round_tree *out);
/* The workspace as it is: head and dirty files. */
int tree_view_take(struct drive *drive, struct round_tree *out);
void round_release(struct round_tree *round);

#endif
