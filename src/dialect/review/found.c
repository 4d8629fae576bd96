/* SPDX-License-Identifier: Apache-2.0
 *
 * found.c - what an analyzer found, as a review like any other.
 *
 * An analyzer answers with findings, which are already judged field by field when they come here:
 * nothing has to be guessed. What is left is the contract file, r1-ROLE.json: the fields of an
 * issue, and beside them what only analyzers know (rule, range, fix), for tools that can use it.
 *
 * 1. Clean exactly when nothing was found.
 * 2. The document passes `hone check r1`, and the review judge reads the same verdict out of it.
 * 3. At most FOUND_MAX findings are kept; one more then says how many are left out, and what is
 *    left out is the least grave. */
#include "dialect/review/r1.h"
#include "dialect/review/review.h"

enum { FOUND_MAX = 2000 };

static void add_text(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key, struct str text)
{
    if (text.size) {
        json_add_text(doc, object, key, text);
    } else {
        yyjson_mut_obj_add_null(doc, object, key);
    }
}

static void add_number(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key,
                       uint32_t number)
{
    if (number) {
        yyjson_mut_obj_add_uint(doc, object, key, number);
    } else {
        yyjson_mut_obj_add_null(doc, object, key);
    }
}

static void add_fix(yyjson_mut_doc *doc, yyjson_mut_val *issue, struct str fix)
{
    yyjson_doc *read;
    struct err none;

    if (fix.size == 0 || json_read(fix, &read, &none) != 0) return;
    yyjson_mut_obj_add_val(doc, issue, "fix", yyjson_val_mut_copy(doc, yyjson_doc_get_root(read)));
    yyjson_doc_free(read);
}

static yyjson_mut_val *issue_value(yyjson_mut_doc *doc, const struct finding *finding)
{
    yyjson_mut_val *issue = yyjson_mut_obj(doc);

    yyjson_mut_obj_add_str(doc, issue, "severity", r1_severity_word(finding->severity));
    add_text(doc, issue, "category", finding->kind);
    add_text(doc, issue, "file", finding->file);
    add_number(doc, issue, "line", finding->line);
    add_text(doc, issue, "description", finding->text);
    add_text(doc, issue, "evidence", finding->evidence);
    add_text(doc, issue, "suggestion", finding->suggestion);
    if (finding->tool.size) add_text(doc, issue, "tool", finding->tool);
    if (finding->column) add_number(doc, issue, "column", finding->column);
    if (finding->end_line) add_number(doc, issue, "end_line", finding->end_line);
    if (finding->end_column) add_number(doc, issue, "end_column", finding->end_column);
    add_fix(doc, issue, finding->fix);
    return issue;
}

static struct str doc_write(const struct result *result, const struct found *found,
                            struct arena *arena)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc), *list, *summary;
    uint64_t counts[SEVERITY_COUNT] = { 0 };

    list = yyjson_mut_obj_add_arr(doc, root, "issues");
    for (uint32_t i = 0; i < result->finding_count; i++) {
        yyjson_mut_arr_append(list, issue_value(doc, &result->findings[i]));
        counts[result->findings[i].severity]++;
    }
    summary = yyjson_mut_obj_add_obj(doc, root, "summary");
    for (int i = SEVERITY_COUNT; i-- > 0;) {
        yyjson_mut_obj_add_uint(doc, summary, r1_severity_word((enum severity)i), counts[i]);
    }
    yyjson_mut_obj_add_str(doc, summary, "verdict",
                           result->finding_count ? "issues_found" : "clean");
    list = yyjson_mut_obj_add_arr(doc, root, "notes");
    for (uint32_t i = 0; i < found->note_count; i++) {
        yyjson_mut_arr_append(list, json_text(doc, found->notes[i]));
    }
    return json_keep(doc, true, arena);
}

static struct finding finding_of_rest(uint32_t left, struct arena *arena)
{
    struct finding finding = { .severity = SEVERITY_LOW, .kind = STR("contract") };

    finding.text = str_of(arena_printf(arena, "%u more findings are left out here", left));
    finding.fingerprint = finding_fingerprint(&finding);
    return finding;
}

/* The gravest first, in their own order; no more than fit. */
static uint32_t take_gravest(const struct found *found, struct finding *out, uint32_t room)
{
    uint32_t count = 0;

    for (int severity = SEVERITY_COUNT; severity-- > 0;) {
        for (uint32_t i = 0; i < found->count && count < room; i++) {
            if ((int)found->findings[i].severity == severity) out[count++] = found->findings[i];
        }
    }
    return count;
}

void review_found_as(const char *source, const struct found *found, struct arena *arena,
                     struct result *out)
{
    bool cut = found->count > FOUND_MAX;
    uint32_t room = cut ? FOUND_MAX : found->count;
    struct finding *findings = arena_alloc(arena, (room + 1) * sizeof *findings);
    uint32_t count = take_gravest(found, findings, cut ? FOUND_MAX - 1 : room);

    if (cut) findings[count++] = finding_of_rest(found->count - (FOUND_MAX - 1), arena);
    for (uint32_t i = 0; i < count; i++) {
        findings[i] = finding_copy(&findings[i], arena);
        findings[i].source = str_of(source);
    }
    *out = (struct result){
        .verdict = count ? VERDICT_FINDINGS : VERDICT_CLEAN,
        .findings = findings,
        .finding_count = count,
    };
    out->doc = doc_write(out, found, arena);
}

void review_found(const struct run_view *run, const struct action *action,
                  const struct found *found, struct arena *arena, struct result *out)
{
    review_found_as(run->engine->plan->roles[action->role].name, found, arena, out);
}
