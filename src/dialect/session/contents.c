/* SPDX-License-Identifier: Apache-2.0
 *
 * contents.c - what the sections of a session file hold: the plan, lists of files, the Timing Log
 * and the metadata.
 *
 *     ## Approved Plan
 *
 *     - Source: reviewer-approved
 *
 *     ### Solution Plan: ...        `## ` in the plan: lowered, or it would begin a section
 *     #### Problem Analysis
 *
 *     ## Files Changed                         ## Timing Log
 *
 *     - `src/a.c` - what changed               | Phase | Round | Role | Duration |
 *     - src/b.c: what changed                  |---|---|---|---|
 *                                              | planning | 1 | executor | 2 min 03 s |
 *     ## Session Metadata
 *     - reviewer_fallback_used: false
 *     - base_dirty: {"a.c":"8ab686ea...","b.c":"<deleted>"}
 *     - completed_stages: [exec, polish]       or "  - exec" lines below the key
 *
 * 1. A plan that was set is read as it was, its highest heading as `## `. While nothing is approved
 *    the section is empty: no source, no body.
 * 2. Lists of files are written anew. The log only grows: a row is put behind the last one, and all
 *    else stays as it is.
 * 3. Only the keys of the table are ever written as metadata. Keys of others, and lines that are no
 *    keys, stay. Of two items with one key the first counts.
 * 4. A key whose value did not change keeps the form and the place it has. A key that is new comes
 *    behind the last one that stands before it in the order of the table: a file of ours has that
 *    order, and one of another tool its own.
 * 5. base_dirty and last_verified_dirty say which files differed from HEAD and what they held.
 *    They are written in one line; other tools spread them over lines, or write
 *    "- a.c: 8ab686ea...".
 *
 * Not here: Review History (history.c), the sections as text (file.c). */
#include "dialect/session/file.h"

#include "base/byte.h"
#include "dialect/check.h"
#include "dialect/sections.h"
#include "dialect/session/answers.h"
#include "format/json/json.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

enum { PLAN_LEVEL = 2 };

static const char sentinel[] = "(none \xe2\x80\x94 review-only mode)\n\n"
                               "Scope: see `## Review Target` section below.";

static const char *const source_words[SOURCE_COUNT] = {
    [SOURCE_NONE] = "",
    [SOURCE_APPROVED] = "reviewer-approved",
    [SOURCE_USER] = "user-supplied",
    [SOURCE_REVIEW_ONLY] = "review-only",
};

/* ---- sources ---- */

const char *session_source_word(enum session_source source)
{
    assert(source < SOURCE_COUNT);
    return source_words[source];
}

bool session_source_from_word(struct str word, enum session_source *out)
{
    uint32_t at = word.size ? word_index(word, source_words, SOURCE_COUNT) : SOURCE_COUNT;

    if (at < SOURCE_COUNT) *out = (enum session_source)at;
    return at < SOURCE_COUNT;
}

/* Cuts "- Source: word" off the front of a body. False: it does not begin so. */
static bool cut_source(struct str *body, struct str *word)
{
    static const size_t key = sizeof "Source:" - 1;
    struct str rest = markdown_trim(*body), line, text;

    if (!str_cut(&rest, '\n', &line) || !session_is_bullet(str_trim(line), &text)) return false;
    if (!starts_with_word(text, "Source:")) return false;
    *word = session_unmarked(str_skip(text, key));
    *body = markdown_trim(rest);
    return true;
}

/* ---- plans ---- */

static struct str shifted(struct session_file *file, struct str text, int by)
{
    struct buf out;

    buf_init(&out, SIZE_MAX / 2);
    markdown_shift(text, by, &out);
    return arena_take(&file->arena, &out);
}

/* A plan with no heading as high as `## ` was lowered when it was written. */
static struct str raised(struct session_file *file, struct str body)
{
    return markdown_level(body) > PLAN_LEVEL ? shifted(file, body, -1) : body;
}

/* As it is written: its highest heading is `### `. */
static struct str lowered(struct session_file *file, struct str plan)
{
    struct str kept;
    uint32_t level;
    struct buf out;

    buf_init(&out, SIZE_MAX / 2);
    markdown_normal(plan, PLAN_LEVEL + 1, &out);
    kept = arena_take(&file->arena, &out);
    level = markdown_level(kept);
    return level > PLAN_LEVEL + 1 ? shifted(file, kept, PLAN_LEVEL + 1 - (int)level) : kept;
}

