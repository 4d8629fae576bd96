/* SPDX-License-Identifier: Apache-2.0
 *
 * rounds.c - the rounds of a session as entries of Review History and rows of Timing Log.
 *
 *     ### Execution Round 2
 *
 *     - Executor backend: codex
 *     - Executor result: Implementation Complete: the lock is taken first
 *       - `src/lock.c` (modified)
 *     - Reviewer backend: claude-cli
 *     - Reviewer fallback used: false
 *     - Reviewer verdict: APPROVE
 *     - Reviewer issues:
 *       - None.
 *     - Outcome: approved
 *
 * 1. Bullets stand in the order in which things happened, so an entry only grows at its end.
 * 2. The verdict stands there when every reviewer of the round has answered; it is the worst.
 * 3. What was not taken is told as well: who was asked, why it was no answer, and of a review that
 *    broke its form its text. An attempt that hone itself ended is not. */
#include "dialect/session/pages.h"

#include "base/clock.h"
#include "dialect/answer.h"

enum {
    BULLETS_PER_STEP = 6,
    REASON_BYTES_MAX = 400,
    REJECTED_BYTES_MAX = 32 * 1024,
    FILES_MAX = 200,
};

/* An entry in the making. */
struct entry {
    const struct page *page;
    const struct session_turn *turn;
    struct session_bullet *bullets;
    uint32_t count;
};

struct str page_backend(const struct diary_entry *entry)
{
    struct str by = str_of(entry->by);

    if (str_is(by, "claude")) return STR("claude-cli");
    if (str_is(by, "codex-subagent") && !session_is_executor(entry->role)) return STR("codex");
    return by.size ? by : STR("unknown");
}

static struct session_bullet *add(struct entry *entry, const char *key, struct str value)
{
    struct session_bullet *bullet = &entry->bullets[entry->count++];

    *bullet = (struct session_bullet){ .key = str_of(key), .value = value };
    return bullet;
}

static void add_items(struct session_bullet *bullet, const struct str *items, uint32_t count)
{
    bullet->items = items;
    bullet->item_count = count;
}

/* ---- the executor ---- */

static void add_delta(struct entry *entry, struct session_bullet *result,
                      const struct session_doc *doc)
{
    struct arena *arena = entry->page->arena;
    uint32_t shown = doc->delta_count < FILES_MAX ? doc->delta_count : FILES_MAX;
    struct str *items = arena_alloc(arena, (shown + 1) * sizeof *items);

    for (uint32_t i = 0; i < shown; i++) {
        const struct tree_file *file = &doc->delta[i];
        bool declared = session_doc_claims(doc, file->path);

        items[i] = str_of(arena_printf(arena, "`%.*s` (%s%s)", STR_ARG(file->path), file->change,
                                       declared ? "" : ", undeclared"));
    }
    if (shown < doc->delta_count) {
        items[shown++] = str_of(arena_printf(arena, "%u more files",
                                             (unsigned)(doc->delta_count - FILES_MAX)));
    }
    add_items(result, items, shown);
}

static void add_executor(struct entry *entry, const struct session_step *step)
{
    const struct session_doc *doc = &step->doc;
    bool planning = step->entry->role == SESSION_PLANNER;
    const char *text = arena_printf(entry->page->arena, "%s: %.*s%s",
                                    planning ? "Solution Plan" : "Implementation Complete",
                                    STR_ARG(doc->title), doc->noop ? " (no-op round)" : "");

    add(entry, ROUND_EXECUTOR_BACKEND, page_backend(step->entry));
    add_delta(entry, add(entry, ROUND_EXECUTOR_RESULT, str_of(text)), doc);
}

/* ---- reviewers ---- */

static struct str issue_item(const struct finding *issue, struct arena *arena)
{
    return session_entry_issue_write(&(struct session_entry_issue){
        .critical = issue->severity == SEVERITY_HIGH, .text = issue->text, .file = issue->file,
        .line = issue->line }, arena);
}

/* What all reviewers of the round found, the newest answer of each. */
static void add_issues(struct entry *entry, uint32_t upto)
{
    struct arena *arena = entry->page->arena;
    const struct session_step *steps = entry->turn->steps;
    uint32_t total = 0, count = 0;
    struct str *items;

    for (uint32_t i = 0; i <= upto; i++) total += steps[i].doc.issue_count;
    items = arena_alloc(arena, (total + 1) * sizeof *items);
    for (uint32_t i = 0; i <= upto; i++) {
        bool newest = true;

        for (uint32_t k = i + 1; k <= upto; k++) {
            if (steps[k].entry->role == steps[i].entry->role) newest = false;
        }
        if (!newest || !session_step_is_review(&steps[i])) continue;
        for (uint32_t k = 0; k < steps[i].doc.issue_count; k++) {
            items[count++] = issue_item(&steps[i].doc.issues[k], arena);
        }
    }
    if (count == 0) items[count++] = STR("None.");
    add_items(add(entry, ROUND_ISSUES, (struct str){ "", 0 }), items, count);
}

