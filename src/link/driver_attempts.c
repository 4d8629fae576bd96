/* SPDX-License-Identifier: Apache-2.0
 *
 * driver_attempts.c - attempts of the driver's end: carry/carried.c decides what is done, and this
 * performs it.
 *
 *     a line, a hint, an answer, the clock --> event --carried_step()--> acts, in order
 *          ^                                                              |
 *          '------ answer ------ the server <--- question ----------------'---> line
 *
 * 1. Each event goes through attempt_step(), which performs all acts of it before the next event.
 * 2. An act says or keeps what its event came with: a result as the server answered it, a worker's
 *    name as its claim has it, a job as the driver's line has it. The step knows none of these.
 * 3. A question bears what it was asked for, and how often the job had been stored: its answer is
 *    judged by that (carried.c, 6).
 * 4. A job is stored when all pieces are that were said before it; one whose blob the server has
 *    refused is refused.
 * 5. What is kept grows with the attempts that are not over, and no further: an attempt is gone
 *    when it is over and all acts of that are performed. A late hint of one of the newest OVER_KEPT
 *    gets the answer of one that is over (carried.c, 10). Of an older one, or of one that the
 *    driver never named, an agent is not let begin, and nothing else is done: what it leaves goes
 *    when the run ends. Nothing is kept of a key that a worker alone has said.
 *
 * Not here: how it is seen that something changed, and pools (driver_watch.c), who skipped what
 * (driver_workers.c). */
#include "link/driver.h"

#include "base/hash.h"
#include "base/mem.h"
#include "carry/carry.h"
#include "format/json/json.h"
#include "io/file/uptime.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ATTEMPTS_MAX = 1000000, WHY_BYTES = 480, ASK_BITS = 8,
    LINE_REST_BYTES = 1024, /* of a line, beside the job or result that it says */
};
#define JOB_BYTES_MAX (UINT64_C(512) << 20)

/* What an event came with. */
struct heard {
    struct str text; /* the job, as the driver said it; a claim or a result, as the server has it */
    struct str pool; /* of the job */
    struct str why;  /* as the server refused it */
    struct str worker, token; /* of a claim */
};

/* A token as a number, never 0. */
static uint64_t token_number(struct str token)
{
    return token.size > 0 ? hash_text(HASH_START, token) | 1 : 0;
}

/* The text is a claim, as its worker wrote it. What is free()d afterwards holds what was read. */
static yyjson_doc *claim_parse(struct heard *heard, struct carried_event *event)
{
    yyjson_doc *doc = heard->text.size > 0 ? yyjson_read(heard->text.data, heard->text.size, 0)
                                           : NULL;
    yyjson_val *root = yyjson_doc_get_root(doc);

    heard->worker = json_str(root, "worker");
    if (!fleet_name_is(heard->worker)) heard->worker = STR("unknown");
    heard->token = json_str(root, "token");
    event->token = token_number(heard->token);
    event->begun = yyjson_get_bool(yyjson_obj_get(root, "begun"));
    return doc;
}

struct carried *carried_find(struct driver *driver, struct str key)
{
    uint32_t place = text_map_find(&driver->by_key, key);

    return place == MAP_NONE ? NULL : driver->attempts[place];
}

/* The attempt, which may be one of which nothing is known yet. */
static struct carried *carried_of(struct driver *driver, struct str key)
{
    struct carried *attempt = carried_find(driver, key);

    if (attempt) return attempt;
    driver->attempts = mem_grow(driver->attempts, driver->carried_count, &driver->carried_cap,
                                sizeof(void *));
    attempt = mem_alloc(sizeof *attempt);
    attempt->place = driver->carried_count++;
    driver->attempts[attempt->place] = attempt;
    snprintf(attempt->key, sizeof attempt->key, "%.*s", STR_ARG(key));
    *text_map_put(&driver->by_key, str_of(attempt->key), NULL) = attempt->place;
    return attempt;
}

void carried_free(struct carried *attempt)
{
    free((void *)(uintptr_t)attempt->job.data);
    skipped_free(attempt->skipped);
    free(attempt);
}

/* JOB and ATTEMPT of a key: RUN is the same in all. */
static uint64_t over_mark(struct str key)
{
    struct fleet_key parts;

    return fleet_key_read(key, &parts) ? (uint64_t)parts.job << 32 | parts.attempt : UINT64_MAX;
}

