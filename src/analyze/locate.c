/* SPDX-License-Identifier: Apache-2.0
 *
 * locate.c - diagnostics made findings, with the files at hand.
 *
 * A report is a text that claims things about files. Here the claims meet the files.
 *
 * Files:
 * 1. The file of a finding, and of every edit it carries, is a clean path below the workspace, in
 *    none of the private paths and in no .git, and no link is on its way. What is elsewhere is
 *    outside; the caller knows what that means.
 * 2. A file is read once, however much is said about it. Contents are held up to held_bytes_max,
 *    then all are let go.
 *
 * Places, a tool's lines and columns as bytes of a text:
 * 3. A span lies within its text, and its beginning is not behind its end.
 * 4. Lines end with "\n"; a "\r" before it belongs to the line for tools that count columns, and
 *    to the line end for a place that means the whole line.
 * 5. The first column of the line behind the last one is the end of the text, also where no line
 *    end is there.
 *
 * Fixes, as edits in bytes of the files as they are:
 * 6. Every edit lies within its file as it is now, and carries the hash of that content: the fixer
 *    can tell whether the file is still the same.
 * 7. The edits of a fix are in the order of their places, and no two begin at one place: what a
 *    tool inserts there piece by piece is one edit, in the tool's order.
 * 8. An edit that changes nothing is no edit, and a fix without edits no fix.
 * 9. A fix is kept whole or left out whole; what was left out is counted by its reason. */
#include "analyze/locate.h"

#include "analyze/project.h"
#include "base/byte.h"
#include "base/mem.h"
#include "base/path.h"
#include "format/report/fix.h"
#include "format/text/utf8.h"
#include "io/file/file.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* MISSING: not there, or nothing that can be read, such as a folder. LINK: it, or a folder on its
 * way. */
enum file_state { FILE_TEXT, FILE_MISSING, FILE_LARGE, FILE_LINK };

struct located_file {
    struct str path;
    enum file_state state;
    bool held;          /* the next three are there */
    struct buf content;
    struct arena arena; /* of lines */
    struct text_lines lines;
    uint64_t hash;
};

/* ---- places in bytes; pure ---- */

void text_lines_init(struct text_lines *lines, struct str text, struct arena *arena)
{
    uint32_t count = 1;

    assert(text.size <= UINT32_MAX);
    for (size_t i = 0; i < text.size; i++) count += text.data[i] == '\n';
    *lines = (struct text_lines){ .text = text, .count = count };
    lines->starts = arena_alloc(arena, count * sizeof *lines->starts);
    count = 1;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '\n') lines->starts[count++] = (uint32_t)i + 1;
    }
}

/* Up to its "\n" or the end of the text. */
static struct str line_with_return(const struct text_lines *lines, uint32_t line)
{
    size_t start = lines->starts[line - 1];
    size_t end = line < lines->count ? lines->starts[line] - 1 : lines->text.size;

    return (struct str){ lines->text.data + start, end - start };
}

/* From 1; no line end. */
static struct str text_line(const struct text_lines *lines, uint32_t line)
{
    struct str text;

    assert(line > 0 && line <= lines->count);
    text = line_with_return(lines, line);
    if (str_ends(text, STR("\r"))) text.size--;
    return text;
}

/* How many units the first character has, and how many bytes. */
static uint32_t next_units(struct str text, enum column_unit unit, size_t *bytes)
{
    uint32_t code;

    if (unit == COLUMN_BYTES) {
        *bytes = 1;
        return 1;
    }
    *bytes = utf8_next(text, &code);
    if (*bytes == 0) {
        *bytes = 1;
        return 1;
    }
    return unit == COLUMN_UTF16 && code >= 0x10000 ? 2 : 1;
}

