/* SPDX-License-Identifier: Apache-2.0
 *
 * enum_policies.c - every run of small plans under each policy, not a sample of them.
 *
 *   enum_policies
 *
 * Under a policy the engine goes by what the ledger knows, so two histories are seldom the same
 * state, and the search of enum_plans.c does not help. Here a run is a row of choices: how each
 * review and each repair ends, and whether the run is stopped and resumed, the tree is changed from
 * outside, or an attempt fails or is lost meanwhile. Every row is played once, in the order of an
 * odometer.
 *
 * Some runs begin with the repair of findings that are given (EV_START).
 *
 * A review finds nothing, a grave finding (the same one each time, in words of the reviewer's own),
 * a small one, or one that is new each time, near the grave one; one that looks first may also find
 * that it does not build. A repair edits there; or edits nothing, with a reason for each finding,
 * or without a word; or says it is stuck. A prover finds that all is well, that it is not, or that
 * the repair made it worse: then the repair is taken back. One that looks first proves, too.
 *
 * Held in every run:
 *
 * 1. It ends, with at most as many calls as its plan has reviewers for each review and one repair
 *    less than reviews; a stop, a change from outside, a failed attempt and a lost one may
 *    each cost one review more.
 * 2. What passes (clean, converged, settled) has no open entry in the ledger, and its last review
 *    has no grave finding. What ends at a bound (bound, oscillating, diverging) has an entry that
 *    is accepted; what is stuck has one that is parked, or its fixer said so.
 * 3. The fixer is asked for what is accepted, all of it and nothing else.
 * 4. No role looks with the same eyes twice at a tree that has not changed, but where what it said
 *    was void; and no run ends on a tree that no review has seen.
 * 5. Where reviewers answer in the opposite order, all of this comes out the same.
 * 6. One that looks first is not asked before a repair for what its review of that tree said.
 * 7. Where each attempt is lost once before it answers, the run comes out the same. It is played so
 *    together with the opposite order: all runs of panels, and those of one reviewer that have no
 *    mishap. */
#include "core/engine.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHOICES_MAX = 64, PANEL_MAX = 2, EYES_MAX = 2, DUE_MAX = 4, STEPS_MAX = 200 };
enum { ROLE_FIRST = 1, ROLE_FIXER = ROLE_FIRST + PANEL_MAX, ROLE_CHECKER, ROLES };
enum answer { FINDS_NOTHING, FINDS_GRAVE, FINDS_SMALL, FINDS_NEW, FINDS_IT_BROKEN, ANSWERS };
enum effort { EDITS, DECLINES, SHIRKS, SAYS_STUCK, EFFORTS };
enum proof { HOLDS, FAILS, TAKEN_BACK, PROOFS };
enum mishap { NO_MISHAP, IS_STOPPED, TREE_DRIFTS, ATTEMPT_FAILS, ATTEMPT_LOST, MISHAPS };

struct setup {
    const char *policy;
    uint32_t eyes, panel, reviews;
    bool mishaps; /* one in each run, at any moment */
    bool given;   /* it begins with the repair of a grave finding and of a small one */
    bool proved;  /* a prover looks at each repair, and what makes it worse is taken back */
    bool first;   /* the first of the panel looks first, and may find that it does not build */
};

