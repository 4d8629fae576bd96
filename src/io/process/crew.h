/* SPDX-License-Identifier: Apache-2.0
 *
 * crew.h - many short programs, some at once, each to its end with all it said.
 *
 * For built-in agents that run tools over many files. They are started from a process that a
 * supervisor watches: its limits and its end are theirs, too.
 *
 * A helper (helper.h) is another thing: one program of ours that must finish. It has input, a
 * session of its own that no Ctrl-C reaches, stops at a bound instead of dropping, and can be left
 * to work beside us. Both stand on spawn.h, which has what they share: the start, the pipes, the
 * end. */
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
    size_t out_bytes_max, err_bytes_max; /* what comes beyond is dropped and cut says so */

    struct buf out, err;     /* afterwards: what it said; the caller releases them */
    bool cut;
    bool started;            /* false: error says why */
    int error;               /* errno of the start */
    int status;              /* exit status; -1 when a signal ended it */
    int signal;              /* that signal; 0: none */
};

/* Runs all of them, at most at_once side by side, in their order; standard input is empty.
 * done, where not NULL, is called as each ends, in the order they end. An error is ours alone
 * (no memory for pipes); what the programs do is in the jobs. */
int crew_run(struct crew_job *jobs, uint32_t count, uint32_t at_once,
             void (*done)(void *context, struct crew_job *job), void *context, struct err *err);
void crew_release(struct crew_job *jobs, uint32_t count); /* their outputs */

#endif