static bool column_find(struct str line, uint32_t column, enum column_unit unit, size_t *out)
{
    uint32_t left = column - 1;
    size_t at = 0;

    if (unit == COLUMN_BYTES) {
        *out = left;
        return left <= line.size;
    }
    while (left > 0 && at < line.size) {
        size_t bytes;
        uint32_t units = next_units(str_skip(line, at), unit, &bytes);

        if (units > left) return false;
        left -= units;
        at += bytes;
    }
    *out = at;
    return left == 0;
}

static bool is_behind_last(const struct text_lines *lines, uint32_t line, uint32_t column)
{
    return line == lines->count + 1 && column == 1 && lines->text.size > 0 &&
           !str_ends(lines->text, STR("\n"));
}

static bool offset_find(const struct text_lines *lines, uint32_t line, uint32_t column,
                        enum column_unit unit, size_t *out)
{
    size_t at;

    if (is_behind_last(lines, line, column)) {
        *out = lines->text.size;
        return true;
    }
    if (line > lines->count) return false;
    if (!column_find(line_with_return(lines, line), column, unit, &at)) return false;
    *out = lines->starts[line - 1] + at;
    return true;
}

static bool line_end_find(const struct text_lines *lines, uint32_t line, size_t *out)
{
    if (line > lines->count) return false;
    *out = lines->starts[line - 1] + text_line(lines, line).size;
    return true;
}

/* Bytes in front of so many units of a text, behind a byte order mark, which such tools do not
 * count. */
static bool units_find(struct str text, uint64_t units, enum column_unit unit, size_t *out)
{
    size_t at = unit != COLUMN_BYTES && str_starts(text, STR("\xef\xbb\xbf")) ? 3 : 0;

    if (unit == COLUMN_BYTES) {
        *out = (size_t)units;
        return units <= text.size;
    }
    while (units > 0 && at < text.size) {
        size_t bytes;
        uint32_t step = next_units(str_skip(text, at), unit, &bytes);

        if (step > units) return false;
        units -= step;
        at += bytes;
    }
    *out = at;
    return units == 0;
}

static bool is_word_byte(char byte)
{
    return byte_is_alnum(byte) || byte == '_' || (unsigned char)byte >= 0x80;
}

/* Where a line has a word. False: not at all, or more than once. */
static bool word_find(const struct text_lines *lines, const struct place *place, size_t *start,
                      size_t *end)
{
    struct str word = place->word, line;
    uint32_t count = 0;

    if (place->line == 0 || place->line > lines->count) return false;
    line = text_line(lines, place->line);
    for (size_t at = 0; at + word.size <= line.size; at++) {
        size_t behind = at + word.size;

        if (memcmp(line.data + at, word.data, word.size) != 0) continue;
        if (at > 0 && is_word_byte(line.data[at - 1])) continue;
        if (behind < line.size && is_word_byte(line.data[behind])) continue;
        count++;
        *start = lines->starts[place->line - 1] + at;
        *end = *start + word.size;
    }
    return count == 1;
}

static bool bounds_find(const struct text_lines *lines, const struct place *place, size_t *start,
                        size_t *end)
{
    uint32_t end_line = place->end_line ? place->end_line : place->line;

    if (place->word.size > 0) return word_find(lines, place, start, end);
    if (place->by_offset) {
        return units_find(lines->text, place->offset, place->unit, start) &&
               units_find(lines->text, place->end_offset, place->unit, end);
    }
    if (place->line == 0) return false;
    if (!offset_find(lines, place->line, place->column ? place->column : 1, place->unit, start)) {
        return false;
    }
    if (place->column && !place->end_line && !place->end_column) {
        *end = *start;
        return true;
    }
    if (place->end_column == 0) return line_end_find(lines, end_line, end);
    return offset_find(lines, end_line, place->end_column, place->unit, end);
}

/* The line that an offset is in. */
static uint32_t line_of(const struct text_lines *lines, size_t offset)
{
    uint32_t low = 0, high = lines->count;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        if (lines->starts[middle] <= offset) low = middle;
        else high = middle;
    }
    return low + 1;
}

