/* SPDX-License-Identifier: Apache-2.0
 *
 * patch.c - fixes chosen and applied.
 *
 * Each file has the list of the edits that were taken for it, ordered by start and then by end: an
 * insertion comes before a replacement at the same place, and behind one that ends there. That is
 * also the order in which they are applied.
 *
 * 1. Edits of different changes never overlap. So whether an edit overlaps any of them is seen at
 *    its neighbours in the list, and any subset of the changes can be applied.
 * 2. Edits of one change do not overlap either. Insertions at the same place are made in the order
 *    in which the fix has them: they have one author.
 * 3. Only what was checked is taken: inside its file, between characters, for the content it was
 *    made for.
 * 4. Whole fixes count as the same, never single edits of two. Two fixes that each put a quote at
 *    the same place want two quotes there.
 *
 * Not here: reading and writing files, whether the result is any good (analyze/fixits.c). */
#include "format/report/patch.h"

#include "base/mem.h"
#include "format/text/utf8.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { CONTEXT_BYTES = 32 }; /* around an edit, in its identity */

void patch_init(struct patch *patch)
{
    *patch = (struct patch){ 0 };
}

static void forget_choice(struct patch *patch)
{
    for (uint32_t i = 0; i < patch->file_count; i++) patch->files[i].place_count = 0;
    patch->change_count = patch->edit_count = 0;
}

void patch_release(struct patch *patch)
{
    for (uint32_t i = 0; i < patch->file_count; i++) free(patch->files[i].places);
    free(patch->items);
    free(patch->changes);
    free(patch->edits);
    arena_release(&patch->arena);
    patch_init(patch);
}

void patch_add(struct patch *patch, const struct finding *finding)
{
    struct patch_item item = { .finding = finding, .state = PATCH_NO_FIX };
    struct err err;

    if (finding->fix.size && fixes_read(finding->fix, &patch->arena, &item.fixes, &err) != 0) {
        item.problem = arena_cstr(&patch->arena, str_of(err.text));
    }
    patch->items = mem_grow(patch->items, patch->count, &patch->cap, sizeof *patch->items);
    patch->items[patch->count++] = item;
}

/* ---- files ---- */

/* The path of every edit, with a caller's array to put them into, or none to count them. */
static uint32_t all_paths(const struct patch *patch, struct str *paths)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < patch->count; i++) {
        const struct fixes *fixes = &patch->items[i].fixes;
        for (uint32_t k = 0; k < fixes->count; k++) {
            const struct fix *fix = &fixes->items[k];
            for (uint32_t e = 0; e < fix->count; e++, count++) {
                if (paths) paths[count] = fix->edits[e].file;
            }
        }
    }
    return count;
}

void patch_list_files(struct patch *patch)
{
    uint32_t count = all_paths(patch, NULL);
    struct str *paths = mem_alloc((count + 1) * sizeof *paths);

    assert(!patch->files);
    (void)all_paths(patch, paths);
    qsort(paths, count, sizeof *paths, str_order);
    patch->files = arena_alloc(&patch->arena, count * sizeof *patch->files);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && str_eq(paths[i - 1], paths[i])) continue;
        patch->files[patch->file_count++].path = paths[i];
    }
    free(paths);
}

static uint32_t file_index(const struct patch *patch, struct str path)
{
    uint32_t low = 0, high = patch->file_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = str_compare(patch->files[middle].path, path);

        if (order == 0) return middle;
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    assert(!"a path that was not listed");
    return 0;
}

/* ---- one fix ---- */

/* Equal ones keep the order of their fix: their addresses are ascending there. */
static int by_place(const void *a, const void *b)
{
    const struct patch_edit *x = a, *y = b;

    if (x->file != y->file) return x->file < y->file ? -1 : 1;
    if (x->edit->start != y->edit->start) return x->edit->start < y->edit->start ? -1 : 1;
    if (x->edit->end != y->edit->end) return x->edit->end < y->edit->end ? -1 : 1;
    return (x->edit > y->edit) - (x->edit < y->edit);
}

/* The edits of a fix behind those that were taken, as if it were the next change. */
static struct patch_edit *spread(struct patch *patch, const struct fix *fix)
{
    struct patch_edit *edits;

    for (uint32_t i = 0; i < fix->count; i++) {
        patch->edits = mem_grow(patch->edits, patch->edit_count + i, &patch->edit_cap,
                                sizeof *patch->edits);
        patch->edits[patch->edit_count + i] = (struct patch_edit){
            .edit = &fix->edits[i],
            .file = file_index(patch, fix->edits[i].file),
            .change = patch->change_count,
        };
    }
    edits = patch->edits + patch->edit_count;
    qsort(edits, fix->count, sizeof *edits, by_place);
    return edits;
}

