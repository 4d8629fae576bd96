/* SPDX-License-Identifier: Apache-2.0
 *
 * commit.c - a commit as the user would make it: by the git on the PATH, with the user's settings,
 * hooks and signing.
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
#include "io/process/crew.h"

#include <stdio.h>

enum { LIST_BYTES_MAX = 64 << 20, SAID_BYTES_MAX = 1 << 20 };

/* Runs a program with these arguments; what it says goes to standard error. Its exit status. */
static int run_program(const char *cwd, const char *const *argv, const char *const *env,
                       struct str *out, struct arena *arena)
{
    struct crew_job job = { .argv = argv, .env = env, .cwd = cwd,
                            .out_bytes_max = SAID_BYTES_MAX, .err_bytes_max = SAID_BYTES_MAX };
    struct err err = { 0 };
    int status;

    if (crew_run(&job, 1, 1, NULL, NULL, &err) != 0 || !job.started) {
        fprintf(stderr, "%s could not be started: %s\n", argv[0], err.text);
        return 1;
    }
    fwrite(job.err.data, 1, job.err.size, stderr);
    if (out) *out = arena_copy(arena, buf_str(&job.out));
    else fwrite(job.out.data, 1, job.out.size, stderr); /* a hook's words, mostly */
    status = job.signal ? 1 : job.status;
    crew_release(&job, 1);
    return status;
}

/* $1: the folder. The new index begins as the copy of git's own that was kept before any agent
 * wrote ("tracked"), so that git need not read every file; but not where that copy tells git to
 * leave out some files. Size and time of a file prove nothing without its time of change. */
static const char stage_script[] =
    "set -e\n"
    "git() { command git -c core.trustctime=true -c core.checkStat=default \"$@\"; }\n"
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

/* Stages and commits. *id is empty where there was nothing to commit. */
static int make_commit(const char *folder, const char *cwd, struct str message, struct str *id,
                       struct arena *arena)
{
    const char *index = arena_printf(arena, "GIT_INDEX_FILE=%s/index", folder);
    const char *from = arena_printf(arena, "--pathspec-from-file=%s/paths", folder);
    const char *text = arena_printf(arena, "--message=%.*s", STR_ARG(message));
    const char *const quiet_env[] = { "GIT_TERMINAL_PROMPT=0", NULL };
    const char *const literal_env[] = { "GIT_LITERAL_PATHSPECS=1", NULL };
    const char *const index_env[] = { index, "GIT_TERMINAL_PROMPT=0", NULL };
    const char *stage[] = { "sh", "-c", stage_script, "sh", folder, NULL };
    const char *commit[] = { "git", "commit", "--quiet", text, NULL };
    const char *reset[] = { "git", "reset", "--quiet", from, "--pathspec-file-nul", NULL };
    const char *head[] = { "git", "rev-parse", "HEAD", NULL };
    struct str said = { "", 0 };
    int status = run_program(cwd, stage, quiet_env, &said, arena);
    bool nothing = str_is(str_trim(said), "nothing");

    if (status == 0 && !nothing) status = run_program(cwd, commit, index_env, NULL, arena);
    if (status != 0) return status;
    /* Another process may hold the index's lock: the next commit mends the index. */
    (void)run_program(cwd, reset, literal_env, NULL, arena);
    return nothing ? 0 : run_program(cwd, head, quiet_env, id, arena);
}

int commit_listed(const char *folder, const char *cwd, struct commit *out, struct arena *arena)
{
    struct err err = { 0 };
    struct str rest, message = { "", 0 };
    int status = 1;
    int rc = scratch_text(folder, "commit", LIST_BYTES_MAX, arena, &rest, &err);

    *out = (struct commit){ 0 };
    (void)str_cut(&rest, '\0', &message);
    out->paths = rest;
    if (rc == 0) rc = scratch_write(folder, "paths", rest, &err);
    if (rc == 0 && rest.size == 0) status = 0; /* for git no path means every path */
    else if (rc == 0) status = make_commit(folder, cwd, message, &out->id, arena);
    else fprintf(stderr, "%s\n", err.text);
    out->id = str_trim(out->id);
    return status;
}

int commit_main(const char *folder)
{
    struct arena arena = { 0 };
    struct commit commit;
    struct str path;
    int status = commit_listed(folder, NULL, &commit, &arena);

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
