/* SPDX-License-Identifier: Apache-2.0
 *
 * headless.c - a run from its start, or from where it was left, to its end, in one process.
 *
 *   open --> loop: notices, signals, due starts --> events --> drive_tick() --> close
 *                    '--finished, and a person at the terminal answers--> loop again
 *
 * Its hands: hone starts the agents and stops them, asks at the terminal, and tells by lines, a
 * view or JSON (report/).
 *
 * Not here: what one turn does with the events (drive/tick.c), how a run is opened (open.c). */
#include "drive/headless/parts.h"

#include "drive/ask.h"
#include "drive/attempt.h"
#include "drive/lanes.h"
#include "drive/spending.h"
#include "io/file/file.h"
#include "io/file/line.h"
#include "io/process/host.h"
#include "run/exit_code.h"

#include <stdio.h>

enum { LANES_BYTES_MAX = 1 << 20 };

static struct headless *headless_of(struct drive *drive)
{
    return (struct headless *)drive;
}

/* ---- hands ---- */

/* An attempt begins at once, or when its pause is over. */
static void headless_start(struct drive *drive, struct live *live)
{
    if (live->due_ms <= now_wall_ms()) attempt_launch(drive, live);
}

/* The view leaves the screen to the question. */
static bool headless_ask(struct drive *drive, const struct dialog *dialog, uint32_t *chosen)
{
    struct headless *headless = headless_of(drive);
    bool can_ask = !headless->request->json && !headless->request->quiet && line_can_ask();

    if (!can_ask) return false;
    report_close(&headless->report);
    return dialog_ask(dialog, drive->signals.fd, chosen);
}

/* A new run that was not refused is told of before its first agent begins: then hone tidies up. */
static void headless_tell(struct drive *drive, const struct news *news)
{
    struct headless *headless = headless_of(drive);
    bool begins = news->kind == NEWS_RUN && !headless->request->resume && !headless->tidied;

    if (begins) {
        headless->tidied = true;
        tidy_exclude(drive);
        tidy_old_runs(drive);
    }
    report_tell(&headless->report, &drive->run, news);
}

static const struct hands headless_hands = {
    .start = headless_start, .stop = attempt_cancel, .ask = headless_ask, .tell = headless_tell,
};

/* ---- the loop ---- */

/* The first signal stops the run in order, the second at once. */
static bool take_signals(struct drive *drive)
{
    uint32_t came = signals_take(&drive->signals);
    bool stopping = drive->run.engine.state == ENGINE_STOPPING;

    if (came == 0) return false;
    if (stopping || came > 1) {
        drive_warn(drive, "stopped at once; hone resume %s continues the run",
                   drive->run.row.id);
        return true;
    }
    drive_warn(drive, "stopping: the agents are told to end; once more to stop at "
               "once");
    drive_push(drive, (struct event){ .kind = EV_STOP, .now_ms = now_wall_ms() });
    return false;
}

/* Milliseconds until something is due by the clock alone; -1: nothing is. */
static int64_t due_in(const struct drive *drive, uint64_t now_ms)
{
    int64_t soonest = attempt_due_in(drive, now_ms);
    const int64_t others[] = { spending_due_in(drive, now_ms), limits_progress_in(drive) };

    for (uint32_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (others[i] >= 0 && (soonest < 0 || others[i] < soonest)) soonest = others[i];
    }
    return soonest;
}

/* What kept hone from going on; and where that was a sandbox around it, so much. */
static void warn_of_error(struct drive *drive)
{
    const char *cage = cage_of_hone(&drive->err);

    drive_warn(drive, "%s", drive->err.text);
    if (cage) drive_warn(drive, "%s", cage);
}

static int loop(struct headless *headless)
{
    struct drive *drive = &headless->drive;

    while (!drive->broken) {
        if (drive->queue_count > 0) {
            drive_tick(drive, NULL);
            continue;
        }
        if (drive->answered) return CODE_DONE;
        if (drive->finished) return run_exit_code(&drive->run);
        wait_readable(drive->supervisor.fd, drive->signals.fd,
                      report_wait_ms(&headless->report, due_in(drive, now_wall_ms())));
        report_tick(&headless->report);
        if (take_signals(drive)) return exit_code_of(REASON_INTERRUPTED);
        attempt_collect(drive);
        if (!drive->broken) spending_look(drive, now_wall_ms());
        if (!drive->broken) attempt_launch_due(drive, now_wall_ms());
        if (!drive->broken) limits_look(drive);
        if (!drive->broken) limits_progress(drive);
    }
    if (drive->run.event_count == 0 && drive->run.engine.state == ENGINE_IDLE) {
        err_wrap(&drive->err, "run %s could not begin, and there is nothing to resume",
                 drive->run.row.id);
        warn_of_error(drive);
        return CODE_FAILED;
    }
    warn_of_error(drive);
    drive_warn(drive, "nothing is lost: hone resume %s continues the run",
               drive->run.row.id);
    return CODE_FAILED;
}

static void show_report(struct headless *headless)
{
    const struct headless_request *request = headless->request;

    report_open(&headless->report,
                &(struct report){ .json = request->json, .quiet = request->quiet,
                                  .color = request->color, .folder = request->start },
                request->dialect ? request->dialect->name : NULL);
}

/* The view comes back behind the answer. */
static bool ask_again(struct headless *headless)
{
    if (!ask_person(&headless->drive)) return false;
    show_report(headless);
    drive_tell(&headless->drive, &(struct news){ .kind = NEWS_RUN, .resumed = true });
    return true;
}

static void tell_end(struct headless *headless)
{
    struct buf lanes;

    buf_init(&lanes, LANES_BYTES_MAX);
    lanes_report(&headless->drive, &lanes);
    report_finish(&headless->report, &headless->drive.run, buf_cstr(&lanes));
    buf_release(&lanes);
}

int headless_run(const struct headless_request *request)
{
    struct headless headless = { .request = request };
    struct drive *drive = &headless.drive;
    struct opening opening = {
        .way = request->resume ? &headless_left : &headless_new, .context = &headless,
        .asked = { .start = request->start, .dialect = request->dialect, .task = request->task,
                   .settings = request->settings, .findings = request->findings,
                   .finding_count = request->finding_count },
    };
    int rc, code;

    drive_init(drive, &headless_hands);
    show_report(&headless);
    mask_learn(&drive->mask, host_environment(), file_exists);
    random_word(drive->fence, FENCE_LETTERS);
    snprintf(drive->owner, sizeof drive->owner, "%ld", process_id());
    rc = run_open(drive, &opening);
    if (rc == 0 && request->run) buf_text(request->run, drive->run.row.id);
    code = rc == 0 ? loop(&headless) : (int)exit_code_of_err(&drive->err);
    while (drive->finished && ask_again(&headless)) code = loop(&headless);
    report_close(&headless.report);
    if (drive->finished) lanes_end(drive);
    if (rc != 0) warn_of_error(drive);
    if (drive->finished && !(request->mute && code <= CODE_USAGE)) tell_end(&headless);
    if (rc == 0) children_tell(drive);
    drive_close(drive);
    return code;
}
