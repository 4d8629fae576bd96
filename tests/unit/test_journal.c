/* SPDX-License-Identifier: Apache-2.0
 *
 * test_journal.c - runs and events go in, and what was committed comes out, in order, also
 * while others write. How the file itself is opened and refused is in test_database.c. */
#include "base/clock.h"
#include "base/mem.h"
#include "journal_ground.h"
#include "test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- short words for what every test does ---- */

static struct err err;

static struct journal_run run_row(const char *id, uint64_t created_ms)
{
    return (struct journal_run){ .id = id, .dialect = "review", .task = "look at it",
                                 .workspace = "/w", .settings = "{}",
                                 .created_ms = created_ms, .updated_ms = created_ms };
}

static void add_run(struct journal *journal, const char *id, uint64_t created_ms)
{
    struct journal_run row = run_row(id, created_ms);

    assert_int_equal(journal_begin(journal, &err), 0);
    assert_int_equal(journal_put_run(journal, &row, &err), 0);
    assert_int_equal(journal_commit(journal, &err), 0);
}

static int put_job(struct journal *journal, const char *run, uint32_t job)
{
    struct event event = { .kind = EV_ENDED, .now_ms = 1000 + job, .job = job, .attempt = 1 };

    return journal_put_event(journal, run, &event, &err);
}

static void add_job(struct journal *journal, const char *run, uint32_t job)
{
    assert_int_equal(journal_begin(journal, &err), 0);
    assert_int_equal(put_job(journal, run, job), 0);
    assert_int_equal(journal_commit(journal, &err), 0);
}

struct seen {
    uint64_t count, stop_at;
    uint32_t jobs[64];
};

static bool on_event(void *context, uint64_t sequence, const struct event *event)
{
    struct seen *seen = context;

    assert_int_equal(sequence, seen->count + 1);
    if (seen->count < COUNT(seen->jobs)) seen->jobs[seen->count] = event->job;
    seen->count++;
    return seen->count != seen->stop_at;
}

static struct seen replayed(struct journal *journal, const char *run)
{
    struct seen seen = { 0 };

    if (journal_replay(journal, run, 0, on_event, &seen, &err) != 0) fail_msg("%s", err.text);
    return seen;
}

/* ---- tests ---- */

static bool check_event(void *context, uint64_t sequence, const struct event *event)
{
    const struct result *result = &event->result;

    assert_int_equal(sequence, 1);
    assert_int_equal(event->kind, EV_ENDED);
    assert_int_equal(event->job, 3);
    assert_true(event->now_ms == 77);
    assert_int_equal(result->verdict, VERDICT_FINDINGS);
    assert_int_equal(result->finding_count, 1);
    assert_true(str_is(result->findings[0].text, "a finding"));
    assert_true(result->findings[0].fingerprint == UINT64_MAX);
    assert_int_equal(result->doc.size, 1 << 20);
    *(bool *)context = true;
    return true;
}

#define JOURNAL_TEST(name) TEST_WITH(name, journal_ground_open, journal_ground_close)

JOURNAL_TEST(what_was_committed_comes_back_after_reopening)
{
    struct finding finding = { .text = STR("a finding"), .fingerprint = UINT64_MAX };
    char *doc = mem_alloc(1 << 20);
    struct event event = { .kind = EV_ENDED, .now_ms = 77, .job = 3, .attempt = 1,
                           .result = { .verdict = VERDICT_FINDINGS, .findings = &finding,
                                       .finding_count = 1, .doc = { doc, 1 << 20 } } };
    struct journal *journal = open_journal();
    struct arena arena = { 0 };
    struct journal_run row;
    bool seen = false;

    memset(doc, '"', 1 << 20);
    row = run_row("r1", 50);
    row.task = "a \xff task";
    assert_int_equal(journal_begin(journal, &err), 0);
    assert_int_equal(journal_put_run(journal, &row, &err), 0);
    assert_int_equal(journal_put_event(journal, "r1", &event, &err), 0);
    assert_int_equal(journal_commit(journal, &err), 0);
    journal_close(journal);
    free(doc);

    journal = open_journal();
    assert_int_equal(journal_replay(journal, "r1", 0, check_event, &seen, &err), 0);
    assert_true(seen);
    assert_int_equal(journal_find(journal, "r1", NULL, &arena, &row, &err), 0);
    assert_string_equal(row.dialect, "review");
    assert_string_equal(row.task, "a \xff task");
    assert_string_equal(row.workspace, "/w");
    assert_string_equal(row.settings, "{}");
    assert_true(row.created_ms == 50);
    assert_true(row.updated_ms == 77);
    assert_int_equal(row.reason, REASON_NONE);
    assert_true(row.event_count == 1);
    arena_release(&arena);
    journal_close(journal);
}