static struct str stretch(struct str content, uint64_t start, uint64_t end)
{
    content = str_skip(content, (size_t)start);
    content.size = (size_t)(end - start);
    return content;
}

static bool cuts_character(struct str content, uint64_t at)
{
    uint32_t code;

    for (uint64_t back = 1; back <= 3 && back <= at && at < content.size; back++) {
        if (utf8_next(str_skip(content, (size_t)(at - back)), &code) > back) return true;
    }
    return false;
}

static bool changes_nothing(const struct patch *patch, const struct patch_edit *edits,
                            uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct edit *edit = edits[i].edit;
        struct str content = patch->files[edits[i].file].content;

        if (!str_eq(stretch(content, edit->start, edit->end), edit->text)) return false;
    }
    return true;
}

/* Why an edit cannot be made in this file, even alone; NULL: it can. */
static const char *unfit(struct str content, const struct edit *edit)
{
    if (edit->end < edit->start) return "an edit ends before it begins";
    if (edit->end > content.size) return "an edit reaches behind the end of the file";
    if (cuts_character(content, edit->start) || cuts_character(content, edit->end)) {
        return "an edit begins or ends inside a character";
    }
    return NULL;
}

/* Whether the files are there to be changed, and are what the fix was made for. */
static enum patch_state judge_files(struct patch *patch, const struct patch_edit *edits,
                                    uint32_t count, struct patch_item *said)
{
    enum patch_state state = PATCH_TAKEN;

    for (uint32_t i = 0; i < count; i++) {
        struct patch_file *file = &patch->files[edits[i].file];

        if (!file->barred && !file->hashed) {
            file->hash = content_hash(file->content);
            file->hashed = true;
        }
        if (!file->barred && edits[i].edit->hash == file->hash) continue;
        if (!file->barred && state == PATCH_CHANGED) continue;
        state = file->barred ? PATCH_BARRED : PATCH_CHANGED;
        said->file = file->path;
        said->why = file->barred;
        if (file->barred) break;
    }
    return state;
}

/* Whether each edit fits its file, and none of them another. */
static enum patch_state judge_edits(const struct patch *patch, const struct patch_edit *edits,
                                    uint32_t count, struct patch_item *said)
{
    uint64_t reach = 0;

    for (uint32_t i = 0; i < count; i++) {
        const struct patch_file *file = &patch->files[edits[i].file];
        const struct edit *edit = edits[i].edit;

        said->file = file->path;
        said->why = unfit(file->content, edit);
        if (said->why) return PATCH_UNFIT;
        if (i > 0 && edits[i - 1].file != edits[i].file) reach = 0;
        said->why = "its edits overlap each other";
        if (edit->start < reach) return PATCH_UNFIT;
        if (edit->end > edit->start) reach = edit->end;
    }
    said->why = "it changes nothing";
    return changes_nothing(patch, edits, count) ? PATCH_UNFIT : PATCH_TAKEN;
}

/* ---- choosing ---- */

/* The first place in the file's list that is not before (start, end). */
static uint32_t place_of(const struct patch *patch, const struct patch_file *file, uint64_t start,
                         uint64_t end)
{
    uint32_t low = 0, high = file->place_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct edit *at = patch->edits[file->places[middle]].edit;

        if (at->start < start || (at->start == start && at->end < end)) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* The edit among those taken that this one overlaps; NULL: none. */
static const struct patch_edit *overlapped(const struct patch *patch, const struct patch_edit *mine)
{
    const struct patch_file *file = &patch->files[mine->file];
    uint64_t start = mine->edit->start, end = mine->edit->end;
    bool inserts = start == end;
    uint32_t before = place_of(patch, file, start, start);
    uint32_t behind = inserts ? before : place_of(patch, file, start, start + 1);

    if (before > 0) {
        const struct patch_edit *last = &patch->edits[file->places[before - 1]];
        if (last->edit->end > start) return last;
    }
    if (behind < file->place_count) {
        const struct patch_edit *next = &patch->edits[file->places[behind]];
        bool same_place = next->edit->start == start && next->edit->end == start;
        if (inserts ? same_place : next->edit->start < end) return next;
    }
    return NULL;
}

static bool same_edits(const struct patch *patch, const struct patch_change *change,
                       const struct patch_edit *edits, uint32_t count)
{
    if (change->count != count) return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct patch_edit *other = &patch->edits[change->edit + i];

        if (other->file != edits[i].file || other->edit->start != edits[i].edit->start ||
            other->edit->end != edits[i].edit->end ||
            !str_eq(other->edit->text, edits[i].edit->text)) {
            return false;
        }
    }
    return true;
}

