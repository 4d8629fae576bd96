/* SPDX-License-Identifier: Apache-2.0
 *
 * includes.c - the files that a source reads: include directives of C, words behind "." and
 * "source" of a shell.
 *
 * C: a small lexer. Comments, literals, words, and a "#" that is the first thing on its line. It
 * has to know the others only to skip them: a comment holds no string, and a string no comment. A
 * line break behind a backslash is not there, as in the language; between the two may be blanks, as
 * gcc has it.
 *
 * 1. Each byte of a text is looked at a bounded number of times.
 * 2. A quote that is not closed ends with its line: the text may stand under #if 0, where
 *    apostrophes are words of people.
 * 3. Behind the last "#" that could begin such a directive nothing is read: includes stand at the
 *    top of a file, and most of it is skipped; but not where __has_include stands in it.
 *
 * Shell: a word is read as a shell would: quotes are taken off, and what is put in at run time ($x,
 * ${x}, $(x), `x`) is left out. Where that stands in front of the last slash the name behind it is
 * still known, and programs that follow sources look for it: "$(dirname "$0")/lib.sh" is lib.sh.
 *
 * 4. What is not understood is told as "/": the caller must take it for any file. So is a word that
 *    is longer than WORD_BYTES_MAX: no byte is looked at more often than that. */
#include "format/source/includes.h"

#include "base/buf.h"
#include "base/byte.h"
#include "base/mem.h"
#include "base/path.h"

#include <stdlib.h>
#include <string.h>

/* ---- C and C++ ---- */

enum { NAME_BYTES_MAX = 4096, DELIMITER_BYTES_MAX = 16 };

static const char asks[] = "__has_include";

struct scanner {
    const char *at, *end;
    struct arena *arena;
    struct includes *out;
    uint32_t cap;
};

static bool is_word(char byte)
{
    return byte_is_alnum(byte) || byte == '_';
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\v' || byte == '\f';
}

/* Behind the line break that the backslash at `at` hides; `at` itself when it hides none. */
static const char *behind_splice(const char *at, const char *end)
{
    const char *byte = at + 1;

    while (byte < end && is_blank(*byte)) byte++;
    return byte < end && *byte == '\n' ? byte + 1 : at;
}

/* Goes to the next byte of the text as the language sees it; false at the end. */
static bool settle(struct scanner *s)
{
    while (s->at < s->end && *s->at == '\\') {
        const char *next = behind_splice(s->at, s->end);

        if (next == s->at) return true;
        s->at = next;
    }
    return s->at < s->end;
}

static bool stands(struct scanner *s, char byte)
{
    return settle(s) && *s->at == byte;
}

/* ---- what is skipped ---- */

/* Behind the comment that begins here; false when none does. */
static bool skip_comment(struct scanner *s)
{
    const char *begin = s->at;

    if (!stands(s, '/')) return false;
    s->at++;
    if (stands(s, '/')) {
        while (settle(s) && *s->at != '\n') s->at++;
        return true;
    }
    if (stands(s, '*')) {
        s->at++;
        while (settle(s)) {
            if (*s->at++ == '*' && stands(s, '/')) break;
        }
        if (s->at < s->end) s->at++;
        return true;
    }
    s->at = begin;
    settle(s);
    return false;
}

/* Behind the literal whose quote stands here, or at the end of its line. */
static void skip_literal(struct scanner *s)
{
    char quote = *s->at++;

    while (settle(s) && *s->at != '\n') {
        char byte = *s->at++;

        if (byte == quote) return;
        if (byte == '\\' && s->at < s->end && *s->at != '\n') s->at++;
    }
}

/* R"x(...)x": nothing inside means anything, not even a backslash. False when it is not one. */
static bool skip_raw(struct scanner *s)
{
    const char *delimiter = s->at + 1, *open = delimiter;
    char closing[DELIMITER_BYTES_MAX + 2] = { ')' };
    size_t bytes;
    const char *found;

    while (open < s->end && *open != '(' && *open != '"' && *open != '\n') open++;
    bytes = (size_t)(open - delimiter);
    if (open == s->end || *open != '(' || bytes > DELIMITER_BYTES_MAX) return false;
    memcpy(closing + 1, delimiter, bytes);
    closing[bytes + 1] = '"';
    found = memmem(open, (size_t)(s->end - open), closing, bytes + 2);
    s->at = found ? found + bytes + 2 : s->end;
    return true;
}