void session_file_plan(struct session_file *file, struct session_plan *out)
{
    struct str body = session_file_text(file, SESSION_PLAN), word = { "", 0 };

    *out = (struct session_plan){ .source = SOURCE_NONE };
    if (cut_source(&body, &word)) (void)session_source_from_word(word, &out->source);
    if (out->source == SOURCE_REVIEW_ONLY && str_is(body, sentinel)) body = STR("");
    out->body = raised(file, body);
}

struct str session_plan_source(const struct session_file *file)
{
    struct str body = session_file_text(file, SESSION_PLAN), word = { "", 0 };

    return cut_source(&body, &word) ? word : (struct str){ NULL, 0 };
}

void session_file_set_plan(struct session_file *file, const struct session_plan *plan)
{
    struct session_plan before;
    struct str body;
    struct buf text;

    session_file_plan(file, &before);
    body = plan->source == SOURCE_REVIEW_ONLY ? str_of(sentinel) : lowered(file, plan->body);
    if (session_file_has(file, SESSION_PLAN) && before.source == plan->source &&
        plan->source != SOURCE_REVIEW_ONLY && plan->source != SOURCE_NONE &&
        str_eq(lowered(file, before.body), body)) {
        return; /* as another tool wrote it */
    }
    buf_init(&text, SIZE_MAX / 2);
    if (plan->source != SOURCE_NONE) {
        buf_printf(&text, "- Source: %s\n\n", session_source_word(plan->source));
        buf_add(&text, body);
    }
    session_part_set(file, SESSION_PLAN, markdown_trim(buf_str(&text)));
    buf_release(&text);
}

struct str session_file_draft(struct session_file *file)
{
    return raised(file, session_file_text(file, SESSION_DRAFT));
}

void session_file_set_draft(struct session_file *file, struct str plan)
{
    struct str body = lowered(file, plan);

    if (body.size == 0) session_file_remove(file, SESSION_DRAFT);
    else session_part_set(file, SESSION_DRAFT, body);
}

enum { CELLS = 4 };

/* ---- lists of files ---- */

static const struct str separators[] = { STR(" - "), STR(" \xe2\x80\x94 "), STR(" \xe2\x80\x93 "),
                                         STR(": "), STR(" (") };
enum { SEPARATOR_COUNT = sizeof separators / sizeof *separators };

struct str session_note(struct str text)
{
    static const struct str marks[] = { STR("-"), STR(":"), STR("\xe2\x80\x94"),
                                        STR("\xe2\x80\x93") };

    text = str_trim(text);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (str_starts(text, marks[i])) return str_trim(str_skip(text, marks[i].size));
    }
    return text;
}

/* The text up to the first separator; the note behind it. */
static void split_path(struct str text, struct session_path *out)
{
    *out = (struct session_path){ .path = text, .note = { "", 0 } };
    for (size_t i = 0; i < text.size; i++) {
        for (uint32_t k = 0; k < SEPARATOR_COUNT; k++) {
            if (!str_starts(str_skip(text, i), separators[k])) continue;
            out->path = str_trim((struct str){ text.data, i });
            out->note = session_note(str_skip(text, i));
            return;
        }
    }
}

/* `path` or ``path``; what is behind it is the note. False: it is not closed. */
static bool quoted_path(struct str text, struct session_path *out)
{
    if (!cut_ticks(&text, &out->path)) return false;
    out->note = session_note(text);
    return true;
}

const struct session_path *session_file_paths(struct session_file *file,
                                              enum session_section section, uint32_t *count)
{
    struct session_lines lines = { .rest = session_file_text(file, section) };
    struct session_path *paths;
    uint32_t bullets = 0;
    struct str text;

    *count = 0;
    while (session_lines_next(&lines)) bullets += session_is_bullet(lines.text, &text);
    if (bullets == 0) return NULL;
    paths = arena_alloc(&file->arena, bullets * sizeof *paths);
    lines = (struct session_lines){ .rest = session_file_text(file, section) };
    while (session_lines_next(&lines)) {
        struct session_path *path = &paths[*count];

        if (!session_is_bullet(lines.text, &text) || text.size == 0) continue;
        if (word_is(text, "None.") || word_is(text, "None")) continue;
        if (!quoted_path(text, path)) split_path(text, path);
        if (path->path.size) (*count)++;
    }
    return paths;
}

/* A path with a ` in it stands between more of them. */
static void write_path(struct session_file *file, const struct session_path *path,
                       struct buf *out)
{
    struct str name = session_one_line(file, path->path);
    struct str note = session_one_line(file, path->note);
    size_t longest = 0, run = 0;

