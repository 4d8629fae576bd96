/* SPDX-License-Identifier: Apache-2.0
 *
 * driver.c - the driver's end: from hello to bye.
 *
 *     hello --> streams made --> the run is ours (epoch) --> ready --> lines are taken
 *                                 | a larger epoch is there, now or later
 *                                 v
 *                               fenced: nothing more is done
 *
 * 1. The run belongs to the driver with the largest epoch: $KV.HONE_DRIVERS.RUN, by
 *    compare-and-set. It is renewed by the driver's own `beat` lines and by nothing else: a link
 *    whose driver hangs keeps no agent alive.
 * 2. Before `ready` nothing of the driver's is stored, and after `fenced` nothing.
 * 3. The end of standard input is a `bye` without `ended`: agents at work end 2 L later, and what
 *    they finished waits.
 * 4. `bye` with `ended` removes all of the run, and waits for that CARRY_BYE_MS at most. What stays
 *    then is removed by its age. It begins when no question about the driver's own record is under
 *    way, and puts that no more: it would be there again behind its removal. A larger epoch that is
 *    found meanwhile fences: then nothing is removed.
 * 5. A base blob that workers want is asked for once at a time, WANTED_MAX of them at most, and
 *    none while the driver has not read what there is. A worker asks again.
 *
 * Not here: what becomes of attempts (driver_attempts.c, driver_watch.c, driver_workers.c), who is
 * there (driver_who.c). */
#include "link/driver.h"

#include "base/mem.h"
#include "carry/carry.h"
#include "format/json/json.h"
#include "io/file/uptime.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAKE_MS = 1000, CODE_FENCED = 3, BLOBS_REFUSED_MAX = 1024, READY_MS = 30000,
    JUST_SENT_MS = 3000, /* a worker that asks for what was sent just now has not seen it */
};

static void drivers_subject(const struct driver *driver, char out[SUBJECT_BYTES_MAX])
{
    snprintf(out, SUBJECT_BYTES_MAX, "%s%s", stream_prefix(STREAM_DRIVERS), driver->run);
}

static void say(struct driver *driver, enum fleet_kind kind, const char *why)
{
    loop_say(driver->loop, &(struct fleet_line){ .kind = kind, .why = str_of(why) });
}

/* Lines are taken from now on. */
static void is_ready(struct driver *driver)
{
    driver->ready = true;
    driver->ready_ms = uptime_ms();
    workers_call(driver);
    loop_say(driver->loop, &(struct fleet_line){
        .kind = FLEET_READY, .v = FLEET_V, .carrier = str_of(bus_name(driver->bus)),
        .lease_ms = driver->lease_ms,
    });
}

/* ---- whose run it is ---- */

static void epoch_put(struct driver *driver);
static void purge_next(struct driver *driver);
static void on_epoch_read(void *owner, const char *key, uint64_t tag, const struct answer *answer);

static void epoch_read(struct driver *driver)
{
    char subject[SUBJECT_BYTES_MAX];

    drivers_subject(driver, subject);
    subject_read(driver->bus, STREAM_DRIVERS, subject, &(struct question){
        .patience_ms = BUS_FOR_EVER, .owner = driver, .on_answer = on_epoch_read,
    });
}

static void fence(struct driver *driver, uint64_t epoch, const char *host)
{
    char why[400];

    driver->fenced = true;
    snprintf(why, sizeof why, "another driver has the run: on %s, since %" PRIu64,
             host ? host : "another machine", epoch);
    say(driver, FLEET_FENCED, why);
    loop_stop(driver->loop, CODE_FENCED);
}

static void on_epoch_put(void *owner, const char *key, uint64_t tag, const struct answer *answer)
{
    struct driver *driver = owner;

    (void)key;
    (void)tag;
    driver->beating = false;
    if (answer->kind == ANSWER_YES) {
        driver->driver_seq = answer->seq;
        if (!driver->ready) is_ready(driver);
        if (driver->cleaning) purge_next(driver);
    } else if (answer->kind == ANSWER_NO && answer->code == JS_WRONG_LAST) {
        driver->beating = true;
        epoch_read(driver);
    } else if (answer->kind == ANSWER_NO) {
        loop_tell("the run cannot be claimed: %s", answer->why);
        if (!driver->ready) loop_stop(driver->loop, 1);
        if (driver->cleaning) purge_next(driver);
    } else if (!driver->ready) {
        driver->beating = true;
        epoch_read(driver);
    } else if (driver->cleaning) {
        purge_next(driver);
    }
}

