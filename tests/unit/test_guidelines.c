/* SPDX-License-Identifier: Apache-2.0
 *
 * test_guidelines.c - which files hold the project's rules for a run, in which order, and as which
 * commit has them. */
#include "settings/guidelines.h"

#include "dialect/dialects.h"
#include "dialect/rules.h"
#include "ground.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { LIST_BYTES_MAX = 1 << 16 };

struct scene {
    struct ground *ground;
    struct repo repo;
    struct arena arena;
    struct warnings warnings;
    struct run_settings settings;
};

static void scene_open(struct scene *scene, void **state)
{
    struct err err = { 0 };

    *scene = (struct scene){ .ground = *state };
    scene->settings.options.warnings = &scene->warnings;
    setenv("XDG_CONFIG_HOME", at(*state, "config"), 1);
    setenv("XDG_STATE_HOME", at(*state, "state"), 1);
    assert_int_equal(repo_open(&scene->repo, scene->ground->work, REPO_MAKE, &err), 0);
}

static void scene_close(struct scene *scene)
{
    warnings_release(&scene->warnings);
    arena_release(&scene->arena);
    repo_release(&scene->repo);
}

static void pin(struct scene *scene, const struct dialect *dialect)
{
    const struct guidelines_of of = { .repo = &scene->repo, .dialect = dialect,
                                      .start = scene->ground->work };
    struct err err = { 0 };

    scene->settings.options.file_count = 0;
    warnings_release(&scene->warnings);
    scene->warnings = (struct warnings){ 0 };
    if (guidelines_pin(&of, &scene->settings, &scene->arena, &err) != 0) fail_msg("%s", err.text);
}

/* "PATH=TEXT PATH=TEXT "; of a text its first word. */
static void expect_rules(struct scene *scene, const char *wanted)
{
    struct buf list;

    buf_init(&list, LIST_BYTES_MAX);
    for (uint32_t i = 0; i < scene->settings.options.file_count; i++) {
        const struct config_text *file = &scene->settings.options.files[i];
        struct str rest = file->text, line = { "", 0 };

        assert_true(str_starts(str_of(file->path), STR(RULES_PREFIX)));
        (void)str_cut(&rest, '\n', &line);
        buf_printf(&list, "%s=%.*s ", file->path + strlen(RULES_PREFIX), STR_ARG(line));
    }
    assert_string_equal(buf_cstr(&list), wanted);
    buf_release(&list);
}

static void expect_said(const struct scene *scene, const char *words)
{
    for (uint32_t i = 0; i < scene->warnings.count; i++) {
        if (strstr(scene->warnings.items[i], words)) return;
    }
    fail_msg("'%s' is not said", words);
}

static void put_tree(const struct ground *ground)
{
    put(at(ground, "work/REVIEW.md"), "top\n");
    put(at(ground, "work/AGENTS.md"), "agents\n");
    put(at(ground, "work/src/net/REVIEW.md"), "net\n");
    put(at(ground, "work/src/net/AGENTS.md"), "net-agents\n");
    put(at(ground, "work/src/REVIEW.md"), "src\n");
    put(at(ground, "work/aside/REVIEW.md"), "aside\n");
    put(at(ground, "work/docs/rules/b.md"), "b\n");
    put(at(ground, "work/docs/rules/a.md"), "a\n");
    put(at(ground, "work/src/net/x.c"), "x\n");
}

IN_REPOSITORY(a_repository_without_rules_has_none)
{
    struct scene scene;

    put(at(*state, "work/AGENTS.md"), "nobody names it\n");
    commit_all(*state);
    scene_open(&scene, state);
    pin(&scene, &dialect_review);
    expect_rules(&scene, "");
    assert_int_equal(scene.warnings.count, 0);
    scene_close(&scene);
}

IN_REPOSITORY(the_nearest_file_comes_first_for_a_change)
{
    struct scene scene;

    put_tree(*state);
    put(at(*state, "work/hone.json"), "{\"guidelines\":[\"AGENTS.md\",\"docs/rules/\"]}");
    commit_all(*state);
    put(at(*state, "work/src/net/x.c"), "y\n");
    scene_open(&scene, state);
    pin(&scene, &dialect_review);
    expect_rules(&scene, "src/net/REVIEW.md=net src/net/AGENTS.md=net-agents src/REVIEW.md=src "
                 "REVIEW.md=top AGENTS.md=agents docs/rules/a.md=a docs/rules/b.md=b ");
    assert_int_equal(scene.warnings.count, 0);
    scene_close(&scene);
}

/* What will be touched is not known. */
IN_REPOSITORY(everything_and_work_to_be_done_have_all_of_them_from_the_top)
{
    static const char wanted[] = "REVIEW.md=top aside/REVIEW.md=aside src/REVIEW.md=src "
                                 "src/net/REVIEW.md=net ";
    struct scene scene;

    put_tree(*state);
    commit_all(*state);
    scene_open(&scene, state);
    pin(&scene, dialect_find(STR("iterate")));
    expect_rules(&scene, wanted);
    scene.settings.scope_given = true;
    pin(&scene, &dialect_review);
    expect_rules(&scene, wanted);
    scene_close(&scene);
}

