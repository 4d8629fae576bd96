/* SPDX-License-Identifier: Apache-2.0
 *
 * run.c - hone run: a request that cannot work is refused before anything starts.
 *
 * A run starts only when all of this holds:
 * 1. The dialect exists and every option given is one of its own.
 * 2. Every --agent and --agent-effort names a role of its plan (or "*" for all that are not named),
 *    and every --agent a backend that passed its own check.
 * 3. Every role that needs an agent has one: named, or chosen (settings/choose.c).
 * 4. The user has agreed to every command that came with the repository (own.c).
 *
 * Not here: the run itself (drive/headless/headless.c). */
#include "cmd/run.h"

#include "agent/agent.h"
#include "base/path.h"
#include "cmd/page.h"
#include "cmd/preview.h"
#include "cmd/say.h"
#include "cmd/suggest.h"
#include "cmd/verbs.h"
#include "drive/headless/headless.h"
#include "drive/spending.h"
#include "format/json/finding_json.h"
#include "format/text/budget_text.h"
#include "io/file/file.h"
#include "settings/away.h"
#include "settings/choose.h"
#include "settings/config.h"
#include "settings/guidelines.h"
#include "settings/hone_keys.h"
#include "settings/loop_file.h"
#include "settings/role_files.h"

#include <stdlib.h>
#include <string.h>

/* ---- flags about roles ---- */

/* Whether an earlier role has the same name: two jobs of one agent. */
static bool is_named_before(const struct plan *plan, uint32_t role)
{
    for (uint32_t i = 0; i < role; i++) {
        if (strcmp(plan->roles[i].name, plan->roles[role].name) == 0) return true;
    }
    return false;
}

static int check_role(const struct run_request *request, const char *role, struct err *err)
{
    const struct plan *plan = &request->plan;
    struct suggest suggest;

    if (strcmp(role, "*") == 0) return 0;
    suggest_init(&suggest, str_of(role));
    for (uint32_t i = 0; i < plan->role_count; i++) {
        if (!role_is_played(plan, i)) continue;
        if (strcmp(role, plan->roles[i].name) == 0) return 0;
        if (!is_named_before(plan, i)) suggest_offer(&suggest, plan->roles[i].name);
    }
    if (suggest.best) return suggest_refuse(&suggest, "role", "", err);
    return err_set(err, ERR_USAGE, "unknown role '%.60s'; %s has %s, and '*' for all others",
                   role, request->dialect->name, suggest.offered);
}

static int take_agent(struct call *call, const struct run_request *request, const char *value,
                      struct agent_setting *out, struct err *err)
{
    struct str spec = str_of(value), role;
    struct agent agent;
    int rc;

    if (agent_parse(value, &call->arena, &agent, err) == 0) {
        return err_set(err, ERR_USAGE, "--agent wants ROLE=SPEC; for all roles that is --agent "
                       "'*=%.60s'", value);
    }
    if (!str_has(spec, '=') || value[0] == '=') {
        return err_set(err, ERR_USAGE, "--agent wants ROLE=SPEC such as '*=cmd:COMMAND', not "
                       "'%.60s'", value);
    }
    (void)str_cut(&spec, '=', &role);
    out->role = arena_cstr(&call->arena, role);
    rc = check_role(request, out->role, err);
    if (rc == 0) rc = agent_parse(arena_cstr(&call->arena, spec), &call->arena, &agent, err);
    if (rc != 0) return err_wrap(err, "--agent");
    agent = agent_absolute(&agent, call->cwd, &call->arena);
    out->spec = agent.spec;
    rc = away_check(&request->settings, out->role, &agent, err);
    return rc == 0 ? 0 : err_wrap(err, "--agent %s", out->role);
}

/* ---- efforts ---- */

static int check_effort(const char *effort, struct err *err)
{
    struct suggest suggest;

    suggest_init(&suggest, str_of(effort));
    for (uint32_t i = 0; agent_efforts[i]; i++) {
        if (strcmp(effort, agent_efforts[i]) == 0) return 0;
        suggest_offer(&suggest, agent_efforts[i]);
    }
    return suggest_refuse(&suggest, "effort", "there are", err);
}

static int take_effort(struct call *call, const struct run_request *request, const char *value,
                       struct effort_setting *out, struct err *err)
{
    struct str effort = str_of(value), role;
    int rc;

    if (!str_has(effort, '=') || value[0] == '=') {
        return err_set(err, ERR_USAGE, "--agent-effort wants ROLE=EFFORT such as '*=high', not "
                       "'%.60s'", value);
    }
    (void)str_cut(&effort, '=', &role);
    out->role = arena_cstr(&call->arena, role);
    out->effort = arena_cstr(&call->arena, effort);
    rc = check_role(request, out->role, err);
    if (rc == 0) rc = check_effort(out->effort, err);
    return rc == 0 ? 0 : err_wrap(err, "--agent-effort");
}

/* ---- both ---- */

/* The parts of it that are about roles: --agent and --agent-effort. The plan must be there. */
static int run_take_roles(struct call *call, struct run_request *request, struct err *err)
{
    size_t most = (size_t)call->given_count + 1;
    struct agent_setting *agents = arena_alloc(&call->arena, most * sizeof *agents);
    struct effort_setting *efforts = arena_alloc(&call->arena, most * sizeof *efforts);
    struct run_settings *settings = &request->settings;
    int rc = 0;

    settings->agents = agents;
    settings->efforts = efforts;
    settings->agent_count = settings->effort_count = 0;
    for (uint32_t i = 0; rc == 0 && i < call->given_count; i++) {
        const struct given *given = &call->given[i];

        if (given->of_dialect) continue;
        if (strcmp(given->name, "agent") == 0) {
            rc = take_agent(call, request, given->value, &agents[settings->agent_count++], err);
        } else if (strcmp(given->name, "agent-effort") == 0) {
            rc = take_effort(call, request, given->value, &efforts[settings->effort_count++], err);
        }
    }
    return rc;
}

