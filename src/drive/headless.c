/* SPDX-License-Identifier: Apache-2.0
 *
 * headless.c - the loop: stamp the time, journal the event, step the engine, perform.
 *
 *   open:  workspace lock --> supervisor (inherits the lock) --> journal --> engine
 *   loop:  notices, signals, due starts --> events --> one transaction --> for each event:
 *          step, then its actions in order: record, start, stop, ask, finish
 *   close: supervisor first, so that nothing runs when the lock goes
 *
 * 1. An event is on the disk before any of its actions begins.
 * 2. Nothing is read or written before the lock is held, except to find the run to resume.
 * 3. What hone itself cannot do (a full disk) breaks the drive: agents are ended, nothing more is
 *    journaled, the run is as resumable as after a kill.
 * 4. Steps that only record, and are followed by another at once, are recorded together.
 * 5. Resume is the same code: replay with nobody performing; take what had ended unnoticed; tell
 *    the engine whether the tree drifted; EV_RESUME.
 *
 * What grows: the journal with the events, the arena by some hundred bytes with each attempt. */
#include "drive/drive.h"

#include "base/clock.h"
#include "base/mem.h"
#include "drive/place.h"
#include "io/file.h"
#include "io/sandbox.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOCK_WAIT_MS = 3000 };

int exit_code_of(enum reason reason)
{
    switch (reason) {
    case REASON_CLEAN:
        return 0;
    case REASON_NOTED:
    case REASON_BOUND:
    case REASON_STUCK:
    case REASON_ESCALATED:
        return 1;
    case REASON_WAITING:
        return 5;
    case REASON_INTERRUPTED:
        return 130;
    case REASON_FAILED:
    case REASON_NONE:
    case REASON_COUNT:
        break;
    }
    return 3;
}

struct run_view drive_view(const struct drive *drive)
{
    return (struct run_view){
        .engine = &drive->run.engine,
        .id = drive->run.row.id,
        .task = drive->run.row.task,
        .workspace = drive->repo.workspace,
        .owner = drive->owner,
        .changed = drive->watch.changed,
        .changed_count = drive->watch.changed_count,
        .fence = drive->fence,
    };
}

struct arena *drive_push(struct drive *drive, struct event event)
{
    struct pending *pending;

    drive->queue = mem_grow(drive->queue, drive->queue_count, &drive->queue_cap,
                            sizeof *drive->queue);
    pending = &drive->queue[drive->queue_count++];
    *pending = (struct pending){ .event = event };
    return &pending->arena;
}

void drive_break(struct drive *drive)
{
    assert(drive->err.code != ERR_NONE);
    drive->broken = true;
}

/* The contract files, as the dialect says they are now. */
static int drive_record(struct drive *drive)
{
    struct run_view view = drive_view(drive);
    struct contract contract = { 0 };
    struct file_item *items;
    uint32_t written;
    int rc = 0;

    drive->run.dialect->record(&view, &contract);
    items = arena_alloc(&contract.arena, (contract.file_count + 1) * sizeof *items);
    for (uint32_t i = 0; i < contract.file_count; i++) {
        items[i] = (struct file_item){ contract.files[i].path, contract.files[i].content };
    }
    for (uint32_t i = 0; i < contract.folder_count && rc == 0; i++) {
        rc = file_make_folder_in(drive->repo.workspace, contract.folders[i], &drive->err);
    }
    if (rc == 0) {
        rc = file_write_all(drive->repo.workspace, items, contract.file_count, &written,
                            &drive->err);
    }
    contract_release(&contract);
    return rc == 0 ? 0 : err_wrap(&drive->err, "write the run's files");
}

static int drive_finish(struct drive *drive)
{
    int rc = journal_begin(drive->journal, &drive->err);

    if (rc == 0) {
        rc = journal_put_reason(drive->journal, drive->run.row.id, drive->run.engine.reason,
                                &drive->err);
    }
    if (rc == 0) rc = journal_commit(drive->journal, &drive->err);
    drive->finished = rc == 0;
    return rc;
}

static void perform(struct drive *drive, const struct action *action)
{
    int rc = 0;

    switch (action->kind) {
    case ACT_RECORD:
        rc = drive_record(drive);
        break;
    case ACT_START:
        if (!drive->recovering) attempt_start(drive, action);
        break;
    case ACT_STOP:
        attempt_stop(drive, action);
        break;
    case ACT_ASK:
        report_ask(drive, action);
        break;
    case ACT_FINISH:
        rc = drive_finish(drive);
        break;
    }
    if (rc != 0) drive_break(drive);
}

