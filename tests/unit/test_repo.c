/* SPDX-License-Identifier: Apache-2.0
 *
 * test_repo.c - the workspace is found, refused in clear words, or made; git runs no
 * program that a repository names. */
#include "ground.h"
#include "io/git/repo.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Opens, looks at the code and the words, and releases. */
static void expect_refusal(const char *start, int code, const char *words)
{
    struct err err = { 0 };
    struct repo repo;

    assert_int_equal(repo_open(&repo, start, true, &err), code);
    if (!strstr(err.text, words)) fail_msg("\"%s\" is not in: %s", words, err.text);
    assert_null(repo.workspace);
    repo_release(&repo);
}

/* ---- finding ---- */

IN_REPOSITORY(finds_the_top_from_a_subfolder)
{
    const struct ground *ground = *state;
    struct err err = { 0 };
    struct repo repo;

    assert_int_equal(repo_open(&repo, at(ground, "work/sub"), false, &err), 0);
    assert_true(repo.is_git);
    assert_string_equal(repo.workspace, ground->work);
    assert_string_equal(repo.git_dir, at(ground, "work/.git"));
    assert_string_equal(repo.common_dir, at(ground, "work/.git"));
    assert_string_equal(repo.hone_dir, at(ground, "work/.git/hone"));
    assert_false(is_there(repo.hone_dir));
    repo_release(&repo);
    repo_release(&repo);
}

IN_REPOSITORY(names_are_real_paths)
{
    const struct ground *ground = *state;
    struct err err = { 0 };
    struct repo repo;

    put_link(at(ground, "link"), "work/sub");
    assert_int_equal(repo_open(&repo, at(ground, "link"), false, &err), 0);
    assert_string_equal(repo.workspace, ground->work);
    repo_release(&repo);
}

IN_REPOSITORY(work_trees_share_one_hone_folder)
{
    const struct ground *ground = *state;
    struct err err = { 0 };
    struct repo repo;

    git(ground, "worktree", "add", "--quiet", "../second");
    assert_int_equal(repo_open(&repo, at(ground, "second"), false, &err), 0);
    assert_string_equal(repo.workspace, at(ground, "second"));
    assert_string_equal(repo.git_dir, at(ground, "work/.git/worktrees/second"));
    assert_string_equal(repo.hone_dir, at(ground, "work/.git/hone"));
    repo_release(&repo);
}

IN_REPOSITORY(odd_names_are_no_problem)
{
    const struct ground *ground = *state;
    const char *odd = at(ground, "od d'\"\t:%%s");
    struct err err = { 0 };
    struct buf out;
    struct repo repo;

    assert_int_equal(rename(ground->work, odd), 0);
    assert_int_equal(repo_open(&repo, odd, false, &err), 0);
    assert_string_equal(repo.workspace, odd);
    buf_init(&out, 100);
    assert_int_equal(repo_git_own(&repo, (const char *const[]){ "cat-file", "blob", "HEAD:clean",
                                                               NULL }, STR(""), &out, &err), 0);
    assert_string_equal(buf_cstr(&out), "clean\n");
    buf_release(&out);
    repo_release(&repo);
}

IN_REPOSITORY(what_is_no_work_tree_is_refused_in_words)
{
    const struct ground *ground = *state;

    expect_refusal(at(ground, "none"), ERR_MISSING, "no such folder");
    expect_refusal(at(ground, "work/clean"), ERR_MISSING, "no such folder");
    expect_refusal(at(ground, "work/.git"), ERR_USAGE, "work tree");
    git(ground, "clone", "--quiet", "--bare", ".", "../bare");
    expect_refusal(at(ground, "bare"), ERR_USAGE, "bare repository");
    assert_int_equal(rename(ground->work, at(ground, "a\nb")), 0);
    expect_refusal(at(ground, "a\nb/sub"), ERR_USAGE, "line break");
    put(at(ground, "broken/.git"), "gitdir: /nowhere\n");
    expect_refusal(at(ground, "broken"), ERR_FAILED, "not a git repository: /nowhere");
}

IN_REPOSITORY(repository_of_somebody_else_is_refused_with_gits_words)
{
    const struct ground *ground = *state;

    if (geteuid() != 0) {
        fprintf(stderr, "skipped: only root can give a folder away\n");
        skip();
    }
    unsetenv("SUDO_UID");
    assert_int_equal(chown(ground->work, 65534, 65534), 0);
    assert_int_equal(chown(at(ground, "work/.git"), 65534, 65534), 0);
    expect_refusal(ground->work, ERR_FAILED, "another user. Where you trust it: git config "
                                             "--global --add safe.directory /");
}

IN_REPOSITORY(missing_git_is_said)
{
    const struct ground *ground = *state;
    char *path = strdup(getenv("PATH"));

    setenv("PATH", at(ground, "empty"), 1);
    expect_refusal(ground->work, ERR_MISSING, "git is not installed");
    setenv("PATH", path, 1);
    free(path);
}

/* ---- without git ---- */

ON_GROUND(without_git_nothing_is_made_unless_asked)
{
    const struct ground *ground = *state;
    struct err err = { 0 };
    struct repo repo;

    assert_int_equal(repo_open(&repo, ground->work, false, &err), ERR_MISSING);
    assert_int_equal(count_in(ground->work), 0);
}

