/* SPDX-License-Identifier: Apache-2.0
 *
 * shell_words.c - a shell line cut into commands and words.
 *
 * Not a shell: it knows quotes, escapes, operators and where an expansion begins and ends, and
 * that is all. Any text gives some list; time and memory grow with its length.
 *
 * 1. A word is made of bytes of the text in their order; nothing is added.
 * 2. An expansion is skipped as a whole, and its word is marked.
 * 3. Nesting is counted, not recursed into. */
#include "format/source/shell_words.h"

#include "base/buf.h"
#include "base/byte.h"
#include "base/mem.h"

#include <stdlib.h>

struct splitter {
    struct str text;
    size_t at;
    struct arena *arena;
    struct buf word;
    bool in_word, expands;
    bool target; /* the next word belongs to a redirection */
    bool away, here; /* of the command at work */
    struct shell_word *words;
    uint32_t word_count, word_cap;
    struct shell_command *items;
    uint32_t count, cap;
};

/* Words in front of a command that are none themselves. */
static const char *const leading[] = { "!", "{", "}", "if", "then", "else", "elif", "fi", "do",
                                       "done", "while", "until", "time", "exec", "command" };

static bool is_leading(const struct shell_word *word)
{
    for (size_t i = 0; i < sizeof leading / sizeof leading[0]; i++) {
        if (str_is(str_of(word->text), leading[i])) return !word->expands;
    }
    return false;
}

static void end_word(struct splitter *s)
{
    if (!s->in_word) return;
    s->in_word = false;
    if (!s->target) {
        s->words = mem_grow(s->words, s->word_count, &s->word_cap, sizeof *s->words);
        s->words[s->word_count++] = (struct shell_word){
            .text = arena_cstr(s->arena, buf_str(&s->word)), .expands = s->expands
        };
    }
    s->target = false;
    s->expands = false;
    buf_clear(&s->word);
}

static void add_step(struct splitter *s, struct shell_command command)
{
    s->items = mem_grow(s->items, s->count, &s->cap, sizeof *s->items);
    s->items[s->count++] = command;
}

static void end_command(struct splitter *s)
{
    uint32_t first = 0;

    end_word(s);
    s->target = false;
    while (first < s->word_count && is_leading(&s->words[first])) first++;
    if (first < s->word_count) {
        uint32_t count = s->word_count - first;
        struct shell_word *words = arena_alloc(s->arena, count * sizeof *words);

        for (uint32_t i = 0; i < count; i++) words[i] = s->words[first + i];
        add_step(s, (struct shell_command){ .words = words, .count = count, .away = s->away,
                                            .here = s->here });
    }
    s->word_count = 0;
    s->away = s->here = false;
}

static void add_byte(struct splitter *s, char byte)
{
    s->in_word = true;
    if (byte != '\0') buf_byte(&s->word, byte);
}

static char byte_at(const struct splitter *s, size_t at)
{
    return at < s->text.size ? s->text.data[at] : '\0';
}

/* ---- quotes and expansions; each begins at s->at and ends behind it ---- */

static void skip_single(struct splitter *s, bool keep)
{
    for (s->at++; s->at < s->text.size && s->text.data[s->at] != '\''; s->at++) {
        if (keep) add_byte(s, s->text.data[s->at]);
    }
    s->at++;
}

static void skip_name(struct splitter *s)
{
    for (; s->at < s->text.size; s->at++) {
        char byte = s->text.data[s->at];

        if (byte != '_' && !byte_is_alnum(byte))
            break;
    }
}

/* Behind the byte that closes what is open: nested ones count, quoted and escaped ones do not. */
static void skip_nested(struct splitter *s, char opens, char closes)
{
    uint32_t depth = 1;

    while (s->at < s->text.size && depth > 0) {
        char byte = s->text.data[s->at];

        if (byte == '\'' && closes == ')') {
            skip_single(s, false);
            continue;
        }
        if (byte == '\\') s->at++;
        else if (byte == closes) depth--;
        else if (byte == opens) depth++;
        s->at++;
    }
}

