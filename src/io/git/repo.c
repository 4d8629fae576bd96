/* SPDX-License-Identifier: Apache-2.0
 *
 * repo.c - finding the workspace, and calling git so that it serves us alone.
 *
 * One call of git finds the work tree, its git folder and the common one; git itself decides what
 * a repository is and whether it may be trusted. Where there is none, a private repository is made
 * in .hone/git and the folder as it stands is committed there once: from then on git's index knows
 * sizes and times, and looking at the tree costs as little as in any repository.
 *
 * 1. No program named by a repository's configuration runs for us as a hook, file system monitor,
 *    pager, external diff, text converter, verifier of signatures or transport. Filters and merge
 *    drivers do where the user's own configuration names them (repo_config.c): without filters git
 *    cannot tell which files changed.
 * 2. git takes no optional lock: the user's index is not written by our looking.
 * 3. The private repository is complete once its file "ready" is there; until then each open makes
 *    it again, which git allows at any point.
 * 4. The work tree is the folder that the git folder was found through. A configuration that names
 *    another one (core.worktree) is refused: agents would be let into it.
 *
 * Not here: what the tree holds (tree.c), running a program (helper_run).
 */
#include "io/git/repo.h"

#include "io/file/file.h"
#include "io/git/repo_config.h"
#include "io/process/helper.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    ARGS_MAX = 512, LINK_BYTES_MAX = 8192, PATHS_BYTES_MAX = 3 * 65536, WORDS_BYTES_MAX = 1 << 20,
};

static const char *const flags[] = {
    "git",
    "-c", "core.fsmonitor=false",
    "-c", "core.trustctime=true", /* a changed file whose size and time were put back shows */
    "-c", "core.checkStat=default",
    "-c", "core.hooksPath=/dev/null",
    "-c", "core.pager=cat",
    "-c", "core.quotePath=false",
    "-c", "protocol.ext.allow=never",
    "-c", "core.sshCommand=false",
    "-c", "core.alternateRefsCommand=false",
    "-c", "log.showSignature=false",
    "-c", "gc.auto=0",
};

static const char *const environment[] = {
    "GIT_CONFIG_NOSYSTEM=1",
    "GIT_OPTIONAL_LOCKS=0",
    "GIT_TERMINAL_PROMPT=0",
    "LC_ALL=C",
};

/* These show content by programs of the configuration's choosing unless they are told not to. */
static const char *const showing[] = { "diff", "log", "show" };

struct words {
    const char *items[ARGS_MAX];
    uint32_t count;
};

static void add(struct words *words, const char *item)
{
    assert(words->count < ARGS_MAX - 1); /* the list ends with NULL */
    words->items[words->count++] = item;
}

/* ---- calling git ---- */

/* The verb behind settings that a caller put in front of it. */
static const char *const *verb_of(const char *const *args)
{
    while (args[0] && strcmp(args[0], "-c") == 0) args += 2;
    assert(args[0]);
    return args;
}

/* Everything in front of the verb, and the verb with what tames it. */
static void add_command(struct words *words, bool is_git, const char *const *args)
{
    const char *const *verb = verb_of(args);

    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) add(words, flags[i]);
    if (is_git) {
        /* A bare repository planted in a subfolder is not taken for the one we are in. */
        add(words, "-c");
        add(words, "safe.bareRepository=explicit");
    }
    while (args <= verb) add(words, *args++);
    for (size_t i = 0; i < sizeof showing / sizeof showing[0]; i++) {
        if (strcmp(*verb, showing[i]) != 0) continue;
        add(words, "--no-ext-diff");
        add(words, "--no-textconv");
    }
    while (*args) add(words, *args++);
}

