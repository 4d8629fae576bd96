/* SPDX-License-Identifier: Apache-2.0 */
#include "io/process/host.h"

#include "io/process/family.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

const char *host_name(char out[HOST_NAME_BYTES])
{
    if (gethostname(out, HOST_NAME_BYTES) != 0) out[0] = '\0';
    out[HOST_NAME_BYTES - 1] = '\0';
    return out;
}

const char *host_home(void)
{
    const char *home = getenv("HOME");
    struct stat st;

    if (!home || home[0] != '/') return NULL;
    return stat(home, &st) == 0 && S_ISDIR(st.st_mode) ? home : NULL;
}

const char *const *host_environment(void)
{
    return (const char *const *)environ;
}

long host_parent(void)
{
    return getppid();
}

bool host_is_ancestor(long pid)
{
    enum { GENERATIONS_MAX = 64 };
    struct kin kin = { .parent = getppid() };

    for (int i = 0; i < GENERATIONS_MAX && kin.parent > 1; i++) {
        if (kin.parent == pid) return true;
        if (!family_look(kin.parent, &kin)) return false;
    }
    return false;
}

const char *host_stamp(char out[HOST_STAMP_BYTES])
{
    time_t now = time(NULL);
    struct tm local;

    if (!localtime_r(&now, &local) || strftime(out, HOST_STAMP_BYTES, "%Y%m%d-%H%M", &local) == 0) {
        out[0] = '\0';
    }
    return out;
}

const char *host_time(uint64_t ms, char out[HOST_TIME_BYTES])
{
    time_t now = time(NULL), then = (time_t)(ms / 1000);
    struct tm today, local;
    bool same;

    out[0] = '\0';
    if (!localtime_r(&now, &today) || !localtime_r(&then, &local)) return out;
    same = today.tm_year == local.tm_year && today.tm_yday == local.tm_yday;
    if (strftime(out, HOST_TIME_BYTES, same ? "%H:%M" : "%b %e %H:%M", &local) == 0) out[0] = '\0';
    return out;
}
