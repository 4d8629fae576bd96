/* SPDX-License-Identifier: Apache-2.0
 *
 * The supervisor's stream and its status file: many attempts, large and broken messages,
 * interrupted calls, damaged files. */
#include "supervised.h"
#include "test.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#define STAGED(name) TEST_WITH(name, stage_open, stage_close)

STAGED(two_hundred_at_once_leave_no_descriptor)
{
    enum { COUNT = 200 };
    struct stage *stage = *state;
    bool seen[COUNT] = { false };
    pid_t pids[COUNT];
    int gate_fd;
    uint32_t ours = open_descriptors(getpid());
    uint32_t theirs = open_descriptors(stage->supervisor.pid);

    assert_int_equal(mkfifo(stage_path(stage, "gate"), 0600), 0);
    for (uint64_t id = 0; id < COUNT; id++) {
        stage_shell(stage, id, "echo $$ >talk; : <gate; exit 5"); /* waits for a writer */
    }
    stage_listen(stage, pids, COUNT);
    gate_fd = open(stage_path(stage, "gate"), O_RDWR | O_CLOEXEC);
    for (uint64_t i = 0; i < COUNT; i++) {
        struct notice notice = stage_notice(stage);

        assert_int_equal(notice.by, ENDED_EXIT);
        assert_int_equal(notice.value, 5);
        assert_true(notice.id < COUNT && !seen[notice.id]);
        seen[notice.id] = true;
    }
    close(gate_fd);
    assert_int_equal(stage->supervisor.live, 0);
    assert_int_equal(open_descriptors(getpid()), ours);
    assert_int_equal(open_descriptors(stage->supervisor.pid), theirs);
}

STAGED(unread_notices_do_not_block_requests)
{
    enum { COUNT = 600, LARGE = 100000 };
    struct stage *stage = *state;
    const char *argv[] = { "hone-no-such-program", NULL };
    char *large = mem_alloc(LARGE + 1);
    const char *env[] = { large, NULL };

    memset(large, 'x', LARGE);
    large[5] = '=';
    for (uint64_t id = 0; id < COUNT; id++) {
        struct spawn spawn = stage_spawn(stage, id, argv);

        spawn.env = env;
        stage_start(stage, &spawn);
    }
    for (uint64_t i = 0; i < COUNT; i++) assert_int_equal(stage_notice(stage).by, ENDED_START);
    free(large);
}

STAGED(a_request_has_a_bound)
{
    enum { LARGE = 9 << 20 };
    struct stage *stage = *state;
    char *large = mem_alloc(LARGE + 1);
    const char *argv[] = { "true", large, NULL };
    struct spawn spawn = stage_spawn(stage, 1, argv);
    struct err err = { 0 };

    memset(large, 'x', LARGE);
    assert_int_equal(supervisor_spawn(&stage->supervisor, &spawn, &err), ERR_LIMIT);
    assert_int_equal(stage->supervisor.live, 0);
    large[7 << 20] = '\0'; /* within it, and too much for the kernel */
    stage_start(stage, &spawn);
    stage_expect(stage, 1, ENDED_START, E2BIG);
    free(large);
}

static void on_alarm(int number)
{
    (void)number;
}

STAGED(interrupted_calls_go_on)
{
    struct stage *stage = *state;
    struct sigaction action = { .sa_handler = on_alarm }; /* no SA_RESTART */
    struct itimerval often = { .it_interval = { .tv_usec = 500 }, .it_value = { .tv_usec = 500 } };
    struct itimerval never = { 0 };
    struct err err;

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (uint64_t id = 0; id < 20; id++) stage_shell(stage, id, "exit 4");
    for (uint64_t id = 0; id < 20; id++) assert_int_equal(stage_notice(stage).value, 4);
    supervisor_close(&stage->supervisor);
    assert_int_equal(supervisor_start(&stage->supervisor, -1, &err), 0);
    setitimer(ITIMER_REAL, &never, NULL);
}

STAGED(nonsense_on_the_stream_ends_the_supervisor)
{
    static const struct { uint32_t bytes; const char *body; } hostile[] = {
        { UINT32_MAX, "" },
        { 3, "abc" },
        { 48, "idididid________________________\377\377\377\377____________" }, /* unknown kind */
        { 48, "idididid________________________\0\0\0\0____\377\377\377\377____" }, /* arguments */
        { 49, "idididid________________________\0\0\0\0____\1\0\0\0\0\0\0\0x" }, /* no NUL */
    };
    struct stage *stage = *state;

    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        size_t size = hostile[i].bytes < 100 ? hostile[i].bytes : 0;
        struct notice notice;
        struct err err;

        assert_int_equal(send(stage->supervisor.fd, &hostile[i].bytes, 4, MSG_NOSIGNAL), 4);
        if (size) send(stage->supervisor.fd, hostile[i].body, size, MSG_NOSIGNAL);
        stage_wait_readable(stage->supervisor.fd);
        assert_int_equal(supervisor_next(&stage->supervisor, &notice), -1);
        supervisor_close(&stage->supervisor);
        assert_int_equal(supervisor_start(&stage->supervisor, -1, &err), 0);
    }
}

TEST(close_accepts_what_was_not_started)
{
    struct supervisor none = { .fd = -1 };
    struct supervisor zero = { 0 };
    struct notice notice;

    supervisor_close(&none);
    supervisor_close(&none);
    supervisor_close(&zero);
    assert_int_equal(supervisor_next(&none, &notice), -1);
    assert_true(fcntl(0, F_GETFD) >= 0);
}

/* ---- the status file ---- */

STAGED(a_status_is_read_strictly)
{
    static const char *const damaged[] = {
        "", "\n", "exit", "exit 0\n", "exit 0 1", "exit 0 1\n\n", "exit 0 1 \n", "exit  0 1\n",
        " exit 0 1\n", "exit 256 1\n", "exit -1 1\n", "exit 0 -1\n", "exit 0 1x\n", "exit 00x 1\n",
        "signal 0 1\n", "signal 65 1\n", "time 1 1\n", "stop 0 1\n", "start 2 1\n", "EXIT 0 1\n",
        "exit 0 1\nexit 0 1\n", "exit 0 99999999999999999999\n", "exit 0 1\r\n",
    };
    static const struct { const char *text; enum ended_by by; int value; } good[] = {
        { "exit 0 1763196000123\n", ENDED_EXIT, 0 }, { "exit 255 1\n", ENDED_EXIT, 255 },
        { "signal 9 1\n", ENDED_SIGNAL, 9 },         { "time 0 1\n", ENDED_TIME, 0 },
        { "idle 0 1\n", ENDED_IDLE, 0 },             { "output 0 1\n", ENDED_OUTPUT, 0 },
    };
    struct stage *stage = *state;
    struct notice notice;
    struct err err;

    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        stage_write(stage, "status", damaged[i]);
        if (notice_read(stage_path(stage, "status"), &notice, &err) != ERR_FORMAT) {
            fail_msg("accepted: %s", damaged[i]);
        }
    }
    stage_write(stage, "status", "exit 0 1\n");
    assert_int_equal(truncate(stage_path(stage, "status"), 1 << 20), 0);
    assert_int_equal(notice_read(stage_path(stage, "status"), &notice, &err), ERR_FORMAT);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        stage_write(stage, "status", good[i].text);
        stage_expect_status(stage, "status", good[i].by, good[i].value);
    }
    stage_expect_no_status(stage, "nothing");
}

TESTS_CALLED(stage_play)
