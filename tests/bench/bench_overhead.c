/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_overhead.c - hone's own CPU time for each turn of an agent, against the real client's: a
 * review by five Claude Codes that talk to a scripted model. Where the client is not installed
 * (make real-agents does it), that is said and nothing is measured.
 *
 * A copy of this program stands in front of the client on the PATH. It starts the client and leaves
 * what that has used, and what it has used itself, beside the attempt's answer. What is left of all
 * that hone and its descendants have used is hone's own: git is a part of it, and all that a client
 * left behind without waiting for it. The best of a few tries counts. */
#include "bench.h"

#include "base/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILES = 200, TURNS = 10, REVIEWERS = 5, TRIES = 3, PORT_TRIES = 200 };

static struct arena arena;

/* Where a link leads to. */
static const char *target(const char *link)
{
    char path[PATH_MAX];
    ssize_t size = readlink(link, path, sizeof path - 1);

    if (size < 0) {
        perror(link);
        exit(1);
    }
    path[size] = '\0';
    return arena_printf(&arena, "%s", path);
}

static const char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? arena_printf(&arena, "%.*s", (int)(slash - path), path) : ".";
}

static double cpu_ms(const struct rusage *used)
{
    return (double)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) * 1e3 +
           (double)(used->ru_utime.tv_usec + used->ru_stime.tv_usec) / 1e3;
}

/* ---- in front of the client ---- */

