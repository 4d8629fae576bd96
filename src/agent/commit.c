/* SPDX-License-Identifier: Apache-2.0
 *
 * commit.c - a commit as the user would make it: by the git on the PATH, with the user's settings,
 * hooks and signing.
 *
 * 1. Paths are taken literally, whatever characters they have, and reach git by a file.
 * 2. What else is staged stays staged and is not committed (--only). */
#include "agent/commit.h"

#include "io/crew.h"
#include "io/scratch.h"

#include "base/arena.h"

#include <stdio.h>

enum { LIST_BYTES_MAX = 64 << 20, SAID_BYTES_MAX = 1 << 20 };

static const char *const git_env[] = { "GIT_LITERAL_PATHSPECS=1", "GIT_TERMINAL_PROMPT=0", NULL };

/* git with these arguments; what it says goes to our own stderr. Its exit status. */
static int git(const char *const *argv, struct str *out, struct arena *arena)
{
    struct crew_job job = { .argv = argv, .env = git_env, .out_bytes_max = SAID_BYTES_MAX,
                            .err_bytes_max = SAID_BYTES_MAX };
    struct err err = { 0 };
    int status;

    if (crew_run(&job, 1, 1, NULL, NULL, &err) != 0 || !job.started) {
        fprintf(stderr, "git could not be started: %s\n", err.text);
        return 1;
    }
    fwrite(job.err.data, 1, job.err.size, stderr);
    if (out) *out = arena_copy(arena, buf_str(&job.out));
    else fwrite(job.out.data, 1, job.out.size, stderr); /* a hook's words, mostly */
    status = job.signal ? 1 : job.status;
    crew_release(&job, 1);
    return status;
}

/* Stages and commits; a commit that git refused leaves nothing staged that was not before. */
static int make_commit(const char *folder, struct str message, struct str *id,
                       struct arena *arena)
{
    const char *from = arena_printf(arena, "--pathspec-from-file=%s/paths", folder);
    const char *text = arena_printf(arena, "--message=%.*s", STR_ARG(message));
    const char *add[] = { "git", "add", "--all", from, "--pathspec-file-nul", NULL };
    const char *commit[] = { "git", "commit", "--quiet", "--only", text, from,
                             "--pathspec-file-nul", NULL };
    const char *reset[] = { "git", "reset", "--quiet", from, "--pathspec-file-nul", NULL };
    const char *head[] = { "git", "rev-parse", "HEAD", NULL };
    int status = git(add, NULL, arena);

    if (status == 0) status = git(commit, NULL, arena);
    if (status == 0) return git(head, id, arena);
    git(reset, NULL, arena);
    return status;
}

int commit_main(const char *folder)
{
    struct arena arena = { 0 };
    struct err err = { 0 };
    struct str rest, message = { "", 0 }, path, id = { "", 0 };
    struct buf list;
    int status = 1;
    int rc;

    buf_init(&list, LIST_BYTES_MAX);
    rc = scratch_read(folder, "commit", &list, &err);
    rest = buf_str(&list);
    (void)str_cut(&rest, '\0', &message);
    if (rc == 0) rc = scratch_write(folder, "paths", rest, &err);
    if (rc == 0) {
        status = make_commit(folder, message, &id, &arena);
    } else {
        fprintf(stderr, "%s\n", err.text);
    }
    if (status == 0) {
        printf("commit %.*s\n", STR_ARG(str_trim(id)));
        while (str_cut(&rest, '\0', &path)) printf("%.*s\n", STR_ARG(path));
        status = fflush(stdout) == 0 ? 0 : 1;
    }
    buf_release(&list);
    arena_release(&arena);
    return status;
}