static const struct setup setups[] = {
    { .policy = "settled", .eyes = 2, .panel = 2, .reviews = 4 },
    { .policy = "settled", .eyes = 1, .panel = 1, .reviews = 5 },
    { .policy = "settled", .eyes = 2, .panel = 1, .reviews = 4, .mishaps = true },
    { .policy = "settled", .eyes = 2, .panel = 2, .reviews = 3, .first = true },
    { .policy = "settled", .eyes = 1, .panel = 2, .reviews = 3, .first = true },
    { .policy = "settled", .eyes = 1, .panel = 2, .reviews = 2, .first = true, .proved = true,
      .mishaps = true },
    { .policy = "settled", .eyes = 1, .panel = 2, .reviews = 2, .first = true, .given = true,
      .mishaps = true },
    { .policy = "settled", .eyes = 2, .panel = 1, .reviews = 4, .proved = true },
    { .policy = "settled", .eyes = 1, .panel = 1, .reviews = 3, .proved = true, .mishaps = true },
    { .policy = "clean", .eyes = 2, .panel = 1, .reviews = 4, .proved = true },
    { .policy = "lean", .eyes = 2, .panel = 2, .reviews = 4 },
    { .policy = "lean", .eyes = 1, .panel = 1, .reviews = 5 },
    { .policy = "lean", .eyes = 2, .panel = 1, .reviews = 4, .mishaps = true },
    { .policy = "lean", .eyes = 2, .panel = 2, .reviews = 3, .first = true },
    { .policy = "thorough", .eyes = 2, .panel = 2, .reviews = 4 },
    { .policy = "thorough", .eyes = 1, .panel = 1, .reviews = 5 },
    { .policy = "thorough", .eyes = 2, .panel = 1, .reviews = 4, .mishaps = true },
    { .policy = "thorough", .eyes = 2, .panel = 2, .reviews = 3, .first = true },
    { .policy = "clean", .eyes = 2, .panel = 2, .reviews = 3 },
    { .policy = "clean", .eyes = 1, .panel = 1, .reviews = 5 },
    { .policy = "clean", .eyes = 2, .panel = 1, .reviews = 4, .mishaps = true },
    { .policy = "clean", .eyes = 1, .panel = 2, .reviews = 3, .first = true },
    { .policy = "settled", .eyes = 2, .panel = 2, .reviews = 4, .mishaps = true, .given = true },
    { .policy = "lean", .eyes = 1, .panel = 1, .reviews = 5, .given = true },
    { .policy = "clean", .eyes = 2, .panel = 1, .reviews = 4, .mishaps = true, .given = true },
};
enum { SETUPS = sizeof setups / sizeof *setups };

static const struct role roles[ROLES] = {
    { .name = "no role" }, { .name = "one", .failed_max = 1 }, { .name = "two", .failed_max = 1 },
    { .name = "fixer", .writes = true, .failed_max = 1 }, { .name = "checker", .failed_max = 1 },
};
static const uint16_t panel[PANEL_MAX] = { ROLE_FIRST, ROLE_FIRST + 1 };

/* The choices of a run: those before `fixed` are given, the others are the first of each. */
struct choices {
    uint8_t chosen[CHOICES_MAX], of[CHOICES_MAX];
    uint32_t at, count;
};

static uint32_t choose(struct choices *choices, uint32_t of)
{
    assert(choices->at < CHOICES_MAX && of < 256);
    if (choices->at == choices->count) choices->chosen[choices->count++] = 0;
    choices->of[choices->at] = (uint8_t)of;
    return choices->chosen[choices->at++];
}

/* The next row; false: there is none. */
static bool choices_next(struct choices *choices)
{
    choices->count = choices->at;
    choices->at = 0;
    while (choices->count > 0) {
        uint32_t last = choices->count - 1;

        if (++choices->chosen[last] < choices->of[last]) return true;
        choices->count--;
    }
    return false;
}

struct play {
    const struct setup *setup;
    struct choices *choices;
    struct engine engine;
    struct actions actions;
    struct action due[DUE_MAX];
    uint32_t due_count;
    bool backwards;   /* answers come in the opposite order, and each attempt is lost once before */
    uint32_t lost;    /* calls of these */
    bool mishap, stuck, voided;
    bool grave;               /* the newest review has a grave finding */
    uint32_t tree, tree_seen; /* how often it has changed; and as it was reviewed last, and one */
    uint32_t round, seen[2][ROLES][EYES_MAX];
    uint32_t steps;
};

static void fail(const struct play *play, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));

