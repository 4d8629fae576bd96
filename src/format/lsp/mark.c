/* SPDX-License-Identifier: Apache-2.0
 *
 * mark.c - marks in a text that is edited.
 *
 * An edit moves the two ends of a mark; then both are put to the ends of the content of the lines
 * they are in. So text that is typed in front of or behind the content becomes part of it, which
 * makes the mark stale, and a line that is put above or below does not.
 *
 * Two texts are compared by lines. Where they part, the nearest pair of equal lines is looked for,
 * a step further at a time; beyond REACH_MAX lines the rest is one edit. The search is not the
 * shortest way from one text to the other, and need not be: marks of lines that it takes for
 * changed are stale or gone until the next review. */
#include "format/lsp/mark.h"

#include "base/hash.h"
#include "format/lsp/place.h"

#include <string.h>

enum { REACH_MAX = 400 };

/* ---- marks ---- */

static struct str between(struct str text, size_t from, size_t to)
{
    return (struct str){ text.data + from, to - from };
}

/* The content of the lines from one offset to another. */
static void content_span(struct str text, size_t *from, size_t *to)
{
    struct str first = content_around(text, *from), last = content_around(text, *to);
    size_t begin = (size_t)(first.data - text.data), end = (size_t)(last.data - text.data) + last.size;

    *from = begin;
    *to = end > begin ? end : begin;
}

struct mark mark_at(struct str text, size_t begin, size_t end)
{
    struct mark mark = { .from = begin, .to = end > begin ? end : begin };

    /* An end at the beginning of a line does not mean that line. */
    if (mark.to > mark.from && text.data[mark.to - 1] == '\n') mark.to--;
    content_span(text, &mark.from, &mark.to);
    mark.content = hash_text(HASH_START, between(text, mark.from, mark.to));
    if (begin < mark.from) begin = mark.from;
    if (begin > mark.to) begin = mark.to;
    if (end > mark.to) end = mark.to;
    if (end <= begin) {
        begin = mark.from;
        end = mark.to;
    }
    mark.begin = begin - mark.from;
    mark.end = end - mark.from;
    return mark;
}

/* Where an offset is after the edit. Of one inside what is replaced: its beginning or its end. */
static size_t moved(size_t offset, const struct text_edit *edit, bool to_end)
{
    if (offset >= edit->end && (offset > edit->start || !to_end)) {
        return offset - (edit->end - edit->start) + edit->text.size;
    }
    if (offset <= edit->start) return offset;
    return edit->start + (to_end ? edit->text.size : 0);
}

void mark_shift(struct mark *mark, const struct text_edit *edit)
{
    bool lines = str_has(edit->text, '\n') || str_has(edit->text, '\r');

    if (edit->start <= mark->from && edit->end >= mark->to && edit->end > edit->start &&
        (lines || edit->text.size == 0)) {
        mark->over = true;
    }
    mark->from = moved(mark->from, edit, false);
    mark->to = moved(mark->to, edit, true);
    if (mark->to < mark->from) mark->to = mark->from;
}

void mark_settle(struct mark *mark, struct str text)
{
    if (mark->gone) return;
    content_span(text, &mark->from, &mark->to);
    mark->stale = hash_text(HASH_START, between(text, mark->from, mark->to)) != mark->content;
    mark->gone = mark->over && mark->stale;
    mark->over = false;
}

struct text_edit mark_shown(const struct mark *mark)
{
    if (mark->stale) return (struct text_edit){ .start = mark->from, .end = mark->to };
    return (struct text_edit){ .start = mark->from + mark->begin, .end = mark->from + mark->end };
}

bool span_move(struct span *span, const struct text_edit *edit)
{
    if (edit->start > span->end) return true;
    if (edit->end >= span->start) return false;
    span->start = span->start - (edit->end - edit->start) + edit->text.size;
    span->end = span->end - (edit->end - edit->start) + edit->text.size;
    return true;
}

/* ---- texts ---- */

void text_edit_trim(struct text_edit *edit, struct str text)
{
    while (edit->start < edit->end && edit->text.size > 0 &&
           text.data[edit->start] == edit->text.data[0]) {
        edit->start++;
        edit->text = str_skip(edit->text, 1);
    }
    while (edit->start < edit->end && edit->text.size > 0 &&
           text.data[edit->end - 1] == edit->text.data[edit->text.size - 1]) {
        edit->end--;
        edit->text.size--;
    }
}

int text_edit_make(struct buf *text, const struct text_edit *edit)
{
    size_t tail = text->size - edit->end, size = edit->start + edit->text.size + tail;
    int rc = size > text->size ? buf_reserve(text, size - text->size) : 0;

    if (rc != 0) return rc;
    if (tail > 0) memmove(text->data + edit->start + edit->text.size, text->data + edit->end, tail);
    if (edit->text.size > 0) memcpy(text->data + edit->start, edit->text.data, edit->text.size);
    text->size = size;
    if (text->data) text->data[size] = '\0';
    return 0;
}

/* The lines of a text, each with its end. */
struct text_lines {
    struct str *items;
    uint32_t count;
};

