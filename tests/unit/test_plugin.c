/* SPDX-License-Identifier: Apache-2.0
 *
 * test_plugin.c - the plugin's files: an agent for every role and none beside them, which says what
 * hone's own prompts say; keys that every host knows; hooks for the events of a run. */
#include "cmd/verb.h"
#include "dialect/cycles/cycles.h"
#include "dialect/iterate/iterate.h"
#include "dialect/loops/loops.h"
#include "dialect/dialects.h"
#include "dialect/review/review.h"
#include "dialect/session/session.h"
#include "format/json/json.h"
#include "install/wiring.h"
#include "io/file/file.h"
#include "io/file/peek.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char reader_tools[] = "Read, Glob, Grep, Bash";
static const char writer_tools[] = "Read, Write, Edit, Glob, Grep, Bash";

TESTS_ARENA

static const char *path_of(const char *name)
{
    const char *top = getenv("TOP");

    return arena_printf(&arena, "%s/plugin/%s", top ? top : ".", name);
}

static struct str load(const char *name)
{
    struct str kept;
    struct buf text;
    struct err err;

    buf_init(&text, 1 << 20);
    if (file_read(path_of(name), &text, &err) != 0) fail_msg("%s", err.text);
    kept = arena_copy(&arena, buf_str(&text));
    buf_release(&text);
    return kept;
}

static yyjson_doc *load_json(const char *name)
{
    yyjson_doc *doc;
    struct err err;

    if (json_read(load(name), &doc, &err) != 0) fail_msg("%s: %s", name, err.text);
    return doc;
}

/* ---- front matter ---- */

/* The value of a key, one in a line; every key must be one of `keys`, and a value no YAML but a
 * plain or a quoted word. The body is *body. */
static struct str front(const char *name, const char *key, const char *const *keys,
                        struct str *body)
{
    struct str rest = load(name), line, value = { "", 0 };

    assert_true(str_cut(&rest, '\n', &line) && str_is(line, "---"));
    while (str_cut(&rest, '\n', &line) && !str_is(line, "---")) {
        struct str word = { line.data, 0 }, said;
        uint32_t i = 0;
        while (word.size < line.size && line.data[word.size] != ':') word.size++;
        while (keys[i] && !str_is(word, keys[i])) i++;
        if (!keys[i]) fail_msg("%s: the key '%.*s' is not standard", name, STR_ARG(word));
        said = str_trim(str_skip(line, word.size + 1));
        if (said.size == 0 || (said.data[0] != '"' && (has_part(said, ": ") ||
                                                       has_part(said, " #")))) {
            fail_msg("%s: '%.*s' is not plain YAML", name, STR_ARG(line));
        }
        if (str_is(word, key)) value = said;
    }
    assert_true(str_is(line, "---"));
    if (body) *body = rest;
    return value;
}

static const char *const agent_keys[] = { "name", "description", "tools", "model", NULL };
static const char *const skill_keys[] = { "name", "description", "license", "compatibility",
                                          "metadata", "allowed-tools", NULL };
static const char *const command_keys[] = { "description", "argument-hint",
                                            "disable-model-invocation", NULL };

/* ---- roles ---- */

struct role_row {
    const char *name;
    bool writes;
};

static uint32_t all_roles(struct role_row *out)
{
    struct err err = { 0 };
    struct plan plan;
    uint32_t count = 0;

    assert_int_equal(dialect_review.plan(&(struct settings){ 0 }, &arena, &plan, &err), 0);
    for (uint16_t i = 1; i < plan.role_count + plan.checker_count; i++) {
        out[count++] = (struct role_row){ plan.roles[i].name, plan.roles[i].writes };
    }
    for (uint16_t i = 1; i < ITERATE_ROLE_COUNT; i++) {
        if (i == ITERATE_TEST) continue; /* hone itself, as those below */
        out[count++] = (struct role_row){ iterate_role_name(i),
            i == ITERATE_IMPLEMENTER || i == ITERATE_SIMPLIFIER || i == ITERATE_FIXER };
    }
    for (uint16_t i = 1; i < CYCLES_ROLE_COUNT; i++) {
        if (i == CYCLES_COMMITTER) continue;
        out[count++] = (struct role_row){ cycles_role_name(i), i != CYCLES_REVIEWER };
    }
    for (uint16_t i = SESSION_EXECUTOR; i < SESSION_SCAN; i++) {
        out[count++] = (struct role_row){ session_role_name(i), i == SESSION_EXECUTOR };
    }
    for (uint16_t i = 1; i < LOOPS_ROLE_COUNT; i++) {
        if (i == LOOPS_INTEGRATOR) continue;
        out[count++] = (struct role_row){ loops_role_name(i), i == LOOPS_BUILDER };
    }
    return count;
}

