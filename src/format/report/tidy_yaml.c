/* SPDX-License-Identifier: Apache-2.0
 *
 * tidy_yaml.c - the file that `clang-tidy --export-fixes=FILE` writes, by libyaml's events.
 *
 *     ---
 *     MainSourceFile:  '/p/a.c'
 *     Diagnostics:
 *       - DiagnosticName:  bugprone-macro-parentheses
 *         DiagnosticMessage:
 *           Message:         macro argument should be enclosed in parentheses
 *           FilePath:        '/p/a.c'
 *           FileOffset:      231
 *           Replacements:
 *             - FilePath:        '/p/a.c'
 *               Offset:          231
 *               Length:          0
 *               ReplacementText: '('
 *         Level:           Warning
 *     ...
 *
 * 1. YAML that is cut at the end of a line is still YAML. clang-tidy closes its report with "...",
 *    so a report that does not end in it is refused: nothing shorter reads as a whole one.
 * 2. Anchors, aliases and tags are refused (clang-tidy writes none), so what is read is never
 *    larger than what is there. Depth and size are bounded.
 * 3. A key that stands twice in one mapping is refused; a key that is not known here is skipped.
 * 4. A text that clang-tidy could not write as it is ends in U+FFFD and has lost its rest; one that
 *    spans lines has lost its blanks. A fix with such a text or path is left out whole.
 * 5. The replacements of notes are not taken: clang puts there what a person has to choose from.
 * 6. An error in no file means that clang-tidy could not look at the source: the failure. */
#include "format/report/diagnostic.h"

#include "base/byte.h"
#include "format/report/hints.h"
#include "format/text/words.h"

#include <assert.h>
#include <string.h>
#include <yaml.h>

enum { REPORT_BYTES_MAX = 256 << 20, DEPTH_MAX = 16 };

struct reading {
    yaml_parser_t parser;
    yaml_event_t event; /* the one that was read last */
    bool has_event;
    uint32_t depth;
    struct diagnostics *out;
    struct err *err;
};

enum { KEY_END = -1 };

/* ---- events ------------------------------------------------------------------------------ */

static int bad(struct reading *reading, const char *what)
{
    return err_set(reading->err, ERR_FORMAT, "line %zu: %s", reading->event.start_mark.line + 1,
                   what);
}

static bool has_anchor(const yaml_event_t *event)
{
    if (event->type == YAML_ALIAS_EVENT) return true;
    if (event->type == YAML_SCALAR_EVENT) {
        return event->data.scalar.anchor || event->data.scalar.tag;
    }
    if (event->type == YAML_SEQUENCE_START_EVENT) {
        return event->data.sequence_start.anchor || event->data.sequence_start.tag;
    }
    if (event->type == YAML_MAPPING_START_EVENT) {
        return event->data.mapping_start.anchor || event->data.mapping_start.tag;
    }
    return false;
}

static int next_event(struct reading *reading)
{
    yaml_event_t *event = &reading->event;

    if (reading->has_event) yaml_event_delete(event);
    reading->has_event = yaml_parser_parse(&reading->parser, event);
    if (!reading->has_event) {
        const yaml_parser_t *parser = &reading->parser;
        bool read = parser->error == YAML_READER_ERROR;

        assert(parser->error != YAML_MEMORY_ERROR);
        return err_set(reading->err, ERR_FORMAT, "line %zu: %s",
                       (read ? parser->mark.line : parser->problem_mark.line) + 1,
                       parser->problem ? parser->problem : "no YAML");
    }
    if (has_anchor(event)) return bad(reading, "anchors, aliases and tags are refused");
    if (event->type == YAML_SEQUENCE_START_EVENT || event->type == YAML_MAPPING_START_EVENT) {
        if (++reading->depth > DEPTH_MAX) return bad(reading, "too many levels");
    }
    if (event->type == YAML_SEQUENCE_END_EVENT || event->type == YAML_MAPPING_END_EVENT) {
        reading->depth--;
    }
    return 0;
}

static int expect(struct reading *reading, yaml_event_type_t type, const char *otherwise)
{
    int rc = next_event(reading);

    if (rc == 0 && reading->event.type != type) rc = bad(reading, otherwise);
    return rc;
}

static struct str scalar(const struct reading *reading)
{
    return (struct str){ (const char *)reading->event.data.scalar.value,
                         reading->event.data.scalar.length };
}

static int skip_value(struct reading *reading)
{
    uint32_t depth = reading->depth;
    int rc;

    do rc = next_event(reading);
    while (rc == 0 && reading->depth > depth);
    return rc;
}

/* The next key of a mapping whose beginning was read: its index in keys, or KEY_END. The value is
 * to be read next. */
