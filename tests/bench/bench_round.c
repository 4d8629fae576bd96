/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_round.c - what the engine adds to a round of five agents that do nothing, on the disk of
 * TMPDIR and, to tell the engine from the disk, in memory.
 *
 * Against: the same five processes by posix_spawn and wait, with the same files as standard input
 * and output, and one fdatasync for each commit the journal makes in such a round.
 *
 * A round makes twenty-one files and folders, the bare one none. On ext4 that is cheap until many
 * were removed: for five minutes it looks past each of them, so a second run of this program,
 * or one right after the tests, measures what the first one removed. */
#include "bench.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 60, AGENTS = 5, TRIES = 5 };

static const char *const agent[] = { "sh", "-c", ":", NULL };

static void bare_round(int journal, uint32_t commits)
{
    static const char row[4096];
    pid_t pids[AGENTS];
    char out[32];

    for (int i = 0; i < AGENTS; i++) {
        snprintf(out, sizeof out, "out%d", i);
        pids[i] = bench_spawn(agent, NULL, out);
    }
    for (int i = 0; i < AGENTS; i++) bench_wait(pids[i]);
    for (uint32_t i = 0; i < commits; i++) {
        if (write(journal, row, sizeof row) < 0 || fdatasync(journal) != 0) perror("journal");
    }
}

static double bare(uint32_t commits)
{
    int journal = open("bare.log", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
    uint64_t start = now_ns();

    for (int i = 0; i < ROUNDS; i++) bare_round(journal, commits);
    start = now_ns() - start;
    close(journal);
    return (double)start / ROUNDS / 1e6;
}

static double engine_total(uint32_t rounds)
{
    uint64_t start = now_ns();
    int out = dup(1), null = open("/dev/null", O_WRONLY);

    bench_rounds = rounds;
    dup2(null, 1); /* the run's own result line */
    if (bench_headless(".", ":") != 1) exit(1);
    fflush(stdout);
    dup2(out, 1);
    close(null);
    close(out);
    return (double)(now_ns() - start) / 1e6;
}

/* The cost of a round, without what a run costs once. */
static double engine(void)
{
    double many = engine_total(ROUNDS + 1), one = engine_total(1);

    return (many - one) / ROUNDS;
}

static void compare(const char *where)
{
    double best_engine = 1e9, best_bare = 1e9, best_spawn = 1e9;
    char name[80];

    bench_repo(20);
    for (int i = 0; i < TRIES; i++) {
        double e = engine(), b = bare(AGENTS), s = bare(0);
        if (e < best_engine) best_engine = e;
        if (b < best_bare) best_bare = b;
        if (s < best_spawn) best_spawn = s;
    }
    bench_clean();
    printf("%s: engine %.2f ms, bare %.2f ms (spawn and wait %.2f ms)\n", where, best_engine,
           best_bare, best_spawn);
    snprintf(name, sizeof name, "five idle agents / bare spawn, wait and fsyncs, %s", where);
    bench_less(name, best_engine / best_bare, 1.5, "times");
    fflush(stdout); /* the next run turns it away for a while */
}

int main(void)
{
    compare("on disk");
    if (access("/dev/shm", W_OK) == 0) {
        setenv("TMPDIR", "/dev/shm", 1); /* making a file costs what the disk's past makes of it */
        compare("in memory");
    }
    return 0;
}
