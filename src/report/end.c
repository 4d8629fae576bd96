/* SPDX-License-Identifier: Apache-2.0
 *
 * end.c - how a run ended, on standard output: why, what was found and fixed and is left,
 * how long it took, what it cost, where the files are, and the way on.
 *
 * An agent that could not do its part is named on standard error, with --quiet too. */
#include "report/report.h"

#include "base/clock.h"
#include "format/report/listing.h"
#include "format/text/budget_text.h"
#include "format/text/safe.h"
#include "format/text/width.h"
#include "io/terminal/terminal.h"
#include "report/found.h"
#include "report/json.h"
#include "report/remarks.h"
#include "report/spending.h"
#include "report/until.h"
#include "run/cast.h"
#include "run/ends.h"
#include "run/site.h"
#include "view/view_render.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LINE_BYTES_MAX = 1 << 20, PROBLEM_BYTES_MAX = 320, WORST_COUNT = 5 };

static int out_problem; /* an error number; what follows it is lost too */

void report_out(struct str text)
{
    bool whole;

    errno = 0;
    whole = fwrite(text.data, 1, text.size, stdout) == text.size;
    if ((fflush(stdout) != 0 || !whole) && !out_problem) out_problem = errno ? errno : EIO;
}

int report_problem(void)
{
    return out_problem;
}

enum style reason_style(enum reason reason)
{
    if (reason == REASON_CLEAN || reason == REASON_CONVERGED) return STYLE_GOOD;
    if (reason == REASON_SETTLED) return STYLE_GOOD;
    return reason == REASON_FAILED || reason == REASON_UNSEEN ? STYLE_BAD : STYLE_FOUND;
}

/* Those in a batch that are dead for the same reason as jobs[first], in one line. */
static void report_dead_like(const struct report *report, const struct run *run,
                             const struct batch *batch, uint32_t first)
{
    const struct result *result = &batch->jobs[first].result;
    struct buf names, problem;

    buf_init(&names, LINE_BYTES_MAX);
    for (uint32_t i = 0; i < batch->count; i++) {
        const struct job *job = &batch->jobs[i];
        if (job->state != JOB_DEAD || !str_eq(job->result.problem, result->problem)) continue;
        if (i < first) goto out; /* said already */
        buf_printf(&names, "%s%s", names.size ? ", " : "",
                   run->plan.roles[job->role].name);
    }
    buf_init(&problem, LINE_BYTES_MAX);
    safe_text(&problem, problem_core(result), true, PROBLEM_BYTES_MAX);
    report_warning(report, "%s %s: %s", buf_cstr(&names),
                   result->verdict == VERDICT_INVALID ? "broke the contract" : "failed",
                   buf_cstr(&problem));
    buf_release(&problem);

out:
    buf_release(&names);
}

static void report_dead(const struct report *report, const struct run *run)
{
    const struct engine *engine = &run->engine;

    for (uint32_t i = 0; i < engine->lane_count; i++) {
        const struct batch *now = &engine->lanes[i].now;
        for (uint32_t k = 0; k < now->count; k++) {
            if (now->jobs[k].state == JOB_DEAD) report_dead_like(report, run, now, k);
        }
    }
}

/* The dialect's own words at the end. */
static struct str summary_of(struct run *run)
{
    struct run_view view = run_view(run, 0);
    struct buf text;

    buf_init(&text, LINE_BYTES_MAX);
    if (run->dialect->framing) run->dialect->framing->conclude(&view, &text);
    return arena_take(&run->arena, &text);
}

static struct ending ending_of(struct run *run)
{
    const struct engine *engine = &run->engine;
    uint32_t count = engine->round_count;
    const struct round *last = count ? &engine->rounds[count - 1] : NULL;
    const char *files = dialect_files(run->dialect, &run->settings.options);
    struct listing_counts counts = ledger_faults(&run->engine.ledger);

