/* SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include "drive/headless/headless.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

uint32_t bench_reviewers = 5, bench_rounds = 1;

static char folder[4096];

uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

pid_t bench_spawn(const char *const *argv, const char *in, const char *out)
{
    posix_spawn_file_actions_t actions;
    pid_t pid = -1;
    int rc;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, in ? in : "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, out ? out : "/dev/null",
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    rc = posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (rc != 0) {
        fprintf(stderr, "%s: %s\n", argv[0], strerror(rc));
        exit(1);
    }
    return pid;
}

int bench_wait(pid_t pid)
{
    int status;

    while (waitpid(pid, &status, 0) < 0) assert(errno == EINTR);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

int bench_run(const char *const *argv)
{
    int saved = dup(2), null = open("/dev/null", O_WRONLY), status;

    dup2(null, 2);
    close(null);
    status = bench_wait(bench_spawn(argv, NULL, NULL));
    dup2(saved, 2);
    close(saved);
    return status;
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    if (!file || fputs(text, file) == EOF || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
}

const char *bench_repo(uint32_t files)
{
    const char *top = getenv("TMPDIR");
    static const char *const steps[][8] = {
        { "git", "init", "-q", ".", NULL },
        { "git", "add", ".", NULL },
        { "git", "-c", "user.name=b", "-c", "user.email=b@b", "commit", NULL },
    };
    static const char *const commit[] = { "git", "-c", "user.name=b", "-c", "user.email=b@b",
                                          "commit", "-q", "-m", "first", NULL };

    snprintf(folder, sizeof folder, "%s/hone-bench.XXXXXX", top ? top : "/tmp");
    if (!mkdtemp(folder) || chdir(folder) != 0) {
        perror(folder);
        exit(1);
    }
    for (uint32_t i = 0; i < files; i++) {
        char path[64], text[64];
        if (i % 50 == 0) {
            snprintf(path, sizeof path, "d%u", i / 50);
            mkdir(path, 0700);
        }
        snprintf(path, sizeof path, "d%u/f%u.c", i / 50, i);
        snprintf(text, sizeof text, "int f%u(void);\n", i);
        write_file(path, text);
    }
    if (bench_run(steps[0]) != 0 || bench_run(steps[1]) != 0 || bench_run(commit) != 0) {
        fprintf(stderr, "git failed in %s\n", folder);
        exit(1);
    }
    return folder;
}

void bench_clean(void)
{
    const char *const argv[] = { "rm", "-rf", folder, NULL };

    if (!folder[0]) return;
    if (chdir("/") != 0) perror("/");
    bench_run(argv);
    folder[0] = '\0';
}

void bench_less(const char *name, double got, double wanted, const char *unit)
{
    printf("%-58s %9.2f %-6s (wanted: at most %g)%s\n", name, got, unit, wanted,
           got <= wanted ? "" : "  <-- over");
}

void bench_more(const char *name, double got, double wanted, const char *unit)
{
    printf("%-58s %9.0f %-6s (wanted: more than %g)%s\n", name, got, unit, wanted,
           got > wanted ? "" : "  <-- under");
}

/* --- the dialect --- */

static int bench_plan(const struct settings *settings, struct arena *arena, struct plan *out,
                      struct err *err)
{
    struct role *roles = arena_alloc(arena, 2 * sizeof *roles);
    struct phase *phase = arena_alloc(arena, sizeof *phase);
    uint16_t *reviewers = arena_alloc(arena, bench_reviewers * sizeof *reviewers);

    (void)settings;
    (void)err;
    roles[1] = (struct role){ .name = "reader" };
    for (uint32_t i = 0; i < bench_reviewers; i++) reviewers[i] = 1;
    *phase = (struct phase){ .name = "R1", .gate = { .reviewers = reviewers,
        .reviewer_count = bench_reviewers, .on_fail = FAIL_RESTART, .at_bound = BOUND_STOP } };
    *out = (struct plan){ .roles = roles, .role_count = 2, .phases = phase, .phase_count = 1,
                          .iteration_max = bench_rounds };
    return 0;
}

static void bench_prompt(const struct run_view *run, const struct prompt_request *request,
                         struct buf *out)
{
    (void)run;
    (void)request;
    buf_text(out, "read\n");
}

static void bench_judge(const struct run_view *run, const struct action *action, struct str answer,
                        struct arena *arena, struct result *out)
{
    (void)run;
    (void)action;
    (void)answer;
    (void)arena;
    *out = (struct result){ .verdict = VERDICT_FINDINGS };
}

static void bench_record(const struct run_view *run, struct contract *out)
{
    char text[64];

    snprintf(text, sizeof text, "{\"iteration\": %" PRIu32 "}\n", run->engine->iteration);
    contract_file_add(out, ".agents/tmp/state.json", str_of(text));
}

static const char *const private_paths[] = { ".agents/", NULL };
static const struct dialect_option no_options[] = { { 0 } };

static const struct dialect bench_dialect = {
    .name = "bench",
    .summary = "for measuring",
    .task_default = "measure",
    .private_paths = private_paths,
    .trail = ".agents/tmp/phases",
    .options = no_options,
    .plan = bench_plan,
    .prompt = bench_prompt,
    .judge = bench_judge,
    .record = bench_record,
};

const struct dialect *const dialects[] = { &bench_dialect, NULL };

int bench_headless(const char *start, const char *command)
{
    char spec[4200];
    const struct agent_setting agents[] = { { .role = "*", .spec = spec } };
    const struct run_settings settings = { .agents = agents, .agent_count = 1,
                                           .time_ms_max = 60000, .sandbox_off = true };
    const struct headless_request request = { .start = start, .dialect = &bench_dialect,
        .task = "measure", .settings = &settings, .quiet = true };

    snprintf(spec, sizeof spec, "cmd:%s", command);
    return headless_run(&request);
}
