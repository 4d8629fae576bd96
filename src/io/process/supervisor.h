/* SPDX-License-Identifier: Apache-2.0
 *
 * supervisor.h - the processes of a run: started, limited, and ended. None outlives the run.
 *
 * One small process per run, the supervisor, stands between the engine and its agents. It is forked
 * before the engine has grown, adopts every process that its agents leave behind, and applies their
 * limits. When the engine is gone, killed or not, it ends them all. Agents read their prompt from a
 * file and write to files: no pipe can fill, and no byte passes through us.
 *
 * An attempt that ended by itself leaves its status in a file before the engine is told, so that
 * an engine that died at that moment finds it on resume.
 *
 * Room: processes: started, supervised, limited, caged, and ended with all they started. */
#ifndef HONE_IO_PROCESS_SUPERVISOR_H
#define HONE_IO_PROCESS_SUPERVISOR_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Whether this process was started by an attempt, of any run: by what it inherits and cannot take
 * off. False proves nothing. */
bool brand_is_worn(void);

enum { MARK_BYTES = 48 };

struct supervisor {
    pid_t pid;
    char mark[MARK_BYTES]; /* "NAME=word" in the environment of every agent; tells no pid */
    int fd;          /* poll it for reading; -1: not started */
    struct buf in;   /* bytes of the next notice */
    uint32_t live;   /* attempts started and not yet reported as ended */
};

struct spawn {
    uint64_t id;             /* the caller's; comes back in the notice */
    const char *const *argv; /* argv[0] is looked up on the PATH; NULL ends */
    const char *const *env;  /* "NAME=value", added to or replacing the engine's; "NAME" alone takes
                                it out; NULL ends */
    const char *cwd;
    const char *in, *out, *err; /* files; in is opened for reading, the others are made anew */
    const char *status;      /* where the status is left */
    const char *tag;         /* "NAME=value" out of env that only this attempt's processes have */
    uint64_t time_ms_max, idle_ms_max; /* 0: none. Idle: neither file grew */
    uint64_t output_bytes_max;         /* of both files together; 0: none */
    uint32_t grace_ms;                 /* between TERM and KILL */
};

enum ended_by { ENDED_EXIT, ENDED_SIGNAL, ENDED_TIME, ENDED_IDLE, ENDED_OUTPUT, ENDED_STOP,
                ENDED_START, ENDED_SILENT, ENDED_FIRST, ENDED_BY_COUNT };

struct notice {
    uint64_t id;
    enum ended_by by;
    int value;          /* exit status, signal, or errno of ENDED_START */
    uint64_t ended_ms;  /* wall clock */
};

/* What the supervisor does when the engine is gone, however it went; before it ends what runs. To
 * be said before it is started; NULL: nothing. */
void supervisor_last_act(void (*act)(void));

/* keep_fd, where not -1, stays open in the supervisor until it has ended everything: the lock. */
int supervisor_start(struct supervisor *supervisor, int keep_fd, struct err *err);

int supervisor_spawn(struct supervisor *supervisor, const struct spawn *spawn, struct err *err);
/* TERM to everything the attempt started, KILL after its grace (at once with now). Its notice
 * follows. An unknown id is ignored: it may just have ended. */
int supervisor_stop(struct supervisor *supervisor, uint64_t id, bool now, struct err *err);

/* The same for a limit that the caller keeps: TERM, then KILL, and the notice says by what. */
int supervisor_limit(struct supervisor *supervisor, uint64_t id, enum ended_by by,
                     struct err *err);

/* The engine lives. While an attempt runs, this is said again within silence_ms; else the engine
 * counts as gone, as one does that was killed. So an engine that is stopped (SIGSTOP) or hangs
 * loses its agents. Where this is never said, it may be silent for ever. */
int supervisor_live(struct supervisor *supervisor, uint64_t silence_ms, struct err *err);

/* 1 and *out when a notice is there, 0 when none is yet, -1 when the supervisor is gone. */
int supervisor_next(struct supervisor *supervisor, struct notice *out);

/* Ends, at once, every process that a killed run left and that has the mark of its supervisor in
 * the environment it was started with. True: there was one. */
bool supervisor_sweep(const char *mark);

/* Ends what still runs, at once, and waits for the supervisor. Accepts one not started. */
void supervisor_close(struct supervisor *supervisor);

/* The word that the status file has for it; NULL: such an end is in none. */
const char *ended_word(enum ended_by by);

/* What an earlier engine's supervisor left: ERR_MISSING when the attempt never ended by itself. */
int notice_read(const char *status_path, struct notice *out, struct err *err);

#endif
