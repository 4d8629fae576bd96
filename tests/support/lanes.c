/* SPDX-License-Identifier: Apache-2.0
 *
 * lanes.c - a small hone with a dialect of its own: tasks side by side, each in a work tree, and
 * nothing else. For stories and measurements of the driver that no real dialect should have to be
 * started for.
 *
 *   lanes run GROUPS LANES BUILDER REVIEWER   GROUPS "3,2": three tasks, then two; LANES at once
 *   lanes resume
 *   lanes agent KIND FOLDER                   what hone agent does for these
 *
 * A builder's answer is always good. A reviewer passes with a line "pass"; "wait" is no answer.
 * LANES_USED: where the most memory that the driver held is written to, in KiB. */
#include "agent/own/own.h"
#include "drive/headless/headless.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { ROLE_BUILDER = 1, ROLE_REVIEWER, ROLE_INTEGRATOR, ROLES };

static uint32_t number_of(struct str text)
{
    uint64_t number = 0;

    return str_number(text, &number) ? (uint32_t)number : 1;
}

static int lanes_plan(const struct settings *settings, struct arena *arena, struct plan *out,
                      struct err *err)
{
    struct role *roles = arena_alloc(arena, ROLES * sizeof *roles);
    struct phase *phase = arena_alloc(arena, sizeof *phase);
    uint16_t *reviewers = arena_alloc(arena, sizeof *reviewers);
    const char *at_once = setting_value(settings, "lanes");

    (void)err;
    roles[ROLE_BUILDER] = (struct role){ .name = "builder", .writes = true, .commits = true,
                                        .invalid_max = 1, .failed_max = 1 };
    roles[ROLE_REVIEWER] = (struct role){ .name = "reviewer", .invalid_max = 1, .failed_max = 1 };
    roles[ROLE_INTEGRATOR] = (struct role){ .name = "integrator", .writes = true,
                                            .builtin = true };
    reviewers[0] = ROLE_REVIEWER;
    *phase = (struct phase){
        .name = "build", .fan = true,
        .work = { .role = ROLE_BUILDER, .copies = 1 },
        .gate = { .reviewers = reviewers, .reviewer_count = 1, .on_fail = FAIL_REPAIR,
                  .repair = { .role = ROLE_BUILDER }, .repair_max = 2,
                  .at_bound = BOUND_STUCK },
    };
    *out = (struct plan){ .roles = roles, .role_count = ROLES, .phases = phase, .phase_count = 1,
                          .iteration_max = 1, .integrate = ROLE_INTEGRATOR,
                          .lane_max = at_once ? number_of(str_of(at_once)) : 1 };
    return 0;
}

static int lanes_start(const struct run_view *run, struct arena *arena, struct result *out,
                       struct err *err)
{
    struct str rest = str_of(setting_value(run->settings, "groups")), piece;
    uint32_t *groups = arena_alloc(arena, (rest.size + 1) * sizeof *groups);

    (void)err;
    out->groups = groups;
    while (str_cut(&rest, ',', &piece)) groups[out->group_count++] = number_of(piece);
    return 0;
}

static void lanes_prompt(const struct run_view *run, const struct prompt_request *request,
                         struct buf *out)
{
    const struct lane *lane = &run->engine->lanes[request->action->lane];

    buf_printf(out, "in %s\n", run->workspace);
    for (uint32_t i = 0; request->action->purpose == FOR_REPAIR && i < lane->review.count; i++) {
        buf_add(out, lane->review.jobs[i].result.doc);
    }
}

static void lanes_judge(const struct run_view *run, const struct action *action, struct str answer,
                        struct arena *arena, struct result *out)
{
    (void)run;
    *out = (struct result){ .verdict = VERDICT_CLEAN, .doc = arena_copy(arena, answer) };
    if (action->role == ROLE_REVIEWER && str_is(str_trim(answer), "wait")) {
        out->verdict = VERDICT_INVALID;
        out->problem = STR("answer");
    } else if (action->role == ROLE_REVIEWER && !str_is(str_trim(answer), "pass")) {
        out->verdict = VERDICT_FINDINGS;
    } else if (action->role == ROLE_INTEGRATOR && str_starts(answer, STR("conflict"))) {
        out->verdict = VERDICT_FINDINGS;
    }
    if (out->verdict == VERDICT_FINDINGS) {
        struct finding *finding = arena_alloc(arena, sizeof *finding);
        *finding = (struct finding){ .severity = SEVERITY_HIGH, .text = out->doc };
        finding->fingerprint = finding_fingerprint(finding);
        out->findings = finding;
        out->finding_count = 1;
    }
}

