/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_tidy_yaml.c - any bytes as a report of clang-tidy: all the laws of report_laws.h. */
#include "report_laws.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    report_laws(tidy_yaml_read, data, size);
    report_end_law(tidy_yaml_read, data, size);
    return 0;
}
