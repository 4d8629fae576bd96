/* SPDX-License-Identifier: Apache-2.0
 *
 * attempt.c - attempts from ACT_START to EV_ENDED: asked for, started, stopped, collected.
 *
 *   ACT_START --(not before)--> launch --> process or script --> notice --> judged --> EV_ENDED
 *
 * 1. Exactly one EV_ENDED follows each ACT_START, whatever goes wrong in between.
 * 2. A reviewer's answer counts only if the tree of its lane is the one it was given (watch.c).
 *    What happens in one lane's tree is no other lane's affair.
 *
 * Not here: what it takes to start one (launch.c), what its end means (judge.c). */
#include "drive/drive.h"

#include "base/mem.h"
#include "drive/place.h"
#include "drive/transcript.h"
#include "io/file.h"

#include <stdlib.h>

uint64_t live_id(const struct action *action)
{
    return (uint64_t)action->job << 32 | action->attempt;
}

static struct live *live_find(struct drive *drive, uint64_t id)
{
    for (uint32_t i = 0; i < drive->live_count; i++) {
        if (live_id(&drive->live[i].action) == id) return &drive->live[i];
    }
    return NULL;
}

bool is_reviewer(const struct drive *drive, const struct action *action)
{
    const struct role *role = &drive->run.plan.roles[action->role];

    return !role->writes && !role->builtin;
}

/* Everybody who is reading now has read a tree that was being changed. */
static void taint_readers(struct drive *drive, uint32_t lane)
{
    for (uint32_t i = 0; i < drive->live_count; i++) {
        struct live *live = &drive->live[i];
        if (live->action.lane != lane || live->due_ms != 0 || live->waits) continue;
        if (is_reviewer(drive, &live->action)) live->tainted = true;
    }
}

static bool is_answered(const struct notice *notice)
{
    return notice->by == ENDED_EXIT && notice->value == 0;
}

static bool is_reading(const struct drive *drive, uint32_t lane)
{
    for (uint32_t i = 0; i < drive->live_count; i++) {
        const struct live *live = &drive->live[i];
        if (live->action.lane == lane && live->tainted && !live->held) return true;
    }
    return false;
}

/* The last reader has ended: the tree is put back, and nobody's answer counts. */
static void unspoil(struct drive *drive, struct site *site)
{
    const char *what, *problem, *keep = NULL;

    for (uint32_t i = 0; i < drive->live_count && !keep; i++) {
        if (!drive->live[i].held || drive->live[i].action.lane != site->lane) continue;
        keep = arena_printf(&drive->arena, "%s/kept", drive->live[i].dir);
    }
    what = "it was deleted";
    if (site_is_there(site) && watch_put_back(drive, site, keep, &drive->arena, &what) != 0) {
        drive_break(drive);
        return;
    }
    site->spoiled = false;
    report_warning(&drive->report, "a reviewer changed the work tree (%s): put back, its review "
                   "does not count", what);
    problem = arena_printf(&drive->arena, "The work tree was changed while you reviewed it (%s). A "
                           "reviewer changes nothing. The files were put back and your review was "
                           "not taken: review again, and only read.", what);
    for (uint32_t i = 0; i < drive->live_count;) {
        struct live *live = &drive->live[i];
        struct notice notice = live->notice;
        if (!live->held || live->action.lane != site->lane) {
            i++;
        } else if (is_answered(&notice)) {
            attempt_used(drive, live);
            attempt_void(drive, live, true, problem); /* another one takes its place in the list */
        } else {
            attempt_ended(drive, live, &notice);
        }
    }
}

/* Somebody else changed the tree: what was judged is void, on the tree as it is now. */
static const char *drift(struct drive *drive, const struct site *site, const char *what)
{
    taint_readers(drive, site->lane);
    report_warning(&drive->report, "the work tree changed during the review (%s): it is reviewed "
                   "again", what);
    drive_push(drive, (struct event){ .kind = EV_DRIFT, .now_ms = now_wall_ms(),
                                      .lane = site->lane });
    return arena_printf(&drive->arena, "The work tree was changed by somebody else while you "
                        "reviewed it (%s). Review it again, as it is now.", what);
}

