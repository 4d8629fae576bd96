/* SPDX-License-Identifier: Apache-2.0
 *
 * test_table.c - columns as wide as what is in them, and what is left out where room is short. */
#include "cmd/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct table_column columns[] = {
    { .title = "RUN" }, { .title = "KIND", .spare = 2 },
    { .title = "N", .right = true, .spare = 1 }, { .title = "TASK" }, { .title = NULL },
};

static const char *const rows[][TABLE_COLUMNS_MAX] = {
    { "7k2m", "review", "9", "read the parser, all of it" },
    { "a", "x", "10", "\xe6\x97\xa5\xe6\x9c\xac" },
    { "b", NULL, "", "z" },
};

static void expect(uint32_t columns_max, const char *text)
{
    const struct table table = { .columns = columns, .rows = rows, .count = 3 };
    struct buf out;

    buf_init(&out, 4096);
    table_put(&table, columns_max, &out);
    assert_string_equal(buf_cstr(&out), text);
    buf_release(&out);
}

static void columns_are_as_wide_as_what_is_in_them(void **state)
{
    const char *whole = "RUN   KIND     N  TASK\n"
                        "7k2m  review   9  read the parser, all of it\n"
                        "a     x       10  \xe6\x97\xa5\xe6\x9c\xac\n"
                        "b     -        -  z\n";

    (void)state;
    expect(0, whole);
    expect(1000, whole);
    expect(44, whole);
}

static void the_last_column_is_cut_before_another_is_left_out(void **state)
{
    (void)state;
    expect(34, "RUN   KIND     N  TASK\n"
               "7k2m  review   9  read the pars...\n"
               "a     x       10  \xe6\x97\xa5\xe6\x9c\xac\n"
               "b     -        -  z\n");
}

static void columns_are_left_out_in_their_order(void **state)
{
    (void)state;
    expect(33, "RUN   KIND    TASK\n"
               "7k2m  review  read the parser,...\n"
               "a     x       \xe6\x97\xa5\xe6\x9c\xac\n"
               "b     -       z\n");
    expect(29, "RUN   TASK\n"
               "7k2m  read the parser, all...\n"
               "a     \xe6\x97\xa5\xe6\x9c\xac\n"
               "b     z\n");
}

static void what_may_not_be_left_out_is_there_in_any_case(void **state)
{
    (void)state;
    expect(5, "RUN   TASK\n"
              "7k2m  read the pars...\n"
              "a     \xe6\x97\xa5\xe6\x9c\xac\n"
              "b     z\n");
}

static void no_row_is_only_titles(void **state)
{
    const struct table table = { .columns = columns, .rows = rows, .count = 0 };
    struct buf out;

    (void)state;
    buf_init(&out, 4096);
    table_put(&table, 80, &out);
    assert_string_equal(buf_cstr(&out), "RUN  KIND  N  TASK\n");
    buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_as_wide_as_what_is_in_them),
        cmocka_unit_test(the_last_column_is_cut_before_another_is_left_out),
        cmocka_unit_test(columns_are_left_out_in_their_order),
        cmocka_unit_test(what_may_not_be_left_out_is_there_in_any_case),
        cmocka_unit_test(no_row_is_only_titles),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
