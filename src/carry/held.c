/* SPDX-License-Identifier: Apache-2.0
 *
 * held.c - an attempt at the link of a worker.
 *
 *            job         begin      claim is ours, let       result       stored
 *   (queue) -----> OFFERED ---> BEGINNING ----------> AT_WORK -------> ENDING -----> KEPT
 *      ^             | skip         | another's          |                ^            | forget
 *      '--- back ----'              v                    | cancel,        |            v
 *                                  GONE                  | fenced,        |           GONE
 *                                                        v orphan         |
 *                                                     STOPPED             |
 *                                                        | result of      |
 *                                                        v an orphan      |
 *   (outbox of a worker that was started again) --------> CHECKING -------'
 *   KEPT --the server was away-------------------------------'| the claim is not ours: GONE
 *   (a link that was started again) --begin--> BEGINNING
 *
 * 1. A claim is created where nothing has ever been on its subject: one that was given up leaves a
 *    tombstone, and a job that is handed out again is dropped by it. So an attempt is begun at most
 *    once. But a server may lose claims, and bring jobs back: so the agent begins when its driver
 *    has let this very claim. It lets one claim of an attempt (carried.c). Until then the claim is
 *    put again with each beat, so that the driver hears of it again.
 * 2. A claim that was not answered is read: it is ours if it has our token. Then it is renewed
 *    before it counts, since how old it is is not known. The token is the worker's, and the same at
 *    each link: one that was started again goes on with what its worker has at work.
 * 3. The job is acknowledged when a claim was seen, or its driver cancelled it, not before: until
 *    then the server hands it out again where this worker dies. A late acknowledgement by one who
 *    has seen no claim would remove the job from under another worker.
 * 4. A claim is renewed by compare-and-set for a beat that names the attempt, and by nothing else:
 *    while its agent may be at work, and while its result waits to be stored.
 *    It is fenced when the claim is a tombstone, or when no renewal that was sent in the last L has
 *    succeeded. Another's claim in its place was made after the server had lost it, and is not let:
 *    it is replaced. A worker that loses its attempt leaves a tombstone.
 * 5. A claim that the server has lost is put again only while the driver's record is there: where
 *    the run is over, the claim was removed for good. Each beat looks again whether it is. A server
 *    that has lost both has the record of a living driver again soon: a result waits 2 L for it.
 * 6. A result is stored when all its blobs are; that of another start, or of an orphan, where the
 *    claim is seen to be ours. That of an attempt that was stopped for another reason is not.
 *    What there is no room for waits: a result is stored again each AGAIN_MS. A blob is not kept
 *    here. So one piece of it that was refused ends this saying of the result, whenever its answer
 *    comes: nothing is stored, and the worker, which is not told `kept`, says it all again. A
 *    result that is refused for another reason may never be stored: its claim runs out.
 * 7. A server may lose what it had: claim, result and all. So a job that is handed out again though
 *    its result was stored, or though it was stopped here, is given back and offered as a new one:
 *    a worker that has the result says it again. Where the claim is gone, and the driver's record
 *    is not, the claim is made again first. After the server was away a result that was stored is
 *    none any more until its worker has said it again and the server has it.
 *
 * Not here: what is on which subject (link/streams.c), tokens and proofs (link/worker_held.c). */
#include "carry/held.h"

#include "carry/carry.h"

#include <assert.h>

#define BIT(x) (UINT32_C(1) << (x))

enum { AGAIN_MS = 1000 };

