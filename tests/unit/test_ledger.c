/* SPDX-License-Identifier: Apache-2.0
 *
 * test_ledger.c - findings over rounds where a gate has no policy: what its reviewers say
 * counts. */
#include "format/report/listing.h"
#include "core/ledger.h"

#include "ledger_scene.h"
#include "test.h"

static struct listing_counts counts_of(const struct scene *scene)
{
    return ledger_faults(&scene->engine.ledger);
}

TEST(what_is_too_small_to_fail_a_review_is_noted)
{
    static const struct finding small = { .severity = SEVERITY_LOW, .file = STR("b.c"), .line = 4,
                                          .text = STR("odd"), .fingerprint = 7 };
    const struct event event = { .kind = EV_ENDED, .job = 1, .attempt = 1,
                                 .result = { .verdict = VERDICT_CLEAN, .notes = &small,
                                             .note_count = 1 } };
    struct scene scene;

    rounds_begin(&scene, 1);
    rounds_tell(&scene, (struct event){ .kind = EV_START });
    rounds_tell(&scene, event);
    rounds_expect(&scene, "noted critic b.c:4 odd 1-1\n");
    assert_int_equal(counts_of(&scene).states[FINDING_NOTED], 1);
    assert_int_equal(counts_of(&scene).open_count, 0);
    rounds_end(&scene);
}

/* A review that could not look at one file. */
static void tell_partial(struct scene *scene, uint32_t job, const char *file, uint32_t files)
{
    const struct unlooked unlooked = { str_of(file), STR("gcc"), STR("it crashed") };
    struct result result = { .verdict = VERDICT_CLEAN, .coverage = {
        .files = files, .unlooked = &unlooked, .unlooked_count = 1, .older = 2 } };

    rounds_tell(scene, (struct event){ .kind = EV_ENDED, .job = job, .attempt = 1,
                                       .result = result });
}

TEST(what_was_not_looked_at_is_that_of_the_newest_reviews)
{
    struct coverage coverage;
    struct arena arena = { 0 };
    struct scene scene;

    rounds_begin(&scene, 2);
    rounds_tell(&scene, (struct event){ .kind = EV_START });
    tell_partial(&scene, 1, "b.c", 9);
    rounds_tell_review(&scene, 2, 1, VERDICT_FINDINGS, "a.c:1 wrong");
    coverage = ledger_coverage(&scene.engine.ledger, &arena);
    assert_int_equal(coverage.files, 9);
    assert_int_equal(coverage.older, 2);
    assert_int_equal(coverage_unlooked(&coverage), 1);
    assert_true(str_is(coverage.unlooked[0].file, "b.c"));
    rounds_tell_review(&scene, 3, 1, VERDICT_CLEAN, ""); /* the repair; the next round follows */
    tell_partial(&scene, 4, "a.c", 8);
    tell_partial(&scene, 5, "a.c", 7);
    coverage = ledger_coverage(&scene.engine.ledger, &arena);
    assert_int_equal(coverage.files, 8);
    assert_int_equal(coverage_unlooked(&coverage), 1); /* one file, however many say so */
    assert_true(str_is(coverage.unlooked[0].file, "a.c"));
    assert_int_equal(scene.engine.reason, REASON_PARTIAL);
    rounds_end(&scene);
    arena_release(&arena);
}

TEST(a_finding_is_open_when_it_was_reported)
{
    struct scene scene;

    rounds_begin(&scene, 1);
    rounds_tell(&scene, (struct event){ .kind = EV_START });
    rounds_expect(&scene, "");
    rounds_review(&scene, 1, "a.c:3 leak");
    rounds_expect(&scene, "new critic a.c:3 leak 1-1\n");
    assert_int_equal(counts_of(&scene).open_count, 1);
    assert_int_equal(counts_of(&scene).states[FINDING_FIXED], 0);
    rounds_repair(&scene, (struct rounds_repair){ 0 });
    rounds_expect(&scene, "new critic a.c:3 leak 1-1\n"); /* a fixer's word changes nothing */
    rounds_end(&scene);
}

