/* SPDX-License-Identifier: Apache-2.0
 *
 * lanes.c - lanes of tasks: where they begin, how their work trees are made, how they come
 * together, what is left of them.
 *
 * When the run begins, the commit and the branch of the user's checkout are kept (runs/RUN/base).
 * What was integrated so far is the ref refs/hone/RUN/integration, which begins there. A lane's
 * work tree begins at it, and is made when the lane's first attempt is launched. A checkout may
 * take long, so a process makes it, one at a time, and the attempt waits:
 *
 *   launch --not there--> waits --(hone agent worktree)--> launch
 *                                        '--failed--> the attempt has failed
 *
 * A lane that has passed is merged behind the ref by a process of its own (`hone agent integrate`),
 * which then moves the user's branch forward.
 *
 * 1. Before each attempt it is seen whether the work tree is still there. One that was deleted is
 *    made again from its branch, and what was reviewed there is void.
 * 2. A work tree that is whole after a crash is used as it is.
 * 3. A merge that a kill cut off is made good by the next attempt at it, before that looks at the
 *    checkout (agent/own/merge.c); until then the run's engine has it in flight, so a resume
 *    begins it.
 * 4. A run that has ended for good leaves no work tree, branch or ref of a lane that was merged,
 *    and names what was not. A run that can be resumed keeps everything.
 *
 * Not here: where a lane's place is (run/site.c). */
#include "drive/lanes.h"

#include "agent/own/own.h"
#include "drive/attempt.h"
#include "drive/commit.h"
#include "drive/watch.h"
#include "format/text/safe.h"
#include "io/file/scratch.h"
#include "io/git/worktree.h"
#include "io/process/program.h"

#include <assert.h>
#include <string.h>

enum { ORDER_BYTES_MAX = 1 << 20, LINE_BYTES_MAX = 4096, REFS_BYTES_MAX = 16 << 20,
       TITLE_BYTES_MAX = 200, NOTES_BYTES_MAX = 1 << 20, SINCE_BYTES_MAX = 256 };

static const char base_name[] = "base";

static bool has_fan(const struct plan *plan)
{
    for (uint32_t i = 0; i < plan->phase_count; i++) {
        if (plan->phases[i].fan) return true;
    }
    return false;
}

static const char *head_ref(const struct drive *drive, struct arena *arena)
{
    return arena_printf(arena, "refs/hone/%s/integration", drive->run.row.id);
}

/* One line that git says; NULL where it failed. */
static const char *ask_git(const struct drive *drive, const char *const *args, struct arena *arena)
{
    struct err none;

    return repo_ask(&drive->run.repo, args, arena, &none);
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
    if (!drive->run.repo.is_git) {
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
        rc = scratch_replace(run_folder(&drive->run, &arena), base_name, buf_str(&text),
                             &drive->err);
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
    const char *folder = run_folder(&drive->run, arena);
    struct str rest, piece;
    int rc = scratch_text(folder, base_name, LINE_BYTES_MAX, arena, &rest, &drive->err);

    if (rc != 0) return rc;
    if (!str_cut(&rest, '\0', &piece)) {
        return err_set(&drive->err, ERR_FORMAT, "%s/%s: it is not whole", folder, base_name);
    }
    *commit = arena_cstr(arena, piece);
    *branch = str_cut(&rest, '\0', &piece) ? arena_cstr(arena, piece) : "";
    return 0;
}

static int lanes_base(struct drive *drive)
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
            rc = repo_do(&drive->run.repo, set, STR(""), &drive->err);
        }
    }
    drive->based = rc == 0;
    arena_release(&arena);
    return rc;
}

/* ---- one lane ---- */

bool lane_was_merged(const struct drive *drive, uint32_t lane)
{
    struct arena arena = { 0 };
    bool merged = file_exists(arena_printf(&arena, "%s/merged",
                                           site_folder(&drive->run, lane, &arena)));

    arena_release(&arena);
    return merged;
}

/* ---- work trees ---- */

