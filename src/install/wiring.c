/* SPDX-License-Identifier: Apache-2.0
 *
 * wiring.c - which files of a host hold something of hone's: planned, then written.
 *
 *     Claude Code   settings.json                    two members (wiring_claude.c)
 *                   plugins/known_marketplaces.json  what the client noted about them
 *     Codex         agents/hone-ROLE.toml            whole files of ours
 *                   skills/hone-NAME/SKILL.md
 *                   hooks.json                       entries among the user's (wiring_codex.c)
 *
 * 1. Planning reads everything and writes nothing: a file that cannot be edited is known before
 *    the first one is changed.
 * 2. What a file held is kept as NAME.hone-backup, unless hone wrote all of it and it is unchanged.
 * 3. The user's own folder and files may be links: some users keep them elsewhere. In a project no
 *    link is followed: a repository could make hone write to any place.
 * 4. Hooks are put in last and taken out first: as long as they are there, so are the agents and
 *    skills that they call for.
 *
 * In Codex some files are hone's as a whole: an agent for each role, and the skills. They are made
 * of the plugin's own files, which are written once for both hosts:
 *
 *     ---                                     name = "hone-critic"
 *     name: critic                            description = "Finds what breaks."
 *     description: Finds what breaks.   -->   developer_instructions = '''
 *     ---                                     You are `critic` ...
 *     You are `critic` ...                    '''
 *
 * Tools and models have other names in Codex, and an agent's file cannot limit them there: they are
 * left out.
 *
 * 5. The front matter has one key in a line, and its value behind ": " as it stands: no quotes, no
 *    blocks. A test checks that the plugin's files have no other form.
 * 6. A file is hone's by the mark in it, not by its name: one without the mark is the user's, and
 *    stays.
 * 7. A file of hone's that the user has changed is kept as a backup when it is removed.
 * 8. A plugin of Codex brings skills and hooks, but no agents. Where Codex has hone as a plugin,
 *    only the agents are put in: skills and hooks that are there twice would be called twice. */
#include "install/wiring.h"

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

/* ---- an agent of the plugin for Codex ---- */

static bool has_text(struct str text, const char *piece)
{
    return text.size > 0 && memmem(text.data, text.size, piece, strlen(piece)) != NULL;
}

/* A basic string of TOML. */
static void put_basic(struct buf *out, struct str text)
{
    buf_byte(out, '"');
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        if (byte == '"' || byte == '\\') {
            buf_printf(out, "\\%c", byte);
        } else if (byte == '\n') {
            buf_text(out, "\\n");
        } else if (byte < 0x20 || byte == 0x7f) {
            buf_printf(out, "\\u%04x", byte);
        } else {
            buf_byte(out, (char)byte);
        }
    }
    buf_byte(out, '"');
}

/* As a literal of many lines, which needs no escapes, where it can be one. */
static void put_block(struct buf *out, struct str text)
{
    bool plain = !has_text(text, "'''");

    for (size_t i = 0; plain && i < text.size; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        plain = (byte >= 0x20 || byte == '\n' || byte == '\t') && byte != 0x7f;
    }
    if (!plain) {
        put_basic(out, text);
        return;
    }
    buf_text(out, "'''\n");
    buf_add(out, text);
    buf_text(out, "'''");
}

int wiring_agent_toml(struct str markdown, struct buf *out, struct err *err)
{
    struct str rest = markdown, line, name = { "", 0 }, about = { "", 0 };
    bool closed = false;

    if (!str_cut(&rest, '\n', &line) || !str_is(line, "---")) {
        return err_set(err, ERR_FORMAT, "it does not begin with ---");
    }
    while (!closed && str_cut(&rest, '\n', &line)) {
        if (str_starts(line, STR("name: "))) name = str_trim(str_skip(line, 6));
        if (str_starts(line, STR("description: "))) about = str_trim(str_skip(line, 13));
        closed = str_is(line, "---");
    }
    if (!closed || name.size == 0 || about.size == 0 || str_trim(rest).size == 0) {
        return err_set(err, ERR_FORMAT, "it has no name, no description or no text");
    }
    buf_printf(out, "# %s\nname = \"hone-%.*s\"\ndescription = ", WIRING_MARK, STR_ARG(name));
    put_basic(out, about);
    buf_text(out, "\ndeveloper_instructions = ");
    while (rest.size > 0 && rest.data[0] == '\n') rest = str_skip(rest, 1);
    put_block(out, rest);
    buf_byte(out, '\n');
    return 0;
}

