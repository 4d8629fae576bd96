/* SPDX-License-Identifier: Apache-2.0
 *
 * status.h - what `git status --porcelain=v2 -z --branch --no-renames` says, as data.
 *
 * For io's own files. Pure: text in, lines out. */
#ifndef HONE_IO_GIT_STATUS_H
#define HONE_IO_GIT_STATUS_H

#include "base/arena.h"
#include "base/err.h"

enum { OID_BYTES = 65 }; /* of an object's id in hexadecimal digits, with a zero behind */

struct status_line {
    struct str path;
    bool untracked;   /* a `?` line: nothing below but the path is set */
    bool hidden;      /* git is told not to look at it (index.h); others come first */
    bool repository;  /* an untracked repository inside ours: not looked into */
    char module[5];   /* a submodule's state, such as "SC.."; "" for a file */
    char inside[OID_BYTES]; /* of a repository: a word for what is in it (io/tree/nested.h) */
    uint32_t mode;    /* in the work tree; 0: deleted */
    uint32_t staged_mode, head_mode;
    char staged[OID_BYTES], head[OID_BYTES];
    struct str stages; /* of an unmerged path: "MODE OID" of its stages 1 to 3, '-' for none */
};

struct status {
    char head[OID_BYTES];
    struct str branch; /* "(detached)" without one; views point into the text or the arena */
    struct status_line *lines; /* in git's order */
    uint32_t count;
};

/* ERR_FORMAT for anything that git would not say. */
int tree_parse_status(struct str text, struct arena *arena, struct status *out, struct err *err);

bool oid_is_valid(struct str oid);                 /* 40 or 64 lower-case hexadecimal digits */
bool mode_parse(struct str text, uint32_t *out);   /* octal; only modes that git has */
bool oid_parse(struct str text, char out[OID_BYTES]); /* all zeros become "" */

/* May be put into a tree: clean (walk.h), and not inside a git folder. */
bool tree_path_is_valid(struct str path);

#endif