static int journal_queue(struct drive *drive, const struct journal_run *fresh)
{
    int rc = journal_begin(drive->journal, &drive->err);

    if (rc == 0 && fresh) rc = journal_put_run(drive->journal, fresh, &drive->err);
    for (uint32_t i = 0; i < drive->queue_count && rc == 0; i++) {
        rc = journal_put_event(drive->journal, drive->run.row.id, &drive->queue[i].event,
                               &drive->err);
    }
    return rc == 0 ? journal_commit(drive->journal, &drive->err) : rc;
}

static void step(struct drive *drive, const struct event *event, bool last)
{
    struct actions actions = { 0 };
    uint32_t rounds = drive->run.engine.round_count;

    engine_step(&drive->run.engine, event, &actions);
    report_step(drive, rounds);
    for (uint32_t i = 0; i < actions.count && !drive->broken; i++) {
        /* Nothing but a record, and another step at once: that one records for both. */
        drive->unrecorded = actions.count == 1 && !last;
        if (!drive->unrecorded) perform(drive, &actions.item[i]);
    }
    actions_release(&actions);
}

/* Everything that is queued now: journaled together, then stepped and performed one by one.
 * What the performing queues is for the next tick. */
static void tick(struct drive *drive, const struct journal_run *fresh)
{
    struct pending *queue;
    uint32_t count = drive->queue_count;

    if (journal_queue(drive, fresh) != 0) {
        drive_break(drive);
        return;
    }
    queue = drive->queue;
    drive->queue = NULL;
    drive->queue_count = drive->queue_cap = 0;
    for (uint32_t i = 0; i < count && !drive->broken; i++) {
        step(drive, &queue[i].event, i + 1 == count);
    }
    if (drive->unrecorded && !drive->broken) perform(drive, &(struct action){ .kind = ACT_RECORD });
    drive->unrecorded = false;
    for (uint32_t i = 0; i < count; i++) arena_release(&queue[i].arena);
    free(queue);
}

/* The first signal stops the run in order, the second at once. */
static bool take_signals(struct drive *drive)
{
    uint32_t came = signals_take(&drive->signals);
    bool stopping = drive->run.engine.state == ENGINE_STOPPING;

    if (came == 0) return false;
    if (stopping || came > 1) {
        report_warning(&drive->report, "stopped at once; hone resume %s continues the run",
                       drive->run.row.id);
        return true;
    }
    report_warning(&drive->report, "stopping: the agents are told to end; once more to stop at "
                   "once");
    drive_push(drive, (struct event){ .kind = EV_STOP, .now_ms = now_wall_ms() });
    return false;
}

static int loop(struct drive *drive)
{
    while (!drive->broken) {
        if (drive->queue_count > 0) {
            tick(drive, NULL);
            continue;
        }
        if (drive->finished) return exit_code_of(drive->run.engine.reason);
        wait_readable(drive->supervisor.fd, drive->signals.fd,
                      attempt_due_in(drive, now_wall_ms()));
        if (take_signals(drive)) return exit_code_of(REASON_INTERRUPTED);
        attempt_collect(drive);
        if (!drive->broken) attempt_launch_due(drive, now_wall_ms());
    }
    report_warning(&drive->report, "%s", drive->err.text);
    if (drive->run.event_count > 0 || drive->run.engine.state != ENGINE_IDLE) {
        report_warning(&drive->report, "nothing is lost: hone resume %s continues the run",
                       drive->run.row.id);
    }
    return 3;
}

static int drive_agents(struct drive *drive)
{
    const struct plan *plan = &drive->run.plan;

    drive->agents = arena_alloc(&drive->arena, plan->role_count * sizeof *drive->agents);
    for (uint32_t i = 1; i < plan->role_count; i++) {
        const char *spec = settings_agent(&drive->run.settings, plan->roles[i].name);
        int rc;

        if (plan->roles[i].builtin) continue;
        if (!spec) {
            return err_set(&drive->err, ERR_USAGE, "no agent for %s: name one with --agent '%s="
                           "SPEC', or one for all with --agent '*=SPEC'", plan->roles[i].name,
                           plan->roles[i].name);
        }
        rc = agent_parse(spec, &drive->arena, &drive->agents[i], &drive->err);
        if (rc == 0 && drive->agents[i].backend->check) {
            rc = drive->agents[i].backend->check(&drive->agents[i], &drive->err);
        }
        if (rc != 0) return rc;
    }
    return 0;
}