/* ---- directives ---- */

static void skip_gap(struct scanner *s)
{
    while (settle(s)) {
        if (is_blank(*s->at)) s->at++;
        else if (*s->at != '/' || !skip_comment(s)) break;
    }
}

static void include_add(struct scanner *s, struct include include)
{
    struct includes *out = s->out;

    out->items = mem_grow(out->items, out->count, &s->cap, sizeof *out->items);
    out->items[out->count++] = include;
}

/* The name between here and its closing mark. One that is not closed, or that no file can have,
 * names nothing. */
static void take_name(struct scanner *s, char closes, bool next)
{
    struct buf name;

    buf_init(&name, NAME_BYTES_MAX);
    s->at++;
    while (settle(s) && *s->at != '\n' && *s->at != closes) buf_byte(&name, *s->at++);
    if (stands(s, closes) && name.size && !name.overflow && !str_has(buf_str(&name), '\0')) {
        include_add(s, (struct include){ .name = arena_cstr(s->arena, buf_str(&name)),
                                 .angled = closes == '>', .next = next });
    }
    if (stands(s, closes)) s->at++;
    buf_release(&name);
}

/* Behind __has_include: what is there or not decides as much as what is read. */
static void take_question(struct scanner *s, bool next)
{
    skip_gap(s);
    if (!stands(s, '(')) return; /* #ifdef __has_include */
    s->at++;
    skip_gap(s);
    if (stands(s, '"')) take_name(s, '"', next);
    else if (stands(s, '<')) take_name(s, '>', next);
    else if (settle(s) && is_word(*s->at)) s->out->uncertain = true;
}

/* A word or a number; behind it a raw string or a file's name, where the word announces one. */
static void skip_word(struct scanner *s)
{
    const char *begin = s->at;
    bool number = byte_is_digit(*begin);
    struct str word;

    while (settle(s) && (is_word(*s->at) || (number && *s->at == '\'' && s->at + 1 < s->end &&
                                             is_word(s->at[1]))))
        s->at++;
    word = (struct str){ begin, (size_t)(s->at - begin) };
    if (str_is(word, asks)) take_question(s, false);
    else if (str_is(word, "__has_include_next")) take_question(s, true);
    if (s->at < s->end && *s->at == '"' && s->at[-1] == 'R' && s->at - begin <= 3) {
        if (str_is(word, "R") || str_is(word, "LR") || str_is(word, "uR") || str_is(word, "UR") ||
            str_is(word, "u8R"))
            skip_raw(s);
    }
}

/* Behind the "#". */
static void take_directive(struct scanner *s)
{
    char word[16];
    struct str read = { word, 0 };
    bool next;

    skip_gap(s);
    while (settle(s) && is_word(*s->at) && read.size < sizeof word) word[read.size++] = *s->at++;
    next = str_is(read, "include_next");
    if (!next && !str_is(read, "include") && !str_is(read, "import")) return;
    skip_gap(s);
    if (stands(s, '"')) take_name(s, '"', next);
    else if (stands(s, '<')) take_name(s, '>', next);
    else if (settle(s) && is_word(*s->at)) s->out->uncertain = true;
}

/* Behind the last "#" that may begin an include. */
static const char *find_end(struct str text)
{
    const char *end = text.data + text.size, *last = text.data;

    if (memmem(text.data, text.size, "%:", 2)) return end;
    if (memmem(text.data, text.size, asks, strlen(asks))) return end;
    for (const char *at = text.data; (at = memchr(at, '#', (size_t)(end - at)));) {
        const char *word = ++at;

        while (word < end && is_blank(*word)) word++;
        if (word == end) break;
        if (*word == '/' || *word == '\\' ||
            (*word == 'i' && word + 1 < end && word[1] != 'f')) /* not #if, #ifdef, #ifndef */
            last = at;
    }
    return last;
}

