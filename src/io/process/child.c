/* SPDX-License-Identifier: Apache-2.0
 *
 * child.c - one attempt inside the supervisor, from its fork to the last of its processes.
 *
 *              limit or stop; main gone,        grace over,
 *              something left                   or stop now
 *   RUNNING ----------------------------> TERM -------------> KILL --.
 *      |                                   |                   |  ^  | again, while
 *      | main gone,                        | main and all      |  '--' something is left
 *      | nothing left                      | orphans gone      |
 *      '-----------------------------------+-------------------+----> its notice (supervise.c)
 *
 * 1. How an attempt ended is decided once: by the first limit, stop, or end of its main process.
 *    More output than its limit counts as such even when the process had ended by itself.
 * 2. The status file is written as soon as main is gone and before the notice, so an engine that
 *    dies in between finds it. A stop leaves none, nor does the end of the engine.
 * 3. The main process leads its own session and group: a signal to hone's terminal does not reach
 *    it. It dies with the supervisor (family_end_with), however that ends.
 * 4. Nothing but 0, 1 and 2 is open in it: every descriptor of ours is close-on-exec.
 * 5. A quiet attempt costs nothing but its deadlines: idle looks at the files when the time has
 *    come; the output limit looks every 2 s while they do not grow, on ticks all attempts share.
 * 6. In a sandbox with processes of its own the main process is the one that waits for them
 *    (sandbox_waits): SIGTERM spares it, since its end would be theirs, with no grace.
 * 7. A group is signalled only while one of its members is an unreaped child of ours: until then
 *    the kernel cannot give its number to another group.
 *
 * Not here: orphans (orphan.c), the loop and its messages (supervise.c). */
#include "base/mem.h"
#include "io/file/file.h"
#include "io/process/program.h"
#include "io/process/sandbox.h"
#include "io/process/supervise.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    SIZE_TICK_MS = 250, SIZE_EVERY_MS_MAX = 2000,
    KILL_EVERY_MS = 50, KILL_EVERY_MS_MAX = 2000,
    IDLE_SHARE_MIN = 4, /* after growth, at least this part of the idle limit is left */
    EXIT_NOT_STARTED = 127,
};

const char *const ended_words[ENDED_BY_COUNT] = {
    [ENDED_EXIT] = "exit", [ENDED_SIGNAL] = "signal", [ENDED_TIME] = "time",
    [ENDED_IDLE] = "idle", [ENDED_OUTPUT] = "output", [ENDED_STOP] = NULL, [ENDED_START] = NULL,
    [ENDED_SILENT] = "silent", [ENDED_FIRST] = "first",
};

/* What a child that could not become its program leaves in the pipe: one write, whole. */
struct start_failure {
    pid_t pid;
    int error;
};

/* ---- start ---- */

static int open_onto(const char *path, int flags, int target)
{
    int fd = open(path, flags | O_CLOEXEC, 0600);

    if (fd < 0) return -1;
    return dup2(fd, target);
}

