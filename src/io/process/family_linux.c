/* SPDX-License-Identifier: Apache-2.0
 *
 * family_linux.c - who descends from whom, and what a process shows of itself, out of /proc.
 *
 * The kernel keeps a list of children per thread (/proc/PID/task/TID/children), which costs what
 * the family is large, not what the machine is. Where the kernel was built without it, the
 * parent in every /proc/PID/stat says the same, slowly.
 *
 * Processes that lose their parent go to the nearest one above that is a subreaper. */
#include "io/process/family.h"

#include "base/byte.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { CHUNK_BYTES = 4096, ENVIRON_BYTES_MAX = 4 << 20 };

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

void family_all(struct pids *out)
{
    const struct dirent *entry;
    DIR *folder = opendir("/proc");

    while (folder && (entry = readdir(folder)) != NULL) {
        pid_t pid = pid_of(entry->d_name);

        if (pid > 1 && pid != getpid()) pids_add(out, pid);
    }
    if (folder) closedir(folder);
}

bool family_children_scan(pid_t parent, struct pids *out)
{
    struct pids all = { 0 };
    struct kin kin;

    family_all(&all);
    for (uint32_t i = 0; i < all.count; i++) {
        if (family_look(all.items[i], &kin) && kin.parent == parent) pids_add(out, all.items[i]);
    }
    pids_release(&all);
    return access("/proc/self", F_OK) == 0;
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

/* ---- all there are ---- */

static bool is_named(const char *pid, const char *name)
{
    enum { NAME_BYTES = 32 }; /* the kernel keeps 15 */
    char path[NAME_BYTES + NAME_MAX], own[NAME_BYTES] = "";
    ssize_t got = -1;
    int fd;

    snprintf(path, sizeof path, "/proc/%s/comm", pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) got = read(fd, own, sizeof own - 1);
    if (fd >= 0) close(fd);
    return got > 0 && strncmp(own, name, strlen(name)) == 0;
}

bool family_any_in(const char *name, bool (*wanted)(const void *context, const char *folder),
                   const void *context)
{
    DIR *dir = opendir("/proc");
    struct dirent *item;
    bool found = false;

    if (!dir) return true;
    while (!found && (item = readdir(dir))) {
        char path[32 + NAME_MAX], folder[PATH_MAX];
        ssize_t bytes;

        if (!byte_is_digit(item->d_name[0]) || !is_named(item->d_name, name)) continue;
        snprintf(path, sizeof path, "/proc/%s/cwd", item->d_name);
        bytes = readlink(path, folder, sizeof folder - 1);
        if (bytes <= 0) continue; /* over, or not ours to see */
        folder[bytes] = '\0';
        found = wanted(context, folder);
    }
    closedir(dir);
    return found;
}

/* ---- parents ---- */

bool family_adopt(bool adopts)
{
    return prctl(PR_SET_CHILD_SUBREAPER, adopts) == 0;
}

bool family_end_with(pid_t parent, int signal)
{
    prctl(PR_SET_PDEATHSIG, signal);
    return getppid() == parent; /* else it had ended before it was asked to tell */
}
