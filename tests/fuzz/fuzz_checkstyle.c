/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_checkstyle.c - any bytes as a report of checkstyle: all the laws of report_laws.h. */
#include "report_laws.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    report_laws(checkstyle_read, data, size);
    report_end_law(checkstyle_read, data, size);
    return 0;
}
