/* SPDX-License-Identifier: Apache-2.0
 *
 * test_hone_use.c - what settings files mean for a run, which of it is asked about, and what was
 * agreed to. */
#include "dialect/dialects.h"
#include "dialect/iterate/iterate.h"
#include "settings/hone_use.h"

#include "settings/trust.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct hone_file user = { .name = "user", .folder = "/" };
static const struct hone_file project = { .name = "hone.json", .folder = "/", .foreign = true };

/* Files, the flags' agents, and what comes of them. */
struct scene {
    struct arena arena;
    struct hone_values values;
    struct run_settings settings;
    struct plan plan;
    const struct hone_effect *effects;
    uint32_t count;
};

static void scene_open(struct scene *scene, const struct dialect *dialect, const char *text)
{
    struct err err = { 0 };

    *scene = (struct scene){ .count = 0 };
    if (hone_read(str_of(text), &project, &scene->arena, &scene->values, &err) != 0) {
        fail_msg("%s", err.text);
    }
    hone_prefill(&scene->values, dialect, &scene->settings, &scene->arena);
    assert_int_equal(dialect->plan(&scene->settings.options, &scene->arena, &scene->plan, &err),
                     0);
}

static void scene_cast(struct scene *scene, const struct dialect *dialect)
{
    struct err err = { 0 };

    if (hone_cast(&scene->values, dialect, &scene->plan, &scene->settings, &scene->arena,
                  &err) != 0) {
        fail_msg("%s", err.text);
    }
    scene->count = hone_effects(&(struct hone_use){
        .values = &scene->values, .dialect = dialect, .settings = &scene->settings,
    }, &scene->arena, &scene->effects);
}

/* -1: it does not count; else whether it is asked about. */
static int effect_of(const struct scene *scene, const char *path)
{
    for (uint32_t i = 0; i < scene->count; i++) {
        if (strcmp(scene->effects[i].value->path, path) == 0) return scene->effects[i].asked;
    }
    return -1;
}

TEST(without_files_everything_is_built_in)
{
    struct hone_values none = { 0 };
    struct run_settings settings = { 0 };
    struct arena arena = { 0 };

    hone_prefill(&none, &dialect_review, &settings, &arena);
    assert_int_equal(settings.time_ms_max, LIMIT_TIME_MS);
    assert_int_equal(settings.idle_ms_max, LIMIT_IDLE_MS);
    assert_false(settings.sandbox_off);
    assert_null(settings.test);
    assert_string_equal(settings.exclude, "");
    assert_int_equal(settings.options.count, 0);
    arena_release(&arena);
}

TEST(values_become_the_settings_of_their_dialect)
{
    struct scene scene;

    scene_open(&scene, &dialect_iterate,
               "{\"limits\":{\"time\":\"90s\",\"idle\":\"0\"},\"sandbox\":false,\"test\":\"t\","
               "\"exclude\":[\"a\",\"b\"],\"dialects\":{\"iterate\":{\"lite\":true,"
               "\"max-iterations\":3},\"review\":{\"max-iterations\":4}}}");
    assert_int_equal(scene.settings.time_ms_max, 90000);
    assert_int_equal(scene.settings.idle_ms_max, 0);
    assert_true(scene.settings.sandbox_off);
    assert_string_equal(scene.settings.test, "t");
    assert_string_equal(scene.settings.test_from, "hone.json");
    assert_string_equal(scene.settings.exclude, "a\nb");
    assert_int_equal(scene.settings.options.count, 2);
    assert_string_equal(setting_value(&scene.settings.options, "lite"), "true");
    assert_string_equal(setting_value(&scene.settings.options, "max-iterations"), "3");
    arena_release(&scene.arena);
}

TEST(a_switch_that_is_off_is_not_there)
{
    struct scene scene;

    scene_open(&scene, &dialect_iterate, "{\"dialects\":{\"iterate\":{\"lite\":false}}}");
    assert_null(setting_value(&scene.settings.options, "lite"));
    arena_release(&scene.arena);
}

