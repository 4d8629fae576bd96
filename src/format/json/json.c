/* SPDX-License-Identifier: Apache-2.0
 *
 * json.c - JSON over yyjson.
 *
 * yyjson reads strictly (no comments, no trailing commas, valid UTF-8, exact 64-bit numbers) and
 * without recursion, so no text can hurt it. What it leaves to us is here:
 *
 * 1. A document is at most JSON_DEPTH_MAX levels deep; walkers may recurse over it. Only one that
 *    is read in place may be deeper.
 * 2. An error names a line, counted from 1; of a text read in place, whose line ends may be others
 *    by then, a byte.
 * 3. Every allocation succeeds or ends the program, as everywhere in hone.
 * 4. What is written is valid UTF-8, also where other bytes went in, and holds no character that a
 *    terminal would obey: such ones are written by their numbers.
 *
 * Not here: what the members mean (event_json.c and the dialects). */
#include "format/json/json.h"

#include "base/byte.h"
#include "base/clock.h"
#include "base/mem.h"
#include "format/text/utf8.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void *alc_malloc(void *context, size_t bytes)
{
    (void)context;
    return mem_resize(NULL, bytes);
}

static void *alc_realloc(void *context, void *block, size_t old_bytes, size_t bytes)
{
    (void)context;
    (void)old_bytes;
    return mem_resize(block, bytes);
}

static void alc_free(void *context, void *block)
{
    (void)context;
    free(block);
}

static const yyjson_alc alc = {
    .malloc = alc_malloc, .realloc = alc_realloc, .free = alc_free
};

/* Whether value has more levels than that. Recurses so deep at most. */
static bool is_too_deep(yyjson_val *value, uint32_t levels)
{
    yyjson_arr_iter items;
    yyjson_obj_iter members;
    yyjson_val *next;

    if (!yyjson_is_ctn(value)) return false;
    if (levels == 0) return true;
    items = yyjson_arr_iter_with(value);
    while ((next = yyjson_arr_iter_next(&items))) {
        if (is_too_deep(next, levels - 1)) return true;
    }
    members = yyjson_obj_iter_with(value);
    while ((next = yyjson_obj_iter_next(&members))) {
        if (is_too_deep(yyjson_obj_iter_get_val(next), levels - 1)) return true;
    }
    return false;
}

/* The first bracket of a JSON text that opens a level too many. */
static size_t too_deep_at(struct str text)
{
    uint32_t depth = 0;
    bool quoted = false;
    size_t i = 0;

    for (; i < text.size && depth <= JSON_DEPTH_MAX; i++) {
        char byte = text.data[i];

        if (byte == '"') quoted = !quoted;
        else if (quoted && byte == '\\') i++;
        else if (!quoted && (byte == '[' || byte == '{')) depth++;
        else if (!quoted && (byte == ']' || byte == '}')) depth--;
    }
    return i - 1;
}

static size_t line_of(struct str text, size_t at)
{
    size_t line = 1;

    for (size_t i = 0; i < at && i < text.size; i++) line += text.data[i] == '\n';
    return line;
}

int json_read(struct str text, yyjson_doc **out, struct err *err)
{
    /* Without YYJSON_READ_INSITU the text is only read, though the parameter is not const. */
    char *data = (char *)(uintptr_t)(text.data ? text.data : "");
    yyjson_read_err problem = { 0 };

    *out = NULL;
    if (str_trim(text).size == 0) return err_set(err, ERR_FORMAT, "line 1: there is no JSON here");
    *out = yyjson_read_opts(data, text.size, YYJSON_READ_NOFLAG, &alc, &problem);
    if (!*out) {
        return err_set(err, ERR_FORMAT, "line %zu: %s", line_of(text, problem.pos),
                       problem.msg);
    }
    if (is_too_deep(yyjson_doc_get_root(*out), JSON_DEPTH_MAX)) {
        yyjson_doc_free(*out);
        *out = NULL;
        return err_set(err, ERR_FORMAT, "line %zu: nested deeper than %d levels",
                       line_of(text, too_deep_at(text)), JSON_DEPTH_MAX);
    }
    return 0;
}

