/* SPDX-License-Identifier: Apache-2.0
 *
 * claim.c - one live run per workspace: taking it, and what is said where somebody has it.
 *
 * 1. Hooks of one session come side by side and hold the lock for moments: they wait for each
 *    other. A run may be at work for hours: nobody waits for that, or only as long as one takes to
 *    end that was told to.
 * 2. The agents of a run that was killed hold its lock while they are ended: those are waited for.
 * 3. What another run left of its files in the workspace is moved aside, never deleted.
 *
 * Not here: the lock (io/file/lock.c), the lock files of other tools (continue.c). */
#include "drive/drive.h"

#include "base/clock.h"
#include "base/path.h"
#include "io/file/file.h"
#include "io/file/scratch.h"
#include "run/host_notes.h"
#include "run/place.h"

enum { HOOK_WAIT_MS = 3000, OWNER_WAIT_MS = 300, AGENTS_WAIT_MS = 3000 };

static int take_lock(struct drive *drive, const char *path, const char *note, uint32_t wait_ms)
{
    struct lock_owner owner = { 0 };
    int rc = lock_open(&drive->lock, path, note, wait_ms, &owner, &drive->err);

    if (rc == ERR_BUSY && !lock_owner_works(path, &owner)) {
        rc = lock_open(&drive->lock, path, note, AGENTS_WAIT_MS, &owner, &drive->err);
    }
    if (rc != ERR_BUSY) return rc;
    if (!lock_owner_works(path, &owner)) {
        return err_set(&drive->err, ERR_BUSY, "run %s was killed, and its agents are still ending: "
                       "try again in a moment", owner.note);
    }
    return err_set(&drive->err, ERR_BUSY, "run %s is at work in this workspace (process %ld): hone "
                   "status shows it, hone stop ends it", owner.note, (long)owner.pid);
}

static int lock_workspace(struct drive *drive, const char *note, uint32_t wait_ms)
{
    const char *path;
    int rc;

    drive->locks = arena_printf(&drive->run.arena, "%s/locks", drive->run.repo.hone_dir);
    drive->run.worktrees = place_worktrees(&drive->run.repo, &drive->run.arena);
    rc = file_make_folder(drive->locks, false, &drive->err);
    if (rc != 0) return err_wrap(&drive->err, "a run is kept in a folder that you can write");
    rc = place_lock_path(&drive->run.repo, drive->run.repo.workspace, &drive->run.arena, &path,
                         &drive->err);
    if (rc != 0) return rc;
    drive->trail_note = arena_printf(&drive->run.arena, "%s.trail", path_leaf_text(path));
    return take_lock(drive, path, note, wait_ms);
}

int run_lock(struct drive *drive, const char *note)
{
    return lock_workspace(drive, note, HOOK_WAIT_MS);
}

int run_claim(struct drive *drive, const char *note)
{
    struct host_search search = { .workspace = drive->run.repo.workspace };
    const char *other;
    int rc = lock_workspace(drive, note, OWNER_WAIT_MS);

    if (rc != 0) return rc;
    other = host_run_at_work(drive->run.repo.hone_dir, &search, &drive->run.arena);
    if (!other) return 0;
    return err_set(&drive->err, ERR_BUSY, "run %s is at work in this workspace, inside Claude Code "
                   "or Codex: let it end there, or end it with 'hone stop'", other);
}

/* TIME-RUN behind the name of what is moved aside. */
static int move_aside(struct drive *drive, const char *path)
{
    const char *leaf = path_leaf_text(path);
    char iso[CLOCK_ISO_BYTES], stamp[CLOCK_ISO_BYTES];
    size_t used = 0;
    int rc;

    for (const char *byte = clock_iso(now_wall_ms(), iso); *byte; byte++) {
        if (*byte != '-' && *byte != ':') stamp[used++] = *byte;
    }
    stamp[used] = '\0';
    rc = file_rename_in(drive->run.repo.workspace, path,
                        arena_printf(&drive->run.arena, "%s-%s-%s", leaf, stamp, drive->run.row.id),
                        &drive->err);
    return rc == ERR_MISSING ? 0 : rc;
}

/* Another run's files are moved aside, never deleted, whichever tool's run it was. A file beside
 * the lock says whose they are: an older run that is resumed must not mix its files with a newer
 * one's. */
int run_trail(struct drive *drive)
{
    const struct dialect *dialect = drive->run.dialect;
    struct buf owner;
    struct err none;
    int rc = 0;

    if (!dialect->trail) return 0;
    buf_init(&owner, 256);
    if (scratch_read(drive->locks, drive->trail_note, &owner, &none) != 0) buf_clear(&owner);
    if (!str_is(buf_str(&owner), drive->run.row.id)) {
        rc = move_aside(drive, dialect->trail);
        if (rc == 0 && dialect->state_file) rc = move_aside(drive, dialect->state_file);
    }
    buf_release(&owner);
    if (rc != 0) return rc;
    return scratch_replace(drive->locks, drive->trail_note, str_of(drive->run.row.id),
                           &drive->err);
}
