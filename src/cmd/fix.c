/* SPDX-License-Identifier: Apache-2.0
 *
 * fix.c - hone fix: a person chooses among the findings of an earlier run, and a new run begins
 * with their repair.
 *
 *   the earlier run, replayed --> its ledger --> chosen --> EV_START of a run like it
 *
 * The new run is one of the earlier run's dialect, where that begins with a gate that repairs; else
 * of review. It looks at what the earlier one looked at, unless options say otherwise, and goes on
 * as every run does: hone run's own functions read the options (cmd/run.c).
 *
 * 1. By severity or --all only what is open, and not waived by now, is taken. An ID takes what it
 *    names, also where that is noted, waived or fixed: the person says so.
 * 2. A finding whose file is gone is said and left out; one whose line is gone is said and taken.
 * 3. A --say is about the IDs in front of it, back to the --say before; with no ID in front it is
 *    about all that have no word of their own.
 *
 * Not here: what an ID is (run/finding_id.h). */
#include "cmd/page.h"
#include "cmd/run.h"
#include "cmd/say.h"
#include "cmd/verbs.h"

#include "dialect/custom/custom.h"
#include "drive/headless/headless.h"
#include "format/json/finding_json.h"
#include "format/text/safe.h"
#include "io/terminal/terminal.h"
#include "report/found.h"
#include "run/finding_filter.h"
#include "run/finding_id.h"
#include "run/look.h"
#include "run/waived.h"
#include "settings/loop_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SAY_WORD_BYTES_MAX = 8 * 1024, FILE_BYTES_MAX = 64 << 20, TEXT_SHOWN_MAX = 200,
       WORD_INDENT = 4 };

/* What is to be repaired. */
struct chosen {
    struct call *call;
    struct look look;
    struct run before;       /* the earlier run, replayed */
    struct listing listing;  /* what was chosen of its ledger */
    const char **words;      /* beside each: what the user says about it; or NULL */
    struct finding *findings;
    uint32_t finding_count;
};

/* ---- words of the command line ---- */

static const char *const own_options[] = { "severity", "all", "say", "dry-run", NULL };

/* hone run's functions read the rest of the options: there --all means another thing. */
static void hide_own(struct call *call)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < call->given_count; i++) {
        const char *const *own = own_options;

        while (*own && strcmp(call->given[i].name, *own) != 0) own++;
        if (call->given[i].of_dialect || !*own) call->given[kept++] = call->given[i];
    }
    call->given_count = kept;
}

static int check_words(const struct call *call, struct err *err)
{
    if (call_has(call, "no-fix")) {
        return err_set(err, ERR_USAGE, "--no-fix only looks: 'hone run review --no-fix' does that");
    }
    if (call_has(call, "severity") && call_has(call, "all")) {
        return err_set(err, ERR_USAGE, "--severity and --all exclude each other: some of the open "
                       "findings, or all");
    }
    for (uint32_t i = 0; i < call->given_count; i++) {
        const struct given *given = &call->given[i];

        if (given->of_dialect || strcmp(given->name, "say") != 0) continue;
        if (str_trim(str_of(given->value)).size == 0) {
            return err_set(err, ERR_USAGE, "--say wants a word for the fixer, such as 'keep the "
                           "signature'");
        }
        if (strlen(given->value) > SAY_WORD_BYTES_MAX) {
            return err_set(err, ERR_USAGE, "--say: a word for the fixer has at most %d bytes",
                           (int)SAY_WORD_BYTES_MAX);
        }
    }
    return 0;
}

/* The word that is about the nth argument, where the IDs begin with argument first. */
static const char *word_about(const struct call *call, uint32_t nth, uint32_t first)
{
    const char *about_all = NULL;

    for (uint32_t i = 0; i < call->given_count; i++) {
        const struct given *given = &call->given[i];

        if (given->of_dialect || strcmp(given->name, "say") != 0) continue;
        if (given->behind <= first) about_all = given->value;
        else if (given->behind > nth) return given->value;
    }
    return about_all;
}

