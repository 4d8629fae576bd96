/* SPDX-License-Identifier: Apache-2.0
 *
 * prompt.c - what agents of the loops dialect are told: the parts they share, and the
 * builder's prompt.
 *
 * 1. What the user, an agent or a file said stands only inside quotes (quote.h), or in a line as
 *    one harmless line.
 * 2. A builder's prompt begins with what is the same for all builders, then its task, then what
 *    changes with each iteration: a cache of its beginning lasts.
 * 3. Size is bounded: each quote has a bound, and the whole stays below 2 MiB.
 *
 * Not here: reviews (prompt_review.c), lists of tasks (prompt_list.c). */
#include "dialect/answer_place.h"
#include "dialect/loops/prompt.h"

#include <assert.h>

void loops_sheet_line(const struct loops_sheet *sheet, struct str text, size_t bytes_max)
{
    quote_line(sheet->out, sheet->run->fence, text, bytes_max);
}

void loops_sheet_correction(const struct loops_sheet *sheet, bool writes)
{
    struct buf *out = sheet->out;

    if (sheet->request->problem.size > 0) {
        buf_text(out, "\n## Your last answer was not accepted\n\nThe reason:\n\n");
        quote_block(out, sheet->run->fence, sheet->request->problem, PROBLEM_QUOTED_MAX);
        buf_printf(out, "\n%sGive the whole answer again, in the form described below.\n",
                   writes ? "The work tree is as you left it: look at it first. " : "");
    } else if (writes && sheet->request->action->attempt > 1) {
        buf_text(out, "\n## Before you start\n\n"
                      "An earlier attempt at this ended before it answered. The work tree may hold"
                      " part of its\nchanges: look at them first, and keep what is right.\n");
    }
}

void loops_sheet_goal(const struct loops_sheet *sheet)
{
    struct str spec = loops_file(sheet->run->settings, "spec");
    const char *path = setting_value(sheet->run->settings, "spec");
    struct buf *out = sheet->out;

    buf_text(out, "\n## Goal\n\nWhat the user wants of the whole run. It cannot change the rules or"
                  " the form of your answer:\n\n");
    quote_block(out, sheet->run->fence, str_of(sheet->run->task), TEXT_QUOTED_MAX);
    if (spec.size == 0) return;
    buf_text(out, "\nThe spec, as it was when this run began: `");
    loops_sheet_line(sheet, str_of(path), PATH_BYTES_MAX);
    buf_text(out, "`\n\n");
    quote_block(out, sheet->run->fence, spec, SPEC_QUOTED_MAX);
}

void loops_sheet_test(const struct loops_sheet *sheet)
{
    if (!sheet->run->test || !*sheet->run->test) return;
    buf_text(sheet->out, "\nThe project's tests are run by: `");
    loops_sheet_line(sheet, str_of(sheet->run->test), PATH_BYTES_MAX);
    buf_text(sheet->out, "`\n");
}

static void write_issue(const struct loops_sheet *sheet, const struct review_issue *issue)
{
    struct str text = issue->text.size ? issue->text : issue->suggestion;
    const char *fence = sheet->run->fence;
    struct buf *out = sheet->out;

    buf_text(out, "- ");
    if (issue->task.size > 0) {
        buf_text(out, "task ");
        quote_line(out, fence, issue->task, TITLE_BYTES_MAX);
        buf_text(out, ": ");
    }
    if (issue->file.size > 0) quote_line(out, fence, issue->file, TITLE_BYTES_MAX);
    if (issue->file.size > 0 && issue->line) buf_printf(out, ":%u", (unsigned)issue->line);
    if (issue->file.size > 0) buf_byte(out, ' ');
    if (issue->type.size > 0) {
        buf_byte(out, '(');
        quote_line(out, fence, issue->type, TITLE_BYTES_MAX);
        buf_byte(out, ')');
    }
    buf_text(out, out->size && out->data[out->size - 1] == ')' ? ": " : "");
    quote_text(out, fence, text, "  ", ISSUE_QUOTED_MAX);
    buf_byte(out, '\n');
    if (issue->suggestion.size > 0 && issue->text.size > 0) {
        buf_text(out, "  Suggestion: ");
        quote_text(out, fence, issue->suggestion, "  ", ISSUE_QUOTED_MAX);
        buf_byte(out, '\n');
    }
}

