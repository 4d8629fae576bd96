/* SPDX-License-Identifier: Apache-2.0
 *
 * self_linux.c - what Linux says of this very process: its program and its C library, its
 * processors, its privileges, its name. For program.h, host.h and signals.h. */
#include "base/str.h"
#include "io/process/host.h"
#include "io/process/program.h"
#include "io/process/signals.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

const char *program_self(void)
{
    static const char gone[] = " (deleted)";
    static char self[PATH_MAX];
    ssize_t bytes;

    if (self[0]) return self;
    bytes = readlink("/proc/self/exe", self, sizeof self - 1);
    if (bytes <= 0) return "hone";
    self[bytes] = '\0';
    /* Installed anew while it runs: the new one has the old one's place. */
    if (!program_exists(self) && str_ends(str_of(self), str_of(gone))) {
        self[(size_t)bytes - strlen(gone)] = '\0';
    }
    return self;
}

#ifdef __GLIBC__
const char *program_libc(void)
{
    static char text[64];

    snprintf(text, sizeof text, "glibc %s", gnu_get_libc_version());
    return text;
}
#else
const char *program_libc(void)
{
    return "musl"; /* which has no way to tell its version */
}
#endif

uint32_t processor_count(void)
{
    cpu_set_t set;
    long online;

    if (sched_getaffinity(0, sizeof set, &set) == 0) return (uint32_t)CPU_COUNT(&set);
    online = sysconf(_SC_NPROCESSORS_ONLN); /* more of them than the set has room for */
    return online > 0 ? (uint32_t)online : 1;
}

bool host_is_confined(void)
{
    return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
}

void process_name(const char *name)
{
    prctl(PR_SET_NAME, name);
}
