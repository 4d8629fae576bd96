/* SPDX-License-Identifier: Apache-2.0
 *
 * comment_memory.c - what a comment remembers for the run behind it.
 *
 * A pipeline begins with an empty journal, so what was told before is only on the service. The
 * comment ends with a list of the findings it tells, which a page does not show:
 *
 *     <!-- hone:findings {"findings":[{"id":"00c0ffee00c0ffee","severity":"high","file":"a.c",
 *       "line":3,"text":"..."},{"id":...,"resolved":"fixed"}]} -->
 *
 * What is told now is made of this list and of the run, so that:
 *
 * 1. what is told again, in the same words or in others, keeps its name, and with that its inline
 *    comment (core/identity.h);
 * 2. what is not reported any more is resolved, where the run looked at all of it; where it did
 *    not, it stays as it was;
 * 3. the same run, asked again with the list that it wrote, writes the same list.
 *
 * No text in the list can end the comment that it stands in, or call a person: the bytes that could
 * are written as \u00NN. */
#include "format/report/comment.h"

#include "base/text_map.h"
#include "core/identity.h"
#include "format/json/finding_json.h"


enum {
    OPEN_MAX = 120, RESOLVED_MAX = 30, TEXT_BYTES_MAX = 160, FILE_BYTES_MAX = 300,
    OPEN_BYTES_MAX = 12000, LIST_BYTES_MAX = 18000, /* of the list, as it is written at most */
    READ_MAX = 1000,
};

static const char list_begin[] = "<!-- hone:findings ", list_end[] = " -->";

/* ---- reading ---- */

/* A name as listing_id() gives them: 16 digits of base 16, and perhaps "-N". */
static bool id_fits(struct str id)
{
    uint64_t hash, number;

    if (id.size < 16 || id.size >= LISTING_ID_BYTES) return false;
    if (!str_hash((struct str){ id.data, 16 }, &hash)) return false;
    id = str_skip(id, 16);
    return id.size == 0 || (str_starts(id, STR("-")) && str_number(str_skip(id, 1), &number));
}

static void memory_push(struct comment_memories *memories, const struct comment_memory *memory,
                       struct arena *arena)
{
    memories->items = arena_grow(arena, memories->items, memories->count, &memories->cap,
                                 sizeof *memories->items);
    memories->items[memories->count++] = *memory;
}

static void memory_read(struct comment_memories *memories, yyjson_val *value, struct arena *arena)
{
    struct str id = json_str(value, "id");
    struct comment_memory memory = {
        .file = arena_copy(arena, json_str(value, "file")),
        .text = arena_copy(arena, json_str(value, "text")),
        .resolved = arena_copy(arena, json_str(value, "resolved")),
    };
    uint64_t line = 0;

    if (!id_fits(id) || comment_memory_find(memories, id)) return;
    if (!severity_from_word(json_str(value, "severity"), &memory.severity)) return;
    if (json_uint(value, "line", &line) && line <= UINT32_MAX) memory.line = (uint32_t)line;
    memory.id = arena_cstr(arena, id);
    memory_push(memories, &memory, arena);
}

struct comment_memories comment_memories_read(struct str body, struct arena *arena)
{
    struct comment_memories memories = { 0 };
    struct str line = str_last_line(body);
    yyjson_doc *doc = NULL;
    yyjson_val *list, *value;
    struct err none;
    size_t i, count;

    if (!str_starts(line, str_of(list_begin)) || !str_ends(line, str_of(list_end))) {
        return memories;
    }
    line = str_skip(line, sizeof list_begin - 1);
    line.size -= sizeof list_end - 1;
    if (json_read(line, &doc, &none) != 0) return memories;
    list = yyjson_obj_get(yyjson_doc_get_root(doc), "findings");
    yyjson_arr_foreach(list, i, count, value) {
        if (i < READ_MAX) memory_read(&memories, value, arena);
    }
    yyjson_doc_free(doc);
    return memories;
}

/* ---- writing ---- */

