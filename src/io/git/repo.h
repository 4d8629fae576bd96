/* SPDX-License-Identifier: Apache-2.0
 *
 * repo.h - where we are: the workspace, its git folder, and the folder hone keeps its own in.
 *
 * git is called so that a repository's own configuration runs no program in us: where it looks at
 * files, that configuration is not read at all (repo.c says which calls do). Where there is no
 * repository, hone keeps a private one in .hone/git to compare trees with, so that there is one way
 * to look at a tree.
 *
 * Room: git's repository: found, asked, its refs, locks and work trees. Not here: what a work tree
 * holds (io/tree). */
#ifndef HONE_IO_GIT_REPO_H
#define HONE_IO_GIT_REPO_H

#include "base/arena.h"
#include "base/err.h"

struct repo {
    struct arena arena;
    const char *workspace;  /* absolute, no links: the top of the work tree */
    const char *git_dir;    /* of this work tree */
    const char *common_dir; /* shared by all work trees of the repository */
    const char *hone_dir;   /* <common_dir>/hone, or <workspace>/.hone */
    bool is_git;            /* false: the private one */
    uint32_t depth;         /* inside so many others; 0: the one that hone works in */
};

/* What happens where there is no repository. */
enum repo_make {
    REPO_FIND,     /* ERR_MISSING, unless the private one is there */
    REPO_MAKE,     /* the private one is made, of a folder that can be a project: ERR_USAGE where it
                      is a file system's root or a home folder, or has more than 50,000 files */
    REPO_MAKE_ANY, /* of any folder */
};

/* start: a folder inside the workspace. ERR_MISSING when git is not installed or start is not a
 * folder; ERR_FAILED, with git's own words, when git refuses the repository. Creates nothing
 * except, without git, .hone/git where make says so. */
int repo_open(struct repo *repo, const char *start, enum repo_make make, struct err *err);
/* The same without calling git, for hooks, which have no time for that: false where there is no
 * repository, or git would have to say whether it may be trusted. Creates nothing. */
bool repo_find(struct repo *repo, const char *start);

/* For repo_open(): whether the repository around repo->workspace, a real path, is so plain that git
 * need not be asked; its three paths are set then. */
bool repo_take_plain(struct repo *repo);

/* One inside outer's work tree, at this path. Without git; false where there is none, or it is
 * another user's. What hone keeps of it is in outer's hone folder. */
bool repo_nested(struct repo *repo, const struct repo *outer, struct str path);

void repo_release(struct repo *repo);
/* The work tree is gone: what this process keeps to look at it goes, too. */
void repo_forget(const struct repo *repo);

/* Variables, NULL ends, for a git that acts as the user's own would: they switch off filters, merge
 * drivers and programs that sign, where only the repository's configuration names them, as it is
 * now. required: git refuses a file that should have passed through such a filter. */
int repo_quiet(const struct repo *repo, bool required, struct arena *arena,
               const char *const **out, struct err *err);

/* git with the hardened settings, in the workspace; as helper_run. argv without "git". Variables
 * such as GIT_DIR and GIT_INDEX_FILE must not be in our own environment: main removes them. */
int repo_git(const struct repo *repo, const char *const *args, struct str input, struct buf *out,
             struct err *err);

/* The same, for what it does: what it says is passed over. */
int repo_do(const struct repo *repo, const char *const *args, struct str input, struct err *err);
/* The same without input, for one line: trimmed, in arena; NULL where git failed. */
const char *repo_ask(const struct repo *repo, const char *const *args, struct arena *arena,
                     struct err *err);
/* The commit that a revision names; NULL and ERR_FAILED: there is none. */
const char *repo_commit(const struct repo *repo, const char *revision, struct arena *arena,
                        struct err *err);

/* The same without input, in two halves: in between git works beside us. NULL: it could not be
 * started, which repo_git() can explain. */
struct helper;
struct helper *repo_git_begin(const struct repo *repo, const char *const *args);
int repo_git_finish(const struct repo *repo, const char *const *args, struct helper *helper,
                    struct buf *out, struct err *err);

/* The same, where new objects go to <hone_dir>/objects (which is made) and not to the user's. */
int repo_git_own(const struct repo *repo, const char *const *args, struct str input,
                 struct buf *out, struct err *err);

/* The same, with an index that is not the user's: an absolute path, made where it is missing. */
int repo_git_index(const struct repo *repo, const char *index, const char *const *args,
                   struct str input, struct buf *out, struct err *err);

/* git through the looking glass, by any verb: it reads no configuration of the repository and runs
 * no filter, hook or driver of it, also where it writes files. For folders and indexes of ours. */
struct git_raw {
    const char *const *args;
    const char *index;        /* an absolute path; NULL: the user's */
    bool own;                 /* new objects go to <hone_dir>/objects */
    struct str input;
    struct helper_sink *sink; /* gets what it says; NULL: out does */
};
int repo_git_raw(const struct repo *repo, const struct git_raw *raw, struct buf *out,
                 struct err *err);

#endif
