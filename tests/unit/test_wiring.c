/* SPDX-License-Identifier: Apache-2.0
 *
 * test_wiring.c - settings of hosts with what is ours put in and taken out, over random files of
 * users. Three laws: twice is once; out again gives the old bytes; what is the user's stays. */

#include "shared/prng.h"
#include "format/json/json.h"
#include "format/json/json_edit.h"
#include "install/wiring.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { BYTES_MAX = 1 << 20, FILES = 4000 };

static const char our_hooks[] =
    "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"hone hook\","
    "\"timeout\":30}]}],\"PreToolUse\":[{\"matcher\":\"^spawn_agent$\",\"hooks\":[{\"type\":"
    "\"command\",\"command\":\"hone hook\"}]},{\"matcher\":\"^apply_patch$\",\"hooks\":[{\"type\":"
    "\"command\",\"command\":\"hone hook\"}]}]}}";

static const struct wiring wiring = {
    .plugin = "/opt/a \"b\"/plugin", .command = "hone hook",
    .hooks = { our_hooks, sizeof our_hooks - 1 },
};

static const struct host {
    wiring_edit *merge, *strip;
} claude = { wiring_claude_merge, wiring_claude_strip },
  codex = { wiring_codex_merge, wiring_codex_strip };

/* Results live until the test ends. */
TESTS_ARENA

static struct str edit(wiring_edit *how, struct str text)
{
    struct err err = { 0 };
    struct str kept;
    struct buf out;
    int rc;

    buf_init(&out, WIRING_BYTES_MAX);
    rc = how(&wiring, text, &out, &err);
    if (rc != 0) print_message("%s\n", err.text);
    assert_int_equal(rc, 0);
    kept = arena_copy(&arena, buf_str(&out));
    buf_release(&out);
    return kept;
}

static void expect_same(struct str got, struct str wanted)
{
    assert_string_equal(arena_cstr(&arena, got), arena_cstr(&arena, wanted));
}

static struct str unwire(const struct host *host, struct str now, const struct str *backup,
                         bool *gone)
{
    struct err err = { 0 };
    struct str kept;
    struct buf out;

    buf_init(&out, WIRING_BYTES_MAX);
    assert_int_equal(wiring_unmerge(&wiring, host->merge, host->strip, now, backup, &out, gone,
                                    &err), 0);
    kept = arena_copy(&arena, buf_str(&out));
    buf_release(&out);
    return kept;
}

/* ---- files of users ---- */

static void put_blanks(struct prng *prng, struct buf *text)
{
    static const char *const blanks[] = { "", "", " ", "\n", "\n  ", "\n\t", "\r\n  " };

    buf_text(text, blanks[prng_below(prng, COUNT(blanks))]);
}

/* A list of pieces with blanks around them. */
static void put_all(struct prng *prng, const char *brackets, const char *const *pieces,
                    uint32_t count, struct buf *text)
{
    bool any = false;

    buf_byte(text, brackets[0]);
    put_blanks(prng, text);
    for (uint32_t i = 0; i < count; i++) {
        if (prng_chance(prng, 50)) continue;
        if (any) buf_byte(text, ',');
        if (any) put_blanks(prng, text);
        buf_text(text, pieces[i]);
        put_blanks(prng, text);
        any = true;
    }
    buf_byte(text, brackets[1]);
}

static const char *random_list(struct prng *prng, const char *front, const char *brackets,
                               const char *const *pieces, uint32_t count)
{
    struct buf text;
    const char *kept;

    buf_init(&text, BYTES_MAX);
    buf_text(&text, front);
    put_all(prng, brackets, pieces, count, &text);
    kept = arena_cstr(&arena, buf_str(&text));
    buf_release(&text);
    return kept;
}

