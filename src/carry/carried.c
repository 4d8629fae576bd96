/* SPDX-License-Identifier: Apache-2.0
 *
 * carried.c - an attempt at the link of its driver.
 *
 *              job            blobs stored           stored            claim seen
 *     (none) -------> HELD ----------------> SENDING ------> QUEUED -------------> TAKEN
 *        |                                      ^  refused      | result seen        |
 *        | ask                                  '---------------|--- vanished        |
 *        v                                                      v                    v
 *      ASKED --what the server says--> QUEUED, TAKEN, ENDED   ENDED <---result seen--'
 *                                                               | forget
 *      any --stop, lost, refused, forget--> OVER <--------------'
 *
 * What passes on the subjects of claims and results is a hint: the stream may refuse it. So it is
 * followed by a look at the stream, and only what lies there counts.
 *
 *     taken, and its claim not seen to be renewed for L/2: the claim is looked at
 *         another revision         renewed
 *         the same for 3 L / 2     result there? -- yes --> ended
 *                                   | no
 *                                   v
 *                                  tombstone by compare-and-set -- refused --> renewed
 *                                   | stored
 *                                   v
 *                                  result there? -- yes --> ended; no --> lost
 *     queued for 2 L, or the server was away: claim, job, result, claim
 *         none of them is there    its blobs are still there: stored again; else lost
 *
 * 1. A job that is stored again has another message id, and so has one that another start of the
 *    link stores: the server forgets ids after two minutes, but not before.
 * 2. A claim that is given up is replaced by a tombstone, never removed: no worker can claim the
 *    attempt afterwards, and its old one is fenced by its next beat.
 * 3. A result is told as the stream has it, not as a worker said it: the first that was stored. One
 *    that came before the tombstone wins; one that comes later is nothing. One that no driver could
 *    read loses the attempt: no other would be stored in its place.
 * 4. Time is counted by a clock of this machine, and from anew when the server was away: clocks of
 *    two machines are never compared.
 * 5. The server tells once when it gives a job up, to those who listen then. A job below the
 *    consumer's floor that was not claimed is stored again as a new one, whose handing out is
 *    counted anew.
 * 6. Looks at the server follow each other, one at a time. A change of state ends the look that is
 *    under way: its answer counts no more, and the clock begins another one.
 * 7. A job that the driver says while it asks for the attempt is left alone: the driver learns from
 *    `known` whether to say it again.
 * 8. An agent begins when this end has let its claim. It lets the first claim that it finds an
 *    attempt taken by, and no other: a server that has lost a claim may bring the job back, and so
 *    it may that of an attempt which has ended. The driver is told that the attempt is taken before
 *    the worker is let. A claim that was not let is said again with each beat, and answered again.
 *
 * 9. Workers of one pool may be unlike. One that cannot have an attempt gives its job back. It is
 *    refused when all workers of the pool that live have done so. The server counts each handing
 *    out, and gives a job up when it has counted CARRY_HANDED_MAX: where a worker lives that may
 *    have the attempt and is only busy, the job is stored again as a new one. Bounded is how often
 *    it was handed out and neither claimed nor given back: CARRY_HANDED_MAX, over all storings. So
 *    a job that kills each worker before its claim is refused.
 * 10. What is OVER needs no record. A late hint finds one that is OVER made anew, and gets the same
 *    answer: a result and its blobs are removed, and its worker is told to forget them; an agent is
 *    not let begin; the claim of one at work becomes a tombstone once more, and its agent ends. An
 *    answer of the server's is nothing to it; the driver begins anew.
 *
 * Not here: subjects and words (link/driver_attempts.c), pools and hints (link/driver_watch.c), who
 * lives (link/driver_workers.c). */
#include "carry/carried.h"

#include "carry/carry.h"

#include <assert.h>

#define BIT(x) (UINT32_C(1) << (x))

enum { RESULT_TRIES_MAX = 12 };

