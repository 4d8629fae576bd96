/* SPDX-License-Identifier: Apache-2.0
 *
 * keys.c - the terminal without lines and without echo, and back.
 *
 *            keys_fd() in the foreground
 *   CLOSED --open--> WAITING ------------> TAKEN --close--> CLOSED
 *                       ^                   |
 *                       '---- Ctrl-Z -------'   put back before hone stops
 *
 * 1. Only a process in the foreground changes the terminal: another would be stopped for it.
 * 2. What is put back is what was found when keys were opened, and only where the terminal is still
 *    as we made it: a shell or an editor may have it by now.
 * 3. Hone may die without a word. Its supervisor (io/process) lives on for a moment, in a session
 *    of its own that may change the terminal at any time, and puts it back: keys_rescue().
 * 4. A terminal that is gone is closed: it is not asked again. */
#include "io/terminal/keys.h"

#include "io/terminal/modes.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

static struct modes modes; /* known while is_open, and to the supervisor as a copy */
static bool is_open;
static volatile sig_atomic_t is_taken;

static void on_stop(int number)
{
    struct sigaction plain = { .sa_handler = SIG_DFL }, again = { .sa_handler = on_stop };
    int saved = errno;
    sigset_t set;

    if (is_taken && modes_may_set()) modes_put_back(&modes, STDIN_FILENO);
    is_taken = 0; /* keys_fd() takes it again */
    sigemptyset(&plain.sa_mask);
    sigemptyset(&again.sa_mask);
    again.sa_flags = SA_RESTART;
    sigemptyset(&set);
    sigaddset(&set, number);
    sigaction(number, &plain, NULL);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &set, NULL); /* here hone stops, and goes on when it is continued */
    sigaction(number, &again, NULL);
    errno = saved;
}

bool keys_open(void)
{
    struct sigaction action = { .sa_handler = on_stop, .sa_flags = SA_RESTART };

    if (is_open) return true;
    if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) return false;
    if (tcgetattr(STDIN_FILENO, &modes.found) != 0) return false;
    modes.ours = modes.found;
    modes.ours.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    modes.ours.c_cc[VMIN] = 1;
    modes.ours.c_cc[VTIME] = 0;
    sigemptyset(&action.sa_mask);
    sigaction(SIGTSTP, &action, NULL);
    is_open = true;
    return true;
}

void keys_close(void)
{
    if (!is_open) return;
    if (is_taken && modes_may_set()) modes_put_back(&modes, STDIN_FILENO);
    is_taken = 0;
    is_open = false;
    signal(SIGTSTP, SIG_DFL);
}

int keys_fd(void)
{
    if (!is_open || !modes_may_set()) return -1;
    if (!is_taken) {
        if (tcsetattr(STDIN_FILENO, TCSANOW, &modes.ours) != 0) return -1;
        is_taken = 1;
    }
    return STDIN_FILENO;
}

void keys_take(struct buf *out)
{
    struct pollfd polled = { .fd = keys_fd(), .events = POLLIN };
    char bytes[256];
    ssize_t got;

    if (polled.fd < 0 || poll(&polled, 1, 0) <= 0) return;
    got = read(polled.fd, bytes, sizeof bytes);
    if (got > 0) (void)buf_add(out, (struct str){ bytes, (size_t)got });
    else if (got == 0 || (errno != EINTR && errno != EAGAIN)) keys_close();
}

void keys_rescue(void)
{
    if (is_open) modes_put_back(&modes, STDERR_FILENO);
}
