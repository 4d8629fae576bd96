/* SPDX-License-Identifier: Apache-2.0
 *
 * test_patch_random.c - patch.c against a model that is slow and plain.
 *
 * The model asks every pair of edits whether they overlap, in the words of patch.h, and builds a
 * file byte by byte. It knows neither orders nor neighbours. */
#include "format/report/patch.h"

#include "shared/prng.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 20000, FILES = 2, ITEMS_MAX = 12, FIXES_MAX = 2, EDITS_MAX = 3, CONTENT_MAX = 12 };

struct world {
    struct prng prng;
    struct arena arena;
    struct str contents[FILES];
    struct finding findings[ITEMS_MAX];
    struct fixes fixes[ITEMS_MAX];
    uint32_t count;
};

static const char *const paths[FILES] = { "a", "b" };

static uint32_t file_of(const struct edit *edit)
{
    return str_is(edit->file, paths[0]) ? 0 : 1;
}

/* ---- a world ---- */

static struct str random_content(struct world *world)
{
    static const char *const pieces[] = { "x", "y", "\n", "\xc3\xa4", "\xe2\x82\xac", "\xa4" };
    struct buf out;
    struct str content;
    uint32_t size = prng_below(&world->prng, CONTENT_MAX);

    buf_init(&out, 1000);
    while (out.size < size) buf_text(&out, pieces[prng_below(&world->prng, 6)]);
    content = arena_copy(&world->arena, buf_str(&out));
    buf_release(&out);
    return content;
}

static struct edit random_edit(struct world *world)
{
    static const char *const texts[] = { "", "1", "22", "\n" };
    struct prng *prng = &world->prng;
    uint32_t file = prng_below(prng, FILES);
    uint32_t size = (uint32_t)world->contents[file].size;
    uint64_t start = prng_below(prng, size + (prng_chance(prng, 5) ? 3 : 1));
    uint64_t end = start + (prng_chance(prng, 40) ? 0 : prng_below(prng, 4));

    if (end > size && prng_chance(prng, 90)) end = size > start ? size : start;
    return (struct edit){
        .file = str_of(paths[file]),
        .hash = content_hash(world->contents[file]) + prng_chance(prng, 3),
        .start = start, .end = end, .text = str_of(texts[prng_below(prng, 4)]),
    };
}

static struct fixes random_fixes(struct world *world, const struct fixes *earlier)
{
    struct fixes fixes = { .count = prng_below(&world->prng, FIXES_MAX + 1) };

    if (earlier && prng_chance(&world->prng, 15)) return *earlier;
    fixes.items = arena_alloc(&world->arena, FIXES_MAX * sizeof *fixes.items);
    for (uint32_t i = 0; i < fixes.count; i++) {
        struct fix *fix = &fixes.items[i];

        fix->count = 1 + prng_below(&world->prng, EDITS_MAX);
        fix->edits = arena_alloc(&world->arena, EDITS_MAX * sizeof *fix->edits);
        for (uint32_t k = 0; k < fix->count; k++) fix->edits[k] = random_edit(world);
    }
    return fixes;
}

static void make_world(struct world *world, uint64_t seed)
{
    *world = (struct world){ .prng = { .state = seed } };
    for (int i = 0; i < FILES; i++) world->contents[i] = random_content(world);
    world->count = 1 + prng_below(&world->prng, ITEMS_MAX);
    for (uint32_t i = 0; i < world->count; i++) {
        struct buf json;

        world->fixes[i] = random_fixes(world, i ? &world->fixes[i - 1] : NULL);
        buf_init(&json, 1 << 16);
        fixes_write(&world->fixes[i], &json);
        world->findings[i] = (struct finding){
            .severity = (enum severity)prng_below(&world->prng, SEVERITY_COUNT),
            .kind = STR("rule"), .fix = arena_copy(&world->arena, buf_str(&json)),
        };
        buf_release(&json);
    }
}

/* ---- the model ---- */

