/* SPDX-License-Identifier: Apache-2.0
 *
 * review.c - a review as the tool set_loop_review_result takes it, and an answer on standard
 * output gives it:
 *
 *     {"loopId":"k3f9a1b2-7","taskId":"login","passed":false,
 *      "interpretedIntent":"...","intentSatisfied":false,
 *      "issues":[{"file":"a.c","line":3,"type":"dead-code","description":"...",
 *                 "suggestion":"..."}]}
 *
 * 1. passed must be said. Every other member may be missing or null. If a member has another type,
 *    the review is not taken, and the reviewer is asked again.
 * 2. The type of an issue is a text: the five that prompts list are a wish, and a sixth is kept as
 *    it was given.
 * 3. Everything kept has a bound; beyond the bound of issues the last one says how many there
 *    were.
 * 4. What loops_review_write() writes reads back as it was. */
#include "dialect/loops/loops.h"

#include "dialect/answer.h"
#include "format/json/json.h"

#include <string.h>

enum {
    NAME_BYTES_MAX = 1024,
    TEXT_BYTES_MAX = 8192,
    LINE_MAX_LOG2 = 32,
};

const char *const review_issue_types[] = { "over-engineering", "missing-error-handling",
                                           "pattern-violation", "dead-code",
                                           "spec-intent-mismatch", NULL };

/* ---- in ---- */

static int read_text(yyjson_val *object, const char *key, size_t bytes_max, struct arena *arena,
                     struct str *out, struct err *err)
{
    yyjson_val *value = yyjson_obj_get(object, key);

    *out = (struct str){ "", 0 };
    if (!value || yyjson_is_null(value)) return 0;
    if (!yyjson_is_str(value)) return err_set(err, ERR_FORMAT, "%s must be a text", key);
    *out = answer_short(str_trim(json_value(value)), bytes_max, arena);
    return 0;
}

static int read_flag(yyjson_val *object, const char *key, bool *is_there, bool *out,
                     struct err *err)
{
    yyjson_val *value = yyjson_obj_get(object, key);

    *is_there = value && !yyjson_is_null(value);
    *out = yyjson_get_bool(value);
    if (!*is_there || yyjson_is_bool(value)) return 0;
    return err_set(err, ERR_FORMAT, "%s must be true or false", key);
}

/* "number" in the tool's schema: one that is no line of a file is none. */
static int read_line(yyjson_val *object, uint32_t *out, struct err *err)
{
    yyjson_val *value = yyjson_obj_get(object, "line");
    double number = yyjson_get_num(value);

    *out = 0;
    if (!value || yyjson_is_null(value)) return 0;
    if (!yyjson_is_num(value)) return err_set(err, ERR_FORMAT, "line must be a number");
    if (number >= 1 && number < (double)(UINT64_C(1) << LINE_MAX_LOG2)) *out = (uint32_t)number;
    return 0;
}

static int read_issue(yyjson_val *object, struct arena *arena, struct review_issue *out,
                      struct err *err)
{
    int rc;

    *out = (struct review_issue){ 0 };
    if (!yyjson_is_obj(object)) return err_set(err, ERR_FORMAT, "an issue must be an object");
    if (json_has_duplicates(object)) return err_set(err, ERR_FORMAT, "a member is there twice");
    rc = read_text(object, "taskId", NAME_BYTES_MAX, arena, &out->task, err);
    if (rc == 0) rc = read_text(object, "file", NAME_BYTES_MAX, arena, &out->file, err);
    if (rc == 0) rc = read_line(object, &out->line, err);
    if (rc == 0) rc = read_text(object, "type", NAME_BYTES_MAX, arena, &out->type, err);
    if (rc == 0) rc = read_text(object, "description", TEXT_BYTES_MAX, arena, &out->text, err);
    if (rc == 0) {
        rc = read_text(object, "suggestion", TEXT_BYTES_MAX, arena, &out->suggestion, err);
    }
    return rc;
}

static int read_issues(yyjson_val *list, struct arena *arena, struct loops_review *out,
                       struct err *err)
{
    size_t listed = yyjson_arr_size(list);
    yyjson_arr_iter items = yyjson_arr_iter_with(list);
    int rc = 0;

