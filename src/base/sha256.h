/* SPDX-License-Identifier: Apache-2.0
 *
 * sha256.h - SHA-256, and HMAC over it: what proves to a receiver who knows the secret that a
 * message is ours. Written here since hone links no library of ciphers, and needs no other part of
 * one. */
#ifndef HONE_BASE_SHA256_H
#define HONE_BASE_SHA256_H

#include "base/str.h"

enum { SHA256_BYTES = 32, SHA256_HEX_BYTES = 65, SHA256_BLOCK_BYTES = 64 };

struct sha256 {
    uint32_t state[8];
    uint64_t size; /* bytes so far */
    unsigned char block[SHA256_BLOCK_BYTES];
};

void sha256_init(struct sha256 *sha);
void sha256_add(struct sha256 *sha, struct str bytes);
void sha256_end(struct sha256 *sha, unsigned char out[SHA256_BYTES]);

/* HMAC-SHA256 of the pieces one behind the other, as hexadecimal digits; returns out. */
const char *hmac_sha256(struct str secret, const struct str *pieces, uint32_t count,
                        char out[SHA256_HEX_BYTES]);

#endif
