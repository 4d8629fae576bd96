/* SPDX-License-Identifier: Apache-2.0
 *
 * fleet.c - attempts of a run that play on other machines: sent, heard of, ended.
 *
 *   fleet_send --> blobs, job --> carrier      QUEUED --taken--> TAKEN --ended--> ENDED
 *                                                 |                |                | its blobs
 *                                                 '-- lost, refused, stop ------> OVER <-- all here
 *                                                                                  '-- forget, when
 *                                                                                      journaled
 *
 * 1. An attempt that is away ends as one that plays here: its files lie in its folder, status last;
 *    then a notice goes the way of all notices (attempts_end).
 * 2. The carrier may know nothing of what it was told: when its process is started again, each
 *    attempt is asked for. One that is nowhere is sent again if no worker had taken it, under the
 *    same key; else it is lost, and the engine asks for another.
 * 3. What the carrier has of an attempt is forgotten when its end is in the journal, not before.
 * 4. A carrier that ends again and again while no result comes breaks the drive: the run is
 *    resumable.
 * 5. Fenced: another driver has the run. Nothing more is written.
 *
 * 6. What the other end may make hone do again and again has a bound: words for the user, results
 *    that do not count, holes in what an agent said, histories that wait to be sent.
 *
 * Not here: the process and its lines (carrier.c), what is sent (job.c), what comes back
 * (result.c), which attempts (route.c). */
#include "drive/fleet/parts.h"

#include "base/mem.h"
#include "base/path.h"
#include "drive/attempt.h"
#include "drive/fleet/who.h"
#include "io/file/file.h"
#include "io/file/piece.h"
#include "io/file/scratch.h"
#include "io/process/host.h"
#include "run/place.h"
#include "run/site.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    STARTS_MAX = 5, START_PAUSE_MS = 250,
    WAIT_SAID_MS = 15000, /* before it is said that no worker has come */
    LEFT_WAIT_LEASES = 2, /* how long a resume waits to hear of an attempt */
    GET_TRIES = 3,
    LINES_MAX = 256,      /* in one turn */
    CLOSE_SEND_MS = 3000,
    FAR_SAID_MAX = 50,    /* that the fleet is away, or back, in a run */
    WRONG_MAX = 20,       /* results of an attempt that do not count, before it is lost */
    NEEDED_MAX = 1000,    /* parcels that wait when another history is asked for */
    HOLES_BYTES_MAX = 64 << 20, /* in what an agent said so far */
};

/* ---- the list ---- */

static struct sent *sent_new(struct fleet *fleet, const struct live *live)
{
    struct sent *sent = mem_alloc(sizeof *sent);

    *sent = (struct sent){ .id = live_id(&live->action), .action = live->action, .pool = "" };
    sent->dir = arena_cstr(&sent->arena, str_of(live->dir));
    fleet->sent = mem_grow(fleet->sent, fleet->sent_count, &fleet->sent_cap, sizeof(void *));
    fleet->sent[fleet->sent_count++] = sent;
    return sent;
}

static void sent_free(struct sent *sent)
{
    arena_release(&sent->arena);
    free(sent);
}

static struct sent *sent_by_id(const struct fleet *fleet, uint64_t id)
{
    for (uint32_t i = 0; i < fleet->sent_count; i++) {
        if (fleet->sent[i]->id == id) return fleet->sent[i];
    }
    return NULL;
}

static struct sent *sent_by_key(const struct fleet *fleet, struct str k)
{
    for (uint32_t i = 0; i < fleet->sent_count; i++) {
        if (str_is(k, fleet->sent[i]->k)) return fleet->sent[i];
    }
    return NULL;
}

/* Files that were only on their way. */
static void sent_tidy(const struct sent *sent)
{
    static const char *const names[] = { SENT_BUNDLE, BACK_BUNDLE, BACK_FETCHED, SENT_TREE };
    struct arena arena = { 0 };
    struct err none;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        (void)file_remove_in(sent->dir, names[i], &none);
    }
    for (uint32_t i = 0; i < sent->blob_count; i++) {
        const char *leaf = path_leaf_text(sent->blobs[i].path);

        if (str_starts(str_of(leaf), STR("contract-"))) {
            (void)file_remove_in(sent->dir, leaf, &none);
        }
    }
    arena_release(&arena);
}

