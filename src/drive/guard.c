/* SPDX-License-Identifier: Apache-2.0
 *
 * guard.c - what an attempt may touch: the sandbox of its role, and a second look where there is
 * none.
 *
 *   who                     may write to
 *   reviewers               everything but the workspace, the git folder and settings of agents
 *   fixers, builders, the   nothing but the workspace, the git folder without what runs programs
 *   project's own tests     (hooks, config ...), temporary files, and what agents and tools of a
 *                           build keep for themselves (guard_places.c)
 *   hone's own agents       everything: commits and merges are made as the user would make them
 *
 * 1. In a workspace nobody who writes changes what runs on other machines or in the agents of
 *    other people: files of CI, of hooks, of agents. The sandbox holds what is there. What is not
 *    there it cannot hold, nor a link: these are looked at again when the attempt has ended, as all
 *    of them are where there is no sandbox. What differs is put back, its versions are kept with
 *    the attempt, and the answer does not count.
 * 2. What is compared with is kept outside of the attempt's own folder: it cannot write there.
 * 3. Of hone's folder an attempt can write its own folder and the cache of its backend.
 *
 * Not here: what reviewers changed in the tree (watch.c). */
#include "drive/drive.h"

#include "agent/env.h"
#include "drive/guard_places.h"
#include "drive/place.h"
#include "io/crew.h"
#include "io/file.h"
#include "io/host.h"
#include "io/protect.h"
#include "io/sandbox.h"
#include "io/scratch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    WHAT_BYTES_MAX = 16 << 10, PATH_BYTES_MAX = 4096, WITHHELD_BYTES_MAX = 64 << 10,
    SETTINGS_BYTES_MAX = 1 << 20,
};

static bool is_guarded_writer(const struct drive *drive, const struct action *action)
{
    const struct role *role = &drive->run.plan.roles[action->role];
    const struct backend *backend = agent_of(drive, action)->backend;

    return role->writes && !role->builtin && !backend->play && !backend->hosted;
}

/* ---- rules ---- */

/* A sandbox in the making. */
struct guarding {
    const struct drive *drive;
    const struct repo *repo; /* of the lane */
    struct sandbox sandbox;
    struct arena *arena;
};

static bool rule(struct guarding *guarding, const char *path, enum sandbox_how how)
{
    return sandbox_rule(&guarding->sandbox, path, how, guarding->arena);
}

static void rules_of(struct guarding *guarding, const struct guard_place *places,
                     enum sandbox_how how)
{
    for (; places->variable || places->home; places++) {
        const char *path = guard_folder(places, guarding->arena);

        if (path && places->below) {
            path = arena_printf(guarding->arena, "%s/%s", path, places->below);
        }
        if (path) (void)rule(guarding, path, how);
    }
}

/* What is named by the user: absolute, in the home folder, or in the workspace. */
static void rules_named(struct guarding *guarding, const char *lines)
{
    struct str rest = str_of(lines ? lines : ""), line;
    const char *home = host_home();

    while (str_cut(&rest, '\n', &line)) {
        const char *base = guarding->drive->repo.workspace;

        if (str_starts(line, STR("~/")) && home) {
            base = home;
            line = str_skip(line, 2);
        } else if (str_starts(line, STR("/"))) {
            base = "";
            line = str_skip(line, 1);
        }
        (void)rule(guarding, arena_printf(guarding->arena, "%s/%.*s", base, STR_ARG(line)),
                   SANDBOX_WRITE);
    }
}

/* A program that is installed in the home folder, with what it is made of. */
static void rule_program(struct guarding *guarding, const char *name)
{
    struct buf found, real;

    buf_init(&found, PATH_BYTES_MAX);
    buf_init(&real, PATH_BYTES_MAX);
    if (name && program_find(name, &found) && file_real(buf_cstr(&found), &real)) {
        const char *path = buf_cstr(&real), *modules = strstr(path, "/node_modules/");
        size_t bytes = modules ? (size_t)(modules - path) + strlen("/node_modules")
                               : (size_t)(strrchr(path, '/') - path);

        if (bytes > 0) {
            (void)rule(guarding, arena_cstr(guarding->arena, (struct str){ path, bytes }),
                       SANDBOX_READ);
        }
    }
    buf_release(&real);
    buf_release(&found);
}

