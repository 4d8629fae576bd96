/* SPDX-License-Identifier: Apache-2.0
 *
 * attempt.c - attempts from ACT_START to EV_ENDED: asked for, started, stopped, collected, ended.
 *
 *   ACT_START --> hands start it --> notice --> guard and tree looked at --> facts --> outcome
 *                                                              EV_ENDED, queued once <--'
 *
 * 1. Exactly one EV_ENDED follows each ACT_START, also where something goes wrong in between. It is
 *    complete when it is queued.
 * 2. A reviewer's answer counts only if the tree of its lane is the one it was given (watch.c).
 *    What happens in one lane's tree is no other lane's affair.
 * 3. An attempt that has ended stays in memory until its event was stepped: its id and its address
 *    are valid for the whole tick.
 * 4. An attempt that the user's ceiling of calls put off has not begun: it ends as put off, also
 *    where the run is stopped or hone is killed while it waits. So it is no call of the budget.
 *
 * Not here: what it takes to start one (launch.c), what is known of its end (facts.c), what that
 * means (outcome.c). */
#include "drive/attempt.h"

#include "base/mem.h"
#include "drive/builtin.h"
#include "drive/commit.h"
#include "drive/facts.h"
#include "drive/isolate.h"
#include "drive/lanes.h"
#include "drive/proof.h"
#include "drive/prove.h"
#include "drive/repairs.h"
#include "drive/transcript.h"
#include "drive/undo.h"
#include "drive/watch.h"
#include "io/file/file.h"
#include "io/file/scratch.h"
#include "run/place.h"

#include <stdlib.h>

enum { GATHER_MS = 3 }; /* between ends that are taken together */

uint64_t live_id(const struct action *action)
{
    return (uint64_t)action->job << 32 | action->attempt;
}

static struct live *live_add(struct drive *drive, const struct action *action)
{
    struct live *live = mem_alloc(sizeof *live);

    drive->live = mem_grow(drive->live, drive->live_count, &drive->live_cap, sizeof(void *));
    drive->live[drive->live_count++] = live;
    *live = (struct live){ .action = *action };
    live->dir = place_attempt(&drive->run.repo, drive->run.row.id, action->job, action->attempt,
                              &drive->run.arena);
    return live;
}

struct live *live_next(const struct drive *drive, uint32_t *at)
{
    while (*at < drive->live_count) {
        struct live *live = drive->live[(*at)++];
        if (!live->over) return live;
    }
    return NULL;
}

struct live *live_find(const struct drive *drive, uint64_t id)
{
    struct live *live;

    for (uint32_t at = 0; (live = live_next(drive, &at));) {
        if (live_id(&live->action) == id) return live;
    }
    return NULL;
}

void live_sweep(struct drive *drive, bool all)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < drive->live_count; i++) {
        if (all || drive->live[i]->over) free(drive->live[i]);
        else drive->live[kept++] = drive->live[i];
    }
    drive->live_count = kept;
}

/* ---- what it may touch ---- */

__attribute__((format(printf, 2, 3)))
static void warn_for_guard(void *context, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    drive_warn_by(context, format, args);
    va_end(args);
}

/* Whether another agent writes in the checkout at this moment. */
static bool others_write(const struct drive *drive, const struct live *live)
{
    const struct live *other;

    for (uint32_t at = 0; (other = live_next(drive, &at));) {
        if (other->action.lane != 0 || other->due_ms != 0 || other->waits) continue;
        if (live_id(&other->action) == live_id(&live->action)) continue;
        if (is_isolated(&drive->run, &other->action)) continue;
        if (is_guarded(&drive->run, &other->action)) return true;
    }
    return false;
}

struct guarded attempt_guarded(struct drive *drive, const struct live *live)
{
    return (struct guarded){
        .run = &drive->run, .action = &live->action, .dir = live->dir,
        .command = builtin_is_command(drive, &live->action),
        .others_write = others_write(drive, live), .memory = &drive->guard,
        .warn = warn_for_guard, .context = drive, .err = &drive->err,
    };
}

/* NULL: it kept to what it may change, or the drive is broken; else what to tell it. An attempt
 * that played on another machine was guarded there. */
static const char *attempt_unguard(struct drive *drive, const struct live *live)
{
    struct guarded guarded = attempt_guarded(drive, live);
    const char *problem;

    if (live->away) {
        return live->broke ? guard_elsewhere(live->broke, &drive->run.arena) : NULL;
    }
    if (guard_end(&guarded, &problem) != 0) drive_break(drive);
    return problem;
}

