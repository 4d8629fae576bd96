/* SPDX-License-Identifier: Apache-2.0
 *
 * tidy_yaml.c - the file that `clang-tidy --export-fixes=FILE` writes, by yaml_reader.h.
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
 * 2. A key that is not known here is skipped.
 * 3. A text that clang-tidy could not write as it is ends in U+FFFD and has lost its rest; one that
 *    spans lines has lost its blanks. A fix with such a text or path is left out whole.
 * 4. The replacements of notes are not taken: clang puts there what a person has to choose from.
 * 5. An error in no file means that clang-tidy could not look at the source: the failure. */
#include "format/report/diagnostic.h"

#include "base/byte.h"
#include "format/report/hints.h"
#include "format/text/words.h"
#include "format/text/yaml_reader.h"

#include <string.h>

enum { REPORT_BYTES_MAX = 256 << 20 };

struct reading {
    struct yaml_reader yaml;
    struct diagnostics *out;
};

static int take_path(struct reading *reading, struct str *out)
{
    struct yaml_reader *yaml = &reading->yaml;
    int rc = yaml_expect(yaml, YAML_SCALAR_EVENT, "a text is missing");

    if (rc == 0) *out = arena_copy(&reading->out->arena, yaml_scalar(yaml));
    return rc;
}

static int take_text(struct reading *reading, struct str *out)
{
    struct yaml_reader *yaml = &reading->yaml;
    int rc = yaml_expect(yaml, YAML_SCALAR_EVENT, "a text is missing");

    if (rc == 0) *out = diagnostic_text(reading->out, yaml_scalar(yaml));
    return rc;
}

static int take_number(struct reading *reading, uint64_t *out)
{
    struct yaml_reader *yaml = &reading->yaml;
    int rc = yaml_expect(yaml, YAML_SCALAR_EVENT, "a number is missing");

    if (rc == 0 && !str_number(yaml_scalar(yaml), out)) rc = yaml_bad(yaml, "this is no number");
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
    return reading->yaml.event.start_mark.line == reading->yaml.event.end_mark.line &&
           text.size <= DIAGNOSTIC_EDIT_BYTES_MAX &&
           !text_has(text, "\xef\xbf\xbd");
}

static int take_replacement(struct reading *reading, struct message *to)
{
    struct yaml_reader *yaml = &reading->yaml;
    enum { FILE_PATH, OFFSET, LENGTH, TEXT, ALL = 15 };
    static const char *const keys[] = { "FilePath", "Offset", "Length", "ReplacementText", NULL };
    struct tool_edit edit = { .place = { .by_offset = true } }, *added;
    uint64_t length = 0;
    uint32_t seen = 0;
    int key, rc = 0;

    while (rc == 0 && (rc = yaml_next_key(yaml, keys, &seen, &key)) == 0 && key != YAML_KEY_END) {
        switch (key) {
        case FILE_PATH:
            rc = take_path(reading, &edit.file);
            if (rc == 0 && !is_exact(reading, edit.file)) to->unusable = true;
            break;
        case OFFSET: rc = take_number(reading, &edit.place.offset); break;
        case LENGTH: rc = take_number(reading, &length); break;
        case TEXT:
            rc = yaml_expect(yaml, YAML_SCALAR_EVENT, "a text is missing");
            if (rc == 0 && !is_exact(reading, yaml_scalar(yaml))) to->unusable = true;
            else if (rc == 0) edit.text = arena_copy(&reading->out->arena, yaml_scalar(yaml));
            break;
        }
    }
    if (rc != 0) return rc;
    if (seen != ALL) return yaml_bad(yaml, "a replacement is not complete");
    if (length > UINT64_MAX - edit.place.offset) return yaml_bad(yaml, "a replacement has no end");
    edit.place.end_offset = edit.place.offset + length;
    if (edit.file.size == 0) to->unusable = true;
    added = tool_edit_add(reading->out, &to->fix);
    *added = edit;
    return 0;
}

/* The range that the message's offset stands in says where it ends. */
static int take_range(struct reading *reading, struct message *to)
{
    struct yaml_reader *yaml = &reading->yaml;
    enum { FILE_PATH, OFFSET, LENGTH, ALL = 7 };
    static const char *const keys[] = { "FilePath", "FileOffset", "Length", NULL };
    struct str file = { 0 };
    uint64_t offset = 0, length = 0;
    uint32_t seen = 0;
    int key, rc = 0;

    while (rc == 0 && (rc = yaml_next_key(yaml, keys, &seen, &key)) == 0 && key != YAML_KEY_END) {
        switch (key) {
        case FILE_PATH: rc = take_path(reading, &file); break;
        case OFFSET: rc = take_number(reading, &offset); break;
        case LENGTH: rc = take_number(reading, &length); break;
        }
    }
    if (rc != 0) return rc;
    if (seen != ALL) return yaml_bad(yaml, "a range is not complete");
    if (length > UINT64_MAX - offset) return yaml_bad(yaml, "a range has no end");
    if (str_eq(file, to->file) && offset <= to->place.offset &&
        offset + length > to->place.end_offset) {
        to->place.end_offset = offset + length;
    }
    return 0;
}

static int take_list(struct reading *reading, struct message *to,
                     int (*take)(struct reading *reading, struct message *to))
{
    struct yaml_reader *yaml = &reading->yaml;
    int rc = yaml_expect(yaml, YAML_SEQUENCE_START_EVENT, "a list is missing");
    bool more = true;

    while (rc == 0) {
        rc = yaml_next_item(yaml, &more);
        if (rc != 0 || !more) return rc;
        rc = take(reading, to);
    }
    return rc;
}

