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
 * 1. A step that was done is not done again: after a kill at any moment the next call goes on.
 * 2. The user's checkout moves only when a merge is whole, and only forward. What the user has
 *    committed there meanwhile is merged, like another lane's work.
 * 3. A conflict changes nothing but the lane (below): its branch gets the merge with the conflicts
 *    marked in the files, so that the builder who resolves them sees both sides and can build and
 *    test.
 *
 * A conflict: two lanes changed the same lines of a file.
 *
 *   merge-tree --conflict--> commit with marks --> work tree of the lane
 *                                                       | its builder, its reviewers
 *                                                       v
 *   conflict again <--marks are left-- looked at --none--> the resolution, in place of that commit
 *
 * 1. The commit with the marks has the lane's own commit and what was integrated as parents: once
 *    resolved, it merges without any conflict.
 * 2. No branch has it in its history afterwards: the resolution has its parents, and not it.
 * 3. Which files were in conflict is kept in the lane's folder. Where the builder has taken the
 *    merge back in the work tree, nothing is resolved: the merge is tried again. */

#include "agent/own/own.h"
#include "io/file/file.h"
#include "io/file/scratch.h"
#include "io/git/repo.h"
#include "io/git/worktree.h"
#include "io/process/crew.h"
#include "io/tree/forward.h"

#include <stdio.h>
#include <string.h>

enum {
    ORDER_BYTES_MAX = 1 << 20,
    SIDES_BYTES_MAX = 256 << 10,
    REFUSAL_BYTES_MAX = 400,
    STATUS_CONFLICT = 1,
    SAID_BYTES_MAX = 64 << 20,
    SIDE_BYTES_MAX = 64 << 10,
};

struct merge {
    struct arena arena;
    struct merge_order order;
    const char *folder;
    struct own_cage cage;   /* of merge drivers and of the hooks of a commit */
    struct repo tree, home; /* the lane's work tree, the user's checkout */
    const char *tip, *head, *user; /* of the lane, what was integrated, of the checkout */
    const char *merged;     /* the commit that holds it all */
    struct buf sides;       /* of a conflict: files, an empty line, contents */
    bool conflict;
    bool gone;              /* the work tree: removed by an earlier call, which had merged it */
};

/* ---- git ---- */

static const char *merge_ask(struct merge *merge, const struct repo *repo, const char *const *args,
                             struct err *err)
{
    return repo_ask(repo, args, &merge->arena, err);
}

static bool merge_has(struct merge *merge, const char *old, const char *new)
{
    const char *const args[] = { "merge-base", "--is-ancestor", old, new, NULL };
    struct err none;

    return strcmp(old, new) == 0 || merge_ask(merge, &merge->tree, args, &none);
}

static int merge_run(struct merge *merge, const struct repo *repo, const char *const *args,
               struct err *err)
{
    return merge_ask(merge, repo, args, err) ? 0 : (int)err->code;
}

/* The user's git, but for programs that only the repository names. */
static const char *const *merge_env(struct merge *merge, struct err *err)
{
    const char *const *quiet = NULL;
    uint32_t count = 0, at = 0;
    const char **env;

    if (repo_quiet(&merge->tree, false, &merge->arena, &quiet, err) != 0) return NULL;
    while (quiet && quiet[count]) count++;
    env = arena_alloc(&merge->arena, (count + 3) * sizeof *env);
    env[at++] = "GIT_TERMINAL_PROMPT=0";
    env[at++] = "LC_ALL=C";
    for (uint32_t i = 0; i < count; i++) env[at++] = quiet[i];
    return env;
}

static int merge_user_git(struct merge *merge, const char *const *argv, bool caged,
                          struct str *out)
{
    struct err err = { 0 };
    const char *const *env = merge_env(merge, &err);
    struct crew_job job = { .argv = caged ? own_caged(&merge->cage, argv, &merge->arena) : argv,
                            .env = env, .cwd = merge->tree.workspace,
                            .out_bytes_max = SAID_BYTES_MAX, .err_bytes_max = 1 << 20 };
    int status;

