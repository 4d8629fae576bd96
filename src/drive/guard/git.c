/* SPDX-License-Identifier: Apache-2.0
 *
 * git.c - what an agent that writes may change of what git knows, and the second look at it.
 *
 *   where                      who commits (GIT_BRANCH)             who does not (GIT_CLOSED)
 *   a task's work tree         HEAD is on no other branch           the same
 *   the checkout, sandboxed    branches beside its own stay         nothing: the system holds it
 *   the checkout, no sandbox   HEAD, branches, tags, stash, work    the same, its own branch too,
 *                              trees stay, its own branch moves     and what is staged
 *                              only forward
 *
 * What moved all the same is put back and named, and the answer does not count. Files of the work
 * tree stay as they are, so that what was committed is there as a change; commits keep a name below
 * refs/hone/RUN/.
 *
 * A work tree that the agent added and a stash that it made are not put back: they may hold the
 * only copy of its work. They are a divergence of the workspace. While one stands, no answer of an
 * agent that writes in the checkout counts, and no reviewer's approval can follow: the agent is
 * asked once more and told what to undo, then the run fails and says what lies where.
 *
 * 1. In a task's work tree only HEAD is looked at: the checkout is the user's, who may be at work
 *    there while the lanes are. The sandbox keeps a lane from every branch but its own.
 * 2. Nor is a branch that another work tree is on: the sandbox closes it, and without one somebody
 *    else may be at work there.
 * 3. Where several write in the checkout at once, what was there before the first of them is what
 *    is compared with.
 * 4. After a crash nothing is put back, only told: the user may have been at work since. A
 *    divergence counts all the same: hone cannot tell whose it is, and nothing is lost by asking.
 * 5. What stands is noted in runs/RUN/refs before the attempt counts as ended, and carried from one
 *    attempt to the next, through crashes and resumes, until it is gone.
 * 6. Not seen: a clone outside of the workspace (it leaves no trace in the repository that it was
 *    made from; one inside is an added path), work in a work tree that was there before (its user
 *    may be at work there), and what a task's lane or an agent that only reads adds while there is
 *    no sandbox.
 * 7. Nothing here grows with the refs but what is done once: while nothing moves, it is one
 *    lstat(2) for each folder of refs.
 *
 * Not here: what runs programs, and merges in progress (guard.c). */
#include "drive/guard/parts.h"

#include "base/path.h"
#include "io/git/refs.h"
#include "io/git/index.h"
#include "run/place.h"
#include "settings/places.h"

#include <inttypes.h>
#include <string.h>

enum { WHAT_BYTES_MAX = 16 << 10 };

static const char refs_name[] = "refs", index_name[] = "index";

enum git_right guard_git_right(const struct drive *drive, const struct action *action)
{
    if (guard_allows(drive->run.settings.change, ".git/HEAD")) return GIT_OPEN;
    return drive->run.plan.roles[action->role].commits ? GIT_BRANCH : GIT_CLOSED;
}

static const char *branch_of(struct str head, struct arena *arena)
{
    const struct str ref = STR("ref: ");

    if (!str_starts(head, STR("ref: refs/heads/"))) return NULL;
    return arena_cstr(arena, str_trim(str_skip(head, ref.size)));
}

const char *guard_branch(struct drive *drive, uint32_t lane, struct arena *arena)
{
    const struct site *site = site_of(drive, lane);
    struct refs refs = { 0 };
    const char *branch;

    if (lane != 0) return arena_printf(arena, "refs/heads/%s", site_branch(drive, site, arena));
    refs_take_head(&site->repo, &refs);
    branch = branch_of(refs.head, arena);
    refs_release(&refs);
    return branch;
}

/* ---- how much is looked at ---- */

enum look { LOOK_NOT, LOOK_HEAD, LOOK_BESIDE, LOOK_ALL, LOOK_COUNT };

static enum look look_of(const struct drive *drive, const struct action *action)
{
    enum git_right right = guard_git_right(drive, action);

    if (right == GIT_OPEN || !drive->repo.is_git) return LOOK_NOT;
    if (action->lane != 0) return LOOK_HEAD;
    if (!drive->sandboxed) return LOOK_ALL;
    return right == GIT_BRANCH ? LOOK_BESIDE : LOOK_NOT;
}

