/* SPDX-License-Identifier: Apache-2.0
 *
 * test_loops_tasks.c - lists of tasks: what is read, what is refused, and which task is built
 * when. */
#include "dialect/loops/loops.h"

#include "test.h"

#include <stdio.h>
#include <string.h>

TESTS_ARENA
static struct err err;

/* Each task: id[group]<needs>, with "!" where it is done; then the waves by their lanes. */
static const char *shown(const char *text)
{
    struct loops_tasks tasks;
    const uint32_t *waves;
    uint32_t wave_count, lane = 1;
    struct buf out;

    if (tasks_read(str_of(text), &arena, &tasks, &err) != 0 ||
        tasks_order(&tasks, 0, 1, &arena, &waves, &wave_count, &err) != 0) {
        return arena_cstr(&arena, str_of(err.text));
    }
    buf_init(&out, 1 << 20);
    for (uint32_t i = 0; i < tasks.count; i++) {
        const struct loops_task *task = &tasks.items[i];
        buf_printf(&out, "%s%s[%s]", task->done ? "!" : "", task->id, task->group);
        for (uint32_t k = 0; k < task->need_count; k++) buf_printf(&out, "<%s", task->needs[k]);
        buf_byte(&out, ' ');
    }
    buf_byte(&out, '|');
    for (uint32_t i = 0; i < wave_count; i++) {
        buf_byte(&out, ' ');
        for (uint32_t k = 0; k < waves[i]; k++, lane++) {
            buf_printf(&out, "%s%s", k ? "+" : "", tasks_of_lane(&tasks, lane)->id);
        }
    }
    text = arena_cstr(&arena, buf_str(&out));
    buf_release(&out);
    return text;
}

static void expect_error(const char *text, const char *part)
{
    const char *got = shown(text);

    if (!strstr(got, part)) fail_msg("'%s' is not in: %s", part, got);
}

static struct loops_task first(const char *text)
{
    struct loops_tasks tasks;

    if (tasks_read(str_of(text), &arena, &tasks, &err) != 0) fail_msg("%s", err.text);
    assert_true(tasks.count > 0);
    return tasks.items[0];
}

#define TASKS_TEST(name) TEST_WITH(name, NULL, release)

/* ---- JSON ---- */

TASKS_TEST(tasks_are_built_group_by_group)
{
    assert_string_equal(
        shown("{\"tasks\":[{\"id\":\"a\",\"title\":\"A\",\"group\":\"x\"},"
              "{\"id\":\"b\",\"title\":\"B\",\"group\":\"y\"},"
              "{\"id\":\"c\",\"title\":\"C\",\"group\":\"x\"}]}"),
        "a[x] b[y] c[x] | a+c b");
}

TASKS_TEST(tasks_without_a_group_are_one)
{
    assert_string_equal(shown("{\"tasks\":[{\"id\":\"a\",\"title\":\"A\"},{\"id\":\"b\","
                              "\"title\":\"B\",\"group\":null}]}"), "a[] b[] | a+b");
}

TASKS_TEST(a_task_waits_for_those_of_its_group_that_it_depends_on)
{
    assert_string_equal(
        shown("{\"tasks\":[{\"id\":\"c\",\"title\":\"C\",\"depends_on\":[\"b\",\"a\"]},"
              "{\"id\":\"b\",\"title\":\"B\",\"depends_on\":[\"a\"]},"
              "{\"id\":\"a\",\"title\":\"A\"},{\"id\":\"d\",\"title\":\"D\"}]}"),
        "c[]<b<a b[]<a a[] d[] | a+d b c");
}

TASKS_TEST(a_dependency_on_an_earlier_group_is_met_anyway)
{
    assert_string_equal(
        shown("{\"tasks\":[{\"id\":\"a\",\"title\":\"A\",\"group\":\"1\"},"
              "{\"id\":\"b\",\"title\":\"B\",\"group\":\"2\",\"depends_on\":[\"a\"]},"
              "{\"id\":\"c\",\"title\":\"C\",\"group\":\"2\"}]}"),
        "a[1] b[2]<a c[2] | a b+c");
    expect_error("{\"tasks\":[{\"id\":\"a\",\"title\":\"A\",\"group\":\"1\",\"depends_on\":"
                 "[\"b\"]},{\"id\":\"b\",\"title\":\"B\",\"group\":\"2\"}]}",
                 "a depends on b, whose group '2' is built after its own");
}

