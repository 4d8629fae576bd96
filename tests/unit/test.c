/* SPDX-License-Identifier: Apache-2.0
 *
 * test.c - runs the tests that registered themselves, first to last. */
#include "test.h"

#include <stdlib.h>

static struct test *first, **last = &first;
static size_t count;
static CMFixtureFunction share_open, share_close;
static void (*as_called)(int argc, char **argv);

void test_add(struct test *test)
{
    *last = test;
    last = &test->next;
    count++;
}

void tests_within(CMFixtureFunction open, CMFixtureFunction close)
{
    share_open = open;
    share_close = close;
}

void tests_called(void (*play)(int argc, char **argv))
{
    as_called = play;
}

int main(int argc, char **argv)
{
    struct CMUnitTest *tests = calloc(count, sizeof *tests);
    size_t at = 0;
    int failed;

    if (as_called) as_called(argc, argv);
    if (!tests) return 1;
    for (const struct test *test = first; test; test = test->next) tests[at++] = test->unit;
    failed = _cmocka_run_group_tests("tests", tests, count, share_open, share_close);
    free(tests);
    return failed;
}
