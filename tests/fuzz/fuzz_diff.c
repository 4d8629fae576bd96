/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_diff.c - any bytes as a unified diff: laws 1 to 4 of report_laws.h. */
#include "report_laws.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    report_laws(diff_read, data, size);
    return 0;
}
