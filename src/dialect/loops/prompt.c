/* SPDX-License-Identifier: Apache-2.0
 *
 * prompt.c - fills the prompts of the loops dialect (prompts/loops/).
 *
 * 1. What the user, an agent or a file said stands only inside quotes (quote.h), or in a line as
 *    one harmless line.
 * 2. The depth of the effort decides which checks a review asks for (prompts/loops/_checks.md).
 * 3. Size is bounded: each quote has a bound, and the whole stays below 2 MiB. */
#include "dialect/loops/loops.h"
#include "dialect/looking.h"
#include "dialect/quote.h"
#include "dialect/rules.h"
#include "dialect/unresolved.h"
#include "prompts/loops.h"

#include <assert.h>

enum {
    TITLE_BYTES_MAX = 400,
    PATH_BYTES_MAX = 4096,
    TEXT_QUOTED_MAX = 128 * 1024,  /* of a task's text, and of the user's task */
    SPEC_QUOTED_MAX = 256 * 1024,
    TASKS_QUOTED_MAX = 256 * 1024, /* of a list of tasks */
    TASKS_BYTES_MAX = 64 << 20,
    PROBLEM_QUOTED_MAX = 16 * 1024,
    REPORT_QUOTED_MAX = 32 * 1024,
    CONFLICT_QUOTED_MAX = 192 * 1024,
    ISSUES_SHOWN_MAX = 200,
    ISSUE_QUOTED_MAX = 4096,
    OTHERS_SHOWN_MAX = 60,
    LIST_BYTES_MAX = 4 << 20,      /* of the issues, or of the other loops */
};

/* A prompt that is being filled, and the lists in it. */
struct sheet {
    const struct run_view *run;
    const struct prompt_request *request;
    const struct lane *lane;
    struct loops_tasks tasks;
    struct loops_page page;
    struct arena arena;
    struct buf issues, others, list, unresolved, looking, rules;
};

/* ---- lists ---- */

static void write_issue(const struct review_issue *issue, const char *fence, struct buf *out)
{
    struct str text = issue->text.size ? issue->text : issue->suggestion;

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
        buf_text(out, "): ");
    }
    quote_text(out, fence, text, "  ", ISSUE_QUOTED_MAX);
    buf_byte(out, '\n');
    if (issue->suggestion.size > 0 && issue->text.size > 0) {
        buf_text(out, "  Suggestion: ");
        quote_text(out, fence, issue->suggestion, "  ", ISSUE_QUOTED_MAX);
        buf_byte(out, '\n');
    }
}

/* What a review said: its intent, and its issues, a line each with the suggestion below it. */
static void fill_issues(struct sheet *sheet, const struct batch *batch)
{
    const char *fence = sheet->run->fence;
    struct buf *out = &sheet->issues;
    struct loops_review review;
    struct err err;

    if (loops_review_read(batch->jobs[0].result.doc, &sheet->arena, &review, &err) != 0) return;
    sheet->page.intent = slot_text(review.intent, ISSUE_QUOTED_MAX);
    sheet->page.unsatisfied = review.has_intent && !review.intent_satisfied;
    if (review.count > 0) quote_open(out, fence);
    for (uint32_t i = 0; i < review.count && i < ISSUES_SHOWN_MAX; i++) {
        write_issue(&review.issues[i], fence, out);
    }
    if (review.count > 0) quote_close(out, fence);
    if (review.count > ISSUES_SHOWN_MAX) {
        buf_printf(out, "%u more are left out here.\n",
                   (unsigned)(review.count - ISSUES_SHOWN_MAX));
    }
    sheet->page.issues = slot_part(out);
}

static void fill_tasks(struct sheet *sheet)
{
    tasks_write(&sheet->tasks, &sheet->list);
    sheet->page.tasks = slot_text(buf_str(&sheet->list), TASKS_QUOTED_MAX);
}

