/* SPDX-License-Identifier: Apache-2.0
 *
 * worker.c - the worker's end: an attempt from the queue to its result.
 *
 *            job         begin      claim is ours, go         ended         stored
 *   (queue) -----> OFFERED ---> BEGINNING ----------> AT_WORK -------> ENDING -----> KEPT
 *      ^             | skip         | another's          |                ^            | forget
 *      '--- nak -----'              v                    | cancel,        |            v
 *                                  gone                  | fenced,        |          (none)
 *                                                        v orphan         |
 *                                                     STOPPED             |
 *   (outbox of a worker that was started again) --ended--> CHECKING ------'
 *                                                             | the claim is not ours: forget
 *
 * 1. A claim is made where nothing has ever been on its subject: one that was given up leaves a
 *    tombstone, and a job that is handed out again is dropped by it. But the server may lose claims
 *    and bring jobs back: so the agent begins when the driver has said `go` to this very claim. The
 *    driver says so to one claim of an attempt. So an attempt is begun at most once.
 * 2. What became of a claim that was not answered is read: it is ours if it has our token.
 * 3. The job is acknowledged when it is claimed, not before: until then the server hands it out
 *    again where this worker dies. It is never acknowledged by one who has not seen a claim: a late
 *    acknowledgement would remove the job from under another worker.
 * 4. The claim of an agent at work is renewed by compare-and-set for a `beat` that names the
 *    attempt, and by nothing else. It is fenced when the claim is a tombstone, or when no renewal
 *    that was sent in the last L has succeeded, by the clock of this machine. Another's claim in
 *    its place was made after the server had lost it, and has no `go`: it is replaced.
 *    A worker that says `lost` gives its claim up: that leaves a tombstone.
 * 5. A result is stored when all its blobs are, and while the claim is ours; the stream takes the
 *    first. A fenced attempt's is not.
 * 6. A claim shows that its worker knows the nonce, and does not tell it: another worker that
 *    reads it cannot answer.
 * 7. A driver whose record has not changed for 2 L is dead: its attempts are told `orphan`.
 *
 * Not here: agents, workspaces, the outbox: the worker has them. */
#include "link/worker.h"

#include "base/mem.h"
#include "base/sha256.h"
#include "carry/carry.h"
#include "format/json/json.h"
#include "io/file/file.h"
#include "io/file/uptime.h"
#include "link/blobs.h"
#include "link/loop.h"
#include "link/streams.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HELD_MAX = 4096, PULLS_MAX = 64, PULL_MS = 10000, PULL_FIRST_MS = 1000,
    PULL_AGAIN_MS = 250, PULL_LATE_MS = 500, RUNS_MAX = 256,
    SKIPPED_KEPT = 256, TOKEN_BYTES = 16, REPLY_BYTES = 256, FULL_MS = 1000,
};

enum held_state { OFFERED, BEGINNING, AT_WORK, STOPPED, CHECKING, ENDING, KEPT, HELD_STATE_COUNT };

struct held {
    char key[FLEET_KEY_BYTES], ack[REPLY_BYTES];
    char proof[SHA256_HEX_BYTES]; /* that we know its nonce, which other workers must not */
    char token[TOKEN_BYTES + 1]; /* this claim is ours, and not of another start of this worker */
    enum held_state state;
    uint64_t claim_seq, renewed_ms, beat_ms, lease_ms, retry_ms;
    bool renewing, sent, cancelled;
    bool claimed, allowed; /* while it begins: the claim is ours; the driver said go to it */
    uint32_t pieces; /* of its result, that are not stored yet */
    struct str result;
};

struct pull {
    uint32_t number, left;
    uint64_t until_ms;
};

/* The driver's record of a run. */
struct run_watch {
    char run[FLEET_NAME_BYTES_MAX + 1];
    uint64_t seq, changed_ms, asked_ms, used_ms;
    bool asking, there;
};

struct worker {
    struct loop *loop;
    struct bus *bus;
    struct blobs *blobs;
    char id[FLEET_NAME_BYTES_MAX + 1], pool[FLEET_NAME_BYTES_MAX + 1], host[256], version[64];
    const char *user; /* of the server, under whose name we tell of us; NULL: any */
    struct fleet_label *labels;
    struct arena label_texts;
    uint32_t label_count, slots;
    uint64_t lease_ms, since_ms, said_ms, told_ms, pull_ms;
    bool ready, ending;
    bool pool_is_there; /* the server has answered a pull: a driver has made the pool */
    uint32_t free, wanted; /* attempts it can take; those of them that were asked for */

    struct held *held;
    uint32_t count, cap;
    struct pull pulls[PULLS_MAX];
    uint32_t pull_count, pull_numbers;
    struct run_watch runs[RUNS_MAX];
    uint32_t run_count;
    char skipped[SKIPPED_KEPT][FLEET_KEY_BYTES];
    uint32_t skipped_count;
};

/* ---- what is held ---- */

static struct held *held_find(struct worker *worker, struct str key)
{
    for (uint32_t i = 0; i < worker->count; i++) {
        if (str_is(key, worker->held[i].key)) return &worker->held[i];
    }
    return NULL;
}

static void held_drop(struct worker *worker, struct held *held);

