/* SPDX-License-Identifier: Apache-2.0
 *
 * ci.c - hone ci: hone run review as a pipeline wants it.
 *
 *   environment --> whose change, against what --> a run of review --> reports --> exit code
 *
 * hone run's own functions read the options and run (cmd/run.c). What is special here:
 *
 * 1. What says how the change is judged comes from the commit that it is measured against: roles,
 *    loops, rules and waivers always do (settings/brought.h), and here hone.json does, too. What
 *    the change alters of it is said.
 * 2. The change of a fork meets no credential. Every variable that may hold one is taken out of
 *    hone's own environment before anything starts, so that nothing that hone starts can have it;
 *    and analyzers alone judge: a model cannot work without a login, and a command may be a script
 *    that the change wrote. What is named otherwise is left out, and that is said. Nothing is
 *    repaired.
 * 3. No question is asked: what needs agreement has it by --trust, or the run does not begin.
 * 4. Only what the change brought fails: the end is 1 where something is found that is as grave as
 *    --fail-on. A run that failed, or could not look, has the exit code that every verb has for it:
 *    no --fail-on makes it 0.
 * 5. Bounds are on unless settings or options name others.
 * 6. Files that the commit does not have (what a build left) are not part of the change.
 * 7. A hook of git (--staged, --pushed) says nothing where nothing is wrong, asks no model, and
 *    lets pass what no analyzer looks at. It is no pipeline, also where a service's variables are
 *    set.
 *
 * Not here: which commit (settings/parting.c), what services tell (format/pipeline.c), what they
 * are shown (ci_show.c). */
#include "cmd/ci_patch.h"
#include "cmd/ci_show.h"
#include "cmd/page.h"
#include "cmd/run.h"
#include "cmd/say.h"
#include "cmd/verbs.h"

#include "agent/env.h"
#include "base/path.h"
#include "drive/headless/headless.h"
#include "drive/spending.h"
#include "format/json/finding_json.h"
#include "format/report/baseline.h"
#include "format/text/budget_text.h"
#include "io/file/file.h"
#include "io/file/lock.h"
#include "io/file/peek.h"
#include "io/file/stream.h"
#include "io/git/worktree.h"
#include "io/process/host.h"
#include "run/ends.h"
#include "run/place.h"
#include "settings/brought.h"
#include "settings/parting.h"
#include "settings/pipeline_here.h"
#include "settings/scope.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What is judged where no option says it: a line of what git pushes. */
struct pushed {
    const char *base, *head; /* base NULL: everything is new */
};

/* What bounds a run where nothing else does: half an hour, as many agents as five reviewers need
 * for five rounds with a fixer, and, where a model tells what it costs, some dollars. */
#define BOUNDS "time=30m,calls=40,when_spent=stop"
#define BOUND_USD "5"
enum { BOUND_WAIT_MS = 600 * 1000, NAMES_BYTES_MAX = 64 << 20, SHORT_COMMIT = 12,
       PATTERNS_BYTES_MAX = 8 << 10, PATCH_BYTES_MAX = 256 << 20, BUDGET_BYTES_MAX = 256,
       RUN_NAME_BYTES_MAX = 64, BACKENDS_MAX = 64, PUSHED_BYTES_MAX = 1 << 20,
       WORKTREE_LETTERS = 10 };

#define REPORT_FOLDER "hone-report"
#define WORKTREE_PREFIX "ci-"

struct ci {
    struct call *call;
    struct arena *arena;       /* the call's */
    struct repo repo;          /* where the run works */
    struct pipeline pipeline;
    struct parting parting;
    const char *head;          /* the commit that is judged ... */
    bool differs;              /* ... with what the work tree has changed since */
    const struct pushed *pushed; /* NULL: it is no hook before a push */
    bool hook;
    bool fork;
    uint32_t withheld;         /* variables that were taken out of our environment */
    bool tools_only;           /* analyzers judge, and no model and no command */
    bool staged, all, fix, commit, allow_unseen; /* as the options of these names say */
    const char *fail_on;       /* low, medium, high or none */
    const char *worktree;      /* a work tree that was made for this; NULL: none ... */
    const char *worktree_name;
    struct lock worktree_lock;
    struct repo outer;         /* ... and what it is a work tree of */
    struct ci_patch patch;
    struct str project;        /* hone.json as it counts; data NULL: there is none */
    const char *judged_by;     /* the commit that says how it is judged */
    struct run_request request;
    struct buf run;            /* its name */
    struct ci_show show;
    struct ci_end end;
};

static void warn(const struct ci *ci, const char *text)
{
    (void)ci;
    say_fail(CODE_DONE, "%s", text);
}

/* ---- words of the command line ---- */

static const char *const own_options[] = {
    "base", "head", "output", "fix", "commit", "fork", "no-models", "staged", "allow-unseen",
    "no-fix", "fail-on", "pushed", NULL,
};

static bool is_own_option(const struct given *given)
{
    const char *const *own = own_options;

    while (*own && strcmp(given->name, *own) != 0) own++;
    return !given->of_dialect && *own;
}

