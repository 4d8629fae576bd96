/* SPDX-License-Identifier: Apache-2.0
 *
 * judge.c - an agent's answer as a verdict, findings, groups of tasks and the text that is
 * kept of it.
 *
 *     enumerator, planner, reviser   a list of tasks, or groups of them: clean, or invalid
 *     builder                        any text; its last line may say TASK_COMPLETE or TASK_STUCK
 *     loop-reviewer, run-reviewer    a review: clean, findings, or invalid
 *     integrator                     "merged ID", "nothing", or "conflict" and what it is about
 *
 * 1. What the planner and the reviser leave behind is the whole list, with the lane of each task:
 *    the newest list tells what any lane is about. Tasks whose lanes have begun stay in it as they
 *    were; a reviser's tasks come behind them.
 * 2. A marker counts in the last line that is not empty, as all of that line, and nowhere else.
 * 3. Findings are never none: a review that does not pass and lists nothing is one itself. Issues
 *    of a loop's review that passes are notes: they are kept with it, and no agent is asked to
 *    mend them. A review of the run passes only with none.
 *    Prose in front of a review that passes may not complain (complaint.c): the reviewer is asked
 *    again.
 * 4. A review that names another loop or task is no review of this one.
 * 5. Backends that hold their model to a JSON schema get one for each role that answers with JSON.
 *    It is strict, as some services want it: every member is required and there are no others. */
#include "dialect/loops/loops.h"

#include "dialect/answer.h"
#include "dialect/complaint.h"
#include "format/json/json.h"
#include "prompts/loops.h"

#include <assert.h>
#include <string.h>

enum {
    REPORT_BYTES_MAX = 32 * 1024,    /* of what a builder says */
    CONFLICT_BYTES_MAX = 256 * 1024,
    DOC_BYTES_MAX = 64 * 1024 * 1024,
    REASON_BYTES_MAX = 1000,
    MISSING_SHOWN_MAX = 10,
};

/* ---- schemas ---- */

#define TEXT "{\"type\":\"string\"}"
#define TEXTS "{\"type\":\"array\",\"items\":" TEXT "}"
#define OBJECT(required, properties) \
    "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[" required "]," \
    "\"properties\":{" properties "}}"

#define TASKS OBJECT("\"tasks\"", "\"tasks\":{\"type\":\"array\",\"items\":" \
    OBJECT("\"id\",\"title\",\"description\",\"group\",\"depends_on\"", \
           "\"id\":" TEXT ",\"title\":" TEXT ",\"description\":" TEXT ",\"group\":" TEXT "," \
           "\"depends_on\":" TEXTS) "}")

#define GROUPS OBJECT("\"groups\"", "\"groups\":{\"type\":\"array\",\"items\":" TEXTS "}")

#define REVIEW_OF(key, property) \
    OBJECT("\"passed\",\"interpretedIntent\",\"intentSatisfied\",\"issues\"", \
    "\"passed\":{\"type\":\"boolean\"},\"interpretedIntent\":" TEXT "," \
    "\"intentSatisfied\":{\"type\":\"boolean\"}," \
    "\"issues\":{\"type\":\"array\",\"items\":" \
    OBJECT(key "\"file\",\"line\",\"type\",\"description\",\"suggestion\"", \
           property "\"file\":" TEXT ",\"line\":{\"type\":\"integer\",\"minimum\":0}," \
           "\"type\":{\"type\":\"string\",\"enum\":[\"over-engineering\"," \
           "\"missing-error-handling\",\"pattern-violation\",\"dead-code\"," \
           "\"spec-intent-mismatch\"]},\"description\":" TEXT ",\"suggestion\":" TEXT) "}")

#define LOOP_REVIEW REVIEW_OF("", "")
#define RUN_REVIEW REVIEW_OF("\"taskId\",", "\"taskId\":" TEXT ",")

const char *loops_schema(const char *role)
{
    static const struct {
        const char *role, *schema;
    } rows[] = {
        { "enumerator", TASKS },     { "reviser", TASKS },       { "planner", GROUPS },
        { "loop-reviewer", LOOP_REVIEW },
        { "run-reviewer", RUN_REVIEW },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(role, rows[i].role) == 0) return rows[i].schema;
    }
    return NULL;
}

/* ---- answers ---- */

