/* SPDX-License-Identifier: Apache-2.0
 *
 * restore.c - from a session file, of hone or another tool, to the events that lead where it
 * stands.
 *
 * An engine of the plan is walked along the entries of Review History: what it asks for is
 * answered with what they say, and where they say nothing more the walk is over. Then
 * completed_stages has the last word: what it does not name does not hold.
 *
 * 1. Recording the run that these events make gives the file again, byte for byte: the file is the
 *    ground of the record (record.c), and the beginning's document says how much of the
 *    diary it holds already.
 * 2. Rounds are counted on. Issues of the newest review that asked for changes are open.
 * 3. Nothing becomes complete by a guess: a stage that the file does not name is reviewed. Nor by
 *    the word of a file that is not ours: a repository or another tool may bring its plan, its
 *    rounds and its open issues, and all its stages are reviewed. Then 1 does not hold for them.
 * 4. The walk is bounded: each entry takes at most a few steps, and numbers beyond ROUNDS_MAX
 *    count as the next one. */
#include "dialect/session/session.h"

#include "dialect/sections.h"
#include "dialect/session/file.h"

#include <assert.h>
#include <string.h>

enum { ROUNDS_MAX = 200, STEPS_MAX = 100000 };

struct walk {
    struct restored *out;
    struct plan plan;
    struct engine engine;
    struct arena arena;
    struct session_file file;
    struct session_metadata metadata;
    const struct session_round *rounds;
    uint32_t count;
    uint32_t steps;
    bool ours;         /* this user's run wrote the file so */
};

/* ---- events ---- */

static void tell_engine(struct walk *walk, struct event event)
{
    struct actions actions = { 0 };

    walk->steps++;
    restored_add(walk->out, event);
    engine_step(&walk->engine, &event, &actions);
    actions_release(&actions);
}

static const struct lane *lane_of(const struct walk *walk)
{
    return &walk->engine.lanes[0];
}

/* Every job that is asked for now ends like that; the first one with the findings. */
static void end_jobs(struct walk *walk, struct result result)
{
    uint32_t first = lane_of(walk)->now.jobs[0].id, count = lane_of(walk)->now.count;

    for (uint32_t id = first; id < first + count; id++) {
        const struct job *job = engine_job(&walk->engine, id, NULL);

        if (!job || job->state != JOB_RUNNING) continue;
        tell_engine(walk, (struct event){ .kind = EV_ENDED, .job = id, .attempt = job->attempt,
                                   .result = result });
        result.verdict = VERDICT_CLEAN;
        result.findings = NULL;
        result.finding_count = 0;
        result.doc = session_doc_write(&(struct session_doc){ .restored = true, .approved = true },
                                       &walk->out->arena);
    }
}

static void end_executor(struct walk *walk, struct str answer)
{
    end_jobs(walk, (struct result){ .verdict = VERDICT_CLEAN, .doc = session_doc_write(
        &(struct session_doc){ .restored = true, .answer = answer }, &walk->out->arena) });
}

static void end_review(struct walk *walk, const struct finding *findings, uint32_t count,
                       bool approved)
{
    struct session_doc doc = { .restored = true, .approved = approved, .issues = findings,
                               .issue_count = count };

    end_jobs(walk, (struct result){
        .verdict = approved ? VERDICT_CLEAN : VERDICT_FINDINGS,
        .findings = findings, .finding_count = count,
        .doc = session_doc_write(&doc, &walk->out->arena) });
}

/* A review that the file says nothing of, though it must have asked for changes. */
static void end_guessed(struct walk *walk)
{
    static const struct finding finding = { .severity = SEVERITY_LOW,
                                            .text = STR("a review that is not in the file") };

    end_review(walk, &finding, 1, false);
}

/* ---- what an entry says ---- */

static bool is_word(struct str value, const char *word)
{
    return str_is(text_bare(value, "`*_ ", "`*_ ."), word);
}

