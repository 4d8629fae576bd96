/* SPDX-License-Identifier: Apache-2.0 */
#include "io/file/stream.h"

#include "io/file/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
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

const char *const *stream_files(const char *folder, struct arena *arena)
{
    const char **files = arena_alloc(arena, 3 * sizeof *files);
    size_t size = strlen(folder);
    uint32_t count = 0;
    char path[PATH_MAX];

    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
        if (!fd_path(fd, path, sizeof path)) continue;
        if (strncmp(path, folder, size) != 0 || path[size] != '/') continue;
        if (count > 0 && strcmp(files[0], path + size + 1) == 0) continue;
        files[count++] = arena_printf(arena, "%s", path + size + 1);
    }
    return files;
}

void stream_join(void)
{
    (void)dup2(STDOUT_FILENO, STDERR_FILENO);
}

void stream_unattended(void)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

    if (fd < 0) return;
    (void)dup2(fd, STDIN_FILENO);
    close(fd);
}