JOURNAL_TEST(events_are_numbered_by_run)
{
    struct journal *journal = open_journal();
    struct seen seen;

    add_run(journal, "a", 1);
    add_run(journal, "b", 2);
    assert_int_equal(journal_begin(journal, &err), 0);
    for (uint32_t job = 1; job <= 9; job++) {
        assert_int_equal(put_job(journal, job % 3 ? "a" : "b", job), 0);
    }
    assert_int_equal(journal_commit(journal, &err), 0);
    seen = replayed(journal, "a");
    assert_int_equal(seen.count, 6);
    assert_int_equal(seen.jobs[0], 1);
    assert_int_equal(seen.jobs[5], 8);
    seen = replayed(journal, "b");
    assert_int_equal(seen.count, 3);
    assert_int_equal(seen.jobs[1], 6);
    assert_int_equal(replayed(journal, "nobody").count, 0);

    seen = (struct seen){ .stop_at = 2 };
    assert_int_equal(journal_replay(journal, "a", 0, on_event, &seen, &err), 0);
    assert_int_equal(seen.count, 2);
    journal_close(journal);
}

JOURNAL_TEST(two_handles_on_one_run_do_not_clash)
{
    struct journal *one = open_journal();
    struct journal *two = open_journal();
    struct seen seen;

    add_run(one, "a", 1);
    for (uint32_t job = 1; job <= 6; job++) add_job(job % 2 ? one : two, "a", job);
    seen = replayed(one, "a");
    assert_int_equal(seen.count, 6);
    for (uint32_t i = 0; i < 6; i++) assert_int_equal(seen.jobs[i], i + 1);
    journal_close(one);
    journal_close(two);
}

JOURNAL_TEST(what_was_not_committed_is_not_there)
{
    struct journal *journal = open_journal();
    pid_t child;
    int status;

    add_run(journal, "a", 1);
    add_job(journal, "a", 1);
    assert_int_equal(journal_begin(journal, &err), 0);
    assert_int_equal(put_job(journal, "a", 2), 0);
    journal_close(journal);

    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        bool done = journal_open(&journal, journal_path, &err) == 0 &&
                    journal_begin(journal, &err) == 0 &&
                    put_job(journal, "a", 3) == 0;
        _exit(done ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);

    journal = open_journal();
    assert_int_equal(replayed(journal, "a").count, 1);
    add_job(journal, "a", 4);
    assert_int_equal(replayed(journal, "a").jobs[1], 4);
    journal_close(journal);
}

JOURNAL_TEST(a_failed_put_takes_the_transaction_with_it)
{
    struct journal *journal = open_journal();
    struct journal_run row = run_row("a", 1);

    add_run(journal, "a", 1);
    assert_int_equal(journal_begin(journal, &err), 0);
    assert_int_equal(put_job(journal, "a", 1), 0);
    assert_int_equal(put_job(journal, "nobody", 1), ERR_MISSING);
    assert_non_null(strstr(err.text, journal_path));
    assert_non_null(strstr(err.text, "there is no run nobody"));
    assert_int_equal(replayed(journal, "a").count, 0);

    assert_int_equal(journal_begin(journal, &err), 0);
    assert_int_equal(put_job(journal, "a", 1), 0);
    assert_int_equal(journal_put_run(journal, &row, &err), ERR_USAGE);
    assert_int_equal(replayed(journal, "a").count, 0);

    assert_int_equal(journal_begin(journal, &err), 0);
    assert_int_equal(journal_put_reason(journal, "nobody", REASON_CLEAN, &err), ERR_MISSING);
    add_job(journal, "a", 5);
    assert_int_equal(replayed(journal, "a").count, 1);
    journal_close(journal);
}

