/* SPDX-License-Identifier: Apache-2.0
 *
 * merge.c - a lane's work, integrated.
 *
 *   commit --> merge, aside --> remembered --> head_ref --> checkout forward --> work tree removed
 *                    '--conflict--> into the lane's own work tree, for its builder
 *
 * The merge is made of objects alone (git merge-tree): no checkout is touched by it. What was
 * integrated so far is a ref of the run; the user's branch follows it by a fast-forward that
 * survives its death (io/tree/forward.h).
 *
 * 1. A step that was done is not done again: killed at any moment, the next call goes on.
 * 2. The user's checkout moves only when a merge is whole, and only forward. What the user has
 *    committed there meanwhile is merged with, like another lane's work.
 * 3. A conflict changes nothing but the lane (merge_conflict.c): its branch gets the merge with the
 *    conflicts marked in the files, so that whoever resolves them sees both sides and can build
 *    and test. */
#include "agent/own/merge_parts.h"

#include "agent/own/commit.h"
#include "io/file/file.h"
#include "io/file/scratch.h"
#include "io/git/worktree.h"
#include "io/tree/forward.h"

#include <stdio.h>
#include <string.h>

enum {
    ORDER_BYTES_MAX = 1 << 20,
    SIDES_BYTES_MAX = 256 << 10,
    REFUSAL_BYTES_MAX = 400,
    STATUS_CONFLICT = 1,
};

/* Where everything stands; what the user committed meanwhile counts as integrated. */
static int look(struct merge *merge, struct err *err)
{
    const struct merge_order *order = &merge->order;
    const char *const ask[] = { "symbolic-ref", "--quiet", "HEAD", NULL };
    struct err none;
    const char *branch = merge_ask(merge, &merge->home, ask, &none);

    if (!branch) branch = "";
    if (strcmp(branch, order->home) != 0) {
        return err_set(err, ERR_BUSY, "your checkout is on %s, and the run began on %s: git switch "
                       "back to it, then hone resume", *branch ? branch : "no branch",
                       *order->home ? order->home : "no branch");
    }
    merge->tip = merge_commit_of(merge, &merge->tree, "HEAD");
    merge->user = merge_commit_of(merge, &merge->home, "HEAD");
    merge->head = merge_commit_of(merge, &merge->home, order->head_ref);
    if (!merge->tip || !merge->user) {
        return err_set(err, ERR_FAILED, "%s has no commit", merge->tip ? order->checkout
                       : order->path);
    }
    if (!merge->head) merge->head = merge->user;
    if (merge_has(merge, merge->head, merge->user)) {
        merge->head = merge->user;
    } else if (!merge_has(merge, merge->user, merge->head)) {
        return err_set(err, ERR_BUSY, "%s does not have what was merged before (%s): git merge it "
                       "there, or go back to where it was, then hone resume",
                       *branch ? branch : "your checkout", order->head_ref);
    }
    return 0;
}

static int set_head(struct merge *merge, const char *commit, struct err *err)
{
    const char *const args[] = { "update-ref", merge->order.head_ref, commit, NULL };

    return merge_run(merge, &merge->home, args, err);
}

/* The labels of a conflict are the two names that git is given. */
static int merge_trees(struct merge *merge, struct err *err)
{
    const char *const argv[] = { "git", "merge-tree", "--write-tree", "-z", "--name-only",
                                 "--messages", "HEAD", merge->order.head_ref, NULL };
    const char *message = arena_printf(&merge->arena, "Merge %s: %s", merge->order.name,
                                       merge->order.title);
    struct str out, tree;
    int rc = set_head(merge, merge->head, err);
    int status;

    if (rc != 0) return rc;
    status = merge_user_git(merge, argv, &out);
    if (status == STATUS_CONFLICT) return conflict_take(merge, out, err);
    if (status != 0 || !str_cut(&out, '\0', &tree)) {
        return err_set(err, ERR_FAILED, "git merge-tree ended with status %d", status);
    }
    merge->merged = merge_commit_tree(merge, arena_cstr(&merge->arena, tree), merge->head,
                                      merge->tip, message);
    return merge->merged ? 0 : err_set(err, ERR_FAILED, "the merge could not be committed");
}

static int integrate(struct merge *merge, struct err *err)
{
    int rc = 0;

    if (merge_has(merge, merge->tip, merge->head)) return 0; /* nothing, or merged already */
    if (merge_has(merge, merge->head, merge->tip)) {
        merge->merged = merge->tip;
    } else {
        rc = merge_trees(merge, err);
    }
    if (rc != 0 || merge->conflict) return rc;
    rc = scratch_replace(merge->order.lane, "merged", str_of(merge->merged), err);
    if (rc == 0) rc = set_head(merge, merge->merged, err);
    if (rc == 0) merge->head = merge->merged;
    return rc;
}

static int forward(struct merge *merge, struct err *err)
{
    const struct forward way = { .repo = &merge->home, .state = merge->order.state };
    const char *why = arena_printf(&merge->arena, "hone: merge %s", merge->order.name);

    if (strcmp(merge->user, merge->head) == 0) return set_head(merge, merge->head, err);
    return forward_run(&way, merge->user, merge->head, why, err);
}

