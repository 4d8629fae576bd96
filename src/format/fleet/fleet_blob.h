/* SPDX-License-Identifier: Apache-2.0
 *
 * fleet_blob.h - a blob that comes in pieces, and whether it is the one that its name says.
 *
 * The receiver writes each piece that blob_take() took to a file of its own, and gives that
 * file the blob's name when the blob is whole. */
#ifndef HONE_FORMAT_FLEET_FLEET_BLOB_H
#define HONE_FORMAT_FLEET_FLEET_BLOB_H

#include "base/err.h"
#include "base/sha256.h"
#include "format/fleet/fleet_name.h"

enum { FLEET_PIECE_BYTES_MAX = 256 * 1024 };
#define FLEET_BLOB_BYTES_MAX (UINT64_C(4) << 30)

/* One piece of a blob of `bytes` bytes: those from `at` on. A blob without bytes is one empty
 * piece. */
struct blob_piece {
    struct str id;
    uint64_t bytes, at;
    struct str data;
};

/* A blob that is on its way. */
struct blob_gather {
    char id[FLEET_BLOB_ID_BYTES];
    enum fleet_blob_kind kind;
    uint64_t bytes, at; /* how many there are, and how many have come */
    struct sha256 sha;
    bool begun, whole;
};

/* ERR_FORMAT where the id is none. */
int blob_gather_init(struct blob_gather *gather, struct str id, struct err *err);

/* The next piece. One that begins at 0 begins the blob again, and what was written of it is void.
 * gather->whole: that was the last, and the bytes are those that the id names. ERR_FORMAT: it is of
 * another blob, too large, empty in the middle, out of order, or of another size than the piece
 * before said; or all are there and the bytes are others. ERR_LIMIT: the blob is larger than
 * bytes_max. Then it has to begin again. */
int blob_take(struct blob_gather *gather, const struct blob_piece *piece, uint64_t bytes_max,
              struct err *err);

#endif
