/* SPDX-License-Identifier: Apache-2.0
 *
 * prompt.c - fills the prompts of the reviewers and the fixer (prompts/review/).
 *
 * An agent starts with nothing but its prompt and the workspace: it remembers neither an earlier
 * iteration nor its own last answer. So a prompt says, in this order: who it is and where the loop
 * stands, what was wrong with its last answer, the task, what to look at, what came before, how to
 * work, and the exact form of the answer.
 *
 * 1. The first line is the phase's tag.
 * 2. Size is bounded: each quote has a bound, all else is fixed text, and the whole stays below
 *    1 MiB.
 *
 * 3. A role with a file of the user's (dialect/role_file.h) is told what stands there; the rules
 *    and the form of the answer are the same for all, and stand behind it.
 *
 * Not here: lists of findings (list.c). */
#include "dialect/looking.h"
#include "dialect/panel.h"
#include "dialect/review/r1.h"
#include "dialect/review/review.h"
#include "dialect/rules.h"
#include "dialect/unresolved.h"
#include "prompts/review.h"

#include <assert.h>
#include <string.h>

enum {
    TASK_BYTES_MAX = 128 * 1024,
    SUMMARY_BYTES_MAX = 64 * 1024,
    PROBLEM_BYTES_MAX = 16 * 1024,
    PATH_BYTES_MAX = 4096,
    LIST_BYTES_MAX = 1 << 20,
    MISSION_BYTES_MAX = 1024,
};

/* A prompt that is being filled, and the lists in it. */
struct sheet {
    const struct run_view *run;
    const struct prompt_request *request;
    struct review_page page;
    struct arena arena;
    struct buf issues, files, unresolved, looking, remit, rules;
};

typedef void page_write(struct buf *out, const struct review_page *page);

/* The prompt of each built-in role. */
static const struct {
    const char *role;
    page_write *write;
} pages[] = {
    { "critic", review_page_critic },
    { "pedant", review_page_pedant },
    { "witness", review_page_witness },
    { "security-reviewer", review_page_security_reviewer },
    { "silent-failure-hunter", review_page_silent_failure_hunter },
    { REVIEW_FIXER_NAME, review_page_review_fixer },
    { "checker", review_page_checker },
};

static page_write *page_find(const char *role)
{
    size_t at = 0;

    while (strcmp(pages[at].role, role) != 0) at++;
    return pages[at].write;
}

/* The remit of a built-in role, for the prompt of one that extends it. */
static void fill_base(struct review_page *page, const char *base)
{
    page->of_critic = base && strcmp(base, "critic") == 0;
    page->of_pedant = base && strcmp(base, "pedant") == 0;
    page->of_witness = base && strcmp(base, "witness") == 0;
    page->of_security = base && strcmp(base, "security-reviewer") == 0;
    page->of_hunter = base && strcmp(base, "silent-failure-hunter") == 0;
    page->of_checker = base && strcmp(base, "checker") == 0;
}

/* What all of them are told. */
static void fill(struct sheet *sheet)
{
    const struct run_view *run = sheet->run;
    const struct action *action = sheet->request->action;
    bool fixer = action->purpose == FOR_REPAIR;
    const char *file = review_answer_file(run, action, &sheet->arena);
    struct review_page *page = &sheet->page;

    page->fence = run->fence;
    page->until = run->engine->plan->phases[action->phase].gate.policy != NULL;
    page->role = slot_word(run->engine->plan->roles[action->role].name);
    page->iteration = slot_number(action->round);
    page->iteration_max = slot_number(review_iteration_max(run->engine->plan));
    page->problem = slot_text(sheet->request->problem, PROBLEM_BYTES_MAX);
    page->fixer = fixer;
    page->begun = fixer && action->attempt > 1;
    page->task = slot_text(str_of(run->task), TASK_BYTES_MAX);
    page->workspace = slot_text(str_of(run->workspace), PATH_BYTES_MAX);
    page->hosted = view_is_hosted(run);
    page->answer_name = slot_word(fixer ? "the summary" : "it");
    page->answer_file = slot_text(str_of(page->hosted ? file : NULL), PATH_BYTES_MAX);
    page->output = slot_text(str_of(sheet->request->output), PATH_BYTES_MAX);
}

/* Who looks at the change: the five, one alone, or those that the user named. */
static void fill_panel(struct sheet *sheet)
{
    const struct plan *plan = sheet->run->engine->plan;
    const struct gate *gate = &plan->phases[0].gate;
    struct review_page *page = &sheet->page;
    const char *names = panel_names(plan, gate, &sheet->arena);

    page->five = strcmp(names, REVIEW_FIVE) == 0 && !(page->fixer && page->until);
    page->alone = gate->reviewer_count == 1;
    page->reviewer_count = slot_number(gate->reviewer_count);
    page->reviewers = slot_word(names);
}

/* What the newest fixer reported. */
static struct str last_repair(const struct lane *lane)
{
    return lane->repair.count > 0 ? lane->repair.jobs[0].result.doc : (struct str){ "", 0 };
}

