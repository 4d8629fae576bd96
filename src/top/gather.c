/* SPDX-License-Identifier: Apache-2.0
 *
 * gather.c - runs as they are followed (src/follow) and as `hone status` tells them
 * (report/status.h), put into the model.
 *
 * 1. The texts of the model live until the next gather_step() or gather_fill(): what it shows is
 *    never older than what it was told last.
 * 2. Only runs that are kept replayed are asked for phase, round and budget: those at work, up to
 *    what follow keeps of them, and the one that is looked at.
 * 3. Everything has a bound (top/model.h): the newest counts. */
#include "top/gather.h"

#include "base/clock.h"
#include "base/mem.h"
#include "document/document.h"
#include "follow/follow.h"
#include "format/json/finding_json.h"
#include "io/file/file.h"
#include "report/remarks.h"
#include "report/report.h"
#include "report/spending.h"
#include "report/status.h"
#include "run/waits.h"
#include "top/hearing.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS_BYTES_MAX = 4096, LOOK_MS = 250 };

struct gather {
    struct follow *follow;
    struct arena arena; /* of the model */
    struct hearing *hearing;
    struct top_run *runs;
    uint32_t run_cap;
    bool is_new;
};

int gather_open(struct gather **out, const char *const *folders, uint32_t count, struct err *err)
{
    struct gather *gather = mem_alloc(sizeof *gather);
    uint32_t good = 0;
    int rc;

    *gather = (struct gather){ .is_new = true };
    *out = gather;
    rc = follow_open(&gather->follow, folders, count, err);
    if (rc != 0) return rc;
    for (uint32_t i = 0; i < follow_count(gather->follow); i++) {
        struct follow_place place = follow_place(gather->follow, i);
        if (!place.problem) good++;
        else err_set(err, ERR_USAGE, "%s", place.problem);
    }
    return good > 0 ? 0 : (int)err->code;
}

void gather_close(struct gather *gather)
{
    if (!gather) return;
    hearing_free(gather->hearing);
    follow_close(gather->follow);
    arena_release(&gather->arena);
    free(gather->runs);
    free(gather);
}

int gather_fd(const struct gather *gather)
{
    return follow_fd(gather->follow);
}

int64_t gather_due_in_ms(const struct gather *gather)
{
    int64_t due_ms = follow_due_in_ms(gather->follow);

    return gather->hearing && (due_ms < 0 || due_ms > LOOK_MS) ? LOOK_MS : due_ms;
}

static void on_news(void *context, const struct follow_news *news)
{
    struct gather *gather = context;

    (void)news;
    gather->is_new = true;
}

bool gather_step(struct gather *gather)
{
    bool is_new;

    follow_step(gather->follow, on_news, gather);
    if (gather->hearing && hearing_step(gather->hearing)) gather->is_new = true;
    is_new = gather->is_new;
    gather->is_new = false;
    return is_new;
}

const char *gather_folder(const struct gather *gather, uint32_t repository)
{
    if (repository >= follow_count(gather->follow)) return NULL;
    return follow_place(gather->follow, repository).folder;
}

/* ---- a run ---- */

static enum top_standing standing_at(const struct run_row *row)
{
    const char *word = row_standing(row);

    if (strcmp(word, "running") == 0) return TOP_RUNNING;
    if (strcmp(word, "waiting") == 0) return TOP_WAITING;
    return strcmp(word, "crashed") == 0 ? TOP_CRASHED : TOP_ENDED;
}

static enum style standing_style(const struct run_row *row, enum top_standing standing)
{
    switch (standing) {
    case TOP_RUNNING:
        return STYLE_NAME;
    case TOP_WAITING:
        return STYLE_FOUND;
    case TOP_CRASHED:
        return STYLE_BAD;
    case TOP_ENDED:
    case TOP_STANDING_COUNT:
        break;
    }
    return reason_style(row->run.reason);
}

