/* SPDX-License-Identifier: Apache-2.0
 *
 * task.c - an attempt at its worker.
 *
 *        job          blobs there         "ready"        go             "ended"         kept
 *   NEW -----> FETCHING --------> PREPARING -----> ASKING ---> WORKING --------> SENDING ---> KEPT
 *                 |                | ^ "need"         |           |               ^    |        |
 *                 |                v | base           |           |   an orphan's |    |        |
 *                 | stop,         NEEDING             | gone,     | stop,  result |    |        |
 *                 | no blob         | stop, "skip"    | stop      | fenced        |    |        |
 *                 |                 '-----------------'-----------'---> ENDING ---'    |        |
 *                 |                                          process over  |    forget | forget |
 *                 |                                                        v           |        |
 *                 '-----------------------------------------------------> GONE <-------'--------'
 *
 *   (its result is on the disk: found, or a job comes)  NEW -----> SENDING
 *
 * 1. begin is said when the process is ready, and again only to a carrier that knows nothing of
 *    it. Its process is told go once. An attempt whose folder is in the outbox is not taken again,
 *    also after a restart: a job for one that has a result goes to SENDING with it.
 * 2. A slot is in use from the job until the attempt's process is reaped. It is free exactly once:
 *    task_step compares what was held before a step with what is held after it.
 * 3. A process that is told to end reads the end of its input, and ends its agent. Where that takes
 *    longer than STOP_MS it is killed, and its supervisor ends the agent.
 * 4. A worker that heard nothing for L ends its agents: what they do may be another's. Where its
 *    carrier died it says begin again to the one that follows, for those at work, too: go says that
 *    their claims are renewed again. What has none by L/2 after the dead one was heard last ends:
 *    the newest claim may have been L old then, and its driver gives it up after 3 L / 2.
 * 5. No result of an attempt that was stopped is said, but that of an orphan, which its next driver
 *    takes. A result that is on the disk is said until it is kept, also where its process died. A
 *    record is there as long as its slot, its process or a result that is not kept: a folder that
 *    was kept has none. What a carrier had kept it may lose: after its `ready` and its `back` those
 *    results are said again, AGAIN_MAX at a time, but not by a worker that drains.
 * 6. A carrier may hand out what is here already: it was started again, and knows nothing. It is
 *    told that no slot was taken. begin and results are said again; what ends here is skipped.
 * 7. A job that the worker drops by itself is given back: skip before go, lost after it. Otherwise
 *    the carrier would hold it for as long as this worker lives.
 *
 * Not here: files, processes and pieces (worker/tasks.c), the process (worker/play.c). */
#include "carry/task.h"

#include "carry/carry.h"

#include <assert.h>

#define BIT(x) (UINT32_C(1) << (x))

enum { FETCH_MS = 120 * 1000, STOP_MS = 1500, AGAIN_MS = 10 * 1000, AGAIN_MAX = 16 };

static const uint32_t task_next[TASK_STATE_COUNT] = {
    [TASK_NEW] = BIT(TASK_FETCHING) | BIT(TASK_SENDING),
    [TASK_FETCHING] = BIT(TASK_PREPARING) | BIT(TASK_GONE),
    [TASK_PREPARING] = BIT(TASK_NEEDING) | BIT(TASK_ASKING) | BIT(TASK_ENDING) | BIT(TASK_GONE),
    [TASK_NEEDING] = BIT(TASK_PREPARING) | BIT(TASK_ENDING) | BIT(TASK_GONE),
    [TASK_ASKING] = BIT(TASK_WORKING) | BIT(TASK_ENDING) | BIT(TASK_GONE),
    [TASK_WORKING] = BIT(TASK_SENDING) | BIT(TASK_ENDING) | BIT(TASK_GONE),
    [TASK_ENDING] = BIT(TASK_SENDING) | BIT(TASK_GONE),
    [TASK_SENDING] = BIT(TASK_KEPT) | BIT(TASK_ENDING) | BIT(TASK_GONE),
    [TASK_KEPT] = BIT(TASK_SENDING) | BIT(TASK_ENDING) | BIT(TASK_GONE),
    [TASK_GONE] = 0,
};

/* What holds in one state alone ends with it. */
static void task_move(struct task_at *at, enum task_state next)
{
    assert(task_next[at->state] & BIT(next));
    at->state = next;
    at->orphaned = at->sending = at->again = false;
    at->wanted_ms = at->fence_ms = at->sent_ms = 0;
}

static bool is_one_of(const struct task_at *at, uint32_t states)
{
    return (BIT(at->state) & states) != 0;
}

