/* SPDX-License-Identifier: Apache-2.0
 *
 * fixits_undo.c - the fixer's edits are a transaction: all that were checked together, or none.
 *
 *   fixits_keep()     before the first edit: the old bytes of every file that a fix is for
 *   fixits_intend()   before each write: which contents are ours, now and in a moment
 *   fixits_settle()   the edits are checked and the summary is there: nothing is to be undone
 *   fixits_undo()     the fixer did not get that far: what is ours gets its old bytes
 *
 * Both files lie in the attempt's own folder, outside of the tree. It is the one place that the
 * fixer can write to in its sandbox and that hone and the run's later fixers can read: so the list
 * of refused fixes lies there, too (fixits.c).
 *
 *     undo        of each file: the sizes of its path and its content, a line end, both
 *     undo-made   a line for each of them, in the same order: the hashes of what is there where it
 *                 is ours, and of what is about to be; zeros where the file was not touched
 *
 * 1. undo is on the disk before the first file is written, undo-made before each.
 * 2. What a write left that was killed is removed. A file is restored only where it is what the
 *    fixer made of it. One that another process wrote is left as it is, and named.
 * 3. Any number of times: a restored file is not written again, and undo goes last. So where this
 *    is killed, the next call goes on.
 * 4. A test can write to the attempt's folder. What it could put there gets it no further than its
 *    sandbox does: no path outside of the workspace or behind a link, none of git's, none that is
 *    barred by the caller. */
#include "analyze/fixits.h"

#include "analyze/analyzer.h"
#include "analyze/locate.h"
#include "base/mem.h"
#include "base/path.h"
#include "format/text/safe.h"
#include "io/file/file.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MADE_LINE_BYTES = 34, SHOWN_BYTES_MAX = 200, NAMED_MAX = 10 };

static const size_t kept_bytes_max = (size_t)3 << 30;

/* ---- keeping ---- */

int fixits_keep(struct fixits *fixits, struct err *err)
{
    struct buf all;
    int rc;

    if (!fixits->attempt) return 0;
    buf_init(&all, kept_bytes_max);
    for (uint32_t i = 0; i < fixits->patch.file_count; i++) {
        const struct patch_file *file = &fixits->patch.files[i];

        if (file->barred) continue;
        buf_printf(&all, "%zu %zu\n", file->path.size, file->content.size);
        buf_add(&all, file->path);
        buf_add(&all, file->content);
        fixits->files[i].kept = true;
    }
    if (all.overflow) rc = err_set(err, ERR_LIMIT, "the files to fix are too large in all");
    else rc = file_write(fixits->attempt, UNDO_NAME, buf_str(&all), err);
    buf_release(&all);
    return rc == 0 ? 0 : err_wrap(err, "keep the files as they are before they are fixed");
}

int fixits_intend(struct fixits *fixits, const uint32_t *list, uint32_t count, struct err *err)
{
    struct buf lines;
    uint32_t at = 0;
    int rc;

    if (!fixits->attempt) return 0;
    buf_init(&lines, ((size_t)fixits->patch.file_count + 1) * MADE_LINE_BYTES + 1);
    for (uint32_t i = 0; i < fixits->patch.file_count; i++) {
        const struct fixits_file *file = &fixits->files[i];
        bool listed = at < count && list[at] == i;

        if (listed) at++;
        if (!file->kept) continue;
        buf_printf(&lines, "%016" PRIx64 " %016" PRIx64 "\n",
                   file->ours || file->unsure ? content_hash(buf_str(&file->now)) : 0,
                   listed || file->unsure ? content_hash(buf_str(&file->next)) : 0);
    }
    rc = file_write(fixits->attempt, UNDO_MADE_NAME, buf_str(&lines), err);
    buf_release(&lines);
    return rc == 0 ? 0 : err_wrap(err, "keep what becomes of the files");
}

int fixits_settle(const char *attempt, struct err *err)
{
    int rc = attempt ? file_remove_in(attempt, UNDO_NAME, err) : 0;

    return rc == 0 && attempt ? file_remove_in(attempt, UNDO_MADE_NAME, err) : rc;
}

/* ---- undoing ---- */

struct undo_entry {
    const char *path;
    struct str old;
    uint64_t now, next;
};

struct undo_list {
    struct arena arena;
    struct buf kept, made;
    struct undo_entry *items;
    uint32_t count, cap;
};

