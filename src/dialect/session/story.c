/* SPDX-License-Identifier: Apache-2.0
 *
 * story.c - the engine's diary as rounds: who did what, what was said to it.
 *
 * A round belongs to a gate. The executor's work and repairs belong to the review that follows
 * them; a choice of the user and a change by somebody else to the round that is newest then.
 *
 * 1. The order of the rounds, and of the steps in one, is the diary's. So a round only grows, at
 *    its end.
 * 2. Entries that were restored from a session file make rounds that are restored, for prompts
 *    and numbers. A round that goes on behind them is continued. */
#include "dialect/session/session.h"

#include <string.h>

static struct session_turn *turn_add(struct session_story *story, struct arena *arena,
                                     uint32_t phase, uint32_t number)
{
    story->turns = arena_grow(arena, story->turns, story->count, &story->cap, sizeof *story->turns);
    story->turns[story->count] = (struct session_turn){ .phase = phase, .number = number };
    return &story->turns[story->count++];
}

static struct session_step *step_add(struct session_turn *turn, struct arena *arena)
{
    turn->steps = arena_grow(arena, turn->steps, turn->count, &turn->cap, sizeof *turn->steps);
    return &turn->steps[turn->count++];
}

/* The round of its gate that an attempt belongs to; false: to none. */
static bool round_of(const struct engine *engine, const struct session_story *story,
                     const struct diary_entry *entry, uint32_t *phase, uint32_t *number)
{
    const struct plan *plan = engine->plan;

    *phase = entry->phase;
    *number = entry->round;
    if (entry->purpose == FOR_REVIEW) return true;
    if (entry->purpose == FOR_REPAIR) *phase = plan->phases[entry->phase].gate.recheck;
    if (plan->phases[*phase].gate.reviewer_count == 0) return false;
    *number = 1;
    for (uint32_t i = 0; i < story->count; i++) {
        const struct session_turn *turn = &story->turns[i];
        if (turn->phase == *phase && turn->reviewed && turn->number >= *number) {
            *number = turn->number + 1;
        }
    }
    return true;
}

static void add_attempt(const struct engine *engine, struct session_story *story,
                        const struct diary_entry *entry, bool restored, struct arena *arena)
{
    struct session_turn *turn = story->count ? &story->turns[story->count - 1] : NULL;
    struct session_step *step;
    uint32_t phase, number;

    if (!round_of(engine, story, entry, &phase, &number)) return;
    if (!turn || turn->phase != phase || turn->number != number) {
        turn = turn_add(story, arena, phase, number);
        turn->restored = restored;
    } else if (turn->restored && !restored) {
        turn = turn_add(story, arena, phase, number);
        turn->continued = true;
    }
    turn->reviewed = turn->reviewed || entry->purpose == FOR_REVIEW;
    step = step_add(turn, arena);
    *step = (struct session_step){ .entry = entry };
    session_doc_read(entry->kind == ENTRY_ANSWER ? (struct str){ entry->text, entry->bytes }
                                                 : (struct str){ entry->kept, entry->kept_bytes },
                     arena, &step->doc);
}

/* A choice or a drift: said about the newest round. */
static void add_remark(struct session_story *story, const struct diary_entry *entry, bool restored,
                       struct arena *arena)
{
    struct session_turn *turn = story->count ? &story->turns[story->count - 1] : NULL;

    if (!turn) return;
    if (turn->restored && !restored) {
        turn = turn_add(story, arena, turn->phase, turn->number);
        turn->continued = true;
    }
    *step_add(turn, arena) = (struct session_step){ .entry = entry };
}

void session_story_read(const struct engine *engine, struct arena *arena,
                        struct session_story *out)
{
    *out = (struct session_story){ .count = 0 };
    for (uint32_t i = 0; i < engine->entry_count; i++) {
        const struct diary_entry *entry = &engine->diary[i];
        bool restored = i < out->start.entries;

        out->fresh = out->fresh || !restored;
        switch (entry->kind) {
        case ENTRY_START:
            session_doc_read((struct str){ entry->text, entry->bytes }, arena, &out->start);
            out->fresh = out->start.entries == 0;
            break;
        case ENTRY_ANSWER:
        case ENTRY_MISS:
            out->answers += entry->kind == ENTRY_ANSWER;
            out->misses += entry->kind == ENTRY_MISS;
            out->agents_ms += entry->ended_ms - entry->started_ms;
            add_attempt(engine, out, entry, restored, arena);
            break;
        case ENTRY_CHOICE:
        case ENTRY_DRIFT:
            add_remark(out, entry, restored, arena);
            break;
        case ENTRY_COUNT:
            break;
        }
    }
}

