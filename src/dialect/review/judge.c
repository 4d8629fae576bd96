/* SPDX-License-Identifier: Apache-2.0
 *
 * judge.c - an agent's answer as a verdict, findings and the text of its contract file.
 *
 *     answer --not a review---------------------> invalid: asked again, with what is wrong
 *            --review, clean in every way (r1.c)-> clean
 *            --any other review-----------------> findings
 *
 * 1. Findings are never none: where a review is not clean and lists nothing, what is wrong with
 *    its form is the one finding, so that the fixer has something to read.
 * 2. The document is the agent's own object with the summary as it is judged, and `issues` always
 *    an array; check r1 passes it when nothing was malformed, and judging it again gives the same
 *    verdict.
 * 3. Everything kept has a bound. The document alone keeps all that was said.
 *
 * Not here: the fields of a review (r1.c), the names of files (record.c). */
#include "dialect/answer.h"
#include "dialect/review/r1.h"
#include "dialect/review/review.h"
#include "prompts/review.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    FINDINGS_MAX = 2000,
    NAME_BYTES_MAX = 1024, /* of a category or a file name */
    TEXT_BYTES_MAX = 4096,
    LONG_BYTES_MAX = 8192, /* of evidence and suggestion */
    PROBLEMS_SHOWN = 5,
    SUMMARY_BYTES_MAX = 1024 * 1024,
    DOC_BYTES_MAX = 128 * 1024 * 1024,
};

/* --- the fixer --- */

void review_judge_summary(struct str answer, struct arena *arena, struct result *out)
{
    struct str text = str_trim(answer);
    struct buf doc;

    if (text.size == 0) {
        out->verdict = VERDICT_INVALID;
        out->problem = str_of(review_text_answer_empty);
        return;
    }
    text = answer_bounded(answer_mended(text, arena), SUMMARY_BYTES_MAX, arena);
    buf_init(&doc, SUMMARY_BYTES_MAX + 1);
    buf_add(&doc, text);
    buf_byte(&doc, '\n');
    out->verdict = VERDICT_CLEAN;
    out->stuck = answer_is_stuck(text);
    out->doc = arena_take(arena, &doc);
}

/* --- reviewers --- */

/* Any value as text: a string as it is, nothing for null, else as JSON. */
static struct str value_text(yyjson_val *value, struct arena *arena, size_t bytes_max)
{
    struct str text = { "", 0 };
    char *json = NULL;

    if (yyjson_is_str(value)) {
        text = json_value(value);
    } else if (value && !yyjson_is_null(value)) {
        json = yyjson_val_write(value, YYJSON_WRITE_NOFLAG, &text.size);
        assert(json);
        text.data = json;
    }
    text = arena_copy(arena, answer_bounded(text, bytes_max, arena));
    free(json);
    return text;
}

static struct finding finding_of(yyjson_val *issue, struct str source, struct arena *arena)
{
    struct finding finding = { .source = source };
    uint64_t line = 0;

    r1_severity(issue, &finding.severity);
    finding.kind = value_text(yyjson_obj_get(issue, "category"), arena, NAME_BYTES_MAX);
    finding.file = value_text(yyjson_obj_get(issue, "file"), arena, NAME_BYTES_MAX);
    finding.text = value_text(yyjson_obj_get(issue, "description"), arena, TEXT_BYTES_MAX);
    finding.evidence = value_text(yyjson_obj_get(issue, "evidence"), arena, LONG_BYTES_MAX);
    finding.suggestion = value_text(yyjson_obj_get(issue, "suggestion"), arena, LONG_BYTES_MAX);
    if (json_uint(issue, "line", &line) && line <= UINT32_MAX) finding.line = (uint32_t)line;
    if (str_trim(finding.text).size == 0) {
        yyjson_val *shown = yyjson_is_null(issue) ? NULL : issue;
        finding.text = value_text(shown, arena, TEXT_BYTES_MAX);
    }
    if (str_trim(finding.text).size == 0) finding.text = STR("an issue without a description");
    finding.fingerprint = finding_fingerprint(&finding);
    return finding;
}

/* One finding for all that are beyond the bound: nothing is dropped without a word. */
static struct finding finding_of_rest(yyjson_arr_iter *rest, struct str source,
                                      struct arena *arena)
{
    struct finding finding = { .source = source, .kind = STR("contract") };
    enum severity severity;
    yyjson_val *issue;
    size_t count = 0;