static const uint32_t held_next[HELD_STATE_COUNT] = {
    [HELD_OFFERED] = BIT(HELD_BEGINNING) | BIT(HELD_STOPPED) | BIT(HELD_CHECKING) | BIT(HELD_GONE),
    [HELD_BEGINNING] = BIT(HELD_AT_WORK) | BIT(HELD_CHECKING) | BIT(HELD_GONE),
    [HELD_AT_WORK] = BIT(HELD_STOPPED) | BIT(HELD_ENDING) | BIT(HELD_GONE),
    [HELD_STOPPED] = BIT(HELD_CHECKING) | BIT(HELD_GONE),
    [HELD_CHECKING] = BIT(HELD_ENDING) | BIT(HELD_GONE),
    [HELD_ENDING] = BIT(HELD_KEPT) | BIT(HELD_GONE),
    [HELD_KEPT] = BIT(HELD_CHECKING) | BIT(HELD_GONE),
    [HELD_GONE] = 0,
};

static void held_move(struct held_at *at, enum held_state next)
{
    assert(held_next[at->state] & BIT(next));
    at->state = next;
    at->again_ms = at->none_ms = 0;
}

static void held_check(const struct held_at *at)
{
    assert(at->lease_ms > 0);
    assert(!at->cancelled || at->state == HELD_BEGINNING);
    assert(!(at->claimed || at->let) || at->state == HELD_BEGINNING); /* 1 */
    assert(!(at->claimed && at->let));                                /* 1 */
    assert(!at->storing || at->state == HELD_ENDING);              /* 6 */
    assert(!at->storing || at->has_result);                        /* 6 */
    assert(!at->refused || !at->has_result);                       /* 6 */
    assert(!at->again_ms || at->has_result);                       /* 6 */
    assert(!at->none_ms || at->state == HELD_CHECKING);            /* 5 */
    assert(!at->barred || at->state == HELD_ENDING);               /* 6 */
    assert(!at->orphaned || at->state == HELD_STOPPED);            /* 6 */
    assert(at->state != HELD_AT_WORK || at->renewed_ms > 0);       /* 4 */
    assert(at->state != HELD_OFFERED || !at->asking);              /* 1 */
}

/* ---- what it does ---- */

static void act(struct held_acts *out, struct held_act one)
{
    assert(out->count < sizeof out->list / sizeof *out->list);
    out->list[out->count++] = one;
}

static void says(struct held_acts *out, enum fleet_kind line)
{
    act(out, (struct held_act){ .kind = HELD_SAYS, .line = line });
}

static void asks(struct held_at *at, enum held_ask ask, uint64_t now_ms, struct held_acts *out)
{
    if (ask == HELD_STORE) {
        at->storing = true;
    } else {
        at->asking = true;
        if (ask == HELD_CREATE || ask == HELD_RENEW) at->put_ms = now_ms;
    }
    act(out, (struct held_act){ .kind = HELD_ASKS, .ask = ask });
}

static void stops(struct held_at *at, enum fleet_stop why, struct held_acts *out)
{
    act(out, (struct held_act){ .kind = HELD_SAYS, .line = FLEET_STOP, .why = why });
    held_move(at, HELD_STOPPED);
}

static void held_gone(struct held_at *at)
{
    at->cancelled = at->storing = at->orphaned = at->claimed = at->let = at->barred = false;
    held_move(at, HELD_GONE);
}

static void goes(struct held_at *at, enum fleet_kind line, struct held_acts *out)
{
    says(out, line);
    held_gone(at);
}

static void gives_back(struct held_at *at, uint64_t pause_ms, struct held_acts *out)
{
    act(out, (struct held_act){ .kind = HELD_GIVES_BACK, .pause_ms = pause_ms });
    held_gone(at);
}

static void stores(struct held_at *at, uint64_t now_ms, struct held_acts *out)
{
    if (at->state != HELD_ENDING || at->pieces > 0 || at->storing || !at->has_result) return;
    at->again_ms = 0;
    asks(at, HELD_STORE, now_ms, out);
}

/* ---- the claim ---- */

/* Its driver may have let it long ago: a claim that may be lost begins nothing. */
static void begins(struct held_at *at, uint64_t now_ms, struct held_acts *out)
{
    if (!at->claimed || !at->let) return;
    if (now_ms > at->renewed_ms + at->lease_ms) {
        goes(at, FLEET_GONE, out);
        return;
    }
    at->claimed = at->let = false;
    held_move(at, HELD_AT_WORK);
    says(out, FLEET_GO);
}

