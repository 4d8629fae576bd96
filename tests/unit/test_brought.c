/* SPDX-License-Identifier: Apache-2.0
 *
 * test_brought.c - what a repository brings along counts as the commit has it that a change is
 * measured against, and never as the change has it. */
#include "settings/brought.h"

#include "dialect/dialects.h"
#include "ground.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_MAX = 1000 };

struct scene {
    struct ground *ground;
    struct repo repo;
    struct arena arena;
    struct brought brought;
};

static void scene_open(struct scene *scene, void **state, const struct brought_scope *scope)
{
    struct err err = { 0 };

    *scene = (struct scene){ .ground = *state };
    assert_int_equal(repo_open(&scene->repo, scene->ground->work, REPO_MAKE, &err), 0);
    assert_int_equal(brought_open(&scene->repo, scope, &scene->arena, &scene->brought, &err), 0);
}

static void scene_close(struct scene *scene)
{
    arena_release(&scene->arena);
    repo_release(&scene->repo);
}

static const struct brought_scope change = { .all = false }, all = { .all = true };

static void expect_commit(const struct scene *scene, const char *revision)
{
    char *commit = git_says(scene->ground, "rev-parse", revision);

    assert_string_equal(scene->brought.commit, commit);
    assert_non_null(strstr(scene->brought.name, "commit "));
    assert_string_equal(scene->brought.why, "");
    free(commit);
}

static void expect_text(struct scene *scene, const char *path, const char *text, bool altered)
{
    struct err err = { 0 };
    struct str out;
    bool is_altered;

    if (brought_text(&scene->brought, path, BYTES_MAX, &scene->arena, &out, &is_altered,
                     &err) != 0) {
        fail_msg("%s: %s", path, err.text);
    }
    assert_true(str_is(out, text));
    assert_int_equal(is_altered, altered);
}

static void expect_refusal(struct scene *scene, const char *path, int code, bool altered)
{
    struct err err = { 0 };
    struct str out;
    bool is_altered;

    assert_int_equal(brought_text(&scene->brought, path, BYTES_MAX, &scene->arena, &out,
                                  &is_altered, &err), code);
    assert_int_equal(out.size, 0);
    assert_int_equal(is_altered, altered);
}

/* The paths, with a blank behind each. */
static void expect_list(struct scene *scene, const struct brought_query *query, const char *paths)
{
    struct brought_paths list;
    struct err err = { 0 };
    struct buf text;

    assert_int_equal(brought_list(&scene->brought, query, &scene->arena, &list, &err), 0);
    buf_init(&text, BYTES_MAX);
    for (uint32_t i = 0; i < list.count; i++) buf_printf(&text, "%s ", list.items[i]);
    assert_string_equal(buf_cstr(&text), paths);
    buf_release(&text);
}

/* ---- the commit ---- */

IN_REPOSITORY(a_change_in_the_work_tree_is_measured_against_head)
{
    struct scene scene;

    put(at(*state, "work/REVIEW.md"), "old\n");
    commit_all(*state);
    put(at(*state, "work/REVIEW.md"), "new\n");
    scene_open(&scene, state, &change);
    expect_commit(&scene, "HEAD");
    expect_text(&scene, "REVIEW.md", "old\n", true);
    scene_close(&scene);
}

IN_REPOSITORY(what_is_staged_is_the_change_too)
{
    struct scene scene;

    put(at(*state, "work/REVIEW.md"), "old\n");
    commit_all(*state);
    put(at(*state, "work/REVIEW.md"), "new\n");
    git((struct ground *)*state, "add", "REVIEW.md");
    scene_open(&scene, state, &change);
    expect_commit(&scene, "HEAD");
    expect_text(&scene, "REVIEW.md", "old\n", true);
    scene_close(&scene);
}

IN_REPOSITORY(where_nothing_differs_the_newest_commit_is_the_change)
{
    struct scene scene;

    put(at(*state, "work/REVIEW.md"), "old\n");
    commit_all(*state);
    put(at(*state, "work/REVIEW.md"), "new\n");
    commit_all(*state);
    scene_open(&scene, state, &change);
    expect_commit(&scene, "HEAD~1");
    expect_text(&scene, "REVIEW.md", "old\n", true);
    scene_close(&scene);
}

IN_REPOSITORY(of_a_merge_it_is_the_first_parent)
{
    struct ground *ground = *state;
    struct scene scene;

    git(ground, "checkout", "--quiet", "-b", "side");
    put(at(ground, "work/side"), "side\n");
    commit_all(ground);
    git(ground, "checkout", "--quiet", "-");
    put(at(ground, "work/main"), "main\n");
    commit_all(ground);
    git(ground, "merge", "--quiet", "--no-ff", "--no-edit", "side");
    scene_open(&scene, state, &change);
    expect_commit(&scene, "HEAD^1");
    scene_close(&scene);
}

