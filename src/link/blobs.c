/* SPDX-License-Identifier: Apache-2.0
 *
 * blobs.c - bytes through a stream: PLACE.ID.AT is the piece that begins at byte AT.
 *
 *     BEGUN --piece at 0--> KNOWN --all pieces said--> (gone)
 *       |                     |
 *       | none                | none: sha256 is given up, base goes back to WAITING
 *       v                     v
 *     WAITING --every NEED_MS, on_need; at most WAIT_MS--> none
 *
 * 1. A piece is a message whose subject says where it belongs, and its header how many bytes there
 *    are: a blob that is stored again replaces itself, and nothing is kept twice.
 * 2. All pieces but the last have the size of the first, at most FLEET_PIECE_BYTES_MAX; one that
 *    has not ends the bringing.
 * 3. At most WINDOW pieces of a blob and ASKED_MAX of all are asked for at a time, and none while
 *    the reader has not taken what there is: memory is bounded by them.
 * 4. Pieces are told in order. Whether the bytes are those that the id names is looked at by the
 *    one who gets them. */
#include "link/blobs.h"

#include "base/mem.h"
#include "io/file/uptime.h"
#include "link/streams.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WINDOW = 4, ASKED_MAX = 32, BLOBS_MAX = 4096, PLACE_BYTES = 160, NEED_MS = 250,
    WAIT_MS = 10 * 60 * 1000, NUMBER_BYTES = 24,
};

struct held {
    char *data; /* NULL: not there yet */
    size_t size;
    uint64_t at;
};

struct bringing {
    uint32_t number; /* of this bringing: an answer to an older one is nothing */
    char place[PLACE_BYTES], id[FLEET_BLOB_ID_BYTES];
    bool waits, waiting, known;
    uint64_t bytes, piece, asked_at, said_at, retry_ms, until_ms;
    struct held held[WINDOW];
    uint32_t asked; /* pieces that are on their way */
};

struct blobs {
    struct bus *bus;
    struct blobs_owner owner;
    struct bringing *items;
    uint32_t count, cap, numbers, asked;
};

struct blobs *blobs_new(struct bus *bus, const struct blobs_owner *owner)
{
    struct blobs *blobs = mem_alloc(sizeof *blobs);

    blobs->bus = bus;
    blobs->owner = *owner;
    return blobs;
}

static void drop_held(struct bringing *item)
{
    for (uint32_t i = 0; i < WINDOW; i++) {
        free(item->held[i].data);
        item->held[i] = (struct held){ 0 };
    }
}

void blobs_free(struct blobs *blobs)
{
    if (!blobs) return;
    for (uint32_t i = 0; i < blobs->count; i++) drop_held(&blobs->items[i]);
    free(blobs->items);
    free(blobs);
}

void blob_put(struct bus *bus, const char *place, const struct blob_piece *piece, const char *key,
              uint64_t tag, void *owner,
              void (*on_answer)(void *owner, const char *key, uint64_t tag,
                                const struct answer *answer))
{
    char subject[SUBJECT_BYTES_MAX], bytes[NUMBER_BYTES];
    struct bus_header header = { "Hone-Bytes", bytes };

    snprintf(subject, sizeof subject, "%s.%.*s.%" PRIu64, place, STR_ARG(piece->id), piece->at);
    snprintf(bytes, sizeof bytes, "%" PRIu64, piece->bytes);
    bus_ask(bus, &(struct question){
        .subject = subject, .data = piece->data, .headers = &header, .header_count = 1,
        .patience_ms = BUS_FOR_EVER, .key = key, .tag = tag, .owner = owner,
        .on_answer = on_answer,
    });
}

/* ---- bringing ---- */

static struct bringing *bringing_find(struct blobs *blobs, uint32_t number)
{
    for (uint32_t i = 0; i < blobs->count; i++) {
        if (blobs->items[i].number == number) return &blobs->items[i];
    }
    return NULL;
}

static void bringing_end(struct blobs *blobs, struct bringing *item)
{
    blobs->asked -= item->asked;
    drop_held(item);
    *item = blobs->items[--blobs->count];
}

static void bringing_fail(struct blobs *blobs, struct bringing *item)
{
    char id[FLEET_BLOB_ID_BYTES];

    memcpy(id, item->id, sizeof id);
    bringing_end(blobs, item);
    blobs->owner.on_none(blobs->owner.owner, id);
}

/* What is there of the next bytes is told. True: that was all. */
static bool bringing_tell(struct blobs *blobs, struct bringing *item)
{
    for (;;) {
        struct held *held = NULL;
        struct blob_piece piece;

        for (uint32_t i = 0; i < WINDOW && !held; i++) {
            if (item->held[i].data && item->held[i].at == item->said_at) held = &item->held[i];
        }
        if (!held) return false;
        piece = (struct blob_piece){ str_of(item->id), item->bytes, held->at,
                                     { held->data, held->size } };
        blobs->owner.on_piece(blobs->owner.owner, &piece);
        item->said_at += held->size;
        free(held->data);
        *held = (struct held){ 0 };
        if (item->said_at == item->bytes) return true;
    }
}

