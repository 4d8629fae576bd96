/* SPDX-License-Identifier: Apache-2.0
 *
 * tick.c - one turn of a run, alike in every driver: journal the events, step the engine, perform
 * its actions.
 *
 *   queue --> one transaction --> for each event: step, tell, then its actions in order:
 *             record and finish here; start, stop and ask by the driver's hands
 *
 * 1. An event is on the disk before any of its actions begins.
 * 2. What hone itself cannot do (a full disk) breaks the drive: agents are ended, nothing more is
 *    journaled, the run is as resumable as after a kill.
 * 3. Contract files are whole at any moment, and on the disk before the next event is.
 * 4. Steps that only record, and are followed by another at once, are recorded together.
 * 5. At the close the supervisor goes first, so that nothing runs when the lock goes.
 *
 * What grows: the journal with the events, the arena by some hundred bytes with each attempt.
 *
 * Not here: where events come from (headless/, hosted/, playback/). */
#include "drive/attempt.h"

#include "base/mem.h"
#include "drive/continue.h"
#include "drive/isolate.h"
#include "drive/open.h"
#include "drive/undo.h"
#include "io/file/file.h"
#include "report/remarks.h"
#include "run/site.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum { WARNING_BYTES_MAX = 2048 };

void drive_init(struct drive *drive, const struct hands *hands)
{
    *drive = (struct drive){
        .hands = hands, .session = "", .host = "",
        .lock = { .fd = -1 }, .supervisor = { .fd = -1 }, .signals = { .fd = -1, .write_fd = -1 },
    };
}

struct run_view drive_view(const struct drive *drive, uint32_t lane)
{
    struct run_view view = run_view(&drive->run, lane);

    view.owner = drive->owner;
    view.fence = drive->fence;
    view.answers = drive->answers;
    view.session = drive->session;
    return view;
}

struct run_view drive_view_of(const struct drive *drive, const struct action *action)
{
    struct run_view view = drive_view(drive, action->lane);
    const struct site *site = site_seen(&drive->run, action);

    if (site) view.workspace = site->repo.workspace;
    return view;
}

void drive_tell(struct drive *drive, const struct news *news)
{
    drive->hands->tell(drive, news);
}

void drive_warn_by(struct drive *drive, const char *format, va_list args)
{
    char text[WARNING_BYTES_MAX];

    vsnprintf(text, sizeof text, format, args);
    drive_tell(drive, &(struct news){ .kind = NEWS_WARNING, .text = text });
}

void drive_warn(struct drive *drive, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    drive_warn_by(drive, format, args);
    va_end(args);
}

void drive_queue(struct drive *drive, const struct pending *pending)
{
    drive->queue = mem_grow(drive->queue, drive->queue_count, &drive->queue_cap,
                            sizeof *drive->queue);
    drive->queue[drive->queue_count] = *pending;
    if (!pending->event.waivers &&
        (pending->event.kind == EV_START || pending->event.kind == EV_RESUME)) {
        drive->queue[drive->queue_count].event.waivers = drive->waivers;
        drive->queue[drive->queue_count].event.waiver_count = drive->waiver_count;
    }
    drive->queue_count++;
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

/* They follow from the events, so the disk is not waited for: a resume writes them again. */
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

void drive_act(struct drive *drive, const struct action *action)
{
    switch (action->kind) {
    case ACT_START:
        if (!drive->recovering) attempt_start(drive, action);
        break;
    case ACT_STOP:
        attempt_stop(drive, action);
        break;
    case ACT_ASK:
        drive_tell(drive, &(struct news){ .kind = NEWS_ASK, .action = action });
        break;
    case ACT_RECORD:
    case ACT_FINISH:
        break;
    }
}

static void perform(struct drive *drive, const struct action *action)
{
    int rc = 0;

    if (action->kind == ACT_RECORD) rc = drive_record(drive);
    else if (action->kind == ACT_FINISH) rc = drive_finish(drive);
    else drive_act(drive, action);
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

void drive_step(struct drive *drive, const struct event *event, struct actions *actions)
{
    struct run *run = &drive->run;
    uint32_t rounds = run->engine.round_count;
    enum remark remark;

    bars_lift(&drive->bars, event->kind);
    engine_step(&run->engine, event, actions);
    remark = remark_note(run, event);
    if (remark == REMARK_USELESS_TEST) {
        drive_tell(drive, &(struct news){ .kind = NEWS_USELESS_TEST });
    } else if (remark == REMARK_UNVERIFIED) {
        drive_tell(drive, &(struct news){ .kind = NEWS_UNVERIFIED });
    }
    drive_tell(drive, &(struct news){ .kind = NEWS_STEP, .rounds_before = rounds,
                                      .lane = event->lane });
}

static void take_step(struct drive *drive, const struct event *event, bool last)
{
    struct actions actions = { 0 };

    drive_step(drive, event, &actions);
    for (uint32_t i = 0; i < actions.count && !drive->broken; i++) {
        /* Whether the step only records and another follows at once: that one records for both. */
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

    /* The run had no process: the time before does not count, and what is asked for is not
     * started. */
    for (uint32_t i = 0; i < count && drive->recovering; i++) drive->queue[i].event.late = true;
    if (journal_queue(drive, fresh) != 0) {
        drive_break(drive);
        return;
    }
    for (uint32_t i = 0; i < drive->live_count; i++) { /* before the next attempts begin */
        if (drive->live[i]->over) isolate_dispose(drive, drive->live[i]);
    }
    drive->run.event_count += count;
    queue = drive->queue;
    drive->queue = NULL;
    drive->queue_count = drive->queue_cap = 0;
    for (uint32_t i = 0; i < count && !drive->broken; i++) {
        take_step(drive, &queue[i].event, i + 1 == count);
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

void drive_close(struct drive *drive)
{
    struct err ignored;

    file_settle(&drive->run.debt, &ignored); /* of a run that was over when it was resumed */
    tree_ahead_drop(&drive->ahead);
    agents_close(drive);
    if (drive->finished && !drive->broken) isolate_sweep(drive);
    if (undo_left(drive) != 0) drive_warn(drive, "%s", drive->err.text);
    signals_close(&drive->signals);
    journal_close(drive->run.journal);
    drive->run.journal = NULL;
    lock_close(&drive->lock);
    refs_release(&drive->guard.refs);
    for (uint32_t i = 0; i < drive->queue_count; i++) arena_release(&drive->queue[i].arena);
    free(drive->queue);
    live_sweep(drive, true);
    free(drive->live);
    waits_release(&drive->waits);
    bars_release(&drive->bars);
    mask_release(&drive->mask);
    buf_release(&drive->continued);
    run_release(&drive->run);
}
