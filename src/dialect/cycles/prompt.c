/* SPDX-License-Identifier: Apache-2.0
 *
 * prompt.c - fills the prompts of the implementer, the reviewer and the fixer (prompts/cycles/).
 *
 * An agent starts with nothing but this text and the workspace. So a prompt begins with the fields
 * by which the session is known (SPEC, PHASE, CYCLE, OUTPUT, SIGNAL ...), and then says what was
 * wrong with the last answer, the task, the spec, what came before in this phase, how to work, and
 * the form of the answer.
 *
 * 1. What the user, an agent or a file said stands only inside quotes (quote.h); in a field it
 *    stands in one harmless line.
 * 2. A role with a file of the user's is told what stands there, quoted.
 * 3. Size is bounded: each quote has a bound, and the whole stays below 1 MiB. */
#include "dialect/cycles/cycles.h"
#include "dialect/looking.h"
#include "dialect/quote.h"
#include "dialect/rules.h"
#include "dialect/unresolved.h"
#include "prompts/cycles.h"

#include <assert.h>

enum {
    TASK_BYTES_MAX = 128 * 1024,
    SPEC_BYTES_MAX = 256 * 1024,
    CRITERIA_BYTES_MAX = 64 * 1024,
    REVIEW_BYTES_MAX = 256 * 1024,
    REPORT_BYTES_MAX = 64 * 1024,
    PROBLEM_BYTES_MAX = 16 * 1024,
    FIELD_BYTES_MAX = 4096,
    EARLIER_MAX = 10,
    MISSION_BYTES_MAX = 1024,
    PART_BYTES_MAX = 1 << 20,
    EARLIER_BYTES_MAX = 1 << 20,
};

/* A prompt that is being filled, and the lists in it. */
struct sheet {
    const struct run_view *run;
    const struct action *action;
    enum cycles_role kind;
    const char *phase; /* its name */
    struct spec spec;
    struct cycles_page page;
    struct arena arena;
    struct buf criteria, earlier, unresolved, looking, rules, fields, reviews, base, told;
};

static struct slot_text field(const char *value)
{
    return slot_text(str_of(value), FIELD_BYTES_MAX);
}

/* The spec, and where this phase stands among the others. */
static void fill_spec(struct sheet *sheet)
{
    const struct plan *plan = sheet->run->engine->plan;
    uint32_t count = plan->phase_count / 2, index = sheet->action->phase / 2;
    struct cycles_page *page = &sheet->page;
    const char *names = "";
    uint64_t number = 0;

    for (uint32_t i = 0; i < count; i++) {
        names = arena_printf(&sheet->arena, "%s%s%s", names, i ? ", " : "",
                             plan->phases[2 * i].name);
    }
    page->phase = slot_word(sheet->phase);
    page->phases = slot_word(names);
    page->phase_count = slot_number(count);
    page->one_phase = count == 1;
    page->not_first = index > 0;
    page->not_last = index + 1 < count;
    page->spec_path = field(sheet->spec.path);
    page->spec_number = slot_word(spec_number(&sheet->spec, &sheet->arena));
    page->spec = slot_text(sheet->spec.text, SPEC_BYTES_MAX);
    (void)str_number(str_of(sheet->phase), &number);
    page->criteria_count = slot_number(spec_criteria(&sheet->spec, (uint32_t)number,
                                                     &sheet->criteria));
    page->criteria = slot_text(buf_str(&sheet->criteria), CRITERIA_BYTES_MAX);
    page->criteria_cut = sheet->criteria.overflow;
}

/* What all three are told. */
static void fill_common(struct sheet *sheet, const struct prompt_request *request)
{
    const struct run_view *run = sheet->run;
    const struct action *action = sheet->action;
    const char *file = cycles_answer_file(run, action, &sheet->arena);
    struct cycles_page *page = &sheet->page;

    page->fence = run->fence;
    page->cycle = slot_number(action->round);
    page->problem = slot_text(request->problem, PROBLEM_BYTES_MAX);
    page->writes = sheet->kind != CYCLES_REVIEWER;
    page->begun = page->writes && action->attempt > 1;
    page->task = slot_text(str_of(run->task), TASK_BYTES_MAX);
    page->workspace = field(run->workspace);
    page->folder = field(cycles_folder(run->settings, &sheet->arena));
    page->hosted = view_is_hosted(run);
    page->answer_name = slot_word(page->writes ? "the report" : "it");
    page->answer_file = field(file);
    page->output = field(page->hosted ? file : request->output);
    fill_spec(sheet);
}

