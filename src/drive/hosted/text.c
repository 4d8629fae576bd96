/* SPDX-License-Identifier: Apache-2.0
 *
 * text.c - fills what the model that leads the host's session is told, and what the person there is
 * told of the run. The words stand in prompts/hosted/.
 *
 * The model gets a list of agents with exact types, files and prompts, and nothing to decide:
 * neither what comes next nor whether an answer is good.
 *
 * 1. The user is kept informed: how each review ended, and what it found, is said to the model
 *    once, for the user. Reviewers' words are shown as such.
 * 2. In Codex an agent counts until it is closed. Those that have ended are named, with their ids;
 *    before they are closed no other is started (gate.c). How many were closed is said, for
 *    the user. */
#include "drive/hosted/parts.h"

#include "drive/ask.h"
#include "report/remarks.h"
#include "format/text/safe.h"
#include "run/place.h"

enum {
    REASON_BYTES_MAX = 300,
    ID_BYTES_MAX = 200,
    TEXT_BYTES_MAX = 1 << 20,
    /* A host cuts longer texts: some room is left for what stands around the list. */
    LIST_BYTES_MAX = HOOK_CONTEXT_BYTES_MAX - 2000,
};

/* How a person calls a dialect there: "/hone:review", "$hone-review", "/hone:loop"; and how a run
 * is stopped. */
static const char *call_of(struct hosted *hosted, const char *dialect)
{
    if (!dialect_find(str_of(dialect))) dialect = "loop";
    return arena_printf(&hosted->arena, hosted->in->host == HOOK_CODEX ? "$hone-%s" : "/hone:%s",
                        dialect);
}

static const char *stop_call_of(const struct hosted *hosted)
{
    return hosted->in->host == HOOK_CODEX ? "'hone stop'" : "/hone:stop";
}

/* The agents that are to be started; how many. */
static uint32_t write_agents(const struct hosted *hosted, struct buf *out)
{
    const struct drive *drive = &hosted->drive;
    const struct live *live;
    uint32_t count = 0;

    for (uint32_t at = 0; (live = live_next(drive, &at));) {
        const char *role = drive->run.plan.roles[live->action.role].name, *file, *output;
        struct arena arena = { 0 };
        struct hosted_page page = { .fence = drive->fence };

        if (!hosted_is_played(drive, live) || hosted_runs(hosted, role)) continue;
        if (out->size > LIST_BYTES_MAX) break; /* the others are named when the next turn ends */
        output = attempt_output(drive, live, &file, &arena);
        page.codex = hosted->in->host == HOOK_CODEX;
        page.role = slot_word(role);
        page.own = hosted_is_own(drive, role);
        page.model = slot_text(str_of(agent_of(&drive->run, &live->action)->argument),
                               SHOWN_BYTES_MAX);
        page.folder = slot_text(str_of(live->dir), SHOWN_BYTES_MAX);
        page.answer_file = slot_text(str_of(*file ? output : ""), SHOWN_BYTES_MAX);
        hosted_page_agent(out, &page);
        arena_release(&arena);
        count++;
    }
    return count;
}

/* Reviews that are complete; *last is the newest of them. */
static uint32_t rounds_over(const struct engine *engine, const struct round **last)
{
    uint32_t count = 0;

    *last = NULL;
    for (uint32_t i = 0; i < engine->round_count; i++) {
        if (engine->rounds[i].ended_ms == 0) continue;
        *last = &engine->rounds[i];
        count++;
    }
    return count;
}

/* Whether an agent is to be started next, or none any more: those that have ended are closed. */
static bool is_between(const struct hosted *hosted)
{
    for (uint32_t i = 0; i < hosted->notes.wanted_count; i++) {
        if (!hosted_runs(hosted, hosted->notes.wanted[i].role)) return true;
    }
    return hosted->notes.wanted_count == 0;
}

void hosted_note_told(struct hosted *hosted)
{
    struct host_notes *notes = &hosted->notes;
    const struct round *last;
    uint32_t over = rounds_over(&hosted->drive.run.engine, &last);

    hosted->news = over > notes->rounds_told;
    hosted->closed = notes->closed;
    notes->rounds_told = over;
    notes->closed = 0;
    if (is_between(hosted)) host_agents_tell(notes, hosted->in->event == HOOK_STOP);
}

/* What the dialect calls a review and what follows it. */
static const char *round_word(const struct dialect *dialect)
{
    return dialect->rounds_are_iterations ? "iteration" : "round";
}

void hosted_put_closing(const struct hosted *hosted, struct buf *out)
{
    const struct host_notes *notes = &hosted->notes;
    bool any = false;

    for (uint32_t i = 0; i < notes->ended_count; i++) {
        if (!notes->ended[i].closing) continue;
        buf_text(out, any ? ", " : "");
        safe_text(out, str_of(notes->ended[i].id), true, ID_BYTES_MAX);
        buf_printf(out, " (%s)", notes->ended[i].role);
        any = true;
    }
}

struct hosted_page hosted_page(struct hosted *hosted)
{
    const char *dialect = hosted->notes.dialect; /* NULL: the session has no run */

    return (struct hosted_page){
        .fence = hosted->drive.fence,
        .codex = hosted->in->host == HOOK_CODEX,
        .run = slot_word(hosted->notes.run),
        .dialect = slot_word(dialect),
        .phase = slot_text(str_of(hosted->notes.phase), SHOWN_BYTES_MAX),
        .call = slot_word(dialect ? call_of(hosted, dialect) : ""),
        .stop_call = slot_word(stop_call_of(hosted)),
    };
}

/* A text that is being filled, and the lists in it. */
struct sheet {
    struct hosted_page page;
    struct buf agents, open, closing, untouched;
};

