/* SPDX-License-Identifier: Apache-2.0
 *
 * What was found once is found again under its key, and under no other; a file that is not whole
 * is none. */
#include "analyze/cache.h"
#include "base/mem.h"
#include "format/report/fix.h"
#include "ground.h"
#include "test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TODAY = 20400 };

static void put_text(struct cache *cache, uint64_t key, uint32_t day, const char *text)
{
    struct finding finding = { .text = str_of(text), .file = STR("a.c"), .line = 3 };
    struct findings findings = { .items = &finding, .count = 1 };

    cache_put(cache, key, day, &findings);
}

/* The text of the finding under a key; NULL: the cache does not know it. */
static void expect_text(struct cache *cache, uint64_t key, const char *text)
{
    struct arena arena = { 0 };
    struct findings found;
    bool there = cache_find(cache, key, TODAY, &arena, &found);

    assert_int_equal(there, text != NULL);
    if (there) {
        assert_int_equal(found.count, 1);
        assert_true(str_is(found.items[0].text, text));
    }
    arena_release(&arena);
}

/* Written and read again. */
static struct cache again(const struct cache *cache, uint32_t today)
{
    struct cache read = { 0 };
    struct err err;
    struct buf text;

    buf_init(&text, CACHE_BYTES_MAX + 4096);
    cache_write(cache, today, &text);
    assert_int_equal(cache_read(&read, buf_str(&text), &err), 0);
    buf_release(&text);
    return read;
}

TEST(what_was_put_is_found_again)
{
    struct cache cache = { 0 }, read;

    put_text(&cache, 7, TODAY, "seven \n \"quoted\"");
    put_text(&cache, UINT64_MAX, TODAY, "last");
    put_text(&cache, 0, TODAY, "first");
    read = again(&cache, TODAY);
    assert_int_equal(read.count, 3);
    expect_text(&read, 7, "seven \n \"quoted\"");
    expect_text(&read, 0, "first");
    expect_text(&read, UINT64_MAX, "last");
    expect_text(&read, 8, NULL);
    assert_false(read.changed);
    cache_release(&read);
    cache_release(&cache);
}

TEST(an_empty_cache_is_a_good_one)
{
    struct cache cache = { 0 }, read = again(&cache, TODAY);

    expect_text(&read, 0, NULL);
    cache_release(&read);
}

TEST(of_two_the_newer_counts)
{
    struct cache cache = { 0 }, read;

    put_text(&cache, 7, TODAY - 2, "old");
    put_text(&cache, 7, TODAY, "new");
    put_text(&cache, 7, TODAY - 1, "older than new");
    read = again(&cache, TODAY);
    assert_int_equal(read.count, 1);
    expect_text(&read, 7, "new");
    cache_release(&read);
    cache_release(&cache);
}

TEST(what_is_of_no_use_for_a_month_is_forgotten)
{
    struct cache cache = { 0 }, read, later;

    put_text(&cache, 1, TODAY - CACHE_DAYS_MAX, "just kept");
    put_text(&cache, 2, TODAY - CACHE_DAYS_MAX - 1, "gone");
    put_text(&cache, 3, TODAY + 5, "of a clock that was wrong");
    read = again(&cache, TODAY);
    expect_text(&read, 2, NULL);
    expect_text(&read, 3, "of a clock that was wrong");
    expect_text(&read, 1, "just kept"); /* of use today: it is young again */
    assert_true(read.changed);
    later = again(&read, TODAY + CACHE_DAYS_MAX);
    expect_text(&later, 1, "just kept");
    cache_release(&later);
    cache_release(&read);
    cache_release(&cache);
}

TEST(the_oldest_go_when_there_is_too_much)
{
    enum { LARGE = CACHE_BYTES_MAX / 4 };
    char *large = mem_alloc(LARGE + 1);
    struct cache cache = { 0 }, read;

    memset(large, 'x', LARGE);
    for (uint32_t i = 0; i < 6; i++) put_text(&cache, i, TODAY - i, large);
    read = again(&cache, TODAY);
    assert_int_equal(read.count, 3);
    expect_text(&read, 0, large);
    expect_text(&read, 3, NULL);
    cache_release(&read);
    cache_release(&cache);
    free(large);
}

/* The header and the hash of any body. */
static int read_body(struct cache *cache, const char *body)
{
    struct buf text;
    struct err err;
    int rc;

    buf_init(&text, 65536);
    buf_printf(&text, "hone analyzer cache 1\n%016" PRIx64 "\n%s", content_hash(str_of(body)),
               body);
    rc = cache_read(cache, buf_str(&text), &err);
    buf_release(&text);
    return rc;
}

TEST(a_damaged_file_is_none)
{
    static const char *const bad[] = {
        "x\n", "0123456789abcdef\n", "0123456789abcdef 1\n", "0123456789abcdef 1 \n",
        "0123456789abcdeF 1 {}\n", "0123456789abcde 1 {}\n", "0123456789abcdef x {}\n",
        "0123456789abcdef -1 {}\n", "0123456789abcdef 99999999999 {}\n", "\n",
        "0123456789abcdef 1 {}\nx",
    };
    struct cache cache = { 0 };
    struct err err;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(read_body(&cache, bad[i]), ERR_FORMAT);
        assert_int_equal(cache.count, 0);
    }
    assert_int_equal(cache_read(&cache, STR(""), &err), ERR_FORMAT);
    assert_int_equal(cache_read(&cache, STR("hone analyzer cache 1\n"), &err), ERR_FORMAT);
    assert_int_equal(cache_read(&cache, STR("hone analyzer cache 2\n0000000000000000\n"), &err),
                     ERR_FORMAT);
}

