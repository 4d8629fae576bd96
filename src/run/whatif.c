/* SPDX-License-Identifier: Apache-2.0
 *
 * whatif.c - a record played into an engine with another policy.
 *
 *   record --> answers: of each job what came of it, its calls, usage and time
 *                 |
 *   engine with the policy --asks--> the answer of the same role, phase and round --> EV_ENDED
 *                                     none: it is not known any further
 *
 * 1. Waivers and what the run was given to begin with are the record's: both engines start by the
 *    same event, but for the budget.
 * 2. A look by other eyes than those that the record has is not known: no record can say what they
 *    would have found.
 * 3. A recheck that was a look in the record is answered by what its role said of the whole change;
 *    where its role was not asked, by all that the panel reported, at the mean price of one of
 *    them. It is the most that a recheck could have found, and so it is said.
 * 4. A repair is the record's of that round, though it may have been asked to mend more.
 * 5. Answers of people, stops and drifts of the record play no part.
 *
 * What it would have missed is what the record's ledger has and the other's has not. */
#include "run/whatif.h"

#include "base/mem.h"

#include <stdlib.h>

enum { SETTINGS_BYTES_MAX = 32 << 20 };

/* One job of the record. */
struct answer {
    struct action start; /* of its newest attempt */
    struct result result;
    bool done;
    uint32_t calls;
    struct usage usage;
    uint64_t asked_ms, took_ms;
};

struct record {
    struct whatif *whatif;
    struct answer *answers; /* by job */
    uint32_t count, cap;
    struct actions pending; /* what the other engine has asked for, in its order */
    uint32_t next;
    uint64_t now_ms;
    bool over;
};

/* ---- what the record says ---- */

static struct answer *answer_of(struct record *record, uint32_t job)
{
    while (record->count <= job) {
        record->answers = mem_grow(record->answers, record->count, &record->cap,
                                   sizeof *record->answers);
        record->answers[record->count++] = (struct answer){ .done = false };
    }
    return &record->answers[job];
}

static void note_end(struct record *record, const struct event *event)
{
    struct answer *answer = answer_of(record, event->job);
    struct result said = event->result;

    usage_add(&answer->usage, &said.usage);
    if (event->now_ms > answer->asked_ms) answer->took_ms += event->now_ms - answer->asked_ms;
    if (!verdict_is_done(said.verdict)) return;
    said.doc = said.problem = STR(""); /* no decision needs them */
    answer->done = true;
    answer->result = result_copy(&said, &record->whatif->arena);
}

static void other_step(struct record *record, const struct event *event)
{
    struct actions actions = { .count = 0 };

    engine_step(&record->whatif->other.engine, event, &actions);
    for (uint32_t i = 0; i < actions.count; i++) {
        const struct action *action = &actions.item[i];
        struct actions *pending = &record->pending;

        if (action->kind == ACT_FINISH) record->over = true;
        if (action->kind == ACT_ASK) record->whatif->asks = true;
        if (action->kind != ACT_START) continue;
        pending->item = mem_grow(pending->item, pending->count, &pending->cap,
                                 sizeof *pending->item);
        pending->item[pending->count++] = *action;
    }
    actions_release(&actions);
}

static bool note_event(void *context, const struct run *run, uint64_t sequence,
                       const struct event *event, const struct actions *actions)
{
    struct record *record = context;

    (void)sequence;
    if (event->kind == EV_ENDED && actions->count > 0) note_end(record, event);
    if (event->kind == EV_START && actions->count > 0) {
        struct event start = *event;

        start.has_budget = start.late = false;
        record->now_ms = start.now_ms;
        other_step(record, &start);
    }
    for (uint32_t i = 0; i < actions->count; i++) {
        const struct action *action = &actions->item[i];
        struct answer *answer;

        if (action->kind != ACT_START) continue;
        answer = answer_of(record, action->job);
        answer->start = *action;
        answer->asked_ms = action->not_before_ms > event->now_ms ? action->not_before_ms
                                                                 : event->now_ms;
        answer->calls += !run->plan.roles[action->role].builtin && action->purpose != FOR_PROOF;
    }
    return true;
}