static const uint32_t carried_next[CARRIED_STATE_COUNT] = {
    [CARRIED_ASKED] = BIT(CARRIED_HELD) | BIT(CARRIED_QUEUED) | BIT(CARRIED_TAKEN) |
                      BIT(CARRIED_ENDED) | BIT(CARRIED_OVER),
    [CARRIED_HELD] = BIT(CARRIED_SENDING) | BIT(CARRIED_OVER),
    [CARRIED_SENDING] = BIT(CARRIED_QUEUED) | BIT(CARRIED_TAKEN) | BIT(CARRIED_ENDED) |
                        BIT(CARRIED_OVER),
    [CARRIED_QUEUED] = BIT(CARRIED_SENDING) | BIT(CARRIED_TAKEN) | BIT(CARRIED_ENDED) |
                       BIT(CARRIED_OVER),
    [CARRIED_TAKEN] = BIT(CARRIED_ENDED) | BIT(CARRIED_OVER),
    [CARRIED_ENDED] = BIT(CARRIED_OVER),
    [CARRIED_OVER] = 0,
};

enum { NO_LOOK = CARRIED_STATE_COUNT };

/* Which message of an attempt each of them is about, and in which state it is looked at. */
static const struct {
    enum carried_thing thing;
    uint32_t state;
} carried_asks[CARRIED_ASK_COUNT] = {
    [CARRIED_STORE] = { CARRIED_JOB_THERE, NO_LOOK },
    [CARRIED_HINTED_CLAIM] = { CARRIED_CLAIM_THERE, NO_LOOK },
    [CARRIED_HINTED_RESULT] = { CARRIED_RESULT_THERE, NO_LOOK },
    [CARRIED_RENEWED] = { CARRIED_CLAIM_THERE, CARRIED_TAKEN },
    [CARRIED_LOST_RESULT] = { CARRIED_RESULT_THERE, CARRIED_TAKEN },
    [CARRIED_LOST_TOMB] = { CARRIED_CLAIM_THERE, CARRIED_TAKEN },
    [CARRIED_LOST_RESULT_AGAIN] = { CARRIED_RESULT_THERE, CARRIED_TAKEN },
    [CARRIED_QUEUED_CLAIM] = { CARRIED_CLAIM_THERE, CARRIED_QUEUED },
    [CARRIED_QUEUED_JOB] = { CARRIED_JOB_THERE, CARRIED_QUEUED },
    [CARRIED_QUEUED_RESULT] = { CARRIED_RESULT_THERE, CARRIED_QUEUED },
    [CARRIED_QUEUED_CLAIM_AGAIN] = { CARRIED_CLAIM_THERE, CARRIED_QUEUED },
    [CARRIED_QUEUED_BLOB] = { CARRIED_BLOB_THERE, CARRIED_QUEUED },
    [CARRIED_ASKED_RESULT] = { CARRIED_RESULT_THERE, CARRIED_ASKED },
    [CARRIED_ASKED_CLAIM] = { CARRIED_CLAIM_THERE, CARRIED_ASKED },
    [CARRIED_ASKED_JOB] = { CARRIED_JOB_THERE, CARRIED_ASKED },
    [CARRIED_ASKED_CLAIM_AGAIN] = { CARRIED_CLAIM_THERE, CARRIED_ASKED },
};

enum carried_thing carried_thing(enum carried_ask ask)
{
    return carried_asks[ask].thing;
}

bool carried_awaits_result(const struct carried_at *at)
{
    return at->state == CARRIED_SENDING || at->state == CARRIED_QUEUED ||
           at->state == CARRIED_TAKEN;
}

static void carried_move(struct carried_at *at, enum carried_state next)
{
    assert(carried_next[at->state] & BIT(next));
    at->state = next;
    at->looking = false; /* 6 */
    if (!carried_awaits_result(at)) at->result_due_ms = 0;
}

static void carried_check(const struct carried_at *at)
{
    assert(at->state != CARRIED_HELD || at->has_job);
    assert(at->state != CARRIED_SENDING || (at->has_job && at->times > 0));
    assert(!at->has_job || (at->state != CARRIED_ENDED && at->state != CARRIED_OVER));
    assert(!at->result_due_ms || carried_awaits_result(at));
    assert(!at->looking || carried_asks[at->look].state == at->state); /* 6 */
}

