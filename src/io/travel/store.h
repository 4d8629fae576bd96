/* SPDX-License-Identifier: Apache-2.0
 *
 * store.h - a worker's clones.
 *
 * For io/travel's own files. */
#ifndef HONE_IO_TRAVEL_STORE_H
#define HONE_IO_TRAVEL_STORE_H

#include "io/travel/bundle.h"

/* A repository's clone, open: no other process of ours writes to it. */
struct depot {
    struct arena arena;
    struct repo repo;    /* bare: its work tree is its own folder, and nothing is written there */
    const char *folder;  /* <store>/<repository> */
    struct lock lock;
    bool sha256;
};

/* Bounds, with those of the module where the store has none. */
uint64_t store_bundle_bytes(const struct travel_store *store);
uint64_t store_tree_bytes(const struct travel_store *store);
uint32_t store_tree_files(const struct travel_store *store);

/* Room for so many bytes that are to be written, or ERR_BUSY: all that is there is in use. What is
 * not in use goes, the oldest first, where it must. Our own depot may be open. */
int store_room(const struct travel_store *store, uint64_t bytes, struct err *err);

/* Letters, digits, ".", "_" and "-", not "." in front: a name for a folder. */
bool store_is_word(const char *text);

/* Makes it where it is missing. ERR_FORMAT where it has ids of another length. */
int depot_open(const struct travel_store *store, const char *repository, bool sha256,
               struct depot *out, struct err *err);
void depot_close(struct depot *depot);

/* Commits that are there with all they reach, by a ref of ours. */
bool depot_has(const struct depot *depot, const char *commit);
int depot_note(const struct depot *depot, const char *commit, struct err *err);

/* A bundle comes in, and its tips are noted. */
int depot_take_in(const struct travel_store *store, struct depot *depot,
                  const struct bundle *bundle, struct err *err);

#endif
