/* SPDX-License-Identifier: Apache-2.0
 *
 * undo.c - a tree keeps no edit that its fixer had not checked.
 *
 *   undo_begin --> note beside the lock --> the process ends --> undo_end --> note without it
 *                           |
 *                           '-- hone was killed, or stopped at once --> undo_left
 *
 * The note lies beside the workspace's lock and not with the run: the next run or resume in this
 * workspace takes the edits back before it looks at the tree, also where its next agent is a
 * reviewer. Each attempt is three texts with a NUL behind each: its backend, its folder, its
 * workspace. Behind "bring", which is no backend, are two folders: a change was on its way to the
 * tree, and comes as a whole (bring.c).
 *
 * 1. The note is there before the process is.
 * 2. An attempt that ended with status 0 has checked what it left: nothing of it is undone.
 * 3. Protected places are never written here: what is kept in an attempt's folder may have been
 *    changed by what the attempt ran. */
#include "drive/undo.h"

#include "drive/attempt.h"
#include "drive/bring.h"
#include "io/file/file.h"
#include "io/file/scratch.h"
#include "run/cast.h"
#include "run/site.h"
#include "settings/places.h"

#include <inttypes.h>
#include <string.h>

static const char bring_word[] = "bring"; /* no backend is called so */

enum { NOTE_BYTES_MAX = 1 << 20, LEFT_BYTES_MAX = 1024 };

/* ---- the note ---- */

static void note_add(struct buf *out, const char *text)
{
    buf_add(out, (struct str){ text, strlen(text) + 1 });
}

int undo_note(struct drive *drive)
{
    struct live *live;
    struct buf note;
    int rc;

    buf_init(&note, NOTE_BYTES_MAX);
    for (uint32_t at = 0; (live = live_next(drive, &at));) {
        if (live->brings) {
            note_add(&note, bring_word);
            note_add(&note, live->brings);
            note_add(&note, live->brings_left);
        } else if (live->undoable) {
            note_add(&note, agent_of(&drive->run, &live->action)->backend->name);
            note_add(&note, live->dir);
            note_add(&note, site_of(&drive->run, live->action.lane)->repo.workspace);
        }
    }
    if (note.size > 0) {
        rc = scratch_replace(drive->locks, drive->undo_note, buf_str(&note), &drive->err);
    } else {
        rc = file_remove_in(drive->locks, drive->undo_note, &drive->err);
    }
    buf_release(&note);
    return rc;
}

/* ---- taking back ---- */

/* The files of hone's own, and those that no agent may change. */
static const char *const *barred_paths(struct arena *arena)
{
    const char *const *own = dialect_folders("/", arena);
    uint32_t count = 0, more = 0;
    const char **all;

    while (own[count]) count++;
    while (guard_workspace(more)) more++;
    all = arena_alloc(arena, ((size_t)count + more + 1) * sizeof *all);
    for (uint32_t i = 0; i < count; i++) all[i] = own[i];
    for (uint32_t i = 0; i < more; i++) all[count + i] = guard_workspace(i);
    return all;
}

static int undo_one(struct drive *drive, const struct backend *backend, const char *dir,
                    const char *workspace)
{
    struct arena arena = { 0 };
    struct undone undone = { 0 };
    int rc;

    buf_init(&undone.left, LEFT_BYTES_MAX);
    rc = backend->undo(dir, workspace, barred_paths(&arena), &undone, &drive->err);
    if (undone.restored > 0) {
        drive_warn(drive, "%s did not end, so its fixes were not checked: %" PRIu32 " file%s as "
                   "before", backend->name, undone.restored,
                   undone.restored == 1 ? " is" : "s are");
    }
    if (undone.left_count > 0) {
        drive_warn(drive, "%s did not end, and another process has changed what it fixed: look at "
                   "%s", backend->name, buf_cstr(&undone.left));
    }
    buf_release(&undone.left);
    arena_release(&arena);
    return rc;
}

int undo_begin(struct drive *drive, struct live *live)
{
    if (is_builtin(&drive->run, &live->action) || is_isolated(&drive->run, &live->action)) return 0;
    if (!agent_of(&drive->run, &live->action)->backend->undo) return 0;
    live->undoable = true;
    return undo_note(drive);
}

int undo_end(struct drive *drive, struct live *live, const struct notice *notice)
{
    int rc = 0;

    if (!live->undoable) return 0;
    if (notice->by != ENDED_EXIT || notice->value != 0) {
        rc = undo_one(drive, agent_of(&drive->run, &live->action)->backend, live->dir,
                      site_of(&drive->run, live->action.lane)->repo.workspace);
    }
    if (rc != 0) return rc;
    live->undoable = false;
    return undo_note(drive);
}

int undo_lost(struct drive *drive, struct live *live)
{
    if (is_builtin(&drive->run, &live->action) || is_isolated(&drive->run, &live->action)) return 0;
    live->undoable = agent_of(&drive->run, &live->action)->backend->undo != NULL;
    return undo_end(drive, live, &(struct notice){ .by = ENDED_STOP });
}

static const struct backend *backend_named(struct str name)
{
    for (uint32_t i = 0; backends[i]; i++) {
        if (str_is(name, backends[i]->name)) return backends[i];
    }
    return NULL;
}

int undo_left(struct drive *drive)
{
    struct arena arena = { 0 };
    struct str note, name, dir, workspace;
    struct err none;
    int rc = 0;

    if (!drive->undo_note) return 0;
    if (scratch_text(drive->locks, drive->undo_note, NOTE_BYTES_MAX, &arena, &note, &none) != 0) {
        goto out;
    }
    while (rc == 0 && str_cut(&note, '\0', &name) && str_cut(&note, '\0', &dir) &&
           str_cut(&note, '\0', &workspace)) {
        const struct backend *backend = backend_named(name);
        const char *status = arena_printf(&arena, "%.*s/status", STR_ARG(dir));
        struct notice notice;

        if (!str_is(name, bring_word) && notice_read(status, &notice, &none) == 0 &&
            notice.by == ENDED_EXIT && notice.value == 0) {
            continue;
        }
        if (str_is(name, bring_word)) {
            rc = bring_finish(drive, arena_cstr(&arena, dir), arena_cstr(&arena, workspace));
        } else if (backend && backend->undo) {
            rc = undo_one(drive, backend, arena_cstr(&arena, dir), arena_cstr(&arena, workspace));
        }
    }
    if (rc == 0) rc = file_remove_in(drive->locks, drive->undo_note, &drive->err);

out:
    arena_release(&arena);
    return rc;
}
