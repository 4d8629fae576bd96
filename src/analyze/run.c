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
 * 1. A unit is known, or looked at without a problem, or named in the answer as one that was not
 *    looked at, with the reason. Where that is so of all units, and the reason is the program and
 *    not the files, the analyzer has failed.
 * 2. The program is looked for before anything is started: one that is missing is said once.
 * 3. Where a call with several units failed, each is tried alone, so that the one to blame is
 *    named.
 * 4. What is kept is what was found before the scope was asked: another scope finds it again. It
 *    is kept only where the files are still those that the key was made of: another process may
 *    have written to them while the program read.
 * 5. A program that runs code of the repository, or is a part of it, runs in a cage or not at all
 *    (program.c).
 * 6. A call may take file_ms_max: one file that takes longer is one that was not looked at.
 * 7. It is kept every KEEP_EVERY_MS: a look that takes longer than an attempt may last goes on
 *    where it was ended. */
#include "analyze/analyze.h"
#include "analyze/words.h"

#include "format/text/safe.h"
#include "base/mem.h"
#include "base/path.h"
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
    const char *program; /* the project's own copy, or one of another name; NULL: by its name */
    bool caged;
};

/* ---- which units ---- */

/* What cannot be read, and a name that the program would take for another one. */
static void unit_refuse(struct run *run, struct unit *unit)
{
    const char *mangles = run->analyzer->mangles;

    if (unit->source->problem) {
        unit->looked = unit->refused = unit->own = true;
        unit->problem = unit->source->problem;
        return;
    }
    if (!mangles) return;
    if (!strpbrk(run->review->workspace, mangles) && !strpbrk(unit->source->path, mangles)) return;
    unit->looked = unit->refused = unit->own = true;
    unit->problem = arena_printf(&run->review->arena, "it cannot take a name with one of these in "
                                 "it: %s", mangles);
}

static bool has_root(const struct run *run, struct str folder)
{
    for (const char *const *root = run->analyzer->roots; *root; root++) {
        struct arena arena = { 0 };
        bool there = file_exists(arena_printf(&arena, "%s/%.*s%s%s", run->review->workspace,
                                              STR_ARG(folder), folder.size ? "/" : "", *root));

        arena_release(&arena);
        if (there) return true;
    }
    return false;
}

/* Where the program runs for a source; NULL: it belongs to no project of the program's kind. */
static const char *unit_folder(struct run *run, const struct source *source)
{
    struct arena *arena = &run->review->arena;
    struct str folder = path_folder(str_of(source->path)), found = { NULL, 0 };
    const char *top = run->review->workspace;

    if (!run->analyzer->roots) return source->folder ? source->folder : top;
    for (;; folder = path_folder(folder)) {
        if ((!found.data || run->analyzer->outermost) && has_root(run, folder)) found = folder;
        if (folder.size == 0) break;
    }
    if (!found.data) return NULL;
    return found.size ? arena_printf(arena, "%s/%.*s", top, STR_ARG(found)) : top;
}

static void units_pick(struct run *run)
{
    const struct project *project = &run->review->project;
    uint32_t cap = 0, rootless = 0;

    for (uint32_t i = 0; i < project->count; i++) {
        const struct source *source = &project->sources[i];
        const char *folder;

        if (!source->wanted || source_is_left_out(run->review, source)) continue;
        if (!analyzer_takes(run->analyzer, source)) continue;
        folder = unit_folder(run, source);
        if (!folder) {
            rootless++;
            continue;
        }
        run->units = mem_grow(run->units, run->count, &cap, sizeof *run->units);
        run->units[run->count] = (struct unit){ .source = source, .folder = folder };
        unit_refuse(run, &run->units[run->count++]);
    }
    if (rootless > 0) {
        review_note(run->review, "%s did not look at %u file%s: there is no %s in a folder above",
                    run->analyzer->name, rootless, rootless == 1 ? "" : "s",
                    run->analyzer->roots[0]);
    }
}

