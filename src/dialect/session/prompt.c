/* SPDX-License-Identifier: Apache-2.0
 *
 * prompt.c - fills the prompts of the executor and the reviewers (prompts/session/).
 *
 * An agent starts with nothing but its prompt and the workspace. So a prompt says, in this order:
 * who it is and where the session stands, what was wrong with its last answer, the work item, the
 * plan and where it comes from, what the executor said and what the tree shows, what was found so
 * far, how to work, and the exact form of the answer.
 *
 * 1. A reviewer sees what changed in this round by content. What the executor claims only marks
 *    that list: a file it did not declare is named as undeclared.
 * 2. An issue's state is what later reviews of the same phase say: reported again, or not. An
 *    executor's word that it is fixed does not count.
 * 3. Size is bounded: each quote and each list has a bound, and the whole stays below 2 MiB. */
#include "dialect/session/session.h"

#include "dialect/looking.h"
#include "dialect/quote.h"
#include "dialect/rules.h"
#include "dialect/session/config.h"
#include "dialect/unresolved.h"
#include "prompts/session.h"

#include <assert.h>
#include <string.h>

enum {
    TASK_BYTES_MAX = 128 * 1024,
    PLAN_BYTES_MAX = 256 * 1024,
    ANSWER_BYTES_MAX = 256 * 1024,
    DIFF_BYTES_MAX = 256 * 1024,
    PROBLEM_BYTES_MAX = 16 * 1024,
    FOCUS_BYTES_MAX = 16 * 1024,
    HISTORY_BYTES_MAX = 96 * 1024,
    PATH_BYTES_MAX = 4096,
    LIST_BYTES_MAX = 64 << 20, /* of history before it is cut */
    ISSUES_MAX = 200,
    ISSUE_BYTES_MAX = 2048,
    FILES_MAX = 400,
    FILE_BYTES_MAX = 512,
    LISTS = 8, /* of a sheet */
};

/* A prompt that is being filled, and the lists in it. */
struct sheet {
    const struct run_view *run;
    const struct prompt_request *request;
    bool planning;
    struct session_story story;
    struct session_page page;
    struct arena arena;
    struct buf open_issues, found, history, dirty, delta, unresolved, looking, rules;
};

/* ---- issues ---- */

static void write_issue(struct buf *out, const char *fence, const struct finding *issue)
{
    buf_text(out, issue->severity == SEVERITY_HIGH ? "[CRITICAL] " : "[MINOR] ");
    quote_text(out, fence, issue->text, "  ", ISSUE_BYTES_MAX);
    if (issue->file.size == 0) return;
    buf_text(out, "\n  File: `");
    quote_line(out, fence, issue->file, FILE_BYTES_MAX);
    buf_byte(out, '`');
    if (issue->line) buf_printf(out, ", around line %u", (unsigned)issue->line);
}

/* What a repair is to mend. */
static void fill_open_issues(struct sheet *sheet)
{
    const struct engine *engine = sheet->run->engine;
    const struct batch *review = &engine->lanes[0].review;
    struct buf *out = &sheet->open_issues;
    uint32_t count = 0;

    quote_open(out, sheet->run->fence);
    for (uint32_t i = 0; i < review->count; i++) {
        const struct result *result = &review->jobs[i].result;
        for (uint32_t k = 0; k < result->finding_count; k++, count++) {
            if (count >= ISSUES_MAX) continue;
            buf_text(out, "- ");
            write_issue(out, sheet->run->fence, &result->findings[k]);
            buf_byte(out, '\n');
        }
    }
    quote_close(out, sheet->run->fence);
    sheet->page.review_phase = slot_word(engine->plan->phases[review->phase].name);
    sheet->page.review_round = slot_number(review->round);
    sheet->page.open_issues = slot_part(out);
    sheet->page.open_issues_cut = slot_number(count > ISSUES_MAX ? count - ISSUES_MAX : 0);
}

static void write_state(struct sheet *sheet, uint32_t at, uint64_t fingerprint)
{
    struct session_fate fate = session_issue_fate(&sheet->story, at, fingerprint);

    if (!fate.later) {
        buf_text(&sheet->found, "\n  Status: not reviewed again yet");
    } else {
        buf_printf(&sheet->found, "\n  Status: %s in round %u",
                   fate.again ? "reported again" : "not reported any more",
                   (unsigned)fate.later->number);
    }
}

