/* SPDX-License-Identifier: Apache-2.0
 *
 * record.c - the session file, out of the engine's diary, and the lock beside it.
 *
 *   .review-loop/sessions/{uuid}.md      written whole at each step
 *                        {uuid}.lock     while a run is at work
 *
 * 1. The same run gives the same bytes. Times are those of the events.
 * 2. A file that is continued is the ground: what was in it stays, byte for byte, until something
 *    happens; then what happened is added to it.
 * 3. Approved Plan is empty until a reviewer approved the plan or the user accepted it.
 * 4. completed_stages is what the engine holds for the tree as it is now.
 *
 * Rounds are entries of Review History and rows of Timing Log.
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
 * 5. Bullets stand in the order in which things happened, so an entry only grows at its end.
 * 6. The verdict stands there when every reviewer of the round has answered; it is the worst.
 * 7. An answer that was not taken is told as well: which agent was asked, why it was no answer, and
 *    of a review that broke its form its text. An attempt that hone itself ended is not told.
 *
 * Files Changed and Key Related Files are as they are after the executor's newest round.
 *
 * 8. Files Changed is what the session changed and what is still changed, by content: every file of
 *    a round's delta, unless it is now as it was when the session began. Claims only say why.
 * 9. A review of what is there lists what is there.
 * 10. Key Related Files are the files that the plan names and that were not changed. Where the plan
 *    was made elsewhere, what the file lists loses what was changed since.
 * 11. Lists are sorted by path; n log n in the number of files.
 *
 * Not here: the form of the file (file.h), the way back (restore.c). */
#include "dialect/session/file.h"
#include "dialect/session/session.h"

#include "base/clock.h"
#include "dialect/answer.h"

#include <stdlib.h>
#include <string.h>

/* What a page is written from. */
struct page {
    const struct run_view *run;
    const struct session_story *story;
    struct arena *arena;
    struct session_file *file;
};

/* ---- who made an attempt ---- */

/* The agent's name there: "claude-cli" for claude, other backends by their own names. An agent of a
 * host is "codex-subagent" or "claude-subagent"; as a reviewer Codex's is "codex", whether Codex
 * hosts the run or is started by it. */
static struct str page_backend(const struct diary_entry *entry)
{
    struct str by = str_of(entry->by);

    if (str_is(by, "claude")) return STR("claude-cli");
    if (str_is(by, "codex-subagent") && !session_is_executor(entry->role)) return STR("codex");
    return by.size ? by : STR("unknown");
}

/* Whether hone itself ended the attempt, which then says nothing of the agent. */
static bool page_is_ours(const struct diary_entry *from)
{
    return from->verdict == VERDICT_FAILED &&
           (from->failure == FAILURE_STOPPED || from->failure == FAILURE_BUDGET ||
            from->failure == FAILURE_CEILING || from->failure == FAILURE_LOST);
}

/* ---- the plan ---- */

/* Whether planning is behind the run. */
static bool is_planned(const struct engine *engine)
{
    return !session_has_planning(engine->plan) || engine->lanes[0].phase > 0;
}

static const struct session_turn *last_planning(const struct run_view *run,
                                                const struct session_story *story)
{
    for (uint32_t i = story->count; i-- > 0;) {
        if (session_phase_is(run->engine->plan, story->turns[i].phase, "planning")) {
            return &story->turns[i];
        }
    }
    return NULL;
}

/* The plan of a file that is continued behind its planning. */
static struct str continued_plan(const struct run_view *run, const char **source,
                                 struct arena *arena)
{
    struct session_file file;
    struct session_plan plan;
    struct str body = { "", 0 };
    struct err none;

    *source = session_source_word(SOURCE_APPROVED);
    if (session_file_read(&file, session_continued(run->settings), &none) != 0) return body;
    session_file_plan(&file, &plan);
    if (plan.source != SOURCE_NONE) *source = session_source_word(plan.source);
    body = arena_copy(arena, plan.body);
    session_file_release(&file);
    return body;
}

