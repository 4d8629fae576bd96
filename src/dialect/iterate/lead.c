/* SPDX-License-Identifier: Apache-2.0
 *
 * lead.c - how a line begins: with a severity that counts, or without.
 *
 *     HIGH src/a.c:3 ...    - **High:** ...    2. [LOW] ...    | MEDIUM | src/a.c:3 | ...
 *     ### Critical (Must Fix)                  Severity: HIGH
 *     src/a.c:3: HIGH: ...                     the place may stand in front of it
 *     what is wrong [HIGH]                     in brackets it counts wherever it stands
 *
 * 1. A word in capitals counts by itself; in other letters only where a colon, a dash or the end
 *    follows, since sentences begin with such words too. `High latency` is no severity.
 * 2. What stands in `code` does not count.
 * 3. A list of severities (HIGH, MEDIUM or LOW) speaks of them and is no issue.
 *
 * Not here: which lines are the reviewer's own (lines.c). */
#include "dialect/iterate/lead.h"

#include "base/byte.h"
#include "format/text/utf8.h"

#include <string.h>

static bool is_word(char byte)
{
    return byte_is_alnum(byte) || byte == '_';
}

static bool is_one_of(struct str s, const char *bytes)
{
    return s.size && s.data[0] && strchr(bytes, s.data[0]);
}

static struct str skip_bytes(struct str s, const char *bytes)
{
    while (is_one_of(s, bytes)) s = str_skip(s, 1);
    return s;
}

/* Blanks and the marks of emphasis. */
static struct str skip_soft(struct str s) { return skip_bytes(s, " \t*_"); }

static struct str word_of(struct str s)
{
    size_t size = 0;

    while (size < s.size && is_word(s.data[size])) size++;
    return (struct str){ s.data, size };
}

/* ---- marks in front ---- */

/* Arrows, boxes, bullets, dashes and pictures that stand for a bullet. */
static size_t symbol_size(struct str s)
{
    uint32_t code;
    size_t size = utf8_next(s, &code);
    bool symbol = code == 0x2022 || code == 0x2013 || code == 0x2014 || code == 0xb7 ||
                  code == 0xfe0f || (code >= 0x2190 && code <= 0x2bff) ||
                  (code >= 0x1f000 && code <= 0x1faff);

    return size > 1 && symbol ? size : 0;
}

static size_t number_size(struct str s)
{
    size_t digits = 0;

    while (digits < s.size && byte_is_digit(s.data[digits])) digits++;
    if (digits == 0 || digits >= s.size || !is_one_of(str_skip(s, digits), ".)")) return 0;
    if (digits + 1 < s.size && !is_one_of(str_skip(s, digits + 1), " \t*")) return 0;
    return digits + 1;
}

/* The size of the mark at the front; 0: there is none. */
static size_t mark_size(struct str s, struct lead *lead)
{
    struct str next = str_skip(s, 1);
    size_t size;

    if (s.size == 0) return 0;
    if (is_one_of(s, " \t|")) return 1;
    if (s.data[0] == '#') {
        size = s.size - skip_bytes(s, "#").size;
        lead->heading = lead->heading || !lead->item;
        return size;
    }
    if (is_one_of(s, "-+*")) {
        bool item = next.size == 0 || is_one_of(next, " \t");
        lead->item = lead->item || item;
        return item || s.data[0] == '*' || is_one_of(next, "[*") || is_word(next.data[0]);
    }
    if (s.data[0] == '_') return 1;
    if (str_starts(s, STR("[ ] ")) || str_starts(s, STR("[x] "))) return 3;
    size = number_size(s);
    if (size) lead->item = true;
    return size ? size : symbol_size(s);
}

/* ---- the severity ---- */

/* "issues", "severity" and the like behind a severity, where they end a label. */
static struct str skip_label(struct str s)
{
    static const char *const labels[] = { "severity", "priority", "issue",    "issues",
                                          "finding",  "findings", "problems", NULL };
    struct str rest = skip_soft(s);

    for (size_t i = 0; labels[i];) {
        struct str word = word_of(rest);
        if (!iterate_word_is(word, labels[i])) {
            i++;
            continue;
        }
        rest = skip_soft(str_skip(rest, word.size));
        i = 0;
    }
    return rest.size == 0 || is_one_of(rest, ":(") ? rest : s;
}

