/* SPDX-License-Identifier: Apache-2.0
 *
 * test_repo_hostile.c - a repository of a stranger, with its configuration: nothing
 * that it names runs for us, and it does not lead us elsewhere.
 *
 * Each program that a configuration names leaves a file behind. That plain git would run them is
 * shown, too: else a test could not fail.
 *
 * row: repository.config | its configuration, its attributes, a file that it includes or a repository inside it names hooks, filters, a file system monitor, a pager, external diffs, text converters, ssh | when hone looks at files, git reads none of these: it looks through a git folder that hone wrote, and never into another repository; where it acts, each of them is off; variables such as GIT_DIR are forgotten | commits that a run makes run your hooks, in the cage (below) | `test_repo_hostile.c: nothing_that_it_names_runs_while_we_look`, `test_repo_hostile.c: nothing_that_an_agent_names_later_runs_while_we_look`, `security.sh: hostile configuration: nothing ran`
 * row: repository.filters | filters and merge drivers, its own or a submodule's, also by include, when hone makes work trees, puts files back or merges | off, by what the configuration says at that moment, unless your own configuration names the same text, or it is Git LFS's | files are then written as they are committed | `test_repo_hostile.c: what_it_includes_is_its_own`, `test_repo_hostile.c: a_submodule_of_it_is_looked_into`, `test_repo_hostile.c: what_the_user_names_alike_is_the_users`, `test_repo_hostile.c: what_signs_is_named_by_the_user_alone`
 * row: repository.checkouts | checkouts of work trees and submodules run something | the same settings; nothing is fetched; a submodule's own way to update is not used | - | `test_repo_hostile.c: nothing_runs_while_a_work_tree_is_made`, `test_repo_hostile.c: nothing_is_fetched_when_git_acts`
 * row: users.plant | they plant a folder for hone to write in | a hone folder that is not yours is refused | - | `test_repo_hostile.c: a_hone_folder_that_is_a_link_is_refused` */
#include "ground.h"
#include "io/git/glass.h"
#include "io/git/repo.h"
#include "io/git/worktree.h"
#include "io/tree/tree.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct arena arena;

/* A command that leaves root/ran/NAME, and passes its input on. */
static const char *trap(const struct ground *ground, const char *name)
{
    return arena_printf(&arena, "touch %s/ran/%s; cat", ground->root, name);
}

static bool ran(const struct ground *ground, const char *name)
{
    return is_there(at(ground, "ran/%s", name));
}

/* Every key of a repository that git runs something for when it looks at files. */
static const char *const keys[] = {
    "filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "filter.own.clean",
    "merge.evil.driver", "diff.evil.command", "diff.evil.textconv", "diff.external",
    "core.fsmonitor", "core.pager", "pager.status", "core.sshCommand", "core.editor",
    "core.askPass", "gpg.program", "uploadpack.packObjectsHook", "core.alternateRefsCommand", NULL,
};

static int open_hostile(void **state)
{
    struct ground *ground;

    if (ground_open_git(state) != 0) return -1;
    ground = *state;
    make_folder(at(ground, "ran"));
    for (uint32_t i = 0; keys[i]; i++) git(ground, "config", keys[i], trap(ground, keys[i]));
    git(ground, "config", "--unset", "filter.evil.process"); /* would speak a protocol */
    git(ground, "config", "filter.evil.required", "true");
    git(ground, "config", "log.showSignature", "true");
    put(at(ground, "work/.git/hooks/post-checkout"), "#!/bin/sh\ntouch ../ran/hook\n");
    put(at(ground, "work/.git/hooks/post-index-change"), "#!/bin/sh\ntouch ../ran/hook\n");
    put(at(ground, "work/.git/hooks/reference-transaction"), "#!/bin/sh\ntouch ../ran/hook\n");
    chmod(at(ground, "work/.git/hooks/post-checkout"), 0755);
    chmod(at(ground, "work/.git/hooks/post-index-change"), 0755);
    chmod(at(ground, "work/.git/hooks/reference-transaction"), 0755);
    put(at(ground, "work/.gitattributes"),
        "* filter=evil diff=evil merge=evil\n*.own filter=own\n");
    put(at(ground, "work/new.txt"), "new\n");
    put(at(ground, "work/x.own"), "new\n");
    remove_all(at(ground, "ran")); /* what git config itself set off */
    make_folder(at(ground, "ran"));
    return 0;
}

static int close_hostile(void **state)
{
    arena_release(&arena);
    return ground_close(state);
}

static void open_repo(struct repo *repo, const struct ground *ground)
{
    struct err err = { 0 };

    if (repo_open(repo, ground->work, false, &err) != 0) fail_msg("%s", err.text);
}

