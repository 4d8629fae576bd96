/* SPDX-License-Identifier: Apache-2.0
 *
 * wire.h - lines with the program at the other end, without ever waiting for it: of a driver with
 * its carrier, and of a worker with its carrier or its driver. */
#ifndef HONE_DRIVE_FLEET_WIRE_H
#define HONE_DRIVE_FLEET_WIRE_H

#include "format/fleet/fleet_line.h"
#include "io/process/signals.h"
#include "io/process/talk.h"

/* {0} is one that was never opened. */
struct wire {
    struct talk talk;
    enum fleet_side says; /* as whom */
    bool open;            /* until it is closed, though the other end be gone */
    bool up;
    struct buf said;      /* from `taken` on not looked at yet */
    size_t taken;
    uint64_t heard_ms;    /* steady clock: when a byte came */
};

enum { WIRE_UNSENT_BYTES_MAX = 32 << 20, WIRE_AHEAD_BYTES = 1 << 20, WIRE_AWAITED = 2 };

/* How a carrier ends that another start would not mend; and how long its end is waited for when it
 * says nothing more. */
enum {
    WIRE_FOR_GOOD = 2,     /* it never can serve us, and has said why */
    WIRE_NO_PROGRAM = 127, /* it is not there, as a shell says it */
    WIRE_END_MS = 200,
};

/* argv NULL: who has started us, on standard input and output. It is not open. */
int wire_open(struct wire *wire, const char *const *argv, enum fleet_side says, struct err *err);
/* What waits goes out first, for at most send_ms; then its input is closed, and its end waited for
 * as long as grace_ms. Its exit status, or -1 where a signal ended it or there is none. */
int wire_close(struct wire *wire, int64_t send_ms, int64_t grace_ms);

/* Reads and writes what can be. False: the other end is gone, or reads nothing; what it had said
 * can still be taken, until the wire is closed. */
bool wire_turn(struct wire *wire);

/* The next line. 1: *out, in arena; 0: none is there; -1: it was none, and err says why. */
int wire_next(struct wire *wire, struct arena *arena, struct fleet_line *out, struct err *err);

/* False: the line is too long, or the other end reads nothing any more. */
bool wire_say(struct wire *wire, const struct fleet_line *line);
bool wire_has_room(const struct wire *wire); /* less than WIRE_AHEAD_BYTES wait */
void wire_awaited(const struct wire *wire, struct awaited out[WIRE_AWAITED]);

#endif
