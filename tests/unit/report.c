/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include "base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TEXT_BYTES = 64 * 1024 };

struct str sample_text(const char *format, ...)
{
    static char text[TEXT_BYTES];
    va_list args;
    int size;

    va_start(args, format);
    size = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    assert_true(size >= 0 && size < TEXT_BYTES);
    for (int i = 0; i < size; i++) {
        if (text[i] == '\'') text[i] = '"';
    }
    return (struct str){ text, (size_t)size };
}

struct str sample_run(const char *members)
{
    return sample_text("{'version':'2.1.0','runs':[{'tool':{'driver':{'name':'t'}},%s}]}", members);
}

struct str sample_result(const char *members, const char *run_members)
{
    return sample_text("{'version':'2.1.0','runs':[{'tool':{'driver':{'name':'t'}},"
                       "'results':[{'message':{'text':'m'}%s}]%s}]}", members, run_members);
}

struct diagnostics sample_read(sample_reader *read, struct str text)
{
    struct diagnostics diagnostics = { 0 };
    struct err err = { 0 };

    if (read(text, &diagnostics, &err) != 0) {
        fail_msg("%.*s: %s", STR_ARG(text), err.text);
    }
    return diagnostics;
}

void sample_refused(sample_reader *read, struct str text, enum err_code code, const char *part)
{
    struct diagnostics diagnostics = { 0 };
    struct err err = { 0 };
    int rc = read(text, &diagnostics, &err);

    if (rc != (int)code || err.code != code || !strstr(err.text, part)) {
        fail_msg("%.200s: %d, %s; wanted %d, %s", text.data, rc, err.text, (int)code, part);
    }
    diagnostics_release(&diagnostics);
}

void sample_expect(struct str value, const char *wanted)
{
    if (!str_is(value, wanted)) fail_msg("\"%.*s\" is not \"%s\"", STR_ARG(value), wanted);
}

const char *sample_place(const struct place *place)
{
    static const char *const units[] = {
        [COLUMN_BYTES] = "bytes", [COLUMN_UTF16] = "utf16", [COLUMN_CODE_POINTS] = "points"
    };
    static char text[128];

    if (place->by_offset) {
        snprintf(text, sizeof text, "@%llu-%llu", (unsigned long long)place->offset,
                 (unsigned long long)place->end_offset);
    } else {
        snprintf(text, sizeof text, "%u:%u-%u:%u/%s", place->line, place->column, place->end_line,
                 place->end_column, units[place->unit]);
    }
    return text;
}
