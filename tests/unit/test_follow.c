/* SPDX-License-Identifier: Apache-2.0
 *
 * test_follow.c - runs are kept as they stand while another handle writes them: what is told, in
 * which order, and that what is kept is what a replay from the first event would be. */
#include "follow/follow.h"

#include "ground.h"
#include "io/file/file.h"
#include "io/process/signals.h"
#include "run/place.h"
#include "shared/engine_print.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_MAX = 2000, TOLD_BYTES = 8192 };

static const struct ground *ground;
static struct follow *follow;
static struct journal *journal;
static struct lock lock;
static struct err err;
static char told[TOLD_BYTES]; /* what was told since it was last looked at */

/* ---- the scene ---- */

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
    size_t used = strlen(told);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(told + used, sizeof told - used, format, arguments);
    va_end(arguments);
}

/* "changed r1: 3 events, running, attempts 1 2, rounds 0; " */
static void on_news(void *context, const struct follow_news *news)
{
    static const char *const kinds[] = { "added", "changed", "gone", "grew", "place" };

    assert_null(context);
    say("%s %s", kinds[news->kind], news->run ? news->run : "-");
    if (news->kind == FOLLOW_GREW) {
        say(" %u-%u: %u bytes", news->job, news->attempt, (unsigned)news->bytes);
    } else if (news->row) {
        say(": %u events, %s", (unsigned)news->row->run.event_count,
            standing_word(&news->row->run, news->row->alive));
        if (!news->whole) say(", not read");
        if (news->whole) {
            assert_int_equal(news->whole->replay->event_count, news->row->run.event_count);
        }
        if (news->entry_count > 0) say(", attempts");
        for (uint32_t i = 0; i < news->entry_count; i++) {
            say(" %u", news->whole->history->entries[news->entries[i]].start.job);
        }
        if (news->round_count > 0) say(", rounds");
        for (uint32_t i = 0; i < news->round_count; i++) say(" %u", news->rounds[i]);
    }
    say("; ");
}

static int begin(void **state)
{
    if (ground_open_git(state) != 0) return -1;
    ground = *state;
    follow = NULL;
    journal = NULL;
    lock.fd = -1;
    told[0] = '\0';
    return 0;
}

static int end(void **state)
{
    follow_close(follow);
    journal_close(journal);
    lock_close(&lock);
    return ground_close(state);
}

#define FOLLOW_TEST(name) TEST_WITH(name, begin, end)

static void open_follow(void)
{
    const char *const folders[] = { ground->work };

    assert_int_equal(follow_open(&follow, folders, 1, &err), 0);
}

/* Steps until that was told, or too often. */
static void expect_told(const char *wanted)
{
    for (int i = 0; i < STEPS_MAX && strcmp(told, wanted) != 0; i++) {
        wait_readable(follow_fd(follow), -1, follow_due_in_ms(follow));
        follow_step(follow, on_news, NULL);
    }
    assert_string_equal(told, wanted);
    told[0] = '\0';
}

/* Steps some times: nothing more is told. */
static void expect_nothing(void)
{
    for (int i = 0; i < 5; i++) follow_step(follow, on_news, NULL);
    assert_string_equal(told, "");
}

static void open_journal_here(void)
{
    struct arena arena = { 0 };
    struct repo repo;

    assert_int_equal(repo_open(&repo, ground->work, REPO_FIND, &err), 0);
    assert_int_equal(file_make_folder(repo.hone_dir, false, &err), 0);
    if (journal_open(&journal, place_journal(&repo, &arena), &err) != 0) fail_msg("%s", err.text);
    repo_release(&repo);
    arena_release(&arena);
}

static void add_run(const char *id, uint64_t created_ms)
{
    struct journal_run row = {
        .id = id, .dialect = "review", .task = "look", .workspace = ground->work,
        .settings = "{\"options\":[[\"max-iterations\",\"9\"]]}", .created_ms = created_ms,
        .updated_ms = created_ms,
    };

    assert_int_equal(journal_begin(journal, &err), 0);
    assert_int_equal(journal_put_run(journal, &row, &err), 0);
    assert_int_equal(journal_commit(journal, &err), 0);
}

