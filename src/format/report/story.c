/* SPDX-License-Identifier: Apache-2.0
 *
 * story.c - finding something in a story: what became of an entry, and the hunks of a diff. */
#include "format/report/story.h"

#include "format/text/hunks.h"

#include <stdlib.h>
#include <string.h>

enum { NEAR = 3 }; /* as many lines as git shows around a change */

static int compare_order(const void *key, const void *item)
{
    uint64_t order = *(const uint64_t *)key;
    const struct story_fate *fate = item;

    return (order > fate->order) - (order < fate->order);
}

const struct story_fate *story_fate(const struct story *story, const struct ledger_entry *entry)
{
    if (!story || story->fate_count == 0) return NULL;
    return bsearch(&entry->order, story->fates, story->fate_count, sizeof *story->fates,
                   compare_order);
}

/* ---- a diff ---- */

static const struct str file_mark = STR("diff --git ");

/* The name behind "--- " or "+++ ", as git writes it; false: it is /dev/null, or no such line. */
static bool read_name(struct str line, const char *mark, struct str *out)
{
    struct str name = str_skip(line, strlen(mark));

    if (!str_starts(line, str_of(mark)) || str_starts(name, STR("/dev/null"))) return false;
    /* A name with a blank has a tab behind it. */
    if (name.size > 0 && name.data[name.size - 1] == '\t') name.size--;
    *out = name;
    return true;
}

/* Behind a backslash in a name that git quotes: the byte, and how many characters that were. */
static size_t read_escape(struct str rest, char *byte)
{
    static const char letters[] = "abtnvfr";
    const char *letter = rest.data[0] ? strchr(letters, rest.data[0]) : NULL;
    unsigned value = 0;
    size_t size = 0;

    while (size < 3 && size < rest.size && rest.data[size] >= '0' && rest.data[size] <= '7') {
        value = value * 8 + (unsigned)(rest.data[size++] - '0');
    }
    *byte = size > 0 ? (char)value : letter ? (char)(7 + letter - letters) : rest.data[0];
    return size > 0 ? size : 1;
}

void story_diff_name(struct str name, struct buf *out)
{
    bool quoted = name.size >= 2 && name.data[0] == '"' && name.data[name.size - 1] == '"';
    char byte;

    if (quoted) name = (struct str){ name.data + 1, name.size - 2 };
    if (str_starts(name, STR("a/")) || str_starts(name, STR("b/"))) name = str_skip(name, 2);
    while (name.size > 0) {
        byte = name.data[0];
        name = str_skip(name, 1);
        if (quoted && byte == '\\' && name.size > 0) {
            name = str_skip(name, read_escape(name, &byte));
        }
        buf_byte(out, byte);
    }
}

/* From "diff --git a/NAME b/NAME", where no other line tells it: both are the same. */
static struct str name_of_head(struct str line)
{
    struct str both = str_skip(line, file_mark.size);
    size_t half = both.size / 2;

    if (both.size < 5 || both.size % 2 == 0 || both.data[half] != ' ') return both;
    return (struct str){ both.data, half };
}

/* The end of the file's part: the next head of a file, or the end. */
static struct str part_of_file(struct str *diff)
{
    struct str rest = *diff, line, part;
    const char *end;

    (void)str_cut(&rest, '\n', &line);
    for (;;) {
        end = rest.data;
        if (rest.size == 0 || str_starts(rest, file_mark)) break;
        (void)str_cut(&rest, '\n', &line);
    }
    part = (struct str){ diff->data, (size_t)(end - diff->data) };
    *diff = rest;
    return part;
}

bool story_diff_file(struct str *diff, struct story_file *out)
{
    struct str rest, line;

    while (diff->size > 0 && !str_starts(*diff, file_mark)) (void)str_cut(diff, '\n', &line);
    if (diff->size == 0) return false;
    rest = part_of_file(diff);
    (void)str_cut(&rest, '\n', &line);
    *out = (struct story_file){ .name = name_of_head(line), .hunks = { "", 0 } };
    while (rest.size > 0) {
        struct str before = rest;

        (void)str_cut(&rest, '\n', &line);
        if (str_starts(line, STR("@@ "))) {
            out->hunks = before;
            break;
        }
        out->made = out->made || str_starts(line, STR("new file mode "));
        out->deleted = out->deleted || str_starts(line, STR("deleted file mode "));
        out->binary = out->binary || str_starts(line, STR("Binary files "));
        if (read_name(line, "--- ", &out->name)) continue;
        (void)read_name(line, "+++ ", &out->name);
    }
    return true;
}

bool story_diff_hunk(struct str *hunks, struct story_hunk *out)
{
    struct line_hunk head;
    struct str line, rest;
    const char *begin;

    do {
        if (!str_cut(hunks, '\n', &line)) return false;
    } while (!hunk_read(line, &head));
    begin = hunks->data;
    rest = *hunks;
    while (rest.size > 0 && rest.data[0] != '@') {
        if (!str_has(STR(" +-\\"), rest.data[0])) break;
        (void)str_cut(&rest, '\n', &line);
    }
    *out = (struct story_hunk){
        .old_first = head.old_line, .old_count = head.old_count,
        .new_first = head.new_line, .new_count = head.new_count,
        .lines = { begin, (size_t)(rest.data - begin) },
    };
    *hunks = rest;
    return true;
}

/* How many lines of it are on a side: those with this mark, and those with none. */
static uint32_t count_lines(struct str lines, char mark)
{
    struct str line;
    uint32_t count = 0;

    while (str_cut(&lines, '\n', &line)) {
        count += line.size > 0 && (line.data[0] == mark || line.data[0] == ' ');
    }
    return count;
}

static bool covers(uint32_t first, uint32_t count, uint32_t line)
{
    return line + NEAR >= first && line < first + count + NEAR;
}

bool story_hunk_is_near(const struct story_hunk *hunk, uint32_t line)
{
    return covers(hunk->old_first, count_lines(hunk->lines, '-'), line) ||
           covers(hunk->new_first, count_lines(hunk->lines, '+'), line);
}

/* That of a line which the hunk covers. */
static uint32_t line_in_hunk(const struct story_hunk *hunk, uint32_t line)
{
    uint32_t old = hunk->old_first, new = hunk->new_first;
    uint32_t last = hunk->new_first + (hunk->new_count > 0 ? hunk->new_count - 1 : 0);
    struct str rest = hunk->lines, one;

    while (str_cut(&rest, '\n', &one)) {
        char mark = one.size > 0 ? one.data[0] : ' ';

        if (mark == '\\') continue; /* "No newline at end of file" */
        if (mark != '+' && old == line) break;
        old += mark != '+';
        new += mark != '-';
    }
    if (new > last) new = last;
    return new > 0 ? new : 1;
}

uint32_t story_hunks_line(struct str hunks, uint32_t line)
{
    struct story_hunk hunk;
    int64_t moved = line;

    while (story_diff_hunk(&hunks, &hunk)) {
        /* One without old lines stands behind the line that it names. */
        uint32_t behind = hunk.old_first + (hunk.old_count > 0 ? hunk.old_count : 1);

        if (behind > line) {
            if (hunk.old_count > 0 && hunk.old_first <= line) return line_in_hunk(&hunk, line);
            break;
        }
        moved += (int64_t)hunk.new_count - (int64_t)hunk.old_count;
    }
    return moved > 0 && moved <= UINT32_MAX ? (uint32_t)moved : 1;
}
