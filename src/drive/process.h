/* SPDX-License-Identifier: Apache-2.0
 *
 * process.h - the process of an attempt: what its agent is told, and what the supervisor is. It is
 * the same wherever the agent plays. */
#ifndef HONE_DRIVE_PROCESS_H
#define HONE_DRIVE_PROCESS_H

#include "guard/guard.h"
#include "io/process/supervisor.h"
#include "run/site.h"

/* What the run's settings and plan say of an attempt that works in that place. The rest is up to
 * the caller: iteration, output, evidence, findings, cache, schema, budget, traceparent. */
struct attempt process_about(const struct run *run, const struct action *action,
                             const struct site *site);

/* The process that argv becomes: in the sandbox of its role, with its environment, in its place,
 * with files in guarded->dir and the limits of the run. */
int process_make(const struct guarded *guarded, const struct attempt *about,
                 const char *const *argv, struct arena *arena, struct spawn *out);

/* The limits of an attempt that only its stream tells (limits.c), passed_ms after it began. When
 * it is looked at next, counted from its beginning; 0: no more. */
uint64_t stream_look_ms(const struct run_settings *settings, enum agent_progress progress,
                        uint64_t passed_ms);
/* What it has run into: ENDED_SILENT or ENDED_FIRST; ENDED_EXIT: nothing. */
enum ended_by stream_limit(const struct run_settings *settings, enum agent_progress progress,
                           uint64_t passed_ms);

/* An agent that answers by itself, without a process: answer (of at most ANSWER_BYTES_MAX) and what
 * it says it read are left in dir. */
int process_play(const struct agent *agent, const struct attempt *about, const char *dir,
                 struct buf *answer, int *status, struct err *err);

#endif
