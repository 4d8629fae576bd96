/* SPDX-License-Identifier: Apache-2.0
 *
 * attempt.c - attempts from ACT_START to EV_ENDED: asked for, stopped, ended, judged.
 *
 *   ACT_START --(not before)--> launch --> process or script --> notice --> judged --> EV_ENDED
 *
 * 1. Exactly one EV_ENDED follows each ACT_START, whatever goes wrong in between.
 * 2. Exit status 0 means answered: the answer is HONE_OUTPUT if the attempt wrote it, else its
 *    standard output, and the dialect judges it. Anything else is failed, never a verdict.
 * 3. A reviewer's answer counts only if the tree is the one it was given (watch.c).
 *
 * Not here: what it takes to start one (launch.c). */
#include "drive/drive.h"

#include "base/mem.h"
#include "drive/place.h"
#include "format/finding_json.h"
#include "io/file.h"
#include "io/scratch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

/* Queues the end of an attempt and forgets it. */
static void attempt_over(struct drive *drive, struct live *live, struct event event)
{
    report_ended(drive, live, &event);
    *live = drive->live[--drive->live_count];
}

static struct event ended(const struct action *action)
{
    return (struct event){ .kind = EV_ENDED, .now_ms = now_wall_ms(), .job = action->job,
                           .attempt = action->attempt, .lane = action->lane };
}

void attempt_fail(struct drive *drive, struct live *live, enum failure failure, bool permanent,
                  const char *problem)
{
    struct event event = ended(&live->action);
    struct arena *arena;

    event.result = (struct result){ .verdict = VERDICT_FAILED, .failure = failure,
                                    .permanent = permanent };
    arena = drive_push(drive, event);
    event.result.problem = arena_copy(arena, str_of(problem));
    drive->queue[drive->queue_count - 1].event = event;
    attempt_over(drive, live, event);
}

/* The answer's bytes; a problem with reading them is the agent's problem. */
static int answer_read(const char *dir, struct buf *answer, struct err *err)
{
    int rc = scratch_read(dir, "answer", answer, err);

    if (rc == ERR_MISSING) rc = scratch_read(dir, "stdout", answer, err);
    return rc;
}

/* The answer of a reviewer that speaks no dialect. */
static void take_findings(const struct drive *drive, const struct action *action,
                          struct str answer, struct arena *arena, struct result *out)
{
    struct run_view view = drive_view(drive);
    struct findings findings;
    struct err err = { 0 };

    if (findings_read(answer, arena, &findings, &err) != 0) {
        *out = (struct result){ .verdict = VERDICT_INVALID };
        out->problem = str_of(arena_printf(arena, "The answer is no list of findings: %s",
                                           err.text));
        return;
    }
    drive->run.dialect->found(&view, action, &(struct found){
        .findings = findings.items, .count = findings.count,
        .notes = findings.notes, .note_count = findings.note_count }, arena, out);
}

void attempt_judge(struct drive *drive, struct live *live, struct str answer, int rc,
                   const char *read_problem)
{
    struct run_view view = drive_view(drive);
    struct event event = ended(&live->action);
    struct arena *arena = drive_push(drive, event);

    if (rc == 0 && agent_of(drive, &live->action)->backend->answers_findings) {
        take_findings(drive, &live->action, answer, arena, &event.result);
    } else if (rc == 0) {
        drive->run.dialect->judge(&view, &live->action, answer, arena, &event.result);
    } else {
        event.result.verdict = VERDICT_INVALID;
        event.result.problem = str_of(
            arena_printf(arena, "The answer could not be read: %s. Answer in at most %d MiB.",
                         read_problem, ANSWER_BYTES_MAX >> 20));
    }
    drive->queue[drive->queue_count - 1].event = event;
    attempt_over(drive, live, event);
}

static void attempt_answered(struct drive *drive, struct live *live)
{
    struct buf answer;
    struct err err = { 0 };
    int rc;

    buf_init(&answer, ANSWER_BYTES_MAX);
    rc = answer_read(live->dir, &answer, &err);
    attempt_judge(drive, live, buf_str(&answer), rc, err.text);
    buf_release(&answer);
}

