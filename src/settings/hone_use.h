/* SPDX-License-Identifier: Apache-2.0
 *
 * hone_use.h - what hone's own settings mean for one run. */
#ifndef HONE_SETTINGS_HONE_USE_H
#define HONE_SETTINGS_HONE_USE_H

#include "core/plan.h"
#include "settings/hone_json.h"
#include "settings/settings.h"

/* Settings as they are before flags: options of the dialect, limits, sandbox, test, patterns. Flags
 * are put over them. Texts are borrowed from values or live in arena. */
void hone_prefill(const struct hone_values *values, const struct dialect *dialect,
                  struct run_settings *settings, struct arena *arena);

/* Of those, what stands below rights, alone. */
void hone_rights(const struct hone_values *values, struct run_settings *settings);

/* Agents and efforts for the roles of the plan that no flag names, behind those that flags name.
 * Agents are marked as chosen, so that the dialect's own configuration comes before. ERR_USAGE for
 * one that cannot play here, by file and key. */
int hone_cast(const struct hone_values *values, const struct dialect *dialect,
              const struct plan *plan, struct run_settings *settings, struct arena *arena,
              struct err *err);

/* Makes the analyzers that the settings define known in this process. ERR_USAGE says what is wrong
 * with one. */
int hone_define(const struct run_settings *settings, struct err *err);

/* Whether a value came with the repository and would, in some run, run a command or give agents
 * more rights. */
bool hone_is_asked(const struct hone_value *value);

/* Whether the user must agree to an agent that a repository names: it is a command, plays answers
 * from a file, or looks at nothing. */
bool agent_is_asked(const char *spec);

/* A value that counts in a run. */
struct hone_effect {
    const struct hone_value *value;
    bool asked; /* the same, of this run */
};

/* A run as it was asked for: flags over files. */
struct hone_use {
    const struct hone_values *values;
    const struct dialect *dialect;
    const struct run_settings *settings; /* after hone_cast() */
    bool sandbox_said;                   /* a flag decided about the sandbox */
};

/* Everything of the values that counts in this run, in their order; returns how many. The list
 * lives in arena. */
uint32_t hone_effects(const struct hone_use *use, struct arena *arena,
                      const struct hone_effect **out);

#endif
