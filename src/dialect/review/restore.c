/* SPDX-License-Identifier: Apache-2.0
 *
 * restore.c - from state.json and the files of its iterations, of hone or another tool, to the
 * events that lead there.
 *
 * An engine of the plan is walked. state.json says how many iterations there were, and whether the
 * newest one was being fixed. What was found stands in the reviewers' files alone:
 *
 *   older iterations   each reviewer's file, else a guess: a reviewer found something, or there
 *                      would have been no later iteration. Then the fixer's summary, or a guess
 *   the newest         each reviewer's file with findings; a reviewer that has none is asked again,
 *                      and so is one whose file says clean, but where all of them are there and one
 *                      has findings: then R2 or STOPPED follows. In R2 the fixer's summary, if it
 *                      is there
 *
 * 1. No file makes a run clean, hone's own neither: a clean is earned by a review that hone asked
 *    for. So DONE is not believed either, and r1-verdict.json is never read.
 * 2. record(restore(files)) == files for what record.c wrote, but for the cleans of 1. Five reviews
 *    that a stop kept from being added up are added up.
 * 3. A guess never is clean, and has no document: nothing is recorded of it.
 * 4. A reviewer's file whose summary is as it is judged stays as it is, byte for byte.
 * 5. What state.json says twice must agree, or it is refused; what it does not say is not missed.
 *
 * Not here: what a review is (judge.c), the files' form (record.c). */
#include "dialect/dialects.h"
#include "dialect/review/review.h"

#include "format/json/json.h"
#include "format/signal.h"

#include <assert.h>
#include <string.h>

enum { ITERATION_MAX = 10000 }; /* more than the settings allow: a resume may grant one */

enum standing { STANDING_R1, STANDING_R2, STANDING_DONE, STANDING_STOPPED, STANDING_COUNT };

static const struct {
    const char *phase, *status;
} standings[STANDING_COUNT] = {
    [STANDING_R1] = { "R1", "in_progress" },
    [STANDING_R2] = { "R2", "in_progress" },
    [STANDING_DONE] = { "DONE", "complete" },
    [STANDING_STOPPED] = { "STOPPED", "stopped" },
};

/* An iteration as its files have it; data NULL: there is none. */
struct past {
    uint64_t started_ms; /* 0: it is not said */
    struct str *answers; /* by role */
};

struct walk {
    struct restored *out;
    struct err *err;
    struct arena arena;
    struct plan plan;
    uint32_t roles; /* of the plan, with those that only a policy has */
    struct engine engine;
    enum standing standing;
    uint64_t started_ms, updated_ms;
    struct past *past; /* of iteration n: past[n - 1] */
    uint32_t count;    /* iterations, the newest included */
};

/* ---- state.json ---- */

static int refuse(struct err *err, const char *what)
{
    return err_set(err, ERR_FORMAT, REVIEW_STATE_PATH ": %s", what);
}

/* Behind the seconds: Z, +09:00 or +0900, as milliseconds; *behind is how long it is. */
static bool read_offset(struct str text, size_t *behind, int64_t *ms)
{
    struct str zone, digits;
    uint64_t hours, minutes;
    char sign;

    *ms = 0;
    *behind = 1;
    if (str_ends(text, STR("Z"))) return true;
    *behind = text.size > 3 && text.data[text.size - 3] == ':' ? 6 : 5;
    if (text.size < *behind) return false;
    zone = str_skip(text, text.size - *behind);
    sign = zone.data[0];
    digits = (struct str){ zone.data + 1, 2 };
    if ((sign != '+' && sign != '-') || !str_number(digits, &hours) || hours > 23) return false;
    digits.data = zone.data + *behind - 2;
    if (!str_number(digits, &minutes) || minutes > 59) return false;
    *ms = (int64_t)(hours * 60 + minutes) * 60000 * (sign == '-' ? -1 : 1);
    return true;
}

