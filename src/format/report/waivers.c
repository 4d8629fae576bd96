/* SPDX-License-Identifier: Apache-2.0
 *
 * waivers.c - the file of waivers: read strictly, added to, cut.
 *
 * 1. What is not understood is refused, with its line: an entry that was passed over would look
 *    like one that counts.
 * 2. Size and number are bounded; yaml_reader.h has what else is refused.
 * 3. People write in this file, too. hone adds at the end and cuts whole entries, and touches
 *    nothing else. The caller reads what came out before it writes it: in a file of another layout
 *    (a list in brackets) it is not what was wanted.
 * 4. Texts are written in double quotes, so that no text is anything but a text. */
#include "format/report/waivers.h"

#include "base/clock.h"
#include "base/hash.h"
#include "core/identity.h"
#include "format/json/finding_json.h"
#include "format/text/utf8.h"
#include "format/text/yaml_reader.h"

#include <inttypes.h>

enum { CODE_AROUND = 2 };

enum key { KEY_ID, KEY_FILE, KEY_LINE, KEY_SEVERITY, KEY_TOOL, KEY_RULE, KEY_TEXT, KEY_CODE,
           KEY_GRAVE, KEY_REASON, KEY_OWNER, KEY_UNTIL, KEY_MADE, KEY_COUNT };

static const char *const keys[KEY_COUNT + 1] = {
    [KEY_ID] = "id", [KEY_FILE] = "file", [KEY_LINE] = "line", [KEY_SEVERITY] = "severity",
    [KEY_TOOL] = "tool", [KEY_RULE] = "rule", [KEY_TEXT] = "text", [KEY_CODE] = "code",
    [KEY_GRAVE] = "grave", [KEY_REASON] = "reason", [KEY_OWNER] = "owner", [KEY_UNTIL] = "until",
    [KEY_MADE] = "made", [KEY_COUNT] = NULL,
};

static const char key_names[] =
    "id, file, line, severity, tool, rule, text, code, grave, reason, owner, until and made";

/* What to say where one of these is missing or blank. */
static const struct { enum key key; const char *otherwise; } needed[] = {
    { KEY_REASON, "this entry has no reason: say why the finding is left" },
    { KEY_ID, "this entry has no id: 'hone waive' writes entries" },
    { KEY_SEVERITY, "this entry has no severity: low, medium or high" },
    { KEY_TEXT, "this entry has no text: what was found" },
    { KEY_CODE, "this entry has no code: 'hone waive' writes entries" },
    { KEY_OWNER, "this entry has no owner: say who decided it" },
    { KEY_MADE, "this entry has no day on which it was made: made: YYYY-MM-DD" },
};

/* ---- read ---- */

static bool is_blank(struct str text)
{
    return str_trim(text).size == 0;
}

/* The value of a key; its texts live in arena. */
static int value_read(struct yaml_reader *reader, int key, struct waiver_entry *to,
                      struct arena *arena)
{
    int rc = yaml_expect(reader, YAML_SCALAR_EVENT, "a text is missing");
    struct str text, *into = NULL;
    uint64_t number;

    if (rc != 0) return rc;
    text = yaml_scalar(reader);
    if (text.size > WAIVER_TEXT_BYTES_MAX) return yaml_bad(reader, "this text is too long");
    switch ((enum key)key) {
    case KEY_ID: into = &to->id; break;
    case KEY_FILE: into = &to->file; break;
    case KEY_TOOL: into = &to->tool; break;
    case KEY_RULE: into = &to->rule; break;
    case KEY_TEXT: into = &to->text; break;
    case KEY_REASON: into = &to->reason; break;
    case KEY_OWNER: into = &to->owner; break;
    case KEY_UNTIL:
    case KEY_MADE:
        into = key == KEY_UNTIL ? &to->until : &to->made;
        if (!clock_is_day(text)) return yaml_bad(reader, "this is no day: write YYYY-MM-DD");
        break;
    case KEY_LINE:
        if (!str_number(text, &number) || number > UINT32_MAX) {
            return yaml_bad(reader, "a line is a number");
        }
        to->line = (uint32_t)number;
        break;
    case KEY_SEVERITY:
        if (severity_from_word(text, &to->severity)) break;
        return yaml_bad(reader, "severity: there are low, medium and high");
    case KEY_CODE:
        if (str_hash(text, &to->code)) break;
        return yaml_bad(reader, "code: 16 hexadecimal digits, as 'hone waive' writes them");
    case KEY_GRAVE:
        to->grave = str_is(text, "true");
        if (!to->grave && !str_is(text, "false")) return yaml_bad(reader, "grave: true or false");
        break;
    case KEY_COUNT: break;
    }
    if (into) *into = arena_copy(arena, text);
    to->last = (uint32_t)reader->event.end_mark.line + (reader->event.end_mark.column > 0);
    return 0;
}