/* The value of \uXXXX at the start of the text, or 0 where there is none. */
static uint32_t escaped_unit(struct str text)
{
    uint32_t unit = 0;

    if (text.size < 6 || text.data[0] != '\\' || text.data[1] != 'u') return 0;
    for (int i = 2; i < 6; i++) {
        char byte = text.data[i];

        if (byte_is_digit(byte)) unit = unit << 4 | (uint32_t)(byte - '0');
        else if ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'f')
            unit = unit << 4 | (uint32_t)((byte | 0x20) - 'a' + 10);
        else return 0;
    }
    return unit;
}

/* Makes \ufffd of each half of a pair of \uXXXX that has no other half. JavaScript writes such
 * halves where a text was cut, and the parser has no option to take them. */
static void mend_halves(struct buf *text)
{
    struct str rest = buf_str(text);
    const char *at;

    if (!memmem(rest.data, rest.size, "\\ud", 3) && !memmem(rest.data, rest.size, "\\uD", 3)) {
        return;
    }
    while (rest.size && (at = memchr(rest.data, '\\', rest.size))) {
        uint32_t unit, next;

        rest = str_skip(rest, (size_t)(at - rest.data));
        unit = escaped_unit(rest);
        next = escaped_unit(str_skip(rest, 6));
        if (unit >= 0xd800 && unit < 0xdc00 && next >= 0xdc00 && next < 0xe000) {
            rest = str_skip(rest, 12);
        } else {
            if (unit >= 0xd800 && unit < 0xe000) {
                memcpy(text->data + (rest.data - text->data) + 2, "fffd", 4);
            }
            rest = str_skip(rest, 2);
        }
    }
}

bool json_is_too_deep(yyjson_val *value)
{
    return is_too_deep(value, JSON_DEPTH_MAX);
}

int json_read_in_place(struct buf *text, yyjson_doc **out, struct err *err)
{
    yyjson_read_err problem = { 0 };

    *out = NULL;
    if (str_trim(buf_str(text)).size == 0) {
        return err_set(err, ERR_FORMAT, "there is no JSON here");
    }
    if (buf_reserve(text, YYJSON_PADDING_SIZE) != 0) {
        return err_set(err, ERR_LIMIT, "the text is too long to be read in place");
    }
    memset(text->data + text->size, 0, YYJSON_PADDING_SIZE);
    mend_halves(text);
    *out = yyjson_read_opts(text->data, text->size,
                            YYJSON_READ_INSITU | YYJSON_READ_ALLOW_INVALID_UNICODE, &alc,
                            &problem);
    if (*out) return 0;
    return err_set(err, ERR_FORMAT, "byte %zu: %s", problem.pos + 1, problem.msg);
}

bool json_find_duplicate(yyjson_val *object, struct str *name)
{
    size_t count = yyjson_obj_size(object);
    struct str *keys;
    yyjson_obj_iter members = yyjson_obj_iter_with(object);
    yyjson_val *key;
    bool found = false;
    size_t i = 0;

    if (count < 2) return false;
    keys = mem_alloc(count * sizeof *keys);
    while ((key = yyjson_obj_iter_next(&members))) {
        keys[i++] = (struct str){ yyjson_get_str(key), yyjson_get_len(key) };
    }
    assert(i == count);
    qsort(keys, count, sizeof *keys, str_order);
    for (i = 1; i < count && !found; i++) {
        found = str_eq(keys[i - 1], keys[i]);
        if (found) *name = keys[i];
    }
    free(keys);
    return found;
}

bool json_has_duplicates(yyjson_val *object)
{
    struct str name;

    return json_find_duplicate(object, &name);
}

struct str json_value(yyjson_val *value)
{
    return (struct str){ yyjson_get_str(value), yyjson_is_str(value) ? yyjson_get_len(value) : 0 };
}

struct str json_str(yyjson_val *object, const char *key)
{
    return json_value(yyjson_obj_get(object, key));
}

bool json_uint(yyjson_val *object, const char *key, uint64_t *out)
{
    yyjson_val *value = yyjson_obj_get(object, key);

    if (!yyjson_is_uint(value)) return false;
    *out = yyjson_get_uint(value);
    return true;
}

yyjson_mut_doc *json_new(void)
{
    return yyjson_mut_doc_new(&alc);
}

yyjson_mut_val *json_object(yyjson_mut_doc *doc)
{
    yyjson_mut_val *object = yyjson_mut_obj(doc);

    yyjson_mut_doc_set_root(doc, object);
    return object;
}

