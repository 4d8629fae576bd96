/* SPDX-License-Identifier: Apache-2.0
 *
 * test_ledger_wide.c - the ledger alone: lanes, phases, iterations, and very many findings. */
#include "format/report/listing.h"
#include "core/ledger.h"

#include "test.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CRITIC = 1, PEDANT = 2 };

static void ask(struct ledger *ledger, struct action action)
{
    struct actions actions = { .item = &action, .count = 1 };

    action.kind = ACT_START;
    ledger_note(ledger, &(struct event){ .kind = EV_START }, &actions);
}

static void answer(struct ledger *ledger, uint32_t job, const struct finding *list, uint32_t count)
{
    struct action record = { .kind = ACT_RECORD };
    struct event event = { .kind = EV_ENDED, .job = job, .attempt = 1,
                           .result = { .verdict = count ? VERDICT_FINDINGS : VERDICT_CLEAN,
                                       .findings = list, .finding_count = count } };

    ledger_note(ledger, &event, &(struct actions){ .item = &record, .count = 1 });
}

/* After a resume a lane may wait for its place: a late result from before is ignored. */
TEST(an_event_that_changed_nothing_changes_nothing)
{
    const struct finding leak = { .text = STR("leak"), .fingerprint = 42 };
    const struct event late = { .kind = EV_ENDED, .job = 1, .attempt = 1,
                                .result = { .verdict = VERDICT_FINDINGS, .findings = &leak,
                                            .finding_count = 1 } };
    struct ledger ledger = { 0 };

    ask(&ledger, (struct action){ .purpose = FOR_REVIEW, .job = 1, .attempt = 1, .round = 1 });
    ledger_note(&ledger, &late, &(struct actions){ 0 });
    assert_int_equal(ledger.count, 0);
    answer(&ledger, 1, &leak, 1);
    assert_int_equal(ledger.count, 1);
    ledger_release(&ledger);
}

TEST(lanes_and_phases_are_kept_apart)
{
    const struct finding leak = { .text = STR("leak"), .fingerprint = 42 };
    struct ledger ledger = { 0 };
    struct action start = { .purpose = FOR_REVIEW, .attempt = 1, .role = CRITIC, .round = 1,
                            .iteration = 1 };

    for (uint32_t i = 0; i < 4; i++) {
        start.job = i + 1;
        start.lane = i / 2;
        start.phase = i % 2;
        ask(&ledger, start);
        answer(&ledger, start.job, &leak, 1);
    }
    assert_int_equal(ledger.count, 4);
    start.job = 5;
    start.round = 2;
    start.lane = start.phase = 0;
    ask(&ledger, start);
    answer(&ledger, 5, NULL, 0);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(ledger.entries[i].lane, i / 2);
        assert_int_equal(ledger.entries[i].phase, i % 2);
        assert_int_equal(ledger.entries[i].state, i == 0 ? FINDING_FIXED : FINDING_OPEN);
    }
    ledger_release(&ledger);
}

/* Lane 1's review is void: what it found first is gone, and lane 2's finding has moved up. */
TEST(a_review_taken_back_leaves_the_other_lanes_as_they_were)
{
    const struct finding leak = { .text = STR("leak"), .fingerprint = 42 };
    struct ledger ledger = { 0 };
    struct action one = { .purpose = FOR_REVIEW, .job = 1, .attempt = 1, .role = CRITIC,
                          .round = 1, .iteration = 1, .lane = 1 };
    struct action two = one;

    two.job = two.lane = 2;
    ask(&ledger, one);
    ask(&ledger, two);
    answer(&ledger, 1, &leak, 1);
    answer(&ledger, 2, &leak, 1);
    assert_int_equal(ledger.count, 2);
    one.attempt = 2;
    ask(&ledger, one);
    assert_int_equal(ledger.count, 1);
    assert_int_equal(ledger.entries[0].lane, 2);
    two.job = 3;
    two.round = 2;
    ask(&ledger, two);
    answer(&ledger, 3, NULL, 0);
    assert_int_equal(ledger.entries[0].state, FINDING_FIXED);
    one.job = 4;
    one.attempt = 1;
    ask(&ledger, one);
    answer(&ledger, 4, &leak, 1);
    assert_int_equal(ledger.count, 2);
    assert_int_equal(ledger_faults(&ledger).states[FINDING_OPEN], 1);
    ledger_release(&ledger);
}

TEST(iterations_go_on_with_the_same_findings)
{
    const struct finding leak = { .text = STR("leak"), .fingerprint = 42 };
    struct ledger ledger = { 0 };

    for (uint32_t i = 1; i <= 3; i++) {
        ask(&ledger, (struct action){ .purpose = FOR_REVIEW, .job = i, .attempt = 1,
                                      .role = CRITIC, .round = 1, .iteration = i });
        answer(&ledger, i, &leak, i == 2 ? 0 : 1);
    }
    assert_int_equal(ledger.count, 1);
    assert_int_equal(ledger.entries[0].iteration_first, 1);
    assert_int_equal(ledger.entries[0].iteration_last, 3);
    assert_int_equal(ledger.entries[0].state, FINDING_OPEN);
    ledger_release(&ledger);
}

