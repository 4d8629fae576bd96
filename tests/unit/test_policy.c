/* SPDX-License-Identifier: Apache-2.0
 *
 * test_policy.c - until what a gate goes on: who looks, what is repaired, and how it ends. */
#include "core/ledger.h"

#include "ledger_scene.h"
#include "test.h"

#include <inttypes.h>
#include <stdio.h>

static void mend(struct scene *scene)
{
    rounds_repair(scene, (struct rounds_repair){ 0 });
}

/* A repair after which nothing is as it was: it wrote all of the file. */
static void rewrite(struct scene *scene, const char *file)
{
    rounds_repair(scene, (struct rounds_repair){
        .moved = rounds_moved(scene, file, file, (struct line_hunk){ 1, 900, 1, 900 }) });
}

static void expect_end(const struct scene *scene, enum reason reason)
{
    assert_int_equal(scene->engine.state, ENGINE_ENDED);
    assert_string_equal(reason_word(scene->engine.reason), reason_word(reason));
}

/* The batch that is asked now: "look 0 of 3", "recheck 0 of 1": eye and number of reviewers. */
static void expect_asked(const struct scene *scene, const char *expected)
{
    const struct batch *now = &scene->engine.lanes[0].now;
    char got[40];

    assert_int_equal(scene->engine.lanes[0].state, LANE_REVIEWING);
    snprintf(got, sizeof got, "%s %" PRIu32 " of %" PRIu32, now->recheck ? "recheck" : "look",
             now->eye, now->count);
    assert_string_equal(got, expected);
    for (uint32_t i = 0, starts = 0; i < scene->actions.count; i++) { /* as the driver is told */
        const struct action *action = &scene->actions.item[i];

        if (action->kind != ACT_START || action->purpose != FOR_REVIEW) continue;
        assert_true(++starts <= now->count);
        assert_int_equal(action->eye, now->eye);
        assert_int_equal(action->recheck, now->recheck);
    }
}

/* ---- the rows ---- */

TEST(there_are_four_policies_and_seed_is_none)
{
    static const char *const names[] = { "settled", "lean", "thorough", "clean" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct policy *policy = policy_find(str_of(names[i]));

        assert_non_null(policy);
        assert_string_equal(policy->name, names[i]);
    }
    assert_null(policy_find(STR("seed")));
    assert_null(policy_find(STR("")));
}

/* ---- who looks ---- */

TEST(settled_looks_twice_by_other_eyes_and_then_rechecks)
{
    struct scene scene;

    rounds_until(&scene, 3, "settled", 2);
    expect_asked(&scene, "look 0 of 3");
    rounds_round(&scene, "a.c:10 one", NULL);
    mend(&scene);
    expect_asked(&scene, "look 1 of 3");
    rounds_round(&scene, "a.c:110 two", NULL);
    mend(&scene);
    expect_asked(&scene, "recheck 0 of 1");
    assert_int_equal(scene.engine.lanes[0].now.jobs[0].role, 1); /* no checker: the first */
    rounds_round(&scene, "med a.c:210 three", NULL);
    mend(&scene);
    expect_asked(&scene, "recheck 0 of 1");
    rounds_round(&scene, "", NULL);
    expect_end(&scene, REASON_CONVERGED);
    rounds_end(&scene);
}

TEST(a_gate_has_the_checker_that_its_plan_names)
{
    struct scene scene;

    rounds_begin(&scene, 3);
    scene.fixture.phases[0].gate.checker = 3;
    plan_until(&scene.fixture.plan, policy_find(STR("lean")), 2, &scene.arena);
    rounds_tell(&scene, (struct event){ .kind = EV_START });
    expect_asked(&scene, "look 0 of 3");
    rounds_round(&scene, "a.c:10 one", NULL);
    mend(&scene);
    expect_asked(&scene, "look 1 of 1"); /* lean: looks after the first are the checker's alone */
    assert_int_equal(scene.engine.lanes[0].now.jobs[0].role, 3);
    rounds_round(&scene, "a.c:110 two", NULL);
    mend(&scene);
    expect_asked(&scene, "recheck 0 of 1");
    assert_int_equal(scene.engine.lanes[0].now.jobs[0].role, 3);
    rounds_end(&scene);
}

TEST(clean_is_always_the_panel)
{
    struct scene scene;

    rounds_until(&scene, 2, "clean", 2);
    for (uint32_t i = 0; i < 6; i++) {
        char found[40];

        expect_asked(&scene, i % 2 ? "look 1 of 2" : "look 0 of 2");
        snprintf(found, sizeof found, "f%" PRIu32 ".c:10 thing %" PRIu32, i, i);
        rounds_round(&scene, found, NULL);
        mend(&scene);
    }
    rounds_round(&scene, "", NULL);
    expect_end(&scene, REASON_CLEAN);
    rounds_end(&scene);
}

