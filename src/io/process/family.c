/* SPDX-License-Identifier: Apache-2.0
 *
 * family.c - everything below a process, and a signal to all of it.
 *
 * 1. A list is a glance: outside our own children it may be old when it is read. Callers repeat
 *    until nothing is left; what a dying parent leaves becomes a child of the nearest process that
 *    adopts (family_adopt).
 * 2. A walk is bounded (WALK_MAX); the rest is found by the next one.
 * 3. A group is signalled only through an unreaped child of ours that is in it: the kernel cannot
 *    have given its number to another group.
 *
 * Not here: who descends from whom (family_linux.c); whose a process is and when it has to end
 * (orphan.c, child.c). */
#include "io/process/family.h"

#include "base/mem.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { WALK_MAX = 1 << 16 };

void pids_add(struct pids *pids, pid_t pid)
{
    pids->items = mem_grow(pids->items, pids->count, &pids->cap, sizeof *pids->items);
    pids->items[pids->count++] = pid;
}

void pids_release(struct pids *pids)
{
    free(pids->items);
    *pids = (struct pids){ 0 };
}

/* Appends everything below a process, nearest first. */
static void family_below(pid_t top, struct pids *out)
{
    uint32_t next = out->count;

    family_children(top, out);
    for (; next < out->count && out->count < WALK_MAX; next++) {
        family_children(out->items[next], out);
    }
}

bool environ_has(struct str environment, const char *entry)
{
    struct str wanted = str_of(entry);
    struct str piece;

    if (wanted.size == 0) return false;
    while (str_cut(&environment, '\0', &piece)) {
        if (str_eq(piece, wanted)) return true;
    }
    return false;
}

bool family_signal(pid_t child, int signal, bool spared)
{
    struct pids below = { 0 };
    struct kin kin;
    bool allowed = true;

    spared = spared && signal == SIGTERM;
    assert(child > 1);
    family_below(child, &below); /* before the child dies and the rest moves away */
    if (!spared) allowed = kill(child, signal) == 0 || errno != EPERM;
    if (signal == SIGKILL && family_look(child, &kin) && kin.group > 1 &&
        kin.group != getpgrp()) {
        kill(-kin.group, SIGKILL); /* at one stroke: no process can fork away from it */
    }
    for (uint32_t i = 0; i < below.count; i++) {
        kill(below.items[i], signal);
        if (signal == SIGTERM) kill(below.items[i], SIGCONT);
    }
    if (signal == SIGTERM) kill(child, SIGCONT); /* a stopped process would not hear it */
    pids_release(&below);
    return allowed;
}