/* The project's own copy of the program, where it has one; whether a cage is needed, and there. */
static int program_choose(struct run *run, struct err *err)
{
    const char *workspace = run->review->workspace;
    struct arena *arena = &run->review->arena;
    const char *uncaged = run->count ? analyzer_uncaged(run->analyzer, workspace, arena) : NULL;
    const char *program;
    bool own;

    if (uncaged) {
        return err_set(err, ERR_MISSING, "%s; 'hone doctor' says how to get one, and a command "
                       "that you name yourself (analyzers in hone.json) runs without", uncaged);
    }
    program = analyzer_program(run->analyzer, workspace, arena, &own);
    run->program = own || (program && analyzer_on_path(run->analyzer) != run->analyzer->program)
                       ? program : NULL;
    run->caged = own || run->analyzer->runs_code;
    return 0;
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

        if (source->language == last || run->program) continue;
        last = source->language;
        program = analyzer_command(run->analyzer, &call, &arena)[0];
        if (!program_exists(program)) {
            rc = err_set(err, ERR_MISSING, "%s is not installed and cannot look at %s: '%s' brings "
                         "it; 'hone doctor' lists what there is", program,
                         safe_copy(&arena, str_of(source->path), PATH_SHOWN_MAX),
                         strcmp(program, "g++") == 0 ? "sudo apt install g++"
                                                     : analyzer_install(run->analyzer, &arena));
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
        if (!review->now && !locate_check(&review->locator, &kept.items[i])) return;
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

static bool may_share(const struct run *run, const struct unit *a, const struct unit *b)
{
    bool alike = a->source->language == b->source->language && a->source->flags == b->source->flags;

    return (alike || !run->analyzer->command) && a->configured == b->configured &&
           strcmp(a->folder, b->folder) == 0;
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

    if (run->analyzer->batch == 0) limit = run->count; /* all of a folder, alone or not */
    else if (limit > run->analyzer->batch) limit = run->analyzer->batch;
    run->call_count = 0;
    for (uint32_t i = 0; i < run->count; i++) {
        struct unit *unit = &run->units[i];

        if (unit->known || unit->refused || (alone ? !unit->problem : unit->looked)) continue;
        if (!call || call->count == limit || !may_share(run, call->units[0], unit)) {
            call = call_add(run);
            call->units = arena_alloc(&run->arena, limit * sizeof(struct unit *));
        }
        call->units[call->count++] = unit;
    }
}

/* The command as it is for the project as it was, where this is a look at that. */
static const char *const *argv_moved(struct run *run, const char *const *argv)
{
    uint32_t count = 0;
    const char **moved;

    if (!run->review->now) return argv;
    while (argv[count]) count++;
    moved = arena_alloc(&run->arena, (count + 1) * sizeof *moved);
    for (uint32_t i = 0; i < count; i++) moved[i] = base_path(run->review, argv[i], &run->arena);
    return moved;
}

/* What every program is told, and what this one is. */
static const char *const *env_of(struct run *run)
{
    const char *cache = run->review->cache ? run->review->cache : run->review->folder;
    struct words env = { .arena = &run->arena };

    word_add(&env, "LC_ALL=C.UTF-8");
    word_add(&env, "LANGUAGE=");
    word_add(&env, "PYTHONDONTWRITEBYTECODE=1");
    for (const char *const *row = run->analyzer->env; row && *row; row++) {
        const char *mark = strstr(*row, "{cache}");

        word_add(&env, !mark ? *row : arena_printf(&run->arena, "%.*s%s%s", (int)(mark - *row),
                                                   *row, cache, mark + strlen("{cache}")));
    }
    return words_take(&env);
}

/* The project as it was leads to the one that is: that is to be seen, too. */
static const char *const *caged(const struct review *review, const char *const *argv,
                                const char *const *env, struct arena *arena)
{
    const char *seen[] = { review->workspace, review->now ? review->now->workspace : NULL, NULL };

    return analyzer_cage(seen, argv, env, arena);
}

static struct crew_job job_of(struct run *run, const struct batch_call *call)
{
    const struct review *review = run->review;
    const size_t bytes = call->count * sizeof(struct source *);
    const struct source **sources = arena_alloc(&run->arena, bytes);
    const struct analyzer_call about = {
        .workspace = review->workspace, .units = sources, .count = call->count,
        .report = arena_printf(&run->arena, "%s/%s", review->folder, call->report),
        .configured = call->units[0]->configured, .program = run->program,
    };
    const char *const *argv, *const *env = env_of(run);

    for (uint32_t i = 0; i < call->count; i++) sources[i] = call->units[i]->source;
    argv = argv_moved(run, analyzer_command(run->analyzer, &about, &run->arena));
    if (run->caged) argv = caged(review, argv, env, &run->arena);
    return (struct crew_job){
        .argv = argv, .env = env, .cwd = base_path(review, call->units[0]->folder, &run->arena),
        .ms_max = review->file_ms_max,
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
    if (rc != 0 || run->analyzer->batch <= 1 || count_problems(run, &first) == 0) return rc;
    calls_plan(run, true);
    return calls_make(run, err);
}

/* ---- the end ---- */

/* Whether it is the program that failed: no unit was looked at, and not for reasons of their own. A
 * crash at the only unit may be one. */
static bool has_failed(const struct run *run)
{
    bool own = true;

    for (uint32_t i = 0; i < run->count; i++) {
        if (!run->units[i].problem) return false;
        own = own && run->units[i].own;
    }
    return run->count > 0 && !own && !(run->count == 1 && run->units[0].crashed);
}

/* The units that were not looked at, by name; those that lack one header are said once. */
static void problems_note(struct run *run)
{
    struct review *review = run->review;

    for (uint32_t i = 0; i < run->count; i++) {
        const struct unit *unit = &run->units[i];
        uint32_t others = 0;
        bool said = false;

        if (!unit->problem) continue;
        review_unlooked(review, unit->source->path, run->analyzer->name, unit->problem);
        for (uint32_t k = 0; unit->missing && k < run->count; k++) {
            const char *missing = run->units[k].missing;

            if (!missing || strcmp(missing, unit->missing) != 0) continue;
            if (k < i) said = true;
            else others++;
        }
        if (!unit->missing || said) continue;
        review_note(review, "%s: %s is not there, and %u file%s that need%s it %s not looked at",
                    run->analyzer->name, unit->missing, others, others == 1 ? "" : "s",
                    others == 1 ? "s" : "", others == 1 ? "was" : "were");
    }
}

static int problems_say(const struct run *run, struct err *err)
{
    struct arena arena = { 0 };
    const struct unit *first = NULL;
    uint32_t count = count_problems(run, &first);
    const char *file;
    int rc;

    if (count == 0 || !has_failed(run)) return 0;
    file = safe_copy(&arena, str_of(first->source->path), PATH_SHOWN_MAX);
    rc = err_set(err, ERR_FAILED, "%s could not look at %s%s: %s; mend that, leave it out with "
                 "--exclude, or choose another analyzer", run->analyzer->name, file,
                 count > 1 ? arena_printf(&arena, " (and %u more)", count - 1) : "",
                 first->problem);
    arena_release(&arena);
    return rc;
}

static void release(struct run *run)
{
    for (uint32_t i = 0; i < run->count; i++) free(run->units[i].findings.items);
    free(run->units);
    free(run->calls);
    cache_release(&run->cache);
    arena_release(&run->arena);
}

/* ---- what is new ---- */

static void list_add(struct findings *list, const struct finding *finding)
{
    list->items = mem_grow(list->items, list->count, &list->cap, sizeof *list->items);
    list->items[list->count++] = *finding;
}

/* What is known of the units as they were; those that are not are looked at, once. */
static void base_look(struct run *base, const struct run *now)
{
    struct review *review = now->review;
    struct err err;

    for (uint32_t i = 0; i < base->count; i++) {
        struct unit *unit = &base->units[i];

        unit_recall(base, unit);
        base->waiting += !unit->known;
    }
    if (base->waiting > 0 && units_look(base, &err) != 0) {
        for (uint32_t i = 0; i < base->count; i++) {
            if (!base->units[i].known) base->units[i].problem = "it could not be compared";
        }
        return;
    }
    for (uint32_t i = 0; review->cache && i < base->count; i++) {
        struct unit *unit = &base->units[i];

        if (unit->known || unit->problem || !unit->keyed) continue;
        for (uint32_t k = 0; k < unit->findings.count; k++) {
            unit->findings.items[k].fix = (struct str){ "", 0 };
        }
        cache_put(&base->cache, unit->key, review->today, &unit->findings);
    }
    if (review->cache) {
        (void)cache_save(&base->cache, review->cache, base->analyzer->name, review->today, &err);
    }
}

static bool unit_asks(const struct review *review, const struct unit *unit)
{
    for (uint32_t i = 0; !unit->problem && i < unit->findings.count; i++) {
        if (!base_has_changed(review, &unit->findings.items[i])) return true;
    }
    return false;
}

/* A unit's findings: those that the change brought, and those that were there. `before` is NULL
 * where the unit was not there, or could not be compared. */
static void unit_judge(struct run *run, const struct unit *unit, struct unit *before)
{
    struct review *review = run->review;

    for (uint32_t i = 0; i < unit->findings.count; i++) {
        const struct finding *finding = &unit->findings.items[i];

        if (review->since[0] == '\0') review_add_scoped(review, finding);
        else if (base_has_changed(review, finding)) review_add(review, finding);
        else if (!before) review_add_scoped(review, finding);
        else if (base_takes(&before->findings, finding)) list_add(&review->older, finding);
        else review_add(review, finding);
    }
}

static void findings_judge(struct run *run)
{
    struct review *review = run->review, *was = NULL;
    struct run base = { .analyzer = run->analyzer, .program = run->program,
                        .caged = run->caged };
    struct unit **before = mem_alloc((run->count + 1) * sizeof(void *));

    base_open(review);
    for (uint32_t i = 0; review->base && i < run->count; i++) {
        if (!unit_asks(review, &run->units[i]) || !base_had(review, run->units[i].source)) continue;
        if (!was && !(was = base_review(review))) break;
        if (!base.units) base.units = mem_alloc(run->count * sizeof *base.units);
        before[i] = &base.units[base.count++];
        *before[i] = (struct unit){ .source = run->units[i].source, .folder = run->units[i].folder,
                                    .key = run->units[i].base_key, .keyed = run->units[i].keyed,
                                    .configured = run->units[i].configured };
    }
    if (base.count > 0) {
        base.review = was;
        memcpy(base.prefix, run->prefix, sizeof base.prefix);
        if (review->cache) cache_load(&base.cache, review->cache, run->analyzer->name);
        base_look(&base, run);
    }
    for (uint32_t i = 0; i < run->count; i++) {
        if (run->units[i].problem) continue;
        if (before[i] && before[i]->problem) before[i] = NULL;
        unit_judge(run, &run->units[i], before[i]);
    }
    release(&base);
    free(before);
}

static void run_report(struct run *run)
{
    struct review *review = run->review;
    uint32_t known = 0, looked = 0;

    problems_note(run);
    for (uint32_t i = 0; i < run->count; i++) {
        const struct unit *unit = &run->units[i];

        if (unit->problem) continue;
        known += unit->known;
        looked += !unit->known;
    }
    findings_judge(run);
    if (known + looked > 0) review->findings.unseen = false;
    if (run->count == 0) {
        review_note(review, "%s had nothing to look at", run->analyzer->name);
    } else if (known + looked == 0) {
        review_note(review, "%s could look at none of its %u file%s", run->analyzer->name,
                    run->count, run->count == 1 ? "" : "s");
    } else if (looked == run->count) {
        review_note(review, "%s looked at %u file%s", run->analyzer->name, run->count,
                    run->count == 1 ? "" : "s");
    } else if (known == 0) {
        review_note(review, "%s looked at %u of %u files", run->analyzer->name, looked,
                    run->count);
    } else {
        review_note(review, "%s looked at %u of %u files; %u %s as when it last looked",
                    run->analyzer->name, looked, run->count, known, known == 1 ? "is" : "are");
    }
}

int analyze_units(struct review *review, const struct analyzer *analyzer, struct err *err)
{
    struct run run = { .review = review, .analyzer = analyzer, .kept_ms = now_steady_ms() };
    int rc;

    random_word(run.prefix, PREFIX_LETTERS);
    units_pick(&run);
    rc = program_choose(&run, err);
    if (rc == 0) rc = programs_check(&run, err);
    if (rc == 0) {
        analyze_keys(review, analyzer, run.program, run.units, run.count);
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