/* ---- what the other engine asks ---- */

/* Of the same phase and round, for the same purpose, by the same eyes. */
static bool is_beside(const struct answer *answer, const struct action *asked)
{
    const struct action *start = &answer->start;

    return answer->done && start->purpose == asked->purpose && start->lane == asked->lane &&
           start->phase == asked->phase && start->iteration == asked->iteration &&
           start->round == asked->round && (asked->recheck || start->eye == asked->eye);
}

static const struct answer *find_answer(const struct record *record, const struct action *asked)
{
    for (uint32_t i = 0; i < record->count; i++) {
        const struct answer *answer = &record->answers[i];
        if (is_beside(answer, asked) && answer->start.role == asked->role &&
            answer->start.copy == asked->copy) return answer;
    }
    return NULL;
}

/* One of those whose reports stand for a recheck: programs are asked themselves. */
static bool is_panel(const struct record *record, const struct answer *answer,
                     const struct action *asked)
{
    return is_beside(answer, asked) &&
           !record->whatif->other.plan.roles[answer->start.role].first;
}

/* What all reviewers of that round reported together, as one answer. */
static bool panel_answer(const struct record *record, const struct action *asked,
                         struct answer *out)
{
    struct arena *arena = &record->whatif->arena;
    struct finding *findings;
    uint32_t total = 0, count = 0;

    *out = (struct answer){ .done = true };
    for (uint32_t i = 0; i < record->count; i++) {
        if (!is_panel(record, &record->answers[i], asked)) continue;
        total += record->answers[i].result.finding_count;
        count++;
    }
    if (count == 0) return false;
    findings = arena_alloc(arena, (total + (size_t)1) * sizeof *findings);
    for (uint32_t i = 0; i < record->count; i++) {
        const struct answer *answer = &record->answers[i];

        if (!is_panel(record, answer, asked)) continue;
        for (uint32_t k = 0; k < answer->result.finding_count; k++) {
            findings[out->result.finding_count++] = answer->result.findings[k];
        }
        usage_add(&out->usage, &answer->usage);
        if (answer->took_ms > out->took_ms) out->took_ms = answer->took_ms;
        out->result.by = answer->result.by;
    }
    out->result.findings = findings;
    out->result.verdict = total > 0 ? VERDICT_FINDINGS : VERDICT_CLEAN;
    out->calls = 1;
    out->usage.cost_micros /= count;
    out->usage.tokens_in /= count;
    out->usage.tokens_out /= count;
    return true;
}

/* Plays one answer; false: the record has none. began_ms: when it was asked for. */
static bool answer_next(struct record *record, const struct action *asked, uint64_t began_ms)
{
    struct whatif *whatif = record->whatif;
    const struct answer *found = find_answer(record, asked);
    struct event event = { .kind = EV_ENDED, .job = asked->job, .attempt = asked->attempt };
    struct answer panel;
    static const struct answer holds = { .done = true };

    if (!found && asked->purpose == FOR_PROOF) found = &holds; /* nothing tells that it failed */
    if (!found && asked->recheck && panel_answer(record, asked, &panel)) found = &panel;
    if (!found) return false;
    whatif->rechecks += asked->recheck && !found->start.recheck;
    event.result = found->result;
    event.now_ms = began_ms + found->took_ms;
    if (event.now_ms > record->now_ms) record->now_ms = event.now_ms;
    whatif->would.calls += found->calls;
    usage_add(&whatif->would.usage, &found->usage);
    other_step(record, &event);
    return true;
}

