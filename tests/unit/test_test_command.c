/* SPDX-License-Identifier: Apache-2.0
 *
 * test_test_command.c - what a project's files say about its tests. */
#include "settings/test_command.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[256];

static int make_folder(void **state)
{
    const char *base = getenv("TMPDIR");

    (void)state;
    snprintf(folder, sizeof folder, "%s/hone-tests.XXXXXX", base ? base : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

struct row {
    const char *file, *text, *command;
};

TEST(each_file_says_its_own)
{
    static const struct row rows[] = {
        { "Makefile", "all:\n\techo\ntest: all\n\t./t\n", "make test" },
        { "Makefile", "check :\n\t./t\n", "make check" },
        { "Makefile", "test := no\ntesting:\n\ttest:\n", "" },
        { "Makefile", ".PHONY: all check test\nall check: x\n\t./t\n", "make check" },
        { "Makefile", "all test:: x\n", "make test" },
        { "Makefile", ".PHONY: test\n# test: none\n\ttest: x\nCMD = test: x\ntest ::= y\n", "" },
        { "Makefile", "my-test test.o: x\nall:;echo test: x\n", "" },
        { "Makefile.am", "bin_PROGRAMS = x\nTESTS = t.sh\n", "make check" },
        { "Makefile.am", "bin_PROGRAMS = x\n", "" },
        { "GNUmakefile", "test:\n", "make test" },
        { "package.json", "{\"scripts\":{\"test\":\"jest\"}}", "npm test" },
        { "package.json",
          "{\"scripts\":{\"test\":\"echo \\\"Error: no test specified\\\" && exit 1\"}}", "" },
        { "package.json", "{\"scripts\":", "" },
        { "Cargo.toml", "", "cargo test" },
        { "go.mod", "module x\n", "go test ./..." },
        { "pytest.ini", "", "python3 -m pytest" },
        { "pyproject.toml", "[tool.pytest.ini_options]\n", "python3 -m pytest" },
        { "pyproject.toml", "[project]\n", "" },
        { "meson.build", "", "meson test -C build" },
        { "CMakeLists.txt", "", "ctest --test-dir build" },
        { "hone.json", "{\"test\":\"./run-tests\"}", "" }, /* a setting: read elsewhere */
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arena arena = { 0 };
        char path[512];
        struct test_command found;
        FILE *file;

        snprintf(path, sizeof path, "%s/%s", folder, rows[i].file);
        file = fopen(path, "w");
        assert_non_null(file);
        fputs(rows[i].text, file);
        fclose(file);
        found = test_command_find(folder, &arena);
        unlink(path);
        assert_string_equal(found.command, rows[i].command);
        assert_string_equal(found.from, rows[i].command[0] ? rows[i].file : "");
        arena_release(&arena);
    }
}

TEST(nothing_there_is_nothing_found)
{
    struct arena arena = { 0 };

    assert_string_equal(test_command_find(folder, &arena).command, "");
    assert_string_equal(test_command_find("/nonexistent", &arena).command, "");
    arena_release(&arena);
}

TESTS_WITHIN(make_folder, remove_folder)
