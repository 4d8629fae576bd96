/* SPDX-License-Identifier: Apache-2.0
 *
 * analyze.c - a review by analyzers: what is asked for, and the answer.
 *
 * 1. The answer is written at the end and whole, or not at all: an analyzer that could not look
 *    leaves none, ends with a status other than 0, and says why in one line. One that could not
 *    look at some of its files answers, and names them.
 * 2. Each finding is there once, however many units have seen it; in the order of file, line,
 *    column and rule, not in the order in which the programs ended.
 * 3. A finding in a file that is not in the scope is left out and counted, unless it is severe: an
 *    error in a header concerns every unit that includes it.
 * 4. Where there are more findings than an answer holds, the severe ones stay, and a note says so.
 *
 * Not here: backends (agent/analyzer.c), one analyzer's work (run.c). */
#include "analyze/analyze.h"

#include "base/mem.h"
#include "base/path.h"
#include "core/ledger.h"
#include "format/report/baseline.h"
#include "format/text/pattern.h"
#include "format/text/safe.h"
#include "io/git/repo.h"
#include "io/file/file.h"
#include "io/file/scratch.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    EXIT_FAILED = 1,
    ANSWER_BYTES_MAX = 15 << 20, /* what the driver judges is at most 16 MiB */
    LONG_FIX_BYTES = 256 << 10,
    FILE_MS_MAX = 5 * 60 * 1000, /* for one file, where the driver does not say */
    DAY_MS = 24 * 60 * 60 * 1000,
};

void review_note(struct review *review, const char *format, ...)
{
    struct findings *all = &review->findings;
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    all->notes = mem_grow(all->notes, all->note_count, &all->note_cap, sizeof *all->notes);
    all->notes[all->note_count++] = arena_copy(&review->arena, str_of(text));
}

/* ---- the scope ---- */

static bool is_by_people(struct review *review, struct str path)
{
    const struct source *source = project_source(&review->project, path);
    struct arena arena = { 0 };
    struct str text;
    struct err none;

    if (!review->by_people || path.size == 0) return true;
    if (source) return source->made == MADE_BY_PEOPLE;
    if (review->made_path.data && str_eq(path, review->made_path)) return review->made_by_people;
    review->made_path = arena_copy(&review->arena, path);
    (void)file_text_in(review->workspace, arena_cstr(&arena, path), SOURCE_BYTES_MAX, &arena, &text,
                       &none);
    if (text.size > MADE_HEAD_BYTES) text.size = MADE_HEAD_BYTES;
    review->made_by_people = made_look(&review->made, path, text) == MADE_BY_PEOPLE;
    arena_release(&arena);
    return review->made_by_people;
}

bool review_excludes(struct review *review, struct str path)
{
    for (uint32_t i = 0; review->exclude[i]; i++) {
        if (pattern_matches(str_of(review->exclude[i]), path)) return true;
    }
    return !is_by_people(review, path);
}

static int compare_path(const void *key, const void *item)
{
    return str_compare(*(const struct str *)key, str_of(*(const char *const *)item));
}

static bool in_scope(const struct review *review, struct str path)
{
    const struct project *project = &review->project;
    const struct source *source = project_source(project, path);

    if (path.size == 0) return true;
    if (review->paths[0] && !path_is_among(path, str_of(review->paths))) return false;
    if (review->since[0] == '\0') return true;
    if (source) return source->changed;
    return project->other_count > 0 && bsearch(&path, project->others, project->other_count,
                                               sizeof *project->others, compare_path);
}

void review_add_scoped(struct review *review, const struct finding *finding)
{
    if (finding->severity != SEVERITY_HIGH && !in_scope(review, finding->file)) {
        review->left_out++;
    } else {
        review_add(review, finding);
    }
}

void review_add(struct review *review, const struct finding *finding)
{
    struct findings *all = &review->findings;

    all->items = mem_grow(all->items, all->count, &all->cap, sizeof *all->items);
    all->items[all->count++] = *finding;
}

bool review_is_changed(const struct review *review, const struct source *source)
{
    return (review->since[0] != '\0' || review->paths[0] != '\0') && source->changed;
}

