/* SPDX-License-Identifier: Apache-2.0
 *
 * places.c - the places that agents may write to, those that are closed and those that are hidden,
 * as tables.
 *
 * A place is open where agents keep files for themselves (state), and to agents that write also
 * where build tools do (caches). A place is closed, as a setting, where a file in it decides what
 * runs later, here or on another machine: settings of programs, and programs. Where one folder has
 * both (~/.claude, ~/.codex), the folder is open and the settings in it are closed. A place is
 * hidden where a program of the user's session listens: that acts outside of any sandbox, and a
 * read-only file system lets an agent connect to it all the same.
 *
 * The configuration files that dialects have in a workspace are closed, too: the dialects name
 * them. */
#include "settings/places.h"

#include "dialect/dialect.h"
#include "io/process/host.h"

#include <stdlib.h>
#include <string.h>

#define CLAUDE .variable = "CLAUDE_CONFIG_DIR", .home = ".claude"
#define CODEX .variable = "CODEX_HOME", .home = ".codex"

const struct guard_place guard_state[] = {
    { CLAUDE, .of = "claude" },
    { .variable = "XDG_CACHE_HOME", .home = ".cache", .below = "claude-cli-nodejs" },
    { CODEX, .of = "codex" },
    { .home = ".gemini", .of = "gemini" },
    { .home = NULL },
};

const struct guard_place guard_caches[] = {
    { .variable = "XDG_CACHE_HOME", .home = ".cache" },
    { .variable = "npm_config_cache", .home = ".npm" },
    { .variable = "CARGO_HOME", .home = ".cargo", .below = "registry" },
    { .variable = "CARGO_HOME", .home = ".cargo", .below = "git" },
    { .variable = "GOPATH", .home = "go", .below = "pkg" },
    { .variable = "GOCACHE" },
    { .variable = "GOMODCACHE" },
    { .variable = "GRADLE_USER_HOME", .home = ".gradle", .below = "caches" },
    { .variable = "GRADLE_USER_HOME", .home = ".gradle", .below = "daemon" },
    { .variable = "GRADLE_USER_HOME", .home = ".gradle", .below = "wrapper" },
    { .home = ".m2", .below = "repository" },
    { .home = ".nuget", .below = "packages" },
    { .variable = "CCACHE_DIR", .home = ".ccache" },
    { .home = ".bun", .below = "install/cache" },
    { .home = ".local/share/pnpm", .below = "store" },
    { .home = NULL },
};

const struct guard_place guard_settings[] = {
    { CLAUDE, .below = "settings.json", .watched = true },
    { CLAUDE, .below = "settings.local.json", .watched = true },
    { CLAUDE, .below = "CLAUDE.md" },
    { CLAUDE, .below = "agents" },
    { CLAUDE, .below = "commands" },
    { CLAUDE, .below = "hooks" },
    { CLAUDE, .below = "output-styles" },
    { CLAUDE, .below = "plugins" },
    { CLAUDE, .below = "rules" },
    { CLAUDE, .below = "skills" },
    { CLAUDE, .below = "local" }, /* programs, from here on */
    { CLAUDE, .below = "bin" },
    { CLAUDE, .below = "downloads" },
    { .home = ".claude.json" },
    { CODEX, .below = "config.toml" },
    { CODEX, .below = "hooks.json", .watched = true },
    { CODEX, .below = "AGENTS.md" },
    { CODEX, .below = "AGENTS.override.md" },
    { CODEX, .below = "agents" },
    { CODEX, .below = "hooks" },
    { CODEX, .below = "plugins" },
    { CODEX, .below = "prompts" },
    { CODEX, .below = "rules" },
    { CODEX, .below = "bin" },
    { CODEX, .below = "packages" },
    { CODEX, .below = "skills" },
    { .home = ".gemini", .below = "settings.json", .watched = true },
    { .home = ".gemini", .below = "GEMINI.md" },
    { .home = ".gemini", .below = "commands" },
    { .home = ".gemini", .below = "extensions" },
    { .home = ".gemini", .below = "bin" },
    { .home = ".gemini", .below = "policies" },
    { .home = ".gemini", .below = "trustedFolders.json" },
    { .variable = "XDG_CONFIG_HOME", .home = ".config", .below = "hone" },
    { .variable = "XDG_STATE_HOME", .home = ".local/state", .below = "hone" },
    { .home = NULL },
};

const struct guard_place guard_tools[] = {
    { .home = ".gitconfig" },
    { .variable = "XDG_CONFIG_HOME", .home = ".config", .below = "git" },
    { .variable = "RUSTUP_HOME", .home = ".rustup" },
    { .variable = "CARGO_HOME", .home = ".cargo", .below = "registry" }, /* fetched packages */
    { .variable = "CARGO_HOME", .home = ".cargo", .below = "git" },
    { .variable = "GOPATH", .home = "go", .below = "pkg/mod" },
    { .variable = "NVM_DIR", .home = ".nvm" },
    { .variable = "PYENV_ROOT", .home = ".pyenv" },
    { .home = ".local/lib" },
    { .home = ".local/share/claude" },
    { .variable = "GIT_CONFIG_GLOBAL" },
    { .variable = "SSL_CERT_FILE" },
    { .variable = "SSL_CERT_DIR" },
    { .variable = "NODE_EXTRA_CA_CERTS" },
    { .variable = "CURL_CA_BUNDLE" },
    { .variable = "REQUESTS_CA_BUNDLE" },
    { .home = NULL },
};