void fleet_leaves(struct fleet *fleet, const char *name)
{
    for (uint32_t i = 0; i < fleet->left_count; i++) {
        if (strcmp(fleet->left[i], name) == 0) return;
    }
    fleet->left = mem_grow(fleet->left, fleet->left_count, &fleet->left_cap, sizeof *fleet->left);
    fleet->left[fleet->left_count++] = arena_cstr(&fleet->arena, str_of(name));
}

/* ---- opening ---- */

int fleet_open(struct fleet *fleet, struct drive *drive, const char *url, const char *version)
{
    const struct run *run = &drive->run;
    char host[HOST_NAME_BYTES];
    int rc;

    if (!url || !*url || strcmp(url, "local") == 0) return 0;
    rc = fleet_command(url, &fleet->arena, &fleet->carrier.argv, &drive->err);
    if (rc != 0) return rc;
    fleet->url = arena_cstr(&fleet->arena, str_of(url));
    fleet->version = version;
    fleet->run = fleet_name_is(str_of(run->settings.uuid))
                     ? arena_cstr(&fleet->arena, str_of(run->settings.uuid))
                     : arena_printf(&fleet->arena, "%s-%" PRIu64, run->row.id, run->row.created_ms);
    fleet->carrier.lease_ms = carrier_lease_ms();
    fleet->carrier.hello = (struct fleet_line){
        .kind = FLEET_HELLO, .v = FLEET_V, .version = str_of(version), .run = str_of(fleet->run),
        .epoch = now_wall_ms(), .host = str_of(arena_cstr(&fleet->arena, str_of(host_name(host)))),
        .lease_ms = fleet->carrier.lease_ms,
    };
    return 0;
}

/* ---- the carrier's process ---- */

static void fleet_break(struct drive *drive)
{
    if (!drive->broken) drive_break(drive);
}

static void carrier_start(struct fleet *fleet, struct drive *drive)
{
    struct err why = { 0 };

    fleet->again_ms = 0;
    fleet->wanted = true;
    if (++fleet->starts > STARTS_MAX) {
        err_set(&drive->err, ERR_FAILED, "the fleet %s cannot be reached: its carrier ended %d "
                "times, one after the other; 'hone fleet doctor %s' says why, and hone resume "
                "--fleet local goes on here", fleet->url, STARTS_MAX, fleet->url);
        fleet_break(drive);
        return;
    }
    if (carrier_begin(&fleet->carrier, &why) == 0) return;
    fleet->again_ms = now_steady_ms() + (START_PAUSE_MS << fleet->starts);
    drive_warn(drive, "the fleet's carrier could not be started: %s", why.text);
}

static void carrier_lost(struct fleet *fleet, struct drive *drive, const char *how)
{
    if (fleet->carrier.ready) {
        drive_warn(drive, "the fleet's carrier %s: it is started again, and attempts that are away "
                   "are asked for", how);
    }
    carrier_drop(&fleet->carrier);
    fleet->fetching = NULL;
    fleet->again_ms = now_steady_ms() + (START_PAUSE_MS << fleet->starts);
}

/* ---- sending ---- */

bool fleet_takes(struct fleet *fleet, struct drive *drive, struct live *live)
{
    const char *why, *pool;
    bool said = false;

    live->away = false;
    if (!fleet->url) return false;
    pool = route_pool(fleet, drive, live, &why);
    for (uint32_t i = 0; why && i < fleet->reason_count && !said; i++) {
        said = strcmp(fleet->reasons[i], why) == 0;
    }
    if (why && !said) {
        fleet->reasons = mem_grow(fleet->reasons, fleet->reason_count, &fleet->reason_cap,
                                  sizeof *fleet->reasons);
        fleet->reasons[fleet->reason_count++] = why;
        drive_tell(drive, &(struct news){ .kind = NEWS_NOTE, .text = why });
    }
    live->away = pool != NULL;
    return live->away;
}

