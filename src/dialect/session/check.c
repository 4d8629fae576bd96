/* SPDX-License-Identifier: Apache-2.0
 *
 * check.c - what agents of the session dialect answer, against its contracts. The readers
 * are those of the judge: what passes here is what a run accepts, but for what only a run knows
 * (which files were changed, and where its workspace is). */
#include "dialect/session/contract.h"

void check_executor_plan(struct str content, struct check_report *report)
{
    struct session_plan_text plan;
    struct arena arena = { 0 };

    session_plan_text_read(content, &arena, report, &plan);
    arena_release(&arena);
}

void check_executor_exec(struct str content, struct check_report *report)
{
    struct session_exec_text exec;
    struct arena arena = { 0 };

    session_exec_text_read(content, NULL, &arena, report, &exec);
    arena_release(&arena);
}

static void check_review(struct str content, const struct anchor_rule *anchors,
                         struct check_report *report)
{
    struct session_review_text review;
    struct arena arena = { 0 };

    session_review_text_read(content, anchors, &arena, report, &review);
    arena_release(&arena);
}

void check_plan_review(struct str content, struct check_report *report)
{
    check_review(content, NULL, report);
}

void check_code_review(struct str content, struct check_report *report)
{
    check_review(content, &(struct anchor_rule){ .changed = NULL }, report);
}
