/* SPDX-License-Identifier: Apache-2.0
 *
 * restore.c - a run out of its state file.
 *
 * The file says where each iteration stands, how often each gate was repaired and what its newest
 * review found; not what anybody wrote. So a restored run knows
 *
 *     the task, the times iterations began at, phases, retries, the newest issues of every gate
 *
 * and does not know brainstorm, plan, reports, notes below a threshold, output of the tests, nor
 * what the user was asked. Where the file is silent the shortest way is taken: the work of a phase
 * is one empty answer, an earlier review found something that a fixer removed. A gate in progress
 * whose review was repaired before is looked at again, whether the fixers, the user or the next
 * review were at work: looking again is safe, and nothing is counted by it.
 *
 * A real engine walks the events while they are made: what the plan would not have done is an
 * error in the file, and never an event that does not fit.
 *
 * 1. record(restore(files)) == files for every file that record.c wrote.
 * 2. A file of somebody else is read as far as it can be; what contradicts itself or the settings
 *    is refused in words. */
#include "dialect/iterate/iterate.h"

#include "format/signal.h"

#include <assert.h>
#include <string.h>

enum { RETRIES_RESTORED_MAX = 10000 };

enum status { STATUS_PENDING, STATUS_IN_PROGRESS, STATUS_COMPLETED, STATUS_COUNT };

/* A phase as the file has it. */
struct past_phase {
    enum status status;
    uint32_t retries;
    struct iterate_issues issues; /* that fail it */
    struct iterate_issues notes;  /* that are too small for it */
};

/* One reading. */
struct walk {
    struct restored *out;
    struct err *err;
    struct plan plan;
    struct iterate_config config;
    struct engine engine;
    struct actions actions;
    uint64_t now_ms;
    uint32_t iteration, number; /* that is being restored, for messages */
};

static int refuse(struct walk *walk, const char *what)
{
    return err_set(walk->err, ERR_FORMAT, ITERATE_STATE_PATH ": iteration %u, phase %u: %s",
                   (unsigned)walk->iteration, (unsigned)walk->number, what);
}

/* ---- events ---- */

static void feed(struct walk *walk, struct event event)
{
    event.now_ms = walk->now_ms;
    restored_add(walk->out, event);
    engine_step(&walk->engine, &event, &walk->actions);
}

/* All that run now end so. */
static void end_all(struct walk *walk, struct result result)
{
    const struct batch *now = &walk->engine.lanes[0].now;
    uint32_t first = now->count ? now->jobs[0].id : 0, count = now->count;

    for (uint32_t i = 0; i < count; i++) {
        const struct job *job = engine_job(&walk->engine, first + i, NULL);
        assert(job && job->state == JOB_RUNNING);
        feed(walk, (struct event){ .kind = EV_ENDED, .job = job->id, .attempt = job->attempt,
                                   .result = result });
    }
}

static void answer(struct walk *walk, enum choice choice)
{
    feed(walk, (struct event){ .kind = EV_ANSWER, .choice = choice });
}

static enum lane_state state_of(const struct walk *walk) { return walk->engine.lanes[0].state; }

/* Whether the engine is still at the phase that is being restored. */
static bool is_here(const struct walk *walk)
{
    return walk->engine.iteration == walk->iteration &&
           iterate_phase_number(walk->engine.lanes[0].phase) == walk->number;
}

/* A review that found these; something, where the file does not say what. */
static struct result found_result(struct walk *walk, const struct past_phase *phase)
{
    static const struct finding unknown = { .severity = SEVERITY_HIGH,
                                            .text = STR("an issue that is not known any more") };
    const struct repair *repair = &walk->plan.phases[walk->number - 1].gate.repair;
    const struct iterate_issues *issues = &phase->issues;
    struct iterate_review review = { .issues = *issues, .notes = phase->notes,
                                     .amendments = { "", 0 } };
    struct result result = { .verdict = VERDICT_FINDINGS, .findings = &unknown, .finding_count = 1,
                             .fix_groups = 1 };
    struct iterate_groups groups;
    uint32_t *group_of;

    if (issues->count == 0) return result;
    result.findings = issues->items;
    result.finding_count = issues->count;
    result.notes = phase->notes.items;
    result.note_count = phase->notes.count;
    result.doc = iterate_review_write(&review, &walk->out->arena);
    if (!repair->by_groups) return result;
    group_of = arena_alloc(&walk->out->arena, issues->count * sizeof *group_of);
    groups = iterate_groups(issues->items, issues->count, group_of);
    result.fix_groups = groups.count;
    result.fix_alone = groups.alone;
    return result;
}