/* ---- flags of no dialect ---- */

enum { PATTERNS_BYTES_MAX = 64 * 1024, BUDGET_BYTES_MAX = 256 };

/* How long an agent may take, and what holds it. ERR_USAGE names the flag. */
static int take_limits(const struct call *call, struct run_settings *settings, struct err *err)
{
    const char *right;

    for (uint32_t i = 0; i < LIMIT_COUNT; i++) {
        const char *option = limits_about[i].option;
        const char *value = option ? call_value(call, option) : NULL;
        int rc = 0;
        if (value) rc = duration_parse(option, value, limit_of(settings, (enum limit)i), err);
        if (rc != 0) return rc;
    }
    if (call_has(call, "sandbox") && call_has(call, "no-sandbox")) {
        return err_set(err, ERR_USAGE, "--sandbox and --no-sandbox exclude each other");
    }
    if (call_has(call, "sandbox") || call_has(call, "no-sandbox")) {
        settings->sandbox_asked = call_has(call, "sandbox");
        settings->sandbox_off = !settings->sandbox_asked;
    }
    if (call_has(call, "allow-partial")) settings->allow_partial = true;
    if (call_has(call, "isolate")) settings->isolate = true;
    if (call_has(call, "require-proof")) settings->require_proof = true;
    right = settings->network_off ? "network" : settings->home_private ? "home"
          : settings->tmp_said ? "tmp" : NULL;
    if (settings->sandbox_off && right) {
        return err_set(err, ERR_USAGE, "rights.%s is false, which the sandbox sees to, and the "
                       "sandbox is off: leave it on, or set rights.%s to true", right, right);
    }
    return 0;
}

/* What the run may use in all: --budget over what files say, and never more than HONE_BUDGET, which
 * is what a run leaves to an agent that starts another. */
static int take_budget(struct call *call, struct run_settings *settings, struct err *err)
{
    const char *said = call_value(call, "budget"), *left = getenv("HONE_BUDGET");
    struct budget budget = spending_budget(settings->budget), bound = { 0 };
    struct buf text;

    if (said && budget_read(str_of(said), &budget, err) != 0) return err_wrap(err, "--budget");
    if (left && *left && budget_read(str_of(left), &bound, err) != 0) {
        return err_wrap(err, "HONE_BUDGET");
    }
    budget = budget_within(&budget, &bound);
    buf_init(&text, BUDGET_BYTES_MAX);
    budget_write(&budget, &text);
    settings->budget = arena_take_cstr(&call->arena, &text);
    return 0;
}

static int take_fixes(const struct call *call, struct run_settings *settings, struct err *err)
{
    const char *fixes = call_value(call, "fixes");

    if (!fixes) return 0;
    if (strcmp(fixes, "safe") != 0 && strcmp(fixes, "all") != 0) {
        return err_set(err, ERR_USAGE, "--fixes wants safe or all, not '%.60s'", fixes);
    }
    settings->fixes = fixes;
    return 0;
}

/* Whether the text begins with a SPEC that an eye could have, up to the next comma or its end. */
static bool is_eye(struct call *call, struct str text)
{
    struct agent agent;
    struct err none;
    struct str piece;

    return str_cut(&text, ',', &piece) &&
           agent_parse(arena_cstr(&call->arena, piece), &call->arena, &agent, &none) == 0;
}

/* The first SPEC of a list. A comma ends it where another SPEC follows: commands have commas. */
static struct str cut_eye(struct call *call, struct str *rest)
{
    struct str eye = *rest;

    for (size_t i = 0; i < rest->size; i++) {
        if (rest->data[i] != ',' || !is_eye(call, str_skip(*rest, i + 1))) continue;
        eye.size = i;
        *rest = str_skip(*rest, i + 1);
        return eye;
    }
    *rest = str_skip(*rest, rest->size);
    return eye;
}

/* One that is to look in turn: it answers as a model does, and its program is there. */
static int take_eye(struct call *call, const struct run_settings *settings, const char *spec,
                    const char **out, struct err *err)
{
    struct agent agent;
    int rc = agent_parse(spec, &call->arena, &agent, err);

    if (rc != 0) return rc;
    if (agent.backend->cannot_review || agent.backend->answers_findings) {
        return err_set(err, ERR_USAGE, "%s looks at the same in every round: name a model, such as "
                       "codex, or a command", agent.spec);
    }
    agent = agent_absolute(&agent, call->cwd, &call->arena);
    *out = agent.spec;
    return away_check(settings, "*", &agent, err);
}

