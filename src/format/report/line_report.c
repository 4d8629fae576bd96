/* SPDX-License-Identifier: Apache-2.0
 *
 * line_report.c - reports of a line for each finding, by patterns that are data.
 *
 * A pattern is matched from left to right: a piece of fixed text stands where it is, a field takes
 * what its kind allows, and where the rest does not fit, {file} and {word} are tried one piece
 * longer and {text} and {fix} one piece shorter.
 *
 * 1. A line is matched in at most STEPS_MAX steps: one that wants more fits no pattern.
 * 2. Every line is understood: matched, skipped by the form, the continuation of the one before, or
 *    the report is refused.
 * 3. Texts are UTF-8; a line that is not refuses the report.
 * 4. A fix is made of {word} and {fix} where {fix} is one thing: several with commas between are
 *    for a person to choose from. */
#include "format/report/diagnostic.h"

#include "base/byte.h"
#include "format/text/utf8.h"
#include "format/text/words.h"

#include <string.h>

enum { STEPS_MAX = 20000, PATH_BYTES_MAX = 4096 };

enum field { FIELD_FILE, FIELD_LINE, FIELD_COLUMN, FIELD_SEVERITY, FIELD_RULE, FIELD_WORD,
             FIELD_FIX, FIELD_TEXT, FIELD_COUNT };

static const char *const field_names[FIELD_COUNT] = {
    [FIELD_FILE] = "{file}", [FIELD_LINE] = "{line}", [FIELD_COLUMN] = "{column}",
    [FIELD_SEVERITY] = "{severity}", [FIELD_RULE] = "{rule}", [FIELD_WORD] = "{word}",
    [FIELD_FIX] = "{fix}", [FIELD_TEXT] = "{text}",
};

struct matching {
    struct str fields[FIELD_COUNT]; /* data NULL: the pattern has none */
    uint32_t steps;
};

const struct line_form line_form_gcc = {
    .patterns = (const char *const[]){
        "{file}:{line}:{column}: {severity}: {text} [{rule}]",
        "{file}:{line}:{column}: {severity}: {text}",
        "{file}:{line}: {severity}: {text} [{rule}]",
        "{file}:{line}: {severity}: {text}",
        "{file}:{line}:{column}: {text}",
        "{file}:{line}: {text}",
        NULL },
};

/* The field that a pattern begins with; FIELD_COUNT: it begins with fixed text. */
static enum field field_at(struct str pattern)
{
    enum field field = 0;

    while (field < FIELD_COUNT && !str_starts(pattern, str_of(field_names[field]))) field++;
    return field;
}

/* How many bytes of the line a field can take at most. */
static size_t field_reach(enum field field, struct str line)
{
    size_t bytes = 0;

    switch (field) {
    case FIELD_LINE:
    case FIELD_COLUMN:
        return text_digits(line);
    case FIELD_SEVERITY:
    case FIELD_RULE:
    case FIELD_WORD:
        while (bytes < line.size && line.data[bytes] != ' ' && line.data[bytes] != '\t') bytes++;
        return bytes;
    case FIELD_FILE:
    case FIELD_FIX:
    case FIELD_TEXT:
    case FIELD_COUNT:
        break;
    }
    return line.size;
}