/* Drivers that died say no `forget`: what is over makes room, the oldest first. */
static void make_room(struct worker *worker)
{
    for (uint32_t i = 0; i < worker->count; i++) {
        if (worker->held[i].state != KEPT && worker->held[i].state != STOPPED) continue;
        held_drop(worker, &worker->held[i]);
        return;
    }
}

static struct held *held_new(struct worker *worker, struct str key)
{
    struct held *held;

    if (worker->count > HELD_MAX / 2) make_room(worker);
    worker->held = mem_grow(worker->held, worker->count, &worker->cap, sizeof *worker->held);
    held = &worker->held[worker->count++];
    *held = (struct held){ .lease_ms = worker->lease_ms };
    snprintf(held->key, sizeof held->key, "%.*s", STR_ARG(key));
    return held;
}

static void drop_result(struct held *held)
{
    free((void *)(uintptr_t)held->result.data);
    held->result = (struct str){ 0 };
}

static void held_drop(struct worker *worker, struct held *held)
{
    drop_result(held);
    *held = worker->held[--worker->count];
}

static void say(struct worker *worker, enum fleet_kind kind, const char *key)
{
    loop_say(worker->loop, &(struct fleet_line){ .kind = kind, .k = str_of(key) });
}

static void say_ready(struct worker *worker)
{
    loop_say(worker->loop, &(struct fleet_line){
        .kind = FLEET_READY, .v = FLEET_V, .carrier = str_of(bus_name(worker->bus)),
        .lease_ms = worker->lease_ms,
    });
}

/* The agent is to end, and no answer of it is wanted. */
static void stop(struct worker *worker, struct held *held, enum fleet_stop why)
{
    loop_say(worker->loop, &(struct fleet_line){
        .kind = FLEET_STOP, .k = str_of(held->key), .why = str_of(fleet_stop_word(why)),
        .stop = why,
    });
    held->state = STOPPED;
}

/* An answer about the job to the queue: +ACK, -NAK, +WPI. */
static void answer_queue(struct worker *worker, const struct held *held, const char *word)
{
    if (held->ack[0]) bus_say(worker->bus, held->ack, NULL, str_of(word), NULL, 0);
}

/* Asked until the server has it: a job that is not acknowledged is handed out again. */
static void acknowledge(struct worker *worker, const struct held *held)
{
    if (!held->ack[0]) return;
    bus_ask(worker->bus, &(struct question){
        .subject = held->ack, .data = STR("+ACK"), .patience_ms = 4 * held->lease_ms,
    });
}

static void give_back(struct worker *worker, const struct held *held, uint64_t delay_ms)
{
    char word[64];

    snprintf(word, sizeof word, "-NAK {\"delay\":%" PRIu64 "}", delay_ms * 1000000);
    answer_queue(worker, held, delay_ms > 0 ? word : "-NAK");
}

/* ---- the queue ---- */

static bool was_skipped(const struct worker *worker, struct str key)
{
    for (uint32_t i = 0; i < SKIPPED_KEPT; i++) {
        if (str_is(key, worker->skipped[i])) return true;
    }
    return false;
}

static void run_use(struct worker *worker, struct str key)
{
    uint64_t now_ms = uptime_ms();
    struct fleet_key parts;
    uint32_t at = 0, oldest = 0;

    if (!fleet_key_read(key, &parts)) return;
    while (at < worker->run_count && !str_is(parts.run, worker->runs[at].run)) {
        if (worker->runs[at].used_ms < worker->runs[oldest].used_ms) oldest = at;
        at++;
    }
    if (at == worker->run_count) {
        if (worker->run_count < RUNS_MAX) worker->run_count++;
        else at = oldest;
        worker->runs[at] = (struct run_watch){ .changed_ms = now_ms };
        snprintf(worker->runs[at].run, sizeof worker->runs[at].run, "%.*s", STR_ARG(parts.run));
    }
    worker->runs[at].used_ms = now_ms;
}

static void offer(struct worker *worker, struct str key, const struct bus_message *message)
{
    struct held *held = held_new(worker, key);
    uint64_t lease_ms = bus_header_number(message, "Hone-Lease");

    if (lease_ms >= FLEET_LEASE_MS_MIN && lease_ms <= FLEET_LEASE_MS_MAX) {
        held->lease_ms = lease_ms;
        if (lease_ms != worker->lease_ms) {
            worker->lease_ms = lease_ms;
            say_ready(worker);
        }
    }
    snprintf(held->ack, sizeof held->ack, "%s", message->reply);
    run_use(worker, key);
    if (worker->free == 0 || worker->count > HELD_MAX || worker->ending ||
        was_skipped(worker, key)) {
        give_back(worker, held, was_skipped(worker, key) ? held->lease_ms / 3 : 0);
        held_drop(worker, held);
        return;
    }
    worker->free--;
    loop_say(worker->loop, &(struct fleet_line){
        .kind = FLEET_JOB, .k = key, .job = message->data,
    });
}

/* One that we hold is handed out again: our word that we are at it came too late. */
static void offered_again(struct worker *worker, struct held *held,
                          const struct bus_message *message)
{
    snprintf(held->ack, sizeof held->ack, "%s", message->reply);
    if (held->state == AT_WORK || held->state == ENDING || held->state == KEPT ||
        held->state == STOPPED) acknowledge(worker, held);
}

