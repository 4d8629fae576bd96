/* SPDX-License-Identifier: Apache-2.0
 *
 * answers.c - what a GET answers: the document that a verb prints, of runs that are kept. */
#include "serve/ui/site.h"

#include "document/document.h"
#include "io/file/file.h"
#include "io/file/scratch.h"

#include <string.h>

enum {
    HEAD_BYTES_MAX = 4096,
    ROWS_MS_MAX = 1000, /* that a table of runs waits for all sums: the rest come as news */
};

/* ---- the whole ---- */

/* The branch that is checked out; "" where it is none, or not known. */
static const char *branch_of(const struct repo *repo, struct arena *arena)
{
    struct str text, refs = STR("ref: refs/heads/");
    struct err none;

    if (!repo->is_git) return "";
    if (scratch_text(repo->git_dir, "HEAD", HEAD_BYTES_MAX, arena, &text, &none) != 0) return "";
    text = str_trim(text);
    return str_starts(text, refs) ? arena_cstr(arena, str_skip(text, refs.size)) : "";
}

void ui_about(struct site *site, yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    yyjson_mut_val *list;
    struct arena arena = { 0 };

    yyjson_mut_obj_add_uint(doc, root, "api", 1);
    json_add(doc, root, "version", site->request->version);
    yyjson_mut_obj_add_bool(doc, root, "read_only", site->request->read_only);
    yyjson_mut_obj_add_uint(doc, root, "now_ms", now_wall_ms());
    list = yyjson_mut_obj_add_arr(doc, root, "repositories");
    for (uint32_t i = 0; i < follow_count(site->follow); i++) {
        struct follow_place place = follow_place(site->follow, i);
        yyjson_mut_val *item = yyjson_mut_arr_add_obj(doc, list);

        yyjson_mut_obj_add_uint(doc, item, "repo", i);
        json_add(doc, item, "name", follow_name(site->follow, i));
        json_add(doc, item, "workspace", follow_workspace(site->follow, i));
        json_add(doc, item, "branch", place.look ? branch_of(&place.look->repo, &arena) : "");
        if (place.problem) json_add(doc, item, "problem", place.problem);
        else yyjson_mut_obj_add_null(doc, item, "problem");
    }
    arena_release(&arena);
}

int answer_about(struct ui_call *call, struct err *err)
{
    (void)err;
    ui_about(call->site, call->doc, call->root);
    return 0;
}

/* ---- runs ---- */

static void add_repo(const void *context, uint32_t at, yyjson_mut_doc *doc, yyjson_mut_val *object)
{
    const uint32_t *repos = context;

    yyjson_mut_obj_add_uint(doc, object, "repo", repos[at]);
}

/* Those of one repository. */
static void keep_repo(struct follow_rows *rows, uint32_t repo)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < rows->count; i++) {
        if (rows->repos[i] != repo) continue;
        rows->rows[count] = rows->rows[i];
        rows->repos[count++] = repo;
    }
    rows->count = count;
}

static int read_slice(const struct ui_call *call, struct slice *out, struct err *err)
{
    int rc = query_number(&call->query, "from", 0, &out->from, err);

    return rc == 0 ? query_number(&call->query, "count", 0, &out->count, err) : rc;
}

int answer_runs(struct ui_call *call, struct err *err)
{
    struct runs_query query = {
        .state = query_value(&call->query, "state"),
        .dialect = query_value(&call->query, "dialect"),
        .branch = query_value(&call->query, "branch"),
        .agent = query_value(&call->query, "agent"),
    };
    struct follow_rows rows;
    uint32_t repo;
    int rc = read_slice(call, &query.slice, err);

    if (rc == 0) rc = query_number(&call->query, "repo", UINT32_MAX, &repo, err);
    if (rc == 0) rc = runs_query_check(&query, "", err);
    if (rc != 0) return rc;
    follow_rows(call->site->follow, &rows);
    call->again = rows.unread > 0 && call->waited_ms < ROWS_MS_MAX;
    if (call->again) return 0;
    if (repo != UINT32_MAX) keep_repo(&rows, repo);
    document_runs(rows.rows, rows.count, &query, add_repo, rows.repos, call->doc, call->root);
    return 0;
}

/* row may be NULL. */
static int open_run(struct ui_call *call, struct status *out, const struct run_row **row,
                    struct err *err)
{
    const char *name = arena_cstr(&call->arena, call->names.run);
    struct follow_run run;
    int rc;

    call->again = !follow_is_read(call->site->follow, call->names.repo, name);
    if (call->again) return 0;
    rc = follow_run(call->site->follow, call->names.repo, name, &run, err);
    if (rc != 0) return rc;
    *out = (struct status){ .look = run.look, .replay = run.replay, .history = run.history,
                            .now_ms = now_wall_ms() };
    if (row) *row = run.row;
    return 0;
}

