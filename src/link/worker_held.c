/* SPDX-License-Identifier: Apache-2.0
 *
 * worker_held.c - attempts that are held: what held_step() says is done, with words and subjects.
 *
 *     line of the worker, message of a driver, answer of the server, the clock
 *          --> struct held_event --> held_step() --> acts, in order
 *                                                     asks  -> a question to the server
 *                                                     says  -> a line to the worker
 *                                                     acks, gives back, is at it -> the queue
 *                                                     entombs -> the claim
 *
 * 1. A record is there until it is HELD_GONE. An answer to a question of a record that is gone is
 *    none to the record that follows it under the same key.
 * 2. A claim shows that its worker knows the nonce, and does not tell it: another worker that reads
 *    it cannot answer. It is ours by the token that each beginning draws anew; before a result of
 *    another start is stored, by worker and nonce.
 * 3. The text of a result is kept while it may have to be stored again.
 * 4. Drivers that died say no `forget`: where much is held, what is over makes room.
 *
 * Not here: what follows from what (carry/held.c). */
#include "link/worker.h"

#include "base/mem.h"
#include "format/json/json.h"
#include "io/file/file.h"
#include "io/file/uptime.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- records ---- */

struct held *held_find(struct worker *worker, struct str key)
{
    for (uint32_t i = 0; i < worker->held_count; i++) {
        if (str_is(key, worker->held[i].key)) return &worker->held[i];
    }
    return NULL;
}

static void result_drop(struct held *held)
{
    free((void *)(uintptr_t)held->result.data);
    held->result = (struct str){ 0 };
}

static void held_drop(struct worker *worker, struct held *held)
{
    result_drop(held);
    *held = worker->held[--worker->held_count];
}

static void make_room(struct worker *worker)
{
    for (uint32_t i = 0; i < worker->held_count; i++) {
        if (!held_may_go(&worker->held[i].at)) continue;
        held_drop(worker, &worker->held[i]);
        return;
    }
}

struct held *held_new(struct worker *worker, struct str key, enum held_state state)
{
    struct held *held;

    if (worker->held_count > HELD_MAX / 2) make_room(worker);
    worker->held = mem_grow(worker->held, worker->held_count, &worker->held_cap,
                            sizeof *worker->held);
    held = &worker->held[worker->held_count++];
    *held = (struct held){ .number = ++worker->held_numbers, .held_ms = uptime_ms(),
                           .at = { .state = state, .lease_ms = runs_lease_ms(worker, key) } };
    snprintf(held->key, sizeof held->key, "%.*s", STR_ARG(key));
    return held;
}

void held_release(struct worker *worker)
{
    for (uint32_t i = 0; i < worker->held_count; i++) result_drop(&worker->held[i]);
    free(worker->held);
}

uint32_t held_busy(const struct worker *worker)
{
    uint32_t busy = 0;

    for (uint32_t i = 0; i < worker->held_count; i++) {
        if (worker->held[i].at.state <= HELD_AT_WORK) busy++;
    }
    return busy;
}

/* ---- questions to the server ---- */

static void held_prove(struct held *held, struct str nonce)
{
    (void)hmac_sha256(STR("claim"), &nonce, 1, held->proof);
}

/* The worker's; of one that says none the link draws it, and then no other link goes on with it. */
static void held_token(struct held *held, struct str token)
{
    if (token.size > 0) snprintf(held->token, sizeof held->token, "%.*s", STR_ARG(token));
    else random_word(held->token, TOKEN_BYTES);
}

static void claim_subject(const struct held *held, char out[SUBJECT_BYTES_MAX])
{
    snprintf(out, SUBJECT_BYTES_MAX, "%s%s", stream_prefix(STREAM_CLAIMS), held->key);
}

static void on_answer(void *owner, const char *key, uint64_t tag, const struct answer *answer);

/* What is alike in all questions. */
static struct question question_of(struct worker *worker, const struct held *held,
                                   enum held_ask ask)
{
    return (struct question){
        .patience_ms = ask == HELD_RENEW || ask == HELD_READ_RENEWED ? 0 : BUS_FOR_EVER,
        .key = held->key, .tag = held->number * HELD_ASK_COUNT + ask, .owner = worker,
        .on_answer = on_answer,
    };
}