static int stand_in(char **argv)
{
    const char *client = target(arena_printf(&arena, "%s/client",
                                             folder_of(target("/proc/self/exe"))));
    const char *output = getenv("HONE_OUTPUT");
    struct rusage mine, theirs;
    pid_t pid = fork();
    int status = 0;
    FILE *file;

    if (pid == 0) {
        execv(client, argv);
        _exit(127);
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    getrusage(RUSAGE_SELF, &mine);
    getrusage(RUSAGE_CHILDREN, &theirs);
    file = output ? fopen(arena_printf(&arena, "%s.used", output), "w") : NULL;
    if (!file) return 1;
    fprintf(file, "%.3f %.3f\n", cpu_ms(&mine), cpu_ms(&theirs));
    fclose(file);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* ---- the model ---- */

#define ISSUES "\\\"issues\\\":[],\\\"summary\\\":{\\\"critical\\\":0,\\\"warning\\\":0," \
               "\\\"info\\\":0,\\\"verdict\\\":\\\"clean\\\"}"

static void write_talk(FILE *file, const char *answer)
{
    fputs("[", file);
    for (int i = 0; i < TURNS; i++) fprintf(file, "{\"run\":\"cat d0/f%d.c\"},", i);
    fprintf(file, "{\"say\":\"%s\"}]", answer);
}

static void write_review(FILE *file)
{
    fputs("{\"for\":\"You are `witness`\",\"turns\":", file);
    write_talk(file, "{\\\"verification_method\\\":\\\"run\\\",\\\"fallbacks_attempted\\\":[],"
                     "\\\"evidence\\\":{\\\"command_outputs\\\":[]},\\\"status\\\":\\\"PASS\\\","
                     ISSUES "}");
    fputs("}", file);
    for (int i = 1; i < REVIEWERS; i++) {
        fputs(",", file);
        write_talk(file, "{" ISSUES "}");
    }
}

static void write_script(const char *path)
{
    FILE *file = fopen(path, "w");

    if (!file) {
        perror(path);
        exit(1);
    }
    for (int i = 0; i < TRIES; i++) {
        fputs(i == 0 ? "[" : ",", file);
        write_review(file);
    }
    fputs("]\n", file);
    fclose(file);
}

/* Starts it; its address goes into the environment. */
static pid_t start_model(const char *side)
{
    const char *script = arena_printf(&arena, "%s/script.json", side);
    const char *port = arena_printf(&arena, "%s/port", side);
    const char *const argv[] = {
        "node", arena_printf(&arena, "%s/tests/real/stage/model.js", getenv("TOP")), script, port,
        arena_printf(&arena, "%s/asked", side), NULL,
    };
    unsigned number = 0;
    pid_t pid;

    write_script(script);
    pid = bench_spawn(argv, NULL, NULL);
    for (int i = 0; i < PORT_TRIES && number == 0; i++) {
        FILE *file = fopen(port, "r");

        if (file && fscanf(file, "%u", &number) != 1) number = 0;
        if (file) fclose(file);
        usleep(50000);
    }
    if (number == 0) {
        fprintf(stderr, "the model does not listen\n");
        exit(1);
    }
    setenv("ANTHROPIC_BASE_URL", arena_printf(&arena, "http://127.0.0.1:%u", number), 1);
    return pid;
}

/* ---- the measuring ---- */

/* The copy and its link to the client in a folder of their own; nothing of the user's accounts. */
static void settle(const char *side, const char *client)
{
    static const char *const off[] = { "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
                                       "DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY",
                                       "DISABLE_ERROR_REPORTING" };
    const char *const copy[] = { "cp", target("/proc/self/exe"),
                                 arena_printf(&arena, "%s/claude", side), NULL };

    mkdir(side, 0700);
    if (bench_run(copy) != 0 || symlink(client, arena_printf(&arena, "%s/client", side)) != 0) {
        perror(side);
        exit(1);
    }
    setenv("PATH", arena_printf(&arena, "%s:%s", side, getenv("PATH")), 1);
    setenv("ANTHROPIC_API_KEY", "none", 1);
    for (size_t i = 0; i < sizeof off / sizeof *off; i++) setenv(off[i], "1", 1);
}

/* What all clients of the run have used, and those in front of them. */
static uint32_t read_used(double *client, double *front)
{
    uint32_t count = 0;
    glob_t found;

    *client = *front = 0;
    if (glob(".git/hone/runs/*/*/*.used", 0, NULL, &found) != 0) return 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        FILE *file = fopen(found.gl_pathv[i], "r");
        double mine, theirs;
        if (file && fscanf(file, "%lf %lf", &mine, &theirs) == 2) {
            *front += mine;
            *client += theirs;
            count++;
        }
        if (file) fclose(file);
    }
    globfree(&found);
    return count;
}

struct figures {
    double hone_ms, client_ms;
};

/* One review, in a repository that has seen none. */
static struct figures measure(const char *hone, pid_t model)
{
    const char *const argv[] = { hone, "run", "review", "--all", "--quiet", "--agent", "*=claude",
                                 NULL };
    const char *const forget[] = { "rm", "-rf", ".git/hone", ".agents", NULL };
    struct rusage used;
    double total, client, front;
    pid_t pid = bench_spawn(argv, NULL, NULL), ended;
    int status;

    do {
        ended = wait4(pid, &status, 0, &used);
    } while (ended < 0 && errno == EINTR);
    total = cpu_ms(&used);
    while ((ended = wait4(-1, NULL, WNOHANG, &used)) > 0) {
        if (ended != model) total += cpu_ms(&used);
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fprintf(stderr, "the review did not end clean\n");
        exit(1);
    }
    if (read_used(&client, &front) != REVIEWERS) {
        fprintf(stderr, "the clients left no figures\n");
        exit(1);
    }
    bench_run(forget);
    return (struct figures){ .hone_ms = total - client - front, .client_ms = client };
}

static void measure_all(const char *hone, pid_t model)
{
    struct figures best = { .hone_ms = 1e9, .client_ms = 1 };
    const double turns = REVIEWERS * (TURNS + 1);

    prctl(PR_SET_CHILD_SUBREAPER, 1); /* a process that outlives hone counts as well */
    for (int i = 0; i < TRIES; i++) {
        struct figures now = measure(hone, model);

        if (now.hone_ms / now.client_ms < best.hone_ms / best.client_ms) best = now;
    }
    kill(model, SIGTERM);
    bench_wait(model);
    printf("per turn of an agent: hone %.2f ms, Claude Code %.1f ms of CPU time\n",
           best.hone_ms / turns, best.client_ms / turns);
    bench_less("hone's CPU time, of the real client's", best.hone_ms / best.client_ms * 100, 1,
               "%");
}

int main(int argc, char **argv)
{
    const char *hone = getenv("HONE"), *top = getenv("TMPDIR"), *client, *side;
    const char *program = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];

    (void)argc;
    if (strcmp(program, "claude") == 0) return stand_in(argv);
    if (!hone || !getenv("TOP")) return 1;
    client = arena_printf(&arena, "%s/real/node_modules/.bin/claude", folder_of(hone));
    if (access(client, X_OK) != 0) {
        printf("hone's CPU time, of the real client's: not measured, %s is missing; make "
               "real-agents brings it\n", client);
        return 0;
    }
    bench_repo(FILES);
    side = arena_printf(&arena, "%s/side", top ? top : "/tmp");
    settle(side, client);
    measure_all(hone, start_model(side));
    bench_clean();
    arena_release(&arena);
    return 0;
}