static void call(const struct repo *repo, const char *const *args)
{
    struct buf out;
    struct err err = { 0 };

    buf_init(&out, 1 << 20);
    if (repo_git(repo, args, STR(""), &out, &err) != 0) fail_msg("%s", err.text);
    buf_release(&out);
}

/* The keys that are switched off for a git that acts, ", " between them. */
static const char *quieted(const struct repo *repo)
{
    const char *const *env;
    struct err err = { 0 };
    struct buf names;

    buf_init(&names, 1 << 16);
    if (repo_quiet(repo, false, &arena, &env, &err) != 0) fail_msg("%s", err.text);
    for (; *env; env++) {
        const char *key = strchr(*env, '=') + 1;

        if (strncmp(*env, "GIT_CONFIG_KEY_", 15) != 0 || str_ends(str_of(key), STR(".required")))
            continue;
        buf_printf(&names, "%s%s", names.size ? ", " : "", key);
    }
    return arena_take_cstr(&arena, &names);
}

#define CALL(repo, ...) call((repo), (const char *const[]){ __VA_ARGS__, NULL })

#define HOSTILE(name) TEST_WITH(name, open_hostile, close_hostile)

HOSTILE(nothing_that_it_names_runs_while_we_look)
{
    const struct ground *ground = *state;
    struct tree tree = { 0 };
    struct repo repo;
    struct err err = { 0 };

    open_repo(&repo, ground);
    CALL(&repo, "status", "--porcelain=v2", "--untracked-files=all");
    CALL(&repo, "diff", "HEAD");
    CALL(&repo, "log", "-p", "-1");
    CALL(&repo, "show", "HEAD");
    CALL(&repo, "diff-index", "-p", "HEAD");
    CALL(&repo, "ls-files", "--modified");
    CALL(&repo, "hash-object", "new.txt", "x.own");
    assert_int_equal(tree_take(&repo, NULL, &tree, &err), 0);
    tree_release(&tree);
    assert_int_equal(count_in(at(ground, "ran")), 0);
    repo_release(&repo);
    /* And it would have. */
    git(ground, "hash-object", "new.txt", "x.own");
    assert_true(ran(ground, "filter.evil.clean"));
    assert_true(ran(ground, "filter.own.clean"));
    git(ground, "status");
    assert_true(ran(ground, "core.fsmonitor"));
}

/* A clone that lacks a file asks its remote for it, by the program that its configuration names. */
HOSTILE(nothing_is_fetched_when_git_acts)
{
    static const char *const reset[] = { "reset", "--hard", "--quiet", NULL };
    const struct ground *ground = *state;
    struct repo repo;
    struct err err = { 0 };

    put(at(ground, "work/.git/config"),
        arena_printf(&arena, "[core]\n\trepositoryformatversion = 1\n"
                     "[extensions]\n\tpartialClone = origin\n[remote \"origin\"]\n"
                     "\turl = %s/work\n\tpromisor = true\n"
                     "\tuploadpack = touch %s/ran/pack; false\n", ground->root, ground->root));
    put(at(ground, "work/.gitattributes"), "");
    put(at(ground, "work/lost.txt"), "lost\n");
    git(ground, "add", "lost.txt");
    git(ground, "commit", "-q", "-m", "lost");
    remove_all(at(ground, "work/.git/objects/a5")); /* of "lost" */
    remove_all(at(ground, "work/lost.txt"));
    open_repo(&repo, ground);
    assert_int_not_equal(repo_do(&repo, reset, STR(""), &err), 0);
    assert_false(ran(ground, "pack"));
    repo_release(&repo);
    /* And it would have. */
    git(ground, "-c", "alias.try=!git reset -q --hard 2>/dev/null || true", "try");
    assert_true(ran(ground, "pack"));
}

HOSTILE(nothing_runs_while_a_work_tree_is_made)
{
    const struct ground *ground = *state;
    const struct worktree worktree = { .path = at(ground, "tree"), .branch = "side",
                                       .start = "HEAD" };
    enum worktree_made made;
    struct buf notes;
    struct repo repo;
    struct err err = { 0 };

    put(at(ground, "work/.git/info/attributes"), "* filter=evil\n");
    open_repo(&repo, ground);
    buf_init(&notes, 1 << 16);
    if (worktree_make(&repo, &worktree, &made, &notes, &err) != 0) fail_msg("%s", err.text);
    assert_true(is_there(at(ground, "tree/.git")));
    assert_int_equal(count_in(at(ground, "ran")), 0);
    buf_release(&notes);
    repo_release(&repo);
    git(ground, "worktree", "add", "-q", "../other");
    assert_true(ran(ground, "filter.evil.smudge"));
    assert_true(ran(ground, "hook"));
}

