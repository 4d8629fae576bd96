/* SPDX-License-Identifier: Apache-2.0
 *
 * r1.c - what a reviewer said, three times over, and which of the three to believe.
 *
 * A review states its outcome as a verdict word, as counts by severity and as a list of issues.
 * Agents get them out of step: `clean` above a list, counts as strings, an invented severity. None
 * of these may end a loop, so clean must be said in all three ways, and well formed:
 *
 * 1. clean holds only where `summary.verdict` is "clean", the three counts are the number 0,
 *    `issues` is an empty array, and the report has no problem.
 * 2. counts[] is never less than what is listed; an issue without a known severity is critical. An
 *    object where the array should be is listed as its only issue.
 * 3. Every difference between the three is a problem with a code and, where it can be told, a line.
 * 4. Work is linear in the text: the walk that tells lines moves beside the parsed array.
 *
 * Not here: what becomes of a review (judge.c), the table of checks (dialect/checks.c).
 */
#include "dialect/review/r1.h"

#include "format/json/json_walk.h"
#include "format/text/utf8.h"
#include "format/text/words.h"

#include <assert.h>
#include <stdio.h>

static const char *const severity_words[SEVERITY_COUNT] = {
    [SEVERITY_LOW] = "info",
    [SEVERITY_MEDIUM] = "warning",
    [SEVERITY_HIGH] = "critical",
};

/* One reading: what its steps share. */
struct reading {
    struct r1 *r1;
    struct check_report *report;
    struct json_walk top;     /* at the object */
    struct json_walk summary; /* at its summary */
    uint64_t listed[SEVERITY_COUNT];
    bool severities_known; /* of all that are listed */
};

const char *r1_severity_word(enum severity severity)
{
    assert(severity < SEVERITY_COUNT);
    return severity_words[severity];
}

bool r1_severity(yyjson_val *issue, enum severity *out)
{
    uint32_t at = word_index(json_str(issue, "severity"), severity_words, SEVERITY_COUNT);

    *out = at < SEVERITY_COUNT ? (enum severity)at : SEVERITY_HIGH;
    return at < SEVERITY_COUNT;
}

static void show_string(struct str text, char out[R1_SHOWN_BYTES])
{
    enum { PART_BYTES = R1_SHOWN_BYTES - 8 }; /* quotes, dots and the end */
    struct str part = text;

    if (part.size > PART_BYTES) part.size = utf8_prefix((struct str){ text.data, PART_BYTES });
    snprintf(out, R1_SHOWN_BYTES, "\"%.*s%s\"", STR_ARG(part), part.size < text.size ? "..." : "");
}

const char *r1_show(yyjson_val *value, char out[R1_SHOWN_BYTES])
{
    const char *word = NULL;

    if (!value) word = "missing";
    if (yyjson_is_arr(value)) word = "an array";
    if (yyjson_is_obj(value)) word = "an object";
    if (yyjson_is_null(value)) word = "null";
    if (yyjson_is_true(value)) word = "true";
    if (yyjson_is_false(value)) word = "false";
    if (word) {
        snprintf(out, R1_SHOWN_BYTES, "%s", word);
    } else if (yyjson_is_str(value)) {
        show_string(json_value(value), out);
    } else if (yyjson_is_uint(value)) {
        snprintf(out, R1_SHOWN_BYTES, "%llu", (unsigned long long)yyjson_get_uint(value));
    } else if (yyjson_is_sint(value)) {
        snprintf(out, R1_SHOWN_BYTES, "%lld", (long long)yyjson_get_sint(value));
    } else {
        snprintf(out, R1_SHOWN_BYTES, "%.10g", yyjson_get_real(value));
    }
    return out;
}