    if (!env || crew_run(&job, 1, 1, NULL, NULL, &err) != 0 || !job.started) {
        fprintf(stderr, "git could not be started: %s\n", err.text);
        return -1;
    }
    fwrite(job.err.data, 1, job.err.size, stderr);
    *out = arena_copy(&merge->arena, buf_str(&job.out));
    status = job.signal || job.cut ? -1 : job.status;
    crew_release(&job, 1);
    return status;
}

static const char *merge_commit_tree(struct merge *merge, const char *tree, const char *first,
                               const char *second, const char *message)
{
    const char *const ask[] = { "git", "config", "--type=bool", "--get", "commit.gpgsign", NULL };
    const char *argv[] = { "git", "commit-tree", "-p", first, "-p", second, "-m", message, tree,
                           NULL, NULL };
    struct str out;

    if (merge_user_git(merge, ask, false, &out) == 0 && str_is(str_trim(out), "true")) {
        argv[8] = "-S";
        argv[9] = tree;
    }
    if (merge_user_git(merge, argv, false, &out) != 0) return NULL;
    return arena_cstr(&merge->arena, str_trim(out));
}

/* ---- two lanes that want different things of one file ---- */

/* A file of a commit, as far as it is shown. */
static void add_side(struct merge *merge, const char *tree, struct str path)
{
    const char *name = arena_printf(&merge->arena, "%s:%.*s", tree, STR_ARG(path));
    const char *const args[] = { "cat-file", "blob", name, NULL };
    struct err none;
    struct str text;
    struct buf content;

    buf_init(&content, SAID_BYTES_MAX);
    if (repo_git(&merge->tree, args, STR(""), &content, &none) == 0) {
        text = buf_str(&content);
        buf_printf(&merge->sides, "--- %.*s\n", STR_ARG(path));
        if (str_has(text, '\0')) {
            buf_text(&merge->sides, "(binary)\n");
        } else if (text.size > SIDE_BYTES_MAX) {
            text.size = SIDE_BYTES_MAX;
            while (text.size && text.data[text.size - 1] != '\n') text.size--;
            buf_add(&merge->sides, text);
            buf_text(&merge->sides, "(the rest is in the file)\n");
        } else {
            buf_add(&merge->sides, text);
            if (text.size && text.data[text.size - 1] != '\n') buf_byte(&merge->sides, '\n');
        }
    }
    buf_release(&content);
}

/* files: a NUL behind each. */
static void describe(struct merge *merge, const char *tree, struct str files, struct str words)
{
    struct str rest = files, path;

    merge->conflict = true;
    while (str_cut(&rest, '\0', &path)) buf_printf(&merge->sides, "%.*s\n", STR_ARG(path));
    buf_printf(&merge->sides, "\nThe merge with what the others have done (%s) is in the work "
               "tree, with both sides marked in the files above. Make of each file what both "
               "sides want, and leave no mark.\n", merge->order.head_ref);
    buf_add(&merge->sides, words);
    rest = files;
    while (str_cut(&rest, '\0', &path)) add_side(merge, tree, path);
    if (merge->sides.overflow) fputs("the conflict is shown in part\n", stderr);
}

/* Behind the names: for each message a count, that many paths, a word and the message. */
static struct str conflict_words(struct merge *merge, struct str rest)
{
    struct str piece, kind;
    struct buf words;
    uint64_t count;

    buf_init(&words, 64 << 10);
    while (str_cut(&rest, '\0', &piece) && str_number(piece, &count)) {
        while (count-- > 0 && str_cut(&rest, '\0', &piece)) continue;
        if (!str_cut(&rest, '\0', &kind) || !str_cut(&rest, '\0', &piece)) break;
        if (str_starts(kind, STR("CONFLICT"))) buf_printf(&words, "%.*s", STR_ARG(piece));
    }
    return arena_take(&merge->arena, &words);
}