/* As git reads it in a list of paths: between quotes a colon does not separate. */
static const char *quoted(struct arena *arena, const char *path)
{
    struct buf text;
    const char *out;

    buf_init(&text, 4 * strlen(path) + 2);
    buf_byte(&text, '"');
    for (; *path; path++) {
        if (*path == '"' || *path == '\\') buf_byte(&text, '\\');
        if (*path == '\n') buf_text(&text, "\\n");
        else buf_byte(&text, *path);
    }
    buf_byte(&text, '"');
    out = arena_cstr(arena, buf_str(&text));
    buf_release(&text);
    return out;
}

/* What a call of git is made of. */
struct git_call {
    struct words argv, env;
    struct arena arena;
};

/* index: NULL for the user's. own: new objects go to a folder of ours. */
static void make_call(const struct repo *repo, bool own, const char *index,
                      const char *const *args, struct git_call *out)
{
    struct words *env = &out->env;

    *out = (struct git_call){ .argv = { .count = 0 } };
    add_command(&out->argv, repo->is_git, args);
    for (size_t i = 0; i < sizeof environment / sizeof environment[0]; i++)
        add(env, environment[i]);
    for (const char *const *item = repo->quiet; item && *item; item++) add(env, *item);
    if (!repo->is_git) {
        add(env, arena_printf(&out->arena, "GIT_DIR=%s", repo->git_dir));
        add(env, arena_printf(&out->arena, "GIT_WORK_TREE=%s", repo->workspace));
    }
    if (own) {
        const char *theirs = arena_printf(&out->arena, "%s/objects", repo->common_dir);

        add(env, arena_printf(&out->arena, "GIT_OBJECT_DIRECTORY=%s/objects", repo->hone_dir));
        add(env, arena_printf(&out->arena, "GIT_ALTERNATE_OBJECT_DIRECTORIES=%s",
                              quoted(&out->arena, theirs)));
    }
    if (index) add(env, arena_printf(&out->arena, "GIT_INDEX_FILE=%s", index));
}

static int explain(int rc, struct err *err)
{
    if (rc == ERR_MISSING)
        err_set(err, ERR_MISSING, "git is not installed: apt-get install git");
    else if (rc != 0 && str_starts(str_of(err->text), STR("git: ")))
        memmove(err->text, err->text + 5, strlen(err->text + 5) + 1); /* we say it better */
    return rc;
}

static int run_git(const struct repo *repo, bool own, const char *index, const char *const *args,
                   struct str input, struct buf *out, struct err *err)
{
    struct git_call call;
    int rc;

    make_call(repo, own, index, args, &call);
    rc = helper_run(call.argv.items, call.env.items, repo->workspace, input, out, err);
    arena_release(&call.arena);
    return explain(rc, err);
}

static int add_context(const struct repo *repo, const char *const *args, struct err *err)
{
    return err_wrap(err, "git %s in %s", *verb_of(args), repo->workspace);
}

int repo_git(const struct repo *repo, const char *const *args, struct str input, struct buf *out,
             struct err *err)
{
    int rc = run_git(repo, false, NULL, args, input, out, err);

    return rc != 0 ? add_context(repo, args, err) : 0;
}

struct helper *repo_git_begin(const struct repo *repo, const char *const *args)
{
    struct helper *helper;
    struct git_call call;
    struct err ignored; /* who asks without it will say it better */

    make_call(repo, false, NULL, args, &call);
    helper = helper_begin(call.argv.items, call.env.items, repo->workspace, &ignored);
    arena_release(&call.arena);
    return helper;
}

int repo_git_finish(const struct repo *repo, const char *const *args, struct helper *helper,
                    struct buf *out, struct err *err)
{
    int rc = explain(helper_finish(helper, out, err), err);

    return rc != 0 ? add_context(repo, args, err) : 0;
}

int repo_git_own(const struct repo *repo, const char *const *args, struct str input,
                 struct buf *out, struct err *err)
{
    return repo_git_index(repo, NULL, args, input, out, err);
}

int repo_git_index(const struct repo *repo, const char *index, const char *const *args,
                   struct str input, struct buf *out, struct err *err)
{
    struct arena arena = { 0 };
    int rc = file_make_folder(arena_printf(&arena, "%s/objects", repo->hone_dir), true, err);

