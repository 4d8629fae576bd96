/* SPDX-License-Identifier: Apache-2.0
 *
 * commit.c - a commit as the user would make it: with the user's settings, hooks and signing.
 *
 * A hook may call a script of the tree, a filter may, too, and an agent wrote to the tree: so git
 * runs in the cage of who wrote (own.h), where there is one. A key must not be in there: a hook
 * could sign anything with it. So there are two steps:
 *
 *   git commit, in the cage, with hooks, unsigned --> the same commit signed, outside, no hooks
 *
 * The second is made of objects alone (git cat-file, commit-tree, update-ref): no file of the tree
 * has a part in it, and no program that only the repository names. Without a cage it is one step:
 * hooks run as the user runs them, and of what the configuration of the repository alone names
 * nothing does (repo_quiet): a file that belongs to such a filter is not committed.
 *
 * It is made in an index of its own, in the folder of the list of paths: HEAD and those files,
 * nothing else. The user's index is touched only when the commit is there, for a moment, so that it
 * has the new content of those files.
 *
 * 1. Paths are taken literally, with any characters, and reach git by a file.
 * 2. Other files that the user has staged stay staged and are not committed. Where git refuses the
 *    commit, nothing that is staged changes.
 * 3. Killed at any moment, it leaves no lock of the user's index that the user would have to
 *    remove. Started again, it finds that there is nothing left to commit, and mends the index. */
#include "agent/own/own.h"

#include "io/file/scratch.h"
#include "io/git/repo.h"
#include "io/process/crew.h"

#include <stdio.h>
#include <string.h>

enum {
    LIST_BYTES_MAX = 64 << 20, SAID_BYTES_MAX = 1 << 20,
    PARENTS_MAX = 2, ENV_OWN_MAX = 8,
};

/* Where commands run, and in what. */
struct desk {
    const char *cwd; /* NULL: the working directory */
    const struct own_cage *cage;
    const char *const *quiet; /* variables of every git without a cage; NULL: none */
    const char *said; /* the complaints of the last program that failed */
    struct arena *arena;
};

static const char *const *joined(const char *const *a, const char *const *b, struct arena *arena)
{
    uint32_t count = 0, at = 0;
    const char **all;

    while (a[count]) count++;
    for (uint32_t i = 0; b && b[i]; i++) count++;
    all = arena_alloc(arena, (count + 1) * sizeof *all);
    while (*a) all[at++] = *a++;
    while (b && *b) all[at++] = *b++;
    return all;
}

/* Runs a program with these arguments in the cage; what it says goes to standard error. Its exit
 * status. */
static int run_program(struct desk *desk, const char *const *argv, const char *const *env,
                       struct str *out)
{
    struct crew_job job = { .argv = own_caged(desk->cage, argv, desk->arena),
                            .env = joined(env, desk->quiet, desk->arena),
                            .cwd = desk->cwd, .out_bytes_max = SAID_BYTES_MAX,
                            .err_bytes_max = SAID_BYTES_MAX };
    struct err err = { 0 };
    int status;

    if (crew_run(&job, 1, 1, NULL, NULL, &err) != 0 || !job.started) {
        fprintf(stderr, "%s could not be started: %s\n", argv[0], err.text);
        return 1;
    }
    fwrite(job.err.data, 1, job.err.size, stderr);
    if (out) *out = arena_copy(desk->arena, buf_str(&job.out));
    else fwrite(job.out.data, 1, job.out.size, stderr); /* a hook's words, mostly */
    status = job.signal ? 1 : job.status;
    if (status != 0) desk->said = arena_cstr(desk->arena, buf_str(&job.err));
    crew_release(&job, 1);
    return status;
}

/* $1: the folder. The new index begins as the copy of git's own that was kept before any agent
 * wrote ("tracked"), so that git need not read every file; but not where that copy tells git to
 * leave out some files. Size and time of a file prove nothing without its time of change. */
static const char stage_script[] =
    "set -e\n"
    "git() { command git -c core.trustctime=true -c core.checkStat=default \\\n"
    "    -c core.fsmonitor=false \"$@\"; }\n"
    "export GIT_INDEX_FILE=\"$1/index\"\n"
    "rm -f \"$1/index\" \"$1/index.lock\"\n"
    "if [ -e \"$1/tracked\" ]; then mv -- \"$1/tracked\" \"$1/index\"; fi\n"
    "if git ls-files -v | grep -q '^[a-zS] '; then rm -f \"$1/index\"; fi\n"
    "if git rev-parse --quiet --verify HEAD >/dev/null; then\n"
    "    git read-tree --reset HEAD\n"
    "    git update-index --add --remove --replace -z --stdin <\"$1/paths\"\n"
    "    if git diff-index --cached --quiet HEAD; then echo nothing; fi\n"
    "else\n"
    "    git read-tree --empty\n"
    "    git update-index --add --remove --replace -z --stdin <\"$1/paths\"\n"
    "fi\n";