static void fix_take(struct patch *patch, uint32_t item, const struct fix *fix)
{
    uint32_t first = patch->edit_count;

    patch->changes = mem_grow(patch->changes, patch->change_count, &patch->change_cap,
                              sizeof *patch->changes);
    patch->changes[patch->change_count++] = (struct patch_change){
        .item = item, .fix = fix, .edit = first, .count = fix->count,
    };
    patch->edit_count += fix->count;
    for (uint32_t i = first; i < patch->edit_count; i++) {
        const struct patch_edit *edit = &patch->edits[i];
        struct patch_file *file = &patch->files[edit->file];
        /* Behind those of this fix at the same place, which came before it. */
        uint32_t at = place_of(patch, file, edit->edit->start, edit->edit->end + 1);

        file->places = mem_grow(file->places, file->place_count, &file->place_cap,
                                sizeof *file->places);
        memmove(file->places + at + 1, file->places + at,
                (file->place_count - at) * sizeof *file->places);
        file->places[at] = i;
        file->place_count++;
    }
}

/* Hashes what an edit does, with what stands around it in a content, where the edit begins `shift`
 * bytes further on. */
static void add_identity(struct buf *all, const struct edit *edit, struct str content,
                         int64_t shift)
{
    uint64_t start = (uint64_t)((int64_t)edit->start + shift);
    uint64_t end = (uint64_t)((int64_t)edit->end + shift);
    uint64_t from = start > CONTEXT_BYTES ? start - CONTEXT_BYTES : 0;
    uint64_t to = content.size - end > CONTEXT_BYTES ? end + CONTEXT_BYTES : content.size;
    struct str parts[] = {
        edit->file, stretch(content, from, start), stretch(content, start, end),
        stretch(content, end, to), edit->text,
    };

    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        uint64_t hash = content_hash(parts[k]);
        buf_add(all, (struct str){ (const char *)&hash, sizeof hash });
    }
}

