/* SPDX-License-Identifier: Apache-2.0
 *
 * end.c - an end of a carrier, from its opening to its close: what is alike in driver.c and
 * worker.c.
 *
 * 1. A server that does not answer is an error to a driver, which a person has just started. A
 *    worker may be started before its server: it tries again, and tells of it once, until its lines
 *    are over.
 * 2. What the server refuses in silence is told, and no more: the question that it was has an
 *    answer (bus.c). A server that refuses the login for good stops the end.
 * 3. No piece of a blob is brought while the reader of the lines has not taken what there is. */
#include "link/end.h"

#include "io/file/file.h"

enum { OPEN_AGAIN_MS = 1000 };

struct served {
    const struct end *end;
    struct loop *loop;
    struct bus *bus;
    struct blobs *blobs;
};

bool end_greets(struct loop *loop, const struct fleet_line *hello)
{
    if (hello->v == FLEET_V) return true;
    loop_tell("this hone-link speaks version %d of a carrier's lines, and hone %.*s speaks %u:"
              " install both from one release", (int)FLEET_V, STR_ARG(hello->version), hello->v);
    loop_stop(loop, 1);
    return false;
}

/* ---- the server ---- */

static void on_away(void *owner, const char *why)
{
    const struct served *served = owner;

    served->end->on_away(served->end->lines.owner, why && why[0] ? why : "the server is gone");
}

static void on_back(void *owner)
{
    const struct served *served = owner;

    served->end->on_back(served->end->lines.owner);
}

static void on_missing(void *owner)
{
    const struct served *served = owner;

    if (served->end->on_missing) served->end->on_missing(served->end->lines.owner);
}

static void on_trouble(void *owner, const char *what)
{
    const struct served *served = owner;

    if (served->end->on_trouble && served->end->on_trouble(served->end->lines.owner, what)) return;
    loop_tell("the server says: %s", what);
}

static void on_closed(void *owner, const char *why)
{
    const struct served *served = owner;

    loop_tell("the server does not let us in any more: %s", why);
    loop_stop(served->loop, 1);
}

static int bus_await(struct served *served, const struct bus_target *target, struct err *err)
{
    const struct bus_owner owner = { served, on_away, on_back, on_missing, on_trouble, on_closed };
    bool told = false;
    int rc;

    while ((rc = bus_open(&served->bus, target, &owner, err)) == ERR_FAILED && served->end->waits) {
        if (!told) loop_tell("%s; it is tried again", err->text);
        told = true;
        if (loop_is_over(served->loop)) break;
        pause_ms(OPEN_AGAIN_MS);
    }
    return rc;
}

/* ---- blobs ---- */

static void on_piece(void *owner, const struct blob_piece *piece)
{
    const struct served *served = owner;

    loop_say(served->loop, &(struct fleet_line){
        .kind = FLEET_BLOB, .id = piece->id, .bytes = piece->bytes, .at = piece->at,
        .data = piece->data,
    });
}

static void on_none(void *owner, const char *id)
{
    const struct served *served = owner;

    loop_say(served->loop, &(struct fleet_line){ .kind = FLEET_NONE, .id = str_of(id) });
}

static void on_need(void *owner, const char *place, const char *id)
{
    const struct served *served = owner;

    if (served->end->on_need) served->end->on_need(served->end->lines.owner, place, id);
}

static bool is_full(void *owner)
{
    const struct served *served = owner;

    return loop_is_full(served->loop);
}

/* ---- open and close ---- */

static int open_all(struct served *served, const struct bus_target *target, struct err *err)
{
    const struct blobs_owner blobs = { served, on_piece, on_none, on_need, is_full };
    int rc = loop_new(&served->loop, &served->end->lines, err);

    if (rc == 0) rc = bus_await(served, target, err);
    if (rc != 0) return rc;
    served->blobs = blobs_new(served->bus, &blobs);
    return served->end->on_open(served->end->lines.owner, served->loop, served->bus,
                                served->blobs, err);
}

int end_serve(const struct end *end, const struct bus_target *target)
{
    struct served served = { .end = end };
    struct err err;
    int rc = open_all(&served, target, &err), code;

    if (rc != 0) loop_tell("%s", err.text);
    if (rc == 0) code = loop_run(served.loop, served.bus);
    else code = rc == ERR_USAGE || rc == ERR_FORMAT ? END_FOR_GOOD : 1;
    bus_close(served.bus);
    blobs_free(served.blobs);
    loop_free(served.loop);
    return code;
}