static bool keeps_staged(const struct drive *drive, const struct action *action)
{
    return look_of(drive, action) == LOOK_ALL && guard_git_right(drive, action) == GIT_CLOSED;
}

/* Whether somebody else writes in the checkout at this moment. */
static bool others_write(const struct drive *drive, const struct live *live)
{
    const struct live *other;

    for (uint32_t at = 0; (other = live_next(drive, &at));) {
        if (other->action.lane != 0 || other->due_ms != 0 || other->waits) continue;
        if (live_id(&other->action) == live_id(&live->action)) continue;
        if (is_guarded_writer(drive, &other->action)) return true;
    }
    return false;
}

/* ---- before ---- */

/* As git knows them now, with what stands of what agents made: by what the last attempt left, or,
 * after a resume, by its file. */
static int retake(struct drive *drive, const char *folder)
{
    struct refs old = drive->refs;
    struct err none;
    int rc;

    drive->refs = (struct refs){ 0 };
    if (!old.items && refs_load(&old, folder, refs_name, &none) != 0) old = (struct refs){ 0 };
    rc = refs_take(&drive->repo, &drive->refs, &drive->err);
    if (rc == 0) {
        refs_carry(&drive->refs, &old);
        rc = refs_save(&drive->refs, folder, refs_name, &drive->err);
    }
    refs_release(&old);
    return rc;
}

int guard_git_begin(struct drive *drive, const struct live *live)
{
    enum look look = look_of(drive, &live->action);
    struct arena arena = { 0 };
    const char *folder = place_run(&drive->repo, drive->run.row.id, &arena);
    int rc = 0;

    if (look >= LOOK_BESIDE && !others_write(drive, live)) {
        if (!refs_hold(&drive->refs)) rc = retake(drive, folder);
        if (rc == 0 && keeps_staged(drive, &live->action)) {
            rc = staged_keep(&drive->repo, folder, index_name, &drive->err);
        }
    }
    arena_release(&arena);
    return rc;
}

/* ---- after ---- */

/* A look at work. */
struct looking {
    struct drive *drive;
    const struct live *live;
    const char *folder; /* of the run */
    const char *kept;   /* where commits keep a name; NULL: after a crash */
    bool diverged;      /* something that an agent made stands */
    struct arena arena;
    struct buf what;
};

/* Whatever a lane's HEAD is on gets the commit of what is left over there. */
static int look_head(struct looking *looking)
{
    struct drive *drive = looking->drive;
    struct site *site = site_of(drive, looking->live->action.lane);
    struct refs head = { 0 };
    const char *own, *is;
    int rc = 0;

    if (!site_is_there(site)) return 0;
    refs_take_head(&site->repo, &head);
    own = guard_branch(drive, site->lane, &looking->arena);
    is = branch_of(head.head, &looking->arena);
    if (is && strcmp(own, is) != 0) {
        buf_printf(&looking->what, "moved HEAD to branch %s", is + strlen("refs/heads/"));
        rc = file_write(site->repo.git_dir, "HEAD",
                        str_of(arena_printf(&looking->arena, "ref: %s\n", own)), &drive->err);
    }
    refs_release(&head);
    return rc;
}

static int look_refs(struct looking *looking, enum look look, bool begun)
{
    struct drive *drive = looking->drive;
    struct refs_order order = { .repo = &drive->repo, .before = &drive->refs };
    struct err none;
    int rc;

    if (refs_hold(&drive->refs) && !refs_diverged(&drive->refs)) return 0;
    if (!drive->refs.items &&
        refs_load(&drive->refs, looking->folder, refs_name, &none) != 0) return 0;
    if (!begun && !refs_diverged(&drive->refs)) return 0;
    if (drive->refs.loaded) looking->kept = NULL;
    order.kept = looking->kept;
    if (guard_git_right(drive, &looking->live->action) == GIT_BRANCH) {
        order.own = branch_of(drive->refs.head, &looking->arena);
    }
    if (look == LOOK_BESIDE) {
        if (!order.own) return 0; /* no folder of refs was open */
        order.below = path_folder_text(order.own, &looking->arena);
    }
    rc = refs_restore(&order, &looking->what, &drive->err);
    looking->diverged = look == LOOK_ALL && refs_diverged(&drive->refs);
    if (rc == 0 && looking->diverged) {
        rc = refs_save(&drive->refs, looking->folder, refs_name, &drive->err);
    }
    return rc;
}