static struct str random_claude(struct prng *prng)
{
    static const char *const markets[] = {
        "\"theirs\": {\"source\":{\"source\":\"github\",\"repo\":\"a/b\"}}", "\"other\" :{}" };
    static const char *const plugins[] = { "\"x@theirs\":true", "\"y@other\": false" };
    static const char *const events[] = { "\"Stop\": [{\"hooks\":[{\"type\":\"command\","
                                          "\"command\":\"mine\"}]}]", "\"X\":[ ]" };
    const char *pieces[] = {
        "\"model\": \"opus\"", "\"permissions\":{\"allow\":[\"Bash(ls:*)\", \"}\\\"]\"]}",
        random_list(prng, "\"extraKnownMarketplaces\":", "{}", markets, COUNT(markets)),
        random_list(prng, "\"enabledPlugins\" : ", "{}", plugins, COUNT(plugins)),
        random_list(prng, "\"hooks\":", "{}", events, COUNT(events)), "\"z\" :null",
    };

    return str_of(random_list(prng, "", "{}", pieces, COUNT(pieces)));
}

static struct str random_codex(struct prng *prng)
{
    static const char *const groups[] = {
        "{\"hooks\":[{\"type\":\"command\",\"command\":\"mine\"}]}",
        "{ \"matcher\" : \"^Bash$\", \"hooks\" : [ {\"type\":\"mcp_tool\",\"tool\":\"t\"} ] }",
        "{\"hooks\": [{\"command\":\"a hone hook\"},{\"command\":\"hone hooks\"}]}",
        "{\"hooks\":[{\"command\":\"nice /usr/bin/hone hook\"}]}", "{ }",
    };
    const char *events[] = {
        random_list(prng, "\"Stop\":", "[]", groups, COUNT(groups)),
        random_list(prng, "\"PreToolUse\" : ", "[]", groups, COUNT(groups)),
        random_list(prng, "\"Interrupt\":\n", "[]", groups, COUNT(groups)),
    };
    const char *pieces[] = { "\"version\": 1",
                             random_list(prng, "\"hooks\": ", "{}", events, COUNT(events)),
                             "\"x\":[1,\n2]" };

    return str_of(random_list(prng, "", "{}", pieces, COUNT(pieces)));
}

/* ---- the laws ---- */

/* Objects and arrays that are empty, and members that hold nothing else, do not count. */
static void prune(yyjson_mut_val *value)
{
    yyjson_mut_obj_iter each = yyjson_mut_obj_iter_with(value);
    yyjson_mut_val *key, *child;

    while ((key = yyjson_mut_obj_iter_next(&each))) {
        child = yyjson_mut_obj_iter_get_val(key);
        prune(child);
        if ((yyjson_mut_is_obj(child) && yyjson_mut_obj_size(child) == 0) ||
            (yyjson_mut_is_arr(child) && yyjson_mut_arr_size(child) == 0)) {
            yyjson_mut_obj_iter_remove(&each);
        }
    }
}

static bool same_meaning(struct str a, struct str b)
{
    yyjson_mut_doc *docs[2] = { json_new(), json_new() };
    struct str texts[2] = { a, b };
    struct err err;
    bool same;

    for (int i = 0; i < 2; i++) {
        yyjson_doc *doc;
        assert_int_equal(json_read(texts[i], &doc, &err), 0);
        yyjson_mut_doc_set_root(docs[i], yyjson_val_mut_copy(docs[i], yyjson_doc_get_root(doc)));
        yyjson_doc_free(doc);
        prune(yyjson_mut_doc_get_root(docs[i]));
    }
    same = yyjson_mut_equals(yyjson_mut_doc_get_root(docs[0]), yyjson_mut_doc_get_root(docs[1]));
    yyjson_mut_doc_free(docs[0]);
    yyjson_mut_doc_free(docs[1]);
    return same;
}

/* Whether all bytes of a stand in b, in their order: nothing of a was changed to get b. */
static bool is_within(struct str a, struct str b)
{
    size_t at = 0;

    for (size_t i = 0; i < b.size && at < a.size; i++) {
        if (b.data[i] == a.data[at]) at++;
    }
    return at == a.size;
}

