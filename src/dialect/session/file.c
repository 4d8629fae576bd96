/* SPDX-License-Identifier: Apache-2.0
 *
 * file.c - the session file as a list of parts, each a section; and what is wrong with one.
 *
 * Every part is text, from its heading to the line before the next one. Reading cuts the text,
 * writing joins it: a section that was not set is not even looked at.
 *
 * 1. Of sections with one known title the first has its meaning, and the others have none. Of
 *    Session Metadata it is the last one: it is where a file ends.
 * 2. A plan that other tools pasted with its own heading (`## Solution Plan: ...`) behind an
 *    Approved Plan or Draft Plan without text belongs to that section.
 * 3. Setting what is there already changes nothing, however it was written.
 * 4. Where anything was set, a fence that another tool left open is closed at the end of its part:
 *    it would swallow what is written behind it.
 * 5. Reading makes the best of a file; session_file_check() says everything that is wrong with it,
 *    against what every tool that continues it relies on. Unknown sections are allowed; unknown
 *    metadata is not.
 *
 * Not here: what the sections hold (contents.c, history.c). */
#include "dialect/session/file.h"

#include "dialect/check.h"
#include "dialect/sections.h"
#include "format/text/safe.h"

#include <assert.h>
#include <string.h>

static const struct {
    const char *title;
    bool canonical;
    const char *empty; /* the body where there is nothing to say */
} rows[SESSION_SECTION_COUNT] = {
    [SESSION_PROBLEM] = { "Problem Description", true, "" },
    [SESSION_CONTEXT] = { "Context", true, "" },
    [SESSION_HISTORICAL] = { "Historical Context", false, "" },
    [SESSION_PREVIOUS] = { "Previous Session Context", false, "" },
    [SESSION_CRITERIA] = { "Acceptance Criteria", true, "" },
    [SESSION_PHASE] = { "Current Phase", true, "planning" },
    [SESSION_PLAN] = { "Approved Plan", true, "" },
    [SESSION_DRAFT] = { "Draft Plan", false, "" },
    [SESSION_TARGET] = { "Review Target", false, "" },
    [SESSION_HISTORY] = { "Review History", true, "" },
    [SESSION_CHANGED] = { "Files Changed", true, "None." },
    [SESSION_RELATED] = { "Key Related Files", true, "None." },
    [SESSION_TIMING] = { "Timing Log", true, SESSION_TIMING_HEAD },
    [SESSION_METADATA] = { "Session Metadata", true, "" },
};

enum { BODY_LEVEL = 3 }; /* of the highest heading in a section */

const char *session_section_title(enum session_section section)
{
    assert(section < SESSION_SECTION_COUNT);
    return rows[section].title;
}

/* ---- lines and words ---- */

enum { TAB_COLUMNS = 4 };

struct str session_unmarked(struct str text)
{
    static const char marks[] = " \t\r\n`*\"'";

    return text_bare(text, marks, marks);
}

struct str session_one_line(struct session_file *file, struct str text)
{
    struct buf line;

    buf_init(&line, SIZE_MAX / 2);
    safe_text(&line, str_trim(text), true, 0);
    return str_trim(arena_take(&file->arena, &line));
}

bool session_lines_next(struct session_lines *lines)
{
    if (!str_cut(&lines->rest, '\n', &lines->raw)) return false;
    lines->number++;
    lines->indent = 0;
    for (size_t i = 0; i < lines->raw.size; i++) {
        if (lines->raw.data[i] == ' ') lines->indent++;
        else if (lines->raw.data[i] == '\t') lines->indent += TAB_COLUMNS;
        else break;
    }
    lines->text = str_trim(lines->raw);
    return true;
}

bool session_is_bullet(struct str line, struct str *text)
{
    if (line.size < 1 || (line.data[0] != '-' && line.data[0] != '*')) return false;
    if (line.size > 1 && line.data[1] != ' ' && line.data[1] != '\t') return false;
    *text = str_trim(str_skip(line, 1));
    return true;
}

/* ---- parts ---- */

struct session_part *session_part_find(const struct session_file *file,
                                       enum session_section section)
{
    for (uint32_t i = 0; i < file->count; i++) {
        if (file->parts[i]->section == section) return file->parts[i];
    }
    return NULL;
}

static struct session_part *part_insert(struct session_file *file, uint32_t at)
{
    const size_t each = sizeof(struct session_part *);
    struct session_part *part = arena_alloc(&file->arena, sizeof *part);

    file->parts = arena_grow(&file->arena, file->parts, file->count, &file->cap, each);
    memmove(file->parts + at + 1, file->parts + at, (file->count - at) * each);
    file->parts[at] = part;
    file->count++;
    return part;
}

