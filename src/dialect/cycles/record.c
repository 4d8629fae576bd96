/* SPDX-License-Identifier: Apache-2.0
 *
 * record.c - the session's files, out of the engine's state and nothing else.
 *
 *   FOLDER/reviews/phase-P-review-C.md       a review, as soon as it is there
 *         /.signals/phase-P-review-C.done    with its grade; .fail where the reviewer failed
 *         /.signals/phase-P-fix-C.done       when the fix and its commit are over; .fail where one
 *                                            of them failed
 *
 * 1. The same run gives the same bytes. Times are those of the events.
 * 2. Listed are the files of the newest review that ended, and what failed now; those of older ones
 *    are on disk already and never change.
 * 3. A review that did not pass is done, and a success: the step is over. `fail` is for a step that
 *    could not be done; it goes when the step is tried again.
 * 4. A fix makes no file. Its signal names the review that it answers.
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

/* What a signal is about. */
struct step_of {
    const char *phase, *step;
    uint32_t cycle;
};

static void add_signal(const struct run_view *run, struct step_of of, struct signal signal,
                       uint64_t ms, struct contract *out)
{
    char iso[CLOCK_ISO_BYTES];
    struct buf text;

    signal.created_at = str_of(clock_iso(ms, iso));
    buf_init(&text, SIGNAL_BYTES_MAX);
    signal_write(&signal, &text);
    contract_file_add(out, cycles_signal_path(run->settings, of.phase, of.step, of.cycle,
                                              signal.success ? "done" : "fail", &out->arena),
                      buf_str(&text));
    buf_release(&text);
}

static void add_absent(const struct run_view *run, struct step_of of, const char *end,
                       struct contract *out)
{
    contract_absent_add(out, cycles_signal_path(run->settings, of.phase, of.step, of.cycle, end,
                                                &out->arena));
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
static void record_fail(const struct run_view *run, const struct job *job, struct step_of of,
                        struct signal signal, struct contract *out)
{
    struct str problem = str_trim(job->result.problem);

    if (problem.size == 0) problem = str_of(failure_word(job->result.failure));
    signal.success = false;
    signal.error = str_of(arena_printf(&out->arena, "%s: %.*s", cycles_role_name(job->role),
                                       STR_ARG(problem)));
    add_signal(run, of, signal, run->engine->now_ms, out);
}

/* The fix of the newest review: done when the next cycle has begun. */
static void record_fix(const struct run_view *run, struct step_of of, struct signal signal,
                       struct contract *out)
{
    const struct engine *engine = run->engine;
    const struct lane *lane = &engine->lanes[0];
    const struct round *next = round_find(engine, lane->review.phase, of.cycle + 1);
    const struct job *dead = dead_job(&lane->now, FOR_REPAIR);

    if (!dead) dead = dead_job(&lane->now, FOR_THEN);
    of.step = "fix";
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

/* The newest review that ended, and its fix. */
static void record_review(const struct run_view *run, struct contract *out)
{
    const struct engine *engine = run->engine;
    const struct batch *review = &engine->lanes[0].review;
    const struct round *round = round_find(engine, review->phase, review->round);
    struct step_of of = { .phase = engine->plan->phases[review->phase].name, .step = "review",
                          .cycle = review->round };
    struct str text = review->jobs[0].result.doc;
    const char *path = cycles_review_path(run->settings, of.phase, of.cycle, &out->arena);
    struct signal signal = { .path = str_of(path), .size = text.size, .success = true };
    struct grading grading;

    grading_read(text, &grading);
    signal.grade = str_of(grade_word(grading.grade));
    contract_file_add(out, path, text);
    add_signal(run, of, signal, round ? round->ended_ms : engine->now_ms, out);
    add_absent(run, of, "fail", out);
    record_fix(run, of, signal, out);
}

/* A review that is at work, or could not be done. */
static void record_reviewing(const struct run_view *run, struct contract *out)
{
    const struct batch *now = &run->engine->lanes[0].now;
    struct step_of of = { .phase = run->engine->plan->phases[now->phase].name, .step = "review",
                          .cycle = now->round };
    const struct job *dead = dead_job(now, FOR_REVIEW);
    const char *path = cycles_review_path(run->settings, of.phase, of.cycle, &out->arena);

    if (dead) {
        record_fail(run, dead, of, (struct signal){ .path = str_of(path) }, out);
    } else {
        add_absent(run, of, "fail", out);
    }
    add_absent(run, of, "done", out);
    if (!view_leaves_answer(run, &now->jobs[0])) contract_absent_add(out, path);
    of.step = "fix";
    add_absent(run, of, "done", out);
    add_absent(run, of, "fail", out);
}

/* The files of the cycles of a phase, up to last, that have not begun; at most left of them. */
static uint32_t record_phase_ahead(const struct run_view *run, uint32_t phase, uint32_t last,
                                   uint32_t left, struct contract *out)
{
    struct step_of of = { .phase = run->engine->plan->phases[phase].name };

    for (of.cycle = 1; of.cycle <= last && left > 0; of.cycle++) {
        if (round_find(run->engine, phase, of.cycle)) continue;
        of.step = "review";
        add_absent(run, of, "done", out);
        add_absent(run, of, "fail", out);
        contract_absent_add(out, cycles_review_path(run->settings, of.phase, of.cycle,
                                                    &out->arena));
        of.step = "fix";
        add_absent(run, of, "done", out);
        add_absent(run, of, "fail", out);
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