static int check_words(struct ci *ci, struct err *err)
{
    const struct call *call = ci->call;
    enum severity least;

    if (call_has(call, "since")) {
        return err_set(err, ERR_USAGE, "--since is --base here: the commit or branch that the "
                       "change is measured against");
    }
    if (call_has(call, "commit") && !call_has(call, "fix")) {
        return err_set(err, ERR_USAGE, "--commit is for --fix: without it nothing is changed");
    }
    if (call_has(call, "fix") && call_has(call, "no-fix")) {
        return err_set(err, ERR_USAGE, "--fix and --no-fix exclude each other");
    }
    if (call_has(call, "staged") && (call_has(call, "base") || call_has(call, "head") ||
                                     call_has(call, "all") || call_has(call, "fix"))) {
        return err_set(err, ERR_USAGE, "--staged judges what is staged, against HEAD: it goes "
                       "without --base, --head, --all and --fix");
    }
    if (call_has(call, "pushed") && (call_has(call, "base") || call_has(call, "head") ||
                                     call_has(call, "all") || call_has(call, "fix") ||
                                     call_has(call, "staged"))) {
        return err_set(err, ERR_USAGE, "--pushed judges what git pushes: it goes without --base, "
                       "--head, --all, --fix and --staged");
    }
    if (call_has(call, "all") && call_has(call, "base")) {
        return err_set(err, ERR_USAGE, "--base and --all exclude each other: a change, or "
                       "everything");
    }
    ci->fail_on = call_has(call, "fail-on") ? call_value(call, "fail-on") : "low";
    if (strcmp(ci->fail_on, "none") != 0 && !severity_from_word(str_of(ci->fail_on), &least)) {
        return err_set(err, ERR_USAGE, "--fail-on %.60s: there are low, medium, high and none",
                       ci->fail_on);
    }
    return 0;
}

/* ---- whose change ---- */

static void read_pipeline(struct ci *ci)
{
    if (ci->hook) ci->pipeline = pipeline_none;
    else pipeline_here(ci->arena, &ci->pipeline);
    if (call_has(ci->call, "fork") && !ci->pipeline.fork) {
        ci->pipeline.fork = true;
        ci->pipeline.why_fork = "--fork says so";
    }
    ci->fork = ci->pipeline.fork;
    ci->tools_only = ci->fork || ci->hook || call_has(ci->call, "no-models");
}

/* Takes every variable that may hold a credential out of our environment; how many. */
static uint32_t drop_credentials(struct ci *ci)
{
    const char *const *environment = host_environment();
    const char **names;
    uint32_t count = 0;

    while (environment[count]) count++;
    names = arena_alloc(ci->arena, (count + (size_t)1) * sizeof *names);
    count = 0;
    for (; *environment; environment++) {
        struct str value = str_of(*environment), name;

        if (!str_cut(&value, '=', &name) || !env_is_secret(name, value, file_exists)) continue;
        names[count++] = arena_cstr(ci->arena, name);
    }
    for (uint32_t i = 0; i < count; i++) unsetenv(names[i]);
    return count;
}

/* Whether the checkout keeps what it was fetched with in the repository's configuration, or in a
 * file that this includes: as a header, or in an address. */
static bool keeps_token(const struct ci *ci)
{
    static const char keys[] = "^http\\..*\\.extraheader$|^remote\\..*url$|^url\\..*insteadof$";
    static const char *const args[] = { "config", "--local", "--includes", "--get-regexp", keys,
                                        NULL };
    struct err none;
    struct str rest = str_of(repo_ask(&ci->repo, args, ci->arena, &none)), line;

    while (str_cut(&rest, '\n', &line)) {
        if (str_starts(line, STR("http."))) return true;
        if (env_is_secret(STR("url"), line, file_exists)) return true;
    }
    return false;
}

static void meet_fork(struct ci *ci)
{
    warn(ci, arena_printf(ci->arena, "this change is a fork's (%s): analyzers alone judge it, "
                          "nothing is repaired, and nothing that hone starts has a credential (%"
                          PRIu32 " variable%s withheld)", ci->pipeline.why_fork, ci->withheld,
                          ci->withheld == 1 ? " is" : "s are"));
    if (keeps_token(ci)) {
        warn(ci, arena_printf(ci->arena, "the configuration of this checkout holds a token, which "
                              "every program here can read: %s",
                              ci->pipeline.service == PIPELINE_GITLAB
                                  ? "set FF_GIT_URLS_WITHOUT_TOKENS: \"true\" for the job"
                                  : "give actions/checkout 'persist-credentials: false'"));
    }
}

/* ---- what is judged ---- */

static bool is_at_head(const struct ci *ci, const char *commit)
{
    const char *head;
    struct err none;

    head = repo_commit(&ci->repo, "HEAD", ci->arena, &none);
    return head && strcmp(head, commit) == 0;
}

/* The lock of a work tree that was made for this, by its name: held while it is in use. */
static const char *worktree_lock(const struct ci *ci, const char *name)
{
    return arena_printf(ci->arena, "%s/locks/%s", ci->repo.hone_dir, name);
}

/* Removes those that a hone left which was killed. */
static void sweep_worktrees(const struct ci *ci, const char *folder)
{
    const char *const *names = folder_names(folder, WORKTREE_PREFIX, ci->arena);

    for (; *names; names++) {
        const char *lock = worktree_lock(ci, *names);
        struct lock_owner owner;
        struct err none;

        if (lock_is_held(lock, &owner)) continue;
        (void)worktree_remove(&ci->repo, arena_printf(ci->arena, "%s/%s", folder, *names), "",
                              &none);
        (void)file_remove_in(ci->repo.hone_dir, arena_printf(ci->arena, "locks/%s", *names),
                             &none);
    }
}

/* A work tree of the commit, since what is checked out is another one, differs from it, or cannot
 * be written to. */
