/* SPDX-License-Identifier: Apache-2.0
 *
 * carrier.h - the program that brings attempts away and back (docs/reference/carrier.md): its
 * process, and the lines with it. */
#ifndef HONE_DRIVE_FLEET_CARRIER_H
#define HONE_DRIVE_FLEET_CARRIER_H

#include "base/arena.h"
#include "drive/fleet/wire.h"

struct parcel;

/* {0} is one that was never begun. */
struct carrier {
    const char *const *argv;  /* how it is started; NULL ends */
    uint64_t lease_ms;
    struct fleet_line hello;  /* what it is told first */
    struct wire wire;         /* up: a process is there */
    bool ready;               /* ... and said so */
    struct parcel *parcels;   /* what waits to be sent, in order */
    uint32_t parcel_count, parcel_cap, parcel_first;
    uint64_t beat_ms;         /* steady clock: when it was told last that we are there */
};

enum carrier_state {
    CARRIER_WELL,
    CARRIER_ENDED, /* its process has ended, or closed what it hears or says us by */
    CARRIER_MUTE,  /* it said nothing for 2 L, or reads nothing */
};

/* L: FLEET_LEASE_MS, or what HONE_FLEET_LEASE_MS says, for tests. */
uint64_t carrier_lease_ms(void);

/* Starts its process and greets it. */
int carrier_begin(struct carrier *carrier, struct err *err);
/* Another lease holds: what it said with ready. */
void carrier_lease(struct carrier *carrier, uint64_t lease_ms);
/* Ends it at once. What waits is gone. The exit status of one that ended by itself; -1: none. */
int carrier_drop(struct carrier *carrier);

/* A line before all that waits. False: it reads nothing any more. */
bool carrier_say(struct carrier *carrier, const struct fleet_line *line);
/* A line behind all that waits; a copy is kept. One that is too long for a line is none. */
void carrier_queue(struct carrier *carrier, const struct fleet_line *line);
/* A file in pieces, behind all that waits; it is read when its turn comes. Texts are copied. k: the
 * attempt that it is of, or "". */
void carrier_queue_blob(struct carrier *carrier, const char *k, const char *id, const char *path);
/* Likewise a blob that it needs, of no attempt; one that waits and was not begun is the same. It
 * hears `none` where the file cannot be read any more. */
void carrier_queue_needed(struct carrier *carrier, const char *id, const char *path);
/* What waits of an attempt and was not begun is not sent. */
void carrier_withdraw(struct carrier *carrier, const char *k);

/* Reads and writes what can be, without waiting, and says beat where that is due. */
enum carrier_state carrier_turn(struct carrier *carrier);
/* The next line that came. 1: *out, whose texts live in arena; 0: there is none; -1: what came is
 * no line of ours: err says why. */
int carrier_next(struct carrier *carrier, struct arena *arena, struct fleet_line *out,
                 struct err *err);

/* Lines and files that wait until what is before them was read. */
uint32_t carrier_waiting(const struct carrier *carrier);
int64_t carrier_due_in(const struct carrier *carrier); /* milliseconds; -1: never */
/* What is waited for; returns how many, at most CARRIER_AWAITED. */
enum { CARRIER_AWAITED = WIRE_AWAITED };
uint32_t carrier_awaited(const struct carrier *carrier, struct awaited out[CARRIER_AWAITED]);

/* Sends what waits for at most send_ms, closes its input, and waits for its end. */
void carrier_end(struct carrier *carrier, int64_t send_ms);

#endif
