/* SPDX-License-Identifier: Apache-2.0
 *
 * test_lsp_frame.c - messages out of a stream: how they are framed, cut anywhere, and refused. */
#include "base/mem.h"
#include "format/lsp/frame.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a stream says, cut into pieces of so many bytes: "[body]", "(skipped)", "!" where it is
 * broken. */
static const char *read_all(struct str stream, size_t piece)
{
    static char said[4096];
    struct frames frames;
    size_t at = 0;
    bool over = false;

    frames_init(&frames);
    while (!over && stream.size > 0) {
        struct str chunk = { stream.data, piece < stream.size ? piece : stream.size };

        stream = str_skip(stream, chunk.size);
        for (bool more = true; more && !over;) {
            switch (frames_next(&frames, &chunk)) {
            case FRAME_NOTHING: more = false; break;
            case FRAME_MESSAGE:
                at += (size_t)snprintf(said + at, sizeof said - at, "[%s]",
                                       buf_cstr(&frames.body));
                break;
            case FRAME_SKIPPED: at += (size_t)snprintf(said + at, sizeof said - at, "(skipped)");
                break;
            case FRAME_BROKEN:
                assert_non_null(frames.problem);
                at += (size_t)snprintf(said + at, sizeof said - at, "!");
                over = true;
                break;
            }
        }
    }
    if (!over && !frames_are_whole(&frames)) snprintf(said + at, sizeof said - at, "...");
    else said[at] = '\0';
    frames_release(&frames);
    return said;
}

static void expect(const char *stream, const char *wanted)
{
    for (size_t piece = 1; piece <= strlen(stream) + 1; piece++) {
        assert_string_equal(read_all(str_of(stream), piece), wanted);
    }
}

TEST(messages_come_whole_however_they_are_cut)
{
    expect("Content-Length: 2\r\n\r\n{}", "[{}]");
    expect("Content-Length: 2\r\n\r\n{}Content-Length: 3\r\n\r\n[1]", "[{}][[1]]");
    expect("content-length:0002\r\n\r\n{}", "[{}]");
    expect("Content-Length: 0\r\n\r\nContent-Length: 1\r\n\r\n7", "[][7]");
    expect("X-Other: a:b\r\nCONTENT-LENGTH: 2\r\n\r\n{}", "[{}]");
    expect("Content-Length: 2\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n{}",
           "[{}]");
    expect("Content-Type: x; charset=\"UTF8\"\r\nContent-Length: 2\r\n\r\n{}", "[{}]");
}

TEST(half_a_message_is_not_one)
{
    expect("Content-Length: 3\r\n\r\n{}", "...");
    expect("Content-Length: 2\r\n", "...");
    expect("Content-Length: 2\r\n\r\n{}C", "[{}]...");
}

TEST(what_cannot_be_framed_is_broken_for_ever)
{
    expect("\r\n", "!");
    expect("{\"jsonrpc\":\"2.0\"}\n", "!");
    expect("Content-Length: 2\n\n{}", "!");
    expect("Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", "!");
    expect("Content-Length: -2\r\n\r\n{}", "!");
    expect("Content-Length: 2x\r\n\r\n{}", "!");
    expect("Content-Length:\r\n\r\n{}", "!");
    expect("Content-Length: 99999999999999999999\r\n\r\n{}", "!");
    expect("Content-Length: 2000000000\r\n\r\n{}", "!");
    expect("Content-Type: x\r\n\r\n{}", "!");
    expect("nonsense\r\n\r\n", "!");
    expect("Content-Length: 2\r\nContent-Type: x; charset=latin1\r\n\r\n{}", "!");
    expect("Content-Length: 2\rX: y\r\n\r\n{}", "!");
}

TEST(a_head_without_an_end_takes_no_more_than_its_bound)
{
    size_t size = 3 * FRAME_HEAD_BYTES_MAX;
    char *text = mem_alloc(size);

    memset(text, 'a', size);
    assert_string_equal(read_all((struct str){ text, size }, 100), "!");
    free(text);
}

TEST(a_body_that_is_too_long_is_passed_over_without_keeping_it)
{
    size_t size = 1 << 20;
    char *text = mem_alloc(size);
    struct str head = STR("Content-Length: 68157440\r\n\r\n"), chunk = head; /* 65 MiB */
    struct frames frames;

    memset(text, ' ', size);
    frames_init(&frames);
    assert_int_equal(frames_next(&frames, &chunk), FRAME_NOTHING);
    for (int i = 0; i < 64; i++) {
        chunk = (struct str){ text, size };
        assert_int_equal(frames_next(&frames, &chunk), FRAME_NOTHING);
    }
    assert_true(frames.body.cap < size);
    chunk = (struct str){ text, size };
    assert_int_equal(frames_next(&frames, &chunk), FRAME_SKIPPED);
    chunk = STR("Content-Length: 1\r\n\r\n7");
    assert_int_equal(frames_next(&frames, &chunk), FRAME_MESSAGE);
    assert_string_equal(buf_cstr(&frames.body), "7");
    frames_release(&frames);
    free(text);
}

TEST(a_head_is_written_as_it_is_read)
{
    struct buf out;

    buf_init(&out, 100);
    frame_head(&out, 2);
    buf_text(&out, "{}");
    assert_string_equal(read_all(buf_str(&out), 5), "[{}]");
    buf_release(&out);
}