static void bringing_ask(struct blobs *blobs, struct bringing *item, uint64_t at);

/* A piece that is not there (yet). */
static void bringing_lacks(struct blobs *blobs, struct bringing *item)
{
    uint64_t now_ms = uptime_ms();

    if (!item->waits || now_ms >= item->until_ms) {
        bringing_fail(blobs, item);
        return;
    }
    item->waiting = true;
    item->retry_ms = now_ms + NEED_MS;
    item->asked_at = item->said_at;
    drop_held(item);
    blobs->owner.on_need(blobs->owner.owner, item->place, item->id);
}

static bool piece_fits(struct bringing *item, uint64_t at, const struct answer *answer)
{
    size_t size = answer->message->data.size;
    uint64_t bytes = bus_header_number(answer->message, "Hone-Bytes");

    if (size > FLEET_PIECE_BYTES_MAX) return false;
    if (!item->known && at == 0) {
        item->known = true;
        item->bytes = bytes;
        item->piece = size;
        item->asked_at = size;
        return bytes == size || (size > 0 && size < bytes && bytes <= FLEET_BLOB_BYTES_MAX);
    }
    return item->known && bytes == item->bytes && at + size <= bytes &&
           (size == item->piece || at + size == bytes);
}

static void on_piece(void *owner, const char *key, uint64_t at, const struct answer *answer)
{
    struct blobs *blobs = owner;
    uint64_t number = 0;
    struct bringing *item;
    uint32_t place = 0;

    (void)str_number(str_of(key), &number);
    item = bringing_find(blobs, (uint32_t)number);
    if (!item) return;
    item->asked--;
    blobs->asked--;
    if (item->waiting || at < item->said_at) return; /* asked for once more later */
    if (answer->kind != ANSWER_YES) {
        bringing_lacks(blobs, item);
        return;
    }
    if (!piece_fits(item, at, answer)) {
        bringing_fail(blobs, item);
        return;
    }
    for (uint32_t i = 0; i < WINDOW; i++) {
        if (item->held[i].data && item->held[i].at == at) return;
        if (item->held[place].data) place = i;
    }
    if (item->held[place].data) return;
    item->held[place] = (struct held){
        mem_copy(answer->message->data.data, answer->message->data.size),
        answer->message->data.size, at,
    };
    if (bringing_tell(blobs, item)) bringing_end(blobs, item);
    else blobs_tick(blobs, uptime_ms());
}

static void bringing_ask(struct blobs *blobs, struct bringing *item, uint64_t at)
{
    char subject[SUBJECT_BYTES_MAX], key[NUMBER_BYTES];

    snprintf(subject, sizeof subject, "%s.%s.%" PRIu64, item->place, item->id, at);
    snprintf(key, sizeof key, "%u", item->number);
    item->asked++;
    blobs->asked++;
    subject_read_raw(blobs->bus, STREAM_BLOBS, subject, &(struct question){
        .patience_ms = BUS_FOR_EVER, .key = key, .tag = at, .owner = blobs,
        .on_answer = on_piece,
    });
}

void blob_bring(struct blobs *blobs, const char *place, struct str id, bool waits)
{
    struct bringing *item;

    for (uint32_t i = 0; i < blobs->count; i++) {
        if (str_is(id, blobs->items[i].id) && strcmp(place, blobs->items[i].place) == 0) return;
    }
    if (blobs->count >= BLOBS_MAX) {
        char text[FLEET_BLOB_ID_BYTES];

        snprintf(text, sizeof text, "%.*s", STR_ARG(id));
        blobs->owner.on_none(blobs->owner.owner, text);
        return;
    }
    blobs->items = mem_grow(blobs->items, blobs->count, &blobs->cap, sizeof *blobs->items);
    item = &blobs->items[blobs->count++];
    *item = (struct bringing){ .number = ++blobs->numbers, .waits = waits,
                               .until_ms = uptime_ms() + WAIT_MS };
    snprintf(item->place, sizeof item->place, "%s", place);
    snprintf(item->id, sizeof item->id, "%.*s", STR_ARG(id));
    blobs_tick(blobs, uptime_ms());
}

static void bringing_go_on(struct blobs *blobs, struct bringing *item, uint64_t now_ms)
{
    if (item->waiting && now_ms >= item->retry_ms) item->waiting = false;
    if (item->waiting) return;
    if (!item->known) {
        if (item->asked == 0) bringing_ask(blobs, item, 0);
        return;
    }
    while (item->asked_at < item->bytes && blobs->asked < ASKED_MAX &&
           item->asked_at - item->said_at < WINDOW * item->piece) {
        uint64_t at = item->asked_at;

        item->asked_at += item->piece;
        bringing_ask(blobs, item, at);
    }
}

void blobs_tick(struct blobs *blobs, uint64_t now_ms)
{
    for (uint32_t i = 0; i < blobs->count; i++) {
        if (blobs->asked >= ASKED_MAX || blobs->owner.is_full(blobs->owner.owner)) return;
        bringing_go_on(blobs, &blobs->items[i], now_ms);
    }
}
