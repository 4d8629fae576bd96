/* SPDX-License-Identifier: Apache-2.0
 *
 * form.c - the exact form of each answer, in words for the agent that writes it, and the
 * correction for one that wrote it otherwise.
 *
 * 1. A form is complete: whoever follows it to the letter passes the check. Each rule that the
 *    readers know is said, or shown by the form itself.
 * 2. A correction says first what is wrong, line by line, then the form. Nothing else about the
 *    answer has been judged, and it says so: an agent that is asked again tends to change what was
 *    right. */
#include "dialect/session/contract.h"

#include "base/buf.h"
#include "prompts/session.h"

#include <assert.h>

enum { PROBLEMS_SHOWN = 12, CORRECTION_BYTES_MAX = 64 * 1024 };

static const char *noun_of(enum session_form form)
{
    static const char *const nouns[SESSION_FORM_COUNT] = {
        [SESSION_FORM_PLAN] = "plan",
        [SESSION_FORM_EXEC] = "report",
        [SESSION_FORM_PLAN_REVIEW] = "review",
        [SESSION_FORM_CODE_REVIEW] = "review",
    };

    return nouns[form];
}

struct str session_correction(enum session_form form, const struct check_report *report,
                              struct arena *arena)
{
    struct session_page page = { .fence = NULL };
    struct buf text, problems;
    struct str kept;

    assert(report->count > 0 && form < SESSION_FORM_COUNT);
    buf_init(&text, CORRECTION_BYTES_MAX);
    buf_init(&problems, CORRECTION_BYTES_MAX);
    check_report_list(report, PROBLEMS_SHOWN, &problems);
    page.problems = slot_part(&problems);
    page.noun = slot_word(noun_of(form));
    page.of_plan = form == SESSION_FORM_PLAN;
    page.of_report = form == SESSION_FORM_EXEC;
    page.of_plan_review = form == SESSION_FORM_PLAN_REVIEW;
    page.of_code_review = form == SESSION_FORM_CODE_REVIEW;
    session_page_correction(&text, &page);
    kept = arena_copy(arena, buf_str(&text));
    buf_release(&problems);
    buf_release(&text);
    return kept;
}
