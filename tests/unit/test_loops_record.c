/* SPDX-License-Identifier: Apache-2.0
 *
 * test_loops_record.c - the rows of a loops run as it goes on. */
#include "loops_scene.h"
#include "test.h"
#include "dialect/dialects.h"

#include <string.h>

/* The line of a loop. */
static const char *loop_row(struct loops_scene *scene, uint32_t lane)
{
    const char *key = arena_printf(&scene->arena, "id='k3f9a1b2-%u' ", (unsigned)lane);
    struct str rest = str_of(loops_rows(scene, "loops")), line;

    while (str_cut(&rest, '\n', &line)) {
        if (str_starts(line, str_of(key))) return arena_cstr(&scene->arena, line);
    }
    return "";
}

TEST(a_run_begins_with_its_tasks_and_the_loops_of_the_first_wave)
{
    struct loops_scene scene;

    loops_open(&scene, LOOPS_TASKS, NULL, NULL);
    assert_string_equal(loops_rows(&scene, "tasks"),
        "run_id='k3f9a1b2' id='a' position=1 title='Add a' description='All of a.' "
        "group_name='one' depends_on='[]' status='in_progress' loop_id='k3f9a1b2-1'\n"
        "run_id='k3f9a1b2' id='b' position=2 title='Add b' description='' "
        "group_name='one' depends_on='[\"a\"]' status='pending' loop_id=NULL\n"
        "run_id='k3f9a1b2' id='c' position=3 title='Add c' description='' "
        "group_name='one' depends_on='[]' status='in_progress' loop_id='k3f9a1b2-2'\n"
        "run_id='k3f9a1b2' id='d' position=4 title='Add d' description='' "
        "group_name='two' depends_on='[]' status='pending' loop_id=NULL\n");
    assert_string_equal(loops_rows(&scene, "loops"),
        "id='k3f9a1b2-1' run_id='k3f9a1b2' task_ids='[\"a\"]' group_name='one' status='running' "
        "phase='working' iteration=1 max_iterations=50 review_interval=5 last_review_at=0 "
        "review_status='pending' last_review_id=NULL revision_attempts=0 "
        "worktree_path='/some/trees/k3f9a1b2-1'\n"
        "id='k3f9a1b2-2' run_id='k3f9a1b2' task_ids='[\"c\"]' group_name='one' status='running' "
        "phase='working' iteration=1 max_iterations=50 review_interval=5 last_review_at=0 "
        "review_status='pending' last_review_id=NULL revision_attempts=0 "
        "worktree_path='/some/trees/k3f9a1b2-2'\n");
    assert_string_equal(loops_rows(&scene, "loop_reviews"), "");
    loops_close(&scene);
}

TEST(a_review_has_a_row_with_its_attempt_in_the_id)
{
    struct loops_scene scene;

    loops_open(&scene, LOOPS_TASKS, NULL, NULL);
    loops_answer(&scene, 1, "builder", "TASK_COMPLETE");
    assert_has(loop_row(&scene, 1), "review_status='in_progress' last_review_id=NULL");
    loops_answer(&scene, 1, "loop-reviewer", LOOPS_FAIL);
    assert_string_equal(loops_rows(&scene, "loop_reviews"),
        "id='k3f9a1b2-1-3-1' run_id='k3f9a1b2' loop_id='k3f9a1b2-1' task_id='a' passed=0 "
        "interpreted_intent='to be of use' intent_satisfied=0 "
        "reviewed_at='2026-01-02T03:04:07.000Z' cost_usd=0.25\n");
    assert_string_equal(loops_rows(&scene, "review_issues"),
        "run_id='k3f9a1b2' task_id='a' file='a.c' line=3 type='dead-code' "
        "description='nobody calls it' suggestion='remove it' "
        "created_at='2026-01-02T03:04:07.000Z' loop_id='k3f9a1b2-1' "
        "loop_review_id='k3f9a1b2-1-3-1'\n");
    assert_has(loop_row(&scene, 1), "iteration=2 ");
    assert_has(loop_row(&scene, 1), "status='needs_revision' phase='repairing'");
    assert_has(loop_row(&scene, 1), "review_status='failed' last_review_id='k3f9a1b2-1-3-1' "
                                    "revision_attempts=1");
    loops_answer(&scene, 1, "builder", "TASK_COMPLETE");
    assert_has(loop_row(&scene, 1), "status='running' phase='reviewing' iteration=2 ");
    assert_has(loop_row(&scene, 1), "review_status='in_progress' last_review_id='k3f9a1b2-1-3-1' "
                                    "revision_attempts=1");
    loops_answer(&scene, 1, "loop-reviewer", LOOPS_PASS);
    assert_has(loops_rows(&scene, "loop_reviews"), "id='k3f9a1b2-1-5-1' run_id='k3f9a1b2' "
               "loop_id='k3f9a1b2-1' task_id='a' passed=1 interpreted_intent=NULL "
               "intent_satisfied=1");
    assert_has(loop_row(&scene, 1), "status='completed' phase='passed'");
    assert_has(loop_row(&scene, 1), "review_status='passed' last_review_id='k3f9a1b2-1-5-1' "
                                    "revision_attempts=1");
    loops_close(&scene);
}