static void claim_put(struct worker *worker, const struct held *held, enum held_ask ask)
{
    char subject[SUBJECT_BYTES_MAX], seq[24], text[512];
    struct bus_header header = { "Nats-Expected-Last-Subject-Sequence", seq };
    struct question question = question_of(worker, held, ask);

    claim_subject(held, subject);
    snprintf(seq, sizeof seq, "%" PRIu64, ask == HELD_CREATE ? 0 : held->at.claim_seq);
    snprintf(text, sizeof text,
             "{\"worker\":\"%s\",\"proof\":\"%s\",\"token\":\"%s\",\"begun\":%s}", worker->id,
             held->proof, held->token, held_has_begun(&held->at) ? "true" : "false");
    question.subject = subject;
    question.data = str_of(text);
    question.headers = &header;
    question.header_count = 1;
    bus_ask(worker->bus, &question);
}

static void claim_read(struct worker *worker, const struct held *held, enum held_ask ask)
{
    char subject[SUBJECT_BYTES_MAX];
    struct question question = question_of(worker, held, ask);

    claim_subject(held, subject);
    subject_read_raw(worker->bus, STREAM_CLAIMS, subject, &question);
}

/* The result says the nonce: this start of the link has not heard it. */
static void claim_check(struct worker *worker, struct held *held)
{
    yyjson_doc *doc = yyjson_read(held->result.data, held->result.size, 0);

    held_prove(held, json_str(yyjson_doc_get_root(doc), "nonce"));
    yyjson_doc_free(doc);
    claim_read(worker, held, HELD_CHECK);
}

static void driver_read(struct worker *worker, const struct held *held)
{
    char subject[SUBJECT_BYTES_MAX];
    struct question question = question_of(worker, held, HELD_DRIVER);
    struct fleet_key parts;

    if (!fleet_key_read(str_of(held->key), &parts)) return;
    snprintf(subject, sizeof subject, "%s%.*s", stream_prefix(STREAM_DRIVERS), STR_ARG(parts.run));
    subject_read_raw(worker->bus, STREAM_DRIVERS, subject, &question);
}

static void result_store(struct worker *worker, const struct held *held)
{
    char subject[SUBJECT_BYTES_MAX];
    struct question question = question_of(worker, held, HELD_STORE);

    snprintf(subject, sizeof subject, "%s%s", stream_prefix(STREAM_RESULTS), held->key);
    question.subject = subject;
    question.data = held->result;
    bus_ask(worker->bus, &question);
}

/* Its driver sees the tombstone before the claim would run out. Where the claim was renewed or is
 * another's meanwhile, it stays. */
static void claim_entomb(struct worker *worker, const struct held *held)
{
    char subject[SUBJECT_BYTES_MAX], seq[24];
    struct bus_header headers[] = {
        { "KV-Operation", "DEL" }, { "Nats-Expected-Last-Subject-Sequence", seq },
    };

    claim_subject(held, subject);
    snprintf(seq, sizeof seq, "%" PRIu64, held->at.claim_seq);
    bus_ask(worker->bus, &(struct question){
        .subject = subject, .data = STR("lost"), .headers = headers, .header_count = 2,
    });
}

/* ---- acts ---- */

static void held_ask(struct worker *worker, struct held *held, enum held_ask ask)
{
    switch (ask) {
    case HELD_CREATE:
    case HELD_RENEW: claim_put(worker, held, ask); break;
    case HELD_READ:
    case HELD_READ_RENEWED: claim_read(worker, held, ask); break;
    case HELD_DRIVER: driver_read(worker, held); break;
    case HELD_CHECK: claim_check(worker, held); break;
    case HELD_STORE: result_store(worker, held); break;
    case HELD_ASK_COUNT: break;
    }
}

static void held_say(struct worker *worker, const struct held *held, const struct held_act *act)
{
    struct fleet_line line = { .kind = act->line, .k = str_of(held->key) };

    if (act->line == FLEET_STOP) {
        line.stop = act->why;
        line.why = str_of(fleet_stop_word(act->why));
    }
    loop_say(worker->loop, &line);
}