TEST(agents_of_flags_stay_in_front)
{
    static const struct agent_setting flags[] = { { .role = "critic", .spec = "cmd:mine" } };
    struct scene scene;

    scene_open(&scene, &dialect_review, "{\"agents\":{\"critic\":\"cmd:a\",\"pedant\":\"cmd:b\"}}");
    scene.settings.agents = flags;
    scene.settings.agent_count = COUNT(flags);
    scene_cast(&scene, &dialect_review);
    assert_int_equal(scene.settings.agent_count, 2);
    assert_string_equal(settings_agent(&scene.settings, "critic"), "cmd:mine");
    assert_null(settings_agent(&scene.settings, "pedant"));
    assert_string_equal(settings_chosen(&scene.settings, "pedant"), "cmd:b");
    assert_int_equal(effect_of(&scene, "agents.critic"), -1);
    assert_int_equal(effect_of(&scene, "agents.pedant"), 1);
    arena_release(&scene.arena);
}

TEST(an_effort_is_looked_for_as_an_agent_is)
{
    static const struct {
        const char *user, *project, *effort;
    } rows[] = {
        { "{}", "{\"efforts\":{\"pedant\":\"low\"}}", NULL },
        { "{\"efforts\":{\"*\":\"low\"}}", "{}", "low" },
        { "{\"efforts\":{\"critic\":\"low\"}}", "{\"efforts\":{\"*\":\"max\"}}", "low" },
        { "{\"efforts\":{\"critic\":\"low\"}}",
          "{\"dialects\":{\"review\":{\"efforts\":{\"*\":\"max\"}}}}", "max" },
        { "{\"dialects\":{\"iterate\":{\"efforts\":{\"*\":\"max\"}}}}", "{}", NULL },
        { "{}", "{\"dialects\":{\"loops\":{\"effort\":\"high\"}}}", NULL },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct arena arena = { 0 };
        struct hone_values values = { 0 };
        const struct hone_value *value;
        struct err err;

        assert_int_equal(hone_read(str_of(rows[i].user), &user, &arena, &values, &err), 0);
        assert_int_equal(hone_read(str_of(rows[i].project), &project, &arena, &values, &err), 0);
        value = hone_find_effort(&values, &dialect_review, "critic", &arena);
        if (!rows[i].effort) assert_null(value);
        else assert_string_equal(value->text, rows[i].effort);
        arena_release(&arena);
    }
}

TEST(efforts_of_files_are_for_roles_that_no_flag_names)
{
    static const struct effort_setting flags[] = { { .role = "critic", .effort = "low" } };
    struct scene scene;

    scene_open(&scene, &dialect_review,
               "{\"efforts\":{\"critic\":\"max\",\"pedant\":\"low\",\"*\":\"medium\"},"
               "\"dialects\":{\"review\":{\"efforts\":{\"witness\":\"high\"}},"
               "\"iterate\":{\"efforts\":{\"*\":\"max\"}}}}");
    assert_int_equal(scene.settings.options.count, 0); /* an effort is no option of a dialect */
    scene.settings.efforts = flags;
    scene.settings.effort_count = COUNT(flags);
    scene_cast(&scene, &dialect_review);
    assert_string_equal(settings_effort(&scene.settings, "critic"), "low");
    assert_string_equal(settings_effort(&scene.settings, "pedant"), "low");
    assert_string_equal(settings_effort(&scene.settings, "witness"), "high");
    assert_string_equal(settings_effort(&scene.settings, "review-fixer"), "medium");
    assert_int_equal(effect_of(&scene, "efforts.critic"), -1);
    assert_int_equal(effect_of(&scene, "efforts.pedant"), 0);
    assert_int_equal(effect_of(&scene, "efforts.*"), 0);
    assert_int_equal(effect_of(&scene, "dialects.review.efforts.witness"), 0);
    assert_int_equal(effect_of(&scene, "dialects.iterate.efforts.*"), -1);
    arena_release(&scene.arena);
}

