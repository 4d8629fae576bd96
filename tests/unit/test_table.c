/* SPDX-License-Identifier: Apache-2.0
 *
 * test_table.c - columns as wide as what is in them, and what is left out where room is short. */
#include "cmd/table.h"

#include "test.h"

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

TEST(columns_are_as_wide_as_what_is_in_them)
{
    const char *whole = "RUN   KIND     N  TASK\n"
                        "7k2m  review   9  read the parser, all of it\n"
                        "a     x       10  \xe6\x97\xa5\xe6\x9c\xac\n"
                        "b     -        -  z\n";

    expect(0, whole);
    expect(1000, whole);
    expect(44, whole);
}

TEST(the_last_column_is_cut_before_another_is_left_out)
{
    expect(34, "RUN   KIND     N  TASK\n"
               "7k2m  review   9  read the pars...\n"
               "a     x       10  \xe6\x97\xa5\xe6\x9c\xac\n"
               "b     -        -  z\n");
}

TEST(columns_are_left_out_in_their_order)
{
    expect(33, "RUN   KIND    TASK\n"
               "7k2m  review  read the parser,...\n"
               "a     x       \xe6\x97\xa5\xe6\x9c\xac\n"
               "b     -       z\n");
    expect(29, "RUN   TASK\n"
               "7k2m  read the parser, all...\n"
               "a     \xe6\x97\xa5\xe6\x9c\xac\n"
               "b     z\n");
}

TEST(what_may_not_be_left_out_is_there_in_any_case)
{
    expect(5, "RUN   TASK\n"
              "7k2m  read the pars...\n"
              "a     \xe6\x97\xa5\xe6\x9c\xac\n"
              "b     z\n");
}

TEST(no_row_is_only_titles)
{
    const struct table table = { .columns = columns, .rows = rows, .count = 0 };
    struct buf out;

    buf_init(&out, 4096);
    table_put(&table, 80, &out);
    assert_string_equal(buf_cstr(&out), "RUN  KIND  N  TASK\n");
    buf_release(&out);
}