static bool was_over(const struct driver *driver, struct str key)
{
    uint64_t mark = over_mark(key);

    for (uint64_t i = 0; i < OVER_KEPT && i < driver->over_count; i++) {
        if (driver->over[i] == mark) return true;
    }
    return false;
}

/* Invariant 5. */
static void carried_drop(struct driver *driver, struct carried *attempt)
{
    struct carried *last = driver->attempts[--driver->carried_count];

    driver->over[driver->over_count++ % OVER_KEPT] = over_mark(str_of(attempt->key));
    text_map_remove(&driver->by_key, str_of(attempt->key));
    if (last != attempt) {
        last->place = attempt->place;
        driver->attempts[last->place] = last;
        *text_map_put(&driver->by_key, str_of(last->key), NULL) = last->place;
    }
    carried_free(attempt);
}

/* ---- what the server is asked ---- */

static void on_answer(void *owner, const char *key, uint64_t tag, const struct answer *answer);

static void subject_of(const char *prefix, const char *key, char out[SUBJECT_BYTES_MAX])
{
    snprintf(out, SUBJECT_BYTES_MAX, "%s%s", prefix, key);
}

static const char *blob_in(struct str text)
{
    return text.size == 0 ? NULL : memmem(text.data, text.size, "sha256-", strlen("sha256-"));
}

/* A blob of the job's, which must be there for it to be stored again; false: it names none. */
static bool first_blob(struct str job, char id[FLEET_BLOB_ID_BYTES])
{
    const char *at = blob_in(job);

    if (!at || job.data + job.size - at < FLEET_BLOB_ID_BYTES) return false;
    snprintf(id, FLEET_BLOB_ID_BYTES, "%s", at);
    return fleet_blob_is(str_of(id), NULL);
}

static void store_job(struct driver *driver, const struct carried *attempt, struct question *how)
{
    char subject[SUBJECT_BYTES_MAX], id[FLEET_KEY_BYTES + 64], lease[24];
    struct bus_header headers[] = { { "Nats-Msg-Id", id }, { "Hone-Lease", lease } };

    snprintf(subject, sizeof subject, "hone.job.%s.%s", attempt->pool, attempt->key);
    snprintf(id, sizeof id, "%s@%" PRIu64 ".%" PRIu64 ".%u", attempt->key, driver->epoch,
             driver->greeted_ms, attempt->at.times);
    snprintf(lease, sizeof lease, "%" PRIu64, driver->lease_ms);
    how->subject = subject;
    how->data = attempt->job;
    how->headers = headers;
    how->header_count = 2;
    bus_ask(driver->bus, how);
}

static void read_job(struct driver *driver, const struct carried *attempt, struct question *how)
{
    bool anywhere = attempt->at.state == CARRIED_ASKED; /* its pool is not known */
    char subject[SUBJECT_BYTES_MAX];

    snprintf(subject, sizeof subject, "hone.job.%s.%s", anywhere ? "*" : attempt->pool,
             attempt->key);
    subject_read(driver->bus, STREAM_JOBS, subject, how);
}

static void read_blob(struct driver *driver, const struct carried *attempt, struct question *how)
{
    char subject[SUBJECT_BYTES_MAX], id[FLEET_BLOB_ID_BYTES] = "";

    (void)first_blob(attempt->job, id);
    snprintf(subject, sizeof subject, "hone.blob.%s.%s.0", driver->run, id);
    subject_read_raw(driver->bus, STREAM_BLOBS, subject, how);
}

static void read_newest(struct driver *driver, const struct carried *attempt, enum stream stream,
                        struct question *how)
{
    char subject[SUBJECT_BYTES_MAX];

    subject_of(stream_prefix(stream), attempt->key, subject);
    subject_read(driver->bus, stream, subject, how);
}

/* A tombstone as its claim; behind: only if that is the claim's newest revision. */
static void claim_entomb(struct driver *driver, const struct carried *attempt, const char *word,
                         const uint64_t *behind, struct question *how)
{
    char subject[SUBJECT_BYTES_MAX], seq[24] = "";
    struct bus_header headers[] = {
        { "KV-Operation", "DEL" }, { "Nats-Expected-Last-Subject-Sequence", seq },
    };

    if (behind) snprintf(seq, sizeof seq, "%" PRIu64, *behind);
    subject_of(stream_prefix(STREAM_CLAIMS), attempt->key, subject);
    how->subject = subject;
    how->data = str_of(word);
    how->headers = headers;
    how->header_count = behind ? 2 : 1;
    bus_ask(driver->bus, how);
}

