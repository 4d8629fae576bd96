/* SPDX-License-Identifier: Apache-2.0
 *
 * test_guard.c - the tables of what agents may touch, and the words that widen them; and variables
 * that are taken out of an environment. */
#include "dialect/dialect.h"
#include "io/process/supervise.h"
#include "settings/places.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

TESTS_ARENA

TEST_WITH(a_line_allows_its_path_and_what_it_is_a_part_of, NULL, release)
{
    static const struct {
        const char *lines, *path;
        bool allowed;
    } rows[] = {
        { ".github/workflows", ".github/workflows", true },
        { ".github", ".github/workflows", true },
        { ".github/", ".github/workflows", true },
        { "./.github/", ".github/workflows", true },
        { ".github/workflows/ci.yml", ".github/workflows", true },
        { "x\n.mcp.json", ".mcp.json", true },
        { "*", ".claude", true },
        { "", ".claude", false },
        { NULL, ".claude", false },
        { "\n\n", ".claude", false },
        { ".git", ".github/workflows", false },
        { ".github/work", ".github/workflows", false },
        { ".claude2", ".claude", false },
        { "/", ".claude", false },
        { "./", ".claude", false },
        { "**", ".claude", false },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (guard_allows(rows[i].lines, rows[i].path) != rows[i].allowed) {
            fail_msg("'%s' and %s", rows[i].lines ? rows[i].lines : "(null)", rows[i].path);
        }
    }
}

static const char *nth_of_git(uint32_t nth)
{
    return guard_git[nth];
}

static void expect_clean(const char *(*nth)(uint32_t))
{
    const char *path;

    for (uint32_t i = 0; (path = nth(i)); i++) {
        assert_true(path[0] != '/' && path[0] != '\0' && path[0] != '~');
        assert_null(strstr(path, ".."));
        assert_null(strstr(path, "//"));
        for (uint32_t k = 0; k < i; k++) assert_string_not_equal(path, nth(k));
    }
}

TEST_WITH(protected_paths_stay_inside, NULL, release)
{
    expect_clean(guard_workspace);
    expect_clean(nth_of_git);
}

/* A dialect's configuration file in the workspace, once: one that is in a protected folder is
 * protected by it. */
TEST_WITH(configuration_files_of_dialects_are_protected, NULL, release)
{
    uint32_t protecting;
    const char *path;

    for (uint32_t i = 0; dialects[i]; i++) {
        const struct dialect_configuring *own = dialects[i]->configuring;

        for (uint32_t k = 0; own && own->files[k]; k++) {
            protecting = 0;
            for (uint32_t n = 0; (path = guard_workspace(n)); n++) {
                protecting += guard_allows(path, own->files[k]);
            }
            assert_int_equal(protecting, own->files[k][0] == '~' ? 0 : 1);
        }
    }
}

TEST_WITH(a_variable_comes_before_the_home_folder, NULL, release)
{
    const struct guard_place codex = { .variable = "CODEX_HOME", .home = ".codex" };
    const struct guard_place none = { .variable = "CODEX_HOME" };

    setenv("HOME", "/usr", 1);
    setenv("CODEX_HOME", "/elsewhere", 1);
    assert_string_equal(guard_folder(&codex, &arena), "/elsewhere");
    assert_string_equal(guard_label(&codex, &arena), "/elsewhere/");
    setenv("CODEX_HOME", "relative", 1); /* no absolute path */
    assert_string_equal(guard_folder(&codex, &arena), "/usr/.codex");
    unsetenv("CODEX_HOME");
    assert_string_equal(guard_label(&codex, &arena), "~/.codex/");
    assert_null(guard_folder(&none, &arena));
    setenv("HOME", "/usr/no-such-home", 1);
    assert_null(guard_folder(&codex, &arena));
    unsetenv("HOME");
    assert_null(guard_folder(&codex, &arena));
}

static const char *value_in(char **environment, const char *name)
{
    size_t bytes = strlen(name);

    for (; *environment; environment++) {
        if (strncmp(*environment, name, bytes) == 0 && (*environment)[bytes] == '=') {
            return *environment + bytes + 1;
        }
    }
    return NULL;
}

TEST_WITH(a_name_alone_takes_a_variable_out, NULL, release)
{
    static const char *const extra[] = { "STORY_ONE", "STORY_NONE", "STORY_TWO=2", "STORY_THREE",
                                         NULL };
    char **all;

    setenv("STORY_ONE", "1", 1);
    setenv("STORY_ONE_MORE", "1", 1);
    setenv("STORY_TWO", "1", 1);
    setenv("STORY_THREE", "", 1);
    all = vector_environment(extra);
    assert_null(value_in(all, "STORY_ONE"));
    assert_null(value_in(all, "STORY_THREE"));
    assert_string_equal(value_in(all, "STORY_ONE_MORE"), "1");
    assert_string_equal(value_in(all, "STORY_TWO"), "2");
    for (char **item = all; *item; item++) assert_non_null(strchr(*item, '='));
    free(all);
}
