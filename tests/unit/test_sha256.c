/* SPDX-License-Identifier: Apache-2.0
 *
 * test_sha256.c - the published examples: FIPS 180-4 (through NIST's vectors) and RFC 4231. */
#include "base/sha256.h"

#include "test.h"

#include <stdio.h>
#include <string.h>

static void expect_sha(struct str piece, uint32_t times, const char *wanted)
{
    unsigned char hash[SHA256_BYTES];
    char hex[SHA256_HEX_BYTES];
    struct sha256 sha;

    sha256_init(&sha);
    for (uint32_t i = 0; i < times; i++) sha256_add(&sha, piece);
    sha256_end(&sha, hash);
    for (uint32_t i = 0; i < SHA256_BYTES; i++) snprintf(hex + 2 * i, 3, "%02x", hash[i]);
    assert_string_equal(hex, wanted);
}

TEST(sha256_of_the_published_texts)
{
    expect_sha(STR(""), 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect_sha(STR("abc"), 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect_sha(STR("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"), 1,
               "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    expect_sha(STR("a"), 1000000,
               "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void expect_hmac(struct str key, struct str text, const char *wanted)
{
    char hex[SHA256_HEX_BYTES];

    assert_string_equal(hmac_sha256(key, &text, 1, hex), wanted);
}

TEST(hmac_of_the_published_texts)
{
    char key[131];

    memset(key, 0x0b, 20);
    expect_hmac((struct str){ key, 20 }, STR("Hi There"),
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    expect_hmac(STR("Jefe"), STR("what do ya want for nothing?"),
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    memset(key, 0xaa, sizeof key);
    expect_hmac((struct str){ key, sizeof key },
                STR("Test Using Larger Than Block-Size Key - Hash Key First"),
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(pieces_are_one_text)
{
    const struct str pieces[] = { STR("what do ya "), STR(""), STR("want for nothing?") };
    char hex[SHA256_HEX_BYTES];

    assert_string_equal(hmac_sha256(STR("Jefe"), pieces, 3, hex),
                        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}