/* ---- choosing ---- */

static void choose_entry(struct chosen *chosen, const struct ledger_entry *entry, const char *word)
{
    for (uint32_t i = 0; i < chosen->listing.count; i++) {
        if (chosen->listing.items[i] == entry) return;
    }
    chosen->words[chosen->listing.count] = word;
    listing_add(&chosen->listing, entry);
}

static int choose_named(struct chosen *chosen, uint32_t first, struct err *err)
{
    const struct call *call = chosen->call;

    for (uint32_t i = first; i < call->argument_count; i++) {
        const struct ledger_entry *entry;
        int rc = finding_find(&chosen->before.engine.ledger, call->arguments[i],
                              chosen->look.run.id, &entry, err);

        if (rc != 0) return rc;
        choose_entry(chosen, entry, word_about(call, i, first));
    }
    return 0;
}

static int choose_open(struct chosen *chosen, uint32_t first, struct err *err)
{
    struct arena *arena = &chosen->call->arena;
    const struct ledger_entry *const *entries;
    const struct ledger_entry **open;
    uint32_t total = ledger_list(&chosen->before.engine.ledger, arena, &entries), count = 0;
    const struct finding **findings = arena_alloc(arena, (total + (size_t)1) * sizeof(void *));
    struct finding_filter filter;
    bool *waived = NULL;
    uint32_t left = 0;
    int rc = finding_filter_read(&(struct finding_filter_words){
        .state = "open", .severity = call_value(chosen->call, "severity"), .prefix = "--",
    }, &filter, err);

    open = arena_alloc(arena, (total + (size_t)1) * sizeof(void *));
    for (uint32_t i = 0; rc == 0 && i < total; i++) {
        if (!finding_filter_fits(&filter, &chosen->listing, entries[i])) continue;
        open[count] = entries[i];
        findings[count++] = &entries[i]->finding;
    }
    if (rc == 0) {
        rc = waived_match(&chosen->look.repo, chosen->before.settings.since, findings, count, arena,
                          &waived, err);
    }
    for (uint32_t i = 0; rc == 0 && i < count; i++) {
        left += waived[i];
        if (waived[i]) continue;
        choose_entry(chosen, open[i], word_about(chosen->call, UINT32_MAX - 1, first));
    }
    if (left > 0) {
        fprintf(stderr, "hone: %" PRIu32 " waived finding%s left out; an ID takes one all the "
                "same\n", left, left == 1 ? " is" : "s are");
    }
    return rc;
}

static int replay_before(struct chosen *chosen, struct err *err)
{
    struct run *before = &chosen->before;
    int rc = run_load(before, &chosen->look.run, err);

    if (rc != 0) return rc;
    return run_replay(before, chosen->look.journal, NULL, NULL, err);
}

/* The first word may be meant as either. */
static int refuse_word(const struct chosen *chosen, const char *word, struct err *err)
{
    const char *run = chosen->look.run.id;

    return err_set(err, ERR_USAGE, "no run and no finding of run %s begins with '%.60s'; 'hone "
                   "list' and 'hone findings %s' show their names", run, word, run);
}

/* The run that is meant, replayed: the first word names it, where a run's name begins so. *first:
 * where the IDs begin. Runs and findings have names of the same letters: a word that could be both
 * is refused. */
static int find_run(struct chosen *chosen, uint32_t *first, struct err *err)
{
    const char *word = call_argument(chosen->call, 0);
    const struct ledger_entry *entry = NULL;
    struct look *look = &chosen->look;
    bool names_run;
    struct err none;
    int rc = look_open(look, chosen->call->cwd, err);

    *first = 0;
    if (rc != 0) return rc;
    names_run = word && look_run(look, word, &none) == 0;
    if (look_run(look, NULL, names_run ? &none : err) == 0) {
        rc = replay_before(chosen, err);
        if (rc != 0 || !word) return rc;
        (void)finding_find(&chosen->before.engine.ledger, word, "", &entry, &none);
        if (!names_run) return entry ? 0 : refuse_word(chosen, word, err);
    } else if (!names_run) {
        return (int)err->code;
    }
    if (entry) {
        return err_set(err, ERR_USAGE, "'%.60s' is the beginning of the name of a run and of a "
                       "finding: write more of it", word);
    }
    *first = 1;
    run_release(&chosen->before);
    rc = look_run(look, word, err);
    return rc == 0 ? replay_before(chosen, err) : rc;
}

