/* SPDX-License-Identifier: Apache-2.0
 *
 * terminal.c - standard error as a screen.
 *
 * Standard error is shared with the shell and with every other program in the pipeline, so hone
 * does not change its flags. The same terminal is opened once more for a description of our own
 * that does not block. Where that is not allowed (another user's terminal) small pieces are written
 * when poll(2) says that there is room.
 *
 * 1. A write never waits; closing waits CLOSE_WAIT_MS at most.
 * 2. Bytes are sent in order and none is left out: only the end of the terminal cuts an escape
 *    sequence in two.
 * 3. An error means that the terminal is gone: everything after it is dropped. */
#include "io/terminal/terminal.h"

#include "io/file/descriptor.h"
#include "io/file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    UNSENT_BYTES_MAX = 4 << 20,
    PIECE_BYTES = 128, /* a terminal that says it has room has at least this */
    CLOSE_WAIT_MS = 500,
    COLUMNS_OTHERWISE = 80, ROWS_OTHERWISE = 24,
};

/* ---- signals ---- */

static volatile sig_atomic_t was_resized, was_continued;

static void on_signal(int number)
{
    if (number == SIGWINCH) was_resized = 1;
    if (number == SIGCONT) was_continued = 1;
}

static void listen_to(void (*handler)(int))
{
    struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };

    sigemptyset(&action.sa_mask);
    sigaction(SIGWINCH, &action, NULL);
    sigaction(SIGCONT, &action, NULL);
}

uint32_t terminal_take(void)
{
    uint32_t events = 0;

    if (was_resized) {
        was_resized = 0;
        events |= TERMINAL_RESIZED;
    }
    if (was_continued) {
        was_continued = 0;
        events |= TERMINAL_CONTINUED;
    }
    return events;
}

/* ---- what it is ---- */

bool terminal_can_move(int fd)
{
    const char *term = getenv("TERM");

    return isatty(fd) && term && term[0] && strcmp(term, "dumb") != 0;
}

/* The variable that decides about characters, as setlocale() would take it. Whether that locale
 * is installed here does not matter: it tells of the terminal, not of us. */
static bool says_utf8(void)
{
    static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        const char *set = value ? strchr(value, '.') : NULL;
        if (!value || !value[0]) continue;
        return set && (strncasecmp(set, ".utf-8", 6) == 0 || strncasecmp(set, ".utf8", 5) == 0);
    }
    return false;
}

struct terminal_size terminal_size(const struct terminal *terminal)
{
    struct winsize size = { 0 };

    if (ioctl(terminal->fd, TIOCGWINSZ, &size) != 0) size = (struct winsize){ 0 };
    return (struct terminal_size){
        .columns = size.ws_col ? size.ws_col : COLUMNS_OTHERWISE,
        .rows = size.ws_row ? size.ws_row : ROWS_OTHERWISE,
    };
}

bool terminal_is_ours(const struct terminal *terminal)
{
    pid_t group = tcgetpgrp(terminal->fd);

    return group < 0 || group == getpgrp(); /* <0: no job control here */
}

/* ---- opened, closed ---- */

void terminal_open(struct terminal *terminal)
{
    int fd = fd_reopen(STDERR_FILENO, O_WRONLY | O_NONBLOCK | O_NOCTTY);

    *terminal = (struct terminal){ .fd = STDERR_FILENO, .utf8 = says_utf8() };
    buf_init(&terminal->unsent, UNSENT_BYTES_MAX);
    if (fd >= 0) {
        terminal->fd = fd;
        terminal->own = true;
    }
    was_resized = was_continued = 0;
    listen_to(on_signal);
}

void terminal_close(struct terminal *terminal)
{
    uint64_t end_ms;

    if (terminal->fd < 0) return;
    end_ms = now_steady_ms() + CLOSE_WAIT_MS;
    while (!terminal_flush(terminal)) {
        struct pollfd room = { .fd = terminal->fd, .events = POLLOUT };
        uint64_t now_ms = now_steady_ms();
        if (now_ms >= end_ms) break;
        (void)poll(&room, 1, (int)(end_ms - now_ms));
    }
    listen_to(SIG_DFL);
    if (terminal->own) close(terminal->fd);
    buf_release(&terminal->unsent);
    *terminal = (struct terminal){ .fd = -1 };
}

/* ---- bytes ---- */

static bool has_room(const struct terminal *terminal)
{
    struct pollfd room = { .fd = terminal->fd, .events = POLLOUT };

    return terminal->own || poll(&room, 1, 0) > 0; /* an error is room, too: write() tells it */
}

bool terminal_flush(struct terminal *terminal)
{
    struct buf *unsent = &terminal->unsent;
    size_t sent = 0;

    while (sent < unsent->size && has_room(terminal)) {
        size_t piece = unsent->size - sent;
        ssize_t put;

        if (!terminal->own && piece > PIECE_BYTES) piece = PIECE_BYTES;
        put = write(terminal->fd, unsent->data + sent, piece);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0 && errno != EAGAIN) sent = unsent->size; /* the terminal is gone */
        if (put <= 0) break;
        sent += (size_t)put;
    }
    if (sent > 0) {
        unsent->size -= sent;
        memmove(unsent->data, unsent->data + sent, unsent->size);
    }
    return unsent->size == 0;
}

void terminal_write(struct terminal *terminal, struct str bytes)
{
    (void)buf_add(&terminal->unsent, bytes);
    (void)terminal_flush(terminal);
}
