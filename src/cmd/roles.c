/* SPDX-License-Identifier: Apache-2.0
 *
 * roles.c - hone roles: who can look, where each role comes from, what it is told.
 *
 *   hone roles             all of them
 *   hone roles show NAME   the prompt of a role, as a run that is asked for so would send it first
 *   hone roles eject NAME  a built-in role as a file that takes its place, to be edited
 *   hone roles install NAME  an agent of that name for Claude Code or Codex, which plays it there
 *
 * 1. What is shown is written by the same functions as in a run, from the same settings. What only
 *    a run can know (what was found before, the fence of its quotes) is not in it.
 * 2. A file that is there is never written over. */
#include "cmd/run.h"
#include "cmd/say.h"
#include "cmd/table.h"
#include "cmd/verbs.h"

#include "base/path.h"
#include "install/wiring.h"
#include "io/file/file.h"
#include "io/process/host.h"
#include "prompts/cmd.h"
#include "run/run.h"
#include "run/site.h"
#include "settings/guidelines.h"
#include "settings/role_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 4096, PROMPT_BYTES_MAX = 16 << 20, SETTINGS_BYTES_MAX = 16 << 20 };

/* One role as it is listed. */
struct role_row {
    const char *name, *from, *about, *dialects, *problem;
    bool altered, writes;
};

struct role_rows {
    struct role_row *items;
    uint32_t count;
    struct arena *arena;
};

/* ---- all of them ---- */

static struct role_row *row_find(struct role_rows *rows, const char *name)
{
    for (uint32_t i = 0; i < rows->count; i++) {
        if (strcmp(rows->items[i].name, name) == 0) return &rows->items[i];
    }
    return NULL;
}

static struct role_row *row_add(struct role_rows *rows, const char *name)
{
    if (rows->count == ROWS_MAX) return NULL;
    rows->items[rows->count] = (struct role_row){ .name = name, .about = "", .dialects = "" };
    return &rows->items[rows->count++];
}

static void add_builtin(struct role_rows *rows, const struct dialect *dialect)
{
    const char *const *names = hone_roles(dialect, rows->arena);

    for (; *names; names++) {
        struct role_row *row = row_find(rows, *names);
        struct str remit = dialect->notation && dialect->notation->remit
                               ? dialect->notation->remit(*names, rows->arena) : STR("");
        struct str mission;

        if (!row) row = row_add(rows, *names);
        if (!row) return;
        row->from = "built in";
        row->dialects = arena_printf(rows->arena, "%s%s%s", row->dialects,
                                     *row->dialects ? ", " : "", dialect->name);
        if (str_cut(&remit, '\n', &mission)) row->about = arena_cstr(rows->arena, mission);
    }
}

/* Why a file cannot stand for a role that hone has; NULL: it can. */
static const char *builtin_problem(const struct role_listed *file, struct arena *arena)
{
    const char *extends = file->file.extends;

    if (file->problem || file->file.replaces) return file->problem;
    if (extends && strcmp(extends, file->name) == 0) return NULL;
    for (uint32_t i = 0; dialects[i]; i++) {
        const char *const *names = hone_roles(dialects[i], arena);

        for (; dialects[i]->role_file && *names; names++) {
            if (strcmp(*names, file->name) != 0) continue;
            return arena_printf(arena, "%s: hone has a role of this name: say 'extends: %s' to add "
                                "to it, or 'replaces: %s'", file->path, file->name, file->name);
        }
    }
    return NULL;
}

/* A file of a role that another file or hone has, too: the first place counts. */
static void add_file(struct role_rows *rows, const struct role_listed *file)
{
    struct role_row *row = row_find(rows, file->name);
    bool builtin = row && strcmp(row->from, "built in") == 0;

    if (row && (!builtin || str_starts(str_of(file->path), STR(".claude/")))) return;
    if (!row) row = row_add(rows, file->name);
    if (!row) return;
    row->from = file->path;
    row->altered = file->altered;
    row->writes = file->file.writes;
    row->problem = builtin ? builtin_problem(file, rows->arena) : file->problem;
    if (file->file.description) row->about = file->file.description;
    else if (file->file.extends) row->about = arena_printf(rows->arena, "extends %s",
                                                           file->file.extends);
}