static bool model_overlap(const struct edit *a, const struct edit *b)
{
    bool a_inserts = a->start == a->end, b_inserts = b->start == b->end;

    if (file_of(a) != file_of(b)) return false;
    if (a_inserts && b_inserts) return a->start == b->start;
    if (a_inserts) return b->start < a->start && a->start < b->end;
    if (b_inserts) return a->start < b->start && b->start < a->end;
    for (uint64_t at = a->start; at < a->end; at++) {
        if (b->start <= at && at < b->end) return true;
    }
    return false;
}

/* Whether a character begins at this byte, where the bytes before it are read from the left. */
static bool model_border(struct str content, uint64_t at)
{
    uint64_t i = 0;

    while (i < at && i < content.size) {
        if (str_starts(str_skip(content, i), STR("\xc3\xa4"))) i += 2;
        else if (str_starts(str_skip(content, i), STR("\xe2\x82\xac"))) i += 3;
        else i++;
    }
    return i == at || at >= content.size;
}

static enum patch_state model_fits(const struct world *world, const struct fix *fix)
{
    enum patch_state state = PATCH_TAKEN;
    bool changes = false;

    for (uint32_t i = 0; i < fix->count; i++) {
        const struct edit *edit = &fix->edits[i];
        struct str content = world->contents[file_of(edit)];

        if (edit->hash != content_hash(content)) return PATCH_CHANGED;
        if (edit->end > content.size || !model_border(content, edit->start) ||
            !model_border(content, edit->end)) {
            state = PATCH_UNFIT;
            continue;
        }
        changes |= edit->text.size != edit->end - edit->start ||
                   (edit->text.size &&
                    memcmp(edit->text.data, content.data + edit->start, edit->text.size) != 0);
        for (uint32_t k = 0; k < i; k++) {
            bool insertions = edit->start == edit->end && fix->edits[k].start == fix->edits[k].end;
            if (!insertions && model_overlap(edit, &fix->edits[k])) state = PATCH_UNFIT;
        }
    }
    return changes ? state : PATCH_UNFIT;
}

static bool same_edit(const struct edit *a, const struct edit *b)
{
    return file_of(a) == file_of(b) && a->start == b->start && a->end == b->end &&
           str_eq(a->text, b->text);
}

/* The same edits, in any order; insertions at one place in the same order. */
static bool model_same(const struct fix *a, const struct fix *b)
{
    bool used[EDITS_MAX] = { false };

    if (a->count != b->count) return false;
    for (uint32_t i = 0; i < a->count; i++) {
        bool found = false;

        for (uint32_t k = 0; k < b->count && !found; k++) {
            bool place = file_of(&a->edits[i]) == file_of(&b->edits[k]) &&
                         a->edits[i].start == b->edits[k].start &&
                         a->edits[i].end == b->edits[k].end;
            if (used[k] || !place) continue;
            if (!same_edit(&a->edits[i], &b->edits[k])) return false;
            found = used[k] = true;
        }
        if (!found) return false;
    }
    return true;
}

struct model {
    const struct fix *taken[ITEMS_MAX];
    uint32_t count;
    enum patch_state states[ITEMS_MAX];
    uint32_t change[ITEMS_MAX];
};

static enum patch_state model_try(const struct world *world, struct model *model, uint32_t item,
                                  const struct fix *fix)
{
    enum patch_state state = model_fits(world, fix);

    if (state != PATCH_TAKEN) return state;
    for (uint32_t t = 0; t < model->count; t++) {
        model->change[item] = t;
        if (model_same(fix, model->taken[t])) return PATCH_TAKEN;
    }
    for (uint32_t t = 0; t < model->count; t++) {
        for (uint32_t i = 0; i < fix->count; i++) {
            for (uint32_t k = 0; k < model->taken[t]->count; k++) {
                if (model_overlap(&fix->edits[i], &model->taken[t]->edits[k]))
                    return PATCH_OVERLAPS;
            }
        }
    }
    model->change[item] = model->count;
    model->taken[model->count++] = fix;
    return PATCH_TAKEN;
}