    return (struct ending){
        .found = counts.total,
        .fixed = counts.states[FINDING_FIXED],
        .left = counts.open_count,
        .noted = counts.states[FINDING_NOTED],
        .noted_grave = counts.noted_grave,
        .waived = counts.states[FINDING_WAIVED],
        .findings_left = last && last->verdict == VERDICT_FINDINGS ? last->finding_count : 0,
        .coverage = ledger_coverage(&run->engine.ledger, &run->arena),
        .took_ms = engine->active_ms,
        .files = arena_printf(&run->arena, "%s/%s", run->repo.workspace,
                              files ? files : ""),
        .summary = summary_of(run),
    };
}

/* The cost as agents reported it. Analyzers and scripts cost nothing; any other agent may have. */
static const char *cost_words(struct run *run)
{
    uint64_t micros = run->engine.usage.cost_micros;

    if (micros) {
        return arena_printf(&run->arena, "cost $%" PRIu64 ".%04" PRIu64, micros / 1000000,
                            micros % 1000000 / 100);
    }
    for (uint32_t i = 1; run->agents && i < run->plan.role_count; i++) {
        const struct backend *backend = run->agents[i].backend;
        if (backend && backend->may_cost) return "no cost reported";
    }
    return run->agents ? "cost nothing" : "no cost reported";
}

/* The files, as short as they can be named from where the run was started. */
static const char *files_from(const struct ending *ending, const char *folder)
{
    size_t size = strlen(folder);

    if (strncmp(ending->files, folder, size) == 0 && ending->files[size] == '/') {
        return ending->files + size + 1;
    }
    return ending->files;
}

/* Each limit with what was used of it, in one line. */
static void print_budget(const struct engine *engine, struct buf *out)
{
    struct amounts used = engine_used(engine);
    bool said = false;

    for (uint32_t i = 0; i < BUDGET_PART_COUNT; i++) {
        if (engine->budget.limit.of[i] == 0) continue;
        buf_text(out, said ? ", " : "budget: ");
        amount_write((enum budget_part)i, used.of[i], false, out);
        buf_text(out, " of ");
        amount_write((enum budget_part)i, engine->budget.limit.of[i], true, out);
        said = true;
    }
    buf_text(out, "; limits are of the whole run\n");
}

/* What the fixer of the main lane said; the others have a summary of their dialect's. */
static void print_stuck(const struct engine *engine, struct buf *out)
{
    struct str reason = stuck_reason(&engine->lanes[0]);

    if (reason.size == 0) return;
    buf_text(out, "the fixer says: ");
    safe_text(out, reason, true, PROBLEM_BYTES_MAX);
    buf_byte(out, '\n');
}

static bool has_parked(const struct engine *engine)
{
    const struct ledger_entry *entries;
    uint32_t count = ledger_of_lane(&engine->ledger, 0, &entries);

    for (uint32_t i = 0; i < count; i++) {
        if (entries[i].state == FINDING_PARKED) return true;
    }
    return false;
}

/* What is parked has no words of an agent that say what is missing. */
static void print_way_on(const struct engine *engine, const char *id, struct buf *out)
{
    bool stuck = engine->reason == REASON_STUCK;

    if (stuck && stuck_reason(&engine->lanes[0]).size == 0 && has_parked(engine)) {
        const struct batch *repair = &engine->lanes[0].repair;

        if (repair->count > 0) {
            buf_printf(out, "what the fixer said: hone show %s %" PRIu32 "\n", id,
                       repair->jobs[0].id);
        }
        buf_printf(out, "tell it more: hone fix %s ID --say TEXT; or repair it yourself, or leave "
                   "it (hone waive ID --reason TEXT), then: hone resume %s", id, id);
        return;
    }
    buf_printf(out, "%s: hone resume %s", stuck ? "do what is missing, then" : "continue with", id);
}

/* Repairs that left the tree as it was. */
static void print_untouched(const struct engine *engine, struct buf *out)
{
    struct buf rounds;

    buf_init(&rounds, LINE_BYTES_MAX);
    untouched_words(engine, &rounds);
    if (rounds.size) {
        buf_printf(out, "the fixer changed nothing in round %s\n", buf_cstr(&rounds));
    }
    buf_release(&rounds);
}