static struct top_run run_of(const struct gather *gather, const struct run_row *row,
                             uint32_t repository)
{
    uint64_t now_ms = now_wall_ms();
    struct top_run run = {
        .repository = repository, .id = row->run.id, .dialect = row->run.dialect,
        .task = row->run.task, .standing = standing_at(row),
        .state = standing_word(&row->run, row->alive),
        .over = !row->alive && reason_is_final(row->run.reason), .known = row->sums.known,
        .found = row->sums.found, .fixed = row->sums.fixed, .left = row->sums.left,
        .cost_micros = row->sums.cost_micros, .took_ms = row->sums.took_ms,
        .created_ms = row->run.created_ms,
    };

    if (row->alive) run.took_ms += since_ms(row->run.updated_ms, now_ms);
    run.style = standing_style(row, run.standing);
    if (run.standing == TOP_WAITING && row->alive) run.state = "waiting";
    if (follow_count(gather->follow) > 1) run.folder = follow_name(gather->follow, repository);
    return run;
}

/* What only a replayed run knows. */
static void add_phase(struct top_run *run, const struct status *status)
{
    const struct engine *engine = &status->replay->engine;
    const struct lane *lane = engine->lane_count > 0 ? &engine->lanes[0] : NULL;
    uint64_t more_ms = status_more_ms(status);

    for (uint32_t i = 0; i < BUDGET_PART_COUNT; i++) {
        uint32_t used;
        if (!spending_share(engine, more_ms, (enum budget_part)i, &used)) continue;
        run->has_budget = true;
        run->budget = larger(run->budget, used);
    }
    if (!lane || run->standing == TOP_ENDED) return;
    run->phase = status_phase(&status->replay->plan, lane);
    run->round = lane->tallies[lane->phase].rounds;
    run->round_max = status_round_max(&status->replay->plan, lane);
}

static struct status status_at(const struct follow_run *whole)
{
    return (struct status){ .look = whole->look, .replay = whole->replay,
                            .history = whole->history, .now_ms = now_wall_ms() };
}

/* ---- all runs ---- */

static int by_standing(const void *a, const void *b)
{
    const struct top_run *one = a, *other = b;

    if (one->standing != other->standing) return one->standing < other->standing ? -1 : 1;
    if (one->created_ms != other->created_ms) return one->created_ms > other->created_ms ? -1 : 1;
    return strcmp(one->id, other->id);
}

/* Rows come newest first; where they are too many, those that want an eye are taken first. */
static uint32_t take_rows(struct gather *gather, const struct follow_rows *rows)
{
    uint32_t count = 0;

    for (int wants = 1; wants >= 0; wants--) {
        for (uint32_t i = 0; i < rows->count && count < TOP_RUNS_MAX; i++) {
            bool ended = standing_at(rows->rows[i]) == TOP_ENDED;
            if (ended == (wants == 1)) continue;
            gather->runs = mem_grow(gather->runs, count, &gather->run_cap, sizeof *gather->runs);
            gather->runs[count++] = run_of(gather, rows->rows[i], rows->repos[i]);
        }
    }
    return count;
}

static void fill_runs(struct gather *gather, struct top_model *model)
{
    struct follow_rows rows;
    struct follow_run whole;
    uint32_t kept = 0;
    struct err none;

    follow_rows(gather->follow, &rows);
    model->run_count = take_rows(gather, &rows);
    model->runs = gather->runs;
    if (model->run_count > 0) {
        qsort(model->runs, model->run_count, sizeof *model->runs, by_standing);
    }
    for (uint32_t i = 0; i < model->run_count && kept < FOLLOW_WORKING_MAX; i++) {
        struct top_run *run = &model->runs[i];
        struct status status;

        if (run->standing != TOP_RUNNING) break;
        kept++;
        if (follow_run(gather->follow, run->repository, run->id, &whole, &none) != 0) continue;
        status = status_at(&whole);
        add_phase(run, &status);
        if (run->phase) run->phase = arena_cstr(&gather->arena, str_of(run->phase));
    }
}

static const char *where_text(struct gather *gather)
{
    uint32_t count = follow_count(gather->follow);

    if (count == 1) return follow_place(gather->follow, 0).folder;
    return arena_printf(&gather->arena, "%u repositories", (unsigned)count);
}

/* ---- attempts ---- */

