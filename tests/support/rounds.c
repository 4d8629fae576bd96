/* SPDX-License-Identifier: Apache-2.0
 *
 * rounds.c - a small hone with a dialect that looks at the tree: work, a review, a delivery. What
 * it is told of the tree is written to the file that ROUNDS_LOG names. For stories of the driver.
 *
 *   rounds run WORKER REVIEWER   |   rounds resume
 *
 * The first line of a reviewer's answer is its verdict: pass, fail; anything else breaks the
 * contract. ROUNDS_ONCE: reviewers are asked once. ROUNDS_LATE: a file that is made, once, behind
 * the back of a reviewer that passed and before what follows. */
#include "drive/headless/headless.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROLE_WORKER = 1, ROLE_REVIEWER, ROLE_DELIVERER, ROLES };

static int rounds_plan(const struct settings *settings, struct arena *arena, struct plan *out,
                       struct err *err)
{
    struct role *roles = arena_alloc(arena, ROLES * sizeof *roles);
    struct phase *phases = arena_alloc(arena, 3 * sizeof *phases);
    uint16_t *reviewers = arena_alloc(arena, sizeof *reviewers);

    (void)settings;
    (void)err;
    roles[ROLE_WORKER] = (struct role){ .name = "worker", .writes = true, .commits = true,
                                       .failed_max = 1 };
    roles[ROLE_REVIEWER] = (struct role){ .name = "reviewer", .invalid_max = 1, .failed_max = 1 };
    roles[ROLE_DELIVERER] = (struct role){ .name = "deliverer", .builtin = true };
    reviewers[0] = ROLE_REVIEWER;
    phases[0] = (struct phase){
        .name = "work", .work = { .role = ROLE_WORKER, .copies = 1 },
        .gate = { .reviewers = reviewers, .reviewer_count = 1, .on_fail = FAIL_REPAIR,
                  .repair = { .role = ROLE_WORKER }, .repair_max = 3, .at_bound = BOUND_STOP,
                  .mints = 1 },
    };
    phases[1] = (struct phase){ .name = "deliver", .needs = 1,
                                .work = { .role = ROLE_DELIVERER, .copies = 1 } };
    *out = (struct plan){ .roles = roles, .role_count = ROLES, .phases = phases,
                          .phase_count = 2, .iteration_max = 1 };
    return 0;
}

static void log_files(FILE *log, const char *what, const struct tree_file *files, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        fprintf(log, "  %s %s %.*s %s\n", what, files[i].change, STR_ARG(files[i].path),
                files[i].oid[0] ? "content" : "gone");
    }
}

static void log_tree(const char *when, const struct tree_view *tree)
{
    const char *path = getenv("ROUNDS_LOG");
    FILE *log = path ? fopen(path, "a") : NULL;

    if (!log) return;
    fprintf(log, "%s%s\n", when, tree ? "" : ": no tree");
    if (tree) {
        fprintf(log, "  head %s\n", tree->head[0] ? "commit" : "none");
        log_files(log, "dirty", tree->dirty, tree->dirty_count);
        log_files(log, "delta", tree->delta, tree->delta_count);
        fwrite(tree->diff.data, 1, tree->diff.size, log);
    }
    fclose(log);
}

static int rounds_start(const struct run_view *run, struct arena *arena, struct result *out,
                        struct err *err)
{
    (void)arena;
    (void)out;
    (void)err;
    log_tree("start", run->tree);
    return 0;
}

static void rounds_prompt(const struct run_view *run, const struct prompt_request *request,
                          struct buf *out)
{
    if (request->action->role == ROLE_REVIEWER) log_tree("prompt of reviewer", run->tree);
    buf_printf(out, "backend %s\n", run->backend);
    buf_add(out, request->problem);
}

static void come_late(void)
{
    const char *path = getenv("ROUNDS_LATE");
    FILE *file = path ? fopen(path, "w") : NULL;

    if (!file) return;
    fputs("late\n", file);
    fclose(file);
    unsetenv("ROUNDS_LATE");
}