static const char *tomb_word(enum carried_tomb tomb)
{
    switch (tomb) {
    case CARRIED_TOMB_CANCEL: return fleet_stop_word(FLEET_CANCEL);
    case CARRIED_TOMB_LOST: return fleet_kind_word(FLEET_LOST);
    case CARRIED_TOMB_REFUSED: return fleet_kind_word(FLEET_REFUSED);
    }
    return "";
}

static void attempt_ask(struct driver *driver, const struct carried *attempt, enum carried_ask ask)
{
    struct question how = {
        .patience_ms = BUS_FOR_EVER, .key = attempt->key, .owner = driver, .on_answer = on_answer,
        .tag = (uint64_t)attempt->at.times << ASK_BITS | ask,
    };

    if (ask == CARRIED_STORE) {
        store_job(driver, attempt, &how);
        return;
    }
    if (ask == CARRIED_LOST_TOMB) {
        claim_entomb(driver, attempt, tomb_word(CARRIED_TOMB_LOST), &attempt->at.claim_seq, &how);
        return;
    }
    switch (carried_thing(ask)) {
    case CARRIED_JOB_THERE: read_job(driver, attempt, &how); break;
    case CARRIED_CLAIM_THERE: read_newest(driver, attempt, STREAM_CLAIMS, &how); break;
    case CARRIED_RESULT_THERE: read_newest(driver, attempt, STREAM_RESULTS, &how); break;
    case CARRIED_BLOB_THERE: read_blob(driver, attempt, &how); break;
    }
}

/* ---- what the driver is told ---- */

static const char *const whys[CARRIED_WHY_COUNT] = {
    [CARRIED_NOT_SAID] = "",
    [CARRIED_TOO_LARGE] = "it is larger than a message of the server may be (max_payload)",
    [CARRIED_TOO_MANY] = "too many attempts wait already",
    [CARRIED_NO_ROOM] = "the server has no room for what it needs",
    [CARRIED_NOT_STORED] = "the server does not store it",
    [CARRIED_POISON] = "handed out too often, and no worker began it",
    [CARRIED_UNFIT] = "each worker of its pool skipped it",
    [CARRIED_HANDED_AWAY] = "the server hands it out no more",
    [CARRIED_CLAIM_GIVEN_UP] = "its claim was given up",
    [CARRIED_NOT_RENEWED] = "its worker has given its claim up, or has not renewed it",
    [CARRIED_NO_RESULT] = "what a worker stored as its result is none",
    [CARRIED_VANISHED] = "the server has lost it",
    [CARRIED_VANISHED_BLOBS] = "the server has lost it, and what it needs",
};

static void why_write(const struct carried *attempt, enum carried_why why, struct str server_why,
                      char out[WHY_BYTES])
{
    const char *said = attempt->skipped ? attempt->skipped->why : "";

    if (why == CARRIED_POISON) {
        snprintf(out, WHY_BYTES, "handed out %d times, and no worker began it%s%s",
                 (int)CARRY_HANDED_MAX, said[0] ? ": " : "", said);
    } else if (why == CARRIED_UNFIT) {
        snprintf(out, WHY_BYTES, "each worker of the pool %s skipped it: %s", attempt->pool, said);
    } else if (why == CARRIED_NOT_STORED && server_why.size > 0) {
        snprintf(out, WHY_BYTES, "%.*s", STR_ARG(server_why));
    } else {
        snprintf(out, WHY_BYTES, "%s", whys[why]);
    }
}

static void attempt_say(struct driver *driver, const struct carried *attempt,
                        const struct carried_act *act, const struct heard *heard)
{
    struct fleet_line line = { .kind = act->line, .k = str_of(attempt->key), .state = act->known };
    char why[WHY_BYTES];

    if (act->line == FLEET_TAKEN) line.worker = heard->worker;
    if (act->line == FLEET_ENDED) line.result = heard->text;
    if (act->why != CARRIED_NOT_SAID) {
        why_write(attempt, act->why, heard->why, why);
        line.why = str_of(why);
        line.missing = act->why == CARRIED_UNFIT && attempt->skipped && attempt->skipped->missing;
    }
    loop_say(driver->loop, &line);
}

/* ---- acts ---- */

static void tell_workers(struct driver *driver, const char *key, const char *word,
                         struct str token)
{
    char subject[SUBJECT_BYTES_MAX];
    struct bus_header header = { "Hone-Stop", word };