/* Whether the text is a review at all. */
static bool read_frame(struct reading *reading, struct str text)
{
    struct r1 *r1 = reading->r1;
    struct check_report *report = reading->report;
    char shown[R1_SHOWN_BYTES];
    struct err err = { 0 };

    if (text.size > R1_BYTES_MAX) {
        check_report_add(report, "too-big", 0, "%zu bytes: at most %d are read", text.size,
                         R1_BYTES_MAX);
        return false;
    }
    if (json_read(text, &r1->doc, &err) != 0) {
        check_report_err(report, "not-json", "not JSON: ", err.text, 0);
        return false;
    }
    reading->top = json_walk_start(text);
    r1->root = yyjson_doc_get_root(r1->doc);
    if (!yyjson_is_obj(r1->root)) {
        check_report_add(report, "not-object", reading->top.line, "it is %s: wanted an object",
                         r1_show(r1->root, shown));
        return false;
    }
    r1->issues = yyjson_obj_get(r1->root, "issues");
    r1->summary = yyjson_obj_get(r1->root, "summary");
    json_walk_member(reading->top, "summary", &reading->summary);
    if (json_has_duplicates(r1->root)) {
        check_report_add(report, "duplicate-key", reading->top.line, "the object has a key twice");
    }
    if (yyjson_is_obj(r1->summary) && json_has_duplicates(r1->summary)) {
        check_report_add(report, "duplicate-key", reading->summary.line,
                         "summary has a key twice");
    }
    return report->count == 0;
}

/* The fields of an issue that is an object, but for its severity. */
static void read_fields(struct check_report *report, yyjson_val *issue, size_t at, uint32_t line)
{
    static const char *const texts[] = { "category", "file", "suggestion" };
    char shown[R1_SHOWN_BYTES];
    struct str description = json_str(issue, "description");
    yyjson_val *number = yyjson_obj_get(issue, "line");
    uint64_t value;

    if (str_trim(description).size == 0) {
        check_report_add(report, "no-description", line,
                         "issues[%zu].description is %s: wanted a text", at,
                         r1_show(yyjson_obj_get(issue, "description"), shown));
    }
    if (number && !yyjson_is_null(number) &&
        !(json_uint(issue, "line", &value) && value <= UINT32_MAX)) {
        check_report_add(report, "bad-line", line,
                         "issues[%zu].line is %s: wanted a line number or null", at,
                         r1_show(number, shown));
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        yyjson_val *field = yyjson_obj_get(issue, texts[i]);
        if (!field || yyjson_is_null(field) || yyjson_is_str(field)) continue;
        check_report_add(report, "bad-field", line, "issues[%zu].%s is %s: wanted a text or null",
                         at, texts[i], r1_show(field, shown));
    }
    if (json_has_duplicates(issue)) {
        check_report_add(report, "duplicate-key", line, "issues[%zu] has a key twice", at);
    }
}

static void read_issue(struct reading *reading, yyjson_val *issue, size_t at, uint32_t line)
{
    char shown[R1_SHOWN_BYTES];
    enum severity severity;
    bool known = r1_severity(issue, &severity);

    reading->listed[severity]++;
    if (!known) reading->severities_known = false;
    if (!yyjson_is_obj(issue)) {
        check_report_add(reading->report, "bad-issue", line, "issues[%zu] is %s: wanted an object",
                         at, r1_show(issue, shown));
        return;
    }
    if (!known) {
        check_report_add(reading->report, "bad-severity", line,
                         "issues[%zu].severity is %s: wanted \"critical\", \"warning\" or \"info\"",
                         at, r1_show(yyjson_obj_get(issue, "severity"), shown));
    }
    read_fields(reading->report, issue, at, line);
}

static void read_issues(struct reading *reading)
{
    struct json_walk walk = { 0 };
    uint32_t line = json_walk_member(reading->top, "issues", &walk);
    yyjson_val *issues = reading->r1->issues;
    char shown[R1_SHOWN_BYTES];
    yyjson_arr_iter iter;
    yyjson_val *issue;

    if (!yyjson_is_arr(issues)) {
        check_report_add(reading->report, "no-issues", line, "issues is %s: wanted an array",
                         r1_show(issues, shown));
        if (yyjson_obj_size(issues) > 0) {
            enum severity severity;
            r1_severity(issues, &severity);
            reading->listed[severity]++;
            reading->r1->only = issues;
        }
        return;
    }
    json_walk_enter(&walk);
    yyjson_arr_iter_init(issues, &iter);
    for (size_t at = 0; (issue = yyjson_arr_iter_next(&iter)) != NULL; at++) {
        line = json_walk_next(&walk, NULL) ? walk.line : 0;
        read_issue(reading, issue, at, line);
        json_walk_skip(&walk);
    }
}

