/* SPDX-License-Identifier: Apache-2.0
 *
 * open.c - the two ways in which `hone run` opens a run: a new one, and one that was left.
 *
 * drive/open.c has the sequence. What is special here: hone starts the agents itself, so they must
 * be installed, there is a supervisor, and what the sandbox cannot do is said. Of a run that was
 * left, agents are cast only where it goes on: one that is over is recorded by any machine. */
#include "drive/headless/parts.h"

#include "drive/ask.h"
#include "drive/attempt.h"
#include "drive/commit.h"
#include "drive/continue.h"
#include "drive/isolate.h"
#include "drive/spending.h"
#include "drive/watch.h"
#include "format/text/budget_text.h"
#include "io/file/file.h"
#include "io/file/scratch.h"
#include "io/process/sandbox.h"
#include "run/host_notes.h"
#include "run/place.h"

#include <string.h>

enum { OWNER_WAIT_MS = 300 }; /* for a run that was told to end */

/* ---- what both do ---- */

/* Whether an agent is a process that could be held by a sandbox. */
static bool wants_sandbox(const struct drive *drive)
{
    for (uint32_t i = 1; i < drive->run.plan.role_count; i++) {
        const struct role *role = &drive->run.plan.roles[i];
        if (role->builtin || drive->run.agents[i].backend->play) continue;
        return !drive->run.settings.sandbox_off;
    }
    return false;
}

/* The file of a role that gives up a right; NULL: none does. */
static const char *narrowing_file(const struct run *run, struct arena *arena)
{
    for (uint16_t i = 1; i < run->plan.role_count; i++) {
        struct role_rights rights = run_rights(run, &(struct action){ .role = i }, arena);

        if (rights.from) return rights.from;
    }
    return NULL;
}

/* What the user asked for and only a sandbox gives; NULL: nothing. */
static const char *asked_of_sandbox(const struct run *run, struct arena *arena)
{
    const struct run_settings *settings = &run->settings;
    const char *file = narrowing_file(run, arena);

    if (file) return arena_printf(arena, "%s takes a right away, which a sandbox sees to", file);
    if (settings->sandbox_asked) return "a sandbox is asked for (--sandbox, or sandbox true)";
    if (settings->network_off) return "rights.network is false, which a sandbox sees to";
    if (settings->home_private) return "rights.home is false, which a sandbox sees to";
    if (settings->tmp_said) return "rights.tmp is false, which a sandbox sees to";
    return NULL;
}

/* What is asked for and not to be had is refused; only the default is done without. */
static int check_sandbox(struct drive *drive)
{
    const char *asked = asked_of_sandbox(&drive->run, &drive->run.arena);
    const char *problem = asked && wants_sandbox(drive) ? sandbox_problem() : NULL;
    const char *install = problem ? sandbox_install() : NULL;
    const char *file = narrowing_file(&drive->run, &drive->run.arena);

    if (file && drive->run.settings.sandbox_off) {
        return err_set(&drive->err, ERR_USAGE, "%s takes a right away, which the sandbox sees to, "
                       "and the sandbox is off: leave it on, or take out 'may'", file);
    }
    if (!problem) return 0;
    return err_set(&drive->err, ERR_USAGE, "%s, and %s: %s%s%s", asked, problem,
                   install ? "install it (" : "let it work ('hone doctor')", install ? install : "",
                   install ? "), or take that back" : ", or take that back");
}

static void choose_sandbox(struct drive *drive)
{
    const char *problem = wants_sandbox(drive) ? sandbox_problem() : NULL;

    drive->run.sandboxed = wants_sandbox(drive) && !problem;
    if (problem) {
        drive_warn(drive, "agents run without a sandbox (%s): what reviewers change, and changes "
                   "of files that no agent may change, are found and put back", problem);
    }
}

/* The run's own folder, what ends its agents with it, and the journal. */
static int equip(struct drive *drive, struct opening *opening)
{
    const char *runs = arena_printf(&drive->run.arena, "%s/runs", drive->run.repo.hone_dir);
    int rc = file_make_folder(runs, false, &drive->err);

    if (rc == 0) rc = scratch_folder(runs, opening->row.id, &drive->err);
    if (rc == 0) rc = signals_open(&drive->signals, &drive->err);
    if (rc == 0) rc = agents_open(drive);
    if (rc == 0) {
        rc = journal_open(&drive->run.journal, place_journal(&drive->run.repo, &drive->run.arena),
                          &drive->err);
    }
    return rc;
}

/* No host may have a run at work here either. */
static int claim_workspace(struct drive *drive, const struct opening *opening)
{
    struct host_search search = { .workspace = drive->run.repo.workspace };
    const char *other;
    int rc = workspace_lock(drive, opening->row.id, OWNER_WAIT_MS);

    if (rc != 0) return rc;
    other = host_run_at_work(drive->run.repo.hone_dir, &search, &drive->run.arena);
    if (!other) return 0;
    return err_set(&drive->err, ERR_BUSY, "run %s is at work in this workspace, inside Claude Code "
                   "or Codex: let it end there, or end it with 'hone stop'", other);
}

