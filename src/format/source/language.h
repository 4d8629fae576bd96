/* SPDX-License-Identifier: Apache-2.0
 *
 * language.h - what a file is written in, by its name and by its first line.
 *
 * Room: what source files and build commands say of themselves: language, flags, includes. */
#ifndef HONE_FORMAT_SOURCE_LANGUAGE_H
#define HONE_FORMAT_SOURCE_LANGUAGE_H

#include "base/str.h"

#include <stdbool.h>

enum language { LANGUAGE_NONE, LANGUAGE_C, LANGUAGE_CXX, LANGUAGE_SHELL, LANGUAGE_COUNT };

/* By the end of its name: .c; .cc .cpp .cxx .C; .sh .bash .dash .ksh; headers are .h (C, as far as
 * a name can tell) .hh .hpp .hxx. Sets *header. */
enum language language_of_name(struct str path, bool *header);

/* The shell that a script asks for in its first line: "sh", "bash", "dash" or "ksh". "" where the
 * line asks for something else, NULL where there is no such line. */
const char *shell_of_head(struct str head);

/* The same by the end of a name; "sh" for .sh and for any other. */
const char *shell_of_name(struct str path);

#endif
