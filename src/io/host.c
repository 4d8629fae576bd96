/* SPDX-License-Identifier: Apache-2.0 */
#include "io/host.h"

#include <stdlib.h>
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

    return home && home[0] == '/' ? home : NULL;
}

const char *const *host_environment(void)
{
    return (const char *const *)environ;
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
