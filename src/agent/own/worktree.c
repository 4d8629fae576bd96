/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/own/own.h"

#include "io/file/scratch.h"
#include "io/git/worktree.h"

#include <stdio.h>

enum { ORDER_BYTES_MAX = 64 << 10, NOTES_BYTES_MAX = 1 << 20 };

static int read_order(const char *folder, struct worktree *out, struct arena *arena,
                      struct err *err)
{
    const char **const fields[] = { &out->path, &out->branch, &out->start };
    struct str rest, piece;
    int rc = scratch_text(folder, "worktree", ORDER_BYTES_MAX, arena, &rest, err);

    for (size_t i = 0; rc == 0 && i < sizeof fields / sizeof *fields; i++) {
        if (!str_cut(&rest, '\0', &piece) || piece.size == 0) {
            rc = err_set(err, ERR_FORMAT, "%s/worktree: it is not whole", folder);
        } else {
            *fields[i] = arena_cstr(arena, piece);
        }
    }
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
    struct worktree worktree = { 0 };
    enum worktree_made made = WORKTREE_THERE;
    struct err err = { 0 };
    struct repo repo = { 0 };
    struct buf notes;
    int rc = repo_open(&repo, ".", false, &err);

    buf_init(&notes, NOTES_BYTES_MAX);
    if (rc == 0) rc = read_order(folder, &worktree, &arena, &err);
    if (rc == 0) rc = pin_start(&repo, &worktree, &arena, &err);
    if (rc == 0) rc = worktree_make(&repo, &worktree, &made, &notes, &err);
    if (rc == 0 && made == WORKTREE_NEW) {
        rc = scratch_replace(folder, "since", str_of(worktree.start), &err);
    }
    if (rc == 0) printf("%s\n%s", words[made], buf_cstr(&notes));
    else fprintf(stderr, "%s\n", err.text);
    if (rc == 0 && fflush(stdout) != 0) rc = ERR_SYSTEM;
    buf_release(&notes);
    repo_release(&repo);
    arena_release(&arena);
    return rc == 0 ? 0 : 1;
}