/* SESSION files of others may put more behind the word. */
static bool verdict_of(const struct session_round *round, bool *approved)
{
    const struct session_bullet *bullet = session_round_bullet(round, ROUND_VERDICT);

    if (!bullet) return false;
    *approved = is_word(bullet->value, "APPROVE");
    return *approved || is_word(bullet->value, "REQUEST_CHANGES");
}

static bool is_executed(const struct session_round *round)
{
    bool approved;

    return session_round_bullet(round, ROUND_EXECUTOR_RESULT) || verdict_of(round, &approved);
}

static const struct finding *issues_of(struct walk *walk, const struct session_round *round,
                                       uint32_t *count)
{
    const struct session_bullet *bullet = session_round_bullet(round, ROUND_ISSUES);
    struct arena *arena = &walk->out->arena;
    uint32_t items = bullet ? bullet->item_count : 0;
    struct finding *findings = arena_alloc(arena, (items + 1) * sizeof *findings);

    *count = 0;
    for (uint32_t i = 0; i < items; i++) {
        struct session_entry_issue issue;
        struct finding *finding = &findings[*count];

        if (!session_entry_issue_read(bullet->items[i], &issue)) continue;
        *finding = (struct finding){
            .severity = issue.critical ? SEVERITY_HIGH : SEVERITY_LOW,
            .source = STR("reviewer"),
            .file = arena_copy(arena, issue.file),
            .line = issue.line,
            .text = arena_copy(arena, issue.text),
        };
        finding->fingerprint = finding_fingerprint(finding);
        ++*count;
    }
    return findings;
}

/* The entry as findings; one that lists none is a finding itself. */
static void end_entry(struct walk *walk, const struct session_round *round, bool approved)
{
    uint32_t count;
    const struct finding *findings = issues_of(walk, round, &count);
    struct finding *whole;

    if (!approved && count == 0) {
        whole = arena_alloc(&walk->out->arena, sizeof *whole);
        *whole = (struct finding){ .severity = SEVERITY_HIGH, .source = STR("reviewer"),
                                   .text = arena_copy(&walk->out->arena, round->raw) };
        whole->fingerprint = finding_fingerprint(whole);
        findings = whole;
        count = 1;
    }
    end_review(walk, findings, count, approved);
}

/* ---- places ---- */

/* The phase that a stage's entries are about; false: none that could be walked. A session that is
 * planning is walked along its planning alone. */
static bool phase_of(const struct walk *walk, enum session_stage stage, uint32_t *out)
{
    if (stage != STAGE_PLANNING && session_has_planning(&walk->plan)) return false;
    for (uint32_t i = 0; stage < STAGE_OTHER && i < walk->plan.phase_count; i++) {
        *out = i;
        if (session_phase_is(&walk->plan, i, session_stage_phase(stage))) return true;
    }
    return false;
}

static bool is_asked(const struct walk *walk)
{
    return lane_of(walk)->now.count > 0 && walk->engine.running > 0;
}

static bool at_gate(const struct walk *walk)
{
    return lane_of(walk)->state == LANE_REVIEWING && is_asked(walk);
}

static bool at_delivery(const struct walk *walk)
{
    return lane_of(walk)->state == LANE_WORKING && walk->plan.phases[lane_of(walk)->phase].needs;
}

static bool at_executor(const struct walk *walk)
{
    return is_asked(walk) && !at_delivery(walk) &&
           (lane_of(walk)->state == LANE_WORKING || lane_of(walk)->state == LANE_REPAIRING);
}

static uint32_t round_now(const struct walk *walk)
{
    return lane_of(walk)->tallies[lane_of(walk)->phase].rounds;
}

static struct str draft_of(struct walk *walk, const struct session_round *round)
{
    const struct session_bullet *bullet =
        round ? session_round_bullet(round, ROUND_EXECUTOR_RESULT) : NULL;
    struct str draft = session_file_draft(&walk->file);

    if (session_phase_is(&walk->plan, lane_of(walk)->phase, "planning") && draft.size) {
        return draft;
    }
    return bullet ? bullet->value : (struct str){ "", 0 };
}

