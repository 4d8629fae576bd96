/* SPDX-License-Identifier: Apache-2.0
 *
 * spawn.h - one program started with three descriptors of ours, and its end.
 *
 * For io's own files (helper.c, crew.c, talk.c). Agents are started otherwise: child.c. */
#ifndef HONE_IO_PROCESS_SPAWN_H
#define HONE_IO_PROCESS_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

enum {
    STANDARD_COUNT = 3,   /* standard input, output and error */
    READ_BYTES = 1 << 16, /* at once */
    DRAIN_READS_MAX = 64, /* of what a program left in a pipe: more than one holds */
    LOOK_EVERY_MS = 20,   /* for the end of a program, where no descriptor tells it */
};

struct start {
    const char *const *argv; /* argv[0] is looked up on the PATH; NULL ends */
    const char *const *env;  /* "NAME=value", added to or replacing ours; NULL or ending in NULL */
    const char *cwd;         /* NULL: ours */
    int fds[STANDARD_COUNT]; /* what it gets as 0, 1 and 2: all above 2 (fd_lift) */
    bool own_session;        /* no terminal, and no signal from ours */
};

/* 0 and its id, or an errno value: an exec that fails is known here. The program has the default
 * of every signal and no other descriptor of ours. *pid_fd is readable when it has ended
 * (fd_process); -1 where the system has no such thing. */
int program_start(const struct start *start, pid_t *pid, int *pid_fd);

bool program_ended(pid_t pid);              /* a child of ours, not yet reaped */
int program_wait(pid_t pid, int *status);   /* reaps it; 0 or an errno value */

void fd_close(int *fd); /* where it is open; -1 afterwards */
/* Out of the way of 0, 1 and 2, which a program's are moved onto. False: no descriptor is free. */
bool fd_lift(int *fd);

/* A pipe whose ends are close-on-exec and lifted; ours does not wait. False with errno set, and
 * the caller closes the ends that are open (not -1). */
bool pipe_open(int *ours, int *theirs, bool ours_reads);

/* Reads once what is there: *got bytes. False when there is nothing for now, or never again: then
 * it is closed. */
bool pipe_read(int *fd, char *data, size_t bytes, size_t *got);

#endif