static int gather(const struct call *call, struct role_rows *rows, struct err *err)
{
    const struct brought_scope scope = { .all = true };
    const struct role_listed *files = NULL;
    struct repo repo = { 0 };
    struct brought brought;
    uint32_t count = 0;
    int rc = repo_open(&repo, call->cwd, REPO_FIND, err);
    bool alone = rc == ERR_MISSING; /* no repository: hone's own, and the user's */

    rows->items = arena_alloc(rows->arena, ROWS_MAX * sizeof *rows->items);
    for (uint32_t i = 0; dialects[i]; i++) add_builtin(rows, dialects[i]);
    if (rc == 0) rc = brought_open(&repo, &scope, rows->arena, &brought, err);
    if (rc == 0 || alone) {
        rc = role_files_list(alone ? NULL : &brought, rows->arena, &files, &count, err);
    }
    for (uint32_t i = 0; i < count; i++) add_file(rows, &files[i]);
    repo_release(&repo);
    return rc;
}

static void list_json(const struct role_rows *rows)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc);
    yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, root, "roles");

    for (uint32_t i = 0; i < rows->count; i++) {
        const struct role_row *row = &rows->items[i];
        yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list);

        json_add(doc, object, "name", row->name);
        json_add(doc, object, "from", row->from);
        json_add(doc, object, "about", row->about);
        json_add(doc, object, "dialects", row->dialects);
        yyjson_mut_obj_add_bool(doc, object, "altered", row->altered);
        if (row->problem) json_add(doc, object, "problem", row->problem);
    }
    say_json(doc, true);
}

static const struct table_column columns[] = {
    { .title = "ROLE" }, { .title = "FROM" }, { .title = "DIALECTS", .spare = 1 },
    { .title = "ABOUT" }, { .title = NULL },
};

static const char *safe_cell(const char *text, struct arena *arena)
{
    struct buf out;

    buf_init(&out, SAY_BYTES_MAX);
    add_safe(&out, text, 0);
    return arena_take_cstr(arena, &out);
}

static void list_text(const struct role_rows *rows, uint32_t columns_max)
{
    const char *(*cells)[TABLE_COLUMNS_MAX] = arena_alloc(rows->arena, (rows->count + (size_t)1) *
                                                                           sizeof *cells);
    struct table table = { .columns = columns, .rows = cells, .count = rows->count };
    struct buf out;

    buf_init(&out, SAY_BYTES_MAX);
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct role_row *row = &rows->items[i];

        cells[i][0] = safe_cell(row->name, rows->arena);
        cells[i][1] = safe_cell(row->from, rows->arena);
        cells[i][2] = row->dialects;
        cells[i][3] = safe_cell(row->about, rows->arena);
    }
    table_put(&table, columns_max, &out);
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct role_row *row = &rows->items[i];

        if (row->altered) {
            buf_printf(&out, "%s: the work tree has it otherwise; a review goes by the version of "
                       "the commit\n", cells[i][1]);
        }
        if (!row->problem) continue;
        add_safe(&out, row->problem, 0);
        buf_byte(&out, '\n');
    }
    say_take(&out);
}

static int list_roles(struct call *call)
{
    struct role_rows rows = { .arena = &call->arena };
    struct err err = { 0 };

    if (gather(call, &rows, &err) != 0) return say_err(&err);
    if (call->json) list_json(&rows);
    else list_text(&rows, table_columns(call));
    return CODE_DONE;
}

/* ---- the prompt of one ---- */

/* The first dialect that has the role; one that takes roles of files, where none has. */
static const struct dialect *role_dialect(const char *name, struct arena *arena)
{
    for (uint32_t i = 0; dialects[i]; i++) {
        const char *const *names = hone_roles(dialects[i], arena);

        for (; *names; names++) {
            if (strcmp(*names, name) == 0) return dialects[i];
        }
    }
    for (uint32_t i = 0; dialects[i]; i++) {
        if (dialects[i]->role_file) return dialects[i];
    }
    return NULL;
}

/* A role that is not among those who review where nothing is said is shown beside them. */
static void name_reviewer(struct call *call, const struct dialect *dialect, const char *name)
{
    const char *const *names = hone_roles(dialect, &call->arena);
    struct given *given = arena_alloc(&call->arena, (call->given_count + 1) * sizeof *given);

    for (; *names; names++) {
        if (strcmp(*names, name) == 0) return;
    }
    for (uint32_t i = 0; i < call->given_count; i++) {
        given[i] = call->given[i];
        if (given[i].of_dialect && strcmp(given[i].name, "reviewers") == 0) return;
    }
    given[call->given_count] = (struct given){ .name = "reviewers", .value = name,
                                               .of_dialect = true };
    call->given = given;
    call->given_count++;
}