/* Until what gates go on, and who looks in turn. */
static int take_until(struct call *call, struct run_settings *settings, struct err *err)
{
    const char *until = call_value(call, "until"), *said = call_value(call, "eyes");
    struct str rest = str_of(said ? said : settings->eyes);
    const char *eyes = "", *eye = NULL;
    struct suggest suggest;
    bool known = false;

    if (until) {
        suggest_init(&suggest, str_of(until));
        for (uint32_t i = 0; until_words[i]; i++) {
            known = known || strcmp(until, until_words[i]) == 0;
            suggest_offer(&suggest, until_words[i]);
        }
        if (!known) return suggest_refuse(&suggest, "policy", "--until takes", err);
        settings->until = until;
    }
    if (!policy_find(str_of(settings->until))) {
        if (!said) return 0;
        return err_set(err, ERR_USAGE, "--eyes is for --until settled, lean, thorough or clean: "
                       "without it all reviewers look again, each the same");
    }
    while (rest.size > 0) {
        struct str piece;

        if (said) piece = cut_eye(call, &rest);
        else (void)str_cut(&rest, '\n', &piece);
        if (take_eye(call, settings, arena_cstr(&call->arena, piece), &eye, err) != 0) {
            return err_wrap(err, said ? "--eyes" : "eyes in hone.json");
        }
        eyes = arena_printf(&call->arena, "%s%s%s", eyes, *eyes ? "\n" : "", eye);
    }
    if (said) settings->eyes = eyes;
    return 0;
}

/* What is looked at, and what must hold after a repair. */
static int take_scope(struct call *call, struct run_settings *settings, struct err *err)
{
    const char *since = call_value(call, "since");
    struct buf exclude;

    if (since && call_has(call, "all")) {
        return err_set(err, ERR_USAGE, "--since and --all exclude each other: what changed since "
                       "a commit, or everything");
    }
    if (since && !*since) {
        return err_set(err, ERR_USAGE, "--since wants a revision, such as HEAD~3");
    }
    settings->since = since ? since : "";
    settings->scope_given = since || call_has(call, "all") || *settings->paths;
    if (call_has(call, "fail-on")) {
        enum severity least;

        settings->fail_on = call_value(call, "fail-on");
        if (!severity_from_word(str_of(settings->fail_on), &least)) {
            return err_set(err, ERR_USAGE, "--fail-on %.60s: there are low, medium and high",
                           settings->fail_on);
        }
    }
    if (call_has(call, "test")) {
        settings->test = call_value(call, "test");
        settings->test_from = *settings->test ? "--test" : "";
    }
    if (call_has(call, "include-generated")) settings->generated = "true";
    if (take_fixes(call, settings, err) != 0) return (int)err->code;
    buf_init(&exclude, PATTERNS_BYTES_MAX);
    buf_text(&exclude, settings->exclude);
    for (uint32_t i = 0; i < call->given_count; i++) {
        const struct given *given = &call->given[i];
        if (given->of_dialect || strcmp(given->name, "exclude") != 0) continue;
        if (!*given->value || strchr(given->value, '\n')) {
            buf_release(&exclude);
            return err_set(err, ERR_USAGE, "--exclude wants a pattern of one line, such as "
                           "'third_party/'");
        }
        buf_printf(&exclude, "%s%s", exclude.size ? "\n" : "", given->value);
    }
    settings->exclude = arena_take_cstr(&call->arena, &exclude);
    return 0;
}

/* ---- hone run ---- */

/* The kernel limits the length of a variable (HONE_TASK), and a model has no use for more. */
enum { TASK_BYTES_MAX = 64 * 1024 };

static int find_loop(struct call *call, const char *word, struct run_request *request,
                     struct err *err)
{
    struct config_text *files = arena_alloc(&call->arena, LOOP_FILES * sizeof *files);
    struct repo repo = { 0 };
    struct err none;
    bool there = repo_open(&repo, call->cwd, REPO_FIND, &none) == 0;
    const char *const *names = loop_names(there ? repo.workspace : NULL, &call->arena);
    const struct loop_query query = {
        .word = word, .cwd = call->cwd, .repo = there ? &repo : NULL,
        .since = call_value(call, "since"), .all = call_has(call, "all"),
        .agreed = call_has(call, "trust"), .shown = call->verb != &verb_run,
    };
    struct loop_source source = { .warning = NULL };
    struct suggest suggest;
    int rc = loop_find(&query, &call->arena, &source, err);

    repo_release(&repo);
    if (source.warning) say_fail(CODE_DONE, "%s", source.warning);
    if (rc == ERR_MISSING && !strchr(word, '/') && !strchr(word, '.')) {
        suggest_init(&suggest, str_of(word));
        for (uint32_t i = 0; dialects[i]; i++) suggest_offer(&suggest, dialects[i]->name);
        for (; *names; names++) suggest_offer(&suggest, *names);
        return suggest_refuse(&suggest, "dialect", "there is", err);
    }
    if (rc != 0) {
        err->code = ERR_USAGE;
        return ERR_USAGE;
    }
    loop_keep(&source, files);
    request->loop = files;
    request->dialect = dialect_of(source.name, &(struct settings){ .files = files,
                                                                   .file_count = LOOP_FILES },
                                  &call->arena);
    if (request->dialect) return 0;
    return err_set(err, ERR_USAGE, "%s: there is nothing in it; see docs/loops.md", source.path);
}

int run_find_dialect(struct call *call, const char *word, struct run_request *request,
                     struct err *err)
{
    brought_keep();
    request->dialect = dialect_find(str_of(word));
    return request->dialect ? 0 : find_loop(call, word, request, err);
}

static int take_options(struct call *call, struct run_request *request, struct err *err)
{
    struct settings *options = &request->settings.options;
    struct setting *items = arena_alloc(&call->arena, (options->count + call->given_count + 1) *
                                                          sizeof *items);

    for (uint32_t i = 0; i < options->count; i++) items[i] = options->items[i];
    options->items = items;
    for (uint32_t i = 0; i < call->given_count; i++) {
        const struct given *given = &call->given[i];
        if (!given->of_dialect) continue;
        if (!dialect_option_in(request->dialect, str_of(given->name))) {
            bool thinks = strcmp(given->name, "effort") == 0; /* as clients of models call it */
            return err_set(err, ERR_USAGE, "--%s is not an option of %s; %s", given->name,
                           request->dialect->name,
                           thinks ? "how hard models think is --agent-effort '*=high'"
                                  : "see 'hone run --help'");
        }
        items[options->count++] = (struct setting){
            .name = given->name, .value = given->value ? given->value : "true",
        };
    }
    return 0;
}

