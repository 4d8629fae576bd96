/* SPDX-License-Identifier: Apache-2.0
 *
 * record.c - the review dialect's files, out of the engine's state and nothing else.
 *
 *   .agents/tmp/state.json                     where the loop stands, with its history
 *   .agents/tmp/phases/review-N/r1-ROLE.json   a reviewer's document, as soon as it is there
 *                              /r1-verdict.json     all of that review, when the last is there: the
 *                                                   five, or the checker. A role that was not
 *                                                   played has no r1-ROLE.json, and stands here
 *                                                   as not_played: a file would say clean
 *                              /r2-fix-summary.md   what the fixer says
 *
 * 1. The same run gives the same bytes.
 * 2. Listed are the files of the iteration at work and of the one before it; those of older ones
 *    are on disk already and never change.
 * 3. Only what was judged clean or findings becomes a file; a file of this iteration that another
 *    program put there is removed. A run that failed or was interrupted is in progress, at the
 *    phase it will go on with.
 * 4. In a hosted run agents write their files themselves: those that are wanted and not judged yet
 *    are left alone where agents can write there (view_leaves_answer). The verdict never is.
 * 5. Where a review was only guessed when the run was restored (restore.c), no file is written.
 *
 * Not here: writing (drivers), what the documents hold (judge.c). */
#include "dialect/review/review.h"

#include "format/json/json.h"

/* --- state.json --- */

static bool is_judged(const struct round *round)
{
    return round->ended_ms != 0 &&
           (round->verdict == VERDICT_CLEAN || round->verdict == VERDICT_FINDINGS);
}

static bool was_played(const struct job *job)
{
    return job->result.verdict != VERDICT_NOT_PLAYED;
}

static const char *verdict_of(enum verdict verdict)
{
    return verdict == VERDICT_CLEAN ? "clean" : "issues_found";
}

static yyjson_mut_val *iteration_value(yyjson_mut_doc *doc, const struct round *round)
{
    yyjson_mut_val *value = yyjson_mut_obj(doc);
    yyjson_mut_val *r1 = yyjson_mut_obj(doc), *r2 = yyjson_mut_obj(doc);

    yyjson_mut_obj_add_uint(doc, value, "iteration", round->number);
    json_add_time(doc, value, "startedAt", round->started_ms);
    yyjson_mut_obj_add_str(doc, r1, "status", is_judged(round) ? "complete" : "pending");
    if (is_judged(round)) yyjson_mut_obj_add_str(doc, r1, "verdict", verdict_of(round->verdict));
    yyjson_mut_obj_add_val(doc, value, "r1", r1);
    yyjson_mut_obj_add_str(doc, r2, "status", round->repaired_ms ? "complete" : "pending");
    yyjson_mut_obj_add_val(doc, value, "r2", r2);
    if (is_judged(round)) {
        yyjson_mut_obj_add_str(doc, value, "verdict", verdict_of(round->verdict));
    } else {
        yyjson_mut_obj_add_null(doc, value, "verdict");
    }
    return value;
}

/* What state.json says of the run as a whole. */
struct standing {
    const char *status, *phase, *failure;
};

static struct standing standing_now(const struct engine *engine, const struct round *newest)
{
    bool ended = engine->state == ENGINE_ENDED;

