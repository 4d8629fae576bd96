/* SPDX-License-Identifier: Apache-2.0
 *
 * driver_who.c - who is there, what waits and what is at work: the answer to `who`.
 *
 *     hone.who ------------> hone.worker.*: each worker's own word, with what it has and skipped
 *     consumers' list -----> pools: what waits, and how many requests of workers wait for more
 *     the end of claims' --> claims that were renewed of late, whose workers say nothing, too
 *     stream
 *     jobs' stream, from --> attempts that wait, and since when
 *     its oldest on
 *
 * 1. Both streams are read without a consumer, by number, WINDOW numbers at a time; most of them
 *    hold nothing any more. At most TOLD_MAX attempts of a kind are told, and STEPS_MAX windows are
 *    read.
 * 2. The answer is said when nothing more is to be expected: some worker has answered, as many
 *    requests for jobs as wait at the server are of workers that have, and no claim is of one that
 *    has not. Not before WHO_MS or two round trips; and without that after WHO_MS_MAX and some
 *    round trips.
 * 3. A worker is known by the user that the server let it speak as, and by its own name.
 * 4. Of what a worker has its own word counts; a claim is told only where its worker tells none.
 *    What it skipped, and why, it says itself. */
#include "link/driver.h"

#include "base/clock.h"
#include "base/mem.h"
#include "carry/carry.h"
#include "format/json/json.h"
#include "io/file/file.h"
#include "io/file/uptime.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WHO_MS = 250, WHO_MS_MAX = 3000, TRIP_MS_MAX = 1000, LIST_MS = 200,
    WORKERS_KEPT = 1024, POOLS_TOLD_MAX = 1024, TOLD_MAX = 200,
    WINDOW = 64, STEPS_MAX = 16, STATE_BYTES_MAX = 64 << 10,
};

struct seen_worker {
    uint64_t seen_ms;
    char *line; /* as it came */
};

/* What was read of a stream: a job that waits, or a claim. */
struct seen_attempt {
    char key[FLEET_KEY_BYTES], pool[FLEET_NAME_BYTES_MAX + 1], role[FLEET_ROLE_BYTES];
    char worker[FLEET_NAME_BYTES_MAX + 1];
    uint64_t age_ms;
};

/* A stream that is being read. */
struct walk {
    struct who *who;
    enum stream stream;
    struct seen_attempt seen[TOLD_MAX];
    uint32_t count, asked, steps;
    uint64_t number;  /* of the `who` that this is for: answers to an older one are none */
    uint64_t next;    /* jobs: the window begins there; claims: it ends before it */
    uint64_t reached; /* jobs: the first that is there from next on; 0: none */
    bool old, over;   /* old: a claim that is renewed no more was met */
};

struct who {
    struct driver *driver;
    struct seen_worker workers[WORKERS_KEPT];
    struct text_map by_worker;
    struct arena worker_names;
    uint32_t worker_count;

    bool asking, listing, listed;
    uint64_t number, asked_ms, trip_ms, list_ms;
    char *consumers; /* the last list of them, as JSON */
    struct walk jobs, claims;
};

/* ---- workers ---- */

static void worker_keep(struct who *who, struct str name, struct str line)
{
    uint32_t place = text_map_find(&who->by_worker, name);

    if (place == MAP_NONE) {
        if (who->worker_count == WORKERS_KEPT) return;
        place = who->worker_count++;
        *text_map_put(&who->by_worker, name, &who->worker_names) = place;
    }
    free(who->workers[place].line);
    who->workers[place].line = mem_copy(line.data, line.size);
    who->workers[place].seen_ms = uptime_ms();
    loop_hurry(who->driver->loop);
}

static void on_worker(void *owner, const struct bus_message *message)
{
    struct who *who = owner;
    struct str user = str_skip(str_of(message->subject), strlen("hone.worker."));
    struct arena arena = { 0 };
    struct fleet_line line;
    struct err none;

    if (fleet_name_is(user) && message->data.size <= STATE_BYTES_MAX &&
        fleet_line_read(message->data, FLEET_TO_DRIVER, &arena, &line, &none) == 0 &&
        line.kind == FLEET_WORKERS && line.worker_count == 1) { /* 3 */
        worker_keep(who, str_of(arena_printf(&arena, "%.*s.%.*s", STR_ARG(user),
                                             STR_ARG(line.workers[0].id))), message->data);
        workers_hear(who->driver, &line.workers[0]);
    }
    arena_release(&arena);
}

