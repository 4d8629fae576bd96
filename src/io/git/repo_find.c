/* SPDX-License-Identifier: Apache-2.0
 *
 * repo_find.c - the repository around a folder, found without calling git.
 *
 * For whoever is asked at every tool call and has no time for another process. What it finds is
 * what git would find in the ordinary case: a folder .git, or a file .git that names one, and the
 * common folder that it names. Whether the repository may be trusted git decides by its owner, so
 * that one of another user's is not found here at all; repo_open() then asks git. */
#include "io/git/repo.h"

#include "io/file/file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINK_BYTES_MAX = 8192 };

static bool is_ours(const char *path, bool *folder)
{
    struct stat st;

    if (lstat(path, &st) != 0) return false;
    *folder = S_ISDIR(st.st_mode);
    return (*folder || S_ISREG(st.st_mode)) && st.st_uid == geteuid();
}

/* The path that a small file holds behind a prefix, absolute; NULL where it does not. */
static const char *path_in(struct arena *arena, const char *folder, const char *file,
                           const char *prefix)
{
    char resolved[PATH_MAX];
    const char *path = NULL;
    struct err none;
    struct buf text;
    struct str line;

    buf_init(&text, LINK_BYTES_MAX);
    if (file_read(file, &text, &none) == 0 && str_starts(buf_str(&text), str_of(prefix))) {
        line = str_trim(str_skip(buf_str(&text), strlen(prefix)));
        path = arena_printf(arena, "%s%s%.*s", line.size && line.data[0] == '/' ? "" : folder,
                            line.size && line.data[0] == '/' ? "" : "/", STR_ARG(line));
        path = line.size && realpath(path, resolved) ? arena_cstr(arena, str_of(resolved)) : NULL;
    }
    buf_release(&text);
    return path;
}

static bool take_git(struct repo *repo, const char *top)
{
    struct arena *arena = &repo->arena;
    const char *git = arena_printf(arena, "%s/.git", top);
    bool folder;

    if (!is_ours(git, &folder)) return false;
    repo->git_dir = folder ? git : path_in(arena, top, git, "gitdir:");
    if (!repo->git_dir || !file_exists(arena_printf(arena, "%s/HEAD", repo->git_dir))) return false;
    repo->common_dir = path_in(arena, repo->git_dir,
                               arena_printf(arena, "%s/commondir", repo->git_dir), "");
    if (!repo->common_dir) repo->common_dir = repo->git_dir;
    repo->hone_dir = arena_printf(arena, "%s/hone", repo->common_dir);
    repo->is_git = true;
    return true;
}

static bool take_private(struct repo *repo, const char *top)
{
    struct arena *arena = &repo->arena;
    bool folder;

    repo->hone_dir = arena_printf(arena, "%s/.hone", top);
    if (!is_ours(repo->hone_dir, &folder) || !folder) return false;
    repo->git_dir = repo->common_dir = arena_printf(arena, "%s/git", repo->hone_dir);
    return file_exists(repo->git_dir);
}

bool repo_find(struct repo *repo, const char *start)
{
    char path[PATH_MAX];
    char *slash;

    *repo = (struct repo){ .is_git = false };
    if (!realpath(start, path)) return false;
    for (;;) {
        if (take_git(repo, path) || take_private(repo, path)) {
            repo->workspace = arena_cstr(&repo->arena, str_of(path));
            return true;
        }
        slash = strrchr(path, '/');
        if (!slash || slash == path) break;
        *slash = '\0';
    }
    repo_release(repo);
    return false;
}
