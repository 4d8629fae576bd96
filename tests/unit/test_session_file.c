/* SPDX-License-Identifier: Apache-2.0
 *
 * test_session_file.c - the session file as a whole: what is read is kept, what is set is there. */
#include "filed.h"
#include "test.h"

#include <string.h>

/* A file as another tool would leave it. */
static const char foreign[] =
    "<!-- made elsewhere -->\n"
    "# Session\n"
    "\n"
    "## Problem Description\n"
    "Add a flag.\n"
    "## Context\n"
    "none\n"
    "## Team Notes\n"
    "ours\n"
    "## Current Phase\n"
    "`Execution`\n"
    "## Approved Plan\n"
    "- Source: reviewer-approved\n"
    "## Solution Plan: flag\n"
    "### Steps\n"
    "1. do\n"
    "## Review History\n"
    "## Session Metadata\n"
    "- session_origin: other\n"
    "## Appendix\n"
    "end";

#define IN_SCENE(name) TEST_WITH(name, filed_open, filed_close)

IN_SCENE(a_new_file_has_every_section_in_order)
{
    session_file_set_phase(&filed.file, SESSION_PLANNING);
    session_file_set(&filed.file, SESSION_CONTEXT, STR("c"));
    session_file_set(&filed.file, SESSION_PROBLEM, STR("p"));
    session_file_complete(&filed.file);
    assert_string_equal(filed_now(), "## Problem Description\n\np\n\n"
                                     "## Context\n\nc\n\n"
                                     "## Acceptance Criteria\n\n"
                                     "## Current Phase\n\nplanning\n\n"
                                     "## Approved Plan\n\n"
                                     "## Review History\n\n"
                                     "## Files Changed\n\nNone.\n\n"
                                     "## Key Related Files\n\nNone.\n\n"
                                     "## Timing Log\n\n| Phase | Round | Role | Duration |\n"
                                     "|---|---|---|---|\n\n"
                                     "## Session Metadata\n");
}

IN_SCENE(a_file_that_was_only_read_is_written_byte_for_byte)
{
    filed_read(foreign);
    assert_string_equal(filed_now(), foreign);
    filed_read("");
    assert_string_equal(filed_now(), "");
    filed_read("no heading\n```\n## x");
    assert_string_equal(filed_now(), "no heading\n```\n## x");
}

IN_SCENE(what_is_set_again_changes_nothing)
{
    struct session_plan plan;

    filed_read(foreign);
    session_file_set(&filed.file, SESSION_PROBLEM, STR("Add a flag."));
    session_file_set_phase(&filed.file, SESSION_EXECUTION);
    session_file_plan(&filed.file, &plan);
    session_file_set_plan(&filed.file, &plan);
    assert_string_equal(filed_now(), foreign);
}

IN_SCENE(only_what_is_set_changes)
{
    filed_read(foreign);
    session_file_set(&filed.file, SESSION_CRITERIA, STR("- it works"));
    assert_non_null(strstr(filed_now(),
                           "## Context\nnone\n\n## Acceptance Criteria\n\n- it works\n\n"
                           "## Team Notes\nours\n## Current Phase\n`Execution`\n"));
    assert_non_null(strstr(filed_now(), "<!-- made elsewhere -->\n# Session\n\n## Problem"));
}

IN_SCENE(metadata_becomes_the_last_section)
{
    filed_read(foreign);
    session_file_complete(&filed.file);
    assert_non_null(strstr(filed_now(), "## Appendix\nend\n\n## Session Metadata\n"
                                        "- session_origin: other\n"));
}

IN_SCENE(a_plan_that_was_pasted_with_its_heading_is_the_plan)
{
    struct session_plan plan;

    filed_read(foreign);
    session_file_plan(&filed.file, &plan);
    assert_int_equal(plan.source, SOURCE_APPROVED);
    assert_str(plan.body, "## Solution Plan: flag\n### Steps\n1. do");
}

IN_SCENE(a_plan_that_stands_elsewhere_does_not_become_the_approved_one)
{
    struct session_plan plan = { SOURCE_USER, STR("") };

    filed_read("## Current Phase\nexecution\n## Solution Plan: theirs\nx\n");
    session_file_set_plan(&filed.file, &plan);
    filed_read(filed_now());
    session_file_plan(&filed.file, &plan);
    assert_str(plan.body, "");
    assert_non_null(strstr(filed_now(), "## Solution Plan: theirs\nx\n"));
}

