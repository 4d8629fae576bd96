/* SPDX-License-Identifier: Apache-2.0
 *
 * prompt.c - fills the prompts of the nine phases (prompts/iterate/).
 *
 * An agent starts with nothing but its prompt and the workspace. So a prompt says, in this order:
 * who it is and where the loop stands, what was wrong with its last answer, the task, what the
 * iteration before ended with, what earlier phases made, what was found and done before, how to
 * work, and the exact form of the answer.
 *
 * What came before is in the engine: the documents it keeps of each phase, and the newest batches
 * of the lane. A restored run knows less. What is not known is left out, and where an agent would
 * miss it, the prompt says so.
 *
 * 1. The first line is the phase's tag: [PHASE 3: Plan Review].
 * 2. Size is bounded: each quote has a bound, all else is fixed text, and the whole stays below
 *    1 MiB. Of a list that is too long the gravest are shown, and how many are left out is said.
 * 3. A prompt is no review: read as an answer it is neither clean nor does it have issues. Words
 *    that the reader of answers would count (HIGH at the front of a line, a line that says clean)
 *    stand in a prompt only inside `...`.
 * 4. A role with a file of the user's is told what stands there, quoted. */
#include "dialect/iterate/iterate.h"
#include "dialect/looking.h"
#include "dialect/quote.h"
#include "dialect/rules.h"
#include "dialect/unresolved.h"
#include "prompts/iterate.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>

enum {
    TASK_BYTES_MAX = 128 * 1024,
    PROBLEM_BYTES_MAX = 16 * 1024,
    PATH_BYTES_MAX = 4096,
    LIST_BYTES_MAX = 64 * 1024,
    ISSUE_TEXT_BYTES_MAX = 5 * 1024,
    NAME_BYTES_MAX = 512,
    BRAINSTORM_BYTES_MAX = 64 * 1024,
    PLAN_BYTES_MAX = 128 * 1024,
    REPORT_BYTES_MAX = 48 * 1024,
    COPIES_BYTES_MAX = 384 * 1024, /* of all together */
    REPAIRS_BYTES_MAX = 96 * 1024, /* likewise */
    COMMAND_BYTES_MAX = 4 * 1024,
    PART_BYTES_MAX = 1 << 20,
    PARTS_MAX = 11,
    MISSION_BYTES_MAX = 1024,
};

/* A prompt that is being filled, and the lists in it. */
struct sheet {
    const struct run_view *run;
    const struct prompt_request *request;
    const struct action *action;
    uint32_t number; /* of the phase */
    enum iterate_role kind;
    struct iterate_page page;
    struct arena arena;
    struct buf parts[PARTS_MAX];
    uint32_t part_count;
};

static struct buf *new_part(struct sheet *sheet)
{
    struct buf *part = &sheet->parts[sheet->part_count++];

    assert(sheet->part_count <= PARTS_MAX);
    buf_init(part, PART_BYTES_MAX);
    return part;
}

/* ---- lists ---- */

/* False: it does not fit, and nothing is written. Its reviewer is named where it has a source. */
static bool list_issue(struct buf *out, const char *fence, const struct finding *issue,
                       size_t bytes_max)
{
    struct arena arena = { 0 };
    struct str place = iterate_place_print(issue, &arena);
    struct buf text;
    bool fits;

    buf_init(&text, 4 * ISSUE_TEXT_BYTES_MAX);
    buf_printf(&text, "- [%s] ", iterate_severity_word(issue->severity));
    if (issue->source.size) buf_printf(&text, "(%.*s) ", STR_ARG(issue->source));
    if (place.size) {
        quote_line(&text, fence, place, NAME_BYTES_MAX);
        buf_text(&text, ": ");
    }
    quote_text(&text, fence, issue->text, "  ", ISSUE_TEXT_BYTES_MAX);
    buf_byte(&text, '\n');
    fits = text.size <= bytes_max;
    if (fits) buf_add(out, buf_str(&text));
    buf_release(&text);
    arena_release(&arena);
    return fits;
}

/* The gravest first. */
static struct slot_part list_issues(struct sheet *sheet, const struct iterate_issues *list)
{
    const struct finding *issues = list->items;
    uint32_t count = list->count;
    const char *fence = sheet->run->fence;
    struct buf *out = new_part(sheet);
    uint32_t shown = 0;
    bool fits = true;
    size_t begin;