enum {
    WAITS = BIT(TASK_FETCHING) | BIT(TASK_NEEDING),                        /* for blobs */
    UNBEGUN = WAITS | BIT(TASK_PREPARING),
    UNENDED = UNBEGUN | BIT(TASK_ASKING) | BIT(TASK_WORKING),
    HAS_PROCESS = BIT(TASK_PREPARING) | BIT(TASK_NEEDING) | BIT(TASK_ASKING) |
                  BIT(TASK_WORKING) | BIT(TASK_ENDING),
    MAY_HAVE_PROCESS = HAS_PROCESS | BIT(TASK_SENDING) | BIT(TASK_KEPT),
};

bool task_is_over(const struct task_at *at)
{
    return !at->running && is_one_of(at, BIT(TASK_NEW) | BIT(TASK_KEPT) | BIT(TASK_GONE));
}

bool task_is_unsaid(const struct task_at *at)
{
    return at->state == TASK_SENDING && !at->again;
}

uint64_t task_lease_ms(const struct task_at *at, const struct task_worker *worker)
{
    return at->lease_ms ? at->lease_ms : worker->lease_ms;
}

bool task_holds_slot(const struct task_at *at)
{
    return at->running || at->state == TASK_FETCHING;
}

bool task_is_named(const struct task_at *at)
{
    return at->state == TASK_WORKING || at->state == TASK_SENDING;
}

static void task_check(const struct task_at *at, const struct task_worker *worker)
{
    assert(worker->held <= worker->slots);                              /* 2 */
    assert(!task_holds_slot(at) || worker->held > 0);                   /* 2 */
    assert(at->running || !is_one_of(at, HAS_PROCESS));                 /* 2 */
    assert(!at->running || is_one_of(at, MAY_HAVE_PROCESS));            /* 2 */
    assert(!at->kill_ms || at->running);                                /* 3 */
    assert(!at->fence_ms || at->state == TASK_WORKING);                 /* 4 */
    assert(!at->orphaned || at->state == TASK_ENDING);                  /* 5 */
    assert(!(at->sending || at->sent_ms) || at->state == TASK_SENDING); /* 5 */
    assert(!(at->sending && at->sent_ms));                              /* 5 */
    assert(!at->again || at->state == TASK_SENDING);                    /* 5 */
    assert(worker->again <= AGAIN_MAX);                                 /* 5 */
    assert((at->wanted_ms > 0) == is_one_of(at, WAITS));
}

/* ---- what it does ---- */

static void act(struct task_acts *out, struct task_act one)
{
    assert(out->count < sizeof out->list / sizeof *out->list);
    out->list[out->count++] = one;
}

static void does(struct task_acts *out, enum task_act_kind kind)
{
    act(out, (struct task_act){ .kind = kind });
}

static void says(struct task_acts *out, enum fleet_kind line, enum task_why why)
{
    act(out, (struct task_act){ .kind = TASK_SAYS, .line = line, .why = why });
}

static void tells(struct task_acts *out, enum task_word word)
{
    act(out, (struct task_act){ .kind = TASK_TELLS, .word = word });
}

/* A slot can be used again. */
static void frees(const struct task_worker *worker, struct task_acts *out)
{
    if (worker->ready && !worker->draining) says(out, FLEET_FREE, TASK_NOT_SAID);
}

static void asks(struct task_at *at, uint64_t now_ms, struct task_acts *out)
{
    at->wanted_ms = now_ms;
    does(out, TASK_ASKS);
}

static void starts(struct task_at *at, struct task_acts *out)
{
    task_move(at, TASK_PREPARING);
    at->running = true;
    does(out, TASK_STARTS);
}

static void begins(struct task_acts *out)
{
    says(out, FLEET_BEGIN, TASK_NOT_SAID);
}

/* Invariant 3. */
static void ends_process(struct task_at *at, uint64_t now_ms, struct task_acts *out)
{
    if (at->kill_ms) return;
    at->kill_ms = now_ms + STOP_MS;
    does(out, TASK_DEAFENS);
}

/* Nothing of it is wanted. */
static void ends(struct task_at *at, uint64_t now_ms, struct task_acts *out)
{
    if (at->running) {
        ends_process(at, now_ms, out);
        task_move(at, TASK_ENDING);
    } else {
        does(out, TASK_REMOVES);
        task_move(at, TASK_GONE);
    }
}

