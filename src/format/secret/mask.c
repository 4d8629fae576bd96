/* SPDX-License-Identifier: Apache-2.0
 *
 * mask.c - where the secrets of a text are, and the text without them.
 *
 *   text --(\n, \r, \t of JSON strings become blanks)--> as many bytes --> secret.h --.
 *     '---------------------- values that are known, byte by byte ----------------------+--> spans
 *
 * 1. What is looked at has as many bytes as the text: a span in one is a span in the other.
 * 2. Spans are in order and do not touch.
 * 3. A quote that ends a string of JSON is never masked, nor half an escape: see span_add().
 *
 * A key in PEM may stand in several strings, one for each line. Between them the quotes stay. */
#include "format/secret/mask.h"

#include "base/byte.h"
#include "base/mem.h"
#include "format/secret/secret.h"

#include <stdlib.h>
#include <string.h>

enum {
    VALUE_BYTES_MIN = 8,     /* of a credential: shorter ones are words of every text */
    NAME_BYTES_MAX = 60,
    KEY_LINE_BYTES_MIN = 24, /* of base64 between quotes: a line of a key, and no name */
    UNICODE_BYTES = 6,       /* of \uXXXX */
    TAIL_BYTES = 32 << 10,   /* of a piece: where a key may have begun that ends in the next */
};

/* ---- credentials ---- */

static char upper(char byte)
{
    return byte_is_small(byte) ? (char)(byte - 'a' + 'A') : byte;
}

static bool holds(struct str name, const char *word)
{
    size_t size = strlen(word);

    for (size_t at = 0; at + size <= name.size; at++) {
        size_t same = 0;
        while (same < size && upper(name.data[at + same]) == word[same]) same++;
        if (same == size) return true;
    }
    return false;
}

/* Whether the name is the word, or ends with it behind a _. */
static bool ends_with(struct str name, const char *word)
{
    size_t size = strlen(word);

    if (name.size < size || !holds(str_skip(name, name.size - size), word)) return false;
    return name.size == size || name.data[name.size - size - 1] == '_';
}

/* Whether it may have been made at random: its bytes are not all of one kind. */
static bool is_mixed(struct str value)
{
    bool lower = false, capital = false, digit = false, other = false;

    for (size_t i = 0; i < value.size; i++) {
        char byte = value.data[i];
        if (byte_is_small(byte)) lower = true;
        else if (byte_is_capital(byte)) capital = true;
        else if (byte_is_digit(byte)) digit = true;
        else other = true;
    }
    return lower + capital + digit + other > 1;
}

static bool is_number(struct str value)
{
    for (size_t i = 0; i < value.size; i++) {
        if (!strchr("0123456789.+-eE", value.data[i])) return false;
    }
    return true;
}

static bool is_sure_name(struct str name)
{
    static const char *const sure[] = { "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE",
                                        "CREDENTIAL", NULL };

    for (const char *const *word = sure; *word; word++) {
        if (holds(name, *word)) return true;
    }
    return false;
}

bool mask_is_secret_name(struct str name)
{
    static const char *const tails[] = { "KEY", "APIKEY", "AUTH", "PASS", "PAT", "PWD", "COOKIE",
                                         NULL };

    if (str_is(name, "PWD") || str_is(name, "OLDPWD")) return false;
    for (const char *const *word = tails; *word; word++) {
        if (ends_with(name, *word)) return true;
    }
    return is_sure_name(name);
}

static bool is_credential(struct str name, struct str value)
{
    if (value.size < VALUE_BYTES_MIN || is_number(value)) return false;
    if (value.data[0] == '/' || value.data[0] == '~' || value.data[0] == '.') return false;
    if (!mask_is_secret_name(name)) return false;
    return is_sure_name(name) || is_mixed(value);
}

static void learn(struct mask *mask, const char *name, struct str value)
{
    mask->values = mem_grow(mask->values, mask->count, &mask->cap, sizeof *mask->values);
    mask->values[mask->count++] = (struct mask_value){ name, arena_copy(&mask->arena, value) };
}

/* As it stands in a string of JSON, where that is something else. */
static void learn_escaped(struct mask *mask, const char *name, struct str value)
{
    struct buf text;

    buf_init(&text, 2 * value.size + 1);
    for (size_t i = 0; i < value.size; i++) {
        if (value.data[i] == '"' || value.data[i] == '\\') buf_byte(&text, '\\');
        buf_byte(&text, value.data[i]);
    }
    if (text.size > value.size) learn(mask, name, buf_str(&text));
    buf_release(&text);
}