/* Takes the workspace: nothing is touched before. */
static int drive_lock(struct drive *drive, const char *note)
{
    struct lock_owner owner = { 0 };
    const char *path;
    int rc = file_make_folder(arena_printf(&drive->arena, "%s/locks", drive->repo.hone_dir), false,
                              &drive->err);

    if (rc == 0) {
        rc = place_lock_path(&drive->repo, drive->repo.workspace, &drive->arena, &path,
                             &drive->err);
    }
    if (rc == 0) rc = lock_open(&drive->lock, path, note, LOCK_WAIT_MS, &owner, &drive->err);
    if (rc == ERR_BUSY) {
        return err_set(&drive->err, ERR_BUSY, "run %s is at work in this workspace (process %ld): "
                       "hone status shows it, hone stop ends it", owner.note, (long)owner.pid);
    }
    return rc;
}

static int drive_engines(struct drive *drive, const char *run)
{
    int rc = file_make_folder(place_run(&drive->repo, run, &drive->arena), false, &drive->err);

    if (rc == 0) rc = signals_open(&drive->signals, &drive->err);

    if (rc == 0) rc = supervisor_start(&drive->supervisor, drive->lock.fd, &drive->err);
    if (rc == 0) {
        rc = journal_open(&drive->journal, place_journal(&drive->repo, &drive->arena),
                          &drive->err);
    }
    return rc;
}

static void drive_sandbox(struct drive *drive)
{
    bool processes = false;
    const char *problem;

    for (uint32_t i = 1; i < drive->run.plan.role_count; i++) {
        const struct role *role = &drive->run.plan.roles[i];
        if (!role->builtin && !role->writes && !drive->agents[i].backend->play) processes = true;
    }
    if (!processes || drive->run.settings.sandbox_off) return;
    problem = sandbox_problem();
    drive->sandboxed = !problem;
    if (problem) {
        report_warning(&drive->report, "reviewers run without a sandbox (%s): what they change is "
                       "found and put back", problem);
    }
}

/* An earlier run's files are moved aside, never deleted. */
static int drive_trail(struct drive *drive, uint64_t now_ms)
{
    const char *trail = drive->run.dialect->trail;
    const char *from = arena_printf(&drive->arena, "%s/%s", drive->repo.workspace, trail);
    char iso[CLOCK_ISO_BYTES];
    char stamp[CLOCK_ISO_BYTES];
    size_t used = 0;
    const char *to;

    if (!file_exists(from)) return 0;
    for (const char *byte = clock_iso(now_ms, iso); *byte; byte++) {
        if (*byte != '-' && *byte != ':') stamp[used++] = *byte;
    }
    stamp[used] = '\0';
    to = arena_printf(&drive->arena, "%s-%s-%s", from, stamp, drive->run.row.id);
    return file_rename(from, to, &drive->err);
}

static int run_begin(struct drive *drive, const struct headless_request *request)
{
    struct buf settings;
    char id[RUN_ID_LETTERS + 1];
    uint64_t now_ms = now_wall_ms();
    struct journal_run row = { .id = id, .dialect = request->dialect->name, .task = request->task,
                               .created_ms = now_ms, .updated_ms = now_ms };
    int rc = repo_open(&drive->repo, request->start, true, &drive->err);

    if (rc != 0) return rc;
    random_word(id, RUN_ID_LETTERS);
    buf_init(&settings, 1 << 20);
    settings_write(request->settings, &settings);
    row.settings = buf_cstr(&settings);
    row.workspace = drive->repo.workspace;
    rc = replay_init(&drive->run, &row, &drive->err);
    buf_release(&settings);
    if (rc == 0) rc = drive_agents(drive);
    if (rc == 0) rc = drive_lock(drive, id);
    if (rc == 0) rc = drive_engines(drive, id);
    if (rc == 0) rc = drive_trail(drive, now_ms);
    if (rc == 0) {
        drive_sandbox(drive);
        report_run(drive, false);
        drive_push(drive, (struct event){ .kind = EV_START, .now_ms = now_wall_ms() });
        tick(drive, &drive->run.row);
    }
    return rc;
}

