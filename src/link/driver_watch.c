/* SPDX-License-Identifier: Apache-2.0
 *
 * driver_watch.c - how the driver's end sees that an attempt was taken, has ended, or is lost: what
 * passes on subjects, and a clock.
 *
 * 1. What is heard goes to the attempt that it is about; of one that is none of ours nothing is
 *    kept.
 * 2. At most LOOKS_MAX attempts are looked at in a tick, and the next tick comes soon then. Where
 *    none awaits the clock (due_ms) they are not walked.
 * 3. When the server was away, it may have forgotten all: streams and consumers are made again,
 *    and each attempt is told.
 * 4. It may also have forgotten jobs, and not that it handed them out: then it never hands out a
 *    job that is stored in their place. So a job waits until it is known what its pool's consumer
 *    has handed out; one that is stored at or below that shows it, and the consumer is made anew.
 *    What it had handed out before is handed out again; claims see to that.
 *
 * Not here: what follows for an attempt (carry/carried.c). */
#include "link/driver.h"

#include "base/mem.h"
#include "format/json/json.h"
#include "io/file/uptime.h"

#include <stdio.h>
#include <string.h>

enum { LOOKS_MAX = 64 };

/* ---- pools ---- */

static struct pool_row *pool_find(const struct driver *driver, const char *name)
{
    for (uint32_t i = 0; i < driver->pool_count; i++) {
        if (strcmp(driver->pools[i].name, name) == 0) return &driver->pools[i];
    }
    return NULL;
}

uint64_t pool_floor(const struct driver *driver, const char *name)
{
    const struct pool_row *pool = pool_find(driver, name);

    return pool ? pool->floor_seq : 0;
}

static void on_pool(void *owner, const char *key, uint64_t tag, const struct answer *answer);

static void on_pool_gone(void *owner, const char *key, uint64_t tag, const struct answer *answer)
{
    struct driver *driver = owner;

    (void)tag;
    if (answer->kind == ANSWER_NO) loop_tell("the pool %s: %s", key, answer->why);
    pool_make(driver->bus, key, driver->lease_ms, driver, on_pool);
}

/* Invariant 4. */
static void pool_renew(struct driver *driver, struct pool_row *pool)
{
    char subject[SUBJECT_BYTES_MAX];

    if (pool->renewing) return;
    pool->renewing = true;
    pool->known = false;
    pool->stored_seq = 0;
    snprintf(subject, sizeof subject, "$JS.API.CONSUMER.DELETE.HONE_JOBS.%s", pool->name);
    bus_ask(driver->bus, &(struct question){
        .subject = subject, .key = pool->name, .owner = driver, .on_answer = on_pool_gone,
    });
}

static void on_pool(void *owner, const char *key, uint64_t tag, const struct answer *answer)
{
    struct driver *driver = owner;
    struct pool_row *pool = pool_find(driver, key);

    (void)tag;
    pool->handed_seq = 0;
    if (answer->kind == ANSWER_YES) {
        (void)json_uint(yyjson_obj_get(answer->root, "delivered"), "stream_seq",
                        &pool->handed_seq);
    } else {
        loop_tell("the pool %s: %s", key, answer->why ? answer->why : "no answer");
    }
    pool->known = true;
    pool->renewing = false;
    if (pool->stored_seq > 0 && pool->stored_seq <= pool->handed_seq) pool_renew(driver, pool);
    pool->stored_seq = 0;
    if (pool->known) carried_release_held(driver);
}

bool pool_is_known(const struct driver *driver, const char *name)
{
    const struct pool_row *pool = pool_find(driver, name);

    return pool && pool->known;
}

void pools_forget(struct driver *driver)
{
    for (uint32_t i = 0; i < driver->pool_count; i++) {
        driver->pools[i].known = driver->pools[i].renewing = false;
    }
}

void pool_stored(struct driver *driver, const char *name, uint64_t seq)
{
    struct pool_row *pool = pool_find(driver, name);

    if (!pool || pool->renewing) return;
    if (pool->known && seq <= pool->handed_seq) pool_renew(driver, pool);
    else if (!pool->known && pool->stored_seq == 0) pool->stored_seq = seq;
}

