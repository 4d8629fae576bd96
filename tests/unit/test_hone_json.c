/* SPDX-License-Identifier: Apache-2.0
 *
 * test_hone_json.c - every key of hone.json: what it takes, what it refuses and in which words;
 * files one over the other; changes that keep the rest. */
#include "dialect/dialects.h"
#include "settings/hone_json.h"
#include "settings/settings.h"

#include "agent/agent.h"
#include "format/json/json.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct hone_file user = { .name = "user", .folder = "/home/me" };
static const struct hone_file project = { .name = "hone.json", .folder = "/work",
                                          .foreign = true };

/* A key's value in the objects around it: {"limits":{"time":VALUE}}. */
static const char *around(const char *path, const char *value, struct arena *arena)
{
    struct str rest = str_of(path), part;
    const char *front = "", *back = "";

    while (str_cut(&rest, '.', &part)) {
        front = arena_printf(arena, "%s{\"%.*s\":", front, STR_ARG(part));
        back = arena_printf(arena, "%s}", back);
    }
    return arena_printf(arena, "%s%s%s", front, value, back);
}

static const char *example_path(const struct hone_key *key, struct arena *arena)
{
    int front = (int)(strlen(key->path) - strlen("ROLE"));

    if (!hone_key_has_role(key)) return key->path;
    return arena_printf(arena, "%.*s*", front, key->path);
}

/* What a list takes depends on what it is for. */
static const char *good_list(const char *path)
{
    if (strcmp(path, "rights.env") == 0) return "[\"TOKEN_1\",\"AWS_*\"]";
    if (strcmp(path, "rights.change") == 0) return "[\".github/workflows\",\"*\"]";
    if (strcmp(path, "fleet.pools") == 0) return "[\"critic=big-1\",\"*=local\"]";
    return "[\"~/x\",\"/srv/y\"]";
}

static const struct {
    const char *good, *bad[6]; /* NULL ends */
} values_by_kind[HONE_KIND_COUNT] = {
    [HONE_TEXT] = { "\"make check\"", { "7", "\"\"", "\" \"", "\"a\\nb\"", "[\"a\"]",
                                          "\"a\\u007f\"" } },
    [HONE_SWITCH] = { "true", { "\"true\"", "1", "null", "[]" } },
    [HONE_NUMBER] = { "1", { "0", "-1", "1.5", "\"1\"", "100001" } },
    [HONE_WORD] = { "\"max\"", { "\"most\"", "\"MAX\"", "3", "null" } },
    [HONE_DURATION] = { "\"90s\"", { "90", "\"soon\"", "\"1d\"", "\"-1s\"", "\"\"" } },
    [HONE_AMOUNT] = { "\"40\"", { "0", "-1", "\"soon\"", "\"\"", "null", "[5]" } },
    [HONE_PATTERNS] = { "[\"*.gen.c\",\"old/\"]",
                        { "\"*.c\"", "[1]", "[\"\"]", "[\"a\\nb\"]", "{}" } },
    [HONE_LIST] = { NULL, { "\"*\"", "[1]", "[\"\"]", "[\"*\\n*\"]", "{}", "[\"?\"]" } },
    [HONE_AGENTS] = { "[\"codex\",\"cmd:a, b\"]", { "\"codex\"", "[1]", "[\"\"]", "[\"codx\"]",
                                                  "[\"claude:-x\"]", "{}" } },
    [HONE_ROLES] = { "[\"critic\",\"my-own-2\"]", { "\"critic\"", "[]", "[\"\"]", "[\"Critic\"]",
                                               "[\"../x\"]", "[\"cr\u0456tic\"]" } },
    [HONE_WORDS] = { "[\"failed\",\"waiting\"]", { "\"failed\"", "[1]", "[\"fail\"]",
                                                    "[\"failed\",\"\"]", "{}" } },
    [HONE_COMMAND] = { "[\"mail\",\"-s\",\"a b\"]", { "\"mail\"", "[1]", "[\"\"]", "[\"a\\nb\"]",
                                                       "{}" } },
    [HONE_ADDRESS] = { "\"https://h/x?y\"", { "\"h\"", "\"ftp://h\"", "\"http://\"",
                                              "\"http://u:p@h\"", "\"http://h/a b\"", "7" } },
    [HONE_VARIABLE] = { "\"HOOK_2\"", { "\"$HOOK\"", "\"2HOOK\"", "\"A=b\"", "\"A*\"", "\"\"",
                                       "7" } },
    [HONE_AGENT] = { "\"claude\"", { "7", "\"\"", "\"claud\"", "\"cmd:\"", "\"cmd:a\\u0000b\"",
                                     "\"claude:-x\"" } },
};

