/* SPDX-License-Identifier: Apache-2.0
 *
 * read.c - a program has ended: what it found, or why it could not look.
 *
 * 1. Only a program that ran to its end, with a status that says so and a report that reads well
 *    and agrees with the status, has looked. Everything else is a problem of each of its units.
 * 2. What it found in a file outside the workspace, or in one that is excluded, is dropped: no
 *    agent is to change that file. But an error there keeps the unit from being read, and is said
 *    of the unit.
 * 3. In a call with several units a finding belongs to the unit that was being read. In a file that
 *    several of them include it belongs to all of these: a program says it once.
 *
 * Not here: paths and places (locate.c). */
#include "analyze/analyze.h"

#include "format/text/safe.h"
#include "base/mem.h"
#include "io/file/file.h"

#include <string.h>

struct job_reading {
    struct review *review;
    const struct analyzer *analyzer;
    struct unit **units;
    uint32_t count;
    const struct crew_job *job;
    const char *folder; /* where it ran */
    struct diagnostics diagnostics;
};

/* ---- problems ---- */

/* How it ended, in words. */
static const char *end_words(struct job_reading *reading)
{
    const struct crew_job *job = reading->job;
    struct arena *arena = &reading->review->arena;
    struct str said = str_last_line(buf_str(&job->err));

    if (said.size == 0) said = str_last_line(buf_str(&job->out));
    if (job->signal) return arena_printf(arena, "it crashed (signal %d)", job->signal);
    if (said.size == 0) return arena_printf(arena, "it ended with status %d", job->status);
    return arena_printf(arena, "it ended with status %d: %s", job->status,
                        safe_copy(arena, said, LINE_SHOWN_MAX));
}

static uint32_t count_severe(const struct diagnostics *diagnostics)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < diagnostics->count; i++) {
        count += diagnostics->items[i].severity == SEVERITY_HIGH;
    }
    return count;
}

/* Whether its status and its report say the same. */
static bool is_consistent(const struct job_reading *reading)
{
    const struct diagnostics *read = &reading->diagnostics;
    bool well = reading->job->status == 0;

    switch (reading->analyzer->status) {
    case STATUS_FAILED: return well;
    case STATUS_ERRORS: return well || count_severe(read) > 0;
    case STATUS_FINDINGS: return well == (read->count == 0);
    case STATUS_EITHER: break;
    }
    return true;
}

/* NULL, or why the report cannot be read at all. */
static const char *job_problem(struct job_reading *reading)
{
    const struct crew_job *job = reading->job;
    int most = reading->analyzer->status_most ? reading->analyzer->status_most : 1;
    int worst = reading->analyzer->status == STATUS_FAILED ? 0 : most;

    if (!job->started) {
        return arena_printf(&reading->review->arena, "it does not start (%s)",
                            strerror(job->error));
    }
    if (job->late) {
        return arena_printf(&reading->review->arena, "it took longer than %u s",
                            (unsigned)(job->ms_max / 1000));
    }
    if (job->signal || job->status < 0 || job->status > worst) return end_words(reading);
    if (job->cut) return "its report is too long";
    return NULL;
}

/* ---- the report ---- */

/* *there is false when there is none, which can be right. */
static int report_get(struct job_reading *reading, const char *report, struct buf *out, bool *there,
                      struct err *err)
{
    const struct crew_job *job = reading->job;
    int rc;

    *there = true;
    if (!reading->analyzer->report_in_file) {
        return buf_add(out, buf_str(reading->analyzer->report_on_err ? &job->err : &job->out));
    }
    rc = file_read_in(reading->review->folder, report, out, err);
    *there = rc != ERR_MISSING;
    return rc == ERR_MISSING && job->status == 0 ? 0 : rc;
}

static const char *report_read(struct job_reading *reading, const char *report)
{
    struct diagnostics *read = &reading->diagnostics;
    struct arena *arena = &reading->review->arena;
    const char *problem = NULL;
    struct err err = { 0 };
    struct buf text;
    bool there;
    int rc;

    buf_init(&text, REPORT_BYTES_MAX);
    rc = report_get(reading, report, &text, &there, &err);
    if (rc != 0 && !there) {
        problem = end_words(reading);
    } else if (rc == 0 && there) {
        rc = reading->analyzer->lines
                 ? line_report_read(reading->analyzer->lines, buf_str(&text), read, &err)
                 : reading->analyzer->read(buf_str(&text), read, &err);
    }
    if (!problem && rc != 0) {
        problem = reading->job->status != 0 ? end_words(reading)
                : arena_printf(arena, "its report cannot be read: %s",
                               safe_copy(arena, str_of(err.text), LINE_SHOWN_MAX));
    } else if (!problem && read->failure.size > 0) {
        problem = safe_copy(arena, read->failure, LINE_SHOWN_MAX);
    } else if (!problem && !is_consistent(reading)) {
        problem = end_words(reading);
    }
    buf_release(&text);
    return problem;
}

