/* SPDX-License-Identifier: Apache-2.0
 *
 * role_files.h - the files of roles (dialect/role_file.h): those that a run goes by, and all that
 * there are. */
#ifndef HONE_SETTINGS_ROLE_FILES_H
#define HONE_SETTINGS_ROLE_FILES_H

#include "dialect/role_file.h"
#include "settings/brought.h"

/* What is asked for, and what there is to say. */
struct role_taking {
    const struct dialect *dialect;
    struct settings *options; /* its files grow */
    bool agreed;              /* the user agrees to what no commit has */
    bool some;                /* the repository may have some (brought_may_have) */
    const char **warnings;
    uint32_t warning_count, warning_cap;
};

/* Adds the files of a run's roles to options->files: of those that an option names, of
 * the dialect's own, and of those that they extend. What the repository brings is read from the
 * commit that the change is measured against; where the change alters a file, a warning says so.
 * ERR_USAGE for a file that is wrong. */
int role_files_take(const struct brought *brought, struct role_taking *taking,
                    struct arena *arena, struct err *err);

/* A role file that is there. */
struct role_listed {
    const char *name, *path;
    bool altered;           /* by the change: that version does not count */
    const char *problem;    /* what is wrong with it; NULL: nothing */
    struct role_file file;  /* where nothing is */
};

/* All of them, by their places and then by name; those behind another one of the same name, too.
 * brought NULL: there is no repository, and they are the user's. */
int role_files_list(const struct brought *brought, struct arena *arena,
                    const struct role_listed **out, uint32_t *count, struct err *err);

/* Where the user's own roles are; NULL: there is no home. */
const char *role_files_folder(struct arena *arena);

#endif
