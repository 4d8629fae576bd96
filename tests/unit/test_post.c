/* SPDX-License-Identifier: Apache-2.0
 *
 * test_post.c - addresses, answers, and what curl is told: the parts that call no system. */
#include "io/http/post.h"

#include "test.h"

static bool reads(const char *url, struct http_address *out)
{
    return http_address_read(str_of(url), out);
}

TEST(an_address_is_cut_into_its_parts)
{
    struct http_address address;

    assert_true(reads("http://collector:4318/v1/traces?a=b#c", &address));
    assert_true(str_is(address.host, "collector"));
    assert_true(str_is(address.port, "4318"));
    assert_true(str_is(address.path, "/v1/traces?a=b"));
    assert_false(address.secure);
    assert_true(reads("https://[::1]?x", &address));
    assert_true(address.secure && str_is(address.host, "::1") && address.port.size == 0);
    assert_true(str_is(address.path, "?x"));
    assert_true(reads("http://h", &address));
    assert_int_equal(address.path.size, 0);
}

TEST(what_is_no_address_is_refused)
{
    static const char *const urls[] = {
        "", "ftp://h", "http://", "http:///x", "http://h:0", "http://h:70000", "http://h:x",
        "http://user:secret@h/", "http://h/a b", "http://h/a\r\nHost: x", "http://[::1", "HTTP://h",
        "http://[::1]x", "http://h/\xc3\xa9",
    };
    struct http_address address;

    for (uint32_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        assert_false(reads(urls[i], &address));
    }
}

TEST(an_answer_is_its_status_and_when_to_ask_again)
{
    struct http_reply reply = { .status = 0 };
    uint64_t bytes;

    assert_true(http_reply_read(STR("HTTP/1.1 503 Busy: now\r\nretry-AFTER:  7 \r\nContent-Length: "
                                    "12\r\n\r\n"), &reply, &bytes));
    assert_int_equal(reply.status, 503);
    assert_true(reply.told_when);
    assert_int_equal(reply.retry_after_ms, 7000);
    assert_int_equal(bytes, 12);
    reply = (struct http_reply){ .status = 0 };
    assert_true(http_reply_read(STR("HTTP/1.0 200\r\nRetry-After: Wed, 21 Oct 2026 07:28:00 GMT\r\n"
                                    "\r\n"), &reply, &bytes));
    assert_false(reply.told_when);
    assert_int_equal(bytes, UINT64_MAX);
}

TEST(garbage_is_no_answer)
{
    static const char *const heads[] = { "", "\r\n", "SSH-2.0-x\r\n\r\n", "HTTP/2 200\r\n\r\n",
                                         "HTTP/1.1 2000 x\r\n\r\n", "HTTP/1.1 abc\r\n\r\n",
                                         "HTTP/1.1\r\n\r\n", "HTTP/1.1 099\r\n\r\n" };
    struct http_reply reply = { .status = 0 };
    uint64_t bytes;

    for (uint32_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        assert_false(http_reply_read(str_of(heads[i]), &reply, &bytes));
    }
}

TEST(curl_is_told_all_in_quotes)
{
    const struct http_header header = { STR("Authorization"), STR("Bearer a\"b\\c") };
    struct http_post post = { .url = "https://h/x\"", .headers = &header, .header_count = 1,
                              .body = STR("{\"a\":\"\\n\"}"), .timeout_ms = 2050,
                              .certificate = "/c.pem" };
    struct buf out;

    buf_init(&out, 4096);
    curl_config_write(&post, &out);
    assert_string_equal(buf_cstr(&out),
        "url = \"https://h/x\\\"\"\n"
        "header = \"Content-Type: application/json\"\n"
        "header = \"Expect:\"\n"
        "header = \"Authorization: Bearer a\\\"b\\\\c\"\n"
        "cacert = \"/c.pem\"\n"
        "user-agent = \"hone\"\nproto = \"=https\"\ngloboff\nsilent\nshow-error\n"
        "max-time = 2.050\n"
        "write-out = \"\\n%{http_code} %header{retry-after}\"\n"
        "data-binary = \"{\\\"a\\\":\\\"\\\\n\\\"}\"\n");
    buf_release(&out);
}
