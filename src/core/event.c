/* SPDX-License-Identifier: Apache-2.0
 *
 * event.c - the fixed words of the vocabulary, one table each, and the list of actions. */
#include "core/event.h"

#include <stdlib.h>

static const char *const verdicts[VERDICT_COUNT] = {
    [VERDICT_CLEAN] = "clean",
    [VERDICT_FINDINGS] = "findings",
    [VERDICT_INVALID] = "invalid",
    [VERDICT_FAILED] = "failed",
    [VERDICT_NOT_PLAYED] = "not played",
};

static const char *const failures[FAILURE_COUNT] = {
    [FAILURE_NONE] = "none",     [FAILURE_START] = "start", [FAILURE_EXIT] = "exit",
    [FAILURE_SIGNAL] = "signal", [FAILURE_TIME] = "time",   [FAILURE_IDLE] = "idle",
    [FAILURE_OUTPUT] = "output", [FAILURE_STOPPED] = "stopped",
    [FAILURE_BUDGET] = "budget",
    [FAILURE_SILENT] = "silent", [FAILURE_FIRST] = "first",
    [FAILURE_MISSING] = "missing", [FAILURE_LOGIN] = "login",
    [FAILURE_RATE] = "rate", [FAILURE_OVERLOAD] = "overload",
    [FAILURE_NETWORK] = "network", [FAILURE_CAGE] = "sandbox",
    [FAILURE_CREDIT] = "credit", [FAILURE_MODEL] = "model",
    [FAILURE_CEILING] = "ceiling", [FAILURE_LOST] = "lost",
};

static const char *const bases[BASIS_COUNT] = {
    [BASIS_ANSWER] = "answer",             [BASIS_TREE_CHANGED] = "tree-changed",
    [BASIS_TREE_DRIFTED] = "tree-drifted", [BASIS_TREE_WILD] = "tree-wild",
    [BASIS_TREE_GONE] = "tree-gone",       [BASIS_GUARD] = "guard",
    [BASIS_UNREAD] = "unread",
};

static const char *const proofs[PROOF_COUNT] = {
    [PROOF_NONE] = "none", [PROOF_READ] = "read", [PROOF_MISSING] = "missing",
};

static const char *const misses[MISS_COUNT] = {
    [MISS_PLAIN] = "plain",   [MISS_EMPTY] = "empty",   [MISS_TREE] = "tree",
    [MISS_UNREAD] = "unread", [MISS_STREAM] = "stream",
};

static const char *const doubts[DOUBT_COUNT] = {
    [DOUBT_NONE] = "none", [DOUBT_UNNAMED] = "unnamed", [DOUBT_UNTOUCHED] = "untouched",
    [DOUBT_DECLINED] = "declined",
};

static const char *const choices[CHOICE_COUNT] = {
    [CHOICE_CONTINUE] = "continue",
    [CHOICE_ACCEPT] = "accept",
    [CHOICE_RESTART] = "restart",
    [CHOICE_STOP] = "stop",
};

static const char *const events[EV_COUNT] = {
    [EV_START] = "start",   [EV_ENDED] = "ended",   [EV_STOP] = "stop",
    [EV_RESUME] = "resume", [EV_ANSWER] = "answer", [EV_DRIFT] = "drift",
    [EV_SPENT] = "spent", [EV_WORD] = "word",
};

static const char *const purposes[FOR_COUNT] = {
    [FOR_WORK] = "work",     [FOR_JOIN] = "join", [FOR_REVIEW] = "review",
    [FOR_REPAIR] = "repair", [FOR_PROOF] = "proof", [FOR_THEN] = "then",
    [FOR_CHECKPOINT] = "checkpoint", [FOR_INTEGRATE] = "integrate",
};