static int make_worktree(struct ci *ci, struct err *err)
{
    const char *folder = place_worktrees(&ci->repo, ci->arena);
    char word[WORKTREE_LETTERS + 1];
    enum worktree_made made;
    struct lock_owner owner;
    struct buf notes;
    int rc = file_make_folder(folder, false, err);

    if (rc == 0) rc = file_make_folder_in(ci->repo.hone_dir, "locks", err);
    if (rc != 0) return rc;
    sweep_worktrees(ci, folder);
    random_word(word, WORKTREE_LETTERS);
    ci->worktree_name = arena_printf(ci->arena, WORKTREE_PREFIX "%s", word);
    ci->worktree = arena_printf(ci->arena, "%s/%s", folder, ci->worktree_name);
    rc = lock_open(&ci->worktree_lock, worktree_lock(ci, ci->worktree_name), "", 0, &owner, err);
    buf_init(&notes, SAY_BYTES_MAX);
    if (rc == 0) {
        rc = worktree_make(&ci->repo, &(struct worktree){ .path = ci->worktree, .branch = "",
                                                          .start = ci->head }, &made, &notes, err);
    }
    buf_release(&notes);
    ci->outer = ci->repo;
    ci->repo = (struct repo){ 0 };
    if (rc != 0) return err_wrap(err, "make a work tree of commit %.*s", SHORT_COMMIT, ci->head);
    ci->call->cwd = ci->worktree;
    return repo_open(&ci->repo, ci->worktree, REPO_FIND, err);
}

static void remove_worktree(struct ci *ci)
{
    struct err err;

    if (!ci->worktree) return;
    if (worktree_remove(&ci->outer, ci->worktree, "", &err) != 0) {
        say_fail(CODE_DONE, "%s", err.text);
    }
    (void)file_remove_in(ci->outer.hone_dir, arena_printf(ci->arena, "locks/%s",
                                                          ci->worktree_name), &err);
    lock_close(&ci->worktree_lock);
}

static int find_head(struct ci *ci, struct err *err)
{
    const char *named = ci->pushed ? ci->pushed->head : call_value(ci->call, "head");
    bool changed = false;
    struct err none;
    int rc;

    ci->head = repo_commit(&ci->repo, named ? named : "HEAD", ci->arena, &none);
    if (!ci->head && named) {
        return err_set(err, ERR_USAGE, "--head: this repository has no commit '%.100s'", named);
    }
    if (!ci->head) {
        return err_set(err, ERR_USAGE, "there is no commit yet: there is nothing to judge here");
    }
    if (!ci->staged && !file_is_writable_in(ci->repo.workspace, ".git")) {
        return make_worktree(ci, err); /* a run writes there */
    }
    rc = scope_has_changed(&ci->repo, NULL, &changed, ci->arena, err);
    if (rc != 0) return rc;
    ci->differs = changed && !named && !ci->staged;
    if (!named) return 0;
    return changed || !is_at_head(ci, ci->head) ? make_worktree(ci, err) : 0;
}

/* A run is kept in the git folder. */
static int check_writable(const struct ci *ci, struct err *err)
{
    if (file_is_writable_in(ci->repo.common_dir, "HEAD")) return 0;
    return err_set(err, ERR_USAGE, "hone keeps what it does in %s/hone, and this user cannot write "
                   "there: let it be written to, or judge a copy ('git clone --no-local . COPY')",
                   ci->repo.common_dir);
}

static int find_base(struct ci *ci, struct err *err)
{
    const char *named = ci->pushed ? ci->pushed->base : call_value(ci->call, "base");
    const char *from = getenv("PRE_COMMIT_FROM_REF");
    struct parting_request request = { .pipeline = &ci->pipeline, .base = named,
                                       .base_by = "--base", .head = ci->head };

    if (ci->staged && from && *from) { /* pre-commit run --from-ref: what it names, not the index */
        request.base = from;
        request.base_by = "PRE_COMMIT_FROM_REF";
    } else if (ci->staged) {
        ci->parting = (struct parting){ .commit = ci->head, .how = "HEAD" };
        return 0;
    }
    if (ci->all || (ci->pushed && !named)) {
        ci->parting = (struct parting){ .commit = "", .how = "everything is judged" };
        return 0;
    }
    if (!request.base) {
        request.base = getenv("HONE_BASE");
        request.base_by = "HONE_BASE";
    }
    return parting_find(&ci->repo, &request, ci->arena, &ci->parting, err);
}

/* Whether two commits hold the same. */
static bool is_same_tree(const struct ci *ci, const char *one, const char *other)
{
    const char *const args[] = { "diff", "--quiet", "--no-ext-diff", one, other, NULL };
    struct err none;

    return repo_do(&ci->repo, args, STR(""), &none) == 0;
}

static void say_what(const struct ci *ci)
{
    const char *base = *ci->parting.commit
        ? arena_printf(ci->arena, "%.*s (%s)", SHORT_COMMIT, ci->parting.commit, ci->parting.how)
        : ci->parting.how;

    if (ci->call->quiet) return;
    warn(ci, arena_printf(ci->arena, "%s: commit %.*s%s is judged against %s",
                          pipeline_titles[ci->pipeline.service], SHORT_COMMIT, ci->head,
                          ci->differs ? ", with what is changed in the work tree," : "", base));
    if (*ci->pipeline.problem && ci->pipeline.service == PIPELINE_GITHUB) {
        warn(ci, arena_printf(ci->arena, "the event cannot be read: %s", ci->pipeline.problem));
    }
}

/* ---- the options of the run ---- */

/* A pattern that takes exactly this path; false: there is none. */
static bool write_pattern(struct buf *out, struct str path)
{
    if (str_has(path, '\n')) return false;
    buf_byte(out, '/');
    for (size_t i = 0; i < path.size; i++) {
        if (path.data[i] && strchr("\\*?[ ", path.data[i])) buf_byte(out, '\\');
        buf_byte(out, path.data[i]);
    }
    return !out->overflow;
}

/* Patterns for the files that the commit does not have: they are no part of the change. NULL ends;
 * *count: how many. */
