/* SPDX-License-Identifier: Apache-2.0
 *
 * sweep.c - what goes of a worker's store, and room for what comes.
 *
 *   <store>/.room        a number: how many bytes the store had when it was counted last, and what
 *                        was promised since
 *         /.room.lock    held while the number is changed
 *
 * Counting is a walk over all files of all work trees. So what is to come is promised room first:
 * the number grows by it, and all is counted only where it would pass the bound. Then the oldest
 * goes, and the number is what was found.
 *
 * 1. What is promised is what hone itself writes: packs, and files of work trees. What an agent or
 *    a setup command writes there is not seen before the next count. A sweep counts, too.
 * 2. Nothing is removed while an attempt holds one of its places, or a process the clone. What is
 *    to come is refused where the rest leaves no room.
 * 3. refs/hone/has/COMMIT that are old, and that no place stands on, are dropped when packs are
 *    joined. */
#include "io/travel/store.h"

#include "base/path.h"
#include "io/file/file.h"
#include "io/file/folder.h"
#include "io/file/peek.h"
#include "io/file/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LOCK_WAIT_MS = 120 * 1000, PACKS_MAX = 50, UNUSED_MAX = 50, SAID_BYTES_MAX = 4 << 20,
    ROOM_BYTES = 32,
};

#define STORE_BYTES_MAX (UINT64_C(20) << 30)

static uint64_t store_bytes(const struct travel_store *store)
{
    return store->bytes_max ? store->bytes_max : STORE_BYTES_MAX;
}

/* ---- what may go ---- */

/* A place or a clone that may go. */
struct remnant {
    const char *path, *lock; /* lock: while that is held, it stays */
    uint64_t used_ms, bytes;
    bool whole;              /* all of a repository; its places went before */
};

struct remnants {
    struct arena arena;
    struct remnant *items;
    uint32_t count, cap;
};