/* The supervisor itself keeps every signal at its default but this one. */
static void reset_signals(void)
{
    struct sigaction plain = { .sa_handler = SIG_DFL };
    sigset_t none;

    sigaction(SIGPIPE, &plain, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* The child: becomes its program or says why not. Files are opened before cwd changes: their paths
 * are relative to the supervisor's folder. A link that an agent planted must not make us empty
 * another file. */
static _Noreturn void child_become(const struct supervision *s, const struct spawn *spawn,
                                   const struct brand *brand, const char *path,
                                   char *const *argv, char **env)
{
    const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW;
    struct start_failure failure;

    if (!family_end_with(s->self, SIGKILL)) _exit(EXIT_NOT_STARTED);
    setsid();
    brand_wear(brand);
    reset_signals();
    if (open_onto(spawn->in, O_RDONLY, 0) < 0) goto fail;
    if (open_onto(spawn->out, flags, 1) < 0) goto fail;
    if (open_onto(spawn->err, flags, 2) < 0) goto fail;
    if (spawn->cwd[0] && chdir(spawn->cwd) != 0) goto fail;
    environ = env; /* where it has a PATH of its own, that is the one to look on */
    execvp(path ? path : argv[0], argv);

fail:
    failure = (struct start_failure){ .pid = getpid(), .error = errno };
    while (write(s->failure_write_fd, &failure, sizeof failure) < 0 && errno == EINTR) {}
    _exit(EXIT_NOT_STARTED);
}

static const char *keep_text(char **at, const char *text)
{
    size_t bytes = strlen(text) + 1;
    const char *kept = memcpy(*at, text, bytes);

    *at += bytes;
    return kept;
}

uint64_t child_deadline_ms(uint64_t now_ms, uint64_t span_ms)
{
    if (span_ms == 0) return 0;
    return span_ms < UINT64_MAX - now_ms ? now_ms + span_ms : UINT64_MAX;
}

static struct child *child_new(const struct spawn *spawn)
{
    struct child *child = mem_alloc(sizeof *child);
    uint64_t now_ms = now_steady_ms();
    char *at = mem_alloc(strlen(spawn->out) + strlen(spawn->err) + strlen(spawn->status) +
                         strlen(spawn->tag) + 4);

    child->id = spawn->id;
    child->texts = at;
    child->out = keep_text(&at, spawn->out);
    child->err = keep_text(&at, spawn->err);
    child->status = keep_text(&at, spawn->status);
    child->tag = keep_text(&at, spawn->tag);
    child->grace_ms = spawn->grace_ms;
    child->idle_ms_max = spawn->idle_ms_max;
    child->output_bytes_max = spawn->output_bytes_max;
    child->size_every_ms = SIZE_TICK_MS;
    child->kill_every_ms = KILL_EVERY_MS;
    child->time_at_ms = child_deadline_ms(now_ms, spawn->time_ms_max);
    child->idle_at_ms = child_deadline_ms(now_ms, spawn->idle_ms_max);
    if (spawn->output_bytes_max) child->size_at_ms = now_ms + SIZE_TICK_MS;
    return child;
}

void child_free(struct child *child)
{
    if (child) free(child->texts);
    free(child);
}

static bool has_own_path(const struct spawn *spawn)
{
    for (uint32_t i = 0; spawn->env && spawn->env[i]; i++) {
        if (strncmp(spawn->env[i], "PATH=", strlen("PATH=")) == 0) return true;
    }
    return false;
}

int child_start(struct supervision *s, const struct spawn *spawn, struct child **out)
{
    char **argv = vector_copy(spawn->argv);
    char **env = vector_environment(spawn->env);
    char **ours = environ;
    const char *path = has_own_path(spawn) ? NULL : program_path(spawn->argv[0]);
    struct brand brand;
    int error = 0;
    pid_t pid;

    (void)brand_make(s->started++, &brand);
    unlink(spawn->status); /* one of an earlier attempt would be taken for ours */
    /* We stand still until the child is its program, and it borrows our memory until then: a
     * third of the cost of a fork. It changes nothing of ours but environ. */
    pid = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork) */
    if (pid == 0) { /* NOLINTNEXTLINE(clang-analyzer-unix.Vfork) */
        child_become(s, spawn, &brand, path, argv, env);
    }
    environ = ours;
    if (pid < 0) {
        error = errno;
    } else {
        *out = child_new(spawn);
        (*out)->brand = brand;
        (*out)->waits = sandbox_waits(spawn->argv);
        (*out)->main = pid;
        (*out)->group = pid;
    }
    free(argv);
    free(env);
    return error;
}

/* ---- end ---- */

void child_check(const struct child *child)
{
    assert(child->group > 1);
    assert(child->main == 0 || child->main == child->group);
    assert(child->state < ATTEMPT_STATE_COUNT);
    assert(child->decided || (child->state == ATTEMPT_RUNNING && child->main != 0));
    assert((child->kill_at_ms != 0) == (child->state != ATTEMPT_RUNNING));
}

static void decide(struct child *child, enum ended_by by, int value)
{
    child->decided = true;
    child->by = by;
    child->value = value;
}

static void child_signal(struct supervision *s, const struct child *child, int signal)
{
    orphans_review(s);
    if (child->main != 0) family_signal(child->main, signal, child->waits);
    orphans_signal(s, child, signal);
}

void child_end(struct supervision *s, struct child *child, enum ended_by by)
{
    if (child->state != ATTEMPT_RUNNING) return;
    if (!child->decided) decide(child, by, 0);
    child->state = ATTEMPT_TERM;
    child->kill_at_ms = now_steady_ms() + child->grace_ms;
    child_signal(s, child, SIGTERM);
}

void child_kill(struct supervision *s, struct child *child)
{
    if (!child->decided) decide(child, ENDED_STOP, 0);
    child->state = ATTEMPT_KILL;
    child->kill_at_ms = now_steady_ms() + child->kill_every_ms;
    if (child->kill_every_ms < KILL_EVERY_MS_MAX) child->kill_every_ms *= 2;
    child_signal(s, child, SIGKILL);
}

/* The notice goes out even when the disk fails: a status that cannot be written is one that a later
 * engine does not find, and that attempt is run again. A status without its line end is not whole,
 * and counts as none. */
static void status_write(const struct child *child)
{
    char line[64];
    int bytes = snprintf(line, sizeof line, "%s %d %llu\n", ended_words[child->by], child->value,
                         (unsigned long long)child->ended_ms);
    int fd = open(child->status, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);

    if (fd < 0) return;
    if (write(fd, line, (size_t)bytes) != bytes) unlink(child->status);
    close(fd);
}

static void failures_read(struct supervision *s)
{
    struct start_failure failure;

    while (read(s->failure_read_fd, &failure, sizeof failure) == (ssize_t)sizeof failure) {
        for (uint32_t i = 0; i < s->child_count; i++) {
            if (s->children[i]->group != failure.pid || s->children[i]->main == 0) continue;
            s->children[i]->start_error = failure.error;
        }
    }
}

struct growth {
    uint64_t bytes;
    uint64_t last_ms; /* wall clock; 0: no file */
};

static void growth_add(struct growth *growth, const char *path)
{
    struct stat info;
    uint64_t at_ms;

    if (stat(path, &info) != 0) return;
    growth->bytes += (uint64_t)info.st_size;
    at_ms = (uint64_t)info.st_mtim.tv_sec * 1000 + (uint64_t)info.st_mtim.tv_nsec / 1000000;
    if (at_ms > growth->last_ms) growth->last_ms = at_ms;
}

static struct growth growth_of(const struct child *child)
{
    struct growth growth = { 0 };

    growth_add(&growth, child->out);
    growth_add(&growth, child->err);
    return growth;
}

static bool is_too_long(const struct child *child)
{
    return child->output_bytes_max && growth_of(child).bytes > child->output_bytes_max;
}

void child_on_reaped(struct supervision *s, struct child *child, int status)
{
    bool by_us = s->closing && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;

    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NOT_STARTED) failures_read(s);
    child->main = 0;
    child->ended_ms = now_wall_ms();
    if (child->start_error != 0) {
        decide(child, ENDED_START, child->start_error);
    } else if (!child->decided && by_us) {
        decide(child, ENDED_STOP, 0);
    } else if (!child->decided && is_too_long(child)) {
        decide(child, ENDED_OUTPUT, 0);
    } else if (!child->decided && WIFEXITED(status)) {
        decide(child, ENDED_EXIT, WEXITSTATUS(status));
    } else if (!child->decided) {
        decide(child, ENDED_SIGNAL, WTERMSIG(status));
    }
    if (ended_words[child->by]) status_write(child);
}

