/* SPDX-License-Identifier: Apache-2.0
 *
 * twin.h - a second engine beside one at work: it is told the same, but loses attempts before they
 * end. Its run must not end otherwise. */
#ifndef HONE_TESTS_SIM_TWIN_H
#define HONE_TESTS_SIM_TWIN_H

#include "core/engine.h"

#include "shared/prng.h"

struct twin {
    struct engine engine;
    struct actions actions;
    struct prng prng;
    uint64_t lost; /* attempts that it has lost and the other one has not */
};

/* Both engines of a twin begin with engine_init(). Calls must have no limit in the run: an attempt
 * that was lost is a call. */
void twin_init(struct twin *twin, const struct plan *plan, uint64_t seed);
void twin_release(struct twin *twin);

/* engine_step() of the engine, and of the twin behind the attempts that it loses. Returns NULL, or
 * which of twin.c's rules is broken. */
const char *twin_step(struct twin *twin, struct engine *engine, const struct event *event,
                      struct actions *out);

/* Whether the two are the same now, but for what lost attempts leave behind: NULL, or what is
 * wrong, with both as text on standard error. */
const char *twin_compare(const struct twin *twin, const struct engine *engine);

#endif