    subject_of("hone.cancel.", key, subject);
    bus_say(driver->bus, subject, NULL, token, &header, 1);
}

/* Whether the agent of this very claim may begin. */
static void tell_claimer(struct driver *driver, const char *key, bool may, struct str token)
{
    tell_workers(driver, key, fleet_kind_word(may ? FLEET_GO : FLEET_GONE), token);
}

static void purge_of(struct driver *driver, const struct carried *attempt, enum stream stream)
{
    static const struct { const char *prefix, *behind; } rows[STREAM_COUNT] = {
        [STREAM_JOBS] = { "hone.job.*.", "" },
        [STREAM_RESULTS] = { "hone.result.", "" },
        [STREAM_BLOBS] = { "hone.back.", ".>" },
    };
    char filter[SUBJECT_BYTES_MAX];

    snprintf(filter, sizeof filter, "%s%s%s", rows[stream].prefix, attempt->key,
             rows[stream].behind);
    subject_purge(driver->bus, stream, filter, NULL, NULL);
}

static void keep_job(struct driver *driver, struct carried *attempt, const struct heard *heard)
{
    attempt->job.data = mem_copy(heard->text.data, heard->text.size);
    attempt->job.size = heard->text.size;
    attempt->pieces = driver->pieces_put;
    driver->job_bytes += attempt->job.size;
    snprintf(attempt->pool, sizeof attempt->pool, "%.*s", STR_ARG(heard->pool));
}

static void drop_job(struct driver *driver, struct carried *attempt)
{
    driver->job_bytes -= attempt->job.size;
    free((void *)(uintptr_t)attempt->job.data);
    attempt->job = (struct str){ 0 };
}

static void attempt_perform(struct driver *driver, struct carried *attempt,
                            const struct carried_act *act, const struct heard *heard)
{
    struct question unanswered = { .patience_ms = BUS_FOR_EVER };

    switch (act->kind) {
    case CARRIED_ASKS: attempt_ask(driver, attempt, act->ask); break;
    case CARRIED_SAYS: attempt_say(driver, attempt, act, heard); break;
    case CARRIED_ANSWERS: tell_claimer(driver, attempt->key, act->may, heard->token); break;
    case CARRIED_CANCELS:
        tell_workers(driver, attempt->key, fleet_stop_word(FLEET_CANCEL), (struct str){ 0 });
        break;
    case CARRIED_FORGETS:
        tell_workers(driver, attempt->key, fleet_kind_word(FLEET_FORGET), (struct str){ 0 });
        break;
    case CARRIED_ENTOMBS:
        claim_entomb(driver, attempt, tomb_word(act->tomb), NULL, &unanswered);
        break;
    case CARRIED_PURGES_JOB: purge_of(driver, attempt, STREAM_JOBS); break;
    case CARRIED_REMOVES_JOB: message_remove(driver->bus, STREAM_JOBS, attempt->at.job_seq); break;
    case CARRIED_REMOVES_RESULT:
        message_remove(driver->bus, STREAM_RESULTS, attempt->at.result_seq);
        break;
    case CARRIED_PURGES_RESULT: purge_of(driver, attempt, STREAM_RESULTS); break;
    case CARRIED_PURGES_BLOBS: purge_of(driver, attempt, STREAM_BLOBS); break;
    case CARRIED_KEEPS_JOB: keep_job(driver, attempt, heard); break;
    case CARRIED_DROPS_JOB: drop_job(driver, attempt); break;
    case CARRIED_HURRIES: loop_hurry(driver->loop); break;
    case CARRIED_ACT_COUNT: break;
    }
}

/* ---- events ---- */

/* Whether the server was asked something. */
static bool attempt_play(struct driver *driver, struct carried *attempt,
                         struct carried_event event, const struct heard *heard)
{
    bool asked = false;
    struct carried_acts acts;

    event.now_ms = uptime_ms();
    event.lease_ms = driver->lease_ms;
    carried_step(&attempt->at, &event, &acts);
    for (uint32_t i = 0; i < acts.count; i++) {
        asked = asked || acts.list[i].kind == CARRIED_ASKS;
        attempt_perform(driver, attempt, &acts.list[i], heard);
    }
    return asked;
}

/* The same; one that is over is gone then. */
static bool attempt_step(struct driver *driver, struct carried *attempt,
                         struct carried_event event, const struct heard *heard)
{
    bool was_held = attempt->at.state == CARRIED_HELD, asked;
    uint64_t due_ms;

