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
#include "io/terminal/keys.h"
#include "run/calls.h"
#include "run/cast.h"
#include "run/exit_code.h"

#include <inttypes.h>
#include <stdio.h>

enum { LANES_BYTES_MAX = 1 << 20 };

static struct headless *headless_of(struct drive *drive)
{
    return (struct headless *)drive;
}

/* ---- hands ---- */

/* Whether the user's ceiling of calls keeps it from beginning: then it has ended, and is asked for
 * again when there is room. Only agents whose answer may cost something are calls. */
static bool is_at_ceiling(struct headless *headless, struct live *live)
{
    struct drive *drive = &headless->drive;
    uint32_t ceiling = headless->notices.settings.calls_per_hour;
    uint64_t until_ms;
    bool damaged;

    if (ceiling == 0 || is_builtin(&drive->run, &live->action)) return false;
    if (!agent_of(&drive->run, &live->action)->backend->may_cost) return false;
    if (calls_take(ceiling, live->dir, &until_ms, &damaged, &drive->err) != 0) {
        drive_break(drive);
        return true;
    }
    if (damaged && !headless->damage_said) {
        headless->damage_said = true;
        drive_warn(drive, "%s is no record of calls that hone wrote, and counts as full: it is "
                   "waited for an hour, or until you remove it", calls_path(&drive->run.arena));
    }
    if (until_ms == 0) return false;
    attempt_postpone(drive, live, until_ms, arena_printf(&drive->run.arena, "all runs of yours "
                     "together may start %" PRIu32 " agents in an hour (limits.calls_per_hour)",
                     ceiling));
    return true;
}

/* An attempt begins at once, or when its pause is over and the user's ceiling lets it. */
static void headless_start(struct drive *drive, struct live *live)
{
    if (live->due_ms > now_wall_ms()) return;
    (void)fleet_takes(&headless_of(drive)->fleet, drive, live);
    if (drive->held) live->due_ms = now_wall_ms(); /* pause.c */
    else if (!is_at_ceiling(headless_of(drive), live)) attempt_launch(drive, live);
}

/* One that has not begun, here or elsewhere, has no process and no job yet. */
static void headless_stop(struct drive *drive, struct live *live)
{
    if (live->away && live->due_ms == 0 && !live->waits) {
        fleet_stop(&headless_of(drive)->fleet, drive, live);
    } else {
        attempt_cancel(drive, live);
    }
}

static void headless_send(struct drive *drive, struct live *live, const struct attempt *about)
{
    fleet_send(&headless_of(drive)->fleet, drive, live, about);
}

static void headless_fetch(struct drive *drive, struct live *live)
{
    live->away = fleet_was_sent(live);
    if (live->away) fleet_fetch(&headless_of(drive)->fleet, drive, live);
}

/* The view leaves the screen to the question. */
static bool headless_ask(struct drive *drive, const struct dialog *dialog, uint32_t *chosen)
{
    struct headless *headless = headless_of(drive);
    bool can_ask = !headless->request->json && !headless->request->quiet && line_can_ask();

    if (!can_ask) return false;
    pause_close(&headless->pause);
    report_close(&headless->report);
    notices_ask(&headless->notices, drive);
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
    telemetry_tell(&headless->telemetry, drive, news);
    report_tell(&headless->report, &drive->run, news);
}

static const struct hands headless_hands = {
    .start = headless_start, .send = headless_send, .stop = headless_stop,
    .fetch = headless_fetch, .ask = headless_ask, .tell = headless_tell,
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
static int64_t due_in(const struct headless *headless, uint64_t now_ms)
{
    const struct drive *drive = &headless->drive;
    int64_t soonest = drive->held ? limits_due_in(drive) : attempt_due_in(drive, now_ms);
    const int64_t others[] = { pause_is_idle(drive) ? -1 : spending_due_in(drive, now_ms),
                               limits_progress_in(drive), fleet_due_in(&headless->fleet) };

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

static void loop_wait(const struct headless *headless)
{
    const struct drive *drive = &headless->drive;
    struct awaited awaited[3 + CARRIER_AWAITED] = {
        { .fd = drive->supervisor.fd }, { .fd = drive->signals.fd },
        { .fd = headless->pause.on ? keys_fd() : -1 },
    };
    uint32_t count = 3 + fleet_awaited(&headless->fleet, awaited + 3);

    wait_for_any(awaited, count,
                 report_wait_ms(&headless->report, due_in(headless, now_wall_ms())));
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
        pause_show(&headless->pause, drive, &headless->report);
        loop_wait(headless);
        pause_keys(&headless->pause, drive, &headless->report);
        report_tick(&headless->report);
        telemetry_tick(&headless->telemetry);
        if (take_signals(drive)) return exit_code_of(REASON_INTERRUPTED);
        attempt_collect(drive);
        if (!drive->broken) fleet_turn(&headless->fleet, drive);
        if (!drive->broken && !pause_is_idle(drive)) spending_look(drive, now_wall_ms());
        if (!drive->broken && !drive->held && drive->queue_count == 0) {
            attempt_launch_due(drive, now_wall_ms());
        }
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
    pause_open(&headless->pause, &headless->report);
}

/* The view comes back behind the answer. */
static bool ask_again(struct headless *headless)
{
    if (!ask_person(&headless->drive)) return false;
    notices_answered(&headless->notices);
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

/* What is in the way of spans is said once, and changes nothing. */
static void end_telemetry(struct headless *headless, int code)
{
    const char *problem = telemetry_close(&headless->telemetry, &headless->drive.run, code);
    char text[512];

    headless->drive.trace = headless->drive.trace_run = NULL;
    if (problem) {
        snprintf(text, sizeof text, "spans of this run did not all reach the collector: %s",
                 problem);
        drive_tell(&headless->drive, &(struct news){ .kind = NEWS_NOTE, .text = text });
    }
    arena_release(&headless->telemetry.arena);
}

/* What was recorded and left to a later resume is no news. */
static void end_notices(struct headless *headless, int code)
{
    struct drive *drive = &headless->drive;
    const char *refused = headless->notices.settings.refused;

    if (drive->answered) return;
    if (refused) {
        drive_warn(drive, "%s of hone.json does not count: it came with the repository, and you "
                   "have not agreed to it ('hone run --trust' does)", refused);
    }
    notices_close(&headless->notices, drive, code);
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
    supervisor_last_act(keys_rescue);
    show_report(&headless);
    telemetry_open(&headless.telemetry, request->version);
    mask_learn(&drive->mask, host_environment(), file_exists);
    random_word(drive->fence, FENCE_LETTERS);
    snprintf(drive->owner, sizeof drive->owner, "%ld", process_id());
    rc = notices_open(&headless.notices, request->start, request->version, &drive->err);
    if (rc == 0) rc = run_open(drive, &opening);
    if (rc == 0 && request->run) buf_text(request->run, drive->run.row.id);
    code = rc == 0 ? loop(&headless) : (int)exit_code_of_err(&drive->err);
    while (drive->finished && ask_again(&headless)) code = loop(&headless);
    pause_close(&headless.pause);
    report_close(&headless.report);
    fleet_close(&headless.fleet, drive, drive->finished && !drive->broken);
    if (drive->finished) lanes_end(drive);
    if (rc != 0) warn_of_error(drive);
    if (drive->finished && !(request->mute && code <= CODE_USAGE)) tell_end(&headless);
    if (rc == 0) children_tell(drive);
    end_telemetry(&headless, code);
    if (rc == 0) end_notices(&headless, code);
    arena_release(&headless.notices.arena);
    drive_close(drive);
    return code;
}