static void skips(struct task_at *at, enum task_why why, uint64_t now_ms, struct task_acts *out)
{
    says(out, FLEET_SKIP, why);
    ends(at, now_ms, out);
}

/* ---- the job, and its blobs ---- */

static void on_job(struct task_at *at, const struct task_worker *worker,
                   const struct task_event *event, struct task_acts *out)
{
    if (at->state != TASK_NEW || event->has_result) frees(worker, out); /* 6 */
    if (event->lease_ms) at->lease_ms = event->lease_ms;
    switch (at->state) {
    case TASK_NEW:
        if (event->has_result) {
            task_move(at, TASK_SENDING); /* 1 */
        } else if (worker->held >= worker->slots || worker->draining) {
            says(out, FLEET_SKIP, TASK_NO_ROOM);
        } else {
            task_move(at, TASK_FETCHING);
            at->wanted_ms = event->now_ms;
            does(out, TASK_TAKES);
        }
        break;
    case TASK_ASKING: begins(out); break;
    case TASK_SENDING:
        at->sending = at->again = false;
        at->sent_ms = 0;
        break;
    case TASK_ENDING: says(out, FLEET_SKIP, TASK_ENDS_STILL); break;
    case TASK_KEPT: task_move(at, TASK_SENDING); break; /* 6 */
    case TASK_FETCHING:
    case TASK_PREPARING:
    case TASK_NEEDING:
    case TASK_WORKING:
    case TASK_GONE:
    case TASK_STATE_COUNT: break;
    }
}

static void on_taken(struct task_at *at, const struct task_event *event, struct task_acts *out)
{
    if (at->state != TASK_FETCHING) return;
    if (event->wants) asks(at, event->now_ms, out);
    else starts(at, out);
}

/* Its folder is another's, or was not made: it is not removed. */
static void on_not_taken(struct task_at *at, struct task_acts *out)
{
    if (at->state != TASK_FETCHING) return;
    says(out, FLEET_SKIP, TASK_NOT_READ);
    task_move(at, TASK_GONE);
}

static void on_blobs(struct task_at *at, bool there, uint64_t now_ms, struct task_acts *out)
{
    if (at->state == TASK_NEEDING) {
        task_move(at, TASK_PREPARING);
        tells(out, there ? TASK_WORD_BASE : TASK_WORD_NOBASE);
    } else if (at->state == TASK_FETCHING && there) {
        starts(at, out);
    } else if (at->state == TASK_FETCHING) {
        skips(at, TASK_NO_BLOB, now_ms, out);
    }
}

/* ---- its process ---- */

static void on_not_started(struct task_at *at, uint64_t now_ms, struct task_acts *out)
{
    if (at->state != TASK_PREPARING) return;
    at->running = false;
    skips(at, TASK_NO_PROCESS, now_ms, out);
}

static void on_needs_base(struct task_at *at, const struct task_event *event,
                          struct task_acts *out)
{
    if (at->state != TASK_PREPARING) return;
    if (event->wants) {
        task_move(at, TASK_NEEDING);
        asks(at, event->now_ms, out);
    } else {
        tells(out, TASK_WORD_BASE);
    }
}

/* Its result is on the disk. */
static void on_result(struct task_at *at, uint64_t now_ms, struct task_acts *out)
{
    if (at->state != TASK_WORKING && !at->orphaned) return; /* 5 */
    task_move(at, TASK_SENDING);
    if (at->running) ends_process(at, now_ms, out);
}

static void on_process_over(struct task_at *at, const struct task_worker *worker,
                            const struct task_event *event, struct task_acts *out)
{
    if (!at->running) return;
    at->running = false;
    at->kill_ms = 0;
    does(out, TASK_REAPS);
    if (event->has_result) on_result(at, event->now_ms, out);
    if (is_one_of(at, UNBEGUN)) {
        skips(at, TASK_UNREADY_DIED, event->now_ms, out);
    } else if (is_one_of(at, HAS_PROCESS)) {
        if (at->state != TASK_ENDING) {
            act(out, (struct task_act){ .kind = TASK_NOTES, .why = TASK_AGENT_DIED });
        }
        if (at->state == TASK_WORKING && worker->ready) says(out, FLEET_LOST, TASK_AGENT_DIED);
        ends(at, event->now_ms, out);
    }
}

/* ---- the carrier ---- */