    if (!list || yyjson_is_null(list)) return 0;
    if (!yyjson_is_arr(list)) return err_set(err, ERR_FORMAT, "issues must be a list");
    out->issues = arena_alloc(arena, (REVIEW_ISSUES_MAX + 1) * sizeof *out->issues);
    for (yyjson_val *item; rc == 0 && (item = yyjson_arr_iter_next(&items)) != NULL;) {
        if (listed > REVIEW_ISSUES_MAX && out->count + 1 == REVIEW_ISSUES_MAX) break;
        rc = read_issue(item, arena, &out->issues[out->count], err);
        if (rc != 0) return err_wrap(err, "issues[%u]", (unsigned)out->count);
        out->count++;
    }
    if (listed <= REVIEW_ISSUES_MAX) return 0;
    out->issues[out->count++] = (struct review_issue){
        .task = { "", 0 }, .file = { "", 0 }, .type = { "", 0 }, .suggestion = { "", 0 },
        .text = str_of(arena_printf(arena, "%zu more issues were listed: they are not kept",
                                    listed - REVIEW_ISSUES_MAX + 1)) };
    return 0;
}

static int read_review(yyjson_val *root, struct arena *arena, struct loops_review *out,
                       struct err *err)
{
    bool said;
    int rc;

    if (!yyjson_is_obj(root)) return err_set(err, ERR_FORMAT, "it must be an object");
    if (json_has_duplicates(root)) return err_set(err, ERR_FORMAT, "a member is there twice");
    rc = read_flag(root, "passed", &said, &out->passed, err);
    if (rc == 0 && !said) rc = err_set(err, ERR_FORMAT, "passed is missing: true or false");
    if (rc == 0) {
        rc = read_flag(root, "intentSatisfied", &out->has_intent, &out->intent_satisfied, err);
    }
    if (rc == 0) rc = read_text(root, "id", NAME_BYTES_MAX, arena, &out->id, err);
    if (rc == 0) rc = read_text(root, "loopId", NAME_BYTES_MAX, arena, &out->loop, err);
    if (rc == 0) rc = read_text(root, "taskId", NAME_BYTES_MAX, arena, &out->task, err);
    if (rc == 0) {
        rc = read_text(root, "interpretedIntent", TEXT_BYTES_MAX, arena, &out->intent, err);
    }
    return rc == 0 ? read_issues(yyjson_obj_get(root, "issues"), arena, out, err) : rc;
}

int loops_review_read(struct str json, struct arena *arena, struct loops_review *out,
                      struct err *err)
{
    yyjson_doc *doc;
    int rc;

    *out = (struct loops_review){ 0 };
    rc = json_read(json, &doc, err);
    if (rc == 0) rc = read_review(yyjson_doc_get_root(doc), arena, out, err);
    yyjson_doc_free(doc);
    return rc;
}

bool loops_review_passes(const struct loops_review *review, bool of_run)
{
    return review->passed && (!review->has_intent || review->intent_satisfied) &&
           (!of_run || review->count == 0);
}

/* ---- out ---- */

void loops_review_write(const struct loops_review *review, struct buf *out)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc), *list;

    json_add_some(doc, root, "id", review->id);
    json_add_some(doc, root, "loopId", review->loop);
    json_add_some(doc, root, "taskId", review->task);
    yyjson_mut_obj_add_bool(doc, root, "passed", review->passed);
    json_add_some(doc, root, "interpretedIntent", review->intent);
    if (review->has_intent) {
        yyjson_mut_obj_add_bool(doc, root, "intentSatisfied", review->intent_satisfied);
    }
    list = yyjson_mut_obj_add_arr(doc, root, "issues");
    for (uint32_t i = 0; i < review->count; i++) {
        const struct review_issue *issue = &review->issues[i];
        yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list);

        json_add_some(doc, object, "taskId", issue->task);
        json_add_some(doc, object, "file", issue->file);
        if (issue->line) yyjson_mut_obj_add_uint(doc, object, "line", issue->line);
        json_add_some(doc, object, "type", issue->type);
        json_add_some(doc, object, "description", issue->text);
        json_add_some(doc, object, "suggestion", issue->suggestion);
    }
    json_finish(doc, false, out);
}

/* ---- in an answer ---- */

/* The text without its last line, where that is this one. */
static struct str without_last(struct str text, const char *line)
{
    size_t size = strlen(line);
    struct str before = { text.data, text.size >= size ? text.size - size : 0 };

    if (!str_ends(text, str_of(line))) return text;
    if (before.size > 0 && before.data[before.size - 1] != '\n') return text;
    return str_trim(before);
}

struct str loops_answer_json(struct str answer)
{
    struct str text = without_last(str_trim(answer), "REVIEW_COMPLETE");
    struct str whole = without_last(text, "```"), rest = whole, line, before = { "", 0 };
    bool closed = whole.size < text.size;

    while (rest.size > 0) {
        struct str from = rest;

        str_cut(&rest, '\n', &line);
        if (str_starts(line, STR("{"))) {
            /* A fence that is closed behind it was opened right before it. */
            if (closed != str_starts(before, STR("```"))) break;
            return from;
        }
        before = str_trim(line);
    }
    return (struct str){ NULL, 0 };
}
