/* SPDX-License-Identifier: Apache-2.0
 *
 * review.c - five reviewers at once, one fixer, until no reviewer finds anything.
 *
 *     R1 (review) --no issue---------------------> DONE
 *         ^  |------issues, iteration == max-----> STOPPED
 *         |  '------issues, iteration < max--.
 *         '-- iteration + 1 --- R2 (fix) <---'
 *
 * The plan is one phase: a gate of five, repaired by the fixer, looked at again by the same gate.
 * At most max-iterations reviews, so one repair less: every repair is reviewed. Where the gate has
 * a policy (core/policy.c), the checker looks at repairs instead of the five: one reviewer with
 * the remit of all.
 *
 * The user may name others than the five (`reviewers`): some of these, and roles of files
 * (dialect/panel.h); none whose contract file would be another one's: r1-verdict.json is the
 * verdict over all.
 *
 * Not here: prompts (prompt.c), answers (judge.c), files (record.c). */
#include "dialect/review/review.h"
#include "dialect/dialects.h"
#include "dialect/panel.h"

#include <string.h>

enum { ITERATIONS_DEFAULT = 5, RETRY_PAUSE_MS = 1000 };

static const struct role roles[REVIEW_ROLE_COUNT] = {
    [REVIEW_NOBODY] = { .name = "" },
    [REVIEW_CRITIC] = { .name = "critic", .invalid_max = 1, .failed_max = 1 },
    [REVIEW_PEDANT] = { .name = "pedant", .invalid_max = 1, .failed_max = 1 },
    [REVIEW_WITNESS] = { .name = "witness", .invalid_max = 1, .failed_max = 1 },
    [REVIEW_SECURITY] = { .name = "security-reviewer", .invalid_max = 1, .failed_max = 1 },
    [REVIEW_SILENT_FAILURE] = { .name = "silent-failure-hunter",
                                .invalid_max = 1, .failed_max = 1 },
    [REVIEW_FIXER] = { .name = REVIEW_FIXER_NAME, .writes = true, .invalid_max = 1,
                       .failed_max = 1 },
    [REVIEW_CHECKER] = { .name = "checker", .invalid_max = 1, .failed_max = 1 },
};

static const uint16_t seed_reviewers[REVIEWER_COUNT] = {
    REVIEW_CRITIC, REVIEW_PEDANT, REVIEW_WITNESS, REVIEW_SECURITY, REVIEW_SILENT_FAILURE,
};

static const struct phase phase_r1 = {
    .name = "R1",
    .repair_name = "R2",
    .gate = {
        .reviewers = seed_reviewers,
        .reviewer_count = REVIEWER_COUNT,
        .on_fail = FAIL_REPAIR,
        .repair = { .role = REVIEW_FIXER, .on_stuck = STUCK_REST },
        .at_bound = BOUND_STOP,
        .recheck = 0,
        .checker = REVIEW_CHECKER,
    },
};

bool review_is_builtin(const char *role)
{
    for (uint32_t i = 1; i < REVIEW_ROLE_COUNT; i++) {
        if (strcmp(role, roles[i].name) == 0) return true;
    }
    return false;
}

static const char *const reviewer_names[] = { "critic", "pedant", "witness", "security-reviewer",
                                              "silent-failure-hunter", NULL };
static const char *const taken_names[] = { "verdict", "overall-verdict", "total-issues", NULL };

static const struct panel_rule panel_rule = {
    .is_builtin = review_is_builtin,
    .reviewers = reviewer_names,
    .taken = taken_names,
};

/* The roles of a plan with these reviewers: them, the fixer, the checker. */
static void name_reviewers(const struct panel *panel, struct arena *arena, struct plan *plan,
                           struct gate *gate)
{
    uint16_t count = (uint16_t)panel->count;
    struct role *list = arena_alloc(arena, (panel->count + (size_t)3) * sizeof *list);
    uint16_t *reviewers = arena_alloc(arena, panel->count * sizeof *reviewers);

    list[0] = roles[REVIEW_NOBODY];
    for (uint16_t i = 0; i < count; i++) {
        reviewers[i] = (uint16_t)(i + 1);
        list[i + 1] = panel_role(panel->names[i]);
    }
    list[count + 1] = roles[REVIEW_FIXER];
    list[count + 2] = roles[REVIEW_CHECKER];
    gate->reviewers = reviewers;
    gate->reviewer_count = count;
    gate->repair.role = (uint16_t)(count + 1);
    gate->checker = (uint16_t)(count + 2);
    plan->roles = list;
    plan->role_count = (uint32_t)count + 2;
    plan->checker_count = 1;
}

static int review_plan(const struct settings *settings, struct arena *arena, struct plan *out,
                       struct err *err)
{
    struct panel panel;
    struct phase *phase;
    uint32_t iterations;
    int rc = settings_check(settings, &dialect_review, err);

    if (rc == 0) {
        rc = setting_number(settings, "max-iterations", ITERATIONS_DEFAULT, REVIEW_ITERATIONS_MAX,
                            &iterations, err);
    }
    if (rc == 0) rc = panel_read(settings, &panel_rule, arena, &panel, err);
    if (rc != 0) return rc;
    phase = arena_alloc(arena, sizeof *phase);
    *phase = phase_r1;
    phase->gate.repair_max = iterations - 1;
    phase->gate.bound_said = setting_value(settings, "max-iterations") != NULL;
    *out = (struct plan){
        .roles = roles,
        .role_count = REVIEW_CHECKER,
        .checker_count = REVIEW_ROLE_COUNT - REVIEW_CHECKER,
        .phases = phase,
        .phase_count = 1,
        .iteration_max = 1,
        .retry_pause_ms = RETRY_PAUSE_MS,
    };
    if (panel.count > 0) name_reviewers(&panel, arena, out, &phase->gate);
    return panel_check(settings, &panel_rule, out, arena, err);
}

