/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_hook.c - what `hone hook` costs, against /bin/true started the same way and against the
 * least shell script that can be a gate. A hook is paid on every tool call.
 *
 * All of them take turns in one loop, so that what else the machine does hits each alike. Before
 * that each is run once, and its answer is looked at: what is not done is not measured.
 *
 * In memory where there is a place for it: /bin/true writes nothing, and what a disk takes to make
 * a file depends on what was made and removed there before. The hook that writes is then measured
 * on the disk of TMPDIR, too, for the record.
 *
 * Where `make static` has left a static program beside it, that one is measured behind it: it has
 * no library to find, and is to be no slower than /bin/true. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 400, STOP_EVERY = 4, SHELL_EVERY = 10, PATH_BYTES = 4400, TEXT_BYTES = 16384 };

enum kind {
    KIND_TRUE,  /* /bin/true */
    KIND_GATE,  /* hone, which only looks */
    KIND_STOP,  /* hone, which writes: of a new run each time */
    KIND_SHELL, /* bash and jq */
};

struct subject {
    const char *name, *folder, *event;
    enum kind kind;
    const char *answer; /* a part of what it must say; "": it must say nothing */

    double taken_us[TRIES];
    uint32_t count;
};

static struct subject subjects[] = {
    { .name = "/bin/true", .folder = "none", .event = "write", .kind = KIND_TRUE, .answer = "" },
    { .name = "no run here", .folder = "none", .event = "write", .kind = KIND_GATE, .answer = "" },
    { .name = "agent allowed", .folder = "review", .event = "critic", .kind = KIND_GATE,
      .answer = "" },
    { .name = "agent denied", .folder = "review", .event = "fixer", .kind = KIND_GATE,
      .answer = "\"deny\"" },
    { .name = "fixer allowed", .folder = "repair", .event = "fixer", .kind = KIND_GATE,
      .answer = "" },
    { .name = "edit allowed", .folder = "review", .event = "own", .kind = KIND_GATE,
      .answer = "" },
    { .name = "edit denied", .folder = "review", .event = "write", .kind = KIND_GATE,
      .answer = "\"deny\"" },
    { .name = "last reviewer stops", .folder = "last", .event = "last", .kind = KIND_STOP,
      .answer = "" },
    { .name = "bash and jq", .folder = "review", .event = "fixer", .kind = KIND_SHELL,
      .answer = "\"deny\"" },
};
enum { SUBJECTS = sizeof subjects / sizeof subjects[0], TRUE_SUBJECT = 0, DENIED_SUBJECT = 3,
       STOP_SUBJECT = 7 };

static const char *const folders[] = { "none", "review", "repair", "last" };
enum { FOLDERS = sizeof folders / sizeof folders[0] };

static const char *const roles[] = {
    "critic", "pedant", "witness", "security-reviewer", "silent-failure-hunter",
};
enum { ROLES = sizeof roles / sizeof roles[0] };

static const char found[] =
    "{\"issues\":[{\"severity\":\"warning\",\"category\":\"c\",\"file\":\"main.c\",\"line\":1,"
    "\"description\":\"d\",\"evidence\":\"e\",\"suggestion\":\"s\"}],"
    "\"summary\":{\"critical\":0,\"warning\":1,\"info\":0,\"verdict\":\"issues_found\"}}";

/* As little as can be: what is to be started, where the run stands, and the answer. */
static const char shell_gate[] =
    "type=$(jq -r '.tool_input.subagent_type // empty')\n"
    "phase=$(jq -r '.currentPhase // empty' .agents/tmp/state.json)\n"
    "case $type:$phase in\n"
    "*review-fixer:R1)\n"
    "    echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\","
    "\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"not in R1\"}}'\n"
    "    ;;\n"
    "esac\n";

static const char *hone, *top;
static const char *kind_of_hone = ""; /* ", static" */
static double gate_most = 2;          /* times /bin/true */

static void give_up(const char *what, const char *name)
{
    fprintf(stderr, "bench_hook: %s: %s\n", what, name);
    bench_clean();
    exit(1);
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    if (!file || fputs(text, file) == EOF || fclose(file) != 0) give_up("cannot write", path);
}

static void enter(const char *folder)
{
    char path[PATH_BYTES];

    snprintf(path, sizeof path, "%s/%s", top, folder);
    if (chdir(path) != 0) give_up("cannot enter", path);
}

/* ---- events ---- */

/* top/FOLDER.NAME: an event in that folder, with these members. */
static void put_event(const char *folder, const char *name, const char *event, const char *members)
{
    char path[PATH_BYTES], text[TEXT_BYTES];

    snprintf(path, sizeof path, "%s/%s.%s", top, folder, name);
    snprintf(text, sizeof text, "{\"session_id\":\"5f0c-%s\",\"prompt_id\":\"p\",\"cwd\":\"%s/%s\","
             "\"hook_event_name\":\"%s\",%s}", folder, top, folder, event, members);
    put(path, text);
}