    for (size_t i = 0; i < name.size; i++) {
        run = name.data[i] == '`' ? run + 1 : 0;
        if (run > longest) longest = run;
    }
    buf_text(out, "- ");
    for (size_t i = 0; i <= longest; i++) buf_byte(out, '`');
    if (longest) buf_byte(out, ' ');
    buf_add(out, name);
    if (longest) buf_byte(out, ' ');
    for (size_t i = 0; i <= longest; i++) buf_byte(out, '`');
    if (note.size) buf_text(out, " - ");
    buf_add(out, note);
    buf_byte(out, '\n');
}

static bool same_paths(struct session_file *file, enum session_section section,
                       const struct session_path *paths, uint32_t count)
{
    uint32_t before;
    const struct session_path *old = session_file_paths(file, section, &before);

    if (!session_file_has(file, section) || before != count || count == 0) return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!str_eq(old[i].path, paths[i].path) || !str_eq(old[i].note, paths[i].note)) {
            return false;
        }
    }
    return true;
}

void session_file_set_paths(struct session_file *file, enum session_section section,
                            const struct session_path *paths, uint32_t count)
{
    struct buf body;

    assert(section == SESSION_CHANGED || section == SESSION_RELATED || section == SESSION_TARGET);
    if (same_paths(file, section, paths, count)) return;
    buf_init(&body, SIZE_MAX / 2);
    for (uint32_t i = 0; i < count; i++) write_path(file, &paths[i], &body);
    if (count == 0) buf_text(&body, "None.");
    session_part_set(file, section, markdown_trim(buf_str(&body)));
    buf_release(&body);
}

/* ---- the log ---- */

static void write_cell(struct session_file *file, struct str cell, struct buf *out)
{
    cell = session_one_line(file, cell);
    for (size_t i = 0; i < cell.size; i++) {
        if (cell.data[i] == '|') buf_byte(out, '\\');
        buf_byte(out, cell.data[i]);
    }
}

static void write_time(struct session_file *file, const struct session_time *time, bool bullet,
                       struct buf *out)
{
    const struct str cells[CELLS] = { time->phase, time->round, time->role, time->duration };

    buf_text(out, bullet ? "- " : "|");
    for (uint32_t i = 0; i < CELLS; i++) {
        if (bullet && i) buf_text(out, ", ");
        if (!bullet) buf_byte(out, ' ');
        write_cell(file, cells[i], out);
        if (!bullet) buf_text(out, " |");
    }
    buf_byte(out, '\n');
}

void session_file_add_time(struct session_file *file, const struct session_time *time)
{
    struct str body = session_file_text(file, SESSION_TIMING), text;
    struct session_lines lines = { .rest = body };
    size_t rows_end = 0, bullets_end = 0, at;
    struct buf out;

    while (session_lines_next(&lines)) {
        size_t end = (size_t)(lines.raw.data + lines.raw.size - body.data);

        if (lines.text.size && lines.text.data[0] == '|') rows_end = end;
        if (session_is_bullet(lines.text, &text)) bullets_end = end;
    }
    buf_init(&out, SIZE_MAX / 2);
    at = rows_end ? rows_end : bullets_end ? bullets_end : body.size;
    buf_add(&out, (struct str){ body.data, at });
    if (!rows_end && !bullets_end) {
        buf_text(&out, body.size ? "\n\n" SESSION_TIMING_HEAD : SESSION_TIMING_HEAD);
    }
    buf_byte(&out, '\n');
    write_time(file, time, !rows_end && bullets_end, &out);
    if (at < body.size) buf_add(&out, str_skip(body, body.data[at] == '\n' ? at + 1 : at));
    session_part_set(file, SESSION_TIMING, markdown_trim(buf_str(&out)));
    buf_release(&out);
}

/* ---- metadata: keys ---- */

enum { KEY_COUNT = 14 };

enum key_kind { KEY_TEXT, KEY_SOURCE, KEY_MAP, KEY_COMMITS, KEY_STAGES, KEY_BLOCKED };

struct key {
    const char *name;
    enum key_kind kind;
    size_t offset; /* of a text or a map */
};

#define AT(member) offsetof(struct session_metadata, member)

