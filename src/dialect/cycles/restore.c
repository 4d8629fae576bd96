/* SPDX-License-Identifier: Apache-2.0
 *
 * restore.c - from a session's files back to the events that led to them.
 *
 * An engine of the same plan is walked as far as the files tell: whatever it asks for is answered
 * with what they say, and where they say nothing more, the walk is over and that is what is left to
 * do. The answers given on the way are the events.
 *
 * 1. Recording the run that these events make gives the files again, byte for byte.
 * 2. Files of older cycles may be missing: what must have been there (findings before a later
 *    cycle, a pass or the user's word before a later phase) is taken for granted.
 * 3. What no file tells is to be done again: an implementer whose phase has no review yet, a fix
 *    whose commit is not over, and a question whose answer led to nothing that was recorded.
 *    Nothing becomes clean by that.
 *
 * Not here: the files' form (record.c). */
#include "dialect/cycles/cycles.h"

#include "format/signal.h"

#include <assert.h>
#include <string.h>

enum { CYCLE_MAX = 10000 }; /* no user grants that many */

/* A step's signal; name NULL: there is none. */
struct step_file {
    const char *name;
    struct signal signal;
    uint64_t ms;
};

/* What the files say about one cycle. */
struct cycle_files {
    uint32_t phase, cycle; /* phase: its index among those of the spec */
    struct step_file reviewed, review_failed, fixed, fix_failed;
    const struct contract_file *review;
};

struct walk {
    const struct settings *settings;
    struct restored *out;
    struct plan plan;
    struct engine engine;
    struct arena arena;
    struct cycle_files *cycles;
    uint32_t count, cap;
    uint32_t last_cycle[CYCLES_PHASES_MAX]; /* 0: no file of that phase */
    uint32_t phase_count;                   /* that are known to have been reached */
    uint64_t now_ms;
};

/* ---- reading ---- */

static struct cycle_files *cycle_find(const struct walk *walk, uint32_t phase, uint32_t cycle)
{
    for (uint32_t i = walk->count; i-- > 0;) {
        if (walk->cycles[i].phase == phase && walk->cycles[i].cycle == cycle) {
            return &walk->cycles[i];
        }
    }
    return NULL;
}

/* The place of a phase in the plan, in pairs of rows; false: it has no such phase. */
static bool phase_find(const struct plan *plan, uint32_t number, uint32_t *out)
{
    for (uint32_t i = 0; i < plan->phase_count; i += 2) {
        uint64_t name;

        if (!str_number(str_of(plan->phases[i].name), &name) || name != number) continue;
        *out = i / 2;
        return true;
    }
    return false;
}

static int cycle_of(struct walk *walk, const char *path, const struct signal_name *name,
                    struct cycle_files **out, struct err *err)
{
    uint32_t phase;

    if (!phase_find(&walk->plan, name->phase, &phase)) {
        return err_set(err, ERR_FORMAT, "%s: the run has no phase %u", path,
                       (unsigned)name->phase);
    }
    if (name->cycle > CYCLE_MAX) {
        return err_set(err, ERR_FORMAT, "%s: more than %d cycles", path, CYCLE_MAX);
    }
    *out = cycle_find(walk, phase, name->cycle);
    if (*out) return 0;
    walk->cycles = arena_grow(&walk->arena, walk->cycles, walk->count, &walk->cap,
                              sizeof *walk->cycles);
    *out = &walk->cycles[walk->count++];
    **out = (struct cycle_files){ .phase = phase, .cycle = name->cycle };
    if (name->cycle > walk->last_cycle[phase]) walk->last_cycle[phase] = name->cycle;
    if (phase >= walk->phase_count) walk->phase_count = phase + 1;
    return 0;
}

static int read_signal(struct walk *walk, const struct contract_file *file, struct str leaf,
                       struct err *err)
{
    struct step_file step = { .name = file->path };
    struct cycle_files *cycle;
    struct signal_name name;
    int rc;

    if (!signal_name_read(leaf, &name) || name.step == SIGNAL_OTHER) return 0;
    rc = cycle_of(walk, file->path, &name, &cycle, err);
    if (rc == 0) {
        rc = signal_read(file->content, &walk->arena, &step.signal, err);
        if (rc != 0) err_wrap(err, "%s", file->path);
    }
    if (rc != 0) return rc;
    if (!signal_time(step.signal.created_at, &step.ms)) {
        return err_set(err, ERR_FORMAT, "%s: created_at is no time such as 2026-01-15T08:40:00Z",
                       file->path);
    }
    if (step.signal.success == name.failed) {
        return err_set(err, ERR_FORMAT, "%s: its status is not what its name says", file->path);
    }
    if (name.step == SIGNAL_FIX) {
        *(name.failed ? &cycle->fix_failed : &cycle->fixed) = step;
    } else {
        *(name.failed ? &cycle->review_failed : &cycle->reviewed) = step;
    }
    if (walk->now_ms == 0 || step.ms < walk->now_ms) walk->now_ms = step.ms;
    return 0;
}

