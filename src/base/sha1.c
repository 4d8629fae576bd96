/* SPDX-License-Identifier: Apache-2.0
 *
 * sha1.c - FIPS 180-4, held to its published examples by tests. */
#include "base/sha1.h"

#include <stdio.h>
#include <string.h>

enum { BLOCK_BYTES = 64, LENGTH_BYTES = 8, ROUNDS = 80, STATE_WORDS = 5 };

static uint32_t turned(uint32_t word, uint32_t bits)
{
    return word << bits | word >> (32 - bits);
}

/* What a round mixes of the second to the fourth word, and its constant. */
static uint32_t mixed(uint32_t round, const uint32_t at[STATE_WORDS])
{
    if (round < 20) return ((at[1] & at[2]) | (~at[1] & at[3])) + 0x5a827999;
    if (round < 40) return (at[1] ^ at[2] ^ at[3]) + 0x6ed9eba1;
    if (round < 60) return ((at[1] & at[2]) | (at[1] & at[3]) | (at[2] & at[3])) + 0x8f1bbcdc;
    return (at[1] ^ at[2] ^ at[3]) + 0xca62c1d6;
}

static void take_block(uint32_t state[STATE_WORDS], const unsigned char block[BLOCK_BYTES])
{
    uint32_t words[ROUNDS], at[STATE_WORDS];

    for (uint32_t i = 0; i < 16; i++) {
        const unsigned char *bytes = block + (size_t)i * 4;

        words[i] = (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
                   bytes[3];
    }
    for (uint32_t i = 16; i < ROUNDS; i++) {
        words[i] = turned(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
    }
    memcpy(at, state, sizeof at);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint32_t next = turned(at[0], 5) + mixed(i, at) + at[4] + words[i];

        memmove(at + 1, at, (STATE_WORDS - 1) * sizeof *at);
        at[0] = next;
        at[2] = turned(at[2], 30);
    }
    for (uint32_t i = 0; i < STATE_WORDS; i++) state[i] += at[i];
}

const char *sha1_hex(struct str text, char out[SHA1_HEX_BYTES])
{
    uint32_t state[STATE_WORDS] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 };
    unsigned char block[BLOCK_BYTES] = { 0 };
    uint64_t bits = (uint64_t)text.size * 8;
    size_t at = 0, left;

    for (; text.size - at >= BLOCK_BYTES; at += BLOCK_BYTES) {
        take_block(state, (const unsigned char *)text.data + at);
    }
    left = text.size - at;
    if (left > 0) memcpy(block, text.data + at, left);
    block[left++] = 0x80;
    if (left > BLOCK_BYTES - LENGTH_BYTES) {
        take_block(state, block);
        memset(block, 0, sizeof block);
    }
    for (uint32_t i = 0; i < LENGTH_BYTES; i++) {
        block[BLOCK_BYTES - LENGTH_BYTES + i] = (unsigned char)(bits >> (56 - 8 * i));
    }
    take_block(state, block);
    (void)snprintf(out, SHA1_HEX_BYTES, "%08x%08x%08x%08x%08x", state[0], state[1], state[2],
                   state[3], state[4]);
    return out;
}