static void on_go(struct task_at *at, const struct task_worker *worker, struct task_acts *out)
{
    if (at->state == TASK_ASKING) {
        task_move(at, TASK_WORKING);
        tells(out, TASK_WORD_GO);
    } else if (at->state == TASK_WORKING) {
        at->fence_ms = 0; /* the link that is there renews its claim from now on: 4 */
    } else if (is_one_of(at, BIT(TASK_NEW) | BIT(TASK_ENDING) | BIT(TASK_GONE)) && worker->ready) {
        says(out, FLEET_LOST, TASK_NOT_AT_WORK); /* 7 */
    }
}

static void on_stop(struct task_at *at, const struct task_event *event, struct task_acts *out)
{
    bool orphan = event->why == FLEET_ORPHAN;

    if (at->state == TASK_ENDING && !orphan) at->orphaned = false;
    if (is_one_of(at, UNENDED) || (at->state == TASK_SENDING && !orphan)) {
        ends(at, event->now_ms, out);
        at->orphaned = orphan && at->state == TASK_ENDING;
    }
}

static void on_forget(struct task_at *at, uint64_t now_ms, struct task_acts *out)
{
    if (at->state == TASK_NEW) does(out, TASK_REMOVES); /* kept before this start of the worker */
    else if (at->state == TASK_ENDING) at->orphaned = false;
    else if (at->state != TASK_GONE) ends(at, now_ms, out);
}

static void on_disconnect(struct task_at *at, const struct task_worker *worker)
{
    at->sending = false;
    at->sent_ms = 0;
    if (at->state != TASK_WORKING || at->fence_ms) return;
    at->fence_ms = worker->heard_ms + task_lease_ms(at, worker) / 2 + 1; /* 4 */
}

static void on_reconnect(struct task_at *at, uint64_t now_ms, struct task_acts *out)
{
    if (is_one_of(at, WAITS)) asks(at, now_ms, out);
    if (at->state == TASK_ASKING || at->state == TASK_WORKING) begins(out);
}

/* ---- the worker ---- */

static void on_halt(struct task_at *at, const struct task_worker *worker,
                    const struct task_event *event, struct task_acts *out)
{
    enum task_why why = event->why == FLEET_STOP_FENCED ? TASK_FENCED : TASK_WORKER_ENDS;

    if (!is_one_of(at, UNENDED)) return;
    act(out, (struct task_act){ .kind = TASK_NOTES, .why = why });
    if (worker->ready && at->state == TASK_WORKING) says(out, FLEET_LOST, why);
    if (worker->ready && is_one_of(at, UNBEGUN) && why == TASK_FENCED) says(out, FLEET_SKIP, why);
    on_stop(at, event, out);
}

/* When all that has no result is ended. */
static uint64_t fence_due_ms(const struct task_at *at, const struct task_worker *worker)
{
    uint64_t due_ms = worker->heard_ms + task_lease_ms(at, worker) + 1;

    if (!is_one_of(at, UNENDED)) return UINT64_MAX;
    return at->fence_ms && at->fence_ms < due_ms ? at->fence_ms : due_ms;
}

/* What does not come, though no piece of anything came for long, cannot be had. */
static uint64_t blobs_due_ms(const struct task_at *at, const struct task_worker *worker)
{
    uint64_t since_ms = at->wanted_ms > worker->piece_ms ? at->wanted_ms : worker->piece_ms;

    return is_one_of(at, WAITS) ? since_ms + FETCH_MS : UINT64_MAX;
}

static uint64_t send_due_ms(const struct task_at *at, const struct task_worker *worker)
{
    if (at->state != TASK_SENDING || at->sending || !worker->ready) return UINT64_MAX;
    return at->sent_ms ? at->sent_ms + AGAIN_MS + task_lease_ms(at, worker) : 0;
}

static uint64_t kill_due_ms(const struct task_at *at)
{
    return at->kill_ms ? at->kill_ms : UINT64_MAX;
}

uint64_t task_due_ms(const struct task_at *at, const struct task_worker *worker)
{
    const uint64_t all[] = { fence_due_ms(at, worker), blobs_due_ms(at, worker),
                             send_due_ms(at, worker), kill_due_ms(at) };
    uint64_t due_ms = UINT64_MAX;

    for (uint32_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i] < due_ms) due_ms = all[i];
    }
    return due_ms;
}

static void on_tick(struct task_at *at, const struct task_worker *worker, uint64_t now_ms,
                    struct task_acts *out)
{
    if (now_ms >= fence_due_ms(at, worker)) {
        on_halt(at, worker, &(struct task_event){ .now_ms = now_ms, .why = FLEET_STOP_FENCED },
                out);
    }
    if (now_ms >= blobs_due_ms(at, worker)) on_blobs(at, false, now_ms, out);
    if (now_ms >= kill_due_ms(at)) {
        at->kill_ms = 0;
        does(out, TASK_KILLS);
    }
    if (now_ms >= send_due_ms(at, worker)) {
        at->sending = true;
        at->sent_ms = 0;
        does(out, TASK_SENDS);
    }
}

