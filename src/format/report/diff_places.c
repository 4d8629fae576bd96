/* SPDX-License-Identifier: Apache-2.0
 *
 * diff_places.c - a diff as the lines that a service shows.
 *
 *   diff --git a/old b/new      a file begins
 *   index 0123456..89abcde      its contents, by their names in git
 *   rename from old             its names: these, else those of the next two lines
 *   --- a/old
 *   +++ b/new
 *   @@ -7,9 +7,10 @@            a hunk begins: what follows is counted, so that no line of it can
 *                               pass for one of the above
 *
 * Names with unusual bytes are written as C writes texts: "a/t\303\244xt". */
#include "format/report/diff_places.h"

#include "format/text/hunks.h"

#include <string.h>

struct diff_walk {
    struct arena *arena;
    struct str rest;
    struct diff_file *files;
    struct diff_hunk *hunks; /* of the newest file */
    uint32_t count, cap, hunk_cap;
};

/* ---- names ---- */

/* The byte behind a backslash; *used: how many characters it took. */
static char unescaped(struct str text, size_t *used)
{
    static const char names[] = "abtnvfr\"\\", bytes[] = "\a\b\t\n\v\f\r\"\\";
    const char *at = text.size > 0 ? memchr(names, text.data[0], sizeof names - 1) : NULL;
    uint32_t value = 0;

    *used = 1;
    if (at) return bytes[at - names];
    for (*used = 0; *used < 3 && *used < text.size; ++*used) {
        char digit = text.data[*used];

        if (digit < '0' || digit > '7') break;
        value = value * 8 + (uint32_t)(digit - '0');
    }
    if (*used == 0) *used = text.size > 0;
    return (char)value;
}

/* Without quotes, where it is quoted. */
static struct str plain_name(struct str name, struct arena *arena)
{
    struct buf out;

    if (!str_starts(name, STR("\""))) {
        while (name.size > 0 && name.data[name.size - 1] == '\t') name.size--; /* behind blanks */
        return name;
    }
    buf_init(&out, name.size + 1);
    for (size_t i = 1; i < name.size && name.data[i] != '"';) {
        size_t used = 1;

        if (name.data[i] == '\\') {
            buf_byte(&out, unescaped(str_skip(name, i + 1), &used));
            i += used + 1;
        } else {
            buf_byte(&out, name.data[i++]);
        }
    }
    return arena_take(arena, &out);
}

/* "+++ b/x" with side "b/"; nothing for /dev/null. */
static struct str side_name(struct diff_walk *walk, struct str name, struct str side)
{
    name = plain_name(name, walk->arena);
    if (str_starts(name, side)) return str_skip(name, side.size);
    return (struct str){ "", 0 };
}

/* ---- the walk ---- */

static struct diff_file *newest(struct diff_walk *walk)
{
    return &walk->files[walk->count - 1];
}

static void begin_file(struct diff_walk *walk)
{
    walk->files = arena_grow(walk->arena, walk->files, walk->count, &walk->cap,
                             sizeof *walk->files);
    walk->files[walk->count++] = (struct diff_file){ .path = STR(""), .old_path = STR(""),
                                                     .blob = STR("") };
    walk->hunks = NULL;
    walk->hunk_cap = 0;
}

/* "index OLD..NEW 100644" */
static void take_index(struct diff_file *file, struct str line)
{
    struct str blob;

    for (size_t i = 0; i + 1 < line.size; i++) {
        if (line.data[i] != '.' || line.data[i + 1] != '.') continue;
        line = str_skip(line, i + 2);
        if (str_cut(&line, ' ', &blob)) file->blob = str_trim(blob);
        return;
    }
}

static void take_hunk(struct diff_walk *walk, const struct line_hunk *head)
{
    struct diff_line *lines = arena_alloc(walk->arena, head->new_count * sizeof *lines);
    uint32_t gone = head->old_count, come = head->new_count, at = 0;
    uint32_t old_line = head->old_line;
    struct str line, rest = walk->rest;
    struct diff_file *file = newest(walk);

    while ((gone > 0 || come > 0) && str_cut(&rest, '\n', &line)) {
        char kind = line.size > 0 ? line.data[0] : ' ';

        if (kind == '-' && gone > 0) {
            gone--;
            old_line++;
        } else if (kind == '+' && come > 0) {
            come--;
            lines[at++] = (struct diff_line){ .old = old_line, .added = true };
        } else if (kind == ' ' && gone > 0 && come > 0) {
            gone--;
            come--;
            lines[at++] = (struct diff_line){ .old = old_line++ };
        } else if (kind != '\\') {
            break; /* it is no line of the hunk */
        }
        walk->rest = rest;
    }
    walk->hunks = arena_grow(walk->arena, walk->hunks, file->hunk_count, &walk->hunk_cap,
                             sizeof *walk->hunks);
    walk->hunks[file->hunk_count++] = (struct diff_hunk){ .line = head->new_line, .count = at,
                                                          .lines = lines };
    file->hunks = walk->hunks;
}

static void take_line(struct diff_walk *walk, struct str line)
{
    struct diff_file *file = newest(walk);
    struct line_hunk head;

    if (str_starts(line, STR("index "))) {
        take_index(file, line);
    } else if (str_starts(line, STR("rename from "))) {
        file->old_path = plain_name(str_skip(line, 12), walk->arena);
    } else if (str_starts(line, STR("rename to "))) {
        file->path = plain_name(str_skip(line, 10), walk->arena);
    } else if (str_starts(line, STR("--- "))) {
        file->old_path = side_name(walk, str_skip(line, 4), STR("a/"));
    } else if (str_starts(line, STR("+++ "))) {
        file->path = side_name(walk, str_skip(line, 4), STR("b/"));
    } else if (hunk_read(line, &head) && head.new_count <= walk->rest.size + 1) {
        take_hunk(walk, &head);
    }
}

struct diff_places diff_places_read(struct str diff, struct arena *arena)
{
    struct diff_walk walk = { .arena = arena, .rest = diff };
    struct str line;

    while (str_cut(&walk.rest, '\n', &line)) {
        if (str_starts(line, STR("diff --git "))) begin_file(&walk);
        else if (walk.count > 0) take_line(&walk, line);
    }
    return (struct diff_places){ .files = walk.files, .count = walk.count };
}

/* ---- questions ---- */

const struct diff_file *diff_places_file(const struct diff_places *places, struct str path)
{
    for (uint32_t i = 0; path.size > 0 && i < places->count; i++) {
        if (str_eq(places->files[i].path, path)) return &places->files[i];
    }
    return NULL;
}

const struct diff_hunk *diff_file_hunk(const struct diff_file *file, uint32_t line)
{
    for (uint32_t i = 0; i < file->hunk_count; i++) {
        const struct diff_hunk *hunk = &file->hunks[i];

        if (line >= hunk->line && line - hunk->line < hunk->count) return hunk;
    }
    return NULL;
}

const struct diff_line *diff_hunk_line(const struct diff_hunk *hunk, uint32_t line)
{
    return &hunk->lines[line - hunk->line];
}

bool diff_hunk_added(const struct diff_hunk *hunk, uint32_t line)
{
    return line >= hunk->line && line - hunk->line < hunk->count &&
           diff_hunk_line(hunk, line)->added;
}
