/* SPDX-License-Identifier: Apache-2.0
 *
 * filtered.h - files that git calls unchanged though their bytes are not those of the commit.
 *
 * For io/travel's own files. */
#ifndef HONE_IO_TRAVEL_FILTERED_H
#define HONE_IO_TRAVEL_FILTERED_H

#include "io/tree/tree.h"

/* Adds to out, as entries with their raw content, those of HEAD's files that tree does not name
 * and that a filter, a line end rule or an encoding made other than the commit has them. words gets
 * "autocrlf VALUE" and "eol VALUE", a line each, where they are set. */
int filtered_find(const struct repo *repo, const struct tree *tree, struct tree *out,
                  struct buf *words, struct err *err);

#endif