static bool is_plan_title(struct str title)
{
    return starts_with_word(title, "Solution Plan");
}

/* Behind the last one that comes before it in the order of a file. */
static uint32_t place_of(const struct session_file *file, enum session_section section)
{
    uint32_t at = 0;

    if (section == SESSION_METADATA) return file->count;
    for (uint32_t i = 0; i < file->count; i++) {
        if (file->parts[i]->section < section) at = i + 1;
    }
    /* a plan of others would become this section's */
    while (at < file->count && is_plan_title(file->parts[at]->title)) at++;
    return at;
}

struct str session_part_body(const struct session_part *part)
{
    return str_skip(part->text, part->head_bytes);
}

struct str session_file_keep(struct session_file *file, struct str text)
{
    return arena_copy(&file->arena, text);
}

/* ---- reading and writing ---- */

void session_file_init(struct session_file *file)
{
    *file = (struct session_file){ .preamble = { "", 0 } };
}

void session_file_release(struct session_file *file)
{
    arena_release(&file->arena);
    session_file_init(file);
}

static enum session_section section_of(const struct session_file *file, struct str title)
{
    for (uint32_t i = 0; i < SESSION_SECTION_COUNT; i++) {
        struct session_part *before;

        if (!word_is(title, rows[i].title)) continue;
        before = session_part_find(file, (enum session_section)i);
        if (before && i != SESSION_METADATA) return SESSION_SECTION_COUNT;
        if (before) before->section = SESSION_SECTION_COUNT;
        return (enum session_section)i;
    }
    return SESSION_SECTION_COUNT;
}

/* The section before has no plan of its own: it is empty, or says a source and no more. */
static bool is_pasted_plan(const struct session_file *file, struct str title)
{
    const struct session_part *last = file->count ? file->parts[file->count - 1] : NULL;
    struct str body = last ? markdown_trim(session_part_body(last)) : (struct str){ "", 0 };

    if (!last || !is_plan_title(title)) return false;
    if (last->section == SESSION_DRAFT) return body.size == 0;
    return last->section == SESSION_PLAN && session_plan_source(file).data &&
           !str_has(body, '\n');
}

int session_file_read(struct session_file *file, struct str text, struct err *err)
{
    struct sections sections;

    session_file_init(file);
    if (text.size > SESSION_FILE_BYTES_MAX) {
        return err_set(err, ERR_LIMIT, "a session file has %d MB at the most",
                       SESSION_FILE_BYTES_MAX >> 20);
    }
    sections_read(arena_copy(&file->arena, text), &file->arena, &sections);
    file->preamble = sections.preamble;
    file->open_line = sections.open_line;
    for (uint32_t i = 0; i < sections.count; i++) {
        const struct section *section = &sections.items[i];
        struct session_part *part;

        if (is_pasted_plan(file, section->title)) {
            file->parts[file->count - 1]->text.size += section->text.size;
            continue;
        }
        part = part_insert(file, file->count);
        *part = (struct session_part){ .section = SESSION_SECTION_COUNT };
        part->section = section_of(file, section->title);
        part->title = section->title;
        part->text = section->text;
        part->head_bytes = section->text.size - section->body_bytes;
        part->line = section->line;
    }
    return 0;
}

static void end_line(struct buf *out)
{
    struct str text = buf_str(out);

    if (text.size == 0 || str_is(text, "\xef\xbb\xbf")) return; /* nothing, or a byte order mark */
    if (!str_ends(text, STR("\n"))) buf_byte(out, '\n');
}

/* Text in which a fence was left open; it is closed where others follow it. */
static void write_part(struct str text, bool close, struct buf *out)
{
    buf_add(out, text);
    if (close) markdown_close(text, out);
}

static bool is_changed(const struct session_file *file)
{
    for (uint32_t i = 0; i < file->count; i++) {
        if (file->parts[i]->own) return true;
    }
    return false;
}

void session_file_write(const struct session_file *file, struct buf *out)
{
    struct buf text;
    bool close = file->open_line && is_changed(file);
    bool own = false; /* the part before was set by us */

    buf_init(&text, out->limit);
    write_part(file->preamble, close, &text);
    for (uint32_t i = 0; i < file->count; i++) {
        const struct session_part *part = file->parts[i];

        end_line(&text);
        if ((own || part->own) && text.size && !str_ends(buf_str(&text), STR("\n\n"))) {
            buf_byte(&text, '\n');
        }
        write_part(part->text, close && !part->own, &text);
        own = part->own;
    }
    buf_add(out, buf_str(&text));
    if (text.overflow) out->overflow = true;
    buf_release(&text);
}

