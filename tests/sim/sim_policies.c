/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_policies.c - plans of all kinds under policies, and anything that may happen to them.
 *
 *   sim_policies [SEED [SEEDS]]
 *
 * enum_policies.c plays every run of one gate. Here a seed chooses a plan (of the five, or a random
 * one: several gates, lanes of tasks, restarts, questions), a policy with bounds of its own, who
 * looks first and whether repairs are proven; then how each attempt ends, in any order, with
 * findings that are alike, doubts, moved lines, and what no driver would tell (hostile journals
 * do). Half of the runs are stopped, killed, changed from outside and answered at any moment
 * besides. What rests is resumed a few times.
 *
 * Held in every run: all invariants of the engine, after each event; where nothing runs it has
 * ended; and it ends. One run in TWIN_EVERY has a twin that loses attempts, and does the same
 * (twin.h). */
#include "core/engine.h"

#include "plans.h"
#include "twin.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 30000, SEEDS_SHORT = 3000, STEPS_MAX = 5000, DUE_MAX = 256, GOES_ON_MAX = 6 };
enum { FINDINGS_MAX = 4, DOUBTS_MAX = 64, TWIN_EVERY = 8 };

struct play {
    uint64_t seed;
    struct prng prng;
    struct fixture fixture;
    struct arena arena;
    struct engine engine;
    struct twin *twin; /* NULL: it has none */
    struct actions actions;
    struct action due[DUE_MAX];
    uint32_t due_count, goes_on;
    bool calm;    /* nothing happens but that attempts end well */
    bool hostile; /* results have what their purpose has no use for */
    uint64_t steps;
    struct waiver waivers[2];
};

static uint32_t below(struct play *play, uint32_t count) { return prng_below(&play->prng, count); }
static bool chance(struct play *play, uint32_t of) { return prng_chance(&play->prng, of); }

static void fail(const struct play *play, const char *what)
{
    fprintf(stderr, "seed %" PRIu64 ", step %" PRIu64 ": %s\n", play->seed, play->steps, what);
    exit(1);
}

static void engines_step(struct play *play, const struct event *event)
{
    const char *problem = NULL;

    if (play->twin) {
        problem = twin_step(play->twin, &play->engine, event, &play->actions);
    } else {
        engine_step(&play->engine, event, &play->actions);
    }
    if (problem) fail(play, problem);
}

static void tell(struct play *play, struct event event)
{
    event.now_ms = ++play->steps;
    if (play->steps > STEPS_MAX) fail(play, "it does not end");
    engines_step(play, &event);
    engine_check(&play->engine);
    for (uint32_t i = 0; i < play->actions.count; i++) {
        if (play->actions.item[i].kind != ACT_START) continue;
        if (play->due_count == DUE_MAX) fail(play, "too much is asked for");
        play->due[play->due_count++] = play->actions.item[i];
    }
    if (play->due_count == 0 && play->engine.state != ENGINE_ENDED) fail(play, "nothing runs");
}

/* ---- how attempts end ---- */

static struct str any_file(struct play *play)
{
    static const char *const files[] = { "a.c", "b.c", "", "./a.c" };

    return str_of(files[below(play, 4)]);
}

static struct finding any_finding(struct play *play)
{
    static const char *const texts[] = {
        "lock held while callback runs, deadlock", "callback runs with lock held: deadlock here",
        "alpha bravo charlie delta", "echoes foxtrot golf hotel", "argument 1 is unused",
        "argument 2 is unused", "it is so" };
    struct finding finding = { .severity = (enum severity)below(play, SEVERITY_COUNT),
                               .file = any_file(play), .line = below(play, 60),
                               .text = str_of(texts[below(play, 7)]) };

    if (chance(play, 10)) finding.evidence = STR("x = y;");
    if (chance(play, 10)) finding.tool = STR("tool");
    if (play->hostile && chance(play, 5)) finding.line = UINT32_MAX;
    finding.fingerprint = finding_fingerprint(&finding);
    return finding;
}

/* What an event points to. */
struct told {
    struct finding findings[FINDINGS_MAX];
    struct doubtful doubts[DOUBTS_MAX];
    struct line_hunk hunk;
    struct file_move file;
    uint32_t groups[2];
};

static uint32_t any_number(struct play *play)
{
    return play->hostile && chance(play, 20) ? UINT32_MAX : below(play, 50);
}

static void end_review(struct play *play, struct told *told, struct result *result)
{
    if (chance(play, 5)) result->verdict = VERDICT_NOT_PLAYED;
    if (result->verdict == VERDICT_NOT_PLAYED || chance(play, 40)) return;
    for (uint32_t i = 0; i < FINDINGS_MAX; i++) told->findings[i] = any_finding(play);
    result->verdict = VERDICT_FINDINGS;
    result->findings = result->notes = told->findings;
    result->finding_count = below(play, FINDINGS_MAX + 1);
    result->note_count = chance(play, 20);
    result->broken = chance(play, 20);
    result->fix_groups = chance(play, 30) ? below(play, 3) : 0;
    result->fix_alone = chance(play, 50);
}