/* The merge goes into the lane's work tree, marked; a note in the lane's folder says which. */
static int put_conflict(struct merge *merge, const char *tree, struct str files, struct err *err)
{
    const char *message = arena_printf(&merge->arena, "Merge into %s, with conflicts to resolve",
                                       merge->order.name);
    const char *commit = merge_commit_tree(merge, tree, merge->tip, merge->head, message);
    const char *const reset[] = { "reset", "--hard", "--quiet", commit, NULL };
    struct buf note;
    int rc;

    if (!commit) return err_set(err, ERR_FAILED, "the conflict could not be written");
    buf_init(&note, SAID_BYTES_MAX);
    buf_add(&note, (struct str){ commit, strlen(commit) + 1 });
    buf_add(&note, files);
    rc = scratch_replace(merge->order.lane, "conflict", buf_str(&note), err);
    if (rc == 0) rc = merge_run(merge, &merge->tree, reset, err);
    /* The lane's own change begins behind what other lanes did. */
    if (rc == 0) rc = scratch_replace(merge->order.lane, "since", str_of(merge->head), err);
    buf_release(&note);
    return rc;
}

static int conflict_take(struct merge *merge, struct str out, struct err *err)
{
    struct str tree, path, files;
    const char *id;

    if (!str_cut(&out, '\0', &tree)) return err_set(err, ERR_FORMAT, "git merge-tree: no tree");
    files = (struct str){ out.data, 0 };
    while (str_cut(&out, '\0', &path) && path.size > 0) {
        files.size = (size_t)(path.data - files.data) + path.size + 1;
    }
    if (files.size == 0) return err_set(err, ERR_FORMAT, "git merge-tree: no files");
    id = arena_cstr(&merge->arena, tree);
    describe(merge, id, files, conflict_words(merge, out));
    return put_conflict(merge, id, files, err);
}

static bool is_marked(struct merge *merge, const char *tip, struct str path)
{
    const char *name = arena_printf(&merge->arena, "%s:%.*s", tip, STR_ARG(path));
    const char *const args[] = { "cat-file", "blob", name, NULL };
    struct str mark = str_of(arena_printf(&merge->arena, ">>>>>>> %s", merge->order.head_ref));
    struct str rest, line;
    struct buf content;
    struct err none;
    bool marked = false;

    buf_init(&content, SAID_BYTES_MAX);
    if (repo_git(&merge->tree, args, STR(""), &content, &none) == 0) {
        rest = buf_str(&content);
        while (!marked && str_cut(&rest, '\n', &line)) marked = str_starts(line, mark);
    }
    buf_release(&content);
    return marked;
}

/* The resolution takes the place of the commit with the marks. */
static int replace_conflict(struct merge *merge, const char *commit, struct err *err)
{
    const char *tree = arena_printf(&merge->arena, "%s^{tree}", merge->tip);
    const char *message = arena_printf(&merge->arena, "Merge into %s, conflicts resolved",
                                       merge->order.name);
    const char *resolved = merge_commit_tree(merge, tree,
                                       arena_printf(&merge->arena, "%s^1", commit),
                                       arena_printf(&merge->arena, "%s^2", commit), message);
    const char *const reset[] = { "reset", "--soft", "--quiet", resolved, NULL };
    int rc;

    if (!resolved) return err_set(err, ERR_FAILED, "the resolution could not be written");
    rc = merge_run(merge, &merge->tree, reset, err);
    merge->tip = resolved;
    return rc;
}

/* What an earlier conflict has become. */
static int conflict_settle(struct merge *merge, struct err *err)
{
    struct str rest, first, path, files, left;
    const char *commit;
    struct buf note, marked;
    struct err none;
    int rc;

    buf_init(&note, SAID_BYTES_MAX);
    buf_init(&marked, SAID_BYTES_MAX);
    rc = scratch_read(merge->order.lane, "conflict", &note, err);
    rest = buf_str(&note);
    if (rc != 0 || !str_cut(&rest, '\0', &first)) goto out;
    commit = arena_cstr(&merge->arena, first);
    files = rest;
    if (!repo_commit(&merge->tree, commit, &merge->arena, &none) ||
        !merge_has(merge, commit, merge->tip)) {
        goto forget; /* the builder took the merge back: it is tried again */
    }
    while (str_cut(&rest, '\0', &path)) {
        if (strcmp(merge->tip, commit) != 0 && !is_marked(merge, merge->tip, path)) continue;
        buf_add(&marked, (struct str){ path.data, path.size + 1 });
    }
    left = marked.size ? buf_str(&marked) : files;
    if (marked.size) {
        describe(merge, merge->tip, left, STR(""));
        goto out;
    }
    rc = replace_conflict(merge, commit, err);

forget:
    if (rc == 0) rc = file_remove_in(merge->order.lane, "conflict", err);
out:
    if (rc == ERR_MISSING) rc = 0;
    buf_release(&marked);
    buf_release(&note);
    return rc;
}

