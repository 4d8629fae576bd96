/* SPDX-License-Identifier: Apache-2.0
 *
 * prompt_list.c - what those are told who make lists: the enumerator (tasks out of a spec),
 * the planner (groups of tasks), the reviser (tasks out of a review that did not pass). */
#include "dialect/loops/prompt.h"

static void write_place(const struct loops_sheet *sheet)
{
    buf_text(sheet->out, "\n## Working Directory\n\n`");
    loops_sheet_line(sheet, str_of(sheet->run->workspace), PATH_BYTES_MAX);
    buf_text(sheet->out, "`\n\nRead what is there before you decide. Do not change, create or"
                         " delete any file: your answer is\nall that is wanted.\n");
}

/* Of a repair: what the review said of the answer before, and that answer. */
static void write_review(const struct loops_sheet *sheet, const char *before, struct str answer)
{
    const struct batch *review = &sheet->run->engine->lanes[0].review;

    if (sheet->request->action->purpose != FOR_REPAIR || review->count == 0) return;
    buf_text(sheet->out, "\n## The review did not pass\n\n");
    loops_sheet_issues(sheet, review->jobs[0].result.doc);
    if (answer.size == 0) return;
    buf_printf(sheet->out, "\n%s:\n\n", before);
    quote_block(sheet->out, sheet->run->fence, answer, LIST_QUOTED_MAX);
}

static void write_known(const struct loops_sheet *sheet, struct str list, const char *title)
{
    if (list.size == 0) return;
    buf_printf(sheet->out, "\n## %s\n\n", title);
    quote_block(sheet->out, sheet->run->fence, list, LIST_QUOTED_MAX);
}

static void begin(const struct loops_sheet *sheet, const char *title, const char *about)
{
    buf_printf(sheet->out, "# %s\n\n%s\n", title, about);
    quote_rule(sheet->out, sheet->run->fence);
    loops_sheet_correction(sheet, false);
    loops_sheet_goal(sheet);
    write_place(sheet);
}

void loops_sheet_enumerator(const struct loops_sheet *sheet)
{
    begin(sheet, "ENUMERATE PHASE",
          "You turn a spec into a list of tasks. Agents build them, several at a time; you build"
          " nothing.\n");
    write_review(sheet, "The list that was reviewed",
                 loops_newest(sheet->run, LOOPS_STAGE_ENUMERATE));
    buf_text(sheet->out, "\n## How to\n\n- The tasks together are the whole spec: nothing is left"
                         " out, nothing is added.\n");
    buf_text(sheet->out, loops_words_tasks);
    buf_text(sheet->out,
             "\n## Answer\n\n"
             "    {\"tasks\":[{\"id\":\"login-form\",\"title\":\"Add the login form\",\n"
             "      \"description\":\"...\",\"depends_on\":[\"user-table\"]}]}\n\n");
    loops_sheet_answer(sheet);
}

void loops_sheet_planner(const struct loops_sheet *sheet)
{
    begin(sheet, "PLAN PHASE",
          "You put tasks into groups that are built one after the other; you build nothing.\n");
    write_known(sheet, loops_newest(sheet->run, LOOPS_STAGE_ENUMERATE), "The tasks");
    write_review(sheet, "The plan that was reviewed", loops_newest(sheet->run, LOOPS_STAGE_PLAN));
    buf_printf(sheet->out, "\n## How to\n\n- At most %u tasks are built at once.\n",
               (unsigned)sheet->run->engine->plan->lane_max);
    buf_text(sheet->out, loops_words_groups);
    buf_text(sheet->out, "\n## Answer\n\nThe ids of the tasks, group by group:\n\n"
                         "    {\"groups\":[[\"user-table\",\"mail\"],[\"login-form\"]]}\n\n");
    loops_sheet_answer(sheet);
}

void loops_sheet_reviser(const struct loops_sheet *sheet)
{
    struct buf list;

    begin(sheet, "REVISE PHASE",
          "All tasks of a run are built and merged, and the review of the whole did not pass. You"
          " make the\ntasks that mend it. Agents build them; you build nothing.\n");
    write_review(sheet, "", (struct str){ "", 0 });
    buf_init(&list, 64 << 20);
    tasks_write(&sheet->tasks, &list);
    write_known(sheet, buf_str(&list), "The tasks that are merged");
    buf_release(&list);
    buf_text(sheet->out, "\n## How to\n\n"
                         "- Only tasks that are new, with ids that no other task has. What is"
                         " merged stays.\n"
                         "- Verify each issue first: an issue that does not hold needs no task.\n");
    buf_text(sheet->out, loops_words_tasks);
    buf_text(sheet->out, "- `group`: tasks with the same word are built at the same time, groups"
                         " one after the other.\n"
                         "\n## Answer\n\n"
                         "    {\"tasks\":[{\"id\":\"empty-name\",\"title\":\"Refuse it\","
                         "\n      \"description\":\"...\",\"group\":\"1\",\"depends_on\":[]}]}\n\n"
                         "An empty list says that no task would help: the run then rests until a"
                         " person has looked.\n");
    loops_sheet_answer(sheet);
}
