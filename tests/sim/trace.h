/* SPDX-License-Identifier: Apache-2.0
 *
 * trace.h - a run as a story: each event on a line, and below it what the engine asked for. */
#ifndef HONE_TESTS_SIM_TRACE_H
#define HONE_TESTS_SIM_TRACE_H

#include "core/engine.h"

/* Before the step: whose attempt it is must still be known. */
void trace_event(const struct engine *engine, const struct event *event, struct buf *out);

/* After it. The record that opens every list is left out; an empty list says so. */
void trace_actions(const struct plan *plan, const struct actions *actions, struct buf *out);

#endif