void attempt_exited(struct drive *drive, struct live *live, int status)
{
    struct buf last;
    bool missing = status == 126 || status == 127;
    const char *spec = agent_of(drive, &live->action)->spec;

    buf_init(&last, 512);
    scratch_last_line(live->dir, "stderr", 300, &last);
    attempt_fail(drive, live, FAILURE_EXIT, missing,
                 arena_printf(&drive->arena, "%s ended with status %d%s%s", spec, status,
                              last.size ? ": " : "", buf_cstr(&last)));
    buf_release(&last);
}

/* How each end reads; %s is the agent. */
static const struct {
    enum failure failure;
    const char *text;
} ends[ENDED_BY_COUNT] = {
    [ENDED_SIGNAL] = { FAILURE_SIGNAL, "was killed by signal" },
    [ENDED_TIME] = { FAILURE_TIME, "ran into its time limit (--timeout)" },
    [ENDED_IDLE] = { FAILURE_IDLE, "said nothing for too long (--idle-timeout)" },
    [ENDED_OUTPUT] = { FAILURE_OUTPUT, "wrote more than 4 GiB" },
    [ENDED_STOP] = { FAILURE_STOPPED, "was stopped" },
    [ENDED_START] = { FAILURE_START, "could not be started" },
};

static void attempt_ended(struct drive *drive, struct live *live, const struct notice *notice)
{
    const char *spec = agent_of(drive, &live->action)->spec;
    const char *text;

    if (notice->by == ENDED_EXIT && is_builtin(drive, &live->action)) {
        builtin_exited(drive, live, notice->value);
        return;
    }
    if (notice->by == ENDED_EXIT && notice->value == 0) {
        attempt_answered(drive, live);
        return;
    }
    if (notice->by == ENDED_EXIT) {
        attempt_exited(drive, live, notice->value);
        return;
    }
    text = arena_printf(&drive->arena, "%s %s", spec, ends[notice->by].text);
    if (notice->by == ENDED_SIGNAL) {
        text = arena_printf(&drive->arena, "%s %d", text, notice->value);
    } else if (notice->by == ENDED_START) {
        text = arena_printf(&drive->arena, "%s: %s", text, strerror(notice->value));
    }
    attempt_fail(drive, live, ends[notice->by].failure,
                 notice->by == ENDED_START && notice->value == ENOENT, text);
}

/* An answer about a tree that was not the one it should judge. */
static void attempt_void(struct drive *drive, struct live *live, const char *problem)
{
    struct event event = ended(&live->action);
    struct arena *arena = drive_push(drive, event);

    event.result.verdict = VERDICT_INVALID;
    event.result.problem = arena_copy(arena, str_of(problem));
    drive->queue[drive->queue_count - 1].event = event;
    attempt_over(drive, live, event);
}

/* Everybody who is reading now has read a tree that was being changed. */
static void taint_readers(struct drive *drive)
{
    for (uint32_t i = 0; i < drive->live_count; i++) {
        struct live *live = &drive->live[i];
        if (is_reviewer(drive, &live->action) && live->due_ms == 0) live->tainted = true;
    }
}

static bool is_answered(const struct notice *notice)
{
    return notice->by == ENDED_EXIT && notice->value == 0;
}

static bool is_reading(const struct drive *drive)
{
    for (uint32_t i = 0; i < drive->live_count; i++) {
        const struct live *live = &drive->live[i];
        if (live->tainted && !live->held) return true;
    }
    return false;
}

/* The last reader has ended: the tree is put back, and nobody's answer counts. */
static void unspoil(struct drive *drive)
{
    const char *what, *problem, *keep = NULL;

    for (uint32_t i = 0; i < drive->live_count && !keep; i++) {
        if (!drive->live[i].held) continue;
        keep = arena_printf(&drive->arena, "%s/kept", drive->live[i].dir);
    }
    if (watch_put_back(drive, keep, &drive->arena, &what) != 0) {
        drive_break(drive);
        return;
    }
    drive->spoiled = false;
    report_warning(&drive->report, "a reviewer changed the work tree (%s): put back, its review "
                   "does not count", what);
    problem = arena_printf(&drive->arena, "The work tree was changed while you reviewed it (%s). A "
                           "reviewer changes nothing. The files were put back and your review was "
                           "not taken: review again, and only read.", what);
    for (uint32_t i = 0; i < drive->live_count;) {
        struct live *live = &drive->live[i];
        struct notice notice = live->notice;
        if (!live->held) {
            i++;
        } else if (is_answered(&notice)) {
            attempt_void(drive, live, problem); /* another one takes its place in the list */
        } else {
            attempt_ended(drive, live, &notice);
        }
    }
}

