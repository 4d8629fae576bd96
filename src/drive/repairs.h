/* SPDX-License-Identifier: Apache-2.0
 *
 * repairs.h - what a repair really did about the findings it was given. */
#ifndef HONE_DRIVE_REPAIRS_H
#define HONE_DRIVE_REPAIRS_H

#include "drive/facts.h"

/* Gathers, of a fixer that answered: whether the tree is as it was, and which findings are
 * unresolved. Behind facts_answer(). */
int facts_repair(struct gathered *gathered, struct drive *drive, const struct live *live);

#endif