/* Whether the severity is one of several that are named: a comma, a slash, an `or` and another. In
 * a cell or in brackets of its own the other must stand alone. */
static bool is_listed(struct str behind)
{
    struct str next = skip_bytes(behind, " \t*_,/|&])[("), word = word_of(next);
    struct str between = { behind.data, behind.size - next.size };
    bool joined = str_has(between, ',') || str_has(between, '/') || str_has(between, '&');
    bool boxed = str_has(between, '|') || str_has(between, '[') || str_has(between, '(');
    enum severity severity;

    if (iterate_word_is(word, "or") || iterate_word_is(word, "and")) {
        next = skip_bytes(str_skip(next, word.size), " \t*_[(");
        word = word_of(next);
        joined = true;
    }
    if (!iterate_severity_read(word, &severity)) return false;
    next = str_skip(next, word.size);
    if (is_one_of(next, "-")) return false;
    next = skip_soft(next);
    return joined || (boxed && (next.size == 0 || is_one_of(next, "|]),/")));
}

/* A dash that stands between two parts, not inside a word. */
static bool is_dash(struct str s)
{
    if (str_starts(s, STR("\xe2\x80\x93")) || str_starts(s, STR("\xe2\x80\x94"))) return true;
    return is_one_of(s, "-") && (s.size == 1 || is_one_of(str_skip(s, 1), " \t->"));
}

static bool is_capital(struct str word)
{
    for (size_t i = 0; i < word.size; i++) {
        if (word.data[i] < 'A' || word.data[i] > 'Z') return false;
    }
    return true;
}

/* What may follow a severity that has no brackets. */
static bool ends_well(struct str word, struct str behind, bool field)
{
    struct str next;

    if (is_one_of(behind, "-") && !is_dash(behind)) return false;
    if (is_one_of(behind, "(.") && behind.size > 1 && is_word(behind.data[1])) return false;
    if (field || is_capital(word)) return true;
    next = skip_soft(skip_label(behind));
    return next.size == 0 || is_one_of(next, ":(|") || is_dash(next);
}

/* "Severity:" in front of it. */
static struct str skip_field(struct str s, bool *field)
{
    struct str word = word_of(s), rest;

    *field = false;
    if (!iterate_word_is(word, "severity")) return s;
    rest = skip_soft(str_skip(s, word.size));
    if (!is_one_of(rest, ":=")) return s;
    *field = true;
    return skip_soft(str_skip(rest, 1));
}

enum word { WORD_OTHER, WORD_COUNTS, WORD_LISTED };

/* A severity at the front of s, bare or in brackets; rest is what stands behind it. */
static enum word read_word(struct str s, bool field, enum severity *severity, struct str *rest)
{
    char open = (char)(is_one_of(s, "[(") ? s.data[0] : 0);
    struct str word, behind;

    if (open) s = skip_field(skip_soft(str_skip(s, 1)), &field);
    word = word_of(s);
    behind = str_skip(s, word.size);
    if (!iterate_severity_read(word, severity)) return WORD_OTHER;
    if (is_listed(behind)) return WORD_LISTED;
    *rest = behind;
    if (!open) return ends_well(word, behind, field) ? WORD_COUNTS : WORD_OTHER;
    if (open == '(' && !is_capital(word) && !field) return WORD_OTHER;
    *rest = skip_soft(behind);
    if (is_one_of(*rest, open == '[' ? "]" : ")")) {
        *rest = str_skip(*rest, 1);
        return WORD_COUNTS;
    }
    if (!is_one_of(behind, " :-/,|")) return WORD_OTHER;
    return str_has(behind, open == '[' ? ']' : ')') ? WORD_COUNTS : WORD_OTHER;
}

/* In brackets, or alone in a cell of a table, somewhere in the line. */
static bool find_bracketed(struct str s, enum severity *severity)
{
    for (size_t i = 0; i < s.size; i++) {
        struct str at = str_skip(s, i), rest = { "", 0 };
        bool cell = is_one_of(at, "|");
        enum word word;

        if (!cell && !is_one_of(at, "[(")) continue;
        if (cell) at = skip_soft(str_skip(at, 1));
        word = read_word(at, false, severity, &rest);
        if (word == WORD_LISTED) return false;
        if (word == WORD_COUNTS && (!cell || is_one_of(skip_soft(rest), "|"))) return true;
    }
    return false;
}