static void on_claimed(struct held_at *at, const struct held_event *event, struct held_acts *out)
{
    at->claim_seq = event->seq;
    at->renewed_ms = at->put_ms;
    if (at->state == HELD_CHECKING && at->has_result) { /* 7 */
        held_move(at, HELD_ENDING);
        stores(at, event->now_ms, out);
    } else if (at->state == HELD_BEGINNING) {
        if (!at->claimed) act(out, (struct held_act){ .kind = HELD_ACKS });
        at->claimed = true;
        if (at->cancelled) goes(at, FLEET_GONE, out);
        else begins(at, event->now_ms, out);
    }
}

static void on_let(struct held_at *at, const struct held_event *event, struct held_acts *out)
{
    if (at->state != HELD_BEGINNING) return;
    if (event->may) {
        at->let = true;
        begins(at, event->now_ms, out);
    } else if (at->claimed) {
        goes(at, FLEET_GONE, out);
    } else {
        at->cancelled = true;
    }
}

static void on_not_ours(struct held_at *at, const struct held_event *event, struct held_acts *out)
{
    enum held_answer word = event->answer;

    if (at->state == HELD_BEGINNING) {
        act(out, (struct held_act){ .kind = HELD_ACKS }); /* there is a claim: 3 */
        goes(at, FLEET_GONE, out);
    } else if (word == HELD_OTHERS) { /* 4 */
        at->claim_seq = event->seq;
        asks(at, HELD_RENEW, event->now_ms, out);
    } else if (at->state == HELD_ENDING) {
        if (!at->storing) goes(at, FLEET_FORGET, out); /* else it may have come before */
    } else {
        stops(at, word == HELD_CANCELLED ? FLEET_CANCEL : FLEET_STOP_FENCED, out);
    }
}

/* It is renewed for a beat, and the next beat tries again. */
static bool renews(const struct held_at *at)
{
    return at->state == HELD_AT_WORK || at->state == HELD_ENDING;
}

static bool needs_claim(const struct held_at *at)
{
    return at->state == HELD_BEGINNING || renews(at);
}

/* How the claim is read in this state. */
static enum held_ask reading(const struct held_at *at)
{
    if (at->state == HELD_CHECKING) return HELD_CHECK;
    if (renews(at)) return HELD_READ_RENEWED;
    return HELD_READ;
}

static void on_put(struct held_at *at, const struct held_event *event, struct held_acts *out)
{
    if (event->answer == HELD_DONE) {
        on_claimed(at, event, out);
    } else if (!needs_claim(at) && !(at->state == HELD_CHECKING && at->has_result)) {
        return;
    } else if (event->answer == HELD_WRONG || (event->answer == HELD_UNKNOWN && !renews(at))) {
        asks(at, reading(at), event->now_ms, out);
    } else if (at->state == HELD_BEGINNING) {
        goes(at, FLEET_GONE, out);
    } /* else the next beat, or the result that is said again, tries again */
}

static bool is_no_word(enum held_answer answer)
{
    return answer == HELD_UNKNOWN || answer == HELD_REFUSED || answer == HELD_FULL;
}

/* The claim could not be read. At work the next beat tries again. */
static void on_read_failed(struct held_at *at, const struct held_event *event,
                           struct held_acts *out)
{
    if (at->state != HELD_BEGINNING) return;
    if (event->answer == HELD_UNKNOWN) asks(at, reading(at), event->now_ms, out);
    else goes(at, FLEET_GONE, out);
}