/* One step towards the gate of that phase in that round; false: it is reached, or cannot be. */
static bool step_towards(struct walk *walk, uint32_t phase, uint32_t number,
                         const struct session_round *round)
{
    const struct lane *lane = lane_of(walk);

    if (walk->steps > STEPS_MAX || lane->state == LANE_OVER) return false;
    if (lane->state == LANE_ASKING) {
        tell_engine(walk, (struct event){ .kind = EV_ANSWER, .choice = CHOICE_CONTINUE });
    } else if (at_executor(walk)) {
        end_executor(walk, draft_of(walk, round));
    } else if (at_delivery(walk)) {
        tell_engine(walk, (struct event){ .kind = EV_DRIFT });
        tell_engine(walk, (struct event){ .kind = EV_RESUME });
    } else if (!at_gate(walk)) {
        return false;
    } else if (lane->phase < phase) {
        end_review(walk, NULL, 0, true);
    } else if (lane->phase > phase || round_now(walk) < number) {
        end_guessed(walk);
    } else {
        return false;
    }
    return true;
}

/* ---- walking ---- */

/* Whether the stage of the phase is completed, as the file says. */
static bool is_completed(const struct walk *walk, uint32_t phase)
{
    uint32_t mint = walk->plan.phases[phase].gate.mints;

    return mint && (walk->metadata.completed_stages & mint) == mint;
}

/* The next entry that the walk can use, from there on; count: none. */
static uint32_t entry_from(const struct walk *walk, uint32_t at)
{
    uint32_t phase;

    while (at < walk->count && !phase_of(walk, walk->rounds[at].stage, &phase)) at++;
    return at;
}

/* The user's word for one more round, or what shows that it was given. */
static void walk_choice(struct walk *walk, const struct session_round *round)
{
    const struct session_bullet *choice = session_round_bullet(round, ROUND_DECISION);
    bool on = choice ? str_starts(choice->value, STR("continue"))
                     : session_round_bullet(round, ROUND_REJECTED) != NULL;

    if (!on || lane_of(walk)->state != LANE_ASKING) return;
    tell_engine(walk, (struct event){ .kind = EV_ANSWER, .choice = CHOICE_CONTINUE });
}

static void walk_entry(struct walk *walk, uint32_t at)
{
    const struct session_round *round = &walk->rounds[at];
    uint32_t next = entry_from(walk, at + 1), phase, next_phase;
    bool last = next == walk->count, approved, later;

    if (!phase_of(walk, round->stage, &phase)) return;
    walk_choice(walk, round);
    if (!is_executed(round)) return;
    while (step_towards(walk, phase, round->number <= ROUNDS_MAX ? round->number : 0, round)) {}
    if (!at_gate(walk) || lane_of(walk)->phase != phase) return;
    if (!verdict_of(round, &approved)) return;
    later = !last && phase_of(walk, walk->rounds[next].stage, &next_phase) && next_phase > phase;
    if (!approved && (later || (last && is_completed(walk, phase)))) {
        approved = true; /* the user accepted it */
    }
    if (approved && last && !is_completed(walk, phase)) {
        return; /* it did not last: it is reviewed once more */
    }
    if (approved && session_phase_is(&walk->plan, phase, "planning")) {
        end_guessed(walk); /* more planning followed */
    } else {
        end_entry(walk, round, approved);
    }
    if (session_round_bullet(round, ROUND_DECISION)) walk_choice(walk, round);
}

/* What is completed without an entry of its own. */
static void walk_stages(struct walk *walk)
{
    while (walk->steps < STEPS_MAX && is_asked(walk) && !at_delivery(walk)) {
        const struct lane *lane = lane_of(walk);

        if (!is_completed(walk, lane->phase)) break;
        if (at_executor(walk)) {
            end_executor(walk, (struct str){ "", 0 });
        } else if (at_gate(walk)) {
            end_review(walk, NULL, 0, true);
        } else {
            break;
        }
    }
    /* Of a file that is not ours nothing holds: from its end all stages are earned again. */
    while (!walk->ours && walk->steps < STEPS_MAX && at_gate(walk) && lane_of(walk)->mints) {
        end_review(walk, NULL, 0, true);
    }
    if (lane_of(walk)->mints & ~walk->metadata.completed_stages) {
        tell_engine(walk, (struct event){ .kind = EV_DRIFT });
        if (at_delivery(walk)) tell_engine(walk, (struct event){ .kind = EV_RESUME });
    }
}

