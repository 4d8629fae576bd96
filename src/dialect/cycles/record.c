/* SPDX-License-Identifier: Apache-2.0
 *
 * record.c - the session's files, out of the engine's state and nothing else.
 *
 *   FOLDER/reviews/phase-P-review-C.md       a review, as soon as it is there; by another than the
 *                                            spec-reviewer phase-P-review-C-ROLE.md, and so on
 *         /.signals/phase-P-review-C.done    with its grade; .fail where the reviewer failed
 *         /.signals/phase-P-fix-C.done       when the fix and its commit are over; .fail where one
 *                                            of them failed
 *
 * 1. The same run gives the same bytes. Times are those of the events.
 * 2. Listed are the files of the newest review that ended, of what has ended of the one at work,
 *    and what failed now; those of older ones are on disk already and never change. A reviewer that
 *    was not played has none.
 * 3. A review that did not pass is done, and a success: the step is over. `fail` is for a step that
 *    could not be done; it goes when the step is tried again.
 * 4. A fix makes no file. Its signal names the review that it answers: of several the first that
 *    did not pass.
 * 5. Files of steps that are still to come are removed: another program or an earlier run in the
 *    same folder put them there. hone looks for those of the cycle at work and of the next ones, up
 *    to AHEAD_MAX; in the phase at work also beyond its last cycle. In a hosted run the reviewer
 *    writes its review itself: it is left alone (view_leaves_answer). Signals never are.
 *
 * Not here: writing them (drivers). */
#include "dialect/cycles/cycles.h"

#include "base/clock.h"
#include "format/signal.h"

enum { AHEAD_MAX = 32 };

static void add_signal(const struct run_view *run, struct cycles_step of, struct signal signal,
                       uint64_t ms, struct contract *out)
{
    char iso[CLOCK_ISO_BYTES];
    struct buf text;

    signal.created_at = str_of(clock_iso(ms, iso));
    buf_init(&text, SIGNAL_BYTES_MAX);
    signal_write(&signal, &text);
    contract_file_add(out, cycles_signal_path(run->settings, of, signal.success ? "done" : "fail",
                                              &out->arena),
                      buf_str(&text));
    buf_release(&text);
}

static void add_absent(const struct run_view *run, struct cycles_step of, const char *end,
                       struct contract *out)
{
    contract_absent_add(out, cycles_signal_path(run->settings, of, end, &out->arena));
}

static struct cycles_step review_of(const struct run_view *run, const struct batch *batch,
                                    uint16_t role)
{
    const struct plan *plan = run->engine->plan;

    return (struct cycles_step){ .phase = plan->phases[batch->phase].name, .step = "review",
                                 .cycle = batch->round, .by = plan->roles[role].name };
}

static struct cycles_step fix_of(const struct run_view *run, const struct batch *batch)
{
    return (struct cycles_step){ .phase = run->engine->plan->phases[batch->phase].name,
                                 .step = "fix", .cycle = batch->round };
}

/* The history's row of a cycle; NULL: it has not begun. */
static const struct round *round_find(const struct engine *engine, uint32_t phase, uint32_t cycle)
{
    for (uint32_t i = engine->round_count; i-- > 0;) {
        const struct round *round = &engine->rounds[i];
        if (round->phase == phase && round->number == cycle) return round;
    }
    return NULL;
}

/* The job of that kind that used up its allowance; NULL: none has. */
static const struct job *dead_job(const struct batch *now, enum purpose purpose)
{
    const struct job *job = now->count ? &now->jobs[0] : NULL;

    return job && job->purpose == purpose && job->state == JOB_DEAD ? job : NULL;
}

/* The signal of a step that could not be done: which agent failed, and why. */
static void record_fail(const struct run_view *run, const struct job *job, struct cycles_step of,
                        struct signal signal, struct contract *out)
{
    struct str problem = str_trim(job->result.problem);

    if (problem.size == 0) problem = str_of(failure_word(job->result.failure));
    signal.success = false;
    signal.error = str_of(arena_printf(&out->arena, "%s: %.*s",
                                       run->engine->plan->roles[job->role].name,
                                       STR_ARG(problem)));
    add_signal(run, of, signal, run->engine->now_ms, out);
}

/* The fix of the newest review: done when the next cycle has begun. */
static void record_fix(const struct run_view *run, struct signal signal, struct contract *out)
{
    const struct engine *engine = run->engine;
    const struct lane *lane = &engine->lanes[0];
    struct cycles_step of = fix_of(run, &lane->review);
    const struct round *next = round_find(engine, lane->review.phase, of.cycle + 1);
    const struct job *dead = dead_job(&lane->now, FOR_REPAIR);

    if (!dead) dead = dead_job(&lane->now, FOR_THEN);
    signal.success = true;
    signal.grade = (struct str){ "", 0 };
    if (next) {
        add_signal(run, of, signal, next->started_ms, out);
        add_absent(run, of, "fail", out);
    } else if (lane->phase == lane->review.phase && lane->state != LANE_OVER) {
        if (dead) {
            record_fail(run, dead, of, signal, out);
        } else {
            add_absent(run, of, "fail", out);
        }
        add_absent(run, of, "done", out);
    }
}

