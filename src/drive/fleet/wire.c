/* SPDX-License-Identifier: Apache-2.0
 *
 * wire.c - lines with the program at the other end.
 *
 * 1. Nothing here waits, but wire_close() for its times.
 * 2. Both directions are bounded: who floods us is read no further, and who reads nothing of what
 *    it is told is as good as gone. */
#include "drive/fleet/wire.h"

#include "io/file/file.h"

#include <string.h>

enum { SAID_BYTES_MAX = 8 << 20, READS_MAX = 32 };

int wire_open(struct wire *wire, const char *const *argv, enum fleet_side says, struct err *err)
{
    int rc = 0;

    *wire = (struct wire){ .says = says };
    buf_init(&wire->said, SAID_BYTES_MAX);
    if (argv) rc = talk_start(&wire->talk, argv, true, WIRE_UNSENT_BYTES_MAX, err);
    else talk_adopt(&wire->talk, WIRE_UNSENT_BYTES_MAX);
    wire->open = wire->up = rc == 0;
    if (rc != 0) buf_release(&wire->said);
    wire->heard_ms = now_steady_ms();
    return rc;
}

/* What is said may be heard, also where the other end says nothing more. */
static bool wire_speaks(const struct wire *wire)
{
    return wire->open && wire->talk.in_fd >= 0 && !wire->talk.deaf;
}

int wire_close(struct wire *wire, int64_t send_ms, int64_t grace_ms)
{
    uint64_t until_ms = now_steady_ms() + (uint64_t)send_ms, now_ms;
    struct awaited awaited[WIRE_AWAITED];
    int status;

    if (!wire->open) return -1;
    while (wire_speaks(wire) && wire->talk.unsent.size > 0 &&
           (now_ms = now_steady_ms()) < until_ms) {
        wire_awaited(wire, awaited);
        wait_for_any(awaited, WIRE_AWAITED, (int64_t)(until_ms - now_ms));
        buf_clear(&wire->said);
        wire->taken = 0;
        if (talk_wait(&wire->talk, -1, 0, &wire->said) & TALK_ENDED) wire->up = false;
    }
    status = talk_stop(&wire->talk, grace_ms);
    wire->open = wire->up = false;
    buf_release(&wire->said);
    return status;
}

/* Room for what comes: what was looked at goes. */
static void said_settle(struct wire *wire)
{
    struct buf *said = &wire->said;

    if (wire->taken == 0) return;
    said->size -= wire->taken;
    memmove(said->data, said->data + wire->taken, said->size);
    wire->taken = 0;
}

bool wire_turn(struct wire *wire)
{
    uint32_t reads = 0, came;

    if (!wire->up) return false;
    said_settle(wire);
    do {
        came = talk_wait(&wire->talk, -1, 0, &wire->said);
        if (came & TALK_SAID) wire->heard_ms = now_steady_ms();
    } while ((came & TALK_SAID) && !(came & TALK_ENDED) && ++reads < READS_MAX &&
             wire->said.size < SAID_BYTES_MAX / 2);
    if ((came & TALK_ENDED) || wire->talk.deaf) wire->up = false;
    return wire->up;
}

int wire_next(struct wire *wire, struct arena *arena, struct fleet_line *out, struct err *err)
{
    struct str rest = str_skip(buf_str(&wire->said), wire->taken), line;

    if (!str_has(rest, '\n')) {
        if (rest.size <= FLEET_LINE_BYTES_MAX) return 0;
        wire->taken = wire->said.size;
        err_set(err, ERR_FORMAT, "a line of more than %d bytes", FLEET_LINE_BYTES_MAX);
        return -1;
    }
    (void)str_cut(&rest, '\n', &line);
    wire->taken += line.size + 1;
    return fleet_line_read(line, wire->says ^ 1u, arena, out, err) == 0 ? 1 : -1;
}

bool wire_say(struct wire *wire, const struct fleet_line *line)
{
    struct err none;
    struct buf text;
    bool fits, sent;

    if (!wire_speaks(wire)) return false;
    buf_init(&text, FLEET_LINE_BYTES_MAX + 1);
    fits = fleet_line_write(line, &text) == 0;
    sent = fits && talk_send(&wire->talk, buf_str(&text), &none) == 0;
    if (fits && !sent) wire->talk.deaf = true;
    buf_release(&text);
    return sent;
}

bool wire_has_room(const struct wire *wire)
{
    return wire->up && wire->talk.unsent.size < WIRE_AHEAD_BYTES;
}

void wire_awaited(const struct wire *wire, struct awaited out[WIRE_AWAITED])
{
    out[0] = (struct awaited){ .fd = wire->up ? wire->talk.out_fd : -1 };
    out[1] = (struct awaited){ .fd = wire->talk.unsent.size ? wire->talk.in_fd : -1,
                               .to_write = true };
}