IN_REPOSITORY(everything_and_work_to_be_done_are_measured_against_head)
{
    const struct dialect *works = dialect_find(STR("iterate"));
    const struct dialect *reviews = dialect_find(STR("review"));
    const struct brought_scope to_do = { .dialect = works }, review = { .dialect = reviews };
    struct scene scene;

    put(at(*state, "work/REVIEW.md"), "new\n");
    commit_all(*state);
    scene_open(&scene, state, &all);
    expect_commit(&scene, "HEAD");
    expect_text(&scene, "REVIEW.md", "new\n", false);
    scene_close(&scene);
    scene_open(&scene, state, &to_do);
    expect_commit(&scene, "HEAD");
    scene_close(&scene);
    scene_open(&scene, state, &review);
    expect_commit(&scene, "HEAD~1");
    expect_refusal(&scene, "REVIEW.md", ERR_MISSING, true);
    scene_close(&scene);
}

IN_REPOSITORY(several_commits_are_measured_against_the_one_before_them)
{
    const struct brought_scope since = { .since = "HEAD~2" };
    struct scene scene;

    for (int i = 0; i < 3; i++) {
        put(at(*state, "work/REVIEW.md"), (const char *const[]){ "1\n", "2\n", "3\n" }[i]);
        commit_all(*state);
    }
    scene_open(&scene, state, &since);
    expect_commit(&scene, "HEAD~2");
    expect_text(&scene, "REVIEW.md", "1\n", true);
    scene_close(&scene);
}

IN_REPOSITORY(the_first_commit_of_all_is_measured_against_itself)
{
    struct scene scene;

    scene_open(&scene, state, &change);
    expect_commit(&scene, "HEAD");
    scene_close(&scene);
}

IN_REPOSITORY(in_a_clone_that_is_not_whole_the_newest_commit_does_not_stand_in)
{
    struct ground *ground = *state;
    struct arena arena = { 0 };
    struct scene scene;
    const char *url;

    put(at(ground, "work/REVIEW.md"), "new\n");
    commit_all(ground);
    url = arena_printf(&arena, "file://%s", ground->work);
    git_in(ground->root, (const char *const[]){ "git", "clone", "--quiet", "--depth", "1", url,
                                                "short", NULL });
    remove_all(ground->work);
    assert_int_equal(rename(at(ground, "short"), ground->work), 0);
    arena_release(&arena);
    scene_open(&scene, state, &change);
    assert_string_equal(scene.brought.commit, "");
    assert_non_null(strstr(scene.brought.why, "--deepen"));
    scene_close(&scene);
    scene_open(&scene, state, &all);
    expect_commit(&scene, "HEAD");
    scene_close(&scene);
}

/* ---- no commit ---- */

ON_GROUND(without_a_repository_the_folder_is_read)
{
    struct hone_value one, other;
    struct err err = { 0 };
    struct scene scene;

    put(at(*state, "work/REVIEW.md"), "rules\n");
    put(at(*state, "work/rules/a.md"), "a\n");
    scene_open(&scene, state, &change);
    assert_string_equal(scene.brought.commit, "");
    assert_string_equal(scene.brought.name, "the folder");
    assert_string_equal(scene.brought.why, "this is no git repository");
    expect_text(&scene, "REVIEW.md", "rules\n", false);
    expect_refusal(&scene, "AGENTS.md", ERR_MISSING, false);
    expect_list(&scene, &(struct brought_query){ .folder = "rules", .suffix = ".md" },
                "rules/a.md ");
    assert_int_equal(brought_agreement(&scene.brought, "REVIEW.md", STR("rules\n"), &scene.arena,
                                       &one, &err), 0);
    assert_int_equal(brought_agreement(&scene.brought, "REVIEW.md", STR("rules.\n"), &scene.arena,
                                       &other, &err), 0);
    assert_string_equal(one.path, "REVIEW.md");
    assert_int_equal(strlen(one.text), 40);
    assert_string_not_equal(one.text, other.text);
    scene_close(&scene);
}

ON_GROUND(before_the_first_commit_the_folder_is_read)
{
    struct ground *ground = *state;
    struct scene scene;

    git(ground, "init", "--quiet");
    put(at(ground, "work/REVIEW.md"), "rules\n");
    put_link(at(ground, "work/link.md"), "REVIEW.md");
    scene_open(&scene, state, &change);
    assert_string_equal(scene.brought.commit, "");
    assert_string_equal(scene.brought.why, "there is no commit yet");
    expect_text(&scene, "REVIEW.md", "rules\n", false);
    expect_refusal(&scene, "link.md", ERR_FORMAT, false);
    scene_close(&scene);
}

/* ---- files ---- */

IN_REPOSITORY(a_file_that_only_the_change_has_is_missing_and_altered)
{
    struct scene scene;

    put(at(*state, "work/REVIEW.md"), "mine\n");
    scene_open(&scene, state, &change);
    expect_refusal(&scene, "REVIEW.md", ERR_MISSING, true);
    expect_refusal(&scene, "AGENTS.md", ERR_MISSING, false);
    scene_close(&scene);
}