static void memory_write(yyjson_mut_doc *doc, yyjson_mut_val *list,
                         const struct comment_memory *memory)
{
    yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list);

    json_add(doc, object, "id", memory->id);
    json_add(doc, object, "severity", severity_word(memory->severity));
    json_add_some(doc, object, "file", memory->file);
    if (memory->line > 0) yyjson_mut_obj_add_uint(doc, object, "line", memory->line);
    json_add_some(doc, object, "text", memory->text);
    json_add_some(doc, object, "resolved", memory->resolved);
}

void comment_memories_write(const struct comment_memories *memories, struct buf *out)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, json_object(doc), "findings");
    struct buf text;

    for (uint32_t i = 0; i < memories->count; i++) memory_write(doc, list, &memories->items[i]);
    buf_init(&text, COMMENT_BODY_BYTES_MAX);
    json_finish(doc, false, &text);
    buf_text(out, list_begin);
    for (size_t i = 0; i < text.size; i++) {
        char byte = text.data[i];

        if (str_has(STR("-<>&@#`"), byte)) buf_printf(out, "\\u%04x", (unsigned char)byte);
        else buf_byte(out, byte);
    }
    buf_text(out, list_end);
    buf_byte(out, '\n');
    buf_release(&text);
}

/* ---- what is to be remembered ---- */

uint32_t comment_items_make(const struct listing *listing, struct arena *arena,
                            struct comment_item **out)
{
    struct comment_item *items = arena_alloc(arena, (listing->count + 1) * sizeof *items);
    struct text_map seen = { 0 };
    char name[LISTING_ID_BYTES];
    uint32_t count = 0;

    for (uint32_t i = 0; i < listing->count; i++) {
        const char *id = arena_cstr(arena, str_of(listing_id(listing->items[i], true, name)));
        uint32_t *at = text_map_put(&seen, str_of(id), NULL);

        if (*at != MAP_NONE) continue;
        *at = count;
        items[count++] = (struct comment_item){ .entry = listing->items[i], .id = id,
                                                .left = "its place was not looked for" };
    }
    text_map_release(&seen);
    *out = items;
    return count;
}

const struct comment_memory *comment_memory_find(const struct comment_memories *memories,
                                                 struct str id)
{
    for (uint32_t i = 0; i < memories->count; i++) {
        if (str_is(id, memories->items[i].id)) return &memories->items[i];
    }
    return NULL;
}

static const struct comment_item *item_find(const struct comment_item *items, uint32_t count,
                                            const char *id)
{
    for (uint32_t i = 0; i < count; i++) {
        if (str_is(str_of(id), items[i].id)) return &items[i];
    }
    return NULL;
}

/* Items that the earlier comment does not know by name, and findings of it that no item has the
 * name of: those that are one get the earlier name. */
static void items_name(struct comment_item *items, uint32_t count,
                       const struct comment_memories *before, struct arena *arena)
{
    const struct finding **known = arena_alloc(arena, (before->count + 1) * sizeof(void *));
    const struct finding **told = arena_alloc(arena, (count + 1) * sizeof(void *));
    const char **names = arena_alloc(arena, (before->count + 1) * sizeof *names);
    struct comment_item **whose = arena_alloc(arena, (count + 1) * sizeof(void *));
    uint32_t *out = arena_alloc(arena, (count + 1) * sizeof *out);
    struct identity_sides sides = { .known = known, .reported = told };

    for (uint32_t i = 0; i < before->count; i++) {
        const struct comment_memory *memory = &before->items[i];
        struct finding *finding;

        if (item_find(items, count, memory->id)) continue;
        finding = arena_alloc(arena, sizeof *finding);
        *finding = (struct finding){ .severity = memory->severity, .file = memory->file,
                                     .line = memory->line, .text = memory->text };
        names[sides.known_count] = memory->id;
        known[sides.known_count++] = finding;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (comment_memory_find(before, str_of(items[i].id))) continue;
        whose[sides.reported_count] = &items[i];
        told[sides.reported_count++] = &items[i].entry->finding;
    }
    if (sides.known_count == 0 || sides.reported_count == 0) return;
    identity_match(&sides, out);
    for (uint32_t i = 0; i < sides.reported_count; i++) {
        if (out[i] != IDENTITY_NONE) whose[i]->id = names[out[i]];
    }
}

