/* SPDX-License-Identifier: Apache-2.0
 *
 * driver_watch.c - how the driver's end sees that an attempt was taken, has ended, or is lost.
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
 * 1. Time is counted here by a clock of our own that is never set, and from anew when the server
 *    was away: clocks of two machines are never compared.
 * 2. A result that came before the tombstone wins; one that comes later is nothing.
 * 3. The server tells once when it gives a job up (MaxDeliver), to those who listen then. A job
 *    below the consumer's floor that was not claimed is stored again as a new one, whose handing
 *    out is counted anew.
 * 4. At most LOOKS_MAX attempts are looked at in a tick. */
#include "link/driver.h"

#include "carry/carry.h"
#include "format/json/json.h"
#include "io/file/uptime.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LOOKS_MAX = 64, RESULT_TRIES_MAX = 12 };

static void on_claim(void *owner, const char *key, uint64_t tag, const struct answer *answer);
static void on_result(void *owner, const char *key, uint64_t tag, const struct answer *answer);

static void read_subject(struct driver *driver, struct carried *attempt, enum stream stream,
                         uint64_t tag,
                         void (*on_answer)(void *owner, const char *key, uint64_t tag,
                                           const struct answer *answer))
{
    char subject[SUBJECT_BYTES_MAX];

    snprintf(subject, sizeof subject, "%s%s", stream_prefix(stream), attempt->key);
    subject_read(driver->bus, stream, subject, &(struct question){
        .patience_ms = BUS_FOR_EVER, .key = attempt->key, .tag = tag, .owner = driver,
        .on_answer = on_answer,
    });
}

/* The key behind the beginning of a subject; NULL: it is no attempt of ours. */
static struct carried *carried_at(struct driver *driver, const char *subject, const char *prefix)
{
    size_t front = strlen(prefix);

    if (strncmp(subject, prefix, front) != 0 || !fleet_key_is(str_of(subject + front))) return NULL;
    return carried_find(driver, str_of(subject + front));
}

/* ---- hints ---- */

void watch_claim(void *owner, const struct bus_message *message)
{
    struct driver *driver = owner;
    struct carried *attempt = carried_at(driver, message->subject, stream_prefix(STREAM_CLAIMS));
    yyjson_doc *doc;
    yyjson_val *root;

    if (bus_header(message, "KV-Operation")) return;
    if (attempt && (attempt->state == CARRIED_SENDING || attempt->state == CARRIED_QUEUED)) {
        read_subject(driver, attempt, STREAM_CLAIMS, 0, on_claim);
        return;
    }
    doc = yyjson_read(message->data.data, message->data.size, 0);
    root = yyjson_doc_get_root(doc);
    if (attempt && attempt->state == CARRIED_TAKEN &&
        str_is(json_str(root, "token"), attempt->token)) {
        attempt->heard_ms = uptime_ms();
        attempt->claim_seq = 0;
    }
    if (!yyjson_get_bool(yyjson_obj_get(root, "begun"))) {
        carried_answer(driver, attempt, message->subject + strlen(stream_prefix(STREAM_CLAIMS)),
                       json_str(root, "token"));
    }
    yyjson_doc_free(doc);
}

static void on_claim(void *owner, const char *key, uint64_t tag, const struct answer *answer)
{
    struct driver *driver = owner;
    struct carried *attempt = carried_find(driver, str_of(key));

    (void)tag;
    if (!attempt || (attempt->state != CARRIED_SENDING && attempt->state != CARRIED_QUEUED)) return;
    if (answer->kind == ANSWER_YES && !claim_is_dead(answer)) {
        carried_taken(driver, attempt, answer);
    } else {
        attempt->looked_ms = 0; /* seen, and not stored yet: the next tick looks again */
        loop_hurry(driver->loop);
    }
}

static bool awaits_result(const struct carried *attempt)
{
    return attempt->state == CARRIED_SENDING || attempt->state == CARRIED_QUEUED ||
           attempt->state == CARRIED_TAKEN;
}

void watch_result(void *owner, const struct bus_message *message)
{
    struct driver *driver = owner;
    struct carried *attempt = carried_at(driver, message->subject, stream_prefix(STREAM_RESULTS));

    if (!attempt) return;
    if (awaits_result(attempt)) {
        attempt->result_tries = 0;
        read_subject(driver, attempt, STREAM_RESULTS, 0, on_result);
    } else if (attempt->state == CARRIED_OVER) {
        attempt->result_seq = 0; /* another than the one that was removed */
        carried_forget(driver, str_of(attempt->key)); /* it came too late, or once more */
    }
}

