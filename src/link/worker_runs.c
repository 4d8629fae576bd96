/* SPDX-License-Identifier: Apache-2.0
 *
 * worker_runs.c - the drivers of attempts that are held, as their records on the server show them.
 *
 * 1. The record of a run's driver is read while a claim of an attempt of that run is needed. A
 *    driver whose record does not change for 2 L is dead (carry/held.c): its attempts are orphans.
 * 2. While the server is away no record is read. When it is back how old they are is not known.
 * 3. Of RUNS_MAX runs one whose driver need not be watched makes room, and of those the one that no
 *    attempt came of for longest: no driver can have another one's agents unwatched by many runs.
 * 4. L is a run's own: its driver says it with each job, a worker with an attempt that it goes on
 *    with. The link beats by the smallest of those it watches, and goes back to none: a lease that
 *    no run needs any more holds until another run has one. */
#include "link/worker.h"

#include "io/file/uptime.h"

#include <stdio.h>
#include <string.h>

static struct run_watch *run_find(struct worker *worker, struct str name)
{
    for (uint32_t i = 0; i < worker->run_count; i++) {
        if (str_is(name, worker->runs[i].run)) return &worker->runs[i];
    }
    return NULL;
}

static struct run_watch *run_of(struct worker *worker, struct str key)
{
    struct fleet_key parts;

    return fleet_key_read(key, &parts) ? run_find(worker, parts.run) : NULL;
}

bool runs_driver_is_there(struct worker *worker, const char *key)
{
    const struct run_watch *run = run_of(worker, str_of(key));

    return run && run->driver.there;
}

uint64_t runs_lease_ms(struct worker *worker, struct str key)
{
    const struct run_watch *run = run_of(worker, key);

    return run ? run->lease_ms : worker->own_lease_ms;
}

static void on_driver(void *owner, const char *key, uint64_t tag, const struct answer *answer)
{
    struct run_watch *run = run_find(owner, str_of(key));
    bool there = answer->kind == ANSWER_YES;

    (void)tag;
    if (!run) return;
    held_driver_answer(&run->driver, there || answer->kind == ANSWER_NONE, there ? answer->seq : 0);
}

static bool is_of(const struct held *held, const struct run_watch *run)
{
    size_t size = strlen(run->run);

    return strncmp(held->key, run->run, size) == 0 && held->key[size] == '.';
}

static bool run_is_needed(const struct worker *worker, const struct run_watch *run)
{
    for (uint32_t i = 0; i < worker->held_count; i++) {
        const struct held *held = &worker->held[i];

        if (held_needs_driver(&held->at) && is_of(held, run)) return true;
    }
    return false;
}

/* Invariant 3. */
static struct run_watch *run_place(struct worker *worker)
{
    struct run_watch *oldest = NULL;

    if (worker->run_count < RUNS_MAX) return &worker->runs[worker->run_count++];
    for (uint32_t i = 0; i < worker->run_count; i++) {
        struct run_watch *run = &worker->runs[i];

        if (oldest && run->used_ms >= oldest->used_ms) continue;
        if (!run_is_needed(worker, run)) oldest = run;
    }
    return oldest ? oldest : &worker->runs[0];
}

void runs_use(struct worker *worker, struct str key, uint64_t lease_ms)
{
    uint64_t now_ms = uptime_ms();
    struct run_watch *run = run_of(worker, key);
    struct fleet_key parts;

    if (!fleet_key_read(key, &parts)) return;
    if (!run) {
        run = run_place(worker);
        *run = (struct run_watch){ .lease_ms = worker->own_lease_ms };
        snprintf(run->run, sizeof run->run, "%.*s", STR_ARG(parts.run));
        held_driver_rest(&run->driver, now_ms);
    }
    if (lease_ms) run->lease_ms = lease_ms;
    run->used_ms = now_ms;
}

/* Invariant 4. */
void runs_beat(struct worker *worker)
{
    uint64_t least_ms = UINT64_MAX;

    for (uint32_t i = 0; i < worker->run_count; i++) {
        const struct run_watch *run = &worker->runs[i];

        if (run->lease_ms < least_ms && run_is_needed(worker, run)) least_ms = run->lease_ms;
    }
    if (least_ms != UINT64_MAX) worker_lease(worker, least_ms);
}

static void run_orphan(struct worker *worker, const struct run_watch *run)
{
    for (uint32_t i = worker->held_count; i-- > 0;) {
        struct held *held = &worker->held[i];

        if (!is_of(held, run)) continue;
        held_happens(worker, held, (struct held_event){ .kind = HELD_ORPHAN });
    }
}

static void run_look(struct worker *worker, struct run_watch *run, uint64_t now_ms)
{
    char subject[SUBJECT_BYTES_MAX];

    if (!run_is_needed(worker, run)) {
        held_driver_rest(&run->driver, now_ms);
        return;
    }
    if (held_driver_is_dead(&run->driver, run->lease_ms, now_ms)) run_orphan(worker, run);
    if (!held_driver_asks(&run->driver, run->lease_ms, now_ms)) return;
    snprintf(subject, sizeof subject, "%s%s", stream_prefix(STREAM_DRIVERS), run->run);
    subject_read_raw(worker->bus, STREAM_DRIVERS, subject, &(struct question){
        .key = run->run, .owner = worker, .on_answer = on_driver,
    });
}

void runs_tick(struct worker *worker, uint64_t now_ms)
{
    for (uint32_t i = 0; i < worker->run_count; i++) run_look(worker, &worker->runs[i], now_ms);
    runs_beat(worker);
}

void runs_back(struct worker *worker)
{
    uint64_t now_ms = uptime_ms();

    for (uint32_t i = 0; i < worker->run_count; i++) {
        held_driver_rest(&worker->runs[i].driver, now_ms);
    }
}