/* ---- findings ---- */

static void unit_add(struct unit *unit, const struct finding *finding)
{
    struct findings *list = &unit->findings;

    list->items = mem_grow(list->items, list->count, &list->cap, sizeof *list->items);
    list->items[list->count++] = *finding;
}

/* The index of the unit that was being read; count: the report does not say. */
static uint32_t unit_of(struct job_reading *reading, const struct diagnostic *diagnostic)
{
    struct str path;

    if (reading->count == 1) return 0;
    for (int i = 0; i < 2; i++) {
        struct str named = i == 0 ? diagnostic->unit : diagnostic->file;

        if (named.size == 0) continue;
        if (!locate_path(&reading->review->locator, named, reading->folder, &path)) continue;
        for (uint32_t k = 0; k < reading->count; k++) {
            if (str_is(path, reading->units[k]->source->path)) return k;
        }
    }
    return reading->count;
}

/* Whether what was found in a file while `unit` was read would be found with `other`, too. */
static bool is_shared(const struct review *review, const struct unit *unit,
                      const struct unit *other, struct str path)
{
    const struct source *source = other->source;

    if (str_is(path, unit->source->path)) return false;
    for (uint32_t i = 0; i < source->include_count; i++) {
        if (str_is(path, review->project.sources[source->includes[i]].path)) return true;
    }
    return false;
}

/* An error in a file that is not ours, or in none, said of the unit. */
static struct finding said_of_unit(struct job_reading *reading, const struct unit *unit,
                                   const struct diagnostic *diagnostic, struct finding finding)
{
    struct arena *arena = &reading->review->arena;
    struct buf text;

    buf_init(&text, SIZE_MAX / 4);
    if (diagnostic->file.size > 0) {
        buf_text(&text, "in ");
        buf_add(&text, diagnostic->file);
        if (diagnostic->place.line) buf_printf(&text, ", line %u", diagnostic->place.line);
        buf_text(&text, ": ");
    }
    buf_add(&text, finding.text);
    finding.text = arena_copy(arena, buf_str(&text));
    finding.file = str_of(unit->source->path);
    finding.line = finding.column = finding.end_line = finding.end_column = 0;
    finding.evidence = finding.fix = (struct str){ "", 0 };
    finding.fingerprint = finding_fingerprint(&finding);
    buf_release(&text);
    return finding;
}

/* Of the project as it was, what is not there by itself is as it is now. */
static bool diagnostic_locate(struct job_reading *reading, const struct diagnostic *diagnostic,
                              struct finding *out)
{
    struct review *review = reading->review, *now = review->now;
    struct diagnostic same = *diagnostic;
    struct str path = diagnostic->file;
    size_t size = strlen(review->workspace);

    if (locate_finding(&review->locator, diagnostic, reading->folder, &review->arena, out)) {
        return true;
    }
    if (!now) return false;
    if (str_starts(path, str_of(review->workspace))) {
        same.file = str_of(arena_printf(&review->arena, "%s%.*s", now->workspace,
                                        STR_ARG(str_skip(path, size))));
    }
    same.fix_count = 0;
    return locate_finding(&now->locator, &same, reading->units[0]->source->folder
                          ? reading->units[0]->source->folder : now->workspace, &review->arena,
                          out);
}

/* What the analyzer's row says of the fixes, of all or by their rule. What neither it nor the
 * report calls safe is risky. */
static void fixes_judge(const struct job_reading *reading, const struct unit *unit,
                        struct diagnostic *diagnostic)
{
    const struct analyzer *analyzer = reading->analyzer;
    enum analyzer_fixes fixes = analyzer->fixes;
    bool safe = analyzer_rule_is_safe(analyzer, diagnostic->rule);