static void lanes_record(const struct run_view *run, struct contract *out)
{
    struct buf text;

    buf_init(&text, 1 << 20);
    for (uint32_t i = 1; i < run->engine->lane_count; i++) {
        buf_printf(&text, "%" PRIu32 " %s\n", i, lane_state_word(run->engine->lanes[i].state));
    }
    contract_file_add(out, ".agents/lanes.txt", buf_str(&text));
    buf_release(&text);
}

static void lanes_builtin(const struct run_view *run, const struct action *action,
                          struct arena *arena, struct builtin *out)
{
    (void)run;
    out->kind = BUILTIN_INTEGRATE;
    out->text = arena_printf(arena, "task %" PRIu32 "\n\nwhat it did\n", action->lane);
}

static void lanes_lane(const struct run_view *run, uint32_t lane, struct arena *arena,
                       struct lane_about *out)
{
    out->name = arena_printf(arena, "%s-t%" PRIu32, run->id, lane);
    out->task_id = arena_printf(arena, "t%" PRIu32, lane);
    out->task = arena_printf(arena, "do %" PRIu32, lane);
}

static void lanes_conclude(const struct run_view *run, struct buf *out)
{
    (void)run;
    (void)out;
}

static void lanes_status(const struct run_view *run, struct arena *arena,
                         struct lanes_status *out)
{
    (void)run;
    (void)arena;
    *out = (struct lanes_status){ 0 };
}

static const struct dialect_framing lanes_framing = { lanes_start, lanes_conclude };
static const struct dialect_lanes lanes_group = { .called = "lanes", .one = "lane",
                                                  .about = lanes_lane,
                                                  .status = lanes_status };
static const char *const lanes_paths[] = { ".agents/", NULL };
static const struct dialect_option lanes_options[] = { { 0 } };

static const struct dialect dialect_lanes = {
    .name = "lanes", .summary = "tasks side by side", .task_default = "all of them",
    .private_paths = lanes_paths, .options = lanes_options,
    .plan = lanes_plan, .prompt = lanes_prompt, .judge = lanes_judge, .record = lanes_record,
    .builtin = lanes_builtin, .framing = &lanes_framing, .lanes = &lanes_group,
};

const struct dialect *const dialects[] = { &dialect_lanes, NULL };

static int ended(int code)
{
    const char *path = getenv("LANES_USED");
    FILE *file = path ? fopen(path, "w") : NULL;
    struct rusage used;

    if (file && getrusage(RUSAGE_SELF, &used) == 0) fprintf(file, "%ld\n", used.ru_maxrss);
    if (file) fclose(file);
    return code;
}

int main(int argc, char **argv)
{
    static char here[4096];
    const char *verb = argc > 1 ? argv[1] : "";

    if (strcmp(verb, "agent") == 0 && argc == 4) {
        if (strcmp(argv[2], "worktree") == 0) return worktree_main(argv[3]);
        if (strcmp(argv[2], "integrate") == 0) return integrate_main(argv[3]);
        return commit_main(argv[3]);
    }
    if (!getcwd(here, sizeof here)) return 2;
    if (strcmp(verb, "resume") == 0) {
        return headless_run(&(struct headless_request){ .start = here, .resume = "" });
    }
    if (strcmp(verb, "run") == 0 && argc == 6) {
        const struct setting options[] = { { "groups", argv[2] }, { "lanes", argv[3] } };
        const struct agent_setting agents[] = { { .role = "builder", .spec = argv[4] },
                                                { .role = "reviewer", .spec = argv[5] } };
        const struct run_settings settings = {
            .options = { .items = options, .count = 2 }, .agents = agents, .agent_count = 2,
            .time_ms_max = 60000, .sandbox_off = getenv("LANES_SANDBOX") == NULL };
        return ended(headless_run(&(struct headless_request){ .start = here,
            .dialect = &dialect_lanes, .task = "all of them", .settings = &settings }));
    }
    fprintf(stderr, "lanes run GROUPS LANES BUILDER REVIEWER, or lanes resume\n");
    return 2;
}
