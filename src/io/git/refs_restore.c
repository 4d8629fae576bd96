/* SPDX-License-Identifier: Apache-2.0
 *
 * refs_restore.c - refs compared with what they were, and put back.
 *
 *   names for what would be lost --> HEAD --> work trees that were added leave their branches
 *       --> what was added goes --> what moved or went comes back
 *
 * 1. A commit that a ref named meanwhile has a name below `kept` before the ref moves.
 * 2. A ref moves only from where we saw it: whoever moves it at that moment wins, and it is an
 *    error.
 * 3. What was added goes before what was deleted comes back: one may stand in the other's way.
 * 4. Killed at any point, the same call finishes the work.
 * 5. What is left as it is (a work tree, a stash) is noted in what is compared with, as an agent's:
 *    it is told again at each look until it is gone.
 */
#include "io/git/refs.h"

#include "io/file/file.h"
#include "io/git/status.h"

#include <inttypes.h>
#include <assert.h>
#include <string.h>

enum { LINES_BYTES_MAX = 256 << 20, SAID_BYTES_MAX = 64 << 10, NAMED_MAX = 10 };

static const char why[] = "hone: put back";

struct comparing {
    const struct refs_order *order;
    struct refs *before;
    struct refs now;
    struct buf keep, drop, back; /* for git update-ref */
    struct buf elsewhere; /* refs_elsewhere() */
    struct buf *what;
    uint32_t named, trees_kept;
};

static bool is_at(struct str name, const char *text)
{
    return text && str_is(name, text);
}

static bool is_looked_at(const struct comparing *comparing, struct str name)
{
    const char *below = comparing->order->below;
    struct str rest = buf_str(&comparing->elsewhere), line;

    while (str_cut(&rest, '\n', &line)) {
        if (str_eq(line, name)) return false;
    }
    if (!below) return true;
    return str_starts(name, str_of(below)) && name.size > strlen(below) &&
           name.data[strlen(below)] == '/';
}

static void name_it(struct comparing *comparing, const char *word, struct str name)
{
    const char *kind = "";

    if (++comparing->named > NAMED_MAX) return;
    if (str_starts(name, STR("refs/heads/"))) {
        kind = "branch ";
        name = str_skip(name, strlen("refs/heads/"));
    } else if (str_starts(name, STR("refs/tags/"))) {
        kind = "tag ";
        name = str_skip(name, strlen("refs/tags/"));
    }
    buf_printf(comparing->what, "%s%s %s%.*s", comparing->named > 1 ? ", " : "", word, kind,
               STR_ARG(name));
}

static void add_line(struct buf *out, const char *verb, struct str name, const char *a,
                     const char *b)
{
    buf_printf(out, "%s %.*s%s%s%s%s\n", verb, STR_ARG(name), *a ? " " : "", a, *b ? " " : "", b);
}

static void keep(struct comparing *comparing, struct str name, struct str oid)
{
    if (str_starts(name, STR("refs/"))) name = str_skip(name, strlen("refs/"));
    if (!comparing->order->kept) return;
    buf_printf(&comparing->keep, "update %s/%.*s %.*s\n", comparing->order->kept, STR_ARG(name),
               STR_ARG(oid));
}

/* ---- comparing ---- */

static bool is_forward(const struct comparing *comparing, struct str from, struct str to)
{
    struct arena arena = { 0 };
    const char *const args[] = { "merge-base", "--is-ancestor", arena_cstr(&arena, from),
                                 arena_cstr(&arena, to), NULL };
    struct err none;
    struct buf out;
    bool forward;

    buf_init(&out, SAID_BYTES_MAX);
    forward = repo_git(comparing->order->repo, args, STR(""), &out, &none) == 0;
    buf_release(&out);
    arena_release(&arena);
    return forward;
}

static void on_moved(struct comparing *comparing, const struct ref *was, const struct ref *is,
                     struct arena *arena)
{
    const char *from = arena_cstr(arena, is->oid), *to = arena_cstr(arena, was->oid);
    bool own = is_at(was->name, comparing->order->own);

    if (str_eq(was->oid, is->oid) || (own && is_forward(comparing, was->oid, is->oid))) return;
    name_it(comparing, own ? "rewrote" : "moved", was->name);
    keep(comparing, is->name, is->oid);
    add_line(&comparing->back, "update", was->name, to, from);
}

static void on_added(struct comparing *comparing, const struct ref *is, struct arena *arena)
{
    if (is_at(is->name, comparing->order->own)) return; /* the first commit of all */
    name_it(comparing, "added", is->name);
    keep(comparing, is->name, is->oid);
    add_line(&comparing->drop, "delete", is->name, arena_cstr(arena, is->oid), "");
}

