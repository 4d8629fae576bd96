/* SPDX-License-Identifier: Apache-2.0
 *
 * sent.c - an attempt at its driver.
 *
 *          packed            taken            ended         all its blobs are here
 *     NEW --------> QUEUED --------> TAKEN -----------> ENDED --------------------> OVER
 *      |            ^    |             ^                  |                           |
 *      |            '----'             '------------------'                           v
 *      |     nowhere: said again     the next carrier has no result    journaled: forget; gone
 *      | left
 *      '----> ASKED --ended--> ENDED      any --stop, limit, lost, refused, nowhere--> OVER
 *               '--queued, taken, nowhere--> OVER
 *
 * 1. An attempt ends once, with its result (SENT_SETTLES) or without one (SENT_ENDS). What is heard
 *    of it later is nothing. Of a run that was left only a result is of use.
 * 2. A carrier is asked for each attempt that another process of it was told of, and asked once:
 *    its answer counts where it was asked, and not elsewhere. A job that no carrier was told of is
 *    said, not asked for.
 * 3. A job that is nowhere is said again, under the same key, if no worker had taken it. One that
 *    was taken is lost: it may have been begun, and it is begun at most once. It is also where the
 *    server has only the job again: then no worker is to have it.
 * 4. The first result counts, and where its nonce is another's, the attempt is lost: a carrier may
 *    keep that one and no other. Words that it is lost count until then; afterwards only from a
 *    carrier that was asked and did not answer yet.
 * 5. What the carrier has of an attempt is forgotten when its end is in the journal, not before. A
 *    carrier hears that an attempt is not wanted before it hears that all of it may go.
 * 6. What the other end may make hone do again and again has a bound: blobs that are not whole,
 *    holes in what an agent said. So has how long a worker that says nothing is waited for, and a
 *    blob of which nothing comes. For that, of a time without a tick (no fleet can be reached then)
 *    TICK_MS_MAX counts.
 *
 * Not here: what is in a job and in a result (drive/fleet/job.c, result.c), what words are said
 * (drive/fleet/sent.c), whose turn it is to fetch a blob (drive/fleet/hear.c). */
#include "carry/sent.h"

#include <assert.h>

#define BIT(x) (UINT32_C(1) << (x))

enum {
    WAIT_SAID_MS = 15000,   /* before it is said that no worker has come */
    TRIES_MAX = 3,          /* blobs that are not whole, before it is lost */
    FETCH_MS_MAX = 120000,  /* that nothing comes of a blob */
    TICK_MS_MAX = 60000,
    HOLES_BYTES_MAX = 64 << 20,
    SAID_BYTES_LOG2_MAX = 32,
};

static const uint32_t sent_next[SENT_STATE_COUNT] = {
    [SENT_NEW] = BIT(SENT_ASKED) | BIT(SENT_QUEUED) | BIT(SENT_OVER),
    [SENT_ASKED] = BIT(SENT_ENDED) | BIT(SENT_OVER),
    [SENT_QUEUED] = BIT(SENT_TAKEN) | BIT(SENT_ENDED) | BIT(SENT_OVER),
    [SENT_TAKEN] = BIT(SENT_ENDED) | BIT(SENT_OVER),
    [SENT_ENDED] = BIT(SENT_TAKEN) | BIT(SENT_OVER),
    [SENT_OVER] = 0,
};

static void sent_move(struct sent_at *at, enum sent_state next)
{
    assert(sent_next[at->state] & BIT(next));
    at->state = next;
}

/* Whether a carrier was told of it, by this driver or by one before it. */
static bool is_told_of(const struct sent_at *at)
{
    return at->said || at->left;
}