/* Somebody else changed the tree: what was judged is void, on the tree as it is now. */
static const char *drift(struct drive *drive, const char *what)
{
    taint_readers(drive);
    report_warning(&drive->report, "the work tree changed during the review (%s): it is reviewed "
                   "again", what);
    drive_push(drive, (struct event){ .kind = EV_DRIFT, .now_ms = now_wall_ms() });
    return arena_printf(&drive->arena, "The work tree was changed by somebody else while you "
                        "reviewed it (%s). Review it again, as it is now.", what);
}

static bool any_reviewer(struct drive *drive, const struct notice *notices, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct live *live = live_find(drive, notices[i].id);
        if (live && is_reviewer(drive, &live->action)) return true;
    }
    return false;
}

static void attempts_end(struct drive *drive, const struct notice *notices, uint32_t count)
{
    enum watch_verdict verdict = WATCH_SAME;
    const char *what, *problem = "The work tree was changed while you reviewed it. Review it "
                                 "again, as it is now.";

    if (!drive->spoiled && any_reviewer(drive, notices, count)) {
        if (watch_look(drive, &drive->arena, &verdict, &what) != 0) {
            drive_break(drive);
            return;
        }
        drive->spoiled = verdict == WATCH_CHANGED;
        if (drive->spoiled) taint_readers(drive);
        if (verdict == WATCH_DRIFTED) problem = drift(drive, what);
    }
    for (uint32_t i = 0; i < count; i++) {
        struct live *live = live_find(drive, notices[i].id);

        if (!live) continue;
        if (live->tainted && drive->spoiled) {
            live->held = true;
            live->notice = notices[i];
        } else if (verdict == WATCH_WILD && is_reviewer(drive, &live->action)) {
            attempt_fail(drive, live, FAILURE_EXIT, true,
                         "the work tree keeps changing while it is reviewed");
        } else if (live->tainted && is_answered(&notices[i])) {
            attempt_void(drive, live, problem);
        } else {
            attempt_ended(drive, live, &notices[i]);
        }
    }
    if (drive->spoiled && !is_reading(drive)) unspoil(drive);
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
    if (live->due_ms <= now_wall_ms()) attempt_launch(drive, live);
}

void attempt_stop(struct drive *drive, const struct action *action)
{
    struct live *live = live_find(drive, live_id(action));

    if (!live) return;
    if (live->due_ms != 0) {
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
    int64_t soonest = -1;

    for (uint32_t i = 0; i < drive->live_count; i++) {
        const struct live *live = &drive->live[i];
        int64_t left;
        if (live->due_ms == 0) continue;
        left = live->due_ms > now_ms ? (int64_t)(live->due_ms - now_ms) : 0;
        if (soonest < 0 || left < soonest) soonest = left;
    }
    return soonest;
}

void attempt_recover(struct drive *drive)
{
    const struct engine *engine = &drive->run.engine;

    for (uint32_t i = 0; i < engine->lane_count; i++) {
        const struct batch *now = &engine->lanes[i].now;
        for (uint32_t k = 0; k < now->count; k++) {
            const struct job *job = &now->jobs[k];
            struct live live = { .action = { .kind = ACT_START, .job = job->id,
                .attempt = job->attempt, .lane = i, .role = job->role, .purpose = job->purpose,
                .phase = now->phase, .iteration = now->iteration, .round = now->round,
                .copy = job->copy } };
            struct notice notice;
            struct err none;

            if (job->state != JOB_RUNNING) continue;
            live.dir = place_attempt(&drive->repo, drive->run.row.id, job->id, job->attempt,
                                     &drive->arena);
            if (notice_read(arena_printf(&drive->arena, "%s/status", live.dir), &notice, &none)) {
                continue;
            }
            drive->live = mem_grow(drive->live, drive->live_count, &drive->live_cap,
                                   sizeof *drive->live);
            drive->live[drive->live_count++] = live;
            attempt_ended(drive, &drive->live[drive->live_count - 1], &notice);
        }
    }
}
