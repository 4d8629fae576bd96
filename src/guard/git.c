/* SPDX-License-Identifier: Apache-2.0
 *
 * git.c - what an agent that writes may change of what git knows, and the second look at it.
 *
 *   where                      a role that commits (GIT_BRANCH)     one that does not (GIT_CLOSED)
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
 *    In a disposable work tree not even HEAD is: the work tree goes, and only files come back.
 * 2. A branch that another work tree is on is not looked at either: the sandbox closes it, and
 *    without a sandbox the user may be at work in that work tree.
 * 3. Where several write in the checkout at once, what was there before the first of them is what
 *    is compared with.
 * 4. After a crash nothing is put back, only told: the user may have been at work since. A
 *    divergence counts all the same: hone cannot tell whose it is, and nothing is lost by asking.
 * 5. What stands is noted in runs/RUN/refs before the attempt counts as ended, and carried from one
 *    attempt to the next, through crashes and resumes, until it is gone.
 * 6. Not seen: a clone outside of the workspace (it leaves no trace in the repository that it was
 *    made from; one inside is an added path), work in a work tree that was there before (its user
 *    may be at work there), and what a task's lane or an isolated fixer adds while there is no
 *    sandbox: its user may be at work in the checkout.
 * 7. An agent that only reads is looked at where its role is confined. Other readers are not: work
 *    that a reviewer hides is no work that a run could deliver; and the user may add a work tree
 *    while a review goes on, which would be blamed on the reviewer.
 * 8. All refs are read once. After that, while nothing moves, a look is one lstat(2) for each
 *    folder of refs.
 *
 * Not here: what runs programs, and merges in progress (guard.c). */
#include "guard/parts.h"

#include "base/path.h"
#include "io/git/refs.h"
#include "io/git/index.h"
#include "prompts/guard.h"
#include "run/cast.h"
#include "run/site.h"
#include "settings/places.h"

#include <inttypes.h>
#include <string.h>

enum { WHAT_BYTES_MAX = 16 << 10 };

static const char refs_name[] = "refs", index_name[] = "index";

enum git_right guard_git_right(const struct run *run, const struct action *action)
{
    if (guard_allows(run->settings.change, ".git/HEAD")) return GIT_OPEN;
    return run->plan.roles[action->role].commits ? GIT_BRANCH : GIT_CLOSED;
}

static const char *branch_of(struct str head, struct arena *arena)
{
    const struct str ref = STR("ref: ");

    if (!str_starts(head, STR("ref: refs/heads/"))) return NULL;
    return arena_cstr(arena, str_trim(str_skip(head, ref.size)));
}

const char *guard_branch(struct run *run, uint32_t lane, struct arena *arena)
{
    const struct site *site = site_of(run, lane);
    struct refs refs = { 0 };
    const char *branch;

    if (lane != 0) return arena_printf(arena, "refs/heads/%s", site_branch(run, site, arena));
    refs_take_head(&site->repo, &refs);
    branch = branch_of(refs.head, arena);
    refs_release(&refs);
    return branch;
}

/* ---- how much is looked at ---- */

enum look { LOOK_NOT, LOOK_HEAD, LOOK_BESIDE, LOOK_ALL, LOOK_COUNT };

static enum look look_of(const struct run *run, const struct action *action)
{
    enum git_right right = guard_git_right(run, action);

    if (right == GIT_OPEN || !run->repo.is_git || is_isolated(run, action)) return LOOK_NOT;
    if (action->lane != 0) return LOOK_HEAD;
    if (!run->sandboxed) return LOOK_ALL;
    return right == GIT_BRANCH ? LOOK_BESIDE : LOOK_NOT;
}

static bool keeps_staged(const struct run *run, const struct action *action)
{
    return look_of(run, action) == LOOK_ALL && guard_git_right(run, action) == GIT_CLOSED;
}

/* ---- before ---- */

/* As git knows them now, with what stands of what agents made: by what the last attempt left, or,
 * after a resume, by its file. */
static int refs_retake(const struct guarded *guarded, const char *folder)
{
    struct refs *refs = &guarded->memory->refs;
    struct refs old = *refs;
    struct err none;
    int rc;

    *refs = (struct refs){ 0 };
    if (!old.items && refs_load(&old, folder, refs_name, &none) != 0) old = (struct refs){ 0 };
    rc = refs_take(&guarded->run->repo, refs, guarded->err);
    if (rc == 0) {
        refs_carry(refs, &old);
        rc = refs_save(refs, folder, refs_name, guarded->err);
    }
    refs_release(&old);
    return rc;
}

int guard_git_begin(const struct guarded *guarded)
{
    struct run *run = guarded->run;
    enum look look = look_of(run, guarded->action);
    struct arena arena = { 0 };
    const char *folder = run_folder(run, &arena);
    int rc = 0;

    if (look >= LOOK_BESIDE && !guarded->others_write) {
        if (!refs_hold(&guarded->memory->refs)) rc = refs_retake(guarded, folder);
        if (rc == 0 && keeps_staged(run, guarded->action)) {
            rc = staged_keep(&run->repo, folder, index_name, guarded->err);
        }
    }
    arena_release(&arena);
    return rc;
}

/* ---- after ---- */

/* A look at work. */
struct looking {
    const struct guarded *guarded;
    const char *folder; /* of the run */
    const char *kept;   /* where commits keep a name; NULL: after a crash */
    bool diverged;      /* something that an agent made stands */
    struct arena arena;
    struct buf what;
};