static const struct loops_page tasks_wanted = { .tasks_wanted = true };
static const struct loops_page groups_wanted = { .groups_wanted = true };
static const struct loops_page review_wanted = { .review_wanted = true };
static const struct loops_page report_wanted = { .report_wanted = true };
static const struct loops_page less_wanted = { .less_wanted = true };
static const struct loops_page new_wanted = { .only_new = true, .tasks_wanted = true };

static void invalid(struct result *out, struct arena *arena, const char *why,
                    const struct loops_page *wanted)
{
    struct loops_page page = *wanted;

    page.why = slot_words(why);
    *out = (struct result){ .verdict = VERDICT_INVALID };
    out->problem = loops_words(loops_page_not_taken, &page, arena);
}

/* ---- lists of tasks ---- */

static void keep_tasks(const struct loops_tasks *tasks, struct arena *arena, struct result *out)
{
    struct buf text;

    buf_init(&text, DOC_BYTES_MAX);
    tasks_write(tasks, &text);
    if (text.overflow) {
        invalid(out, arena, "it is too long", &less_wanted);
    } else {
        out->doc = arena_copy(arena, buf_str(&text));
    }
    buf_release(&text);
}

/* The tasks of an answer; false, with *out invalid, where there are none to be read. */
static bool read_answer(struct str answer, struct arena *arena, struct loops_tasks *tasks,
                        struct result *out)
{
    struct str json = loops_answer_json(answer);
    struct err err;

    if (!json.data) {
        invalid(out, arena, "there is no JSON object in it", &tasks_wanted);
    } else if (tasks_read_json(json, arena, tasks, &err) != 0) {
        invalid(out, arena, err.text, &tasks_wanted);
    } else {
        return true;
    }
    return false;
}

/* Which lane a task has, and that it is done, hone says itself: an agent's word is dropped. */
static void forget_progress(struct loops_tasks *tasks)
{
    for (uint32_t i = 0; i < tasks->count; i++) {
        tasks->items[i].lane = 0;
        tasks->items[i].done = false;
    }
}

static void judge_enumerator(struct str answer, struct arena *arena, struct result *out)
{
    struct loops_tasks tasks;
    const uint32_t *waves;
    uint32_t wave_count;
    struct err err;

    if (!read_answer(answer, arena, &tasks, out)) return;
    forget_progress(&tasks);
    for (uint32_t i = 0; i < tasks.count; i++) {
        tasks.items[i].group = ""; /* the planner's affair */
        tasks.items[i].group_number = 1;
    }
    if (tasks.count == 0) {
        invalid(out, arena, "it lists no task", &tasks_wanted);
    } else if (tasks_order(&tasks, 0, 1, arena, &waves, &wave_count, &err) != 0) {
        invalid(out, arena, err.text, &tasks_wanted);
    } else {
        forget_progress(&tasks);
        out->verdict = VERDICT_CLEAN;
        keep_tasks(&tasks, arena, out);
    }
}

/* ---- groups ---- */

/* One group of the planner's: its tasks go to the end of *to. */
static int take_group(yyjson_val *group, uint32_t number, struct loops_tasks *from,
                      struct loops_tasks *to, struct arena *arena, struct err *err)
{
    yyjson_arr_iter items = yyjson_arr_iter_with(group);

    if (!yyjson_is_arr(group)) return err_set(err, ERR_FORMAT, "it must be a list of ids");
    for (yyjson_val *item; (item = yyjson_arr_iter_next(&items)) != NULL;) {
        struct str id = json_value(item);
        const struct loops_task *task;
        struct loops_task *place;

        if (yyjson_is_uint(item)) {
            id = str_of(arena_printf(arena, "%llu", (unsigned long long)yyjson_get_uint(item)));
        }
        task = tasks_find(from, str_trim(id));
        if (!task) {
            return err_set(err, ERR_FORMAT, "there is no task '%s'", task_line(id, 60, arena));
        }
        place = &from->items[task - from->items];
        if (place->done) return err_set(err, ERR_FORMAT, "%s is there twice", task->id);
        place->done = true; /* has its group */
        place = tasks_add(to, arena, err);
        if (!place) return ERR_LIMIT;
        *place = *task;
        place->done = false;
        place->group = arena_printf(arena, "%u", (unsigned)number);
        place->group_number = number;
    }
    return 0;
}