/* In the order in which they are written. */
static const struct key keys[] = {
    { "session_origin", KEY_TEXT, AT(session_origin) },
    { "orchestrator_backend", KEY_TEXT, AT(orchestrator_backend) },
    { "executor_backend", KEY_TEXT, AT(executor_backend) },
    { "reviewer_backend", KEY_TEXT, AT(reviewer_backend) },
    { "reviewer_fallback_used", KEY_TEXT, AT(reviewer_fallback_used) },
    { "entry_point", KEY_TEXT, AT(entry_point) },
    { "plan_source", KEY_SOURCE, 0 },
    { "base_head", KEY_TEXT, AT(base_head) },
    { "base_dirty", KEY_MAP, AT(base_dirty) },
    { "last_verified_head", KEY_TEXT, AT(last_verified_head) },
    { "last_verified_dirty", KEY_MAP, AT(last_verified_dirty) },
    { "session_commits", KEY_COMMITS, 0 },
    { "completed_stages", KEY_STAGES, 0 },
    { "delivery_blocked_by", KEY_BLOCKED, 0 },
};

_Static_assert(sizeof keys / sizeof *keys == KEY_COUNT, "a row for each");

static const char *const mint_words[MINT_COUNT] = {
    [MINT_EXEC] = "exec", [MINT_POLISH] = "polish", [MINT_DOCS] = "docs",
    [MINT_SECURITY] = "security",
};

static const struct key *key_find(struct str name)
{
    for (uint32_t i = 0; i < KEY_COUNT; i++) {
        if (str_is(name, keys[i].name)) return &keys[i];
    }
    return NULL;
}

static uint32_t key_rank(struct str name)
{
    const struct key *key = key_find(name);

    return key ? (uint32_t)(key - keys) : KEY_COUNT;
}

/* ---- metadata: items ---- */

/* One key of the metadata and what follows it. */
struct item {
    struct str key;   /* empty: lines in front of the first key */
    struct str value; /* behind the colon, without blanks around it */
    struct str raw;   /* all its lines */
    uint32_t line;    /* in the section's body, from 1 */
};

/* "- key: value" or "key: value" at the beginning of a line. */
static bool is_item(const struct session_lines *line, struct str *key, struct str *value)
{
    struct str text = line->text, rest;

    if (line->indent > 0) return false;
    (void)session_is_bullet(line->text, &text);
    rest = text;
    if (!str_has(text, ':') || !str_cut(&rest, ':', key)) return false;
    *key = session_unmarked(*key);
    *value = str_trim(rest);
    for (size_t i = 0; i < key->size; i++) {
        char byte = key->data[i];
        bool word = byte_is_alnum(byte) || byte == '_' || byte == '-';
        if (!word) return false;
    }
    return key->size > 0;
}

static const struct item *items_of(struct session_file *file, uint32_t *count)
{
    const struct session_part *part = session_part_find(file, SESSION_METADATA);
    struct session_lines lines = { .rest = part ? session_part_body(part)
                                                : (struct str){ "", 0 } };
    struct item *items = NULL;
    const char *begin = lines.rest.data;
    uint32_t cap = 0;

    *count = 0;
    for (;;) {
        struct str key = { "", 0 }, value = { "", 0 };
        bool more = session_lines_next(&lines);
        bool item = more && is_item(&lines, &key, &value);
        struct str text;
        bool bullet = more && lines.indent == 0 && session_is_bullet(lines.text, &text);
        const char *from = more ? lines.raw.data : lines.rest.data;

        if (more && !item && !bullet && *count) continue;
        if (*count) items[*count - 1].raw.size = (size_t)(from - items[*count - 1].raw.data);
        if (!more) return items;
        items = arena_grow(&file->arena, items, *count, &cap, sizeof *items);
        items[*count] = (struct item){
            .key = item ? key : STR(""), .value = value, .raw = { *count ? from : begin, 0 },
            .line = lines.number,
        };
        (*count)++;
    }
}

/* ---- metadata: what files held ---- */

static bool is_null(struct str value)
{
    return value.size == 0 || word_is(value, "null") || word_is(value, "none");
}

/* "path: blob" lines, with or without a bullet. */
static bool read_map_lines(struct str text, struct session_dirty *items, uint32_t *count)
{
    struct session_lines lines = { .rest = text };

    *count = 0;
    while (session_lines_next(&lines)) {
        struct str line = lines.text;
        size_t colon = line.size;

        if (line.size == 0) continue;
        (void)session_is_bullet(line, &line);
        while (colon > 0 && line.data[colon - 1] != ':') colon--;
        if (colon < 2 || colon > line.size) return false;
        items[*count] = (struct session_dirty){
            .path = session_unmarked((struct str){ line.data, colon - 1 }),
            .blob = session_unmarked(str_skip(line, colon)),
        };
        if (!items[*count].path.size || !items[*count].blob.size) return false;
        (*count)++;
    }
    return true;
}

