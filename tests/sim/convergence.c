/* SPDX-License-Identifier: Apache-2.0
 *
 * convergence.c - the engine itself over a change, until it ends.
 *
 * Nothing of the rules is here. The plan is that of a review: five roles of a panel, a fixer, a
 * checker, one gate. Who looks, with which eyes, at the whole change or at the last repair, comes
 * from the engine's actions; what the fixer is asked to repair are the findings in the lane's
 * review when the repair begins; the run is over when the engine says so.
 *
 * Each run is held against two laws:
 *
 * 1. Under a policy no role looks with the same eyes twice at a tree that has not changed: neither
 *    at all of it, nor at the last repair.
 * 2. No run ends on a tree that no review has seen. */
#include "convergence.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>

enum { ROLE_PANEL = 1, ROLE_FIXER = ROLE_PANEL + PANEL, ROLE_CHECKER, ROLES };
enum { REPAIRS_PLAIN = 4, STEPS_MAX = 10000 };

static const struct role roles[ROLES] = {
    [1] = { .name = "one" }, [2] = { .name = "two" }, [3] = { .name = "three" },
    [4] = { .name = "four" }, [5] = { .name = "five" },
    [ROLE_FIXER] = { .name = "fixer", .writes = true }, [ROLE_CHECKER] = { .name = "checker" },
};
static const uint16_t panel[PANEL] = { 1, 2, 3, 4, 5 };

void course_init(struct course *course, const char *policy, uint32_t eyes, uint32_t more)
{
    *course = (struct course){ .name = policy ? policy : "plain" };
    course->phase = (struct phase){
        .name = "review",
        .gate = { .reviewers = panel, .reviewer_count = PANEL, .on_fail = FAIL_REPAIR,
                  .repair = { .role = ROLE_FIXER }, .repair_max = REPAIRS_PLAIN + more,
                  .at_bound = BOUND_STOP, .checker = ROLE_CHECKER } };
    course->plan = (struct plan){ .roles = roles, .role_count = ROLES, .phases = &course->phase,
                                  .phase_count = 1, .iteration_max = 1 };
    if (policy) {
        course->policy = *policy_find(str_of(policy));
        course->policy.review_max += more;
        if (more) course->policy.region_max = course->policy.tries_max = NO_BOUND;
        plan_until(&course->plan, &course->policy, eyes, &course->arena);
    }
    assert(!plan_problem(&course->plan));
}

void course_release(struct course *course)
{
    arena_release(&course->arena);
}

/* What an entry of the ledger is about: the fault of its first report. */
struct owner {
    uint64_t order; /* of the entry */
    uint32_t fault;
};

/* One run. */
struct walk {
    struct engine engine;
    struct change *change;
    struct actions actions;
    struct action *due; /* attempts that were asked for and have not ended */
    uint32_t due_count, due_cap;
    uint32_t seen[2][ROLES][EYES_MAX]; /* [recheck]: the tree at which they looked last, and one */
    uint32_t tree_seen;                /* likewise, whichever of them looked */
    const char *broken;
    uint64_t now_ms;
    struct owner *owners;
    uint32_t owner_count, owner_cap;
};


static void walk_step(struct walk *walk, struct event event)
{
    event.now_ms = ++walk->now_ms;
    engine_step(&walk->engine, &event, &walk->actions);
    for (uint32_t i = 0; i < walk->actions.count; i++) {
        if (walk->actions.item[i].kind != ACT_START) continue;
        walk->due = mem_grow(walk->due, walk->due_count, &walk->due_cap, sizeof *walk->due);
        walk->due[walk->due_count++] = walk->actions.item[i];
    }
}

static void walk_end(struct walk *walk, const struct action *action, struct result result)
{
    static const struct str eyes[EYES_MAX] = { STR("eye"), STR("other"), STR("third") };

    result.by = eyes[action->eye];
    walk_step(walk, (struct event){ .kind = EV_ENDED, .job = action->job,
                                    .attempt = action->attempt, .result = result });
}

/* Law 1. */
static void note_look(struct walk *walk, const struct action *action)
{
    uint32_t tree = walk->change->tree + 1;
    uint32_t *seen = &walk->seen[action->recheck][action->role][action->eye];

    if (walk->engine.plan->phases->gate.policy && *seen == tree) {
        walk->broken = "a role looked with the same eyes at a tree that had not changed";
    }
    *seen = tree;
    walk->tree_seen = tree;
}

static void walk_review(struct walk *walk, const struct action *actions, uint32_t count,
                        struct arena *arena)
{
    struct reviewer reviewers[TOGETHER_MAX];
    struct result results[TOGETHER_MAX];

    assert(count <= TOGETHER_MAX);
    for (uint32_t i = 0; i < count; i++) {
        bool general = actions[i].role == ROLE_CHECKER;

        reviewers[i] = (struct reviewer){
            .role = general ? GENERALIST : (uint32_t)actions[i].role - ROLE_PANEL,
            .eye = actions[i].eye };
        note_look(walk, &actions[i]);
    }
    change_review(walk->change, reviewers, count, actions->recheck);
    for (uint32_t i = 0; i < count; i++) results[i] = change_report(walk->change, i, arena);
    for (uint32_t i = 0; i < count; i++) walk_end(walk, &actions[i], results[i]);
}

/* ---- what the ledger makes of reports ---- */