static void on_epoch_read(void *owner, const char *key, uint64_t tag, const struct answer *answer)
{
    struct driver *driver = owner;
    yyjson_doc *doc = NULL;
    uint64_t epoch = 0;
    yyjson_val *root;

    (void)key;
    (void)tag;
    driver->beating = false;
    driver->driver_seq = answer->kind == ANSWER_YES ? answer->seq : 0;
    if (answer->kind == ANSWER_YES && !claim_is_dead(answer)) {
        doc = yyjson_read(answer->message->data.data, answer->message->data.size, 0);
    }
    root = yyjson_doc_get_root(doc);
    (void)json_uint(root, "epoch", &epoch);
    if (epoch > driver->epoch) fence(driver, epoch, yyjson_get_str(yyjson_obj_get(root, "host")));
    else if (driver->cleaning) purge_next(driver); /* 4 */
    else epoch_put(driver);
    yyjson_doc_free(doc);
}

/* Asked once where the run is ours already: the next beat asks again. */
static void epoch_put(struct driver *driver)
{
    char subject[SUBJECT_BYTES_MAX], seq[24];
    struct bus_header header = { "Nats-Expected-Last-Subject-Sequence", seq };
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc);
    struct buf text;

    drivers_subject(driver, subject);
    snprintf(seq, sizeof seq, "%" PRIu64, driver->driver_seq);
    yyjson_mut_obj_add_uint(doc, root, "epoch", driver->epoch);
    json_add(doc, root, "host", driver->host);
    buf_init(&text, 4096);
    json_finish(doc, false, &text);
    driver->beating = true;
    bus_ask(driver->bus, &(struct question){
        .subject = subject, .data = buf_str(&text), .headers = &header, .header_count = 1,
        .patience_ms = 0, .owner = driver, .on_answer = on_epoch_put,
    });
    buf_release(&text);
}

/* ---- hello ---- */

static void on_said(void *owner, const struct bus_message *message);
static void on_need(void *owner, const struct bus_message *message);

static int listen_all(struct driver *driver, struct err *err)
{
    struct bus *bus = driver->bus;
    char subject[SUBJECT_BYTES_MAX];
    int rc = who_open(&driver->who, driver, err);

    if (!driver->run[0]) return rc;
    snprintf(subject, sizeof subject, "hone.result.%s.>", driver->run);
    if (rc == 0) rc = bus_listen(bus, subject, watch_result, driver, err);
    snprintf(subject, sizeof subject, "$KV.HONE_CLAIMS.%s.>", driver->run);
    if (rc == 0) rc = bus_listen(bus, subject, watch_claim, driver, err);
    snprintf(subject, sizeof subject, "hone.log.%s.>", driver->run);
    if (rc == 0) rc = bus_listen(bus, subject, on_said, driver, err);
    snprintf(subject, sizeof subject, "hone.need.%s", driver->run);
    if (rc == 0) rc = bus_listen(bus, subject, on_need, driver, err);
    if (rc != 0) return rc;
    return bus_listen(bus, "$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.HONE_JOBS.*", watch_poison,
                      driver, err);
}

static void on_streams(void *owner, const char *problem)
{
    struct driver *driver = owner;

    driver->made_ms = uptime_ms();
    if (problem) {
        loop_tell("%s", problem);
        if (!driver->streams_made) loop_stop(driver->loop, 1);
        return;
    }
    if (driver->streams_made) {
        watch_back(driver);
        return;
    }
    driver->streams_made = true;
    if (driver->run[0]) epoch_read(driver);
    else is_ready(driver);
}

static void greet(struct driver *driver, const struct fleet_line *line)
{
    struct err err;

    if (driver->greeted || !end_greets(driver->loop, line)) return;
    driver->greeted = true;
    driver->greeted_ms = uptime_ms();
    snprintf(driver->run, sizeof driver->run, "%.*s", STR_ARG(line->run));
    snprintf(driver->host, sizeof driver->host, "%.*s", STR_ARG(line->host));
    driver->epoch = line->epoch;
    driver->lease_ms = line->lease_ms ? line->lease_ms : FLEET_LEASE_MS;
    if (listen_all(driver, &err) != 0) {
        loop_tell("%s", err.text);
        loop_stop(driver->loop, 1);
        return;
    }
    driver->streams.bus = driver->bus;
    driver->streams.owner = driver;
    driver->streams.on_done = on_streams;
    streams_make(&driver->streams);
}