static bool read_map_json(struct session_file *file, struct str text, struct session_dirty **out,
                          uint32_t *count)
{
    yyjson_doc *doc = NULL;
    yyjson_val *root, *key;
    yyjson_obj_iter iter;
    struct err err;
    bool valid;

    if (json_read(text, &doc, &err) != 0) return false;
    root = yyjson_doc_get_root(doc);
    valid = yyjson_is_obj(root);
    *count = 0;
    *out = arena_alloc(&file->arena, (yyjson_obj_size(root) + 1) * sizeof **out);
    yyjson_obj_iter_init(root, &iter);
    while (valid && (key = yyjson_obj_iter_next(&iter))) {
        yyjson_val *blob = yyjson_obj_iter_get_val(key);
        struct session_dirty *item = &(*out)[(*count)++];

        valid = yyjson_is_str(blob);
        if (!valid) break;
        item->path = session_file_keep(file, json_value(key));
        item->blob = session_file_keep(file, json_value(blob));
    }
    yyjson_doc_free(doc);
    return valid;
}

/* Without the fence that another tool put around it. */
static struct str unfenced(struct str text)
{
    static const struct str fence = STR("```");
    struct str first;

    text = str_trim(text);
    if (!str_starts(text, fence)) return text;
    (void)str_cut(&text, '\n', &first);
    text = str_trim(text);
    if (str_ends(text, fence)) text.size -= fence.size;
    return str_trim(text);
}

static bool map_read(struct session_file *file, struct str text, struct session_dirty_map *out)
{
    struct session_dirty *items = NULL;
    uint32_t lines = 0;
    struct str rest, line;

    *out = (struct session_dirty_map){ 0 };
    text = unfenced(text);
    if (is_null(text)) return true;
    if (str_starts(text, STR("{"))) {
        out->known = read_map_json(file, text, &items, &out->count);
    } else {
        rest = text;
        while (str_cut(&rest, '\n', &line)) lines++;
        items = arena_alloc(&file->arena, lines * sizeof *items);
        out->known = read_map_lines(text, items, &out->count);
    }
    out->items = items;
    if (!out->known) out->count = 0;
    return out->known;
}

static void map_write(const struct session_dirty_map *map, struct buf *out)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc);

    for (uint32_t i = 0; i < map->count; i++) {
        yyjson_mut_obj_add(root, json_text(doc, map->items[i].path),
                           json_text(doc, map->items[i].blob));
    }
    json_finish(doc, false, out);
}

/* ---- metadata: lists ---- */

/* Cuts the next word off a list: "[exec, polish]", "exec, polish", or "  - exec" lines. */
static bool next_word(struct str *list, struct str *word)
{
    static const char between[] = " \t\r\n,[]\"'`-";

    *list = text_skip(*list, between);
    *word = (struct str){ list->data, 0 };
    while (word->size < list->size &&
           (!list->data[word->size] || !strchr(" \t\r\n,[]\"'`", list->data[word->size]))) {
        word->size++;
    }
    *list = str_skip(*list, word->size);
    return word->size > 0;
}

/* The lines below an item's first that are indented. */
static struct str block_of(const struct item *item)
{
    struct session_lines lines = { .rest = item->raw };
    struct str block;

    (void)session_lines_next(&lines);
    block = (struct str){ lines.rest.data, 0 };
    while (session_lines_next(&lines) && (lines.indent || !lines.text.size)) {
        block.size = (size_t)(lines.raw.data + lines.raw.size - block.data);
    }
    return block;
}

/* The words of a list: in brackets, in the line of the key, or in the lines below it. */
static struct str list_of(const struct item *item)
{
    struct str rest = { item->value.data,
                        (size_t)(item->raw.data + item->raw.size - item->value.data) };
    struct str list;

    if (item->value.size == 0) return block_of(item);
    if (!str_starts(item->value, STR("[")) || !str_has(rest, ']')) return item->value;
    (void)str_cut(&rest, ']', &list);
    return list;
}

static void read_commits(struct session_file *file, const struct item *item,
                         struct session_metadata *out)
{
    struct str list = list_of(item), word;
    struct str *commits;
    uint32_t count = 0;

