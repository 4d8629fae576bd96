/* SPDX-License-Identifier: Apache-2.0
 *
 * language.h - what a file is written in, by its name and by its first line.
 *
 * Room: what source files and build commands say of themselves: language, flags, includes. */
#ifndef HONE_FORMAT_SOURCE_LANGUAGE_H
#define HONE_FORMAT_SOURCE_LANGUAGE_H

#include "base/str.h"

#include <stdbool.h>

/* A language is a constant, and is told from others by its address; NULL is none. These are those
 * that more than one file speaks of: an analyzer's own stands in its file. */
struct language {
    const char *name;        /* for people: "C++" */
    const char *const *ends; /* of the names of files: ".cc"; NULL ends */
    const char *const *header_ends; /* and of those that are part of others; NULL: none are */
};

extern const struct language language_c, language_cxx, language_shell;

/* Whether a file is in this language, by the end of its name; *header, too. A .h is C, as far as a
 * name can tell. */
bool language_has(const struct language *language, struct str path, bool *header);

/* The shell that a script asks for in its first line: "sh", "bash", "dash" or "ksh". "" where the
 * line asks for something else, NULL where there is no such line. */
const char *shell_of_head(struct str head);

/* The same by the end of a name; "sh" for .sh and for any other. */
const char *shell_of_name(struct str path);

#endif
