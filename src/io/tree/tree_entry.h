/* SPDX-License-Identifier: Apache-2.0
 *
 * tree_entry.h - small questions about trees and their entries. For io's own files. */
#ifndef HONE_IO_TREE_TREE_ENTRY_H
#define HONE_IO_TREE_TREE_ENTRY_H

#include "io/tree/tree.h"

/* Whether the path is a private one, or below one. */
bool tree_leaves_out(const struct tree *tree, struct str path);

/* The same path on a side where nothing differs from HEAD. Borrows its path. */
struct tree_entry entry_as_in_head(const struct tree_entry *other);

bool entry_same_staged(const struct tree_entry *a, const struct tree_entry *b);

/* Drops entries whose files are, byte by byte, what a checkout makes of the commit. */
int tree_drop_made(const struct repo *repo, struct tree *tree, struct err *err);

/* One path that two commits differ in, as `git diff-tree -r -z --no-renames` has it. */
struct commit_change {
    struct str path; /* valid in a tree */
    uint32_t mode[2];
    char oid[2][OID_BYTES];
};
bool commit_change_cut(struct str *rest, struct commit_change *out);

/* A tree as the bytes of its file, and back; false, and an empty tree, for anything else. */
void tree_print(const struct tree *tree, struct buf *out);
bool tree_parse(struct str text, struct tree *tree);

#endif
