/* SPDX-License-Identifier: Apache-2.0
 *
 * signals.h - SIGINT, SIGTERM and SIGHUP as something to read, and one wait for all descriptors.
 *
 * The engine waits for three things: its supervisor, a signal, and the next moment it set itself.
 * poll(2) is enough of an event loop for that. */
#ifndef HONE_IO_PROCESS_SIGNALS_H
#define HONE_IO_PROCESS_SIGNALS_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct signals {
    int fd;       /* readable when a signal came; -1: not open */
    int write_fd; /* the handler's end */
};

/* One per process. Children get the default handlers back when they execute a program. */
int signals_open(struct signals *signals, struct err *err);
void signals_close(struct signals *signals); /* default handlers again; accepts one not open */

/* Whether one came that was not taken yet; false where they are not open. */
bool signals_waiting(void);

/* How many signals came since the last call. */
uint32_t signals_take(struct signals *signals);

/* Waits until one of two descriptors can be read or timeout_ms passed (-1: for ever). -1 for a
 * descriptor means none. And of several, some of which may be waited for until they can be written;
 * at most AWAITED_MAX. */
enum { AWAITED_MAX = 128 };
struct awaited {
    int fd; /* -1: none */
    bool to_write;
};
void wait_readable(int a, int b, int64_t timeout_ms);
void wait_for_any(const struct awaited *items, uint32_t count, int64_t timeout_ms);

/* A defect of ours (an abort, a bad address) ends the process with this code, and with the text on
 * standard error, instead of a signal: for those who take any other end for consent. May be called
 * again. The text must live on. */
void crash_becomes(int code, const char *text);

/* This process, as others see it. */
long process_id(void);
void process_name(const char *name); /* of at most 15 bytes: what lists of processes show */
bool process_exists(long pid); /* of any user */

#endif
