/* SPDX-License-Identifier: Apache-2.0
 *
 * sent.c - the attempts that were sent: their records, and what the step of one asks for.
 *
 *   a line, a call of the hands, the clock --> sent_do --> sent_step --> acts, in order:
 *       says      to the carrier               settles   files of the attempt, then its notice
 *       warns     to the user                  ends      live->failed, then its notice
 *
 * 1. An attempt that is away ends as one that plays here: its files lie in its folder, status last;
 *    then a notice goes the way of all notices (attempts_end). Of a run that was left nothing goes
 *    that way: attempt_recover() looks at the folder.
 * 2. What of a job was not sent yet is withdrawn before the carrier hears that it is not wanted.
 *
 * Not here: when an attempt ends, and what the carrier is told (carry/sent.c). */
#include "drive/fleet/parts.h"

#include "base/mem.h"
#include "base/path.h"
#include "drive/attempt.h"
#include "io/file/file.h"
#include "io/file/piece.h"
#include "io/file/scratch.h"
#include "run/cast.h"

#include <stdlib.h>

enum { WHY_BYTES_MAX = 500, WORKER_BYTES_MAX = 512 };

/* Why an attempt ends without a result. Where words are NULL its end says why; the reasons that an
 * attempt does not end with have a row that is never read. */
static const struct {
    enum failure failure;
    const char *words;
} whys[SENT_WHY_COUNT] = {
    [SENT_NO_TRAVEL] = { FAILURE_LOST, "it could not be sent to the fleet" },
    [SENT_NOT_WANTED] = { FAILURE_NONE, NULL },
    [SENT_WORKER_LOST] = { FAILURE_LOST, "its worker is lost" },
    [SENT_NO_WORKER] = { FAILURE_START, "no worker can play it" },
    [SENT_VANISHED] = { FAILURE_LOST, "the fleet knows nothing of it any more" },
    [SENT_NOT_READ] = { FAILURE_LOST, "its result cannot be read" },
    [SENT_FOREIGN] = { FAILURE_LOST, "what came as its result is not its worker's" },
    [SENT_OVERDUE] = { FAILURE_LOST, "its worker did not end it at its time limit" },
    [SENT_BLOB_VANISHED] = { FAILURE_LOST, "what it said is not there any more" },
    [SENT_BLOB_NOT_WHOLE] = { FAILURE_LOST, "what it said did not come whole" },
    [SENT_WAITS] = { FAILURE_NONE, NULL },
};

/* ---- records ---- */

struct sent *sent_new(struct fleet *fleet, const struct live *live)
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

void sent_free_all(struct fleet *fleet)
{
    for (uint32_t i = 0; i < fleet->sent_count; i++) sent_free(fleet->sent[i]);
    free(fleet->sent);
}

struct sent *sent_by_id(const struct fleet *fleet, uint64_t id)
{
    for (uint32_t i = 0; i < fleet->sent_count; i++) {
        if (fleet->sent[i]->id == id) return fleet->sent[i];
    }
    return NULL;
}

struct sent *sent_by_key(const struct fleet *fleet, struct str k)
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
}

/* ---- what its step asks for ---- */

/* A job goes behind all that waits, with its blobs before it; every other line at once. */
static void line_say(struct fleet *fleet, const struct sent *sent, enum fleet_kind kind)
{
    struct carrier *carrier = &fleet->carrier;
    struct fleet_line line = { .kind = kind, .k = str_of(sent->k) };

    if (kind == FLEET_JOB) {
        line.pool = str_of(sent->pool);
        line.job = sent->job;
        for (uint32_t i = 0; i < sent->blob_count; i++) {
            carrier_queue_blob(carrier, sent->k, sent->blobs[i].id, sent->blobs[i].path);
        }
        carrier_queue(carrier, &line);
        return;
    }
    if (kind == FLEET_STOP || kind == FLEET_FORGET) carrier_withdraw(carrier, sent->k); /* 2 */
    if (kind == FLEET_GET) line.id = str_of(sent->gather.id);
    if (kind == FLEET_ASK) line.taken = sent->at.state != SENT_QUEUED;
    (void)carrier_say(carrier, &line);
}

static void begins(const struct sent *sent, struct str worker)
{
    struct buf who;
    struct err none;

    if (worker.size == 0) return;
    buf_init(&who, WORKER_BYTES_MAX);
    buf_printf(&who, "%.*s\n", STR_ARG(worker));
    (void)scratch_write(sent->dir, PLACE_WORKER, buf_str(&who), &none);
    buf_release(&who);
}

