/* SPDX-License-Identifier: Apache-2.0
 *
 * test_ui_feed.c - messages of the stream: their numbers, what is kept, who is told what. */
#include "serve/ui/feed.h"

#include "test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct feed feed;

static int begin(void **state)
{
    (void)state;
    feed_init(&feed, 1000);
    return 0;
}

static int end(void **state)
{
    (void)state;
    feed_release(&feed);
    return 0;
}

#define FEED_TEST(name) TEST_WITH(name, begin, end)

/* Whether a client whose last message has this number can go on, and behind which. */
static bool follows(uint64_t last, uint64_t *behind)
{
    char text[32];

    snprintf(text, sizeof text, "%" PRIu64, last);
    return feed_follows(&feed, str_of(text), behind);
}

FEED_TEST(a_message_is_made_as_it_is_sent)
{
    struct str first = feed_make(&feed, STR("{\"kind\":\"run\"}"));

    assert_str(first, "id: 1000000\nevent: message\ndata: {\"kind\":\"run\"}\n\n");
    assert_str(feed_make(&feed, STR("{}")), "id: 1000001\nevent: message\ndata: {}\n\n");
    assert_true(feed_kept(&feed, 1000000).size > 0);
}

FEED_TEST(who_comes_back_gets_what_followed)
{
    uint64_t behind = 0, first = feed.next;

    for (int i = 0; i < 3; i++) feed_make(&feed, STR("{}"));
    assert_true(follows(first, &behind));
    assert_true(behind == first);
    assert_true(follows(first + 2, &behind)); /* it has all */
    assert_true(behind + 1 == feed.next);
    assert_true(follows(first - 1, &behind)); /* it has none, and none is missing */
    assert_true(feed_follows(&feed, STR(""), &behind));
    assert_true(behind + 1 == feed.next); /* it never had one: it asks for all itself */
}

FEED_TEST(who_was_away_too_long_or_comes_from_elsewhere_asks_anew)
{
    uint64_t behind, first = feed.next;

    for (int i = 0; i < FEED_KEPT_MAX + 5; i++) feed_make(&feed, STR("{}"));
    assert_true(feed.next - feed.first == FEED_KEPT_MAX);
    assert_false(follows(first, &behind));
    assert_true(follows(feed.first - 1, &behind));
    assert_false(follows(feed.first - 2, &behind));
    assert_false(follows(feed.next, &behind)); /* not made yet: of another server */
    assert_false(follows(UINT64_MAX, &behind));
    assert_false(feed_follows(&feed, STR("abc"), &behind));
    assert_false(feed_follows(&feed, STR("-1"), &behind));
    assert_false(feed_follows(&feed, STR("123456789012345678901234567890"), &behind));
}

FEED_TEST(a_server_that_begins_later_takes_no_number_of_this_one_for_its_own)
{
    uint64_t last, behind;
    char text[32];

    for (int i = 0; i < 20; i++) feed_make(&feed, STR("{}"));
    last = feed.next - 1;
    snprintf(text, sizeof text, "%" PRIu64, last);
    feed_release(&feed);
    feed_init(&feed, 1001);
    assert_false(feed_follows(&feed, str_of(text), &behind));
    feed_make(&feed, STR("{}"));
    assert_false(feed_follows(&feed, str_of(text), &behind));
}

FEED_TEST(what_is_kept_has_a_bound_in_bytes)
{
    enum { LONG = 200 * 1024 };
    char *text = malloc(LONG);
    uint64_t last = 0;

    memset(text, 'x', LONG);
    for (int i = 0; i < 20; i++) {
        last = feed.next;
        feed_make(&feed, (struct str){ text, LONG });
        assert_true(feed.bytes <= FEED_KEPT_BYTES_MAX);
    }
    free(text);
    assert_true(feed.next - feed.first >= 4);
    assert_true(feed_kept(&feed, last).size > LONG);
}

FEED_TEST(clients_come_and_go_within_a_bound)
{
    for (uint64_t i = 1; i <= FEED_CLIENTS_MAX; i++) assert_true(feed_join(&feed, i));
    assert_false(feed_join(&feed, 7777));
    feed_leave(&feed, 7777); /* it is not there: fine */
    feed_leave(&feed, 3);
    assert_int_equal(feed.client_count, FEED_CLIENTS_MAX - 1);
    for (uint32_t i = 0; i < feed.client_count; i++) assert_true(feed.clients[i] != 3);
    assert_true(feed_join(&feed, 7777));
}
