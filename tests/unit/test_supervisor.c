/* SPDX-License-Identifier: Apache-2.0
 *
 * Attempts as the engine sees them: started, limited, ended, reported. Many at once and the bytes
 * in between are in test_supervisor_stream.c, everything they start in test_supervisor_family.c. */
#include "supervised.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STAGED(name) TEST_WITH(name, stage_open, stage_close)

/* ---- ends ---- */

STAGED(exit_status_comes_back_and_is_left_in_a_file)
{
    struct stage *stage = *state;

    stage_shell(stage, 7, "echo said; echo wrong >&2; exit 3");
    assert_int_equal(stage->supervisor.live, 1);
    stage_expect(stage, 7, ENDED_EXIT, 3);
    assert_int_equal(stage->supervisor.live, 0);
    stage_expect_text(stage, "7.out", "said\n");
    stage_expect_text(stage, "7.err", "wrong\n");
    stage_expect_status(stage, "7.status", ENDED_EXIT, 3);
}

STAGED(signal_comes_back_and_is_left_in_a_file)
{
    struct stage *stage = *state;

    stage_shell(stage, 1, "kill -KILL $$");
    stage_expect(stage, 1, ENDED_SIGNAL, SIGKILL);
    stage_expect_status(stage, "1.status", ENDED_SIGNAL, SIGKILL);
}

STAGED(what_cannot_start_says_why_and_leaves_no_status)
{
    struct stage *stage = *state;
    const char *missing[] = { "hone-no-such-program", NULL };
    const char *folder[] = { "/", NULL };
    const char *fine[] = { "true", NULL };
    struct spawn spawn = stage_spawn(stage, 1, missing);

    stage_start(stage, &spawn);
    stage_expect(stage, 1, ENDED_START, ENOENT);
    stage_expect_no_status(stage, "1.status");
    spawn = stage_spawn(stage, 2, folder);
    stage_start(stage, &spawn);
    stage_expect(stage, 2, ENDED_START, EACCES);
    spawn = stage_spawn(stage, 3, fine);
    spawn.cwd = "/nonexistent/folder";
    stage_start(stage, &spawn);
    stage_expect(stage, 3, ENDED_START, ENOENT);
    spawn = stage_spawn(stage, 4, fine);
    spawn.in = "/nonexistent/prompt";
    stage_start(stage, &spawn);
    stage_expect(stage, 4, ENDED_START, ENOENT);
    stage_shell(stage, 5, "exit 127"); /* a shell's own word is not ours */
    stage_expect(stage, 5, ENDED_EXIT, 127);
}

STAGED(a_planted_link_is_not_written_through)
{
    struct stage *stage = *state;
    const char *argv[] = { "echo", "mine", NULL };
    struct spawn spawn = stage_spawn(stage, 1, argv);

    stage_write(stage, "precious", "keep");
    assert_int_equal(symlink("precious", spawn.out), 0);
    stage_start(stage, &spawn);
    stage_expect(stage, 1, ENDED_START, ELOOP);
    stage_expect_text(stage, "precious", "keep");
}

STAGED(an_old_status_is_not_taken_for_a_new_one)
{
    struct stage *stage = *state;

    stage_write(stage, "1.status", "exit 0 1763196000123\n");
    stage_shell(stage, 1, "echo $$ >$STAGE_TALK; exec sleep 1000");
    stage_listen(stage, &(pid_t){ 0 }, 1);
    stage_expect_no_status(stage, "1.status");
}

STAGED(stop_asks_first)
{
    struct stage *stage = *state;
    const char *argv[] = { stage_self(), "polite", NULL };
    struct spawn spawn = stage_spawn(stage, 1, argv);
    struct err err;
    pid_t pid;

    stage_start(stage, &spawn);
    stage_listen(stage, &pid, 1);
    assert_int_equal(getsid(pid), pid); /* Ctrl-C is for the engine */
    assert_int_equal(getsid(stage->supervisor.pid), stage->supervisor.pid);
    assert_int_equal(supervisor_stop(&stage->supervisor, 99, false, &err), 0); /* unknown */
    assert_int_equal(supervisor_stop(&stage->supervisor, 1, false, &err), 0);
    stage_expect(stage, 1, ENDED_STOP, 0);
    stage_expect_text(stage, "1.out", "TERM\n");
    stage_expect_no_status(stage, "1.status");
    assert_false(is_alive(pid));
}