static void check_laws(const struct host *host, struct str (*make_file)(struct prng *prng))
{
    struct prng prng = { .state = 11 };
    static const struct json_step late = { .key = "late" };

    for (uint32_t n = 0; n < FILES; n++) {
        struct str old = make_file(&prng), once = edit(host->merge, old), later;
        struct buf text;
        bool gone;

        expect_same(edit(host->merge, once), once);
        assert_true(is_within(old, once));
        assert_false(str_eq(old, once));
        expect_same(unwire(host, once, &old, &gone), old);
        assert_false(gone);
        expect_same(edit(host->strip, old), old);
        assert_true(same_meaning(edit(host->strip, once), old));

        buf_init(&text, BYTES_MAX); /* the user goes on with the file */
        assert_true(json_edit_set(once, (struct json_path){ &late, 1 }, STR("[1]"), &text));
        later = unwire(host, buf_str(&text), &old, &gone);
        assert_false(gone);
        buf_clear(&text);
        assert_true(json_edit_set(old, (struct json_path){ &late, 1 }, STR("[1]"), &text));
        assert_true(same_meaning(later, buf_str(&text)));
        expect_same(edit(host->strip, later), later);
        buf_release(&text);
        arena_release(&arena);
    }
}

TEST_WITH(settings_of_claude_keep_the_three_laws, NULL, release)
{
    check_laws(&claude, random_claude);
}

TEST_WITH(hooks_of_codex_keep_the_three_laws, NULL, release)
{
    check_laws(&codex, random_codex);
}

/* ---- single cases ---- */

TEST_WITH(what_was_not_there_is_made_and_goes_again, NULL, release)
{
    const struct host *const hosts[] = { &claude, &codex };
    static const char *const blanks[] = { "", "\n", "  \n\n" };
    bool gone;

    for (uint32_t i = 0; i < COUNT(hosts); i++) {
        for (uint32_t k = 0; k < COUNT(blanks); k++) {
            struct str blank = str_of(blanks[k]), once = edit(hosts[i]->merge, blank);
            assert_true(str_ends(once, STR("\n}\n")));
            (void)unwire(hosts[i], once, NULL, &gone);
            assert_true(gone);
            expect_same(unwire(hosts[i], once, &blank, &gone), blank);
            assert_false(gone);
        }
    }
}

TEST_WITH(the_settings_of_claude_are_those_its_client_writes, NULL, release)
{
    expect_same(edit(wiring_claude_merge, STR("")),
                STR("{\n  \"extraKnownMarketplaces\": {\n    \"hone\": {\n      \"source\": {\n"
                    "        \"source\": \"directory\",\n"
                    "        \"path\": \"/opt/a \\\"b\\\"/plugin\"\n      }\n    }\n  },\n"
                    "  \"enabledPlugins\": {\n    \"hone@hone\": true\n  }\n}\n"));
}

TEST_WITH(an_older_place_and_a_switch_are_set_anew, NULL, release)
{
    struct str old = STR("{\"extraKnownMarketplaces\":{\"hone\":{\"source\":{\"source\":"
                         "\"directory\",\"path\":\"/old\"}}},\"enabledPlugins\":{\"hone@hone\":"
                         "false},\"x\":1}");
    struct str now = edit(wiring_claude_merge, old);
    bool gone;

    assert_true(same_meaning(now, STR("{\"extraKnownMarketplaces\":{\"hone\":{\"source\":"
                                      "{\"source\":\"directory\",\"path\":\"/opt/a \\\"b\\\"/plugin"
                                      "\"}}},\"enabledPlugins\":{\"hone@hone\":true},\"x\":1}")));
    /* the backup has ours in it: it is no way back */
    expect_same(unwire(&claude, now, &old, &gone), STR("{\"x\":1}"));
}

