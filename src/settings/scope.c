/* SPDX-License-Identifier: Apache-2.0 */
#include "settings/scope.h"

#include "agent/agent.h"
#include "io/file/folder.h"

enum { COMMIT_BYTES_MAX = 256, STATUS_BYTES_MAX = 64 << 20, ARGS_MAX = 16 };

bool scope_must_be_told(const struct run_settings *settings, struct arena *arena)
{
    for (uint32_t i = 0; i < settings->agent_count; i++) {
        struct agent agent;
        struct err none;

        if (agent_parse(settings->agents[i].spec, arena, &agent, &none) != 0) continue;
        if (agent.backend->answers_findings) return true;
    }
    return false;
}

/* The commit that a revision names; "" where there is none. */
static const char *commit_of(const struct repo *repo, const char *revision, struct arena *arena)
{
    const char *const args[] = { "rev-parse", "--verify", "--quiet", "--end-of-options",
                                 arena_printf(arena, "%s^{commit}", revision), NULL };
    const char *commit = "";
    struct buf out;
    struct err none;

    buf_init(&out, COMMIT_BYTES_MAX);
    if (repo_git(repo, args, STR(""), &out, &none) == 0) {
        commit = arena_cstr(arena, str_trim(buf_str(&out)));
    }
    buf_release(&out);
    return commit;
}

/* Whether anything but the dialect's own files differs from HEAD. */
static int has_changed(const struct repo *repo, const struct dialect *dialect, bool *changed,
                       struct arena *arena, struct err *err)
{
    const char *args[ARGS_MAX] = { "status", "--porcelain", "-z", "--", "." };
    uint32_t count = 5;
    struct buf out;
    int rc;

    for (uint32_t i = 0; dialect->private_paths && dialect->private_paths[i]; i++) {
        if (count + 1 == ARGS_MAX) break;
        args[count++] = arena_printf(arena, ":(exclude,top)%s", dialect->private_paths[i]);
    }
    buf_init(&out, STATUS_BYTES_MAX);
    rc = repo_git(repo, args, STR(""), &out, err);
    *changed = rc == ERR_LIMIT || out.size > 0;
    buf_release(&out);
    return rc == ERR_LIMIT ? 0 : rc;
}

int scope_pin(const struct repo *repo, const struct dialect *dialect,
              struct run_settings *settings, struct arena *arena, struct err *err)
{
    const char *head;
    bool changed;
    int rc;

    if (settings->since && *settings->since) {
        const char *commit = commit_of(repo, settings->since, arena);
        if (!*commit) {
            return err_set(err, ERR_USAGE, "--since: this repository has no commit '%.100s'; git "
                           "log --oneline shows those it has", settings->since);
        }
        settings->since = commit;
        return 0;
    }
    settings->since = "";
    if (settings->scope_given || !repo->is_git || !scope_must_be_told(settings, arena)) return 0;
    head = commit_of(repo, "HEAD", arena);
    if (!*head) return 0;
    rc = has_changed(repo, dialect, &changed, arena, err);
    if (rc == 0 && changed) settings->since = head;
    return rc;
}

bool scope_is_void(const struct repo *repo, struct arena *arena)
{
    if (!folder_has_only(repo->workspace, dialect_folders("", arena))) return false;
    return !repo->is_git || !*commit_of(repo, "HEAD", arena);
}