static void fail(const struct play *play, const char *format, ...)
{
    va_list args;

    fprintf(stderr, "%s, eyes %" PRIu32 ", panel %" PRIu32 ", choices", play->setup->policy,
            play->setup->eyes, play->setup->panel);
    for (uint32_t i = 0; i < play->choices->at; i++) {
        fprintf(stderr, " %u", play->choices->chosen[i]);
    }
    fprintf(stderr, "%s: ", play->backwards ? ", with losses" : "");
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\n");
    exit(1);
}

static void play_step(struct play *play, struct event event)
{
    event.now_ms = ++play->steps;
    if (play->steps > STEPS_MAX) fail(play, "1: no end in %d steps", STEPS_MAX);
    engine_step(&play->engine, &event, &play->actions);
    engine_check(&play->engine);
    for (uint32_t i = 0; i < play->actions.count; i++) {
        if (play->actions.item[i].kind != ACT_START) continue;
        assert(play->due_count < DUE_MAX);
        play->due[play->due_count++] = play->actions.item[i];
    }
}

static void play_end(struct play *play, const struct action *action, struct result result)
{
    static const char *const eyes[EYES_MAX] = { "eye", "other" };
    struct event event = { .kind = EV_ENDED, .job = action->job, .attempt = action->attempt };

    if (play->backwards && result.failure == FAILURE_NONE) {
        event.result = (struct result){ .verdict = VERDICT_FAILED, .failure = FAILURE_LOST };
        play_step(play, event);
        if (play->actions.count != 2 || !play->due_count) fail(play, "7: not asked for again");
        event.attempt = play->due[--play->due_count].attempt;
        play->lost += action->purpose != FOR_PROOF;
    }
    event.result = result;
    event.result.by = str_of(eyes[action->eye]);
    play_step(play, event);
}

/* ---- answers ---- */

static struct finding finding_for(enum answer answer, const struct action *action)
{
    /* The grave one in two wordings; what is new has other words in each round. */
    static const char *const grave[] = {
        "lock held while callback runs, deadlock", "callback runs with lock held: deadlock here" };
    static const char *const fresh[] = { "alpha bravo charlie delta", "echoes foxtrot golf hotel",
                                         "india juliet kilo lima", "mike november oscar papa",
                                         "quebec romeo sierra tango" };
    struct finding finding = { .severity = SEVERITY_MEDIUM, .file = STR("a.c"), .line = 12 };

    if (answer == FINDS_GRAVE || answer == FINDS_IT_BROKEN) {
        finding.severity = SEVERITY_HIGH;
        finding.line = 10;
        finding.text = str_of(grave[action->role != ROLE_FIRST]);
    } else if (answer == FINDS_SMALL) {
        finding.severity = SEVERITY_LOW;
        finding.line = 200;
        finding.text = STR("spelling of comment");
    } else {
        finding.text = str_of(fresh[(action->round - 1) % (sizeof fresh / sizeof *fresh)]);
    }
    finding.fingerprint = finding_fingerprint(&finding);
    return finding;
}

/* Laws 4 and 2. */
static void note_look(struct play *play, const struct action *action, enum answer answer)
{
    uint32_t *seen = &play->seen[action->recheck][action->role][action->eye];

    if (*seen == play->tree + 1 && !play->voided) fail(play, "4: the same eyes, the same tree");
    *seen = play->tree_seen = play->tree + 1;
    play->grave = play->grave || answer == FINDS_GRAVE || answer == FINDS_IT_BROKEN;
}