/* ---- streams ---- */

static void walk_step(struct walk *walk);

static uint64_t age_of(struct str time)
{
    uint64_t at_ms, now_ms = now_wall_ms();

    return clock_iso_read(time, &at_ms) && at_ms < now_ms ? now_ms - at_ms : 0;
}

static struct seen_attempt *walk_add(struct walk *walk, struct str key, uint64_t age_ms)
{
    struct seen_attempt *seen = &walk->seen[walk->count];

    if (!fleet_key_is(key) || walk->count == TOLD_MAX) return NULL;
    for (uint32_t i = 0; i < walk->count; i++) {
        if (str_is(key, walk->seen[i].key)) return NULL;
    }
    *seen = (struct seen_attempt){ .age_ms = age_ms };
    snprintf(seen->key, sizeof seen->key, "%.*s", STR_ARG(key));
    walk->count++;
    return seen;
}

static void job_read(struct walk *walk, const struct answer *answer)
{
    yyjson_val *from = yyjson_obj_get(answer->root, "message");
    struct str key = str_skip(json_str(from, "subject"), strlen("hone.job.")), pool;
    struct seen_attempt *seen;

    if (!str_cut(&key, '.', &pool) || !fleet_name_is(pool)) return;
    seen = walk_add(walk, key, age_of(json_str(from, "time")));
    if (!seen) return;
    snprintf(seen->pool, sizeof seen->pool, "%.*s", STR_ARG(pool));
    (void)fleet_line_role(answer->message->data, seen->role);
}

static void claim_read(struct walk *walk, const struct answer *answer)
{
    yyjson_val *from = yyjson_obj_get(answer->root, "message");
    struct str key = str_skip(json_str(from, "subject"),
                              strlen(stream_prefix(STREAM_CLAIMS))), worker;
    uint64_t age_ms = age_of(json_str(from, "time"));
    struct seen_attempt *seen;
    yyjson_doc *doc;

    if (age_ms > carry_lost_ms(walk->who->driver->lease_ms)) {
        walk->old = true;
        return;
    }
    if (claim_is_dead(answer)) return;
    doc = yyjson_read(answer->message->data.data, answer->message->data.size, 0);
    worker = json_str(yyjson_doc_get_root(doc), "worker");
    seen = fleet_name_is(worker) ? walk_add(walk, key, age_ms) : NULL;
    if (seen) snprintf(seen->worker, sizeof seen->worker, "%.*s", STR_ARG(worker));
    yyjson_doc_free(doc);
}

static void on_read(void *owner, const char *key, uint64_t number, const struct answer *answer)
{
    struct walk *walk = owner;

    if (number != walk->number) return;
    walk->asked--;
    if (answer->kind == ANSWER_YES) {
        if (walk->stream == STREAM_CLAIMS) claim_read(walk, answer);
        else job_read(walk, answer);
        if (key[0] != '\0') walk->reached = answer->seq;
    }
    if (walk->asked == 0) walk_step(walk);
}

/* key: of the question whose answer says where the stream goes on; "" of others. */
static void read_one(struct walk *walk, const char *key, const char *text)
{
    struct question how = { .key = key, .tag = walk->number, .owner = walk, .on_answer = on_read };

    walk->asked++;
    message_read(walk->who->driver->bus, walk->stream, text, &how);
}

static void read_window(struct walk *walk, uint64_t from, uint64_t to)
{
    char text[64];

    for (uint64_t seq = from; seq < to; seq++) {
        snprintf(text, sizeof text, "{\"seq\":%" PRIu64 "}", seq);
        read_one(walk, "", text);
    }
}

/* From the oldest on: the first job from next on, and what is in the window that begins there. */
static void jobs_step(struct walk *walk)
{
    char text[128];

    if (walk->steps > 0 && walk->reached == 0) {
        walk->over = true;
        return;
    }
    if (walk->steps > 1) walk->next += WINDOW;
    if (walk->next < walk->reached) walk->next = walk->reached;
    walk->reached = 0;
    snprintf(text, sizeof text, "{\"seq\":%" PRIu64 ",\"next_by_subj\":\"hone.job.>\"}",
             walk->next);
    read_one(walk, "next", text);
    if (walk->steps > 0) read_window(walk, walk->next, walk->next + WINDOW);
}

