/* SPDX-License-Identifier: Apache-2.0
 *
 * prompt.c - fills the prompts of workers, reviewers and fixers (prompts/custom/).
 *
 * What the loop file says of a role stands in its prompt as a remit, in the user's own words; all
 * else is as in the other dialects' prompts: what comes from outside is quoted, and the form of the
 * answer is that of the reader which will read it.
 *
 * An agent of a lane is told its own task beside that of the run, and what the others of its group
 * do; those behind the lanes are told what came of each task.
 *
 * Size is bounded: each quote has a bound, and the whole stays below 2 MiB. */
#include "dialect/custom/custom.h"

#include "dialect/looking.h"
#include "dialect/quote.h"
#include "dialect/review/review.h"
#include "dialect/role_file.h"
#include "dialect/rules.h"
#include "dialect/unresolved.h"
#include "format/text/safe.h"
#include "prompts/custom.h"

#include <assert.h>

enum {
    TASK_BYTES_MAX = 128 * 1024,
    REPORT_BYTES_MAX = 48 * 1024,
    BEFORE_BYTES_MAX = 256 * 1024,
    PROBLEM_BYTES_MAX = 16 * 1024,
    PATH_BYTES_MAX = 4096,
    LIST_BYTES_MAX = 1 << 20,
    TITLE_BYTES_MAX = 400,
    CONFLICT_BYTES_MAX = 192 * 1024,
    OTHERS_BYTES_MAX = 64 * 1024,
    OTHERS_SHOWN_MAX = 60,
};

/* A prompt that is being filled, and the parts of it that are written first. */
struct custom_sheet {
    const struct run_view *run;
    const struct prompt_request *request;
    const struct phase *phase;
    const struct lane *lane;
    struct loop loop;
    struct custom_page page;
    struct arena arena;
    struct buf issues, before, reviews, joins, remit, unresolved, looking, rules, others;
};

/* What a part quotes of an agent, below a line that says of whom. */
static void add_quote(struct buf *out, const char *title, struct str text, const char *fence)
{
    if (text.size == 0) return;
    buf_printf(out, "%s%s:\n\n", out->size ? "\n" : "", title);
    quote_block(out, fence, text, REPORT_BYTES_MAX);
}

/* What was reported last of each task: by who did it, or mended it. */
static void before_lanes(struct custom_sheet *sheet, uint32_t phase)
{
    const struct engine *engine = sheet->run->engine;
    const struct loops_tasks *tasks = &sheet->loop.tasks;

    for (uint32_t i = 0; i < tasks->count; i++) {
        const struct loops_task *task = &tasks->items[i];
        struct str doc = engine_doc(engine, task->lane, engine->iteration, phase, FOR_REPAIR);

        if (task->lane == 0) continue;
        if (doc.size == 0) doc = engine_doc(engine, task->lane, engine->iteration, phase, FOR_WORK);
        add_quote(&sheet->before, arena_printf(&sheet->arena, "Phase %s, task %s",
                                               engine->plan->phases[phase].name, task->id),
                  doc, sheet->run->fence);
    }
}

/* The reports of the phases before this one, in their order. */
static void before_write(struct custom_sheet *sheet)
{
    const struct engine *engine = sheet->run->engine;

    for (uint32_t i = 0; i < sheet->request->action->phase; i++) {
        const struct phase *phase = &engine->plan->phases[i];
        struct str doc = engine_doc(engine, 0, engine->iteration, i, FOR_WORK);

        if (phase->fan) before_lanes(sheet, i);
        if (engine->plan->roles[phase->work.role].builtin) continue;
        add_quote(&sheet->before, arena_printf(&sheet->arena, "Phase %s", phase->name), doc,
                  sheet->run->fence);
    }
}

/* The other tasks of the group: enough to see conflicts coming. */
static void others_write(struct custom_sheet *sheet)
{
    const struct engine *engine = sheet->run->engine;
    struct buf *out = &sheet->others;
    uint32_t count = 0;

    for (uint32_t i = 1; i < engine->lane_count; i++) {
        const struct lane *lane = &engine->lanes[i];
        const struct loops_task *task = tasks_of_lane(&sheet->loop.tasks, i);

        if (lane == sheet->lane || lane->group != sheet->lane->group || !task) continue;
        if (count == 0) quote_open(out, sheet->run->fence);
        if (count++ >= OTHERS_SHOWN_MAX) continue;
        buf_printf(out, "- %s: ", task->id);
        quote_line(out, sheet->run->fence, str_of(task->title), TITLE_BYTES_MAX);
        buf_byte(out, '\n');
    }
    if (count > 0) quote_close(out, sheet->run->fence);
    if (count > OTHERS_SHOWN_MAX) {
        buf_printf(out, "%u more are left out here.\n", (unsigned)(count - OTHERS_SHOWN_MAX));
    }
}