/* Tasks that are in no group. */
static int check_whole(const struct loops_tasks *tasks, struct err *err)
{
    uint32_t count = 0;
    struct buf names;
    int rc = 0;

    buf_init(&names, ERR_TEXT_BYTES);
    for (uint32_t i = 0; i < tasks->count; i++) {
        if (tasks->items[i].done) continue;
        if (count < MISSING_SHOWN_MAX) {
            buf_printf(&names, "%s%s", count ? ", " : "", tasks->items[i].id);
        }
        count++;
    }
    if (count > MISSING_SHOWN_MAX) buf_text(&names, " and more");
    if (count > 0) {
        rc = err_set(err, ERR_FORMAT, "these tasks are in no group: %s", buf_cstr(&names));
    }
    buf_release(&names);
    return rc;
}

static int take_groups(struct str json, struct loops_tasks *from, struct loops_tasks *to,
                       struct arena *arena, struct err *err)
{
    yyjson_doc *doc;
    yyjson_arr_iter items;
    yyjson_val *list;
    uint32_t number = 0;
    int rc = json_read(json, &doc, err);

    if (rc != 0) return rc;
    list = yyjson_obj_get(yyjson_doc_get_root(doc), "groups");
    items = yyjson_arr_iter_with(list);
    if (!yyjson_is_arr(list)) rc = err_set(err, ERR_FORMAT, "groups must be a list of lists");
    for (yyjson_val *item; rc == 0 && (item = yyjson_arr_iter_next(&items)) != NULL;) {
        rc = take_group(item, ++number, from, to, arena, err);
        if (rc != 0) err_wrap(err, "groups[%u]", (unsigned)number - 1);
    }
    yyjson_doc_free(doc);
    return rc == 0 ? check_whole(from, err) : rc;
}

static void judge_planner(const struct run_view *run, struct str answer, struct arena *arena,
                          struct result *out)
{
    struct str json = loops_answer_json(answer);
    struct loops_tasks known = { 0 }, tasks = { 0 };
    struct err err = { 0 };

    if (!json.data) {
        invalid(out, arena, "there is no JSON object in it", &groups_wanted);
        return;
    }
    if (tasks_read_json(loops_newest(run, LOOPS_STAGE_ENUMERATE), arena, &known, &err) != 0 ||
        take_groups(json, &known, &tasks, arena, &err) != 0 ||
        tasks_order(&tasks, 0, 1, arena, &out->groups, &out->group_count, &err) != 0) {
        invalid(out, arena, err.text, &groups_wanted);
        return;
    }
    out->verdict = VERDICT_CLEAN;
    keep_tasks(&tasks, arena, out);
}

/* ---- more tasks ---- */

/* Where the lanes begin that have not begun yet. */
static uint32_t next_lane(const struct engine *engine)
{
    uint32_t lane = 1;

    for (uint32_t i = 0; i < engine->group && i < engine->group_count; i++) {
        lane += engine->groups[i];
    }
    return lane;
}

static void judge_reviser(const struct run_view *run, struct str answer, struct arena *arena,
                          struct result *out)
{
    struct loops_tasks tasks, more, all = { 0 };
    uint32_t lane = next_lane(run->engine), kept, groups = 0;
    struct loops_task *place;
    struct err err = { 0 };
    int rc = 0;

    if (!read_answer(answer, arena, &more, out)) return;
    forget_progress(&more);
    loops_tasks_of(run, arena, &tasks);
    for (uint32_t i = 0; i < tasks.count; i++) {
        const struct loops_task *task = &tasks.items[i];

        if (!task->done && (task->lane == 0 || task->lane >= lane)) continue;
        place = tasks_add(&all, arena, &err);
        assert(place);
        *place = *task;
        if (task->group_number > groups) groups = task->group_number;
    }
    kept = all.count;
    for (uint32_t i = 0; i < more.count && rc == 0; i++) {
        place = tasks_add(&all, arena, &err);
        if (!place) rc = ERR_LIMIT;
        if (place) *place = more.items[i];
        if (place) place->group_number += groups;
    }
    if (rc == 0) {
        rc = tasks_order(&all, kept, lane, arena, &out->groups, &out->group_count, &err);
    }
    if (rc != 0) {
        invalid(out, arena, err.text, &new_wanted);
        return;
    }
    out->verdict = VERDICT_CLEAN;
    out->stuck = more.count == 0;
    if (out->stuck) out->problem = STR("the reviser knows no task that would help");
    keep_tasks(&all, arena, out);
}