HOSTILE(what_the_user_names_alike_is_the_users)
{
    const struct ground *ground = *state;
    struct repo repo;

    setenv("GIT_CONFIG_GLOBAL", at(ground, "gitconfig"), 1);
    git(ground, "config", "--global", "filter.own.clean", trap(ground, "filter.own.clean"));
    git(ground, "config", "filter.lfs.clean", "git-lfs clean -- %f");
    git(ground, "config", "merge.ours.driver", "true");
    open_repo(&repo, ground);
    assert_null(strstr(quieted(&repo), "filter.own.clean"));
    assert_null(strstr(quieted(&repo), "lfs"));
    assert_null(strstr(quieted(&repo), "merge.ours"));
    assert_non_null(strstr(quieted(&repo), "filter.evil.clean"));
    assert_non_null(strstr(quieted(&repo), "merge.evil.driver"));
    repo_release(&repo);
    unsetenv("GIT_CONFIG_GLOBAL");
}

/* What a key is set to for a git that acts; "-": it is left as it is. */
static const char *quiet_value(const struct repo *repo, const char *key)
{
    const char *const *env;
    struct err err = { 0 };
    const char *found = "-";

    if (repo_quiet(repo, false, &arena, &env, &err) != 0) fail_msg("%s", err.text);
    for (; *env; env++) {
        if (strncmp(*env, "GIT_CONFIG_KEY_", 15) == 0 && strcmp(strchr(*env, '=') + 1, key) == 0)
            found = strchr(env[1], '=') + 1;
    }
    return found;
}

/* Programs that sign: the user's, or git's own. An included file has no say in signing. */
HOSTILE(what_signs_is_named_by_the_user_alone)
{
    static const struct {
        const char *name, *own, *included, *users, *key, *wanted;
    } rows[] = {
        { "git's own", "[gpg]\n\tprogram = evil\n", "", "", "gpg.program", "gpg" },
        { "the user's", "[gpg]\n\tprogram = evil\n", "", "[gpg]\n\tprogram = mine\n",
          "gpg.program", "mine" },
        { "its other name", "[gpg \"openpgp\"]\n\tprogram = evil\n", "",
          "[gpg]\n\tprogram = mine\n", "gpg.openpgp.program", "mine" },
        { "ssh", "[gpg \"ssh\"]\n\tprogram = evil\n", "", "", "gpg.ssh.program",
          "ssh-keygen" },
        { "x509", "[gpg \"x509\"]\n\tprogram = evil\n", "", "", "gpg.x509.program", "gpgsm" },
        { "a command for the key", "[gpg \"ssh\"]\n\tdefaultKeyCommand = evil\n", "", "",
          "gpg.ssh.defaultkeycommand", "false" },
        { "the same", "[gpg]\n\tprogram = mine\n", "", "[gpg]\n\tprogram = mine\n",
          "gpg.program", "-" },
        { "included", "", "[gpg]\n\tprogram = evil\n", "", "gpg.program", "gpg" },
        { "whether to sign", "[commit]\n\tgpgSign = true\n", "", "", "commit.gpgsign", "-" },
        { "included: whether to", "", "[commit]\n\tgpgSign = true\n", "", "commit.gpgsign",
          "false" },
        { "included: not to", "", "[commit]\n\tgpgSign = false\n",
          "[commit]\n\tgpgSign = true\n", "commit.gpgsign", "true" },
        { "included: the key", "[user]\n\tsigningKey = a\n", "[user]\n\tsigningKey = b\n", "",
          "user.signingkey", "a" },
        { "included: the format", "", "[gpg]\n\tformat = ssh\n", "", "gpg.format", "openpgp" },
    };
    const struct ground *ground = *state;
    struct repo repo;

    open_repo(&repo, ground);
    setenv("GIT_CONFIG_GLOBAL", at(ground, "users"), 1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        put(at(ground, "work/more"), rows[i].included);
        put(at(ground, "users"), rows[i].users);
        put(at(ground, "work/.git/config"),
            arena_printf(&arena, "%s%s", rows[i].own,
                         *rows[i].included ? "[include]\n\tpath = ../more\n" : ""));
        if (strcmp(quiet_value(&repo, rows[i].key), rows[i].wanted) != 0)
            fail_msg("%s: %s", rows[i].name, quiet_value(&repo, rows[i].key));
    }
    unsetenv("GIT_CONFIG_GLOBAL");
    repo_release(&repo);
}