/* Jobs that are asked for together begin together. */
static void play_on(struct record *record)
{
    struct whatif *whatif = record->whatif;

    while (record->next < record->pending.count && !record->over) {
        uint32_t end = record->pending.count;
        uint64_t began_ms = record->now_ms;

        for (; record->next < end && !record->over; record->next++) {
            const struct action asked = record->pending.item[record->next];

            if (answer_next(record, &asked, began_ms)) continue;
            whatif->asked = asked;
            whatif->wanted = whatif->other.plan.roles[asked.role].name;
            return;
        }
    }
}

/* ---- both ---- */

static struct course course_of(const struct engine *engine)
{
    return (struct course){ .reason = engine->reason, .rounds = engine->round_count,
                            .calls = engine->calls, .usage = engine->usage,
                            .took_ms = engine->active_ms };
}

static bool has_entry(const struct ledger_entry *const *entries, uint32_t count,
                      const struct ledger_entry *wanted)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct ledger_entry *entry = entries[i];
        if (entry->lane == wanted->lane && entry->phase == wanted->phase &&
            entry->fingerprint == wanted->fingerprint && entry->ordinal == wanted->ordinal) {
            return true;
        }
    }
    return false;
}

static void list_missed(struct whatif *whatif)
{
    const struct ledger_entry *const *recorded, *const *others;
    uint32_t count = ledger_list(&whatif->record.engine.ledger, &whatif->arena, &recorded);
    uint32_t other_count = ledger_list(&whatif->other.engine.ledger, &whatif->arena, &others);

    whatif->missed = arena_alloc(&whatif->arena, (count + (size_t)1) * sizeof(void *));
    for (uint32_t i = 0; i < count; i++) {
        if (has_entry(others, other_count, recorded[i])) continue;
        whatif->missed[whatif->missed_count++] = recorded[i];
    }
}

static bool has_repair(const struct plan *plan)
{
    for (uint32_t i = 0; i < plan->phase_count; i++) {
        if (plan->phases[i].gate.on_fail == FAIL_REPAIR) return true;
    }
    return false;
}

/* The settings of the record, but for until what its gates go on. */
static int load_other(struct whatif *whatif, const struct journal_run *row, const char *until,
                      struct err *err)
{
    struct journal_run other = *row;
    struct run_settings settings;
    struct buf text;
    int rc = settings_read(str_of(row->settings), &whatif->arena, &settings, err);

    if (rc != 0) return err_wrap(err, "settings");
    settings.until = until;
    buf_init(&text, SETTINGS_BYTES_MAX);
    settings_write(&settings, &text);
    other.settings = buf_cstr(&text);
    rc = run_load(&whatif->other, &other, err);
    buf_release(&text);
    if (rc != 0 || has_repair(&whatif->other.plan)) return rc;
    return err_set(err, ERR_USAGE, "run %s repairs nothing, so no policy says when it is done",
                   row->id);
}

int whatif_play(struct whatif *whatif, struct journal *journal, const struct journal_run *row,
                const char *until, struct err *err)
{
    struct record record = { .whatif = whatif };
    int rc = load_other(whatif, row, until, err);

    if (rc == 0) rc = run_load(&whatif->record, row, err);
    if (rc == 0) rc = run_replay(&whatif->record, journal, note_event, &record, err);
    if (rc == 0) {
        play_on(&record);
        whatif->was = course_of(&whatif->record.engine);
        whatif->would.reason = whatif->wanted ? REASON_NONE : whatif->other.engine.reason;
        whatif->would.rounds = whatif->other.engine.round_count - (whatif->wanted != NULL &&
                                   whatif->asked.purpose == FOR_REVIEW);
        whatif->would.took_ms = record.now_ms - whatif->other.engine.started_ms;
        list_missed(whatif);
    }
    free(record.answers);
    actions_release(&record.pending);
    return rc;
}

void whatif_release(struct whatif *whatif)
{
    run_release(&whatif->record);
    run_release(&whatif->other);
    arena_release(&whatif->arena);
    *whatif = (struct whatif){ .missed_count = 0 };
}
