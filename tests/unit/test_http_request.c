/* SPDX-License-Identifier: Apache-2.0
 *
 * test_http_request.c - heads of HTTP requests: what is taken, and what is refused with what.
 *
 * row: users.speak | they, or a web page, speak to `hone mcp` on loopback | a token, and the names of this machine alone are answered | - | `test_http_request.c: this_machine_has_three_names`, `mcp_http.sh: without a token` */
#include "io/http/http.h"

#include "test.h"

#include <stdio.h>
#include <string.h>

#define POST "POST /mcp HTTP/1.1\r\nHost: localhost\r\n"

static void expect(const char *text, int status)
{
    struct http_head head;
    int got = http_head_read(str_of(text), &head);

    if (got != status) fail_msg("status %d, wanted %d, of:\n%s", got, status, text);
}

TEST(a_head_is_read)
{
    struct str text = STR("POST /mcp?x=1 HTTP/1.1\r\nHost: localhost:80\r\nCONTENT-length:  12 "
                          "\r\nEmpty:\r\nAccept: a, b\r\n\r\nbody");
    struct http_head head;

    text.size = http_head_end(text);
    assert_int_equal(text.size, strlen(text.data) - 4);
    assert_int_equal(http_head_read(text, &head), 0);
    assert_true(str_is(head.method, "POST"));
    assert_true(str_is(head.path, "/mcp"));
    assert_int_equal(head.count, 4);
    assert_int_equal(head.body_bytes, 12);
    assert_false(head.wants_continue);
    assert_true(str_is(http_header(&head, "host"), "localhost:80"));
    assert_true(str_is(http_header(&head, "ACCEPT"), "a, b"));
    assert_true(str_is(http_header(&head, "empty"), ""));
    assert_null(http_header(&head, "origin").data);
}

TEST(the_end_of_a_head_is_waited_for)
{
    const char *text = "GET / HTTP/1.1\r\nA: b\r\n\r\n";

    for (size_t bytes = 0; bytes < strlen(text); bytes++) {
        assert_int_equal(http_head_end((struct str){ text, bytes }), 0);
    }
    assert_int_equal(http_head_end(str_of(text)), strlen(text));
}

TEST(what_can_be_read_in_two_ways_is_refused)
{
    expect(POST "Content-Length: 3\r\n\r\n", 0);
    expect("GET / HTTP/1.1\r\n\r\n", 0);
    expect("DELETE /mcp HTTP/1.1\r\nHost: x\r\n\r\n", 0);
    expect(POST "\r\n", 411);
    expect(POST "Content-Length: 3\r\nContent-Length: 3\r\n\r\n", 400);
    expect(POST "Content-Length: 3, 3\r\n\r\n", 400);
    expect(POST "Content-Length: +3\r\n\r\n", 400);
    expect(POST "Content-Length: -3\r\n\r\n", 400);
    expect(POST "Content-Length: 0x3\r\n\r\n", 400);
    expect(POST "Content-Length: \r\n\r\n", 400);
    expect(POST "Content-Length: 99999999999999999999999\r\n\r\n", 400);
    expect(POST "Content-Length : 3\r\n\r\n", 400);
    expect(POST "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", 501);
    expect(POST "Transfer-Encoding: identity\r\n\r\n", 501);
    expect(POST "Content-Length: 3\r\n folded\r\n\r\n", 400);
    expect(POST "Content-Length: 3\nA: b\r\n\r\n", 400);
    expect(POST "Content-Length: 33\nA: b\r\n\r\n", 400);
    expect(POST "Content-Length: 3\r\nA: b\rc\r\n\r\n", 400);
    expect(POST "Content-Length: 3\r\nA: b\001c\r\n\r\n", 400);
    expect(POST "Content-Length: 3\r\n: b\r\n\r\n", 400);
    expect(POST "Content-Length: 3\r\nNo colon\r\n\r\n", 400);
    expect(POST "Content-Length: 3\r\nExpect: 100-continue\r\n\r\n", 0);
    expect(POST "Content-Length: 3\r\nExpect: tea\r\n\r\n", 417);
}

TEST(first_lines_are_strict)
{
    expect("", 400);
    expect("\r\n", 400);
    expect("\r\n\r\n", 400);
    expect("GET / HTTP/1.0\r\n\r\n", 505);
    expect("GET / HTTP/2\r\n\r\n", 505);
    expect("GET / FTP/1.1\r\n\r\n", 400);
    expect("GET /\r\n\r\n", 400);
    expect("GET  / HTTP/1.1\r\n\r\n", 400);
    expect("GET / HTTP/1.1 \r\n\r\n", 505);
    expect("G ET / HTTP/1.1\r\n\r\n", 400);
    expect("G\"T / HTTP/1.1\r\n\r\n", 400);
    expect("GET http://localhost/mcp HTTP/1.1\r\n\r\n", 400);
    expect("GET * HTTP/1.1\r\n\r\n", 400);
    expect("PRI * HTTP/2.0\r\n\r\n", 400);
    expect("GET /\001 HTTP/1.1\r\n\r\n", 400);
    expect("\026\003\001\002", 400);
}

TEST(only_so_many_headers_are_taken)
{
    char text[4096] = "GET / HTTP/1.1\r\n";

    for (int i = 0; i < HTTP_HEADERS_MAX; i++) {
        snprintf(text + strlen(text), sizeof text - strlen(text), "A: b\r\n");
    }
    snprintf(text + strlen(text), sizeof text - strlen(text), "\r\n");
    expect(text, 0);
    snprintf(text + strlen(text) - 2, 16, "A: b\r\n\r\n");
    expect(text, 431);
}

TEST(headers_that_come_twice_are_noticed)
{
    struct http_head head;

    assert_int_equal(http_head_read(STR("GET / HTTP/1.1\r\nHost: a\r\nhOST: b\r\n\r\n"), &head), 0);
    assert_true(http_header_twice(&head, "host"));
    assert_true(str_is(http_header(&head, "host"), "a"));
    assert_false(http_header_twice(&head, "origin"));
}

TEST(this_machine_has_three_names)
{
    static const struct {
        const char *host;
        bool local;
    } rows[] = {
        { "localhost", true }, { "LocalHost:80", true }, { "127.0.0.1", true },
        { "127.0.0.1:65535", true }, { "[::1]", true }, { "[::1]:4663", true },
        { "", false }, { "evil.example.com", false }, { "localhost.evil.example.com", false },
        { "127.0.0.1.evil.example.com", false }, { "127.0.0.2", false }, { "::1", false },
        { "0.0.0.0", false }, { "localhost:", false }, { "localhost:x", false },
        { "localhost:65536", false }, { "localhost:80:80", false }, { "localhost@evil", false },
        { "evil@localhost", false }, { "[::1]evil", false }, { "2130706433", false },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char origin[64];

        if (http_host_is_local(str_of(rows[i].host)) != rows[i].local) fail_msg("%s", rows[i].host);
        snprintf(origin, sizeof origin, "http://%s", rows[i].host);
        if (http_origin_is_local(str_of(origin)) != rows[i].local) fail_msg("%s", origin);
    }
    assert_true(http_origin_is_local(STR("https://localhost:1")));
    assert_false(http_origin_is_local(STR("null")));
    assert_false(http_origin_is_local(STR("file://localhost")));
    assert_false(http_origin_is_local(STR("http://localhost/x")));
    assert_false(http_origin_is_local(STR("localhost")));
}