static void play_review(struct play *play, const struct action *due, uint32_t count)
{
    enum answer answers[DUE_MAX];

    if (due->round != play->round) play->grave = false;
    play->round = due->round;
    for (uint32_t i = 0; i < count; i++) {
        /* The second reviewer finds nothing new: two that do are two of the first. */
        uint32_t of = due[i].role == ROLE_FIRST + 1 ? FINDS_NEW
                      : play->setup->first && due[i].role == ROLE_FIRST ? ANSWERS : FINDS_IT_BROKEN;

        answers[i] = (enum answer)choose(play->choices, of);
        note_look(play, &due[i], answers[i]);
    }
    play->voided = false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = play->backwards ? count - 1 - i : i;
        struct finding finding = finding_for(answers[at], &due[at]);
        bool found = answers[at] != FINDS_NOTHING;

        play_end(play, &due[at], (struct result){
            .verdict = found ? VERDICT_FINDINGS : VERDICT_CLEAN, .findings = &finding,
            .finding_count = found, .broken = answers[at] == FINDS_IT_BROKEN,
            .proof = PROOF_READ });
    }
}

/* Law 3. */
static void check_asked(const struct play *play)
{
    const struct batch *review = &play->engine.lanes[0].review;
    const struct ledger_entry *entries;
    uint32_t count = ledger_of_lane(&play->engine.ledger, 0, &entries), asked = 0, votes = 0;

    for (uint32_t i = 0; i < review->count; i++) asked += review->jobs[i].result.finding_count;
    for (uint32_t i = 0; i < count; i++) {
        bool told = entries[i].round_last == review->round, named = !told;

        if (!finding_is_accepted(entries[i].state)) continue;
        for (uint32_t k = 0; k < entries[i].vote_count; k++) {
            named = named || entries[i].votes[k].round == review->round;
            votes += told && entries[i].votes[k].round == review->round;
        }
        votes += !told;
        if (!named) fail(play, "3: no reviewer tells of what is accepted");
    }
    if (asked != votes) fail(play, "3: %" PRIu32 " asked for, %" PRIu32 " accepted", asked, votes);
}

static void play_repair(struct play *play, const struct action *action)
{
    static const struct line_hunk hunk = { 10, 1, 10, 2 };
    static const struct file_move file = { STR("a.c"), STR("a.c"), &hunk, 1 };
    const struct batch *review = &play->engine.lanes[0].review;
    enum effort effort = (enum effort)choose(play->choices, EFFORTS);
    struct doubtful doubts[16];
    struct result result = { .verdict = VERDICT_CLEAN, .doubts = doubts };

    check_asked(play);
    if (effort == EDITS) {
        play->tree++;
        result.moved = (struct line_map){ &file, 1 };
    }
    result.unchanged = effort != EDITS;
    result.stuck = effort == SAYS_STUCK;
    for (uint32_t i = 0; effort != EDITS && i < review->count; i++) {
        const struct result *one = &review->jobs[i].result;

        for (uint32_t k = 0; k < one->finding_count && result.doubt_count < 16; k++) {
            doubts[result.doubt_count++] = (struct doubtful){
                .fingerprint = one->findings[k].fingerprint, .line = one->findings[k].line,
                .why = effort == DECLINES ? DOUBT_DECLINED : DOUBT_UNTOUCHED };
        }
    }
    play->stuck = effort == SAYS_STUCK;
    play_end(play, action, result);
}

/* What is taken back is the tree as it was before the repair. */
static void play_proof(struct play *play, const struct action *action)
{
    bool after = action->copy == PROOF_AFTER;
    uint32_t of = after ? PROOFS : TAKEN_BACK;
    bool looks_first = action->role == ROLE_FIRST; /* of these only what is worse fails */
    uint32_t chosen = choose(play->choices, looks_first ? TAKEN_BACK : of);
    enum proof proof = looks_first && after && chosen ? TAKEN_BACK : (enum proof)chosen;

    if (!after && looks_first && !play->setup->given && !play->mishap) {
        fail(play, "6: asked for what the review said");
    }
    if (proof == TAKEN_BACK) play->tree--;
    play_end(play, action, (struct result){
        .verdict = proof == HOLDS ? VERDICT_CLEAN : VERDICT_FINDINGS,
        .taken_back = proof == TAKEN_BACK, .problem = STR("a test fails") });
}

