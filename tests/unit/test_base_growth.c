/* SPDX-License-Identifier: Apache-2.0
 *
 * test_base_growth.c - the rest of base: what grows (buf, arena) and what counts (prng, clock). */
#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"

#include "shared/prng.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- buf ---- */

TEST(buf_is_empty_text_at_first)
{
    struct buf buf;

    buf_init(&buf, 10);
    assert_string_equal(buf_cstr(&buf), "");
    assert_int_equal(buf_str(&buf).size, 0);
    assert_non_null(buf_str(&buf).data);
    buf_clear(&buf);
    buf_release(&buf);
    buf_release(&buf);
}

TEST(buf_adds_pieces_in_order)
{
    struct buf buf;

    buf_init(&buf, 100);
    assert_int_equal(buf_add(&buf, STR("one")), 0);
    assert_int_equal(buf_byte(&buf, ' '), 0);
    assert_int_equal(buf_text(&buf, "two"), 0);
    assert_int_equal(buf_printf(&buf, " %d %s", 3, "four"), 0);
    assert_int_equal(buf_text(&buf, NULL), 0);
    assert_string_equal(buf_cstr(&buf), "one two 3 four");
    assert_int_equal(buf_str(&buf).size, strlen("one two 3 four"));
    buf_release(&buf);
}

TEST(buf_keeps_nul_bytes)
{
    struct buf buf;

    buf_init(&buf, 100);
    buf_add(&buf, STR("a\0b"));
    buf_byte(&buf, '\0');
    assert_int_equal(buf.size, 4);
    assert_memory_equal(buf.data, "a\0b\0", 5);
    buf_release(&buf);
}

TEST(buf_takes_exactly_its_limit)
{
    struct buf buf;

    buf_init(&buf, 5);
    assert_int_equal(buf_text(&buf, "12345"), 0);
    assert_false(buf.overflow);
    assert_int_equal(buf_text(&buf, ""), 0);
    assert_int_equal(buf_byte(&buf, '6'), ERR_LIMIT);
    assert_string_equal(buf_cstr(&buf), "12345");
    buf_release(&buf);
}

TEST(buf_past_its_limit_is_unchanged_and_remembers)
{
    struct buf buf;

    buf_init(&buf, 5);
    buf_text(&buf, "123");
    assert_int_equal(buf_text(&buf, "456"), ERR_LIMIT);
    assert_int_equal(buf_printf(&buf, "%d", 456), ERR_LIMIT);
    assert_int_equal(buf_reserve(&buf, SIZE_MAX), ERR_LIMIT);
    assert_string_equal(buf_cstr(&buf), "123");
    assert_true(buf.overflow);
    assert_int_equal(buf_text(&buf, "45"), 0);
    assert_true(buf.overflow);
    buf_clear(&buf);
    assert_false(buf.overflow);
    assert_string_equal(buf_cstr(&buf), "");
    assert_int_equal(buf_text(&buf, "abcde"), 0);
    buf_release(&buf);
}

TEST(buf_of_limit_zero_holds_nothing)
{
    struct buf buf;

    buf_init(&buf, 0);
    assert_int_equal(buf_text(&buf, ""), 0);
    assert_int_equal(buf_text(&buf, "a"), ERR_LIMIT);
    assert_string_equal(buf_cstr(&buf), "");
    buf_release(&buf);
}

TEST(buf_reserve_gives_room_for_readers)
{
    struct buf buf;

    buf_init(&buf, 10000);
    buf_text(&buf, "head ");
    assert_int_equal(buf_reserve(&buf, 9000), 0);
    assert_true(buf.cap - buf.size > 9000);
    memset(buf.data + buf.size, 'x', 9000);
    buf.size += 9000;
    assert_int_equal(buf_text(&buf, "!"), 0);
    assert_memory_equal(buf.data, "head xx", 7);
    assert_int_equal(buf.size, 9006);
    buf_release(&buf);
}

TEST(buf_is_usable_after_release)
{
    struct buf buf;

    buf_init(&buf, 4);
    buf_text(&buf, "1234");
    buf_release(&buf);
    assert_int_equal(buf_text(&buf, "abcd"), 0);
    assert_int_equal(buf_text(&buf, "e"), ERR_LIMIT);
    buf_release(&buf);
}

