/* SPDX-License-Identifier: Apache-2.0
 *
 * project.c - the sources of a workspace: what the other files of project.h share, and small
 * answers.
 *
 *     project_files.c      which files there are, and the scope
 *     project_flags.c      how they are compiled
 *     project_includes.c   what they depend on
 *     project_compiles.c   whether they compile */
#include "analyze/project.h"

#include "analyze/project_parts.h"
#include "base/mem.h"
#include "format/report/fix.h"
#include "format/text/safe.h"

#include <stdlib.h>
#include <string.h>

void project_release(struct project *project)
{
    arena_release(&project->arena);
    *project = (struct project){ 0 };
}

bool project_has(const struct project *project, enum language language)
{
    for (uint32_t i = 0; i < project->count; i++) {
        if (project->sources[i].language == language && !project->sources[i].header) return true;
    }
    return false;
}

static int compare_path(const void *key, const void *item)
{
    return str_compare(*(const struct str *)key, str_of(((const struct source *)item)->path));
}

const struct source *project_source(const struct project *project, struct str path)
{
    if (project->count == 0) return NULL;
    return bsearch(&path, project->sources, project->count, sizeof *project->sources,
                   compare_path);
}

bool source_is_unit(const struct source *source)
{
    return !source->header &&
           (source->language == LANGUAGE_C || source->language == LANGUAGE_CXX);
}

/* ---- the key ---- */

static void add_text(struct buf *out, const char *text)
{
    buf_text(out, text ? text : "");
    buf_byte(out, '\0');
}

static void add_number(struct buf *out, uint64_t number)
{
    buf_add(out, (struct str){ (const char *)&number, sizeof number });
}

uint64_t source_key(const struct project *project, const struct source *source)
{
    struct buf all;
    uint64_t key;

    buf_init(&all, SIZE_MAX / 4);
    add_text(&all, source->path);
    add_number(&all, source->language);
    add_text(&all, source->folder);
    for (const char *const *flag = source->flags; flag && *flag; flag++) add_text(&all, *flag);
    add_text(&all, ""); /* no flag is empty: flags end here */
    add_number(&all, source->hash);
    add_number(&all, source->outside_hash);
    for (uint32_t i = 0; i < source->include_count; i++) {
        const struct source *included = &project->sources[source->includes[i]];

        add_text(&all, included->path);
        add_number(&all, included->hash);
    }
    key = content_hash(buf_str(&all));
    buf_release(&all);
    return key;
}

/* ---- texts to numbers ---- */

struct text_slot {
    struct str text; /* data NULL: free */
    uint64_t hash;
    uint32_t number;
};

static struct text_slot *slot_of(const struct text_map *map, struct str text, uint64_t hash)
{
    uint32_t at = (uint32_t)hash & (map->cap - 1);

    while (map->slots[at].text.data &&
           (map->slots[at].hash != hash || !str_eq(map->slots[at].text, text)))
        at = (at + 1) & (map->cap - 1);
    return &map->slots[at];
}

static void grow(struct text_map *map)
{
    struct text_map larger = { .count = map->count, .cap = map->cap ? 2 * map->cap : 64 };

    larger.slots = mem_alloc(larger.cap * sizeof *larger.slots);
    for (uint32_t i = 0; i < map->cap; i++) {
        const struct text_slot *slot = &map->slots[i];

        if (slot->text.data) *slot_of(&larger, slot->text, slot->hash) = *slot;
    }
    free(map->slots);
    *map = larger;
}

uint32_t *text_map_put(struct text_map *map, struct str text, struct arena *copy)
{
    uint64_t hash = content_hash(text);
    struct text_slot *slot;

    if (map->count >= map->cap / 2) grow(map);
    slot = slot_of(map, text, hash);
    if (!slot->text.data) {
        if (copy) text = arena_copy(copy, text);
        if (!text.data) text.data = "";
        *slot = (struct text_slot){ .text = text, .hash = hash, .number = MAP_NONE };
        map->count++;
    }
    return &slot->number;
}

void text_map_release(struct text_map *map)
{
    free(map->slots);
    *map = (struct text_map){ 0 };
}

/* ---- paths ---- */

/* Appends the parts of a path behind a slash each; ".." takes one back. */
static void add_parts(struct buf *out, struct str path)
{
    struct str part;

    while (str_cut(&path, '/', &part)) {
        if (part.size == 0 || str_is(part, ".")) continue;
        if (str_is(part, "..")) {
            while (out->size && out->data[out->size - 1] != '/') out->size--;
            if (out->size) out->size--;
            continue;
        }
        buf_byte(out, '/');
        buf_add(out, part);
    }
}

void path_join(struct str folder, struct str path, struct buf *out)
{
    buf_clear(out);
    if (!str_starts(path, STR("/"))) add_parts(out, folder);
    add_parts(out, path);
    if (out->size == 0) buf_byte(out, '/');
    out->data[out->size] = '\0'; /* ".." took bytes back */
}

const char *path_joined(const char *folder, struct str path, struct arena *arena)
{
    const char *joined;
    struct buf out;

    buf_init(&out, strlen(folder) + path.size + 2);
    path_join(str_of(folder), path, &out);
    joined = arena_cstr(arena, buf_str(&out));
    buf_release(&out);
    return joined;
}

struct str path_inside(const struct project *project, const char *path)
{
    struct str all = str_of(path), top = str_of(project->workspace);

    if (!str_starts(all, top) || all.size <= top.size + 1 || all.data[top.size] != '/')
        return (struct str){ "", 0 };
    return str_skip(all, top.size + 1);
}

const char *path_shown(struct str path, struct arena *arena)
{
    enum { SHOWN_BYTES_MAX = 300 };
    const char *shown;
    struct buf out;

    buf_init(&out, 2 * SHOWN_BYTES_MAX);
    safe_text(&out, path, true, SHOWN_BYTES_MAX);
    shown = arena_cstr(arena, buf_str(&out));
    buf_release(&out);
    return shown;
}
