/* SPDX-License-Identifier: Apache-2.0
 *
 * carrier.c - the carrier's process at the other end of two pipes.
 *
 *   carrier_say   --------------------------> unsent --> its standard input
 *   carrier_queue --> parcels, piece by piece --^
 *   carrier_next  <-- said <----------------------------- its standard output
 *
 * 1. Nothing here waits: what it does not read stays in a bounded queue, and a file is read a piece
 *    at a time, when the pieces before it are gone.
 * 2. It hears a beat each L/6, however much waits to be sent; and while hone is busy elsewhere (it
 *    reads a large tree) a timer says it, as long as no line is half sent.
 * 3. One that is not heard for 2 L is as good as dead.
 *
 * Not here: what lines mean (hear.c), when it is started again (fleet.c). */
#include "drive/fleet/carrier.h"

#include "base/mem.h"
#include "carry/carry.h"
#include "io/file/file.h"
#include "io/file/piece.h"
#include "io/process/beat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What waits: a line, or a file that becomes lines. */
struct parcel {
    char k[FLEET_KEY_BYTES]; /* the attempt that it is of; "": none */
    char *text;              /* a line with its end; NULL: a file */
    char *id, *path;
    uint64_t at, bytes;
    bool needed;             /* it was asked for, and has to be answered */
    bool begun;
};

static void parcel_free(struct parcel *parcel)
{
    free(parcel->text);
    free(parcel->id);
    free(parcel->path);
}

uint64_t carrier_lease_ms(void)
{
    const char *said = getenv("HONE_FLEET_LEASE_MS");
    uint64_t lease_ms;

    if (!said || !str_number(str_of(said), &lease_ms)) return FLEET_LEASE_MS;
    if (lease_ms < FLEET_LEASE_MS_MIN || lease_ms > FLEET_LEASE_MS_MAX) return FLEET_LEASE_MS;
    return lease_ms;
}

static struct parcel *parcel_add(struct carrier *carrier, struct str k)
{
    struct parcel *parcel;

    if (carrier->parcel_first > 0 && carrier->parcel_first == carrier->parcel_count) {
        carrier->parcel_first = carrier->parcel_count = 0;
    }
    carrier->parcels = mem_grow(carrier->parcels, carrier->parcel_count, &carrier->parcel_cap,
                                sizeof *carrier->parcels);
    parcel = &carrier->parcels[carrier->parcel_count++];
    *parcel = (struct parcel){ .text = NULL };
    snprintf(parcel->k, sizeof parcel->k, "%.*s", STR_ARG(k));
    return parcel;
}

static void parcels_drop(struct carrier *carrier)
{
    for (uint32_t i = carrier->parcel_first; i < carrier->parcel_count; i++) {
        parcel_free(&carrier->parcels[i]);
    }
    carrier->parcel_first = carrier->parcel_count = 0;
}

static char *text_keep(struct str text)
{
    char *kept = mem_alloc(text.size + 1);

    memcpy(kept, text.data, text.size);
    kept[text.size] = '\0';
    return kept;
}

/* ---- out ---- */

static void beat_begin(const struct carrier *carrier)
{
    beat_start(carrier->wire.talk.in_fd, "{\"m\":\"beat\"}\n", carry_beat_ms(carrier->lease_ms));
}

int carrier_begin(struct carrier *carrier, struct err *err)
{
    int rc = wire_open(&carrier->wire, carrier->argv, FLEET_DRIVER, err);

    carrier->ready = false;
    if (rc != 0) return rc;
    carrier->beat_ms = now_steady_ms();
    beat_begin(carrier);
    (void)carrier_say(carrier, &carrier->hello);
    return 0;
}

void carrier_lease(struct carrier *carrier, uint64_t lease_ms)
{
    if (lease_ms < FLEET_LEASE_MS_MIN || lease_ms > FLEET_LEASE_MS_MAX) return;
    if (carrier->lease_ms == lease_ms) return;
    carrier->lease_ms = lease_ms;
    beat_begin(carrier);
}

int carrier_drop(struct carrier *carrier)
{
    int status;

    beat_stop();
    status = wire_close(&carrier->wire, 0, carrier->wire.up ? 0 : WIRE_END_MS);
    carrier->ready = false;
    parcels_drop(carrier);
    return status;
}

bool carrier_say(struct carrier *carrier, const struct fleet_line *line)
{
    return wire_say(&carrier->wire, line);
}

void carrier_queue(struct carrier *carrier, const struct fleet_line *line)
{
    struct parcel *parcel;
    struct buf text;

    buf_init(&text, FLEET_LINE_BYTES_MAX + 1);
    if (fleet_line_write(line, &text) == 0) {
        parcel = parcel_add(carrier, line->k);
        parcel->text = text_keep(buf_str(&text));
    }
    buf_release(&text);
}

void carrier_queue_blob(struct carrier *carrier, const char *k, const char *id, const char *path)
{
    struct parcel *parcel = parcel_add(carrier, str_of(k));

    parcel->id = text_keep(str_of(id));
    parcel->path = text_keep(str_of(path));
}

