/* SPDX-License-Identifier: Apache-2.0
 *
 * folder.h - what can be said of a folder without writing to it; its names; its end. */
#ifndef HONE_IO_FILE_FOLDER_H
#define HONE_IO_FILE_FOLDER_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct folder_state {
    bool writable;       /* we may make files in it */
    uint64_t free_bytes; /* that we may use on its disk */
};

/* ERR_MISSING where there is no such folder. */
int folder_look(const char *path, struct folder_state *out, struct err *err);

/* Whether there is nothing in it but what these names are of; NULL ends. False where it cannot be
 * read. */
bool folder_has_only(const char *path, const char *const *names);

/* Makes a link in `to` for each name in `from` that `to` does not have yet, but for .git. Both are
 * absolute. ERR_MISSING where there is no `from`. */
int folder_link_names(const char *from, const char *to, struct err *err);

/* Removes a folder that has nothing in it; one that has, or a link, stays. */
void folder_remove_empty(const char *path);

/* Whether it holds files, folders and links alone, at any depth. False also where that cannot be
 * seen, or is deeper than a tree of files would be. */
bool folder_is_plain(const char *path);

/* Removes a folder of ours, never following a link. Folders in it that we may not write to are
 * opened first: tools protect their caches like that. Not there: fine. */
int folder_erase(const char *path, struct err *err);

/* From here on it is this process's own current folder: for one that lives longer than the folder
 * that it was started in may. */
int folder_enter(const char *path, struct err *err);

/* ---- folder_linux.c; another system fills it in its own way ---- */

enum { FOLDER_PIECE_BYTES = 8192, FOLDER_ENTRY_ALIGN = 8 };

/* Some of the names in a folder, on the caller's stack. */
struct folder_piece {
    long at, size; /* size: 0 at the folder's end, -1 where it cannot be read */
    _Alignas(FOLDER_ENTRY_ALIGN) char entries[FOLDER_PIECE_BYTES];
};

/* The next names of an open folder, as many as fit, "." and ".." too; false: there are none. */
bool folder_read(int fd, struct folder_piece *piece);
const char *folder_next(struct folder_piece *piece); /* NULL: the piece has no more */

/* Two files change names at one stroke. False where the file system cannot do that. */
bool folder_exchange(const char *a, const char *b);

/* A file in an open folder gets another name there, which nothing has: EEXIST where something does.
 * 0 or an errno value. */
int folder_name(int fd, const char *from, const char *to);

#endif
