/* SPDX-License-Identifier: Apache-2.0
 *
 * journey.c - a work tree that travels. */
#include "journey.h"

#include "base/mem.h"
#include "io/file/file.h"
#include "io/tree/tree.h"
#include "test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PICTURE_BYTES_MAX = 64 << 20, FILE_BYTES_MAX = 16 << 20, BUNDLE_BYTES_MAX = 64 << 20 };

static const char *const private_paths[] = { ".agents/", NULL };

/* ---- pictures ---- */

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void picture_item(const char *path, const char *name, const struct stat *st,
                         struct buf *out)
{
    char target[4096];
    struct err err;

    if (S_ISLNK(st->st_mode)) {
        ssize_t bytes = readlink(path, target, sizeof target);

        buf_printf(out, "link %s -> %.*s\n", name, (int)bytes, target);
        return;
    }
    buf_printf(out, "%s %s\n", st->st_mode & S_IXUSR ? "program" : "file", name);
    assert_int_equal(file_read(path, out, &err), 0);
    buf_byte(out, '\n');
}

static void picture_add(const char *folder, const char *below, bool top, struct buf *out)
{
    struct arena arena = { 0 };
    struct dirent **items = NULL;
    int count = scandir(arena_printf(&arena, "%s/%s", folder, below), &items, NULL, by_name);

    for (int i = 0; i < count; i++) {
        const char *leaf = items[i]->d_name;
        const char *name = arena_printf(&arena, "%s%s%s", below, *below ? "/" : "", leaf);
        const char *path = arena_printf(&arena, "%s/%s", folder, name);
        bool skipped = strcmp(leaf, ".") == 0 || strcmp(leaf, "..") == 0 ||
                       (top && strcmp(leaf, ".git") == 0);
        struct stat st;

        if (!skipped) {
            assert_int_equal(lstat(path, &st), 0);
            if (S_ISDIR(st.st_mode)) picture_add(folder, name, false, out);
            else picture_item(path, name, &st, out);
        }
        free(items[i]);
    }
    free(items);
    arena_release(&arena);
}

char *picture(const char *folder)
{
    struct buf out;
    char *copy;

    buf_init(&out, PICTURE_BYTES_MAX);
    picture_add(folder, "", true, &out);
    copy = mem_copy(out.data ? out.data : "", out.size);
    for (size_t i = 0; i < out.size; i++) {
        if (copy[i] == '\0') copy[i] = '@';
    }
    buf_release(&out);
    return copy;
}

void expect_same(const char *one, const char *other)
{
    char *left = picture(one), *right = picture(other);

    assert_string_equal(left, right);
    free(left);
    free(right);
}

static void add_file(const char *path, struct buf *out)
{
    struct err none;

    buf_printf(out, "== %s\n", path);
    (void)file_read(path, out, &none);
}

static char *user_state(const struct journey *journey)
{
    const char *git = journey->repo.common_dir;
    struct arena arena = { 0 };
    struct buf out;
    char *refs, *copy;

    buf_init(&out, FILE_BYTES_MAX);
    for (size_t i = 0; i < 4; i++) {
        static const char *const names[] = { "index", "HEAD", "packed-refs", "config" };

        add_file(arena_printf(&arena, "%s/%s", git, names[i]), &out);
    }
    refs = picture(arena_printf(&arena, "%s/refs", git));
    arena_release(&arena);
    buf_text(&out, refs);
    free(refs);
    copy = mem_copy(out.data, out.size);
    for (size_t i = 0; i < out.size; i++) {
        if (copy[i] == '\0') copy[i] = '@';
    }
    buf_release(&out);
    return copy;
}

void journey_mark(struct journey *journey)
{
    free(journey->user);
    journey->user = user_state(journey);
}

void expect_untouched(struct journey *journey)
{
    char *now = user_state(journey);

    assert_string_equal(journey->user, now);
    free(now);
}

/* ---- the way ---- */

void journey_begin(struct journey *journey, void **state)
{
    struct err err = { 0 };

    *journey = (struct journey){ .ground = *state, .run = "run-1",
                                 .place = { .lock = { .fd = -1 } } };
    make_folder(at(*state, "files"));
    snprintf(journey->store_path, sizeof journey->store_path, "%s", at(*state, "store"));
    journey->store.path = journey->store_path;
    if (repo_open(&journey->repo, at(*state, "work"), REPO_MAKE_ANY, &err) != 0)
        fail_msg("%s", err.text);
    journey_mark(journey);
}