static int look_staged(struct looking *looking)
{
    struct drive *drive = looking->drive;
    const char *away = arena_printf(&looking->arena, "%s/kept", looking->live->dir);
    bool changed = false;
    int rc = staged_restore(&drive->repo, looking->folder, index_name, away, &changed,
                            &drive->err);

    if (rc == 0 && !others_write(drive, looking->live)) {
        rc = file_remove_in(looking->folder, index_name, &drive->err);
    }
    if (changed) buf_printf(&looking->what, "%schanged what is staged",
                            looking->what.size ? ", " : "");
    return rc;
}

static const char *complain_diverged(struct looking *looking, const char *rule)
{
    struct drive *drive = looking->drive;
    const char *what = buf_cstr(&looking->what), *rest = "";

    if (looking->kept) {
        rest = arena_printf(&looking->arena, " Everything else was put back; commits that are on "
                            "no branch now are below %s.", looking->kept);
    }
    report_warning(&drive->report, "workspace divergence: %s left something outside of the "
                   "workspace (%s). The run cannot pass while it stands: take out of it what you "
                   "need, remove it (git worktree remove FOLDER; git stash drop), then 'hone "
                   "resume'. If it is yours, keep it and begin a new run.%s",
                   drive->run.plan.roles[looking->live->action.role].name, what, rest);
    return arena_printf(&drive->arena, "Workspace divergence (%s): this workspace is the only "
                        "place to work in, so your answer was not taken. If you made the work tree "
                        "or the stash that is left as it is, bring what is needed from it into the "
                        "files here, then remove it (git worktree remove FOLDER; git stash drop). "
                        "Leave alone what you did not make, and say so. %s", what, rule);
}

static const char *complain(struct looking *looking, bool may_commit)
{
    struct drive *drive = looking->drive;
    const char *what = buf_cstr(&looking->what);
    const char *rule = may_commit ? "Move no branch but your own, and that one only forward."
                       : "Do not add, commit, stash or switch, and make no branch or tag.";

    if (looking->diverged) return complain_diverged(looking, rule);
    if (!looking->kept) {
        report_warning(&drive->report, "what git knows has changed since hone was ended (%s): it "
                       "is left as it is", what);
        return NULL;
    }
    report_warning(&drive->report, "%s changed what git knows (%s): put back; files are as it left "
                   "them, commits that are on no branch now are below %s; to allow it, name .git "
                   "in rights.change (hone config)",
                   drive->run.plan.roles[looking->live->action.role].name, what, looking->kept);
    return arena_printf(&drive->arena, "You changed what git knows, which you may not (%s). It was "
                        "put back, the files are as you left them, and your answer was not taken. "
                        "%s Look at the files with git diff, and finish the work.", what, rule);
}

const char *guard_git_end(struct drive *drive, const struct live *live, bool begun)
{
    enum look look = look_of(drive, &live->action);
    struct looking looking = { .drive = drive, .live = live };
    const char *problem = NULL;
    int rc = 0;

    if (look == LOOK_NOT) return NULL;
    looking.folder = place_run(&drive->repo, drive->run.row.id, &looking.arena);
    looking.kept = arena_printf(&looking.arena, "refs/hone/%s/kept-%" PRIu32 "-%" PRIu32,
                                drive->run.row.id, live->action.job, live->action.attempt);
    buf_init(&looking.what, WHAT_BYTES_MAX);
    if (look == LOOK_HEAD) rc = look_head(&looking);
    else rc = look_refs(&looking, look, begun);
    if (rc == 0 && looking.kept && begun && keeps_staged(drive, &live->action)) {
        rc = look_staged(&looking);
    }
    if (rc != 0) drive_break(drive);
    else if (looking.what.size > 0) {
        problem = complain(&looking, guard_git_right(drive, &live->action) == GIT_BRANCH);
    }
    buf_release(&looking.what);
    arena_release(&looking.arena);
    return problem;
}