static void put_event(const char *run, const struct event *event)
{
    assert_int_equal(journal_begin(journal, &err), 0);
    assert_int_equal(journal_put_event(journal, run, event, &err), 0);
    assert_int_equal(journal_commit(journal, &err), 0);
}

static void start(const char *run)
{
    put_event(run, &(struct event){ .kind = EV_START, .now_ms = 10 });
}

/* A reviewer that has found something. */
static void answer(const char *run, uint32_t job)
{
    struct finding finding = { .severity = SEVERITY_HIGH, .source = STR("critic"),
                               .file = STR("a.c"), .line = 3 + job * 20, .text = STR("wrong") };
    struct event event = { .kind = EV_ENDED, .now_ms = 20 + job, .job = job, .attempt = 1,
                           .result = { .verdict = VERDICT_FINDINGS, .findings = &finding,
                                       .finding_count = 1, .by = STR("cmd") } };

    finding.fingerprint = finding_fingerprint(&finding);
    put_event(run, &event);
}

static void end_run(const char *run)
{
    assert_int_equal(journal_begin(journal, &err), 0);
    assert_int_equal(journal_put_reason(journal, run, REASON_INTERRUPTED, &err), 0);
    assert_int_equal(journal_commit(journal, &err), 0);
}

/* From now on a process works on that run. */
static void own(const char *run)
{
    struct arena arena = { 0 };
    struct lock_owner owner;
    struct repo repo;
    const char *path;

    assert_int_equal(repo_open(&repo, ground->work, REPO_FIND, &err), 0);
    assert_int_equal(file_make_folder(arena_printf(&arena, "%s/locks", repo.hone_dir), false,
                                      &err), 0);
    assert_int_equal(place_lock_path(&repo, repo.workspace, &arena, &path, &err), 0);
    assert_int_equal(lock_open(&lock, path, run, 0, &owner, &err), 0);
    repo_release(&repo);
    arena_release(&arena);
}

/* ---- tests ---- */

FOLLOW_TEST(a_run_appears_goes_on_and_ends)
{
    open_follow();
    expect_nothing();
    open_journal_here();
    add_run("r1", 1);
    expect_told("added r1: 0 events, crashed; ");
    own("r1");
    start("r1");
    expect_told("changed r1: 1 events, running, attempts 1 2 3 4 5, rounds 0; ");
}

FOLLOW_TEST(events_are_told_with_what_they_change)
{
    open_journal_here();
    add_run("r1", 1);
    own("r1");
    start("r1");
    open_follow();
    expect_nothing(); /* what was there is no news */
    answer("r1", 1);
    expect_told("changed r1: 2 events, running, attempts 1; ");
    answer("r1", 3);
    expect_told("changed r1: 3 events, running, attempts 3; ");
    expect_nothing();
    end_run("r1");
    lock_close(&lock);
    expect_told("changed r1: 3 events, interrupted; ");
}

FOLLOW_TEST(several_commits_that_are_read_together_are_told_once)
{
    open_journal_here();
    add_run("r1", 1);
    own("r1");
    start("r1");
    open_follow();
    for (uint32_t job = 1; job <= 4; job++) answer("r1", job);
    expect_told("changed r1: 5 events, running, attempts 1 2 3 4; ");
    answer("r1", 5); /* the last reviewer: the round ends, a fixer is asked for */
    expect_told("changed r1: 6 events, running, attempts 5 6, rounds 0; ");
}

