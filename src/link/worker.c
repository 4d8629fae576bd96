/* SPDX-License-Identifier: Apache-2.0
 *
 * worker.c - the worker's end: from hello to bye.
 *
 *     lines of the worker --.                             .--> lines to it
 *     messages of drivers --+--> attempts (worker_held.c) +--> claims, results, blobs
 *     jobs (worker_queue.c) +                             '--> answers to the queue
 *     drivers' records -----+
 *     (worker_runs.c)       |
 *     the clock ------------'
 *
 * 1. hello comes first; before it nothing is asked for, and after bye nothing is taken. The end of
 *    standard input is a bye.
 * 2. The clock is looked at before what was heard: an attempt whose claim ran out is fenced first.
 *
 * Not here: agents, workspaces, the outbox: the worker has them. */
#include "link/worker.h"

#include "base/mem.h"
#include "carry/carry.h"
#include "io/file/file.h"
#include "io/file/uptime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HELD_TOLD_MAX = 128, SKIPPED_TOLD_MAX = 16 };

/* ---- what is told of this worker ---- */

static void say_ready(struct worker *worker)
{
    loop_say(worker->loop, &(struct fleet_line){
        .kind = FLEET_READY, .v = FLEET_V, .carrier = str_of(bus_name(worker->bus)),
        .lease_ms = worker->lease_ms,
    });
}

void worker_lease(struct worker *worker, uint64_t lease_ms)
{
    if (lease_ms == worker->lease_ms) return;
    worker->lease_ms = lease_ms;
    say_ready(worker);
}

/* What it has, and what it skipped last; returns how many. */
static uint32_t tell_attempts(const struct worker *worker, struct fleet_shown *out)
{
    uint64_t now_ms = uptime_ms();
    uint32_t count = 0, skipped_count = worker->skipped_count;

    for (uint32_t i = 0; i < worker->held_count && count < HELD_TOLD_MAX; i++) {
        const struct held *held = &worker->held[i];
        bool taken = held->at.state == HELD_AT_WORK;

        if (held->at.state > HELD_AT_WORK) continue;
        out[count++] = (struct fleet_shown){
            .told = taken ? FLEET_TOLD_TAKEN : FLEET_TOLD_OFFERED, .k = str_of(held->key),
            .role = str_of(held->role),
            .age_ms = now_ms - (taken ? held->claimed_ms : held->held_ms),
            .silent_ms = taken ? now_ms - held->at.renewed_ms : 0,
        };
    }
    for (uint32_t i = 0; i < skipped_count && i < SKIPPED_TOLD_MAX; i++) {
        const struct skip *skipped = &worker->skipped[(skipped_count - 1 - i) % SKIPPED_KEPT];

        out[count++] = (struct fleet_shown){
            .told = FLEET_TOLD_SKIPPED, .k = str_of(skipped->key), .why = str_of(skipped->why),
            .age_ms = now_ms - skipped->at_ms,
        };
    }
    return count;
}

/* asked: with its attempts, for a driver that wants to know; the others only count workers. */
static void tell_state(struct worker *worker, bool asked)
{
    struct fleet_shown attempts[HELD_TOLD_MAX + SKIPPED_TOLD_MAX];
    struct fleet_worker state = {
        .id = str_of(worker->id), .host = str_of(worker->host), .pool = str_of(worker->pool),
        .version = str_of(worker->version), .labels = worker->labels,
        .label_count = worker->label_count, .slots = worker->slots, .since_ms = worker->since_ms,
        .busy = held_busy(worker), .pulls = worker->pulls.count,
    };
    char subject[SUBJECT_BYTES_MAX];
    struct buf text;

    buf_init(&text, 64 << 10);
    (void)fleet_line_write(&(struct fleet_line){ .kind = FLEET_WORKERS, .workers = &state,
                                                 .worker_count = 1, .attempts = attempts,
                                                 .attempt_count =
                                                     asked ? tell_attempts(worker, attempts) : 0 },
                           &text);
    snprintf(subject, sizeof subject, "hone.worker.%s", worker->user ? worker->user : worker->id);
    bus_say(worker->bus, subject, NULL, str_trim(buf_str(&text)), NULL, 0);
    buf_release(&text);
    worker->told_ms = uptime_ms();
}

static void on_who(void *owner, const struct bus_message *message)
{
    (void)message;
    tell_state(owner, true);
}

/* ---- lines, and the clock ---- */

static void greet(struct worker *worker, const struct fleet_line *line)
{
    if (worker->ready || !end_greets(worker->loop, line)) return;
    snprintf(worker->id, sizeof worker->id, "%.*s", STR_ARG(line->worker));
    snprintf(worker->pool, sizeof worker->pool, "%.*s", STR_ARG(line->pool));
    if (!fleet_name_is(str_of(worker->id)) || !fleet_name_is(str_of(worker->pool))) {
        loop_tell("hello names no worker, or no pool");
        loop_stop(worker->loop, 1);
        return;
    }
    snprintf(worker->host, sizeof worker->host, "%.*s", STR_ARG(line->host));
    snprintf(worker->version, sizeof worker->version, "%.*s", STR_ARG(line->version));
    worker->slots = (uint32_t)line->slots;
    worker->since_ms = now_wall_ms();
    if (line->lease_ms) worker->own_lease_ms = worker->lease_ms = line->lease_ms;
    worker->labels = arena_alloc(&worker->label_texts,
                                 (line->label_count + 1) * sizeof *worker->labels);
    for (uint32_t i = 0; i < line->label_count; i++) {
        worker->labels[worker->label_count++] = (struct fleet_label){
            arena_copy(&worker->label_texts, line->labels[i].key),
            arena_copy(&worker->label_texts, line->labels[i].value),
        };
    }
    worker->ready = true;
    say_ready(worker);
    tell_state(worker, false);
}