/* ---- blobs ---- */

static struct wanted *wanted_find(struct driver *driver, struct str id)
{
    for (uint32_t i = 0; i < driver->wanted_count; i++) {
        if (str_is(id, driver->wanted[i].id)) return &driver->wanted[i];
    }
    return NULL;
}

/* In the place of one that was sent long enough ago, where there is no other. NULL: there is no
 * room now. */
static struct wanted *wanted_new(struct driver *driver, struct str id, uint64_t now_ms)
{
    struct wanted *wanted = NULL;

    if (driver->wanted_count < WANTED_MAX) wanted = &driver->wanted[driver->wanted_count++];
    for (uint32_t i = 0; i < WANTED_MAX && !wanted; i++) {
        struct wanted *old = &driver->wanted[i];

        if (!old->on_its_way && now_ms >= old->sent_ms + JUST_SENT_MS) wanted = old;
    }
    if (wanted) snprintf(wanted->id, sizeof wanted->id, "%.*s", STR_ARG(id));
    return wanted;
}

/* Whole, or it cannot be had: a worker that waits for it then gives up in time. */
static void wanted_sent(struct driver *driver, struct str id)
{
    struct wanted *wanted = wanted_find(driver, id);
    uint64_t now_ms = uptime_ms();
    enum fleet_blob_kind kind;

    if (!fleet_blob_is(id, &kind) || kind != FLEET_BLOB_BASE) return;
    if (!wanted) wanted = wanted_new(driver, id, now_ms); /* a link before this one was asked */
    if (!wanted) return;
    wanted->on_its_way = false;
    wanted->sent_ms = now_ms;
}

static void place_of_run(const struct driver *driver, char out[SUBJECT_BYTES_MAX])
{
    snprintf(out, SUBJECT_BYTES_MAX, "hone.blob.%s", driver->run);
}

static void refuse_blob(struct driver *driver, const char *id, const char *why)
{
    loop_tell("the blob %s is not stored: %s", id, why);
    if (driver->refused_count == BLOBS_REFUSED_MAX) return;
    driver->blobs_refused = mem_grow(driver->blobs_refused, driver->refused_count,
                                     &driver->refused_cap, sizeof *driver->blobs_refused);
    snprintf(driver->blobs_refused[driver->refused_count++], FLEET_BLOB_ID_BYTES, "%s", id);
}

/* Pieces are answered in any order: all up to the first that was not are stored. */
static void on_piece_stored(void *owner, const char *key, uint64_t number,
                            const struct answer *answer)
{
    struct driver *driver = owner;

    if (answer->kind != ANSWER_YES) refuse_blob(driver, key, answer->why);
    driver->piece_stored[number % PIECES_MAX] = true;
    while (driver->pieces_stored < driver->pieces_put &&
           driver->piece_stored[driver->pieces_stored % PIECES_MAX]) {
        driver->piece_stored[driver->pieces_stored++ % PIECES_MAX] = false;
    }
    carried_release_held(driver);
}

static void put_blob(struct driver *driver, const struct fleet_line *line)
{
    struct blob_piece piece = fleet_line_piece(line);
    char place[SUBJECT_BYTES_MAX], id[FLEET_BLOB_ID_BYTES];

    for (uint32_t i = 0; i < driver->refused_count; i++) { /* once more, from its beginning */
        if (piece.at != 0 || !str_is(piece.id, driver->blobs_refused[i])) continue;
        memcpy(driver->blobs_refused[i], driver->blobs_refused[--driver->refused_count],
               FLEET_BLOB_ID_BYTES);
        break;
    }
    if (piece.at + piece.data.size == piece.bytes) wanted_sent(driver, piece.id);
    place_of_run(driver, place);
    snprintf(id, sizeof id, "%.*s", STR_ARG(piece.id));
    blob_put(driver->bus, place, &piece, id, driver->pieces_put++, driver, on_piece_stored);
}

static void on_need(void *owner, const struct bus_message *message)
{
    struct driver *driver = owner;
    enum fleet_blob_kind kind;
    uint64_t now_ms = uptime_ms();
    struct wanted *wanted;

    if (!fleet_blob_is(message->data, &kind) || kind != FLEET_BLOB_BASE || driver->fenced ||
        loop_is_full(driver->loop)) return;
    wanted = wanted_find(driver, message->data);
    if (wanted && (wanted->on_its_way || now_ms < wanted->sent_ms + JUST_SENT_MS)) return;
    if (!wanted) wanted = wanted_new(driver, message->data, now_ms);
    if (!wanted) return;
    wanted->on_its_way = true;
    loop_say(driver->loop, &(struct fleet_line){ .kind = FLEET_NEED, .id = message->data });
}

