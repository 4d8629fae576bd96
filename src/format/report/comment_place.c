/* SPDX-License-Identifier: Apache-2.0
 *
 * comment_place.c - where in a diff an inline comment stands, and which lines it offers instead.
 *
 * The rules are reviewdog's. A comment stands on lines that the diff shows: by the filter `added`
 * one of its lines was added, by `diff_context` all it takes is that they are shown. The lines of a
 * fix come before those of the finding, so that the fix can be offered. Lines that do not lie in
 * one hunk become the first one of them that fits.
 *
 * A fix is offered as whole lines, and only where
 *
 * 1. the file is the very one that the fix was made for (its hash), and all its edits are there;
 * 2. the page would show it as it is: UTF-8, nothing that cannot be seen, no fence of a code block;
 * 3. no line of it begins with "/": a service may take that for a command. */
#include "format/report/comment.h"

#include "core/finding.h"
#include "format/report/fix.h"
#include "format/text/safe.h"
#include "format/text/words.h"

enum { INSTEAD_LINES_MAX = 60, INSTEAD_BYTES_MAX = 6000 };

/* Lines of a file, both included. */
struct lines {
    uint32_t first, last;
};

static struct lines finding_lines(const struct finding *finding)
{
    struct lines lines = { finding->line, finding->end_line };

    if (finding->column > 0 && finding->end_column == 1 && lines.last > 0) lines.last--;
    if (lines.last < lines.first) lines.last = lines.first;
    return lines;
}

static bool fits(const struct diff_hunk *hunk, struct lines lines, enum comment_filter filter)
{
    if (filter == COMMENT_DIFF_CONTEXT) return true;
    for (uint32_t line = lines.first; line <= lines.last; line++) {
        if (diff_hunk_added(hunk, line)) return true;
    }
    return false;
}

/* The hunk that shows all of the lines; NULL: none, or the filter does not let it. */
static const struct diff_hunk *find_hunk(const struct diff_file *file, struct lines lines,
                                         enum comment_filter filter)
{
    const struct diff_hunk *hunk = diff_file_hunk(file, lines.first);

    if (!hunk || lines.last - hunk->line >= hunk->count) return NULL;
    return fits(hunk, lines, filter) ? hunk : NULL;
}

/* The first of the lines that can have a comment alone; 0: none can. */
static uint32_t find_line(const struct diff_file *file, struct lines lines,
                          enum comment_filter filter)
{
    for (uint32_t i = 0; i < file->hunk_count; i++) {
        const struct diff_hunk *hunk = &file->hunks[i];

        for (uint32_t line = hunk->line; line - hunk->line < hunk->count; line++) {
            struct lines one = { line, line };

            if (line >= lines.first && line <= lines.last && fits(hunk, one, filter)) return line;
        }
    }
    return 0;
}

/* ---- the fix, as whole lines ---- */

/* Bytes of the file, and what stands there afterwards. */
struct stretch {
    uint64_t start, end;
    struct buf text;
};

static uint64_t line_start(struct str content, uint64_t at)
{
    while (at > 0 && content.data[at - 1] != '\n') at--;
    return at;
}

/* Behind the line end. */
static uint64_t line_end(struct str content, uint64_t at)
{
    while (at < content.size && content.data[at] != '\n') at++;
    return at < content.size ? at + 1 : at;
}

static bool edits_fit(const struct fix *fix, struct str file, struct str content)
{
    uint64_t behind = 0;

    for (uint32_t i = 0; i < fix->count; i++) {
        const struct edit *edit = &fix->edits[i];

        if (!str_eq(edit->file, file) || edit->hash != content_hash(content)) return false;
        if (edit->start < behind || edit->end > content.size) return false;
        behind = edit->end;
    }
    return fix->count > 0;
}

static void stretch_fill(struct stretch *stretch, const struct fix *fix, struct str content)
{
    uint64_t at = stretch->start;

    buf_clear(&stretch->text);
    for (uint32_t i = 0; i < fix->count; i++) {
        const struct edit *edit = &fix->edits[i];

        buf_add(&stretch->text, (struct str){ content.data + at, (size_t)(edit->start - at) });
        buf_add(&stretch->text, edit->text);
        at = edit->end;
    }
    buf_add(&stretch->text, (struct str){ content.data + at, (size_t)(stretch->end - at) });
}

