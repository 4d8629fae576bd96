/* SPDX-License-Identifier: Apache-2.0
 *
 * A helper is run to its end: its output, its errors, and everything it can do wrong. */
#include "ground.h"
#include "supervised.h"
#include "test.h"

#include "base/mem.h"
#include "io/file/file.h"
#include "io/process/helper.h"
#include "io/process/signals.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static int shell(const char *script, struct str input, struct buf *out, struct err *err)
{
    const char *argv[] = { "sh", "-c", script, NULL };

    *err = (struct err){ 0 };
    return helper_run(argv, NULL, NULL, input, out, err);
}

static void expect_failure(const char *script, const char *text)
{
    struct buf out;
    struct err err;

    buf_init(&out, 1000);
    assert_int_equal(shell(script, STR(""), &out, &err), ERR_FAILED);
    assert_int_equal(err.code, ERR_FAILED);
    assert_string_equal(err.text, text);
    assert_int_equal(out.size, 0);
    buf_release(&out);
}

TEST(output_is_appended)
{
    struct buf out;
    struct err err;

    buf_init(&out, 1000);
    buf_text(&out, "before ");
    assert_int_equal(shell("echo said; echo noise >&2", STR(""), &out, &err), 0);
    assert_string_equal(buf_cstr(&out), "before said\n");
    assert_int_equal(shell("cat", STR("a\0b"), &out, &err), 0);
    assert_int_equal(out.size, 15);
    assert_memory_equal(out.data + 12, "a\0b", 3);
    assert_int_equal(shell("cat; true", STR(""), &out, &err), 0); /* no input: at its end */
    assert_int_equal(out.size, 15);
    buf_release(&out);
}

TEST(a_helper_that_was_begun_works_until_it_is_finished)
{
    const char *argv[] = { "sh", "-c", "head -c 300000 /dev/zero", NULL };
    const char *none[] = { "/nowhere/program", NULL };
    struct helper *helper;
    struct err err = { 0 };
    struct buf out;

    buf_init(&out, 1 << 20);
    helper = helper_begin(argv, NULL, NULL, &err);
    assert_non_null(helper);
    assert_int_equal(helper_finish(helper, &out, &err), 0);
    assert_int_equal(out.size, 300000); /* more than a pipe holds */
    argv[2] = "echo lost; echo why >&2; exit 3";
    helper = helper_begin(argv, NULL, NULL, &err);
    assert_non_null(helper);
    assert_int_equal(helper_finish(helper, &out, &err), ERR_FAILED);
    assert_string_equal(err.text, "why");
    assert_int_equal(out.size, 300000);
    assert_null(helper_begin(none, NULL, NULL, &err));
    assert_int_equal(err.code, ERR_MISSING);
    buf_release(&out);
}

TEST(failure_has_the_last_words)
{
    expect_failure("echo first >&2; echo 'fatal: last' >&2; echo '  ' >&2; echo x; exit 128",
                   "sh: fatal: last");
    expect_failure("printf 'no line end' >&2; exit 1", "sh: no line end");
    expect_failure("printf 'progress 1\\rprogress 2\\r\\n' >&2; exit 1", "sh: progress 2");
    expect_failure("exit 7", "sh: exit status 7");
    expect_failure("kill -KILL $$", "sh: killed by signal 9");
    expect_failure("printf 'red \\033[31m bell\\007' >&2; exit 1", "sh: red ?[31m bell?");
}

TEST(last_words_are_short_and_whole)
{
    struct buf out;
    struct err err;

    buf_init(&out, 1000);
    /* 299 letters and then a character of two bytes: it does not fit and is left out whole */
    assert_int_equal(shell("printf %0299d 0 >&2; printf '\\303\\244\\303\\244' >&2; exit 1",
                           STR(""), &out, &err), ERR_FAILED);
    assert_int_equal(strlen(err.text), strlen("sh: ") + 299);
    assert_int_equal(shell("head -c 5000000 /dev/zero | tr '\\0' x >&2; echo >&2; echo end >&2; "
                           "exit 1", STR(""), &out, &err), ERR_FAILED);
    assert_string_equal(err.text, "sh: end");
    assert_int_equal(shell("head -c 5000000 /dev/zero | tr '\\0' x >&2; exit 1", STR(""), &out,
                           &err), ERR_FAILED);
    assert_int_equal(strlen(err.text), strlen("sh: ") + 300);
    buf_release(&out);
}

TEST(what_is_missing_is_named)
{
    const char *missing[] = { "hone-no-such-program", NULL };
    const char *folder[] = { "/", NULL };
    const char *fine[] = { "true", NULL };
    struct buf out;
    struct err err;

    buf_init(&out, 1000);
    assert_int_equal(helper_run(missing, NULL, NULL, STR(""), &out, &err), ERR_MISSING);
    assert_string_equal(err.text, "hone-no-such-program: no such program");
    assert_int_equal(helper_run(folder, NULL, NULL, STR(""), &out, &err), ERR_SYSTEM);
    assert_int_equal(helper_run(fine, NULL, "/nonexistent", STR(""), &out, &err), ERR_SYSTEM);
    assert_non_null(strstr(err.text, "/nonexistent"));
    buf_release(&out);
}

