/* SPDX-License-Identifier: Apache-2.0
 *
 * run.c - where a run stands, as a document. */
#include "document/parts.h"

#include "format/json/finding_json.h"
#include "report/remarks.h"
#include "report/spending.h"
#include "run/cast.h"
#include "run/place.h"
#include "run/teller.h"
#include "run/waits.h"

static void json_wait(yyjson_mut_doc *doc, yyjson_mut_val *object, const struct job *job)
{
    json_add(doc, object, "waits_for", failure_word(job->result.failure));
    json_add(doc, object, "waits_text", wait_words(job->result.failure));
    json_add_time(doc, object, "waits_until", job->result.retry_at_ms);
    yyjson_mut_obj_add_val(doc, object, "problem", json_text(doc, job->result.problem));
}

/* Nothing of one that plays here. */
static void json_played(yyjson_mut_doc *doc, yyjson_mut_val *object, const struct status *status,
                        const struct job *job)
{
    struct arena arena = { 0 };
    struct played played;

    status_played(status, job, &arena, &played);
    if (played.pool.size > 0) {
        yyjson_mut_obj_add_val(doc, object, "pool", json_text(doc, played.pool));
        if (played.worker.size == 0) yyjson_mut_obj_add_null(doc, object, "worker");
        else yyjson_mut_obj_add_val(doc, object, "worker", json_text(doc, played.worker));
    }
    arena_release(&arena);
}

static void json_findings(yyjson_mut_doc *doc, yyjson_mut_val *object, const struct lane *lane)
{
    uint32_t counts[SEVERITY_COUNT];
    yyjson_mut_val *findings;

    if (lane->review.count == 0) return;
    status_findings(lane, counts);
    findings = yyjson_mut_obj_add_obj(doc, object, "findings");
    yyjson_mut_obj_add_uint(doc, findings, "round", lane->review.round);
    for (uint32_t i = SEVERITY_COUNT; i-- > 0;) {
        yyjson_mut_obj_add_uint(doc, findings, severity_word((enum severity)i), counts[i]);
    }
}

/* What may be answered. */
static void json_choices(yyjson_mut_doc *doc, yyjson_mut_val *object, const struct engine *engine)
{
    yyjson_mut_val *choices = yyjson_mut_obj_add_arr(doc, object, "choices");

    for (int i = 0; i < CHOICE_COUNT; i++) {
        if (!choice_is_open(engine, (enum choice)i)) continue;
        yyjson_mut_arr_add_str(doc, choices, choice_word((enum choice)i));
    }
}

/* The same in words. */
static void json_words(yyjson_mut_doc *doc, yyjson_mut_val *object, const struct engine *engine,
                       enum question question)
{
    yyjson_mut_val *texts;

    json_add(doc, object, "question_text", question_text(question));
    texts = yyjson_mut_obj_add_obj(doc, object, "choice_texts");
    for (int i = 0; i < CHOICE_COUNT; i++) {
        if (!choice_is_open(engine, (enum choice)i)) continue;
        yyjson_mut_obj_add_str(doc, texts, choice_word((enum choice)i),
                               choice_text((enum choice)i));
    }
}

/* The backends of attempts that have not ended, which is when they would tell it themselves. */
struct casting {
    struct arena arena;
    struct cast_memory memory;
};

static void json_agent(const struct run *run, const struct entry *entry, struct casting *casting,
                       yyjson_mut_doc *doc, yyjson_mut_val *object)
{
    struct agent agent;

    if (entry->by[0] != '\0') return;
    if (!cast_recall(&casting->memory, run, &entry->start, &casting->arena, &agent)) return;
    if (agent.backend) json_add(doc, object, "agent", agent.backend->name);
}

