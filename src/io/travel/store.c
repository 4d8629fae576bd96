/* SPDX-License-Identifier: Apache-2.0
 *
 * store.c - what a worker keeps from attempt to attempt.
 *
 *   <store>/<repository>/lock          held while the clone is written to
 *                       /used          its time: when it was last of use
 *                       /clone         a bare repository, by no other hand than ours
 *                       /places/N      work trees: place.c
 *
 * Work trees are repositories of their own, whose objects begin with those of the clone: an agent
 * moves its own refs, and on two of them the same branch may be at two commits.
 *
 * 1. refs/hone/has/COMMIT says that the clone has a commit with all it reaches. It is written after
 *    that was seen, and again when it is of use. Nothing else in the clone is a ref. A sweep drops
 *    those that are old and that no place stands on; their objects go when packs are joined.
 * 2. A bundle that is broken leaves nothing. What a whole one brings stays, though a message lied
 *    about it, or its files are too many: it is judged again each time.
 * 3. Nothing is removed while an attempt holds one of its places, or a process the clone. */
#include "io/travel/store.h"

#include "base/path.h"
#include "io/file/file.h"
#include "io/file/folder.h"
#include "io/file/peek.h"
#include "io/file/scratch.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WORD_BYTES_MAX = 128, LOCK_WAIT_MS = 120 * 1000, SHALLOW_BYTES_MAX = 4 << 20,
       PACKS_MAX = 50, UNUSED_MAX = 50 };

#define GIGABYTE (UINT64_C(1) << 30)

uint64_t store_bundle_bytes(const struct travel_store *store)
{
    return store->bundle_bytes_max ? store->bundle_bytes_max : 4 * GIGABYTE;
}

uint64_t store_tree_bytes(const struct travel_store *store)
{
    return store->tree_bytes_max ? store->tree_bytes_max : 16 * GIGABYTE;
}

uint32_t store_tree_files(const struct travel_store *store)
{
    return store->tree_files_max ? store->tree_files_max : 1000000;
}

bool store_is_word(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "._-";
    size_t size = strnlen(text, WORD_BYTES_MAX + 1);

    return size > 0 && size <= WORD_BYTES_MAX && text[0] != '.' && strspn(text, letters) == size;
}

/* ---- a clone ---- */

static int depot_make(struct depot *depot, struct err *err)
{
    const char *git = depot->repo.git_dir;
    const char *config = depot->sha256
        ? "[core]\n\trepositoryformatversion = 1\n\tbare = false\n"
          "[extensions]\n\tobjectformat = sha256\n"
        : "[core]\n\trepositoryformatversion = 0\n\tbare = false\n";
    struct arena arena = { 0 };
    int rc = file_make_folder(arena_printf(&arena, "%s/objects/pack", git), false, err);

    if (rc == 0) rc = file_make_folder(arena_printf(&arena, "%s/refs/hone/has", git), false, err);
    if (rc == 0) rc = file_make_folder(depot->repo.hone_dir, false, err);
    if (rc == 0) rc = scratch_replace(git, "config", str_of(config), err);
    if (rc == 0) rc = scratch_replace(git, "HEAD", STR("ref: refs/heads/none\n"), err);
    arena_release(&arena);
    return rc;
}

/* Of one that is there. */
static int depot_check(const struct depot *depot, struct err *err)
{
    struct arena arena = { 0 };
    struct str text;
    bool sha256;
    int rc = file_text_in(depot->repo.git_dir, "config", 1 << 16, &arena, &text, err);

    if (rc == 0) {
        sha256 = strstr(arena_cstr(&arena, text), "sha256") != NULL;
        if (sha256 != depot->sha256)
            rc = err_set(err, ERR_FORMAT, "the clone has ids of another length");
    }
    arena_release(&arena);
    return rc;
}

int depot_open(const struct travel_store *store, const char *repository, bool sha256,
               struct depot *out, struct err *err)
{
    struct arena *arena = &out->arena;
    struct lock_owner owner;
    int rc;

