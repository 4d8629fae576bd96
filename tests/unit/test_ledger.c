/* SPDX-License-Identifier: Apache-2.0
 *
 * test_ledger.c - findings over rounds, with the real engine saying who is asked when.
 *
 * Reviews are written as "FILE:LINE TEXT; FILE:LINE TEXT [EVIDENCE"; "" is a clean one. What the
 * ledger holds is compared as lines "STATE ROLE FILE:LINE TEXT FIRST-LAST". */
#include "format/report/listing.h"
#include "core/ledger.h"

#include "../sim/plans.h"
#include "core/engine.h"

#include "test.h"

#include <inttypes.h>

enum { FINDINGS_MAX = 8, TEXT_BYTES_MAX = 4096 };

struct scene {
    struct fixture fixture;
    struct engine engine;
    struct actions actions;
    struct ledger ledger;
};

static void begin(struct scene *scene, uint32_t reviewers)
{
    struct plan_size size = { .reviewers = reviewers, .repairs = 9, .invalid_max = 1,
                              .failed_max = 1 };

    *scene = (struct scene){ .engine = { .plan = NULL } };
    plans_make(&scene->fixture, PLAN_REVIEW, &size);
    engine_init(&scene->engine, &scene->fixture.plan);
}

static void end(struct scene *scene)
{
    engine_release(&scene->engine);
    actions_release(&scene->actions);
    ledger_release(&scene->ledger);
}

static void tell(struct scene *scene, struct event event)
{
    engine_step(&scene->engine, &event, &scene->actions);
    ledger_note(&scene->ledger, &event, &scene->actions);
}

/* The texts are in memory that is gone after the call, as an event's are. */
static void tell_review(struct scene *scene, uint32_t job, uint32_t attempt, enum verdict verdict,
                        const char *findings)
{
    struct finding list[FINDINGS_MAX];
    struct str rest = str_of(findings), piece;
    struct result result = { .verdict = verdict, .findings = list };
    struct arena arena = { NULL };

    while (str_cut(&rest, ';', &piece)) {
        struct finding *finding = &list[result.finding_count++];
        struct str file = { "", 0 }, line = { "", 0 }, text = { "", 0 };
        uint64_t number = 0;

        assert_true(result.finding_count <= FINDINGS_MAX);
        piece = str_trim(piece);
        str_cut(&piece, ':', &file);
        str_cut(&piece, ' ', &line);
        assert_true(str_number(line, &number));
        str_cut(&piece, '[', &text);
        *finding = (struct finding){ .severity = SEVERITY_HIGH, .file = arena_copy(&arena, file),
                                     .line = (uint32_t)number,
                                     .text = arena_copy(&arena, str_trim(text)),
                                     .evidence = arena_copy(&arena, piece) };
        finding->fingerprint = finding_fingerprint(finding);
    }
    tell(scene, (struct event){ .kind = EV_ENDED, .job = job, .attempt = attempt,
                                .result = result });
    arena_release(&arena);
}

static void review(struct scene *scene, uint32_t job, const char *findings)
{
    enum verdict verdict = findings[0] ? VERDICT_FINDINGS : VERDICT_CLEAN;

    tell_review(scene, job, 1, verdict, findings);
}

static void repair(struct scene *scene, uint32_t job)
{
    tell_review(scene, job, 1, VERDICT_CLEAN, "");
}

static void expect(const struct scene *scene, const char *expected)
{
    const struct ledger *ledger = &scene->ledger;
    struct buf out;

    buf_init(&out, TEXT_BYTES_MAX);
    for (uint32_t i = 0; i < ledger->count; i++) {
        const struct ledger_entry *entry = &ledger->entries[i];

        buf_printf(&out, "%s %s %.*s:%" PRIu32 " %.*s %" PRIu32 "-%" PRIu32 "\n",
                   finding_state_word(entry->state),
                   scene->fixture.plan.roles[entry->role].name, STR_ARG(entry->finding.file),
                   entry->finding.line, STR_ARG(entry->finding.text), entry->round_first,
                   entry->round_last);
    }
    assert_string_equal(buf_cstr(&out), expected);
    buf_release(&out);
}