TEST_WITH(entries_of_codex_that_are_there_stay_where_they_are, NULL, release)
{
    struct json_step steps[] = { { .key = "hooks" }, { .key = "Stop" } };
    struct str once = edit(wiring_codex_merge, STR("{}"));
    struct buf text;

    buf_init(&text, BYTES_MAX);
    assert_true(json_edit_add(once, (struct json_path){ steps, 2 },
                              STR("{\"hooks\":[{\"type\":\"command\",\"command\":\"mine\"}]}"),
                              &text));
    expect_same(edit(wiring_codex_merge, buf_str(&text)), buf_str(&text));
    buf_release(&text);
}

TEST_WITH(an_entry_that_is_not_wanted_any_more_goes, NULL, release)
{
    struct json_step steps[] = { { .key = "hooks" }, { .key = "Gone" } };
    struct str once = edit(wiring_codex_merge, STR("{}"));
    struct buf text;

    buf_init(&text, BYTES_MAX);
    assert_true(json_edit_add(once, (struct json_path){ steps, 2 },
                              STR("{\"hooks\":[{\"type\":\"command\",\"command\":\"hone hook\"}]}"),
                              &text));
    expect_same(edit(wiring_codex_merge, buf_str(&text)), once);
    buf_release(&text);
}

TEST_WITH(entries_of_an_older_hone_are_replaced, NULL, release)
{
    struct str old = STR("{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":"
                         "\"'/old/bin/hone' hook\"}]}],\"Gone\":[{\"hooks\":[{\"type\":\"command\","
                         "\"command\":\"/old/hone hook\"},{\"command\":\"mine\"}]}]}}");
    struct str now = edit(wiring_codex_merge, old);

    assert_null(memmem(now.data, now.size, "old", 3));
    assert_non_null(memmem(now.data, now.size, "{\"hooks\":[{\"command\":\"mine\"}]}", 30));
    assert_true(same_meaning(edit(wiring_codex_strip, now),
                             STR("{\"hooks\":{\"Gone\":[{\"hooks\":[{\"command\":\"mine\"}]}]}}")));
}

TEST_WITH(what_cannot_be_edited_is_refused_whole, NULL, release)
{
    static const struct {
        const struct host *host;
        const char *text, *says;
    } cases[] = {
        { &claude, "{", "line 1" },
        { &claude, "{\"a\":1,}", "line 1" },
        { &claude, "// mine\n{}", "line 1" },
        { &claude, "[]", "one JSON object" },
        { &claude, "{\"a\":1,\"\\u0061\":2}", "two members" },
        { &claude, "{\"enabledPlugins\":[]}", "enabledPlugins" },
        { &claude, "{\"extraKnownMarketplaces\":7}", "extraKnownMarketplaces" },
        { &claude, "{\"extraKnownMarketplaces\":{\"hone\":{\"source\":{\"source\":\"github\"}}}}",
          "another marketplace" },
        { &codex, "\xef\xbb\xbf{", "" },
        { &codex, "{\"hooks\":[]}", "\"hooks\"" },
        { &codex, "{\"hooks\":{\"Stop\":{}}}", "\"Stop\" is no array" },
        { &codex, "{\"hooks\":{\"Stop\":[1]}}", "\"Stop\"" },
        { &codex, "{\"hooks\":{\"Stop\":[],\"Stop\":[]}}", "\"hooks\"" },
        { &codex, "{\"hooks\":{\"\\u0053top\":[]}}", "\"hooks\"" },
    };

    for (uint32_t i = 0; i < COUNT(cases); i++) {
        struct err err = { 0 };
        struct buf out;
        buf_init(&out, WIRING_BYTES_MAX);
        assert_int_equal(cases[i].host->merge(&wiring, str_of(cases[i].text), &out, &err),
                         ERR_USAGE);
        assert_int_equal(out.size, 0);
        if (!strstr(err.text, cases[i].says)) fail_msg("%s: %s", cases[i].text, err.text);
        buf_release(&out);
    }
}

