/* SPDX-License-Identifier: Apache-2.0
 *
 * prng.h - numbers that only look random: the same seed gives the same ones, everywhere.
 * For tests alone; never for anything that must not be guessed. */
#ifndef HONE_TESTS_SHARED_PRNG_H
#define HONE_TESTS_SHARED_PRNG_H

#include <stdbool.h>
#include <stdint.h>

struct prng {
    uint64_t state;
};

uint64_t prng_next(struct prng *prng);
uint32_t prng_below(struct prng *prng, uint32_t bound);              /* 0 .. bound-1; bound > 0 */
bool prng_chance(struct prng *prng, uint32_t percent);

#endif