TASKS_TEST(a_circle_is_refused_and_named)
{
    expect_error("{\"tasks\":[{\"id\":\"a\",\"title\":\"A\",\"depends_on\":[\"b\"]},"
                 "{\"id\":\"b\",\"title\":\"B\",\"depends_on\":[\"c\"]},"
                 "{\"id\":\"c\",\"title\":\"C\",\"depends_on\":[\"a\"]},"
                 "{\"id\":\"d\",\"title\":\"D\"}]}",
                 "tasks depend on each other in a circle: a -> b -> c -> a");
    expect_error("{\"tasks\":[{\"id\":\"a\",\"title\":\"A\",\"depends_on\":[\"a\"]}]}",
                 "in a circle: a -> a");
    expect_error("- [ ] x: X (depends_on: y)\n- [ ] y: Y (depends_on: z)\n"
                 "- [ ] z: Z (depends_on: y)\n", "in a circle: y (line 2) -> z (line 3) -> y");
}

TASKS_TEST(a_circle_through_what_is_done_is_none)
{
    assert_string_equal(shown("- [x] a: A (depends_on: b)\n- [ ] b: B (depends_on: a)\n"),
                        "!a[]<b b[]<a | b");
}

TASKS_TEST(names_must_fit)
{
    expect_error("{\"tasks\":[{\"id\":\"a\",\"title\":\"A\"},{\"id\":\"a\",\"title\":\"B\"}]}",
                 "two tasks are called a");
    expect_error("- [ ] a: A\n\n- [ ] a: B\n", "two tasks are called a: lines 1 and 3");
    expect_error("{\"tasks\":[{\"id\":\"a\",\"title\":\"A\",\"depends_on\":[\"z\"]}]}",
                 "a depends on z, which is not in the list");
    expect_error("{\"tasks\":[{\"id\":\"a b\",\"title\":\"A\"}]}", "'a b' is no id");
    expect_error("{\"tasks\":[{\"id\":\"../x\",\"title\":\"A\"}]}", "is no id");
    expect_error("{\"tasks\":[{\"id\":\"-rf\",\"title\":\"A\"}]}", "is no id");
    expect_error("{\"tasks\":[{\"id\":\"a\\u0000b\",\"title\":\"A\"}]}", "is no id");
    expect_error("{\"tasks\":[{\"id\":\"a\\n\\u001b[31m\",\"title\":\"A\"}]}", "is no id");
    assert_null(strchr(err.text, '\n'));
    assert_null(strchr(err.text, '\x1b'));
}

TASKS_TEST(problems_are_named_by_their_path)
{
    expect_error("{\"tasks\":[{\"id\":\"a\",\"title\":\"A\"},7]}", "tasks[1]: a task must be");
    expect_error("{\"tasks\":[{\"id\":\"a\",\"title\":[]}]}", "tasks[0] (a): title must be a text");
    expect_error("{\"tasks\":[{\"id\":\"a\",\"title\":\"A\",\"depends_on\":\"b\"}]}",
                 "tasks[0] (a): depends_on must be a list");
    expect_error("{\"tasks\":[{\"id\":\"a\",\"title\":\"A\",\"depends_on\":[\"b\",{}]}]}",
                 "tasks[0] (a): depends_on[1]: must be a text");
    expect_error("{\"tasks\":[{}]}", "tasks[0]: it has neither a title nor a description");
    expect_error("{\"tasks\":[{\"id\":\"a\",\"id\":\"b\",\"title\":\"A\"}]}", "a member twice");
    expect_error("{\"tasks\":{}}", "wanted: {\"tasks\":[");
    expect_error("{\"list\":[]}", "wanted: {\"tasks\":[");
    expect_error("{\"tasks\":[", "line 1");
}