static bool was_made(const struct drive *drive, uint32_t lane, struct arena *arena)
{
    return file_exists(arena_printf(arena, "%s/made", site_folder(&drive->run, lane, arena)));
}

/* An order for a process of hone's own: its parts, each with a NUL behind it. */
static int order_write(struct drive *drive, const char *folder, const char *name,
                       const char *const *parts, size_t count)
{
    struct buf text;
    int rc;

    buf_init(&text, ORDER_BYTES_MAX);
    for (size_t i = 0; i < count; i++) {
        buf_add(&text, (struct str){ parts[i], strlen(parts[i]) + 1 });
    }
    rc = scratch_write(folder, name, buf_str(&text), &drive->err);
    buf_release(&text);
    return rc;
}

/* The order for `hone agent worktree`. */
static int worktree_order(struct drive *drive, const struct site *site, const char *folder,
                       struct arena *arena)
{
    const char *const *private = drive->run.private_paths;
    const char **parts;
    size_t count = 3;
    int rc = file_make_folder(drive->run.worktrees, false, &drive->err);

    while (site->job && *private) private++;
    count += (size_t)(private - (const char *const *)drive->run.private_paths);
    parts = arena_alloc(arena, count * sizeof *parts);
    parts[0] = site->repo.workspace;
    parts[1] = site->job ? "" : site_branch(&drive->run, site, arena);
    parts[2] = site->job ? "HEAD" : head_ref(drive, arena);
    for (size_t i = 3; i < count; i++) parts[i] = drive->run.private_paths[i - 3];
    if (rc == 0) rc = file_make_folder(folder, false, &drive->err);
    if (rc == 0) rc = order_write(drive, folder, "worktree", parts, count);
    return rc == 0 ? scratch_write(folder, "prompt", STR(""), &drive->err) : rc;
}

/* What is known of the making of a work tree. */
static const char *making_folder(const struct drive *drive, const struct site *site,
                                 struct arena *arena)
{
    return site->job ? isolate_folder(&drive->run, site->job, arena)
                     : site_folder(&drive->run, site->lane, arena);
}

static uint64_t making_id(const struct site *site)
{
    return SITE_ID | (site->job ? ISOLATED_ID | site->job : site->lane);
}

static int site_make(struct drive *drive, const struct site *site)
{
    struct arena arena = { 0 };
    const char *folder = making_folder(drive, site, &arena);
    const char *const argv[] = { program_self(), "agent", "worktree", folder, NULL };
    const char *tag = arena_printf(&arena, "HONE_OUTPUT=%s/answer", folder);
    const char *const env[] = { tag, NULL };
    struct spawn spawn = {
        .id = making_id(site),
        .argv = argv,
        .env = env,
        .cwd = drive->run.repo.workspace,
        .in = arena_printf(&arena, "%s/prompt", folder),
        .out = arena_printf(&arena, "%s/stdout", folder),
        .err = arena_printf(&arena, "%s/stderr", folder),
        .status = arena_printf(&arena, "%s/status", folder),
        .tag = tag,
        .time_ms_max = drive->run.settings.time_ms_max,
        .grace_ms = GRACE_MS,
    };
    int rc = site->job ? 0 : lanes_base(drive);

    if (rc == 0) rc = worktree_order(drive, site, folder, &arena);
    if (rc == 0) rc = supervisor_spawn(&drive->supervisor, &spawn, &drive->err);
    arena_release(&arena);
    return rc;
}

static void make_next(struct drive *drive)
{
    const struct live *live;
    const struct site *site;

    for (uint32_t at = 0; drive->making == 0 && (live = live_next(drive, &at));) {
        if (!live->waits) continue;
        site = site_at(&drive->run, &live->action);
        drive->making = making_id(site);
        if (site_make(drive, site) != 0) drive_break(drive);
    }
}

