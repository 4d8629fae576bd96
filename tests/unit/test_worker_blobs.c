/* SPDX-License-Identifier: Apache-2.0
 *
 * test_worker_blobs.c - what a worker keeps of blobs: whole ones, and never more than the bound. */
#include "base/arena.h"
#include "format/fleet/fleet_blob.h"
#include "ground.h"
#include "test.h"
#include "worker/blobs.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PIECE = 1000, HOUR = 3600 };

static char bytes[FLEET_PIECE_BYTES_MAX];

static struct blobs begin(const struct ground *ground, struct arena *arena, uint64_t bytes_max)
{
    make_folder(at(ground, "blobs"));
    return (struct blobs){ .folder = arena_printf(arena, "%s/blobs", ground->root),
                           .bytes_max = bytes_max };
}

/* An id of the kind whose bytes no hash covers. */
static struct str id_of(unsigned number, struct arena *arena)
{
    return str_of(arena_printf(arena, "base-%040x", number));
}

/* A piece of a blob that says it has so many bytes. */
static int piece(struct blobs *blobs, struct str id, uint64_t whole, uint64_t at, size_t size,
                 struct err *err)
{
    struct blob_piece piece = { id, whole, at, { bytes, size } };
    bool there;

    return blobs_take(blobs, &piece, &there, err);
}

static bool has(struct blobs *blobs, struct str id)
{
    struct arena arena = { 0 };
    bool found = blobs_find(blobs, id, &arena) != NULL;

    arena_release(&arena);
    return found;
}

static void age(const struct blobs *blobs, struct str id, int seconds)
{
    struct timespec times[2] = { { .tv_nsec = UTIME_OMIT } };
    struct arena arena = { 0 };
    const char *path = arena_printf(&arena, "%s/%.*s", blobs->folder, STR_ARG(id));
    struct stat st;

    assert_int_equal(stat(path, &st), 0);
    times[1] = (struct timespec){ .tv_sec = st.st_mtime - seconds };
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    arena_release(&arena);
}

ON_GROUND(the_oldest_goes_where_there_is_no_room)
{
    struct arena arena = { 0 };
    struct blobs blobs = begin(*state, &arena, 3 * PIECE);
    struct err err = { 0 };

    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(piece(&blobs, id_of(i, &arena), PIECE, 0, PIECE, &err), 0);
        age(&blobs, id_of(i, &arena), 3 * HOUR - (int)i);
    }
    assert_true(has(&blobs, id_of(0, &arena))); /* used now: it is not the oldest any more */
    assert_int_equal(piece(&blobs, id_of(9, &arena), PIECE, 0, PIECE, &err), 0);
    assert_true(has(&blobs, id_of(0, &arena)));
    assert_false(has(&blobs, id_of(1, &arena)));
    assert_true(has(&blobs, id_of(2, &arena)));
    assert_true(has(&blobs, id_of(9, &arena)));
    arena_release(&arena);
}

ON_GROUND(what_a_job_stands_on_stays_and_the_new_one_is_refused)
{
    struct arena arena = { 0 };
    struct blobs blobs = begin(*state, &arena, 3 * PIECE);
    struct err err = { 0 };

    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(piece(&blobs, id_of(i, &arena), PIECE, 0, PIECE, &err), 0);
    }
    assert_int_equal(piece(&blobs, id_of(9, &arena), PIECE, 0, PIECE, &err), ERR_LIMIT);
    assert_has(err.text, "finds no room: those of the last hour take 3000 of 3000");
    for (unsigned i = 0; i < 3; i++) assert_true(has(&blobs, id_of(i, &arena)));
    assert_int_equal(count_in(blobs.folder), 3);
    arena_release(&arena);
}

/* What a blob says it will have counts from its first piece on. */
ON_GROUND(blobs_of_absurd_size_are_refused_at_their_first_piece)
{
    struct arena arena = { 0 };
    struct blobs blobs = begin(*state, &arena, 10 * PIECE);
    struct err err = { 0 };

    assert_int_equal(piece(&blobs, id_of(0, &arena), 11 * PIECE, 0, 10, &err), ERR_LIMIT);
    assert_int_equal(piece(&blobs, id_of(1, &arena), 8 * PIECE, 0, 10, &err), 0);
    assert_int_equal(piece(&blobs, id_of(2, &arena), 3 * PIECE, 0, 10, &err), ERR_LIMIT);
    assert_int_equal(piece(&blobs, id_of(3, &arena), 2 * PIECE, 0, 10, &err), 0);
    assert_int_equal(piece(&blobs, id_of(4, &arena), UINT64_MAX, 0, 10, &err), ERR_LIMIT);
    assert_int_equal(count_in(blobs.folder), 2); /* the halves of 1 and 3 */
    arena_release(&arena);
}

/* Another process fills the folder while a blob comes. */
ON_GROUND(a_blob_that_grows_looks_again)
{
    enum { STEP = FLEET_PIECE_BYTES_MAX };
    struct arena arena = { 0 };
    struct blobs blobs = begin(*state, &arena, UINT64_C(200) << 20);
    uint64_t whole = UINT64_C(100) << 20, at_byte = 0;
    struct err err = { 0 };
    int rc = 0;

    for (; rc == 0 && at_byte < whole; at_byte += STEP) {
        rc = piece(&blobs, id_of(0, &arena), whole, at_byte, STEP, &err);
        if (at_byte == 0) {
            const char *const args[] = { "truncate", "--size=150M", "other", NULL };

            assert_int_equal(run_in(blobs.folder, args), 0);
        }
    }
    assert_int_equal(rc, ERR_LIMIT);
    assert_int_equal(count_in(blobs.folder), 1); /* what the other made */
    arena_release(&arena);
}
