/* SPDX-License-Identifier: Apache-2.0
 *
 * carry.c - the times of a fleet.
 *
 * 1. A worker that cannot renew a claim ends its agent after L by its own clock. Its driver gives
 *    the claim up after 3 L / 2 by its own. So the agent is dead before another one is asked for.
 * 2. A driver that hangs loses its agents after 2 L: a server that is started again takes less. */
#include "carry/carry.h"

enum { BEATS_PER_LEASE = 6, DEAD_LEASES = 2 };

uint64_t carry_beat_ms(uint64_t lease_ms)
{
    return lease_ms / BEATS_PER_LEASE;
}

uint64_t carry_lost_ms(uint64_t lease_ms)
{
    return lease_ms * 3 / 2;
}

uint64_t carry_dead_ms(uint64_t lease_ms)
{
    return DEAD_LEASES * lease_ms;
}