/* ---- what it does ---- */

static void act(struct carried_acts *out, struct carried_act one)
{
    assert(out->count < sizeof out->list / sizeof *out->list);
    out->list[out->count++] = one;
}

static void does(struct carried_acts *out, enum carried_act_kind kind)
{
    act(out, (struct carried_act){ .kind = kind });
}

static void says(struct carried_acts *out, enum fleet_kind line, enum carried_why why)
{
    act(out, (struct carried_act){ .kind = CARRIED_SAYS, .line = line, .why = why });
}

static void known(struct carried_acts *out, enum fleet_state state)
{
    act(out, (struct carried_act){ .kind = CARRIED_SAYS, .line = FLEET_KNOWN, .known = state });
}

static void entombs(struct carried_acts *out, enum carried_tomb tomb)
{
    act(out, (struct carried_act){ .kind = CARRIED_ENTOMBS, .tomb = tomb });
}

static void asks(enum carried_ask ask, struct carried_acts *out)
{
    act(out, (struct carried_act){ .kind = CARRIED_ASKS, .ask = ask });
}

static void looks(struct carried_at *at, enum carried_ask ask, struct carried_acts *out)
{
    assert(!at->looking);
    at->looking = true;
    at->look = ask;
    asks(ask, out);
}

static void drops_job(struct carried_at *at, struct carried_acts *out)
{
    if (at->has_job) does(out, CARRIED_DROPS_JOB);
    at->has_job = false;
}

static void is_over(struct carried_at *at, struct carried_acts *out)
{
    if (at->state == CARRIED_OVER) return;
    drops_job(at, out);
    carried_move(at, CARRIED_OVER);
}

static void refuses(struct carried_at *at, enum carried_why why, struct carried_acts *out)
{
    says(out, FLEET_REFUSED, why);
    is_over(at, out);
}

/* Lost, and no worker may have it any more. */
static void gives_up(struct carried_at *at, enum carried_why why, struct carried_acts *out)
{
    entombs(out, CARRIED_TOMB_LOST);
    says(out, FLEET_LOST, why);
    is_over(at, out);
}

static void stores(struct carried_at *at, uint64_t now_ms, struct carried_acts *out)
{
    carried_move(at, CARRIED_SENDING);
    at->times++;
    at->skips = 0;
    at->looked_ms = now_ms;
    asks(CARRIED_STORE, out);
}

/* Which claim is let. Of one that was taken a link before this one has let a claim: that of the
 * agent which is at work. */
static void token_take(struct carried_at *at, const struct carried_event *event)
{
    if (at->token == 0 && (event->begun || !at->was_taken)) at->token = event->token;
}

static void is_taken(struct carried_at *at, const struct carried_event *event)
{
    at->claim_seq = event->seq;
    at->heard_ms = event->now_ms;
    token_take(at, event);
    carried_move(at, CARRIED_TAKEN);
}

/* Invariant 8. */
static void answers(const struct carried_at *at, const struct carried_event *event,
                    struct carried_acts *out)
{
    bool may = at->state == CARRIED_TAKEN && at->token == event->token;

    if (event->begun || event->token == 0) return;
    act(out, (struct carried_act){ .kind = CARRIED_ANSWERS, .may = may });
}

static void is_told_taken(struct carried_at *at, const struct carried_event *event,
                          struct carried_acts *out)
{
    is_taken(at, event);
    says(out, FLEET_TAKEN, CARRIED_NOT_SAID);
    answers(at, event, out);
}

static void has_ended(struct carried_at *at, const struct carried_event *event,
                      struct carried_acts *out)
{
    at->result_seq = event->seq;
    at->has_result_blobs = event->names_blob;
    carried_move(at, CARRIED_ENDED);
    says(out, FLEET_ENDED, CARRIED_NOT_SAID);
    drops_job(at, out);
}

