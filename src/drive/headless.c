/* SPDX-License-Identifier: Apache-2.0
 *
 * headless.c - the loop: stamp the time, journal the event, step the engine, perform.
 *
 *   loop:  notices, signals, due starts --> events --> one transaction --> for each event:
 *          step, then its actions in order: record, start, stop, ask, finish
 *   close: supervisor first, so that nothing runs when the lock goes
 *
 * 1. An event is on the disk before any of its actions begins.
 * 2. What hone itself cannot do (a full disk) breaks the drive: agents are ended, nothing more is
 *    journaled, the run is as resumable as after a kill.
 * 3. Contract files are whole at any moment, and on the disk before the next event is.
 * 4. Steps that only record, and are followed by another at once, are recorded together.
 *
 * What grows: the journal with the events, the arena by some hundred bytes with each attempt.
 *
 * Not here: how a run is opened, new or again (open.c). */
#include "drive/drive.h"

#include "base/mem.h"
#include "io/file/file.h"
#include "io/process/host.h"
#include "run/exit_code.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

void drive_init(struct drive *drive, const struct hands *hands)
{
    *drive = (struct drive){
        .hands = hands, .session = "", .host = "",
        .lock = { .fd = -1 }, .supervisor = { .fd = -1 }, .signals = { .fd = -1, .write_fd = -1 },
    };
}

struct run_view drive_view(const struct drive *drive, uint32_t lane)
{
    const struct site *site = site_find(drive, lane);

    return (struct run_view){
        .engine = &drive->run.engine,
        .id = drive->run.row.id,
        .task = drive->run.row.task,
        .workspace = site ? site->repo.workspace : drive->run.repo.workspace,
        .owner = drive->owner,
        .changed = site ? site->watch.changed : NULL,
        .changed_count = site ? site->watch.changed_count : 0,
        .since = site && site->since ? site->since : drive->run.settings.since,
        .scope_given = drive->run.settings.scope_given,
        .settings = &drive->run.settings.options,
        .test = drive->run.settings.test,
        .fence = drive->fence,
        .backend = "",
        .worktrees = drive->run.worktrees,
        .uuid = drive->run.settings.uuid,
        .recorded = drive->run.recorded,
        .answers = drive->answers,
        .session = drive->session,
    };
}

uint32_t drive_iteration(const struct drive *drive, const struct action *action)
{
    const struct lane *lane = &drive->run.engine.lanes[action->lane];

    if (action->lane > 0) { /* of its writer: what it did before, and what it does now */
        return lane_iterations(lane) +
               (action->purpose == FOR_WORK || action->purpose == FOR_REPAIR);
    }
    return drive->run.dialect->rounds_are_iterations ? action->round : action->iteration;
}

void drive_queue(struct drive *drive, const struct pending *pending)
{
    drive->queue = mem_grow(drive->queue, drive->queue_count, &drive->queue_cap,
                            sizeof *drive->queue);
    drive->queue[drive->queue_count++] = *pending;
}

void drive_push(struct drive *drive, struct event event)
{
    drive_queue(drive, &(struct pending){ .event = event });
}

void drive_break(struct drive *drive)
{
    assert(drive->err.code != ERR_NONE);
    drive->broken = true;
}

/* They follow from the events, so that nobody waits for the disk: a resume writes them again. */
static int put_rows(struct drive *drive, const struct contract *contract)
{
    int rc = journal_begin_loose(drive->run.journal, &drive->err);

    for (uint32_t i = 0; i < contract->row_count && rc == 0; i++) {
        rc = journal_put_row(drive->run.journal, &contract->rows[i], &drive->err);
    }
    return rc == 0 ? journal_commit(drive->run.journal, &drive->err) : rc;
}

