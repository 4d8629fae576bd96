/* SPDX-License-Identifier: Apache-2.0
 *
 * rewrite.h - a file of an attempt's folder, read in pieces and, where need be, made anew.
 *
 * Never through a link, and only regular files. Until rewrite_commit() the file is what it was. A
 * process that has it open keeps reading the old content, also afterwards. */
#ifndef HONE_IO_FILE_REWRITE_H
#define HONE_IO_FILE_REWRITE_H

#include "base/buf.h"
#include "base/err.h"

struct rewrite {
    const char *folder, *name; /* borrowed */
    int fd, new_fd;            /* -1: not open; an empty file is not */
    uint64_t bytes;            /* its size when it was opened */
};

/* ERR_MISSING where there is none. rewrite_close() is due where it returns 0. */
int rewrite_open(struct rewrite *rewrite, const char *folder, const char *name, struct err *err);
void rewrite_close(struct rewrite *rewrite); /* what was begun and not committed is removed */

/* Appends what stands at `at`, at most `bytes`; nothing at the end of the file. */
int rewrite_read(const struct rewrite *rewrite, uint64_t at, size_t bytes, struct buf *out,
                 struct err *err);

/* Begins the new file with the first piece; then it takes the old one's place. */
int rewrite_add(struct rewrite *rewrite, struct str piece, struct err *err);
int rewrite_commit(struct rewrite *rewrite, struct err *err);

#endif
