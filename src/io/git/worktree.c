/* SPDX-License-Identifier: Apache-2.0
 *
 * worktree.c - work trees: made, made again, removed.
 *
 *   nothing --links, checkout--> half --submodules, mark--> whole --remove--> nothing
 *                                  |                          |
 *                                  '---killed: begun anew     '---folder deleted by hand:
 *                                                                 added again from its branch
 *
 * 1. A work tree is whole once the file hone-ready is in its git folder. No agent works in one that
 *    is not whole, so hone removes such a one and makes it anew.
 * 2. A branch is made with the first work tree and outlives it: what was committed is never lost
 *    with a folder. A work tree without one is disposable.
 * 3. git worktree add looks at every other work tree, so that the thousandth would cost a hundred
 *    times the first. A repository that is kept in the way that git documents (gitrepository-
 *    layout(5)) gets its links by us, and only the checkout by git; any other gets all by git.
 * 4. Nothing is fetched. A submodule comes out of the copy that the repository has of it; where it
 *    has none the work tree is without it, and says so. */
#include "io/git/worktree.h"

#include "base/path.h"
#include "io/file/folder.h"
#include "io/file/file.h"
#include "io/file/scratch.h"

#include <string.h>

enum { WORDS_BYTES_MAX = 1 << 20, LINK_BYTES_MAX = 8192, ASIDE_LETTERS = 6 };

static const char ready[] = "hone-ready";

/* What the file .git in a work tree points to; NULL: there is none. */
static const char *linked_dir(const char *path, struct arena *arena)
{
    const char *file = arena_printf(arena, "%s/.git", path);
    struct err none;
    struct str text;

    if (file_text(file, LINK_BYTES_MAX, arena, &text, &none) != 0) return NULL;
    if (!str_starts(text, STR("gitdir: /"))) return NULL;
    return arena_cstr(arena, str_trim(str_skip(text, strlen("gitdir: "))));
}

const char *worktree_git_dir(const char *path, struct arena *arena)
{
    const char *dir = linked_dir(path, arena);

    return dir && file_exists(arena_printf(arena, "%s/%s", dir, ready)) ? dir : NULL;
}

static bool has_branch(const struct repo *repo, const char *ref)
{
    const char *const args[] = { "rev-parse", "--verify", "--quiet", "--end-of-options", ref,
                                 NULL };
    struct err none;

    return repo_do(repo, args, STR(""), &none) == 0;
}

/* ---- links ---- */

/* The folder that git keeps a work tree's own things in. */
static const char *admin_dir(const struct repo *repo, const char *path, struct arena *arena)
{
    return arena_printf(arena, "%s/worktrees/%s", repo->common_dir, path_leaf_text(path));
}

/* Whether we know how this repository keeps its work trees, and the name is free or ours. */
static bool is_plain(const struct repo *repo, const char *path, struct arena *arena)
{
    const char *admin = admin_dir(repo, path, arena);
    struct str owner;
    struct err none;

    if (file_exists(arena_printf(arena, "%s/reftable", repo->common_dir))) return false;
    if (file_exists(arena_printf(arena, "%s/config.worktree", repo->common_dir))) return false;
    if (!file_exists(admin)) return true;
    return file_text(arena_printf(arena, "%s/gitdir", admin), LINK_BYTES_MAX, arena, &owner,
                     &none) == ERR_MISSING ||
           str_is(str_trim(owner), arena_printf(arena, "%s/.git", path));
}

static int link_tree(const struct repo *repo, const struct worktree *worktree,
                     struct arena *arena, struct err *err)
{
    const char *admin = admin_dir(repo, worktree->path, arena);
    const char *head = *worktree->branch
                           ? arena_printf(arena, "ref: refs/heads/%s\n", worktree->branch)
                           : arena_printf(arena, "%s\n", worktree->start);
    int rc = folder_erase(admin, err);

