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

/* A tally is numbers alone, each of them a uint64_t: those of all processes are added up. */
struct seeds {
    size_t tally_bytes;
    /* Runs count seeds, each so far from the one before, and counts in the tally. *seed is the one
     * at work. */
    void (*run)(void *tally, uint64_t *seed, uint64_t first, uint64_t count, uint64_t stride,
                bool verbose);
    void (*say)(const void *tally);
    uint64_t count, count_short; /* where none is given; and with HONE_TEST_SHORT */
};

/* main() of such a program: [-v] [COUNT] [FIRST_SEED]. */
int seeds_main(const struct seeds *seeds, int argc, char **argv);

#endif
