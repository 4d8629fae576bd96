/* SPDX-License-Identifier: Apache-2.0
 *
 * talk.h - a program that we speak with: its standard input and output are pipes to us, its
 * standard error is ours. For built-in agents that are one side of a protocol. */
#ifndef HONE_IO_PROCESS_TALK_H
#define HONE_IO_PROCESS_TALK_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct talk {
    pid_t pid;      /* 0: none was started, or it is gone */
    int pid_fd;
    int in_fd, out_fd; /* our ends; -1: closed */
    struct buf unsent;
    bool deaf;      /* it reads no more */
};

enum talk_event { TALK_SAID = 1, TALK_SIGNAL = 2, TALK_ENDED = 4, TALK_TIME = 8 };

/* Starts argv in this process's own group: a signal that ends our group ends it; or apart, in a
 * session of its own, where it ends when it reads our end. unsent_bytes_max: what may wait until it
 * reads. From here on SIGPIPE is ignored. */
int talk_start(struct talk *talk, const char *const *argv, bool apart, size_t unsent_bytes_max,
               struct err *err);

/* The same with who has started us: our standard input and output, which do not wait from here
 * on. */
void talk_adopt(struct talk *talk, size_t unsent_bytes_max);

/* Queues bytes, which go out in talk_wait(). ERR_LIMIT: it has not read for too long. */
int talk_send(struct talk *talk, struct str bytes, struct err *err);

/* Sends what is queued, and waits until something happened: bits of enum talk_event. TALK_SAID:
 * bytes were appended to said. TALK_SIGNAL: signal_fd (-1: none) can be read. TALK_ENDED: it says
 * nothing more, and all it said is in said. timeout_ms: -1 for ever. */
uint32_t talk_wait(struct talk *talk, int signal_fd, int64_t timeout_ms, struct buf *said);

/* Closes its input; what is queued goes nowhere. It goes on to be heard. */
void talk_deafen(struct talk *talk);
void talk_kill(const struct talk *talk); /* SIGKILL, to the program alone */

/* Closes its input, waits grace_ms for its end, then SIGTERM, again grace_ms, then SIGKILL. What it
 * says meanwhile is lost. Its exit status, or -1 where a signal ended it or there was none. */
int talk_stop(struct talk *talk, int64_t grace_ms);

#endif