    if (ended && (engine->reason == REASON_CLEAN || engine->reason == REASON_NOTED ||
                  engine->reason == REASON_CONVERGED || engine->reason == REASON_SETTLED)) {
        return (struct standing){ .status = "complete", .phase = "DONE" };
    }
    if (ended && engine->reason == REASON_BOUND) {
        return (struct standing){ .status = "stopped", .phase = "STOPPED",
                                  .failure = "Max review iterations reached with unresolved "
                                             "issues" };
    }
    if (ended && engine->reason == REASON_OSCILLATING) {
        return (struct standing){ .status = "stopped", .phase = "STOPPED",
                                  .failure = "Each fix of one place led to the next issue there" };
    }
    if (ended && engine->reason == REASON_DIVERGING) {
        return (struct standing){ .status = "stopped", .phase = "STOPPED",
                                  .failure = "The fixes added as much as they resolved" };
    }
    if (ended && engine->reason == REASON_PARTIAL) {
        return (struct standing){ .status = "stopped", .phase = "STOPPED",
                                  .failure = "Some files were not looked at" };
    }
    if (ended && engine->reason == REASON_UNSEEN) {
        return (struct standing){ .status = "stopped", .phase = "STOPPED",
                                  .failure = "No reviewer had anything to look at" };
    }
    if (ended && engine->reason == REASON_STUCK) {
        return (struct standing){ .status = "stopped", .phase = "STOPPED",
                                  .failure = "The fixer can do nothing more about the unresolved "
                                             "issues" };
    }
    return (struct standing){ .status = "in_progress",
                              .phase = is_judged(newest) && !newest->repaired_ms ? "R2" : "R1" };
}

static void record_state(const struct run_view *run, const struct round *rounds, uint32_t count,
                         struct contract *out)
{
    const struct engine *engine = run->engine;
    const struct round *newest = &rounds[count - 1];
    struct standing standing = standing_now(engine, newest);
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc), *list = yyjson_mut_arr(doc);

    yyjson_mut_obj_add_str(doc, root, "plugin", "minions");
    yyjson_mut_obj_add_str(doc, root, "pipeline", "review");
    yyjson_mut_obj_add_str(doc, root, "status", standing.status);
    json_add_text(doc, root, "task", str_of(run->task));
    json_add_text(doc, root, "ownerPpid", str_of(run->owner));
    json_add_text(doc, root, "sessionId", str_of(view_is_hosted(run) ? run->session : run->id));
    yyjson_mut_obj_add_uint(doc, root, "iteration", newest->number);
    yyjson_mut_obj_add_uint(doc, root, "maxIterations", review_iteration_max(engine->plan));
    yyjson_mut_obj_add_str(doc, root, "currentPhase", standing.phase);
    json_add_time(doc, root, "startedAt", engine->started_ms);
    json_add_time(doc, root, "updatedAt", engine->now_ms);
    for (uint32_t i = 0; i < count; i++) {
        yyjson_mut_arr_append(list, iteration_value(doc, &rounds[i]));
    }
    yyjson_mut_obj_add_val(doc, root, "iterations", list);
    if (standing.failure) yyjson_mut_obj_add_str(doc, root, "failure", standing.failure);
    contract_json_add(out, REVIEW_STATE_PATH, doc);
}

/* --- review-N/ --- */

/* r1-ROLE.json of every reviewer in the batch that is done. */
static void record_reviews(const struct plan *plan, const struct batch *batch,
                           struct contract *out)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        const struct job *job = &batch->jobs[i];
        if (job->purpose != FOR_REVIEW || job->state != JOB_DONE) continue;
        if (job->result.doc.size == 0) continue;
        contract_file_add(out, review_r1_path(&out->arena, batch->round,
                                              plan->roles[job->role].name), job->result.doc);
    }
}

/* The issues of a document as judged: the sum of its counts. */
static uint64_t issue_count(struct str document)
{
    static const char *const words[] = { "critical", "warning", "info" };
    yyjson_doc *doc = NULL;
    yyjson_val *summary;
    uint64_t total = 0, count;

    if (json_read(document, &doc, &(struct err){ 0 }) != 0) return 0;
    summary = yyjson_obj_get(yyjson_doc_get_root(doc), "summary");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (json_uint(summary, words[i], &count)) total += count;
    }
    yyjson_doc_free(doc);
    return total;
}

/* A role's name as a key: security_reviewer. */
static yyjson_mut_val *role_key(yyjson_mut_doc *doc, const char *role)
{
    char key[64];
    size_t size = 0;

    for (; *role && size < sizeof key; role++) {
        key[size++] = (char)(*role == '-' ? '_' : *role);
    }
    return json_text(doc, (struct str){ key, size });
}

static const char *verdict_path(struct contract *out, uint32_t iteration)
{
    return arena_printf(&out->arena, "%s/r1-verdict.json", review_folder(&out->arena, iteration));
}