/* Issues of planning are settled by the plan; reviews of code see those of all stages. */
static bool is_told(const struct sheet *sheet, const struct session_turn *turn)
{
    return session_phase_is(sheet->run->engine->plan, turn->phase, "planning") == sheet->planning;
}

static uint32_t issue_total(const struct sheet *sheet)
{
    uint32_t total = 0;

    for (uint32_t i = 0; i < sheet->story.count; i++) {
        const struct session_turn *turn = &sheet->story.turns[i];
        if (!is_told(sheet, turn)) continue;
        for (uint32_t k = 0; k < turn->count; k++) total += turn->steps[k].doc.issue_count;
    }
    return total;
}

static void write_turn_issues(struct sheet *sheet, uint32_t at, uint32_t *left_out)
{
    const struct session_turn *turn = &sheet->story.turns[at];
    const char *title = session_phase_title(sheet->run->engine->plan, turn->phase);

    for (uint32_t i = 0; i < turn->count; i++) {
        const struct session_doc *doc = &turn->steps[i].doc;
        for (uint32_t k = 0; k < doc->issue_count; k++) {
            if (*left_out > 0) {
                --*left_out;
                continue;
            }
            buf_printf(&sheet->found, "- %s round %u: ", title, (unsigned)turn->number);
            write_issue(&sheet->found, sheet->run->fence, &doc->issues[k]);
            write_state(sheet, at, doc->issues[k].fingerprint);
            buf_byte(&sheet->found, '\n');
        }
    }
}

/* Every issue so far, and what became of it. */
static void fill_found(struct sheet *sheet)
{
    uint32_t total = issue_total(sheet), left_out = total > ISSUES_MAX ? total - ISSUES_MAX : 0;

    sheet->page.found_cut = slot_number(left_out);
    if (total > 0) {
        quote_open(&sheet->found, sheet->run->fence);
        for (uint32_t i = 0; i < sheet->story.count; i++) {
            if (is_told(sheet, &sheet->story.turns[i])) write_turn_issues(sheet, i, &left_out);
        }
        quote_close(&sheet->found, sheet->run->fence);
    }
    sheet->page.found = slot_part(&sheet->found);
}

/* Review History; where it is long its newest part, in whole lines. */
static void fill_history(struct sheet *sheet)
{
    struct str history, line;

    session_history(sheet->run, &sheet->history);
    history = str_trim(buf_str(&sheet->history));
    sheet->page.has_history = history.size > 0;
    sheet->page.history_cut = history.size > HISTORY_BYTES_MAX;
    if (sheet->page.history_cut) {
        history = str_skip(history, history.size - HISTORY_BYTES_MAX);
        str_cut(&history, '\n', &line);
    }
    sheet->page.history = slot_text(history, (size_t)2 * HISTORY_BYTES_MAX);
}

/* ---- the tree ---- */

static void write_file(struct buf *out, const char *fence, struct str path, const char *mark)
{
    quote_line(out, fence, path, FILE_BYTES_MAX);
    buf_printf(out, "%s\n", mark);
}

static struct slot_word files_cut(uint32_t count)
{
    return slot_number(count > FILES_MAX ? count - FILES_MAX : 0);
}

static void fill_dirty(struct sheet *sheet, const struct tree_view *tree)
{
    struct buf *out = &sheet->dirty;

    quote_open(out, sheet->run->fence);
    if (tree->dirty_count == 0) buf_text(out, "(nothing)\n");
    for (uint32_t i = 0; i < tree->dirty_count && i < FILES_MAX; i++) {
        const struct tree_file *file = &tree->dirty[i];

        write_file(out, sheet->run->fence, file->path, *file->oid ? "" : "  (deleted)");
    }
    quote_close(out, sheet->run->fence);
    sheet->page.dirty = slot_part(out);
    sheet->page.dirty_cut = files_cut(tree->dirty_count);
}