/* Reviews by agents that do not tell what they read. */
static void print_unproven(const struct run *run, struct buf *out)
{
    uint64_t count = run->engine.unproven;

    if (count == 0) return;
    buf_printf(out, "no proof of reading: nothing shows that %" PRIu64 " review%s looked at the "
               "change; a command names what it read in the file $HONE_EVIDENCE, and "
               "--require-proof counts no review without\n", count, count == 1 ? "" : "s");
}

/* Fixes that were not made, since they could change what the program does. */
static void print_held_back(const struct run *run, struct buf *out)
{
    bool one = run->held_back == 1;

    if (run->held_back == 0) return;
    buf_printf(out, "held back %" PRIu64 " fix%s that may change what the program does: --fixes "
               "all makes %s, and so does a --test that passes before and after\n", run->held_back,
               one ? "" : "es", one ? "it" : "them");
}

/* Roles that looked at nothing, and what to do where that was all of them. */
static void print_not_played(const struct run *run, const struct coverage *coverage,
                             struct buf *out)
{
    const char *since = run->settings.since;
    struct buf names;

    buf_init(&names, LINE_BYTES_MAX);
    not_played_words(run, &names);
    if (names.size) {
        buf_printf(out, "not played, for there was nothing that they look at: %s\n",
                   buf_cstr(&names));
    }
    buf_release(&names);
    if (run->engine.reason != REASON_UNSEEN || coverage->unlooked_count > 0) return;
    if (since && *since) {
        buf_printf(out, "no file that changed is one that these reviewers look at: 'hone run %s "
                   "--all' looks at everything\n", run->dialect->name);
    } else {
        buf_text(out, "no file here is one that these reviewers look at\n");
    }
}

/* How wide lines may be; 0: any number of columns, where standard output is no terminal. */
static uint32_t out_columns(void)
{
    const struct terminal terminal = { .fd = TERMINAL_OUT_FD };

    return terminal_can_move(TERMINAL_OUT_FD) ? terminal_size(&terminal).columns : 0;
}

/* The worst of what is left, each with its line of the source. */
static void print_worst(const struct report *report, struct run *run, uint32_t left,
                        struct buf *out)
{
    struct listing listing = { .plan = &run->plan };
    struct found_page page = {
        .listing = &listing, .color = report->color && terminal_can_move(TERMINAL_OUT_FD),
        .columns = out_columns(),
        .workspace = run->repo.workspace,
    };

    if (left == 0 || report->quiet) return;
    listing_add_open(&listing, &run->engine.ledger, &run->arena);
    listing_merge(&listing, &run->arena);
    listing_sort(&listing, LISTING_BY_STATE);
    buf_text(out, left > WORST_COUNT ? "the worst of what is left:\n" : "what is left:\n");
    found_worst(&page, WORST_COUNT, out);
    if (left > WORST_COUNT) {
        buf_printf(out, "  and %" PRIu32 " more: hone findings %s\n", left - WORST_COUNT,
                   run->row.id);
    }
    listing_release(&listing);
}

static void print_until(const struct run *run, struct buf *out)
{
    struct str text, line;
    struct buf said;

    buf_init(&said, LINE_BYTES_MAX);
    until_say(run, &said);
    text = buf_str(&said);
    while (str_cut(&text, '\n', &line)) {
        wrap_text(out, line, &(struct wrap){ .columns_max = out_columns(), .whole_words = true });
        buf_byte(out, '\n');
    }
    buf_release(&said);
}

/* What was found, and what became of it. */
static void print_counts(struct run *run, const struct ending *ending, struct buf *out)
{
    buf_printf(out, "found %" PRIu32 ", fixed %" PRIu32 ", left %" PRIu32, ending->found,
               ending->fixed, ending->left);
    if (ending->noted) {
        buf_printf(out, run->plan.eyes ? ", %" PRIu32 " noted"
                                       : ", %" PRIu32 " too small to fail a review", ending->noted);
    }
    if (ending->waived) buf_printf(out, ", %" PRIu32 " waived", ending->waived);
    buf_printf(out, "; %s\n", cost_words(run));
    if (ending->noted_grave && run->plan.eyes) {
        buf_printf(out, "noted, though grave: %" PRIu32 ", which the fixer gave a reason for and "
                   "no later review reports; hone findings --state noted --severity high\n",
                   ending->noted_grave);
    }
    print_until(run, out);
}

