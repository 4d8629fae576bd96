/* SPDX-License-Identifier: Apache-2.0
 *
 * sarif_read.c - SARIF 2.1.0: what a tool found, and whether it could look at all.
 *
 * What is a finding: a result whose kind is fail (or not said), open or review; that is not absent
 * against a baseline; and that is not suppressed, which it is when it has suppressions and none of
 * them is rejected, under review, or in a state nobody knows. pass, notApplicable and informational
 * are none. What is unknown is taken as the worse: another kind is a finding, another level is
 * high.
 *
 * 1. Structure is strict: a log, a run or a result that is not what it must be, has a key twice or
 *    no message ends the reading with ERR_FORMAT. Nothing that is a finding is ever passed over.
 * 2. Places are lenient: a finding without a usable place is still one. A fix without one is left
 *    out, since half a fix is worse than none (sarif_place.c).
 * 3. A run that failed says so in `failure`: an invocation that did not succeed, a notification of
 *    level error (the specification: "shall mean that the run failed"), no runs, or a run without
 *    `results`, which is how a tool says that it did not begin. What was found all the same is
 *    there, too.
 * 4. Memory follows the size of the report: what many results name in few bytes is shared, or
 *    counted against SARIF_TEXT_BYTES_MAX. So does work, since lists are indexed once per run.
 *
 * Not here: overrides of a rule's level by an invocation, translations, code flows, related
 * locations; results in other files, which are refused. Whether a path can be trusted is for
 * analyze/locate.c to say. */
#include "format/report/sarif_read.h"

#include "format/json/json_walk.h"

#include <assert.h>

/* Where the reading stands, to say so when it cannot go on. */
struct where {
    struct str text;
    uint32_t run, result;
};

yyjson_val *sarif_member(yyjson_val *object, const char *key)
{
    yyjson_val *value = yyjson_obj_get(object, key);

    return yyjson_is_null(value) ? NULL : value;
}

struct sarif_list sarif_list(yyjson_val *array, struct arena *arena)
{
    yyjson_arr_iter iter = yyjson_arr_iter_with(array);
    struct sarif_list list = { 0 };
    yyjson_val *item;

    if (yyjson_arr_size(array) == 0) return list;
    list.items = arena_alloc(arena, yyjson_arr_size(array) * sizeof(yyjson_val *));
    while ((item = yyjson_arr_iter_next(&iter))) list.items[list.count++] = item;
    return list;
}

int sarif_count(struct sarif_run *run, struct str text, struct err *err)
{
    *run->text_bytes += text.size;
    if (*run->text_bytes <= SARIF_TEXT_BYTES_MAX) return 0;
    return err_set(err, ERR_LIMIT, "the texts are more than %d bytes together",
                   SARIF_TEXT_BYTES_MAX);
}

int sarif_keep(struct sarif_run *run, struct str text, struct str *out, struct err *err)
{
    int rc = sarif_count(run, text, err);

    if (rc == 0) *out = diagnostic_text(run->out, text);
    return rc;
}

/* The line of runs[run], or of its results[result]. */
static uint32_t line_of(const struct where *where, bool of_result)
{
    struct json_walk walk = json_walk_start(where->text);

    if (json_walk_member(walk, "runs", &walk) == 0 || !json_walk_enter(&walk)) return 0;
    for (uint32_t i = 0; json_walk_next(&walk, NULL) && i < where->run; i++) json_walk_skip(&walk);
    if (!of_result) return walk.line;
    if (json_walk_member(walk, "results", &walk) == 0 || !json_walk_enter(&walk)) return 0;
    for (uint32_t i = 0; json_walk_next(&walk, NULL) && i < where->result; i++) {
        json_walk_skip(&walk);
    }
    return walk.line;
}

static int bad_run(const struct where *where, const char *what, struct err *err)
{
    return err_set(err, ERR_FORMAT, "line %u: runs[%u] %s", line_of(where, false), where->run,
                   what);
}

