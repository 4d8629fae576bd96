/* SPDX-License-Identifier: Apache-2.0
 *
 * test_work_item.c - a task as title, problem, context and criteria. */
#include "dialect/session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void assert_item(const char *task, const char *title, const char *problem,
                        const char *context, const char *criteria)
{
    struct work_item item;

    work_item_read(str_of(task), &item);
    assert_true(str_is(item.title, title));
    assert_true(str_is(item.problem, problem));
    assert_true(str_is(item.context, context));
    assert_true(str_is(item.criteria, criteria));
}

static void a_sentence_is_title_and_problem(void **state)
{
    (void)state;
    assert_item("Lock the queue", "Lock the queue", "Lock the queue", "", "");
    assert_item("\n\n  Lock it \n", "Lock it", "Lock it", "", "");
}

static void headings_tell_the_parts_apart(void **state)
{
    (void)state;
    assert_item("# T\n\np\n\n## Context\nc\n\n### Acceptance Criteria\n- a\n- b\n", "T",
                "# T\n\np", "c", "- a\n- b");
    assert_item("## Acceptance criteria\n- a\n## Context\nc\n", "Acceptance criteria", "", "c",
                "- a");
    assert_item("p\n## Acceptance criteria (first)\n- a\n", "p", "p", "", "- a");
}

static void a_line_with_a_colon_does_as_well(void **state)
{
    (void)state;
    assert_item("p\n\nContext:\nc\n\n**Acceptance criteria:**\n- a\n", "p", "p", "c", "- a");
    assert_item("p\nAcceptance criteria: it is fast\n", "p",
                "p\nAcceptance criteria: it is fast", "", "");
    assert_item("p\n- Context:\nq", "p", "p\n- Context:\nq", "", "");
    assert_item("p\nContext\nq", "p", "p\nContext\nq", "", "");
}

static void a_heading_that_only_begins_so_is_another(void **state)
{
    (void)state;
    assert_item("# Context menu crashes\n\nOpen it.", "Context menu crashes",
                "# Context menu crashes\n\nOpen it.", "", "");
    assert_item("p\n## Contextual help\nq\n## Context:\nc", "p", "p\n## Contextual help\nq",
                "c", "");
}

static void other_headings_stay_where_they_are(void **state)
{
    (void)state;
    assert_item("p\n\n## Notes\nn\n\n## Context\nc\n## More\nm", "p", "p\n\n## Notes\nn",
                "c\n## More\nm", "");
}

static void a_part_that_comes_twice_is_not_lost(void **state)
{
    (void)state;
    assert_item("p\n## Context\nc\n## Acceptance Criteria\na\n## Context\nd\n", "p", "p", "c",
                "a\n## Context\nd");
}

static void a_heading_in_code_is_none(void **state)
{
    (void)state;
    assert_item("p\n```\n## Context\n```\nq", "p", "p\n```\n## Context\n```\nq", "", "");
}

static void nothing_is_an_item_too(void **state)
{
    (void)state;
    assert_item("", "", "", "", "");
    assert_item(" \n\n", "", "", "", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sentence_is_title_and_problem),
        cmocka_unit_test(headings_tell_the_parts_apart),
        cmocka_unit_test(a_line_with_a_colon_does_as_well),
        cmocka_unit_test(a_heading_that_only_begins_so_is_another),
        cmocka_unit_test(other_headings_stay_where_they_are),
        cmocka_unit_test(a_part_that_comes_twice_is_not_lost),
        cmocka_unit_test(a_heading_in_code_is_none),
        cmocka_unit_test(nothing_is_an_item_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
