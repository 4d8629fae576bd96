/* SPDX-License-Identifier: Apache-2.0
 *
 * merge_conflict.c - two lanes that want different things of one file.
 *
 *   merge-tree --conflict--> commit with marks --> work tree of the lane
 *                                                       | its builder, its reviewers
 *                                                       v
 *   conflict again <--marks are left-- looked at --none--> the resolution, in place of that commit
 *
 * 1. The commit with the marks has the lane's own commit and what was integrated as parents: once
 *    resolved, it merges without any conflict.
 * 2. It is in nobody's history afterwards: the resolution has its parents, and not it.
 * 3. Which files were in conflict is kept in the lane's folder. Somebody who takes the merge back
 *    in the work tree has not resolved it: it is tried again. */
#include "agent/own/merge_parts.h"

#include "io/file/file.h"
#include "io/file/scratch.h"

#include <stdio.h>
#include <string.h>

enum { SIDE_BYTES_MAX = 64 << 10 };

/* A file of a commit, as far as it is shown. */
static void add_side(struct merge *merge, const char *tree, struct str path)
{
    const char *name = arena_printf(&merge->arena, "%s:%.*s", tree, STR_ARG(path));
    const char *const args[] = { "cat-file", "blob", name, NULL };
    struct err none;
    struct str text;
    struct buf content;

    buf_init(&content, MERGE_SAID_BYTES_MAX);
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
    struct str piece, kind, out;
    struct buf words;
    uint64_t count;

    buf_init(&words, 64 << 10);
    while (str_cut(&rest, '\0', &piece) && str_number(piece, &count)) {
        while (count-- > 0 && str_cut(&rest, '\0', &piece)) continue;
        if (!str_cut(&rest, '\0', &kind) || !str_cut(&rest, '\0', &piece)) break;
        if (str_starts(kind, STR("CONFLICT"))) buf_printf(&words, "%.*s", STR_ARG(piece));
    }
    out = arena_copy(&merge->arena, buf_str(&words));
    buf_release(&words);
    return out;
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
    buf_init(&note, MERGE_SAID_BYTES_MAX);
    buf_add(&note, (struct str){ commit, strlen(commit) + 1 });
    buf_add(&note, files);
    rc = scratch_replace(merge->order.lane, "conflict", buf_str(&note), err);
    if (rc == 0) rc = merge_run(merge, &merge->tree, reset, err);
    /* What the others did is not what the lane has changed. */
    if (rc == 0) rc = scratch_replace(merge->order.lane, "since", str_of(merge->head), err);
    buf_release(&note);
    return rc;
}

int conflict_take(struct merge *merge, struct str out, struct err *err)
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

    buf_init(&content, MERGE_SAID_BYTES_MAX);
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
int conflict_settle(struct merge *merge, struct err *err)
{
    struct str rest, first, path, files, left;
    const char *commit;
    struct buf note, marked;
    int rc;

    buf_init(&note, MERGE_SAID_BYTES_MAX);
    buf_init(&marked, MERGE_SAID_BYTES_MAX);
    rc = scratch_read(merge->order.lane, "conflict", &note, err);
    rest = buf_str(&note);
    if (rc != 0 || !str_cut(&rest, '\0', &first)) goto out;
    commit = arena_cstr(&merge->arena, first);
    files = rest;
    if (!merge_commit_of(merge, &merge->tree, commit) || !merge_has(merge, commit, merge->tip)) {
        goto forget; /* somebody took the merge back: it is tried again */
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