/* A hook may have staged more: the user's index must have that, too, or it would seem deleted. */
static const char committed_script[] =
    "git -c core.fsmonitor=false diff-tree --root -r -z --name-only --no-renames \\\n"
    "    --no-commit-id HEAD >>\"$1/paths\"\n";

/* ---- signing ---- */

/* The lines of a commit before its message: what is to be the same in the signed one. */
struct headers {
    const char *tree, *author, *committer; /* "Name <mail> seconds zone" */
    const char *parents[PARENTS_MAX];
    uint32_t parent_count;
    struct str message;
};

static bool read_headers(struct str text, struct headers *out, struct arena *arena)
{
    struct str line, word;

    *out = (struct headers){ 0 };
    while (str_cut(&text, '\n', &line) && line.size > 0) {
        const char *value;

        if (!str_cut(&line, ' ', &word)) continue;
        value = arena_cstr(arena, line);
        if (str_is(word, "tree")) out->tree = value;
        if (str_is(word, "author")) out->author = value;
        if (str_is(word, "committer")) out->committer = value;
        if (str_is(word, "parent") && out->parent_count < PARENTS_MAX) {
            out->parents[out->parent_count++] = value;
        }
    }
    out->message = text;
    return out->tree && out->author && out->committer;
}

/* GIT_AUTHOR_NAME and so on, of "Name <mail> seconds zone". */
static void add_person(const char **env, const char *who, const char *text, struct arena *arena)
{
    struct str rest = str_of(text), name, mail;

    (void)str_cut(&rest, '<', &name);
    (void)str_cut(&rest, '>', &mail);
    env[0] = arena_printf(arena, "GIT_%s_NAME=%.*s", who, STR_ARG(str_trim(name)));
    env[1] = arena_printf(arena, "GIT_%s_EMAIL=%.*s", who, STR_ARG(mail));
    env[2] = arena_printf(arena, "GIT_%s_DATE=%.*s", who, STR_ARG(str_trim(rest)));
}

