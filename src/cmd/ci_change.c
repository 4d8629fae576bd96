/* SPDX-License-Identifier: Apache-2.0
 *
 * ci_change.c - finds what a pipeline judges.
 *
 *     commit that is judged                           where
 *     what is checked out, and can be written to      there, with what it has changed since
 *     what is checked out, and cannot be              in a work tree of the commit
 *     another (--head, --pushed), or one that the     in a work tree of that commit
 *       checkout differs from
 *
 * 1. A work tree that was made for this is under a lock of its name while it is in use, and goes at
 *    the end. Those of a hone that was killed go when the next one is made.
 * 2. Files that the commit does not have (what a build left) are not part of the change.
 *
 * Not here: against which commit (settings/parting.c), what services tell (format/pipeline.c). */
#include "cmd/ci_change.h"

#include "base/path.h"
#include "cmd/say.h"
#include "io/file/file.h"
#include "io/file/peek.h"
#include "io/git/worktree.h"
#include "io/process/host.h"
#include "run/place.h"
#include "settings/scope.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_BYTES_MAX = 64 << 20, SHORT_COMMIT = 12, PATTERNS_BYTES_MAX = 8 << 10,
       WORKTREE_LETTERS = 10 };

#define WORKTREE_PREFIX "ci-"

/* ---- the work tree ---- */

static bool is_at_head(const struct ci_change *change, const char *commit)
{
    const char *head;
    struct err none;

    head = repo_commit(&change->repo, "HEAD", change->arena, &none);
    return head && strcmp(head, commit) == 0;
}

/* The lock of a work tree that was made for this, by its name: held while it is in use. */
static const char *worktree_lock(const struct ci_change *change, const char *name)
{
    return arena_printf(change->arena, "%s/locks/%s", change->repo.hone_dir, name);
}

/* Removes those that a hone left which was killed. */
static void sweep_worktrees(const struct ci_change *change, const char *folder)
{
    const char *const *names = folder_names(folder, WORKTREE_PREFIX, change->arena);

    for (; *names; names++) {
        const char *lock = worktree_lock(change, *names);
        struct lock_owner owner;
        struct err none;

        if (lock_is_held(lock, &owner)) continue;
        (void)worktree_remove(&change->repo, arena_printf(change->arena, "%s/%s", folder, *names),
                              "", &none);
        (void)file_remove_in(change->repo.hone_dir,
                             arena_printf(change->arena, "locks/%s", *names), &none);
    }
}

/* A work tree of the commit, since what is checked out is another one, differs from it, or cannot
 * be written to. */
static int make_worktree(struct ci_change *change, struct err *err)
{
    const char *folder = place_worktrees(&change->repo, change->arena), *lock;
    struct worktree worktree = { .branch = "", .start = change->head };
    char word[WORKTREE_LETTERS + 1];
    enum worktree_made made;
    struct lock_owner owner;
    struct buf notes;
    int rc = file_make_folder(folder, false, err);

    if (rc == 0) rc = file_make_folder_in(change->repo.hone_dir, "locks", err);
    if (rc != 0) return rc;
    sweep_worktrees(change, folder);
    random_word(word, WORKTREE_LETTERS);
    change->worktree_name = arena_printf(change->arena, WORKTREE_PREFIX "%s", word);
    change->worktree = arena_printf(change->arena, "%s/%s", folder, change->worktree_name);
    worktree.path = change->worktree;
    lock = worktree_lock(change, change->worktree_name);
    rc = lock_open(&change->worktree_lock, lock, "", 0, &owner, err);
    buf_init(&notes, SAY_BYTES_MAX);
    if (rc == 0) rc = worktree_make(&change->repo, &worktree, &made, &notes, err);
    buf_release(&notes);
    change->outer = change->repo;
    change->repo = (struct repo){ 0 };
    if (rc != 0) {
        return err_wrap(err, "make a work tree of commit %.*s", SHORT_COMMIT, change->head);
    }
    change->call->cwd = change->worktree;
    return repo_open(&change->repo, change->worktree, REPO_FIND, err);
}

