/* SPDX-License-Identifier: Apache-2.0
 *
 * bus.c - libnats behind one pipe and one table of questions.
 *
 *     threads of libnats                     the loop (bus_step)
 *     message, away, back, closed  --queue--> listeners, answers, bus_owner
 *                                   bounded
 *
 *     a question:  ASKED --answer--> told, forgotten
 *                    | no answer in ASK_MS, or the server went away
 *                    v                                patience is over
 *                  WAITING --after a pause--> ASKED  ------------------> told ANSWER_AWAY
 *
 * JetStream is a service that answers requests in JSON; so one kind of question serves for streams,
 * claims, blobs and results, and the loop never waits in a call of the library.
 *
 * 1. No thread but the loop's touches anything here, except the queue under its lock.
 * 2. A full queue makes the library wait; what the library cannot keep it drops, and the question
 *    is asked again.
 * 3. A question that is asked again must do no harm when both arrive: those who ask see to that, by
 *    what they expect of the subject's last message, or by a message's id.
 * 4. What the server forbids has no answer: the library tells its error handler alone. The question
 *    whose subject is named there is answered with ANSWER_NO, and on_trouble is told.
 * 5. Nothing is kept by the library while the server is away: what could not be sent waits here, so
 *    that nothing old goes out behind our back when it returns.
 * 6. An owner that is told something may ask, and the table of questions may move then: no slot is
 *    used after its answer, or a word to bus_owner, was told.
 *
 * Not here: what subjects there are (streams.c), and what the answers mean. */
#include "link/bus.h"

#include "base/base64.h"
#include "base/mem.h"
#include "format/json/json.h"
#include "io/file/descriptor.h"
#include "io/file/file.h"
#include "io/file/uptime.h"
#include "link/nkey.h"

#include <nats/nats.h>
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    QUEUE_MAX = 8192,         /* what may wait for the loop */
    QUEUE_BYTES_MAX = 64 << 20,
    STORED_BYTES_MAX = 80 << 20, /* no server takes a larger message */
    ASK_MS = 2000,            /* an answer takes so long at most */
    PAUSE_MS = 100,           /* before a question is asked again; doubled each time */
    PAUSE_MS_MAX = 2000,
    LOOK_MS = 50,             /* how often questions are looked through */
    LISTENERS_MAX = 16,
    WORD_BYTES = 22,
    SUBJECT_BYTES = 512,
};

enum arrived_kind { CAME_MESSAGE, CAME_AWAY, CAME_BACK, CAME_TROUBLE, CAME_CLOSED };

struct arrived {
    enum arrived_kind kind;
    uint32_t listener;
    natsMsg *message;
    char *text;
};

struct listener {
    struct bus *bus;
    uint32_t index;
    natsSubscription *subscription;
    void (*on_message)(void *owner, const struct bus_message *message);
    void *owner;
};

struct slot {
    bool used, waiting;
    uint32_t generation;
    natsMsg *message;
    char key[BUS_KEY_BYTES];
    struct question question; /* without its texts */
    uint64_t until_ms, next_ms;
    uint32_t pause_ms;
};

struct bus {
    natsConnection *connection;
    natsOptions *options;
    struct bus_owner owner;
    struct listener listeners[LISTENERS_MAX];
    uint32_t listener_count;
    char inbox[128], name[256];
    bool there;
    int wake[2];

    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t room;
    struct arrived *queue;
    uint32_t queued, queue_cap;
    uint64_t queued_bytes;
    bool closing;

    struct arrived *taken; /* the loop's: swapped with queue */
    uint32_t taken_cap;
    struct slot *slots;
    uint32_t slot_count, slot_cap, asked, *free_slots, free_count, free_cap;
    uint64_t asked_bytes, looked_ms;
};

/* ---- what the library's threads do ---- */