/* The message of the commit that follows. */
static void fill_message(struct sheet *sheet, enum purpose purpose)
{
    struct action action = *sheet->action;

    action.purpose = purpose;
    sheet->page.message = field(cycles_message(sheet->run, &action, &sheet->arena));
}

static struct cycles_step review_of(const struct sheet *sheet, uint32_t cycle, uint16_t role)
{
    return (struct cycles_step){ .phase = sheet->phase, .step = "review", .cycle = cycle,
                                 .by = sheet->run->engine->plan->roles[role].name };
}

/* The files of the reviews before that one; the newest of them. */
static void fill_earlier(struct sheet *sheet, uint32_t review)
{
    const struct gate *gate = &sheet->run->engine->plan->phases[sheet->action->phase].gate;
    uint32_t first = review > EARLIER_MAX ? review - EARLIER_MAX : 1;

    for (uint32_t cycle = first; cycle < review; cycle++) {
        for (uint32_t i = 0; i < gate->reviewer_count; i++) {
            buf_text(&sheet->earlier, "- ");
            quote_path(&sheet->earlier, sheet->run->fence,
                       cycles_review_path(sheet->run->settings,
                                          review_of(sheet, cycle, gate->reviewers[i]),
                                          &sheet->arena));
            buf_byte(&sheet->earlier, '\n');
        }
    }
    sheet->page.earlier = slot_part(&sheet->earlier);
}

