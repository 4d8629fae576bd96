/* SPDX-License-Identifier: Apache-2.0
 *
 * metadata.c - Session Metadata: a bullet for each key.
 *
 *     - reviewer_fallback_used: false
 *     - base_dirty: {"a.c":"8ab686ea...","b.c":"<deleted>"}
 *     - completed_stages: [exec, polish]        or "  - exec" lines below the key
 *
 * 1. Only the keys of the table are ever written. Keys of others, and lines that are none, stay.
 * 2. A key whose value did not change keeps the form it was written in.
 * 3. Of two items with one key the first counts. */
#include "dialect/session/file_parts.h"

#include "base/byte.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

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

_Static_assert(sizeof keys / sizeof *keys == SESSION_KEY_COUNT, "a row for each");

static const char *const mint_words[MINT_COUNT] = {
    [MINT_EXEC] = "exec", [MINT_POLISH] = "polish", [MINT_DOCS] = "docs",
    [MINT_SECURITY] = "security",
};

static const struct key *key_find(struct str name)
{
    for (uint32_t i = 0; i < SESSION_KEY_COUNT; i++) {
        if (str_is(name, keys[i].name)) return &keys[i];
    }
    return NULL;
}

uint32_t session_key_rank(struct str name)
{
    const struct key *key = key_find(name);

    return key ? (uint32_t)(key - keys) : SESSION_KEY_COUNT;
}

/* ---- items ---- */

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

const struct session_item *session_items(struct session_file *file, uint32_t *count)
{
    const struct session_part *part = session_part_find(file, SESSION_METADATA);
    struct session_lines lines = { .rest = part ? session_part_body(part)
                                                : (struct str){ "", 0 } };
    struct session_item *items = NULL;
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
        items[*count] = (struct session_item){
            .key = item ? key : STR(""), .value = value, .raw = { *count ? from : begin, 0 },
            .line = lines.number,
        };
        (*count)++;
    }
}

/* ---- lists ---- */

/* Cuts the next word off a list: "[exec, polish]", "exec, polish", or "  - exec" lines. */
static bool next_word(struct str *list, struct str *word)
{
    static const char between[] = " \t\r\n,[]\"'`-";

    while (list->size && list->data[0] && strchr(between, list->data[0])) {
        *list = str_skip(*list, 1);
    }
    *word = (struct str){ list->data, 0 };
    while (word->size < list->size &&
           (!list->data[word->size] || !strchr(" \t\r\n,[]\"'`", list->data[word->size]))) {
        word->size++;
    }
    *list = str_skip(*list, word->size);
    return word->size > 0;
}

/* The lines below an item's first that are indented. */
static struct str block_of(const struct session_item *item)
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
static struct str list_of(const struct session_item *item)
{
    struct str rest = { item->value.data,
                        (size_t)(item->raw.data + item->raw.size - item->value.data) };
    struct str list;

    if (item->value.size == 0) return block_of(item);
    if (!str_starts(item->value, STR("[")) || !str_has(rest, ']')) return item->value;
    (void)str_cut(&rest, ']', &list);
    return list;
}

bool session_is_null(struct str value)
{
    return value.size == 0 || session_is_word(value, "null") || session_is_word(value, "none");
}

static void read_commits(struct session_file *file, const struct session_item *item,
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
        if (!session_is_null(word)) commits[count++] = word;
    }
    out->session_commits = commits;
    out->session_commit_count = count;
}

/* The bits; a word that is no stage sets *odd. */
static uint32_t read_stages(const struct session_item *item, struct str *odd)
{
    struct str list = list_of(item), word;
    uint32_t stages = 0;

    while (next_word(&list, &word)) {
        uint32_t i = 0;

        while (i < MINT_COUNT && !session_is_word(word, mint_words[i])) i++;
        if (i < MINT_COUNT) stages |= 1u << i;
        else if (!session_is_null(word)) *odd = word;
    }
    return stages;
}