/* The mapping's beginning was read. */
static int entry_read(struct yaml_reader *reader, struct waiver_entry *to, struct arena *arena)
{
    uint32_t seen = 0;
    int key, rc = 0;

    to->first = to->last = (uint32_t)reader->event.start_mark.line + 1;
    while (rc == 0 && (rc = yaml_next_key(reader, keys, &seen, &key)) == 0 && key != YAML_KEY_END) {
        rc = value_read(reader, key, to, arena);
    }
    for (size_t i = 0; rc == 0 && i < sizeof needed / sizeof *needed; i++) {
        bool there = seen & 1u << needed[i].key;

        if (needed[i].key == KEY_REASON) there = there && !is_blank(to->reason);
        if (needed[i].key == KEY_OWNER) there = there && !is_blank(to->owner);
        if (needed[i].key == KEY_ID) there = there && !is_blank(to->id);
        if (!there) rc = yaml_bad_line(reader, to->first, needed[i].otherwise);
    }
    return rc;
}

static int list_read(struct yaml_reader *reader, struct arena *arena, struct waivers *out)
{
    bool more = true;
    int rc = 0;

    while (rc == 0) {
        struct waiver_entry entry = { 0 };

        rc = yaml_next_item(reader, &more);
        if (rc != 0 || !more) return rc;
        if (out->count == WAIVERS_MAX) return yaml_bad(reader, "more than 4096 entries");
        rc = entry_read(reader, &entry, arena);
        if (rc != 0) return rc;
        if (waivers_find(out, entry.id)) {
            return yaml_bad_line(reader, entry.first, "the id of this entry stands twice");
        }
        out->items = arena_grow(arena, out->items, out->count, &out->cap, sizeof *out->items);
        out->items[out->count++] = entry;
    }
    return rc;
}

static int file_read_all(struct yaml_reader *reader, struct arena *arena, struct waivers *out)
{
    int rc = yaml_expect(reader, YAML_STREAM_START_EVENT, "no YAML");

    if (rc == 0) rc = yaml_next(reader);
    if (rc != 0 || reader->event.type == YAML_STREAM_END_EVENT) return rc;
    rc = yaml_next(reader);
    if (rc == 0 && reader->event.type == YAML_SCALAR_EVENT && yaml_scalar(reader).size == 0) {
        /* "---" and nothing behind it */
    } else if (rc == 0 && reader->event.type == YAML_SEQUENCE_START_EVENT) {
        rc = list_read(reader, arena, out);
    } else if (rc == 0) {
        rc = yaml_bad(reader, "wanted: a list of entries, as 'hone waive' writes them");
    }
    if (rc == 0) rc = yaml_expect(reader, YAML_DOCUMENT_END_EVENT, "the list does not end here");
    if (rc == 0) rc = yaml_expect(reader, YAML_STREAM_END_EVENT, "there is more behind the list");
    return rc;
}

int waivers_read(struct str text, struct arena *arena, struct waivers *out, struct err *err)
{
    struct yaml_reader reader = { .file = WAIVERS_PATH, .strict = key_names };
    int rc;

    *out = (struct waivers){ 0 };
    if (text.size > WAIVERS_BYTES_MAX) {
        return err_set(err, ERR_LIMIT, WAIVERS_PATH " is larger than %d MiB",
                       WAIVERS_BYTES_MAX >> 20);
    }
    yaml_open(&reader, text, err);
    rc = file_read_all(&reader, arena, out);
    yaml_close(&reader);
    if (rc != 0) *out = (struct waivers){ 0 };
    return rc;
}

const struct waiver_entry *waivers_find(const struct waivers *waivers, struct str id)
{
    for (uint32_t i = 0; i < waivers->count; i++) {
        if (str_eq(waivers->items[i].id, id)) return &waivers->items[i];
    }
    return NULL;
}

/* ---- write ---- */

/* Whether a character stands for itself in quotes: no control character, no end of a line in YAML's
 * eyes, nothing that YAML does not allow in a file. */
static bool is_plain(uint32_t code)
{
    if (code < 0x20 || code == '"' || code == '\\' || (code >= 0x7f && code < 0xa0)) return false;
    return code != 0x2028 && code != 0x2029 && code != 0xfeff && (code & 0xfffe) != 0xfffe;
}

static void put_quoted(struct buf *out, const char *key, struct str text)
{
    buf_printf(out, "  %s: \"", key);
    while (text.size > 0) {
        uint32_t code = 0;
        size_t size = utf8_next(text, &code);

        if (size == 0) buf_text(out, "\xef\xbf\xbd");
        else if (is_plain(code)) buf_add(out, (struct str){ text.data, size });
        else if (code == '"' || code == '\\') buf_printf(out, "\\%c", (char)code);
        else buf_printf(out, code > 0xffff ? "\\U%08" PRIX32 : "\\u%04" PRIX32, code);
        text = str_skip(text, size > 0 ? size : 1);
    }
    buf_text(out, "\"\n");
}