static void fill_delta(struct sheet *sheet, const struct tree_view *tree,
                       const struct session_step *work)
{
    struct buf *out = &sheet->delta;
    uint32_t undeclared = 0;

    quote_open(out, sheet->run->fence);
    if (tree->delta_count == 0) buf_text(out, "(nothing)\n");
    for (uint32_t i = 0; i < tree->delta_count; i++) {
        const struct tree_file *file = &tree->delta[i];
        bool declared = !work || session_doc_claims(&work->doc, file->path);

        undeclared += !declared;
        if (i >= FILES_MAX) continue;
        write_file(out, sheet->run->fence, file->path,
                   arena_printf(&sheet->arena, "  (%s%s)", file->change,
                                declared ? "" : ", undeclared"));
    }
    quote_close(out, sheet->run->fence);
    sheet->page.delta = slot_part(out);
    sheet->page.delta_cut = files_cut(tree->delta_count);
    sheet->page.undeclared = slot_number(undeclared);
}

/* What the executor says it did, and what the tree shows. */
static void fill_work(struct sheet *sheet)
{
    const struct session_step *work = session_last_executor(&sheet->story, false);
    const struct tree_view *tree = sheet->run->tree;
    struct session_page *page = &sheet->page;

    page->worked = work != NULL;
    page->report = slot_text(work ? work->doc.answer : STR(""), ANSWER_BYTES_MAX);
    page->tree = tree != NULL;
    if (!tree) return;
    page->from_head = tree->from_head;
    page->diff = slot_text(tree->diff, DIFF_BYTES_MAX);
    fill_dirty(sheet, tree);
    if (!tree->from_head) fill_delta(sheet, tree, work);
}

/* ---- what all are told ---- */

/* The round that the action is for: of work and repair the one that its review will have. */
static uint32_t number_of(const struct run_view *run, const struct action *action)
{
    const struct plan *plan = run->engine->plan;
    uint32_t phase = action->phase;

    if (action->purpose == FOR_REVIEW) return action->round;
    if (action->purpose == FOR_REPAIR) phase = plan->phases[phase].gate.recheck;
    return run->engine->lanes[0].tallies[phase].rounds + 1;
}

static void fill_place(struct sheet *sheet)
{
    const struct run_view *run = sheet->run;
    const struct action *action = sheet->request->action;
    uint32_t number = number_of(run, action);
    struct session_page *page = &sheet->page;

    page->fence = run->fence;
    page->session_file = slot_text(str_of(session_path(session_uuid(run), "md", &sheet->arena)),
                                   PATH_BYTES_MAX);
    page->phase = slot_word(run->engine->plan->phases[action->phase].name);
    page->round = slot_number(number);
    page->again = number > 1;
    page->workspace = slot_text(str_of(run->workspace), PATH_BYTES_MAX);
    page->problem = slot_text(sheet->request->problem, PROBLEM_BYTES_MAX);
    page->writes = action->role == SESSION_EXECUTOR;
    page->begun = page->writes && action->attempt > 1;
    page->hosted = view_is_hosted(run);
    page->answer_name = slot_word("it");
    page->answer_file = slot_text(STR(""), PATH_BYTES_MAX); /* agents of a host say their answer */
    page->output = slot_text(str_of(sheet->request->output), PATH_BYTES_MAX);
}

static void fill_item(struct sheet *sheet)
{
    struct work_item item;

    work_item_read(str_of(sheet->run->task), &item);
    sheet->page.item_problem = slot_text(item.problem, TASK_BYTES_MAX);
    sheet->page.item_context = slot_text(item.context, TASK_BYTES_MAX);
    sheet->page.item_criteria = slot_text(item.criteria, TASK_BYTES_MAX);
}

/* The plan that is made or judged while the session plans, else the one that was approved. */
static void fill_plan(struct sheet *sheet)
{
    const struct session_step *step = session_last_executor(&sheet->story, true);
    struct session_page *page = &sheet->page;
    const char *source = NULL;
    struct str plan;

    if (sheet->planning) {
        page->last_plan = slot_text(step ? step->doc.answer : STR(""), PLAN_BYTES_MAX);
        return;
    }
    plan = session_approved_plan(sheet->run, &sheet->story, &source, &sheet->arena);
    page->review_only = source && strcmp(source, "review-only") == 0;
    page->plan_of_user = source && strcmp(source, "user-supplied") == 0;
    page->approved_plan = slot_text(plan, PLAN_BYTES_MAX);
}

