/* SPDX-License-Identifier: Apache-2.0
 *
 * streams.c - streams and consumers, as requests to the server's own subjects ($JS.API).
 *
 * 1. A server reserves what a stream may hold at most: where that is refused, less is asked for,
 *    down to BYTES_LEAST.
 * 2. One is made after the other: of two refusals at a time the library may tell the last one
 *    twice.
 * 3. A stream that is there with other settings is an administrator's, and is used as it is. */
#include "link/streams.h"

#include "base/buf.h"
#include "carry/carry.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define DAY_NS UINT64_C(86400000000000)
#define BYTES_LEAST (UINT64_C(8) << 20)

enum { JSON_BYTES_MAX = 2048, JS_NO_ROOM = 10047, JS_NO_ROOM_IN_ACCOUNT = 10028, DAYS_KEPT = 7 };

static const struct {
    const char *name, *subjects, *prefix, *more;
    uint64_t bytes_max;
} rows[STREAM_COUNT] = {
    [STREAM_JOBS] = { "HONE_JOBS", "\"hone.job.>\"", "hone.job.",
        "\"retention\":\"workqueue\",\"max_msgs\":100000", UINT64_C(512) << 20 },
    [STREAM_CLAIMS] = { "KV_HONE_CLAIMS", "\"$KV.HONE_CLAIMS.>\"", "$KV.HONE_CLAIMS.",
        "\"max_msgs_per_subject\":1,\"deny_delete\":true,"
        "\"allow_direct\":true", UINT64_C(64) << 20 },
    [STREAM_RESULTS] = { "HONE_RESULTS", "\"hone.result.>\"", "hone.result.",
        "\"max_msgs_per_subject\":1,\"discard_new_per_subject\":true",
        UINT64_C(512) << 20 },
    [STREAM_BLOBS] = { "HONE_BLOBS", "\"hone.blob.>\",\"hone.back.>\"", "hone.blob.",
        "\"max_msgs_per_subject\":1,\"allow_direct\":true", UINT64_C(4) << 30 },
    [STREAM_DRIVERS] = { "KV_HONE_DRIVERS", "\"$KV.HONE_DRIVERS.>\"", "$KV.HONE_DRIVERS.",
        "\"max_msgs_per_subject\":1,\"deny_delete\":true,"
        "\"allow_direct\":true", UINT64_C(16) << 20 },
};

const char *stream_prefix(enum stream stream)
{
    return rows[stream].prefix;
}

static void stream_make(struct streams *streams, enum stream stream);

static void on_made(void *owner, const char *key, uint64_t tag, const struct answer *answer)
{
    struct streams *streams = owner;
    enum stream stream = (enum stream)tag;

    (void)key;
    if (answer->kind == ANSWER_NO &&
        (answer->code == JS_NO_ROOM || answer->code == JS_NO_ROOM_IN_ACCOUNT) &&
        streams->bytes_max[stream] / 4 >= BYTES_LEAST) {
        streams->bytes_max[stream] /= 4;
        stream_make(streams, stream);
        return;
    }
    if (answer->kind != ANSWER_YES && answer->code != JS_NAME_IN_USE) {
        snprintf(streams->problem, sizeof streams->problem, "the stream %s: %s",
                 rows[stream].name, answer->why ? answer->why : "no answer");
        streams->left = 0;
        streams->on_done(streams->owner, streams->problem);
    } else if (--streams->left == 0) {
        streams->on_done(streams->owner, NULL);
    } else {
        stream_make(streams, stream + 1);
    }
}

static void stream_make(struct streams *streams, enum stream stream)
{
    char subject[SUBJECT_BYTES_MAX], text[JSON_BYTES_MAX];

    snprintf(subject, sizeof subject, "$JS.API.STREAM.CREATE.%s", rows[stream].name);
    snprintf(text, sizeof text, "{\"name\":\"%s\",\"subjects\":[%s],\"storage\":\"file\","
             "\"discard\":\"new\",\"max_bytes\":%" PRIu64 ",\"max_age\":%" PRIu64 ","
             "\"duplicate_window\":120000000000,\"num_replicas\":1,%s}",
             rows[stream].name, rows[stream].subjects, streams->bytes_max[stream],
             DAYS_KEPT * DAY_NS, rows[stream].more);
    bus_ask(streams->bus, &(struct question){
        .subject = subject, .data = str_of(text), .patience_ms = BUS_FOR_EVER, .tag = stream,
        .owner = streams, .on_answer = on_made,
    });
}