TEST(a_review_asked_for_again_is_another_row)
{
    struct loops_scene scene;

    loops_open(&scene, "- [ ] a: A\n- [ ] b: B\n", NULL, NULL);
    loops_answer(&scene, 1, "builder", "TASK_COMPLETE");
    loops_answer(&scene, 1, "loop-reviewer", "no json");
    assert_string_equal(loops_rows(&scene, "loop_reviews"), "");
    loops_answer(&scene, 1, "loop-reviewer", LOOPS_PASS);
    assert_has(loops_rows(&scene, "loop_reviews"), "id='k3f9a1b2-1-3-2' ");
    loops_close(&scene);
}

TEST(a_checkpoint_is_a_review_of_no_task)
{
    struct loops_scene scene;

    loops_open(&scene, LOOPS_TASKS, NULL, "max");
    loops_answer(&scene, 1, "builder", "more to do");
    assert_string_equal(loops_asked(&scene), "2 builder");
    loops_answer(&scene, 2, "builder", "more to do");
    assert_string_equal(loops_asked(&scene), "1 loop-reviewer, 2 loop-reviewer");
    loops_answer(&scene, 1, "loop-reviewer", LOOPS_FAIL);
    assert_string_equal(loops_rows(&scene, "loop_reviews"),
        "id='k3f9a1b2-1-3-1' run_id='k3f9a1b2' loop_id='k3f9a1b2-1' task_id=NULL passed=0 "
        "interpreted_intent='to be of use' intent_satisfied=0 "
        "reviewed_at='2026-01-02T03:04:08.000Z' cost_usd=0.25\n");
    assert_has(loops_rows(&scene, "review_issues"), "task_id=NULL file='a.c'");
    assert_has(loop_row(&scene, 1), "last_review_at=1 review_status='pending' "
                                    "last_review_id='k3f9a1b2-1-3-1' revision_attempts=0");
    loops_close(&scene);
}

TEST(reviews_of_the_run_have_no_loop)
{
    struct loops_scene scene;

    loops_open(&scene, "- [ ] a: A\n", NULL, NULL);
    loops_build(&scene, 1);
    loops_merge(&scene, 1);
    loops_answer(&scene, 0, "run-reviewer", "{\"passed\":false,\"issues\":[{\"taskId\":\"a\","
                 "\"description\":\"half\"},{\"description\":\"whole\"}]}");
    assert_has(loops_rows(&scene, "review_issues"), "task_id='a' file='' line=NULL type='' "
               "description='half'");
    assert_has(loops_rows(&scene, "review_issues"), "task_id=NULL file='' line=NULL type='' "
               "description='whole'");
    assert_has(loops_rows(&scene, "review_issues"), "loop_id=NULL loop_review_id=NULL");
    assert_lacks(loops_rows(&scene, "loop_reviews"), "passed=0");
    loops_close(&scene);
}

TEST(what_was_merged_keeps_its_review_and_has_no_work_tree)
{
    struct loops_scene scene;

    loops_open(&scene, "- [ ] a: A\n", NULL, NULL);
    loops_build(&scene, 1);
    assert_has(loop_row(&scene, 1), "status='completed' phase='integrating'");
    loops_merge(&scene, 1);
    assert_has(loop_row(&scene, 1), "phase='merged'");
    assert_has(loop_row(&scene, 1), "last_review_id='k3f9a1b2-1-2-1'");
    assert_has(loop_row(&scene, 1), "worktree_path=NULL");
    assert_has(loops_rows(&scene, "tasks"), "status='completed' loop_id='k3f9a1b2-1'");
    loops_close(&scene);
}

TEST(a_conflict_asks_for_a_revision)
{
    struct loops_scene scene;

    loops_open(&scene, "- [ ] a: A\n", NULL, NULL);
    loops_build(&scene, 1);
    loops_answer(&scene, 1, "integrator", "conflict\na.c\n\nours\ntheirs\n");
    assert_has(loop_row(&scene, 1), "status='needs_revision' phase='repairing'");
    assert_has(loop_row(&scene, 1), "review_status='failed' last_review_id='k3f9a1b2-1-2-1' "
                                    "revision_attempts=1");
    assert_string_equal(loops_rows(&scene, "loop_reviews"), "");
    loops_close(&scene);
}

