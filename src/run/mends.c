/* SPDX-License-Identifier: Apache-2.0
 *
 * mends.c - what mends findings, by lines.
 *
 * What is open has a fix where a tool proposed one: byte ranges of a file whose hash is known
 * (format/report/fix.h). Where the file in the workspace is still that one, they are told by lines
 * and columns, as one replacement, since readers take each replacement for a proposal of its own.
 *
 * What is fixed was mended by a repair: the trees of the review that reported it last and of the
 * next one in its lane are kept with the run (drive/watch.c), and their difference near its line is
 * what the repair did.
 *
 *   review, round 1       repair       review, round 2
 *   runs/RUN/tree-1  ---------------->  runs/RUN/tree-7
 *
 * 1. Nothing is told that does not fit: a file that has changed since, a tree that is gone, a
 *    difference that is no text, changes far from the line are left out.
 * 2. Two trees are compared once, however many findings were mended between them. */
#include "run/mends.h"

#include "base/mem.h"
#include "format/report/diagnostic.h"
#include "format/report/fix.h"
#include "io/file/file.h"
#include "io/tree/tree.h"
#include "run/place.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    CONTENT_BYTES_MAX = 4 << 20,
    TEXT_BYTES_MAX = 64 << 10,   /* of one replacement */
    DIFF_BYTES_MAX = 16 << 20,
    NEAR_LINES = 3,              /* a change so near to its line is about it */
    EDITS_MAX = 64,
};

/* A file of the workspace, the last that was asked for. */
struct content {
    struct arena arena;
    struct str path, text;
    uint64_t hash;
    uint32_t *lines; /* where each begins */
    uint32_t line_count;
};

/* What differs between two kept trees. */
struct difference {
    uint32_t before, after; /* jobs */
    struct diagnostics hunks;
};

struct mends {
    const struct look *look;
    const struct history *history;
    struct listing *listing;
    struct arena *arena;
    struct content content;
    struct difference *differences;
    uint32_t difference_count, difference_cap;
    struct listing_fix *fixes;
    uint32_t count, cap;
};

static void add_fix(struct mends *mends, const struct listing_fix *fix)
{
    mends->fixes = mem_grow(mends->fixes, mends->count, &mends->cap, sizeof *mends->fixes);
    mends->fixes[mends->count++] = *fix;
}

/* ---- what a tool proposed ---- */

static bool content_take(struct mends *mends, struct str path)
{
    struct content *content = &mends->content;
    struct err none;

    if (str_eq(content->path, path)) return content->text.data != NULL;
    arena_release(&content->arena);
    *content = (struct content){ 0 };
    content->path = arena_copy(&content->arena, path);
    if (file_text_in(mends->look->run.workspace, arena_cstr(&content->arena, path),
                     CONTENT_BYTES_MAX, &content->arena, &content->text, &none) != 0) {
        content->text.data = NULL;
        return false;
    }
    content->hash = content_hash(content->text);
    content->lines = arena_alloc(&content->arena, (content->text.size + 1) * sizeof(uint32_t));
    content->lines[content->line_count++] = 0;
    for (size_t i = 0; i < content->text.size; i++) {
        if (content->text.data[i] != '\n') continue;
        content->lines[content->line_count++] = (uint32_t)i + 1;
    }
    return true;
}

static void content_place(const struct content *content, uint64_t offset, uint32_t *line,
                          uint32_t *column)
{
    uint32_t low = 0, high = content->line_count;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        if (content->lines[middle] <= offset) low = middle;
        else high = middle;
    }
    *line = low + 1;
    *column = (uint32_t)(offset - content->lines[low]) + 1;
}

static int compare_edits(const void *one, const void *other)
{
    const struct edit *a = one, *b = other;

    return (a->start > b->start) - (a->start < b->start);
}

/* The edits of a fix as one replacement of what they are for and all between. False: they are for
 * another file or another content, or do not fit it. */