TEST(one_role_asked_twice_in_a_round_mends_nothing_of_its_own)
{
    const struct finding leak = { .text = STR("leak"), .fingerprint = 42 };
    const struct finding race = { .text = STR("race"), .fingerprint = 43 };
    struct ledger ledger = { 0 };
    struct action start = { .purpose = FOR_REVIEW, .attempt = 1, .role = CRITIC, .round = 1,
                            .iteration = 1 };

    for (start.job = 1; start.job <= 2; start.job++) ask(&ledger, start);
    answer(&ledger, 1, &leak, 1);
    answer(&ledger, 2, &race, 1);
    assert_int_equal(ledger_faults(&ledger).states[FINDING_OPEN], 2);
    ledger_release(&ledger);
}

TEST(a_checkpoint_is_a_review_and_work_is_none)
{
    const struct finding leak = { .text = STR("leak"), .fingerprint = 42 };
    struct ledger ledger = { 0 };

    for (uint32_t i = 0; i < FOR_COUNT; i++) {
        bool reviews = i == FOR_REVIEW || i == FOR_CHECKPOINT;

        ask(&ledger, (struct action){ .purpose = (enum purpose)i, .job = i + 1, .attempt = 1,
                                      .role = PEDANT, .round = 1, .iteration = 1, .lane = i });
        answer(&ledger, i + 1, &leak, 1);
        assert_int_equal(ledger.count > 0 && ledger.entries[ledger.count - 1].lane == i, reviews);
    }
    /* All checkpoints are of round 1; the next one looks again all the same. */
    ask(&ledger, (struct action){ .purpose = FOR_CHECKPOINT, .job = 90, .attempt = 1,
                                  .role = PEDANT, .round = 1, .iteration = 1,
                                  .lane = FOR_CHECKPOINT });
    answer(&ledger, 90, NULL, 0);
    assert_int_equal(ledger_faults(&ledger).states[FINDING_FIXED], 1);
    ledger_release(&ledger);
}

TEST(every_text_of_a_finding_is_kept)
{
    char bytes[] = "source\0kind\0file\0text\0evidence\0suggestion\0fix";
    struct finding finding = { .severity = SEVERITY_MEDIUM, .line = 1, .column = 2, .end_line = 3,
                               .end_column = 4, .fingerprint = 5 };
    struct str *const texts[] = { &finding.source, &finding.kind, &finding.file, &finding.text,
                                  &finding.evidence, &finding.suggestion, &finding.fix };
    struct ledger ledger = { 0 };
    const struct finding *kept;
    size_t at = 0;

    for (uint32_t i = 0; i < 7; i++) {
        *texts[i] = str_of(bytes + at);
        at += texts[i]->size + 1;
    }
    ask(&ledger, (struct action){ .purpose = FOR_REVIEW, .job = 1, .attempt = 1 });
    answer(&ledger, 1, &finding, 1);
    memset(bytes, 'x', sizeof bytes);
    kept = &ledger.entries[0].finding;
    assert_true(str_is(kept->source, "source"));
    assert_true(str_is(kept->kind, "kind"));
    assert_true(str_is(kept->file, "file"));
    assert_true(str_is(kept->text, "text"));
    assert_true(str_is(kept->evidence, "evidence"));
    assert_true(str_is(kept->suggestion, "suggestion"));
    assert_true(str_is(kept->fix, "fix"));
    assert_int_equal(kept->end_column, 4);
    ledger_release(&ledger);
}

/* Identical and different ones; each round loses the last of the identical and finds it again. */
TEST(twenty_thousand_findings_over_fifty_rounds_are_quick_and_small)
{
    enum { COUNT = 20000, ROUNDS = 50 };
    struct finding *list = calloc(COUNT, sizeof *list);
    struct ledger ledger = { 0 };
    clock_t before = clock();
    size_t used = 0;

    assert_non_null(list);
    for (uint32_t i = 0; i < COUNT; i++) {
        list[i] = (struct finding){ .text = STR("text"), .file = STR("file"), .line = i,
                                    .fingerprint = i < COUNT / 2 ? 7 : i };
    }
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        if (round == 5) used = mallinfo2().uordblks;
        ask(&ledger, (struct action){ .purpose = FOR_REVIEW, .job = round, .attempt = 1,
                                      .role = CRITIC, .round = round, .iteration = 1 });
        answer(&ledger, round, list + round % 2, COUNT - round % 2);
    }
    assert_int_equal(ledger.count, COUNT);
    assert_int_equal(ledger_faults(&ledger).states[FINDING_OPEN], COUNT);
    assert_true(mallinfo2().uordblks <= used + used / 10); /* findings cost, rounds do not */
    assert_true((double)(clock() - before) / CLOCKS_PER_SEC < 4);
    ledger_release(&ledger);
    free(list);
}
