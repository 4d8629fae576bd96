/* SPDX-License-Identifier: Apache-2.0
 *
 * sandbox.c - the sandbox of an attempt, by its role.
 *
 * The machine is read-only; then, by role:
 *
 *   role                    may write to
 *   all                     temporary folders of their own, what their clients keep (guard_state),
 *                           their attempt's folder, what the user names (rights.write)
 *   fixers, builders, the   the workspace and caches of build tools besides
 *   project's own tests
 *   analyzers               nothing of it but temporary folders, their attempt's folder and their
 *                           cache; no home, no network: what a repository sets them to may run code
 *   fixers that run a test  the same as fixers; where no person named the test, no home and no
 *                           network, since the repository says what it runs
 *   hone's own agents       everything; but hooks, filters and merge drivers, which their git runs,
 *                           can what a fixer can that may commit (guard_own): a hook may call a
 *                           script of the tree, which an agent wrote
 *
 * 1. Programs are never open, also where they lie in an open folder: those of all agents, and what
 *    is on the PATH. What hone or the user runs later is what it was before.
 * 2. Nothing of the user's session is seen (guard_session): a socket acts outside of any sandbox.
 * 3. Temporary folders are empty ones, in memory, unless rights.tmp shares them. What a client
 *    needs of them is seen there: the home folder, programs, certificates.
 *
 * Of the git folder an agent that writes may change, by what its role may (guard_git_right):
 *
 *   GIT_CLOSED   nothing
 *   GIT_BRANCH   its work tree's own part (index, HEAD's log ...), objects, and the folder of refs
 *                that its branch is in. In a lane's work tree that folder holds no other branch.
 *                In a checkout others are beside it, and git.c looks at those
 *   GIT_OPEN     everything but what runs programs (hooks, config ...)
 *
 * Not here: the second look (guard.c, git.c). */
#include "guard/parts.h"

#include "agent/env.h"
#include "base/path.h"
#include "io/file/file.h"
#include "io/file/scratch.h"
#include "io/process/host.h"
#include "io/process/program.h"
#include "io/process/sandbox.h"
#include "run/cast.h"
#include "run/site.h"
#include "settings/places.h"

#include <stdlib.h>
#include <string.h>

enum { LINES_BYTES_MAX = 1 << 20, WITHHELD_MAX = 200 };

/* ---- rules ---- */

/* A sandbox in the making. */
struct guarding {
    struct run *run;
    const struct repo *repo;   /* of the lane */
    const struct agent *agent; /* NULL: hone's own */
    const struct action *action; /* whose attempt it is */
    bool closed;               /* no home and no network, with any rights */
    bool home_private, tmp_private;
    struct sandbox sandbox;
    struct arena *arena;
};

static bool rule(struct guarding *guarding, const char *path, enum sandbox_how how)
{
    return sandbox_rule(&guarding->sandbox, path, how, guarding->arena);
}

static bool is_in(const char *path, const char *folder)
{
    size_t bytes = strlen(folder);

    return strncmp(path, folder, bytes) == 0 && path[bytes] == '/';
}

static bool holds(const char *folder, const char *path)
{
    return path && (strcmp(folder, path) == 0 || is_in(path, folder));
}

/* What the rules so far make of a path: the longest one decides. */
static enum sandbox_how how_now(const struct guarding *guarding, const char *path)
{
    const struct sandbox *sandbox = &guarding->sandbox;
    enum sandbox_how how = SANDBOX_READ;
    size_t longest = 0;

    for (uint32_t i = 0; i < sandbox->count; i++) {
        const char *folder = sandbox->rules[i].path;

        if (strlen(folder) < longest || !holds(folder, path)) continue;
        longest = strlen(folder);
        how = sandbox->rules[i].how;
    }
    return how;
}

/* It can be read, and not written; nothing to do where that is so already. */
static void rule_readable(struct guarding *guarding, const char *path)
{
    const char *real = file_real(path, guarding->arena);

    if (real && how_now(guarding, real) != SANDBOX_READ) (void)rule(guarding, real, SANDBOX_READ);
}

/* Whether a folder that is not there is one that the agent's client would make. */
static bool is_state_of(const struct guarding *guarding, const struct guard_place *place)
{
    const char *program = guarding->agent ? guarding->agent->backend->program : NULL;

    return place->of && program && strcmp(place->of, program) == 0 && host_home() &&
           file_exists(host_home());
}