FOLLOW_TEST(what_is_kept_is_what_a_replay_is)
{
    struct follow_run kept, fresh;
    struct follow *other;
    const char *const folders[] = { ground->work };
    struct buf one, two;

    open_journal_here();
    add_run("r1", 1);
    own("r1");
    start("r1");
    open_follow();
    for (uint32_t job = 1; job <= 5; job++) answer("r1", job);
    expect_told("changed r1: 6 events, running, attempts 1 2 3 4 5 6, rounds 0; ");
    assert_int_equal(follow_run(follow, 0, "", &kept, &err), 0);
    assert_int_equal(follow_open(&other, folders, 1, &err), 0);
    assert_int_equal(follow_run(other, 0, "r1", &fresh, &err), 0);
    buf_init(&one, 1 << 20);
    buf_init(&two, 1 << 20);
    engine_print(&kept.replay->engine, &one);
    engine_print(&fresh.replay->engine, &two);
    assert_string_equal(buf_cstr(&one), buf_cstr(&two));
    assert_int_equal(kept.history->count, fresh.history->count);
    assert_int_equal(kept.row->sums.found, fresh.row->sums.found);
    assert_int_equal(kept.row->sums.found, 1); /* all in the same words */
    buf_release(&one);
    buf_release(&two);
    follow_close(other);
}

FOLLOW_TEST(a_run_whose_process_died_is_told_without_an_event)
{
    open_journal_here();
    add_run("r1", 1);
    own("r1");
    start("r1");
    open_follow();
    expect_nothing();
    lock_close(&lock); /* as the system does it when the last process of the run is gone */
    expect_told("changed r1: 1 events, crashed; ");
    own("r1");
    answer("r1", 2);
    expect_told("changed r1: 2 events, running, attempts 2; ");
}

FOLLOW_TEST(in_a_hurry_one_step_tells_of_all_that_has_been)
{
    open_journal_here();
    add_run("r1", 1);
    own("r1");
    start("r1");
    open_follow();
    expect_nothing();
    end_run("r1");
    expect_told("changed r1: 1 events, running; ");
    lock_close(&lock); /* of which no one tells */
    follow_hurry(follow);
    follow_step(follow, on_news, NULL);
    assert_string_equal(told, "changed r1: 1 events, interrupted; ");
}

FOLLOW_TEST(runs_come_newest_first_with_their_sums)
{
    struct follow_rows rows;

    open_journal_here();
    add_run("old", 1);
    start("old");
    answer("old", 1);
    add_run("new", 2);
    open_follow();
    follow_rows(follow, &rows);
    assert_int_equal(rows.count, 2);
    assert_int_equal(rows.unread, 0);
    assert_string_equal(rows.rows[0]->run.id, "new");
    assert_string_equal(rows.rows[1]->run.id, "old");
    assert_true(rows.rows[1]->sums.known);
    assert_int_equal(rows.rows[1]->sums.found, 1);
    assert_int_equal(rows.repos[0], 0);
    add_run("between", 1);
    expect_told("added between: 0 events, crashed; ");
    follow_rows(follow, &rows);
    assert_int_equal(rows.count, 3);
    assert_string_equal(rows.rows[1]->run.id, "old");
}

FOLLOW_TEST(a_run_is_found_by_its_beginning)
{
    struct follow_run run;
    const struct run_row *row;

    open_journal_here();
    add_run("abc", 1);
    add_run("abd", 2);
    add_run("ab", 3);
    open_follow();
    assert_int_equal(follow_run(follow, 0, "abc", &run, &err), 0);
    assert_string_equal(run.row->run.id, "abc");
    assert_int_equal(follow_row(follow, 0, "ab", &row, &err), 0);
    assert_string_equal(row->run.id, "ab"); /* exactly that */
    assert_int_equal(follow_row(follow, 0, "a", &row, &err), ERR_USAGE);
    assert_int_equal(follow_row(follow, 0, "x", &row, &err), ERR_MISSING);
    assert_int_equal(follow_row(follow, 1, "ab", &row, &err), ERR_MISSING);
    assert_int_equal(follow_row(follow, 0, "", &row, &err), 0);
    assert_string_equal(row->run.id, "ab"); /* the newest */
}

FOLLOW_TEST(a_run_that_is_removed_is_gone)
{
    open_journal_here();
    add_run("r1", 1);
    start("r1");
    add_run("r2", 2);
    open_follow();
    assert_int_equal(journal_begin(journal, &err), 0);
    assert_int_equal(journal_remove_run(journal, "r1", &err), 0);
    assert_int_equal(journal_commit(journal, &err), 0);
    expect_told("gone r1; ");
}

