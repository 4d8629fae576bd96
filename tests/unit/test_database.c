/* SPDX-License-Identifier: Apache-2.0
 *
 * test_database.c - the journal's file: made privately, brought to our version, refused where it
 * is not ours, read in every state that a writer may leave it in.
 *
 * Root may do everything, so what depends on permissions runs in a child without capabilities. */
#include "journal_ground.h"
#include "test.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { NAME_BYTES = JOURNAL_PATH_BYTES + 8 };

static struct err err;

static void path_with(const char *end, char out[NAME_BYTES])
{
    (void)snprintf(out, NAME_BYTES, "%s%s", journal_path, end);
}

typedef int opener(struct journal **out, const char *path, struct err *err);

/* Both ways to open it are refused with this code, and with these words beside the path. */
static void assert_refused(int code, const char *words)
{
    static opener *const openers[] = { journal_open, journal_open_readonly };

    for (size_t i = 0; i < COUNT(openers); i++) {
        struct journal *journal = (struct journal *)&err;

        assert_int_equal(openers[i](&journal, journal_path, &err), code);
        assert_null(journal);
        assert_non_null(strstr(err.text, journal_path));
        if (!strstr(err.text, words)) fail_msg("%s", err.text);
    }
}

/* One transaction with a run and an event, or one event more. */
static int add(struct journal *journal, const char *run, bool new_run, struct str doc)
{
    struct journal_run row = { .id = run, .dialect = "review", .workspace = "/w",
                               .settings = "{}" };
    struct event event = { .kind = EV_ENDED, .now_ms = 5, .result.doc = doc };
    int rc = journal_begin(journal, &err);

    if (rc == 0 && new_run) rc = journal_put_run(journal, &row, &err);
    if (rc == 0) rc = journal_put_event(journal, run, &event, &err);
    return rc == 0 ? journal_commit(journal, &err) : rc;
}

static bool count_event(void *context, uint64_t sequence, const struct event *event)
{
    (void)event;
    *(uint64_t *)context = sequence;
    return true;
}

/* How many events a reader sees now; negative for an error. */
static int64_t count_readonly(const char *run)
{
    struct journal *journal;
    uint64_t count = 0;
    int rc = journal_open_readonly(&journal, journal_path, &err);

    if (rc == 0) rc = journal_replay(journal, run, 0, count_event, &count, &err);
    journal_close(journal);
    return rc == 0 ? (int64_t)count : -(int64_t)rc;
}

