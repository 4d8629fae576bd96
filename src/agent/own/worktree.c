/* SPDX-License-Identifier: Apache-2.0
 *
 * worktree.c - the order for a work tree, carried out.
 *
 * A disposable work tree begins as a checkout of HEAD. Then it gets what the user's tree holds
 * otherwise: changed, staged, deleted and untracked files. Ignored files are not part of a tree.
 * What cannot be copied (a repository inside the tree, a file that cannot be read) is named. */
#include "agent/own/own.h"

#include "io/file/file.h"
#include "io/file/folder.h"
#include "io/file/scratch.h"
#include "io/git/worktree.h"
#include "io/tree/tree.h"

#include <stdio.h>

enum { ORDER_BYTES_MAX = 64 << 10, NOTES_BYTES_MAX = 1 << 20, PRIVATE_MAX = 1024 };

/* An order: the work tree, and for a disposable one what is private. */
struct order {
    struct worktree worktree;
    const char *private_paths[PRIVATE_MAX + 1];
};

static int read_order(const char *folder, struct order *out, struct arena *arena, struct err *err)
{
    const char **const fields[] = { &out->worktree.path, &out->worktree.branch,
                                    &out->worktree.start };
    struct str rest, piece;
    uint32_t count = 0;
    int rc = scratch_text(folder, "worktree", ORDER_BYTES_MAX, arena, &rest, err);

    for (size_t i = 0; rc == 0 && i < sizeof fields / sizeof *fields; i++) {
        if (!str_cut(&rest, '\0', &piece)) {
            rc = err_set(err, ERR_FORMAT, "%s/worktree: it is not whole", folder);
        } else {
            *fields[i] = arena_cstr(arena, piece);
        }
    }
    while (rc == 0 && count < PRIVATE_MAX && str_cut(&rest, '\0', &piece)) {
        out->private_paths[count++] = arena_cstr(arena, piece);
    }
    out->private_paths[count] = NULL;
    return rc;
}

/* ---- a disposable one ---- */

/* Whether a tree can hold it elsewhere, too: its content was kept. */
static bool is_copied(const struct tree *tree, struct str path)
{
    const struct tree_entry *entry = tree_find(tree, path);

    return !entry || entry->mode == 0 ||
           (entry->mode != 0160000 && oid_is_valid(str_of(entry->oid)));
}

/* Compares what was made with what was to be. What could not be copied is named for the user. */
static int check_copy(const struct tree *wanted, const struct tree *made, struct buf *notes,
                      struct err *err)
{
    struct tree_delta delta;
    int rc = 0;

    tree_compare(wanted, made, &delta);
    for (uint32_t i = 0; rc == 0 && i < delta.count; i++) {
        struct str path = delta.items[i].path;

        if (path.size == 0 || is_copied(wanted, path)) {
            rc = err_set(err, ERR_FAILED, "the copy of the tree is not as the tree is: %.*s",
                         STR_ARG(path));
        } else {
            buf_printf(notes, "%.*s cannot be copied, so the fixer does not see it\n",
                       STR_ARG(path));
        }
    }
    tree_delta_release(&delta);
    return rc;
}

/* Makes the work tree hold what the checkout holds, and leaves it as FOLDER/base. */
static int fill_tree(const struct repo *repo, const struct order *order, const char *folder,
                     struct arena *arena, struct buf *notes, struct err *err)
{
    const char *away = arena_printf(arena, "%s/away", folder);
    struct repo copy = *repo;
    struct tree wanted = { 0 }, now = { 0 }, made = { 0 };
    struct tree_delta delta = { 0 };
    int rc = tree_take(repo, order->private_paths, &wanted, err);

    copy.workspace = order->worktree.path;
    copy.git_dir = worktree_git_dir(copy.workspace, arena);
    wanted.branch = STR("(detached)");
    if (rc == 0) rc = tree_take(&copy, order->private_paths, &now, err);
    if (rc == 0) tree_compare(&wanted, &now, &delta);
    if (rc == 0) rc = tree_put_back(&copy, &wanted, &delta, away, err);
    if (rc == 0 || rc == ERR_FAILED) { /* it may have named what cannot be copied */
        rc = tree_take(&copy, order->private_paths, &made, err);
        if (rc == 0) rc = check_copy(&wanted, &made, notes, err);
    }
    if (rc == 0) rc = folder_erase(away, err);
    if (rc == 0) rc = tree_save(&made, folder, "base", err);
    tree_delta_release(&delta);
    tree_release(&wanted);
    tree_release(&now);
    tree_release(&made);
    return rc;
}

/* The commit that the work tree begins at: what was changed in it is compared with that. */
static int pin_start(const struct repo *repo, struct worktree *worktree, struct arena *arena,
                     struct err *err)
{
    const char *const args[] = { "rev-parse", "--verify", "--end-of-options",
                                 arena_printf(arena, "%s^{commit}", worktree->start), NULL };

    worktree->start = repo_ask(repo, args, arena, err);
    return worktree->start ? 0 : (int)err->code;
}

int worktree_main(const char *folder)
{
    static const char *const words[WORKTREE_MADE_COUNT] = {
        [WORKTREE_THERE] = "there", [WORKTREE_NEW] = "new", [WORKTREE_AGAIN] = "again",
    };
    struct arena arena = { 0 };
    struct order order = { 0 };
    struct worktree *worktree = &order.worktree;
    enum worktree_made made = WORKTREE_THERE;
    struct err err = { 0 };
    struct repo repo = { 0 };
    struct buf notes;
    int rc = repo_open(&repo, ".", false, &err);

    buf_init(&notes, NOTES_BYTES_MAX);
    if (rc == 0) rc = read_order(folder, &order, &arena, &err);
    if (rc == 0) rc = pin_start(&repo, worktree, &arena, &err);
    if (rc == 0) rc = worktree_make(&repo, worktree, &made, &notes, &err);
    if (rc == 0 && made == WORKTREE_NEW) {
        rc = scratch_replace(folder, "since", str_of(worktree->start), &err);
    }
    if (rc == 0 && !*worktree->branch) rc = fill_tree(&repo, &order, folder, &arena, &notes, &err);
    if (rc == 0) printf("%s\n%s", words[made], buf_cstr(&notes));
    else fprintf(stderr, "%s\n", err.text);
    if (rc == 0 && fflush(stdout) != 0) rc = ERR_SYSTEM;
    buf_release(&notes);
    repo_release(&repo);
    arena_release(&arena);
    return rc == 0 ? 0 : 1;
}
