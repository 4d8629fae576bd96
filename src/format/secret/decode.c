/* SPDX-License-Identifier: Apache-2.0
 *
 * decode.c - notations undone, in passes over a text.
 *
 *   a\\/b%5Cu0026c --pass--> a/b\u0026c --pass--> a/b&c
 *
 * 1. Linear: a pass looks at a byte at most three times, and there are DECODE_PASSES_MAX of them.
 * 2. Another pass follows only where this one made a byte that may begin a notation.
 * 3. A run of backslashes counts as one: how often a text was escaped does not matter.
 * 4. Marks are in order of `out`, and no two have the same. */
#include "format/secret/decode.h"

#include "base/byte.h"
#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { CODE_DIGITS_MAX = 7, UNIT_BYTES_MAX = 4 };

/* One notation: how many bytes of the text, and what they stand for. */
struct unit {
    size_t in, size;
    char out[UNIT_BYTES_MAX];
};

static uint32_t digit_of(char byte)
{
    return byte_is_digit(byte) ? (uint32_t)(byte - '0') : (uint32_t)(byte_small(byte) - 'a' + 10);
}

/* A number of `digits` digits to base 16 or 8; UINT32_MAX where there is none. */
static uint32_t number_at(struct str text, size_t at, size_t digits, uint32_t base)
{
    uint32_t number = 0;

    if (at + digits > text.size) return UINT32_MAX;
    for (size_t i = at; i < at + digits; i++) {
        if (!byte_is_hex(text.data[i]) || digit_of(text.data[i]) >= base) return UINT32_MAX;
        number = number * base + digit_of(text.data[i]);
    }
    return number;
}

static bool unit_byte(struct unit *unit, size_t in, uint32_t byte)
{
    unit->in = in;
    unit->size = 1;
    unit->out[0] = (char)byte;
    return true;
}

