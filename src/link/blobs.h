/* SPDX-License-Identifier: Apache-2.0
 *
 * blobs.h - blobs on the server, a message for each piece: stored as they come, and brought piece
 * by piece, in order.
 *
 * A blob lies below a place: hone.blob.RUN (of jobs) or hone.back.K (of a result). */
#ifndef HONE_LINK_BLOBS_H
#define HONE_LINK_BLOBS_H

#include "format/fleet/fleet_blob.h"
#include "link/bus.h"

struct blobs;

struct blobs_owner {
    void *owner;
    /* A piece, as it is to be said. */
    void (*on_piece)(void *owner, const struct blob_piece *piece);
    /* The server does not have it. */
    void (*on_none)(void *owner, const char *id);
    /* One that a driver keeps is wanted, and not there: said again while it is waited for. */
    void (*on_need)(void *owner, const char *place, const char *id);
    bool (*is_full)(void *owner); /* nothing more is brought for now */
};

struct blobs *blobs_new(struct bus *bus, const struct blobs_owner *owner);
void blobs_free(struct blobs *blobs);

/* Stores a piece. The answer is told with key and tag. */
void blob_put(struct bus *bus, const char *place, const struct blob_piece *piece, const char *key,
              uint64_t tag, void *owner,
              void (*on_answer)(void *owner, const char *key, uint64_t tag,
                                const struct answer *answer));

/* Brings one. waits: it may come later (a base). One that is being brought is not brought twice. */
void blob_bring(struct blobs *blobs, const char *place, struct str id, bool waits);
void blobs_tick(struct blobs *blobs, uint64_t now_ms);

#endif
