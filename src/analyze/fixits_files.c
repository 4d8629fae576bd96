/* SPDX-License-Identifier: Apache-2.0
 *
 * fixits_files.c - the files that fixes are for: read, changed, taken back.
 *
 *            place, other bytes            place or take back, the old bytes
 *   OLD ---------------------------> OURS ----------------------------------> OLD
 *    |  a write failed: UNSURE, one of both     |
 *    '---- somebody else wrote it: LOST --------'
 *
 * 1. A file is written only where what is on disk is what we believe is there, byte by byte. Else
 *    it is lost: somebody else works on it, and it stays as they have it.
 * 2. Each file is replaced as a whole: whoever is killed when, it has one content or another.
 * 3. A file that no change is for is not touched. One that was changed and taken back has its old
 *    bytes and a new time: what was built from it meanwhile must not pass for built from these.
 * 4. Nothing is read or written through a link, outside the workspace, or in the folders of git
 *    and hone. */
#include "analyze/fixits.h"

#include "base/mem.h"
#include "format/text/pattern.h"
#include "io/file/file.h"

#include <assert.h>
#include <stdlib.h>

static const size_t all_bytes_max = (size_t)1 << 30; /* of all files together */

/* A part of the path that is git's; a top folder that is ours. */
static bool is_private(struct str path)
{
    struct str rest = path, part;
    bool top = true;

    while (str_cut(&rest, '/', &part)) {
        if (str_is(part, ".git")) return true;
        if (top && (str_is(part, ".agents") || str_is(part, ".hone"))) return true;
        top = false;
    }
    return false;
}

static bool is_excluded(const struct fixits *fixits, struct str path)
{
    for (uint32_t i = 0; fixits->exclude && fixits->exclude[i]; i++) {
        if (pattern_matches(str_of(fixits->exclude[i]), path)) return true;
    }
    return false;
}

static const char *reason_of(int code, const struct err *err, struct arena *arena)
{
    if (code == ERR_MISSING) return "it is not there";
    if (code == ERR_LIMIT) return "it is larger than 16 MiB";
    if (code == ERR_FORMAT) return "it is a link, behind one, or no regular file";
    return arena_cstr(arena, str_of(err->text));
}

static void load(struct fixits *fixits, struct patch_file *file, struct buf *content,
                 size_t *all_bytes)
{
    struct err err;
    int rc;

    buf_init(content, SOURCE_BYTES_MAX);
    if (is_private(file->path)) file->barred = "it belongs to git or to hone";
    else if (is_excluded(fixits, file->path)) file->barred = "it is excluded from this run";
    if (file->barred) return;
    rc = file_read_in(fixits->workspace, file->path.data, content, &err);
    if (rc != 0) file->barred = reason_of(rc, &err, &fixits->arena);
    else if (str_has(buf_str(content), '\0')) file->barred = "it is no text";
    else if (!file_is_writable_in(fixits->workspace, file->path.data))
        file->barred = "it cannot be written to";
    if (!file->barred && content->size > all_bytes_max - *all_bytes)
        file->barred = "there are too many large files to fix at once";
    if (file->barred) buf_release(content);
    *all_bytes += content->size;
    file->content = buf_str(content);
}

void fixits_load(struct fixits *fixits)
{
    uint32_t count = fixits->patch.file_count;
    size_t all_bytes = 0;

    fixits->files = arena_alloc(&fixits->arena, count * sizeof *fixits->files);
    for (uint32_t i = 0; i < count; i++) {
        buf_init(&fixits->files[i].now, SIZE_MAX / 2);
        buf_init(&fixits->files[i].next, SIZE_MAX / 2);
        load(fixits, &fixits->patch.files[i], &fixits->files[i].old, &all_bytes);
    }
}

void fixits_release_files(struct fixits *fixits)
{
    for (uint32_t i = 0; fixits->files && i < fixits->patch.file_count; i++) {
        buf_release(&fixits->files[i].old);
        buf_release(&fixits->files[i].now);
        buf_release(&fixits->files[i].next);
    }
}

static struct str on_disk(const struct fixits_file *file)
{
    return buf_str(file->ours ? &file->now : &file->old);
}

/* Whether the file is as we left it; loses it where it is not. */
static bool is_as_left(struct fixits *fixits, uint32_t index)
{
    struct fixits_file *file = &fixits->files[index];
    struct patch_file *named = &fixits->patch.files[index];
    struct buf seen;
    struct err err;
    bool same;

    buf_init(&seen, SOURCE_BYTES_MAX + file->now.size + file->next.size);
    same = file_read_in(fixits->workspace, named->path.data, &seen, &err) == 0 &&
           (str_eq(buf_str(&seen), on_disk(file)) ||
            (file->unsure && str_eq(buf_str(&seen), buf_str(&file->next))));
    buf_release(&seen);
    if (same) return true;
    file->lost = true;
    named->barred = "somebody else changed it while it was being fixed";
    return false;
}

/* Writes next of the files in list[]. */
static int write_listed(struct fixits *fixits, const uint32_t *list, uint32_t count,
                        struct err *err)
{
    struct file_item *items = mem_alloc((count + 1) * sizeof *items);
    int rc;

    for (uint32_t i = 0; i < count; i++) {
        items[i] = (struct file_item){ .path = fixits->patch.files[list[i]].path.data,
                                       .content = buf_str(&fixits->files[list[i]].next) };
    }
    rc = count ? file_write_all(fixits->workspace, items, count, NULL, err) : 0;
    for (uint32_t i = 0; i < count; i++) {
        struct fixits_file *file = &fixits->files[list[i]];
        struct buf last = file->now;

        file->unsure = rc != 0;
        if (rc != 0) continue;
        file->now = file->next;
        file->next = last;
        file->ours = !str_eq(buf_str(&file->now), buf_str(&file->old));
    }
    free(items);
    return rc;
}

int fixits_place(struct fixits *fixits, const bool *in, struct err *err)
{
    uint32_t *list = mem_alloc((fixits->patch.file_count + 1) * sizeof *list);
    uint32_t count = 0;
    int rc = 0;

    for (uint32_t i = 0; i < fixits->patch.file_count; i++) {
        struct fixits_file *file = &fixits->files[i];

        assert(!file->unsure);
        if (file->lost || (!file->ours && !patch_touches(&fixits->patch, in, i))) continue;
        buf_clear(&file->next);
        patch_apply(&fixits->patch, in, i, &file->next, NULL);
        if (str_eq(buf_str(&file->next), on_disk(file))) continue;
        list[count++] = i;
        if (!is_as_left(fixits, i)) rc = ERR_BUSY;
    }
    if (rc == ERR_BUSY) {
        err_set(err, ERR_BUSY, "a file was changed by somebody else while it was being fixed");
    } else {
        rc = write_listed(fixits, list, count, err);
    }
    free(list);
    return rc;
}

int fixits_take_back(struct fixits *fixits, struct err *err)
{
    uint32_t *list = mem_alloc((fixits->patch.file_count + 1) * sizeof *list);
    uint32_t count = 0;
    int rc;

    for (uint32_t i = 0; i < fixits->patch.file_count; i++) {
        struct fixits_file *file = &fixits->files[i];

        if (file->lost || (!file->ours && !file->unsure) || !is_as_left(fixits, i)) continue;
        buf_clear(&file->next);
        buf_add(&file->next, buf_str(&file->old));
        list[count++] = i;
    }
    rc = write_listed(fixits, list, count, err);
    free(list);
    return rc;
}