/* All that a carrier must have of it. */
static int sent_say(struct fleet *fleet, struct sent *sent, struct err *err)
{
    struct fleet_line line = { .kind = FLEET_JOB, .k = str_of(sent->k), .pool = str_of(sent->pool),
                               .job = sent->job };

    for (uint32_t i = 0; i < sent->blob_count; i++) {
        carrier_queue_blob(&fleet->carrier, sent->blobs[i].id, sent->blobs[i].path);
    }
    sent->state = SENT_QUEUED;
    sent->queued_ms = now_steady_ms();
    return carrier_queue(&fleet->carrier, &line, err);
}

/* It is over: what is known of its end goes the way of all ends. */
static void sent_over(struct fleet *fleet, struct drive *drive, struct sent *sent,
                      const struct notice *notice)
{
    struct notice copy = *notice;

    copy.id = sent->id;
    sent->state = SENT_OVER;
    if (fleet->fetching == sent) fleet->fetching = NULL;
    attempts_end(drive, &copy, 1);
}

/* Nothing comes of it. */
static void sent_fail(struct fleet *fleet, struct drive *drive, struct sent *sent,
                      enum failure failure, const char *why)
{
    struct live *live = live_find(drive, sent->id);

    if (sent->state == SENT_OVER) return;
    if (!live) { /* of a run that was left: the resume asks for it again */
        sent->state = SENT_OVER;
        sent->lost_here = true;
        return;
    }
    live->failed = failure;
    live->failed_for_good = failure == FAILURE_MISSING;
    live->failed_why = why;
    sent_over(fleet, drive, sent, &(struct notice){ .by = ENDED_STOP,
                                                    .ended_ms = now_wall_ms() });
}

void fleet_send(struct fleet *fleet, struct drive *drive, struct live *live,
                const struct attempt *about)
{
    struct sent *sent = sent_new(fleet, live);
    const char *none;
    struct err why = { 0 };
    int rc;

    sent->pool = arena_cstr(&sent->arena, str_of(route_pool(fleet, drive, live, &none)));
    rc = job_make(fleet, drive, live, about, sent, &why);
    if (rc == 0) rc = sent_say(fleet, sent, &why);
    if (rc == 0) {
        fleet->wanted = true;
        if (!fleet->carrier.wire.up && fleet->again_ms == 0) fleet->again_ms = now_steady_ms();
        return;
    }
    if (rc != ERR_BUSY) { /* it would not travel the next time either */
        fleet->homebound = mem_grow(fleet->homebound, fleet->homebound_count, &fleet->homebound_cap,
                                    sizeof *fleet->homebound);
        fleet->homebound[fleet->homebound_count++] = live->action.role;
    }
    sent_fail(fleet, drive, sent, FAILURE_LOST,
              arena_printf(&drive->run.arena, "it could not be sent to the fleet%s: %s",
                           rc == ERR_BUSY ? "" : ", so it plays here", why.text));
}

/* ---- stopping ---- */

static void stop_say(struct fleet *fleet, const struct sent *sent)
{
    if (!fleet->carrier.wire.up) return;
    (void)carrier_say(&fleet->carrier, &(struct fleet_line){ .kind = FLEET_STOP,
                                                             .k = str_of(sent->k) });
}

void fleet_stop(struct fleet *fleet, struct drive *drive, struct live *live)
{
    struct sent *sent = sent_by_id(fleet, live_id(&live->action));

    if (!sent || sent->state == SENT_OVER) return;
    stop_say(fleet, sent);
    sent_over(fleet, drive, sent, &(struct notice){ .by = ENDED_STOP,
                                                    .ended_ms = now_wall_ms() });
}

/* ---- blobs of results ---- */

static void get_say(struct fleet *fleet, struct sent *sent, const char *id)
{
    (void)carrier_say(&fleet->carrier, &(struct fleet_line){ .kind = FLEET_GET, .id = str_of(id),
                                                             .k = str_of(sent->k) });
}