STAGED(who_does_not_listen_is_killed_after_its_grace)
{
    struct stage *stage = *state;
    const char *argv[] = { stage_self(), "deaf", NULL };
    struct spawn spawn = stage_spawn(stage, 1, argv);
    struct err err;
    pid_t pid;

    spawn.grace_ms = 2000; /* time for the one word that it says */
    stage_start(stage, &spawn);
    stage_listen(stage, &pid, 1);
    assert_int_equal(supervisor_stop(&stage->supervisor, 1, false, &err), 0);
    stage_expect(stage, 1, ENDED_STOP, 0);
    stage_expect_text(stage, "1.out", "TERM\n"); /* once */
    assert_false(is_alive(pid));
}

STAGED(stop_now_does_not_ask)
{
    struct stage *stage = *state;
    const char *argv[] = { stage_self(), "polite", NULL };
    struct spawn spawn = stage_spawn(stage, 1, argv);
    struct err err;
    pid_t pid;

    stage_start(stage, &spawn);
    stage_listen(stage, &pid, 1);
    assert_int_equal(supervisor_stop(&stage->supervisor, 1, true, &err), 0);
    stage_expect(stage, 1, ENDED_STOP, 0);
    stage_expect_text(stage, "1.out", "");
    assert_false(is_alive(pid));
}

STAGED(stop_now_cuts_a_long_grace_short)
{
    struct stage *stage = *state;
    const char *argv[] = { stage_self(), "deaf", NULL };
    struct spawn spawn = stage_spawn(stage, 1, argv);
    struct err err;
    pid_t pid;

    stage_start(stage, &spawn);
    stage_listen(stage, &pid, 1);
    assert_int_equal(supervisor_stop(&stage->supervisor, 1, false, &err), 0);
    assert_int_equal(supervisor_stop(&stage->supervisor, 1, true, &err), 0);
    stage_expect(stage, 1, ENDED_STOP, 0);
}

/* ---- limits ---- */

STAGED(time_limit_ends_an_attempt)
{
    struct stage *stage = *state;
    const char *argv[] = { "sleep", "1000", NULL };
    struct spawn spawn = stage_spawn(stage, 1, argv);

    spawn.time_ms_max = 100;
    stage_start(stage, &spawn);
    stage_expect(stage, 1, ENDED_TIME, 0);
    stage_expect_status(stage, "1.status", ENDED_TIME, 0);
}

STAGED(a_limit_of_the_caller_is_named_and_left_in_a_file)
{
    struct stage *stage = *state;
    const char *argv[] = { "sleep", "1000", NULL };
    struct spawn spawn = stage_spawn(stage, 1, argv);
    struct err err;

    stage_start(stage, &spawn);
    assert_int_equal(supervisor_limit(&stage->supervisor, 1, ENDED_FIRST, &err), 0);
    assert_int_equal(supervisor_limit(&stage->supervisor, 1, ENDED_SILENT, &err), 0);
    stage_expect(stage, 1, ENDED_FIRST, 0);
    stage_expect_status(stage, "1.status", ENDED_FIRST, 0);
}

STAGED(idle_limit_ends_who_says_nothing)
{
    struct stage *stage = *state;
    const char *quiet[] = { "sleep", "1000", NULL };
    const char *stopped[] = { "sh", "-c", "echo begun; exec sleep 1000", NULL };
    struct spawn spawn = stage_spawn(stage, 1, quiet);

    spawn.idle_ms_max = 100;
    stage_start(stage, &spawn);
    stage_expect(stage, 1, ENDED_IDLE, 0);
    stage_expect_status(stage, "1.status", ENDED_IDLE, 0);
    spawn = stage_spawn(stage, 2, stopped);
    spawn.idle_ms_max = 2000; /* it has begun by then */
    stage_start(stage, &spawn);
    stage_expect(stage, 2, ENDED_IDLE, 0);
    stage_expect_text(stage, "2.out", "begun\n");
}