/* Files that options name: the run keeps what they hold now. */
static int take_files(struct call *call, struct run_request *request, struct err *err)
{
    const struct dialect_option *option = request->dialect->options;
    struct settings *options = &request->settings.options;
    struct config_text *files = arena_alloc(&call->arena, (options->count + LOOP_FILES + 1) *
                                                              sizeof *files);

    options->files = files;
    for (uint32_t i = 0; request->loop && i < LOOP_FILES; i++) {
        files[options->file_count++] = request->loop[i];
    }
    for (; option && option->name; option++) {
        const char *path = option->is_file ? setting_value(options, option->name) : NULL;
        struct config_text *file = &files[options->file_count];

        if (!path) continue;
        file->path = arena_printf(&call->arena, "--%s", option->name);
        options->file_count++;
        if (file_text(path, CONFIG_BYTES_MAX, &call->arena, &file->text, err) != 0) {
            err->code = ERR_USAGE;
            return err_wrap(err, "--%s", option->name);
        }
    }
    return 0;
}

/* Whether an option names roles, which may be files of any place. */
static bool names_roles(const struct run_request *request)
{
    const struct dialect_option *option = request->dialect->options;

    if (request->dialect->named_roles) return true;
    for (; option->name; option++) {
        if (option->key.kind == KEY_ROLES &&
            setting_value(&request->settings.options, option->name)) return true;
    }
    return false;
}

/* The files of its roles: the run keeps what they hold now, or held before the change. */
static int take_role_files(struct call *call, struct run_request *request, struct err *err)
{
    const struct brought_scope scope = {
        .dialect = request->dialect, .since = call_value(call, "since"),
        .all = call_has(call, "all"),
    };
    struct role_taking taking = { .dialect = request->dialect, .agreed = call_has(call, "trust"),
                                  .options = &request->settings.options };
    struct repo repo = { 0 };
    struct brought brought = { .repo = &repo, .commit = "", .name = "", .why = "" };
    struct err none;
    int rc;

    if (!request->dialect->role_file) return 0;
    if (repo_open(&repo, call->cwd, REPO_FIND, &none) != 0) {
        if (none.code != ERR_MISSING) return 0; /* said later */
        repo.workspace = file_real(call->cwd, &repo.arena); /* it is made when the run begins */
        if (!repo.workspace) return 0;
    }
    taking.some = repo.git_dir && brought_may_have(&repo, scope.since, BROUGHT_ROLES);
    rc = taking.some || names_roles(request) ? brought_open(&repo, &scope, &call->arena, &brought,
                                                            err) : 0;
    if (rc == 0) rc = role_files_take(&brought, &taking, &call->arena, err);
    repo_release(&repo);
    for (uint32_t i = 0; i < taking.warning_count; i++) {
        say_fail(CODE_DONE, "%s", taking.warnings[i]);
    }
    return rc;
}

/* The task where the user gives none: the dialect may have options that say what to do instead.
 * *names lists those. */
static const char *task_without(const struct run_request *request, struct buf *names)
{
    const char *const *option = request->dialect->task_options;

    if (!option) return request->dialect->task_default;
    for (; *option; option++) {
        if (setting_value(&request->settings.options, *option)) {
            return request->dialect->task_default;
        }
        buf_printf(names, " or --%s", *option);
    }
    return NULL;
}

/* Adds one word as a path of the workspace. */
static int take_path(struct call *call, const struct repo *repo, const char *word,
                     struct buf *paths, struct err *err)
{
    const char *real = *word && !strchr(word, '\n')
                           ? file_real(path_joined(call->cwd, str_of(word), &call->arena),
                                       &call->arena) : NULL;
    struct str top = str_of(repo->workspace), whole = str_of(real);

    if (!real) {
        return err_set(err, ERR_USAGE, "there is no file or folder '%.60s'; put quotes around a "
                       "task of several words", word);
    }
    if (strcmp(real, repo->workspace) == 0) {
        buf_printf(paths, "%s.", paths->size ? "\n" : "");
    } else if (str_starts(whole, top) && whole.data[top.size] == '/') {
        buf_printf(paths, "%s%s", paths->size ? "\n" : "", real + top.size + 1);
    } else {
        return err_set(err, ERR_USAGE, "'%.60s' is not in this workspace, %s; put '--' in front of "
                       "a task that is the name of a file", word, repo->workspace);
    }
    return 0;
}

/* Whether a word in front of "--" is the name of something that is there. */
static bool names_path(struct call *call)
{
    for (uint32_t i = 1; i < call->plain_count; i++) {
        const char *word = call->arguments[i];

        if (*word && file_exists(path_joined(call->cwd, str_of(word), &call->arena))) return true;
    }
    return false;
}

/* Words that name files or folders are what is looked at, of a dialect that only reviews. Where
 * none does, they are the task, and so is always what stands behind "--". */