/* A review that found nothing that fails it. */
static struct result passed_result(struct walk *walk, const struct past_phase *phase)
{
    struct iterate_review review = { .notes = phase->notes, .amendments = { "", 0 } };
    struct result result = { .verdict = VERDICT_CLEAN, .notes = phase->notes.items,
                             .note_count = phase->notes.count };

    if (phase->notes.count) result.doc = iterate_review_write(&review, &walk->out->arena);
    return result;
}

/* ---- phases ---- */

static int restore_work(struct walk *walk, const struct past_phase *phase)
{
    if (phase->status != STATUS_COMPLETED) return 0;
    while (is_here(walk) && state_of(walk) != LANE_OVER) {
        end_all(walk, (struct result){ .verdict = VERDICT_CLEAN });
    }
    return 0;
}

/* So many reviews that found something, each with a repair. */
static int restore_retries(struct walk *walk, const struct past_phase *phase)
{
    struct result found = found_result(walk, phase);

    for (uint32_t i = 0; i < phase->retries; i++) {
        end_all(walk, found);
        if (is_here(walk) && state_of(walk) == LANE_ASKING) answer(walk, CHOICE_CONTINUE);
        if (!is_here(walk) || state_of(walk) != LANE_REPAIRING) {
            return refuse(walk, "retryCount is more than the settings allow");
        }
        while (is_here(walk) && state_of(walk) == LANE_REPAIRING) {
            end_all(walk, (struct result){ .verdict = VERDICT_CLEAN });
        }
    }
    return 0;
}

/* A review that found the issues, and a way from there that the user must have chosen where the
 * plan itself does not take it. */
static void restore_left(struct walk *walk, const struct past_phase *phase, enum choice choice)
{
    end_all(walk, found_result(walk, phase));
    if (is_here(walk) && state_of(walk) == LANE_REPAIRING) {
        end_all(walk, (struct result){ .verdict = VERDICT_CLEAN, .stuck = true });
    }
    if (is_here(walk) && state_of(walk) == LANE_ASKING) answer(walk, choice);
}

static int restore_gate(struct walk *walk, const struct past_phase *phase)
{
    int rc = restore_retries(walk, phase);

    if (rc != 0) return rc;
    if (phase->status == STATUS_COMPLETED) {
        if (phase->issues.count == 0) {
            end_all(walk, passed_result(walk, phase));
        } else {
            restore_left(walk, phase, CHOICE_ACCEPT);
        }
    } else if (phase->retries == 0 && phase->issues.count > 0) {
        end_all(walk, found_result(walk, phase));
        if (!is_here(walk)) return refuse(walk, "its issues would not have left it in progress");
    }
    return 0;
}

/* The gate that led to the next iteration, which began at that time. */
static int restore_restart(struct walk *walk, const struct past_phase *phase, uint64_t next_ms)
{
    int rc;

    if (walk->plan.phases[walk->number - 1].gate.reviewer_count == 0) {
        return refuse(walk, "no iteration can end in a phase without a review");
    }
    rc = restore_retries(walk, phase);
    if (rc != 0) return rc;
    if (next_ms < walk->now_ms) return refuse(walk, "the next iteration began before this one");
    walk->now_ms = next_ms;
    restore_left(walk, phase, CHOICE_RESTART);
    if (walk->engine.iteration != walk->iteration + 1) {
        return refuse(walk, "the settings allow no iteration behind this one");
    }
    return 0;
}

static int restore_phase(struct walk *walk, const struct past_phase *phase)
{
    bool works = walk->plan.phases[walk->number - 1].work.role != ROLE_NONE;
    int rc;

    if (!is_here(walk) || walk->engine.state != ENGINE_RUNNING) {
        return refuse(walk, "the run could not have come here");
    }
    rc = works ? restore_work(walk, phase) : restore_gate(walk, phase);
    if (rc != 0 || phase->status != STATUS_COMPLETED) return rc;
    if (is_here(walk) && state_of(walk) != LANE_OVER) {
        return refuse(walk, "the settings do not let it be completed like this");
    }
    return 0;
}

/* ---- the file ---- */

