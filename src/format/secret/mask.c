/* SPDX-License-Identifier: Apache-2.0
 *
 * mask.c - where the secrets of a text are, and the text without them.
 *
 *   text --------------------------------> values that are known (known.h) --+--> spans
 *     '--> what it reads (decode.h) --+--> values that are known ------------+
 *                                     '--> forms of secrets (secret.h) ------'
 *
 * A value is known as it is, as decode.h reads it, in base64 behind 0, 1 or 2 other bytes (the
 * usual letters and those of addresses) and in hex. Not known: base64 that is broken into lines, a
 * value in base64 twice, a + for a blank, a value that is cut in two or turned into something else.
 *
 * 1. A span in what a text reads is brought back to the text: whole notations.
 * 2. Spans are in order and do not touch.
 * 3. A quote that ends a string of JSON is never masked, nor half an escape: see span_add().
 *
 * A key in PEM may stand in several strings, one for each line. Between them the quotes stay. */
#include "format/secret/mask.h"

#include "base/byte.h"
#include "base/mem.h"
#include "format/secret/decode.h"
#include "format/secret/known.h"
#include "format/secret/secret.h"

#include <stdlib.h>
#include <string.h>

enum {
    VALUE_BYTES_MIN = KNOWN_BYTES_MIN, /* of a credential: shorter ones are words of every text */
    NAME_BYTES_MAX = 60,
    KEY_LINE_BYTES_MIN = 24, /* of base64 between quotes: a line of a key, and no name */
    UNICODE_BYTES = 6,       /* of \uXXXX */
    PATH_BYTES_MAX = 4096,
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

bool mask_is_path(struct str value, mask_exists *exists)
{
    char path[PATH_BYTES_MAX];

    if (str_starts(value, STR("~/")) || str_starts(value, STR("./"))) return true;
    if (str_starts(value, STR("../"))) return true;
    if (value.size == 0 || value.data[0] != '/' || value.size >= sizeof path) return false;
    memcpy(path, value.data, value.size);
    path[value.size] = '\0';
    return exists && exists(path);
}

static bool is_credential(struct str name, struct str value, mask_exists *exists)
{
    if (value.size < VALUE_BYTES_MIN || is_number(value)) return false;
    if (!mask_is_secret_name(name)) return false;
    if (!is_sure_name(name) && !is_mixed(value)) return false;
    return !mask_is_path(value, exists);
}

static void learn(struct mask *mask, const char *name, struct str value)
{
    known_add(mask->known, arena_copy(&mask->arena, value), name);
}

/* As it reads where the text around it is read (decode.h). */
static void learn_read(struct mask *mask, const char *name, struct str value)
{
    struct decoded decoded;

    learn(mask, name, decode_text(&decoded, value));
    decode_release(&decoded);
}

/* In base64 behind `before` other bytes: the letters that are made of its bits alone. */
static void learn_base64(struct mask *mask, const char *name, struct str value, size_t before,
                         const char *letters)
{
    size_t from = (8 * before + 5) / 6, to = 8 * (before + value.size) / 6;
    struct buf text;

    buf_init(&text, 2 * value.size);
    for (size_t letter = from; letter < to; letter++) {
        uint32_t bits = 0;
        for (size_t bit = 6 * letter; bit < 6 * letter + 6; bit++) {
            unsigned char byte = (unsigned char)value.data[bit / 8 - before];
            bits = bits << 1 | (byte >> (7 - bit % 8) & 1u);
        }
        buf_byte(&text, letters[bits]);
    }
    learn(mask, name, buf_str(&text));
    buf_release(&text);
}

static void learn_hex(struct mask *mask, const char *name, struct str value, const char *digits)
{
    struct buf text;

    buf_init(&text, 2 * value.size);
    for (size_t i = 0; i < value.size; i++) {
        buf_byte(&text, digits[(unsigned char)value.data[i] >> 4]);
        buf_byte(&text, digits[(unsigned char)value.data[i] & 0xf]);
    }
    learn(mask, name, buf_str(&text));
    buf_release(&text);
}

static void learn_notations(struct mask *mask, const char *name, struct str value)
{
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    learn(mask, name, value);
    learn_read(mask, name, value);
    for (size_t before = 0; before < 3; before++) {
        learn_base64(mask, name, value, before, LETTERS "+/");
        learn_base64(mask, name, value, before, LETTERS "-_");
    }
    learn_hex(mask, name, value, "0123456789abcdef");
    learn_hex(mask, name, value, "0123456789ABCDEF");
#undef LETTERS
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

void mask_learn(struct mask *mask, const char *const *environment, mask_exists *exists)
{
    for (uint32_t i = 0; environment && environment[i]; i++) {
        struct str value = str_of(environment[i]), name;

        if (!str_cut(&value, '=', &name) || !is_credential(name, value, exists)) continue;
        if (!mask->known) mask->known = mem_alloc(sizeof *mask->known);
        learn_notations(mask, shown_name(mask, name), value);
    }
}

void mask_release(struct mask *mask)
{
    if (mask->known) known_release(mask->known);
    free(mask->known);
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

/* What a text reads, and where it came from. */
struct reading {
    struct str text;  /* as it is */
    struct str reads; /* the same, or with its notations undone */
    struct decoded decoded;
    bool one;         /* the first secret is enough */
};

static void span_read(struct reading *reading, struct spans *spans, struct span span)
{
    decode_place(&reading->decoded, &span.begin, &span.end);
    span_add(spans, reading->text, span);
}

static void find_forms(struct reading *reading, struct spans *spans)
{
    struct secret_walk walk = { .text = reading->reads };
    struct secret secret;

    while (!(reading->one && spans->count) && secret_next(&walk, &secret)) {
        span_read(reading, spans, (struct span){ secret.begin, secret.end, secret.kind, false });
    }
}

static void find_values(const struct known *known, struct reading *reading, struct spans *spans)
{
    struct str found;
    const char *name;
    size_t at = 0;

    while (!(reading->one && spans->count) &&
           known_next(known, reading->text, &at, &found, &name)) {
        size_t begin = (size_t)(found.data - reading->text.data);
        span_add(spans, reading->text, (struct span){ begin, begin + found.size, name, true });
    }
    if (reading->decoded.count == 0) return;
    at = 0;
    while (!(reading->one && spans->count) &&
           known_next(known, reading->reads, &at, &found, &name)) {
        size_t begin = (size_t)(found.data - reading->reads.data);
        span_read(reading, spans, (struct span){ begin, begin + found.size, name, true });
    }
}

bool mask_text(const struct mask *mask, struct str text, struct buf *out)
{
    struct spans spans = { 0 };
    struct reading reading = { .text = text, .one = !out };
    size_t from = 0;
    bool found;

    reading.reads = decode_text(&reading.decoded, text);
    if (mask->known) find_values(mask->known, &reading, &spans);
    find_forms(&reading, &spans);
    decode_release(&reading.decoded);
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
