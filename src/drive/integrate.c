/* SPDX-License-Identifier: Apache-2.0
 *
 * integrate.c - lanes of tasks: where they begin, how they come together, what is left of them.
 *
 * When the run begins, the commit and the branch of the user's checkout are kept (runs/RUN/base).
 * What was integrated so far is the ref refs/hone/RUN/integration, which begins there; work trees
 * begin at it, and a lane that has passed is merged behind it by a process of its own (`hone agent
 * integrate`), which then moves the user's branch forward.
 *
 * 1. A merge that a kill cut off is made good by the next attempt at it, before that looks at the
 *    checkout (agent/own/merge.c); until then the run's engine has it in flight, so a resume
 *    begins it.
 * 2. A run that has ended for good leaves no work tree, branch or ref of a lane that was merged,
 *    and names what was not. A run that can be resumed keeps everything. */
#include "drive/drive.h"

#include "agent/own/own.h"
#include "format/text/safe.h"
#include "io/file/scratch.h"
#include "io/git/worktree.h"
#include "run/place.h"

#include <assert.h>
#include <string.h>

enum { ORDER_BYTES_MAX = 1 << 20, LINE_BYTES_MAX = 4096, REFS_BYTES_MAX = 16 << 20,
       TITLE_BYTES_MAX = 200 };

static const char base_name[] = "base";

static bool has_fan(const struct plan *plan)
{
    for (uint32_t i = 0; i < plan->phase_count; i++) {
        if (plan->phases[i].fan) return true;
    }
    return false;
}

static const char *run_folder(const struct drive *drive, struct arena *arena)
{
    return place_run(&drive->repo, drive->run.row.id, arena);
}

static const char *head_ref(const struct drive *drive, struct arena *arena)
{
    return arena_printf(arena, "refs/hone/%s/integration", drive->run.row.id);
}

/* One line that git says; NULL where it failed. */
static const char *ask_git(const struct drive *drive, const char *const *args,
                           struct arena *arena)
{
    const char *line = NULL;
    struct err none;
    struct buf out;

    buf_init(&out, LINE_BYTES_MAX);
    if (repo_git(&drive->repo, args, STR(""), &out, &none) == 0) {
        line = arena_cstr(arena, str_trim(buf_str(&out)));
    }
    buf_release(&out);
    return line;
}

/* ---- the beginning ---- */

int lanes_begin(struct drive *drive)
{
    static const char *const ask_head[] = { "rev-parse", "--verify", "--quiet", "HEAD^{commit}",
                                            NULL };
    static const char *const ask_branch[] = { "symbolic-ref", "--quiet", "HEAD", NULL };
    struct arena arena = { 0 };
    const char *head, *branch;
    struct buf text;
    int rc;

    if (!has_fan(&drive->run.plan)) return 0;
    if (!drive->repo.is_git) {
        return err_set(&drive->err, ERR_USAGE, "%s works in work trees of git, and this is no git "
                       "repository: git init makes one", drive->run.dialect->name);
    }
    head = ask_git(drive, ask_head, &arena);
    branch = ask_git(drive, ask_branch, &arena);
    buf_init(&text, LINE_BYTES_MAX);
    if (head) {
        buf_add(&text, (struct str){ head, strlen(head) + 1 });
        if (branch) buf_text(&text, branch);
        buf_byte(&text, '\0');
        rc = scratch_replace(run_folder(drive, &arena), base_name, buf_str(&text), &drive->err);
    } else {
        rc = err_set(&drive->err, ERR_USAGE, "there is no commit yet that work could begin at: git "
                     "commit makes the first");
    }
    buf_release(&text);
    arena_release(&arena);
    return rc;
}

static int base_read(struct drive *drive, const char **commit, const char **branch,
                     struct arena *arena)
{
    struct str rest, piece;
    struct buf text;
    int rc;