/* What one reviewer said, with its signal, which is returned. */
static struct signal record_said(const struct run_view *run, const struct job *job,
                                 struct cycles_step of, struct contract *out)
{
    struct str text = job->result.doc;
    const char *path = cycles_review_path(run->settings, of, &out->arena);
    struct signal signal = { .path = str_of(path), .size = text.size, .success = true };
    struct grading grading;

    grading_read(text, &grading);
    signal.grade = str_of(grade_word(grading.grade));
    contract_file_add(out, path, text);
    add_signal(run, of, signal, job->ended_ms, out);
    add_absent(run, of, "fail", out);
    return signal;
}

/* A review that is not there: at work, not played, or (job) it could not be done. */
static void record_unsaid(const struct run_view *run, const struct job *job,
                          struct cycles_step of, struct contract *out)
{
    const char *path = cycles_review_path(run->settings, of, &out->arena);

    if (job->state == JOB_DEAD) {
        record_fail(run, job, of, (struct signal){ .path = str_of(path) }, out);
    } else {
        add_absent(run, of, "fail", out);
    }
    add_absent(run, of, "done", out);
    if (job->state == JOB_DONE || !view_leaves_answer(run, job)) contract_absent_add(out, path);
}

/* The newest review that ended, and its fix. */
static void record_review(const struct run_view *run, struct contract *out)
{
    const struct batch *review = &run->engine->lanes[0].review;
    struct signal answered = { .success = true };

    for (uint32_t i = 0; i < review->count; i++) {
        const struct job *job = &review->jobs[i];
        struct cycles_step of = review_of(run, review, job->role);
        struct signal signal;

        if (job->result.doc.size == 0) {
            record_unsaid(run, job, of, out);
            continue;
        }
        signal = record_said(run, job, of, out);
        if (answered.path.size == 0 || (str_is(answered.grade, grade_word(GRADE_PASS)) &&
                                        !str_is(signal.grade, grade_word(GRADE_PASS)))) {
            answered = signal;
        }
    }
    record_fix(run, answered, out);
}

/* A review that is at work, or could not be done. */
static void record_reviewing(const struct run_view *run, struct contract *out)
{
    const struct batch *now = &run->engine->lanes[0].now;
    struct cycles_step fix = fix_of(run, now);

    for (uint32_t i = 0; i < now->count; i++) {
        const struct job *job = &now->jobs[i];
        struct cycles_step of = review_of(run, now, job->role);

        if (job->state == JOB_DONE && job->result.doc.size > 0) {
            (void)record_said(run, job, of, out);
        } else {
            record_unsaid(run, job, of, out);
        }
    }
    add_absent(run, fix, "done", out);
    add_absent(run, fix, "fail", out);
}

/* The files of the cycles of a phase, up to last, that have not begun; at most left of them. */
static uint32_t record_phase_ahead(const struct run_view *run, uint32_t phase, uint32_t last,
                                   uint32_t left, struct contract *out)
{
    const struct gate *gate = &run->engine->plan->phases[phase].gate;
    struct batch ahead = { .phase = phase };

    for (ahead.round = 1; ahead.round <= last && left > 0; ahead.round++) {
        struct cycles_step fix = fix_of(run, &ahead);

        if (round_find(run->engine, phase, ahead.round)) continue;
        for (uint32_t i = 0; i < gate->reviewer_count; i++) {
            struct cycles_step of = review_of(run, &ahead, gate->reviewers[i]);

            add_absent(run, of, "done", out);
            add_absent(run, of, "fail", out);
            contract_absent_add(out, cycles_review_path(run->settings, of, &out->arena));
        }
        add_absent(run, fix, "done", out);
        add_absent(run, fix, "fail", out);
        left--;
    }
    return left;
}

/* Cycles that have not begun, in this phase and behind it. */
static void record_ahead(const struct run_view *run, struct contract *out)
{
    const struct plan *plan = run->engine->plan;
    uint32_t phase = run->engine->lanes[0].phase | 1;
    uint32_t left = AHEAD_MAX;

    if (phase >= plan->phase_count) return;
    (void)record_phase_ahead(run, phase, UINT32_MAX, AHEAD_MAX, out);
    for (phase += 2; phase < plan->phase_count; phase += 2) {
        left = record_phase_ahead(run, phase, cycles_max(plan, phase), left, out);
    }
}

void cycles_record(const struct run_view *run, struct contract *out)
{
    const struct lane *lane = &run->engine->lanes[0];
    const char *folder = cycles_folder(run->settings, &out->arena);

    contract_folder_add(out, arena_printf(&out->arena, "%s/.signals", folder));
    contract_folder_add(out, arena_printf(&out->arena, "%s/reviews", folder));
    if (lane->review.count > 0) record_review(run, out);
    if (lane->now.count > 0 && lane->now.jobs[0].purpose == FOR_REVIEW) record_reviewing(run, out);
    record_ahead(run, out);
}