/* What stands for a credential is its name, where that is one that can stand anywhere. */
static const char *shown_name(struct mask *mask, struct str name)
{
    if (name.size > NAME_BYTES_MAX) return "credential";
    for (size_t i = 0; i < name.size; i++) {
        char byte = upper(name.data[i]);
        if (byte != '_' && !byte_is_capital(byte) && !byte_is_digit(byte)) {
            return "credential";
        }
    }
    return arena_cstr(&mask->arena, name);
}

void mask_learn(struct mask *mask, const char *const *environment)
{
    for (uint32_t i = 0; environment && environment[i]; i++) {
        struct str value = str_of(environment[i]), name;

        if (!str_cut(&value, '=', &name) || !is_credential(name, value)) continue;
        learn(mask, shown_name(mask, name), value);
        learn_escaped(mask, mask->values[mask->count - 1].name, value);
    }
}

void mask_release(struct mask *mask)
{
    free(mask->values);
    arena_release(&mask->arena);
    *mask = (struct mask){ 0 };
}

/* ---- spans ---- */

struct span {
    size_t begin, end;
    const char *name;
    bool known; /* the value of a credential: secret in any form */
};

struct spans {
    struct span *items;
    uint32_t count, cap;
};

/* Whether the byte at `at` is the second of an escape. */
static bool is_escaped(struct str text, size_t at)
{
    size_t slashes = 0;

    while (slashes < at && text.data[at - slashes - 1] == '\\') slashes++;
    return slashes % 2 == 1;
}

/* Where the \uXXXX begins that the byte at `at` lies in, not as its first; text.size: in none. */
static size_t unicode_around(struct str text, size_t at)
{
    for (size_t back = 1; back < UNICODE_BYTES && back <= at; back++) {
        struct str rest = str_skip(text, at - back);
        bool whole = rest.size >= UNICODE_BYTES && str_starts(rest, STR("\\u"));

        for (size_t i = 2; whole && i < UNICODE_BYTES; i++) whole = byte_is_hex(rest.data[i]);
        if (whole && !is_escaped(text, at - back)) return at - back;
    }
    return text.size;
}

static void spans_push(struct spans *spans, size_t begin, size_t end, const char *name)
{
    if (begin >= end) return;
    spans->items = mem_grow(spans->items, spans->count, &spans->cap, sizeof *spans->items);
    spans->items[spans->count++] = (struct span){ begin, end, name, false };
}

static bool is_key_line(struct str piece)
{
    size_t run = 0;

    for (size_t i = 0; i < piece.size && run < KEY_LINE_BYTES_MIN; i++) {
        char byte = upper(piece.data[i]);
        bool base64 = byte_is_capital(byte) || byte_is_digit(byte) || byte == '+' ||
                      byte == '/' || byte == '=';
        run = base64 ? run + 1 : 0;
    }
    return run == KEY_LINE_BYTES_MIN;
}

/* Quotes in it may be those of JSON: what stands behind the first one is masked only where it can
 * be nothing else than a line of a key. A character by its number goes as a whole. */
static void span_add(struct spans *spans, struct str text, struct span span)
{
    size_t from = span.begin, around = unicode_around(text, from);

    if (around < text.size) from = around;
    else if (from > 0 && from < span.end && is_escaped(text, from)) from++;
    for (size_t at = from; at <= span.end; at++) {
        bool last = at == span.end;
        size_t to = at;

        if (!last && (text.data[at] != '"' || is_escaped(text, at))) continue;
        around = last ? unicode_around(text, at) : text.size;
        if (around < text.size) to = around + UNICODE_BYTES;
        else if (last && at > from && at < text.size && is_escaped(text, at)) to--;
        if (span.known || from <= span.begin + 1 ||
            is_key_line((struct str){ text.data + from, to - from })) {
            spans_push(spans, from, to, span.name);
        }
        from = at + 1;
    }
}

static int span_compare(const void *a, const void *b)
{
    const struct span *left = a, *right = b;

    return left->begin < right->begin ? -1 : left->begin > right->begin;
}

