/* SPDX-License-Identifier: Apache-2.0
 *
 * across.c - hone findings --across: findings followed over the runs of a repository.
 *
 *   runs, oldest first --> each replayed --> its ledger --> what is one fault in it --> matched
 *   with what is known of earlier runs (core/identity.h) --> a trace for each, with its sightings
 *
 * No journal says that a finding of one run is a finding of another: both are known by their words
 * and places alone, and lines are compared as they were. So a finding whose file changed much
 * between two runs, and that is told in other words, begins a new trace.
 *
 * 1. All events of all runs are read: the last line says how many, and how long that took.
 * 2. Bounded: of more than RUNS_MAX runs the newest are read, of more than TRACES_MAX findings the
 *    first are followed, and the last line says what was left out.
 * 3. What several phases or lanes of a run report is one sighting, as open as the most open. */
#include "cmd/findings.h"

#include "base/clock.h"
#include "base/mem.h"
#include "cmd/say.h"
#include "core/identity.h"
#include "format/json/finding_json.h"
#include "format/text/pattern.h"
#include "format/text/safe.h"
#include "io/file/file.h"
#include "run/look.h"
#include "run/run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_MAX = 500, TRACES_MAX = 20000, TEXT_SHOWN_MAX = 200, LINE_BYTES_MAX = 8192,
       INDENT = 4 };

/* A finding as one run left it. */
struct sighting {
    uint32_t run; /* its number */
    enum finding_state state;
    uint32_t line;
    const char *id;
};

struct trace {
    struct finding finding; /* as it was told last */
    struct sighting *seen;  /* oldest first */
    uint32_t count, cap;
};

/* One following. */
struct across {
    struct arena arena;
    struct look look;
    struct journal_run *runs; /* newest first while they are collected, then oldest first */
    uint32_t run_count, run_cap;
    uint32_t left_out;        /* runs that are older than those */
    uint32_t unread;          /* runs that this program cannot read */
    struct trace *traces;
    uint32_t count, cap;
    uint32_t unfollowed;      /* findings beyond TRACES_MAX */
    uint64_t took_ms;
};

static bool run_collect(void *context, const struct journal_run *run)
{
    struct across *across = context;

    if (across->run_count == RUNS_MAX) {
        across->left_out++;
        return true;
    }
    across->runs = mem_grow(across->runs, across->run_count, &across->run_cap,
                            sizeof *across->runs);
    across->runs[across->run_count++] = *run;
    return true;
}

static void runs_reverse(struct across *across)
{
    for (uint32_t i = 0; i < across->run_count / 2; i++) {
        struct journal_run run = across->runs[i];

        across->runs[i] = across->runs[across->run_count - 1 - i];
        across->runs[across->run_count - 1 - i] = run;
    }
}

/* ---- following ---- */

/* What one run says of one fault. */
struct report {
    const struct ledger_entry *entry;
    enum finding_state state; /* the most open of all that are about it */
};

static void trace_see(struct across *across, uint32_t at, uint32_t run,
                      const struct report *report)
{
    struct trace *trace = &across->traces[at];
    char id[LISTING_ID_BYTES];

    trace->finding = finding_copy(&report->entry->finding, &across->arena);
    trace->seen = arena_grow(&across->arena, trace->seen, trace->count, &trace->cap,
                             sizeof *trace->seen);
    trace->seen[trace->count++] = (struct sighting){
        .run = run, .state = report->state, .line = report->entry->finding.line,
        .id = arena_cstr(&across->arena, str_of(listing_id(report->entry, true, id))),
    };
}

/* The faults of a run: what its phases and lanes say of one is one report. */
static uint32_t reports_make(const struct listing *listing, const struct plan *plan,
                             struct arena *arena, struct report *out)
{
    uint32_t count = listing->count, kept = 0;
    const struct finding **findings = arena_alloc(arena, (count + 1) * sizeof(void *));
    uint32_t *voters = arena_alloc(arena, 3 * (count + (size_t)1) * sizeof *voters);
    uint32_t *groups = voters + count + 1, *places = groups + count + 1;