TEST(what_is_too_small_to_fail_a_review_is_noted)
{
    static const struct finding small = { .severity = SEVERITY_LOW, .file = STR("b.c"), .line = 4,
                                          .text = STR("odd"), .fingerprint = 7 };
    const struct event event = { .kind = EV_ENDED, .job = 1, .attempt = 1,
                                 .result = { .verdict = VERDICT_CLEAN, .notes = &small,
                                             .note_count = 1 } };
    struct scene scene;

    begin(&scene, 1);
    tell(&scene, (struct event){ .kind = EV_START });
    tell(&scene, event);
    expect(&scene, "noted critic b.c:4 odd 1-1\n");
    assert_int_equal(ledger_faults(&scene.ledger).states[FINDING_NOTED], 1);
    assert_int_equal(ledger_faults(&scene.ledger).states[FINDING_OPEN], 0);
    end(&scene);
}

/* A review that could not look at one file. */
static void tell_partial(struct scene *scene, uint32_t job, const char *file, uint32_t files)
{
    const struct unlooked unlooked = { str_of(file), STR("gcc"), STR("it crashed") };
    struct result result = { .verdict = VERDICT_CLEAN, .coverage = {
        .files = files, .unlooked = &unlooked, .unlooked_count = 1, .older = 2 } };

    tell(scene, (struct event){ .kind = EV_ENDED, .job = job, .attempt = 1, .result = result });
}

TEST(what_was_not_looked_at_is_that_of_the_newest_reviews)
{
    struct coverage coverage;
    struct arena arena = { 0 };
    struct scene scene;

    begin(&scene, 2);
    tell(&scene, (struct event){ .kind = EV_START });
    tell_partial(&scene, 1, "b.c", 9);
    tell_review(&scene, 2, 1, VERDICT_FINDINGS, "a.c:1 wrong");
    coverage = ledger_coverage(&scene.ledger, &arena);
    assert_int_equal(coverage.files, 9);
    assert_int_equal(coverage.older, 2);
    assert_int_equal(coverage_unlooked(&coverage), 1);
    assert_true(str_is(coverage.unlooked[0].file, "b.c"));
    tell_review(&scene, 3, 1, VERDICT_CLEAN, ""); /* the repair; the next round follows */
    tell_partial(&scene, 4, "a.c", 8);
    tell_partial(&scene, 5, "a.c", 7);
    coverage = ledger_coverage(&scene.ledger, &arena);
    assert_int_equal(coverage.files, 8);
    assert_int_equal(coverage_unlooked(&coverage), 1); /* one file, however many say so */
    assert_true(str_is(coverage.unlooked[0].file, "a.c"));
    assert_int_equal(scene.engine.reason, REASON_PARTIAL);
    end(&scene);
    arena_release(&arena);
}

TEST(a_finding_is_open_when_it_was_reported)
{
    struct scene scene;

    begin(&scene, 1);
    tell(&scene, (struct event){ .kind = EV_START });
    expect(&scene, "");
    review(&scene, 1, "a.c:3 leak");
    expect(&scene, "open critic a.c:3 leak 1-1\n");
    assert_int_equal(ledger_faults(&scene.ledger).states[FINDING_OPEN], 1);
    assert_int_equal(ledger_faults(&scene.ledger).states[FINDING_FIXED], 0);
    repair(&scene, 2);
    expect(&scene, "open critic a.c:3 leak 1-1\n"); /* a fixer's word changes nothing */
    end(&scene);
}

TEST(found_again_on_another_line_it_is_the_same)
{
    struct scene scene;

    begin(&scene, 1);
    tell(&scene, (struct event){ .kind = EV_START });
    review(&scene, 1, "a.c:3 leak");
    repair(&scene, 2);
    review(&scene, 3, "a.c:17 LEAK");
    expect(&scene, "open critic a.c:17 LEAK 1-2\n");
    end(&scene);
}

