/* SPDX-License-Identifier: Apache-2.0
 *
 * store.c - what a worker keeps from attempt to attempt.
 *
 *   <store>/<repository>/lock          held while the clone is written to
 *                       /used          its time: when it was last of use
 *                       /clone         a bare repository, by no other hand than ours
 *                       /places/N      work trees: place.c
 *         .room                          what all of it takes: sweep.c
 *
 * Work trees are repositories of their own, whose objects begin with those of the clone: an agent
 * moves its own refs, and on two of them the same branch may be at two commits.
 *
 * 1. refs/hone/has/COMMIT says that the clone has a commit with all it reaches. It is written after
 *    that was seen, and again when it is of use. Nothing else in the clone is a ref. A sweep drops
 *    those that are old and that no place stands on; their objects go when packs are joined.
 * 2. A bundle that is broken leaves nothing. What a whole one brings stays, though a message lied
 *    about it, or its files are too many: it is judged again each time.
 *
 * Not here: what goes again (sweep.c). */
#include "io/travel/store.h"

#include "io/file/file.h"
#include "io/file/scratch.h"

#include <assert.h>
#include <string.h>

enum { WORD_BYTES_MAX = 128, LOCK_WAIT_MS = 120 * 1000, SHALLOW_BYTES_MAX = 4 << 20 };

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

    if (rc == 0) rc = store_room(store, bundle->pack.size, err);
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
