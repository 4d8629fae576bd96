/* SPDX-License-Identifier: Apache-2.0
 *
 * sha256.c - FIPS 180-4 and RFC 2104, held to their published examples by tests. */
#include "base/sha256.h"

#include <string.h>

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turned(uint32_t word, uint32_t bits)
{
    return word >> bits | word << (32 - bits);
}

static void take_block(struct sha256 *sha)
{
    uint32_t words[64], at[8];

    for (uint32_t i = 0; i < 16; i++) {
        const unsigned char *bytes = sha->block + (size_t)i * 4;

        words[i] = (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
                   bytes[3];
    }
    for (uint32_t i = 16; i < 64; i++) {
        uint32_t low = words[i - 15], high = words[i - 2];

        words[i] = words[i - 16] + (turned(low, 7) ^ turned(low, 18) ^ low >> 3) + words[i - 7] +
                   (turned(high, 17) ^ turned(high, 19) ^ high >> 10);
    }
    memcpy(at, sha->state, sizeof at);
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t one = at[7] + (turned(at[4], 6) ^ turned(at[4], 11) ^ turned(at[4], 25)) +
                       ((at[4] & at[5]) ^ (~at[4] & at[6])) + constants[i] + words[i];
        uint32_t two = (turned(at[0], 2) ^ turned(at[0], 13) ^ turned(at[0], 22)) +
                       ((at[0] & at[1]) ^ (at[0] & at[2]) ^ (at[1] & at[2]));

        memmove(at + 1, at, 7 * sizeof *at);
        at[4] += one;
        at[0] = one + two;
    }
    for (uint32_t i = 0; i < 8; i++) sha->state[i] += at[i];
}

void sha256_init(struct sha256 *sha)
{
    *sha = (struct sha256){ .state = {
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab,
        0x5be0cd19,
    } };
}

void sha256_add(struct sha256 *sha, struct str bytes)
{
    for (size_t i = 0; i < bytes.size; i++) {
        sha->block[sha->size++ % SHA256_BLOCK_BYTES] = (unsigned char)bytes.data[i];
        if (sha->size % SHA256_BLOCK_BYTES == 0) take_block(sha);
    }
}

void sha256_end(struct sha256 *sha, unsigned char out[SHA256_BYTES])
{
    uint64_t bits = sha->size * 8;
    char length[8];

    for (uint32_t i = 0; i < 8; i++) length[i] = (char)(bits >> (56 - 8 * i));
    sha256_add(sha, STR("\x80"));
    while (sha->size % SHA256_BLOCK_BYTES != SHA256_BLOCK_BYTES - sizeof length) {
        sha256_add(sha, (struct str){ "", 1 });
    }
    sha256_add(sha, (struct str){ length, sizeof length });
    for (uint32_t i = 0; i < SHA256_BYTES; i++) {
        out[i] = (unsigned char)(sha->state[i / 4] >> (24 - 8 * (i % 4)));
    }
}

static void add_padded(struct sha256 *sha, const unsigned char key[SHA256_BLOCK_BYTES],
                       unsigned char pad)
{
    char block[SHA256_BLOCK_BYTES];

    for (uint32_t i = 0; i < sizeof block; i++) block[i] = (char)(key[i] ^ pad);
    sha256_init(sha);
    sha256_add(sha, (struct str){ block, sizeof block });
}

const char *hmac_sha256(struct str secret, const struct str *pieces, uint32_t count,
                        char out[SHA256_HEX_BYTES])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char key[SHA256_BLOCK_BYTES] = { 0 }, hash[SHA256_BYTES];
    struct sha256 sha;

    if (secret.size > sizeof key) {
        sha256_init(&sha);
        sha256_add(&sha, secret);
        sha256_end(&sha, key);
    } else if (secret.size > 0) {
        memcpy(key, secret.data, secret.size);
    }
    add_padded(&sha, key, 0x36);
    for (uint32_t i = 0; i < count; i++) sha256_add(&sha, pieces[i]);
    sha256_end(&sha, hash);
    add_padded(&sha, key, 0x5c);
    sha256_add(&sha, (struct str){ (const char *)hash, sizeof hash });
    sha256_end(&sha, hash);
    for (uint32_t i = 0; i < SHA256_BYTES; i++) {
        out[2 * i] = digits[hash[i] >> 4];
        out[2 * i + 1] = digits[hash[i] & 15];
    }
    out[SHA256_HEX_BYTES - 1] = '\0';
    return out;
}