/* ---- the end ---- */

/* What stays of it is in its folder, without secrets. */
static void attempt_settle(struct drive *drive, const struct live *live)
{
    struct err err = { 0 };

    prompt_file_remove(drive, &live->action);
    if (transcript_settle(live->dir, live->files & ~live->plain, &drive->mask, &err) != 0) {
        drive_warn(drive, "%s", err.text);
    }
}

/* Fails an attempt that has not begun, where its program cannot play any more (bars.h). */
static bool attempt_refused(struct drive *drive, struct live *live)
{
    const struct agent *agent = agent_of(&drive->run, &live->action);
    const struct bar *bar = NULL;

    if (!is_builtin(&drive->run, &live->action)) bar = bars_find(&drive->bars, agent);
    if (!bar) return false;
    live->barred = true;
    attempt_fail(drive, live, bar->failure, true, bar->problem);
    return true;
}

/* Where its program cannot play any more, agents that wait to be started again are not. */
static void attempt_bar(struct drive *drive, const struct live *live, const struct result *result)
{
    const struct agent *agent = agent_of(&drive->run, &live->action);
    struct live *other;

    if (is_builtin(&drive->run, &live->action) || live->barred) return;
    if (!bars_note(&drive->bars, agent, live->action.job, result, &drive->run.arena)) return;
    drive_warn(drive, "%s; no more agents of it are started in this run: when that is mended, "
               "hone resume %s", bars_find(&drive->bars, agent)->problem, drive->run.row.id);
    for (uint32_t at = 0; !drive->broken && (other = live_next(drive, &at));) {
        if (other == live || other->due_ms == 0 || other->begun) continue;
        (void)attempt_refused(drive, other);
    }
}

void attempt_push(struct drive *drive, struct live *live, struct pending *pending)
{
    const struct event *event = &pending->event;

    if (live->files == 0) live->files = scratch_holds(live->dir, attempt_files);
    attempt_settle(drive, live);
    attempt_bar(drive, live, &event->result);
    drive_tell(drive, &(struct news){ .kind = NEWS_ENDED, .action = &live->action, .event = event,
                                      .started_ms = live->started_ms });
    live->over = true;
    drive_queue(drive, pending);
}

void attempt_end(struct drive *drive, struct live *live, struct gathered *gathered)
{
    struct pending pending;

    if (facts_tree(gathered, drive, live) != 0) {
        drive_break(drive); /* nothing is known of the tree: the resume judges it again */
    } else {
        facts_event(gathered, &pending, NULL);
        if (isolate_end(drive, live, pending.event.result.verdict) == 0 &&
            prove_end(drive, live, &pending) == 0) {
            attempt_push(drive, live, &pending);
        } else {
            arena_release(&pending.arena);
            drive_break(drive); /* the resume brings the rest */
        }
    }
    facts_release(gathered);
}

void attempt_fail(struct drive *drive, struct live *live, enum failure failure, bool permanent,
                  const char *problem)
{
    struct gathered gathered;

    facts_begin(&gathered, drive, live, &(struct notice){ .by = ENDED_STOP });
    gathered.facts.failure = failure;
    gathered.facts.permanent = permanent;
    gathered.facts.problem = problem;
    attempt_end(drive, live, &gathered);
}

/* Invariant 4. again_ms 0: it is asked no more. */
static void attempt_put_off(struct drive *drive, struct live *live, uint64_t again_ms,
                            const char *problem)
{
    struct gathered gathered;

    facts_begin(&gathered, drive, live, &(struct notice){ .by = ENDED_STOP,
                                                          .ended_ms = now_wall_ms() });
    gathered.facts.failure = FAILURE_CEILING;
    gathered.facts.permanent = again_ms == 0;
    gathered.facts.ask_again_ms = again_ms;
    gathered.facts.problem = again_ms ? problem
        : arena_printf(&gathered.arena, "%s; hone waits at most %s", problem,
                       limit_text(&drive->run.settings, LIMIT_WAIT, &gathered.arena));
    attempt_end(drive, live, &gathered);
}

void attempt_postpone(struct drive *drive, struct live *live, uint64_t until_ms,
                      const char *problem)
{
    attempt_put_off(drive, live, waits_until(&drive->waits, live->action.job, until_ms,
                                             drive->run.settings.wait_ms_max, now_wall_ms()),
                    problem);
}

