/* SPDX-License-Identifier: Apache-2.0
 *
 * loops.c - tasks side by side, each built, reviewed and merged in a work tree of its own.
 *
 *     (enumerate --> plan -->) build, a loop per task, group by group --> review of the run
 *                                ^                                           |
 *                                '------- tasks that a reviser adds ---------'
 *
 *     loop:   builder --again until TASK_COMPLETE--> loop-reviewer --passed--> waits for its group
 *                ^                                        |
 *                '--------------- feedback ---------------'  at the bound: stuck
 *
 * With --tasks the list is there; with --spec alone two agents make it. The run as a whole is
 * reviewed at the end, at every effort.
 *
 * Not here: lists of tasks (tasks.c), prompts (prompt.c), answers (judge.c), tables (record.c). */
#include "dialect/loops/loops.h"
#include "dialect/dialects.h"

#include <assert.h>
#include <string.h>

enum {
    LANES_DEFAULT = 4, LANES_MAX = 1000,
    RUNS_DEFAULT = 50, RUNS_MAX = 10000,
    RETRY_PAUSE_MS = 1000,
    TASK_WORD_BYTES_MAX = 60 * 1024, /* in HONE_TASK: the kernel takes no longer words there */
};

static const struct role roles[LOOPS_ROLE_COUNT] = {
    [LOOPS_NOBODY] = { .name = "" },
    [LOOPS_BUILDER] = { .name = "builder", .writes = true, .commits = true, .invalid_max = 1,
                        .failed_max = 1 },
    [LOOPS_REVIEWER] = { .name = "loop-reviewer", .invalid_max = 1, .failed_max = 1 },
    [LOOPS_RUN_REVIEWER] = { .name = "run-reviewer", .invalid_max = 1, .failed_max = 1 },
    [LOOPS_REVISER] = { .name = "reviser", .invalid_max = 1, .failed_max = 1 },
    [LOOPS_INTEGRATOR] = { .name = "integrator", .writes = true, .builtin = true },
    [LOOPS_ENUMERATOR] = { .name = "enumerator", .invalid_max = 1, .failed_max = 1 },
    [LOOPS_PLANNER] = { .name = "planner", .invalid_max = 1, .failed_max = 1 },
};

static const uint16_t loop_reviewers[] = { LOOPS_REVIEWER };
static const uint16_t run_reviewers[] = { LOOPS_RUN_REVIEWER };

static const char *const stage_names[LOOPS_STAGE_COUNT] = {
    [LOOPS_STAGE_ENUMERATE] = "enumerate",
    [LOOPS_STAGE_PLAN] = "plan",
    [LOOPS_STAGE_BUILD] = "build",
    [LOOPS_STAGE_REVIEW] = "review",
};

static const struct loops_effort efforts[] = {
    { .word = "low", .checkpoint_every = 0, .revision_max = 2, .depth = DEPTH_SHALLOW,
      .run_revision_max = 10 },
    { .word = "medium", .checkpoint_every = 5, .revision_max = 3, .depth = DEPTH_STANDARD,
      .reviews_plan = true, .run_revision_max = 8 },
    { .word = "high", .checkpoint_every = 3, .revision_max = 4, .depth = DEPTH_DEEP,
      .reviews_tasks = true, .reviews_plan = true, .run_revision_max = 5 },
    { .word = "max", .checkpoint_every = 1, .revision_max = 5, .depth = DEPTH_COMPREHENSIVE,
      .reviews_tasks = true, .reviews_plan = true, .run_revision_max = 3 },
};

enum { EFFORT_DEFAULT = 1 };

const char *loops_role_name(uint16_t role)
{
    assert(role != LOOPS_NOBODY && role < LOOPS_ROLE_COUNT);
    return roles[role].name;
}

const char *review_depth_word(enum review_depth depth)
{
    static const char *const words[DEPTH_COUNT] = {
        [DEPTH_SHALLOW] = "shallow",
        [DEPTH_STANDARD] = "standard",
        [DEPTH_DEEP] = "deep",
        [DEPTH_COMPREHENSIVE] = "comprehensive",
    };

    return words[depth];
}

/* ---- settings ---- */

static const struct loops_effort *effort_find(const char *word)
{
    for (size_t i = 0; i < sizeof efforts / sizeof *efforts; i++) {
        if (strcmp(efforts[i].word, word) == 0) return &efforts[i];
    }
    return NULL;
}