static void come(struct bus *bus, struct arrived arrived)
{
    uint64_t bytes = arrived.message ? (uint64_t)natsMsg_GetDataLength(arrived.message) : 0;
    bool first;

    pthread_mutex_lock(&bus->lock);
    while (arrived.kind == CAME_MESSAGE && !bus->closing &&
           (bus->queued >= QUEUE_MAX || bus->queued_bytes >= QUEUE_BYTES_MAX)) {
        pthread_cond_wait(&bus->room, &bus->lock);
    }
    if (bus->closing) {
        pthread_mutex_unlock(&bus->lock);
        natsMsg_Destroy(arrived.message);
        free(arrived.text);
        return;
    }
    bus->queue = mem_grow(bus->queue, bus->queued, &bus->queue_cap, sizeof *bus->queue);
    bus->queue[bus->queued++] = arrived;
    bus->queued_bytes += bytes;
    first = bus->queued == 1;
    pthread_mutex_unlock(&bus->lock);
    if (first) (void)!write(bus->wake[1], "", 1); /* full: it will be read anyway */
}

static char *last_error(natsConnection *connection)
{
    const char *text = NULL;

    (void)natsConnection_GetLastError(connection, &text);
    return mem_copy(text ? text : "", text ? strlen(text) : 0);
}

static void on_native_message(natsConnection *connection, natsSubscription *subscription,
                              natsMsg *message, void *closure)
{
    struct listener *listener = closure;

    (void)connection;
    (void)subscription;
    come(listener->bus, (struct arrived){ CAME_MESSAGE, listener->index, message, NULL });
}

static void on_native_away(natsConnection *connection, void *closure)
{
    come(closure, (struct arrived){ .kind = CAME_AWAY, .text = last_error(connection) });
}

static void on_native_back(natsConnection *connection, void *closure)
{
    (void)connection;
    come(closure, (struct arrived){ .kind = CAME_BACK });
}

static void on_native_closed(natsConnection *connection, void *closure)
{
    come(closure, (struct arrived){ .kind = CAME_CLOSED, .text = last_error(connection) });
}

static void on_native_error(natsConnection *connection, natsSubscription *subscription,
                            natsStatus status, void *closure)
{
    char *text = last_error(connection);

    (void)subscription;
    if (!text[0]) {
        const char *words = natsStatus_GetText(status);

        free(text);
        text = mem_copy(words, strlen(words));
    }
    come(closure, (struct arrived){ .kind = CAME_TROUBLE, .text = text });
}

/* ---- messages ---- */

/* Of one that was read from a stream. */
static const char *stored_header(struct str lines, const char *name)
{
    size_t size = strlen(name);

    for (size_t at = 0; at < lines.size; at += strlen(lines.data + at) + 1) {
        const char *line = lines.data + at;

        if (strncmp(line, name, size) != 0 || line[size] != ':') continue;
        line += size + 1;
        return line + strspn(line, " ");
    }
    return NULL;
}

const char *bus_header(const struct bus_message *message, const char *name)
{
    const char *value = NULL;

    if (!message->native) return stored_header(message->headers, name);
    if (natsMsgHeader_Get(message->native, name, &value) != NATS_OK) return NULL;
    return value;
}

uint64_t bus_header_number(const struct bus_message *message, const char *name)
{
    const char *value = bus_header(message, name);
    uint64_t number = 0;

    if (!value || !str_number(str_of(value), &number)) return 0;
    return number;
}

/* Where a stream has a message that came raw; 0: it is none, but the server's word. What a message
 * came with stands first: only the last value of a name is the server's own. */
static uint64_t stored_seq(const struct bus_message *message)
{
    const char **values = NULL;
    uint64_t seq = 0;
    int count = 0;

    if (natsMsgHeader_Values(message->native, "Nats-Sequence", &values, &count) != NATS_OK ||
        count == 0) return 0;
    if (!str_number(str_of(values[count - 1]), &seq)) seq = 0;
    free((void *)(uintptr_t)values);
    return seq;
}

static struct bus_message message_of(natsMsg *message)
{
    return (struct bus_message){
        .subject = natsMsg_GetSubject(message),
        .reply = natsMsg_GetReply(message),
        .data = { natsMsg_GetData(message), (size_t)natsMsg_GetDataLength(message) },
        .native = message,
    };
}

