/* SPDX-License-Identifier: Apache-2.0
 *
 * descriptor.h - descriptors that each system makes in a way of its own: pipes and sockets that no
 * program inherits, signals and processes as something to poll.
 *
 * All are closed in the programs that we start. Unless it says otherwise, a function gives back a
 * descriptor or 0, or -1 with errno. descriptor_linux.c; another system fills it in its own way. */
#ifndef HONE_IO_FILE_DESCRIPTOR_H
#define HONE_IO_FILE_DESCRIPTOR_H

#include "base/str.h"

#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

/* ---- pipes and sockets ---- */

int fd_pipe(int ends[2], bool waits); /* waits: reading and writing do, on both ends */
int fd_stream_pair(int ends[2]);      /* two ends of a stream in both directions */
int fd_listener(void);                /* a TCP socket, not bound yet, that does not wait */
int fd_accept(int listener);          /* the next connection, which does not wait either */

/* How many bytes the other side took. One that is gone is EPIPE, never a signal. Without `waits` a
 * full stream is EAGAIN. */
ssize_t fd_send(int fd, struct str bytes, bool waits);

/* ---- what is open ---- */

/* The same file opened once more: flags that are set there do not touch the one that we have. */
int fd_reopen(int fd, int flags);

void fd_close_between(unsigned from, unsigned to); /* both too; none where from > to */

/* A program that is started by these gets no descriptor of ours from this one on: 0 or an errno
 * value. For posix_spawn(3); flags are those of its attributes. */
int fd_close_in_program(posix_spawn_file_actions_t *actions, int *flags, int from);

/* The path of a regular file that we have open, as long as it still leads there; false: it has
 * none, or the system does not tell. */
bool fd_path(int fd, char *out, size_t bytes);

/* Whether a process has this file open. False where the system does not tell. */
bool fd_is_open_in(pid_t pid, const struct stat *file);

/* ---- signals ---- */

/* Readable while one of these signals, which we block, waits for us. */
int fd_signals(const sigset_t *signals);
int fd_signals_next(int fd); /* takes one: its number; 0 where none waits */

/* ---- processes ---- */

/* Readable when the process has ended, and never another process of its number: ESRCH where there
 * is none. */
int fd_process(pid_t pid);
int fd_process_signal(int fd, pid_t pid, int signal); /* ESRCH: it has ended */

#endif
