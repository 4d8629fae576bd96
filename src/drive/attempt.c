/* SPDX-License-Identifier: Apache-2.0
 *
 * attempt.c - one start of one agent: its folder, its prompt, its process, its answer.
 *
 *   ACT_START --(not before)--> launch --> process or script --> notice --> judged --> EV_ENDED
 *
 * 1. Exactly one EV_ENDED follows each ACT_START, whatever goes wrong in between.
 * 2. Exit status 0 means answered: the answer is HONE_OUTPUT if the attempt wrote it, else its
 *    standard output, and the dialect judges it. Anything else is failed, never a verdict.
 * 3. A reviewer's answer counts only if the tree is the one it was given (watch.c). */
#include "drive/drive.h"

#include "base/mem.h"
#include "drive/place.h"
#include "io/file.h"
#include "io/sandbox.h"
#include "io/scratch.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static uint64_t live_id(const struct action *action)
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

static const struct role *role_of(const struct drive *drive, const struct action *action)
{
    return &drive->run.plan.roles[action->role];
}

static bool is_reviewer(const struct drive *drive, const struct action *action)
{
    return !role_of(drive, action)->writes && !role_of(drive, action)->builtin;
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

static void attempt_fail(struct drive *drive, struct live *live, enum failure failure,
                         bool permanent, const char *problem)
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

static void attempt_judge(struct drive *drive, struct live *live, struct str answer, int rc,
                          const char *read_problem)
{
    struct run_view view = drive_view(drive);
    struct event event = ended(&live->action);
    struct arena *arena = drive_push(drive, event);

    if (rc == 0) {
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

static void attempt_exited(struct drive *drive, struct live *live, int status)
{
    struct buf last;
    bool missing = status == 126 || status == 127;
    const char *spec = drive->agents[live->action.role].spec;

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
    const char *spec = drive->agents[live->action.role].spec;
    const char *text;

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

static bool any_reviewer(struct drive *drive, const struct notice *notices, uint32_t count,
                         const char **dir)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct live *live = live_find(drive, notices[i].id);
        if (!live || !is_reviewer(drive, &live->action)) continue;
        *dir = arena_printf(&drive->arena, "%s/kept", live->dir);
        return true;
    }
    return false;
}

/* Everybody who is reading now has read a tree that was being changed. */
static const char *taint_readers(struct drive *drive, enum watch_verdict verdict, const char *what)
{
    for (uint32_t i = 0; i < drive->live_count; i++) {
        if (is_reviewer(drive, &drive->live[i].action)) drive->live[i].tainted = true;
    }
    if (verdict == WATCH_CHANGED) {
        report_warning(&drive->report, "a reviewer changed the work tree (%s): put back, its "
                       "review does not count", what);
        return arena_printf(&drive->arena, "The work tree was changed while you reviewed it (%s)."
                            " A reviewer changes nothing. The files were put back and your review"
                            " was not taken: review again, and only read.", what);
    }
    report_warning(&drive->report, "the work tree changed during the review (%s): it is reviewed "
                   "again", what);
    return arena_printf(&drive->arena, "The work tree was changed by somebody else while you"
                        " reviewed it (%s). Review it again, as it is now.", what);
}

static void attempts_end(struct drive *drive, const struct notice *notices, uint32_t count)
{
    enum watch_verdict verdict = WATCH_SAME;
    const char *what = "", *dir = NULL, *problem = "";

    if (any_reviewer(drive, notices, count, &dir)) {
        if (watch_check(drive, dir, &drive->arena, &verdict, &what) != 0) {
            drive_break(drive);
            return;
        }
        if (verdict != WATCH_SAME) problem = taint_readers(drive, verdict, what);
        if (verdict == WATCH_DRIFTED) {
            drive_push(drive, (struct event){ .kind = EV_DRIFT, .now_ms = now_wall_ms() });
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        struct live *live = live_find(drive, notices[i].id);
        bool answered = notices[i].by == ENDED_EXIT && notices[i].value == 0;

        if (!live) continue;
        if (live->tainted && answered && verdict == WATCH_WILD) {
            attempt_fail(drive, live, FAILURE_EXIT, true,
                         "the work tree keeps changing while it is reviewed");
        } else if (live->tainted && answered) {
            attempt_void(drive, live, *problem ? problem : "The work tree was changed while you "
                         "reviewed it. Review it again, as it is now.");
        } else {
            attempt_ended(drive, live, &notices[i]);
        }
    }
}

void attempt_collect(struct drive *drive)
{
    struct notice *notices = NULL;
    uint32_t count = 0, cap = 0;
    struct notice notice;
    int got;

    while ((got = supervisor_next(&drive->supervisor, &notice)) > 0) {
        notices = mem_grow(notices, count, &cap, sizeof *notices);
        notices[count++] = notice;
    }
    if (count > 0) attempts_end(drive, notices, count);
    free(notices);
    if (got < 0) {
        err_set(&drive->err, ERR_FAILED, "the supervisor of the agents is gone; hone resume "
                "continues the run");
        drive_break(drive);
    }
}

static struct attempt attempt_about(const struct drive *drive, const struct live *live)
{
    const struct action *action = &live->action;
    const struct phase *phase = &drive->run.plan.phases[action->phase];
    bool repair = action->purpose == FOR_REPAIR && phase->repair_name;

    return (struct attempt){
        .run = drive->run.row.id,
        .dialect = drive->run.dialect->name,
        .role = role_of(drive, action)->name,
        .lane = "main",
        .phase = repair ? phase->repair_name : phase->name,
        .iteration = drive_iteration(drive, action),
        .round = action->round,
        .attempt = action->attempt,
        .copy = action->copy,
        .workspace = drive->repo.workspace,
        .task = drive->run.row.task,
    };
}

static int attempt_prompt(struct drive *drive, const struct live *live, const char *output)
{
    struct run_view view = drive_view(drive);
    const struct job *job = engine_job(&drive->run.engine, live->action.job, NULL);
    struct prompt_request request = { .action = &live->action, .output = output };
    struct buf prompt;
    int rc;

    assert(job);
    if (job->attempt > 1 && job->result.verdict == VERDICT_INVALID) {
        request.problem = job->result.problem;
    }
    buf_init(&prompt, PROMPT_BYTES_MAX);
    drive->run.dialect->prompt(&view, &request, &prompt);
    rc = scratch_write(live->dir, "prompt", buf_str(&prompt), &drive->err);
    buf_release(&prompt);
    return rc;
}

static int attempt_spawn(struct drive *drive, const struct live *live, struct attempt *about,
                         struct arena *arena)
{
    const struct agent *agent = &drive->agents[live->action.role];
    const char *const *argv = agent->backend->command(agent, arena);
    const struct repo *repo = &drive->repo;
    const char *const read_only[] = { repo->workspace, repo->common_dir, repo->git_dir, NULL };
    const char *const writable[] = { live->dir, NULL };
    struct spawn spawn;

    if (drive->sandboxed && is_reviewer(drive, &live->action)) {
        argv = sandbox_wrap(arena, argv, read_only, writable);
    }
    spawn = (struct spawn){
        .id = live_id(&live->action),
        .argv = argv,
        .env = agent_env(about, arena),
        .cwd = repo->workspace,
        .in = arena_printf(arena, "%s/prompt", live->dir),
        .out = arena_printf(arena, "%s/stdout", live->dir),
        .err = arena_printf(arena, "%s/stderr", live->dir),
        .status = arena_printf(arena, "%s/status", live->dir),
        .tag = arena_printf(arena, "HONE_OUTPUT=%s", about->output),
        .time_ms_max = drive->run.settings.time_ms_max,
        .idle_ms_max = drive->run.settings.idle_ms_max,
        .output_bytes_max = UINT64_C(1) << OUTPUT_BYTES_MAX_LOG2,
        .grace_ms = GRACE_MS,
    };
    return supervisor_spawn(&drive->supervisor, &spawn, &drive->err);
}

/* A backend that answers by itself: no process, the same folder. */
static void attempt_play(struct drive *drive, struct live *live, const struct attempt *about)
{
    const struct agent *agent = &drive->agents[live->action.role];
    struct buf answer;
    struct err err = { 0 };
    int status = 0;
    int rc;

    buf_init(&answer, ANSWER_BYTES_MAX);
    rc = agent->backend->play(agent, about, &answer, &status, &err);
    if (rc == 0) rc = scratch_write(live->dir, "answer", buf_str(&answer), &err);
    if (rc != 0) {
        attempt_fail(drive, live, FAILURE_START, true, err.text);
    } else if (status != 0) {
        attempt_exited(drive, live, status);
    } else {
        attempt_judge(drive, live, buf_str(&answer), 0, "");
    }
    buf_release(&answer);
}

static void attempt_launch(struct drive *drive, struct live *live)
{
    const struct agent *agent = &drive->agents[live->action.role];
    struct attempt about = attempt_about(drive, live);
    struct arena arena = { 0 };
    const struct lane *lane = &drive->run.engine.lanes[live->action.lane];
    int rc;

    live->due_ms = 0;
    live->started_ms = now_wall_ms();
    about.output = arena_printf(&arena, "%s/answer", live->dir);
    report_start(drive, &live->action);
    rc = scratch_folder(place_run(&drive->repo, drive->run.row.id, &arena),
                        strrchr(live->dir, '/') + 1, &drive->err);
    if (rc == 0 && is_reviewer(drive, &live->action)) rc = watch_begin(drive, lane);
    if (rc == 0) rc = attempt_prompt(drive, live, about.output);
    if (rc != 0) {
        drive_break(drive); /* it is our disk that failed, not the agent */
    } else if (agent->backend->play) {
        attempt_play(drive, live, &about);
    } else {
        rc = attempt_spawn(drive, live, &about, &arena);
        if (rc != 0) drive_break(drive);
    }
    arena_release(&arena);
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