static bool edits_join(struct mends *mends, const struct fix *fix, struct listing_edit *out)
{
    const struct content *content = &mends->content;
    struct edit edits[EDITS_MAX];
    uint64_t at;
    struct buf text;

    if (fix->count == 0 || fix->count > EDITS_MAX) return false;
    memcpy(edits, fix->edits, fix->count * sizeof *edits);
    qsort(edits, fix->count, sizeof *edits, compare_edits);
    if (!content_take(mends, edits[0].file)) return false;
    buf_init(&text, TEXT_BYTES_MAX);
    at = edits[0].start;
    for (uint32_t i = 0; i < fix->count; i++) {
        bool fits = str_eq(edits[i].file, edits[0].file) && edits[i].hash == content->hash &&
                    edits[i].start >= at && edits[i].end <= content->text.size;

        if (!fits || edits[i].start - at > TEXT_BYTES_MAX) {
            buf_release(&text);
            return false;
        }
        buf_add(&text, (struct str){ content->text.data + at, edits[i].start - at });
        buf_add(&text, edits[i].text);
        at = edits[i].end;
    }
    *out = (struct listing_edit){ .file = arena_copy(mends->arena, edits[0].file) };
    content_place(content, edits[0].start, &out->line, &out->column);
    content_place(content, at, &out->end_line, &out->end_column);
    out->text = arena_copy(mends->arena, buf_str(&text));
    if (text.overflow) out->line = 0;
    buf_release(&text);
    return out->line > 0;
}

static void find_proposal(struct mends *mends, const struct ledger_entry *entry)
{
    struct listing_edit edit, *kept;
    struct arena arena = { 0 };
    struct fixes fixes;
    struct err none;

    if (entry->finding.fix.size > 0 &&
        fixes_read(entry->finding.fix, &arena, &fixes, &none) == 0 && fixes.count > 0 &&
        edits_join(mends, &fixes.items[0], &edit)) {
        kept = arena_alloc(mends->arena, sizeof *kept);
        *kept = edit;
        add_fix(mends, &(struct listing_fix){
            .entry = entry, .edits = kept, .count = 1,
            .text = arena_copy(mends->arena, fixes.items[0].text) });
    }
    arena_release(&arena);
}

/* ---- what a repair did ---- */

static const char *tree_path(const struct mends *mends, uint32_t job, struct arena *arena)
{
    return arena_printf(arena, "%s/tree-%" PRIu32,
                        place_run(&mends->look->repo, mends->look->run.id, arena), job);
}

static bool is_review(const struct entry *entry, uint32_t lane)
{
    return entry->start.purpose == FOR_REVIEW && entry->start.lane == lane;
}

static bool is_round_of(const struct entry *entry, const struct ledger_entry *of)
{
    return entry->start.phase == of->phase && entry->start.iteration == of->iteration_last &&
           entry->start.round == of->round_last;
}

/* The job whose kept tree the review judged that reported the finding last, and that of the next
 * review in its lane; false: one of them is not there. */
static bool find_trees(const struct mends *mends, const struct ledger_entry *of,
                       uint32_t *before, uint32_t *after)
{
    const struct history *history = mends->history;
    struct arena arena = { 0 };
    uint32_t i = history->count;

    *before = *after = 0;
    while (i > 0 && !(is_review(&history->entries[i - 1], of->lane) &&
                      is_round_of(&history->entries[i - 1], of))) i--;
    for (uint32_t k = i; k < history->count && *after == 0; k++) {
        const struct entry *entry = &history->entries[k];

        if (!is_review(entry, of->lane)) continue;
        if (file_exists(tree_path(mends, entry->start.job, &arena))) *after = entry->start.job;
    }
    for (; i > 0 && *before == 0; i--) {
        const struct entry *entry = &history->entries[i - 1];

        if (!is_review(entry, of->lane)) continue;
        if (!is_round_of(entry, of)) break;
        if (file_exists(tree_path(mends, entry->start.job, &arena))) *before = entry->start.job;
    }
    arena_release(&arena);
    return *before > 0 && *after > 0;
}

/* The hunks of a diff of git's, of the files that it tells as text. */
static void hunks_read(struct str diff, struct diagnostics *out)
{
    static const struct str head = STR("diff --git ");
    struct str section, line;
    struct err none;

    while (diff.size > 0) {
        size_t from = 0, size = 0;

        section = diff;
        while (str_cut(&diff, '\n', &line)) {
            if (size > 0 && str_starts(line, head)) {
                diff = str_skip(section, size);
                break;
            }
            if (from == 0 && str_starts(line, STR("--- "))) {
                from = (size_t)(line.data - section.data);
            }
            size = (size_t)(line.data - section.data) + line.size + (diff.size > 0);
        }
        if (from > 0) (void)diff_read((struct str){ section.data + from, size - from }, out, &none);
    }
}

