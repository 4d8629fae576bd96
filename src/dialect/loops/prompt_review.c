/* SPDX-License-Identifier: Apache-2.0
 *
 * prompt_review.c - what reviewers are told: of a loop, at a checkpoint, of the run.
 *
 * The depth of the effort decides which checks are asked for:
 *
 *     shallow         tests of what was changed, obvious faults
 *     standard        and each requirement, and the quality checks
 *     deep            and edge cases, and errors
 *     comprehensive   and security, performance, and all tests
 *
 * Intent, evidence and the form of the result are part of every review. */
#include "dialect/loops/prompt.h"

enum { OTHERS_SHOWN_MAX = 60 };

/* ---- what to check ---- */

static void write_checks(const struct loops_sheet *sheet, bool run)
{
    enum review_depth depth = sheet->effort->depth;
    struct buf *out = sheet->out;

    buf_printf(out, "\n## What to Check (%s)\n\n", review_depth_word(depth));
    if (depth < DEPTH_COMPREHENSIVE) {
        buf_printf(out, "- Tests: run those that belong to %s; they pass, and they would fail"
                        " without it.\n", run ? "what was built" : "the change");
    } else {
        buf_text(out, "- Tests: run all of the project's tests, not only those of the change; they"
                      " pass, and the new\n  ones would fail without the change.\n");
    }
    buf_text(out, "- Obvious faults: what cannot work, what breaks something that worked.\n");
    if (depth >= DEPTH_STANDARD) {
        buf_printf(out, "- Requirements: %s line by line, each with the code that meets it.\n",
                   run ? "the goal and every task," : "the task,");
    }
    if (depth >= DEPTH_DEEP) {
        buf_text(out, "- Edge cases: empty, huge, malformed, concurrent, interrupted.\n"
                      "- Errors: every call that can fail is checked, and what it says is kept.\n");
    }
    if (depth >= DEPTH_COMPREHENSIVE) {
        buf_text(out, "- Security: input from outside, paths, injection, secrets, permissions.\n"
                      "- Performance: work that grows faster than it must, memory without a"
                      " bound.\n");
    }
    loops_sheet_test(sheet);
    if (depth >= DEPTH_STANDARD) buf_text(out, loops_words_quality);
}

static void write_evidence(const struct loops_sheet *sheet, const char *tool)
{
    buf_text(sheet->out, loops_words_evidence);
    buf_printf(sheet->out, "Before calling %s, you MUST:\n", tool);
    buf_text(sheet->out, loops_words_proof);
}

/* ---- the result ---- */

static const char tool_of_loop[] = "set_loop_review_result", tool_of_run[] = "set_review_result";

static void write_types(const struct loops_sheet *sheet)
{
    buf_text(sheet->out, "\nIssue types: ");
    for (const char *const *type = review_issue_types; *type; type++) {
        buf_printf(sheet->out, "%s%s", type == review_issue_types ? "" : ", ", *type);
    }
    buf_byte(sheet->out, '\n');
}

/* tool: its name; loop and task NULL: it is about the run. */
static void write_report(const struct loops_sheet *sheet, const char *tool, const char *loop,
                         const char *task)
{
    struct buf *out = sheet->out;

    buf_printf(out, "\n## How to Report Results\n\nUse `%s` when finished:\n\n```\n%s({\n", tool,
               tool);
    if (loop) buf_printf(out, "  loopId: \"%s\",\n", loop);
    if (task) buf_printf(out, "  taskId: \"%s\",\n", task);
    buf_printf(out, "  passed: true/false,\n"
                    "  interpretedIntent: \"What the task was really trying to accomplish\",\n"
                    "  intentSatisfied: true/false,\n"
                    "  issues: [{ %sfile, line, type, description, suggestion }]\n"
                    "})\n```\n", loop ? "" : "taskId, ");
    write_types(sheet);
    buf_text(out, loop ? "\n`passed` decides. Pass only with `intentSatisfied` true and nothing"
                         " that must be mended; issues\nbeside a pass are notes."
                       : "\nPass only with `intentSatisfied` true and no issue: whatever you list"
                         " fails the review.");
    buf_printf(out, " Fail with an issue for each cause: where, what, and the smallest fix.\n\n"
                    "If you have no tool `%s`, answer with that object as JSON\ninstead. ", tool);
    loops_sheet_answer(sheet);
}

static void write_end(const struct loops_sheet *sheet)
{
    if (view_is_hosted(sheet->run)) return; /* the last message is the review */
    buf_text(sheet->out, "\nWhen done, output: REVIEW_COMPLETE\n");
}

