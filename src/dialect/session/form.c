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

#include <assert.h>

enum { PROBLEMS_SHOWN = 12, CORRECTION_BYTES_MAX = 64 * 1024 };

#define COMMON_RULES \
    "- Headings stand at the left margin, exactly as shown, each once, in this order. Below a " \
    "section use `####` and deeper.\n" \
    "- Close every code fence. Do not put the answer as a whole into one.\n"

#define REVIEW_TEXT \
    "```md\n" \
    "### VERDICT: [APPROVE | REQUEST_CHANGES]\n" \
    "\n" \
    "### Issues\n" \
    "- [CRITICAL] <description> - must be resolved before proceeding\n" \
    "  File: `path/file.ext`, around line N\n" \
    "- [MINOR] <description> - recommended improvement\n" \
    "- None.\n" \
    "\n" \
    "### Strengths\n" \
    "...\n" \
    "\n" \
    "### Questions\n" \
    "- ...\n" \
    "```\n" \
    "\n" \
    "- The verdict is the heading `### VERDICT: APPROVE` or `### VERDICT: REQUEST_CHANGES`: " \
    "one of the two words, without brackets, once.\n" \
    "- An issue begins with `[CRITICAL]` or `[MINOR]`; there is no other label. Its further " \
    "lines are indented. Nothing else stands below `### Issues`.\n" \
    "- With a `[CRITICAL]` issue the verdict is REQUEST_CHANGES. Without one it is APPROVE, " \
    "also where there are `[MINOR]` ones.\n" \
    "- Where there is no issue, leave `### Issues` out, or write exactly `- None.` below it and " \
    "nothing else. Beside an issue there is no `- None.`\n" \
    "- `### Strengths` is always there, with something below it. Leave `### Questions` out " \
    "where there is none. There are no other sections.\n" \
    "- Headings stand at the left margin. Close every code fence. Do not put the answer as a " \
    "whole into one.\n"

static const char *const forms[SESSION_FORM_COUNT] = {
    [SESSION_FORM_PLAN] =
        "```md\n"
        "## Solution Plan: <title>\n"
        "\n"
        "### Problem Analysis\n"
        "<what is to be solved, and what you found out about it>\n"
        "\n"
        "### Proposed Approach\n"
        "<how, and why so>\n"
        "\n"
        "### Implementation Steps\n"
        "1. <step>\n"
        "2. <step>\n"
        "\n"
        "### Files to Modify / Create\n"
        "- `path/to/file.ext` - <reason>\n"
        "\n"
        "### Risks & Assumptions\n"
        "- <risk or assumption>\n"
        "\n"
        "### Open Questions\n"
        "- <question, or None>\n"
        "```\n"
        "\n"
        COMMON_RULES
        "- No section is left out or empty. Open Questions may be `- None`.\n"
        "- The steps are numbered. Each item of the files begins with one path in backticks, from "
        "the top of the repository, and nothing but such items stands there.\n",
    [SESSION_FORM_EXEC] =
        "```md\n"
        "## Implementation Complete: <title>\n"
        "\n"
        "### Changes Made\n"
        "<what was changed, and how>\n"
        "\n"
        "### Files Modified / Created / Deleted\n"
        "- `path/to/file.ext` - <what changed>\n"
        "\n"
        "### Deviations from Plan\n"
        "None\n"
        "\n"
        "### Notes for Reviewer\n"
        "<what a reviewer should know>\n"
        "```\n"
        "\n"
        "Where nothing had to be changed, and nothing was, say so in all three places, in these "
        "words:\n"
        "\n"
        "```md\n"
        "## Implementation Complete: <title>\n"
        "\n"
        "### Changes Made\n"
        "No code changes were required for this round.\n"
        "\n"
        "### Files Modified / Created / Deleted\n"
        "None\n"
        "\n"
        "### Deviations from Plan\n"
        "None\n"
        "\n"
        "### Notes for Reviewer\n"
        "No-op round. <why the code is already as it should be>\n"
        "```\n"
        "\n"
        COMMON_RULES
        "- No section is left out or empty.\n"
        "- List every file that you changed in this round, and no other: one item each, beginning "
        "with its path in backticks, from the top of the repository. No absolute paths, no `..`, "
        "no patterns, no folders, no line numbers.\n"
        "- Below Deviations stands `None`, or for each deviation from the plan which step it is, "
        "what was done instead, and why: `Step 2: <what>, because <why>`.\n"
        "- Work in this workspace only: what is done in another worktree or checkout does not "
        "count.\n",
    [SESSION_FORM_PLAN_REVIEW] =
        REVIEW_TEXT
        "- An issue points to a concrete gap of the plan. Its `File:` line may be left out.\n",
    [SESSION_FORM_CODE_REVIEW] =
        REVIEW_TEXT
        "- A `[CRITICAL]` issue about code says where it is: a `File:` line, or a path in its "
        "words. One about something missing, the plan, the workspace or the whole needs no "
        "place.\n",
};

const char *session_form_text(enum session_form form)
{
    assert(form < SESSION_FORM_COUNT);
    return forms[form];
}

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
    struct buf text;
    struct str kept;

    assert(report->count > 0 && form < SESSION_FORM_COUNT);
    buf_init(&text, CORRECTION_BYTES_MAX);
    buf_printf(&text, "The %s was not taken. What is wrong with it:\n\n", noun_of(form));
    check_report_list(report, PROBLEMS_SHOWN, &text);
    buf_printf(&text, "\nNothing else about it was judged: keep what you %s, and write the whole "
                      "answer again, in exactly this form:\n\n",
               form == SESSION_FORM_EXEC ? "did" : "found");
    buf_text(&text, session_form_text(form));
    kept = arena_copy(arena, buf_str(&text));
    buf_release(&text);
    return kept;
}
