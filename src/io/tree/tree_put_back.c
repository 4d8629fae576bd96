/* SPDX-License-Identifier: Apache-2.0
 *
 * tree_put_back.c - a work tree made to hold again what it held.
 *
 *   HEAD back --> ignore files back --> everything else back
 *
 * HEAD comes first: with it where it was, one `git status` shows everything a commit carried away.
 * Ignore files come second: what they hid shows again, and what they uncovered (the user's ignored
 * files, which would look like new ones) is hidden again before anything is moved. Each step looks
 * at the tree anew; only where neither is needed does the caller's delta choose the paths alone.
 *
 * 1. HEAD moves only along the branch it was on, and only from where we saw it.
 * 2. Killed at any point, the same call with a fresh delta finishes the work.
 * 3. What cannot be put back (a submodule, a repository inside ours, a file that could not be
 *    read) is left as it is and named in the error, after all the rest was done.
 *
 * Not here: how a path is put back (tree_restore.c). Other branches, tags, stashes and a merge in
 * progress: they are not part of a tree.
 */
#include "io/tree/tree.h"

#include "base/buf.h"
#include "base/mem.h"
#include "io/file/file.h"
#include "io/file/walk.h"
#include "io/git/status.h"
#include "io/tree/tree_entry.h"
#include "io/tree/tree_restore.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct putting {
    struct place place;
    const struct tree *before;
    bool refused;
    char refused_path[256]; /* the first that cannot be put back */
};

/* ---- which paths ---- */

/* Whether it lies in what was a repository of its own: its files are nobody's to move. */
static bool is_in_repository(const struct tree *before, struct str path)
{
    for (path = path_folder(path); path.size; path = path_folder(path)) {
        const struct tree_entry *entry = tree_find(before, path);

        if (entry && entry->mode == 0160000) return true;
    }
    return false;
}

static bool can_restore(const struct tree_entry *want)
{
    if (want->mode == 0) return true;
    return (S_ISREG(want->mode) || S_ISLNK(want->mode)) && oid_is_valid(str_of(want->oid));
}

static void refuse(struct putting *putting, struct job *job)
{
    job->in_tree = false;
    if (!putting->refused)
        snprintf(putting->refused_path, sizeof putting->refused_path, "%.*s", STR_ARG(job->path));
    putting->refused = true;
}

static void add_job(struct putting *putting, struct jobs *jobs, const struct tree *now,
                    const struct tree_change *change)
{
    const struct tree_entry *want = tree_find(putting->before, change->path);
    const struct tree_entry *have = tree_find(now, change->path);
    struct job job = { .path = change->path, .clean = !want,
                       .in_tree = change->kind != CHANGE_STAGED };

    assert(want || have);
    job.want = want ? *want : entry_as_in_head(have);
    job.have = have ? *have : entry_as_in_head(want);
    if (job.in_tree && (!can_restore(&job.want) || is_in_repository(putting->before, job.path)))
        refuse(putting, &job);
    jobs->items = mem_grow(jobs->items, jobs->count, &jobs->cap, sizeof *jobs->items);
    jobs->items[jobs->count++] = job;
}

static int compare_changes(const void *a, const void *b)
{
    return str_compare(((const struct tree_change *)a)->path,
                       ((const struct tree_change *)b)->path);
}

static bool names_path(const struct tree_delta *sorted, struct str path)
{
    struct tree_change key = { .path = path };

    return bsearch(&key, sorted->items, sorted->count, sizeof key, compare_changes) != NULL;
}

static bool is_ignore_file(struct str path)
{
    return str_is(path_leaf(path), ".gitignore");
}

enum choice { CHOOSE_NAMED, CHOOSE_IGNORE_FILES, CHOOSE_ALL };

static bool is_chosen(enum choice choice, const struct tree_delta *named, struct str path)
{
    switch (choice) {
    case CHOOSE_NAMED: return names_path(named, path);
    case CHOOSE_IGNORE_FILES: return is_ignore_file(path);
    case CHOOSE_ALL: return true;
    }
    return false;
}

