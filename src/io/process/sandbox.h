/* SPDX-License-Identifier: Apache-2.0
 *
 * sandbox.h - the cage that a program runs in: a view of the machine in which some folders, or all
 * but some, cannot be written; processes, devices and shared memory of its own; a network or none.
 *
 * By a program of the system, where it is installed and works; asked once per process by running
 * it, which can be begun early and go on beside other things. Not every machine gives the whole
 * cage: sandbox_lacks says what is missing. sandbox_linux.c; another system fills it in its own
 * way. */
#ifndef HONE_IO_PROCESS_SANDBOX_H
#define HONE_IO_PROCESS_SANDBOX_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* Begins to find out; the answer is asked for later. Not needed, only quicker. */
void sandbox_ask(void);

/* Looks for its program; not needed, but before the first agent begins (program.h). */
void sandbox_settle(void);

/* NULL when it works here; else why not, in words. */
const char *sandbox_problem(void);

/* Where it works: what this machine's cage lacks, in words; NULL when it is whole. A whole cage has
 * users and processes of its own: nothing in it outlives the process that started it, sees or
 * signals a process outside, or reaches the machine's files through one. */
const char *sandbox_lacks(void);

/* The program that makes it, as people call it; and the command that installs it, NULL where it is
 * installed. */
extern const char sandbox_name[];
const char *sandbox_install(void);

/* Where programs of this system keep what they need for a moment; NULL ends. */
extern const char *const sandbox_temporary[];
/* Where programs of this system listen that act for the user on request; NULL ends. */
extern const char *const sandbox_session[];

/* What a rule makes of a path. */
enum sandbox_how {
    SANDBOX_READ,  /* it cannot be written */
    SANDBOX_WRITE, /* it can, as far as the user may */
    SANDBOX_EMPTY, /* an empty folder stands in its place; what is written there is gone later */
    SANDBOX_HIDE,  /* the same for a folder; for a file or a socket, a file with nothing in it */
    SANDBOX_HOW_COUNT
};

struct sandbox_rule {
    const char *path; /* absolute, no links */
    enum sandbox_how how;
    uint32_t order;
};

/* A view of the machine. Of all rules for a file the one with the longest path counts, and of two
 * with the same path the later one. {0} is the machine as it is. */
struct sandbox {
    struct sandbox_rule *rules;
    uint32_t count, cap;
    bool read_only;  /* nothing can be written but what rules say, and its own devices */
    bool no_network; /* only a loopback of its own */
};

/* Adds a rule; links in the path are followed. False, and no rule: nothing is there. The rule lives
 * in arena. */
bool sandbox_rule(struct sandbox *sandbox, const char *path, enum sandbox_how how,
                  struct arena *arena);

/* The closed cage, for the code of a project that no user agreed to run: nothing can be written but
 * temporary folders of its own, and there is no home, no session and no network. Of what is hidden
 * it sees the folder `readable`, which it can read. False: that is not there. */
bool sandbox_close(struct sandbox *sandbox, const char *readable, struct arena *arena);

/* argv with the sandbox in front. Where a path of a rule is gone by then, it does not start. */
const char *const *sandbox_command(const struct sandbox *sandbox, const char *const *argv,
                                   struct arena *arena);

/* Whether argv is a sandbox with processes of its own. Its first process only waits for the others:
 * a signal that is to be heard goes to those, and its own end is the end of all. */
bool sandbox_waits(const char *const *argv);

/* Whether the last words of a sandbox that failed say that argv[0] could not be started in it. */
bool sandbox_lacks_program(const char *last_words);

#endif