    while ((issue = yyjson_arr_iter_next(rest)) != NULL) {
        r1_severity(issue, &severity);
        if (severity > finding.severity) finding.severity = severity;
        count++;
    }
    finding.text = str_of(arena_printf(arena, "%zu more issues stand in the reviewer's file alone",
                                       count));
    finding.fingerprint = finding_fingerprint(&finding);
    return finding;
}

static void findings_of(const struct r1 *r1, struct str source, struct arena *arena,
                        struct result *out)
{
    size_t listed = yyjson_arr_size(r1->issues);
    uint32_t count = listed > FINDINGS_MAX ? FINDINGS_MAX : (uint32_t)listed;
    uint32_t shown = listed > FINDINGS_MAX ? FINDINGS_MAX - 1 : count;
    struct finding *findings;
    yyjson_arr_iter iter;

    if (r1->only) {
        findings = arena_alloc(arena, sizeof *findings);
        *findings = finding_of(r1->only, source, arena);
        out->findings = findings;
        out->finding_count = 1;
    }
    if (count == 0) return;
    findings = arena_alloc(arena, count * sizeof *findings);
    yyjson_arr_iter_init(r1->issues, &iter);
    for (uint32_t i = 0; i < shown; i++) {
        findings[i] = finding_of(yyjson_arr_iter_next(&iter), source, arena);
    }
    if (shown < count) findings[shown] = finding_of_rest(&iter, source, arena);
    out->findings = findings;
    out->finding_count = count;
}

/* A review that is not clean and lists nothing. */
static void finding_of_form(const struct check_report *report, struct str source,
                            struct arena *arena, struct result *out)
{
    struct finding *finding = arena_alloc(arena, sizeof *finding);

    assert(report->count > 0);
    *finding = (struct finding){
        .severity = SEVERITY_MEDIUM,
        .source = source,
        .kind = STR("contract"),
        .text = answer_bounded(check_report_text(report, "The review lists no issue and is not "
                                                 "well formed, so it does not count as clean:",
                                                 20, arena), TEXT_BYTES_MAX, arena),
    };
    finding->fingerprint = finding_fingerprint(finding);
    out->findings = finding;
    out->finding_count = 1;
}

static void member_set(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key,
                       yyjson_mut_val *value)
{
    yyjson_mut_val *name = yyjson_mut_str(doc, key);

    if (!yyjson_mut_obj_replace(object, name, value)) yyjson_mut_obj_add(object, name, value);
}

static yyjson_mut_val *problems_value(yyjson_mut_doc *doc, const struct check_report *report)
{
    yyjson_mut_val *list = yyjson_mut_arr(doc);

    for (uint32_t i = 0; i < report->count; i++) {
        yyjson_mut_arr_append(list, json_text(doc, str_of(report->problems[i].message)));
    }
    if (report->more) {
        char more[32];
        snprintf(more, sizeof more, "and %u more", (unsigned)report->more);
        yyjson_mut_arr_append(list, json_text(doc, str_of(more)));
    }
    return list;
}

/* The list where there was none: with the only issue that stood in its place, or empty. */
static yyjson_mut_val *issues_value(yyjson_mut_doc *doc, const struct r1 *r1)
{
    yyjson_mut_val *list = yyjson_mut_arr(doc);

    if (r1->only) yyjson_mut_arr_append(list, yyjson_val_mut_copy(doc, r1->only));
    return list;
}

/* Whether the object says of itself what is judged of it. */
static bool is_settled(const struct r1 *r1, const struct check_report *report,
                       yyjson_mut_doc *doc, yyjson_mut_val *summary)
{
    yyjson_val *own = yyjson_obj_get(r1->root, "summary");

    if (!yyjson_is_arr(r1->issues)) return false;
    if (report->count > 0 && !yyjson_obj_get(r1->root, "problems")) return false;
    return own && yyjson_mut_equals(summary, yyjson_val_mut_copy(doc, own));
}

/* The contract file: the agent's object, its summary as judged. Where nothing is to be changed, the
 * text is kept as it was given, if there is one: file. */