static natsMsg *message_new(const char *subject, const char *reply, struct str data,
                            const struct bus_header *headers, uint32_t header_count)
{
    natsMsg *message = NULL;

    if (natsMsg_Create(&message, subject, reply, data.data, (int)data.size) != NATS_OK) {
        return NULL;
    }
    for (uint32_t i = 0; i < header_count; i++) {
        if (natsMsgHeader_Set(message, headers[i].name, headers[i].value) != NATS_OK) {
            natsMsg_Destroy(message);
            return NULL;
        }
    }
    return message;
}

bool bus_say(struct bus *bus, const char *subject, const char *reply, struct str data,
             const struct bus_header *headers, uint32_t header_count)
{
    natsMsg *message = bus->there ? message_new(subject, reply, data, headers, header_count) : NULL;
    bool said = message && natsConnection_PublishMsg(bus->connection, message) == NATS_OK;

    natsMsg_Destroy(message);
    return said;
}

/* ---- questions ---- */

static void slot_ask(struct bus *bus, struct slot *slot, uint64_t now_ms)
{
    bool sent = bus->there && natsConnection_PublishMsg(bus->connection, slot->message) == NATS_OK;

    slot->waiting = !sent;
    slot->next_ms = now_ms + (sent ? ASK_MS : slot->pause_ms);
}

static struct slot *slot_new(struct bus *bus)
{
    uint32_t index;

    if (bus->free_count > 0) {
        index = bus->free_slots[--bus->free_count];
    } else {
        bus->slots = mem_grow(bus->slots, bus->slot_count, &bus->slot_cap, sizeof *bus->slots);
        index = bus->slot_count++;
        bus->slots[index] = (struct slot){ 0 };
    }
    bus->slots[index].generation++;
    bus->slots[index].used = true;
    bus->asked++;
    return &bus->slots[index];
}

void bus_ask(struct bus *bus, const struct question *question)
{
    struct slot *slot = slot_new(bus);
    uint64_t now_ms = uptime_ms();
    char reply[SUBJECT_BYTES];

    snprintf(reply, sizeof reply, "%s.r.%u.%u", bus->inbox, (unsigned)(slot - bus->slots),
             slot->generation);
    slot->message = message_new(question->subject, reply, question->data, question->headers,
                                question->header_count);
    snprintf(slot->key, sizeof slot->key, "%s", question->key ? question->key : "");
    slot->question = *question;
    slot->question.subject = NULL;
    slot->pause_ms = PAUSE_MS;
    slot->until_ms = question->patience_ms == BUS_FOR_EVER ? UINT64_MAX
                     : now_ms + question->patience_ms;
    slot->question.data.data = NULL; /* its size is counted */
    bus->asked_bytes += question->data.size;
    if (slot->message) slot_ask(bus, slot, now_ms);
    else *slot = (struct slot){ .used = true, .waiting = true, .generation = slot->generation,
                                .question = slot->question };
}

/* The question is forgotten before its answer is told: the one who is told may ask the next. */
static void slot_tell(struct bus *bus, struct slot *slot, const struct answer *answer)
{
    struct question question = slot->question;
    uint32_t index = (uint32_t)(slot - bus->slots);
    char key[BUS_KEY_BYTES];

    memcpy(key, slot->key, sizeof key);
    natsMsg_Destroy(slot->message);
    slot->message = NULL;
    slot->used = false;
    bus->free_slots = mem_grow(bus->free_slots, bus->free_count, &bus->free_cap,
                               sizeof *bus->free_slots);
    bus->free_slots[bus->free_count++] = index;
    bus->asked--;
    bus->asked_bytes -= question.data.size;
    if (question.on_answer) question.on_answer(question.owner, key, question.tag, answer);
}

/* No answer: it is asked again after a pause, or was asked for the last time. */
static void slot_fail(struct bus *bus, struct slot *slot, uint64_t now_ms)
{
    if (now_ms >= slot->until_ms || !slot->message) {
        slot_tell(bus, slot, &(struct answer){ .kind = ANSWER_AWAY, .why = "no answer" });
        return;
    }
    slot->waiting = true;
    slot->next_ms = now_ms + slot->pause_ms;
    slot->pause_ms = slot->pause_ms * 2 > PAUSE_MS_MAX ? PAUSE_MS_MAX : slot->pause_ms * 2;
}

