/* SPDX-License-Identifier: Apache-2.0
 *
 * ci_patch.c - the difference between the commit that is checked out and the work tree behind a
 * run.
 *
 * git shows and commits it as the user's own would, with line ends as the attributes say; filters
 * that only the repository names are off (repo_quiet). The user's index is not touched by a patch:
 * it is made with a copy, in which the files that the fixer made are known.
 *
 * 1. Only what the run changed: tracked files were as the commit has them, and files that git did
 *    not know before the run are left out.
 * 2. Paths reach git one by one, literally, and as null-ended lists. */
#include "cmd/ci_patch.h"

#include "io/file/file.h"
#include "io/process/helper.h"

#include <string.h>

enum { LIST_BYTES_MAX = 64 << 20, PATCH_BYTES_MAX = 256 << 20, SAID_BYTES_MAX = 1 << 20 };

/* ---- git as the user's own ---- */

/* argv without "git"; index: another than the user's, or NULL. */
static int git_as_user(const struct ci_patch *patch, const char *index, const char *const *args,
                       struct str input, struct buf *out, struct err *err)
{
    const char *const *quiet;
    const char **env, **argv;
    uint32_t count = 0, at = 0;
    int rc = repo_quiet(patch->repo, false, patch->arena, &quiet, err);

    if (rc != 0) return rc;
    while (quiet[count]) count++;
    env = arena_alloc(patch->arena, (count + 4) * sizeof *env);
    for (; at < count; at++) env[at] = quiet[at];
    env[at++] = "GIT_LITERAL_PATHSPECS=1";
    env[at++] = "GIT_OPTIONAL_LOCKS=0";
    if (index) env[at] = arena_printf(patch->arena, "GIT_INDEX_FILE=%s", index);
    for (count = 0; args[count];) count++;
    argv = arena_alloc(patch->arena, (count + 4) * sizeof *argv);
    argv[0] = "git";
    argv[1] = "-c";
    argv[2] = "core.hooksPath=/dev/null";
    for (at = 0; at < count; at++) argv[at + 3] = args[at];
    return helper_run(argv, env, patch->repo->workspace, input, out, err);
}

/* ---- before ---- */

/* Files that git does not know and that nothing excludes. */
static int list_unknown(const struct ci_patch *patch, const char *const **out, struct err *err)
{
    static const char *const args[] = { "ls-files", "--others", "--exclude-standard", "-z", NULL };
    const char **items = NULL;
    uint32_t count = 0, cap = 0;
    struct str rest, name;
    struct buf text;
    int rc;

    buf_init(&text, LIST_BYTES_MAX);
    rc = git_as_user(patch, NULL, args, STR(""), &text, err);
    rest = arena_take(patch->arena, &text);
    items = arena_grow(patch->arena, items, 0, &cap, sizeof *items);
    while (rc == 0 && str_cut(&rest, '\0', &name)) {
        items[count++] = arena_cstr(patch->arena, name);
        items = arena_grow(patch->arena, items, count, &cap, sizeof *items);
    }
    items[count] = NULL;
    *out = items;
    return rc;
}

int ci_patch_begin(struct ci_patch *patch, const struct repo *repo, struct arena *arena,
                   struct err *err)
{
    static const char *const args[] = { "diff", "--name-only", "-z", "HEAD", NULL };
    struct str rest, name;
    struct buf text;
    int rc;

    *patch = (struct ci_patch){ .repo = repo, .arena = arena };
    buf_init(&text, LIST_BYTES_MAX);
    rc = git_as_user(patch, NULL, args, STR(""), &text, err);
    rest = buf_str(&text);
    if (rc == 0 && str_cut(&rest, '\0', &name)) {
        rc = err_set(err, ERR_USAGE, "--fix wants the commit as it is, and '%.*s' differs from it: "
                     "commit or restore it, or leave --fix out", STR_ARG(str_head(name, 200)));
    }
    buf_release(&text);
    return rc == 0 ? list_unknown(patch, &patch->before, err) : rc;
}

/* ---- behind ---- */

/* Files that the fixer made, as a null-ended list. */
static int list_made(const struct ci_patch *patch, struct buf *out, struct err *err)
{
    const char *const *now;
    int rc = list_unknown(patch, &now, err);

    for (; rc == 0 && *now; now++) {
        const char *const *known = patch->before;

        while (*known && strcmp(*known, *now) != 0) known++;
        if (*known) continue;
        buf_text(out, *now);
        buf_byte(out, '\0');
    }
    return rc;
}

/* Makes an index like the user's in which the made files are known; intent: by name only. */
static int know_made(const struct ci_patch *patch, const char *index, bool intent, struct err *err)
{
    const char *const add[] = { "add", intent ? "-N" : "--all", "--pathspec-from-file=-",
                                "--pathspec-file-nul", NULL };
    struct buf made, said;
    int rc;

    buf_init(&made, LIST_BYTES_MAX);
    buf_init(&said, SAID_BYTES_MAX);
    rc = list_made(patch, &made, err);
    if (rc == 0 && made.size > 0) {
        rc = git_as_user(patch, index, add, buf_str(&made), &said, err);
    }
    buf_release(&made);
    buf_release(&said);
    return rc;
}

int ci_patch_write(const struct ci_patch *patch, struct buf *out, struct err *err)
{
    static const char *const diff[] = { "diff", "--binary", "--no-ext-diff", "--no-textconv",
                                        "--no-color", "--src-prefix=a/", "--dst-prefix=b/", "HEAD",
                                        NULL };
    static const char name[] = "ci-index";
    const char *index = arena_printf(patch->arena, "%s/%s", patch->repo->hone_dir, name);
    const char *const fill[] = { "read-tree", "HEAD", NULL };
    struct err none;
    struct buf said;
    int rc;

    buf_init(&said, SAID_BYTES_MAX);
    rc = git_as_user(patch, index, fill, STR(""), &said, err);
    buf_release(&said);
    if (rc == 0) rc = know_made(patch, index, true, err);
    if (rc == 0) rc = git_as_user(patch, index, diff, STR(""), out, err);
    (void)file_remove_in(patch->repo->hone_dir, name, &none);
    return rc == 0 ? 0 : err_wrap(err, "make a patch of the repair");
}

int ci_patch_commit(const struct ci_patch *patch, const char *message, struct err *err)
{
    static const char *const ident[] = { "var", "GIT_COMMITTER_IDENT", NULL };
    const char *const plain[] = { "commit", "--quiet", "--all", "--message", message, NULL };
    const char *const named[] = { "-c", "user.name=hone", "-c", "user.email=hone@localhost",
                                  "commit", "--quiet", "--all", "--message", message, NULL };
    struct buf said;
    struct err none;
    bool known;
    int rc;

    buf_init(&said, SAID_BYTES_MAX);
    known = git_as_user(patch, NULL, ident, STR(""), &said, &none) == 0;
    rc = know_made(patch, NULL, false, err);
    buf_clear(&said);
    if (rc == 0) rc = git_as_user(patch, NULL, known ? plain : named, STR(""), &said, err);
    buf_release(&said);
    return rc == 0 ? 0 : err_wrap(err, "commit the repair");
}