/* ---- a new run ---- */

/* A guess, before the agents are known: right or wrong, it only costs time. */
static bool may_want_sandbox(const struct run_settings *settings)
{
    for (uint32_t i = 0; i < settings->agent_count; i++) {
        if (!str_starts(str_of(settings->agents[i].spec), STR("script:"))) {
            return !settings->sandbox_off;
        }
    }
    return false;
}

static int new_find(struct drive *drive, struct opening *opening)
{
    if (may_want_sandbox(opening->asked.settings)) sandbox_ask(); /* beside what follows */
    return repo_open(&drive->run.repo, opening->asked.start, true, &drive->err);
}

static int new_know(struct drive *drive, struct opening *opening)
{
    return run_pin(drive, &opening->asked, &opening->past);
}

static int new_cast(struct drive *drive, struct opening *opening)
{
    struct budget budget = spending_budget(drive->run.settings.budget);
    int rc = cast_agents(&drive->run, true, &drive->err);

    (void)opening;
    if (rc == 0) rc = spending_refuses(&drive->run, &budget, &drive->err);
    return rc == 0 ? check_sandbox(drive) : rc;
}

static int new_lock(struct drive *drive, struct opening *opening)
{
    int rc = claim_workspace(drive, opening);

    if (rc == 0) rc = claim_lock_file(drive);
    /* A large tree takes git some time, and no other run writes there: it may begin at once. */
    if (rc == 0 && run_reviews_first(drive) && seal_is_large(&drive->run.repo)) {
        tree_ahead_begin(&drive->run.repo, &drive->ahead);
    }
    return rc;
}

static int open_fleet(struct drive *drive, const struct opening *opening, const char *url)
{
    struct headless *headless = opening->context;

    return fleet_open(&headless->fleet, drive, url, headless->request->version);
}

static int new_go_on(struct drive *drive, struct opening *opening)
{
    struct budget budget = spending_budget(drive->run.settings.budget);
    int rc = isolate_check(drive);

    if (rc == 0) rc = open_fleet(drive, opening, drive->run.settings.fleet);
    if (rc != 0) return rc;
    choose_sandbox(drive);
    spending_warn(drive, &budget);
    drive_tell(drive, &(struct news){ .kind = NEWS_NO_TEST });
    isolate_tell(drive);
    if (opening->past.count > 0) continue_task(drive, opening->asked.task);
    return opening_begin_new(drive, opening);
}

const struct opening_way headless_new = {
    .known_first = true, .find = new_find, .know = new_know, .cast = new_cast, .lock = new_lock,
    .equip = equip, .catch_up = opening_nothing, .own = opening_own_new, .go_on = new_go_on,
};

/* ---- a run that was left ---- */

static const struct headless_request *request_of(const struct opening *opening)
{
    return ((const struct headless *)opening->context)->request;
}

static int find_row(struct drive *drive, const char *prefix, struct journal_run *row)
{
    struct journal *journal = NULL;
    int rc = journal_open_readonly(&journal, place_journal(&drive->run.repo, &drive->run.arena),
                                   &drive->err);

    if (rc == ERR_MISSING) {
        return err_set(&drive->err, ERR_USAGE, "there are no runs in this repository yet: "
                       "hone run DIALECT starts one");
    }
    if (rc != 0) return rc;
    rc = journal_find(journal, prefix, drive->run.repo.workspace, &drive->run.arena, row,
                      &drive->err);
    journal_close(journal);
    return rc;
}

/* It works in another work tree of this repository. In a copy of the repository the journal still
 * names the original's: there nothing is touched. */
static int find_elsewhere(struct drive *drive, const struct journal_run *row)
{
    const char *here = arena_cstr(&drive->run.arena, str_of(drive->run.repo.hone_dir));
    int rc;

    if (!file_exists(row->workspace)) {
        return err_set(&drive->err, ERR_USAGE, "run %s works in %s, which is not there any more: "
                       "move the repository back, or begin a new run here", row->id,
                       row->workspace);
    }
    repo_release(&drive->run.repo);
    rc = repo_open(&drive->run.repo, row->workspace, false, &drive->err);
    if (rc != 0 || strcmp(drive->run.repo.hone_dir, here) == 0) return rc;
    return err_set(&drive->err, ERR_USAGE, "run %s belongs to %s, and this is a copy of that: "
                   "resume it there, or begin a new run here", row->id, row->workspace);
}

static int left_find(struct drive *drive, struct opening *opening)
{
    const struct headless_request *request = request_of(opening);
    int rc = repo_open(&drive->run.repo, request->start, false, &drive->err);

    if (rc == 0) rc = find_row(drive, request->resume, &opening->row);
    if (rc == 0) rc = owner_check(drive, &opening->row, request->trust);
    if (rc == 0 && strcmp(opening->row.workspace, drive->run.repo.workspace) != 0) {
        rc = find_elsewhere(drive, &opening->row);
    }
    return rc;
}