static void rules_of(struct guarding *guarding, const struct guard_place *places,
                     enum sandbox_how how)
{
    for (; places->variable || places->home; places++) {
        const char *path = guard_folder(places, guarding->arena);

        if (path && places->below) {
            path = arena_printf(guarding->arena, "%s/%s", path, places->below);
        }
        if (path && how == SANDBOX_READ) rule_readable(guarding, path);
        else if (path && rule(guarding, path, how)) continue;
        if (path && how == SANDBOX_WRITE && is_state_of(guarding, places)) {
            struct err none;

            if (file_make_folder(path, false, &none) == 0) (void)rule(guarding, path, how);
        }
    }
}

/* What is named by the user: absolute, in the home folder, or in the workspace. */
static void rules_named(struct guarding *guarding, const char *lines)
{
    struct str rest = str_of(lines ? lines : ""), line;
    const char *home = host_home();

    while (str_cut(&rest, '\n', &line)) {
        const char *base = guarding->run->repo.workspace;

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

/* Whether a rule for a folder would be one for the home, for temporary files or for the state of an
 * agent. */
static bool is_wide(struct guarding *guarding, const char *folder)
{
    const struct guard_place *place = guard_state;

    if (holds(folder, host_home()) || holds(folder, getenv("TMPDIR"))) return true;
    for (uint32_t i = 0; sandbox_temporary[i]; i++) {
        if (holds(folder, sandbox_temporary[i])) return true;
    }
    for (; place->variable || place->home; place++) {
        if (!place->below && holds(folder, guard_folder(place, guarding->arena))) return true;
    }
    return holds(folder, guarding->repo->workspace);
}

/* A program, with what it is made of, can be read. */
static void rule_program(struct guarding *guarding, const char *name)
{
    const char *found = name ? program_path(name) : NULL;
    const char *path = found ? file_real(found, guarding->arena) : NULL;
    const char *modules = path ? strstr(path, "/node_modules/") : NULL;
    const char *folder;

    if (!path) return;
    folder = modules ? arena_cstr(guarding->arena,
                                  (struct str){ path, (size_t)(modules - path) +
                                                      strlen("/node_modules") })
                     : path_folder_text(path, guarding->arena);
    rule_readable(guarding, is_wide(guarding, folder) ? path : folder);
    /* A script beside what it starts, or a link to it. */
    if (strcmp(found, path) == 0) return;
    folder = path_folder_text(found, guarding->arena);
    if (!is_wide(guarding, folder)) rule_readable(guarding, folder);
}

static bool is_in_workspace(const struct guarding *guarding, const char *path)
{
    return holds(guarding->repo->workspace, path) ||
           holds(guarding->run->repo.workspace, path);
}

/* What a command line begins with, where that is a file. */
static const char *command_file(const struct guarding *guarding)
{
    struct str rest = str_of(guarding->agent && guarding->agent->argument
                                 ? guarding->agent->argument : "");
    struct str word;

    if (!str_starts(rest, STR("/")) || !str_cut(&rest, ' ', &word)) return NULL;
    return arena_cstr(guarding->arena, word);
}

/* Invariant 1; and where folders are hidden, their programs are there. */
static void rules_programs(struct guarding *guarding)
{
    const char *path = getenv("PATH"), *file = command_file(guarding);
    struct str rest = str_of(path ? path : ""), folder;

    while (str_cut(&rest, ':', &folder)) {
        const char *entry = arena_cstr(guarding->arena, folder);

        if (entry[0] != '/' || is_in_workspace(guarding, entry)) continue;
        if (is_wide(guarding, entry)) continue;
        rule_readable(guarding, entry);
    }
    for (uint32_t i = 0; backends[i]; i++) rule_program(guarding, backends[i]->program);
    rule_program(guarding, "node");
    if (file && !is_in_workspace(guarding, file)) rule_readable(guarding, file);
    rule_readable(guarding, program_self());
}

static void rules_private_home(struct guarding *guarding)
{
    const char *home = host_home();

    if (home) (void)rule(guarding, home, SANDBOX_EMPTY);
}

static void rule_temporary(struct guarding *guarding, const char *folder, bool writes)
{
    const char *home = host_home();
    bool private = guarding->tmp_private;

    if (!folder || folder[0] != '/' || folder[1] == '\0') return;
    if (writes && holds(guarding->repo->workspace, folder)) return; /* a part of the work */
    if (how_now(guarding, folder) == SANDBOX_WRITE) return; /* the user named it */
    if (home && strcmp(home, folder) == 0) private = false;
    (void)rule(guarding, folder, private ? SANDBOX_EMPTY : SANDBOX_WRITE);
}

static void rules_temporary(struct guarding *guarding, bool writes)
{
    const char *home = host_home();

    for (uint32_t i = 0; sandbox_temporary[i]; i++) {
        rule_temporary(guarding, sandbox_temporary[i], writes);
    }
    rule_temporary(guarding, getenv("TMPDIR"), writes);
    /* A home that lies in such a folder stays a home. */
    if (home && !guarding->home_private) (void)rule(guarding, home, SANDBOX_READ);
}

static void rules_secrets(struct guarding *guarding)
{
    struct str rest = str_of(guarding->run->secrets ? guarding->run->secrets : ""), line;

    while (str_cut(&rest, '\n', &line)) {
        if (line.size > 0) (void)rule(guarding, arena_cstr(guarding->arena, line), SANDBOX_HIDE);
    }
}

/* What is the same for all roles. */
static void rules_common(struct guarding *guarding, bool writes)
{
    const struct run_settings *settings = &guarding->run->settings;
    struct role_rights role = run_rights(guarding->run, guarding->action, guarding->arena);
    bool closed = guarding->closed;

    guarding->sandbox.read_only = true;
    guarding->sandbox.no_network = settings->network_off || closed || role.no_network;
    guarding->home_private = settings->home_private || closed || role.no_home;
    guarding->tmp_private = settings->tmp_private || closed || role.no_tmp;
    if (guarding->home_private) rules_private_home(guarding);
    rules_of(guarding, guard_session, SANDBOX_HIDE);
    for (uint32_t i = 0; sandbox_session[i]; i++) {
        (void)rule(guarding, sandbox_session[i], SANDBOX_HIDE);
    }
    rules_secrets(guarding);
    if (!guarding->closed) rules_named(guarding, settings->write);
    rules_temporary(guarding, writes);
    rules_of(guarding, guard_tools, SANDBOX_READ);
    if (!guarding->closed) rules_of(guarding, guard_state, SANDBOX_WRITE);
    if (writes) rules_of(guarding, guard_caches, SANDBOX_WRITE);
    rules_programs(guarding);
}

/* For what a repository brings along: a link that leads out of it must not open what a sandbox
 * hides, nor close or open anything elsewhere. */
static bool rule_inside(struct guarding *guarding, const char *path, enum sandbox_how how)
{
    const struct repo *repo = guarding->repo;
    const char *real = file_real(path, guarding->arena);

    return real && (is_in(real, repo->workspace) || is_in(real, repo->common_dir) ||
                    is_in(real, repo->git_dir)) && rule(guarding, real, how);
}

/* The folder around a path that stays as it is: if it could be renamed, the path would go along. */
static void rule_above(struct guarding *guarding, const char *path)
{
    const char *folder = path_folder_text(path, guarding->arena);

    if (strcmp(folder, guarding->repo->workspace) == 0) return;
    (void)rule_inside(guarding, folder, SANDBOX_WRITE);
}

static void rules_workspace(struct guarding *guarding)
{
    const char *allowed = guarding->run->settings.change;
    const char *top = guarding->repo->workspace, *name;

    for (uint32_t i = 0; (name = guard_workspace(i)); i++) {
        const char *path = arena_printf(guarding->arena, "%s/%s", top, name);

        if (guard_allows(allowed, name)) continue;
        if (rule_inside(guarding, path, SANDBOX_READ)) rule_above(guarding, path);
    }
}

static void rule_git(struct guarding *guarding, const char *folder, const char *name,
                     enum sandbox_how how)
{
    (void)rule_inside(guarding, arena_printf(guarding->arena, "%s/%s", folder, name), how);
}

/* Files of git that make programs run stay as they are, for every role. */
static void rules_git_programs(struct guarding *guarding, const char *folder)
{
    for (uint32_t i = 0; guard_git[i]; i++) rule_git(guarding, folder, guard_git[i], SANDBOX_READ);
}

/* git makes files at the top of its folder. */
static void rules_git_open(struct guarding *guarding)
{
    const struct repo *repo = guarding->repo;

    (void)rule(guarding, repo->common_dir, SANDBOX_WRITE);
    rule_git(guarding, repo->common_dir, "worktrees", SANDBOX_READ);
    (void)rule(guarding, repo->git_dir, SANDBOX_WRITE);
    rule_git(guarding, repo->common_dir, "info", SANDBOX_READ);
    rules_git_programs(guarding, repo->common_dir);
    rules_git_programs(guarding, repo->git_dir);
}

/* The folder of refs that a branch is in, and that of their logs. git removes such a folder when it
 * has nothing in it. */
static void rules_git_ref(struct guarding *guarding, const char *branch)
{
    const char *top = guarding->repo->common_dir;
    const char *refs = path_folder_text(branch, guarding->arena);
    const char *logs = arena_printf(guarding->arena, "logs/%s", refs);
    struct err none;

    if (file_make_folder_in(top, refs, &none) == 0) rule_git(guarding, top, refs, SANDBOX_WRITE);
    if (file_make_folder_in(top, logs, &none) == 0) rule_git(guarding, top, logs, SANDBOX_WRITE);
}

/* Branches that other work trees are on: those are not looked at later. */
static void rules_git_elsewhere(struct guarding *guarding)
{
    struct str rest, line;
    struct buf lines;

    buf_init(&lines, LINES_BYTES_MAX);
    refs_elsewhere(guarding->repo, NULL, &lines);
    rest = buf_str(&lines);
    while (str_cut(&rest, '\n', &line)) {
        rule_git(guarding, guarding->repo->common_dir, arena_cstr(guarding->arena, line),
                 SANDBOX_READ);
    }
    buf_release(&lines);
}

static void rules_git_branch(struct guarding *guarding, uint32_t lane, const char *branch)
{
    const struct repo *repo = guarding->repo;
    const char *top = repo->common_dir;

    if (strcmp(top, repo->git_dir) != 0) {
        (void)rule(guarding, top, SANDBOX_READ);
        for (uint32_t i = 0; guard_commit[i]; i++) {
            rule_git(guarding, top, guard_commit[i], SANDBOX_WRITE);
        }
        (void)rule(guarding, repo->git_dir, SANDBOX_WRITE);
        rules_git_programs(guarding, repo->git_dir);
    } else {
        struct err none;

        /* What is not there cannot be closed, and a work tree could be added. */
        (void)file_make_folder_in(top, "worktrees", &none);
        rules_git_open(guarding);
        rule_git(guarding, top, "refs", SANDBOX_READ);
        rule_git(guarding, top, "packed-refs", SANDBOX_READ);
        if (rule_inside(guarding, arena_printf(guarding->arena, "%s/logs/HEAD", top),
                        SANDBOX_WRITE)) {
            rule_git(guarding, top, "logs", SANDBOX_READ);
        }
    }
    /* Without a branch a commit is made by writing to it; in a lane it is looked at later. */
    if (branch && lane == 0) {
        rule_git(guarding, repo->git_dir, "HEAD", SANDBOX_READ);
        rules_git_elsewhere(guarding);
    }
    if (branch) rules_git_ref(guarding, branch);
}

static void rules_git(struct guarding *guarding, uint32_t lane, enum git_right right)
{
    const struct repo *repo = guarding->repo;

    if (!repo->is_git) right = GIT_CLOSED;
    switch (right) {
    case GIT_OPEN:
        rules_git_open(guarding);
        break;
    case GIT_BRANCH:
        rules_git_branch(guarding, lane, guard_branch(guarding->run, lane, guarding->arena));
        break;
    case GIT_CLOSED:
    case GIT_RIGHT_COUNT:
        (void)rule(guarding, repo->common_dir, SANDBOX_READ);
        (void)rule(guarding, repo->git_dir, SANDBOX_READ);
        break;
    }
    (void)rule(guarding, repo->hone_dir, SANDBOX_READ);
}

static void rules_writer(struct guarding *guarding, uint32_t lane, enum git_right right)
{
    const struct run *run = guarding->run;
    const struct repo *repo = guarding->repo;

    rules_common(guarding, true);
    (void)rule(guarding, run->repo.workspace, SANDBOX_READ);
    (void)rule(guarding, arena_printf(guarding->arena, "%s/.git", repo->workspace), SANDBOX_READ);
    rules_git(guarding, lane, right);
    (void)rule(guarding, repo->workspace, SANDBOX_WRITE);
    rules_workspace(guarding);
}

static void rules_reader(struct guarding *guarding)
{
    const struct repo *repo = guarding->repo;

    rules_common(guarding, false);
    (void)rule(guarding, guarding->run->repo.workspace, SANDBOX_READ);
    (void)rule(guarding, repo->workspace, SANDBOX_READ);
    (void)rule(guarding, repo->common_dir, SANDBOX_READ);
    (void)rule(guarding, repo->git_dir, SANDBOX_READ);
    (void)rule(guarding, repo->hone_dir, SANDBOX_READ);
}

const char *const *guard_wrap(const struct guarded *guarded, const struct attempt *about,
                              const char *const *argv, struct arena *arena)
{
    struct run *run = guarded->run;
    const struct action *action = guarded->action;
    bool builtin = is_builtin(run, action);
    struct guarding guarding = { .run = run, .arena = arena, .action = action,
                                 .repo = &site_at(run, action)->repo };

    if (!run->sandboxed || (builtin && !guarded->command)) return argv;
    if (!builtin) guarding.agent = agent_of(run, action);
    guarding.closed = builtin ? action->purpose == FOR_PROOF && run->settings.test_found
                              : guarding.agent->backend->closed ||
                                    (guarding.agent->backend->runs_test &&
                                     run->settings.test_found);
    if (only_reads(run, action)) rules_reader(&guarding);
    else rules_writer(&guarding, action->lane, guard_git_right(run, action));
    rules_of(&guarding, guard_settings, SANDBOX_READ);
    (void)rule(&guarding, guarded->dir, SANDBOX_WRITE);
    if (about->cache) (void)rule(&guarding, about->cache, SANDBOX_WRITE);
    return sandbox_command(&guarding.sandbox, argv, arena);
}

const char *const *guard_ready(const struct guarded *guarded, const char *const *argv,
                               struct arena *arena)
{
    struct run *run = guarded->run;
    struct guarding guarding = { .run = run, .arena = arena, .action = guarded->action,
                                 .repo = &site_at(run, guarded->action)->repo };

    if (!run->sandboxed) return argv;
    rules_writer(&guarding, guarded->action->lane, GIT_CLOSED);
    rules_of(&guarding, guard_settings, SANDBOX_READ);
    (void)rule(&guarding, guarded->dir, SANDBOX_WRITE);
    return sandbox_command(&guarding.sandbox, argv, arena);
}

int guard_own(const struct guarded *guarded, struct arena *arena)
{
    struct run *run = guarded->run;
    const struct action *action = guarded->action;
    struct guarding guarding = { .run = run, .arena = arena, .action = action,
                                 .repo = &site_at(run, action)->repo };
    struct env_request request = { .environment = host_environment(),
                                   .passed = run->settings.pass };
    const char *const *withheld = env_withheld(&request, arena);
    const char *without[WITHHELD_MAX * 2 + 2] = { "env" };
    const char *const *words;
    struct buf text;
    int rc;

    if (!run->sandboxed || !is_builtin(run, action) || guarded->command) return 0;
    for (uint32_t i = 0; i < WITHHELD_MAX && withheld[i]; i++) {
        without[2 * i + 1] = "-u";
        without[2 * i + 2] = withheld[i];
    }
    rules_writer(&guarding, action->lane, GIT_BRANCH);
    rules_of(&guarding, guard_settings, SANDBOX_READ);
    (void)rule(&guarding, guarded->dir, SANDBOX_WRITE);
    buf_init(&text, LINES_BYTES_MAX);
    for (words = sandbox_command(&guarding.sandbox, without, arena); *words; words++) {
        buf_add(&text, (struct str){ *words, strlen(*words) + 1 });
    }
    rc = scratch_write(guarded->dir, "cage", buf_str(&text), guarded->err);
    buf_release(&text);
    return rc;
}
