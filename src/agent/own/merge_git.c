/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/own/merge_parts.h"

#include "io/process/crew.h"

#include <stdio.h>
#include <string.h>

const char *merge_ask(struct merge *merge, const struct repo *repo, const char *const *args,
                           struct err *err)
{
    const char *line = NULL;
    struct buf out;

    buf_init(&out, MERGE_SAID_BYTES_MAX);
    if (repo_git(repo, args, STR(""), &out, err) == 0) {
        line = arena_cstr(&merge->arena, str_trim(buf_str(&out)));
    }
    buf_release(&out);
    return line;
}

const char *merge_commit_of(struct merge *merge, const struct repo *repo, const char *revision)
{
    const char *const args[] = { "rev-parse", "--verify", "--quiet", "--end-of-options",
                                 arena_printf(&merge->arena, "%s^{commit}", revision), NULL };
    struct err none;

    return merge_ask(merge, repo, args, &none);
}

bool merge_has(struct merge *merge, const char *old, const char *new)
{
    const char *const args[] = { "merge-base", "--is-ancestor", old, new, NULL };
    struct err none;

    return strcmp(old, new) == 0 || merge_ask(merge, &merge->tree, args, &none);
}

int merge_run(struct merge *merge, const struct repo *repo, const char *const *args,
               struct err *err)
{
    return merge_ask(merge, repo, args, err) ? 0 : (int)err->code;
}

/* The user's git, but for programs that only the repository names. */
static const char *const *merge_env(struct merge *merge)
{
    const char *const *quiet = merge->tree.quiet;
    uint32_t count = 0, at = 0;
    const char **env;

    while (quiet && quiet[count]) count++;
    env = arena_alloc(&merge->arena, (count + 3) * sizeof *env);
    env[at++] = "GIT_TERMINAL_PROMPT=0";
    env[at++] = "LC_ALL=C";
    for (uint32_t i = 0; i < count; i++) env[at++] = quiet[i];
    return env;
}

int merge_user_git(struct merge *merge, const char *const *argv, struct str *out)
{
    const char *const *env = merge_env(merge);
    struct crew_job job = { .argv = argv, .env = env, .cwd = merge->tree.workspace,
                            .out_bytes_max = MERGE_SAID_BYTES_MAX, .err_bytes_max = 1 << 20 };
    struct err err = { 0 };
    int status;

    if (crew_run(&job, 1, 1, NULL, NULL, &err) != 0 || !job.started) {
        fprintf(stderr, "git could not be started: %s\n", err.text);
        return -1;
    }
    fwrite(job.err.data, 1, job.err.size, stderr);
    *out = arena_copy(&merge->arena, buf_str(&job.out));
    status = job.signal || job.cut ? -1 : job.status;
    crew_release(&job, 1);
    return status;
}

const char *merge_commit_tree(struct merge *merge, const char *tree, const char *first,
                               const char *second, const char *message)
{
    const char *const ask[] = { "config", "--type=bool", "--get", "commit.gpgsign", NULL };
    struct err none;
    const char *sign = merge_ask(merge, &merge->tree, ask, &none);
    const char *argv[] = { "git", "commit-tree", "-p", first, "-p", second, "-m", message, tree,
                           NULL, NULL };
    struct str out;

    if (sign && strcmp(sign, "true") == 0) {
        argv[8] = "-S";
        argv[9] = tree;
    }
    return merge_user_git(merge, argv, &out) == 0 ? arena_cstr(&merge->arena, str_trim(out)) : NULL;
}
