/* SPDX-License-Identifier: Apache-2.0
 *
 * show.c - what earlier phases, reviews and fixers said, quoted for a prompt.
 *
 * All of it comes from the engine: the documents it keeps of each phase, and the newest batches of
 * the lane. A restored run knows less; what is not known is left out, and where an agent would
 * miss it, the prompt says so.
 *
 * 1. Everything stands inside quotes, each with a bound; together they leave room for the rest of
 *    a prompt below 1 MiB.
 * 2. Of a list that is too long the gravest are shown, and how many are left out is said. */
#include "dialect/iterate/iterate.h"
#include "dialect/quote.h"

enum {
    LIST_BYTES_MAX = 64 * 1024,
    ISSUE_TEXT_BYTES_MAX = 5 * 1024,
    NAME_BYTES_MAX = 512,
    BRAINSTORM_BYTES_MAX = 64 * 1024,
    PLAN_BYTES_MAX = 128 * 1024,
    REPORT_BYTES_MAX = 48 * 1024,
    COPIES_BYTES_MAX = 384 * 1024, /* of all together */
    REPAIRS_BYTES_MAX = 96 * 1024, /* likewise */
    COMMAND_BYTES_MAX = 4 * 1024,
};

static bool show_issue(struct buf *out, const char *fence, const struct finding *issue)
{
    struct arena arena = { 0 };
    struct str place = iterate_place_print(issue, &arena);
    struct buf text;
    bool fits;

    buf_init(&text, 4 * ISSUE_TEXT_BYTES_MAX);
    buf_printf(&text, "- [%s] ", iterate_severity_word(issue->severity));
    if (place.size) {
        quote_line(&text, fence, place, NAME_BYTES_MAX);
        buf_text(&text, ": ");
    }
    quote_text(&text, fence, issue->text, "  ", ISSUE_TEXT_BYTES_MAX);
    buf_byte(&text, '\n');
    fits = out->size + text.size <= LIST_BYTES_MAX;
    if (fits) buf_add(out, buf_str(&text));
    buf_release(&text);
    arena_release(&arena);
    return fits;
}

void iterate_show_issues(struct buf *out, const char *fence, const struct finding *issues,
                         uint32_t count)
{
    struct buf list;
    uint32_t shown = 0;
    bool fits = true;

    buf_init(&list, 2 * LIST_BYTES_MAX);
    for (int severity = SEVERITY_COUNT; severity-- > 0;) {
        for (uint32_t i = 0; i < count && fits; i++) {
            if ((int)issues[i].severity != severity) continue;
            fits = show_issue(&list, fence, &issues[i]);
            shown += fits;
        }
    }
    quote_open(out, fence);
    buf_add(out, buf_str(&list));
    quote_close(out, fence);
    if (shown < count) {
        buf_printf(out, "%u more, none graver than those shown, are left out here.\n",
                   (unsigned)(count - shown));
    }
    buf_release(&list);
}

void iterate_show_work(struct buf *out, const struct run_view *run, uint32_t number,
                       const char *heading)
{
    struct str doc = engine_doc(run->engine, 0, run->engine->iteration, number - 1, FOR_WORK);

    if (doc.size == 0) return;
    buf_printf(out, "\n## %s\n\n", heading);
    quote_block(out, run->fence, doc,
                number == PHASE_BRAINSTORM ? BRAINSTORM_BYTES_MAX : REPORT_BYTES_MAX);
}

void iterate_show_plan(struct buf *out, const struct run_view *run, const struct action *action)
{
    struct str plan = engine_doc(run->engine, 0, run->engine->iteration, PHASE_PLAN - 1, FOR_WORK);
    struct arena arena = { 0 };
    bool pending = action->role == ITERATE_PLAN_REVIEWER;
    struct str amendments = iterate_amendments(run->engine, pending, &arena);

    buf_text(out, "\n## The plan\n\n");
    if (plan.size == 0) {
        buf_text(out, "It is not known any more: this run was restored from its state file. Go by "
                      "the task, and by\nwhat the workspace shows.\n");
    } else {
        quote_block(out, run->fence, plan, PLAN_BYTES_MAX);
    }
    if (amendments.size) {
        buf_text(out, "\nWhat was changed in it after reviews; where it differs from the above, "
                      "this holds, and the later\none first of all:\n\n");
        quote_block(out, run->fence, amendments, AMENDMENTS_BYTES_MAX);
    }
    arena_release(&arena);
}