/* The commit of an earlier call that did not live to say so. */
static void recall(struct merge *merge)
{
    struct buf text;
    struct err none;

    buf_init(&text, 256);
    if (scratch_read(merge->order.lane, "merged", &text, &none) == 0) {
        const char *commit = arena_cstr(&merge->arena, str_trim(buf_str(&text)));
        if (merge_has(merge, commit, merge->head) &&
            (merge->gone || merge_has(merge, merge->tip, commit))) {
            merge->merged = commit;
        }
    }
    buf_release(&text);
}

/* With what git, or a hook, said last: our standard error is kept beside the order. */
static int refused(const struct merge *merge, struct err *err)
{
    struct buf last;

    buf_init(&last, REFUSAL_BYTES_MAX + 1);
    scratch_last_line(merge->folder, "stderr", REFUSAL_BYTES_MAX, &last);
    err_set(err, ERR_FAILED, "git could not commit in %s: %s", merge->order.path, buf_cstr(&last));
    buf_release(&last);
    return ERR_FAILED;
}

static int work(struct merge *merge, struct err *err)
{
    const struct forward way = { .repo = &merge->home, .state = merge->order.state };
    struct commit commit;
    int rc = forward_recover(&way, err);

    if (rc == 0 && !merge->gone) { /* nobody is at work there: a lock in it is a dead one's */
        rc = file_remove_in(merge->tree.git_dir, "index.lock", err);
    }
    if (rc == 0 && !merge->gone &&
        commit_listed(merge->folder, merge->order.path, &commit, &merge->arena) != 0) {
        return refused(merge, err);
    }
    if (rc == 0) rc = look(merge, err);
    if (rc == 0 && !merge->gone) rc = conflict_settle(merge, err);
    if (rc != 0 || merge->conflict) return rc;
    recall(merge);
    if (!merge->merged && merge->gone) {
        return err_set(err, ERR_MISSING, "%s is not there", merge->order.path);
    }
    if (!merge->merged) rc = integrate(merge, err);
    if (rc != 0 || merge->conflict) return rc;
    return forward(merge, err);
}

static int read_order(struct merge *merge, struct err *err)
{
    struct merge_order *order = &merge->order;
    const char **const fields[] = { &order->path, &order->branch, &order->name, &order->title,
                                    &order->head_ref, &order->checkout, &order->home,
                                    &order->state, &order->lane, &order->keep };
    struct str rest, piece;
    struct buf text;
    int rc;

    buf_init(&text, ORDER_BYTES_MAX);
    rc = scratch_read(merge->folder, "integrate", &text, err);
    rest = buf_str(&text);
    for (size_t i = 0; rc == 0 && i < sizeof fields / sizeof *fields; i++) {
        if (str_cut(&rest, '\0', &piece)) *fields[i] = arena_cstr(&merge->arena, piece);
        else rc = err_set(err, ERR_FORMAT, "%s/integrate: it is not whole", merge->folder);
    }
    buf_release(&text);
    if (rc == 0) rc = repo_open(&merge->home, order->checkout, false, err);
    merge->gone = rc == 0 && !file_exists(order->path);
    if (rc == 0) {
        rc = repo_open(&merge->tree, merge->gone ? order->checkout : order->path, false, err);
    }
    return rc;
}

/* Whether the work tree must outlive its lane. Known before anything is merged: of a lane that is
 * merged the run's end removes what is not noted here. */
static int note_kept(struct merge *merge, struct err *err)
{
    const struct merge_order *order = &merge->order;

    if (*order->keep) return file_write(order->lane, "kept", str_of(order->keep), err);
    return file_remove_in(order->lane, "kept", err);
}

/* What is left over is removed when the run ends. */
static void tidy(struct merge *merge)
{
    struct err err = { 0 };

    if (*merge->order.keep) return;
    if (worktree_remove(&merge->home, merge->order.path, merge->order.branch, &err) != 0) {
        fprintf(stderr, "%s\n", err.text);
    }
}

int integrate_main(const char *folder)
{
    struct merge merge = { .folder = folder };
    struct err err = { 0 };
    int rc;

    buf_init(&merge.sides, SIDES_BYTES_MAX);
    rc = read_order(&merge, &err);
    if (rc == 0) rc = note_kept(&merge, &err);
    if (rc == 0) rc = work(&merge, &err);
    if (rc != 0) {
        fprintf(stderr, "%s\n", err.text);
    } else if (merge.conflict) {
        printf("conflict\n%s", buf_cstr(&merge.sides));
    } else {
        if (merge.merged) printf("merged %s\n", merge.merged);
        else printf("nothing\n");
        if (fflush(stdout) == 0) tidy(&merge);
    }
    if (rc == 0 && fflush(stdout) != 0) rc = ERR_SYSTEM;
    buf_release(&merge.sides);
    repo_release(&merge.tree);
    repo_release(&merge.home);
    arena_release(&merge.arena);
    return rc == 0 ? 0 : 1;
}
