/* SPDX-License-Identifier: Apache-2.0
 *
 * deliver.c - one delivery, made.
 *
 *   request --> answered 2xx: made
 *      ^   '--> 429, 502, 503, 504: a pause (Retry-After, else 1, 2, 4 s), then again
 *      '-----------'   at most DELIVER_TRIES_MAX times, and within DELIVER_MS_MAX
 *          '--> anything else, or no answer: given up. A request that may have been taken is not
 *               made twice.
 *
 * 1. The process has an end: every wait has a bound, and an alarm ends it where the system itself
 *    does not come back (the look-up of a name).
 * 2. A webhook is signed over the time and the body, so that neither can be changed or sent again
 *    later: "sha256=" and HMAC-SHA256 of SECONDS "." BODY, as hexadecimal digits. Each try has its
 *    own time. A secret that is named and cannot be read: nothing is sent.
 * 3. Secrets come by standard input or are read here; none is on a command line or in a message. */
#include "observe/deliver.h"

#include "base/sha256.h"
#include "format/json/json.h"
#include "format/observe/otlp.h"
#include "format/text/safe.h"
#include "io/file/file.h"
#include "io/process/helper.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PAUSE_MS = 1000, SECRET_BYTES_MAX = 4096, HEADERS_MAX = 72, WORDS_MAX = 256,
    COMMAND_OUT_BYTES_MAX = 1 << 20, ALARM_S = DELIVER_MS_MAX / 1000 + 30, ARGV_MAX = 256,
};

static const char *const kinds[DELIVER_KIND_COUNT] = { "spans", "webhook", "command" };

/* ---- as text ---- */

void delivery_write(const struct delivery *delivery, struct buf *out)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc), *list;

    json_add(doc, root, "kind", kinds[delivery->kind]);
    json_add_some(doc, root, "url", str_of(delivery->url));
    json_add_some(doc, root, "certificate", str_of(delivery->certificate));
    json_add_some(doc, root, "secret_file", str_of(delivery->secret_file));
    json_add_some(doc, root, "secret_env", str_of(delivery->secret_env));
    json_add_some(doc, root, "cwd", str_of(delivery->cwd));
    yyjson_mut_obj_add_uint(doc, root, "timeout_ms", delivery->timeout_ms);
    list = yyjson_mut_obj_add_arr(doc, root, "headers");
    for (uint32_t i = 0; i < delivery->header_count; i++) {
        yyjson_mut_arr_append(list, json_text(doc, delivery->headers[i].name));
        yyjson_mut_arr_append(list, json_text(doc, delivery->headers[i].value));
    }
    list = yyjson_mut_obj_add_arr(doc, root, "argv");
    for (const char *const *arg = delivery->argv; arg && *arg; arg++) {
        yyjson_mut_arr_append(list, json_text(doc, str_of(*arg)));
    }
    json_add_text(doc, root, "body", delivery->body);
    json_finish(doc, false, out);
}

static const char *text_of(yyjson_val *root, const char *key, struct arena *arena)
{
    struct str text = json_str(root, key);

    return text.size ? arena_cstr(arena, text) : NULL;
}

/* A list of texts; NULL ends it. NULL: it is none, or too long. */
static const char *const *list_of(yyjson_val *list, uint32_t *count, struct arena *arena)
{
    const char **out = arena_alloc(arena, (ARGV_MAX + (size_t)1) * sizeof *out);
    yyjson_arr_iter iter;
    yyjson_val *value;

    *count = 0;
    if (!yyjson_arr_iter_init(list, &iter)) return NULL;
    while ((value = yyjson_arr_iter_next(&iter))) {
        if (!yyjson_is_str(value) || *count == ARGV_MAX) return NULL;
        out[(*count)++] = arena_cstr(arena, json_value(value));
    }
    return out;
}