TEST(each_key_takes_its_kind_and_refuses_others)
{
    for (const struct hone_key *key = hone_keys(); key->path; key++) {
        struct arena arena = { 0 };
        const char *path = example_path(key, &arena);
        const char *good = values_by_kind[key->kind].good;
        enum hone_kind kind = key->kind;
        struct hone_values values = { 0 };
        struct err err;

        if (key->kind == HONE_LIST) good = good_list(path);
        if (strcmp(path, "fleet.url") == 0) good = "\"ssh:box\"";
        if (key->kind == HONE_WORD) good = arena_printf(&arena, "\"%s\"", key->words[0]);
        assert_int_equal(hone_read(str_of(around(path, good, &arena)), &project, &arena, &values,
                                   &err), 0);
        assert_int_equal(values.count, 1);
        assert_ptr_equal(values.items[0].key, key);
        assert_string_equal(values.items[0].path, path);
        assert_string_equal(values.items[0].json, good);
        assert_ptr_equal(values.items[0].from, &project);
        /* Of those with a name any list of lines will do. */
        if (hone_key_has_name(key) && kind == HONE_LIST) kind = HONE_PATTERNS;
        for (uint32_t i = 0; i < 6 && values_by_kind[kind].bad[i]; i++) {
            const char *text = around(path, values_by_kind[kind].bad[i], &arena);
            const char *front = arena_printf(&arena, "hone.json: %s: ", path);

            values = (struct hone_values){ 0 };
            if (hone_read(str_of(text), &project, &arena, &values, &err) != ERR_USAGE) {
                fail_msg("taken: %s", text);
            }
            assert_true(str_starts(str_of(err.text), str_of(front)));
            assert_int_equal(values.count, 0);
        }
        arena_release(&arena);
    }
}

TEST(each_key_has_help_and_a_dialect_has_each_option)
{
    for (const struct hone_key *key = hone_keys(); key->path; key++) {
        const struct dialect *dialect = hone_key_dialect(str_of(key->path));
        const struct dialect_option *option = dialect ? dialect->options : NULL;
        bool known = !dialect || hone_key_has_role(key) || key->words == until_words;

        assert_true(key->help[0] != '\0');
        for (; option && option->name; option++) {
            if (strcmp(option->name, hone_key_name(key->path)) != 0) continue;
            known = true;
            assert_false(option->is_file || option->folder);
            assert_int_equal(option->argument == NULL, key->kind == HONE_SWITCH);
        }
        if (!known) fail_msg("no option for %s", key->path);
    }
}

TEST(a_role_of_ones_own_can_be_given_an_agent_where_its_name_is_no_slip)
{
    struct arena arena = { 0 };

    assert_non_null(hone_key_find(STR("agents.perf"), &arena, NULL));
    assert_non_null(hone_key_find(STR("efforts.our-database"), &arena, NULL));
    assert_null(hone_key_find(STR("agents.critics"), &arena, NULL));
    assert_null(hone_key_find(STR("agents.Perf"), &arena, NULL));
    assert_null(hone_key_find(STR("agents.-perf"), &arena, NULL));
    assert_null(hone_key_find(STR("dialects.review.agents.perf"), &arena, NULL));
    arena_release(&arena);
}

TEST(each_role_can_be_given_an_agent_and_an_effort)
{
    static const char *const groups[] = { "agents", "efforts" };

    for (uint32_t i = 0; dialects[i]; i++) {
        struct arena arena = { 0 };
        const char *const *roles = hone_roles(dialects[i], &arena);

        if (!roles[0]) fail_msg("no role in %s", dialects[i]->name);
        for (uint32_t k = 0; roles[k]; k++) {
            for (size_t g = 0; g < COUNT(groups); g++) {
                const char *path = arena_printf(&arena, "dialects.%s.%s.%s", dialects[i]->name,
                                                groups[g], roles[k]);
                assert_non_null(hone_key_find(str_of(path), &arena, NULL));
                path = arena_printf(&arena, "%s.%s", groups[g], roles[k]);
                assert_non_null(hone_key_find(str_of(path), &arena, NULL));
            }
        }
        arena_release(&arena);
    }
}