static void sent_check(const struct sent_at *at)
{
    bool is_away = at->state == SENT_TAKEN || at->state == SENT_ENDED;

    assert(!is_away || is_told_of(at));
    assert(at->state != SENT_ASKED || at->left);
    assert(!at->left || (at->state != SENT_QUEUED && at->state != SENT_TAKEN)); /* 1 */
    assert(!at->doubted || (is_told_of(at) && at->state != SENT_OVER));         /* 2 */
    assert(!at->fetching || at->state == SENT_ENDED);
    assert(!at->owes_stop || (is_told_of(at) && at->state == SENT_OVER));       /* 5 */
    assert(at->tries < TRIES_MAX || at->state == SENT_OVER);
    assert(at->hole_bytes <= HOLES_BYTES_MAX && at->hole_bytes <= at->said_to);
}

bool sent_awaits_result(const struct sent_at *at)
{
    return is_told_of(at) && (at->state == SENT_ASKED || at->state == SENT_QUEUED ||
                              at->state == SENT_TAKEN);
}

bool sent_wants_blob(const struct sent_at *at)
{
    return at->state == SENT_ENDED && !at->doubted && !at->fetching;
}

/* ---- what it does ---- */

static void act(struct sent_acts *out, struct sent_act one)
{
    assert(out->count < sizeof out->list / sizeof *out->list);
    out->list[out->count++] = one;
}

static void does(struct sent_acts *out, enum sent_act_kind kind)
{
    act(out, (struct sent_act){ .kind = kind });
}

static void says(struct sent_acts *out, enum fleet_kind line)
{
    act(out, (struct sent_act){ .kind = SENT_SAYS, .line = line });
}

static void warns(struct sent_acts *out, enum sent_why why)
{
    act(out, (struct sent_act){ .kind = SENT_WARNS, .why = why });
}

static void says_job(struct sent_at *at, uint64_t now_ms, struct sent_acts *out)
{
    at->said = true;
    at->queued_ms = now_ms;
    says(out, FLEET_JOB);
}

static void asks(struct sent_at *at, struct sent_acts *out)
{
    if (at->doubted) return; /* 2 */
    at->doubted = true;
    says(out, FLEET_ASK);
}

/* The carrier is told that it is not wanted: now, or when there is one. */
static void says_stop(struct sent_at *at, bool there, struct sent_acts *out)
{
    at->owes_stop = is_told_of(at) && !there;
    if (is_told_of(at) && there) says(out, FLEET_STOP);
}

static void is_over(struct sent_at *at)
{
    at->doubted = at->fetching = false;
    sent_move(at, SENT_OVER);
}

static void gives_up(struct sent_at *at, enum sent_why why, struct sent_acts *out)
{
    is_over(at);
    if (!at->left) act(out, (struct sent_act){ .kind = SENT_ENDS, .why = why });
}

/* 6: its worker is waited for from now on, though it may have ended its agent already. */
static void awaits_worker(struct sent_at *at, uint64_t now_ms)
{
    at->taken_ms = now_ms;
    sent_move(at, SENT_TAKEN);
}

static void is_taken(struct sent_at *at, uint64_t now_ms, struct sent_acts *out)
{
    awaits_worker(at, now_ms);
    does(out, SENT_BEGINS);
}

/* ---- of the drive ---- */

static void on_packed(struct sent_at *at, const struct sent_event *event, struct sent_acts *out)
{
    if (at->state != SENT_NEW) return;
    at->limit_ms = event->limit_ms;
    sent_move(at, SENT_QUEUED);
    if (event->there) says_job(at, event->now_ms, out);
}

static void on_left(struct sent_at *at, const struct sent_event *event, struct sent_acts *out)
{
    if (at->state != SENT_NEW) return;
    at->left = true;
    sent_move(at, SENT_ASKED);
    if (event->there) asks(at, out);
}

static void on_stop(struct sent_at *at, const struct sent_event *event, enum sent_why why,
                    struct sent_acts *out)
{
    if (at->state == SENT_OVER) return;
    says_stop(at, event->there, out);
    gives_up(at, why, out);
}

/* The driver that follows asks what became of those whose result is there, or may be. */
static void on_leave(struct sent_at *at, const struct sent_event *event, struct sent_acts *out)
{
    if (at->state != SENT_QUEUED && at->state != SENT_TAKEN) return;
    is_over(at);
    says_stop(at, event->there, out);
}