static void slots_look(struct bus *bus, uint64_t now_ms)
{
    bus->looked_ms = now_ms;
    for (uint32_t i = 0; i < bus->slot_count && bus->asked > 0; i++) {
        struct slot *slot = &bus->slots[i];

        if (!slot->used || now_ms < slot->next_ms) continue;
        if (!slot->waiting || !slot->message) slot_fail(bus, slot, now_ms);
        else if (bus->there) slot_ask(bus, slot, now_ms);
        else if (now_ms >= slot->until_ms) slot_fail(bus, slot, now_ms);
    }
}

/* What the server said, as far as all its answers are alike. */
static void read_json(struct answer *answer, yyjson_val *root)
{
    yyjson_val *error = yyjson_obj_get(root, "error");
    uint64_t code = 0, kind = 0;

    answer->root = root;
    (void)json_uint(root, "seq", &answer->seq);
    answer->duplicate = yyjson_get_bool(yyjson_obj_get(root, "duplicate"));
    if (!error) return;
    (void)json_uint(error, "err_code", &code);
    (void)json_uint(error, "code", &kind);
    answer->kind = code == JS_NO_MESSAGE || code == JS_NO_CONSUMER || code == JS_NO_STREAM
                   ? ANSWER_NONE : ANSWER_NO;
    answer->code = (uint32_t)code;
    answer->why = yyjson_get_str(yyjson_obj_get(error, "description"));
    if (!answer->why) answer->why = "refused";
}

/* The question that a reply's subject names; NULL: it has its answer already, since it was asked
 * twice. */
static struct slot *slot_of(struct bus *bus, const char *subject)
{
    struct str place = str_skip(str_of(subject), strlen(bus->inbox) + strlen(".r.")), word;
    uint64_t index, generation;

    if (!str_cut(&place, '.', &word) || !str_number(word, &index) ||
        !str_number(place, &generation) || index >= bus->slot_count) return NULL;
    if (!bus->slots[index].used || bus->slots[index].generation != generation) return NULL;
    return &bus->slots[index];
}

/* ---- a message of a stream ----
 *
 * What a message came with is its sender's word, and the server checks none of it: not even that
 * its headers are some. So a driver asks for a message as JSON, where the server's word stands
 * apart from the sender's. A worker has rights by subject alone, and gets a message as its sender
 * wrote it, with the server's word among its headers. With odd headers a sender can make a message
 * seem not to be there; who may send one there can write over it, too. Pieces of blobs come so to
 * both ends, and are judged by a hash. */

/* What is read from a stream, as long as its answer is told. */
struct stored {
    struct buf data, headers;
    struct bus_message message;
};

static bool stored_read(struct stored *stored, yyjson_val *root)
{
    yyjson_val *from = yyjson_obj_get(root, "message");
    struct str headers;
    bool whole;

    buf_init(&stored->data, STORED_BYTES_MAX);
    buf_init(&stored->headers, STORED_BYTES_MAX);
    whole = yyjson_is_obj(from) && base64_read(json_str(from, "data"), &stored->data) == 0 &&
            base64_read(json_str(from, "hdrs"), &stored->headers) == 0 &&
            buf_byte(&stored->headers, '\0') == 0;
    headers = buf_str(&stored->headers);
    for (size_t i = 0; whole && i < headers.size; i++) {
        char *byte = (char *)(uintptr_t)headers.data + i;

        if (*byte == '\r' || *byte == '\n') *byte = '\0';
    }
    stored->message = (struct bus_message){ .data = buf_str(&stored->data), .headers = headers };
    return whole;
}

static void stored_release(struct stored *stored)
{
    buf_release(&stored->data);
    buf_release(&stored->headers);
}

