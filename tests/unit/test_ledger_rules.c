/* SPDX-License-Identifier: Apache-2.0
 *
 * test_ledger_rules.c - the numbered sentences of ledger.c, one after the other: what is one fault,
 * whose votes stand, what is fixed, what a repair caused, what is waived. */
#include "core/ledger.h"

#include "ledger_scene.h"
#include "test.h"

/* A repair that touched what it was to touch, and moved no line. */
static void mend(struct scene *scene)
{
    rounds_repair(scene, (struct rounds_repair){ 0 });
}

/* ---- the order of reviewers, and reviews that are void ---- */

static const char *const first_round[3] = {
    "a.c:10 descriptor not closed when open fails; low c.c:7 odd name",
    "med a.c:11 open fails and the descriptor leaks; b.c:30 deadlock of the two locks; x.c:1 leak",
    "a.c:10 the descriptor leaks if open fails; x.c:1 leak; x.c:2 leak",
};
static const char *const second_round[3] = {
    "a.c:12 the open descriptor is never closed on failure; d.c:3 leak",
    "b.c:31 the two locks are taken in either order: deadlock; d.c:3 leak of memory",
    "note x.c:2 leak; d.c:5 memory leak",
};

static struct buf played_in_order(const uint32_t order[3], bool policy)
{
    struct scene scene;
    struct buf out;

    if (policy) {
        rounds_until(&scene, 3, "settled", 2);
    } else {
        rounds_begin(&scene, 3);
        rounds_tell(&scene, (struct event){ .kind = EV_START });
    }
    for (uint32_t i = 0; i < 3; i++) rounds_answer(&scene, order[i], first_round[order[i]]);
    rounds_repair(&scene, (struct rounds_repair){
        .moved = rounds_moved(&scene, "a.c", "a.c", (struct line_hunk){ 1, 0, 2, 2 }) });
    for (uint32_t i = 0; i < 3; i++) rounds_answer(&scene, order[i], second_round[order[i]]);
    out = rounds_print(&scene);
    rounds_end(&scene);
    return out;
}