void includes_scan(struct str text, struct arena *arena, struct includes *out)
{
    struct scanner s = { .arena = arena, .out = out };
    const char *stop;
    struct include *kept;
    bool first = true; /* nothing but blanks and comments on this line */

    *out = (struct includes){ 0 };
    if (text.size == 0) return;
    s.at = text.data;
    s.end = text.data + text.size;
    stop = find_end(text);
    while (s.at < stop && settle(&s)) {
        char byte = *s.at;

        if (byte == '\n') {
            first = true;
            s.at++;
        } else if (is_blank(byte)) {
            s.at++;
        } else if (byte == '/' && skip_comment(&s)) {
            continue;
        } else if (first && (byte == '#' || (byte == '%' && s.at + 1 < s.end && s.at[1] == ':'))) {
            s.at += byte == '#' ? 1 : 2;
            first = false;
            take_directive(&s);
        } else {
            first = false;
            if (byte == '"' || byte == '\'') skip_literal(&s);
            else if (is_word(byte)) skip_word(&s);
            else s.at++;
        }
    }
    kept = arena_alloc(arena, out->count * sizeof *kept);
    for (uint32_t i = 0; i < out->count; i++) kept[i] = out->items[i];
    free(out->items);
    out->items = kept;
}

/* ---- shell ---- */

enum { WORD_BYTES_MAX = 256 };

static bool is_shell_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

static bool ends_word(char byte)
{
    return is_shell_blank(byte) || (byte && strchr("\n\r;&|<>)#", byte));
}

/* The size of what is put in at run time and begins here; 0: it has no end. */
static size_t dynamic_size(struct str text)
{
    char close = text.data[0] == '`' ? '`' : text.size > 1 && text.data[1] == '{' ? '}' : ')';
    size_t size = 1, depth = 0;

    if (text.data[0] == '$' && text.size > 1 && !strchr("({", text.data[1])) {
        while (size < text.size && (byte_is_alnum(text.data[size]) || text.data[size] == '_')) {
            size++;
        }
        return size > 1 || text.data[1] == '\n' ? size : 2; /* $1, $@, $? */
    }
    for (; size < text.size && text.data[size] != '\n'; size++) {
        char byte = text.data[size];

        if (close == '`' ? byte == close : byte == close && --depth == 0) return size + 1;
        if ((close == ')' && byte == '(') || (close == '}' && byte == '{')) depth++;
    }
    return 0;
}

/* The last component of the word that text begins with. */
static void read_name(struct str text, struct buf *name)
{
    bool cut = text.size > WORD_BYTES_MAX;
    bool dynamic = false; /* behind the last slash */
    struct buf word;
    size_t i;

    if (cut) text.size = WORD_BYTES_MAX;
    buf_init(&word, WORD_BYTES_MAX);
    buf_clear(name);
    for (i = 0; i < text.size && !ends_word(text.data[i]); i++) {
        char byte = text.data[i];

        if (byte == '"' || byte == '\'') continue;
        if (byte == '$' || byte == '`') {
            size_t size = dynamic_size(str_skip(text, i));

            if (size == 0) word.overflow = true;
            if (size == 0) break;
            i += size - 1;
            dynamic = true;
            continue;
        }
        if (byte == '/') dynamic = false;
        buf_byte(&word, byte);
    }
    if (word.overflow || (cut && i >= text.size) || str_has(buf_str(&word), '\\') ||
        str_has(buf_str(&word), '\0')) {
        buf_text(name, "/");
    } else if (!dynamic && !str_is(buf_str(&word), "/dev/null")) {
        buf_add(name, path_leaf(buf_str(&word)));
    }
    buf_release(&word);
}

bool sourced_next(struct sourced_walk *walk, struct buf *name)
{
    struct str text = walk->text;

    for (size_t i = walk->at; i < text.size; i++) {
        struct str rest = str_skip(text, i);
        size_t bytes = str_starts(rest, STR(".")) ? 1 : str_starts(rest, STR("source")) ? 6 : 0;
        bool begins = i == 0 || (text.data[i - 1] && strchr(" \t\n;&|(){}`\"'", text.data[i - 1]));
        bool directive = bytes == 6 && rest.size > bytes && rest.data[bytes] == '=';

        if (!bytes || !begins || rest.size <= bytes) continue;
        if (!directive && !is_shell_blank(rest.data[bytes])) continue;
        rest = str_skip(rest, bytes + directive);
        while (rest.size && is_shell_blank(rest.data[0])) rest = str_skip(rest, 1);
        walk->at = i + bytes;
        read_name(rest, name);
        return true;
    }
    walk->at = text.size;
    return false;
}
