/* SPDX-License-Identifier: Apache-2.0
 *
 * vector.c - arguments and environment as exec wants them.
 *
 * The exec family takes pointers it could write through and never does; copying the pointers
 * keeps our own interfaces const without a cast that hides more than it says. */
#include "base/mem.h"
#include "io/process/supervise.h"

#include <string.h>
#include <unistd.h>

static size_t vector_count(const char *const *items)
{
    size_t count = 0;

    while (items && items[count]) count++;
    return count;
}

static char *unconst(const char *text)
{
    char *same;

    memcpy(&same, &text, sizeof same);
    return same;
}

char **vector_copy(const char *const *items)
{
    size_t count = vector_count(items);
    char **copy = mem_alloc((count + 1) * sizeof *copy);

    for (size_t i = 0; i < count; i++) copy[i] = unconst(items[i]);
    return copy;
}

static bool same_name(const char *a, const char *b)
{
    size_t bytes = strcspn(a, "=");

    return bytes == strcspn(b, "=") && memcmp(a, b, bytes) == 0;
}

char **vector_environment(const char *const *extra)
{
    size_t own = 0;
    size_t added = vector_count(extra);
    size_t count = 0;
    char **all;

    while (environ && environ[own]) own++;
    all = mem_alloc((own + added + 1) * sizeof *all);
    for (; count < own; count++) all[count] = environ[count];
    for (size_t i = 0; i < added; i++) {
        bool set = strchr(extra[i], '=') != NULL;
        size_t at = 0;

        while (at < count && !same_name(all[at], extra[i])) at++;
        if (set) {
            all[at] = unconst(extra[i]);
            if (at == count) count++;
        } else if (at < count) {
            all[at] = all[--count];
            all[count] = NULL;
        }
    }
    return all;
}