static struct str outcome_of(const struct entry *entry, bool approved)
{
    const struct plan *plan = entry->page->run->engine->plan;

    if (!approved) return STR("changes requested");
    if (session_phase_is(plan, entry->turn->phase, "planning")) return STR("plan approved");
    return STR("approved");
}

/* Whether the round's verdict is there with this step, and was not before. */
static bool verdict_at(const struct session_turn *turn, uint32_t at, bool *approved)
{
    struct session_turn part = *turn;
    bool before;

    part.count = at;
    if (session_turn_verdict(&part, &before)) return false;
    part.count = at + 1;
    return session_turn_verdict(&part, approved);
}

static void add_review(struct entry *entry, uint32_t at)
{
    const struct session_step *step = &entry->turn->steps[at];
    bool approved;

    if (step->entry->role == SESSION_SCAN) {
        const char *text = arena_printf(entry->page->arena, "%u found",
                                        (unsigned)step->doc.issue_count);
        add(entry, "Secret scan", step->doc.issue_count ? str_of(text) : STR("nothing found"));
    } else {
        add(entry, ROUND_REVIEWER_BACKEND, page_backend(step->entry));
        add(entry, ROUND_FALLBACK_USED, STR("false"));
    }
    if (!verdict_at(entry->turn, at, &approved)) return;
    add(entry, ROUND_VERDICT, approved ? STR("APPROVE") : STR("REQUEST_CHANGES"));
    add_issues(entry, at);
    add(entry, ROUND_OUTCOME, step->entry->role == SESSION_SKIP ? step->doc.answer
                                                                : outcome_of(entry, approved));
}

/* ---- everything else ---- */

/* The first words of a problem; corrections have many lines. */
static struct str reason_of(const struct diary_entry *from, struct arena *arena)
{
    struct str rest = str_trim((struct str){ from->text, from->bytes }), line = { "", 0 };
    struct str text = rest;

    if (text.size == 0) return str_of(failure_word(from->failure));
    (void)str_cut(&rest, '\n', &line);
    /* A correction's list begins behind its first line. */
    if (str_ends(str_trim(line), STR(":"))) {
        while (str_cut(&rest, '\n', &text) && str_trim(text).size == 0) {}
        line = str_trim(text).size ? str_trim(text) : line;
        if (str_starts(line, STR("- "))) line = str_skip(line, 2);
    }
    return arena_copy(arena, str_head(line, REASON_BYTES_MAX));
}

bool page_is_ours(const struct diary_entry *from)
{
    return from->verdict == VERDICT_FAILED &&
           (from->failure == FAILURE_STOPPED || from->failure == FAILURE_BUDGET);
}

/* What a reviewer found is not lost with the form that it broke: a person can read it here, and so
 * can the reviewer that is asked again. */
static void add_rejected(struct entry *entry, struct str answer)
{
    struct arena *arena = entry->page->arena;
    struct str *item = arena_alloc(arena, sizeof *item);

    *item = answer_short(answer, REJECTED_BYTES_MAX, arena);
    add_items(add(entry, ROUND_NOT_TAKEN, (struct str){ "", 0 }), item, 1);
}

static void add_miss(struct entry *entry, const struct session_step *step)
{
    const struct diary_entry *from = step->entry;
    struct arena *arena = entry->page->arena;
    struct str reason = reason_of(from, arena);

    if (page_is_ours(from)) return;
    if (session_is_executor(from->role)) {
        add(entry, ROUND_REJECTED, str_of(arena_printf(
            arena, "%s: %.*s", from->verdict == VERDICT_FAILED ? "failed" : "invalid output",
            STR_ARG(reason))));
        return;
    }
    add(entry, ROUND_REVIEWER_BACKEND, page_backend(from));
    add(entry, ROUND_FAILURE, str_of(arena_printf(
        arena, "%s (%s): %.*s", session_miss_class(from), session_role_name(from->role),
        STR_ARG(reason))));
    if (step->doc.answer.size) add_rejected(entry, step->doc.answer);
}

static void add_choice(struct entry *entry, const struct diary_entry *from)
{
    static const char *const words[CHOICE_COUNT] = {
        [CHOICE_CONTINUE] = "continue: one more round",
        [CHOICE_ACCEPT] = "accept: it goes on with the issues that are left",
        [CHOICE_RESTART] = "restart",
        [CHOICE_STOP] = "stop",
    };

    add(entry, ROUND_DECISION, str_of(words[from->choice]));
}

/* The first thing that happened when a file was continued: its tree was taken as it is. */
static bool is_accepted(const struct page *page, const struct diary_entry *drift)
{
    uint32_t restored = page->story->start.entries;

    return restored > 0 && drift == &page->run->engine->diary[restored];
}