STAGED(output_pushes_the_idle_limit)
{
    struct stage *stage = *state;
    const char *argv[] = { stage_self(), "drip", "6", "800", NULL };
    struct spawn spawn = stage_spawn(stage, 1, argv);

    spawn.idle_ms_max = 2300; /* less than half of what it takes, and more than one pause */
    stage_start(stage, &spawn);
    stage_expect(stage, 1, ENDED_EXIT, 0);
}

STAGED(output_limit_ends_who_says_too_much)
{
    struct stage *stage = *state;
    const char *slow[] = { stage_self(), "drip", "1000000", "5", NULL };
    const char *quick[] = { "head", "-c", "1001", "/dev/zero", NULL };
    struct spawn spawn = stage_spawn(stage, 1, slow);

    spawn.output_bytes_max = 20;
    stage_start(stage, &spawn);
    stage_expect(stage, 1, ENDED_OUTPUT, 0);
    stage_expect_status(stage, "1.status", ENDED_OUTPUT, 0);
    spawn = stage_spawn(stage, 2, quick); /* also when it was over before the supervisor looked */
    spawn.output_bytes_max = 1000;
    stage_start(stage, &spawn);
    stage_expect(stage, 2, ENDED_OUTPUT, 0);
    spawn = stage_spawn(stage, 3, quick);
    spawn.output_bytes_max = 1001;
    stage_start(stage, &spawn);
    stage_expect(stage, 3, ENDED_EXIT, 0);
}

STAGED(endless_limits_do_not_overflow)
{
    struct stage *stage = *state;
    const char *argv[] = { stage_self(), "drip", "2", "20", NULL };
    struct spawn spawn = stage_spawn(stage, 1, argv);

    spawn.time_ms_max = UINT64_MAX;
    spawn.idle_ms_max = UINT64_MAX;
    spawn.output_bytes_max = UINT64_MAX;
    spawn.grace_ms = UINT32_MAX;
    stage_start(stage, &spawn);
    stage_expect(stage, 1, ENDED_EXIT, 0);
}

/* ---- what an agent is given ---- */

STAGED(a_large_prompt_and_a_large_output_pass)
{
    struct stage *stage = *state;
    const char *count[] = { "wc", "-c", NULL };
    const char *talk[] = { "head", "-c", "104857600", "/dev/zero", NULL };
    struct spawn spawn = stage_spawn(stage, 1, count);

    spawn.in = stage_path(stage, "large");
    stage_write(stage, "large", "");
    assert_int_equal(truncate(spawn.in, 10 << 20), 0);
    stage_start(stage, &spawn);
    stage_expect(stage, 1, ENDED_EXIT, 0);
    stage_expect_text(stage, "1.out", "10485760\n");
    spawn = stage_spawn(stage, 2, talk);
    stage_start(stage, &spawn);
    stage_expect(stage, 2, ENDED_EXIT, 0);
    assert_int_equal(stage_size(stage, "2.out"), 104857600);
}

STAGED(environment_is_added_to_and_replaced)
{
    struct stage *stage = *state;
    const char *argv[] = { "sh", "-c", "echo $STAGE_TALK,$HOME,$TWICE,$NEW; env | grep -c ^HOME=",
                           NULL };
    const char *env[] = { "HOME=/elsewhere", "TWICE=1", "NEW=a=b c", "TWICE=2", NULL };
    struct spawn spawn = stage_spawn(stage, 1, argv);
    char wanted[2 * STAGE_PATH_BYTES];

    spawn.env = env;
    stage_start(stage, &spawn);
    stage_expect(stage, 1, ENDED_EXIT, 0);
    snprintf(wanted, sizeof wanted, "%s,/elsewhere,2,a=b c\n1\n", stage_path(stage, "talk"));
    stage_expect_text(stage, "1.out", wanted);
}

