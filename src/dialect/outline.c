/* SPDX-License-Identifier: Apache-2.0
 *
 * outline.c - an answer in Markdown as headings with what stands below each of them.
 *
 * 1. A heading is the writer's own and stands at the left margin. One that is indented may belong
 *    to a list, and counts as words.
 * 2. Where a heading is, no fence, comment or quote is open: so each body can be walked alone.
 * 3. Line numbers are those of the answer as it was given.
 * 4. A fence around the whole answer is taken off only where no other reading makes sense. Inside
 *    it a fence with a word behind it opens a block, a bare one closes it, and the last line must
 *    be the one that closes the outermost; and read strictly, the text must be one code block or
 *    end inside one. So a block that the agent quotes first can never become the answer. */
#include "dialect/outline.h"

#include "dialect/answer.h"

#include <string.h>

/* ---- lines ---- */

struct outline_walk outline_lines(struct str text, uint32_t line_before)
{
    return (struct outline_walk){
        .prose = { .rest = text, .line = line_before },
        .base = text.data,
    };
}

static bool is_blank(char byte) { return byte == ' ' || byte == '\t'; }

/* A line across the page: three or more of one mark. */
static bool is_rule(struct str text)
{
    size_t count = 0;

    if (text.size == 0 || !strchr("-*_", text.data[0]) || !text.data[0]) return false;
    for (size_t i = 0; i < text.size; i++) {
        if (is_blank(text.data[i])) continue;
        if (text.data[i] != text.data[0]) return false;
        count++;
    }
    return count >= 3;
}

/* How far from the beginning of its line the text stands. */
static uint32_t columns_of(const char *text, const char *base)
{
    const char *start = text;

    while (start > base && start[-1] != '\n') start--;
    return (uint32_t)(text - start);
}

bool outline_next(struct outline_walk *walk, struct outline_line *line)
{
    bool open = prose_is_open(&walk->prose);
    bool html = walk->prose.until != NULL;
    enum prose_kind kind;
    struct str name;

    *line = (struct outline_line){ .kind = OUTLINE_BLANK };
    if (!prose_next(&walk->prose, &line->text, &kind)) return false;
    line->number = walk->prose.line;
    if (kind == PROSE_CODE && (open || prose_is_open(&walk->prose))) {
        line->kind = html || walk->prose.until ? OUTLINE_HTML : OUTLINE_CODE;
    } else if (kind == PROSE_CODE) {
        line->kind = line->text.size && is_blank(line->text.data[0]) ? OUTLINE_INDENTED
                                                                     : OUTLINE_HTML;
    } else if (kind == PROSE_QUOTE) {
        line->kind = OUTLINE_QUOTE;
    } else if (!is_rule(line->text) && line->text.size) {
        line->kind = OUTLINE_OWN;
    }
    line->goes_on = open || (line->kind == OUTLINE_QUOTE && walk->last == OUTLINE_QUOTE);
    walk->last = line->kind;
    line->text = str_trim(line->text);
    line->words = line->text;
    line->columns = columns_of(line->text.data, walk->base);
    if (line->kind == OUTLINE_OWN || line->kind == OUTLINE_INDENTED) {
        line->item = prose_item(line->text, &line->words, &line->numbered);
        if (line->columns == 0) line->level = prose_heading(line->text, &name);
    }
    return true;
}

bool outline_says(const struct outline_line *line)
{
    struct str words = line->words;

    if (line->kind == OUTLINE_CODE) return true;
    if (line->kind == OUTLINE_BLANK || line->kind == OUTLINE_HTML || line->level) return false;
    for (words = text_skip(words, ". \t"); str_starts(words, STR("\xe2\x80\xa6"));) {
        words = text_skip(str_skip(words, 3), ". \t");
    }
    return words.size > 0;
}

bool outline_says_none(struct str words)
{
    return word_is(text_bare(str_trim(words), "*_`", "*_`."), "none");
}

bool outline_is_hollow(struct str body)
{
    struct outline_walk walk = outline_lines(body, 1);
    struct outline_line line;

    while (outline_next(&walk, &line)) {
        if (outline_says(&line)) return false;
    }
    return true;
}

bool outline_is_none(struct str body)
{
    struct outline_walk walk = outline_lines(body, 1);
    struct outline_line line;
    uint32_t count = 0;

    while (outline_next(&walk, &line)) {
        if (line.kind == OUTLINE_BLANK || line.kind == OUTLINE_HTML) continue;
        if (line.kind != OUTLINE_OWN || !outline_says_none(line.words)) return false;
        count++;
    }
    return count == 1;
}