static void on_deleted(struct comparing *comparing, const struct ref *was, struct arena *arena)
{
    name_it(comparing, "deleted", was->name);
    add_line(&comparing->back, "create", was->name, arena_cstr(arena, was->oid), "");
}

/* Both lists are in byte order. */
static void compare_lists(struct comparing *comparing)
{
    const struct refs *before = comparing->before, *now = &comparing->now;
    struct arena *arena = &comparing->now.arena;
    uint32_t i = 0, k = 0;

    while (i < before->count || k < now->count) {
        const struct ref *was = i < before->count ? &before->items[i] : NULL;
        const struct ref *is = k < now->count ? &now->items[k] : NULL;
        int order = !was ? 1 : !is ? -1 : str_compare(was->name, is->name);

        assert(was || is);
        if (order <= 0) i++;
        if (order >= 0) k++;
        if (!is_looked_at(comparing, order <= 0 ? was->name : is->name)) continue;
        if (order == 0) on_moved(comparing, was, is, arena);
        else if (order < 0) on_deleted(comparing, was, arena);
        else on_added(comparing, is, arena);
    }
}

/* ---- the stash, and work trees ---- */

static void compare_stash(struct comparing *comparing)
{
    struct refs *before = comparing->before;
    struct str was = before->stash, is = comparing->now.stash;

    before->stashed = false;
    if (comparing->order->below || str_eq(was, is)) return;
    if (is.size == 0) {
        name_it(comparing, "deleted", comparing->order->kept
                ? STR("the stash (its newest entry is back)") : STR("the stash"));
        buf_printf(&comparing->back, "create refs/stash %.*s\n", STR_ARG(was));
        return;
    }
    name_it(comparing, was.size ? "changed" : "made",
            was.size ? STR("the stash (left as it is)") : STR("a stash (left as it is)"));
    before->stashed = true;
}

/* Where the HEAD of a work tree is: its folder, and the commit; empty: on none. */
static struct str tree_commit(const struct comparing *comparing, const struct ref_worktree *tree,
                              const char **folder, struct arena *arena)
{
    struct repo repo = *comparing->order->repo;
    struct refs head = { 0 };
    struct str at;

    repo.git_dir = arena_printf(arena, "%s/worktrees/%.*s", repo.common_dir, STR_ARG(tree->name));
    *folder = repo.git_dir;
    refs_take_head(&repo, &head);
    at = arena_copy(arena, head.head);
    refs_release(&head);
    if (oid_is_valid(at)) return at;
    for (uint32_t i = 0; i < comparing->now.count && str_starts(at, STR("ref: ")); i++) {
        const struct ref *ref = &comparing->now.items[i];

        if (str_eq(ref->name, str_skip(at, strlen("ref: ")))) return ref->oid;
    }
    return (struct str){ "", 0 };
}

static void on_tree_added(struct comparing *comparing, const struct ref_worktree *tree)
{
    struct arena *arena = &comparing->now.arena;
    const char *folder, *text = arena_printf(arena, "work tree %.*s (left as it is)",
                                             STR_ARG(tree->path));
    struct str commit = tree_commit(comparing, tree, &folder, arena);

    name_it(comparing, "added", str_of(text));
    if (commit.size == 0) return;
    text = arena_printf(arena, "worktrees/%" PRIu32, ++comparing->trees_kept);
    keep(comparing, str_of(text), commit);
}

static void compare_trees(struct comparing *comparing)
{
    struct refs *before = comparing->before, *now = &comparing->now;
    uint32_t count = before->worktree_count;

    if (comparing->order->below) return;
    for (uint32_t i = 0; i < now->worktree_count; i++) {
        struct ref_worktree *tree = &now->worktrees[i];

        tree->made = !refs_knows(before, tree);
        if (tree->made) on_tree_added(comparing, tree);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct ref_worktree *tree = &before->worktrees[i];

        if (tree->made || refs_knows(now, tree)) continue;
        name_it(comparing, "removed", str_of(arena_printf(&now->arena, "work tree %.*s",
                                                          STR_ARG(tree->path))));
    }
}

/* Of before, what an agent made is what there is of it now. */
static void note_standing(struct comparing *comparing)
{
    struct refs *before = comparing->before;
    uint32_t kept = 0;

    if (comparing->order->below) return;
    for (uint32_t i = 0; i < before->worktree_count; i++) {
        if (!before->worktrees[i].made) before->worktrees[kept++] = before->worktrees[i];
    }
    before->worktree_count = kept;
    for (uint32_t i = 0; i < comparing->now.worktree_count; i++) {
        if (comparing->now.worktrees[i].made) {
            refs_add_worktree(before, &comparing->now.worktrees[i]);
        }
    }
}

