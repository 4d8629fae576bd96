/* SPDX-License-Identifier: Apache-2.0
 *
 * test.c - runs the tests of one file that registered themselves, first to last. */
#include "test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct test *first, **last = &first;
static struct test_file *files;

void test_add(struct test *test)
{
    *last = test;
    last = &test->next;
}

void test_file_add(struct test_file *file)
{
    file->next = files;
    files = file;
}

/* The name this program was called by: each file's is a link to the same program. */
static const char *called_by(void)
{
    static char path[4096];
    ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
    const char *slash;

    path[size > 0 ? size : 0] = '\0';
    slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Whether "tests/unit/test_x.c" is the file of the program "test_x". */
static bool is_of(const char *file, const char *program)
{
    const char *slash = strrchr(file, '/'), *leaf = slash ? slash + 1 : file;
    size_t size = strlen(program);

    return strncmp(leaf, program, size) == 0 && strcmp(leaf + size, ".c") == 0;
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
    const char *program = called_by();
    CMFixtureFunction open = NULL, close = NULL;
    struct CMUnitTest *tests;
    size_t count = 0;
    int failed;

    for (const struct test_file *file = files; file; file = file->next) {
        if (!is_of(file->file, program)) continue;
        if (file->play) file->play(argc, argv);
        if (file->open || file->close) {
            open = file->open;
            close = file->close;
        }
    }
    for (const struct test *test = first; test; test = test->next) {
        count += is_of(test->file, program);
    }
    tests = calloc(count + 1, sizeof *tests);
    if (count == 0 || !tests) {
        fprintf(stderr, "%s: no file of tests has this name\n", program);
        return 1;
    }
    count = 0;
    for (const struct test *test = first; test; test = test->next) {
        if (is_of(test->file, program)) tests[count++] = test->unit;
    }
    failed = _cmocka_run_group_tests("tests", tests, count, open, close);
    free(tests);
    return failed;
}
