/* SPDX-License-Identifier: Apache-2.0
 *
 * glass.h - the looking glass: a git folder of hone's own, through which git looks at a work tree.
 *
 * For io's own files. */
#ifndef HONE_IO_GIT_GLASS_H
#define HONE_IO_GIT_GLASS_H

#include "io/git/repo.h"

/* The folder to give git as GIT_DIR for this work tree, as it must be for the next call: made,
 * mended, HEAD as it is now. It lives as long as this process. */
int glass_ready(const struct repo *repo, const char **folder, struct err *err);

/* The glass of this work tree goes, with what it had taken over: the next call makes one anew. */
void glass_forget(const struct repo *repo);

/* Pure. What the glass takes over from a repository's configuration, of that what is plain; the
 * rest is passed over. */
void glass_config(struct str text, struct buf *out);

#endif