/* What the agents of a lane are told beside it. */
static void fill_lane(struct custom_sheet *sheet)
{
    const struct loops_task *task = tasks_of_lane(&sheet->loop.tasks, sheet->lane->id);
    struct custom_page *page = &sheet->page;

    if (sheet->lane->id == 0 || !task) return;
    page->lane = slot_word(loops_id(sheet->run, sheet->lane->id, &sheet->arena));
    page->task_id = slot_text(str_of(task->id), TITLE_BYTES_MAX);
    page->title = slot_text(str_of(task->title), TITLE_BYTES_MAX);
    page->text = slot_text(task->text, TASK_BYTES_MAX);
    others_write(sheet);
    page->beside = slot_part(&sheet->others);
}

/* What all of them are told. */
static void fill(struct custom_sheet *sheet)
{
    const struct run_view *run = sheet->run;
    const struct action *action = sheet->request->action;
    const struct plan *plan = run->engine->plan;
    const struct role *role = &plan->roles[action->role];
    struct custom_page *page = &sheet->page;

    page->fence = run->fence;
    page->phase = slot_word(sheet->phase->name);
    page->role = slot_word(role->name);
    page->round = slot_number(action->round);
    page->problem = slot_text(sheet->request->problem, PROBLEM_BYTES_MAX);
    page->writes = role->writes;
    page->commits = role->commits;
    page->begun = role->writes && action->attempt > 1;
    page->task = slot_text(str_of(run->task), TASK_BYTES_MAX);
    page->workspace = slot_text(str_of(run->workspace), PATH_BYTES_MAX);
    page->files = slot_text(str_of(custom_folder(run, &sheet->loop, &sheet->arena)),
                            PATH_BYTES_MAX);
    page->hosted = view_is_hosted(run);
    page->answer_name = slot_word(action->purpose == FOR_REVIEW ||
                                          action->purpose == FOR_CHECKPOINT ? "it" : "the report");
    page->answer_file = slot_text(STR(""), PATH_BYTES_MAX);
    page->output = slot_text(str_of(sheet->request->output), PATH_BYTES_MAX);
    quote_text(&sheet->remit, run->fence,
               str_trim(custom_remit(run->settings, &sheet->loop.roles[action->role],
                                     &sheet->arena)), "", ROLE_REMIT_BYTES_MAX);
    buf_byte(&sheet->remit, '\n');
    page->remit = slot_part(&sheet->remit);
    before_write(sheet);
    page->before = slot_part(&sheet->before);
    fill_lane(sheet);
    list_unresolved(&sheet->unresolved, run->fence, sheet->lane);
    page->unresolved = slot_part(&sheet->unresolved);
    rules_write(&sheet->rules, run, action);
    page->rules = slot_part(&sheet->rules);
}

/* What the newest fixer of this phase reported. */
static struct str last_repair(const struct custom_sheet *sheet)
{
    const struct lane *lane = sheet->lane;

    if (lane->repair.count == 0 || lane->repair.phase != sheet->request->action->phase) {
        return STR("");
    }
    return lane->repair.jobs[0].result.doc;
}

static void fill_reviewer(struct custom_sheet *sheet)
{
    const struct run_view *run = sheet->run;
    const struct action *action = sheet->request->action;
    const struct lane *lane = sheet->lane;
    const struct gate *gate = &sheet->phase->gate;
    enum custom_reader reader = sheet->loop.roles[action->role].reader;
    struct custom_page *page = &sheet->page;

    page->checkpoint = action->purpose == FOR_CHECKPOINT;
    page->others = gate->reviewer_count > 1 && !action->recheck && !page->checkpoint;
    page->reviewers = slot_number(gate->reviewer_count);
    page->round_max = slot_number(gate_review_max(gate));
    page->all = lane->id == 0 && run->scope_given && (!run->since || !*run->since);
    page->since = slot_word(lane->id != 0 || run->scope_given ? run->since : "");
    if (lane->review.count > 0 && lane->review.phase == action->phase &&
        lane->review.iteration == action->iteration &&
        lane->review.jobs[0].purpose == FOR_REVIEW && !page->checkpoint) {
        review_list_short(&sheet->issues, run->fence, &lane->review);
    }
    page->last_issues = slot_part(&sheet->issues);
    page->last_round = slot_number(lane->review.round);
    page->fixer_said = slot_text(last_repair(sheet), REPORT_BYTES_MAX);
    page->changed = slot_names(run->changed, run->changed_count);
    looking_write(&sheet->looking, run, action, false);
    page->looking = slot_part(&sheet->looking);
    page->of_findings = reader == CUSTOM_FINDINGS;
    page->of_grade = reader == CUSTOM_GRADE;
    page->of_verdict = reader == CUSTOM_VERDICT;
    page->votes = slot_number(gate->votes_min > 1 ? gate->votes_min : 0);
    page->or_evidence = gate->votes_or_evidence;
}