static void on_event(struct task_at *at, const struct task_worker *worker,
                     const struct task_event *event, struct task_acts *out)
{
    switch (event->kind) {
    case TASK_FOUND:
        if (at->state != TASK_NEW) break;
        task_move(at, TASK_SENDING);
        at->again = event->kept;
        break;
    case TASK_JOB: on_job(at, worker, event, out); break;
    case TASK_TAKEN: on_taken(at, event, out); break;
    case TASK_NOT_TAKEN: on_not_taken(at, out); break;
    case TASK_BLOBS_THERE: on_blobs(at, true, event->now_ms, out); break;
    case TASK_BLOB_NONE: on_blobs(at, false, event->now_ms, out); break;
    case TASK_NOT_STARTED: on_not_started(at, event->now_ms, out); break;
    case TASK_NEEDS_BASE: on_needs_base(at, event, out); break;
    case TASK_IS_READY:
        if (at->state != TASK_PREPARING) break;
        task_move(at, TASK_ASKING);
        begins(out);
        break;
    case TASK_SKIPS:
        if (at->state == TASK_PREPARING) skips(at, TASK_PROCESS_SKIPS, event->now_ms, out);
        break;
    case TASK_HAS_ENDED:
        if (event->has_result) on_result(at, event->now_ms, out);
        break;
    case TASK_PROCESS_OVER: on_process_over(at, worker, event, out); break;
    case TASK_GO: on_go(at, worker, out); break;
    case TASK_IS_GONE:
        if (at->state == TASK_ASKING || at->state == TASK_WORKING) ends(at, event->now_ms, out);
        break;
    case TASK_STOP: on_stop(at, event, out); break;
    case TASK_IS_KEPT:
        if (at->state != TASK_SENDING) break;
        if (!at->again) does(out, TASK_KEEPS);
        task_move(at, TASK_KEPT);
        break;
    case TASK_FORGET: on_forget(at, event->now_ms, out); break;
    case TASK_SENT:
        if (!at->sending) break;
        at->sending = false;
        at->sent_ms = event->now_ms;
        says(out, FLEET_ENDED, TASK_NOT_SAID);
        break;
    case TASK_DISCONNECT: on_disconnect(at, worker); break;
    case TASK_RECONNECT: on_reconnect(at, event->now_ms, out); break;
    case TASK_HALT: on_halt(at, worker, event, out); break;
    case TASK_TICK: on_tick(at, worker, event->now_ms, out); break;
    case TASK_EVENT_COUNT: break;
    }
}

/* Invariants 2 and 5. */
void task_step(struct task_at *at, struct task_worker *worker, const struct task_event *event,
               struct task_acts *out)
{
    bool held = task_holds_slot(at), again = at->again;

    out->count = 0;
    on_event(at, worker, event, out);
    worker->again += (uint32_t)at->again - (uint32_t)again;
    if (!held && task_holds_slot(at)) {
        worker->held++;
    } else if (held && !task_holds_slot(at)) {
        worker->held--;
        frees(worker, out);
    }
    task_check(at, worker);
}

/* ---- the worker and its carrier ---- */

uint32_t task_worker_ready(struct task_worker *worker, uint64_t lease_ms)
{
    if (lease_ms) worker->lease_ms = lease_ms;
    if (worker->ready) return 0;
    worker->ready = true;
    return worker->draining ? 0 : worker->slots - worker->held;
}

void task_worker_disconnect(struct task_worker *worker)
{
    worker->ready = false;
}

bool task_worker_says_again(const struct task_worker *worker)
{
    return worker->ready && !worker->draining && worker->again < AGAIN_MAX;
}

static uint64_t beat_due_ms(const struct task_worker *worker)
{
    uint64_t least_ms = worker->least_ms;

    if (least_ms == 0 || least_ms > worker->lease_ms) least_ms = worker->lease_ms;
    return worker->beat_ms + carry_beat_ms(least_ms);
}

bool task_worker_beats(struct task_worker *worker, uint64_t now_ms)
{
    if (now_ms < beat_due_ms(worker)) return false;
    worker->beat_ms = now_ms;
    return true;
}

uint64_t task_worker_due_ms(const struct task_worker *worker)
{
    return beat_due_ms(worker);
}
