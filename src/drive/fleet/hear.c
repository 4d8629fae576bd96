/* SPDX-License-Identifier: Apache-2.0
 *
 * hear.c - what the carrier says: of an attempt, of itself, and blobs.
 *
 *   ready     --> all attempts                    need      --> a blob, or none
 *   taken ... --> the attempt with that key       blob      --> the result that is being fetched
 *   away ...  --> the user                        fenced    --> the drive ends
 *
 * 1. Blobs of results come one at a time, for all attempts together. A piece that is not of the
 *    one that was asked for last is skipped: it was on its way when another was asked for.
 * 2. An attempt that has ended and has no record here is one of a driver before this one. Its end
 *    is in the journal: the carrier is told to forget it.
 * 3. Fenced: another driver has the run. Nothing more is written.
 * 4. What the other end may make hone do again and again has a bound: words for the user, blobs
 *    that wait to be sent (each of those that are needed once), lines in one turn.
 *
 * Not here: what follows for an attempt (carry/sent.c), what a result is made of (result.c). */
#include "drive/fleet/parts.h"

#include "base/duration.h"
#include "drive/attempt.h"
#include "io/file/file.h"
#include "run/site.h"

#include <inttypes.h>

enum {
    LINES_MAX = 256,   /* in one turn */
    FAR_SAID_MAX = 50, /* that the fleet is away, or back, in a run */
    BASE_BYTES_LOG2_MAX = 34,
    WHY_BYTES_MAX = 500, CARRIER_BYTES_MAX = 200, FENCED_BYTES_MAX = 300,
};

static int most(struct str text, int bytes_max)
{
    return text.size > (size_t)bytes_max ? bytes_max : (int)text.size;
}

/* ---- blobs of results ---- */

static struct sent *sent_fetching(const struct fleet *fleet)
{
    for (uint32_t i = 0; i < fleet->sent_count; i++) {
        if (fleet->sent[i]->at.fetching) return fleet->sent[i];
    }
    return NULL;
}

/* The first whose result is here, and who is at work in this process. */
static struct sent *sent_whose_turn(const struct fleet *fleet, const struct drive *drive)
{
    for (uint32_t i = 0; i < fleet->sent_count; i++) {
        struct sent *sent = fleet->sent[i];

        if (sent_wants_blob(&sent->at) && live_find(drive, sent->id)) return sent;
    }
    return NULL;
}

/* Asks for the next blob of a result, where none is on the way; what is complete is settled. */
static void blobs_fetch(struct fleet *fleet, struct drive *drive)
{
    struct sent *sent;

    while (!drive->broken && fleet->carrier.ready && !sent_fetching(fleet) &&
           (sent = sent_whose_turn(fleet, drive))) {
        struct err why = { 0 };
        const char *id = back_wants(sent, &why);
        enum sent_event_kind kind = why.code ? SENT_BLOB_NONE
                                    : id ? SENT_NEEDS_BLOB : SENT_ALL_HERE;

        if (why.code == ERR_SYSTEM) {
            drive->err = why;
            fleet_break(drive);
            break;
        }
        sent_do(fleet, drive, sent, (struct sent_event){ .kind = kind },
                &(struct sent_about){ .why = str_of(why.text) });
    }
}

static void on_blob(struct fleet *fleet, struct drive *drive, const struct fleet_line *line)
{
    struct sent *sent = sent_fetching(fleet);
    struct blob_piece piece = fleet_line_piece(line);
    struct err why = { 0 };
    bool whole;
    int rc;

    if (!sent || !str_is(line->id, sent->gather.id)) return;
    if (!sent->gather.begun && piece.at > 0) return; /* 1 */
    sent->heard_ms = now_steady_ms();
    rc = back_piece(sent, &piece, &whole, &why);
    if (rc == ERR_FORMAT || rc == ERR_LIMIT) {
        sent_do(fleet, drive, sent, (struct sent_event){ .kind = SENT_BLOB_BROKEN },
                &(struct sent_about){ .why = str_of(why.text) });
    } else if (rc != 0) {
        drive->err = why;
        fleet_break(drive);
    } else {
        sent_do(fleet, drive, sent, (struct sent_event){
            .kind = whole ? SENT_BLOB_WHOLE : SENT_BLOB_PIECE }, NULL);
    }
}

static void on_none(struct fleet *fleet, struct drive *drive, const struct fleet_line *line)
{
    struct sent *sent = sent_fetching(fleet);

    if (!sent || !str_is(line->id, sent->gather.id)) return;
    sent_do(fleet, drive, sent, (struct sent_event){ .kind = SENT_BLOB_NONE }, NULL);
}

/* ---- an attempt ---- */