/* Appends bytes with U+FFFD for each byte that belongs to no character. */
static void add_mended(struct buf *out, struct str bytes)
{
    while (bytes.size) {
        size_t good = utf8_prefix(bytes);

        buf_add(out, (struct str){ bytes.data, good });
        bytes = str_skip(bytes, good);
        if (bytes.size) {
            buf_text(out, "\xef\xbf\xbd");
            bytes = str_skip(bytes, 1);
        }
    }
}

yyjson_mut_val *json_text(yyjson_mut_doc *doc, struct str bytes)
{
    struct buf mended;
    yyjson_mut_val *value;

    buf_init(&mended, bytes.size * 3);
    if (utf8_prefix(bytes) < bytes.size) {
        add_mended(&mended, bytes);
        assert(!mended.overflow);
        bytes = buf_str(&mended);
    }
    value = yyjson_mut_strncpy(doc, bytes.data ? bytes.data : "", bytes.size);
    assert(value);
    buf_release(&mended);
    return value;
}

void json_add_text(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key, struct str bytes)
{
    yyjson_mut_obj_add_val(doc, object, key, json_text(doc, bytes));
}

void json_add(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key, const char *text)
{
    json_add_text(doc, object, key, str_of(text));
}

void json_add_some(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key, struct str bytes)
{
    if (bytes.size) json_add_text(doc, object, key, bytes);
}

void json_add_time(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key, uint64_t ms)
{
    char text[CLOCK_ISO_BYTES];

    yyjson_mut_obj_add_strcpy(doc, object, key, clock_iso(ms, text));
}

/* What a terminal obeys, or shows in another order. All of it stands in strings. */
static bool is_control(uint32_t code)
{
    return (code >= 0x7f && code <= 0x9f) || code == 0x61c || code == 0x200e || code == 0x200f ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

/* Whether the byte at this place ends "##[", with which a command of a service that reads logs may
 * begin, wherever it stands in a line. In JSON that is in a string. */
static bool is_command(struct str text, size_t at)
{
    return text.data[at] == '[' && at >= 2 && text.data[at - 1] == '#' && text.data[at - 2] == '#';
}

/* Appends JSON with such characters by their numbers. */
static void add_harmless(struct buf *out, struct str text)
{
    size_t plain = 0;
    uint32_t code;

    while (plain < text.size) {
        unsigned char byte = (unsigned char)text.data[plain];
        size_t bytes = 1;

        code = byte;
        if (byte >= 0x80) bytes = utf8_next(str_skip(text, plain), &code);
        if ((byte >= 0x7f && is_control(code)) || is_command(text, plain)) {
            buf_add(out, (struct str){ text.data, plain });
            buf_printf(out, "\\u%04x", (unsigned)code);
            text = str_skip(text, plain + bytes);
            plain = 0;
        } else {
            plain += bytes;
        }
    }
    buf_add(out, text);
}

void json_write(yyjson_mut_doc *doc, bool pretty, struct buf *out)
{
    yyjson_write_flag flags = YYJSON_WRITE_NOFLAG;
    size_t size;
    char *text;

    if (pretty) flags = YYJSON_WRITE_PRETTY_TWO_SPACES | YYJSON_WRITE_NEWLINE_AT_END;
    text = yyjson_mut_write_opts(doc, flags, &alc, &size, NULL);
    if (!text) {
        struct buf mended;

        flags |= YYJSON_WRITE_ALLOW_INVALID_UNICODE | YYJSON_WRITE_INF_AND_NAN_AS_NULL;
        text = yyjson_mut_write_opts(doc, flags, &alc, &size, NULL);
        assert(text); /* a document without a root */
        buf_init(&mended, 3 * size);
        add_mended(&mended, (struct str){ text, size });
        add_harmless(out, buf_str(&mended));
        buf_release(&mended);
    } else {
        add_harmless(out, (struct str){ text, size });
    }
    free(text);
}

void json_finish(yyjson_mut_doc *doc, bool pretty, struct buf *out)
{
    json_write(doc, pretty, out);
    yyjson_mut_doc_free(doc);
}

struct str json_keep(yyjson_mut_doc *doc, bool pretty, struct arena *arena)
{
    struct buf text;

    buf_init(&text, SIZE_MAX / 2); /* what is in the document has its own bounds */
    json_finish(doc, pretty, &text);
    return arena_take(arena, &text);
}
