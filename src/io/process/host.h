/* SPDX-License-Identifier: Apache-2.0
 *
 * host.h - the machine and the user that hone runs on and for: name, home folder, environment. (The
 * hosts that hone runs inside of, Claude Code and Codex, are elsewhere: format/hook.h.) */
#ifndef HONE_IO_PROCESS_HOST_H
#define HONE_IO_PROCESS_HOST_H

#include <stdint.h>

#include <stdbool.h>

enum { HOST_NAME_BYTES = 256 };

/* Its name; empty where it has none. Returns out. */
const char *host_name(char out[HOST_NAME_BYTES]);

/* The user's home folder; NULL where HOME does not name one that is there: Debian's services have
 * /nonexistent, and no such folder is there. */
const char *host_home(void);

/* Our own environment, "NAME=value" each; NULL ends. */
const char *const *host_environment(void);

/* The process that started us; and whether one is among those that started it, and so on. */
long host_parent(void);
bool host_is_ancestor(long pid);

/* Whether we and all that we start can gain no privileges, as in most sandboxes. */
bool host_is_confined(void);

/* The local time of now as YYYYMMDD-HHMM, for names of folders. Returns out. */
enum { HOST_STAMP_BYTES = 32 };
const char *host_stamp(char out[HOST_STAMP_BYTES]);

/* A time by the clock on the wall: 14:30, or Nov 17 14:30 where that is not today. Returns out. */
enum { HOST_TIME_BYTES = 32 };
const char *host_time(uint64_t ms, char out[HOST_TIME_BYTES]);

#endif