    *out = (struct depot){ .lock = { .fd = -1 }, .sha256 = sha256 };
    if (!store_is_word(repository))
        return err_set(err, ERR_FORMAT, "the repository is not named by a word");
    out->folder = arena_printf(arena, "%s/%s", store->path, repository);
    out->repo = (struct repo){ .is_git = true };
    out->repo.workspace = out->repo.git_dir = out->repo.common_dir =
        arena_printf(arena, "%s/clone", out->folder);
    out->repo.hone_dir = arena_printf(arena, "%s/hone", out->repo.git_dir);
    rc = file_make_folder(out->folder, false, err);
    if (rc == 0) {
        rc = lock_open(&out->lock, arena_printf(arena, "%s/lock", out->folder), "clone",
                       LOCK_WAIT_MS, &owner, err);
    }
    if (rc == 0 && !file_exists(arena_printf(arena, "%s/HEAD", out->repo.git_dir)))
        rc = depot_make(out, err); /* HEAD is written last */
    if (rc == 0) rc = depot_check(out, err);
    if (rc == 0) rc = scratch_replace(out->folder, "used", STR(""), err);
    if (rc == 0) return 0;
    depot_close(out);
    return err_wrap(err, "open the clone of %s", repository);
}

void depot_close(struct depot *depot)
{
    lock_close(&depot->lock);
    arena_release(&depot->arena);
    *depot = (struct depot){ .lock = { .fd = -1 } };
}

bool depot_has(const struct depot *depot, const char *commit)
{
    struct arena arena = { 0 };
    bool has = oid_is_valid(str_of(commit)) &&
               file_exists(arena_printf(&arena, "%s/refs/hone/has/%s", depot->repo.git_dir,
                                        commit));

    arena_release(&arena);
    return has;
}

int depot_note(const struct depot *depot, const char *commit, struct err *err)
{
    struct arena arena = { 0 };
    const char *folder = arena_printf(&arena, "%s/refs/hone/has", depot->repo.git_dir);
    int rc;

    assert(oid_is_valid(str_of(commit)));
    rc = scratch_replace(folder, commit, str_of(arena_printf(&arena, "%s\n", commit)), err);
    arena_release(&arena);
    return rc;
}

/* ---- a bundle ---- */

/* The clone is shallow where the bundle is; before is what it was, for shallow_restore(). */
static int shallow_add(struct depot *depot, const struct bundle *bundle, struct arena *arena,
                       struct str *before, struct err *err)
{
    struct str rest, line;
    struct buf all;
    int rc = scratch_text(depot->repo.git_dir, "shallow", SHALLOW_BYTES_MAX, arena, before, err);

    if (rc == ERR_MISSING) rc = 0;
    if (rc != 0 || bundle->shallow_count == 0) return rc;
    buf_init(&all, SHALLOW_BYTES_MAX);
    for (uint32_t i = 0; i < bundle->shallow_count; i++)
        buf_printf(&all, "%s\n", bundle->shallow[i]);
    rest = *before;
    while (str_cut(&rest, '\n', &line)) {
        uint32_t i = 0;

        while (i < bundle->shallow_count && !str_is(line, bundle->shallow[i])) i++;
        if (i < bundle->shallow_count) continue;
        buf_add(&all, line);
        buf_byte(&all, '\n');
    }
    rc = all.overflow ? err_set(err, ERR_LIMIT, "the clone is shallow at too many commits")
                      : scratch_replace(depot->repo.git_dir, "shallow", buf_str(&all), err);
    buf_release(&all);
    return rc;
}

static void shallow_restore(struct depot *depot, const struct bundle *bundle, struct str before)
{
    struct err none;

    if (bundle->shallow_count == 0) return;
    if (before.size > 0) (void)scratch_replace(depot->repo.git_dir, "shallow", before, &none);
    else (void)file_remove_in(depot->repo.git_dir, "shallow", &none);
}

/* Commits that are there with all they reach, and that the bundle stands on; NULL where it is not
 * known of one of them, or it stands on none: then all that the clone knows counts, which git reads
 * one by one. */
static const char *const *stands_on(const struct depot *depot, const struct bundle *bundle,
                                    struct arena *arena)
{
    const char **known = arena_alloc(arena, (bundle->need_count + BUNDLE_TIP_COUNT + 1) *
                                            sizeof *known);
    uint32_t count = 0;