    /* The folder first: to git links without one are litter. */
    if (rc == 0) rc = file_make_folder(worktree->path, true, err);
    if (rc == 0) {
        rc = scratch_write(worktree->path, ".git",
                           str_of(arena_printf(arena, "gitdir: %s\n", admin)), err);
    }
    if (rc == 0) rc = file_make_folder(admin, true, err);
    if (rc == 0) {
        rc = scratch_write(admin, "gitdir",
                           str_of(arena_printf(arena, "%s/.git\n", worktree->path)), err);
    }
    if (rc == 0) rc = scratch_write(admin, "commondir", STR("../..\n"), err);
    if (rc == 0) rc = scratch_write(admin, "HEAD", str_of(head), err);
    return rc;
}

/* Folder and links; the branch stays. */
static int unlink_tree(const struct repo *repo, const char *path, struct arena *arena,
                       struct err *err)
{
    const char *const args[] = { "worktree", "remove", "--force", "--force", path, NULL };
    int rc;

    if (is_plain(repo, path, arena)) {
        rc = folder_erase(path, err);
        return rc == 0 ? folder_erase(admin_dir(repo, path, arena), err) : rc;
    }
    rc = repo_do(repo, args, STR(""), err);
    /* git says so where it does not know the folder; it is over if it is not there. */
    return rc == ERR_FAILED && !file_exists(path) ? 0 : rc;
}

/* Out of the way: what git or we know is removed, all else gets another name. */
static int clear_path(const struct repo *repo, const char *path, struct buf *notes,
                      struct arena *arena, struct err *err)
{
    char word[ASIDE_LETTERS + 1];
    const char *aside;
    struct err none;
    int rc;

    if (!file_exists(path)) return 0;
    if (linked_dir(path, arena) && unlink_tree(repo, path, arena, &none) == 0 &&
        !file_exists(path)) {
        return 0;
    }
    random_word(word, ASIDE_LETTERS);
    aside = arena_printf(arena, "%s.aside-%s", path, word);
    rc = file_rename(path, aside, err);
    if (rc == 0) buf_printf(notes, "%s was no work tree of git's: it is %s now\n", path, aside);
    return rc;
}

/* ---- submodules ---- */

/* One submodule out of the repository's own copy of it. */
static void bring_submodule(const struct repo *repo, const struct repo *tree, struct str name,
                            struct str path, struct buf *notes, struct arena *arena)
{
    const char *copy = arena_printf(arena, "%s/modules/%.*s", repo->common_dir, STR_ARG(name));
    const char *url = arena_printf(arena, "submodule.%.*s.url=%s", STR_ARG(name), copy);
    const char *const args[] = { "-c", "protocol.file.allow=always", "-c", url, "submodule",
                                 "--quiet", "update", "--init", "--checkout", "--",
                                 arena_cstr(arena, path), NULL };
    struct err err = { 0 };

    if (!file_exists(copy)) {
        buf_printf(notes, "the submodule %.*s is not in the work tree %s: git submodule update "
                   "--init in your own checkout brings it\n", STR_ARG(path), tree->workspace);
    } else if (repo_do(tree, args, STR(""), &err) != 0) {
        buf_printf(notes, "the submodule %.*s is not in the work tree %s: %s\n", STR_ARG(path),
                   tree->workspace, err.text);
    }
}

/* "submodule.NAME.path" LF PATH NUL, again and again. */
static void bring_submodules(const struct repo *repo, const char *path, struct buf *notes,
                             struct arena *arena)
{
    static const char *const ask[] = { "config", "--file", ".gitmodules", "-z", "--get-regexp",
                                       "^submodule\\..*\\.path$", NULL };
    struct repo tree = { .workspace = path, .git_dir = repo->git_dir, .is_git = true,
                         .common_dir = repo->common_dir, .hone_dir = repo->hone_dir };
    struct str rest, piece, name;
    struct buf list;
    struct err err = { 0 };