static int list_unknown(struct ci *ci, const char *const **out, uint32_t *count, struct err *err)
{
    static const char *const args[] = { "ls-files", "--others", "--exclude-standard",
                                        "--directory", "--no-empty-directory", "-z", NULL };
    const char **items = NULL;
    uint32_t cap = 0, all = 0;
    struct str rest, name;
    size_t bytes = 0;
    struct buf text;
    int rc;

    buf_init(&text, NAMES_BYTES_MAX);
    rc = repo_git(&ci->repo, args, STR(""), &text, err);
    rest = arena_take(ci->arena, &text);
    *count = 0;
    for (; rc == 0 && str_cut(&rest, '\0', &name); all++) {
        struct buf pattern;

        buf_init(&pattern, PATTERNS_BYTES_MAX);
        if (write_pattern(&pattern, name) && bytes + pattern.size < PATTERNS_BYTES_MAX) {
            bytes += pattern.size + 1;
            items = arena_grow(ci->arena, items, *count, &cap, sizeof *items);
            items[(*count)++] = arena_cstr(ci->arena, buf_str(&pattern));
        }
        buf_release(&pattern);
    }
    *out = items;
    if (all > 0 && !ci->call->quiet) {
        warn(ci, arena_printf(ci->arena, "%" PRIu32 " of %" PRIu32 " files and folders that are "
                              "not in the commit are left out", *count, all));
    }
    return rc;
}

/* The files that are staged, as arguments. */
static int take_staged(struct ci *ci, struct err *err)
{
    static const char *const args[] = { "diff", "--cached", "--name-only", "--no-ext-diff",
                                        "--diff-filter=d", "-z", "HEAD", NULL };
    struct call *call = ci->call;
    const char *index = call->index;
    struct str rest, name;
    struct buf text;
    uint32_t cap = 0;
    int rc;

    if (!ci->staged || call->argument_count > 0) return 0;
    buf_init(&text, NAMES_BYTES_MAX);
    if (index) index = path_joined(call->cwd, str_of(index), ci->arena);
    rc = index ? repo_git_index(&ci->repo, index, args, STR(""), &text, err)
               : repo_git(&ci->repo, args, STR(""), &text, err);
    rest = arena_take(ci->arena, &text);
    call->arguments = NULL;
    call->cwd = ci->repo.workspace;
    while (rc == 0 && str_cut(&rest, '\0', &name)) {
        if (str_has(name, '\n')) {
            warn(ci, "a staged file with a line end in its name is not judged");
            continue;
        }
        call->arguments = arena_grow(ci->arena, call->arguments, call->argument_count, &cap,
                                     sizeof *call->arguments);
        call->arguments[call->argument_count++] = arena_cstr(ci->arena, name);
    }
    call->plain_count = call->argument_count;
    return rc;
}

/* The arguments as hone run has them: the dialect in front. Each must be there: hone run would take
 * a word that names nothing for a task. */
static int take_paths(struct ci *ci, struct err *err)
{
    struct call *call = ci->call;
    const char **words = arena_alloc(ci->arena, (call->argument_count + 2) * sizeof *words);

    words[0] = "review";
    for (uint32_t i = 0; i < call->argument_count; i++) {
        const char *word = call->arguments[i];

        if (!*word || !file_exists(path_joined(call->cwd, str_of(word), ci->arena))) {
            return err_set(err, ERR_USAGE, "there is no file or folder '%.100s'", word);
        }
        words[i + 1] = word;
    }
    call->arguments = words;
    call->argument_count++;
    call->plain_count = call->argument_count;
    return 0;
}

/* The options as hone run has them: those of this verb become some of that one's. */
static int take_options(struct ci *ci, struct err *err)
{
    struct call *call = ci->call;
    const struct given *given = call->given;
    const char *const *patterns;
    uint32_t count = call->given_count, unknown;
    bool fails = ci->fix && strcmp(ci->fail_on, "none") != 0; /* what less grave is, is left */
    int rc = list_unknown(ci, &patterns, &unknown, err);

    if (rc != 0) return rc;
    call->given = arena_alloc(ci->arena, ((size_t)count + unknown + 5) * sizeof *call->given);
    call->given_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!is_own_option(&given[i])) call->given[call->given_count++] = given[i];
    }
    for (uint32_t i = 0; i < unknown; i++) {
        call->given[call->given_count++] = (struct given){ .name = "exclude",
                                                           .value = patterns[i] };
    }
    if (*ci->parting.commit) {
        call->given[call->given_count++] = (struct given){ .name = "since",
                                                           .value = ci->parting.commit };
    } else if (!ci->all) {
        call->given[call->given_count++] = (struct given){ .name = "all" };
    }
    if (!ci->fix) {
        call->given[call->given_count++] = (struct given){ .name = "no-fix" };
        /* A test is for repairs: one that settings name would only have to be agreed to. */
        call->given[call->given_count++] = (struct given){ .name = "test", .value = "" };
    }
    if (fails) {
        call->given[call->given_count++] = (struct given){ .name = "fail-on",
                                                           .value = ci->fail_on };
    }
    return 0;
}

/* ---- what says how it is judged ---- */

static void say_altered(const struct ci *ci, const struct brought *brought, const char *path,
                        bool altered)
{
    if (!altered) return;
    warn(ci, arena_printf(ci->arena, "the change alters %s, which counts as %s has it", path,
                          brought->name));
}