/* ---- asked about it ---- */

bool session_step_is_review(const struct session_step *step)
{
    return step->entry->kind == ENTRY_ANSWER && step->entry->purpose == FOR_REVIEW;
}

/* Of a round with several reviewers all must have answered. What was said before somebody changed
 * the tree is void, unless it was all. */
bool session_turn_verdict(const struct session_turn *turn, bool *approved)
{
    uint32_t given = 0;

    *approved = true;
    for (uint32_t i = 0; i < turn->count; i++) {
        const struct session_step *step = &turn->steps[i];
        uint16_t role = step->entry->role;

        if (step->entry->kind == ENTRY_DRIFT) {
            given = 0;
            *approved = true;
        }
        if (!session_step_is_review(step)) continue;
        given++;
        if (step->entry->verdict != VERDICT_CLEAN) *approved = false;
        if (given >= (role == SESSION_SCAN || role == SESSION_GUARD ? 2U : 1U)) return true;
    }
    return false;
}

const struct diary_entry *session_turn_choice(const struct session_turn *turn)
{
    for (uint32_t i = turn->count; i-- > 0;) {
        if (turn->steps[i].entry->kind == ENTRY_CHOICE) return turn->steps[i].entry;
    }
    return NULL;
}

static bool turn_reports(const struct session_turn *turn, uint64_t fingerprint)
{
    for (uint32_t i = 0; i < turn->count; i++) {
        const struct session_doc *doc = &turn->steps[i].doc;

        for (uint32_t k = 0; k < doc->issue_count; k++) {
            if (doc->issues[k].fingerprint == fingerprint) return true;
        }
    }
    return false;
}

struct session_fate session_issue_fate(const struct session_story *story, uint32_t at,
                                       uint64_t fingerprint)
{
    struct session_fate fate = { .later = NULL };
    bool approved;

    for (uint32_t i = at + 1; i < story->count; i++) {
        const struct session_turn *turn = &story->turns[i];
        bool reports = turn_reports(turn, fingerprint);

        fate.comes_back = fate.comes_back || reports;
        if (turn->phase != story->turns[at].phase) continue;
        if (!session_turn_verdict(turn, &approved)) continue;
        fate.later = turn;
        fate.again = reports;
    }
    return fate;
}

const struct session_step *session_last_executor(const struct session_story *story, bool planning)
{
    uint16_t role = planning ? SESSION_PLANNER : SESSION_EXECUTOR;

    for (uint32_t i = story->count; i-- > 0;) {
        const struct session_turn *turn = &story->turns[i];
        for (uint32_t k = turn->count; k-- > 0;) {
            const struct session_step *step = &turn->steps[k];
            if (step->entry->kind == ENTRY_ANSWER && step->entry->role == role) return step;
        }
    }
    return NULL;
}

const struct session_doc *session_last_tree(const struct session_story *story)
{
    for (uint32_t i = story->count; i-- > 0;) {
        const struct session_turn *turn = &story->turns[i];
        for (uint32_t k = turn->count; k-- > 0;) {
            if (turn->steps[k].doc.has_tree) return &turn->steps[k].doc;
        }
    }
    return story->start.has_tree ? &story->start : NULL;
}

const char *session_phase_title(const struct plan *plan, uint32_t phase)
{
    static const struct {
        const char *name, *title;
    } titles[] = {
        { "planning", "Planning" }, { "execution", "Execution" }, { "polish", "Polish" },
        { "docs", "Docs" },         { "security", "Security" },
    };

    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        if (strcmp(plan->phases[phase].name, titles[i].name) == 0) return titles[i].title;
    }
    return plan->phases[phase].name;
}

static bool has_text(struct str text, struct str part)
{
    for (; text.size >= part.size; text = str_skip(text, 1)) {
        if (str_starts(text, part)) return true;
    }
    return false;
}

/* A stream that ends without a result at all is a command that failed. */
const char *session_miss_class(const struct diary_entry *entry)
{
    struct str problem = { entry->text, entry->bytes };

    if (entry->verdict == VERDICT_FAILED) {
        if (has_text(problem, STR("a line that is no event"))) return "JSON parsing";
        if (has_text(problem, STR("does not say whether it failed"))) return "JSON parsing";
        if (has_text(problem, STR("result has no text"))) return "missing result";
        return "command execution";
    }
    if (str_starts(problem, STR(SESSION_NO_ANSWER))) return "missing result";
    if (str_starts(problem, STR("The work tree"))) return "workspace changed";
    if (str_starts(problem, STR("You used no tool"))) return "nothing was looked at";
    return "schema validation";
}
