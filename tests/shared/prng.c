/* SPDX-License-Identifier: Apache-2.0 */
#include "prng.h"

#include <assert.h>

/* splitmix64 (Steele, Lea, Flood 2014): one addition and three mixing steps per number. */
uint64_t prng_next(struct prng *prng)
{
    uint64_t z = (prng->state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint32_t prng_below(struct prng *prng, uint32_t bound)
{
    assert(bound > 0);
    return (uint32_t)(((prng_next(prng) >> 32) * bound) >> 32);
}

bool prng_chance(struct prng *prng, uint32_t percent)
{
    return prng_below(prng, 100) < percent;
}