static const struct owner *owner_find(const struct walk *walk, uint64_t order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (walk->owners[i].order == order) return &walk->owners[i];
    }
    return NULL;
}

/* A vote of the newest review: `known` is what its entry was about before; NULL: it is new. */
static void tally_vote(struct walk *walk, struct identity_tally *tally, uint32_t index,
                       const struct owner *known)
{
    const struct fault *fault = &walk->change->faults[index];

    if (fault->first < walk->change->reviews) {
        tally->again++;
        tally->known += known && known->fault == index;
    } else {
        tally->fresh++;
        tally->mistaken += known != NULL;
    }
}

/* Second reports of a fault in one entry and review, of all that there are. */
static void tally_together(const struct walk *walk, struct identity_tally *tally,
                           const struct ledger_entry *entry)
{
    uint32_t reviews = walk->change->reviews;

    for (uint32_t i = 0; i < entry->vote_count; i++) {
        const struct vote *vote = &entry->votes[i];

        for (uint32_t k = 0; vote->round == reviews && k < i; k++) {
            if (entry->votes[k].round != reviews) continue;
            if (change_fault(&entry->votes[k].finding) != change_fault(&vote->finding)) continue;
            tally->joined++;
            break;
        }
    }
}

/* After a review. */
static void tally_review(struct walk *walk, struct identity_tally *tally)
{
    const struct ledger_entry *entries;
    uint32_t count = ledger_of_lane(&walk->engine.ledger, 0, &entries), known = walk->owner_count;

    for (uint32_t i = 0; i < count; i++) {
        const struct ledger_entry *entry = &entries[i];
        const struct owner *owner = owner_find(walk, entry->order, known);

        for (uint32_t k = 0; k < entry->vote_count; k++) {
            if (entry->votes[k].round != walk->change->reviews) continue;
            tally_vote(walk, tally, change_fault(&entry->votes[k].finding), owner);
        }
        tally_together(walk, tally, entry);
        if (owner) continue;
        walk->owners = mem_grow(walk->owners, walk->owner_count, &walk->owner_cap,
                                sizeof *walk->owners);
        walk->owners[walk->owner_count++] = (struct owner){
            .order = entry->order, .fault = change_fault(&entry->votes[0].finding) };
    }
    for (uint32_t i = 0; i < walk->change->count; i++) {
        uint32_t told = walk->change->faults[i].told;

        for (told &= told - 1; told; told &= told - 1) tally->together++;
    }
}

/* Whether something is parked, and of that something that is a fault. */
static void count_parked(const struct walk *walk, struct outcome *outcome)
{
    const struct ledger_entry *entries;
    uint32_t count = ledger_of_lane(&walk->engine.ledger, 0, &entries);

    for (uint32_t i = 0; i < count; i++) {
        const struct fault *fault = &walk->change->faults[change_fault(&entries[i].finding)];

        if (entries[i].state != FINDING_PARKED) continue;
        outcome->parked++;
        outcome->parked_true += !fault->is_false && fault->alive;
    }
}

static void walk_repair(struct walk *walk, const struct action *action, struct arena *arena)
{
    const struct batch *review = &walk->engine.lanes[0].review;
    const struct finding **asked;
    uint32_t count = 0, at = 0;

    for (uint32_t i = 0; i < review->count; i++) count += review->jobs[i].result.finding_count;
    asked = arena_alloc(arena, (count + 1) * sizeof *asked);
    for (uint32_t i = 0; i < review->count; i++) {
        const struct result *result = &review->jobs[i].result;

        for (uint32_t k = 0; k < result->finding_count; k++) asked[at++] = &result->findings[k];
    }
    walk_end(walk, action, change_repair(walk->change, asked, count, arena));
}

struct outcome course_run(const struct course *course, struct change *change, uint64_t seed,
                          struct identity_tally *tally)
{
    struct walk walk = { .change = change };
    struct outcome outcome = { .calls = 0 };

    change_init(change, seed);
    change->mute = !course->plan.phases->gate.policy && !tally; /* they decide nothing there */
    outcome.before = change_residue(change);
    engine_init(&walk.engine, &course->plan);
    walk_step(&walk, (struct event){ .kind = EV_START });
    while (walk.due_count > 0 && walk.now_ms < STEPS_MAX) {
        struct arena arena = { NULL };
        struct action due[TOGETHER_MAX];
        uint32_t count = walk.due_count;

        assert(count <= TOGETHER_MAX);
        for (uint32_t i = 0; i < count; i++) due[i] = walk.due[i];
        walk.due_count = 0;
        if (due->purpose == FOR_REVIEW) walk_review(&walk, due, count, &arena);
        else walk_repair(&walk, due, &arena);
        if (tally && due->purpose == FOR_REVIEW) tally_review(&walk, tally);
        arena_release(&arena);
    }
    outcome.calls = (double)walk.engine.calls;
    outcome.rounds = walk.engine.round_count;
    outcome.left = change_residue(change);
    outcome.false_edits = change->false_edits;
    outcome.reason = walk.engine.reason;
    if (walk.engine.state != ENGINE_ENDED) walk.broken = "the run has not ended";
    if (walk.tree_seen != change->tree + 1) walk.broken = "it ended on a tree that was not seen";
    outcome.broken = walk.broken;
    count_parked(&walk, &outcome);
    engine_release(&walk.engine);
    actions_release(&walk.actions);
    free(walk.due);
    free(walk.owners);
    return outcome;
}
