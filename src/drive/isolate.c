/* SPDX-License-Identifier: Apache-2.0
 *
 * isolate.c - a fixer at work in a disposable work tree (--isolate): its result comes to the user's
 * tree as one change, or not at all.
 *
 *   the user's tree --copied (agent/own/worktree.c)--> the work tree = runs/RUN/fix-JOB/base
 *                                                           |  the fixer at work
 *        user's tree now <--by files, three ways-- result <-'  ended well
 *                                                           '--> failed, killed: removed
 *
 * A file that the fixer changed comes where the user's tree still has it as the work tree began.
 * Where another program or person changed it meanwhile it stays as it is: the fixer's version is
 * kept with the attempt, which is said, and the next review looks at the tree as it is.
 *
 * 1. Nothing is written to the user's tree before the attempt has ended well; index and refs never.
 * 2. A kill while files come is made good: bring.c.
 * 3. A work tree stays until the end of its attempt is in the journal: a resume finds it. What a
 *    killed hone left is removed by the resume, and with the run.
 * 4. An attempt whose answer broke the contract has done its work: the next one goes on in the same
 *    work tree. After a failure the work tree is made anew.
 * 5. Versions of the user's files that are replaced lie in runs/RUN/fix-JOB/replaced.
 *
 * It is on where the user says so, and in runs that `hone mcp` begins: these go on beside a person
 * at work. One who runs hone on a terminal has given it the tree, with the ignored files that
 * builds and tests need and that a work tree has not.
 *
 * Not isolated: roles that commit (they move the user's branch), lanes of tasks (they have work
 * trees of their own), agents of a host. Ignored files are in no tree: they do not come along, and
 * what a fixer makes of them goes with its work tree. */
#include "drive/isolate.h"

#include "drive/bring.h"
#include "io/file/file.h"
#include "io/git/worktree.h"
#include "run/site.h"

#include <inttypes.h>

int isolate_check(struct drive *drive)
{
    struct arena arena = { 0 };
    struct err none;
    int rc = 0;

    if (!drive->run.settings.isolate) return 0;
    if (!drive->run.repo.is_git) {
        rc = err_set(&drive->err, ERR_USAGE, "--isolate makes work trees of git, and this is no "
                     "git repository: git init makes one; or leave --isolate out");
    } else if (!repo_commit(&drive->run.repo, "HEAD", &arena, &none)) {
        rc = err_set(&drive->err, ERR_USAGE, "--isolate makes work trees of git, and there is no "
                     "commit yet: git commit makes the first; or leave --isolate out");
    }
    arena_release(&arena);
    return rc;
}

/* ---- what is said ---- */

static void tell_note(struct drive *drive, const char *text)
{
    drive_tell(drive, &(struct news){ .kind = NEWS_NOTE, .text = text });
}

void isolate_tell(struct drive *drive)
{
    const struct plan *plan = &drive->run.plan;
    bool isolated = false, lanes = false;
    const char *commits = NULL;

    if (!drive->run.settings.isolate || drive->run.settings.no_fix) return;
    for (uint32_t i = 0; i < plan->phase_count; i++) {
        uint16_t role = plan->phases[i].gate.repair.role;
        struct action action = { .role = role, .purpose = FOR_REPAIR };

        if (role == ROLE_NONE) continue;
        if (plan->phases[i].fan) lanes = true;
        else if (plan->roles[role].commits) commits = plan->roles[role].name;
        else isolated = isolated || is_isolated(&drive->run, &action);
    }
    if (isolated) {
        tell_note(drive, "a fixer works in a disposable work tree; what it changed comes to yours "
                  "when it has ended well (--isolate)");
    }
    if (lanes) tell_note(drive, "tasks have work trees of their own: --isolate adds nothing there");
    if (commits) {
        tell_note(drive, arena_printf(&drive->run.arena, "%s commits, so it works in your tree, "
                                      "with --isolate too", commits));
    }
}

