/* SPDX-License-Identifier: Apache-2.0
 *
 * family.h - processes and those that they started. For io's own files. */
#ifndef HONE_IO_PROCESS_FAMILY_H
#define HONE_IO_PROCESS_FAMILY_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct pids {
    pid_t *items;
    uint32_t count, cap;
};

struct kin {
    pid_t parent, group, session;
};

/* ---- family.c ---- */

void pids_add(struct pids *pids, pid_t pid);
void pids_release(struct pids *pids);
bool environ_has(struct str environment, const char *entry);
/* To a child of ours (unless SIGTERM spares it) and to everything below it. False when it may not
 * be signalled. */
bool family_signal(pid_t child, int signal, bool spared);

/* ---- family_linux.c; another system fills it in its own way ---- */

/* Appends the children of a process; false when the system does not say. A list of our own children
 * is exact: they leave it only when we reap them. */
bool family_children(pid_t parent, struct pids *out);
bool family_children_scan(pid_t parent, struct pids *out); /* by a walk over all processes */
void family_all(struct pids *out); /* appends every process there is but ourselves */
bool family_look(pid_t pid, struct kin *out); /* false when it is gone */
/* The environment a process was started with, NUL behind each entry. Empty when it is dying,
 * dead or not ours to read. */
void family_environ(pid_t pid, struct buf *out);

/* Whether a process whose program's name begins so has a working directory that is wanted; true,
 * too, where the system does not say which processes there are. One whose directory is not ours to
 * see has none. */
bool family_any_in(const char *name, bool (*wanted)(const void *context, const char *folder),
                   const void *context);

/* From now on (or no more) a process below us that loses its parent becomes a child of ours. */
bool family_adopt(bool adopts);
/* We, a child of this one, get that signal when it ends, however it ends. False: it has ended. */
bool family_end_with(pid_t parent, int signal);

#endif