static const char *const five_grave =
    "a.c:10 descriptor leaks; b.c:20 deadlock of locks; c.c:30 overflow of the sum; "
    "d.c:40 password in the log; e.c:50 use after free";

/* Nothing accepted is left after two looks, and so much was found that a third is owed. */
TEST(thorough_looks_a_third_time_where_much_was_found)
{
    static const struct {
        const char *policy, *asked;
    } rows[] = { { "thorough", "look 2 of 2" }, { "lean", "look 2 of 1" } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scene scene;

        rounds_until(&scene, 2, rows[i].policy, 3);
        rounds_round(&scene, five_grave, NULL);
        mend(&scene);
        rounds_round(&scene, "", NULL);
        expect_asked(&scene, rows[i].asked);
        rounds_round(&scene, "", NULL);
        expect_end(&scene, REASON_SETTLED);
        rounds_end(&scene);
    }
}

TEST(and_not_where_four_were_found_nor_when_settled_is_enough)
{
    struct scene scene;

    rounds_until(&scene, 2, "thorough", 3);
    rounds_round(&scene, "a.c:10 descriptor leaks; b.c:20 deadlock of locks; "
                         "c.c:30 overflow of the sum; d.c:40 password in the log", NULL);
    mend(&scene);
    rounds_round(&scene, "", NULL);
    expect_end(&scene, REASON_SETTLED);
    rounds_end(&scene);
    rounds_until(&scene, 2, "settled", 3);
    rounds_round(&scene, five_grave, NULL);
    mend(&scene);
    rounds_round(&scene, "", NULL);
    expect_end(&scene, REASON_SETTLED);
    rounds_end(&scene);
}

/* ---- what is accepted ---- */

