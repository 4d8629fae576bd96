/* SPDX-License-Identifier: Apache-2.0
 *
 * doctor.c - one thing after the other, as both ends do them, and what to do where one fails.
 *
 *     connect --> may this user make streams?
 *                   | yes: a driver                     | no: a worker
 *                   v                                   v
 *     streams, pool, publish, hand out, claim,      claims and drivers can be read,
 *     beat, result, a second result, delete         what a worker may not do is refused
 *
 * 1. All of it is below the run `doctor`, in the pool `doctor`, and is removed at the end.
 * 2. Nothing that is tried could harm where it is not refused: what is to be deleted is not there.
 * 3. A forbidden request has no answer: the bus makes one of what the library's error handler is
 *    told. Without it this would wait, and say so. */
#include "link/doctor.h"

#include "io/file/uptime.h"
#include "link/loop.h"
#include "link/streams.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

enum { WAIT_MS = 5000, WHY_BYTES = 512 };

#define SECOND_MS UINT64_C(1000)

struct doctor {
    struct bus *bus;
    const struct bus_target *target;
    uint32_t bad;
    bool answered, drives, everything; /* everything: no rights are kept apart */
    enum answer_kind kind;
    uint32_t code;
    uint64_t seq;
    char why[WHY_BYTES], handed_out[WHY_BYTES], key[64];
    struct streams making;
    char streams[WHY_BYTES]; /* what is wrong with them */
};

static void say_good(const char *what, const char *more)
{
    printf("ok    %s%s%s\n", what, more && more[0] ? ": " : "", more ? more : "");
}

static void say_bad(struct doctor *doctor, const char *what, const char *why, const char *advice)
{
    printf("bad   %s: %s. %s\n", what, why, advice);
    doctor->bad++;
}

/* ---- questions, one at a time ---- */

static void on_answer(void *owner, const char *key, uint64_t tag, const struct answer *answer)
{
    struct doctor *doctor = owner;

    (void)key;
    (void)tag;
    doctor->answered = true;
    doctor->kind = answer->kind;
    doctor->code = answer->code;
    doctor->seq = answer->seq;
    snprintf(doctor->why, sizeof doctor->why, "%s",
             answer->kind == ANSWER_AWAY ? "no answer"
             : answer->kind == ANSWER_NONE ? "it is not there"
             : answer->why && answer->why[0] ? answer->why : "refused");
}

static bool wait_for(struct doctor *doctor, const bool *done)
{
    uint64_t until_ms = uptime_ms() + WAIT_MS;

    while (!*done && uptime_ms() < until_ms) {
        (void)poll(&(struct pollfd){ .fd = bus_fd(doctor->bus), .events = POLLIN }, 1, 50);
        bus_step(doctor->bus);
    }
    return *done;
}

static bool ask(struct doctor *doctor, const struct question *what)
{
    struct question question = *what;

    doctor->answered = false;
    question.owner = doctor;
    question.on_answer = on_answer;
    bus_ask(doctor->bus, &question);
    if (!wait_for(doctor, &doctor->answered)) {
        doctor->kind = ANSWER_AWAY;
        snprintf(doctor->why, sizeof doctor->why, "no answer");
    }
    return doctor->kind == ANSWER_YES;
}

static void tell(struct doctor *doctor, bool good, const char *what, const char *advice)
{
    if (good) say_good(what, NULL);
    else say_bad(doctor, what, doctor->why, advice);
}

/* ---- as a driver ---- */

static void on_streams(void *owner, const char *problem)
{
    struct doctor *doctor = owner;

    doctor->answered = true;
    snprintf(doctor->streams, sizeof doctor->streams, "%s", problem ? problem : "");
}

static void look_at_streams(struct doctor *doctor)
{
    doctor->making = (struct streams){ .bus = doctor->bus, .owner = doctor,
                                       .on_done = on_streams };
    doctor->answered = false;
    streams_make(&doctor->making);
    if (!wait_for(doctor, &doctor->answered)) {
        say_bad(doctor, "streams", "no answer", "Is JetStream on in the server's configuration"
                " (jetstream { store_dir: ... }), and does its user have rights for it?");
    } else if (doctor->streams[0] == '\0') {
        doctor->drives = true;
        say_good("streams", "they are there, or were made");
    } else if (!strstr(doctor->streams, "ermissions")) {
        say_bad(doctor, "streams", doctor->streams,
                "Look at max_file_store in the server's configuration, and at its disk");
    }
}

static void on_handed_out(void *owner, const struct bus_message *message)
{
    struct doctor *doctor = owner;

    if (bus_header(message, "Status") || !message->reply) return;
    snprintf(doctor->handed_out, sizeof doctor->handed_out, "%s", message->reply);
    doctor->answered = true;
}

static void on_pool(void *owner, const char *key, uint64_t tag, const struct answer *answer)
{
    on_answer(owner, key, tag, answer);
}

