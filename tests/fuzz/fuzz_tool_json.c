/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_tool_json.c - any bytes as a report of ruff, eslint, clippy and markdownlint: all the laws
 * of report_laws.h, but that an empty report of markdownlint is one. */
#include "report_laws.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    report_reader *const readers[] = { ruff_json_read, eslint_json_read, clippy_json_read };

    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        report_laws(readers[i], data, size);
        report_end_law(readers[i], data, size);
    }
    report_laws(markdownlint_json_read, data, size);
    return 0;
}