/* Invariant 3. */
static void is_broken(struct carried_at *at, struct carried_acts *out)
{
    does(out, CARRIED_PURGES_RESULT);
    gives_up(at, CARRIED_NO_RESULT, out);
}

/* ---- of the driver ---- */

/* Its blobs are stored, or one of them never will be. */
static void is_released(struct carried_at *at, const struct carried_event *event,
                        struct carried_acts *out)
{
    if (at->state != CARRIED_HELD) return;
    if (event->why != CARRIED_NOT_SAID) refuses(at, event->why, out);
    else stores(at, event->now_ms, out);
}

static void on_job(struct carried_at *at, const struct carried_event *event,
                   struct carried_acts *out)
{
    if (at->state != CARRIED_ASKED && at->state != CARRIED_OVER) return; /* said twice */
    if (at->looking) return; /* 7 */
    *at = (struct carried_at){ .looked_ms = event->now_ms };
    if (event->why != CARRIED_NOT_SAID) {
        refuses(at, event->why, out);
        return;
    }
    at->has_job = true;
    at->names_blob = event->names_blob;
    carried_move(at, CARRIED_HELD);
    does(out, CARRIED_KEEPS_JOB);
    if (event->stored) is_released(at, event, out);
}

static void on_stop(struct carried_at *at, struct carried_acts *out)
{
    is_over(at, out);
    does(out, CARRIED_CANCELS);
    entombs(out, CARRIED_TOMB_CANCEL);
    does(out, CARRIED_PURGES_JOB);
}

static void on_forget(struct carried_at *at, struct carried_acts *out)
{
    does(out, CARRIED_FORGETS);
    does(out, at->result_seq > 0 ? CARRIED_REMOVES_RESULT : CARRIED_PURGES_RESULT);
    if (at->has_result_blobs || at->result_seq == 0) does(out, CARRIED_PURGES_BLOBS);
    is_over(at, out);
}

static void on_ask(struct carried_at *at, const struct carried_event *event,
                   struct carried_acts *out)
{
    if (at->state >= CARRIED_HELD && at->state <= CARRIED_TAKEN) {
        known(out, at->state == CARRIED_TAKEN ? FLEET_IS_TAKEN : FLEET_IS_QUEUED);
        return;
    }
    if (at->state == CARRIED_ASKED && at->looking) return;
    *at = (struct carried_at){ .looked_ms = event->now_ms, .was_taken = event->taken };
    looks(at, CARRIED_ASKED_RESULT, out);
}

/* ---- hints ---- */

static void on_claim_hint(struct carried_at *at, const struct carried_event *event,
                          struct carried_acts *out)
{
    if (at->state == CARRIED_SENDING || at->state == CARRIED_QUEUED) {
        asks(CARRIED_HINTED_CLAIM, out);
        return;
    }
    if (at->state == CARRIED_TAKEN) token_take(at, event);
    if (at->state == CARRIED_TAKEN && at->token == event->token) {
        at->heard_ms = event->now_ms;
        at->claim_seq = 0;
    }
    if (at->state == CARRIED_OVER && event->begun) { /* the server has lost its tombstone */
        does(out, CARRIED_CANCELS);
        entombs(out, CARRIED_TOMB_CANCEL);
    }
    if (at->state >= CARRIED_TAKEN) answers(at, event, out);
}

static void on_result_hint(struct carried_at *at, struct carried_acts *out)
{
    if (carried_awaits_result(at)) {
        at->result_tries = 0;
        asks(CARRIED_HINTED_RESULT, out);
    } else if (at->state == CARRIED_OVER) { /* it came too late, or once more */
        at->result_seq = 0; /* another than the one that was removed */
        on_forget(at, out);
    }
}

static void on_hinted_claim(struct carried_at *at, const struct carried_event *event,
                            struct carried_acts *out)
{
    if (at->state != CARRIED_SENDING && at->state != CARRIED_QUEUED) return;
    if (event->answer == CARRIED_YES) {
        is_told_taken(at, event, out);
    } else {
        at->looked_ms = 0; /* seen, and not stored yet: the next tick looks again */
        does(out, CARRIED_HURRIES);
    }
}