/* All of it is here. */
static void sent_settle(struct fleet *fleet, struct drive *drive, struct sent *sent,
                        struct live *live)
{
    struct arena arena = { 0 };
    struct notice notice = { .by = ENDED_STOP, .ended_ms = now_wall_ms() };
    struct err none;

    fleet->starts = 1; /* it works */
    if (back_settle(drive, live, sent) != 0) {
        fleet_break(drive);
    } else {
        (void)notice_read(arena_printf(&arena, "%s/status", sent->dir), &notice, &none);
        sent_tidy(sent);
        if (drive->recovering) sent->state = SENT_OVER; /* fleet_fetch() ends it */
        else sent_over(fleet, drive, sent, &notice);
    }
    arena_release(&arena);
}

/* The next blob of the attempt whose turn it is, until all are here. One at a time. */
static void fetch_next(struct fleet *fleet, struct drive *drive)
{
    while (!drive->broken && fleet->carrier.ready && !fleet->fetching) {
        struct sent *sent = NULL;
        struct live *live = NULL;
        const char *id;
        struct err why = { 0 };

        for (uint32_t i = 0; i < fleet->sent_count && !live; i++) {
            sent = fleet->sent[i];
            if (sent->state == SENT_ENDED) live = live_find(drive, sent->id);
        }
        if (!live) return;
        id = back_wants(sent, &why);
        if (why.code) {
            sent_fail(fleet, drive, sent, FAILURE_LOST, arena_printf(&drive->run.arena, "%s",
                                                                     why.text));
        } else if (id) {
            fleet->fetching = sent;
            get_say(fleet, sent, id);
        } else {
            sent_settle(fleet, drive, sent, live);
        }
    }
}

static void on_blob(struct fleet *fleet, struct drive *drive, const struct fleet_line *line)
{
    struct sent *sent = fleet->fetching;
    struct blob_piece piece = fleet_line_piece(line);
    struct err why = { 0 };
    bool whole;
    int rc;

    if (!sent || !str_is(line->id, sent->gather.id)) return;
    rc = back_piece(sent, &piece, &whole, &why);
    if (rc == ERR_FORMAT || rc == ERR_LIMIT) {
        const char *id;

        fleet->fetching = NULL;
        if (++sent->tries >= GET_TRIES) {
            sent_fail(fleet, drive, sent, FAILURE_LOST,
                      arena_printf(&drive->run.arena, "what it said did not come whole: %s",
                                   why.text));
            return;
        }
        sent->gather = (struct blob_gather){ .begun = false };
        id = back_wants(sent, &why);
        if (!id) return;
        fleet->fetching = sent;
        get_say(fleet, sent, id);
    } else if (rc != 0) {
        drive->err = why;
        fleet_break(drive);
    } else if (whole) {
        fleet->fetching = NULL;
    }
}

/* ---- what it says ---- */

static const char *why_of(struct drive *drive, const char *what, struct str why)
{
    return arena_printf(&drive->run.arena, "%s%s%.*s", what, why.size ? ": " : "",
                        (int)(why.size > 500 ? 500 : why.size), why.data);
}

/* Where a piece of its standard output stands, as far as it is not here as a whole. */
static void on_said(struct drive *drive, struct sent *sent, const struct fleet_line *line)
{
    enum { SAID_LOG2_MAX = 32 };
    struct err why;

    if (sent->state != SENT_TAKEN && sent->state != SENT_QUEUED) return;
    if (line->at > (UINT64_C(1) << SAID_LOG2_MAX) - line->data.size) return;
    if (line->at > sent->said_to) { /* a hole takes room on the disk once secrets are masked */
        if (line->at - sent->said_to > HOLES_BYTES_MAX - sent->hole_bytes) return;
        sent->hole_bytes += line->at - sent->said_to;
    }
    if (line->at + line->data.size > sent->said_to) sent->said_to = line->at + line->data.size;
    if (file_piece_write(sent->dir, "stdout", line->at, line->data, &why) == 0) return;
    drive->err = why;
    fleet_break(drive);
}