/* ---- the builder ---- */

/* The last line that is not empty, and what stands before it. */
static struct str cut_last(struct str *text)
{
    struct str line;
    size_t at;

    *text = str_trim(*text);
    for (at = text->size; at > 0 && text->data[at - 1] != '\n';) at--;
    line = str_trim(str_skip(*text, at));
    text->size = at;
    return line;
}

static void judge_builder(struct str answer, struct arena *arena, struct result *out)
{
    struct str text = answer_mended(answer, arena), whole = text;
    struct str last = cut_last(&text), reason;

    if (last.size == 0) {
        invalid(out, arena, "it is empty", &report_wanted);
        return;
    }
    out->verdict = VERDICT_CLEAN;
    out->complete = str_is(last, "TASK_COMPLETE");
    out->stuck = str_starts(last, STR("TASK_STUCK:"));
    if (out->stuck) {
        reason = str_trim(str_skip(last, strlen("TASK_STUCK:")));
        out->problem = str_of(task_line(reason.size ? reason : STR("it gives no reason"),
                                        REASON_BYTES_MAX, arena));
    }
    out->doc = arena_copy(arena, str_tail(str_trim(out->complete ? text : whole),
                                          REPORT_BYTES_MAX));
}

/* ---- reviews ---- */

static struct finding finding_of(uint16_t role, const struct review_issue *issue)
{
    struct finding finding = { .severity = SEVERITY_MEDIUM, .source = str_of(loops_role_name(role)),
                               .kind = issue->type, .file = issue->file, .line = issue->line,
                               .text = issue->text, .suggestion = issue->suggestion };

    if (str_is(issue->type, "spec-intent-mismatch")) finding.severity = SEVERITY_HIGH;
    if (finding.text.size == 0) finding.text = issue->suggestion;
    if (finding.text.size == 0) finding.text = issue->type;
    if (finding.text.size == 0) finding.text = STR("an issue without a description");
    finding.fingerprint = finding_fingerprint(&finding);
    return finding;
}

static void add_findings(const struct loops_review *review, uint16_t role, struct arena *arena,
                         struct result *out)
{
    struct finding *findings = arena_alloc(arena, (review->count + 1) * sizeof *findings);
    bool unmet = review->has_intent && !review->intent_satisfied;
    uint32_t count = 0;

    for (uint32_t i = 0; i < review->count; i++) {
        findings[count++] = finding_of(role, &review->issues[i]);
    }
    if ((review->passed && unmet) || count == 0) {
        const char *text = unmet ? "the intent is not satisfied" : "the review did not pass";
        struct review_issue issue = { .file = { "", 0 }, .suggestion = { "", 0 } };

        issue.type = STR("spec-intent-mismatch");
        issue.text = str_of(arena_printf(arena, "%s%s%.*s", text, review->intent.size ? ": " : "",
                                         STR_ARG(review->intent)));
        findings[count++] = finding_of(role, &issue);
    }
    out->findings = findings;
    out->finding_count = count;
}

/* What an answer names must be what was asked about. */
static const char *wrong_name(const struct run_view *run, const struct action *action,
                              const struct loops_review *review, struct arena *arena)
{
    const char *loop = loops_id(run, action->lane, arena);
    const struct loops_task *task;
    struct loops_tasks tasks;

    if (review->loop.size > 0 && !str_is(review->loop, loop)) {
        return arena_printf(arena, "loopId is '%s', and the loop under review is %s",
                            task_line(review->loop, 60, arena), loop);
    }
    if (review->task.size == 0) return NULL;
    loops_tasks_of(run, arena, &tasks);
    task = tasks_of_lane(&tasks, action->lane);
    if (!task || str_is(review->task, task->id)) return NULL;
    return arena_printf(arena, "taskId is '%s', and the task under review is %s",
                        task_line(review->task, 60, arena), task->id);
}

/* A line in front of a review that passes which names a fault; NULL: there is none. */
static const char *complaint_before(struct str answer, struct str json, struct arena *arena)
{
    uint32_t line = text_complains((struct str){ answer.data, (size_t)(json.data - answer.data) });

    if (line == 0) return NULL;
    return arena_printf(arena, "line %u in front of it names a fault, and passed is true: the "
                        "worst sentence counts. If the fault is there, list it with passed false; "
                        "if it is not there, or was mended, leave that sentence out",
                        (unsigned)line);
}