/* A time with its zone, as milliseconds since 1970, of which there are some. */
static bool read_time(struct walk *walk, struct str text, uint64_t *out)
{
    int64_t offset_ms, ms;
    size_t behind;
    uint64_t local_ms;

    if (text.size > 64 || !read_offset(text, &behind, &offset_ms)) return false;
    text.size -= behind;
    text = str_of(arena_printf(&walk->arena, "%.*sZ", STR_ARG(text)));
    if (!signal_time(text, &local_ms)) return false;
    ms = (int64_t)local_ms - offset_ms;
    *out = ms > 0 ? (uint64_t)ms : 0;
    return ms > 0;
}

static int read_times(struct walk *walk, yyjson_val *root)
{
    if (!read_time(walk, json_str(root, "startedAt"), &walk->started_ms)) {
        return refuse(walk->err, "startedAt is no time such as 2026-01-15T08:40:00+09:00");
    }
    if (!read_time(walk, json_str(root, "updatedAt"), &walk->updated_ms)) {
        return refuse(walk->err, "updatedAt is no time such as 2026-01-15T08:40:00+09:00");
    }
    return 0;
}

static int read_standing(struct walk *walk, yyjson_val *root)
{
    struct str phase = json_str(root, "currentPhase"), status = json_str(root, "status");
    int at = 0;

    while (at < STANDING_COUNT && !str_is(phase, standings[at].phase)) at++;
    if (at == STANDING_COUNT) {
        return refuse(walk->err, "currentPhase is not R1, R2, DONE or STOPPED");
    }
    walk->standing = (enum standing)at;
    if (str_is(status, standings[at].status)) return 0;
    return err_set(walk->err, ERR_FORMAT, REVIEW_STATE_PATH ": status is not %s, though "
                   "currentPhase is %s", standings[at].status, standings[at].phase);
}

static int read_bound(yyjson_val *root, uint64_t *out, struct err *err)
{
    if (json_uint(root, "maxIterations", out) && *out >= 1 && *out <= REVIEW_ITERATIONS_MAX) {
        return 0;
    }
    return err_set(err, ERR_FORMAT, REVIEW_STATE_PATH ": maxIterations is no whole number from 1 "
                   "to %d", REVIEW_ITERATIONS_MAX);
}

static int read_head(struct walk *walk, yyjson_val *root)
{
    struct str task = json_str(root, "task");
    uint64_t iteration, bound;
    int rc;

    if (!str_is(json_str(root, "plugin"), "minions")) {
        return refuse(walk->err, "plugin is not minions");
    }
    if (!str_is(json_str(root, "pipeline"), "review")) {
        return refuse(walk->err, "pipeline is not review: another kind of run wrote it");
    }
    if (str_trim(task).size == 0 || memchr(task.data, '\0', task.size)) {
        return refuse(walk->err, "task is no text");
    }
    walk->out->task = arena_cstr(&walk->out->arena, task);
    rc = read_bound(root, &bound, walk->err);
    if (rc != 0) return rc;
    if (bound != review_iteration_max(&walk->plan)) {
        return err_set(walk->err, ERR_FORMAT, REVIEW_STATE_PATH ": maxIterations is not %u, as "
                       "the settings have it", (unsigned)review_iteration_max(&walk->plan));
    }
    if (!json_uint(root, "iteration", &iteration) || iteration < 1 || iteration > ITERATION_MAX) {
        return err_set(walk->err, ERR_FORMAT, REVIEW_STATE_PATH ": iteration is no whole number "
                       "from 1 to %d", ITERATION_MAX);
    }
    walk->count = (uint32_t)iteration;
    rc = read_standing(walk, root);
    return rc == 0 ? read_times(walk, root) : rc;
}

static int refuse_entry(struct walk *walk, size_t at, const char *what)
{
    return err_set(walk->err, ERR_FORMAT, REVIEW_STATE_PATH ": iterations[%zu].%s", at, what);
}

/* null, or nothing, or one of the two words. */
static bool read_verdict(yyjson_val *object, bool *clean, bool *issues)
{
    yyjson_val *value = yyjson_obj_get(object, "verdict");
    struct str word = json_str(object, "verdict");

    *clean = str_is(word, "clean");
    *issues = str_is(word, "issues_found");
    return !value || yyjson_is_null(value) || *clean || *issues;
}