/* ---- a loop ---- */

static void write_other(const struct loops_sheet *sheet, const struct lane *lane)
{
    const struct loops_task *task = tasks_of_lane(&sheet->tasks, lane->id);
    const char *status = loop_status(sheet->run->engine, lane);
    struct buf *out = sheet->out;

    if (str_is(str_of(status), "running")) status = "in_progress";
    buf_printf(out, "- Loop %s (%s): ", loops_id(sheet->run, lane->id, sheet->arena), status);
    loops_sheet_line(sheet, str_of(task ? task->title : "?"), TITLE_BYTES_MAX);
    if (str_is(str_of(status), "in_progress") || str_is(str_of(status), "needs_revision")) {
        buf_printf(out, ", iteration %u", (unsigned)loop_iteration(lane));
    }
    buf_byte(out, '\n');
}

/* The other loops of the group: enough to see conflicts coming. */
static void write_others(const struct loops_sheet *sheet)
{
    const struct engine *engine = sheet->run->engine;
    uint32_t shown = 0, more = 0;

    buf_text(sheet->out, "\n## Other Loops (for context)\n\n");
    for (uint32_t i = 1; i < engine->lane_count; i++) {
        const struct lane *lane = &engine->lanes[i];

        if (lane == sheet->lane || lane->group != sheet->lane->group) continue;
        if (shown == OTHERS_SHOWN_MAX) {
            more++;
            continue;
        }
        if (shown++ == 0) quote_open(sheet->out, sheet->run->fence);
        write_other(sheet, lane);
    }
    if (shown > 0) quote_close(sheet->out, sheet->run->fence);
    if (more > 0) buf_printf(sheet->out, "%u more are left out here.\n", (unsigned)more);
    if (shown == 0) buf_text(sheet->out, "No other active loops\n");
}

static void write_directory(const struct loops_sheet *sheet)
{
    struct buf *out = sheet->out;

    buf_text(out, "\n## Working Directory\n\nThis loop's worktree: ");
    loops_sheet_line(sheet, str_of(loops_worktree(sheet->run, sheet->lane->id, sheet->arena)),
               PATH_BYTES_MAX);
    buf_byte(out, '\n');
    if (sheet->run->since && *sheet->run->since) {
        buf_text(out, "What the loop changed, committed or not: `git diff ");
        loops_sheet_line(sheet, str_of(sheet->run->since), TITLE_BYTES_MAX);
        buf_text(out, "`, and `git status` for new files.\n");
    } else {
        buf_text(out, "`git log`, `git diff` and `git status` show what the loop changed.\n");
    }
    buf_text(out, loops_words_reader);
}

/* What the review before this one found, and what the builder says it did about it. */
static void write_before(const struct loops_sheet *sheet)
{
    const struct lane *lane = sheet->lane;
    const struct batch *report = lane->repair.count > 0 ? &lane->repair : &lane->work;
    struct buf *out = sheet->out;

    if (sheet->request->action->purpose == FOR_REVIEW && lane->review.count > 0 &&
        lane->review.jobs[0].purpose == FOR_REVIEW) {
        buf_text(out, "\n## The Review Before\n\n"
                      "Check in the code that each of these is mended, and look at what has changed"
                      " since for what\nthat broke. Where the builder gave a reason for not mending"
                      " one, check the reason.\n\n");
        loops_sheet_issues(sheet, lane->review.jobs[0].result.doc);
    }
    if (report->count == 0) return;
    buf_text(out, "\n## What the Builder Says\n\nA claim, and no evidence:\n\n");
    quote_block(out, sheet->run->fence, report->jobs[0].result.doc, REPORT_QUOTED_MAX);
}

static void write_progress(const struct loops_sheet *sheet, bool checkpoint)
{
    const struct engine *engine = sheet->run->engine;
    struct buf *out = sheet->out;

    buf_printf(out, "\n## Progress\n\nIteration %u of at most %u",
               (unsigned)loop_iteration(sheet->lane),
               (unsigned)loop_iteration_max(engine, sheet->lane));
    if (checkpoint) {
        buf_text(out, ".\n\n"
                   "This is a checkpoint: the task is not finished, and nobody says that it is. Do"
                   " not fail it for\nbeing unfinished. Fail it where it goes the wrong way, turns"
                   " in circles, or does what will have to\nbe undone. What you report is feedback"
                   " for the builder, who goes on at once.\n");
        return;
    }
    buf_printf(out, "; review %u, after %u revisions of at most %u.\n",
               (unsigned)sheet->request->action->round,
               (unsigned)loop_revisions(engine, sheet->lane),
               (unsigned)loop_revision_max(engine, sheet->lane));
}

