/* SPDX-License-Identifier: Apache-2.0
 *
 * protect_file.c - what protect.c took, as a file:
 *
 *     hone-protect 1
 *     KIND MODE WHOLE SIZE MTIME BASE LABEL PATH ASKED TEXT      (numbers: the last five are bytes)
 *     the five texts, one behind the other
 *
 * It is read back by a resume, too, so nothing in it is believed: sizes are bounded by what is
 * there, and a path that is not clean is refused. */
#include "io/tree/protect.h"

#include "base/mem.h"
#include "io/file/scratch.h"
#include "io/file/walk.h"

#include <inttypes.h>
#include <string.h>

enum { FILE_BYTES_MAX = 64 << 20, NUMBER_COUNT = 10, TEXT_COUNT = 5, FIRST_TEXT = 5 };

static const char first_line[] = "hone-protect 1\n";

int protect_save(const struct protect *protect, const char *folder, const char *name,
                 struct err *err)
{
    struct buf out;
    int rc;

    buf_init(&out, FILE_BYTES_MAX);
    buf_text(&out, first_line);
    for (uint32_t i = 0; i < protect->count; i++) {
        const struct protect_entry *entry = &protect->entries[i];

        buf_printf(&out, "%d %" PRIu32 " %d %" PRIu64 " %" PRIu64 " %zu %zu %zu %zu %zu\n",
                   (int)entry->kind, entry->mode, (int)entry->whole, entry->size,
                   entry->mtime_ns, strlen(entry->base), strlen(entry->label),
                   strlen(entry->path), strlen(entry->asked), entry->text.size);
        buf_text(&out, entry->base);
        buf_text(&out, entry->label);
        buf_text(&out, entry->path);
        buf_text(&out, entry->asked);
        buf_add(&out, entry->text);
    }
    rc = out.overflow ? err_set(err, ERR_LIMIT, "%s/%s: too much to keep", folder, name)
                      : scratch_replace(folder, name, buf_str(&out), err);
    buf_release(&out);
    return rc;
}

static bool read_entry(struct str *rest, struct arena *arena, struct protect_entry *out)
{
    uint64_t numbers[NUMBER_COUNT];
    struct str texts[TEXT_COUNT], line, word;

    if (!str_cut(rest, '\n', &line)) return false;
    for (uint32_t i = 0; i < NUMBER_COUNT; i++) {
        if (!str_cut(&line, ' ', &word) || !str_number(word, &numbers[i])) return false;
    }
    for (uint32_t i = 0; i < TEXT_COUNT; i++) {
        uint64_t size = numbers[FIRST_TEXT + i];

        if (size > rest->size) return false;
        texts[i] = (struct str){ rest->data, (size_t)size };
        *rest = str_skip(*rest, (size_t)size);
    }
    if (numbers[0] >= PROTECT_KIND_COUNT || numbers[1] > 07777 || line.size > 0) return false;
    if (!path_is_clean(texts[2]) || (texts[3].size && !path_is_clean(texts[3]))) return false;
    *out = (struct protect_entry){
        .kind = (enum protect_kind)numbers[0], .mode = (uint32_t)numbers[1],
        .whole = numbers[2] != 0, .size = numbers[3], .mtime_ns = numbers[4],
        .base = arena_cstr(arena, texts[0]), .label = arena_cstr(arena, texts[1]),
        .path = arena_cstr(arena, texts[2]), .asked = arena_cstr(arena, texts[3]),
        .text = arena_copy(arena, texts[4]),
    };
    return out->base[0] == '/';
}

int protect_load(struct protect *protect, const char *folder, const char *name, struct err *err)
{
    struct protect_entry entry;
    struct str rest;
    struct buf text;
    int rc;

    *protect = (struct protect){ 0 };
    buf_init(&text, FILE_BYTES_MAX);
    rc = scratch_read(folder, name, &text, err);
    rest = buf_str(&text);
    if (rc == 0 && !str_starts(rest, str_of(first_line))) rc = ERR_FORMAT;
    if (rc == 0) rest = str_skip(rest, strlen(first_line));
    while (rc == 0 && rest.size > 0) {
        if (!read_entry(&rest, &protect->arena, &entry)) {
            rc = ERR_FORMAT;
        } else {
            protect->entries = mem_grow(protect->entries, protect->count, &protect->cap,
                                        sizeof *protect->entries);
            protect->entries[protect->count++] = entry;
        }
    }
    if (rc == ERR_FORMAT) rc = err_set(err, ERR_FORMAT, "%s/%s: it is not whole", folder, name);
    buf_release(&text);
    if (rc != 0) protect_release(protect);
    return rc;
}