TEST_WITH(every_role_has_an_agent_with_the_tools_it_needs, NULL, release)
{
    struct role_row roles[64];
    uint32_t count = all_roles(roles);

    assert_true(count > 25);
    for (uint32_t i = 0; i < count; i++) {
        const char *file = arena_printf(&arena, "agents/%s.md", roles[i].name);
        struct str body, tools = front(file, "tools", agent_keys, &body);
        assert_true(str_is(front(file, "name", agent_keys, NULL), roles[i].name));
        if (!str_is(tools, roles[i].writes ? writer_tools : reader_tools)) {
            fail_msg("%s has the tools %.*s", file, STR_ARG(tools));
        }
        assert_true(front(file, "description", agent_keys, NULL).size < 300);
        if (!has_part(body, arena_printf(&arena, "`%s`", roles[i].name))) {
            fail_msg("%s does not say who it is", file);
        }
        assert_true(has_part(body, "## Answer") || has_part(body, "## How to end"));
    }
}

TEST_WITH(every_agent_is_a_role_and_can_be_one_of_codex, NULL, release)
{
    const char *const *names = folder_names(path_of("agents"), "", &arena);
    struct role_row roles[64];
    uint32_t count = all_roles(roles), seen = 0;
    struct buf toml;
    struct err err;

    buf_init(&toml, 1 << 20);
    for (; *names; names++) {
        uint32_t i = 0;
        if (**names == '.') continue;
        while (i < count && strcmp(*names, arena_printf(&arena, "%s.md", roles[i].name)) != 0) i++;
        if (i == count) fail_msg("agents/%s belongs to no role", *names);
        buf_clear(&toml);
        assert_int_equal(wiring_agent_toml(load(arena_printf(&arena, "agents/%s", *names)), &toml,
                                           &err), 0);
        assert_true(has_part(buf_str(&toml), "developer_instructions = '''\n"));
        seen++;
    }
    assert_int_equal(seen, 28);
    buf_release(&toml);
}

/* ---- the rest ---- */

TEST_WITH(skills_have_the_keys_of_the_standard_and_their_folders_name, NULL, release)
{
    static const char *const folders[] = { "skills", "codex/skills" };
    uint32_t seen = 0;

    for (uint32_t i = 0; i < COUNT(folders); i++) {
        const char *const *names = folder_names(path_of(folders[i]), "hone", &arena);
        for (; *names; names++, seen++) {
            const char *file = arena_printf(&arena, "%s/%s/SKILL.md", folders[i], *names);
            assert_true(str_is(front(file, "name", skill_keys, NULL), *names));
            assert_in_range(front(file, "description", skill_keys, NULL).size, 40, 1024);
            assert_true(front(file, "compatibility", skill_keys, NULL).size <= 500);
        }
    }
    for (uint32_t i = 0; dialects[i]; i++) {
        (void)load(arena_printf(&arena, "codex/skills/hone-%s/SKILL.md", dialects[i]->name));
    }
    assert_int_equal(seen, 7);
}

TEST_WITH(every_loop_has_a_command, NULL, release)
{
    static const char *const others[] = { "status", "stop", "configure", "loop" };
    const char *const *names;
    uint32_t count = 0, seen = 0;

    for (; dialects[count]; count++) {
        const char *file = arena_printf(&arena, "commands/%s.md", dialects[count]->name);
        struct str body;
        assert_true(front(file, "description", command_keys, &body).size > 0);
        assert_true(str_is(front(file, "disable-model-invocation", command_keys, NULL), "true"));
        assert_true(has_part(body, "$ARGUMENTS"));
    }
    for (uint32_t i = 0; i < COUNT(others); i++, count++) {
        (void)front(arena_printf(&arena, "commands/%s.md", others[i]), "", command_keys, NULL);
    }
    names = folder_names(path_of("commands"), "", &arena);
    for (; *names; names++) seen += **names != '.';
    assert_int_equal(seen, count);
}

/* The groups of an event; each calls hone hook. A gate is short; where a turn ends hone may have
 * tests to run or another program to wait for, and a hook that is cut off there loses the run. */