static void write_other(struct sheet *sheet, const struct lane *lane)
{
    const struct loops_task *task = tasks_of_lane(&sheet->tasks, lane->id);
    const char *status = loop_status(sheet->run->engine, lane);
    struct buf *out = &sheet->others;

    if (str_is(str_of(status), "running")) status = "in_progress";
    buf_printf(out, "- Loop %s (%s): ", loops_id(sheet->run, lane->id, &sheet->arena), status);
    quote_line(out, sheet->run->fence, str_of(task ? task->title : "?"), TITLE_BYTES_MAX);
    if (str_is(str_of(status), "in_progress") || str_is(str_of(status), "needs_revision")) {
        buf_printf(out, ", iteration %u", (unsigned)loop_iteration(lane));
    }
    buf_byte(out, '\n');
}

/* The other loops of the group: enough to see conflicts coming. */
static void fill_others(struct sheet *sheet)
{
    const struct engine *engine = sheet->run->engine;
    uint32_t count = 0;

    for (uint32_t i = 1; i < engine->lane_count; i++) {
        const struct lane *lane = &engine->lanes[i];

        if (lane == sheet->lane || lane->group != sheet->lane->group) continue;
        if (count == 0) quote_open(&sheet->others, sheet->run->fence);
        if (count++ < OTHERS_SHOWN_MAX) write_other(sheet, lane);
    }
    if (count > 0) quote_close(&sheet->others, sheet->run->fence);
    if (count > OTHERS_SHOWN_MAX) {
        buf_printf(&sheet->others, "%u more are left out here.\n",
                   (unsigned)(count - OTHERS_SHOWN_MAX));
    }
    sheet->page.others = slot_part(&sheet->others);
}

/* ---- roles ---- */

/* What all of them are told. */
static void fill_common(struct sheet *sheet)
{
    const struct run_view *run = sheet->run;
    const struct settings *settings = run->settings;
    struct loops_page *page = &sheet->page;

    page->fence = run->fence;
    page->problem = slot_text(sheet->request->problem, PROBLEM_QUOTED_MAX);
    page->goal = slot_text(str_of(run->task), TEXT_QUOTED_MAX);
    page->spec = slot_text(settings_file(settings, "--spec"), SPEC_QUOTED_MAX);
    page->spec_path = slot_text(str_of(setting_value(settings, "spec")), PATH_BYTES_MAX);
    page->test = slot_text(str_of(run->test), PATH_BYTES_MAX);
    page->workspace = slot_text(str_of(run->workspace), PATH_BYTES_MAX);
    page->hosted = view_is_hosted(run);
    page->answer_name = slot_word("it");
    page->answer_file = slot_text(STR(""), PATH_BYTES_MAX);
    page->output = slot_text(str_of(sheet->request->output), PATH_BYTES_MAX);
}

/* The task of a loop, and what its builder said of it last. */
static void fill_loop(struct sheet *sheet)
{
    const struct run_view *run = sheet->run;
    const struct lane *lane = sheet->lane;
    const struct loops_task *task = tasks_of_lane(&sheet->tasks, lane->id);
    const struct batch *report = lane->repair.count > 0 ? &lane->repair : &lane->work;
    struct loops_page *page = &sheet->page;

    page->loop = slot_word(loops_id(run, lane->id, &sheet->arena));
    page->title = slot_text(str_of(task ? task->title : run->task), TITLE_BYTES_MAX);
    page->task_id = slot_text(str_of(task ? task->id : ""), TITLE_BYTES_MAX);
    page->text = slot_text(task ? task->text : STR(""), TEXT_QUOTED_MAX);
    page->reported = report->count > 0;
    if (page->reported) page->report = slot_text(report->jobs[0].result.doc, REPORT_QUOTED_MAX);
    page->iteration_max = slot_number(loop_iteration_max(run->engine, lane));
    page->revision_max = slot_number(loop_revision_max(run->engine, lane));
    list_unresolved(&sheet->unresolved, run->fence, lane);
    page->unresolved = slot_part(&sheet->unresolved);
}