/* ---- a fence around all of it ---- */

/* How long a fence of this character the line is; the word behind it in *info. 0: it is none. */
static size_t fence_of(struct str line, char byte, struct str *info)
{
    size_t size = 0;

    while (size < line.size && line.data[size] == byte) size++;
    *info = str_trim(str_skip(line, size));
    return size >= 3 && !str_has(*info, '`') ? size : 0;
}

static bool is_wrapping(struct str info)
{
    return info.size == 0 || str_is(info, "md") || str_is(info, "markdown");
}

/* Whether text makes sense as it stands: its first block ends before the text does, and so does
 * every other. */
static bool is_sane(struct str text)
{
    struct prose prose = { .rest = text };
    enum prose_kind kind;
    bool ended = false;
    struct str line;

    while (prose_next(&prose, &line, &kind)) ended = ended || kind != PROSE_CODE;
    return ended && !prose_is_open(&prose);
}

/* Whether the last line of text, which begins with a fence, closes that fence. */
static bool is_wrapped(struct str text, struct str *last)
{
    struct str rest = text, line, info;
    char byte = text.data[0];
    bool inner = false, closed = false;
    size_t size, first;

    str_cut(&rest, '\n', &line);
    first = fence_of(str_trim(line), byte, &info);
    if (first == 0 || !is_wrapping(info)) return false;
    while (str_cut(&rest, '\n', &line)) {
        if (closed) return false;
        size = fence_of(str_trim(line), byte, &info);
        if (size < first) continue;
        if (info.size == 0 && !inner) {
            closed = true;
            *last = line;
        } else {
            if (inner == (info.size > 0)) return false; /* one inside an inner one */
            inner = !inner;
        }
    }
    return closed;
}

static struct str unwrapped(struct str text, struct arena *arena)
{
    struct str all = str_trim(text), rest = all, first, last;
    char *bytes;

    if (all.size == 0 || (all.data[0] != '`' && all.data[0] != '~')) return text;
    if (!is_wrapped(all, &last) || is_sane(all)) return text;
    str_cut(&rest, '\n', &first);
    bytes = arena_alloc(arena, text.size + 1);
    memcpy(bytes, text.data, text.size);
    memset(bytes + (first.data - text.data), ' ', first.size);
    memset(bytes + (last.data - text.data), ' ', last.size);
    return (struct str){ bytes, text.size };
}

/* ---- headings ---- */

static struct outline_heading *heading_new(struct outline *outline, struct arena *arena)
{
    outline->items = arena_grow(arena, outline->items, outline->count, &outline->cap,
                                sizeof *outline->items);
    return &outline->items[outline->count++];
}

/* What stands before end belongs to the heading before, or to none. */
static void end_body(struct outline *outline, const char *end)
{
    struct str *body = &outline->before;

    if (outline->count) body = &outline->items[outline->count - 1].body;
    body->size = (size_t)(end - body->data);
}

void outline_read(struct str answer, uint32_t first_level, struct arena *arena,
                  struct check_report *report, struct outline *out)
{
    static const struct str mark = STR("\xef\xbb\xbf");
    struct str text = answer_mended(answer.data ? answer : STR(""), arena);
    struct outline_line line;
    struct outline_walk walk;

    if (str_starts(text, mark)) text = str_skip(text, mark.size);
    text = unwrapped(text, arena);
    *out = (struct outline){ .text = text, .kept = { "", 0 }, .before = text };
    if (str_trim(text).size == 0) {
        check_report_add(report, "empty", 0, "the answer is empty");
        return;
    }
    walk = outline_lines(text, 0);
    while (outline_next(&walk, &line)) {
        struct outline_heading *heading;

        if (line.level < first_level || line.level == 0 || line.level > OUTLINE_LEVEL) continue;
        end_body(out, line.text.data);
        heading = heading_new(out, arena);
        *heading = (struct outline_heading){ .level = line.level, .line = line.number };
        prose_heading(line.text, &heading->name);
        heading->body = walk.prose.rest;
        if (out->count == 1) {
            out->kept.data = line.text.data;
            out->kept.size = text.size - (size_t)(line.text.data - text.data);
            out->kept = str_trim(out->kept);
        }
    }
    if (prose_is_open(&walk.prose)) {
        check_report_add(report, "open-fence", walk.prose.open_line, "what begins here as code or "
                         "as a comment is never ended, and hides all that follows");
    }
}