/* ---- all files of a host ---- */

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
    int rc = ERR_MISSING;

    *out = STR("");
    if (file_exists(root)) {
        rc = file_text_in(root, path, WIRING_BYTES_MAX, &wiring->arena, out, err);
    }
    *exists = rc == 0;
    return rc == 0 || rc == ERR_MISSING ? 0 : err_wrap(err, "read %s/%s", root, path);
}

/* One more file below the host's folder, as it is now: the last of the list. links: the path may
 * be one. */
static int wiring_add(struct wiring *wiring, const char *path, const char *what, bool links,
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

/* It shall hold text. */
static void wiring_want(struct wiring_file *file, struct str text)
{
    file->text = text;
    file->change = !file->exists ? WIRING_MAKE
                                 : str_eq(file->old, text) ? WIRING_SAME : WIRING_CHANGE;
    file->keep = file->change == WIRING_CHANGE;
}

/* ---- whole files of ours ---- */

#define CODEX_FOLDER ".codex" /* in a project */

static bool is_ours(struct str text)
{
    return text.size > 0 && memmem(text.data, text.size, WIRING_MARK, strlen(WIRING_MARK)) != NULL;
}

/* What the plugin would write: an agent as TOML, a skill with the mark at its end. */
static int make_text(struct wiring *wiring, const char *from, struct str *out, struct err *err)
{
    struct buf made;
    struct str text;
    int rc = file_text(from, WIRING_BYTES_MAX, &wiring->arena, &text, err);

    buf_init(&made, WIRING_BYTES_MAX);
    if (rc == 0 && str_ends(str_of(from), STR("/SKILL.md"))) {
        buf_add(&made, text);
        buf_text(&made, "\n<!-- " WIRING_MARK " -->\n");
    } else if (rc == 0) {
        rc = wiring_agent_toml(text, &made, err);
    }
    *out = arena_take(&wiring->arena, &made);
    return rc == 0 ? 0 : err_wrap(err, "the plugin's %s", from);
}

static const char *below(const struct wiring *wiring, struct arena *arena)
{
    return wiring->request.workspace
        ? arena_printf(arena, "%s/", CODEX_FOLDER) : "";
}

static int plan_whole(struct wiring *wiring, const char *from, const char *path, struct err *err)
{
    const char *full = arena_printf(&wiring->arena, "%s%s", below(wiring, &wiring->arena), path);
    struct wiring_file *file;
    struct str text = { "", 0 };
    int rc = make_text(wiring, from, &text, err);

    if (rc == 0) rc = wiring_add(wiring, full, NULL, false, err);
    if (rc != 0) return rc;
    file = &wiring->files[wiring->count - 1];
    wiring_want(file, text);
    return 0;
}

static int plan_agents(struct wiring *wiring, struct err *err)
{
    const char *folder = arena_printf(&wiring->arena, "%s/agents", wiring->plugin);
    const char *const *names = folder_names(folder, "", &wiring->arena);
    int rc = 0;

    for (; rc == 0 && *names; names++) {
        struct str name = str_of(*names);
        if (!str_ends(name, STR(".md"))) continue;
        name.size -= 3;
        rc = plan_whole(wiring, arena_printf(&wiring->arena, "%s/%s", folder, *names),
                        arena_printf(&wiring->arena, "agents/hone-%.*s.toml", STR_ARG(name)), err);
    }
    return rc;
}

static int plan_skills(struct wiring *wiring, const char *from, struct err *err)
{
    const char *folder = arena_printf(&wiring->arena, "%s/%s", wiring->plugin, from);
    const char *const *names = folder_names(folder, "hone", &wiring->arena);
    int rc = 0;

    for (; rc == 0 && *names; names++) {
        rc = plan_whole(wiring, arena_printf(&wiring->arena, "%s/%s/SKILL.md", folder, *names),
                        arena_printf(&wiring->arena, "skills/%s/SKILL.md", *names), err);
    }
    return rc;
}

bool wiring_codex_is_plugged(struct str config)
{
    bool ours = false, plugged = false;
    struct str line;

    while (str_cut(&config, '\n', &line)) {
        line = str_trim(line);
        if (str_starts(line, STR("["))) {
            if (plugged) return true;
            ours = plugged = str_starts(line, STR("[plugins.\"hone@"));
        } else if (ours && str_starts(line, STR("enabled")) && str_ends(line, STR("false"))) {
            plugged = false;
        }
    }
    return plugged;
}

/* Codex's files that are ours as a whole, to be made, or to be removed. */
static int wiring_plan_own(struct wiring *wiring, struct err *err)
{
    int rc = plan_agents(wiring, err);

    if (wiring->plugged) return rc;
    if (rc == 0) rc = plan_skills(wiring, "skills", err);
    if (rc == 0) rc = plan_skills(wiring, "codex/skills", err);
    return rc;
}

/* Plans to remove a file with a name of hone's, where it has hone's mark. */
static int plan_gone(struct wiring *wiring, const char *path, const char *from, struct err *err)
{
    const char *full = arena_printf(&wiring->arena, "%s%s", below(wiring, &wiring->arena), path);
    struct wiring_file *file;
    struct str text = { "", 0 };
    struct err none;
    int rc = wiring_add(wiring, full, NULL, false, err);

    if (rc != 0) return rc;
    file = &wiring->files[wiring->count - 1];
    if (!file->exists || !is_ours(file->old)) {
        wiring->count--;
        return 0;
    }
    file->change = WIRING_REMOVE;
    file->keep = !from || make_text(wiring, from, &text, &none) != 0 || !str_eq(text, file->old);
    return 0;
}

static int wiring_plan_gone(struct wiring *wiring, struct err *err)
{
    struct arena *arena = &wiring->arena;
    const char *base = arena_printf(arena, "%s/%s", wiring->folder, below(wiring, arena));
    const char *const *names = folder_names(arena_printf(arena, "%s/agents", base), "hone-", arena);
    const char *from;
    int rc = 0;

    for (; rc == 0 && *names; names++) {
        struct str name = str_skip(str_of(*names), strlen("hone-"));
        if (!str_ends(name, STR(".toml"))) continue;
        name.size -= strlen(".toml");
        from = wiring->plugin ? arena_printf(arena, "%s/agents/%.*s.md", wiring->plugin,
                                             STR_ARG(name)) : NULL;
        rc = plan_gone(wiring, arena_printf(arena, "agents/%s", *names), from, err);
    }
    names = folder_names(arena_printf(arena, "%s/skills", base), "hone", arena);
    for (; rc == 0 && *names; names++) {
        const char *place = strcmp(*names, "hone") == 0 ? "skills" : "codex/skills";
        from = wiring->plugin ? arena_printf(arena, "%s/%s/%s/SKILL.md", wiring->plugin, place,
                                             *names) : NULL;
        rc = plan_gone(wiring, arena_printf(arena, "skills/%s/SKILL.md", *names), from, err);
    }
    return rc;
}

/* ---- planning ---- */

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
    int rc;

    if (wiring->request.host != WIRING_CODEX || !wiring->plugin) return 0;
    rc = file_text(arena_printf(&wiring->arena, "%s/codex/hooks.json", wiring->plugin),
                   WIRING_BYTES_MAX, &wiring->arena, &wiring->hooks, err);
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
