/* SPDX-License-Identifier: Apache-2.0
 *
 * test_hone_rights.c - lists of "rights" in hone.json: what gives something, and what is refused
 * because it would give nothing. */
#include "settings/hone_json.h"

#include "test.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct hone_file project = { .name = "hone.json", .folder = "/work",
                                          .foreign = true };

TEST(a_fleet_that_none_is_called_is_refused_where_it_is_set)
{
    static const struct {
        const char *url, *words; /* NULL: it is taken */
    } rows[] = {
        { "local", NULL }, { "ssh:me@box", NULL }, { "nats://box:4222", NULL },
        { "tls://box.lan", NULL }, { "cmd:sh x", NULL },
        { "http://x", "hone.json: fleet.url: 'http://x': there are ssh:HOST, nats://HOST" },
        { "bigbox", "'bigbox': there are" }, { "ssh:-oX", "there are" }, { "cmd:", "there are" },
        { "tls://me:word@box", "there are" }, { "nats://a,b", "there are" },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct arena arena = { 0 };
        struct hone_values values = { 0 };
        const char *text = arena_printf(&arena, "{\"fleet\":{\"url\":\"%s\"}}", rows[i].url);
        struct err err = { 0 };
        int rc = hone_read(str_of(text), &project, &arena, &values, &err);

        assert_int_equal(rc, rows[i].words ? ERR_USAGE : 0);
        if (rows[i].words) assert_non_null(strstr(err.text, rows[i].words));
        arena_release(&arena);
    }
}

TEST(a_list_that_is_none_is_told_by_an_example_of_its_own)
{
    static const char text[] = "{\"fleet\":{\"pools\":\"*=big\"}}";
    struct arena arena = { 0 };
    struct hone_values values = { 0 };
    struct err err = { 0 };

    assert_int_equal(hone_read(str_of(text), &project, &arena, &values, &err), ERR_USAGE);
    assert_non_null(strstr(err.text, "such as [\"*=big\"]"));
    arena_release(&arena);
}

TEST(a_right_that_gives_nothing_is_refused_and_others_are_taken)
{
    static const struct {
        const char *path, *line, *words; /* NULL: it is taken */
    } rows[] = {
        { "write", "/", NULL }, { "write", "/srv/x", NULL }, { "write", "~/x", NULL },
        { "write", "~/", NULL }, { "write", "../other", NULL }, { "write", "a/../../b", NULL },
        { "write", "src", "rights.write: 'src': that is in the workspace" },
        { "write", "./src/..x", "in the workspace" },
        { "write", "~", "write ~/" }, { "write", "~ann/x", "write ~/" },
        { "write", "$HOME/x", "variables are not looked up" },
        { "write", "/srv/*", "patterns are not understood" },
        { "write", "*", "patterns are not understood" },
        { "change", "*", NULL }, { "change", ".github", NULL }, { "change", ".github/", NULL },
        { "change", "./.claude", NULL }, { "change", ".claude/settings.json", NULL },
        { "change", "hone.json", NULL },
        { "change", "src/x.c", "rights.change: 'src/x.c': that is not protected" },
        { "change", ".github/workflow", "did you mean '.github/workflows'?" },
        { "change", ".github/*", "patterns are not understood" },
        { "change", ".git", NULL }, { "change", ".git/hooks", "no agent may change" },
        { "change", "/w/.claude", "no path of the workspace" },
        { "change", "~/.claude", "no path of the workspace" },
        { "change", "../x/.claude", "no path of the workspace" },
        { "change", ".", "not protected" },
        { "env", "*", NULL }, { "env", "GITHUB_TOKEN", NULL }, { "env", "_a1*", NULL },
        { "env", "$TOKEN", "rights.env: '$TOKEN': write the name without '$'" },
        { "env", "TOKEN=x", "the value comes from" }, { "env", "*_TOKEN", "at the end only" },
        { "env", "A*B*", "at the end only" }, { "env", "1A", "no name of a variable" },
        { "env", "MY TOKEN", "no name of a variable" }, { "env", "**", "at the end only" },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct arena arena = { 0 };
        struct hone_values values = { 0 };
        struct err err = { 0 };
        const char *text = arena_printf(&arena, "{\"rights\":{\"%s\":[\"%s\"]}}", rows[i].path,
                                        rows[i].line);
        int rc = hone_read(str_of(text), &project, &arena, &values, &err);

        if (rc != (rows[i].words ? ERR_USAGE : 0) ||
            (rows[i].words && !strstr(err.text, rows[i].words))) {
            fail_msg("%s: %s", text, err.text);
        }
        arena_release(&arena);
    }
}

static int read_change(const char *line, struct err *err)
{
    struct arena arena = { 0 };
    struct hone_values values = { 0 };
    const char *text = arena_printf(&arena, "{\"rights\":{\"change\":[\".claude\",\"%s\"]}}", line);
    int rc = hone_read(str_of(text), &project, &arena, &values, err);

    arena_release(&arena);
    return rc;
}

TEST(the_line_that_is_wrong_is_named_in_short)
{
    struct err err = { 0 };
    char line[4096];

    memset(line, 'x', sizeof line - 1);
    line[sizeof line - 1] = '\0';
    assert_int_equal(read_change(line, &err), ERR_USAGE);
    assert_non_null(strstr(err.text, "rights.change: 'xxx"));
    assert_null(strstr(err.text, ": '.claude':"));
    assert_true(strlen(err.text) < 300);
    assert_int_equal(read_change(".husky", &err), 0);
}
