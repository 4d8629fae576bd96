/* SPDX-License-Identifier: Apache-2.0
 *
 * test_command.c - the command that runs a project's tests, where no setting names one: by the
 * build file at the top of the project, since `make test`, `cargo test` and the like are fixed
 * words. The first row of the table that fits wins. Only files at the top are read, and nothing is
 * run. */
#include "settings/test_command.h"

#include "format/json/json.h"
#include "io/file/file.h"

#include <string.h>

enum { FILE_BYTES_MAX = 4 << 20 };

/* What the file's text comes to; NULL: it has no tests. */
typedef const char *test_reader(struct str text);

/* Whether a line defines the target: it stands before a colon that assigns nothing, alone or with
 * others. */
static bool has_target(struct str text, const char *name)
{
    struct str line, targets, target;

    while (str_cut(&text, '\n', &line)) {
        struct str rest = line;

        if (!str_has(line, ':') || str_starts(line, STR("\t"))) continue;
        (void)str_cut(&rest, ':', &targets);
        if (str_has(targets, '=') || str_has(targets, '#')) continue;
        if (str_starts(rest, STR("=")) || str_starts(rest, STR(":="))) continue;
        while (str_cut(&targets, ' ', &target)) {
            if (str_is(str_trim(target), name)) return true;
        }
    }
    return false;
}

static const char *read_make(struct str text)
{
    if (has_target(text, "test")) return "make test";
    return has_target(text, "check") ? "make check" : NULL;
}

/* npm puts a script there that fails, for those who have no tests. */
static const char *read_npm(struct str text)
{
    const char *command = NULL;
    struct str script;
    yyjson_doc *doc;
    struct err none;

    if (json_read(text, &doc, &none) != 0) return NULL;
    script = json_str(yyjson_obj_get(yyjson_doc_get_root(doc), "scripts"), "test");
    if (script.size && !memmem(script.data, script.size, "no test specified", 17)) {
        command = "npm test";
    }
    yyjson_doc_free(doc);
    return command;
}

static const char *read_pyproject(struct str text)
{
    return memmem(text.data, text.size, "[tool.pytest", 12) ? "python3 -m pytest" : NULL;
}

static const char *read_automake(struct str text)
{
    struct str line;

    while (str_cut(&text, '\n', &line)) {
        if (str_starts(line, STR("TESTS")) || str_starts(line, STR("check_"))) return "make check";
    }
    return NULL;
}

static const struct {
    const char *file;
    test_reader *read;   /* NULL: that the file is there says enough */
    const char *command;
} rows[] = {
    { .file = "GNUmakefile", .read = read_make },
    { .file = "makefile", .read = read_make },
    { .file = "Makefile", .read = read_make },
    { .file = "Makefile.am", .read = read_automake },
    { .file = "package.json", .read = read_npm },
    { .file = "Cargo.toml", .command = "cargo test" },
    { .file = "go.mod", .command = "go test ./..." },
    { .file = "pytest.ini", .command = "python3 -m pytest" },
    { .file = "pyproject.toml", .read = read_pyproject },
    { .file = "meson.build", .command = "meson test -C build" },
    { .file = "CMakeLists.txt", .command = "ctest --test-dir build" },
};

struct test_command test_command_find(const char *workspace, struct arena *arena)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *command = rows[i].command;
        struct err none;
        struct str text;
        int rc = file_text(arena_printf(arena, "%s/%s", workspace, rows[i].file), FILE_BYTES_MAX,
                           arena, &text, &none);

        if (rc == 0 && rows[i].read) command = rows[i].read(text);
        if (rc == 0 && command) return (struct test_command){ command, rows[i].file };
    }
    return (struct test_command){ "", "" };
}