HOSTILE(what_it_includes_is_its_own)
{
    const struct ground *ground = *state;
    struct repo repo;

    put(at(ground, "work/.git/config"),
        "[core]\n\trepositoryformatversion = 0\n[INCLUDE]\n\tpath = ../more\n");
    put(at(ground, "work/more"),
        arena_printf(&arena, "[filter \"evil\"]\n\tclean = %s\n", "touch ../ran/included"));
    open_repo(&repo, ground);
    assert_string_equal(quieted(&repo), "filter.evil.clean");
    CALL(&repo, "hash-object", "new.txt");
    assert_int_equal(count_in(at(ground, "ran")), 0);
    repo_release(&repo);
}

HOSTILE(a_submodule_of_it_is_looked_into)
{
    const struct ground *ground = *state;
    struct repo repo;

    put(at(ground, "work/.git/modules/a/b/config"), "[filter \"deep\"]\n\tsmudge = touch x\n");
    open_repo(&repo, ground);
    assert_non_null(strstr(quieted(&repo), "filter.deep.smudge"));
    repo_release(&repo);
}

/* What is switched off is what the configuration names when git acts, not when hone began. */
HOSTILE(what_is_named_later_is_switched_off_too)
{
    const struct ground *ground = *state;
    struct repo repo;

    put(at(ground, "work/.git/config"), "[core]\n\trepositoryformatversion = 0\n");
    open_repo(&repo, ground);
    assert_string_equal(quieted(&repo), "");
    put(at(ground, "work/.git/config"), "[filter \"late\"]\n\tsmudge = touch x\n");
    assert_string_equal(quieted(&repo), "filter.late.smudge");
    repo_release(&repo);
}

HOSTILE(nothing_that_an_agent_names_later_runs_while_we_look)
{
    const struct ground *ground = *state;
    struct repo repo;

    put(at(ground, "work/.git/config"),
        "[core]\n\trepositoryformatversion = 0\n[include]\n\tpath = ../more\n");
    put(at(ground, "work/more"), "");
    open_repo(&repo, ground);
    CALL(&repo, "status");
    put(at(ground, "work/more"),
        arena_printf(&arena, "[filter \"evil\"]\n\tclean = %s\n", trap(ground, "late")));
    put(at(ground, "work/.git/info/attributes"), "* filter=evil\n");
    CALL(&repo, "status");
    CALL(&repo, "diff", "HEAD");
    CALL(&repo, "hash-object", "new.txt");
    assert_int_equal(count_in(at(ground, "ran")), 0);
    repo_release(&repo);
    git(ground, "hash-object", "new.txt");
    assert_true(ran(ground, "late"));
}

/* Looking makes no file in a repository that hone was never at work in. */
HOSTILE(looking_leaves_nothing_behind)
{
    const struct ground *ground = *state;
    struct repo repo;

    open_repo(&repo, ground);
    CALL(&repo, "status");
    assert_false(is_there(at(ground, "work/.git/hone")));
    make_folder(at(ground, "work/.git/hone"));
    CALL(&repo, "status");
    assert_int_equal(count_in(at(ground, "work/.git/hone/glass")), 1);
    repo_release(&repo);
}

/* What dead processes left is looked for once, not by each lane; a glass goes with its tree. */
HOSTILE(a_glass_for_each_work_tree_looks_at_no_other_one)
{
    const struct ground *ground = *state;
    const char *left = "work/.git/hone/glass/999999999-1"; /* no process has that number */
    struct repo repos[3];

    make_folder(at(ground, "%s", left));
    for (int i = 0; i < 3; i++) {
        open_repo(&repos[i], ground);
        if (i > 0) repos[i].workspace = arena_printf(&arena, "%s/lane%d", ground->work, i);
        make_folder(repos[i].workspace);
        CALL(&repos[i], "status");
        assert_int_equal(is_there(at(ground, "%s", left)), i > 0);
        make_folder(at(ground, "%s", left));
    }
    assert_int_equal(count_in(at(ground, "work/.git/hone/glass")), 4);
    for (int i = 1; i < 3; i++) repo_forget(&repos[i]);
    assert_int_equal(count_in(at(ground, "work/.git/hone/glass")), 2);
    for (int i = 0; i < 3; i++) repo_release(&repos[i]);
}