static void remove_worktree(struct ci_change *change)
{
    struct err err;

    if (!change->worktree) return;
    if (worktree_remove(&change->outer, change->worktree, "", &err) != 0) {
        say_fail(CODE_DONE, "%s", err.text);
    }
    (void)file_remove_in(change->outer.hone_dir,
                         arena_printf(change->arena, "locks/%s", change->worktree_name), &err);
    lock_close(&change->worktree_lock);
}

/* ---- head and base ---- */

static int find_head(struct ci_change *change, struct err *err)
{
    const char *named = change->pushed ? change->pushed->head : call_value(change->call, "head");
    bool changed = false;
    struct err none;
    int rc;

    change->head = repo_commit(&change->repo, named ? named : "HEAD", change->arena, &none);
    if (!change->head && named) {
        return err_set(err, ERR_USAGE, "--head: this repository has no commit '%.100s'", named);
    }
    if (!change->head) {
        return err_set(err, ERR_USAGE, "there is no commit yet: there is nothing to judge here");
    }
    if (!change->staged && !file_is_writable_in(change->repo.workspace, ".git")) {
        return make_worktree(change, err); /* a run writes there */
    }
    rc = scope_has_changed(&change->repo, NULL, &changed, change->arena, err);
    if (rc != 0) return rc;
    change->differs = changed && !named && !change->staged;
    if (!named) return 0;
    return changed || !is_at_head(change, change->head) ? make_worktree(change, err) : 0;
}

/* A run is kept in the git folder. */
static int check_writable(const struct ci_change *change, struct err *err)
{
    if (file_is_writable_in(change->repo.common_dir, "HEAD")) return 0;
    return err_set(err, ERR_USAGE, "hone keeps what it does in %s/hone, and this user cannot write "
                   "there: let it be written to, or judge a copy ('git clone --no-local . COPY')",
                   change->repo.common_dir);
}

int ci_change_open(struct ci_change *change, struct err *err)
{
    int rc = repo_open(&change->repo, change->call->cwd, REPO_FIND, err);

    if (rc == ERR_MISSING || (rc == 0 && !change->repo.is_git)) {
        return err_set(err, ERR_USAGE, "hone ci judges a change of a git repository, and this "
                       "folder is in none; 'hone run review' judges a folder");
    }
    return rc == 0 ? check_writable(change, err) : rc;
}

static int find_base(struct ci_change *change, struct err *err)
{
    const char *named = change->pushed ? change->pushed->base : call_value(change->call, "base");
    const char *from = getenv("PRE_COMMIT_FROM_REF");
    struct parting_request request = { .pipeline = &change->pipeline, .base = named,
                                       .base_by = "--base", .head = change->head };

    if (change->staged && from && *from) { /* pre-commit run --from-ref: that, and not the index */
        request.base = from;
        request.base_by = "PRE_COMMIT_FROM_REF";
    } else if (change->staged) {
        change->parting = (struct parting){ .commit = change->head, .how = "HEAD" };
        return 0;
    }
    if (change->all || (change->pushed && !named)) {
        change->parting = (struct parting){ .commit = "", .how = "everything is judged" };
        return 0;
    }
    if (!request.base) {
        request.base = getenv("HONE_BASE");
        request.base_by = "HONE_BASE";
    }
    return parting_find(&change->repo, &request, change->arena, &change->parting, err);
}

int ci_change_find(struct ci_change *change, struct err *err)
{
    int rc = find_head(change, err);

    return rc == 0 ? find_base(change, err) : rc;
}

void ci_change_close(struct ci_change *change)
{
    remove_worktree(change);
    repo_release(&change->repo);
    repo_release(&change->outer);
}

bool ci_change_is_empty(const struct ci_change *change)
{
    const char *const args[] = { "diff", "--quiet", "--no-ext-diff", change->parting.commit,
                                 change->head, NULL };
    struct err none;

    if (change->staged || !*change->parting.commit) return false;
    return repo_do(&change->repo, args, STR(""), &none) == 0;
}

