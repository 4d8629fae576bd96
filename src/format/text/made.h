/* SPDX-License-Identifier: Apache-2.0
 *
 * made.h - whether a file is the work of the people of a project, or was made by a program or by
 * others. Such files are neither reviewed nor fixed unless that is asked for. Pure. */
#ifndef HONE_FORMAT_TEXT_MADE_H
#define HONE_FORMAT_TEXT_MADE_H

#include "base/arena.h"
#include "base/str.h"

enum made {
    MADE_BY_PEOPLE,
    MADE_GENERATED, /* its first lines, its name or .gitattributes say so */
    MADE_MINIFIED,
    MADE_LOCK,      /* a package manager's list of versions */
    MADE_VENDORED,  /* in a folder for the work of others */
    MADE_BINARY,
    MADE_COUNT
};

extern const char *const made_words[MADE_COUNT]; /* "generated" ... behind "it is" */

/* What .gitattributes files say (linguist-generated, linguist-vendored). Empty is a valid value;
 * texts are borrowed, the list lives in arena. */
struct made_rule {
    struct str folder, pattern; /* folder: of the file; "" at the top */
    enum made made;             /* MADE_GENERATED or MADE_VENDORED */
    bool set;
};
struct made_rules {
    struct made_rule *items;
    uint32_t count, cap;
};

/* Adds the rules of the .gitattributes in a folder: those of a folder behind those above it. */
void made_rules_add(struct made_rules *rules, struct str folder, struct str text,
                    struct arena *arena);

/* head: the first bytes of the file, MADE_HEAD_BYTES or all of it. */
enum { MADE_HEAD_BYTES = 8 << 10 };
enum made made_of(const struct made_rules *rules, struct str path, struct str head);

/* By its name alone: a lock file, minified or generated code. */
bool file_is_made(struct str path);

#endif