void pool_know(struct driver *driver, const char *name)
{
    if (pool_find(driver, name)) return;
    driver->pools = mem_grow(driver->pools, driver->pool_count, &driver->pool_cap,
                             sizeof *driver->pools);
    driver->pools[driver->pool_count] = (struct pool_row){ 0 };
    snprintf(driver->pools[driver->pool_count++].name, sizeof driver->pools->name, "%s", name);
    pool_make(driver->bus, name, driver->lease_ms, driver, on_pool);
}

static void on_pool_info(void *owner, const char *key, uint64_t tag, const struct answer *answer)
{
    struct pool_row *pool = pool_find(owner, key);

    (void)tag;
    if (answer->kind != ANSWER_YES) return;
    pool->floor_seq = 0;
    (void)json_uint(yyjson_obj_get(answer->root, "ack_floor"), "stream_seq", &pool->floor_seq);
}

static void look_at_pools(struct driver *driver)
{
    char subject[SUBJECT_BYTES_MAX];

    for (uint32_t i = 0; i < driver->pool_count; i++) {
        snprintf(subject, sizeof subject, "$JS.API.CONSUMER.INFO.HONE_JOBS.%s",
                 driver->pools[i].name);
        bus_ask(driver->bus, &(struct question){
            .subject = subject, .key = driver->pools[i].name, .owner = driver,
            .on_answer = on_pool_info,
        });
    }
}

/* ---- what passes ---- */

void watch_claim(void *owner, const struct bus_message *message)
{
    struct str key = str_skip(str_of(message->subject), strlen(stream_prefix(STREAM_CLAIMS)));

    if (!fleet_key_is(key) || bus_header(message, "KV-Operation")) return; /* no tombstone */
    carried_claim(owner, key, message);
}

void watch_result(void *owner, const struct bus_message *message)
{
    struct str key = str_skip(str_of(message->subject), strlen(stream_prefix(STREAM_RESULTS)));

    if (fleet_key_is(key)) carried_result(owner, key);
}

void watch_poison(void *owner, const struct bus_message *message)
{
    struct driver *driver = owner;
    yyjson_doc *doc = yyjson_read(message->data.data, message->data.size, 0);
    uint64_t seq = 0;

    (void)json_uint(yyjson_doc_get_root(doc), "stream_seq", &seq);
    yyjson_doc_free(doc);
    for (uint32_t i = driver->carried_count; i-- > 0 && seq > 0;) {
        if (driver->attempts[i]->at.job_seq != seq) continue;
        carried_handed_out(driver, driver->attempts[i]);
    }
}

/* ---- the clock ---- */

void watch_back(struct driver *driver)
{
    for (uint32_t i = driver->carried_count; i-- > 0;) {
        (void)carried_hear(driver, driver->attempts[i], CARRIED_BACK);
    }
    workers_call(driver);
    for (uint32_t i = 0; i < driver->pool_count; i++) {
        struct pool_row *pool = &driver->pools[i];

        pool->floor_seq = 0;
        pool_make(driver->bus, pool->name, driver->lease_ms, driver, on_pool);
    }
    loop_hurry(driver->loop);
}

/* Those that await it hear it, from the end: the last takes the place of one that is over. */
static void attempts_tick(struct driver *driver, uint64_t now_ms)
{
    uint32_t looks = 0;

    if (now_ms < driver->due_ms) return;
    driver->due_ms = UINT64_MAX;
    for (uint32_t i = driver->carried_count; i-- > 0;) {
        struct carried *attempt = driver->attempts[i];
        uint64_t own_ms = carried_due_ms(&attempt->at, driver->lease_ms);

        if (own_ms <= now_ms && looks < LOOKS_MAX) {
            if (carried_hear(driver, attempt, CARRIED_TICK)) looks++;
        } else if (own_ms < driver->due_ms) {
            driver->due_ms = own_ms;
        }
    }
}

void watch_tick(struct driver *driver)
{
    uint64_t now_ms = uptime_ms();

    if (!bus_is_there(driver->bus) || driver->carried_count == 0) return;
    attempts_tick(driver, now_ms);
    workers_tick(driver, now_ms);
    if (driver->due_ms < now_ms + LOOP_IDLE_MS) loop_hurry(driver->loop);
    if (now_ms < driver->tick_ms + 2 * driver->lease_ms) return;
    driver->tick_ms = now_ms;
    look_at_pools(driver);
}
