/* SPDX-License-Identifier: Apache-2.0
 *
 * lanes.c - where each lane works.
 *
 * The main lane is at home in the user's checkout. A task's lane has a work tree of its own, in
 * <hone>/worktrees/NAME on the branch hone/RUN/NAME/work, made when its first attempt is launched,
 * from what was integrated so far. (A folder of refs for each: a sandbox can open that one alone.)
 * A checkout may take long, so a process makes it, one at a time, and the attempt waits:
 *
 *   launch --not there--> waits --(hone agent worktree)--> launch
 *                                        '--failed--> the attempt has failed
 *
 * 1. Before each attempt it is seen whether the work tree is still there. One that somebody
 *    deleted is made again from its branch, and what was reviewed there is void.
 * 2. A work tree that is whole after a crash is used as it is.
 * 3. The trees that a lane keeps in memory go when it is merged; its name stays. */
#include "drive/drive.h"

#include "base/mem.h"
#include "io/file/scratch.h"
#include "io/git/worktree.h"
#include "io/process/program.h"
#include "run/place.h"

#include <inttypes.h>
#include <stdlib.h>

enum { NOTES_BYTES_MAX = 1 << 20, SINCE_BYTES_MAX = 256 };

/* ---- the places ---- */

const struct site *site_find(const struct drive *drive, uint32_t lane)
{
    return lane < drive->site_count ? drive->sites[lane] : NULL;
}

static void site_describe(struct drive *drive, struct site *site)
{
    struct run_view view = drive_view(drive, 0);

    site->repo = drive->run.repo;
    site->repo.arena = (struct arena){ 0 };
    site->about = (struct lane_about){ .name = "main", .task = drive->run.row.task };
    if (site->lane == 0) return;
    site->about.name = arena_printf(&site->repo.arena, "%s-%" PRIu32, drive->run.row.id,
                                    site->lane);
    if (drive->run.dialect->lane) {
        drive->run.dialect->lane(&view, site->lane, &site->repo.arena, &site->about);
    }
    site->repo.workspace = arena_printf(&site->repo.arena, "%s/%s", drive->run.worktrees,
                                        site->about.name);
}

struct site *site_of(struct drive *drive, uint32_t lane)
{
    struct site *site;

    if (lane >= drive->site_count) {
        uint32_t cap = drive->site_count;

        while (cap <= lane) {
            drive->sites = mem_grow(drive->sites, cap, &cap, sizeof(void *));
        }
        for (uint32_t i = drive->site_count; i < cap; i++) drive->sites[i] = NULL;
        drive->site_count = cap;
    }
    if (drive->sites[lane]) return drive->sites[lane];
    site = mem_alloc(sizeof *site);
    *site = (struct site){ .lane = lane };
    site_describe(drive, site);
    drive->sites[lane] = site;
    return site;
}

static void site_free(struct site *site)
{
    if (!site) return;
    watch_release(&site->watch);
    arena_release(&site->repo.arena);
    free(site);
}

void site_forget(struct drive *drive, uint32_t lane)
{
    struct site *site = site_of(drive, lane);

    watch_release(&site->watch);
    site->watch = (struct watch){ 0 };
    site->ready = false;
}

void sites_release(struct drive *drive)
{
    for (uint32_t i = 0; i < drive->site_count; i++) site_free(drive->sites[i]);
    free(drive->sites);
    drive->sites = NULL;
    drive->site_count = 0;
}

const char *site_branch(const struct drive *drive, const struct site *site, struct arena *arena)
{
    return arena_printf(arena, "hone/%s/%s/work", drive->run.row.id, site->about.name);
}

/* ---- work trees ---- */

const char *site_folder(const struct drive *drive, uint32_t lane, struct arena *arena)
{
    return arena_printf(arena, "%s/lane-%" PRIu32,
                        run_folder(&drive->run, arena), lane);
}

static bool was_made(const struct drive *drive, uint32_t lane, struct arena *arena)
{
    return file_exists(arena_printf(arena, "%s/made", site_folder(drive, lane, arena)));
}

/* The order for `hone agent worktree`. */
static int order_write(struct drive *drive, const struct site *site, const char *folder,
                       struct arena *arena)
{
    const char *const parts[] = {
        site->repo.workspace, site_branch(drive, site, arena),
        arena_printf(arena, "refs/hone/%s/integration", drive->run.row.id),
    };
    struct buf order;
    int rc;