/* The stream is not there, or nothing is there that would answer: its owner makes it again. */
static void slot_misses(struct bus *bus, struct slot *slot)
{
    slot_fail(bus, slot, uptime_ms());
    if (bus->owner.on_missing) bus->owner.on_missing(bus->owner.owner); /* 6 */
}

static void on_json(struct bus *bus, struct slot *slot, struct answer answer)
{
    struct stored stored = { 0 };
    yyjson_doc *doc = NULL;
    struct err err;

    if (answer.message->data.size > 0 && json_read(answer.message->data, &doc, &err) == 0) {
        read_json(&answer, yyjson_doc_get_root(doc));
    }
    if (slot->question.stored && answer.code == JS_NO_STREAM) {
        slot_misses(bus, slot);
    } else if (slot->question.stored && answer.kind == ANSWER_YES) {
        yyjson_val *from = yyjson_obj_get(answer.root, "message");

        if (!stored_read(&stored, answer.root)) answer.kind = ANSWER_NONE;
        (void)json_uint(from, "seq", &answer.seq);
        answer.message = &stored.message;
        slot_tell(bus, slot, &answer);
    } else {
        slot_tell(bus, slot, &answer);
    }
    stored_release(&stored);
    yyjson_doc_free(doc);
}

static void on_reply(void *owner, const struct bus_message *message)
{
    struct bus *bus = owner;
    struct slot *slot = slot_of(bus, message->subject);
    struct answer answer = { .message = message, .why = "" };
    const char *status = NULL;

    if (!slot) return;
    if (slot->question.raw) answer.seq = stored_seq(message);
    if (answer.seq == 0 && message->data.size == 0) status = bus_header(message, "Status");
    if (status && strcmp(status, "503") == 0 && !slot->question.raw) {
        slot_misses(bus, slot);
    } else if (status) { /* of one that came raw it may be its sender's word, too */
        answer.kind = strcmp(status, "408") == 0 ? ANSWER_NO : ANSWER_NONE;
        answer.why = status;
        slot_tell(bus, slot, &answer);
    } else if (slot->question.raw) {
        slot_tell(bus, slot, &answer);
    } else {
        on_json(bus, slot, answer);
    }
}

/* ---- the loop's side ---- */

/* Away: what was asked is asked again when the server is back; what has no patience is told. */
static void all_away(struct bus *bus, const char *why)
{
    uint64_t now_ms = uptime_ms();

    if (!bus->there) return;
    bus->there = false;
    for (uint32_t i = 0; i < bus->slot_count; i++) {
        if (bus->slots[i].used) slot_fail(bus, &bus->slots[i], now_ms);
    }
    if (bus->owner.on_away) bus->owner.on_away(bus->owner.owner, why);
}

static void name_server(struct bus *bus)
{
    char url[128] = "", *at;

    (void)natsConnection_GetConnectedUrl(bus->connection, url, sizeof url);
    at = strstr(url, "://");
    snprintf(bus->name, sizeof bus->name, "NATS at %s", at ? at + 3 : url);
}

static void all_back(struct bus *bus)
{
    if (bus->there) return;
    bus->there = true;
    name_server(bus);
    for (uint32_t i = 0; i < bus->slot_count; i++) {
        if (bus->slots[i].used && bus->slots[i].waiting) bus->slots[i].next_ms = 0;
    }
    if (bus->owner.on_back) bus->owner.on_back(bus->owner.owner);
}

/* The error names the subject in quotes: a question that was asked there gets no other answer. */
static void trouble(struct bus *bus, const char *text)
{
    struct answer answer = { .kind = ANSWER_NO, .why = text };

    for (uint32_t i = 0; i < bus->slot_count; i++) {
        struct slot *slot = &bus->slots[i];
        char quoted[SUBJECT_BYTES + 2];

        if (!slot->used || !slot->message) continue;
        snprintf(quoted, sizeof quoted, "\"%s\"", natsMsg_GetSubject(slot->message));
        if (strstr(text, quoted)) slot_tell(bus, slot, &answer);
    }
    if (bus->owner.on_trouble) bus->owner.on_trouble(bus->owner.owner, text);
}

