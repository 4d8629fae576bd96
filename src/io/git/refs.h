/* SPDX-License-Identifier: Apache-2.0
 *
 * refs.h - where HEAD, the branches, tags, notes, replacements and the stash of a repository point,
 * and which work trees it has: taken, compared, put back.
 *
 * Taking asks git once, and costs what there is. Whether anything moved since is told by a few
 * lstat(2), one for each folder of refs and not for each ref, without git. Branches of remotes are
 * no part of it: a fetch moves them. A work tree below hone's own folder is no part of it either:
 * runs of other workspaces make and remove those. */
#ifndef HONE_IO_GIT_REFS_H
#define HONE_IO_GIT_REFS_H

#include "io/git/repo.h"

struct ref {
    struct str name; /* "refs/heads/main" */
    struct str oid;
};

/* A work tree beside the checkout, as the folder `worktrees` of the repository lists it. One whose
 * files are gone is not listed. */
struct ref_worktree {
    struct str name; /* of its folder below `worktrees`; here and in path, */
    struct str path; /* absolute, of its files, control characters are '?' */
    bool made;       /* an agent added it, and it stands */
};

/* One file or folder that changes when a ref does. */
struct ref_mark {
    const char *path;
    uint64_t inode, size, changed_ns; /* 0: it is not there */
};

/* Empty is a valid value: nothing was taken. */
struct refs {
    struct arena arena;
    struct str head;        /* "ref: refs/heads/main", or a commit; empty: not known */
    struct ref *items;      /* by name, in byte order, without the stash */
    uint32_t count;
    struct str stash;       /* its newest entry; empty: there is none */
    bool stashed;           /* an agent changed the stash: `stash` is what was there before */
    struct ref_worktree *worktrees; /* by name, in byte order */
    uint32_t worktree_count, worktree_cap;
    struct ref_mark *marks; /* NULL: only git can tell whether something moved */
    uint32_t mark_count, mark_cap;
    bool loaded;            /* from a file */
};

/* head alone can be had without git. */
void refs_take_head(const struct repo *repo, struct refs *out);
int refs_take(const struct repo *repo, struct refs *out, struct err *err);
void refs_release(struct refs *refs);

/* The branches that other work trees of the repository are on: refs, a line each. Without git.
 * before: a work tree that was added since does not count; NULL: all count. */
void refs_elsewhere(const struct repo *repo, const struct refs *before, struct buf *out);

/* Whether a work tree or a stash that an agent made is still there, by what was noted in refs. */
bool refs_diverged(const struct refs *refs);
/* What old has noted as an agent's and is still there is noted in refs, too, which were taken
 * later. */
void refs_carry(struct refs *refs, const struct refs *old);

/* Whether nothing can have moved since they were taken. False proves nothing. */
bool refs_hold(const struct refs *refs);

/* As a file, and back, without marks. ERR_MISSING where there is none, ERR_FORMAT where it is not
 * whole. */
int refs_save(const struct refs *refs, const char *folder, const char *name, struct err *err);
int refs_load(struct refs *refs, const char *folder, const char *name, struct err *err);

/* What that file holds: false, and nothing, where it is not one that refs_print() wrote. */
void refs_print(const struct refs *refs, struct buf *out);
bool refs_parse(struct str text, struct refs *refs);

struct refs_order {
    const struct repo *repo;
    struct refs *before; /* what stays and is an agent's is noted in it */
    const char *own;   /* the branch that may move forward; NULL: none */
    const char *below; /* only refs below this are looked at, and not HEAD; NULL: all are */
    const char *kept;  /* "refs/hone/x": below it new commits keep a name. NULL: nothing is put
                          back, what moved is only told */
};

/* Looks again and puts back what moved; what was added goes, what was deleted comes back. No commit
 * is lost: what refs named meanwhile is named below `kept`. No file of a work tree changes, and
 * nothing that is staged. A branch that another work tree is on is not looked at, if the work tree
 * was there before: its user may be at work there. Two things are left as they are and only told,
 * each time until they are gone: the stash, since it is a list, and work trees that were added,
 * since they may hold the only copy of some work. Such a work tree is on no branch afterwards, but
 * at its commit. what names all of it, for people; empty: nothing was other than it may be. */
int refs_restore(const struct refs_order *order, struct buf *what, struct err *err);

#endif