void carrier_queue_needed(struct carrier *carrier, const char *id, const char *path)
{
    for (uint32_t i = carrier->parcel_first; i < carrier->parcel_count; i++) {
        const struct parcel *parcel = &carrier->parcels[i];

        if (parcel->needed && !parcel->begun && strcmp(parcel->id, id) == 0) return;
    }
    carrier_queue_blob(carrier, "", id, path);
    carrier->parcels[carrier->parcel_count - 1].needed = true;
}

void carrier_withdraw(struct carrier *carrier, const char *k)
{
    uint32_t kept = carrier->parcel_first;

    for (uint32_t i = carrier->parcel_first; i < carrier->parcel_count; i++) {
        struct parcel *parcel = &carrier->parcels[i];

        if (!parcel->begun && strcmp(parcel->k, k) == 0) parcel_free(parcel);
        else carrier->parcels[kept++] = *parcel;
    }
    carrier->parcel_count = kept;
}

uint32_t carrier_waiting(const struct carrier *carrier)
{
    return carrier->parcel_count - carrier->parcel_first;
}

enum piece { PIECE_MORE, PIECE_LAST, PIECE_UNREAD };

/* The next piece of a file. */
static enum piece piece_say(struct carrier *carrier, struct parcel *parcel)
{
    struct fleet_line line = { .kind = FLEET_BLOB, .id = str_of(parcel->id) };
    unsigned char sum[SHA256_BYTES];
    struct err none;
    struct buf piece;
    bool good = true;

    if (!parcel->begun) good = file_sum(parcel->path, sum, &parcel->bytes, &none) == 0;
    parcel->begun = true;
    buf_init(&piece, FLEET_PIECE_BYTES_MAX);
    if (good) {
        good = file_piece_read(parcel->path, parcel->at, FLEET_PIECE_BYTES_MAX, &piece, &none) == 0;
    }
    good = good && (piece.size > 0 || parcel->bytes == 0);
    line.bytes = parcel->bytes;
    line.at = parcel->at;
    line.data = buf_str(&piece);
    if (good) (void)carrier_say(carrier, &line);
    parcel->at += piece.size;
    buf_release(&piece);
    return !good ? PIECE_UNREAD : parcel->at < parcel->bytes ? PIECE_MORE : PIECE_LAST;
}

/* Of a blob that cannot be read the carrier lacks the end. Of one of a job it asks for it; of one
 * that it has asked for it hears that there is none. */
static void parcels_say(struct carrier *carrier)
{
    struct err none;

    while (carrier->parcel_first < carrier->parcel_count && wire_has_room(&carrier->wire)) {
        struct parcel *parcel = &carrier->parcels[carrier->parcel_first];
        enum piece piece = parcel->text ? PIECE_LAST : piece_say(carrier, parcel);

        if (piece == PIECE_MORE) continue;
        if (parcel->text) (void)talk_send(&carrier->wire.talk, str_of(parcel->text), &none);
        if (piece == PIECE_UNREAD && parcel->needed) {
            (void)carrier_say(carrier, &(struct fleet_line){ .kind = FLEET_NONE,
                                                             .id = str_of(parcel->id) });
        }
        parcel_free(parcel);
        carrier->parcel_first++;
    }
}

static void beat_say(struct carrier *carrier)
{
    uint64_t now_ms = now_steady_ms();

    if (now_ms - carrier->beat_ms < carry_beat_ms(carrier->lease_ms)) return;
    carrier->beat_ms = now_ms;
    (void)carrier_say(carrier, &(struct fleet_line){ .kind = FLEET_BEAT });
}

/* ---- in ---- */

enum carrier_state carrier_turn(struct carrier *carrier)
{
    bool up;

    if (!carrier->wire.up) return CARRIER_ENDED;
    beat_enter();
    beat_say(carrier);
    if (carrier->ready) parcels_say(carrier);
    up = wire_turn(&carrier->wire);
    beat_leave(carrier->wire.talk.unsent.size == 0);
    if (!up) return CARRIER_ENDED;
    if (now_steady_ms() - carrier->wire.heard_ms > carry_dead_ms(carrier->lease_ms)) {
        return CARRIER_MUTE;
    }
    return CARRIER_WELL;
}

int carrier_next(struct carrier *carrier, struct arena *arena, struct fleet_line *out,
                 struct err *err)
{
    return wire_next(&carrier->wire, arena, out, err);
}

/* ---- the clock ---- */

int64_t carrier_due_in(const struct carrier *carrier)
{
    uint64_t now_ms = now_steady_ms(), due_ms;

    if (!carrier->wire.up) return -1;
    due_ms = carrier->beat_ms + carry_beat_ms(carrier->lease_ms);
    return due_ms > now_ms ? (int64_t)(due_ms - now_ms) : 0;
}

uint32_t carrier_awaited(const struct carrier *carrier, struct awaited out[CARRIER_AWAITED])
{
    wire_awaited(&carrier->wire, out);
    if (carrier->wire.up && carrier->ready && carrier_waiting(carrier) > 0) {
        out[1].fd = carrier->wire.talk.in_fd;
    }
    return CARRIER_AWAITED;
}

void carrier_end(struct carrier *carrier, int64_t send_ms)
{
    beat_stop();
    (void)wire_close(&carrier->wire, send_ms, carrier->wire.up ? CARRY_STOP_MS : 0);
    carrier->ready = false;
    parcels_drop(carrier);
    free(carrier->parcels);
    carrier->parcels = NULL;
    carrier->parcel_cap = 0;
}
