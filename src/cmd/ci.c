/* SPDX-License-Identifier: Apache-2.0
 *
 * ci.c - hone ci: hone run review as a pipeline wants it.
 *
 *   whose change, against what --> a run of review --> reports --> exit code
 *   (ci_change.c)  (ci_fork.c)                         (ci_show.c, ci_patch.c)
 *
 * hone run's own functions read the options and run (cmd/run.c). What is special here:
 *
 * 1. What says how the change is judged comes from the commit that it is measured against: roles,
 *    loops, rules and waivers always do (settings/brought.h), and here hone.json does, too. What
 *    the change alters of it is said.
 * 2. The change of a fork meets no credential, analyzers alone judge it, and nothing is repaired.
 * 3. No question is asked: what needs agreement has it by --trust, or the run does not begin.
 * 4. Only what the change brought fails: the end is 1 where something is found that is as grave as
 *    --fail-on. A run that failed, or could not look, has the exit code that every verb has for it:
 *    no --fail-on makes it 0.
 * 5. Bounds are on unless settings or options name others.
 * 6. A hook of git (--staged, --pushed) says nothing where nothing is wrong, asks no model, and
 *    lets pass what no analyzer looks at. It is no pipeline, also where a service's variables are
 *    set.
 *
 * Not here: what git pushes (ci_pushed.c). */
#include "cmd/ci_change.h"
#include "cmd/ci_fork.h"
#include "cmd/ci_patch.h"
#include "cmd/ci_pushed.h"
#include "cmd/ci_show.h"
#include "cmd/page.h"
#include "cmd/run.h"
#include "cmd/say.h"
#include "cmd/verbs.h"

#include "base/path.h"
#include "drive/headless/headless.h"
#include "drive/spending.h"
#include "format/json/finding_json.h"
#include "format/report/baseline.h"
#include "format/text/budget_text.h"
#include "io/file/file.h"
#include "io/file/peek.h"
#include "io/file/stream.h"
#include "run/ends.h"
#include "settings/brought.h"
#include "settings/pipeline_here.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What bounds a run where nothing else does: half an hour, as many agents as five reviewers need
 * for five rounds with a fixer, and, where a model tells what it costs, some dollars. */
#define BOUNDS "time=30m,calls=40,when_spent=stop"
#define BOUND_USD "5"
enum { BOUND_WAIT_MS = 600 * 1000, PATCH_BYTES_MAX = 256 << 20, BUDGET_BYTES_MAX = 256,
       RUN_NAME_BYTES_MAX = 64 };

#define REPORT_FOLDER "hone-report"

struct ci {
    struct call *call;
    struct arena *arena;       /* the call's */
    struct ci_change change;
    bool hook;
    bool fork;
    uint32_t withheld;         /* variables that were taken out of our environment */
    bool tools_only;           /* analyzers judge, and no model and no command */
    bool fix, commit, allow_unseen; /* as the options of these names say */
    const char *fail_on;       /* low, medium, high or none */
    struct ci_patch patch;
    struct str project;        /* hone.json as it counts; data NULL: there is none */
    const char *judged_by;     /* the commit that says how it is judged */
    struct run_request request;
    struct buf run;            /* its name */
    struct ci_show show;
    struct ci_end end;
};

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

static void read_pipeline(struct ci *ci)
{
    struct pipeline *pipeline = &ci->change.pipeline;

    if (ci->hook) *pipeline = pipeline_none;
    else pipeline_here(ci->arena, pipeline);
    if (call_has(ci->call, "fork") && !pipeline->fork) {
        pipeline->fork = true;
        pipeline->why_fork = "--fork says so";
    }
    ci->fork = pipeline->fork;
    ci->tools_only = ci->fork || ci->hook || call_has(ci->call, "no-models");
}

/* ---- the options of the run ---- */

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
    int rc = ci_change_unknown(&ci->change, &patterns, &unknown, err);

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
    if (*ci->change.parting.commit) {
        call->given[call->given_count++] = (struct given){ .name = "since",
                                                           .value = ci->change.parting.commit };
    } else if (!ci->change.all) {
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

static void say_altered(const struct brought *brought, const char *path, bool altered)
{
    if (!altered) return;
    say_fail(CODE_DONE, "the change alters %s, which counts as %s has it", path, brought->name);
}

/* hone.json and the baseline as the commit has them that the change is measured against. */
static int read_project(struct ci *ci, struct err *err)
{
    const struct brought_scope scope = { .since = ci->change.parting.commit,
                                         .all = !*ci->change.parting.commit };
    struct brought brought;
    struct str baseline;
    bool altered = false;
    struct err none;
    int rc = brought_open(&ci->change.repo, &scope, ci->arena, &brought, err);

    if (rc != 0) return rc;
    ci->judged_by = brought.commit;
    rc = brought_text(&brought, "hone.json", HONE_FILE_BYTES_MAX, ci->arena, &ci->project, &altered,
                      err);
    if (rc == ERR_MISSING) ci->project = (struct str){ 0 };
    else if (rc != 0) return rc;
    say_altered(&brought, "hone.json", altered);
    (void)brought_text(&brought, BASELINE_PATH, BASELINE_BYTES_MAX, ci->arena, &baseline, &altered,
                       &none);
    say_altered(&brought, BASELINE_PATH, altered);
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
        say_fail(CODE_DONE, "bounds: %s (--budget, or budget in hone.json)", settings->budget);
    }
}