static struct comment_memory memory_of(const struct comment_item *item, const char *resolved)
{
    const struct finding *finding = &item->entry->finding;

    return (struct comment_memory){
        .id = item->id,
        .file = finding->file.size <= FILE_BYTES_MAX ? finding->file : STR(""),
        .line = finding->line,
        .text = str_head(finding->text.size > 0 ? finding->text : finding->kind, TEXT_BYTES_MAX),
        .severity = finding->severity,
        .resolved = str_of(resolved),
    };
}

/* What became of a finding that is not open; NULL: nothing that the reader was told of. */
static const char *item_resolved(const struct comment_item *item,
                                 const struct comment_memories *before)
{
    if (item->entry->state == FINDING_FIXED) return "fixed";
    if (!comment_memory_find(before, str_of(item->id))) return NULL;
    return finding_state_word(item->entry->state);
}

/* The list that is being made. What does not fit into its part of the bytes is left out: asked
 * again, the same parts leave out nothing more. */
struct list {
    struct comment_memories memories;
    size_t bytes;
    struct arena *arena;
};

static size_t text_weight(struct str text)
{
    size_t weight = 0;

    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.data[i];

        if (byte < ' ' || byte == 0x7f || str_has(STR("-<>&@#`\"\\"), text.data[i])) weight += 6;
        else weight += byte < 0x80 ? 1 : 3;
    }
    return weight;
}

static void list_add(struct list *list, const struct comment_memory *memory, size_t bytes_max)
{
    enum { AROUND_BYTES = 120 };
    size_t weight = AROUND_BYTES + text_weight(memory->file) + text_weight(memory->text) +
                    text_weight(memory->resolved);

    if (comment_memory_find(&list->memories, str_of(memory->id))) return;
    if (list->bytes + weight > bytes_max) return;
    list->bytes += weight;
    memory_push(&list->memories, memory, list->arena);
}

/* What is open, and what was and is not judged by this run. */
static void list_open(struct list *list, const struct comment_about *about,
                      const struct comment_item *items, uint32_t count,
                      const struct comment_memories *before)
{
    for (uint32_t i = 0; i < count && list->memories.count < OPEN_MAX; i++) {
        struct comment_memory memory = memory_of(&items[i], "");

        if (finding_is_open(items[i].entry->state)) list_add(list, &memory, OPEN_BYTES_MAX);
    }
    for (uint32_t i = 0; i < before->count && list->memories.count < OPEN_MAX; i++) {
        struct comment_memory memory = before->items[i];

        if (about->conclusive || memory.resolved.size > 0) continue;
        if (item_find(items, count, memory.id)) continue;
        memory.unjudged = true;
        list_add(list, &memory, OPEN_BYTES_MAX);
    }
}

struct comment_memories comment_memories_next(const struct comment_about *about,
                                              struct comment_item *items, uint32_t count,
                                              const struct comment_memories *before,
                                              struct arena *arena)
{
    struct list list = { .arena = arena };
    uint32_t open;

    items_name(items, count, before, arena);
    list_open(&list, about, items, count, before);
    open = list.memories.count;
    list.bytes = OPEN_BYTES_MAX;
    for (uint32_t i = 0; i < count && list.memories.count - open < RESOLVED_MAX; i++) {
        const char *resolved = finding_is_open(items[i].entry->state)
                                   ? NULL : item_resolved(&items[i], before);
        struct comment_memory memory = memory_of(&items[i], resolved);

        if (resolved) list_add(&list, &memory, LIST_BYTES_MAX);
    }
    for (uint32_t i = 0; i < before->count && list.memories.count - open < RESOLVED_MAX; i++) {
        struct comment_memory memory = before->items[i];

        if (item_find(items, count, memory.id)) continue;
        if (memory.resolved.size == 0 && !about->conclusive) continue;
        if (memory.resolved.size == 0) memory.resolved = STR("no longer reported");
        list_add(&list, &memory, LIST_BYTES_MAX);
    }
    return list.memories;
}