static int take_paths(struct call *call, struct run_request *request, struct err *err)
{
    struct repo repo = { 0 };
    struct buf paths;
    struct err none;
    int rc;

    if (!plan_only_reviews(&request->plan) || !names_path(call)) return 0;
    if (repo_open(&repo, call->cwd, REPO_FIND, &none) != 0) return 0; /* said later */
    buf_init(&paths, PATTERNS_BYTES_MAX);
    rc = 0;
    for (uint32_t i = 1; rc == 0 && i < call->plain_count; i++) {
        rc = take_path(call, &repo, call->arguments[i], &paths, err);
    }
    request->settings.paths = arena_take_cstr(&call->arena, &paths);
    repo_release(&repo);
    return rc;
}

/* The task where files are named; said: what the user says besides, or NULL. */
static const char *task_of_paths(struct str paths, const char *said, struct arena *arena)
{
    const char *task = "Review only these files and folders:", *between = " ";
    struct str path;

    if (said) task = arena_printf(arena, "%s\n%s", said, task);
    while (str_cut(&paths, '\n', &path)) {
        task = arena_printf(arena, "%s%s%.*s", task, between, STR_ARG(path));
        between = ", ";
    }
    return task;
}

static int take_task(struct call *call, struct run_request *request, struct err *err)
{
    const char *task;
    struct buf names;
    uint32_t at = *request->settings.paths ? call->plain_count : 1;

    task = call_argument(call, at);
    if (call_argument(call, at + 1)) {
        return err_set(err, ERR_USAGE, "run: '%.60s' is one argument too many; put quotes around "
                       "an argument of several words", call->arguments[at + 1]);
    }
    if (*request->settings.paths) {
        task = task_of_paths(str_of(request->settings.paths), task, &call->arena);
    }
    buf_init(&names, 512);
    if (!task || str_trim(str_of(task)).size == 0) task = task_without(request, &names);
    if (!task) {
        err_set(err, ERR_USAGE, "%s needs a task%s: hone run %s \"what to do\"",
                request->dialect->name, buf_cstr(&names), request->dialect->name);
        buf_release(&names);
        return ERR_USAGE;
    }
    buf_release(&names);
    if (strlen(task) > TASK_BYTES_MAX) {
        return err_set(err, ERR_USAGE, "the task is longer than %d bytes; put it in a file of the "
                       "workspace and name that", (int)TASK_BYTES_MAX);
    }
    request->task = task;
    return 0;
}

/* What was asked for, with what the dialect's own files say: they name agents, too. The run reads
 * them again when it begins, and says what is wrong with them. */
static int configured(struct call *call, const struct run_request *request,
                      struct run_settings *out, struct err *err)
{
    struct repo repo = { 0 };
    int rc = 0;

    *out = request->settings;
    if (!request->dialect->configuring) return 0;
    rc = repo_open(&repo, call->cwd, false, err);
    if (rc == 0 || rc == ERR_MISSING) {
        config_load(request->dialect, rc == 0 ? repo.workspace : call->cwd, &out->options,
                    &call->arena);
        rc = 0;
    }
    repo_release(&repo);
    return rc;
}

/* What a run before looked at is looked at again, unless options say something else. */
static void take_scope_before(const struct call *call, const struct run_settings *before,
                              struct run_settings *settings)
{
    if (!settings->scope_given && before->scope_given) {
        settings->since = before->since;
        settings->paths = before->paths;
        settings->scope_given = true;
    }
    if (!call_has(call, "exclude")) settings->exclude = before->exclude;
    if (!call_has(call, "include-generated")) settings->generated = before->generated;
}

int run_cast(struct call *call, const struct run_request *request, enum repo_make make,
             struct run_settings *cast, struct selection *chosen, struct err *err)
{
    struct choose_request asked = {
        .dialect = request->dialect, .plan = &request->plan, .settings = cast,
        .backends = request->backends ? request->backends : backends,
    };
    struct repo repo = { 0 };
    int rc = configured(call, request, cast, err);

    if (rc == 0 && choose_wants_project(&asked)) rc = repo_open(&repo, call->cwd, make, err);
    if (rc == 0) rc = choose_in(&repo, &asked, &call->arena, chosen, err);
    repo_release(&repo);
    if (rc == 0) selection_add(chosen, cast, &call->arena);
    return rc;
}

int run_choose_rest(struct call *call, struct run_request *request, struct err *err)
{
    struct run_settings cast;
    struct selection selection;
    int rc = run_cast(call, request, REPO_MAKE, &cast, &selection, err);

    if (rc != 0) return rc;
    selection_add(&selection, &request->settings, &call->arena);
    preview_choice(call, &selection);
    preview_policy(call, &request->settings, &request->plan, request->before != NULL);
    return 0;
}

/* The folder is taken as it is: from then on it is one that hone has worked in. */
static int take_folder(struct call *call, struct err *err)
{
    struct repo repo = { 0 };
    int rc = repo_open(&repo, call->cwd, REPO_MAKE_ANY, err);

    repo_release(&repo);
    return rc;
}