bool span_find(const struct text_lines *lines, const struct place *place, struct span *out)
{
    size_t start, end;

    if (!bounds_find(lines, place, &start, &end) || end < start) return false;
    *out = (struct span){ .start = start, .end = end };
    out->line = line_of(lines, start);
    out->column = (uint32_t)(start - lines->starts[out->line - 1]) + 1;
    out->end_line = line_of(lines, end);
    out->end_column = (uint32_t)(end - lines->starts[out->end_line - 1]) + 1;
    assert(out->end <= lines->text.size);
    return true;
}

enum { EVIDENCE_BYTES_MAX = 240, PATH_BYTES_MAX = 4096 };

static const uint64_t held_bytes_max = 256u << 20;

/* ---- files ---- */

void locator_init(struct locator *locator, const char *workspace,
                  const char *const *private_paths, bool follow)
{
    *locator = (struct locator){ .workspace = workspace, .private_paths = private_paths,
                                 .follow = follow };
}

static void file_let_go(struct located_file *file)
{
    buf_release(&file->content);
    arena_release(&file->arena);
    file->held = false;
}

static void files_let_go(struct locator *locator)
{
    for (uint32_t i = 0; i < locator->count; i++) file_let_go(locator->files[i]);
    locator->held_bytes = 0;
}

void locator_release(struct locator *locator)
{
    files_let_go(locator);
    free(locator->files);
    text_map_release(&locator->paths);
    arena_release(&locator->arena);
    *locator = (struct locator){ 0 };
}

/* What is no regular file is a link, or something else that there is nothing to read in. */
static bool is_link(const struct locator *locator, struct str path)
{
    struct arena arena = { 0 };
    const char *named = arena_printf(&arena, "%s/%s", locator->workspace, path.data);
    const char *real = file_real(named, &arena);
    bool same = real && strcmp(named, real) == 0;

    arena_release(&arena);
    return !same;
}

static enum file_state state_after(const struct locator *locator, struct str path, int rc)
{
    if (rc == 0) return FILE_TEXT;
    if (rc == ERR_LIMIT) return FILE_LARGE;
    return rc == ERR_FORMAT && is_link(locator, path) ? FILE_LINK : FILE_MISSING;
}

static void file_load(struct locator *locator, struct located_file *file)
{
    struct err err;
    int rc;

    if (locator->held_bytes > held_bytes_max) files_let_go(locator);
    buf_init(&file->content, SOURCE_BYTES_MAX);
    rc = file_read_in(locator->workspace, file->path.data, &file->content, &err);
    file->state = state_after(locator, file->path, rc);
    if (rc != 0) buf_release(&file->content);
    text_lines_init(&file->lines, buf_str(&file->content), &file->arena);
    file->hash = content_hash(buf_str(&file->content));
    file->held = true;
    locator->held_bytes += file->content.cap;
}

/* path: clean, below the workspace. */
static struct located_file *file_get(struct locator *locator, struct str path)
{
    uint32_t *number = text_map_put(&locator->paths, path, &locator->arena);
    struct located_file *file;

    if (*number == MAP_NONE) {
        file = arena_alloc(&locator->arena, sizeof *file);
        file->path = arena_copy(&locator->arena, path);
        locator->files = mem_grow(locator->files, locator->count, &locator->cap, sizeof(void *));
        *number = locator->count;
        locator->files[locator->count++] = file;
    }
    file = locator->files[*number];
    if (!file->held) file_load(locator, file);
    return file;
}

/* ---- paths ---- */

static bool cut_root(struct str path, struct str root, struct str *out)
{
    if (str_is(root, "/")) root.size = 0;
    if (path.size <= root.size + 1 || !str_starts(path, root)) return false;
    if (path.data[root.size] != '/') return false;
    *out = str_skip(path, root.size + 1);
    return true;
}