/* hone.json and the baseline as the commit has them that the change is measured against. */
static int read_project(struct ci *ci, struct err *err)
{
    const struct brought_scope scope = { .since = ci->parting.commit,
                                         .all = !*ci->parting.commit };
    struct brought brought;
    struct str baseline;
    bool altered = false;
    struct err none;
    int rc = brought_open(&ci->repo, &scope, ci->arena, &brought, err);

    if (rc != 0) return rc;
    ci->judged_by = brought.commit;
    rc = brought_text(&brought, "hone.json", HONE_FILE_BYTES_MAX, ci->arena, &ci->project, &altered,
                      err);
    if (rc == ERR_MISSING) ci->project = (struct str){ 0 };
    else if (rc != 0) return rc;
    say_altered(ci, &brought, "hone.json", altered);
    (void)brought_text(&brought, BASELINE_PATH, BASELINE_BYTES_MAX, ci->arena, &baseline, &altered,
                       &none);
    say_altered(ci, &brought, BASELINE_PATH, altered);
    return 0;
}

/* An analyzer, or the fixer that makes what analyzers propose: what runs no command, and asks no
 * service. */
static bool is_tool(const struct backend *backend)
{
    return backend->closed || (!backend->program && !backend->credentials &&
                               !backend->argument_needed && !backend->hosted);
}

static const struct backend *const *tool_backends(struct ci *ci)
{
    const struct backend **list = arena_alloc(ci->arena, BACKENDS_MAX * sizeof(void *));
    uint32_t count = 0;

    for (uint32_t i = 0; backends[i] && count + 1 < BACKENDS_MAX; i++) {
        if (is_tool(backends[i])) list[count++] = backends[i];
    }
    return list;
}

static bool is_tool_spec(struct ci *ci, const char *spec)
{
    struct agent agent;
    struct err none;

    return agent_parse(spec, ci->arena, &agent, &none) == 0 && is_tool(agent.backend);
}

/* Leaves out the agents that were named and are none. */
static void keep_tools(struct ci *ci)
{
    struct run_settings *settings = &ci->request.settings;
    struct agent_setting *kept = arena_alloc(ci->arena, (settings->agent_count + (size_t)1) *
                                                            sizeof *kept);
    uint32_t count = 0;

    for (uint32_t i = 0; i < settings->agent_count; i++) {
        if (is_tool_spec(ci, settings->agents[i].spec)) kept[count++] = settings->agents[i];
    }
    if (count < settings->agent_count && !ci->call->quiet) {
        warn(ci, "agents that are no analyzers were named, and are left out");
    }
    settings->agents = kept;
    settings->agent_count = count;
    settings->eyes = "";
    if (!ci->fork) return;
    settings->pass = settings->write = settings->change = "";
    settings->sandbox_off = false;
}

/* No role may have found another way to an agent: a role's file names one, too. */
static int check_tools(struct ci *ci, struct err *err)
{
    const struct plan *plan = &ci->request.plan;

    for (uint32_t i = 0; i < plan->role_count; i++) {
        const char *name = plan->roles[i].name, *spec;

        if (!role_is_played(plan, i)) continue;
        spec = settings_spec(&ci->request.settings, ci->request.dialect, name, 0, ci->arena);
        if (!spec || is_tool_spec(ci, spec)) continue;
        return err_set(err, ERR_USAGE, "%s is played by %.60s, as its file says, and only "
                       "analyzers may judge here: leave it out by --reviewers", name, spec);
    }
    return 0;
}

/* ---- bounds ---- */

/* Whether a file or an option names this part of the budget. */
static bool is_bound_said(const struct ci *ci, const char *part)
{
    const char *path = arena_printf(ci->arena, "budget.%s", part);
    struct str rest = str_of(call_value(ci->call, "budget")), item, name;

    if (hone_find(&ci->request.own.values, path)) return true;
    if (str_is(str_trim(rest), "none")) return true;
    while (str_cut(&rest, ',', &item)) {
        if (str_cut(&item, '=', &name) && str_is(str_trim(name), part)) return true;
    }
    return false;
}

static bool tells_cost(struct ci *ci)
{
    const struct run_settings *settings = &ci->request.settings;

    for (uint32_t i = 0; i < settings->agent_count; i++) {
        struct agent agent;
        struct err none;

        if (agent_parse(settings->agents[i].spec, ci->arena, &agent, &none) != 0) continue;
        if (agent.backend->tells_cost) return true;
    }
    return false;
}

static void set_bounds(struct ci *ci)
{
    static const char *const parts[BUDGET_PART_COUNT] = {
        [BUDGET_USD] = "usd", [BUDGET_TOKENS] = "tokens", [BUDGET_TIME] = "time",
        [BUDGET_CALLS] = "calls",
    };
    struct run_settings *settings = &ci->request.settings;
    struct budget budget = spending_budget(settings->budget), usual = { 0 };
    struct err none;
    struct buf text;

    (void)budget_read(STR(BOUNDS), &usual, &none);
    if (tells_cost(ci)) (void)budget_read(STR("usd=" BOUND_USD), &usual, &none);
    for (uint32_t i = 0; i < BUDGET_PART_COUNT; i++) {
        if (budget.limit.of[i] > 0 || is_bound_said(ci, parts[i])) continue;
        budget.limit.of[i] = usual.limit.of[i];
    }
    if (!is_bound_said(ci, "when_spent")) budget.stop = usual.stop;
    if (!hone_find(&ci->request.own.values, "limits.wait")) settings->wait_ms_max = BOUND_WAIT_MS;
    buf_init(&text, BUDGET_BYTES_MAX);
    budget_write(&budget, &text);
    settings->budget = arena_take_cstr(ci->arena, &text);
    if (!ci->call->quiet && *settings->budget) {
        warn(ci, arena_printf(ci->arena, "bounds: %s (--budget, or budget in hone.json)",
                              settings->budget));
    }
}

/* ---- the run, and its end ---- */

