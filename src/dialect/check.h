/* SPDX-License-Identifier: Apache-2.0
 *
 * check.h - contract checks: is this text what a contract file of its kind must be?
 *
 * A kind is one row of the table in checks.c and one function. Checks are stricter than judges: a
 * judge makes the best of an answer, a check says everything that is wrong with a file. */
#ifndef HONE_DIALECT_CHECK_H
#define HONE_DIALECT_CHECK_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum { CHECK_PROBLEMS_MAX = 200 };

struct check_problem {
    const char *code;    /* fixed words: not-json, bad-count */
    uint32_t line;       /* from 1; 0 where it cannot be told */
    const char *message; /* one line of valid UTF-8 without control characters */
};

/* {0} is an empty report. */
struct check_report {
    struct arena arena; /* holds everything below */
    struct check_problem *problems; /* the first CHECK_PROBLEMS_MAX that were found */
    uint32_t count, cap;
    uint32_t more;      /* problems beyond those */
};

/* Adds a problem; code must live for ever. The message is made harmless for a terminal. */
void check_report_add(struct check_report *report, const char *code, uint32_t line,
                      const char *format, ...) __attribute__((format(printf, 4, 5)));
/* The same out of an err's text, of which "line 3: " in front becomes the problem's line, counted
 * on from lines_before; what stands in front of the rest. */
void check_report_err(struct check_report *report, const char *code, const char *what,
                      const char *text, uint32_t lines_before);
void check_report_release(struct check_report *report);

/* The problems, a line each and at most so many of them, for the agent that is asked again; and the
 * same below a title. Both live in arena. */
const char *check_report_list(const struct check_report *report, uint32_t count_max,
                              struct arena *arena);
struct str check_report_text(const struct check_report *report, const char *title,
                             uint32_t count_max, struct arena *arena);

struct check {
    const char *kind;
    const char *summary; /* what is checked, for the help */
    /* Adds every problem of content to report; content is valid when there is none. */
    void (*run)(struct str content, struct check_report *report);
    /* The same for the phase execution, of a kind whose contract depends on the phase; run() is for
     * planning then. NULL: it does not depend on it. */
    void (*run_execution)(struct str content, struct check_report *report);
};

extern const struct check checks[]; /* kind NULL ends */
const struct check *check_find(struct str kind);

#endif
