/* SPDX-License-Identifier: Apache-2.0
 *
 * blobs.c - a file for each blob.
 *
 * 1. A file with a blob's name holds that blob: pieces go to ID.PROCESS, which gets the name when
 *    it is whole. Several processes may use the folder.
 * 2. The folder has at most bytes_max. A blob that begins makes room for all that it says it will
 *    have, and again as it grows: the blobs that were unused longest go. Those used within the last
 *    hour stay: a job that is made ready stands on them. Where they leave no room the blob is
 *    refused. Another process may take one in at the same moment; both look again as theirs grow.
 * 3. What was unused for a week goes, and what another process left half after a day. */
#include "worker/blobs.h"

#include "io/file/file.h"
#include "io/file/peek.h"
#include "io/file/piece.h"
#include "io/process/signals.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#define BLOBS_BYTES_MAX (UINT64_C(8) << 30)
enum { HOUR_MS = 3600 * 1000, DAY_MS = 24 * HOUR_MS, LOOK_BYTES = 64 << 20,
       COMING_MS = 120 * 1000 };

static const char *coming_name(struct str id, struct arena *arena)
{
    return arena_printf(arena, "%.*s.%ld", STR_ARG(id), process_id());
}

const char *blobs_find(const struct blobs *blobs, struct str id, struct arena *arena)
{
    const char *path = arena_printf(arena, "%s/%.*s", blobs->folder, STR_ARG(id));

    if (!fleet_blob_is(id, NULL) || !file_exists(path)) return NULL;
    file_use(path);
    return path;
}

static struct blob_gather *coming_find(struct blobs *blobs, struct str id, struct err *err)
{
    uint32_t at = 0, oldest = 0;

    while (at < blobs->count && !str_is(id, blobs->coming[at].id)) {
        if (blobs->come_ms[at] < blobs->come_ms[oldest]) oldest = at;
        at++;
    }
    if (at == BLOBS_COMING_MAX) at = oldest; /* too many at a time: that one has to begin again */
    if (at == blobs->count || !str_is(id, blobs->coming[at].id)) {
        if (blob_gather_init(&blobs->coming[at], id, err) != 0) return NULL;
        if (at == blobs->count) blobs->count++;
    }
    blobs->come_ms[at] = now_steady_ms();
    return &blobs->coming[at];
}

static void coming_drop(struct blobs *blobs, const struct blob_gather *gather)
{
    size_t at = (size_t)(gather - blobs->coming);

    assert(at < blobs->count);
    blobs->count--;
    blobs->coming[at] = blobs->coming[blobs->count];
    blobs->come_ms[at] = blobs->come_ms[blobs->count];
}

/* ---- what goes ---- */

struct kept {
    const char *name;
    uint64_t bytes, unused_ms;
};

/* What the folder has, the one that is unused longest first. */
struct listing {
    struct arena arena;
    struct kept *all;
    uint32_t count, cap;
    uint64_t bytes;
};

static int by_age(const void *a, const void *b)
{
    const struct kept *left = a, *right = b;

    return (left->unused_ms < right->unused_ms) - (left->unused_ms > right->unused_ms);
}

static void listing_make(const struct blobs *blobs, struct listing *out)
{
    const char *const *names;

    *out = (struct listing){ .count = 0 };
    names = folder_names(blobs->folder, "", &out->arena);
    for (; *names; names++) {
        const char *path = arena_printf(&out->arena, "%s/%s", blobs->folder, *names);
        struct kept kept = { .name = *names };

        if (!file_unused(path, &kept.bytes, &kept.unused_ms)) continue;
        out->all = arena_grow(&out->arena, out->all, out->count, &out->cap, sizeof *out->all);
        out->all[out->count++] = kept;
        out->bytes += kept.bytes;
    }
    if (out->count) qsort(out->all, out->count, sizeof *out->all, by_age);
}

static uint64_t bytes_max_of(const struct blobs *blobs)
{
    return blobs->bytes_max ? blobs->bytes_max : BLOBS_BYTES_MAX;
}

/* Invariants 2 and 3. free: how many bytes the folder has to have for what comes. */
static void listing_trim(const struct blobs *blobs, struct listing *listing, uint64_t free)
{
    struct err none;

    for (uint32_t i = 0; i < listing->count; i++) {
        const struct kept *kept = &listing->all[i];
        bool half = !fleet_blob_is(str_of(kept->name), NULL);
        bool full = listing->bytes + free > bytes_max_of(blobs);

        if (kept->unused_ms <= (full ? HOUR_MS : half ? DAY_MS : UINT64_C(7) * DAY_MS)) continue;
        if (file_remove_in(blobs->folder, kept->name, &none) == 0) listing->bytes -= kept->bytes;
    }
}

void blobs_sweep(const struct blobs *blobs)
{
    struct listing listing;

    listing_make(blobs, &listing);
    listing_trim(blobs, &listing, 0);
    arena_release(&listing.arena);
}

/* Invariant 2: for a piece that is here, and for what is still to come of each blob that is on its
 * way. */
static int room_make(const struct blobs *blobs, const struct blob_gather *gather, size_t piece,
                     struct err *err)
{
    struct listing listing;
    uint64_t free = piece;
    int rc = 0;

    for (uint32_t i = 0; i < blobs->count; i++) {
        if (now_steady_ms() - blobs->come_ms[i] > COMING_MS) continue; /* it comes no more */
        free += blobs->coming[i].bytes - blobs->coming[i].at;
    }
    listing_make(blobs, &listing);
    listing_trim(blobs, &listing, free);
    if (listing.bytes + free > bytes_max_of(blobs)) {
        rc = err_set(err, ERR_LIMIT, "blob %.20s... has %" PRIu64 " bytes, and finds no room: "
                     "those of the last hour take %" PRIu64 " of %" PRIu64, gather->id,
                     gather->bytes, listing.bytes, bytes_max_of(blobs));
    }
    arena_release(&listing.arena);
    return rc;
}

/* ---- what comes ---- */

int blobs_take(struct blobs *blobs, const struct blob_piece *piece, bool *whole, struct err *err)
{
    struct blob_gather *gather = coming_find(blobs, piece->id, err);
    struct arena arena = { 0 };
    const char *name;
    struct err none;
    int rc;

    *whole = false;
    if (!gather) return (int)err->code;
    name = coming_name(piece->id, &arena);
    rc = blob_take(gather, piece, FLEET_BLOB_BYTES_MAX, err);
    if (rc == 0 && piece->at == 0) (void)file_remove_in(blobs->folder, name, &none);
    if (rc == 0 && (piece->at == 0 || piece->at / LOOK_BYTES != gather->at / LOOK_BYTES)) {
        rc = room_make(blobs, gather, piece->data.size, err);
    }
    if (rc == 0) rc = file_piece_write(blobs->folder, name, piece->at, piece->data, err);
    if (rc == 0 && gather->whole) {
        rc = file_rename(arena_printf(&arena, "%s/%s", blobs->folder, name),
                         arena_printf(&arena, "%s/%.*s", blobs->folder, STR_ARG(piece->id)), err);
        *whole = rc == 0;
    }
    if (rc != 0) (void)file_remove_in(blobs->folder, name, &none);
    if (rc != 0 || gather->whole) coming_drop(blobs, gather);
    arena_release(&arena);
    return rc;
}
