/* SPDX-License-Identifier: Apache-2.0
 *
 * issues.c - a reviewer's answer as a list of issues.
 *
 *     {"issues": [{"severity", "message", "location"}]}    alone, or in one code fence around it
 *     HIGH src/a.c:12: what is wrong                       lines of text
 *     No issues found.
 *
 * 1. Clean must be said: an empty list of issues, or one of a few words as a whole line. An answer
 *    with neither issues nor that is no review.
 * 2. What begins like an object is JSON or nothing: a list that is cut off, or to be read in two
 *    ways, or whose issues have no known severity, is no review either.
 * 3. An issue always has a text, inside its bound and in valid UTF-8.
 *
 * Lines of text. A line that carries a severity begins an issue, and the lines behind it that
 * belong to it continue it. A severity alone in its line begins a section instead, whose items are
 * issues of that severity:
 *
 *     - HIGH src/a.c:3 reads behind the end       #### Critical (Must Fix)
 *       of the list                               1. **Reads behind the end** src/a.c:3
 *     - LOW src/b.c:9 a name that misleads        #### Minor
 *                                                 None.
 *
 * 4. Only the reviewer's own lines count: not quotes, not code, not what stands between the lines
 *    of the run's fence. Where it is not sure that a line is the reviewer's own, it may carry an
 *    issue, but not say clean; and if it is indented like code, it must be an item of a list to
 *    carry an issue.
 * 5. Where a doubt is left it is not clean: a fence that is never closed hides what follows, a
 *    count of issues that are not listed is an issue, and a word for clean beside issues says
 *    nothing. Beside a line that complains (complaint.c) it is no review: the reviewer is asked
 *    again.
 * 6. Linear in the text: of a line only the first LINE_BYTES_MAX bytes are looked at.
 *
 * How a line carries a severity:
 *
 *     HIGH src/a.c:3 ...    - **High:** ...    2. [LOW] ...    | MEDIUM | src/a.c:3 | ...
 *     ### Critical (Must Fix)                  Severity: HIGH
 *     src/a.c:3: HIGH: ...                     the place may stand in front of it
 *     what is wrong [HIGH]                     in brackets it counts wherever it stands
 *
 * 7. A word in capitals counts by itself; in other letters only where a colon, a dash or the end
 *    follows, since sentences begin with such words too. `High latency` is no severity.
 * 8. A list of severities (HIGH, MEDIUM or LOW) speaks of them and is no issue.
 *
 * Where an issue is: a file and a line, in the ways that reviewers write it.
 *
 *     src/a.c   src/a.c:12   src/a.c:12:5   src/a.c:12-15   src/a.c#L12   C:\src\a.c:12
 *
 *  9. Every number behind the name is taken off, so that a name never ends in one: what is printed
 *     of a place is read as the same place again.
 * 10. A number that is no line (0, or too large) is taken off like the others; the line is
 *     unknown.
 *
 * Not here: which severities count (judge.c). */
#include "dialect/iterate/iterate.h"

#include "base/byte.h"
#include "base/mem.h"
#include "dialect/answer.h"
#include "dialect/check.h"
#include "dialect/complaint.h"
#include "dialect/prose.h"
#include "dialect/review/r1.h"
#include "format/json/json.h"
#include "format/json/json_walk.h"
#include "format/text/utf8.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES_MAX = 4096, TEXT_BYTES_MAX = 64 * 1024, TICKS_MAX = 64, CODE_COLUMNS = 4 };

/* ---- severities and texts ---- */

static const struct {
    const char *word;
    enum severity severity;
} severity_words[] = {
    { "high", SEVERITY_HIGH },     { "medium", SEVERITY_MEDIUM },    { "low", SEVERITY_LOW },
    { "critical", SEVERITY_HIGH }, { "important", SEVERITY_MEDIUM }, { "minor", SEVERITY_LOW },
};

bool iterate_severity_read(struct str word, enum severity *out)
{
    for (size_t i = 0; i < sizeof severity_words / sizeof *severity_words; i++) {
        if (!word_is(word, severity_words[i].word)) continue;
        *out = severity_words[i].severity;
        return true;
    }
    return false;
}