static void on_ended(struct fleet *fleet, struct drive *drive, struct sent *sent,
                     const struct fleet_line *line)
{
    struct sent_event event = { .kind = SENT_HAS_ENDED, .judged = SENT_GOOD };
    struct err why = { 0 };

    if (sent_awaits_result(&sent->at) && back_take(sent, fleet->run, line->result, &why) != 0) {
        event.judged = str_is(sent->result.nonce, sent->nonce) ? SENT_UNREADABLE : SENT_WRONG;
    }
    sent_do(fleet, drive, sent, event, &(struct sent_about){ .why = str_of(why.text) });
}

static void on_attempt(struct fleet *fleet, struct drive *drive, const struct fleet_line *line)
{
    struct sent *sent = sent_by_key(fleet, line->k);
    struct sent_event event = { .known = line->state, .at = line->at, .bytes = line->data.size };
    struct sent_about about = { .why = line->why, .worker = line->worker, .data = line->data,
                                .missing = line->missing };

    if (!sent) {
        if (line->kind == FLEET_ENDED && str_starts(line->k, str_of(fleet->run))) { /* 2 */
            (void)carrier_say(&fleet->carrier, &(struct fleet_line){ .kind = FLEET_FORGET,
                                                                     .k = line->k });
        }
        return;
    }
    sent->heard_ms = now_steady_ms();
    if (line->kind == FLEET_ENDED) {
        on_ended(fleet, drive, sent, line);
        return;
    }
    event.kind = line->kind == FLEET_TAKEN ? SENT_IS_TAKEN
                 : line->kind == FLEET_SAID ? SENT_HAS_SAID
                 : line->kind == FLEET_LOST ? SENT_IS_LOST
                 : line->kind == FLEET_REFUSED ? SENT_IS_REFUSED : SENT_IS_KNOWN;
    sent_do(fleet, drive, sent, event, &about);
}

/* ---- itself ---- */

static void on_ready(struct fleet *fleet, struct drive *drive, const struct fleet_line *line)
{
    struct carrier *carrier = &fleet->carrier;

    if (line->v != FLEET_V) {
        err_set(&drive->err, ERR_FAILED, "the fleet's carrier speaks version %" PRIu32 " of its "
                "lines, and this hone %s version %d: bring both to one release", line->v,
                fleet->version, FLEET_V);
        fleet_break(drive);
        return;
    }
    if (!fleet->told) {
        fleet->told = true;
        drive_tell(drive, &(struct news){ .kind = NEWS_NOTE, .text =
            arena_printf(&fleet->arena, "agents play on the fleet %s (%.*s)", fleet->url,
                         most(line->carrier, CARRIER_BYTES_MAX), line->carrier.data) });
    }
    carrier->ready = true;
    carrier_lease(carrier, line->lease_ms);
    fleet->far = false;
    fleet->trouble = NULL;
    sent_do_all(fleet, drive, SENT_READY);
}

static void on_far(struct fleet *fleet, struct drive *drive, const struct fleet_line *line)
{
    bool far = line->kind == FLEET_AWAY;
    uint64_t lease_ms = fleet->carrier.lease_ms;
    char work[DURATION_BYTES], wait[DURATION_BYTES];

    if (fleet->far == far) return;
    fleet->far = far;
    fleet->trouble = NULL;
    if (far) fleet_trouble(fleet, line->why);
    if (++fleet->far_said > FAR_SAID_MAX) return; /* 4 */
    if (!far) {
        drive_warn(drive, "the fleet is back");
        return;
    }
    drive_warn(drive, "the fleet cannot be reached%s%.*s; agents at work there go on for %s, and "
               "it is waited for %s", line->why.size > 0 ? ": " : "",
               most(line->why, WHY_BYTES_MAX), line->why.data,
               duration_text(lease_ms, work),
               duration_text(reach_patience_ms(&fleet->reach, lease_ms), wait));
}

static void on_fenced(struct fleet *fleet, struct drive *drive, const struct fleet_line *line)
{
    fleet->fenced = true; /* 3 */
    err_set(&drive->err, ERR_BUSY, "another hone goes on with this run (%.*s): this one stops, and "
            "writes nothing more", most(line->why, FENCED_BYTES_MAX), line->why.data);
    fleet_break(drive);
}

/* ---- what a worker lacks ---- */

static const struct sent *sent_by_head(const struct fleet *fleet, struct str oid)
{
    for (uint32_t i = 0; i < fleet->sent_count; i++) {
        const struct sent *sent = fleet->sent[i];

        if (sent->at.state == SENT_OVER || oid.size == 0) continue;
        if (str_is(oid, sent->ids.head)) return sent;
    }
    return NULL;
}