static void on_taken(struct sent *sent, const struct fleet_line *line)
{
    struct buf who;
    struct err none;

    if (sent->state != SENT_QUEUED) return;
    sent->state = SENT_TAKEN;
    buf_init(&who, 512);
    buf_printf(&who, "%.*s\n", STR_ARG(line->worker));
    (void)scratch_write(sent->dir, BACK_WORKER, buf_str(&who), &none);
    buf_release(&who);
}

static void on_ended(struct fleet *fleet, struct drive *drive, struct sent *sent,
                     const struct fleet_line *line)
{
    struct err why = { 0 };

    if (sent->state == SENT_ENDED || sent->state == SENT_OVER) return;
    if (back_take(sent, fleet->run, line->result, &why) == 0) {
        sent->state = SENT_ENDED;
    } else if (str_is(sent->result.nonce, sent->nonce)) {
        sent_fail(fleet, drive, sent, FAILURE_LOST, why_of(drive, "its result cannot be read",
                                                           str_of(why.text)));
    } else if (++sent->wrong >= WRONG_MAX) {
        sent_fail(fleet, drive, sent, FAILURE_LOST, "its results have another nonce, again and "
                  "again");
    } else if (sent->wrong == 1) {
        drive_warn(drive, "the fleet: %s", why.text);
    }
}

/* The answer to ask. */
static void on_known(struct fleet *fleet, struct drive *drive, struct sent *sent,
                     const struct fleet_line *line)
{
    bool left = sent->state == SENT_ASKED, doubted = sent->doubted;
    struct err why = { 0 };

    if (!left && !doubted) return;
    sent->doubted = false;
    if (line->state == FLEET_HAS_ENDED || sent->state == SENT_OVER) return;
    if (left) { /* of a run that was left: only what has ended is of use */
        if (line->state != FLEET_NOWHERE) stop_say(fleet, sent);
        sent->state = SENT_OVER;
        sent->lost_here = true;
    } else if (line->state == FLEET_NOWHERE && sent->state == SENT_QUEUED) {
        if (sent_say(fleet, sent, &why) != 0) {
            sent_fail(fleet, drive, sent, FAILURE_LOST, "it could not be sent again");
        }
    } else if (line->state == FLEET_NOWHERE) {
        sent_fail(fleet, drive, sent, FAILURE_LOST, "the fleet knows nothing of it any more");
    } else if (line->state == FLEET_IS_TAKEN && sent->state == SENT_QUEUED) {
        sent->state = SENT_TAKEN;
    }
}

/* ---- lines ---- */

static void on_ready(struct fleet *fleet, struct drive *drive, const struct fleet_line *line)
{
    struct carrier *carrier = &fleet->carrier;
    bool again = fleet->told;

    if (line->v != FLEET_V) {
        err_set(&drive->err, ERR_FAILED, "the fleet's carrier speaks version %" PRIu32 " of its "
                "lines, and this hone %s version %d: bring both to one release", line->v,
                fleet->version, FLEET_V);
        fleet_break(drive);
        return;
    }
    if (!carrier->ready && !fleet->told) {
        fleet->told = true;
        drive_tell(drive, &(struct news){ .kind = NEWS_NOTE, .text =
            arena_printf(&fleet->arena, "agents play on the fleet %s (%.*s)", fleet->url,
                         (int)(line->carrier.size > 200 ? 200 : line->carrier.size),
                         line->carrier.data) });
    }
    carrier->ready = true;
    carrier_lease(carrier, line->lease_ms);
    fleet->far = false;
    for (uint32_t i = 0; i < fleet->sent_count; i++) {
        struct sent *sent = fleet->sent[i];

        if (sent->state == SENT_OVER) continue;
        if (sent->state != SENT_ASKED && !again) continue;
        if (sent->state == SENT_ENDED) sent->state = SENT_TAKEN; /* its blobs are asked for anew */
        sent->doubted = sent->state != SENT_ASKED;
        (void)carrier_say(carrier, &(struct fleet_line){ .kind = FLEET_ASK,
                                                         .k = str_of(sent->k) });
    }
}