static void judge_review(const struct run_view *run, const struct action *action,
                         struct str answer, struct arena *arena, struct result *out)
{
    struct str json = loops_answer_json(answer);
    struct loops_review review;
    const char *problem = NULL;
    struct buf text;
    struct err err;

    if (!json.data) {
        problem = "there is no JSON object in it";
    } else if (loops_review_read(json, arena, &review, &err) != 0) {
        problem = err.text;
    } else if (action->role == LOOPS_REVIEWER) {
        problem = wrong_name(run, action, &review, arena);
    }
    if (!problem && loops_review_passes(&review, action->role == LOOPS_RUN_REVIEWER)) {
        problem = complaint_before(answer, json, arena);
    }
    if (problem) {
        invalid(out, arena, problem, &review_wanted);
        return;
    }
    review.id = str_of(arena_printf(arena, "%s-%u-%u-%u", run->id, (unsigned)action->lane,
                                    (unsigned)action->job, (unsigned)action->attempt));
    out->verdict = loops_review_passes(&review, action->role == LOOPS_RUN_REVIEWER)
                       ? VERDICT_CLEAN : VERDICT_FINDINGS;
    if (out->verdict == VERDICT_FINDINGS) add_findings(&review, action->role, arena, out);
    buf_init(&text, DOC_BYTES_MAX);
    loops_review_write(&review, &text);
    out->doc = arena_take(arena, &text);
}

/* ---- integration ---- */

static void judge_conflict(struct str text, const char *role, struct arena *arena,
                           struct result *out)
{
    struct str rest = text, line;
    struct finding *findings;
    uint32_t count = 0;

    str_cut(&rest, '\n', &line);
    while (str_cut(&rest, '\n', &line) && str_trim(line).size > 0) count++;
    findings = arena_alloc(arena, (count + 1) * sizeof *findings);
    rest = text;
    str_cut(&rest, '\n', &line);
    for (uint32_t i = 0; i < count || i == 0; i++) {
        line = (struct str){ "", 0 };
        if (count > 0) str_cut(&rest, '\n', &line);
        findings[i] = (struct finding){
            .severity = SEVERITY_HIGH, .source = str_of(role), .kind = STR("conflict"),
            .file = arena_copy(arena, str_trim(line)),
            .text = STR("it conflicts with what was merged before") };
        findings[i].fingerprint = finding_fingerprint(&findings[i]);
    }
    out->verdict = VERDICT_FINDINGS;
    out->findings = findings;
    out->finding_count = count > 0 ? count : 1;
}

void judge_integration(struct str answer, const char *role, struct arena *arena,
                       struct result *out)
{
    struct str text = str_trim(answer_mended(answer, arena)), rest = text, first;

    if (!str_cut(&rest, '\n', &first)) first = (struct str){ "", 0 };
    first = str_trim(first);
    if (str_is(first, "nothing") || str_starts(first, STR("merged "))) {
        out->verdict = VERDICT_CLEAN;
    } else if (str_is(first, "conflict")) {
        judge_conflict(text, role, arena, out);
    } else {
        out->problem = STR("the integration could not be understood");
        return;
    }
    out->doc = arena_copy(arena, str_head(text, CONFLICT_BYTES_MAX));
}

void loops_judge(const struct run_view *run, const struct action *action, struct str answer,
                 struct arena *arena, struct result *out)
{
    *out = (struct result){ .verdict = VERDICT_INVALID };
    switch ((enum loops_role)action->role) {
    case LOOPS_ENUMERATOR:
        judge_enumerator(answer, arena, out);
        break;
    case LOOPS_PLANNER:
        judge_planner(run, answer, arena, out);
        break;
    case LOOPS_BUILDER:
        judge_builder(answer, arena, out);
        break;
    case LOOPS_REVIEWER:
    case LOOPS_RUN_REVIEWER:
        judge_review(run, action, answer, arena, out);
        break;
    case LOOPS_REVISER:
        judge_reviser(run, answer, arena, out);
        break;
    case LOOPS_INTEGRATOR:
        judge_integration(answer, loops_role_name(LOOPS_INTEGRATOR), arena, out);
        break;
    case LOOPS_NOBODY:
    case LOOPS_ROLE_COUNT:
        assert(!"no such role answers");
    }
}