static void put_events(const char *folder)
{
    put_event(folder, "begin", "UserPromptSubmit", "\"prompt\":\"/hone:review everything\"");
    put_event(folder, "halt", "UserPromptSubmit", "\"prompt\":\"/hone:stop\"");
    put_event(folder, "write", "PreToolUse",
              "\"tool_name\":\"Write\",\"tool_input\":{\"file_path\":\"main.c\",\"content\":\"int "
              "f(void);\\n\"}");
    put_event(folder, "own", "PreToolUse",
              "\"agent_id\":\"a1\",\"agent_type\":\"hone:critic\",\"tool_name\":\"Write\","
              "\"tool_input\":{\"file_path\":\".agents/tmp/phases/review-1/r1-critic.json\","
              "\"content\":\"{}\"}");
    put_event(folder, "critic", "PreToolUse",
              "\"tool_name\":\"Agent\",\"tool_input\":{\"subagent_type\":\"hone:critic\","
              "\"prompt\":\"p\"}");
    put_event(folder, "fixer", "PreToolUse",
              "\"tool_name\":\"Agent\",\"tool_input\":{\"subagent_type\":\"hone:review-fixer\","
              "\"prompt\":\"p\"}");
    for (size_t i = 0; i < ROLES; i++) {
        char name[32], members[256];

        snprintf(name, sizeof name, i + 1 < ROLES ? "stop%zu" : "last", i);
        snprintf(members, sizeof members, "\"agent_id\":\"a%zu\",\"agent_type\":\"hone:%s\"", i,
                 roles[i]);
        put_event(folder, name, "SubagentStop", members);
    }
}

/* hone is told of it; what it says is in top/out. */
static void tell(const char *folder, const char *name)
{
    const char *const argv[] = { hone, "hook", NULL };
    char in[PATH_BYTES], out[PATH_BYTES];

    enter(folder);
    snprintf(in, sizeof in, "%s/%s.%s", top, folder, name);
    snprintf(out, sizeof out, "%s/out", top);
    if (bench_wait(bench_spawn(argv, in, out)) != 0) give_up("hone refuses", name);
}

/* ---- folders ---- */

static void new_folder(const char *folder)
{
    static const char *const init[] = { "git", "init", "-q", ".", NULL };
    static const char *const add[] = { "git", "add", ".", NULL };
    static const char *const commit[] = { "git", "-c", "user.name=b", "-c", "user.email=b@b",
                                          "commit", "-q", "-m", "first", NULL };

    if (chdir(top) != 0 || mkdir(folder, 0700) != 0) give_up("cannot make", folder);
    enter(folder);
    put("main.c", "int main(void) { return 0; }\n");
    if (bench_run(init) != 0 || bench_run(add) != 0 || bench_run(commit) != 0) {
        give_up("git fails in", folder);
    }
}

/* All five have written; all but the last have stopped. */
static void review_in(const char *folder)
{
    for (size_t i = 0; i < ROLES; i++) {
        char path[PATH_BYTES], name[32];

        enter(folder);
        snprintf(path, sizeof path, ".agents/tmp/phases/review-1/r1-%s.json", roles[i]);
        put(path, found);
        snprintf(name, sizeof name, "stop%zu", i);
        if (i + 1 < ROLES) tell(folder, name);
    }
}

static void set_up(void)
{
    for (size_t i = 0; i < FOLDERS; i++) {
        new_folder(folders[i]);
        put_events(folders[i]);
        if (strcmp(folders[i], "none") != 0) tell(folders[i], "begin");
    }
    review_in("repair");
    tell("repair", "last");
    enter("");
    put("gate.sh", shell_gate);
}

/* ---- measuring ---- */

static bool is_there(const char *program)
{
    const char *const argv[] = { "sh", "-c", "command -v \"$0\"", program, NULL };

    return bench_run(argv) == 0;
}

/* Runs it once; us. */
static double run(const struct subject *subject, const char *out)
{
    static const char *const true_argv[] = { "/bin/true", NULL };
    const char *const hook_argv[] = { hone, "hook", NULL };
    const char *const shell_argv[] = { "bash", "../gate.sh", NULL };
    const char *const *argv = subject->kind == KIND_TRUE    ? true_argv
                              : subject->kind == KIND_SHELL ? shell_argv
                                                            : hook_argv;
    char in[PATH_BYTES];
    uint64_t start;

    if (subject->kind == KIND_STOP) {
        tell(subject->folder, "halt");
        tell(subject->folder, "begin");
        review_in(subject->folder);
    }
    enter(subject->folder);
    snprintf(in, sizeof in, "%s/%s.%s", top, subject->folder, subject->event);
    start = now_ns();
    if (bench_wait(bench_spawn(argv, in, out)) != 0) give_up("it fails", subject->name);
    return (double)(now_ns() - start) / 1e3;
}