TEST(an_effort_for_all_by_flag_leaves_nothing_to_a_file)
{
    static const struct effort_setting flags[] = { { .role = "*", .effort = "low" } };
    struct scene scene;

    scene_open(&scene, &dialect_review, "{\"efforts\":{\"critic\":\"max\"}}");
    scene.settings.efforts = flags;
    scene.settings.effort_count = COUNT(flags);
    scene_cast(&scene, &dialect_review);
    assert_string_equal(settings_effort(&scene.settings, "critic"), "low");
    assert_int_equal(scene.count, 0);
    arena_release(&scene.arena);
}

TEST(an_agent_for_all_by_flag_leaves_nothing_to_a_file)
{
    static const struct agent_setting flags[] = { { .role = "*", .spec = "cmd:mine" } };
    struct scene scene;

    scene_open(&scene, &dialect_review, "{\"agents\":{\"*\":\"cmd:a\"}}");
    scene.settings.agents = flags;
    scene.settings.agent_count = COUNT(flags);
    scene_cast(&scene, &dialect_review);
    assert_int_equal(scene.settings.agent_count, 1);
    assert_int_equal(scene.count, 0);
    arena_release(&scene.arena);
}

TEST(an_agent_that_cannot_play_is_named_by_file_and_key)
{
    struct scene scene;
    struct err err = { 0 };

    scene_open(&scene, &dialect_review, "{\"agents\":{\"*\":\"script:/nonexistent\"}}");
    assert_int_not_equal(hone_cast(&scene.values, &dialect_review, &scene.plan, &scene.settings,
                                   &scene.arena, &err), 0);
    assert_non_null(strstr(err.text, "hone.json: agents.*: "));
    arena_release(&scene.arena);
}

/* Every backend: those that run what the file says are asked about, the others are not. */
TEST(commands_of_a_repository_are_asked_about)
{
    static const struct {
        const char *spec;
        bool asked;
    } rows[] = {
        { "cmd:true", true }, { "acp:true", true }, { "sarif:true", true },
        { "rdjson:true", true }, { "script:/dev/null", true }, { "claude", false },
        { "claude:opus", false }, { "codex", false }, { "gemini", false },
        { "analyzer:gcc", false }, { "fixits", false }, { "analyzer:none", true },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct arena arena = { 0 };
        struct hone_values theirs = { 0 }, mine = { 0 };
        const char *text = arena_printf(&arena, "{\"agents\":{\"critic\":\"%s\"}}", rows[i].spec);
        struct err err = { 0 };

        assert_int_equal(hone_read(str_of(text), &project, &arena, &theirs, &err), 0);
        assert_int_equal(hone_read(str_of(text), &user, &arena, &mine, &err), 0);
        if (hone_is_asked(&theirs.items[0]) != rows[i].asked) fail_msg("%s", rows[i].spec);
        assert_false(hone_is_asked(&mine.items[0]));
        arena_release(&arena);
    }
}

TEST(what_loosens_is_asked_about_and_what_only_bounds_is_not)
{
    struct scene scene;

    scene_open(&scene, &dialect_review,
               "{\"sandbox\":false,\"test\":\"t\",\"limits\":{\"time\":\"0\"},\"exclude\":[\"*\"],"
               "\"$schema\":\"x\",\"dialects\":{\"review\":{\"max-iterations\":9},"
               "\"loops\":{\"effort\":\"max\"}}}");
    scene_cast(&scene, &dialect_review);
    assert_int_equal(effect_of(&scene, "sandbox"), 1);
    assert_int_equal(effect_of(&scene, "test"), 1);
    assert_int_equal(effect_of(&scene, "limits.time"), 0);
    assert_int_equal(effect_of(&scene, "exclude"), 1); /* it could hide a file */
    assert_int_equal(effect_of(&scene, "dialects.review.max-iterations"), 0);
    assert_int_equal(effect_of(&scene, "dialects.loops.effort"), -1);
    assert_int_equal(effect_of(&scene, "$schema"), -1);
    arena_release(&scene.arena);
}