int run_take_all(struct call *call, struct run_request *request, struct err *err)
{
    int rc = call_has(call, "any-folder") && !request->previews ? take_folder(call, err) : 0;

    brought_keep();
    if (rc != 0) return rc;
    rc = request->project ? hone_own_open_as(&request->own, call->cwd, request->project, err)
                          : hone_own_open(&request->own, call->cwd, false, err);
    if (rc != 0) return rc;
    hone_prefill(&request->own.values, request->dialect, &request->settings, &call->arena);
    request->settings.paths = request->settings.fail_on = "";
    rc = take_options(call, request, err);
    if (rc == 0) rc = take_files(call, request, err);
    if (rc == 0) rc = take_role_files(call, request, err);
    if (call_has(call, "no-fix")) request->settings.no_fix = true;
    if (call_has(call, "fleet")) request->settings.fleet = call_value(call, "fleet");
    if (rc == 0) rc = take_until(call, &request->settings, err);
    if (rc == 0) {
        rc = settings_plan(&request->settings, request->dialect, &call->arena, &request->plan,
                           err);
    }
    if (rc == 0 && !request->task) rc = take_paths(call, request, err);
    if (rc == 0 && !request->task) {
        rc = take_task(call, request, err);
        if (rc != 0 && request->previews) {
            request->problem = arena_cstr(&call->arena, str_of(err->text));
            rc = 0;
        }
    }
    if (rc == 0) rc = take_limits(call, &request->settings, err);
    if (rc == 0) rc = take_budget(call, &request->settings, err);
    if (rc == 0) rc = take_scope(call, &request->settings, err);
    if (rc == 0 && request->before) take_scope_before(call, request->before, &request->settings);
    if (rc == 0 && request->settings.no_fix && !plan_only_reviews(&request->plan)) {
        rc = err_set(err, ERR_USAGE, "--no-fix only looks, and %s has work to do first: it is for "
                     "dialects that only review", request->dialect->name);
    }
    if (rc == 0) rc = run_take_roles(call, request, err);
    if (rc != 0) return rc;
    return hone_cast(&request->own.values, request->dialect, &request->plan, &request->settings,
                     &call->arena, err);
}

/* --trust is for the project's rules, too, where there is no commit to read them from. */
static int agree_to_rules(struct call *call, const struct run_request *request, struct err *err)
{
    struct repo repo = { 0 };
    int rc = repo_open(&repo, call->cwd, REPO_MAKE, err);
    const struct guidelines_of of = { .repo = &repo, .dialect = request->dialect,
                                      .start = call->cwd };

    if (rc == 0) rc = guidelines_agree(&of, &request->settings, err);
    repo_release(&repo);
    return rc;
}

int run_agree(struct call *call, struct run_request *request, struct err *err)
{
    int rc;
    const struct hone_use use = {
        .values = &request->own.values, .dialect = request->dialect,
        .settings = &request->settings,
        .sandbox_said = call_has(call, "sandbox") || call_has(call, "no-sandbox"),
    };

    rc = own_agree(call, &request->own, &use, err);
    if (rc == 0 && call_has(call, "trust") && !request->previews) {
        rc = agree_to_rules(call, request, err);
    }
    return rc;
}

bool run_knows_option(const struct dialect *dialect, struct str name, bool *wants)
{
    const struct option *option = verb_run.options;
    const struct dialect_option *own;
    struct str rest = name;

    (void)str_cut(&rest, '=', &name);
    own = dialect_option_in(dialect, name);
    while (option->name && (!*option->name || !str_is(name, option->name))) option++;
    if (!own && !option->name) return false;
    *wants = (own ? own->argument : option->argument) != NULL;
    return true;
}

int run_take(struct call *call, struct run_request *request, struct err *err)
{
    int rc = run_find_dialect(call, call_argument(call, 0), request, err);

    if (rc == 0) rc = run_take_all(call, request, err);
    return rc == 0 ? run_agree(call, request, err) : rc;
}

void run_request_release(struct run_request *request)
{
    hone_own_close(&request->own);
}

/* What the words come to, said instead of done. Without a dialect that of a plain review. */
static int show_preview(struct call *call, bool named)
{
    struct run_request request = { .previews = true };
    struct err err = { 0 };
    int rc = run_find_dialect(call, named ? call_argument(call, 0) : "review", &request, &err);

    if (rc == 0) {
        struct preview preview = { .call = call, .dialect = request.dialect };

        rc = run_take_all(call, &request, &err);
        if (rc == 0 && named) rc = run_agree(call, &request, &err);
        if (rc == 0) {
            preview.plan = &request.plan;
            preview.settings = &request.settings;
            preview.task = request.task;
        }
        preview.problem = rc != 0 ? err.text : request.problem;
        rc = rc != 0 && !call->json ? say_err(&err) : preview_show(&preview);
    } else {
        rc = say_err(&err);
    }
    run_request_release(&request);
    return rc;
}

static int handle(struct call *call)
{
    const char *word = call_argument(call, 0);
    struct run_request request = { 0 };
    struct err err;
    int rc;

    if (!word || call_has(call, "preview")) return show_preview(call, word != NULL);
    rc = run_find_dialect(call, word, &request, &err);
    if (rc == 0) rc = run_take_all(call, &request, &err);
    if (rc == 0) rc = run_agree(call, &request, &err);
    if (rc == 0) rc = run_choose_rest(call, &request, &err);
    if (rc == 0) {
        rc = headless_run(&(struct headless_request){
            .version = HONE_VERSION, .start = call->cwd,
            .dialect = request.dialect,
            .task = request.task,
            .settings = &request.settings,
            .json = call->json,
            .quiet = call->quiet,
            .color = call->color,
        });
    } else {
        rc = say_err(&err);
    }
    run_request_release(&request);
    return rc;
}

static void add_roles(struct page *page, const struct dialect *dialect)
{
    const char *const *roles = hone_roles(dialect, &page->arena);
    struct buf names;

    buf_init(&names, 2048);
    for (uint32_t i = 0; roles[i]; i++) buf_printf(&names, "%s%s", i ? ", " : "", roles[i]);
    page_add(page, BLOCK_TERM, dialect->name, arena_cstr(&page->arena, buf_str(&names)));
    buf_release(&names);
}