IN_REPOSITORY(a_file_that_the_change_takes_away_counts)
{
    struct scene scene;

    put(at(*state, "work/REVIEW.md"), "old\n");
    put(at(*state, "work/AGENTS.md"), "old\n");
    commit_all(*state);
    remove_all(at(*state, "work/REVIEW.md"));
    remove_all(at(*state, "work/AGENTS.md"));
    put_link(at(*state, "work/AGENTS.md"), "/etc/passwd");
    scene_open(&scene, state, &change);
    expect_text(&scene, "REVIEW.md", "old\n", true);
    expect_text(&scene, "AGENTS.md", "old\n", true);
    scene_close(&scene);
}

IN_REPOSITORY(other_line_ends_are_no_other_text)
{
    struct scene scene;

    put(at(*state, "work/REVIEW.md"), "one\ntwo\n");
    put(at(*state, "work/more"), "");
    commit_all(*state);
    put(at(*state, "work/REVIEW.md"), "one\r\ntwo\r\n");
    scene_open(&scene, state, &change);
    expect_text(&scene, "REVIEW.md", "one\ntwo\n", false);
    scene_close(&scene);
}

IN_REPOSITORY(links_folders_and_submodules_are_refused)
{
    struct ground *ground = *state;
    struct scene scene;
    char *head = git_says(ground, "rev-parse", "HEAD");

    put(at(ground, "work/rules/a.md"), "a\n");
    put(at(ground, "work/rules/deep/b.md"), "b\n");
    put_link(at(ground, "work/REVIEW.md"), "rules/a.md");
    put_link(at(ground, "work/rules/out.md"), "/etc/passwd");
    put_link(at(ground, "work/linked"), "rules");
    git(ground, "add", "-A");
    git(ground, "update-index", "--add", "--cacheinfo", "160000", head, "module.md");
    git(ground, "commit", "--quiet", "-m", "more");
    scene_open(&scene, state, &all);
    expect_refusal(&scene, "REVIEW.md", ERR_FORMAT, false);
    expect_refusal(&scene, "rules", ERR_FORMAT, false);
    expect_refusal(&scene, "module.md", ERR_FORMAT, false);
    expect_refusal(&scene, "linked/a.md", ERR_MISSING, true);
    expect_text(&scene, "rules/a.md", "a\n", false);
    expect_list(&scene, &(struct brought_query){ .folder = "rules", .suffix = ".md" },
                "rules/a.md ");
    expect_list(&scene, &(struct brought_query){ .folder = "rules", .suffix = "", .deep = true },
                "rules/a.md rules/deep/b.md ");
    expect_list(&scene, &(struct brought_query){ .folder = "", .suffix = ".md", .deep = true },
                "rules/a.md rules/deep/b.md ");
    expect_list(&scene, &(struct brought_query){ .folder = "linked", .suffix = "" }, "");
    expect_list(&scene, &(struct brought_query){ .folder = "none", .suffix = "" }, "");
    scene_close(&scene);
    free(head);
}

IN_REPOSITORY(paths_that_lead_elsewhere_are_refused)
{
    static const char *const paths[] = { "../secret", "a/../../secret", "/etc/passwd", "", ".",
                                         "./REVIEW.md", "a//b", "RE\nVIEW.md", "a\x1b[2J.md" };
    struct brought_paths list;
    struct err err = { 0 };
    struct scene scene;

    put(at(*state, "secret"), "secret\n");
    put(at(*state, "work/a/b"), "b\n");
    put(at(*state, "work/RE\nVIEW.md"), "b\n");
    commit_all(*state);
    scene_open(&scene, state, &all);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        expect_refusal(&scene, paths[i], ERR_FORMAT, false);
    }
    expect_list(&scene, &(struct brought_query){ .folder = "", .suffix = "VIEW.md" }, "");
    assert_int_equal(brought_list(&scene.brought, &(struct brought_query){ .folder = "..",
                                                                          .suffix = "" },
                                  &scene.arena, &list, &err), ERR_FORMAT);
    scene_close(&scene);
}

/* git's own notations are names like any other here. */
IN_REPOSITORY(odd_names_are_names)
{
    static const char *const paths[] = { ":(glob)*.md", "*.md", "-r", "a b:c'\"$HOME.md",
                                         "HEAD:REVIEW.md", "\xc3\xa4.md" };
    struct scene scene;

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        put(at(*state, "work/%s", paths[i]), paths[i]);
    }
    put(at(*state, "work/other.md"), "other\n");
    commit_all(*state);
    scene_open(&scene, state, &all);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        expect_text(&scene, paths[i], paths[i], false);
    }
    expect_refusal(&scene, "oth*.md", ERR_MISSING, false);
    scene_close(&scene);
}

IN_REPOSITORY(a_file_that_is_too_long_is_refused)
{
    char *text = calloc(1, BYTES_MAX + 2);
    struct scene scene;

    memset(text, 'x', BYTES_MAX);
    put(at(*state, "work/full.md"), text);
    text[BYTES_MAX] = 'x';
    put(at(*state, "work/long.md"), text);
    put(at(*state, "work/empty.md"), "");
    commit_all(*state);
    scene_open(&scene, state, &all);
    expect_refusal(&scene, "long.md", ERR_LIMIT, false);
    text[BYTES_MAX] = '\0';
    expect_text(&scene, "full.md", text, false);
    expect_text(&scene, "empty.md", "", false);
    scene_close(&scene);
    free(text);
}