static int bad_result(const struct where *where, const char *what, struct err *err)
{
    return err_set(err, ERR_FORMAT, "line %u: runs[%u].results[%u] %s", line_of(where, true),
                   where->run, where->result, what);
}

static enum severity severity_of(struct str level)
{
    static const struct { const char *word; enum severity severity; } levels[] = {
        { "error", SEVERITY_HIGH },
        { "warning", SEVERITY_MEDIUM },
        { "note", SEVERITY_LOW },
        { "none", SEVERITY_LOW },
    };

    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        if (str_is(level, levels[i].word)) return levels[i].severity;
    }
    return SEVERITY_HIGH;
}

static enum severity result_severity(yyjson_val *result, const struct sarif_rule *rule)
{
    yyjson_val *level = sarif_member(result, "level");
    struct str kind = json_str(result, "kind");

    if (!level && (str_is(kind, "open") || str_is(kind, "review"))) return SEVERITY_LOW;
    if (!level && rule) {
        level = sarif_member(yyjson_obj_get(rule->value, "defaultConfiguration"), "level");
    }
    if (!level) return SEVERITY_MEDIUM;
    return severity_of((struct str){ yyjson_get_str(level), yyjson_get_len(level) });
}

static bool is_suppressed(yyjson_val *result)
{
    yyjson_val *suppressions = yyjson_obj_get(result, "suppressions");
    yyjson_arr_iter iter = yyjson_arr_iter_with(suppressions);
    yyjson_val *item;

    if (yyjson_arr_size(suppressions) == 0) return false;
    while ((item = yyjson_arr_iter_next(&iter))) {
        yyjson_val *status = sarif_member(item, "status");

        if (!yyjson_is_obj(item)) return false;
        if (status && !str_is(json_str(item, "status"), "accepted")) return false;
    }
    return true;
}

static bool is_finding(yyjson_val *result)
{
    static const char *const others[] = { "pass", "notApplicable", "informational" };
    struct str kind = json_str(result, "kind");

    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (str_is(kind, others[i])) return false;
    }
    return !str_is(json_str(result, "baselineState"), "absent") && !is_suppressed(result);
}

/* The first location that is one in a file. */
static int read_location(struct sarif_run *run, yyjson_val *result, struct diagnostic *item,
                         struct err *err)
{
    yyjson_arr_iter iter = yyjson_arr_iter_with(yyjson_obj_get(result, "locations"));
    yyjson_val *location, *physical = NULL;
    bool nested;
    int rc;

    while (!physical && (location = yyjson_arr_iter_next(&iter))) {
        physical = yyjson_obj_get(location, "physicalLocation");
    }
    rc = sarif_path(run, yyjson_obj_get(physical, "artifactLocation"), &item->file, &nested, err);
    if (rc != 0) return rc;
    if (item->file.size && !nested) {
        sarif_region(run, yyjson_obj_get(physical, "region"), &item->place);
    }
    return sarif_path(run, yyjson_obj_get(result, "analysisTarget"), &item->unit, NULL, err);
}

static int read_rule(struct sarif_run *run, yyjson_val *result, struct sarif_rule *rule,
                     struct diagnostic *item, struct err *err)
{
    struct str id = json_str(result, "ruleId");
    struct str help;
    int rc;

    if (id.size == 0) id = json_str(yyjson_obj_get(result, "rule"), "id");
    if (id.size == 0 && rule) id = rule->id;
    rc = sarif_keep(run, id, &item->rule, err);
    if (rc != 0 || !rule) return rc;
    if (!rule->has_help) {
        help = json_str(rule->value, "helpUri");
        if (help.size == 0) help = json_str(yyjson_obj_get(rule->value, "help"), "text");
        rc = sarif_keep(run, help, &rule->help, err);
        rule->has_help = true;
    }
    item->help = rule->help;
    return rc;
}

static int read_result(struct sarif_run *run, yyjson_val *result, const struct where *where,
                       struct err *err)
{
    yyjson_val *message = yyjson_obj_get(result, "message");
    struct sarif_rule *rule;
    struct diagnostic *item;
    int rc;