/* Which lane of the engine it is; 0: it does not say. */
static uint64_t lane_number(const struct lane_status *lane)
{
    const char *number = lane->id ? strrchr(lane->id, '-') : NULL;
    uint64_t id;

    return number && str_number(str_of(number + 1), &id) ? id : 0;
}

/* "login": the task of a lane, as its dialect tells it. */
static const char *task_of(const struct lanes_status *lanes, uint32_t lane)
{
    for (uint32_t i = 0; i < lanes->count && lane > 0; i++) {
        if (lane_number(&lanes->items[i]) == lane) return lanes->items[i].task;
    }
    return NULL;
}

static void set_state(const struct status *status, const struct entry *entry,
                      struct view_row *row)
{
    const struct engine *engine = &status->replay->engine;
    const struct job *job;
    const struct lane *lane;

    if (entry->ended_ms > 0) {
        row->state = row_state_of(entry->start.purpose, &(struct result){
            .verdict = entry->verdict, .failure = entry->failure });
        row->took_ms = since_ms(entry->started_ms, entry->ended_ms);
        row->finding_count = entry->finding_count;
        return;
    }
    row->state = status->look->alive ? ROW_RUNNING : ROW_STOPPED;
    row->started_ms = entry->started_ms;
    job = engine_job(engine, entry->start.job, &lane);
    if (!status->look->alive || !job || job->attempt != entry->start.attempt) return;
    if (status_waits(job, status->now_ms)) {
        row->state = ROW_WAITING;
        row->until_ms = job->result.retry_at_ms;
        row->waits_for = wait_words(job->result.failure);
        return;
    }
    (void)status_progress(&status->look->repo, status->look->run.id, job, &row->progress);
}

static struct top_attempt attempt_of(struct gather *gather, const struct status *status,
                                     const struct lanes_status *lanes, const struct entry *entry)
{
    const struct action *start = &entry->start;
    char name[ENTRY_NAME_BYTES];
    struct top_attempt attempt = {
        .row = { .job = start->job, .attempt = start->attempt, .lane = start->lane,
                 .phase = start->phase, .iteration = start->iteration, .round = start->round,
                 .copy = start->copy, .purpose = start->purpose,
                 .role = status->replay->plan.roles[start->role].name,
                 .spec = entry->by && *entry->by ? entry->by : "hone" },
        .phase = entry_phase(entry, &status->replay->plan),
        .task = task_of(lanes, start->lane),
        .problem = entry->problem,
        .started_ms = entry->started_ms,
    };
    struct kept kept;

    kept_find(status, entry, &gather->arena, &kept);
    if (kept.agent.spec) attempt.row.spec = kept.agent.spec;
    attempt.name = arena_cstr(&gather->arena, str_of(entry_name(entry, name)));
    attempt.row.task = attempt.task;
    set_state(status, entry, &attempt.row);
    return attempt;
}

static void fill_attempts(struct gather *gather, const struct status *status,
                          const struct lanes_status *lanes, struct top_detail *detail)
{
    const struct history *history = status->history;
    uint32_t room = smaller(history->count, TOP_ATTEMPTS_MAX), count = 0;

    detail->attempts = arena_alloc(&gather->arena, (room + 1) * sizeof *detail->attempts);
    for (int live = 1; live >= 0; live--) {
        for (uint32_t i = history->count; i-- > 0 && count < room;) {
            const struct entry *entry = &history->entries[i];
            if ((entry->ended_ms == 0) != (live == 1)) continue;
            detail->attempts[count++] = attempt_of(gather, status, lanes, entry);
        }
    }
    detail->attempt_count = count;
}

/* ---- rounds, findings, budget ---- */

/* "build login": of a lane, with its task. */
static const char *round_phase(struct gather *gather, const struct status *status,
                               const struct lanes_status *lanes, const struct round *round)
{
    const char *phase = status->replay->plan.phases[round->phase].name;
    const char *task = task_of(lanes, round->lane);

    return task ? arena_printf(&gather->arena, "%s %s", phase, task) : phase;
}

