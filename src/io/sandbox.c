/* SPDX-License-Identifier: Apache-2.0
 *
 * sandbox.c - argument lists for bubblewrap.
 *
 * The whole machine is bound as it is (devices, /proc and the network included), then the
 * read-only folders once more without the right to write, then the writable ones inside them.
 * Later binds lie over earlier ones: the order is the meaning.
 *
 * 1. Nothing is hidden and nobody becomes somebody else: an agent finds its own login and state.
 * 2. The agent ends when its parent does (--die-with-parent), sandboxed or not.
 * 3. No new pid namespace: it buys nothing here and costs each start milliseconds.
 *
 * Not here: which folders (the caller knows the roles).
 */
#include "io/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The question, once per process: the program that answers it, and the end of its stderr. */
static struct {
    bool asked, answered;
    pid_t pid;
    int fd;
    int error; /* of the start */
    const char *problem;
    char text[512];
} probe = { .fd = -1 };

/* Asks the way an agent would be started; what is bound read-only must exist everywhere. */
void sandbox_ask(void)
{
    static const char *const argv[] = { "bwrap", "--dev-bind", "/", "/", "--ro-bind", "/usr",
                                        "/usr", "--die-with-parent", "--", "true", NULL };
    posix_spawn_file_actions_t actions;
    int ends[2];

    if (probe.asked) return;
    probe.asked = true;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        probe.error = errno;
        return;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0);
    posix_spawn_file_actions_adddup2(&actions, 0, 1);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
    /* posix_spawn() takes char *const[] and changes nothing in it. */
    probe.error = posix_spawnp(&probe.pid, argv[0], &actions, NULL,
                               (char *const *)(uintptr_t)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    probe.fd = ends[0];
}

/* What it said, up to the first line end, and whether it ended well. */
static bool probe_read(char *out, size_t size)
{
    size_t used = 0;
    ssize_t got;
    int status = -1;

    while ((got = read(probe.fd, out + used, size - 1 - used)) > 0 || (got < 0 && errno == EINTR)) {
        if (got > 0) used += (size_t)got;
        if (used == size - 1) break;
    }
    out[used] = '\0';
    out[strcspn(out, "\n")] = '\0';
    close(probe.fd);
    while (waitpid(probe.pid, &status, 0) < 0 && errno == EINTR) {}
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

const char *sandbox_problem(void)
{
    char said[256] = "it does not start";

    sandbox_ask();
    if (probe.answered) return probe.problem;
    probe.answered = true;
    if (probe.error == ENOENT) {
        probe.problem = "bubblewrap is not installed";
    } else if (probe.error != 0 || !probe_read(said, sizeof said)) {
        snprintf(probe.text, sizeof probe.text, "bubblewrap does not work here: %s", said);
        probe.problem = probe.text;
    }
    return probe.problem;
}

static size_t length(const char *const *list)
{
    size_t count = 0;

    while (list[count]) count++;
    return count;
}

static size_t add_binds(const char **out, size_t at, const char *how, const char *const *folders)
{
    for (; *folders; folders++) {
        out[at++] = how;
        out[at++] = *folders;
        out[at++] = *folders;
    }
    return at;
}

const char *const *sandbox_wrap(struct arena *arena, const char *const *argv,
                                const char *const *read_only, const char *const *writable)
{
    enum { OWN_WORDS = 6 };
    size_t count = OWN_WORDS + 3 * (length(read_only) + length(writable)) + length(argv) + 1;
    const char **out = arena_alloc(arena, count * sizeof *out);
    size_t at = 0;

    out[at++] = "bwrap";
    out[at++] = "--dev-bind";
    out[at++] = "/";
    out[at++] = "/";
    at = add_binds(out, at, "--ro-bind", read_only);
    at = add_binds(out, at, "--bind", writable);
    out[at++] = "--die-with-parent";
    out[at++] = "--";
    for (; *argv; argv++) out[at++] = *argv;
    return out; /* what is left is NULL: an arena gives zeros */
}