static uint64_t identity(const struct patch *patch, const struct finding *finding,
                         const struct patch_edit *edits, uint32_t count)
{
    struct buf all;
    uint64_t hash = content_hash(finding->kind);

    buf_init(&all, SIZE_MAX / 2);
    buf_add(&all, (struct str){ (const char *)&hash, sizeof hash });
    for (uint32_t i = 0; i < count; i++) {
        add_identity(&all, edits[i].edit, patch->files[edits[i].file].content, 0);
    }
    hash = content_hash(buf_str(&all));
    buf_release(&all);
    return hash;
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

struct refusals {
    const uint64_t *items;
    uint32_t count;
};

/* Judges one alternative, and takes it where it can be made. */
static enum patch_state judge_fix(struct patch *patch, uint32_t item, const struct fix *fix,
                                  const struct refusals *refusals, struct patch_item *said)
{
    const struct patch_edit *edits = spread(patch, fix), *other = NULL;
    enum patch_state state = judge_files(patch, edits, fix->count, said);

    if (state == PATCH_TAKEN) state = judge_edits(patch, edits, fix->count, said);
    if (state != PATCH_TAKEN) return state;
    if (patch->safe_only && !fix->safe) return PATCH_RISKY;
    if (refusals->count > 0) {
        uint64_t mine = identity(patch, said->finding, edits, fix->count);
        if (bsearch(&mine, refusals->items, refusals->count, sizeof mine, by_number)) {
            return PATCH_REFUSED;
        }
    }
    for (uint32_t i = 0; i < fix->count && !other; i++) other = overlapped(patch, &edits[i]);
    if (other && !same_edits(patch, &patch->changes[other->change], edits, fix->count)) {
        said->rival = patch->changes[other->change].item;
        return PATCH_OVERLAPS;
    }
    said->change = other ? other->change : patch->change_count;
    if (!other) fix_take(patch, item, fix);
    return PATCH_TAKEN;
}

static void choose_for(struct patch *patch, uint32_t index, const struct refusals *refusals)
{
    struct patch_item *item = &patch->items[index];

    item->state = item->problem ? PATCH_UNFIT : PATCH_NO_FIX;
    item->why = item->problem;
    item->file = (struct str){ "", 0 };
    for (uint32_t i = 0; i < item->fixes.count; i++) {
        struct patch_item said = *item;

        said.state = judge_fix(patch, index, &item->fixes.items[i], refusals, &said);
        if (i == 0 || said.state == PATCH_TAKEN ||
            (said.state == PATCH_OVERLAPS && item->state != PATCH_OVERLAPS)) {
            *item = said;
        }
        if (item->state == PATCH_TAKEN) return;
    }
}

/* The highest chooses first. */
static int turn_of(const struct patch_item *item)
{
    uint32_t rank = item->fixes.count > 0 ? item->fixes.items[0].rank : 0;

    return (int)(rank * SEVERITY_COUNT + item->finding->severity);
}

void patch_choose(struct patch *patch, const uint64_t *refused, uint32_t refused_count)
{
    struct refusals refusals = { .items = refused, .count = refused_count };

    forget_choice(patch);
    for (int turn = (FIX_RANK_MAX + 1) * SEVERITY_COUNT - 1; turn >= 0; turn--) {
        for (uint32_t i = 0; i < patch->count; i++) {
            if (turn_of(&patch->items[i]) == turn) choose_for(patch, i, &refusals);
        }
    }
}

uint64_t patch_identity(const struct patch *patch, const struct patch_item *item)
{
    const struct patch_change *change = &patch->changes[item->change];

    assert(item->state == PATCH_TAKEN);
    return identity(patch, item->finding, patch->edits + change->edit, change->count);
}

/* ---- applying ---- */

static uint32_t count_lines(struct str text)
{
    uint32_t count = 0;

    while (text.size) {
        const char *end = memchr(text.data, '\n', text.size);
        if (!end) break;
        count++;
        text = str_skip(text, (size_t)(end - text.data) + 1);
    }
    return count;
}

bool patch_touches(const struct patch *patch, const bool *in, uint32_t file)
{
    const struct patch_file *at = &patch->files[file];

    for (uint32_t i = 0; i < at->place_count; i++) {
        if (!in || in[patch->edits[at->places[i]].change]) return true;
    }
    return false;
}

void patch_apply(const struct patch *patch, const bool *in, uint32_t file, struct buf *out,
                 uint32_t *lines)
{
    const struct patch_file *at = &patch->files[file];
    uint64_t done = 0;
    uint32_t line = 1;

    for (uint32_t i = 0; i < at->place_count; i++) {
        const struct patch_edit *place = &patch->edits[at->places[i]];
        const struct edit *edit = place->edit;
        struct str kept;

        if (in && !in[place->change]) continue;
        assert(edit->start >= done && edit->end <= at->content.size);
        kept = stretch(at->content, done, edit->start);
        buf_add(out, kept);
        if (lines) {
            line += count_lines(kept);
            if (at->places[i] == patch->changes[place->change].edit) lines[place->change] = line;
            line += count_lines(edit->text);
        }
        buf_add(out, edit->text);
        done = edit->end;
    }
    buf_add(out, str_skip(at->content, (size_t)done));
}

/* How much further on a place is when these changes are made before it. */
static int64_t shift_of(const struct patch *patch, const bool *in, const struct patch_edit *mine)
{
    const struct patch_file *file = &patch->files[mine->file];
    int64_t shift = 0;

    for (uint32_t i = 0; i < file->place_count; i++) {
        const struct patch_edit *other = &patch->edits[file->places[i]];

        if (!in[other->change] || other->edit->end > mine->edit->start) continue;
        shift += (int64_t)other->edit->text.size - (int64_t)(other->edit->end - other->edit->start);
    }
    return shift;
}

uint64_t patch_identity_after(const struct patch *patch, const struct patch_item *item,
                              const bool *in)
{
    const struct patch_change *change = &patch->changes[item->change];
    uint64_t hash = content_hash(item->finding->kind);
    struct buf all, content;

    assert(item->state == PATCH_TAKEN && !in[item->change]);
    buf_init(&all, SIZE_MAX / 2);
    buf_init(&content, SIZE_MAX / 2);
    buf_add(&all, (struct str){ (const char *)&hash, sizeof hash });
    for (uint32_t i = 0; i < change->count; i++) {
        const struct patch_edit *edit = &patch->edits[change->edit + i];

        buf_clear(&content);
        patch_apply(patch, in, edit->file, &content, NULL);
        add_identity(&all, edit->edit, buf_str(&content), shift_of(patch, in, edit));
    }
    hash = content_hash(buf_str(&all));
    buf_release(&content);
    buf_release(&all);
    return hash;
}