    buf_init(&order, 64 << 10);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        buf_text(&order, parts[i]);
        buf_byte(&order, '\0');
    }
    rc = file_make_folder(drive->run.worktrees, false, &drive->err);
    if (rc == 0) rc = file_make_folder(folder, false, &drive->err);
    if (rc == 0) rc = scratch_write(folder, "worktree", buf_str(&order), &drive->err);
    if (rc == 0) rc = scratch_write(folder, "prompt", STR(""), &drive->err);
    buf_release(&order);
    return rc;
}

static int site_make(struct drive *drive, const struct site *site)
{
    struct arena arena = { 0 };
    const char *folder = site_folder(drive, site->lane, &arena);
    const char *const argv[] = { program_self(), "agent", "worktree", folder, NULL };
    const char *tag = arena_printf(&arena, "HONE_OUTPUT=%s/answer", folder);
    const char *const env[] = { tag, NULL };
    struct spawn spawn = {
        .id = SITE_ID | site->lane,
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
    int rc = lanes_base(drive);

    if (rc == 0) rc = order_write(drive, site, folder, &arena);
    if (rc == 0) rc = supervisor_spawn(&drive->supervisor, &spawn, &drive->err);
    arena_release(&arena);
    return rc;
}

static void make_next(struct drive *drive)
{
    const struct live *live;

    for (uint32_t at = 0; drive->making == 0 && (live = live_next(drive, &at));) {
        if (!live->waits) continue;
        drive->making = live->action.lane;
        if (site_make(drive, site_of(drive, drive->making)) != 0) drive_break(drive);
    }
}

bool site_is_there(struct site *site)
{
    const char *dir;

    if (site->lane == 0) return true;
    if (site->ready && file_exists(site->repo.workspace)) return true;
    dir = worktree_git_dir(site->repo.workspace, &site->repo.arena);
    site->ready = dir != NULL;
    if (dir) site->repo.git_dir = dir;
    return site->ready;
}

/* What the lane changes is what differs from this; a conflict moves it. */
static void site_since(const struct drive *drive, struct site *site)
{
    struct arena arena = { 0 };
    struct buf text;
    struct err none;
    struct str since;

    buf_init(&text, SINCE_BYTES_MAX);
    if (scratch_read(site_folder(drive, site->lane, &arena), "since", &text, &none) == 0) {
        since = str_trim(buf_str(&text));
        if (!site->since || !str_is(since, site->since)) {
            site->since = arena_cstr(&site->repo.arena, since);
        }
    }
    buf_release(&text);
    arena_release(&arena);
}

bool site_enter(struct drive *drive, struct live *live)
{
    struct site *site = site_of(drive, live->action.lane);

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
    struct buf said;
    struct err none;

    buf_init(&said, NOTES_BYTES_MAX);
    if (scratch_read(folder, "stdout", &said, &none) != 0) buf_clear(&said);
    rest = arena_copy(&drive->run.arena, buf_str(&said));
    if (!str_cut(&rest, '\n', word)) *word = STR("");
    while (str_cut(&rest, '\n', &line)) {
        report_warning(&drive->report, "%.*s", STR_ARG(line));
    }
    buf_release(&said);
}

/* Said, and told to the engine, where a work tree was made that had been there before. */
static void site_note(struct drive *drive, const struct site *site, const char *folder)
{
    bool lost = was_made(drive, site->lane, &drive->run.arena);
    struct str word;

    say_notes(drive, folder, &word);
    if (!lost) return;
    report_warning(&drive->report, "the work tree %s was gone: %s", site->repo.workspace,
                   str_is(word, "again") ? "it was made again from its branch, and what was not "
                   "committed there is lost" : "so was its branch, and all of its work is lost");
    drive_push(drive, (struct event){ .kind = EV_DRIFT, .now_ms = now_wall_ms(),
                                      .lane = site->lane });
}

void site_made(struct drive *drive, const struct notice *notice)
{
    struct site *site = site_of(drive, (uint32_t)(notice->id & UINT32_MAX));
    struct arena arena = { 0 };
    const char *folder = site_folder(drive, site->lane, &arena);
    bool made = notice->by == ENDED_EXIT && notice->value == 0 && site_is_there(site);
    struct buf last;
    struct live *live;

    buf_init(&last, 1024);
    drive->making = 0;
    if (made) {
        site_note(drive, site, folder);
        if (commit_keep_index(drive, site) != 0 ||
            scratch_write(folder, "made", STR(""), &drive->err) != 0) {
            drive_break(drive);
        }
    } else {
        scratch_last_line(folder, "stderr", 500, &last);
    }
    for (uint32_t at = 0; !drive->broken && (live = live_next(drive, &at));) {
        if (!live->waits || live->action.lane != site->lane) continue;
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
