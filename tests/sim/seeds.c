/* SPDX-License-Identifier: Apache-2.0
 *
 * seeds.c - see the header. */
#include "seeds.h"

#include "base/mem.h"
#include "base/str.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a process shares with the one that waits for it. */
struct share {
    uint64_t seed;
    uint64_t tally[];
};

static struct share *share_new(const struct seeds *seeds)
{
    struct share *share = mmap(NULL, sizeof *share + seeds->tally_bytes, PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    return share == MAP_FAILED ? NULL : share;
}

/* How to repeat it, and its trace; it ends as it did before, in a process of its own. */
static void tell_again(const struct seeds *seeds, const char *program, uint64_t seed)
{
    pid_t child;

    fprintf(stderr, "seed %" PRIu64 " failed; repeat it with: %s -v 1 %" PRIu64 "\n", seed,
            program, seed);
    child = fork();
    if (child == 0) {
        uint64_t at = seed;

        seeds->run(mem_alloc(seeds->tally_bytes), &at, seed, 1, 1, true);
        _exit(0);
    }
    if (child > 0) waitpid(child, NULL, 0);
}

static bool run_all(const struct seeds *seeds, struct share **shares, uint64_t first,
                    uint64_t count, const char *program)
{
    pid_t child[SEED_PROCESSES];
    bool good = true;

    for (uint32_t i = 0; i < SEED_PROCESSES; i++) {
        child[i] = fork();
        if (child[i] < 0) return false;
        if (child[i] == 0) {
            if (i < count) {
                seeds->run(shares[i]->tally, &shares[i]->seed, first + i, count - i,
                           SEED_PROCESSES, false);
            }
            fflush(stdout);
            _exit(0);
        }
    }
    for (uint32_t i = 0; i < SEED_PROCESSES; i++) {
        int status;

        if (waitpid(child[i], &status, 0) == child[i] && status == 0) continue;
        tell_again(seeds, program, shares[i]->seed);
        good = false;
    }
    return good;
}

static uint64_t argument(int argc, char **argv, int index, uint64_t otherwise)
{
    uint64_t value = otherwise;

    if (index < argc && !str_number(str_of(argv[index]), &value)) {
        fprintf(stderr, "usage: %s [-v] [COUNT] [FIRST_SEED]\n", argv[0]);
        exit(2);
    }
    return value;
}

int seeds_main(const struct seeds *seeds, int argc, char **argv)
{
    bool verbose = argc > 1 && strcmp(argv[1], "-v") == 0;
    uint64_t count = argument(argc, argv, 1 + verbose,
                              getenv("HONE_TEST_SHORT") ? seeds->count_short : seeds->count);
    uint64_t first = argument(argc, argv, 2 + verbose, 1);
    struct share *shares[SEED_PROCESSES];
    bool good = true;

    for (uint32_t i = 0; i < SEED_PROCESSES; i++) {
        shares[i] = share_new(seeds);
        if (!shares[i]) return 1;
    }
    if (verbose) {
        seeds->run(shares[0]->tally, &shares[0]->seed, first, count, 1, true);
    } else {
        good = run_all(seeds, shares, first, count, argv[0]);
    }
    for (uint32_t i = 1; i < SEED_PROCESSES; i++) {
        for (size_t k = 0; k < seeds->tally_bytes / sizeof(uint64_t); k++) {
            shares[0]->tally[k] += shares[i]->tally[k];
        }
    }
    if (good) seeds->say(shares[0]->tally);
    return good ? 0 : 1;
}