/* ---- what workers say beside ---- */

static void on_said(void *owner, const struct bus_message *message)
{
    struct driver *driver = owner;
    struct str key = str_skip(str_of(message->subject), strlen("hone.log."));
    struct carried *attempt = fleet_key_is(key) ? carried_find(driver, key) : NULL;

    if (!attempt || driver->fenced) return;
    if (bus_header(message, "Hone-Skip")) {
        workers_skipped(driver, attempt, message);
        return;
    }
    if (loop_is_full(driver->loop) ||
        message->data.size > FLEET_PIECE_BYTES_MAX) return;
    loop_say(driver->loop, &(struct fleet_line){
        .kind = FLEET_SAID, .k = key, .at = bus_header_number(message, "Hone-At"),
        .data = message->data,
    });
}

/* ---- bye ---- */

static void on_purged(void *owner, const char *key, uint64_t tag, const struct answer *answer)
{
    (void)tag;
    if (answer->kind == ANSWER_NO) loop_tell("remove %s: %s", key, answer->why);
    purge_next(owner);
}

/* One after the other: a worker that finds no claim any more finds no record of the driver. */
static void purge_next(struct driver *driver)
{
    static const struct { enum stream stream; const char *filter; } rows[] = {
        { STREAM_DRIVERS, "$KV.HONE_DRIVERS.%s" },
        { STREAM_JOBS, "hone.job.*.%s.>" },
        { STREAM_CLAIMS, "$KV.HONE_CLAIMS.%s.>" },
        { STREAM_RESULTS, "hone.result.%s.>" },
        { STREAM_BLOBS, "hone.blob.%s.>" },
        { STREAM_BLOBS, "hone.back.%s.>" },
    };
    char filter[SUBJECT_BYTES_MAX];
    const char *mark;

    if (driver->purged == sizeof rows / sizeof *rows) return;
    mark = strstr(rows[driver->purged].filter, "%s");
    snprintf(filter, sizeof filter, "%.*s%s%s", (int)(mark - rows[driver->purged].filter),
             rows[driver->purged].filter, driver->run, mark + 2);
    subject_purge(driver->bus, rows[driver->purged++].stream, filter, driver, on_purged);
}

static void clean_up(struct driver *driver)
{
    struct bus_header header = { "Hone-Stop", fleet_stop_word(FLEET_CANCEL) };
    char filter[SUBJECT_BYTES_MAX];

    for (uint32_t i = 0; i < driver->carried_count; i++) {
        if (driver->attempts[i]->at.state != CARRIED_TAKEN) continue;
        snprintf(filter, sizeof filter, "hone.cancel.%s", driver->attempts[i]->key);
        bus_say(driver->bus, filter, NULL, (struct str){ 0 }, &header, 1);
    }
    driver->cleaning = true;
    if (!driver->beating) purge_next(driver);
    driver->said_ms = uptime_ms();
}

static void on_bye(struct driver *driver, bool ended)
{
    if (driver->ending) return;
    driver->ending = true;
    if (ended && driver->run[0] && !driver->fenced) clean_up(driver);
    else loop_stop(driver->loop, 0);
}

/* ---- lines, and the clock ---- */

static void on_beat(struct driver *driver)
{
    if (driver->run[0] && driver->ready && !driver->beating) epoch_put(driver);
}

static void get_blob(struct driver *driver, const struct fleet_line *line)
{
    char place[SUBJECT_BYTES_MAX];

    snprintf(place, sizeof place, "hone.back.%.*s", STR_ARG(line->k));
    blob_bring(driver->blobs, place, line->id, false);
}

static bool is_of_run(const struct driver *driver, const struct fleet_line *line)
{
    struct fleet_key key;

    return line->k.size == 0 ||
           (fleet_key_read(line->k, &key) && str_is(key.run, driver->run));
}