static int run_find(struct drive *drive, const char *prefix, struct journal_run *row)
{
    struct journal *journal = NULL;
    int rc = journal_open_readonly(&journal, place_journal(&drive->repo, &drive->arena),
                                   &drive->err);

    if (rc == ERR_MISSING) {
        return err_set(&drive->err, ERR_USAGE, "there are no runs in this repository yet: "
                       "hone run DIALECT starts one");
    }
    if (rc != 0) return rc;
    rc = journal_find(journal, prefix, drive->repo.workspace, &drive->arena, row, &drive->err);
    journal_close(journal);
    return rc;
}

/* What the engine must know before it goes on: ends nobody noticed, a tree that moved. */
static int run_recover(struct drive *drive)
{
    const struct lane *lane = &drive->run.engine.lanes[0];
    bool drifted;
    int rc = watch_resume(drive, lane, &drifted);

    if (rc != 0) return rc;
    if (drifted) {
        drive_push(drive, (struct event){ .kind = EV_DRIFT, .now_ms = now_wall_ms() });
    } else {
        attempt_recover(drive);
    }
    drive->recovering = true;
    while (drive->queue_count > 0 && !drive->broken) tick(drive, NULL);
    drive->recovering = false;
    drive->finished = false;
    return 0;
}

static int run_resume(struct drive *drive, const struct headless_request *request)
{
    struct journal_run row;
    int rc = repo_open(&drive->repo, request->start, false, &drive->err);

    if (rc == 0) rc = run_find(drive, request->resume, &row);
    if (rc == 0 && strcmp(row.workspace, drive->repo.workspace) != 0) {
        repo_release(&drive->repo);
        rc = repo_open(&drive->repo, row.workspace, false, &drive->err);
    }
    if (rc == 0) rc = drive_lock(drive, row.id);
    if (rc == 0) rc = drive_engines(drive, row.id);
    if (rc == 0) rc = replay_init(&drive->run, &row, &drive->err);
    if (rc == 0) rc = replay_run(&drive->run, drive->journal, NULL, NULL, &drive->err);
    if (rc != 0) return rc;
    if (!engine_can_resume(&drive->run.engine)) {
        rc = drive_record(drive); /* it may have died between its last event and its files */
        return rc == 0 ? drive_finish(drive) : rc;
    }
    rc = drive_agents(drive);
    if (rc != 0) return rc;
    drive_sandbox(drive);
    report_run(drive, true);
    rc = run_recover(drive);
    if (rc == 0 && engine_can_resume(&drive->run.engine)) {
        drive_push(drive, (struct event){ .kind = EV_RESUME, .now_ms = now_wall_ms() });
    } else if (rc == 0) {
        drive->finished = true; /* what had ended unnoticed was the last that was missing */
    }
    return rc;
}

static void drive_close(struct drive *drive)
{
    supervisor_close(&drive->supervisor);
    signals_close(&drive->signals);
    journal_close(drive->journal);
    lock_close(&drive->lock);
    watch_release(&drive->watch);
    replay_release(&drive->run);
    for (uint32_t i = 0; i < drive->queue_count; i++) arena_release(&drive->queue[i].arena);
    free(drive->queue);
    free(drive->live);
    repo_release(&drive->repo);
    arena_release(&drive->arena);
}

static int failure_code(const struct err *err)
{
    switch (err->code) {
    case ERR_USAGE:
    case ERR_BUSY:
    case ERR_MISSING:
        return 2;
    case ERR_NONE:
    case ERR_SYSTEM:
    case ERR_FORMAT:
    case ERR_LIMIT:
    case ERR_FAILED:
        break;
    }
    return 3;
}

int headless_run(const struct headless_request *request)
{
    struct drive drive = {
        .lock = { .fd = -1 },
        .supervisor = { .fd = -1 },
        .signals = { .fd = -1, .write_fd = -1 },
        .report = { .json = request->json, .quiet = request->quiet, .color = request->color,
                    .started_ms = now_wall_ms() },
    };
    int rc, code;

    random_word(drive.fence, FENCE_LETTERS);
    snprintf(drive.owner, sizeof drive.owner, "%ld", process_id());
    rc = request->resume ? run_resume(&drive, request) : run_begin(&drive, request);
    if (rc != 0) {
        report_warning(&drive.report, "%s", drive.err.text);
        code = failure_code(&drive.err);
    } else {
        code = loop(&drive);
        if (drive.finished) report_finish(&drive);
    }
    drive_close(&drive);
    return code;
}