    quote_open(out, fence);
    begin = out->size;
    for (int severity = SEVERITY_COUNT; severity-- > 0;) {
        for (uint32_t i = 0; i < count && fits; i++) {
            if ((int)issues[i].severity != severity) continue;
            fits = list_issue(out, fence, &issues[i], LIST_BYTES_MAX - (out->size - begin));
            shown += fits;
        }
    }
    quote_close(out, fence);
    if (shown < count) {
        buf_printf(out, "%u more, none graver than those shown, are left out here.\n",
                   (unsigned)(count - shown));
    }
    return slot_part(out);
}

/* What each agent of a repair said. */
static struct slot_part list_reports(struct sheet *sheet, const struct batch *repair)
{
    struct buf *out = new_part(sheet);

    for (uint32_t i = 0; i < repair->count; i++) {
        if (i > 0) buf_byte(out, '\n');
        quote_block(out, sheet->run->fence, repair->jobs[i].result.doc,
                    REPAIRS_BYTES_MAX / repair->count);
    }
    return slot_part(out);
}

/* What the repair left unresolved. */
static struct slot_part list_left(struct sheet *sheet)
{
    struct buf *out = new_part(sheet);

    list_unresolved(out, sheet->run->fence, &sheet->run->engine->lanes[0]);
    return slot_part(out);
}

/* What agents that worked side by side answered, each under a heading. */
static struct slot_part list_answers(struct sheet *sheet, const struct batch *work)
{
    struct buf *out = new_part(sheet);

    for (uint32_t i = 0; i < work->count; i++) {
        buf_printf(out, "\n## Answer %u of %u\n\n", (unsigned)(i + 1), (unsigned)work->count);
        quote_block(out, sheet->run->fence, work->jobs[i].result.doc,
                    COPIES_BYTES_MAX / work->count);
    }
    return slot_part(out);
}

/* ---- what all are told ---- */

static void fill_begin(struct sheet *sheet)
{
    const struct action *action = sheet->action;
    const struct plan *plan = sheet->run->engine->plan;
    const struct gate *gate = &plan->phases[action->phase].gate;
    struct iterate_page *page = &sheet->page;

    page->phase = slot_number(sheet->number);
    page->phase_name = slot_word(iterate_phase_name(sheet->number));
    page->role = slot_word(plan->roles[action->role].name);
    page->iteration = slot_number(action->iteration);
    page->iteration_max = slot_number(plan->iteration_max);
    if (action->purpose == FOR_REVIEW) page->review = slot_number(action->round);
    if (action->purpose == FOR_REPAIR) page->repair = slot_number(action->round);
    page->repairs_bounded = gate->reviewer_count && gate->on_fail == FAIL_REPAIR &&
                            gate->repair_max != NO_BOUND;
    page->repair_max = slot_number(gate->repair_max);
    page->one_repair = gate->repair_max == 1;
}

static void fill_frame(struct sheet *sheet)
{
    const struct run_view *run = sheet->run;
    const struct action *action = sheet->action;
    struct iterate_page *page = &sheet->page;

    page->fence = run->fence;
    page->problem = slot_text(sheet->request->problem, PROBLEM_BYTES_MAX);
    page->writes = sheet->kind == ITERATE_IMPLEMENTER || sheet->kind == ITERATE_SIMPLIFIER ||
                   sheet->kind == ITERATE_FIXER;
    page->begun = page->writes && action->attempt > 1;
    page->task = slot_text(str_of(run->task), TASK_BYTES_MAX);
    page->workspace = slot_text(str_of(run->workspace), PATH_BYTES_MAX);
    page->since = slot_text(str_of(run->since && *run->since ? run->since : "HEAD"),
                            PATH_BYTES_MAX);
    page->changed = slot_names(run->changed, run->changed_count);
    page->hosted = view_is_hosted(run);
    page->answer_name = slot_word("it");
    page->answer_file = slot_text((struct str){ "", 0 }, PATH_BYTES_MAX); /* the last message */
    page->output = slot_text(str_of(sheet->request->output), PATH_BYTES_MAX);
}

/* ---- what came before ---- */

/* What a worker of this iteration wrote. */
static struct str work_doc(const struct sheet *sheet, uint32_t number)
{
    const struct engine *engine = sheet->run->engine;

    return engine_doc(engine, 0, engine->iteration, number - 1, FOR_WORK);
}

/* What the newest review of a phase, or the tests, came to. */
static struct str review_doc(const struct sheet *sheet, uint32_t iteration, uint32_t number)
{
    return engine_doc(sheet->run->engine, 0, iteration, number - 1, FOR_REVIEW);
}