/* ---- mishaps ---- */

/* What runs ends by our hand; then the run is resumed. */
static void play_stop(struct play *play, const struct action *due, uint32_t count)
{
    play_step(play, (struct event){ .kind = EV_STOP });
    for (uint32_t i = 0; i < count; i++) {
        play_end(play, &due[i], (struct result){ .verdict = VERDICT_FAILED,
                                                 .failure = FAILURE_STOPPED });
    }
    if (play->engine.reason != REASON_INTERRUPTED) fail(play, "1: a stop does not end it");
    play_step(play, (struct event){ .kind = EV_RESUME });
}

/* True: what was due is over, or is due again. */
static bool play_mishap(struct play *play, const struct action *due, uint32_t count)
{
    enum mishap mishap = NO_MISHAP;

    if (play->setup->mishaps && !play->mishap) mishap = (enum mishap)choose(play->choices, MISHAPS);
    if (mishap == NO_MISHAP) return false;
    play->mishap = play->voided = true;
    if (mishap == IS_STOPPED) {
        play_stop(play, due, count);
    } else if (mishap == ATTEMPT_FAILS || mishap == ATTEMPT_LOST) {
        for (uint32_t i = 0; i < count; i++) {
            play_end(play, &due[i], (struct result){ .verdict = VERDICT_FAILED,
                .failure = mishap == ATTEMPT_FAILS ? FAILURE_EXIT : FAILURE_LOST });
        }
    } else {
        play->tree++;
        if (due->purpose == FOR_REVIEW) play->grave = false; /* what was said is asked for again */
        play_step(play, (struct event){ .kind = EV_DRIFT });
        for (uint32_t i = 0; i < count; i++) play->due[play->due_count++] = due[i];
    }
    return true;
}

/* ---- a run ---- */

static void check_end(const struct play *play)
{
    const struct ledger_entry *entries;
    uint32_t count = ledger_of_lane(&play->engine.ledger, 0, &entries);
    uint32_t accepted = 0, parked = 0, reviews = play->setup->reviews + play->mishap;
    uint64_t calls = (uint64_t)reviews * play->setup->panel + reviews - 1 + play->lost;
    enum reason reason = play->engine.reason;

    for (uint32_t i = 0; i < count; i++) {
        accepted += finding_is_accepted(entries[i].state);
        parked += entries[i].state == FINDING_PARKED;
    }
    if (play->engine.state != ENGINE_ENDED) fail(play, "1: it has not ended");
    if (play->engine.calls > calls) fail(play, "1: %" PRIu64 " calls", play->engine.calls);
    if (play->tree_seen != play->tree + 1 && !play->stuck) fail(play, "4: an unseen tree");
    switch ((int)reason) {
    case REASON_CLEAN:
    case REASON_CONVERGED:
    case REASON_SETTLED:
        if (accepted + parked > 0) fail(play, "2: it passed, and something is open");
        if (play->grave) fail(play, "2: it passed with a grave finding");
        break;
    case REASON_BOUND:
    case REASON_OSCILLATING:
    case REASON_DIVERGING:
        if (accepted == 0) fail(play, "2: a bound, and nothing is to be repaired");
        break;
    case REASON_STUCK:
        if (parked == 0 && !play->stuck) fail(play, "2: stuck, and nothing is parked");
        break;
    default:
        fail(play, "2: it ended as %s", reason_word(reason));
    }
}

static void play_start(struct play *play)
{
    const struct action first = { .role = ROLE_FIRST, .round = 1 };
    const struct finding given[] = { finding_for(FINDS_GRAVE, &first),
                                     finding_for(FINDS_SMALL, &first) };
    struct event event = { .kind = EV_START };

    if (play->setup->given) {
        event.result.findings = given;
        event.result.finding_count = sizeof given / sizeof *given;
    }
    play_step(play, event);
}