void waivers_append(struct str text, const struct waiver_entry *entry, struct buf *out)
{
    static const char header[] =
        "# Findings that people decided to leave: 'hone waive' adds one, and\n"
        "# 'hone waive --list' shows which of them hold. Commit this file.\n";

    buf_add(out, text.size > 0 ? text : STR(""));
    if (text.size == 0) buf_text(out, header);
    else if (!str_ends(text, STR("\n"))) buf_byte(out, '\n');
    buf_printf(out, "- id: %.*s\n", STR_ARG(entry->id));
    if (entry->file.size > 0) put_quoted(out, "file", entry->file);
    if (entry->line > 0) buf_printf(out, "  line: %" PRIu32 "\n", entry->line);
    buf_printf(out, "  severity: %s\n", severity_word(entry->severity));
    if (entry->tool.size > 0) put_quoted(out, "tool", entry->tool);
    if (entry->rule.size > 0) put_quoted(out, "rule", entry->rule);
    put_quoted(out, "text", entry->text);
    buf_printf(out, "  code: %016" PRIx64 "\n", entry->code);
    if (entry->grave) buf_text(out, "  grave: true\n");
    put_quoted(out, "reason", entry->reason);
    put_quoted(out, "owner", entry->owner);
    if (entry->until.size > 0) buf_printf(out, "  until: %.*s\n", STR_ARG(entry->until));
    buf_printf(out, "  made: %.*s\n", STR_ARG(entry->made));
}

void waivers_cut(struct str text, const struct waiver_entry *entry, struct buf *out)
{
    struct str line;
    uint32_t number = 0;

    while (str_cut(&text, '\n', &line)) {
        number++;
        if (number >= entry->first && number <= entry->last) continue;
        buf_add(out, line);
        buf_byte(out, '\n');
    }
}

void waiver_decision(const struct waiver_entry *entry, struct buf *out)
{
    const struct str texts[] = { entry->id, entry->file, entry->tool, entry->rule, entry->text,
                                 entry->until };

    buf_printf(out, "%s %s %016" PRIx64 " %" PRIu32, severity_word(entry->severity),
               entry->grave ? "grave" : "plain", entry->code, entry->line);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        buf_printf(out, " %zu:", texts[i].size); /* so that no text can pass for two */
        buf_add(out, texts[i]);
    }
}

/* ---- the code at a place ---- */

/* Words of a line with one blank between them. */
static uint64_t line_hash(uint64_t hash, struct str line)
{
    bool gap = false;

    line = str_trim(line);
    for (size_t i = 0; i < line.size; i++) {
        bool blank = line.data[i] == ' ' || line.data[i] == '\t' || line.data[i] == '\r';

        if (!blank && gap) hash = hash_byte(hash, ' ');
        if (!blank) hash = hash_byte(hash, line.data[i]);
        gap = blank;
    }
    return hash_byte(hash, '\n');
}

/* One line that is not blank. */
struct code_line {
    struct str text;
    uint32_t number;
};

/* A window that moves over the lines of a file which are not blank. */
struct window {
    struct str rest;
    uint32_t number; /* of the last line that was cut */
    struct code_line lines[2 * CODE_AROUND + 1]; /* no text: there is no line there */
};

/* One line on; false: the middle is behind the end. */
static bool window_next(struct window *window)
{
    enum { LAST = 2 * CODE_AROUND };
    struct str line;

    for (uint32_t i = 0; i < LAST; i++) window->lines[i] = window->lines[i + 1];
    window->lines[LAST] = (struct code_line){ 0 };
    while (str_cut(&window->rest, '\n', &line)) {
        window->number++;
        if (is_blank(line)) continue;
        window->lines[LAST] = (struct code_line){ line, window->number };
        break;
    }
    return window->lines[CODE_AROUND].number > 0;
}

/* Fills it so that the first line comes next. */
static void window_open(struct window *window, struct str content)
{
    *window = (struct window){ .rest = content };
    for (uint32_t i = 0; i < CODE_AROUND; i++) (void)window_next(window);
}

static uint64_t window_hash(const struct window *window)
{
    uint64_t hash = HASH_START;

    for (uint32_t i = 0; i < 2 * CODE_AROUND + 1; i++) {
        hash = line_hash(hash, window->lines[i].text);
    }
    return hash | 1; /* never 0 */
}

static uint64_t whole_hash(struct str content)
{
    uint64_t hash = HASH_START;
    struct str line;

    while (str_cut(&content, '\n', &line)) {
        if (!is_blank(line)) hash = line_hash(hash, line);
    }
    return hash | 1;
}

uint64_t waiver_code(struct str content, uint32_t line)
{
    struct window window;

    if (line == 0) return whole_hash(content);
    window_open(&window, content);
    while (window_next(&window)) {
        if (window.lines[CODE_AROUND].number >= line) return window_hash(&window);
    }
    return 0;
}

bool waiver_code_is_there(struct str content, uint64_t code, uint32_t *line)
{
    uint32_t found = 0;
    struct window window;

    if (*line == 0) return whole_hash(content) == code;
    window_open(&window, content);
    while (window_next(&window)) {
        uint32_t at = window.lines[CODE_AROUND].number;
        bool nearer = found == 0 || line_gap(at, *line) < line_gap(found, *line);

        if (nearer && window_hash(&window) == code) found = at;
    }
    if (found > 0) *line = found;
    return found > 0;
}
