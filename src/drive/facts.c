/* SPDX-License-Identifier: Apache-2.0
 *
 * facts.c - what is known of an attempt's end, gathered: the only part of its way that reads.
 *
 *   begin --> stream --> [headless: what it said is kept] --> answer --> tree --> outcome()
 *
 * 1. A step gathers only what can still decide: outcome_wants_answer(), outcome_wants_words().
 * 2. The answer is HONE_OUTPUT if the attempt wrote it, else its standard output, or what a stream
 *    of events there says (the file "said"); what it reported by MCP (the file "report") is an
 *    answer too.
 * 3. JSON that the agent's program held against the schema is the answer, in place of what was put
 *    into HONE_OUTPUT.
 * 4. What an attempt used counts however it ended. */
#include "drive/facts.h"

#include "drive/attempt.h"
#include "drive/builtin.h"
#include "drive/spending.h"
#include "drive/transcript.h"
#include "io/file/scratch.h"
#include "run/site.h"

enum { SAID_BYTES_MAX = 256 << 10, COMMAND_BYTES_MAX = 64 << 20 };

static bool is_asked_once(const struct drive *drive, const struct action *action)
{
    const struct dialect_insisting *insisting = drive->run.dialect->insisting;

    return insisting && !is_builtin(&drive->run, action) &&
           insisting->asked_once(agent_of(&drive->run, action)->backend->name,
                                 drive->run.plan.roles[action->role].name);
}

void facts_begin(struct gathered *gathered, const struct drive *drive, const struct live *live,
                 const struct notice *notice)
{
    const struct agent *agent = agent_of(&drive->run, &live->action);

    *gathered = (struct gathered){ .facts = {
        .dialect = drive->run.dialect, .settings = &drive->run.settings, .mask = &drive->mask,
        .action = &live->action, .agent = agent, .view = drive_view_of(drive, &live->action),
        .asked_once = is_asked_once(drive, &live->action), .sandboxed = drive->run.sandboxed,
        .notice = *notice, .last_words = "", .cage = "", .host = "", .basis_what = "",
        .builtin = is_builtin(&drive->run, &live->action),
        .said = { .text = { "", 0 } }, .report = { .text = { "", 0 } },
    } };
    gathered->facts.view.backend = agent->backend->name;
    gathered->facts.streamed = agent->backend->stream && !gathered->facts.builtin;
    if (agent->backend->hosted) gathered->facts.host = drive->host;
    if (gathered->facts.builtin) {
        gathered->facts.builtin_kind = builtin_kind_of(drive, &live->action);
    }
    buf_init(&gathered->answer, ANSWER_BYTES_MAX);
    buf_init(&gathered->report, ANSWER_BYTES_MAX);
}

void facts_stream(struct gathered *gathered, struct drive *drive, struct live *live)
{
    struct facts *facts = &gathered->facts;
    const struct notice *notice = &facts->notice;
    struct err err = { 0 };

    live->files = scratch_holds(live->dir, attempt_files);
    if (facts->streamed) {
        facts->reading_rc = agent_read(facts->agent, live->dir,
                                       notice->by == ENDED_EXIT ? notice->value : -1,
                                       &gathered->arena, &facts->reading, &err);
        facts->reading_problem = arena_cstr(&gathered->arena, str_of(err.text));
        facts->usage = facts->reading.usage;
        facts->budget_was_all = facts->reading.end == READING_BUDGET &&
                                spending_was_all(drive, live, facts->usage.cost_micros);
        if (reading_waits(&facts->reading)) {
            facts->ask_again_ms = waits_until(&drive->waits, live->action.job,
                                              facts->reading.retry_at_ms,
                                              drive->run.settings.wait_ms_max, notice->ended_ms);
        } else {
            waits_forget(&drive->waits, live->action.job);
        }
    }
    if (live->files & FILE_BIT(FILE_CHILDREN)) children_add(live->dir, &facts->usage);
}

/* ---- texts ---- */

static int kept_text(const struct live *live, enum attempt_file file, struct buf *out,
                     struct err *err)
{
    const char *name = attempt_files[file];

    if (live->files & FILE_BIT(file)) return scratch_read(live->dir, name, out, err);
    return err_set(err, ERR_MISSING, "%s/%s: no such file", live->dir, name);
}

static void gather_words(struct gathered *gathered, const struct live *live)
{
    struct facts *facts = &gathered->facts;
    bool command = facts->builtin && facts->builtin_kind == BUILTIN_COMMAND;
    struct buf last;

    buf_init(&last, 1024);
    scratch_last_line(live->dir, command ? "stdout" : "stderr", facts->builtin ? 500 : 300, &last);
    facts->last_words = arena_take_cstr(&gathered->arena, &last);
}