static struct str doc_write(const struct r1 *r1, const struct check_report *report,
                            struct str file, struct arena *arena)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = yyjson_val_mut_copy(doc, r1->root);
    yyjson_mut_val *summary = yyjson_mut_obj(doc);
    /* Indented, a value costs up to two blanks a level: a text made of many small ones, nested
     * deep, would grow a hundredfold. */
    bool keeps, pretty = yyjson_doc_get_val_count(r1->doc) < DOC_BYTES_MAX / (4 * JSON_DEPTH_MAX);
    struct buf text;

    yyjson_mut_doc_set_root(doc, root);
    for (int i = SEVERITY_COUNT; i-- > 0;) {
        yyjson_mut_obj_add_uint(doc, summary, r1_severity_word((enum severity)i), r1->counts[i]);
    }
    yyjson_mut_obj_add_str(doc, summary, "verdict", r1->clean ? "clean" : "issues_found");
    keeps = file.size > 0 && is_settled(r1, report, doc, summary);
    if (!yyjson_is_arr(r1->issues)) member_set(doc, root, "issues", issues_value(doc, r1));
    member_set(doc, root, "summary", summary);
    if (report->count) member_set(doc, root, "problems", problems_value(doc, report));
    buf_init(&text, DOC_BYTES_MAX);
    if (keeps) {
        buf_add(&text, file);
    } else {
        json_write(doc, pretty, &text);
        if (!pretty) buf_byte(&text, '\n');
    }
    assert(!text.overflow);
    yyjson_mut_doc_free(doc);
    return arena_take(arena, &text);
}

/* The witness alone says whether what it ran passed; anything but PASS is not clean. */
static void judge_status(struct r1 *r1, struct check_report *report)
{
    yyjson_val *status = yyjson_obj_get(r1->root, "status");
    char shown[R1_SHOWN_BYTES];

    if (!status || yyjson_equals_str(status, "PASS")) return;
    r1->clean = false;
    if (!yyjson_equals_str(status, "FAIL")) {
        check_report_add(report, "bad-status", 0, "status is %s: wanted \"PASS\" or \"FAIL\"",
                         r1_show(status, shown));
    }
}

static struct str no_review(const struct check_report *report, struct arena *arena)
{
    struct review_page page = { .fence = NULL };

    page.wrong = slot_words(check_report_list(report, PROBLEMS_SHOWN, arena));
    return review_words(review_page_no_review, &page, arena);
}

static void judge_review(struct str text, struct str file, const struct r1_rule *rule,
                         struct arena *arena, struct result *out)
{
    struct str source = str_of(rule->source);
    struct check_report report = { 0 };
    struct r1 r1;

    if (!r1_read(text, &report, &r1)) {
        out->verdict = VERDICT_INVALID;
        out->problem = no_review(&report, arena);
    } else {
        if (rule->status) judge_status(&r1, &report);
        out->verdict = r1.clean ? VERDICT_CLEAN : VERDICT_FINDINGS;
        findings_of(&r1, source, arena, out);
        if (!r1.clean && out->finding_count == 0) finding_of_form(&report, source, arena, out);
        out->doc = doc_write(&r1, &report, file, arena);
    }
    r1_release(&r1);
    check_report_release(&report);
}

void review_judge_r1(struct str answer, const struct r1_rule *rule, struct arena *arena,
                     struct result *out)
{
    char *copy = answer.size > R1_BYTES_MAX ? NULL : answer_unfenced(answer);

    judge_review(copy ? (struct str){ copy, answer.size } : answer,
                 rule->keeps && !copy ? answer : (struct str){ "", 0 }, rule, arena, out);
    free(copy);
}

void review_judge(const struct run_view *run, const struct action *action, struct str answer,
                  struct arena *arena, struct result *out)
{
    const char *role = run->engine->plan->roles[action->role].name;

    *out = (struct result){ .verdict = VERDICT_INVALID };
    if (action->purpose == FOR_REPAIR) {
        review_judge_summary(answer, arena, out);
        return;
    }
    /* In a host the agent writes the contract file itself: what is right in it stays as it is. */
    review_judge_r1(answer, &(struct r1_rule){ .source = role, .status = review_is_witness(role),
                                               .keeps = run->answers == ANSWERS_IN_FILE },
                    arena, out);
}
