/* SPDX-License-Identifier: Apache-2.0
 *
 * fleet_run.h - the run of a fleet's driver: a real engine, its journal, and agents whose answers
 * follow from what they were asked and a seed, and from nothing else. So the same run can be played
 * on one machine, where nothing goes wrong, and over a fleet: it must end the same.
 *
 * Agents answer well, with findings, or badly once in a row; none is stuck, and no bound is met: a
 * resume grants more there, and a run over a fleet is resumed more often. */
#ifndef HONE_TESTS_SIM_FLEET_RUN_H
#define HONE_TESTS_SIM_FLEET_RUN_H

#include "base/buf.h"
#include "core/engine.h"
#include "fleet_server.h"
#include "plans.h"

/* An attempt that the engine asked for. Its place in the list is its key. */
struct fleet_attempt {
    struct action action;
    uint8_t how;       /* how its agent will answer */
    bool journaled;    /* its end is in the journal */
    bool stop;         /* the engine wants it to end */
};

struct fleet_run {
    uint64_t seed;
    struct fixture fixture;
    struct engine engine;
    struct actions actions;
    struct event *journal;
    uint32_t journal_count, journal_cap;
    struct fleet_attempt attempts[FS_KEYS];
    uint32_t attempt_count;
    uint32_t told;     /* attempts that were handed out by fleet_run_next() */
    uint32_t bad[FS_KEYS]; /* of a job: bad answers in a row */
    bool ended;        /* it has, for now or for good */
    bool left;         /* it failed, or was stopped: a resume goes on */
};

void fleet_run_init(struct fleet_run *run, uint64_t seed);
void fleet_run_release(struct fleet_run *run);

void fleet_run_start(struct fleet_run *run, uint64_t now_ms);
/* The next attempt that is asked for; FS_KEYS: none. */
uint32_t fleet_run_next(struct fleet_run *run);
/* What its agent said is journaled; or that it is lost. */
void fleet_run_end(struct fleet_run *run, uint32_t key, bool lost, uint64_t now_ms);
/* The process died: all but the journal is gone. */
void fleet_run_replay(struct fleet_run *run);
/* Whether the attempt is at work as far as the journal knows. */
bool fleet_run_has(const struct fleet_run *run, uint32_t key);
void fleet_run_resume(struct fleet_run *run, uint64_t now_ms);

/* How it ended: the reason, and what became of each lane. */
void fleet_run_print(const struct fleet_run *run, struct buf *out);
/* Plays it all on one machine. */
void fleet_run_here(struct fleet_run *run);

#endif
