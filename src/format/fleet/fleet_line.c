/* SPDX-License-Identifier: Apache-2.0
 *
 * fleet_line.c - lines of docs/reference/carrier.md as JSON, and back.
 *
 * One table says who says which kind, another which members each kind must have (members.h). Lists
 * and words are written out.
 *
 * 1. A name, a key, a nonce or an id that was read is one (fleet_name.h): it can be a file's name.
 * 2. What is written is read back as it was, but for texts that are no UTF-8.
 * 3. No list is longer than its bound, and no line longer than FLEET_LINE_BYTES_MAX.
 *
 * Not here: what a job and a result hold (fleet_job.c), when which line is said (the two ends). */
#include "format/fleet/fleet_line.h"

#include "base/base64.h"
#include "format/json/members.h"
#include "format/text/words.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#define BIT(x) (UINT32_C(1) << (x))

enum {
    BY_D = BIT(FLEET_DRIVER), TO_D = BIT(FLEET_TO_DRIVER), BY_W = BIT(FLEET_WORKER),
    TO_W = BIT(FLEET_TO_WORKER), BY_ALL = BY_D | TO_D | BY_W | TO_W,
};

_Static_assert(FLEET_KIND_COUNT <= 32, "a kind is a bit in a member's row");

static const struct {
    const char *word;
    uint32_t by; /* the sides that say it */
} kinds[FLEET_KIND_COUNT] = {
    [FLEET_HELLO] = { "hello", BY_D | BY_W },
    [FLEET_BLOB] = { "blob", BY_ALL },
    [FLEET_JOB] = { "job", BY_D | TO_W },
    [FLEET_STOP] = { "stop", BY_D | TO_W },
    [FLEET_ASK] = { "ask", BY_D },
    [FLEET_GET] = { "get", BY_D | BY_W },
    [FLEET_FORGET] = { "forget", BY_D | TO_W },
    [FLEET_WHO] = { "who", BY_D },
    [FLEET_BEAT] = { "beat", BY_ALL },
    [FLEET_BYE] = { "bye", BY_D | BY_W },
    [FLEET_READY] = { "ready", TO_D | TO_W },
    [FLEET_QUEUED] = { "queued", TO_D },
    [FLEET_TAKEN] = { "taken", TO_D },
    [FLEET_SAID] = { "said", TO_D | BY_W },
    [FLEET_ENDED] = { "ended", TO_D | BY_W },
    [FLEET_LOST] = { "lost", TO_D | BY_W },
    [FLEET_REFUSED] = { "refused", TO_D },
    [FLEET_KNOWN] = { "known", TO_D },
    [FLEET_NEED] = { "need", TO_D },
    [FLEET_NONE] = { "none", BY_D | TO_D | TO_W },
    [FLEET_WORKERS] = { "workers", TO_D },
    [FLEET_AWAY] = { "away", TO_D | TO_W },
    [FLEET_BACK] = { "back", TO_D | TO_W },
    [FLEET_FENCED] = { "fenced", TO_D },
    [FLEET_FREE] = { "free", BY_W },
    [FLEET_BEGIN] = { "begin", BY_W },
    [FLEET_SKIP] = { "skip", BY_W },
    [FLEET_GO] = { "go", TO_W },
    [FLEET_GONE] = { "gone", TO_W },
    [FLEET_KEPT] = { "kept", TO_W },
};

static const char *const state_words[FLEET_STATE_COUNT] = {
    [FLEET_NOWHERE] = "nowhere",
    [FLEET_IS_QUEUED] = "queued",
    [FLEET_IS_TAKEN] = "taken",
    [FLEET_HAS_ENDED] = "ended",
};

static const char *const told_words[FLEET_TOLD_COUNT] = {
    [FLEET_TOLD_QUEUED] = "queued",
    [FLEET_TOLD_OFFERED] = "offered",
    [FLEET_TOLD_TAKEN] = "taken",
    [FLEET_TOLD_SKIPPED] = "skipped",
};

static const char *const stop_words[FLEET_STOP_COUNT] = {
    [FLEET_CANCEL] = "cancel",
    [FLEET_STOP_FENCED] = "fenced",
    [FLEET_ORPHAN] = "orphan",
};

