/* SPDX-License-Identifier: Apache-2.0
 *
 * flat_config.c - `key: value` lines, read line by line and never twice.
 *
 * The files are Markdown by name: lines of --- and ``` around the settings are passed over.
 *
 * 1. Any text is read to its end, with at most VALUES_MAX values and PROBLEMS_MAX problems. */
#include "format/json/flat_config.h"

#include "base/buf.h"
#include "base/byte.h"
#include "format/text/words.h"

enum { VALUES_MAX = 2000, PROBLEMS_MAX = 200 };

struct reader {
    struct str rest;
    uint32_t line;
    struct arena *arena;
    struct flat_config *out;
};

static void problem(struct reader *reader, const char *text)
{
    struct flat_config *out = reader->out;

    if (out->problem_count == PROBLEMS_MAX) return;
    out->problems = arena_grow(reader->arena, out->problems, out->problem_count,
                               &out->problem_cap, sizeof *out->problems);
    out->problems[out->problem_count++] = (struct flat_problem){ reader->line, text };
}

static void add_value(struct reader *reader, struct flat_value value)
{
    struct flat_config *out = reader->out;

    if (out->count == VALUES_MAX) {
        problem(reader, "there are too many settings; this one is left out");
        return;
    }
    for (uint32_t i = 0; i < out->count; i++) {
        if (str_eq(out->values[i].key, value.key)) out->values[i].replaced = true;
    }
    value.key = arena_copy(reader->arena, value.key);
    value.text = arena_copy(reader->arena, value.text);
    out->values = arena_grow(reader->arena, out->values, out->count, &out->cap,
                             sizeof *out->values);
    out->values[out->count++] = value;
}

/* ---- one line ---- */

static size_t indent_of(struct str line)
{
    size_t size = 0;

    while (size < line.size && (line.data[size] == ' ' || line.data[size] == '\t')) size++;
    return size;
}

static bool is_key_byte(char byte)
{
    return byte_is_alnum(byte) || byte == '_' || byte == '-' || byte == '.';
}

/* Cuts "key:" off a line. */
static bool cut_key(struct str *line, struct str *key)
{
    size_t size = 0;

    while (size < line->size && is_key_byte(line->data[size])) size++;
    *key = (struct str){ line->data, size };
    while (size < line->size && line->data[size] == ' ') size++;
    if (key->size == 0 || size == line->size || line->data[size] != ':') return false;
    *line = str_trim(str_skip(*line, size + 1));
    return true;
}

static bool is_comment_or_empty(struct str text)
{
    text = str_trim(text);
    return text.size == 0 || text.data[0] == '#';
}

/* Up to a # with a blank in front of it. */
static struct str without_comment(struct str text)
{
    for (size_t i = 0; i < text.size; i++) {
        bool begins = i == 0 || text.data[i - 1] == ' ' || text.data[i - 1] == '\t';
        if (text.data[i] == '#' && begins) return str_trim((struct str){ text.data, i });
    }
    return str_trim(text);
}

static char escaped(char byte)
{
    return byte == 'n' ? '\n' : byte == 't' ? '\t' : byte == 'r' ? '\r' : byte;
}

/* The text in quotes at the front of value, with nothing but a comment behind it. */
static bool read_quoted(struct reader *reader, struct str value, struct buf *out)
{
    char quote = value.data[0];
    size_t i = 1;

    for (; i < value.size; i++) {
        bool more = i + 1 < value.size;

        if (quote == '"' && value.data[i] == '\\' && more) {
            buf_byte(out, escaped(value.data[++i]));
        } else if (quote == '\'' && value.data[i] == quote && more && value.data[i + 1] == quote) {
            buf_byte(out, value.data[++i]);
        } else if (value.data[i] == quote) {
            break;
        } else {
            buf_byte(out, value.data[i]);
        }
    }
    if (i >= value.size) {
        problem(reader, "a quote is not closed; the line is left out");
        return false;
    }
    if (!is_comment_or_empty(str_skip(value, i + 1))) {
        problem(reader, "there is more behind the closing quote; the line is left out");
        return false;
    }
    return true;
}

/* ---- blocks ---- */

static bool is_block(struct str value)
{
    value = without_comment(value);
    return str_is(value, "|") || str_is(value, "|-") || str_is(value, "|+");
}

/* Takes the lines that are empty or indented more than the key. */
static void read_block(struct reader *reader, size_t key_indent, struct buf *out)
{
    size_t indent = 0; /* of the first line that is not empty */
    size_t end = 0;    /* behind the last one */

    while (reader->rest.size) {
        struct str rest = reader->rest, line;
        size_t own;

        (void)str_cut(&rest, '\n', &line);
        own = indent_of(line);
        if (str_trim(line).size && own <= key_indent) break;
        reader->rest = rest;
        reader->line++;
        if (str_trim(line).size == 0) {
            if (indent) buf_byte(out, '\n');
            continue;
        }
        if (!indent) indent = own;
        buf_add(out, text_bare(str_skip(line, own < indent ? own : indent), "", " \t\r"));
        end = out->size;
        buf_byte(out, '\n');
    }
    out->size = end;
}

/* ---- the whole ---- */

static void read_line(struct reader *reader, struct str line)
{
    struct str value = str_trim(line), key;
    struct flat_value found = { .line = reader->line };
    struct buf text;
    bool good = true;

    if (is_comment_or_empty(value) || str_is(value, "---") || str_starts(value, STR("```"))) return;
    if (!cut_key(&value, &key)) {
        problem(reader, "this is no setting: write 'key: value', or # in front of a comment");
        return;
    }
    buf_init(&text, SIZE_MAX / 2);
    found.key = key;
    if (value.size && (value.data[0] == '"' || value.data[0] == '\'')) {
        good = read_quoted(reader, value, &text);
    } else if (is_block(value)) {
        read_block(reader, indent_of(line), &text);
    } else {
        buf_add(&text, without_comment(value));
    }
    found.text = buf_str(&text);
    if (good) add_value(reader, found);
    buf_release(&text);
}

void flat_config_read(struct str text, struct arena *arena, struct flat_config *out)
{
    static const struct str mark = STR("\xef\xbb\xbf");
    struct reader reader = { .rest = text, .arena = arena, .out = out };
    struct str line;

    *out = (struct flat_config){ 0 };
    if (str_starts(text, mark)) reader.rest = str_skip(text, mark.size);
    while (str_cut(&reader.rest, '\n', &line)) {
        reader.line++;
        read_line(&reader, line);
    }
}

const struct flat_value *flat_config_find(const struct flat_config *config, const char *key)
{
    for (uint32_t i = config->count; i-- > 0;) {
        if (str_is(config->values[i].key, key)) return &config->values[i];
    }
    return NULL;
}