TEST(stuck_failed_and_interrupted_are_told_apart)
{
    struct loops_scene scene;
    struct action action;

    loops_open(&scene, "- [ ] a: A\n- [ ] b: B\n- [ ] c: C\n", NULL, NULL);
    loops_answer(&scene, 1, "builder", "TASK_STUCK: no key");
    assert_has(loop_row(&scene, 1), "status='stuck'");
    assert_has(loops_rows(&scene, "tasks"), "status='stuck'");
    action = loops_action(&scene, 2, "builder");
    loops_event(&scene, (struct event){ .kind = EV_ENDED, .job = action.job,
        .attempt = action.attempt, .lane = 2,
        .result = { .verdict = VERDICT_FAILED, .permanent = true } });
    assert_has(loop_row(&scene, 2), "status='failed'");
    action = loops_action(&scene, 3, "builder");
    loops_event(&scene, (struct event){ .kind = EV_STOP });
    loops_event(&scene, (struct event){ .kind = EV_ENDED, .job = action.job,
        .attempt = action.attempt, .lane = 3,
        .result = { .verdict = VERDICT_FAILED, .failure = FAILURE_STOPPED } });
    assert_has(loop_row(&scene, 3), "status='interrupted'");
    loops_close(&scene);
}

TEST(only_what_was_touched_is_put_again)
{
    struct loops_scene scene;

    loops_open(&scene, LOOPS_TASKS, NULL, NULL);
    scene.run.recorded = scene.engine.steps;
    assert_string_equal(loops_rows(&scene, "tasks"), "");
    assert_string_equal(loops_rows(&scene, "loops"), "");
    loops_answer(&scene, 2, "builder", "TASK_COMPLETE");
    assert_has(loops_rows(&scene, "loops"), "id='k3f9a1b2-2'");
    assert_lacks(loops_rows(&scene, "loops"), "id='k3f9a1b2-1'");
    assert_lacks(loops_rows(&scene, "tasks"), "id='a'");
    scene.run.recorded = 0;
    assert_has(loops_rows(&scene, "loops"), "id='k3f9a1b2-1'");
    loops_close(&scene);
}

TEST(a_spec_has_tasks_as_soon_as_they_are_listed)
{
    struct loops_scene scene;

    loops_open(&scene, NULL, "# Spec\n", "low");
    assert_string_equal(loops_rows(&scene, "tasks"), "");
    loops_answer(&scene, 0, "enumerator", "{\"tasks\":[{\"id\":\"a\",\"title\":\"A\"}]}");
    assert_has(loops_rows(&scene, "tasks"), "id='a' position=1 title='A' description='' "
                                            "group_name=NULL depends_on='[]' status='pending' "
                                            "loop_id=NULL");
    loops_answer(&scene, 0, "planner", "{\"groups\":[[\"a\"]]}");
    assert_has(loops_rows(&scene, "tasks"), "group_name='1'");
    assert_has(loops_rows(&scene, "tasks"), "loop_id='k3f9a1b2-1'");
    loops_close(&scene);
}

/* ---- the end ---- */

static const char *concluded(struct loops_scene *scene)
{
    const char *kept;
    struct buf text;

    buf_init(&text, 1 << 20);
    dialect_loops.framing->conclude(&scene->run, &text);
    kept = arena_cstr(&scene->arena, buf_str(&text));
    buf_release(&text);
    return kept;
}

TEST(the_end_says_who_needs_help_and_why)
{
    struct loops_scene scene;
    const char *text;

    loops_open(&scene, "- [ ] a: A \x1b[31m\n- [ ] b: B\n- [ ] c: C\n- [x] d: D\n", NULL, "low");
    loops_answer(&scene, 1, "builder", "TASK_STUCK: no \x1b[31mkey");
    loops_answer(&scene, 2, "builder", "TASK_COMPLETE");
    for (int i = 0; i < 2; i++) {
        loops_answer(&scene, 2, "loop-reviewer", LOOPS_FAIL);
        loops_answer(&scene, 2, "builder", "TASK_COMPLETE");
    }
    loops_answer(&scene, 2, "loop-reviewer", LOOPS_FAIL);
    loops_build(&scene, 3);
    text = concluded(&scene);
    assert_has(text, "loop k3f9a1b2-1 is stuck, task a (A [31m): its builder says: no [31mkey\n");
    assert_has(text,
               "loop k3f9a1b2-2 is stuck, task b (B): 1 issue of its review after 2 revisions\n");
    assert_has(text, "0 of 3 tasks merged; 1 passed, and waits for the others of the group\n");
    assert_lacks(text, "\x1b");
    loops_close(&scene);
}

TEST(a_clean_end_says_how_much_was_merged)
{
    struct loops_scene scene;

    loops_open(&scene, "- [ ] a: A\n", NULL, NULL);
    loops_build(&scene, 1);
    loops_merge(&scene, 1);
    loops_answer(&scene, 0, "run-reviewer", LOOPS_PASS);
    assert_string_equal(concluded(&scene), "1 of 1 tasks merged\n");
    loops_close(&scene);
}