void ci_change_say(const struct ci_change *change)
{
    const struct pipeline *pipeline = &change->pipeline;
    const struct parting *parting = &change->parting;

    if (change->call->quiet) return;
    say_fail(CODE_DONE, "%s: commit %.*s%s is judged against %.*s%s%s%s",
             pipeline_titles[pipeline->service], SHORT_COMMIT, change->head,
             change->differs ? ", with what is changed in the work tree," : "", SHORT_COMMIT,
             parting->commit, *parting->commit ? " (" : "", parting->how,
             *parting->commit ? ")" : "");
    if (*pipeline->problem && pipeline->service == PIPELINE_GITHUB) {
        say_fail(CODE_DONE, "the event cannot be read: %s", pipeline->problem);
    }
}

/* ---- its files ---- */

/* A pattern that takes exactly this path; false: there is none. */
static bool write_pattern(struct buf *out, struct str path)
{
    if (str_has(path, '\n')) return false;
    buf_byte(out, '/');
    for (size_t i = 0; i < path.size; i++) {
        if (path.data[i] && strchr("\\*?[ ", path.data[i])) buf_byte(out, '\\');
        buf_byte(out, path.data[i]);
    }
    return !out->overflow;
}

int ci_change_unknown(const struct ci_change *change, const char *const **out, uint32_t *count,
                      struct err *err)
{
    static const char *const args[] = { "ls-files", "--others", "--exclude-standard",
                                        "--directory", "--no-empty-directory", "-z", NULL };
    const char **items = NULL;
    uint32_t cap = 0, all = 0;
    struct str rest, name;
    size_t bytes = 0;
    struct buf text;
    int rc;

    buf_init(&text, NAMES_BYTES_MAX);
    rc = repo_git(&change->repo, args, STR(""), &text, err);
    rest = arena_take(change->arena, &text);
    *count = 0;
    for (; rc == 0 && str_cut(&rest, '\0', &name); all++) {
        struct buf pattern;

        buf_init(&pattern, PATTERNS_BYTES_MAX);
        if (write_pattern(&pattern, name) && bytes + pattern.size < PATTERNS_BYTES_MAX) {
            bytes += pattern.size + 1;
            items = arena_grow(change->arena, items, *count, &cap, sizeof *items);
            items[(*count)++] = arena_cstr(change->arena, buf_str(&pattern));
        }
        buf_release(&pattern);
    }
    *out = items;
    if (all > 0 && !change->call->quiet) {
        say_fail(CODE_DONE, "%" PRIu32 " of %" PRIu32 " files and folders that are not in the "
                 "commit are left out", *count, all);
    }
    return rc;
}

int ci_change_take_staged(struct ci_change *change, struct err *err)
{
    static const char *const args[] = { "diff", "--cached", "--name-only", "--no-ext-diff",
                                        "--diff-filter=d", "-z", "HEAD", NULL };
    struct call *call = change->call;
    const char *index = call->index;
    struct str rest, name;
    struct buf text;
    uint32_t cap = 0;
    int rc;

    if (!change->staged || call->argument_count > 0) return 0;
    buf_init(&text, NAMES_BYTES_MAX);
    if (index) index = path_joined(call->cwd, str_of(index), change->arena);
    rc = index ? repo_git_index(&change->repo, index, args, STR(""), &text, err)
               : repo_git(&change->repo, args, STR(""), &text, err);
    rest = arena_take(change->arena, &text);
    call->arguments = NULL;
    call->cwd = change->repo.workspace;
    while (rc == 0 && str_cut(&rest, '\0', &name)) {
        if (str_has(name, '\n')) {
            say_fail(CODE_DONE, "a staged file with a line end in its name is not judged");
            continue;
        }
        call->arguments = arena_grow(change->arena, call->arguments, call->argument_count, &cap,
                                     sizeof *call->arguments);
        call->arguments[call->argument_count++] = arena_cstr(change->arena, name);
    }
    call->plain_count = call->argument_count;
    return rc;
}