static const char *const reasons[REASON_COUNT] = {
    [REASON_NONE] = "none",
    [REASON_CLEAN] = "clean",
    [REASON_CONVERGED] = "converged",
    [REASON_SETTLED] = "settled",
    [REASON_NOTED] = "noted",
    [REASON_BOUND] = "bound",
    [REASON_OSCILLATING] = "oscillating",
    [REASON_DIVERGING] = "diverging",
    [REASON_STUCK] = "stuck",
    [REASON_WAITING] = "waiting",
    [REASON_ESCALATED] = "escalated",
    [REASON_BUDGET] = "budget",
    [REASON_INTERRUPTED] = "interrupted",
    [REASON_FAILED] = "failed",
    [REASON_UNSEEN] = "unseen",
    [REASON_PARTIAL] = "partial",
};

static const char *const questions[ASK_COUNT] = {
    [ASK_NOTHING] = "nothing", [ASK_BOUND] = "bound", [ASK_REPEAT] = "repeat",
    [ASK_STUCK] = "stuck",     [ASK_DEAD] = "dead",
};

void actions_release(struct actions *actions)
{
    free(actions->item);
    *actions = (struct actions){ 0 };
}

struct coverage coverage_copy(const struct coverage *coverage, struct arena *arena)
{
    struct coverage copy = *coverage;
    struct unlooked *list;

    copy.hint = arena_copy(arena, coverage->hint);
    copy.unlooked = NULL;
    if (coverage->unlooked_count == 0) return copy;
    list = arena_alloc(arena, coverage->unlooked_count * sizeof *list);
    for (uint32_t i = 0; i < coverage->unlooked_count; i++) {
        list[i].file = arena_copy(arena, coverage->unlooked[i].file);
        list[i].tool = arena_copy(arena, coverage->unlooked[i].tool);
        list[i].why = arena_copy(arena, coverage->unlooked[i].why);
    }
    copy.unlooked = list;
    return copy;
}

static const struct finding *findings_copy(const struct finding *from, uint32_t count,
                                           struct arena *arena)
{
    struct finding *copy = arena_alloc(arena, count * sizeof *copy);

    for (uint32_t i = 0; i < count; i++) copy[i] = finding_copy(&from[i], arena);
    return copy;
}

struct result result_copy(const struct result *result, struct arena *arena)
{
    struct doubtful *left = arena_alloc(arena, result->doubt_count * sizeof *left);
    uint32_t *groups = arena_alloc(arena, result->group_count * sizeof *groups);
    struct result copy = *result;

    for (uint32_t i = 0; i < result->doubt_count; i++) left[i] = result->doubts[i];
    for (uint32_t i = 0; i < result->group_count; i++) groups[i] = result->groups[i];
    copy.doubts = left;
    copy.groups = groups;
    copy.findings = findings_copy(result->findings, result->finding_count, arena);
    copy.notes = findings_copy(result->notes, result->note_count, arena);
    copy.moved = line_map_copy(&result->moved, arena);
    copy.coverage = coverage_copy(&result->coverage, arena);
    copy.doc = arena_copy(arena, result->doc);
    copy.problem = arena_copy(arena, result->problem);
    copy.by = arena_copy(arena, result->by);
    return copy;
}

void usage_add(struct usage *sum, const struct usage *part)
{
    sum->cost_micros = amount_sum(sum->cost_micros, part->cost_micros);
    sum->tokens_in = amount_sum(sum->tokens_in, part->tokens_in);
    sum->tokens_out = amount_sum(sum->tokens_out, part->tokens_out);
}

const char *verdict_word(enum verdict verdict) { return verdicts[verdict]; }
const char *failure_word(enum failure failure) { return failures[failure]; }
const char *basis_word(enum basis basis) { return bases[basis]; }
const char *proof_word(enum proof_kind proof) { return proofs[proof]; }
const char *miss_word(enum miss miss) { return misses[miss]; }
const char *doubt_word(enum doubt doubt) { return doubts[doubt]; }
const char *choice_word(enum choice choice) { return choices[choice]; }
const char *event_word(enum event_kind kind) { return events[kind]; }
const char *purpose_word(enum purpose purpose) { return purposes[purpose]; }
const char *reason_word(enum reason reason) { return reasons[reason]; }

