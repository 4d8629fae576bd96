/* SPDX-License-Identifier: Apache-2.0
 *
 * convergence.h - the engine itself over a change of change.h, until it ends. */
#ifndef HONE_TESTS_SIM_CONVERGENCE_H
#define HONE_TESTS_SIM_CONVERGENCE_H

#include "core/engine.h"

#include "change.h"

/* Until what a loop goes on. It is pointed into: not to be moved or copied. */
struct course {
    const char *name;
    struct policy policy;
    struct plan plan;
    struct phase phase;
    struct arena arena;
};

/* policy: NULL, all reviewers look again after each repair. more: so many reviews beyond the bound,
 * and no other end but that nothing is left to repair. */
void course_init(struct course *course, const char *policy, uint32_t eyes, uint32_t more);
void course_release(struct course *course);

struct outcome {
    double calls, rounds;
    struct residue before, left;
    uint32_t false_edits;
    uint32_t parked, parked_true; /* entries of the ledger; and those about a fault that is there */
    enum reason reason;
    const char *broken; /* NULL, or the law that the engine broke */
};

/* How well reports are told apart by what the engine's ledger made of them. */
struct identity_tally {
    uint64_t again, known;      /* reports of a fault that is in the ledger; and found there */
    uint64_t fresh, mistaken;   /* of one that is not; and taken for another all the same */
    uint64_t together, joined;  /* second reports in one review; and put with the first */
};

/* Change number `seed` of its population. tally may be NULL. */
struct outcome course_run(const struct course *course, struct change *change, uint64_t seed,
                          struct identity_tally *tally);

#endif
