/* SPDX-License-Identifier: Apache-2.0
 *
 * repo_config.c - filters and merge drivers of a repository that somebody else made.
 *
 * git runs what filter.NAME.clean, .smudge, .process and merge.NAME.driver say, for files that
 * .gitattributes gives to NAME. A clone brings no configuration along, but an archive does. What
 * the user's own configuration says is the user's; the same words in the repository's are too, and
 * so is what Git LFS puts there. Everything else is switched off for our calls:
 *
 *     a filter         does nothing, and is not required: files are compared as they are
 *     a merge driver   fails: a conflict, for somebody to look at
 *
 * 1. Configuration that cannot be read is an error: nobody knows what it would run.
 * 2. Files are only looked into for a section that could matter; git itself reads the rest, with
 *    what they include. */
#include "io/git/repo_config.h"

#include "base/byte.h"
#include "base/mem.h"
#include "io/file/file.h"
#include "io/process/helper.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum { CONFIG_BYTES_MAX = 4 << 20, DRIVERS_MAX = 100, MODULES_MAX = 500, DEPTH_MAX = 6 };

/* What Git LFS and a well-known recipe write; programs of the user's own. */
static const char *const harmless[] = {
    "git-lfs clean -- %f", "git-lfs smudge -- %f", "git-lfs smudge --skip -- %f",
    "git-lfs filter-process", "git-lfs filter-process --skip", "true", "false", "", NULL,
};

/* The search, and what it has found: keys that are switched off. */
struct search {
    struct repo *repo;
    struct arena arena;
    struct buf users;    /* the user's configuration: KEY LF VALUE NUL, again and again */
    bool asked;          /* users is there */
    struct str keys[DRIVERS_MAX];
    uint32_t count, modules;
    struct err *err;
};

static bool mentions(struct str text, const char *word)
{
    size_t size = strlen(word);

    for (size_t at = 0; at + size <= text.size; at++) {
        size_t same = 0;
        while (same < size && byte_small(text.data[at + same]) == word[same]) same++;
        if (same == size) return true;
    }
    return false;
}

static bool ends(struct str text, const char *tail)
{
    size_t size = strlen(tail);

    return text.size >= size && memcmp(text.data + text.size - size, tail, size) == 0;
}

static bool is_program(struct str key)
{
    if (str_starts(key, STR("filter."))) {
        return ends(key, ".clean") || ends(key, ".smudge") || ends(key, ".process");
    }
    return str_starts(key, STR("merge.")) && ends(key, ".driver");
}

static int list_config(struct search *search, const char *where, const char *file, struct buf *out)
{
    const char *const argv[] = { "git", "config", "--includes", "--null", where,
                                 file ? file : "--list", file ? "--list" : NULL, NULL };
    static const char *const env[] = { "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", NULL };

    return helper_run(argv, env, search->repo->workspace, STR(""), out, search->err);
}

/* Whether the user has said the same; a user without a configuration has said nothing. */
static bool is_users(struct search *search, struct str entry)
{
    struct err none, *err = search->err;
    struct str rest, one;

    if (!search->asked) {
        search->asked = true;
        search->err = &none;
        (void)list_config(search, "--global", NULL, &search->users);
        search->err = err;
    }
    rest = buf_str(&search->users);
    while (str_cut(&rest, '\0', &one)) {
        if (str_eq(one, entry)) return true;
    }
    return false;
}

static int take_entry(struct search *search, struct str entry)
{
    struct str value = entry, key;

    if (!str_cut(&value, '\n', &key) || !is_program(key)) return 0;
    for (const char *const *word = harmless; *word; word++) {
        if (str_is(value, *word)) return 0;
    }
    if (is_users(search, entry)) return 0;
    for (uint32_t i = 0; i < search->count; i++) {
        if (str_eq(search->keys[i], key)) return 0;
    }
    if (search->count == DRIVERS_MAX) {
        return err_set(search->err, ERR_USAGE, "its configuration names more than %d programs that "
                       "git would run: look at them with git config --list", DRIVERS_MAX);
    }
    search->keys[search->count++] = arena_copy(&search->arena, key);
    return 0;
}