static void spans_merge(struct spans *spans)
{
    uint32_t kept = 0;

    if (spans->count > 1) qsort(spans->items, spans->count, sizeof *spans->items, span_compare);
    for (uint32_t i = 0; i < spans->count; i++) {
        struct span *last = kept ? &spans->items[kept - 1] : NULL;
        if (last && spans->items[i].begin <= last->end) {
            if (spans->items[i].end > last->end) last->end = spans->items[i].end;
        } else {
            spans->items[kept++] = spans->items[i];
        }
    }
    spans->count = kept;
}

/* ---- looking ---- */

/* A copy in which an escaped line end or tab is a blank one: a token behind it begins a word. NULL
 * where there is none. */
static char *flat_copy(struct str text)
{
    const char *slash = text.size ? memchr(text.data, '\\', text.size) : NULL;
    char *flat;

    if (!slash) return NULL;
    flat = mem_copy(text.data, text.size);
    for (size_t at = (size_t)(slash - text.data); at < text.size;) {
        size_t end = at;
        const char *next;

        while (end < text.size && flat[end] == '\\') end++;
        if (end < text.size && strchr("nrt", flat[end]) && flat[end]) {
            flat[end] = flat[end] == 't' ? ' ' : '\n';
            memset(flat + at, ' ', end - at);
        }
        next = end < text.size ? memchr(flat + end, '\\', text.size - end) : NULL;
        at = next ? (size_t)(next - flat) : text.size;
    }
    return flat;
}

static void find_forms(struct str text, bool one, struct spans *spans)
{
    char *flat = flat_copy(text);
    struct secret_walk walk = { .text = { flat ? flat : text.data, text.size } };
    struct secret secret;

    while (!(one && spans->count) && secret_next(&walk, &secret)) {
        span_add(spans, text, (struct span){ secret.begin, secret.end, secret.kind, false });
    }
    free(flat);
}

static void find_value(const struct mask_value *value, struct str text, bool one,
                       struct spans *spans)
{
    size_t at = 0;
    const char *hit;

    while (!(one && spans->count) && at < text.size &&
           (hit = memmem(text.data + at, text.size - at, value->value.data, value->value.size))) {
        size_t begin = (size_t)(hit - text.data);
        at = begin + value->value.size;
        span_add(spans, text, (struct span){ begin, at, value->name, true });
    }
}

bool mask_text(const struct mask *mask, struct str text, struct buf *out)
{
    struct spans spans = { 0 };
    size_t from = 0;
    bool found;

    for (uint32_t i = 0; i < mask->count; i++) find_value(&mask->values[i], text, !out, &spans);
    find_forms(text, !out, &spans);
    found = spans.count > 0;
    if (found && out) {
        spans_merge(&spans);
        for (uint32_t i = 0; i < spans.count; i++) {
            const struct span *span = &spans.items[i];
            buf_add(out, (struct str){ text.data + from, span->begin - from });
            buf_printf(out, "[%s masked]", span->name);
            from = span->end;
        }
        buf_add(out, str_skip(text, from));
    }
    free(spans.items);
    return found;
}

struct str mask_copy(const struct mask *mask, struct str text, struct arena *arena)
{
    struct buf masked;

    if (!mask_text(mask, text, NULL)) return text;
    buf_init(&masked, SIZE_MAX / 2);
    mask_text(mask, text, &masked);
    return arena_take(arena, &masked);
}

/* ---- pieces ---- */

static size_t behind_last(struct str piece, size_t from, const char *bytes)
{
    for (size_t at = piece.size; at > from; at--) {
        if (piece.data[at - 1] && strchr(bytes, piece.data[at - 1])) return at;
    }
    return 0;
}

size_t mask_cut(struct str piece)
{
    static const struct str begin = STR("-----BEGIN "), end = STR("-----END ");
    size_t from = piece.size > TAIL_BYTES ? piece.size - TAIL_BYTES : 0;
    size_t cut = behind_last(piece, piece.size / 2, "\n");
    const char *key = NULL, *next = piece.data + from;

    if (cut == 0) cut = behind_last(piece, from, " ,;");
    if (cut == 0) cut = piece.size;
    while (next && (next = memmem(next, (size_t)(piece.data + piece.size - next), begin.data,
                                  begin.size))) {
        key = next;
        next += begin.size;
    }
    if (!key || key == piece.data || key >= piece.data + cut) return cut;
    if (memmem(key, (size_t)(piece.data + cut - key), end.data, end.size)) return cut;
    return (size_t)(key - piece.data);
}