const struct loops_effort *loops_effort(const struct settings *settings)
{
    const char *word = setting_value(settings, "effort");
    const struct loops_effort *effort = word ? effort_find(word) : &efforts[EFFORT_DEFAULT];

    assert(effort); /* loops_plan() has looked at it */
    return effort;
}

int tasks_given(const struct settings *settings, struct arena *arena, struct loops_tasks *tasks,
                const uint32_t **waves, uint32_t *wave_count, struct err *err)
{
    int rc = tasks_read(settings_file(settings, "--tasks"), arena, tasks, err);

    if (rc == 0) rc = tasks_order(tasks, 0, 1, arena, waves, wave_count, err);
    if (rc == 0 && tasks->count == 0) {
        rc = err_set(err, ERR_FORMAT, "it lists no task. Wanted: lines such as `- [ ] id: title - "
                     "text`, or {\"tasks\":[...]}");
    }
    if (rc == 0 && *wave_count == 0) rc = err_set(err, ERR_FORMAT, "all of its tasks are done");
    if (rc == 0) return 0;
    err_wrap(err, "%.200s", setting_value(settings, "tasks"));
    err->code = ERR_USAGE;
    return ERR_USAGE;
}

static int check_input(const struct settings *settings, struct arena *arena, struct err *err)
{
    const char *effort = setting_value(settings, "effort");
    struct loops_tasks tasks;
    const uint32_t *waves;
    uint32_t wave_count = 0;

    if (effort && !effort_find(effort)) {
        return err_set(err, ERR_USAGE, "effort: '%s' is not low, medium, high or max", effort);
    }
    if (setting_value(settings, "tasks")) {
        return tasks_given(settings, arena, &tasks, &waves, &wave_count, err);
    }
    if (!setting_value(settings, "spec")) {
        return err_set(err, ERR_USAGE, "loops needs --tasks FILE, a list of tasks, or --spec FILE, "
                       "of which agents make one");
    }
    if (str_trim(settings_file(settings, "--spec")).size > 0) return 0;
    return err_set(err, ERR_USAGE, "%.200s: it is empty", setting_value(settings, "spec"));
}

/* ---- the plan ---- */

static struct gate run_gate(const struct loops_effort *effort, uint16_t repairer, uint32_t recheck)
{
    return (struct gate){
        .reviewers = run_reviewers,
        .reviewer_count = 1,
        .on_fail = FAIL_REPAIR,
        .repair = { .role = repairer, .on_stuck = STUCK_REST },
        .repair_max = effort->run_revision_max,
        .at_bound = BOUND_STOP,
        .recheck = recheck,
    };
}

static void add_list_phases(struct phase *phases, const struct loops_effort *effort)
{
    static const uint16_t workers[] = { LOOPS_ENUMERATOR, LOOPS_PLANNER };
    const bool reviewed[] = { effort->reviews_tasks, effort->reviews_plan };

    for (uint32_t i = 0; i < 2; i++) {
        phases[i] = (struct phase){ .name = stage_names[i],
                                    .work = { .role = workers[i], .copies = 1 } };
        if (!reviewed[i]) continue;
        phases[i].gate = run_gate(effort, workers[i], i);
        phases[i].gate.of_text = true;
    }
}

static int loops_plan(const struct settings *settings, struct arena *arena, struct plan *out,
                      struct err *err)
{
    uint32_t first = setting_value(settings, "tasks") ? 0 : 2, lanes, runs;
    struct phase *phases = arena_alloc(arena, LOOPS_STAGE_COUNT * sizeof *phases);
    const struct loops_effort *effort;
    int rc = settings_check(settings, &dialect_loops, err);