static struct slot_word exit_status(struct sheet *sheet, const struct iterate_tested *tested)
{
    return slot_word(arena_printf(&sheet->arena, "%llu", (unsigned long long)tested->status));
}

static void fill_work(struct sheet *sheet)
{
    bool pending = sheet->kind == ITERATE_PLAN_REVIEWER;
    struct iterate_page *page = &sheet->page;

    page->brainstorm = slot_text(work_doc(sheet, PHASE_BRAINSTORM), BRAINSTORM_BYTES_MAX);
    page->plan = slot_text(work_doc(sheet, PHASE_PLAN), PLAN_BYTES_MAX);
    page->amendments = slot_text(iterate_amendments(sheet->run->engine, pending, &sheet->arena),
                                 AMENDMENTS_BYTES_MAX);
    page->implemented = slot_text(work_doc(sheet, PHASE_IMPLEMENT), REPORT_BYTES_MAX);
    page->simplified = slot_text(work_doc(sheet, PHASE_SIMPLIFY), REPORT_BYTES_MAX);
}

static void fill_tests(struct sheet *sheet)
{
    struct str doc = review_doc(sheet, sheet->run->engine->iteration, PHASE_TEST);
    struct iterate_page *page = &sheet->page;
    struct iterate_tested tested;

    iterate_tested_read(doc, &sheet->arena, &tested);
    page->test_command = slot_text(str_of(sheet->run->test), COMMAND_BYTES_MAX);
    page->tested = doc.size > 0;
    page->tests = page->tested || slot_text_has(page->test_command);
    page->test_status = exit_status(sheet, &tested);
    page->test_output = slot_text(tested.output, REPORT_BYTES_MAX);
}

/* What the iteration before ended with. */
static void fill_iteration_before(struct sheet *sheet)
{
    const struct engine *engine = sheet->run->engine;
    const struct round *last = NULL;
    struct iterate_page *page = &sheet->page;
    struct iterate_issues issues = { 0 };
    struct iterate_tested tested;
    uint32_t number;

    for (uint32_t i = 0; i < engine->round_count; i++) {
        if (engine->rounds[i].iteration + 1 == engine->iteration) last = &engine->rounds[i];
    }
    if (!last) return;
    number = iterate_phase_number(last->phase);
    page->last_iteration = slot_number(last->iteration);
    page->last_phase = slot_number(number);
    page->last_phase_name = slot_word(iterate_phase_name(number));
    page->last_tests = number == PHASE_TEST;
    if (page->last_tests) {
        iterate_tested_read(review_doc(sheet, last->iteration, number), &sheet->arena, &tested);
        page->last_test_status = exit_status(sheet, &tested);
        page->last_test_output = slot_text(tested.output, REPORT_BYTES_MAX);
    } else {
        iterate_kept(engine, last->iteration, number, false, &sheet->arena, &issues);
        page->last_issues = list_issues(sheet, &issues);
    }
    if (engine->lanes[0].phase > PHASE_PLAN - 1) return; /* it has a plan of its own */
    page->last_plan = slot_text(work_doc(sheet, PHASE_PLAN), PLAN_BYTES_MAX);
}

/* What earlier gates of this iteration found and let pass. */
static void fill_noted(struct sheet *sheet)
{
    struct iterate_issues all = { 0 };

    for (uint32_t n = PHASE_PLAN_REVIEW; n < sheet->number; n++) {
        if (n == PHASE_TEST) continue;
        iterate_kept(sheet->run->engine, sheet->run->engine->iteration, n, true, &sheet->arena,
                     &all);
    }
    if (all.count) sheet->page.noted = list_issues(sheet, &all);
}

/* ---- what one purpose is told ---- */

static void fill_worker(struct sheet *sheet)
{
    static const struct batch none = { 0 };
    const struct lane *lane = &sheet->run->engine->lanes[0];
    struct iterate_page *page = &sheet->page;

    page->joins = sheet->action->purpose == FOR_JOIN;
    page->answers = list_answers(sheet, page->joins ? &lane->work : &none);
    if (page->joins || lane->now.count < 2) return;
    page->copy = slot_number(sheet->action->copy);
    page->copies = slot_number(lane->now.count);
    page->begins_simple = sheet->action->copy % 2;
}

static bool is_of(const struct batch *batch, const struct action *action)
{
    return batch->count > 0 && batch->phase == action->phase &&
           batch->iteration == action->iteration;
}

