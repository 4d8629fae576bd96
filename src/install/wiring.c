/* SPDX-License-Identifier: Apache-2.0
 *
 * wiring.c - which files of a host hold something of ours, planned and written.
 *
 *     Claude Code   settings.json                    two members
 *                   plugins/known_marketplaces.json  what the client noted about them
 *     Codex         agents/hone-ROLE.toml            whole files of ours (wiring_own.c)
 *                   skills/hone-NAME/SKILL.md
 *                   hooks.json                       entries among the user's
 *
 * 1. Planning reads everything and writes nothing: a file that cannot be edited is known before
 *    the first one is changed.
 * 2. What a file held is kept as NAME.hone-backup, unless all of it is ours as we wrote it.
 * 3. The user's own folder and files may be links, as people have it who keep them elsewhere. In a
 *    project no link is followed: a repository could send us anywhere.
 * 4. Hooks come last when they are put in and first when they are taken out: what they call for is
 *    there as long as they are. */
#include "install/wiring_parts.h"

#include "base/mem.h"
#include "base/path.h"
#include "format/text/safe.h"
#include "io/file/file.h"
#include "io/file/folder.h"
#include "io/file/peek.h"
#include "io/process/host.h"
#include "io/process/program.h"

#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES_MAX = 8192 };

const char *const wiring_words[WIRING_HOST_COUNT] = {
    [WIRING_CLAUDE] = "claude", [WIRING_CODEX] = "codex",
};
const char *const wiring_titles[WIRING_HOST_COUNT] = {
    [WIRING_CLAUDE] = "Claude Code", [WIRING_CODEX] = "Codex",
};

/* A host's folder of settings: the variable that names it, the name below home or a project, and
 * the file that others edit, too. */
static const struct {
    const char *variable, *folder, *file;
    const char *what;
    wiring_edit *merge, *strip;
} hosts[WIRING_HOST_COUNT] = {
    [WIRING_CLAUDE] = { "CLAUDE_CONFIG_DIR", ".claude", "settings.json",
                        "the marketplace hone and its plugin hone@hone",
                        wiring_claude_merge, wiring_claude_strip },
    [WIRING_CODEX] = { "CODEX_HOME", ".codex", "hooks.json",
                       "hooks that call hone", wiring_codex_merge, wiring_codex_strip },
};

/* ---- places ---- */

/* Where the plugin is: installed beside the program, or in the tree that it was built in. */
static const char *find_plugin(struct arena *arena)
{
    static const char *const places[] = { "../share/hone/plugin", "../plugin", "../../plugin" };
    const char *self = real_file(program_self(), arena);
    struct str home = path_folder(str_of(self));

    for (uint32_t i = 0; self && i < sizeof places / sizeof *places; i++) {
        const char *folder = arena_printf(arena, "%.*s/%s", STR_ARG(home), places[i]);
        if (file_exists(arena_printf(arena, "%s/.claude-plugin/marketplace.json", folder))) {
            return real_folder(folder, arena);
        }
    }
    return NULL;
}

/* A word that sh -c takes as it stands. */
static const char *shell_quoted(const char *text, struct arena *arena)
{
    const char *out = "'";

    for (; *text; text++) {
        out = *text == '\'' ? arena_printf(arena, "%s'\\''", out)
                            : arena_printf(arena, "%s%c", out, *text);
    }
    return arena_printf(arena, "%s'", out);
}

static void find_command(struct wiring *wiring)
{
    const char *self = real_file(program_self(), &wiring->arena);
    const char *found = program_find("hone", &wiring->arena);

    if (found) found = real_file(found, &wiring->arena);
    wiring->on_path = found && self && strcmp(found, self) == 0;
    wiring->command = wiring->on_path || !self
        ? "hone hook"
        : arena_printf(&wiring->arena, "%s hook", shell_quoted(self, &wiring->arena));
}

static int find_folder(struct wiring *wiring, struct err *err)
{
    enum wiring_host host = wiring->request.host;
    const char *named = getenv(hosts[host].variable), *home = host_home(), *real;

    if (wiring->request.workspace) {
        wiring->folder = arena_cstr(&wiring->arena, str_of(wiring->request.workspace));
        return 0;
    }
    if (named && *named && named[0] != '/') {
        return err_set(err, ERR_USAGE, "%s is no absolute path: %.200s", hosts[host].variable,
                       safe_copy(&wiring->arena, str_of(named), 200));
    }
    if ((!named || !*named) && !home) {
        return err_set(err, ERR_USAGE, "there is no home folder with settings of %s: HOME is not "
                       "set", wiring_titles[host]);
    }
    wiring->folder = named && *named ? arena_cstr(&wiring->arena, str_of(named))
                                     : arena_printf(&wiring->arena, "%s/%s", home,
                                                    hosts[host].folder);
    real = real_folder(wiring->folder, &wiring->arena);
    if (real) wiring->folder = real;
    return 0;
}

