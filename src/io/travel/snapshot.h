/* SPDX-License-Identifier: Apache-2.0
 *
 * snapshot.h - what a folder holds, as a commit of raw bytes, made by an index of ours.
 *
 * For io/travel's own files. */
#ifndef HONE_IO_TRAVEL_SNAPSHOT_H
#define HONE_IO_TRAVEL_SNAPSHOT_H

#include "io/travel/travel.h"

enum { SNAPSHOT_PARENTS_MAX = 2 };

/* git for what is ours: new objects are hone's, and what it says is not wanted. index NULL: the
 * user's. */
int own_git(const struct repo *repo, const char *index, const char *const *args, struct str input,
            struct err *err);
/* Whether the commit descends from the other one, or is it. */
bool own_git_descends(const struct repo *repo, const char *commit, const char *from);

/* Where a file's content is kept as it lies there: entries of regular files and links. */
bool snapshot_holds(const struct tree_entry *entry);

/* The index, at an absolute path, becomes one of that commit or tree, without times; "": empty. */
int snapshot_read(const struct repo *repo, const char *index, const char *treeish,
                  struct err *err);

/* The entries as they lie in the work tree come into the index. What could not be read stays there
 * as it is, and so does a repository inside. */
int snapshot_add(const struct repo *repo, const char *index, const struct tree *tree,
                 struct err *err);

/* The index as a tree of ours. */
int snapshot_tree(const struct repo *repo, const char *index, char out[OID_BYTES],
                  struct err *err);

/* A commit of ours without a time: the same content has the same id. parents: "" is none. */
int snapshot_commit(const struct repo *repo, const char *tree,
                    const char *const parents[SNAPSHOT_PARENTS_MAX], struct str words,
                    char out[OID_BYTES], struct err *err);

/* The commit's tree, its parents ("" where there are fewer) and its words. ERR_FORMAT: it is none
 * of snapshot_commit(). */
int snapshot_parse(const struct repo *repo, bool own, const char *commit, char tree[OID_BYTES],
                   char parents[SNAPSHOT_PARENTS_MAX][OID_BYTES], struct buf *words,
                   struct err *err);

/* A path as text in one line: any byte; and back, false where it is none. */
void snapshot_quote(struct str path, struct buf *out);
bool snapshot_unquote(struct str text, struct buf *out);

#endif