    buf_init(&text, LINE_BYTES_MAX);
    rc = scratch_read(run_folder(drive, arena), base_name, &text, &drive->err);
    rest = buf_str(&text);
    if (rc == 0 && str_cut(&rest, '\0', &piece)) {
        *commit = arena_cstr(arena, piece);
        *branch = str_cut(&rest, '\0', &piece) ? arena_cstr(arena, piece) : "";
    } else if (rc == 0) {
        rc = err_set(&drive->err, ERR_FORMAT, "%s/%s: it is not whole", run_folder(drive, arena),
                     base_name);
    }
    buf_release(&text);
    return rc;
}

int lanes_base(struct drive *drive)
{
    struct arena arena = { 0 };
    const char *ref = head_ref(drive, &arena);
    const char *const ask[] = { "rev-parse", "--verify", "--quiet", ref, NULL };
    const char *commit, *branch;
    int rc = 0;

    if (!drive->based && !ask_git(drive, ask, &arena)) {
        rc = base_read(drive, &commit, &branch, &arena);
        if (rc == 0) {
            const char *const set[] = { "update-ref", ref, commit, NULL };
            struct buf out;
            buf_init(&out, LINE_BYTES_MAX);
            rc = repo_git(&drive->repo, set, STR(""), &out, &drive->err);
            buf_release(&out);
        }
    }
    drive->based = rc == 0;
    arena_release(&arena);
    return rc;
}

/* ---- one lane ---- */

static const char *title_of(const char *message, struct arena *arena)
{
    struct str rest = str_of(message), line = { "", 0 };

    (void)str_cut(&rest, '\n', &line);
    return arena_cstr(arena, str_head(line, TITLE_BYTES_MAX));
}

static int order_write(struct drive *drive, const struct live *live, const char *message,
                       const char *keep, struct arena *arena)
{
    const struct site *site = site_of(drive, live->action.lane);
    struct merge_order order = {
        .path = site->repo.workspace, .branch = site_branch(drive, site, arena),
        .name = site->about.name, .title = title_of(message, arena),
        .head_ref = head_ref(drive, arena), .checkout = drive->repo.workspace,
        .state = run_folder(drive, arena), .lane = site_folder(drive, site->lane, arena),
        .keep = keep,
    };
    const char *commit;
    struct buf text;
    int rc = base_read(drive, &commit, &order.home, arena);
    const char *const parts[] = { order.path, order.branch, order.name, order.title,
                                  order.head_ref, order.checkout, order.home, order.state,
                                  order.lane, order.keep };

    if (rc != 0) return rc;
    buf_init(&text, ORDER_BYTES_MAX);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        buf_add(&text, (struct str){ parts[i], strlen(parts[i]) + 1 });
    }
    rc = file_make_folder(order.lane, false, &drive->err);
    if (rc == 0) rc = scratch_write(live->dir, "integrate", buf_str(&text), &drive->err);
    buf_release(&text);
    return rc;
}

int integrate_prepare(struct drive *drive, const struct live *live, const char *message)
{
    const struct site *site = site_of(drive, live->action.lane);
    struct arena arena = { 0 };
    const char *keep = "";
    uint32_t count;
    int rc = lanes_base(drive);

    assert(site->lane != 0);
    if (rc == 0 && file_exists(site->repo.workspace)) {
        rc = commit_list(drive, live, message, &count, &keep, &arena);
    }
    if (rc == 0) rc = order_write(drive, live, message, keep, &arena);
    arena_release(&arena);
    return rc;
}

bool lane_was_merged(const struct drive *drive, uint32_t lane)
{
    struct arena arena = { 0 };
    bool merged = file_exists(arena_printf(&arena, "%s/merged",
                                           site_folder(drive, lane, &arena)));

    arena_release(&arena);
    return merged;
}

/* ---- the end ---- */

/* What in its work tree is in no commit, as `hone agent integrate` says; NULL: nothing. */
static const char *kept_for(const struct drive *drive, const struct site *site,
                            struct arena *arena)
{
    const char *why = NULL;
    struct err none;
    struct buf text;