/* ---- texts of sections ---- */

struct str session_file_text(const struct session_file *file, enum session_section section)
{
    const struct session_part *part = session_part_find(file, section);

    return part ? markdown_trim(session_part_body(part)) : (struct str){ "", 0 };
}

bool session_file_has(const struct session_file *file, enum session_section section)
{
    return session_part_find(file, section) != NULL;
}

uint32_t session_file_line(const struct session_file *file, enum session_section section)
{
    const struct session_part *part = session_part_find(file, section);

    return part ? part->line : 0;
}

void session_part_set(struct session_file *file, enum session_section section, struct str body)
{
    struct session_part *part = session_part_find(file, section);
    struct buf text;

    if (part && str_eq(markdown_trim(session_part_body(part)), body)) return;
    if (!part) {
        part = part_insert(file, place_of(file, section));
        *part = (struct session_part){ .section = section };
    }
    buf_init(&text, SIZE_MAX / 2);
    buf_printf(&text, "## %s\n", rows[section].title);
    part->head_bytes = text.size;
    if (body.size && section != SESSION_METADATA) buf_byte(&text, '\n');
    buf_add(&text, body);
    markdown_close(body, &text);
    if (body.size) buf_byte(&text, '\n');
    part->text = arena_take(&file->arena, &text);
    part->title = str_of(rows[section].title);
    part->own = true;
}

void session_file_set(struct session_file *file, enum session_section section, struct str text)
{
    struct buf body;

    buf_init(&body, SIZE_MAX / 2);
    markdown_normal(text, BODY_LEVEL, &body);
    session_part_set(file, section, buf_str(&body));
    buf_release(&body);
}

void session_file_remove(struct session_file *file, enum session_section section)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < file->count; i++) {
        if (file->parts[i]->section != section) file->parts[kept++] = file->parts[i];
    }
    file->count = kept;
}

static void move_to_end(struct session_file *file, struct session_part *part)
{
    uint32_t kept = 0;

    assert(part);
    if (file->parts[file->count - 1] == part) return;
    for (uint32_t i = 0; i < file->count; i++) {
        if (file->parts[i] != part) file->parts[kept++] = file->parts[i];
    }
    file->parts[kept] = part;
    part->own = true; /* a blank line comes before it */
}

void session_file_complete(struct session_file *file)
{
    for (uint32_t i = 0; i < SESSION_SECTION_COUNT; i++) {
        enum session_section section = (enum session_section)i;

        if (!rows[i].canonical || session_part_find(file, section)) continue;
        session_part_set(file, section, str_of(rows[i].empty));
    }
    move_to_end(file, session_part_find(file, SESSION_METADATA));
}

/* ---- Current Phase ---- */

static const char *const phase_words[SESSION_PHASE_COUNT] = {
    [SESSION_NO_PHASE] = "",
    [SESSION_PLANNING] = "planning",
    [SESSION_EXECUTION] = "execution",
};

enum session_phase session_file_phase(const struct session_file *file)
{
    struct str rest = session_file_text(file, SESSION_PHASE), line = { "", 0 };

    (void)str_cut(&rest, '\n', &line);
    line = session_unmarked(line);
    for (uint32_t i = SESSION_PLANNING; i < SESSION_PHASE_COUNT; i++) {
        if (word_is(line, phase_words[i])) return (enum session_phase)i;
    }
    return SESSION_NO_PHASE;
}

void session_file_set_phase(struct session_file *file, enum session_phase phase)
{
    assert(phase != SESSION_NO_PHASE && phase < SESSION_PHASE_COUNT);
    if (session_file_phase(file) == phase) return;
    session_part_set(file, SESSION_PHASE, str_of(phase_words[phase]));
}

/* ---- what is wrong with it ---- */

static void check_sections(const struct session_file *file, struct check_report *report)
{
    enum session_section last = 0;
    uint32_t known = 0;

    for (uint32_t i = 0; i < file->count; i++) {
        const struct session_part *part = file->parts[i];

        if (part->section == SESSION_SECTION_COUNT) {
            for (uint32_t k = 0; k < SESSION_SECTION_COUNT; k++) {
                if (!word_is(part->title, session_section_title(k))) continue;
                check_report_add(report, "duplicate-section", part->line,
                                 "'%s' is there more than once; only the %s one counts",
                                 session_section_title(k),
                                 k == SESSION_METADATA ? "last" : "first");
            }
            continue;
        }
        if (!rows[part->section].canonical) continue;
        if (known++ && part->section < last) {
            check_report_add(report, "section-order", part->line, "'%s' comes before '%s'",
                             session_section_title(part->section), session_section_title(last));
        }
        last = part->section;
    }
    for (uint32_t k = 0; k < SESSION_SECTION_COUNT; k++) {
        if (!rows[k].canonical || session_part_find(file, k)) continue;
        check_report_add(report, "missing-section", 0, "there is no section '## %s'",
                         session_section_title(k));
    }
}