    for (uint32_t i = 0; i < count; i++) {
        findings[i] = &listing->items[i]->finding;
        voters[i] = listing->items[i]->lane * plan->phase_count + listing->items[i]->phase;
    }
    identity_group(&(struct identity_reports){ findings, voters, count, NULL }, groups);
    for (uint32_t i = 0; i < count; i++) {
        const struct ledger_entry *entry = listing->items[i];

        if (groups[i] == i) {
            places[i] = kept;
            out[kept++] = (struct report){ entry, entry->state };
        } else if (entry->state < out[places[groups[i]]].state) {
            out[places[groups[i]]].state = entry->state;
        }
    }
    return kept;
}

static void reports_follow(struct across *across, uint32_t run, const struct report *reports,
                           uint32_t count)
{
    uint32_t known = across->count;
    const struct finding **sides = mem_alloc((known + (size_t)count + 1) * sizeof(void *));
    uint32_t *matches = mem_alloc((count + (size_t)1) * sizeof *matches);

    for (uint32_t i = 0; i < known; i++) sides[i] = &across->traces[i].finding;
    for (uint32_t i = 0; i < count; i++) sides[known + i] = &reports[i].entry->finding;
    identity_match(&(struct identity_sides){ .known = sides, .reported = sides + known,
                                             .known_count = known, .reported_count = count },
                   matches);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = matches[i];

        if (at == IDENTITY_NONE && across->count == TRACES_MAX) {
            across->unfollowed++;
            continue;
        }
        if (at == IDENTITY_NONE) {
            across->traces = mem_grow(across->traces, across->count, &across->cap,
                                      sizeof *across->traces);
            at = across->count++;
            across->traces[at] = (struct trace){ .count = 0 };
        }
        trace_see(across, at, run, &reports[i]);
    }
    free(sides);
    free(matches);
}

static void run_follow(struct across *across, uint32_t at)
{
    const struct ledger_entry *const *entries;
    struct listing listing = { .count = 0 };
    struct run replay = { 0 };
    struct report *reports;
    uint32_t count;
    struct err none;

    if (run_load(&replay, &across->runs[at], &none) != 0 ||
        run_replay(&replay, across->look.journal, NULL, NULL, &none) != 0) {
        across->unread++;
        run_release(&replay);
        return;
    }
    count = ledger_list(&replay.engine.ledger, &replay.arena, &entries);
    for (uint32_t i = 0; i < count; i++) listing_add(&listing, entries[i]);
    listing_merge(&listing, &replay.arena);
    reports = arena_alloc(&replay.arena, (listing.count + 1) * sizeof *reports);
    count = reports_make(&listing, &replay.plan, &replay.arena, reports);
    reports_follow(across, at, reports, count);
    listing_release(&listing);
    run_release(&replay);
}

/* ---- choosing ---- */

static const struct sighting *last_of(const struct trace *trace)
{
    return &trace->seen[trace->count - 1];
}

static bool trace_fits(const struct trace *trace, const struct finding_filter *filter,
                       const char *id)
{
    const struct finding *finding = &trace->finding;

    if (!filter->states[last_of(trace)->state]) return false;
    if (finding->severity < filter->severity_min) return false;
    if (filter->file.size > 0 && !pattern_matches(filter->file, finding->file)) return false;
    for (uint32_t i = 0; id && i < trace->count; i++) {
        if (finding_id_fits(str_of(trace->seen[i].id), str_of(id))) return true;
    }
    return !id;
}

/* What was seen last comes first, and of one run what is open. */
static int compare_traces(const void *one, const void *other)
{
    const struct trace *a = one, *b = other;
    const struct sighting *last_a = last_of(a), *last_b = last_of(b);
    int order = (last_a->run < last_b->run) - (last_a->run > last_b->run);

    if (order == 0) order = (last_a->state > last_b->state) - (last_a->state < last_b->state);
    if (order == 0) {
        order = (a->finding.severity < b->finding.severity) -
                (a->finding.severity > b->finding.severity);
    }
    if (order == 0) order = str_compare(a->finding.file, b->finding.file);
    if (order == 0) order = (last_a->line > last_b->line) - (last_a->line < last_b->line);
    return order != 0 ? order : strcmp(last_a->id, last_b->id);
}