TEST(what_is_below_the_floor_is_noted_the_later_the_more)
{
    static const struct {
        const char *policy, *states; /* of what each of three reviews finds new: low, medium */
    } rows[] = {
        { "settled", "new new new new noted new" },
        { "lean", "new new noted new noted noted" },
        { "thorough", "new new new new noted new" },
        { "clean", "new new new new new new" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scene scene;
        struct buf got;

        buf_init(&got, 200);
        rounds_until(&scene, 1, rows[i].policy, 2);
        for (uint32_t k = 0; k < 3; k++) {
            char found[120];

            snprintf(found, sizeof found, "low %c.c:10 odd %" PRIu32 "; med %c.c:90 wrong %" PRIu32
                     "; %c.c:200 grave %" PRIu32, 'a' + k, k, 'a' + k, k, 'a' + k, k);
            rounds_round(&scene, found, NULL);
            for (uint32_t n = 3 * k; n < 3 * k + 2; n++) {
                buf_printf(&got, "%s%s", n > 0 ? " " : "",
                           finding_state_word(rounds_entry(&scene, n)->state));
            }
            mend(&scene);
        }
        assert_string_equal(buf_cstr(&got), rows[i].states);
        buf_release(&got);
        rounds_end(&scene);
    }
}

TEST(what_comes_back_is_accepted_below_the_floor)
{
    struct scene scene;

    rounds_until(&scene, 1, "settled", 2);
    rounds_round(&scene, "low a.c:10 odd name", NULL);
    mend(&scene);
    rounds_round(&scene, "b.c:10 deadlock", NULL);
    rounds_states(&scene, "fixed new");
    mend(&scene);
    expect_asked(&scene, "recheck 0 of 1"); /* its floor is medium */
    rounds_round(&scene, "low a.c:10 odd name; low c.c:10 wrong comment", NULL);
    rounds_states(&scene, "regressed fixed noted");
    assert_int_equal(rounds_entry(&scene, 0)->regressions, 1);
    assert_int_equal(scene.engine.lanes[0].state, LANE_REPAIRING);
    rounds_end(&scene);
}

TEST(before_a_repair_the_review_has_what_is_accepted_in_every_wording)
{
    const struct batch *review;
    struct scene scene;

    rounds_until(&scene, 2, "lean", 2);
    rounds_round(&scene, "a.c:10 descriptor not closed when open fails; note n.c:1 a trifle",
                 "a.c:11 open fails and the descriptor leaks");
    review = &scene.engine.lanes[0].review;
    assert_int_equal(review->jobs[0].result.finding_count, 1);
    assert_int_equal(review->jobs[1].result.finding_count, 1);
    assert_true(str_is(review->jobs[0].result.findings[0].text,
                       "descriptor not closed when open fails"));
    assert_true(str_is(review->jobs[1].result.findings[0].text,
                       "open fails and the descriptor leaks"));
    mend(&scene);
    rounds_round(&scene, "low b.c:3 odd; med b.c:90 wrong sign", NULL); /* the floor is medium */
    assert_int_equal(review->count, 1);
    assert_int_equal(review->jobs[0].result.finding_count, 1);
    assert_true(str_is(review->jobs[0].result.findings[0].text, "wrong sign"));
    rounds_end(&scene);
}

/* ---- what cannot be repaired ---- */

TEST(a_finding_that_three_repairs_did_not_resolve_is_parked_and_the_run_is_stuck)
{
    struct scene scene;

    rounds_until(&scene, 1, "settled", 2);
    rounds_round(&scene, "a.c:10 descriptor leaks", NULL);
    for (uint32_t i = 1; i <= 3; i++) {
        rounds_states(&scene, i == 1 ? "new" : "persisting");
        rewrite(&scene, "a.c");
        assert_int_equal(rounds_entry(&scene, 0)->tries, i);
        rounds_round(&scene, "a.c:10 descriptor leaks", NULL);
    }
    rounds_states(&scene, "parked");
    assert_int_equal(rounds_entry(&scene, 0)->rounds_seen, 4);
    expect_end(&scene, REASON_STUCK);
    rounds_end(&scene);
}

TEST(what_is_parked_does_not_keep_the_rest_from_being_repaired)
{
    struct scene scene;

    rounds_until(&scene, 1, "thorough", 2);
    rounds_round(&scene, "a.c:10 descriptor leaks", NULL);
    for (uint32_t i = 0; i < 2; i++) {
        mend(&scene);
        rounds_round(&scene, "a.c:10 descriptor leaks", NULL);
    }
    mend(&scene);
    rounds_round(&scene, "a.c:10 descriptor leaks; b.c:10 deadlock", NULL);
    rounds_states(&scene, "parked new");
    assert_int_equal(scene.engine.lanes[0].review.jobs[0].result.finding_count, 1);
    mend(&scene);
    assert_int_equal(rounds_entry(&scene, 0)->tries, 3);
    rounds_round(&scene, "a.c:10 descriptor leaks", NULL);
    rounds_states(&scene, "parked fixed");
    expect_end(&scene, REASON_STUCK);
    rounds_end(&scene);
}

TEST(a_resume_tries_once_more_what_is_parked)
{
    struct scene scene;

    rounds_until(&scene, 1, "settled", 2);
    rounds_round(&scene, "a.c:10 descriptor leaks", NULL);
    for (uint32_t i = 0; i < 3; i++) {
        mend(&scene);
        rounds_round(&scene, "a.c:10 descriptor leaks", NULL);
    }
    expect_end(&scene, REASON_STUCK);
    rounds_tell(&scene, (struct event){ .kind = EV_RESUME });
    rounds_states(&scene, "persisting");
    assert_int_equal(rounds_entry(&scene, 0)->tries, 0);
    expect_asked(&scene, "recheck 0 of 1");
    rounds_tell(&scene, (struct event){ .kind = EV_DRIFT }); /* which parks nothing again */
    rounds_round(&scene, "a.c:10 descriptor leaks", NULL);
    rounds_states(&scene, "persisting");
    mend(&scene);
    rounds_round(&scene, "", NULL);
    expect_end(&scene, REASON_CONVERGED);
    rounds_end(&scene);
}

/* ---- a repair that changed nothing ---- */

static const char *const mixed = "low a.c:10 odd name; med b.c:10 wrong sign; c.c:10 deadlock";

TEST(after_a_repair_that_changed_nothing_other_eyes_look)
{
    struct scene scene;

    rounds_until(&scene, 1, "settled", 2);
    rounds_round(&scene, mixed, NULL);
    rounds_repair(&scene, (struct rounds_repair){ .unchanged = true, .untouched = mixed });
    expect_asked(&scene, "look 1 of 1");
    rounds_end(&scene);
}

TEST(or_none_and_what_the_fixer_gave_a_reason_for_is_noted_and_the_rest_parked)
{
    static const struct {
        const char *declined, *untouched, *states;
        enum reason end;
    } rows[] = {
        { mixed, NULL, "noted noted parked", REASON_STUCK }, /* a grave one waits for a person */
        { "a.c:10 odd name", "b.c:10 wrong sign; c.c:10 deadlock", "noted parked parked",
          REASON_STUCK },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scene scene;

        rounds_until(&scene, 1, "settled", 1);
        rounds_round(&scene, mixed, NULL);
        rounds_repair(&scene, (struct rounds_repair){ .unchanged = true,
                                                      .declined = rows[i].declined,
                                                      .untouched = rows[i].untouched });
        rounds_states(&scene, rows[i].states);
        expect_end(&scene, rows[i].end);
        rounds_end(&scene);
    }
}

/* As often as the user says that it is to go on: no review is of such a repair. */
TEST(nothing_is_changed_time_and_again_where_the_user_is_asked)
{
    struct scene scene;

    rounds_begin(&scene, 1);
    scene.fixture.phases[0].gate.at_bound = BOUND_ASK;
    plan_until(&scene.fixture.plan, policy_find(STR("settled")), 1, &scene.arena);
    rounds_tell(&scene, (struct event){ .kind = EV_START });
    rounds_round(&scene, "c.c:10 deadlock", NULL);
    for (uint32_t i = 0; i < 4; i++) {
        rounds_repair(&scene, (struct rounds_repair){ .unchanged = true,
                                                      .declined = "c.c:10 deadlock" });
        rounds_states(&scene, "parked");
        expect_end(&scene, REASON_WAITING);
        rounds_tell(&scene, (struct event){ .kind = EV_ANSWER, .choice = CHOICE_CONTINUE });
        rounds_states(&scene, "persisting");
    }
    rounds_end(&scene);
}

TEST(where_all_of_it_is_small_and_declined_the_gate_passes)
{
    struct scene scene;

    rounds_until(&scene, 1, "settled", 1);
    rounds_round(&scene, "low a.c:10 odd name; med b.c:10 wrong sign", NULL);
    rounds_repair(&scene, (struct rounds_repair){
        .unchanged = true, .declined = "a.c:10 odd name; b.c:10 wrong sign" });
    rounds_states(&scene, "noted noted");
    expect_end(&scene, REASON_CONVERGED);
    rounds_end(&scene);
}

/* ---- ends ---- */

TEST(it_has_converged_where_little_is_expected_to_be_left)
{
    struct scene scene;

    rounds_until(&scene, 1, "settled", 2);
    rounds_round(&scene, "", NULL);
    expect_end(&scene, REASON_CONVERGED);
    assert_int_equal(policy_left(&scene.engine, 0, 0), 1500 * 360 / (1700 - 360));
    rounds_end(&scene);
    rounds_until(&scene, 1, "settled", 2);
    rounds_round(&scene, "a.c:10 descriptor leaks; b.c:20 deadlock of locks; c.c:30 overflow",
                 NULL);
    mend(&scene);
    rounds_round(&scene, "", NULL);
    expect_end(&scene, REASON_SETTLED); /* three grave ones: there may be more */
    assert_int_equal(policy_left(&scene.engine, 0, 0), 3900 * 250 / (1700 - 250));
    rounds_end(&scene);
}

TEST(clean_is_said_where_the_last_review_found_nothing)
{
    struct scene scene;

    rounds_until_waived(&scene, "clean", "a.c:3 leak");
    rounds_round(&scene, "med a.c:3 leak", NULL);
    expect_end(&scene, REASON_SETTLED); /* something was found, and is left */
    rounds_end(&scene);
}

/* Each repair leads to the next finding at its place. */
TEST(something_new_at_one_place_in_four_reviews_running_is_oscillating)
{
    static const char *const found[] = { "a.c:10 sign is wrong", "a.c:30 lock is held",
                                         "a.c:20 buffer overflows", "a.c:40 null pointer" };
    struct scene scene;

    rounds_until(&scene, 1, "settled", 2);
    for (uint32_t i = 0; i < 4; i++) {
        rounds_round(&scene, found[i], NULL);
        assert_int_equal(rounds_entry(&scene, i)->streak, i + 1);
        if (i < 3) mend(&scene);
    }
    rounds_states(&scene, "fixed fixed fixed new");
    expect_end(&scene, REASON_OSCILLATING);
    assert_ptr_equal(policy_place(&scene.engine, 0, 0), rounds_entry(&scene, 3));
    rounds_end(&scene);
}

/* A, B, A, B: what comes back continues it as what is new does. */
TEST(two_findings_that_take_turns_are_oscillating)
{
    struct scene scene;

    rounds_until(&scene, 1, "settled", 2);
    for (uint32_t i = 0; i < 4; i++) {
        rounds_round(&scene, i % 2 ? "a.c:12 lock is held" : "a.c:10 sign is wrong", NULL);
        if (i < 3) mend(&scene);
    }
    rounds_states(&scene, "fixed regressed");
    assert_int_equal(rounds_entry(&scene, 0)->regressions, 1);
    expect_end(&scene, REASON_OSCILLATING);
    rounds_end(&scene);
}

TEST(at_other_places_and_at_none_it_is_not)
{
    static const char *const rows[][4] = {
        { "a.c:10 sign is wrong", "a.c:36 lock is held", "a.c:10 overflows", "a.c:36 null" },
        { "a.c:10 sign is wrong", "b.c:10 lock is held", "a.c:10 overflows", "b.c:10 null" },
        { ":0 sign is wrong", ":0 lock is held", ":0 overflows", ":0 null pointer" },
    };

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct scene scene;

        rounds_until(&scene, 1, "settled", 2);
        for (uint32_t i = 0; i < 4; i++) {
            rounds_round(&scene, rows[k][i], NULL);
            assert_true(rounds_entry(&scene, i)->streak <= 1);
            mend(&scene);
        }
        assert_int_equal(scene.engine.state, ENGINE_RUNNING);
        rounds_end(&scene);
    }
}