/* A branch that goes would leave a work tree on it without a commit. */
static int leave_branches(struct comparing *comparing, struct err *err)
{
    struct arena *arena = &comparing->now.arena;
    int rc = 0;

    for (uint32_t i = 0; i < comparing->now.worktree_count && rc == 0; i++) {
        const struct ref_worktree *tree = &comparing->now.worktrees[i];
        const char *folder;
        struct str commit;

        if (!tree->made) continue;
        commit = tree_commit(comparing, tree, &folder, arena);
        if (commit.size == 0) continue;
        rc = file_write(folder, "HEAD", str_of(arena_printf(arena, "%.*s\n", STR_ARG(commit))),
                        err);
    }
    return rc;
}

/* ---- HEAD ---- */

static bool compare_head(struct comparing *comparing)
{
    struct str was = comparing->before->head, is = comparing->now.head;
    bool own = comparing->order->own != NULL;

    if (comparing->order->below || was.size == 0 || str_eq(was, is)) return false;
    if (oid_is_valid(was) && oid_is_valid(is) && own && is_forward(comparing, was, is)) {
        return false;
    }
    if (oid_is_valid(is)) keep(comparing, STR("HEAD"), is);
    if (str_starts(is, STR("ref: "))) is = str_skip(is, strlen("ref: "));
    name_it(comparing, "moved HEAD to", oid_is_valid(is) ? STR("a commit")
            : is.size ? is : STR("nothing"));
    return true;
}

/* By hand: where somebody wrote nonsense to it, git finds no repository. */
static int head_back(struct comparing *comparing, struct err *err)
{
    struct arena arena = { 0 };
    struct str text = str_of(arena_printf(&arena, "%.*s\n", STR_ARG(comparing->before->head)));
    int rc = file_write(comparing->order->repo->git_dir, "HEAD", text, err);

    arena_release(&arena);
    return rc;
}

/* ---- putting back ---- */

static int update(const struct comparing *comparing, const struct buf *lines, struct err *err)
{
    static const char *const args[] = { "update-ref", "-m", why, "--stdin", NULL };
    struct buf out;
    int rc;

    if (lines->overflow) return err_set(err, ERR_LIMIT, "too many refs were changed");
    if (lines->size == 0) return 0;
    buf_init(&out, SAID_BYTES_MAX);
    rc = repo_git(comparing->order->repo, args, buf_str(lines), &out, err);
    buf_release(&out);
    return rc;
}

static int put_back(struct comparing *comparing, bool head, struct err *err)
{
    int rc = update(comparing, &comparing->keep, err);

    if (rc == 0 && head) rc = head_back(comparing, err);
    if (rc == 0) rc = leave_branches(comparing, err);
    if (rc == 0) rc = update(comparing, &comparing->drop, err);
    return rc == 0 ? update(comparing, &comparing->back, err) : rc;
}

/* git cannot list refs without a HEAD that it understands. */
static int take_now(struct comparing *comparing, struct err *err)
{
    const struct repo *repo = comparing->order->repo;
    struct refs head = { 0 };
    int rc = refs_take(repo, &comparing->now, err);

    if (rc == 0 || comparing->order->below || !comparing->order->kept) return rc;
    if (comparing->before->head.size == 0) return rc;
    refs_take_head(repo, &head);
    if (!str_eq(head.head, comparing->before->head)) {
        rc = head_back(comparing, err);
        if (rc == 0) name_it(comparing, "moved HEAD to", STR("nothing"));
        if (rc == 0) rc = refs_take(repo, &comparing->now, err);
    }
    refs_release(&head);
    return rc;
}

int refs_restore(const struct refs_order *order, struct buf *what, struct err *err)
{
    struct comparing comparing = { .order = order, .before = order->before, .what = what };
    bool head = false;
    int rc = take_now(&comparing, err);

    buf_init(&comparing.keep, LINES_BYTES_MAX);
    buf_init(&comparing.drop, LINES_BYTES_MAX);
    buf_init(&comparing.back, LINES_BYTES_MAX);
    buf_init(&comparing.elsewhere, LINES_BYTES_MAX);
    refs_elsewhere(order->repo, order->before, &comparing.elsewhere);
    if (rc == 0) {
        head = compare_head(&comparing);
        compare_lists(&comparing);
        compare_stash(&comparing);
        compare_trees(&comparing);
    }
    if (rc == 0 && order->kept) rc = put_back(&comparing, head, err);
    if (rc == 0) note_standing(&comparing);
    if (comparing.named > NAMED_MAX) {
        buf_printf(what, " and %" PRIu32 " more", comparing.named - NAMED_MAX);
    }
    refs_release(&comparing.now);
    buf_release(&comparing.keep);
    buf_release(&comparing.drop);
    buf_release(&comparing.back);
    buf_release(&comparing.elsewhere);
    return rc == 0 ? 0 : err_wrap(err, "put back what git knows");
}