static void fill_rounds(struct gather *gather, const struct status *status,
                        const struct lanes_status *lanes, struct top_detail *detail)
{
    const struct engine *engine = &status->replay->engine;
    uint32_t room = smaller(engine->round_count, TOP_ROUNDS_MAX);

    detail->rounds = arena_alloc(&gather->arena, (room + 1) * sizeof *detail->rounds);
    for (uint32_t i = 0; i < room; i++) {
        const struct round *round = &engine->rounds[engine->round_count - 1 - i];
        detail->rounds[i] = (struct top_round){
            .lane = round->lane, .round = round->number, .found = round->finding_count,
            .phase = round_phase(gather, status, lanes, round),
            .took_ms = since_ms(round->started_ms, round->ended_ms),
            .clean = round->verdict == VERDICT_CLEAN, .ended = round->ended_ms > 0,
            .repaired = round->repaired_ms > 0 && !round->untouched,
        };
    }
    detail->round_count = room;
}

static struct top_finding finding_at(struct gather *gather, const struct status *status,
                                     const struct ledger_entry *entry)
{
    const struct finding *finding = &entry->finding;
    struct top_finding out = {
        .severity = severity_word(finding->severity),
        .state = finding_state_word(entry->state),
        .role = status->replay->plan.roles[entry->role].name,
        .text = arena_cstr(&gather->arena, finding->text),
        .style = !finding_is_open(entry->state) ? STYLE_DIM
                 : finding->severity == SEVERITY_HIGH ? STYLE_BAD : STYLE_FOUND,
    };

    out.place = finding->line > 0
        ? arena_printf(&gather->arena, "%.*s:%u", STR_ARG(finding->file), (unsigned)finding->line)
        : arena_cstr(&gather->arena, finding->file);
    return out;
}

/* Those that are open first, then the newest. */
static void fill_findings(struct gather *gather, const struct status *status,
                          struct top_detail *detail)
{
    const struct ledger_entry *const *entries;
    uint32_t all = ledger_list(&status->replay->engine.ledger, &gather->arena, &entries), count = 0;
    uint32_t room = smaller(all, TOP_FINDINGS_MAX);

    detail->findings = arena_alloc(&gather->arena, (room + 1) * sizeof *detail->findings);
    for (int open = 1; open >= 0; open--) {
        for (uint32_t i = all; i-- > 0 && count < room;) {
            if (finding_is_open(entries[i]->state) != (open == 1)) continue;
            detail->findings[count++] = finding_at(gather, status, entries[i]);
        }
    }
    detail->finding_count = count;
}

static void fill_spending(struct gather *gather, const struct status *status,
                          struct top_detail *detail)
{
    const struct engine *engine = &status->replay->engine;
    uint64_t more_ms = status_more_ms(status);
    struct buf out;

    buf_init(&out, WORDS_BYTES_MAX);
    spending_sum(engine, more_ms, &out);
    detail->spent = arena_take_cstr(&gather->arena, &out);
    for (uint32_t i = 0; i < BUDGET_PART_COUNT; i++) {
        struct top_limit *limit = &detail->limits[detail->limit_count];

        if (!spending_share(engine, more_ms, (enum budget_part)i, &limit->used)) continue;
        buf_init(&out, WORDS_BYTES_MAX);
        (void)spending_line(engine, more_ms, (enum budget_part)i, &out);
        limit->words = arena_take_cstr(&gather->arena, &out);
        detail->limit_count++;
    }
}

static void fill_question(struct gather *gather, const struct status *status,
                          struct top_detail *detail)
{
    const struct engine *engine = &status->replay->engine;

    for (uint32_t i = 0; i < engine->lane_count && !detail->question; i++) {
        const struct lane *lane = &engine->lanes[i];
        const char *escalation;

        if (lane->question == ASK_NOTHING) continue;
        escalation = question_escalation(status->replay, lane->id, lane->question);
        detail->question = arena_printf(&gather->arena, "%s%s%s", escalation ? escalation : "",
                                        escalation ? ": " : "", question_text(lane->question));
    }
    for (int i = 0; i < CHOICE_COUNT && detail->question; i++) {
        if (!choice_is_open(engine, (enum choice)i)) continue;
        detail->choices[detail->choice_count++] =
            (struct top_choice){ choice_word((enum choice)i), choice_text((enum choice)i) };
    }
}