/* The newest review of each reviewer, below its name and its grade. */
static void fill_reviews(struct sheet *sheet, const struct batch *review)
{
    for (uint32_t i = 0; i < review->count; i++) {
        const struct job *job = &review->jobs[i];
        struct cycles_step of = review_of(sheet, review->round, job->role);
        struct grading grading;

        if (job->result.doc.size == 0) continue; /* it was not played */
        grading_read(job->result.doc, &grading);
        buf_text(&sheet->fields, "REVIEW: ");
        quote_line(&sheet->fields, sheet->run->fence,
                   str_of(cycles_review_path(sheet->run->settings, of, &sheet->arena)),
                   FIELD_BYTES_MAX);
        buf_byte(&sheet->fields, '\n');
        buf_printf(&sheet->reviews, "%sBy `%s`, who says %s:\n\n", sheet->reviews.size ? "\n" : "",
                   of.by, grade_word(grading.grade));
        quote_block(&sheet->reviews, sheet->run->fence, job->result.doc,
                    REVIEW_BYTES_MAX / review->count);
    }
    sheet->page.review_fields = slot_part(&sheet->fields);
    sheet->page.reviews = slot_part(&sheet->reviews);
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

/* Whether it is of the phase that this prompt is about. */
static bool is_here(const struct sheet *sheet, const struct batch *batch)
{
    return batch->count > 0 && batch->phase == sheet->action->phase;
}

/* Of a phase that was reviewed before: the newest review and the newest fix. */
static void fill_cycle(struct sheet *sheet)
{
    const struct run_view *run = sheet->run;
    const struct batch *review = &run->engine->lanes[0].review;
    const struct batch *fix = &run->engine->lanes[0].repair;
    struct cycles_page *page = &sheet->page;
    bool fixes = sheet->kind == CYCLES_FIXER;
    struct cycles_step of = review_of(sheet, sheet->action->round,
                                      fixes && review->count ? review->jobs[0].role
                                      : fixes ? CYCLES_REVIEWER : sheet->action->role);

    page->review_path = field(cycles_review_path(run->settings, of, &sheet->arena));
    if (fixes) of = (struct cycles_step){ .phase = of.phase, .step = "fix", .cycle = of.cycle };
    page->signal = field(cycles_signal_path(run->settings, of, "done", &sheet->arena));
    page->cycle_max = slot_number(cycles_max(run->engine->plan, sheet->action->phase) +
                                  run->engine->lanes[0].tallies[sheet->action->phase].granted);
    page->changed = slot_names(run->changed, run->changed_count);
    page->reviewed = is_here(sheet, review);
    page->fixed = is_here(sheet, fix);
    if (page->reviewed) {
        page->last_cycle = slot_number(review->round);
        page->review = slot_text(review->jobs[0].result.doc, REVIEW_BYTES_MAX);
        if (review->count > 1) fill_reviews(sheet, review);
        fill_earlier(sheet, review->round);
    }
    if (page->fixed) {
        page->fix_cycle = slot_number(fix->round);
        page->fix = slot_text(fix->jobs[0].result.doc, REPORT_BYTES_MAX);
        list_unresolved(&sheet->unresolved, run->fence, &run->engine->lanes[0]);
        page->unresolved = slot_part(&sheet->unresolved);
    }
}

/* What a file of the user's says of the role; false: it has none. */
static bool fill_own(struct sheet *sheet)
{
    const char *role = sheet->run->engine->plan->roles[sheet->action->role].name;
    struct cycles_page *page = &sheet->page;
    struct own_role own;

    page->role = slot_word(role);
    if (!panel_own(sheet->run->settings, role, cycles_is_builtin, &sheet->arena, &own)) {
        return false;
    }
    panel_base(&own, &sheet->arena, &sheet->base);
    panel_told(&own, sheet->run->fence, &sheet->told);
    page->mission = slot_text(str_of(own.file.description), MISSION_BYTES_MAX);
    page->base = slot_part(&sheet->base);
    page->told = slot_part(&sheet->told);
    return true;
}

static void write_prompt(struct sheet *sheet, struct buf *out)
{
    bool own = fill_own(sheet);

    switch (sheet->kind) {
    case CYCLES_IMPLEMENTER:
        fill_message(sheet, FOR_WORK);
        cycles_page_implementer(out, &sheet->page);
        break;
    case CYCLES_REVIEWER:
        fill_cycle(sheet);
        fill_panel(sheet);
        looking_write(&sheet->looking, sheet->run, sheet->action, false);
        sheet->page.looking = slot_part(&sheet->looking);
        sheet->page.own = own;
        cycles_page_spec_reviewer(out, &sheet->page);
        break;
    case CYCLES_FIXER:
        fill_message(sheet, FOR_THEN);
        fill_cycle(sheet);
        cycles_page_spec_fixer(out, &sheet->page);
        break;
    case CYCLES_COMMITTER: /* hone itself: its message is all it needs */
        buf_printf(out, "%s\n", cycles_message(sheet->run, sheet->action, &sheet->arena));
        break;
    case CYCLES_NOBODY:
    case CYCLES_ROLE_COUNT:
        assert(!"no agent has this role");
    }
}

void cycles_prompt(const struct run_view *run, const struct prompt_request *request,
                   struct buf *out)
{
    const struct action *action = request->action;
    struct sheet sheet = { .run = run, .action = action, .spec = cycles_spec(run->settings),
                           .kind = cycles_kind(run->engine->plan, action->role),
                           .phase = run->engine->plan->phases[action->phase].name };

    assert(action->kind == ACT_START);
    buf_init(&sheet.criteria, CRITERIA_BYTES_MAX);
    buf_init(&sheet.earlier, EARLIER_BYTES_MAX);
    buf_init(&sheet.unresolved, UNRESOLVED_BYTES_MAX);
    buf_init(&sheet.looking, LOOKING_BYTES_MAX);
    buf_init(&sheet.rules, RULES_BYTES_MAX);
    buf_init(&sheet.fields, PART_BYTES_MAX);
    buf_init(&sheet.reviews, PART_BYTES_MAX);
    buf_init(&sheet.base, PART_BYTES_MAX);
    buf_init(&sheet.told, PART_BYTES_MAX);
    fill_common(&sheet, request);
    rules_write(&sheet.rules, run, action);
    sheet.page.rules = slot_part(&sheet.rules);
    write_prompt(&sheet, out);
    buf_release(&sheet.criteria);
    buf_release(&sheet.earlier);
    buf_release(&sheet.unresolved);
    buf_release(&sheet.looking);
    buf_release(&sheet.rules);
    buf_release(&sheet.fields);
    buf_release(&sheet.reviews);
    buf_release(&sheet.base);
    buf_release(&sheet.told);
    arena_release(&sheet.arena);
}