static int next_key(struct reading *reading, const char *const *keys, uint32_t *seen, int *out)
{
    for (;;) {
        int rc = next_event(reading), key = 0;

        if (rc != 0) return rc;
        *out = KEY_END;
        if (reading->event.type == YAML_MAPPING_END_EVENT) return 0;
        if (reading->event.type != YAML_SCALAR_EVENT) return bad(reading, "this is no key");
        while (keys[key] && !str_is(scalar(reading), keys[key])) key++;
        if (keys[key]) {
            if (*seen & 1u << key) return bad(reading, "this key stands twice");
            *seen |= 1u << key;
            *out = key;
            return 0;
        }
        rc = skip_value(reading);
        if (rc != 0) return rc;
    }
}

/* To the next item of a sequence; *more is false at its end. */
static int next_item(struct reading *reading, bool *more)
{
    int rc = next_event(reading);

    if (rc != 0) return rc;
    *more = reading->event.type != YAML_SEQUENCE_END_EVENT;
    if (*more && reading->event.type != YAML_MAPPING_START_EVENT) {
        return bad(reading, "this is no mapping");
    }
    return 0;
}

static int take_path(struct reading *reading, struct str *out)
{
    int rc = expect(reading, YAML_SCALAR_EVENT, "a text is missing");

    if (rc == 0) *out = arena_copy(&reading->out->arena, scalar(reading));
    return rc;
}

static int take_text(struct reading *reading, struct str *out)
{
    int rc = expect(reading, YAML_SCALAR_EVENT, "a text is missing");

    if (rc == 0) *out = diagnostic_text(reading->out, scalar(reading));
    return rc;
}

static int take_number(struct reading *reading, uint64_t *out)
{
    int rc = expect(reading, YAML_SCALAR_EVENT, "a number is missing");

    if (rc == 0 && !str_number(scalar(reading), out)) rc = bad(reading, "this is no number");
    return rc;
}

/* ---- what clang-tidy writes -------------------------------------------------------------- */

/* A diagnostic's message, or a note of it. */
struct message {
    struct str text, file;
    struct place place;
    struct tool_fix fix;
    bool unusable; /* the fix */
    uint32_t seen;
};

static bool is_exact(const struct reading *reading, struct str text)
{
    return reading->event.start_mark.line == reading->event.end_mark.line &&
           text.size <= DIAGNOSTIC_EDIT_BYTES_MAX &&
           !text_has(text, "\xef\xbf\xbd");
}

static int take_replacement(struct reading *reading, struct message *to)
{
    enum { FILE_PATH, OFFSET, LENGTH, TEXT, ALL = 15 };
    static const char *const keys[] = { "FilePath", "Offset", "Length", "ReplacementText", NULL };
    struct tool_edit edit = { .place = { .by_offset = true } }, *added;
    uint64_t length = 0;
    uint32_t seen = 0;
    int key, rc = 0;

    while (rc == 0 && (rc = next_key(reading, keys, &seen, &key)) == 0 && key != KEY_END) {
        switch (key) {
        case FILE_PATH:
            rc = take_path(reading, &edit.file);
            if (rc == 0 && !is_exact(reading, edit.file)) to->unusable = true;
            break;
        case OFFSET: rc = take_number(reading, &edit.place.offset); break;
        case LENGTH: rc = take_number(reading, &length); break;
        case TEXT:
            rc = expect(reading, YAML_SCALAR_EVENT, "a text is missing");
            if (rc == 0 && !is_exact(reading, scalar(reading))) to->unusable = true;
            else if (rc == 0) edit.text = arena_copy(&reading->out->arena, scalar(reading));
            break;
        }
    }
    if (rc != 0) return rc;
    if (seen != ALL) return bad(reading, "a replacement is not complete");
    if (length > UINT64_MAX - edit.place.offset) return bad(reading, "a replacement has no end");
    edit.place.end_offset = edit.place.offset + length;
    if (edit.file.size == 0) to->unusable = true;
    added = tool_edit_add(reading->out, &to->fix);
    *added = edit;
    return 0;
}

/* The range that the message's offset stands in says where it ends. */
static int take_range(struct reading *reading, struct message *to)
{
    enum { FILE_PATH, OFFSET, LENGTH, ALL = 7 };
    static const char *const keys[] = { "FilePath", "FileOffset", "Length", NULL };
    struct str file = { 0 };
    uint64_t offset = 0, length = 0;
    uint32_t seen = 0;
    int key, rc = 0;

    while (rc == 0 && (rc = next_key(reading, keys, &seen, &key)) == 0 && key != KEY_END) {
        switch (key) {
        case FILE_PATH: rc = take_path(reading, &file); break;
        case OFFSET: rc = take_number(reading, &offset); break;
        case LENGTH: rc = take_number(reading, &length); break;
        }
    }
    if (rc != 0) return rc;
    if (seen != ALL) return bad(reading, "a range is not complete");
    if (length > UINT64_MAX - offset) return bad(reading, "a range has no end");
    if (str_eq(file, to->file) && offset <= to->place.offset &&
        offset + length > to->place.end_offset) {
        to->place.end_offset = offset + length;
    }
    return 0;
}