TEST(found_again_on_another_line_it_is_the_same)
{
    struct scene scene;

    rounds_begin(&scene, 1);
    rounds_tell(&scene, (struct event){ .kind = EV_START });
    rounds_review(&scene, 1, "a.c:3 leak");
    rounds_repair(&scene, (struct rounds_repair){ 0 });
    rounds_review(&scene, 3, "a.c:17 LEAK");
    rounds_expect(&scene, "persisting critic a.c:17 LEAK 1-2\n");
    rounds_end(&scene);
}

TEST(found_no_more_it_is_fixed)
{
    struct scene scene;

    rounds_begin(&scene, 1);
    rounds_tell(&scene, (struct event){ .kind = EV_START });
    rounds_review(&scene, 1, "a.c:3 leak; b.c:4 race");
    rounds_repair(&scene, (struct rounds_repair){ 0 });
    rounds_review(&scene, 3, "b.c:4 race; c.c:5 new");
    rounds_expect(&scene, "fixed critic a.c:3 leak 1-1\n"
                          "persisting critic b.c:4 race 1-2\n"
                          "new critic c.c:5 new 2-2\n");
    rounds_repair(&scene, (struct rounds_repair){ 0 });
    rounds_review(&scene, 5, "");
    rounds_expect(&scene, "fixed critic a.c:3 leak 1-1\n"
                          "fixed critic b.c:4 race 1-2\n"
                          "fixed critic c.c:5 new 2-2\n");
    assert_int_equal(counts_of(&scene).states[FINDING_FIXED], 3);
    rounds_end(&scene);
}

TEST(what_comes_back_is_open_again)
{
    struct scene scene;

    rounds_begin(&scene, 1);
    rounds_tell(&scene, (struct event){ .kind = EV_START });
    rounds_review(&scene, 1, "a.c:3 leak");
    rounds_repair(&scene, (struct rounds_repair){ 0 });
    rounds_review(&scene, 3, "b.c:1 other");
    rounds_repair(&scene, (struct rounds_repair){ 0 });
    rounds_review(&scene, 5, "a.c:4 leak");
    rounds_expect(&scene, "regressed critic a.c:4 leak 1-3\n"
                          "fixed critic b.c:1 other 2-2\n");
    rounds_end(&scene);
}

/* A fixer's end, in doubt about these lines of a.c ("leak"). */
static void repair_doubting(struct scene *scene, uint32_t job, enum verdict verdict,
                            const uint32_t *lines, uint32_t count)
{
    struct finding leak = { .file = STR("a.c"), .text = STR("leak") };
    struct doubtful doubts[2];

    for (uint32_t i = 0; i < count; i++) {
        doubts[i] = (struct doubtful){ finding_fingerprint(&leak), lines[i], DOUBT_UNTOUCHED };
    }
    rounds_tell(scene, (struct event){ .kind = EV_ENDED, .job = job, .attempt = 1,
                                .result = { .verdict = verdict, .doubts = doubts,
                                            .doubt_count = count } });
}

TEST(what_a_repair_is_in_doubt_about_is_unresolved_until_the_next_one)
{
    static const uint32_t lines[] = { 3, 9 };
    struct scene scene;

    rounds_begin(&scene, 1);
    rounds_tell(&scene, (struct event){ .kind = EV_START });
    rounds_review(&scene, 1, "a.c:3 leak; b.c:4 race");
    repair_doubting(&scene, 2, VERDICT_CLEAN, lines, 2);
    assert_int_equal(rounds_entry(&scene, 0)->doubt, DOUBT_UNTOUCHED);
    assert_int_equal(rounds_entry(&scene, 1)->doubt, DOUBT_NONE);
    rounds_review(&scene, 3, "a.c:3 leak; b.c:4 race");
    assert_int_equal(rounds_entry(&scene, 0)->doubt, DOUBT_UNTOUCHED);
    repair_doubting(&scene, 4, VERDICT_CLEAN, lines, 0); /* mended near its place */
    assert_int_equal(rounds_entry(&scene, 0)->doubt, DOUBT_NONE);
    rounds_review(&scene, 5, "a.c:3 leak");
    repair_doubting(&scene, 6, VERDICT_CLEAN, lines, 1);
    rounds_review(&scene, 7, "c.c:1 other");
    /* Its reviewer finds it no more, and nothing proves that it is mended. */
    assert_int_equal(rounds_entry(&scene, 0)->state, FINDING_FIXED);
    assert_int_equal(rounds_entry(&scene, 0)->doubt, DOUBT_UNTOUCHED);
    rounds_end(&scene);
}

