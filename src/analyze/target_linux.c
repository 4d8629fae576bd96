/* SPDX-License-Identifier: Apache-2.0
 *
 * target_linux.c - /usr/local/include, /usr/include and the machine's own part of it, as Debian has
 * it: /usr/include/x86_64-linux-gnu. */
#include "analyze/target.h"

#include "io/file/peek.h"

#include <string.h>

const char *const target_macros[] = { "-D__linux__=1", "-D__unix__=1", NULL };

const char *const *target_folders(struct arena *arena)
{
    const char *const *names = folder_names("/usr/include", "", arena);
    uint32_t count = 0;
    const char **out;

    while (names[count]) count++;
    out = arena_alloc(arena, (count + 3) * sizeof *out);
    count = 0;
    out[count++] = "/usr/local/include";
    for (; *names; names++) {
        if (!strstr(*names, "-linux-")) continue;
        out[count++] = arena_printf(arena, "/usr/include/%s", *names);
    }
    out[count++] = "/usr/include";
    out[count] = NULL;
    return out;
}
