/* SPDX-License-Identifier: Apache-2.0
 *
 * guard.h - what an attempt may touch, and whether it kept to that.
 *
 * Room: what an attempt may touch: its sandbox, protected places, refs and index, the credentials
 * it is given, and what a sandbox kept it from. It knows a run and one attempt of it; it starts
 * nothing, and what follows from a breach is not decided here. */
#ifndef HONE_GUARD_GUARD_H
#define HONE_GUARD_GUARD_H

#include "agent/agent.h"
#include "io/git/refs.h"
#include "run/run.h"

/* What is remembered from one attempt to the next. Empty is a valid value. */
struct guard_memory {
    struct refs refs; /* of the checkout, before its newest writer; empty: not known */
    struct str codex; /* the user's settings of Codex, once they were read */
};

/* An attempt that is guarded. Texts for its agent live in the run's arena. */
struct guarded {
    struct run *run;
    const struct action *action;
    const char *dir;   /* its folder */
    bool command;      /* hone plays the role by a command of the project's own */
    bool others_write; /* another agent writes in the checkout at this moment */
    struct guard_memory *memory;
    void (*warn)(void *context, const char *format, ...) /* tells the user */
        __attribute__((format(printf, 2, 3)));
    void *context;
    struct err *err;
};

/* An agent that hone runs as a process and whose role writes, or is confined and has no sandbox. */
bool is_guarded(const struct run *run, const struct action *action);

/* argv in the sandbox of its role, where there is one. */
const char *const *guard_wrap(const struct guarded *guarded, const struct attempt *about,
                              const char *const *argv, struct arena *arena);
/* argv in the sandbox of a command that readies a work tree before an attempt: it may write what a
 * fixer may, also before a reviewer. */
const char *const *guard_ready(const struct guarded *guarded, const char *const *argv,
                               struct arena *arena);
/* Of an attempt that hone itself makes (a commit, a merge): leaves in its folder, as "cage", the
 * words that go before every git which runs hooks, filters or merge drivers (own.h). They run
 * in the cage of the agents that wrote, with the branch as far as a commit moves it. */
int guard_own(const struct guarded *guarded, struct arena *arena);
/* The environment of an attempt; names of credentials that it does not get are left in its
 * folder. */
int guard_env(const struct guarded *guarded, const struct attempt *about, struct arena *arena,
              const char *const **out);

/* Before an agent that writes is started: what may not be changed is remembered. */
int guard_begin(const struct guarded *guarded);
/* When it has ended: what it changed there all the same is put back. *problem: what to tell it, and
 * its answer does not count; NULL: nothing was changed. */
int guard_end(const struct guarded *guarded, const char **problem);

/* What to tell an agent that did so on another machine, which has put it back; what is where. */
const char *guard_elsewhere(const char *what, struct arena *arena);

/* Of an attempt that failed, where a sandbox made it fail: what it could not do there and which
 * right is missing, behind the agent's name. "": no sandbox had a part in it. said: what its stream
 * says; network: its service was not reached. */
const char *cage_words(const struct guarded *guarded, struct str said, bool network);
/* Of an error of hone's own, where a sandbox around it is the cause: which, and the way out; or
 * NULL. */
const char *cage_of_hone(const struct err *err);

#endif