const struct guard_place guard_session[] = {
    { .variable = "XDG_RUNTIME_DIR" },
    { .variable = "TMUX_TMPDIR" },
    { .variable = "SCREENDIR" },
    { .variable = "SSH_AUTH_SOCK" },
    { .home = ".ssh/agent" },
    { .variable = "XAUTHORITY" },
    { .home = ".Xauthority" },
    { .home = ".gnupg", .below = "S.gpg-agent" },
    { .home = ".gnupg", .below = "S.gpg-agent.extra" },
    { .home = ".gnupg", .below = "S.gpg-agent.ssh" },
    { .home = ".gnupg", .below = "S.gpg-agent.browser" },
    { .home = ".gnupg", .below = "S.keyboxd" },
    { .home = ".1password", .below = "agent.sock" },
    { .home = ".docker", .below = "run" },
    { .home = ".docker", .below = "desktop" },
    { .home = ".colima" },
    { .home = ".orbstack", .below = "run" },
    { .variable = "DOCKER_HOST" }, /* unix:///PATH */
    { .variable = "CONTAINER_HOST" },
    { .variable = "XDG_CONFIG_HOME", .home = ".config", .below = "hone/fleet" }, /* its keys */
    { .variable = "HONE_FLEET_KEYS" },
    { .home = NULL },
};

static const char *const workspace_paths[] = {
    ".claude", ".codex", ".gemini", ".mcp.json", "hone.json", /* agents */
    ".hone/baseline.json", ".hone/waivers.yaml",              /* what is not listed, what is left */
    ".hone/roles", ".hone/loops",                             /* who judges */
    ".cursor/mcp.json",
    ".githooks", ".husky", ".pre-commit-config.yaml",         /* hooks of git */
    "lefthook.yml", ".lefthook.yml",
    ".vscode/tasks.json", ".devcontainer", ".envrc",          /* editors and shells */
    ".github/actions", ".github/workflows", ".gitea/workflows", ".forgejo/workflows",
    ".gitlab-ci.yml", ".gitlab/ci", ".circleci", ".travis.yml", ".cirrus.yml", ".drone.yml",
    ".woodpecker", ".woodpecker.yml", ".buildkite", ".semaphore", ".builds", ".build.yml",
    "Jenkinsfile", "appveyor.yml", ".appveyor.yml", "azure-pipelines.yml", ".azure-pipelines",
    "bitbucket-pipelines.yml",
    NULL,
};

const char *const guard_git[] = {
    "hooks", "config", "config.worktree", "info/attributes", "modules", "gitdir", "commondir", NULL,
};

const char *const guard_going[] = {
    "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "sequencer",
    "info/exclude", NULL,
};

const char *const guard_commit[] = {
    "objects", "lfs", "rr-cache", "reftable", NULL,
};

const char *guard_folder(const struct guard_place *place, struct arena *arena)
{
    const char *named = place->variable ? getenv(place->variable) : NULL;
    const char *home = host_home();

    if (named && strncmp(named, "unix://", 7) == 0) named += 7;
    if (named && named[0] == '/') return arena_cstr(arena, str_of(named));
    return place->home && home ? arena_printf(arena, "%s/%s", home, place->home) : NULL;
}

const char *guard_label(const struct guard_place *place, struct arena *arena)
{
    const char *named = place->variable ? getenv(place->variable) : NULL;

    if (named && named[0] == '/') return arena_printf(arena, "%s/", named);
    return arena_printf(arena, "~/%s/", place->home);
}

/* Whether a is b, or a folder that b is in. */
static bool holds(struct str a, struct str b)
{
    return str_starts(b, a) && (a.size == b.size || b.data[a.size] == '/');
}

static bool is_in_workspace_paths(const char *path)
{
    for (uint32_t i = 0; workspace_paths[i]; i++) {
        if (holds(str_of(workspace_paths[i]), str_of(path))) return true;
    }
    return false;
}

const char *guard_workspace(uint32_t nth)
{
    const uint32_t count = sizeof workspace_paths / sizeof *workspace_paths - 1;

    if (nth < count) return workspace_paths[nth];
    nth -= count;
    for (uint32_t i = 0; dialects[i]; i++) {
        const struct dialect_configuring *own = dialects[i]->configuring;

        for (const char *const *file = own ? own->files : NULL; file && *file; file++) {
            bool counts = **file != '~' && !is_in_workspace_paths(*file);
            if (counts && nth-- == 0) return *file;
        }
    }
    return NULL;
}

bool guard_allows(const char *lines, const char *path)
{
    struct str rest = str_of(lines ? lines : ""), line;

    while (str_cut(&rest, '\n', &line)) {
        while (line.size > 1 && line.data[line.size - 1] == '/') line.size--;
        if (str_starts(line, STR("./"))) line = str_skip(line, 2);
        if (str_is(line, "*")) return true;
        if (line.size > 0 && (holds(line, str_of(path)) || holds(str_of(path), line))) return true;
    }
    return false;
}
