/* SPDX-License-Identifier: Apache-2.0
 *
 * staged.h - what is staged: kept, looked at again, put back. */
#ifndef HONE_IO_GIT_STAGED_H
#define HONE_IO_GIT_STAGED_H

#include "io/git/repo.h"

/* Keeps the index as folder/name, by a second name of the same file where the disk can do that: git
 * never writes to an index, it replaces it. */
int staged_keep(const struct repo *repo, const char *folder, const char *name, struct err *err);

/* Looks again; where nothing was kept, nothing is known. Where something else is staged than was
 * kept, the index is put back, and the other one is in the folder away (which is made) as "index".
 * *changed: it was so. ERR_BUSY: another git has its lock. */
int staged_restore(const struct repo *repo, const char *folder, const char *name, const char *away,
                   bool *changed, struct err *err);

#endif