/* Of a whole file every shorter one, and every one with another byte, is refused. */
TEST(no_part_and_no_changed_byte_is_believed)
{
    struct cache cache = { 0 }, read = { 0 };
    struct buf text;
    struct err err;

    put_text(&cache, 7, TODAY, "seven");
    put_text(&cache, 8, TODAY, "eight");
    buf_init(&text, 65536);
    cache_write(&cache, TODAY, &text);
    for (size_t i = 0; i < text.size; i++) {
        assert_int_equal(cache_read(&read, (struct str){ text.data, i }, &err), ERR_FORMAT);
        text.data[i] ^= 1;
        assert_int_equal(cache_read(&read, buf_str(&text), &err), ERR_FORMAT);
        text.data[i] ^= 1;
    }
    assert_int_equal(cache_read(&read, buf_str(&text), &err), 0);
    cache_release(&read);
    cache_release(&cache);
    buf_release(&text);
}

TEST(what_does_not_read_as_findings_is_not_known)
{
    struct cache cache = { 0 };

    assert_int_equal(read_body(&cache, "0000000000000001 1 nonsense\n"
                                       "0000000000000002 1 {\"findings\":[{\"line\":1}]}\n"
                                       "0000000000000003 1 {\"findings\":[[]]}\n"), 0);
    expect_text(&cache, 1, NULL);
    expect_text(&cache, 2, NULL);
    expect_text(&cache, 3, NULL);
    cache_release(&cache);
}

/* ---- files ---- */

static void save(const struct ground *ground, uint64_t key, const char *text)
{
    struct cache cache;
    struct err err;

    cache_load(&cache, ground->root, "gcc");
    put_text(&cache, key, TODAY, text);
    assert_int_equal(cache_save(&cache, ground->root, "gcc", TODAY, &err), 0);
    assert_int_equal(cache.count, 0);
}

ON_GROUND(a_file_is_loaded_and_saved)
{
    struct ground *ground = *state;
    struct cache cache;

    save(ground, 1, "one");
    save(ground, 2, "two");
    cache_load(&cache, ground->root, "gcc");
    expect_text(&cache, 1, "one");
    expect_text(&cache, 2, "two");
    cache_release(&cache);
    cache_load(&cache, ground->root, "cppcheck"); /* a file for each */
    assert_int_equal(cache.count, 0);
    cache_load(&cache, "/nonexistent", "gcc");
    assert_int_equal(cache.count, 0);
}

ON_GROUND(what_others_saved_meanwhile_stays)
{
    struct ground *ground = *state;
    struct cache mine;
    struct err err;

    cache_load(&mine, ground->root, "gcc");
    save(ground, 1, "theirs");
    put_text(&mine, 2, TODAY, "mine");
    assert_int_equal(cache_save(&mine, ground->root, "gcc", TODAY, &err), 0);
    cache_load(&mine, ground->root, "gcc");
    expect_text(&mine, 1, "theirs");
    expect_text(&mine, 2, "mine");
    cache_release(&mine);
}

ON_GROUND(nothing_new_is_not_written)
{
    struct ground *ground = *state;
    struct cache cache;
    struct err err;

    save(ground, 1, "one");
    cache_load(&cache, ground->root, "gcc");
    expect_text(&cache, 1, "one");
    assert_int_equal(unlink(at(ground, "gcc.cache")), 0);
    assert_int_equal(cache_save(&cache, ground->root, "gcc", TODAY, &err), 0);
    assert_false(is_there(at(ground, "gcc.cache")));
    cache_release(&cache);
}

ON_GROUND(a_damaged_file_a_link_and_a_folder_are_no_cache)
{
    struct ground *ground = *state;
    struct cache cache;
    struct err err;

    put(at(ground, "gcc.cache"), "hone analyzer cache 1\nnonsense");
    cache_load(&cache, ground->root, "gcc");
    assert_int_equal(cache.count, 0);
    save(ground, 1, "mended");
    cache_load(&cache, ground->root, "gcc");
    expect_text(&cache, 1, "mended");
    cache_release(&cache);
    put(at(ground, "elsewhere"), "precious");
    put_link(at(ground, "tidy.cache"), at(ground, "elsewhere"));
    cache_load(&cache, ground->root, "tidy");
    assert_int_equal(cache.count, 0);
    put_text(&cache, 1, TODAY, "x");
    (void)cache_save(&cache, ground->root, "tidy", TODAY, &err);
    expect_content(at(ground, "elsewhere"), "precious");
    make_folder(at(ground, "dir.cache"));
    cache_load(&cache, ground->root, "dir");
    put_text(&cache, 1, TODAY, "x");
    assert_int_not_equal(cache_save(&cache, ground->root, "dir", TODAY, &err), 0);
}

/* Many writers at once: every one of them is in the file, which is whole all the time. */
ON_GROUND(writers_at_once_lose_nothing)
{
    enum { WRITERS = 8, ROUNDS = 10 };
    struct ground *ground = *state;
    pid_t pids[WRITERS];
    struct cache cache;

    for (uint32_t i = 0; i < WRITERS; i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            for (uint32_t k = 0; k < ROUNDS; k++) {
                struct err err;

                cache_load(&cache, ground->root, "gcc");
                put_text(&cache, i * ROUNDS + k, TODAY, "text");
                if (cache_save(&cache, ground->root, "gcc", TODAY, &err) != 0) _exit(1);
            }
            _exit(0);
        }
    }
    for (uint32_t i = 0; i < WRITERS; i++) {
        int status = -1;

        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_int_equal(status, 0);
    }
    cache_load(&cache, ground->root, "gcc");
    assert_int_equal(cache.count, WRITERS * ROUNDS);
    cache_release(&cache);
}