static void rules_private_home(struct guarding *guarding, const struct agent *agent)
{
    const char *home = host_home(), *path = getenv("PATH");
    struct str rest = str_of(path ? path : ""), folder;

    if (!home || !rule(guarding, home, SANDBOX_EMPTY)) return;
    rules_of(guarding, guard_tools, SANDBOX_READ);
    while (str_cut(&rest, ':', &folder)) {
        const char *entry = arena_cstr(guarding->arena, folder);

        if (str_starts(folder, str_of(home))) (void)rule(guarding, entry, SANDBOX_READ);
    }
    rule_program(guarding, agent ? agent->backend->program : NULL);
    rule_program(guarding, "node");
    (void)rule(guarding, program_self(), SANDBOX_READ);
}

/* Sockets of the user's session: what listens there acts outside of any sandbox. */
static void rules_private_session(struct guarding *guarding)
{
    const char *folder = getenv("XDG_RUNTIME_DIR");

    if (folder && folder[0] == '/') (void)rule(guarding, folder, SANDBOX_EMPTY);
}

static bool is_in(const char *path, const char *folder)
{
    size_t bytes = strlen(folder);

    return strncmp(path, folder, bytes) == 0 && path[bytes] == '/';
}

/* For what a repository brings along: a link that leads out of it must not open what a sandbox
 * hides, nor close or open anything elsewhere. */
static bool rule_inside(struct guarding *guarding, const char *path, enum sandbox_how how)
{
    const struct repo *repo = guarding->repo;
    struct buf real;
    bool inside;

    buf_init(&real, PATH_BYTES_MAX);
    inside = file_real(path, &real) &&
             (is_in(buf_cstr(&real), repo->workspace) || is_in(buf_cstr(&real), repo->common_dir) ||
              is_in(buf_cstr(&real), repo->git_dir));
    inside = inside && rule(guarding, buf_cstr(&real), how);
    buf_release(&real);
    return inside;
}

/* The folder around a path that stays as it is: if it could be renamed, the path would go along. */
static void rule_above(struct guarding *guarding, const char *path)
{
    const char *folder = arena_printf(guarding->arena, "%.*s", (int)(strrchr(path, '/') - path),
                                      path);

    if (strcmp(folder, guarding->repo->workspace) == 0) return;
    (void)rule_inside(guarding, folder, SANDBOX_WRITE);
}

static void rules_workspace(struct guarding *guarding)
{
    const char *allowed = guarding->drive->run.settings.change;
    const char *top = guarding->repo->workspace;

    for (uint32_t i = 0; guard_workspace[i]; i++) {
        const char *path = arena_printf(guarding->arena, "%s/%s", top, guard_workspace[i]);

        if (guard_allows(allowed, guard_workspace[i])) continue;
        if (rule_inside(guarding, path, SANDBOX_READ)) rule_above(guarding, path);
    }
}

/* git needs to write to its folder, and makes files at its top. */
static void rules_git(struct guarding *guarding)
{
    const struct repo *repo = guarding->repo;
    const char *const folders[] = { repo->common_dir, repo->git_dir };
    struct arena *arena = guarding->arena;

    if (repo->is_git) {
        (void)rule(guarding, repo->common_dir, SANDBOX_WRITE);
        (void)rule_inside(guarding, arena_printf(arena, "%s/worktrees", repo->common_dir),
                          SANDBOX_READ);
        (void)rule(guarding, repo->git_dir, SANDBOX_WRITE);
        (void)rule_inside(guarding, arena_printf(arena, "%s/info", repo->common_dir),
                          SANDBOX_READ);
    }
    for (uint32_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        for (uint32_t k = 0; guard_git[k]; k++) {
            (void)rule_inside(guarding, arena_printf(arena, "%s/%s", folders[i], guard_git[k]),
                              SANDBOX_READ);
        }
    }
    (void)rule(guarding, repo->hone_dir, SANDBOX_READ);
}

