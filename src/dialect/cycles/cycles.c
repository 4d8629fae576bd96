/* SPDX-License-Identifier: Apache-2.0
 *
 * cycles.c - a spec in phases: each implemented, then reviewed and fixed until it passes.
 *
 *     implement --> commit --> review --PASS-----------------------> next phase
 *                                ^ |----WARN, FAIL, cycle == max---> STAGE_FAILED: the user decides
 *                                | '----WARN, FAIL, cycle < max--.
 *                                '-- cycle + 1 -- commit -- fix <'
 *
 * Only PASS goes on; of several reviewers that the user names (`reviewers`) the worst grade counts.
 * What the implementer wrote is committed before it is reviewed, so that the
 * commit of a fix holds the fix alone. A fixer that dies twice is asked about; a commit that git
 * refuses ends the run, with the changes kept.
 *
 * Not here: the spec (spec.c), prompts (prompt.c), answers (judge.c, grade.c), files (record.c). */
#include "dialect/cycles/cycles.h"
#include "dialect/dialects.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { CYCLES_DEFAULT = 3, CYCLES_LIMIT = 1000, RETRY_PAUSE_MS = 1000, FOLDER_BYTES_MAX = 1024 };

#define SESSIONS "tmp/mux"

static const struct role roles[CYCLES_ROLE_COUNT] = {
    [CYCLES_NOBODY] = { .name = "" },
    [CYCLES_IMPLEMENTER] = { .name = "implementer", .writes = true, .commits = true,
                             .invalid_max = 1, .failed_max = 1 },
    [CYCLES_COMMITTER] = { .name = "committer", .writes = true, .builtin = true },
    [CYCLES_REVIEWER] = { .name = "spec-reviewer", .invalid_max = 1, .failed_max = 1 },
    [CYCLES_FIXER] = { .name = "spec-fixer", .writes = true, .commits = true,
                       .ask_when_dead = true, .invalid_max = 1, .failed_max = 1 },
};

static const uint16_t reviewers[] = { CYCLES_REVIEWER };

bool cycles_is_builtin(const char *role)
{
    for (uint32_t i = 1; i < CYCLES_ROLE_COUNT; i++) {
        if (strcmp(role, roles[i].name) == 0) return true;
    }
    return false;
}

enum cycles_role cycles_kind(const struct plan *plan, uint16_t role)
{
    if (role < CYCLES_ROLE_COUNT) return (enum cycles_role)role;
    return plan->roles[role].builtin ? CYCLES_NOBODY : CYCLES_REVIEWER;
}

const char *cycles_role_name(uint16_t role)
{
    assert(role != CYCLES_NOBODY && role < CYCLES_ROLE_COUNT);
    return roles[role].name;
}

uint32_t cycles_max(const struct plan *plan, uint32_t phase)
{
    return plan->phases[phase].gate.repair_max + 1;
}

/* ---- settings ---- */

static bool has_number(const uint32_t *numbers, uint32_t count, uint64_t number)
{
    for (uint32_t i = 0; i < count; i++) {
        if (numbers[i] == number) return true;
    }
    return false;
}

/* The numbers of the phases: as given, else those of the spec, else one. */
static int read_phases(const struct settings *settings, uint32_t numbers[CYCLES_PHASES_MAX],
                       uint32_t *count, struct err *err)
{
    const char *value = setting_value(settings, "phases");
    struct str rest = str_of(value), piece;
    struct spec spec = cycles_spec(settings);
    uint64_t number;

    *count = 0;
    if (!value) {
        *count = spec_phase_count(&spec, CYCLES_PHASES_MAX, settings->warnings);
        if (*count == 0) *count = 1;
        for (uint32_t i = 0; i < *count; i++) numbers[i] = i + 1;
        return 0;
    }
    while (str_cut(&rest, ',', &piece)) {
        piece = str_trim(piece);
        if (!str_number(piece, &number) || number < 1 || number > CYCLES_PHASE_MAX) break;
        if (has_number(numbers, *count, number)) {
            return err_set(err, ERR_USAGE, "phases: %u stands in '%s' twice", (unsigned)number,
                           value);
        }
        if (*count == CYCLES_PHASES_MAX) {
            return err_set(err, ERR_USAGE, "phases: more than %d", CYCLES_PHASES_MAX);
        }
        numbers[(*count)++] = (uint32_t)number;
        if (rest.size == 0 && !str_ends(str_of(value), STR(","))) return 0;
    }
    return err_set(err, ERR_USAGE, "phases: '%s' is not a list such as 1,2,3 of whole numbers from "
                   "1 to %d", value, CYCLES_PHASE_MAX);
}