void review_unlooked(struct review *review, const char *file, const char *tool, const char *why)
{
    review->unlooked = mem_grow(review->unlooked, review->unlooked_count, &review->unlooked_cap,
                                sizeof *review->unlooked);
    review->unlooked[review->unlooked_count++] = (struct unlooked){
        .file = str_of(file), .tool = str_of(tool), .why = str_of(why) };
}

bool source_is_left_out(const struct review *review, const struct source *source)
{
    if (source->part) return true;
    return source->unbuilt && !review_is_changed(review, source);
}

/* A unit that another one includes is a part of it, where no build says otherwise: it is looked at
 * there, and seldom compiles by itself. */
static void mark_parts(struct review *review)
{
    struct project *project = &review->project;

    for (uint32_t i = 0; i < project->count; i++) {
        const struct source *whole = &project->sources[i];

        if (!source_is_unit(whole) || source_is_left_out(review, whole)) continue;
        for (uint32_t k = 0; k < whole->include_count; k++) {
            struct source *part = &project->sources[whole->includes[k]];

            if (!source_is_unit(part)) continue;
            if (part->unbuilt || strcmp(project->flags_from, "nothing") == 0) part->part = true;
        }
    }
}

/* ---- the answer ---- */

static int compare_number(uint32_t a, uint32_t b)
{
    return a < b ? -1 : a > b;
}

/* File, line, column, rule, text: what makes two findings one. */
static int compare_identity(const struct finding *a, const struct finding *b)
{
    int order = str_compare(a->file, b->file);

    if (order == 0) order = compare_number(a->line, b->line);
    if (order == 0) order = compare_number(a->column, b->column);
    if (order == 0) order = str_compare(a->kind, b->kind);
    return order ? order : str_compare(a->text, b->text);
}

/* Of the same finding the one that has most to say comes first. */
static int compare_findings(const void *a, const void *b)
{
    const struct finding *left = a, *right = b;
    int order = compare_identity(left, right);

    if (order == 0) order = compare_number(right->severity, left->severity);
    if (order == 0) order = compare_number(right->fix.size > 0, left->fix.size > 0);
    if (order == 0) order = str_compare(left->fix, right->fix);
    return order ? order : str_compare(left->suggestion, right->suggestion);
}

static int compare_severity(const void *a, const void *b)
{
    const struct finding *left = a, *right = b;

    if (left->severity != right->severity) return left->severity > right->severity ? -1 : 1;
    return compare_findings(a, b);
}

static void answer_sort(struct findings *all)
{
    uint32_t kept = 0;

    if (all->count == 0) return;
    qsort(all->items, all->count, sizeof *all->items, compare_findings);
    for (uint32_t i = 0; i < all->count; i++) {
        if (kept > 0 && compare_identity(&all->items[kept - 1], &all->items[i]) == 0) continue;
        all->items[kept++] = all->items[i];
    }
    all->count = kept;
}

/* The most severe ones, in the order of the answer. */
static void answer_cut(struct findings *all, uint32_t count)
{
    qsort(all->items, all->count, sizeof *all->items, compare_severity);
    all->count = count;
    answer_sort(all);
}

/* Takes off the fixes that are longer than that; whether there were any. */
static bool fixes_drop(struct findings *all, size_t bytes_max, uint32_t *dropped)
{
    uint32_t before = *dropped;

    for (uint32_t i = 0; i < all->count; i++) {
        if (all->items[i].fix.size <= bytes_max) continue;
        all->items[i].fix = (struct str){ "", 0 };
        ++*dropped;
    }
    return *dropped > before;
}

/* What does not fit loses its longest fixes, then all of them, then half of its findings, again and
 * again. False: not even one fits. */
static bool answer_make(struct review *review, struct buf *out)
{
    struct findings *all = &review->findings;
    uint32_t notes = all->note_count, before = all->count, dropped = 0;

    if (all->count > FINDINGS_COUNT_MAX) answer_cut(all, FINDINGS_COUNT_MAX);
    for (;;) {
        all->note_count = notes;
        if (dropped > 0) {
            review_note(review, "%u fix%s left out: too long for one answer", dropped,
                        dropped == 1 ? " is" : "es are");
        }
        if (all->count < before) {
            review_note(review, "%u findings are too many for one answer: these are the %u most "
                        "severe", before, all->count);
        }
        buf_clear(out);
        findings_write(all, out);
        if (!out->overflow) return true;
        if (fixes_drop(all, LONG_FIX_BYTES, &dropped) || fixes_drop(all, 0, &dropped)) continue;
        if (all->count <= 1) return false;
        answer_cut(all, all->count / 2);
    }
}

