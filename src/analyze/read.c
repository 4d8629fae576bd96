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
    int worst = reading->analyzer->status == STATUS_FAILED ? 0 : 1;

    if (!job->started) {
        return arena_printf(&reading->review->arena, "it does not start (%s)",
                            strerror(job->error));
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
        rc = reading->analyzer->read(buf_str(&text), read, &err);
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

/* What neither the report nor the table calls safe is risky. */
static void fixes_class(const struct analyzer *analyzer, struct diagnostic *diagnostic)
{
    bool safe = analyzer_rule_is_safe(analyzer, diagnostic->rule);

    for (uint32_t i = 0; i < diagnostic->fix_count; i++) {
        struct tool_fix *fix = &diagnostic->fixes[i];

        if (fix->class == FIX_UNSAID) fix->class = safe ? FIX_SAFE : FIX_RISKY;
        fix->rank = analyzer->fix_rank;
    }
}

static void diagnostic_take(struct job_reading *reading, const struct diagnostic *diagnostic)
{
    struct review *review = reading->review;
    uint32_t own_index = unit_of(reading, diagnostic);
    bool said = own_index < reading->count;
    struct finding finding;
    bool inside = locate_finding(&review->locator, diagnostic, reading->folder, &review->arena,
                                 &finding) && !review_excludes(review, finding.file);

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

void analyze_read(struct review *review, const struct analyzer *analyzer, struct unit **units,
                  uint32_t count, const struct crew_job *job, const char *report)
{
    struct job_reading reading = { .review = review, .analyzer = analyzer, .units = units,
                                   .count = count, .job = job };
    const char *problem;

    reading.folder = units[0]->source->folder ? units[0]->source->folder : review->workspace;
    problem = job_problem(&reading);
    if (!problem) problem = report_read(&reading, report);
    for (uint32_t i = 0; i < count; i++) {
        units[i]->looked = true;
        units[i]->problem = problem;
    }
    for (uint32_t i = 0; !problem && i < reading.diagnostics.count; i++) {
        fixes_class(analyzer, &reading.diagnostics.items[i]);
        diagnostic_take(&reading, &reading.diagnostics.items[i]);
    }
    diagnostics_release(&reading.diagnostics);
}