/* The history of a commit, as a file that is made once. NULL: it cannot be had. */
static const char *base_make(struct fleet *fleet, struct drive *drive, struct str oid,
                             struct arena *arena)
{
    const struct sent *sent = sent_by_head(fleet, oid);
    struct travel_file file = { .bytes_max = UINT64_C(1) << BASE_BYTES_LOG2_MAX };
    const char *path;
    struct err why;
    uint64_t bytes;

    if (!sent) return NULL;
    file.folder = run_folder(&drive->run, arena);
    file.name = arena_printf(arena, "fleet-base-%s", sent->ids.head);
    path = arena_printf(arena, "%s/%s", file.folder, file.name);
    fleet_leaves(fleet, file.name);
    if (file_exists(path)) return path;
    if (travel_base(&drive->run.repo, &sent->ids, &file, &bytes, &why) == 0) return path;
    if (fleet_is_full(&why)) {
        drive->err = why;
        fleet_break(drive);
        return NULL;
    }
    fleet_tell_once(fleet, drive, str_of(arena_printf(arena, "the history of this repository "
                    "cannot be sent: %s", why.text))); /* 4 */
    return NULL;
}

/* A blob of a job that did not come whole. NULL: no attempt that is away has it. */
static const char *blob_path(const struct fleet *fleet, struct str id)
{
    for (uint32_t i = 0; i < fleet->sent_count; i++) {
        const struct sent *sent = fleet->sent[i];

        for (uint32_t k = 0; k < sent->blob_count && sent->at.state != SENT_OVER; k++) {
            if (str_is(id, sent->blobs[k].id)) return sent->blobs[k].path;
        }
    }
    return NULL;
}

/* It asks once: every question has an answer. */
static void on_need(struct fleet *fleet, struct drive *drive, const struct fleet_line *line)
{
    static const struct str base = STR("base-");
    struct arena arena = { 0 };
    const char *path;

    if (str_starts(line->id, base)) {
        path = base_make(fleet, drive, str_skip(line->id, base.size), &arena);
    } else {
        path = blob_path(fleet, line->id);
    }
    if (path) {
        carrier_queue_needed(&fleet->carrier, arena_cstr(&arena, line->id), path);
    } else if (!drive->broken) {
        (void)carrier_say(&fleet->carrier, &(struct fleet_line){ .kind = FLEET_NONE,
                                                                 .id = line->id });
    }
    arena_release(&arena);
}

/* ---- lines ---- */

static void on_line(struct fleet *fleet, struct drive *drive, const struct fleet_line *line)
{
    switch (line->kind) {
    case FLEET_READY: on_ready(fleet, drive, line); break;
    case FLEET_TAKEN:
    case FLEET_SAID:
    case FLEET_ENDED:
    case FLEET_LOST:
    case FLEET_REFUSED:
    case FLEET_KNOWN: on_attempt(fleet, drive, line); break;
    case FLEET_NEED: on_need(fleet, drive, line); break;
    case FLEET_BLOB: on_blob(fleet, drive, line); break;
    case FLEET_NONE: on_none(fleet, drive, line); break;
    case FLEET_AWAY:
    case FLEET_BACK: on_far(fleet, drive, line); break;
    case FLEET_FENCED: on_fenced(fleet, drive, line); break;
    case FLEET_QUEUED:
    case FLEET_WORKERS:
    case FLEET_BEAT:
    case FLEET_HELLO: case FLEET_JOB: case FLEET_STOP: case FLEET_ASK: case FLEET_GET:
    case FLEET_FORGET: case FLEET_WHO: case FLEET_BYE: case FLEET_FREE: case FLEET_BEGIN:
    case FLEET_SKIP: case FLEET_GO: case FLEET_GONE: case FLEET_KEPT:
    case FLEET_KIND_COUNT: break;
    }
}

void fleet_hear(struct fleet *fleet, struct drive *drive)
{
    uint32_t count = 0;
    int got = 1;

    while (got != 0 && count < LINES_MAX && !drive->broken) {
        struct arena arena = { 0 };
        struct fleet_line line;
        struct err why = { 0 };

        got = carrier_next(&fleet->carrier, &arena, &line, &why);
        if (got > 0) on_line(fleet, drive, &line);
        if (got < 0 && !fleet->garbage_said) {
            fleet->garbage_said = true;
            drive_warn(drive, "the fleet's carrier said what is no line of a carrier (%s): it is "
                       "skipped, and so are others like it", why.text);
        }
        arena_release(&arena);
        blobs_fetch(fleet, drive);
        count++;
    }
    fleet->behind = got != 0; /* 4: the next turn goes on at once */
}