static void tell(struct bus *bus, struct arrived *arrived)
{
    switch (arrived->kind) {
    case CAME_MESSAGE: {
        struct listener *listener = &bus->listeners[arrived->listener];
        struct bus_message message = message_of(arrived->message);

        listener->on_message(listener->owner, &message);
        break;
    }
    case CAME_AWAY: all_away(bus, arrived->text); break;
    case CAME_BACK: all_back(bus); break;
    case CAME_TROUBLE: trouble(bus, arrived->text); break;
    case CAME_CLOSED:
        all_away(bus, arrived->text);
        if (bus->owner.on_closed) bus->owner.on_closed(bus->owner.owner, arrived->text);
        break;
    }
    natsMsg_Destroy(arrived->message);
    free(arrived->text);
}

void bus_step(struct bus *bus)
{
    struct arrived *taken;
    uint32_t count, cap;
    char bytes[64];
    uint64_t now_ms;

    while (read(bus->wake[0], bytes, sizeof bytes) > 0) {}
    pthread_mutex_lock(&bus->lock);
    taken = bus->queue;
    count = bus->queued;
    cap = bus->queue_cap;
    bus->queue = bus->taken;
    bus->queue_cap = bus->taken_cap;
    bus->queued = 0;
    bus->queued_bytes = 0;
    pthread_cond_broadcast(&bus->room);
    pthread_mutex_unlock(&bus->lock);
    bus->taken = taken;
    bus->taken_cap = cap;
    for (uint32_t i = 0; i < count; i++) tell(bus, &taken[i]);
    now_ms = uptime_ms();
    if (now_ms >= bus->looked_ms + LOOK_MS) slots_look(bus, now_ms);
}

int64_t bus_wait_ms(const struct bus *bus)
{
    return bus->asked > 0 ? LOOK_MS : -1;
}

int bus_listen(struct bus *bus, const char *subject,
               void (*on_message)(void *owner, const struct bus_message *message), void *owner,
               struct err *err)
{
    struct listener *listener = &bus->listeners[bus->listener_count];
    natsStatus status;

    assert(bus->listener_count < LISTENERS_MAX);
    *listener = (struct listener){ bus, bus->listener_count, NULL, on_message, owner };
    status = natsConnection_Subscribe(&listener->subscription, bus->connection, subject,
                                      on_native_message, listener);
    if (status == NATS_OK) {
        bus->listener_count++;
        status = natsSubscription_SetPendingLimits(listener->subscription, QUEUE_MAX * 8,
                                                   QUEUE_BYTES_MAX);
    }
    if (status == NATS_OK) return 0;
    return err_set(err, ERR_FAILED, "listen on %s: %s", subject, natsStatus_GetText(status));
}

int bus_fd(const struct bus *bus)
{
    return bus->wake[0];
}

bool bus_is_there(const struct bus *bus)
{
    return bus->there;
}

const char *bus_name(const struct bus *bus)
{
    return bus->name;
}

const char *bus_inbox(const struct bus *bus)
{
    return bus->inbox;
}

uint64_t bus_payload_max(const struct bus *bus)
{
    int64_t most = natsConnection_GetMaxPayload(bus->connection);

    return most > 0 ? (uint64_t)most : 1 << 20;
}

uint32_t bus_asked(const struct bus *bus)
{
    return bus->asked;
}

uint64_t bus_asked_bytes(const struct bus *bus)
{
    return bus->asked_bytes;
}

/* ---- open and close ---- */

/* The name of the host in a URL, without user and port. */
static void host_of(const char *url, char *out, size_t bytes)
{
    const char *from = strstr(url, "://"), *end, *at;
    size_t size;

    from = from ? from + 3 : url;
    at = strrchr(from, '@');
    if (at) from = at + 1;
    if (*from == '[') end = strchr(++from, ']');
    else end = strpbrk(from, ":/,");
    size = end ? (size_t)(end - from) : strlen(from);
    if (size >= bytes) size = bytes - 1;
    memcpy(out, from, size);
    out[size] = '\0';
}

