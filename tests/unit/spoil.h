/* SPDX-License-Identifier: Apache-2.0
 *
 * spoil.h - a tree that is taken, spoilt by the test, and then compared or put back.
 *
 * Paths below .agents/ are private. */
#ifndef HONE_TESTS_SPOIL_H
#define HONE_TESTS_SPOIL_H

#include "ground.h"
#include "io/tree/tree.h"

struct spoil {
    struct ground *ground;
    struct repo repo;
    struct tree before;
};

void spoil_begin(struct spoil *spoil, void **state); /* takes the tree in the ground's work */

/* What changed since, as text: "modified clean, added new". Valid until the next call. */
const char *spoil_delta(struct spoil *spoil, bool align);

/* Puts the tree back; what is replaced goes to keep. The code of tree_put_back. */
int spoil_put_back(struct spoil *spoil, const char *keep, struct err *err);
void spoil_expect_as_before(struct spoil *spoil); /* nothing differs from what was taken */
void spoil_finish(struct spoil *spoil);           /* releases it */

/* Puts back into root/keep, which must work and leave nothing that differs; and releases. */
void spoil_end(struct spoil *spoil);

#endif
