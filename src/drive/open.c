/* SPDX-License-Identifier: Apache-2.0
 *
 * open.c - a run is opened: one sequence for every run, new or left, by hone run or inside a host.
 *
 *             new                left                 new in a host     of a host's session
 *             (hone run)         (hone resume)
 *   find      repository         repository, row      repository        - (its notes are read)
 *   know      settings pinned    |                    settings pinned   |
 *   cast      who plays          |                    who plays         |
 *             waivers                                 waivers
 *   lock      claimed            claimed              locked            locked, notes read again
 *   equip     folder, signals, supervisor, journal    journal, folder   journal
 *   know                         the journal's row                      that, or what files tell
 *   cast                         (when it goes on: and waivers)         who plays
 *   catch up  -                  replay, refusals     -                 replay, or -
 *   own       files aside, *     files aside          files aside, *    -, or the files are kept
 *   go on     first event        recover, EV_RESUME   first event       what a dead hook left, or
 *                                                                       the past is journaled
 *   * and where commits and lanes begin is kept
 *
 * 1. In the workspace nothing is written before its lock is held. Before that hone reads only what
 *    finds the run, and the settings of a new one.
 * 2. The supervisor is forked before the engine has grown, and inherits the lock.
 * 3. A run goes on by the same code: replay with no action performed; ends that were not noticed
 *    are taken; the engine is told whether the tree drifted; EV_RESUME.
 * 4. What another run left of its files is moved aside, never deleted.
 * 5. One live run per workspace. Hooks of one session come side by side and hold the lock for
 *    moments: they wait for each other. Another run may be at work for hours: it is waited for only
 *    as long as a run needs to end that was told to stop.
 * 6. The agents of a run that was killed hold its lock while they are ended: those are waited for.
 *    What a fixer among them had not checked is taken back before anything looks at the tree
 *    (undo.c).
 *
 * The ways stand in headless/open.c and hosted/open.c. Not here: the lock (io/file/lock.c), the
 * lock files of other tools (continue.c). */
#include "drive/open.h"

#include "base/clock.h"
#include "base/path.h"
#include "drive/commit.h"
#include "drive/continue.h"
#include "drive/lanes.h"
#include "drive/rounds.h"
#include "drive/spending.h"
#include "drive/undo.h"
#include "io/file/file.h"
#include "io/file/scratch.h"
#include "io/file/stream.h"
#include "io/process/program.h"
#include "io/process/sandbox.h"
#include "report/remarks.h"
#include "run/place.h"
#include "run/waived.h"

enum { AGENTS_WAIT_MS = 3000, STREAM_FILES_MAX = 2, OWN_FILES = 1 };

/* ---- the sequence ---- */

/* The dialects' own files, those of all of them: one loop's trail is no change to another. And the
 * folder that an option names for them, and the files that hone's own output goes to. A waiver is
 * no change either: what was reviewed before it was made is still what was reviewed. */
static void know_private(struct drive *drive)
{
    const struct dialect *dialect = drive->run.dialect;
    const char *const *files = stream_files(drive->run.repo.workspace, &drive->run.arena);
    const char *const *own = dialect->private_paths;
    uint32_t count = 0, options = 0;

    for (uint32_t i = 0; dialects[i]; i++) {
        const char *const *path = dialects[i]->private_paths;
        while (path && *path) path++, count++;
    }
    for (uint32_t i = 0; own && own[i]; i++) count++; /* of a loop file: no table has it */
    while (dialect->options && dialect->options[options].name) options++;
    drive->run.private_paths = arena_alloc(&drive->run.arena,
                                           (count + options + OWN_FILES + STREAM_FILES_MAX + 1) *
                                               sizeof *drive->run.private_paths);
    count = 0;
    for (uint32_t i = 0; dialects[i]; i++) {
        const char *const *path = dialects[i]->private_paths;
        while (path && *path) drive->run.private_paths[count++] = *path++;
    }
    for (; own && *own; own++) drive->run.private_paths[count++] = *own;
    for (uint32_t i = 0; i < options; i++) {
        struct str folder = str_of(setting_value(&drive->run.settings.options,
                                                 dialect->options[i].name));
        if (!dialect->options[i].folder || folder.size == 0) continue;
        if (str_ends(folder, STR("/"))) folder.size--;
        drive->run.private_paths[count++] = arena_printf(&drive->run.arena, "%.*s/",
                                                         STR_ARG(folder));
    }
    drive->run.private_paths[count++] = "/" WAIVERS_PATH;
    for (; *files; files++) {
        drive->run.private_paths[count++] = arena_printf(&drive->run.arena, "/%s", *files);
        drive_warn(drive, "%s is where this output goes, so it is no part of the review: write it "
                   "outside the repository to have all files reviewed", *files);
    }
}

