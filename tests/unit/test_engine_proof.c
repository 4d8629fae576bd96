/* SPDX-License-Identifier: Apache-2.0
 *
 * test_engine_proof.c - a repair is proven before the review looks; one that made things worse is
 * taken back, and its findings are tried again or parked. */
#include "story.h"
#include "test.h"

static const struct plan_size one = { .reviewers = 1, .repairs = 4, .invalid_max = 1,
                                      .failed_max = 1 };

enum { CRITIC = 1 };

/* A run of review until "settled", whose repairs are proven: by a test, and by its critic, where
 * that is an analyzer. */
static void story_begin_by(struct story *story, bool test, bool analyzer, struct arena *arena)
{
    struct plan *plan = &story->fixture.plan;
    bool first[FIXTURE_ROLES] = { [CRITIC] = analyzer };

    story_begin(story, PLAN_REVIEW, one);
    plan_until(plan, policy_find(STR("settled")), 1, arena);
    if (test) plan_prove(plan, "proof", arena);
    plan_first(plan, first, arena);
    assert_null(plan_problem(plan));
    assert_int_equal(plan->phases[0].gate.reviewers[0], CRITIC);
    engine_release(&story->engine);
    engine_init(&story->engine, plan);
}

static void proven_begin(struct story *story, struct arena *arena)
{
    story_begin_by(story, true, false, arena);
}

TEST(a_repair_is_proven_before_it_and_after_it)
{
    struct arena arena = { 0 };
    struct story story;

    proven_begin(&story, &arena);
    story_skip(&story, "start");
    story_play(&story, "1 high leak, 2 clean, 3 clean, 4 clean",
               "[   10] critic 1.1 findings 1\n"
               "          start 2.1 proof: proof, R1, round 1\n"
               "[   20] proof 2.1 clean\n"
               "          start 3.1 review-fixer: repair, R2, round 1\n"
               "[   30] review-fixer 3.1 clean\n"
               "          start 4.1 proof: proof, R1, round 1, copy 2\n"
               "[   40] proof 4.1 clean\n"
               "          start 5.1 critic: review, R1, round 2\n");
    assert_int_equal(story.engine.lanes[0].proof, PROOF_HOLDS);
    /* What holds after one repair held before the next. */
    story_play(&story, "5 high race",
               "[   50] critic 5.1 findings 1\n"
               "          start 6.1 review-fixer: repair, R2, round 2\n");
    story_end(&story);
    arena_release(&arena);
}

TEST(a_repair_that_made_things_worse_is_tried_again_without_a_review)
{
    struct arena arena = { 0 };
    const struct ledger_entry *entries;
    struct story story;

    proven_begin(&story, &arena);
    story_skip(&story, "start, 1 high leak, 2 clean, 3 clean");
    story_play(&story, "4 worse",
               "[   40] proof 4.1 findings\n"
               "          start 5.1 review-fixer: repair, R2, round 1\n");
    assert_true(story.engine.lanes[0].repair.jobs[0].result.taken_back);
    assert_true(str_is(story.engine.lanes[0].repair.jobs[0].result.problem, "it broke"));
    assert_int_equal(ledger_of_lane(&story.engine.ledger, 0, &entries), 1);
    assert_int_equal(entries[0].tries, 1);
    assert_int_equal(entries[0].doubt, DOUBT_UNTOUCHED);
    story_skip(&story, "5 clean, 6 worse, 7 clean");
    (void)ledger_of_lane(&story.engine.ledger, 0, &entries);
    assert_int_equal(entries[0].tries, 3);
    /* So often is enough: it is parked, and waits for a person. */
    story_play(&story, "8 worse",
               "[   80] proof 8.1 findings\n"
               "          finish stuck\n");
    (void)ledger_of_lane(&story.engine.ledger, 0, &entries);
    assert_int_equal(entries[0].state, FINDING_PARKED);
    story_end(&story);
    arena_release(&arena);
}

/* The bound is passed over, and the run goes on with something else: no proof is left behind. */
TEST(a_proof_is_over_when_its_repair_was_taken_back)
{
    struct arena arena = { 0 };
    struct phase phases[2];
    struct story story;

    proven_begin(&story, &arena);
    phases[0] = phases[1] = story.fixture.plan.phases[0];
    phases[0].gate.at_bound = BOUND_PROCEED;
    phases[0].gate.repair_max = 1;
    phases[1].gate.recheck = 1;
    story.fixture.plan.phases = phases;
    story.fixture.plan.phase_count = 2;
    engine_release(&story.engine);
    engine_init(&story.engine, &story.fixture.plan);
    story_skip(&story, "start, 1 high leak, 2 clean, 3 clean, 4 worse");
    assert_int_equal(story.engine.lanes[0].phase, 1);
    assert_int_equal(story.engine.lanes[0].now.jobs[0].purpose, FOR_REVIEW);
    story_end(&story);

    proven_begin(&story, &arena);
    story_skip(&story, "start, 1 high leak, 2 clean, 3 clean, 4 worse, 5 clean, 6 worse, 7 clean, "
                       "8 worse");
    assert_int_equal(story.engine.reason, REASON_STUCK);
    assert_int_equal(story.engine.lanes[0].now.count, 0);
    story_end(&story);
    arena_release(&arena);
}