void iterate_show_copies(struct buf *out, const struct run_view *run)
{
    const struct batch *work = &run->engine->lanes[0].work;

    for (uint32_t i = 0; i < work->count; i++) {
        buf_printf(out, "\n## Answer %u of %u\n\n", (unsigned)(i + 1), (unsigned)work->count);
        quote_block(out, run->fence, work->jobs[i].result.doc, COPIES_BYTES_MAX / work->count);
    }
}

void iterate_show_tests(struct buf *out, const struct run_view *run)
{
    struct str doc = engine_doc(run->engine, 0, run->engine->iteration, PHASE_TEST - 1, FOR_REVIEW);
    bool known = run->test && *run->test;
    struct arena arena = { 0 };
    struct iterate_tested tested;

    if (doc.size == 0 && !known) return;
    buf_text(out, "\n## The tests\n\n");
    if (known) {
        buf_text(out, "The project's test command is:\n\n");
        quote_block(out, run->fence, str_of(run->test), COMMAND_BYTES_MAX);
        buf_byte(out, '\n');
    }
    iterate_tested_read(doc, &arena, &tested);
    if (doc.size && known) {
        buf_printf(out, "It ended with exit status %llu. What it said last:\n\n",
                   (unsigned long long)tested.status);
    }
    if (doc.size) {
        quote_block(out, run->fence, tested.output, REPORT_BYTES_MAX);
    } else {
        buf_text(out, "How it ended is not known any more.\n");
    }
    arena_release(&arena);
}

/* ---- what came before ---- */

/* The newest review of a phase in an iteration. */
static void show_review(struct buf *out, const struct run_view *run, uint32_t iteration,
                        uint32_t number)
{
    struct str doc = engine_doc(run->engine, 0, iteration, number - 1, FOR_REVIEW);
    struct arena arena = { 0 };
    struct iterate_review review;
    struct iterate_tested tested;

    if (number == PHASE_TEST) {
        iterate_tested_read(doc, &arena, &tested);
        buf_printf(out, "The tests ended with exit status %llu:\n\n",
                   (unsigned long long)tested.status);
        quote_block(out, run->fence, tested.output, REPORT_BYTES_MAX);
    } else {
        iterate_review_read(doc, &arena, &review);
        iterate_show_issues(out, run->fence, review.issues.items, review.issues.count);
    }
    arena_release(&arena);
}

void iterate_show_restart(struct buf *out, const struct run_view *run)
{
    const struct engine *engine = run->engine;
    const struct round *last = NULL;
    struct str plan = engine_doc(engine, 0, engine->iteration, PHASE_PLAN - 1, FOR_WORK);

    for (uint32_t i = 0; i < engine->round_count; i++) {
        if (engine->rounds[i].iteration + 1 == engine->iteration) last = &engine->rounds[i];
    }
    if (!last) return;
    buf_printf(out,
               "\n## The iteration before\n\n"
               "Iteration %u ended in phase %u (%s), which led back to phase 1. The workspace\n"
               "may hold what was done in it: look at that first, and keep what is right. What\n"
               "its last review found must not come back:\n\n",
               (unsigned)last->iteration, (unsigned)iterate_phase_number(last->phase),
               iterate_phase_name(iterate_phase_number(last->phase)));
    show_review(out, run, last->iteration, iterate_phase_number(last->phase));
    if (engine->lanes[0].phase > PHASE_PLAN - 1 || plan.size == 0) return;
    buf_text(out, "\nThe plan of that iteration:\n\n");
    quote_block(out, run->fence, plan, PLAN_BYTES_MAX);
}

