/* SPDX-License-Identifier: Apache-2.0
 *
 * hunks.c - a diff as a line map.
 *
 *   diff --git a/old b/new   a file begins
 *   rename from old          its names: these two lines, else the next two,
 *   rename to new            else those of the first line, where both are the same
 *   --- a/old
 *   +++ b/new
 *   @@ -7,9 +7,10 @@         a hunk begins: what follows is counted, so that no line of it can pass
 *                            for one of the above
 *
 * Lines of context are not part of a change: a hunk becomes as many as it has runs of lines that go
 * or come. */
#include "format/text/hunks.h"

#include "base/mem.h"
#include "format/text/words.h"

#include <stdlib.h>

static bool cut_number(struct str *text, uint32_t *out)
{
    size_t digits = text_digits(*text);
    uint64_t number;

    if (digits == 0 || !str_number((struct str){ text->data, digits }, &number)) return false;
    if (number > UINT32_MAX / 2) return false;
    *text = str_skip(*text, digits);
    *out = (uint32_t)number;
    return true;
}

static bool cut_side(struct str *text, struct str sign, uint32_t *line, uint32_t *count)
{
    if (!str_starts(*text, sign)) return false;
    *text = str_skip(*text, sign.size);
    *count = 1;
    if (!cut_number(text, line)) return false;
    if (!str_starts(*text, STR(","))) return true;
    *text = str_skip(*text, 1);
    return cut_number(text, count);
}

bool hunk_read(struct str line, struct line_hunk *out)
{
    return cut_side(&line, STR("@@ -"), &out->old_line, &out->old_count) &&
           cut_side(&line, STR(" +"), &out->new_line, &out->new_count) &&
           str_starts(line, STR(" @@"));
}

/* A diff that is being read. */
struct reading {
    struct str rest;
    struct file_move *files;
    struct line_hunk *hunks;
    uint32_t *ends; /* of each file: how many hunks there are up to its last */
    uint32_t file_count, file_cap, hunk_count, hunk_cap, end_cap;
    bool quoted;    /* of the file that is being read: a name of it is */
    bool full;      /* there were more hunks than are kept */
};

static void hunk_add(struct reading *reading, const struct line_hunk *hunk)
{
    uint32_t file = reading->file_count - 1;

    if (hunk->old_count + hunk->new_count == 0 || reading->full) return;
    if (reading->hunk_count == LINE_MAP_HUNKS_MAX) { /* a part of a file's would be wrong */
        reading->full = true;
        reading->ends[file] = reading->hunk_count = file > 0 ? reading->ends[file - 1] : 0;
        return;
    }
    reading->hunks = mem_grow(reading->hunks, reading->hunk_count, &reading->hunk_cap,
                              sizeof *reading->hunks);
    reading->hunks[reading->hunk_count] = *hunk;
    /* A side without lines names the line in front of it. */
    reading->hunks[reading->hunk_count].old_line -= hunk->old_count == 0 && hunk->old_line > 0;
    reading->hunks[reading->hunk_count].new_line -= hunk->new_count == 0 && hunk->new_line > 0;
    reading->ends[file] = ++reading->hunk_count;
}

/* The lines behind the head, and each run of them that go or come as a hunk of its own. */
static void take_lines(struct reading *reading, const struct line_hunk *head)
{
    uint32_t gone = head->old_count, come = head->new_count;
    struct line_hunk run = { .old_line = head->old_line + (gone == 0),
                             .new_line = head->new_line + (come == 0) };
    struct str line, rest = reading->rest;

    while ((gone > 0 || come > 0) && str_cut(&rest, '\n', &line)) {
        char kind = line.size > 0 ? line.data[0] : ' ';

        if (kind == '-' && gone > 0) {
            gone--;
            run.old_count++;
        } else if (kind == '+' && come > 0) {
            come--;
            run.new_count++;
        } else if (kind == ' ' && gone > 0 && come > 0) {
            gone--;
            come--;
            hunk_add(reading, &run);
            run = (struct line_hunk){ .old_line = run.old_line + run.old_count + 1,
                                      .new_line = run.new_line + run.new_count + 1 };
        } else if (kind != '\\') {
            break; /* it is no line of the hunk */
        }
        reading->rest = rest;
    }
    hunk_add(reading, &run);
}

/* The name behind a word: "--- a/x" with side "a/". */
static void take_name(struct str line, struct str word, struct str side, struct str *out)
{
    struct str name;

    if (!str_starts(line, word)) return;
    name = str_skip(line, word.size);
    if (str_is(name, "/dev/null")) *out = STR("");
    else if (str_starts(name, side)) *out = str_skip(name, side.size);
    while (out->size > 0 && out->data[out->size - 1] == '\t') out->size--; /* behind blanks */
}

/* "diff --git a/x b/x": both names, where they are the same. */
static void begin_file(struct reading *reading, struct str line)
{
    struct str names = str_skip(line, 11), half = { names.data, names.size / 2 }, other;
    struct file_move file = { .hunk_count = 0 };

    reading->files = mem_grow(reading->files, reading->file_count, &reading->file_cap,
                              sizeof *reading->files);
    reading->ends = mem_grow(reading->ends, reading->file_count, &reading->end_cap,
                             sizeof *reading->ends);
    other = names.size % 2 ? str_skip(names, half.size + 1) : (struct str){ "", 0 };
    if (str_starts(half, STR("a/")) && str_starts(other, STR("b/")) &&
        str_eq(str_skip(half, 2), str_skip(other, 2))) {
        file.old_path = file.new_path = str_skip(half, 2);
    }
    reading->quoted = str_has(names, '"');
    reading->ends[reading->file_count] = reading->hunk_count;
    reading->files[reading->file_count++] = file;
}

static void take_line(struct reading *reading, struct str line)
{
    struct file_move *file = &reading->files[reading->file_count - 1];
    struct line_hunk head;

    if (!reading->quoted) {
        take_name(line, STR("rename from "), STR(""), &file->old_path);
        take_name(line, STR("rename to "), STR(""), &file->new_path);
        take_name(line, STR("--- "), STR("a/"), &file->old_path);
        take_name(line, STR("+++ "), STR("b/"), &file->new_path);
    }
    if (hunk_read(line, &head)) take_lines(reading, &head);
}

struct line_map line_map_read(struct str diff, struct arena *arena)
{
    struct reading reading = { .rest = diff };
    struct file_move *files;
    struct line_hunk *hunks;
    uint32_t kept = 0, first = 0;
    struct str line;

    while (str_cut(&reading.rest, '\n', &line)) {
        if (str_starts(line, STR("diff --git "))) begin_file(&reading, line);
        else if (reading.file_count > 0) take_line(&reading, line);
    }
    files = arena_alloc(arena, (reading.file_count + (size_t)1) * sizeof *files);
    hunks = arena_alloc(arena, (reading.hunk_count + (size_t)1) * sizeof *hunks);
    for (uint32_t i = 0; i < reading.hunk_count; i++) hunks[i] = reading.hunks[i];
    for (uint32_t i = 0; i < reading.file_count; i++) {
        struct file_move *file = &files[kept];

        *file = reading.files[i];
        file->old_path = arena_copy(arena, file->old_path);
        file->new_path = arena_copy(arena, file->new_path);
        file->hunks = hunks + first;
        file->hunk_count = reading.ends[i] - first;
        first = reading.ends[i];
        kept += file->old_path.size + file->new_path.size > 0;
    }
    free(reading.files);
    free(reading.hunks);
    free(reading.ends);
    return (struct line_map){ files, kept };
}