TEST(of_fixers_that_share_a_repair_one_without_a_doubt_resolves_it)
{
    static const uint32_t first[] = { 3 }, second[] = { 9 };
    struct plan_size size = { .reviewers = 1, .repairs = 9, .invalid_max = 1, .failed_max = 1 };
    struct scene scene = { .by = "" };
    struct event found;
    struct finding leaks[2] = {
        { .file = STR("a.c"), .line = 3, .text = STR("leak"), .evidence = STR("x") },
        { .file = STR("a.c"), .line = 9, .text = STR("leak"), .evidence = STR("y") },
    };

    for (int i = 0; i < 2; i++) leaks[i].fingerprint = finding_fingerprint(&leaks[i]);
    plans_make(&scene.fixture, PLAN_REVIEW, &size);
    scene.fixture.phases[0].gate.repair.by_groups = true;
    engine_init(&scene.engine, &scene.fixture.plan);
    rounds_tell(&scene, (struct event){ .kind = EV_START });
    found = (struct event){ .kind = EV_ENDED, .job = 1, .attempt = 1,
                            .result = { .verdict = VERDICT_FINDINGS, .findings = leaks,
                                        .finding_count = 2, .fix_groups = 2 } };
    rounds_tell(&scene, found);
    repair_doubting(&scene, 2, VERDICT_CLEAN, second, 1);
    assert_int_equal(rounds_entry(&scene, 0)->doubt, DOUBT_NONE);
    assert_int_equal(rounds_entry(&scene, 1)->doubt, DOUBT_UNTOUCHED); /* as far as is known */
    repair_doubting(&scene, 3, VERDICT_CLEAN, first, 1);
    assert_int_equal(rounds_entry(&scene, 0)->doubt, DOUBT_NONE);
    assert_int_equal(rounds_entry(&scene, 1)->doubt, DOUBT_NONE);
    rounds_end(&scene);
}

/* Its role alone can take a vote back; a fault with a vote that stands is open. */
TEST(each_role_speaks_for_itself)
{
    struct scene scene;

    rounds_begin(&scene, 2);
    rounds_tell(&scene, (struct event){ .kind = EV_START });
    rounds_review(&scene, 2, "a.c:3 leak");
    rounds_expect(&scene, "new pedant a.c:3 leak 1-1\n"); /* as far as is known */
    rounds_review(&scene, 1, "a.c:3 leak");
    rounds_expect(&scene, "new critic a.c:3 leak 1-1\n");
    assert_int_equal(rounds_entry(&scene, 0)->vote_count, 2);
    rounds_repair(&scene, (struct rounds_repair){ 0 });
    rounds_review(&scene, 4, "");
    rounds_expect(&scene, "persisting critic a.c:3 leak 1-1\n");
    assert_false(rounds_entry(&scene, 0)->votes[0].stands);
    assert_true(rounds_entry(&scene, 0)->votes[1].stands);
    rounds_review(&scene, 5, "");
    rounds_expect(&scene, "fixed critic a.c:3 leak 1-1\n");
    rounds_end(&scene);
}