/* A hint may be quicker than the stream: it is read again soon, and later by the clock. */
static void on_hinted_result(struct carried_at *at, const struct carried_event *event,
                             struct carried_acts *out)
{
    if (!carried_awaits_result(at)) return;
    if (event->answer == CARRIED_YES) {
        has_ended(at, event, out);
    } else if (event->answer == CARRIED_BROKEN) {
        is_broken(at, out);
    } else if (at->result_tries++ < RESULT_TRIES_MAX) {
        at->result_due_ms = event->now_ms + (UINT64_C(1) << at->result_tries);
        does(out, CARRIED_HURRIES);
    }
}

/* ---- stored ---- */

static void on_stored(struct carried_at *at, const struct carried_event *event,
                      struct carried_acts *out)
{
    if (at->times != event->times) return;
    if (event->answer == CARRIED_YES) at->job_seq = event->seq;
    if (at->state != CARRIED_SENDING) return;
    if (event->answer != CARRIED_YES) {
        refuses(at, CARRIED_NOT_STORED, out);
        return;
    }
    carried_move(at, CARRIED_QUEUED);
    if (at->looked_ms > 0) at->looked_ms = event->now_ms;
    if (at->times == 1) says(out, FLEET_QUEUED, CARRIED_NOT_SAID);
}

/* ---- taken ---- */

static bool is_word(enum carried_answer answer)
{
    return answer == CARRIED_YES || answer == CARRIED_DEAD || answer == CARRIED_NONE;
}

static bool is_silent(const struct carried_at *at, const struct carried_event *event)
{
    return event->now_ms >= at->heard_ms + carry_lost_ms(event->lease_ms);
}

static void on_renewed(struct carried_at *at, const struct carried_event *event,
                       struct carried_acts *out)
{
    bool dead = event->answer == CARRIED_DEAD;
    uint64_t seq = event->answer == CARRIED_NONE ? 0 : event->seq;

    if (!is_word(event->answer)) return;
    if (seq != 0 && !dead && at->claim_seq != 0 && seq != at->claim_seq &&
        event->token == at->token) {
        at->heard_ms = event->now_ms;
    }
    at->claim_seq = seq;
    if (!dead && !is_silent(at, event)) return;
    looks(at, dead ? CARRIED_LOST_RESULT_AGAIN : CARRIED_LOST_RESULT, out);
}

static void on_lost(struct carried_at *at, const struct carried_event *event,
                    struct carried_acts *out)
{
    if (event->ask == CARRIED_LOST_TOMB) {
        if (event->answer != CARRIED_YES) return; /* renewed, or our own: looked at again */
        looks(at, CARRIED_LOST_RESULT_AGAIN, out);
    } else if (event->answer == CARRIED_YES) {
        has_ended(at, event, out);
    } else if (event->answer == CARRIED_BROKEN) {
        is_broken(at, out);
    } else if (event->answer != CARRIED_NONE) {
        return; /* not known: looked at again */
    } else if (event->ask == CARRIED_LOST_RESULT) {
        if (is_silent(at, event)) looks(at, CARRIED_LOST_TOMB, out);
    } else {
        does(out, CARRIED_PURGES_JOB);
        says(out, FLEET_LOST, CARRIED_NOT_RENEWED);
        is_over(at, out);
    }
}

/* ---- queued: where is it? ---- */

/* why: what it is where the job is not here. */
static void stores_again(struct carried_at *at, const struct carried_event *event,
                         enum carried_why why, struct carried_acts *out)
{
    if (!at->has_job) gives_up(at, why, out);
    else if (at->names_blob) looks(at, CARRIED_QUEUED_BLOB, out);
    else stores(at, event->now_ms, out);
}

/* The job is in the stream. One below the floor is never handed out again. */
static void is_still_queued(struct carried_at *at, const struct carried_event *event,
                            struct carried_acts *out)
{
    at->job_seq = event->seq;
    if (event->seq > event->floor_seq) return;
    does(out, CARRIED_REMOVES_JOB); /* 5 */
    stores_again(at, event, CARRIED_VANISHED, out);
}