    out->commits_known = true;
    while (next_word(&list, &word)) count++;
    commits = arena_alloc(&file->arena, (count + 1) * sizeof *commits);
    list = list_of(item);
    count = 0;
    while (next_word(&list, &word)) {
        if (!is_null(word)) commits[count++] = word;
    }
    out->session_commits = commits;
    out->session_commit_count = count;
}

/* The bits; a word that is no stage sets *odd. */
static uint32_t read_stages(const struct item *item, struct str *odd)
{
    struct str list = list_of(item), word;
    uint32_t stages = 0;

    while (next_word(&list, &word)) {
        uint32_t i = 0;

        while (i < MINT_COUNT && !word_is(word, mint_words[i])) i++;
        if (i < MINT_COUNT) stages |= 1u << i;
        else if (!is_null(word)) *odd = word;
    }
    return stages;
}

static bool read_map(struct session_file *file, const struct item *item,
                     struct session_dirty_map *out)
{
    struct str rest = { item->value.data,
                        (size_t)(item->raw.data + item->raw.size - item->value.data) };

    if (item->value.size == 0) return map_read(file, block_of(item), out);
    if (map_read(file, item->value, out)) return true;
    while (rest.size && rest.data[rest.size - 1] != '}') rest.size--;
    return rest.size && map_read(file, rest, out); /* spread over lines */
}

/* ---- metadata: reading ---- */

static void read_item(struct session_file *file, const struct item *item,
                      const struct key *key, struct session_metadata *out)
{
    struct str value = session_unmarked(item->value), odd;

    switch (key->kind) {
    case KEY_TEXT:
        if (is_null(value)) value = STR("");
        *(struct str *)(void *)((char *)out + key->offset) = value;
        break;
    case KEY_SOURCE:
        (void)session_source_from_word(value, &out->plan_source);
        break;
    case KEY_MAP:
        (void)read_map(file, item, (void *)((char *)out + key->offset));
        break;
    case KEY_COMMITS:
        read_commits(file, item, out);
        break;
    case KEY_STAGES:
        out->stages_known = true;
        out->completed_stages = read_stages(item, &odd);
        break;
    case KEY_BLOCKED:
        out->blocked_known = true;
        out->delivery_blocked_by = is_null(value) ? STR("") : value;
        break;
    }
}

void session_file_metadata(struct session_file *file, struct session_metadata *out)
{
    uint32_t count, seen = 0;
    const struct item *items = items_of(file, &count);

    *out = (struct session_metadata){ 0 };
    for (uint32_t i = 0; i < count; i++) {
        const struct key *key = key_find(items[i].key);

        if (!key || seen >> (key - keys) & 1) continue;
        seen |= 1u << (key - keys);
        read_item(file, &items[i], key, out);
    }
}

/* ---- metadata: writing ---- */

static void write_list(struct session_file *file, const struct str *words, uint32_t count,
                       struct buf *out)
{
    buf_byte(out, '[');
    for (uint32_t i = 0; i < count; i++) {
        if (i) buf_text(out, ", ");
        buf_add(out, session_one_line(file, words[i]));
    }
    buf_byte(out, ']');
}

static void write_stages(uint32_t stages, struct buf *out)
{
    const char *between = "";

    buf_byte(out, '[');
    for (uint32_t i = 0; i < MINT_COUNT; i++) {
        if (!(stages >> i & 1)) continue;
        buf_printf(out, "%s%s", between, mint_words[i]);
        between = ", ";
    }
    buf_byte(out, ']');
}

static void write_value(struct session_file *file, const struct session_metadata *metadata,
                        const struct key *key, struct buf *out)
{
    const void *at = (const char *)metadata + key->offset;
    const struct session_dirty_map *map = at;
    const struct str *text = at;

    switch (key->kind) {
    case KEY_TEXT:
        buf_add(out, session_one_line(file, *text));
        return;
    case KEY_SOURCE:
        buf_text(out, session_source_word(metadata->plan_source));
        return;
    case KEY_MAP:
        if (map->known) map_write(map, out);
        return;
    case KEY_COMMITS:
        if (!metadata->commits_known) return;
        write_list(file, metadata->session_commits, metadata->session_commit_count, out);
        return;
    case KEY_STAGES:
        if (metadata->stages_known) write_stages(metadata->completed_stages, out);
        return;
    case KEY_BLOCKED:
        if (!metadata->blocked_known) return;
        if (metadata->delivery_blocked_by.size == 0) buf_text(out, "null");
        buf_add(out, session_one_line(file, metadata->delivery_blocked_by));
        return;
    }
}

