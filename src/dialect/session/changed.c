/* SPDX-License-Identifier: Apache-2.0
 *
 * changed.c - Files Changed and Key Related Files.
 *
 * 1. Files Changed is what the session changed and what is still changed, by content: every file of
 *    a round's delta, unless it is now as it was when the session began. Claims only say why.
 * 2. A review of what is there lists what is there.
 * 3. Key Related Files are the files that the plan names and that were not changed. Where the plan
 *    was made elsewhere, what the file lists loses what was changed since.
 * 4. Sorted by path; n log n in the number of files. */
#include "dialect/session/pages.h"

#include <stdlib.h>
#include <string.h>

/* A file, and since when it is listed. */
struct listed {
    struct str path, note;
    uint32_t at;
};

struct listing {
    struct arena *arena;
    struct listed *items;
    uint32_t count, cap;
};

static void list_add(struct listing *list, struct str path, struct str note)
{
    list->items = arena_grow(list->arena, list->items, list->count, &list->cap,
                             sizeof *list->items);
    list->items[list->count] = (struct listed){ path, note, list->count };
    list->count++;
}

static int list_order(const void *a, const void *b)
{
    const struct listed *left = a, *right = b;
    int order = str_compare(left->path, right->path);

    return order ? order : (left->at > right->at) - (left->at < right->at);
}

static int file_order(const void *a, const void *b)
{
    return str_compare(((const struct tree_file *)a)->path, ((const struct tree_file *)b)->path);
}

const struct tree_file *session_files_sorted(const struct tree_file *files, uint32_t count,
                                             struct arena *arena)
{
    struct tree_file *copy = arena_alloc(arena, count * sizeof *copy + 1);

    if (count) memcpy(copy, files, count * sizeof *copy);
    qsort(copy, count, sizeof *copy, file_order);
    return copy;
}

const struct tree_file *session_files_find(const struct tree_file *files, uint32_t count,
                                           struct str path)
{
    struct tree_file key = { .path = path };

    return count ? bsearch(&key, files, count, sizeof *files, file_order) : NULL;
}

static struct str claim_of(const struct session_doc *doc, struct str path)
{
    for (uint32_t i = 0; i < doc->claim_count; i++) {
        if (str_eq(doc->claims[i].path, path)) return doc->claims[i].what;
    }
    return (struct str){ "", 0 };
}

/* What a round did to each file. */
static void list_round(struct listing *list, const struct session_doc *doc)
{
    for (uint32_t i = 0; i < doc->delta_count; i++) {
        const struct tree_file *file = &doc->delta[i];
        struct str what = claim_of(doc, file->path);
        const char *note = arena_printf(list->arena, "%s%s%.*s", file->change,
                                        what.size ? ": " : "", STR_ARG(what));

        if (!session_doc_claims(doc, file->path)) {
            note = arena_printf(list->arena, "%s, undeclared", file->change);
        }
        list_add(list, file->path, str_of(note));
    }
}

/* Whether the file is now as it was at the beginning. */
static bool is_reverted(const struct session_doc *start, const struct session_doc *now,
                        struct str path)
{
    const struct tree_file *before, *after;

    if (!start->has_tree || !str_eq(start->head, now->head)) return false;
    before = session_files_find(start->dirty, start->dirty_count, path);
    after = session_files_find(now->dirty, now->dirty_count, path);
    if (!before || !after) return before == after;
    return strcmp(before->oid, after->oid) == 0;
}

/* The rounds of the executor that are not in the file yet; the newest's document, or NULL. */
static const struct session_doc *list_rounds(const struct page *page, struct listing *list)
{
    const struct session_doc *newest = NULL;

    for (uint32_t i = 0; i < page->story->count; i++) {
        const struct session_turn *turn = &page->story->turns[i];

        for (uint32_t k = 0; !turn->restored && k < turn->count; k++) {
            const struct session_step *step = &turn->steps[k];

            if (step->entry->kind != ENTRY_ANSWER || step->entry->role != SESSION_EXECUTOR ||
                !step->doc.has_tree) {
                continue;
            }
            list_round(list, &step->doc);
            newest = &step->doc;
        }
    }
    return newest;
}

static void list_found(const struct page *page, struct listing *list)
{
    const struct session_doc *start = &page->story->start;
    uint32_t count = 0;
    const struct session_path *paths = session_file_paths(page->file, SESSION_CHANGED, &count);

    for (uint32_t i = 0; i < count; i++) list_add(list, paths[i].path, paths[i].note);
    if (session_opening_of(page->run->settings) != OPEN_REVIEW_ONLY) return;
    for (uint32_t i = 0; i < start->dirty_count; i++) {
        list_add(list, start->dirty[i].path,
                 *start->dirty[i].oid ? STR("was there") : STR("was there, deleted"));
    }
}

static bool is_listed(const struct listing *list, struct str path)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (str_eq(list->items[i].path, path)) return true;
    }
    return false;
}

/* What the plan names and nobody changed. */
static void page_related(const struct page *page, const struct listing *changed)
{
    const struct session_step *plan = session_last_executor(page->story, true);
    struct session_path *paths;
    uint32_t count = 0;

    if (!plan || plan->doc.claim_count == 0) return;
    paths = arena_alloc(page->arena, plan->doc.claim_count * sizeof *paths);
    for (uint32_t i = 0; i < plan->doc.claim_count; i++) {
        const struct session_claim *claim = &plan->doc.claims[i];

        if (is_listed(changed, claim->path)) continue;
        paths[count++] = (struct session_path){ claim->path, claim->what };
    }
    session_file_set_paths(page->file, SESSION_RELATED, paths, count);
}

/* The same for a plan of which only the file knows. */
static void page_related_left(const struct page *page, const struct listing *changed)
{
    uint32_t count = 0, left = 0;
    const struct session_path *old = session_file_paths(page->file, SESSION_RELATED, &count);
    struct session_path *paths = arena_alloc(page->arena, count * sizeof *paths + 1);

    for (uint32_t i = 0; i < count; i++) {
        if (!is_listed(changed, old[i].path)) paths[left++] = old[i];
    }
    if (left < count) session_file_set_paths(page->file, SESSION_RELATED, paths, left);
}

void page_files(const struct page *page)
{
    bool review_only = session_opening_of(page->run->settings) == OPEN_REVIEW_ONLY;
    struct session_doc start = page->story->start, now = { .has_tree = false };
    struct listing list = { .arena = page->arena };
    const struct session_doc *newest;
    struct session_path *paths;
    uint32_t count = 0;

    list_found(page, &list);
    newest = list_rounds(page, &list);
    if (newest) now = *newest;
    start.dirty = session_files_sorted(start.dirty, start.dirty_count, page->arena);
    now.dirty = session_files_sorted(now.dirty, now.dirty_count, page->arena);
    if (list.count) qsort(list.items, list.count, sizeof *list.items, list_order);
    paths = arena_alloc(page->arena, list.count * sizeof *paths + 1);
    for (uint32_t i = 0; i < list.count; i++) {
        const struct listed *item = &list.items[i];

        if (i + 1 < list.count && str_eq(item->path, list.items[i + 1].path)) continue;
        if (newest && !review_only && is_reverted(&start, &now, item->path)) continue;
        paths[count++] = (struct session_path){ item->path, item->note };
    }
    if (newest || review_only) session_file_set_paths(page->file, SESSION_CHANGED, paths, count);
    page_related(page, &list);
    if (newest) page_related_left(page, &list);
}