/* The place moves with the lines in front of it. */
TEST(a_place_is_followed_where_lines_move)
{
    struct scene scene;

    rounds_until(&scene, 1, "settled", 2);
    rounds_round(&scene, "a.c:10 sign is wrong", NULL);
    rounds_repair(&scene, (struct rounds_repair){
        .moved = rounds_moved(&scene, "a.c", "b.c", (struct line_hunk){ 0, 0, 1, 500 }) });
    rounds_round(&scene, "b.c:510 lock is held", NULL);
    assert_int_equal(rounds_entry(&scene, 1)->streak, 2);
    rounds_end(&scene);
}

/* Every repair adds two for the one that it resolves. */
TEST(clean_is_diverging_where_the_repairs_add_as_much_as_they_resolve)
{
    struct scene scene;

    rounds_until(&scene, 1, "clean", 2);
    rounds_round(&scene, "a.c:10 sign is wrong", NULL);
    rewrite(&scene, "a.c");
    rounds_round(&scene, "a.c:100 lock is held; a.c:200 overflows", NULL);
    assert_int_equal(rounds_entry(&scene, 1)->cause_round, 1);
    rewrite(&scene, "a.c");
    rounds_round(&scene, "a.c:300 null pointer; a.c:400 wrong index", NULL);
    expect_end(&scene, REASON_DIVERGING);
    rounds_end(&scene);
}

