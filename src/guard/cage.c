/* SPDX-License-Identifier: Apache-2.0
 *
 * cage.c - whether a sandbox made an agent fail, and not the agent itself.
 *
 * There are two sandboxes: hone's around the agent, and Codex's around hone where Codex runs a
 * `hone run` as a command. An agent that fails in one of them is not unhealthy: it lacks a right.
 * The user is told which one, and what gives it; hone itself never starts the agent with more
 * rights than the user gave.
 *
 *    what the agent tells       it was hone's sandbox, where       and the right is
 *    no network                 rights.network is false            rights.network
 *    EROFS on a path            we can write there ourselves       rights.write, rights.change, or
 *                                                                  none but to have no sandbox
 *    ENOENT on a path           we see it, and rights.home or      rights.home, rights.tmp
 *                               rights.tmp is false
 *
 * So what failed inside is tried outside, by a look that changes nothing. Where we cannot do it
 * either, it is Codex's sandbox if we are in that, and else the machine: then the agent's own words
 * are all that is told. What is refused to hone itself is told in the same way.
 *
 * What the commands have that Codex runs on Linux (0.166.0, measured), and so how its sandbox is
 * known:
 *
 *    sandbox_mode                    environment                        no_new_privs
 *    read-only, workspace-write      CODEX_THREAD_ID,                   yes
 *                                    CODEX_SANDBOX_NETWORK_DISABLED=1
 *    workspace-write with network    CODEX_THREAD_ID                    yes
 *    danger-full-access              CODEX_THREAD_ID                    as Codex itself
 *
 * In workspace-write .git and .agents of the workspace stay read-only (writable_roots opens .git),
 * so that a run of hone cannot begin there unless the user says so. */
#include "guard/guard.h"

#include "base/path.h"
#include "format/text/refusal.h"
#include "format/text/safe.h"
#include "io/file/folder.h"
#include "io/file/scratch.h"
#include "io/process/host.h"
#include "run/cast.h"
#include "run/site.h"
#include "settings/places.h"

#include <stdlib.h>
#include <string.h>

enum { TAIL_BYTES_MAX = 4096, PATH_SHOWN_MAX = 300 };

#define OPEN_ALL "--no-sandbox starts agents without it"

/* Whether we could make or change this file: the nearest folder above it says so. */
static bool can_write(const char *path, struct arena *arena)
{
    struct folder_state state;
    struct err none;
    int rc;

    do {
        path = path_folder_text(path, arena);
        rc = folder_look(path, &state, &none);
    } while (rc == ERR_MISSING && strcmp(path, "/") != 0);
    return rc == 0 && state.writable;
}

static bool is_below(const char *path, const char *folder)
{
    size_t bytes = folder ? strlen(folder) : 0;

    return bytes > 0 && strncmp(path, folder, bytes) == 0 &&
           (path[bytes] == '/' || path[bytes] == '\0');
}

static bool is_setting(const char *path, struct arena *arena)
{
    const struct guard_place *place = guard_settings;

    for (; place->variable || place->home; place++) {
        const char *at = guard_folder(place, arena);

        if (at && place->below) at = arena_printf(arena, "%s/%s", at, place->below);
        if (is_below(path, at)) return true;
    }
    return false;
}

/* The protected path that a path below the workspace is of; NULL: none. */
static const char *protected_row(const char *path, const char *workspace, struct arena *arena)
{
    const char *row;

    for (uint32_t i = 0; (row = guard_workspace(i)); i++) {
        if (is_below(path, arena_printf(arena, "%s/%s", workspace, row))) break;
    }
    return row;
}

/* What is to be named in rights.write: the path itself where it is there, else its folder; but not
 * the whole home folder. */
static const char *write_place(const char *path, struct arena *arena)
{
    const char *folder = path_folder_text(path, arena);
    bool wide = strcmp(folder, "/") == 0 || (host_home() && strcmp(folder, host_home()) == 0);

    if (file_exists(path) || !file_exists(folder)) return path;
    return wide ? path : folder;
}