/* Behind a place that begins the line, in `code` or not: as compilers write it. A line of code that
 * was found there says something else of such a word (HIGH = 1). */
static bool find_behind_place(struct str line, struct str masked, enum severity *severity)
{
    struct str at = line, place, word, rest;
    bool field;

    if (is_one_of(at, "`")) {
        size_t size = at.size - skip_bytes(masked, "`").size;
        word = (struct str){ at.data, size };
    } else {
        while (at.size && !is_one_of(at, " \t")) at = str_skip(at, 1);
        word = (struct str){ line.data, line.size - at.size };
    }
    if (!iterate_place_find(word, &place)) return false;
    at = skip_bytes(str_skip(masked, word.size), " \t*_:,");
    if (is_dash(at)) at = skip_bytes(str_skip(at, at.data[0] == '-' ? 1 : 3), " \t*_->");
    at = skip_field(at, &field);
    return read_word(at, field, severity, &rest) == WORD_COUNTS &&
           !is_one_of(skip_soft(rest), "=<>+&;");
}

/* ---- the line ---- */

static bool has_clean_word(struct str text)
{
    static const char *const words[] = { "No issues found", "No issues", "LGTM", "clean",
                                         "Plan looks good to proceed", NULL };

    for (size_t i = 0; words[i]; i++) {
        if (iterate_word_is(text, words[i])) return true;
    }
    return false;
}

static struct str trim_soft(struct str s)
{
    s = skip_soft(s);
    while (s.size && strchr(" \t*_\r", s.data[s.size - 1]) && s.data[s.size - 1]) s.size--;
    return s;
}

bool lead_says_clean(struct str line)
{
    line = trim_soft(line);
    if (str_ends(line, STR("."))) line.size--;
    return has_clean_word(trim_soft(line));
}

bool lead_says_none(struct str text)
{
    static const char *const words[] = { "none", "none found", "none identified", "no issue", "n/a",
                                         "nothing", "nothing found", "nil", "-", NULL };
    uint64_t number;

    text = trim_soft(text);
    while (str_ends(text, STR(".")) || str_ends(text, STR(")")) || str_ends(text, STR("|"))) {
        text.size--;
        text = trim_soft(text);
    }
    text = skip_bytes(text, "(");
    if (has_clean_word(text)) return true;
    for (size_t i = 0; words[i]; i++) {
        if (iterate_word_is(text, words[i])) return true;
    }
    return lead_counts(text, &number) && number == 0;
}

bool lead_counts(struct str text, uint64_t *number)
{
    struct str word, rest;

    text = skip_bytes(trim_soft(text), "(");
    word = word_of(text);
    rest = skip_bytes(str_skip(text, word.size), ") \t*_.");
    if (!str_number(word, number)) return false;
    if (iterate_word_is(word_of(rest), "found")) rest = skip_soft(str_skip(rest, 5));
    return skip_bytes(skip_label(rest), ") \t*_.:").size == 0;
}

void lead_read(struct str line, struct str masked, struct lead *out)
{
    struct str s = masked, rest = { "", 0 };
    enum word word;
    size_t size;

    *out = (struct lead){ .rest = line };
    while ((size = mark_size(s, out)) > 0) {
        bool emphasis = is_one_of(s, "*_ \t") && !is_one_of(str_skip(s, 1), " \t");
        s = str_skip(s, size);
        if (!emphasis) out->rest = str_skip(line, line.size - s.size);
    }
    s = skip_field(s, &out->field);
    word = read_word(s, out->field, &out->severity, &rest);
    if (word == WORD_COUNTS) {
        rest = skip_label(rest);
        rest = skip_bytes(rest, " \t*_:|.,");
        if (is_dash(rest)) rest = str_skip(rest, rest.data[0] == '-' ? 1 : 3);
        rest = skip_bytes(rest, " \t*_:|>");
        out->counts = out->leads = true;
        out->rest = str_skip(line, line.size - rest.size);
    } else {
        out->field = false;
        out->counts = word == WORD_OTHER &&
                      (find_bracketed(s, &out->severity) ||
                       find_behind_place(str_skip(line, line.size - s.size), s, &out->severity));
    }
    out->rest = str_trim(out->rest);
}
