/* SPDX-License-Identifier: Apache-2.0
 *
 * loop.h - the one loop: lines on standard input and output at one side, the bus at the other.
 *
 * Room: hone-link, a program of its own that carries attempts over NATS JetStream. It speaks the
 * lines of docs/reference/carrier.md with hone, and knows nothing of runs but their keys. libnats
 * and libcrypto are linked by it alone. */
#ifndef HONE_LINK_LOOP_H
#define HONE_LINK_LOOP_H

#include "format/fleet/fleet_line.h"
#include "link/bus.h"

struct loop;

struct loop_end {
    enum fleet_side hears, says;
    void *owner;
    void (*on_line)(void *owner, const struct fleet_line *line);
    void (*on_tick)(void *owner);     /* at least each LOOP_TICK_MS while something is under way */
    bool (*takes_lines)(void *owner); /* false: what comes waits. NULL: never */
    void (*on_eof)(void *owner);
};

enum {
    LOOP_TICK_MS = 20,              /* while something is due soon; else LOOP_IDLE_MS */
    LOOP_IDLE_MS = 200,
    LOOP_OUT_BYTES_MAX = 64 << 20,  /* a reader that takes nothing for so long is given up */
    LOOP_OUT_BYTES_MANY = 8 << 20,  /* above it, what may be missing is left out */
};

int loop_new(struct loop **out, const struct loop_end *end, struct err *err);
void loop_free(struct loop *loop);

/* Until loop_stop(), and what was said is out, or its reader is gone. The exit code. */
int loop_run(struct loop *loop, struct bus *bus);
void loop_stop(struct loop *loop, int code);

void loop_say(struct loop *loop, const struct fleet_line *line);
bool loop_is_full(const struct loop *loop); /* LOOP_OUT_BYTES_MANY wait to be read */
bool loop_is_over(const struct loop *loop); /* the one who spoke with us is gone */
void loop_hurry(struct loop *loop);         /* the next tick is due in LOOP_TICK_MS */

/* A message for the person, on standard error. */
void loop_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