/* ---- limits ---- */

/* The files tell when they grew by the wall clock, which may jump: it may cost an attempt a part
 * of its patience, never all of it. */
static void idle_look(struct supervision *s, struct child *child, uint64_t now_ms)
{
    struct growth growth = growth_of(child);
    uint64_t wall_ms = now_wall_ms();
    uint64_t quiet_ms = wall_ms > growth.last_ms ? wall_ms - growth.last_ms : 0;
    uint64_t left_ms = child->idle_ms_max / IDLE_SHARE_MIN;

    if (growth.bytes == child->idle_seen_bytes) {
        child_end(s, child, ENDED_IDLE);
        return;
    }
    child->idle_seen_bytes = growth.bytes;
    if (quiet_ms < child->idle_ms_max - left_ms) left_ms = child->idle_ms_max - quiet_ms;
    child->idle_at_ms = now_ms + left_ms;
}

static void size_look(struct supervision *s, struct child *child, uint64_t now_ms)
{
    uint64_t bytes = growth_of(child).bytes;

    if (bytes > child->output_bytes_max) {
        child_end(s, child, ENDED_OUTPUT);
        return;
    }
    if (bytes != child->size_seen_bytes) {
        child->size_every_ms = SIZE_TICK_MS;
    } else if (child->size_every_ms < SIZE_EVERY_MS_MAX) {
        child->size_every_ms *= 2;
    }
    child->size_seen_bytes = bytes;
    child->size_at_ms = (now_ms / SIZE_TICK_MS + 1) * SIZE_TICK_MS;
    child->size_at_ms += child->size_every_ms - SIZE_TICK_MS;
}

static bool is_due(uint64_t at_ms, uint64_t now_ms)
{
    return at_ms != 0 && now_ms >= at_ms;
}

void child_on_time(struct supervision *s, struct child *child, uint64_t now_ms)
{
    if (child->state != ATTEMPT_RUNNING) {
        if (is_due(child->kill_at_ms, now_ms)) child_kill(s, child);
        return;
    }
    if (child->main == 0) return; /* ended by itself: no limit applies */
    if (is_due(child->time_at_ms, now_ms)) {
        child_end(s, child, ENDED_TIME);
        return;
    }
    if (is_due(child->idle_at_ms, now_ms)) idle_look(s, child, now_ms);
    if (child->state != ATTEMPT_RUNNING) return;
    if (is_due(child->size_at_ms, now_ms)) size_look(s, child, now_ms);
}

static void keep_earliest(uint64_t *earliest_ms, uint64_t at_ms)
{
    if (at_ms != 0 && at_ms < *earliest_ms) *earliest_ms = at_ms;
}

uint64_t child_next_ms(const struct child *child)
{
    uint64_t earliest_ms = UINT64_MAX;

    if (child->state != ATTEMPT_RUNNING) return child->kill_at_ms;
    keep_earliest(&earliest_ms, child->time_at_ms);
    keep_earliest(&earliest_ms, child->idle_at_ms);
    keep_earliest(&earliest_ms, child->size_at_ms);
    return earliest_ms;
}