static void on_read(struct held_at *at, const struct held_event *event, struct held_acts *out)
{
    if (!needs_claim(at)) return;
    if (is_no_word(event->answer)) {
        on_read_failed(at, event, out);
    } else if (event->answer == HELD_OURS) {
        at->claim_seq = event->seq; /* 2 */
        asks(at, HELD_RENEW, event->now_ms, out);
    } else if (event->answer == HELD_NOWHERE && at->state == HELD_BEGINNING) {
        asks(at, HELD_CREATE, event->now_ms, out);
    } else if (event->answer == HELD_NOWHERE) {
        if (!event->driver_is_there) return; /* 5 */
        at->claim_seq = 0;
        asks(at, HELD_RENEW, event->now_ms, out);
    } else {
        on_not_ours(at, event, out);
    }
}

/* No answer: the worker says its result again. */
static void on_checked(struct held_at *at, const struct held_event *event, struct held_acts *out)
{
    if (at->state != HELD_CHECKING || is_no_word(event->answer)) return;
    if (event->answer == HELD_OURS) {
        at->claim_seq = event->seq;
        held_move(at, HELD_ENDING);
        stores(at, event->now_ms, out);
    } else if (event->answer == HELD_NOWHERE) {
        asks(at, HELD_DRIVER, event->now_ms, out); /* 7 */
    } else {
        goes(at, FLEET_FORGET, out);
    }
}

/* Whether the driver's record is there. */
static void on_driver(struct held_at *at, const struct held_event *event, struct held_acts *out)
{
    if (at->state != HELD_CHECKING || !at->has_result) return;
    if (event->answer == HELD_THERE) {
        asks(at, HELD_CREATE, event->now_ms, out);
    } else if (event->answer == HELD_NOWHERE) { /* 5 */
        if (at->none_ms == 0) at->none_ms = event->now_ms;
        if (event->now_ms >= at->none_ms + carry_dead_ms(at->lease_ms)) goes(at, FLEET_FORGET, out);
        else at->again_ms = event->now_ms + carry_beat_ms(at->lease_ms);
    }
}

static void on_stored(struct held_at *at, const struct held_event *event, struct held_acts *out)
{
    if (at->state != HELD_ENDING) return;
    at->storing = false;
    at->barred = event->answer == HELD_REFUSED;
    if (event->answer == HELD_DONE) {
        at->has_result = false;
        held_move(at, HELD_KEPT);
        act(out, (struct held_act){ .kind = HELD_ACKS });
        says(out, FLEET_KEPT);
    } else if (at->has_result) {
        at->again_ms = event->now_ms + AGAIN_MS;
    }
}

static void on_answered(struct held_at *at, const struct held_event *event, struct held_acts *out)
{
    if (event->ask == HELD_STORE) {
        on_stored(at, event, out);
        return;
    }
    at->asking = false;
    if (event->ask == HELD_CREATE || event->ask == HELD_RENEW) on_put(at, event, out);
    else if (event->ask == HELD_CHECK) on_checked(at, event, out);
    else if (event->ask == HELD_DRIVER) on_driver(at, event, out);
    else on_read(at, event, out);
}

/* Our word that we are at it came too late; or the server has lost what it had. */
static void on_offered_again(struct held_at *at, struct held_acts *out)
{
    if (at->state == HELD_KEPT || at->state == HELD_STOPPED) {
        gives_back(at, carry_beat_ms(at->lease_ms), out); /* 7 */
    } else if (at->state == HELD_CHECKING && held_may_go(at)) {
        gives_back(at, carry_beat_ms(at->lease_ms), out); /* 7 */
    } else if (renews(at)) {
        act(out, (struct held_act){ .kind = HELD_ACKS }); /* 3 */
    }
}

/* What was stored may be lost: 7. */
static void on_back(struct held_at *at)
{
    if (at->state != HELD_KEPT) return;
    held_move(at, HELD_CHECKING);
    at->refused = false;
}

/* ---- the worker ---- */

static void on_begin(struct held_at *at, const struct held_event *event, struct held_acts *out)
{
    if (at->state != HELD_OFFERED) return;
    held_move(at, HELD_BEGINNING);
    at->let = event->begun; /* it was let at another link */
    asks(at, HELD_CREATE, event->now_ms, out);
}

