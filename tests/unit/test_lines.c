/* SPDX-License-Identifier: Apache-2.0
 *
 * test_lines.c - the same lines however the stream is cut, and none longer than allowed. */
#include "format/stream/lines.h"

#include "shared/prng.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

/* Feeds text in chunks of chunk_bytes; what comes out is in out as "<line>" after "<line>".
 * Each chunk is a block of its own that is gone before the next comes. */
static uint64_t feed(struct str text, size_t chunk_bytes, size_t line_bytes_max, struct buf *out)
{
    struct lines lines;
    struct str line;
    uint64_t skipped;

    buf_clear(out);
    lines_init(&lines, line_bytes_max);
    while (text.size) {
        size_t size = text.size < chunk_bytes ? text.size : chunk_bytes;
        char *block = malloc(size);
        struct str chunk = { block, size };

        assert_non_null(block);
        memcpy(block, text.data, size);
        while (lines_next(&lines, &chunk, &line)) {
            buf_byte(out, '<');
            buf_add(out, line);
            buf_byte(out, '>');
        }
        assert_int_equal(chunk.size, 0);
        free(block);
        text = str_skip(text, size);
    }
    if (lines_last(&lines, &line)) {
        buf_byte(out, '<');
        buf_add(out, line);
        buf_text(out, ">.");
    }
    assert_false(lines_last(&lines, &line));
    skipped = lines.skipped;
    lines_release(&lines);
    return skipped;
}

static void assert_lines(struct str text, size_t line_bytes_max, const char *expected,
                         uint64_t skipped)
{
    struct buf out;

    buf_init(&out, 1 << 20);
    for (size_t chunk_bytes = 1; chunk_bytes <= text.size + 1; chunk_bytes++) {
        assert_int_equal(feed(text, chunk_bytes, line_bytes_max, &out), skipped);
        assert_string_equal(buf_cstr(&out), expected);
    }
    buf_release(&out);
}

TEST(lines_come_without_their_ends)
{
    assert_lines(STR(""), 10, "", 0);
    assert_lines(STR("\n"), 10, "<>", 0);
    assert_lines(STR("a\nbc\n"), 10, "<a><bc>", 0);
    assert_lines(STR("a\r\nb\rc\r\n\r\n"), 10, "<a><b\rc><>", 0);
    assert_lines(STR("a\r\r\n"), 10, "<a\r>", 0);
    assert_lines(STR("\n\n\n"), 10, "<><><>", 0);
}

TEST(the_last_line_may_have_no_end)
{
    assert_lines(STR("a"), 10, "<a>.", 0);
    assert_lines(STR("a\nb"), 10, "<a><b>.", 0);
    assert_lines(STR("a\nb\r"), 10, "<a><b>.", 0);
    assert_lines(STR("a\n\r"), 10, "<a><>.", 0);
}

TEST(a_line_that_is_too_long_is_skipped_and_counted)
{
    assert_lines(STR("1234\n"), 4, "<1234>", 0);
    assert_lines(STR("12345\n"), 4, "", 1);
    assert_lines(STR("123\r\n1234\r\n"), 4, "<123>", 1);
    assert_lines(STR("a\n123456789\nb\n"), 4, "<a><b>", 1);
    assert_lines(STR("123456789"), 4, "", 1);
    assert_lines(STR("123456789\n12345\n1\n12345"), 4, "<1>", 3);
    assert_lines(STR("x\n\ny"), 0, "<>", 2);
}

TEST(bytes_of_any_kind_pass)
{
    struct buf out;

    buf_init(&out, 100);
    for (size_t chunk_bytes = 1; chunk_bytes < 6; chunk_bytes++) {
        assert_int_equal(feed(STR("a\0b\n\xff\n"), chunk_bytes, 10, &out), 0);
        assert_true(str_eq(buf_str(&out), STR("<a\0b><\xff>")));
    }
    buf_release(&out);
}

TEST(a_whole_line_is_a_view_of_the_chunk)
{
    static const char text[] = "one\ntwo\nthr";
    struct str chunk = { text, sizeof text - 1 };
    struct lines lines;
    struct str line;

    lines_init(&lines, 100);
    assert_true(lines_next(&lines, &chunk, &line));
    assert_ptr_equal(line.data, text);
    assert_true(lines_next(&lines, &chunk, &line));
    assert_ptr_equal(line.data, text + 4);
    assert_false(lines_next(&lines, &chunk, &line));
    chunk = STR("ee\nfour\n");
    assert_true(lines_next(&lines, &chunk, &line));
    assert_true(str_is(line, "three"));
    assert_true(lines_next(&lines, &chunk, &line));
    assert_true(str_is(line, "four"));
    lines_release(&lines);
}

TEST(a_mad_line_does_not_fill_memory)
{
    static char block[65536];
    struct lines lines;
    struct str line;

    memset(block, 'x', sizeof block);
    lines_init(&lines, 100000);
    for (int i = 0; i < 1000; i++) {
        struct str chunk = { block, sizeof block };
        assert_false(lines_next(&lines, &chunk, &line));
        assert_true(lines.part.cap <= 2 * 100001);
    }
    assert_int_equal(lines.skipped, 1);
    {
        struct str chunk = STR("\nafter\n");
        assert_true(lines_next(&lines, &chunk, &line));
        assert_true(str_is(line, "after"));
    }
    assert_int_equal(lines.skipped, 1);
    lines_release(&lines);
}

TEST(random_streams_do_not_depend_on_their_chunks)
{
    struct prng prng = { .state = 7 };
    struct buf once, again;

    buf_init(&once, 4096);
    buf_init(&again, 4096);
    for (int round = 0; round < 300; round++) {
        char text[200];
        size_t size = prng_below(&prng, sizeof text);
        size_t line_bytes_max = prng_below(&prng, 12);
        uint64_t skipped;

        for (size_t i = 0; i < size; i++) text[i] = "ab\r\n"[prng_below(&prng, 4)];
        skipped = feed((struct str){ text, size }, sizeof text, line_bytes_max, &once);
        for (size_t chunk_bytes = 1; chunk_bytes < 20; chunk_bytes++) {
            struct str all = { text, size };
            assert_int_equal(feed(all, chunk_bytes, line_bytes_max, &again), skipped);
            assert_true(str_eq(buf_str(&once), buf_str(&again)));
        }
    }
    buf_release(&once);
    buf_release(&again);
}