static void model_choose(const struct world *world, struct model *model)
{
    *model = (struct model){ .count = 0 };
    for (int severity = SEVERITY_HIGH; severity >= SEVERITY_LOW; severity--) {
        for (uint32_t i = 0; i < world->count; i++) {
            const struct fixes *fixes = &world->fixes[i];

            if ((int)world->findings[i].severity != severity) continue;
            model->states[i] = PATCH_NO_FIX;
            for (uint32_t k = 0; k < fixes->count && model->states[i] != PATCH_TAKEN; k++) {
                enum patch_state state = model_try(world, model, i, &fixes->items[k]);
                if (k == 0 || state == PATCH_TAKEN || state == PATCH_OVERLAPS)
                    model->states[i] = state;
            }
        }
    }
}

static void model_apply(const struct world *world, const struct model *model, const bool *in,
                        uint32_t file, struct buf *out)
{
    struct str content = world->contents[file];

    for (uint64_t at = 0; at <= content.size; at++) {
        bool gone = false;

        for (int replaces = 0; replaces < 2; replaces++) { /* insertions first */
            for (uint32_t t = 0; t < model->count; t++) {
                for (uint32_t k = 0; k < model->taken[t]->count && in[t]; k++) {
                    const struct edit *edit = &model->taken[t]->edits[k];

                    if (file_of(edit) != file) continue;
                    gone |= edit->start <= at && at < edit->end;
                    if (edit->start != at || (edit->end > at) != replaces) continue;
                    buf_add(out, edit->text);
                }
            }
        }
        if (!gone && at < content.size) buf_byte(out, content.data[at]);
    }
}

/* ---- both ---- */

static void compare_files(const struct world *world, const struct model *model,
                          const struct patch *patch, const bool *in, uint64_t seed)
{
    for (uint32_t i = 0; i < patch->file_count; i++) {
        uint32_t file = str_is(patch->files[i].path, paths[0]) ? 0 : 1;
        struct buf got, wanted;

        buf_init(&got, 4096);
        buf_init(&wanted, 4096);
        patch_apply(patch, in, i, &got, NULL);
        model_apply(world, model, in, file, &wanted);
        if (!str_eq(buf_str(&got), buf_str(&wanted))) {
            fail_msg("seed %u: got '%s', wanted '%s'", (unsigned)seed, buf_cstr(&got),
                     buf_cstr(&wanted));
        }
        buf_release(&got);
        buf_release(&wanted);
    }
}

static void compare(struct world *world, uint64_t seed, uint32_t *seen)
{
    struct model model;
    struct patch patch;

    patch_init(&patch);
    for (uint32_t i = 0; i < world->count; i++) patch_add(&patch, &world->findings[i]);
    patch_list_files(&patch);
    for (uint32_t i = 0; i < patch.file_count; i++) {
        patch.files[i].content = world->contents[str_is(patch.files[i].path, paths[0]) ? 0 : 1];
    }
    patch_choose(&patch, NULL, 0);
    model_choose(world, &model);
    for (uint32_t i = 0; i < world->count; i++) {
        const struct patch_item *item = &patch.items[i];

        if (item->state != model.states[i])
            fail_msg("seed %u, item %u: %d, not %d", (unsigned)seed, (unsigned)i, item->state,
                     model.states[i]);
        seen[item->state]++;
        if (item->state == PATCH_TAKEN) assert_int_equal(item->change, model.change[i]);
    }
    assert_int_equal(patch.change_count, model.count);
    for (int subset = 0; subset < 4; subset++) {
        bool in[ITEMS_MAX];

        for (int i = 0; i < ITEMS_MAX; i++)
            in[i] = subset == 0 || prng_chance(&world->prng, 50);
        compare_files(world, &model, &patch, in, seed);
    }
    patch_release(&patch);
}

TEST(a_plain_model_chooses_and_applies_the_same)
{
    uint32_t seen[PATCH_STATE_COUNT] = { 0 };

    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        struct world world;

        make_world(&world, seed);
        compare(&world, seed, seen);
        arena_release(&world.arena);
    }
    assert_true(seen[PATCH_TAKEN] > ROUNDS);
    assert_true(seen[PATCH_OVERLAPS] > ROUNDS / 2);
    assert_true(seen[PATCH_UNFIT] > ROUNDS / 2);
    assert_true(seen[PATCH_CHANGED] > ROUNDS / 20);
}
