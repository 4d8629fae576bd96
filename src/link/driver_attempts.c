/* SPDX-License-Identifier: Apache-2.0
 *
 * driver_attempts.c - attempts of the driver's end, by what the driver says of them.
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
 * 1. A job is stored when all pieces are that were said before it; one whose blob the server has
 *    refused is refused.
 * 2. A job that is stored again has another message id: the server forgets ids after two minutes,
 *    but not before.
 * 3. A claim that is given up is replaced by a tombstone, never removed: no worker can claim the
 *    attempt afterwards, and its old one is fenced by its next beat.
 * 4. A result is told as the stream has it, not as a worker said it: the first that was stored.
 * 5. A job is stored when it is known what its pool's consumer has handed out. One that is stored
 *    at or below that would never be handed out: the server has lost jobs, and not that they were
 *    handed out. Then the consumer is made anew.
 * 6. An agent begins when this end has said `go` to its claim. It says so to the claim that it has
 *    found an attempt taken by, and to no other: a job that the server brings back after the
 *    attempt was claimed, or has ended, is not begun again.
 *
 * Not here: how it is seen that something changed (driver_watch.c). */
#include "link/driver.h"

#include "base/mem.h"
#include "format/json/json.h"
#include "io/file/uptime.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ATTEMPTS_MAX = 1000000, BLOBS_REFUSED_MAX = 1024 };
#define JOB_BYTES_MAX (UINT64_C(512) << 20)

struct carried *carried_find(struct driver *driver, struct str key)
{
    uint32_t *place = text_map_put(&driver->by_key, key, &driver->keys);

    return *place == MAP_NONE ? NULL : &driver->attempts[*place];
}

static struct carried *carried_new(struct driver *driver, struct str key)
{
    struct carried *attempt = carried_find(driver, key);

    if (!attempt) {
        driver->attempts = mem_grow(driver->attempts, driver->carried_count,
                                    &driver->carried_cap, sizeof *driver->attempts);
        *text_map_put(&driver->by_key, key, &driver->keys) = driver->carried_count;
        attempt = &driver->attempts[driver->carried_count++];
        driver->live++;
    } else {
        if (attempt->state == CARRIED_OVER) driver->live++;
        driver->job_bytes -= attempt->job.size;
        free((void *)(uintptr_t)attempt->job.data);
    }
    *attempt = (struct carried){ .looked_ms = uptime_ms() };
    snprintf(attempt->key, sizeof attempt->key, "%.*s", STR_ARG(key));
    return attempt;
}

static void drop_job(struct driver *driver, struct carried *attempt)
{
    driver->job_bytes -= attempt->job.size;
    free((void *)(uintptr_t)attempt->job.data);
    attempt->job = (struct str){ 0 };
}

void carried_over(struct driver *driver, struct carried *attempt)
{
    if (attempt->state == CARRIED_OVER) return;
    attempt->state = CARRIED_OVER;
    attempt->result_due_ms = 0;
    driver->live--;
    drop_job(driver, attempt);
}

void carried_say(struct driver *driver, enum fleet_kind kind, struct carried *attempt,
                 const char *why)
{
    loop_say(driver->loop, &(struct fleet_line){
        .kind = kind, .k = str_of(attempt->key), .why = str_of(why),
    });
}

static void subject_of(const char *prefix, const char *key, char out[SUBJECT_BYTES_MAX])
{
    snprintf(out, SUBJECT_BYTES_MAX, "%s%s", prefix, key);
}

/* ---- a job ---- */

static struct pool_row *pool_find(struct driver *driver, const char *name)
{
    for (uint32_t i = 0; i < driver->pool_count; i++) {
        if (strcmp(driver->pools[i].name, name) == 0) return &driver->pools[i];
    }
    return NULL;
}

static void on_pool(void *owner, const char *key, uint64_t tag, const struct answer *answer);

static void on_pool_gone(void *owner, const char *key, uint64_t tag, const struct answer *answer)
{
    struct driver *driver = owner;

    (void)tag;
    if (answer->kind == ANSWER_NO) loop_tell("the pool %s: %s", key, answer->why);
    pool_make(driver->bus, key, driver->lease_ms, driver, on_pool);
}