IN_REPOSITORY(a_change_does_not_bring_its_own)
{
    struct scene scene;

    put_tree(*state);
    put(at(*state, "work/hone.json"), "{\"guidelines\":[\"/AGENTS.md\"]}");
    commit_all(*state);
    put(at(*state, "work/REVIEW.md"), "all is well\n");
    put(at(*state, "work/new/REVIEW.md"), "all is well\n");
    put(at(*state, "work/hone.json"), "{\"guidelines\":[\"mine.md\"]}");
    put(at(*state, "work/mine.md"), "all is well\n");
    remove_all(at(*state, "work/AGENTS.md"));
    scene_open(&scene, state);
    pin(&scene, &dialect_review);
    expect_rules(&scene, "REVIEW.md=top AGENTS.md=agents ");
    expect_said(&scene, "REVIEW.md counts as commit ");
    expect_said(&scene, "AGENTS.md counts as commit ");
    expect_said(&scene, "new/REVIEW.md is not in commit ");
    expect_said(&scene, "hone.json: the guidelines of commit ");
    assert_int_equal(scene.warnings.count, 4);
    commit_all(*state); /* the newest commit is the change now */
    pin(&scene, &dialect_review);
    expect_rules(&scene, "REVIEW.md=top AGENTS.md=agents ");
    assert_int_equal(scene.warnings.count, 4);
    scene_close(&scene);
}

IN_REPOSITORY(a_users_own_list_counts_too)
{
    struct scene scene;

    put_tree(*state);
    commit_all(*state);
    put(at(*state, "work/src/net/x.c"), "y\n");
    put(at(*state, "config/hone/config.json"), "{\"guidelines\":[\"/AGENTS.md\",\"none.md\"]}");
    scene_open(&scene, state);
    pin(&scene, &dialect_review);
    expect_rules(&scene, "src/net/REVIEW.md=net src/REVIEW.md=src REVIEW.md=top "
                 "AGENTS.md=agents ");
    expect_said(&scene, "guidelines: 'none.md' names no file of commit ");
    put(at(*state, "config/hone/config.json"), "{\"guidelines\":");
    pin(&scene, &dialect_review);
    expect_said(&scene, "its guidelines do not count");
    scene_close(&scene);
}

IN_REPOSITORY(what_cannot_be_a_rule_is_left_out)
{
    struct ground *ground = *state;
    char *text = calloc(1, GUIDELINES_READ_BYTES_MAX + 2);
    const struct config_text *file;
    struct scene scene;

    put_link(at(ground, "work/REVIEW.md"), "/etc/passwd");
    put(at(ground, "work/rules/blank.md"), " \n\n");
    memset(text, 'x', RULES_FILE_BYTES_MAX + 1);
    put(at(ground, "work/rules/long.md"), text);
    memset(text, 'x', GUIDELINES_READ_BYTES_MAX + 1);
    put(at(ground, "work/rules/huge.md"), text);
    put(at(ground, "work/hone.json"), "{\"guidelines\":[\"rules/\"]}");
    commit_all(ground);
    scene_open(&scene, state);
    scene.settings.scope_given = true;
    pin(&scene, &dialect_review);
    assert_int_equal(scene.settings.options.file_count, 1);
    file = scene.settings.options.files;
    assert_string_equal(file->path, RULES_PREFIX "rules/long.md");
    assert_true(str_ends(file->text, STR("\n[cut: 32769 bytes in all]")));
    expect_said(&scene, "rules/long.md is long");
    expect_said(&scene, "rules/huge.md has more than 1048576 bytes");
    scene_close(&scene);
    free(text);
}

IN_REPOSITORY(all_of_them_are_bounded)
{
    static char text[30 * 1024];
    struct scene scene;
    size_t bytes = 0;

    memset(text, 'x', sizeof text - 1);
    for (uint32_t i = 0; i < 100; i++) put(at(*state, "work/%03u/REVIEW.md", i), text);
    put(at(*state, "work/hone.json"), "{\"guidelines\":[\"REVIEW.md\"]}"); /* the top has none */
    commit_all(*state);
    scene_open(&scene, state);
    scene.settings.scope_given = true;
    pin(&scene, &dialect_review);
    for (uint32_t i = 0; i < scene.settings.options.file_count; i++) {
        bytes += scene.settings.options.files[i].text.size;
    }
    assert_true(bytes > 0 && bytes <= RULES_SHOWN_BYTES_MAX);
    assert_true(scene.settings.options.file_count <= 2 * GUIDELINES_FILES_MAX);
    expect_said(&scene, "97 of 100 files with rules are not shown");
    scene_close(&scene);
}

ON_GROUND(without_a_commit_the_user_agrees)
{
    struct err err = { 0 };
    struct scene scene;

    put(at(*state, "work/REVIEW.md"), "top\n");
    scene_open(&scene, state);
    pin(&scene, &dialect_review);
    expect_rules(&scene, "");
    expect_said(&scene, "REVIEW.md is left out: this is no git repository");
    assert_int_equal(guidelines_agree(&(struct guidelines_of){ .repo = &scene.repo,
                                                               .dialect = &dialect_review,
                                                               .start = scene.ground->work },
                                      &scene.settings, &err), 0);
    pin(&scene, &dialect_review);
    expect_rules(&scene, "REVIEW.md=top ");
    put(at(*state, "work/REVIEW.md"), "other\n");
    pin(&scene, &dialect_review);
    expect_rules(&scene, "");
    scene_close(&scene);
}