static void pull_ended(struct worker *worker, uint32_t number, bool all)
{
    for (uint32_t i = 0; i < worker->pull_count; i++) {
        struct pull *pull = &worker->pulls[i];

        if (pull->number != number) continue;
        if (all) {
            worker->wanted -= pull->left;
            pull->left = 0;
        } else if (pull->left > 0) {
            pull->left--;
            worker->wanted--;
        }
        if (pull->left == 0) *pull = worker->pulls[--worker->pull_count];
        return;
    }
}

static void on_pulled(void *owner, const struct bus_message *message)
{
    struct worker *worker = owner;
    const char *place = strrchr(message->subject, '.');
    const char *status = bus_header(message, "Status");
    uint64_t number = 0;
    struct held *held;
    struct str key;

    /* A stored message is delivered under its own subject: only a status comes under ours, and
     * which pull a job is of does not matter: the oldest is taken. */
    worker->pool_is_there = true;
    if (status) {
        if (place) (void)str_number(str_of(place + 1), &number);
        pull_ended(worker, (uint32_t)number, true);
        if (strcmp(status, "408") != 0) worker->pull_ms = uptime_ms() + PULL_AGAIN_MS;
        return;
    }
    key = str_skip(str_of(message->subject), strlen("hone.job."));
    while (key.size > 0 && key.data[0] != '.') key = str_skip(key, 1);
    key = str_skip(key, 1);
    if (worker->pull_count > 0) pull_ended(worker, worker->pulls[0].number, false);
    if (!message->reply || !fleet_key_is(key)) return;
    held = held_find(worker, key);
    if (held) offered_again(worker, held, message);
    else offer(worker, key, message);
}

/* Asks for as many as the worker can take and has not asked for yet. A pool that no driver has made
 * yet answers nothing: then it is asked often. */
static void pull_more(struct worker *worker, uint64_t now_ms)
{
    char subject[SUBJECT_BYTES_MAX], reply[SUBJECT_BYTES_MAX], text[96];
    uint32_t more = worker->free > worker->wanted ? worker->free - worker->wanted : 0;
    uint64_t wait_ms = worker->pool_is_there ? PULL_MS : PULL_FIRST_MS;

    for (uint32_t i = 0; i < worker->pull_count; i++) {
        if (now_ms > worker->pulls[i].until_ms) { /* no word of it, not even that it is over */
            worker->pool_is_there = false;
            pull_ended(worker, worker->pulls[i].number, true);
            return; /* the next call sees the rest */
        }
    }
    if (more == 0 || worker->pull_count == PULLS_MAX || worker->ending ||
        now_ms < worker->pull_ms || !bus_is_there(worker->bus)) return;
    snprintf(subject, sizeof subject, "$JS.API.CONSUMER.MSG.NEXT.HONE_JOBS.%s", worker->pool);
    snprintf(reply, sizeof reply, "%s.p.%u", bus_inbox(worker->bus), ++worker->pull_numbers);
    snprintf(text, sizeof text, "{\"batch\":%u,\"expires\":%" PRIu64 "}", more,
             wait_ms * 1000000);
    if (!bus_say(worker->bus, subject, reply, str_of(text), NULL, 0)) return;
    worker->pulls[worker->pull_count++] = (struct pull){ worker->pull_numbers, more,
                                                        now_ms + wait_ms + PULL_LATE_MS };
    worker->wanted += more;
}

/* ---- claims ---- */

/* Claims can be read by all workers: the nonce itself would let them answer. */
static void prove(struct held *held, struct str nonce)
{
    (void)hmac_sha256(STR("claim"), &nonce, 1, held->proof);
}

enum claim_step { CLAIM_CREATE, CLAIM_READ, CLAIM_RENEW, CLAIM_READ_RENEWED, CLAIM_CHECK };

static void on_claim(void *owner, const char *key, uint64_t tag, const struct answer *answer);

static void claim_put(struct worker *worker, struct held *held, enum claim_step step)
{
    char subject[SUBJECT_BYTES_MAX], seq[24], text[512];
    struct bus_header header = { "Nats-Expected-Last-Subject-Sequence", seq };

    snprintf(subject, sizeof subject, "%s%s", stream_prefix(STREAM_CLAIMS), held->key);
    snprintf(seq, sizeof seq, "%" PRIu64, step == CLAIM_CREATE ? 0 : held->claim_seq);
    snprintf(text, sizeof text,
             "{\"worker\":\"%s\",\"proof\":\"%s\",\"token\":\"%s\",\"begun\":%s}", worker->id,
             held->proof, held->token, held->state == BEGINNING ? "false" : "true");
    held->renewing = step == CLAIM_RENEW;
    held->beat_ms = uptime_ms();
    bus_ask(worker->bus, &(struct question){
        .subject = subject, .data = str_of(text), .headers = &header, .header_count = 1,
        .patience_ms = step == CLAIM_CREATE ? BUS_FOR_EVER : 0, .key = held->key, .tag = step,
        .owner = worker, .on_answer = on_claim,
    });
}

