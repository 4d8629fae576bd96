/* SPDX-License-Identifier: Apache-2.0
 *
 * site.h - where each lane of a run works, and the tree that its review judges. */
#ifndef HONE_RUN_SITE_H
#define HONE_RUN_SITE_H

#include "format/stream/sight.h"
#include "io/tree/hold.h"
#include "io/tree/seal.h"
#include "io/tree/tree.h"
#include "run/run.h"

/* The tree a review judges. */
struct watch {
    uint32_t job;      /* the first job of the review it belongs to; 0: none */
    struct tree tree;
    struct seal seal;
    uint32_t saved;    /* the job whose file holds the tree as it is here; 0: none does */
    bool here;         /* a reviewer of it plays on this machine: it can reach the tree */
    struct hold hold;  /* without a sandbox: what beside the tree must stay as it is */
    bool confined, held_confined; /* its first role is, and was when that was taken */
    uint64_t turn;     /* the turn of the drive in which the seal was last found to hold; or 0 */
    struct tree next;  /* of a large tree: as it was when next_turn was the turn, after a repair */
    uint64_t next_turn;
    uint32_t drifts;   /* how often it changed under a sandbox: by another program or person */
    struct tree_delta delta; /* since the review before; paths belong to tree and before */
    struct tree before;
    struct str *changed;     /* delta's files, for prompts */
    uint32_t changed_count;
    const struct changed_file *change; /* what reviewers must have looked at (drive/proof.c) ... */
    uint32_t change_count, change_job; /* ... in the review that began with this job */
    const struct str *touched; /* paths that differ in any way, also by what cannot be read */
    uint32_t touched_count;
};

/* Where a lane works: the main lane in the user's checkout, a task's in a work tree of its own. A
 * fixer of the main lane may have a place of its own for one job: a disposable work tree. */
struct site {
    uint32_t lane;
    uint32_t job;            /* of a disposable work tree: for whom it is; else 0 */
    const char *base;        /* and the file with the tree that it began as; else NULL */
    struct repo repo;        /* its workspace and git folder; the rest is the repository's */
    struct lane_about about; /* the main lane is "main", and its task the run's */
    const char *since;       /* of a task's lane: the commit it began at; NULL: not known */
    struct watch watch;
    bool spoiled;  /* a reviewer changed the tree; it is put back when all readers have ended */
    bool ready;    /* its work tree is there */
};

/* The lane's place; made on the first call. Its work tree need not be there. */
struct site *site_of(struct run *run, uint32_t lane);
/* The place of a lane that is in a repository of its own, known from elsewhere: what site_of()
 * would find out. Before any other call about that lane. Its texts must live as long as the run. */
struct site_given {
    const struct repo *repo;
    struct lane_about about;
    const char *since; /* NULL: not known */
};
struct site *site_give(struct run *run, uint32_t lane, const struct site_given *given);
const struct site *site_find(const struct run *run, uint32_t lane); /* NULL: none yet */
/* Whether an attempt works in a disposable work tree: its run wants so, and it is a fixer of the
 * main lane that hone runs as a process and that does not commit. */
bool is_isolated(const struct run *run, const struct action *action);
/* The place of an attempt: its disposable work tree where it has one, else its lane's. */
struct site *site_at(struct run *run, const struct action *action);
const struct site *site_seen(const struct run *run, const struct action *action); /* or NULL */
void site_dispose(struct run *run, struct site *site); /* its work tree is gone */
bool site_is_there(struct site *site); /* its work tree is whole; the main lane's always is */
void site_forget(struct run *run, uint32_t lane); /* it is merged: its trees are not needed */
const char *site_folder(const struct run *run, uint32_t lane, struct arena *arena);
const char *isolate_folder(const struct run *run, uint32_t job, struct arena *arena); /* likewise */
const char *site_branch(const struct run *run, const struct site *site, struct arena *arena);
void sites_release(struct run *run);

/* Of the lane's tree; a task's lane counts with its own branch alone. */
void site_seal(const struct run *run, const struct site *site, struct seal *out);

void watch_forget(struct watch *watch); /* the review is over; its tree may be the next one's */

/* Removes the disposable work trees of a run, by its id, that no attempt works in any more: as many
 * as it can. The error is the last one's. */
int sites_sweep(const struct repo *repo, const char *run, struct err *err);

/* The run, as seen from a lane: its workspace, and what changed there. What only a process knows
 * (fence, owner, where answers go) is empty: drive_view() has it. */
struct run_view run_view(const struct run *run, uint32_t lane);

#endif