TEST(identical_complaints_are_told_apart_by_their_lines)
{
    struct scene scene;

    rounds_begin(&scene, 1);
    rounds_tell(&scene, (struct event){ .kind = EV_START });
    rounds_review(&scene, 1, "a.sh:3 quote it; a.sh:5 quote it; b.sh:1 quote it; a.sh:9 quote it");
    rounds_expect(&scene, "new critic b.sh:1 quote it 1-1\n"
                          "new critic a.sh:3 quote it 1-1\n"
                          "new critic a.sh:5 quote it 1-1\n"
                          "new critic a.sh:9 quote it 1-1\n");
    assert_int_equal(rounds_entry(&scene, 0)->ordinal, 0);
    assert_int_equal(rounds_entry(&scene, 2)->ordinal, 1);
    assert_int_equal(rounds_entry(&scene, 3)->ordinal, 2);
    rounds_repair(&scene, (struct rounds_repair){ 0 });
    rounds_review(&scene, 3, "a.sh:6 quote it; a.sh:10 quote it");
    rounds_expect(&scene, "fixed critic b.sh:1 quote it 1-1\n"
                          "fixed critic a.sh:3 quote it 1-1\n"
                          "persisting critic a.sh:6 quote it 1-2\n"
                          "persisting critic a.sh:10 quote it 1-2\n");
    rounds_repair(&scene, (struct rounds_repair){ 0 });
    rounds_review(&scene, 5, "a.sh:1 quote it; a.sh:2 quote it; a.sh:3 quote it; a.sh:4 quote it");
    rounds_expect(&scene, "fixed critic b.sh:1 quote it 1-1\n"
                          "regressed critic a.sh:3 quote it 1-3\n"
                          "persisting critic a.sh:1 quote it 1-3\n"
                          "persisting critic a.sh:2 quote it 1-3\n"
                          "new critic a.sh:4 quote it 3-3\n");
    rounds_end(&scene);
}

TEST(what_is_quoted_tells_which_of_them_is_left)
{
    struct scene scene;

    rounds_begin(&scene, 1);
    rounds_tell(&scene, (struct event){ .kind = EV_START });
    rounds_review(&scene, 1, "a.sh:3 quote it [cat $x; a.sh:5 quote it [ls $y; "
                             "a.sh:9 quote it [rm $z");
    rounds_repair(&scene, (struct rounds_repair){ 0 });
    /* Many lines were put in front, and the middle one is mended. */
    rounds_review(&scene, 3, "a.sh:9 quote it [cat  $x; a.sh:90 quote it [RM $z");
    rounds_expect(&scene, "persisting critic a.sh:9 quote it 1-2\n"
                          "fixed critic a.sh:5 quote it 1-1\n"
                          "persisting critic a.sh:90 quote it 1-2\n");
    rounds_end(&scene);
}

TEST(the_same_complaint_of_another_place_is_another_finding)
{
    struct scene scene;

    rounds_begin(&scene, 1);
    rounds_tell(&scene, (struct event){ .kind = EV_START });
    rounds_review(&scene, 1, "a.txt:2 no full stop [Nice to see you");
    rounds_repair(&scene, (struct rounds_repair){ 0 });
    rounds_review(&scene, 3, "a.txt:3 no full stop [Come again soon");
    rounds_expect(&scene, "fixed critic a.txt:2 no full stop 1-1\n"
                          "new critic a.txt:3 no full stop 2-2\n");
    rounds_repair(&scene, (struct rounds_repair){ 0 });
    /* Told in other words about the same line, or with no words for it, it is the same. */
    rounds_review(&scene, 5, "a.txt:3 no full stop [Come again");
    rounds_repair(&scene, (struct rounds_repair){ 0 });
    rounds_review(&scene, 7, "a.txt:8 no full stop");
    rounds_expect(&scene, "fixed critic a.txt:2 no full stop 1-1\n"
                          "persisting critic a.txt:8 no full stop 2-4\n");
    assert_int_equal(rounds_entry(&scene, 1)->ordinal, 1);
    rounds_end(&scene);
}

