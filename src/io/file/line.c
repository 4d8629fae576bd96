/* SPDX-License-Identifier: Apache-2.0 */
#include "io/file/line.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

bool line_can_ask(void)
{
    return isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
}

/* Byte by byte: what stands behind the line is the next reader's. */
bool line_read(struct buf *out, int interrupt_fd)
{
    for (;;) {
        struct pollfd polled[] = {
            { .fd = STDIN_FILENO, .events = POLLIN },
            { .fd = interrupt_fd, .events = POLLIN },
        };
        ssize_t got;
        char byte;

        if (poll(polled, 2, -1) < 0 && errno != EINTR) return false;
        if (polled[1].revents) return false;
        if (!polled[0].revents) continue;
        got = read(STDIN_FILENO, &byte, 1);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        if (byte == '\n') return true;
        buf_byte(out, byte);
    }
}

bool line_agrees(const char *question)
{
    enum { ANSWER_BYTES_MAX = 256 };
    struct str answer;
    struct buf line;
    bool yes;

    fputs(question, stderr);
    buf_init(&line, ANSWER_BYTES_MAX);
    yes = line_read(&line, -1);
    answer = str_trim(buf_str(&line));
    yes = yes && (str_is(answer, "y") || str_is(answer, "Y") || str_is(answer, "yes"));
    buf_release(&line);
    return yes;
}