    asked = attempt_play(driver, attempt, event, heard);
    if (was_held) driver->held--;
    if (attempt->at.state == CARRIED_HELD) driver->held++;
    due_ms = carried_due_ms(&attempt->at, driver->lease_ms);
    if (due_ms < driver->due_ms) driver->due_ms = due_ms;
    if (attempt->at.state == CARRIED_OVER) carried_drop(driver, attempt);
    return asked;
}

/* A hint of an attempt that is over, and gone: invariant 5. */
static void over_step(struct driver *driver, struct str key, struct carried_event event,
                      const struct heard *heard)
{
    struct carried over = { .at.state = CARRIED_OVER };

    snprintf(over.key, sizeof over.key, "%.*s", STR_ARG(key));
    (void)attempt_play(driver, &over, event, heard);
}

bool carried_hear(struct driver *driver, struct carried *attempt, enum carried_event_kind kind)
{
    return attempt_step(driver, attempt, (struct carried_event){ .kind = kind },
                        &(struct heard){ 0 });
}

void carried_want(struct driver *driver, struct str key, enum carried_event_kind kind)
{
    (void)carried_hear(driver, carried_of(driver, key), kind);
}

void carried_ask(struct driver *driver, const struct fleet_line *line)
{
    (void)attempt_step(driver, carried_of(driver, line->k), (struct carried_event){
        .kind = CARRIED_ASK, .taken = line->taken,
    }, &(struct heard){ 0 });
}

/* Of an attempt that the driver has not asked for, though it had the time to, no agent begins. */
void carried_claim(struct driver *driver, struct str key, const struct bus_message *message)
{
    struct carried *attempt = carried_find(driver, key);
    struct carried_event event = { .kind = CARRIED_CLAIM_HINT };
    struct heard heard = { .text = message->data };
    yyjson_doc *claim = claim_parse(&heard, &event);

    if (attempt) {
        (void)attempt_step(driver, attempt, event, &heard);
    } else if (was_over(driver, key)) {
        over_step(driver, key, event, &heard);
    } else if (!event.begun && event.token != 0 && driver->ready && !driver->fenced &&
               uptime_ms() > driver->ready_ms + carry_beat_ms(driver->lease_ms)) {
        tell_claimer(driver, message->subject + strlen(stream_prefix(STREAM_CLAIMS)), false,
                     heard.token);
    }
    yyjson_doc_free(claim);
}

void carried_result(struct driver *driver, struct str key)
{
    struct carried *attempt = carried_find(driver, key);
    struct carried_event event = { .kind = CARRIED_RESULT_HINT };

    if (attempt) (void)attempt_step(driver, attempt, event, &(struct heard){ 0 });
    else if (was_over(driver, key)) over_step(driver, key, event, &(struct heard){ 0 });
}

void carried_handed_out(struct driver *driver, struct carried *attempt)
{
    (void)attempt_step(driver, attempt, (struct carried_event){
        .kind = CARRIED_HANDED_OUT, .fits = workers_fit(driver, attempt),
    }, &(struct heard){ 0 });
}

/* Whether the job names a blob that the server has not taken. */
static bool lacks_blob(const struct driver *driver, struct str job)
{
    for (uint32_t i = 0; i < driver->refused_count; i++) {
        if (memmem(job.data, job.size, driver->blobs_refused[i],
                   strlen(driver->blobs_refused[i]))) return true;
    }
    return false;
}

void carried_job(struct driver *driver, const struct fleet_line *line)
{
    struct carried *attempt = carried_of(driver, line->k);
    char id[FLEET_BLOB_ID_BYTES], pool[FLEET_NAME_BYTES_MAX + 1];
    struct carried_event event = {
        .kind = CARRIED_JOB, .names_blob = first_blob(line->job, id),
    };

    snprintf(pool, sizeof pool, "%.*s", STR_ARG(line->pool));
    pool_know(driver, pool);
    event.stored = driver->pieces_stored == driver->pieces_put && pool_is_known(driver, pool);
    if (line->job.size + LINE_REST_BYTES > bus_payload_max(driver->bus)) {
        event.why = CARRIED_TOO_LARGE;
    } else if (driver->job_bytes + line->job.size > JOB_BYTES_MAX ||
               driver->carried_count > ATTEMPTS_MAX) {
        event.why = CARRIED_TOO_MANY;
    } else if (event.stored && lacks_blob(driver, line->job)) {
        event.why = CARRIED_NO_ROOM;
    }
    (void)attempt_step(driver, attempt, event,
                       &(struct heard){ .text = line->job, .pool = line->pool });
}