/* ---- the run, and its end ---- */

static int begin_run(struct ci *ci, struct err *err)
{
    struct run_request *request = &ci->request;
    int rc;

    request->dialect = dialect_find(STR("review"));
    request->project = &ci->project;
    request->backends = ci->tools_only ? ci_tools(ci->arena) : NULL;
    rc = run_take_all(ci->call, request, err);
    if (rc == 0 && ci->tools_only) ci_keep_tools(request, ci->fork, ci->call->quiet, ci->arena);
    if (rc == 0) rc = run_agree(ci->call, request, err);
    if (rc == 0) rc = run_choose_rest(ci->call, request, err);
    if (rc == 0 && ci->tools_only) rc = ci_check_tools(request, ci->arena, err);
    if (rc != 0) return rc;
    if (!ci->change.staged) request->settings.baseline = ci->judged_by;
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
    uint32_t count = ledger_list(&listed->replay->engine.ledger, &arena, &entries);

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
    const struct run *run = listed->replay;
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
        ci->end.word = run_end_of(listed.replay) == run_end_looked()
                           ? "findings" : run_end_of(listed.replay)->word;
        ci->end.counts = ledger_faults(&listed.replay->engine.ledger);
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
    if (!ci->call->quiet) say_fail(CODE_DONE, "nothing to judge: %s", why);
    ci->end.word = "nothing to judge";
    ci->end.code = CODE_DONE;
    return ci_reports(&ci->show, NULL, err);
}

static int open_all(struct ci *ci, struct err *err)
{
    const char *folder = call_has(ci->call, "output") ? call_value(ci->call, "output")
                       : ci->hook ? "" : REPORT_FOLDER;
    int rc = ci_change_open(&ci->change, err);

    if (rc == 0 && ci->fork) {
        ci_say_fork(&ci->change.repo, &ci->change.pipeline, ci->withheld, ci->arena);
    }
    if (rc == 0) {
        rc = ci_place(&ci->show, ci->change.repo.workspace, ci->call->cwd, folder, err);
    }
    if (rc == 0 && ci->fix && !ci->commit && !ci->show.root) {
        rc = err_set(err, ERR_USAGE, "--fix leaves a patch: --output must name a folder for it");
    }
    return rc == 0 ? ci_change_find(&ci->change, err) : rc;
}

static int work(struct ci *ci, struct err *err)
{
    int rc = check_words(ci, err);

    if (rc == 0) rc = open_all(ci, err);
    if (rc != 0) return rc;
    ci->end.base = ci->change.parting.commit;
    ci->end.head = ci->change.head;
    ci_change_say(&ci->change);
    if (ci_change_is_empty(&ci->change)) {
        return tell_nothing(ci, "the two hold the same", err);
    }
    rc = ci_change_take_staged(&ci->change, err);
    if (rc == 0 && ci->change.staged && ci->call->argument_count == 0) {
        return tell_nothing(ci, "nothing is staged", err);
    }
    if (rc == 0) rc = read_project(ci, err);
    if (rc == 0 && ci->fix) {
        rc = ci_patch_begin(&ci->patch, &ci->change.repo, ci->arena, err);
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
    ci_change_close(&ci->change);
    run_request_release(&ci->request);
    buf_release(&ci->run);
}

static int judge(struct call *call, const struct ci_pushed *pushed)
{
    struct ci ci = {
        .call = call, .arena = &call->arena,
        .change = { .call = call, .arena = &call->arena, .pushed = pushed,
                    .staged = call_has(call, "staged"), .all = call_has(call, "all"),
                    .worktree_lock = { .fd = -1 } },
    };
    struct err err = { 0 };
    int rc;

    buf_init(&ci.run, RUN_NAME_BYTES_MAX);
    ci.hook = pushed || ci.change.staged;
    ci.allow_unseen = ci.hook || call_has(call, "allow-unseen");
    ci.end = (struct ci_end){ .run = "", .word = "failed", .base = "", .head = "",
                              .fail_on = "low" };
    read_pipeline(&ci);
    if (ci.fork) ci.withheld = ci_drop_credentials(ci.arena);
    ci.fix = call_has(call, "fix") && !ci.fork;
    ci.commit = ci.fix && call_has(call, "commit");
    call->quiet = call->quiet || ci.hook;
    ci.show = (struct ci_show){ .arena = ci.arena, .service = ci.change.pipeline.service,
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

static int handle(struct call *call)
{
    const char *skip = getenv("HONE_SKIP");
    bool pushed = call_has(call, "pushed");

    call->color = call->out_color = false;
    if ((pushed || call_has(call, "staged")) && skip && *skip && strcmp(skip, "0") != 0) {
        return CODE_DONE;
    }
    if (pushed) return ci_each_pushed(call, judge);
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