/* It waits no more; a resume asks for it again. */
static void attempt_leave_off(struct drive *drive, struct live *live, const char *problem)
{
    uint64_t again_ms = live->action.not_before_ms;

    attempt_put_off(drive, live, again_ms ? again_ms : now_wall_ms(), problem);
}

/* Whether it has waited for the user's ceiling since it was asked for. */
static bool is_put_off(const struct drive *drive, const struct live *live)
{
    const struct job *job = engine_job(&drive->run.engine, live->action.job, NULL);

    return job && job->result.failure == FAILURE_CEILING && !file_exists(live->dir);
}

void attempt_answer(struct drive *drive, struct live *live, struct str answer)
{
    struct gathered gathered;

    facts_begin(&gathered, drive, live, &(struct notice){ .by = ENDED_EXIT });
    facts_say(&gathered, answer, false);
    attempt_end(drive, live, &gathered);
}

/* What a stream said last stands where other programs have their standard output. */
static int attempt_keep_said(struct drive *drive, struct live *live, const struct facts *facts)
{
    enum attempt_file file = facts->reading.structured ? FILE_ANSWER : FILE_SAID;

    if (!facts->streamed || !outcome_wants_answer(facts)) return 0;
    live->files |= FILE_BIT(file);
    return scratch_write(live->dir, attempt_files[file], facts->reading.answer, &drive->err);
}

/* Its process has ended, and its lane's tree was looked at. An agent that changed what it may not
 * change has not answered. */
static void attempt_over(struct drive *drive, struct live *live, const struct notice *notice,
                         enum basis basis, const char *what)
{
    const char *broke = NULL;
    struct gathered gathered;
    bool merged;

    if (undo_end(drive, live, notice) != 0) drive_break(drive);
    else broke = attempt_unguard(drive, live);

    if (!is_reviewer(&drive->run, &live->action)) {
        struct watch *watch = &site_of(&drive->run, live->action.lane)->watch;
        watch->turn = watch->next_turn = 0;
    }
    if (drive->broken) return;
    if (broke && basis == BASIS_ANSWER) {
        basis = BASIS_GUARD;
        what = broke;
    } else if (basis == BASIS_ANSWER && is_isolated(&drive->run, &live->action) &&
               !site_is_there(site_at(&drive->run, &live->action))) {
        basis = BASIS_TREE_GONE;
    }
    facts_begin(&gathered, drive, live, notice);
    gathered.facts.basis = basis;
    gathered.facts.basis_what = what;
    gathered.facts.failure = live->failed;
    gathered.facts.permanent = live->failed_for_good;
    gathered.facts.problem = live->failed_why;
    facts_stream(&gathered, drive, live);
    if (facts_proof(&gathered, drive, live, NULL) != 0 ||
        attempt_keep_said(drive, live, &gathered.facts) != 0) {
        facts_release(&gathered);
        drive_break(drive); /* it is our disk that failed, not the agent */
        return;
    }
    facts_answer(&gathered, live);
    facts_cage(&gathered, drive, live);
    if (facts_repair(&gathered, drive, live) != 0) {
        facts_release(&gathered);
        drive_break(drive);
        return;
    }
    if (builtin_made(&gathered.facts, BUILTIN_COMMIT)) commit_step_end(drive, live);
    merged = builtin_made(&gathered.facts, BUILTIN_INTEGRATE);
    attempt_end(drive, live, &gathered);
    if (merged) site_forget(&drive->run, live->action.lane);
}

/* ---- the tree of a lane ---- */

/* Every reviewer of the lane that is at work has read a tree that was being changed. */
static void taint_readers(struct drive *drive, uint32_t lane)
{
    struct live *live;

    for (uint32_t at = 0; (live = live_next(drive, &at));) {
        if (live->action.lane != lane || live->due_ms != 0 || live->waits) continue;
        if (is_reviewer(&drive->run, &live->action)) live->tainted = true;
    }
}

static bool is_reading(const struct drive *drive, uint32_t lane)
{
    const struct live *live;

    for (uint32_t at = 0; (live = live_next(drive, &at));) {
        if (live->action.lane == lane && live->tainted && !live->held) return true;
    }
    return false;
}

