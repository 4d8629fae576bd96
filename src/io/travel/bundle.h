/* SPDX-License-Identifier: Apache-2.0
 *
 * bundle.h - a git bundle of ours: written, read, taken in.
 *
 * For io/travel's own files. */
#ifndef HONE_IO_TRAVEL_BUNDLE_H
#define HONE_IO_TRAVEL_BUNDLE_H

#include "io/travel/travel.h"

/* What a bundle brings. */
enum bundle_tip { BUNDLE_HEAD, BUNDLE_SINCE, BUNDLE_SNAPSHOT, BUNDLE_CARRY, BUNDLE_MADE,
                  BUNDLE_TIP_COUNT };

enum { BUNDLE_SHALLOW_MAX = 4096 };

/* Empty is a valid value. */
struct bundle {
    struct arena arena;
    char tips[BUNDLE_TIP_COUNT][OID_BYTES]; /* commits; "": it does not bring it */
    const char **needs;   /* commits that the other side has */
    uint32_t need_count, need_cap;
    const char **shallow; /* commits whose parents are nowhere: the sender's clone is shallow */
    uint32_t shallow_count, shallow_cap;
    bool sha256;
    struct str pack;      /* of one that was opened */
    void *map;
    size_t map_bytes;
};

void bundle_need(struct bundle *bundle, const char *commit);
void bundle_add_shallow(struct bundle *bundle, const char *commit);

/* Packs what the tips reach and `needs` do not, objects of ours too. */
int bundle_write(const struct repo *repo, const struct bundle *bundle,
                 const struct travel_file *file, uint64_t *bytes, struct err *err);

/* Reads what it says it is; the pack is not looked into. ERR_FORMAT: it is none of ours. */
int bundle_open(struct bundle *bundle, const char *path, uint64_t bytes_max, struct err *err);
void bundle_release(struct bundle *bundle);

/* Its objects come into the repository, into <hone_dir>/objects with own. ERR_MISSING: one of
 * `needs` is not there. ERR_FORMAT: it is broken, or lacks what the tips reach; nothing of it stays
 * then. trusted: commits that are there with all they reach; NULL ends; NULL: what refs name. */
struct bundle_place {
    const struct repo *repo;
    bool own;
    bool alone; /* by a lock: no other call takes in a bundle there */
    const char *const *trusted;
    uint64_t bytes_max; /* of the pack as it is stored */
};
int bundle_take_in(const struct bundle_place *place, const struct bundle *bundle, struct err *err);

#endif
