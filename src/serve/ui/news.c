/* SPDX-License-Identifier: Apache-2.0
 *
 * news.c - what follow/ tells, as messages of the stream; and those who listen to it.
 *
 *     hello                    to one who comes, first of all
 *     run, grew, gone          to all, and kept for those who come back
 *     again                    what you have may be old: to one who was away too long; to all where
 *                              a repository came or went, or news are too long for a message
 *
 * A message of a run holds what changed: its row, the attempts and rounds, how its lanes stand. The
 * rest is asked for. */
#include "serve/ui/site.h"

#include "document/document.h"
#include "io/file/file.h"

#include <inttypes.h>
#include <stdio.h>

enum { KEEP_ALIVE_MS = 15 * 1000, LINE_ROOM = 64, ATTEMPT_NAME_BYTES = 24 };

/* ---- to all ---- */

static void send_all(struct site *site, struct str message)
{
    for (uint32_t i = 0; i < site->feed.client_count; i++) {
        http_stream(&site->http, site->feed.clients[i], message);
    }
}

static yyjson_mut_doc *message_new(const char *kind)
{
    yyjson_mut_doc *doc = json_new();

    json_add(doc, json_object(doc), "kind", kind);
    return doc;
}

/* Takes the document. One that is too long is told as the word to ask anew. */
static void tell_all(struct site *site, yyjson_mut_doc *doc)
{
    struct buf line;

    buf_init(&line, FEED_MESSAGE_BYTES_MAX - LINE_ROOM);
    json_finish(doc, false, &line);
    if (line.overflow) {
        buf_clear(&line);
        buf_text(&line, "{\"kind\":\"again\"}");
    }
    send_all(site, feed_make(&site->feed, buf_str(&line)));
    buf_release(&line);
}

/* ---- what is told ---- */

static void add_row(const struct follow_news *news, yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    yyjson_mut_val *row = yyjson_mut_obj_add_obj(doc, root, "row");

    look_describe(doc, row, &news->row->run, news->row->alive);
    document_row(news->row, doc, row);
    yyjson_mut_obj_add_uint(doc, row, "repo", news->repo);
}

static void add_changes(const struct follow_news *news, yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    const struct follow_run *whole = news->whole;
    const struct status status = { .look = whole->look, .replay = whole->replay,
                                   .history = whole->history, .now_ms = now_wall_ms() };

    document_entries(&status, news->entries, news->entry_count, doc, root);
    document_rounds(&status, news->rounds, news->round_count, doc, root);
    document_lanes(&status, doc, root);
    document_counts(&news->row->sums, doc, root);
}

static void on_run(struct site *site, const struct follow_news *news)
{
    yyjson_mut_doc *doc = message_new("run");
    yyjson_mut_val *root = yyjson_mut_doc_get_root(doc);

    yyjson_mut_obj_add_uint(doc, root, "repo", news->repo);
    json_add(doc, root, "run", news->run);
    add_row(news, doc, root);
    yyjson_mut_obj_add_uint(doc, root, "events", news->row->run.event_count);
    if (news->whole) add_changes(news, doc, root);
    tell_all(site, doc);
}

static void on_grown(struct site *site, const struct follow_news *news)
{
    yyjson_mut_doc *doc = message_new("grew");
    yyjson_mut_val *root = yyjson_mut_doc_get_root(doc);
    char name[ATTEMPT_NAME_BYTES];

    snprintf(name, sizeof name, "%" PRIu32 "-%" PRIu32, news->job, news->attempt);
    yyjson_mut_obj_add_uint(doc, root, "repo", news->repo);
    json_add(doc, root, "run", news->run);
    json_add(doc, root, "attempt", name);
    yyjson_mut_obj_add_uint(doc, root, "bytes", news->bytes);
    tell_all(site, doc);
}

static void on_gone(struct site *site, const struct follow_news *news)
{
    yyjson_mut_doc *doc = message_new("gone");
    yyjson_mut_val *root = yyjson_mut_doc_get_root(doc);

    yyjson_mut_obj_add_uint(doc, root, "repo", news->repo);
    json_add(doc, root, "run", news->run);
    tell_all(site, doc);
}

void site_news(void *context, const struct follow_news *news)
{
    struct site *site = context;

    switch (news->kind) {
    case FOLLOW_ADDED:
    case FOLLOW_CHANGED:
        on_run(site, news);
        break;
    case FOLLOW_GONE:
        on_gone(site, news);
        break;
    case FOLLOW_GREW:
        on_grown(site, news);
        break;
    case FOLLOW_PLACE:
        tell_all(site, message_new("again"));
        break;
    }
}

/* ---- to one who comes ---- */

static void tell_one(struct site *site, uint64_t client, yyjson_mut_doc *doc, uint64_t number)
{
    struct buf line, message;

    buf_init(&line, FEED_MESSAGE_BYTES_MAX);
    buf_init(&message, FEED_MESSAGE_BYTES_MAX);
    json_finish(doc, false, &line);
    http_message(buf_str(&line), number, &message);
    http_stream(&site->http, client, buf_str(&message));
    buf_release(&line);
    buf_release(&message);
}

int answer_stream(struct ui_call *call, struct err *err)
{
    struct site *site = call->site;
    struct str last = http_header(call->head, "last-event-id");
    yyjson_mut_doc *hello = message_new("hello");
    yyjson_mut_val *root = yyjson_mut_doc_get_root(hello);
    bool comes_back = last.size > 0;
    uint64_t behind;
    bool follows = feed_follows(&site->feed, last, &behind);

    if (!feed_join(&site->feed, call->id)) {
        yyjson_mut_doc_free(hello);
        return err_set(err, ERR_BUSY, "too many pages listen already: close some of them");
    }
    call->later = true;
    yyjson_mut_obj_add_uint(hello, root, "api", 1);
    yyjson_mut_obj_add_uint(hello, root, "now_ms", now_wall_ms());
    /* Of one that comes back the newest number is said by what follows, or by "again". */
    tell_one(site, call->id, hello, comes_back ? 0 : site->feed.next - 1);
    if (!follows) {
        tell_one(site, call->id, message_new("again"), site->feed.next - 1);
        return 0;
    }
    for (uint64_t number = behind + 1; number < site->feed.next; number++) {
        http_stream(&site->http, call->id, feed_kept(&site->feed, number));
    }
    return 0;
}

void site_keep_alive(struct site *site, uint64_t now_ms)
{
    struct buf message;

    if (now_ms - site->said_ms < KEEP_ALIVE_MS) return;
    site->said_ms = now_ms;
    buf_init(&message, LINE_ROOM);
    http_message(STR(""), 0, &message);
    send_all(site, buf_str(&message));
    buf_release(&message);
}

int64_t site_keep_alive_in_ms(const struct site *site, uint64_t now_ms)
{
    uint64_t at_ms = site->said_ms + KEEP_ALIVE_MS;

    if (site->feed.client_count == 0) return -1;
    return at_ms > now_ms ? (int64_t)(at_ms - now_ms) : 0;
}