static void traces_choose(struct across *across, const struct finding_filter *filter,
                          const char *id)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < across->count; i++) {
        if (trace_fits(&across->traces[i], filter, id)) across->traces[kept++] = across->traces[i];
    }
    across->count = kept;
    if (kept > 0) qsort(across->traces, kept, sizeof *across->traces, compare_traces);
}

/* ---- showing ---- */

/* "5c3f0a1b list.c:3: medium: the sum may overflow" */
static void put_finding(const struct finding *finding, const char *id, uint32_t columns,
                        struct buf *out)
{
    char shown[LISTING_ID_BYTES];
    struct buf line;

    buf_init(&line, LINE_BYTES_MAX);
    buf_printf(&line, "%s ", finding_id_short(str_of(id), shown));
    if (finding->file.size > 0) safe_text(&line, finding->file, true, TEXT_SHOWN_MAX);
    else buf_text(&line, "about no file");
    if (finding->file.size > 0 && finding->line > 0) buf_printf(&line, ":%" PRIu32, finding->line);
    buf_printf(&line, ": %s: ", severity_word(finding->severity));
    safe_text(&line, str_trim(finding->text), true, TEXT_SHOWN_MAX);
    add_wrapped(out, buf_cstr(&line), 0, INDENT, columns);
    buf_release(&line);
}

/* "2026-11-16 run k2v8: fixed, line 9, as d364681a": line and ID where they are others now. */
static void put_sighting(const struct across *across, const struct trace *trace,
                         const struct sighting *seen, uint32_t columns, struct buf *out)
{
    const struct journal_run *run = &across->runs[seen->run];
    char day[CLOCK_DAY_BYTES], shown[LISTING_ID_BYTES];
    struct buf line;

    buf_init(&line, LINE_BYTES_MAX);
    buf_printf(&line, "%s run %s: %s", clock_day(run->created_ms, day), run->id,
               finding_state_word(seen->state));
    if (seen->line > 0 && seen->line != trace->finding.line) {
        buf_printf(&line, ", line %" PRIu32, seen->line);
    }
    if (strcmp(seen->id, last_of(trace)->id) != 0) {
        buf_printf(&line, ", as %s", finding_id_short(str_of(seen->id), shown));
    }
    buf_printf(out, "%*s", INDENT, "");
    add_wrapped(out, buf_cstr(&line), INDENT, 2 * INDENT, columns);
    buf_release(&line);
}

static void put_trace(const struct across *across, const struct trace *trace, uint32_t columns,
                      struct buf *out)
{
    put_finding(&trace->finding, last_of(trace)->id, columns, out);
    for (uint32_t i = 0; i < trace->count; i++) {
        put_sighting(across, trace, &trace->seen[i], columns, out);
    }
}

static void put_cost(const struct across *across, uint32_t columns, struct buf *out)
{
    char span[CLOCK_SPAN_BYTES];
    struct buf line;

    buf_init(&line, LINE_BYTES_MAX);
    buf_printf(&line,
               "%" PRIu32 " finding%s over %" PRIu32 " run%s; all their events were read (%s)",
               across->count, across->count == 1 ? "" : "s", across->run_count,
               across->run_count == 1 ? "" : "s", clock_span(across->took_ms, span));
    if (across->left_out > 0) {
        buf_printf(&line, "; %" PRIu32 " older runs were left out", across->left_out);
    }
    if (across->unread > 0) {
        buf_printf(&line, "; %" PRIu32 " could not be read", across->unread);
    }
    if (across->unfollowed > 0) {
        buf_printf(&line, "; %" PRIu32 " findings more were not followed", across->unfollowed);
    }
    add_wrapped(out, buf_cstr(&line), 0, INDENT, columns);
    buf_release(&line);
}

