/* SPDX-License-Identifier: Apache-2.0
 *
 * blobs.c - a file for each blob.
 *
 * 1. A file with a blob's name holds that blob: pieces go to ID.PROCESS, which gets the name when
 *    it is whole. Several processes may use the folder.
 * 2. What was used within the last day stays, so that no blob of a job that waits is gone when
 *    its turn comes. Of the rest the oldest goes where there is too much, and all after a week. */
#include "worker/blobs.h"

#include "base/mem.h"
#include "io/file/file.h"
#include "io/file/peek.h"
#include "io/file/piece.h"
#include "io/process/signals.h"

#include <assert.h>
#include <stdlib.h>

#define BLOBS_BYTES_MAX (UINT64_C(8) << 30)
enum { DAY_MS = 24 * 3600 * 1000 };

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

/* ---- what goes ---- */

struct kept {
    const char *name;
    uint64_t bytes, unused_ms;
};

static int by_age(const void *a, const void *b)
{
    const struct kept *left = a, *right = b;

    return (left->unused_ms < right->unused_ms) - (left->unused_ms > right->unused_ms);
}

/* Invariant 2. Half a blob is one of another process, perhaps at work. */
static bool is_due(const struct kept *kept, uint64_t bytes)
{
    return kept->unused_ms > DAY_MS && (bytes > BLOBS_BYTES_MAX || kept->unused_ms > 7 * DAY_MS ||
                                        !fleet_blob_is(str_of(kept->name), NULL));
}

void blobs_sweep(const struct blobs *blobs)
{
    struct arena arena = { 0 };
    const char *const *names = folder_names(blobs->folder, "", &arena);
    struct kept *all = NULL;
    uint32_t count = 0, cap = 0;
    uint64_t bytes = 0;
    struct err none;

    for (; *names; names++) {
        const char *path = arena_printf(&arena, "%s/%s", blobs->folder, *names);
        struct kept kept = { .name = *names };

        if (!file_unused(path, &kept.bytes, &kept.unused_ms)) continue;
        all = mem_grow(all, count, &cap, sizeof *all);
        all[count++] = kept;
        bytes += kept.bytes;
    }
    if (count) qsort(all, count, sizeof *all, by_age);
    for (uint32_t i = 0; i < count; i++) {
        if (!is_due(&all[i], bytes)) continue;
        if (file_remove_in(blobs->folder, all[i].name, &none) == 0) bytes -= all[i].bytes;
    }
    free(all);
    arena_release(&arena);
}