const char *fleet_kind_word(enum fleet_kind kind)
{
    return kind < FLEET_KIND_COUNT ? kinds[kind].word : "unknown";
}

const char *fleet_told_word(enum fleet_told told)
{
    return told_words[told];
}

const char *fleet_stop_word(enum fleet_stop stop)
{
    return stop_words[stop];
}

struct blob_piece fleet_line_piece(const struct fleet_line *line)
{
    return (struct blob_piece){ line->id, line->bytes, line->at, line->data };
}

const char *fleet_line_role(struct str job, char out[FLEET_ROLE_BYTES])
{
    struct str role;
    yyjson_doc *doc;
    struct err none;

    out[0] = '\0';
    if (json_read(job, &doc, &none) != 0) return out;
    role = json_str(yyjson_obj_get(yyjson_doc_get_root(doc), "about"), "role");
    if (role.size < FLEET_ROLE_BYTES) snprintf(out, FLEET_ROLE_BYTES, "%.*s", STR_ARG(role));
    yyjson_doc_free(doc);
    return out;
}

/* ---- members ---- */

#define AT(member) .offset = offsetof(struct fleet_line, member)

enum {
    HAVE_K = BIT(FLEET_JOB) | BIT(FLEET_STOP) | BIT(FLEET_ASK) | BIT(FLEET_FORGET) |
             BIT(FLEET_QUEUED) | BIT(FLEET_TAKEN) | BIT(FLEET_SAID) | BIT(FLEET_ENDED) |
             BIT(FLEET_LOST) | BIT(FLEET_REFUSED) | BIT(FLEET_KNOWN) | BIT(FLEET_BEGIN) |
             BIT(FLEET_SKIP) | BIT(FLEET_GO) | BIT(FLEET_GONE) | BIT(FLEET_KEPT),
    HAVE_ID = BIT(FLEET_BLOB) | BIT(FLEET_GET) | BIT(FLEET_NONE) | BIT(FLEET_NEED),
    HAVE_DATA = BIT(FLEET_BLOB) | BIT(FLEET_SAID),
};

static const struct member line_members[] = {
    { .key = "v", .type = MEMBER_U32, AT(v), .always = BIT(FLEET_HELLO) | BIT(FLEET_READY) },
    { .key = "version", .type = MEMBER_TEXT, AT(version), .always = BIT(FLEET_HELLO) },
    { .key = "run", .type = MEMBER_TEXT, AT(run) },
    { .key = "epoch", .type = MEMBER_U64, AT(epoch) },
    { .key = "host", .type = MEMBER_TEXT, AT(host) },
    { .key = "lease_ms", .type = MEMBER_U64, AT(lease_ms) },
    { .key = "pool", .type = MEMBER_TEXT, AT(pool) },
    { .key = "worker", .type = MEMBER_TEXT, AT(worker), .always = BIT(FLEET_TAKEN) },
    { .key = "slots", .type = MEMBER_U64, AT(slots) },
    { .key = "nonce", .type = MEMBER_TEXT, AT(nonce), .always = BIT(FLEET_BEGIN) },
    { .key = "token", .type = MEMBER_TEXT, AT(token) },
    { .key = "id", .type = MEMBER_TEXT, AT(id), .always = HAVE_ID },
    { .key = "why", .type = MEMBER_TEXT, AT(why) },
    { .key = "carrier", .type = MEMBER_TEXT, AT(carrier) },
    { .key = "n", .type = MEMBER_U32, AT(n), .always = BIT(FLEET_FREE) },
    { .key = "bytes", .type = MEMBER_U64, AT(bytes), .always = BIT(FLEET_BLOB) },
    { .key = "at", .type = MEMBER_U64, AT(at), .always = HAVE_DATA },
    { .key = "ended", .type = MEMBER_BOOL, AT(ended) },
    { .key = "taken", .type = MEMBER_BOOL, AT(taken) },
    { .key = "begun", .type = MEMBER_BOOL, AT(begun) },
    { .key = "missing", .type = MEMBER_BOOL, AT(missing) },
    { .key = NULL },
};

