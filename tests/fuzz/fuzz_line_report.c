/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_line_report.c - any bytes as a report of lines, by every form that a tool of ours has: laws
 * 1 to 4 of report_laws.h. */
#include "report_laws.h"

#include "analyze/analyzer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct line_form *form;

static int form_read(struct str text, struct diagnostics *out, struct err *err)
{
    return line_report_read(form, text, out, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (uint32_t i = 0; analyzer_at(i); i++) {
        form = analyzer_at(i)->lines;
        if (form) report_laws(form_read, data, size);
    }
    form = &line_form_gcc;
    report_laws(form_read, data, size);
    return 0;
}