    for (uint32_t i = 0; i < bundle->need_count; i++) {
        if (!depot_has(depot, bundle->needs[i])) return NULL;
        known[count++] = bundle->needs[i];
    }
    if (count == 0) return NULL;
    for (int i = 0; i < BUNDLE_TIP_COUNT; i++) {
        if (depot_has(depot, bundle->tips[i])) known[count++] = bundle->tips[i];
    }
    known[count] = NULL;
    return known;
}

int depot_take_in(const struct travel_store *store, struct depot *depot,
                  const struct bundle *bundle, struct err *err)
{
    struct arena arena = { 0 };
    struct bundle_place place = { .repo = &depot->repo, .alone = true,
                                  .trusted = stands_on(depot, bundle, &arena),
                                  .bytes_max = store_bundle_bytes(store) };
    struct str before = STR("");
    int rc = shallow_add(depot, bundle, &arena, &before, err);

    if (rc == 0) {
        rc = bundle_take_in(&place, bundle, err);
        if (rc != 0) shallow_restore(depot, bundle, before);
    }
    for (int i = 0; rc == 0 && i < BUNDLE_TIP_COUNT; i++) {
        if (bundle->tips[i][0]) rc = depot_note(depot, bundle->tips[i], err);
    }
    arena_release(&arena);
    return rc;
}

bool travel_knows(const struct travel_store *store, const char *repository, const char *commit)
{
    struct arena arena = { 0 };
    struct depot depot = { .repo = { .git_dir = NULL } };
    bool knows = store_is_word(repository);

    if (knows) {
        depot.repo.git_dir = arena_printf(&arena, "%s/%s/clone", store->path, repository);
        knows = depot_has(&depot, commit);
    }
    arena_release(&arena);
    return knows;
}

int travel_learn(const struct travel_store *store, const char *repository,
                 const struct travel_ids *ids, const char *path, struct err *err)
{
    struct depot depot = { .lock = { .fd = -1 } };
    struct bundle bundle;
    int rc = bundle_open(&bundle, path, store_bundle_bytes(store), err);

    if (rc != 0) return err_wrap(err, "take in a history");
    /* since may be another attempt's: one history serves all that begin at this HEAD. */
    if (strcmp(bundle.tips[BUNDLE_HEAD], ids->head) != 0 || bundle.tips[BUNDLE_SNAPSHOT][0] ||
        bundle.tips[BUNDLE_CARRY][0] || bundle.tips[BUNDLE_MADE][0])
        rc = err_set(err, ERR_FORMAT, "the bundle %s brings other commits than it should", path);
    if (rc == 0) rc = depot_open(store, repository, bundle.sha256, &depot, err);
    if (rc == 0) rc = depot_take_in(store, &depot, &bundle, err);
    depot_close(&depot);
    bundle_release(&bundle);
    return rc == 0 ? 0 : err_wrap(err, "take in a history");
}

/* ---- the sweep ---- */

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
        buf_init(&said, SHALLOW_BYTES_MAX);
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

int travel_sweep(const struct travel_store *store, uint64_t unused_since_ms, uint64_t bytes_max,
                 uint64_t *freed, struct err *err)
{
    struct remnants all = { .count = 0 };
    uint64_t bytes = 0;
    int rc = 0;

    *freed = 0;
    remnants_find(store, &all);
    if (all.count > 0) qsort(all.items, all.count, sizeof *all.items, compare_remnants);
    for (uint32_t i = 0; i < all.count; i++) bytes += all.items[i].bytes;
    for (uint32_t i = 0; rc == 0 && i < all.count; i++) {
        const struct remnant *item = &all.items[i];
        bool old = item->used_ms < unused_since_ms, gone;

        if (!old && (bytes_max == 0 || bytes - *freed <= bytes_max)) continue;
        rc = remnant_remove(item, &gone, err);
        if (gone) *freed += item->bytes;
    }
    for (uint32_t i = 0; rc == 0 && i < all.count; i++) {
        if (!all.items[i].whole) continue;
        rc = depot_tidy(store, path_leaf_text(all.items[i].path), unused_since_ms, err);
    }
    arena_release(&all.arena);
    return rc == 0 ? 0 : err_wrap(err, "remove old work trees");
}
