/* SPDX-License-Identifier: Apache-2.0
 *
 * test_transcript.c - the files of an attempt that has ended. Every secret is made of two pieces,
 * so that this file holds none. */
#include "drive/transcript.h"

#include "base/mem.h"
#include "ground.h"
#include "io/file/scratch.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define TOKEN "gh" "p_Qx7Zp2Lm9Rt4Vw8Ks3Yb6Nd1Hf5Gj0Ce2Ua8"

static void settle(const struct ground *ground)
{
    struct mask mask = { 0 };
    struct err err;

    assert_int_equal(transcript_settle(ground->work, FILES_ALL, &mask, &err), 0);
}

ON_GROUND(a_file_without_secrets_is_not_touched)
{
    const struct ground *ground = *state;
    ino_t inode;

    put(at(ground, "work/stdout"), "all is well\n");
    inode = inode_of(at(ground, "work/stdout"));
    settle(ground);
    assert_int_equal(inode_of(at(ground, "work/stdout")), inode);
    assert_int_equal(count_in(ground->work), 1);
}

ON_GROUND(every_file_is_masked_for_its_owner_alone)
{
    const struct ground *ground = *state;

    for (uint32_t i = 0; attempt_files[i]; i++) {
        put(at(ground, "work/%s", attempt_files[i]), "so: " TOKEN "\n");
    }
    settle(ground);
    for (uint32_t i = 0; attempt_files[i]; i++) {
        const char *path = at(ground, "work/%s", attempt_files[i]);
        expect_content(path, "so: [github-token masked]\n");
        assert_int_equal(mode_of(path) & 0777, 0600);
    }
    settle(ground);
    expect_content(at(ground, "work/stdout"), "so: [github-token masked]\n");
}

ON_GROUND(links_and_folders_are_left_alone)
{
    const struct ground *ground = *state;

    put(at(ground, "outside"), TOKEN);
    put_link(at(ground, "work/stdout"), at(ground, "outside"));
    make_folder(at(ground, "work/stderr"));
    put_link(at(ground, "work/answer.new"), at(ground, "outside"));
    put(at(ground, "work/answer"), TOKEN);
    settle(ground);
    expect_content(at(ground, "outside"), TOKEN);
    expect_link(at(ground, "work/stdout"), at(ground, "outside"));
    expect_content(at(ground, "work/answer"), "[github-token masked]");
}

/* Tokens at every distance from the end of the first piece. */
ON_GROUND(a_secret_between_two_pieces_is_found)
{
    const struct ground *ground = *state;
    enum { PIECE = 1 << 20, BYTES = PIECE + 200 };
    char *text = mem_alloc(BYTES + 1);
    struct buf out;
    struct err err;

    for (size_t from = PIECE - sizeof TOKEN - 1; from <= PIECE + 1; from += 3) {
        memset(text, '.', BYTES);
        memset(text + from - 1, ' ', sizeof TOKEN + 1);
        memcpy(text + from, TOKEN, sizeof TOKEN - 1);
        put(at(ground, "work/stdout"), text);
        settle(ground);
        buf_init(&out, 2 * BYTES);
        assert_int_equal(scratch_read(ground->work, "stdout", &out, &err), 0);
        assert_null(strstr(buf_cstr(&out), TOKEN));
        assert_non_null(strstr(buf_cstr(&out), " [github-token masked] "));
        buf_release(&out);
    }
    free(text);
}