static void add_dialects(struct page *page)
{
    page_add(page, BLOCK_HEADING, NULL, "Dialects");
    for (uint32_t i = 0; dialects[i]; i++) {
        page_add(page, BLOCK_TERM, dialects[i]->name, dialects[i]->summary);
    }
    page_add(page, BLOCK_HEADING, NULL, "Roles");
    for (uint32_t i = 0; dialects[i]; i++) add_roles(page, dialects[i]);
    for (uint32_t i = 0; dialects[i]; i++) {
        const struct dialect_option *option = dialects[i]->options;
        if (!option || !option->name) continue;
        page_add(page, BLOCK_HEADING, NULL,
                 arena_printf(&page->arena, "Options of %s", dialects[i]->name));
        for (; option->name; option++) {
            page_add_option(page, &(struct option){
                .name = option->name, .argument = option->argument, .help = option->help,
            });
        }
    }
}

/* Those that come with hone, by what their files say they are for. */
static void add_loops(struct page *page)
{
    page_add(page, BLOCK_HEADING, NULL, "Loops that come with hone");
    for (const struct loop_shipped *shipped = loop_shipped_all; shipped->name; shipped++) {
        page_add(page, BLOCK_TERM, shipped->name, loop_about(shipped, &page->arena));
    }
}

/* Lines of --json (report/json.c). */
static const struct {
    const char *name, *help;
} json_events[] = {
    { "run", "it begins: run, dialect, task, workspace, resumed, sandbox" },
    { "start", "an attempt begins: job, attempt, role, purpose, phase, iteration, round, copy, "
               "by; eye and recheck, of a review with --until" },
    { "progress", "how far it says it is: the same, who, and progress: a list of done, total and "
                  "of (files, fixes, tests)" },
    { "ended", "it has ended: the same, verdict and took_ms; findings of a reviewer; failure and "
               "problem, where there are any" },
    { "waiting", "it is asked again later: the same, for, until and problem" },
    { "round", "a review is complete: phase, round, verdict, finding_count" },
    { "ask", "the run waits for an answer: question; escalation, where the dialect has a word "
             "for it" },
    { "warning", "text" },
    { "finish", "the last line: run, reason, exit_code, rounds, calls, found, fixed, left, noted, "
                "waived, took_ms, cost, files, resumable; until, where gates have a policy: its "
                "looks and rechecks, what is expected to be left, what one more look costs; "
                "held_back, the number of risky fixes that were "
                "not made, and unverified, where no test has judged the fixes" },
};

static void extend(struct page *page)
{
    add_dialects(page);
    add_loops(page);
    page_add(page, BLOCK_HEADING, NULL, "Agents");
    for (uint32_t i = 0; backends[i]; i++) {
        const struct backend *backend = backends[i];
        if (backend->hosted) continue; /* --agent cannot name it */
        page_add(page, BLOCK_TERM, backend_form(backend, &page->arena),
                 backend_help(backend, &page->arena));
    }
    page_add(page, BLOCK_HEADING, NULL, "Lines of --json");
    for (uint32_t i = 0; i < sizeof json_events / sizeof *json_events; i++) {
        page_add(page, BLOCK_TERM, json_events[i].name, json_events[i].help);
    }
}

