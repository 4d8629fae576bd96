/* SPDX-License-Identifier: Apache-2.0
 *
 * reach.h - whether a run's fleet can be reached, and how long it is waited for. Pure. */
#ifndef HONE_DRIVE_FLEET_REACH_H
#define HONE_DRIVE_FLEET_REACH_H

#include <stdbool.h>
#include <stdint.h>

/* {0} is a fleet that was not looked at yet. */
struct reach {
    bool was;           /* it was reached once */
    bool is;            /* it was when it was looked at last */
    uint64_t looked_ms; /* that time; 0: never */
    uint64_t held_ms;   /* how long it has been reached since it was not */
    uint64_t missed_ms; /* how long it could not be reached, in all, since it was for a lease */
    uint32_t ends;      /* of its carrier's process since then */
};

/* What is seen of it. is: its carrier is ready, and has not said that its server is away. wanted:
 * an attempt waits for it. */
struct reach_look {
    uint64_t now_ms; /* by a clock that is not set */
    uint64_t lease_ms;
    bool is, wanted;
};

/* To be called at least once a lease. */
void reach_step(struct reach *reach, const struct reach_look *look);
/* Its carrier's process has ended, or did not start: how long to wait before the next one. */
uint64_t reach_pause_ms(struct reach *reach, uint64_t lease_ms);

/* How long it is waited for, and whether that is over. */
uint64_t reach_patience_ms(const struct reach *reach, uint64_t lease_ms);
bool reach_is_over(const struct reach *reach, uint64_t lease_ms);

#endif
