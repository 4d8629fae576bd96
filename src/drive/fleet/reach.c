/* SPDX-License-Identifier: Apache-2.0
 *
 * reach.c - how long a fleet that cannot be reached is waited for.
 *
 *     looks --> is it reached? --no--> missed_ms grows --past the patience--> it is over
 *                    '--yes--> held_ms grows --past a lease--> missed_ms begins anew
 *
 * 1. All times come from the lease. The patience is ten leases, five minutes at 30 s: a machine
 *    with a server is started again within that, and a person who looks at the run still is there.
 *    Where the fleet was never reached a person has just started the run: it is two leases.
 * 2. The count begins anew when the fleet was reached for a lease. So two drops that are far apart
 *    have nothing to do with each other, and a carrier that ends again and again does not go on
 *    for ever, though each of them says that it is ready.
 * 3. Only time in which an attempt waits for the fleet counts, and of a time in which hone did not
 *    look (it was stopped) one lease.
 * 4. The pause before the next process doubles from half a second to half a lease: a driver that
 *    is not heard for two leases loses its agents.
 *
 * Not here: what is done and said then (fleet.c). */
#include "drive/fleet/reach.h"

enum { PATIENCE_LEASES = 10, FIRST_LEASES = 2, PAUSE_MS = 500, DOUBLED_MAX = 20 };

void reach_step(struct reach *reach, const struct reach_look *look)
{
    uint64_t past_ms = reach->looked_ms == 0 ? 0 : look->now_ms - reach->looked_ms;

    if (past_ms > look->lease_ms) past_ms = look->lease_ms; /* 3 */
    if (reach->is) reach->held_ms += past_ms;
    else if (look->wanted) reach->missed_ms += past_ms;
    if (reach->is && reach->held_ms >= look->lease_ms) reach->missed_ms = reach->ends = 0; /* 2 */
    if (look->is && !reach->is) reach->held_ms = 0;
    reach->is = look->is;
    reach->was = reach->was || look->is;
    reach->looked_ms = look->now_ms;
}

uint64_t reach_pause_ms(struct reach *reach, uint64_t lease_ms)
{
    uint32_t doubled = reach->ends < DOUBLED_MAX ? reach->ends : DOUBLED_MAX;
    uint64_t pause_ms = (uint64_t)PAUSE_MS << doubled;

    reach->ends++;
    return pause_ms < lease_ms / 2 ? pause_ms : lease_ms / 2; /* 4 */
}

uint64_t reach_patience_ms(const struct reach *reach, uint64_t lease_ms)
{
    return lease_ms * (reach->was ? PATIENCE_LEASES : FIRST_LEASES); /* 1 */
}

bool reach_is_over(const struct reach *reach, uint64_t lease_ms)
{
    return !reach->is && reach->missed_ms >= reach_patience_ms(reach, lease_ms);
}
