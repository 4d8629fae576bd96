/* SPDX-License-Identifier: Apache-2.0
 *
 * sandbox_linux.c - argument lists for bubblewrap.
 *
 * The whole machine is bound, writable or not; then each rule's path once more, as the rule says.
 * Later binds lie over earlier ones, so rules are put in the order of their paths, a folder before
 * what is in it: the longest path that names a file decides about it, in any order of the rules.
 *
 * 1. The user in the sandbox is the user outside: an agent finds its own login and state.
 * 2. All of it ends when its parent does, however that ends: the process that waits for it dies
 *    with its parent (--die-with-parent), the first process of the namespace with that one, and the
 *    kernel ends the others with the first.
 * 3. The process namespace has a /proc of its own: in it there is no process to signal, stop, trace
 *    or to leave through (/proc/PID/root) but those of the same sandbox. From outside all of
 *    them are seen.
 * 4. Root has a user namespace of its own, too, and gives up what would undo a bind there (lost[]).
 *    Only the files of root and of its group are root's in there. So where a rule opens files of
 *    another user, root stays without it, and is held by 3 alone.
 * 5. Devices are those that programs need to compute: no disk, and no terminal of the user's.
 * 6. A path that a rule names cannot be renamed or removed: something is mounted on it.
 *
 * Not every machine lets us have all of it. The steps, from the best; the first that works is
 * taken, for the whole process:
 *
 *   users, processes, a /proc of its own
 *   users, processes                      containers that hide parts of /proc: outer processes are
 *                                         seen, and not reached
 *   processes, a /proc of its own         no user namespaces: a bubblewrap with privileges, or root
 *   none of them                          as the first versions of hone had it
 *
 * Not here: which folders (the caller knows the roles).
 */
#include "io/process/sandbox.h"

#include "io/file/file.h"
#include "io/process/host.h"
#include "io/process/program.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

const char sandbox_name[] = "bubblewrap";
const char *const sandbox_temporary[] = { "/tmp", "/var/tmp", "/dev/shm", NULL };

const char *const sandbox_session[] = {
    "/run/user", "/run/screen", "/run/tmux", "/run/dbus", "/run/docker.sock", "/run/podman",
    "/run/containerd", "/run/crio", "/run/libvirt", "/var/lib/lxd/unix.socket",
    "/var/snap/lxd/common/lxd/unix.socket", NULL,
};

struct cage {
    bool users, processes, proc;
    const char *lacks; /* NULL: nothing */
};

static const struct cage cages[] = {
    { .users = true, .processes = true, .proc = true },
    { .users = true, .processes = true,
      .lacks = "the kernel lets it have no /proc of its own: agents see your processes, and cannot "
               "signal them" },
    { .processes = true, .proc = true,
      .lacks = "there are no user namespaces: what agents start as another user is not held" },
    { .lacks = "there are no process namespaces: agents see and can signal your processes, and "
               "what they start can outlive a hone that is killed" },
};

enum { CAGE_COUNT = sizeof cages / sizeof *cages, PROBE_WORDS = 64 };

/* The question, once per process: which step is tried, the program that answers it, and the end of
 * its stderr. */
static struct {
    bool asked, answered;
    uint32_t step;
    pid_t pid;
    int fd;
    int error; /* of the start */
    const char *problem;
    char text[512];
} probe = { .fd = -1 };

static size_t add_bind(const char **out, size_t at, const char *how, const char *path)
{
    out[at++] = how;
    out[at++] = path;
    out[at++] = path;
    return at;
}

static size_t add_machine(const char **out, size_t at, const struct cage *cage, bool read_only)
{
    static const char *const computing[] = { "/dev/kvm", "/dev/dri", "/dev/kfd", "/dev/nvidiactl",
                                             "/dev/nvidia0", "/dev/nvidia-uvm" };
    /* Files of root's with which the kernel is set: no namespace of ours has its own. Over an
     * ordinary user's they would keep an agent's own sandbox from having a /proc. */
    static const char *const knobs[] = { "/proc/sys", "/proc/fs", "/proc/acpi", "/proc/scsi",
                                         "/proc/mtrr" };

    at = add_bind(out, at, read_only ? "--ro-bind" : "--bind", "/");
    out[at++] = "--dev";
    out[at++] = "/dev";
    for (size_t i = 0; i < sizeof computing / sizeof *computing; i++) {
        if (access(computing[i], F_OK) == 0) at = add_bind(out, at, "--dev-bind", computing[i]);
    }
    out[at++] = cage->proc ? "--proc" : "--bind";
    if (!cage->proc) out[at++] = "/proc";
    out[at++] = "/proc";
    for (size_t i = 0; geteuid() == 0 && i < sizeof knobs / sizeof *knobs; i++) {
        at = add_bind(out, at, "--ro-bind-try", knobs[i]);
    }
    if (cage->processes) out[at++] = "--unshare-pid";
    if (cage->processes) out[at++] = "--unshare-ipc";
    if (cage->users) out[at++] = "--unshare-user";
    out[at++] = "--die-with-parent";
    return at;
}

/* Asks the way the most confined agent would be started: what works for it works for all. */
static void probe_start(void)
{
    const char *argv[PROBE_WORDS + 4] = { "bwrap" }, *program = program_path("bwrap");
    size_t at = add_machine(argv, 1, &cages[probe.step], true);
    posix_spawn_file_actions_t actions;
    int ends[2];

    argv[at++] = "--";
    argv[at++] = "true";
    probe.error = program ? 0 : ENOENT;
    if (!program) return;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        probe.error = errno;
        return;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0);
    posix_spawn_file_actions_adddup2(&actions, 0, 1);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
    /* posix_spawn() takes char *const[] and changes nothing in it. */
    probe.error = posix_spawn(&probe.pid, program, &actions, NULL,
                              (char *const *)(uintptr_t)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    probe.fd = ends[0];
}