static bool read_members(yyjson_val *root, struct arena *arena, struct delivery *out)
{
    struct http_header *headers = arena_alloc(arena, HEADERS_MAX * sizeof *headers);
    const char *const *pairs;
    uint32_t count, args;

    *out = (struct delivery){ .kind = DELIVER_KIND_COUNT };
    for (uint32_t i = 0; i < DELIVER_KIND_COUNT; i++) {
        if (str_is(json_str(root, "kind"), kinds[i])) out->kind = (enum deliver_kind)i;
    }
    out->url = text_of(root, "url", arena);
    out->certificate = text_of(root, "certificate", arena);
    out->secret_file = text_of(root, "secret_file", arena);
    out->secret_env = text_of(root, "secret_env", arena);
    out->cwd = text_of(root, "cwd", arena);
    out->body = arena_copy(arena, json_str(root, "body"));
    pairs = list_of(yyjson_obj_get(root, "headers"), &count, arena);
    out->argv = list_of(yyjson_obj_get(root, "argv"), &args, arena);
    if (!pairs || !out->argv || count % 2 || count / 2 > HEADERS_MAX - 4) return false;
    for (uint32_t i = 0; i < count / 2; i++) {
        headers[i] = (struct http_header){ str_of(pairs[(size_t)2 * i]),
                                           str_of(pairs[(size_t)2 * i + 1]) };
    }
    out->headers = headers;
    out->header_count = count / 2;
    if (!json_uint(root, "timeout_ms", &out->timeout_ms) || out->timeout_ms == 0) return false;
    if (out->kind == DELIVER_COMMAND) return args > 0;
    return out->kind != DELIVER_KIND_COUNT && out->url;
}

static int delivery_read(struct str json, struct arena *arena, struct delivery *out,
                         struct err *err)
{
    yyjson_doc *doc;
    bool good;
    int rc = json_read(json, &doc, err);

    if (rc != 0) return rc;
    good = read_members(yyjson_doc_get_root(doc), arena, out);
    yyjson_doc_free(doc);
    return good ? 0 : err_set(err, ERR_FORMAT, "this is no delivery");
}

/* ---- a request ---- */

static bool status_is_retried(int status)
{
    return status == 429 || status == 502 || status == 503 || status == 504;
}

static int read_secret(const struct delivery *delivery, struct arena *arena, struct str *out,
                       struct err *err)
{
    const char *name = delivery->secret_env;
    const char *value = name ? getenv(name) : NULL;
    int rc;

    if (name && (!value || !*value)) {
        return err_set(err, ERR_MISSING, "the variable %.100s, which notify.secret_env names, is "
                       "not set", name);
    }
    if (name) {
        *out = str_of(value);
        return 0;
    }
    rc = file_text(delivery->secret_file, SECRET_BYTES_MAX, arena, out, err);
    if (rc != 0) return err_wrap(err, "notify.secret_file");
    *out = str_trim(*out);
    if (out->size > 0) return 0;
    return err_set(err, ERR_USAGE, "notify.secret_file: %.300s is empty", delivery->secret_file);
}

/* Puts the headers of a signature behind those that are there. */
static int sign(const struct delivery *delivery, struct http_header *headers, uint32_t *count,
                struct arena *arena, struct err *err)
{
    const char *seconds = arena_printf(arena, "%" PRIu64, now_wall_ms() / 1000);
    const struct str pieces[] = { str_of(seconds), STR("."), delivery->body };
    char digits[SHA256_HEX_BYTES];
    struct str secret = { 0 };
    int rc;

    if (delivery->kind != DELIVER_WEBHOOK) return 0;
    headers[(*count)++] = (struct http_header){ STR("X-Hone-Timestamp"), str_of(seconds) };
    if (!delivery->secret_file && !delivery->secret_env) return 0;
    rc = read_secret(delivery, arena, &secret, err);
    if (rc != 0) return rc;
    headers[(*count)++] = (struct http_header){
        STR("X-Hone-Signature"),
        str_of(arena_printf(arena, "sha256=%s", hmac_sha256(secret, pieces, 3, digits))),
    };
    return 0;
}

