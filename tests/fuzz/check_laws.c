/* SPDX-License-Identifier: Apache-2.0 */
#include "check_laws.h"

#include "format/text/utf8.h"

#include <assert.h>

bool check_laws(const char *kind, struct str text)
{
    struct check_report report = { 0 };
    bool valid;

    check_find(str_of(kind))->run(text, &report);
    valid = report.count == 0;
    for (uint32_t i = 0; i < report.count; i++) {
        struct str message = str_of(report.problems[i].message);

        assert(message.size > 0 && utf8_prefix(message) == message.size);
        for (size_t k = 0; k < message.size; k++) assert((unsigned char)message.data[k] >= ' ');
    }
    check_report_release(&report);
    return valid;
}
