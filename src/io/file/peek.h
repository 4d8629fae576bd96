/* SPDX-License-Identifier: Apache-2.0
 *
 * peek.h - many files of a workspace, looked at one after the other and never through a link.
 *
 * The folder that was opened last is kept. So in the order of their paths, files cost one call
 * each to look at, at any depth. */
#ifndef HONE_IO_FILE_PEEK_H
#define HONE_IO_FILE_PEEK_H

#include "base/arena.h"
#include "base/err.h"

struct peek {
    int root_fd, folder_fd;
    struct buf folder; /* the path of folder_fd */
};

struct peeked {
    uint64_t bytes;
    bool executable; /* by its owner */
};

int peek_open(struct peek *peek, const char *root, struct err *err);
void peek_close(struct peek *peek);

/* Whether path (relative) is a regular file that no link leads to; out may be NULL. */
bool peek_look(struct peek *peek, struct str path, struct peeked *out);

/* Appends the first bytes of such a file, at most bytes_max. ERR_MISSING when it is none. */
int peek_head(struct peek *peek, struct str path, size_t bytes_max, struct buf *out,
              struct err *err);

/* Appends a whole file; ERR_LIMIT when it is longer than out has room for. */
int peek_read(struct peek *peek, struct str path, struct buf *out, struct err *err);

/* ---- by absolute paths, links followed: what a compiler would find ---- */

/* The real path of a regular file or folder, in arena; NULL when there is none. */
const char *real_file(const char *path, struct arena *arena);
const char *real_folder(const char *path, struct arena *arena);

/* The names in a folder that begin with prefix, in byte order; NULL ends. Empty for no folder. */
const char *const *folder_names(const char *path, const char *prefix, struct arena *arena);

#endif