static void print_text(const struct report *report, struct run *run, const struct ending *ending,
                       const char *lanes, struct buf *out)
{
    const struct engine *engine = &run->engine;
    const char *id = run->row.id;
    enum style style = reason_style(engine->reason);
    bool clean = engine->reason == REASON_CLEAN;
    char span[CLOCK_SPAN_BYTES];
    bool color = report->color && terminal_can_move(TERMINAL_OUT_FD);

    buf_printf(out, "%s%s%s", color ? style_codes[style] : "",
               clean && ending->noted ? "clean: the last review found nothing that fails it"
                                      : run_end_of(run)->line,
               color && style != STYLE_PLAIN ? STYLE_OFF : "");
    if (engine->unproven) buf_text(out, ", with no proof of reading");
    buf_printf(out, " (run %s, %" PRIu32 " round%s, %s)\n", id, engine->round_count,
               engine->round_count == 1 ? "" : "s", clock_span(ending->took_ms, span));
    print_counts(run, ending, out);
    if (dialect_files(run->dialect, &run->settings.options)) {
        buf_text(out, "files: ");
        safe_text(out, str_of(files_from(ending, report->folder)), true, 0);
        buf_text(out, ending->found ? "; " : "\n");
    }
    if (ending->found) {
        buf_printf(out, "each finding: hone findings %s", id);
        if (ending->left && run->settings.no_fix) {
            buf_printf(out, "; to repair them: hone fix %s --all", id);
        }
        buf_byte(out, '\n');
    }
    coverage_say(&ending->coverage, out);
    if (run->settings.missing && *run->settings.missing) {
        safe_text(out, str_of(run->settings.missing), true, LINE_BYTES_MAX / 2);
        buf_byte(out, '\n');
    }
    print_worst(report, run, ending->left, out);
    print_not_played(run, &ending->coverage, out);
    print_unproven(run, out);
    print_untouched(engine, out);
    print_stuck(engine, out);
    if (run->test_useless) {
        buf_text(out, "the test failed before any fix, so it has judged none of them: ");
        safe_text(out, str_of(run->settings.test), true, PROBLEM_BYTES_MAX);
        buf_byte(out, '\n');
    }
    print_held_back(run, out);
    if (run->unverified) {
        unverified_words(run, out);
        buf_byte(out, '\n');
    }
    buf_text(out, lanes);
    if (engine->reason == REASON_BUDGET) print_budget(engine, out);
    if (engine->reason == REASON_WAITING || engine->reason == REASON_ESCALATED) {
        buf_printf(out, "decide with: hone answer %s continue, accept%s or stop", id,
                   engine->iteration < engine->plan->iteration_max ? ", restart" : "");
    } else if (engine_can_resume(engine)) {
        print_way_on(engine, id, out);
    }
    if (engine->reason == REASON_BUDGET) {
        buf_text(out, " --budget ");
        spending_more(engine, out);
    }
    if (engine->reason == REASON_FAILED) buf_printf(out, "; what they said: hone show %s", id);
    if (engine_can_resume(engine)) buf_byte(out, '\n');
    if (ending->summary.size && !report->quiet) {
        buf_byte(out, '\n');
        safe_text(out, ending->summary, false, 0);
    }
}

void report_finish(const struct report *report, struct run *run, const char *lanes)
{
    struct ending ending = ending_of(run);
    struct buf text;

    if (run->engine.reason == REASON_FAILED) report_dead(report, run);
    if (report->json) {
        report_json_finish(run, &ending);
        return;
    }
    buf_init(&text, LINE_BYTES_MAX);
    print_text(report, run, &ending, lanes, &text);
    report_out(buf_str(&text));
    buf_release(&text);
}