static void writes(struct drive *drive, const struct sent *sent, uint64_t at, struct str data)
{
    struct err why;

    if (file_piece_write(sent->dir, "stdout", at, data, &why) == 0) return;
    drive->err = why;
    fleet_break(drive);
}

/* It is over: what is known of its end goes the way of all ends. */
static void notice_send(struct drive *drive, const struct sent *sent, struct notice notice)
{
    notice.id = sent->id;
    if (!sent->at.left) attempts_end(drive, &notice, 1); /* 1 */
}

static void settles(struct drive *drive, struct sent *sent)
{
    struct live *live = live_find(drive, sent->id);
    struct notice notice = { .by = ENDED_STOP, .ended_ms = now_wall_ms() };
    const char *status = arena_printf(&sent->arena, "%s/status", sent->dir);
    struct err none;

    if (!live) return;
    if (back_settle(drive, live, sent) != 0) {
        fleet_break(drive);
        return;
    }
    (void)notice_read(status, &notice, &none);
    sent_tidy(sent);
    notice_send(drive, sent, notice);
}

static void ends(struct drive *drive, const struct sent *sent, enum sent_why why,
                 const struct sent_about *about)
{
    struct live *live = live_find(drive, sent->id);
    int more = (int)(about->why.size > WHY_BYTES_MAX ? WHY_BYTES_MAX : about->why.size);

    if (live && whys[why].words) {
        live->failed_for_good = about->missing;
        live->failed = about->missing ? FAILURE_MISSING : whys[why].failure;
        live->failed_why = arena_printf(&drive->run.arena, "%s%s%.*s", whys[why].words,
                                        more > 0 ? ": " : "", more, about->why.data);
    }
    notice_send(drive, sent, (struct notice){ .by = ENDED_STOP, .ended_ms = now_wall_ms() });
}

static void warns(struct drive *drive, const struct sent *sent, enum sent_why why)
{
    if (why != SENT_WAITS) return;
    drive_tell(drive, &(struct news){ .kind = NEWS_NOTE, .text =
        arena_printf(&drive->run.arena, "%s waits for a worker of the pool %s: 'hone fleet' "
                     "shows who is there",
                     drive->run.plan.roles[sent->action.role].name, sent->pool) });
}

void sent_do(struct fleet *fleet, struct drive *drive, struct sent *sent,
             struct sent_event event, const struct sent_about *about)
{
    static const struct sent_about nothing;
    struct sent_acts acts;

    if (!about) about = &nothing;
    event.now_ms = now_steady_ms();
    event.there = fleet->carrier.ready;
    sent_step(&sent->at, &event, &acts);
    for (uint32_t i = 0; i < acts.count; i++) {
        const struct sent_act *act = &acts.list[i];

        switch (act->kind) {
        case SENT_SAYS: line_say(fleet, sent, act->line); break;
        case SENT_BEGINS: begins(sent, about->worker); break;
        case SENT_WRITES: writes(drive, sent, event.at, about->data); break;
        case SENT_SETTLES: settles(drive, sent); break;
        case SENT_ENDS: ends(drive, sent, act->why, about); break;
        case SENT_WARNS: warns(drive, sent, act->why); break;
        case SENT_DROPS: sent->dropped = true; break;
        case SENT_ACT_COUNT: break;
        }
    }
}

void sent_do_all(struct fleet *fleet, struct drive *drive, enum sent_event_kind kind)
{
    for (uint32_t i = 0; i < fleet->sent_count; i++) {
        if (fleet->sent[i]->dropped) continue;
        sent_do(fleet, drive, fleet->sent[i], (struct sent_event){ .kind = kind }, NULL);
    }
}

void sent_sweep(struct fleet *fleet, struct drive *drive)
{
    uint32_t kept = 0;

    if (drive->queue_count > 0 || drive->recovering) return;
    for (uint32_t i = 0; i < fleet->sent_count; i++) {
        struct sent *sent = fleet->sent[i];

        if (!live_find(drive, sent->id)) {
            sent_do(fleet, drive, sent, (struct sent_event){ .kind = SENT_JOURNALED }, NULL);
        }
        if (sent->dropped) sent_free(sent);
        else fleet->sent[kept++] = sent;
    }
    fleet->sent_count = kept;
}
