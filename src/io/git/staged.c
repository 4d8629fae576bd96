/* SPDX-License-Identifier: Apache-2.0
 *
 * staged.c - the index, kept by a hard link.
 *
 *   the same file as was kept      nothing was staged
 *   another one                    both are listed by git: names, contents and flags decide, since
 *                                  git writes an index anew to remember times of files, too
 *
 * 1. The index is put back under git's own lock, so that no other git is at work on it.
 * 2. The index that goes has another name before it does.
 *
 * Not here: an index that somebody writes to in place, which no git does. Both names hold that. */
#include "io/git/staged.h"

#include "base/arena.h"
#include "io/file/file.h"
#include "io/file/scratch.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { INDEX_BYTES_MAX = 1 << 30 };

/* A second name, or a copy where there cannot be one. to must not be there. 0 or an errno value. */
static int link_or_copy(const char *from, const char *to_folder, const char *to_name)
{
    struct arena arena = { 0 };
    const char *to = arena_printf(&arena, "%s/%s", to_folder, to_name);
    int problem = link(from, to) == 0 ? 0 : errno;
    struct err none;
    struct buf text;

    if (problem != 0 && problem != EEXIST && problem != ENOENT) {
        buf_init(&text, INDEX_BYTES_MAX);
        if (file_exists(to)) {
            problem = EEXIST;
        } else if (file_read(from, &text, &none) == 0 &&
                   scratch_write(to_folder, to_name, buf_str(&text), &none) == 0) {
            problem = 0;
        }
        buf_release(&text);
    }
    arena_release(&arena);
    return problem;
}

int staged_keep(const struct repo *repo, const char *folder, const char *name, struct err *err)
{
    struct arena arena = { 0 };
    const char *index = arena_printf(&arena, "%s/index", repo->git_dir);
    int rc = file_remove_in(folder, name, err);
    int problem = rc == 0 ? link_or_copy(index, folder, name) : 0;

    if (problem == ENOENT) rc = scratch_write(folder, name, STR(""), err);
    else if (problem != 0) rc = err_system(err, problem, "keep %s", index);
    arena_release(&arena);
    return rc;
}

/* What was kept, seen beside the index: two system calls. */
enum seen { SEEN_SAME, SEEN_OTHER, SEEN_UNKNOWN };

static enum seen see(const char *kept, const char *index, bool *was_none)
{
    struct stat one, two;

    if (lstat(kept, &one) != 0) return SEEN_UNKNOWN;
    *was_none = one.st_size == 0;
    if (lstat(index, &two) != 0) return *was_none ? SEEN_SAME : SEEN_OTHER;
    return one.st_dev == two.st_dev && one.st_ino == two.st_ino ? SEEN_SAME : SEEN_OTHER;
}

static int list(const struct repo *repo, const char *index, struct buf *out, struct err *err)
{
    static const char *const args[] = { "ls-files", "--stage", "-v", "-z", NULL };

    return repo_git_index(repo, index, args, STR(""), out, err);
}

/* Whether what is staged differs, whatever the files are. before: NULL where there was none. */
static int compare(const struct repo *repo, const char *before, const char *now, bool *differs,
                   struct err *err)
{
    struct buf was, is;
    struct err none;
    int rc;

    buf_init(&was, INDEX_BYTES_MAX);
    buf_init(&is, INDEX_BYTES_MAX);
    rc = before ? list(repo, before, &was, err) : 0;
    if (rc == 0) { /* one that git cannot read is another one */
        *differs = list(repo, now, &is, &none) != 0 || !str_eq(buf_str(&was), buf_str(&is));
    }
    buf_release(&was);
    buf_release(&is);
    return rc;
}

static int put_back(const struct repo *repo, const char *kept, bool was_none, const char *away,
                    struct err *err)
{
    struct arena arena = { 0 };
    const char *index = arena_printf(&arena, "%s/index", repo->git_dir);
    const char *lock = arena_printf(&arena, "%s/index.lock", repo->git_dir);
    int problem, rc = file_make_folder(away, false, err);

    if (rc == 0) rc = file_remove_in(away, "index", err);
    if (rc == 0) {
        problem = link_or_copy(index, away, "index");
        if (problem != 0 && problem != ENOENT) rc = err_system(err, problem, "keep %s", index);
    }
    if (rc == 0 && !was_none) {
        problem = link_or_copy(kept, repo->git_dir, "index.lock");
        if (problem == EEXIST) {
            rc = err_set(err, ERR_BUSY, "%s is there: another git is at work; remove it where none "
                         "is, then hone resume", lock);
        } else if (problem != 0 || rename(lock, index) != 0) {
            rc = err_system(err, problem ? problem : errno, "put back %s", index);
        }
    } else if (rc == 0) {
        rc = file_remove_in(repo->git_dir, "index", err);
    }
    arena_release(&arena);
    return rc;
}

int staged_restore(const struct repo *repo, const char *folder, const char *name, const char *away,
                   bool *changed, struct err *err)
{
    struct arena arena = { 0 };
    const char *index = arena_printf(&arena, "%s/index", repo->git_dir);
    const char *kept = arena_printf(&arena, "%s/%s", folder, name);
    bool was_none = false;
    int rc = 0;

    *changed = false;
    if (see(kept, index, &was_none) == SEEN_OTHER) {
        rc = compare(repo, was_none ? NULL : kept, index, changed, err);
    }
    if (rc == 0 && *changed) rc = put_back(repo, kept, was_none, away, err);
    arena_release(&arena);
    return rc;
}