static void claim_read(struct worker *worker, struct held *held, enum claim_step step)
{
    char subject[SUBJECT_BYTES_MAX];

    snprintf(subject, sizeof subject, "%s%s", stream_prefix(STREAM_CLAIMS), held->key);
    subject_read(worker->bus, STREAM_CLAIMS, subject, &(struct question){
        .patience_ms = step == CLAIM_READ_RENEWED ? 0 : BUS_FOR_EVER, .key = held->key,
        .tag = step, .owner = worker, .on_answer = on_claim,
    });
}

enum claim_word { CLAIM_OURS, CLAIM_CANCELLED, CLAIM_OTHERS, CLAIM_NOWHERE };

/* What a claim that was read says. any_token: of this worker, whichever start of it. */
static enum claim_word claim_says(const struct worker *worker, const struct held *held,
                                  const struct answer *answer, bool any_token)
{
    enum claim_word word = CLAIM_OTHERS;
    yyjson_doc *doc;
    yyjson_val *root;

    if (answer->kind != ANSWER_YES) return CLAIM_NOWHERE;
    if (bus_header(answer->message, "KV-Operation")) {
        return str_is(answer->message->data, fleet_stop_word(FLEET_CANCEL)) ? CLAIM_CANCELLED
               : CLAIM_OTHERS;
    }
    doc = yyjson_read(answer->message->data.data, answer->message->data.size, 0);
    root = yyjson_doc_get_root(doc);
    if (str_is(json_str(root, "worker"), worker->id) &&
        str_is(json_str(root, "proof"), held->proof) &&
        (any_token || str_is(json_str(root, "token"), held->token))) word = CLAIM_OURS;
    yyjson_doc_free(doc);
    return word;
}

/* Its agent does not begin. */
static void gone(struct worker *worker, struct held *held)
{
    say(worker, FLEET_GONE, held->key);
    held_drop(worker, held);
}

static void go(struct worker *worker, struct held *held)
{
    if (uptime_ms() > held->renewed_ms + held->lease_ms) {
        gone(worker, held);
        return;
    }
    held->state = AT_WORK;
    say(worker, FLEET_GO, held->key);
}

static void claimed(struct worker *worker, struct held *held, uint64_t seq)
{
    held->claim_seq = seq;
    held->renewed_ms = held->beat_ms;
    held->renewing = false;
    if (held->state != BEGINNING) return;
    if (!held->claimed) acknowledge(worker, held);
    held->claimed = true;
    if (held->cancelled) gone(worker, held);
    else if (held->allowed) go(worker, held);
}

static void not_ours(struct worker *worker, struct held *held, enum claim_word word)
{
    if (held->state == BEGINNING) {
        acknowledge(worker, held); /* there is a claim, and it is not ours */
        gone(worker, held);
    } else if (held->state == AT_WORK) {
        stop(worker, held, word == CLAIM_CANCELLED ? FLEET_CANCEL : FLEET_STOP_FENCED);
    } else if (held->state == CHECKING) {
        say(worker, FLEET_FORGET, held->key);
        held_drop(worker, held);
    }
}

/* Its worker has no result and will have none: the claim becomes a tombstone, which its driver sees
 * before the claim would run out. Where the claim was renewed or is another's meanwhile, nothing is
 * done: it runs out. */
static void give_up(struct worker *worker, const struct fleet_line *line)
{
    struct held *held = held_find(worker, line->k);
    char subject[SUBJECT_BYTES_MAX], seq[24];
    struct bus_header headers[] = {
        { "KV-Operation", "DEL" }, { "Nats-Expected-Last-Subject-Sequence", seq },
    };

    if (!held || held->state != AT_WORK) return;
    snprintf(subject, sizeof subject, "%s%s", stream_prefix(STREAM_CLAIMS), held->key);
    snprintf(seq, sizeof seq, "%" PRIu64, held->claim_seq);
    bus_ask(worker->bus, &(struct question){
        .subject = subject, .data = STR("lost"), .headers = headers, .header_count = 2,
    });
    held_drop(worker, held);
}

static bool driver_is_there(const struct worker *worker, const char *key)
{
    struct fleet_key parts;

    if (!fleet_key_read(str_of(key), &parts)) return false;
    for (uint32_t i = 0; i < worker->run_count; i++) {
        if (str_is(parts.run, worker->runs[i].run)) return worker->runs[i].there;
    }
    return false;
}

static void result_send(struct worker *worker, struct held *held);

static void claim_was_read(struct worker *worker, struct held *held, enum claim_step step,
                           const struct answer *answer)
{
    enum claim_word word = claim_says(worker, held, answer, step == CLAIM_CHECK);
    bool dead = answer->kind == ANSWER_YES && bus_header(answer->message, "KV-Operation");

    held->renewing = false;
    if (word == CLAIM_OURS && step == CLAIM_CHECK) {
        held->state = ENDING;
        result_send(worker, held);
    } else if (word == CLAIM_OURS || (word == CLAIM_OTHERS && held->state == AT_WORK && !dead)) {
        held->claim_seq = answer->seq; /* how old ours is is not known: renewed before it counts */
        claim_put(worker, held, CLAIM_RENEW);
    } else if (word == CLAIM_NOWHERE && step == CLAIM_READ) {
        claim_put(worker, held, CLAIM_CREATE);
    } else if (word == CLAIM_NOWHERE && step == CLAIM_READ_RENEWED) {
        held->claim_seq = 0; /* the server has lost it; not where the run is over */
        if (driver_is_there(worker, held->key)) claim_put(worker, held, CLAIM_RENEW);
    } else {
        not_ours(worker, held, word);
    }
}