/* With the reviewer where there are several. */
static void add_issues(struct sheet *sheet, const struct batch *review, const struct job *job,
                       const struct iterate_issues *issues, struct iterate_issues *out)
{
    const char *name = sheet->run->engine->plan->roles[job->role].name;

    for (uint32_t i = 0; i < issues->count; i++) {
        struct finding *issue = iterate_issue_add(out, &sheet->arena);

        *issue = issues->items[i];
        issue->source = review->count > 1 ? str_of(name) : STR("");
    }
}

/* What all reviewers of a batch found; and what they noted (NULL: that is not wanted). */
static void add_found(struct sheet *sheet, const struct batch *review, struct iterate_issues *out,
                      struct iterate_issues *notes)
{
    for (uint32_t i = 0; i < review->count; i++) {
        const struct job *job = &review->jobs[i];
        struct iterate_issues found = { 0 };
        struct iterate_review kept;

        for (uint32_t k = 0; k < job->result.finding_count; k++) {
            *iterate_issue_add(&found, &sheet->arena) = job->result.findings[k];
        }
        add_issues(sheet, review, job, &found, out);
        if (!notes) continue;
        iterate_review_read(job->result.doc, &sheet->arena, &kept);
        add_issues(sheet, review, job, &kept.notes, notes);
    }
}

/* Who reviews beside this one. */
static void fill_panel(struct sheet *sheet)
{
    const struct plan *plan = sheet->run->engine->plan;
    const struct gate *gate = &plan->phases[sheet->action->phase].gate;

    if (gate->reviewer_count < 2) return;
    sheet->page.reviewer_count = slot_number(gate->reviewer_count);
    sheet->page.reviewers = slot_word(panel_names(plan, gate, &sheet->arena));
}

static void fill_reviewer(struct sheet *sheet)
{
    const struct lane *lane = &sheet->run->engine->lanes[0];
    struct iterate_page *page = &sheet->page;
    struct iterate_issues found = { 0 }, notes = { 0 };
    struct buf *looking = new_part(sheet);

    fill_panel(sheet);
    looking_write(looking, sheet->run, sheet->action, false);
    page->looking = slot_part(looking);
    if (!is_of(&lane->review, sheet->action)) return;
    add_found(sheet, &lane->review, &found, &notes);
    page->last_review = slot_number(lane->review.round);
    page->last_found = list_issues(sheet, &found);
    if (notes.count) page->last_notes = list_issues(sheet, &notes);
    if (is_of(&lane->repair, sheet->action) && lane->repair.round == lane->review.round) {
        page->repaired = list_reports(sheet, &lane->repair);
        page->unresolved = list_left(sheet);
    }
}

/* How many fixers share a review. */
static uint32_t fixers_of(const struct sheet *sheet, const struct batch *review)
{
    const struct gate *gate = &sheet->run->engine->plan->phases[sheet->action->phase].gate;
    uint32_t groups = review->count ? review->jobs[0].result.fix_groups : 0;

    return gate->repair.by_groups && groups ? groups : 1;
}

static void fill_fixers(struct sheet *sheet, const struct batch *review)
{
    uint32_t fixers = fixers_of(sheet, review), together, copy = sheet->action->copy;
    struct iterate_page *page = &sheet->page;
    bool alone;

    if (fixers == 1) return;
    alone = review->jobs[0].result.fix_alone;
    together = fixers - alone;
    page->copy = slot_number(copy);
    page->alone = copy > together;
    if (!page->alone && together > 1) page->together = slot_number(together);
    page->one_follows = !page->alone && alone;
}

/* The issues of this fixer's group. */
static void fill_issues(struct sheet *sheet, const struct batch *review)
{
    uint32_t fixers = fixers_of(sheet, review);
    struct iterate_issues all = { 0 }, mine = { 0 };
    struct iterate_page *page = &sheet->page;
    uint32_t *group_of;

    add_found(sheet, review, &all, NULL);
    group_of = mem_alloc((all.count + (size_t)1) * sizeof *group_of);
    iterate_groups(all.items, all.count, group_of);
    for (uint32_t i = 0; i < all.count; i++) {
        if (fixers > 1 && group_of[i] != sheet->action->copy) continue;
        *iterate_issue_add(&mine, &sheet->arena) = all.items[i];
    }
    page->total = slot_number(all.count);
    page->one_issue = all.count == 1;
    page->others = mine.count < all.count;
    page->issues = list_issues(sheet, &mine);
    free(group_of);
}