static int unlooked_order(const void *a, const void *b)
{
    const struct unlooked *left = a, *right = b;
    int order = str_compare(left->file, right->file);

    return order ? order : str_compare(left->tool, right->tool);
}

/* "2 of 93 files were not looked at", with the names. */
static void answer_cover(struct review *review)
{
    struct coverage *coverage = &review->findings.coverage;
    uint32_t count;

    if (review->unlooked_count > 0) {
        qsort(review->unlooked, review->unlooked_count, sizeof *review->unlooked, unlooked_order);
    }
    coverage->unlooked = review->unlooked;
    coverage->unlooked_count = review->unlooked_count;
    count = coverage_unlooked(coverage);
    if (count > 0) {
        review_note(review, "%u of %u file%s %s not looked at", count, coverage->files,
                    coverage->files == 1 ? "" : "s", count == 1 ? "was" : "were");
    }
    if (coverage->unbuilt > 0) {
        review_note(review, "%u file%s that the build does not compile %s left out",
                    coverage->unbuilt, coverage->unbuilt == 1 ? "" : "s",
                    coverage->unbuilt == 1 ? "is" : "are");
    }
    if (coverage->hint.size > 0) review_note(review, "%.*s", STR_ARG(coverage->hint));
}

/* The baseline: as the commit has it that HONE_BASELINE names, so that a change cannot bring its
 * own; else the workspace's. ERR_MISSING: there is none. */
static int baseline_text(struct review *review, struct str *out, struct err *err)
{
    const char *commit = review->baseline;
    const char *const args[] = { "cat-file", "blob", arena_printf(&review->arena, "%s:%s", commit,
                                                                  BASELINE_PATH), NULL };
    struct repo repo = { 0 };
    struct buf text;
    struct err none;
    int rc;

    if (!*commit) {
        return file_text_in(review->workspace, BASELINE_PATH, BASELINE_BYTES_MAX, &review->arena,
                            out, err);
    }
    buf_init(&text, BASELINE_BYTES_MAX);
    rc = repo_open(&repo, review->workspace, REPO_FIND, err);
    if (rc == 0 && repo_git(&repo, args, STR(""), &text, &none) != 0) rc = ERR_MISSING;
    *out = arena_take(&review->arena, &text);
    repo_release(&repo);
    return rc;
}

/* Takes out what the repository's baseline lists. One that cannot be read hides nothing. */
static void answer_hide(struct review *review)
{
    struct coverage *coverage = &review->findings.coverage;
    struct findings *all = &review->findings;
    struct baseline baseline = { 0 };
    uint32_t kept = 0;
    struct str text;
    struct err err;
    int rc = baseline_text(review, &text, &err);

    if (rc == ERR_MISSING) return;
    if (rc == 0) rc = baseline_read(text, &review->arena, &baseline, &err);
    if (rc != 0 && coverage->hint.size == 0) {
        coverage->hint = str_of(arena_printf(&review->arena, "%s cannot be read, and hides "
                                             "nothing: %s", BASELINE_PATH, err.text));
    }
    for (uint32_t i = 0; rc == 0 && i < all->count; i++) {
        if (baseline_takes(&baseline, &all->items[i])) coverage->baseline++;
        else all->items[kept++] = all->items[i];
    }
    if (rc == 0) all->count = kept;
    baseline_release(&baseline);
}

