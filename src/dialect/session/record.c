/* SPDX-License-Identifier: Apache-2.0
 *
 * record.c - the session file, out of the engine's diary, and the lock beside it.
 *
 *   .review-loop/sessions/{uuid}.md      written whole at each step
 *                        {uuid}.lock     while somebody is at work
 *
 * 1. The same run gives the same bytes. Times are those of the events.
 * 2. A file that is continued is the ground: what was in it stays, byte for byte, until something
 *    happens; then what happened is added to it.
 * 3. Approved Plan is empty until a reviewer approved the plan or the user accepted it.
 * 4. completed_stages is what the engine holds for the tree as it is now.
 *
 * Not here: rounds (rounds.c), lists of files (changed.c), the form of the
 * file (session_file.h), the way back (restore.c). */
#include "dialect/session/pages.h"

#include "base/clock.h"

#include <string.h>

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
        return session_setting_file(run->settings, SESSION_PLAN_FILE);
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

static struct session_dirty_map dirty_map(const struct session_doc *doc, struct arena *arena)
{
    struct session_dirty *items = arena_alloc(arena, doc->dirty_count * sizeof *items + 1);

    for (uint32_t i = 0; i < doc->dirty_count; i++) {
        items[i].path = doc->dirty[i].path;
        items[i].blob = *doc->dirty[i].oid ? str_of(doc->dirty[i].oid) : STR(DIRTY_DELETED);
    }
    return (struct session_dirty_map){ .known = true, .items = items,
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
    case REASON_WAITING:
    case REASON_ESCALATED:
    case REASON_STUCK:
        return strcmp(name, "execution") == 0 ? STR("exec") : str_of(name);
    case REASON_NONE:
    case REASON_CLEAN:
    case REASON_NOTED:
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

void session_record(const struct run_view *run, struct contract *out)
{
    struct session_story story;
    struct session_file file = { 0 };
    struct arena arena = { 0 };
    struct page page = { .run = run, .story = &story, .arena = &arena, .file = &file };
    struct err none;
    struct buf text;

    contract_folder_add(out, SESSION_FOLDER);
    session_story_read(run->engine, &arena, &story);
    if (page_write(&page, &none) == 0) {
        buf_init(&text, 2UL * SESSION_FILE_BYTES_MAX);
        session_file_write(&file, &text);
        contract_file_add(out, session_path(session_uuid(run), "md", &out->arena),
                          buf_str(&text));
        buf_release(&text);
        session_file_release(&file);
    }
    record_lock(run, out);
    if (!is_reviewing(run->engine)) {
        contract_absent_add(out, arena_printf(&out->arena,
                                              ".review-loop/tmp/%s-reviewer-prompt.txt",
                                              session_uuid(run)));
    }
    arena_release(&arena);
}

void session_history(const struct run_view *run, struct buf *out)
{
    struct session_story story;
    struct session_file file = { 0 };
    struct arena arena = { 0 };
    struct page page = { .run = run, .story = &story, .arena = &arena, .file = &file };
    struct err none;

    session_story_read(run->engine, &arena, &story);
    if (page_write(&page, &none) == 0) {
        buf_add(out, session_file_text(&file, SESSION_HISTORY));
        session_file_release(&file);
    }
    arena_release(&arena);
}