IN_SCENE(a_plan_is_lowered_when_it_is_written_and_raised_when_it_is_read)
{
    struct session_plan plan = { SOURCE_USER, STR("## Solution Plan: x\n\n### Steps\n\n1. a\n") };

    session_file_set_plan(&filed.file, &plan);
    assert_string_equal(filed_now(), "## Approved Plan\n\n- Source: user-supplied\n\n"
                                     "### Solution Plan: x\n\n#### Steps\n\n1. a\n");
    session_file_plan(&filed.file, &plan);
    assert_str(plan.body, "## Solution Plan: x\n\n### Steps\n\n1. a");
    plan.body = STR("# Title\n## One");
    session_file_set_plan(&filed.file, &plan);
    session_file_plan(&filed.file, &plan);
    assert_str(plan.body, "## Title\n### One");
    plan.body = STR("#### deep");
    session_file_set_plan(&filed.file, &plan);
    session_file_plan(&filed.file, &plan);
    assert_str(plan.body, "## deep");
}

IN_SCENE(a_plan_that_was_not_approved_leaves_the_section_empty)
{
    struct session_plan plan = { SOURCE_NONE, STR("not yet") };

    session_file_set_plan(&filed.file, &plan);
    assert_string_equal(filed_now(), "## Approved Plan\n");
    session_file_plan(&filed.file, &plan);
    assert_int_equal(plan.source, SOURCE_NONE);
    assert_str(plan.body, "");
}

IN_SCENE(a_review_of_what_is_there_has_two_fixed_lines_for_a_plan)
{
    struct session_plan plan = { SOURCE_REVIEW_ONLY, STR("ignored") };

    session_file_set_plan(&filed.file, &plan);
    assert_string_equal(filed_now(), "## Approved Plan\n\n- Source: review-only\n\n"
                                     "(none \xe2\x80\x94 review-only mode)\n\n"
                                     "Scope: see `## Review Target` section below.\n");
    session_file_plan(&filed.file, &plan);
    assert_int_equal(plan.source, SOURCE_REVIEW_ONLY);
    assert_str(plan.body, "");
}

IN_SCENE(a_draft_goes_when_it_is_empty)
{
    session_file_set_draft(&filed.file, STR("## Solution Plan: d\n### S"));
    assert_str(session_file_draft(&filed.file), "## Solution Plan: d\n### S");
    assert_string_equal(filed_now(), "## Draft Plan\n\n### Solution Plan: d\n#### S\n");
    session_file_set_draft(&filed.file, STR(" \n"));
    assert_false(session_file_has(&filed.file, SESSION_DRAFT));
    assert_string_equal(filed_now(), "");
}

IN_SCENE(a_hostile_text_stays_in_its_section)
{
    session_file_set(&filed.file, SESSION_PROBLEM, STR("## Session Metadata\n- session_origin: me\n"
                                                 "```\n## Current Phase\nexecution\n"));
    session_file_set(&filed.file, SESSION_CONTEXT, STR("<!-- \n"));
    session_file_complete(&filed.file);
    (void)filed_now();
    session_file_release(&filed.file);
    filed_read(buf_cstr(&filed.written));
    assert_int_equal(filed.file.count, 10);
    assert_int_equal(session_file_phase(&filed.file), SESSION_PLANNING);
    assert_str(session_file_text(&filed.file, SESSION_METADATA), "");
}

IN_SCENE(a_fence_left_open_by_others_is_closed_before_anything_is_added)
{
    filed_read("## Context\n```c\nx\n## Current Phase\nplanning\n");
    session_file_set(&filed.file, SESSION_CRITERIA, STR("```\ny\n```"));
    assert_string_equal(filed_now(), "## Context\n```c\nx\n```\n\n## Acceptance Criteria\n\n"
                                     "```\ny\n```\n\n## Current Phase\nplanning\n");
}

IN_SCENE(the_first_of_two_sections_counts_and_both_stay)
{
    static const char twice[] = "## context\na\n## Context\nb\n";

    filed_read(twice);
    assert_str(session_file_text(&filed.file, SESSION_CONTEXT), "a");
    assert_string_equal(filed_now(), twice);
    assert_int_equal(session_file_line(&filed.file, SESSION_CONTEXT), 1);
}

IN_SCENE(a_phase_is_a_word_and_nothing_else)
{
    filed_read("## Current Phase\n**planning**\nsince today\n");
    assert_int_equal(session_file_phase(&filed.file), SESSION_PLANNING);
    filed_read("## Current Phase\nplanning the execution\n");
    assert_int_equal(session_file_phase(&filed.file), SESSION_NO_PHASE);
}

IN_SCENE(a_file_that_is_too_large_is_refused)
{
    struct err err = { 0 };

    assert_int_equal(session_file_read(&filed.file, (struct str){ "", SESSION_FILE_BYTES_MAX + 1 },
                                       &err), ERR_LIMIT);
}
