/* SPDX-License-Identifier: Apache-2.0
 *
 * run.c - one analyzer over its units.
 *
 *     wanted units --key known--> findings of the last time ----------------.
 *          |                                                                v
 *          '--else--> batches --> crew --> analyze_read --> findings --> the review, the cache
 *                        ^            |
 *                        '-- alone ---' a batch of several that failed
 *
 * 1. A unit is known, or looked at without a problem, or the analyzer has failed: there is no way
 *    past a unit.
 * 2. The program is looked for before anything is started: one that is missing is said once.
 * 3. Where a call with several units failed, each is tried alone, so that the one to blame is
 *    named.
 * 4. What is kept is what was found before the scope was asked: another scope finds it again. It
 *    is kept only where the files are still those that the key was made of: another process may
 *    have written to them while the program read.
 * 5. It is kept every KEEP_EVERY_MS: a look that takes longer than an attempt may last goes on
 *    where it was ended. */
#include "analyze/analyze.h"

#include "format/text/safe.h"
#include "base/mem.h"
#include "format/report/fix.h"
#include "io/file/file.h"
#include "io/process/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TELL_EVERY_MS = 1000, KEEP_EVERY_MS = 30000, CALLS_PER_PROCESSOR = 4, PREFIX_LETTERS = 8 };

/* One call of the program. */
struct batch_call {
    struct unit **units;
    uint32_t count;
    const char *report; /* its name in the review's folder */
};

struct run {
    struct review *review;
    const struct analyzer *analyzer;
    struct unit *units;
    uint32_t count;
    struct arena arena;
    struct batch_call *calls;
    uint32_t call_count, call_cap;
    struct crew_job *jobs;
    char prefix[PREFIX_LETTERS + 1]; /* of reports: no file of another time is read */
    uint32_t waiting, done;          /* units */
    struct cache cache;
    uint64_t kept_ms; /* when the cache was saved last */
};

/* ---- which units ---- */

/* A name that the program would take for another one. */
static void unit_refuse(struct run *run, struct unit *unit)
{
    const char *mangles = run->analyzer->mangles;

    if (!mangles) return;
    if (!strpbrk(run->review->workspace, mangles) && !strpbrk(unit->source->path, mangles)) return;
    unit->looked = unit->refused = true;
    unit->problem = arena_printf(&run->review->arena, "it cannot take a name with one of these in "
                                 "it: %s", mangles);
}

static void units_pick(struct run *run)
{
    const struct project *project = &run->review->project;
    uint32_t cap = 0;

    for (uint32_t i = 0; i < project->count; i++) {
        const struct source *source = &project->sources[i];

        if (!source->wanted || source->header) continue;
        if (!analyzer_reads(run->analyzer, source->language)) continue;
        run->units = mem_grow(run->units, run->count, &cap, sizeof *run->units);
        run->units[run->count] = (struct unit){ .source = source };
        unit_refuse(run, &run->units[run->count++]);
    }
}

/* The program of every language among the units is there. */
static int programs_check(const struct run *run, struct err *err)
{
    const struct language *last = NULL;
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < run->count; i++) {
        const struct source *source = run->units[i].source;
        const struct analyzer_call call = { .workspace = run->review->workspace, .units = &source,
                                            .count = 1, .report = "" };
        struct arena arena = { 0 };
        const char *program;

        if (source->language == last) continue;
        last = source->language;
        program = run->analyzer->command(&call, &arena)[0];
        if (!program_exists(program)) {
            const char *package = strcmp(program, run->analyzer->program) == 0
                                      ? run->analyzer->package : program;
            rc = err_set(err, ERR_MISSING, "%s is not installed and cannot look at %s: 'sudo apt "
                         "install %s' brings it; 'hone doctor' lists what there is", program,
                         safe_copy(&arena, str_of(source->path), PATH_SHOWN_MAX), package);
        }
        arena_release(&arena);
    }
    return rc;
}

/* ---- what is known ---- */

static void unit_recall(struct run *run, struct unit *unit)
{
    struct review *review = run->review;
    struct findings kept;

    if (!unit->keyed || unit->refused) return;
    if (!cache_find(&run->cache, unit->key, review->today, &review->arena, &kept)) return;
    for (uint32_t i = 0; i < kept.count; i++) {
        if (!locate_check(&review->locator, &kept.items[i])) return;
    }
    unit->known = true;
    for (uint32_t i = 0; i < kept.count; i++) {
        struct findings *list = &unit->findings;

        list->items = mem_grow(list->items, list->count, &list->cap, sizeof *list->items);
        list->items[list->count++] = kept.items[i];
    }
}

enum sameness { SAME_UNKNOWN, SAME_YES, SAME_NO };