    if (!yyjson_is_obj(result)) return bad_result(where, "is not an object", err);
    if (json_has_duplicates(result)) return bad_result(where, "has a key twice", err);
    if (!yyjson_is_obj(message)) return bad_result(where, "has no message", err);
    if (!is_finding(result)) return 0;
    item = diagnostic_add(run->out);
    if (!item) return err_set(err, ERR_LIMIT, "more than %d results", DIAGNOSTICS_MAX);
    rule = sarif_rule_find(run, result);
    item->severity = result_severity(result, rule);
    rc = sarif_message(run, rule, message, &item->text, err);
    if (rc == 0 && item->text.size == 0) {
        rc = bad_result(where, "has a message that leads to no text", err);
    }
    if (rc == 0) rc = read_rule(run, result, rule, item, err);
    if (rc == 0) rc = read_location(run, result, item, err);
    if (rc == 0) rc = sarif_fixes(run, result, item, err);
    return rc;
}

/* Of some notifications the first of level error. */
static struct str error_among(yyjson_val *notifications)
{
    yyjson_arr_iter iter = yyjson_arr_iter_with(notifications);
    struct str text = { 0 };
    yyjson_val *item;

    while ((item = yyjson_arr_iter_next(&iter))) {
        if (!str_is(json_str(item, "level"), "error")) continue;
        text = json_str(yyjson_obj_get(item, "message"), "text");
        return text.size ? text : STR("the tool reports an error of its own");
    }
    return text;
}

/* What an invocation says went wrong; empty where nothing did. */
static struct str failure_of(yyjson_val *invocation)
{
    static const char *const reasons[] = {
        "processStartFailureMessage", "exitCodeDescription", "exitSignalName"
    };
    struct str text = error_among(yyjson_obj_get(invocation, "toolExecutionNotifications"));

    if (text.size == 0) {
        text = error_among(yyjson_obj_get(invocation, "toolConfigurationNotifications"));
    }
    if (text.size || !yyjson_is_false(yyjson_obj_get(invocation, "executionSuccessful"))) {
        return text;
    }
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons && text.size == 0; i++) {
        text = json_str(invocation, reasons[i]);
    }
    return text.size ? text : STR("the tool reports that it did not succeed");
}

static int read_failure(struct sarif_run *run, struct err *err)
{
    yyjson_arr_iter iter = yyjson_arr_iter_with(yyjson_obj_get(run->value, "invocations"));
    yyjson_val *results = sarif_member(run->value, "results");
    struct str text = { 0 };
    yyjson_val *invocation;

    if (run->out->failure.size) return 0;
    while (text.size == 0 && (invocation = yyjson_arr_iter_next(&iter))) {
        text = failure_of(invocation);
    }
    if (text.size == 0 && !results) {
        text = STR("the report has no results: the tool did not begin its work");
    }
    return text.size ? sarif_keep(run, text, &run->out->failure, err) : 0;
}

static int read_tool(struct sarif_run *run, const struct where *where, struct err *err)
{
    yyjson_val *driver = yyjson_obj_get(yyjson_obj_get(run->value, "tool"), "driver");
    struct str name = json_str(driver, "name");
    struct str version = json_str(driver, "version");
    int rc;

    if (!name.data) return bad_run(where, "names no tool: it has no tool.driver.name", err);
    if (run->out->tool.size) return 0;
    if (version.size == 0) version = json_str(driver, "semanticVersion");
    rc = sarif_keep(run, name, &run->out->tool, err);
    return rc == 0 ? sarif_keep(run, version, &run->out->version, err) : rc;
}

static int read_unit(struct sarif_run *run, const struct where *where, struct err *err)
{
    static const struct { const char *word; enum column_unit unit; } units[] = {
        { "utf16CodeUnits", COLUMN_UTF16 },
        { "unicodeCodePoints", COLUMN_CODE_POINTS },
        { "bytes", COLUMN_BYTES }, /* of later versions, which some tools write already */
    };
    yyjson_val *kind = sarif_member(run->value, "columnKind");

    run->unit = COLUMN_UTF16;
    if (!kind) return 0;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        run->unit = units[i].unit;
        if (yyjson_equals_str(kind, units[i].word)) return 0;
    }
    return bad_run(where, "counts columns in a way hone does not know (columnKind)", err);
}