static void on_claim(void *owner, const char *key, uint64_t tag, const struct answer *answer)
{
    struct worker *worker = owner;
    struct held *held = held_find(worker, str_of(key));
    enum claim_step step = (enum claim_step)tag;

    if (!held) return;
    if (step == CLAIM_READ || step == CLAIM_READ_RENEWED || step == CLAIM_CHECK) {
        if (answer->kind == ANSWER_AWAY || answer->kind == ANSWER_NO) held->renewing = false;
        else claim_was_read(worker, held, step, answer);
    } else if (answer->kind == ANSWER_YES) {
        claimed(worker, held, answer->seq);
    } else if (answer->kind == ANSWER_NO && answer->code == JS_WRONG_LAST) {
        claim_read(worker, held, step == CLAIM_CREATE || held->state == BEGINNING ? CLAIM_READ
                   : CLAIM_READ_RENEWED);
    } else if (held->state == BEGINNING && answer->kind == ANSWER_AWAY) {
        claim_read(worker, held, CLAIM_READ);
    } else if (held->state == BEGINNING) {
        loop_tell("%s cannot be claimed: %s", held->key, answer->why);
        gone(worker, held);
    } else {
        held->renewing = false; /* the next beat tries again */
    }
}

static void begin(struct worker *worker, const struct fleet_line *line)
{
    struct held *held = held_find(worker, line->k);

    if (!held) {
        loop_say(worker->loop, &(struct fleet_line){ .kind = FLEET_GONE, .k = line->k });
        return;
    }
    if (held->state != OFFERED) return;
    held->state = BEGINNING;
    prove(held, line->nonce);
    random_word(held->token, TOKEN_BYTES);
    claim_put(worker, held, CLAIM_CREATE);
}

static void skip(struct worker *worker, const struct fleet_line *line)
{
    struct held *held = held_find(worker, line->k);
    char subject[SUBJECT_BYTES_MAX], why[201];
    struct bus_header header = { "Hone-Skip", why };
    size_t size = 0;

    if (!held || held->state != OFFERED) return;
    for (size_t i = 0; i < line->why.size && size < sizeof why - 1; i++) {
        char byte = line->why.data[i];

        why[size++] = (unsigned char)byte < ' ' || byte == 127 ? ' ' : byte;
    }
    why[size] = '\0';
    if (size == 0) snprintf(why, sizeof why, "a worker skipped it");
    snprintf(subject, sizeof subject, "hone.log.%s", held->key);
    bus_say(worker->bus, subject, NULL, (struct str){ 0 }, &header, 1);
    memcpy(worker->skipped[worker->skipped_count++ % SKIPPED_KEPT], held->key, FLEET_KEY_BYTES);
    give_back(worker, held, carry_beat_ms(held->lease_ms));
    held_drop(worker, held);
}

/* The worker lives: jobs that it prepares stay its own, claims that it names are renewed. */
static void on_beat(struct worker *worker, const struct fleet_line *line)
{
    for (uint32_t i = 0; i < worker->count; i++) {
        if (worker->held[i].state == OFFERED) answer_queue(worker, &worker->held[i], "+WPI");
    }
    for (uint32_t i = 0; i < line->beat_count; i++) {
        struct held *held = held_find(worker, line->beats[i]);

        if (held && held->state == AT_WORK && !held->renewing) {
            claim_put(worker, held, CLAIM_RENEW);
        }
    }
}

/* ---- results ---- */

static void on_result(void *owner, const char *key, uint64_t tag, const struct answer *answer)
{
    struct worker *worker = owner;
    struct held *held = held_find(worker, str_of(key));

    (void)tag;
    if (!held || held->state != ENDING) return;
    held->sent = false;
    if (answer->kind == ANSWER_YES ||
        (answer->code == JS_STORE_FAILED && strstr(answer->why, "per subject"))) {
        held->state = KEPT;
        drop_result(held);
        say(worker, FLEET_KEPT, held->key);
        return;
    }
    loop_tell("the result of %s is not stored yet: %s", held->key,
              answer->why ? answer->why : "no answer");
    held->retry_ms = uptime_ms() + FULL_MS;
}

static void result_send(struct worker *worker, struct held *held)
{
    char subject[SUBJECT_BYTES_MAX];

    if (held->state != ENDING || held->pieces > 0 || held->sent || !held->result.data) return;
    held->sent = true;
    snprintf(subject, sizeof subject, "%s%s", stream_prefix(STREAM_RESULTS), held->key);
    bus_ask(worker->bus, &(struct question){
        .subject = subject, .data = held->result, .patience_ms = BUS_FOR_EVER, .key = held->key,
        .owner = worker, .on_answer = on_result,
    });
}

/* A result of an attempt that this start of the link has not begun: from the worker's outbox. */
static void result_check(struct worker *worker, struct held *held)
{
    yyjson_doc *doc = yyjson_read(held->result.data, held->result.size, 0);

    prove(held, json_str(yyjson_doc_get_root(doc), "nonce"));
    yyjson_doc_free(doc);
    held->state = CHECKING;
    claim_read(worker, held, CLAIM_CHECK);
}