static int look_into(struct search *search, const char *path)
{
    struct str rest, entry;
    struct buf text;
    int rc;

    buf_init(&text, CONFIG_BYTES_MAX);
    rc = file_read(path, &text, search->err);
    if (rc == 0 && (mentions(buf_str(&text), "[filter") || mentions(buf_str(&text), "[merge") ||
                    mentions(buf_str(&text), "[include"))) {
        buf_clear(&text);
        rc = list_config(search, "--file", path, &text);
        rest = buf_str(&text);
        while (rc == 0 && str_cut(&rest, '\0', &entry)) rc = take_entry(search, entry);
    }
    buf_release(&text);
    return rc == ERR_MISSING ? 0 : rc;
}

/* Copies of submodules, by their names, which may have slashes in them. */
static int look_into_modules(struct search *search, const char *folder, int depth)
{
    struct dirent *item;
    DIR *dir = depth < DEPTH_MAX ? opendir(folder) : NULL;
    int rc = 0;

    while (dir && rc == 0 && search->modules < MODULES_MAX && (item = readdir(dir))) {
        const char *below = arena_printf(&search->arena, "%s/%s", folder, item->d_name);
        const char *config = arena_printf(&search->arena, "%s/config", below);

        if (item->d_name[0] == '.' || item->d_type != DT_DIR) continue;
        search->modules++;
        if (file_exists(config)) {
            rc = look_into(search, config);
            below = arena_printf(&search->arena, "%s/modules", below);
        }
        if (rc == 0) rc = look_into_modules(search, below, depth + 1);
    }
    if (dir) closedir(dir);
    return rc;
}

/* ---- switching off ---- */

/* Counted on from those that the user's environment has. */
static void add_override(struct repo *repo, const char **env, uint32_t *at, uint32_t number,
                         const char *key, const char *value)
{
    env[(*at)++] = arena_printf(&repo->arena, "GIT_CONFIG_KEY_%u=%s", (unsigned)number, key);
    env[(*at)++] = arena_printf(&repo->arena, "GIT_CONFIG_VALUE_%u=%s", (unsigned)number, value);
}

static void switch_off(struct search *search)
{
    struct repo *repo = search->repo;
    const char *before = getenv("GIT_CONFIG_COUNT");
    uint64_t number = 0;
    const char **env = arena_alloc(&repo->arena, (4 * (size_t)DRIVERS_MAX + 2) * sizeof *env);
    struct buf names;
    uint32_t at = 0;

    if (before) (void)str_number(str_of(before), &number);
    buf_init(&names, 1 << 16);
    for (uint32_t i = 0; i < search->count; i++) {
        const char *key = arena_cstr(&repo->arena, search->keys[i]);
        bool filter = str_starts(search->keys[i], STR("filter."));
        int stem = (int)(strrchr(key, '.') - key);

        add_override(repo, env, &at, (uint32_t)number++, key, filter ? "" : "false");
        if (filter) {
            add_override(repo, env, &at, (uint32_t)number++,
                         arena_printf(&repo->arena, "%.*s.required", stem, key), "false");
        }
        buf_printf(&names, "%s%s", i ? ", " : "", key);
    }
    env[at] = arena_printf(&repo->arena, "GIT_CONFIG_COUNT=%u", (unsigned)number);
    repo->quiet = env;
    repo->quieted = arena_cstr(&repo->arena, buf_str(&names));
    buf_release(&names);
}

int repo_config_quiet(struct repo *repo, struct err *err)
{
    struct search *search = mem_alloc(sizeof *search);
    struct arena *arena = &search->arena;
    int rc;

    search->repo = repo;
    search->err = err;
    buf_init(&search->users, CONFIG_BYTES_MAX);
    rc = look_into(search, arena_printf(arena, "%s/config", repo->common_dir));
    if (rc == 0) rc = look_into(search, arena_printf(arena, "%s/config.worktree", repo->git_dir));
    if (rc == 0) {
        rc = look_into_modules(search, arena_printf(arena, "%s/modules", repo->common_dir), 0);
    }
    if (rc == 0 && search->count > 0) switch_off(search);
    buf_release(&search->users);
    arena_release(arena);
    free(search);
    return rc == 0 ? 0 : err_wrap(err, "the configuration of %s", repo->workspace);
}