struct str session_approved_plan(const struct run_view *run, const struct session_story *story,
                                 const char **source, struct arena *arena)
{
    const struct session_turn *turn = last_planning(run, story);
    const struct session_step *plan = session_last_executor(story, true);
    const struct diary_entry *choice = turn ? session_turn_choice(turn) : NULL;

    *source = NULL;
    switch (session_opening_of(run->settings)) {
    case OPEN_PLANNED:
        *source = session_source_word(SOURCE_USER);
        return settings_file(run->settings, SESSION_PLAN_FILE);
    case OPEN_REVIEW_ONLY:
        *source = session_source_word(SOURCE_REVIEW_ONLY);
        return (struct str){ "", 0 };
    case OPEN_CONTINUED:
        if (!session_has_planning(run->engine->plan)) return continued_plan(run, source, arena);
        break;
    case OPEN_FRESH:
        break;
    }
    if (!is_planned(run->engine) || !plan) return (struct str){ "", 0 };
    *source = session_source_word(choice && choice->choice == CHOICE_ACCEPT ? SOURCE_USER
                                                                            : SOURCE_APPROVED);
    return plan->doc.answer;
}

static void page_plan(const struct page *page)
{
    const struct session_step *draft = session_last_executor(page->story, true);
    struct session_plan plan = { .source = SOURCE_NONE };
    const char *source;

    plan.body = session_approved_plan(page->run, page->story, &source, page->arena);
    if (source) (void)session_source_from_word(str_of(source), &plan.source);
    if (!is_planned(page->run->engine)) {
        if (draft && !draft->doc.restored) session_file_set_draft(page->file, draft->doc.answer);
        return;
    }
    session_file_remove(page->file, SESSION_DRAFT);
    if (session_opening_of(page->run->settings) == OPEN_CONTINUED &&
        !session_has_planning(page->run->engine->plan)) {
        return; /* as it stands in the file */
    }
    session_file_set_plan(page->file, &plan);
}

/* ---- what stands at the beginning ---- */

static void page_item(const struct page *page)
{
    struct work_item item;

    work_item_read(str_of(page->run->task), &item);
    session_file_set(page->file, SESSION_PROBLEM, item.problem);
    session_file_set(page->file, SESSION_CONTEXT,
                     item.context.size ? item.context : STR("None given."));
    session_file_set(page->file, SESSION_CRITERIA, item.criteria.size ? item.criteria
                     : STR("None given: the problem description decides."));
}

static void page_target(const struct page *page)
{
    const struct session_doc *start = &page->story->start;
    struct buf text;

    if (session_opening_of(page->run->settings) != OPEN_REVIEW_ONLY) return;
    buf_init(&text, SESSION_FILE_BYTES_MAX);
    buf_text(&text, "The work tree as it was when the session began");
    if (start->has_tree && start->head.size) {
        buf_printf(&text, ", against commit `%.*s`", STR_ARG(start->head));
    }
    buf_text(&text, start->dirty_count ? ":\n\n" : ". Nothing in it differs from that commit.\n");
    for (uint32_t i = 0; i < start->dirty_count; i++) {
        buf_printf(&text, "- `%.*s`%s\n", STR_ARG(start->dirty[i].path),
                   *start->dirty[i].oid ? "" : " (deleted)");
    }
    session_file_set(page->file, SESSION_TARGET, buf_str(&text));
    buf_release(&text);
}

/* ---- Session Metadata ---- */

const struct session_dirty *session_dirty_of(const struct tree_file *files, uint32_t count,
                                             struct arena *arena)
{
    struct session_dirty *items = arena_alloc(arena, count * sizeof *items + 1);

    for (uint32_t i = 0; i < count; i++) {
        items[i].path = files[i].path;
        items[i].blob = *files[i].oid ? str_of(files[i].oid) : STR(DIRTY_DELETED);
    }
    return items;
}

static struct session_dirty_map dirty_map(const struct session_doc *doc, struct arena *arena)
{
    return (struct session_dirty_map){
        .known = true, .items = session_dirty_of(doc->dirty, doc->dirty_count, arena),
        .count = doc->dirty_count };
}

/* The stage that keeps the delivery from being reached; empty: none does. */
static struct str blocked_by(const struct engine *engine)
{
    const struct lane *lane = &engine->lanes[0];
    const char *name = engine->plan->phases[lane->phase].name;

    switch (engine->reason) {
    case REASON_INTERRUPTED:
        return STR("user-abort");
    case REASON_BOUND:
    case REASON_OSCILLATING:
    case REASON_DIVERGING:
    case REASON_WAITING:
    case REASON_ESCALATED:
    case REASON_STUCK:
    case REASON_UNSEEN:
        return strcmp(name, "execution") == 0 ? STR("exec") : str_of(name);
    case REASON_NONE:
    case REASON_CLEAN:
    case REASON_CONVERGED:
    case REASON_SETTLED:
    case REASON_NOTED:
    case REASON_PARTIAL:
    case REASON_BUDGET:
    case REASON_FAILED:
    case REASON_COUNT:
        break;
    }
    return (struct str){ "", 0 };
}