static int read_status(struct walk *walk, yyjson_val *value, enum status *out)
{
    static const char *const words[STATUS_COUNT] = { "pending", "in_progress", "completed" };
    struct str word = json_str(value, "status");

    for (int i = 0; i < STATUS_COUNT; i++) {
        if (!word.data || !str_is(word, words[i])) continue;
        *out = (enum status)i;
        return 0;
    }
    return refuse(walk, "status is not pending, in_progress or completed");
}

/* As the review had them: what fails the phase, and what does not. */
static int read_issues(struct walk *walk, yyjson_val *list, struct past_phase *out)
{
    uint32_t threshold = iterate_threshold(&walk->config, walk->number);
    yyjson_arr_iter iter = yyjson_arr_iter_with(list);
    struct arena *arena = &walk->out->arena;
    yyjson_val *value;

    if (!yyjson_is_arr(list)) return refuse(walk, "lastIssues is no list");
    while ((value = yyjson_arr_iter_next(&iter)) != NULL) {
        struct str message = json_str(value, "message");
        struct finding issue = { .source = STR("restored") };

        if (!iterate_severity_read(json_str(value, "severity"), &issue.severity) ||
            !message.data) {
            return refuse(walk, "an issue has no severity or no message");
        }
        issue.text = iterate_text(message, ISSUE_BYTES_MAX, arena);
        iterate_place_read(iterate_text(json_str(value, "location"), 2 * PLACE_BYTES_MAX, arena),
                           &issue);
        issue.fingerprint = finding_fingerprint(&issue);
        *iterate_issue_add((uint32_t)issue.severity >= threshold ? &out->issues : &out->notes,
                           arena) = issue;
    }
    return 0;
}

static int read_phase(struct walk *walk, yyjson_val *value, struct past_phase *out)
{
    const struct gate *gate = &walk->plan.phases[walk->number - 1].gate;
    uint64_t retries = 0;
    int rc;

    *out = (struct past_phase){ 0 };
    rc = read_status(walk, value, &out->status);
    if (rc != 0 || gate->reviewer_count == 0 || walk->number == PHASE_CODEX_FINAL) return rc;
    if (!json_uint(value, "retryCount", &retries) || retries > RETRIES_RESTORED_MAX) {
        return refuse(walk, "retryCount is no number from 0 to 10000");
    }
    out->retries = (uint32_t)retries;
    if (walk->number == PHASE_TEST) return 0;
    return read_issues(walk, yyjson_obj_get(value, "lastIssues"), out);
}

static int read_time(struct walk *walk, yyjson_val *object, uint64_t *out)
{
    if (signal_time(json_str(object, "startedAt"), out)) return 0;
    return err_set(walk->err, ERR_FORMAT, ITERATE_STATE_PATH ": startedAt is no time such as "
                   "2026-01-15T08:40:00Z");
}

/* The iteration's phases up to the one that was begun last. */
static int restore_iteration(struct walk *walk, yyjson_val *value, const uint64_t *next_ms)
{
    yyjson_val *phases = yyjson_obj_get(value, "phases");
    struct past_phase past[PHASE_CODEX_FINAL];
    uint32_t last = 0;
    int rc = 0;

    for (walk->number = 1; walk->number <= PHASE_FINAL_REVIEW && rc == 0; walk->number++) {
        char key[] = { (char)('0' + walk->number), '\0' };
        rc = read_phase(walk, yyjson_obj_get(phases, key), &past[walk->number]);
        if (rc == 0 && past[walk->number].status != STATUS_PENDING) last = walk->number;
    }
    for (walk->number = 1; walk->number <= last && rc == 0; walk->number++) {
        bool restarts = next_ms && walk->number == last;
        if (walk->number < last && past[walk->number].status != STATUS_COMPLETED) {
            return refuse(walk, "a later phase was begun before this one was completed");
        }
        rc = restarts ? restore_restart(walk, &past[walk->number], *next_ms)
                      : restore_phase(walk, &past[walk->number]);
    }
    if (rc == 0 && next_ms && last == 0) return refuse(walk, "the iteration was never begun");
    return rc;
}

static int restore_last(struct walk *walk, yyjson_val *root)
{
    struct past_phase phase;
    int rc;

    walk->number = PHASE_CODEX_FINAL;
    if (walk->plan.phase_count < PHASE_CODEX_FINAL) return 0;
    rc = read_phase(walk, yyjson_obj_get(root, "phase9"), &phase);
    if (rc != 0 || phase.status == STATUS_PENDING) return rc;
    return restore_phase(walk, &phase);
}