/* What the configuration of the project asks of a reviewer. */
static void fill_focus(struct sheet *sheet)
{
    bool polish = sheet->request->action->role == SESSION_POLISHER;
    struct session_page *page = &sheet->page;
    struct session_config config;

    session_config_read(sheet->run->settings, &sheet->arena, &config);
    page->review_focus = slot_text(str_of(sheet->planning ? "" : config.review_focus),
                                   FOCUS_BYTES_MAX);
    page->quality_focus = slot_text(str_of(polish ? config.quality_focus : ""), FOCUS_BYTES_MAX);
    page->review_style = slot_text(str_of(config.review_style), FOCUS_BYTES_MAX);
}

/* ---- all of it ---- */

typedef void page_writer(struct buf *out, const struct session_page *page);

/* The prompt of an action; NULL: hone itself does it. */
static page_writer *page_of(const struct action *action, bool planning)
{
    bool repair = action->purpose == FOR_REPAIR;

    switch ((enum session_role)action->role) {
    case SESSION_PLANNER:
        return repair ? session_page_replan : session_page_plan;
    case SESSION_EXECUTOR:
        return repair ? session_page_repair : session_page_execute;
    case SESSION_REVIEWER:
        return planning ? session_page_plan_reviewer : session_page_reviewer;
    case SESSION_POLISHER:
        return session_page_polish;
    case SESSION_DOCUMENTER:
        return session_page_docs;
    case SESSION_GUARD:
        return session_page_security;
    case SESSION_SCAN:
    case SESSION_SKIP:
    case SESSION_DELIVER:
        break;
    case SESSION_NOBODY:
    case SESSION_ROLE_COUNT:
        assert(!"this is no role that is asked");
    }
    return NULL;
}

/* What the last repair left unresolved, to a reviewer of it and to the next repair. */
static void fill_unresolved(struct sheet *sheet)
{
    list_unresolved(&sheet->unresolved, sheet->run->fence, &sheet->run->engine->lanes[0]);
    sheet->page.unresolved = slot_part(&sheet->unresolved);
}

static void fill_page(struct sheet *sheet)
{
    fill_place(sheet);
    fill_item(sheet);
    fill_plan(sheet);
    fill_history(sheet);
    fill_unresolved(sheet);
    rules_write(&sheet->rules, sheet->run, sheet->request->action);
    sheet->page.rules = slot_part(&sheet->rules);
    if (session_is_executor(sheet->request->action->role)) {
        if (sheet->request->action->purpose == FOR_REPAIR) fill_open_issues(sheet);
        return;
    }
    if (!sheet->planning) fill_work(sheet);
    fill_found(sheet);
    fill_focus(sheet);
    looking_write(&sheet->looking, sheet->run, sheet->request->action, !sheet->planning);
    sheet->page.looking = slot_part(&sheet->looking);
}

void session_prompt(const struct run_view *run, const struct prompt_request *request,
                    struct buf *out)
{
    const struct action *action = request->action;
    struct sheet sheet = {
        .run = run, .request = request,
        .planning = session_phase_is(run->engine->plan, action->phase, "planning") };
    struct buf *lists[LISTS] = { &sheet.open_issues, &sheet.found, &sheet.history, &sheet.dirty,
                                 &sheet.delta, &sheet.unresolved, &sheet.looking,
                                 &sheet.rules };
    page_writer *page = page_of(action, sheet.planning);

    assert(action->kind == ACT_START);
    if (!page) {
        buf_printf(out, "%s\n", session_role_name(action->role));
        return;
    }
    for (uint32_t i = 0; i < LISTS; i++) buf_init(lists[i], LIST_BYTES_MAX);
    session_story_read(run->engine, &sheet.arena, &sheet.story);
    fill_page(&sheet);
    page(out, &sheet.page);
    for (uint32_t i = 0; i < LISTS; i++) buf_release(lists[i]);
    arena_release(&sheet.arena);
}