const struct verb verb_run = {
    .name = "run",
    .summary = "start a headless run in this repository",
    .text = {
        "Runs DIALECT for TASK in the repository around the current directory, in the foreground, "
        "until it ends. Each role of the dialect is played by the agent that --agent names for "
        "it. For the others hone chooses: a model whose program is on the PATH, else the "
        "analyzers that are installed and fit the sources here, and a fixer that applies what "
        "they suggest. Where a dialect leaves a role to one program, no other is chosen for it. "
        "Progress goes to standard error; with --json, standard output has one JSON "
        "object per line, which says in \"event\" what it is about and in \"at\" when it was, in "
        "milliseconds since 1970: see Lines of --json.",
        "Settings come from the user's own file, from hone.json at the top of the repository and "
        "from the file that HONE_CONFIG names; the last one wins, and options win over all of "
        "them. 'hone config show' lists them.",
        "A run that an agent of another run starts gets no larger a budget than was left for that "
        "agent: it is in HONE_BUDGET.",
        "A run that was interrupted, on purpose or by a crash, goes on with 'hone resume'. One "
        "run at a time works in a workspace. On a terminal the key p pauses a run: agents at work "
        "finish, none starts; what is typed then is told to the agents that follow, and Enter "
        "goes on.",
    },
    .arguments = {
        { .name = "DIALECT", .optional = true,
          .help = "the loop's rules: see Dialects; or a loop of your own: a path, or a name, which "
                  "is looked for in .hone/loops, in hone/loops of your settings and among those "
                  "that come with hone. Without it, hone says what 'hone run review' would do "
                  "here, starts nothing and ends with 0" },
        { .name = "TASK", .optional = true, .many = true,
          .help = "what the agents are to do, in one argument; some dialects have a default. Of a "
                  "dialect that only reviews, words that name files or folders are what is looked "
                  "at, whole or, with --since, their change; what stands behind '--' is always "
                  "the task" },
    },
    .options = {
        { .name = "agent", .argument = "ROLE=SPEC",
          .help = "the agent that plays ROLE; may be given many times; ROLE '*' stands for all "
                  "roles that are not named; see Roles, and for SPEC see Agents" },
        { .name = "agent-effort", .argument = "ROLE=EFFORT",
          .help = "how hard the model that plays ROLE thinks: minimal, low, medium, high, xhigh, "
                  "max or ultra, as far as its program knows the word; may be given many times; "
                  "no effect on agents that cannot be told (all but claude and codex)" },
        { .name = "until", .argument = "POLICY",
          .help = "until what a gate goes on: seed, all its reviewers again after each repair, as "
                  "the dialect has it (by default); settled, two looks by different models in "
                  "turn, then one reviewer looks again at each repair; lean, with fewer calls, for "
                  "small changes; thorough, a third look where much was found; clean, looks until "
                  "one finds nothing. See 'hone help ends' and docs/convergence.md" },
        { .name = "eyes", .argument = "SPEC,...",
          .help = "the agents that look in turn with those that play the reviewers; with --until. "
                  "By default the other models whose programs are on the PATH" },
        { .name = "since", .argument = "REV",
          .help = "look at what has changed since this commit, and at what is not committed; by "
                  "default at what is not committed, or at everything where all is" },
        { .name = "all",
          .help = "look at everything, and list all findings: of a change, analyzers list what it "
                  "brings, and count what was there before" },
        { .name = "exclude", .argument = "PATTERN",
          .help = "leave out files, as a line of .gitignore would; may be given many times" },
        { .name = "test", .argument = "COMMAND",
          .help = "must pass after the repairs of fixits, by sh -c, or those that break it are "
                  "taken back; by default it is the one that 'hone init' would find, "
                  "with no home and no network; '' for none; other fixers find it in HONE_TEST, "
                  "and with --until each of their repairs that breaks it is taken back" },
        { .name = "fixes", .argument = "WHICH",
          .help = "which fixes of the analyzers fixits makes: safe, those that cannot change what "
                  "the program does, and the others only where a test passes before and after; or "
                  "all; safe by default",
          .words = "safe or all" },
        { .name = "include-generated",
          .help = "review and fix generated, minified and vendored files, too" },
        { .name = "timeout", .argument = "DURATION",
          .help = "end an agent after so long: 90s, 15m, 2h, or 0 for never; 1h by default" },
        { .name = "idle-timeout", .argument = "DURATION",
          .help = "end an agent that has written nothing for so long; 15m by default" },
        { .name = "budget", .argument = "LIMITS",
          .help = "what the run may use in all, resumes included: usd=5,tokens=2M,time=2h,calls=40 "
                  "or some of them; when one is spent no agent is started any more" },
        { .name = "sandbox",
          .help = "keep reviewers from writing to the tree, and fixers from writing elsewhere, "
                  "also where a settings file switches that off; end with 2 where it cannot be" },
        { .name = "any-folder",
          .help = "work in a folder that is in no git repository also where it is the root of the "
                  "file system or a home folder, or has more than 50,000 files: all of it is "
                  "read" },
        { .name = "no-sandbox",
          .help = "let agents write where you can; hone still finds and puts back what reviewers "
                  "change, and what no agent may change (hooks, files of CI)" },
        { .name = "no-fix",
          .help = "only look: nothing is repaired, and the run ends behind its first review" },
        { .name = "isolate",
          .help = "let a fixer work in a disposable work tree, made from yours as it is; what it "
                  "changed comes to yours as one change when it has ended well, or not at all. "
                  "What you edit meanwhile stays" },
        { .name = "fleet", .argument = "URL",
          .help = "let agents play on other machines: ssh:HOST, whose hone is the only worker; "
                  "nats://HOST[:PORT] or tls://HOST[:PORT], whose workers are started by "
                  "'hone worker'; cmd:COMMAND, a program that speaks as docs/reference/carrier.md "
                  "says; local for this machine, also where a settings file names another" },
        { .name = "fail-on", .argument = "SEVERITY",
          .help = "low, medium or high: what is less grave is noted, and does not make the end 1",
          .words = "low, medium or high" },
        { .name = "allow-partial",
          .help = "end with 0, and not with 1, where nothing was found and some files were not "
                  "looked at; they are named all the same" },
        { .name = "require-proof",
          .help = "count a review only with proof of reading: a model's stream, or what a command "
                  "writes into the file HONE_EVIDENCE, names each file of the change" },
        { .name = "preview",
          .help = "say what would be done, and why it could not be started: nothing is started, "
                  "agreed to or written; with --json as one document" },
        { .name = "trust",
          .help = "agree to what the settings of this repository would run, and to what makes a "
                  "review worth less, now and from now on; without it hone asks on a terminal, and "
                  "refuses elsewhere. Also to REVIEW.md and guidelines as they are, where there is "
                  "no commit to read them from" },
    },
    .dialect_options = true,
    .codes = {
        { CODE_DONE, "clean: the last gate that judged the work passed; or, without DIALECT, what "
                     "would be done was shown" },
        { CODE_FINDINGS, "findings remain, or some files were not looked at" },
        { CODE_USAGE, "the command line or the configuration is wrong, another run works in this "
                      "workspace, or no reviewer looked at anything" },
        { CODE_FAILED, "an agent could not run or kept breaking its contract" },
        { CODE_BUDGET, "the budget is spent; 'hone resume --budget' goes on with more" },
        { CODE_WAITING, "the run waits for an answer" },
        { CODE_INTERRUPTED, "the run was interrupted" },
    },
    .examples = {
        "hone run review",
        "hone run review src/parser.c include --no-fix",
        "hone run review --until settled --eyes codex",
        "hone run review \"only the parser\" --agent '*=claude' --max-iterations 2",
        "hone run cycles --spec specs/042-login.md --agent spec-reviewer=codex",
    },
    .extend = extend,
    .handle = handle,
};