static void on_beat(struct held_at *at, const struct held_event *event, struct held_acts *out)
{
    if (at->state == HELD_OFFERED) act(out, (struct held_act){ .kind = HELD_IS_AT_IT });
    if (renews(at) && !at->barred && event->named && !at->asking) { /* 4 */
        asks(at, HELD_RENEW, event->now_ms, out);
    }
}

static void on_lose(struct held_at *at, struct held_acts *out)
{
    if (at->state != HELD_AT_WORK) return;
    act(out, (struct held_act){ .kind = HELD_ENTOMBS });
    held_move(at, HELD_GONE);
}

/* Its claim is looked at before the result is stored. */
static void checks_claim(struct held_at *at, uint64_t now_ms, struct held_acts *out)
{
    if (at->state != HELD_CHECKING) held_move(at, HELD_CHECKING);
    at->cancelled = at->orphaned = at->claimed = at->let = false;
    at->again_ms = 0;
    asks(at, HELD_CHECK, now_ms, out);
}

/* Invariant 6. While a result is being stored, the pieces of its saying are there. */
static void on_piece_refused(struct held_at *at)
{
    if (at->pieces > 0) at->pieces--;
    if (at->storing) return;
    at->refused = !at->has_result;
    at->has_result = false;
    at->again_ms = 0;
}

/* The result of which a piece was refused. */
static void on_saying_over(struct held_at *at)
{
    at->refused = false;
    if (at->state == HELD_AT_WORK) held_move(at, HELD_ENDING);
}

static void on_result(struct held_at *at, const struct held_event *event, struct held_acts *out)
{
    bool is_wanted = at->state != HELD_STOPPED || at->orphaned;

    if (at->refused && is_wanted && at->state != HELD_KEPT) {
        on_saying_over(at);
        return;
    }
    at->refused = false;
    switch (at->state) {
    case HELD_KEPT: says(out, FLEET_KEPT); return;
    case HELD_STOPPED:
        if (!is_wanted) {
            goes(at, FLEET_FORGET, out);
            return;
        }
        checks_claim(at, event->now_ms, out);
        break;
    case HELD_AT_WORK:
    case HELD_ENDING:
        if (at->has_result) return;
        at->has_result = true;
        if (at->state == HELD_AT_WORK) held_move(at, HELD_ENDING);
        stores(at, event->now_ms, out);
        break;
    case HELD_CHECKING:
        if (at->has_result && at->asking) break; /* said again */
        checks_claim(at, event->now_ms, out);
        break;
    case HELD_OFFERED:
    case HELD_BEGINNING: checks_claim(at, event->now_ms, out); break;
    case HELD_GONE:
    case HELD_STATE_COUNT: return;
    }
    at->has_result = true;
}

bool held_has_begun(const struct held_at *at)
{
    return at->state != HELD_BEGINNING || at->let;
}

bool held_needs_driver(const struct held_at *at)
{
    return at->state <= HELD_AT_WORK || at->state == HELD_ENDING ||
           (at->state == HELD_CHECKING && at->has_result);
}

bool held_may_go(const struct held_at *at)
{
    bool says_nothing = !at->has_result && !at->refused && at->pieces == 0;

    return at->state == HELD_KEPT || at->state == HELD_STOPPED ||
           (at->state == HELD_CHECKING && says_nothing);
}

bool held_takes_pieces(const struct held_at *at)
{
    return at->state != HELD_STOPPED || at->orphaned;
}

/* ---- the driver ---- */

static void on_cancel(struct held_at *at, struct held_acts *out)
{
    switch (at->state) {
    case HELD_BEGINNING:
        if (at->claimed) goes(at, FLEET_GONE, out);
        else at->cancelled = true;
        break;
    case HELD_OFFERED:
    case HELD_AT_WORK: stops(at, FLEET_CANCEL, out); break;
    case HELD_CHECKING:
    case HELD_ENDING:
    case HELD_KEPT: goes(at, FLEET_FORGET, out); break;
    case HELD_STOPPED:
    case HELD_GONE:
    case HELD_STATE_COUNT: break;
    }
}

