/* SPDX-License-Identifier: Apache-2.0
 *
 * test_hurry.c - processes of milliseconds, one after the other: a journal and files that do not
 * wait for the disk are as good as others to the next process. */
#include "ground.h"
#include "io/file/file.h"
#include "store/journal.h"
#include "test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROCESSES = 60, PAGE_BYTES = 4096 };

static struct err err;

static struct journal *open_hurried(const struct ground *ground)
{
    struct journal *journal;

    if (journal_open(&journal, at(ground, "journal.db"), &err) != 0) fail_msg("%s", err.text);
    assert_int_equal(journal_hurry(journal, &err), 0);
    return journal;
}

static void put_run(struct journal *journal)
{
    struct journal_run row = { .id = "r1", .dialect = "review", .task = "t", .workspace = "/w",
                               .settings = "{}", .created_ms = 1, .updated_ms = 1 };

    assert_int_equal(journal_begin(journal, &err), 0);
    assert_int_equal(journal_put_run(journal, &row, &err), 0);
    assert_int_equal(journal_commit(journal, &err), 0);
}

static void put_job(struct journal *journal, uint32_t job)
{
    struct event event = { .kind = EV_ENDED, .now_ms = 1000 + job, .job = job, .attempt = 1 };

    assert_int_equal(journal_begin(journal, &err), 0);
    assert_int_equal(journal_put_event(journal, "r1", &event, &err), 0);
    assert_int_equal(journal_commit(journal, &err), 0);
}

static bool on_event(void *context, uint64_t sequence, const struct event *event)
{
    uint64_t *count = context;

    assert_int_equal(sequence, *count + 1);
    assert_int_equal(event->job, *count + 1);
    (*count)++;
    return true;
}

static uint64_t events(struct journal *journal)
{
    uint64_t count = 0;

    assert_int_equal(journal_replay(journal, "r1", 0, on_event, &count, &err), 0);
    return count;
}

static off_t size_of(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 ? st.st_size : -1;
}

ON_GROUND(what_one_commits_the_next_one_sees)
{
    const struct ground *ground = *state;
    struct journal *journal = open_hurried(ground);

    put_run(journal);
    journal_close(journal);
    for (uint32_t i = 1; i <= 5; i++) {
        journal = open_hurried(ground);
        assert_int_equal(events(journal), i - 1);
        put_job(journal, i);
        journal_close(journal);
        assert_true(size_of(at(ground, "journal.db-wal")) > 0);
    }
    assert_int_equal(journal_open_readonly(&journal, at(ground, "journal.db"), &err), 0);
    assert_int_equal(events(journal), 5);
    journal_close(journal);
}

ON_GROUND(the_log_does_not_grow_for_ever)
{
    const struct ground *ground = *state;
    struct journal *journal = open_hurried(ground);

    put_run(journal);
    journal_close(journal);
    for (uint32_t i = 1; i <= PROCESSES; i++) {
        journal = open_hurried(ground);
        put_job(journal, i);
        journal_close(journal);
        assert_true(size_of(at(ground, "journal.db-wal")) < 150 * PAGE_BYTES);
    }
    assert_true(size_of(at(ground, "journal.db")) > PAGE_BYTES); /* some of it was worked in */
    journal = open_hurried(ground);
    assert_int_equal(events(journal), PROCESSES);
    journal_close(journal);
}

ON_GROUND(a_commit_survives_the_process)
{
    const struct ground *ground = *state;
    struct journal *journal;
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        journal = open_hurried(ground);
        put_run(journal);
        put_job(journal, 1);
        kill(getpid(), SIGKILL);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    journal = open_hurried(ground);
    assert_int_equal(events(journal), 1);
    journal_close(journal);
}

/* Others wait until it is closed; where others are there first, it is one among them. */
ON_GROUND(alone_where_nobody_else_is_there)
{
    const struct ground *ground = *state;
    struct journal *journal = open_hurried(ground), *other;

    put_run(journal);
    assert_int_equal(journal_open_alone(&other, at(ground, "journal.db"), &err), 0);
    put_job(other, 1);
    put_job(journal, 2);
    assert_int_equal(events(other), 2);
    journal_close(other);
    journal_close(journal);

    unlink(at(ground, "journal.db-shm"));
    assert_int_equal(journal_open_alone(&journal, at(ground, "journal.db"), &err), 0);
    put_job(journal, 3);
    assert_false(is_there(at(ground, "journal.db-shm"))); /* it shares no memory */
    journal_close(journal);
    assert_int_equal(journal_open(&journal, at(ground, "journal.db"), &err), 0);
    assert_int_equal(events(journal), 3);
    journal_close(journal);
}

