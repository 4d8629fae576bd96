/* SPDX-License-Identifier: Apache-2.0
 *
 * setups.h - the small plans whose every future is walked through, and how far. */
#ifndef HONE_TESTS_SIM_SETUPS_H
#define HONE_TESTS_SIM_SETUPS_H

#include "plans.h"

#include "core/budget.h"

struct setup {
    const char *name;
    enum plan_kind kind;
    struct plan_size size;
    uint8_t drifts, grants, losts, tasks;
    uint8_t first; /* the list of tasks it begins with, by its number; 0: none */
    struct budget budget;
    bool large; /* left out where time is short */
};

extern const struct setup setups[]; /* name NULL ends */

#endif