/* A history that a worker lacks. */
static void on_need(struct fleet *fleet, struct drive *drive, const struct fleet_line *line)
{
    struct str oid = str_skip(line->id, line->id.size > 5 ? 5 : line->id.size);
    struct arena arena = { 0 };
    const struct sent *sent = NULL;
    struct travel_file file = { .bytes_max = UINT64_C(1) << 34 };
    const char *path;
    struct err why = { 0 };
    uint64_t bytes;

    if (carrier_waiting(&fleet->carrier) > NEEDED_MAX) return; /* it asks again */
    for (uint32_t i = 0; i < fleet->sent_count && !sent; i++) {
        if (fleet->sent[i]->state == SENT_OVER) continue;
        if (oid.size > 0 && str_is(oid, fleet->sent[i]->ids.head)) sent = fleet->sent[i];
    }
    file.folder = run_folder(&drive->run, &arena);
    file.name = arena_printf(&arena, "fleet-base-%s", sent ? sent->ids.head : "");
    path = arena_printf(&arena, "%s/%s", file.folder, file.name);
    if (sent) fleet_leaves(fleet, file.name);
    if (sent && !file_exists(path) &&
        travel_base(&drive->run.repo, &sent->ids, &file, &bytes, &why) != 0) {
        drive_warn(drive, "the history of this repository cannot be sent: %s", why.text);
        sent = NULL;
    }
    if (sent) {
        carrier_queue_blob(&fleet->carrier, arena_cstr(&arena, line->id), path);
    } else {
        (void)carrier_queue(&fleet->carrier,
                            &(struct fleet_line){ .kind = FLEET_NONE, .id = line->id }, &why);
    }
    arena_release(&arena);
}

static void on_fenced(struct fleet *fleet, struct drive *drive, const struct fleet_line *line)
{
    fleet->fenced = true;
    err_set(&drive->err, ERR_BUSY, "another hone goes on with this run (%.*s): this one stops, and "
            "writes nothing more", (int)(line->why.size > 300 ? 300 : line->why.size),
            line->why.data);
    fleet_break(drive);
}

static void on_attempt(struct fleet *fleet, struct drive *drive, const struct fleet_line *line)
{
    struct sent *sent = sent_by_key(fleet, line->k);

    if (!sent) { /* of a driver before this one: its end is in the journal */
        if (line->kind == FLEET_ENDED && str_starts(line->k, str_of(fleet->run))) {
            (void)carrier_say(&fleet->carrier, &(struct fleet_line){ .kind = FLEET_FORGET,
                                                                     .k = line->k });
        }
        return;
    }
    if (line->kind == FLEET_TAKEN) on_taken(sent, line);
    else if (line->kind == FLEET_SAID) on_said(drive, sent, line);
    else if (line->kind == FLEET_ENDED) on_ended(fleet, drive, sent, line);
    else if (line->kind == FLEET_KNOWN) on_known(fleet, drive, sent, line);
    else if (line->kind == FLEET_LOST) {
        sent_fail(fleet, drive, sent, FAILURE_LOST, why_of(drive, "its worker is lost", line->why));
    } else if (line->kind == FLEET_REFUSED) {
        sent_fail(fleet, drive, sent, line->missing ? FAILURE_MISSING : FAILURE_START,
                  why_of(drive, "no worker can play it", line->why));
    }
}

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
    case FLEET_NONE:
        if (fleet->fetching && str_is(line->id, fleet->fetching->gather.id)) {
            sent_fail(fleet, drive, fleet->fetching, FAILURE_LOST,
                      "what it said is not there any more");
        }
        break;
    case FLEET_AWAY:
    case FLEET_BACK:
        if (fleet->far == (line->kind == FLEET_AWAY)) break;
        fleet->far = line->kind == FLEET_AWAY;
        if (++fleet->far_said > FAR_SAID_MAX) break;
        drive_warn(drive, "%s", why_of(drive, fleet->far ? "the fleet cannot be reached; attempts "
                                       "at work go on" : "the fleet is back", line->why));
        break;
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

