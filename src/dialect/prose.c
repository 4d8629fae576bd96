/* SPDX-License-Identifier: Apache-2.0
 *
 * prose.c - which lines of a Markdown text are its writer's own.
 *
 * A review quotes what it judges. What stands in a quote or in code is the file's word, not the
 * reviewer's, and must not count. CommonMark's rules for lines decide, as far as they are about
 * that:
 *
 *   code    between fences of ``` or ~~~ (the closing one as long as the opening one at least),
 *           to the end of the text where nothing closes it; four columns of indentation; an HTML
 *           comment or <pre>
 *   quote   a line that begins with >, and the lines behind it that continue its paragraph
 *
 * Where a list or nesting makes CommonMark see it otherwise, the line counts as code. Line by
 * line, without looking back: linear in the text.
 *
 * Not here: what own lines mean (dialect/cycles/grade.c, dialect/iterate/issues.c and others). */
#include "dialect/prose.h"

#include <string.h>

enum { CODE_COLUMNS = 4, FENCE_SIZE = 3 };

static bool is_blank(char byte) { return byte == ' ' || byte == '\t' || byte == '\r'; }

static struct str unindented(struct str line, uint32_t *columns)
{
    *columns = 0;
    for (; line.size && (line.data[0] == ' ' || line.data[0] == '\t'); line = str_skip(line, 1)) {
        *columns += line.data[0] == ' ' ? 1 : CODE_COLUMNS - *columns % CODE_COLUMNS;
    }
    return line;
}

static size_t run_of(struct str line, char byte)
{
    size_t size = 0;

    while (size < line.size && line.data[size] == byte) size++;
    return size;
}

/* How long a fence the line opens; 0: none. A ` behind ``` makes it words in a paragraph. */
static size_t fence_of(struct str line)
{
    size_t size = line.size ? run_of(line, line.data[0]) : 0;

    if (size < FENCE_SIZE || (line.data[0] != '`' && line.data[0] != '~')) return 0;
    if (line.data[0] == '`' && str_has(str_skip(line, size), '`')) return 0;
    return size;
}

static bool has_word(struct str line, const char *word)
{
    for (; line.size; line = str_skip(line, 1)) {
        if (starts_with_word(line, word)) return true;
    }
    return false;
}

/* What ends the HTML block that the line begins; NULL: it begins none. */
static const char *html_until(struct str line)
{
    static const struct str comment = STR("<!--");
    static const size_t pre = sizeof "<pre" - 1;

    if (line.size == 0 || line.data[0] != '<') return NULL;
    if (str_starts(line, comment)) return "-->";
    if (!starts_with_word(line, "<pre")) return NULL;
    if (line.size > pre && line.data[pre] != '>' && line.data[pre] != ' ' &&
        line.data[pre] != '\t') {
        return NULL;
    }
    return "</pre>";
}

uint32_t prose_heading(struct str line, struct str *text)
{
    size_t level = run_of(line, '#');

    if (level < 1 || level > 6) return 0;
    *text = str_skip(line, level);
    if (text->size && text->data[0] != ' ' && text->data[0] != '\t') return 0;
    *text = str_trim(*text);
    return (uint32_t)level;
}

struct str prose_title(struct str heading)
{
    struct str title = heading;

    while (str_ends(title, STR("#"))) title.size--;
    if (title.size && title.data[title.size - 1] != ' ' && title.data[title.size - 1] != '\t') {
        return heading;
    }
    return str_trim(title);
}

bool prose_item(struct str line, struct str *words, bool *numbered)
{
    size_t digits = text_digits(line);
    struct str rest = str_skip(line, digits);

    if (rest.size == 0 || !rest.data[0] || !strchr(digits ? ".)" : "-*+", rest.data[0])) {
        return false;
    }
    if (rest.size > 1 && rest.data[1] != ' ' && rest.data[1] != '\t') return false;
    *words = str_trim(str_skip(rest, 1));
    *numbered = digits > 0;
    return true;
}

/* Whether a paragraph goes on with this line: it is not empty and begins nothing else. */
static bool is_paragraph(struct str line)
{
    struct str text;

    return line.size && !fence_of(line) && !prose_heading(line, &text) && !html_until(line);
}

/* Whether text behind the marks of a quote can be continued without them. */
static bool is_quoted_paragraph(struct str line)
{
    uint32_t columns = 0;

    while (line.size && line.data[0] == '>' && columns < CODE_COLUMNS) {
        line = str_skip(line, 1);
        if (line.size && line.data[0] == ' ') line = str_skip(line, 1);
        line = unindented(line, &columns);
    }
    return columns < CODE_COLUMNS && is_paragraph(line);
}

/* A line inside a fence or an HTML block, which it may end. */
static void pass_code(struct prose *prose, struct str line, uint32_t columns)
{
    if (prose->until) {
        if (has_word(line, prose->until)) prose->until = NULL;
    } else if (columns < CODE_COLUMNS && run_of(line, prose->fence) == line.size &&
               line.size >= prose->fence_size) {
        prose->fence = 0;
    }
}

static bool opens_code(struct prose *prose, struct str line)
{
    const char *until = html_until(line);
    size_t fence = fence_of(line);

    if (!until && !fence) return false;
    prose->open_line = prose->line;
    if (fence) {
        prose->fence = line.data[0];
        prose->fence_size = fence;
    } else if (!has_word(str_skip(line, strlen("<!--")), until)) {
        prose->until = until;
    }
    return true;
}

bool prose_next(struct prose *prose, struct str *line, enum prose_kind *kind)
{
    static const struct str mark = STR("\xef\xbb\xbf");
    struct str raw, text, words;
    uint32_t columns;
    bool numbered;

    if (prose->line == 0 && str_starts(prose->rest, mark)) {
        prose->rest = str_skip(prose->rest, mark.size);
    }
    if (!str_cut(&prose->rest, '\n', &raw)) return false;
    prose->line++;
    while (raw.size && is_blank(raw.data[raw.size - 1])) raw.size--;
    text = unindented(raw, &columns);
    *line = raw;
    *kind = PROSE_CODE;
    if (prose_is_open(prose)) {
        pass_code(prose, text, columns);
        return true;
    }
    if (prose->quoting && is_paragraph(text) && text.data[0] != '>' &&
        !prose_item(text, &words, &numbered)) {
        *kind = PROSE_QUOTE; /* its paragraph goes on, however it is indented */
        return true;
    }
    prose->quoting = false;
    if (text.size && columns >= CODE_COLUMNS) return true;
    *line = text;
    if (text.size && text.data[0] == '>') {
        prose->quoting = is_quoted_paragraph(text);
        *kind = PROSE_QUOTE;
    } else if (!opens_code(prose, text)) {
        *kind = PROSE_OWN;
    }
    return true;
}

bool prose_is_open(const struct prose *prose)
{
    return prose->fence || prose->until;
}