static int begin_run(struct ci *ci, struct err *err)
{
    struct run_request *request = &ci->request;
    int rc;

    request->dialect = dialect_find(STR("review"));
    request->project = &ci->project;
    request->backends = ci->tools_only ? tool_backends(ci) : NULL;
    rc = run_take_all(ci->call, request, err);
    if (rc == 0 && ci->tools_only) keep_tools(ci);
    if (rc == 0) rc = run_agree(ci->call, request, err);
    if (rc == 0) rc = run_choose_rest(ci->call, request, err);
    if (rc == 0 && ci->tools_only) rc = check_tools(ci, err);
    if (rc != 0) return rc;
    if (!ci->staged) request->settings.baseline = ci->judged_by;
    set_bounds(ci);
    ci->end.code = headless_run(&(struct headless_request){
        .start = ci->call->cwd,
        .dialect = request->dialect,
        .task = request->task,
        .settings = &request->settings,
        .run = &ci->run,
        .json = ci->call->json,
        .quiet = ci->call->quiet,
        .mute = ci->hook && !ci->call->json,
    });
    return 0;
}

/* Whether something is open that is as grave as what fails; with repaired, also what was and is
 * not any more: the commit that was pushed has it still. */
static bool has_grave(const struct ci *ci, const struct listed *listed, bool repaired)
{
    const struct ledger_entry *const *entries;
    struct arena arena = { 0 };
    enum severity least;
    bool grave = false;
    uint32_t count = ledger_list(&listed->replay.engine.ledger, &arena, &entries);

    if (!severity_from_word(str_of(ci->fail_on), &least)) count = 0; /* none */
    for (uint32_t i = 0; i < count; i++) {
        bool counts = finding_is_open(entries[i]->state) ||
                      (repaired && entries[i]->state == FINDING_FIXED);

        grave = grave || (counts && entries[i]->finding.severity >= least);
    }
    arena_release(&arena);
    return grave;
}

/* repaired: what was is in a patch, and in no commit. A file that a reviewer wanted to look at, and
 * could not, was no file that none looks at. */
static int code_of(const struct ci *ci, const struct listed *listed, bool repaired)
{
    const struct run *run = &listed->replay;
    bool unlooked = listed->listing.coverage.unlooked_count > 0;
    bool partial = unlooked && !run->settings.allow_partial;
    int code = ci->end.code;

    if (run->engine.reason == REASON_UNSEEN && ci->allow_unseen && !unlooked) return CODE_DONE;
    if (code != CODE_DONE && code != CODE_FINDINGS) return code;
    return has_grave(ci, listed, repaired) || (code == CODE_FINDINGS && partial) ? CODE_FINDINGS
                                                                                 : CODE_DONE;
}

static int keep_repair(struct ci *ci, bool *mended, struct err *err)
{
    struct buf patch;
    int rc;

    *mended = false;
    if (!ci->patch.repo) return 0;
    buf_init(&patch, PATCH_BYTES_MAX);
    rc = ci_patch_write(&ci->patch, &patch, err);
    if (rc == 0 && patch.size > 0) rc = ci_file(&ci->show, "hone.patch", buf_str(&patch), err);
    if (rc == 0 && patch.size > 0 && ci->commit) {
        rc = ci_patch_commit(&ci->patch, arena_printf(ci->arena, "Repair what hone found\n\nRun "
                                                      "%s.", buf_cstr(&ci->run)), err);
    } else {
        *mended = patch.size > 0;
    }
    buf_release(&patch);
    return rc;
}

static int tell_run(struct ci *ci, struct err *err)
{
    struct listed listed = { 0 };
    struct look look = { 0 };
    bool mended = false;
    int rc = look_open(&look, ci->call->cwd, err);

    if (rc == 0) rc = look_run(&look, buf_cstr(&ci->run), err);
    if (rc == 0) rc = listed_read(&look, HONE_VERSION, &listed, err);
    if (rc == 0) {
        ci->end.run = buf_cstr(&ci->run);
        ci->end.word = run_end_of(&listed.replay) == run_end_looked()
                           ? "findings" : run_end_of(&listed.replay)->word;
        ci->end.counts = ledger_faults(&listed.replay.engine.ledger);
        rc = keep_repair(ci, &mended, err);
    }
    if (rc == 0) rc = ci_reports(&ci->show, &listed, err);
    if (rc == 0) ci->end.code = code_of(ci, &listed, mended);
    if (rc == 0 && ci->hook && ci->end.code != CODE_DONE) rc = ci_lines(&listed, err);
    listed_release(&listed);
    look_close(&look);
    return rc;
}

/* There is no run: an empty report is a report, so that what a service shows of before goes. */
static int tell_nothing(struct ci *ci, const char *why, struct err *err)
{
    if (!ci->call->quiet) warn(ci, arena_printf(ci->arena, "nothing to judge: %s", why));
    ci->end.word = "nothing to judge";
    ci->end.code = CODE_DONE;
    return ci_reports(&ci->show, NULL, err);
}

static int open_all(struct ci *ci, struct err *err)
{
    const char *folder = call_has(ci->call, "output") ? call_value(ci->call, "output")
                       : ci->hook ? "" : REPORT_FOLDER;
    int rc = repo_open(&ci->repo, ci->call->cwd, REPO_FIND, err);

    if (rc == ERR_MISSING || (rc == 0 && !ci->repo.is_git)) {
        return err_set(err, ERR_USAGE, "hone ci judges a change of a git repository, and this "
                       "folder is in none; 'hone run review' judges a folder");
    }
    if (rc == 0) rc = check_writable(ci, err);
    if (rc == 0 && ci->fork) meet_fork(ci);
    if (rc == 0) rc = ci_place(&ci->show, ci->repo.workspace, ci->call->cwd, folder, err);
    if (rc == 0 && ci->fix && !ci->commit && !ci->show.root) {
        rc = err_set(err, ERR_USAGE, "--fix leaves a patch: --output must name a folder for it");
    }
    if (rc == 0) rc = find_head(ci, err);
    if (rc == 0) rc = find_base(ci, err);
    return rc;
}

