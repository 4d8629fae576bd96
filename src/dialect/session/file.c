/* SPDX-License-Identifier: Apache-2.0
 *
 * file.c - the session file as a list of parts, each a section.
 *
 * Every part is text, from its heading to the line before the next one. Reading cuts the text,
 * writing joins it: what nobody set is not even looked at.
 *
 * 1. Of sections with one known title the first has its meaning, and the others have none. Of
 *    Session Metadata it is the last one: it is where a file ends.
 * 2. A plan that other tools pasted with its own heading (`## Solution Plan: ...`) behind an
 *    Approved Plan or Draft Plan without text belongs to that section.
 * 3. Setting what is there already changes nothing, however it was written.
 * 4. Where anything was set, a fence that somebody left open is closed at the end of its part:
 *    it would swallow what is written behind it.
 *
 * Not here: what the sections hold (approved.c, history.c, lists.c,
 * metadata.c), what is wrong with a file (check_file.c). */
#include "dialect/session/file_parts.h"

#include "base/byte.h"
#include "dialect/sections.h"

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

bool session_section_is_canonical(enum session_section section)
{
    assert(section < SESSION_SECTION_COUNT);
    return rows[section].canonical;
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
    static const size_t words = sizeof "Solution Plan" - 1;

    if (title.size > words) title.size = words;
    return session_is_word(title, "Solution Plan");
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

        if (!session_is_word(title, rows[i].title)) continue;
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

/* Text that somebody left open, closed where others follow it. */
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

bool session_is_word(struct str text, const char *word)
{
    if (text.size != strlen(word)) return false;
    for (size_t i = 0; i < text.size; i++) {
        char a = text.data[i], b = word[i];

        a = byte_small(a);
        b = byte_small(b);
        if (a != b) return false;
    }
    return true;
}

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
    part->text = arena_copy(&file->arena, buf_str(&text));
    part->title = str_of(rows[section].title);
    part->own = true;
    buf_release(&text);
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
        if (session_is_word(line, phase_words[i])) return (enum session_phase)i;
    }
    return SESSION_NO_PHASE;
}

void session_file_set_phase(struct session_file *file, enum session_phase phase)
{
    assert(phase != SESSION_NO_PHASE && phase < SESSION_PHASE_COUNT);
    if (session_file_phase(file) == phase) return;
    session_part_set(file, SESSION_PHASE, str_of(phase_words[phase]));
}