static int know(struct drive *drive, struct opening *opening)
{
    int rc = opening->way->know(drive, opening);

    if (rc != 0) return rc;
    opening->row = drive->run.row;
    know_private(drive);
    return opening->way->cast(drive, opening);
}

int run_open(struct drive *drive, struct opening *opening)
{
    const struct opening_way *way = opening->way;
    int rc = way->find(drive, opening);

    if (rc == 0 && way->known_first) rc = know(drive, opening);
    if (rc == 0 && way->known_first) rc = waivers_take(drive);
    if (rc == 0) rc = way->lock(drive, opening);
    if (rc == 0) rc = way->equip(drive, opening);
    if (rc == 0 && !way->known_first) rc = know(drive, opening);
    if (rc == 0) rc = way->catch_up(drive, opening);
    if (rc == 0) rc = way->own(drive, opening);
    if (rc == 0) rc = way->go_on(drive, opening);
    arena_release(&opening->past.arena);
    return rc;
}

int waivers_take(struct drive *drive)
{
    struct run *run = &drive->run;
    struct waived waived;
    int rc;

    if (drive->waivers_known) return 0;
    rc = waived_load(&run->repo, run->settings.since, &run->arena, &waived, &drive->err);
    if (rc != 0) return rc;
    drive->waiver_count = waived_list(&waived, &run->arena, &drive->waivers);
    drive->waivers_known = true;
    for (const char *const *line = arena_lines(&run->arena,
                                               str_of(waived_say(&waived, &run->arena)));
         *line; line++) {
        drive_warn(drive, "%s", *line);
    }
    return 0;
}

int opening_nothing(struct drive *drive, struct opening *opening)
{
    (void)drive, (void)opening;
    return 0;
}

/* ---- lock ---- */

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

/* The lock is ours, so no supervisor is alive: what has the mark of the last one outlived it. */
static void end_what_was_left(struct drive *drive)
{
    struct arena arena = { 0 };
    struct str mark;
    struct err none;

    if (scratch_text(drive->locks, drive->mark_note, MARK_BYTES, &arena, &mark, &none) == 0 &&
        supervisor_sweep(arena_cstr(&arena, mark))) {
        drive_warn(drive, "processes that agents of a killed run had left in this workspace were "
                   "ended");
    }
    arena_release(&arena);
}

int workspace_lock(struct drive *drive, const char *note, uint32_t wait_ms)
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
    drive->mark_note = arena_printf(&drive->run.arena, "%s.mark", path_leaf_text(path));
    rc = take_lock(drive, path, note, wait_ms);
    if (rc != 0) return rc;
    end_what_was_left(drive);
    drive->undo_note = arena_printf(&drive->run.arena, "%s.undo", path_leaf_text(path));
    return undo_left(drive);
}

/* Every program that hone may start: found now, before the first agent begins. */
static void settle_programs(void)
{
    static const char *const own[] = { "git", "sh", "make", "timeout", "env", "node", NULL };

    programs_settle(own);
    sandbox_settle();
    for (uint32_t i = 0; backends[i]; i++) {
        if (backends[i]->program) (void)program_path(backends[i]->program);
    }
}

int agents_open(struct drive *drive)
{
    int rc;

    settle_programs();
    rc = supervisor_start(&drive->supervisor, drive->lock.fd, &drive->err);

    if (rc != 0) return rc;
    return scratch_replace(drive->locks, drive->mark_note, str_of(drive->supervisor.mark),
                           &drive->err);
}

