/* SPDX-License-Identifier: Apache-2.0 */
#include "io/file/stream.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

long stream_read(char *out, size_t bytes, int64_t timeout_ms)
{
    struct pollfd polled = { .fd = STDIN_FILENO, .events = POLLIN };
    int timeout = timeout_ms > INT_MAX ? INT_MAX : timeout_ms < 0 ? -1 : (int)timeout_ms;
    ssize_t got;

    if (poll(&polled, 1, timeout) <= 0) return STREAM_NOTHING;
    got = read(STDIN_FILENO, out, bytes);
    if (got >= 0) return (long)got;
    return errno == EINTR || errno == EAGAIN ? STREAM_NOTHING : STREAM_END;
}

bool stream_write(struct str bytes)
{
    while (bytes.size > 0) {
        ssize_t put = write(STDOUT_FILENO, bytes.data, bytes.size);
        if (put > 0) {
            bytes = str_skip(bytes, (size_t)put);
        } else if (put < 0 && errno == EAGAIN) {
            struct pollfd polled = { .fd = STDOUT_FILENO, .events = POLLOUT };
            (void)poll(&polled, 1, -1);
        } else if (put < 0 && errno != EINTR) {
            return false;
        }
    }
    return true;
}
