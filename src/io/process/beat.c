/* SPDX-License-Identifier: Apache-2.0
 *
 * beat.c - SIGALRM's handler writes the line.
 *
 * 1. It writes only behind a whole line, and its own line whole or not at all: a pipe takes so few
 *    bytes at once, and one that is full takes none.
 * 2. Calls that the signal meets are started again by the system (SA_RESTART), but for poll():
 *    those that wait by it look at everything when it ends anyway.
 * 3. A child has no timer of ours, and a program that it becomes has no handler. */
#include "io/process/beat.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t beat_fd = -1, beat_free;
static const char *volatile beat_text = "";
static volatile size_t beat_bytes;

static void on_alarm(int number)
{
    int saved = errno;

    (void)number;
    if (beat_free && beat_fd >= 0 && write((int)beat_fd, beat_text, beat_bytes) < 0) {
        errno = saved; /* it is full: the other end has enough to read */
    }
    errno = saved;
}

void beat_start(int fd, const char *text, uint64_t every_ms)
{
    struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
    struct itimerval every = {
        .it_interval = { (time_t)(every_ms / 1000), (suseconds_t)(every_ms % 1000 * 1000) },
    };

    beat_free = false;
    beat_fd = fd;
    beat_text = text;
    beat_bytes = strlen(text);
    every.it_value = every.it_interval;
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
}

void beat_stop(void)
{
    const struct itimerval never = { .it_value = { 0, 0 } };

    if (beat_fd < 0) return;
    setitimer(ITIMER_REAL, &never, NULL);
    beat_fd = -1;
    beat_free = false;
    signal(SIGALRM, SIG_DFL);
}

void beat_enter(void)
{
    beat_free = false;
}

void beat_leave(bool whole)
{
    beat_free = whole;
}