static int work(struct ci *ci, struct err *err)
{
    int rc = check_words(ci, err);

    if (rc == 0) rc = open_all(ci, err);
    if (rc != 0) return rc;
    ci->end.base = ci->parting.commit;
    ci->end.head = ci->head;
    say_what(ci);
    if (!ci->staged && *ci->parting.commit && is_same_tree(ci, ci->parting.commit, ci->head)) {
        return tell_nothing(ci, "the two hold the same", err);
    }
    rc = take_staged(ci, err);
    if (rc == 0 && ci->staged && ci->call->argument_count == 0) {
        return tell_nothing(ci, "nothing is staged", err);
    }
    if (rc == 0) rc = read_project(ci, err);
    if (rc == 0 && ci->fix) {
        rc = ci_patch_begin(&ci->patch, &ci->repo, ci->arena, err);
    }
    if (rc == 0) rc = take_paths(ci, err);
    if (rc == 0) rc = take_options(ci, err);
    if (rc == 0) rc = begin_run(ci, err);
    if (rc != 0) return rc;
    if (ci->run.size > 0) return tell_run(ci, err);
    ci->end.why = "the run did not begin: the log says why";
    return 0;
}

static void close_all(struct ci *ci)
{
    remove_worktree(ci);
    run_request_release(&ci->request);
    buf_release(&ci->run);
    repo_release(&ci->repo);
    repo_release(&ci->outer);
}

static int judge(struct call *call, const struct pushed *pushed)
{
    struct ci ci = { .call = call, .arena = &call->arena, .pushed = pushed,
                     .worktree_lock = { .fd = -1 } };
    struct err err = { 0 };
    int rc;

    buf_init(&ci.run, RUN_NAME_BYTES_MAX);
    ci.staged = call_has(call, "staged");
    ci.hook = pushed || ci.staged;
    ci.all = call_has(call, "all");
    ci.allow_unseen = ci.hook || call_has(call, "allow-unseen");
    ci.end = (struct ci_end){ .run = "", .word = "failed", .base = "", .head = "",
                              .fail_on = "low" };
    read_pipeline(&ci);
    if (ci.fork) ci.withheld = drop_credentials(&ci);
    ci.fix = call_has(call, "fix") && !ci.fork;
    ci.commit = ci.fix && call_has(call, "commit");
    call->quiet = call->quiet || ci.hook;
    ci.show = (struct ci_show){ .arena = ci.arena, .service = ci.pipeline.service,
                                .json = call->json, .quiet = call->quiet, .hook = ci.hook,
                                .workspace = file_real(call->cwd, ci.arena) };
    ci_log_begin(&ci.show);
    rc = work(&ci, &err);
    if (rc != 0) {
        ci.end.code = say_err(&err);
        ci.end.why = err.text;
    }
    if (ci.fail_on) ci.end.fail_on = ci.fail_on;
    ci.end.fork = ci.fork;
    ci_finish(&ci.show, &ci.end);
    close_all(&ci);
    return ci.end.code;
}

/* ---- what git pushes ---- */

/* Whether a commit is named, and not zeros. */
static bool is_commit_name(struct str name)
{
    for (size_t i = 0; i < name.size; i++) {
        if (name.data[i] != '0') return true;
    }
    return false;
}

/* Whether there is a commit in it that the remote is not known to have. */
static bool has_news(const struct repo *repo, const char *head, const char *remote,
                     struct arena *arena)
{
    const char *const args[] = { "rev-list", "--max-count=1", head, "--not",
                                 arena_printf(arena, "--remotes=%s", remote), NULL };
    struct err none;
    const char *said = repo_ask(repo, args, arena, &none);

    return !said || *said;
}

/* What a new branch is measured against: the remote's default branch; NULL: it has none. */
static const char *remote_main(const struct repo *repo, const char *remote, struct arena *arena)
{
    static const char *const names[] = { "HEAD", "main", "master" };

    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *branch = arena_printf(arena, "refs/remotes/%s/%s", remote, names[i]);
        struct err none;

        if (repo_commit(repo, branch, arena, &none)) return branch;
    }
    return NULL;
}

/* A line of git's: LOCAL-REF LOCAL-COMMIT REMOTE-REF REMOTE-COMMIT. False: nothing to judge. */
static bool read_pushed(struct call *call, const struct repo *repo, struct str line,
                        struct pushed *out)
{
    const char *remote = call_value(call, "pushed");
    struct str ref, head, there, base;
    struct err none;

    if (!str_cut(&line, ' ', &ref) || !str_cut(&line, ' ', &head)) return false;
    if (!str_cut(&line, ' ', &there) || !str_cut(&line, ' ', &base)) return false;
    if (!is_commit_name(head)) return false;
    out->head = repo_commit(repo, arena_cstr(&call->arena, head), &call->arena, &none);
    if (!out->head || !has_news(repo, out->head, remote, &call->arena)) return false;
    out->base = is_commit_name(base) ? repo_commit(repo, arena_cstr(&call->arena, base),
                                                   &call->arena, &none) : NULL;
    if (!out->base) out->base = remote_main(repo, remote, &call->arena);
    return true;
}

