/* SPDX-License-Identifier: Apache-2.0
 *
 * keeper.c - two processes: one draws, the other keeps the terminal's modes and waits.
 *
 *     shell --- keeper (the shell's job) --- draws
 *                 |  tcgetattr before         |  modes, whole screen, keys
 *                 |  waits                    |
 *                 '-- it ended or stopped: modes and screen are put back
 *
 * A program that takes the whole screen and is killed leaves no echo, no line end, another screen
 * and no cursor. No handler can help: SIGKILL has none. So the process that the shell waits for is
 * not the one that draws.
 *
 *   ends by          put back by   how
 *   itself           itself        and the keeper looks once more at the modes
 *   any signal       the keeper    bytes of `leave` and modes; the shell learns of the end later
 *   death of the     itself        the system sends it SIGTERM (family_end_with); from the
 *   keeper                         background only what is still as it was made
 *   both at once     nothing       no process is left that could; `reset` does it
 *
 * 1. What both must know stands in memory that they share: whether the screen is taken, and the
 *    modes. It is written before the first byte goes out: what is put back twice is as it was.
 * 2. Both block the signals that they read, and SIGTTOU: a mode that is set from the background
 *    stops none of them.
 * 3. Ctrl-Z stops the child first, by its own hand; the keeper sees it, puts back, and stops itself
 *    as the shell expects of its job. Continued, it continues the child. A child that was stopped
 *    from outside, without a word, is put back the same way.
 * 4. A signal to end that comes to the keeper goes on to the child, which has END_WAIT_MS: then it
 *    is killed. A terminal that is held by Ctrl-S is let go before bytes are written to it.
 * 5. Both are in one process group: job control is for both, and the keys Ctrl-C and Ctrl-Z. */
#include "io/terminal/keeper.h"

#include "io/file/descriptor.h"
#include "io/file/file.h"
#include "io/process/family.h"
#include "io/process/signals.h"
#include "io/terminal/modes.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum { END_WAIT_MS = 3000, LEAVE_WAIT_MS = 500 };

/* What both processes see. */
struct slate {
    struct modes modes;
    volatile sig_atomic_t taken; /* the screen is taken, or about to be */
    volatile sig_atomic_t known; /* modes.ours is */
    volatile sig_atomic_t asked; /* draw() was told to end */
    struct err err;              /* what came of draw() */
};

static struct slate *slate;
static struct str leave;
static int signal_fd = -1;

static const int read_signals[] = { SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH, SIGCHLD,
                                    0 };

static void block_signals(sigset_t *read, sigset_t *before)
{
    sigset_t blocked;

    sigemptyset(read);
    for (uint32_t i = 0; read_signals[i]; i++) sigaddset(read, read_signals[i]);
    blocked = *read;
    sigaddset(&blocked, SIGTTOU);
    sigaddset(&blocked, SIGTTIN);
    sigprocmask(SIG_BLOCK, &blocked, before);
}

/* ---- put back ---- */

/* Writes what ends the screen; waits for a terminal that does not take it, but not for ever. */
static void write_leave(void)
{
    int fd = fd_reopen(STDOUT_FILENO, O_WRONLY | O_NONBLOCK | O_NOCTTY);
    uint64_t end_ms = now_steady_ms() + LEAVE_WAIT_MS;
    struct str rest = leave;

    (void)tcflow(STDOUT_FILENO, TCOON);
    while (rest.size > 0) {
        struct pollfd room = { .fd = fd < 0 ? STDOUT_FILENO : fd, .events = POLLOUT };
        uint64_t now_ms = now_steady_ms();
        ssize_t put;

        if (now_ms >= end_ms) break;
        if (poll(&room, 1, (int)(end_ms - now_ms)) <= 0) continue;
        put = write(room.fd, rest.data, rest.size);
        if (put < 0 && errno != EAGAIN && errno != EINTR) break;
        if (put > 0) rest = str_skip(rest, (size_t)put);
    }
    if (fd >= 0) close(fd);
}

void keeper_put_back(void)
{
    if (!slate->taken) return;
    write_leave();
    if (keeper_is_in_front() || !slate->known) {
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &slate->modes.found);
    } else {
        modes_put_back(&slate->modes, STDIN_FILENO);
    }
    keeper_left();
}

/* ---- the child ---- */

int keeper_fd(void)
{
    return signal_fd;
}

enum keeper_event keeper_next(void)
{
    for (;;) {
        switch (fd_signals_next(signal_fd)) {
        case 0:
            return KEEPER_NONE;
        case SIGWINCH:
            return KEEPER_RESIZED;
        case SIGCONT:
            return KEEPER_CONTINUED;
        case SIGTSTP:
            return KEEPER_STOP;
        case SIGINT:
        case SIGTERM:
        case SIGHUP:
            slate->asked = 1;
            return KEEPER_END;
        }
    }
}