/* From the newest on, which were renewed last: until one was not renewed for as long as a claim
 * may be. */
static void claims_step(struct walk *walk)
{
    if (walk->steps == 0) {
        read_one(walk, "last", "{\"last_by_subj\":\"$KV.HONE_CLAIMS.>\"}");
        return;
    }
    if (walk->steps == 1) walk->next = walk->reached;
    if (walk->old || walk->next <= 1) {
        walk->over = true;
        return;
    }
    read_window(walk, walk->next > 4 * WINDOW ? walk->next - 4 * WINDOW : 1, walk->next);
    walk->next = walk->next > 4 * WINDOW ? walk->next - 4 * WINDOW : 1;
}

static void walk_step(struct walk *walk)
{
    if (walk->steps == STEPS_MAX || walk->count == TOLD_MAX) walk->over = true;
    if (!walk->over && walk->stream == STREAM_JOBS) jobs_step(walk);
    else if (!walk->over) claims_step(walk);
    walk->steps++;
}

static void walk_begin(struct walk *walk, struct who *who, enum stream stream)
{
    *walk = (struct walk){ .who = who, .stream = stream, .number = who->number, .next = 1 };
    walk_step(walk);
}

/* ---- pools ---- */

static void on_consumers(void *owner, const char *key, uint64_t number,
                         const struct answer *answer)
{
    struct who *who = owner;

    (void)key;
    if (number != who->number || !who->asking) return;
    who->listing = false;
    if (!who->listed) who->trip_ms = uptime_ms() - who->asked_ms;
    if (who->trip_ms > TRIP_MS_MAX) who->trip_ms = TRIP_MS_MAX;
    who->listed = true;
    if (!answer->root) return;
    free(who->consumers);
    who->consumers = yyjson_val_write(answer->root, 0, NULL);
}

static void consumers_ask(struct who *who)
{
    who->listing = true;
    who->list_ms = uptime_ms();
    bus_ask(who->driver->bus, &(struct question){
        .subject = "$JS.API.CONSUMER.LIST.HONE_JOBS", .patience_ms = who->driver->lease_ms,
        .tag = who->number, .owner = who, .on_answer = on_consumers,
    });
}

/* ---- the answer ---- */

/* What is said, as far as it is known. */
struct told {
    struct arena arena;
    struct fleet_worker *workers;
    struct fleet_pool *pools;
    uint64_t *pulls; /* of a pool: requests that wait at the server, less those of its workers */
    struct fleet_shown *attempts, *skipped;
    uint32_t worker_count, pool_count, attempt_count, skipped_count;
    uint32_t mute; /* claims of workers that have not answered */
};

/* A worker's own word of one of its attempts. */
static void tell_own(struct told *told, const struct fleet_worker *worker,
                     const struct fleet_shown *attempt, uint64_t since_ms)
{
    struct fleet_shown own = *attempt;

    own.worker = worker->id;
    own.pool = worker->pool;
    own.age_ms += own.age_ms > 0 ? since_ms : 0;
    own.silent_ms += own.told == FLEET_TOLD_TAKEN ? since_ms : 0;
    if (own.told == FLEET_TOLD_SKIPPED && told->skipped_count < FLEET_ATTEMPTS_MAX) {
        told->skipped[told->skipped_count++] = own;
    }
    if ((own.told == FLEET_TOLD_OFFERED || own.told == FLEET_TOLD_TAKEN) &&
        told->attempt_count < TOLD_MAX) {
        told->attempts[told->attempt_count++] = own;
    }
}

static void tell_workers(const struct who *who, struct told *told)
{
    uint64_t now_ms = uptime_ms();

    for (uint32_t i = 0; i < who->worker_count; i++) {
        const struct seen_worker *seen = &who->workers[i];
        struct fleet_line line;
        struct err none;

        if (now_ms > seen->seen_ms + 3 * who->driver->lease_ms) continue;
        if (fleet_line_read(str_of(seen->line), FLEET_TO_DRIVER, &told->arena, &line, &none) != 0) {
            continue;
        }
        told->workers[told->worker_count++] = line.workers[0];
        for (uint32_t k = 0; k < line.attempt_count; k++) {
            tell_own(told, &line.workers[0], &line.attempts[k], now_ms - seen->seen_ms);
        }
    }
}