    arena_release(&arena);
    if (rc != 0) return rc;
    rc = run_git(repo, true, index, args, input, out, err);
    return rc != 0 ? add_context(repo, args, err) : 0;
}

/* ---- the private repository ---- */

static int make_private(const struct repo *repo, struct err *err)
{
    static const char *const steps[][12] = {
        { "init", "--quiet", "--template=", "--initial-branch=main", NULL },
        /* Fails for a file that cannot be read; the others are in all the same. */
        { "add", "--all", "--ignore-errors", NULL },
        { "-c", "user.name=hone", "-c", "user.email=hone@localhost", "commit", "--quiet",
          "--no-verify", "--no-gpg-sign", "--allow-empty", "--message=as hone found it", NULL },
    };
    struct buf out;
    int rc = file_make_folder_in(repo->workspace, ".hone/git", err);

    buf_init(&out, WORDS_BYTES_MAX);
    if (rc == 0) rc = file_write(repo->workspace, ".hone/git/info/exclude", STR("/.hone/\n"), err);
    if (rc == 0) rc = repo_git(repo, steps[0], STR(""), &out, err);
    if (rc == 0) rc = repo_git(repo, steps[1], STR(""), &out, err);
    if (rc == ERR_FAILED) rc = 0;
    if (rc == 0) rc = repo_git(repo, steps[2], STR(""), &out, err);
    if (rc == 0) rc = file_write(repo->workspace, ".hone/git/ready", STR("1\n"), err);
    buf_release(&out);
    return rc;
}

static int open_private(struct repo *repo, bool make, struct err *err)
{
    const char *ready;

    repo->is_git = false;
    repo->hone_dir = arena_printf(&repo->arena, "%s/.hone", repo->workspace);
    repo->git_dir = arena_printf(&repo->arena, "%s/git", repo->hone_dir);
    repo->common_dir = repo->git_dir;
    ready = arena_printf(&repo->arena, "%s/ready", repo->git_dir);
    if (file_exists(ready)) return 0;
    if (make) return make_private(repo, err);
    return err_set(err, ERR_MISSING, "%s is not in a git repository, and hone has nothing there: "
                   "go to the folder of the run, or name it with -C DIR", repo->workspace);
}

/* ---- finding it ---- */

/* The real path of a folder, in the repo's arena; NULL and errno. */
static const char *real_path(struct repo *repo, const char *path)
{
    char *real = realpath(path, NULL);
    const char *out = real ? arena_cstr(&repo->arena, str_of(real)) : NULL;

    free(real);
    return out;
}

/* Where the .git of the work tree leads: a folder, a link to one, or a file that names one. */
static const char *own_git_dir(struct repo *repo)
{
    const char *dot = arena_printf(&repo->arena, "%s/.git", repo->workspace), *out = NULL;
    struct stat st;
    struct err none;
    struct buf text;
    struct str line;

    if (stat(dot, &st) != 0) return NULL;
    if (S_ISDIR(st.st_mode)) return real_path(repo, dot);
    buf_init(&text, LINK_BYTES_MAX);
    if (file_read(dot, &text, &none) == 0 && str_starts(buf_str(&text), STR("gitdir:"))) {
        line = str_trim(str_skip(buf_str(&text), strlen("gitdir:")));
        out = line.size && line.data[0] == '/'
                  ? arena_cstr(&repo->arena, line)
                  : arena_printf(&repo->arena, "%s/%.*s", repo->workspace, STR_ARG(line));
        out = real_path(repo, out);
    }
    buf_release(&text);
    return out;
}

