/* SPDX-License-Identifier: Apache-2.0
 *
 * test_iterate_group.c - which issues one fixer repairs. */
#include "dialect/iterate/iterate.h"

#include "test.h"

#include <string.h>

enum { PLACES_MAX = 64 };

/* The groups of issues in these places, as "1 2 1"; how many there are behind it. */
static void expect_groups(const char *places, const char *wanted)
{
    struct finding findings[PLACES_MAX] = { 0 };
    uint32_t group_of[PLACES_MAX] = { 0 }, count = 0;
    struct iterate_groups groups;
    struct str rest = str_of(places), place;
    struct buf text;

    while (str_cut(&rest, ' ', &place)) {
        iterate_place_read(str_is(place, "-") ? STR("") : place, &findings[count++]);
    }
    groups = iterate_groups(findings, count, group_of);
    buf_init(&text, 4096);
    for (uint32_t i = 0; i < count; i++) buf_printf(&text, "%u ", (unsigned)group_of[i]);
    buf_printf(&text, "of %u%s", (unsigned)groups.count, groups.alone ? ", the last alone" : "");
    assert_string_equal(buf_cstr(&text), wanted);
    buf_release(&text);
}

TEST(issues_of_one_file_are_one_group)
{
    expect_groups("a.c:1", "1 of 1");
    expect_groups("a.c:1 a.c:2 a.c", "1 1 1 of 1");
    expect_groups("a.c:1:7 a.c:2-9 ./a.c:3", "1 1 1 of 1");
}

TEST(files_are_groups_by_their_names)
{
    expect_groups("b.c:1 a.c:2", "2 1 of 2");
    expect_groups("b.c:1 a.c:2 b.c:9 c.c", "2 1 2 3 of 3");
    expect_groups("src/a.c:1 a.c:1", "2 1 of 2");
    expect_groups("C:\\a.c:1 C:\\b.c:1", "1 2 of 2");
}

/* "independent issues": what names no file may touch any of them. */
TEST(issues_without_a_file_are_independent_of_none_and_come_last)
{
    expect_groups("- -", "1 1 of 1, the last alone");
    expect_groups("- b.c:1 - a.c:2", "3 2 3 1 of 3, the last alone");
    expect_groups("a b c d e f g h i j k l m n o p q -",
                  "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 1 17 of 17, the last alone");
}

TEST(nothing_has_no_group)
{
    assert_int_equal(iterate_groups(NULL, 0, NULL).count, 0);
    assert_false(iterate_groups(NULL, 0, NULL).alone);
}

TEST(many_files_share_groups_and_none_is_in_two)
{
    struct finding findings[PLACES_MAX] = { 0 };
    uint32_t group_of[PLACES_MAX] = { 0 }, seen = 0;
    char names[PLACES_MAX][4];

    for (uint32_t i = 0; i < PLACES_MAX; i++) {
        names[i][0] = (char)('a' + i / 2 / 26);
        names[i][1] = (char)('a' + i / 2 % 26);
        names[i][2] = '\0';
        findings[i].file = str_of(names[i]); /* each file twice */
    }
    assert_int_equal(iterate_groups(findings, PLACES_MAX, group_of).count, GROUPS_MAX);
    for (uint32_t i = 0; i < PLACES_MAX; i++) {
        assert_in_range(group_of[i], 1, GROUPS_MAX);
        assert_int_equal(group_of[i], group_of[i ^ 1]);
        seen |= 1U << (group_of[i] - 1);
    }
    assert_int_equal(seen, (1U << GROUPS_MAX) - 1);
}