static int answer_write(struct review *review, struct err *err)
{
    struct buf answer;
    int rc;


    answer_sort(&review->findings);
    answer_hide(review);
    answer_sort(&review->older);
    review->findings.coverage.older = review->older.count;
    if (review->left_out > 0) {
        review_note(review, "%u finding%s in files that %s %s left out",
                    review->left_out, review->left_out == 1 ? "" : "s",
                    review->since[0] ? "did not change" : "were not asked for",
                    review->left_out == 1 ? "is" : "are");
    }
    answer_cover(review);
    locate_notes(&review->locator, &review->findings, &review->arena);
    buf_init(&answer, ANSWER_BYTES_MAX);
    if (answer_make(review, &answer)) {
        rc = scratch_write(review->folder, review->output, buf_str(&answer), err);
    } else {
        rc = err_set(err, ERR_LIMIT, "what was found is too long for an answer");
    }
    buf_release(&answer);
    return rc == 0 ? 0 : err_wrap(err, "write the answer");
}

/* ---- what is asked for ---- */

static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value ? value : "";
}

static int review_open(struct review *review, struct err *err)
{
    const char *output = variable("HONE_OUTPUT");
    struct scope scope;
    int rc;

    if (output[0] != '/' || variable("HONE_WORKSPACE")[0] != '/') {
        return err_set(err, ERR_USAGE, "an analyzer is started by hone: by hand it needs "
                       "HONE_WORKSPACE and HONE_OUTPUT, both absolute paths");
    }
    rc = analyzers_define(str_of(variable("HONE_ANALYZERS")), err);
    if (rc != 0) return rc;
    review->folder = path_folder_text(output, &review->arena);
    review->output = path_leaf_text(output);
    review->cache = variable("HONE_CACHE")[0] ? variable("HONE_CACHE") : NULL;
    review->since = variable("HONE_SINCE");
    review->exclude = arena_lines(&review->arena, str_of(variable("HONE_EXCLUDE")));
    review->today = (uint32_t)(now_wall_ms() / DAY_MS);
    review->told_ms = now_steady_ms();
    if (!str_number(str_of(variable("HONE_FILE_MS")), &review->file_ms_max)) {
        review->file_ms_max = FILE_MS_MAX;
    }
    review->paths = variable("HONE_PATHS");
    review->baseline = variable("HONE_BASELINE");
    review->by_people = strcmp(variable("HONE_GENERATED"), "true") != 0;
    scope = (struct scope){ .since = review->since, .paths = review->paths,
                            .exclude = review->exclude, .by_people = review->by_people };
    rc = project_open(&review->project, variable("HONE_WORKSPACE"), &scope, review->private_paths,
                      err);
    if (rc != 0) return rc;
    review->workspace = review->made.workspace = review->project.workspace;
    return 0;
}

static void review_release(struct review *review)
{
    base_close(review);
    free(review->older.items);
    locator_release(&review->locator);
    made_look_release(&review->made);
    project_release(&review->project);
    free(review->findings.items);
    free(review->findings.notes);
    free(review->unlooked);
    arena_release(&review->arena);
}

/* Headers that changed and that no unit of ours includes: no analyzer has seen them. */
static void note_headers(struct review *review)
{
    const struct project *project = &review->project;
    bool *seen = mem_alloc(project->count + 1);
    uint32_t unseen = 0;
    const char *first = "";

    for (uint32_t i = 0; i < project->count; i++) {
        const struct source *source = &project->sources[i];

        for (uint32_t k = 0; k < source->include_count; k++) seen[source->includes[k]] = true;
    }
    for (uint32_t i = 0; i < project->count; i++) {
        const struct source *source = &project->sources[i];

        if (!source->header || !source->changed || seen[i]) continue;
        if (unseen++ == 0) first = safe_copy(&review->arena, str_of(source->path), PATH_SHOWN_MAX);
    }
    free(seen);
    if (unseen == 1) review_note(review, "no file includes %s: it was not looked at", first);
    if (unseen > 1) review_note(review, "no file includes %s and %u other headers: they were not "
                                "looked at", first, unseen - 1);
}

static void note_made(struct review *review)
{
    uint32_t count = project_made_count(&review->project);

    review->findings.coverage.generated = count;
    if (count == 0) return;
    review_note(review, "%u file%s generated or vendored and left out: --include-generated looks "
                "at %s, too", count, count == 1 ? " is" : "s are", count == 1 ? "it" : "them");
}

static void note_unasked(struct review *review)
{
    if (!review->project.unasked) return;
    review_note(review, "make was not asked how the files are compiled, which would run the "
                "project's code without a sandbox (%s): a compile_commands.json says it, too",
                review->project.unasked);
}

