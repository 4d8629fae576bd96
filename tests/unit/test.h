/* SPDX-License-Identifier: Apache-2.0
 *
 * test.h - tests that register themselves, and cmocka with all that it wants before it.
 *
 *     TEST(a_name_that_says_what_must_hold)
 *     {
 *         assert_true(...);
 *     }
 *
 * A test that needs a scene has functions that open and close it, and finds it in *state. All tests
 * of a program run in the order in which they stand in its file: test.c has the main(). */
#ifndef HONE_TESTS_TEST_H
#define HONE_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct test {
    struct CMUnitTest unit;
    struct test *next;
};

void test_add(struct test *test);
void tests_within(CMFixtureFunction open, CMFixtureFunction close);
void tests_called(void (*play)(int argc, char **argv));

#define TEST_WITH(name, open, close)                                                           \
    static void name(void **state);                                                            \
    __attribute__((constructor)) static void add_##name(void)                                  \
    {                                                                                          \
        static struct test test = { .unit = { #name, name, open, close, NULL } };              \
        test_add(&test);                                                                       \
    }                                                                                          \
    static void name(__attribute__((unused)) void **state)
#define TEST(name) TEST_WITH(name, NULL, NULL)

/* What the tests of a file share is opened before the first and closed behind the last. */
#define TESTS_WITHIN(open, close)                                                              \
    __attribute__((constructor)) static void tests_share(void)                                 \
    {                                                                                          \
        tests_within(open, close);                                                             \
    }

/* A program that calls itself, as something else: that is given the arguments first. */
#define TESTS_CALLED(play)                                                                     \
    __attribute__((constructor)) static void tests_play(void)                                  \
    {                                                                                          \
        tests_called(play);                                                                    \
    }

#endif
