/* SPDX-License-Identifier: Apache-2.0
 *
 * program.c - where an analyzer's program is, and the cage for one that runs code of the
 * repository.
 *
 * A project's own copy of a tool (node_modules/.bin, .venv/bin, venv/bin) is the version that its
 * settings are written for, so it comes first. It is code of the repository, as is what a build
 * script does or a settings file in a programming language:
 *
 * 1. Code of the repository runs in the closed cage (sandbox.h) or not at all, also where the agent
 *    itself has no sandbox. Where there is no cage, the copy of the PATH is used in place of the
 *    project's own; a tool that always runs such code does not look, and that is said.
 * 2. In the cage are the workspace, and the folders of programs and of what they need, to be read;
 *    of the environment, the PATH and where toolchains are.
 *
 * Not here: names on the PATH (io/process/program.c). */
#include "analyze/analyzer.h"
#include "analyze/words.h"

#include "io/process/host.h"
#include "io/process/program.h"
#include "io/process/sandbox.h"

#include <stdlib.h>
#include <string.h>

static const char *const own_folders[] = { "node_modules/.bin", ".venv/bin", "venv/bin" };

/* Below the home folder: toolchains, and packages that were fetched before. */
static const char *const tool_folders[] = { ".rustup", ".cargo/bin", ".cargo/registry",
                                            ".cargo/git", ".nvm", ".pyenv", ".local/lib",
                                            "go/pkg/mod" };

static const char *own_copy(const struct analyzer *analyzer, const char *workspace,
                            struct arena *arena)
{
    for (size_t i = 0; analyzer->own && i < sizeof own_folders / sizeof *own_folders; i++) {
        const char *path = arena_printf(arena, "%s/%s/%s", workspace, own_folders[i],
                                        analyzer->program);

        if (program_path(path)) return path;
    }
    return NULL;
}

const char *analyzer_on_path(const struct analyzer *analyzer)
{
    if (program_exists(analyzer->program)) return analyzer->program;
    if (!analyzer->otherwise || !program_exists(analyzer->otherwise)) return NULL;
    return analyzer->otherwise;
}

const char *analyzer_program(const struct analyzer *analyzer, const char *workspace,
                             struct arena *arena, bool *own)
{
    const char *path = analyzer->program ? own_copy(analyzer, workspace, arena) : NULL, *name;

    *own = path && !sandbox_problem();
    if (!analyzer->program) return "";
    name = analyzer_on_path(analyzer);
    return *own ? path : name ? program_find(name, arena) : NULL;
}

const char *analyzer_uncaged(const struct analyzer *analyzer, const char *workspace,
                             struct arena *arena)
{
    bool only_own = analyzer->program && !analyzer_on_path(analyzer) &&
                    own_copy(analyzer, workspace, arena);
    const char *problem = analyzer->runs_code || only_own ? sandbox_problem() : NULL;

    if (!problem) return NULL;
    return arena_printf(arena, "%s would run code of this repository, and there is no sandbox to "
                        "run it in (%s)", analyzer->name, problem);
}

/* Where toolchains are, for those that ask their environment; the first is no toolchain. */
static const char *const tool_variables[] = { "HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "GOROOT" };

/* argv in an environment of its own. */
static const char *const *alone(const char *const *argv, const char *const *env,
                                struct arena *arena)
{
    struct words words = { .arena = arena };
    const char *path = getenv("PATH");

    word_add(&words, "env");
    word_add(&words, "-i");
    word_add(&words, arena_printf(arena, "PATH=%s", path ? path : "/usr/bin:/bin"));
    for (size_t i = 0; i < sizeof tool_variables / sizeof *tool_variables; i++) {
        const char *value = getenv(tool_variables[i]);

        if (value) word_add(&words, arena_printf(arena, "%s=%s", tool_variables[i], value));
    }
    word_add_list(&words, env);
    word_add_list(&words, argv);
    return words_take(&words);
}

const char *const *analyzer_cage(const char *const *folders, const char *const *argv,
                                 const char *const *env, struct arena *arena)
{
    const char *path = getenv("PATH"), *home = host_home();
    struct str rest = str_of(path), folder;
    struct sandbox sandbox = { 0 };

    if (sandbox_problem() || !sandbox_close(&sandbox, *folders, arena)) return NULL;
    while (*++folders) (void)sandbox_rule(&sandbox, *folders, SANDBOX_READ, arena);
    while (str_cut(&rest, ':', &folder)) {
        const char *entry = arena_cstr(arena, folder);

        if (entry[0] != '/' || entry[1] == '\0' || (home && strcmp(entry, home) == 0)) continue;
        (void)sandbox_rule(&sandbox, entry, SANDBOX_READ, arena);
    }
    for (size_t i = 1; i < sizeof tool_variables / sizeof *tool_variables; i++) {
        const char *at = getenv(tool_variables[i]);

        if (at && at[0] == '/' && at[1]) (void)sandbox_rule(&sandbox, at, SANDBOX_READ, arena);
    }
    for (size_t i = 0; home && i < sizeof tool_folders / sizeof *tool_folders; i++) {
        (void)sandbox_rule(&sandbox, arena_printf(arena, "%s/%s", home, tool_folders[i]),
                           SANDBOX_READ, arena);
    }
    return sandbox_command(&sandbox, alone(argv, env, arena), arena);
}