/* In a process of its own: opens, and adds events to a run of its own. */
static void append_many(const char *run, uint32_t count)
{
    struct journal *journal;
    struct journal_run row = run_row(run, 1);
    int rc = journal_open(&journal, journal_path, &err);

    if (rc == 0) rc = journal_begin(journal, &err);
    if (rc == 0) rc = journal_put_run(journal, &row, &err);
    if (rc == 0) rc = journal_commit(journal, &err);
    for (uint32_t job = 1; rc == 0 && job <= count; job++) {
        rc = journal_begin(journal, &err);
        if (rc == 0) rc = put_job(journal, run, job);
        if (rc == 0) rc = journal_commit(journal, &err);
    }
    if (rc != 0) (void)fprintf(stderr, "%s: %s\n", run, err.text);
    _exit(rc == 0 ? 0 : 1);
}

JOURNAL_TEST(processes_make_it_and_append_at_once)
{
    static const char *const runs[] = { "a", "b", "c", "d" };
    pid_t children[COUNT(runs)];
    struct journal *journal;

    for (size_t i = 0; i < COUNT(runs); i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) append_many(runs[i], 40);
    }
    for (size_t i = 0; i < COUNT(runs); i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    journal = open_journal();
    for (size_t i = 0; i < COUNT(runs); i++) {
        struct seen seen = replayed(journal, runs[i]);
        assert_int_equal(seen.count, 40);
        for (uint32_t job = 0; job < 40; job++) assert_int_equal(seen.jobs[job], job + 1);
    }
    journal_close(journal);
}

JOURNAL_TEST(a_reason_is_kept_and_taken_back)
{
    struct journal *journal = open_journal();
    struct arena arena = { 0 };
    struct journal_run row;

    add_run(journal, "a", 1);
    for (int reason = REASON_COUNT - 1; reason >= 0; reason--) {
        assert_int_equal(journal_begin(journal, &err), 0);
        assert_int_equal(journal_put_reason(journal, "a", (enum reason)reason, &err), 0);
        assert_int_equal(journal_commit(journal, &err), 0);
        assert_int_equal(journal_find(journal, "a", NULL, &arena, &row, &err), 0);
        assert_int_equal(row.reason, reason);
    }
    sql_by_hand("UPDATE runs SET reason = 'boredom'");
    assert_int_equal(journal_find(journal, "a", NULL, &arena, &row, &err), ERR_FORMAT);
    assert_non_null(strstr(err.text, "run a"));
    arena_release(&arena);
    journal_close(journal);
}

JOURNAL_TEST(an_id_or_a_dialect_that_is_no_name_is_refused_and_times_are_those_of_a_calendar)
{
    static const char *const wild[] = { "char(27) || '[31m'", "CAST(x'fffe' AS TEXT)", "'../up'",
                                        "''", "'.'", "printf('%.*c', 100, 'x')" };
    struct journal *journal = open_journal();
    struct arena arena = { 0 };
    struct journal_run row;

    add_run(journal, "a", 1);
    sql_by_hand("UPDATE runs SET created_ms = -5, updated_ms = 9223372036854775807");
    assert_int_equal(journal_find(journal, "", NULL, &arena, &row, &err), 0);
    assert_int_equal(row.created_ms, 0);
    assert_int_equal(row.updated_ms, CLOCK_MS_MAX);
    for (size_t i = 0; i < sizeof wild / sizeof *wild; i++) {
        char sql[256];

        snprintf(sql, sizeof sql, "UPDATE runs SET dialect = %s", wild[i]);
        sql_by_hand(sql);
        assert_int_equal(journal_find(journal, "", NULL, &arena, &row, &err), ERR_FORMAT);
        snprintf(sql, sizeof sql, "UPDATE runs SET dialect = 'd', id = %s", wild[i]);
        sql_by_hand(sql);
        assert_int_equal(journal_find(journal, "", NULL, &arena, &row, &err), ERR_FORMAT);
    }
    arena_release(&arena);
    journal_close(journal);
}