/* A review is named like its signal. */
static int read_review(struct walk *walk, const struct contract_file *file, struct str leaf,
                       struct err *err)
{
    struct cycle_files *cycle;
    struct signal_name name;
    int rc;

    if (!str_ends(leaf, STR(".md"))) return 0;
    leaf.size -= strlen(".md");
    leaf = str_of(arena_printf(&walk->arena, "%.*s.done", STR_ARG(leaf)));
    if (!signal_name_read(leaf, &name) || name.step != SIGNAL_REVIEW) return 0;
    rc = cycle_of(walk, file->path, &name, &cycle, err);
    if (rc == 0) cycle->review = file;
    return rc;
}

static int read_files(struct walk *walk, const struct contract *files, struct err *err)
{
    const char *folder = cycles_folder(walk->settings, &walk->arena);
    struct str signals = str_of(arena_printf(&walk->arena, "%s/.signals/", folder));
    struct str reviews = str_of(arena_printf(&walk->arena, "%s/reviews/", folder));
    int rc = 0;

    for (uint32_t i = 0; i < files->file_count && rc == 0; i++) {
        const struct contract_file *file = &files->files[i];
        struct str path = str_of(file->path);

        if (str_starts(path, signals)) {
            rc = read_signal(walk, file, str_skip(path, signals.size), err);
        } else if (str_starts(path, reviews)) {
            rc = read_review(walk, file, str_skip(path, reviews.size), err);
        }
    }
    return rc;
}

/* ---- walking ---- */

static void tell(struct walk *walk, struct event event, uint64_t ms)
{
    struct actions actions = { 0 };

    if (ms > walk->now_ms) walk->now_ms = ms;
    event.now_ms = walk->now_ms;
    restored_add(walk->out, event);
    engine_step(&walk->engine, &event, &actions);
    assert(actions.count > 0); /* each is the answer to what was asked */
    actions_release(&actions);
}

/* The one job ends like that. */
static void end_job(struct walk *walk, struct result result, uint64_t ms)
{
    const struct job *job = &walk->engine.lanes[0].now.jobs[0];

    tell(walk, (struct event){ .kind = EV_ENDED, .job = job->id, .attempt = job->attempt,
                               .result = result }, ms);
}

static void end_clean(struct walk *walk, uint64_t ms)
{
    end_job(walk, (struct result){ .verdict = VERDICT_CLEAN }, ms);
}

/* "spec-fixer: why" as the failure it was. */
static void end_failed(struct walk *walk, const struct step_file *step)
{
    struct str rest = step->signal.error, role = { "", 0 };

    if (str_has(rest, ':')) (void)str_cut(&rest, ':', &role);
    end_job(walk, (struct result){ .verdict = VERDICT_FAILED, .failure = FAILURE_EXIT,
                                   .permanent = true,
                                   .problem = arena_copy(&walk->out->arena, str_trim(rest)) },
            step->ms);
}

static void answer(struct walk *walk, enum choice choice)
{
    tell(walk, (struct event){ .kind = EV_ANSWER, .choice = choice }, walk->now_ms);
}

/* A review that no file is left of, though more came behind it. */
static void end_guessed(struct walk *walk, bool found)
{
    static const struct finding finding = { .severity = SEVERITY_MEDIUM,
                                            .text = STR("the review is not there any more") };

    end_job(walk, (struct result){ .verdict = found ? VERDICT_FINDINGS : VERDICT_CLEAN,
                                   .findings = found ? &finding : NULL,
                                   .finding_count = found ? 1 : 0 }, walk->now_ms);
}

static int end_reviewed(struct walk *walk, const struct cycle_files *files, struct err *err)
{
    const struct step_file *step = &files->reviewed;
    struct grading grading;
    struct result result;

    if (!files->review) {
        return err_set(err, ERR_FORMAT, "%s: the review it tells of is not there", step->name);
    }
    cycles_judge_review(files->review->content, &walk->out->arena, &result);
    if (result.verdict == VERDICT_INVALID) {
        return err_set(err, ERR_FORMAT, "%s: it is no review", files->review->path);
    }
    grading_read(result.doc, &grading);
    if (!str_is(step->signal.grade, grade_word(grading.grade))) {
        return err_set(err, ERR_FORMAT, "%s: its grade is not the review's, which is %s",
                       step->name, grade_word(grading.grade));
    }
    end_job(walk, result, step->ms);
    return 0;
}