static void json_lane(yyjson_mut_doc *doc, yyjson_mut_val *object, const struct status *status,
                      const struct lane *lane, struct casting *casting)
{
    const struct plan *plan = &status->replay->plan;
    const char *escalation = question_escalation(status->replay, lane->id, lane->question);
    struct progress progress;
    yyjson_mut_val *jobs;

    yyjson_mut_obj_add_uint(doc, object, "lane", lane->id);
    json_add(doc, object, "state", lane_state_word(lane->state));
    json_add(doc, object, "phase", status_phase(plan, lane));
    yyjson_mut_obj_add_uint(doc, object, "round", lane->tallies[lane->phase].rounds);
    if (status_round_max(plan, lane) > 0) {
        yyjson_mut_obj_add_uint(doc, object, "round_max", status_round_max(plan, lane));
    }
    if (lane->question != ASK_NOTHING) {
        json_add(doc, object, "question", question_word(lane->question));
        if (escalation) json_add(doc, object, "escalation", escalation);
        json_choices(doc, object, &status->replay->engine);
        json_words(doc, object, &status->replay->engine, lane->question);
    }
    json_findings(doc, object, lane);
    jobs = yyjson_mut_obj_add_arr(doc, object, "jobs");
    for (uint32_t i = 0; i < lane->now.count; i++) {
        const struct job *job = &lane->now.jobs[i];
        const struct entry *entry = history_find(status->history, job->id, job->attempt);
        yyjson_mut_val *item = entry ? yyjson_mut_arr_add_obj(doc, jobs) : NULL;

        if (!item) continue;
        entry_json(entry, plan, doc, item);
        json_agent(status->replay, entry, casting, doc, item);
        if (status->look->alive && job->state == JOB_RUNNING &&
            status_progress(&status->look->repo, status->look->run.id, job, &progress)) {
            json_progress(doc, item, &progress);
        }
        if (status->look->alive && job->state == JOB_RUNNING) json_played(doc, item, status, job);
        if (status->look->alive && status_waits(job, status->now_ms)) json_wait(doc, item, job);
    }
}

static void add_text(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key, const char *text)
{
    if (text) json_add(doc, object, key, text);
    else yyjson_mut_obj_add_null(doc, object, key);
}

/* The lanes as members of the document; nothing where the plan does not fan. */
static void add_lanes(const struct status *status, yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    struct arena arena = { 0 };
    struct lanes_status lanes;
    yyjson_mut_val *list;

    if (!status_has_lanes(status)) return;
    status_lanes(status, &arena, &lanes);
    list = yyjson_mut_obj_add_arr(doc, root, status->replay->dialect->lanes->called);
    for (uint32_t i = 0; i < lanes.count; i++) {
        const struct lane_status *lane = &lanes.items[i];
        yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list);

        add_text(doc, object, "id", lane->id);
        add_text(doc, object, "group", lane->group);
        add_text(doc, object, "task", lane->task);
        add_text(doc, object, "title", lane->title);
        add_text(doc, object, "status", lane->status);
        add_text(doc, object, "state", lane->phase);
        yyjson_mut_obj_add_uint(doc, object, "iteration", lane->iteration);
        yyjson_mut_obj_add_uint(doc, object, "iteration_max", lane->iteration_max);
        add_text(doc, object, "reviewStatus", lane->review_status);
        add_text(doc, object, "lastReviewId", lane->last_review_id);
        yyjson_mut_obj_add_uint(doc, object, "revisionAttempts", lane->revisions);
        add_text(doc, object, "worktree", lane->worktree);
    }
    yyjson_mut_obj_add_uint(doc, root, "tasks_waiting", lanes.waiting);
    arena_release(&arena);
}

void document_lanes(const struct status *status, yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    const struct engine *engine = &status->replay->engine;
    yyjson_mut_val *lanes = yyjson_mut_obj_add_arr(doc, root, "lanes");
    struct casting casting = { .arena = { 0 } };

    for (uint32_t i = 0; i < engine->lane_count; i++) {
        json_lane(doc, yyjson_mut_arr_add_obj(doc, lanes), status, &engine->lanes[i], &casting);
    }
    arena_release(&casting.arena);
}

void document_standing(const struct status *status, yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    const struct journal_run *run = &status->look->run;
    const struct engine *engine = &status->replay->engine;
    const char *files = dialect_files(status->replay->dialect, &status->replay->settings.options);
    struct arena arena = { 0 };

    look_describe(doc, root, run, status->look->alive);
    yyjson_mut_obj_add_uint(doc, root, "iteration", engine->iteration);
    document_lanes(status, doc, root);
    add_lanes(status, doc, root);
    spending_json(engine, status_more_ms(status), doc, root);
    if (files) json_add(doc, root, "files", files);
    json_add(doc, root, "attempts", place_run(&status->look->repo, run->id, &arena));
    arena_release(&arena);
}