struct listed {
    char ids[64];
    uint32_t left;
};

static bool on_run(void *context, const struct journal_run *run)
{
    struct listed *listed = context;
    size_t used = strlen(listed->ids);

    (void)snprintf(listed->ids + used, sizeof listed->ids - used, "%s:%" PRIu64 " ", run->id,
                   run->event_count);
    return --listed->left > 0;
}

JOURNAL_TEST(runs_are_listed_newest_first)
{
    struct journal *journal = open_journal();
    struct arena arena = { 0 };
    struct listed all = { .left = 99 }, two = { .left = 2 };

    assert_int_equal(journal_runs(journal, &arena, on_run, &all, &err), 0);
    assert_string_equal(all.ids, "");
    add_run(journal, "old", 1);
    add_run(journal, "new", 3);
    add_run(journal, "mid", 2);
    add_run(journal, "mie", 2);
    add_job(journal, "mid", 1);
    assert_int_equal(journal_runs(journal, &arena, on_run, &all, &err), 0);
    assert_string_equal(all.ids, "new:0 mie:0 mid:1 old:0 ");
    assert_int_equal(journal_runs(journal, &arena, on_run, &two, &err), 0);
    assert_string_equal(two.ids, "new:0 mie:0 ");
    arena_release(&arena);
    journal_close(journal);
}

static void assert_found(struct journal *journal, const char *prefix, const char *workspace,
                         const char *id)
{
    struct arena arena = { 0 };
    struct journal_run row;

    if (journal_find(journal, prefix, workspace, &arena, &row, &err) != 0) {
        fail_msg("%s: %s", prefix, err.text);
    }
    assert_string_equal(row.id, id);
    arena_release(&arena);
}

JOURNAL_TEST(a_run_is_found_by_the_beginning_of_its_id)
{
    struct journal *journal = open_journal();
    struct arena arena = { 0 };
    struct journal_run row;

    assert_int_equal(journal_find(journal, "", NULL, &arena, &row, &err), ERR_MISSING);
    add_run(journal, "abc", 1);
    add_run(journal, "abc1", 9);
    add_run(journal, "abd", 3);
    row = run_row("x_y", 2);
    row.workspace = "/other";
    assert_int_equal(journal_begin(journal, &err), 0);
    assert_int_equal(journal_put_run(journal, &row, &err), 0);
    assert_int_equal(journal_commit(journal, &err), 0);

    assert_found(journal, "", NULL, "abc1");
    assert_found(journal, "", "/other", "x_y");
    assert_found(journal, "abc1", NULL, "abc1");
    assert_found(journal, "abc", NULL, "abc");
    assert_found(journal, "abd", "/other", "abd");
    assert_found(journal, "x_", NULL, "x_y");
    assert_int_equal(journal_find(journal, "", "/none", &arena, &row, &err), ERR_MISSING);
    assert_int_equal(journal_find(journal, "_", NULL, &arena, &row, &err), ERR_MISSING);
    assert_int_equal(journal_find(journal, "ABC", NULL, &arena, &row, &err), ERR_MISSING);
    assert_int_equal(journal_find(journal, "abcd", NULL, &arena, &row, &err), ERR_MISSING);
    assert_int_equal(journal_find(journal, "ab", NULL, &arena, &row, &err), ERR_USAGE);
    assert_string_equal(err.text, "ab fits several runs: abc1, abd, abc; give more of the id");
    for (uint32_t i = 0; i < 10; i++) {
        char id[8];
        (void)snprintf(id, sizeof id, "n%u", (unsigned)i);
        add_run(journal, id, 100 + i);
    }
    assert_int_equal(journal_find(journal, "n", NULL, &arena, &row, &err), ERR_USAGE);
    assert_non_null(strstr(err.text, "n9, n8, n7, n6, n5, n4, n3, n2 and more;"));
    arena_release(&arena);
    journal_close(journal);
}