static bool read_map(struct session_file *file, const struct session_item *item,
                     struct session_dirty_map *out)
{
    struct str rest = { item->value.data,
                        (size_t)(item->raw.data + item->raw.size - item->value.data) };

    if (item->value.size == 0) return session_map_read(file, block_of(item), out);
    if (session_map_read(file, item->value, out)) return true;
    while (rest.size && rest.data[rest.size - 1] != '}') rest.size--;
    return rest.size && session_map_read(file, rest, out); /* spread over lines */
}

/* ---- reading ---- */

static void read_item(struct session_file *file, const struct session_item *item,
                      const struct key *key, struct session_metadata *out)
{
    struct str value = session_unmarked(item->value), odd;

    switch (key->kind) {
    case KEY_TEXT:
        if (session_is_null(value)) value = STR("");
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
        out->delivery_blocked_by = session_is_null(value) ? STR("") : value;
        break;
    }
}

void session_file_metadata(struct session_file *file, struct session_metadata *out)
{
    uint32_t count, seen = 0;
    const struct session_item *items = session_items(file, &count);

    *out = (struct session_metadata){ 0 };
    for (uint32_t i = 0; i < count; i++) {
        const struct key *key = key_find(items[i].key);

        if (!key || seen >> (key - keys) & 1) continue;
        seen |= 1u << (key - keys);
        read_item(file, &items[i], key, out);
    }
}

/* ---- writing ---- */

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
        if (map->known) session_map_write(map, out);
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

void session_key_write(struct session_file *file, const struct session_metadata *metadata,
                       uint32_t rank, struct buf *out)
{
    struct buf value;

    assert(rank < SESSION_KEY_COUNT);
    buf_init(&value, SIZE_MAX / 2);
    write_value(file, metadata, &keys[rank], &value);
    if (value.size) {
        buf_printf(out, "- %s: ", keys[rank].name);
        buf_add(out, buf_str(&value));
        buf_byte(out, '\n');
    }
    buf_release(&value);
}

/* ---- what is wrong with an item ---- */

static bool is_one_of(struct str value, const char *const *words)
{
    for (; *words; words++) {
        if (str_is(value, *words)) return true;
    }
    return false;
}

static bool is_object_id(struct str value)
{
    for (size_t i = 0; i < value.size; i++) {
        char byte = value.data[i];
        if (!(byte_is_digit(byte) || (byte >= 'a' && byte <= 'f'))) return false;
    }
    return value.size >= 7 && value.size <= 64;
}

static const char *commits_wrong(const struct session_item *item)
{
    struct str list = list_of(item), word;

    while (next_word(&list, &word)) {
        if (!session_is_null(word) && !is_object_id(word)) return "is a list of commit ids";
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

static const char *stages_wrong(const struct session_item *item)
{
    struct str list = list_of(item), odd = { "", 0 }, word;
    uint32_t next = 0;

    (void)read_stages(item, &odd);
    if (odd.size) return "is a list of exec, polish, docs and security, such as [exec, polish]";
    while (next_word(&list, &word)) {
        uint32_t i = 0;

        while (i < MINT_COUNT && !session_is_word(word, mint_words[i])) i++;
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

    if (key->offset == AT(reviewer_fallback_used) && !is_one_of(value, flags)) {
        return "is true or false";
    }
    if (key->offset == AT(entry_point) && !is_one_of(value, entries)) {
        return "is plan, execute-from-session, execute-from-plan, review-only or review-loop";
    }
    if ((key->offset == AT(base_head) || key->offset == AT(last_verified_head)) &&
        !session_is_null(value) && !is_object_id(value)) {
        return "is the id of a commit";
    }
    return value.size ? NULL : "is empty";
}

const char *session_item_wrong(struct session_file *file, const struct session_item *item)
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
        if (session_is_null(value) || is_one_of(value, blocked)) return NULL;
        return "is a stage, user-abort or null";
    }
    return NULL;
}