/* A character by its number, as UTF-8. */
static bool unit_code(struct unit *unit, size_t in, uint32_t code)
{
    static const unsigned char leads[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
    size_t size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

    if (size == 1) return unit_byte(unit, in, code);
    unit->in = in;
    unit->size = size;
    for (size_t i = size; i-- > 1; code >>= 6) unit->out[i] = (char)(0x80 | (code & 0x3f));
    unit->out[0] = (char)(leads[size] | (code & 0xff));
    return true;
}

static size_t skip_slashes(struct str text, size_t at)
{
    while (at < text.size && text.data[at] == '\\') at++;
    return at;
}

/* \uXXXX, its u at `at`; of two that make a pair both. */
static bool unicode_at(struct str text, size_t begin, size_t at, struct unit *unit)
{
    uint32_t high = number_at(text, at + 1, 4, 16), low;
    size_t end = at + 5, next;

    if (high == UINT32_MAX) return unit_byte(unit, at + 1 - begin, 'u');
    if (high >= 0xd800 && high < 0xdc00 && end < text.size && text.data[end] == '\\') {
        next = skip_slashes(text, end);
        low = next < text.size && text.data[next] == 'u' ? number_at(text, next + 1, 4, 16) : 0;
        if (low >= 0xdc00 && low < 0xe000) {
            return unit_code(unit, next + 5 - begin,
                             0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
        }
    }
    return unit_code(unit, end - begin, high);
}

static bool slashes_at(struct str text, size_t begin, struct unit *unit)
{
    size_t at = skip_slashes(text, begin);
    uint32_t number;

    if (at == text.size) {
        *unit = (struct unit){ .in = at - begin };
        return true;
    }
    switch (text.data[at]) {
    case 'n':
        return unit_byte(unit, at + 1 - begin, '\n');
    case 'r':
        return unit_byte(unit, at + 1 - begin, '\r');
    case 't':
        return unit_byte(unit, at + 1 - begin, '\t');
    case 'u':
        return unicode_at(text, begin, at, unit);
    case 'x':
        number = number_at(text, at + 1, 2, 16);
        if (number != UINT32_MAX) return unit_byte(unit, at + 3 - begin, number);
        break;
    case '0': case '1': case '2': case '3':
        number = number_at(text, at, 3, 8);
        if (number != UINT32_MAX) return unit_byte(unit, at + 3 - begin, number);
        break;
    default:
        break;
    }
    return unit_byte(unit, at + 1 - begin, (unsigned char)text.data[at]);
}

/* %26, and %2526 which says it once more. */
static bool percent_at(struct str text, size_t begin, struct unit *unit)
{
    size_t at = begin + 1;
    uint32_t number;

    while (at + 4 <= text.size && text.data[at] == '2' && text.data[at + 1] == '5' &&
           number_at(text, at + 2, 2, 16) != UINT32_MAX) {
        at += 2;
    }
    number = number_at(text, at, 2, 16);
    return number != UINT32_MAX && unit_byte(unit, at + 2 - begin, number);
}

/* What stands between & and ;, the ; with it; 0: no such thing. */
static size_t entity_at(struct str text, size_t at, uint32_t *code)
{
    static const struct { struct str name; char byte; } entities[] = {
        { STR("amp;"), '&' }, { STR("lt;"), '<' }, { STR("gt;"), '>' }, { STR("quot;"), '"' },
        { STR("apos;"), '\'' },
    };
    struct str rest = str_skip(text, at < text.size ? at : text.size);
    bool hex = rest.size > 1 && (rest.data[1] == 'x' || rest.data[1] == 'X');
    size_t from = hex ? 2 : 1, end = from;

    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++) {
        *code = (uint32_t)entities[i].byte;
        if (str_starts(rest, entities[i].name)) return entities[i].name.size;
    }
    if (rest.size < 3 || rest.data[0] != '#') return 0;
    for (*code = 0; end < rest.size && end - from < CODE_DIGITS_MAX; end++) {
        if (hex ? !byte_is_hex(rest.data[end]) : !byte_is_digit(rest.data[end])) break;
        *code = *code * (hex ? 16 : 10) + digit_of(rest.data[end]);
    }
    if (end == from || end >= rest.size || rest.data[end] != ';' || *code > 0x10ffff) return 0;
    return end + 1;
}

static bool ampersand_at(struct str text, size_t begin, struct unit *unit)
{
    size_t at = begin + 1, size = entity_at(text, at, &(uint32_t){ 0 });
    uint32_t code = 0, next;

    if (size == 0) return false;
    for (;;) { /* &amp;lt; says it once more */
        size = entity_at(text, at, &code);
        at += size;
        if (code != '&' || entity_at(text, at, &next) == 0) break;
    }
    return unit_code(unit, at - begin, code);
}

/* A quote inside a shell's quotes: '\'' or '"'"', their own quotes escaped or not. */
static bool quote_at(struct str text, size_t begin, struct unit *unit)
{
    size_t at = skip_slashes(text, begin + 1);

    if (at + 1 < text.size && at > begin + 1 && text.data[at] == '\'' &&
        text.data[at + 1] == '\'') {
        return unit_byte(unit, at + 2 - begin, '\'');
    }
    if (at + 1 >= text.size || text.data[at] != '"' || text.data[at + 1] != '\'') return false;
    at = skip_slashes(text, at + 2);
    if (at + 1 >= text.size || text.data[at] != '"' || text.data[at + 1] != '\'') return false;
    return unit_byte(unit, at + 2 - begin, '\'');
}

static bool unit_at(struct str text, size_t at, struct unit *unit)
{
    switch (text.data[at]) {
    case '\\':
        return slashes_at(text, at, unit);
    case '%':
        return percent_at(text, at, unit);
    case '&':
        return ampersand_at(text, at, unit);
    case '\'':
        return quote_at(text, at, unit);
    default:
        return false;
    }
}

/* Whether one of eight bytes is 0 (or, behind such a one, 1). */
static bool has_zero(uint64_t bytes)
{
    return (bytes - 0x0101010101010101u) & ~bytes & 0x8080808080808080u;
}

/* The next byte that may begin a notation. Eight at once where none of them does: %, & and ' are
 * neighbours. */
static size_t next_special(struct str text, size_t at)
{
    static const bool special[256] = { ['\\'] = true, ['%'] = true, ['&'] = true, ['\''] = true };
    uint64_t bytes;

    for (; at + sizeof bytes <= text.size; at += sizeof bytes) {
        memcpy(&bytes, text.data + at, sizeof bytes);
        if (has_zero(bytes ^ 0x5c5c5c5c5c5c5c5cu)) break;
        if (has_zero((bytes & 0xfcfcfcfcfcfcfcfcu) ^ 0x2424242424242424u)) break;
    }
    while (at < text.size && !special[(unsigned char)text.data[at]]) at++;
    return at;
}

/* ---- a pass ---- */

static void mark_push(struct decode_pass *pass, size_t in, bool whole)
{
    struct decode_mark mark = { pass->text.size, in, whole };

    if (pass->count > 0 && pass->marks[pass->count - 1].out == mark.out) {
        pass->marks[pass->count - 1] = mark;
        return;
    }
    if (pass->count == pass->cap) {
        pass->marks = mem_grow(pass->marks, pass->count, &pass->cap, sizeof *pass->marks);
    }
    pass->marks[pass->count++] = mark;
}

static bool may_begin_more(const struct unit *unit)
{
    return unit->size == 1 && strchr("\\%&'", unit->out[0]) && unit->out[0];
}

/* What is read is never longer than the text: there is room. */
static void bytes_push(struct buf *text, const char *bytes, size_t size)
{
    memcpy(text->data + text->size, bytes, size);
    text->size += size;
}

/* Whether anything was undone; then *again: another pass may undo more. */
static bool pass_over(struct decode_pass *pass, struct str text, bool *again)
{
    size_t from = 0;
    struct unit unit;

    *again = false;
    for (size_t at = next_special(text, 0); at < text.size; at = next_special(text, at)) {
        if (!unit_at(text, at, &unit)) {
            at++;
            continue;
        }
        if (pass->count == 0) {
            buf_init(&pass->text, text.size);
            buf_reserve(&pass->text, text.size);
            mark_push(pass, 0, false);
        }
        bytes_push(&pass->text, text.data + from, at - from);
        mark_push(pass, at, true);
        assert(unit.size <= unit.in);
        for (size_t i = 0; i < unit.size; i++) pass->text.data[pass->text.size++] = unit.out[i];
        from = at = at + unit.in;
        mark_push(pass, from, false);
        *again = *again || may_begin_more(&unit);
    }
    if (pass->count == 0) return false;
    bytes_push(&pass->text, text.data + from, text.size - from);
    return true;
}

struct str decode_text(struct decoded *decoded, struct str text)
{
    bool again = true;

    *decoded = (struct decoded){ 0 };
    while (again && decoded->count < DECODE_PASSES_MAX &&
           pass_over(&decoded->passes[decoded->count], text, &again)) {
        text = buf_str(&decoded->passes[decoded->count++].text);
    }
    return text;
}

/* ---- places ---- */

static const struct decode_mark *mark_of(const struct decode_pass *pass, size_t at)
{
    uint32_t low = 0, high = pass->count;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (pass->marks[middle].out <= at) low = middle;
        else high = middle;
    }
    return &pass->marks[low];
}

void decode_place(const struct decoded *decoded, size_t *begin, size_t *end)
{
    for (uint32_t i = decoded->count; i-- > 0;) {
        const struct decode_pass *pass = &decoded->passes[i];
        const struct decode_mark *first = mark_of(pass, *begin), *last = mark_of(pass, *end);

        *begin = first->whole ? first->in : first->in + (*begin - first->out);
        if (last->whole && *end > last->out) *end = last[1].in; /* a unit's end has a mark */
        else *end = last->in + (*end - last->out);
    }
}

void decode_release(struct decoded *decoded)
{
    for (uint32_t i = 0; i < decoded->count; i++) {
        buf_release(&decoded->passes[i].text);
        free(decoded->passes[i].marks);
    }
    *decoded = (struct decoded){ 0 };
}
