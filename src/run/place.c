/* SPDX-License-Identifier: Apache-2.0 */
#include "run/place.h"

#include "io/file/scratch.h"
#include "io/tree/seal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TAIL_BYTES = 4096, PLAYED_BYTES_MAX = 64 << 10 };

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

void place_played(const char *attempt, struct arena *arena, struct played *out)
{
    struct str text, line, key;
    struct err none;

    *out = (struct played){ .pool = { 0 } };
    if (scratch_text(attempt, PLACE_SENT, PLAYED_BYTES_MAX, arena, &text, &none) != 0) return;
    while (str_cut(&text, '\n', &line)) {
        if (str_cut(&line, ' ', &key) && str_is(key, "pool")) out->pool = line;
    }
    if (scratch_text(attempt, PLACE_WORKER, PLAYED_BYTES_MAX, arena, &text, &none) != 0) return;
    if (str_cut(&text, '\n', &line)) (void)str_cut(&line, ' ', &out->worker);
}
