/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_gcc_json.c - any bytes as a report of gcc: the laws of report_laws.h but for the last. */
#include "report_laws.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    report_laws(gcc_json_read, data, size);
    return 0;
}
