/* SPDX-License-Identifier: Apache-2.0
 *
 * text.c - what the model that leads the host's session is told (prompts/hosted/), and what the
 * person there is told of the run.
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
#include "prompts/hosted.h"
#include "run/place.h"

enum {
    REASON_BYTES_MAX = 300,
    ID_BYTES_MAX = 200,
    PATH_BYTES_MAX = 4096,
    TEXT_BYTES_MAX = 1 << 20,
    /* A host cuts longer texts: some room is left for what stands around the list. */
    LIST_BYTES_MAX = HOOK_CONTEXT_BYTES_MAX - 2000,
};

const char *hosted_call(struct hosted *hosted, const char *dialect)
{
    return arena_printf(&hosted->arena, hosted->in->host == HOOK_CODEX ? "$hone-%s" : "/hone:%s",
                        dialect);
}

const char *hosted_stop_call(const struct hosted *hosted)
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
        page.model = slot_text(str_of(agent_of(&drive->run, &live->action)->argument),
                               PATH_BYTES_MAX);
        page.folder = slot_text(str_of(live->dir), PATH_BYTES_MAX);
        page.answer_file = slot_text(str_of(*file ? output : ""), PATH_BYTES_MAX);
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

/* "execution, round 2: not passed, 1 finding:", and the findings that are open. */
static void put_round(const struct hosted *hosted, struct buf *out)
{
    const struct drive *drive = &hosted->drive;
    const struct round *round;

    (void)rounds_over(&drive->run.engine, &round);
    if (!round) return;
    buf_printf(out, "%s, %s %u: %spassed, ", drive->run.plan.phases[round->phase].name,
               round_word(drive->run.dialect), (unsigned)round->number,
               round->verdict == VERDICT_CLEAN ? "" : "not ");
    if (round->finding_count == 0) buf_text(out, "no finding\n");
    else buf_printf(out, "%u finding%s:\n", (unsigned)round->finding_count,
                    round->finding_count == 1 ? "" : "s");
    if (round->finding_count > 0) ask_open(&drive->run, round->lane, out);
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

/* A text that is being filled, and the lists in it. */
struct sheet {
    struct hosted_page page;
    struct buf agents, news, closing;
};

/* Agents that were closed, and those that are to be. */
static void fill_cleanup(const struct hosted *hosted, struct sheet *sheet)
{
    hosted_put_closing(hosted, &sheet->closing);
    sheet->page.closed = slot_number(hosted->closed);
    sheet->page.closed_one = hosted->closed == 1;
    sheet->page.closing = slot_part(&sheet->closing);
}

/* Where the run is, and what the user is to know before the next step. */
static void fill_standing(const struct hosted *hosted, struct sheet *sheet)
{
    const struct run *run = &hosted->drive.run;
    const struct lane *lane = &run->engine.lanes[0];
    struct hosted_page *page = &sheet->page;

    page->fence = hosted->drive.fence;
    page->codex = hosted->in->host == HOOK_CODEX;
    page->phase = slot_text(str_of(hosted->notes.phase), PATH_BYTES_MAX);
    page->run = slot_word(run->row.id);
    page->dialect = slot_word(run->dialect->name);
    page->round_is = slot_word(round_word(run->dialect));
    page->round = slot_number(lane->now.count > 0 ? lane->now.round : 0);
    if (hosted->news) put_round(hosted, &sheet->news);
    page->news = slot_part(&sheet->news);
    fill_cleanup(hosted, sheet);
    page->told = hosted->news || hosted->closed > 0 || sheet->closing.size > 0;
}

static void sheet_init(struct sheet *sheet)
{
    *sheet = (struct sheet){ 0 };
    buf_init(&sheet->agents, TEXT_BYTES_MAX);
    buf_init(&sheet->news, TEXT_BYTES_MAX);
    buf_init(&sheet->closing, TEXT_BYTES_MAX);
}

static void sheet_release(struct sheet *sheet)
{
    buf_release(&sheet->agents);
    buf_release(&sheet->news);
    buf_release(&sheet->closing);
}

void hosted_tell_first(const struct hosted *hosted, struct buf *out)
{
    struct sheet sheet;

    sheet_init(&sheet);
    fill_cleanup(hosted, &sheet);
    hosted_page_tell_first(out, &sheet.page);
    sheet_release(&sheet);
}

void hosted_instruct(const struct hosted *hosted, struct buf *out)
{
    struct sheet sheet;
    uint32_t count;

    sheet_init(&sheet);
    fill_standing(hosted, &sheet);
    count = write_agents(hosted, &sheet.agents);
    sheet.page.count = slot_number(count);
    sheet.page.one = count == 1;
    sheet.page.agents = slot_part(&sheet.agents);
    if (count > 0) hosted_page_start(out, &sheet.page);
    else hosted_page_wait(out, &sheet.page);
    sheet_release(&sheet);
}

/* Why the fixer says it cannot go on, as a quotation: it is an agent's text. */
static void put_stuck(const struct engine *engine, struct buf *out)
{
    struct str reason = stuck_reason(&engine->lanes[0]);

    if (reason.size == 0) return;
    buf_text(out, " (its words: \"");
    safe_text(out, reason, true, REASON_BYTES_MAX);
    buf_text(out, "\")");
}

void hosted_standing(struct hosted *hosted, struct buf *out)
{
    const struct drive *drive = &hosted->drive;
    const struct engine *engine = &drive->run.engine;
    const char *name = drive->run.dialect->name;
    const char *call = hosted_call(hosted, name);
    const char *escalation = question_escalation(&drive->run, 0, engine->lanes[0].question);
    unsigned rounds = (unsigned)engine->round_count;

    buf_printf(out, "hone: run %s (%s) ", drive->run.row.id, name);
    switch (engine->reason) {
    case REASON_CLEAN:
        buf_printf(out, "is over, and clean after %u review%s.", rounds, rounds == 1 ? "" : "s");
        break;
    case REASON_NOTED:
        buf_text(out, "is over; findings were noted and passed over.");
        break;
    case REASON_BOUND:
        buf_printf(out, "is over: findings remain after %u review%s, and no more are allowed.",
                   rounds, rounds == 1 ? "" : "s");
        break;
    case REASON_STUCK:
        buf_text(out, "stopped: the fixer says it cannot go on");
        put_stuck(engine, out);
        buf_printf(out, ". %s looks again.", call);
        break;
    case REASON_WAITING:
    case REASON_ESCALATED:
        buf_printf(out, "asks: %s%s%s", escalation ? escalation : "", escalation ? ": " : "",
                   question_text(engine->lanes[0].question));
        put_stuck(engine, out);
        buf_printf(out, ". Answer with %s continue, accept%s or stop.", call,
                   choice_is_open(engine, CHOICE_RESTART) ? ", restart" : "");
        break;
    case REASON_INTERRUPTED:
        buf_printf(out, "is stopped: %s. Nothing is lost; %s continues it.",
                   hosted->notes.blocks ? "its agents were asked for again and again, and none was "
                                          "started"
                                        : "it was told to", call);
        break;
    case REASON_FAILED:
        buf_printf(out, "cannot go on: an agent failed, or kept breaking its contract. "
                   "'hone status' says which; %s tries again.", call);
        break;
    case REASON_BUDGET:
        buf_text(out, "is stopped: its budget is spent. 'hone resume --budget' gives it more.");
        break;
    case REASON_NONE:
    case REASON_COUNT:
        buf_text(out, "is at work.");
        break;
    }
    buf_printf(out, " 'hone findings %s' lists what was found.", drive->run.row.id);
    if (rounds > 0 && (hosted->news || engine->lanes[0].question != ASK_NOTHING)) {
        buf_text(out, "\nThe last review: ");
        put_round(hosted, out);
    }
}
