/* SPDX-License-Identifier: Apache-2.0
 *
 * tree_diff.h - what changed between two trees, as text. */
#ifndef HONE_IO_TREE_TREE_DIFF_H
#define HONE_IO_TREE_TREE_DIFF_H

#include "io/tree/tree.h"

/* Appends the delta of two trees (tree_align() was called) as git shows differences: with at most
 * bytes_max of it, and a line that says so where there is more. Binary files are named only, and
 * what could not be kept is. folder/name is a file of ours that may be replaced: an index for the
 * time of the call. */
int tree_diff(const struct repo *repo, const struct tree *before, const struct tree *after,
              const struct tree_delta *delta, size_t bytes_max, const char *folder,
              const char *name, struct buf *out, struct err *err);

#endif