/* The last part of what a command said, behind its status. */
static void gather_command(struct gathered *gathered, const struct live *live)
{
    struct err ignored;
    struct buf said;

    buf_init(&said, COMMAND_BYTES_MAX);
    if (scratch_read(live->dir, "stdout", &said, &ignored) != 0 && said.size == 0) {
        buf_text(&said, "(it said more than can be kept)\n");
    }
    buf_printf(&gathered->answer, "exit %d\n", gathered->facts.notice.value);
    buf_add(&gathered->answer, str_tail(buf_str(&said), SAID_BYTES_MAX));
    buf_release(&said);
}

/* What hone itself said for the role. */
static void gather_own(struct gathered *gathered, const struct live *live)
{
    struct answer *said = &gathered->facts.said;
    struct err err = { 0 };

    if (gathered->facts.builtin_kind == BUILTIN_COMMAND) {
        gather_command(gathered, live);
    } else {
        said->rc = scratch_read(live->dir, "stdout", &gathered->answer, &err);
        said->problem = arena_cstr(&gathered->arena, str_of(err.text));
        said->findings = gathered->facts.builtin_kind == BUILTIN_SCAN;
    }
    said->text = buf_str(&gathered->answer);
}

static void gather_answers(struct gathered *gathered, struct live *live)
{
    struct facts *facts = &gathered->facts;
    struct err err = { 0 }, none;

    facts->said.findings = facts->agent->backend->answers_findings;
    facts->said.rc = kept_text(live, FILE_ANSWER, &gathered->answer, &err);
    if (facts->said.rc == ERR_MISSING) {
        facts->said.rc = kept_text(live, facts->streamed ? FILE_SAID : FILE_STDOUT,
                                   &gathered->answer, &err);
        facts->prose = true;
        if (!facts->streamed && facts->said.rc == 0 && gathered->answer.size == 0) {
            live->plain |= FILE_BIT(FILE_STDOUT); /* it is empty */
        }
    }
    facts->said.text = buf_str(&gathered->answer);
    facts->said.problem = arena_cstr(&gathered->arena, str_of(err.text));
    facts->has_report = kept_text(live, FILE_REPORT, &gathered->report, &none) == 0;
    facts->report.text = buf_str(&gathered->report);
}

void facts_answer(struct gathered *gathered, struct live *live)
{
    if (outcome_wants_words(&gathered->facts)) gather_words(gathered, live);
    if (!outcome_wants_answer(&gathered->facts)) return;
    if (gathered->facts.builtin) gather_own(gathered, live);
    else gather_answers(gathered, live);
}

void facts_cage(struct gathered *gathered, struct drive *drive, const struct live *live)
{
    struct facts *facts = &gathered->facts;
    struct guarded guarded;

    if (facts->builtin || !outcome_wants_words(facts)) return;
    guarded = attempt_guarded(drive, live);
    facts->cage = cage_words(&guarded, facts->reading.message,
                             facts->streamed && facts->reading.end == READING_NETWORK);
}

void facts_say(struct gathered *gathered, struct str answer, bool findings)
{
    gathered->facts.said = (struct answer){ .text = answer, .findings = findings };
}

/* ---- the tree ---- */

int facts_tree(struct gathered *gathered, struct drive *drive, const struct live *live)
{
    struct facts *facts = &gathered->facts;
    int rc;

    if (!drive->run.dialect->wants_tree || !outcome_wants_answer(facts)) return 0;
    if (!site_is_there(site_at(&drive->run, &live->action))) {
        facts->basis = BASIS_TREE_GONE;
        return 0;
    }
    rc = round_look(drive, live, &gathered->tree);
    if (gathered->tree.known) facts->view.tree = &gathered->tree.view;
    return rc;
}

/* ---- the event ---- */

void facts_event(const struct gathered *gathered, struct pending *out, struct str *counted)
{
    const struct action *action = gathered->facts.action;
    struct outcome end;

    *out = (struct pending){ .event = { .kind = EV_ENDED, .now_ms = now_wall_ms(),
        .job = action->job, .attempt = action->attempt, .lane = action->lane } };
    outcome(&gathered->facts, &out->arena, &end);
    out->event.result = end.result;
    if (counted) *counted = end.counted;
}

void facts_release(struct gathered *gathered)
{
    round_release(&gathered->tree);
    buf_release(&gathered->report);
    buf_release(&gathered->answer);
    arena_release(&gathered->arena);
}
