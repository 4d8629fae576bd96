/* SPDX-License-Identifier: Apache-2.0
 *
 * test.h - tests that register themselves, cmocka with all that it wants before it, and assertions
 * about texts.
 *
 *     TEST(a_name_that_says_what_must_hold)
 *     {
 *         assert_true(...);
 *     }
 *
 * A test that needs a scene has functions that open and close it, and finds it in *state.
 *
 * All files are linked into one program, since many programs would take longer to link than to run.
 * It has a name for each file, and plays the tests of the file whose name it is called by, in the
 * order in which they stand there. test.c has the main(). */
#ifndef HONE_TESTS_TEST_H
#define HONE_TESTS_TEST_H

#include "base/arena.h"
#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct test {
    struct CMUnitTest unit;
    const char *file;
    struct test *next;
};

/* What the tests of a file have in common. */
struct test_file {
    const char *file;
    CMFixtureFunction open, close;
    void (*play)(int argc, char **argv);
    struct test_file *next;
};

void test_add(struct test *test);
void test_file_add(struct test_file *file);

#define TEST_WITH(name, open, close)                                                           \
    static void name(void **state);                                                            \
    __attribute__((constructor)) static void add_##name(void)                                  \
    {                                                                                          \
        static struct test test = { .unit = { #name, name, open, close, NULL },                \
                                    .file = __FILE__ };                                        \
        test_add(&test);                                                                       \
    }                                                                                          \
    static void name(__attribute__((unused)) void **state)
#define TEST(name) TEST_WITH(name, NULL, NULL)

/* What the tests of a file share is opened before the first and closed behind the last. */
#define TESTS_WITHIN(opens, closes)                                                            \
    __attribute__((constructor)) static void tests_share(void)                                 \
    {                                                                                          \
        static struct test_file file = { .file = __FILE__, .open = opens, .close = closes };   \
        test_file_add(&file);                                                                  \
    }

/* An arena for what the tests of a file keep, and release(), which gives it back: the closing of
 * TEST_WITH() or TESTS_WITHIN(). */
#define TESTS_ARENA                                                                            \
    static struct arena arena;                                                                 \
    static int release(__attribute__((unused)) void **state)                                   \
    {                                                                                          \
        arena_release(&arena);                                                                 \
        return 0;                                                                              \
    }

/* Tests that call their own program, as something else: that is given the arguments first. */
#define TESTS_CALLED(plays)                                                                    \
    __attribute__((constructor)) static void tests_play(void)                                  \
    {                                                                                          \
        static struct test_file file = { .file = __FILE__, .play = plays };                    \
        test_file_add(&file);                                                                  \
    }

/* Texts, and parts of them. */
void assert_str(struct str got, const char *wanted);
void assert_has(const char *text, const char *part);
void assert_lacks(const char *text, const char *part);
bool has_part(struct str text, const char *part);
uint32_t occurrences(const char *text, const char *part);

#endif