static const struct member worker_members[] = {
    { .key = "id", .type = MEMBER_TEXT, .offset = offsetof(struct fleet_worker, id), .always = 1 },
    { .key = "host", .type = MEMBER_TEXT, .offset = offsetof(struct fleet_worker, host) },
    { .key = "pool", .type = MEMBER_TEXT, .offset = offsetof(struct fleet_worker, pool),
      .always = 1 },
    { .key = "version", .type = MEMBER_TEXT, .offset = offsetof(struct fleet_worker, version) },
    { .key = "slots", .type = MEMBER_U32, .offset = offsetof(struct fleet_worker, slots) },
    { .key = "busy", .type = MEMBER_U32, .offset = offsetof(struct fleet_worker, busy) },
    { .key = "pulls", .type = MEMBER_U32, .offset = offsetof(struct fleet_worker, pulls) },
    { .key = "since", .type = MEMBER_U64, .offset = offsetof(struct fleet_worker, since_ms) },
    { .key = NULL },
};

static const struct member pool_members[] = {
    { .key = "name", .type = MEMBER_TEXT, .offset = offsetof(struct fleet_pool, name),
      .always = 1 },
    { .key = "queued", .type = MEMBER_U32, .offset = offsetof(struct fleet_pool, queued) },
    { .key = "workers", .type = MEMBER_U32, .offset = offsetof(struct fleet_pool, workers) },
    { .key = NULL },
};

static const struct member attempt_members[] = {
    { .key = "k", .type = MEMBER_TEXT, .offset = offsetof(struct fleet_shown, k), .always = 1 },
    { .key = "pool", .type = MEMBER_TEXT, .offset = offsetof(struct fleet_shown, pool) },
    { .key = "role", .type = MEMBER_TEXT, .offset = offsetof(struct fleet_shown, role) },
    { .key = "worker", .type = MEMBER_TEXT, .offset = offsetof(struct fleet_shown, worker) },
    { .key = "from", .type = MEMBER_TEXT, .offset = offsetof(struct fleet_shown, from) },
    { .key = "why", .type = MEMBER_TEXT, .offset = offsetof(struct fleet_shown, why) },
    { .key = "age_ms", .type = MEMBER_U64, .offset = offsetof(struct fleet_shown, age_ms) },
    { .key = "silent_ms", .type = MEMBER_U64,
      .offset = offsetof(struct fleet_shown, silent_ms) },
    { .key = NULL },
};

/* ---- writing ---- */

static void labels_write(yyjson_mut_doc *doc, yyjson_mut_val *object,
                         const struct fleet_label *labels, uint32_t count)
{
    yyjson_mut_val *map = count ? yyjson_mut_obj_add_obj(doc, object, "labels") : NULL;

    for (uint32_t i = 0; i < count; i++) {
        yyjson_mut_obj_add(map, json_text(doc, labels[i].key), json_text(doc, labels[i].value));
    }
}

static void attempts_write(yyjson_mut_doc *doc, yyjson_mut_val *root,
                           const struct fleet_line *line)
{
    yyjson_mut_val *list = line->attempt_count ? yyjson_mut_obj_add_arr(doc, root, "attempts")
                                               : NULL;

    for (uint32_t i = 0; i < line->attempt_count; i++) {
        yyjson_mut_val *item = yyjson_mut_arr_add_obj(doc, list);

        json_add(doc, item, "state", told_words[line->attempts[i].told]);
        members_write(doc, item, attempt_members, &line->attempts[i], 1);
    }
}

static void workers_write(yyjson_mut_doc *doc, yyjson_mut_val *root, const struct fleet_line *line)
{
    yyjson_mut_val *workers = yyjson_mut_obj_add_arr(doc, root, "workers");
    yyjson_mut_val *pools = yyjson_mut_obj_add_arr(doc, root, "pools");

    for (uint32_t i = 0; i < line->worker_count; i++) {
        const struct fleet_worker *worker = &line->workers[i];
        yyjson_mut_val *item = yyjson_mut_arr_add_obj(doc, workers);

        members_write(doc, item, worker_members, worker, 1);
        labels_write(doc, item, worker->labels, worker->label_count);
    }
    for (uint32_t i = 0; i < line->pool_count; i++) {
        members_write(doc, yyjson_mut_arr_add_obj(doc, pools), pool_members, &line->pools[i], 1);
    }
    attempts_write(doc, root, line);
}

