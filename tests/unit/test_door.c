/* SPDX-License-Identifier: Apache-2.0
 *
 * test_door.c - who may come in: Host, Origin and token, alone and together. */
#include "serve/door.h"

#include "test.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct door door;

/* A head with these lines; it borrows from a static text. */
static const struct http_head *head_of(const char *lines)
{
    static char text[4096];
    static struct http_head head;

    snprintf(text, sizeof text, "GET / HTTP/1.1\r\n%s\r\n", lines);
    assert_int_equal(http_head_read(str_of(text), &head), 0);
    return &head;
}

TEST(a_host_of_this_machine_and_port_comes_in)
{
    static const struct {
        const char *lines;
        int wanted, wanted_any; /* where the port must be 4664, and where any may be */
    } rows[] = {
        { "Host: 127.0.0.1:4664\r\n", 0, 0 },
        { "Host: localhost:4664\r\n", 0, 0 },
        { "Host: [::1]:4664\r\n", 0, 0 },
        { "Host: LOCALHOST:4664\r\nOrigin: http://localhost:4664\r\n", 0, 0 },
        { "Host: localhost:4664\r\nOrigin: http://127.0.0.1:4664\r\n", 0, 0 },
        { "Host: localhost:8080\r\n", 403, 0 },
        { "Host: localhost\r\n", 403, 0 },
        { "Host: localhost:4664\r\nOrigin: http://localhost:8080\r\n", 403, 0 },
        { "Host: localhost:4664\r\nOrigin: http://localhost\r\n", 403, 0 },
        { "Host: localhost:4664\r\nOrigin: https://localhost:4664\r\n", 403, 0 },
        { "", 403, 403 },
        { "Host: evil.example:4664\r\n", 403, 403 },
        { "Host: localhost.evil.example:4664\r\n", 403, 403 },
        { "Host: 127.0.0.1.evil.example\r\n", 403, 403 },
        { "Host: localhost:4664@evil.example\r\n", 403, 403 },
        { "Host: localhost:4664\r\nHost: localhost:4664\r\n", 403, 403 },
        { "Host: localhost:4664\r\nOrigin: null\r\n", 403, 403 },
        { "Host: localhost:4664\r\nOrigin: http://evil.example\r\n", 403, 403 },
        { "Host: localhost:4664\r\nOrigin: http://evil.example:4664\r\n", 403, 403 },
        { "Host: localhost:4664\r\nOrigin: \r\n", 403, 403 },
        { "Host: localhost:4664\r\nOrigin: http://localhost:4664\r\n"
          "Origin: http://localhost:4664\r\n", 403, 403 },
        { "Host: 127.1:4664\r\n", 403, 403 },
        { "Host: 0.0.0.0:4664\r\n", 403, 403 },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        door.port = 4664;
        if (door_host(&door, head_of(rows[i].lines)) != rows[i].wanted) {
            fail_msg("port 4664: %s", rows[i].lines);
        }
        door.port = 0;
        if (door_host(&door, head_of(rows[i].lines)) != rows[i].wanted_any) {
            fail_msg("any port: %s", rows[i].lines);
        }
    }
}

TEST(a_port_that_is_not_written_is_80)
{
    door.port = 80;
    assert_int_equal(door_host(&door, head_of("Host: localhost\r\n")), 0);
    assert_int_equal(door_host(&door, head_of("Host: [::1]\r\n")), 403); /* strict: not that one */
    assert_int_equal(door_host(&door, head_of("Host: localhost:81\r\n")), 403);
}

static int token_of(const char *before, const char *token, const char *behind)
{
    char lines[1024];

    snprintf(lines, sizeof lines, "%s%s%s", before, token, behind);
    return door_token(&door, head_of(lines));
}

TEST(only_the_token_comes_in)
{
    char other[DOOR_TOKEN_LETTERS + 1];

    door_new_token(&door);
    assert_true(door_is_token(str_of(door.token)));
    memcpy(other, door.token, sizeof other);
    other[DOOR_TOKEN_LETTERS - 1] ^= 1;
    assert_int_equal(token_of("Authorization: Bearer ", door.token, "\r\n"), 0);
    assert_int_equal(token_of("Authorization: Bearer ", other, "\r\n"), 401);
    assert_int_equal(token_of("Authorization: Bearer ", door.token, "x\r\n"), 401);
    assert_int_equal(token_of("Authorization: Bearer x", door.token, "\r\n"), 401);
    assert_int_equal(token_of("Authorization: Basic ", door.token, "\r\n"), 401);
    assert_int_equal(token_of("Authorization: ", door.token, "\r\n"), 401);
    assert_int_equal(token_of("Authorization: Bearer", "", "\r\n"), 401);
    assert_int_equal(token_of("Cookie: token=", door.token, "\r\n"), 401);
    assert_int_equal(token_of("X-Token: ", door.token, "\r\n"), 401);
    assert_int_equal(token_of("", "", ""), 401);
    door.token[0] = '\0'; /* a door without one lets no one in */
    assert_int_equal(token_of("Authorization: Bearer ", "", "\r\n"), 401);
}

TEST(two_tokens_are_none)
{
    char lines[512];

    door_new_token(&door);
    snprintf(lines, sizeof lines, "Authorization: Bearer %s\r\nAuthorization: Bearer %s\r\n",
             door.token, door.token);
    assert_int_equal(door_token(&door, head_of(lines)), 401);
}

TEST(a_body_is_json)
{
    assert_int_equal(door_json(head_of("Content-Type: application/json\r\n")), 0);
    assert_int_equal(door_json(head_of("Content-Type: application/json; charset=utf-8\r\n")), 0);
    assert_int_equal(door_json(head_of("Content-Type: application/jsonp\r\n")), 415);
    assert_int_equal(door_json(head_of("Content-Type: text/plain\r\n")), 415);
    assert_int_equal(door_json(head_of("")), 415);
    assert_int_equal(door_json(head_of("Content-Type: application/json\r\n"
                                       "Content-Type: text/plain\r\n")), 415);
}
