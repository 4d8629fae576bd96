/* SPDX-License-Identifier: Apache-2.0
 *
 * uri.h - paths as parts of addresses. */
#ifndef HONE_FORMAT_REPORT_URI_H
#define HONE_FORMAT_REPORT_URI_H

#include "base/buf.h"
#include "base/str.h"

#include <stdbool.h>

/* Appends a path: letters, digits, "-._~" and "/" as they are, every other byte as %XX. */
void uri_path(struct buf *out, struct str path);

/* The path that a file's address names, in out, which was empty: "file:///a%20b" is "/a b". The host
 * is empty, localhost or that name. False for other schemes and hosts, a path of Windows (with the
 * letter of a drive), one that goes up, is relative or has a NUL, a query, a fragment, and a % that
 * no two digits follow. */
bool uri_file(struct str uri, const char *host, struct buf *out);

/* Whether a path leads from a folder to something below it: not absolute, no ".." on the way, no
 * NUL, and not nothing at all. */
bool path_below(struct str path);

/* Appends such a path like uri_path(), without "." and empty parts on the way. False, and nothing
 * is appended, for any other. */
bool uri_below(struct buf *out, struct str path);

#endif
