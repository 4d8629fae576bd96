/* SPDX-License-Identifier: Apache-2.0
 *
 * severity.c - a reviewer's answer as a list of issues.
 *
 *     {"issues": [{"severity", "message", "location"}]}    alone, or in one code fence around it
 *     HIGH src/a.c:12: what is wrong                       lines of text: lines.c
 *     No issues found.
 *
 * 1. Clean must be said: an empty list of issues, or one of a few words as a whole line. An answer
 *    with neither issues nor that is no review.
 * 2. What begins like an object is JSON or nothing: a list that is cut off, or to be read in two
 *    ways, or whose issues have no known severity, is no review either.
 * 3. An issue always has a text, inside its bound and in valid UTF-8.
 *
 * Not here: which severities count (judge.c). */
#include "dialect/iterate/iterate.h"

#include "base/byte.h"
#include "dialect/answer.h"
#include "dialect/check.h"
#include "dialect/review/r1.h"
#include "format/json/json.h"
#include "format/json/json_walk.h"
#include "format/text/utf8.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *word;
    enum severity severity;
} words[] = {
    { "high", SEVERITY_HIGH },     { "medium", SEVERITY_MEDIUM },    { "low", SEVERITY_LOW },
    { "critical", SEVERITY_HIGH }, { "important", SEVERITY_MEDIUM }, { "minor", SEVERITY_LOW },
};

bool iterate_word_is(struct str word, const char *text)
{
    if (word.size != strlen(text)) return false;
    for (size_t i = 0; i < word.size; i++) {
        if (byte_small(word.data[i]) != byte_small(text[i])) return false;
    }
    return true;
}

bool iterate_severity_read(struct str word, enum severity *out)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!iterate_word_is(word, words[i].word)) continue;
        *out = words[i].severity;
        return true;
    }
    return false;
}

const char *iterate_severity_word(enum severity severity)
{
    static const char *const names[SEVERITY_COUNT] = {
        [SEVERITY_LOW] = "LOW", [SEVERITY_MEDIUM] = "MEDIUM", [SEVERITY_HIGH] = "HIGH",
    };

    assert(severity < SEVERITY_COUNT);
    return names[severity];
}

struct str iterate_text(struct str bytes, size_t bytes_max, struct arena *arena)
{
    enum { NOTE_BYTES = 48 };
    yyjson_mut_doc *doc = NULL;
    struct str text = bytes, kept;
    struct buf cut;

    assert(bytes_max > NOTE_BYTES);
    if (utf8_prefix(bytes) < bytes.size) {
        yyjson_mut_val *value;
        doc = json_new();
        value = json_text(doc, bytes);
        text = (struct str){ yyjson_mut_get_str(value), yyjson_mut_get_len(value) };
    }
    buf_init(&cut, bytes_max);
    if (text.size > bytes_max) {
        buf_add(&cut, str_head(text, bytes_max - NOTE_BYTES));
        buf_printf(&cut, "... [cut: %zu bytes in all]", bytes.size);
        text = buf_str(&cut);
    }
    kept = arena_copy(arena, text);
    buf_release(&cut);
    if (doc) yyjson_mut_doc_free(doc);
    return kept;
}

struct finding *iterate_issue_add(struct iterate_issues *issues, struct arena *arena)
{
    issues->items = arena_grow(arena, issues->items, issues->count, &issues->cap,
                               sizeof *issues->items);
    return &issues->items[issues->count++];
}

/* ---- JSON ---- */

static struct str value_str(yyjson_val *value)
{
    return (struct str){ yyjson_get_str(value), yyjson_get_len(value) };
}

/* The whole issue as JSON, where its message says nothing. */
static struct str issue_text(yyjson_val *issue, struct arena *arena)
{
    size_t size = 0;
    char *json = yyjson_val_write(issue, YYJSON_WRITE_NOFLAG, &size);
    struct str text;

    assert(json);
    text = iterate_text((struct str){ json, size }, ISSUE_BYTES_MAX, arena);
    free(json);
    return text;
}

/* False when the issue cannot count: nobody could say how grave it is. */
static bool read_issue(yyjson_val *issue, size_t number, uint32_t line, struct arena *arena,
                       struct check_report *report, struct iterate_issues *out)
{
    yyjson_val *severity = yyjson_obj_get(issue, "severity");
    yyjson_val *message = yyjson_obj_get(issue, "message");
    yyjson_val *location = yyjson_obj_get(issue, "location");
    struct finding finding = { 0 };
    char shown[R1_SHOWN_BYTES];