/* What the engine would ask of the role, where it does first; false: the plan has no such role. */
static bool action_of(const struct plan *plan, const char *name, struct action *out)
{
    for (uint32_t i = 0; i < plan->phase_count; i++) {
        const struct phase *phase = &plan->phases[i];
        const struct gate *gate = &phase->gate;

        *out = (struct action){ .kind = ACT_START, .phase = i, .iteration = 1, .round = 1,
                                .attempt = 1, .job = 1 };
        for (uint32_t k = 0; k < gate->reviewer_count; k++) {
            out->role = gate->reviewers[k];
            out->purpose = FOR_REVIEW;
            if (strcmp(plan->roles[out->role].name, name) == 0) return true;
        }
        out->role = gate->policy ? gate->checker : ROLE_NONE;
        if (out->role != ROLE_NONE && strcmp(plan->roles[out->role].name, name) == 0) return true;
        out->role = gate->repair.role;
        out->purpose = FOR_REPAIR;
        if (out->role != ROLE_NONE && strcmp(plan->roles[out->role].name, name) == 0) return true;
        out->role = phase->work.role;
        out->purpose = FOR_WORK;
        if (out->role != ROLE_NONE && strcmp(plan->roles[out->role].name, name) == 0) return true;
    }
    return false;
}

static int write_prompt(struct run *run, const struct run_request *request, const char *name,
                        struct buf *out, struct err *err)
{
    struct journal_run row = { .id = "example", .dialect = request->dialect->name,
                               .task = request->task, .workspace = run->repo.workspace };
    struct actions actions = { 0 };
    struct action action;
    struct run_view view;
    struct buf settings;
    int rc;

    buf_init(&settings, SETTINGS_BYTES_MAX);
    settings_write(&request->settings, &settings);
    row.settings = buf_cstr(&settings);
    rc = run_load(run, &row, err);
    buf_release(&settings);
    if (rc != 0) return rc;
    if (!action_of(&run->plan, name, &action) || run->plan.roles[action.role].builtin) {
        return err_set(err, ERR_USAGE, "%s has no role '%.60s' that is told anything; 'hone roles' "
                       "lists them", request->dialect->name, name);
    }
    if (run->dialect->lanes || run->dialect->framing) {
        return err_set(err, ERR_USAGE, "what %s is told in %s depends on what the run has come to: "
                       "'hone show RUN' has the prompts of a run", name, run->dialect->name);
    }
    engine_step(&run->engine, &(struct event){ .kind = EV_START, .now_ms = 1 }, &actions);
    actions_release(&actions);
    view = run_view(run, 0);
    view.fence = "FENCE";
    run->dialect->prompt(&view, &(struct prompt_request){ .action = &action,
                                                          .output = "$HONE_OUTPUT" }, out);
    return 0;
}

static int show_role(struct call *call, const char *name)
{
    struct run_request request = { .task = call_value(call, "task") };
    const char *word = call_value(call, "dialect");
    struct run run = { 0 };
    struct err err = { 0 };
    struct buf prompt;
    int rc;

    request.dialect = role_dialect(name, &call->arena);
    if (word && run_find_dialect(call, word, &request, &err) != 0) return say_err(&err);
    if (!request.task) request.task = request.dialect->task_default;
    if (!request.task) request.task = "(the task)";
    if (dialect_option_in(request.dialect, STR("reviewers"))) {
        name_reviewer(call, request.dialect, name);
    }
    buf_init(&prompt, PROMPT_BYTES_MAX);
    rc = repo_open(&run.repo, call->cwd, REPO_FIND, &err);
    if (rc == 0) rc = run_take_all(call, &request, &err);
    if (rc == 0) {
        rc = guidelines_pin(&(struct guidelines_of){ .repo = &run.repo, .start = call->cwd,
                                                     .dialect = request.dialect },
                            &request.settings, &call->arena, &err);
    }
    if (rc == 0) rc = write_prompt(&run, &request, name, &prompt, &err);
    if (rc == 0) say_take(&prompt);
    else buf_release(&prompt);
    run_release(&run);
    run_request_release(&request);
    return rc == 0 ? CODE_DONE : say_err(&err);
}

/* ---- a built-in one as a file ---- */

