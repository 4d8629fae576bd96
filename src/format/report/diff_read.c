/* SPDX-License-Identifier: Apache-2.0
 *
 * diff_read.c - what formatters write instead of findings: a unified diff, from the text as it is
 * to the text as they want it.
 *
 *     --- a.sh.orig
 *     +++ a.sh
 *     @@ -1,4 +1,4 @@
 *      #!/bin/sh
 *     -if true;then
 *     +if true; then
 *
 * 1. A hunk is a finding with one fix: each run of lines that go or come is an edit, of whole
 *    lines.
 * 2. The file is that of the +++ line; "a/" and "b/" in front of both names are git's and go.
 * 3. A hunk has as many lines as its head says; anything else refuses the report.
 * 4. A hunk with a mark of a missing line end is found, and has no fix: what is behind the last
 *    line is not to be guessed at. */
#include "format/report/diagnostic.h"

#include "format/text/hunks.h"
#include "format/text/utf8.h"

enum { PATH_BYTES_MAX = 4096 };

struct hunk_reading {
    struct diagnostics *out;
    struct str rest;
    struct str old_name, file;
    uint32_t number; /* of the line that is read, from 1 */
    struct err *err;
};

static int bad(struct hunk_reading *reading, const char *what)
{
    return err_set(reading->err, ERR_FORMAT, "diff: line %u: %s", reading->number, what);
}

static bool next_line(struct hunk_reading *reading, struct str *line)
{
    reading->number++;
    return str_cut(&reading->rest, '\n', line);
}

/* "a.sh" of "--- a.sh\tTIME". */
static struct str name_of(struct str line)
{
    struct str name = str_skip(line, 4);

    for (size_t i = 0; i < name.size; i++) {
        if (name.data[i] == '\t') name.size = i;
    }
    return str_trim(name);
}

/* A run of lines that go or come, in front of line `line` of the old text. */
static void edit_close(struct hunk_reading *reading, struct tool_fix *fix, uint32_t from,
                       uint32_t line, struct buf *text)
{
    if (from == line && text->size == 0) return;
    *tool_edit_add(reading->out, fix) = (struct tool_edit){
        .file = reading->file, .text = arena_copy(&reading->out->arena, buf_str(text)),
        .place = { .line = from, .column = 1, .end_line = line, .end_column = 1 },
    };
    buf_clear(text);
}

/* The lines of a hunk, the old ones from `line` on. *first is the line of the first change. */
static int lines_take(struct hunk_reading *reading, uint32_t line, uint32_t gone, uint32_t come,
                      struct tool_fix *fix, uint32_t *first, bool *torn)
{
    uint32_t from = line;
    struct str next;
    struct buf text;
    int rc = 0;

    buf_init(&text, DIAGNOSTIC_EDIT_BYTES_MAX);
    while (rc == 0 && (gone > 0 || come > 0)) {
        char kind = ' ';

        if (!next_line(reading, &next)) rc = bad(reading, "the hunk ends early");
        else if (next.size > 0) kind = next.data[0];
        if (rc == 0 && kind == '\\') {
            *torn = true;
        } else if (rc == 0 && kind == ' ' && gone > 0 && come > 0) {
            edit_close(reading, fix, from, line, &text);
            gone--;
            come--;
            from = ++line;
        } else if (rc == 0 && kind == '-' && gone > 0) {
            if (!*first) *first = line;
            gone--;
            line++;
        } else if (rc == 0 && kind == '+' && come > 0) {
            if (!*first) *first = line;
            come--;
            buf_add(&text, str_skip(next, 1));
            buf_byte(&text, '\n');
        } else if (rc == 0) {
            rc = bad(reading, "the hunk has other lines than its head says");
        }
    }
    if (text.overflow) *torn = true;
    if (rc == 0) edit_close(reading, fix, from, line, &text);
    buf_release(&text);
    return rc;
}

static int hunk_take(struct hunk_reading *reading, struct str head)
{
    struct line_hunk hunk;
    uint32_t line, first = 0;
    bool torn = false;
    struct tool_fix fix = { .text = STR("format it"), .class = FIX_SAFE };
    struct diagnostic *to;
    int rc;

    if (!hunk_read(head, &hunk)) return bad(reading, "this is no head of a hunk");
    line = hunk.old_line + (hunk.old_count == 0); /* that names the line in front */
    rc = lines_take(reading, line, hunk.old_count, hunk.new_count, &fix, &first, &torn);
    if (rc != 0) return rc;
    torn = torn || str_starts(reading->rest, STR("\\"));
    to = diagnostic_add(reading->out);
    if (!to) return err_set(reading->err, ERR_LIMIT, "diff: more than %d hunks", DIAGNOSTICS_MAX);
    to->severity = SEVERITY_LOW;
    to->rule = STR("format");
    to->text = STR("this is not formatted as the formatter would");
    to->file = reading->file;
    to->place = (struct place){ .line = first ? first : line };
    if (!torn && fix.count > 0) *diagnostic_fix_add(reading->out, to) = fix;
    return 0;
}

static int names_take(struct hunk_reading *reading, struct str line)
{
    struct str next;

    reading->old_name = name_of(line);
    if (!next_line(reading, &next) || !str_starts(next, STR("+++ "))) {
        return bad(reading, "a +++ line is missing");
    }
    next = name_of(next);
    if (str_starts(reading->old_name, STR("a/")) && str_starts(next, STR("b/"))) {
        next = str_skip(next, 2);
    }
    if (next.size == 0 || next.size > PATH_BYTES_MAX) return bad(reading, "there is no name");
    reading->file = arena_copy(&reading->out->arena, next);
    return 0;
}

int diff_read(struct str text, struct diagnostics *out, struct err *err)
{
    struct hunk_reading reading = { .out = out, .rest = text, .err = err };
    struct str line;
    int rc = 0;

    if (str_has(text, '\0') || utf8_prefix(text) != text.size) {
        return err_set(err, ERR_FORMAT, "diff: it is no text");
    }
    while (rc == 0 && next_line(&reading, &line)) {
        if (str_starts(line, STR("--- "))) rc = names_take(&reading, line);
        else if (str_starts(line, STR("@@ ")) && reading.file.size) rc = hunk_take(&reading, line);
        else if (str_trim(line).size > 0 && line.data[0] != '\\' &&
                 !str_starts(line, STR("diff ")) && !str_starts(line, STR("index "))) {
            rc = bad(&reading, "this is no line of a diff");
        }
    }
    return rc;
}