/* ---- how it stands ---- */

static void add_end(const struct status *status, yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    static const char *const tones[] = {
        [STORY_GOOD] = "good", [STORY_LEFT] = "left", [STORY_BAD] = "bad",
        [STORY_AT_WORK] = "at work",
    };
    struct story_end end = tell_outcome(status->look, status->replay);
    yyjson_mut_val *object = yyjson_mut_obj_add_obj(doc, root, "end");

    yyjson_mut_obj_add_str(doc, object, "tone", tones[end.tone]);
    add_text(doc, object, "word", end.word);
    add_text(doc, object, "line", end.line);
    add_text(doc, object, "meaning", end.meaning);
    add_text(doc, object, "next", end.next);
    add_text(doc, root, "unfinished", look_unfinished(status->look));
}

/* A text of the settings; null where there is none. */
static void add_setting(yyjson_mut_doc *doc, yyjson_mut_val *root, const char *key,
                        const char *text)
{
    add_text(doc, root, key, text && *text ? text : NULL);
}

void document_counts(const struct run_sums *sums, yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    yyjson_mut_val *object = yyjson_mut_obj_add_obj(doc, root, "counts");

    yyjson_mut_obj_add_uint(doc, object, "found", sums->found);
    yyjson_mut_obj_add_uint(doc, object, "fixed", sums->fixed);
    yyjson_mut_obj_add_uint(doc, object, "left", sums->left);
    yyjson_mut_obj_add_uint(doc, object, "noted", sums->noted);
    yyjson_mut_obj_add_uint(doc, object, "waived", sums->waived);
    for (uint32_t i = SEVERITY_COUNT; i-- > 0;) {
        yyjson_mut_obj_add_uint(doc, object, severity_word((enum severity)i), sums->open[i]);
    }
}

void usage_json(const struct usage *usage, yyjson_mut_doc *doc, yyjson_mut_val *object)
{
    yyjson_mut_obj_add_uint(doc, object, "tokens_in", usage->tokens_in);
    yyjson_mut_obj_add_uint(doc, object, "tokens_out", usage->tokens_out);
    if (usage->cost_micros) {
        yyjson_mut_obj_add_real(doc, object, "cost", (double)usage->cost_micros / 1e6);
    } else {
        yyjson_mut_obj_add_null(doc, object, "cost"); /* none was told */
    }
}

/* ---- what happened ---- */

void time_json(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key, uint64_t ms)
{
    if (ms) yyjson_mut_obj_add_uint(doc, object, key, ms);
    else yyjson_mut_obj_add_null(doc, object, key);
}

static void count_json(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key, bool known,
                       uint32_t count)
{
    if (known) yyjson_mut_obj_add_uint(doc, object, key, count);
    else yyjson_mut_obj_add_null(doc, object, key);
}

static void round_json(const struct teller *teller, uint32_t at, yyjson_mut_doc *doc,
                       yyjson_mut_val *object)
{
    struct story_round round;

    tell_round(teller, at, &round);
    yyjson_mut_obj_add_uint(doc, object, "at", at);
    yyjson_mut_obj_add_uint(doc, object, "lane", round.lane);
    json_add(doc, object, "phase", round.phase);
    yyjson_mut_obj_add_uint(doc, object, "iteration", round.iteration);
    yyjson_mut_obj_add_uint(doc, object, "round", round.number);
    time_json(doc, object, "started_ms", round.started_ms);
    time_json(doc, object, "ended_ms", round.ended_ms);
    time_json(doc, object, "repaired_ms", round.repaired_ms);
    add_text(doc, object, "verdict", round.ended_ms ? verdict_word(round.verdict) : NULL);
    count_json(doc, object, "findings", round.ended_ms != 0, round.finding_count);
    count_json(doc, object, "open_change", round.counted, round.open_change);
    count_json(doc, object, "open_fix", round.counted, round.open_fix);
    count_json(doc, object, "fixed", round.counted, round.fixed);
    count_json(doc, object, "set_aside", round.counted, round.set_aside);
    yyjson_mut_obj_add_bool(doc, object, "untouched", round.untouched);
}