TEST(folder_and_environment_are_its_own)
{
    const char *argv[] = { "sh", "-c", "pwd; echo $HOME,$NEW,$STAGE_KEPT", NULL };
    const char *env[] = { "HOME=/elsewhere", "NEW=a b", NULL };
    struct buf out;
    struct err err;

    buf_init(&out, 1000);
    setenv("STAGE_KEPT", "kept", 1);
    assert_int_equal(helper_run(argv, env, "/", STR(""), &out, &err), 0);
    assert_string_equal(buf_cstr(&out), "/\n/elsewhere,a b,kept\n");
    buf_release(&out);
}

TEST(large_input_and_large_output_pass_each_other)
{
    enum { LARGE = 16 << 20 };
    char *data = mem_alloc(LARGE);
    struct buf out;
    struct err err;

    for (size_t i = 0; i < LARGE; i++) data[i] = (char)(i * 2654435761U >> 24);
    buf_init(&out, LARGE);
    assert_int_equal(shell("cat", (struct str){ data, LARGE }, &out, &err), 0);
    assert_int_equal(out.size, LARGE);
    assert_memory_equal(out.data, data, LARGE);
    buf_clear(&out); /* the other order: all the output before any input is read */
    assert_int_equal(shell("head -c 8388608 /dev/zero; wc -c; head -c 100000 /dev/zero >&2",
                           (struct str){ data, LARGE }, &out, &err), 0);
    assert_string_equal(out.data + 8388608, "16777216\n");
    buf_release(&out);
    free(data);
}

TEST(unread_input_does_not_kill_us)
{
    enum { LARGE = 4 << 20 };
    char *data = mem_alloc(LARGE);
    sigset_t pending;
    struct buf out;
    struct err err;

    signal(SIGPIPE, SIG_DFL);
    buf_init(&out, 100);
    for (int i = 0; i < 20; i++) {
        buf_clear(&out);
        assert_int_equal(shell("exec <&-; echo well", (struct str){ data, LARGE }, &out, &err), 0);
        assert_string_equal(buf_cstr(&out), "well\n");
    }
    sigpending(&pending);
    assert_int_equal(sigismember(&pending, SIGPIPE), 0);
    buf_release(&out);
    free(data);
}

TEST(too_much_output_ends_the_helper)
{
    struct buf out;
    struct err err;

    buf_init(&out, 1000);
    buf_text(&out, "kept");
    assert_int_equal(shell("yes", STR(""), &out, &err), ERR_LIMIT); /* would never end */
    assert_string_equal(buf_cstr(&out), "kept");
    assert_int_equal(shell("head -c 997 /dev/zero", STR(""), &out, &err), ERR_LIMIT);
    assert_int_equal(shell("head -c 996 /dev/zero", STR(""), &out, &err), 0); /* just fits */
    assert_int_equal(out.size, 1000);
    assert_int_equal(shell("true", STR(""), &out, &err), 0);
    buf_release(&out);
}

/* Something in the background holds the pipes, and writes on: the helper has ended all the same. */
TEST(leftovers_do_not_hold_us)
{
    struct buf out;
    struct err err;
    uint64_t pid;

    buf_init(&out, 1000);
    assert_int_equal(shell("sleep 1000 & echo $!", STR(""), &out, &err), 0);
    assert_true(str_number(str_trim(buf_str(&out)), &pid));
    assert_int_equal(kill((pid_t)pid, SIGKILL), 0);
    buf_clear(&out);
    assert_int_equal(shell("yes noise >&2 & echo $!", STR(""), &out, &err), 0);
    assert_true(str_number(str_trim(buf_str(&out)), &pid));
    kill((pid_t)pid, SIGKILL); /* gone by itself if the closed pipe was quicker */
    buf_release(&out);
}

TEST(a_helper_has_no_terminal_and_no_descriptor_of_ours)
{
    const char *argv[] = { stage_self(), "descriptors", NULL };
    int leaky[2];
    struct buf out;
    struct err err;

    assert_int_equal(pipe(leaky), 0); /* without close-on-exec */
    buf_init(&out, 1000);
    assert_int_equal(shell("(: </dev/tty) 2>/dev/null && echo tty; true", STR(""), &out, &err), 0);
    assert_int_equal(out.size, 0);
    assert_int_equal(helper_run(argv, NULL, NULL, STR("x"), &out, &err), 0);
    assert_string_equal(buf_cstr(&out), "0\n1\n2\n");
    close(leaky[0]);
    close(leaky[1]);
    buf_release(&out);
}