/* Agents that were closed, and those that are to be. */
static void fill_cleanup(const struct hosted *hosted, struct sheet *sheet)
{
    hosted_put_closing(hosted, &sheet->closing);
    sheet->page.closed = slot_number(hosted->closed);
    sheet->page.closed_one = hosted->closed == 1;
    sheet->page.closing = slot_part(&sheet->closing);
}

/* How the last review ended, and what is open. false: none has ended. */
static bool fill_review(const struct hosted *hosted, struct sheet *sheet)
{
    const struct run *run = &hosted->drive.run;
    struct hosted_page *page = &sheet->page;
    const struct round *round;

    (void)rounds_over(&run->engine, &round);
    if (!round) return false;
    if (round->finding_count > 0) ask_open(run, round->lane, &sheet->open);
    page->review_phase = slot_word(run->plan.phases[round->phase].name);
    page->round_is = slot_word(round_word(run->dialect));
    page->review_round = slot_number(round->number);
    page->passed = round->verdict == VERDICT_CLEAN;
    page->found = slot_number(round->finding_count);
    page->found_one = round->finding_count == 1;
    page->open = slot_part(&sheet->open);
    untouched_words(&run->engine, &sheet->untouched);
    page->untouched = slot_part(&sheet->untouched);
    return true;
}

/* Where the run is, and what the user is to know before the next step. */
static void fill_place(const struct hosted *hosted, struct sheet *sheet)
{
    const struct run *run = &hosted->drive.run;
    const struct lane *lane = &run->engine.lanes[0];
    struct hosted_page *page = &sheet->page;

    page->run = slot_word(run->row.id);
    page->dialect = slot_word(run->dialect->name);
    page->round_is = slot_word(round_word(run->dialect));
    page->round = slot_number(lane->now.count > 0 ? lane->now.round : 0);
    page->news = hosted->news && fill_review(hosted, sheet);
    fill_cleanup(hosted, sheet);
    page->told = hosted->news || hosted->closed > 0 || sheet->closing.size > 0;
}

static void sheet_init(struct sheet *sheet, struct hosted *hosted)
{
    *sheet = (struct sheet){ .page = hosted_page(hosted) };
    buf_init(&sheet->agents, TEXT_BYTES_MAX);
    buf_init(&sheet->open, TEXT_BYTES_MAX);
    buf_init(&sheet->closing, TEXT_BYTES_MAX);
    buf_init(&sheet->untouched, TEXT_BYTES_MAX);
}

static void sheet_release(struct sheet *sheet)
{
    buf_release(&sheet->agents);
    buf_release(&sheet->open);
    buf_release(&sheet->closing);
    buf_release(&sheet->untouched);
}

void hosted_tell_first(struct hosted *hosted, struct buf *out)
{
    struct sheet sheet;

    sheet_init(&sheet, hosted);
    fill_cleanup(hosted, &sheet);
    hosted_page_tell_first(out, &sheet.page);
    sheet_release(&sheet);
}

void hosted_instruct(struct hosted *hosted, struct buf *out)
{
    struct sheet sheet;
    uint32_t count;

    sheet_init(&sheet, hosted);
    fill_place(hosted, &sheet);
    count = write_agents(hosted, &sheet.agents);
    sheet.page.count = slot_number(count);
    sheet.page.one = count == 1;
    sheet.page.agents = slot_part(&sheet.agents);
    if (count > 0) hosted_page_start(out, &sheet.page);
    else hosted_page_wait(out, &sheet.page);
    sheet_release(&sheet);
}

void hosted_standing(struct hosted *hosted, struct buf *out)
{
    const struct run *run = &hosted->drive.run;
    const struct engine *engine = &run->engine;
    const struct lane *lane = &engine->lanes[0];
    enum reason reason = engine->reason;
    struct sheet sheet;
    struct hosted_page *page = &sheet.page;

    sheet_init(&sheet, hosted);
    page->run = slot_word(run->row.id);
    page->dialect = slot_word(run->dialect->name);
    page->call = slot_word(call_of(hosted, run->dialect->name));
    page->clean = reason == REASON_CLEAN;
    page->noted = reason == REASON_NOTED;
    page->partial = reason == REASON_PARTIAL;
    page->bound = reason == REASON_BOUND;
    page->settled = reason == REASON_CONVERGED || reason == REASON_SETTLED;
    page->little_left = reason == REASON_CONVERGED;
    page->oscillating = reason == REASON_OSCILLATING;
    page->diverging = reason == REASON_DIVERGING;
    page->is_stuck = reason == REASON_STUCK;
    page->asks = reason == REASON_WAITING || reason == REASON_ESCALATED;
    page->interrupted = reason == REASON_INTERRUPTED;
    page->failed = reason == REASON_FAILED;
    page->budget = reason == REASON_BUDGET;
    page->unseen = reason == REASON_UNSEEN;
    page->at_work = reason == REASON_NONE;
    page->unproven = slot_number((uint32_t)engine->unproven);
    page->unproven_one = engine->unproven == 1;
    page->reviews = slot_number(engine->round_count);
    page->one_review = engine->round_count == 1;
    page->stuck = slot_text(stuck_reason(lane), REASON_BYTES_MAX);
    page->escalation = slot_word(question_escalation(run, 0, lane->question));
    page->question = slot_word(question_text(lane->question));
    page->can_restart = choice_is_open(engine, CHOICE_RESTART);
    page->vain = hosted->notes.blocks > 0;
    page->last_review = (hosted->news || lane->question != ASK_NOTHING) &&
                        fill_review(hosted, &sheet);
    hosted_page_standing(out, page);
    sheet_release(&sheet);
}