static void lines_take(struct fleet *fleet, struct drive *drive)
{
    int got = 1;

    for (uint32_t i = 0; got != 0 && i < LINES_MAX && !drive->broken; i++) {
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
        fetch_next(fleet, drive);
    }
}

/* ---- turns ---- */

/* What is journaled is forgotten. */
static void sent_sweep(struct fleet *fleet, struct drive *drive)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < fleet->sent_count; i++) {
        struct sent *sent = fleet->sent[i];
        bool ended = sent->state == SENT_OVER && !live_find(drive, sent->id) &&
                     drive->queue_count == 0 && !drive->recovering;

        if (!ended || !fleet->carrier.ready ||
            !carrier_say(&fleet->carrier, &(struct fleet_line){ .kind = FLEET_FORGET,
                                                                .k = str_of(sent->k) })) {
            fleet->sent[kept++] = sent;
        } else {
            sent_free(sent);
        }
    }
    fleet->sent_count = kept;
}

/* That no worker has come is said once for an attempt. */
static void waits_say(struct fleet *fleet, struct drive *drive)
{
    uint64_t now_ms = now_steady_ms();

    for (uint32_t i = 0; i < fleet->sent_count; i++) {
        struct sent *sent = fleet->sent[i];

        if (sent->state != SENT_QUEUED || sent->wait_said) continue;
        if (now_ms - sent->queued_ms < WAIT_SAID_MS) continue;
        sent->wait_said = true;
        drive_tell(drive, &(struct news){ .kind = NEWS_NOTE, .text =
            arena_printf(&drive->run.arena, "%s waits for a worker of the pool %s: 'hone fleet' "
                         "shows who is there",
                         drive->run.plan.roles[sent->action.role].name, sent->pool) });
    }
}

void fleet_turn(struct fleet *fleet, struct drive *drive)
{
    struct carrier *carrier = &fleet->carrier;
    enum carrier_state state;

    if (!fleet->url || !fleet->wanted || fleet->fenced || drive->broken) return;
    if (!carrier->wire.up && fleet->again_ms != 0 && fleet->again_ms <= now_steady_ms()) {
        carrier_start(fleet, drive);
    }
    if (!carrier->wire.up || drive->broken) return;
    state = carrier_turn(carrier);
    lines_take(fleet, drive);
    if (drive->broken) return;
    if (state == CARRIER_ENDED) carrier_lost(fleet, drive, "has ended");
    if (state == CARRIER_MUTE) carrier_lost(fleet, drive, "says nothing any more");
    sent_sweep(fleet, drive);
    waits_say(fleet, drive);
}

int64_t fleet_due_in(const struct fleet *fleet)
{
    uint64_t now_ms = now_steady_ms();

    if (!fleet->url || !fleet->wanted) return -1;
    if (fleet->carrier.wire.up) return carrier_due_in(&fleet->carrier);
    if (fleet->again_ms == 0) return -1;
    return fleet->again_ms > now_ms ? (int64_t)(fleet->again_ms - now_ms) : 0;
}

uint32_t fleet_awaited(const struct fleet *fleet, struct awaited out[CARRIER_AWAITED])
{
    if (fleet->url) return carrier_awaited(&fleet->carrier, out);
    return 0;
}

/* ---- a run that was left ---- */

void fleet_left(struct fleet *fleet, struct drive *drive)
{
    const struct engine *engine = &drive->run.engine;

    if (!fleet->url) return;
    for (uint32_t i = 0; i < engine->lane_count; i++) {
        const struct lane *lane = &engine->lanes[i];

        for (uint32_t k = 0; k < lane->now.count; k++) {
            const struct job *job = &lane->now.jobs[k];
            struct live live = { .action = job_action(lane, job) };
            struct sent *sent;
            struct err none;

            if (job->state != JOB_RUNNING) continue;
            live.dir = place_attempt(&drive->run.repo, drive->run.row.id, job->id, job->attempt,
                                     &drive->run.arena);
            if (!file_exists(arena_printf(&drive->run.arena, "%s/" SENT_FILE, live.dir))) continue;
            if (file_exists(arena_printf(&drive->run.arena, "%s/status", live.dir))) continue;
            sent = sent_new(fleet, &live);
            sent->state = SENT_ASKED;
            if (sent_read(sent, &none) != 0) {
                sent->state = SENT_OVER;
                sent->lost_here = true;
                continue;
            }
            fleet->wanted = true;
            if (fleet->again_ms == 0) fleet->again_ms = now_steady_ms();
        }
    }
}

