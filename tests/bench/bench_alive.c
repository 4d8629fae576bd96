/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_alive.c - 1,000 agents alive at once in one run: the engine's own memory and the
 * processor time it uses while they are quiet. Engine and supervisor are counted together. */
#include "bench.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { AGENTS = 1000, QUIET_S = 4 };

/* Resident memory that is not shared with others, in KiB; and used processor time in ticks. */
static void measure(long pid, long *memory, long *ticks)
{
    char path[64], line[512];
    long value;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%ld/smaps_rollup", pid);
    file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "Pss: %ld", &value) == 1) *memory += value;
    }
    if (file) fclose(file);
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    file = fopen(path, "r");
    if (file && fgets(line, sizeof line, file)) {
        unsigned long user = 0, system = 0;
        const char *rest = strrchr(line, ')');
        if (rest && sscanf(rest + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
                           &system) == 2) {
            *ticks += (long)(user + system);
        }
    }
    if (file) fclose(file);
}

/* The only child of the engine: its supervisor. And how many children that has. */
static long children(long pid, long *count)
{
    char path[64];
    long child, first = 0;
    FILE *file;

    *count = 0;
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", pid, pid);
    file = fopen(path, "r");
    while (file && fscanf(file, "%ld", &child) == 1) {
        if (!first) first = child;
        ++*count;
    }
    if (file) fclose(file);
    return first;
}

int main(void)
{
    long memory = 0, before = 0, after = 0, unused = 0, count = 0, supervisor = 0;
    pid_t engine;

    bench_repo(20);
    bench_reviewers = AGENTS;
    fflush(stdout);
    engine = fork();
    if (engine == 0) {
        if (!freopen("/dev/null", "w", stdout)) _exit(1);
        _exit(bench_headless(".", "exec sleep 60"));
    }
    for (int i = 0; i < 600 && count < AGENTS; i++) {
        usleep(50000);
        supervisor = children(engine, &count);
        if (supervisor) children(supervisor, &count);
    }
    printf("agents alive: %ld\n", count);
    sleep(1);
    measure(engine, &memory, &before);
    measure(supervisor, &memory, &before);
    sleep(QUIET_S);
    measure(engine, &unused, &after);
    measure(supervisor, &unused, &after);
    bench_less("1,000 agents alive: memory of the engine", (double)memory / 1024, 64, "MiB");
    bench_less("1,000 quiet agents: processor time of the engine",
               100.0 * (double)(after - before) / (double)sysconf(_SC_CLK_TCK) / QUIET_S, 5, "%");
    kill(engine, SIGKILL);
    bench_wait(engine);
    for (int i = 0; i < 100 && kill((pid_t)supervisor, 0) == 0; i++) usleep(50000);
    bench_clean();
    return count == AGENTS ? 0 : 1;
}