static int left_lock(struct drive *drive, struct opening *opening)
{
    int rc = claim_workspace(drive, opening);

    if (rc == 0) commit_unlock(drive, opening->row.created_ms);
    return rc;
}

static int left_know(struct drive *drive, struct opening *opening)
{
    return run_load(&drive->run, &opening->row, &drive->err);
}

static int left_catch_up(struct drive *drive, struct opening *opening)
{
    const struct headless_request *request = request_of(opening);
    int rc = claim_lock_file(drive);

    if (rc == 0) rc = drive_replay(drive);
    if (rc == 0) rc = continue_untouched(drive);
    if (rc == 0 && request->answer) rc = ask_check(drive, *request->answer);
    return rc;
}

static int left_own(struct drive *drive, struct opening *opening)
{
    (void)opening;
    return workspace_own(drive);
}

/* A lane that rests on stages which hold for one tree: is it still that one? */
static int stages_drifted(struct drive *drive, const struct lane *lane, bool *drifted)
{
    const char *what = "";
    bool same = true;
    int rc;

    if (lane->mints == 0 || lane->state == LANE_REVIEWING || lane->state == LANE_OVER) return 0;
    /* A fixer changes it, and no stage holds afterwards. */
    if (lane->state == LANE_REPAIRING || lane->state == LANE_FINISHING) return 0;
    rc = watch_still(drive, lane, &drive->run.arena, &same, &what);
    if (rc != 0) return rc;
    *drifted = !same;
    if (!same) {
        drive_warn(drive, "the work tree changed since it was checked (%s): it is "
                   "checked again", what);
    }
    return 0;
}

/* What the engine must know before it goes on: ends that were not noticed, a tree that moved. */
static int recover(struct drive *drive)
{
    const struct engine *engine = &drive->run.engine;

    for (uint32_t i = 0; i < engine->lane_count; i++) {
        bool drifted;
        int rc = watch_resume(drive, &engine->lanes[i], &drifted);

        if (rc == 0 && !drifted) rc = stages_drifted(drive, &engine->lanes[i], &drifted);
        if (rc != 0) return rc;
        if (drifted) {
            drive_push(drive, (struct event){ .kind = EV_DRIFT, .now_ms = now_wall_ms(),
                                              .lane = i });
        } else {
            attempt_recover(drive, &engine->lanes[i]);
        }
    }
    drive->recovering = true;
    while (drive->queue_count > 0 && !drive->broken) drive_tick(drive, NULL);
    drive->recovering = false;
    drive->finished = false;
    return 0;
}

/* The answer is journaled; what follows from it is left to a resume. */
static int answer_record(struct drive *drive)
{
    drive->recovering = true;
    while (drive->queue_count > 0 && !drive->broken) drive_tick(drive, NULL);
    drive->recovering = false;
    drive->answered = true;
    return drive->broken ? (int)drive->err.code : 0;
}

/* With the limits that are named; the others stay. */
static struct event resume_event(const struct drive *drive, const struct headless_request *request)
{
    struct event event = { .kind = EV_RESUME, .now_ms = now_wall_ms() };
    struct err none;

    if (!request->budget) return event;
    event.budget = drive->run.engine.budget;
    event.has_budget = budget_read(str_of(request->budget), &event.budget, &none) == 0;
    return event;
}

static int left_go_on(struct drive *drive, struct opening *opening)
{
    const struct headless_request *request = request_of(opening);
    int rc;

    if (request->fleet) drive->run.settings.fleet = request->fleet;
    drive->used_before = drive->run.engine.usage;
    if (!engine_can_resume(&drive->run.engine)) {
        rc = drive_record(drive); /* it may have died between its last event and its files */
        return rc == 0 ? drive_finish(drive) : rc;
    }
    rc = cast_agents(&drive->run, true, &drive->err);
    if (rc == 0) rc = check_sandbox(drive);
    if (rc == 0) rc = waivers_take(drive);
    if (rc == 0) rc = open_fleet(drive, opening, drive->run.settings.fleet);
    if (rc != 0) return rc;
    choose_sandbox(drive);
    drive_tell(drive, &(struct news){ .kind = NEWS_RUN, .resumed = true });
    fleet_left(&((struct headless *)opening->context)->fleet, drive);
    rc = recover(drive);
    if (rc == 0 && !drive->broken) {
        fleet_left_end(&((struct headless *)opening->context)->fleet, drive);
        isolate_sweep(drive);
    }
    if (rc == 0 && request->answer) {
        rc = ask_answer(drive, *request->answer);
        if (rc == 0 && request->record_only) rc = answer_record(drive);
    } else if (rc == 0 && engine_can_resume(&drive->run.engine)) {
        drive_push(drive, resume_event(drive, request));
    } else if (rc == 0) {
        drive->finished = true; /* what had ended unnoticed was the last that was missing */
    }
    return rc;
}

const struct opening_way headless_left = {
    .find = left_find, .know = left_know, .cast = opening_nothing, .lock = left_lock,
    .equip = equip, .catch_up = left_catch_up, .own = left_own, .go_on = left_go_on,
};