TEST(a_void_review_leaves_no_trace_among_identical_complaints)
{
    struct scene scene;

    rounds_begin(&scene, 2);
    rounds_tell(&scene, (struct event){ .kind = EV_START });
    rounds_review(&scene, 1, "a.c:1 leak [p; a.c:2 leak [q");
    rounds_review(&scene, 2, "");
    rounds_repair(&scene, (struct rounds_repair){ 0 });
    rounds_review(&scene, 4, "a.c:5 leak [r; a.c:6 leak [s; a.c:7 leak [q");
    rounds_expect(&scene, "fixed critic a.c:1 leak 1-1\n"
                          "persisting critic a.c:7 leak 1-2\n"
                          "new critic a.c:5 leak 2-2\n"
                          "new critic a.c:6 leak 2-2\n");
    rounds_tell(&scene, (struct event){ .kind = EV_DRIFT });
    rounds_expect(&scene, "new critic a.c:1 leak 1-1\n"
                          "new critic a.c:2 leak 1-1\n");
    rounds_tell_review(&scene, 4, 2, VERDICT_FINDINGS, "a.c:9 leak [t; a.c:40 leak [p");
    rounds_expect(&scene, "persisting critic a.c:40 leak 1-2\n"
                          "fixed critic a.c:2 leak 1-1\n"
                          "new critic a.c:9 leak 2-2\n");
    assert_int_equal(rounds_entry(&scene, 2)->ordinal, 2);
    rounds_end(&scene);
}

TEST(invalid_and_failed_attempts_change_nothing)
{
    struct scene scene;

    rounds_begin(&scene, 1);
    rounds_tell(&scene, (struct event){ .kind = EV_START });
    rounds_review(&scene, 1, "a.c:3 leak");
    rounds_repair(&scene, (struct rounds_repair){ 0 });
    rounds_tell_review(&scene, 3, 1, VERDICT_INVALID, "b.c:1 nonsense");
    rounds_expect(&scene, "new critic a.c:3 leak 1-1\n");
    rounds_tell_review(&scene, 3, 2, VERDICT_FAILED, "c.c:1 nonsense");
    rounds_expect(&scene, "new critic a.c:3 leak 1-1\n");
    rounds_tell_review(&scene, 3, 3, VERDICT_FINDINGS, "a.c:3 leak");
    rounds_expect(&scene, "persisting critic a.c:3 leak 1-2\n");
    rounds_end(&scene);
}

TEST(only_the_attempt_that_was_asked_for_counts_and_only_once)
{
    struct scene scene;

    rounds_begin(&scene, 2);
    rounds_tell(&scene, (struct event){ .kind = EV_START });
    rounds_tell_review(&scene, 1, 1, VERDICT_INVALID, "");
    rounds_tell_review(&scene, 1, 1, VERDICT_FINDINGS, "a.c:1 from the first attempt");
    rounds_tell_review(&scene, 9, 1, VERDICT_FINDINGS, "a.c:1 too late");
    rounds_expect(&scene, "");
    rounds_tell_review(&scene, 1, 2, VERDICT_FINDINGS, "a.c:1 leak");
    rounds_tell_review(&scene, 1, 2, VERDICT_FINDINGS, "a.c:1 leak; a.c:2 leak");
    rounds_tell_review(&scene, 1, 2, VERDICT_CLEAN, "");
    rounds_expect(&scene, "new critic a.c:1 leak 1-1\n");
    rounds_end(&scene);
}