void keeper_taking(void)
{
    slate->known = 0;
    slate->taken = 1;
}

void keeper_taken(void)
{
    slate->known = tcgetattr(STDIN_FILENO, &slate->modes.ours) == 0;
}

void keeper_left(void)
{
    slate->taken = 0;
}

bool keeper_has_taken(void)
{
    return slate->taken;
}

bool keeper_is_in_front(void)
{
    return modes_may_set();
}

void keeper_rest(void)
{
    raise(SIGSTOP);
}

static void on_signal(int number)
{
    (void)number; /* never called: it is blocked, and read */
}

/* A library that draws may have its own way with signals that have no handler: to ignore one for a
 * moment is to lose it. It leaves alone those that have one. */
static void claim_signals(void)
{
    struct sigaction action = { .sa_handler = on_signal };

    sigemptyset(&action.sa_mask);
    for (uint32_t i = 0; read_signals[i]; i++) sigaction(read_signals[i], &action, NULL);
}

static _Noreturn void be_child(const struct keeper_request *request, pid_t keeper)
{
    if (!family_end_with(keeper, SIGTERM)) _exit(0);
    claim_signals();
    if (request->draw(request->context, &slate->err) == 0) slate->err.code = ERR_NONE;
    _exit(0);
}

/* ---- the keeper ---- */

/* Stops as the shell expects it of its job; back when the shell continues us. In a group that has
 * no shell nothing stops, and the child goes on at once. */
static void rest_as_job(void)
{
    sigset_t stop;

    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    raise(SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &stop, NULL); /* here */
    sigprocmask(SIG_BLOCK, &stop, NULL);
}

/* Whether the child has ended: *status then. */
static bool look_at(pid_t child, int *status)
{
    while (waitpid(child, status, WNOHANG | WUNTRACED) == child) {
        if (!WIFSTOPPED(*status)) return true;
        keeper_put_back();
        rest_as_job();
        kill(child, SIGCONT);
    }
    return false;
}

static void watch(pid_t child, int *status)
{
    uint64_t kill_ms = 0;
    int number;

    while (!look_at(child, status)) {
        uint64_t now_ms = now_steady_ms();
        bool late = kill_ms > 0 && now_ms >= kill_ms;

        if (late) kill(child, SIGKILL);
        wait_readable(signal_fd, -1, kill_ms > 0 && !late ? (int64_t)(kill_ms - now_ms) : -1);
        /* Before the child is looked at: one that is continued has not stopped. */
        while ((number = fd_signals_next(signal_fd)) != 0) {
            if (number == SIGCHLD || number == SIGWINCH) continue;
            kill(child, number);
            if (number != SIGTSTP && number != SIGCONT && kill_ms == 0) {
                kill_ms = now_steady_ms() + END_WAIT_MS;
            }
        }
    }
}

/* What came of it, once the child has ended. */
static int tell_end(int status, bool *asked, struct err *err)
{
    *asked = slate->asked;
    if (WIFSIGNALED(status)) {
        return err_set(err, ERR_FAILED, "what draws was ended by signal %d (%s); the terminal is "
                       "as it was, and no run has changed", WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
    }
    *err = slate->err;
    return (int)err->code;
}

int keeper_run(const struct keeper_request *request, bool *asked, struct err *err)
{
    sigset_t read, before;
    pid_t self = getpid(), child;
    struct termios found;
    int status = 0, rc;

    *asked = false;
    leave = request->leave;
    if (tcgetattr(STDIN_FILENO, &found) != 0) {
        return err_system(err, errno, "the modes of the terminal");
    }
    /* cppcheck-suppress invalidFunctionArg ; memory without a file has the descriptor -1 */
    slate = mmap(NULL, sizeof *slate, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (slate == MAP_FAILED) return err_system(err, errno, "memory for the screen");
    *slate = (struct slate){ .modes.found = found };
    block_signals(&read, &before);
    signal_fd = fd_signals(&read);
    child = signal_fd < 0 ? -1 : fork();
    if (child == 0) be_child(request, self);
    if (child < 0) {
        rc = err_system(err, errno, "start a process for the screen");
    } else {
        watch(child, &status);
        keeper_put_back();
        rc = tell_end(status, asked, err);
    }
    if (signal_fd >= 0) close(signal_fd);
    signal_fd = -1;
    sigprocmask(SIG_SETMASK, &before, NULL);
    munmap(slate, sizeof *slate);
    return rc;
}
