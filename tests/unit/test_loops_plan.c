/* SPDX-License-Identifier: Apache-2.0
 *
 * test_loops_plan.c - settings of the loops dialect, the plan they make, and how a run goes. */
#include "loops_scene.h"
#include "test.h"

#include "dialect/dialects.h"
#include "format/text/utf8.h"

#include <stdio.h>
#include <string.h>

TESTS_ARENA
static struct err err;

/* A plan of one option beside a list of tasks. */
static int plan_with(const char *name, const char *value, struct plan *plan)
{
    struct setting items[] = { { "tasks", "tasks.json" }, { name, value } };
    struct config_text file = { "--tasks", STR(LOOPS_TASKS) };
    struct settings settings = { .items = items, .count = name ? 2 : 1, .files = &file,
                                 .file_count = 1 };

    return dialect_loops.plan(&settings, &arena, plan, &err);
}

static int plan_of(const char *option, const char *text, struct plan *plan)
{
    struct setting item = { option, "file.md" };
    struct config_text file = { arena_printf(&arena, "--%s", option), str_of(text) };
    struct settings settings = { .items = &item, .count = 1, .files = &file, .file_count = 1 };

    return dialect_loops.plan(&settings, &arena, plan, &err);
}

static void expect_refused(const char *name, const char *value, const char *part)
{
    struct plan plan;

    assert_int_equal(plan_with(name, value, &plan), ERR_USAGE);
    if (!strstr(err.text, part)) fail_msg("'%s' is not in: %s", part, err.text);
}

#define PLAN_TEST(name) TEST_WITH(name, NULL, release)

PLAN_TEST(tasks_or_a_spec_are_needed)
{
    struct settings settings = { 0 };
    struct plan plan;

    assert_int_equal(dialect_loops.plan(&settings, &arena, &plan, &err), ERR_USAGE);
    assert_non_null(strstr(err.text, "--tasks"));
    assert_non_null(strstr(err.text, "--spec"));
    assert_int_equal(plan_of("spec", " \n", &plan), ERR_USAGE);
    assert_non_null(strstr(err.text, "file.md: it is empty"));
}

PLAN_TEST(a_bad_list_is_refused_with_its_file)
{
    struct plan plan;

    assert_int_equal(plan_of("tasks", "# Nothing\n", &plan), ERR_USAGE);
    assert_non_null(strstr(err.text, "file.md: it lists no task"));
    assert_int_equal(plan_of("tasks", "- [x] a: A\n", &plan), ERR_USAGE);
    assert_non_null(strstr(err.text, "file.md: all of its tasks are done"));
    assert_int_equal(plan_of("tasks", "- [ ] a: A (depends_on: a)\n", &plan), ERR_USAGE);
    assert_non_null(strstr(err.text, "in a circle: a (line 1) -> a"));
}

PLAN_TEST(options_have_their_bounds)
{
    struct plan plan;

    expect_refused("effort", "huge", "effort: 'huge' is not low, medium, high or max");
    expect_refused("max-loops", "0", "from 1 to 1000");
    expect_refused("max-loops", "1001", "from 1 to 1000");
    expect_refused("max-iterations", "x", "from 1 to 10000");
    expect_refused("cycles", "3", "cycles: loops has no such setting");
    assert_int_equal(plan_with("max-loops", "7", &plan), 0);
    assert_int_equal(plan.lane_max, 7);
    assert_int_equal(plan_with("max-iterations", "2", &plan), 0);
    assert_int_equal(plan.phases[0].work.run_max, 2);
}

PLAN_TEST(defaults_are_four_loops_fifty_iterations_and_medium)
{
    struct plan plan;

    assert_int_equal(plan_with(NULL, NULL, &plan), 0);
    assert_null(plan_problem(&plan));
    assert_int_equal(plan.lane_max, 4);
    assert_int_equal(plan.phases[0].work.run_max, 50);
    assert_int_equal(plan.phases[0].work.checkpoint_every, 5);
    assert_int_equal(plan.phases[0].gate.repair_max, 3);
}