/* Invariant 5. What it had handed out is handed out again: claims see to that. */
static void pool_renew(struct driver *driver, struct pool_row *pool)
{
    char subject[SUBJECT_BYTES_MAX];

    if (pool->renewing) return;
    pool->renewing = true;
    pool->known = false;
    snprintf(subject, sizeof subject, "$JS.API.CONSUMER.DELETE.HONE_JOBS.%s", pool->name);
    bus_ask(driver->bus, &(struct question){
        .subject = subject, .key = pool->name, .owner = driver, .on_answer = on_pool_gone,
    });
}

static void on_pool(void *owner, const char *key, uint64_t tag, const struct answer *answer)
{
    struct driver *driver = owner;
    struct pool_row *pool = pool_find(driver, key);
    bool behind = false;

    (void)tag;
    if (answer->kind == ANSWER_YES) {
        (void)json_uint(yyjson_obj_get(answer->root, "delivered"), "stream_seq",
                        &pool->handed_seq);
    } else {
        loop_tell("the pool %s: %s", key, answer->why ? answer->why : "no answer");
    }
    pool->known = true;
    pool->renewing = false;
    for (uint32_t i = 0; i < driver->carried_count; i++) {
        struct carried *attempt = &driver->attempts[i];

        if (!attempt->unchecked || strcmp(attempt->pool, key) != 0) continue;
        attempt->unchecked = false;
        if (attempt->state == CARRIED_QUEUED && attempt->job_seq <= pool->handed_seq) {
            behind = true;
        }
    }
    if (behind) pool_renew(driver, pool);
    else carried_release_held(driver);
}

void pools_ask(struct driver *driver)
{
    for (uint32_t i = 0; i < driver->pool_count; i++) {
        struct pool_row *pool = &driver->pools[i];

        pool->floor_seq = 0;
        pool->known = false;
        pool_make(driver->bus, pool->name, driver->lease_ms, driver, on_pool);
    }
}

static void pool_know(struct driver *driver, const char *name)
{
    if (pool_find(driver, name)) return;
    driver->pools = mem_grow(driver->pools, driver->pool_count, &driver->pool_cap,
                             sizeof *driver->pools);
    driver->pools[driver->pool_count] = (struct pool_row){ 0 };
    snprintf(driver->pools[driver->pool_count++].name, sizeof driver->pools->name, "%s", name);
    pool_make(driver->bus, name, driver->lease_ms, driver, on_pool);
}

/* It is in the stream: will it be handed out? */
static void pool_check(struct driver *driver, struct carried *attempt)
{
    struct pool_row *pool = pool_find(driver, attempt->pool);

    attempt->unchecked = !pool->known;
    if (pool->known && attempt->job_seq <= pool->handed_seq) pool_renew(driver, pool);
}

static void on_stored(void *owner, const char *key, uint64_t times, const struct answer *answer)
{
    struct driver *driver = owner;
    struct carried *attempt = carried_find(driver, str_of(key));

    if (!attempt || attempt->times != times) return;
    if (attempt->state != CARRIED_SENDING) {
        if (answer->kind == ANSWER_YES) attempt->job_seq = answer->seq;
        return;
    }
    if (answer->kind == ANSWER_YES) {
        attempt->job_seq = answer->seq;
        attempt->state = CARRIED_QUEUED;
        pool_check(driver, attempt);
        if (attempt->looked_ms > 0) attempt->looked_ms = uptime_ms();
        if (times == 1) carried_say(driver, FLEET_QUEUED, attempt, NULL);
        return;
    }
    carried_say(driver, FLEET_REFUSED, attempt, answer->why);
    carried_over(driver, attempt);
}