static void hand_out(struct doctor *doctor)
{
    char subject[SUBJECT_BYTES_MAX];
    struct err err;

    snprintf(subject, sizeof subject, "%s.p.>", bus_inbox(doctor->bus));
    doctor->answered = false;
    if (bus_listen(doctor->bus, subject, on_handed_out, doctor, &err) == 0) {
        snprintf(subject, sizeof subject, "%s.p.1", bus_inbox(doctor->bus));
        bus_say(doctor->bus, "$JS.API.CONSUMER.MSG.NEXT.HONE_JOBS.doctor", subject,
                STR("{\"batch\":1,\"expires\":4000000000}"), NULL, 0);
    }
    if (!wait_for(doctor, &doctor->answered)) {
        say_bad(doctor, "hand out", "the job does not come",
                "Is another user's consumer on HONE_JOBS? nats consumer ls HONE_JOBS tells");
        return;
    }
    say_good("hand out", NULL);
    (void)ask(doctor, &(struct question){ .subject = doctor->handed_out, .data = STR("+ACK") });
}

static bool put_expecting(struct doctor *doctor, const char *prefix, uint64_t seq)
{
    char subject[SUBJECT_BYTES_MAX], number[24];
    struct bus_header header = { "Nats-Expected-Last-Subject-Sequence", number };

    snprintf(subject, sizeof subject, "%s%s", prefix, doctor->key);
    snprintf(number, sizeof number, "%" PRIu64, seq);
    return ask(doctor, &(struct question){ .subject = subject, .data = STR("doctor"),
                                           .headers = &header, .header_count = 1 });
}

static void claim_and_beat(struct doctor *doctor)
{
    const char *claims = stream_prefix(STREAM_CLAIMS);
    const char *advice = "The bucket HONE_CLAIMS must refuse old revisions: remove the stream"
                         " KV_HONE_CLAIMS while no run is at work, and hone makes it anew";
    uint64_t seq;
    bool good = put_expecting(doctor, claims, 0);

    seq = doctor->seq;
    tell(doctor, good, "claim", advice);
    if (good) tell(doctor, put_expecting(doctor, claims, seq), "beat", advice);
    good = !put_expecting(doctor, claims, seq) && doctor->code == JS_WRONG_LAST;
    snprintf(doctor->why, sizeof doctor->why, "an old revision was taken");
    tell(doctor, good, "a late beat is refused", advice);
}

static void put_results(struct doctor *doctor)
{
    const char *advice = "HONE_RESULTS must keep the first result of a subject: remove the stream"
                         " while no run is at work, and hone makes it anew";
    char subject[SUBJECT_BYTES_MAX];
    struct question question = { .subject = subject, .data = STR("{}") };
    bool good;

    snprintf(subject, sizeof subject, "hone.result.%s", doctor->key);
    tell(doctor, ask(doctor, &question), "result", advice);
    good = !ask(doctor, &question) && doctor->code == JS_STORE_FAILED;
    snprintf(doctor->why, sizeof doctor->why, "it was taken");
    tell(doctor, good, "a second result is refused", advice);
    subject_read(doctor->bus, STREAM_RESULTS, subject, &(struct question){
        .owner = doctor, .on_answer = on_answer });
    doctor->answered = false;
    good = wait_for(doctor, &doctor->answered) && doctor->kind == ANSWER_YES;
    tell(doctor, good, "read the result", advice);
}

static bool purge(struct doctor *doctor, enum stream stream, const char *filter)
{
    doctor->answered = false;
    subject_purge(doctor->bus, stream, filter, doctor, on_answer);
    return wait_for(doctor, &doctor->answered) && doctor->kind == ANSWER_YES;
}

static void look_as_driver(struct doctor *doctor)
{
    const char *advice = "Has this user the rights of a driver? hone-link init gives them";
    char subject[SUBJECT_BYTES_MAX];
    bool good;

    doctor->answered = false;
    pool_make(doctor->bus, "doctor", 30 * SECOND_MS, doctor, on_pool);
    good = wait_for(doctor, &doctor->answered) && doctor->kind == ANSWER_YES;
    tell(doctor, good, "pool", advice);
    snprintf(subject, sizeof subject, "hone.job.doctor.%s", doctor->key);
    tell(doctor, ask(doctor, &(struct question){ .subject = subject, .data = STR("{}") }),
         "publish", advice);
    hand_out(doctor);
    claim_and_beat(doctor);
    put_results(doctor);
    good = purge(doctor, STREAM_JOBS, "hone.job.*.doctor.>") &&
           purge(doctor, STREAM_CLAIMS, "$KV.HONE_CLAIMS.doctor.>") &&
           purge(doctor, STREAM_RESULTS, "hone.result.doctor.>");
    (void)ask(doctor, &(struct question){
        .subject = "$JS.API.CONSUMER.DELETE.HONE_JOBS.doctor" });
    tell(doctor, good, "delete", advice);
}

