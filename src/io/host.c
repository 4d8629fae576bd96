/* SPDX-License-Identifier: Apache-2.0 */
#include "io/host.h"

#include <unistd.h>

const char *host_name(char out[HOST_NAME_BYTES])
{
    if (gethostname(out, HOST_NAME_BYTES) != 0) out[0] = '\0';
    out[HOST_NAME_BYTES - 1] = '\0';
    return out;
}