void document_rounds(const struct status *status, const uint32_t *which, uint32_t count,
                     yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, root, "rounds");
    struct arena arena = { 0 };
    struct teller teller;

    teller_open(&teller, status->look, status->replay, status->history, &arena);
    for (uint32_t i = 0; i < count; i++) {
        round_json(&teller, which[i], doc, yyjson_mut_arr_add_obj(doc, list));
    }
    teller_close(&teller);
    arena_release(&arena);
}

static void add_marks(const struct status *status, yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    static const char *const kinds[STORY_MARK_COUNT] = {
        [STORY_STOPPED] = "stopped", [STORY_RESUMED] = "resumed", [STORY_ANSWERED] = "answered",
        [STORY_DRIFTED] = "drifted", [STORY_SPENT] = "spent",
    };
    const struct chronicle *chronicle = status->history->chronicle;
    yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, root, "marks");

    for (uint32_t i = 0; chronicle && i < chronicle->mark_count; i++) {
        const struct story_mark *mark = &chronicle->marks[i];
        bool of_lane = mark->kind == STORY_ANSWERED || mark->kind == STORY_DRIFTED;
        yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list);

        yyjson_mut_obj_add_str(doc, object, "kind", kinds[mark->kind]);
        yyjson_mut_obj_add_uint(doc, object, "at_ms", mark->at_ms);
        count_json(doc, object, "lane", of_lane, mark->lane);
        add_text(doc, object, "choice",
                 mark->kind == STORY_ANSWERED ? choice_word(mark->choice) : NULL);
    }
}

static void add_lane_names(const struct status *status, yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, root, "lane_names");
    struct arena arena = { 0 };
    struct teller teller;

    teller_open(&teller, status->look, status->replay, status->history, &arena);
    for (uint32_t i = 0; i < status->replay->engine.lane_count; i++) {
        struct story_lane lane = tell_lane(&teller, i);
        yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list);

        yyjson_mut_obj_add_uint(doc, object, "lane", i);
        json_add(doc, object, "name", lane.name);
        json_add_text(doc, object, "task", i == 0 ? str_of(status->look->run.task) : lane.task);
    }
    teller_close(&teller);
    arena_release(&arena);
}

/* ---- the run ---- */

void document_run(const struct status *status, const struct run_row *row, yyjson_mut_doc *doc,
                  yyjson_mut_val *root)
{
    const struct look *look = status->look;
    const struct run *run = status->replay;
    struct run_row own = { .run = look->run, .alive = look->alive };
    struct arena arena = { 0 };
    uint32_t rounds = run->engine.round_count;
    uint32_t *all = arena_alloc(&arena, (rounds + (size_t)1) * sizeof *all);

    for (uint32_t i = 0; i < rounds; i++) all[i] = i;
    if (!row) sums_of(&look->repo, run, status->history, &arena, &own.sums);
    if (!row) row = &own;
    document_standing(status, doc, root);
    document_row(row, doc, root);
    add_end(status, doc, root);
    add_setting(doc, root, "since", run->settings.since);
    add_setting(doc, root, "until", run->settings.until);
    add_setting(doc, root, "commit", row->sums.commit);
    yyjson_mut_obj_add_bool(doc, root, "hosted", run_is_hosted(&look->run));
    yyjson_mut_obj_add_bool(doc, root, "resumable",
                            !look->alive && engine_can_resume(&run->engine));
    document_counts(&row->sums, doc, root);
    usage_json(&run->engine.usage, doc, yyjson_mut_obj_add_obj(doc, root, "usage"));
    add_lane_names(status, doc, root);
    document_rounds(status, all, rounds, doc, root);
    add_marks(status, doc, root);
    yyjson_mut_obj_add_uint(doc, root, "attempt_count", status->history->count);
    yyjson_mut_obj_add_uint(doc, root, "now_ms", status->now_ms);
    arena_release(&arena);
}
