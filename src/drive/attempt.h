/* SPDX-License-Identifier: Apache-2.0
 *
 * attempt.h - attempts from ACT_START to EV_ENDED: attempt.c, launch.c and limits.c. */
#ifndef HONE_DRIVE_ATTEMPT_H
#define HONE_DRIVE_ATTEMPT_H

#include "drive/drive.h"

/* --- attempt.c --- */
void attempt_start(struct drive *drive, const struct action *action);
/* One that was started, or refused, by another process of this run. */
struct live *attempt_know(struct drive *drive, const struct action *action);
void attempt_stop(struct drive *drive, const struct action *action);
/* One that is not wanted any more: it fails before it has begun, or its process is ended. */
void attempt_cancel(struct drive *drive, struct live *live);
void attempt_launch_due(struct drive *drive, uint64_t now_ms);
/* Milliseconds until the next delayed start, or look of limits.c; -1: there is none. */
int64_t attempt_due_in(const struct drive *drive, uint64_t now_ms);
/* Attempts whose process has ended: of these notices, which may be of several lanes. */
void attempts_end(struct drive *drive, const struct notice *notices, uint32_t count);
/* The ends that the supervisor reported since the last call. */
void attempt_collect(struct drive *drive);
/* After a crash: attempts of the lane in flight that ended by themselves and were not noticed;
 * and what the others left lying is removed. */
void attempt_recover(struct drive *drive, const struct lane *lane);

uint64_t live_id(const struct action *action); /* for the supervisor */
struct live *live_find(const struct drive *drive, uint64_t id); /* NULL: it is over */
/* The next attempt that is not over, from *at on, which it moves; NULL: there is none. */
struct live *live_next(const struct drive *drive, uint32_t *at);
void live_sweep(struct drive *drive, bool all); /* those that are over go; or all */

/* The attempt, as the guard knows it. */
struct guarded attempt_guarded(struct drive *drive, const struct live *live);

/* How an attempt ends. Its event is queued, and live is over afterwards. */
struct gathered;
void attempt_end(struct drive *drive, struct live *live, struct gathered *gathered); /* released */
void attempt_push(struct drive *drive, struct live *live, struct pending *pending);
void attempt_fail(struct drive *drive, struct live *live, enum failure failure, bool permanent,
                  const char *problem);
/* It is not started yet: it is asked for again at that time, as where a service cannot serve. */
void attempt_postpone(struct drive *drive, struct live *live, uint64_t until_ms,
                      const char *problem);
void attempt_answer(struct drive *drive, struct live *live, struct str answer); /* at hand */

/* --- launch.c --- */
void attempt_launch(struct drive *drive, struct live *live);
/* Of a hosted run: where the attempt's answer goes, absolute; *file the same from the top of the
 * workspace where it is a contract file, else "". */
const char *attempt_output(const struct drive *drive, const struct live *live,
                           const char **file, struct arena *arena);
/* Everything that must be there before the host can start its agent, the prompt last. *over: it is
 * not asked, and has ended. */
int attempt_give(struct drive *drive, struct live *live, bool *over);
/* The file that a dialect wants a prompt in while the attempt runs, from the top of its workspace;
 * NULL: it wants none. */
const char *prompt_file_of(const struct drive *drive, const struct action *action,
                           struct arena *arena);
void prompt_file_remove(struct drive *drive, const struct action *action);

/* --- limits.c --- */
/* From the start of an attempt on: when its stream is to be looked at. */
void limits_begin(const struct drive *drive, struct live *live);
int64_t limits_due_in(const struct drive *drive); /* milliseconds; -1: never */
void limits_progress(struct drive *drive); /* tells how far agents are, where that changed */
int64_t limits_progress_in(const struct drive *drive); /* when to; -1: no agent runs */
void limits_look(struct drive *drive); /* at attempts that are due; ends those that are too late */

#endif
