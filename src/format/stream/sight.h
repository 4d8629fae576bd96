/* SPDX-License-Identifier: Apache-2.0
 *
 * sight.h - proof of reading: what an agent was shown of the files, and whether that covers the
 * files that it judges. Pure.
 *
 * A sight is one thing that was shown: the contents of a file, or a difference that git printed.
 * Commands are judged by their text, conservatively: a command that is not known to show contents
 * shows none. */
#ifndef HONE_FORMAT_STREAM_SIGHT_H
#define HONE_FORMAT_STREAM_SIGHT_H

#include "base/arena.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum { SIGHT_PATH_BYTES_MAX = 1024, SIGHT_EXCEPT_MAX = 16, SIGHTS_ENOUGH = 64 };

enum sight_kind {
    SIGHT_FILE,     /* contents of a file */
    SIGHT_SINCE,    /* git diff COMMIT: the work tree against another commit than HEAD */
    SIGHT_HEAD,     /* git diff HEAD */
    SIGHT_UNSTAGED, /* git diff */
    SIGHT_STAGED,   /* git diff --cached */
    SIGHT_COMMITS,  /* git show, git log -p, git diff A..B: what is committed */
    SIGHT_KIND_COUNT
};

struct sight {
    enum sight_kind kind;
    struct str at;   /* the folder that the command ran in; empty: the workspace */
    struct str path; /* a file, or for git a folder too; may hold * and ?. Empty: all files */
    struct str except[SIGHT_EXCEPT_MAX]; /* for git: these were left out */
    uint32_t except_count;
};

struct sights {
    struct sight *items; /* grows in the arena that it was filled from */
    uint32_t count, cap;
    bool busy; /* a command did something, if only to list names: `true` and `echo` do not */
};

void sights_add(struct sights *sights, const struct sight *sight, struct arena *arena);
/* What a shell command shows, behind what there is. */
void sights_command(struct str command, struct arena *arena, struct sights *out);

/* A file of the change under review. */
struct changed_file {
    struct str path; /* relative to the workspace */
    bool dirty;      /* it differs from HEAD; else a commit brought the change */
    bool untracked;  /* git diff does not show it */
    bool staged;     /* the index differs from HEAD ... */
    bool unstaged;   /* ... and the work tree from the index */
};

/* The files that no sight shows, in arena; none where SIGHTS_ENOUGH of them were looked at: of a
 * change that is larger, not each file is demanded. workspace is absolute. */
uint32_t sights_missing(const struct sights *sights, const struct changed_file *files,
                        uint32_t count, const char *workspace, struct arena *arena,
                        const struct str **missing);

#endif