TEST(the_order_in_which_reviewers_answer_decides_nothing)
{
    static const uint32_t orders[][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
                                          { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };

    for (uint32_t policy = 0; policy < 2; policy++) {
        struct buf wanted = played_in_order(orders[0], policy);

        assert_true(wanted.size > 500);
        for (size_t i = 1; i < sizeof orders / sizeof *orders; i++) {
            struct buf out = played_in_order(orders[i], policy);

            assert_string_equal(buf_cstr(&out), buf_cstr(&wanted));
            buf_release(&out);
        }
        buf_release(&wanted);
    }
}

TEST(a_void_review_leaves_nothing_behind)
{
    struct scene scene;
    struct buf before, after;

    rounds_until(&scene, 3, "settled", 2);
    for (uint32_t i = 0; i < 3; i++) rounds_answer(&scene, i, first_round[i]);
    mend(&scene);
    before = rounds_print(&scene);
    rounds_answer(&scene, 1, second_round[1]);
    rounds_answer(&scene, 0, second_round[0]);
    after = rounds_print(&scene);
    assert_string_not_equal(buf_cstr(&after), buf_cstr(&before));
    buf_release(&after);
    rounds_tell(&scene, (struct event){ .kind = EV_DRIFT });
    after = rounds_print(&scene);
    assert_string_equal(buf_cstr(&after), buf_cstr(&before));
    buf_release(&after);
    buf_release(&before);
    rounds_end(&scene);
}

/* ---- 1: what is one fault ---- */

/* Two faults of the same words, told apart by what they quote; then one that quotes nothing, on
 * the line of the other's. */
TEST(a_review_is_compared_with_what_its_own_role_reported_first)
{
    struct scene scene;

    rounds_begin(&scene, 2);
    rounds_tell(&scene, (struct event){ .kind = EV_START });
    rounds_round(&scene, "a.c:10 leak [p = malloc(1)", "a.c:12 leak [q = malloc(2)");
    assert_int_equal(rounds_count(&scene), 2);
    mend(&scene);
    rounds_answer(&scene, 0, "a.c:12 leak");
    rounds_expect(&scene, "persisting critic a.c:12 leak 1-2\n"
                          "persisting pedant a.c:12 leak 1-1\n");
    rounds_end(&scene);
}

TEST(then_what_is_left_with_what_others_reported)
{
    struct scene scene;

    rounds_begin(&scene, 2);
    rounds_tell(&scene, (struct event){ .kind = EV_START });
    rounds_round(&scene, "a.c:10 descriptor leaks when open fails", "");
    mend(&scene);
    rounds_round(&scene, "", "a.c:10 the descriptor is leaked if open fails");
    rounds_expect(&scene, "persisting critic a.c:10 the descriptor is leaked if open fails 1-2\n");
    assert_int_equal(rounds_entry(&scene, 0)->vote_count, 2);
    assert_false(rounds_entry(&scene, 0)->votes[0].stands);
    assert_true(rounds_entry(&scene, 0)->votes[1].stands);
    assert_int_equal(rounds_entry(&scene, 0)->rounds_seen, 2);
    rounds_end(&scene);
}

TEST(one_role_on_two_backends_has_two_votes_and_on_one_it_has_one)
{
    const struct ledger_entry *entry;
    struct scene scene;

    rounds_until(&scene, 1, "settled", 2);
    scene.by = "claude";
    rounds_round(&scene, "a.c:10 descriptor leaks when open fails", NULL);
    mend(&scene);
    scene.by = "codex";
    rounds_round(&scene, "a.c:10 the descriptor is leaked if open fails", NULL);
    entry = rounds_entry(&scene, 0);
    assert_int_equal(entry->vote_count, 2);
    assert_true(str_is(entry->votes[0].by, "claude") && !entry->votes[0].stands);
    assert_true(str_is(entry->votes[1].by, "codex") && entry->votes[1].stands);
    assert_true(str_is(entry->votes[0].finding.text, "descriptor leaks when open fails"));
    mend(&scene);
    scene.by = "claude";
    rounds_round(&scene, "a.c:10 descriptor leaks when open fails", NULL);
    entry = rounds_entry(&scene, 0);
    assert_int_equal(rounds_count(&scene), 1);
    assert_int_equal(entry->vote_count, 2);
    assert_int_equal(entry->votes[0].round, 3);
    assert_true(entry->votes[0].stands && !entry->votes[1].stands);
    rounds_end(&scene);
}

/* ---- 2, 3: whose votes stand, and what is fixed ---- */

TEST(under_a_policy_a_whole_round_covers_everything)
{
    struct scene scene;

    rounds_until(&scene, 2, "lean", 2);
    rounds_round(&scene, "a.c:3 leak", "b.c:40 race");
    mend(&scene);
    assert_int_equal(scene.engine.lanes[0].now.count, 1); /* the checker alone: it has no race */
    rounds_round(&scene, "a.c:3 leak", NULL);
    rounds_states(&scene, "persisting fixed");
    rounds_end(&scene);
}

/* It is asked again, and fails for good: what it reported stands. */
TEST(without_a_policy_what_a_role_did_not_look_at_again_persists)
{
    struct scene scene;

    rounds_begin(&scene, 2);
    rounds_tell(&scene, (struct event){ .kind = EV_START });
    rounds_round(&scene, "a.c:3 leak", "b.c:40 race");
    mend(&scene);
    rounds_answer(&scene, 0, "c.c:1 other");
    rounds_states(&scene, "fixed persisting new");
    rounds_end(&scene);
}

static const char *const three = "med a.c:3 leak; med b.c:4 race; c.c:5 overflow";

TEST(under_a_policy_nothing_is_fixed_that_was_not_touched)
{
    struct scene scene;

    rounds_until(&scene, 1, "settled", 2);
    rounds_round(&scene, three, NULL);
    rounds_repair(&scene, (struct rounds_repair){ .untouched = "b.c:4 race; c.c:5 overflow" });
    rounds_round(&scene, "", NULL);
    rounds_states(&scene, "fixed persisting persisting");
    assert_int_equal(rounds_entry(&scene, 1)->doubt, DOUBT_UNTOUCHED);
    /* They are repaired again, though no reviewer named them in this round. */
    assert_int_equal(scene.engine.lanes[0].state, LANE_REPAIRING);
    assert_int_equal(scene.engine.lanes[0].review.jobs[0].result.finding_count, 2);
    mend(&scene);
    rounds_round(&scene, "", NULL);
    rounds_states(&scene, "fixed fixed fixed");
    rounds_end(&scene);
}

/* Also where no reviewer names it again: three repairs that did not touch it are enough. */
TEST(what_three_repairs_did_not_touch_is_parked)
{
    struct scene scene;

    rounds_until(&scene, 1, "settled", 2);
    rounds_round(&scene, "a.c:3 leak", NULL);
    for (uint32_t i = 0; i < 2; i++) {
        rounds_repair(&scene, (struct rounds_repair){ .untouched = "a.c:3 leak" });
        rounds_round(&scene, "", NULL);
        rounds_states(&scene, "persisting");
    }
    rounds_repair(&scene, (struct rounds_repair){ .untouched = "a.c:3 leak" });
    rounds_round(&scene, "", NULL);
    rounds_states(&scene, "parked");
    assert_int_equal(scene.engine.reason, REASON_STUCK);
    rounds_end(&scene);
}

TEST(what_the_fixer_gave_a_reason_for_is_noted_but_for_a_grave_one_which_is_parked)
{
    struct scene scene;

    rounds_until(&scene, 1, "settled", 2);
    rounds_round(&scene, three, NULL);
    rounds_repair(&scene, (struct rounds_repair){ .declined = "b.c:4 race; c.c:5 overflow" });
    rounds_round(&scene, "", NULL);
    rounds_states(&scene, "fixed noted parked");
    assert_int_equal(scene.engine.reason, REASON_STUCK);
    rounds_end(&scene);
}

/* Another backend has looked, and does not report it either. */
TEST(a_grave_one_is_noted_where_other_eyes_do_not_report_it_either)
{
    struct scene scene;

    rounds_until(&scene, 1, "settled", 2);
    scene.by = "claude";
    rounds_round(&scene, "c.c:5 overflow", NULL);
    rounds_repair(&scene, (struct rounds_repair){ .declined = "c.c:5 overflow" });
    scene.by = "codex";
    rounds_round(&scene, "", NULL);
    rounds_states(&scene, "noted");
    assert_int_equal(scene.engine.reason, REASON_CONVERGED);
    rounds_end(&scene);
}

/* Who reported what was given is not known: it may have been the one that looks now. */
TEST(a_grave_one_that_was_given_is_parked)
{
    struct scene scene;
    struct finding *given;
    struct event event = { .kind = EV_START };

    rounds_until_waiting(&scene, 1, "settled", 2);
    event.result.finding_count = rounds_findings("c.c:5 overflow", &scene.arena, &given);
    event.result.findings = given;
    rounds_tell(&scene, event);
    rounds_repair(&scene, (struct rounds_repair){ .declined = "c.c:5 overflow" });
    scene.by = "claude";
    rounds_round(&scene, "", NULL);
    rounds_states(&scene, "parked");
    assert_int_equal(scene.engine.reason, REASON_STUCK);
    rounds_end(&scene);
}

/* A reason hides nothing: it is no waiver. */
TEST(what_the_fixer_gave_a_reason_for_is_open_again_where_it_is_reported_again)
{
    struct scene scene;

    rounds_until(&scene, 1, "settled", 2);
    rounds_round(&scene, three, NULL);
    rounds_repair(&scene, (struct rounds_repair){ .declined = "b.c:4 race; c.c:5 overflow" });
    rounds_round(&scene, "c.c:5 overflow", NULL);
    rounds_states(&scene, "fixed noted persisting");
    assert_int_equal(scene.engine.lanes[0].state, LANE_REPAIRING);
    rounds_end(&scene);
}

TEST(what_was_declined_and_is_reported_again_persists)
{
    struct scene scene;

    rounds_until(&scene, 1, "settled", 2);
    rounds_round(&scene, three, NULL);
    rounds_repair(&scene, (struct rounds_repair){ .declined = "b.c:4 race; c.c:5 overflow" });
    rounds_round(&scene, "med b.c:4 race; c.c:5 overflow", NULL);
    rounds_states(&scene, "fixed persisting persisting");
    rounds_end(&scene);
}

TEST(without_a_policy_the_reviewers_word_counts_and_nothing_proves_it)
{
    struct scene scene;

    rounds_begin(&scene, 1);
    rounds_tell(&scene, (struct event){ .kind = EV_START });
    rounds_round(&scene, three, NULL);
    rounds_repair(&scene, (struct rounds_repair){ .declined = "b.c:4 race",
                                                  .untouched = "c.c:5 overflow" });
    rounds_round(&scene, "", NULL);
    rounds_states(&scene, "fixed fixed fixed");
    assert_int_equal(rounds_entry(&scene, 0)->doubt, DOUBT_NONE);
    assert_int_equal(rounds_entry(&scene, 1)->doubt, DOUBT_DECLINED);
    assert_int_equal(rounds_entry(&scene, 2)->doubt, DOUBT_UNTOUCHED);
    assert_int_equal(scene.engine.reason, REASON_CLEAN);
    rounds_end(&scene);
}

/* It moved no line in the end, and was a try. */
TEST(what_was_taken_back_so_often_is_parked)
{
    struct ledger *ledger;
    struct scene scene;

    rounds_until(&scene, 1, "settled", 2);
    ledger = &scene.engine.ledger;
    rounds_round(&scene, "med a.c:3 leak", NULL);
    rounds_repair(&scene, (struct rounds_repair){
        .moved = rounds_moved(&scene, "a.c", "a.c", (struct line_hunk){ 1, 5, 1, 50 }) });
    assert_int_equal(rounds_entry(&scene, 0)->tries, 1);
    ledger_take_back(ledger, 0, 0, 2);
    rounds_states(&scene, "new");
    assert_int_equal(rounds_entry(&scene, 0)->doubt, DOUBT_UNTOUCHED);
    ledger_take_back(ledger, 0, 0, 1);
    rounds_states(&scene, "parked");
    rounds_round(&scene, "med a.c:4 race", NULL);
    assert_int_equal(rounds_entry(&scene, 0)->finding.line, 3);  /* the tree is as it was */
    assert_int_equal(rounds_entry(&scene, 1)->cause_round, 0);
    rounds_end(&scene);
}

/* ---- 4: places and causes ---- */

/* Without what the repair says of lines, a.c:300 would be the second. */
TEST(a_repair_carries_all_places_to_where_they_are_now)
{
    struct scene scene;

    rounds_begin(&scene, 1);
    rounds_tell(&scene, (struct event){ .kind = EV_START });
    rounds_round(&scene, "a.c:100 leak; a.c:300 leak; b.c:100 leak", NULL);
    rounds_repair(&scene, (struct rounds_repair){
        .moved = rounds_moved(&scene, "a.c", "a.c", (struct line_hunk){ 0, 0, 1, 200 }) });
    rounds_round(&scene, "a.c:300 leak; b.c:100 leak", NULL);
    rounds_expect(&scene, "persisting critic a.c:300 leak 1-2\n"
                          "persisting critic b.c:100 leak 1-2\n"
                          "fixed critic a.c:500 leak 1-1\n");
    assert_int_equal(rounds_entry(&scene, 0)->line_first, 100);
    rounds_end(&scene);
}

TEST(and_to_the_name_that_their_file_has_now)
{
    uint64_t name;
    struct scene scene;

    rounds_begin(&scene, 1);
    rounds_tell(&scene, (struct event){ .kind = EV_START });
    rounds_round(&scene, "a.c:10 descriptor leaks when open fails", NULL);
    name = rounds_entry(&scene, 0)->fingerprint;
    rounds_repair(&scene, (struct rounds_repair){
        .moved = rounds_moved(&scene, "a.c", "lib/b.c", (struct line_hunk){ 1, 5, 0, 0 }) });
    rounds_round(&scene, "lib/b.c:5 the descriptor is leaked if open fails", NULL);
    rounds_expect(&scene,
                  "persisting critic lib/b.c:5 the descriptor is leaked if open fails 1-2\n");
    assert_int_equal(rounds_entry(&scene, 0)->fingerprint, name);
    mend(&scene);
    rounds_round(&scene, "lib/b.c:5 descriptor leaks when open fails", NULL);
    assert_int_equal(rounds_count(&scene), 1);
    rounds_end(&scene);
}

/* Line 10 became sixty lines: what is told of one of them, in some of the words, is near. */
TEST(what_lies_in_one_hunk_of_the_repair_is_near)
{
    static const struct { const char *again; uint32_t count; } rows[] = {
        { "a.c:60 alpha bravo echo golf zulu", 1 },
        { "a.c:75 alpha bravo echo golf zulu", 2 }, /* behind it */
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scene scene;

        rounds_begin(&scene, 1);
        rounds_tell(&scene, (struct event){ .kind = EV_START });
        rounds_round(&scene, "a.c:10 alpha bravo kilo", NULL);
        rounds_repair(&scene, (struct rounds_repair){
            .moved = rounds_moved(&scene, "a.c", "a.c", (struct line_hunk){ 10, 1, 10, 60 }) });
        rounds_round(&scene, rows[i].again, NULL);
        assert_int_equal(rounds_count(&scene), rows[i].count);
        rounds_end(&scene);
    }
}

/* What has no word to compare, as what a tool says, is one by its fingerprint; and that is of the
 * file, too. */
TEST(and_so_is_what_only_the_same_words_make_one)
{
    struct scene scene;

    rounds_until_waived(&scene, "settled", "med a.c:50 so it is");
    rounds_round(&scene, "med a.c:10 it is so; med a.c:50 so it is", NULL);
    rounds_states(&scene, "new waived");
    rounds_repair(&scene, (struct rounds_repair){
        .moved = rounds_moved(&scene, "a.c", "b.c", (struct line_hunk){ 1, 0, 2, 2 }) });
    rounds_round(&scene, "med b.c:12 it is so; med b.c:52 so it is", NULL);
    rounds_states(&scene, "persisting waived");
    rounds_end(&scene);
}

TEST(what_is_new_and_lies_in_what_the_repair_wrote_is_caused_by_it)
{
    static const struct {
        const char *found;
        uint32_t cause;
    } rows[] = {
        { "a.c:50 new", 1 }, { "a.c:52 new", 1 }, { "./a.c:51 new", 1 },
        { "a.c:47 new", 1 },                      /* three lines in front of it */
        { "a.c:46 new", 0 },
        { "a.c:55 new", 1 }, { "a.c:56 new", 0 }, /* and behind it */
        { "a.c:0 new", 1 },                       /* somewhere in the file */
        { "b.c:50 new", 0 }, { "old.c:50 new", 0 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scene scene;

        rounds_begin(&scene, 1);
        rounds_tell(&scene, (struct event){ .kind = EV_START });
        rounds_round(&scene, "z.c:1 old", NULL);
        assert_int_equal(rounds_entry(&scene, 0)->cause_round, 0);
        rounds_repair(&scene, (struct rounds_repair){
            .moved = rounds_moved(&scene, "old.c", "a.c", (struct line_hunk){ 7, 1, 50, 3 }) });
        rounds_round(&scene, rows[i].found, NULL);
        if (rounds_entry(&scene, 1)->cause_round != rows[i].cause) fail_msg("%s", rows[i].found);
        mend(&scene); /* which wrote nothing */
        rounds_round(&scene, "a.c:51 newer", NULL);
        assert_int_equal(rounds_entry(&scene, 2)->cause_round, 0);
        rounds_end(&scene);
    }
}

/* ---- tries ---- */

/* Two gates, one behind the other: each has a first round. */
static void two_gates(struct scene *scene)
{
    scene->fixture.phases[1] = scene->fixture.phases[0];
    scene->fixture.phases[1].gate.recheck = 1;
    scene->fixture.plan.phase_count = 2;
    assert_null(plan_problem(&scene->fixture.plan));
    engine_release(&scene->engine);
    engine_init(&scene->engine, &scene->fixture.plan);
}

TEST(the_first_repair_of_each_gate_is_a_try)
{
    struct scene scene;

    rounds_begin(&scene, 1);
    two_gates(&scene);
    rounds_tell(&scene, (struct event){ .kind = EV_START });
    rounds_round(&scene, "a.c:3 leak", NULL);
    mend(&scene);
    rounds_round(&scene, "", NULL);
    assert_int_equal(scene.engine.lanes[0].phase, 1);
    rounds_round(&scene, "a.c:3 leak", NULL);
    rounds_repair(&scene, (struct rounds_repair){ .untouched = "a.c:3 leak" });
    assert_int_equal(rounds_entry(&scene, 0)->tries, 1);
    assert_int_equal(rounds_entry(&scene, 1)->phase, 1);
    assert_int_equal(rounds_entry(&scene, 1)->tries, 1);
    assert_int_equal(rounds_entry(&scene, 1)->doubt, DOUBT_UNTOUCHED);
    rounds_end(&scene);
}

/* Two gates under a policy; the second sends its repairs back to the first, which has passed. */
static void second_gate(struct scene *scene, struct phase phases[2])
{
    rounds_until_waiting(scene, 1, "settled", 1);
    phases[0] = phases[1] = scene->fixture.plan.phases[0];
    phases[0].gate.mints = 1;
    scene->fixture.plan.phases = phases;
    scene->fixture.plan.phase_count = 2;
    assert_null(plan_problem(&scene->fixture.plan));
    engine_release(&scene->engine);
    engine_init(&scene->engine, &scene->fixture.plan);
    rounds_tell(scene, (struct event){ .kind = EV_START });
    rounds_round(scene, "", NULL);
    assert_int_equal(scene->engine.lanes[0].phase, 1);
    rounds_round(scene, "a.c:3 leak", NULL);
}

/* No reviewer looks twice at the same tree. */
TEST(a_repair_that_changes_nothing_sends_no_gate_before_it_to_look_again)
{
    struct phase phases[2];
    struct scene scene;

    second_gate(&scene, phases);
    rounds_repair(&scene, (struct rounds_repair){ .unchanged = true });
    assert_int_equal(scene.engine.lanes[0].tallies[0].rounds, 1);
    assert_int_equal(scene.engine.lanes[0].mints, 1);
    assert_int_equal(scene.engine.reason, REASON_STUCK);
    rounds_end(&scene);

    second_gate(&scene, phases);
    mend(&scene); /* one that changes something does */
    assert_int_equal(scene.engine.lanes[0].phase, 0);
    assert_int_equal(scene.engine.lanes[0].mints, 0);
    rounds_end(&scene);
}

/* ---- waivers ---- */

TEST(a_waiver_holds_for_what_is_not_grave)
{
    static const struct {
        const char *waiver, *found, *states;
    } rows[] = {
        { "a.c:3 leak", "med a.c:3 leak", "waived" },
        { "a.c:3 leak", "med a.c:6 leak", "waived" },           /* at the place, or nearly */
        { "a.c:3 leak", "med a.c:7 leak", "new" },              /* other code */
        { "grave a.c:3 leak", "a.c:30 leak", "new" },
        { "grave a.c:3 leak", "a.c:0 leak", "new" },            /* it is not said which code */
        { "a.c:3 leak", "a.c:3 leak", "new" },                  /* it is grave */
        { "grave a.c:3 leak", "a.c:3 leak", "waived" },         /* a person has accepted that */
        { "a.c:3 leak", "med b.c:3 leak", "new" },
        { "a.c:3 leak", "med a.c:3 race", "new" },
        { "a.c:10 descriptor leaks when open fails",
          "med a.c:10 the descriptor is leaked if open fails", "waived" },
        { "a.c:3 leak [p", "med a.c:3 leak [p; med a.c:9 leak [q", "waived new" },
        { "", "med a.c:3 leak", "new" },                        /* it is over: it is not told */
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scene scene;

        rounds_until_waived(&scene, "settled", rows[i].waiver);
        rounds_round(&scene, rows[i].found, NULL);
        rounds_states(&scene, rows[i].states);
        if (rows[i].states[0] == 'w') assert_true(str_is(rounds_entry(&scene, 0)->waiver, "w1"));
        rounds_end(&scene);
    }
}

TEST(a_waived_finding_stays_waived_and_needs_no_repair)
{
    struct scene scene;

    rounds_until_waived(&scene, "settled", "a.c:3 leak");
    rounds_round(&scene, "med a.c:3 leak; med b.c:9 race", NULL);
    rounds_states(&scene, "waived new");
    assert_int_equal(scene.engine.lanes[0].review.jobs[0].result.finding_count, 1);
    mend(&scene);
    assert_int_equal(rounds_entry(&scene, 0)->tries, 0);
    rounds_round(&scene, "med a.c:3 leak", NULL);
    rounds_states(&scene, "waived fixed");
    assert_int_equal(rounds_entry(&scene, 0)->rounds_seen, 2);
    assert_true(scene.engine.reason == REASON_CONVERGED);
    rounds_end(&scene);
}

TEST(a_waiver_whose_code_a_repair_changed_does_not_hold)
{
    struct scene scene;

    rounds_until_waived(&scene, "settled", "a.c:3 leak; x.c:7 odd");
    rounds_round(&scene, "med a.c:3 leak; med b.c:9 race", NULL);
    rounds_repair(&scene, (struct rounds_repair){
        .moved = rounds_moved(&scene, "a.c", "a.c", (struct line_hunk){ 2, 3, 2, 3 }) });
    rounds_round(&scene, "med a.c:3 leak", NULL);
    rounds_states(&scene, "persisting fixed");
    assert_int_equal(rounds_entry(&scene, 0)->waiver.size, 0);
    rounds_end(&scene);
}

/* It comes up for the first time in the lines that the repair has just written. */
TEST(a_waiver_does_not_hold_for_what_a_repair_wrote)
{
    struct scene scene;

    rounds_until_waived(&scene, "settled", "a.c:3 leak");
    rounds_round(&scene, "med b.c:9 race", NULL);
    rounds_repair(&scene, (struct rounds_repair){
        .moved = rounds_moved(&scene, "a.c", "a.c", (struct line_hunk){ 2, 3, 2, 3 }) });
    rounds_round(&scene, "med a.c:3 leak", NULL);
    rounds_states(&scene, "fixed new");
    rounds_end(&scene);
}

/* A waiver is of one finding: one that is fixed, or of another phase, does not use it up. */
TEST(a_waiver_is_for_what_is_there)
{
    struct scene scene;

    rounds_until_waived(&scene, "settled", "");
    rounds_round(&scene, "med a.c:3 leak; med b.c:9 race", NULL);
    mend(&scene);
    rounds_answer(&scene, 0, "med b.c:9 race");
    rounds_states(&scene, "fixed persisting");
    rounds_tell(&scene, (struct event){ .kind = EV_STOP });
    rounds_tell(&scene, (struct event){ .kind = EV_ENDED, .job = 4, .attempt = 1,
                                        .result = { .verdict = VERDICT_FAILED,
                                                    .failure = FAILURE_STOPPED } });
    rounds_resume(&scene, "a.c:3 leak; b.c:9 race");
    mend(&scene);
    rounds_round(&scene, "med a.c:3 leak", NULL);
    assert_int_equal(rounds_entry(&scene, 0)->state, FINDING_WAIVED); /* it was fixed */
    rounds_end(&scene);
}

/* The first gate's fault of the same words was fixed long ago. */
TEST(what_another_phase_found_uses_up_no_waiver)
{
    static const char *const text = "a.c:3 leak";
    struct scene scene;

    rounds_begin(&scene, 1);
    two_gates(&scene);
    rounds_tell(&scene, (struct event){ .kind = EV_START });
    rounds_round(&scene, "med a.c:3 leak", NULL);
    mend(&scene);
    rounds_round(&scene, "", NULL);
    rounds_tell(&scene, (struct event){ .kind = EV_STOP });
    rounds_tell(&scene, (struct event){ .kind = EV_ENDED, .job = 4, .attempt = 1,
                                        .result = { .verdict = VERDICT_FAILED,
                                                    .failure = FAILURE_STOPPED } });
    rounds_resume(&scene, text);
    rounds_round(&scene, "med a.c:3 leak", NULL);
    rounds_states(&scene, "fixed waived");
    rounds_end(&scene);
}

/* The run stopped at what no repair could resolve; a person waives it, and goes on. */
TEST(what_is_waived_after_repairs_of_its_place_is_waived)
{
    static const struct line_hunk place = { 2, 3, 2, 3 };
    struct scene scene;

    rounds_until_waived(&scene, "settled", "");
    rounds_round(&scene, "med a.c:3 leak", NULL);
    for (uint32_t i = 0; i < 3; i++) {
        rounds_repair(&scene, (struct rounds_repair){
            .moved = rounds_moved(&scene, "a.c", "a.c", place) });
        rounds_round(&scene, "med a.c:3 leak", NULL);
    }
    rounds_states(&scene, "parked");
    assert_int_equal(scene.engine.reason, REASON_STUCK);
    rounds_resume(&scene, "a.c:3 leak");
    rounds_round(&scene, "med a.c:3 leak", NULL);
    rounds_states(&scene, "waived");
    assert_int_equal(scene.engine.state, ENGINE_ENDED);
    assert_true(scene.engine.reason == REASON_CONVERGED);
    rounds_end(&scene);
}

TEST(a_waiver_that_is_not_told_any_more_holds_no_more)
{
    struct scene scene;

    for (uint32_t left = 0; left < 2; left++) { /* none, or another */
        rounds_until_waived(&scene, "settled", "a.c:3 leak");
        rounds_round(&scene, "med a.c:3 leak; med b.c:9 race", NULL);
        rounds_states(&scene, "waived new");
        rounds_tell(&scene, (struct event){ .kind = EV_STOP });
        rounds_tell(&scene, (struct event){ .kind = EV_ENDED, .job = 2, .attempt = 1,
                                            .result = { .verdict = VERDICT_FAILED,
                                                        .failure = FAILURE_STOPPED } });
        rounds_resume(&scene, left ? "z.c:3 other" : "");
        mend(&scene);
        rounds_round(&scene, "med a.c:3 leak", NULL);
        rounds_states(&scene, "persisting fixed");
        rounds_end(&scene);
    }
}