static void fill_builder(struct sheet *sheet)
{
    const struct action *action = sheet->request->action;
    const struct lane *lane = sheet->lane;
    const struct batch *review = &lane->review;
    struct loops_page *page = &sheet->page;

    fill_loop(sheet);
    page->begun = action->attempt > 1;
    page->repairs = action->purpose == FOR_REPAIR;
    page->revision = slot_number(lane->tallies[action->phase].repairs + 1);
    page->iteration = slot_number(lane->runs + 1);
    if (page->repairs && lane->conflict) { /* the builder alone knows what its own side meant */
        page->conflict = slot_text(review->jobs[0].result.doc, CONFLICT_QUOTED_MAX);
    } else if (review->count > 0 && review->jobs[0].purpose == FOR_CHECKPOINT) {
        page->checkpoint = slot_number(lane->checked);
        fill_issues(sheet, review);
    } else if (review->count > 0 && review->jobs[0].purpose != FOR_INTEGRATE) {
        page->reviewed = true;
        fill_issues(sheet, review);
    }
}

/* How closely a review is to look, and what it is made of. */
static void fill_checks(struct sheet *sheet)
{
    enum review_depth depth = loops_effort(sheet->run->settings)->depth;
    struct loops_page *page = &sheet->page;
    const char *types = "";

    page->depth = slot_word(review_depth_word(depth));
    page->standard = depth >= DEPTH_STANDARD;
    page->deep = depth >= DEPTH_DEEP;
    page->comprehensive = depth >= DEPTH_COMPREHENSIVE;
    for (const char *const *type = review_issue_types; *type; type++) {
        types = arena_printf(&sheet->arena, "%s%s%s", types, *types ? ", " : "", *type);
    }
    page->types = slot_word(types);
}

static void fill_loop_reviewer(struct sheet *sheet)
{
    const struct run_view *run = sheet->run;
    const struct action *action = sheet->request->action;
    const struct lane *lane = sheet->lane;
    struct loops_page *page = &sheet->page;

    fill_loop(sheet);
    fill_checks(sheet);
    fill_others(sheet);
    if (action->purpose == FOR_CHECKPOINT) page->task_id.text = STR(""); /* no task is judged */
    page->iteration = slot_number(loop_iteration(lane));
    page->review = slot_number(action->round);
    page->revisions = slot_number(loop_revisions(lane));
    page->worktree = slot_text(str_of(loops_worktree(run, lane->id, &sheet->arena)),
                               PATH_BYTES_MAX);
    page->since = slot_text(str_of(run->since), TITLE_BYTES_MAX);
    page->reviewed = action->purpose == FOR_REVIEW && lane->review.count > 0 &&
                     lane->review.jobs[0].purpose == FOR_REVIEW;
    if (page->reviewed) fill_issues(sheet, &lane->review);
}

static void fill_run_reviewer(struct sheet *sheet)
{
    const struct lane *lane = sheet->lane;
    struct loops_page *page = &sheet->page;

    fill_checks(sheet);
    fill_tasks(sheet);
    page->of_run = true;
    page->reviewed = lane->review.count > 0 && lane->review.phase == sheet->request->action->phase;
    if (page->reviewed) fill_issues(sheet, &lane->review);
}

/* A list that did not pass its review is made again: what the review said, and that list. */
static void fill_again(struct sheet *sheet, struct str before)
{
    struct loops_page *page = &sheet->page;

    page->reviewed = sheet->request->action->purpose == FOR_REPAIR && sheet->lane->review.count > 0;
    if (page->reviewed) fill_issues(sheet, &sheet->lane->review);
    page->before = slot_text(page->reviewed ? before : STR(""), TASKS_QUOTED_MAX);
}