TEST(found_no_more_it_is_fixed)
{
    struct scene scene;

    begin(&scene, 1);
    tell(&scene, (struct event){ .kind = EV_START });
    review(&scene, 1, "a.c:3 leak; b.c:4 race");
    repair(&scene, 2);
    review(&scene, 3, "b.c:4 race; c.c:5 new");
    expect(&scene, "fixed critic a.c:3 leak 1-1\n"
                   "open critic b.c:4 race 1-2\n"
                   "open critic c.c:5 new 2-2\n");
    repair(&scene, 4);
    review(&scene, 5, "");
    expect(&scene, "fixed critic a.c:3 leak 1-1\n"
                   "fixed critic b.c:4 race 1-2\n"
                   "fixed critic c.c:5 new 2-2\n");
    assert_int_equal(ledger_faults(&scene.ledger).states[FINDING_FIXED], 3);
    end(&scene);
}

TEST(what_comes_back_is_open_again)
{
    struct scene scene;

    begin(&scene, 1);
    tell(&scene, (struct event){ .kind = EV_START });
    review(&scene, 1, "a.c:3 leak");
    repair(&scene, 2);
    review(&scene, 3, "b.c:1 other");
    repair(&scene, 4);
    review(&scene, 5, "a.c:4 leak");
    expect(&scene, "open critic a.c:4 leak 1-3\n"
                   "fixed critic b.c:1 other 2-2\n");
    end(&scene);
}

/* A fixer's end, in doubt about these lines of a.c ("leak"). */
static void repair_doubting(struct scene *scene, uint32_t job, enum verdict verdict,
                            const uint32_t *lines, uint32_t count)
{
    struct finding leak = { .file = STR("a.c"), .text = STR("leak") };
    struct doubtful doubts[FINDINGS_MAX];

    for (uint32_t i = 0; i < count; i++) {
        doubts[i] = (struct doubtful){ finding_fingerprint(&leak), lines[i], DOUBT_UNTOUCHED };
    }
    tell(scene, (struct event){ .kind = EV_ENDED, .job = job, .attempt = 1,
                                .result = { .verdict = verdict, .doubts = doubts,
                                            .doubt_count = count } });
}

TEST(what_a_repair_is_in_doubt_about_is_unresolved_until_the_next_one)
{
    static const uint32_t lines[] = { 3, 9 };
    struct scene scene;

    begin(&scene, 1);
    tell(&scene, (struct event){ .kind = EV_START });
    review(&scene, 1, "a.c:3 leak; b.c:4 race");
    repair_doubting(&scene, 2, VERDICT_CLEAN, lines, 2);
    assert_int_equal(scene.ledger.entries[0].doubt, DOUBT_UNTOUCHED);
    assert_int_equal(scene.ledger.entries[1].doubt, DOUBT_NONE);
    review(&scene, 3, "a.c:3 leak; b.c:4 race");
    assert_int_equal(scene.ledger.entries[0].doubt, DOUBT_UNTOUCHED);
    repair_doubting(&scene, 4, VERDICT_CLEAN, lines, 0); /* mended near its place */
    assert_int_equal(scene.ledger.entries[0].doubt, DOUBT_NONE);
    review(&scene, 5, "a.c:3 leak");
    repair_doubting(&scene, 6, VERDICT_CLEAN, lines, 1);
    review(&scene, 7, "c.c:1 other");
    assert_int_equal(scene.ledger.entries[0].doubt, DOUBT_NONE); /* its reviewer finds it no more */
    end(&scene);
}

TEST(of_fixers_that_share_a_repair_one_without_a_doubt_resolves_it)
{
    static const uint32_t first[] = { 3 }, second[] = { 9 };
    struct plan_size size = { .reviewers = 1, .repairs = 9, .invalid_max = 1, .failed_max = 1 };
    struct scene scene = { .engine = { .plan = NULL } };
    struct event found;
    struct finding leaks[2] = {
        { .file = STR("a.c"), .line = 3, .text = STR("leak"), .evidence = STR("x") },
        { .file = STR("a.c"), .line = 9, .text = STR("leak"), .evidence = STR("y") },
    };

    for (int i = 0; i < 2; i++) leaks[i].fingerprint = finding_fingerprint(&leaks[i]);
    plans_make(&scene.fixture, PLAN_REVIEW, &size);
    scene.fixture.phases[0].gate.repair.by_groups = true;
    engine_init(&scene.engine, &scene.fixture.plan);
    tell(&scene, (struct event){ .kind = EV_START });
    found = (struct event){ .kind = EV_ENDED, .job = 1, .attempt = 1,
                            .result = { .verdict = VERDICT_FINDINGS, .findings = leaks,
                                        .finding_count = 2, .fix_groups = 2 } };
    tell(&scene, found);
    repair_doubting(&scene, 2, VERDICT_CLEAN, second, 1);
    assert_int_equal(scene.ledger.entries[0].doubt, DOUBT_NONE);
    assert_int_equal(scene.ledger.entries[1].doubt, DOUBT_UNTOUCHED); /* as far as is known */
    repair_doubting(&scene, 3, VERDICT_CLEAN, first, 1);
    assert_int_equal(scene.ledger.entries[0].doubt, DOUBT_NONE);
    assert_int_equal(scene.ledger.entries[1].doubt, DOUBT_NONE);
    end(&scene);
}

