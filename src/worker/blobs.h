/* SPDX-License-Identifier: Apache-2.0
 *
 * blobs.h - blobs that came, by their ids, in a folder. */
#ifndef HONE_WORKER_BLOBS_H
#define HONE_WORKER_BLOBS_H

#include "base/arena.h"
#include "format/fleet/fleet_blob.h"

enum { BLOBS_COMING_MAX = 64 };

/* {0} with a folder is an empty one. */
struct blobs {
    const char *folder;
    uint64_t bytes_max;                 /* of the folder; 0: a bound of the module's own */
    struct blob_gather coming[BLOBS_COMING_MAX];
    uint64_t come_ms[BLOBS_COMING_MAX]; /* steady clock: its last piece */
    uint32_t count;
};

/* The path of a blob that is there whole; NULL: it is not. Using it keeps it. */
const char *blobs_find(const struct blobs *blobs, struct str id, struct arena *arena);

/* A piece, written. *whole: the blob is there now. An error says what is wrong with the blob, or
 * that there is no room for it: what came of it is gone. */
int blobs_take(struct blobs *blobs, const struct blob_piece *piece, bool *whole, struct err *err);

/* Removes what was not used for a week, or for an hour where there is too much, and what other
 * processes left half. */
void blobs_sweep(const struct blobs *blobs);

#endif