/* A name that only begins like an address of this machine is another machine's. */
static bool is_this_machine(const char *host)
{
    unsigned char bytes[16];

    if (inet_pton(AF_INET, host, bytes) == 1) return bytes[0] == 127;
    return strcmp(host, "localhost") == 0 || strcmp(host, "::1") == 0;
}

/* What leaves the machine is enciphered. */
static natsStatus set_secure(natsOptions *options, const struct bus_target *target)
{
    char host[256];
    bool near_by;
    natsStatus status;

    host_of(target->url, host, sizeof host);
    near_by = is_this_machine(host);
    if (target->plain) return NATS_OK;
    if (near_by && !target->ca && strncmp(target->url, "tls://", 6) != 0) return NATS_OK;
    status = natsOptions_SetSecure(options, true);
    if (status == NATS_OK) status = natsOptions_SetExpectedHostname(options, host);
    if (status == NATS_OK && target->ca) {
        status = natsOptions_LoadCATrustedCertificates(options, target->ca);
    }
    return status;
}

/* The defaults give up after two minutes, and see a peer that vanished after many. */
static natsStatus set_patience(natsOptions *options, struct bus *bus)
{
    natsStatus status = natsOptions_SetMaxReconnect(options, -1);

    if (status == NATS_OK) status = natsOptions_SetReconnectWait(options, 100);
    if (status == NATS_OK) status = natsOptions_SetReconnectJitter(options, 400, 400);
    if (status == NATS_OK) status = natsOptions_SetTimeout(options, 5000);
    if (status == NATS_OK) status = natsOptions_SetPingInterval(options, 10000);
    if (status == NATS_OK) status = natsOptions_SetMaxPingsOut(options, 2);
    if (status == NATS_OK) status = natsOptions_SetWriteDeadline(options, 5000);
    if (status == NATS_OK) status = natsOptions_SetReconnectBufSize(options, 1);
    if (status == NATS_OK) status = natsOptions_SetFailRequestsOnDisconnect(options, true);
    if (status == NATS_OK) status = natsOptions_SetSendAsap(options, true);
    if (status == NATS_OK) status = natsOptions_UseGlobalMessageDelivery(options, true);
    if (status == NATS_OK) status = natsOptions_SetErrorHandler(options, on_native_error, bus);
    if (status == NATS_OK) status = natsOptions_SetDisconnectedCB(options, on_native_away, bus);
    if (status == NATS_OK) status = natsOptions_SetReconnectedCB(options, on_native_back, bus);
    if (status == NATS_OK) status = natsOptions_SetClosedCB(options, on_native_closed, bus);
    return status;
}

static int set_user(natsOptions *options, const struct bus_target *target, struct err *err)
{
    char key[NKEY_TEXT_BYTES];
    natsStatus status = NATS_OK;

    if (target->creds) {
        status = natsOptions_SetUserCredentialsFromFiles(options, target->creds, NULL);
    } else if (target->seed) {
        int rc = nkey_of_seed(target->seed, key, err);

        if (rc != 0) return rc;
        status = natsOptions_SetNKeyFromSeed(options, key, target->seed);
    }
    if (status == NATS_OK) return 0;
    return err_set(err, ERR_FAILED, "read the key of this user: %s", natsStatus_GetText(status));
}

/* Why the library refused, without the place in its source that it begins with. */
static const char *library_words(natsStatus status)
{
    const char *words = nats_GetLastError(NULL), *end;

    if (!words || !words[0]) return natsStatus_GetText(status);
    end = words[0] == '(' ? strstr(words, "): ") : NULL;
    return end ? end + strlen("): ") : words;
}

/* The library says of a name that is not known what it says of a server that is not there. */
static bool is_known(const char *url)
{
    struct addrinfo *found = NULL;
    char host[256];
    int rc;

    host_of(url, host, sizeof host);
    rc = getaddrinfo(host, NULL, NULL, &found);
    if (rc == 0) freeaddrinfo(found);
    return rc != EAI_NONAME;
}