static void fill_planner(struct sheet *sheet)
{
    const struct run_view *run = sheet->run;
    struct str tasks = loops_newest(run, LOOPS_STAGE_ENUMERATE);

    sheet->page.tasks = slot_text(tasks, TASKS_QUOTED_MAX);
    sheet->page.loops_max = slot_number(run->engine->plan->lane_max);
    fill_again(sheet, loops_newest(run, LOOPS_STAGE_PLAN));
}

/* ---- all of them ---- */

static void write_run_reviewer(struct sheet *sheet, struct buf *out)
{
    fill_run_reviewer(sheet);
    switch (loops_stage(sheet->run->engine->plan, sheet->request->action->phase)) {
    case LOOPS_STAGE_ENUMERATE:
        loops_page_tasks_reviewer(out, &sheet->page);
        break;
    case LOOPS_STAGE_PLAN:
        loops_page_plan_reviewer(out, &sheet->page);
        break;
    case LOOPS_STAGE_REVIEW:
        loops_page_run_reviewer(out, &sheet->page);
        break;
    case LOOPS_STAGE_BUILD:
    case LOOPS_STAGE_COUNT:
        assert(!"loops are reviewed one by one there");
    }
}

static void write_prompt(struct sheet *sheet, struct buf *out)
{
    const struct action *action = sheet->request->action;
    const struct loops_task *task;

    switch ((enum loops_role)action->role) {
    case LOOPS_ENUMERATOR:
        fill_again(sheet, loops_newest(sheet->run, LOOPS_STAGE_ENUMERATE));
        loops_page_enumerator(out, &sheet->page);
        break;
    case LOOPS_PLANNER:
        fill_planner(sheet);
        loops_page_planner(out, &sheet->page);
        break;
    case LOOPS_BUILDER:
        fill_builder(sheet);
        loops_page_builder(out, &sheet->page);
        break;
    case LOOPS_REVIEWER:
        fill_loop_reviewer(sheet);
        if (action->purpose == FOR_CHECKPOINT) loops_page_checkpoint(out, &sheet->page);
        else loops_page_loop_reviewer(out, &sheet->page);
        break;
    case LOOPS_RUN_REVIEWER:
        write_run_reviewer(sheet, out);
        break;
    case LOOPS_REVISER:
        fill_again(sheet, STR(""));
        fill_tasks(sheet);
        loops_page_reviser(out, &sheet->page);
        break;
    case LOOPS_INTEGRATOR: /* hone itself: the message is all it needs */
        task = tasks_of_lane(&sheet->tasks, action->lane);
        buf_printf(out, "%s\n", task ? task->title : "");
        break;
    case LOOPS_NOBODY:
    case LOOPS_ROLE_COUNT:
        assert(!"no agent has this role");
    }
}

void loops_prompt(const struct run_view *run, const struct prompt_request *request,
                  struct buf *out)
{
    struct sheet sheet = { .run = run, .request = request,
                           .lane = &run->engine->lanes[request->action->lane] };

    assert(request->action->kind == ACT_START);
    buf_init(&sheet.issues, LIST_BYTES_MAX);
    buf_init(&sheet.others, LIST_BYTES_MAX);
    buf_init(&sheet.list, TASKS_BYTES_MAX);
    buf_init(&sheet.unresolved, UNRESOLVED_BYTES_MAX);
    buf_init(&sheet.looking, LOOKING_BYTES_MAX);
    buf_init(&sheet.rules, RULES_BYTES_MAX);
    loops_tasks_of(run, &sheet.arena, &sheet.tasks);
    fill_common(&sheet);
    looking_write(&sheet.looking, run, request->action, false);
    sheet.page.looking = slot_part(&sheet.looking);
    rules_write(&sheet.rules, run, request->action);
    sheet.page.rules = slot_part(&sheet.rules);
    write_prompt(&sheet, out);
    buf_release(&sheet.issues);
    buf_release(&sheet.others);
    buf_release(&sheet.list);
    buf_release(&sheet.unresolved);
    buf_release(&sheet.looking);
    buf_release(&sheet.rules);
    arena_release(&sheet.arena);
}