static void rules_writer(struct guarding *guarding)
{
    const struct drive *drive = guarding->drive;
    const struct repo *repo = guarding->repo;

    guarding->sandbox.read_only = true;
    (void)rule(guarding, "/tmp", SANDBOX_WRITE);
    (void)rule(guarding, "/var/tmp", SANDBOX_WRITE);
    rules_of(guarding, guard_open, SANDBOX_WRITE);
    rules_named(guarding, drive->run.settings.write);
    (void)rule(guarding, drive->repo.workspace, SANDBOX_READ);
    (void)rule(guarding, arena_printf(guarding->arena, "%s/.git", repo->workspace), SANDBOX_READ);
    rules_git(guarding);
    (void)rule(guarding, repo->workspace, SANDBOX_WRITE);
    rules_workspace(guarding);
}

static void rules_reader(struct guarding *guarding)
{
    const struct repo *repo = guarding->repo;

    (void)rule(guarding, guarding->drive->repo.workspace, SANDBOX_READ);
    (void)rule(guarding, repo->workspace, SANDBOX_READ);
    (void)rule(guarding, repo->common_dir, SANDBOX_READ);
    (void)rule(guarding, repo->git_dir, SANDBOX_READ);
}

const char *const *guard_wrap(struct drive *drive, const struct live *live,
                              const struct attempt *about, const char *const *argv,
                              struct arena *arena)
{
    const struct run_settings *settings = &drive->run.settings;
    bool builtin = is_builtin(drive, &live->action);
    struct guarding guarding = { .drive = drive, .arena = arena,
                                 .repo = &site_of(drive, live->action.lane)->repo };

    if (!drive->sandboxed || (builtin && !builtin_is_command(drive, &live->action))) return argv;
    guarding.sandbox.no_network = settings->network_off;
    if (settings->home_private) {
        rules_private_home(&guarding, builtin ? NULL : agent_of(drive, &live->action));
        rules_of(&guarding, guard_open, SANDBOX_WRITE);
    }
    if (is_reviewer(drive, &live->action)) rules_reader(&guarding);
    else rules_writer(&guarding);
    if (settings->home_private) rules_private_session(&guarding);
    rules_of(&guarding, guard_settings, SANDBOX_READ);
    (void)rule(&guarding, live->dir, SANDBOX_WRITE);
    if (about->cache) (void)rule(&guarding, about->cache, SANDBOX_WRITE);
    return sandbox_command(&guarding.sandbox, argv, arena);
}

/* ---- credentials ---- */

/* The names, a line each, for whoever wonders: the variables themselves are nowhere. */
static int leave_names(const struct live *live, const char *const *names, struct err *err)
{
    struct buf text;
    int rc = 0;

    buf_init(&text, WITHHELD_BYTES_MAX);
    for (; *names; names++) buf_printf(&text, "%s\n", *names);
    if (text.size > 0) rc = scratch_write(live->dir, "withheld", buf_str(&text), err);
    buf_release(&text);
    return rc;
}

/* What a Codex of the user's is set to: where it takes a key from. */
static struct str codex_settings(struct arena *arena)
{
    const struct guard_place codex = { .variable = "CODEX_HOME", .home = ".codex" };
    const char *folder = guard_folder(&codex, arena);
    struct str out = { "", 0 };
    struct buf text;
    struct err none;

    buf_init(&text, SETTINGS_BYTES_MAX);
    if (folder && file_read(arena_printf(arena, "%s/config.toml", folder), &text, &none) == 0) {
        out = arena_copy(arena, buf_str(&text));
    }
    buf_release(&text);
    return out;
}