static void rounds_judge(const struct run_view *run, const struct action *action,
                         struct str answer, struct arena *arena, struct result *out)
{
    static const struct finding defect = { .severity = SEVERITY_HIGH, .text = { "defect", 6 } };
    struct str line = { "", 0 };

    if (action->role == ROLE_WORKER) log_tree("judge of worker", run->tree);
    (void)str_cut(&answer, '\n', &line);
    *out = (struct result){ .verdict = VERDICT_CLEAN, .doc = arena_copy(arena, line) };
    if (action->role != ROLE_REVIEWER) return;
    if (str_is(line, "pass")) come_late();
    if (str_is(line, "fail")) {
        out->verdict = VERDICT_FINDINGS;
        out->findings = &defect;
        out->finding_count = 1;
    } else if (!str_is(line, "pass")) {
        out->verdict = VERDICT_INVALID;
        out->problem = STR("say pass or fail");
    }
}

static void rounds_record(const struct run_view *run, struct contract *out)
{
    contract_file_add(out, ".agents/state", str_of(run->id));
}

static void rounds_builtin(const struct run_view *run, const struct action *action,
                           struct arena *arena, struct builtin *out)
{
    (void)run;
    (void)action;
    (void)arena;
    *out = (struct builtin){ .kind = BUILTIN_ANSWER, .text = "delivered\n" };
}

static bool rounds_asked_once(const char *backend, const char *role)
{
    return getenv("ROUNDS_ONCE") && strcmp(backend, "cmd") == 0 && strcmp(role, "reviewer") == 0;
}

static const char *rounds_prompt_file(const struct run_view *run, const struct action *action,
                                      struct arena *arena)
{
    (void)run;
    if (action->role != ROLE_REVIEWER) return NULL;
    return arena_printf(arena, ".agents/prompts/%" PRIu32 ".md", action->job);
}

static const char *const rounds_paths[] = { ".agents/", NULL };
static void rounds_conclude(const struct run_view *run, struct buf *out)
{
    (void)run;
    (void)out;
}

static const char *rounds_lock_file(const struct run_view *run, struct arena *arena)
{
    (void)run;
    (void)arena;
    return ".agents/lock";
}

static long rounds_lock_owner(struct str text)
{
    (void)text;
    return 0;
}

static const struct dialect_framing rounds_framing = { rounds_start, rounds_conclude };
static const struct dialect_insisting rounds_insisting = { .asked_once = rounds_asked_once };
static const struct dialect_sharing rounds_sharing = {
    .called = "round", .lock_file = rounds_lock_file, .lock_owner = rounds_lock_owner,
    .prompt_file = rounds_prompt_file,
};
static const struct dialect_option rounds_options[] = { { 0 } };

static const struct dialect dialect_rounds = {
    .name = "rounds", .summary = "what writers change", .task_default = "work",
    .private_paths = rounds_paths, .options = rounds_options, .wants_tree = true,
    .plan = rounds_plan, .prompt = rounds_prompt, .judge = rounds_judge,
    .record = rounds_record, .builtin = rounds_builtin, .framing = &rounds_framing,
    .insisting = &rounds_insisting, .sharing = &rounds_sharing,
};

const struct dialect *const dialects[] = { &dialect_rounds, NULL };

int main(int argc, char **argv)
{
    static char here[4096];
    const char *verb = argc > 1 ? argv[1] : "";

    if (!getcwd(here, sizeof here)) return 2;
    if (strcmp(verb, "resume") == 0) {
        return headless_run(&(struct headless_request){ .start = here, .resume = "" });
    }
    if (strcmp(verb, "run") == 0 && argc == 4) {
        const struct agent_setting agents[] = { { .role = "worker", .spec = argv[2] },
                                                { .role = "reviewer", .spec = argv[3] } };
        const struct run_settings settings = { .agents = agents, .agent_count = 2,
                                               .time_ms_max = 60000, .sandbox_off = true };
        return headless_run(&(struct headless_request){ .start = here, .task = "work",
            .dialect = &dialect_rounds, .settings = &settings });
    }
    fprintf(stderr, "rounds run WORKER REVIEWER, or rounds resume\n");
    return 2;
}
