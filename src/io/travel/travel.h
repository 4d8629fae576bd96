/* SPDX-License-Identifier: Apache-2.0
 *
 * travel.h - a work tree goes to another machine, exactly, and what an agent made of it comes back.
 *
 * The driver has the user's repository, a worker has a store of its own. What goes between them is
 * files, bundles as git knows them, and ids. Who carries them is not decided here.
 *
 *   driver                                       worker
 *   travel_pack    work tree -> ids, bundle ---> travel_unpack   a work tree out of the pool
 *   travel_base    history   -> bundle --------> travel_learn    where travel_knows() says no
 *                                                ... the agent ...
 *   travel_apply   two saved trees <- bundle --- travel_result   what differs
 *   travel_forward HEAD, where the agent made commits
 *
 * What travels is what `git status` of the driver would name, and HEAD: tracked files as they lie
 * there, byte by byte, untracked ones, deletions, links, the executable bit. What does not is in
 * the notes of travel_pack(). The user's index, refs, HEAD and files are only read.
 *
 * All that comes from the other side is judged before it is used: ERR_FORMAT says what is wrong
 * with it, ERR_LIMIT which bound it would pass. Nothing is written outside of the store, of the
 * hone folder, and of the folders that the caller names.
 *
 * Room: work trees on their way between machines, as files. Not here: networks, queues, chunks. */
#ifndef HONE_IO_TRAVEL_TRAVEL_H
#define HONE_IO_TRAVEL_TRAVEL_H

#include "io/file/lock.h"
#include "io/tree/tree.h"

enum { TRAVEL_BRANCH_BYTES = 256, TRAVEL_KNOWN_MAX = 64 };

/* What names a work tree; plain data, for a message. Ids are hexadecimal, "" where there is none.
 * The snapshot's id covers all but since and branch. */
struct travel_ids {
    char head[OID_BYTES];     /* "" before the first commit */
    char snapshot[OID_BYTES]; /* a commit: what the work tree holds. head is its only parent. The
                                 same work tree has the same one at any time */
    char tree[OID_BYTES];     /* the snapshot's tree */
    char since[OID_BYTES];    /* the commit that the change is measured against */
    char carry[OID_BYTES];    /* a commit: ignored files that come along */
    char branch[TRAVEL_BRANCH_BYTES]; /* below refs/heads/; "": HEAD is on none */
};

/* Of what a message said: ids are ids, the branch is a name that git would take. ERR_FORMAT. */
int travel_ids_check(const struct travel_ids *ids, struct err *err);

/* A bundle to be written: folder/name, which is replaced. */
struct travel_file {
    const char *folder, *name;
    uint64_t bytes_max; /* ERR_LIMIT where it would be longer; then there is none */
};

/* ---- the driver ---- */

struct travel_pack {
    const struct repo *repo;
    const char *const *private_paths; /* contract files, as for tree_take() */
    const char *const *carry; /* patterns of ignored files that come along; NULL: none */
    const char *const *known; /* commits that the worker is known to have; NULL: none. Those that
                                 are not here are passed over */
    const char *since;        /* a commit; NULL or "": none */
    struct travel_file file;  /* name NULL: only ids are wanted */
    bool tell;                /* what does not travel is wanted in notes ... */
    const char *const *own;   /* ... but for what lies in these folders, "NAME/": hone's; or NULL */
};

struct travel_packed {
    struct travel_ids ids;
    struct tree from;     /* for travel_apply(): tree_save() keeps it */
    struct buf notes;     /* sentences for the user, a line each */
    uint64_t bytes;       /* of the bundle; 0: none was wanted */
    uint32_t carried;     /* files */
    bool thin;            /* the worker must have a commit of `known` */
};

/* ERR_BUSY: another program changes the tree while it is looked at. out can be released always. */
int travel_pack(const struct travel_pack *order, struct travel_packed *out, struct err *err);
void travel_packed_release(struct travel_packed *packed);

/* The history of ids->head and ids->since alone, without the work tree: made once for a HEAD, for
 * workers that do not know it. The bundle of travel_pack() is then made with known = {head}. */
int travel_base(const struct repo *repo, const struct travel_ids *ids,
                const struct travel_file *file, uint64_t *bytes, struct err *err);

/* A word for the repository, 32 hexadecimal digits: of the URL of its origin, or of its place on
 * this machine where it has none. Repositories of one word share a clone at the worker. */
const char *travel_repository(const struct repo *repo, struct arena *arena, struct err *err);

/* ---- the worker ---- */

