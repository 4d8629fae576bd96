/* SPDX-License-Identifier: Apache-2.0
 *
 * tree_restore.h - a set of paths, put back. For tree_put_back.c. */
#ifndef HONE_IO_TREE_TREE_RESTORE_H
#define HONE_IO_TREE_TREE_RESTORE_H

#include "io/tree/tree.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* One path to put back. */
struct job {
    struct str path;
    struct tree_entry want, have; /* as before, and as it is now */
    bool clean;   /* it was clean before: its content is in the index, not with us */
    bool in_tree; /* the work tree changes, not the index alone */
    mode_t perms; /* of the regular file that was moved away; 0: there was none */
};

struct jobs {
    struct job *items;
    uint32_t count, cap;
};

struct place {
    const struct repo *repo;
    int folder_fd, keep_fd; /* the workspace, and where what goes is kept */
};

/* Puts all of them back: work tree and index. On failure some may be; none is lost. */
int jobs_perform(const struct place *place, struct jobs *jobs, struct err *err);

#endif