/* What was found, and the texts of those reviews that are more than a list. */
static void fill_found(struct custom_sheet *sheet)
{
    const struct run_view *run = sheet->run;
    const struct batch *review = &sheet->lane->review;
    struct custom_page *page = &sheet->page;
    uint32_t total = 0;

    for (uint32_t i = 0; i < review->count; i++) {
        const struct job *job = &review->jobs[i];
        enum custom_reader reader = sheet->loop.roles[job->role].reader;

        total += job->result.finding_count;
        if (reader == CUSTOM_FINDINGS || job->result.finding_count == 0) continue;
        add_quote(&sheet->reviews, run->engine->plan->roles[job->role].name, job->result.doc,
                  run->fence);
    }
    page->total = slot_number(total);
    page->one = total == 1;
    if (total > 0) review_list_full(&sheet->issues, run->fence, review);
    page->issues = slot_part(&sheet->issues);
    page->reviews = slot_part(&sheet->reviews);
}

/* A conflict of integration is no review's finding. */
static void fill_fixer(struct custom_sheet *sheet)
{
    const struct lane *lane = sheet->lane;
    struct custom_page *page = &sheet->page;

    if (lane->conflict) {
        page->conflict = slot_text(lane->review.jobs[0].result.doc, CONFLICT_BYTES_MAX);
    } else {
        fill_found(sheet);
    }
    page->says = review_list_says(&lane->review);
    page->fixer_said = slot_text(last_repair(sheet), REPORT_BYTES_MAX);
    page->last_repair_round = slot_number(lane->repair.round);
}

/* Work that is repeated: what was said of it before, and what a checkpoint saw. */
static void fill_again(struct custom_sheet *sheet)
{
    const struct lane *lane = sheet->lane;
    struct custom_page *page = &sheet->page;

    if (sheet->phase->work.run_max == 0) return;
    page->run = slot_number(lane->runs + 1);
    page->run_max = slot_number(sheet->phase->work.run_max + lane->granted);
    if (lane->work.count > 0) {
        page->last_report = slot_text(lane->work.jobs[0].result.doc, REPORT_BYTES_MAX);
    }
    if (lane->review.count > 0 && lane->review.jobs[0].purpose == FOR_CHECKPOINT) {
        fill_found(sheet);
    }
}

static void fill_worker(struct custom_sheet *sheet)
{
    const struct action *action = sheet->request->action;
    const struct batch *work = &sheet->lane->work;
    uint32_t copies = sheet->phase->work.copies;
    struct custom_page *page = &sheet->page;

    page->copies = slot_number(copies > 1 && action->copy > 0 ? copies : 0);
    page->copy = slot_number(action->copy);
    for (uint32_t i = 0; action->purpose == FOR_JOIN && i < work->count; i++) {
        add_quote(&sheet->joins, arena_printf(&sheet->arena, "Number %u", (unsigned)(i + 1)),
                  work->jobs[i].result.doc, sheet->run->fence);
    }
    page->joins = slot_part(&sheet->joins);
    fill_again(sheet);
}

static void sheet_write(struct custom_sheet *sheet, struct buf *out)
{
    fill(sheet);
    switch (sheet->request->action->purpose) {
    case FOR_REVIEW:
    case FOR_CHECKPOINT:
        fill_reviewer(sheet);
        custom_page_reviewer(out, &sheet->page);
        break;
    case FOR_REPAIR:
        fill_fixer(sheet);
        custom_page_fixer(out, &sheet->page);
        break;
    case FOR_WORK:
    case FOR_JOIN:
    case FOR_THEN:
    case FOR_PROOF:
    case FOR_INTEGRATE:
    case FOR_COUNT:
        fill_worker(sheet);
        custom_page_worker(out, &sheet->page);
        break;
    }
}

void custom_prompt(const struct run_view *run, const struct prompt_request *request,
                   struct buf *out)
{
    struct custom_sheet sheet = { .run = run, .request = request };
    enum { PARTS = 9 };
    struct buf *parts[PARTS] = { &sheet.issues, &sheet.before, &sheet.reviews, &sheet.joins,
                                 &sheet.remit, &sheet.unresolved, &sheet.looking, &sheet.rules,
                                 &sheet.others };
    const size_t bytes[PARTS] = { LIST_BYTES_MAX, BEFORE_BYTES_MAX, BEFORE_BYTES_MAX,
                                  BEFORE_BYTES_MAX, LIST_BYTES_MAX, UNRESOLVED_BYTES_MAX,
                                  LOOKING_BYTES_MAX, RULES_BYTES_MAX, OTHERS_BYTES_MAX };
    bool good = custom_loop(run->settings, &sheet.arena, &sheet.loop);

    assert(request->action->kind == ACT_START && good);
    (void)good;
    sheet.phase = &run->engine->plan->phases[request->action->phase];
    sheet.lane = &run->engine->lanes[request->action->lane];
    for (uint32_t i = 0; i < PARTS; i++) buf_init(parts[i], bytes[i]);
    sheet_write(&sheet, out);
    for (uint32_t i = 0; i < PARTS; i++) buf_release(parts[i]);
    arena_release(&sheet.arena);
}