int drive_record(struct drive *drive)
{
    struct run_view view = drive_view(drive, 0);
    struct contract contract = { 0 };
    struct file_item *items;
    int rc = 0;

    drive->run.dialect->record(&view, &contract);
    items = arena_alloc(&contract.arena, (contract.file_count + 1) * sizeof *items);
    for (uint32_t i = 0; i < contract.file_count; i++) {
        items[i] = (struct file_item){ contract.files[i].path, contract.files[i].content };
    }
    for (uint32_t i = 0; i < contract.folder_count && rc == 0; i++) {
        rc = file_make_folder_in(drive->run.repo.workspace, contract.folders[i], &drive->err);
    }
    for (uint32_t i = 0; i < contract.absent_count && rc == 0; i++) {
        rc = file_remove_in(drive->run.repo.workspace, contract.absent[i], &drive->err);
    }
    if (rc == 0) rc = continue_keep_other(drive, &contract);
    if (rc == 0) {
        rc = file_write_owing(drive->run.repo.workspace, items, contract.file_count,
                              &drive->run.debt, &drive->err);
    }
    if (rc == 0 && contract.row_count > 0) rc = put_rows(drive, &contract);
    contract_release(&contract);
    if (rc == 0) drive->run.recorded = drive->run.engine.steps;
    return rc == 0 ? 0 : err_wrap(&drive->err, "write the run's files");
}

int drive_finish(struct drive *drive)
{
    int rc = journal_begin(drive->run.journal, &drive->err);

    if (rc == 0) {
        rc = journal_put_reason(drive->run.journal, drive->run.row.id, drive->run.engine.reason,
                                &drive->err);
    }
    if (rc == 0) rc = journal_commit(drive->run.journal, &drive->err);
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
    int rc = journal_begin(drive->run.journal, &drive->err);

    if (rc == 0 && fresh) rc = journal_put_run(drive->run.journal, fresh, &drive->err);
    for (uint32_t i = 0; i < drive->queue_count && rc == 0; i++) {
        rc = journal_put_event(drive->run.journal, drive->run.row.id, &drive->queue[i].event,
                               &drive->err);
    }
    return rc == 0 ? journal_commit(drive->run.journal, &drive->err) : rc;
}

static void step(struct drive *drive, const struct event *event, bool last)
{
    struct actions actions = { 0 };
    uint32_t rounds = drive->run.engine.round_count;

    engine_step(&drive->run.engine, event, &actions);
    ledger_note(&drive->run.ledger, event, &actions);
    if (remark_note(drive, event)) report_useless_test(drive);
    report_step(drive, rounds, event->lane);
    for (uint32_t i = 0; i < actions.count && !drive->broken; i++) {
        /* Nothing but a record, and another step at once: that one records for both. */
        drive->unrecorded = actions.count == 1 && !last;
        if (!drive->unrecorded) perform(drive, &actions.item[i]);
    }
    actions_release(&actions);
}

