/* SPDX-License-Identifier: Apache-2.0
 *
 * feed.c - the ring of messages, and the list of those who listen. Pure.
 *
 * 1. first <= next, and the messages from first on to before next are kept, no others.
 * 2. bytes is what they take; it is at most FEED_KEPT_BYTES_MAX, but for one that is longer. */
#include "serve/ui/feed.h"

#include "base/mem.h"
#include "io/http/http.h"

#include <assert.h>
#include <stdlib.h>

/* No server makes so many messages in the millisecond in which another one begins. */
enum { NUMBERS_PER_MS = 1000 };

void feed_init(struct feed *feed, uint64_t now_ms)
{
    *feed = (struct feed){ .first = now_ms * NUMBERS_PER_MS, .next = now_ms * NUMBERS_PER_MS };
}

static struct feed_message *place_of(struct feed *feed, uint64_t number)
{
    return &feed->kept[number % FEED_KEPT_MAX];
}

static void drop_first(struct feed *feed)
{
    struct feed_message *message = place_of(feed, feed->first++);

    feed->bytes -= message->bytes;
    free(message->text);
    *message = (struct feed_message){ 0 };
}

void feed_release(struct feed *feed)
{
    while (feed->first < feed->next) drop_first(feed);
    assert(feed->bytes == 0);
}

struct str feed_make(struct feed *feed, struct str line)
{
    uint64_t number = feed->next;
    struct feed_message *message;
    struct buf text;

    if (number - feed->first == FEED_KEPT_MAX) drop_first(feed);
    buf_init(&text, FEED_MESSAGE_BYTES_MAX);
    http_message(line, number, &text);
    assert(!text.overflow);
    message = place_of(feed, number);
    *message = (struct feed_message){ mem_copy(text.data, text.size), text.size };
    buf_release(&text);
    feed->next++;
    feed->bytes += message->bytes;
    while (feed->bytes > FEED_KEPT_BYTES_MAX && feed->next - feed->first > 1) {
        drop_first(feed);
    }
    return feed_kept(feed, number);
}

struct str feed_kept(const struct feed *feed, uint64_t number)
{
    const struct feed_message *message = &feed->kept[number % FEED_KEPT_MAX];

    assert(number >= feed->first && number < feed->next);
    return (struct str){ message->text, message->bytes };
}

bool feed_follows(const struct feed *feed, struct str last, uint64_t *behind)
{
    *behind = feed->next - 1;
    if (last.size == 0) return true;
    /* The one before the first that is kept is as good: nothing is missed behind it. */
    if (!str_number(last, behind)) return false;
    return *behind + 1 >= feed->first && *behind < feed->next;
}

bool feed_join(struct feed *feed, uint64_t client)
{
    if (feed->client_count == FEED_CLIENTS_MAX) return false;
    feed->clients[feed->client_count++] = client;
    return true;
}

void feed_leave(struct feed *feed, uint64_t client)
{
    for (uint32_t i = 0; i < feed->client_count; i++) {
        if (feed->clients[i] != client) continue;
        feed->clients[i] = feed->clients[--feed->client_count];
        return;
    }
}