/* Those that were asked last, whether or not their answer could be taken. */
static void set_backends(const struct page *page, struct session_metadata *metadata)
{
    for (uint32_t i = 0; i < page->story->count; i++) {
        const struct session_turn *turn = &page->story->turns[i];

        for (uint32_t k = 0; !turn->restored && k < turn->count; k++) {
            const struct session_step *step = &turn->steps[k];
            bool asked = step->entry->kind == ENTRY_ANSWER ||
                         (step->entry->kind == ENTRY_MISS && !page_is_ours(step->entry));

            if (!asked || step->doc.restored) continue;
            if (session_is_executor(step->entry->role)) {
                metadata->executor_backend = page_backend(step->entry);
            } else if (session_is_reviewer(step->entry->role)) {
                metadata->reviewer_backend = page_backend(step->entry);
            }
        }
    }
    if (metadata->executor_backend.size == 0) metadata->executor_backend = STR("none");
    if (metadata->reviewer_backend.size == 0) metadata->reviewer_backend = STR("none");
}

static struct str entry_point(const struct run_view *run)
{
    switch (session_opening_of(run->settings)) {
    case OPEN_PLANNED:
        return STR("execute-from-plan");
    case OPEN_REVIEW_ONLY:
        return STR("review-only");
    case OPEN_CONTINUED:
        return STR("execute-from-session");
    case OPEN_FRESH:
        break;
    }
    return STR("review-loop");
}

static void page_metadata(const struct page *page)
{
    const struct engine *engine = page->run->engine;
    const struct session_doc *last = session_last_tree(page->story);
    struct session_metadata metadata;
    struct session_plan plan;

    session_file_metadata(page->file, &metadata);
    session_file_plan(page->file, &plan);
    if (metadata.session_origin.size == 0) metadata.session_origin = STR("hone");
    metadata.orchestrator_backend = STR("hone");
    set_backends(page, &metadata);
    if (metadata.reviewer_fallback_used.size == 0) metadata.reviewer_fallback_used = STR("false");
    if (metadata.entry_point.size == 0) metadata.entry_point = entry_point(page->run);
    if (plan.source != SOURCE_NONE) metadata.plan_source = plan.source;
    if (page->story->start.has_tree && !metadata.base_dirty.known) {
        metadata.base_head = page->story->start.head;
        metadata.base_dirty = dirty_map(&page->story->start, page->arena);
    }
    if (last) {
        metadata.last_verified_head = last->head;
        metadata.last_verified_dirty = dirty_map(last, page->arena);
    }
    metadata.commits_known = metadata.stages_known = metadata.blocked_known = true;
    metadata.completed_stages = engine->lanes[0].mints & MINT_ALL;
    metadata.delivery_blocked_by = blocked_by(engine);
    session_file_set_metadata(page->file, &metadata);
}

/* ---- rounds ---- */

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

static struct session_bullet *add_bullet(struct entry *entry, const char *key, struct str value)
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

/* ---- rounds: the executor ---- */

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

    add_bullet(entry, ROUND_EXECUTOR_BACKEND, page_backend(step->entry));
    add_delta(entry, add_bullet(entry, ROUND_EXECUTOR_RESULT, str_of(text)), doc);
}

/* ---- rounds: reviewers ---- */

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
    add_items(add_bullet(entry, ROUND_ISSUES, (struct str){ "", 0 }), items, count);
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
        add_bullet(entry, "Secret scan",
                   step->doc.issue_count ? str_of(text) : STR("nothing found"));
    } else {
        add_bullet(entry, ROUND_REVIEWER_BACKEND, page_backend(step->entry));
        add_bullet(entry, ROUND_FALLBACK_USED, STR("false"));
    }
    if (!verdict_at(entry->turn, at, &approved)) return;
    add_bullet(entry, ROUND_VERDICT, approved ? STR("APPROVE") : STR("REQUEST_CHANGES"));
    add_issues(entry, at);
    add_bullet(entry, ROUND_OUTCOME, step->entry->role == SESSION_SKIP
                                         ? step->doc.answer
                                         : outcome_of(entry, approved));
}

