/* SPDX-License-Identifier: Apache-2.0
 *
 * wiring_own.c - files of Codex that are ours as a whole: an agent for each role, and the skills.
 *
 * They are made of the plugin's own files, which are written once for both hosts.
 *
 * 1. A file is ours by the mark in it, not by its name: one without it is the user's, and stays.
 * 2. One of ours that the user has changed is kept as a backup when it goes.
 * 3. A plugin of Codex brings skills and hooks, but no agents. Where it has ours as a plugin, only
 *    the agents are put in: what is there twice is called twice. */
#include "install/wiring_parts.h"

#include "io/file/file.h"
#include "io/file/peek.h"

#include <string.h>

#define CODEX_FOLDER ".codex" /* in a project */

static bool is_ours(struct str text)
{
    return text.size > 0 && memmem(text.data, text.size, WIRING_MARK, strlen(WIRING_MARK)) != NULL;
}

/* What the plugin would write: an agent as TOML, a skill with the mark at its end. */
static int make_text(struct wiring *wiring, const char *from, struct str *out, struct err *err)
{
    struct buf text, made;
    int rc;

    buf_init(&text, WIRING_BYTES_MAX);
    buf_init(&made, WIRING_BYTES_MAX);
    rc = file_read(from, &text, err);
    if (rc == 0 && str_ends(str_of(from), STR("/SKILL.md"))) {
        buf_add(&made, buf_str(&text));
        buf_text(&made, "\n<!-- " WIRING_MARK " -->\n");
    } else if (rc == 0) {
        rc = wiring_agent_toml(buf_str(&text), &made, err);
    }
    if (rc == 0) *out = arena_copy(&wiring->arena, buf_str(&made));
    buf_release(&text);
    buf_release(&made);
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
    struct str text;
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

int wiring_plan_own(struct wiring *wiring, struct err *err)
{
    int rc = plan_agents(wiring, err);

    if (wiring->plugged) return rc;
    if (rc == 0) rc = plan_skills(wiring, "skills", err);
    if (rc == 0) rc = plan_skills(wiring, "codex/skills", err);
    return rc;
}

/* A file by its name is one of ours where it has the mark; it goes. */
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

int wiring_plan_gone(struct wiring *wiring, struct err *err)
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