/* A folder in the repository, named part by part; its own files are below it. */
static int check_folder(const struct settings *settings, struct err *err)
{
    const char *value = setting_value(settings, "session-dir");
    struct str rest = str_of(value), part;
    bool first = true, clean = rest.size > 0 && rest.size < FOLDER_BYTES_MAX;

    if (!value) return 0;
    if (str_ends(rest, STR("/"))) rest.size--;
    for (size_t i = 0; i < rest.size; i++) {
        clean = clean && (unsigned char)rest.data[i] >= ' ' && rest.data[i] != 0x7f;
    }
    clean = clean && rest.size > 0 && !str_ends(rest, STR("/"));
    while (clean && str_cut(&rest, '/', &part)) {
        clean = part.size > 0 && !str_is(part, ".") && !str_is(part, "..") &&
                !(first && (str_is(part, ".git") || str_is(part, ".hone")));
        first = false;
    }
    if (clean) return 0;
    return err_set(err, ERR_USAGE, "session-dir: '%.200s' is not a folder inside the repository, "
                   "named from its top: out/session, not /out, ./out or ../out", value);
}

/* ---- the plan ---- */

static const char *const reviewer_names[] = { "spec-reviewer", NULL };

static const struct panel_rule panel_rule = {
    .is_builtin = cycles_is_builtin,
    .reviewers = reviewer_names,
};

/* Those that the user names review at all gates. */
static void name_reviewers(const struct panel *panel, struct arena *arena, struct plan *plan,
                           struct phase *phases)
{
    const uint16_t *named = panel_join(panel, CYCLES_REVIEWER, arena, plan);

    for (uint32_t i = 1; i < plan->phase_count; i += 2) {
        phases[i].gate.reviewers = named;
        phases[i].gate.reviewer_count = panel->count;
    }
}

static int cycles_plan(const struct settings *settings, struct arena *arena, struct plan *out,
                       struct err *err)
{
    uint32_t numbers[CYCLES_PHASES_MAX], count;
    struct panel panel;
    struct phase *phases;
    uint32_t cycles;
    int rc = settings_check(settings, &dialect_cycles, err);

    if (rc == 0) {
        rc = setting_number(settings, "cycles", CYCLES_DEFAULT, CYCLES_LIMIT, &cycles, err);
    }
    if (rc == 0) rc = read_phases(settings, numbers, &count, err);
    if (rc == 0) rc = check_folder(settings, err);
    if (rc == 0) rc = panel_read(settings, &panel_rule, arena, &panel, err);
    if (rc != 0) return rc;
    phases = arena_alloc(arena, 2 * count * sizeof *phases);
    for (uint32_t i = 0; i < count; i++) {
        const char *name = arena_printf(arena, "%u", (unsigned)numbers[i]);

        phases[2 * i] = (struct phase){
            .name = name,
            .work = { .role = CYCLES_IMPLEMENTER, .copies = 1 },
        };
        phases[2 * i + 1] = (struct phase){
            .name = name,
            .work = { .role = CYCLES_COMMITTER, .copies = 1 },
            .gate = {
                .reviewers = reviewers,
                .reviewer_count = sizeof reviewers / sizeof *reviewers,
                .on_fail = FAIL_REPAIR,
                .repair = { .role = CYCLES_FIXER, .then = CYCLES_COMMITTER,
                            .on_stuck = STUCK_REPAIRED },
                .repair_max = cycles - 1,
                .at_bound = BOUND_ESCALATE,
                .recheck = 2 * i + 1,
            },
        };
    }
    *out = (struct plan){
        .roles = roles,
        .role_count = CYCLES_ROLE_COUNT,
        .phases = phases,
        .phase_count = 2 * count,
        .iteration_max = 1,
        .retry_pause_ms = RETRY_PAUSE_MS,
    };
    if (panel.count > 0) name_reviewers(&panel, arena, out, phases);
    return panel_check(settings, &panel_rule, out, arena, err);
}

/* ---- names ---- */

const char *cycles_folder(const struct settings *settings, struct arena *arena)
{
    struct str folder = str_of(setting_value(settings, "session-dir"));

    if (folder.size == 0) return SESSIONS;
    if (str_ends(folder, STR("/"))) folder.size--;
    return arena_cstr(arena, folder);
}

/* "phase-1-review-2" */
static const char *step_name(struct cycles_step step, struct arena *arena)
{
    const char *name = arena_printf(arena, "phase-%s-%s-%u", step.phase, step.step,
                                    (unsigned)step.cycle);

    if (!step.by || strcmp(step.by, roles[CYCLES_REVIEWER].name) == 0) return name;
    return arena_printf(arena, "%s-%s", name, step.by);
}

const char *cycles_review_path(const struct settings *settings, struct cycles_step step,
                               struct arena *arena)
{
    step.step = "review";
    return arena_printf(arena, "%s/reviews/%s.md", cycles_folder(settings, arena),
                        step_name(step, arena));
}

const char *cycles_signal_path(const struct settings *settings, struct cycles_step step,
                               const char *end, struct arena *arena)
{
    return arena_printf(arena, "%s/.signals/%s.%s", cycles_folder(settings, arena),
                        step_name(step, arena), end);
}

static const char *session_folder(const char *task, const struct settings *settings,
                                  const char *stamp, uint32_t nth, struct arena *arena)
{
    struct spec spec = cycles_spec(settings);
    const char *topic = spec_topic(&spec, task, arena);

    if (nth == 0) return arena_printf(arena, SESSIONS "/%s-%s", stamp, topic);
    return arena_printf(arena, SESSIONS "/%s-%s-%u", stamp, topic, (unsigned)nth + 1);
}