TEST_WITH(the_clients_own_list_loses_ours_alone, NULL, release)
{
    static const char *const cases[][2] = {
        { "{\n  \"hone\": {\"source\":{\"source\":\"directory\"}},\n  \"x\": 1\n}",
          "{\n  \"x\": 1\n}" },
        { "{\"hone\":{\"source\":{\"source\":\"github\"}}}",
          "{\"hone\":{\"source\":{\"source\":\"github\"}}}" },
        { "not JSON", "not JSON" },
        { "[]", "[]" },
    };

    for (uint32_t i = 0; i < COUNT(cases); i++) {
        struct buf out;
        buf_init(&out, BYTES_MAX);
        wiring_claude_forget(str_of(cases[i][0]), &out);
        expect_same(buf_str(&out), str_of(cases[i][1]));
        buf_release(&out);
    }
}

TEST_WITH(an_agent_becomes_toml, NULL, release)
{
    static const char *const cases[][2] = {
        { "---\nname: critic\ndescription: Says \"no\" \\ often.\ntools: Read\n---\n\nYou `x`.\n",
          "# " WIRING_MARK "\nname = \"hone-critic\"\ndescription = \"Says \\\"no\\\" \\\\ often."
          "\"\ndeveloper_instructions = '''\nYou `x`.\n'''\n" },
        { "---\nname: a\ndescription: b\n---\nHas ''' in \"it\"\n",
          "# " WIRING_MARK "\nname = \"hone-a\"\ndescription = \"b\"\ndeveloper_instructions = "
          "\"Has ''' in \\\"it\\\"\\n\"\n" },
        { "---\nname: a\ndescription: b\n---\nA\tbell:\x07\n",
          "# " WIRING_MARK "\nname = \"hone-a\"\ndescription = \"b\"\ndeveloper_instructions = "
          "\"A\\u0009bell:\\u0007\\n\"\n" },
    };
    static const char *const wrong[] = { "", "name: a\n", "---\nname: a\n---\nx", "---\nname: a\n",
                                         "---\nname: a\ndescription: b\n---\n \n" };
    struct err err;
    struct buf out;

    buf_init(&out, BYTES_MAX);
    for (uint32_t i = 0; i < COUNT(cases); i++) {
        buf_clear(&out);
        assert_int_equal(wiring_agent_toml(str_of(cases[i][0]), &out, &err), 0);
        assert_string_equal(buf_cstr(&out), cases[i][1]);
    }
    for (uint32_t i = 0; i < COUNT(wrong); i++) {
        assert_int_equal(wiring_agent_toml(str_of(wrong[i]), &out, &err), ERR_FORMAT);
    }
    buf_release(&out);
}

TEST(a_plugin_of_codex_is_seen_in_its_settings)
{
    static const struct {
        const char *config;
        bool plugged;
    } rows[] = {
        { "", false },
        { "[plugins.\"hone@hone\"]", true },
        { "model = \"x\"\n[plugins.\"hone@a\"]\nenabled = true\n[features]\n", true },
        { "[plugins.\"hone@a\"]\n  enabled=false\n[features]\nenabled = true\n", false },
        { "[plugins.\"hone@a\"]\nenabled = false\n[plugins.\"hone@b\"]\n", true },
        { "[plugins.\"honest@a\"]\nenabled = true\n", false },
        { "# [plugins.\"hone@a\"]\n", false },
        { "[marketplaces.hone]\nsource = \"hone@\"\n", false },
        { "[plugins.\"other@a\"]\nenabled = false\n[plugins.\"hone@a\"]\n", true },
    };

    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (wiring_codex_is_plugged(str_of(rows[i].config)) != rows[i].plugged) {
            fail_msg("row %u", (unsigned)i);
        }
    }
}
