/* SPDX-License-Identifier: Apache-2.0 */
#include "contract_rows.h"

#include "base/buf.h"
#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

char *edited(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    struct buf out;
    char *copy;

    if (!at || strstr(at + 1, from)) fail_msg("'%s' is not there once", from);
    buf_init(&out, 1 << 20);
    buf_add(&out, (struct str){ text, (size_t)(at - text) });
    buf_text(&out, to);
    buf_text(&out, at + strlen(from));
    copy = mem_copy(buf_cstr(&out), out.size + 1);
    buf_release(&out);
    return copy;
}

static void must_pass(contract_check *check, const char *text, const char *what)
{
    struct check_report report = { 0 };

    check(str_of(text), &report);
    if (report.count) {
        fail_msg("'%s' is refused: line %u: %s: %s\n%s", what, report.problems[0].line,
                 report.problems[0].code, report.problems[0].message, text);
    }
    check_report_release(&report);
}

static void must_fail(contract_check *check, const char *text, const struct contract_row *row)
{
    struct check_report report = { 0 };

    check(str_of(text), &report);
    if (report.count != 1 || strcmp(report.problems[0].code, row->code) != 0 ||
        report.problems[0].line != row->line) {
        fail_msg("%s, '%s': %u problems, the first in line %u: %s: %s\n%s", row->code, row->bad,
                 report.count, report.count ? report.problems[0].line : 0,
                 report.count ? report.problems[0].code : "-",
                 report.count ? report.problems[0].message : "-", text);
    }
    check_report_release(&report);
}

void check_rows(contract_check *check, const char *text, const struct contract_row *rows)
{
    must_pass(check, text, "the text itself");
    for (; rows->code; rows++) {
        char *bad = edited(text, rows->from, rows->bad);
        char *good = edited(text, rows->from, rows->good ? rows->good : rows->from);

        must_fail(check, bad, rows);
        must_pass(check, good, rows->good ? rows->good : rows->from);
        free(bad);
        free(good);
    }
}

void check_forgiven(contract_check *check, const char *text, const struct contract_edit *edits)
{
    for (; edits->from; edits++) {
        char *other = edited(text, edits->from, edits->to);

        must_pass(check, other, edits->to);
        free(other);
    }
}

void check_codes(contract_check *check, const char *text, const char *codes)
{
    struct check_report report = { 0 };
    struct buf got;

    buf_init(&got, 1 << 16);
    check(str_of(text), &report);
    for (uint32_t i = 0; i < report.count; i++) {
        buf_printf(&got, "%s%s", i ? " " : "", report.problems[i].code);
    }
    if (strcmp(buf_cstr(&got), codes) != 0) {
        fail_msg("wanted '%s', got '%s':\n%s", codes, buf_cstr(&got), text);
    }
    buf_release(&got);
    check_report_release(&report);
}
