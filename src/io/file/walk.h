/* SPDX-License-Identifier: Apache-2.0
 *
 * walk.h - relative paths below a folder, taken part by part and never through a link.
 *
 * For io's own files. What stands inside a workspace may have been put there by an agent: a link
 * in the middle of a path must not lead a write somewhere else. */
#ifndef HONE_IO_FILE_WALK_H
#define HONE_IO_FILE_WALK_H

#include "base/err.h"
#include "base/path.h"

#include <limits.h>
#include <sys/types.h>

/* folder/name with tail behind it; ERR_LIMIT where that is no path any more. */
int path_make(const char *folder, const char *name, const char *tail, char out[PATH_MAX],
              struct err *err);

/* Opens the folder at path (clean, or empty for root_fd itself) below root_fd; with make, missing
 * parts are made, and not synced. ERR_MISSING when a part is not there, ERR_FORMAT when
 * a part is a link or no folder. The message names the part; the caller says below what. */
int walk_open(int root_fd, struct str path, bool make, int *out, struct err *err);

/* walk_open for the folder of path; leaf gets its last part, ending in NUL. */
int walk_parent(int root_fd, struct str path, bool make, int *out, char leaf[NAME_MAX + 1],
                struct err *err);

int folder_open(const char *path, int *out, struct err *err); /* may be a link: it is our own */

/* The temporary name beside a file: always the same, so that what a killed writer left is found. */
void temp_name(const char *leaf, char out[NAME_MAX + 1]);

/* Writes all of it, also where write(2) takes it in parts. 0 or an errno value. */
int write_full(int fd, struct str content);

#endif
