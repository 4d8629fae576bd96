/* SPDX-License-Identifier: Apache-2.0
 *
 * plan.c - nine phases in iterations, as the configuration wants them; and who plays.
 *
 *     1 Brainstorm --> 2 Plan --> 3 Plan Review --> 4 Implement --> 5 Code Review --> 6 Test --.
 *     ^                                |                                 |              |      |
 *     |                                |  8 Final Review <-- 7 Simplify <--------------------- '
 *     '--- restart: next iteration ----+---------'  |
 *                                                   '--> 9 Codex Final (full mode) --> the end
 *
 * 1. Each gate looks again after its own repair. maxRetries N is N repairs, so N + 1 reviews.
 * 2. A restart that is one too many does what onMaxRetries says; restart again is a stop.
 * 3. Phase 9 looks once: what it finds ends the run, and is not repaired.
 * 4. With parallelFixes the issues of different files go to different fixers. All issues of phase 3
 *    amend one plan, so one fixer has them all; phase 6 has one fixer, too.
 * 5. Whether findings count is up to the judge, by the phase's threshold; the plan knows none.
 * 6. Lite mode has no phase 9, no role for it, and no codex.
 * 7. Who reviews the code in phase 5 is up to the user (`reviewers`); in all other gates there is
 *    one reviewer. Where several have reviewed, one fixer has all issues: each is judged by itself,
 *    and two of them may name one file. */
#include "dialect/dialects.h"
#include "dialect/iterate/iterate.h"

#include <assert.h>
#include <string.h>

enum { ITERATIONS_DEFAULT = 10, ITERATIONS_MAX = 1000, COPIES = 2, RETRY_PAUSE_MS = 1000 };

static const struct role roles[ITERATE_ROLE_COUNT] = {
    [ITERATE_NOBODY] = { .name = "" },
    [ITERATE_BRAINSTORMER] = { .name = "brainstormer", .writes = true,
                               .invalid_max = 1, .failed_max = 1 },
    [ITERATE_PLANNER] = { .name = "planner", .writes = true, .invalid_max = 1, .failed_max = 1 },
    [ITERATE_PLAN_REVIEWER] = { .name = "plan-reviewer", .invalid_max = 1, .failed_max = 1 },
    [ITERATE_IMPLEMENTER] = { .name = "implementer", .writes = true,
                              .invalid_max = 1, .failed_max = 1 },
    [ITERATE_CODE_REVIEWER] = { .name = "code-reviewer", .invalid_max = 1, .failed_max = 1 },
    [ITERATE_TEST] = { .name = "test", .writes = true, .builtin = true },
    [ITERATE_SIMPLIFIER] = { .name = "simplifier", .writes = true,
                             .invalid_max = 1, .failed_max = 1 },
    [ITERATE_FINAL_REVIEWER] = { .name = "final-reviewer", .invalid_max = 1, .failed_max = 1 },
    [ITERATE_FIXER] = { .name = "fixer", .writes = true, .invalid_max = 1, .failed_max = 1 },
    [ITERATE_CODEX_FINAL] = { .name = "codex-final", .invalid_max = 1, .failed_max = 1 },
};

/* The role that works in a phase, or reviews in it. */
static const struct {
    const char *key, *name;
    uint16_t worker, reviewer;
} phases[PHASE_NUMBER_MAX + 1] = {
    [PHASE_BRAINSTORM] = { "1", "Brainstorm", .worker = ITERATE_BRAINSTORMER },
    [PHASE_PLAN] = { "2", "Plan", .worker = ITERATE_PLANNER },
    [PHASE_PLAN_REVIEW] = { "3", "Plan Review", .reviewer = ITERATE_PLAN_REVIEWER },
    [PHASE_IMPLEMENT] = { "4", "Implement", .worker = ITERATE_IMPLEMENTER },
    [PHASE_CODE_REVIEW] = { "5", "Code Review", .reviewer = ITERATE_CODE_REVIEWER },
    [PHASE_TEST] = { "6", "Test", .reviewer = ITERATE_TEST },
    [PHASE_SIMPLIFY] = { "7", "Simplify", .worker = ITERATE_SIMPLIFIER },
    [PHASE_FINAL_REVIEW] = { "8", "Final Review", .reviewer = ITERATE_FINAL_REVIEWER },
    [PHASE_CODEX_FINAL] = { "9", "Codex Final", .reviewer = ITERATE_CODEX_FINAL },
};

bool iterate_is_builtin(const char *role)
{
    for (uint32_t i = 1; i < ITERATE_ROLE_COUNT; i++) {
        if (strcmp(role, roles[i].name) == 0) return true;
    }
    return false;
}