static uint32_t pool_place(struct told *told, struct str name)
{
    uint32_t at = 0;

    while (at < told->pool_count && !str_eq(told->pools[at].name, name)) at++;
    if (at == told->pool_count && at < POOLS_TOLD_MAX) {
        told->pools[told->pool_count++] = (struct fleet_pool){ .name = name };
    }
    return at;
}

/* A pool for each consumer; and those of workers for which no driver has come yet. */
static void tell_pools(const struct who *who, struct told *told)
{
    struct str text = str_of(who->consumers ? who->consumers : "{}");
    yyjson_doc *doc = yyjson_read(text.data, text.size, 0);
    yyjson_val *list = yyjson_obj_get(yyjson_doc_get_root(doc), "consumers"), *consumer;
    yyjson_arr_iter items = yyjson_arr_iter_with(list);

    while ((consumer = yyjson_arr_iter_next(&items))) {
        uint64_t pending = 0, unacked = 0, pulls = 0;
        uint32_t at = pool_place(told, arena_copy(&told->arena, json_str(consumer, "name")));

        if (at == POOLS_TOLD_MAX) break;
        (void)json_uint(consumer, "num_pending", &pending);
        (void)json_uint(consumer, "num_ack_pending", &unacked);
        (void)json_uint(consumer, "num_waiting", &pulls);
        told->pools[at].queued = (uint32_t)(pending + unacked);
        told->pulls[at] = pulls;
    }
    yyjson_doc_free(doc);
    for (uint32_t i = 0; i < told->worker_count; i++) {
        uint32_t at = pool_place(told, told->workers[i].pool), pulls = told->workers[i].pulls;

        if (at == POOLS_TOLD_MAX) continue;
        told->pools[at].workers++;
        told->pulls[at] -= pulls < told->pulls[at] ? pulls : told->pulls[at];
    }
    for (uint32_t i = 0; i < told->attempt_count; i++) { /* its job waits at the server, still */
        uint32_t at = pool_place(told, told->attempts[i].pool);

        if (told->attempts[i].told != FLEET_TOLD_OFFERED || at == POOLS_TOLD_MAX) continue;
        if (told->pools[at].queued > 0) told->pools[at].queued--;
    }
}

static bool is_told(const struct told *told, const char *key)
{
    for (uint32_t i = 0; i < told->attempt_count; i++) {
        if (str_is(told->attempts[i].k, key)) return true;
    }
    return false;
}

static const struct fleet_worker *worker_told(const struct told *told, const char *id)
{
    for (uint32_t i = 0; i < told->worker_count; i++) {
        if (str_is(told->workers[i].id, id)) return &told->workers[i];
    }
    return NULL;
}

/* Whether the worker has told what it has: one of an older release says only how busy it is. */
static bool has_told(const struct told *told, const struct fleet_worker *worker)
{
    if (worker->busy == 0) return true;
    for (uint32_t i = 0; i < told->attempt_count; i++) {
        if (str_eq(told->attempts[i].worker, worker->id)) return true;
    }
    return false;
}

/* Invariant 4. */
static void tell_claims(const struct who *who, struct told *told)
{
    uint32_t own = told->attempt_count;

    for (uint32_t i = 0; i < who->claims.count; i++) {
        const struct seen_attempt *seen = &who->claims.seen[i];
        const struct fleet_worker *worker = worker_told(told, seen->worker);
        struct fleet_shown attempt = {
            .told = FLEET_TOLD_TAKEN, .k = str_of(seen->key), .worker = str_of(seen->worker),
            .silent_ms = seen->age_ms,
        };

        if (!worker) told->mute++;
        if (is_told(told, seen->key) || told->attempt_count == own + TOLD_MAX) continue;
        if (worker && has_told(told, worker)) continue;
        if (worker) attempt.pool = worker->pool;
        else attempt.why = STR("its worker does not answer");
        told->attempts[told->attempt_count++] = attempt;
    }
}

/* The last one who skipped it, and why; empty: none is known. */
static struct str skip_of(struct told *told, const char *key)
{
    const struct fleet_shown *last = NULL;

    for (uint32_t i = 0; i < told->skipped_count; i++) {
        const struct fleet_shown *skipped = &told->skipped[i];

        if (str_is(skipped->k, key) && (!last || skipped->age_ms < last->age_ms)) last = skipped;
    }
    if (!last) return (struct str){ 0 };
    return str_of(arena_printf(&told->arena, "%.*s skipped it: %.*s", STR_ARG(last->worker),
                               STR_ARG(last->why)));
}