static void beats_write(yyjson_mut_doc *doc, yyjson_mut_val *root, const struct fleet_line *line)
{
    yyjson_mut_val *keys = line->beat_count ? yyjson_mut_obj_add_arr(doc, root, "k") : NULL;

    for (uint32_t i = 0; i < line->beat_count; i++) {
        yyjson_mut_arr_append(keys, json_text(doc, line->beats[i]));
    }
}

static void data_write(yyjson_mut_doc *doc, yyjson_mut_val *root, struct str data)
{
    struct buf letters;
    int rc;

    buf_init(&letters, base64_letters(data.size));
    rc = base64_write(data, &letters);
    assert(rc == 0);
    json_add_text(doc, root, "data", buf_str(&letters));
    buf_release(&letters);
}

/* A job or a result. On its way it was in the hands of others. */
static int object_write(yyjson_mut_doc *doc, yyjson_mut_val *root, const char *key,
                        struct str text)
{
    yyjson_doc *from;
    struct err none;

    if (text.size == 0) return 0;
    if (json_read(text, &from, &none) != 0) return ERR_FORMAT;
    yyjson_mut_obj_add_val(doc, root, key,
                           yyjson_val_mut_copy(doc, yyjson_doc_get_root(from)));
    yyjson_doc_free(from);
    return 0;
}

static int line_fill(yyjson_mut_doc *doc, const struct fleet_line *line)
{
    yyjson_mut_val *root = json_object(doc);
    enum fleet_kind kind = line->kind;
    int rc;

    json_add(doc, root, "m", kinds[kind].word);
    if (kind == FLEET_BEAT) beats_write(doc, root, line);
    else if (line->k.size || (HAVE_K & BIT(kind))) json_add_text(doc, root, "k", line->k);
    members_write(doc, root, line_members, line, BIT(kind));
    if (kind == FLEET_KNOWN) json_add(doc, root, "state", state_words[line->state]);
    if (HAVE_DATA & BIT(kind)) data_write(doc, root, line->data);
    rc = object_write(doc, root, "job", line->job);
    if (rc == 0) rc = object_write(doc, root, "result", line->result);
    if (kind == FLEET_WORKERS) workers_write(doc, root, line);
    else labels_write(doc, root, line->labels, line->label_count);
    return rc;
}

int fleet_line_write(const struct fleet_line *line, struct buf *out)
{
    yyjson_mut_doc *doc = json_new();
    struct buf text;
    int rc;

    assert(line->kind < FLEET_KIND_COUNT);
    buf_init(&text, FLEET_LINE_BYTES_MAX);
    rc = line_fill(doc, line);
    json_finish(doc, false, &text);
    if (rc == 0) rc = text.overflow ? ERR_LIMIT : buf_reserve(out, text.size + 1);
    if (rc == 0) {
        (void)buf_add(out, buf_str(&text));
        (void)buf_byte(out, '\n');
    }
    buf_release(&text);
    return rc;
}

/* ---- reading ---- */

static int labels_read(yyjson_val *object, struct arena *arena, struct fleet_label **labels,
                       uint32_t *count, struct err *err)
{
    yyjson_val *map = yyjson_obj_get(object, "labels"), *key, *value;
    yyjson_obj_iter iter;

    if (!map) return 0;
    if (!yyjson_is_obj(map)) return member_bad_type("labels", "an object of texts", err);
    if (yyjson_obj_size(map) > FLEET_LABELS_MAX) {
        return err_set(err, ERR_FORMAT, "\"labels\" has more than %d", FLEET_LABELS_MAX);
    }
    *labels = arena_alloc(arena, FLEET_LABELS_MAX * sizeof **labels);
    yyjson_obj_iter_init(map, &iter);
    while ((key = yyjson_obj_iter_next(&iter))) {
        struct fleet_label *label = &(*labels)[(*count)++];

        value = yyjson_obj_iter_get_val(key);
        if (!yyjson_is_str(value) || yyjson_get_len(key) > FLEET_WORD_BYTES_MAX ||
            yyjson_get_len(value) > FLEET_WORD_BYTES_MAX) {
            return member_bad_type("labels", "an object of short texts", err);
        }
        label->key = arena_copy(arena, json_value(key));
        label->value = arena_copy(arena, json_value(value));
    }
    return 0;
}