static void on_line(void *owner, const struct fleet_line *line)
{
    struct driver *driver = owner;

    if (driver->fenced || driver->ending) return;
    if (line->kind == FLEET_HELLO) {
        greet(driver, line);
        return;
    }
    if (!driver->greeted && line->kind != FLEET_BYE) {
        loop_tell("hello comes first");
        return;
    }
    if (!is_of_run(driver, line)) {
        loop_tell("%.*s is no attempt of the run %s", STR_ARG(line->k), driver->run);
        return;
    }
    switch ((unsigned)line->kind) {
    case FLEET_BLOB: put_blob(driver, line); break;
    case FLEET_JOB: carried_job(driver, line); break;
    case FLEET_STOP: carried_want(driver, line->k, CARRIED_STOP); break;
    case FLEET_ASK: carried_ask(driver, line); break;
    case FLEET_GET: get_blob(driver, line); break;
    case FLEET_FORGET: carried_want(driver, line->k, CARRIED_FORGET); break;
    case FLEET_WHO: who_ask(driver->who); break;
    case FLEET_BEAT: on_beat(driver); break;
    case FLEET_BYE: on_bye(driver, line->ended); break;
    case FLEET_NONE: wanted_sent(driver, line->id); break;
    default: break;
    }
}

static bool takes_lines(void *owner)
{
    struct driver *driver = owner;

    return !driver->greeted ||
           (driver->ready && driver->pieces_put - driver->pieces_stored < PIECES_MAX - 1);
}

static void on_eof(void *owner)
{
    on_bye(owner, false);
}

static void on_tick(void *owner)
{
    struct driver *driver = owner;
    uint64_t now_ms = uptime_ms();

    if (driver->fenced) return;
    if (driver->cleaning) {
        if (bus_asked(driver->bus) == 0) loop_stop(driver->loop, 0);
        else if (now_ms > driver->said_ms + CARRY_BYE_MS) loop_stop(driver->loop, 1);
        else loop_hurry(driver->loop);
        return;
    }
    if (driver->greeted && !driver->ready && now_ms > driver->greeted_ms + READY_MS) {
        loop_tell("JetStream does not answer: is it switched on in the server's configuration?");
        loop_stop(driver->loop, 1);
    }
    if (!driver->ready) return;
    if (now_ms >= driver->said_ms + carry_beat_ms(driver->lease_ms)) {
        driver->said_ms = now_ms;
        say(driver, FLEET_BEAT, NULL);
    }
    who_tick(driver->who, now_ms);
    watch_tick(driver);
    blobs_tick(driver->blobs, now_ms);
}

/* ---- the server ---- */

static void make_streams_again(void *owner)
{
    struct driver *driver = owner;
    uint64_t now_ms = uptime_ms();

    if (!driver->streams_made || driver->streams.left > 0 || driver->cleaning) return;
    if (now_ms < driver->made_ms + MAKE_MS) return;
    driver->made_ms = now_ms;
    streams_make(&driver->streams);
}

static void on_away(void *owner, const char *why)
{
    struct driver *driver = owner;

    pools_forget(driver);
    if (driver->ready) say(driver, FLEET_AWAY, why);
}

static void on_back(void *owner)
{
    struct driver *driver = owner;

    if (driver->ready) say(driver, FLEET_BACK, NULL);
    driver->made_ms = 0;
    make_streams_again(driver);
}

static int on_open(void *owner, struct loop *loop, struct bus *bus, struct blobs *blobs,
                   struct err *err)
{
    struct driver *driver = owner;

    (void)err;
    driver->loop = loop;
    driver->bus = bus;
    driver->blobs = blobs;
    return 0;
}

static void driver_free(struct driver *driver)
{
    for (uint32_t i = 0; i < driver->carried_count; i++) carried_free(driver->attempts[i]);
    text_map_release(&driver->by_key);
    who_free(driver->who);
    free(driver->attempts);
    free(driver->over);
    free(driver->lives);
    free(driver->pools);
    free(driver->piece_stored);
    free(driver->blobs_refused);
    free(driver);
}

int driver_serve(const struct bus_target *target)
{
    struct driver *driver = mem_alloc(sizeof *driver);
    const struct end end = {
        .lines = { .hears = FLEET_DRIVER, .says = FLEET_TO_DRIVER, .owner = driver,
                   .on_line = on_line, .on_tick = on_tick, .takes_lines = takes_lines,
                   .on_eof = on_eof },
        .on_open = on_open, .on_away = on_away, .on_back = on_back,
        .on_missing = make_streams_again,
    };
    int code;

    driver->piece_stored = mem_alloc(PIECES_MAX * sizeof *driver->piece_stored);
    driver->over = mem_alloc(OVER_KEPT * sizeof *driver->over);
    driver->lease_ms = FLEET_LEASE_MS;
    code = end_serve(&end, target);
    driver_free(driver);
    return code;
}