static void key_write(struct session_file *file, const struct session_metadata *metadata,
                      uint32_t rank, struct buf *out)
{
    struct buf value;

    assert(rank < KEY_COUNT);
    buf_init(&value, SIZE_MAX / 2);
    write_value(file, metadata, &keys[rank], &value);
    if (value.size) {
        buf_printf(out, "- %s: ", keys[rank].name);
        buf_add(out, buf_str(&value));
        buf_byte(out, '\n');
    }
    buf_release(&value);
}

/* ---- metadata: putting it in ---- */

enum { NOWHERE = UINT32_MAX };

struct setting_keys {
    struct session_file *file;
    const struct session_metadata *before, *after;
    const struct item *items;
    uint32_t count;
    uint32_t at[KEY_COUNT]; /* the item of a key; NOWHERE: none */
    bool changed;
    struct buf out;
};

static bool same_value(struct setting_keys *set, uint32_t rank)
{
    struct buf before, after;
    bool same;

    buf_init(&before, SIZE_MAX / 2);
    buf_init(&after, SIZE_MAX / 2);
    key_write(set->file, set->before, rank, &before);
    key_write(set->file, set->after, rank, &after);
    same = str_eq(buf_str(&before), buf_str(&after));
    buf_release(&before);
    buf_release(&after);
    return same;
}

static void add_lines(struct setting_keys *set, struct str lines)
{
    buf_add(&set->out, lines);
    if (lines.size && !str_ends(lines, STR("\n"))) buf_byte(&set->out, '\n');
}

static void add_item(struct setting_keys *set, uint32_t index)
{
    const struct item *item = &set->items[index];
    uint32_t rank = key_rank(item->key);

    if (rank == KEY_COUNT || set->at[rank] != index) {
        add_lines(set, item->raw);
    } else if (same_value(set, rank)) {
        add_lines(set, markdown_trim(item->raw));
    } else {
        key_write(set->file, set->after, rank, &set->out);
        set->changed = true;
    }
}

/* The keys that have no item and whose place is behind this one. */
static void add_missing(struct setting_keys *set, uint32_t behind)
{
    uint32_t last = NOWHERE;

    for (uint32_t rank = 0; rank < KEY_COUNT; rank++) {
        size_t before = set->out.size;

        if (set->at[rank] != NOWHERE) {
            last = last == NOWHERE || set->at[rank] > last ? set->at[rank] : last;
        } else if (last == behind) {
            key_write(set->file, set->after, rank, &set->out);
            set->changed = set->changed || set->out.size != before;
        }
    }
}

void session_file_set_metadata(struct session_file *file, const struct session_metadata *metadata)
{
    struct setting_keys set = { .file = file, .after = metadata };
    struct session_metadata before;
    uint32_t first;

    session_file_metadata(file, &before);
    set.before = &before;
    set.items = items_of(file, &set.count);
    buf_init(&set.out, SIZE_MAX / 2);
    for (uint32_t rank = 0; rank < KEY_COUNT; rank++) set.at[rank] = NOWHERE;
    for (uint32_t i = set.count; i-- > 0;) {
        uint32_t rank = key_rank(set.items[i].key);
        if (rank < KEY_COUNT) set.at[rank] = i;
    }
    first = set.count && set.items[0].key.size == 0;
    if (first) add_lines(&set, set.items[0].raw);
    add_missing(&set, NOWHERE);
    for (uint32_t i = first; i < set.count; i++) {
        add_item(&set, i);
        add_missing(&set, i);
    }
    if (set.changed || !session_file_has(file, SESSION_METADATA)) {
        session_part_set(file, SESSION_METADATA, markdown_trim(buf_str(&set.out)));
    }
    buf_release(&set.out);
}

/* ---- metadata: what is wrong with it ---- */

static bool is_object_id(struct str value)
{
    for (size_t i = 0; i < value.size; i++) {
        if (!byte_is_hex(value.data[i]) || byte_is_capital(value.data[i])) return false;
    }
    return value.size >= 7 && value.size <= 64;
}

static const char *commits_wrong(const struct item *item)
{
    struct str list = list_of(item), word;

    while (next_word(&list, &word)) {
        if (!is_null(word) && !is_object_id(word)) return "is a list of commit ids";
    }
    return NULL;
}

