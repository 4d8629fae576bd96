/* SPDX-License-Identifier: Apache-2.0
 *
 * choose.h - the agents of roles that no SPEC was named for.
 *
 * hone chooses a model whose program is on the PATH. Where there is none, and the dialect takes
 * findings from analyzers, it chooses compilers and linters that fit the sources for the roles that
 * review, and a fixer that applies what they suggest. A role that the dialect's own configuration
 * names an agent for is not free. */
#ifndef HONE_SETTINGS_CHOOSE_H
#define HONE_SETTINGS_CHOOSE_H

#include "agent/agent.h"
#include "analyze/project.h"
#include "core/plan.h"
#include "dialect/dialect.h"
#include "io/git/repo.h"
#include "settings/settings.h"

struct choose_request {
    const struct dialect *dialect;
    const struct plan *plan;
    const struct run_settings *settings;
    const struct backend *const *backends; /* NULL ends */
    const struct project *project;         /* may be NULL where choose_wants_project() is false */
};

struct selection {
    const struct agent_setting *agents; /* of every role that had none, in the plan's order */
    uint32_t count;
    const char *summary; /* these agents and the dialect's own choices: "critic gcc, pedant
                            clang-tidy; witness has none"; "" for none */
    const char *eyes;    /* who looks in turn with those, one in a line: those that were named and
                            do not play, else models; "": none. NULL: there is no policy */
    const char *warning; /* what is not installed but would help, and how to get it; or NULL */
};

/* Whether an agent plays this role of the plan: it is not ROLE_NONE, and hone does not play it
 * itself. */
bool role_is_played(const struct plan *plan, uint32_t role);

/* Whether a role is left that only an analyzer could play: then a project must be opened. */
bool choose_wants_project(const struct choose_request *request);

/* Texts live in arena. ERR_USAGE when a role is left over: what was looked for, what is missing
 * and how to get it, and how to name an agent. */
int choose_agents(const struct choose_request *request, struct arena *arena,
                  struct selection *out, struct err *err);

/* The same for a repository, whose project is opened where one is wanted: request->project is not
 * looked at, and repo may be an unopened one where none is. */
int choose_in(const struct repo *repo, const struct choose_request *request, struct arena *arena,
              struct selection *out, struct err *err);

/* Adds those that were chosen to those that were named: what the run keeps. */
void selection_add(const struct selection *selection, struct run_settings *settings,
                   struct arena *arena);

/* What the settings say is to be looked at, in a project's words; lives in arena. */
struct scope scope_of(const struct run_settings *settings, struct arena *arena);

#endif