static int take_list(struct reading *reading, struct message *to,
                     int (*take)(struct reading *reading, struct message *to))
{
    int rc = expect(reading, YAML_SEQUENCE_START_EVENT, "a list is missing");
    bool more = true;

    while (rc == 0) {
        rc = next_item(reading, &more);
        if (rc != 0 || !more) return rc;
        rc = take(reading, to);
    }
    return rc;
}

/* The mapping's beginning was read. */
static int take_message(struct reading *reading, struct message *to)
{
    enum { MESSAGE, FILE_PATH, OFFSET, REPLACEMENTS, RANGES, NEEDED = 7 };
    static const char *const keys[] = {
        "Message", "FilePath", "FileOffset", "Replacements", "Ranges", NULL
    };
    int key, rc = 0;

    *to = (struct message){ .place = { .by_offset = true } };
    while (rc == 0 && (rc = next_key(reading, keys, &to->seen, &key)) == 0 && key != KEY_END) {
        switch (key) {
        case MESSAGE: rc = take_text(reading, &to->text); break;
        case FILE_PATH: rc = take_path(reading, &to->file); break;
        case OFFSET:
            rc = take_number(reading, &to->place.offset);
            to->place.end_offset = to->place.offset;
            break;
        case REPLACEMENTS: rc = take_list(reading, to, take_replacement); break;
        case RANGES: rc = take_list(reading, to, take_range); break;
        }
    }
    if (rc == 0 && (to->seen & NEEDED) != NEEDED) rc = bad(reading, "a message is not complete");
    return rc;
}

/* Notes that say nothing new: the message itself, which the analyzer repeats as its last step, and
 * clang-tidy's own word about a fix that it left out. */
static int take_notes(struct reading *reading, struct str message, struct hints *hints)
{
    int rc = expect(reading, YAML_SEQUENCE_START_EVENT, "a list is missing");
    struct message note;
    bool more = true;

    while (rc == 0) {
        rc = next_item(reading, &more);
        if (rc != 0 || !more) return rc;
        rc = take_message(reading, &note);
        if (rc != 0) return rc;
        if (str_starts(note.text, STR("this fix will not be applied"))) continue;
        if (str_eq(note.text, message)) continue;
        hints_add(hints, note.text, 0);
    }
    return rc;
}

static enum severity severity_of(struct str level, struct str rule)
{
    static const char *const style[] = {
        "abseil-", "altera-", "cppcoreguidelines-", "fuchsia-", "google-", "hicpp-", "llvm-",
        "llvmlibc-", "modernize-", "performance-", "portability-", "readability-",
    };

    if (str_is(level, "Error")) return SEVERITY_HIGH;
    if (str_is(level, "Remark")) return SEVERITY_LOW;
    for (size_t i = 0; i < sizeof style / sizeof *style; i++) {
        if (str_starts(rule, str_of(style[i]))) return SEVERITY_LOW;
    }
    return SEVERITY_MEDIUM;
}

/* Where its check is described: module/name behind the address of all. */
static void add_address(struct hints *hints, struct str rule, struct arena *arena)
{
    static const struct { const char *prefix, *address, *suffix; } places[] = {
        { "clang-diagnostic-", "https://clang.llvm.org/docs/DiagnosticsReference.html#w", "" },
        { "clang-analyzer-", "https://clang.llvm.org/extra/clang-tidy/checks/clang-analyzer/",
          ".html" },
        { "", "https://clang.llvm.org/extra/clang-tidy/checks/", ".html" },
    };
    size_t at = 0;
    struct str name, module = { 0 };

    if (str_is(rule, "clang-diagnostic-error") || rule.size > 200) return;
    for (size_t i = 0; i < rule.size; i++) {
        char byte = rule.data[i];
        if (!str_has(STR("-._+"), byte) && !byte_is_alnum(byte)) return;
    }
    while (!str_starts(rule, str_of(places[at].prefix))) at++;
    name = str_skip(rule, strlen(places[at].prefix));
    if (!*places[at].prefix) str_cut(&name, '-', &module);
    if (name.size == 0) return;
    hints_add_last(hints, str_of(arena_printf(arena, "%s%.*s%s%.*s%s", places[at].address,
                                              STR_ARG(module), module.size ? "/" : "",
                                              STR_ARG(name), places[at].suffix)));
}

static int diagnostic_take(struct reading *reading, const struct message *message,
                           struct str rule, struct str level, struct str help)
{
    struct diagnostic *to = diagnostic_add(reading->out);

