/* SPDX-License-Identifier: Apache-2.0
 *
 * carry.h - an attempt on its way through a fleet, and the times that all ends keep to.
 *
 * Room: how far an attempt is, as each of the four ends of its way sees it. An end is a pure step:
 * what it heard goes in, with the time; an ordered list of what it does comes out. An end holds no
 * connection, no file, no process and no clock. The programs perform what an end does: drive/fleet,
 * link and worker. How lines look is in format/fleet.
 *
 *      hone run             hone-link drive        hone-link work         hone worker
 *       sent.c                carried.c               held.c                 task.c
 *         |   job, stop, ask      |     the server       |   job, go, stop      |
 *         |---------------------->|--------------------->|--------------------->|
 *         |<----------------------|<---------------------|<---------------------|
 *            taken, ended, lost       claim, result         begin, beat, ended
 *
 * A message between two ends may be lost, doubled, late, or overtaken by another one; each end and
 * the server may die. All the same: an attempt is begun at most once, it is answered at most once,
 * and its driver hears of an end. tests/sim/sim_fleet.c tries that.
 *
 * All times come from the lease L: how long a claim holds without being renewed. */
#ifndef HONE_CARRY_CARRY_H
#define HONE_CARRY_CARRY_H

#include <stdint.h>

enum {
    CARRY_HANDED_MAX = 20,  /* so often the server hands a job out that no worker claims */
    CARRY_BYE_MS = 5000,    /* what the end of a run removes is waited for so long */
    CARRY_STOP_MS = CARRY_BYE_MS + 1000, /* a carrier that was told to end is killed then */
};

/* An end says at least so often that it lives; a worker renews its claims by it. */
uint64_t carry_beat_ms(uint64_t lease_ms);
/* A claim that was not renewed for so long is lost: its driver gives it up. */
uint64_t carry_lost_ms(uint64_t lease_ms);
/* A driver that was not heard for so long is dead: its agents end. */
uint64_t carry_dead_ms(uint64_t lease_ms);

#endif