static void on_queued(struct carried_at *at, const struct carried_event *event,
                      struct carried_acts *out)
{
    bool there = event->answer == CARRIED_YES;

    at->looked_ms = event->now_ms;
    if (event->answer == CARRIED_BROKEN) is_broken(at, out);
    if (!is_word(event->answer)) return;
    if (event->answer == CARRIED_DEAD) gives_up(at, CARRIED_CLAIM_GIVEN_UP, out);
    else if (there && carried_thing(event->ask) == CARRIED_CLAIM_THERE) {
        is_told_taken(at, event, out);
    } else if (event->ask == CARRIED_QUEUED_CLAIM) looks(at, CARRIED_QUEUED_JOB, out);
    else if (event->ask == CARRIED_QUEUED_CLAIM_AGAIN) {
        stores_again(at, event, CARRIED_VANISHED, out);
    } else if (event->ask == CARRIED_QUEUED_JOB) {
        if (there) is_still_queued(at, event, out);
        else looks(at, CARRIED_QUEUED_RESULT, out);
    } else if (event->ask == CARRIED_QUEUED_RESULT) {
        if (there) has_ended(at, event, out);
        else looks(at, CARRIED_QUEUED_CLAIM_AGAIN, out);
    } else if (there) {
        stores(at, event->now_ms, out);
    } else {
        gives_up(at, CARRIED_VANISHED_BLOBS, out);
    }
}

/* ---- queued: who may have it? ---- */

static void is_refused(struct carried_at *at, enum carried_why why, struct carried_acts *out)
{
    entombs(out, CARRIED_TOMB_REFUSED);
    does(out, CARRIED_REMOVES_JOB);
    refuses(at, why, out);
}

/* Invariant 9. */
static void on_handed_out(struct carried_at *at, const struct carried_event *event,
                          struct carried_acts *out)
{
    if (at->state != CARRIED_QUEUED) return;
    if (at->skips < CARRY_HANDED_MAX) at->unclaimed += CARRY_HANDED_MAX - at->skips;
    if (!event->fits || at->unclaimed >= CARRY_HANDED_MAX) {
        is_refused(at, CARRIED_POISON, out);
        return;
    }
    at->looking = false;
    does(out, CARRIED_REMOVES_JOB);
    stores_again(at, event, CARRIED_HANDED_AWAY, out);
}

/* ---- asked: result, claim, job, and the claim once more ---- */

static void on_asked(struct carried_at *at, const struct carried_event *event,
                     struct carried_acts *out)
{
    bool there = event->answer == CARRIED_YES;

    if (there && event->ask == CARRIED_ASKED_RESULT) {
        known(out, FLEET_HAS_ENDED);
        has_ended(at, event, out);
    } else if (event->answer == CARRIED_BROKEN) {
        known(out, FLEET_IS_TAKEN);
        is_broken(at, out);
    } else if (there && event->ask == CARRIED_ASKED_JOB) {
        at->job_seq = event->seq;
        at->looked_ms = event->now_ms;
        carried_move(at, CARRIED_QUEUED);
        known(out, FLEET_IS_QUEUED);
    } else if (there) {
        is_taken(at, event); /* `known` says it, and no `taken` */
        known(out, FLEET_IS_TAKEN);
        answers(at, event, out);
    } else if (event->answer == CARRIED_DEAD || event->ask == CARRIED_ASKED_CLAIM_AGAIN) {
        known(out, FLEET_NOWHERE);
        is_over(at, out);
    } else {
        looks(at, event->ask + 1, out);
    }
}

/* ---- the clock ---- */

static void on_back(struct carried_at *at, const struct carried_event *event)
{
    at->looked_ms = 0;
    at->heard_ms = event->now_ms;
    at->claim_seq = 0;
    if (!carried_awaits_result(at)) return;
    at->result_tries = RESULT_TRIES_MAX;
    at->result_due_ms = event->now_ms + 1;
}