/* Each line is judged by itself; the first that fails says how this ends. */
static int handle_pushed(struct call *call)
{
    const struct call before = *call;
    struct repo repo = { 0 };
    struct buf lines;
    struct str rest, line;
    struct err err;
    int code = CODE_DONE;
    int rc;

    buf_init(&lines, PUSHED_BYTES_MAX);
    rc = file_read_fd(0, &lines, &err);
    if (rc == 0) rc = repo_open(&repo, call->cwd, REPO_FIND, &err);
    stream_unattended();
    if (rc != 0) code = say_err(&err);
    rest = buf_str(&lines);
    while (code == CODE_DONE && str_cut(&rest, '\n', &line)) {
        struct pushed pushed;

        if (!read_pushed(call, &repo, line, &pushed)) continue;
        code = judge(call, &pushed);
        call->given = before.given;
        call->given_count = before.given_count;
        call->arguments = before.arguments;
        call->argument_count = before.argument_count;
        call->plain_count = before.plain_count;
        call->cwd = before.cwd;
    }
    repo_release(&repo);
    buf_release(&lines);
    if (code != CODE_DONE) {
        say_fail(CODE_DONE, "the push is held back; 'HONE_SKIP=1 git push', or 'git push "
                 "--no-verify', pushes all the same");
    }
    return code;
}

static int handle(struct call *call)
{
    const char *skip = getenv("HONE_SKIP");
    bool pushed = call_has(call, "pushed");

    call->color = call->out_color = false;
    if ((pushed || call_has(call, "staged")) && skip && *skip && strcmp(skip, "0") != 0) {
        return CODE_DONE;
    }
    if (pushed) return handle_pushed(call);
    stream_unattended();
    return judge(call, NULL);
}

const struct verb verb_ci = {
    .name = "ci",
    .summary = "judge a change in a pipeline, and write what its service shows",
    .text = {
        "Runs 'hone run review --no-fix' over the change that a pipeline has checked out. Which "
        "commit it is measured against is read from the environment of GitHub Actions and GitLab "
        "CI; elsewhere --base or HONE_BASE names it, or it is where the change parted from its "
        "upstream or the default branch. Only what the change brought counts. hone asks no "
        "question here: what needs agreement needs --trust.",
        "hone.json, roles, rules and waivers count as the commit has them that the change is "
        "measured against: no change writes its own judge. Where it alters hone.json, that is "
        "said.",
        "The change of a fork is judged by analyzers alone, nothing is repaired, and nothing that "
        "hone starts finds a credential in its environment. A request of which the service does "
        "not tell whose it is counts as a fork's. Where the service names no commit that it is "
        "measured against, --base must: a branch of the clone may be the fork's.",
        "A run is bounded by " BOUNDS ", and by usd=" BOUND_USD " where a model tells what it "
        "costs; a service that is asked too often is waited for ten minutes. --budget, or budget "
        "and limits in hone.json, name others, part by part.",
        "With --fix the fixer works, too, and what it did is left as hone.patch, or committed. "
        "Without --commit what was repaired still fails: the commit that was pushed has it.",
    },
    .arguments = {
        { .name = "PATH", .optional = true, .many = true,
          .help = "only the change of these files and folders" },
    },
    .options = {
        { .name = "base", .argument = "REV",
          .help = "the commit or branch that the change is measured against: where it parted from "
                  "it; by default what the service tells, HONE_BASE, or the default branch" },
        { .name = "head", .argument = "REV",
          .help = "the commit that is judged; by default what is checked out. Another one, or one "
                  "that the work tree differs from, is judged in a work tree of its own" },
        { .name = "staged",
          .help = "judge what is staged, against HEAD, by analyzers: for a hook before a commit. "
                  "This and --pushed say nothing where nothing is wrong, and write reports only "
                  "where --output says so; HONE_SKIP=1 in the environment skips them" },
        { .name = "pushed", .argument = "REMOTE",
          .help = "judge what git pushes to REMOTE, against what it has: for the hook pre-push "
                  "('hone install git'), whose lines are on standard input" },
        { .name = "output", .argument = "DIR",
          .help = "the folder for the reports, " REPORT_FOLDER " by default; '' for none" },
        { .name = "fail-on", .argument = "SEVERITY",
          .help = "low, medium, high or none: end with 1 where something new is found that is at "
                  "least so grave; low by default. A run that failed is never 0" },
        { .name = "fix", .help = "repair, too: leaves hone.patch among the reports" },
        { .name = "commit", .help = "with --fix: commit what was repaired, on what is checked "
                                    "out; hone pushes nothing" },
        { .name = "fork", .help = "judge the change as that of a fork, where the service cannot "
                                  "tell" },
        { .name = "no-models", .help = "analyzers alone judge: no model and no command, also where "
                                       "settings name one" },
        { .name = "allow-unseen", .help = "end with 0 where the change has no file that a "
                                          "reviewer looks at" },
    },
    .like = &verb_run,
    .dialect_options = true,
    .codes = {
        { CODE_DONE, "nothing new is as grave as --fail-on, or there is no change" },
        { CODE_FINDINGS, "something is, or some files were not looked at" },
        { CODE_USAGE, "the command line or the settings are wrong, the commit that the change is "
                      "measured against is not there, something needs agreement, or no reviewer "
                      "looked at anything" },
        { CODE_FAILED, "an agent could not run or kept breaking its contract; a report could not "
                       "be written" },
        { CODE_BUDGET, "a bound was reached" },
        { CODE_INTERRUPTED, "the pipeline was cancelled" },
    },
    .examples = {
        "hone ci",
        "hone ci --base main --fail-on high --output reports",
        "hone ci --fix --agent '*=claude' --trust",
        "hone ci --staged",
    },
    .extend = ci_reports_help,
    .handle = handle,
};