/* Prompts name contract files, which are in no tree. What becomes of them there is lost. */
int isolate_begin(struct drive *drive, const struct live *live)
{
    struct run_view view = drive_view(drive, 0);
    struct contract contract = { 0 };
    const char *top;
    int rc = 0;

    if (!is_isolated(&drive->run, &live->action)) return 0;
    top = site_at(&drive->run, &live->action)->repo.workspace;
    drive->run.dialect->record(&view, &contract);
    for (uint32_t i = 0; i < contract.file_count && rc == 0; i++) {
        rc = file_write(top, contract.files[i].path, contract.files[i].content, &drive->err);
    }
    contract_release(&contract);
    return rc;
}

/* ---- the result ---- */

/* The work tree as it began, and as the fixer left it, as a change. */
static int result_keep(struct drive *drive, struct site *site, const char *folder, bool *changed)
{
    struct tree from = { 0 }, to = { 0 };
    struct tree_delta delta = { 0 };
    int rc = tree_load(&from, site->base, &drive->err);

    if (rc == 0) rc = tree_take(&site->repo, drive->run.private_paths, &to, &drive->err);
    if (rc == 0) rc = tree_settle(&site->repo, &from, &to, &drive->err);
    if (rc == 0) rc = tree_align(&site->repo, &from, &to, &drive->err);
    if (rc == 0) rc = tree_spell(&site->repo, &from, &to, &drive->err);
    if (rc == 0) tree_compare(&from, &to, &delta);
    if (rc == 0) rc = tree_save(&from, folder, BRING_FROM, &drive->err);
    if (rc == 0) rc = tree_save(&to, folder, BRING_TO, &drive->err);
    *changed = rc == 0 && delta.count > 0;
    tree_delta_release(&delta);
    tree_release(&from);
    tree_release(&to);
    return rc;
}

int isolate_end(struct drive *drive, struct live *live, enum verdict verdict)
{
    struct arena *arena = &drive->run.arena;
    const char *folder, *kept, *left = "";
    struct site *site;
    bool changed = false;
    int rc = 0;

    if (!is_isolated(&drive->run, &live->action)) return 0;
    site = site_at(&drive->run, &live->action);
    folder = isolate_folder(&drive->run, live->action.job, arena);
    kept = arena_printf(arena, "%s/kept", live->dir);
    if (verdict_is_done(verdict) && site_is_there(site)) {
        rc = result_keep(drive, site, folder, &changed);
    }
    if (rc == 0 && changed) rc = bring_run(drive, live, folder, kept, &left);
    if (rc == 0 && *left) {
        drive_warn(drive, "you changed what a fixer changed, too (%s): yours stays, the fixer's is "
                   "in %s", left, kept);
    }
    live->disposed = verdict == VERDICT_INVALID; /* the next one goes on there */
    return rc;
}

/* ---- what is left ---- */

void isolate_dispose(struct drive *drive, struct live *live)
{
    struct arena arena = { 0 };
    struct site *site;
    struct err err = { 0 };

    if (!is_isolated(&drive->run, &live->action) || live->disposed) return;
    live->disposed = true;
    site = site_at(&drive->run, &live->action);
    (void)file_remove_in(isolate_folder(&drive->run, site->job, &arena), "base", &err);
    if (file_exists(site->repo.workspace) &&
        worktree_remove(&drive->run.repo, site->repo.workspace, "", &err) != 0) {
        drive_warn(drive, "%s", err.text);
    }
    site_dispose(&drive->run, site);
    arena_release(&arena);
}

void isolate_sweep(struct drive *drive)
{
    struct err err = { 0 };

    if (!drive->run.settings.isolate || !drive->run.worktrees) return;
    if (sites_sweep(&drive->run.repo, drive->run.row.id, &err) != 0) {
        drive_warn(drive, "%s", err.text);
    }
}
