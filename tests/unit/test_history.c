/* SPDX-License-Identifier: Apache-2.0
 *
 * test_history.c - attempts with their begins and ends, out of events and actions. */
#include "run/history.h"

#include "test.h"

#include <string.h>

static const struct role roles[] = { { .name = "" }, { .name = "critic" }, { .name = "fixer" } };
static const struct phase phases[] = { { .name = "R1", .repair_name = "R2" }, { .name = "last" } };
static const struct plan plan = {
    .roles = roles, .role_count = 3, .phases = phases, .phase_count = 2,
};

static void note_start(struct history *history, uint64_t now_ms, struct action action)
{
    struct action items[] = { { .kind = ACT_RECORD }, action };
    struct actions actions = { .item = items, .count = 2 };

    items[1].kind = ACT_START;
    history_note(history, &(struct event){ .kind = EV_START, .now_ms = now_ms }, &actions);
}

static void note_end(struct history *history, uint64_t now_ms, uint32_t job, uint32_t attempt,
                     struct result result)
{
    struct event event = { .kind = EV_ENDED, .now_ms = now_ms, .job = job, .attempt = attempt,
                           .result = result };

    history_note(history, &event, &(struct actions){ 0 });
}

static void expect_result(const struct entry *entry, const char *text)
{
    struct buf out;

    assert_non_null(entry);
    buf_init(&out, 100);
    entry_result(entry, &out);
    assert_string_equal(buf_cstr(&out), text);
    buf_release(&out);
}

TEST(an_attempt_has_a_begin_and_an_end)
{
    struct history history = { 0 };
    char problem[] = "it broke";
    const struct entry *entry;

    note_start(&history, 100, (struct action){ .job = 1, .attempt = 1, .purpose = FOR_REVIEW });
    entry = history_find(&history, 1, 1);
    assert_int_equal(entry->started_ms, 100);
    assert_int_equal(entry->ended_ms, 0);
    expect_result(entry, "not ended");
    note_end(&history, 250, 1, 1, (struct result){
        .verdict = VERDICT_FAILED, .failure = FAILURE_TIME, .problem = str_of(problem) });
    memset(problem, 'x', sizeof problem - 1);
    entry = history_find(&history, 1, 1);
    assert_int_equal(entry->ended_ms, 250);
    assert_string_equal(entry->problem, "it broke");
    expect_result(entry, "failed (time)");
    history_release(&history);
}

TEST(a_start_that_must_wait_begins_when_it_may)
{
    struct history history = { 0 };

    note_start(&history, 100, (struct action){ .job = 1, .attempt = 2, .not_before_ms = 1100 });
    assert_int_equal(history_find(&history, 1, 2)->started_ms, 1100);
    history_release(&history);
}

TEST(the_newest_attempt_of_a_job_is_found_without_a_number)
{
    struct history history = { 0 };

    for (uint32_t attempt = 1; attempt <= 3; attempt++) {
        note_start(&history, attempt, (struct action){ .job = 7, .attempt = attempt });
        note_start(&history, attempt, (struct action){ .job = 8, .attempt = attempt });
    }
    assert_int_equal(history_find(&history, 7, 0)->start.attempt, 3);
    assert_int_equal(history_find(&history, 7, 2)->start.attempt, 2);
    assert_null(history_find(&history, 7, 4));
    assert_null(history_find(&history, 9, 0));
    assert_int_equal(history.count, 6);
    history_release(&history);
}

TEST(an_end_that_nobody_waits_for_changes_nothing)
{
    struct history history = { 0 };

    note_start(&history, 100, (struct action){ .job = 1, .attempt = 1, .purpose = FOR_REVIEW });
    note_end(&history, 200, 1, 2, (struct result){ .verdict = VERDICT_CLEAN });
    note_end(&history, 200, 5, 1, (struct result){ .verdict = VERDICT_CLEAN });
    assert_int_equal(history_find(&history, 1, 1)->ended_ms, 0);
    note_end(&history, 300, 1, 1, (struct result){ .verdict = VERDICT_FINDINGS,
                                                   .finding_count = 2 });
    note_end(&history, 400, 1, 1, (struct result){ .verdict = VERDICT_CLEAN });
    assert_int_equal(history_find(&history, 1, 1)->ended_ms, 300);
    expect_result(history_find(&history, 1, 1), "findings (2)");
    history_release(&history);
}

TEST(only_a_reviewer_says_clean)
{
    struct history history = { 0 };

    note_start(&history, 1, (struct action){ .job = 1, .attempt = 1, .purpose = FOR_REVIEW });
    note_start(&history, 1, (struct action){ .job = 2, .attempt = 1, .purpose = FOR_REPAIR });
    note_end(&history, 2, 1, 1, (struct result){ .verdict = VERDICT_CLEAN });
    note_end(&history, 2, 2, 1, (struct result){ .verdict = VERDICT_CLEAN });
    expect_result(history_find(&history, 1, 1), "clean");
    expect_result(history_find(&history, 2, 1), "done");
    history_release(&history);
}

TEST(a_repair_has_its_own_phase_name_where_there_is_one)
{
    const struct entry repair = { .start = { .purpose = FOR_REPAIR } };
    const struct entry review = { .start = { .purpose = FOR_REVIEW } };
    const struct entry other = { .start = { .purpose = FOR_REPAIR, .phase = 1 } };

    assert_string_equal(entry_phase(&repair, &plan), "R2");
    assert_string_equal(entry_phase(&review, &plan), "R1");
    assert_string_equal(entry_phase(&other, &plan), "last");
}

TEST(json_of_an_attempt_has_an_end_only_when_it_ended)
{
    struct entry entry = {
        .start = { .job = 3, .attempt = 2, .role = 1, .purpose = FOR_REVIEW, .round = 4 },
        .started_ms = 1000, .problem = "", .by = "",
    };

    for (uint32_t i = 0; i < 2; i++) {
        yyjson_mut_doc *doc = json_new();
        yyjson_mut_val *root = yyjson_mut_obj(doc);
        struct buf out;

        yyjson_mut_doc_set_root(doc, root);
        entry_json(&entry, &plan, doc, root);
        buf_init(&out, 1000);
        json_write(doc, false, &out);
        assert_non_null(strstr(buf_cstr(&out), "\"job\":3,\"attempt\":2,\"role\":\"critic\""));
        assert_non_null(strstr(buf_cstr(&out), "\"started\":\"1970-01-01T00:00:01Z\""));
        assert_int_equal(strstr(buf_cstr(&out), "\"verdict\":\"invalid\"") != NULL, i == 1);
        assert_int_equal(strstr(buf_cstr(&out), "\"ended\"") != NULL, i == 1);
        assert_int_equal(strstr(buf_cstr(&out), "\\u001B") != NULL, i == 1);
        buf_release(&out);
        yyjson_mut_doc_free(doc);
        entry.ended_ms = 2000;
        entry.verdict = VERDICT_INVALID;
        entry.problem = "\x1b[31m";
    }
}