/* A hint may be quicker than the stream: it is read again soon, and later by watch_tick(). */
static void on_result(void *owner, const char *key, uint64_t tag, const struct answer *answer)
{
    struct driver *driver = owner;
    struct carried *attempt = carried_find(driver, str_of(key));

    (void)tag;
    if (!attempt || !awaits_result(attempt)) return;
    if (answer->kind == ANSWER_YES) {
        carried_put_result(driver, attempt, answer);
    } else if (attempt->result_tries++ < RESULT_TRIES_MAX) {
        attempt->result_due_ms = uptime_ms() + (UINT64_C(1) << attempt->result_tries);
        loop_hurry(driver->loop);
    }
}

/* ---- lost ---- */

enum lost_step { LOST_RESULT, LOST_TOMB, LOST_RESULT_AGAIN };

static void on_lost(void *owner, const char *key, uint64_t tag, const struct answer *answer);

static void lost_tomb(struct driver *driver, struct carried *attempt)
{
    char subject[SUBJECT_BYTES_MAX], seq[24];
    struct bus_header headers[] = {
        { "KV-Operation", "DEL" }, { "Nats-Expected-Last-Subject-Sequence", seq },
    };

    snprintf(subject, sizeof subject, "%s%s", stream_prefix(STREAM_CLAIMS), attempt->key);
    snprintf(seq, sizeof seq, "%" PRIu64, attempt->claim_seq);
    bus_ask(driver->bus, &(struct question){
        .subject = subject, .data = STR("lost"), .headers = headers, .header_count = 2,
        .patience_ms = BUS_FOR_EVER, .key = attempt->key, .tag = LOST_TOMB, .owner = driver,
        .on_answer = on_lost,
    });
}

static void on_lost(void *owner, const char *key, uint64_t tag, const struct answer *answer)
{
    struct driver *driver = owner;
    struct carried *attempt = carried_find(driver, str_of(key));
    char filter[SUBJECT_BYTES_MAX];

    if (!attempt || !awaits_result(attempt)) return;
    if (tag == LOST_TOMB) {
        if (answer->kind == ANSWER_YES) {
            read_subject(driver, attempt, STREAM_RESULTS, LOST_RESULT_AGAIN, on_lost);
            return;
        }
        attempt->looking = false; /* renewed; or our own, asked twice: looked at again */
        attempt->claim_seq = 0;
        return;
    }
    if (answer->kind == ANSWER_YES) {
        attempt->looking = false;
        carried_put_result(driver, attempt, answer);
    } else if (tag == LOST_RESULT) {
        lost_tomb(driver, attempt);
    } else {
        snprintf(filter, sizeof filter, "hone.job.%s.%s", attempt->pool[0] ? attempt->pool : "*",
                 attempt->key);
        subject_purge(driver->bus, STREAM_JOBS, filter, NULL, NULL);
        carried_say(driver, FLEET_LOST, attempt,
                    "its worker has given its claim up, or has not renewed it");
        carried_over(driver, attempt);
    }
}

/* The claim of one that is taken, looked at. */
static void on_renewed(void *owner, const char *key, uint64_t tag, const struct answer *answer)
{
    struct driver *driver = owner;
    struct carried *attempt = carried_find(driver, str_of(key));
    uint64_t now_ms = uptime_ms(), seq;
    bool dead;

    (void)tag;
    if (!attempt || attempt->state != CARRIED_TAKEN) return;
    attempt->looking = false;
    if (answer->kind != ANSWER_YES && answer->kind != ANSWER_NONE) return;
    dead = answer->kind == ANSWER_YES && claim_is_dead(answer);
    seq = answer->kind == ANSWER_YES ? answer->seq : 0;
    if (seq != 0 && !dead && attempt->claim_seq != 0 && seq != attempt->claim_seq) {
        attempt->heard_ms = now_ms;
    }
    attempt->claim_seq = seq;
    if (!dead && now_ms < attempt->heard_ms + carry_lost_ms(driver->lease_ms)) return;
    attempt->looking = true;
    read_subject(driver, attempt, STREAM_RESULTS, dead ? LOST_RESULT_AGAIN : LOST_RESULT, on_lost);
}

/* ---- queued: where is it? ---- */

enum queued_step { QUEUED_CLAIM, QUEUED_JOB, QUEUED_RESULT, QUEUED_CLAIM_AGAIN, QUEUED_BLOB };