static int choose_findings(struct chosen *chosen, struct err *err)
{
    struct call *call = chosen->call;
    struct run *before = &chosen->before;
    bool open = call_has(call, "severity") || call_has(call, "all");
    const struct ledger_entry *const *entries;
    uint32_t first;
    int rc = find_run(chosen, &first, err);

    if (rc != 0) return rc;
    chosen->listing.run = chosen->look.run.id;
    chosen->listing.version = HONE_VERSION;
    chosen->listing.plan = &before->plan;
    chosen->words = arena_alloc(&call->arena, (ledger_list(&before->engine.ledger, &call->arena,
                                                           &entries) + (size_t)1) *
                                                  sizeof *chosen->words);
    if (open == (call->argument_count > first)) {
        return err_set(err, ERR_USAGE, "say which findings of run %s to repair%s: IDs ('hone "
                       "findings %s' shows them), --severity SEVERITY or --all",
                       chosen->look.run.id, open ? ", in one way" : "", chosen->look.run.id);
    }
    return open ? choose_open(chosen, first, err) : choose_named(chosen, first, err);
}

/* ---- what is gone ---- */

static uint32_t count_lines(struct str text)
{
    struct str line;
    uint32_t count = 0;

    while (str_cut(&text, '\n', &line)) count++;
    return count;
}

static void say_gone(const struct finding *finding, const char *what)
{
    struct buf out;

    buf_init(&out, SAY_BYTES_MAX);
    buf_text(&out, "hone: ");
    safe_text(&out, finding->file, true, TEXT_SHOWN_MAX);
    if (finding->line > 0) buf_printf(&out, ":%" PRIu32, finding->line);
    buf_printf(&out, ": %s: ", what);
    safe_text(&out, str_trim(finding->text), true, TEXT_SHOWN_MAX);
    buf_byte(&out, '\n');
    fputs(buf_cstr(&out), stderr);
    buf_release(&out);
}

/* Whether there is a place to repair; where not all of it is there, that is said. */
static bool has_place(const struct chosen *chosen, const struct finding *finding)
{
    struct arena *arena = &chosen->call->arena;
    struct buf text;
    struct err none;
    bool there;

    if (finding->file.size == 0) return true;
    buf_init(&text, FILE_BYTES_MAX);
    there = file_read_in(chosen->look.repo.workspace, arena_cstr(arena, finding->file), &text,
                         &none) == 0;
    if (!there) {
        say_gone(finding, "left out, since this file is not there any more");
    } else if (finding->line > count_lines(buf_str(&text))) {
        say_gone(finding, "this line is not there any more; the fixer looks for it");
    }
    buf_release(&text);
    return there;
}

/* The findings as the new run gets them, of those that have a place. */
static int take_findings(struct chosen *chosen, struct err *err)
{
    struct arena *arena = &chosen->call->arena;
    uint32_t count = chosen->listing.count, kept = 0;

    chosen->findings = arena_alloc(arena, (count + (size_t)1) * sizeof *chosen->findings);
    for (uint32_t i = 0; i < count; i++) {
        const struct ledger_entry *entry = chosen->listing.items[i];
        struct finding *finding = &chosen->findings[kept];

        if (!has_place(chosen, &entry->finding)) continue;
        *finding = finding_copy(&entry->finding, arena);
        finding->say = str_of(chosen->words[i]);
        chosen->listing.items[kept++] = entry;
    }
    chosen->listing.count = chosen->finding_count = kept;
    if (kept > 0) return 0;
    return err_set(err, ERR_USAGE, "there is nothing to repair: no finding of run %s is what you "
                   "asked for%s; 'hone findings %s' shows them", chosen->look.run.id,
                   count > 0 ? " and still has its file" : "", chosen->look.run.id);
}