static void ended(struct worker *worker, const struct fleet_line *line)
{
    struct held *held = held_find(worker, line->k);

    if (held && held->state == KEPT) {
        say(worker, FLEET_KEPT, held->key);
        return;
    }
    if (held && held->state == STOPPED) {
        say(worker, FLEET_FORGET, held->key);
        held_drop(worker, held);
        return;
    }
    if (!held) {
        if (worker->count > HELD_MAX) return; /* said again by the worker later */
        held = held_new(worker, line->k);
        held->state = CHECKING;
    } else if (held->result.data) {
        return;
    }
    held->result.data = mem_copy(line->result.data, line->result.size);
    held->result.size = line->result.size;
    if (held->state == AT_WORK) {
        held->state = ENDING;
        result_send(worker, held);
    } else {
        result_check(worker, held);
    }
}

static void on_piece_stored(void *owner, const char *key, uint64_t tag,
                            const struct answer *answer);

static void put_piece(struct worker *worker, const struct fleet_line *line)
{
    struct blob_piece piece = fleet_line_piece(line);
    struct held *held = held_find(worker, line->k);
    char place[SUBJECT_BYTES_MAX];

    if (held && held->state == STOPPED) return;
    if (!fleet_key_is(line->k)) {
        loop_tell("a piece of a blob names no attempt (k), and is skipped");
        return;
    }
    if (!held) {
        held = held_new(worker, line->k);
        held->state = CHECKING;
    }
    held->pieces++;
    snprintf(place, sizeof place, "hone.back.%s", held->key);
    blob_put(worker->bus, place, &piece, held->key, 0, worker, on_piece_stored);
}

static void on_piece_stored(void *owner, const char *key, uint64_t tag,
                            const struct answer *answer)
{
    struct worker *worker = owner;
    struct held *held = held_find(worker, str_of(key));

    (void)tag;
    if (!held) return;
    if (held->pieces > 0) held->pieces--;
    if (answer->kind != ANSWER_YES) {
        loop_tell("a piece of the result of %s is not stored: %s", key, answer->why);
    }
    if (held->pieces == 0) result_send(worker, held);
}

/* ---- what drivers say ---- */

/* Whether an attempt may begin. It is about one claim: another's is not ours. */
static void hear_driver(struct worker *worker, struct held *held, const char *word,
                        struct str token)
{
    if (held->state != BEGINNING || !str_is(token, held->token)) return;
    if (strcmp(word, fleet_kind_word(FLEET_GONE)) == 0) {
        held->cancelled = true;
        if (held->claimed) gone(worker, held);
    } else {
        held->allowed = true;
        if (held->claimed) go(worker, held);
    }
}

static void on_cancel(void *owner, const struct bus_message *message)
{
    struct worker *worker = owner;
    struct str key = str_skip(str_of(message->subject), strlen("hone.cancel."));
    const char *word = bus_header(message, "Hone-Stop");
    struct held *held = held_find(worker, key);

    if (!held || !word) return;
    if (strcmp(word, fleet_kind_word(FLEET_FORGET)) == 0) {
        say(worker, FLEET_FORGET, held->key);
        held_drop(worker, held);
    } else if (strcmp(word, fleet_kind_word(FLEET_GO)) == 0 ||
               strcmp(word, fleet_kind_word(FLEET_GONE)) == 0) {
        hear_driver(worker, held, word, message->data);
    } else if (held->state == BEGINNING) {
        held->cancelled = true;
    } else if (held->state == OFFERED || held->state == AT_WORK) {
        stop(worker, held, FLEET_CANCEL);
    } else if (held->state == ENDING || held->state == KEPT || held->state == CHECKING) {
        say(worker, FLEET_FORGET, held->key);
        held_drop(worker, held);
    }
}

static void tell_state(struct worker *worker)
{
    struct fleet_worker state = {
        .id = str_of(worker->id), .host = str_of(worker->host), .pool = str_of(worker->pool),
        .version = str_of(worker->version), .labels = worker->labels,
        .label_count = worker->label_count, .slots = worker->slots, .since_ms = worker->since_ms,
    };
    char subject[SUBJECT_BYTES_MAX];
    struct buf text;

    for (uint32_t i = 0; i < worker->count; i++) {
        if (worker->held[i].state <= AT_WORK) state.busy++;
    }
    buf_init(&text, 64 << 10);
    (void)fleet_line_write(&(struct fleet_line){ .kind = FLEET_WORKERS, .workers = &state,
                                                 .worker_count = 1 }, &text);
    snprintf(subject, sizeof subject, "hone.worker.%s", worker->user ? worker->user : worker->id);
    bus_say(worker->bus, subject, NULL, str_trim(buf_str(&text)), NULL, 0);
    buf_release(&text);
    worker->told_ms = uptime_ms();
}

static void on_who(void *owner, const struct bus_message *message)
{
    (void)message;
    tell_state(owner);
}

