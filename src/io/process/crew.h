/* SPDX-License-Identifier: Apache-2.0
 *
 * crew.h - many short programs, some at once, each to its end with all it said.
 *
 * For built-in agents that run tools over many files. They are started from a process that a
 * supervisor watches: its limits and its end are theirs, too.
 *
 * One program to its end is either a job of a crew or a helper (helper.h); they promise opposite
 * things, so neither is a case of the other:
 *
 *                      a job of a crew                    a helper
 *   what it is         a tool of the project's            a program that hone cannot do without
 *   how it ends        as its caller is told to: in our   by itself: a session of its own, so that
 *                      session, Ctrl-C ends it with us    Ctrl-C does not leave git half done
 *   too much output    is dropped, the program goes on:   ends it with an error: half a list of
 *                      a report is good so far            files is worse than none
 *   standard error     from its beginning, for people     its last line, for the error
 *   an exit status     is an answer, in the job           other than 0 is our error, in err
 *   output goes to     buffers of its own                 behind what the caller's buffer has
 *   input              none                               any, while it writes
 *
 * A loop for both would ask at each of these steps which one it has. What they do alike is in
 * spawn.h: the start, the pipes, reading them, the end. */
#ifndef HONE_IO_PROCESS_CREW_H
#define HONE_IO_PROCESS_CREW_H

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct crew_job {
    const char *const *argv; /* argv[0] is looked up on the PATH; NULL ends */
    const char *const *env;  /* "NAME=value", added to or replacing ours; NULL or ending in NULL */
    const char *cwd;         /* NULL: ours */
    uint64_t ms_max;         /* it is ended after so long, with all that it started; 0: never */
    size_t out_bytes_max, err_bytes_max; /* what comes beyond is dropped and cut says so */

    struct buf out, err;     /* afterwards: what it said; the caller releases them */
    bool cut;
    bool started;            /* false: error says why */
    int error;               /* errno of the start */
    int status;              /* exit status; -1 when a signal ended it */
    int signal;              /* that signal; 0: none */
    bool late;               /* it was ended by ms_max */
};

/* Runs all of them, at most at_once side by side, in their order; standard input is empty.
 * done, where not NULL, is called as each ends, in the order they end. An error is ours alone
 * (no memory for pipes); what the programs do is in the jobs. */
int crew_run(struct crew_job *jobs, uint32_t count, uint32_t at_once,
             void (*done)(void *context, struct crew_job *job), void *context, struct err *err);
void crew_release(struct crew_job *jobs, uint32_t count); /* their outputs */

#endif