/* Whether the role reviews where nothing is said of who does. */
static bool is_reviewer_of(const struct dialect *dialect, const char *name, struct arena *arena)
{
    const struct settings none = { 0 };
    struct plan plan;
    struct err err;

    if (!dialect->role_file || dialect->plan(&none, arena, &plan, &err) != 0) return false;
    for (uint32_t i = 0; i < plan.phase_count; i++) {
        const struct gate *gate = &plan.phases[i].gate;

        for (uint32_t k = 0; k < gate->reviewer_count; k++) {
            if (strcmp(plan.roles[gate->reviewers[k]].name, name) == 0) return true;
        }
    }
    return false;
}

/* Writes a new file, and the folders that it is in; below the workspace through no link. */
static int put_in_repo(const struct repo *repo, const char *path, struct str text,
                       struct arena *arena, struct err *err)
{
    struct file_place place;
    int rc = 0;

    file_place_find(repo->workspace, path, arena, &place);
    if (!place.inside) rc = file_make_folder(place.root, false, err);
    return rc == 0 ? file_write(place.root, place.path, text, err) : rc;
}

/* Empty: it is no role that a file can replace. */
static struct str remit_of(const char *name, struct arena *arena)
{
    for (uint32_t i = 0; dialects[i]; i++) {
        if (is_reviewer_of(dialects[i], name, arena)) {
            return dialects[i]->notation->remit(name, arena);
        }
    }
    return STR("");
}

static int eject_role(struct call *call, const char *name)
{
    struct str remit = remit_of(name, &call->arena), mission;
    const char *folder;
    struct repo repo = { 0 };
    struct err err = { 0 };
    struct buf text;
    int rc;

    if (!str_cut(&remit, '\n', &mission)) { /* which stands in its first line */
        return say_fail(CODE_USAGE, "roles eject: '%.60s' is no role that a file can replace; "
                        "'hone roles' lists them", name);
    }
    rc = repo_open(&repo, call->cwd, REPO_FIND, &err);
    folder = call_has(call, "user") ? role_files_folder(&call->arena)
           : rc == 0 ? arena_printf(&call->arena, "%s/.hone/roles", repo.workspace) : NULL;
    if (rc == 0 && !folder) rc = err_set(&err, ERR_USAGE, "there is no home folder to put it in");
    buf_init(&text, ROLE_FILE_BYTES_MAX);
    buf_printf(&text, "---\ndescription: %.*s\nreplaces: %s\n---\n", STR_ARG(mission), name);
    buf_add(&text, str_trim(remit));
    buf_byte(&text, '\n');
    if (rc == 0 && file_exists(arena_printf(&call->arena, "%s/%s.md", folder, name))) {
        rc = err_set(&err, ERR_USAGE, "%s/%s.md is there already: edit it", folder, name);
    }
    if (rc == 0) {
        rc = put_in_repo(&repo, arena_printf(&call->arena, "%s/%s.md", folder, name),
                         buf_str(&text), &call->arena, &err);
    }
    buf_release(&text);
    repo_release(&repo);
    if (rc != 0) return say_err(&err);
    if (!call->quiet) {
        printf("%s/%s.md: edit it%s\n", folder, name,
               call_has(call, "user") ? "" : " and commit it: a review goes by what is committed");
    }
    return CODE_DONE;
}

/* ---- an agent of a host ---- */

/* The agent's file; *path is where it goes. */
static int agent_text(struct call *call, const struct role_row *row, const struct repo *repo,
                      const char **path, struct buf *out, struct err *err)
{
    struct cmd_page page = { .fence = NULL };
    const char *home = getenv("CODEX_HOME");
    struct buf markdown;
    int rc = 0;

    page.role = slot_word(row->name);
    buf_init(&markdown, ROLE_FILE_BYTES_MAX);
    cmd_page_role_agent(&markdown, &page);
    if (!call_has(call, "codex")) {
        *path = arena_printf(&call->arena, "%s/.claude/agents/%s.md", repo->workspace, row->name);
        buf_add(out, buf_str(&markdown));
    } else {
        if (!home || home[0] != '/') {
            home = host_home() ? arena_printf(&call->arena, "%s/.codex", host_home()) : NULL;
        }
        *path = arena_printf(&call->arena, "%s/agents/hone-%s.toml", home ? home : "", row->name);
        rc = home ? wiring_agent_toml(buf_str(&markdown), out, err)
                  : err_set(err, ERR_USAGE, "there is no home folder to put it in");
    }
    buf_release(&markdown);
    return rc;
}

