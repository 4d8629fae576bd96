/* SPDX-License-Identifier: Apache-2.0
 *
 * cases.h - how many random cases are tried. */
#ifndef HONE_TESTS_CASES_H
#define HONE_TESTS_CASES_H

#include <stdint.h>
#include <stdlib.h>

/* All of so many; an eighth where each takes long: under the sanitizers. */
static inline uint64_t cases(uint64_t all)
{
    return getenv("HONE_TEST_SHORT") ? all / 8 : all;
}

#endif