static bool takes_most(enum field field)
{
    return field == FIELD_LINE || field == FIELD_COLUMN || field == FIELD_FIX ||
           field == FIELD_TEXT;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as a pattern has fields */
static bool pattern_fits(struct matching *matching, struct str pattern, struct str line)
{
    enum field field;
    size_t reach;

    while (pattern.size > 0 && (field = field_at(pattern)) == FIELD_COUNT) {
        if (line.size == 0 || line.data[0] != pattern.data[0]) return false;
        pattern = str_skip(pattern, 1);
        line = str_skip(line, 1);
    }
    if (pattern.size == 0) return line.size == 0;
    pattern = str_skip(pattern, strlen(field_names[field]));
    reach = field_reach(field, line);
    for (size_t i = 1; i <= reach; i++) {
        size_t bytes = takes_most(field) ? reach + 1 - i : i;

        if (matching->steps++ >= STEPS_MAX) return false;
        if (pattern.size == 0 && bytes != line.size) continue;
        if (pattern.size > 0 && field_at(pattern) == FIELD_COUNT &&
            (bytes == line.size || line.data[bytes] != pattern.data[0])) continue;
        matching->fields[field] = (struct str){ line.data, bytes };
        if (pattern_fits(matching, pattern, str_skip(line, bytes))) return true;
        matching->fields[field] = (struct str){ 0 };
        if (field == FIELD_LINE || field == FIELD_COLUMN) return false; /* all digits, or none */
    }
    return false;
}

const char *line_pattern_problem(struct str pattern)
{
    bool seen[FIELD_COUNT] = { 0 };
    bool field_before = false;

    for (enum field field; pattern.size > 0;) {
        field = field_at(pattern);
        if (field == FIELD_COUNT) {
            if (pattern.data[0] == '{' || pattern.data[0] == '}') {
                return "it may hold {file}, {line}, {column}, {severity}, {rule}, {word}, {fix} "
                       "and {text} in braces, and no others";
            }
            pattern = str_skip(pattern, 1);
            field_before = false;
            continue;
        }
        if (seen[field]) return "it has a field twice";
        if (field_before) return "something must stand between two fields";
        seen[field] = field_before = true;
        pattern = str_skip(pattern, strlen(field_names[field]));
    }
    if (!seen[FIELD_FILE]) return "it has no {file}";
    if (!seen[FIELD_TEXT] && !seen[FIELD_FIX]) return "it has no {text}";
    return NULL;
}

static bool begins_with_one(struct str text, const char *const *list)
{
    for (; list && *list; list++) {
        if (str_starts(text, str_of(*list))) return true;
    }
    return false;
}

static bool number_of(struct str digits, uint32_t *out)
{
    uint64_t number = 0;

    *out = 0;
    if (digits.size == 0) return true;
    if (!str_number(digits, &number) || number >= UINT32_MAX) return false;
    *out = (uint32_t)number;
    return true;
}

static enum severity severity_by(const struct line_form *form, const struct matching *matching)
{
    const struct str *fields = matching->fields;

    if (fields[FIELD_SEVERITY].data) {
        return severity_of_word(text_bare(fields[FIELD_SEVERITY], "[(", "])"));
    }
    if (begins_with_one(fields[FIELD_RULE], form->severe)) return SEVERITY_HIGH;
    return begins_with_one(fields[FIELD_RULE], form->light) ? SEVERITY_LOW : SEVERITY_MEDIUM;
}

static void fix_take(struct diagnostics *out, struct diagnostic *to,
                     const struct matching *matching)
{
    struct str word = matching->fields[FIELD_WORD], text = matching->fields[FIELD_FIX];
    struct tool_fix *fix;

    if (!word.data || !text.data || str_has(text, ',') || to->place.line == 0) return;
    fix = diagnostic_fix_add(out, to);
    *tool_edit_add(out, fix) = (struct tool_edit){
        .file = to->file, .text = arena_copy(&out->arena, text),
        .place = { .line = to->place.line, .word = arena_copy(&out->arena, word) },
    };
}

/* What the line says of the finding. */
static struct str text_by(struct diagnostics *out, const struct matching *matching)
{
    const struct str *fields = matching->fields;

    if (fields[FIELD_TEXT].data) return diagnostic_text(out, str_trim(fields[FIELD_TEXT]));
    return diagnostic_text(out, str_of(arena_printf(
        &out->arena, "'%.*s' should perhaps be '%.*s'", STR_ARG(fields[FIELD_WORD]),
        STR_ARG(fields[FIELD_FIX]))));
}

static int line_take(const struct line_form *form, const struct matching *matching,
                     struct diagnostics *out, struct err *err)
{
    const struct str *fields = matching->fields;
    struct diagnostic *to;
    uint32_t line, column;

    if (!number_of(fields[FIELD_LINE], &line) || !number_of(fields[FIELD_COLUMN], &column)) {
        return err_set(err, ERR_FORMAT, "a line or a column is too large");
    }
    if (fields[FIELD_FILE].size > PATH_BYTES_MAX) {
        return err_set(err, ERR_FORMAT, "a path is longer than %d bytes", PATH_BYTES_MAX);
    }
    to = diagnostic_add(out);
    if (!to) return err_set(err, ERR_LIMIT, "more than %d findings", DIAGNOSTICS_MAX);
    to->severity = severity_by(form, matching);
    to->file = arena_copy(&out->arena, fields[FIELD_FILE]);
    to->rule = fields[FIELD_RULE].data ? diagnostic_text(out, fields[FIELD_RULE])
                                       : str_of(form->rule);
    to->text = text_by(out, matching);
    if (to->text.size == 0) to->text = to->rule.size ? to->rule : STR("something is wrong here");
    to->place.unit = form->unit;
    to->place.line = line;
    if (line && fields[FIELD_COLUMN].data) to->place.column = column + form->column_from_0;
    fix_take(out, to, matching);
    return 0;
}

/* More of the text of the last one. */
static void text_go_on(struct diagnostics *out, struct str line)
{
    struct diagnostic *to = &out->items[out->count - 1];

    if (to->text.size + line.size > DIAGNOSTIC_TEXT_BYTES_MAX) return;
    to->text = str_of(arena_printf(&out->arena, "%.*s %.*s", STR_ARG(to->text),
                                   STR_ARG(str_trim(line))));
}

static int report_line_read(const struct line_form *form, struct str line, struct diagnostics *out,
                     struct err *err)
{
    bool blank = line.data[0] == ' ' || line.data[0] == '\t';

    if (str_has(line, '\0') || utf8_prefix(line) != line.size) {
        return err_set(err, ERR_FORMAT, "it is no text");
    }
    if (begins_with_one(line, form->skips)) return 0;
    for (uint32_t i = 0; form->patterns[i]; i++) {
        struct matching matching = { 0 };

        if (!pattern_fits(&matching, str_of(form->patterns[i]), line)) continue;
        return line_take(form, &matching, out, err);
    }
    if (!blank || out->count == 0) {
        return err_set(err, ERR_FORMAT, "it does not have the form %s", form->patterns[0]);
    }
    text_go_on(out, line);
    return 0;
}

int line_report_read(const struct line_form *form, struct str text, struct diagnostics *out,
                     struct err *err)
{
    struct str line;

    for (uint32_t number = 1; str_cut(&text, '\n', &line); number++) {
        if (str_ends(line, STR("\r"))) line.size--;
        if (str_trim(line).size == 0) continue;
        if (report_line_read(form, line, out, err) != 0) return err_wrap(err, "line %u", number);
    }
    return 0;
}
