/* SPDX-License-Identifier: Apache-2.0
 *
 * fleet_blob.c - pieces in order, counted and hashed.
 *
 *             at 0                  at + size < bytes           at + size == bytes, hash is right
 *   NOTHING ---------> BEGUN -----------------------> BEGUN ------------------------> WHOLE
 *      ^                 |
 *      '-----------------' anything that does not fit
 *
 * 1. Only bytes that follow those before are taken.
 * 2. A blob is whole with exactly as many bytes as each of its pieces said, and never before its
 *    hash was compared. */
#include "format/fleet/fleet_blob.h"

#include <inttypes.h>
#include <string.h>

int blob_gather_init(struct blob_gather *gather, struct str id, struct err *err)
{
    *gather = (struct blob_gather){ .begun = false };
    if (!fleet_blob_is(id, &gather->kind)) {
        return err_set(err, ERR_FORMAT, "a blob's id is sha256-HEX or base-OID");
    }
    memcpy(gather->id, id.data, id.size);
    return 0;
}

static int blob_refuse(struct blob_gather *gather, enum err_code code, const char *what,
                       struct err *err)
{
    gather->begun = gather->whole = false;
    return err_set(err, code, "blob %.20s...: %s", gather->id, what);
}

/* What is wrong with the piece; NULL: nothing is. */
static const char *piece_problem(const struct blob_gather *gather, const struct blob_piece *piece)
{
    bool first = piece->at == 0;

    if (!str_is(piece->id, gather->id)) return "a piece of another one";
    if (piece->data.size > FLEET_PIECE_BYTES_MAX) return "a piece is too large";
    if (piece->at > piece->bytes || piece->data.size > piece->bytes - piece->at) {
        return "a piece goes beyond its end";
    }
    if (piece->data.size == 0 && piece->bytes > 0) return "a piece is empty";
    if (first) return NULL;
    if (!gather->begun || piece->at != gather->at) return "a piece is missing";
    return piece->bytes == gather->bytes ? NULL : "its pieces disagree about its size";
}

int blob_take(struct blob_gather *gather, const struct blob_piece *piece, uint64_t bytes_max,
              struct err *err)
{
    const char *problem = piece_problem(gather, piece);
    unsigned char hash[SHA256_BYTES];
    char id[FLEET_BLOB_ID_BYTES];

    if (problem) return blob_refuse(gather, ERR_FORMAT, problem, err);
    if (piece->bytes > bytes_max) return blob_refuse(gather, ERR_LIMIT, "it is too large", err);
    if (piece->at == 0) {
        gather->begun = true;
        gather->whole = false;
        gather->bytes = piece->bytes;
        gather->at = 0;
        sha256_init(&gather->sha);
    }
    if (gather->kind == FLEET_BLOB_BYTES) sha256_add(&gather->sha, piece->data);
    gather->at += piece->data.size;
    if (gather->at < gather->bytes) return 0;
    if (gather->kind == FLEET_BLOB_BYTES) {
        sha256_end(&gather->sha, hash);
        if (!str_is(str_of(fleet_blob_id(hash, id)), gather->id)) {
            return blob_refuse(gather, ERR_FORMAT, "its bytes are others than its id says", err);
        }
    }
    gather->begun = false;
    gather->whole = true;
    return 0;
}