static void held_perform(struct worker *worker, struct held *held, const struct held_act *act)
{
    switch (act->kind) {
    case HELD_ASKS: held_ask(worker, held, act->ask); break;
    case HELD_SAYS: held_say(worker, held, act); break;
    case HELD_ACKS: queue_ack(worker, held); break;
    case HELD_GIVES_BACK: queue_give_back(worker, held->ack, act->pause_ms); break;
    case HELD_IS_AT_IT: queue_is_at_it(worker, held); break;
    case HELD_ENTOMBS: claim_entomb(worker, held); break;
    case HELD_ACT_COUNT: break;
    }
}

void held_happens(struct worker *worker, struct held *held, struct held_event event)
{
    struct held_acts acts;

    event.now_ms = uptime_ms();
    held_step(&held->at, &event, &acts);
    if (held->at.state == HELD_AT_WORK && held->claimed_ms == 0) held->claimed_ms = event.now_ms;
    for (uint32_t i = 0; i < acts.count; i++) held_perform(worker, held, &acts.list[i]);
    if (!held->at.has_result) result_drop(held);
    if (held->at.state == HELD_GONE) held_drop(worker, held);
}

void held_each(struct worker *worker, enum held_event_kind kind)
{
    /* From the end, since the last takes the place of one that goes. */
    for (uint32_t i = worker->held_count; i-- > 0;) {
        held_happens(worker, &worker->held[i], (struct held_event){ .kind = kind });
    }
}

/* ---- answers of the server ---- */

/* What a claim that was read says. */
static enum held_answer claim_says(const struct worker *worker, const struct held *held,
                                   enum held_ask ask, const struct bus_message *claim)
{
    enum held_answer word = HELD_OTHERS;
    yyjson_doc *doc;
    yyjson_val *root;

    if (bus_header(claim, "KV-Operation")) {
        return str_is(claim->data, fleet_stop_word(FLEET_CANCEL)) ? HELD_CANCELLED : HELD_DEAD;
    }
    doc = yyjson_read(claim->data.data, claim->data.size, 0);
    root = yyjson_doc_get_root(doc);
    if (str_is(json_str(root, "worker"), worker->id) &&
        str_is(json_str(root, "proof"), held->proof) &&
        (ask == HELD_CHECK || str_is(json_str(root, "token"), held->token))) word = HELD_OURS;
    yyjson_doc_free(doc);
    return word;
}

/* The stream or the account has no room, the disk neither, or the server has too much to do. */
static bool is_full(const struct answer *answer)
{
    enum { JS_ACCOUNT_FULL = 10002, JS_BUSY = 10023, JS_MEMORY_FULL = 10028, JS_DISK_FULL = 10047 };

    return answer->kind == ANSWER_NO &&
           (answer->code == JS_STORE_FAILED || answer->code == JS_ACCOUNT_FULL ||
            answer->code == JS_BUSY || answer->code == JS_MEMORY_FULL ||
            answer->code == JS_DISK_FULL);
}

static bool is_there_already(const struct answer *answer)
{
    return answer->code == JS_STORE_FAILED && strstr(answer->why, "per subject");
}

static enum held_answer answer_word(const struct worker *worker, const struct held *held,
                                    enum held_ask ask, const struct answer *answer)
{
    if (answer->kind == ANSWER_AWAY) return HELD_UNKNOWN;
    switch (ask) {
    case HELD_CREATE:
    case HELD_RENEW:
        if (answer->kind == ANSWER_YES) return HELD_DONE;
        return answer->code == JS_WRONG_LAST ? HELD_WRONG : HELD_REFUSED;
    case HELD_DRIVER:
    case HELD_READ:
    case HELD_READ_RENEWED:
    case HELD_CHECK:
        if (answer->kind == ANSWER_NONE) return HELD_NOWHERE;
        if (answer->kind == ANSWER_NO) return HELD_REFUSED;
        if (ask == HELD_DRIVER) return HELD_THERE;
        return claim_says(worker, held, ask, answer->message);
    case HELD_STORE:
        if (answer->kind == ANSWER_YES || is_there_already(answer)) return HELD_DONE;
        return is_full(answer) ? HELD_FULL : HELD_REFUSED;
    case HELD_ASK_COUNT: break;
    }
    return HELD_REFUSED;
}

