/* SPDX-License-Identifier: Apache-2.0
 *
 * clock_preload.c - a wall clock that is set while programs run. Loaded with LD_PRELOAD: the file
 * that CLOCK_SET names holds how many seconds it is ahead (or, below 0, behind). */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long ahead(void)
{
    const char *path = getenv("CLOCK_SET");
    FILE *file = path ? fopen(path, "r") : NULL;
    char text[32] = "";

    if (!file) return 0;
    if (!fgets(text, sizeof text, file)) text[0] = '\0';
    fclose(file);
    return strtol(text, NULL, 10);
}

int clock_gettime(clockid_t id, struct timespec *now)
{
    static int (*next)(clockid_t id, struct timespec *now);
    int rc;

    if (!next) *(void **)&next = dlsym(RTLD_NEXT, "clock_gettime");
    rc = next(id, now);
    if (rc == 0 && id == CLOCK_REALTIME) now->tv_sec += ahead();
    return rc;
}