static void left_wait(const struct fleet *fleet, const struct drive *drive)
{
    struct awaited awaited[CARRIER_AWAITED + 1];
    uint32_t count = fleet_awaited(fleet, awaited);
    int64_t due = fleet_due_in(fleet);

    awaited[count++] = (struct awaited){ .fd = drive->signals.fd };
    wait_for_any(awaited, count, due < 0 || due > 1000 ? 1000 : due);
}

bool fleet_was_sent(const struct live *live)
{
    struct arena arena = { 0 };
    bool sent = file_exists(arena_printf(&arena, "%s/" SENT_FILE, live->dir));

    arena_release(&arena);
    return sent;
}

/* What came of an attempt that was away when hone was killed, or stopped at once. */
void fleet_fetch(struct fleet *fleet, struct drive *drive, struct live *live)
{
    struct sent *sent = sent_by_id(fleet, live_id(&live->action));
    bool before = drive->recovering;
    uint64_t until_ms = now_steady_ms() + LEFT_WAIT_LEASES * fleet->carrier.lease_ms;

    live->strayed = back_strayed(live->dir, &drive->run.arena);
    live->broke = back_broke(live->dir, &drive->run.arena);
    if (!sent) return;
    drive->recovering = true;
    while (!drive->broken && sent->state != SENT_OVER) {
        fleet_turn(fleet, drive);
        fetch_next(fleet, drive);
        if (drive->broken || sent->state == SENT_OVER) break;
        if (sent->state == SENT_ENDED) until_ms = now_steady_ms() +
                                                  LEFT_WAIT_LEASES * fleet->carrier.lease_ms;
        if (signals_waiting() || now_steady_ms() > until_ms) {
            err_set(&drive->err, ERR_FAILED, "the fleet %s did not say what became of attempts "
                    "that were sent there; hone resume asks again, and hone resume --fleet local "
                    "goes on without them", fleet->url);
            fleet_break(drive);
            break;
        }
        left_wait(fleet, drive);
    }
    drive->recovering = before;
}

void fleet_left_end(struct fleet *fleet)
{
    for (uint32_t i = 0; i < fleet->sent_count; i++) {
        struct sent *sent = fleet->sent[i];

        if (sent->state == SENT_OVER) continue;
        stop_say(fleet, sent);
        sent->state = SENT_OVER;
    }
}

/* ---- the end ---- */

void fleet_close(struct fleet *fleet, struct drive *drive, bool ended)
{
    for (uint32_t i = 0; i < fleet->sent_count && !fleet->fenced; i++) {
        if (fleet->sent[i]->state != SENT_OVER) stop_say(fleet, fleet->sent[i]);
    }
    if (!drive->broken) sent_sweep(fleet, drive);
    if (fleet->carrier.wire.up && !fleet->fenced) {
        (void)carrier_say(&fleet->carrier, &(struct fleet_line){ .kind = FLEET_BYE,
                                                                 .ended = ended });
    }
    carrier_end(&fleet->carrier, CLOSE_SEND_MS);
    for (uint32_t i = 0; i < fleet->sent_count; i++) sent_free(fleet->sent[i]);
    for (uint32_t i = 0; i < fleet->left_count; i++) {
        struct err none;

        (void)file_remove_in(run_folder(&drive->run, &fleet->arena), fleet->left[i], &none);
    }
    free(fleet->left);
    free(fleet->sent);
    free(fleet->reasons);
    free(fleet->homebound);
    arena_release(&fleet->arena);
    *fleet = (struct fleet){ .url = NULL };
}
