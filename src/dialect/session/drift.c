/* SPDX-License-Identifier: Apache-2.0
 *
 * drift.c - whether the tree is still the one that a continued session file was about.
 *
 * The file says which commit and which changed contents hone or another tool saw last. A tree that
 * is different now was changed from outside, and nothing that was approved holds for it.
 *
 *     external-head                 the commit is another one
 *     content-or-deletion-changed   a changed file has another content
 *     newly-dirty                   a file differs that did not
 *     reverted-externally           a file does not differ any more (the commit being the same)
 *
 * A file that names no commit was about a repository that had none yet.
 *
 * A file need not say it at all: the five lines of metadata that every tool writes hold no tree.
 * Before the first round of execution nothing was done to the tree, so that nothing can have
 * drifted: the tree as it is now becomes the baseline, and that is said. Where execution began, or
 * a stage is completed, hone cannot tell whether the work is here:
 *
 *     no-baseline                   rounds of execution, and no tree that they left
 */
#include "dialect/session/session.h"

#include "dialect/session/file.h"
#include "format/text/safe.h"

#include <stdlib.h>

enum { LINES_MAX = 8, PATH_BYTES_MAX = 240, TEXT_BYTES_MAX = 64 * 1024 };

struct drift {
    struct buf text;
    uint32_t count;
};

static void drift_add(struct drift *drift, const char *what, struct str path)
{
    if (++drift->count > LINES_MAX) return;
    buf_printf(&drift->text, "%s%s ", drift->count > 1 ? ", " : "", what);
    safe_text(&drift->text, path, true, PATH_BYTES_MAX);
}

static int dirty_order(const void *a, const void *b)
{
    return str_compare(((const struct session_dirty *)a)->path,
                       ((const struct session_dirty *)b)->path);
}

static void compare_dirty(const struct session_dirty *was, uint32_t was_count,
                          const struct session_dirty *is, uint32_t is_count, bool same_head,
                          struct drift *drift)
{
    uint32_t i = 0, k = 0;

    while (i < was_count || k < is_count) {
        int order = i == was_count ? 1 : k == is_count ? -1 : dirty_order(&was[i], &is[k]);

        if (order < 0) {
            if (same_head) drift_add(drift, "reverted-externally", was[i].path);
            i++;
        } else if (order > 0) {
            drift_add(drift, "newly-dirty", is[k++].path);
        } else {
            if (!str_eq(was[i].blob, is[k].blob)) {
                drift_add(drift, "content-or-deletion-changed", is[k].path);
            }
            i++;
            k++;
        }
    }
}

static struct session_dirty *dirty_sorted(const struct session_dirty *items, uint32_t count,
                                          struct arena *arena)
{
    struct session_dirty *copy = arena_alloc(arena, count * sizeof *copy + 1);

    for (uint32_t i = 0; i < count; i++) copy[i] = items[i];
    qsort(copy, count, sizeof *copy, dirty_order);
    return copy;
}

/* Whether something was done to a tree that the file is about. */
static bool has_work(struct session_file *file, const struct session_metadata *metadata)
{
    uint32_t count;
    const struct session_round *rounds = session_file_rounds(file, &count);

    if (metadata->completed_stages) return true;
    if (session_file_phase(file) == SESSION_PLANNING) return false;
    for (uint32_t i = 0; i < count; i++) {
        if (rounds[i].stage != STAGE_PLANNING) return true;
    }
    return false;
}

/* What the file says about the tree that it left; false: nothing. */
static bool left_tree(const struct session_metadata *metadata,
                      const struct session_dirty_map **map, struct str *head)
{
    *map = &metadata->last_verified_dirty;
    *head = metadata->last_verified_head;
    if (!(*map)->known) *map = &metadata->base_dirty;
    if (head->size == 0) *head = metadata->base_head;
    return (*map)->known;
}

static void compare_tree(const struct tree_view *tree, const struct session_dirty_map *map,
                         struct str head, struct arena *arena, struct drift *drift)
{
    const struct session_dirty *is = session_dirty_of(tree->dirty, tree->dirty_count, arena);
    bool same_head = str_eq(head, str_of(tree->head));

    if (!same_head) drift_add(drift, "external-head", str_of(tree->head));
    compare_dirty(dirty_sorted(map->items, map->count, arena), map->count,
                  dirty_sorted(is, tree->dirty_count, arena), tree->dirty_count, same_head, drift);
}

bool session_lacks_baseline(const struct run_view *run)
{
    const struct session_dirty_map *map;
    struct session_metadata metadata;
    struct session_file file;
    struct err none;
    struct str head;
    bool lacks;

    if (!run->tree || session_opening_of(run->settings) != OPEN_CONTINUED) return false;
    if (session_file_read(&file, session_continued(run->settings), &none) != 0) return false;
    session_file_metadata(&file, &metadata);
    lacks = !left_tree(&metadata, &map, &head) && !has_work(&file, &metadata);
    session_file_release(&file);
    return lacks;
}

const char *session_drifted(const struct run_view *run, const char **note, struct arena *arena)
{
    const struct session_dirty_map *map;
    struct session_metadata metadata;
    struct session_file file;
    struct drift drift = { .count = 0 };
    const char *text = NULL;
    struct err none;
    struct str head;

    *note = NULL;
    if (!run->tree || session_opening_of(run->settings) != OPEN_CONTINUED) return NULL;
    if (session_lacks_baseline(run)) {
        *note = "the session file does not say which tree it began with: the work tree as it is "
                "now is its baseline";
        return NULL;
    }
    if (session_file_read(&file, session_continued(run->settings), &none) != 0) return NULL;
    session_file_metadata(&file, &metadata);
    buf_init(&drift.text, TEXT_BYTES_MAX);
    if (left_tree(&metadata, &map, &head)) {
        compare_tree(run->tree, map, head, arena, &drift);
    } else {
        drift_add(&drift, "no-baseline:", STR("execution began, and the session file does not say "
            "which tree it left (last_verified_head and last_verified_dirty in ## Session "
            "Metadata), so that its work may be missing here"));
    }
    if (drift.count > LINES_MAX) {
        buf_printf(&drift.text, " and %u more", (unsigned)(drift.count - LINES_MAX));
    }
    if (drift.count) text = arena_cstr(arena, str_trim(buf_str(&drift.text)));
    buf_release(&drift.text);
    session_file_release(&file);
    return text;
}