/* The roles that a plan has where the user names no reviewers. */
static uint16_t role_count(bool lite)
{
    return lite ? ITERATE_CODEX_FINAL : ITERATE_ROLE_COUNT;
}

enum iterate_role iterate_kind(const struct plan *plan, uint16_t role)
{
    if (role < role_count(plan->phase_count < PHASE_CODEX_FINAL)) return (enum iterate_role)role;
    return plan->roles[role].builtin ? ITERATE_NOBODY : ITERATE_CODE_REVIEWER;
}

const char *iterate_role_name(uint16_t role)
{
    assert(role != ITERATE_NOBODY && role < ITERATE_ROLE_COUNT);
    return roles[role].name;
}

const char *iterate_phase_name(uint32_t number)
{
    assert(number >= 1 && number <= PHASE_NUMBER_MAX);
    return phases[number].name;
}

uint32_t iterate_phase_number(uint32_t phase)
{
    assert(phase < PHASE_NUMBER_MAX);
    return phase + 1;
}

static bool is_lite(const struct settings *settings)
{
    return setting_value(settings, "lite") != NULL;
}

/* ---- the plan ---- */

bool iterate_matters(const struct iterate_value *fields, uint32_t number, enum iterate_field field)
{
    bool fails = !iterate_has_field(number, FIELD_FAIL_ON_SEVERITY) ||
                 fields[FIELD_FAIL_ON_SEVERITY].number != THRESHOLD_NONE;
    bool repairs = fails && fields[FIELD_ON_FAILURE].number == FAIL_REPAIR;
    bool restarts = fails && fields[FIELD_ON_FAILURE].number == FAIL_RESTART;

    if (!iterate_has_field(number, field)) return false;
    if (field == FIELD_PARALLEL_FIXES) return repairs && iterate_divides(number);
    if (field == FIELD_MAX_RETRIES) return repairs;
    if (field != FIELD_ON_MAX_RETRIES) return true;
    return restarts || (repairs && fields[FIELD_MAX_RETRIES].number != NO_BOUND);
}

bool iterate_divides(uint32_t number)
{
    return number != PHASE_PLAN_REVIEW && iterate_has_field(number, FIELD_PARALLEL_FIXES);
}

static struct gate gate_of(uint32_t number, const struct iterate_value *fields)
{
    struct gate gate = {
        .reviewers = &phases[number].reviewer,
        .reviewer_count = 1,
        .recheck = number - 1,
        .on_fail = FAIL_STOP,
        .of_text = number == PHASE_PLAN_REVIEW,
    };

    if (number == PHASE_CODEX_FINAL) return gate;
    gate.on_fail = (enum on_fail)fields[FIELD_ON_FAILURE].number;
    gate.at_bound = (enum at_bound)fields[FIELD_ON_MAX_RETRIES].number;
    gate.repair_max = fields[FIELD_MAX_RETRIES].number;
    gate.repair = (struct repair){
        .role = ITERATE_FIXER,
        .by_groups = iterate_divides(number) && fields[FIELD_PARALLEL_FIXES].number,
        .on_stuck = STUCK_ASK,
    };
    return gate;
}

static const char *const reviewer_names[] = { "code-reviewer", NULL };

static const struct panel_rule panel_rule = {
    .is_builtin = iterate_is_builtin,
    .reviewers = reviewer_names,
};

int iterate_plan(const struct settings *settings, struct arena *arena, struct plan *out,
                 struct err *err)
{
    bool lite = is_lite(settings);
    uint32_t count = lite ? PHASE_FINAL_REVIEW : PHASE_CODEX_FINAL, iterations = 0;
    struct phase *list = arena_alloc(arena, count * sizeof *list);
    struct iterate_config config;
    struct panel panel;
    int rc = settings_check(settings, &dialect_iterate, err);

    if (rc == 0) {
        rc = setting_number(settings, "max-iterations", ITERATIONS_DEFAULT, ITERATIONS_MAX,
                            &iterations, err);
    }
    if (rc == 0) rc = panel_read(settings, &panel_rule, arena, &panel, err);
    if (rc != 0) return rc;
    iterate_config_read(settings, arena, &config);
    for (uint32_t n = 1; n <= count; n++) {
        const struct iterate_value *fields = config.fields[n];
        list[n - 1].name = phases[n].key;
        if (phases[n].worker != ITERATE_NOBODY) {
            bool thinks = n == PHASE_BRAINSTORM || n == PHASE_PLAN;
            list[n - 1].work = (struct work){
                .role = phases[n].worker,
                .copies = thinks && fields[FIELD_PARALLEL].number ? COPIES : 1,
            };
        } else {
            list[n - 1].gate = gate_of(n, fields);
        }
    }
    *out = (struct plan){
        .roles = roles,
        .role_count = role_count(lite),
        .phases = list,
        .phase_count = count,
        .iteration_max = iterations,
        .retry_pause_ms = RETRY_PAUSE_MS,
    };
    if (panel.count > 0) {
        struct gate *gate = &list[PHASE_CODE_REVIEW - 1].gate;

        gate->reviewers = panel_join(&panel, ITERATE_CODE_REVIEWER, arena, out);
        gate->reviewer_count = panel.count;
        if (panel.count > 1) gate->repair.by_groups = false;
    }
    return panel_check(settings, &panel_rule, out, arena, err);
}