static void queued_ask(struct driver *driver, struct carried *attempt, enum queued_step step);

static void give_up(struct driver *driver, struct carried *attempt, const char *why)
{
    carried_entomb(driver, attempt->key, "lost");
    carried_say(driver, FLEET_LOST, attempt, why);
    carried_over(driver, attempt);
}

/* A blob of the job's, which must be there for it to be stored again; false: it names none. */
static bool first_blob(const struct carried *attempt, char id[FLEET_BLOB_ID_BYTES])
{
    const char *at = memmem(attempt->job.data, attempt->job.size, "sha256-", 7);

    if (!at || attempt->job.data + attempt->job.size - at < FLEET_BLOB_ID_BYTES) return false;
    snprintf(id, FLEET_BLOB_ID_BYTES, "%s", at);
    return fleet_blob_is(str_of(id), NULL);
}

static void store_again(struct driver *driver, struct carried *attempt)
{
    char id[FLEET_BLOB_ID_BYTES];

    if (attempt->job.size == 0) {
        give_up(driver, attempt, "the server has lost it");
    } else if (first_blob(attempt, id)) {
        queued_ask(driver, attempt, QUEUED_BLOB);
    } else {
        carried_send(driver, attempt);
    }
}

/* The job is in the stream. One below the floor is never handed out again. */
static void still_queued(struct driver *driver, struct carried *attempt,
                         const struct answer *answer)
{
    yyjson_val *message = yyjson_obj_get(answer->root, "message");

    attempt->job_seq = yyjson_get_uint(yyjson_obj_get(message, "seq"));
    for (uint32_t i = 0; i < driver->pool_count; i++) {
        if (strcmp(driver->pools[i].name, attempt->pool) != 0) continue;
        if (attempt->job_seq > driver->pools[i].floor_seq) return;
        message_remove(driver->bus, STREAM_JOBS, attempt->job_seq);
        store_again(driver, attempt);
    }
}

static void on_queued(void *owner, const char *key, uint64_t tag, const struct answer *answer)
{
    struct driver *driver = owner;
    struct carried *attempt = carried_find(driver, str_of(key));
    enum queued_step step = (enum queued_step)tag;
    bool there = answer->kind == ANSWER_YES;

    if (!attempt || attempt->state != CARRIED_QUEUED) return;
    attempt->looking = false;
    attempt->looked_ms = uptime_ms();
    if (answer->kind != ANSWER_YES && answer->kind != ANSWER_NONE) return;
    if (step == QUEUED_CLAIM || step == QUEUED_CLAIM_AGAIN) {
        if (there && claim_is_dead(answer)) give_up(driver, attempt, "its claim was given up");
        else if (there) carried_taken(driver, attempt, answer);
        else if (step == QUEUED_CLAIM) queued_ask(driver, attempt, QUEUED_JOB);
        else store_again(driver, attempt);
    } else if (step == QUEUED_JOB) {
        if (there) still_queued(driver, attempt, answer);
        else queued_ask(driver, attempt, QUEUED_RESULT);
    } else if (step == QUEUED_RESULT) {
        if (there) carried_put_result(driver, attempt, answer);
        else queued_ask(driver, attempt, QUEUED_CLAIM_AGAIN);
    } else if (there) {
        carried_send(driver, attempt);
    } else {
        give_up(driver, attempt, "the server has lost it, and what it needs");
    }
}

static void queued_ask(struct driver *driver, struct carried *attempt, enum queued_step step)
{
    struct question how = { .patience_ms = BUS_FOR_EVER, .key = attempt->key, .tag = step,
                            .owner = driver, .on_answer = on_queued };
    char subject[SUBJECT_BYTES_MAX], id[FLEET_BLOB_ID_BYTES] = "";

    attempt->looking = true;
    switch (step) {
    case QUEUED_CLAIM:
    case QUEUED_CLAIM_AGAIN:
        read_subject(driver, attempt, STREAM_CLAIMS, step, on_queued);
        break;
    case QUEUED_RESULT:
        read_subject(driver, attempt, STREAM_RESULTS, step, on_queued);
        break;
    case QUEUED_JOB:
        snprintf(subject, sizeof subject, "{\"last_by_subj\":\"hone.job.%s.%s\"}", attempt->pool,
                 attempt->key);
        how.subject = "$JS.API.STREAM.MSG.GET.HONE_JOBS";
        how.data = str_of(subject);
        bus_ask(driver->bus, &how);
        break;
    case QUEUED_BLOB:
        (void)first_blob(attempt, id);
        snprintf(subject, sizeof subject, "hone.blob.%s.%s.0", driver->run, id);
        subject_read(driver->bus, STREAM_BLOBS, subject, &how);
        break;
    }
}