    if (rc == 0) rc = setting_number(settings, "max-loops", LANES_DEFAULT, LANES_MAX, &lanes, err);
    if (rc == 0) {
        rc = setting_number(settings, "max-iterations", RUNS_DEFAULT, RUNS_MAX, &runs, err);
    }
    if (rc == 0) rc = check_input(settings, arena, err);
    if (rc != 0) return rc;
    effort = loops_effort(settings);
    if (first > 0) add_list_phases(phases, effort);
    phases[first] = (struct phase){
        .name = stage_names[LOOPS_STAGE_BUILD],
        .fan = true,
        .work = { .role = LOOPS_BUILDER, .copies = 1, .run_max = runs,
                  .checkpoint_role = LOOPS_REVIEWER,
                  .checkpoint_every = effort->checkpoint_every },
        .gate = { .reviewers = loop_reviewers, .reviewer_count = 1, .on_fail = FAIL_REPAIR,
                  .repair = { .role = LOOPS_BUILDER, .on_stuck = STUCK_REST },
                  .repair_max = effort->revision_max, .at_bound = BOUND_STUCK,
                  .recheck = first },
    };
    phases[first + 1] = (struct phase){ .name = stage_names[LOOPS_STAGE_REVIEW],
                                        .gate = run_gate(effort, LOOPS_REVISER, first) };
    *out = (struct plan){
        .roles = roles,
        .role_count = first > 0 ? LOOPS_ROLE_COUNT : LOOPS_ENUMERATOR,
        .phases = phases,
        .phase_count = first + 2,
        .iteration_max = 1,
        .lane_max = lanes,
        .integrate = LOOPS_INTEGRATOR,
        .retry_pause_ms = RETRY_PAUSE_MS,
    };
    return 0;
}

enum loops_stage loops_stage(const struct plan *plan, uint32_t phase)
{
    return (enum loops_stage)(phase + LOOPS_STAGE_COUNT - plan->phase_count);
}

uint32_t loops_phase(const struct plan *plan, enum loops_stage stage)
{
    uint32_t left_out = LOOPS_STAGE_COUNT - plan->phase_count;

    return (uint32_t)stage < left_out ? plan->phase_count : (uint32_t)stage - left_out;
}

/* ---- tasks ---- */

struct str loops_newest(const struct run_view *run, enum loops_stage stage)
{
    const struct engine *engine = run->engine;
    uint32_t phase = loops_phase(engine->plan, stage);
    struct str text = { "", 0 };

    if (phase == engine->plan->phase_count) return text;
    text = engine_doc(engine, 0, 1, phase, FOR_REPAIR);
    return text.size ? text : engine_doc(engine, 0, 1, phase, FOR_WORK);
}

void loops_tasks_of(const struct run_view *run, struct arena *arena, struct loops_tasks *out)
{
    static const enum loops_stage stages[] = { LOOPS_STAGE_REVIEW, LOOPS_STAGE_PLAN,
                                               LOOPS_STAGE_ENUMERATE };
    const uint32_t *waves;
    uint32_t wave_count;
    struct err err;

    *out = (struct loops_tasks){ 0 };
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        struct str text = loops_newest(run, stages[i]);

        if (text.size == 0) continue;
        if (tasks_read_json(text, arena, out, &err) != 0) *out = (struct loops_tasks){ 0 };
        return;
    }
    if (!setting_value(run->settings, "tasks")) return;
    if (tasks_given(run->settings, arena, out, &waves, &wave_count, &err) != 0) {
        *out = (struct loops_tasks){ 0 };
    }
}

static int loops_start(const struct run_view *run, struct arena *arena, struct result *out,
                       struct err *err)
{
    struct loops_tasks tasks;

    if (!setting_value(run->settings, "tasks")) return 0;
    return tasks_given(run->settings, arena, &tasks, &out->groups, &out->group_count, err);
}

/* ---- lanes ---- */

const char *loops_id(const struct run_view *run, uint32_t lane, struct arena *arena)
{
    return arena_printf(arena, "%s-%u", run->id, (unsigned)lane);
}

const char *loops_worktree(const struct run_view *run, uint32_t lane, struct arena *arena)
{
    if (!run->worktrees || !*run->worktrees) return run->workspace;
    return arena_printf(arena, "%s/%s", run->worktrees, loops_id(run, lane, arena));
}

static void loops_lane(const struct run_view *run, uint32_t lane, struct arena *arena,
                       struct lane_about *out)
{
    const struct loops_task *task;
    struct loops_tasks tasks;
    struct str text;

    loops_tasks_of(run, arena, &tasks);
    task = tasks_of_lane(&tasks, lane);
    *out = (struct lane_about){ .name = loops_id(run, lane, arena), .task_id = "", .task = "" };
    if (!task) return;
    out->task_id = task->id;
    text = str_head(task->text, TASK_WORD_BYTES_MAX);
    out->task = arena_printf(arena, "%s%s%.*s", task->title, text.size ? "\n\n" : "",
                             STR_ARG(text));
}

