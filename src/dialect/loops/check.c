/* SPDX-License-Identifier: Apache-2.0
 *
 * check.c - what is wrong with a review of the loops dialect, member by member.
 *
 * Stricter than the judge: an issue must say what is wrong and be of one of the five types, a
 * review that fails lists an issue, and one that passes has its intent satisfied. loopId may be
 * missing, as on standard output. */
#include "dialect/loops/loops.h"

#include "dialect/shape/shape.h"

static const char *issue_wrong(yyjson_val *object)
{
    if (str_trim(json_str(object, "description")).size > 0) return NULL;
    return "has an empty description";
}

static const struct field issue_fields[] = {
    { .key = "file", .kind = FIELD_TEXT, .or_null = true },
    { .key = "line", .kind = FIELD_NUMBER, .or_null = true },
    { .key = "type", .kind = FIELD_WORD, .needed = true, .words = review_issue_types,
      .code = "unknown-type" },
    { .key = "description", .kind = FIELD_TEXT, .needed = true },
    { .key = "suggestion", .kind = FIELD_TEXT, .or_null = true },
    { .key = NULL },
};

static const struct shape issue_shape = { .fields = issue_fields, .wrong = issue_wrong };

static const char *review_wrong(yyjson_val *object)
{
    yyjson_val *intent = yyjson_obj_get(object, "intentSatisfied");
    bool passed = yyjson_get_bool(yyjson_obj_get(object, "passed"));

    if (passed && yyjson_is_false(intent)) {
        return "says passed beside intentSatisfied false, which counts as failed";
    }
    if (!passed && yyjson_arr_size(yyjson_obj_get(object, "issues")) == 0) {
        return "does not pass and lists no issue";
    }
    return NULL;
}

static const struct field review_fields[] = {
    { .key = "loopId", .kind = FIELD_TEXT, .or_null = true },
    { .key = "taskId", .kind = FIELD_TEXT, .or_null = true },
    { .key = "passed", .kind = FIELD_FLAG, .needed = true },
    { .key = "interpretedIntent", .kind = FIELD_TEXT, .or_null = true },
    { .key = "intentSatisfied", .kind = FIELD_FLAG, .or_null = true },
    { .key = "issues", .kind = FIELD_LIST, .shape = &issue_shape, .or_null = true },
    { .key = NULL },
};

static const struct shape review_shape = { .fields = review_fields, .wrong = review_wrong };

void check_loop_review(struct str content, struct check_report *report)
{
    shape_check(&review_shape, shape_content(content, report), 0, report);
}