/* Whether nothing of the lane is to be done any more, but to integrate it. */
static bool lane_is_done(const struct engine *engine, const struct lane_status *lane)
{
    uint64_t number = lane_number(lane);
    enum lane_state state = number < engine->lane_count ? engine->lanes[number].state
                                                        : LANE_WAITING;

    return state == LANE_PASSED || state == LANE_MERGED;
}

/* Those that something is to be done for first: only a few may be shown. */
static void fill_lanes(struct gather *gather, const struct status *status,
                       const struct lanes_status *lanes, struct top_detail *detail)
{
    detail->lanes = arena_alloc(&gather->arena, (lanes->count + 1) * sizeof *detail->lanes);
    for (int done = 0; done <= 1; done++) {
        for (uint32_t i = 0; i < lanes->count; i++) {
            const struct lane_status *lane = &lanes->items[i];

            if (lane_is_done(&status->replay->engine, lane) != (done == 1)) continue;
            detail->lanes[detail->lane_count++] = (struct top_lane){
                .name = lane->task ? lane->task : lane->id ? lane->id : "",
                .state = lane->status ? lane->status : "",
                .phase = lane->phase ? lane->phase : "",
            };
        }
    }
}

/* ---- the run that is looked at ---- */

static const char *stands_text(const struct status *status)
{
    const struct run *replay = status->replay;

    if (replay->engine.reason == REASON_NOTED && !status->look->alive) {
        return run_end_of(replay)->stands;
    }
    return standing_text(&status->look->run, status->look->alive);
}

static void fill_attempt(struct gather *gather, const struct status *status,
                         const struct lanes_status *lanes, const struct top_state *state,
                         struct top_model *model)
{
    const struct history *history = status->history;
    char name[ENTRY_NAME_BYTES];
    struct kept kept;

    for (uint32_t i = 0; i < history->count; i++) {
        const struct entry *entry = &history->entries[i];

        if (strcmp(entry_name(entry, name), state->attempt) != 0) continue;
        model->transcript.attempt = attempt_of(gather, status, lanes, entry);
        kept_find(status, entry, &gather->arena, &kept);
        hearing_turn(&gather->hearing, kept.folder, kept.stream);
        hearing_lines(gather->hearing, &model->transcript);
    }
}

static void fill_detail(struct gather *gather, const struct top_state *state,
                        struct top_model *model)
{
    struct top_detail *detail = &model->detail;
    struct lanes_status lanes;
    struct follow_run whole;
    struct status status;
    struct err err;

    for (uint32_t i = 0; i < model->run_count; i++) {
        if (model->runs[i].repository != state->repository) continue;
        if (strcmp(model->runs[i].id, state->run) == 0) detail->run = model->runs[i];
    }
    if (!detail->run.id) return;
    if (follow_run(gather->follow, state->repository, state->run, &whole, &err) != 0) {
        detail->problem = arena_cstr(&gather->arena, str_of(err.text));
        detail->stands = "";
        return;
    }
    status = status_at(&whole);
    add_phase(&detail->run, &status);
    detail->stands = stands_text(&status);
    status_lanes(&status, &gather->arena, &lanes);
    fill_lanes(gather, &status, &lanes, detail);
    fill_attempts(gather, &status, &lanes, detail);
    fill_rounds(gather, &status, &lanes, detail);
    fill_findings(gather, &status, detail);
    fill_spending(gather, &status, detail);
    fill_question(gather, &status, detail);
    if (state->page == TOP_ATTEMPT) fill_attempt(gather, &status, &lanes, state, model);
}

void gather_fill(struct gather *gather, const struct top_state *state, struct top_model *model)
{
    bool read_only = model->read_only;

    arena_release(&gather->arena);
    *model = (struct top_model){ .read_only = read_only, .where = where_text(gather) };
    fill_runs(gather, model);
    if (state->page != TOP_RUNS) fill_detail(gather, state, model);
    if (state->page != TOP_ATTEMPT) {
        hearing_free(gather->hearing);
        gather->hearing = NULL;
    }
}
