/* SPDX-License-Identifier: Apache-2.0
 *
 * parting.c - finds the commit that a change is measured against.
 *
 *     what is known                                    the commit
 *     a revision that the user named                   where the change parted from it
 *     a request, and a merge of its head is checked    the merge's first parent: what it goes into
 *       out (as services do it)
 *     a request                                        where it parted from its base, or its branch
 *     a push, and what was there before it             where it parted from that: itself, unless
 *                                                      the push was forced
 *     nothing                                          where it parted from its upstream or the
 *                                                      default branch; or, where it is that, the
 *                                                      commit before the newest
 *
 * 1. Nothing is guessed where something was told: a commit that was told and is not in the clone is
 *    asked for, by the command that brings it. Only what was there before a push may be gone for
 *    good (the push was forced); in a clone that is whole the rest of the table counts then.
 * 2. Of a request nothing is guessed at all: the base decides who judges (settings/brought.h), and
 *    a fork must not choose it. Where its own repository is checked out, a branch of origin is the
 *    fork's: of a fork's change a commit that was told counts, and no branch in its stead, also
 *    where none was told (the event cannot be read).
 * 3. A clone that is not whole says of some commits that they have no parent, and of two that they
 *    have nothing in common. Parents are therefore read from the commit itself. */
#include "settings/parting.h"

#include <inttypes.h>
#include <string.h>

enum { COMMIT_BYTES_MAX = 1 << 20, SHORT_COMMIT = 12, PARENTS = 2, NAME_SHOWN_MAX = 100 };

struct search {
    const struct repo *repo;
    const struct parting_request *request;
    struct arena *arena;
    struct parting *out;
    const char *parents[PARENTS]; /* of the head, by what it says; NULL: there is none */
};

/* ---- questions to git ---- */

static int read_parents(struct search *search, struct err *err)
{
    const char *const args[] = { "cat-file", "commit", search->request->head, NULL };
    struct str rest, line;
    uint32_t count = 0;
    struct buf text;
    int rc;

    buf_init(&text, COMMIT_BYTES_MAX);
    rc = repo_git(search->repo, args, STR(""), &text, err);
    rest = buf_str(&text);
    while (rc == 0 && str_cut(&rest, '\n', &line) && line.size > 0) {
        if (!str_starts(line, STR("parent ")) || count == PARENTS) continue;
        search->parents[count++] = arena_cstr(search->arena, str_skip(line, strlen("parent ")));
    }
    buf_release(&text);
    return rc;
}

static const char *commit_there(const struct search *search, const char *revision)
{
    struct err none;

    return *revision ? repo_commit(search->repo, revision, search->arena, &none) : NULL;
}

/* A branch of the place that the clone came from; else of the clone itself. */
static const char *branch_there(const struct search *search, const char *branch)
{
    const char *commit;

    if (!*branch) return NULL;
    commit = commit_there(search, arena_printf(search->arena, "refs/remotes/origin/%s", branch));
    if (commit) return commit;
    return commit_there(search, arena_printf(search->arena, "refs/heads/%s", branch));
}

static bool is_shallow(const struct search *search)
{
    static const char *const args[] = { "rev-parse", "--is-shallow-repository", NULL };
    const char *said;
    struct err none;

    said = repo_ask(search->repo, args, search->arena, &none);
    return said && strcmp(said, "true") == 0;
}

static uint64_t commits_there(const struct search *search)
{
    const char *const args[] = { "rev-list", "--count", search->request->head, NULL };
    const char *said;
    uint64_t count = 0;
    struct err none;

    said = repo_ask(search->repo, args, search->arena, &none);
    if (said) (void)str_number(str_of(said), &count);
    return count;
}

/* ---- what is missing ---- */

/* commit: what is missing, for people. depth: how many commits the clone must have; 0: not
 * known. */
static int refuse_shallow(const struct search *search, const char *commit, uint64_t depth,
                          struct err *err)
{
    uint64_t has = commits_there(search), wanted = depth > has ? depth : 0;
    const char *command = "git fetch --unshallow", *setting = "";