bool is_private_path(const char *const *private_paths, struct str path)
{
    struct str rest = path, part;

    if (file_is_private(private_paths, path)) return true;
    while (str_cut(&rest, '/', &part)) {
        if (str_is(part, ".git")) return true;
    }
    return false;
}

/* What is said about the workspace as a whole is about no file. */
static struct located_file *no_file(struct locator *locator)
{
    struct located_file *file = arena_alloc(&locator->arena, sizeof *file);

    file->path = STR("");
    file->state = FILE_MISSING;
    return file;
}

/* A settled, absolute path: the file below the workspace that it names; NULL where it is none. */
static struct located_file *path_file(struct locator *locator, struct str path)
{
    struct located_file *file;
    struct str below;

    if (str_is(path, locator->workspace)) return no_file(locator);
    if (!cut_root(path, str_of(locator->workspace), &below)) return NULL;
    if (is_private_path(locator->private_paths, below)) return NULL;
    file = file_get(locator, below);
    return file->state == FILE_LINK ? NULL : file;
}

/* The file that a tool's path means, as locate_path() has it; NULL: outside. Its content is there
 * until the next call. */
static struct located_file *locate_file(struct locator *locator, struct str path,
                                        const char *folder)
{
    struct located_file *file = NULL;
    struct arena arena = { 0 };
    struct buf whole, settled;

    if (path.size == 0 || path.size > PATH_BYTES_MAX || str_has(path, '\0')) return NULL;
    buf_init(&whole, 2 * PATH_BYTES_MAX);
    buf_init(&settled, 2 * PATH_BYTES_MAX);
    if (path.data[0] != '/') {
        buf_text(&whole, folder);
        buf_byte(&whole, '/');
    }
    buf_add(&whole, path);
    /* Behind a link ".." is not what its letters say: where links count, the system is asked. */
    if (!whole.overflow && !(locator->follow && path_goes_up(path))) {
        path_join(STR("/"), buf_str(&whole), &settled);
        if (!settled.overflow) file = path_file(locator, buf_str(&settled));
    }
    if (!whole.overflow && !file && locator->follow) {
        const char *real = file_real(buf_cstr(&whole), &arena);

        if (real) file = path_file(locator, str_of(real));
    }
    buf_release(&settled);
    buf_release(&whole);
    arena_release(&arena);
    return file;
}

bool locate_path(struct locator *locator, struct str path, const char *folder, struct str *out)
{
    struct located_file *file = locate_file(locator, path, folder);

    if (file) *out = file->path;
    return file != NULL;
}

/* ---- fixes ---- */

static const char *const fix_problem_words[FIX_PROBLEM_COUNT] = {
    [FIX_OUTSIDE] = "for a file outside the workspace",
    [FIX_MISSING] = "for a file that is not there",
    [FIX_LARGE] = "for a file that is too large",
    [FIX_PAST_END] = "for a place that the file does not have",
    [FIX_OVERLAPS] = "with edits that overlap",
};

static bool file_can_change(const struct located_file *file, enum fix_problem *problem)
{
    if (file && file->state == FILE_TEXT) return true;
    *problem = !file ? FIX_OUTSIDE : file->state == FILE_LARGE ? FIX_LARGE : FIX_MISSING;
    return false;
}

/* An edit and where it stood in the tool's list: at one place, that order counts. */
struct ranked_edit {
    struct edit edit;
    uint32_t rank;
};

static int edit_order(const void *a, const void *b)
{
    const struct ranked_edit *left = a, *right = b;
    int by_file = str_compare(left->edit.file, right->edit.file);

    if (by_file != 0) return by_file;
    if (left->edit.start != right->edit.start) return left->edit.start < right->edit.start ? -1 : 1;
    if (left->edit.end != right->edit.end) return left->edit.end < right->edit.end ? -1 : 1;
    return left->rank < right->rank ? -1 : left->rank > right->rank;
}