static void add_step(struct entry *entry, uint32_t at)
{
    const struct session_step *step = &entry->turn->steps[at];

    switch (step->entry->kind) {
    case ENTRY_ANSWER:
        if (session_step_is_review(step)) {
            add_review(entry, at);
        } else if (session_is_executor(step->entry->role) && !step->doc.restored) {
            add_executor(entry, step);
        }
        break;
    case ENTRY_MISS:
        add_miss(entry, step);
        break;
    case ENTRY_CHOICE:
        add_choice(entry, step->entry);
        break;
    case ENTRY_DRIFT:
        add(entry, "Drift", is_accepted(entry->page, step->entry)
            ? STR("the workspace is not known to be as the file left it; the user took it as it "
                  "is, and no stage holds any more")
            : STR("the workspace was changed from outside; no stage holds any more"));
        break;
    case ENTRY_START:
    case ENTRY_COUNT:
        break;
    }
}

static enum session_stage stage_of(const struct page *page, uint32_t phase)
{
    static const char *const names[] = {
        [STAGE_PLANNING] = "planning", [STAGE_EXECUTION] = "execution", [STAGE_POLISH] = "polish",
        [STAGE_DOCS] = "docs",         [STAGE_SECURITY] = "security",
    };

    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (session_phase_is(page->run->engine->plan, phase, names[i])) {
            return (enum session_stage)i;
        }
    }
    return STAGE_OTHER;
}

/* Nobody was asked at a limit, since the configuration or the command line said so. */
static bool is_stopped(const struct page *page, const struct session_turn *turn)
{
    const struct engine *engine = page->run->engine;
    const struct gate *gate = &engine->plan->phases[turn->phase].gate;

    return engine->reason == REASON_BOUND && turn == &page->story->turns[page->story->count - 1] &&
           gate->on_fail == FAIL_REPAIR && gate->at_bound == BOUND_STOP;
}

static bool is_first(const struct page *page, const struct session_turn *turn)
{
    return !turn->restored && (turn == page->story->turns || turn[-1].restored);
}

/* A file that was continued and said nothing of its tree. */
static void add_baseline(struct entry *entry, const struct session_doc *start)
{
    if (!start->restored || !start->has_tree) return;
    add(entry, "Baseline", str_of(arena_printf(
        entry->page->arena, "the file named none; taken when the session was continued (commit "
        "%.*s, changed files: %u)", STR_ARG(start->head.size ? start->head : STR("none yet")),
        (unsigned)start->dirty_count)));
}

static void add_entry(const struct page *page, const struct session_turn *turn)
{
    bool unasked = turn->number == 1 && !turn->continued &&
                   session_opening_of(page->run->settings) == OPEN_REVIEW_ONLY &&
                   session_phase_is(page->run->engine->plan, turn->phase, "execution");
    struct entry entry = { .page = page, .turn = turn };

    entry.bullets = arena_alloc(page->arena, (turn->count * BULLETS_PER_STEP + 3) *
                                             sizeof *entry.bullets);
    if (is_first(page, turn)) add_baseline(&entry, &page->story->start);
    if (unasked) add(&entry, ROUND_EXECUTOR_BACKEND, STR(ROUND_EXECUTOR_SKIPPED));
    for (uint32_t i = 0; i < turn->count; i++) add_step(&entry, i);
    if (is_stopped(page, turn)) {
        add(&entry, "Limit", STR("reached with blocking issues left; handsfree: nobody was asked, "
                                 "the session stops"));
    }
    if (entry.count == 0) return;
    session_file_add_round(page->file, &(struct session_round){
        .stage = stage_of(page, turn->phase),
        .number = turn->number,
        .note = turn->continued ? STR("continued") : unasked ? STR("review-only") : STR(""),
        .bullets = entry.bullets,
        .bullet_count = entry.count });
}

/* ---- Timing Log ---- */

static void add_time(const struct page *page, const struct session_turn *turn,
                     const struct diary_entry *from)
{
    bool failed = from->kind == ENTRY_MISS;
    char span[CLOCK_SPAN_BYTES];

    if (from->kind != ENTRY_ANSWER && !failed) return;
    if (from->role == SESSION_SKIP || (failed && page_is_ours(from))) return;
    session_file_add_time(page->file, &(struct session_time){
        .phase = str_of(page->run->engine->plan->phases[from->phase].name),
        .round = str_of(arena_printf(page->arena, "%u", (unsigned)turn->number)),
        .role = str_of(arena_printf(page->arena, "%s%s", session_role_name(from->role),
                                    failed ? " (not taken)" : "")),
        .duration = str_of(arena_printf(page->arena, "%s",
                                        clock_span(from->ended_ms - from->started_ms, span))) });
}

void page_rounds(const struct page *page)
{
    for (uint32_t i = 0; i < page->story->count; i++) {
        const struct session_turn *turn = &page->story->turns[i];

        if (turn->restored) continue;
        add_entry(page, turn);
        for (uint32_t k = 0; k < turn->count; k++) add_time(page, turn, turn->steps[k].entry);
    }
}