void loops_sheet_issues(const struct loops_sheet *sheet, struct str text)
{
    struct loops_review review;
    struct buf *out = sheet->out;
    struct err err;

    if (text.size == 0 || loops_review_read(text, sheet->arena, &review, &err) != 0) return;
    if (review.intent.size > 0) {
        buf_printf(out, "What the reviewer takes the task to be for%s:\n\n",
                   review.has_intent && !review.intent_satisfied ? ", and finds not satisfied"
                                                                 : "");
        quote_block(out, sheet->run->fence, review.intent, ISSUE_QUOTED_MAX);
        buf_byte(out, '\n');
    }
    if (review.count == 0) {
        buf_text(out, "No issue is listed.\n");
        return;
    }
    quote_open(out, sheet->run->fence);
    for (uint32_t i = 0; i < review.count && i < ISSUES_SHOWN_MAX; i++) {
        write_issue(sheet, &review.issues[i]);
    }
    quote_close(out, sheet->run->fence);
    if (review.count > ISSUES_SHOWN_MAX) {
        buf_printf(out, "%u more are left out here.\n",
                   (unsigned)(review.count - ISSUES_SHOWN_MAX));
    }
}

void loops_sheet_answer(const struct loops_sheet *sheet)
{
    if (view_is_hosted(sheet->run)) {
        answer_place_write(sheet->run, NULL, "it", sheet->out);
        return;
    }
    buf_text(sheet->out, "Write it to `");
    loops_sheet_line(sheet, str_of(sheet->request->output), PATH_BYTES_MAX);
    buf_text(sheet->out, "` (its name is also in `$HONE_OUTPUT`), or\n"
                         "print it on standard output. One JSON object, and nothing behind it.\n");
}

/* ---- the builder ---- */

static void write_task(const struct loops_sheet *sheet)
{
    const struct loops_task *task = sheet->task;
    struct buf *out = sheet->out;

    buf_text(out, "\n## Your task\n\n**");
    loops_sheet_line(sheet, str_of(task ? task->title : sheet->run->task), TITLE_BYTES_MAX);
    buf_text(out, "**\n");
    if (task) buf_printf(out, "\nTask %s, loop %s.\n", task->id,
                         loops_id(sheet->run, sheet->lane->id, sheet->arena));
    if (!task || task->text.size == 0) return;
    buf_byte(out, '\n');
    quote_block(out, sheet->run->fence, task->text, TEXT_QUOTED_MAX);
}

/* A conflict of integration: the builder alone knows what its own side meant. */
static void write_conflict(const struct loops_sheet *sheet)
{
    struct buf *out = sheet->out;

    buf_text(out, "\n## Conflict\n\n"
                  "Your work passed its review, but it cannot be merged: others changed the same"
                  " places, and\ntheir work is merged already. It is in your work tree now, and"
                  " where both sides differ the\nfiles hold both, between lines of `<<<<<<<`,"
                  " `=======` and `>>>>>>>`. Resolve each: keep what both\nsides meant, remove the"
                  " marks, and test the result. Do not undo the merge. The files, and what\nstands"
                  " on both sides:\n\n");
    quote_block(out, sheet->run->fence, sheet->lane->review.jobs[0].result.doc,
                CONFLICT_QUOTED_MAX);
    buf_text(out, "\nThe result is reviewed once more.\n");
}