    if (!file_exists(arena_printf(arena, "%s/.gitmodules", path))) return;
    buf_init(&list, WORDS_BYTES_MAX);
    if (repo_git(&tree, ask, STR(""), &list, &err) != 0) {
        buf_printf(notes, "submodules are not in the work tree %s: %s\n", path, err.text);
    }
    rest = buf_str(&list);
    while (str_cut(&rest, '\0', &piece)) {
        if (!str_cut(&piece, '\n', &name)) continue;
        name = str_skip(name, strlen("submodule."));
        name.size -= strlen(".path");
        bring_submodule(repo, &tree, name, piece, notes, arena);
    }
    buf_release(&list);
}

/* ---- the whole ---- */

static int worktree_add(const struct repo *repo, const struct worktree *worktree, bool again,
                        struct arena *arena, struct err *err)
{
    const struct repo tree = { .workspace = worktree->path, .git_dir = repo->git_dir,
                               .is_git = true, .common_dir = repo->common_dir,
                               .hone_dir = repo->hone_dir };
    const char *ref = arena_printf(arena, "refs/heads/%s", worktree->branch);
    const char *start = arena_printf(arena, "%s^{commit}", worktree->start);
    const char *const branch[] = { "update-ref", ref, start, NULL };
    const char *const checkout[] = { "reset", "--hard", "--quiet", NULL };
    /* Forced twice: its name may be known still, of a folder that is gone or was never whole. */
    const char *const old[] = { "worktree", "add", "--quiet", "--force", "--force",
                                worktree->path, worktree->branch, NULL };
    const char *const fresh[] = { "worktree", "add", "--quiet", "--force", "--force", "--no-track",
                                  "-b", worktree->branch, worktree->path, worktree->start, NULL };
    const char *const bare[] = { "worktree", "add", "--quiet", "--force", "--force", "--detach",
                                 worktree->path, worktree->start, NULL };
    bool named = *worktree->branch != '\0';
    int rc = 0;

    /* Of a git that was killed: the branch is ours alone, and the git that held it is gone. */
    if (named) rc = file_remove_in(repo->common_dir, arena_printf(arena, "%s.lock", ref), err);
    if (rc != 0) return rc;
    if (!is_plain(repo, worktree->path, arena)) {
        return repo_do(repo, !named ? bare : again ? old : fresh, STR(""), err);
    }
    if (named && !again) rc = repo_do(repo, branch, STR(""), err);
    if (rc == 0) rc = link_tree(repo, worktree, arena, err);
    return rc == 0 ? repo_do(&tree, checkout, STR(""), err) : rc;
}

int worktree_make(const struct repo *repo, const struct worktree *worktree,
                  enum worktree_made *made, struct buf *notes, struct err *err)
{
    struct arena arena = { 0 };
    const char *dir = worktree_git_dir(worktree->path, &arena);
    bool again;
    int rc;

    *made = WORKTREE_THERE;
    if (dir) goto out_there;
    again = *worktree->branch &&
            has_branch(repo, arena_printf(&arena, "refs/heads/%s", worktree->branch));
    *made = again ? WORKTREE_AGAIN : WORKTREE_NEW;
    rc = clear_path(repo, worktree->path, notes, &arena, err);
    if (rc == 0) rc = worktree_add(repo, worktree, again, &arena, err);
    if (rc == 0) {
        bring_submodules(repo, worktree->path, notes, &arena);
        dir = linked_dir(worktree->path, &arena);
        rc = dir ? scratch_write(dir, ready, STR(""), err)
                 : err_set(err, ERR_FAILED, "git made no work tree in %s", worktree->path);
    }
    arena_release(&arena);
    return rc;

out_there:
    arena_release(&arena);
    return 0;
}

int worktree_remove(const struct repo *repo, const char *path, const char *branch, struct err *err)
{
    struct arena arena = { 0 };
    const char *ref = arena_printf(&arena, "refs/heads/%s", branch);
    const char *const forget[] = { "update-ref", "-d", ref, NULL };
    int rc = unlink_tree(repo, path, &arena, err);

    if (rc == 0 && *branch && has_branch(repo, ref)) rc = repo_do(repo, forget, STR(""), err);
    arena_release(&arena);
    return rc;
}