/* One request; *again_ms: it is to be made again after so long. */
static int request_once(const struct delivery *delivery, uint64_t later_ms, uint64_t *again_ms,
                        struct err *err)
{
    struct http_header headers[HEADERS_MAX];
    uint32_t count = delivery->header_count;
    struct http_post post = { .url = delivery->url, .headers = headers, .body = delivery->body,
                              .certificate = delivery->certificate,
                              .timeout_ms = delivery->timeout_ms };
    struct http_reply reply = { .status = 0 };
    struct arena arena = { 0 };
    struct str words;
    uint64_t refused;
    int rc;

    buf_init(&reply.body, POST_ANSWER_BYTES_MAX);
    memcpy(headers, delivery->headers, count * sizeof *headers);
    rc = sign(delivery, headers, &count, &arena, err);
    post.header_count = count;
    if (rc == 0) rc = http_post(&post, &reply, err);
    if (rc == 0 && reply.status / 100 != 2) {
        rc = err_set(err, ERR_FAILED, "it answered %d", reply.status);
        if (status_is_retried(reply.status)) {
            *again_ms = reply.told_when ? reply.retry_after_ms : later_ms;
        }
    } else if (rc == 0 && delivery->kind == DELIVER_SPANS) {
        refused = otlp_refused(buf_str(&reply.body), &arena, &words);
        if (refused > 0) {
            rc = err_set(err, ERR_FAILED, "it refused %" PRIu64 " spans: %s", refused,
                         safe_copy(&arena, words, WORDS_MAX));
        }
    }
    buf_release(&reply.body);
    arena_release(&arena);
    return rc;
}

static int request_make(const struct delivery *delivery, struct err *err)
{
    uint64_t begun_ms = now_steady_ms();
    int rc = 0;

    for (uint32_t tries = 1; tries <= DELIVER_TRIES_MAX; tries++) {
        uint64_t again_ms = UINT64_MAX, used_ms;

        rc = request_once(delivery, (uint64_t)PAUSE_MS << (tries - 1), &again_ms, err);
        used_ms = now_steady_ms() - begun_ms;
        if (rc == 0 || again_ms == UINT64_MAX) return rc;
        if (used_ms >= DELIVER_MS_MAX || again_ms >= DELIVER_MS_MAX - used_ms) break;
        if (tries < DELIVER_TRIES_MAX) pause_ms((uint32_t)again_ms);
    }
    return rc;
}

/* ---- made ---- */

static int command_make(const struct delivery *delivery, struct err *err)
{
    const struct helper_call call = { .argv = delivery->argv, .cwd = delivery->cwd,
                                      .input = delivery->body,
                                      .limit_ms = delivery->timeout_ms };
    struct buf out;
    int rc;

    buf_init(&out, COMMAND_OUT_BYTES_MAX);
    rc = helper_ask(&call, &out, err);
    buf_release(&out);
    return rc;
}

static int delivery_make(const struct delivery *delivery, struct err *err)
{
    return delivery->kind == DELIVER_COMMAND ? command_make(delivery, err)
                                             : request_make(delivery, err);
}

int deliver_main(void)
{
    struct arena arena = { 0 };
    struct delivery delivery;
    struct buf text, line;
    struct err err = { 0 };
    int rc;

    (void)alarm(ALARM_S);
    buf_init(&text, DELIVER_BYTES_MAX);
    rc = file_read_fd(STDIN_FILENO, &text, &err);
    if (rc == 0) rc = delivery_read(buf_str(&text), &arena, &delivery, &err);
    if (rc == 0) rc = delivery_make(&delivery, &err);
    if (rc != 0) {
        buf_init(&line, ERR_TEXT_BYTES * 4);
        safe_text(&line, str_of(err.text), true, 0);
        printf("%s\n", buf_cstr(&line));
        fflush(stdout);
        buf_release(&line);
    }
    buf_release(&text);
    arena_release(&arena);
    return rc == 0 ? 0 : 1;
}