TEST(each_role_speaks_for_itself)
{
    struct scene scene;

    begin(&scene, 2);
    tell(&scene, (struct event){ .kind = EV_START });
    review(&scene, 2, "a.c:3 leak");
    review(&scene, 1, "a.c:3 leak");
    expect(&scene, "open pedant a.c:3 leak 1-1\n"
                   "open critic a.c:3 leak 1-1\n");
    repair(&scene, 3);
    review(&scene, 4, "");
    expect(&scene, "open pedant a.c:3 leak 1-1\n"
                   "fixed critic a.c:3 leak 1-1\n");
    end(&scene);
}

TEST(identical_complaints_are_told_apart_by_their_lines)
{
    struct scene scene;

    begin(&scene, 1);
    tell(&scene, (struct event){ .kind = EV_START });
    review(&scene, 1, "a.sh:3 quote it; a.sh:5 quote it; b.sh:1 quote it; a.sh:9 quote it");
    expect(&scene, "open critic a.sh:3 quote it 1-1\n"
                   "open critic a.sh:5 quote it 1-1\n"
                   "open critic b.sh:1 quote it 1-1\n"
                   "open critic a.sh:9 quote it 1-1\n");
    assert_int_equal(scene.ledger.entries[1].ordinal, 1);
    assert_int_equal(scene.ledger.entries[2].ordinal, 0);
    assert_int_equal(scene.ledger.entries[3].ordinal, 2);
    repair(&scene, 2);
    review(&scene, 3, "a.sh:6 quote it; a.sh:10 quote it");
    expect(&scene, "fixed critic a.sh:3 quote it 1-1\n"
                   "open critic a.sh:6 quote it 1-2\n"
                   "fixed critic b.sh:1 quote it 1-1\n"
                   "open critic a.sh:10 quote it 1-2\n");
    repair(&scene, 4);
    review(&scene, 5, "a.sh:1 quote it; a.sh:2 quote it; a.sh:3 quote it; a.sh:4 quote it");
    expect(&scene, "open critic a.sh:3 quote it 1-3\n"
                   "open critic a.sh:1 quote it 1-3\n"
                   "fixed critic b.sh:1 quote it 1-1\n"
                   "open critic a.sh:2 quote it 1-3\n"
                   "open critic a.sh:4 quote it 3-3\n");
    end(&scene);
}

TEST(what_is_quoted_tells_which_of_them_is_left)
{
    struct scene scene;

    begin(&scene, 1);
    tell(&scene, (struct event){ .kind = EV_START });
    review(&scene, 1, "a.sh:3 quote it [cat $x; a.sh:5 quote it [ls $y; a.sh:9 quote it [rm $z");
    repair(&scene, 2);
    /* Many lines were put in front, and the middle one is mended. */
    review(&scene, 3, "a.sh:9 quote it [cat  $x; a.sh:90 quote it [RM $z");
    expect(&scene, "open critic a.sh:9 quote it 1-2\n"
                   "fixed critic a.sh:5 quote it 1-1\n"
                   "open critic a.sh:90 quote it 1-2\n");
    end(&scene);
}