/* What is known of the cycle at work, and of what came behind it. */
struct known {
    const struct cycle_files *files;
    bool fix;    /* a fix was tried in it */
    bool more;   /* there is a later cycle of its phase */
    bool behind; /* there is a later phase */
};

static struct known known_of(const struct walk *walk)
{
    static const struct cycle_files nothing = { .cycle = 0 };
    const struct lane *lane = &walk->engine.lanes[0];
    uint32_t phase = lane->phase / 2, cycle = lane->tallies[lane->phase].rounds;
    struct known known = { .files = cycle_find(walk, phase, cycle) };

    if (!known.files) known.files = &nothing;
    known.fix = known.files->fixed.name || known.files->fix_failed.name;
    known.more = walk->last_cycle[phase] > cycle;
    known.behind = walk->phase_count > phase + 1;
    return known;
}

/* Each of these gives the answer to what is asked; false where no file has one. */

static bool step_review(struct walk *walk, const struct known *known)
{
    if (known->more || known->fix || known->behind) {
        end_guessed(walk, known->more || known->fix);
    } else if (known->files->review_failed.name) {
        end_failed(walk, &known->files->review_failed);
    } else {
        return false;
    }
    return true;
}

static bool step_repair(struct walk *walk, const struct known *known)
{
    const struct step_file *failed = &known->files->fix_failed;
    struct str committer = str_of(cycles_role_name(CYCLES_COMMITTER));

    if (known->more || known->files->fixed.name || str_starts(failed->signal.error, committer)) {
        end_clean(walk, walk->now_ms);
    } else if (failed->name || known->behind) {
        end_failed(walk, failed); /* of which nothing may be known but that the user went on */
    } else {
        return false;
    }
    return true;
}

static bool step_commit(struct walk *walk, const struct known *known)
{
    if (known->files->fixed.name) {
        end_clean(walk, known->files->fixed.ms);
    } else if (known->more || known->behind) {
        end_clean(walk, walk->now_ms);
    } else if (known->files->fix_failed.name) {
        end_failed(walk, &known->files->fix_failed);
    } else {
        return false;
    }
    return true;
}

static bool step_question(struct walk *walk, const struct known *known)
{
    bool bound = walk->engine.lanes[0].question == ASK_BOUND;
    bool again = bound && (known->more || known->fix);

    if (again || known->behind) answer(walk, again ? CHOICE_CONTINUE : CHOICE_ACCEPT);
    return again || known->behind;
}

/* One step, as the files say; *over when they say nothing more. */
static int walk_step(struct walk *walk, bool *over, struct err *err)
{
    const struct lane *lane = &walk->engine.lanes[0];
    struct known known = known_of(walk);
    bool asked = lane->now.count > 0 && lane->now.jobs[0].state == JOB_RUNNING;
    bool told = false;

    if (lane->state == LANE_REVIEWING && asked && known.files->reviewed.name) {
        return end_reviewed(walk, known.files, err);
    }
    if (lane->state == LANE_ASKING) {
        told = step_question(walk, &known);
    } else if (lane->state == LANE_WORKING && asked && walk->phase_count > lane->phase / 2) {
        end_clean(walk, walk->now_ms);
        told = true;
    } else if (lane->state == LANE_REVIEWING && asked) {
        told = step_review(walk, &known);
    } else if (lane->state == LANE_REPAIRING && asked) {
        told = step_repair(walk, &known);
    } else if (lane->state == LANE_FINISHING && asked) {
        told = step_commit(walk, &known);
    }
    *over = !told;
    return 0;
}

int cycles_restore(const struct contract *files, const struct settings *settings,
                   struct restored *out, struct err *err)
{
    struct walk walk = { .settings = settings, .out = out };
    bool over = false;
    int rc = dialect_cycles.plan(settings, &walk.arena, &walk.plan, err);

    *out = (struct restored){ .task = dialect_cycles.task_default };
    if (rc == 0) rc = read_files(&walk, files, err);
    if (rc == 0) {
        engine_init(&walk.engine, &walk.plan);
        tell(&walk, (struct event){ .kind = EV_START }, walk.now_ms);
        while (rc == 0 && !over) rc = walk_step(&walk, &over, err);
        engine_release(&walk.engine);
    }
    arena_release(&walk.arena);
    if (rc != 0) {
        arena_release(&out->arena);
        *out = (struct restored){ .count = 0 };
    }
    return rc;
}