/* What the table says of a number is what the dialect's plan says. */
TEST(ranges_are_those_of_the_plans)
{
    for (const struct hone_key *key = hone_keys(); key->path; key++) {
        const struct dialect *dialect = hone_key_dialect(str_of(key->path));
        struct arena arena = { 0 };

        if (key->kind != HONE_NUMBER || !dialect) continue;
        for (uint32_t above = 0; above < 2; above++) {
            const struct config_text file = { .path = "--spec", .text = STR("# Spec\n") };
            const struct setting items[] = {
                { .name = hone_key_name(key->path),
                  .value = arena_printf(&arena, "%u", (unsigned)key->max + above) },
                { .name = "spec", .value = "spec.md" },
            };
            struct settings settings = { .items = items, .count = 1, .files = &file };
            struct plan plan;
            struct err err;

            if (strcmp(dialect->name, "loops") == 0) { /* which wants a file */
                settings.count = 2;
                settings.file_count = 1;
            }
            assert_int_equal(dialect->plan(&settings, &arena, &plan, &err),
                             above ? ERR_USAGE : 0);
        }
        arena_release(&arena);
    }
}

TEST(what_nobody_knows_is_refused_with_what_was_meant)
{
    static const struct {
        const char *text, *words;
    } rows[] = {
        { "{\"limts\":{}}", "hone.json: limts: there is no such setting; did you mean 'limits'?" },
        { "{\"limits\":{\"tme\":\"1h\"}}", "limits.tme: there is no such setting; did you mean "
          "'limits.time'?" },
        { "{\"time\":\"1h\"}", "did you mean 'limits.time'?" },
        { "{\"agents\":{\"critc\":\"claude\"}}", "did you mean 'agents.critic'?" },
        { "{\"dialects\":{\"review\":{\"agents\":{\"implementer\":\"claude\"}}}}",
          "dialects.review.agents.implementer: there is no such setting" },
        { "{\"dialects\":{\"reveiw\":{}}}", "did you mean 'dialects.review'?" },
        { "{\"dialects\":{\"review\":{\"lite\":true}}}", "dialects.review.lite: there is no such" },
        { "{\"dialects\":{\"cycles\":{\"spec\":\"a.md\"}}}", "dialects.cycles.spec: there is no" },
        { "{\"budget\":{\"usd\":0}}", "budget.usd: it must be dollars" },
        { "{\"budget\":{\"usd\":-1}}", "budget.usd: it must be dollars" },
        { "{\"budget\":{\"usd\":1e300}}", "budget.usd: it must be dollars" },
        { "{\"budget\":{\"usd\":true}}", "budget.usd: it must be dollars" },
        { "{\"budget\":{\"tokens\":1.5}}", "budget.tokens: it must be a number" },
        { "{\"budget\":{\"tokens\":\"2G\"}}", "budget.tokens: it must be a number" },
        { "{\"budget\":{\"time\":\"soon\"}}", "budget.time: it must be a duration" },
        { "{\"budget\":{\"time\":90}}", "budget.time: it must be a duration" },
        { "{\"budget\":{\"calls\":\"2k\"}}", "budget.calls: it must be a whole number" },
        { "{\"budget\":{\"when_spent\":\"later\"}}", "budget.when_spent: it must be one of" },
        { "{\"budget\":{\"call\":5}}", "did you mean 'budget.calls'?" },
        { "{\"budget\":5}", "budget: it must be an object" },
        { "{\"name\":\"x\",\"version\":1}", "hone.json: name: there is no such setting; 'hone "
          "config show' lists them" },
        { "{\"limits\":\"1h\"}", "hone.json: limits: it must be an object" },
        { "{\"agents\":[]}", "hone.json: agents: it must be an object" },
        { "{\"agents\":\"claude\"}", "agents: it must be an object such as {\"*\": \"claude\"}" },
        { "{\"efforts\":\"high\"}", "efforts: it must be an object such as {\"*\": \"high\"}" },
        { "{\"effort\":\"high\"}", "effort: there is no such setting; did you mean 'efforts'?" },
        { "{\"effort\":{\"*\":\"high\"}}", "did you mean 'efforts'?" },
        { "{\"efforts\":{\"critc\":\"high\"}}", "did you mean 'efforts.critic'?" },
        { "{\"efforts\":{\"*\":\"hihg\"}}", "efforts.*: it must be one of \"minimal\", \"low\", "
          "\"medium\", \"high\", \"xhigh\", \"max\", \"ultra\"; did you mean \"high\"?" },
        { "{\"efforts\":{\"*\":\"most of all\"}}", "\"max\", \"ultra\"" },
        { "{\"efforts\":{\"*\":3}}", "efforts.*: it must be one of" },
        { "{\"dialects\":{\"review\":{\"effort\":\"high\"}}}", "did you mean "
          "'dialects.review.efforts'?" },
        { "{\"test\":\"a\",\"test\":\"b\"}", "hone.json: test: it is there twice, the second time "
          "in line 1; keep one of them" },
        { "{\"test\":\"a\",\n\"t\\u0065st\":\"b\"}", "test: it is there twice, the second time in "
          "line 2" },
        { "{\n\"limits\":{\"time\":\"1h\",\n\"idle\":\"1m\",\n\"time\":\"2h\"},\"test\":\"t\"}",
          "limits.time: it is there twice, the second time in line 4" },
        { "{\"l\\u0069mits\":{\"time\":\"1h\",\"time\":\"2h\"}}", "limits.time: it is there "
          "twice; keep one of them" },
        { "{\"\\n\":1,\"\\n\":2}", "it is there twice" },
        { "{\"limits.time\":\"1h\"}", "limits.time: there is no such setting" },
        { "{\"\":1}", "there is no such setting" },
        { "[]", "hone.json: it must hold one JSON object" },
        { "", "hone.json: line 1: there is no JSON here" },
        { "{\n\"test\":", "hone.json: line 2" },
        { "{} {}", "hone.json: line 1" },
        { "\xff\xfe{}", "hone.json: line 1" },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct arena arena = { 0 };
        struct hone_values values = { 0 };
        struct err err = { 0 };

        if (hone_read(str_of(rows[i].text), &project, &arena, &values, &err) != ERR_USAGE ||
            !strstr(err.text, rows[i].words)) {
            fail_msg("%s: %s", rows[i].text, err.text);
        }
        arena_release(&arena);
    }
}

