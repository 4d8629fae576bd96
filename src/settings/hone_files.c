/* SPDX-License-Identifier: Apache-2.0
 *
 * hone_files.c - the files of hone's own settings, found, read and written.
 *
 *     the user's  <  the project's  <  the one that HONE_CONFIG names  <  flags
 *
 * The environment has one variable, which names a file of the same form: a variable for each key
 * would be a second notation, and the names that begin with HONE_ belong to the contract of agents.
 *
 * 1. The user's folder may be a link: some users keep such files elsewhere. Inside a project no
 *    link is followed: a repository could make hone read or write any place.
 * 2. Where no hone.json stands here or above, git is not asked where the workspace begins: the
 *    answer would change nothing. */
#include "settings/hone_files.h"

#include "base/path.h"
#include "io/file/file.h"
#include "io/git/repo.h"
#include "io/process/host.h"

#include <stdlib.h>

enum { PATH_BYTES_MAX = 8192 };

static const char project_name[] = "hone.json";

/* Whether a folder, or one above it, has a hone.json. */
static bool is_near(const char *cwd, struct arena *arena)
{
    struct str folder = str_of(cwd);

    while (folder.size > 0) {
        while (folder.size > 0 && folder.data[folder.size - 1] == '/') folder.size--;
        if (file_exists(arena_printf(arena, "%.*s/%s", STR_ARG(folder), project_name))) return true;
        while (folder.size > 0 && folder.data[folder.size - 1] != '/') folder.size--;
    }
    return false;
}

static int find_workspace(struct hone_own *own, const char *cwd, bool sure, struct err *err)
{
    struct repo repo = { 0 };
    int rc;

    own->workspace = arena_cstr(&own->arena, str_of(cwd));
    if (!sure && !is_near(cwd, &own->arena)) return 0;
    rc = repo_open(&repo, cwd, false, err);
    if (rc == 0) own->workspace = arena_cstr(&own->arena, str_of(repo.workspace));
    repo_release(&repo);
    return rc == ERR_MISSING ? 0 : rc; /* without a repository this folder is the workspace */
}

static void place_user(struct hone_file *file, struct arena *arena)
{
    const char *base = getenv("XDG_CONFIG_HOME"), *home = host_home();

    file->name = "~/.config/hone/config.json";
    if (base && base[0] == '/') {
        file->path = file->name = arena_printf(arena, "%s/hone/config.json", base);
    } else if (home) {
        file->path = arena_printf(arena, "%s/.config/hone/config.json", home);
    }
    file->folder = file->path ? path_folder_text(file->path, arena) : "";
}

static void place_all(struct hone_own *own, const char *cwd)
{
    struct hone_file *files = own->files;
    const char *named = getenv("HONE_CONFIG");

    place_user(&files[HONE_FILE_USER], &own->arena);
    files[HONE_FILE_PROJECT] = (struct hone_file){
        .name = project_name, .folder = own->workspace, .foreign = true,
        .path = arena_printf(&own->arena, "%s/%s", own->workspace, project_name),
    };
    files[HONE_FILE_ENVIRONMENT].name = "HONE_CONFIG";
    if (named && *named) {
        files[HONE_FILE_ENVIRONMENT] = (struct hone_file){
            .name = arena_cstr(&own->arena, str_of(named)),
            .path = named[0] == '/' ? arena_cstr(&own->arena, str_of(named))
                                    : arena_printf(&own->arena, "%s/%s", cwd, named),
        };
        files[HONE_FILE_ENVIRONMENT].folder = path_folder_text(files[HONE_FILE_ENVIRONMENT].path,
                                                        &own->arena);
    }
    for (uint32_t i = 0; i < HONE_FILE_COUNT; i++) {
        files[i].exists = files[i].path && file_exists(files[i].path);
    }
    if (own->project) files[HONE_FILE_PROJECT].exists = own->project->data != NULL;
}

int hone_own_text(struct hone_own *own, uint32_t place, struct str *out, struct err *err)
{
    const struct hone_file *file = &own->files[place];
    int rc;

    *out = STR("");
    if (!file->exists) return 0;
    if (file->foreign && own->project) {
        *out = *own->project;
        return 0;
    }
    rc = file->foreign ? file_text_in(own->workspace, file->name, HONE_FILE_BYTES_MAX, &own->arena,
                                      out, err)
                       : file_text(file->path, HONE_FILE_BYTES_MAX, &own->arena, out, err);
    if (rc == 0) return 0;
    err->code = ERR_USAGE;
    return file->foreign ? ERR_USAGE : err_wrap(err, "%s", file->name);
}

/* own has its project's text, or NULL; else it is empty. */
static int open_own(struct hone_own *own, const char *cwd, bool sure, struct err *err)
{
    int rc = find_workspace(own, cwd, sure, err);

    place_all(own, cwd);
    if (rc != 0) return rc;
    if (own->files[HONE_FILE_ENVIRONMENT].path && !own->files[HONE_FILE_ENVIRONMENT].exists) {
        return err_set(err, ERR_USAGE, "HONE_CONFIG names %s, which is not there",
                       own->files[HONE_FILE_ENVIRONMENT].path);
    }
    for (uint32_t i = 0; rc == 0 && i < HONE_FILE_COUNT; i++) {
        struct str text;
        rc = hone_own_text(own, i, &text, err);
        if (rc == 0 && own->files[i].exists) {
            rc = hone_read(text, &own->files[i], &own->arena, &own->values, err);
        }
    }
    return rc;
}

int hone_own_open(struct hone_own *own, const char *cwd, bool sure, struct err *err)
{
    *own = (struct hone_own){ 0 };
    return open_own(own, cwd, sure, err);
}

int hone_own_open_as(struct hone_own *own, const char *cwd, const struct str *project,
                     struct err *err)
{
    *own = (struct hone_own){ .project = project };
    return open_own(own, cwd, true, err);
}

void hone_own_close(struct hone_own *own)
{
    arena_release(&own->arena);
    *own = (struct hone_own){ 0 };
}

/* ---- writing ---- */

/* Where the user's file really is: links are followed as far as something is there. */
static int user_place(struct hone_own *own, const char **root, const char **name, struct err *err)
{
    const struct hone_file *file = &own->files[HONE_FILE_USER];
    const char *path = file->path, *real;
    int rc;

    if (!path) {
        return err_set(err, ERR_USAGE, "there is no folder for your own settings: HOME is not set");
    }
    rc = file_make_folder(file->folder, false, err);
    if (rc != 0) return rc;
    real = file_real(path, &own->arena);
    if (real) path = real;
    *root = path_folder_text(path, &own->arena);
    *name = path_leaf_text(path);
    return 0;
}

int hone_own_write(struct hone_own *own, uint32_t place, struct str text, bool keep,
                   struct err *err)
{
    const char *root = own->workspace, *name = project_name;
    struct str old = STR("");
    int rc = 0;

    if (place == HONE_FILE_USER) rc = user_place(own, &root, &name, err);
    if (rc == 0 && keep) rc = hone_own_text(own, place, &old, err);
    if (rc == 0 && keep && own->files[place].exists) {
        rc = file_write(root, arena_printf(&own->arena, "%s.backup", name), old, err);
    }
    if (rc == 0) rc = file_write(root, name, text, err);
    return rc == 0 ? 0 : err_wrap(err, "write %s", own->files[place].name);
}