/* What an entry says of its outcome, against itself and against where the run stands. */
static int check_verdicts(struct walk *walk, yyjson_val *entry, size_t at, bool is_newest)
{
    bool clean, issues, r1_clean, r1_issues, ended;

    if (!read_verdict(entry, &clean, &issues)) {
        return refuse_entry(walk, at, "verdict is not null, clean or issues_found");
    }
    if (!read_verdict(yyjson_obj_get(entry, "r1"), &r1_clean, &r1_issues)) {
        return refuse_entry(walk, at, "r1.verdict is not null, clean or issues_found");
    }
    if ((clean || r1_clean) && (issues || r1_issues)) {
        return refuse_entry(walk, at, "verdict is not what r1.verdict says");
    }
    ended = is_newest && (walk->standing == STANDING_DONE || walk->standing == STANDING_R1);
    if ((clean || r1_clean) && !ended) {
        return refuse_entry(walk, at, "verdict is clean, though the run went on");
    }
    if ((issues || r1_issues) && is_newest && walk->standing == STANDING_DONE) {
        return refuse_entry(walk, at, "verdict is issues_found, though currentPhase is DONE");
    }
    return 0;
}

static int check_status(struct walk *walk, yyjson_val *entry, size_t at, const char *key)
{
    yyjson_val *step = yyjson_obj_get(entry, key);
    struct str status = json_str(step, "status");

    if (!step || str_is(status, "pending") || str_is(status, "complete")) return 0;
    return err_set(walk->err, ERR_FORMAT, REVIEW_STATE_PATH ": iterations[%zu].%s.status is not "
                   "pending or complete", at, key);
}

static int read_entry(struct walk *walk, yyjson_val *entry, size_t at, uint64_t *newest)
{
    uint64_t number = 0;
    int rc;

    if (!json_uint(entry, "iteration", &number) || number <= *newest || number > walk->count) {
        return refuse_entry(walk, at, "iteration is not behind the one before it, or is beyond the "
                            "run's own");
    }
    *newest = number;
    if (yyjson_obj_get(entry, "startedAt") &&
        !read_time(walk, json_str(entry, "startedAt"), &walk->past[number - 1].started_ms)) {
        return refuse_entry(walk, at, "startedAt is no time such as 2026-01-15T08:40:00+09:00");
    }
    rc = check_status(walk, entry, at, "r1");
    if (rc == 0) rc = check_status(walk, entry, at, "r2");
    return rc == 0 ? check_verdicts(walk, entry, at, number == walk->count) : rc;
}

static int read_entries(struct walk *walk, yyjson_val *root)
{
    yyjson_val *list = yyjson_obj_get(root, "iterations"), *entry;
    yyjson_arr_iter iter = yyjson_arr_iter_with(list);
    uint64_t newest = 0;
    int rc = 0;

    if (list && !yyjson_is_arr(list)) return refuse(walk->err, "iterations is no list");
    walk->past = arena_alloc(&walk->arena, walk->count * sizeof *walk->past);
    for (uint32_t i = 0; i < walk->count; i++) {
        walk->past[i].answers = arena_alloc(&walk->arena,
                                            walk->roles * sizeof *walk->past[i].answers);
    }
    for (size_t at = 0; rc == 0 && (entry = yyjson_arr_iter_next(&iter)) != NULL; at++) {
        rc = read_entry(walk, entry, at, &newest);
    }
    return rc;
}

/* ---- the files of iterations ---- */

/* "review-2/r1-critic.json" as its place; false: it is none of those that count. */
static bool place_of(const struct plan *plan, struct str path, uint64_t *iteration,
                     uint16_t *role)
{
    struct str folder = { NULL, 0 };

    if (!str_starts(path, STR(REVIEW_TRAIL "/review-"))) return false;
    path = str_skip(path, sizeof REVIEW_TRAIL "/review-" - 1);
    if (!str_has(path, '/') || !str_cut(&path, '/', &folder)) return false;
    if (str_starts(folder, STR("0")) || !str_number(folder, iteration)) return false;
    if (str_is(path, "r2-fix-summary.md")) {
        *role = review_fixer(plan);
        return true;
    }
    if (!str_starts(path, STR("r1-")) || !str_ends(path, STR(".json"))) return false;
    path = (struct str){ path.data + 3, path.size - sizeof "r1-.json" + 1 };
    for (uint32_t i = 0; (*role = review_reviewer(plan, i)); i++) {
        if (str_is(path, plan->roles[*role].name)) return true;
    }
    return false;
}