STAGED(program_is_looked_up_on_its_own_path)
{
    struct stage *stage = *state;
    const char *argv[] = { "hone-agent", "a b", "", NULL };
    char path[STAGE_PATH_BYTES + 8];
    const char *env[] = { path, NULL };
    struct spawn spawn = stage_spawn(stage, 1, argv);

    snprintf(path, sizeof path, "PATH=%s", stage->folder);
    stage_write(stage, "hone-agent", "#!/bin/sh\necho \"$#:$1:$2:\"; pwd\n");
    assert_int_equal(chmod(stage_path(stage, "hone-agent"), 0700), 0);
    spawn.env = env;
    spawn.cwd = "/";
    stage_start(stage, &spawn);
    stage_expect(stage, 1, ENDED_EXIT, 0);
    stage_expect_text(stage, "1.out", "2:a b::\n/\n");
}

STAGED(an_agent_has_three_descriptors_and_plain_signals)
{
    struct stage *stage = *state;
    const char *argv[] = { stage_self(), "descriptors", NULL };
    /* Without 32 and 33: they are the C library's own, and our parent may ignore them. */
    const char *masks[] = { "sh", "-c",
        "while read -r name value; do case $name in SigBlk:|SigIgn:)"
        " echo $name $((0x$value & ~0x180000000));; esac; done </proc/self/status", NULL };
    int leaky_fd = open("/dev/null", O_RDONLY); /* without close-on-exec, as is keep_fd */
    int keep_fd = open(stage_path(stage, "lock"), O_RDWR | O_CREAT, 0600);
    struct spawn spawn;
    struct err err;

    assert_true(leaky_fd > 2 && keep_fd > 2);
    supervisor_close(&stage->supervisor);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    assert_int_equal(supervisor_start(&stage->supervisor, keep_fd, &err), 0);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    spawn = stage_spawn(stage, 1, argv);
    stage_start(stage, &spawn);
    stage_expect(stage, 1, ENDED_EXIT, 0);
    stage_expect_text(stage, "1.out", "0\n1\n2\n");
    spawn = stage_spawn(stage, 2, masks);
    stage_start(stage, &spawn);
    stage_expect(stage, 2, ENDED_EXIT, 0);
    stage_expect_text(stage, "2.out", "SigBlk: 0\nSigIgn: 0\n");
    close(leaky_fd);
    close(keep_fd);
}

/* As Codex's sandbox has it where there is no network: socketpair() is allowed, sendto() is not. */
static bool forbid_sendto(void)
{
    struct sock_filter rows[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sendto, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { .len = sizeof rows / sizeof *rows, .filter = rows };

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

STAGED(attempts_are_started_where_sockets_cannot_be_sent_to)
{
    struct stage *stage = *state;
    const char *argv[] = { "sh", "-c", "exit 3", NULL };
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) { /* a filter cannot be taken off again */
        struct supervisor supervisor;
        struct spawn spawn = stage_spawn(stage, 1, argv);
        struct notice notice = { 0 };
        struct err err;

        if (!forbid_sendto()) _exit(77);
        if (supervisor_start(&supervisor, -1, &err) != 0) _exit(1);
        if (supervisor_spawn(&supervisor, &spawn, &err) != 0) _exit(2);
        while (supervisor_next(&supervisor, &notice) == 0) {
            poll(&(struct pollfd){ .fd = supervisor.fd, .events = POLLIN }, 1, -1);
        }
        supervisor_close(&supervisor);
        _exit(notice.value == 3 ? 0 : 4);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) skip(); /* no filters on this machine */
    assert_int_equal(WEXITSTATUS(status), 0);
}

TESTS_CALLED(stage_play)
