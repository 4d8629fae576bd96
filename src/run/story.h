/* SPDX-License-Identifier: Apache-2.0
 *
 * story.h - a run's story (format/report/story.h), from its journal and from what was kept beside
 * it: the trees of its reviews, and what its attempts left. */
#ifndef HONE_RUN_STORY_H
#define HONE_RUN_STORY_H

#include "format/report/story.h"
#include "run/history.h"
#include "run/look.h"

/* Fills *out, in arena. replay: the run that was looked up, replayed to its end, with its history;
 * both are borrowed as long as the story is used. The journal is read once more: what was open
 * after each round is known only there. */
int story_read(const struct look *look, const struct run *replay, const struct history *history,
               struct arena *arena, struct story *out, struct err *err);

#endif