void loops_sheet_loop_review(const struct loops_sheet *sheet)
{
    bool checkpoint = sheet->request->action->purpose == FOR_CHECKPOINT;
    const char *loop = loops_id(sheet->run, sheet->lane->id, sheet->arena);
    const struct loops_task *task = sheet->task;
    struct buf *out = sheet->out;

    buf_printf(out, "# %s REVIEW PHASE\n\nYou are reviewing work %s by Loop %s.\n\n",
               checkpoint ? "CHECKPOINT" : "LOOP", checkpoint ? "in progress" : "completed", loop);
    quote_rule(out, sheet->run->fence);
    loops_sheet_correction(sheet, false);
    buf_text(out, "\n## Task Under Review\n\n**");
    loops_sheet_line(sheet, str_of(task ? task->title : sheet->run->task), TITLE_BYTES_MAX);
    buf_text(out, "**\n");
    if (task && task->text.size > 0) {
        buf_byte(out, '\n');
        quote_block(out, sheet->run->fence, task->text, TEXT_QUOTED_MAX);
    }
    write_progress(sheet, checkpoint);
    write_others(sheet);
    write_directory(sheet);
    write_before(sheet);
    buf_text(out, loops_words_intent);
    write_evidence(sheet, tool_of_loop);
    write_checks(sheet, false);
    write_report(sheet, tool_of_loop, loop, checkpoint || !task ? NULL : task->id);
    write_end(sheet);
}

/* ---- the run ---- */

static void write_list(const struct loops_sheet *sheet, const char *title)
{
    struct buf list;

    buf_init(&list, 64 << 20);
    tasks_write(&sheet->tasks, &list);
    buf_printf(sheet->out, "\n## %s\n\n", title);
    quote_block(sheet->out, sheet->run->fence, buf_str(&list), LIST_QUOTED_MAX);
    buf_release(&list);
}

static const struct {
    const char *title, *about;
} run_reviews[LOOPS_STAGE_COUNT] = {
    [LOOPS_STAGE_ENUMERATE] = { "TASKS REVIEW PHASE",
        "You are reviewing a list of tasks before anything is built: together they must be the"
        " whole of\nthe goal, no more and no less. Each must say all that its builder needs,"
        " stand by itself, and name\nwhat it depends on. Pass it when that holds.\n" },
    [LOOPS_STAGE_PLAN] = { "PLAN REVIEW PHASE",
        "You are reviewing a plan before anything is built: the tasks of a group are built at the"
        " same\ntime and merged one after the other, then the next group begins. No task may be"
        " built before what\nit needs, and tasks of one group should not change the same places."
        " Pass it when that holds.\n" },
    [LOOPS_STAGE_BUILD] = { "", "" },
    [LOOPS_STAGE_REVIEW] = { "RUN REVIEW PHASE",
        "You are reviewing what a whole run has built. Each task was reviewed by itself and"
        " merged; now the\nwhole must serve the goal: nothing is missing between the tasks, nothing"
        " contradicts, and all of it\nworks together. Where you fail it, tasks are made of your"
        " issues.\n" },
};

void loops_sheet_run_review(const struct loops_sheet *sheet)
{
    const struct engine *engine = sheet->run->engine;
    enum loops_stage stage = loops_stage(engine->plan, sheet->request->action->phase);
    const struct lane *lane = &engine->lanes[0];
    struct buf *out = sheet->out;

    buf_printf(out, "# %s\n\n%s\n", run_reviews[stage].title, run_reviews[stage].about);
    quote_rule(out, sheet->run->fence);
    loops_sheet_correction(sheet, false);
    loops_sheet_goal(sheet);
    write_list(sheet, stage == LOOPS_STAGE_REVIEW ? "The tasks, all of them merged" : "The tasks");
    buf_text(out, "\n## Working Directory\n\n`");
    loops_sheet_line(sheet, str_of(sheet->run->workspace), PATH_BYTES_MAX);
    buf_text(out, "`\n");
    buf_text(out, loops_words_reader);
    if (lane->review.count > 0 && lane->review.phase == sheet->request->action->phase) {
        buf_text(out, "\n## The Review Before\n\n");
        loops_sheet_issues(sheet, lane->review.jobs[0].result.doc);
    }
    buf_text(out, loops_words_intent);
    if (stage == LOOPS_STAGE_REVIEW) {
        write_evidence(sheet, tool_of_run);
        write_checks(sheet, true);
    }
    write_report(sheet, tool_of_run, NULL, NULL);
    write_end(sheet);
}
