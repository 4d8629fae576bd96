/* SPDX-License-Identifier: Apache-2.0
 *
 * driver_workers.c - the workers that live, and which of them cannot have an attempt.
 *
 *     hone.worker.*  a worker tells of itself: at its start, each L/2, and when it is called
 *     hone.log.K     a worker skips the attempt K, and says so once more whenever it gets it again
 *
 * 1. A worker is one start of it: its name, its pool, and when it joined. One that was started anew
 *    has skipped nothing.
 * 2. A worker lives that was heard within 3 L. All that live are known when they were called, and
 *    had KNOWN_MS to answer. Before that a worker may live that has not skipped; likewise while
 *    more are heard than LIVES_MAX.
 * 3. They are called when the run is ours, when the server is back, and each L while an attempt is
 *    there that was skipped: a worker may keep another driver's lease.
 * 4. Who skipped what is looked at when a skip comes, and each L/6: a worker that had not skipped
 *    may be gone.
 * 5. A skip that names no living worker counts as one (carried.c, 9), and is no worker's.
 *
 * Not here: what follows for an attempt (carry/carried.c). */
#include "link/driver.h"

#include "base/mem.h"
#include "carry/carry.h"
#include "io/file/uptime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIVES_MAX = 1024, KNOWN_MS = 1000, LIVE_LEASES = 3 };

/* ---- who lives ---- */

void workers_call(struct driver *driver)
{
    uint64_t now_ms = uptime_ms();

    bus_say(driver->bus, "hone.who", NULL, (struct str){ 0 }, NULL, 0);
    driver->called_ms = now_ms;
    driver->lists_ms = now_ms;
}

static bool is_live(const struct driver *driver, const struct live_worker *live, uint64_t now_ms)
{
    return now_ms <= live->heard_ms + LIVE_LEASES * driver->lease_ms;
}

static bool are_known(const struct driver *driver, uint64_t now_ms)
{
    bool crowded = driver->crowded_ms > 0 &&
                   now_ms <= driver->crowded_ms + LIVE_LEASES * driver->lease_ms;

    return !crowded && now_ms >= driver->called_ms + KNOWN_MS;
}

/* Its place: that of one that is dead, where there is any. NULL: there is no room. */
static struct live_worker *live_new(struct driver *driver, uint64_t now_ms)
{
    for (uint32_t i = 0; i < driver->live_count; i++) {
        if (!is_live(driver, &driver->lives[i], now_ms)) return &driver->lives[i];
    }
    if (driver->live_count == LIVES_MAX) return NULL;
    driver->lives = mem_grow(driver->lives, driver->live_count, &driver->live_cap,
                             sizeof *driver->lives);
    return &driver->lives[driver->live_count++];
}

static void live_hear(struct driver *driver, const struct fleet_worker *worker)
{
    uint64_t now_ms = uptime_ms();
    struct live_worker *live = NULL;

    for (uint32_t i = 0; i < driver->live_count && !live; i++) {
        struct live_worker *old = &driver->lives[i];

        if (old->since_ms == worker->since_ms && str_is(worker->id, old->id) &&
            str_is(worker->pool, old->pool)) live = old;
    }
    if (!live) {
        live = live_new(driver, now_ms);
        if (!live) {
            driver->crowded_ms = now_ms;
            return;
        }
        *live = (struct live_worker){ .since_ms = worker->since_ms,
                                      .number = ++driver->live_numbers };
        snprintf(live->id, sizeof live->id, "%.*s", STR_ARG(worker->id));
        snprintf(live->pool, sizeof live->pool, "%.*s", STR_ARG(worker->pool));
    }
    live->heard_ms = now_ms;
}

void workers_hear(struct driver *driver, const struct fleet_worker *worker)
{
    if (fleet_name_is(worker->id) && fleet_name_is(worker->pool)) live_hear(driver, worker);
}

/* ---- who skipped what ---- */

void skipped_free(struct skipped *skipped)
{
    if (!skipped) return;
    free(skipped->workers);
    free(skipped);
}

static bool has_skipped(const struct carried *attempt, const struct live_worker *live)
{
    for (uint32_t i = 0; attempt->skipped && i < attempt->skipped->count; i++) {
        if (attempt->skipped->workers[i] == live->number) return true;
    }
    return false;
}