/* Whether a source is still what its hash says. */
static bool is_same(const struct review *review, uint32_t index, char *memo)
{
    const struct source *source = &review->project.sources[index];
    struct buf text;
    struct err err;

    if (memo[index] == SAME_UNKNOWN) {
        buf_init(&text, SOURCE_BYTES_MAX);
        memo[index] = file_read_in(review->workspace, source->path, &text, &err) == 0 &&
                      content_hash(buf_str(&text)) == source->hash ? SAME_YES : SAME_NO;
        buf_release(&text);
    }
    return memo[index] == SAME_YES;
}

static bool unit_is_same(const struct review *review, const struct source *source, char *memo)
{
    bool same = is_same(review, (uint32_t)(source - review->project.sources), memo);

    for (uint32_t i = 0; same && i < source->include_count; i++) {
        same = is_same(review, source->includes[i], memo);
    }
    return same;
}

/* That nothing could be kept costs time and no more. */
static void units_keep(struct run *run)
{
    const struct review *review = run->review;
    char *memo = mem_alloc(review->project.count + 1);
    struct err err;

    for (uint32_t i = 0; i < run->count; i++) {
        struct unit *unit = &run->units[i];

        if (!unit->keyed || !unit->looked || unit->problem || unit->kept) continue;
        if (!unit_is_same(review, unit->source, memo)) continue;
        cache_put(&run->cache, unit->key, review->today, &unit->findings);
        unit->kept = true;
    }
    free(memo);
    if (cache_save(&run->cache, review->cache, run->analyzer->name, review->today, &err) != 0) {
        fprintf(stderr, "%s: the cache could not be written: %s\n", run->analyzer->name, err.text);
    }
    run->kept_ms = now_steady_ms();
}

/* ---- calls ---- */

static bool may_share(const struct unit *a, const struct unit *b)
{
    const char *left = a->source->folder ? a->source->folder : "";
    const char *right = b->source->folder ? b->source->folder : "";

    return a->source->language == b->source->language && a->source->flags == b->source->flags &&
           a->configured == b->configured && strcmp(left, right) == 0;
}

static struct batch_call *call_add(struct run *run)
{
    struct batch_call *call;

    run->calls = mem_grow(run->calls, run->call_count, &run->call_cap, sizeof *run->calls);
    call = &run->calls[run->call_count++];
    *call = (struct batch_call){
        .report = arena_printf(&run->arena, "%s-%u.report", run->prefix, run->call_count),
    };
    return call;
}

/* Units that were not seen yet, or (alone) those whose batch failed, as calls. */
static void calls_plan(struct run *run, bool alone)
{
    uint32_t most = processor_count() * CALLS_PER_PROCESSOR;
    uint32_t limit = alone ? 1 : run->waiting / most + 1;
    struct batch_call *call = NULL;

    if (limit > run->analyzer->batch) limit = run->analyzer->batch;
    run->call_count = 0;
    for (uint32_t i = 0; i < run->count; i++) {
        struct unit *unit = &run->units[i];

        if (unit->known || unit->refused || (alone ? !unit->problem : unit->looked)) continue;
        if (!call || call->count == limit || !may_share(call->units[0], unit)) {
            call = call_add(run);
            call->units = arena_alloc(&run->arena, limit * sizeof(struct unit *));
        }
        call->units[call->count++] = unit;
    }
}

static struct crew_job job_of(struct run *run, const struct batch_call *call)
{
    static const char *const env[] = { "LC_ALL=C.UTF-8", "LANGUAGE=", NULL };
    const struct review *review = run->review;
    const size_t bytes = call->count * sizeof(struct source *);
    const struct source **sources = arena_alloc(&run->arena, bytes);
    const struct analyzer_call about = {
        .workspace = review->workspace, .units = sources, .count = call->count,
        .report = arena_printf(&run->arena, "%s/%s", review->folder, call->report),
        .configured = call->units[0]->configured,
    };
    const char *folder = call->units[0]->source->folder;

    for (uint32_t i = 0; i < call->count; i++) sources[i] = call->units[i]->source;
    return (struct crew_job){
        .argv = run->analyzer->command(&about, &run->arena), .env = env,
        .cwd = folder ? folder : review->workspace,
        .out_bytes_max = run->analyzer->report_on_err || run->analyzer->report_in_file
                             ? SAID_BYTES_MAX : REPORT_BYTES_MAX,
        .err_bytes_max = run->analyzer->report_on_err ? REPORT_BYTES_MAX : SAID_BYTES_MAX,
    };
}

/* How far it is, as format/text/progress.h has it. */
static void run_tell(struct run *run)
{
    struct review *review = run->review;
    uint64_t now_ms = now_steady_ms();

    if (now_ms - review->told_ms < TELL_EVERY_MS) return;
    review->told_ms = now_ms;
    fprintf(stderr, "%s: %u of %u files\n", run->analyzer->name, run->done, run->waiting);
}