void carried_send(struct driver *driver, struct carried *attempt)
{
    char subject[SUBJECT_BYTES_MAX], id[FLEET_KEY_BYTES + 64], lease[24];
    struct bus_header headers[] = { { "Nats-Msg-Id", id }, { "Hone-Lease", lease } };

    if (!pool_find(driver, attempt->pool)->known) {
        attempt->state = CARRIED_HELD;
        return;
    }
    attempt->state = CARRIED_SENDING;
    attempt->times++;
    attempt->looked_ms = uptime_ms();
    snprintf(subject, sizeof subject, "hone.job.%s.%s", attempt->pool, attempt->key);
    snprintf(id, sizeof id, "%s@%" PRIu64 ".%u", attempt->key, driver->epoch, attempt->times);
    snprintf(lease, sizeof lease, "%" PRIu64, driver->lease_ms);
    bus_ask(driver->bus, &(struct question){
        .subject = subject, .data = attempt->job, .headers = headers, .header_count = 2,
        .patience_ms = BUS_FOR_EVER, .key = attempt->key, .tag = attempt->times, .owner = driver,
        .on_answer = on_stored,
    });
}

/* Whether the job names a blob that the server has not taken. */
static bool lacks_blob(const struct driver *driver, const struct carried *attempt)
{
    for (uint32_t i = 0; i < driver->refused_count; i++) {
        if (memmem(attempt->job.data, attempt->job.size, driver->blobs_refused[i],
                   strlen(driver->blobs_refused[i]))) return true;
    }
    return false;
}

/* Its blobs are stored, or one of them never will be. */
static void carried_release(struct driver *driver, struct carried *attempt)
{
    if (!lacks_blob(driver, attempt)) {
        carried_send(driver, attempt);
        return;
    }
    carried_say(driver, FLEET_REFUSED, attempt, "the server has no room for what it needs");
    carried_over(driver, attempt);
}

void carried_release_held(struct driver *driver)
{
    for (uint32_t i = 0; i < driver->carried_count; i++) {
        struct carried *attempt = &driver->attempts[i];

        if (attempt->state == CARRIED_HELD && attempt->pieces <= driver->pieces_stored) {
            carried_release(driver, attempt);
        }
    }
}

void carried_job(struct driver *driver, const struct fleet_line *line)
{
    struct carried *attempt = carried_find(driver, line->k);
    const char *why = NULL;

    if (attempt && attempt->state != CARRIED_OVER) return; /* said twice */
    attempt = carried_new(driver, line->k);
    snprintf(attempt->pool, sizeof attempt->pool, "%.*s", STR_ARG(line->pool));
    if (line->job.size + 1024 > bus_payload_max(driver->bus)) {
        why = "it is larger than a message of the server may be (max_payload)";
    } else if (driver->job_bytes + line->job.size > JOB_BYTES_MAX ||
               driver->carried_count > ATTEMPTS_MAX) {
        why = "too many attempts wait already";
    }
    if (why) {
        carried_say(driver, FLEET_REFUSED, attempt, why);
        carried_over(driver, attempt);
        return;
    }
    attempt->job.data = mem_copy(line->job.data, line->job.size);
    attempt->job.size = line->job.size;
    driver->job_bytes += line->job.size;
    pool_know(driver, attempt->pool);
    attempt->state = CARRIED_HELD;
    attempt->pieces = driver->pieces_put;
    if (attempt->pieces <= driver->pieces_stored) carried_release(driver, attempt);
}

/* ---- stop, forget ---- */

void carried_entomb(struct driver *driver, const char *key, const char *why)
{
    char subject[SUBJECT_BYTES_MAX];
    struct bus_header header = { "KV-Operation", "DEL" };

    subject_of(stream_prefix(STREAM_CLAIMS), key, subject);
    bus_ask(driver->bus, &(struct question){
        .subject = subject, .data = str_of(why), .headers = &header, .header_count = 1,
        .patience_ms = BUS_FOR_EVER,
    });
}

static void tell_workers(struct driver *driver, const char *key, const char *word,
                         struct str token)
{
    char subject[SUBJECT_BYTES_MAX];
    struct bus_header header = { "Hone-Stop", word };