/* ---- files ---- */

/* Reads a file below root; *exists is false where there is none. */
static int read_in(struct wiring *wiring, const char *root, const char *path, struct str *out,
                   bool *exists, struct err *err)
{
    struct buf text;
    int rc;

    buf_init(&text, WIRING_BYTES_MAX);
    rc = file_exists(root) ? file_read_in(root, path, &text, err) : ERR_MISSING;
    *exists = rc == 0;
    *out = *exists ? arena_copy(&wiring->arena, buf_str(&text)) : (struct str){ "", 0 };
    buf_release(&text);
    return rc == 0 || rc == ERR_MISSING ? 0 : err_wrap(err, "read %s/%s", root, path);
}

int wiring_add(struct wiring *wiring, const char *path, const char *what, bool links,
               struct err *err)
{
    struct wiring_file *file;
    const char *real = NULL;

    wiring->files = mem_grow(wiring->files, wiring->count, &wiring->cap, sizeof *wiring->files);
    file = &wiring->files[wiring->count++];
    *file = (struct wiring_file){ .root = wiring->folder, .what = what,
                                  .path = arena_cstr(&wiring->arena, str_of(path)) };
    if (links) real = real_file(arena_printf(&wiring->arena, "%s/%s", wiring->folder, path),
                                &wiring->arena);
    if (real) {
        file->root = path_folder_text(real, &wiring->arena);
        file->path = path_leaf_text(real);
    }
    return read_in(wiring, file->root, file->path, &file->old, &file->exists, err);
}

void wiring_want(struct wiring_file *file, struct str text)
{
    file->text = text;
    file->change = !file->exists ? WIRING_MAKE
                                 : str_eq(file->old, text) ? WIRING_SAME : WIRING_CHANGE;
    file->keep = file->change == WIRING_CHANGE;
}

static int backup_of(struct wiring *wiring, const struct wiring_file *file, struct str *out,
                     bool *exists, struct err *err)
{
    const char *path = arena_printf(&wiring->arena, "%s" WIRING_BACKUP, file->path);

    return read_in(wiring, file->root, path, out, exists, err);
}

int wiring_unmerge(const struct wiring *wiring, wiring_edit *merge, wiring_edit *strip,
                   struct str now, const struct str *backup, struct buf *out, bool *remove,
                   struct err *err)
{
    struct buf again, bare;
    struct err none;
    int rc = 0;

    buf_init(&again, WIRING_BYTES_MAX);
    buf_init(&bare, WIRING_BYTES_MAX);
    *remove = false;
    if (backup && wiring->plugin && strip(wiring, *backup, &bare, &none) == 0 &&
        str_eq(buf_str(&bare), *backup) && merge(wiring, *backup, &again, &none) == 0 &&
        str_eq(buf_str(&again), now)) {
        buf_add(out, *backup);
        goto done;
    }
    buf_clear(&again);
    if (wiring->plugin && merge(wiring, STR(""), &again, &none) == 0 &&
        str_eq(buf_str(&again), now)) {
        *remove = true;
        goto done;
    }
    rc = strip(wiring, now, out, err);
done:
    buf_release(&again);
    buf_release(&bare);
    return rc;
}

/* The file that others edit, too. */
static int plan_shared(struct wiring *wiring, struct err *err)
{
    enum wiring_host host = wiring->request.host;
    bool project = wiring->request.workspace != NULL, has_backup, remove = false;
    const char *path = project ? arena_printf(&wiring->arena, "%s/%s", hosts[host].folder,
                                              hosts[host].file) : hosts[host].file;
    struct wiring_file *file;
    struct str backup;
    struct buf text;
    int rc = wiring_add(wiring, path, hosts[host].what, !project, err);

    if (rc != 0) return rc;
    file = &wiring->files[wiring->count - 1];
    if ((wiring->request.remove || wiring->plugged) && !file->exists) return 0;
    buf_init(&text, WIRING_BYTES_MAX);
    if (!wiring->request.remove) {
        rc = (wiring->plugged ? hosts[host].strip : hosts[host].merge)(wiring, file->old, &text,
                                                                       err);
    } else {
        rc = backup_of(wiring, file, &backup, &has_backup, err);
        if (rc == 0) {
            rc = wiring_unmerge(wiring, hosts[host].merge, hosts[host].strip, file->old,
                                has_backup ? &backup : NULL, &text, &remove, err);
        }
    }
    if (rc == 0 && text.overflow) rc = err_set(err, ERR_LIMIT, "it is too large");
    if (rc != 0) {
        buf_release(&text);
        return err_wrap(err, "%s/%s", file->root, file->path);
    }
    wiring_want(file, arena_copy(&wiring->arena, buf_str(&text)));
    if (remove) {
        file->change = WIRING_REMOVE;
        file->keep = false;
    }
    buf_release(&text);
    return 0;
}