    if (!to) {
        return err_set(reading->err, ERR_LIMIT, "more than %d diagnostics", DIAGNOSTICS_MAX);
    }
    to->severity = severity_of(level, rule);
    to->rule = rule;
    to->text = message->text.size ? message->text : rule;
    to->help = help;
    to->file = message->file;
    if (to->file.size) to->place = message->place;
    if (message->fix.count && !message->unusable) {
        *diagnostic_fix_add(reading->out, to) = message->fix;
    }
    if (to->severity == SEVERITY_HIGH && !to->file.size && !reading->out->failure.size) {
        reading->out->failure = to->text;
    }
    return 0;
}

/* The mapping's beginning was read. */
static int take_diagnostic(struct reading *reading, struct hints *hints)
{
    enum { NAME, MESSAGE, NOTES, LEVEL, NEEDED = 3 };
    static const char *const keys[] = {
        "DiagnosticName", "DiagnosticMessage", "Notes", "Level", NULL
    };
    struct message message = { 0 };
    struct str rule = { 0 }, level = { 0 };
    uint32_t seen = 0;
    int key, rc = 0;

    hints_clear(hints);
    while (rc == 0 && (rc = next_key(reading, keys, &seen, &key)) == 0 && key != KEY_END) {
        switch (key) {
        case NAME: rc = take_text(reading, &rule); break;
        case MESSAGE:
            rc = expect(reading, YAML_MAPPING_START_EVENT, "a message is missing");
            if (rc == 0) rc = take_message(reading, &message);
            break;
        case NOTES: rc = take_notes(reading, message.text, hints); break;
        case LEVEL: rc = take_text(reading, &level); break;
        }
    }
    if (rc != 0) return rc;
    if ((seen & NEEDED) != NEEDED || rule.size == 0) {
        return bad(reading, "a diagnostic is not complete");
    }
    add_address(hints, rule, &reading->out->arena);
    return diagnostic_take(reading, &message, rule, level,
                           hints_text(hints, reading->out));
}

static int take_diagnostics(struct reading *reading)
{
    int rc = expect(reading, YAML_SEQUENCE_START_EVENT, "a list is missing");
    struct hints hints;
    bool more = true;

    hints_init(&hints);
    while (rc == 0) {
        rc = next_item(reading, &more);
        if (rc != 0 || !more) break;
        rc = take_diagnostic(reading, &hints);
    }
    hints_release(&hints);
    return rc;
}

static int take_report(struct reading *reading)
{
    enum { MAIN, DIAGNOSTICS, ALL = 3 };
    static const char *const keys[] = { "MainSourceFile", "Diagnostics", NULL };
    struct str unit = { 0 };
    uint32_t seen = 0;
    int key, rc = 0;

    rc = expect(reading, YAML_STREAM_START_EVENT, "no YAML");
    if (rc == 0) rc = expect(reading, YAML_DOCUMENT_START_EVENT, "there is nothing in it");
    if (rc == 0) rc = expect(reading, YAML_MAPPING_START_EVENT, "this is no mapping");
    if (rc != 0) return rc;
    while (rc == 0 && (rc = next_key(reading, keys, &seen, &key)) == 0 && key != KEY_END) {
        switch (key) {
        case MAIN: rc = take_path(reading, &unit); break;
        case DIAGNOSTICS: rc = take_diagnostics(reading); break;
        }
    }
    if (rc != 0) return rc;
    if (seen != ALL) return bad(reading, "MainSourceFile or Diagnostics is missing");
    rc = expect(reading, YAML_DOCUMENT_END_EVENT, "the report does not end here");
    if (rc != 0) return rc;
    if (reading->event.data.document_end.implicit) return bad(reading, "the report is cut off");
    for (uint32_t i = 0; i < reading->out->count; i++) {
        struct diagnostic *item = &reading->out->items[i];
        if (!str_eq(item->file, unit)) item->unit = unit;
    }
    return expect(reading, YAML_STREAM_END_EVENT, "there is more behind the report");
}

int tidy_yaml_read(struct str text, struct diagnostics *out, struct err *err)
{
    struct reading reading = { .out = out, .err = err };
    int rc;

    if (text.size > REPORT_BYTES_MAX) {
        return err_set(err, ERR_LIMIT, "clang-tidy's report has %zu bytes", text.size);
    }
    rc = yaml_parser_initialize(&reading.parser);
    assert(rc);
    yaml_parser_set_encoding(&reading.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reading.parser,
                                 (const unsigned char *)(text.data ? text.data : ""), text.size);
    rc = take_report(&reading);
    if (reading.has_event) yaml_event_delete(&reading.event);
    yaml_parser_delete(&reading.parser);
    if (rc != 0) return err_wrap(err, "clang-tidy's report");
    return 0;
}