TEST(a_hostile_key_is_named_in_short)
{
    struct arena arena = { 0 };
    struct hone_values values = { 0 };
    struct err err;
    struct buf text;

    buf_init(&text, 1 << 20);
    buf_text(&text, "{\"");
    for (uint32_t i = 0; i < 100000; i++) buf_byte(&text, 'a');
    buf_text(&text, "\":1}");
    assert_int_equal(hone_read(buf_str(&text), &project, &arena, &values, &err), ERR_USAGE);
    assert_true(strlen(err.text) < 400);
    buf_release(&text);
    arena_release(&arena);
}

TEST(many_patterns_are_a_limit_and_not_a_flood)
{
    struct arena arena = { 0 };
    struct hone_values values = { 0 };
    struct err err;
    struct buf text;

    buf_init(&text, 1 << 20);
    buf_text(&text, "{\"exclude\":[\"a\"");
    for (uint32_t i = 0; i < 200000; i++) buf_text(&text, ",\"a\"");
    buf_text(&text, "]}");
    assert_int_equal(hone_read(buf_str(&text), &project, &arena, &values, &err), ERR_USAGE);
    buf_release(&text);
    arena_release(&arena);
}

static void read_two(const char *first, const char *second, struct arena *arena,
                     struct hone_values *values)
{
    struct err err = { 0 };

    assert_int_equal(hone_read(str_of(first), &user, arena, values, &err), 0);
    assert_int_equal(hone_read(str_of(second), &project, arena, values, &err), 0);
}

