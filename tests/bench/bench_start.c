/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_start.c - from the start of hone to its first agent, in a repository of 20,000 files,
 * against what `git status` costs there. */
#include "bench.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILES = 20000, TRIES = 15 };

static char self[4096];

/* As an agent: leaves the time it began, answers nothing. */
static int stamp(const char *path)
{
    uint64_t now = now_ns();
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

    if (fd < 0) return 0; /* another one was first */
    if (write(fd, &now, sizeof now) != sizeof now) return 1;
    close(fd);
    return 0;
}

static double first_agent_ms(const char *hone, const char *folder)
{
    char command[9000], path[4200];
    const char *const argv[] = { hone, "run", "review", "--agent", command, "--quiet", NULL };
    uint64_t start, then = 0;
    int fd;

    snprintf(path, sizeof path, "%s.stamp", folder);
    unlink(path);
    snprintf(command, sizeof command, "*=cmd:exec %s stamp %s", self, path);
    start = now_ns();
    bench_run(argv);
    fd = open(path, O_RDONLY);
    if (fd < 0 || read(fd, &then, sizeof then) != sizeof then) {
        fprintf(stderr, "no agent began\n");
        exit(1);
    }
    close(fd);
    unlink(path);
    return (double)(then - start) / 1e6;
}

static double status_ms(void)
{
    const char *const argv[] = { "git", "status", "--porcelain", "--untracked-files=all", NULL };
    uint64_t start = now_ns();

    bench_run(argv);
    return (double)(now_ns() - start) / 1e6;
}

int main(int argc, char **argv)
{
    const char *hone = getenv("HONE") ? getenv("HONE") : "hone";
    double best = 1e9, status = 1e9;
    const char *folder;
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);

    if (argc > 2 && strcmp(argv[1], "stamp") == 0) return stamp(argv[2]);
    if (size < 0) return 1;
    folder = bench_repo(FILES);
    for (int i = 0; i < TRIES; i++) {
        double first = first_agent_ms(hone, folder), s = status_ms();
        if (first < best) best = first;
        if (s < status) status = s;
    }
    printf("first agent after %.1f ms, git status takes %.1f ms\n", best, status);
    bench_less("start to first agent, over the cost of git status", best - status, 10, "ms");
    bench_clean();
    return 0;
}