static struct text_lines lines_of(struct str text, struct arena *arena)
{
    struct text_lines lines = { .count = 0 };
    struct str rest = text, line;
    uint32_t count = 0;

    while (str_cut(&rest, '\n', &line)) count++;
    lines.items = arena_alloc(arena, (count + (size_t)1) * sizeof *lines.items);
    for (rest = text; str_cut(&rest, '\n', &line);) {
        if (line.data + line.size < text.data + text.size) line.size++; /* its end */
        lines.items[lines.count++] = line;
    }
    return lines;
}

static size_t lines_at(struct str text, const struct text_lines *lines, uint32_t line)
{
    return line < lines->count ? (size_t)(lines->items[line].data - text.data) : text.size;
}

/* Two texts that are compared, and how far that is. */
struct compare {
    struct str was, now;
    struct text_lines old, new;
    uint32_t at_old, at_new;   /* lines that are compared already */
    uint32_t end_old, end_new; /* from here on all are the same */
    struct arena *arena;
    struct text_edit *edits;
    uint32_t count, cap;
};

static bool is_same(const struct compare *compare, uint32_t old, uint32_t new)
{
    return str_eq(compare->old.items[old], compare->new.items[new]);
}

/* Whether the texts go on together from these lines: two lines, where there are so many. */
static bool joins(const struct compare *compare, uint32_t old, uint32_t new)
{
    if (old >= compare->end_old || new >= compare->end_new) {
        return old >= compare->end_old && new >= compare->end_new;
    }
    if (!is_same(compare, old, new)) return false;
    if (old + 1 >= compare->end_old || new + 1 >= compare->end_new) return true;
    return is_same(compare, old + 1, new + 1);
}

/* The nearest lines from which they go on together. */
static void find_join(const struct compare *compare, uint32_t *old, uint32_t *new)
{
    for (uint32_t steps = 1; steps <= REACH_MAX; steps++) {
        for (uint32_t k = 0; k <= steps; k++) {
            uint32_t to_old = compare->at_old + k, to_new = compare->at_new + steps - k;

            if (to_old > compare->end_old || to_new > compare->end_new) continue;
            if (!joins(compare, to_old, to_new)) continue;
            *old = to_old;
            *new = to_new;
            return;
        }
    }
    *old = compare->end_old;
    *new = compare->end_new;
}

/* What has come so far up to these lines is one edit. */
static void add_edit(struct compare *compare, uint32_t old, uint32_t new)
{
    size_t from = lines_at(compare->now, &compare->new, compare->at_new);
    size_t to = lines_at(compare->now, &compare->new, new);
    struct text_edit edit = {
        .start = lines_at(compare->was, &compare->old, compare->at_old),
        .end = lines_at(compare->was, &compare->old, old),
        .text = between(compare->now, from, to),
    };

    text_edit_trim(&edit, compare->was);
    compare->edits = arena_grow(compare->arena, compare->edits, compare->count, &compare->cap,
                                sizeof *compare->edits);
    compare->edits[compare->count++] = edit;
    compare->at_old = old;
    compare->at_new = new;
}

/* As many lines in both: each is an edit of its own. */
static void add_edits(struct compare *compare, uint32_t old, uint32_t new)
{
    while (old - compare->at_old == new - compare->at_new && compare->at_old + 1 < old) {
        if (is_same(compare, compare->at_old, compare->at_new)) {
            compare->at_old++;
            compare->at_new++;
        } else {
            add_edit(compare, compare->at_old + 1, compare->at_new + 1);
        }
    }
    add_edit(compare, old, new);
}

static void trim_end(struct compare *compare)
{
    while (compare->end_old > compare->at_old && compare->end_new > compare->at_new &&
           is_same(compare, compare->end_old - 1, compare->end_new - 1)) {
        compare->end_old--;
        compare->end_new--;
    }
}

uint32_t edits_between(struct str was, struct str now, struct arena *arena,
                       const struct text_edit **out)
{
    struct compare compare = { .was = was, .now = now, .arena = arena };

    *out = NULL;
    if (str_eq(was, now)) return 0;
    compare.old = lines_of(was, arena);
    compare.new = lines_of(now, arena);
    compare.end_old = compare.old.count;
    compare.end_new = compare.new.count;
    while (compare.at_old < compare.end_old && compare.at_new < compare.end_new &&
           is_same(&compare, compare.at_old, compare.at_new)) {
        compare.at_old++;
        compare.at_new++;
    }
    trim_end(&compare);
    while (compare.at_old < compare.end_old || compare.at_new < compare.end_new) {
        uint32_t old, new;

        if (compare.at_old < compare.end_old && compare.at_new < compare.end_new &&
            is_same(&compare, compare.at_old, compare.at_new)) {
            compare.at_old++;
            compare.at_new++;
            continue;
        }
        find_join(&compare, &old, &new);
        add_edits(&compare, old, new);
    }
    for (uint32_t i = 0; i < compare.count / 2; i++) {
        struct text_edit edit = compare.edits[i];
        compare.edits[i] = compare.edits[compare.count - 1 - i];
        compare.edits[compare.count - 1 - i] = edit;
    }
    *out = compare.edits;
    return compare.count;
}
