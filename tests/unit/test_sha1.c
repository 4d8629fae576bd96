/* SPDX-License-Identifier: Apache-2.0
 *
 * test_sha1.c - the published examples of FIPS 180-4, and texts around the length of a block. */
#include "base/sha1.h"

#include "test.h"

#include <string.h>

static void expect(struct str text, const char *wanted)
{
    char hex[SHA1_HEX_BYTES];

    assert_string_equal(sha1_hex(text, hex), wanted);
}

TEST(sha1_of_the_published_texts)
{
    static char many[1000000];

    expect(STR(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    expect((struct str){ NULL, 0 }, "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    expect(STR("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
    expect(STR("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
           "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
    memset(many, 'a', sizeof many);
    expect((struct str){ many, sizeof many }, "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}

/* By sha1sum, of so many "x": the length has room in the last block, or just not any
 * more. */
TEST(sha1_around_the_end_of_a_block)
{
    static const struct {
        size_t size;
        const char *hex;
    } rows[] = {
        { 55, "cef734ba81a024479e09eb5a75b6ddae62e6abf1" },
        { 56, "901305367c259952f4e7af8323f480d59f81335b" },
        { 63, "0ddc4e0cccd9a12850deb5abb0853a4425559fec" },
        { 64, "bb2fa3ee7afb9f54c6dfb5d021f14b1ffe40c163" },
        { 65, "78c741ddc482e4cdf8c474a0876347a0905b6233" },
        { 119, "4300320394f7ee239bcdce7d3b8bcee173a0cd5c" },
        { 120, "ceb2821639c4b6dcb10bce0e522ca2e608ce056d" },
        { 128, "150fa3fbdc899bd0b8f95a9fb6027f564d953762" },
    };
    char text[129];

    memset(text, 'x', sizeof text);
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        expect((struct str){ text, rows[i].size }, rows[i].hex);
    }
}
