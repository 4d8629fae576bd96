/* SPDX-License-Identifier: Apache-2.0
 *
 * test_base.c - what every layer stands on: err, mem, byte, str, buf, arena, prng, clock.
 *
 * What must end the program is tried in a child, and the child's end is looked at. */
#include "base/arena.h"
#include "base/buf.h"
#include "base/byte.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

#include "shared/prng.h"
#include "test.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Whether act() aborts, as a broken assertion and missing memory do. */
static bool aborts(void (*act)(void))
{
    pid_t child = fork();
    int status;

    assert_true(child >= 0);
    if (child == 0) {
        int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

        setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
        if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
        act();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

/* ---- err ---- */

TEST(err_set_keeps_code_and_text)
{
    struct err err = { .code = ERR_NONE };

    assert_int_equal(err_set(&err, ERR_FORMAT, "line %d: %s", 3, "no colon"), ERR_FORMAT);
    assert_int_equal(err.code, ERR_FORMAT);
    assert_string_equal(err.text, "line 3: no colon");
}

TEST(err_system_ends_in_the_words_of_errno)
{
    struct err err;

    assert_int_equal(err_system(&err, ENOENT, "open %s", "x.log"), ERR_SYSTEM);
    assert_string_equal(err.text, "open x.log: No such file or directory");
}

TEST(err_wrap_puts_words_in_front)
{
    struct err err;

    err_set(&err, ERR_BUSY, "lock is held");
    assert_int_equal(err_wrap(&err, "start run %s", "a1"), ERR_BUSY);
    assert_int_equal(err_wrap(&err, "resume"), ERR_BUSY);
    assert_string_equal(err.text, "resume: start run a1: lock is held");
    assert_int_equal(err.code, ERR_BUSY);
}

TEST(err_wrap_may_use_the_text_it_wraps)
{
    struct err err;

    err_set(&err, ERR_FORMAT, "odd");
    err_wrap(&err, "%s and %s", err.text, err.text);
    assert_string_equal(err.text, "odd and odd: odd");
}

TEST(err_texts_that_are_too_long_end_in_an_ellipsis)
{
    char fits[ERR_TEXT_BYTES], longer[ERR_TEXT_BYTES + 1];
    struct err err;

    memset(fits, 'x', sizeof fits);
    fits[sizeof fits - 1] = '\0';
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = '\0';

    err_set(&err, ERR_LIMIT, "%s", fits);
    assert_string_equal(err.text, fits);
    err_set(&err, ERR_LIMIT, "%s", longer);
    assert_int_equal(strlen(err.text), ERR_TEXT_BYTES - 1);
    assert_string_equal(err.text + ERR_TEXT_BYTES - 5, "x...");
    assert_int_equal(err_wrap(&err, "%s", longer), ERR_LIMIT);
    assert_int_equal(strlen(err.text), ERR_TEXT_BYTES - 1);
    assert_string_equal(err.text + ERR_TEXT_BYTES - 5, "x...");
    err_system(&err, EIO, "%s", longer);
    assert_int_equal(strlen(err.text), ERR_TEXT_BYTES - 1);
}

static void set_no_error(void)
{
    struct err err;

    err_set(&err, ERR_NONE, "all is well");
}

static void wrap_no_error(void)
{
    struct err err = { .code = ERR_NONE };

    err_wrap(&err, "nothing happened");
}

TEST(err_without_a_code_is_a_bug)
{
    assert_true(aborts(set_no_error));
    assert_true(aborts(wrap_no_error));
}

/* ---- mem ---- */

TEST(mem_alloc_is_zeroed_and_never_null)
{
    char zero[100] = { 0 };
    char *block = mem_alloc(sizeof zero);
    char *nothing = mem_alloc(0);

    assert_memory_equal(block, zero, sizeof zero);
    assert_non_null(nothing);
    free(nothing);
    free(block);
}

TEST(mem_resize_keeps_what_was_there)
{
    char *block = mem_resize(NULL, 4);

    memcpy(block, "abc", 4);
    block = mem_resize(block, 100000);
    assert_string_equal(block, "abc");
    block = mem_resize(block, 2);
    assert_memory_equal(block, "ab", 2);
    block = mem_resize(block, 0);
    assert_non_null(block);
    free(block);
}

TEST(mem_copy_takes_every_byte_and_adds_a_nul)
{
    char *copy = mem_copy("a\0b!", 3);
    char *empty = mem_copy(NULL, 0);

    assert_memory_equal(copy, "a\0b", 4);
    assert_string_equal(empty, "");
    free(empty);
    free(copy);
}

TEST(mem_grow_doubles_and_keeps_items)
{
    uint32_t *items = NULL;
    uint32_t cap = 0, moves = 0;

    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t before = cap;

        items = mem_grow(items, i, &cap, sizeof *items);
        moves += cap != before;
        assert_true(i < cap);
        items[i] = i;
    }
    for (uint32_t i = 0; i < 1000; i++) assert_int_equal(items[i], i);
    assert_int_equal(cap, 1024);
    assert_int_equal(moves, 9);
    free(items);
}

static void grow_past_cap(void)
{
    uint32_t cap = 4;

    free(mem_grow(NULL, 5, &cap, 1));
}

static void grow_past_all_numbers(void)
{
    uint32_t cap = UINT32_C(1) << 31;

    free(mem_grow(NULL, cap, &cap, 1));
}

static void alloc_too_much(void)
{
    free(mem_alloc(SIZE_MAX / 2));
}

static void resize_too_much(void)
{
    free(mem_resize(NULL, SIZE_MAX / 2));
}

TEST(mem_that_is_not_there_ends_the_program)
{
    assert_true(aborts(alloc_too_much));
    assert_true(aborts(resize_too_much));
    assert_true(aborts(grow_past_cap));
    assert_true(aborts(grow_past_all_numbers));
}

/* ---- str ---- */

TEST(str_of_null_is_empty)
{
    assert_int_equal(str_of(NULL).size, 0);
    assert_non_null(str_of(NULL).data);
    assert_str(str_of("hone"), "hone");
    assert_int_equal(STR("a\0b").size, 3);
}

TEST(str_eq_looks_at_every_byte)
{
    assert_true(str_eq(STR("a\0b"), STR("a\0b")));
    assert_false(str_eq(STR("a\0b"), STR("a\0c")));
    assert_false(str_eq(STR("ab"), STR("abc")));
    assert_true(str_eq((struct str){ NULL, 0 }, STR("")));
    assert_true(str_is(STR("clean"), "clean"));
    assert_false(str_is(STR("clean"), "cleaner"));
    assert_false(str_is(STR("clean"), "Clean"));
    assert_true(str_is((struct str){ NULL, 0 }, NULL));
}

TEST(str_compare_orders_by_byte_then_length)
{
    static const char *const rising[] = { "", "A", "a", "a ", "aa", "ab", "b", "\x80", "\xff" };

    for (size_t i = 0; i < COUNT(rising); i++) {
        for (size_t j = 0; j < COUNT(rising); j++) {
            int order = str_compare(str_of(rising[i]), str_of(rising[j]));

            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
    }
    assert_true(str_compare(STR("a"), STR("a\0")) < 0);
    assert_int_equal(str_compare((struct str){ NULL, 0 }, STR("")), 0);
}

TEST(str_starts_and_ends_never_look_outside)
{
    assert_true(str_starts(STR("review-1"), STR("review")));
    assert_true(str_starts(STR("review"), STR("")));
    assert_false(str_starts(STR("rev"), STR("review")));
    assert_false(str_starts(STR("Review"), STR("review")));
    assert_true(str_ends(STR("a.json"), STR(".json")));
    assert_true(str_ends(STR(".json"), STR(".json")));
    assert_false(str_ends(STR("json"), STR(".json")));
    assert_true(str_ends((struct str){ NULL, 0 }, STR("")));
    assert_true(str_starts((struct str){ NULL, 0 }, (struct str){ NULL, 0 }));
}

TEST(str_has_finds_any_byte)
{
    assert_true(str_has(STR("a/b"), '/'));
    assert_false(str_has(STR("ab"), '/'));
    assert_true(str_has(STR("a\0b"), '\0'));
    assert_false(str_has(STR("ab"), '\0'));
    assert_false(str_has((struct str){ NULL, 0 }, 'a'));
    assert_true(str_has(STR("\xff"), (char)0xff));
}

TEST(str_trim_cuts_blanks_on_both_sides_only)
{
    assert_str(str_trim(STR(" \t\r\n a b \n")), "a b");
    assert_str(str_trim(STR(" \n ")), "");
    assert_str(str_trim(STR("")), "");
    assert_str(str_trim(STR("\va\f")), "\va\f");
    assert_str(str_trim((struct str){ NULL, 0 }), "");
}

TEST(str_skip_stops_at_the_end)
{
    assert_str(str_skip(STR("abc"), 0), "abc");
    assert_str(str_skip(STR("abc"), 2), "c");
    assert_str(str_skip(STR("abc"), 3), "");
    assert_str(str_skip(STR("abc"), SIZE_MAX), "");
    assert_str(str_skip((struct str){ NULL, 0 }, 5), "");
}

TEST(a_byte_is_of_the_kind_that_ascii_says)
{
    for (int i = CHAR_MIN; i <= CHAR_MAX; i++) {
        char byte = (char)i;
        bool ascii = i > 0 && i < 0x80;

        assert_int_equal(byte_is_digit(byte), ascii && strchr("0123456789", byte) != NULL);
        assert_int_equal(byte_is_small(byte), ascii && islower(i));
        assert_int_equal(byte_is_capital(byte), ascii && isupper(i));
        assert_int_equal(byte_is_letter(byte), ascii && isalpha(i));
        assert_int_equal(byte_is_alnum(byte), ascii && isalnum(i));
        assert_int_equal(byte_small(byte), ascii ? tolower(i) : i);
    }
}

TEST(heads_and_tails_cut_no_character_in_two)
{
    assert_str(str_head(STR("abc"), 3), "abc");
    assert_str(str_head(STR("abc"), 2), "ab");
    assert_str(str_head(STR("abc"), 0), "");
    assert_str(str_head(STR("a\xe2\x82\xac" "b"), 4), "a\xe2\x82\xac");
    assert_str(str_head(STR("a\xe2\x82\xac" "b"), 3), "a");
    assert_str(str_head(STR("\x80\x80\x80"), 2), "");
    assert_str(str_head((struct str){ NULL, 0 }, 2), "");
    assert_str(str_tail(STR("abc"), 3), "abc");
    assert_str(str_tail(STR("abc"), 1), "c");
    assert_str(str_tail(STR("abc"), 0), "");
    assert_str(str_tail(STR("a\xe2\x82\xac" "b"), 4), "\xe2\x82\xac" "b");
    assert_str(str_tail(STR("a\xe2\x82\xac" "b"), 3), "b");
    assert_str(str_tail((struct str){ NULL, 0 }, 2), "");
}

TEST(str_cut_gives_each_piece_once)
{
    static const struct {
        const char *text, *pieces; /* pieces, each in brackets */
    } cases[] = {
        { "", "" },
        { "\n", "[]" },
        { "a", "[a]" },
        { "a\n", "[a]" },
        { "a\nb", "[a][b]" },
        { "a\n\nb\n", "[a][][b]" },
        { "\n\na", "[][][a]" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct str rest = str_of(cases[i].text), piece;
        struct buf seen;

        buf_init(&seen, 100);
        while (str_cut(&rest, '\n', &piece)) buf_printf(&seen, "[%.*s]", STR_ARG(piece));
        assert_string_equal(buf_cstr(&seen), cases[i].pieces);
        assert_int_equal(rest.size, 0);
        buf_release(&seen);
    }
}

TEST(the_last_line_is_the_last_that_says_something)
{
    assert_str(str_last_line(STR("a\n b \r\n\n \n")), "b");
    assert_str(str_last_line(STR("a")), "a");
    assert_str(str_last_line(STR(" \n\n")), "");
    assert_str(str_last_line((struct str){ NULL, 0 }), "");
}

TEST(str_number_takes_whole_numbers_only)
{
    static const char *const refused[] = {
        "", " ", "-1", "+1", " 1", "1 ", "1.0", "1e3", "0x10", "1,000", "a", "12a",
        "18446744073709551616", "99999999999999999999", "000000000000000000001", "\xb2", "\xd9\xa1",
    };
    uint64_t value = 7;

    for (size_t i = 0; i < COUNT(refused); i++) {
        assert_false(str_number(str_of(refused[i]), &value));
        assert_int_equal(value, 7);
    }
    assert_false(str_number(STR("1\0"), &value));
    assert_true(str_number(STR("0"), &value));
    assert_int_equal(value, 0);
    assert_true(str_number(STR("007"), &value));
    assert_int_equal(value, 7);
    assert_true(str_number(STR("9999999999999999999"), &value));
    assert_true(value == UINT64_C(9999999999999999999));
    assert_true(str_number(STR("18446744073709551615"), &value));
    assert_true(value == UINT64_MAX);
}

/* The definition, word for word; slow, so for short words only. */
static uint32_t distance_by_definition(struct str a, struct str b)
{
    uint32_t change, drop, add, best;

    if (a.size == 0 || b.size == 0) return (uint32_t)(a.size + b.size);
    change = distance_by_definition(str_skip(a, 1), str_skip(b, 1)) + (a.data[0] != b.data[0]);
    drop = distance_by_definition(str_skip(a, 1), b) + 1;
    add = distance_by_definition(a, str_skip(b, 1)) + 1;
    best = change < drop ? change : drop;
    if (a.size > 1 && b.size > 1 && a.data[0] == b.data[1] && a.data[1] == b.data[0]) {
        uint32_t swap = distance_by_definition(str_skip(a, 2), str_skip(b, 2)) + 1;
        if (swap < best) best = swap;
    }
    return best < add ? best : add;
}

TEST(str_distance_is_the_edit_distance)
{
    struct prng prng = { .state = 1 };
    char longest[65], a[5], b[5];

    assert_int_equal(str_distance(STR("kitten"), STR("sitting")), 3);
    assert_int_equal(str_distance(STR("resume"), STR("resmue")), 1); /* two letters swapped */
    assert_int_equal(str_distance(STR("rnu"), STR("run")), 1);
    assert_int_equal(str_distance(STR(""), STR("run")), 3);
    assert_int_equal(str_distance(STR("run"), STR("run")), 0);
    for (int i = 0; i < 300; i++) {
        struct str x = { a, prng_below(&prng, sizeof a + 1) };
        struct str y = { b, prng_below(&prng, sizeof b + 1) };

        for (size_t at = 0; at < sizeof a; at++) a[at] = (char)('a' + prng_below(&prng, 3));
        for (size_t at = 0; at < sizeof b; at++) b[at] = (char)('a' + prng_below(&prng, 3));
        assert_int_equal(str_distance(x, y), distance_by_definition(x, y));
    }
    memset(longest, 'x', sizeof longest);
    assert_int_equal(str_distance((struct str){ longest, 64 }, STR("x")), 63);
    assert_int_equal(str_distance((struct str){ longest, 65 }, STR("x")), UINT32_MAX);
    assert_int_equal(str_distance(STR("x"), (struct str){ longest, 65 }), UINT32_MAX);
}