ON_GROUND(what_is_worked_in_is_not_read_from_the_log)
{
    const struct ground *ground = *state;
    struct journal *journal = open_hurried(ground), *reader;

    put_run(journal);
    journal_work_in(journal);
    journal_close(journal);
    for (uint32_t i = 1; i <= 20; i++) {
        journal = open_hurried(ground);
        put_job(journal, i);
        assert_int_equal(journal_open_readonly(&reader, at(ground, "journal.db"), &err), 0);
        journal_work_in(journal); /* it does not wait for a reader */
        journal_close(reader);
        journal_close(journal);
    }
    assert_int_equal(size_of(at(ground, "journal.db-wal")), 0);
    journal = open_hurried(ground);
    assert_int_equal(events(journal), 20);
    journal_close(journal);
}

ON_GROUND(who_has_time_works_the_log_in)
{
    const struct ground *ground = *state;
    struct journal *journal = open_hurried(ground);

    put_run(journal);
    put_job(journal, 1);
    journal_close(journal);
    assert_int_equal(journal_open(&journal, at(ground, "journal.db"), &err), 0);
    put_job(journal, 2);
    journal_close(journal);
    assert_false(is_there(at(ground, "journal.db-wal")));
    assert_int_equal(journal_open_readonly(&journal, at(ground, "journal.db"), &err), 0);
    assert_int_equal(events(journal), 2);
    journal_close(journal);
}

ON_GROUND(waived_syncs_leave_whole_files_and_no_debt)
{
    const struct ground *ground = *state;
    const struct file_item items[] = {
        { "a/one", STR("1") }, { "a/two", STR("2") }, { "b/c/three", STR("3") },
        { "four", STR("4") }, { "a/five", STR("5") },
    };
    struct file_debt debt = { .waived = true };

    put(at(ground, "work/a/two"), "old");
    assert_int_equal(file_write_owing(ground->work, items, 5, &debt, &err), 0);
    assert_int_equal(debt.count, 0);
    assert_int_equal(file_settle(&debt, &err), 0);
    assert_true(debt.waived);
    expect_content(at(ground, "work/a/one"), "1");
    expect_content(at(ground, "work/a/two"), "2");
    expect_content(at(ground, "work/b/c/three"), "3");
    expect_content(at(ground, "work/four"), "4");
    expect_content(at(ground, "work/a/five"), "5");
    assert_int_equal(count_in(at(ground, "work/a")), 3);
}

/* However many there are, not all are kept open for it. */
ON_GROUND(owed_syncs_leave_whole_files_and_a_bounded_debt)
{
    const struct ground *ground = *state;
    struct file_item items[100];
    struct file_debt debt = { 0 };
    char names[100][8];

    for (uint32_t i = 0; i < 100; i++) {
        snprintf(names[i], sizeof names[i], "f%u", i);
        items[i] = (struct file_item){ names[i], STR("1") };
    }
    put(at(ground, "work/f7"), "old");
    assert_int_equal(file_write_owing(ground->work, items, 100, &debt, &err), 0);
    assert_int_equal(debt.count, 64 + 1);
    for (uint32_t i = 0; i < 100; i++) expect_content(at(ground, "work/%s", items[i].path), "1");
    assert_int_equal(count_in(ground->work), 100);
    assert_int_equal(file_settle(&debt, &err), 0);
    assert_int_equal(debt.count, 0);
}

/* The folder of one file is not that of the next, however alike they are. */
ON_GROUND(files_of_several_folders_go_where_they_belong)
{
    const struct ground *ground = *state;
    const struct file_item items[] = {
        { "x/f", STR("1") }, { "xx/f", STR("2") }, { "x/x/f", STR("3") }, { "f", STR("4") },
        { "x/g", STR("5") },
    };
    uint32_t written;

    assert_int_equal(file_write_all(ground->work, items, 5, &written, &err), 0);
    assert_int_equal(written, 5);
    expect_content(at(ground, "work/x/f"), "1");
    expect_content(at(ground, "work/xx/f"), "2");
    expect_content(at(ground, "work/x/x/f"), "3");
    expect_content(at(ground, "work/f"), "4");
    expect_content(at(ground, "work/x/g"), "5");
}