/* Against the simplest model there is: an array and a count. */
TEST(buf_holds_what_was_added_whatever_the_pieces)
{
    enum { LIMIT = 700 };
    struct prng prng = { .state = 42 };
    char model[LIMIT], piece[50];

    for (int round = 0; round < 50; round++) {
        struct buf buf;
        size_t size = 0;
        bool overflow = false;

        buf_init(&buf, LIMIT);
        for (int i = 0; i < 60; i++) {
            size_t bytes = prng_below(&prng, sizeof piece);
            int rc;

            for (size_t at = 0; at < bytes; at++) piece[at] = (char)prng_below(&prng, 256);
            rc = buf_add(&buf, (struct str){ piece, bytes });
            assert_int_equal(rc, size + bytes > LIMIT ? ERR_LIMIT : 0);
            if (rc == 0) {
                memcpy(model + size, piece, bytes);
                size += bytes;
            } else {
                overflow = true;
            }
            assert_int_equal(buf.size, size);
            if (size) assert_memory_equal(buf.data, model, size);
            assert_int_equal(buf_cstr(&buf)[size], '\0');
            assert_int_equal(buf.overflow, overflow);
        }
        buf_release(&buf);
    }
}

/* ---- arena ---- */

TEST(arena_memory_is_zeroed_aligned_and_apart)
{
    enum { BLOCKS = 400 };
    struct arena arena = { 0 };
    struct prng prng = { .state = 3 };
    unsigned char *blocks[BLOCKS];
    size_t sizes[BLOCKS];

    for (size_t i = 0; i < BLOCKS; i++) {
        sizes[i] = prng_chance(&prng, 5) ? 3000 + prng_below(&prng, 9000) : prng_below(&prng, 90);
        blocks[i] = arena_alloc(&arena, sizes[i]);
        assert_int_equal((uintptr_t)blocks[i] % _Alignof(max_align_t), 0);
        for (size_t at = 0; at < sizes[i]; at++) assert_int_equal(blocks[i][at], 0);
        memset(blocks[i], (int)(i % 255) + 1, sizes[i]);
    }
    for (size_t i = 0; i < BLOCKS; i++) {
        for (size_t at = 0; at < sizes[i]; at++) {
            assert_int_equal(blocks[i][at], i % 255 + 1);
        }
    }
    arena_release(&arena);
}

TEST(arena_copies_do_not_depend_on_the_original)
{
    struct arena arena = { 0 };
    char original[] = { 'a', '\0', 'b', '!' };
    struct str copy = arena_copy(&arena, (struct str){ original, 3 });
    const char *text = arena_cstr(&arena, STR("text"));
    struct str empty = arena_copy(&arena, (struct str){ NULL, 0 });

    memset(original, 'x', sizeof original);
    assert_int_equal(copy.size, 3);
    assert_memory_equal(copy.data, "a\0b", 4);
    assert_string_equal(text, "text");
    assert_int_equal(empty.size, 0);
    assert_string_equal(empty.data, "");
    arena_release(&arena);
}

TEST(arena_printf_has_no_bound_of_its_own)
{
    struct arena arena = { 0 };
    const char *text = arena_printf(&arena, "%s-%020000d", "run", 7);

    assert_int_equal(strlen(text), 4 + 20000);
    assert_memory_equal(text, "run-000", 7);
    assert_string_equal(text + strlen(text) - 2, "07");
    assert_string_equal(arena_printf(&arena, "%s", ""), "");
    arena_release(&arena);
}

TEST(arena_grow_keeps_items_and_where_they_were)
{
    struct arena arena = { 0 };
    uint32_t *items = NULL, *first = NULL;
    uint32_t cap = 0;

    for (uint32_t i = 0; i < 1000; i++) {
        items = arena_grow(&arena, items, i, &cap, sizeof *items);
        assert_true(cap > i);
        if (i == 0) first = items;
        items[i] = i;
    }
    for (uint32_t i = 0; i < 1000; i++) assert_int_equal(items[i], i);
    assert_int_equal(first[0], 0); /* an old pointer still reads what was there */
    arena_release(&arena);
}

TEST(arena_is_empty_and_usable_after_release)
{
    struct arena arena = { 0 };

    arena_release(&arena);
    arena_alloc(&arena, 10);
    arena_release(&arena);
    assert_null(arena.block);
    assert_string_equal(arena_cstr(&arena, STR("again")), "again");
    arena_release(&arena);
    arena_release(&arena);
}

/* ---- prng ---- */

/* The published first numbers of splitmix64. */
TEST(prng_gives_the_known_sequence)
{
    struct prng zero = { .state = 0 }, other = { .state = 1234567 };

    assert_true(prng_next(&zero) == UINT64_C(0xe220a8397b1dcdaf));
    assert_true(prng_next(&zero) == UINT64_C(0x6e789e6aa1b965f4));
    assert_true(prng_next(&zero) == UINT64_C(0x06c45d188009454f));
    assert_true(prng_next(&other) == UINT64_C(6457827717110365317));
    assert_true(prng_next(&other) == UINT64_C(3203168211198807973));
}

TEST(prng_below_stays_below_and_reaches_all)
{
    struct prng prng = { .state = 9 };
    uint32_t seen[7] = { 0 };

    for (int i = 0; i < 7000; i++) seen[prng_below(&prng, 7)]++;
    for (int i = 0; i < 7; i++) assert_in_range(seen[i], 850, 1150);
    for (int i = 0; i < 100; i++) assert_int_equal(prng_below(&prng, 1), 0);
    for (int i = 0; i < 100; i++) assert_true(prng_below(&prng, UINT32_MAX) < UINT32_MAX);
}