TEST(the_later_file_wins_key_by_key)
{
    struct arena arena = { 0 };
    struct hone_values values = { 0 };

    read_two("{\"limits\":{\"time\":\"2h\",\"idle\":\"5m\"},\"exclude\":[\"a\"],\"test\":\"t\"}",
             "{\"limits\":{\"time\":\"1h\"},\"exclude\":[\"b\",\"c\"]}", &arena, &values);
    assert_string_equal(hone_find(&values, "limits.time")->text, "1h");
    assert_ptr_equal(hone_find(&values, "limits.time")->from, &project);
    assert_string_equal(hone_find(&values, "limits.idle")->text, "5m");
    assert_ptr_equal(hone_find(&values, "limits.idle")->from, &user);
    assert_string_equal(hone_find(&values, "exclude")->text, "a\nb\nc");
    assert_string_equal(hone_find(&values, "exclude")->json, "[\"a\",\"b\",\"c\"]");
    assert_string_equal(hone_find(&values, "exclude")->names, "user, hone.json");
    assert_string_equal(hone_find(&values, "test")->text, "t");
    assert_null(hone_find(&values, "sandbox"));
    arena_release(&arena);
}

TEST(a_repository_can_lower_a_budget_and_not_raise_it)
{
    struct arena arena = { 0 };
    struct hone_values values = { 0 };
    struct err err;

    assert_int_equal(hone_read(STR("{\"budget\":{\"usd\":5,\"tokens\":\"2k\",\"calls\":9}}"), &user,
                               &arena, &values, &err), 0);
    assert_int_equal(hone_read(STR("{\"budget\":{\"usd\":1000,\"tokens\":\"none\",\"calls\":8,"
                                   "\"time\":\"1h\"}}"), &project, &arena, &values, &err), 0);
    assert_string_equal(hone_find(&values, "budget.usd")->text, "5");
    assert_string_equal(hone_find(&values, "budget.usd")->names, "user");
    assert_string_equal(hone_find(&values, "budget.tokens")->text, "2k");
    assert_string_equal(hone_find(&values, "budget.calls")->text, "8");
    assert_string_equal(hone_find(&values, "budget.time")->text, "1h");
    assert_int_equal(hone_read(STR("{\"budget\":{\"usd\":50}}"), &user, &arena, &values, &err), 0);
    assert_string_equal(hone_find(&values, "budget.usd")->text, "50");
    arena_release(&arena);
}

TEST(a_role_is_looked_for_from_the_narrow_to_the_wide)
{
    static const struct {
        const char *user, *project, *spec;
    } rows[] = {
        { "{}", "{}", NULL },
        { "{\"agents\":{\"pedant\":\"claude\"}}", "{}", NULL },
        { "{\"agents\":{\"*\":\"claude\"}}", "{}", "claude" },
        { "{\"agents\":{\"*\":\"claude\"}}", "{\"agents\":{\"*\":\"codex\"}}", "codex" },
        { "{\"agents\":{\"critic\":\"claude\"}}", "{\"agents\":{\"*\":\"codex\"}}", "claude" },
        { "{\"agents\":{\"critic\":\"claude\"}}",
          "{\"dialects\":{\"review\":{\"agents\":{\"*\":\"codex\"}}}}", "codex" },
        { "{\"dialects\":{\"review\":{\"agents\":{\"critic\":\"gemini\"}}}}",
          "{\"agents\":{\"critic\":\"codex\"},\"dialects\":{\"review\":{\"agents\":{"
          "\"*\":\"claude\"}}}}", "gemini" },
        { "{\"dialects\":{\"iterate\":{\"agents\":{\"*\":\"gemini\"}}}}", "{}", NULL },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct arena arena = { 0 };
        struct hone_values values = { 0 };
        const struct hone_value *value;

        read_two(rows[i].user, rows[i].project, &arena, &values);
        value = hone_find_agent(&values, &dialect_review, "critic", &arena);
        if (!rows[i].spec) assert_null(value);
        else assert_string_equal(value->text, rows[i].spec);
        arena_release(&arena);
    }
}

TEST(files_in_a_spec_are_looked_for_beside_the_settings)
{
    struct arena arena = { 0 };
    struct hone_values values = { 0 };

    read_two("{\"agents\":{\"critic\":\"script:a.jsonl\"}}",
             "{\"agents\":{\"pedant\":\"script:a.jsonl\",\"witness\":\"cmd:./a\"}}", &arena,
             &values);
    assert_string_equal(hone_find(&values, "agents.critic")->text, "script:/home/me/a.jsonl");
    assert_string_equal(hone_find(&values, "agents.pedant")->text, "script:/work/a.jsonl");
    assert_string_equal(hone_find(&values, "agents.witness")->text, "cmd:./a");
    arena_release(&arena);
}