void agents_close(struct drive *drive)
{
    struct err none;

    if (drive->supervisor.pid <= 0) return;
    supervisor_close(&drive->supervisor);
    (void)file_remove_in(drive->locks, drive->mark_note, &none);
}

/* ---- catch up ---- */

/* Programs that cannot play any more: known to a hook as to the process that found it. */
static void bar_again(struct drive *drive, const struct event *event,
                      const struct actions *actions)
{
    struct run *run = &drive->run;

    if (!run->agents) return; /* a resume casts them later, and begins with no bar */
    bars_lift(&drive->bars, event->kind);
    if (event->kind == EV_ENDED && event->job > 0) {
        bars_again(&drive->bars, event->job, &event->result, &run->arena);
    }
    for (uint32_t i = 0; i < actions->count; i++) {
        const struct action *action = &actions->item[i];

        if (action->kind != ACT_START || is_builtin(run, action)) continue;
        bars_cast(&drive->bars, action->job, agent_of(run, action));
    }
}

static bool note_again(void *context, const struct run *replay, uint64_t sequence,
                       const struct event *event, const struct actions *actions)
{
    struct drive *drive = context;

    (void)replay, (void)sequence;
    (void)remark_note(&drive->run, event);
    bar_again(drive, event, actions);
    return true;
}

int drive_replay(struct drive *drive)
{
    int rc = run_replay(&drive->run, drive->run.journal, note_again, drive, &drive->err);

    now_wall_begin(drive->run.engine.now_ms);
    return rc;
}

/* ---- own ---- */

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

int workspace_keep(struct drive *drive)
{
    return scratch_replace(drive->locks, drive->trail_note, str_of(drive->run.row.id), &drive->err);
}

/* Another run's files are moved aside, never deleted, whichever tool's run it was. A file beside
 * the lock says whose they are: an older run that is resumed must not mix its files with a newer
 * one's. */
int workspace_own(struct drive *drive)
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
        if (rc == 0 && dialect->adopting) rc = move_aside(drive, dialect->adopting->state_file);
    }
    buf_release(&owner);
    if (rc != 0) return rc;
    return workspace_keep(drive);
}

int opening_own_new(struct drive *drive, struct opening *opening)
{
    int rc = workspace_own(drive);

    (void)opening;
    if (rc == 0 && drive->run.dialect->commits) rc = commit_begin(drive);
    return rc == 0 ? lanes_begin(drive) : rc;
}

/* ---- go on ---- */

/* The first event, with what the dialect finds at the beginning, and what is to be repaired. */
static int first_event(struct drive *drive, const struct run_asked *asked)
{
    const struct dialect_framing *framing = drive->run.dialect->framing;
    struct pending first = { .event = { .kind = EV_START, .now_ms = now_wall_ms() } };
    struct event *event = &first.event;
    struct run_view view = drive_view(drive, 0);
    struct round_tree tree = { 0 };
    int rc = 0;

    event->budget = spending_budget(drive->run.settings.budget);
    event->has_budget = budget_has_limit(&event->budget);
    if (framing && drive->run.dialect->wants_tree) {
        rc = tree_view_take(drive, &tree);
        view.tree = &tree.view;
    }
    if (rc == 0 && framing) rc = framing->start(&view, &first.arena, &event->result, &drive->err);
    round_release(&tree);
    if (rc != 0) {
        arena_release(&first.arena);
        return rc;
    }
    if (asked->finding_count > 0) {
        event->result.findings = asked->findings;
        event->result.finding_count = asked->finding_count;
    }
    drive_queue(drive, &first);
    drive_tell(drive, &(struct news){ .kind = NEWS_RUN });
    drive_tick(drive, &drive->run.row);
    return 0;
}

int opening_begin_new(struct drive *drive, struct opening *opening)
{
    if (opening->past.count > 0) return continue_run(drive, &opening->past);
    return first_event(drive, &opening->asked);
}
