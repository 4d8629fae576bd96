/* SPDX-License-Identifier: Apache-2.0
 *
 * notify.h - what settings say of the user and not of a run: how a person is told of runs, and how
 * many agents may be started in an hour.
 *
 * These are read by every process that works on a run, and are not kept with it: they are about the
 * person who is there now. */
#ifndef HONE_SETTINGS_NOTIFY_H
#define HONE_SETTINGS_NOTIFY_H

#include "base/arena.h"
#include "base/err.h"

enum notify_when { NOTIFY_ENDED = 1, NOTIFY_WAITING = 2, NOTIFY_FAILED = 4, NOTIFY_ALL = 7 };

/* Everything lives in the arena of the reader. */
struct notify {
    uint32_t when;              /* bits of enum notify_when */
    const char *const *command; /* NULL ends; NULL: none */
    bool desktop;
    const char *webhook;        /* NULL: none, as below */
    const char *secret_file;    /* absolute */
    const char *secret_env;
    uint32_t calls_per_hour;    /* 0: no ceiling */
    const char *refused; /* what the repository's file says and the user has not agreed to: it does
                            not count. NULL: nothing */
};

/* start: a folder inside the workspace. A repository's file that is wrong says nothing; ERR_USAGE:
 * one of the user's is. */
int notify_read(const char *start, struct arena *arena, struct notify *out, struct err *err);

#endif