TASKS_TEST(a_misspelt_depends_on_is_not_passed_over)
{
    expect_error("{\"tasks\":[{\"id\":\"a\",\"title\":\"A\",\"dependsOn\":[\"b\"]}]}",
                 "'dependsOn' is not known: it is called depends_on");
    expect_error("{\"tasks\":[{\"id\":\"a\",\"title\":\"A\",\"dependencies\":[]}]}",
                 "it is called depends_on");
    assert_string_equal(shown("{\"tasks\":[{\"id\":\"a\",\"title\":\"A\",\"status\":3}]}"),
                        "a[] | a");
}

TASKS_TEST(ids_and_titles_are_made_where_they_are_missing)
{
    assert_string_equal(
        shown("{\"tasks\":[{\"title\":\"Add the  form!\"},{\"title\":\"add the form\"},"
              "{\"id\":\"add-the-form-4\",\"title\":\"x\"},{\"title\":\"Add The Form\"},"
              "{\"title\":\"\\u00e9\\u00e8\"},{\"id\":7,\"description\":\"Seven\\nmore\"}]}"),
        "add-the-form[] add-the-form-2[] add-the-form-4[] add-the-form-5[] task-5[] 7[] | "
        "add-the-form+add-the-form-2+add-the-form-4+add-the-form-5+task-5+7");
    assert_string_equal(first("{\"tasks\":[{\"description\":\"\\nSeven\\nmore\"}]}").title,
                        "Seven");
    assert_string_equal(first("{\"tasks\":[{\"id\":\"a\"}]}").title, "a");
}

TASKS_TEST(a_title_is_one_harmless_line)
{
    assert_string_equal(first("{\"tasks\":[{\"title\":\" a\\n\\tb\\u0000c\\u001b[0m \"}]}").title,
                        "a b c [0m");
}

/* ---- checklists ---- */

TASKS_TEST(a_checklist_has_groups_by_headings)
{
    assert_string_equal(
        shown("# Plan\n\nSome words.\n\n## web ##\n- [ ] login: Add the form - with a test\n"
              "* [x] db: Tables\n\n## cli\n1. [ ] Add a verb\n+ [X] done: it is\n"),
        "login[web] !db[web] add-a-verb[cli] !done[cli] | login add-a-verb");
}

TASKS_TEST(two_headings_of_one_name_are_two_groups)
{
    assert_string_equal(shown("## C#\n- [ ] a: A\n## C#\n- [ ] b: B\n"), "a[C#] b[C#] | a b");
}

TASKS_TEST(an_item_has_an_id_a_title_and_a_text)
{
    struct loops_task task = first("- [ ] `login`: Add the form - with a test\n"
                                   "  Refuse an empty name.\n\n"
                                   "    - [ ] tell why\n"
                                   "  ```\n  # no heading\n  - [ ] no item\n  ```\n"
                                   "  Depends on: db, `mail`\n"
                                   "- [ ] db: x\n- [ ] mail: y\n");

    assert_string_equal(task.id, "login");
    assert_string_equal(task.title, "Add the form");
    assert_true(str_is(task.text, "with a test\nRefuse an empty name.\n\n  - [ ] tell why\n"
                                  "```\n# no heading\n- [ ] no item\n```"));
    assert_int_equal(task.need_count, 2);
    assert_string_equal(task.needs[0], "db");
    assert_string_equal(task.needs[1], "mail");
    assert_int_equal(task.line, 1);
}

TASKS_TEST(what_looks_like_an_id_and_is_none_stays_in_the_title)
{
    assert_string_equal(first("- [ ] see http://x.y/z\n").title, "see http://x.y/z");
    assert_string_equal(first("- [ ] two words: and more\n").title, "two words: and more");
    assert_string_equal(first("- [ ] **T1:** the rest\n").id, "T1");
    assert_string_equal(first("- [ ] lonely:\n").title, "lonely:");
    assert_string_equal(first("- [ ] a-b: left-right - c\n").title, "left-right");
}

TASKS_TEST(only_boxes_are_tasks)
{
    assert_string_equal(
        shown("- plain\n- [] none\n- [y] none\n-[ ] none\n- [ ]none\n[ ] none\n"
              "```\n- [ ] in a fence\n# nor this\n```\n<!--\n- [ ] in a comment\n-->\n"
              "<!-- - [ ] here -->\n- [ ] a: A\n"), "a[] | a");
}