TEST(a_review_whose_tree_changed_is_void)
{
    struct scene scene;

    rounds_begin(&scene, 2);
    rounds_tell(&scene, (struct event){ .kind = EV_START });
    rounds_review(&scene, 1, "a.c:1 leak; b.c:2 race");
    rounds_review(&scene, 2, "");
    rounds_repair(&scene, (struct rounds_repair){ 0 });
    rounds_review(&scene, 4, "a.c:7 Leak; c.c:3 new; c.c:4 new");
    rounds_expect(&scene, "persisting critic a.c:7 Leak 1-2\n"
                          "fixed critic b.c:2 race 1-1\n"
                          "new critic c.c:3 new 2-2\n"
                          "new critic c.c:4 new 2-2\n");
    rounds_tell(&scene, (struct event){ .kind = EV_DRIFT });
    rounds_expect(&scene, "new critic a.c:1 leak 1-1\n"
                          "new critic b.c:2 race 1-1\n");
    rounds_tell_review(&scene, 4, 1, VERDICT_FINDINGS, "c.c:3 new"); /* of an older attempt */
    rounds_tell_review(&scene, 4, 2, VERDICT_FINDINGS, "b.c:9 race; c.c:5 new");
    rounds_expect(&scene, "fixed critic a.c:1 leak 1-1\n"
                          "persisting critic b.c:9 race 1-2\n"
                          "new critic c.c:5 new 2-2\n");
    rounds_end(&scene);
}

/* The one that was fixed before the void review is fixed after it as well. */
TEST(taking_a_review_back_brings_back_nothing_older)
{
    struct scene scene;

    rounds_begin(&scene, 2);
    rounds_tell(&scene, (struct event){ .kind = EV_START });
    rounds_review(&scene, 1, "a.c:1 leak; b.c:1 race");
    rounds_review(&scene, 2, "b.c:1 race");
    rounds_repair(&scene, (struct rounds_repair){ 0 });
    rounds_review(&scene, 4, "");
    rounds_review(&scene, 5, "b.c:1 race");
    rounds_repair(&scene, (struct rounds_repair){ 0 });
    rounds_review(&scene, 7, "a.c:5 leak; b.c:9 race");
    rounds_expect(&scene, "regressed critic a.c:5 leak 1-3\n"
                          "persisting critic b.c:9 race 1-3\n");
    rounds_tell(&scene, (struct event){ .kind = EV_DRIFT });
    rounds_expect(&scene, "fixed critic a.c:1 leak 1-1\n"
                          "persisting critic b.c:1 race 1-2\n");
    assert_int_equal(rounds_entry(&scene, 0)->regressions, 0);
    rounds_tell_review(&scene, 7, 2, VERDICT_FINDINGS, "a.c:6 leak");
    rounds_tell(&scene, (struct event){ .kind = EV_DRIFT });
    rounds_tell_review(&scene, 7, 3, VERDICT_CLEAN, "");
    rounds_expect(&scene, "fixed critic a.c:1 leak 1-1\n"
                          "persisting critic b.c:1 race 1-2\n");
    rounds_end(&scene);
}

TEST(a_run_that_was_stopped_goes_on_where_it_was)
{
    struct scene scene;

    rounds_begin(&scene, 2);
    rounds_tell(&scene, (struct event){ .kind = EV_START });
    rounds_review(&scene, 1, "a.c:1 leak");
    rounds_tell(&scene, (struct event){ .kind = EV_STOP });
    rounds_tell_review(&scene, 2, 1, VERDICT_FAILED, "");
    rounds_expect(&scene, "new critic a.c:1 leak 1-1\n");
    rounds_tell(&scene, (struct event){ .kind = EV_RESUME });
    rounds_expect(&scene, "new critic a.c:1 leak 1-1\n"); /* it is not asked again */
    rounds_tell_review(&scene, 2, 1, VERDICT_FINDINGS, "x.c:1 from before the resume");
    rounds_tell_review(&scene, 2, 2, VERDICT_FINDINGS, "b.c:2 race");
    rounds_expect(&scene, "new critic a.c:1 leak 1-1\n"
                          "new pedant b.c:2 race 1-1\n");
    rounds_end(&scene);
}

