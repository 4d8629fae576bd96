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
    const char *const *ends; /* of the names of files: ".cc"; NULL ends, as in all lists here */
    const char *const *header_ends; /* and of those that are part of others; NULL: none are */
    const char *const *paths;    /* patterns (format/text/pattern.h): "Dockerfile"; NULL: none. They
                                    come before the ends of names */
    const char *const *programs; /* that run such a file, by its first line: "node"; NULL: none */
    const struct language *wider; /* what reads this one reads its files, too; NULL: none does */
    bool aside; /* it stands beside a program (prose, settings): that no tool for it is installed
                   need not be said */
    bool prose; /* for people alone: no word in it changes what a program does */
};

/* language_any is no file's: an analyzer that names it is given every source. */
extern const struct language language_c, language_cxx, language_shell, language_any;

/* Whether a file is in this language, by the end of its name; *header, too. A .h is C, as far as a
 * name can tell. */
bool language_has(const struct language *language, struct str path, bool *header);
/* The same by its patterns, which are about the whole path. */
bool language_has_path(const struct language *language, struct str path);
/* Whether it is this language, or one that this one is wider than. */
bool language_is(const struct language *language, const struct language *wanted);

/* The program that the first line asks for, without its folder and behind `env`: "python3" for
 * "#!/usr/bin/env python3"; false where there is no such line. Empty where it names none. */
bool program_of_head(struct str head, struct str *out);
/* Whether that program runs files of this language: "python3.11" is "python3". */
bool language_has_program(const struct language *language, struct str program);

/* The shell that a script asks for in its first line: "sh", "bash", "dash" or "ksh". "" where the
 * line asks for something else, NULL where there is no such line. */
const char *shell_of_head(struct str head);

/* The same by the end of a name; "sh" for .sh and for any other. */
const char *shell_of_name(struct str path);

#endif
