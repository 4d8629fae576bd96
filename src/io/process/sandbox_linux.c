/* SPDX-License-Identifier: Apache-2.0
 *
 * sandbox_linux.c - argument lists for bubblewrap.
 *
 * The whole machine is bound, writable or not; then each rule's path once more, as the rule says.
 * Later binds lie over earlier ones, so rules are put in the order of their paths, a folder before
 * what is in it: the longest path that names a file decides about it, in any order of the rules.
 *
 * 1. The user in the sandbox is the user outside: an agent finds its own login and state.
 * 2. The agent ends when its parent does (--die-with-parent), sandboxed or not.
 * 3. No new pid namespace: the supervisor must find every process of an attempt. A user cannot
 *    leave through /proc/PID/root: the sandbox is another user namespace. Root can, through
 *    bubblewrap's own process, which has given up what would protect it; the other ways out, and
 *    undoing a bind, take capabilities that root has not in there (lost[]).
 * 4. Devices work, and /proc can be written where the kernel allows it: agents have sandboxes of
 *    their own, which need that. /proc/sys cannot.
 * 5. A path that a rule names cannot be renamed or removed: something is mounted on it.
 *
 * Not here: which folders (the caller knows the roles).
 */
#include "io/process/sandbox.h"

#include "io/file/file.h"
#include "io/process/program.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

const char sandbox_name[] = "bubblewrap";
const char *const sandbox_temporary[] = { "/tmp", "/var/tmp", "/dev/shm", NULL };

/* The question, once per process: the program that answers it, and the end of its stderr. */
static struct {
    bool asked, answered;
    pid_t pid;
    int fd;
    int error; /* of the start */
    const char *problem;
    char text[512];
} probe = { .fd = -1 };

/* Asks the way the most confined agent would be started: what works for it works for all. */
void sandbox_ask(void)
{
    static const char *const argv[] = {
        "bwrap", "--ro-bind", "/", "/", "--dev-bind", "/dev", "/dev", "--bind", "/proc", "/proc",
        "--ro-bind-try", "/proc/sys", "/proc/sys", "--die-with-parent", "--", "true", NULL };
    posix_spawn_file_actions_t actions;
    int ends[2];

    if (probe.asked) return;
    probe.asked = true;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        probe.error = errno;
        return;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0);
    posix_spawn_file_actions_adddup2(&actions, 0, 1);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
    /* posix_spawn() takes char *const[] and changes nothing in it. */
    probe.error = posix_spawnp(&probe.pid, argv[0], &actions, NULL,
                               (char *const *)(uintptr_t)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    probe.fd = ends[0];
}