void drive_tick(struct drive *drive, const struct journal_run *fresh)
{
    struct pending *queue;
    uint32_t count = drive->queue_count;
    struct err err;

    /* Nobody was there: the time before does not count, and what is asked for is not started. */
    for (uint32_t i = 0; i < count && drive->recovering; i++) drive->queue[i].event.late = true;
    if (journal_queue(drive, fresh) != 0) {
        drive_break(drive);
        return;
    }
    drive->run.event_count += count;
    queue = drive->queue;
    drive->queue = NULL;
    drive->queue_count = drive->queue_cap = 0;
    for (uint32_t i = 0; i < count && !drive->broken; i++) {
        step(drive, &queue[i].event, i + 1 == count);
    }
    if (drive->unrecorded && !drive->broken) perform(drive, &(struct action){ .kind = ACT_RECORD });
    drive->unrecorded = false;
    /* Agents that were just started are at work while the disk is waited for. */
    if (file_settle(&drive->run.debt, &err) != 0 && !drive->broken) {
        drive->err = err;
        drive_break(drive);
    }
    for (uint32_t i = 0; i < count; i++) arena_release(&queue[i].arena);
    free(queue);
    live_sweep(drive, false);
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

/* Milliseconds until something is due by the clock alone; -1: nothing is. */
static int64_t due_in(const struct drive *drive, uint64_t now_ms)
{
    int64_t attempt = attempt_due_in(drive, now_ms), time = spending_due_in(drive, now_ms);

    return time >= 0 && (attempt < 0 || time < attempt) ? time : attempt;
}

static int loop(struct drive *drive)
{
    while (!drive->broken) {
        if (drive->queue_count > 0) {
            drive_tick(drive, NULL);
            continue;
        }
        if (drive->answered) return CODE_DONE;
        if (drive->finished) return exit_code_of(drive->run.engine.reason);
        wait_readable(drive->supervisor.fd, drive->signals.fd,
                      report_wait_ms(&drive->report, due_in(drive, now_wall_ms())));
        report_tick(&drive->report);
        if (take_signals(drive)) return exit_code_of(REASON_INTERRUPTED);
        attempt_collect(drive);
        if (!drive->broken) spending_look(drive, now_wall_ms());
        if (!drive->broken) attempt_launch_due(drive, now_wall_ms());
        if (!drive->broken) limits_look(drive);
    }
    if (drive->run.event_count == 0 && drive->run.engine.state == ENGINE_IDLE) {
        report_warning(&drive->report, "run %s could not begin, and there is nothing to resume: "
                       "%s", drive->run.row.id, drive->err.text);
        return CODE_FAILED;
    }
    report_warning(&drive->report, "%s", drive->err.text);
    report_warning(&drive->report, "nothing is lost: hone resume %s continues the run",
                   drive->run.row.id);
    return CODE_FAILED;
}

void drive_close(struct drive *drive)
{
    struct err ignored;

    file_settle(&drive->run.debt, &ignored); /* of a run that was over when it was resumed */
    tree_ahead_drop(&drive->ahead);
    supervisor_close(&drive->supervisor);
    signals_close(&drive->signals);
    journal_close(drive->run.journal);
    drive->run.journal = NULL;
    lock_close(&drive->lock);
    sites_release(drive);
    refs_release(&drive->refs);
    for (uint32_t i = 0; i < drive->queue_count; i++) arena_release(&drive->queue[i].arena);
    free(drive->queue);
    live_sweep(drive, true);
    free(drive->live);
    waits_release(&drive->waits);
    mask_release(&drive->mask);
    buf_release(&drive->continued);
    run_release(&drive->run);
}

/* The view leaves the screen to the question, and comes back behind the answer. */
static bool ask(struct drive *drive, const struct headless_request *request)
{
    if (request->json || request->quiet) return false;
    report_close(&drive->report);
    if (!ask_person(drive)) return false;
    report_open(&drive->report, request);
    report_run(drive, true);
    return true;
}

/* An attempt begins at once, or when its pause is over. */
static void headless_start(struct drive *drive, struct live *live)
{
    if (live->due_ms <= now_wall_ms()) attempt_launch(drive, live);
}

static const struct hands headless_hands = { .start = headless_start };

int headless_run(const struct headless_request *request)
{
    struct drive drive;
    int rc, code;

    drive_init(&drive, &headless_hands);
    report_open(&drive.report, request);
    mask_learn(&drive.mask, host_environment());
    random_word(drive.fence, FENCE_LETTERS);
    snprintf(drive.owner, sizeof drive.owner, "%ld", process_id());
    rc = request->resume ? run_resume(&drive, request) : run_begin(&drive, request);
    code = rc == 0 ? loop(&drive) : (int)exit_code_of_err(&drive.err);
    while (drive.finished && ask(&drive, request)) {
        code = loop(&drive);
    }
    report_close(&drive.report);
    if (drive.finished) lanes_end(&drive);
    if (rc != 0) report_warning(&drive.report, "%s", drive.err.text);
    if (drive.finished) report_finish(&drive);
    if (rc == 0) children_tell(&drive);
    drive_close(&drive);
    return code;
}
