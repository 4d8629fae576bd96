/* SPDX-License-Identifier: Apache-2.0
 *
 * test_ledger_wide.c - the ledger alone: lanes, phases, iterations, and very many findings. */
#include "format/report/listing.h"
#include "core/ledger.h"

#include "core/engine.h"
#include "test.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

enum { CRITIC = 1, PEDANT = 2, WORKER = 3, JOBS_MAX = 2 };

static const struct finding leak = { .text = STR("leak"), .fingerprint = 42 };

/* A round of one role, as often as there are jobs; none of them has ended. */
struct round_of {
    struct batch batch;
    struct job jobs[JOBS_MAX];
};

static void ask(struct round_of *round, uint32_t job, uint32_t number)
{
    *round = (struct round_of){ .batch = { .count = 1, .iteration = 1, .round = number } };
    for (uint32_t i = 0; i < JOBS_MAX; i++) {
        round->jobs[i] = (struct job){ .id = job + i, .role = CRITIC, .purpose = FOR_REVIEW,
                                       .state = JOB_RUNNING, .attempt = 1 };
    }
}

static void answer(struct ledger *ledger, uint32_t lane, struct round_of *round, uint32_t nth,
                   const struct finding *list, uint32_t count)
{
    round->batch.jobs = round->jobs;
    round->jobs[nth].state = JOB_DONE;
    round->jobs[nth].result = (struct result){ .verdict = count ? VERDICT_FINDINGS : VERDICT_CLEAN,
                                               .findings = list, .finding_count = count };
    ledger_review(ledger, lane, &round->batch, (struct ledger_rule){ .policy = false });
}

static uint32_t count_of(const struct ledger *ledger)
{
    return ledger_faults(ledger).total;
}

static const struct ledger_entry *entry_of(const struct ledger *ledger, uint32_t lane,
                                           uint32_t nth)
{
    const struct ledger_entry *entries;

    assert_true(nth < ledger_of_lane(ledger, lane, &entries));
    return &entries[nth];
}

TEST(lanes_and_phases_are_kept_apart)
{
    struct ledger ledger = { 0 };
    struct round_of round;

    for (uint32_t i = 0; i < 4; i++) {
        ask(&round, i + 1, 1);
        round.batch.phase = i % 2;
        answer(&ledger, i / 2, &round, 0, &leak, 1);
    }
    assert_int_equal(count_of(&ledger), 4);
    ask(&round, 5, 2);
    answer(&ledger, 0, &round, 0, NULL, 0);
    for (uint32_t i = 0; i < 4; i++) {
        const struct ledger_entry *entry = entry_of(&ledger, i / 2, i % 2);

        assert_int_equal(entry->lane, i / 2);
        assert_int_equal(entry->phase, i % 2);
        assert_int_equal(entry->ordinal, 0);
        assert_int_equal(entry->state, i == 0 ? FINDING_FIXED : FINDING_NEW);
    }
    ledger_release(&ledger);
}

/* Lane 1's review is void: it is asked again. */
TEST(a_review_taken_back_leaves_the_other_lanes_as_they_were)
{
    struct ledger ledger = { 0 };
    struct round_of one, two;

    ask(&one, 1, 1);
    ask(&two, 2, 1);
    answer(&ledger, 1, &one, 0, &leak, 1);
    answer(&ledger, 2, &two, 0, &leak, 1);
    assert_int_equal(count_of(&ledger), 2);
    one.jobs[0].state = JOB_RUNNING;
    one.jobs[0].attempt = 2;
    ledger_review(&ledger, 1, &one.batch, (struct ledger_rule){ .policy = false });
    assert_int_equal(count_of(&ledger), 1);
    assert_int_equal(entry_of(&ledger, 2, 0)->state, FINDING_NEW);
    ask(&two, 3, 2);
    answer(&ledger, 2, &two, 0, NULL, 0);
    assert_int_equal(entry_of(&ledger, 2, 0)->state, FINDING_FIXED);
    answer(&ledger, 1, &one, 0, &leak, 1);
    assert_int_equal(count_of(&ledger), 2);
    assert_int_equal(ledger_faults(&ledger).open_count, 1);
    ledger_release(&ledger);
}

/* They are listed in the order in which their rounds began, over all lanes. */
TEST(the_list_is_in_the_order_of_first_reports_over_all_lanes)
{
    static const uint32_t lanes[] = { 3, 0, 2, 0, 1 };
    const struct ledger_entry *const *entries;
    struct ledger ledger = { 0 };
    struct arena arena = { 0 };
    struct round_of round;

    for (uint32_t i = 0; i < 5; i++) {
        struct finding finding = { .text = STR("x"), .fingerprint = 100 + i };

        ask(&round, i + 1, i + 1);
        answer(&ledger, lanes[i], &round, 0, &finding, 1);
    }
    assert_int_equal(ledger_list(&ledger, &arena, &entries), 5);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(entries[i]->fingerprint, 100 + i);
        assert_int_equal(entries[i]->lane, lanes[i]);
    }
    arena_release(&arena);
    ledger_release(&ledger);
}

TEST(iterations_go_on_with_the_same_findings)
{
    struct ledger ledger = { 0 };
    struct round_of round;

    for (uint32_t i = 1; i <= 3; i++) {
        ask(&round, i, 1);
        round.batch.iteration = i;
        answer(&ledger, 0, &round, 0, &leak, i == 2 ? 0 : 1);
    }
    assert_int_equal(count_of(&ledger), 1);
    assert_int_equal(entry_of(&ledger, 0, 0)->iteration_first, 1);
    assert_int_equal(entry_of(&ledger, 0, 0)->iteration_last, 3);
    assert_int_equal(entry_of(&ledger, 0, 0)->rounds_seen, 2);
    assert_int_equal(entry_of(&ledger, 0, 0)->regressions, 1);
    assert_int_equal(entry_of(&ledger, 0, 0)->state, FINDING_REGRESSED);
    ledger_release(&ledger);
}