static void fill_rules(struct sheet *sheet)
{
    struct buf *rules = new_part(sheet);

    rules_write(rules, sheet->run, sheet->action);
    sheet->page.rules = slot_part(rules);
}

/* What fixers of this phase said before. */
static void fill_last_repair(struct sheet *sheet)
{
    const struct batch *repair = &sheet->run->engine->lanes[0].repair;
    const struct action *action = sheet->action;
    struct iterate_page *page = &sheet->page;

    if (!is_of(repair, action)) return;
    page->once_more = repair->round == action->round;
    page->others_done = page->once_more && repair->jobs[repair->count - 1].copy < action->copy;
    page->last_repair = slot_number(repair->round);
    page->repaired = list_reports(sheet, repair);
    if (!page->once_more) page->unresolved = list_left(sheet); /* reported again since */
}

static void fill_fixer(struct sheet *sheet)
{
    const struct batch *review = &sheet->run->engine->lanes[0].review;

    fill_fixers(sheet, review);
    fill_issues(sheet, review);
    fill_last_repair(sheet);
}

/* What a file of the user's says of the role; false: it has none. */
static bool fill_own(struct sheet *sheet)
{
    const char *role = sheet->run->engine->plan->roles[sheet->action->role].name;
    struct iterate_page *page = &sheet->page;
    struct buf *base = new_part(sheet), *told = new_part(sheet);
    struct own_role own;

    if (!panel_own(sheet->run->settings, role, iterate_is_builtin, &sheet->arena, &own)) {
        return false;
    }
    panel_base(&own, &sheet->arena, base);
    panel_told(&own, sheet->run->fence, told);
    page->mission = slot_text(str_of(own.file.description), MISSION_BYTES_MAX);
    page->base = slot_part(base);
    page->told = slot_part(told);
    return true;
}

/* ---- the prompt ---- */

typedef void page_fn(struct buf *out, const struct iterate_page *page);

static page_fn *const pages[ITERATE_ROLE_COUNT] = {
    [ITERATE_BRAINSTORMER] = iterate_page_brainstormer,
    [ITERATE_PLANNER] = iterate_page_planner,
    [ITERATE_PLAN_REVIEWER] = iterate_page_plan_reviewer,
    [ITERATE_IMPLEMENTER] = iterate_page_implementer,
    [ITERATE_CODE_REVIEWER] = iterate_page_code_reviewer,
    [ITERATE_SIMPLIFIER] = iterate_page_simplifier,
    [ITERATE_FINAL_REVIEWER] = iterate_page_final_reviewer,
    [ITERATE_FIXER] = iterate_page_fix_code,
    [ITERATE_CODEX_FINAL] = iterate_page_codex_final,
};

static page_fn *page_of(const struct sheet *sheet, bool own)
{
    bool fixer = sheet->kind == ITERATE_FIXER;

    if (own && sheet->kind == ITERATE_CODE_REVIEWER) return iterate_page_own;
    if (fixer && sheet->number == PHASE_PLAN_REVIEW) return iterate_page_fix_plan;
    if (fixer && sheet->number == PHASE_TEST) return iterate_page_fix_tests;
    return pages[sheet->kind];
}

void iterate_prompt(const struct run_view *run, const struct prompt_request *request,
                    struct buf *out)
{
    const struct action *action = request->action;
    struct sheet sheet = { .run = run, .request = request, .action = action,
                           .number = iterate_phase_number(action->phase),
                           .kind = iterate_kind(run->engine->plan, action->role) };
    bool own;

    assert(action->kind == ACT_START);
    if (sheet.kind == ITERATE_TEST) return; /* no agent reads it: hone runs a command */
    fill_begin(&sheet);
    fill_frame(&sheet);
    fill_work(&sheet);
    fill_tests(&sheet);
    fill_iteration_before(&sheet);
    fill_noted(&sheet);
    fill_rules(&sheet);
    if (action->purpose == FOR_REVIEW) fill_reviewer(&sheet);
    else if (action->purpose == FOR_REPAIR) fill_fixer(&sheet);
    else fill_worker(&sheet);
    own = fill_own(&sheet);
    page_of(&sheet, own)(out, &sheet.page);
    for (uint32_t i = 0; i < sheet.part_count; i++) buf_release(&sheet.parts[i]);
    arena_release(&sheet.arena);
}