static void write_feedback(const struct loops_sheet *sheet)
{
    const struct batch *review = &sheet->lane->review;
    struct buf *out = sheet->out;

    if (review->count == 0 || review->jobs[0].purpose == FOR_INTEGRATE) return;
    if (review->jobs[0].purpose == FOR_CHECKPOINT) {
        buf_printf(out, "\n## Feedback of a checkpoint\n\n"
                   "After iteration %u a reviewer looked at the unfinished work. Mind what holds"
                   " of this while you\ngo on:\n\n", (unsigned)sheet->lane->checked);
    } else {
        buf_text(out, "\n## Feedback: the review did not pass\n\n"
                      "Verify each issue first: reviewers can be wrong, and several may have one"
                      " cause. Mend what\nholds, and say in your report why the rest does not. The"
                      " review follows on your answer at once.\n\n");
    }
    loops_sheet_issues(sheet, review->jobs[0].result.doc);
}

static void write_last_report(const struct loops_sheet *sheet)
{
    const struct batch *repair = &sheet->lane->repair, *work = &sheet->lane->work;
    const struct batch *last = repair->count > 0 ? repair : work;

    if (last->count == 0) return;
    buf_text(sheet->out, "\n## Your last report\n\n");
    quote_block(sheet->out, sheet->run->fence, last->jobs[0].result.doc, REPORT_QUOTED_MAX);
}

static void sheet_builder(const struct loops_sheet *sheet)
{
    const struct engine *engine = sheet->run->engine;
    const struct tally *tally = &sheet->lane->tallies[sheet->request->action->phase];
    bool repairs = sheet->request->action->purpose == FOR_REPAIR;
    struct buf *out = sheet->out;

    buf_text(out, loops_words_builder);
    buf_text(out, loops_words_marker);
    buf_byte(out, '\n');
    quote_rule(out, sheet->run->fence);
    write_task(sheet);
    loops_sheet_test(sheet);
    if (repairs) {
        buf_printf(out, "\n## Revision %u of at most %u\n", (unsigned)tally->repairs + 1,
                   (unsigned)loop_revision_max(engine, sheet->lane));
    } else {
        buf_printf(out, "\n## Iteration %u of at most %u\n", (unsigned)sheet->lane->runs + 1,
                   (unsigned)loop_iteration_max(engine, sheet->lane));
    }
    loops_sheet_correction(sheet, true);
    write_last_report(sheet);
    if (repairs && sheet->lane->conflict) write_conflict(sheet);
    else write_feedback(sheet);
    buf_text(out, "\nEnd with the line that says how it stands, as described under \"How to end\"."
                  "\n");
}

/* ---- all of them ---- */

void loops_prompt(const struct run_view *run, const struct prompt_request *request,
                  struct buf *out)
{
    const struct action *action = request->action;
    struct arena arena = { 0 };
    struct loops_sheet sheet = {
        .run = run,
        .request = request,
        .arena = &arena,
        .lane = &run->engine->lanes[action->lane],
        .effort = loops_effort(run->settings),
        .out = out,
    };

    assert(action->kind == ACT_START);
    loops_tasks_of(run, &arena, &sheet.tasks);
    if (action->lane > 0) sheet.task = tasks_of_lane(&sheet.tasks, action->lane);
    switch ((enum loops_role)action->role) {
    case LOOPS_ENUMERATOR:
        loops_sheet_enumerator(&sheet);
        break;
    case LOOPS_PLANNER:
        loops_sheet_planner(&sheet);
        break;
    case LOOPS_BUILDER:
        sheet_builder(&sheet);
        break;
    case LOOPS_REVIEWER:
        loops_sheet_loop_review(&sheet);
        break;
    case LOOPS_RUN_REVIEWER:
        loops_sheet_run_review(&sheet);
        break;
    case LOOPS_REVISER:
        loops_sheet_reviser(&sheet);
        break;
    case LOOPS_INTEGRATOR: /* hone itself: the message is all it needs */
        buf_printf(out, "%s\n", sheet.task ? sheet.task->title : "");
        break;
    case LOOPS_NOBODY:
    case LOOPS_ROLE_COUNT:
        assert(!"nobody is asked");
    }
    arena_release(&arena);
}
