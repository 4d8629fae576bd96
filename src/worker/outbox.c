/* SPDX-License-Identifier: Apache-2.0
 *
 * outbox.c - attempts on the disk.
 *
 * 1. A result is there whole or not at all, and so is every file that it names.
 * 2. An attempt whose folder is there is not begun again: one that a killed worker had at work is
 *    lost, and its driver asks for another. */
#include "worker/outbox.h"

#include "format/fleet/fleet_name.h"
#include "io/file/file.h"
#include "io/file/folder.h"
#include "io/file/peek.h"
#include "io/file/piece.h"
#include "io/file/scratch.h"
#include "io/process/supervisor.h"

#define WEEK_MS (UINT64_C(7) * 24 * 3600 * 1000)

const char *outbox_path(const char *folder, struct str k, struct arena *arena)
{
    return arena_printf(arena, "%s/%.*s", folder, STR_ARG(k));
}

int outbox_add(const char *folder, struct str k, struct str job, struct err *err)
{
    struct arena arena = { 0 };
    const char *path = outbox_path(folder, k, &arena);
    int rc;

    if (file_exists(path)) {
        rc = err_set(err, ERR_BUSY, "attempt %.*s was begun here before", STR_ARG(k));
    } else {
        rc = scratch_folder(folder, arena_cstr(&arena, k), err);
        if (rc == 0) rc = scratch_write(path, "job", job, err);
    }
    arena_release(&arena);
    return rc;
}

bool outbox_result(const char *folder, struct str k, struct arena *arena, struct str *out)
{
    struct err none;

    return scratch_text(outbox_path(folder, k, arena), "result", OUTBOX_RESULT_BYTES_MAX, arena,
                        out, &none) == 0;
}

const char *outbox_blob(const char *at, const struct fleet_result *result, struct str id,
                        struct arena *arena)
{
    for (uint32_t i = 0; i < result->file_count; i++) {
        if (!str_eq(result->files[i].id, id)) continue;
        return arena_printf(arena, "%s/%.*s", at, STR_ARG(result->files[i].name));
    }
    if (id.size && str_eq(result->tree.bundle, id)) return arena_printf(arena, "%s/bundle", at);
    return NULL;
}

void outbox_keep(const char *at)
{
    struct err none;

    (void)scratch_write(at, "kept", STR(""), &none);
}

void outbox_remove(const char *folder, struct str k)
{
    struct arena arena = { 0 };
    struct err none;

    (void)folder_erase(outbox_path(folder, k, &arena), &none);
    arena_release(&arena);
}

/* Processes that carry the mark of an attempt's supervisor outlived both. */
static void mark_sweep(const char *path, struct arena *arena)
{
    struct str mark;
    struct err none;

    if (scratch_text(path, "mark", MARK_BYTES, arena, &mark, &none) != 0 || mark.size == 0) return;
    (void)supervisor_sweep(arena_cstr(arena, mark));
    (void)file_remove_in(path, "mark", &none);
}

/* Its result is older than a week. */
static bool is_stale(const char *path, struct arena *arena)
{
    uint64_t bytes, unused_ms;

    return file_unused(arena_printf(arena, "%s/result", path), &bytes, &unused_ms) &&
           unused_ms > WEEK_MS;
}

void outbox_expire(const char *folder)
{
    struct arena arena = { 0 };
    const char *const *names = folder_names(folder, "", &arena);

    for (; names && *names; names++) {
        if (!fleet_key_is(str_of(*names))) continue;
        if (is_stale(arena_printf(&arena, "%s/%s", folder, *names), &arena)) {
            outbox_remove(folder, str_of(*names));
        }
    }
    arena_release(&arena);
}

void outbox_settle(const char *folder)
{
    struct arena arena = { 0 };
    const char *const *names = folder_names(folder, "", &arena);

    for (; *names; names++) {
        const char *path = arena_printf(&arena, "%s/%s", folder, *names);

        if (!fleet_key_is(str_of(*names))) continue;
        mark_sweep(path, &arena);
        if (!file_exists(arena_printf(&arena, "%s/result", path)) || is_stale(path, &arena)) {
            outbox_remove(folder, str_of(*names));
        }
    }
    arena_release(&arena);
}

const char *const *outbox_keys(const char *folder, bool kept, struct arena *arena)
{
    const char *const *names = folder_names(folder, "", arena);
    const char **keys;
    uint32_t count = 0;

    while (names[count]) count++;
    keys = arena_alloc(arena, (count + 1) * sizeof *keys);
    for (count = 0; *names; names++) {
        if (!fleet_key_is(str_of(*names))) continue;
        if (!file_exists(arena_printf(arena, "%s/%s/result", folder, *names))) continue;
        if (file_exists(arena_printf(arena, "%s/%s/kept", folder, *names)) != kept) continue;
        keys[count++] = *names;
    }
    return keys;
}