    if (wanted > 0) {
        command = arena_printf(search->arena, "git fetch --deepen=%" PRIu64, wanted - has);
    }
    switch (search->request->pipeline->service) {
    case PIPELINE_GITHUB:
        setting = arena_printf(search->arena, ", or 'fetch-depth: %" PRIu64 "' for "
                               "actions/checkout", wanted);
        break;
    case PIPELINE_GITLAB:
        setting = arena_printf(search->arena, ", or GIT_DEPTH: \"%" PRIu64 "\" in the job's "
                               "variables", wanted);
        break;
    case PIPELINE_OTHER:
    case PIPELINE_SERVICE_COUNT:
        break;
    }
    return err_set(err, ERR_USAGE, "%s, which the change is measured against, is not in this "
                   "clone: it is shallow, with %" PRIu64 " commit%s%s. Bring it: '%s'%s", commit,
                   has, has == 1 ? "" : "s",
                   wanted > 0 ? arena_printf(search->arena, ", and %" PRIu64 " are needed", wanted)
                              : "", command, setting);
}

static const char *commit_text(const struct search *search, const char *commit)
{
    return arena_printf(search->arena, "commit %.*s", SHORT_COMMIT, commit);
}

/* The depth that a change of so many commits needs; 0: not known. */
static uint64_t depth_of_change(const struct search *search)
{
    uint64_t commits = search->request->pipeline->commits;

    return commits > 0 ? commits + 1 : 0;
}

static int refuse_missing(const struct search *search, const char *what, struct err *err)
{
    if (is_shallow(search)) {
        return refuse_shallow(search, what, depth_of_change(search), err);
    }
    return err_set(err, ERR_USAGE, "%s, which the change is measured against, is not in this "
                   "clone: fetch it ('git fetch origin'), or name another by --base", what);
}

/* ---- answers ---- */

static int found(const struct search *search, const char *commit, const char *how)
{
    search->out->commit = commit;
    search->out->how = how;
    return 0;
}

/* Where the head parted from a commit that is there; name: of the latter, for people. */
static int find_between(const struct search *search, const char *commit, const char *name,
                        struct err *err)
{
    const char *const args[] = { "merge-base", commit, search->request->head, NULL };
    const char *common;
    struct err none;

    common = repo_ask(search->repo, args, search->arena, &none);
    if (common && *common) {
        return found(search, common, strcmp(common, commit) == 0
                                         ? name : arena_printf(search->arena, "where the change "
                                                               "parted from %s", name));
    }
    if (is_shallow(search)) {
        return refuse_shallow(search, arena_printf(search->arena, "the commit where the change "
                                                   "parted from %s", name),
                              depth_of_change(search), err);
    }
    return err_set(err, ERR_USAGE, "the change and %s have no commit in common: name the commit "
                   "that it is measured against by --base", name);
}

/* The newest commit is what is judged. */
static int find_before_newest(const struct search *search, struct err *err)
{
    const char *parent = search->parents[0];

    if (!parent) return found(search, "", "the first commit of all: everything is new");
    if (commit_there(search, parent)) {
        return found(search, parent, "the commit before the newest one");
    }
    return refuse_shallow(search, commit_text(search, parent), commits_there(search) + 1, err);
}

static int find_told(const struct search *search, struct err *err)
{
    const char *base = search->request->base;
    const char *commit = commit_there(search, base), *name;

    name = arena_printf(search->arena, "%s %.*s", search->request->base_by, NAME_SHOWN_MAX, base);
    if (!commit) commit = branch_there(search, base);
    return commit ? find_between(search, commit, name, err)
                  : refuse_missing(search, name, err);
}

/* Whether what is checked out is a merge of the change into its branch. */
static bool is_merge_of_change(const struct search *search)
{
    const char *head = search->request->pipeline->head;

    if (!search->parents[0] || !search->parents[1]) return false;
    return *head && strcmp(search->parents[1], head) == 0;
}

/* Of a fork's change no commit was told. */
static int refuse_untold(const struct search *search, struct err *err)
{
    const struct pipeline *pipeline = search->request->pipeline;

    return err_set(err, ERR_USAGE, "it is not told which commit this change is measured "
                   "against%s%s. It counts as a fork's (%s), and a branch of this clone may be "
                   "the fork's own: name the commit by --base",
                   *pipeline->problem ? ", as the event cannot be read: " : "", pipeline->problem,
                   pipeline->why_fork);
}