static int restore_all(struct walk *walk, yyjson_val *root)
{
    yyjson_val *list = yyjson_obj_get(root, "iterations");
    size_t count = yyjson_arr_size(list);
    int rc = read_time(walk, root, &walk->now_ms);

    if (rc != 0) return rc;
    if (count == 0 || count > walk->plan.iteration_max) {
        return err_set(walk->err, ERR_FORMAT, ITERATE_STATE_PATH ": iterations is no list of 1 to "
                       "%u", (unsigned)walk->plan.iteration_max);
    }
    feed(walk, (struct event){ .kind = EV_START });
    for (size_t i = 0; i < count && rc == 0; i++) {
        bool is_last = i + 1 == count;
        uint64_t next_ms = 0;

        walk->iteration = (uint32_t)i + 1;
        if (!is_last) rc = read_time(walk, yyjson_arr_get(list, i + 1), &next_ms);
        if (rc == 0) {
            rc = restore_iteration(walk, yyjson_arr_get(list, i), is_last ? NULL : &next_ms);
        }
    }
    return rc == 0 ? restore_last(walk, root) : rc;
}

/* What the file says twice must be the same. */
static int check_current(struct walk *walk, yyjson_val *root)
{
    uint64_t iteration = 0, phase = 0;

    json_uint(root, "currentIteration", &iteration);
    json_uint(root, "currentPhase", &phase);
    if (iteration == walk->engine.iteration &&
        phase == iterate_phase_number(walk->engine.lanes[0].phase)) {
        return 0;
    }
    return err_set(walk->err, ERR_FORMAT, ITERATE_STATE_PATH ": currentIteration and currentPhase "
                   "are not where its iterations end: %u and %u", (unsigned)walk->engine.iteration,
                   (unsigned)iterate_phase_number(walk->engine.lanes[0].phase));
}

/* What the file and the settings must agree on before anything else. */
static int check_head(struct walk *walk, yyjson_val *root)
{
    bool lite = walk->plan.phase_count < PHASE_CODEX_FINAL;
    struct str task = json_str(root, "task"), mode = json_str(root, "mode");
    uint64_t version = 0, iterations = 0;

    if (!json_uint(root, "version", &version) || version != ITERATE_STATE_VERSION) {
        return err_set(walk->err, ERR_FORMAT, ITERATE_STATE_PATH ": version is not %d",
                       ITERATE_STATE_VERSION);
    }
    if (!task.data) return err_set(walk->err, ERR_FORMAT, ITERATE_STATE_PATH ": task is missing");
    if (!mode.data || !str_is(mode, lite ? "lite" : "full")) {
        return err_set(walk->err, ERR_FORMAT, ITERATE_STATE_PATH ": mode is not %s, as the "
                       "settings have it", lite ? "lite" : "full");
    }
    if (!json_uint(root, "maxIterations", &iterations) || iterations != walk->plan.iteration_max) {
        return err_set(walk->err, ERR_FORMAT, ITERATE_STATE_PATH ": maxIterations is not %u, as "
                       "the settings have it", (unsigned)walk->plan.iteration_max);
    }
    walk->out->task = arena_cstr(&walk->out->arena, task);
    return 0;
}

int iterate_restore(const struct contract *files, const struct settings *settings,
                    struct restored *out, struct err *err)
{
    struct walk walk = { .out = out, .err = err };
    struct str text = { NULL, 0 };
    yyjson_doc *doc = NULL;
    int rc = iterate_plan(settings, &out->arena, &walk.plan, err);

    if (rc != 0) return rc;
    for (uint32_t i = 0; i < files->file_count; i++) {
        if (strcmp(files->files[i].path, ITERATE_STATE_PATH) == 0) text = files->files[i].content;
    }
    if (!text.data) return err_set(err, ERR_FORMAT, ITERATE_STATE_PATH ": it is not there");
    rc = json_read(text, &doc, err);
    if (rc != 0) return err_wrap(err, ITERATE_STATE_PATH);
    iterate_config_read(settings, &out->arena, &walk.config);
    engine_init(&walk.engine, &walk.plan);
    rc = check_head(&walk, yyjson_doc_get_root(doc));
    if (rc == 0) rc = restore_all(&walk, yyjson_doc_get_root(doc));
    if (rc == 0) rc = check_current(&walk, yyjson_doc_get_root(doc));
    engine_release(&walk.engine);
    actions_release(&walk.actions);
    yyjson_doc_free(doc);
    return rc;
}