    subject_of("hone.cancel.", key, subject);
    bus_say(driver->bus, subject, NULL, token, &header, 1);
}

void carried_answer(struct driver *driver, const struct carried *attempt, const char *key,
                    struct str token)
{
    bool may = attempt && attempt->state == CARRIED_TAKEN && str_is(token, attempt->token);

    if (token.size == 0 || driver->fenced || !fleet_key_is(str_of(key))) return;
    tell_workers(driver, key, fleet_kind_word(may ? FLEET_GO : FLEET_GONE), token);
}

void carried_stop(struct driver *driver, struct str key)
{
    struct carried *attempt = carried_find(driver, key);
    char filter[SUBJECT_BYTES_MAX];

    if (!attempt) attempt = carried_new(driver, key);
    carried_over(driver, attempt);
    tell_workers(driver, attempt->key, fleet_stop_word(FLEET_CANCEL), (struct str){ 0 });
    carried_entomb(driver, attempt->key, fleet_stop_word(FLEET_CANCEL));
    subject_of("hone.job.*.", attempt->key, filter);
    subject_purge(driver->bus, STREAM_JOBS, filter, NULL, NULL);
}

void carried_forget(struct driver *driver, struct str key)
{
    struct carried *attempt = carried_find(driver, key);
    char filter[SUBJECT_BYTES_MAX];

    if (!attempt) attempt = carried_new(driver, key);
    tell_workers(driver, attempt->key, fleet_kind_word(FLEET_FORGET), (struct str){ 0 });
    if (attempt->result_seq > 0) {
        message_remove(driver->bus, STREAM_RESULTS, attempt->result_seq);
    } else {
        subject_of(stream_prefix(STREAM_RESULTS), attempt->key, filter);
        subject_purge(driver->bus, STREAM_RESULTS, filter, NULL, NULL);
    }
    if (attempt->has_blobs || attempt->result_seq == 0) {
        snprintf(filter, sizeof filter, "hone.back.%s.>", attempt->key);
        subject_purge(driver->bus, STREAM_BLOBS, filter, NULL, NULL);
    }
    carried_over(driver, attempt);
}

/* ---- what the server says of one ---- */

bool claim_is_dead(const struct answer *answer)
{
    const char *operation = bus_header(answer->message, "KV-Operation");

    return operation && strcmp(operation, "PUT") != 0;
}

void carried_taken(struct driver *driver, struct carried *attempt, const struct answer *answer)
{
    yyjson_doc *doc = yyjson_read(answer->message->data.data, answer->message->data.size, 0);
    const char *worker = yyjson_get_str(yyjson_obj_get(yyjson_doc_get_root(doc), "worker"));
    struct str token = json_str(yyjson_doc_get_root(doc), "token");

    attempt->claim_seq = answer->seq;
    attempt->heard_ms = uptime_ms();
    if (!attempt->token[0]) {
        snprintf(attempt->token, sizeof attempt->token, "%.*s", STR_ARG(token));
    }
    if (attempt->state != CARRIED_TAKEN) {
        attempt->state = CARRIED_TAKEN;
        attempt->looking = false; /* the answer to what was asked before will find it taken */
        loop_say(driver->loop, &(struct fleet_line){
            .kind = FLEET_TAKEN, .k = str_of(attempt->key), .worker = str_of(worker),
        });
    }
    carried_answer(driver, attempt, attempt->key, token);
    yyjson_doc_free(doc);
}

void carried_put_result(struct driver *driver, struct carried *attempt,
                        const struct answer *answer)
{
    struct str result = answer->message->data;

    attempt->result_seq = answer->seq;
    attempt->result_due_ms = 0;
    attempt->has_blobs = memmem(result.data, result.size, "sha256-", 7) != NULL;
    if (attempt->state == CARRIED_OVER) return;
    attempt->state = CARRIED_ENDED;
    drop_job(driver, attempt);
    loop_say(driver->loop, &(struct fleet_line){
        .kind = FLEET_ENDED, .k = str_of(attempt->key), .result = result,
    });
}

/* ---- ask: result, then claim, then job, then the claim once more ---- */

