/* SPDX-License-Identifier: Apache-2.0
 *
 * settings.h - how a run was asked for: options, agents, limits. Kept in the journal as JSON, so
 * that a resume means the same thing; pure. */
#ifndef HONE_DRIVE_SETTINGS_H
#define HONE_DRIVE_SETTINGS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "dialect/dialect.h"

#include <stdbool.h>
#include <stdint.h>

enum { LIMIT_TIME_MS = 3600 * 1000, LIMIT_IDLE_MS = 900 * 1000 };

/* --agent ROLE=SPEC, in the order given; ROLE may be "*". */
struct agent_setting {
    const char *role, *spec;
    bool chosen; /* by hone, as nobody was named: the dialect's own configuration comes before */
};

struct run_settings {
    struct settings options; /* the dialect's own: max-iterations and so on */
    const struct agent_setting *agents;
    uint32_t agent_count;
    uint64_t time_ms_max, idle_ms_max; /* of one attempt; 0: none */
    bool sandbox_off;
    const char *since;   /* what is looked at: the changes since this commit; "": everything */
    bool scope_given;    /* the user said so; else it was chosen for agents that must be told */
    const char *exclude; /* patterns of files that nobody looks at, one per line; may be "" */
    const char *test;    /* the command that must pass after a repair; "": none */
    const char *test_from; /* who named it: "--test", "Makefile" ...; "": nobody */
    const char *uuid;    /* another name of the run; "": a run of before there were such */
};

/* One line. Texts that are not UTF-8 are written with U+FFFD. */
void settings_write(const struct run_settings *settings, struct buf *out);

/* Texts live in arena. Limits that are not there are the defaults, unknown members are ignored;
 * ERR_FORMAT names a member that has another type. */
int settings_read(struct str json, struct arena *arena, struct run_settings *out, struct err *err);

/* The SPEC that was named for a role: by the last that names it, else the last for "*", else
 * NULL. And the one that was chosen for it, or NULL. */
const char *settings_agent(const struct run_settings *settings, const char *role);
const char *settings_chosen(const struct run_settings *settings, const char *role);

#endif