/* Work ends so, too. */
static void end_repair(struct play *play, const struct lane *lane, struct told *told,
                       struct result *result)
{
    result->unchanged = chance(play, 40);
    result->stuck = chance(play, 8);
    result->complete = chance(play, 60);
    if (!result->unchanged) {
        told->hunk = (struct line_hunk){ any_number(play), any_number(play), any_number(play),
                                         any_number(play) };
        told->file = (struct file_move){ STR("a.c"), any_file(play), &told->hunk, 1 };
        result->moved = (struct line_map){ &told->file, 1 };
    }
    result->doubts = told->doubts;
    for (uint32_t i = 0; i < lane->review.count; i++) {
        const struct result *review = &lane->review.jobs[i].result;

        for (uint32_t k = 0; k < review->finding_count; k++) {
            if (result->doubt_count == DOUBTS_MAX || !(result->unchanged || chance(play, 40))) {
                continue;
            }
            told->doubts[result->doubt_count++] = (struct doubtful){
                .fingerprint = review->findings[k].fingerprint, .line = review->findings[k].line,
                .why = chance(play, 50) ? DOUBT_DECLINED : DOUBT_UNTOUCHED };
        }
    }
    if (chance(play, 10)) {
        told->groups[0] = 1 + below(play, 2);
        result->groups = told->groups;
        result->group_count = 1;
    }
}

static void end_attempt(struct play *play, const struct action *action)
{
    static const char *const backends[] = { "one", "two", "three", "" };
    struct told told;
    struct result result = { .by = str_of(backends[chance(play, 80) ? action->eye % 3
                                                                    : below(play, 4)]) };
    bool odd = play->hostile && chance(play, 30);

    switch (action->purpose) {
    case FOR_REVIEW:
    case FOR_CHECKPOINT:
    case FOR_INTEGRATE:
        end_review(play, &told, &result);
        break;
    case FOR_WORK:
    case FOR_JOIN:
    case FOR_REPAIR:
        end_repair(play, &play->engine.lanes[action->lane], &told, &result);
        break;
    case FOR_PROOF:
        result.verdict = chance(play, 50) ? VERDICT_CLEAN : VERDICT_FINDINGS;
        result.taken_back = (action->copy == PROOF_AFTER || odd) && chance(play, 30);
        break;
    case FOR_THEN:
    case FOR_COUNT:
        break;
    }
    if (odd) {
        result.unchanged = chance(play, 50);
        result.stuck = chance(play, 30);
        result.taken_back = chance(play, 30);
        result.verdict = (enum verdict)below(play, VERDICT_COUNT);
        result.failure = (enum failure)below(play, FAILURE_COUNT);
    }
    if (!play->calm && chance(play, 12)) {
        result.verdict = chance(play, 50) ? VERDICT_FAILED : VERDICT_INVALID;
        result.permanent = chance(play, 10);
        if (chance(play, 30)) result.failure = FAILURE_LOST;
    }
    tell(play, (struct event){ .kind = EV_ENDED, .job = action->job, .attempt = action->attempt,
                               .result = result });
}

/* ---- what happens besides ---- */

static struct event any_answer(struct play *play, uint32_t lane)
{
    return (struct event){ .kind = EV_ANSWER, .lane = lane,
                           .choice = (enum choice)below(play, CHOICE_COUNT) };
}

/* Waivers come and go with resumes. */
static void resume(struct play *play)
{
    tell(play, (struct event){ .kind = EV_RESUME, .waivers = play->waivers,
                               .waiver_count = below(play, 3) });
}

static void stop(struct play *play)
{
    struct action due[DUE_MAX];
    uint32_t count = play->due_count;

    memcpy(due, play->due, count * sizeof *due);
    tell(play, (struct event){ .kind = EV_STOP });
    for (uint32_t i = 0; i < count; i++) {
        tell(play, (struct event){ .kind = EV_ENDED, .job = due[i].job, .attempt = due[i].attempt,
            .result = { .verdict = VERDICT_FAILED, .failure = FAILURE_STOPPED } });
    }
    play->due_count = 0;
    if (play->engine.state != ENGINE_ENDED) fail(play, "a stop does not end it");
}

static void mishap(struct play *play)
{
    uint32_t lane = below(play, play->engine.lane_count);

    switch (below(play, 4)) {
    case 0:
        tell(play, (struct event){ .kind = EV_DRIFT, .lane = lane });
        break;
    case 1:
        stop(play);
        break;
    case 2:
        resume(play); /* hone was killed */
        break;
    default:
        tell(play, any_answer(play, lane));
        break;
    }
}