static struct str joined(struct str a, struct str b, struct arena *arena)
{
    char *both = arena_alloc(arena, a.size + b.size + 1);

    if (a.size) memcpy(both, a.data, a.size);
    if (b.size) memcpy(both + a.size, b.data, b.size);
    return (struct str){ both, a.size + b.size };
}

/* Puts an edit behind the last one, or into it where both begin at the same byte. False when both
 * want the same bytes. */
static bool edit_join(struct fix *fix, const struct edit *edit, struct arena *arena)
{
    struct edit *last = fix->count ? &fix->edits[fix->count - 1] : NULL;

    assert(fix->edits);
    if (!last || !str_eq(last->file, edit->file) || last->start < edit->start) {
        if (last && str_eq(last->file, edit->file) && edit->start < last->end) return false;
        fix->edits[fix->count++] = *edit;
        return true;
    }
    if (last->end > last->start) return last->end == edit->end && str_eq(last->text, edit->text);
    last->end = edit->end;
    last->text = joined(last->text, edit->text, arena);
    return true;
}

/* In the order of their places, each place once. */
static bool edits_settle(struct fix *fix, struct arena *arena)
{
    struct ranked_edit *ranked = arena_alloc(arena, fix->count * sizeof *ranked);
    uint32_t count = fix->count;
    bool good = true;

    for (uint32_t i = 0; i < count; i++) {
        ranked[i] = (struct ranked_edit){ .edit = fix->edits[i], .rank = i };
    }
    qsort(ranked, count, sizeof *ranked, edit_order);
    fix->count = 0;
    for (uint32_t i = 0; good && i < count; i++) good = edit_join(fix, &ranked[i].edit, arena);
    return good;
}

static bool fix_make(struct locator *locator, const struct tool_fix *from, const char *folder,
                     struct arena *arena, struct fix *out, enum fix_problem *problem)
{
    *out = (struct fix){ .text = from->text, .safe = from->class == FIX_SAFE,
                         .rank = from->rank };
    out->edits = arena_alloc(arena, from->count * sizeof *out->edits);
    for (uint32_t i = 0; i < from->count; i++) {
        const struct tool_edit *edit = &from->edits[i];
        struct located_file *file = locate_file(locator, edit->file, folder);
        struct span span;
        struct str before;

        if (!file_can_change(file, problem)) return false;
        *problem = FIX_PAST_END;
        if (!span_find(&file->lines, &edit->place, &span)) return false;
        before = (struct str){ file->content.data + span.start, span.end - span.start };
        if (str_eq(before, edit->text)) continue;
        out->edits[out->count++] = (struct edit){
            .file = file->path, .hash = file->hash, .start = span.start, .end = span.end,
            .text = edit->text,
        };
    }
    *problem = FIX_OVERLAPS;
    return edits_settle(out, arena);
}

/* The fixes of a diagnostic that fit, as format/report/fix.h has them; empty: none. */
static struct str locate_fixes(struct locator *locator, const struct diagnostic *diagnostic,
                               const char *folder, struct arena *arena)
{
    struct fixes fixes = { 0 };
    struct arena scratch = { 0 };
    struct str json = { "", 0 };
    struct buf out;

    fixes.items = arena_alloc(&scratch, diagnostic->fix_count * sizeof *fixes.items);
    for (uint32_t i = 0; i < diagnostic->fix_count; i++) {
        enum fix_problem problem;
        struct fix *fix = &fixes.items[fixes.count];

        if (!fix_make(locator, &diagnostic->fixes[i], folder, &scratch, fix, &problem)) {
            locator->fix_problems[problem]++;
        } else if (fix->count > 0) {
            fixes.count++;
        }
    }
    buf_init(&out, SIZE_MAX / 4);
    if (fixes.count > 0) fixes_write(&fixes, &out);
    if (!str_is(str_trim(buf_str(&out)), "[]")) json = arena_copy(arena, buf_str(&out));
    buf_release(&out);
    arena_release(&scratch);
    return json;
}