/* The attempt that a notice is about, if it is of this lane and still to be ended. */
static struct live *live_of(struct drive *drive, const struct notice *notice, uint32_t lane)
{
    struct live *live = live_find(drive, notice->id);

    return live && !live->held && live->action.lane == lane ? live : NULL;
}

static bool any_reviewer(struct drive *drive, uint32_t lane, const struct notice *notices,
                         uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct live *live = live_of(drive, &notices[i], lane);
        if (live && is_reviewer(drive, &live->action)) return true;
    }
    return false;
}

/* Whoever changed what it may not change has not answered. */
static void attempt_over_guarded(struct drive *drive, struct live *live,
                                 const struct notice *notice)
{
    const char *broke = guard_end(drive, live);

    if (!is_reviewer(drive, &live->action)) site_of(drive, live->action.lane)->watch.turn = 0;
    if (drive->broken) return;
    if (broke && is_answered(notice)) {
        attempt_used(drive, live);
        attempt_void(drive, live, true, broke);
    } else {
        attempt_ended(drive, live, notice);
    }
}

/* Of all these, the ends in one lane. */
static void lane_attempts_end(struct drive *drive, uint32_t lane, const struct notice *notices,
                              uint32_t count)
{
    struct site *site = site_of(drive, lane);
    enum watch_verdict verdict = WATCH_SAME;
    const char *what, *problem = "The work tree was changed while you reviewed it. Review it "
                                 "again, as it is now.";

    if (!site->spoiled && any_reviewer(drive, lane, notices, count)) {
        if (!site_is_there(site)) {
            verdict = WATCH_DRIFTED; /* the next attempt finds it made again */
            what = "it was deleted";
        } else if (watch_look(drive, site, &drive->arena, &verdict, &what) != 0) {
            drive_break(drive);
            return;
        }
        site->spoiled = verdict == WATCH_CHANGED;
        if (site->spoiled) taint_readers(drive, lane);
        if (verdict == WATCH_DRIFTED) problem = drift(drive, site, what);
    }
    for (uint32_t i = 0; i < count; i++) {
        struct live *live = live_of(drive, &notices[i], lane);

        if (!live) continue;
        if (live->tainted && site->spoiled) {
            live->held = true;
            live->notice = notices[i];
        } else if (verdict == WATCH_WILD && is_reviewer(drive, &live->action)) {
            attempt_fail(drive, live, FAILURE_EXIT, true,
                         "the work tree keeps changing while it is reviewed");
        } else if (live->tainted && is_answered(&notices[i])) {
            attempt_used(drive, live);
            attempt_void(drive, live, false, problem);
        } else {
            attempt_over_guarded(drive, live, &notices[i]);
            if (drive->broken) return;
        }
    }
    if (site->spoiled && !is_reading(drive, lane)) unspoil(drive, site);
}

static void attempts_end(struct drive *drive, const struct notice *notices, uint32_t count)
{
    for (uint32_t i = 0; i < count && !drive->broken; i++) {
        const struct live *live = live_find(drive, notices[i].id);

        if (notices[i].id & SITE_ID) {
            site_made(drive, &notices[i]);
        } else if (live && !live->held) {
            lane_attempts_end(drive, live->action.lane, &notices[i], count - i);
        }
    }
}

/* Ends that come close together are looked at, journaled and recorded as one: whoever else is
 * still at work is waited for a moment, which nobody notices. */