/* The same commit, signed, in its place. Where that fails the old one stays. */
static int sign_commit(struct desk *desk, const struct repo *repo, struct str *id)
{
    struct arena *arena = desk->arena;
    const char *old = arena_cstr(arena, str_trim(*id)), *new;
    const char *const show[] = { "cat-file", "commit", old, NULL };
    const char *move[] = { "update-ref", "-m", "commit: signed", "HEAD", NULL, old, NULL };
    const char *make[2 * PARENTS_MAX + 7] = { "git", "commit-tree", "-S" };
    const char *env[ENV_OWN_MAX] = { "GIT_TERMINAL_PROMPT=0" };
    struct headers headers;
    struct str said;
    struct err err = { 0 };
    struct buf text;
    uint32_t at = 3;
    int status = 1;

    buf_init(&text, SAID_BYTES_MAX);
    if (repo_git(repo, show, STR(""), &text, &err) == 0 &&
        read_headers(buf_str(&text), &headers, arena)) {
        for (uint32_t i = 0; i < headers.parent_count; i++) {
            make[at++] = "-p";
            make[at++] = headers.parents[i];
        }
        make[at++] = "-m";
        make[at++] = arena_cstr(arena, headers.message);
        make[at++] = headers.tree;
        add_person(env + 1, "AUTHOR", headers.author, arena);
        add_person(env + 4, "COMMITTER", headers.committer, arena);
        status = run_program(desk, make, env, &said);
    }
    buf_release(&text);
    if (status != 0) {
        fprintf(stderr, "the commit could not be signed (commit.gpgsign)%s%s\n",
                err.text[0] ? ": " : "", err.text);
        return 1;
    }
    new = arena_cstr(arena, str_trim(said));
    move[4] = new;
    if (!repo_ask(repo, move, arena, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    *id = str_of(new);
    return 0;
}

/* ---- the commit ---- */

/* Stages and commits. *id is empty where there was nothing to commit. */
static int make_commit(struct desk *desk, const char *folder, struct str message,
                       struct str *id)
{
    struct arena *arena = desk->arena;
    const char *index = arena_printf(arena, "GIT_INDEX_FILE=%s/index", folder);
    const char *from = arena_printf(arena, "--pathspec-from-file=%s/paths", folder);
    const char *text = arena_printf(arena, "--message=%.*s", STR_ARG(message));
    const char *const quiet_env[] = { "GIT_TERMINAL_PROMPT=0", NULL };
    const char *const literal_env[] = { "GIT_LITERAL_PATHSPECS=1", NULL };
    const char *const index_env[] = { index, "GIT_TERMINAL_PROMPT=0", NULL };
    const char *committed[] = { "sh", "-c", committed_script, "sh", folder, NULL };
    const char *stage[] = { "sh", "-c", stage_script, "sh", folder, NULL };
    const char *commit[] = { "git", "-c", "core.fsmonitor=false", "commit", "--quiet", text,
                             NULL };
    const char *caged[] = { "git", "-c", "commit.gpgSign=false", "-c", "gc.auto=0", "-c",
                            "maintenance.auto=false", "commit", "--quiet", text, NULL };
    const char *reset[] = { "git", "-c", "core.fsmonitor=false", "reset", "--quiet", from,
                            "--pathspec-file-nul", NULL };
    const char *head[] = { "git", "rev-parse", "HEAD", NULL };
    struct str said = { "", 0 };
    int status = run_program(desk, stage, quiet_env, &said);
    bool nothing = str_is(str_trim(said), "nothing");

    if (status == 0 && !nothing) {
        status = run_program(desk, desk->cage->count ? caged : commit, index_env, NULL);
    }
    if (status != 0) return status;
    if (!nothing) (void)run_program(desk, committed, quiet_env, NULL);
    /* Another process may hold the index's lock: the next commit mends the index. */
    (void)run_program(desk, reset, literal_env, NULL);
    return nothing ? 0 : run_program(desk, head, quiet_env, id);
}

/* Whether the user has commits signed, in git's own words. */
static bool is_signed(struct desk *desk)
{
    const char *const ask[] = { "git", "config", "--type=bool", "--get", "commit.gpgsign", NULL };
    const char *const none[] = { NULL };
    struct str said = { "", 0 };

    return run_program(desk, ask, none, &said) == 0 && str_is(str_trim(said), "true");
}

/* The last words of a commit that git refused for a filter that was switched off. */
static void explain_filter(const struct desk *desk)
{
    static const char mark[] = "clean filter '";
    const char *at = desk->said ? strstr(desk->said, mark) : NULL;
    struct str name, rest;

    if (!at || !desk->quiet || !desk->quiet[0]) return;
    rest = str_of(at + strlen(mark));
    if (!str_cut(&rest, '\'', &name)) return;
    fprintf(stderr, "the filter '%.*s' is named by this repository's configuration alone, and does "
            "not run without a sandbox: if you trust it, put filter.%.*s.clean into your own (git "
            "config --global), then hone resume\n", STR_ARG(name), STR_ARG(name));
}

/* What the repository alone names is looked for where it is about to count: before a git without a
 * cage, and again behind the hooks. */
static int make_and_sign(struct desk *desk, const char *folder, struct str message, struct str *id)
{
    static const struct own_cage no_cage = { 0 };
    bool caged = desk->cage->count > 0;
    struct repo repo = { 0 };
    struct err err = { 0 };
    int status = 1;
    int rc = repo_open(&repo, desk->cwd ? desk->cwd : ".", false, &err);

    *id = STR("");
    if (rc == 0 && !caged) rc = repo_quiet(&repo, true, desk->arena, &desk->quiet, &err);
    if (rc == 0) status = make_commit(desk, folder, message, id);
    if (rc == 0 && status != 0 && !caged) explain_filter(desk);
    if (status == 0 && caged && id->size > 0) {
        desk->cage = &no_cage;
        rc = repo_quiet(&repo, true, desk->arena, &desk->quiet, &err);
        if (rc == 0 && is_signed(desk)) status = sign_commit(desk, &repo, id);
    }
    if (rc != 0) fprintf(stderr, "%s\n", err.text);
    repo_release(&repo);
    return rc == 0 ? status : 1;
}

int commit_listed(const char *folder, const char *cwd, const struct own_cage *cage,
                  struct commit *out, struct arena *arena)
{
    struct desk desk = { .cwd = cwd, .cage = cage, .arena = arena };
    struct err err = { 0 };
    struct str rest, message = { "", 0 };
    int status = 1;
    int rc = scratch_text(folder, "commit", LIST_BYTES_MAX, arena, &rest, &err);

    *out = (struct commit){ 0 };
    (void)str_cut(&rest, '\0', &message);
    out->paths = rest;
    if (rc == 0) rc = scratch_write(folder, "paths", rest, &err);
    if (rc == 0 && rest.size == 0) status = 0; /* for git no path means every path */
    else if (rc == 0) status = make_and_sign(&desk, folder, message, &out->id);
    else fprintf(stderr, "%s\n", err.text);
    out->id = str_trim(out->id);
    return status;
}

int commit_main(const char *folder)
{
    struct arena arena = { 0 };
    struct commit commit;
    struct own_cage cage;
    struct err err = { 0 };
    struct str path;
    int status = 1;

    if (own_cage_read(&cage, folder, &arena, &err) == 0) {
        status = commit_listed(folder, NULL, &cage, &commit, &arena);
    } else {
        fprintf(stderr, "%s\n", err.text);
    }

    if (status == 0 && commit.id.size == 0) {
        printf("nothing\n");
    } else if (status == 0) {
        printf("commit %.*s\n", STR_ARG(commit.id));
        while (str_cut(&commit.paths, '\0', &path)) printf("%.*s\n", STR_ARG(path));
    }
    if (status == 0) status = fflush(stdout) == 0 ? 0 : 1;
    arena_release(&arena);
    return status;
}
