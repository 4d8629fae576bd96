/* SPDX-License-Identifier: Apache-2.0
 *
 * worker_runs.c - the drivers of attempts that are held, as their records on the server show them.
 *
 * 1. The record of a run's driver is read while an attempt of that run may be at work, or come to
 *    it. A driver whose record does not change for 2 L is dead (carry/held.c): its attempts are
 *    orphans.
 * 2. While the server is away no record is read. When it is back how old they are is not known.
 * 3. Of RUNS_MAX runs the one that no attempt came of for longest makes room. */
#include "link/worker.h"

#include "io/file/uptime.h"

#include <stdio.h>
#include <string.h>

void runs_use(struct worker *worker, struct str key)
{
    uint64_t now_ms = uptime_ms();
    struct fleet_key parts;
    struct run_watch *run;
    uint32_t at = 0, oldest = 0;

    if (!fleet_key_read(key, &parts)) return;
    while (at < worker->run_count && !str_is(parts.run, worker->runs[at].run)) {
        if (worker->runs[at].used_ms < worker->runs[oldest].used_ms) oldest = at;
        at++;
    }
    if (at == worker->run_count) {
        if (worker->run_count < RUNS_MAX) worker->run_count++;
        else at = oldest;
        run = &worker->runs[at];
        *run = (struct run_watch){ 0 };
        snprintf(run->run, sizeof run->run, "%.*s", STR_ARG(parts.run));
        held_driver_rest(&run->driver, now_ms);
    }
    worker->runs[at].used_ms = now_ms;
}

static struct run_watch *run_find(struct worker *worker, struct str name)
{
    for (uint32_t i = 0; i < worker->run_count; i++) {
        if (str_is(name, worker->runs[i].run)) return &worker->runs[i];
    }
    return NULL;
}

bool runs_driver_is_there(struct worker *worker, const char *key)
{
    struct fleet_key parts;
    struct run_watch *run = fleet_key_read(str_of(key), &parts) ? run_find(worker, parts.run)
                                                                : NULL;

    return run && run->driver.there;
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

        if (held->at.state <= HELD_AT_WORK && is_of(held, run)) return true;
    }
    return false;
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
    if (held_driver_is_dead(&run->driver, worker->lease_ms, now_ms)) run_orphan(worker, run);
    if (!held_driver_asks(&run->driver, worker->lease_ms, now_ms)) return;
    snprintf(subject, sizeof subject, "%s%s", stream_prefix(STREAM_DRIVERS), run->run);
    subject_read_raw(worker->bus, STREAM_DRIVERS, subject, &(struct question){
        .key = run->run, .owner = worker, .on_answer = on_driver,
    });
}

void runs_tick(struct worker *worker, uint64_t now_ms)
{
    for (uint32_t i = 0; i < worker->run_count; i++) run_look(worker, &worker->runs[i], now_ms);
}

void runs_back(struct worker *worker)
{
    uint64_t now_ms = uptime_ms();

    for (uint32_t i = 0; i < worker->run_count; i++) {
        held_driver_rest(&worker->runs[i].driver, now_ms);
    }
}
