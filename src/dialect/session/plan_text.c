/* SPDX-License-Identifier: Apache-2.0
 *
 * plan_text.c - an executor's plan.
 *
 * The steps must be numbered: the first item below Implementation Steps has a number, and none is
 * without words. What stands between and below them is free. */
#include "dialect/session/parts.h"

#include <assert.h>

static const struct part_name names[PLAN_SECTION_COUNT] = {
    [PLAN_PROBLEM_ANALYSIS] = { .name = "Problem Analysis" },
    [PLAN_PROPOSED_APPROACH] = { .name = "Proposed Approach" },
    [PLAN_IMPLEMENTATION_STEPS] = { .name = "Implementation Steps" },
    [PLAN_FILES] = { .name = "Files to Modify / Create" },
    [PLAN_RISKS] = { .name = "Risks & Assumptions" },
    [PLAN_OPEN_QUESTIONS] = { .name = "Open Questions" },
};

static void check_steps(const struct outline_heading *section, struct check_report *report)
{
    struct outline_walk walk = outline_lines(section->body, section->line);
    struct outline_line line;
    uint32_t items = 0;

    while (outline_next(&walk, &line)) {
        if (!line.item || (line.columns && items > 0)) continue;
        items++;
        if (!line.numbered && items == 1) {
            check_report_add(report, "unnumbered-steps", line.number, "the steps are not numbered: "
                             "wanted `1. ...`, `2. ...`");
            return;
        }
        if (line.numbered && !outline_says(&line)) {
            check_report_add(report, "empty-step", line.number, "the step has no words");
        }
    }
    if (items == 0) {
        check_report_add(report, "unnumbered-steps", section->line, "`### Implementation Steps` "
                         "has no step: wanted `1. ...`, `2. ...`");
    }
}

bool session_plan_text_read(struct str answer, struct arena *arena, struct check_report *report,
                            struct session_plan_text *out)
{
    static const struct executor_form form = { "Solution Plan", names, PLAN_SECTION_COUNT };
    static const struct files_rule rule = { .concrete = false };
    const struct outline_heading *found[PLAN_SECTION_COUNT], *section;
    struct outline outline;
    uint32_t none_line;

    assert(report->count == 0);
    *out = (struct session_plan_text){ .title = { "", 0 } };
    outline_read(answer, 1, arena, report, &outline);
    out->text = outline.kept;
    if (str_trim(outline.text).size == 0) return false;
    executor_sections(&form, &outline, report, found, &out->title);
    section = found[PLAN_IMPLEMENTATION_STEPS];
    if (section && !outline_is_hollow(section->body)) check_steps(section, report);
    section = found[PLAN_FILES];
    if (section && !outline_is_hollow(section->body)) {
        named_files_read(section, &rule, arena, report, &out->files, &none_line);
        if (none_line) {
            check_report_add(report, "missing-path", none_line, "a plan names the files that it "
                             "touches: wanted - `path/to/file` - reason");
        }
    }
    return report->count == 0;
}