/* The mapping's beginning was read. */
static int take_message(struct reading *reading, struct message *to)
{
    struct yaml_reader *yaml = &reading->yaml;
    enum { MESSAGE, FILE_PATH, OFFSET, REPLACEMENTS, RANGES, NEEDED = 7 };
    static const char *const keys[] = {
        "Message", "FilePath", "FileOffset", "Replacements", "Ranges", NULL
    };
    int key, rc = 0;

    *to = (struct message){ .place = { .by_offset = true } };
    while (rc == 0 && (rc = yaml_next_key(yaml, keys, &to->seen, &key)) == 0 &&
           key != YAML_KEY_END) {
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
    if (rc == 0 && (to->seen & NEEDED) != NEEDED) rc = yaml_bad(yaml, "a message is not complete");
    return rc;
}

/* Notes that say nothing new: the message itself, which the analyzer repeats as its last step, and
 * clang-tidy's own word about a fix that it left out. */
static int take_notes(struct reading *reading, struct str message, struct hints *hints)
{
    struct yaml_reader *yaml = &reading->yaml;
    int rc = yaml_expect(yaml, YAML_SEQUENCE_START_EVENT, "a list is missing");
    struct message note;
    bool more = true;

    while (rc == 0) {
        rc = yaml_next_item(yaml, &more);
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
        return err_set(reading->yaml.err, ERR_LIMIT, "more than %d diagnostics", DIAGNOSTICS_MAX);
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
    struct yaml_reader *yaml = &reading->yaml;
    enum { NAME, MESSAGE, NOTES, LEVEL, NEEDED = 3 };
    static const char *const keys[] = {
        "DiagnosticName", "DiagnosticMessage", "Notes", "Level", NULL
    };
    struct message message = { 0 };
    struct str rule = { 0 }, level = { 0 };
    uint32_t seen = 0;
    int key, rc = 0;

    hints_clear(hints);
    while (rc == 0 && (rc = yaml_next_key(yaml, keys, &seen, &key)) == 0 && key != YAML_KEY_END) {
        switch (key) {
        case NAME: rc = take_text(reading, &rule); break;
        case MESSAGE:
            rc = yaml_expect(yaml, YAML_MAPPING_START_EVENT, "a message is missing");
            if (rc == 0) rc = take_message(reading, &message);
            break;
        case NOTES: rc = take_notes(reading, message.text, hints); break;
        case LEVEL: rc = take_text(reading, &level); break;
        }
    }
    if (rc != 0) return rc;
    if ((seen & NEEDED) != NEEDED || rule.size == 0) {
        return yaml_bad(yaml, "a diagnostic is not complete");
    }
    add_address(hints, rule, &reading->out->arena);
    return diagnostic_take(reading, &message, rule, level,
                           hints_text(hints, reading->out));
}

static int take_diagnostics(struct reading *reading)
{
    struct yaml_reader *yaml = &reading->yaml;
    int rc = yaml_expect(yaml, YAML_SEQUENCE_START_EVENT, "a list is missing");
    struct hints hints;
    bool more = true;

    hints_init(&hints);
    while (rc == 0) {
        rc = yaml_next_item(yaml, &more);
        if (rc != 0 || !more) break;
        rc = take_diagnostic(reading, &hints);
    }
    hints_release(&hints);
    return rc;
}

static int take_report(struct reading *reading)
{
    struct yaml_reader *yaml = &reading->yaml;
    enum { MAIN, DIAGNOSTICS, ALL = 3 };
    static const char *const keys[] = { "MainSourceFile", "Diagnostics", NULL };
    struct str unit = { 0 };
    uint32_t seen = 0;
    int key, rc = 0;

    rc = yaml_expect(yaml, YAML_STREAM_START_EVENT, "no YAML");
    if (rc == 0) rc = yaml_expect(yaml, YAML_DOCUMENT_START_EVENT, "there is nothing in it");
    if (rc == 0) rc = yaml_expect(yaml, YAML_MAPPING_START_EVENT, "this is no mapping");
    if (rc != 0) return rc;
    while (rc == 0 && (rc = yaml_next_key(yaml, keys, &seen, &key)) == 0 && key != YAML_KEY_END) {
        switch (key) {
        case MAIN: rc = take_path(reading, &unit); break;
        case DIAGNOSTICS: rc = take_diagnostics(reading); break;
        }
    }
    if (rc != 0) return rc;
    if (seen != ALL) return yaml_bad(yaml, "MainSourceFile or Diagnostics is missing");
    rc = yaml_expect(yaml, YAML_DOCUMENT_END_EVENT, "the report does not end here");
    if (rc != 0) return rc;
    if (yaml->event.data.document_end.implicit) return yaml_bad(yaml, "the report is cut off");
    for (uint32_t i = 0; i < reading->out->count; i++) {
        struct diagnostic *item = &reading->out->items[i];
        if (!str_eq(item->file, unit)) item->unit = unit;
    }
    return yaml_expect(yaml, YAML_STREAM_END_EVENT, "there is more behind the report");
}

int tidy_yaml_read(struct str text, struct diagnostics *out, struct err *err)
{
    struct reading reading = { .out = out };
    int rc;

    if (text.size > REPORT_BYTES_MAX) {
        return err_set(err, ERR_LIMIT, "clang-tidy's report has %zu bytes", text.size);
    }
    yaml_open(&reading.yaml, text, err);
    rc = take_report(&reading);
    yaml_close(&reading.yaml);
    if (rc != 0) return err_wrap(err, "clang-tidy's report");
    return 0;
}