const char *iterate_severity_word(enum severity severity)
{
    static const char *const names[SEVERITY_COUNT] = {
        [SEVERITY_LOW] = "LOW", [SEVERITY_MEDIUM] = "MEDIUM", [SEVERITY_HIGH] = "HIGH",
    };

    assert(severity < SEVERITY_COUNT);
    return names[severity];
}

struct str iterate_text(struct str bytes, size_t bytes_max, struct arena *arena)
{
    struct str text = answer_mended(bytes, arena);

    return arena_copy(arena, answer_bounded(text, bytes_max, arena));
}

struct finding *iterate_issue_add(struct iterate_issues *issues, struct arena *arena)
{
    issues->items = arena_grow(arena, issues->items, issues->count, &issues->cap,
                               sizeof *issues->items);
    return &issues->items[issues->count++];
}

/* ---- where an issue is ---- */

static bool is_letter(char byte)
{
    return byte_is_letter(byte) || (unsigned char)byte >= 0x80;
}

/* The digits at the end of text, as a line; text loses them. False: there are none. */
static bool cut_digits(struct str *text, uint32_t *line)
{
    size_t size = text->size;
    struct str digits;
    uint64_t number;

    while (size && byte_is_digit(text->data[size - 1])) size--;
    if (size == text->size) return false;
    digits = str_skip(*text, size);
    *line = str_number(digits, &number) && number <= UINT32_MAX ? (uint32_t)number : 0;
    text->size = size;
    return true;
}

static bool cut_end(struct str *text, struct str end)
{
    if (!str_ends(*text, end)) return false;
    text->size -= end.size;
    return true;
}

/* ":12", ":L12", "#L12" at the end, or a range ":12-15"; text loses it. */
static bool cut_number(struct str *text, uint32_t *line, uint32_t *end_line)
{
    struct str name = *text;
    uint32_t number, before;

    *end_line = 0;
    if (!cut_digits(&name, &number)) return false;
    cut_end(&name, STR("L"));
    if (cut_end(&name, STR("-")) && cut_digits(&name, &before)) {
        *end_line = number;
        number = before;
        cut_end(&name, STR("L"));
    }
    if (!cut_end(&name, STR(":")) && !cut_end(&name, STR("#"))) return false;
    if (str_trim(name).size == 0) return false;
    *line = number;
    *text = name;
    return true;
}

void iterate_place_read(struct str place, struct finding *out)
{
    uint32_t line = 0, end_line = 0, later = 0;

    out->line = out->column = out->end_line = 0;
    out->file = str_trim(place);
    while (cut_number(&out->file, &line, &end_line)) {
        out->column = later;
        out->line = later = line;
        out->end_line = end_line > line ? end_line : 0;
        out->file = str_trim(out->file);
    }
    if (out->end_line) out->column = 0;
}

struct str iterate_place_print(const struct finding *finding, struct arena *arena)
{
    enum { NUMBER_BYTES = 16 };
    struct buf text;

    if (finding->file.size == 0 || finding->line == 0) return arena_copy(arena, finding->file);
    buf_init(&text, finding->file.size + NUMBER_BYTES);
    buf_add(&text, finding->file);
    buf_printf(&text, ":%u", (unsigned)finding->line);
    return arena_take(arena, &text);
}

/* A word that can be a file with a line: a name with a letter in it, and no address. */
static bool is_place(struct str word)
{
    struct finding place;
    bool has_letter = false;

    iterate_place_read(word, &place);
    if (place.line == 0 || text_has(word, "://")) return false;
    for (size_t i = 0; i < place.file.size; i++) {
        if (strchr("\"'<>|*?", place.file.data[i])) return false;
        has_letter = has_letter || is_letter(place.file.data[i]);
    }
    return has_letter && place.file.data[place.file.size - 1] != ':';
}

/* Without the marks that text puts around a word. */
static struct str bare(struct str word)
{
    return text_bare(word, "([{<`*_\"',;:|", ")]}>`*_\"',;:.|!?");
}

