/* SPDX-License-Identifier: Apache-2.0
 *
 * checks.c - the table of contract checks: one row each. */
#include "dialect/check.h"

#include "dialect/custom/custom.h"
#include "dialect/cycles/cycles.h"
#include "dialect/iterate/iterate.h"
#include "dialect/loops/loops.h"
#include "dialect/review/r1.h"
#include "dialect/session/answers.h"
#include "dialect/session/file.h"
#include "dialect/shape/reports.h"

static void check_r1(struct str content, struct check_report *report)
{
    struct r1 r1;

    r1_read(content, report, &r1);
    r1_release(&r1);
}

const struct check checks[] = {
    { .kind = "r1", .summary = "a reviewer's r1-*.json of the review dialect", .run = check_r1 },
    { .kind = "sarif", .summary = "a SARIF 2.1.0 report", .run = check_sarif },
    { .kind = "rdjson", .summary = "a report in reviewdog's rdjson or rdjsonl",
      .run = check_rdjson },
    { .kind = "grade", .summary = "the grade of a review of the cycles dialect",
      .run = check_grade },
    { .kind = "signal", .summary = "a signal of the cycles dialect, such as "
                                   "phase-1-review-1.done", .run = check_signal },
    { .kind = "iterate", .summary = "a reviewer's answer in the iterate dialect",
      .run = check_iterate },
    { .kind = "loop-review", .summary = "a review of a loop, as set_loop_review_result takes it",
      .run = check_loop_review },
    { .kind = "executor-plan", .summary = "an executor's plan in the session dialect",
      .run = check_executor_plan },
    { .kind = "executor-exec", .summary = "an executor's report of what it did, in the session "
                                          "dialect", .run = check_executor_exec },
    { .kind = "reviewer", .summary = "a reviewer's answer in the session dialect; with --phase "
                                     "execution a [CRITICAL] issue must say where it is",
      .run = check_plan_review, .run_execution = check_code_review },
    { .kind = "session", .summary = "a session file of the session dialect",
      .run = check_session_file },
    { .kind = "loop", .summary = "a loop of your own, such as .hone/loops/NAME.yaml",
      .run = check_loop },
    { .kind = NULL },
};

const struct check *check_find(struct str kind)
{
    for (const struct check *check = checks; check->kind; check++) {
        if (str_is(kind, check->kind)) return check;
    }
    return NULL;
}
