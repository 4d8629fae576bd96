/* SPDX-License-Identifier: Apache-2.0
 *
 * family_linux.c - who descends from whom, out of /proc; and a signal to all of them.
 *
 * The kernel keeps a list of children per thread (/proc/PID/task/TID/children), which costs what
 * the family is large, not what the machine is. Where the kernel was built without it, the
 * parent in every /proc/PID/stat says the same, slowly.
 *
 * 1. A list is a glance: outside our own children it may be old when it is read. Callers repeat
 *    until nothing is left; what a dying parent leaves becomes a child of the nearest reaper.
 * 2. A walk is bounded (WALK_MAX); the rest is found by the next one.
 * 3. A group is signalled only through an unreaped child of ours that is in it: the kernel cannot
 *    have given its number to another group.
 *
 * Not here: whose a process is and when it has to end (orphan.c, child.c). */
#include "base/byte.h"
#include "base/mem.h"
#include "io/process/supervise.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WALK_MAX = 1 << 16, CHUNK_BYTES = 4096, ENVIRON_BYTES_MAX = 4 << 20 };

static void pids_add(struct pids *pids, pid_t pid)
{
    pids->items = mem_grow(pids->items, pids->count, &pids->cap, sizeof *pids->items);
    pids->items[pids->count++] = pid;
}

void pids_release(struct pids *pids)
{
    free(pids->items);
    *pids = (struct pids){ 0 };
}

static ssize_t read_some(int fd, char *data, size_t bytes)
{
    ssize_t got;

    do {
        got = read(fd, data, bytes);
    } while (got < 0 && errno == EINTR);
    return got;
}

/* The number a name in /proc is; 0 when it is none. */
static pid_t pid_of(const char *name)
{
    uint64_t number;

    return str_number(str_of(name), &number) && number <= INT32_MAX ? (pid_t)number : 0;
}

static bool read_children(const char *path, struct pids *out)
{
    char chunk[CHUNK_BYTES];
    int64_t number = 0;
    ssize_t got;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0) return false;
    while ((got = read_some(fd, chunk, sizeof chunk)) > 0) {
        for (ssize_t i = 0; i < got; i++) {
            if (byte_is_digit(chunk[i]) && number < INT32_MAX / 10) {
                number = number * 10 + (chunk[i] - '0');
            } else if (number != 0) {
                pids_add(out, (pid_t)number);
                number = 0;
            }
        }
    }
    if (number != 0) pids_add(out, (pid_t)number);
    close(fd);
    return got == 0;
}

/* Whether this kernel keeps the lists at all: we have one ourselves then. */
static bool has_lists(void)
{
    return access("/proc/thread-self/children", R_OK) == 0;
}

bool family_children(pid_t parent, struct pids *out)
{
    char path[64];
    bool listed = false;
    const struct dirent *entry;
    DIR *folder;

    if (parent == getpid()) { /* of one thread: no need to look for others */
        uint32_t count = out->count;

        if (read_children("/proc/thread-self/children", out)) return true;
        out->count = count;
    }
    snprintf(path, sizeof path, "/proc/%ld/task", (long)parent);
    folder = opendir(path);
    while (folder && (entry = readdir(folder)) != NULL) {
        pid_t thread = pid_of(entry->d_name);

        if (thread == 0) continue;
        snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)parent, (long)thread);
        if (read_children(path, out)) listed = true;
    }
    if (folder) closedir(folder);
    if (listed) return true;
    if (!has_lists()) return family_children_scan(parent, out);
    return kill(parent, 0) != 0 && errno == ESRCH; /* gone, and so has no children */
}

bool family_children_scan(pid_t parent, struct pids *out)
{
    const struct dirent *entry;
    DIR *folder = opendir("/proc");

    if (!folder) return false;
    while ((entry = readdir(folder)) != NULL) {
        pid_t pid = pid_of(entry->d_name);
        struct kin kin;

        if (pid != 0 && family_look(pid, &kin) && kin.parent == parent) pids_add(out, pid);
    }
    closedir(folder);
    return true;
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

/* The next number in a line of blank-separated ones. */
static pid_t cut_number(const char **text)
{
    char *end;
    long number = strtol(*text, &end, 10);

    if (end == *text || number < 0 || number > INT32_MAX) return -1;
    *text = end;
    return (pid_t)number;
}

bool family_look(pid_t pid, struct kin *out)
{
    char path[64];
    char text[512];
    const char *behind;
    ssize_t got;
    int fd;

    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    got = read_some(fd, text, sizeof text - 1);
    close(fd);
    if (got <= 0) return false;
    text[got] = '\0';
    behind = strrchr(text, ')'); /* the name before it may hold anything, this sign too */
    if (!behind || strlen(behind) < 4) return false;
    behind += 3; /* ") S" */
    out->parent = cut_number(&behind);
    out->group = cut_number(&behind);
    out->session = cut_number(&behind);
    return out->parent >= 0 && out->group >= 0 && out->session >= 0;
}

void family_environ(pid_t pid, struct buf *out)
{
    char path[64];
    ssize_t got = 1;
    int fd;

    buf_init(out, ENVIRON_BYTES_MAX);
    snprintf(path, sizeof path, "/proc/%ld/environ", (long)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    while (got > 0 && buf_reserve(out, CHUNK_BYTES) == 0) {
        got = read_some(fd, out->data + out->size, CHUNK_BYTES);
        if (got > 0) out->size += (size_t)got;
    }
    close(fd);
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

bool family_signal(pid_t child, int signal)
{
    struct pids below = { 0 };
    struct kin kin;
    bool allowed;

    assert(child > 1);
    family_below(child, &below); /* before the child dies and the rest moves away */
    allowed = kill(child, signal) == 0 || errno != EPERM;
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