    if (fixes == FIXES_NONE) diagnostic->fix_count = 0;
    if (fixes == FIXES_SAFE_IN_PROSE) {
        fixes = unit && unit->source->language->prose ? FIXES_SAFE : FIXES_RISKY;
    }
    for (uint32_t i = 0; i < diagnostic->fix_count; i++) {
        struct tool_fix *fix = &diagnostic->fixes[i];

        if (fixes != FIXES_AS_SAID) fix->class = fixes == FIXES_SAFE ? FIX_SAFE : FIX_RISKY;
        if (fix->class == FIX_UNSAID) fix->class = safe ? FIX_SAFE : FIX_RISKY;
        fix->rank = analyzer->fix_rank;
    }
}

static void diagnostic_take(struct job_reading *reading, struct diagnostic *diagnostic)
{
    struct review *review = reading->review;
    uint32_t own_index = unit_of(reading, diagnostic);
    bool said = own_index < reading->count;
    struct finding finding;
    bool inside;

    fixes_judge(reading, said ? reading->units[own_index] : NULL, diagnostic);
    inside = diagnostic_locate(reading, diagnostic, &finding) &&
             !review_excludes(review, finding.file);
    finding.tool = str_of(reading->analyzer->name);
    /* A look at a whole project finds things in files that are not in question, too. */
    if (!said && reading->analyzer->roots) {
        if (inside) unit_add(reading->units[0], &finding);
        return;
    }
    if (!inside && finding.severity != SEVERITY_HIGH) return;
    for (uint32_t i = 0; i < reading->count; i++) {
        struct unit *each = reading->units[i];
        struct finding own = finding;

        if (said && i != own_index &&
            !(inside && is_shared(review, reading->units[own_index], each, finding.file)))
            continue;
        if (!inside || own.file.size == 0) own = said_of_unit(reading, each, diagnostic, own);
        unit_add(each, &own);
    }
}

/* ---- headers that are not there ---- */

/* The header that a compiler says it does not find; false: it says something else. */
static bool missing_header(const struct diagnostic *diagnostic, struct str *out)
{
    static const char gcc[] = ": No such file or directory", clang[] = "' file not found";
    struct str text = diagnostic->text;

    if (diagnostic->severity != SEVERITY_HIGH) return false;
    if (str_ends(text, str_of(gcc)) && text.size > sizeof gcc - 1) {
        *out = str_head(text, text.size - (sizeof gcc - 1));
        return true;
    }
    if (!str_starts(text, STR("'")) || !str_ends(text, str_of(clang))) return false;
    *out = str_head(str_skip(text, 1), text.size - sizeof clang);
    return out->size > 0;
}

/* A unit whose header is not there was not looked at: a compiler stops there. Where the change
 * itself brought the line, and the project is built, it is a finding. */
static const char *unit_missing(struct job_reading *reading)
{
    struct review *review = reading->review;
    struct str name, path;

    for (uint32_t i = 0; reading->count == 1 && i < reading->diagnostics.count; i++) {
        const struct diagnostic *diagnostic = &reading->diagnostics.items[i];
        const struct source *source;

        if (!missing_header(diagnostic, &name)) continue;
        source = locate_path(&review->locator, diagnostic->file, reading->folder, &path)
                     ? project_source(&review->project, path) : NULL;
        if (source && review_is_changed(review, source) && !review->project.configure) continue;
        return safe_copy(&review->arena, name, PATH_SHOWN_MAX);
    }
    return NULL;
}

void analyze_read(struct review *review, const struct analyzer *analyzer, struct unit **units,
                  uint32_t count, const struct crew_job *job, const char *report)
{
    struct job_reading reading = { .review = review, .analyzer = analyzer, .units = units,
                                   .count = count, .job = job };
    const char *problem;

    reading.folder = base_path(review, units[0]->folder, &review->arena);
    problem = job_problem(&reading);
    if (!problem) problem = report_read(&reading, report);
    if (!problem && (units[0]->missing = unit_missing(&reading))) {
        problem = arena_printf(&review->arena, "it needs %s, which is not there",
                               units[0]->missing);
    }
    for (uint32_t i = 0; i < count; i++) {
        units[i]->looked = true;
        units[i]->problem = problem;
        units[i]->own = job->late || units[i]->missing;
        units[i]->crashed = job->signal != 0;
    }
    for (uint32_t i = 0; !problem && i < reading.diagnostics.count; i++) {
        diagnostic_take(&reading, &reading.diagnostics.items[i]);
    }
    diagnostics_release(&reading.diagnostics);
}
