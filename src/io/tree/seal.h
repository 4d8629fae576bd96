/* SPDX-License-Identifier: Apache-2.0
 *
 * seal.h - a cheap proof that nothing in a small work tree was touched.
 *
 * A seal is a sum over every file's name, inode, mode, size and times of change. Two equal seals
 * mean the same tree: the kernel sets the time of change, and no program can set it back. Two
 * different ones mean nothing yet: then the contents are compared (tree.h). A tree with too many
 * files, or with one that changed a moment ago, has no usable seal, and `git status` decides. */
#ifndef HONE_IO_TREE_SEAL_H
#define HONE_IO_TREE_SEAL_H

#include "io/git/repo.h"

struct seal {
    uint64_t sum[2];
    bool usable;
    bool large; /* too many files: it will not be usable next time either */
};

/* private_paths: as for tree_take(). refs: the folder of refs that counts, below the common git
 * folder ("refs/heads/x"); NULL: all refs do. */
void seal_take(const struct repo *repo, const char *const *private_paths, const char *refs,
               struct seal *out);
/* Of any folder, with at most so many files in it; false where it has more, or cannot be read. */
bool seal_folder(const char *path, uint32_t files_max, struct seal *out);
bool seal_is_large(const struct repo *repo); /* by the size of git's index alone */
bool seal_proves_same(const struct seal *before, const struct seal *after);

/* What tells a folder from every other, by whichever name it is reached: for locks. */
int file_identity(const char *path, uint64_t *device, uint64_t *inode, struct err *err);

#endif