/* ---- the new run ---- */

static int start_repair(struct chosen *chosen, struct run_request *request)
{
    const struct call *call = chosen->call;

    return headless_run(&(struct headless_request){
        .version = HONE_VERSION, .start = call->cwd,
        .dialect = request->dialect,
        .task = request->task,
        .settings = &request->settings,
        .findings = chosen->findings,
        .finding_count = chosen->finding_count,
        .json = call->json,
        .quiet = call->quiet,
        .color = call->color,
    });
}

/* What the fixer is told beside the findings: each word once, behind the IDs that it is about. In
 * the order of chosen->findings, so before the listing is sorted. */
static void put_words(const struct chosen *chosen, uint32_t columns, struct buf *out)
{
    struct buf line;

    buf_init(&line, SAY_BYTES_MAX);
    for (uint32_t i = 0; i < chosen->finding_count; i++) {
        const char *word = chosen->findings[i].say.data;
        bool told = chosen->findings[i].say.size == 0;
        char id[LISTING_ID_BYTES];

        for (uint32_t k = 0; k < i && !told; k++) told = chosen->findings[k].say.data == word;
        if (told) continue;
        buf_clear(&line);
        buf_text(&line, "you say about");
        for (uint32_t k = i; k < chosen->finding_count; k++) {
            if (chosen->findings[k].say.data != word) continue;
            buf_printf(&line, "%s%s", k == i ? " " : ", ",
                       listing_id(chosen->listing.items[k], false, id));
        }
        buf_text(&line, ": ");
        safe_text(&line, chosen->findings[i].say, true, 0);
        add_wrapped(out, buf_cstr(&line), 0, WORD_INDENT, columns);
    }
    buf_release(&line);
}

/* What would be repaired. */
static int show_chosen(struct chosen *chosen)
{
    const struct call *call = chosen->call;
    struct found_page page = { .listing = &chosen->listing, .color = call->out_color,
                               .columns = line_columns(TERMINAL_OUT_FD),
                               .workspace = chosen->look.repo.workspace };
    struct buf out, words;

    buf_init(&out, SAY_BYTES_MAX);
    buf_init(&words, SAY_BYTES_MAX);
    if (call->json) {
        listing_write(&chosen->listing, &out);
    } else {
        add_wrapped(&out, arena_printf(&chosen->call->arena, "Nothing was started. 'hone fix' "
                                       "would repair %" PRIu32 " finding%s of run %s, and look "
                                       "again:", chosen->finding_count,
                                       chosen->finding_count == 1 ? "" : "s",
                                       chosen->look.run.id), 0, 0, table_columns(call));
        buf_byte(&out, '\n');
        put_words(chosen, table_columns(call), &words);
        listing_sort(&chosen->listing, LISTING_BY_GROUP);
        found_groups(&page, &out);
        if (words.size > 0) buf_printf(&out, "\n%s", buf_cstr(&words));
    }
    buf_release(&words);
    say_take(&out);
    return CODE_DONE;
}

/* Of a dialect that only reviews, and repairs what it finds, that one; else review. A loop of one's
 * own brings its file along. */
static void take_dialect(struct call *call, const struct run *before, struct run_request *request)
{
    const struct settings *options = &before->settings.options;
    struct config_text *files;
    struct plan plan;
    struct err none;
    bool same = before->dialect->plan(options, &call->arena, &plan, &none) == 0 &&
                plan_only_reviews(&plan) && plan.phases[0].gate.on_fail == FAIL_REPAIR;

    request->dialect = same ? before->dialect : dialect_find(STR("review"));
    if (!same || settings_file(options, LOOP_FILE).size == 0) return;
    files = arena_alloc(&call->arena, LOOP_FILES * sizeof *files);
    files[0] = (struct config_text){ LOOP_FILE, settings_file(options, LOOP_FILE) };
    files[1] = (struct config_text){ LOOP_FROM, settings_file(options, LOOP_FROM) };
    request->loop = files;
}