static yyjson_val *groups_of(yyjson_doc *doc, const char *event, bool exec)
{
    yyjson_val *groups = yyjson_obj_get(yyjson_obj_get(yyjson_doc_get_root(doc), "hooks"), event);
    yyjson_val *group, *handler;
    size_t i, count, j, handlers;

    if (!yyjson_is_arr(groups)) fail_msg("%s is not there", event);
    yyjson_arr_foreach(groups, i, count, group) {
        yyjson_arr_foreach(yyjson_obj_get(group, "hooks"), j, handlers, handler) {
            yyjson_val *args = yyjson_obj_get(handler, "args");
            uint64_t timeout = 0;
            assert_true(json_uint(handler, "timeout", &timeout));
            if (strcmp(event, "PreToolUse") == 0) assert_true(timeout <= 10);
            if (strcmp(event, "Stop") == 0) assert_true(timeout >= 3600);
            assert_true(str_is(json_str(handler, "type"), "command"));
            if (exec) {
                assert_true(str_is(json_str(handler, "command"), "hone"));
                assert_int_equal(yyjson_arr_size(args), 1);
                assert_string_equal(yyjson_get_str(yyjson_arr_get(args, 0)), "hook");
            } else {
                assert_true(has_part(json_str(handler, "command"), "hone hook"));
                assert_null(args);
            }
        }
    }
    return groups;
}

static void expect_matcher(yyjson_val *groups, const char *matcher)
{
    yyjson_val *group;
    size_t i, count;

    yyjson_arr_foreach(groups, i, count, group) {
        if (str_is(json_str(group, "matcher"), matcher)) return;
    }
    fail_msg("no hook has the matcher %s", matcher);
}

TEST_WITH(hooks_hear_every_event_of_a_run, NULL, release)
{
    static const char *const claude[] = { "UserPromptSubmit", "SubagentStart", "SubagentStop",
                                          "Stop", "StopFailure", "SessionEnd" };
    static const char *const codex[] = { "SessionStart", "UserPromptSubmit", "SubagentStart",
                                         "SubagentStop", "Stop", "SessionEnd" };
    yyjson_doc *doc = load_json("hooks/hooks.json");

    for (uint32_t i = 0; i < COUNT(claude); i++) (void)groups_of(doc, claude[i], true);
    expect_matcher(groups_of(doc, "PreToolUse", true), "Agent|Task");
    expect_matcher(groups_of(doc, "PreToolUse", true), "Edit|Write|MultiEdit|NotebookEdit");
    expect_matcher(groups_of(doc, "PermissionRequest", true), "Bash");
    (void)groups_of(doc, "SessionStart", false); /* a shell: it can say that hone is missing */
    yyjson_doc_free(doc);
    doc = load_json("codex/hooks.json");
    for (uint32_t i = 0; i < COUNT(codex); i++) (void)groups_of(doc, codex[i], false);
    expect_matcher(groups_of(doc, "PreToolUse", false), "(spawn|close)_agent$");
    expect_matcher(groups_of(doc, "PreToolUse", false), "^apply_patch$");
    yyjson_doc_free(doc);
}

/* The form that drive/hosted/permit.c knows; its own test has this very text. */
TEST_WITH(readers_are_told_the_form_that_needs_no_permission, NULL, release)
{
    struct role_row roles[64];
    uint32_t count = all_roles(roles), told = 0;

    for (uint32_t i = 0; i < count; i++) {
        struct str text = load(arena_printf(&arena, "agents/%s.md", roles[i].name));
        if (roles[i].writes || !has_part(text, "Write it with Bash")) continue;
        assert_true(has_part(text,
                             "    cat > FILE <<'END_OF_ANSWER'\n    ...\n    END_OF_ANSWER\n"));
        told++;
    }
    assert_true(told >= 15);
}

TEST_WITH(the_manifests_agree, NULL, release)
{
    static const char *const files[] = { ".claude-plugin/plugin.json",
                                         ".codex-plugin/plugin.json" };
    yyjson_doc *doc;
    yyjson_val *plugin;

    for (uint32_t i = 0; i < COUNT(files); i++) {
        doc = load_json(files[i]);
        assert_true(str_is(json_str(yyjson_doc_get_root(doc), "name"), "hone"));
        assert_true(str_is(json_str(yyjson_doc_get_root(doc), "version"), HONE_VERSION));
        yyjson_doc_free(doc);
    }
    doc = load_json(".claude-plugin/marketplace.json");
    plugin = yyjson_arr_get_first(yyjson_obj_get(yyjson_doc_get_root(doc), "plugins"));
    assert_true(str_is(json_str(yyjson_doc_get_root(doc), "name"), "hone"));
    assert_true(str_is(json_str(plugin, "name"), "hone"));
    assert_true(str_is(json_str(plugin, "source"), "./"));
    yyjson_doc_free(doc);
}
