/* SPDX-License-Identifier: Apache-2.0
 *
 * repo_plain.c - a repository without any specialty is opened without asking git.
 *
 * A process of git costs more than everything else before the first agent. What git would answer
 * is plain where all of this holds; where anything does not, or is not known, git is asked.
 *
 * 1. The first folder upwards with a .git is the top; .git is a folder with HEAD, objects and refs,
 *    and nothing on the way up to it is a git folder itself.
 * 2. Top and .git belong to us, and no file system begins between start and top: git would neither
 *    distrust it nor stop looking.
 * 3. Its configuration is of version 0, and says nothing of another work tree, of being bare, of
 *    extensions and of other files.
 * 4. The environment sets no bounds to the search, and git is there: nothing goes on without. */
#include "io/git/repo.h"

#include "base/byte.h"
#include "io/file/file.h"
#include "io/process/program.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CONFIG_BYTES_MAX = 64 << 10 };

static bool path_in(char out[PATH_MAX], const char *folder, const char *name)
{
    return snprintf(out, PATH_MAX, "%s/%s", folder, name) < PATH_MAX;
}

static bool is_there(const char *folder, const char *name, mode_t kind)
{
    char path[PATH_MAX];
    struct stat st;

    return path_in(path, folder, name) && lstat(path, &st) == 0 &&
           (kind == 0 || (st.st_mode & S_IFMT) == kind);
}

/* Every time the word is there, this follows it. */
static bool only_as(const char *text, const char *word, const char *behind)
{
    for (text = strstr(text, word); text; text = strstr(text, word)) {
        text += strlen(word);
        if (strncmp(text, behind, strlen(behind)) != 0) return false;
    }
    return true;
}

static bool config_is_plain(const char *path)
{
    static const char *const special[] = { "worktree", "include", "extensions", NULL };
    struct err none;
    struct buf text;
    bool plain;

    buf_init(&text, CONFIG_BYTES_MAX);
    plain = file_read(path, &text, &none) == 0 && strlen(buf_cstr(&text)) == text.size;
    for (size_t i = 0; i < text.size; i++) { /* names of git's are of either case */
        if (byte_is_capital(text.data[i])) text.data[i] += 'a' - 'A';
    }
    for (uint32_t i = 0; special[i] && plain; i++) plain = !strstr(buf_cstr(&text), special[i]);
    plain = plain && only_as(buf_cstr(&text), "bare", " = false\n") &&
            only_as(buf_cstr(&text), "repositoryformatversion", " = 0\n");
    buf_release(&text);
    return plain;
}

static bool is_git_folder(const char *path)
{
    return is_there(path, "HEAD", 0) && is_there(path, "objects", 0) && is_there(path, "refs", 0);
}

static bool is_plain(const char *start, const char *top, const char *git)
{
    char config[PATH_MAX];
    struct stat at_start, at_top, at_git;

    if (lstat(start, &at_start) != 0 || lstat(top, &at_top) != 0 || lstat(git, &at_git) != 0)
        return false;
    if (!S_ISDIR(at_git.st_mode) || at_top.st_uid != geteuid() || at_git.st_uid != geteuid())
        return false;
    if (at_start.st_dev != at_top.st_dev || at_git.st_dev != at_top.st_dev) return false;
    if (!is_there(git, "HEAD", S_IFREG) || !is_there(git, "objects", S_IFDIR) ||
        !is_there(git, "refs", S_IFDIR) || is_there(git, "commondir", 0))
        return false;
    return path_in(config, git, "config") && config_is_plain(config);
}

bool repo_take_plain(struct repo *repo)
{
    char top[PATH_MAX];
    const char *git;
    char *slash;

    if (getenv("GIT_CEILING_DIRECTORIES") || getenv("GIT_DISCOVERY_ACROSS_FILESYSTEM"))
        return false;
    if (strlen(repo->workspace) + sizeof "/.git/config" > sizeof top ||
        strchr(repo->workspace, '\n'))
        return false;
    memcpy(top, repo->workspace, strlen(repo->workspace) + 1);
    while (!is_there(top, ".git", 0)) {
        if (is_git_folder(top)) return false;
        slash = strrchr(top, '/');
        if (!slash || slash == top) return false;
        *slash = '\0';
    }
    git = arena_printf(&repo->arena, "%s/.git", top);
    if (is_git_folder(top) || !is_plain(repo->workspace, top, git)) return false;
    if (!program_exists("git")) return false;
    repo->workspace = arena_cstr(&repo->arena, str_of(top));
    repo->git_dir = repo->common_dir = git;
    return true;
}