/* A folder of ours with all clones, and what is accepted. 0: a bound of the module's own. */
struct travel_store {
    const char *path;
    uint64_t bytes_max;        /* of all of it, as far as hone writes it: what an agent or a setup
                                  command writes into its work tree counts when it is swept */
    uint64_t bundle_bytes_max; /* of a bundle */
    uint64_t tree_bytes_max;   /* of the files of one work tree */
    uint32_t tree_files_max;
};

/* Whether the clone has the commit, with all that it needs. */
bool travel_knows(const struct travel_store *store, const char *repository, const char *commit);

/* Takes in a bundle of travel_base(), which may have been made for another `since`. */
int travel_learn(const struct travel_store *store, const char *repository,
                 const struct travel_ids *ids, const char *bundle, struct err *err);

struct travel_unpack {
    const struct travel_store *store;
    const char *repository; /* travel_repository() of the driver */
    const char *run;        /* a word: ignored files stay from one attempt of a run to the next */
    const struct travel_ids *ids;
    const char *bundle;     /* a path */
    const char *const *private_paths; /* contract files: they do not go back. NULL: none */
};

/* A work tree that is ours until travel_leave(), or until the last process that has inherited the
 * lock has ended. */
struct travel_place {
    struct arena arena;
    struct repo repo;     /* its workspace is where the agent works */
    struct lock lock;
    struct travel_ids ids;
    const char *folder;   /* of the place: it has the work tree and what is hone's */
    const char *run;
    const char *const *private_paths; /* the order's */
    uint64_t bytes;       /* of its files, as they came */
    bool warm;            /* the work tree was there already */
};

/* ERR_MISSING: the clone lacks a commit that the bundle stands on; take in its base first.
 * ERR_BUSY: all that the store has is in use, and there is no room for more. */
int travel_unpack(const struct travel_unpack *order, struct travel_place *out, struct err *err);
void travel_leave(struct travel_place *place); /* accepts one that was not taken */

/* What an agent has made; plain data, for a message. */
struct travel_made {
    char commit[OID_BYTES]; /* "": nothing changed. Its first parent is the snapshot, its second
                               one the new HEAD, where that moved */
    char tree[OID_BYTES];   /* of the work tree now; equal to the snapshot's: no file differs */
    char head[OID_BYTES];   /* HEAD now; equal to the one of the ids: it did not move */
};

/* file->name NULL: of a reader, no bundle is made, and commit is "" though the tree may differ.
 * ERR_FAILED: HEAD is not a descendant of what it was, or not on the branch it was on; the words
 * are for the agent's user. */
int travel_result(struct travel_place *place, const struct travel_file *file,
                  struct travel_made *out, uint64_t *bytes, struct err *err);

/* What no attempt holds and was not used since then is removed; then work trees, the oldest first,
 * and clones without any, until the rest has at most bytes_max of the store. Clones that have very
 * many packs get one. freed: bytes of what was removed. */
int travel_sweep(const struct travel_store *store, uint64_t unused_since_ms, uint64_t *freed,
                 struct err *err);

/* ---- the driver again ---- */

struct travel_apply {
    const struct repo *repo;
    const struct travel_ids *ids;     /* what went out */
    const struct tree *from;          /* what travel_pack() took then */
    const struct travel_made *made;   /* what came back; made->commit is not "" */
    const char *bundle;               /* a path */
    const char *const *private_paths;
    const char *const *closed;        /* paths that no agent may change: a result that changes one,
                                         or what is in it, is refused. NULL: none */
    uint64_t bundle_bytes_max, tree_bytes_max; /* 0: a bound of the module's own */
    const char *folder, *from_name, *to_name; /* where the two trees are saved: BRING_FROM and
                                                 BRING_TO of drive/bring.h */
};

struct travel_applied {
    uint32_t changed; /* files; 0: there is nothing to bring */
    bool moved;       /* HEAD: travel_forward(), after the files were brought */
    struct buf notes; /* what of the result does not come, a line each */
};

/* Writes nothing but objects in the hone folder and the two trees. ERR_FAILED: the agent committed
 * a file that passes through a filter here, and no filter runs at a worker. */
int travel_apply(const struct travel_apply *order, struct travel_applied *out, struct err *err);
void travel_applied_release(struct travel_applied *applied);

/* Moves HEAD, and the branch it is on, from ids->head to made->head, whose files were brought; the
 * index follows, what was staged is not any more. Moved already: only the index. ERR_BUSY, with
 * nothing changed, where HEAD is elsewhere. why goes into the reflog. */
int travel_forward(const struct repo *repo, const struct travel_ids *ids,
                   const struct travel_made *made, const char *why, struct err *err);

#endif
