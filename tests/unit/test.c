/* SPDX-License-Identifier: Apache-2.0
 *
 * test.c - runs the tests that registered themselves, first to last. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

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

void assert_str(struct str got, const char *wanted)
{
    if (!str_is(got, wanted)) fail_msg("got '%.*s', wanted '%s'", STR_ARG(got), wanted);
}

void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part)) fail_msg("'%s' is not in:\n%s", part, text);
}

void assert_lacks(const char *text, const char *part)
{
    if (strstr(text, part)) fail_msg("'%s' is in:\n%s", part, text);
}

bool has_part(struct str text, const char *part)
{
    return text.size > 0 && memmem(text.data, text.size, part, strlen(part)) != NULL;
}

uint32_t occurrences(const char *text, const char *part)
{
    uint32_t found = 0;

    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part)) found++;
    return found;
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