static void bye(struct worker *worker)
{
    worker->ending = true;
    held_each(worker, HELD_BYE);
    loop_stop(worker->loop, 0);
}

static void get_blob(struct worker *worker, const struct fleet_line *line)
{
    char place[SUBJECT_BYTES_MAX];
    enum fleet_blob_kind kind = FLEET_BLOB_BYTES;

    (void)fleet_blob_is(line->id, &kind);
    snprintf(place, sizeof place, "hone.blob.%.*s", STR_ARG(line->run));
    blob_bring(worker->blobs, place, line->id, kind == FLEET_BLOB_BASE);
}

static void on_line(void *owner, const struct fleet_line *line)
{
    struct worker *worker = owner;

    if (line->kind == FLEET_HELLO) {
        greet(worker, line);
        return;
    }
    if (!worker->ready || worker->ending) return;
    switch ((unsigned)line->kind) {
    case FLEET_FREE: queue_free(worker, line->n); break;
    case FLEET_GET: get_blob(worker, line); break;
    case FLEET_BYE: bye(worker); break;
    default: held_hears(worker, line); break;
    }
}

static void on_eof(void *owner)
{
    bye(owner);
}

static void on_tick(void *owner)
{
    struct worker *worker = owner;
    uint64_t now_ms = uptime_ms();

    if (!worker->ready) return;
    held_each(worker, HELD_TICK);
    if (now_ms >= worker->said_ms + carry_beat_ms(worker->lease_ms)) {
        worker->said_ms = now_ms;
        loop_say(worker->loop, &(struct fleet_line){ .kind = FLEET_BEAT });
    }
    if (!bus_is_there(worker->bus)) return;
    if (now_ms >= worker->told_ms + worker->lease_ms / 2) tell_state(worker, false);
    runs_tick(worker, now_ms);
    queue_more(worker, now_ms);
    blobs_tick(worker->blobs, now_ms);
}

/* ---- the server ---- */

static void on_need(void *owner, const char *place, const char *id)
{
    struct worker *worker = owner;
    char subject[SUBJECT_BYTES_MAX];

    snprintf(subject, sizeof subject, "hone.need.%s", place + strlen("hone.blob."));
    bus_say(worker->bus, subject, NULL, str_of(id), NULL, 0);
}

static void on_away(void *owner, const char *why)
{
    struct worker *worker = owner;

    if (!worker->ready) return;
    loop_say(worker->loop, &(struct fleet_line){ .kind = FLEET_AWAY, .why = str_of(why) });
}

static void on_back(void *owner)
{
    struct worker *worker = owner;

    queue_back(worker);
    runs_back(worker);
    held_each(worker, HELD_BACK);
    if (worker->ready) loop_say(worker->loop, &(struct fleet_line){ .kind = FLEET_BACK });
}

/* With rights of another user no job ever comes. Of several refusals at a time the library may tell
 * the last one alone, so that a refused pull does not say whose the keys are. */
static bool on_trouble(void *owner, const char *what)
{
    struct worker *worker = owner;
    bool drives = strstr(what, "Subscription to \"hone.") ||
                  strstr(what, "Publish to \"hone.worker.");
    char pull[SUBJECT_BYTES_MAX];

    snprintf(pull, sizeof pull, "MSG.NEXT.HONE_JOBS.%s\"", worker->pool);
    if (worker->ending) return true;
    if (held_busy(worker) > 0 || (!drives && (!worker->ready || !strstr(what, pull)))) return false;
    if (drives) {
        loop_tell("these keys are a driver's, with which no job is handed out: a worker needs "
                  "those of 'hone fleet init FOLDER --worker NAME'");
    } else {
        loop_tell("these keys are not for the pool %s (HONE_JOBS.%s is refused): they are for "
                  "pools that 'hone fleet init' was told, and --pool names one; or they are a "
                  "driver's",
                  worker->pool, worker->pool);
    }
    worker->ending = true;
    loop_stop(worker->loop, END_FOR_GOOD);
    return true;
}

static int on_open(void *owner, struct loop *loop, struct bus *bus, struct blobs *blobs,
                   struct err *err)
{
    struct worker *worker = owner;
    char subject[SUBJECT_BYTES_MAX];
    int rc;

    worker->loop = loop;
    worker->bus = bus;
    worker->blobs = blobs;
    rc = bus_listen(bus, "hone.cancel.>", held_cancel, worker, err);
    if (rc == 0) rc = bus_listen(bus, "hone.who", on_who, worker, err);
    snprintf(subject, sizeof subject, "%s.p.>", bus_inbox(bus));
    return rc == 0 ? bus_listen(bus, subject, queue_pulled, worker, err) : rc;
}

int worker_serve(const struct bus_target *target)
{
    struct worker *worker = mem_alloc(sizeof *worker);
    const struct end end = {
        .lines = { .hears = FLEET_WORKER, .says = FLEET_TO_WORKER, .owner = worker,
                   .on_line = on_line, .on_tick = on_tick, .on_eof = on_eof },
        .waits = true, .on_open = on_open, .on_away = on_away, .on_back = on_back,
        .on_need = on_need, .on_trouble = on_trouble,
    };
    int code;

    worker->own_lease_ms = worker->lease_ms = FLEET_LEASE_MS;
    worker->user = target->user;
    code = end_serve(&end, target);
    held_release(worker);
    arena_release(&worker->label_texts);
    free(worker);
    return code;
}
