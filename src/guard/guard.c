/* SPDX-License-Identifier: Apache-2.0
 *
 * guard.c - what an attempt may touch: a second look behind the sandbox (sandbox.c), and the
 * credentials it is given.
 *
 * 1. In a workspace no agent that writes changes what runs on other machines or in the agents of
 *    other people: files of CI, of hooks, of agents. The sandbox holds what is there. What is not
 *    there it cannot hold, nor a link: these are looked at again when the attempt has ended, as all
 *    of them are where there is no sandbox. What differs is put back, its versions are kept with
 *    the attempt, and the answer does not count.
 * 2. The same holds for what git knows, as far as the role may not change it (git.c).
 * 3. Of a reviewer in the sandbox only the settings of the user's own agents are looked at, as far
 *    as they were not there: nothing else of all this can be written by it.
 * 4. What is compared with is kept outside of the attempt's own folder: it cannot write there.
 * 5. Of hone's folder an attempt can write its own folder and the cache of its backend.
 *
 * Not here: what reviewers changed in the tree (drive/watch.c). */
#include "guard/parts.h"

#include "agent/env.h"
#include "io/file/file.h"
#include "io/file/scratch.h"
#include "io/process/host.h"
#include "io/tree/protect.h"
#include "prompts/guard.h"
#include "run/cast.h"
#include "run/site.h"
#include "settings/places.h"

#include <inttypes.h>
#include <string.h>

enum {
    WHAT_BYTES_MAX = 16 << 10, WITHHELD_BYTES_MAX = 64 << 10,
    SETTINGS_BYTES_MAX = 1 << 20,
};

bool is_guarded(const struct run *run, const struct action *action)
{
    const struct role *role = &run->plan.roles[action->role];
    const struct backend *backend = agent_of(run, action)->backend;

    if (role->builtin || backend->play || backend->hosted) return false;
    return role->writes || (role->confined && !run->sandboxed);
}

/* A reviewer in the sandbox: it can write to what its client keeps, and so make settings there. */
static bool is_reader_in_sandbox(const struct run *run, const struct action *action)
{
    const struct backend *backend = agent_of(run, action)->backend;

    if (run->plan.roles[action->role].builtin || backend->play || backend->hosted) return false;
    return run->sandboxed && !is_guarded(run, action);
}

/* ---- credentials ---- */

/* The names of the variables, a line each, for the user to read; their values are kept nowhere. */
static int leave_names(const struct guarded *guarded, const char *const *names)
{
    struct buf text;
    int rc = 0;

    buf_init(&text, WITHHELD_BYTES_MAX);
    for (; *names; names++) buf_printf(&text, "%s\n", *names);
    if (text.size > 0) rc = scratch_write(guarded->dir, "withheld", buf_str(&text), guarded->err);
    buf_release(&text);
    return rc;
}

/* What a Codex of the user's is set to: where it takes a key from. Read once. */
static struct str codex_settings(const struct guarded *guarded)
{
    const struct guard_place codex = { .variable = "CODEX_HOME", .home = ".codex" };
    struct arena *arena = &guarded->run->arena;
    struct str *codex_text = &guarded->memory->codex;
    const char *folder;
    struct buf text;
    struct err none;

    if (codex_text->data) return *codex_text;
    folder = guard_folder(&codex, arena);
    *codex_text = STR("");
    buf_init(&text, SETTINGS_BYTES_MAX);
    if (folder && file_read(arena_printf(arena, "%s/config.toml", folder), &text, &none) == 0) {
        *codex_text = arena_copy(arena, buf_str(&text));
    }
    buf_release(&text);
    return *codex_text;
}

int guard_env(const struct guarded *guarded, const struct attempt *about, struct arena *arena,
              const char *const **out)
{
    const struct run *run = guarded->run;
    static const char *const none[] = { NULL };
    bool builtin = is_builtin(run, guarded->action);
    struct env_request request = { .environment = host_environment(),
                                   .passed = run->settings.pass,
                                   .exists = file_exists };
    const char *const *withheld = none;

    if (!builtin) request.needed = agent_of(run, guarded->action)->backend->credentials;
    if (request.needed && strstr(request.needed, "CODEX_*")) {
        request.settings = codex_settings(guarded);
    }
    /* hone's own commits and merges are made as the user makes them. */
    if (!builtin || guarded->command) {
        withheld = env_withheld(&request, arena);
    }
    *out = agent_env(about, withheld, arena);
    return leave_names(guarded, withheld);
}

/* ---- the second look ---- */

static const char *guard_name(const struct guarded *guarded, struct arena *arena)
{
    return arena_printf(arena, "guard-%" PRIu32 "-%" PRIu32, guarded->action->job,
                        guarded->action->attempt);
}

static int take_names(struct protect *protect, const struct repo *repo, const char *folder,
                      const char *const *names, struct err *err)
{
    int rc = 0;

    for (; *names && rc == 0; names++) {
        rc = protect_take(protect, folder, repo->is_git ? ".git/" : ".hone/git/", *names, err);
    }
    return rc;
}