static void walk_file(struct walk *walk)
{
    struct str draft = session_file_draft(&walk->file);

    tell_engine(walk, (struct event){ .kind = EV_START });
    for (uint32_t i = 0; i < walk->count; i++) walk_entry(walk, i);
    if (session_has_planning(&walk->plan)) {
        if (walk->count == 0 && draft.size && at_executor(walk)) end_executor(walk, draft);
    } else {
        walk_stages(walk);
    }
}

/* ---- the task ---- */

static void add_part(struct buf *text, const char *title, struct str part)
{
    if (part.size == 0 || str_starts(part, STR("None given"))) return;
    if (text->size) buf_text(text, "\n\n");
    if (title) buf_printf(text, "## %s\n\n", title);
    buf_add(text, part);
}

static const char *task_of(struct walk *walk)
{
    struct buf text, plain;
    const char *task;

    buf_init(&text, SESSION_FILE_BYTES_MAX);
    buf_init(&plain, 2UL * SESSION_FILE_BYTES_MAX);
    add_part(&text, NULL, session_file_text(&walk->file, SESSION_PROBLEM));
    add_part(&text, "Context", session_file_text(&walk->file, SESSION_CONTEXT));
    add_part(&text, "Acceptance Criteria", session_file_text(&walk->file, SESSION_CRITERIA));
    markdown_normal(buf_str(&text), 0, &plain);
    task = plain.size ? arena_cstr(&walk->out->arena, buf_str(&plain)) : "Go on with the session";
    buf_release(&plain);
    buf_release(&text);
    return task;
}

static struct str file_of(const struct contract *files, const struct settings *settings)
{
    for (uint32_t i = 0; i < files->file_count; i++) {
        if (str_ends(str_of(files->files[i].path), STR(".md"))) return files->files[i].content;
    }
    return session_continued(settings);
}

/* Where a file names neither a problem nor a plan, no agent is sent to work. */
static int check_item(const struct session_file *file, struct err *err)
{
    if (session_file_text(file, SESSION_PROBLEM).size) return 0;
    if (session_file_text(file, SESSION_PLAN).size) return 0;
    return err_set(err, ERR_FORMAT, "the session file says neither what is asked for "
                   "(## Problem Description) nor what is planned (## Approved Plan): 'hone check "
                   "session FILE' lists what it must have");
}

static void restore_file(struct walk *walk)
{
    struct restored *out = walk->out;

    session_file_metadata(&walk->file, &walk->metadata);
    out->doubted = !walk->ours && walk->metadata.completed_stages;
    if (!walk->ours) walk->metadata.completed_stages = 0;
    walk->rounds = session_file_rounds(&walk->file, &walk->count);
    engine_init(&walk->engine, &walk->plan);
    walk_file(walk);
    assert(out->count > 0);
    out->events[0].result.doc = session_doc_write(&(struct session_doc){
        .restored = true, .entries = walk->engine.entry_count }, &out->arena);
    out->task = task_of(walk);
    engine_release(&walk->engine);
}

int session_restore(const struct contract *files, const struct settings *settings, bool ours,
                    struct restored *out, struct err *err)
{
    struct walk walk = { .out = out, .ours = ours };
    int rc;

    *out = (struct restored){ .count = 0 };
    rc = session_make_plan(settings, &walk.arena, &walk.plan, err);
    if (rc == 0) rc = session_file_read(&walk.file, file_of(files, settings), err);
    if (rc == 0) {
        rc = check_item(&walk.file, err);
        if (rc == 0) restore_file(&walk);
        session_file_release(&walk.file);
    }
    arena_release(&walk.arena);
    if (rc != 0) {
        arena_release(&out->arena);
        *out = (struct restored){ .count = 0 };
    }
    return rc;
}