TEST(the_same_complaint_of_another_place_is_another_finding)
{
    struct scene scene;

    begin(&scene, 1);
    tell(&scene, (struct event){ .kind = EV_START });
    review(&scene, 1, "a.txt:2 no full stop [Nice to see you");
    repair(&scene, 2);
    review(&scene, 3, "a.txt:3 no full stop [Come again soon");
    expect(&scene, "fixed critic a.txt:2 no full stop 1-1\n"
                   "open critic a.txt:3 no full stop 2-2\n");
    repair(&scene, 4);
    /* Told in other words about the same line, or with no words for it, it is the same. */
    review(&scene, 5, "a.txt:3 no full stop [Come again");
    repair(&scene, 6);
    review(&scene, 7, "a.txt:8 no full stop");
    expect(&scene, "fixed critic a.txt:2 no full stop 1-1\n"
                   "open critic a.txt:8 no full stop 2-4\n");
    assert_int_equal(scene.ledger.entries[1].ordinal, 1);
    end(&scene);
}

TEST(a_void_review_leaves_no_trace_among_identical_complaints)
{
    struct scene scene;

    begin(&scene, 2);
    tell(&scene, (struct event){ .kind = EV_START });
    review(&scene, 1, "a.c:1 leak [p; a.c:2 leak [q");
    review(&scene, 2, "");
    repair(&scene, 3);
    review(&scene, 4, "a.c:5 leak [r; a.c:6 leak [s; a.c:7 leak [q");
    expect(&scene, "fixed critic a.c:1 leak 1-1\n"
                   "open critic a.c:7 leak 1-2\n"
                   "open critic a.c:5 leak 2-2\n"
                   "open critic a.c:6 leak 2-2\n");
    tell(&scene, (struct event){ .kind = EV_DRIFT });
    expect(&scene, "open critic a.c:1 leak 1-1\n"
                   "open critic a.c:2 leak 1-1\n");
    tell_review(&scene, 4, 2, VERDICT_FINDINGS, "a.c:9 leak [t; a.c:40 leak [p");
    expect(&scene, "open critic a.c:40 leak 1-2\n"
                   "fixed critic a.c:2 leak 1-1\n"
                   "open critic a.c:9 leak 2-2\n");
    assert_int_equal(scene.ledger.entries[2].ordinal, 2);
    end(&scene);
}

TEST(invalid_and_failed_attempts_change_nothing)
{
    struct scene scene;

    begin(&scene, 1);
    tell(&scene, (struct event){ .kind = EV_START });
    review(&scene, 1, "a.c:3 leak");
    repair(&scene, 2);
    tell_review(&scene, 3, 1, VERDICT_INVALID, "b.c:1 nonsense");
    expect(&scene, "open critic a.c:3 leak 1-1\n");
    tell_review(&scene, 3, 2, VERDICT_FAILED, "c.c:1 nonsense");
    expect(&scene, "open critic a.c:3 leak 1-1\n");
    tell_review(&scene, 3, 3, VERDICT_FINDINGS, "a.c:3 leak");
    expect(&scene, "open critic a.c:3 leak 1-2\n");
    end(&scene);
}

TEST(only_the_attempt_that_was_asked_for_counts_and_only_once)
{
    struct scene scene;

    begin(&scene, 2);
    tell(&scene, (struct event){ .kind = EV_START });
    tell_review(&scene, 1, 1, VERDICT_INVALID, "");
    tell_review(&scene, 1, 1, VERDICT_FINDINGS, "a.c:1 from the first attempt");
    tell_review(&scene, 9, 1, VERDICT_FINDINGS, "a.c:1 from nobody");
    expect(&scene, "");
    tell_review(&scene, 1, 2, VERDICT_FINDINGS, "a.c:1 leak");
    tell_review(&scene, 1, 2, VERDICT_FINDINGS, "a.c:1 leak; a.c:2 leak");
    tell_review(&scene, 1, 2, VERDICT_CLEAN, "");
    expect(&scene, "open critic a.c:1 leak 1-1\n");
    end(&scene);
}