/* Runs act in a child, as a user with no more rights than the mode bits give; its answer. */
static int without_rights(int (*act)(void))
{
    struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct none[2] = { { 0, 0, 0 }, { 0, 0, 0 } };
    pid_t child = fork();
    int status;

    assert_true(child >= 0);
    if (child == 0) {
        if (syscall(SYS_capset, &header, none) != 0) _exit(99);
        _exit(act());
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

#define DATABASE_TEST(name) TEST_WITH(name, journal_ground_open, journal_ground_close)

/* ---- making and refusing ---- */

DATABASE_TEST(a_new_file_is_private)
{
    static const char *const ends[] = { "", "-wal", "-shm" };
    mode_t before = umask(0);
    struct journal *journal = open_journal();

    umask(before);
    assert_int_equal(add(journal, "a", true, STR("")), 0);
    for (size_t i = 0; i < COUNT(ends); i++) {
        struct stat info;
        char name[NAME_BYTES];
        path_with(ends[i], name);
        assert_int_equal(stat(name, &info), 0);
        assert_int_equal(info.st_mode & 07777, 0600);
    }
    journal_close(journal);
}

/* A number out of the file, read by hand. */
static int64_t number(const char *sql)
{
    return strtoll(sql_says(sql), NULL, 10);
}

DATABASE_TEST(an_empty_file_becomes_a_journal)
{
    struct journal *journal;
    int fd = open(journal_path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(journal_open_readonly(&journal, journal_path, &err), ERR_MISSING);
    journal_close(open_journal());
    assert_int_equal(number("PRAGMA user_version"), 2);
    assert_int_equal(number("PRAGMA application_id"), 0x686f6e65);
    assert_int_equal(number("SELECT count(*) FROM pragma_journal_mode WHERE journal_mode = 'wal'"),
                     1);
    assert_int_equal(number("SELECT count(*) FROM sqlite_schema WHERE sql LIKE '%STRICT%'"), 2);
    /* An empty database of version 0, as a killed maker may leave it. */
    assert_int_equal(unlink(journal_path), 0);
    sql_by_hand("CREATE TABLE t (a); DROP TABLE t; VACUUM");
    journal_close(open_journal());
    assert_int_equal(number("PRAGMA user_version"), 2);
}

DATABASE_TEST(opening_again_changes_nothing)
{
    struct journal *journal = open_journal();
    int64_t before;

    assert_int_equal(add(journal, "a", true, STR("")), 0);
    journal_close(journal);
    before = number("PRAGMA schema_version");
    journal_close(open_journal());
    assert_int_equal(number("PRAGMA schema_version"), before);
    assert_int_equal(count_readonly("a"), 1);
}

DATABASE_TEST(a_newer_version_is_refused_by_its_number)
{
    journal_close(open_journal());
    sql_by_hand("PRAGMA user_version = 7");
    assert_refused(ERR_FORMAT, "version 7");
    assert_int_equal(number("PRAGMA user_version"), 7);
}

DATABASE_TEST(what_another_program_made_is_refused_and_left_alone)
{
    sql_by_hand("CREATE TABLE theirs (a)");
    assert_refused(ERR_FORMAT, "another program");
    sql_by_hand("PRAGMA user_version = 1");
    assert_refused(ERR_FORMAT, "another program");
    sql_by_hand("PRAGMA user_version = -1; PRAGMA application_id = 0x686f6e65");
    assert_refused(ERR_FORMAT, "another program");
    sql_by_hand("PRAGMA user_version = 1; PRAGMA application_id = 5");
    assert_refused(ERR_FORMAT, "another program");
    assert_int_equal(number("SELECT count(*) FROM sqlite_schema"), 1);
    assert_int_equal(number("SELECT count(*) FROM pragma_journal_mode "
                            "WHERE journal_mode = 'delete'"), 1);
}

DATABASE_TEST(what_is_no_database_is_refused_and_left_alone)
{
    static const char text[] = "This is a letter, and no database at all, however one looks at it.";
    char back[sizeof text] = "";
    int fd = open(journal_path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

    assert_int_equal(write(fd, text, sizeof text), sizeof text);
    close(fd);
    assert_refused(ERR_FORMAT, "file is not a database; move it away");
    fd = open(journal_path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(read(fd, back, sizeof back), sizeof text);
    assert_string_equal(back, text);
    close(fd);
}

DATABASE_TEST(tables_that_are_not_ours_are_an_error)
{
    struct journal *journal;

    journal_close(open_journal());
    sql_by_hand("DROP TABLE events; "
                "CREATE VIEW events AS SELECT 1 AS seq, 'x' AS body, 'a' AS run_id");
    journal = open_journal();
    assert_int_equal(add(journal, "a", true, STR("")), ERR_FORMAT);
    journal_close(journal);
    assert_int_equal(count_readonly("a"), -ERR_FORMAT);
    assert_non_null(strstr(err.text, "move it away"));
}

DATABASE_TEST(a_trigger_in_the_file_is_not_run)
{
    struct journal *journal;

    journal_close(open_journal());
    sql_by_hand("CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM events; END");
    journal = open_journal();
    assert_int_equal(add(journal, "a", true, STR("")), 0);
    journal_close(journal);
    assert_int_equal(count_readonly("a"), 1);
}

DATABASE_TEST(a_missing_folder_is_an_error_of_the_system)
{
    struct journal *journal;
    char nowhere[JOURNAL_PATH_BYTES];

    (void)snprintf(nowhere, sizeof nowhere, "%s/none/journal.db", journal_folder);
    assert_int_equal(journal_open(&journal, nowhere, &err), ERR_SYSTEM);
    assert_non_null(strstr(err.text, nowhere));
    assert_non_null(strstr(err.text, "No such file or directory"));
    assert_int_equal(journal_open_readonly(&journal, nowhere, &err), ERR_MISSING);
    journal_close(NULL);
}

DATABASE_TEST(a_strange_name_is_only_a_name)
{
    static const char *const names[] = {
        "file:x?mode=memory", "a b%20c#d?immutable=1", ":memory:", "\xff\"';--", "x?mode=ro&a=%",
    };

    for (size_t i = 0; i < COUNT(names); i++) {
        struct journal *journal;

        (void)snprintf(journal_path, sizeof journal_path, "%s/%s", journal_folder, names[i]);
        journal = open_journal();
        assert_int_equal(add(journal, "a", true, STR("")), 0);
        journal_close(journal);
        assert_int_equal(access(journal_path, F_OK), 0);
        assert_int_equal(count_readonly("a"), 1);
    }
}

/* ---- reading ---- */

DATABASE_TEST(a_reader_sees_what_is_committed_while_the_writer_writes)
{
    struct event event = { .kind = EV_STOP };
    struct journal *journal;

    assert_int_equal(count_readonly("a"), -ERR_MISSING);
    journal = open_journal();
    assert_int_equal(add(journal, "a", true, STR("")), 0);
    assert_int_equal(count_readonly("a"), 1);
    assert_int_equal(journal_begin(journal, &err), 0);
    assert_int_equal(journal_put_event(journal, "a", &event, &err), 0);
    assert_int_equal(count_readonly("a"), 1);
    assert_int_equal(journal_commit(journal, &err), 0);
    assert_int_equal(count_readonly("a"), 2);
    journal_close(journal);
    assert_int_equal(count_readonly("a"), 2);
}

/* A writer that commits two events and dies without closing. */
static int write_and_die(void)
{
    struct journal *journal;

    if (journal_open(&journal, journal_path, &err) != 0) return 1;
    if (add(journal, "a", true, STR("")) != 0) return 2;
    return add(journal, "a", false, STR("")) == 0 ? 0 : 3;
}

static int count_is_2(void)
{
    return count_readonly("a") == 2 ? 0 : 1;
}

DATABASE_TEST(a_reader_sees_what_a_dead_writer_left)
{
    char name[NAME_BYTES];

    assert_int_equal(without_rights(write_and_die), 0);
    path_with("-wal", name);
    assert_int_equal(access(name, F_OK), 0);
    assert_int_equal(without_rights(count_is_2), 0);
    path_with("-shm", name);
    assert_int_equal(unlink(name), 0);
    assert_int_equal(without_rights(count_is_2), 0);
}

DATABASE_TEST(a_reader_needs_no_right_to_write)
{
    char name[NAME_BYTES];

    /* The log and its index are there. */
    assert_int_equal(without_rights(write_and_die), 0);
    path_with("-shm", name);
    assert_int_equal(chmod(journal_path, 0400) | chmod(name, 0400), 0);
    assert_int_equal(chmod(journal_folder, 0500), 0);
    assert_int_equal(without_rights(count_is_2), 0);

    /* Both are gone, as after a proper close. */
    assert_int_equal(chmod(journal_folder, 0700), 0);
    assert_int_equal(chmod(journal_path, 0600) | chmod(name, 0600), 0);
    journal_close(open_journal());
    assert_int_equal(access(name, F_OK), -1);
    assert_int_equal(chmod(journal_folder, 0500), 0);
    assert_int_equal(without_rights(count_is_2), 0);
}

static int log_is_out_of_reach(void)
{
    if (count_readonly("a") != -ERR_SYSTEM) return 1;
    return strstr(err.text, "-wal") && strstr(err.text, "copy the folder") ? 0 : 2;
}

DATABASE_TEST(an_old_state_is_not_shown_for_the_newest)
{
    char name[NAME_BYTES];

    assert_int_equal(without_rights(write_and_die), 0);
    path_with("-shm", name);
    assert_int_equal(unlink(name), 0);
    assert_int_equal(chmod(journal_folder, 0500), 0);
    assert_int_equal(without_rights(log_is_out_of_reach), 0);
}

/* ---- what the system refuses ---- */

static opener *opening;
static const char *refusal;

static int opening_is_refused(void)
{
    struct journal *journal;
    int rc = opening(&journal, journal_path, &err);

    return rc == ERR_SYSTEM && strstr(err.text, journal_path) && strstr(err.text, refusal) ? 0 : 1;
}

DATABASE_TEST(missing_rights_are_named)
{
    opening = journal_open;
    refusal = "Permission denied";
    assert_int_equal(chmod(journal_folder, 0500), 0);
    assert_int_equal(without_rights(opening_is_refused), 0);
    assert_int_equal(chmod(journal_folder, 0700), 0);
    journal_close(open_journal());
    refusal = "make the file and its folder writable";
    assert_int_equal(chmod(journal_path, 0400), 0);
    assert_int_equal(without_rights(opening_is_refused), 0);
    opening = journal_open_readonly;
    refusal = "Permission denied";
    assert_int_equal(chmod(journal_path, 0000), 0);
    assert_int_equal(without_rights(opening_is_refused), 0);
}

/* With room for small events only: a large one is refused whole, and the next small one works. */
static int write_large_and_small(void)
{
    static char doc[256 * 1024];
    struct rlimit limit = { 64 * 1024, 64 * 1024 };
    struct journal *journal;

    memset(doc, 'x', sizeof doc);
    signal(SIGXFSZ, SIG_IGN);
    if (journal_open(&journal, journal_path, &err) != 0) return 1;
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 2;
    if (add(journal, "a", false, (struct str){ doc, sizeof doc }) != ERR_SYSTEM) return 3;
    if (!strstr(err.text, journal_path)) return 4;
    return add(journal, "a", false, STR("small")) == 0 ? 0 : 5;
}

DATABASE_TEST(a_write_that_fails_leaves_what_was_committed)
{
    struct journal *journal = open_journal();

    assert_int_equal(add(journal, "a", true, STR("")), 0);
    journal_close(journal);
    assert_int_equal(without_rights(write_large_and_small), 0);
    assert_int_equal(count_readonly("a"), 2);
}
