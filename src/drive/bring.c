/* SPDX-License-Identifier: Apache-2.0
 *
 * bring.c - a change as two trees, brought to the user's tree as a whole, also after a kill.
 *
 *   trees in a folder --> note beside the lock --> files, one by one --> note without it
 *                                                      |
 *                                                      '-- hone was killed --> bring_finish
 *
 * 1. The note is there before the first file is written. After a kill the next run or resume in
 *    this workspace brings the rest, before it looks at the tree.
 * 2. A change that cannot come whole does not come at all, and no note is left of it. Where not
 *    even that can be done the note stays.
 * 3. A file that another program or person changed stays as it is: tree_bring(). */
#include "drive/bring.h"

#include "drive/undo.h"
#include "drive/watch.h"
#include "io/file/scratch.h"

enum { NESTED_MODE = 0160000, WHERE_BYTES_MAX = 8192 };

/* Takes out of left what lies in a repository inside the tree, or is one: nothing is written there.
 * What a work tree has of it is another checkout, and goes with it. */
static void tell_nested(struct drive *drive, const struct tree *from, const struct tree *to,
                        struct tree_delta *left)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < left->count; i++) {
        struct str path = left->items[i].path;
        const struct tree_entry *was = tree_find(from, path), *is = tree_find(to, path);

        if ((was && was->mode == NESTED_MODE) || (is && is->mode == NESTED_MODE)) {
            drive_warn(drive, "%.*s is a repository of its own: what a fixer changed in it does "
                       "not come", STR_ARG(path));
        } else {
            left->items[kept++] = left->items[i];
        }
    }
    left->count = kept;
}

int bring_aim(struct drive *drive, const char *folder, const struct repo *repo)
{
    return scratch_replace(folder, BRING_WHERE, str_of(repo->workspace), &drive->err);
}

/* The work tree that a change is for. other: room for one that is not the run's. */
static int bring_repo(struct drive *drive, const char *folder, struct repo *other,
                      const struct repo **out)
{
    struct arena arena = { 0 };
    struct str where;
    struct err none;
    int rc = 0;

    *out = &drive->run.repo;
    if (scratch_text(folder, BRING_WHERE, WHERE_BYTES_MAX, &arena, &where, &none) == 0 &&
        !str_is(where, drive->run.repo.workspace)) {
        rc = repo_open(other, arena_cstr(&arena, where), REPO_FIND, &drive->err);
        *out = other;
    }
    arena_release(&arena);
    return rc;
}

/* *half: see tree_bring(). */
static int trees_bring(struct drive *drive, const char *folder, const char *left_dir,
                       const char **what_left, bool *half)
{
    struct arena arena = { 0 };
    struct tree from = { 0 }, to = { 0 };
    struct tree_delta left = { 0 };
    struct repo other = { .workspace = NULL };
    const struct repo *repo = NULL;
    int rc = bring_repo(drive, folder, &other, &repo);

    *half = false;
    if (rc == 0) {
        rc = tree_load(&from, arena_printf(&arena, "%s/" BRING_FROM, folder), &drive->err);
    }
    if (rc == 0) {
        rc = tree_load(&to, arena_printf(&arena, "%s/" BRING_TO, folder), &drive->err);
    }
    if (rc == 0) {
        struct tree_bring bring = {
            .repo = repo, .base = &from, .want = &to, .left_dir = left_dir,
            .keep_dir = arena_printf(&arena, "%s/" BRING_REPLACED, folder),
            .private_paths = to.private_paths,
        };
        rc = tree_bring(&bring, &left, half, &drive->err);
        if (rc == 0) tell_nested(drive, &from, &to, &left);
    }
    *what_left = left.count ? delta_text(&left, &drive->run.arena) : "";
    tree_delta_release(&left);
    tree_release(&from);
    tree_release(&to);
    repo_release(&other);
    arena_release(&arena);
    return rc;
}

int bring_run(struct drive *drive, struct live *live, const char *folder, const char *left,
              const char **what_left)
{
    bool half = false;
    struct err why;
    int rc;

    live->brings = folder;
    live->brings_left = left;
    rc = undo_note(drive);
    if (rc == 0) rc = trees_bring(drive, folder, left, what_left, &half);
    if (half) return rc;
    live->brings = NULL;
    if (rc == 0) return undo_note(drive);
    why = drive->err;
    (void)undo_note(drive); /* where it stays, the change comes later, as a whole */
    drive->err = why;
    return rc;
}

int bring_finish(struct drive *drive, const char *folder, const char *left)
{
    const char *what_left;
    bool half;
    int rc = trees_bring(drive, folder, left, &what_left, &half);

    if (rc == ERR_MISSING) return 0; /* the run was removed */
    if (rc != 0) return rc;
    drive_warn(drive, "a change of a run had come half to the tree: now it is whole%s%s",
               *what_left ? ", but for what changed meanwhile: " : "", what_left);
    return 0;
}