void iterate_show_noted(struct buf *out, const struct run_view *run, uint32_t number)
{
    struct arena arena = { 0 };
    struct iterate_issues all = { 0 };

    for (uint32_t n = PHASE_PLAN_REVIEW; n < number; n++) {
        struct iterate_review review;
        if (n == PHASE_TEST) continue;
        iterate_review_read(engine_doc(run->engine, 0, run->engine->iteration, n - 1, FOR_REVIEW),
                            &arena, &review);
        for (uint32_t i = 0; i < review.issues.count; i++) {
            *iterate_issue_add(&all, &arena) = review.issues.items[i];
        }
        for (uint32_t i = 0; i < review.notes.count; i++) {
            *iterate_issue_add(&all, &arena) = review.notes.items[i];
        }
    }
    if (all.count) {
        buf_text(out, "\n## Noted before\n\n"
                      "Issues of earlier reviews that were noted and passed over. Judge afresh "
                      "whether they still hold\nand matter:\n\n");
        iterate_show_issues(out, run->fence, all.items, all.count);
    }
    arena_release(&arena);
}

void iterate_show_changed(struct buf *out, const struct run_view *run)
{
    if (run->changed_count == 0) return;
    buf_text(out, "\nFiles that have changed since the last review:\n\n");
    quote_names(out, run->fence, run->changed, run->changed_count);
}

/* ---- this phase's own rounds ---- */

static bool is_of(const struct batch *batch, const struct action *action)
{
    return batch->count > 0 && batch->phase == action->phase &&
           batch->iteration == action->iteration;
}

/* What fixers said, all of them. */
static void show_fixers(struct buf *out, const struct run_view *run, const struct batch *repair)
{
    for (uint32_t i = 0; i < repair->count; i++) {
        if (i > 0) buf_byte(out, '\n');
        quote_block(out, run->fence, repair->jobs[i].result.doc,
                    REPAIRS_BYTES_MAX / repair->count);
    }
}

void iterate_show_history(struct buf *out, const struct run_view *run,
                          const struct action *action)
{
    const struct lane *lane = &run->engine->lanes[0];
    const struct result *review;
    struct arena arena = { 0 };
    struct iterate_review kept;

    if (!is_of(&lane->review, action)) return;
    review = &lane->review.jobs[0].result;
    iterate_review_read(review->doc, &arena, &kept);
    buf_printf(out, "\n## The last review\n\nWhat review %u of this phase found:\n\n",
               (unsigned)lane->review.round);
    iterate_show_issues(out, run->fence, review->findings, review->finding_count);
    if (kept.notes.count) {
        buf_text(out, "\nAnd what it noted, to be repaired or not:\n\n");
        iterate_show_issues(out, run->fence, kept.notes.items, kept.notes.count);
    }
    if (is_of(&lane->repair, action) && lane->repair.round == lane->review.round) {
        buf_text(out, "\nWhat the fixers say they did about it:\n\n");
        show_fixers(out, run, &lane->repair);
    }
    buf_text(out,
             "\n"
             "- Check yourself, not in the fixers' words, that each issue is really repaired.\n"
             "- Report again what is not, or only in part, and say what is missing.\n"
             "- Do not repeat what is repaired.\n"
             "- Where a fixer gave a reason for leaving something as it is, check the reason. If\n"
             "  it holds, drop the issue; if not, report it again and say why it does not hold.\n"
             "- Then look at what the repair itself broke.\n");
    arena_release(&arena);
}

void iterate_show_repair(struct buf *out, const struct run_view *run, const struct action *action)
{
    const struct batch *repair = &run->engine->lanes[0].repair;

    if (!is_of(repair, action)) return;
    if (repair->round == action->round && repair->jobs[repair->count - 1].copy < action->copy) {
        buf_text(out, "\n## What the other fixers did\n\n"
                      "They have repaired the issues that name a file. What they report:\n\n");
    } else if (repair->round == action->round) {
        buf_text(out, "\n## The attempt before\n\n"
                      "Fixers have tried this already, and one of them was stuck; the user lets "
                      "you try once more. What\nthey said:\n\n");
    } else {
        buf_printf(out,
                   "\n## The last repair\n\n"
                   "What was reported after review %u. An issue that is back was not solved by it: "
                   "look for the\ncause instead of trying the same again.\n\n",
                   (unsigned)repair->round);
    }
    show_fixers(out, run, repair);
}