/* It is asked again and again: a person reads it once. */
static void unstored_tell(struct held *held, const char *what, const char *why)
{
    if (held->told) return;
    held->told = true;
    loop_tell("%s of %s is not stored yet: %s", what, held->key, why ? why : "no answer");
}

static void refusal_tell(struct held *held, const struct held_event *event, const char *why)
{
    if (event->ask == HELD_STORE && event->answer != HELD_DONE) {
        unstored_tell(held, "the result", why);
    } else if (event->answer == HELD_REFUSED && held->at.state == HELD_BEGINNING) {
        loop_tell("%s cannot be claimed: %s", held->key, why ? why : "no answer");
    }
}

/* The claim that a result is stored under was made by another start of this link: it goes on under
 * the same token, since the driver counts no renewal of another one. */
static void token_take(struct held *held, const struct bus_message *claim)
{
    yyjson_doc *doc = yyjson_read(claim->data.data, claim->data.size, 0);
    struct str token = json_str(yyjson_doc_get_root(doc), "token");

    if (held->token[0] == '\0' && fleet_name_is(token)) held_token(held, token);
    yyjson_doc_free(doc);
}

static void on_answer(void *owner, const char *key, uint64_t tag, const struct answer *answer)
{
    struct worker *worker = owner;
    struct held *held = held_find(worker, str_of(key));
    struct held_event event = { .kind = HELD_ANSWERED, .seq = answer->seq };

    if (!held || held->number != tag / HELD_ASK_COUNT) return;
    event.ask = (enum held_ask)(tag % HELD_ASK_COUNT);
    event.answer = answer_word(worker, held, event.ask, answer);
    event.driver_is_there = runs_driver_is_there(worker, key);
    if (event.ask == HELD_CHECK && event.answer == HELD_OURS) token_take(held, answer->message);
    refusal_tell(held, &event, answer->why);
    held_happens(worker, held, event);
}

/* ---- lines of the worker ---- */

/* One that is not held is of another start of the link: from the worker's outbox. NULL: too many
 * are held, and the worker says it again later. */
static struct held *held_of_result(struct worker *worker, struct str key)
{
    struct held *held = held_find(worker, key);

    if (held) return held;
    if (worker->held_count >= HELD_MAX) make_room(worker);
    if (worker->held_count >= HELD_MAX) return NULL;
    runs_use(worker, key, 0);
    return held_new(worker, key, HELD_CHECKING);
}

static void hear_begin(struct worker *worker, const struct fleet_line *line)
{
    struct held *held = held_find(worker, line->k);

    if (!held && line->token.size > 0 && worker->held_count < HELD_MAX) {
        runs_use(worker, line->k, line->lease_ms);
        held = held_new(worker, line->k, HELD_OFFERED);
    }
    if (!held) {
        loop_say(worker->loop, &(struct fleet_line){ .kind = FLEET_GONE, .k = line->k });
        return;
    }
    if (held->at.state == HELD_OFFERED) {
        held_prove(held, line->nonce);
        held_token(held, line->token);
    }
    held_happens(worker, held, (struct held_event){ .kind = HELD_BEGIN, .begun = line->begun });
}

/* Its driver is told why, where it hears it. */
static void hear_skip(struct worker *worker, const struct fleet_line *line)
{
    struct held *held = held_find(worker, line->k);
    struct skip skip = { .missing = line->missing };
    size_t size = 0;

    if (!held || held->at.state != HELD_OFFERED) return;
    for (size_t i = 0; i < line->why.size && size < sizeof skip.why - 1; i++) {
        char byte = line->why.data[i];

        skip.why[size++] = (unsigned char)byte < ' ' || byte == 127 ? ' ' : byte;
    }
    if (size == 0) snprintf(skip.why, sizeof skip.why, "it does not say why");
    snprintf(skip.key, sizeof skip.key, "%s", held->key);
    (void)queue_skipped(worker, &skip);
    held_happens(worker, held, (struct held_event){ .kind = HELD_SKIP });
}

static void hear_said(struct worker *worker, const struct fleet_line *line)
{
    struct held *held = held_find(worker, line->k);
    char subject[SUBJECT_BYTES_MAX], at[24];
    struct bus_header header = { "Hone-At", at };

    if (!held || held->at.state != HELD_AT_WORK) return;
    snprintf(subject, sizeof subject, "hone.log.%s", held->key);
    snprintf(at, sizeof at, "%" PRIu64, line->at);
    bus_say(worker->bus, subject, NULL, line->data, &header, 1);
}