static void on_driver(void *owner, const char *key, uint64_t tag, const struct answer *answer)
{
    struct worker *worker = owner;
    bool there = answer->kind == ANSWER_YES;

    (void)tag;
    for (uint32_t i = 0; i < worker->run_count; i++) {
        struct run_watch *run = &worker->runs[i];

        if (strcmp(run->run, key) != 0) continue;
        run->asking = false;
        if (answer->kind != ANSWER_YES && answer->kind != ANSWER_NONE) return;
        run->there = there;
        if (there && answer->seq != run->seq) {
            run->seq = answer->seq;
            run->changed_ms = run->asked_ms;
        }
    }
}

static bool is_of(const struct held *held, const struct run_watch *run)
{
    size_t size = strlen(run->run);

    return strncmp(held->key, run->run, size) == 0 && held->key[size] == '.';
}

static void orphan(struct worker *worker, const struct run_watch *run)
{
    for (uint32_t i = worker->count; i-- > 0;) {
        struct held *held = &worker->held[i];

        if (!is_of(held, run)) continue;
        if (held->state == AT_WORK) stop(worker, held, FLEET_ORPHAN);
        else if (held->state == BEGINNING && held->claimed) gone(worker, held);
    }
}

static void watch_driver(struct worker *worker, struct run_watch *run, uint64_t now_ms)
{
    char subject[SUBJECT_BYTES_MAX];
    bool needed = false;

    for (uint32_t i = 0; i < worker->count && !needed; i++) {
        needed = worker->held[i].state <= AT_WORK && is_of(&worker->held[i], run);
    }
    if (!needed) {
        run->changed_ms = now_ms;
        return;
    }
    if (now_ms > run->changed_ms + carry_dead_ms(worker->lease_ms) &&
        run->asked_ms > run->changed_ms) {
        orphan(worker, run);
    }
    if (run->asking || now_ms < run->asked_ms + worker->lease_ms / 4) return;
    run->asking = true;
    run->asked_ms = now_ms;
    snprintf(subject, sizeof subject, "%s%s", stream_prefix(STREAM_DRIVERS), run->run);
    subject_read(worker->bus, STREAM_DRIVERS, subject, &(struct question){
        .key = run->run, .owner = worker, .on_answer = on_driver,
    });
}

/* ---- lines, and the clock ---- */

static void greet(struct worker *worker, const struct fleet_line *line)
{
    if (worker->ready) return;
    if (line->v != FLEET_V) {
        loop_tell("this hone-link speaks version %d of a carrier's lines, and hone %.*s speaks"
                  " %u: install both from one release", (int)FLEET_V, STR_ARG(line->version),
                  line->v);
        loop_stop(worker->loop, 1);
        return;
    }
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
    if (line->lease_ms) worker->lease_ms = line->lease_ms;
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
    tell_state(worker);
}

static void bye(struct worker *worker)
{
    worker->ending = true;
    for (uint32_t i = 0; i < worker->count; i++) {
        if (worker->held[i].state == OFFERED) give_back(worker, &worker->held[i], 0);
    }
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

static void said(struct worker *worker, const struct fleet_line *line)
{
    struct held *held = held_find(worker, line->k);
    char subject[SUBJECT_BYTES_MAX], at[24];
    struct bus_header header = { "Hone-At", at };

    if (!held || held->state != AT_WORK) return;
    snprintf(subject, sizeof subject, "hone.log.%s", held->key);
    snprintf(at, sizeof at, "%" PRIu64, line->at);
    bus_say(worker->bus, subject, NULL, line->data, &header, 1);
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
    case FLEET_FREE: worker->free += line->n > HELD_MAX ? HELD_MAX : line->n; break;
    case FLEET_GET: get_blob(worker, line); break;
    case FLEET_BEGIN: begin(worker, line); break;
    case FLEET_SKIP: skip(worker, line); break;
    case FLEET_SAID: said(worker, line); break;
    case FLEET_BLOB: put_piece(worker, line); break;
    case FLEET_ENDED: ended(worker, line); break;
    case FLEET_LOST: give_up(worker, line); break;
    case FLEET_BEAT: on_beat(worker, line); break;
    case FLEET_BYE: bye(worker); break;
    default: break;
    }
    if (line->kind == FLEET_FREE) pull_more(worker, uptime_ms());
}

static bool takes_lines(void *owner)
{
    (void)owner;
    return true;
}

static void on_eof(void *owner)
{
    bye(owner);
}

static void look_at_held(struct worker *worker, uint64_t now_ms)
{
    for (uint32_t i = worker->count; i-- > 0;) {
        struct held *held = &worker->held[i];

        if (held->state == AT_WORK && now_ms > held->renewed_ms + held->lease_ms) {
            stop(worker, held, FLEET_STOP_FENCED);
        } else if (held->state == BEGINNING && held->claimed && !held->renewing &&
                   now_ms >= held->beat_ms + carry_beat_ms(held->lease_ms)) {
            claim_put(worker, held, CLAIM_RENEW); /* the driver may not have seen it */
        } else if (held->state == ENDING && held->retry_ms > 0 && now_ms >= held->retry_ms) {
            held->retry_ms = 0;
            result_send(worker, held);
        }
    }
}