ON_GROUND(without_git_a_private_repository_is_made)
{
    static const char *const ask[] = { "status", "--porcelain", NULL };
    const struct ground *ground = *state;
    struct err err = { 0 };
    struct buf out;
    struct repo repo;

    put(at(ground, "work/file"), "x");
    make_folder(at(ground, "work/nested"));
    git_in(at(ground, "work/nested"), (const char *const[]){ "git", "init", "--quiet", NULL });
    assert_int_equal(repo_open(&repo, ground->work, true, &err), 0);
    assert_false(repo.is_git);
    assert_string_equal(repo.workspace, ground->work);
    assert_string_equal(repo.git_dir, at(ground, "work/.hone/git"));
    assert_string_equal(repo.hone_dir, at(ground, "work/.hone"));
    buf_init(&out, 1000);
    put(at(ground, "work/new"), "y");
    assert_int_equal(repo_git(&repo, ask, STR(""), &out, &err), 0);
    assert_non_null(strstr(buf_cstr(&out), "?? new"));
    assert_null(strstr(buf_cstr(&out), ".hone"));
    assert_null(strstr(buf_cstr(&out), "file"));
    repo_release(&repo);
    assert_int_equal(repo_open(&repo, ground->work, false, &err), 0);
    repo_release(&repo);
    assert_false(is_there(at(ground, "work/.git")));
    buf_release(&out);
}

ON_GROUND(a_half_made_private_repository_is_completed)
{
    const struct ground *ground = *state;
    struct err err = { 0 };
    struct repo repo;

    assert_int_equal(repo_open(&repo, ground->work, true, &err), 0);
    repo_release(&repo);
    assert_int_equal(unlink(at(ground, "work/.hone/git/ready")), 0);
    assert_int_equal(unlink(at(ground, "work/.hone/git/HEAD")), 0);
    assert_int_equal(repo_open(&repo, ground->work, false, &err), ERR_MISSING);
    assert_int_equal(repo_open(&repo, ground->work, true, &err), 0);
    repo_release(&repo);
}

ON_GROUND(private_repository_is_not_made_through_a_link)
{
    const struct ground *ground = *state;

    make_folder(at(ground, "outside"));
    put_link(at(ground, "work/.hone"), "../outside");
    expect_refusal(ground->work, ERR_FORMAT, ".hone");
    assert_int_equal(count_in(at(ground, "outside")), 0);
}

/* ---- calling git ---- */

IN_REPOSITORY(git_fails_with_its_own_words)
{
    static const char *const args[] = { "rev-parse", "--verify", "no-such-thing", NULL };
    const struct ground *ground = *state;
    struct err err = { 0 };
    struct buf out;
    struct repo repo;

    assert_int_equal(repo_open(&repo, ground->work, false, &err), 0);
    buf_init(&out, 1000);
    assert_int_equal(repo_git(&repo, args, STR(""), &out, &err), ERR_FAILED);
    assert_non_null(strstr(err.text, "git rev-parse"));
    assert_non_null(strstr(err.text, "Needed a single revision"));
    buf_release(&out);
    repo_release(&repo);
}

IN_REPOSITORY(a_repositorys_configuration_runs_no_programs)
{
    static const char *const calls[][4] = {
        { "status", "--porcelain", NULL }, { "diff", NULL }, { "log", "-p", "--all", NULL },
        { "show", "HEAD", NULL }, { "commit", "--allow-empty", "--message=x", NULL },
    };
    const struct ground *ground = *state;
    const char *trap = at(ground, "trap");
    struct err err = { 0 };
    struct buf out;
    struct repo repo;

    put_script(trap, "#!/bin/sh\ntouch \"$0.sprung\"\ncat\n");
    put_script(at(ground, "work/.git/hooks/pre-commit"), "#!/bin/sh\ntouch \"$0.sprung\"\n");
    put(at(ground, "work/.gitattributes"), "* diff=trap\n");
    put(at(ground, "work/clean"), "changed\n");
    git(ground, "config", "core.fsmonitor", trap);
    git(ground, "config", "core.pager", trap);
    git(ground, "config", "diff.external", trap);
    git(ground, "config", "diff.trap.textconv", trap);
    git(ground, "config", "diff.trap.command", trap);
    assert_int_equal(repo_open(&repo, ground->work, false, &err), 0);
    buf_init(&out, 100000);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        assert_int_equal(repo_git(&repo, calls[i], STR(""), &out, &err), 0);
    assert_false(is_there(at(ground, "trap.sprung")));
    assert_false(is_there(at(ground, "work/.git/hooks/pre-commit.sprung")));
    git(ground, "diff"); /* the trap does work */
    assert_true(is_there(at(ground, "trap.sprung")));
    buf_release(&out);
    repo_release(&repo);
}

IN_REPOSITORY(own_objects_stay_out_of_the_users_store)
{
    static const char *const args[] = { "hash-object", "-w", "--stdin", NULL };
    const struct ground *ground = *state;
    struct err err = { 0 };
    struct buf out;
    struct repo repo;
    char *before = git_says(ground, "count-objects"), *after;

    assert_int_equal(repo_open(&repo, ground->work, false, &err), 0);
    buf_init(&out, 100);
    assert_int_equal(repo_git_own(&repo, args, STR("never seen before"), &out, &err), 0);
    assert_int_equal(out.size, 41);
    after = git_says(ground, "count-objects");
    assert_string_equal(before, after);
    assert_int_equal(count_in(at(ground, "work/.git/hone/objects")), 1);
    free(before);
    free(after);
    buf_release(&out);
    repo_release(&repo);
}