/* The first file:line in a line of text, wherever it stands; false: there is none. */
static bool find_place(struct str line, struct str *out)
{
    struct str rest = line, word;
    size_t tick = 0;

    /* A name with blanks in it can only be told inside `...`. */
    for (size_t i = 0; i < line.size; i++) {
        if (line.data[i] != '`') continue;
        word = str_trim((struct str){ line.data + tick, i - tick });
        if (tick && is_place(word)) {
            *out = word;
            return true;
        }
        tick = i + 1;
    }
    while (str_cut(&rest, ' ', &word)) {
        word = bare(str_trim(word));
        if (!is_place(word)) continue;
        *out = word;
        return true;
    }
    return false;
}

/* ---- how a line begins ---- */

struct lead {
    bool heading;           /* it is one */
    bool item;              /* of a list */
    bool counts;            /* it carries a severity that counts */
    bool leads;             /* at the front, not in brackets later on */
    bool field;             /* as "Severity: HIGH": the words are in the lines behind it */
    enum severity severity; /* where it counts */
    struct str rest;        /* without marks, and without a severity that leads */
};

static bool is_word(char byte)
{
    return byte_is_alnum(byte) || byte == '_';
}

static bool is_one_of(struct str s, const char *bytes)
{
    return s.size && s.data[0] && strchr(bytes, s.data[0]);
}

/* Blanks and the marks of emphasis. */
static struct str skip_soft(struct str s) { return text_skip(s, " \t*_"); }

static struct str word_of(struct str s)
{
    size_t size = 0;

    while (size < s.size && is_word(s.data[size])) size++;
    return (struct str){ s.data, size };
}

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
    size_t digits = text_digits(s);

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
        size = s.size - text_skip(s, "#").size;
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

/* "issues", "severity" and the like behind a severity, where they end a label. */
static struct str skip_label(struct str s)
{
    static const char *const labels[] = { "severity", "priority", "issue",    "issues",
                                          "finding",  "findings", "problems", NULL };
    struct str rest = skip_soft(s);