/* An optional list of at most count_max; NULL: there is none. */
static int list_read(yyjson_val *root, const char *key, uint32_t count_max, yyjson_val **list,
                     uint32_t *count, struct err *err)
{
    int rc = member_list(root, key, list, count, err);

    if (rc == 0 && *count > count_max) {
        rc = err_set(err, ERR_FORMAT, "\"%s\" has more than %u", key, count_max);
    }
    return rc;
}

static int worker_read(yyjson_val *item, struct arena *arena, struct fleet_worker *out,
                       struct err *err)
{
    int rc = members_read(item, worker_members, arena, out, 1, err);

    if (rc == 0 && !fleet_name_is(out->id)) rc = member_bad_type("id", "a worker's name", err);
    if (rc == 0 && !fleet_name_is(out->pool)) rc = member_bad_type("pool", "a pool's name", err);
    return rc == 0 ? labels_read(item, arena, &out->labels, &out->label_count, err) : rc;
}

/* One in a state that is not known is skipped. */
static int attempts_read(yyjson_val *root, struct arena *arena, struct fleet_line *out,
                         struct err *err)
{
    yyjson_val *list, *item;
    uint32_t count, word;
    size_t i, size;
    int rc = list_read(root, "attempts", FLEET_ATTEMPTS_MAX, &list, &count, err);

    if (rc != 0) return rc;
    out->attempts = arena_alloc(arena, (count + 1) * sizeof *out->attempts);
    yyjson_arr_foreach(list, i, size, item) {
        struct fleet_shown *attempt = &out->attempts[out->attempt_count];

        word = word_index(json_str(item, "state"), told_words, FLEET_TOLD_COUNT);
        if (word == FLEET_TOLD_COUNT) continue;
        rc = members_read(item, attempt_members, arena, attempt, 1, err);
        if (rc == 0 && !fleet_key_is(attempt->k)) {
            rc = member_bad_type("k", "RUN.JOB.ATTEMPT", err);
        }
        if (rc != 0) return rc;
        attempt->told = (enum fleet_told)word;
        out->attempt_count++;
    }
    return 0;
}

static int workers_read(yyjson_val *root, struct arena *arena, struct fleet_line *out,
                        struct err *err)
{
    yyjson_val *list, *item;
    uint32_t count;
    size_t i, size;
    int rc = list_read(root, "workers", FLEET_WORKERS_MAX, &list, &count, err);

    if (rc != 0) return rc;
    out->workers = arena_alloc(arena, (count + 1) * sizeof *out->workers);
    yyjson_arr_foreach(list, i, size, item) {
        rc = worker_read(item, arena, &out->workers[out->worker_count++], err);
        if (rc != 0) return rc;
    }
    rc = list_read(root, "pools", FLEET_WORKERS_MAX, &list, &count, err);
    if (rc != 0) return rc;
    out->pools = arena_alloc(arena, (count + 1) * sizeof *out->pools);
    yyjson_arr_foreach(list, i, size, item) {
        struct fleet_pool *pool = &out->pools[out->pool_count++];

        rc = members_read(item, pool_members, arena, pool, 1, err);
        if (rc == 0 && !fleet_name_is(pool->name)) {
            rc = member_bad_type("name", "a pool's name", err);
        }
        if (rc != 0) return rc;
    }
    return attempts_read(root, arena, out, err);
}

