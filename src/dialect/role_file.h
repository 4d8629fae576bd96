/* SPDX-License-Identifier: Apache-2.0
 *
 * role_file.h - a role that a user wrote: Markdown with YAML in front. Pure.
 *
 *     ---
 *     description: finds what is slow
 *     extends: critic
 *     paths: [src/net/, "*.sql"]
 *     ---
 *     - A query inside of a loop.
 *
 * The text below the second line of dashes is what the agent is told to look for. A file of Claude
 * Code's agents is a role as it is. */
#ifndef HONE_DIALECT_ROLE_FILE_H
#define HONE_DIALECT_ROLE_FILE_H

#include "dialect/dialect.h"

enum {
    ROLE_NAME_BYTES_MAX = 40,
    ROLE_FILE_BYTES_MAX = 128 << 10,
    ROLE_CHAIN_MAX = 8, /* files that extend each other */
};

/* A file, as it is written. Its texts live in the arena that the reader was given; what is not said
 * is NULL, or false. */
struct role_file {
    const char *name, *path;
    const char *description;
    const char *extends;     /* the role whose remit comes first */
    bool replaces;           /* it takes the place of the built-in role of its name */
    const char *agent, *effort;
    const char *model;       /* that Claude Code plays it with, where no SPEC names another */
    const char *paths;       /* patterns, one in a line: asked only where the change touches them */
    bool writes;
    bool no_network, no_home, no_tmp; /* rights that its agent gives up */
    struct str body;
};

/* Where a role's file may be, the first that is there counts; "%s" is its name. NULL ends. "~/" is
 * a place of the user's own; all others came with the repository. */
extern const char *const role_places[];
/* The path of a role's file at the nth of them, in arena. */
const char *role_path(uint32_t place, const char *name, struct arena *arena);

/* "perf" of ".hone/roles/perf.md" and its like; NULL: no role has its file there. */
const char *role_path_name(const char *path, struct arena *arena);

/* NULL, or why a role cannot be called so. Its name is also a part of file names. The words live in
 * arena. */
const char *role_name_problem(const char *name, struct arena *arena);

/* ERR_USAGE in the form "PATH:LINE: what is wrong, and what to do". */
int role_file_read(const char *name, const char *path, struct str text, struct arena *arena,
                   struct role_file *out, struct err *err);

/* A role with all that it extends. */
struct own_role {
    struct role_file file;    /* its own; agent, effort, model, paths and rights as they hold: its
                                 own, or of the nearest file that it extends and that says it. A
                                 right that one of them takes away is gone */
    const char *base;         /* the built-in role whose remit it begins with; NULL: none */
    struct str bodies[ROLE_CHAIN_MAX]; /* behind that, in this order */
    uint32_t body_count;
};

/* The remit of a built-in role of any dialect, in arena; empty: there is none. reviews: of a role
 * that reviews alone. */
struct str role_remit(const char *name, bool reviews, struct arena *arena);

/* The role of that name by its files among the settings'. *found is false where there is no such
 * file: then it can only be built in. is_builtin says which names the dialect has. What it extends
 * may also be a role of another dialect that reviews. ERR_USAGE for a file that is wrong, a circle,
 * or a name that is nowhere. */
typedef bool role_is_builtin(const char *name);
int own_role_find(const struct settings *settings, const char *name, role_is_builtin *is_builtin,
                  struct arena *arena, bool *found, struct own_role *out, struct err *err);

/* What its files say, for a prompt: harmless, without the fence; at most ROLE_REMIT_BYTES_MAX. */
enum { ROLE_REMIT_BYTES_MAX = 320 << 10 };
void own_role_remit(const struct own_role *role, const char *fence, struct buf *out);

#endif
