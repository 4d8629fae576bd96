/* SPDX-License-Identifier: Apache-2.0
 *
 * spending.h - the budget where it meets the clock, agents, and runs that agents start. */
#ifndef HONE_DRIVE_SPENDING_H
#define HONE_DRIVE_SPENDING_H

#include "agent/agent.h"
#include "drive/drive.h"

/* The budget that was asked for, as it is kept with a run: text as in format/text/budget_text.h, or
 * empty. */
struct budget spending_budget(const char *text);

/* A budget of dollars or tokens binds only agents that report them. ERR_USAGE where none of the
 * run's does; else, where some do not, the run says which. */
int spending_refuses(const struct run *run, const struct budget *budget, struct err *err);
void spending_warn(struct drive *drive, const struct budget *budget);

/* Milliseconds until the time of the budget is over; -1: never. Says so to the engine then. */
int64_t spending_due_in(const struct drive *drive, uint64_t now_ms);
void spending_look(struct drive *drive, uint64_t now_ms);
/* What is left for an attempt, put into what it is told. */
void spending_tell(const struct drive *drive, struct live *live, struct attempt *about,
                   struct arena *arena);
/* Whether an agent that stopped at a limit of money did so at ours. */
bool spending_was_all(const struct drive *drive, const struct live *live, uint64_t cost_micros);

/* What this run used goes to the agent that started it, if one did. */
void children_tell(struct drive *drive);
/* What runs used that the attempt in this folder has started, added to its own. */
void children_add(const char *dir, struct usage *usage);

#endif
