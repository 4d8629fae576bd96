/* SPDX-License-Identifier: Apache-2.0
 *
 * test_piece.c - files in pieces; and a line that is written while this process is busy. */
#include "ground.h"
#include "io/file/file.h"
#include "io/file/piece.h"
#include "io/file/scratch.h"
#include "io/process/beat.h"
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *path_of(const struct ground *ground, const char *name, char out[1024])
{
    snprintf(out, 1024, "%s/%s", ground->work, name);
    return out;
}

ON_GROUND(pieces_come_in_any_order_and_holes_are_zeros)
{
    const struct ground *ground = *state;
    unsigned char one[SHA256_BYTES], other[SHA256_BYTES];
    char path[1024];
    uint64_t bytes;
    struct buf out;
    struct err err;

    buf_init(&out, 64);
    assert_int_equal(file_piece_write(ground->work, "a", 4, STR("end"), &err), 0);
    assert_int_equal(file_piece_write(ground->work, "a", 0, STR("be"), &err), 0);
    assert_int_equal(file_piece_read(path_of(ground, "a", path), 0, 64, &out, &err), 0);
    assert_int_equal(out.size, 7);
    assert_memory_equal(out.data, "be\0\0end", 7);
    buf_clear(&out);
    assert_int_equal(file_piece_read(path, 5, 64, &out, &err), 0);
    assert_true(str_is(buf_str(&out), "nd"));
    buf_clear(&out);
    assert_int_equal(file_piece_read(path, 7, 64, &out, &err), 0);
    assert_int_equal(out.size, 0);
    assert_int_equal(file_sum(path, one, &bytes, &err), 0);
    assert_int_equal(bytes, 7);
    assert_int_equal(file_piece_write(ground->work, "a", 2, STR("hind"), &err), 0);
    assert_int_equal(file_sum(path, other, &bytes, &err), 0);
    assert_memory_not_equal(one, other, SHA256_BYTES);
    buf_release(&out);
}

ON_GROUND(a_link_and_a_folder_are_no_files)
{
    const struct ground *ground = *state;
    unsigned char sum[SHA256_BYTES];
    char path[1024];
    uint64_t bytes;
    struct err err;

    assert_int_equal(scratch_write(ground->work, "a", STR("one"), &err), 0);
    assert_int_equal(symlink("a", path_of(ground, "link", path)), 0);
    assert_int_not_equal(file_sum(path, sum, &bytes, &err), 0);
    assert_int_not_equal(file_piece_write(ground->work, "link", 0, STR("two"), &err), 0);
    assert_int_not_equal(file_sum(ground->work, sum, &bytes, &err), 0);
    assert_int_equal(file_sum(path_of(ground, "none", path), sum, &bytes, &err), ERR_MISSING);
}

/* Whether something can be read of the pipe within so long, while nothing but this is done. */
static bool comes(int fd, uint64_t within_ms)
{
    uint64_t until_ms = now_steady_ms() + within_ms;
    char text[64];

    while (now_steady_ms() < until_ms) {
        ssize_t got = read(fd, text, sizeof text);

        if (got > 0) return memcmp(text, "beat\n", 5) == 0;
    }
    return false;
}

TEST(a_beat_comes_by_itself_and_never_into_a_line)
{
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
    assert_int_equal(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
    beat_start(ends[1], "beat\n", 5);
    assert_false(comes(ends[0], 30)); /* the line may not have ended yet */
    beat_leave(true);
    assert_true(comes(ends[0], 5000));
    beat_enter();
    while (comes(ends[0], 10)) {}
    beat_leave(false);
    assert_false(comes(ends[0], 30));
    beat_leave(true);
    assert_true(comes(ends[0], 5000));
    beat_stop();
    while (comes(ends[0], 10)) {}
    assert_false(comes(ends[0], 30));
    close(ends[0]);
    close(ends[1]);
}