static void sighting_json(const struct across *across, yyjson_mut_doc *doc, yyjson_mut_val *object,
                          const struct sighting *seen)
{
    const struct journal_run *run = &across->runs[seen->run];
    char iso[CLOCK_ISO_BYTES];

    json_add_text(doc, object, "run", str_of(run->id));
    json_add_text(doc, object, "created", str_of(clock_iso(run->created_ms, iso)));
    json_add_text(doc, object, "id", str_of(seen->id));
    yyjson_mut_obj_add_str(doc, object, "state", finding_state_word(seen->state));
    yyjson_mut_obj_add_bool(doc, object, "open", finding_is_open(seen->state));
    yyjson_mut_obj_add_uint(doc, object, "line", seen->line);
}

static void show_json(const struct across *across)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc), *list = yyjson_mut_obj_add_arr(doc, root, "findings");

    for (uint32_t i = 0; i < across->count; i++) {
        const struct trace *trace = &across->traces[i];
        yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list), *seen;

        json_add_text(doc, object, "id", str_of(last_of(trace)->id));
        json_add_text(doc, object, "file", trace->finding.file);
        yyjson_mut_obj_add_uint(doc, object, "line", trace->finding.line);
        yyjson_mut_obj_add_str(doc, object, "severity", severity_word(trace->finding.severity));
        json_add_text(doc, object, "text", trace->finding.text);
        json_add_text(doc, object, "first", str_of(across->runs[trace->seen[0].run].id));
        json_add_text(doc, object, "last", str_of(across->runs[last_of(trace)->run].id));
        seen = yyjson_mut_obj_add_arr(doc, object, "seen");
        for (uint32_t k = 0; k < trace->count; k++) {
            sighting_json(across, doc, yyjson_mut_arr_add_obj(doc, seen), &trace->seen[k]);
        }
    }
    yyjson_mut_obj_add_uint(doc, root, "runs", across->run_count);
    yyjson_mut_obj_add_uint(doc, root, "left_out", across->left_out);
    yyjson_mut_obj_add_uint(doc, root, "unread", across->unread);
    yyjson_mut_obj_add_uint(doc, root, "unfollowed", across->unfollowed);
    say_json(doc, true);
}

static int show_text(const struct across *across, uint32_t columns)
{
    struct buf out;
    int code = CODE_DONE;

    buf_init(&out, SAY_BYTES_MAX);
    for (uint32_t i = 0; i < across->count; i++) {
        put_trace(across, &across->traces[i], columns, &out);
    }
    put_cost(across, columns, &out);
    if (out.overflow) {
        code = say_fail(CODE_FAILED, "the findings take more than %d MB; choose some of them, as "
                        "with --severity high", SAY_BYTES_MAX >> 20);
    } else {
        say_out(&out);
    }
    buf_release(&out);
    return code;
}

static int check_options(const struct call *call, struct err *err)
{
    static const char *const others[] = { "format", "role", "rule", "round", "by", "cause",
                                          "min-votes" };

    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (!call_has(call, others[i])) continue;
        return err_set(err, ERR_USAGE, "--across follows findings over runs, and takes --state, "
                       "--severity, --file and --json; --%s is about one run", others[i]);
    }
    return 0;
}

int findings_across(struct call *call, const struct finding_filter *filter)
{
    const char *id = call_argument(call, 0);
    struct across across = { .count = 0 };
    uint64_t began_ms = now_steady_ms();
    int rc, code = CODE_DONE;
    struct err err;

    rc = check_options(call, &err);
    if (rc == 0) rc = look_open(&across.look, call->cwd, &err);
    if (rc == 0) {
        rc = journal_runs(across.look.journal, &across.look.arena, run_collect, &across, &err);
    }
    if (rc == 0) {
        runs_reverse(&across);
        for (uint32_t i = 0; i < across.run_count; i++) run_follow(&across, i);
        traces_choose(&across, filter, id);
        across.took_ms = now_steady_ms() - began_ms;
    }
    if (rc == 0 && id && across.count == 0) {
        rc = err_set(&err, ERR_USAGE, "no run of this repository has a finding that begins with "
                     "'%.60s'; 'hone findings --across' shows all", id);
    }
    if (rc != 0) code = say_err(&err);
    else if (call->json) show_json(&across);
    else code = show_text(&across, table_columns(call));
    free(across.traces);
    free(across.runs);
    arena_release(&across.arena);
    look_close(&across.look);
    return code;
}