/* Where the sandbox closes the folder as a whole, no second look is needed. */
static int take_git(struct protect *protect, const struct repo *repo, enum git_right right,
                    struct err *err)
{
    bool linked = strcmp(repo->common_dir, repo->git_dir) != 0;
    bool held = protect->gaps && (right == GIT_CLOSED || (right == GIT_BRANCH && linked));
    int rc = held ? 0 : take_names(protect, repo, repo->common_dir, guard_git, err);

    if (protect->gaps && right == GIT_CLOSED) return rc;
    if (rc == 0 && linked) rc = take_names(protect, repo, repo->git_dir, guard_git, err);
    if (rc == 0 && right == GIT_CLOSED) {
        rc = take_names(protect, repo, repo->git_dir, guard_going, err);
    }
    return rc;
}

static int take_settings(struct protect *protect, struct arena *arena, struct err *err)
{
    int rc = 0;

    for (const struct guard_place *place = guard_settings;
         (place->variable || place->home) && rc == 0; place++) {
        const char *folder = place->watched ? guard_folder(place, arena) : NULL;

        if (folder) {
            rc = protect_take(protect, folder, guard_label(place, arena), place->below, err);
        }
    }
    return rc;
}

int guard_begin(const struct guarded *guarded)
{
    struct run *run = guarded->run;
    const struct repo *repo = &site_at(run, guarded->action)->repo;
    struct protect protect = { .gaps = run->sandboxed };
    struct arena arena = { 0 };
    bool reader = is_reader_in_sandbox(run, guarded->action);
    const char *path;
    int rc = 0;

    if (!reader && !is_guarded(run, guarded->action)) return 0;
    for (uint32_t i = 0; !reader && rc == 0 && (path = guard_workspace(i)); i++) {
        if (guard_allows(run->settings.change, path)) continue;
        rc = protect_take(&protect, repo->workspace, "", path, guarded->err);
    }
    if (rc == 0 && !reader) {
        rc = take_git(&protect, repo, guard_git_right(run, guarded->action), guarded->err);
    }
    if (rc == 0) rc = take_settings(&protect, &arena, guarded->err);
    if (rc == 0 && !reader) rc = guard_git_begin(guarded);
    if (rc == 0) { /* last: it says that the rest is there */
        rc = protect_save(&protect, run_folder(run, &arena),
                          guard_name(guarded, &arena), guarded->err);
    }
    protect_release(&protect);
    arena_release(&arena);
    return rc;
}

static const char *guard_complain(const struct guarded *guarded, const char *what)
{
    struct run *run = guarded->run;
    struct guard_page page = { .what = slot_words(what) };
    /* What git and the user's own agents go by cannot be allowed. */
    bool never = strstr(what, " .git/") || strstr(what, " ~/") || strstr(what, " /");

    guarded->warn(guarded->context, "%s changed what it may not change (%s): put back, its "
                  "versions are in %s/kept%s", run->plan.roles[guarded->action->role].name, what,
                  guarded->dir, never ? "" : "; to allow it, name the path in rights.change (hone "
                  "config)");
    return guard_words(guard_page_files, &page, &run->arena).data;
}

const char *guard_elsewhere(const char *what, struct arena *arena)
{
    struct guard_page page = { .what = slot_words(what) };

    return guard_words(guard_page_files, &page, arena).data;
}

int guard_end(const struct guarded *guarded, const char **problem)
{
    struct run *run = guarded->run;
    struct protect before = { 0 };
    struct arena arena = { 0 };
    const char *folder, *name, *other = NULL;
    struct buf what;
    struct err none = { 0 };
    bool begun, reader = is_reader_in_sandbox(run, guarded->action);
    int rc, git_rc = 0;

    *problem = NULL;
    if (!reader && !is_guarded(run, guarded->action)) return 0;
    folder = run_folder(run, &arena);
    name = guard_name(guarded, &arena);
    buf_init(&what, WHAT_BYTES_MAX);
    rc = protect_load(&before, folder, name, guarded->err);
    begun = rc == 0;
    if (begun) {
        rc = protect_restore(&before, arena_printf(&arena, "%s/kept", guarded->dir), &what,
                             guarded->err);
    }
    if (what.size > 0) *problem = guard_complain(guarded, buf_cstr(&what));
    if (!reader && (rc == 0 || rc == ERR_MISSING)) git_rc = guard_git_end(guarded, begun, &other);
    if (other && *problem) *problem = arena_printf(&run->arena, "%s\n\n%s", *problem, other);
    else if (other) *problem = other;
    if (rc == 0 && git_rc == 0) (void)file_remove_in(folder, name, &none);
    protect_release(&before);
    buf_release(&what);
    arena_release(&arena);
    return rc != 0 && rc != ERR_MISSING ? rc : git_rc;
}