    buf_init(&text, LINE_BYTES_MAX);
    if (scratch_read(site_folder(drive, site->lane, arena), "kept", &text, &none) == 0) {
        why = arena_cstr(arena, buf_str(&text));
    } else if (none.code != ERR_MISSING) {
        why = "something in it is in no commit";
    }
    buf_release(&text);
    return why;
}

static bool is_left(const struct drive *drive, const struct site *site, struct str refs,
                    struct arena *arena)
{
    struct str branch = str_of(site_branch(drive, site, arena)), line;

    if (file_exists(site->repo.workspace)) return true;
    while (str_cut(&refs, '\n', &line)) {
        if (str_eq(line, branch)) return true;
    }
    return false;
}

/* Folders and branches of lanes that are merged; false: some lane is not, or must stay. */
static bool remove_merged(struct drive *drive, struct str refs, struct arena *arena)
{
    const struct engine *engine = &drive->run.engine;
    bool all = true;

    for (uint32_t i = 1; i < engine->lane_count; i++) {
        const struct site *site = site_of(drive, i);
        struct err err = { 0 };

        if (!is_left(drive, site, refs, arena)) continue;
        if (engine->lanes[i].state != LANE_MERGED || kept_for(drive, site, arena)) {
            all = false;
        } else if (worktree_remove(&drive->repo, site->repo.workspace,
                                   site_branch(drive, site, arena), &err) != 0) {
            report_warning(&drive->report, "%s", err.text);
            all = false;
        }
    }
    return all;
}

/* A tree that cannot be kept is only a review more, or less, when the run goes on. */
static void rest(struct drive *drive)
{
    const struct engine *engine = &drive->run.engine;

    for (uint32_t i = 1; i < engine->lane_count; i++) {
        if (rest_keep(drive, &engine->lanes[i]) == 0) continue;
        report_warning(&drive->report, "%s", drive->err.text);
        return;
    }
}

/* Everything of the run that lanes have left in the repository. */
static void tidy(struct drive *drive)
{
    struct arena arena = { 0 };
    const char *refs = arena_printf(&arena, "refs/heads/hone/%s/", drive->run.row.id);
    const char *const list[] = { "for-each-ref", "--format=%(refname:lstrip=2)", refs, NULL };
    const char *const drop[] = { "update-ref", "-d", head_ref(drive, &arena), NULL };
    struct err err = { 0 };
    struct buf out;

    buf_init(&out, REFS_BYTES_MAX);
    if (repo_git(&drive->repo, list, STR(""), &out, &err) != 0) {
        report_warning(&drive->report, "%s", err.text);
    } else if (remove_merged(drive, buf_str(&out), &arena)) {
        (void)ask_git(drive, drop, &arena);
    }
    buf_release(&out);
    arena_release(&arena);
}

void lanes_end(struct drive *drive)
{
    if (!has_fan(&drive->run.plan)) return;
    if (engine_can_resume(&drive->run.engine)) rest(drive);
    else tidy(drive);
}

void lanes_report(struct drive *drive, struct buf *out)
{
    const struct engine *engine = &drive->run.engine;
    struct arena arena = { 0 };

    for (uint32_t i = 1; i < engine->lane_count; i++) {
        const struct site *site = site_of(drive, i);
        const char *why;

        if (!file_exists(site->repo.workspace)) continue;
        buf_text(out, engine->lanes[i].state == LANE_MERGED ? "kept, though merged: "
                                                            : "kept, not merged: ");
        safe_text(out, str_of(site->repo.workspace), true, 0);
        buf_printf(out, " (branch %s)", site_branch(drive, site, &arena));
        why = kept_for(drive, site, &arena);
        if (why) buf_text(out, ": ");
        if (why) safe_text(out, str_of(why), true, 0);
        buf_byte(out, '\n');
    }
    arena_release(&arena);
}