int answer_run(struct ui_call *call, struct err *err)
{
    const struct run_row *row;
    struct status status;
    int rc = open_run(call, &status, &row, err);

    if (rc == 0 && !call->again) document_run(&status, row, call->doc, call->root);
    return rc;
}

int answer_attempts(struct ui_call *call, struct err *err)
{
    struct status status;
    struct slice slice;
    int rc = read_slice(call, &slice, err);

    if (rc == 0) rc = open_run(call, &status, NULL, err);
    if (rc == 0 && !call->again) document_attempts(&status, &slice, call->doc, call->root);
    return rc;
}

/* The attempt that the address names. */
static int open_attempt(struct ui_call *call, struct status *out, const struct entry **entry,
                        struct err *err)
{
    int rc = open_run(call, out, NULL, err);

    if (rc != 0 || call->again) return rc;
    *entry = history_find(out->history, call->names.job, call->names.attempt);
    if (*entry) return 0;
    return err_set(err, ERR_MISSING, "run %s has no attempt %u-%u", out->look->run.id,
                   (unsigned)call->names.job, (unsigned)call->names.attempt);
}

int answer_attempt(struct ui_call *call, struct err *err)
{
    const char *parts[ROUTE_OPTIONS_MAX + 1] = { NULL };
    const struct entry *entry;
    struct status status;
    int rc;

    for (uint32_t i = 0; i < call->query.count; i++) parts[i] = call->query.options[i].value;
    rc = attempt_parts_check(parts, "", err);
    if (rc == 0) rc = open_attempt(call, &status, &entry, err);
    if (rc != 0 || call->again) return rc;
    document_attempt(&status, entry, parts, PART_SHOWN_BYTES_MAX, call->doc, call->root);
    return 0;
}

int answer_transcript(struct ui_call *call, struct err *err)
{
    const char *word = query_value(&call->query, "from");
    const struct entry *entry;
    struct status status;
    uint64_t from = 0;
    int rc = 0;

    if (word && !str_number(str_of(word), &from)) {
        rc = err_set(err, ERR_USAGE, "from: '%.40s' is no number", word);
    }
    if (rc == 0) rc = open_attempt(call, &status, &entry, err);
    if (rc != 0 || call->again) return rc;
    return document_transcript(&status, entry, from, call->doc, call->root, err);
}

/* ---- findings ---- */

static int read_findings(const struct ui_call *call, struct findings_query *out, struct err *err)
{
    const struct route_query *query = &call->query;
    int rc = finding_filter_read(&(struct finding_filter_words){
        .state = query_value(query, "state"), .severity = query_value(query, "severity"),
        .file = query_value(query, "file"), .rule = query_value(query, "rule"),
        .role = query_value(query, "role"), .round = query_value(query, "round"),
        .by = query_value(query, "by"), .cause = query_value(query, "cause"),
        .votes = query_value(query, "min_votes"), .text = query_value(query, "text"),
        .prefix = "",
    }, &out->filter, err);

    if (rc == 0) rc = findings_order(query_value(query, "order"), "", &out->order, err);
    return rc == 0 ? read_slice(call, &out->slice, err) : rc;
}

int answer_findings(struct ui_call *call, struct err *err)
{
    struct findings_query query = { 0 };
    struct listed listed = { 0 };
    struct status status;
    int rc = read_findings(call, &query, err);

    if (rc == 0) rc = open_run(call, &status, NULL, err);
    if (rc != 0 || call->again) return rc;
    listed_of(status.look, status.replay, status.history, call->site->request->version, &listed);
    rc = findings_check(&listed, &query, err);
    if (rc == 0) document_findings(&listed, &query, call->doc, call->root);
    listed_release(&listed);
    return rc;
}

int answer_finding(struct ui_call *call, struct err *err)
{
    const char *id = arena_cstr(&call->arena, call->names.finding);
    struct listed listed = { 0 };
    struct status status;
    int rc = open_run(call, &status, NULL, err);

    if (rc != 0 || call->again) return rc;
    listed_of(status.look, status.replay, status.history, call->site->request->version, &listed);
    rc = document_finding(&listed, id, call->doc, call->root, err);
    if (rc == ERR_USAGE) rc = err->code = ERR_MISSING; /* what is wrong is a name in the address */
    listed_release(&listed);
    return rc;
}

int answer_plan(struct ui_call *call, struct err *err)
{
    struct status status;
    int rc = open_run(call, &status, NULL, err);

    if (rc == 0 && !call->again) document_plan(&status, call->doc, call->root);
    return rc;
}
