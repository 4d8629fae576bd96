/* SPDX-License-Identifier: Apache-2.0
 *
 * supervise.h - what the two sides of supervisor.h share, and what the supervising process is
 * made of. Private to supervisor.c, supervise.c, child.c, orphan.c, vector.c and spawn.c, and to
 * brand_linux.c, which another system fills in its own way; all others include supervisor.h. */
#ifndef HONE_IO_PROCESS_SUPERVISE_H
#define HONE_IO_PROCESS_SUPERVISE_H

#include "base/buf.h"
#include "io/process/family.h"
#include "io/process/supervisor.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* ---- the stream between engine and supervisor: a uint32_t says how many bytes follow ---- */

enum { REQUEST_BYTES_MAX = 8 << 20, READY_BYTE = 'R' };

enum request_kind { REQUEST_SPAWN, REQUEST_STOP, REQUEST_KILL, REQUEST_LIVE, REQUEST_KIND_COUNT };

/* REQUEST_SPAWN is followed by texts, each with its NUL: the arguments, the environment, cwd,
 * in, out, err, status, tag. An empty cwd or tag means none. */
struct request {
    uint64_t id, time_ms_max, idle_ms_max, output_bytes_max;
    uint32_t kind, grace_ms, arg_count, env_count;
    uint32_t by; /* of REQUEST_STOP: what the notice will say */
                 /* of REQUEST_LIVE, time_ms_max says how long the engine lives without another */
};

struct answer {
    uint64_t id, ended_ms;
    uint32_t by;
    int32_t value;
};

/* Words of the status file, by enum ended_by; NULL: never written. */
extern const char *const ended_words[ENDED_BY_COUNT];

/* ---- vector.c: arguments and environment as exec wants them; free() the result ---- */

extern char **environ; /* not every system's headers have it */

char **vector_copy(const char *const *items);
/* Our own environment with `extra` (may be NULL) added or replacing; of two, the later wins. */
char **vector_environment(const char *const *extra);

/* ---- brand_linux.c: whose a process is, by something that it inherits and cannot take off ---- */

struct brand {
    uint64_t falling, rising; /* from attempt to attempt; 0: no brand */
};

/* One that no process of ours with another number has. False: there is no room for any. */
bool brand_make(uint32_t number, struct brand *out);
void brand_wear(const struct brand *brand); /* from now on, with all that we start */
bool brand_read(pid_t pid, struct brand *out); /* false: gone, or not ours to ask */
bool brand_same(const struct brand *a, const struct brand *b);

/* ---- supervise.c, child.c, orphan.c: the supervising process ---- */

enum child_state {
    ATTEMPT_RUNNING,
    ATTEMPT_TERM, /* told to end; kill_at_ms is when patience ends */
    ATTEMPT_KILL, /* killed, again at kill_at_ms if something is still there */
    ATTEMPT_STATE_COUNT
};

struct child {
    uint64_t id;
    pid_t main;  /* 0 once reaped */
    pid_t group; /* what main's pid is or was: also its session's */
    enum child_state state;
    bool waits; /* main only waits for the others (sandbox.h) */
    bool decided; /* by and value hold */
    enum ended_by by;
    int value, start_error;
    uint64_t ended_ms;
    uint64_t time_at_ms, idle_at_ms, size_at_ms, kill_at_ms; /* steady clock; 0: never */
    uint64_t idle_ms_max, output_bytes_max;
    uint64_t idle_seen_bytes, size_seen_bytes;
    uint32_t grace_ms, size_every_ms, kill_every_ms;
    struct brand brand;
    char *texts; /* holds the next four */
    const char *out, *err, *status, *tag;
};

/* A process whose parent died: ours now. */
struct orphan {
    pid_t pid;
    struct child *owner;   /* NULL: not known */
    bool hid;              /* it changed its brand, so that its owner would not be known */
    bool refused;          /* we may not signal it */
};

struct supervision {
    pid_t self;
    int fd, signal_fd, failure_read_fd, failure_write_fd;
    bool closing;  /* from now on SIGKILL is our own doing */
    bool reviewed; /* the orphans are known, this turn */
    uint32_t started; /* attempts so far */
    uint64_t silence_ms_max; /* of the engine, while an attempt runs; 0: as long as it likes */
    uint64_t silent_at_ms;   /* steady clock: it counts as gone then; 0: never */
    struct child **children;
    uint32_t child_count, child_cap;
    struct orphan *orphans;
    uint32_t orphan_count, orphan_cap;
    struct buf in, out;
    const char *mark; /* in the environment of everything we start */
};

/* The process itself: never returns. All signals must be blocked: none of the handlers it was
 * forked with may run in it. */
_Noreturn void supervise(int fd, int keep_fd, const char *mark);

/* 0 and an attempt in *out, or an errno. */
int child_start(struct supervision *s, const struct spawn *spawn, struct child **out);
void child_free(struct child *child);
void child_end(struct supervision *s, struct child *child, enum ended_by by);
void child_kill(struct supervision *s, struct child *child);
void child_on_reaped(struct supervision *s, struct child *child, int status);
void child_on_time(struct supervision *s, struct child *child, uint64_t now_ms);
/* now and so much; 0 for 0. A limit of for ever does not become one in the past. */
uint64_t child_deadline_ms(uint64_t now_ms, uint64_t span_ms);
uint64_t child_next_ms(const struct child *child); /* UINT64_MAX: nothing to wait for */
void child_check(const struct child *child);

void orphans_review(struct supervision *s); /* finds new ones and whose they are */
void orphans_forget(struct supervision *s, pid_t pid);
/* Orphans without an owner become the child's: all of them, or only those that hid. */
void orphans_take(struct supervision *s, struct child *child, bool all);
void orphans_disown(struct supervision *s, const struct child *child);
bool orphans_left(const struct supervision *s, const struct child *child);
void orphans_signal(struct supervision *s, const struct child *child, int signal);

#endif
