/* SPDX-License-Identifier: Apache-2.0
 *
 * by_hand.h - what the scenes of all dialects share: a run's engine without agents, whose answers
 * are given by hand and judged by the dialect. */
#ifndef HONE_TESTS_UNIT_BY_HAND_H
#define HONE_TESTS_UNIT_BY_HAND_H

#include "dialect/dialect.h"

/* A second before 2026-01-02T03:04:05Z, where every scene begins. */
#define HAND_BEGIN_MS UINT64_C(1767323044000)

/* Steps the engine a second later. */
void hand_step(struct engine *engine, struct actions *actions, uint64_t *now_ms,
               struct event event);

/* What the engine asks of a role in a lane now; fails the test where it asks nothing. */
struct action hand_action(const struct engine *engine, uint32_t lane, const char *role);

/* The end of that action, with an answer as the dialect judges it. */
struct event hand_answer(const struct dialect *dialect, const struct run_view *run,
                         const struct action *action, const char *answer, struct arena *arena);

/* The end of an attempt that failed for good. */
struct event hand_failure(const struct action *action, enum failure failure, const char *problem);

#endif
