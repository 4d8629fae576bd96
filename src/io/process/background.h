/* SPDX-License-Identifier: Apache-2.0
 *
 * background.h - a program that outlives us: started, listened to for a moment, and left.
 *
 * It has a session of its own: no terminal, and no signal that is meant for us. Once it is left,
 * what it says goes nowhere, and that is no error to it. */
#ifndef HONE_IO_PROCESS_BACKGROUND_H
#define HONE_IO_PROCESS_BACKGROUND_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <sys/types.h>

enum { BACKGROUND_BYTES_MAX = 64 * 1024 }; /* of what is kept of each output, unless said */

/* Empty is a valid value. */
struct background {
    pid_t pid; /* 0: none */
    int out_fd, err_fd;
    struct buf out, err; /* what it has said; more than the bound is dropped */
};

struct background_program {
    const char *const *argv; /* argv[0] is looked up on the PATH; NULL ends */
    const char *const *env;  /* "NAME=value", added to or replacing ours; NULL, or NULL ends */
    const char *cwd;         /* NULL: ours */
    size_t out_bytes_max;    /* of what is kept of its standard output; 0: as above */
    struct str input;        /* what it finds at its standard input; it has no name on the disk */
};

/* ERR_MISSING: there is no such program. */
int background_start(struct background *background, const struct background_program *program,
                     struct err *err);

/* Takes what it has said by now; never waits. True once it has ended: *status is its exit status,
 * or 128 and the signal's number. */
bool background_look(struct background *background, int *status);

/* Asks it to end (SIGTERM). */
void background_stop(const struct background *background);

/* It goes on without us; empty afterwards. Accepts one that is empty or has ended. */
void background_leave(struct background *background);

#endif