    for (size_t i = 0; labels[i];) {
        struct str word = word_of(rest);
        if (!word_is(word, labels[i])) {
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
    struct str next = text_skip(behind, " \t*_,/|&])[("), word = word_of(next);
    struct str between = { behind.data, behind.size - next.size };
    bool joined = str_has(between, ',') || str_has(between, '/') || str_has(between, '&');
    bool boxed = str_has(between, '|') || str_has(between, '[') || str_has(between, '(');
    enum severity severity;

    if (word_is(word, "or") || word_is(word, "and")) {
        next = text_skip(str_skip(next, word.size), " \t*_[(");
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
    if (!word_is(word, "severity")) return s;
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
        size_t size = at.size - text_skip(masked, "`").size;
        word = (struct str){ at.data, size };
    } else {
        while (at.size && !is_one_of(at, " \t")) at = str_skip(at, 1);
        word = (struct str){ line.data, line.size - at.size };
    }
    if (!find_place(word, &place)) return false;
    at = text_skip(str_skip(masked, word.size), " \t*_:,");
    if (is_dash(at)) at = text_skip(str_skip(at, at.data[0] == '-' ? 1 : 3), " \t*_->");
    at = skip_field(at, &field);
    return read_word(at, field, severity, &rest) == WORD_COUNTS &&
           !is_one_of(skip_soft(rest), "=<>+&;");
}

static bool has_clean_word(struct str text)
{
    static const char *const words[] = { "No issues found", "No issues", "LGTM", "clean",
                                         "Plan looks good to proceed", NULL };

    return word_is_one_of(text, words);
}

static struct str trim_soft(struct str s) { return text_bare(s, " \t*_", " \t*_\r"); }

/* One of the words for clean, as a whole line. */
static bool says_clean(struct str line)
{
    line = trim_soft(line);
    if (str_ends(line, STR("."))) line.size--;
    return has_clean_word(trim_soft(line));
}

/* "2", "2 issues found" and nothing else. */
static bool is_count(struct str text, uint64_t *number)
{
    struct str word, rest;

    text = text_skip(trim_soft(text), "(");
    word = word_of(text);
    rest = text_skip(str_skip(text, word.size), ") \t*_.");
    if (!str_number(word, number)) return false;
    if (word_is(word_of(rest), "found")) rest = skip_soft(str_skip(rest, 5));
    return text_skip(skip_label(rest), ") \t*_.:").size == 0;
}

/* "None", "0 issues": behind a severity, or alone below one. */
static bool says_none(struct str text)
{
    static const char *const words[] = { "none", "none found", "none identified", "no issue", "n/a",
                                         "nothing", "nothing found", "nil", "-", NULL };
    uint64_t number;

    text = trim_soft(text);
    while (str_ends(text, STR(".")) || str_ends(text, STR(")")) || str_ends(text, STR("|"))) {
        text.size--;
        text = trim_soft(text);
    }
    text = text_skip(text, "(");
    if (has_clean_word(text) || word_is_one_of(text, words)) return true;
    return is_count(text, &number) && number == 0;
}

/* masked is the line with the same size and ` for every byte of `code`. */
static void lead_read(struct str line, struct str masked, struct lead *out)
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
        rest = text_skip(rest, " \t*_:|.,");
        if (is_dash(rest)) rest = str_skip(rest, rest.data[0] == '-' ? 1 : 3);
        rest = text_skip(rest, " \t*_:|>");
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

/* ---- lines of text ---- */

/* One reading. */
struct reading {
    struct arena *arena;
    struct check_report *report;
    struct iterate_issues *out;
    const char *base;  /* the text */
    struct buf masked; /* of the line */
    uint32_t line;
    uint32_t columns;  /* that the line is indented */
    bool after_blank;
    uint32_t clean_line; /* that says clean; 0: none */
    uint32_t complaint_line; /* that names a fault without a severity in front; 0: none */
    uint64_t counted[SEVERITY_COUNT];
    uint32_t listed[SEVERITY_COUNT];

    bool sections;     /* in a section */
    bool section_new;  /* nothing has followed its label */
    enum severity section;
    uint32_t section_columns;

    bool open;         /* an issue that may go on */
    bool field;        /* its words are in the lines behind it */
    bool titled;       /* it began as a heading: what follows belongs to it */
    uint32_t issue_columns;
    struct finding issue;
    struct buf text;
};

/* Without the place in front, which has a field of its own; unless that is all there is. */
static struct str without_place(struct str text, struct str place)
{
    struct str rest = text;

    rest = text_skip(rest, "`*[(");
    if (place.size == 0 || !str_starts(rest, place)) return text;
    rest = text_skip(str_skip(rest, place.size), "`*]) \t:|-");
    while (str_starts(rest, STR("\xe2\x80\x93")) || str_starts(rest, STR("\xe2\x80\x94"))) {
        rest = str_trim(str_skip(rest, 3));
    }
    return rest.size ? rest : text;
}

static void issue_end(struct reading *reading)
{
    struct finding *issue;
    struct str text, place;

    if (!reading->open) return;
    reading->open = false;
    text = str_trim(buf_str(&reading->text));
    while (str_ends(text, STR("|"))) {
        text.size--;
        text = str_trim(text);
    }
    place = reading->issue.file;
    issue = iterate_issue_add(reading->out, reading->arena);
    *issue = (struct finding){ .severity = reading->issue.severity };
    text = without_place(text, place);
    if (text.size == 0) text = STR("an issue without a message");
    issue->text = iterate_text(text, ISSUE_BYTES_MAX, reading->arena);
    if (place.size) {
        iterate_place_read(iterate_text(place, PLACE_BYTES_MAX, reading->arena), issue);
    }
    reading->listed[issue->severity]++;
}

static void issue_continue(struct reading *reading, struct str text)
{
    if (reading->issue.file.size == 0) find_place(text, &reading->issue.file);
    if (text.size > LINE_BYTES_MAX) text.size = LINE_BYTES_MAX;
    if (reading->text.size) buf_byte(&reading->text, '\n');
    buf_add(&reading->text, text);
}

static void issue_begin(struct reading *reading, enum severity severity, struct str text)
{
    issue_end(reading);
    reading->open = true;
    reading->field = reading->titled = false;
    reading->issue_columns = reading->columns;
    reading->issue = (struct finding){ .severity = severity };
    buf_clear(&reading->text);
    issue_continue(reading, text);
}

static void section_end(struct reading *reading)
{
    issue_end(reading);
    reading->sections = false;
}

static void section_begin(struct reading *reading, enum severity severity)
{
    issue_end(reading);
    reading->sections = reading->section_new = true;
    reading->section = severity;
}

/* Nothing but the severity, or words in parentheses behind it. */
static bool is_label(struct str rest)
{
    struct str part;

    if (rest.size == 0) return true;
    if (rest.data[0] != '(' || !str_cut(&rest, ')', &part)) return false;
    return text_skip(rest, " \t*_:").size == 0;
}

/* A line with a severity that counts. */
static void on_severity(struct reading *reading, const struct lead *lead)
{
    uint64_t count;

    if (lead->field) {
        issue_begin(reading, lead->severity, lead->rest);
        reading->field = true;
    } else if (lead->leads && lead->rest.size && says_none(lead->rest)) {
        issue_end(reading);
    } else if (lead->leads && lead->rest.size && is_count(lead->rest, &count)) {
        reading->counted[lead->severity] += count > 0;
        if (lead->heading) section_begin(reading, lead->severity);
        issue_end(reading);
    } else if (lead->leads && is_label(lead->rest)) {
        section_begin(reading, lead->severity);
    } else {
        issue_begin(reading, lead->severity, lead->rest);
        reading->titled = lead->heading;
    }
}

/* A line without one, where a section may make it an issue. */
static void on_section(struct reading *reading, struct str line, const struct lead *lead)
{
    bool inside = lead->item && !reading->section_new &&
                  reading->columns > reading->section_columns;
    struct str place;

    if (reading->section_new && says_none(lead->rest)) {
        section_end(reading);
    } else if (inside || (!lead->item && reading->open && !reading->after_blank)) {
        if (reading->open) issue_continue(reading, line);
    } else if (lead->item || reading->section_new) {
        issue_begin(reading, reading->section, lead->rest);
        reading->section_columns = reading->columns;
        reading->section_new = false;
    } else if (reading->open && reading->columns >= 2) {
        issue_continue(reading, line);
    } else if (find_place(line, &place)) {
        issue_begin(reading, reading->section, line);
    } else {
        section_end(reading);
    }
}

/* A line without one, where an issue may go on. */
static void on_text(struct reading *reading, struct str line, const struct lead *lead)
{
    bool deeper = reading->columns > reading->issue_columns;

    if (!reading->open) return;
    if (deeper || reading->titled ||
        (!reading->after_blank && (!lead->item || reading->field))) {
        issue_continue(reading, line);
    } else {
        issue_end(reading);
    }
}

/* The end of the code that begins with so many ` at i; 0: it is never closed. */
static size_t code_end(struct str line, size_t i, size_t ticks)
{
    size_t run = 0;

    for (i += ticks; i <= line.size; i++) {
        if (i < line.size && line.data[i] == '`') {
            run++;
        } else {
            if (run == ticks) return i;
            run = 0;
        }
    }
    return 0;
}

/* The line with ` for every byte of `code`. */
static struct str mask_code(struct reading *reading, struct str line)
{
    bool unclosed[TICKS_MAX] = { false };
    struct buf *out = &reading->masked;

    buf_clear(out);
    buf_add(out, line);
    for (size_t i = 0, end; i < line.size; i = end) {
        size_t ticks = 0;
        while (i + ticks < line.size && line.data[i + ticks] == '`') ticks++;
        end = i + (ticks ? ticks : 1);
        if (ticks == 0 || ticks >= TICKS_MAX || unclosed[ticks]) continue;
        end = code_end(line, i, ticks);
        unclosed[ticks] = end == 0;
        if (end) memset(out->data + i, '`', end - i);
        if (!end) end = i + ticks;
    }
    return buf_str(out);
}

/* A line of nothing but - = * _: below a heading, or between two parts. */
static bool is_rule(struct str line)
{
    for (size_t i = 0; i < line.size; i++) {
        if (!strchr("-=*_ \t", line.data[i]) || !line.data[i]) return false;
    }
    return line.size > 1;
}

/* How sure it is that a line is the reviewer's own. */
enum owner {
    OWNER_SURE,
    OWNER_CODE,  /* indented like code, and maybe an item of a list */
    OWNER_QUOTE, /* behind a quote, and maybe its last line */
};

static void on_line(struct reading *reading, struct str line, enum owner owner)
{
    struct lead lead;

    if (owner == OWNER_SURE && says_clean(line)) {
        reading->clean_line = reading->line;
        section_end(reading);
        return;
    }
    if (line.size > LINE_BYTES_MAX) line.size = LINE_BYTES_MAX;
    lead_read(line, mask_code(reading, line), &lead);
    if (owner == OWNER_SURE && !lead.counts && !lead.heading && !reading->complaint_line &&
        line_complains(line)) {
        reading->complaint_line = reading->line;
    }
    if (is_rule(line)) {
        if (reading->after_blank) section_end(reading);
    } else if (lead.counts && (owner != OWNER_CODE || lead.item)) {
        on_severity(reading, &lead);
    } else if (owner == OWNER_QUOTE) {
        return;
    } else if (lead.heading) {
        section_end(reading);
    } else if (reading->sections) {
        on_section(reading, line, &lead);
    } else {
        on_text(reading, line, &lead);
    }
}

static uint32_t columns_of(const struct reading *reading, const char *at)
{
    uint32_t columns = 0;

    while (at > reading->base && (at[-1] == ' ' || at[-1] == '\t')) {
        columns += *--at == ' ' ? 1 : CODE_COLUMNS;
    }
    return columns;
}

/* False: it is surely not the reviewer's. */
static bool owner_of(struct str line, enum prose_kind kind, bool in_block, enum owner *out)
{
    bool indented = line.size && (line.data[0] == ' ' || line.data[0] == '\t');
    struct str text = str_trim(line);

    *out = OWNER_SURE;
    switch (kind) {
    case PROSE_OWN:
        return true;
    case PROSE_QUOTE:
        *out = OWNER_QUOTE;
        return text.size && text.data[0] != '>';
    case PROSE_CODE:
        *out = OWNER_CODE;
        return indented && !in_block;
    }
    return false;
}

static void read_prose(struct reading *reading, struct prose *prose)
{
    enum prose_kind kind;
    enum owner owner;
    struct str line;

    for (bool was_open = false; prose_next(prose, &line, &kind); was_open = prose_is_open(prose)) {
        bool own = owner_of(line, kind, was_open || prose_is_open(prose), &owner);

        line = str_trim(line);
        reading->line = prose->line;
        reading->columns = columns_of(reading, line.data);
        if (own && line.size) on_line(reading, line, owner);
        reading->after_blank = line.size == 0;
    }
    issue_end(reading);
}

/* Issues that were counted and not listed. */
static void add_unlisted(struct reading *reading)
{
    for (int i = SEVERITY_COUNT; i-- > 0;) {
        struct finding *issue;
        if (reading->counted[i] == 0 || reading->listed[i] > 0) continue;
        issue = iterate_issue_add(reading->out, reading->arena);
        issue->severity = (enum severity)i;
        issue->text = str_of(arena_printf(reading->arena, "The review counts issues of severity %s "
                             "and lists none of them", iterate_severity_word(issue->severity)));
        check_report_add(reading->report, "not-listed", 0, "%s", issue->text.data);
    }
}

/* A copy in which the lines of the fence and what stands between them are blank. *open: the last
 * one is never closed. */
static char *without_quotes(struct str answer, const char *fence, bool *open)
{
    struct arena arena = { 0 };
    struct str first = str_of(arena_printf(&arena, "===== data %s =====", fence));
    struct str last = str_of(arena_printf(&arena, "===== end of data %s =====", fence));
    char *copy = mem_copy(answer.data, answer.size), *at = copy, *end = copy + answer.size;

    *open = false;
    while ((at = memmem(at, (size_t)(end - at), first.data, first.size)) != NULL) {
        char *close = memmem(at, (size_t)(end - at), last.data, last.size);

        *open = close == NULL;
        if (close) close = memchr(close, '\n', (size_t)(end - close));
        if (!close) close = end;
        while (at > copy && at[-1] != '\n') at--;
        for (; at < close; at++) {
            if (*at != '\n') *at = ' ';
        }
    }
    arena_release(&arena);
    return copy;
}

static bool read_lines(struct str answer, const char *fence, struct arena *arena,
                       struct check_report *report, struct iterate_issues *out)
{
    bool quote_open = false, quotes = fence && *fence;
    char *copy = quotes ? without_quotes(answer, fence, &quote_open) : NULL;
    struct str text = copy ? (struct str){ copy, answer.size } : answer;
    struct reading reading = { .arena = arena, .report = report, .out = out, .base = text.data };
    struct prose prose = { .rest = text };
    bool open;

    buf_init(&reading.masked, LINE_BYTES_MAX);
    buf_init(&reading.text, TEXT_BYTES_MAX);
    read_prose(&reading, &prose);
    add_unlisted(&reading);
    buf_release(&reading.masked);
    buf_release(&reading.text);
    free(copy);
    open = quote_open || prose_is_open(&prose);
    if (open) {
        check_report_add(report, "open-fence", prose_is_open(&prose) ? prose.open_line : 0,
                         "a quote or code fence is never closed: what follows it does not count");
    }
    if (out->count && reading.clean_line) {
        check_report_add(report, "clean-and-issues", reading.clean_line,
                         "this line says clean, and other lines list issues");
    }
    if (out->count == 0 && !reading.clean_line) {
        check_report_add(report, "no-verdict", 0, "no line carries HIGH, MEDIUM or LOW, and none "
                         "says that there are no issues");
    }
    if (out->count == 0 && reading.clean_line && reading.complaint_line) {
        check_report_add(report, "clean-and-complaint", reading.complaint_line, "this line names a "
                         "fault, and line %u says clean: list it with HIGH, MEDIUM or LOW in "
                         "front, or say that it is none", (unsigned)reading.clean_line);
    }
    return out->count > 0 || (reading.clean_line && !reading.complaint_line && !open);
}

/* ---- JSON ---- */

/* The whole issue as JSON, where its message says nothing. */
static struct str issue_text(yyjson_val *issue, struct arena *arena)
{
    size_t size = 0;
    char *json = yyjson_val_write(issue, YYJSON_WRITE_NOFLAG, &size);
    struct str text;

    assert(json);
    text = iterate_text((struct str){ json, size }, ISSUE_BYTES_MAX, arena);
    free(json);
    return text;
}

/* False when the issue cannot count: how grave it is cannot be told. */
static bool read_issue(yyjson_val *issue, size_t number, uint32_t line, struct arena *arena,
                       struct check_report *report, struct iterate_issues *out)
{
    yyjson_val *severity = yyjson_obj_get(issue, "severity");
    yyjson_val *message = yyjson_obj_get(issue, "message");
    yyjson_val *location = yyjson_obj_get(issue, "location");
    struct finding finding = { 0 };
    char shown[R1_SHOWN_BYTES];

    if (!yyjson_is_obj(issue)) {
        check_report_add(report, "bad-issue", line, "issue %zu is %s: wanted an object", number,
                         r1_show(issue, shown));
        return false;
    }
    if (json_has_duplicates(issue)) {
        check_report_add(report, "duplicate-key", line, "issue %zu has a key twice", number);
        return false;
    }
    if (!yyjson_is_str(severity) ||
        !iterate_severity_read(str_trim(json_value(severity)), &finding.severity)) {
        check_report_add(report, "bad-severity", line, "issue %zu: severity is %s: wanted "
                         "\"HIGH\", \"MEDIUM\" or \"LOW\"", number, r1_show(severity, shown));
        return false;
    }
    if (yyjson_is_str(message) && str_trim(json_value(message)).size > 0) {
        finding.text = iterate_text(str_trim(json_value(message)), ISSUE_BYTES_MAX, arena);
    } else {
        check_report_add(report, "no-message", line, "issue %zu: message is %s: wanted what is "
                         "wrong, in words", number, r1_show(message, shown));
        finding.text = issue_text(issue, arena);
    }
    if (yyjson_is_str(location)) {
        struct str place = iterate_text(json_value(location), PLACE_BYTES_MAX, arena);
        iterate_place_read(place, &finding);
    } else if (location && !yyjson_is_null(location)) {
        check_report_add(report, "bad-location", line, "issue %zu: location is %s: wanted "
                         "\"file:line\" or null", number, r1_show(location, shown));
    }
    *iterate_issue_add(out, arena) = finding;
    return true;
}

static bool read_list(yyjson_val *list, struct json_walk walk, struct arena *arena,
                      struct check_report *report, struct iterate_issues *out)
{
    bool good = true;
    yyjson_arr_iter iter;
    yyjson_val *issue;
    size_t number = 0;

    yyjson_arr_iter_init(list, &iter);
    json_walk_enter(&walk);
    while ((issue = yyjson_arr_iter_next(&iter)) != NULL) {
        uint32_t line = json_walk_next(&walk, NULL) ? walk.line : 0;
        json_walk_skip(&walk);
        good = read_issue(issue, ++number, line, arena, report, out) && good;
    }
    return good;
}

static bool read_json(struct str text, struct arena *arena, struct check_report *report,
                      struct iterate_issues *out)
{
    yyjson_doc *doc = NULL;
    yyjson_val *root, *list;
    struct err err = { 0 };
    struct json_walk top, at = { 0 };
    char shown[R1_SHOWN_BYTES];
    bool good = false;

    if (json_read(text, &doc, &err) != 0) {
        check_report_err(report, "not-json", "not JSON: ", err.text, 0);
        return false;
    }
    top = json_walk_start(text);
    root = yyjson_doc_get_root(doc);
    list = yyjson_obj_get(root, "issues");
    if (!yyjson_is_obj(root)) {
        check_report_add(report, "not-object", top.line, "it is %s: wanted an object with `issues`",
                         r1_show(root, shown));
    } else if (json_has_duplicates(root)) {
        check_report_add(report, "duplicate-key", top.line, "the object has a key twice");
    } else if (!yyjson_is_arr(list)) {
        check_report_add(report, "no-issues", top.line, "`issues` is %s: wanted an array, empty "
                         "where there is no issue", r1_show(list, shown));
    } else {
        json_walk_member(top, "issues", &at);
        good = read_list(list, at, arena, report, out);
    }
    yyjson_doc_free(doc);
    return good;
}

/* ---- the answer ---- */

/* An array is no review, but text may begin with a bracket too: [HIGH] ... */
static bool is_json_array(struct str text)
{
    yyjson_doc *doc = NULL;
    struct err none;
    bool is_array;

    if (!str_starts(text, STR("["))) return false;
    is_array = json_read(text, &doc, &none) == 0;
    yyjson_doc_free(doc);
    return is_array;
}

bool iterate_issues_read(struct str answer, const char *fence, struct arena *arena,
                         struct check_report *report, struct iterate_issues *out)
{
    static const struct str mark = STR("\xef\xbb\xbf");
    struct str text;
    char *copy;
    bool good;

    *out = (struct iterate_issues){ 0 };
    if (str_starts(answer, mark)) answer = str_skip(answer, mark.size);
    text = str_trim(answer);
    if (answer.size > ANSWER_BYTES_MAX) {
        check_report_add(report, "too-big", 0, "%zu bytes: at most %d are read", answer.size,
                         ANSWER_BYTES_MAX);
        return false;
    }
    if (text.size == 0) {
        check_report_add(report, "empty", 0, "the answer is empty");
        return false;
    }
    copy = answer_unfenced(answer);
    if (copy && !str_starts(str_trim((struct str){ copy, answer.size }), STR("{"))) {
        free(copy); /* a fence around lines */
        copy = NULL;
    }
    if (copy) {
        good = read_json((struct str){ copy, answer.size }, arena, report, out);
    } else if (str_starts(text, STR("{")) || is_json_array(text)) {
        good = read_json(answer, arena, report, out);
    } else {
        good = read_lines(answer, fence, arena, report, out);
    }
    free(copy);
    if (!good) *out = (struct iterate_issues){ 0 };
    return good;
}

/* The judge makes the best of an answer; here everything that is wrong with it is said. So an
 * answer without a problem is one that the judge takes, and reads as its writer meant it. */
void check_iterate(struct str content, struct check_report *report)
{
    struct iterate_issues issues;
    struct arena arena = { 0 };

    iterate_issues_read(content, NULL, &arena, report, &issues);
    arena_release(&arena);
}