static int find_of_request(const struct search *search, struct err *err)
{
    const struct pipeline *pipeline = search->request->pipeline;
    const char *commit;

    if (is_merge_of_change(search)) {
        if (commit_there(search, search->parents[0])) {
            return found(search, search->parents[0], "what the change was merged into");
        }
        return refuse_shallow(search, commit_text(search, search->parents[0]),
                              commits_there(search) + 1, err);
    }
    if (*pipeline->head && strcmp(pipeline->head, search->request->head) != 0) {
        return err_set(err, ERR_USAGE, "the change is not checked out: commit %.*s is, and the "
                       "change ends with %.*s; check that out", SHORT_COMMIT,
                       search->request->head, SHORT_COMMIT, pipeline->head);
    }
    commit = commit_there(search, pipeline->base);
    if (commit) return find_between(search, commit, commit_text(search, commit), err);
    if (!pipeline->fork) commit = branch_there(search, pipeline->branch);
    if (commit) {
        return find_between(search, commit, arena_printf(search->arena, "%.*s", NAME_SHOWN_MAX,
                                                         pipeline->branch), err);
    }
    if (pipeline->fork && !*pipeline->base) return refuse_untold(search, err);
    if (!*pipeline->base && !*pipeline->branch) {
        return err_set(err, ERR_USAGE, "it is not told what the change is measured against%s%s: "
                       "name a commit or a branch by --base", *pipeline->problem ? ", as the event "
                       "cannot be read: " : "", pipeline->problem);
    }
    return refuse_missing(search, *pipeline->base ? commit_text(search, pipeline->base)
                              : arena_printf(search->arena, "the branch %.*s", NAME_SHOWN_MAX,
                                             pipeline->branch), err);
}

/* The branch that a change here is usually to go into; NULL: none is known. */
static const char *usual_branch(const struct search *search, const char **name)
{
    const char *const places[] = {
        "@{upstream}", *search->request->pipeline->main_branch
            ? arena_printf(search->arena, "refs/remotes/origin/%s",
                           search->request->pipeline->main_branch) : "",
        "refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master",
        "refs/heads/main", "refs/heads/master",
    };
    static const char *const names[] = { "its upstream", "the default branch",
                                         "the default branch", "origin/main", "origin/master",
                                         "main", "master" };

    for (uint32_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *commit = commit_there(search, places[i]);

        *name = names[i];
        if (commit) return commit;
    }
    return NULL;
}

static int find_usual(const struct search *search, struct err *err)
{
    const char *name, *commit = usual_branch(search, &name);
    const char *const args[] = { "merge-base", commit ? commit : "", search->request->head, NULL };
    const char *common = NULL;
    struct err none;

    if (commit) common = repo_ask(search->repo, args, search->arena, &none);
    if (!common || !*common || strcmp(common, search->request->head) == 0) {
        return find_before_newest(search, err);
    }
    return found(search, common, arena_printf(search->arena, "where the change parted from %s",
                                              name));
}

int parting_find(const struct repo *repo, const struct parting_request *request,
                 struct arena *arena, struct parting *out, struct err *err)
{
    struct search search = { .repo = repo, .request = request, .arena = arena, .out = out };
    const struct pipeline *pipeline = request->pipeline;
    int rc = read_parents(&search, err);

    *out = (struct parting){ .commit = "", .how = "" };
    if (rc != 0) return rc;
    if (request->base && *request->base) return find_told(&search, err);
    if (pipeline->request) return find_of_request(&search, err);
    if (pipeline->fork && !*pipeline->base) return refuse_untold(&search, err);
    if (*pipeline->base) {
        const char *before = commit_there(&search, pipeline->base);

        if (before) return find_between(&search, before, "what was there before the push", err);
        if (is_shallow(&search)) {
            return refuse_shallow(&search, commit_text(&search, pipeline->base),
                                  depth_of_change(&search), err);
        }
    }
    return find_usual(&search, err);
}