/* What no analyzer among these reads is none of their business: not even how it is compiled. */
static bool is_read_by(struct str names, const struct source *source)
{
    const struct analyzer *analyzer;
    struct err none;

    while (analyzer_next(&names, &analyzer, &none)) {
        if (analyzer && analyzer_reads(analyzer, source)) return true;
    }
    return false;
}

static void sources_keep(struct project *project, struct str names)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < project->count; i++) {
        if (is_read_by(names, &project->sources[i])) {
            project->sources[kept++] = project->sources[i];
        }
    }
    project->count = kept;
}

/* What there is to look at: how many files, and what keeps some of them from it. */
static void count_files(struct review *review)
{
    struct coverage *coverage = &review->findings.coverage;
    const struct project *project = &review->project;
    bool compiled = false;

    for (uint32_t i = 0; i < project->count; i++) {
        const struct source *source = &project->sources[i];

        if (!source->wanted) continue;
        if (source->header) {
            if (!source->problem) continue;
            coverage->files++;
            review_unlooked(review, source->path, "", source->problem);
        } else if (source_is_left_out(review, source)) {
            coverage->unbuilt += !source->part;
        } else {
            coverage->files++;
            compiled = compiled || source_is_unit(source);
        }
    }
    if (compiled && project->configure) {
        coverage->hint = str_of(arena_printf(
            &review->arena, "this project has not been configured, so that headers and flags are "
            "missing; configure first: %s", project->configure));
    }
}

/* Whether one of these wants to know how C is compiled, and does not merely read every file. */
static bool wants_flags(struct str names)
{
    const struct analyzer *analyzer;
    struct err none;

    while (analyzer_next(&names, &analyzer, &none)) {
        if (analyzer && analyzer->command) return true;
    }
    return false;
}

/* Whether one of these has a program, which is given units. */
static bool wants_units(struct str names)
{
    const struct analyzer *analyzer;
    struct err none;

    while (analyzer_next(&names, &analyzer, &none)) {
        if (analyzer && !analyzer->look) return true;
    }
    return false;
}

static int look_with(struct review *review, struct str names, struct err *err)
{
    const struct analyzer *analyzer;
    struct str rest = names;
    bool any = false;
    int rc = 0;

    while (analyzer_next(&rest, &analyzer, err)) {
        if (err->code != 0) return (int)err->code;
        any = any || analyzer;
    }
    review->findings.unseen = true;
    if (!any) {
        review_note(review, "no analyzer of this repository's languages is left for this role");
        return 0;
    }
    locator_init(&review->locator, review->workspace, review->private_paths, true);
    sources_keep(&review->project, names);
    note_made(review);
    if (wants_flags(names)) rc = project_find_flags(&review->project, err);
    note_unasked(review);
    if (rc == 0 && wants_units(names)) rc = project_find_includes(&review->project, err);
    if (rc == 0) {
        mark_parts(review);
        count_files(review);
    }
    while (rc == 0 && analyzer_next(&names, &analyzer, err)) {
        if (analyzer && analyzer->look) rc = analyzer->look(review, err);
        else if (analyzer) rc = analyze_units(review, analyzer, err);
    }
    if (rc == 0) note_headers(review);
    return rc;
}

int analyzer_main(const char *name, const char *command, const char *const *private_paths)
{
    struct review review = { .private_paths = private_paths };
    struct err err = { 0 };
    struct str argument = str_of(name);
    struct str format = { "", 0 };
    int rc;

    if (!command && (str_starts(argument, STR("sarif:")) || str_starts(argument, STR("rdjson:")))) {
        str_cut(&argument, ':', &format);
        command = argument.data;
        name = arena_cstr(&review.arena, format);
    }
    rc = review_open(&review, &err);
    if (rc == 0 && command) {
        locator_init(&review.locator, review.workspace, private_paths, false);
        rc = analyze_tool(&review, name, command, &err);
    } else if (rc == 0) {
        rc = look_with(&review, argument, &err);
    }
    if (rc == 0) rc = answer_write(&review, &err);
    if (rc != 0) fprintf(stderr, "%s\n", err.text);
    review_release(&review);
    return rc == 0 ? 0 : EXIT_FAILED;
}