/* The last reader has ended: the tree is put back, and no answer about it counts. */
static void unspoil(struct drive *drive, struct site *site)
{
    const char *what, *keep = NULL;
    struct live *live;

    for (uint32_t at = 0; !keep && (live = live_next(drive, &at));) {
        if (!live->held || live->action.lane != site->lane) continue;
        keep = arena_printf(&drive->run.arena, "%s/kept", live->dir);
    }
    what = "it was deleted";
    if (site_is_there(site) && watch_put_back(drive, site, keep, &drive->run.arena, &what) != 0) {
        drive_break(drive);
        return;
    }
    site->spoiled = false;
    drive_warn(drive, "a reviewer changed the work tree (%s): put back, its review "
               "does not count", what);
    for (uint32_t at = 0; !drive->broken && (live = live_next(drive, &at));) {
        if (!live->held || live->action.lane != site->lane) continue;
        attempt_over(drive, live, &live->notice, BASIS_TREE_CHANGED, what);
    }
}

/* Another program or person changed the tree: what was judged is void, on the tree as it is. */
static void drift(struct drive *drive, const struct site *site, const char *what)
{
    taint_readers(drive, site->lane);
    drive_warn(drive, "the work tree changed during the review (%s): it is reviewed "
               "again", what);
    drive_push(drive, (struct event){ .kind = EV_DRIFT, .now_ms = now_wall_ms(),
                                      .lane = site->lane });
}

/* The attempt that a notice is about, if it is of this lane and still to be ended. */
static struct live *live_of(const struct drive *drive, const struct notice *notice, uint32_t lane)
{
    struct live *live = live_find(drive, notice->id);

    return live && !live->held && live->action.lane == lane ? live : NULL;
}

static bool any_reviewer(const struct drive *drive, uint32_t lane, const struct notice *notices,
                         uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct live *live = live_of(drive, &notices[i], lane);
        if (live && is_reviewer(&drive->run, &live->action)) return true;
    }
    return false;
}

/* Whether a reviewer of the lane is still to end, beside those of the notices. */
static bool others_review(const struct drive *drive, uint32_t lane, const struct notice *notices,
                          uint32_t count)
{
    const struct live *live;

    for (uint32_t at = 0; (live = live_next(drive, &at));) {
        bool ends = false;

        if (live->action.lane != lane || !is_reviewer(&drive->run, &live->action)) continue;
        for (uint32_t i = 0; i < count && !ends; i++) {
            ends = live_find(drive, notices[i].id) == live;
        }
        if (!ends) return true;
    }
    return false;
}

/* Whether the look can wait. In a large tree each costs something, and in a sandbox it was no
 * reviewer that changed the tree: what the last look finds makes the whole review void. */
static bool look_can_wait(const struct drive *drive, const struct site *site,
                          const struct notice *notices, uint32_t count)
{
    return site->watch.seal.large && drive->run.sandboxed &&
           others_review(drive, site->lane, notices, count);
}

/* Looks at the tree of a lane whose reviewers have ended. */
static int lane_look(struct drive *drive, struct site *site, enum watch_verdict *verdict,
                     const char **what)
{
    *verdict = WATCH_DRIFTED;
    *what = "it was deleted"; /* the next attempt finds it made again */
    if (site_is_there(site) && watch_look(drive, site, &drive->run.arena, verdict, what) != 0) {
        return (int)drive->err.code;
    }
    site->spoiled = *verdict == WATCH_CHANGED;
    if (site->spoiled) taint_readers(drive, site->lane);
    if (*verdict == WATCH_DRIFTED) drift(drive, site, *what);
    return 0;
}

/* Of all these, the ends in one lane. */
static void lane_attempts_end(struct drive *drive, uint32_t lane, const struct notice *notices,
                              uint32_t count)
{
    struct site *site = site_of(&drive->run, lane);
    enum watch_verdict verdict = WATCH_SAME;
    const char *what = "";

    if (!site->spoiled && any_reviewer(drive, lane, notices, count) &&
        !look_can_wait(drive, site, notices, count) &&
        lane_look(drive, site, &verdict, &what) != 0) {
        drive_break(drive);
        return;
    }
    for (uint32_t i = 0; i < count && !drive->broken; i++) {
        struct live *live = live_of(drive, &notices[i], lane);

        if (!live) continue;
        if (live->tainted && site->spoiled) {
            live->held = true;
            live->notice = notices[i];
        } else if (verdict == WATCH_WILD && is_reviewer(&drive->run, &live->action)) {
            attempt_over(drive, live, &notices[i], BASIS_TREE_WILD, what);
        } else if (live->tainted) {
            attempt_over(drive, live, &notices[i], BASIS_TREE_DRIFTED, what);
        } else if (live->strayed) {
            attempt_over(drive, live, &notices[i], BASIS_TREE_CHANGED, live->strayed);
        } else {
            attempt_over(drive, live, &notices[i], BASIS_ANSWER, "");
        }
    }
    if (!drive->broken && site->spoiled && !is_reading(drive, lane)) unspoil(drive, site);
}