/* ---- poison ---- */

void watch_poison(void *owner, const struct bus_message *message)
{
    struct driver *driver = owner;
    yyjson_doc *doc = yyjson_read(message->data.data, message->data.size, 0);
    uint64_t seq = 0;
    char why[400];

    (void)json_uint(yyjson_doc_get_root(doc), "stream_seq", &seq);
    yyjson_doc_free(doc);
    for (uint32_t i = 0; i < driver->carried_count && seq > 0; i++) {
        struct carried *attempt = &driver->attempts[i];

        if (attempt->state != CARRIED_QUEUED || attempt->job_seq != seq) continue;
        snprintf(why, sizeof why, "handed out %d times, and no worker began it%s%s",
                 (int)DELIVER_MAX, attempt->why[0] ? ": " : "", attempt->why);
        carried_entomb(driver, attempt->key, "refused");
        message_remove(driver->bus, STREAM_JOBS, seq);
        carried_say(driver, FLEET_REFUSED, attempt, why);
        carried_over(driver, attempt);
    }
}

/* ---- the clock ---- */

static void on_pool_info(void *owner, const char *key, uint64_t tag, const struct answer *answer)
{
    struct driver *driver = owner;
    uint64_t seq = 0;

    (void)tag;
    if (answer->kind != ANSWER_YES) return;
    (void)json_uint(yyjson_obj_get(answer->root, "ack_floor"), "stream_seq", &seq);
    for (uint32_t i = 0; i < driver->pool_count; i++) {
        if (strcmp(driver->pools[i].name, key) == 0) driver->pools[i].floor_seq = seq;
    }
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

/* The server may have forgotten all of it: streams and consumers are made again, clocks begin
 * anew, and each attempt is looked at. */
void watch_back(struct driver *driver)
{
    uint64_t now_ms = uptime_ms();

    for (uint32_t i = 0; i < driver->carried_count; i++) {
        struct carried *attempt = &driver->attempts[i];

        attempt->looked_ms = 0;
        attempt->heard_ms = now_ms;
        attempt->claim_seq = 0;
        if (awaits_result(attempt)) {
            attempt->result_tries = RESULT_TRIES_MAX;
            attempt->result_due_ms = now_ms + 1;
        }
    }
    pools_ask(driver);
    loop_hurry(driver->loop);
}

static bool look_at(struct driver *driver, struct carried *attempt, uint64_t now_ms)
{
    uint64_t lease_ms = driver->lease_ms;

    if (attempt->result_due_ms > 0 && now_ms >= attempt->result_due_ms && awaits_result(attempt)) {
        attempt->result_due_ms = 0;
        read_subject(driver, attempt, STREAM_RESULTS, 0, on_result);
        return true;
    }
    if (attempt->looking) return false;
    if (attempt->state == CARRIED_TAKEN && now_ms >= attempt->heard_ms + lease_ms / 2 &&
        now_ms >= attempt->looked_ms + lease_ms / 4) {
        attempt->looking = true;
        attempt->looked_ms = now_ms;
        read_subject(driver, attempt, STREAM_CLAIMS, 0, on_renewed);
        return true;
    }
    if (attempt->state == CARRIED_QUEUED && now_ms >= attempt->looked_ms + 2 * lease_ms) {
        queued_ask(driver, attempt, QUEUED_CLAIM);
        return true;
    }
    return false;
}

void watch_tick(struct driver *driver)
{
    uint64_t now_ms = uptime_ms();
    uint32_t looks = 0;
    bool due = false;

    if (!bus_is_there(driver->bus) || driver->live == 0) return;
    for (uint32_t i = 0; i < driver->carried_count && looks < LOOKS_MAX; i++) {
        if (driver->attempts[i].state == CARRIED_OVER) continue;
        if (look_at(driver, &driver->attempts[i], now_ms)) looks++;
        due = due || driver->attempts[i].result_due_ms > 0;
    }
    if (due || looks == LOOKS_MAX) loop_hurry(driver->loop);
    if (now_ms < driver->tick_ms + 2 * driver->lease_ms) return;
    driver->tick_ms = now_ms;
    look_at_pools(driver);
}
