/* SPDX-License-Identifier: Apache-2.0
 *
 * watcher.h - a descriptor that can be read when something in one of some folders has changed.
 *
 * It says that a file was made, written or taken away, and in which folder: never what is in it
 * now. A change may come before another process can see what it led to, and many may be told as
 * one: what must not be missed is looked at now and then all the same.
 *
 * watcher_linux.c; on a system that has nothing of the kind it is never open, and who waits looks
 * often instead. */
#ifndef HONE_IO_FILE_WATCHER_H
#define HONE_IO_FILE_WATCHER_H

#include "base/str.h"

#include <stdbool.h>

enum { WATCH_NAME_BYTES = 256 };

struct watcher {
    int fd; /* to wait for; -1: not open. No program that is started has it */
};

/* Where the system says no, it is not open. */
void watcher_open(struct watcher *watcher);
void watcher_close(struct watcher *watcher);

/* Its number, the same for the same folder; -1: there is no such folder, or it is one too many. */
int watcher_add(struct watcher *watcher, const char *folder);
void watcher_remove(struct watcher *watcher, int number); /* accepts -1 */

struct watch_change {
    int number;                  /* of the folder; -1: changes were lost, anything may be new */
    bool gone;                   /* the folder is not there any more, nor is its number */
    char name[WATCH_NAME_BYTES]; /* of the file in it; "" for the folder itself */
};

/* The changes that wait; false where there is none. Never waits. */
bool watcher_take(struct watcher *watcher,
                  void (*visit)(void *context, const struct watch_change *change), void *context);

#endif