JOURNAL_TEST(a_damaged_event_is_named)
{
    struct journal *journal = open_journal();
    struct seen seen = { 0 };

    add_run(journal, "a", 1);
    for (uint32_t job = 1; job <= 5; job++) add_job(journal, "a", job);
    sql_by_hand("UPDATE events SET body = '{\"event\":\"ended\"' WHERE seq = 4");
    assert_int_equal(journal_replay(journal, "a", 0, on_event, &seen, &err), ERR_FORMAT);
    assert_int_equal(seen.count, 3);
    assert_non_null(strstr(err.text, journal_path));
    assert_non_null(strstr(err.text, "run a: event 4: line 1"));

    sql_by_hand("DELETE FROM events WHERE seq = 2");
    seen = (struct seen){ 0 };
    assert_int_equal(journal_replay(journal, "a", 0, on_event, &seen, &err), ERR_FORMAT);
    assert_int_equal(seen.count, 1);
    assert_non_null(strstr(err.text, "run a: event 2 is missing"));
    journal_close(journal);
}

static bool count_behind(void *context, uint64_t sequence, const struct event *event)
{
    struct seen *seen = context;

    assert_int_equal(sequence, event->job);
    seen->jobs[seen->count++] = event->job;
    return true;
}

JOURNAL_TEST(a_reader_that_stays_is_told_of_commits_and_reads_on)
{
    struct journal *journal = open_journal(), *reader;
    uint64_t before, after, census, census_after;
    struct arena arena = { 0 };
    struct journal_run run;
    struct seen seen = { 0 };

    add_run(journal, "a", 1);
    for (uint32_t job = 1; job <= 3; job++) add_job(journal, "a", job);
    assert_int_equal(journal_open_readonly(&reader, journal_path, &err), 0);
    assert_int_equal(journal_version(reader, &before, &err), 0);
    assert_int_equal(journal_version(reader, &after, &err), 0);
    assert_true(before == after);
    assert_int_equal(journal_census(reader, &census, &err), 0);
    add_job(journal, "a", 4);
    assert_int_equal(journal_version(reader, &after, &err), 0);
    assert_true(before != after);
    assert_int_equal(journal_replay(reader, "a", 2, count_behind, &seen, &err), 0);
    assert_int_equal(seen.count, 2);
    assert_int_equal(seen.jobs[0], 3);
    assert_int_equal(journal_replay(reader, "a", 4, count_behind, &seen, &err), 0);
    assert_int_equal(seen.count, 2);
    assert_int_equal(journal_get(reader, "a", &arena, &run, &err), 0);
    assert_true(run.event_count == 4);
    assert_int_equal(journal_get(reader, "", &arena, &run, &err), ERR_MISSING);
    assert_int_equal(journal_census(reader, &census_after, &err), 0);
    assert_true(census == census_after);
    add_run(journal, "b", 2);
    assert_int_equal(journal_census(reader, &census_after, &err), 0);
    assert_true(census != census_after);
    census = census_after;
    assert_int_equal(journal_begin(journal, &err), 0);
    assert_int_equal(journal_remove_run(journal, "a", &err), 0);
    assert_int_equal(journal_commit(journal, &err), 0);
    assert_int_equal(journal_census(reader, &census_after, &err), 0);
    assert_true(census != census_after);
    arena_release(&arena);
    journal_close(reader);
    journal_close(journal);
}

JOURNAL_TEST(what_is_held_is_the_journal_at_one_moment)
{
    struct journal *journal = open_journal(), *reader;
    struct arena arena = { 0 };
    struct journal_run run;

    add_run(journal, "a", 1);
    assert_int_equal(journal_open_readonly(&reader, journal_path, &err), 0);
    assert_int_equal(journal_hold(reader, &err), 0);
    assert_int_equal(journal_get(reader, "a", &arena, &run, &err), 0);
    add_job(journal, "a", 1); /* a writer is not held up */
    assert_int_equal(journal_get(reader, "a", &arena, &run, &err), 0);
    assert_true(run.event_count == 0);
    journal_let_go(reader);
    assert_int_equal(journal_get(reader, "a", &arena, &run, &err), 0);
    assert_true(run.event_count == 1);
    journal_let_go(reader); /* nothing is held: fine */
    arena_release(&arena);
    journal_close(reader);
    journal_close(journal);
}