FOLLOW_TEST(a_resumed_run_is_told_though_another_is_at_work)
{
    open_journal_here();
    add_run("r1", 1);
    start("r1");
    end_run("r1");
    add_run("r2", 2);
    own("r2");
    start("r2");
    open_follow();
    assert_int_equal(journal_begin(journal, &err), 0);
    assert_int_equal(journal_put_reason(journal, "r1", REASON_NONE, &err), 0);
    assert_int_equal(journal_commit(journal, &err), 0);
    answer("r1", 1);
    expect_told("changed r1: 2 events, crashed, attempts 1; ");
}

FOLLOW_TEST(a_journal_that_is_damaged_or_newer_has_a_problem_and_is_back_when_that_is_over)
{
    open_journal_here();
    add_run("r1", 1);
    open_follow();
    assert_null(follow_place(follow, 0).problem);
    journal_close(journal);
    journal = NULL;
    remove_all(at(ground, "work/.git/hone"));
    expect_told("gone r1; ");
    assert_null(follow_place(follow, 0).problem); /* no run yet: as at first */
    put(at(ground, "work/.git/hone/journal.db"), "this is no database at all, and long enough");
    expect_told("place -; ");
    assert_non_null(follow_place(follow, 0).problem);
    remove_all(at(ground, "work/.git/hone"));
    expect_told("place -; ");
    assert_null(follow_place(follow, 0).problem);
    open_journal_here();
    add_run("r3", 3);
    expect_told("added r3: 0 events, crashed; ");
}

FOLLOW_TEST(a_folder_without_a_repository_has_a_problem_and_others_are_shown)
{
    const char *const folders[] = { at(ground, "nowhere"), ground->work, ground->work };
    const struct run_row *row;

    open_journal_here();
    add_run("r1", 1);
    assert_int_equal(follow_open(&follow, folders, 3, &err), 0);
    assert_int_equal(follow_count(follow), 2); /* the same repository is shown once */
    assert_non_null(follow_place(follow, 0).problem);
    assert_null(follow_place(follow, 0).look);
    assert_null(follow_place(follow, 1).problem);
    assert_int_equal(follow_row(follow, 1, "r1", &row, &err), 0);
    assert_int_equal(follow_row(follow, 0, "r1", &row, &err), ERR_MISSING);
}

FOLLOW_TEST(output_that_grows_is_told)
{
    open_journal_here();
    add_run("r1", 1);
    own("r1");
    start("r1");
    open_follow();
    expect_nothing();
    put(at(ground, "work/.git/hone/runs/r1/2-1/stdout"), "12345");
    expect_told("grew r1 2-1: 5 bytes; ");
    put(at(ground, "work/.git/hone/runs/r1/2-1/stderr"), "not this one");
    put(at(ground, "work/.git/hone/runs/r1/2-1/stdout"), "1234567");
    expect_told("grew r1 2-1: 7 bytes; ");
}

FOLLOW_TEST(a_run_that_cannot_be_read_is_shown_all_the_same)
{
    struct follow_rows rows;
    struct follow_run run;
    struct journal_run row = { .id = "odd", .dialect = "no-such-dialect", .task = "",
                               .workspace = ground->work, .settings = "{}" };

    open_journal_here();
    add_run("r1", 1);
    open_follow();
    assert_int_equal(journal_begin(journal, &err), 0);
    assert_int_equal(journal_put_run(journal, &row, &err), 0);
    assert_int_equal(journal_commit(journal, &err), 0);
    expect_told("added odd: 0 events, crashed, not read; ");
    follow_rows(follow, &rows);
    assert_int_equal(rows.count, 2);
    assert_int_not_equal(follow_run(follow, 0, "odd", &run, &err), 0);
}

FOLLOW_TEST(too_many_folders_are_refused)
{
    const char *folders[FOLLOW_REPOSITORIES_MAX + 1];

    for (uint32_t i = 0; i <= FOLLOW_REPOSITORIES_MAX; i++) folders[i] = ground->work;
    assert_int_equal(follow_open(&follow, folders, FOLLOW_REPOSITORIES_MAX + 1, &err), ERR_LIMIT);
    assert_null(follow);
}
