/* SPDX-License-Identifier: Apache-2.0 */
#include "dialect/check.h"

#include "format/text/safe.h"

#include <stdarg.h>
#include <stdio.h>

enum { REPORT_TEXT_BYTES_MAX = 256 * 1024 };

static struct check_problem *problem_new(struct check_report *report)
{
    if (report->count == CHECK_PROBLEMS_MAX) {
        report->more += report->more < UINT32_MAX;
        return NULL;
    }
    report->problems = arena_grow(&report->arena, report->problems, report->count, &report->cap,
                                  sizeof *report->problems);
    return &report->problems[report->count++];
}

void check_report_add(struct check_report *report, const char *code, uint32_t line,
                      const char *format, ...)
{
    enum { MESSAGE_BYTES_MAX = 1024 };
    struct check_problem *problem = problem_new(report);
    char text[MESSAGE_BYTES_MAX];
    struct buf safe;
    va_list args;

    if (!problem) return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    buf_init(&safe, sizeof text * 16); /* a byte grows to \u{10ffff} at the most */
    safe_text(&safe, str_of(text), true, 0);
    *problem = (struct check_problem){
        .code = code,
        .line = line,
        .message = arena_take(&report->arena, &safe).data,
    };
}

void check_report_err(struct check_report *report, const char *code, const char *what,
                      const char *text, uint32_t lines_before)
{
    struct str rest = str_of(text), first;
    struct str line = STR("line ");
    uint64_t number = 0;

    if (str_starts(rest, line) && str_cut(&rest, ':', &first) &&
        str_number(str_skip(first, line.size), &number) && number <= UINT32_MAX - lines_before) {
        rest = str_trim(rest);
        number += lines_before;
    } else {
        number = 0;
        rest = str_of(text);
    }
    check_report_add(report, code, (uint32_t)number, "%s%.*s", what, STR_ARG(rest));
}

void check_report_release(struct check_report *report)
{
    arena_release(&report->arena);
    *report = (struct check_report){ 0 };
}

const char *check_report_list(const struct check_report *report, uint32_t count_max,
                              struct arena *arena)
{
    uint32_t count = report->count < count_max ? report->count : count_max;
    uint32_t left = report->count - count + report->more;
    struct buf out;

    buf_init(&out, REPORT_TEXT_BYTES_MAX);
    for (uint32_t i = 0; i < count; i++) {
        const struct check_problem *problem = &report->problems[i];

        buf_text(&out, "- ");
        if (problem->line) buf_printf(&out, "line %u: ", (unsigned)problem->line);
        buf_printf(&out, "%s\n", problem->message);
    }
    if (left > 0) buf_printf(&out, "- and %u more\n", (unsigned)left);
    return arena_take_cstr(arena, &out);
}

struct str check_report_text(const struct check_report *report, const char *title,
                             uint32_t count_max, struct arena *arena)
{
    const char *list = check_report_list(report, count_max, arena);

    return str_trim(str_of(arena_printf(arena, "%s\n%s", title, list)));
}