TASKS_TEST(a_fence_left_open_in_an_item_ends_with_it)
{
    assert_string_equal(shown("- [ ] a: A\n  ```\n  code\n- [ ] b: B\n"), "a[] b[] | a+b");
}

TASKS_TEST(problems_of_a_checklist_have_a_line)
{
    expect_error("- [ ] a: A\n- [ ] b: B (depends_on: a/b)\n", "line 2: 'a/b' is no id");
    expect_error("\n- [ ]\n", "line 2: the item has no title");
}

TASKS_TEST(windows_files_read_the_same)
{
    assert_string_equal(shown("\xef\xbb\xbf## g\r\n- [ ] a: A - b\r\n  more\r\n"), "a[g] | a");
    assert_true(str_is(first("- [ ] a: A - b\r\n  more\r\n").text, "b\nmore"));
}

/* ---- size ---- */

TASKS_TEST(many_tasks_are_read_and_one_more_is_refused)
{
    struct loops_tasks tasks;
    const uint32_t *waves;
    uint32_t count;
    struct buf text;

    buf_init(&text, 8 << 20);
    buf_text(&text, "- [ ] t0: T\n");
    for (uint32_t i = 1; i < TASKS_MAX; i++) {
        buf_printf(&text, "- [ ] t%u: T (depends_on: t%u)\n", (unsigned)i, (unsigned)i - 1);
    }
    assert_int_equal(tasks_read(buf_str(&text), &arena, &tasks, &err), 0);
    assert_int_equal(tasks_order(&tasks, 0, 1, &arena, &waves, &count, &err), 0);
    assert_int_equal(count, TASKS_MAX);
    buf_text(&text, "- [ ] one more\n");
    assert_int_equal(tasks_read(buf_str(&text), &arena, &tasks, &err), ERR_LIMIT);
    buf_clear(&text);
    for (uint32_t i = 0; i < TASKS_MAX; i++) buf_text(&text, "- [ ] the same\n");
    assert_int_equal(tasks_read(buf_str(&text), &arena, &tasks, &err), 0);
    assert_int_equal(tasks_order(&tasks, 0, 1, &arena, &waves, &count, &err), 0);
    buf_release(&text);
}

TASKS_TEST(a_long_circle_is_named_in_part)
{
    struct buf text;

    buf_init(&text, 8 << 20);
    for (uint32_t i = 0; i < 1000; i++) {
        buf_printf(&text, "- [ ] t%u: T (depends_on: t%u)\n", (unsigned)i,
                   (unsigned)(i + 1) % 1000);
    }
    expect_error(buf_cstr(&text), "in a circle: t0 (line 1) -> t1 (line 2) -> ");
    expect_error(buf_cstr(&text), "-> ... -> t0");
    buf_release(&text);
}

TASKS_TEST(a_list_that_was_written_reads_the_same)
{
    static const char text[] = "## one\n- [x] a: A - text \"q\"\n- [ ] b: B (depends_on: a)\n"
                               "## two\n- [ ] c: C\n  \xc3\xa9 \\ more\n";
    struct loops_tasks tasks, again;
    const uint32_t *waves;
    uint32_t count;
    struct buf out, twice;

    buf_init(&out, 1 << 16);
    buf_init(&twice, 1 << 16);
    assert_int_equal(tasks_read(str_of(text), &arena, &tasks, &err), 0);
    assert_int_equal(tasks_order(&tasks, 0, 5, &arena, &waves, &count, &err), 0);
    tasks_write(&tasks, &out);
    assert_int_equal(tasks_read_json(buf_str(&out), &arena, &again, &err), 0);
    tasks_write(&again, &twice);
    assert_string_equal(buf_cstr(&out), buf_cstr(&twice));
    assert_int_equal(again.count, 3);
    assert_true(again.items[0].done);
    assert_int_equal(again.items[1].lane, 5);
    assert_int_equal(again.items[2].lane, 6);
    assert_int_equal(again.items[2].group_number, 2);
    buf_release(&out);
    buf_release(&twice);
}