void journey_end(struct journey *journey)
{
    travel_leave(&journey->place);
    travel_packed_release(&journey->packed);
    travel_applied_release(&journey->applied);
    repo_release(&journey->repo);
    free(journey->user);
}

const char *there(const struct journey *journey, const char *path)
{
    static char slots[4][GROUND_PATH_BYTES * 2];
    static unsigned next;
    char *slot = slots[next++ % 4];

    snprintf(slot, sizeof slots[0], "%s/%s", journey->place.repo.workspace, path);
    return slot;
}

void journey_pack(struct journey *journey)
{
    static const char *const own[] = { ".own/", NULL };
    struct travel_pack order = {
        .own = own, .repo = &journey->repo, .private_paths = private_paths, .since = journey->since,
        .known = journey->known[0] ? journey->known : NULL,
        .carry = journey->carry[0] ? journey->carry : NULL,
        .file = { at(journey->ground, "files"), "out", BUNDLE_BYTES_MAX }, .tell = true,
    };
    struct err err = { 0 };

    travel_packed_release(&journey->packed);
    if (travel_pack(&order, &journey->packed, &err) != 0) fail_msg("%s", err.text);
}

int journey_try_unpack(struct journey *journey, struct err *err)
{
    struct travel_unpack order = {
        .store = &journey->store, .repository = "abc", .run = journey->run,
        .ids = &journey->packed.ids, .bundle = at(journey->ground, "files/out"),
        .private_paths = private_paths,
    };

    travel_leave(&journey->place);
    return travel_unpack(&order, &journey->place, err);
}

void journey_unpack(struct journey *journey)
{
    struct err err = { 0 };

    if (journey_try_unpack(journey, &err) != 0) fail_msg("%s", err.text);
}

void journey_go(struct journey *journey)
{
    journey_pack(journey);
    journey_unpack(journey);
    expect_same(journey->repo.workspace, journey->place.repo.workspace);
}

void journey_result(struct journey *journey)
{
    struct travel_file file = { at(journey->ground, "files"), "back", BUNDLE_BYTES_MAX };
    struct err err = { 0 };
    uint64_t bytes;

    if (travel_result(&journey->place, &file, &journey->made, &bytes, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(bytes > 0, journey->made.commit[0] != '\0');
}

int journey_try_apply(struct journey *journey, struct err *err)
{
    struct travel_apply order = {
        .repo = &journey->repo, .ids = &journey->packed.ids, .from = &journey->packed.from,
        .made = &journey->made, .bundle = at(journey->ground, "files/back"),
        .private_paths = private_paths, .closed = journey->closed,
        .folder = at(journey->ground, "files"), .from_name = "from", .to_name = "to",
    };

    travel_applied_release(&journey->applied);
    return travel_apply(&order, &journey->applied, err);
}

void journey_apply(struct journey *journey)
{
    struct err err = { 0 };

    if (journey_try_apply(journey, &err) != 0) fail_msg("%s", err.text);
}

void journey_return(struct journey *journey)
{
    struct tree from = { .count = 0 }, to = { .count = 0 };
    struct tree_delta left = { .count = 0 };
    struct tree_bring bring = {
        .repo = &journey->repo, .base = &from, .want = &to,
        .keep_dir = at(journey->ground, "replaced"), .left_dir = at(journey->ground, "left"),
        .private_paths = private_paths,
    };
    struct err err = { 0 };
    bool half;

    journey_result(journey);
    if (!journey->made.commit[0]) return;
    journey_apply(journey);
    if (tree_load(&from, at(journey->ground, "files/from"), &err) != 0 ||
        tree_load(&to, at(journey->ground, "files/to"), &err) != 0 ||
        tree_bring(&bring, &left, &half, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(left.count, 0);
    tree_delta_release(&left);
    tree_release(&from);
    tree_release(&to);
}

void expect_git_agrees(struct journey *journey, const char *const *argv)
{
    char *here, *other;

    setenv("GIT_OPTIONAL_LOCKS", "0", 1); /* the user's index stays as it is */
    here = git_output(journey->repo.workspace, argv);
    other = git_output(journey->place.repo.workspace, argv);
    unsetenv("GIT_OPTIONAL_LOCKS");
    assert_string_equal(here, other);
    free(here);
    free(other);
}
