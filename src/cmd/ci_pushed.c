/* SPDX-License-Identifier: Apache-2.0
 *
 * ci_pushed.c - git's hook before a push.
 *
 *     a line of git's: LOCAL-REF LOCAL-COMMIT REMOTE-REF REMOTE-COMMIT
 *
 *     a branch that is deleted, or brings no commit that      nothing to judge
 *       the remote is not known to have
 *     a branch that the remote has                            against what it has there
 *     a new branch                                            against the remote's default branch;
 *                                                             where it has none, all is new */
#include "cmd/ci_pushed.h"

#include "cmd/say.h"
#include "io/file/file.h"
#include "io/file/stream.h"

enum { PUSHED_BYTES_MAX = 1 << 20 };

/* Whether a commit is named, and not zeros. */
static bool is_commit_name(struct str name)
{
    for (size_t i = 0; i < name.size; i++) {
        if (name.data[i] != '0') return true;
    }
    return false;
}

/* Whether there is a commit in it that the remote is not known to have. */
static bool has_news(const struct repo *repo, const char *head, const char *remote,
                     struct arena *arena)
{
    const char *const args[] = { "rev-list", "--max-count=1", head, "--not",
                                 arena_printf(arena, "--remotes=%s", remote), NULL };
    struct err none;
    const char *said = repo_ask(repo, args, arena, &none);

    return !said || *said;
}

/* What a new branch is measured against: the remote's default branch; NULL: it has none. */
static const char *remote_main(const struct repo *repo, const char *remote, struct arena *arena)
{
    static const char *const names[] = { "HEAD", "main", "master" };

    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *branch = arena_printf(arena, "refs/remotes/%s/%s", remote, names[i]);
        struct err none;

        if (repo_commit(repo, branch, arena, &none)) return branch;
    }
    return NULL;
}

/* A line of git's: LOCAL-REF LOCAL-COMMIT REMOTE-REF REMOTE-COMMIT. False: nothing to judge. */
static bool read_pushed(struct call *call, const struct repo *repo, struct str line,
                        struct ci_pushed *out)
{
    const char *remote = call_value(call, "pushed");
    struct str ref, head, there, base;
    struct err none;

    if (!str_cut(&line, ' ', &ref) || !str_cut(&line, ' ', &head)) return false;
    if (!str_cut(&line, ' ', &there) || !str_cut(&line, ' ', &base)) return false;
    if (!is_commit_name(head)) return false;
    out->head = repo_commit(repo, arena_cstr(&call->arena, head), &call->arena, &none);
    if (!out->head || !has_news(repo, out->head, remote, &call->arena)) return false;
    out->base = is_commit_name(base) ? repo_commit(repo, arena_cstr(&call->arena, base),
                                                   &call->arena, &none) : NULL;
    if (!out->base) out->base = remote_main(repo, remote, &call->arena);
    return true;
}

int ci_each_pushed(struct call *call,
                   int (*judge)(struct call *call, const struct ci_pushed *pushed))
{
    const struct call before = *call;
    struct repo repo = { 0 };
    struct buf lines;
    struct str rest, line;
    struct err err;
    int code = CODE_DONE;
    int rc;

    buf_init(&lines, PUSHED_BYTES_MAX);
    rc = file_read_fd(0, &lines, &err);
    if (rc == 0) rc = repo_open(&repo, call->cwd, REPO_FIND, &err);
    stream_unattended();
    if (rc != 0) code = say_err(&err);
    rest = buf_str(&lines);
    while (code == CODE_DONE && str_cut(&rest, '\n', &line)) {
        struct ci_pushed pushed;

        if (!read_pushed(call, &repo, line, &pushed)) continue;
        code = judge(call, &pushed);
        call->given = before.given;
        call->given_count = before.given_count;
        call->arguments = before.arguments;
        call->argument_count = before.argument_count;
        call->plain_count = before.plain_count;
        call->cwd = before.cwd;
    }
    repo_release(&repo);
    buf_release(&lines);
    if (code != CODE_DONE) {
        say_fail(CODE_DONE, "the push is held back; 'HONE_SKIP=1 git push', or 'git push "
                 "--no-verify', pushes all the same");
    }
    return code;
}
