/* SPDX-License-Identifier: Apache-2.0
 *
 * collector.c - what stands in for a collector of spans, or for the receiver of a webhook.
 *
 *   collector serve FOLDER ANSWER...   listens on 127.0.0.1, writes the port to FOLDER/port; of the
 *                                      Nth request the head goes to FOLDER/N.head, the body to
 *                                      FOLDER/N.json. Answers in turn, the last one for ever:
 *                                      a status (503, or 503:SECONDS with a Retry-After),
 *                                      "partial", "garbage", "silent" (it never answers) or "slow"
 *                                      (a byte now and then, without an end)
 *   collector check FILE...            the bodies of one run, against opentelemetry-proto's rules
 *                                      for JSON: members and their types, ids, times, parents.
 *                                      ABOVE in the environment: the id of a span that another
 *                                      process sends. Says what is wrong, and exits with 1. */
#include "base/mem.h"
#include "format/json/json.h"
#include "io/file/file.h"
#include "io/http/http.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BODY_BYTES_MAX = 64 << 20, SPANS_MAX = 100000 };

/* ---- serving ---- */

static void keep(const char *folder, unsigned number, const char *kind, struct str text)
{
    char name[64];
    struct err err;

    snprintf(name, sizeof name, "%u.%s", number, kind);
    if (file_write(folder, name, text, &err) != 0) fprintf(stderr, "collector: %s\n", err.text);
}

/* The whole request; its head's size, or 0. */
static size_t take_request(int fd, struct buf *said)
{
    char piece[4096];
    struct http_head head;
    size_t end = 0;

    for (;;) {
        ssize_t got;

        if (end == 0) {
            end = http_head_end(buf_str(said));
            if (end > 0 && http_head_read(str_head(buf_str(said), end), &head) != 0) return 0;
        }
        if (end > 0 && said->size - end >= head.body_bytes) return end;
        got = read(fd, piece, sizeof piece);
        if (got <= 0) return 0;
        buf_add(said, (struct str){ piece, (size_t)got });
    }
}

static void say(int fd, const char *text)
{
    (void)!write(fd, text, strlen(text));
}

static void answer(int fd, const char *how)
{
    char text[512];
    const char *pause = strchr(how, ':');

    if (strcmp(how, "garbage") == 0) {
        say(fd, "\x16\x03\x01 this is no HTTP\r\n\r\n\r\n");
    } else if (strcmp(how, "silent") == 0) {
        pause_ms(60000);
    } else if (strcmp(how, "slow") == 0) {
        for (int i = 0; i < 600; i++) {
            say(fd, "H");
            pause_ms(100);
        }
    } else if (strcmp(how, "partial") == 0) {
        say(fd, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"partialSuccess\":{"
                "\"rejectedSpans\":\"1\",\"errorMessage\":\"one \\u001b[31m is too old\"}}");
    } else {
        snprintf(text, sizeof text, "HTTP/1.1 %.3s Words\r\n%s%s%sContent-Length: 2\r\n\r\n{}", how,
                 pause ? "Retry-After: " : "", pause ? pause + 1 : "", pause ? "\r\n" : "");
        say(fd, text);
    }
}

static int serve(const char *folder, const char *const *answers)
{
    struct sockaddr_in place = { .sin_family = AF_INET };
    socklen_t size = sizeof place;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    char port[16];
    struct err err;

    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || bind(fd, (struct sockaddr *)&place, sizeof place) != 0 || listen(fd, 16) != 0 ||
        getsockname(fd, (struct sockaddr *)&place, &size) != 0) return 1;
    snprintf(port, sizeof port, "%u\n", ntohs(place.sin_port));
    if (file_write(folder, "port", str_of(port), &err) != 0) return 1;
    for (unsigned number = 1;; number++) {
        struct buf said;
        size_t head;
        int peer = accept(fd, NULL, NULL);

        if (peer < 0) return 1;
        buf_init(&said, BODY_BYTES_MAX);
        head = take_request(peer, &said);
        if (head > 0) {
            keep(folder, number, "head", str_head(buf_str(&said), head));
            keep(folder, number, "json", str_skip(buf_str(&said), head));
        }
        answer(peer, *answers);
        if (answers[1]) answers++;
        buf_release(&said);
        close(peer);
    }
}

