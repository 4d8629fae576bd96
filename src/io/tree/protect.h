/* SPDX-License-Identifier: Apache-2.0
 *
 * protect.h - files that must stay as they are while an agent is at work. What they hold is kept in
 * a file of our own; a file that an agent changed is made again as it was.
 *
 * What is not there is kept too: it must not be there afterwards. Links are taken as links and
 * never followed. */
#ifndef HONE_IO_TREE_PROTECT_H
#define HONE_IO_TREE_PROTECT_H

#include "base/arena.h"
#include "base/err.h"

enum protect_kind {
    PROTECT_ABSENT,
    PROTECT_FILE,
    PROTECT_FOLDER,
    PROTECT_LINK,
    PROTECT_OTHER, /* a pipe, a socket, a device */
    PROTECT_KIND_COUNT
};

struct protect_entry {
    const char *base;  /* a folder that is ours to trust */
    const char *label; /* what stands in front of path for people: "", ".git/", "~/.claude/" */
    const char *path;  /* below base */
    const char *asked; /* the path that was asked for, where this stands for it; else "" */
    enum protect_kind kind;
    uint32_t mode;     /* of a file */
    bool whole;        /* text is all of a file, what follows all of a folder; false: too much */
    uint64_t size, mtime_ns;
    struct str text;   /* of a file its content, of a link where it leads */
};

/* Empty is a valid value. */
struct protect {
    struct arena arena;
    struct protect_entry *entries;
    uint32_t count, cap;
    uint64_t bytes; /* of all texts */
    bool gaps;      /* takes only what is not there, and links: the rest is held otherwise */
};

/* Adds a path (clean, relative) below base with all that is in it; a link on the way to it stands
 * for all behind it. Where base is not there nothing is added. */
int protect_take(struct protect *protect, const char *base, const char *label, const char *path,
                 struct err *err);
void protect_release(struct protect *protect);

/* As a file, and back. ERR_MISSING where there is none, ERR_FORMAT where it is not whole. */
int protect_save(const struct protect *protect, const char *folder, const char *name,
                 struct err *err);
int protect_load(struct protect *protect, const char *folder, const char *name, struct err *err);

/* Looks again. What differs is moved to the folder away (which is made), and what was there is
 * written again; without away it is only named. what names it, for people: empty where nothing
 * differed. No agent may be at work there. Folders and files that were not there and are empty are
 * only removed: sandboxes leave such where something was to be mounted. */
int protect_restore(const struct protect *before, const char *away, struct buf *what,
                    struct err *err);

#endif
