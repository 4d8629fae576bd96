/* SPDX-License-Identifier: Apache-2.0 */
#include "run/place.h"

#include "io/file/scratch.h"
#include "io/tree/seal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TAIL_BYTES = 4096 };

const char *place_journal(const struct repo *repo, struct arena *arena)
{
    return arena_printf(arena, "%s/journal.db", repo->hone_dir);
}

const char *place_worktrees(const struct repo *repo, struct arena *arena)
{
    return arena_printf(arena, "%s/worktrees", repo->hone_dir);
}

const char *place_run(const struct repo *repo, const char *run, struct arena *arena)
{
    return arena_printf(arena, "%s/runs/%s", repo->hone_dir, run);
}

const char *place_attempt(const struct repo *repo, const char *run, uint32_t job, uint32_t attempt,
                          struct arena *arena)
{
    return arena_printf(arena, "%s/runs/%s/%" PRIu32 "-%" PRIu32, repo->hone_dir, run, job,
                        attempt);
}

const char *place_around(struct arena *arena)
{
    const char *run = getenv("HONE_RUN"), *output = getenv("HONE_OUTPUT");
    const char *leaf = output ? strrchr(output, '/') : NULL;

    if (!run || !*run || !leaf || leaf == output || output[0] != '/') return NULL;
    return arena_printf(arena, "%.*s", (int)(leaf - output), output);
}

int place_lock_path(const struct repo *repo, const char *workspace, struct arena *arena,
                    const char **out, struct err *err)
{
    uint64_t device, inode;
    int rc = file_identity(workspace, &device, &inode, err);

    if (rc != 0) return rc;
    *out = arena_printf(arena, "%s/locks/workspace-%" PRIx64 "-%" PRIx64, repo->hone_dir, device,
                        inode);
    return 0;
}

bool progress_said(const char *attempt, struct progress *out)
{
    struct buf tail;
    bool said;

    buf_init(&tail, TAIL_BYTES);
    scratch_tail(attempt, "stderr", TAIL_BYTES, &tail);
    said = progress_last(buf_str(&tail), out);
    buf_release(&tail);
    return said;
}