TEST(and_it_is_not_where_they_come_from_the_change)
{
    struct scene scene;

    rounds_until(&scene, 1, "clean", 2);
    rounds_round(&scene, "a.c:10 sign is wrong", NULL);
    mend(&scene);
    rounds_round(&scene, "a.c:100 lock is held; a.c:200 overflows", NULL);
    mend(&scene);
    rounds_round(&scene, "a.c:300 null pointer; a.c:400 wrong index", NULL);
    assert_int_equal(scene.engine.state, ENGINE_RUNNING);
    rounds_end(&scene);
}

TEST(reviews_are_bounded)
{
    static const struct {
        const char *policy;
        uint32_t reviews;
    } rows[] = { { "settled", 5 }, { "lean", 7 }, { "thorough", 7 }, { "clean", 20 } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scene scene;
        uint32_t reviews = 0;

        rounds_until(&scene, 1, rows[i].policy, 2);
        while (scene.engine.state == ENGINE_RUNNING) {
            char found[40];

            snprintf(found, sizeof found, "f%" PRIu32 ".c:10 thing %" PRIu32, reviews, reviews);
            rounds_round(&scene, found, NULL);
            reviews++;
            if (scene.engine.lanes[0].state == LANE_REPAIRING) mend(&scene);
            assert_true(reviews <= 20);
        }
        expect_end(&scene, REASON_BOUND);
        assert_int_equal(reviews, rows[i].reviews);
        assert_int_equal(scene.engine.lanes[0].tallies[0].repairs, rows[i].reviews - 1);
        rounds_end(&scene);
    }
}

TEST(a_reviewer_that_fails_or_breaks_its_contract_settles_nothing)
{
    struct scene scene;

    rounds_until(&scene, 1, "settled", 2);
    rounds_round(&scene, "a.c:10 descriptor leaks", NULL);
    mend(&scene);
    rounds_tell_review(&scene, 3, 1, VERDICT_INVALID, "");
    rounds_states(&scene, "new");
    rounds_tell_review(&scene, 3, 2, VERDICT_INVALID, "");
    expect_end(&scene, REASON_FAILED);
    rounds_states(&scene, "new");
    rounds_end(&scene);
}
