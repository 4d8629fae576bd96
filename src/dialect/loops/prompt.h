/* SPDX-License-Identifier: Apache-2.0
 *
 * prompt.h - what the files that write the loops dialect's prompts share. */
#ifndef HONE_DIALECT_LOOPS_PROMPT_H
#define HONE_DIALECT_LOOPS_PROMPT_H

#include "dialect/loops/loops.h"
#include "dialect/quote.h"

enum {
    TITLE_BYTES_MAX = 400,
    PATH_BYTES_MAX = 4096,
    TEXT_QUOTED_MAX = 128 * 1024,  /* of a task's text, and of the user's task */
    SPEC_QUOTED_MAX = 256 * 1024,
    LIST_QUOTED_MAX = 256 * 1024,  /* of a list of tasks */
    PROBLEM_QUOTED_MAX = 16 * 1024,
    REPORT_QUOTED_MAX = 32 * 1024,
    CONFLICT_QUOTED_MAX = 192 * 1024,
    ISSUES_SHOWN_MAX = 200,
    ISSUE_QUOTED_MAX = 4096,
};

/* What every part of a prompt needs. */
struct loops_sheet {
    const struct run_view *run;
    const struct prompt_request *request;
    struct arena *arena;
    struct loops_tasks tasks;
    const struct lane *lane;
    const struct loops_task *task; /* of a loop; NULL: the run */
    const struct loops_effort *effort;
    struct buf *out;
};

/* --- prompt.c --- */

void loops_sheet_line(const struct loops_sheet *sheet, struct str text, size_t bytes_max);
/* What was wrong with the last answer, or that there was an attempt before. */
void loops_sheet_correction(const struct loops_sheet *sheet, bool writes);
/* What the user said beside the list, and the spec. */
void loops_sheet_goal(const struct loops_sheet *sheet);
void loops_sheet_test(const struct loops_sheet *sheet);
/* The findings of a review, a line each with the suggestion below it. */
void loops_sheet_issues(const struct loops_sheet *sheet, struct str review);
void loops_sheet_answer(const struct loops_sheet *sheet);

/* --- the prompts --- */
void loops_sheet_enumerator(const struct loops_sheet *sheet);
void loops_sheet_planner(const struct loops_sheet *sheet);
void loops_sheet_reviser(const struct loops_sheet *sheet);
void loops_sheet_loop_review(const struct loops_sheet *sheet);
void loops_sheet_run_review(const struct loops_sheet *sheet);

/* --- words.c: parts that are the same in every run --- */
extern const char loops_words_builder[], loops_words_marker[];
extern const char loops_words_intent[], loops_words_quality[];
extern const char loops_words_evidence[], loops_words_proof[]; /* a line between names the tool */
extern const char loops_words_reader[];
extern const char loops_words_tasks[], loops_words_groups[];

#endif