/* "$" or "`"; a "$" with nothing behind it that could be expanded is a plain byte. */
static void skip_expansion(struct splitter *s)
{
    char byte = byte_at(s, s->at + 1);
    size_t before;

    if (s->text.data[s->at] == '`') {
        s->at++;
        skip_nested(s, '\0', '`');
    } else if (byte == '(' || byte == '{') {
        s->at += 2;
        skip_nested(s, byte, byte == '(' ? ')' : '}');
    } else if (byte != '\0' && str_has(STR("@*#?-$!"), byte)) {
        s->at += 2;
    } else {
        before = ++s->at;
        skip_name(s);
        if (s->at == before) {
            add_byte(s, '$');
            return;
        }
    }
    s->in_word = true;
    s->expands = true;
}

static void add_double(struct splitter *s)
{
    s->in_word = true;
    s->at++;
    while (s->at < s->text.size && s->text.data[s->at] != '"') {
        char byte = s->text.data[s->at];
        char next = byte_at(s, s->at + 1);

        if (byte == '$' || byte == '`') {
            skip_expansion(s);
        } else if (byte == '\\' && next == '\n') {
            s->at += 2;
        } else {
            if (byte == '\\' && next != '\0' && str_has(STR("\"\\$`"), next)) s->at++;
            add_byte(s, s->text.data[s->at++]);
        }
    }
    s->at++;
}

/* ---- between words ---- */

static void skip_comment(struct splitter *s)
{
    while (s->at < s->text.size && s->text.data[s->at] != '\n') s->at++;
}

/* < > >> >& &> <<< and the number in front of them; the word behind them is no argument. */
static void take_redirection(struct splitter *s)
{
    size_t first = s->at;
    struct str sign;
    uint64_t number = 1;

    if (s->in_word && !s->expands && str_number(buf_str(&s->word), &number)) {
        buf_clear(&s->word);
        s->in_word = false;
    }
    end_word(s);
    while (s->at < s->text.size && str_has(STR("<>&|"), s->text.data[s->at])) s->at++;
    sign = (struct str){ s->text.data + first, s->at - first };
    if (str_eq(sign, STR("<<"))) s->here = true;
    if (number == 1 && str_has(sign, '>') && !str_eq(sign, STR(">&"))) s->away = true;
    s->target = true;
}

/* "&": between commands, or the beginning of "&>". */
static void take_and(struct splitter *s)
{
    if (byte_at(s, s->at + 1) == '>') {
        take_redirection(s);
        return;
    }
    end_command(s);
    s->at++;
}

/* "|" joins two commands, "||" does not. */
static void take_bar(struct splitter *s)
{
    bool joins = byte_at(s, s->at + 1) != '|';
    uint32_t before = s->count;

    end_command(s);
    if (s->count > before) s->items[s->count - 1].piped = joins;
    s->at += joins ? 1 : 2;
    if (joins && byte_at(s, s->at) == '&') s->at++;
}

static void take_step(struct splitter *s, enum shell_step step)
{
    end_command(s);
    add_step(s, (struct shell_command){ .step = step });
    s->at++;
}

static void take_escape(struct splitter *s)
{
    s->at++;
    if (s->at >= s->text.size) return;
    if (s->text.data[s->at] != '\n') add_byte(s, s->text.data[s->at]);
    s->at++;
}

static void word_take(struct splitter *s)
{
    switch (s->text.data[s->at]) {
    case ' ':
    case '\t':
    case '\r':
        end_word(s);
        s->at++;
        break;
    case '\n':
    case ';':
        end_command(s);
        s->at++;
        break;
    case '&': take_and(s); break;
    case '|': take_bar(s); break;
    case '(': take_step(s, SHELL_ENTER); break;
    case ')': take_step(s, SHELL_LEAVE); break;
    case '<':
    case '>': take_redirection(s); break;
    case '\'':
        s->in_word = true;
        skip_single(s, true);
        break;
    case '"': add_double(s); break;
    case '`':
    case '$': skip_expansion(s); break;
    case '\\': take_escape(s); break;
    case '#':
        if (!s->in_word) {
            skip_comment(s);
            break;
        }
        /* fall through */
    default: add_byte(s, s->text.data[s->at++]); break;
    }
}

void shell_split(struct str text, struct arena *arena, struct shell_line *out)
{
    struct splitter s = { .text = text, .arena = arena };

    buf_init(&s.word, text.size);
    while (s.at < text.size) word_take(&s);
    end_command(&s);
    *out = (struct shell_line){ .count = s.count };
    out->items = arena_alloc(arena, s.count * sizeof *out->items);
    for (uint32_t i = 0; i < s.count; i++) out->items[i] = s.items[i];
    buf_release(&s.word);
    free(s.words);
    free(s.items);
}