/* ---- checking ---- */

static int wrong;

static void complain(const char *what, const char *value)
{
    printf("%s: %s\n", what, value ? value : "");
    wrong = 1;
}

/* An object with these members and no others; a name with "!" in front must be there. */
static void check_members(yyjson_val *object, const char *what, const char *const *names)
{
    yyjson_obj_iter iter;
    yyjson_val *key;

    if (!yyjson_is_obj(object)) {
        complain(what, "is no object");
        return;
    }
    yyjson_obj_iter_init(object, &iter);
    while ((key = yyjson_obj_iter_next(&iter))) {
        const char *const *name = names;

        while (*name && strcmp(*name + (**name == '!'), yyjson_get_str(key)) != 0) name++;
        if (!*name) complain("unknown member", yyjson_get_str(key));
    }
    for (; *names; names++) {
        if (**names == '!' && !yyjson_obj_get(object, *names + 1)) complain(what, *names + 1);
    }
    if (json_has_duplicates(object)) complain(what, "has a member twice");
}

#define CHECK_MEMBERS(object, what, ...) \
    check_members(object, what, (const char *const[]){ __VA_ARGS__, NULL })

static bool is_hex(const char *text, size_t size)
{
    return text && strlen(text) == size && strspn(text, "0123456789abcdef") == size &&
           strspn(text, "0") < size;
}

static void check_value(yyjson_val *value)
{
    const char *number = yyjson_get_str(yyjson_obj_get(value, "intValue"));
    yyjson_val *real = yyjson_obj_get(value, "doubleValue");

    CHECK_MEMBERS(value, "value", "stringValue", "boolValue", "intValue", "doubleValue");
    if (yyjson_obj_size(value) != 1) complain("value", "is not one of them");
    if (yyjson_obj_get(value, "intValue") &&
        (!number || !*number || strspn(number, "0123456789") != strlen(number))) {
        complain("intValue", "is no decimal text");
    }
    if (yyjson_obj_get(value, "stringValue") &&
        !yyjson_is_str(yyjson_obj_get(value, "stringValue"))) complain("stringValue", "no text");
    if (real && !yyjson_is_num(real)) complain("doubleValue", "is no number");
}

static void check_attributes(yyjson_val *list)
{
    yyjson_arr_iter iter;
    yyjson_val *item;

    if (!yyjson_is_arr(list)) complain("attributes", "is no list");
    yyjson_arr_iter_init(list, &iter);
    while ((item = yyjson_arr_iter_next(&iter))) {
        CHECK_MEMBERS(item, "attribute", "!key", "!value");
        check_value(yyjson_obj_get(item, "value"));
    }
}

static uint64_t time_of(yyjson_val *span, const char *key)
{
    struct str text = json_str(span, key);
    uint64_t number = 0;

    if (!str_number(text, &number) || number < UINT64_C(1700000000000000000)) {
        complain(key, "is no time");
    }
    return number;
}

static struct seen {
    const char *trace, *span, *parent;
} seen[SPANS_MAX];
static unsigned seen_count;