/* How many of its pool live; and whether one of them has not skipped it. */
static uint32_t lives_of(const struct driver *driver, const struct carried *attempt, bool *fits)
{
    uint64_t now_ms = uptime_ms();
    uint32_t count = 0;

    *fits = false;
    for (uint32_t i = 0; i < driver->live_count; i++) {
        const struct live_worker *live = &driver->lives[i];

        if (!is_live(driver, live, now_ms) || strcmp(live->pool, attempt->pool) != 0) continue;
        count++;
        *fits = *fits || !has_skipped(attempt, live);
    }
    return count;
}

bool workers_fit(const struct driver *driver, const struct carried *attempt)
{
    bool fits;

    (void)lives_of(driver, attempt, &fits);
    return fits || !are_known(driver, uptime_ms());
}

static bool all_skipped(const struct driver *driver, const struct carried *attempt)
{
    bool fits;

    return attempt->skipped && are_known(driver, uptime_ms()) &&
           lives_of(driver, attempt, &fits) > 0 && !fits;
}

static void skip_keep(struct carried *attempt, const struct live_worker *live, const char *why,
                      bool missing)
{
    struct skipped *skipped = attempt->skipped;
    size_t used;

    if (!skipped) {
        skipped = attempt->skipped = mem_alloc(sizeof *skipped);
        skipped->missing = true;
    }
    skipped->workers = mem_grow(skipped->workers, skipped->count, &skipped->cap,
                                sizeof *skipped->workers);
    skipped->workers[skipped->count++] = live->number;
    skipped->missing = skipped->missing && missing;
    used = strlen(skipped->why);
    snprintf(skipped->why + used, sizeof skipped->why - used, "%s%s: %s", used > 0 ? "; " : "",
             live->id, why);
}

/* The living worker of its pool that a skip is of, "ID SINCE"; NULL: it names none. */
static const struct live_worker *skipper_find(const struct driver *driver,
                                              const struct carried *attempt, const char *name)
{
    struct str rest = str_of(name ? name : ""), id;
    uint64_t since_ms;

    if (!str_cut(&rest, ' ', &id) || !str_number(rest, &since_ms)) return NULL;
    for (uint32_t i = 0; i < driver->live_count; i++) {
        const struct live_worker *live = &driver->lives[i];

        if (live->since_ms == since_ms && str_is(id, live->id) &&
            strcmp(live->pool, attempt->pool) == 0) return live;
    }
    return NULL;
}

void workers_skipped(struct driver *driver, struct carried *attempt,
                     const struct bus_message *message)
{
    const struct live_worker *live = skipper_find(driver, attempt,
                                                  bus_header(message, "Hone-Worker"));

    if (!carried_awaits_result(&attempt->at)) return;
    if (live && !has_skipped(attempt, live)) {
        skip_keep(attempt, live, bus_header(message, "Hone-Skip"),
                  bus_header_number(message, "Hone-Missing") == 1);
    }
    (void)carried_hear(driver, attempt, CARRIED_SKIPPED);
    if (all_skipped(driver, attempt)) (void)carried_hear(driver, attempt, CARRIED_ALL_SKIPPED);
}

void workers_tick(struct driver *driver, uint64_t now_ms)
{
    bool any = false;

    if (now_ms < driver->unfit_ms + carry_beat_ms(driver->lease_ms)) return;
    driver->unfit_ms = now_ms;
    /* From the end, since the last takes the place of one that is over. */
    for (uint32_t i = driver->carried_count; i-- > 0;) {
        struct carried *attempt = driver->attempts[i];

        if (!attempt->skipped || attempt->at.state != CARRIED_QUEUED) continue;
        any = true;
        if (all_skipped(driver, attempt)) (void)carried_hear(driver, attempt, CARRIED_ALL_SKIPPED);
    }
    if (!any || now_ms < driver->lists_ms + driver->lease_ms) return;
    bus_say(driver->bus, "hone.who", NULL, (struct str){ 0 }, NULL, 0);
    driver->lists_ms = now_ms;
}