TEST(a_dialect_that_tests_anyway_asks_about_it_too)
{
    struct scene scene;

    scene_open(&scene, &dialect_iterate, "{\"test\":\"true\",\"sandbox\":true}");
    scene_cast(&scene, &dialect_iterate);
    assert_int_equal(effect_of(&scene, "test"), 1);
    assert_int_equal(effect_of(&scene, "sandbox"), 0);
    arena_release(&scene.arena);
}

/* Fewer reviewers, changes left aside, the least effort: what a repository could weaken. */
TEST(what_weakens_a_gate_is_asked_about)
{
    static const struct {
        const char *path, *text;
        bool asked;
    } rows[] = {
        { "dialects.iterate.lite", "true", true },
        { "dialects.iterate.lite", "false", false },
        { "dialects.loops.effort", "low", true },
        { "dialects.loops.effort", "max", false },
        { "dialects.loops.allow-dirty", "true", true },
        { "dialects.cycles.allow-dirty", "true", true },
        { "dialects.cycles.cycles", "1", false },
        { "dialects.session.handsfree", "true", false },
        { "until", "settled", true }, { "until", "lean", true }, { "until", "thorough", true },
        { "until", "seed", false }, { "until", "clean", false },
        { "dialects.review.until", "lean", true }, { "dialects.review.until", "clean", false },
        { "eyes", "codex\nclaude:opus", false }, { "eyes", "codex\ncmd:./x", true },
        { "exclude", "*.c", true }, { "exclude", "", false },
        { "rights.network", "true", true }, { "rights.network", "false", false },
        { "rights.write", "/srv", true }, { "sandbox", "true", false },
    };
    struct arena arena = { 0 };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct hone_value value = {
            .key = hone_key_find(str_of(rows[i].path), &arena, NULL), .path = rows[i].path,
            .text = rows[i].text, .from = &project,
        };

        assert_non_null(value.key);
        if (hone_is_asked(&value) != rows[i].asked) fail_msg("%s", rows[i].path);
    }
    arena_release(&arena);
}

/* The user's file, the project's, the one that HONE_CONFIG names: patterns of all of them join. */
TEST(patterns_of_a_repository_are_asked_about_though_others_join_them)
{
    static const struct hone_file own = { .name = "config.json", .folder = "/home" };
    static const struct hone_file named = { .name = "ci.json", .folder = "/home" };
    static const struct {
        const char *own, *project, *named, *text, *names;
        bool asked;
    } rows[] = {
        { "[]", "[\"*.c\"]", "[\"*.gen\"]", "*.c\n*.gen", "hone.json, ci.json", true },
        { "[\"a\"]", "[\"*.c\"]", "[\"b\"]", "a\n*.c\nb", "config.json, hone.json, ci.json", true },
        { "[]", "[\"*.c\"]", "[]", "*.c", "hone.json", true },
        { "[\"a\"]", "[]", "[\"b\"]", "a\nb", "config.json, ci.json", false },
        { "[\"a\"]", "[]", "[]", "a", "config.json", false },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct hone_file *const files[] = { &own, &project, &named };
        const char *const texts[] = { rows[i].own, rows[i].project, rows[i].named };
        struct arena arena = { 0 };
        struct hone_values values = { 0 };
        const struct hone_value *value;
        struct err err = { 0 };

        for (size_t k = 0; k < COUNT(files); k++) {
            const char *text = arena_printf(&arena, "{\"exclude\":%s}", texts[k]);

            assert_int_equal(hone_read(str_of(text), files[k], &arena, &values, &err), 0);
        }
        value = hone_find(&values, "exclude");
        assert_string_equal(value->text, rows[i].text);
        assert_string_equal(value->names, rows[i].names);
        if (hone_is_asked(value) != rows[i].asked) fail_msg("row %zu", i);
        arena_release(&arena);
    }
}