static int beats_read(yyjson_val *root, struct arena *arena, struct fleet_line *out,
                      struct err *err)
{
    yyjson_val *list, *item;
    uint32_t count;
    size_t i, size;
    int rc = list_read(root, "k", FLEET_BEATS_MAX, &list, &count, err);

    if (rc != 0) return rc;
    out->beats = arena_alloc(arena, (count + 1) * sizeof *out->beats);
    yyjson_arr_foreach(list, i, size, item) {
        struct str key = json_value(item);

        if (!fleet_key_is(key)) return member_bad_type("k", "a list of keys", err);
        out->beats[out->beat_count++] = arena_copy(arena, key);
    }
    return 0;
}

static int data_read(yyjson_val *root, struct arena *arena, struct str *out, struct err *err)
{
    struct str letters = json_str(root, "data");
    struct buf bytes;
    int rc;

    if (!letters.data) return err_set(err, ERR_FORMAT, "\"data\" is missing");
    buf_init(&bytes, FLEET_PIECE_BYTES_MAX);
    rc = base64_read(letters, &bytes);
    if (rc == 0) {
        *out = arena_take(arena, &bytes);
        return 0;
    }
    buf_release(&bytes);
    return member_bad_type("data", "base64 of at most 256 KiB", err);
}

/* A value as a JSON text of its own; it must be an object. */
static int object_read(yyjson_val *root, const char *key, struct arena *arena, struct str *out,
                       struct err *err)
{
    yyjson_val *value = yyjson_obj_get(root, key);
    size_t size;
    char *text;

    if (!yyjson_is_obj(value)) return member_bad_type(key, "an object", err);
    text = yyjson_val_write(value, 0, &size);
    if (!text) return member_bad_type(key, "an object of JSON", err);
    *out = arena_copy(arena, (struct str){ text, size });
    free(text);
    return 0;
}

static int word_read(yyjson_val *root, const char *key, const char *const *words, uint32_t count,
                     uint32_t *out, struct err *err)
{
    struct str word;
    int rc = member_word(root, key, true, &word, err);

    if (rc != 0) return rc;
    *out = word_index(word, words, count);
    return *out < count ? 0 : member_bad_word(key, word, err);
}

/* Members that are names: good ones, or not there where they may be missing. */
static int names_check(const struct fleet_line *line, enum fleet_side from, struct err *err)
{
    enum fleet_kind kind = line->kind;
    bool hello = kind == FLEET_HELLO;
    const struct { const char *key; struct str name; bool needed; } names[] = {
        { "run", line->run, false },
        { "token", line->token, false },
        { "worker", line->worker, (hello && from == FLEET_WORKER) || kind == FLEET_TAKEN },
        { "pool", line->pool, (hello && from == FLEET_WORKER) ||
                              (kind == FLEET_JOB && from == FLEET_DRIVER) },
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!names[i].needed && names[i].name.size == 0) continue;
        if (!fleet_name_is(names[i].name)) {
            return member_bad_type(names[i].key, "a name of letters, digits, '-' and '_'", err);
        }
    }
    if ((HAVE_ID & BIT(kind)) && !fleet_blob_is(line->id, NULL)) {
        return member_bad_type("id", "sha256-HEX or base-OID", err);
    }
    if (kind == FLEET_BEGIN && !fleet_nonce_is(line->nonce)) {
        return member_bad_type("nonce", "32 hexadecimal digits", err);
    }
    if (line->lease_ms && (line->lease_ms < FLEET_LEASE_MS_MIN ||
                           line->lease_ms > FLEET_LEASE_MS_MAX)) {
        return err_set(err, ERR_FORMAT, "\"lease_ms\" must be from %d to %d", FLEET_LEASE_MS_MIN,
                       FLEET_LEASE_MS_MAX);
    }
    return 0;
}

/* What stands beside the plain members. */
static int more_read(yyjson_val *root, enum fleet_side from, struct arena *arena,
                     struct fleet_line *out, struct err *err)
{
    uint32_t word = 0;
    int rc = 0;