static void read_files(struct walk *walk, const struct contract *files)
{
    for (uint32_t i = 0; i < files->file_count; i++) {
        uint64_t iteration;
        uint16_t role;

        if (!place_of(&walk->plan, str_of(files->files[i].path), &iteration, &role)) continue;
        if (iteration > walk->count) continue;
        walk->past[iteration - 1].answers[role] = files->files[i].content;
    }
}

/* What the role's file says; false: it is not there, or breaks its contract. */
static bool judge_file(struct walk *walk, const struct past *past, uint16_t role,
                       struct result *out)
{
    struct str file = past->answers[role];
    enum purpose purpose = role == review_fixer(&walk->plan) ? FOR_REPAIR : FOR_REVIEW;

    if (!file.data) return false;
    review_judge(&(struct run_view){ .engine = &walk->engine, .answers = ANSWERS_IN_FILE },
                 &(struct action){ .role = role, .purpose = purpose }, file,
                 &walk->out->arena, out);
    return out->verdict != VERDICT_INVALID;
}

/* ---- walking ---- */

static void tell_event(struct walk *walk, struct event event, uint64_t ms)
{
    struct actions actions = { 0 };

    event.now_ms = ms > walk->engine.now_ms ? ms : walk->engine.now_ms;
    restored_add(walk->out, event);
    engine_step(&walk->engine, &event, &actions);
    assert(actions.count > 0); /* each is the answer to what was asked */
    actions_release(&actions);
}

static void end_job(struct walk *walk, uint16_t role, struct result result, uint64_t ms)
{
    const struct batch *now = &walk->engine.lanes[0].now;
    const struct job *job = now->jobs;

    while (job < now->jobs + now->count && job->role != role) job++;
    assert(job < now->jobs + now->count && job->state == JOB_RUNNING);
    tell_event(walk, (struct event){ .kind = EV_ENDED, .job = job->id, .attempt = job->attempt,
                                     .result = result }, ms);
}

static struct result guessed_review(void)
{
    static const struct finding finding = { .severity = SEVERITY_MEDIUM,
                                            .text = STR("the review is not there any more") };

    return (struct result){ .verdict = VERDICT_FINDINGS, .findings = &finding,
                            .finding_count = 1 };
}

static bool is_at(const struct walk *walk, enum lane_state state)
{
    return walk->engine.lanes[0].state == state;
}

/* An iteration behind which there is another one. */
static int walk_older(struct walk *walk, const struct past *past)
{
    uint64_t next_ms = past[1].started_ms;
    struct result *results = arena_alloc(&walk->arena, walk->roles * sizeof *results);
    uint16_t role, fixer = review_fixer(&walk->plan);
    bool found = false;

    for (uint32_t i = 0; (role = review_reviewer(&walk->plan, i)); i++) {
        if (!judge_file(walk, past, role, &results[role])) results[role] = guessed_review();
        found = found || results[role].verdict == VERDICT_FINDINGS;
    }
    if (!found) results[review_reviewer(&walk->plan, 0)] = guessed_review();
    for (uint32_t i = 0; (role = review_reviewer(&walk->plan, i)); i++) {
        end_job(walk, role, results[role], past->started_ms);
    }
    if (!is_at(walk, LANE_REPAIRING)) {
        return err_set(walk->err, ERR_FORMAT, REVIEW_STATE_PATH ": iteration is %u, which is more "
                       "than maxIterations allows", (unsigned)walk->count);
    }
    if (!judge_file(walk, past, fixer, &results[fixer])) {
        results[fixer] = (struct result){ .verdict = VERDICT_CLEAN };
    }
    end_job(walk, fixer, results[fixer], next_ms);
    if (is_at(walk, LANE_STUCK)) tell_event(walk, (struct event){ .kind = EV_RESUME }, next_ms);
    return 0;
}

