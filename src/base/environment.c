/* SPDX-License-Identifier: Apache-2.0 */
#include "base/environment.h"

#include <stddef.h>
#include <string.h>

const char *environment_value(const char *const *environment, const char *name)
{
    size_t size = strlen(name);

    for (; environment && *environment; environment++) {
        if (strncmp(*environment, name, size) != 0 || (*environment)[size] != '=') continue;
        return (*environment)[size + 1] ? *environment + size + 1 : NULL;
    }
    return NULL;
}