static void check_end(const struct session_file *file, struct check_report *report)
{
    const struct session_part *metadata = session_part_find(file, SESSION_METADATA);

    if (metadata && file->parts[file->count - 1] != metadata) {
        check_report_add(report, "metadata-not-last", metadata->line,
                         "'Session Metadata' is the last section of a file; '%.*s' comes behind it",
                         STR_ARG(file->parts[file->count - 1]->title));
    }
    if (file->open_line) {
        check_report_add(report, "open-fence", file->open_line,
                         "a code fence or a comment begins here and is never closed");
    }
}

static void check_plan(struct session_file *file, struct check_report *report)
{
    enum session_phase phase = session_file_phase(file);
    uint32_t line = session_file_line(file, SESSION_PLAN);
    struct str word = session_plan_source(file);
    struct session_plan plan;

    if (!session_file_has(file, SESSION_PLAN)) return;
    session_file_plan(file, &plan);
    if (!word.data && plan.body.size) {
        check_report_add(report, "no-source", line, "an approved plan begins with '- Source: "
                         "reviewer-approved', user-supplied or review-only");
    } else if (word.data && plan.source == SOURCE_NONE) {
        check_report_add(report, "bad-source", line, "the source of a plan is reviewer-approved, "
                         "user-supplied or review-only, not '%.*s'", STR_ARG(word));
    } else if (plan.source != SOURCE_NONE && plan.source != SOURCE_REVIEW_ONLY &&
               !plan.body.size) {
        check_report_add(report, "empty-plan", line, "the plan has a source and no text");
    }
    if (phase == SESSION_PLANNING && (word.data || plan.body.size)) {
        check_report_add(report, "plan-while-planning", line, "nothing is approved while the phase "
                         "is planning: the section is empty then");
    }
    if (phase == SESSION_EXECUTION && !word.data && !plan.body.size) {
        check_report_add(report, "no-plan", line, "execution needs an approved plan");
    }
    if (plan.source == SOURCE_REVIEW_ONLY && !session_file_has(file, SESSION_TARGET)) {
        check_report_add(report, "no-target", line, "a review of what is there says what that is: "
                         "there is no section '## Review Target'");
    }
}

static void check_phase(const struct session_file *file, struct check_report *report)
{
    if (session_file_has(file, SESSION_PHASE) && session_file_phase(file) == SESSION_NO_PHASE) {
        check_report_add(report, "bad-phase", session_file_line(file, SESSION_PHASE),
                         "the current phase is planning or execution");
    }
    if (session_file_has(file, SESSION_DRAFT) && session_file_phase(file) == SESSION_EXECUTION) {
        check_report_add(report, "draft-left", session_file_line(file, SESSION_DRAFT),
                         "'Draft Plan' is there only while the phase is planning");
    }
}

static void check_source_agrees(struct session_file *file, struct check_report *report)
{
    struct session_metadata metadata;
    struct session_plan plan;

    session_file_metadata(file, &metadata);
    session_file_plan(file, &plan);
    if (metadata.plan_source == SOURCE_NONE || metadata.plan_source == plan.source) return;
    if (!session_file_has(file, SESSION_PLAN)) return;
    check_report_add(report, "source-differs", session_file_line(file, SESSION_METADATA),
                     "plan_source is %s, and the approved plan's source is %s",
                     session_source_word(metadata.plan_source),
                     plan.source ? session_source_word(plan.source) : "not there");
}

void session_file_check(struct session_file *file, struct check_report *report)
{
    if (file->count == 0) {
        check_report_add(report, "no-sections", 0, "there is no section: a session file has "
                         "'## Problem Description' and nine others");
        return;
    }
    check_sections(file, report);
    check_end(file, report);
    check_phase(file, report);
    check_plan(file, report);
    session_metadata_check(file, report);
    check_source_agrees(file, report);
}

void check_session_file(struct str content, struct check_report *report)
{
    struct session_file file;
    struct err err = { 0 };

    if (session_file_read(&file, content, &err) != 0) {
        check_report_add(report, "too-large", 0, "%s", err.text);
    } else {
        session_file_check(&file, report);
    }
    session_file_release(&file);
}