static void on_tick(void *owner)
{
    struct worker *worker = owner;
    uint64_t now_ms = uptime_ms();

    if (!worker->ready) return;
    look_at_held(worker, now_ms);
    if (now_ms >= worker->said_ms + carry_beat_ms(worker->lease_ms)) {
        worker->said_ms = now_ms;
        say(worker, FLEET_BEAT, NULL);
    }
    if (!bus_is_there(worker->bus)) return;
    if (now_ms >= worker->told_ms + worker->lease_ms / 2) tell_state(worker);
    for (uint32_t i = 0; i < worker->run_count; i++) {
        watch_driver(worker, &worker->runs[i], now_ms);
    }
    pull_more(worker, now_ms);
    blobs_tick(worker->blobs, now_ms);
}

/* ---- blobs of jobs ---- */

static void on_blob_piece(void *owner, const struct blob_piece *piece)
{
    struct worker *worker = owner;

    loop_say(worker->loop, &(struct fleet_line){
        .kind = FLEET_BLOB, .id = piece->id, .bytes = piece->bytes, .at = piece->at,
        .data = piece->data,
    });
}

static void on_blob_none(void *owner, const char *id)
{
    struct worker *worker = owner;

    loop_say(worker->loop, &(struct fleet_line){ .kind = FLEET_NONE, .id = str_of(id) });
}

static void on_blob_need(void *owner, const char *place, const char *id)
{
    struct worker *worker = owner;
    char subject[SUBJECT_BYTES_MAX];

    snprintf(subject, sizeof subject, "hone.need.%s", place + strlen("hone.blob."));
    bus_say(worker->bus, subject, NULL, str_of(id), NULL, 0);
}

static bool is_full(void *owner)
{
    struct worker *worker = owner;

    return loop_is_full(worker->loop);
}

/* ---- the server ---- */

static void on_away(void *owner, const char *why)
{
    struct worker *worker = owner;

    if (!worker->ready) return;
    loop_say(worker->loop, &(struct fleet_line){ .kind = FLEET_AWAY,
                                                 .why = str_of(why ? why : "") });
}

/* What was pulled before is void; how old the drivers' records are is not known. */
static void on_back(void *owner)
{
    struct worker *worker = owner;
    uint64_t now_ms = uptime_ms();

    worker->pull_count = 0;
    worker->wanted = 0;
    worker->pull_ms = 0;
    worker->pool_is_there = false;
    for (uint32_t i = 0; i < worker->run_count; i++) worker->runs[i].changed_ms = now_ms;
    if (worker->ready) loop_say(worker->loop, &(struct fleet_line){ .kind = FLEET_BACK });
}

static void on_trouble(void *owner, const char *what)
{
    (void)owner;
    loop_tell("the server says: %s", what);
}

static void on_closed(void *owner, const char *why)
{
    struct worker *worker = owner;

    loop_tell("the server does not let us in any more: %s", why);
    loop_stop(worker->loop, 1);
}

/* A worker may be started before the server. */
static int open_bus(struct worker *worker, const struct bus_target *target, struct err *err)
{
    const struct bus_owner owner = { worker, on_away, on_back, NULL, on_trouble, on_closed };
    bool told = false;
    int rc;

    while ((rc = bus_open(&worker->bus, target, &owner, err)) == ERR_FAILED) {
        if (!told) loop_tell("%s; it is tried again", err->text);
        told = true;
        if (loop_is_over(worker->loop)) return rc;
        pause_ms(1000);
    }
    return rc;
}

static int open_all(struct worker *worker, const struct bus_target *target, struct err *err)
{
    char subject[SUBJECT_BYTES_MAX];
    int rc = open_bus(worker, target, err);

    if (rc != 0) return rc;
    rc = bus_listen(worker->bus, "hone.cancel.>", on_cancel, worker, err);
    if (rc == 0) rc = bus_listen(worker->bus, "hone.who", on_who, worker, err);
    snprintf(subject, sizeof subject, "%s.p.>", bus_inbox(worker->bus));
    if (rc == 0) rc = bus_listen(worker->bus, subject, on_pulled, worker, err);
    return rc;
}

int worker_serve(const struct bus_target *target)
{
    struct worker *worker = mem_alloc(sizeof *worker);
    const struct loop_end end = {
        .hears = FLEET_WORKER, .says = FLEET_TO_WORKER, .owner = worker, .on_line = on_line,
        .on_tick = on_tick, .takes_lines = takes_lines, .on_eof = on_eof,
    };
    const struct blobs_owner blobs = { worker, on_blob_piece, on_blob_none, on_blob_need,
                                       is_full };
    struct err err;
    int code;

    worker->lease_ms = FLEET_LEASE_MS;
    worker->user = target->user;
    code = loop_new(&worker->loop, &end, &err);
    if (code == 0) code = open_all(worker, target, &err);
    if (code != 0) {
        loop_tell("%s", err.text);
        code = 1;
    } else {
        worker->blobs = blobs_new(worker->bus, &blobs);
        code = loop_run(worker->loop, worker->bus);
    }
    bus_close(worker->bus);
    blobs_free(worker->blobs);
    loop_free(worker->loop);
    for (uint32_t i = 0; i < worker->count; i++) drop_result(&worker->held[i]);
    free(worker->held);
    arena_release(&worker->label_texts);
    free(worker);
    return code;
}