static void check_answer(const struct subject *subject)
{
    char out[PATH_BYTES], text[TEXT_BYTES] = "";
    FILE *file;
    size_t size;

    snprintf(out, sizeof out, "%s/out", top);
    run(subject, out);
    file = fopen(out, "r");
    if (!file) give_up("cannot read", out);
    size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = '\0';
    if (subject->answer[0] ? !strstr(text, subject->answer) : size > 0) {
        fprintf(stderr, "%s\n", text);
        give_up("another answer", subject->name);
    }
    if (subject->kind == KIND_STOP &&
        access(".agents/tmp/phases/review-1/r1-verdict.json", F_OK) != 0) {
        give_up("there is no verdict", subject->name);
    }
}

static int by_size(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

static double at(const struct subject *subject, uint32_t percent)
{
    return subject->taken_us[(uint64_t)(subject->count - 1) * percent / 100];
}

static void clear(void)
{
    for (uint32_t i = 0; i < SUBJECTS; i++) subjects[i].count = 0;
}

static void sort(struct subject *subject)
{
    qsort(subject->taken_us, subject->count, sizeof subject->taken_us[0], by_size);
}

static void show(const struct subject *subject)
{
    const struct subject *base = &subjects[TRUE_SUBJECT];
    bool stop = subject->kind == KIND_STOP;
    char name[96];

    printf("%-24s median %8.0f us, 99th percentile %8.0f us\n", subject->name, at(subject, 50),
           at(subject, 99));
    if (subject->kind != KIND_GATE && !stop) return;
    snprintf(name, sizeof name, "hook%s, %s: median by /bin/true", kind_of_hone, subject->name);
    bench_less(name, at(subject, 50) / at(base, 50), stop ? 4 : gate_most, "times");
    snprintf(name, sizeof name, "hook%s, %s: 99th percentile", kind_of_hone, subject->name);
    if (!stop) bench_less(name, at(subject, 99) / at(base, 99), 3, "times");
}

static void measure(bool all)
{
    bool has_jq = all && is_there("jq");

    clear();
    for (uint32_t i = 0; i < SUBJECTS; i++) {
        if (has_jq || subjects[i].kind != KIND_SHELL) check_answer(&subjects[i]);
    }
    for (uint32_t try = 0; try < TRIES; try++) {
        for (uint32_t i = 0; i < SUBJECTS; i++) {
            struct subject *subject = &subjects[i];

            if (subject->kind == KIND_GATE && !all) continue;
            if (subject->kind == KIND_STOP && try % STOP_EVERY) continue;
            if (subject->kind == KIND_SHELL && (try % SHELL_EVERY || !has_jq)) continue;
            subject->taken_us[subject->count++] = run(subject, NULL);
        }
    }
    for (uint32_t i = 0; i < SUBJECTS; i++) sort(&subjects[i]);
}

static void show_all(void)
{
    const struct subject *shell = &subjects[SUBJECTS - 1];

    for (uint32_t i = 0; i < SUBJECTS; i++) {
        if (subjects[i].count > 0) show(&subjects[i]);
    }
    if (shell->count > 0) {
        bench_more("bash with two calls of jq, by the gate that denies",
                   at(shell, 50) / at(&subjects[DENIED_SUBJECT], 50), 20, "times");
    } else {
        printf("jq is not installed: no comparison with bash and jq\n");
    }
}

static void show_disk(void)
{
    const struct subject *stop = &subjects[STOP_SUBJECT];

    printf("%-24s median %8.0f us, %.2f times /bin/true, on the disk of TMPDIR\n", stop->name,
           at(stop, 50), at(stop, 50) / at(&subjects[TRUE_SUBJECT], 50));
}

static void measure_all(void)
{
    top = bench_repo(1);
    set_up();
    measure(true);
    show_all();
    bench_clean();
}

/* The static program: build/static/hone, of build/hone. */
static void measure_static(void)
{
    static char path[PATH_BYTES];
    const char *slash = strrchr(hone, '/'), *usual = hone;

    snprintf(path, sizeof path, "%.*s/static/hone", slash ? (int)(slash - hone) : 0, hone);
    if (access(path, X_OK) != 0) {
        printf("there is no static program: make static\n");
        return;
    }
    hone = path;
    kind_of_hone = ", static";
    gate_most = 1;
    measure_all();
    hone = usual;
}

int main(void)
{
    char *disk = strdup(getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    bool memory = access("/dev/shm", W_OK) == 0;

    hone = getenv("HONE") ? getenv("HONE") : "hone";
    if (memory) setenv("TMPDIR", "/dev/shm", 1);
    measure_all();
    measure_static();
    if (memory && strcmp(disk, "/dev/shm") != 0) {
        setenv("TMPDIR", disk, 1);
        top = bench_repo(1);
        set_up();
        measure(false);
        show_disk();
        bench_clean();
    }
    free(disk);
    return 0;
}
