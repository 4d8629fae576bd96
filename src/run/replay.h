/* SPDX-License-Identifier: Apache-2.0
 *
 * replay.h - a run rebuilt from its journal: the same engine, with nobody performing.
 *
 * Resume begins with it, and every verb that shows a run is a visitor of it.
 *
 * Room: a run as it stands: its places on the disk, its engine rebuilt from the journal, its
 * history. Nothing here makes a run go on. */
#ifndef HONE_RUN_REPLAY_H
#define HONE_RUN_REPLAY_H

#include "base/arena.h"
#include "base/err.h"
#include "core/engine.h"
#include "dialect/dialect.h"
#include "settings/settings.h"
#include "store/journal.h"

/* The engine points into it: it must stay where replay_init() found it. */
struct replay {
    struct arena arena;
    struct journal_run row;
    const struct dialect *dialect;
    struct run_settings settings;
    struct plan plan;
    struct engine engine;
    uint64_t event_count;
};

/* Each event with the actions it led to, after the step. */
typedef bool replay_visit(void *context, const struct replay *replay, uint64_t sequence,
                          const struct event *event, const struct actions *actions);

/* Everything but the events: the row copied, its settings read, its plan compiled, the engine
 * idle. Also how a new run begins. ERR_USAGE for an unknown dialect or a bad setting. */
int replay_init(struct replay *replay, const struct journal_run *row, struct err *err);

/* Feeds all events, until visit (which may be NULL) returns false. */
int replay_run(struct replay *replay, struct journal *journal, replay_visit *visit, void *context,
               struct err *err);
void replay_release(struct replay *replay);

#endif
