/* SPDX-License-Identifier: Apache-2.0
 *
 * seeds.h - a simulation run for many seeds, in processes of their own, so that a failed assertion
 * can be told of: by its seed, by how to repeat it, and by its trace. */
#ifndef HONE_TESTS_SIM_SEEDS_H
#define HONE_TESTS_SIM_SEEDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SEED_PROCESSES = 2 };

struct seeds {
    size_t tally_bytes;
    /* Runs count seeds, each so far from the one before, and adds to the tally what it saw. It sets
     * *seed before it begins one. */
    void (*run)(void *tally, uint64_t *seed, uint64_t first, uint64_t count, uint64_t stride,
                bool verbose);
    void (*add)(void *sum, const void *tally);
    void (*say)(const void *sum);
    uint64_t count, count_short; /* where none is given; and with HONE_TEST_SHORT */
};

/* main() of such a program: [-v] [COUNT] [FIRST_SEED]. */
int seeds_main(const struct seeds *seeds, int argc, char **argv);

#endif