void streams_make(struct streams *streams)
{
    streams->left = STREAM_COUNT;
    streams->problem[0] = '\0';
    for (int i = 0; i < STREAM_COUNT; i++) streams->bytes_max[i] = rows[i].bytes_max;
    stream_make(streams, (enum stream)0);
}

void pool_make(struct bus *bus, const char *pool, uint64_t lease_ms, void *owner,
               void (*on_answer)(void *owner, const char *key, uint64_t tag,
                                 const struct answer *answer))
{
    char subject[SUBJECT_BYTES_MAX], text[JSON_BYTES_MAX];

    snprintf(subject, sizeof subject, "$JS.API.CONSUMER.DURABLE.CREATE.HONE_JOBS.%s", pool);
    snprintf(text, sizeof text, "{\"stream_name\":\"HONE_JOBS\",\"config\":{"
             "\"durable_name\":\"%s\",\"ack_policy\":\"explicit\",\"ack_wait\":%" PRIu64 ","
             "\"max_deliver\":%d,\"filter_subject\":\"hone.job.%s.>\",\"max_ack_pending\":10000,"
             "\"max_waiting\":4096,\"deliver_policy\":\"all\",\"replay_policy\":\"instant\"}}",
             pool, lease_ms * 1000000, (int)CARRY_HANDED_MAX, pool);
    bus_ask(bus, &(struct question){
        .subject = subject, .data = str_of(text), .patience_ms = BUS_FOR_EVER, .key = pool,
        .owner = owner, .on_answer = on_answer,
    });
}

void message_read(struct bus *bus, enum stream stream, const char *which,
                  const struct question *how)
{
    char api[SUBJECT_BYTES_MAX];
    struct question question = *how;

    snprintf(api, sizeof api, "$JS.API.STREAM.MSG.GET.%s", rows[stream].name);
    question.subject = api;
    question.data = str_of(which);
    question.stored = true;
    bus_ask(bus, &question);
}

void subject_read(struct bus *bus, enum stream stream, const char *subject,
                  const struct question *how)
{
    char text[SUBJECT_BYTES_MAX];

    snprintf(text, sizeof text, "{\"last_by_subj\":\"%s\"}", subject);
    message_read(bus, stream, text, how);
}

void subject_read_raw(struct bus *bus, enum stream stream, const char *subject,
                      const struct question *how)
{
    char api[SUBJECT_BYTES_MAX];
    struct question question = *how;

    snprintf(api, sizeof api, "$JS.API.DIRECT.GET.%s.%s", rows[stream].name, subject);
    question.subject = api;
    question.raw = true;
    bus_ask(bus, &question);
}

void subject_purge(struct bus *bus, enum stream stream, const char *filter, void *owner,
                   void (*on_answer)(void *owner, const char *key, uint64_t tag,
                                     const struct answer *answer))
{
    char subject[SUBJECT_BYTES_MAX], text[JSON_BYTES_MAX];

    snprintf(subject, sizeof subject, "$JS.API.STREAM.PURGE.%s", rows[stream].name);
    snprintf(text, sizeof text, "{\"filter\":\"%s\"}", filter);
    bus_ask(bus, &(struct question){
        .subject = subject, .data = str_of(text), .patience_ms = BUS_FOR_EVER, .key = filter,
        .owner = owner, .on_answer = on_answer,
    });
}

void message_remove(struct bus *bus, enum stream stream, uint64_t seq)
{
    char subject[SUBJECT_BYTES_MAX], text[JSON_BYTES_MAX];

    snprintf(subject, sizeof subject, "$JS.API.STREAM.MSG.DELETE.%s", rows[stream].name);
    snprintf(text, sizeof text, "{\"seq\":%" PRIu64 ",\"no_erase\":true}", seq);
    bus_ask(bus, &(struct question){
        .subject = subject, .data = str_of(text), .patience_ms = BUS_FOR_EVER,
    });
}