/* ---- as a worker ---- */

static void must_not(struct doctor *doctor, const char *what, const char *subject,
                     const char *body)
{
    bool refused;

    (void)ask(doctor, &(struct question){ .subject = subject, .data = str_of(body) });
    refused = doctor->kind == ANSWER_NO && strstr(doctor->why, "ermissions");
    if (refused) {
        say_good(what, "refused, as it must be");
    } else if (doctor->everything) {
        printf("note  %s: not refused. Everyone who reaches this server may do all; fine where"
               " that is this machine alone, else make users with hone-link init\n", what);
    } else {
        snprintf(doctor->why, sizeof doctor->why, "it is not refused");
        say_bad(doctor, what, doctor->why, "Make this user with hone-link init");
    }
}

static void look_as_worker(struct doctor *doctor)
{
    const char *advice = "Has this user the rights of a worker? hone-link init gives them";

    for (int i = 0; i < 2; i++) {
        char subject[SUBJECT_BYTES_MAX];
        enum stream stream = i == 0 ? STREAM_CLAIMS : STREAM_DRIVERS;
        bool good;

        snprintf(subject, sizeof subject, "%sdoctor.1.1", stream_prefix(stream));
        doctor->answered = false;
        subject_read_raw(doctor->bus, stream, subject, &(struct question){
            .owner = doctor, .on_answer = on_answer });
        good = wait_for(doctor, &doctor->answered) &&
               (doctor->kind == ANSWER_YES || doctor->kind == ANSWER_NONE);
        tell(doctor, good, i == 0 ? "read claims" : "read drivers",
             doctor->kind == ANSWER_AWAY ? "No driver has made the streams yet: run hone-link"
             " doctor as a driver" : advice);
    }
}

static void look_at_rights(struct doctor *doctor)
{
    must_not(doctor, "store a job", "hone.job.doctor.doctor.9.9", "{}");
    if (!doctor->drives) {
        must_not(doctor, "read another's result", "$JS.API.STREAM.MSG.GET.HONE_RESULTS",
                 "{\"last_by_subj\":\"hone.result.doctor.9.9\"}");
        must_not(doctor, "read what belongs to a result",
                 "$JS.API.DIRECT.GET.HONE_BLOBS.hone.back.doctor.9.9", "");
    }
    must_not(doctor, "delete a stream", "$JS.API.STREAM.DELETE.HONE_DOCTOR", "");
    if (doctor->everything) (void)purge(doctor, STREAM_JOBS, "hone.job.*.doctor.>");
}

/* ---- all of it ---- */

static void on_trouble(void *owner, const char *what)
{
    (void)owner;
    (void)what; /* the question that was refused is told */
}

static const char *connect_advice(int rc, const char *why)
{
    if (rc == ERR_FORMAT) {
        return "Take this user's folder anew from where 'hone fleet init' made it";
    }
    if (strstr(why, "no machine of that name")) return "Look at the URL, and at /etc/hosts or DNS";
    if (strstr(why, "no folder of keys")) return "Take this user's folder there, or name it with"
                                                 " HONE_FLEET_KEYS";
    if (strstr(why, "SSL") || strstr(why, "TLS")) {
        return "Is --ca the certificate that signed the server's, and is the host in it?";
    }
    return "Does nats-server run there, does its port let us through, and is this user's key in its"
           " configuration?";
}

int doctor_look(const struct bus_target *target)
{
    struct doctor doctor = { .target = target };
    const struct bus_owner owner = { .owner = &doctor, .on_trouble = on_trouble };
    struct err err;
    int rc;

    snprintf(doctor.key, sizeof doctor.key, "doctor.1.%" PRIu64, uptime_ms() % 1000000000);
    doctor.everything = !target->seed && !target->creds;
    rc = bus_open(&doctor.bus, target, &owner, &err);
    if (rc != 0) {
        say_bad(&doctor, "connect", err.text, connect_advice(rc, err.text));
        return 1;
    }
    say_good("connect", bus_name(doctor.bus));
    look_at_streams(&doctor);
    if (!doctor.everything && doctor.drives) say_good("rights", "these keys are a driver's");
    else if (!doctor.everything) say_good("rights", "these keys are a worker's");
    if (doctor.drives) look_as_driver(&doctor);
    else look_as_worker(&doctor);
    if (!doctor.drives || doctor.everything) look_at_rights(&doctor);
    else must_not(&doctor, "delete a stream", "$JS.API.STREAM.DELETE.HONE_DOCTOR", "");
    bus_close(doctor.bus);
    printf(doctor.bad == 0 ? "All is well.\n" : "%u of these are bad.\n", doctor.bad);
    return doctor.bad == 0 ? 0 : 1;
}
