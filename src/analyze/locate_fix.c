/* SPDX-License-Identifier: Apache-2.0
 *
 * locate_fix.c - a tool's fixes as edits in bytes of the files as they are.
 *
 * 1. Every edit lies within its file as it is now, and carries the hash of that content: whoever
 *    applies it can tell whether the file is still the same.
 * 2. The edits of a fix are in the order of their places, and no two begin at one place: what a
 *    tool inserts there piece by piece is one edit, in the tool's order.
 * 3. An edit that changes nothing is no edit, and a fix without edits no fix.
 * 4. A fix is kept whole or left out whole; what was left out is counted by its reason. */
#include "analyze/locate_parts.h"

#include "base/mem.h"
#include "format/report/fix.h"

#include <stdlib.h>
#include <string.h>

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
    *out = (struct fix){ .text = from->text };
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

struct str locate_fixes(struct locator *locator, const struct diagnostic *diagnostic,
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