/* A glass that was touched is made anew before the next look. */
HOSTILE(a_glass_that_was_touched_is_made_anew)
{
    const struct ground *ground = *state;
    const char *folder, *config;
    struct repo repo;
    struct err err = { 0 };

    make_folder(at(ground, "work/.git/hone"));
    open_repo(&repo, ground);
    CALL(&repo, "status");
    assert_int_equal(glass_ready(&repo, &folder, &err), 0);
    config = arena_printf(&arena, "%s/config", folder);
    put(config, arena_printf(&arena, "[filter \"evil\"]\n\tclean = %s\n", trap(ground, "glass")));
    put(arena_printf(&arena, "%s/info/attributes", folder), "* filter=evil\n");
    CALL(&repo, "hash-object", "new.txt");
    assert_int_equal(count_in(at(ground, "ran")), 0);
    repo_release(&repo);
}

TEST(a_glass_takes_over_what_is_plain)
{
    static const struct { const char *config, *glass; } rows[] = {
        { "", "" },
        { "[core]\n\tfilemode = false\n\tpager = x\n", "[core]\n\tfilemode = false\n" },
        { "[Core]\nIgnoreCase=true", "[core]\n\tignorecase = true\n" },
        { "[core]\nsymlinks = false ; a word\n", "" },
        { "[core \"sub\"]\nsymlinks = false\n", "" },
        { "[core]\nfilemode = true\\\n[include]\n", "" },
        { "[core]\nexcludesFile = ~/x y\n", "[core]\n\texcludesfile = ~/x y\n" },
        { "[core]\nexcludesFile = a\"b\n", "" },
        { "[filter \"a\"]\nclean = x\n[include]\npath = y\n[core]\nfsmonitor = z\n", "" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *want = arena_printf(&arena, "[core]\n\trepositoryformatversion = 0\n\tbare = "
                                        "false\n%s", rows[i].glass);
        struct buf out;

        buf_init(&out, 4096);
        glass_config(str_of(rows[i].config), &out);
        assert_string_equal(buf_cstr(&out), want);
        buf_release(&out);
    }
    arena_release(&arena);
}

HOSTILE(names_with_every_byte_are_switched_off)
{
    const struct ground *ground = *state;
    struct repo repo;

    put(at(ground, "work/.git/config"), "[filter \"a=b c.d\"]\n\tclean = touch ../ran/odd; cat\n");
    put(at(ground, "work/.gitattributes"), "");
    open_repo(&repo, ground);
    assert_string_equal(quieted(&repo), "filter.a=b c.d.clean");
    CALL(&repo, "status");
    repo_release(&repo);
}

HOSTILE(an_ordinary_repository_needs_nothing)
{
    const struct ground *ground = *state;
    struct repo repo;

    put(at(ground, "work/.git/config"), "[core]\n\trepositoryformatversion = 0\n"
        "[branch \"main\"]\n\tmerge = refs/heads/main\n");
    open_repo(&repo, ground);
    assert_string_equal(quieted(&repo), "");
    repo_release(&repo);
}

static void expect_refused(const struct ground *ground, const char *folder, const char *words)
{
    struct repo repo;
    struct err err = { 0 };

    assert_int_equal(repo_open(&repo, at(ground, "%s", folder), false, &err), ERR_USAGE);
    if (!strstr(err.text, words)) fail_msg("%s", err.text);
}

HOSTILE(a_work_tree_elsewhere_is_refused)
{
    const struct ground *ground = *state;

    git(ground, "config", "core.worktree", ground->root);
    expect_refused(ground, "work", "core.worktree");
}

HOSTILE(a_work_tree_of_another_repository_is_refused)
{
    const struct ground *ground = *state;

    make_folder(at(ground, "work/inner"));
    git_in(at(ground, "work/inner"), (const char *const[]){ "git", "init", "-q", NULL });
    git_in(at(ground, "work/inner"),
           (const char *const[]){ "git", "config", "core.worktree", ground->work, NULL });
    expect_refused(ground, "work/inner", "core.worktree");
}

HOSTILE(work_trees_and_links_to_git_folders_are_fine)
{
    const struct ground *ground = *state;
    struct repo repo;
    struct err err = { 0 };

    put(at(ground, "work/.git/config"), "[core]\n\trepositoryformatversion = 0\n");
    git(ground, "worktree", "add", "-q", "../side");
    assert_int_equal(repo_open(&repo, at(ground, "side"), false, &err), 0);
    repo_release(&repo);
    assert_int_equal(rename(at(ground, "work/.git"), at(ground, "gitdir")), 0);
    put_link(at(ground, "work/.git"), "../gitdir");
    assert_int_equal(repo_open(&repo, ground->work, false, &err), 0);
    repo_release(&repo);
}

HOSTILE(a_hone_folder_that_is_a_link_is_refused)
{
    const struct ground *ground = *state;

    make_folder(at(ground, "elsewhere"));
    put_link(at(ground, "work/.git/hone"), "../../elsewhere");
    expect_refused(ground, "work", "not a folder of yours");
}