/* An analyzer that reviews twice proves once. */
TEST(each_prover_is_asked_once)
{
    static const uint16_t twice[] = { CRITIC, CRITIC };
    struct arena arena = { 0 };
    struct phase phase;
    struct story story;

    story_begin_by(&story, true, true, &arena);
    phase = story.fixture.plan.phases[0];
    phase.gate.reviewers = twice;
    phase.gate.reviewer_count = 2;
    story.fixture.plan.phases = &phase;
    assert_int_equal(plan_prover(&story.fixture.plan, 0, ROLE_NONE), CRITIC);
    assert_int_equal(plan_prover(&story.fixture.plan, 0, CRITIC), phase.gate.prover);
    assert_int_equal(plan_prover(&story.fixture.plan, 0, phase.gate.prover), ROLE_NONE);
    story_end(&story);
    arena_release(&arena);
}

TEST(what_failed_before_is_known_until_the_tree_changes)
{
    struct arena arena = { 0 };
    struct story story;

    proven_begin(&story, &arena);
    story_skip(&story, "start, 1 high leak, 2 findings");
    assert_int_equal(story.engine.lanes[0].proof, PROOF_FAILS);
    story_skip(&story, "3 clean, 4 findings");
    assert_int_equal(story.engine.lanes[0].proof, PROOF_FAILS);
    story_play(&story, "drift, 5 high race",
               "[   50] drift\n"
               "[   60] critic 5.1 findings 1\n"
               "          start 6.1 proof: proof, R1, round 2\n");
    story_end(&story);
    arena_release(&arena);
}

TEST(an_analyzer_proves_by_what_its_review_said_before)
{
    struct arena arena = { 0 };
    struct story story;

    story_begin_by(&story, false, true, &arena);
    story_skip(&story, "start");
    story_play(&story, "1 high leak, 2 clean, 3 worse",
               "[   10] critic 1.1 findings 1\n"
               "          start 2.1 review-fixer: repair, R2, round 1\n"
               "[   20] review-fixer 2.1 clean\n"
               "          start 3.1 critic: proof, R1, round 1, copy 2\n"
               "[   30] critic 3.1 findings\n"
               "          start 4.1 review-fixer: repair, R2, round 1\n");
    /* The tree is as it was: what is known of it still is. */
    assert_non_null(lane_known(&story.engine.lanes[0], CRITIC));
    assert_int_equal(story.engine.calls, 3); /* proofs are none */
    story_play(&story, "4 clean, 5 clean",
               "[   40] review-fixer 4.1 clean\n"
               "          start 5.1 critic: proof, R1, round 1, copy 2\n"
               "[   50] critic 5.1 clean\n"
               "          start 6.1 critic: review, R1, round 2\n");
    assert_null(lane_known(&story.engine.lanes[0], CRITIC));
    story_end(&story);
    arena_release(&arena);
}

TEST(analyzers_prove_before_the_test)
{
    struct arena arena = { 0 };
    struct story story;

    story_begin_by(&story, true, true, &arena);
    story_skip(&story, "start, 1 high leak, 2 findings");
    story_play(&story, "3 clean, 4 clean, 5 findings",
               "[   30] review-fixer 3.1 clean\n"
               "          start 4.1 critic: proof, R1, round 1, copy 2\n"
               "[   40] critic 4.1 clean\n"
               "          start 5.1 proof: proof, R1, round 1, copy 2\n"
               "[   50] proof 5.1 findings 1\n"
               "          start 6.1 critic: review, R1, round 2\n");
    assert_int_equal(story.engine.lanes[0].proof, PROOF_FAILS); /* the test's, not the analyzer's */
    story_end(&story);
    arena_release(&arena);
}

TEST(what_an_analyzer_said_is_forgotten_when_the_tree_changes)
{
    struct arena arena = { 0 };
    struct story story;

    story_begin_by(&story, false, true, &arena);
    story_skip(&story, "start, 1 high leak, drift");
    assert_null(lane_known(&story.engine.lanes[0], CRITIC));
    story_play(&story, "2 clean, 3 worse",
               "[   30] review-fixer 2.1 clean\n"
               "          start 3.1 critic: proof, R1, round 1, copy 2\n"
               "[   40] critic 3.1 findings\n"
               "          start 4.1 critic: review, R1, round 2\n");
    story_end(&story);
    arena_release(&arena);
}

TEST(a_proof_wants_a_policy)
{
    struct fixture fixture;
    struct arena arena = { 0 };
    struct phase phases[FIXTURE_PHASES];

    plans_make(&fixture, PLAN_REVIEW, &one);
    plan_prove(&fixture.plan, "proof", &arena); /* no gate has one: nothing is proven */
    assert_int_equal(fixture.plan.phases[0].gate.prover, ROLE_NONE);
    phases[0] = fixture.plan.phases[0];
    phases[0].gate.prover = 1;
    fixture.plan.phases = phases;
    assert_non_null(plan_problem(&fixture.plan));
    arena_release(&arena);
}