static void on_journaled(struct sent_at *at, const struct sent_event *event, struct sent_acts *out)
{
    if (at->state != SENT_OVER) return;
    if (is_told_of(at)) {
        if (!event->there) return;
        if (at->owes_stop) says_stop(at, true, out); /* 5 */
        says(out, FLEET_FORGET);
    }
    does(out, SENT_DROPS);
}

/* Whether nothing has come of the blob that is fetched for too long. */
static bool fetches_in_vain(struct sent_at *at, uint64_t now_ms)
{
    uint64_t past_ms = at->ticked_ms == 0 ? 0 : now_ms - at->ticked_ms;

    at->ticked_ms = now_ms;
    if (!at->fetching) return false;
    at->fetch_ms += past_ms < TICK_MS_MAX ? past_ms : TICK_MS_MAX;
    return at->fetch_ms > FETCH_MS_MAX;
}

static void on_tick(struct sent_at *at, const struct sent_event *event, struct sent_acts *out)
{
    if (fetches_in_vain(at, event->now_ms)) {
        gives_up(at, SENT_BLOB_VANISHED, out); /* 6 */
        return;
    }
    if (at->state == SENT_TAKEN && at->limit_ms > 0 &&
        event->now_ms > at->taken_ms + at->limit_ms) {
        on_stop(at, event, SENT_OVERDUE, out); /* 6 */
        return;
    }
    if (at->state != SENT_QUEUED || !at->said || at->wait_said) return;
    if (event->now_ms < at->queued_ms + WAIT_SAID_MS) return;
    at->wait_said = true;
    warns(out, SENT_WAITS);
}

/* ---- of the carrier's process ---- */

static void on_ready(struct sent_at *at, const struct sent_event *event, struct sent_acts *out)
{
    switch (at->state) {
    case SENT_QUEUED:
        if (at->said) asks(at, out);
        else says_job(at, event->now_ms, out); /* 2 */
        break;
    case SENT_ASKED:
    case SENT_TAKEN:
    case SENT_ENDED: asks(at, out); break;
    case SENT_OVER:
        if (at->owes_stop) says_stop(at, true, out);
        break;
    case SENT_NEW:
    case SENT_STATE_COUNT: break;
    }
}

/* ---- lines ---- */

/* A hole takes room on the disk once secrets are masked. */
static void on_said(struct sent_at *at, const struct sent_event *event, struct sent_acts *out)
{
    uint64_t hole = event->at > at->said_to ? event->at - at->said_to : 0;

    if (at->state != SENT_TAKEN && at->state != SENT_QUEUED) return;
    if (event->bytes > UINT64_C(1) << SAID_BYTES_LOG2_MAX) return;
    if (event->at > (UINT64_C(1) << SAID_BYTES_LOG2_MAX) - event->bytes) return;
    if (hole > HOLES_BYTES_MAX - at->hole_bytes) return; /* 6 */
    at->hole_bytes += hole;
    if (event->at + event->bytes > at->said_to) at->said_to = event->at + event->bytes;
    does(out, SENT_WRITES);
}

static void on_ended(struct sent_at *at, const struct sent_event *event, struct sent_acts *out)
{
    if (at->state == SENT_ENDED) at->doubted = false; /* it has it still */
    if (!sent_awaits_result(at)) return;
    switch (event->judged) {
    case SENT_GOOD:
        at->doubted = false;
        sent_move(at, SENT_ENDED);
        break;
    case SENT_UNREADABLE: gives_up(at, SENT_NOT_READ, out); break;
    case SENT_WRONG: on_stop(at, event, SENT_FOREIGN, out); break; /* 4 */
    case SENT_JUDGED_COUNT: break;
    }
}

static void on_lost(struct sent_at *at, enum sent_why why, struct sent_acts *out)
{
    if (at->state == SENT_ENDED && !at->doubted) return; /* 4 */
    if (at->state == SENT_OVER) return;
    gives_up(at, why, out);
}

/* Of a run that was left only what has ended is of use. */
static void left_is_known(struct sent_at *at, const struct sent_event *event,
                          struct sent_acts *out)
{
    is_over(at);
    if (event->known != FLEET_NOWHERE) says_stop(at, event->there, out);
}

