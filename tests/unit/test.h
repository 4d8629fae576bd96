/* SPDX-License-Identifier: Apache-2.0
 *
 * test.h - tests that register themselves, and cmocka with all that it wants before it.
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

#include <setjmp.h>
#include <stdarg.h>
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

/* Tests that call their own program, as something else: that is given the arguments first. */
#define TESTS_CALLED(plays)                                                                    \
    __attribute__((constructor)) static void tests_play(void)                                  \
    {                                                                                          \
        static struct test_file file = { .file = __FILE__, .play = plays };                    \
        test_file_add(&file);                                                                  \
    }

#endif