static int read_difference(const struct mends *mends, struct difference *out, struct err *err)
{
    const struct repo *repo = &mends->look->repo;
    struct tree before = { 0 }, after = { 0 };
    struct tree_delta delta = { 0 };
    struct arena arena = { 0 };
    char name[16] = "export-";
    struct buf text;
    int rc;

    random_word(name + 7, 8);
    buf_init(&text, DIFF_BYTES_MAX);
    rc = tree_load(&before, tree_path(mends, out->before, &arena), err);
    if (rc == 0) rc = tree_load(&after, tree_path(mends, out->after, &arena), err);
    if (rc == 0) rc = tree_align(repo, &before, &after, err);
    if (rc == 0) {
        tree_compare(&before, &after, &delta);
        rc = tree_moves(repo, &before, &after, &delta,
                        place_run(repo, mends->look->run.id, &arena), name, &text, err);
    }
    if (rc == 0) hunks_read(buf_str(&text), &out->hunks);
    buf_release(&text);
    tree_delta_release(&delta);
    tree_release(&before);
    tree_release(&after);
    arena_release(&arena);
    return rc;
}

static const struct difference *difference_of(struct mends *mends, uint32_t before, uint32_t after)
{
    struct difference *added;
    struct err none;

    for (uint32_t i = 0; i < mends->difference_count; i++) {
        const struct difference *known = &mends->differences[i];

        if (known->before == before && known->after == after) return known;
    }
    mends->differences = mem_grow(mends->differences, mends->difference_count,
                                  &mends->difference_cap, sizeof *mends->differences);
    added = &mends->differences[mends->difference_count++];
    *added = (struct difference){ .before = before, .after = after };
    (void)read_difference(mends, added, &none); /* then there are no hunks */
    return added;
}

static bool is_near(const struct tool_edit *edit, uint32_t line)
{
    return line + NEAR_LINES >= edit->place.line && line < edit->place.end_line + NEAR_LINES;
}

static void find_repair(struct mends *mends, const struct ledger_entry *entry)
{
    const struct finding *finding = &entry->finding;
    const struct difference *difference;
    struct listing_edit *edits;
    uint32_t before, after, count = 0;
    struct buf path;

    if (finding->line == 0 || !find_trees(mends, entry, &before, &after)) return;
    difference = difference_of(mends, before, after);
    edits = arena_alloc(mends->arena, EDITS_MAX * sizeof *edits);
    buf_init(&path, CONTENT_BYTES_MAX);
    if (!listing_path(mends->listing, finding->file, &path)) buf_clear(&path);
    for (uint32_t i = 0; i < difference->hunks.count; i++) {
        const struct diagnostic *hunk = &difference->hunks.items[i];

        if (hunk->fix_count == 0 || !str_eq(hunk->file, buf_str(&path))) continue;
        for (uint32_t k = 0; k < hunk->fixes[0].count && count < EDITS_MAX; k++) {
            const struct tool_edit *edit = &hunk->fixes[0].edits[k];

            if (!is_near(edit, finding->line) || edit->text.size > TEXT_BYTES_MAX) continue;
            edits[count++] = (struct listing_edit){
                .file = arena_copy(mends->arena, hunk->file),
                .line = edit->place.line, .column = 1,
                .end_line = edit->place.end_line, .end_column = 1,
                .text = arena_copy(mends->arena, edit->text) };
        }
    }
    buf_release(&path);
    if (count == 0) return;
    add_fix(mends, &(struct listing_fix){ .entry = entry, .edits = edits, .count = count,
                                          .round = entry->round_last });
}

/* ---- all of them ---- */

void mends_find(const struct look *look, const struct history *history, struct listing *listing,
                struct arena *arena)
{
    struct mends mends = { .look = look, .history = history, .listing = listing, .arena = arena };
    struct listing_fix *kept;

    for (uint32_t i = 0; i < listing->count; i++) {
        const struct ledger_entry *entry = listing->items[i];

        if (finding_is_open(entry->state)) find_proposal(&mends, entry);
        else if (entry->state == FINDING_FIXED) find_repair(&mends, entry);
    }
    kept = arena_alloc(arena, (mends.count + (size_t)1) * sizeof *kept);
    if (mends.count > 0) memcpy(kept, mends.fixes, mends.count * sizeof *kept);
    listing_put_fixes(listing, kept, mends.count);
    for (uint32_t i = 0; i < mends.difference_count; i++) {
        diagnostics_release(&mends.differences[i].hunks);
    }
    free(mends.differences);
    free(mends.fixes);
    arena_release(&mends.content.arena);
}