/* ---- a lane's work ---- */

/* Reads the commits of lane, run and checkout. What the user has committed meanwhile counts as
 * integrated. */
static int merge_look(struct merge *merge, struct err *err)
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
    merge->tip = repo_commit(&merge->tree, "HEAD", &merge->arena, &none);
    merge->user = repo_commit(&merge->home, "HEAD", &merge->arena, &none);
    merge->head = repo_commit(&merge->home, order->head_ref, &merge->arena, &none);
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
    status = merge_user_git(merge, argv, true, &out);
    if (status == STATUS_CONFLICT) return conflict_take(merge, out, err);
    if (status != 0 || !str_cut(&out, '\0', &tree)) {
        return err_set(err, ERR_FAILED, "git merge-tree ended with status %d", status);
    }
    merge->merged = merge_commit_tree(merge, arena_cstr(&merge->arena, tree), merge->head,
                                      merge->tip, message);
    return merge->merged ? 0 : err_set(err, ERR_FAILED, "the merge could not be committed");
}

/* The best common ancestor says whether one of the two has the other: git walks all that was
 * integrated since the lane began, so it is asked once. */
static int integrate(struct merge *merge, struct err *err)
{
    const char *const args[] = { "merge-base", merge->head, merge->tip, NULL };
    struct err none;
    const char *base = merge_ask(merge, &merge->tree, args, &none);
    int rc = 0;

    if (base && strcmp(base, merge->tip) == 0) return 0; /* nothing, or merged already */
    if (base && strcmp(base, merge->head) == 0) {
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

/* The merge that an earlier call made before it was killed. */
static void recall(struct merge *merge)
{
    struct str text;
    struct err none;
    const char *commit;

    if (scratch_text(merge->order.lane, "merged", 256, &merge->arena, &text, &none) != 0) return;
    commit = arena_cstr(&merge->arena, str_trim(text));
    if (merge_has(merge, commit, merge->head) &&
        (merge->gone || merge_has(merge, merge->tip, commit))) {
        merge->merged = commit;
    }
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

    if (rc == 0 && !merge->gone) { /* no agent is at work there: a lock is left by a dead git */
        rc = file_remove_in(merge->tree.git_dir, "index.lock", err);
    }
    if (rc == 0 && !merge->gone &&
        commit_listed(merge->folder, merge->order.path, &merge->cage, &commit,
                      &merge->arena) != 0) {
        return refused(merge, err);
    }
    if (rc == 0) rc = merge_look(merge, err);
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
    int rc = scratch_text(merge->folder, "integrate", ORDER_BYTES_MAX, &merge->arena, &rest, err);

    for (size_t i = 0; rc == 0 && i < sizeof fields / sizeof *fields; i++) {
        if (str_cut(&rest, '\0', &piece)) *fields[i] = arena_cstr(&merge->arena, piece);
        else rc = err_set(err, ERR_FORMAT, "%s/integrate: it is not whole", merge->folder);
    }
    if (rc == 0) rc = repo_open(&merge->home, order->checkout, false, err);
    merge->gone = rc == 0 && !file_exists(order->path);
    if (rc == 0) {
        rc = repo_open(&merge->tree, merge->gone ? order->checkout : order->path, false, err);
    }
    return rc;
}

/* Notes that the work tree must outlive its lane. Before anything is merged: the end of the run
 * removes the work tree of every merged lane that has no such note. */
static int note_kept(struct merge *merge, struct err *err)
{
    const struct merge_order *order = &merge->order;

    if (*order->keep) return file_write(order->lane, "kept", str_of(order->keep), err);
    return file_remove_in(order->lane, "kept", err);
}

/* What cannot be removed now is removed when the run ends. */
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
    if (rc == 0) rc = own_cage_read(&merge.cage, folder, &merge.arena, &err);
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