PLAN_TEST(effort_sets_checkpoints_revisions_and_reviews)
{
    static const struct {
        const char *word;
        uint32_t checkpoint, revisions, run_revisions;
        bool tasks, plan;
    } wanted[] = {
        { "low", 0, 2, 10, false, false },
        { "medium", 5, 3, 8, false, true },
        { "high", 3, 4, 5, true, true },
        { "max", 1, 5, 3, true, true },
    };

    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct setting items[] = { { "spec", "s.md" }, { "effort", wanted[i].word } };
        struct config_text file = { "--spec", STR("# Spec\n") };
        struct settings settings = { .items = items, .count = 2, .files = &file, .file_count = 1 };
        struct plan plan;

        assert_int_equal(dialect_loops.plan(&settings, &arena, &plan, &err), 0);
        assert_null(plan_problem(&plan));
        assert_int_equal(plan.phase_count, 4);
        assert_int_equal(plan.phases[0].gate.reviewer_count, wanted[i].tasks);
        assert_int_equal(plan.phases[1].gate.reviewer_count, wanted[i].plan);
        assert_int_equal(plan.phases[2].work.checkpoint_every, wanted[i].checkpoint);
        assert_int_equal(plan.phases[2].gate.repair_max, wanted[i].revisions);
        assert_int_equal(plan.phases[2].gate.at_bound, BOUND_STUCK);
        assert_int_equal(plan.phases[3].gate.reviewer_count, 1);
        assert_int_equal(plan.phases[3].gate.repair_max, wanted[i].run_revisions);
        assert_int_equal(plan.phases[3].gate.recheck, 2);
        for (uint32_t k = 0; k < 4; k++) {
            assert_string_equal(plan.phases[k].name,
                                ((const char *[]){ "enumerate", "plan", "build", "review" })[k]);
        }
    }
}

PLAN_TEST(nobody_is_needed_to_list_tasks_that_are_given)
{
    struct plan plan;

    assert_int_equal(plan_with(NULL, NULL, &plan), 0);
    for (uint32_t i = 1; i < plan.role_count; i++) {
        assert_string_not_equal(plan.roles[i].name, "enumerator");
        assert_string_not_equal(plan.roles[i].name, "planner");
    }
    assert_int_equal(plan_of("spec", "# Spec\n", &plan), 0);
    assert_string_equal(plan.roles[plan.role_count - 1].name, "planner");
}

/* ---- a run ---- */

PLAN_TEST(waves_follow_one_another_and_the_run_is_reviewed)
{
    struct loops_scene scene;

    loops_open(&scene, LOOPS_TASKS, NULL, "low");
    assert_string_equal(loops_asked(&scene), "1 builder, 2 builder");
    loops_build(&scene, 2);
    loops_build(&scene, 1);
    assert_string_equal(loops_asked(&scene), "1 integrator");
    loops_merge(&scene, 1);
    loops_merge(&scene, 2);
    assert_string_equal(loops_asked(&scene), "3 builder");
    loops_build(&scene, 3);
    loops_merge(&scene, 3);
    loops_build(&scene, 4);
    loops_merge(&scene, 4);
    assert_string_equal(loops_asked(&scene), "0 run-reviewer");
    loops_answer(&scene, 0, "run-reviewer", LOOPS_PASS);
    assert_int_equal(scene.engine.reason, REASON_CLEAN);
    loops_close(&scene);
}

PLAN_TEST(a_long_task_fits_into_an_environment)
{
    enum { BYTES = 100 * 1024 };
    static char tasks[BYTES + 256];
    struct lane_about about;
    struct loops_scene scene;
    size_t size;

    size = (size_t)snprintf(tasks, sizeof tasks, "{\"tasks\":[{\"id\":\"a\",\"title\":\"Add a\","
                                                 "\"description\":\"x");
    for (uint32_t i = 0; i < BYTES / 2; i++, size += 2) memcpy(tasks + size, "\xc3\xa9", 2);
    memcpy(tasks + size, "\"}]}", sizeof "\"}]}");
    loops_open(&scene, tasks, NULL, NULL);
    dialect_loops.lanes->about(&scene.run, 1, &scene.arena, &about);
    assert_in_range(strlen(about.task), 50 * 1024, 64 * 1024);
    assert_int_equal(utf8_prefix(str_of(about.task)), strlen(about.task));
    loops_close(&scene);
}

PLAN_TEST(a_lane_knows_its_loop_and_its_task)
{
    struct lane_about about;
    struct loops_scene scene;

    loops_open(&scene, LOOPS_TASKS, NULL, NULL);
    dialect_loops.lanes->about(&scene.run, 1, &scene.arena, &about);
    assert_string_equal(about.name, "k3f9a1b2-1");
    assert_string_equal(about.task_id, "a");
    assert_string_equal(about.task, "Add a\n\nAll of a.");
    dialect_loops.lanes->about(&scene.run, 2, &scene.arena, &about);
    assert_string_equal(about.task_id, "c");
    dialect_loops.lanes->about(&scene.run, 3, &scene.arena, &about);
    assert_string_equal(about.task_id, "b");
    assert_string_equal(about.task, "Add b");
    loops_close(&scene);
}

PLAN_TEST(a_merge_is_called_after_its_task)
{
    struct loops_scene scene;
    struct builtin builtin;
    struct action action;

    loops_open(&scene, "- [ ] a: Add a\n", NULL, NULL);
    loops_build(&scene, 1);
    action = loops_action(&scene, 1, "integrator");
    dialect_loops.builtin(&scene.run, &action, &scene.arena, &builtin);
    assert_int_equal(builtin.kind, BUILTIN_INTEGRATE);
    assert_string_equal(builtin.text, "Add a\n\nTask: a\nLoop: k3f9a1b2-1\n");
    loops_close(&scene);
}