static bool is_map_of_blobs(const struct session_dirty_map *map)
{
    for (uint32_t i = 0; i < map->count; i++) {
        struct str blob = map->items[i].blob;

        if (!str_is(blob, DIRTY_DELETED) && !is_object_id(blob)) return false;
    }
    return true;
}

static const char *stages_wrong(const struct item *item)
{
    struct str list = list_of(item), odd = { "", 0 }, word;
    uint32_t next = 0;

    (void)read_stages(item, &odd);
    if (odd.size) return "is a list of exec, polish, docs and security, such as [exec, polish]";
    while (next_word(&list, &word)) {
        uint32_t i = 0;

        while (i < MINT_COUNT && !word_is(word, mint_words[i])) i++;
        if (i == MINT_COUNT) continue;
        if (!str_is(word, mint_words[i])) return "has its stages in small letters";
        if (i < next) return "has each stage once, in the order exec, polish, docs, security";
        next = i + 1;
    }
    return NULL;
}

static const char *text_wrong(const struct key *key, struct str value)
{
    static const char *const flags[] = { "true", "false", NULL };
    static const char *const entries[] = { "plan", "execute-from-session", "execute-from-plan",
                                           "review-only", "review-loop", NULL };

    if (key->offset == AT(reviewer_fallback_used) && !text_is_one_of(value, flags)) {
        return "is true or false";
    }
    if (key->offset == AT(entry_point) && !text_is_one_of(value, entries)) {
        return "is plan, execute-from-session, execute-from-plan, review-only or review-loop";
    }
    if ((key->offset == AT(base_head) || key->offset == AT(last_verified_head)) &&
        !is_null(value) && !is_object_id(value)) {
        return "is the id of a commit";
    }
    return value.size ? NULL : "is empty";
}

static const char *item_wrong(struct session_file *file, const struct item *item)
{
    static const char *const blocked[] = { "exec", "polish", "docs", "security", "delivery",
                                           "planning", "execution", "user-abort", NULL };
    const struct key *key = key_find(item->key);
    struct str value = session_unmarked(item->value);
    struct session_dirty_map map = { 0 };
    enum session_source source;

    if (!key) return NULL;
    switch (key->kind) {
    case KEY_TEXT:
        return text_wrong(key, value);
    case KEY_SOURCE:
        if (session_source_from_word(value, &source)) return NULL;
        return "is reviewer-approved, user-supplied or review-only";
    case KEY_MAP:
        if (read_map(file, item, &map) && is_map_of_blobs(&map)) return NULL;
        return "is a JSON object: the id of a blob, or <deleted>, for each path";
    case KEY_COMMITS:
        return commits_wrong(item);
    case KEY_STAGES:
        return stages_wrong(item);
    case KEY_BLOCKED:
        if (is_null(value) || text_is_one_of(value, blocked)) return NULL;
        return "is a stage, user-abort or null";
    }
    return NULL;
}

/* What every file says of itself. */
enum { KEYS_NEEDED = 5 };

void session_metadata_check(struct session_file *file, struct check_report *report)
{
    static const char *const needed[KEYS_NEEDED] = {
        "session_origin", "orchestrator_backend", "executor_backend", "reviewer_backend",
        "reviewer_fallback_used",
    };
    uint32_t count, seen = 0, head = session_file_line(file, SESSION_METADATA);
    const struct item *items = items_of(file, &count);

    if (!session_file_has(file, SESSION_METADATA)) return;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t rank = key_rank(items[i].key), line = head + items[i].line;
        const char *wrong = item_wrong(file, &items[i]);

        if (items[i].key.size == 0) {
            if (str_trim(items[i].raw).size == 0) continue;
            check_report_add(report, "not-a-key", line, "metadata is '- key: value' lines only");
            continue;
        }
        if (rank == KEY_COUNT) {
            check_report_add(report, "unknown-key", line, "'%.*s' is no key of the session's "
                             "metadata", STR_ARG(items[i].key));
            continue;
        }
        if (seen >> rank & 1) {
            check_report_add(report, "duplicate-key", line, "'%.*s' is there more than once; the "
                             "first one counts", STR_ARG(items[i].key));
        }
        seen |= 1u << rank;
        if (wrong) {
            check_report_add(report, "bad-value", line, "%.*s %s", STR_ARG(items[i].key), wrong);
        }
    }
    for (uint32_t i = 0; i < KEYS_NEEDED; i++) {
        if (seen >> key_rank(str_of(needed[i])) & 1) continue;
        check_report_add(report, "missing-key", head, "the metadata does not say %s", needed[i]);
    }
}