/* ---- rounds: everything else ---- */

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

/* What a reviewer found is not lost with the form that it broke: a person can read it here, and so
 * can the reviewer that is asked again. */
static void add_rejected(struct entry *entry, struct str answer)
{
    struct arena *arena = entry->page->arena;
    struct str *item = arena_alloc(arena, sizeof *item);

    *item = answer_short(answer, REJECTED_BYTES_MAX, arena);
    add_items(add_bullet(entry, ROUND_NOT_TAKEN, (struct str){ "", 0 }), item, 1);
}

static void add_miss(struct entry *entry, const struct session_step *step)
{
    const struct diary_entry *from = step->entry;
    struct arena *arena = entry->page->arena;
    struct str reason = reason_of(from, arena);

    if (page_is_ours(from)) return;
    if (session_is_executor(from->role)) {
        add_bullet(entry, ROUND_REJECTED, str_of(arena_printf(
            arena, "%s: %.*s", from->verdict == VERDICT_FAILED ? "failed" : "invalid output",
            STR_ARG(reason))));
        return;
    }
    add_bullet(entry, ROUND_REVIEWER_BACKEND, page_backend(from));
    add_bullet(entry, ROUND_FAILURE, str_of(arena_printf(
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

    add_bullet(entry, ROUND_DECISION, str_of(words[from->choice]));
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
        add_bullet(entry, "Drift", is_accepted(entry->page, step->entry)
            ? STR("the workspace is not known to be as the file left it; the user took it as it "
                  "is, and no stage holds any more")
            : STR("the workspace was changed from outside; no stage holds any more"));
        break;
    case ENTRY_START:
    case ENTRY_COUNT:
        break;
    }
}

/* At a limit the user was not asked, since the configuration or the command line said so. */
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
    add_bullet(entry, "Baseline", str_of(arena_printf(
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
    if (unasked) add_bullet(&entry, ROUND_EXECUTOR_BACKEND, STR(ROUND_EXECUTOR_SKIPPED));
    for (uint32_t i = 0; i < turn->count; i++) add_step(&entry, i);
    if (is_stopped(page, turn)) {
        add_bullet(&entry, "Limit", STR("reached with blocking issues left; handsfree: nobody was"
                                        " asked, the session stops"));
    }
    if (entry.count == 0) return;
    session_file_add_round(page->file, &(struct session_round){
        .stage = session_stage_of(page->run->engine->plan->phases[turn->phase].name),
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

/* Every round that is not in the file yet. */
static void page_rounds(const struct page *page)
{
    for (uint32_t i = 0; i < page->story->count; i++) {
        const struct session_turn *turn = &page->story->turns[i];

        if (turn->restored) continue;
        add_entry(page, turn);
        for (uint32_t k = 0; k < turn->count; k++) add_time(page, turn, turn->steps[k].entry);
    }
}

/* ---- lists of files ---- */

/* A file, and since when it is listed. */
struct listed {
    struct str path, note;
    uint32_t at;
};

struct listing {
    struct arena *arena;
    struct listed *items;
    uint32_t count, cap;
};

static void list_add(struct listing *list, struct str path, struct str note)
{
    list->items = arena_grow(list->arena, list->items, list->count, &list->cap,
                             sizeof *list->items);
    list->items[list->count] = (struct listed){ path, note, list->count };
    list->count++;
}

static int list_order(const void *a, const void *b)
{
    const struct listed *left = a, *right = b;
    int order = str_compare(left->path, right->path);

    return order ? order : (left->at > right->at) - (left->at < right->at);
}

static int file_order(const void *a, const void *b)
{
    return str_compare(((const struct tree_file *)a)->path, ((const struct tree_file *)b)->path);
}

const struct tree_file *session_files_sorted(const struct tree_file *files, uint32_t count,
                                             struct arena *arena)
{
    struct tree_file *copy = arena_alloc(arena, count * sizeof *copy + 1);

    if (count) memcpy(copy, files, count * sizeof *copy);
    qsort(copy, count, sizeof *copy, file_order);
    return copy;
}

const struct tree_file *session_files_find(const struct tree_file *files, uint32_t count,
                                           struct str path)
{
    struct tree_file key = { .path = path };

    return count ? bsearch(&key, files, count, sizeof *files, file_order) : NULL;
}

static struct str claim_of(const struct session_doc *doc, struct str path)
{
    for (uint32_t i = 0; i < doc->claim_count; i++) {
        if (str_eq(doc->claims[i].path, path)) return doc->claims[i].what;
    }
    return (struct str){ "", 0 };
}

/* What a round did to each file. */
static void list_round(struct listing *list, const struct session_doc *doc)
{
    for (uint32_t i = 0; i < doc->delta_count; i++) {
        const struct tree_file *file = &doc->delta[i];
        struct str what = claim_of(doc, file->path);
        const char *note = arena_printf(list->arena, "%s%s%.*s", file->change,
                                        what.size ? ": " : "", STR_ARG(what));

        if (!session_doc_claims(doc, file->path)) {
            note = arena_printf(list->arena, "%s, undeclared", file->change);
        }
        list_add(list, file->path, str_of(note));
    }
}

/* Whether the file is now as it was at the beginning. */
static bool is_reverted(const struct session_doc *start, const struct session_doc *now,
                        struct str path)
{
    const struct tree_file *before, *after;

    if (!start->has_tree || !str_eq(start->head, now->head)) return false;
    before = session_files_find(start->dirty, start->dirty_count, path);
    after = session_files_find(now->dirty, now->dirty_count, path);
    if (!before || !after) return before == after;
    return strcmp(before->oid, after->oid) == 0;
}

/* The rounds of the executor that are not in the file yet; the newest's document, or NULL. */
static const struct session_doc *list_rounds(const struct page *page, struct listing *list)
{
    const struct session_doc *newest = NULL;

    for (uint32_t i = 0; i < page->story->count; i++) {
        const struct session_turn *turn = &page->story->turns[i];

        for (uint32_t k = 0; !turn->restored && k < turn->count; k++) {
            const struct session_step *step = &turn->steps[k];

            if (step->entry->kind != ENTRY_ANSWER || step->entry->role != SESSION_EXECUTOR ||
                !step->doc.has_tree) {
                continue;
            }
            list_round(list, &step->doc);
            newest = &step->doc;
        }
    }
    return newest;
}

static void list_found(const struct page *page, struct listing *list)
{
    const struct session_doc *start = &page->story->start;
    uint32_t count = 0;
    const struct session_path *paths = session_file_paths(page->file, SESSION_CHANGED, &count);

    for (uint32_t i = 0; i < count; i++) list_add(list, paths[i].path, paths[i].note);
    if (session_opening_of(page->run->settings) != OPEN_REVIEW_ONLY) return;
    for (uint32_t i = 0; i < start->dirty_count; i++) {
        list_add(list, start->dirty[i].path,
                 *start->dirty[i].oid ? STR("was there") : STR("was there, deleted"));
    }
}

static bool is_listed(const struct listing *list, struct str path)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (str_eq(list->items[i].path, path)) return true;
    }
    return false;
}

/* What the plan names and no round changed. */
static void page_related(const struct page *page, const struct listing *changed)
{
    const struct session_step *plan = session_last_executor(page->story, true);
    struct session_path *paths;
    uint32_t count = 0;

    if (!plan || plan->doc.claim_count == 0) return;
    paths = arena_alloc(page->arena, plan->doc.claim_count * sizeof *paths);
    for (uint32_t i = 0; i < plan->doc.claim_count; i++) {
        const struct session_claim *claim = &plan->doc.claims[i];

        if (is_listed(changed, claim->path)) continue;
        paths[count++] = (struct session_path){ claim->path, claim->what };
    }
    session_file_set_paths(page->file, SESSION_RELATED, paths, count);
}

/* The same for a plan of which only the file knows. */
static void page_related_left(const struct page *page, const struct listing *changed)
{
    uint32_t count = 0, left = 0;
    const struct session_path *old = session_file_paths(page->file, SESSION_RELATED, &count);
    struct session_path *paths = arena_alloc(page->arena, count * sizeof *paths + 1);

    for (uint32_t i = 0; i < count; i++) {
        if (!is_listed(changed, old[i].path)) paths[left++] = old[i];
    }
    if (left < count) session_file_set_paths(page->file, SESSION_RELATED, paths, left);
}

static void page_files(const struct page *page)
{
    bool review_only = session_opening_of(page->run->settings) == OPEN_REVIEW_ONLY;
    struct session_doc start = page->story->start, now = { .has_tree = false };
    struct listing list = { .arena = page->arena };
    const struct session_doc *newest;
    struct session_path *paths;
    uint32_t count = 0;

    list_found(page, &list);
    newest = list_rounds(page, &list);
    if (newest) now = *newest;
    start.dirty = session_files_sorted(start.dirty, start.dirty_count, page->arena);
    now.dirty = session_files_sorted(now.dirty, now.dirty_count, page->arena);
    if (list.count) qsort(list.items, list.count, sizeof *list.items, list_order);
    paths = arena_alloc(page->arena, list.count * sizeof *paths + 1);
    for (uint32_t i = 0; i < list.count; i++) {
        const struct listed *item = &list.items[i];

        if (i + 1 < list.count && str_eq(item->path, list.items[i + 1].path)) continue;
        if (newest && !review_only && is_reverted(&start, &now, item->path)) continue;
        paths[count++] = (struct session_path){ item->path, item->note };
    }
    if (newest || review_only) session_file_set_paths(page->file, SESSION_CHANGED, paths, count);
    page_related(page, &list);
    if (newest) page_related_left(page, &list);
}

/* ---- all of it ---- */

/* The file as it is now. ERR_LIMIT: the one that is continued is too large to be read. */
static int page_write(const struct page *page, struct err *err)
{
    struct str ground = session_continued(page->run->settings);
    int rc = 0;

    if (ground.size) {
        rc = session_file_read(page->file, ground, err);
        if (rc != 0 || !page->story->fresh) return rc;
    } else {
        session_file_init(page->file);
        page_item(page);
        page_target(page);
    }
    session_file_set_phase(page->file, is_planned(page->run->engine) ? SESSION_EXECUTION
                                                                      : SESSION_PLANNING);
    page_plan(page);
    page_rounds(page);
    page_files(page);
    page_metadata(page);
    session_file_complete(page->file);
    return 0;
}

static bool is_reviewing(const struct engine *engine)
{
    const struct batch *now = &engine->lanes[0].now;

    for (uint32_t i = 0; i < now->count; i++) {
        if (now->jobs[i].purpose == FOR_PROOF) continue;
        if (now->jobs[i].state == JOB_RUNNING && session_is_reviewer(now->jobs[i].role)) {
            return true;
        }
    }
    return false;
}

static void record_lock(const struct run_view *run, struct contract *out)
{
    const char *path = session_path(session_uuid(run), "lock", &out->arena);
    const char *stop = setting_value(run->settings, "stop-after");
    uint64_t pid = 0;
    char iso[CLOCK_ISO_BYTES];
    struct buf text;

    if (run->engine->state != ENGINE_RUNNING && run->engine->state != ENGINE_STOPPING) {
        contract_absent_add(out, path);
        return;
    }
    (void)str_number(str_of(run->owner), &pid);
    buf_init(&text, 4096);
    session_lock_write(&(struct session_lock){
        .pid = pid,
        .started_at = str_of(clock_iso(run->engine->started_ms, iso)),
        .entry_point = entry_point(run),
        .stop_after = str_of(stop) }, &text);
    contract_file_add(out, path, buf_str(&text));
    buf_release(&text);
}

/* The file as it is now, and of it the text of Review History, where they are wanted. */
static void write_parts(const struct run_view *run, struct buf *whole, struct buf *history)
{
    struct session_story story;
    struct session_file file = { 0 };
    struct arena arena = { 0 };
    struct page page = { .run = run, .story = &story, .arena = &arena, .file = &file };
    struct err none;

    session_story_read(run->engine, &arena, &story);
    if (page_write(&page, &none) == 0) {
        if (whole) session_file_write(&file, whole);
        if (history) buf_add(history, session_file_text(&file, SESSION_HISTORY));
        session_file_release(&file);
    }
    arena_release(&arena);
}

void session_record(const struct run_view *run, struct contract *out)
{
    const char *uuid = session_uuid(run);
    struct buf text;

    contract_folder_add(out, SESSION_FOLDER);
    buf_init(&text, 2UL * SESSION_FILE_BYTES_MAX);
    write_parts(run, &text, NULL);
    if (text.size) contract_file_add(out, session_path(uuid, "md", &out->arena), buf_str(&text));
    buf_release(&text);
    record_lock(run, out);
    if (!is_reviewing(run->engine)) {
        contract_absent_add(out, arena_printf(&out->arena,
                                              ".review-loop/tmp/%s-reviewer-prompt.txt", uuid));
    }
}

void session_history(const struct run_view *run, struct buf *out)
{
    write_parts(run, NULL, out);
}