static void on_known(struct sent_at *at, const struct sent_event *event, struct sent_acts *out)
{
    bool nowhere = event->known == FLEET_NOWHERE;

    if (!at->doubted) return; /* 2 */
    at->doubted = false;
    if (event->known == FLEET_HAS_ENDED) return; /* `ended` follows */
    if (at->left) {
        left_is_known(at, event, out);
    } else if (at->state == SENT_QUEUED) {
        if (nowhere) says_job(at, event->now_ms, out); /* 3 */
        else if (event->known == FLEET_IS_TAKEN) is_taken(at, event->now_ms, out);
    } else if (nowhere || event->known == FLEET_IS_QUEUED) { /* 3 */
        if (nowhere) gives_up(at, SENT_VANISHED, out);
        else on_stop(at, event, SENT_VANISHED, out);
    } else if (at->state == SENT_ENDED) { /* its worker says the result again */
        at->fetching = false;
        awaits_worker(at, event->now_ms);
    }
}

static bool is_line(enum sent_event_kind kind)
{
    return kind >= SENT_IS_TAKEN && kind <= SENT_IS_KNOWN;
}

/* ---- blobs of its result ---- */

static void on_broken(struct sent_at *at, struct sent_acts *out)
{
    if (!at->fetching) return;
    if (++at->tries == TRIES_MAX) gives_up(at, SENT_BLOB_NOT_WHOLE, out);
    else says(out, FLEET_GET);
}

static void on_needs_blob(struct sent_at *at, struct sent_acts *out)
{
    if (!sent_wants_blob(at)) return;
    at->fetching = true;
    at->fetch_ms = 0;
    says(out, FLEET_GET);
}

static void on_all_here(struct sent_at *at, struct sent_acts *out)
{
    if (!sent_wants_blob(at)) return;
    is_over(at);
    does(out, SENT_SETTLES);
}

void sent_step(struct sent_at *at, const struct sent_event *event, struct sent_acts *out)
{
    out->count = 0;
    if (is_line(event->kind) && !is_told_of(at)) return; /* it is not the carrier's to say */
    switch (event->kind) {
    case SENT_PACKED: on_packed(at, event, out); break;
    case SENT_CANNOT:
        if (at->state == SENT_NEW) gives_up(at, SENT_NO_TRAVEL, out);
        break;
    case SENT_LEFT: on_left(at, event, out); break;
    case SENT_STOP: on_stop(at, event, SENT_NOT_WANTED, out); break;
    case SENT_JOURNALED: on_journaled(at, event, out); break;
    case SENT_LEAVE: on_leave(at, event, out); break;
    case SENT_TICK: on_tick(at, event, out); break;
    case SENT_READY: on_ready(at, event, out); break;
    case SENT_GONE: at->doubted = at->fetching = false; break;
    case SENT_IS_TAKEN:
        if (at->state == SENT_QUEUED) is_taken(at, event->now_ms, out);
        break;
    case SENT_HAS_SAID: on_said(at, event, out); break;
    case SENT_HAS_ENDED: on_ended(at, event, out); break;
    case SENT_IS_LOST: on_lost(at, SENT_WORKER_LOST, out); break;
    case SENT_IS_REFUSED: on_lost(at, SENT_NO_WORKER, out); break;
    case SENT_IS_KNOWN: on_known(at, event, out); break;
    case SENT_NEEDS_BLOB: on_needs_blob(at, out); break;
    case SENT_BLOB_PIECE: at->fetch_ms = 0; break;
    case SENT_BLOB_WHOLE: at->fetching = false; break;
    case SENT_BLOB_BROKEN: on_broken(at, out); break;
    case SENT_BLOB_NONE:
        if (at->state == SENT_ENDED) gives_up(at, SENT_BLOB_VANISHED, out);
        break;
    case SENT_ALL_HERE: on_all_here(at, out); break;
    case SENT_EVENT_COUNT: break;
    }
    sent_check(at);
}
