/* SPDX-License-Identifier: Apache-2.0
 *
 * hash.h - FNV-1a: a number for a text, quick and the same on every machine. It tells texts apart;
 * it does not protect against an attacker, who can make two texts with the same number. */
#ifndef HONE_BASE_HASH_H
#define HONE_BASE_HASH_H

#include "base/str.h"

#define HASH_START UINT64_C(0xcbf29ce484222325)

static inline uint64_t hash_byte(uint64_t hash, char byte)
{
    return (hash ^ (unsigned char)byte) * UINT64_C(0x100000001b3);
}

static inline uint64_t hash_text(uint64_t hash, struct str text)
{
    for (size_t i = 0; i < text.size; i++) hash = hash_byte(hash, text.data[i]);
    return hash;
}

/* Some hashes, for a quick look before a search: what was put in always passes, and of the rest
 * little does while far fewer are in it than it has bits. {0} is an empty one. */
enum { SIEVE_WORDS = 64 }; /* a power of two */
struct sieve {
    uint64_t words[SIEVE_WORDS];
};

static inline void sieve_add(struct sieve *sieve, uint64_t hash)
{
    sieve->words[hash >> 6 & (SIEVE_WORDS - 1)] |= UINT64_C(1) << (hash & 63);
}

static inline bool sieve_passes(const struct sieve *sieve, uint64_t hash)
{
    return sieve->words[hash >> 6 & (SIEVE_WORDS - 1)] >> (hash & 63) & 1;
}

#endif
