/* SPDX-License-Identifier: Apache-2.0
 *
 * lock.h - one owner at a time, by the operating system's word.
 *
 * flock(2) on a file: gone with the last process that has it open, however that process died.
 * The supervisor inherits it, so a lock is free only when the agents are gone too. The file
 * says who the owner is, for messages; its text decides nothing. */
#ifndef HONE_IO_FILE_LOCK_H
#define HONE_IO_FILE_LOCK_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct lock {
    int fd; /* -1: not held */
};

struct lock_owner {
    pid_t pid;     /* 0: unknown */
    char note[64]; /* what the owner wrote: its run */
};

/* Waits at most wait_ms for a dying owner. ERR_BUSY: *owner says who has it. */
int lock_open(struct lock *lock, const char *path, const char *note, uint32_t wait_ms,
              struct lock_owner *owner, struct err *err);
void lock_close(struct lock *lock); /* accepts one that is not held */

/* Whether a process holds it now, and which. Takes nothing. */
bool lock_is_held(const char *path, struct lock_owner *owner);

/* Whether the owner that was named is the one at work: it lives, and has the file open. Else it
 * has died, and what still holds the lock ends in a moment; or it cannot be told. */
bool lock_owner_works(const char *path, const struct lock_owner *owner);

/* Sends a signal to the owner, and only to it: ERR_MISSING when no process holds the lock. */
int lock_signal(const char *path, int signal, struct err *err);

#endif