PLAN_TEST(a_spec_becomes_tasks_groups_and_more_tasks)
{
    struct loops_scene scene;
    struct lane_about about;
    struct result result;

    loops_open(&scene, NULL, "# Spec\n", "max");
    loops_answer(&scene, 0, "enumerator",
                 "{\"tasks\":[{\"id\":\"a\",\"title\":\"A\",\"depends_on\":[\"b\"]},"
                 "{\"id\":\"b\",\"title\":\"B\"}]}");
    loops_answer(&scene, 0, "run-reviewer", LOOPS_FAIL);
    loops_answer(&scene, 0, "enumerator",
                 "{\"tasks\":[{\"id\":\"x\",\"title\":\"X\"},{\"id\":\"y\",\"title\":\"Y\"},"
                 "{\"id\":\"z\",\"title\":\"Z\"}]}");
    loops_answer(&scene, 0, "run-reviewer", LOOPS_PASS);
    result = loops_answer(&scene, 0, "planner", "{\"groups\":[[\"z\",\"x\"],[\"y\"]]}");
    assert_int_equal(result.group_count, 2);
    loops_answer(&scene, 0, "run-reviewer", LOOPS_FAIL);
    result = loops_answer(&scene, 0, "planner", "{\"groups\":[[\"z\"],[\"x\",\"y\"]]}");
    assert_int_equal(result.groups[0], 1);
    loops_answer(&scene, 0, "run-reviewer", LOOPS_PASS);
    assert_string_equal(loops_asked(&scene), "1 builder");
    dialect_loops.lanes->about(&scene.run, 1, &scene.arena, &about);
    assert_string_equal(about.task_id, "z");
    loops_build(&scene, 1);
    loops_merge(&scene, 1);
    assert_string_equal(loops_asked(&scene), "2 builder, 3 builder");
    loops_build(&scene, 2);
    loops_build(&scene, 3);
    loops_merge(&scene, 2);
    loops_merge(&scene, 3);
    loops_answer(&scene, 0, "run-reviewer", LOOPS_FAIL);
    loops_answer(&scene, 0, "reviser",
                 "{\"tasks\":[{\"id\":\"m\",\"title\":\"M\",\"depends_on\":[\"x\"]}]}");
    assert_string_equal(loops_asked(&scene), "4 builder");
    dialect_loops.lanes->about(&scene.run, 4, &scene.arena, &about);
    assert_string_equal(about.task_id, "m");
    dialect_loops.lanes->about(&scene.run, 2, &scene.arena, &about);
    assert_string_equal(about.task_id, "x");
    loops_build(&scene, 4);
    loops_merge(&scene, 4);
    loops_answer(&scene, 0, "run-reviewer", LOOPS_PASS);
    assert_int_equal(scene.engine.reason, REASON_CLEAN);
    loops_close(&scene);
}

PLAN_TEST(revisions_end_in_a_stuck_loop_while_the_others_go_on)
{
    struct loops_scene scene;

    loops_open(&scene, "- [ ] a: A\n- [ ] b: B\n", NULL, "low");
    loops_answer(&scene, 1, "builder", "TASK_COMPLETE");
    for (int i = 0; i < 2; i++) {
        loops_answer(&scene, 1, "loop-reviewer", LOOPS_FAIL);
        loops_answer(&scene, 1, "builder", "TASK_COMPLETE");
    }
    loops_answer(&scene, 1, "loop-reviewer", LOOPS_FAIL);
    assert_int_equal(scene.engine.lanes[1].state, LANE_STUCK);
    assert_string_equal(loops_asked(&scene), "2 builder");
    loops_build(&scene, 2);
    assert_int_equal(scene.engine.reason, REASON_STUCK);
    assert_int_equal(scene.engine.lanes[2].state, LANE_PASSED);
    loops_event(&scene, (struct event){ .kind = EV_RESUME });
    assert_string_equal(loops_asked(&scene), "1 builder");
    loops_close(&scene);
}

PLAN_TEST(a_reviser_that_knows_no_task_leaves_the_run_at_rest)
{
    struct loops_scene scene;

    loops_open(&scene, "- [ ] a: A\n", NULL, NULL);
    loops_build(&scene, 1);
    loops_merge(&scene, 1);
    loops_answer(&scene, 0, "run-reviewer", LOOPS_FAIL);
    loops_answer(&scene, 0, "reviser", "{\"tasks\":[]}");
    assert_int_equal(scene.engine.reason, REASON_STUCK);
    loops_event(&scene, (struct event){ .kind = EV_RESUME });
    assert_string_equal(loops_asked(&scene), "0 run-reviewer");
    loops_close(&scene);
}