uint16_t review_fixer(const struct plan *plan)
{
    return plan->phases[0].gate.repair.role;
}

bool review_is_witness(const char *role)
{
    return strcmp(role, roles[REVIEW_WITNESS].name) == 0;
}

uint16_t review_reviewer(const struct plan *plan, uint32_t nth)
{
    const struct gate *gate = &plan->phases[0].gate;

    if (nth < gate->reviewer_count) return gate->reviewers[nth];
    return gate->policy && nth == gate->reviewer_count ? gate->checker : REVIEW_NOBODY;
}

uint32_t review_iteration_max(const struct plan *plan)
{
    return gate_review_max(&plan->phases[0].gate);
}

const char *review_folder(struct arena *arena, uint32_t iteration)
{
    return arena_printf(arena, REVIEW_TRAIL "/review-%u", (unsigned)iteration);
}

const char *review_r1_path(struct arena *arena, uint32_t iteration, const char *role)
{
    return arena_printf(arena, REVIEW_TRAIL "/review-%u/r1-%s.json", (unsigned)iteration, role);
}

const char *review_r2_path(struct arena *arena, uint32_t iteration)
{
    return arena_printf(arena, REVIEW_TRAIL "/review-%u/r2-fix-summary.md", (unsigned)iteration);
}

const char *review_answer_file(const struct run_view *run, const struct action *action,
                               struct arena *arena)
{
    if (run->answers == ANSWERS_SPOKEN) return NULL;
    if (action->purpose == FOR_REPAIR) return review_r2_path(arena, action->round);
    return review_r1_path(arena, action->round, run->engine->plan->roles[action->role].name);
}

static const char *const private_paths[] = { REVIEW_STATE_PATH, REVIEW_TRAIL, NULL };

static const struct dialect_option options[] = {
    { .name = "max-iterations", .argument = "N",
      .help = "at most N reviews, 1 to 1000; 5 by default",
      .key = { .kind = KEY_NUMBER, .max = 1000, .builtin = "5", .consent = CONSENT_NEVER } },
    { .name = "reviewers", .argument = "ROLE,...",
      .help = "who reviews: 1 to 16 of critic, pedant, witness, security-reviewer, "
              "silent-failure-hunter and roles of your own ('hone roles'); all five by default",
      .key = { .kind = KEY_ROLES, .builtin = "[\"critic\", \"pedant\", \"witness\", "
               "\"security-reviewer\", \"silent-failure-hunter\"]", .consent = CONSENT_ANY } },
    { .name = NULL },
};

static const struct word_pair analyzer_roles[] = {
    { "gcc", "critic" },
    { "clang-tidy", "pedant" },
    { "cppcheck", "witness" },
    { "shellcheck", "silent-failure-hunter" },
    { "ruff", "critic" },
    { "flake8", "critic" },
    { "pylint", "pedant" },
    { "mypy", "witness" },
    { "bandit", "security-reviewer" },
    { "eslint", "critic" },
    { "tsc", "witness" },
    { "vet", "critic" },
    { "staticcheck", "pedant" },
    { "clippy", "critic" },
    { "semgrep", "security-reviewer" },
    { "secrets", "security-reviewer" },
    { NULL, NULL },
};

/* ---- what role files say of their agents ---- */

static const struct role_file *file_of(const struct settings *settings, const char *role,
                                       struct arena *arena)
{
    return panel_file(settings, role, review_is_builtin, arena);
}

static const char *review_agent(const struct settings *settings, const char *role, uint32_t copy,
                                struct arena *arena)
{
    (void)copy;
    return panel_agent(file_of(settings, role, arena));
}

static const char *review_effort(const struct settings *settings, const char *role, uint32_t copy,
                                 bool by_default, struct arena *arena)
{
    (void)copy;
    return panel_effort(file_of(settings, role, arena), by_default);
}

static const char *review_model(const struct settings *settings, const char *backend,
                                const char *role, struct arena *arena)
{
    return panel_model(file_of(settings, role, arena), backend);
}

static const struct dialect_casting casting = {
    .agent = review_agent,
    .agent_default = panel_no_agent,
    .effort = review_effort,
};

static const struct dialect_adopting adopting = {
    .state_file = REVIEW_STATE_PATH,
    .plugin = "minions",
    .settings_of = review_settings_of,
    .restore = review_restore,
};

static const struct dialect_answering answering = {
    .file = review_answer_file,
    .schema = review_schema,
};

const struct dialect dialect_review = {
    .analyzer_roles = analyzer_roles,
    .name = "review",
    .summary = "five reviewers at once and a fixer, until no issue is left",
    .gist = "what has changed is reviewed and mended until it is clean",
    .task_default = "Review the change in this repository",
    .private_paths = private_paths,
    .top_folder = ".agents",
    .trail = REVIEW_TRAIL,
    .judges_newest = true,
    .rounds_are_iterations = true,
    .sends_back = true,
    .options = options,
    .plan = review_plan,
    .prompt = review_prompt,
    .judge = review_judge,
    .found = review_found,
    .record = review_record,
    .role_file = file_of,
    .model = review_model,
    .casting = &casting,
    .adopting = &adopting,
    .answering = &answering,
    .notation = &review_notation,
};
