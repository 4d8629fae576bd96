/* SPDX-License-Identifier: Apache-2.0
 *
 * lists.c - Files Changed, Key Related Files and the Timing Log.
 *
 *     - `src/a.c` - what changed             | Phase | Round | Role | Duration |
 *     - src/b.c: what changed                |---|---|---|---|
 *     None.                                  | planning | 1 | executor | 2 min 03 s |
 *
 * Lists of files are written anew; the log only grows: a row is put behind the last one, and all
 * else stays as it is. */
#include "dialect/session/file_parts.h"

#include "dialect/sections.h"

#include <assert.h>

enum { CELLS = 4 };

/* ---- paths ---- */

static const struct str separators[] = { STR(" - "), STR(" \xe2\x80\x94 "), STR(" \xe2\x80\x93 "),
                                         STR(": "), STR(" (") };
enum { SEPARATOR_COUNT = sizeof separators / sizeof *separators };

/* Without the dash or colon that sets it off. */
static struct str note_of(struct str text)
{
    static const struct str marks[] = { STR("-"), STR(":"), STR("\xe2\x80\x94"),
                                        STR("\xe2\x80\x93") };

    text = str_trim(text);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (str_starts(text, marks[i])) return str_trim(str_skip(text, marks[i].size));
    }
    return text;
}

/* The text up to the first separator; the note behind it. */
static void split_path(struct str text, struct session_path *out)
{
    *out = (struct session_path){ .path = text, .note = { "", 0 } };
    for (size_t i = 0; i < text.size; i++) {
        for (uint32_t k = 0; k < SEPARATOR_COUNT; k++) {
            if (!str_starts(str_skip(text, i), separators[k])) continue;
            out->path = str_trim((struct str){ text.data, i });
            out->note = note_of(str_skip(text, i));
            return;
        }
    }
}

/* `path` or ``path``; what is behind it is the note. False: it is not closed. */
static bool quoted_path(struct str text, struct session_path *out)
{
    size_t marks = 0, end;

    while (marks < text.size && text.data[marks] == '`') marks++;
    text = str_skip(text, marks);
    for (end = 0; end + marks <= text.size; end++) {
        size_t run = 0;

        while (end + run < text.size && text.data[end + run] == '`') run++;
        if (run == marks) break;
        if (run) end += run - 1;
    }
    if (marks == 0 || end + marks > text.size) return false;
    out->path = (struct str){ text.data, end };
    if (marks > 1) out->path = str_trim(out->path);
    out->note = note_of(str_skip(text, end + marks));
    return true;
}

const struct session_path *session_file_paths(struct session_file *file,
                                              enum session_section section, uint32_t *count)
{
    struct session_lines lines = { .rest = session_file_text(file, section) };
    struct session_path *paths;
    uint32_t bullets = 0;
    struct str text;

    *count = 0;
    while (session_lines_next(&lines)) bullets += session_is_bullet(lines.text, &text);
    if (bullets == 0) return NULL;
    paths = arena_alloc(&file->arena, bullets * sizeof *paths);
    lines = (struct session_lines){ .rest = session_file_text(file, section) };
    while (session_lines_next(&lines)) {
        struct session_path *path = &paths[*count];

        if (!session_is_bullet(lines.text, &text) || text.size == 0) continue;
        if (session_is_word(text, "None.") || session_is_word(text, "None")) continue;
        if (!quoted_path(text, path)) split_path(text, path);
        if (path->path.size) (*count)++;
    }
    return paths;
}

/* A path with a ` in it stands between more of them. */
static void write_path(struct session_file *file, const struct session_path *path,
                       struct buf *out)
{
    struct str name = session_one_line(file, path->path);
    struct str note = session_one_line(file, path->note);
    size_t longest = 0, run = 0;

    for (size_t i = 0; i < name.size; i++) {
        run = name.data[i] == '`' ? run + 1 : 0;
        if (run > longest) longest = run;
    }
    buf_text(out, "- ");
    for (size_t i = 0; i <= longest; i++) buf_byte(out, '`');
    if (longest) buf_byte(out, ' ');
    buf_add(out, name);
    if (longest) buf_byte(out, ' ');
    for (size_t i = 0; i <= longest; i++) buf_byte(out, '`');
    if (note.size) buf_text(out, " - ");
    buf_add(out, note);
    buf_byte(out, '\n');
}

static bool same_paths(struct session_file *file, enum session_section section,
                       const struct session_path *paths, uint32_t count)
{
    uint32_t before;
    const struct session_path *old = session_file_paths(file, section, &before);

    if (!session_file_has(file, section) || before != count || count == 0) return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!str_eq(old[i].path, paths[i].path) || !str_eq(old[i].note, paths[i].note)) {
            return false;
        }
    }
    return true;
}

void session_file_set_paths(struct session_file *file, enum session_section section,
                            const struct session_path *paths, uint32_t count)
{
    struct buf body;

    assert(section == SESSION_CHANGED || section == SESSION_RELATED || section == SESSION_TARGET);
    if (same_paths(file, section, paths, count)) return;
    buf_init(&body, SIZE_MAX / 2);
    for (uint32_t i = 0; i < count; i++) write_path(file, &paths[i], &body);
    if (count == 0) buf_text(&body, "None.");
    session_part_set(file, section, markdown_trim(buf_str(&body)));
    buf_release(&body);
}

/* ---- the log ---- */

static void write_cell(struct session_file *file, struct str cell, struct buf *out)
{
    cell = session_one_line(file, cell);
    for (size_t i = 0; i < cell.size; i++) {
        if (cell.data[i] == '|') buf_byte(out, '\\');
        buf_byte(out, cell.data[i]);
    }
}

static void write_time(struct session_file *file, const struct session_time *time, bool bullet,
                       struct buf *out)
{
    const struct str cells[CELLS] = { time->phase, time->round, time->role, time->duration };

    buf_text(out, bullet ? "- " : "|");
    for (uint32_t i = 0; i < CELLS; i++) {
        if (bullet && i) buf_text(out, ", ");
        if (!bullet) buf_byte(out, ' ');
        write_cell(file, cells[i], out);
        if (!bullet) buf_text(out, " |");
    }
    buf_byte(out, '\n');
}

void session_file_add_time(struct session_file *file, const struct session_time *time)
{
    struct str body = session_file_text(file, SESSION_TIMING), text;
    struct session_lines lines = { .rest = body };
    size_t rows_end = 0, bullets_end = 0, at;
    struct buf out;

    while (session_lines_next(&lines)) {
        size_t end = (size_t)(lines.raw.data + lines.raw.size - body.data);

        if (lines.text.size && lines.text.data[0] == '|') rows_end = end;
        if (session_is_bullet(lines.text, &text)) bullets_end = end;
    }
    buf_init(&out, SIZE_MAX / 2);
    at = rows_end ? rows_end : bullets_end ? bullets_end : body.size;
    buf_add(&out, (struct str){ body.data, at });
    if (!rows_end && !bullets_end) {
        buf_text(&out, body.size ? "\n\n" SESSION_TIMING_HEAD : SESSION_TIMING_HEAD);
    }
    buf_byte(&out, '\n');
    write_time(file, time, !rows_end && bullets_end, &out);
    if (at < body.size) buf_add(&out, str_skip(body, body.data[at] == '\n' ? at + 1 : at));
    session_part_set(file, SESSION_TIMING, markdown_trim(buf_str(&out)));
    buf_release(&out);
}