    if (HAVE_DATA & BIT(out->kind)) rc = data_read(root, arena, &out->data, err);
    if (rc != 0) return rc;
    if (out->kind == FLEET_JOB) rc = object_read(root, "job", arena, &out->job, err);
    if (out->kind == FLEET_ENDED) rc = object_read(root, "result", arena, &out->result, err);
    if (out->kind == FLEET_KNOWN) {
        rc = word_read(root, "state", state_words, FLEET_STATE_COUNT, &word, err);
        out->state = (enum fleet_state)word;
    }
    if (out->kind == FLEET_STOP && from == FLEET_TO_WORKER) {
        rc = word_read(root, "why", stop_words, FLEET_STOP_COUNT, &word, err);
        out->stop = (enum fleet_stop)word;
    }
    if (out->kind == FLEET_WORKERS) rc = workers_read(root, arena, out, err);
    if (out->kind == FLEET_BEAT && from == FLEET_WORKER) rc = beats_read(root, arena, out, err);
    if (out->kind == FLEET_HELLO && rc == 0) {
        rc = labels_read(root, arena, &out->labels, &out->label_count, err);
    }
    return rc;
}

static int key_read(yyjson_val *root, struct arena *arena, struct fleet_line *out, struct err *err)
{
    yyjson_val *value = yyjson_obj_get(root, "k");

    if (out->kind == FLEET_BEAT) return 0;
    if (!value && !(HAVE_K & BIT(out->kind))) return 0;
    if (!fleet_key_is(json_value(value))) return member_bad_type("k", "RUN.JOB.ATTEMPT", err);
    out->k = arena_copy(arena, json_value(value));
    return 0;
}

static enum fleet_kind kind_find(struct str word, enum fleet_side from)
{
    for (uint32_t i = 0; i < FLEET_KIND_COUNT; i++) {
        if (str_is(word, kinds[i].word)) {
            return kinds[i].by & BIT(from) ? (enum fleet_kind)i : FLEET_UNKNOWN;
        }
    }
    return FLEET_UNKNOWN;
}

/* A greeting of a program that speaks other lines: only what tells which. */
static bool is_of_another_v(yyjson_val *root, struct arena *arena, struct fleet_line *out)
{
    uint64_t v;

    if (out->kind != FLEET_HELLO && out->kind != FLEET_READY) return false;
    if (!json_uint(root, "v", &v) || v == FLEET_V) return false;
    out->v = v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
    out->version = arena_copy(arena, json_str(root, "version"));
    return true;
}

static int root_read(yyjson_val *root, enum fleet_side from, struct arena *arena,
                     struct fleet_line *out, struct err *err)
{
    struct str word;
    int rc;

    if (!yyjson_is_obj(root)) return err_set(err, ERR_FORMAT, "it is no object");
    if (json_has_duplicates(root)) return err_set(err, ERR_FORMAT, "a member stands in it twice");
    rc = member_word(root, "m", true, &word, err);
    if (rc != 0) return rc;
    out->kind = kind_find(word, from);
    if (out->kind == FLEET_UNKNOWN) return 0;
    if (is_of_another_v(root, arena, out)) return 0;
    rc = key_read(root, arena, out, err);
    if (rc == 0) rc = members_read(root, line_members, arena, out, BIT(out->kind), err);
    if (rc != 0) return rc;
    rc = names_check(out, from, err);
    return rc == 0 ? more_read(root, from, arena, out, err) : rc;
}

int fleet_line_read(struct str text, enum fleet_side from, struct arena *arena,
                    struct fleet_line *out, struct err *err)
{
    yyjson_doc *doc;
    int rc;

    *out = (struct fleet_line){ .kind = FLEET_UNKNOWN };
    if (text.size > FLEET_LINE_BYTES_MAX) {
        return err_set(err, ERR_FORMAT, "the line is longer than %d bytes", FLEET_LINE_BYTES_MAX);
    }
    rc = json_read(text, &doc, err);
    if (rc != 0) return rc;
    rc = root_read(yyjson_doc_get_root(doc), from, arena, out, err);
    yyjson_doc_free(doc);
    if (rc != 0 && out->kind != FLEET_UNKNOWN) {
        rc = err_wrap(err, "\"%s\"", fleet_kind_word(out->kind));
    }
    return rc;
}