static int handle(struct call *call)
{
    struct chosen chosen = { .call = call };
    struct run_request request = { 0 };
    bool dry = call_has(call, "dry-run");
    struct err err;
    int rc = check_words(call, &err);

    if (rc == 0) rc = choose_findings(&chosen, &err);
    if (rc == 0) rc = take_findings(&chosen, &err);
    if (rc == 0) {
        hide_own(call);
        take_dialect(call, &chosen.before, &request);
        request.task = chosen.before.row.task;
        request.before = &chosen.before.settings;
        rc = run_take_all(call, &request, &err);
    }
    if (rc == 0 && !dry) rc = run_agree(call, &request, &err);
    if (rc == 0 && !dry) rc = run_choose_rest(call, &request, &err);
    if (rc != 0) rc = say_err(&err);
    else rc = dry ? show_chosen(&chosen) : start_repair(&chosen, &request);
    run_request_release(&request);
    listing_release(&chosen.listing);
    run_release(&chosen.before);
    look_close(&chosen.look);
    return rc;
}

const struct verb verb_fix = {
    .name = "fix",
    .summary = "repair findings of an earlier run that you choose",
    .text = {
        "Starts a run that begins with the repair of findings which an earlier run has left, such "
        "as those of 'hone run review --no-fix'. Then the reviewers look again, and it goes on "
        "and ends as 'hone run' does. It looks at what the earlier run looked at, unless options "
        "say otherwise.",
        "You choose by ID, as 'hone findings' shows them (the beginning of one will do), by "
        "--severity, or --all. IDs may name findings that are noted, waived or fixed; --severity "
        "and --all take what is open and not waived. A finding whose file is gone is left out, "
        "which is said.",
        "With --say the fixer gets a word of yours about a finding: it stands beside it in the "
        "prompt, and as \"say\" in HONE_FINDINGS.",
    },
    .arguments = {
        { .name = "RUN", .optional = true,
          .help = "the run whose findings are meant, or the beginning of its name; the newest of "
                  "this workspace where the first word names none" },
        { .name = "ID", .optional = true, .many = true,
          .help = "a finding, or the beginning of its name" },
    },
    .options = {
        { .name = "severity", .argument = "SEVERITY",
          .help = "low, medium or high: all open findings that are at least as grave",
          .words = "low, medium or high" },
        { .name = "all", .help = "all open findings" },
        { .name = "say", .argument = "TEXT",
          .help = "a word for the fixer about the IDs in front of it, back to the --say before; "
                  "with no ID in front, about all findings that have no word of their own; may be "
                  "given many times" },
        { .name = "dry-run", .help = "show what would be repaired, and start nothing" },
    },
    .like = &verb_run,
    .dialect_options = true,
    .codes = {
        { CODE_DONE, "as of hone run: nothing is open any more; or what would be repaired was "
                     "shown" },
        { CODE_FINDINGS, "findings remain, or some files were not looked at" },
        { CODE_USAGE, "there is no such run or finding, nothing was chosen, the command line or "
                      "the configuration is wrong, or another run works in this workspace" },
        { CODE_FAILED, "an agent could not run or kept breaking its contract" },
        { CODE_BUDGET, "the budget is spent; 'hone resume --budget' goes on with more" },
        { CODE_WAITING, "the run waits for an answer" },
        { CODE_INTERRUPTED, "the run was interrupted" },
    },
    .examples = {
        "hone fix --all",
        "hone fix 3f9c 51d0 --say 'keep the signature' a71",
        "hone fix 7k2m --severity high --agent '*=claude'",
    },
    .handle = handle,
};