/* Folders that were put in our way would make us, and agents, write elsewhere. */
static int check_places(struct repo *repo, struct err *err)
{
    const char *own = repo->is_git ? own_git_dir(repo) : repo->git_dir;
    struct stat st;

    if (!own || strcmp(own, repo->git_dir) != 0) {
        return err_set(err, ERR_USAGE, "the configuration in %s says that its work tree is %s, "
                       "which is not so by itself: git config --unset core.worktree", repo->git_dir,
                       repo->workspace);
    }
    if (lstat(repo->hone_dir, &st) != 0) return 0;
    if (S_ISDIR(st.st_mode) && (st.st_uid == geteuid() || geteuid() == 0)) return 0;
    return err_set(err, ERR_USAGE, "%s is not a folder of yours: look at it, and remove it if you "
                   "do not need it", repo->hone_dir);
}

/* What git printed: three absolute paths, a line each. */
static int take_paths(struct repo *repo, struct str text, struct err *err)
{
    const char **const fields[] = { &repo->workspace, &repo->git_dir, &repo->common_dir };
    struct str lines[3] = { { 0 } };
    bool good = true;

    for (size_t i = 0; i < 3; i++)
        good = good && str_cut(&text, '\n', &lines[i]) && str_starts(lines[i], STR("/"));
    if (!good || text.size != 0)
        return err_set(err, ERR_USAGE, "the path of the repository has a line break in it: hone "
                       "works there when the folder has another name");
    for (size_t i = 0; i < 3; i++) {
        const char *path = arena_cstr(&repo->arena, lines[i]);

        *fields[i] = real_path(repo, path);
        if (!*fields[i]) return err_system(err, errno, "find %s", path);
    }
    return 0;
}

/* git found no repository it would work in: why, and what that means for us. */
static int judge_refusal(struct repo *repo, bool make, struct err *err)
{
    if (strstr(err->text, "not a git repository (or any") ||
        strstr(err->text, "Stopping at filesystem boundary"))
        return open_private(repo, make, err);
    if (strstr(err->text, "must be run in a work tree") ||
        strstr(err->text, "cannot use bare repository"))
        return err_set(err, ERR_USAGE,
                       "%s is inside a git folder or a bare repository: start in a work tree",
                       repo->workspace);
    if (strstr(err->text, "safe.directory"))
        return err_wrap(err, "git does not trust this repository: it belongs to another user. "
                        "Where you trust it");
    return err_wrap(err, "git refuses %s", repo->workspace);
}

static int ask_git(struct repo *repo, bool make, struct err *err)
{
    static const char *const ask[] = { "rev-parse", "--path-format=absolute", "--show-toplevel",
                                       "--absolute-git-dir", "--git-common-dir", NULL };
    struct buf out;
    int rc;

    buf_init(&out, PATHS_BYTES_MAX);
    rc = run_git(repo, false, NULL, ask, STR(""), &out, err); /* its bare words are judged */
    if (rc == ERR_FAILED) rc = judge_refusal(repo, make, err);
    else if (rc == 0) rc = take_paths(repo, buf_str(&out), err);
    buf_release(&out);
    return rc;
}

int repo_open(struct repo *repo, const char *start, bool make, struct err *err)
{
    struct stat st;
    int rc = 0;

    *repo = (struct repo){ .is_git = true };
    repo->workspace = real_path(repo, start);
    if (!repo->workspace || stat(repo->workspace, &st) != 0 || !S_ISDIR(st.st_mode)) {
        rc = err_set(err, ERR_MISSING, "%s: there is no such folder", start);
        goto fail;
    }
    if (!repo_take_plain(repo)) rc = ask_git(repo, make, err);
    if (rc != 0) goto fail;
    if (repo->is_git) repo->hone_dir = arena_printf(&repo->arena, "%s/hone", repo->common_dir);
    rc = check_places(repo, err);
    if (rc == 0) rc = repo_config_quiet(repo, err);
    if (rc != 0) goto fail;
    return 0;

fail:
    repo_release(repo);
    return rc;
}

void repo_release(struct repo *repo)
{
    arena_release(&repo->arena);
    *repo = (struct repo){ 0 };
}