static void on_done(void *context, struct crew_job *job)
{
    struct run *run = context;
    const struct batch_call *call = &run->calls[job - run->jobs];
    struct err err;

    for (uint32_t i = 0; i < call->count; i++) call->units[i]->findings.count = 0;
    /* What a program says for people beside its report may be cut. */
    if (run->analyzer->report_in_file) job->cut = false;
    analyze_read(run->review, run->analyzer, call->units, call->count, job, call->report);
    if (run->analyzer->report_in_file) {
        (void)file_remove_in(run->review->folder, call->report, &err);
    }
    buf_release(&job->out);
    buf_release(&job->err);
    run->done += call->count;
    run_tell(run);
    if (run->review->cache && now_steady_ms() - run->kept_ms > KEEP_EVERY_MS) units_keep(run);
}

static int calls_make(struct run *run, struct err *err)
{
    int rc;

    run->jobs = mem_alloc((run->call_count + 1) * sizeof *run->jobs);
    for (uint32_t i = 0; i < run->call_count; i++) run->jobs[i] = job_of(run, &run->calls[i]);
    rc = crew_run(run->jobs, run->call_count, processor_count(), on_done, run, err);
    crew_release(run->jobs, run->call_count);
    free(run->jobs);
    run->jobs = NULL;
    return rc;
}

static uint32_t count_problems(const struct run *run, const struct unit **first)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < run->count; i++) {
        if (run->units[i].problem && count++ == 0) *first = &run->units[i];
    }
    return count;
}

static int units_look(struct run *run, struct err *err)
{
    const struct unit *first;
    int rc;

    calls_plan(run, false);
    if (run->waiting > 0) run_tell(run);
    rc = calls_make(run, err);
    if (rc != 0 || run->analyzer->batch == 1 || count_problems(run, &first) == 0) return rc;
    calls_plan(run, true);
    return calls_make(run, err);
}

/* ---- the end ---- */

static int problems_say(const struct run *run, struct err *err)
{
    struct arena arena = { 0 };
    const struct unit *first = NULL;
    uint32_t count = count_problems(run, &first);
    const char *file;
    int rc;

    if (count == 0) return 0;
    file = safe_copy(&arena, str_of(first->source->path), PATH_SHOWN_MAX);
    rc = err_set(err, ERR_FAILED, "%s could not look at %s%s: %s; mend that, leave it out with "
                 "--exclude, or choose another analyzer", run->analyzer->name, file,
                 count > 1 ? arena_printf(&arena, " (and %u more)", count - 1) : "",
                 first->problem);
    arena_release(&arena);
    return rc;
}

static void run_report(struct run *run)
{
    struct review *review = run->review;
    uint32_t known = 0;

    for (uint32_t i = 0; i < run->count; i++) {
        const struct unit *unit = &run->units[i];

        known += unit->known;
        for (uint32_t k = 0; k < unit->findings.count; k++) {
            review_add(review, &unit->findings.items[k]);
        }
    }
    if (run->count > 0) review->findings.unseen = false;
    if (run->count == 0) {
        review_note(review, "%s had nothing to look at", run->analyzer->name);
    } else if (known == 0) {
        review_note(review, "%s looked at %u file%s", run->analyzer->name, run->count,
                    run->count == 1 ? "" : "s");
    } else {
        review_note(review, "%s looked at %u of %u files; %u %s as when it last looked",
                    run->analyzer->name, run->count - known, run->count, known,
                    known == 1 ? "is" : "are");
    }
}

static void release(struct run *run)
{
    for (uint32_t i = 0; i < run->count; i++) free(run->units[i].findings.items);
    free(run->units);
    free(run->calls);
    cache_release(&run->cache);
    arena_release(&run->arena);
}

int analyze_units(struct review *review, const struct analyzer *analyzer, struct err *err)
{
    struct run run = { .review = review, .analyzer = analyzer, .kept_ms = now_steady_ms() };
    int rc;

    random_word(run.prefix, PREFIX_LETTERS);
    units_pick(&run);
    rc = programs_check(&run, err);
    if (rc == 0) {
        analyze_keys(review, analyzer, run.units, run.count);
        if (review->cache) cache_load(&run.cache, review->cache, analyzer->name);
        for (uint32_t i = 0; i < run.count; i++) {
            unit_recall(&run, &run.units[i]);
            run.waiting += !run.units[i].known;
        }
        rc = units_look(&run, err);
    }
    if (rc == 0 && review->cache) units_keep(&run);
    if (rc == 0) rc = problems_say(&run, err);
    if (rc == 0) run_report(&run);
    release(&run);
    return rc;
}