static int connect_it(struct bus *bus, const struct bus_target *target, struct err *err)
{
    natsStatus status = natsOptions_Create(&bus->options);
    const char *words;
    int rc;

    if (status == NATS_OK) status = natsOptions_SetURL(bus->options, target->url);
    if (status == NATS_OK) status = natsOptions_SetName(bus->options, target->name);
    if (status == NATS_OK) status = set_patience(bus->options, bus);
    if (status == NATS_OK) status = set_secure(bus->options, target);
    if (status != NATS_OK) {
        return err_set(err, ERR_USAGE, "%s: %s", target->url, library_words(status));
    }
    rc = set_user(bus->options, target, err);
    if (rc != 0) return rc;
    status = natsConnection_Connect(&bus->connection, bus->options);
    if (status == NATS_OK) return 0;
    if (status == NATS_NO_SERVER || status == NATS_IO_ERROR) {
        return err_set(err, ERR_FAILED, is_known(target->url) ? "no server answers at %s"
                       : "%s: there is no machine of that name", target->url);
    }
    words = library_words(status);
    if (target->no_keys) {
        return err_set(err, ERR_FAILED, "connect to %s: %.200s; there is no folder of keys %s",
                       target->url, words, target->no_keys);
    }
    return err_set(err, ERR_FAILED, "connect to %s: %s", target->url, words);
}

int bus_open(struct bus **out, const struct bus_target *target, const struct bus_owner *owner,
             struct err *err)
{
    struct bus *bus = mem_alloc(sizeof *bus);
    char word[WORD_BYTES + 1];
    int rc;

    *out = NULL;
    bus->owner = *owner;
    bus->wake[0] = bus->wake[1] = -1;
    pthread_mutex_init(&bus->lock, NULL);
    pthread_cond_init(&bus->room, NULL);
    random_word(word, WORD_BYTES);
    snprintf(bus->inbox, sizeof bus->inbox, "%s.%s", target->inbox ? target->inbox : "_INBOX",
             word);
    rc = fd_pipe(bus->wake, false) != 0 ? err_system(err, errno, "make a pipe") : 0;
    if (rc == 0) rc = connect_it(bus, target, err);
    if (rc == 0) {
        char subject[SUBJECT_BYTES];

        bus->there = true;
        name_server(bus);
        snprintf(subject, sizeof subject, "%s.r.>", bus->inbox);
        rc = bus_listen(bus, subject, on_reply, bus, err);
    }
    if (rc != 0) bus_close(bus);
    else *out = bus;
    return rc;
}

/* Messages go before the library does: it cannot take one back afterwards. */
static void drop_messages(struct bus *bus)
{
    pthread_mutex_lock(&bus->lock);
    bus->closing = true; /* what still comes is dropped by the thread that it comes to */
    for (uint32_t i = 0; i < bus->queued; i++) {
        natsMsg_Destroy(bus->queue[i].message);
        free(bus->queue[i].text);
    }
    bus->queued = 0;
    pthread_cond_broadcast(&bus->room);
    pthread_mutex_unlock(&bus->lock);
    for (uint32_t i = 0; i < bus->slot_count; i++) natsMsg_Destroy(bus->slots[i].message);
}

void bus_close(struct bus *bus)
{
    if (!bus) return;
    drop_messages(bus);
    if (bus->connection) {
        (void)natsConnection_FlushTimeout(bus->connection, 1000);
        natsConnection_Close(bus->connection);
    }
    for (uint32_t i = 0; i < bus->listener_count; i++) {
        natsSubscription_Destroy(bus->listeners[i].subscription);
    }
    natsConnection_Destroy(bus->connection);
    natsOptions_Destroy(bus->options);
    nats_CloseAndWait(2000); /* no thread calls us any more */
    free(bus->slots);
    free(bus->free_slots);
    free(bus->queue);
    free(bus->taken);
    if (bus->wake[0] >= 0) close(bus->wake[0]);
    if (bus->wake[1] >= 0) close(bus->wake[1]);
    pthread_cond_destroy(&bus->room);
    pthread_mutex_destroy(&bus->lock);
    free(bus);
}
