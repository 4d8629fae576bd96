/* SPDX-License-Identifier: Apache-2.0 */
#include "settings/scope.h"

#include "agent/agent.h"
#include "format/report/baseline.h"
#include "format/report/waivers.h"
#include "io/file/folder.h"
#include "io/file/stream.h"

enum { STATUS_BYTES_MAX = 64 << 20, ARGS_MAX = 18 };

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

/* The dialect's paths are prefixes, and git's star takes slashes, too. */
int scope_has_changed(const struct repo *repo, const struct dialect *dialect, bool *changed,
                      struct arena *arena, struct err *err)
{
    const char *const *private_paths = dialect ? dialect->private_paths : NULL;
    const char *args[ARGS_MAX] = { "status", "--porcelain", "-z", "--", "." };
    uint32_t count = 5;
    struct buf out;
    int rc;

    for (uint32_t i = 0; private_paths && private_paths[i]; i++) {
        if (count + 3 == ARGS_MAX) break;
        args[count++] = arena_printf(arena, ":(exclude,top)%s*", private_paths[i]);
    }
    args[count++] = ":(exclude,top,literal)" WAIVERS_PATH;
    args[count++] = ":(exclude,top,literal)" BASELINE_PATH;
    for (const char *const *file = stream_files(repo->workspace, arena); *file; file++) {
        if (count + 1 < ARGS_MAX) args[count++] = arena_printf(arena, ":(exclude,top,literal)%s",
                                                               *file);
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
    struct err none;
    bool changed;
    int rc;

    if (settings->since && *settings->since) {
        const char *commit = repo_commit(repo, settings->since, arena, &none);
        if (!commit) {
            return err_set(err, ERR_USAGE, "--since: this repository has no commit '%.100s'; git "
                           "log --oneline shows those it has", settings->since);
        }
        settings->since = commit;
        return 0;
    }
    settings->since = "";
    if (settings->scope_given || !repo->is_git || !scope_must_be_told(settings, arena)) return 0;
    head = repo_commit(repo, "HEAD", arena, &none);
    if (!head) return 0;
    rc = scope_has_changed(repo, dialect, &changed, arena, err);
    if (rc == 0 && changed) settings->since = head;
    return rc;
}

bool scope_is_void(const struct repo *repo, struct arena *arena)
{
    struct err none;

    if (!folder_has_only(repo->workspace, dialect_folders("", arena))) return false;
    return !repo->is_git || !repo_commit(repo, "HEAD", arena, &none);
}