/* What the lane changes is what differs from this; a conflict moves it. */
static void site_since(const struct drive *drive, struct site *site)
{
    struct arena arena = { 0 };
    struct err none;
    struct str since;

    if (scratch_text(site_folder(&drive->run, site->lane, &arena), "since", SINCE_BYTES_MAX,
                     &arena, &since, &none) == 0) {
        since = str_trim(since);
        if (!site->since || !str_is(since, site->since)) {
            site->since = arena_cstr(&site->repo.arena, since);
        }
    }
    arena_release(&arena);
}

bool site_enter(struct drive *drive, struct live *live)
{
    struct site *site = site_at(&drive->run, &live->action);

    if (site_is_there(site)) {
        if (site->lane != 0) site_since(drive, site);
        return true;
    }
    if (live->action.purpose == FOR_INTEGRATE && lane_was_merged(drive, site->lane)) return true;
    live->waits = true;
    make_next(drive);
    return false;
}

/* What the maker said: below its first line, sentences for the user. */
static void say_notes(struct drive *drive, const char *folder, struct str *word)
{
    struct str rest, line;
    struct err none;

    (void)scratch_text(folder, "stdout", NOTES_BYTES_MAX, &drive->run.arena, &rest, &none);
    if (!str_cut(&rest, '\n', word)) *word = STR("");
    while (str_cut(&rest, '\n', &line)) drive_warn(drive, "%.*s", STR_ARG(line));
}

/* Said, and told to the engine, where a work tree was made that had been there before. */
static void site_note(struct drive *drive, const struct site *site, const char *folder)
{
    bool lost = !site->job && was_made(drive, site->lane, &drive->run.arena);
    struct str word;

    say_notes(drive, folder, &word);
    if (!lost) return;
    drive_warn(drive, "the work tree %s was gone: %s", site->repo.workspace,
               str_is(word, "again") ? "it was made again from its branch, and what was not "
               "committed there is lost" : "so was its branch, and all of its work is lost");
    drive_push(drive, (struct event){ .kind = EV_DRIFT, .now_ms = now_wall_ms(),
                                      .lane = site->lane });
}

/* The place that a notice is about; NULL: no attempt waits for it any more. */
static struct site *site_noticed(struct drive *drive, const struct notice *notice)
{
    const struct live *live;

    if (!(notice->id & ISOLATED_ID)) {
        return site_of(&drive->run, (uint32_t)(notice->id & UINT32_MAX));
    }
    for (uint32_t at = 0; (live = live_next(drive, &at));) {
        struct site *site = live->waits ? site_at(&drive->run, &live->action) : NULL;

        if (site && making_id(site) == notice->id) return site;
    }
    return NULL;
}

/* A lane's work tree is there. */
static int lane_made(struct drive *drive, struct site *site, const char *folder)
{
    int rc = commit_keep_index(drive, site);

    return rc == 0 ? scratch_write(folder, "made", STR(""), &drive->err) : rc;
}

void site_made(struct drive *drive, const struct notice *notice)
{
    struct site *site = site_noticed(drive, notice);
    struct arena arena = { 0 };
    const char *folder = site ? making_folder(drive, site, &arena) : NULL;
    bool made = site && notice->by == ENDED_EXIT && notice->value == 0 && site_is_there(site);
    struct buf last;
    struct live *live;

    buf_init(&last, 1024);
    drive->making = 0;
    if (made) {
        site_note(drive, site, folder);
        if (!site->job && lane_made(drive, site, folder) != 0) drive_break(drive);
    } else if (site) {
        scratch_last_line(folder, "stderr", 500, &last);
    }
    for (uint32_t at = 0; !drive->broken && (live = live_next(drive, &at));) {
        if (!live->waits || site_at(&drive->run, &live->action) != site) continue;
        live->waits = false;
        if (made) {
            attempt_launch(drive, live);
        } else {
            attempt_fail(drive, live, notice->by == ENDED_STOP ? FAILURE_STOPPED : FAILURE_START,
                         true, arena_printf(&arena, "its work tree could not be made: %s",
                                            last.size ? buf_cstr(&last) : "its maker was ended"));
        }
    }
    buf_release(&last);
    arena_release(&arena);
    if (!drive->broken) make_next(drive);
}