static void loops_builtin(const struct run_view *run, const struct action *action,
                          struct arena *arena, struct builtin *out)
{
    const struct loops_task *task;
    struct loops_tasks tasks;

    loops_tasks_of(run, arena, &tasks);
    task = tasks_of_lane(&tasks, action->lane);
    *out = (struct builtin){ .kind = BUILTIN_INTEGRATE };
    out->text = arena_printf(arena, "%s\n\nTask: %s\nLoop: %s\n", task ? task->title : "A task",
                             task ? task->id : "", loops_id(run, action->lane, arena));
}

/* The closer a review is to look, the better its model. */
static const char *loops_model(const struct settings *settings, const char *backend,
                               const char *role, struct arena *arena)
{
    static const char *const models[DEPTH_COUNT] = {
        [DEPTH_SHALLOW] = "haiku",
        [DEPTH_STANDARD] = "sonnet",
        [DEPTH_DEEP] = "opus",
        [DEPTH_COMPREHENSIVE] = "opus",
    };
    const char *word = setting_value(settings, "effort");

    (void)arena;
    if (strcmp(backend, "claude") != 0 || (word && !effort_find(word))) return NULL;
    if (strcmp(role, roles[LOOPS_REVIEWER].name) != 0 &&
        strcmp(role, roles[LOOPS_RUN_REVIEWER].name) != 0) {
        return NULL;
    }
    return models[loops_effort(settings)->depth];
}

/* ---- the row ---- */

static const char *const effort_words[] = { "low", "medium", "high", "max", NULL };

static const char dirty_option[] = "allow-dirty";

static const struct dialect_option options[] = {
    { .name = "tasks", .argument = "FILE", .is_file = true,
      .help = "what is to be built: JSON, or a checklist in Markdown with a heading for each "
              "group. The run keeps it as it is now" },
    { .name = "spec", .argument = "FILE", .is_file = true,
      .help = "what it is all for; without --tasks two agents make the tasks and their groups of "
              "it" },
    { .name = "effort", .argument = "LEVEL",
      .help = "low, medium, high or max: how closely and how often is reviewed; medium by "
              "default",
      .key = { .kind = KEY_WORD, .words = effort_words, .builtin = "\"medium\"",
               .consent = CONSENT_LEAST } },
    { .name = "max-loops", .argument = "N",
      .help = "at most N loops at work at once, 1 to 1000; 4 by default",
      .key = { .kind = KEY_NUMBER, .max = 1000, .builtin = "4", .consent = CONSENT_NEVER } },
    { .name = "max-iterations", .argument = "N",
      .help = "a builder that has not finished after N iterations is stuck, 1 to 10000; 50 by "
              "default",
      .key = { .kind = KEY_NUMBER, .max = 10000, .builtin = "50", .consent = CONSENT_NEVER } },
    { .name = dirty_option,
      .help = "start although there are changes that are not committed; the loops do not see "
              "them",
      .key = { .kind = KEY_SWITCH, .builtin = "false", .consent = CONSENT_TRUE } },
    { .name = NULL },
};

static const struct dialect_framing framing = {
    .start = loops_start,
    .conclude = loops_conclude,
};

static const struct dialect_answering answering = {
    .schema = loops_schema,
    .tools = loops_tools,
};

static const struct dialect_lanes lanes = {
    .called = "loops",
    .one = "loop",
    .about = loops_lane,
    .status = loops_status,
};

static const struct dialect_notation notation = {
    .beyond = "its reviewers answer in a form of their own, and what they find in the whole "
              "becomes more tasks while the run goes on, where a loop file names all of them at "
              "the start",
};

const struct dialect dialect_loops = {
    .notation = &notation,
    .name = "loops",
    .summary = "many tasks side by side, each built and reviewed in a work tree of its own",
    .task_default = "Build the tasks",
    .options = options,
    .tables = loops_tables,
    .wants_test = true,
    .commits = true,
    .dirty_option = dirty_option,
    .plan = loops_plan,
    .prompt = loops_prompt,
    .judge = loops_judge,
    .record = loops_record,
    .model = loops_model,
    .builtin = loops_builtin,
    .framing = &framing,
    .answering = &answering,
    .lanes = &lanes,
};