TEST(nothing_stays_open)
{
    const char *missing[] = { "hone-no-such-program", NULL };
    uint32_t before = open_descriptors(getpid());
    struct buf out;
    struct err err;

    buf_init(&out, 100);
    for (int i = 0; i < 5; i++) {
        buf_clear(&out);
        shell("cat", STR("x"), &out, &err);
        shell("exit 1", STR("x"), &out, &err);
        shell("yes", STR(""), &out, &err);
        helper_run(missing, NULL, NULL, STR("x"), &out, &err);
    }
    assert_int_equal(open_descriptors(getpid()), before);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no zombie either */
    assert_int_equal(errno, ECHILD);
    buf_release(&out);
}

/* A program may be started with 0, 1 and 2 closed: the pipes then land on them. */
TEST(closed_standard_descriptors_do_not_confuse)
{
    int status = -1;
    pid_t pid = fork();

    if (pid == 0) {
        struct buf out;
        struct err err;

        close(0);
        close(1);
        close(2);
        buf_init(&out, 1000);
        if (shell("cat; echo wrong >&2", STR("through"), &out, &err) != 0) _exit(1);
        if (!str_is(buf_str(&out), "through")) _exit(2);
        if (shell("echo wrong >&2; exit 1", STR("x"), &out, &err) != ERR_FAILED) _exit(3);
        _exit(strcmp(err.text, "sh: wrong") == 0 ? 0 : 4);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void on_alarm(int number)
{
    (void)number;
}

TEST(interrupted_calls_go_on)
{
    enum { LARGE = 1 << 20 };
    struct sigaction action = { .sa_handler = on_alarm }; /* no SA_RESTART */
    struct itimerval often = { .it_interval = { .tv_usec = 300 }, .it_value = { .tv_usec = 300 } };
    struct itimerval never = { 0 };
    char *data = mem_alloc(LARGE);
    struct buf out;
    struct err err;

    buf_init(&out, LARGE);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 10; i++) {
        buf_clear(&out);
        assert_int_equal(shell("cat", (struct str){ data, LARGE }, &out, &err), 0);
        assert_int_equal(out.size, LARGE);
    }
    setitimer(ITIMER_REAL, &never, NULL);
    buf_release(&out);
    free(data);
}

TESTS_CALLED(stage_play)

/* ---- one that does not end ---- */

TEST(a_signal_ends_the_wait_within_a_second)
{
    struct buf out;
    struct err err;
    uint64_t begun = now_steady_ms();
    struct signals signals;

    assert_int_equal(signals_open(&signals, &err), 0);
    buf_init(&out, 1000);
    raise(SIGTERM);
    assert_int_equal(shell("trap '' TERM; while :; do sleep 1; done", STR(""), &out, &err),
                     ERR_SYSTEM);
    assert_true(now_steady_ms() - begun < 10 * 1000); /* one, on a machine that is not busy */
    assert_non_null(strstr(err.text, "hone was told to stop"));
    assert_int_equal(signals_take(&signals), 1); /* it is still there for us */
    assert_int_equal(shell("echo short", STR(""), &out, &err), 0);
    signals_close(&signals);
    buf_release(&out);
}

ON_GROUND(a_pipe_in_the_way_is_named)
{
    static const char *const argv[] = { "sh", "-c", "cat sub/.gitignore", NULL };
    const struct ground *ground = *state;
    struct buf out;
    struct err err;

    buf_init(&out, 1000);
    make_folder(at(ground, "work/sub"));
    assert_int_equal(mkfifo(at(ground, "work/sub/.gitignore"), 0600), 0);
    assert_int_equal(mkfifo(at(ground, "work/sub/other"), 0600), 0);
    assert_int_equal(helper_run(argv, NULL, ground->work, STR(""), &out, &err), ERR_SYSTEM);
    assert_non_null(strstr(err.text, "work/sub/.gitignore is a named pipe"));
    buf_release(&out);
}

TEST(an_answer_that_is_waited_for)
{
    const char *failing[] = { "sh", "-c", "cat; echo words >&2; exit 3", NULL };
    const char *endless[] = { "sh", "-c", "echo begun; exec sleep 600", NULL };
    struct helper_call call = { .argv = failing, .input = STR("said"), .limit_ms = 30000 };
    struct buf out;
    struct err err = { 0 };

    buf_init(&out, 1000);
    assert_int_equal(helper_ask(&call, &out, &err), ERR_FAILED);
    assert_string_equal(buf_cstr(&out), "said"); /* what it said is there, though it failed */
    assert_string_equal(err.text, "sh: words");
    call = (struct helper_call){ .argv = endless, .limit_ms = 300 };
    assert_int_equal(helper_ask(&call, &out, &err), ERR_SYSTEM);
    assert_string_equal(buf_cstr(&out), "said");
    assert_non_null(strstr(err.text, "sh: it had not answered after "));
    buf_release(&out);
}