/* One count: true when it is a number. counts[] already holds what is listed. */
static bool read_count(struct reading *reading, enum severity severity)
{
    struct r1 *r1 = reading->r1;
    const char *word = severity_words[severity];
    uint32_t line = json_walk_member(reading->summary, word, NULL);
    char shown[R1_SHOWN_BYTES];
    uint64_t count;

    if (line == 0) line = reading->summary.line;
    if (!json_uint(r1->summary, word, &count) || count > R1_COUNT_MAX) {
        check_report_add(reading->report, "bad-count", line,
                         "summary.%s is %s: wanted a whole number from 0 to %d", word,
                         r1_show(yyjson_obj_get(r1->summary, word), shown), R1_COUNT_MAX);
        return false;
    }
    if (reading->severities_known && yyjson_is_arr(r1->issues) &&
        count != reading->listed[severity]) {
        check_report_add(reading->report, "count-mismatch", line,
                         "summary.%s is %llu, but issues has %llu", word,
                         (unsigned long long)count,
                         (unsigned long long)reading->listed[severity]);
    }
    if (count > r1->counts[severity]) r1->counts[severity] = count;
    return true;
}

/* The verdict word against the list: true when it says clean. */
static bool read_verdict(struct reading *reading, bool counted)
{
    struct r1 *r1 = reading->r1;
    struct str verdict = json_str(r1->summary, "verdict");
    uint32_t line = json_walk_member(reading->summary, "verdict", NULL);
    bool clean = str_is(verdict, "clean");
    uint64_t total = 0;
    char shown[R1_SHOWN_BYTES];

    if (line == 0) line = reading->summary.line;
    for (int i = 0; i < SEVERITY_COUNT; i++) total += r1->counts[i];
    if (!clean && !str_is(verdict, "issues_found")) {
        check_report_add(reading->report, "bad-verdict", line,
                         "summary.verdict is %s: wanted \"clean\" or \"issues_found\"",
                         r1_show(yyjson_obj_get(r1->summary, "verdict"), shown));
    } else if (clean && total > 0) {
        check_report_add(reading->report, "verdict-mismatch", line,
                         "summary.verdict is \"clean\", but there %s %llu %s",
                         total == 1 ? "is" : "are", (unsigned long long)total,
                         total == 1 ? "issue" : "issues");
    } else if (!clean && total == 0 && counted) {
        check_report_add(reading->report, "verdict-mismatch", line,
                         "summary.verdict is \"issues_found\", but there is no issue");
    }
    return clean;
}

static void read_summary(struct reading *reading)
{
    struct r1 *r1 = reading->r1;
    bool counted = yyjson_is_arr(r1->issues);
    bool clean;
    char shown[R1_SHOWN_BYTES];

    if (!yyjson_is_obj(r1->summary)) {
        check_report_add(reading->report, "no-summary", reading->summary.line,
                         "summary is %s: wanted an object", r1_show(r1->summary, shown));
        return;
    }
    for (int i = SEVERITY_COUNT; i-- > 0;) counted &= read_count(reading, (enum severity)i);
    clean = read_verdict(reading, counted);
    if (clean && str_is(json_str(r1->root, "status"), "FAIL")) {
        check_report_add(reading->report, "status-mismatch",
                         json_walk_member(reading->top, "status", NULL),
                         "status is \"FAIL\", but summary.verdict is \"clean\"");
    }
    r1->clean = clean && reading->report->count == 0;
}

bool r1_read(struct str text, struct check_report *report, struct r1 *out)
{
    struct reading reading = { .r1 = out, .report = report, .severities_known = true };

    assert(report->count == 0);
    *out = (struct r1){ 0 };
    if (!read_frame(&reading, text)) return false;
    read_issues(&reading);
    for (int i = 0; i < SEVERITY_COUNT; i++) out->counts[i] = reading.listed[i];
    read_summary(&reading);
    return out->issues || out->summary;
}

void r1_release(struct r1 *r1)
{
    yyjson_doc_free(r1->doc);
    *r1 = (struct r1){ 0 };
}