/* Looks at the tree as it is and puts the chosen paths back. */
static int put_back_step(struct putting *putting, const struct tree_delta *named,
                         enum choice choice, struct err *err)
{
    struct tree_delta delta = { 0 };
    struct jobs jobs = { 0 };
    struct tree now;
    int rc = tree_take(putting->place.repo, putting->before->private_paths, &now, err);

    if (rc != 0) return rc;
    tree_compare(putting->before, &now, &delta);
    for (uint32_t i = 0; i < delta.count; i++) {
        const struct tree_change *change = &delta.items[i];

        if (change->kind != CHANGE_HEAD && is_chosen(choice, named, change->path))
            add_job(putting, &jobs, &now, change);
    }
    if (jobs.count) rc = jobs_perform(&putting->place, &jobs, err);
    free(jobs.items);
    tree_delta_release(&delta);
    tree_release(&now);
    return rc;
}

/* ---- HEAD ---- */

static int move_head(const struct repo *repo, const char *to, const char *from, struct err *err)
{
    char none[OID_BYTES] = "";
    const char *const move[] = { "update-ref", "-m", "hone: put back", "HEAD", to,
                                 from[0] ? from : none, NULL };
    const char *const drop[] = { "update-ref", "-m", "hone: put back", "-d", "HEAD", from, NULL };
    struct buf answer;
    int rc;

    memset(none, '0', strlen(to));
    buf_init(&answer, 4096);
    rc = repo_git(repo, to[0] ? move : drop, STR(""), &answer, err);
    buf_release(&answer);
    return rc;
}

static int head_back(const struct repo *repo, const struct tree *before, struct err *err)
{
    struct tree now;
    int rc = tree_take(repo, before->private_paths, &now, err);

    if (rc != 0) return rc;
    if (!str_eq(before->branch, now.branch))
        rc = err_set(err, ERR_FAILED, "HEAD was on %.*s and is on %.*s now: go back to it by hand",
                     STR_ARG(before->branch), STR_ARG(now.branch));
    else if (strcmp(before->head, now.head) != 0)
        rc = move_head(repo, before->head, now.head, err);
    tree_release(&now);
    return rc;
}

/* ---- the whole ---- */

static int put_back_all(struct putting *putting, const struct tree_delta *named, struct err *err)
{
    bool moved = false, rules = false;
    int rc = 0;

    for (uint32_t i = 0; i < named->count; i++) {
        moved |= named->items[i].kind == CHANGE_HEAD;
        rules |= is_ignore_file(named->items[i].path);
    }
    if (moved) rc = head_back(putting->place.repo, putting->before, err);
    if (rc == 0 && (moved || rules)) rc = put_back_step(putting, named, CHOOSE_IGNORE_FILES, err);
    if (rc != 0) return rc;
    return put_back_step(putting, named, moved || rules ? CHOOSE_ALL : CHOOSE_NAMED, err);
}

int tree_put_back(const struct repo *repo, const struct tree *before,
                  const struct tree_delta *delta, const char *keep_dir, struct err *err)
{
    struct putting putting = {
        .place = { .repo = repo, .folder_fd = -1, .keep_fd = -1 }, .before = before,
    };
    struct tree_delta named = { .count = delta->count };
    int rc;

    if (delta->count == 0) return 0;
    named.items = mem_alloc(delta->count * sizeof *named.items);
    memcpy(named.items, delta->items, delta->count * sizeof *named.items);
    qsort(named.items, named.count, sizeof *named.items, compare_changes);
    rc = file_make_folder(keep_dir, false, err);
    if (rc == 0) rc = folder_open(repo->workspace, &putting.place.folder_fd, err);
    if (rc == 0) rc = folder_open(keep_dir, &putting.place.keep_fd, err);
    if (rc == 0) rc = put_back_all(&putting, &named, err);
    if (rc == 0 && putting.refused)
        rc = err_set(err, ERR_FAILED, "%s cannot be: its content was not kept",
                     putting.refused_path);
    if (putting.place.folder_fd >= 0) close(putting.place.folder_fd);
    if (putting.place.keep_fd >= 0) close(putting.place.keep_fd);
    tree_delta_release(&named);
    return rc != 0 ? err_wrap(err, "put the tree back") : 0;
}