/* When it is looked at next. */
static uint64_t look_due_ms(const struct carried_at *at, uint64_t lease_ms)
{
    uint64_t silent_ms = at->heard_ms + lease_ms / 2, again_ms = at->looked_ms + lease_ms / 4;

    if (at->looking) return UINT64_MAX;
    if (at->state == CARRIED_TAKEN) return silent_ms > again_ms ? silent_ms : again_ms;
    return at->state == CARRIED_QUEUED ? at->looked_ms + 2 * lease_ms : UINT64_MAX;
}

uint64_t carried_due_ms(const struct carried_at *at, uint64_t lease_ms)
{
    uint64_t look_ms = look_due_ms(at, lease_ms);

    return at->result_due_ms > 0 && at->result_due_ms < look_ms ? at->result_due_ms : look_ms;
}

static void on_tick(struct carried_at *at, const struct carried_event *event,
                    struct carried_acts *out)
{
    if (at->result_due_ms > 0 && event->now_ms >= at->result_due_ms) {
        at->result_due_ms = 0;
        asks(CARRIED_HINTED_RESULT, out);
    } else if (event->now_ms < look_due_ms(at, event->lease_ms)) {
        return;
    } else if (at->state == CARRIED_TAKEN) {
        at->looked_ms = event->now_ms;
        looks(at, CARRIED_RENEWED, out);
    } else if (at->state == CARRIED_QUEUED) {
        looks(at, CARRIED_QUEUED_CLAIM, out);
    }
}

static void on_answered(struct carried_at *at, const struct carried_event *event,
                        struct carried_acts *out)
{
    if (carried_asks[event->ask].state != NO_LOOK) {
        if (!at->looking || at->look != event->ask) return; /* 6 */
        at->looking = false;
    }
    switch (event->ask) {
    case CARRIED_STORE: on_stored(at, event, out); break;
    case CARRIED_HINTED_CLAIM: on_hinted_claim(at, event, out); break;
    case CARRIED_HINTED_RESULT: on_hinted_result(at, event, out); break;
    case CARRIED_RENEWED: on_renewed(at, event, out); break;
    case CARRIED_LOST_RESULT:
    case CARRIED_LOST_TOMB:
    case CARRIED_LOST_RESULT_AGAIN: on_lost(at, event, out); break;
    case CARRIED_QUEUED_CLAIM:
    case CARRIED_QUEUED_JOB:
    case CARRIED_QUEUED_RESULT:
    case CARRIED_QUEUED_CLAIM_AGAIN:
    case CARRIED_QUEUED_BLOB: on_queued(at, event, out); break;
    case CARRIED_ASKED_RESULT:
    case CARRIED_ASKED_CLAIM:
    case CARRIED_ASKED_JOB:
    case CARRIED_ASKED_CLAIM_AGAIN: on_asked(at, event, out); break;
    case CARRIED_ASK_COUNT: break;
    }
}

void carried_step(struct carried_at *at, const struct carried_event *event,
                  struct carried_acts *out)
{
    out->count = 0;
    switch (event->kind) {
    case CARRIED_JOB: on_job(at, event, out); break;
    case CARRIED_BLOBS: is_released(at, event, out); break;
    case CARRIED_STOP: on_stop(at, out); break;
    case CARRIED_ASK: on_ask(at, event, out); break;
    case CARRIED_FORGET: on_forget(at, out); break;
    case CARRIED_CLAIM_HINT: on_claim_hint(at, event, out); break;
    case CARRIED_RESULT_HINT: on_result_hint(at, out); break;
    case CARRIED_SKIPPED: at->skips++; break;
    case CARRIED_ALL_SKIPPED:
        if (at->state == CARRIED_QUEUED) is_refused(at, CARRIED_UNFIT, out);
        break;
    case CARRIED_HANDED_OUT: on_handed_out(at, event, out); break;
    case CARRIED_ANSWERED: on_answered(at, event, out); break;
    case CARRIED_BACK: on_back(at, event); break;
    case CARRIED_TICK: on_tick(at, event, out); break;
    case CARRIED_EVENT_COUNT: break;
    }
    carried_check(at);
}