void sandbox_settle(void)
{
    (void)program_path("bwrap");
}

void sandbox_ask(void)
{
    if (probe.asked) return;
    probe.asked = true;
    probe_start();
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
    for (;;) {
        if (probe.error == ENOENT) {
            probe.problem = "bubblewrap is not installed";
            break;
        }
        if (probe.error == 0 && probe_read(said, sizeof said)) break;
        if (probe.error != 0 || probe.step + 1 == CAGE_COUNT) {
            snprintf(probe.text, sizeof probe.text, "bubblewrap does not work here: %s", said);
            probe.problem = probe.text;
            break;
        }
        probe.step++;
        probe_start();
    }
    return probe.problem;
}

const char *sandbox_lacks(void)
{
    return sandbox_problem() ? NULL : cages[probe.step].lacks;
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

bool sandbox_close(struct sandbox *sandbox, const char *readable, struct arena *arena)
{
    const char *named[] = { host_home(), getenv("TMPDIR"), getenv("XDG_RUNTIME_DIR") };

    sandbox->read_only = sandbox->no_network = true;
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        if (named[i] && named[i][0] == '/' && named[i][1]) {
            (void)sandbox_rule(sandbox, named[i], SANDBOX_EMPTY, arena);
        }
    }
    for (uint32_t i = 0; sandbox_temporary[i]; i++) {
        (void)sandbox_rule(sandbox, sandbox_temporary[i], SANDBOX_EMPTY, arena);
    }
    for (uint32_t i = 0; sandbox_session[i]; i++) {
        (void)sandbox_rule(sandbox, sandbox_session[i], SANDBOX_HIDE, arena);
    }
    return sandbox_rule(sandbox, readable, SANDBOX_READ, arena);
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
    [SANDBOX_HIDE] = "--tmpfs",
};

/* What root could leave with, or undo a bind. */
static const char *const lost[] = {
    "CAP_SYS_ADMIN", "CAP_SYS_PTRACE", "CAP_SYS_MODULE", "CAP_SYS_RAWIO", "CAP_MKNOD",
    "CAP_DAC_READ_SEARCH",
};

enum { LOST_COUNT = sizeof lost / sizeof *lost, OWN_WORDS = PROBE_WORDS + 8 };

static size_t length(const char *const *list)
{
    size_t count = 0;

    while (list[count]) count++;
    return count;
}

static bool is_folder(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* Of two rules for one path the later one counts. One for all is the machine's. */
static size_t add_rules(const char **out, size_t at, const struct sandbox_rule *rules,
                        uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        bool covered = rules[i].how == SANDBOX_HIDE && !is_folder(rules[i].path);

        if (i + 1 < count && strcmp(rules[i].path, rules[i + 1].path) == 0) continue;
        if (strcmp(rules[i].path, "/") == 0) continue;
        out[at++] = covered ? "--ro-bind" : words_of[rules[i].how];
        if (covered) out[at++] = "/dev/null";
        else if (rules[i].how != SANDBOX_EMPTY && rules[i].how != SANDBOX_HIDE) {
            out[at++] = rules[i].path;
        }
        out[at++] = rules[i].path;
    }
    return at;
}

/* Invariant 4. */
static bool opens_others(const struct sandbox *sandbox)
{
    struct stat info;

    for (uint32_t i = 0; i < sandbox->count; i++) {
        if (sandbox->rules[i].how != SANDBOX_WRITE) continue;
        if (stat(sandbox->rules[i].path, &info) == 0 && info.st_uid != geteuid()) return true;
    }
    return false;
}

const char *const *sandbox_command(const struct sandbox *sandbox, const char *const *argv,
                                   struct arena *arena)
{
    size_t words = OWN_WORDS + 2 * LOST_COUNT + 3 * (size_t)sandbox->count + length(argv) + 1;
    const char **out = arena_alloc(arena, words * sizeof *out);
    struct sandbox_rule *rules = arena_alloc(arena, (sandbox->count + 1) * sizeof *rules);
    struct cage cage = cages[probe.step];
    bool read_only = sandbox->read_only;
    const char *program = program_path("bwrap");
    size_t at = 0;

    if (geteuid() == 0 && cage.proc && opens_others(sandbox)) cage.users = false;
    if (sandbox->count) memcpy(rules, sandbox->rules, sandbox->count * sizeof *rules);
    qsort(rules, sandbox->count, sizeof *rules, compare_rules);
    for (uint32_t i = 0; i < sandbox->count && strcmp(rules[i].path, "/") == 0; i++) {
        read_only = rules[i].how == SANDBOX_READ;
    }
    out[at++] = program ? program : "bwrap";
    at = add_machine(out, at, &cage, read_only);
    at = add_rules(out, at, rules, sandbox->count);
    if (sandbox->no_network) out[at++] = "--unshare-net";
    for (uint32_t i = 0; i < LOST_COUNT && geteuid() == 0; i++) {
        out[at++] = "--cap-drop";
        out[at++] = lost[i];
    }
    out[at++] = "--";
    /* What was found before any agent began, and not what is first on the PATH by now. */
    out[at++] = program_path(argv[0]) ? program_path(argv[0]) : argv[0];
    for (argv++; *argv; argv++) out[at++] = *argv;
    return out; /* what is left is NULL: an arena gives zeros */
}

bool sandbox_waits(const char *const *argv)
{
    const char *program = program_path("bwrap");

    if (!program || strcmp(argv[0], program) != 0) return false;
    for (; *argv && strcmp(*argv, "--") != 0; argv++) {
        if (strcmp(*argv, "--unshare-pid") == 0) return true;
    }
    return false;
}