int guard_env(struct drive *drive, const struct live *live, const struct attempt *about,
              struct arena *arena, const char *const **out)
{
    static const char *const nobody[] = { NULL };
    bool builtin = is_builtin(drive, &live->action);
    struct env_request request = { .environment = host_environment(),
                                   .passed = drive->run.settings.pass };
    const char *const *withheld = nobody;

    if (!builtin) request.needed = agent_of(drive, &live->action)->backend->credentials;
    if (request.needed && strstr(request.needed, "CODEX_*")) {
        request.settings = codex_settings(arena);
    }
    /* hone's own commits and merges are made as the user makes them. */
    if (!builtin || builtin_is_command(drive, &live->action)) {
        withheld = env_withheld(&request, arena);
    }
    *out = agent_env(about, withheld, arena);
    return leave_names(live, withheld, &drive->err);
}

/* ---- the second look ---- */

static const char *guard_name(const struct live *live, struct arena *arena)
{
    return arena_printf(arena, "guard-%" PRIu32 "-%" PRIu32, live->action.job,
                        live->action.attempt);
}

static int take_git(struct protect *protect, const struct repo *repo, struct err *err)
{
    const char *const folders[] = { repo->common_dir, repo->git_dir };
    uint32_t count = strcmp(repo->common_dir, repo->git_dir) == 0 ? 1 : 2;
    int rc = 0;

    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; guard_git[k] && rc == 0; k++) {
            rc = protect_take(protect, folders[i], repo->is_git ? ".git/" : ".hone/git/",
                              guard_git[k], err);
        }
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

int guard_begin(struct drive *drive, const struct live *live)
{
    const struct repo *repo = &site_of(drive, live->action.lane)->repo;
    struct protect protect = { .gaps = drive->sandboxed };
    struct arena arena = { 0 };
    int rc = 0;

    if (!is_guarded_writer(drive, &live->action)) return 0;
    for (uint32_t i = 0; guard_workspace[i] && rc == 0; i++) {
        if (guard_allows(drive->run.settings.change, guard_workspace[i])) continue;
        rc = protect_take(&protect, repo->workspace, "", guard_workspace[i], &drive->err);
    }
    if (rc == 0) rc = take_git(&protect, repo, &drive->err);
    if (rc == 0) rc = take_settings(&protect, &arena, &drive->err);
    if (rc == 0) {
        rc = protect_save(&protect, place_run(&drive->repo, drive->run.row.id, &arena),
                          guard_name(live, &arena), &drive->err);
    }
    protect_release(&protect);
    arena_release(&arena);
    return rc;
}

static const char *guard_complain(struct drive *drive, const struct live *live, const char *what)
{
    report_warning(&drive->report, "%s changed what it may not change (%s): put back, its versions "
                   "are in %s/kept; to allow it, name the path in rights.change (hone config)",
                   drive->run.plan.roles[live->action.role].name, what, live->dir);
    return arena_printf(&drive->arena, "You changed files that you may not change (%s). They were "
                        "put back, and your answer was not taken: do the work again without "
                        "them.", what);
}

const char *guard_end(struct drive *drive, const struct live *live)
{
    struct protect before = { 0 };
    struct arena arena = { 0 };
    const char *folder = place_run(&drive->repo, drive->run.row.id, &arena);
    const char *name = guard_name(live, &arena), *problem = NULL;
    struct buf what;
    struct err none = { 0 };
    int rc = ERR_MISSING;

    buf_init(&what, WHAT_BYTES_MAX);
    if (is_guarded_writer(drive, &live->action)) {
        rc = protect_load(&before, folder, name, &drive->err);
    }
    if (rc == 0) {
        rc = protect_restore(&before, arena_printf(&arena, "%s/kept", live->dir), &what,
                             &drive->err);
    }
    if (rc == 0) (void)file_remove_in(folder, name, &none);
    if (rc != 0 && rc != ERR_MISSING) drive_break(drive);
    if (what.size > 0) problem = guard_complain(drive, live, buf_cstr(&what));
    protect_release(&before);
    buf_release(&what);
    arena_release(&arena);
    return problem;
}