void attempt_collect(struct drive *drive)
{
    uint64_t until_ms = now_steady_ms() + GATHER_MS;
    struct notice *notices = NULL;
    uint32_t count = 0, cap = 0;
    struct notice notice;
    uint64_t now_ms;
    int got;

    drive->turn++;
    for (;;) {
        while ((got = supervisor_next(&drive->supervisor, &notice)) > 0) {
            notices = mem_grow(notices, count, &cap, sizeof *notices);
            notices[count++] = notice;
        }
        now_ms = now_steady_ms();
        if (got < 0 || count == 0 || drive->supervisor.live == 0 || now_ms >= until_ms) break;
        wait_readable(drive->supervisor.fd, -1, (int64_t)(until_ms - now_ms));
    }
    if (count > 0) attempts_end(drive, notices, count);
    free(notices);
    if (got < 0) {
        err_set(&drive->err, ERR_FAILED, "the supervisor of the agents is gone; hone resume "
                "continues the run");
        drive_break(drive);
    }
}

void attempt_start(struct drive *drive, const struct action *action)
{
    struct live *live;

    drive->live = mem_grow(drive->live, drive->live_count, &drive->live_cap, sizeof *drive->live);
    live = &drive->live[drive->live_count++];
    *live = (struct live){ .action = *action };
    live->dir = place_attempt(&drive->repo, drive->run.row.id, action->job, action->attempt,
                              &drive->arena);
    live->due_ms = action->not_before_ms;
    if (drive->session) {
        live->due_ms = 1; /* not before the turn ends */
        return;
    }
    if (live->due_ms <= now_wall_ms()) attempt_launch(drive, live);
}

void attempt_stop(struct drive *drive, const struct action *action)
{
    struct live *live = live_find(drive, live_id(action));

    if (!live) return;
    if (live->due_ms != 0 || live->waits) {
        attempt_fail(drive, live, FAILURE_STOPPED, false, "was stopped before it began");
    } else if (supervisor_stop(&drive->supervisor, live_id(action), false, &drive->err) != 0) {
        drive_break(drive);
    }
}

void attempt_launch_due(struct drive *drive, uint64_t now_ms)
{
    for (uint32_t i = 0; i < drive->live_count; i++) {
        struct live *live = &drive->live[i];
        if (live->due_ms != 0 && live->due_ms <= now_ms) {
            attempt_launch(drive, live);
            i = UINT32_MAX; /* the list may have changed: look from the front again */
        }
    }
}

int64_t attempt_due_in(const struct drive *drive, uint64_t now_ms)
{
    int64_t soonest = limits_due_in(drive);

    for (uint32_t i = 0; i < drive->live_count; i++) {
        const struct live *live = &drive->live[i];
        int64_t left;
        if (live->due_ms == 0) continue;
        left = live->due_ms > now_ms ? (int64_t)(live->due_ms - now_ms) : 0;
        if (soonest < 0 || left < soonest) soonest = left;
    }
    return soonest;
}

void attempt_recover(struct drive *drive, const struct lane *lane)
{
    const struct batch *now = &lane->now;

    for (uint32_t i = 0; i < now->count; i++) {
        const struct job *job = &now->jobs[i];
        struct live live = { .action = { .kind = ACT_START, .job = job->id,
            .attempt = job->attempt, .lane = lane->id, .role = job->role,
            .purpose = job->purpose, .phase = now->phase, .iteration = now->iteration,
            .round = now->round, .copy = job->copy } };
        struct notice notice;
        struct err none;

        if (job->state != JOB_RUNNING) continue;
        live.dir = place_attempt(&drive->repo, drive->run.row.id, job->id, job->attempt,
                                 &drive->arena);
        if (notice_read(arena_printf(&drive->arena, "%s/status", live.dir), &notice, &none)) {
            (void)guard_end(drive, &live);
            prompt_file_remove(drive, &live.action);
            (void)transcript_settle(live.dir, FILES_ALL, &drive->mask, &none);
            continue;
        }
        drive->live = mem_grow(drive->live, drive->live_count, &drive->live_cap,
                               sizeof *drive->live);
        drive->live[drive->live_count++] = live;
        attempt_over_guarded(drive, &drive->live[drive->live_count - 1], &notice);
    }
}