/* Where the fix takes a line end away, the next line belongs to it. */
static void stretch_make(struct stretch *stretch, const struct fix *fix, struct str content)
{
    const struct edit *last = &fix->edits[fix->count - 1];

    stretch->start = line_start(content, fix->edits[0].start);
    stretch->end = line_end(content, last->end > last->start ? last->end - 1 : last->end);
    for (;;) {
        stretch_fill(stretch, fix, content);
        if (stretch->text.size == 0 || stretch->text.overflow) return;
        if (stretch->text.data[stretch->text.size - 1] == '\n') return;
        if (stretch->end == content.size) return;
        stretch->end = line_end(content, stretch->end);
    }
}

/* Whether the page shows it as it is. */
static bool is_plain(struct str text)
{
    struct buf safe;
    struct str rest = text, line;
    bool plain;

    if (text_has(text, "```") || text_has(text, "~~~")) return false;
    while (str_cut(&rest, '\n', &line)) {
        if (str_starts(line, STR("/"))) return false;
    }
    buf_init(&safe, 8 * INSTEAD_BYTES_MAX);
    safe_text(&safe, text, false, 0);
    plain = str_eq(buf_str(&safe), text);
    buf_release(&safe);
    return plain;
}

static uint32_t count_lines(struct str text)
{
    uint32_t count = 0;

    for (size_t i = 0; i < text.size; i++) count += text.data[i] == '\n';
    return count;
}

static bool fix_take(struct comment_item *item, const struct fix *fix, struct str content,
                     struct lines *lines, struct arena *arena)
{
    struct stretch stretch = { 0 };
    struct str text;
    bool taken;

    if (!edits_fit(fix, item->entry->finding.file, content)) return false;
    buf_init(&stretch.text, INSTEAD_BYTES_MAX);
    stretch_make(&stretch, fix, content);
    text = buf_str(&stretch.text);
    if (str_ends(text, STR("\n"))) text.size--;
    lines->first = 1 + count_lines((struct str){ content.data, (size_t)stretch.start });
    lines->last = lines->first + count_lines((struct str){ content.data + stretch.start,
                                                           (size_t)(stretch.end - stretch.start) });
    if (stretch.end > stretch.start && content.data[stretch.end - 1] == '\n') lines->last--;
    taken = !stretch.text.overflow && is_plain(text) &&
            lines->last - lines->first < INSTEAD_LINES_MAX;
    if (taken) item->instead = arena_copy(arena, text);
    buf_release(&stretch.text);
    return taken;
}

/* Offers the first of the fixes that can be shown. */
static bool instead_find(struct comment_item *item, struct str content, struct lines *lines,
                         struct arena *arena)
{
    struct fixes fixes = { 0 };
    struct err none;

    if (!content.data || item->entry->finding.fix.size == 0) return false;
    if (fixes_read(item->entry->finding.fix, arena, &fixes, &none) != 0) return false;
    for (uint32_t i = 0; i < fixes.count; i++) {
        if (fix_take(item, &fixes.items[i], content, lines, arena)) return true;
    }
    return false;
}

/* ---- the place ---- */

static void item_put(struct comment_item *item, const struct diff_file *file, struct lines lines)
{
    const struct diff_hunk *hunk = diff_file_hunk(file, lines.last);

    item->left = NULL;
    item->place = (struct comment_place){
        .path = file->path,
        .old_path = file->old_path.size > 0 ? file->old_path : file->path,
        .start_line = lines.first, .line = lines.last,
        .at = *diff_hunk_line(hunk, lines.last), .start_at = *diff_hunk_line(hunk, lines.first),
    };
}

void comment_item_place(struct comment_item *item, const struct diff_places *diff,
                        enum comment_filter filter, struct str content, struct arena *arena)
{
    const struct finding *finding = &item->entry->finding;
    const struct diff_file *file = diff_places_file(diff, finding->file);
    struct lines lines = finding_lines(finding), fixed;
    uint32_t alone;

    item->has_instead = false;
    if (finding->line == 0) {
        item->left = "it is about no line";
    } else if (!file) {
        item->left = "its file is not part of the diff";
    } else if (instead_find(item, content, &fixed, arena) && find_hunk(file, fixed, filter)) {
        item->has_instead = true;
        item_put(item, file, fixed);
    } else if (find_hunk(file, lines, filter)) {
        item_put(item, file, lines);
    } else if ((alone = find_line(file, lines, filter)) > 0) {
        item_put(item, file, (struct lines){ alone, alone });
    } else {
        item->left = filter == COMMENT_ADDED ? "its lines were not added by the change"
                                             : "its lines are not part of the diff";
    }
}