    if (!yyjson_is_obj(issue)) {
        check_report_add(report, "bad-issue", line, "issue %zu is %s: wanted an object", number,
                         r1_show(issue, shown));
        return false;
    }
    if (json_has_duplicates(issue)) {
        check_report_add(report, "duplicate-key", line, "issue %zu has a key twice", number);
        return false;
    }
    if (!yyjson_is_str(severity) ||
        !iterate_severity_read(str_trim(value_str(severity)), &finding.severity)) {
        check_report_add(report, "bad-severity", line, "issue %zu: severity is %s: wanted "
                         "\"HIGH\", \"MEDIUM\" or \"LOW\"", number, r1_show(severity, shown));
        return false;
    }
    if (yyjson_is_str(message) && str_trim(value_str(message)).size > 0) {
        finding.text = iterate_text(str_trim(value_str(message)), ISSUE_BYTES_MAX, arena);
    } else {
        check_report_add(report, "no-message", line, "issue %zu: message is %s: wanted what is "
                         "wrong, in words", number, r1_show(message, shown));
        finding.text = issue_text(issue, arena);
    }
    if (yyjson_is_str(location)) {
        struct str place = iterate_text(value_str(location), PLACE_BYTES_MAX, arena);
        iterate_place_read(place, &finding);
    } else if (location && !yyjson_is_null(location)) {
        check_report_add(report, "bad-location", line, "issue %zu: location is %s: wanted "
                         "\"file:line\" or null", number, r1_show(location, shown));
    }
    *iterate_issue_add(out, arena) = finding;
    return true;
}

static bool read_list(yyjson_val *list, struct json_walk walk, struct arena *arena,
                      struct check_report *report, struct iterate_issues *out)
{
    bool good = true;
    yyjson_arr_iter iter;
    yyjson_val *issue;
    size_t number = 0;

    yyjson_arr_iter_init(list, &iter);
    json_walk_enter(&walk);
    while ((issue = yyjson_arr_iter_next(&iter)) != NULL) {
        uint32_t line = json_walk_next(&walk, NULL) ? walk.line : 0;
        json_walk_skip(&walk);
        good = read_issue(issue, ++number, line, arena, report, out) && good;
    }
    return good;
}

static bool read_json(struct str text, struct arena *arena, struct check_report *report,
                      struct iterate_issues *out)
{
    yyjson_doc *doc = NULL;
    yyjson_val *root, *list;
    struct err err = { 0 };
    struct json_walk top, at = { 0 };
    char shown[R1_SHOWN_BYTES];
    bool good = false;

    if (json_read(text, &doc, &err) != 0) {
        check_report_err(report, "not-json", "not JSON: ", err.text, 0);
        return false;
    }
    top = json_walk_start(text);
    root = yyjson_doc_get_root(doc);
    list = yyjson_obj_get(root, "issues");
    if (!yyjson_is_obj(root)) {
        check_report_add(report, "not-object", top.line, "it is %s: wanted an object with `issues`",
                         r1_show(root, shown));
    } else if (json_has_duplicates(root)) {
        check_report_add(report, "duplicate-key", top.line, "the object has a key twice");
    } else if (!yyjson_is_arr(list)) {
        check_report_add(report, "no-issues", top.line, "`issues` is %s: wanted an array, empty "
                         "where there is no issue", r1_show(list, shown));
    } else {
        json_walk_member(top, "issues", &at);
        good = read_list(list, at, arena, report, out);
    }
    yyjson_doc_free(doc);
    return good;
}

/* An array is no review, but text may begin with a bracket too: [HIGH] ... */
static bool is_json_array(struct str text)
{
    yyjson_doc *doc = NULL;
    struct err none;
    bool is_array;

    if (!str_starts(text, STR("["))) return false;
    is_array = json_read(text, &doc, &none) == 0;
    yyjson_doc_free(doc);
    return is_array;
}

bool iterate_issues_read(struct str answer, const char *fence, struct arena *arena,
                         struct check_report *report, struct iterate_issues *out)
{
    static const struct str mark = STR("\xef\xbb\xbf");
    struct str text;
    char *copy;
    bool good;

    *out = (struct iterate_issues){ 0 };
    if (str_starts(answer, mark)) answer = str_skip(answer, mark.size);
    text = str_trim(answer);
    if (answer.size > ANSWER_BYTES_MAX) {
        check_report_add(report, "too-big", 0, "%zu bytes: at most %d are read", answer.size,
                         ANSWER_BYTES_MAX);
        return false;
    }
    if (text.size == 0) {
        check_report_add(report, "empty", 0, "the answer is empty");
        return false;
    }
    copy = answer_unfenced(answer);
    if (copy && !str_starts(str_trim((struct str){ copy, answer.size }), STR("{"))) {
        free(copy); /* a fence around lines */
        copy = NULL;
    }
    if (copy) {
        good = read_json((struct str){ copy, answer.size }, arena, report, out);
    } else if (str_starts(text, STR("{")) || is_json_array(text)) {
        good = read_json(answer, arena, report, out);
    } else {
        good = iterate_lines_read(answer, fence, arena, report, out);
    }
    free(copy);
    if (!good) *out = (struct iterate_issues){ 0 };
    return good;
}