static int install_role(struct call *call, const char *name)
{
    struct role_rows rows = { .arena = &call->arena };
    const struct role_row *row = NULL;
    struct repo repo = { 0 };
    struct err err = { 0 };
    const char *path = NULL;
    struct buf text;
    int rc = repo_open(&repo, call->cwd, REPO_FIND, &err);

    if (rc == 0) rc = gather(call, &rows, &err);
    if (rc == 0) row = row_find(&rows, name);
    if (rc == 0 && (!row || row->problem || *row->dialects)) {
        rc = err_set(&err, ERR_USAGE, !row ? "there is no role '%.60s'; 'hone roles' lists them"
                     : *row->dialects ? "'%.60s' is hone's own: 'hone install' brings its agent"
                                      : "'%.60s' cannot be used yet: 'hone roles' says why", name);
    } else if (rc == 0 && row->writes) {
        rc = err_set(&err, ERR_USAGE, "'%.60s' writes, and hone makes agents of hosts for "
                     "reviewers alone: name a program that plays it, with --agent '%.60s=claude'",
                     name, name);
    }
    buf_init(&text, ROLE_FILE_BYTES_MAX);
    if (rc == 0) rc = agent_text(call, row, &repo, &path, &text, &err);
    if (rc == 0 && file_exists(path)) {
        rc = err_set(&err, ERR_USAGE, "%s is there already: remove it first", path);
    }
    if (rc == 0) rc = put_in_repo(&repo, path, buf_str(&text), &call->arena, &err);
    buf_release(&text);
    repo_release(&repo);
    if (rc != 0) return say_err(&err);
    if (!call->quiet) {
        printf("%s: start %s anew, and it can play %s\n", path,
               call_has(call, "codex") ? "Codex" : "Claude Code", name);
    }
    return CODE_DONE;
}

static int handle(struct call *call)
{
    const char *action = call_argument(call, 0), *name = call_argument(call, 1);

    if (!action || (strcmp(action, "list") == 0 && !name)) return list_roles(call);
    if (strcmp(action, "show") != 0 && strcmp(action, "eject") != 0 &&
        strcmp(action, "install") != 0) {
        return say_fail(CODE_USAGE, "roles: '%.60s' is not list, show, eject or install", action);
    }
    if (!name) {
        return say_fail(CODE_USAGE, "roles %s: a role is needed, such as 'hone roles %s critic'",
                        action, action);
    }
    if (strcmp(action, "install") == 0) return install_role(call, name);
    return strcmp(action, "show") == 0 ? show_role(call, name) : eject_role(call, name);
}

const struct verb verb_roles = {
    .name = "roles",
    .summary = "list roles, show what one is told, write one out",
    .text = {
        "A role is what an agent is asked to be: the critic, the fixer. Those of the dialects are "
        "built in. A role of your own is a file: .hone/roles/NAME.md in the repository, or "
        "NAME.md in the folder hone/roles of your configuration; an agent of Claude Code "
        "(.claude/agents/NAME.md) is a role as it is. --reviewers of 'hone run' names those who "
        "review, in review, iterate and cycles.",
        "A repository's file is read from the commit that the change is measured against, never "
        "from the change: a change cannot write its own judge.",
        "'show' prints the prompt of a role, as a run with the same options would send it first. "
        "'eject' writes a built-in role as a file that takes its place, to be edited. 'install' "
        "writes an agent of the role's name for Claude Code (.claude/agents), or with --codex for "
        "Codex, so that a run inside of it can have the role played there.",
    },
    .arguments = {
        { .name = "ACTION", .optional = true, .help = "list (by default), show, eject or install",
          .words = "list, show, eject or install" },
        { .name = "NAME", .optional = true, .help = "of show, eject and install: the role" },
    },
    .options = {
        { .name = "user", .help = "of eject: write it to your own roles, not to the repository" },
        { .name = "codex", .help = "of install: for Codex, not for Claude Code" },
        { .name = "task", .argument = "TASK", .help = "of show: the task that the prompt has" },
        { .name = "dialect", .argument = "DIALECT",
          .help = "of show: the dialect, or the loop of your own, whose prompt it is; by default "
                  "the first that has the role" },
    },
    .like = &verb_run,
    .dialect_options = true,
    .codes = {
        { CODE_DONE, "it was shown or written" },
        { CODE_USAGE, "there is no such role, its file is wrong, or a file is there already" },
        { CODE_FAILED, "the repository could not be looked at, or the file not be written" },
    },
    .examples = {
        "hone roles",
        "hone roles show critic",
        "hone roles show perf --reviewers critic,perf --since main",
        "hone roles show perf --dialect cycles",
        "hone roles eject critic",
    },
    .handle = handle,
};