/* What Claude Code has noted about our marketplace since. */
static int plan_forget(struct wiring *wiring, struct err *err)
{
    struct wiring_file *file;
    struct buf text;
    int rc = wiring_add(wiring, "plugins/known_marketplaces.json", "the marketplace hone", true,
                        err);

    if (rc != 0) return rc;
    file = &wiring->files[wiring->count - 1];
    if (!file->exists) return 0;
    buf_init(&text, WIRING_BYTES_MAX);
    wiring_claude_forget(file->old, &text);
    wiring_want(file, arena_copy(&wiring->arena, buf_str(&text)));
    buf_release(&text);
    return 0;
}

/* ---- all of it ---- */

static int read_hooks(struct wiring *wiring, struct err *err)
{
    struct buf text;
    int rc;

    if (wiring->request.host != WIRING_CODEX || !wiring->plugin) return 0;
    buf_init(&text, WIRING_BYTES_MAX);
    rc = file_read(arena_printf(&wiring->arena, "%s/codex/hooks.json", wiring->plugin), &text,
                   err);
    if (rc == 0) wiring->hooks = arena_copy(&wiring->arena, buf_str(&text));
    buf_release(&text);
    return rc == 0 ? 0 : err_wrap(err, "read the plugin");
}

static int look_for_plugin(struct wiring *wiring, struct err *err)
{
    struct str config;
    bool exists;
    int rc = 0;

    if (wiring->request.host != WIRING_CODEX || wiring->request.workspace) return 0;
    rc = read_in(wiring, wiring->folder, "config.toml", &config, &exists, err);
    wiring->plugged = rc == 0 && exists && wiring_codex_is_plugged(config);
    return rc;
}

int wiring_plan(struct wiring *wiring, const struct wiring_request *request, struct err *err)
{
    int rc;

    *wiring = (struct wiring){ .request = *request };
    if (request->workspace && request->host == WIRING_CLAUDE) {
        return err_set(err, ERR_USAGE, "Claude Code takes a marketplace from the user's own "
                       "settings only; leave out --project");
    }
    wiring->plugin = find_plugin(&wiring->arena);
    find_command(wiring);
    if (!wiring->plugin && !request->remove) {
        return err_set(err, ERR_USAGE, "the plugin is not where hone is: 'make install' puts it "
                       "into share/hone/plugin beside bin/hone");
    }
    rc = read_hooks(wiring, err);
    if (rc == 0) rc = find_folder(wiring, err);
    if (rc == 0) rc = look_for_plugin(wiring, err);
    if (rc == 0 && request->host == WIRING_CODEX && !request->remove) {
        rc = wiring_plan_own(wiring, err);
    }
    if (rc == 0) rc = plan_shared(wiring, err);
    if (rc == 0 && request->host == WIRING_CODEX && request->remove) {
        rc = wiring_plan_gone(wiring, err);
    }
    if (rc == 0 && request->host == WIRING_CLAUDE && request->remove) rc = plan_forget(wiring, err);
    return rc;
}

void wiring_release(struct wiring *wiring)
{
    free(wiring->files);
    arena_release(&wiring->arena);
    *wiring = (struct wiring){ 0 };
}

uint32_t wiring_changes(const struct wiring *wiring)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < wiring->count; i++) {
        if (wiring->files[i].change != WIRING_SAME) count++;
    }
    return count;
}

/* The folders above a file of ours that went, as far as nothing else is in them. */
static void tidy(const struct wiring_file *file, struct arena *arena)
{
    struct str path = str_of(file->path);

    while (str_has(path, '/')) {
        while (path.size > 0 && path.data[path.size - 1] != '/') path.size--;
        path.size--;
        if (str_ends(path, STR(".codex"))) return;
        folder_remove_empty(arena_printf(arena, "%s/%.*s", file->root, STR_ARG(path)));
    }
}

static int apply_file(const struct wiring_file *file, struct arena *arena, struct err *err)
{
    int rc = 0;

    if (file->keep) {
        rc = file_write(file->root, arena_printf(arena, "%s" WIRING_BACKUP, file->path),
                        file->old, err);
    }
    if (rc != 0) return rc;
    if (file->change != WIRING_REMOVE) return file_write(file->root, file->path, file->text, err);
    rc = file_remove_in(file->root, file->path, err);
    if (rc == 0 && !file->what) tidy(file, arena);
    return rc;
}

int wiring_apply(const struct wiring *wiring, struct err *err)
{
    struct arena arena = { 0 };
    int rc = 0;

    if (!wiring->request.remove && !file_exists(wiring->folder)) {
        rc = file_make_folder(wiring->folder, false, err);
    }
    for (uint32_t i = 0; rc == 0 && i < wiring->count; i++) {
        if (wiring->files[i].change != WIRING_SAME) rc = apply_file(&wiring->files[i], &arena, err);
    }
    arena_release(&arena);
    return rc;
}