/* Nothing is due: it goes on by a person's word. False: it does not. */
static bool go_on(struct play *play)
{
    struct engine *engine = &play->engine;

    if (play->goes_on++ == GOES_ON_MAX || reason_is_final(engine->reason)) return false;
    if (chance(play, 20)) {
        tell(play, (struct event){ .kind = EV_DRIFT, .lane = below(play, engine->lane_count) });
    }
    for (uint32_t i = 0; i < engine->lane_count; i++) {
        if (engine->lanes[i].state != LANE_ASKING || chance(play, 30)) continue;
        tell(play, any_answer(play, i));
        return true;
    }
    resume(play);
    return true;
}

/* ---- a run ---- */

/* False: no gate of this plan can have a policy so. */
static bool make_plan(struct play *play)
{
    static const char *const policies[] = { "settled", "lean", "thorough", "clean" };
    enum plan_kind kind = (enum plan_kind)below(play, PLAN_LOOPS + 1);
    struct plan_size size = plans_size(kind);
    struct plan *plan = &play->fixture.plan;
    struct policy *policy = arena_alloc(&play->arena, sizeof *policy);
    bool first[FIXTURE_ROLES] = { false };

    if (chance(play, 50)) plans_random(&play->fixture, &play->prng);
    else plans_make(&play->fixture, kind, &size);
    *policy = *policy_find(str_of(policies[below(play, 4)]));
    if (chance(play, 50)) {
        policy->review_max = 1 + below(play, 5);
        policy->tries_max = 1 + below(play, 3);
        policy->region_max = below(play, 4);
        if (policy->grave_min > 0) policy->grave_min = 1 + below(play, 2);
    }
    plan_until(plan, policy, 1 + below(play, 3), &play->arena);
    for (uint32_t i = 1; i < plan->role_count; i++) first[i] = chance(play, 20);
    if (chance(play, 50)) plan_first(plan, first, &play->arena);
    if (chance(play, 30)) plan_prove(plan, "prover", &play->arena);
    return !plan_problem(plan);
}

static void start(struct play *play)
{
    struct told told = { .groups = { 1 + below(play, 2), 1 + below(play, 2) } };
    struct event event = { .kind = EV_START, .waivers = play->waivers,
                           .waiver_count = chance(play, 30) ? 2 : 0 };

    for (uint32_t i = 0; i < 2; i++) {
        play->waivers[i] = (struct waiver){ .finding = any_finding(play),
                                            .id = i == 0 ? STR("w1") : STR("w2"),
                                            .grave = chance(play, 30) };
        told.findings[i] = any_finding(play);
    }
    event.result = (struct result){ .findings = told.findings, .groups = told.groups,
                                    .finding_count = chance(play, 15) ? 2 : 0,
                                    .group_count = below(play, 3) };
    tell(play, event);
}

static void end_twin(struct play *play, uint64_t *lost)
{
    const char *problem = twin_compare(play->twin, &play->engine);

    if (problem) fail(play, problem);
    *lost += play->twin->lost;
    twin_release(play->twin);
}

static void play_seed(uint64_t seed, uint32_t ends[REASON_COUNT], uint64_t *lost)
{
    static struct play play;
    struct twin twin;

    play = (struct play){ .seed = seed, .prng = { .state = seed * 7919 + 13 } };
    play.calm = chance(&play, 50);
    play.hostile = chance(&play, 30);
    if (!make_plan(&play)) {
        arena_release(&play.arena);
        return;
    }
    engine_init(&play.engine, &play.fixture.plan);
    if (seed % TWIN_EVERY == 0) {
        twin_init(&twin, &play.fixture.plan, seed);
        play.twin = &twin;
    }
    start(&play);
    while (play.due_count > 0 || go_on(&play)) {
        struct action action;
        uint32_t at;

        if (play.due_count > 0 && !play.calm && chance(&play, 5)) mishap(&play);
        if (play.due_count == 0) continue;
        at = below(&play, play.due_count);
        action = play.due[at];
        play.due[at] = play.due[--play.due_count];
        end_attempt(&play, &action);
    }
    if (play.twin) end_twin(&play, lost);
    ends[play.engine.reason]++;
    engine_release(&play.engine);
    actions_release(&play.actions);
    arena_release(&play.arena);
}

int main(int argc, char **argv)
{
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10)
                     : argc > 1 ? 1 : getenv("HONE_TEST_SHORT") ? SEEDS_SHORT : SEEDS;
    uint32_t ends[REASON_COUNT] = { 0 };
    uint64_t lost = 0;

    for (uint64_t i = 0; i < count; i++) play_seed(first + i, ends, &lost);
    printf("%" PRIu64 " runs, whose twins lost %" PRIu64 " attempts:", count, lost);
    for (uint32_t i = 0; i < REASON_COUNT; i++) {
        if (ends[i]) printf(" %" PRIu32 " %s", ends[i], reason_word((enum reason)i));
    }
    printf("\n");
    return 0;
}