/* The branch that a lane's HEAD is on gets the commit of what is left over there. */
static int look_head(struct looking *looking)
{
    const struct guarded *guarded = looking->guarded;
    struct run *run = guarded->run;
    struct site *site = site_of(run, guarded->action->lane);
    struct refs head = { 0 };
    const char *own, *is;
    int rc = 0;

    if (!site_is_there(site)) return 0;
    refs_take_head(&site->repo, &head);
    own = guard_branch(run, site->lane, &looking->arena);
    is = branch_of(head.head, &looking->arena);
    if (is && strcmp(own, is) != 0) {
        buf_printf(&looking->what, "moved HEAD to branch %s", is + strlen("refs/heads/"));
        rc = file_write(site->repo.git_dir, "HEAD",
                        str_of(arena_printf(&looking->arena, "ref: %s\n", own)), guarded->err);
    }
    refs_release(&head);
    return rc;
}

static int look_refs(struct looking *looking, enum look look, bool begun)
{
    const struct guarded *guarded = looking->guarded;
    struct run *run = guarded->run;
    struct refs_order order = { .repo = &run->repo, .before = &guarded->memory->refs };
    struct err none;
    int rc;

    if (refs_hold(&guarded->memory->refs) && !refs_diverged(&guarded->memory->refs)) return 0;
    if (!guarded->memory->refs.items &&
        refs_load(&guarded->memory->refs, looking->folder, refs_name, &none) != 0) return 0;
    if (!begun && !refs_diverged(&guarded->memory->refs)) return 0;
    if (guarded->memory->refs.loaded) looking->kept = NULL;
    order.kept = looking->kept;
    if (guard_git_right(run, guarded->action) == GIT_BRANCH) {
        order.own = branch_of(guarded->memory->refs.head, &looking->arena);
    }
    if (look == LOOK_BESIDE) {
        if (!order.own) return 0; /* no folder of refs was open */
        order.below = path_folder_text(order.own, &looking->arena);
    }
    rc = refs_restore(&order, &looking->what, guarded->err);
    looking->diverged = look == LOOK_ALL && refs_diverged(&guarded->memory->refs);
    if (rc == 0 && looking->diverged) {
        rc = refs_save(&guarded->memory->refs, looking->folder, refs_name, guarded->err);
    }
    return rc;
}

static int look_staged(struct looking *looking)
{
    const struct guarded *guarded = looking->guarded;
    struct run *run = guarded->run;
    const char *away = arena_printf(&looking->arena, "%s/kept", guarded->dir);
    bool changed = false;
    int rc = staged_restore(&run->repo, looking->folder, index_name, away, &changed,
                            guarded->err);

    if (rc == 0 && !guarded->others_write) {
        rc = file_remove_in(looking->folder, index_name, guarded->err);
    }
    if (changed) buf_printf(&looking->what, "%schanged what is staged",
                            looking->what.size ? ", " : "");
    return rc;
}

static const char *complain_diverged(struct looking *looking, const struct guard_page *page)
{
    const struct guarded *guarded = looking->guarded;
    struct run *run = guarded->run;
    const char *what = buf_cstr(&looking->what), *rest = "";

    if (looking->kept) {
        rest = arena_printf(&looking->arena, " Everything else was put back; commits that are on "
                            "no branch now are below %s.", looking->kept);
    }
    guarded->warn(guarded->context, "workspace divergence: %s left something outside of the "
                  "workspace (%s). The run cannot pass while it stands: take out of it what you "
                  "need, remove it (git worktree remove FOLDER; git stash drop), then 'hone "
                  "resume'. If it is yours, keep it and begin a new run.%s",
                  run->plan.roles[guarded->action->role].name, what, rest);
    return guard_words(guard_page_diverged, page, &run->arena).data;
}

static const char *complain(struct looking *looking, bool may_commit)
{
    const struct guarded *guarded = looking->guarded;
    struct run *run = guarded->run;
    const char *what = buf_cstr(&looking->what);
    struct guard_page page = { .what = slot_part(&looking->what), .may_commit = may_commit };

    if (looking->diverged) return complain_diverged(looking, &page);
    if (!looking->kept) {
        guarded->warn(guarded->context, "what git knows has changed since hone was ended (%s): it "
                      "is left as it is", what);
        return NULL;
    }
    guarded->warn(guarded->context, "%s changed what git knows (%s): put back; files are as it "
                  "left them, commits that are on no branch now are below %s; to allow it, name "
                  ".git in rights.change (hone config)",
                  run->plan.roles[guarded->action->role].name, what, looking->kept);
    return guard_words(guard_page_git, &page, &run->arena).data;
}

int guard_git_end(const struct guarded *guarded, bool begun, const char **problem)
{
    struct run *run = guarded->run;
    const struct action *action = guarded->action;
    enum look look = look_of(run, action);
    struct looking looking = { .guarded = guarded };
    int rc = 0;

    *problem = NULL;
    if (look == LOOK_NOT) return 0;
    looking.folder = run_folder(run, &looking.arena);
    looking.kept = arena_printf(&looking.arena, "refs/hone/%s/kept-%" PRIu32 "-%" PRIu32,
                                run->row.id, action->job, action->attempt);
    buf_init(&looking.what, WHAT_BYTES_MAX);
    if (look == LOOK_HEAD) rc = look_head(&looking);
    else rc = look_refs(&looking, look, begun);
    if (rc == 0 && looking.kept && begun && keeps_staged(run, action)) {
        rc = look_staged(&looking);
    }
    if (rc == 0 && looking.what.size > 0) {
        *problem = complain(&looking, guard_git_right(run, action) == GIT_BRANCH);
    }
    buf_release(&looking.what);
    arena_release(&looking.arena);
    return rc;
}