static void record_verdict(const struct plan *plan, const struct batch *review,
                           struct contract *out)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc);
    enum verdict worst = VERDICT_CLEAN;
    uint64_t total = 0;

    for (uint32_t i = 0; i < review->count; i++) {
        const struct job *job = &review->jobs[i];
        yyjson_mut_val *value = yyjson_mut_obj(doc);
        uint64_t issues = issue_count(job->result.doc);
        yyjson_mut_val *key = role_key(doc, plan->roles[job->role].name);

        if (!was_played(job)) {
            yyjson_mut_obj_add_str(doc, value, "verdict", "not_played");
            yyjson_mut_obj_add(root, key, value);
            continue;
        }
        yyjson_mut_obj_add_str(doc, value, "verdict", verdict_of(job->result.verdict));
        yyjson_mut_obj_add_uint(doc, value, "issues", issues);
        yyjson_mut_obj_add(root, key, value);
        total += issues;
        if (job->result.verdict > worst) worst = job->result.verdict;
    }
    yyjson_mut_obj_add_str(doc, root, "overall_verdict", verdict_of(worst));
    yyjson_mut_obj_add_uint(doc, root, "total_issues", total);
    contract_json_add(out, verdict_path(out, review->round), doc);
}

/* Whether all of its documents are there: it was judged, not guessed; and some role was played. */
static bool is_known(const struct batch *review)
{
    bool played = false;

    for (uint32_t i = 0; i < review->count; i++) {
        if (!was_played(&review->jobs[i])) continue;
        if (review->jobs[i].result.doc.size == 0) return false;
        played = true;
    }
    return played;
}

/* Whether what lies where the role's answer goes is there by right, or may be. */
static bool is_kept(const struct run_view *run, const struct batch *now, uint16_t role)
{
    for (uint32_t i = 0; i < now->count; i++) {
        const struct job *job = &now->jobs[i];
        if (job->role != role) continue;
        return (job->state == JOB_DONE && job->purpose != FOR_REPAIR) ||
               (run->answers != ANSWERS_SPOKEN && view_leaves_answer(run, job));
    }
    return false;
}

/* What this iteration has not come to yet. */
static void record_absent(const struct run_view *run, uint32_t iteration, struct contract *out)
{
    const struct lane *lane = &run->engine->lanes[0];
    bool reviewed = lane->review.count > 0 && lane->review.round == iteration;
    bool repaired = lane->repair.count > 0 && lane->repair.round == iteration;
    uint16_t role;

    for (uint32_t i = 0; !reviewed && (role = review_reviewer(run->engine->plan, i)); i++) {
        if (is_kept(run, &lane->now, role)) continue;
        contract_absent_add(out, review_r1_path(&out->arena, iteration,
                                                run->engine->plan->roles[role].name));
    }
    if (!reviewed) contract_absent_add(out, verdict_path(out, iteration));
    if (!repaired && !is_kept(run, &lane->now, review_fixer(run->engine->plan))) {
        contract_absent_add(out, review_r2_path(&out->arena, iteration));
    }
}

void review_record(const struct run_view *run, struct contract *out)
{
    const struct engine *engine = run->engine;
    const struct lane *lane = &engine->lanes[0];
    const struct round unborn = { .number = 1, .started_ms = engine->started_ms };
    const struct round *rounds = engine->round_count ? engine->rounds : &unborn;
    uint32_t count = engine->round_count ? engine->round_count : 1;

    record_state(run, rounds, count, out);
    contract_folder_add(out, review_folder(&out->arena, rounds[count - 1].number));
    record_reviews(engine->plan, &lane->review, out);
    if (is_known(&lane->review)) record_verdict(engine->plan, &lane->review, out);
    if (lane->repair.count > 0 && lane->repair.jobs[0].result.doc.size > 0) {
        contract_file_add(out, review_r2_path(&out->arena, lane->repair.round),
                          lane->repair.jobs[0].result.doc);
    }
    record_reviews(engine->plan, &lane->now, out);
    record_absent(run, rounds[count - 1].number, out);
}