static void check_span(yyjson_val *span)
{
    const char *trace = yyjson_get_str(yyjson_obj_get(span, "traceId"));
    const char *id = yyjson_get_str(yyjson_obj_get(span, "spanId"));
    const char *parent = yyjson_get_str(yyjson_obj_get(span, "parentSpanId"));
    yyjson_val *kind = yyjson_obj_get(span, "kind"), *status = yyjson_obj_get(span, "status");

    CHECK_MEMBERS(span, "span", "!traceId", "!spanId", "parentSpanId", "!name", "!kind",
                  "!startTimeUnixNano", "!endTimeUnixNano", "attributes", "status");
    if (!is_hex(trace, 32)) complain("traceId", trace);
    if (!is_hex(id, 16)) complain("spanId", id);
    if (parent && !is_hex(parent, 16)) complain("parentSpanId", parent);
    if (!yyjson_is_uint(kind) || yyjson_get_uint(kind) > 5) complain("kind", "is none");
    if (time_of(span, "startTimeUnixNano") > time_of(span, "endTimeUnixNano")) {
        complain("span", "ends before it starts");
    }
    check_attributes(yyjson_obj_get(span, "attributes"));
    CHECK_MEMBERS(status, "status", "code", "message");
    if (!yyjson_is_uint(yyjson_obj_get(status, "code"))) complain("code", "is no number");
    seen[seen_count++] = (struct seen){ trace ? trace : "", id ? id : "", parent };
}

static void check_body(yyjson_val *root)
{
    yyjson_val *resources, *scopes, *spans;
    size_t i, n, j, m, k, o;
    yyjson_val *one, *two, *three;

    CHECK_MEMBERS(root, "body", "!resourceSpans");
    resources = yyjson_obj_get(root, "resourceSpans");
    yyjson_arr_foreach(resources, i, n, one) {
        CHECK_MEMBERS(one, "resourceSpans", "!resource", "!scopeSpans");
        CHECK_MEMBERS(yyjson_obj_get(one, "resource"), "resource", "!attributes");
        check_attributes(yyjson_obj_get(yyjson_obj_get(one, "resource"), "attributes"));
        scopes = yyjson_obj_get(one, "scopeSpans");
        yyjson_arr_foreach(scopes, j, m, two) {
            CHECK_MEMBERS(two, "scopeSpans", "!scope", "!spans");
            CHECK_MEMBERS(yyjson_obj_get(two, "scope"), "scope", "!name", "version");
            spans = yyjson_obj_get(two, "spans");
            yyjson_arr_foreach(spans, k, o, three) check_span(three);
        }
    }
}

/* Every parent is there, no id twice, all in one trace. */
static void check_tree(const char *above)
{
    for (unsigned i = 0; i < seen_count; i++) {
        bool found = !seen[i].parent || strcmp(seen[i].parent, above) == 0;

        if (strcmp(seen[i].trace, seen[0].trace) != 0) complain("another trace", seen[i].trace);
        for (unsigned k = 0; k < seen_count; k++) {
            if (seen[i].parent && strcmp(seen[k].span, seen[i].parent) == 0) found = true;
            if (k != i && strcmp(seen[k].span, seen[i].span) == 0) complain("twice", seen[i].span);
        }
        if (!found) complain("a parent is missing", seen[i].parent);
    }
    if (seen_count == 0) complain("spans", "there are none");
}

static int check(const char *const *files)
{
    const char *above = getenv("ABOVE");

    for (; *files; files++) {
        yyjson_doc *doc; /* lives on: ids point into it */
        struct buf text;
        struct err err;

        buf_init(&text, BODY_BYTES_MAX);
        if (file_read(*files, &text, &err) != 0 || json_read(buf_str(&text), &doc, &err) != 0) {
            complain(*files, err.text);
        } else {
            check_body(yyjson_doc_get_root(doc));
        }
        buf_release(&text);
    }
    check_tree(above ? above : "");
    return wrong;
}

int main(int argc, char **argv)
{
    const char *const *rest = (const char *const *)argv + 2;

    if (argc > 3 && strcmp(argv[1], "serve") == 0) return serve(argv[2], rest + 1);
    if (argc > 2 && strcmp(argv[1], "check") == 0) return check(rest);
    fprintf(stderr, "collector serve FOLDER ANSWER..., or check FILE...\n");
    return 2;
}