/* ---- findings ---- */

/* As much of the place as the file has: the whole, its beginning, its line. */
static void place_cut(const struct located_file *file, struct place place, struct finding *out)
{
    bool whole_line = !place.by_offset && place.column == 0 &&
                      (place.end_line == 0 || place.end_line == place.line);
    struct span span;

    if (span_find(&file->lines, &place, &span)) {
        bool has_end = span.end > span.start;

        out->line = span.line;
        if (whole_line) return;
        out->column = span.column;
        out->end_line = has_end ? span.end_line : 0;
        out->end_column = has_end ? span.end_column : 0;
        return;
    }
    if (place.by_offset) return;
    if (place.end_line || place.end_column) {
        place.end_line = place.end_column = 0;
        place_cut(file, place, out);
    } else if (place.line <= file->lines.count) {
        out->line = place.line;
    }
}

static void place_set(const struct located_file *file, const struct place *place,
                      struct finding *out)
{
    if (file->state == FILE_TEXT) place_cut(file, *place, out);
    else if (!place->by_offset && file->path.size > 0) out->line = place->line;
}

static struct str evidence_of(const struct located_file *file, uint32_t line)
{
    if (file->state != FILE_TEXT || line == 0) return (struct str){ "", 0 };
    return str_head(str_trim(text_line(&file->lines, line)), EVIDENCE_BYTES_MAX);
}

bool locate_finding(struct locator *locator, const struct diagnostic *diagnostic,
                    const char *folder, struct arena *arena, struct finding *out)
{
    struct located_file *file = NULL;
    struct str text = diagnostic->text.size ? diagnostic->text : diagnostic->rule;

    *out = (struct finding){
        .severity = diagnostic->severity,
        .kind = arena_copy(arena, diagnostic->rule),
        .text = arena_copy(arena, text.size ? text : STR("the tool says no more")),
        .suggestion = arena_copy(arena, diagnostic->help),
    };
    if (diagnostic->file.size > 0) {
        file = locate_file(locator, diagnostic->file, folder);
        if (!file) return false;
        out->file = arena_copy(arena, file->path);
        place_set(file, &diagnostic->place, out);
        out->evidence = arena_copy(arena, evidence_of(file, out->line));
    }
    out->fix = locate_fixes(locator, diagnostic, folder, arena);
    out->fingerprint = finding_fingerprint(out);
    return true;
}

void locate_notes(const struct locator *locator, struct findings *out, struct arena *arena)
{
    for (uint32_t i = 0; i < FIX_PROBLEM_COUNT; i++) {
        uint32_t count = locator->fix_problems[i];

        if (count == 0) continue;
        out->notes = mem_grow(out->notes, out->note_count, &out->note_cap, sizeof *out->notes);
        out->notes[out->note_count++] = str_of(arena_printf(
            arena, "%u fix%s left out: %s", count, count == 1 ? " is" : "es are",
            fix_problem_words[i]));
    }
}

/* ---- what was kept ---- */

static bool is_located(struct locator *locator, struct str path)
{
    struct str found;

    return locate_path(locator, path, locator->workspace, &found) && str_eq(found, path);
}

bool locate_check(struct locator *locator, const struct finding *finding)
{
    struct arena scratch = { 0 };
    struct fixes fixes = { 0 };
    struct err err;
    bool good = finding->file.size == 0 || is_located(locator, finding->file);

    if (good && finding->fix.size > 0) good = fixes_read(finding->fix, &scratch, &fixes, &err) == 0;
    for (uint32_t i = 0; good && i < fixes.count; i++) {
        for (uint32_t k = 0; good && k < fixes.items[i].count; k++) {
            good = is_located(locator, fixes.items[i].edits[k].file);
        }
    }
    arena_release(&scratch);
    return good;
}