enum ask_step { ASK_RESULT, ASK_CLAIM, ASK_JOB, ASK_CLAIM_AGAIN };

static void ask_next(struct driver *driver, struct carried *attempt, enum ask_step step);

static void known(struct driver *driver, struct carried *attempt, enum fleet_state state)
{
    loop_say(driver->loop, &(struct fleet_line){
        .kind = FLEET_KNOWN, .k = str_of(attempt->key), .state = state,
    });
}

/* The job as the stream has it: its pool, its place, and what it says. */
static void take_job(struct driver *driver, struct carried *attempt, const struct answer *answer)
{
    yyjson_val *message = yyjson_obj_get(answer->root, "message");
    const char *subject = yyjson_get_str(yyjson_obj_get(message, "subject"));
    size_t front = strlen("hone.job.");

    attempt->job_seq = yyjson_get_uint(yyjson_obj_get(message, "seq"));
    attempt->state = CARRIED_QUEUED;
    attempt->looked_ms = uptime_ms();
    if (subject && strlen(subject) > front) {
        const char *end = strchr(subject + front, '.');

        if (end) {
            snprintf(attempt->pool, sizeof attempt->pool, "%.*s", (int)(end - subject - front),
                     subject + front);
            pool_know(driver, attempt->pool);
        }
    }
}

static void on_asked(void *owner, const char *key, uint64_t tag, const struct answer *answer)
{
    struct driver *driver = owner;
    struct carried *attempt = carried_find(driver, str_of(key));
    enum ask_step step = (enum ask_step)tag;
    bool there = answer->kind == ANSWER_YES;

    if (!attempt || attempt->state != CARRIED_ASKED) return;
    if (there && step == ASK_RESULT) {
        known(driver, attempt, FLEET_HAS_ENDED);
        carried_put_result(driver, attempt, answer);
    } else if (there && step == ASK_JOB) {
        take_job(driver, attempt, answer);
        known(driver, attempt, FLEET_IS_QUEUED);
    } else if (there && step != ASK_JOB && !claim_is_dead(answer)) {
        attempt->state = CARRIED_TAKEN; /* `known` says it, and no `taken` */
        carried_taken(driver, attempt, answer);
        known(driver, attempt, FLEET_IS_TAKEN);
    } else if (step == ASK_CLAIM_AGAIN || there) {
        known(driver, attempt, FLEET_NOWHERE);
        carried_over(driver, attempt);
    } else {
        ask_next(driver, attempt, step + 1);
    }
}

static void ask_next(struct driver *driver, struct carried *attempt, enum ask_step step)
{
    struct question how = { .patience_ms = BUS_FOR_EVER, .key = attempt->key, .tag = step,
                            .owner = driver, .on_answer = on_asked };
    char subject[SUBJECT_BYTES_MAX];

    if (step == ASK_JOB) {
        char text[SUBJECT_BYTES_MAX];

        snprintf(text, sizeof text, "{\"last_by_subj\":\"hone.job.*.%s\"}", attempt->key);
        how.subject = "$JS.API.STREAM.MSG.GET.HONE_JOBS";
        how.data = str_of(text);
        bus_ask(driver->bus, &how);
        return;
    }
    subject_of(stream_prefix(step == ASK_RESULT ? STREAM_RESULTS : STREAM_CLAIMS), attempt->key,
               subject);
    subject_read(driver->bus, step == ASK_RESULT ? STREAM_RESULTS : STREAM_CLAIMS, subject, &how);
}

void carried_ask(struct driver *driver, struct str key)
{
    struct carried *attempt = carried_find(driver, key);

    if (attempt && attempt->state >= CARRIED_HELD && attempt->state <= CARRIED_TAKEN) {
        known(driver, attempt, attempt->state == CARRIED_TAKEN ? FLEET_IS_TAKEN : FLEET_IS_QUEUED);
        return;
    }
    attempt = carried_new(driver, key);
    attempt->state = CARRIED_ASKED;
    ask_next(driver, attempt, ASK_RESULT);
}