/* No event says that the attempts were ended: the run crashed. */
TEST(a_crash_and_a_changed_tree_void_what_was_answered)
{
    struct scene scene;

    rounds_begin(&scene, 2);
    rounds_tell(&scene, (struct event){ .kind = EV_START });
    rounds_review(&scene, 1, "a.c:1 leak");
    rounds_tell(&scene, (struct event){ .kind = EV_STOP });
    rounds_tell_review(&scene, 2, 1, VERDICT_FAILED, "");
    rounds_tell(&scene, (struct event){ .kind = EV_DRIFT });
    rounds_tell(&scene, (struct event){ .kind = EV_RESUME });
    rounds_expect(&scene, "");
    rounds_tell_review(&scene, 2, 2, VERDICT_FINDINGS, "b.c:2 race");
    rounds_tell_review(&scene, 1, 2, VERDICT_FINDINGS, "a.c:1 leak");
    rounds_expect(&scene, "new critic a.c:1 leak 1-1\n"
                          "new pedant b.c:2 race 1-1\n");
    rounds_end(&scene);
}

/* The same finding in five wordings, and none of them twice. */
TEST(told_in_other_words_it_persists_under_its_first_name)
{
    static const char *const wordings[] = {
        "a.c:31 the result of malloc is not checked before it is dereferenced",
        "a.c:31 malloc may fail and its result is dereferenced unchecked",
        "a.c:32 missing NULL check, malloc can fail",
        "a.c:32 check what malloc returns: NULL is dereferenced when it fails",
        "a.c:30 NULL dereference when malloc fails",
    };
    struct scene scene;
    uint64_t name;

    rounds_begin(&scene, 1);
    rounds_tell(&scene, (struct event){ .kind = EV_START });
    rounds_review(&scene, 1, wordings[0]);
    name = rounds_entry(&scene, 0)->fingerprint;
    assert_int_equal(name, rounds_entry(&scene, 0)->finding.fingerprint);
    for (uint32_t i = 1; i < 5; i++) {
        rounds_repair(&scene, (struct rounds_repair){ 0 });
        rounds_review(&scene, 2 * i + 1, wordings[i]);
        assert_int_equal(rounds_count(&scene), 1);
        assert_int_equal(rounds_entry(&scene, 0)->fingerprint, name);
        assert_int_equal(rounds_entry(&scene, 0)->ordinal, 0);
    }
    rounds_expect(&scene, "persisting critic a.c:30 NULL dereference when malloc fails 1-5\n");
    rounds_end(&scene);
}

/* Five reports of five rounds, one new thing in each. */
TEST(findings_that_differ_only_in_digits_are_not_one)
{
    struct scene scene;

    rounds_begin(&scene, 1);
    rounds_tell(&scene, (struct event){ .kind = EV_START });
    rounds_review(&scene, 1, "a.c:1 problem 1");
    rounds_repair(&scene, (struct rounds_repair){ 0 });
    rounds_review(&scene, 3, "a.c:1 problem 2");
    rounds_repair(&scene, (struct rounds_repair){ 0 });
    rounds_review(&scene, 5, "a.c:2 problem 3; a.c:1 problem 2");
    rounds_expect(&scene, "fixed critic a.c:1 problem 1 1-1\n"
                          "persisting critic a.c:1 problem 2 2-3\n"
                          "new critic a.c:2 problem 3 3-3\n");
    for (uint32_t i = 0; i < 3; i++) assert_int_equal(rounds_entry(&scene, i)->ordinal, i);
    rounds_end(&scene);
}

/* Its new words are those of another that comes later: both have names of their own. */
TEST(no_two_have_one_name_though_their_words_change)
{
    struct scene scene;

    rounds_begin(&scene, 1);
    rounds_tell(&scene, (struct event){ .kind = EV_START });
    rounds_review(&scene, 1, "a.c:10 descriptor leaks when open fails");
    rounds_repair(&scene, (struct rounds_repair){ 0 });
    rounds_review(&scene, 3, "a.c:10 the descriptor is leaked if open fails");
    rounds_repair(&scene, (struct rounds_repair){ 0 });
    rounds_review(&scene, 5, "a.c:10 the descriptor is leaked if open fails; "
                      "a.c:90 the descriptor is leaked if open fails");
    rounds_expect(&scene, "persisting critic a.c:10 the descriptor is leaked if open fails 1-3\n"
                          "new critic a.c:90 the descriptor is leaked if open fails 3-3\n");
    assert_true(rounds_entry(&scene, 0)->fingerprint != rounds_entry(&scene, 1)->fingerprint);
    assert_int_equal(rounds_entry(&scene, 1)->ordinal, 0);
    rounds_end(&scene);
}