static int read_results(struct sarif_run *run, struct where *where, struct err *err)
{
    yyjson_val *results = sarif_member(run->value, "results");
    yyjson_arr_iter iter = yyjson_arr_iter_with(results);
    yyjson_val *external = yyjson_obj_get(run->value, "externalPropertyFileReferences");
    yyjson_val *result;
    int rc = 0;

    if (yyjson_arr_size(yyjson_obj_get(external, "results")) > 0) {
        return bad_run(where, "has its results in other files, which hone does not read", err);
    }
    if (results && !yyjson_is_arr(results)) {
        return bad_run(where, "has results that are not an array", err);
    }
    for (where->result = 0; rc == 0 && (result = yyjson_arr_iter_next(&iter)); where->result++) {
        rc = read_result(run, result, where, err);
    }
    return rc;
}

static int read_run(struct sarif_run *run, struct where *where, struct err *err)
{
    int rc;

    if (!yyjson_is_obj(run->value)) return bad_run(where, "is not an object", err);
    if (json_has_duplicates(run->value)) return bad_run(where, "has a key twice", err);
    rc = read_tool(run, where, err);
    if (rc == 0) rc = read_unit(run, where, err);
    if (rc != 0) return rc;
    run->artifacts = sarif_list(yyjson_obj_get(run->value, "artifacts"), &run->arena);
    sarif_rules_init(run);
    rc = read_results(run, where, err);
    return rc == 0 ? read_failure(run, err) : rc;
}

static int read_runs(yyjson_val *runs, struct str text, struct diagnostics *out, struct err *err)
{
    yyjson_arr_iter iter = yyjson_arr_iter_with(runs);
    struct where where = { .text = text };
    uint64_t text_bytes = 0;
    yyjson_val *value;
    int rc = 0;

    for (; rc == 0 && (value = yyjson_arr_iter_next(&iter)); where.run++) {
        struct sarif_run run = { .out = out, .text_bytes = &text_bytes, .value = value };

        rc = read_run(&run, &where, err);
        arena_release(&run.arena);
    }
    if (rc == 0 && where.run == 0) {
        out->failure = STR("the report has no runs: no tool did its work");
    }
    return rc;
}

static int read_log(yyjson_val *log, struct str text, struct diagnostics *out, struct err *err)
{
    struct json_walk top = json_walk_start(text);
    struct str version = json_str(log, "version");
    yyjson_val *runs = yyjson_obj_get(log, "runs");

    if (!yyjson_is_obj(log)) return err_set(err, ERR_FORMAT, "line %u: not an object", top.line);
    if (json_has_duplicates(log)) {
        return err_set(err, ERR_FORMAT, "line %u: the object has a key twice", top.line);
    }
    if (!version.data) return err_set(err, ERR_FORMAT, "line %u: there is no version", top.line);
    if (!str_is(version, "2.1.0")) {
        return err_set(err, ERR_FORMAT, "line %u: this is version %.20s; hone reads 2.1.0",
                       json_walk_member(top, "version", NULL), version.data);
    }
    if (!yyjson_is_arr(runs)) {
        return err_set(err, ERR_FORMAT, "line %u: there are no runs", top.line);
    }
    return read_runs(runs, text, out, err);
}

int sarif_read(struct str text, struct diagnostics *out, struct err *err)
{
    const struct str mark = STR("\xef\xbb\xbf");
    yyjson_doc *doc;
    int rc;

    assert(out->count == 0);
    if (str_starts(text, mark)) text = str_skip(text, mark.size);
    rc = json_read(text, &doc, err);
    if (rc == 0) rc = read_log(yyjson_doc_get_root(doc), text, out, err);
    yyjson_doc_free(doc);
    return rc == 0 ? 0 : err_wrap(err, "SARIF");
}