/* ---- who plays ---- */

/* 0: it plays in several. */
static uint32_t phase_of(const char *role)
{
    if (!iterate_is_builtin(role)) return PHASE_CODE_REVIEW;
    for (uint32_t n = 1; n <= PHASE_NUMBER_MAX; n++) {
        uint16_t who = phases[n].worker ? phases[n].worker : phases[n].reviewer;
        if (strcmp(roles[who].name, role) == 0) return n;
    }
    return 0;
}

/* The model or tool that a file names for a role, or that is built in; NULL: none but its own. */
static const char *player_name(bool file, const struct settings *settings, const char *role,
                               uint32_t copy, struct arena *arena)
{
    uint32_t number = phase_of(role);
    struct iterate_config config;
    const struct iterate_value *fields, *value;
    const struct iterate_tool *tool;

    if (number == 0) return NULL;
    iterate_config_read(settings, arena, &config);
    fields = config.fields[number];
    value = &fields[FIELD_TOOL];
    if (!value->is_set) value = &fields[FIELD_MODEL];
    if (copy > 0 && fields[FIELD_PARALLEL].number && fields[FIELD_PARALLEL_MODEL].is_set) {
        value = &fields[FIELD_PARALLEL_MODEL];
    }
    if ((value->from != NULL) != file || !value->text) return NULL;
    tool = iterate_tool_find(str_of(value->text));
    if (tool && !tool->backend) return NULL;
    if (tool && strcmp(tool->backend, "codex") == 0 && is_lite(settings)) return NULL;
    return value->text;
}

/* The SPEC by what a file says, or by what is built in. */
static const char *agent_by(bool file, const struct settings *settings, const char *role,
                            uint32_t copy, struct arena *arena)
{
    const char *name = player_name(file, settings, role, copy, arena);
    const struct iterate_tool *tool = name ? iterate_tool_find(str_of(name)) : NULL;

    if (!name || tool) return tool ? tool->backend : NULL;
    return arena_printf(arena, "claude:%s", name);
}

const struct role_file *iterate_role_file(const struct settings *settings, const char *role,
                                          struct arena *arena)
{
    return panel_file(settings, role, iterate_is_builtin, arena);
}

const char *iterate_model(const struct settings *settings, const char *backend, const char *role,
                          struct arena *arena)
{
    return panel_model(iterate_role_file(settings, role, arena), backend);
}

/* What a file of the role says goes before the files of the phases. */
const char *iterate_agent(const struct settings *settings, const char *role, uint32_t copy,
                          struct arena *arena)
{
    const char *spec = panel_agent(iterate_role_file(settings, role, arena));

    return spec ? spec : agent_by(true, settings, role, copy, arena);
}

const char *iterate_agent_default(const struct settings *settings, const char *role, uint32_t copy,
                                  struct arena *arena)
{
    return agent_by(false, settings, role, copy, arena);
}

const char *iterate_effort(const struct settings *settings, const char *role, uint32_t copy,
                           bool by_default, struct arena *arena)
{
    const struct role_file *file = iterate_role_file(settings, role, arena);
    const char *name = player_name(!by_default, settings, role, copy, arena);
    const struct iterate_tool *tool = name ? iterate_tool_find(str_of(name)) : NULL;

    if (file && (file->agent || file->effort) && !by_default) return file->effort;
    return tool ? tool->effort : NULL;
}

void iterate_builtin(const struct run_view *run, const struct action *action, struct arena *arena,
                     struct builtin *out)
{
    (void)arena;
    assert(action->role == ITERATE_TEST);
    if (run->test && *run->test) {
        *out = (struct builtin){ .kind = BUILTIN_COMMAND, .text = run->test };
        return;
    }
    *out = (struct builtin){
        .kind = BUILTIN_ANSWER,
        .text = "exit 0\n"
                "No test command was found, so this phase passes without a test. Name one with "
                "--test CMD, or as \"test\" in hone.json.\n",
    };
}