static void fill_reviewer(struct sheet *sheet)
{
    const struct run_view *run = sheet->run;
    const struct lane *lane = &run->engine->lanes[0];
    struct review_page *page = &sheet->page;
    struct str said = lane->repair.round == lane->review.round ? last_repair(lane)
                                                               : (struct str){ "", 0 };

    page->all = run->scope_given && (!run->since || !*run->since);
    page->since = slot_word(run->scope_given ? run->since : "");
    page->writes_file = run->answers != ANSWERS_SPOKEN;
    if (lane->review.count > 0) review_list_short(&sheet->issues, run->fence, &lane->review);
    page->last_issues = slot_part(&sheet->issues);
    page->last_iteration = slot_number(lane->review.round);
    page->given = batch_is_given(&lane->review);
    page->last_folder = slot_word(review_folder(&sheet->arena, lane->review.round));
    page->fixer_said = slot_text(said, SUMMARY_BYTES_MAX);
    page->changed = slot_names(run->changed, run->changed_count);
    page->recheck = sheet->request->action->recheck;
    looking_write(&sheet->looking, run, sheet->request->action, false);
    page->looking = slot_part(&sheet->looking);
}

/* A role with a file: what that says, in the place of the built-in remit or behind it. How the
 * fixer and the checker work is the loop's: what a file adds for them stands behind that. */
static void fill_own(struct sheet *sheet, const struct own_role *role)
{
    struct review_page *page = &sheet->page;

    if (role->base && !review_is_builtin(role->base)) {
        buf_add(&sheet->remit, role_remit(role->base, true, &sheet->arena));
        buf_text(&sheet->remit, "\n\n");
    }
    fill_base(page, role->base);
    page->witness = review_is_witness(role->file.name);
    page->mission = slot_text(str_of(role->file.description), MISSION_BYTES_MAX);
    own_role_remit(role, sheet->run->fence, &sheet->remit);
    page->remit = slot_part(&sheet->remit);
}

static void fill_fixer(struct sheet *sheet)
{
    const struct run_view *run = sheet->run;
    const struct lane *lane = &run->engine->lanes[0];
    const struct batch *review = &lane->review;
    struct review_page *page = &sheet->page;
    uint32_t counts[SEVERITY_COUNT] = { 0 }, total = 0;

    for (uint32_t i = 0; i < review->count; i++) {
        const struct result *result = &review->jobs[i].result;
        total += result->finding_count;
        for (uint32_t k = 0; k < result->finding_count; k++) counts[result->findings[k].severity]++;
    }
    page->given = batch_is_given(review);
    page->says = review_list_says(review);
    page->total = slot_number(total);
    page->one = total == 1;
    page->critical = slot_number(counts[SEVERITY_HIGH]);
    page->warning = slot_number(counts[SEVERITY_MEDIUM]);
    page->info = slot_number(counts[SEVERITY_LOW]);
    for (uint32_t i = 0; i < review->count; i++) {
        buf_printf(&sheet->files, "- `%s`\n",
                   review_r1_path(&sheet->arena, review->round,
                                  run->engine->plan->roles[review->jobs[i].role].name));
    }
    page->files = slot_part(&sheet->files);
    review_list_full(&sheet->issues, run->fence, review);
    page->issues = slot_part(&sheet->issues);
    page->last_repair = slot_text(last_repair(lane), SUMMARY_BYTES_MAX);
    page->last_repair_iteration = slot_number(lane->repair.round);
    page->in_file = run->answers == ANSWERS_IN_FILE;
    page->kept_as = slot_word(review_r2_path(&sheet->arena, sheet->request->action->round));
}

void review_prompt(const struct run_view *run, const struct prompt_request *request,
                   struct buf *out)
{
    const char *role = run->engine->plan->roles[request->action->role].name;
    struct sheet sheet = { .run = run, .request = request };
    struct own_role own;
    bool is_own;

    assert(request->action->kind == ACT_START);
    buf_init(&sheet.issues, LIST_BYTES_MAX);
    buf_init(&sheet.files, LIST_BYTES_MAX);
    buf_init(&sheet.unresolved, UNRESOLVED_BYTES_MAX);
    buf_init(&sheet.looking, LOOKING_BYTES_MAX);
    buf_init(&sheet.remit, ROLE_REMIT_BYTES_MAX);
    buf_init(&sheet.rules, RULES_BYTES_MAX);
    list_unresolved(&sheet.unresolved, run->fence, &run->engine->lanes[0]);
    sheet.page.unresolved = slot_part(&sheet.unresolved);
    rules_write(&sheet.rules, run, request->action);
    sheet.page.rules = slot_part(&sheet.rules);
    fill(&sheet);
    fill_panel(&sheet);
    if (request->action->purpose == FOR_REPAIR) fill_fixer(&sheet);
    else fill_reviewer(&sheet);
    is_own = panel_own(run->settings, role, review_is_builtin, &sheet.arena, &own);
    if (is_own) fill_own(&sheet, &own);
    if (is_own && request->action->role < review_fixer(run->engine->plan)) {
        review_page_own(out, &sheet.page);
    } else {
        page_find(role)(out, &sheet.page);
    }
    buf_release(&sheet.remit);
    buf_release(&sheet.issues);
    buf_release(&sheet.files);
    buf_release(&sheet.unresolved);
    buf_release(&sheet.looking);
    buf_release(&sheet.rules);
    arena_release(&sheet.arena);
}