/* What it said, up to the first line end, and whether it ended well. */
static bool probe_read(char *out, size_t size)
{
    size_t used = 0;
    ssize_t got;
    int status = -1;

    while ((got = read(probe.fd, out + used, size - 1 - used)) > 0 || (got < 0 && errno == EINTR)) {
        if (got > 0) used += (size_t)got;
        if (used == size - 1) break;
    }
    out[used] = '\0';
    out[strcspn(out, "\n")] = '\0';
    close(probe.fd);
    while (waitpid(probe.pid, &status, 0) < 0 && errno == EINTR) {}
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

const char *sandbox_problem(void)
{
    char said[256] = "it does not start";

    sandbox_ask();
    if (probe.answered) return probe.problem;
    probe.answered = true;
    if (probe.error == ENOENT) {
        probe.problem = "bubblewrap is not installed";
    } else if (probe.error != 0 || !probe_read(said, sizeof said)) {
        snprintf(probe.text, sizeof probe.text, "bubblewrap does not work here: %s", said);
        probe.problem = probe.text;
    }
    return probe.problem;
}

const char *sandbox_install(void)
{
    return program_exists("bwrap") ? NULL : "sudo apt install bubblewrap";
}

bool sandbox_lacks_program(const char *last_words)
{
    return str_starts(str_of(last_words), STR("bwrap: execvp "));
}

/* ---- rules ---- */

bool sandbox_rule(struct sandbox *sandbox, const char *path, enum sandbox_how how,
                  struct arena *arena)
{
    const char *real = file_real(path, arena);

    if (!real) return false;
    sandbox->rules = arena_grow(arena, sandbox->rules, sandbox->count, &sandbox->cap,
                                sizeof *sandbox->rules);
    sandbox->rules[sandbox->count] = (struct sandbox_rule){
        .path = real, .how = how, .order = sandbox->count };
    sandbox->count++;
    return true;
}

/* As if a slash came before every other byte: what is in a folder follows it at once. */
static int compare_paths(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    if (*a == *b) return 0;
    if (*a == '\0') return -1;
    if (*b == '\0') return 1;
    if (*a == '/' || *b == '/') return *a == '/' ? -1 : 1;
    return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
}

static int compare_rules(const void *one, const void *two)
{
    const struct sandbox_rule *a = one, *b = two;
    int order = compare_paths(a->path, b->path);

    if (order != 0) return order;
    return a->order < b->order ? -1 : 1;
}

/* ---- words ---- */

static const char *const words_of[SANDBOX_HOW_COUNT] = {
    [SANDBOX_READ] = "--ro-bind", [SANDBOX_WRITE] = "--bind", [SANDBOX_EMPTY] = "--tmpfs",
};

/* What root could leave with, or undo a bind. */
static const char *const lost[] = {
    "CAP_SYS_ADMIN", "CAP_SYS_PTRACE", "CAP_SYS_MODULE", "CAP_SYS_RAWIO", "CAP_MKNOD",
    "CAP_DAC_READ_SEARCH",
};

enum { LOST_COUNT = sizeof lost / sizeof *lost, OWN_WORDS = 16 };

static size_t length(const char *const *list)
{
    size_t count = 0;

    while (list[count]) count++;
    return count;
}

static size_t add_bind(const char **out, size_t at, const char *how, const char *path)
{
    out[at++] = how;
    out[at++] = path;
    out[at++] = path;
    return at;
}

static size_t add_machine(const char **out, size_t at, bool read_only)
{
    if (!read_only) return add_bind(out, at, "--dev-bind", "/");
    at = add_bind(out, at, "--ro-bind", "/");
    at = add_bind(out, at, "--dev-bind", "/dev");
    at = add_bind(out, at, "--bind", "/proc");
    return add_bind(out, at, "--ro-bind-try", "/proc/sys");
}

/* Of two rules for one path the later one counts. One for all is the machine's. */
static size_t add_rules(const char **out, size_t at, const struct sandbox_rule *rules,
                        uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i + 1 < count && strcmp(rules[i].path, rules[i + 1].path) == 0) continue;
        if (strcmp(rules[i].path, "/") == 0) continue;
        out[at++] = words_of[rules[i].how];
        out[at++] = rules[i].path;
        if (rules[i].how != SANDBOX_EMPTY) out[at++] = rules[i].path;
    }
    return at;
}

const char *const *sandbox_command(const struct sandbox *sandbox, const char *const *argv,
                                   struct arena *arena)
{
    size_t words = OWN_WORDS + 2 * LOST_COUNT + 3 * (size_t)sandbox->count + length(argv) + 1;
    const char **out = arena_alloc(arena, words * sizeof *out);
    struct sandbox_rule *rules = arena_alloc(arena, (sandbox->count + 1) * sizeof *rules);
    bool read_only = sandbox->read_only;
    size_t at = 0;

    if (sandbox->count) memcpy(rules, sandbox->rules, sandbox->count * sizeof *rules);
    qsort(rules, sandbox->count, sizeof *rules, compare_rules);
    for (uint32_t i = 0; i < sandbox->count && strcmp(rules[i].path, "/") == 0; i++) {
        read_only = rules[i].how == SANDBOX_READ;
    }
    out[at++] = "bwrap";
    at = add_machine(out, at, read_only);
    at = add_rules(out, at, rules, sandbox->count);
    if (sandbox->no_network) out[at++] = "--unshare-net";
    for (uint32_t i = 0; i < LOST_COUNT && geteuid() == 0; i++) {
        out[at++] = "--cap-drop";
        out[at++] = lost[i];
    }
    out[at++] = "--die-with-parent";
    out[at++] = "--";
    for (; *argv; argv++) out[at++] = *argv;
    return out; /* what is left is NULL: an arena gives zeros */
}
