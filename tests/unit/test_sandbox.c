/* SPDX-License-Identifier: Apache-2.0
 *
 * test_sandbox.c - folders that cannot be written, by the kernel's word.
 *
 * Where bubblewrap cannot work the tests that need it are skipped, and say why. */
#include "ground.h"
#include "io/sandbox.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void need_sandbox(void)
{
    const char *problem = sandbox_problem();

    if (!problem) return;
    fprintf(stderr, "skipped: %s\n", problem);
    skip();
}

/* Exit status of a shell script with work read-only and work/open writable. */
static int run_script(const struct ground *ground, const char *script)
{
    const char *const argv[] = { "sh", "-c", script, "sh", ground->root, NULL };
    const char *const read_only[] = { ground->work, NULL };
    const char *const writable[] = { at(ground, "work/open"), NULL };
    struct arena arena = { 0 };
    int status;

    make_folder(at(ground, "work/open"));
    make_folder(at(ground, "work/sub"));
    put(at(ground, "work/file"), "old");
    status = run_in(ground->work, sandbox_wrap(&arena, argv, read_only, writable));
    arena_release(&arena);
    return status;
}

static void wraps_in_the_order_that_counts(void **state)
{
    static const char *const expected[] = {
        "bwrap", "--dev-bind", "/", "/", "--ro-bind", "/w", "/w", "--ro-bind", "/g", "/g",
        "--bind", "/w/o", "/w/o", "--die-with-parent", "--", "agent", "-x", NULL };
    const char *const argv[] = { "agent", "-x", NULL };
    const char *const read_only[] = { "/w", "/g", NULL };
    const char *const writable[] = { "/w/o", NULL };
    struct arena arena = { 0 };
    const char *const *wrapped = sandbox_wrap(&arena, argv, read_only, writable);
    size_t i = 0;

    (void)state;
    for (; expected[i]; i++) assert_string_equal(wrapped[i], expected[i]);
    assert_null(wrapped[i]);
    arena_release(&arena);
}

static void answer_stays_the_same(void **state)
{
    const char *first = sandbox_problem();

    (void)state;
    assert_ptr_equal(sandbox_problem(), first);
    if (first) assert_true(strlen(first) > 0);
}

static void read_only_folder_cannot_be_written(void **state)
{
    need_sandbox();
    assert_int_not_equal(run_script(*state, "echo x > \"$1/work/new\""), 0);
    assert_int_not_equal(run_script(*state, "echo x > \"$1/work/sub/new\""), 0);
    assert_int_not_equal(run_script(*state, "echo x > \"$1/work/file\""), 0);
    assert_int_not_equal(run_script(*state, "rm \"$1/work/file\""), 0);
    assert_int_not_equal(run_script(*state, "mv \"$1/work\" \"$1/moved\""), 0);
    expect_content(at(*state, "work/file"), "old");
    assert_false(is_there(at(*state, "work/new")));
    assert_false(is_there(at(*state, "work/sub/new")));
}

static void writable_folder_inside_it_can(void **state)
{
    need_sandbox();
    assert_int_equal(run_script(*state, "echo x > \"$1/work/open/new\""), 0);
    expect_content(at(*state, "work/open/new"), "x\n");
}

static void everything_else_stays_as_it_is(void **state)
{
    need_sandbox();
    assert_int_equal(run_script(*state, "echo x > \"$1/elsewhere\""), 0);
    expect_content(at(*state, "elsewhere"), "x\n");
    assert_int_equal(run_script(*state, "cat \"$1/work/file\" > /dev/null"), 0);
    assert_int_equal(run_script(*state, "test -r /proc/self/stat && test -c /dev/null"), 0);
    assert_int_equal(run_script(*state, "test \"$(id -u)\" = \"$(stat -c %u \"$1\")\""), 0);
}

static void exit_status_comes_through(void **state)
{
    need_sandbox();
    assert_int_equal(run_script(*state, "exit 0"), 0);
    assert_int_equal(run_script(*state, "exit 42"), 42);
}

static void folder_that_is_not_there_is_an_error(void **state)
{
    const struct ground *ground = *state;
    const char *const argv[] = { "true", NULL };
    const char *const read_only[] = { at(ground, "none"), NULL };
    const char *const writable[] = { NULL };
    struct arena arena = { 0 };

    need_sandbox();
    assert_int_not_equal(
        run_in(ground->root, sandbox_wrap(&arena, argv, read_only, writable)), 0);
    arena_release(&arena);
}

int main(void)
{
#define ON_GROUND(test) cmocka_unit_test_setup_teardown(test, ground_open, ground_close)
    const struct CMUnitTest tests[] = {
        ON_GROUND(wraps_in_the_order_that_counts),
        ON_GROUND(answer_stays_the_same),
        ON_GROUND(read_only_folder_cannot_be_written),
        ON_GROUND(writable_folder_inside_it_can),
        ON_GROUND(everything_else_stays_as_it_is),
        ON_GROUND(exit_status_comes_through),
        ON_GROUND(folder_that_is_not_there_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