TEST(one_role_asked_twice_in_a_round_mends_nothing_of_its_own)
{
    const struct finding race = { .text = STR("race"), .fingerprint = 43 };
    struct ledger ledger = { 0 };
    struct round_of round;

    ask(&round, 1, 1);
    round.batch.count = 2;
    answer(&ledger, 0, &round, 0, &leak, 1);
    answer(&ledger, 0, &round, 1, &race, 1);
    assert_int_equal(ledger_faults(&ledger).open_count, 2);
    ask(&round, 3, 2);
    round.batch.count = 2;
    answer(&ledger, 0, &round, 0, &leak, 1);
    assert_int_equal(ledger_faults(&ledger).open_count, 1);
    answer(&ledger, 0, &round, 1, &race, 1);
    assert_int_equal(ledger_faults(&ledger).open_count, 2);
    ledger_release(&ledger);
}

/* The engine is asked: an agent at work may say what it likes. */
TEST(a_checkpoint_is_a_review_and_work_is_none)
{
    static const struct role roles[] = {
        { .name = "" }, { .name = "critic" }, { .name = "pedant" },
        { .name = "worker", .writes = true },
    };
    static const uint16_t reviewers[] = { CRITIC };
    static const struct phase phases[] = { {
        .name = "build", .fan = true,
        .work = { .role = WORKER, .copies = 1, .run_max = 9, .checkpoint_role = PEDANT,
                  .checkpoint_every = 1 },
        .gate = { .reviewers = reviewers, .reviewer_count = 1, .repair = { .role = WORKER },
                  .repair_max = 3, .at_bound = BOUND_STUCK } } };
    static const struct plan plan = { .roles = roles, .role_count = 4, .phases = phases,
                                      .phase_count = 1, .iteration_max = 1, .lane_max = 1,
                                      .integrate = WORKER };
    static const bool reviews[] = { false, true, false, true }; /* work, checkpoint, ... */
    static const uint32_t tasks = 1;
    struct event event = { .kind = EV_START, .result = { .groups = &tasks, .group_count = 1 } };
    struct actions actions = { 0 };
    struct engine engine;

    assert_null(plan_problem(&plan));
    engine_init(&engine, &plan);
    engine_step(&engine, &event, &actions);
    for (uint32_t job = 1; job <= 4; job++) {
        struct finding finding = { .text = STR("leak"), .fingerprint = job };
        bool clean = job == 4;

        event = (struct event){ .kind = EV_ENDED, .job = job, .attempt = 1, .result = {
            .verdict = clean ? VERDICT_CLEAN : VERDICT_FINDINGS, .findings = &finding,
            .finding_count = !clean } };
        if (!reviews[job - 1]) event.result.verdict = VERDICT_CLEAN;
        engine_step(&engine, &event, &actions);
        assert_int_equal(count_of(&engine.ledger), job > 1);
    }
    assert_int_equal(entry_of(&engine.ledger, 1, 0)->role, PEDANT);
    /* All checkpoints are of one round; the next one looks again all the same. */
    assert_int_equal(entry_of(&engine.ledger, 1, 0)->state, FINDING_FIXED);
    engine_release(&engine);
    actions_release(&actions);
}

TEST(every_text_of_a_finding_is_kept)
{
    char bytes[] = "source\0kind\0file\0text\0evidence\0suggestion\0fix";
    struct finding finding = { .severity = SEVERITY_MEDIUM, .line = 1, .column = 2, .end_line = 3,
                               .end_column = 4, .fingerprint = 5 };
    struct str *const texts[] = { &finding.source, &finding.kind, &finding.file, &finding.text,
                                  &finding.evidence, &finding.suggestion, &finding.fix };
    struct ledger ledger = { 0 };
    struct round_of round;
    const struct finding *kept;
    size_t at = 0;

    for (uint32_t i = 0; i < 7; i++) {
        *texts[i] = str_of(bytes + at);
        at += texts[i]->size + 1;
    }
    ask(&round, 1, 1);
    answer(&ledger, 0, &round, 0, &finding, 1);
    ask(&round, 2, 2); /* by then they are the ledger's own: the review is gone */
    answer(&ledger, 0, &round, 0, NULL, 0);
    memset(bytes, 'x', sizeof bytes);
    kept = &entry_of(&ledger, 0, 0)->finding;
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
TEST(twenty_thousand_findings_over_fifty_rounds_cost_what_the_findings_cost)
{
    enum { COUNT = 20000, ROUNDS = 50 };
    struct finding *list = calloc(COUNT, sizeof *list);
    struct ledger ledger = { 0 };
    struct round_of asked;
    size_t used = 0;

    assert_non_null(list);
    for (uint32_t i = 0; i < COUNT; i++) {
        list[i] = (struct finding){ .text = STR("text"), .file = STR("file"), .line = i,
                                    .fingerprint = i < COUNT / 2 ? 7 : i };
    }
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        if (round == 5) used = mallinfo2().uordblks;
        ask(&asked, round, round);
        answer(&ledger, 0, &asked, 0, list + round % 2, COUNT - round % 2);
    }
    assert_int_equal(count_of(&ledger), COUNT);
    assert_int_equal(ledger_faults(&ledger).open_count, COUNT);
    assert_true(mallinfo2().uordblks <= used + used / 10); /* findings cost, rounds do not */
    ledger_release(&ledger);
    free(list);
}