static void tell_jobs(const struct who *who, struct told *told)
{
    for (uint32_t i = 0; i < who->jobs.count; i++) {
        const struct seen_attempt *seen = &who->jobs.seen[i];

        if (is_told(told, seen->key)) continue;
        told->attempts[told->attempt_count++] = (struct fleet_shown){
            .told = FLEET_TOLD_QUEUED, .k = str_of(seen->key), .pool = str_of(seen->pool),
            .role = str_of(seen->role), .age_ms = seen->age_ms, .why = skip_of(told, seen->key),
        };
    }
}

static void told_make(const struct who *who, struct told *told)
{
    *told = (struct told){ .worker_count = 0 };
    told->workers = arena_alloc(&told->arena, WORKERS_KEPT * sizeof *told->workers);
    told->pools = arena_alloc(&told->arena, POOLS_TOLD_MAX * sizeof *told->pools);
    told->pulls = arena_alloc(&told->arena, POOLS_TOLD_MAX * sizeof *told->pulls);
    told->attempts = arena_alloc(&told->arena, 3 * TOLD_MAX * sizeof *told->attempts);
    told->skipped = arena_alloc(&told->arena, FLEET_ATTEMPTS_MAX * sizeof *told->skipped);
    tell_workers(who, told);
    tell_pools(who, told);
    tell_claims(who, told);
    tell_jobs(who, told);
}

/* Invariant 2. */
static bool is_complete(const struct who *who, const struct told *told)
{
    if (!who->listed || !who->jobs.over || !who->claims.over) return false;
    if (told->worker_count == 0 || told->mute > 0) return false;
    for (uint32_t i = 0; i < told->pool_count; i++) {
        if (told->pulls[i] > 0) return false;
    }
    return true;
}

/* What is too long for a line is told without what is at work and waits. */
static void told_say(struct who *who, const struct told *told)
{
    struct fleet_line line = {
        .kind = FLEET_WORKERS, .workers = told->workers, .worker_count = told->worker_count,
        .pools = told->pools, .pool_count = told->pool_count,
        .attempts = told->attempts, .attempt_count = told->attempt_count,
    };
    struct buf text;

    buf_init(&text, FLEET_LINE_BYTES_MAX + 1);
    if (fleet_line_write(&line, &text) != 0) line.attempt_count = 0;
    buf_release(&text);
    loop_say(who->driver->loop, &line);
    who->asking = false;
}

void who_tick(struct who *who, uint64_t now_ms)
{
    uint64_t passed_ms = now_ms - who->asked_ms;
    uint64_t least_ms = 2 * who->trip_ms > WHO_MS ? 2 * who->trip_ms : WHO_MS;
    bool late = passed_ms >= WHO_MS_MAX + 2 * who->trip_ms;
    struct told told;

    if (!who->asking) return;
    loop_hurry(who->driver->loop);
    if (passed_ms < least_ms) return;
    told_make(who, &told);
    if (late || is_complete(who, &told)) told_say(who, &told);
    else if (!who->listing && now_ms >= who->list_ms + LIST_MS) consumers_ask(who);
    arena_release(&told.arena);
}

/* One that is asked while an answer is under way gets that one. */
void who_ask(struct who *who)
{
    if (who->asking) return;
    who->asking = true;
    who->listed = false;
    who->number++;
    who->asked_ms = uptime_ms();
    who->trip_ms = 0;
    bus_say(who->driver->bus, "hone.who", NULL, (struct str){ 0 }, NULL, 0);
    consumers_ask(who);
    walk_begin(&who->jobs, who, STREAM_JOBS);
    walk_begin(&who->claims, who, STREAM_CLAIMS);
    loop_hurry(who->driver->loop);
}

/* ---- its life ---- */

int who_open(struct who **out, struct driver *driver, struct err *err)
{
    struct who *who = mem_alloc(sizeof *who);

    who->driver = driver;
    *out = who;
    return bus_listen(driver->bus, "hone.worker.*", on_worker, who, err);
}

void who_free(struct who *who)
{
    if (!who) return;
    for (uint32_t i = 0; i < who->worker_count; i++) free(who->workers[i].line);
    text_map_release(&who->by_worker);
    arena_release(&who->worker_names);
    free(who->consumers);
    free(who);
}
