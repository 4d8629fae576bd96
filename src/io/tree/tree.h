/* SPDX-License-Identifier: Apache-2.0
 *
 * tree.h - what a work tree holds, by content: taken, compared, put back.
 *
 * A tree is HEAD and every file that differs from it or is not tracked: mode, content hash and
 * what is staged. Ignored files are not part of it (they are build output, not work), nor are the
 * contract files. Taking one costs a `git status`, and time that grows with the number of changed
 * files.
 *
 * Room: what a work tree holds, by content: taken, compared, kept, put back, brought elsewhere,
 * moved forward. */
#ifndef HONE_IO_TREE_TREE_H
#define HONE_IO_TREE_TREE_H

#include "io/git/repo.h"
#include "io/git/status.h"

struct tree_entry {
    struct str path;           /* relative, as git has it: any byte but NUL */
    uint32_t mode;             /* 0100644, 0100755, 0120000; 0: not in the work tree. 0160000: a
                                  repository inside ours: oid is a word for what it holds */
    bool hidden;               /* git is told not to look at it; not kept in files */
    uint32_t staged_mode, head_mode; /* 0: the index, or HEAD, holds no such path */
    char oid[OID_BYTES];       /* of the content in the work tree; "" where there is none. No
                                  hexadecimal number where the content could not be kept */
    char staged[OID_BYTES];    /* of what the index holds; "" where it holds none */
    char head[OID_BYTES];      /* of what HEAD holds; "" where it holds none */
    struct str stages;         /* of an unmerged path; empty otherwise */
};

struct tree {
    struct arena arena;
    char head[OID_BYTES]; /* "" before the first commit */
    struct str branch;    /* "(detached)" where HEAD is on none */
    const char *const *private_paths; /* what was left out; NULL ends */
    struct tree_entry *entries; /* by path, in byte order */
    uint32_t count;
};

enum change_kind { CHANGE_ADDED, CHANGE_MODIFIED, CHANGE_DELETED, CHANGE_MODE, CHANGE_STAGED,
                   CHANGE_HEAD, CHANGE_COUNT };

struct tree_change {
    enum change_kind kind;
    struct str path; /* empty for CHANGE_HEAD; borrowed from the trees */
};

struct tree_delta {
    struct tree_change *items;
    uint32_t count, cap;
};

/* private_paths: prefixes to leave out, NULL ends. Contents of changed files are kept in the hone
 * folder, so that they can be put back. */
int tree_take(const struct repo *repo, const char *const *private_paths, struct tree *out,
              struct err *err);
/* The same by an index of ours, an absolute path, instead of the user's: agents that may commit can
 * make that one say of a file that it is as it was. `staged` is then what our index holds. */
int tree_take_by(const struct repo *repo, const char *index, const char *const *private_paths,
                 struct tree *out, struct err *err);
void tree_release(struct tree *tree);

/* Taken in two halves: git looks while we do something else. {0} is one that was not begun. The
 * tree is as it was at some moment in between: until it is taken, no agent may write. */
struct tree_ahead {
    struct helper *status;
};
void tree_ahead_begin(const struct repo *repo, struct tree_ahead *out);
/* As tree_take(); begun or not. */
int tree_ahead_take(struct tree_ahead *ahead, const struct repo *repo,
                    const char *const *private_paths, struct tree *out, struct err *err);
void tree_ahead_drop(struct tree_ahead *ahead); /* it is not wanted any more */
const struct tree_entry *tree_find(const struct tree *tree, struct str path); /* NULL: none */

/* now was taken after before, of the same work tree. A file that only before names may be
 * unchanged: where a filter or a line end rule made its content, git alone decides by times whether
 * it differs from what was committed, and any git may renew those. So its content is looked at. */
int tree_settle(const struct repo *repo, const struct tree *before, struct tree *now,
                struct err *err);

/* Names in now, with its content, every file that only before names: such a file is as HEAD has it,
 * by the filters of this work tree. now was taken of it a moment ago. */
int tree_spell(const struct repo *repo, const struct tree *before, struct tree *now,
               struct err *err);

/* Written whole or not at all, but not synced: a tree that a power cut took counts as not known.
 * The folder must be there. */
int tree_save(const struct tree *tree, const char *root, const char *path, struct err *err);
int tree_load(struct tree *tree, const char *path, struct err *err); /* ERR_FORMAT: not whole */
/* Of the file root/name only HEAD and branch, however many files it names. */
int tree_load_head(struct tree *tree, const char *root, const char *name, struct err *err);

/* One item per path, the weightiest: the work tree before the index. CHANGE_HEAD comes first, the
 * paths follow in byte order. A path that only one tree names was, in the other, as HEAD has it;
 * with two different HEADs that is a guess (a file that was committed as it was counts as
 * modified, one that was clean and is so again not at all) unless tree_align was called before. */
void tree_compare(const struct tree *before, const struct tree *after, struct tree_delta *out);
void tree_delta_release(struct tree_delta *delta);
const char *change_word(enum change_kind kind);

/* Makes two trees with different HEADs comparable: every path that the commits in between changed
 * is named in both afterwards. Does nothing, and does not call git, when HEAD is the same. */
int tree_align(const struct repo *repo, struct tree *before, struct tree *after, struct err *err);

/* Makes the work tree hold `before` again where the delta says it does not. The versions that
 * are replaced or removed are moved to keep_dir first, under their own paths. Never follows a
 * link out of the workspace. HEAD and index are put back too where they moved; then, and where
 * ignore rules changed, the delta is taken again, since it cannot have named everything.
 * ERR_FAILED, with nothing touched, when HEAD is on another branch than before; ERR_FAILED after
 * all else was put back when the content of a path was never kept. */
int tree_put_back(const struct repo *repo, const struct tree *before,
                  const struct tree_delta *delta, const char *keep_dir, struct err *err);

/* What differs from one tree to another, brought to a work tree that began as the first: of each
 * file that is not there as `base` has it, and not yet as `want` has it, another program or person
 * has made something else. Such a file stays as it is. HEAD and index are not touched. */
struct tree_bring {
    const struct repo *repo;        /* the work tree */
    struct tree *base, *want;       /* may get more entries: tree_align() */
    const char *keep_dir;           /* gets the versions that are replaced; a folder of its own */
    const char *left_dir;           /* gets the versions of `want` that do not come; or NULL */
    const char *const *private_paths;
};

/* left: what does not come; its paths are those of base and want. On failure all is as it was;
 * *half: not even that could be done, and as after a kill the same call finishes the work. */
int tree_bring(const struct tree_bring *bring, struct tree_delta *left, bool *half,
               struct err *err);

/* ---- as text: tree_diff.c ---- */

/* Appends the delta of two trees (tree_align() was called) as git shows differences: with at most
 * bytes_max of it, and a line that says so where there is more. Binary files are named only, and
 * what could not be kept is. folder/name is a file of ours that may be replaced: an index for the
 * time of the call. */
int tree_diff(const struct repo *repo, const struct tree *before, const struct tree *after,
              const struct tree_delta *delta, size_t bytes_max, const char *folder,
              const char *name, struct buf *out, struct err *err);
/* The same for programs, without context, and what was renamed as such: ERR_LIMIT where out is too
 * small for it. */
int tree_moves(const struct repo *repo, const struct tree *before, const struct tree *after,
               const struct tree_delta *delta, const char *folder, const char *name,
               struct buf *out, struct err *err);

#endif