TEST(a_change_keeps_everything_else)
{
    static const struct {
        const char *old, *path, *word, *text;
    } rows[] = {
        { "", "limits.time", "30m", "{\"limits\":{\"time\":\"30m\"}}" },
        { "{\"test\":\"t\",\"limits\":{\"idle\":\"1m\"}}", "limits.time", "30m",
          "{\"test\":\"t\",\"limits\":{\"idle\":\"1m\",\"time\":\"30m\"}}" },
        { "{\"sandbox\":true,\"test\":\"t\"}", "sandbox", "false",
          "{\"sandbox\":false,\"test\":\"t\"}" },
        { "{}", "dialects.review.max-iterations", "7",
          "{\"dialects\":{\"review\":{\"max-iterations\":7}}}" },
        { "{}", "agents.*", "cmd:a \"b\".c", "{\"agents\":{\"*\":\"cmd:a \\\"b\\\".c\"}}" },
        { "{}", "exclude", "*.c", "{\"exclude\":[\"*.c\"]}" },
        { "{\"exclude\":[\"x\"]}", "exclude", "[\"a\",\"b\"]", "{\"exclude\":[\"a\",\"b\"]}" },
        { "{\"limits\":{\"time\":\"1h\"},\"test\":\"t\"}", "limits.time", NULL,
          "{\"test\":\"t\"}" },
        { "{\"dialects\":{\"loops\":{\"effort\":\"max\"}}}", "dialects.loops.effort", NULL, "{}" },
        { "{\"test\":\"t\"}", "limits.time", NULL, "{\"test\":\"t\"}" },
        { "{\"limits\":{\"time\":7}}", "limits.time", "1h", "{\"limits\":{\"time\":\"1h\"}}" },
        { "{\"limits\":7}", "limits.time", "1h", "{\"limits\":{\"time\":\"1h\"}}" },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct err err = { 0 };
        yyjson_doc *wanted = NULL, *got = NULL;
        struct buf out;

        buf_init(&out, HONE_FILE_BYTES_MAX);
        if (hone_edit(str_of(rows[i].old), &project, rows[i].path, rows[i].word, &out, &err)) {
            fail_msg("%s %s: %s", rows[i].old, rows[i].path, err.text);
        }
        assert_true(str_ends(buf_str(&out), STR("\n")));
        assert_int_equal(json_read(buf_str(&out), &got, &err), 0);
        assert_int_equal(json_read(str_of(rows[i].text), &wanted, &err), 0);
        assert_true(yyjson_equals(yyjson_doc_get_root(got), yyjson_doc_get_root(wanted)));
        yyjson_doc_free(got);
        yyjson_doc_free(wanted);
        buf_release(&out);
    }
}

TEST(a_change_that_does_not_fit_is_refused)
{
    static const struct {
        const char *old, *path, *word, *words;
    } rows[] = {
        { "{}", "limts.time", "1h", "did you mean 'limits.time'?" },
        { "{}", "limits", "1h", "holds several settings" },
        { "{}", "", "1h", "there is no setting ''" },
        { "{}", "agents.ROLE", "claude", "there is no setting 'agents.ROLE'" },
        { "{}", "limits.time", "soon", "hone.json: limits.time: it must be a duration" },
        { "{}", "sandbox", "yes", "hone.json: sandbox: it must be true or false" },
        { "{}", "dialects.review.max-iterations", "1001", "from 1 to 1000" },
        { "{}", "agents.*", "claud", "did you mean 'claude'?" },
        { "{}", "exclude", "[1]", "hone.json: exclude: it must be a list" },
        { "{}", "test", "a\nb", "hone.json: test: it must be a text of one line" },
        { "{\"other\":1}", "test", "make", "hone.json: other: there is no such setting" },
        { "{\"test\":", "test", "make", "hone.json: line 1" },
        { "[]", "test", "make", "hone.json: it must hold one JSON object" },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct err err = { 0 };
        struct buf out;

        buf_init(&out, HONE_FILE_BYTES_MAX);
        if (hone_edit(str_of(rows[i].old), &project, rows[i].path, rows[i].word, &out,
                      &err) != ERR_USAGE || !strstr(err.text, rows[i].words)) {
            fail_msg("%s %s: %s", rows[i].path, rows[i].word, err.text);
        }
        buf_release(&out);
    }
}