void attempts_end(struct drive *drive, const struct notice *notices, uint32_t count)
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

/* ---- between start and end ---- */

/* Ends that come close together are looked at, journaled and recorded as one: the other agents at
 * work are waited for a moment, which no person notices. */
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

static void live_ask(struct drive *drive, struct live *live)
{
    live->due_ms = live->action.not_before_ms;
    drive->hands->start(drive, live);
}

struct live *attempt_know(struct drive *drive, const struct action *action)
{
    struct live *live = live_add(drive, action);

    live_ask(drive, live);
    return live;
}

void attempt_start(struct drive *drive, const struct action *action)
{
    struct live *live = live_add(drive, action);

    if (!attempt_refused(drive, live)) live_ask(drive, live);
}

void attempt_stop(struct drive *drive, const struct action *action)
{
    struct live *live = live_find(drive, live_id(action));

    if (live) drive->hands->stop(drive, live);
}

void attempt_cancel(struct drive *drive, struct live *live)
{
    uint64_t id = live_id(&live->action);

    if (is_put_off(drive, live)) {
        attempt_leave_off(drive, live, "was stopped before it began");
    } else if (live->due_ms != 0 || live->waits) {
        attempt_fail(drive, live, FAILURE_STOPPED, false, "was stopped before it began");
    } else if (supervisor_stop(&drive->supervisor, id, false, &drive->err) != 0) {
        drive_break(drive);
    }
}

void attempt_launch_due(struct drive *drive, uint64_t now_ms)
{
    struct live *live;

    for (uint32_t at = 0; !drive->broken && (live = live_next(drive, &at));) {
        if (live->due_ms != 0 && live->due_ms <= now_ms) drive->hands->start(drive, live);
    }
}

int64_t attempt_due_in(const struct drive *drive, uint64_t now_ms)
{
    int64_t soonest = limits_due_in(drive);
    const struct live *live;

    for (uint32_t at = 0; (live = live_next(drive, &at));) {
        int64_t left;
        if (live->due_ms == 0) continue;
        left = live->due_ms > now_ms ? (int64_t)(live->due_ms - now_ms) : 0;
        if (soonest < 0 || left < soonest) soonest = left;
    }
    return soonest;
}

/* It was at work when hone was killed, and left no end: the resume asks for it again. */
static void attempt_lost(struct drive *drive, struct live *live)
{
    struct err none;

    if (undo_lost(drive, live) != 0) drive_break(drive);
    else (void)attempt_unguard(drive, live);
    prompt_file_remove(drive, &live->action);
    (void)transcript_settle(live->dir, FILES_ALL, &drive->mask, &none);
    isolate_dispose(drive, live);
    live->over = true;
}

void attempt_recover(struct drive *drive, const struct lane *lane)
{
    for (uint32_t i = 0; i < lane->now.count && !drive->broken; i++) {
        const struct job *job = &lane->now.jobs[i];
        const char *status;
        struct live *live;
        struct notice notice;
        struct action action;
        struct err none;

        if (job->state != JOB_RUNNING) continue;
        action = job_action(lane, job);
        live = live_add(drive, &action);
        status = arena_printf(&drive->run.arena, "%s/status", live->dir);
        notice = (struct notice){ .by = ENDED_STOP };
        if (drive->hands->fetch) drive->hands->fetch(drive, live);
        if (drive->broken) break;
        if (is_put_off(drive, live)) {
            attempt_leave_off(drive, live, "hone ended before it began");
        } else if (live->failed != FAILURE_NONE) {
            attempt_over(drive, live, &notice, BASIS_ANSWER, "");
        } else if (notice_read(status, &notice, &none) != 0) {
            attempt_lost(drive, live);
        } else {
            attempt_over(drive, live, &notice, live->strayed ? BASIS_TREE_CHANGED : BASIS_ANSWER,
                         live->strayed ? live->strayed : "");
        }
    }
}