void carried_release_held(struct driver *driver)
{
    /* In the order in which they came. The last takes the place of one that is over then. */
    for (uint32_t i = 0; i < driver->carried_count && driver->held > 0;) {
        struct carried *attempt = driver->attempts[i];
        uint32_t count = driver->carried_count;

        if (attempt->at.state == CARRIED_HELD && attempt->pieces <= driver->pieces_stored &&
            pool_is_known(driver, attempt->pool)) {
            (void)attempt_step(driver, attempt, (struct carried_event){
                .kind = CARRIED_BLOBS,
                .why = lacks_blob(driver, attempt->job) ? CARRIED_NO_ROOM : CARRIED_NOT_SAID,
            }, &(struct heard){ 0 });
        }
        if (driver->carried_count == count) i++;
    }
}

/* ---- answers ---- */

bool claim_is_dead(const struct answer *answer)
{
    const char *operation = bus_header(answer->message, "KV-Operation");

    return operation && strcmp(operation, "PUT") != 0;
}

/* The pool of a job, by where the stream has it. */
static void job_pool(struct driver *driver, struct carried *attempt, const struct answer *answer)
{
    struct str subject = json_str(yyjson_obj_get(answer->root, "message"), "subject"), pool;

    subject = str_skip(subject, strlen("hone.job."));
    if (str_cut(&subject, '.', &pool) && fleet_name_is(pool)) {
        snprintf(attempt->pool, sizeof attempt->pool, "%.*s", STR_ARG(pool));
        pool_know(driver, attempt->pool);
    }
}

/* Whether it can be said to the driver: any worker may store what it likes, and numbers may be
 * longer when they are written again. */
static bool result_is_one(struct str text)
{
    yyjson_doc *doc;
    struct err none;
    size_t size = 0;
    char *again;
    bool is_one;

    if (json_read(text, &doc, &none) != 0) return false;
    again = yyjson_write(doc, 0, &size);
    is_one = again && yyjson_is_obj(yyjson_doc_get_root(doc)) &&
             size <= FLEET_LINE_BYTES_MAX - LINE_REST_BYTES;
    free(again);
    yyjson_doc_free(doc);
    return is_one;
}

static enum carried_answer answer_kind(const struct answer *answer, enum carried_thing thing)
{
    switch (answer->kind) {
    case ANSWER_YES:
        if (thing == CARRIED_CLAIM_THERE && claim_is_dead(answer)) return CARRIED_DEAD;
        if (thing == CARRIED_RESULT_THERE && !result_is_one(answer->message->data)) {
            return CARRIED_BROKEN;
        }
        return CARRIED_YES;
    case ANSWER_NO: return CARRIED_NO;
    case ANSWER_NONE: return CARRIED_NONE;
    case ANSWER_AWAY:
    case ANSWER_COUNT: break;
    }
    return CARRIED_AWAY;
}

static void on_answer(void *owner, const char *key, uint64_t tag, const struct answer *answer)
{
    struct driver *driver = owner;
    struct carried *attempt = carried_find(driver, str_of(key));
    enum carried_ask ask = (enum carried_ask)(tag & ((1U << ASK_BITS) - 1));
    enum carried_thing thing = carried_thing(ask);
    yyjson_doc *claim = NULL;
    struct carried_event event = {
        .kind = CARRIED_ANSWERED, .ask = ask, .answer = answer_kind(answer, thing),
        .seq = answer->seq, .times = (uint32_t)(tag >> ASK_BITS),
    };
    struct heard heard = { .why = str_of(answer->why) };

    if (!attempt) return; /* carried.c, 10 */
    if (answer->kind == ANSWER_YES && thing == CARRIED_JOB_THERE && ask != CARRIED_STORE) {
        job_pool(driver, attempt, answer);
        event.floor_seq = pool_floor(driver, attempt->pool);
    }
    if (answer->kind == ANSWER_YES && ask == CARRIED_STORE && !answer->duplicate) {
        pool_stored(driver, attempt->pool, answer->seq);
    }
    if (answer->message) heard.text = answer->message->data;
    if (thing == CARRIED_RESULT_THERE) event.names_blob = blob_in(heard.text) != NULL;
    if (thing == CARRIED_CLAIM_THERE) claim = claim_parse(&heard, &event);
    (void)attempt_step(driver, attempt, event, &heard);
    yyjson_doc_free(claim);
}