/* What gives a right to write to a path that hone's sandbox closes. */
static const char *write_right(const struct guarded *guarded, const char *path)
{
    struct run *run = guarded->run;
    const struct repo *repo = &site_at(run, guarded->action)->repo;
    bool reviewer = only_reads(run, guarded->action);
    struct arena *arena = &run->arena;
    const char *row = protected_row(path, repo->workspace, arena);

    if (is_setting(path, arena)) {
        return "settings of agents stay as they are, and no right opens them; " OPEN_ALL;
    }
    if (reviewer && (is_below(path, repo->workspace) || is_below(path, repo->common_dir))) {
        return "a reviewer only reads the work tree and the git folder, and no right opens them; "
               "let it keep its files elsewhere";
    }
    if (row) return arena_printf(arena, "rights.change [\"%s\"] in hone.json gives the right", row);
    if (is_below(path, repo->common_dir)) {
        return "rights.change [\".git\"] in hone.json gives the right to commit";
    }
    if (is_below(path, run->repo.workspace)) {
        return "the agent of a task writes to its own work tree, and no right opens yours";
    }
    return arena_printf(arena, "rights.write [\"%s\"] in hone.json gives the right%s",
                        write_place(path, arena),
                        file_exists(write_place(path, arena)) ? "" : " once it is there");
}

static const char *by_hone(const struct guarded *guarded, const struct refusal *refusal,
                           const char *path)
{
    struct run *run = guarded->run;
    const struct run_settings *settings = &run->settings;
    struct arena *arena = &run->arena;
    bool hides = settings->home_private || settings->tmp_private;
    struct role_rights role = run_rights(run, guarded->action, arena);

    if (refusal->kind == REFUSAL_NETWORK && role.no_network) {
        return arena_printf(arena, "has no network in hone's sandbox, since %s says so ('may')",
                            role.from);
    }
    if (refusal->kind == REFUSAL_NETWORK && settings->network_off) {
        return "has no network in hone's sandbox, since rights.network is false; rights.network "
               "true in hone.json gives it one";
    }
    if (refusal->kind == REFUSAL_READ_ONLY && *path && can_write(path, arena)) {
        return arena_printf(arena, "cannot write to %s in hone's sandbox; %s", path,
                            write_right(guarded, path));
    }
    if (refusal->kind == REFUSAL_NOT_THERE && *path && hides && file_exists(path)) {
        bool home = settings->home_private && host_home() && is_below(path, host_home());

        if (!home && !settings->tmp_private) return NULL;
        return arena_printf(arena, "does not see %s in hone's sandbox, since %s is false; %s true "
                            "in hone.json shows it", path, home ? "rights.home" : "rights.tmp",
                            home ? "rights.home" : "rights.tmp");
    }
    return NULL;
}

#define INSIDE_CODEX "hone itself runs in Codex's sandbox; start hone outside of it (in a " \
                     "terminal, or approved by you in Codex)"

static bool codex_has_no_network(void)
{
    const char *closed = getenv("CODEX_SANDBOX_NETWORK_DISABLED");

    return closed && strcmp(closed, "1") == 0;
}

static bool is_in_codex(void)
{
    return codex_has_no_network() || (getenv("CODEX_THREAD_ID") && host_is_confined());
}

static const char *by_codex(struct run *run, const struct refusal *refusal, const char *path)
{
    bool write = refusal->kind == REFUSAL_READ_ONLY || refusal->kind == REFUSAL_DENIED;

    if (refusal->kind == REFUSAL_NETWORK && codex_has_no_network()) {
        return "has no network, since " INSIDE_CODEX ", or set network_access = true under "
               "[sandbox_workspace_write] in Codex's config.toml";
    }
    if (write && is_in_codex() && *path && !can_write(path, &run->arena)) {
        return arena_printf(&run->arena, "cannot write to %s, since " INSIDE_CODEX ", or add the "
                            "folder to writable_roots under [sandbox_workspace_write] in Codex's "
                            "config.toml", path);
    }
    return NULL;
}

const char *cage_of_hone(const struct err *err)
{
    enum refusal_kind kind = refusal_read(str_of(err->text)).kind;
    bool refused = kind == REFUSAL_READ_ONLY || kind == REFUSAL_DENIED;

    return refused && is_in_codex() ? INSIDE_CODEX : NULL;
}

const char *cage_words(const struct guarded *guarded, struct str said, bool network)
{
    struct run *run = guarded->run;
    const char *words = NULL, *path;
    struct refusal refusal;
    struct buf text;

    buf_init(&text, TAIL_BYTES_MAX + PATH_SHOWN_MAX * 4);
    scratch_tail(guarded->dir, "stderr", TAIL_BYTES_MAX, &text);
    buf_byte(&text, '\n');
    buf_add(&text, said);
    refusal = refusal_read(buf_str(&text));
    if (network) refusal = (struct refusal){ .kind = REFUSAL_NETWORK, .path = { "", 0 } };
    path = safe_copy(&run->arena, refusal.path, PATH_SHOWN_MAX);
    if (run->sandboxed) words = by_hone(guarded, &refusal, path);
    if (!words) words = by_codex(run, &refusal, path);
    buf_release(&text);
    return words ? words : "";
}