TEST(a_review_whose_tree_changed_is_void)
{
    struct scene scene;

    begin(&scene, 2);
    tell(&scene, (struct event){ .kind = EV_START });
    review(&scene, 1, "a.c:1 leak; b.c:2 race");
    review(&scene, 2, "");
    repair(&scene, 3);
    review(&scene, 4, "a.c:7 Leak; c.c:3 new; c.c:4 new");
    expect(&scene, "open critic a.c:7 Leak 1-2\n"
                   "fixed critic b.c:2 race 1-1\n"
                   "open critic c.c:3 new 2-2\n"
                   "open critic c.c:4 new 2-2\n");
    tell(&scene, (struct event){ .kind = EV_DRIFT });
    expect(&scene, "open critic a.c:1 leak 1-1\n"
                   "open critic b.c:2 race 1-1\n");
    tell_review(&scene, 4, 1, VERDICT_FINDINGS, "c.c:3 new"); /* of an older attempt: ignored */
    tell_review(&scene, 4, 2, VERDICT_FINDINGS, "b.c:9 race; c.c:5 new");
    expect(&scene, "fixed critic a.c:1 leak 1-1\n"
                   "open critic b.c:9 race 1-2\n"
                   "open critic c.c:5 new 2-2\n");
    end(&scene);
}

/* The one that was fixed before the void review is fixed after it as well. */
TEST(taking_a_review_back_brings_back_nothing_older)
{
    struct scene scene;

    begin(&scene, 2);
    tell(&scene, (struct event){ .kind = EV_START });
    review(&scene, 1, "a.c:1 leak");
    review(&scene, 2, "a.c:1 leak");
    repair(&scene, 3);
    review(&scene, 4, "");
    review(&scene, 5, "a.c:1 leak");
    repair(&scene, 6);
    review(&scene, 7, "a.c:5 leak");
    tell(&scene, (struct event){ .kind = EV_DRIFT });
    expect(&scene, "fixed critic a.c:1 leak 1-1\n"
                   "open pedant a.c:1 leak 1-2\n");
    tell_review(&scene, 7, 2, VERDICT_FINDINGS, "a.c:6 leak");
    tell(&scene, (struct event){ .kind = EV_DRIFT });
    tell_review(&scene, 7, 3, VERDICT_CLEAN, "");
    expect(&scene, "fixed critic a.c:1 leak 1-1\n"
                   "open pedant a.c:1 leak 1-2\n");
    end(&scene);
}

TEST(a_run_that_was_stopped_goes_on_where_it_was)
{
    struct scene scene;

    begin(&scene, 2);
    tell(&scene, (struct event){ .kind = EV_START });
    review(&scene, 1, "a.c:1 leak");
    tell(&scene, (struct event){ .kind = EV_STOP });
    tell_review(&scene, 2, 1, VERDICT_FAILED, "");
    expect(&scene, "open critic a.c:1 leak 1-1\n");
    tell(&scene, (struct event){ .kind = EV_RESUME });
    expect(&scene, "open critic a.c:1 leak 1-1\n"); /* it had answered, and is not asked again */
    tell_review(&scene, 2, 1, VERDICT_FINDINGS, "x.c:1 from before the resume");
    tell_review(&scene, 2, 2, VERDICT_FINDINGS, "b.c:2 race");
    expect(&scene, "open critic a.c:1 leak 1-1\n"
                   "open pedant b.c:2 race 1-1\n");
    end(&scene);
}

/* No event says that the attempts were ended: the run crashed. */
TEST(a_crash_and_a_changed_tree_void_what_was_answered)
{
    struct scene scene;

    begin(&scene, 2);
    tell(&scene, (struct event){ .kind = EV_START });
    review(&scene, 1, "a.c:1 leak");
    tell(&scene, (struct event){ .kind = EV_STOP });
    tell_review(&scene, 2, 1, VERDICT_FAILED, "");
    tell(&scene, (struct event){ .kind = EV_DRIFT });
    tell(&scene, (struct event){ .kind = EV_RESUME });
    expect(&scene, "");
    tell_review(&scene, 2, 2, VERDICT_FINDINGS, "b.c:2 race");
    tell_review(&scene, 1, 2, VERDICT_FINDINGS, "a.c:1 leak");
    expect(&scene, "open pedant b.c:2 race 1-1\n"
                   "open critic a.c:1 leak 1-1\n");
    end(&scene);
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

    begin(&scene, 1);
    tell(&scene, (struct event){ .kind = EV_START });
    review(&scene, 1, wordings[0]);
    name = scene.ledger.entries[0].fingerprint;
    assert_int_equal(name, scene.ledger.entries[0].finding.fingerprint);
    for (uint32_t i = 1; i < 5; i++) {
        repair(&scene, 2 * i);
        review(&scene, 2 * i + 1, wordings[i]);
        assert_int_equal(scene.ledger.count, 1);
        assert_int_equal(scene.ledger.entries[0].fingerprint, name);
        assert_int_equal(scene.ledger.entries[0].ordinal, 0);
    }
    expect(&scene, "open critic a.c:30 NULL dereference when malloc fails 1-5\n");
    end(&scene);
}