static uint64_t folder_bytes(const char *path, int depth)
{
    DIR *dir = depth > 0 ? opendir(path) : NULL;
    struct dirent *item;
    uint64_t bytes = 0;

    while (dir && (item = readdir(dir))) {
        char below[PATH_MAX];
        struct stat st;

        if (strcmp(item->d_name, ".") == 0 || strcmp(item->d_name, "..") == 0) continue;
        if (fstatat(dirfd(dir), item->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0) continue;
        bytes += (uint64_t)st.st_blocks * 512;
        if (S_ISDIR(st.st_mode) &&
            snprintf(below, sizeof below, "%s/%s", path, item->d_name) < (int)sizeof below)
            bytes += folder_bytes(below, depth - 1);
    }
    if (dir) closedir(dir);
    return bytes;
}

static uint64_t changed_ms(const char *path)
{
    struct stat st;

    if (lstat(path, &st) != 0) return 0;
    return (uint64_t)st.st_mtim.tv_sec * 1000 + (uint64_t)st.st_mtim.tv_nsec / 1000000;
}

static void remnant_add(struct remnants *all, const char *path, const char *lock,
                        const char *used, bool whole)
{
    enum { DEPTH_MAX = 200 };

    uint64_t used_ms = changed_ms(used);

    if (used_ms == 0) used_ms = changed_ms(path); /* another process makes it at this moment */
    all->items = arena_grow(&all->arena, all->items, all->count, &all->cap, sizeof *all->items);
    all->items[all->count++] = (struct remnant){
        .path = path, .lock = lock, .used_ms = used_ms, .whole = whole,
        .bytes = folder_bytes(whole ? arena_printf(&all->arena, "%s/clone", path) : path,
                              DEPTH_MAX),
    };
}

static void remnants_find(const struct travel_store *store, struct remnants *all)
{
    struct arena *arena = &all->arena;
    const char *const *names = folder_names(store->path, "", arena);

    for (; names && *names; names++) {
        const char *folder = arena_printf(arena, "%s/%s", store->path, *names);
        const char *places = arena_printf(arena, "%s/places", folder);
        const char *const *below = folder_names(places, "", arena);

        if (!store_is_word(*names)) continue;
        for (; below && *below; below++) {
            const char *place = arena_printf(arena, "%s/%s", places, *below);
            const char *lock = arena_printf(arena, "%s/lock", place);

            if (store_is_word(*below)) remnant_add(all, place, lock, lock, false);
        }
        remnant_add(all, folder, arena_printf(arena, "%s/lock", folder),
                    arena_printf(arena, "%s/used", folder), true);
    }
}

/* The oldest first; of one age places before their clone. */
static int compare_remnants(const void *a, const void *b)
{
    const struct remnant *left = a, *right = b;

    if (left->whole != right->whole) return left->whole ? 1 : -1;
    return left->used_ms < right->used_ms ? -1 : left->used_ms > right->used_ms;
}

/* Whether no attempt works in the clone. */
static bool is_empty(const struct remnant *item)
{
    static const char *const none[] = { NULL };
    struct arena arena = { 0 };
    const char *places = arena_printf(&arena, "%s/places", item->path);
    bool empty = !file_exists(places) || folder_has_only(places, none);

    arena_release(&arena);
    return empty;
}

/* Under its lock, which goes with it. *gone: it was removed. */
static int remnant_remove(const struct remnant *item, bool *gone, struct err *err)
{
    struct lock lock = { .fd = -1 };
    struct lock_owner owner;
    struct err none;
    int rc = 0;

    *gone = false;
    if (item->whole && !is_empty(item)) return 0;
    if (lock_is_held(item->lock, &owner) ||
        lock_open(&lock, item->lock, "sweep", 0, &owner, &none) != 0)
        return 0;
    if (!item->whole || is_empty(item)) {
        rc = folder_erase(item->path, err);
        *gone = rc == 0;
    }
    lock_close(&lock);
    return rc;
}

/* What the places stand on, as one text: no attempt begins while the clone's lock is held. */
static struct str places_text(const struct depot *depot, struct arena *arena)
{
    enum { STATE_BYTES_MAX = 8 << 10, TEXT_BYTES_MAX = 16 << 20 };
    const char *places = arena_printf(arena, "%s/places", depot->folder);
    const char *const *names = folder_names(places, "", arena);
    struct str state;
    struct err none;
    struct buf all;

    buf_init(&all, TEXT_BYTES_MAX);
    for (; names && *names; names++) {
        if (store_is_word(*names) &&
            scratch_text(arena_printf(arena, "%s/%s", places, *names), "state", STATE_BYTES_MAX,
                         arena, &state, &none) == 0)
            buf_add(&all, state);
    }
    return arena_take(arena, &all);
}

/* Refs that were not of use since then, whether or not a place stands on them. */
static uint32_t refs_unused(const char *folder, uint64_t unused_since_ms)
{
    struct arena arena = { 0 };
    const char *const *names = folder_names(folder, "", &arena);
    uint32_t count = 0;

    for (; names && *names; names++) {
        count += oid_is_valid(str_of(*names)) &&
                 changed_ms(arena_printf(&arena, "%s/%s", folder, *names)) < unused_since_ms;
    }
    arena_release(&arena);
    return count;
}

static void refs_expire(const struct depot *depot, uint64_t unused_since_ms)
{
    struct arena arena = { 0 };
    const char *folder = arena_printf(&arena, "%s/refs/hone/has", depot->repo.git_dir);
    const char *const *names = folder_names(folder, "", &arena);
    const char *held = arena_cstr(&arena, places_text(depot, &arena));

    for (; names && *names; names++) {
        const char *path = arena_printf(&arena, "%s/%s", folder, *names);

        if (oid_is_valid(str_of(*names)) && changed_ms(path) < unused_since_ms &&
            !strstr(held, *names))
            (void)unlink(path);
    }
    arena_release(&arena);
}

/* Each history is a pack more, and git looks through all of them; each attempt leaves loose
 * objects. Work trees that are in use find the objects in the new pack. */
static int depot_tidy(const struct travel_store *store, const char *repository,
                      uint64_t unused_since_ms, struct err *err)
{
    static const char *const join[] = { "repack", "-a", "-d", "-n", "-q", NULL };
    static const char *const drop[] = { "prune", "--expire=now", NULL };
    struct git_raw joins = { .args = join }, drops = { .args = drop };
    struct depot depot = { .lock = { .fd = -1 } };
    struct arena arena = { 0 };
    const char *git = arena_printf(&arena, "%s/%s/clone", store->path, repository);
    const char *const *names = folder_names(arena_printf(&arena, "%s/objects/pack", git), "pack-",
                                            &arena);
    struct str config;
    struct err none;
    struct buf said;
    uint32_t count = 0;
    int rc = 0;

    for (; names && *names; names++) count += str_ends(str_of(*names), STR(".pack"));
    if (refs_unused(arena_printf(&arena, "%s/refs/hone/has", git), unused_since_ms) > UNUSED_MAX)
        count = PACKS_MAX + 1;
    if (count > PACKS_MAX && file_text_in(git, "config", 1 << 16, &arena, &config, &none) == 0) {
        buf_init(&said, SAID_BYTES_MAX);
        rc = depot_open(store, repository, strstr(arena_cstr(&arena, config), "sha256") != NULL,
                        &depot, err);
        if (rc == 0) refs_expire(&depot, unused_since_ms);
        if (rc == 0) rc = repo_git_raw(&depot.repo, &joins, &said, err);
        if (rc == 0) rc = repo_git_raw(&depot.repo, &drops, &said, err);
        buf_release(&said);
        depot_close(&depot);
    }
    arena_release(&arena);
    return rc;
}

/* What was not used since then goes, and then the oldest until the rest has at most bytes_max.
 * left: bytes that stay. */
static int remnants_trim(struct remnants *all, uint64_t unused_since_ms, uint64_t bytes_max,
                         uint64_t *left, struct err *err)
{
    int rc = 0;

    *left = 0;
    if (all->count > 0) qsort(all->items, all->count, sizeof *all->items, compare_remnants);
    for (uint32_t i = 0; i < all->count; i++) *left += all->items[i].bytes;
    for (uint32_t i = 0; rc == 0 && i < all->count; i++) {
        const struct remnant *item = &all->items[i];
        bool gone;

        if (item->used_ms >= unused_since_ms && *left <= bytes_max) continue;
        rc = remnant_remove(item, &gone, err);
        if (gone) *left -= item->bytes;
    }
    return rc;
}

/* ---- room ---- */

static int room_lock(const struct travel_store *store, struct lock *lock, struct err *err)
{
    struct arena arena = { 0 };
    struct lock_owner owner;
    int rc = lock_open(lock, arena_printf(&arena, "%s/.room.lock", store->path), "room",
                       LOCK_WAIT_MS, &owner, err);

    arena_release(&arena);
    return rc;
}

/* False: it was never counted. */
static bool room_read(const struct travel_store *store, uint64_t *bytes)
{
    struct arena arena = { 0 };
    struct str text;
    struct err none;
    bool good = scratch_text(store->path, ".room", ROOM_BYTES, &arena, &text, &none) == 0 &&
                str_number(str_trim(text), bytes);

    arena_release(&arena);
    return good;
}

static int room_write(const struct travel_store *store, uint64_t bytes, struct err *err)
{
    char text[ROOM_BYTES];

    snprintf(text, sizeof text, "%" PRIu64 "\n", bytes);
    return scratch_replace(store->path, ".room", str_of(text), err);
}

int store_room(const struct travel_store *store, uint64_t bytes, struct err *err)
{
    uint64_t bytes_max = store_bytes(store), have = 0;
    struct remnants all = { .count = 0 };
    struct lock lock = { .fd = -1 };
    int rc = room_lock(store, &lock, err);

    if (rc == 0 && (!room_read(store, &have) || bytes > bytes_max || have > bytes_max - bytes)) {
        remnants_find(store, &all);
        rc = remnants_trim(&all, 0, bytes > bytes_max ? UINT64_MAX : bytes_max - bytes, &have, err);
        if (rc == 0 && (bytes > bytes_max || have > bytes_max - bytes)) {
            (void)room_write(store, have, err);
            rc = err_set(err, ERR_BUSY, "there is no room for %" PRIu64 " bytes: %" PRIu64 " of %"
                         PRIu64 " are in use", bytes, have, bytes_max);
        }
    }
    if (rc == 0) rc = room_write(store, have + bytes, err);
    lock_close(&lock);
    arena_release(&all.arena);
    return rc;
}

int travel_sweep(const struct travel_store *store, uint64_t unused_since_ms, uint64_t *freed,
                 struct err *err)
{
    struct remnants all = { .count = 0 };
    struct lock lock = { .fd = -1 };
    uint64_t left = 0;
    int rc = room_lock(store, &lock, err);

    *freed = 0;
    remnants_find(store, &all);
    for (uint32_t i = 0; i < all.count; i++) *freed += all.items[i].bytes;
    if (rc == 0) rc = remnants_trim(&all, unused_since_ms, store_bytes(store), &left, err);
    *freed -= left;
    if (rc == 0) rc = room_write(store, left, err);
    lock_close(&lock);
    for (uint32_t i = 0; rc == 0 && i < all.count; i++) {
        if (!all.items[i].whole) continue;
        rc = depot_tidy(store, path_leaf_text(all.items[i].path), unused_since_ms, err);
    }
    arena_release(&all.arena);
    return rc == 0 ? 0 : err_wrap(err, "remove old work trees");
}
