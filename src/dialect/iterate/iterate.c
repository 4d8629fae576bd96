/* SPDX-License-Identifier: Apache-2.0
 *
 * iterate.c - from an idea to reviewed code in nine phases, in as many iterations as it takes.
 *
 * Not here: configuration (config.c), the plan (plan.c), prompts, answers and files (prompt.c,
 * remit.c, judge.c, record.c). */
#include "dialect/iterate/iterate.h"
#include "dialect/dialects.h"

static const char *const private_paths[] = { ITERATE_STATE_PATH, NULL };

static const struct dialect_option options[] = {
    { .name = "max-iterations", .argument = "N",
      .help = "at most N iterations, 1 to 1000; 10 by default",
      .key = { .kind = KEY_NUMBER, .max = 1000, .builtin = "10", .consent = CONSENT_NEVER } },
    { .name = "lite", .help = "no Codex: it plays no role, and phase 9 is left out",
      .key = { .kind = KEY_SWITCH, .builtin = "false", .consent = CONSENT_TRUE } },
    { .name = "reviewers", .argument = "ROLE,...",
      .help = "who reviews the code in phase 5: 1 to 16 of code-reviewer and roles of your own "
              "('hone roles'); code-reviewer by default",
      .key = { .kind = KEY_ROLES, .builtin = "[\"code-reviewer\"]", .consent = CONSENT_ANY } },
    { .name = NULL },
};

static const struct dialect_casting casting = {
    .agent = iterate_agent,
    .agent_default = iterate_agent_default,
    .effort = iterate_effort,
};

static const struct dialect_configuring configuring = {
    .files = iterate_config_files,
    .list = iterate_config_list,
};

const struct dialect dialect_iterate = {
    .notation = &iterate_notation,
    .name = "iterate",
    .summary = "brainstorm, plan, implement, test and simplify, with a review of each step",
    .private_paths = private_paths,
    .top_folder = ".agents",
    .trail = ".agents/iteration-state.json",
    .options = options,
    .wants_test = true,
    .plan = iterate_plan,
    .prompt = iterate_prompt,
    .judge = iterate_judge,
    .found = iterate_found,
    .record = iterate_record,
    .builtin = iterate_builtin,
    .role_file = iterate_role_file,
    .model = iterate_model,
    .casting = &casting,
    .configuring = &configuring,
};