/* Five reports of five rounds, one new thing in each. */
TEST(findings_that_differ_only_in_digits_are_not_one)
{
    struct scene scene;

    begin(&scene, 1);
    tell(&scene, (struct event){ .kind = EV_START });
    review(&scene, 1, "a.c:1 problem 1");
    repair(&scene, 2);
    review(&scene, 3, "a.c:1 problem 2");
    repair(&scene, 4);
    review(&scene, 5, "a.c:2 problem 3; a.c:1 problem 2");
    expect(&scene, "fixed critic a.c:1 problem 1 1-1\n"
                   "open critic a.c:1 problem 2 2-3\n"
                   "open critic a.c:2 problem 3 3-3\n");
    for (uint32_t i = 0; i < 3; i++) assert_int_equal(scene.ledger.entries[i].ordinal, i);
    end(&scene);
}

/* Its new words are those of another that comes later: both have names of their own. */
TEST(no_two_have_one_name_though_their_words_change)
{
    struct scene scene;

    begin(&scene, 1);
    tell(&scene, (struct event){ .kind = EV_START });
    review(&scene, 1, "a.c:10 descriptor leaks when open fails");
    repair(&scene, 2);
    review(&scene, 3, "a.c:10 the descriptor is leaked if open fails");
    repair(&scene, 4);
    review(&scene, 5, "a.c:10 the descriptor is leaked if open fails; "
                      "a.c:90 the descriptor is leaked if open fails");
    expect(&scene, "open critic a.c:10 the descriptor is leaked if open fails 1-3\n"
                   "open critic a.c:90 the descriptor is leaked if open fails 3-3\n");
    assert_true(scene.ledger.entries[0].fingerprint != scene.ledger.entries[1].fingerprint);
    assert_int_equal(scene.ledger.entries[1].ordinal, 0);
    end(&scene);
}

TEST(a_void_review_takes_its_words_back)
{
    struct scene scene;

    begin(&scene, 2);
    tell(&scene, (struct event){ .kind = EV_START });
    review(&scene, 1, "a.c:10 descriptor leaks when open fails");
    review(&scene, 2, "");
    repair(&scene, 3);
    review(&scene, 4, "a.c:12 the descriptor is leaked if open fails");
    tell(&scene, (struct event){ .kind = EV_DRIFT });
    expect(&scene, "open critic a.c:10 descriptor leaks when open fails 1-1\n");
    end(&scene);
}

TEST(one_fault_that_two_roles_report_is_one_group_with_two_votes)
{
    struct scene scene;
    const struct ledger_entry *entries;

    begin(&scene, 2);
    tell(&scene, (struct event){ .kind = EV_START });
    review(&scene, 2, "b.c:1 other matter; a.c:11 open fails and the descriptor leaks");
    review(&scene, 1, "a.c:10 descriptor not closed when open fails; a.c:80 deadlock");
    ledger_group(&scene.ledger);
    entries = scene.ledger.entries;
    assert_int_equal(scene.ledger.count, 4); /* each in its own words */
    assert_int_equal(entries[1].group, entries[2].group);
    assert_int_equal(entries[1].votes, 2);
    assert_int_equal(entries[2].votes, 2);
    assert_int_equal(entries[0].votes, 1);
    assert_int_equal(entries[3].votes, 1);
    assert_true(entries[0].group != entries[1].group && entries[0].group != entries[3].group);
    end(&scene);
}

TEST(states_have_words)
{
    enum finding_state out = FINDING_OPEN;

    assert_string_equal(finding_state_word(FINDING_OPEN), "open");
    assert_true(finding_state_from_word(STR("fixed"), &out));
    assert_int_equal(out, FINDING_FIXED);
    assert_false(finding_state_from_word(STR("all"), &out));
    assert_false(finding_state_from_word(STR(""), &out));
}