/* Returns how it ended, with its calls, but for those that were lost. */
static uint64_t play_run(const struct setup *setup, const struct plan *plan,
                         struct choices *choices, bool backwards)
{
    struct play play = { .setup = setup, .choices = choices, .backwards = backwards };
    uint64_t end;

    choices->at = 0;
    engine_init(&play.engine, plan);
    play_start(&play);
    while (play.due_count > 0) {
        struct action due[DUE_MAX];
        uint32_t count = play.due_count;

        memcpy(due, play.due, sizeof due);
        play.due_count = 0;
        if (play_mishap(&play, due, count)) continue;
        if (due->purpose == FOR_REVIEW) play_review(&play, due, count);
        else if (due->purpose == FOR_PROOF) play_proof(&play, due);
        else play_repair(&play, due);
    }
    check_end(&play);
    end = (play.engine.calls - play.lost) << 8 | (uint64_t)play.engine.reason;
    engine_release(&play.engine);
    actions_release(&play.actions);
    return end;
}

static uint64_t run_setup(const struct setup *setup, uint32_t ends[REASON_COUNT])
{
    struct policy policy = *policy_find(str_of(setup->policy));
    struct phase phase = { .name = "review", .gate = {
        .reviewers = panel, .reviewer_count = setup->panel, .on_fail = FAIL_REPAIR,
        .repair = { .role = ROLE_FIXER, .on_stuck = STUCK_REST }, .at_bound = BOUND_STOP,
        .checker = ROLE_CHECKER } };
    struct role cast[ROLES];
    struct plan plan = { .roles = cast, .role_count = ROLES, .phases = &phase, .phase_count = 1,
                         .iteration_max = 1 };
    struct choices choices = { .count = 0 };
    bool again = setup->panel > 1 || !setup->mishaps;
    struct arena arena = { NULL };
    uint64_t runs = 0;

    memcpy(cast, roles, sizeof cast);
    cast[ROLE_FIRST].first = setup->first;
    policy.review_max = setup->reviews;
    policy.region_max = setup->reviews - 1;
    policy.tries_max = 2;
    if (policy.grave_min > 0) policy.grave_min = 1;
    plan_until(&plan, &policy, setup->eyes, &arena);
    if (setup->proved) plan_prove(&plan, "prover", &arena);
    assert(!plan_problem(&plan));
    do {
        uint64_t end = play_run(setup, &plan, &choices, false);

        if (again && play_run(setup, &plan, &choices, true) != end) {
            fail(&(struct play){ .setup = setup, .choices = &choices },
                 "5, 7: the order decides, or what is lost");
        }
        ends[end & 0xff]++;
        runs++;
    } while (choices_next(&choices));
    arena_release(&arena);
    return runs;
}

int main(void)
{
    uint32_t ends[REASON_COUNT] = { 0 };
    uint64_t runs = 0;

    for (uint32_t i = 0; i < SETUPS; i++) {
        uint64_t more;

        if (getenv("HONE_TEST_SHORT") && setups[i].panel > 1) continue;
        more = run_setup(&setups[i], ends);
        printf("%-9s eyes %" PRIu32 ", panel %" PRIu32 ", %" PRIu32 " reviews%s%s%s%s: %" PRIu64
               " runs\n", setups[i].policy, setups[i].eyes, setups[i].panel, setups[i].reviews,
               setups[i].mishaps ? ", a mishap" : "", setups[i].first ? ", one looks first" : "",
               setups[i].given ? ", findings given" : "", setups[i].proved ? ", proved" : "", more);
        runs += more;
    }
    printf("%" PRIu64 " runs, all that there are:", runs);
    for (uint32_t i = 0; i < REASON_COUNT; i++) {
        if (ends[i]) printf(" %" PRIu32 " %s", ends[i], reason_word((enum reason)i));
    }
    printf("\n");
    return 0;
}