static void walk_newest(struct walk *walk, const struct past *past)
{
    struct result *results = arena_alloc(&walk->arena, walk->roles * sizeof *results);
    bool *there = arena_alloc(&walk->arena, walk->roles * sizeof *there);
    struct result result = { .verdict = VERDICT_CLEAN };
    uint16_t role, fixer = review_fixer(&walk->plan);
    bool all = true, found = false;

    for (uint32_t i = 0; (role = review_reviewer(&walk->plan, i)); i++) {
        there[role] = judge_file(walk, past, role, &results[role]);
        all = all && there[role];
        found = found || (there[role] && results[role].verdict == VERDICT_FINDINGS);
    }
    for (uint32_t i = 0; (role = review_reviewer(&walk->plan, i)); i++) {
        if (!there[role]) continue;
        if (results[role].verdict == VERDICT_CLEAN && !(all && found)) continue;
        end_job(walk, role, results[role], walk->updated_ms);
    }
    if (is_at(walk, LANE_REPAIRING) && judge_file(walk, past, fixer, &result) &&
        (walk->standing == STANDING_R2 || (walk->standing == STANDING_STOPPED && result.stuck))) {
        end_job(walk, fixer, result, walk->updated_ms);
    }
    if (walk->engine.state == ENGINE_RUNNING && walk->engine.now_ms < walk->updated_ms) {
        tell_event(walk, (struct event){ .kind = EV_RESUME }, walk->updated_ms);
    }
}

static int walk_all(struct walk *walk)
{
    int rc = 0;

    tell_event(walk, (struct event){ .kind = EV_START }, walk->started_ms);
    for (uint32_t i = 0; i + 1 < walk->count && rc == 0; i++) rc = walk_older(walk, &walk->past[i]);
    if (rc == 0) walk_newest(walk, &walk->past[walk->count - 1]);
    return rc;
}

/* ---- the doors ---- */

static int state_read(const struct contract *files, yyjson_doc **out, struct err *err)
{
    struct str text = { NULL, 0 };
    int rc;

    *out = NULL;
    for (uint32_t i = 0; i < files->file_count; i++) {
        if (strcmp(files->files[i].path, REVIEW_STATE_PATH) == 0) text = files->files[i].content;
    }
    if (!text.data) return refuse(err, "it is not there");
    rc = json_read(text, out, err);
    if (rc != 0) return err_wrap(err, REVIEW_STATE_PATH);
    if (!yyjson_is_obj(yyjson_doc_get_root(*out))) return refuse(err, "it is no object");
    if (json_has_duplicates(yyjson_doc_get_root(*out))) {
        return refuse(err, "it has a member twice");
    }
    return 0;
}

int review_settings_of(const struct contract *files, struct arena *arena, struct settings *out,
                       struct err *err)
{
    struct setting *setting = arena_alloc(arena, sizeof *setting);
    uint64_t bound = 0;
    yyjson_doc *doc;
    int rc = state_read(files, &doc, err);

    if (rc == 0) rc = read_bound(yyjson_doc_get_root(doc), &bound, err);
    yyjson_doc_free(doc);
    if (rc != 0) return rc;
    setting->name = "max-iterations";
    setting->value = arena_printf(arena, "%u", (unsigned)bound);
    *out = (struct settings){ .items = setting, .count = 1 };
    return 0;
}

int review_restore(const struct contract *files, const struct settings *settings,
                   struct restored *out, struct err *err)
{
    struct walk walk = { .out = out, .err = err };
    yyjson_doc *doc = NULL;
    int rc;

    *out = (struct restored){ .count = 0 };
    rc = dialect_review.plan(settings, &walk.arena, &walk.plan, err);
    walk.roles = walk.plan.role_count + walk.plan.checker_count;
    if (rc == 0) rc = state_read(files, &doc, err);
    if (rc == 0) rc = read_head(&walk, yyjson_doc_get_root(doc));
    if (rc == 0) rc = read_entries(&walk, yyjson_doc_get_root(doc));
    if (rc == 0) {
        read_files(&walk, files);
        engine_init(&walk.engine, &walk.plan);
        rc = walk_all(&walk);
        engine_release(&walk.engine);
    }
    yyjson_doc_free(doc);
    arena_release(&walk.arena);
    if (rc != 0) {
        arena_release(&out->arena);
        *out = (struct restored){ .count = 0 };
    }
    return rc;
}