bool reason_is_final(enum reason reason)
{
    switch (reason) {
    case REASON_CLEAN:
    case REASON_CONVERGED:
    case REASON_SETTLED:
    case REASON_NOTED:
    case REASON_BOUND:
    case REASON_OSCILLATING:
    case REASON_DIVERGING:
    case REASON_PARTIAL:
    case REASON_UNSEEN:
        return true;
    case REASON_NONE:
    case REASON_STUCK:
    case REASON_WAITING:
    case REASON_ESCALATED:
    case REASON_BUDGET:
    case REASON_INTERRUPTED:
    case REASON_FAILED:
    case REASON_COUNT:
        break;
    }
    return false;
}
const char *question_word(enum question question) { return questions[question]; }

const struct doubtful *doubt_find(const struct result *repair, const struct finding *finding)
{
    for (uint32_t i = 0; i < repair->doubt_count; i++) {
        const struct doubtful *doubt = &repair->doubts[i];

        if (doubt->fingerprint == finding->fingerprint && doubt->line == finding->line) {
            return doubt;
        }
    }
    return NULL;
}

/* The index of word in table, or -1. */
static int word_find(const char *const *table, int count, struct str word)
{
    for (int i = 0; i < count; i++) {
        if (str_is(word, table[i])) return i;
    }
    return -1;
}

bool verdict_is_done(enum verdict verdict)
{
    return verdict == VERDICT_CLEAN || verdict == VERDICT_FINDINGS ||
           verdict == VERDICT_NOT_PLAYED;
}

bool verdict_from_word(struct str word, enum verdict *out)
{
    int index = word_find(verdicts, VERDICT_COUNT, word);

    if (index >= 0) *out = (enum verdict)index;
    return index >= 0;
}

bool failure_from_word(struct str word, enum failure *out)
{
    int index = word_find(failures, FAILURE_COUNT, word);

    if (index >= 0) *out = (enum failure)index;
    return index >= 0;
}

bool basis_from_word(struct str word, enum basis *out)
{
    int index = word_find(bases, BASIS_COUNT, word);

    if (index >= 0) *out = (enum basis)index;
    return index >= 0;
}

bool proof_from_word(struct str word, enum proof_kind *out)
{
    int index = word_find(proofs, PROOF_COUNT, word);

    if (index >= 0) *out = (enum proof_kind)index;
    return index >= 0;
}

bool miss_from_word(struct str word, enum miss *out)
{
    int index = word_find(misses, MISS_COUNT, word);

    if (index >= 0) *out = (enum miss)index;
    return index >= 0;
}

bool result_is_stopped(const struct result *result)
{
    if (result->verdict != VERDICT_FAILED) return false;
    return result->failure == FAILURE_STOPPED || result->failure == FAILURE_LOST ||
           (result->failure == FAILURE_CEILING && !result->permanent);
}

enum miss result_miss(const struct result *result)
{
    switch (result->basis) {
    case BASIS_TREE_CHANGED:
    case BASIS_TREE_DRIFTED:
    case BASIS_TREE_WILD:
    case BASIS_TREE_GONE: return MISS_TREE;
    case BASIS_UNREAD: return MISS_UNREAD;
    case BASIS_ANSWER:
    case BASIS_GUARD:
    case BASIS_COUNT: break;
    }
    return result->miss;
}

bool doubt_from_word(struct str word, enum doubt *out)
{
    int index = word_find(doubts, DOUBT_COUNT, word);

    if (index >= 0) *out = (enum doubt)index;
    return index >= 0;
}

bool choice_from_word(struct str word, enum choice *out)
{
    int index = word_find(choices, CHOICE_COUNT, word);

    if (index >= 0) *out = (enum choice)index;
    return index >= 0;
}

bool event_from_word(struct str word, enum event_kind *out)
{
    int index = word_find(events, EV_COUNT, word);

    if (index >= 0) *out = (enum event_kind)index;
    return index >= 0;
}

bool reason_from_word(struct str word, enum reason *out)
{
    int index = word_find(reasons, REASON_COUNT, word);

    if (index >= 0) *out = (enum reason)index;
    return index >= 0;
}
