/* SPDX-License-Identifier: Apache-2.0
 *
 * piece.h - files that go over a line in pieces, and come so.
 *
 * Only regular files, never through a link. Nothing is synced. */
#ifndef HONE_IO_FILE_PIECE_H
#define HONE_IO_FILE_PIECE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/sha256.h"

/* Appends what stands from byte `at` on, at most bytes_max of it; nothing behind the end. */
int file_piece_read(const char *path, uint64_t at, size_t bytes_max, struct buf *out,
                    struct err *err);

/* Puts bytes at their place in folder/name, which is made (mode 0600) where it is missing. What was
 * not written in between reads as zeros. */
int file_piece_write(const char *folder, const char *name, uint64_t at, struct str bytes,
                     struct err *err);

/* The sum of a whole file, and how long it is. */
int file_sum(const char *path, unsigned char sum[SHA256_BYTES], uint64_t *bytes, struct err *err);

/* Waits until a file is on the disk. */
int file_sync(const char *path, struct err *err);

/* It is used now; and how long it was not, by the clock of its disk. False: there is no such
 * regular file. */
void file_use(const char *path);
bool file_unused(const char *path, uint64_t *bytes, uint64_t *unused_ms);

#endif