TEST(a_void_review_takes_its_words_back)
{
    struct scene scene;

    rounds_begin(&scene, 2);
    rounds_tell(&scene, (struct event){ .kind = EV_START });
    rounds_review(&scene, 1, "a.c:10 descriptor leaks when open fails");
    rounds_review(&scene, 2, "");
    rounds_repair(&scene, (struct rounds_repair){ 0 });
    rounds_review(&scene, 4, "a.c:12 the descriptor is leaked if open fails");
    rounds_tell(&scene, (struct event){ .kind = EV_DRIFT });
    rounds_expect(&scene, "new critic a.c:10 descriptor leaks when open fails 1-1\n");
    rounds_end(&scene);
}

TEST(one_fault_that_two_roles_report_is_one_entry_with_two_votes)
{
    const struct ledger_entry *fault;
    struct scene scene;

    rounds_begin(&scene, 2);
    rounds_tell(&scene, (struct event){ .kind = EV_START });
    scene.by = "codex";
    rounds_review(&scene, 2, "b.c:1 other matter; a.c:11 open fails and the descriptor leaks");
    scene.by = "claude";
    rounds_review(&scene, 1, "med a.c:10 descriptor not closed when open fails; a.c:80 deadlock");
    rounds_expect(&scene, "new pedant b.c:1 other matter 1-1\n"
                          "new critic a.c:11 open fails and the descriptor leaks 1-1\n"
                          "new critic a.c:80 deadlock 1-1\n"); /* the gravest words speak for it */
    fault = rounds_entry(&scene, 1);
    assert_int_equal(fault->vote_count, 2);
    assert_true(str_is(fault->votes[0].by, "claude"));
    assert_true(str_is(fault->votes[0].finding.text, "descriptor not closed when open fails"));
    assert_int_equal(fault->votes[0].finding.severity, SEVERITY_MEDIUM);
    assert_true(str_is(fault->votes[1].by, "codex"));
    assert_true(str_is(fault->votes[1].finding.text, "open fails and the descriptor leaks"));
    assert_int_equal(rounds_entry(&scene, 0)->vote_count, 1);
    assert_int_equal(rounds_entry(&scene, 2)->vote_count, 1);
    rounds_end(&scene);
}

TEST(states_have_words_and_are_open_accepted_or_neither)
{
    static const struct {
        const char *word;
        bool open, accepted;
    } rows[FINDING_STATE_COUNT] = {
        [FINDING_NEW] = { "new", true, true },
        [FINDING_PERSISTING] = { "persisting", true, true },
        [FINDING_REGRESSED] = { "regressed", true, true },
        [FINDING_PARKED] = { "parked", true, false },
        [FINDING_NOTED] = { "noted", false, false },
        [FINDING_WAIVED] = { "waived", false, false },
        [FINDING_FIXED] = { "fixed", false, false },
    };
    enum finding_state out;

    for (uint32_t i = 0; i < FINDING_STATE_COUNT; i++) {
        assert_string_equal(finding_state_word((enum finding_state)i), rows[i].word);
        assert_true(finding_state_from_word(str_of(rows[i].word), &out));
        assert_int_equal(out, i);
        assert_int_equal(finding_is_open(out), rows[i].open);
        assert_int_equal(finding_is_accepted(out), rows[i].accepted);
    }
    assert_false(finding_state_from_word(STR("open"), &out));
    assert_false(finding_state_from_word(STR("all"), &out));
    assert_false(finding_state_from_word(STR(""), &out));
}