TEST(every_key_has_a_word_on_what_is_asked_about)
{
    for (const struct hone_key *key = hone_keys(); key->path; key++) {
        if (key->consent == CONSENT_UNSAID) fail_msg("%s", key->path);
    }
    for (uint32_t i = 0; i < FIELD_COUNT; i++) assert_non_null(iterate_fields[i].asked);
}

TEST(a_test_by_flag_is_not_the_files)
{
    struct scene scene;

    scene_open(&scene, &dialect_review, "{\"test\":\"t\"}");
    scene.settings.test = "mine";
    scene_cast(&scene, &dialect_review);
    assert_int_equal(effect_of(&scene, "test"), -1);
    arena_release(&scene.arena);
}

/* ---- what was agreed to ---- */

static char folder[] = "/tmp/hone-trust-XXXXXX";

static int folder_make(void **state)
{
    (void)state;
    return mkdtemp(folder) && setenv("XDG_STATE_HOME", folder, 1) == 0 ? 0 : -1;
}

static int folder_remove(void **state)
{
    char path[512];

    (void)state;
    snprintf(path, sizeof path, "%s/hone/trusted.jsonl", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/hone", folder);
    rmdir(path);
    return rmdir(folder);
}

static bool is_trusted(const char *workspace, const char *path, const char *text)
{
    const struct hone_value value = { .path = path, .text = text };
    struct trust trust;
    bool has;

    trust_open(&trust);
    has = trust_has(&trust, workspace, &value);
    trust_close(&trust);
    return has;
}

static void agree_to(const char *workspace, const char *path, const char *text)
{
    const struct hone_value value = { .path = path, .text = text };
    struct trust trust;
    struct err err;

    trust_open(&trust);
    assert_int_equal(trust_add(&trust, workspace, &value, 1, &err), 0);
    assert_true(trust_has(&trust, workspace, &value));
    trust_close(&trust);
}

TEST(an_agreement_is_to_one_text_in_one_place)
{
    assert_false(is_trusted("/a", "test", "make \"x\""));
    agree_to("/a", "test", "make \"x\"");
    agree_to("/a", "agents.*", "cmd:y");
    assert_true(is_trusted("/a", "test", "make \"x\""));
    assert_true(is_trusted("/a", "agents.*", "cmd:y"));
    assert_false(is_trusted("/a", "test", "make \"x\" "));
    assert_false(is_trusted("/a", "test", "cmd:y"));
    assert_false(is_trusted("/b", "test", "make \"x\""));
    assert_false(is_trusted("/a", "", ""));
}

TEST(a_text_cannot_bring_a_second_line)
{
    agree_to("/a", "test", "x\n[\"/a\",\"test\",\"evil\"]\n");
    assert_false(is_trusted("/a", "test", "evil"));
}

TEST(a_file_that_is_full_begins_anew)
{
    char *large = malloc(700001);

    assert_non_null(large);
    memset(large, 'x', 700000);
    large[700000] = '\0';
    agree_to("/a", "test", "small");
    agree_to("/a", "test", large);
    large[0] = 'y';
    agree_to("/a", "test", large);
    assert_true(is_trusted("/a", "test", large));
    assert_false(is_trusted("/a", "test", "small"));
    free(large);
}

TEST(without_a_home_nothing_is_remembered)
{
    const struct hone_value value = { .path = "test", .text = "x" };
    struct trust trust;
    struct err err;

    unsetenv("XDG_STATE_HOME");
    unsetenv("HOME");
    trust_open(&trust);
    assert_int_equal(trust_add(&trust, "/a", &value, 1, &err), ERR_MISSING);
    trust_close(&trust);
    setenv("XDG_STATE_HOME", folder, 1);
}

TESTS_WITHIN(folder_make, folder_remove)