const char *cycles_message(const struct run_view *run, const struct action *action,
                           struct arena *arena)
{
    struct spec spec = cycles_spec(run->settings);
    const char *phase = run->engine->plan->phases[action->phase].name;
    const char *number = spec_number(&spec, arena);
    const char *title = spec_title(&spec, run->task, arena);

    if (action->purpose == FOR_WORK) {
        return arena_printf(arena, "spec(%s): IMPLEMENT phase-%s - %s", number, phase, title);
    }
    return arena_printf(arena, "spec(%s): FIX phase-%s cycle-%u - %s", number, phase,
                        (unsigned)action->round, title);
}

static void cycles_builtin(const struct run_view *run, const struct action *action,
                           struct arena *arena, struct builtin *out)
{
    *out = (struct builtin){ .kind = BUILTIN_COMMIT, .text = cycles_message(run, action, arena) };
}

const char *cycles_answer_file(const struct run_view *run, const struct action *action,
                               struct arena *arena)
{
    const struct plan *plan = run->engine->plan;
    const struct cycles_step step = { .phase = plan->phases[action->phase].name,
                                      .cycle = action->round,
                                      .by = plan->roles[action->role].name };

    if (cycles_kind(plan, action->role) != CYCLES_REVIEWER) return NULL;
    return cycles_review_path(run->settings, step, arena);
}

/* ---- who plays ---- */

static const struct role_file *file_of(const struct settings *settings, const char *role,
                                       struct arena *arena)
{
    return panel_file(settings, role, cycles_is_builtin, arena);
}

/* Reviews want the better model, fixes a quick one. */
static const char *cycles_model(const struct settings *settings, const char *backend,
                                const char *role, struct arena *arena)
{
    const char *named = panel_model(file_of(settings, role, arena), backend);

    if (named || strcmp(backend, "claude") != 0) return named;
    if (!cycles_is_builtin(role) || strcmp(role, roles[CYCLES_REVIEWER].name) == 0) return "opus";
    if (strcmp(role, roles[CYCLES_FIXER].name) == 0) return "sonnet";
    return NULL;
}

static const char *cycles_agent(const struct settings *settings, const char *role, uint32_t copy,
                                struct arena *arena)
{
    (void)copy;
    return panel_agent(file_of(settings, role, arena));
}

static const char *cycles_effort(const struct settings *settings, const char *role, uint32_t copy,
                                 bool by_default, struct arena *arena)
{
    (void)copy;
    return panel_effort(file_of(settings, role, arena), by_default);
}

static const struct dialect_casting casting = {
    .agent = cycles_agent,
    .agent_default = panel_no_agent,
    .effort = cycles_effort,
};

/* ---- the row ---- */

static const char *const private_paths[] = { SESSIONS "/", NULL };

static const char dirty_option[] = "allow-dirty";

static const struct dialect_option options[] = {
    { .name = "spec", .argument = "FILE", .is_file = true,
      .help = "what is to be built; the run keeps it as it is now. It, or TASK, or both" },
    { .name = "cycles", .argument = "N",
      .help = "at most N reviews of each phase, 1 to 1000; 3 by default",
      .key = { .kind = KEY_NUMBER, .max = 1000, .builtin = "3", .consent = CONSENT_NEVER } },
    { .name = "phases", .argument = "LIST",
      .help = "the phases to build, such as 1,2,3; by default those of the spec's "
              "table of SC-nnn criteria, else one" },
    { .name = "session-dir", .argument = "DIR", .folder = session_folder,
      .help = "where reviews and signals are written, from the top of the repository; "
              "tmp/mux/DATE-TIME-TOPIC by default" },
    { .name = "reviewers", .argument = "ROLE,...",
      .help = "who reviews each phase: 1 to 16 of spec-reviewer and roles of your own "
              "('hone roles'); spec-reviewer by default. Only if all say PASS it passes",
      .key = { .kind = KEY_ROLES, .builtin = "[\"spec-reviewer\"]", .consent = CONSENT_ANY } },
    { .name = dirty_option,
      .help = "start although there are changes that are not committed; they stay out of the "
              "run's commits",
      .key = { .kind = KEY_SWITCH, .builtin = "false", .consent = CONSENT_TRUE } },
    { .name = NULL },
};

static const struct dialect_answering answering = {
    .file = cycles_answer_file,
};

const struct dialect dialect_cycles = {
    .name = "cycles",
    .summary = "a spec, phase by phase: implemented, then reviewed and fixed until it passes",
    .task_default = "Implement the spec",
    .task_options = (const char *const[]){ "spec", NULL },
    .escalation = "STAGE_FAILED",
    .private_paths = private_paths,
    .options = options,
    .commits = true,
    .dirty_option = dirty_option,
    .plan = cycles_plan,
    .prompt = cycles_prompt,
    .judge = cycles_judge,
    .record = cycles_record,
    .role_file = file_of,
    .model = cycles_model,
    .casting = &casting,
    .builtin = cycles_builtin,
    .answering = &answering,
    .notation = &cycles_notation,
};