static void on_orphan(struct held_at *at, struct held_acts *out)
{
    if (at->state == HELD_BEGINNING && at->claimed) {
        goes(at, FLEET_GONE, out);
    } else if (at->state == HELD_AT_WORK) {
        stops(at, FLEET_ORPHAN, out);
        at->orphaned = true;
    }
}

static void on_tick(struct held_at *at, const struct held_event *event, struct held_acts *out)
{
    if (at->state == HELD_AT_WORK && event->now_ms > at->renewed_ms + at->lease_ms) { /* 4 */
        stops(at, FLEET_STOP_FENCED, out);
    } else if (at->state == HELD_BEGINNING && at->claimed && !at->asking &&
               event->now_ms >= at->put_ms + carry_beat_ms(at->lease_ms)) {
        asks(at, HELD_RENEW, event->now_ms, out); /* 1 */
    } else if (at->again_ms > 0 && event->now_ms >= at->again_ms) {
        if (at->state == HELD_ENDING) stores(at, event->now_ms, out);
        else if (!at->asking) checks_claim(at, event->now_ms, out); /* 5 */
    }
}

void held_step(struct held_at *at, const struct held_event *event, struct held_acts *out)
{
    out->count = 0;
    if (at->state == HELD_GONE) return;
    switch (event->kind) {
    case HELD_OFFERED_AGAIN: on_offered_again(at, out); break;
    case HELD_BEGIN: on_begin(at, event, out); break;
    case HELD_SKIP:
        if (at->state == HELD_OFFERED) gives_back(at, carry_beat_ms(at->lease_ms), out);
        break;
    case HELD_BEAT: on_beat(at, event, out); break;
    case HELD_LOSE: on_lose(at, out); break;
    case HELD_PIECE: at->pieces++; break;
    case HELD_RESULT: on_result(at, event, out); break;
    case HELD_BYE:
        if (at->state == HELD_OFFERED) gives_back(at, 0, out);
        break;
    case HELD_PIECE_STORED:
        if (at->pieces > 0) at->pieces--;
        stores(at, event->now_ms, out);
        break;
    case HELD_PIECE_REFUSED: on_piece_refused(at); break;
    case HELD_ANSWERED: on_answered(at, event, out); break;
    case HELD_LET: on_let(at, event, out); break;
    case HELD_CANCEL: on_cancel(at, out); break;
    case HELD_FORGET: goes(at, FLEET_FORGET, out); break;
    case HELD_ORPHAN: on_orphan(at, out); break;
    case HELD_BACK: on_back(at); break;
    case HELD_TICK: on_tick(at, event, out); break;
    case HELD_EVENT_COUNT: break;
    }
    held_check(at);
}

/* ---- the driver's record ---- */

void held_driver_rest(struct held_driver *driver, uint64_t now_ms)
{
    driver->changed_ms = now_ms;
}

bool held_driver_asks(struct held_driver *driver, uint64_t lease_ms, uint64_t now_ms)
{
    if (driver->asking || now_ms < driver->asked_ms + lease_ms / 4) return false;
    driver->asking = true;
    driver->asked_ms = now_ms;
    return true;
}

void held_driver_answer(struct held_driver *driver, bool known, uint64_t seq)
{
    driver->asking = false;
    if (!known) return;
    driver->there = seq != 0;
    if (seq == 0 || seq == driver->seq) return;
    driver->seq = seq;
    driver->changed_ms = driver->asked_ms;
}

bool held_driver_is_dead(const struct held_driver *driver, uint64_t lease_ms, uint64_t now_ms)
{
    return now_ms > driver->changed_ms + carry_dead_ms(lease_ms) &&
           driver->asked_ms > driver->changed_ms;
}
