/* SPDX-License-Identifier: Apache-2.0
 *
 * check.c - a review's grade and a signal, checked more strictly than they are read. */
#include "dialect/check.h"
#include "dialect/cycles/cycles.h"

#include "format/signal.h"

static void check_mark(const struct grade_mark *mark, const char *form,
                       struct check_report *report)
{
    if (!mark->odd) return;
    check_report_add(report, "bad-grade", mark->line, "%s has another word than PASS, WARN or "
                     "FAIL, and counts as FAIL", form);
}

void check_grade(struct str content, struct check_report *report)
{
    struct grading grading;

    if (str_trim(content).size == 0) {
        check_report_add(report, "empty", 0, "the review is empty");
        return;
    }
    grading_read(content, &grading);
    check_mark(&grading.heading, "`## Grade: X`", report);
    check_mark(&grading.final, "`**Final Grade**: X`", report);
    if (!grading.found) {
        check_report_add(report, "no-grade", 0, "no line `## Grade: PASS`, WARN or FAIL outside "
                         "quotes and code: it counts as FAIL");
    }
    if (grading.heading.line && grading.final.line &&
        grading.heading.grade != grading.final.grade) {
        check_report_add(report, "two-grades", grading.final.line, "`**Final Grade**` says %s, and "
                         "`## Grade` in line %u %s: the worse one counts",
                         grade_word(grading.final.grade), (unsigned)grading.heading.line,
                         grade_word(grading.heading.grade));
    }
    if (grading.compliance.line && grading.quality.line && grading.heading.line &&
        grading.heading.grade != grading.grade) {
        check_report_add(report, "not-the-matrix", grading.heading.line, "the grade is %s, and "
                         "what the review says elsewhere makes it %s",
                         grade_word(grading.heading.grade), grade_word(grading.grade));
    }
    if (grading.open_line) {
        check_report_add(report, "open-fence", grading.open_line, "what begins here as code or as "
                         "a comment is never ended: nothing behind it counts for the better");
    }
}

/* The keys that must be there, in either form. */
static void check_fields(const struct signal *signal, struct check_report *report)
{
    enum grade grade;
    uint64_t ms;

    if (signal->path.size == 0) check_report_add(report, "no-path", 0, "it names no path");
    if (!signal->has_size) {
        check_report_add(report, "bad-size", 0, "size is no whole number of bytes");
    }
    if (!signal_time(signal->created_at, &ms)) {
        check_report_add(report, "bad-time", 0, "created_at is no time such as "
                         "2026-01-15T08:40:00Z");
    }
    if (signal->grade.size && !grade_from_word(signal->grade, &grade)) {
        check_report_add(report, "bad-grade", 0, "grade is '%.*s': wanted PASS, WARN or FAIL",
                         STR_ARG(signal->grade));
    }
}

/* Lines that are not `key: value`, and statuses that are no known word. */
static void check_lines(struct str content, struct check_report *report)
{
    struct str rest = content, line, key;
    uint32_t number = 0;

    while (str_cut(&rest, '\n', &line)) {
        struct str value = line;

        number++;
        if (str_trim(line).size == 0) continue;
        if (!str_cut(&value, ':', &key) || key.size == line.size || str_has(key, ' ') ||
            !str_starts(value, STR(" "))) {
            check_report_add(report, "bad-line", number, "it is not `key: value`");
            continue;
        }
        value = str_trim(value);
        if (str_is(key, "status") && !str_is(value, "success") && !str_is(value, "fail")) {
            check_report_add(report, "bad-status", number, "status is '%.*s': wanted success or "
                             "fail", STR_ARG(value));
        }
    }
}

void check_signal(struct str content, struct check_report *report)
{
    struct arena arena = { 0 };
    struct signal signal;
    struct err err = { 0 };
    bool json = str_starts(str_trim(content), STR("{"));

    if (signal_read(content, &arena, &signal, &err) != 0) {
        check_report_err(report, "bad-signal", "", err.text, 0);
    } else {
        if (!json) check_lines(content, report);
        check_fields(&signal, report);
    }
    arena_release(&arena);
}