TEST(prng_chance_of_0_and_100_is_certain)
{
    struct prng prng = { .state = 5 };
    uint32_t hits = 0;

    for (int i = 0; i < 1000; i++) {
        assert_false(prng_chance(&prng, 0));
        assert_true(prng_chance(&prng, 100));
        hits += prng_chance(&prng, 30);
    }
    assert_in_range(hits, 250, 350);
}

/* ---- clock ---- */

TEST(clock_iso_is_what_the_system_says_of_every_season)
{
    char out[CLOCK_ISO_BYTES], wanted[CLOCK_ISO_BYTES];

    for (uint64_t s = 0; s < UINT64_C(253402300800); s += 89 * 86400 + 3601) {
        time_t seconds = (time_t)s;
        struct tm parts;

        gmtime_r(&seconds, &parts);
        strftime(wanted, sizeof wanted, "%Y-%m-%dT%H:%M:%SZ", &parts);
        assert_string_equal(clock_iso(s * 1000 + 999, out), wanted);
    }
}

TEST(a_time_in_utc_is_read_back)
{
    static const char *const bad[] = { "", "2026-11-15", "2026-11-15T08:40:00",
                                       "2026-13-15T08:40:00Z",
                                       "2026-11-15T24:00:00Z", "2026-11-15T08:40:00+01:00",
                                       "2026-11-15 08:40:00Z", "1969-11-15T08:40:00Z" };
    char out[CLOCK_ISO_BYTES];
    uint64_t ms;

    for (uint64_t s = 0; s < UINT64_C(4102444800); s += 86400 * 9 + 4321) {
        assert_true(clock_iso_read(str_of(clock_iso(s * 1000, out)), &ms));
        assert_int_equal(ms, s * 1000);
    }
    assert_true(clock_iso_read(STR("1970-01-01T00:00:01.274390089Z"), &ms));
    assert_int_equal(ms, 1274);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (clock_iso_read(str_of(bad[i]), &ms)) fail_msg("%s", bad[i]);
    }
}

TEST(clock_iso_is_utc_and_never_overflows)
{
    char out[CLOCK_ISO_BYTES];

    assert_string_equal(clock_iso(0, out), "1970-01-01T00:00:00Z");
    assert_ptr_equal(clock_iso(999, out), out);
    assert_string_equal(out, "1970-01-01T00:00:00Z");
    assert_string_equal(clock_iso(UINT64_C(951782400000), out), "2000-02-29T00:00:00Z");
    assert_string_equal(clock_iso(UINT64_C(2147483648000), out), "2038-01-19T03:14:08Z");
    assert_string_equal(clock_iso(UINT64_C(253402300799999), out), "9999-12-31T23:59:59Z");
    assert_string_equal(clock_iso(UINT64_C(253402300800000), out), "1970-01-01T00:00:00Z");
    assert_string_equal(clock_iso(UINT64_MAX, out), "1970-01-01T00:00:00Z");
}

TEST(a_day_is_one_of_the_calendar)
{
    static const char *const days[] = { "1970-01-01", "2028-02-29", "2000-02-29", "9999-12-31" };
    static const char *const others[] = { "", "2027-02-29", "2100-02-29", "2027-13-01",
                                          "2027-00-10", "2027-04-31", "2027-01-00", "2027-1-1",
                                          "2027-01-011", "2027/01/01", "yesterday!" };
    char out[CLOCK_DAY_BYTES];

    for (size_t i = 0; i < sizeof days / sizeof *days; i++) {
        assert_true(clock_is_day(str_of(days[i])));
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_false(clock_is_day(str_of(others[i])));
    }
    assert_string_equal(clock_day(UINT64_C(951868799999), out), "2000-02-29");
}

TEST(clock_span_changes_its_unit_with_the_length)
{
    static const struct {
        uint64_t ms;
        const char *text;
    } cases[] = {
        { 0, "0 ms" },
        { 340, "340 ms" },
        { 999, "999 ms" },
        { 1000, "1.0 s" },
        { 2449, "2.4 s" },
        { 59999, "59.9 s" },
        { 60000, "1 min 00 s" },
        { 185000, "3 min 05 s" },
        { 3599999, "59 min 59 s" },
        { 3600000, "1 h 00 min" },
        { 7620000, "2 h 07 min" },
        { 360000000, "100 h 00 min" },
    };
    char out[CLOCK_SPAN_BYTES];

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_string_equal(clock_span(cases[i].ms, out), cases[i].text);
    }
    assert_true(strlen(clock_span(UINT64_MAX, out)) < sizeof out);
}