static bool cut_bytes(struct str *rest, uint64_t bytes, struct str *out)
{
    if (bytes > rest->size) return false;
    *out = (struct str){ rest->data, (size_t)bytes };
    *rest = str_skip(*rest, (size_t)bytes);
    return true;
}

static bool read_entry(struct undo_list *list, struct str *kept, struct str *made)
{
    struct undo_entry entry = { 0 };
    struct str line, number, path;
    uint64_t path_size, size;

    if (!str_cut(kept, '\n', &line) || !str_cut(&line, ' ', &number)) return false;
    if (!str_number(number, &path_size) || !str_number(line, &size)) return false;
    if (!cut_bytes(kept, path_size, &path) || !cut_bytes(kept, size, &entry.old)) return false;
    if (!path_is_clean(path)) return false;
    entry.path = arena_cstr(&list->arena, path);
    if (list->made.size > 0) {
        if (!str_cut(made, '\n', &line) || !str_cut(&line, ' ', &number)) return false;
        if (!str_hash(number, &entry.now) || !str_hash(line, &entry.next)) return false;
    }
    list->items = mem_grow(list->items, list->count, &list->cap, sizeof *list->items);
    list->items[list->count++] = entry;
    return true;
}

/* ERR_MISSING: nothing is to be undone. */
static int list_read(struct undo_list *list, const char *attempt, struct err *err)
{
    struct str kept, made;
    int rc;

    buf_init(&list->kept, kept_bytes_max);
    buf_init(&list->made, kept_bytes_max);
    rc = file_read_in(attempt, UNDO_NAME, &list->kept, err);
    if (rc != 0) return rc;
    rc = file_read_in(attempt, UNDO_MADE_NAME, &list->made, err);
    if (rc != 0 && rc != ERR_MISSING) return rc; /* missing: no file was written yet */
    kept = buf_str(&list->kept);
    made = buf_str(&list->made);
    while (kept.size > 0) {
        if (!read_entry(list, &kept, &made)) {
            return err_set(err, ERR_FORMAT, "%s/%s is damaged", attempt, UNDO_NAME);
        }
    }
    return 0;
}

static void name_left(struct undone *undone, const char *path)
{
    if (undone->left_count++ >= NAMED_MAX) return;
    if (undone->left.size > 0) buf_text(&undone->left, ", ");
    safe_text(&undone->left, str_of(path), true, SHOWN_BYTES_MAX);
}

/* Whether what is on disk is the fixer's, and has to go. */
static bool is_to_restore(const struct undo_entry *entry, const char *workspace,
                          const char *const *barred, struct undone *undone)
{
    struct buf seen;
    struct err none;
    uint64_t hash = 0;
    bool same;
    int rc;

    if (entry->now == 0 && entry->next == 0) return false; /* it was not touched */
    if (is_private_path(barred, str_of(entry->path))) return false;
    file_remove_torn(workspace, entry->path);
    buf_init(&seen, kept_bytes_max);
    rc = file_read_in(workspace, entry->path, &seen, &none);
    same = rc == 0 && str_eq(buf_str(&seen), entry->old);
    if (rc == 0) hash = content_hash(buf_str(&seen));
    buf_release(&seen);
    if (same) return false;
    if (rc == 0 && (hash == entry->now || hash == entry->next)) return true;
    name_left(undone, entry->path);
    return false;
}

int fixits_undo(const char *attempt, const char *workspace, const char *const *barred,
                struct undone *undone, struct err *err)
{
    struct undo_list list = { 0 };
    struct file_item *items = NULL;
    uint32_t count = 0;
    int rc = list_read(&list, attempt, err);

    if (rc == 0) items = mem_alloc(((size_t)list.count + 1) * sizeof *items);
    for (uint32_t i = 0; rc == 0 && i < list.count; i++) {
        const struct undo_entry *entry = &list.items[i];

        if (!is_to_restore(entry, workspace, barred, undone)) continue;
        items[count++] = (struct file_item){ .path = entry->path, .content = entry->old };
    }
    if (rc == 0 && count > 0) rc = file_write_all(workspace, items, count, NULL, err);
    if (rc == 0) undone->restored = count;
    if (rc == 0) rc = fixits_settle(attempt, err);
    free(items);
    free(list.items);
    buf_release(&list.kept);
    buf_release(&list.made);
    arena_release(&list.arena);
    if (rc == ERR_MISSING) return 0;
    return rc == 0 ? 0 : err_wrap(err, "take back what the fixer had not checked");
}