/* ---- merging ---- */

static const char *title_of(const char *message, struct arena *arena)
{
    struct str rest = str_of(message), line = { "", 0 };

    (void)str_cut(&rest, '\n', &line);
    return arena_cstr(arena, str_head(line, TITLE_BYTES_MAX));
}

static int merge_order_write(struct drive *drive, const struct live *live, const char *message,
                       const char *keep, struct arena *arena)
{
    const struct site *site = site_of(&drive->run, live->action.lane);
    struct merge_order order = {
        .path = site->repo.workspace, .branch = site_branch(&drive->run, site, arena),
        .name = site->about.name, .title = title_of(message, arena),
        .head_ref = head_ref(drive, arena), .checkout = drive->run.repo.workspace,
        .state = run_folder(&drive->run, arena),
        .lane = site_folder(&drive->run, site->lane, arena),
        .keep = keep,
    };
    const char *commit;
    int rc = base_read(drive, &commit, &order.home, arena);
    const char *const parts[] = { order.path, order.branch, order.name, order.title,
                                  order.head_ref, order.checkout, order.home, order.state,
                                  order.lane, order.keep };

    if (rc == 0) rc = file_make_folder(order.lane, false, &drive->err);
    if (rc != 0) return rc;
    return order_write(drive, live->dir, "integrate", parts, sizeof parts / sizeof *parts);
}

int integrate_prepare(struct drive *drive, const struct live *live, const char *message)
{
    const struct site *site = site_of(&drive->run, live->action.lane);
    struct arena arena = { 0 };
    const char *keep = "";
    uint32_t count;
    int rc = lanes_base(drive);

    assert(site->lane != 0);
    if (rc == 0 && file_exists(site->repo.workspace)) {
        rc = commit_list(drive, live, message, &count, &keep, &arena);
    }
    if (rc == 0) rc = merge_order_write(drive, live, message, keep, &arena);
    arena_release(&arena);
    return rc;
}

/* ---- the end ---- */

/* What in its work tree is in no commit, as `hone agent integrate` says; NULL: nothing. */
static const char *kept_for(const struct drive *drive, const struct site *site, struct arena *arena)
{
    struct err none;
    struct str why;
    int rc = scratch_text(site_folder(&drive->run, site->lane, arena), "kept", LINE_BYTES_MAX,
                          arena, &why, &none);

    if (rc == 0) return why.data;
    return rc == ERR_MISSING ? NULL : "something in it is in no commit";
}

static bool is_left(const struct drive *drive, const struct site *site, struct str refs,
                    struct arena *arena)
{
    struct str branch = str_of(site_branch(&drive->run, site, arena)), line;

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
        const struct site *site = site_of(&drive->run, i);
        struct err err = { 0 };

        if (!is_left(drive, site, refs, arena)) continue;
        if (engine->lanes[i].state != LANE_MERGED || kept_for(drive, site, arena)) {
            all = false;
        } else if (worktree_remove(&drive->run.repo, site->repo.workspace,
                                   site_branch(&drive->run, site, arena), &err) != 0) {
            drive_warn(drive, "%s", err.text);
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
        drive_warn(drive, "%s", drive->err.text);
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
    if (repo_git(&drive->run.repo, list, STR(""), &out, &err) != 0) {
        drive_warn(drive, "%s", err.text);
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
        const struct site *site = site_of(&drive->run, i);
        const char *why;

        if (!file_exists(site->repo.workspace)) continue;
        buf_text(out, engine->lanes[i].state == LANE_MERGED ? "kept, though merged: "
                                                            : "kept, not merged: ");
        safe_text(out, str_of(site->repo.workspace), true, 0);
        buf_printf(out, " (branch %s)", site_branch(&drive->run, site, &arena));
        why = kept_for(drive, site, &arena);
        if (why) buf_text(out, ": ");
        if (why) safe_text(out, str_of(why), true, 0);
        buf_byte(out, '\n');
    }
    arena_release(&arena);
}