static bool beat_names(const struct fleet_line *line, const char *key)
{
    for (uint32_t i = 0; i < line->beat_count; i++) {
        if (str_is(line->beats[i], key)) return true;
    }
    return false;
}

static void hear_beat(struct worker *worker, const struct fleet_line *line)
{
    for (uint32_t i = worker->held_count; i-- > 0;) {
        struct held *held = &worker->held[i];

        held_happens(worker, held, (struct held_event){
            .kind = HELD_BEAT, .named = beat_names(line, held->key),
        });
    }
}

/* One that is refused for another reason than room will never be stored: the result goes without
 * it, and its driver, which does not find it, asks for another attempt. */
static void on_piece_stored(void *owner, const char *key, uint64_t number,
                            const struct answer *answer)
{
    struct worker *worker = owner;
    struct held *held = held_find(worker, str_of(key));

    if (!held || held->number != number) return;
    if (answer->kind != ANSWER_YES) unstored_tell(held, "a piece of the result", answer->why);
    held_happens(worker, held, (struct held_event){
        .kind = is_full(answer) || answer->kind == ANSWER_AWAY ? HELD_PIECE_REFUSED
                                                               : HELD_PIECE_STORED,
    });
}

static void hear_piece(struct worker *worker, const struct fleet_line *line)
{
    struct blob_piece piece = fleet_line_piece(line);
    struct held *held;
    char place[SUBJECT_BYTES_MAX];

    if (!fleet_key_is(line->k)) {
        loop_tell("a piece of a blob names no attempt (k), and is skipped");
        return;
    }
    held = held_of_result(worker, line->k);
    if (!held || !held_takes_pieces(&held->at)) return;
    held_happens(worker, held, (struct held_event){ .kind = HELD_PIECE });
    snprintf(place, sizeof place, "hone.back.%s", held->key);
    blob_put(worker->bus, place, &piece, held->key, held->number, worker, on_piece_stored);
}

static void hear_ended(struct worker *worker, const struct fleet_line *line)
{
    struct held *held = held_of_result(worker, line->k);

    if (!held) return;
    if (!held->at.has_result) {
        held->result.data = mem_copy(line->result.data, line->result.size);
        held->result.size = line->result.size;
    }
    held_happens(worker, held, (struct held_event){ .kind = HELD_RESULT });
}

static void hear_lost(struct worker *worker, const struct fleet_line *line)
{
    struct held *held = held_find(worker, line->k);

    if (held) held_happens(worker, held, (struct held_event){ .kind = HELD_LOSE });
}

void held_hears(struct worker *worker, const struct fleet_line *line)
{
    switch ((unsigned)line->kind) {
    case FLEET_BEGIN: hear_begin(worker, line); break;
    case FLEET_SKIP: hear_skip(worker, line); break;
    case FLEET_SAID: hear_said(worker, line); break;
    case FLEET_BLOB: hear_piece(worker, line); break;
    case FLEET_ENDED: hear_ended(worker, line); break;
    case FLEET_LOST: hear_lost(worker, line); break;
    case FLEET_BEAT: hear_beat(worker, line); break;
    default: break;
    }
}

/* ---- messages of drivers ---- */

void held_cancel(void *owner, const struct bus_message *message)
{
    struct worker *worker = owner;
    struct str key = str_skip(str_of(message->subject), strlen("hone.cancel."));
    const char *word = bus_header(message, "Hone-Stop");
    struct held *held = held_find(worker, key);
    struct held_event event = { .kind = HELD_CANCEL };

    if (!held || !word) return;
    event.may = strcmp(word, fleet_kind_word(FLEET_GO)) == 0;
    if (event.may || strcmp(word, fleet_kind_word(FLEET_GONE)) == 0) {
        if (!str_is(message->data, held->token)) return; /* it is about another claim */
        event.kind = HELD_LET;
    } else if (strcmp(word, fleet_kind_word(FLEET_FORGET)) == 0) {
        event.kind = HELD_FORGET;
    }
    held_happens(worker, held, event);
}
