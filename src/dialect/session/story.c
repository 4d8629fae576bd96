/* SPDX-License-Identifier: Apache-2.0
 *
 * story.c - what happened in a session: the documents that answers are kept as, and the engine's
 * diary as rounds of them.
 *
 * A document is what is kept of an answer, as JSON in the run's events.
 *
 *     {"title":"...","answer":"...","noop":true,
 *      "claims":[{"path":"a.c","what":"..."}],"approved":true,
 *      "issues":[{"critical":true,"text":"...","file":"a.c","line":7}],
 *      "head":"...","delta":[{"path":"a.c","change":"modified","oid":"..."}],"dirty":[...]}
 *
 * 1. What was written is read back; texts that are not UTF-8 come back with U+FFFD.
 * 2. A member that is not there is empty. "head" says that the tree was looked at.
 *
 * A round belongs to a gate. The executor's work and repairs belong to the review that follows
 * them; a choice of the user and a change from outside to the round that is newest then.
 *
 * 3. The order of the rounds, and of the steps in one, is the diary's. So a round only grows, at
 *    its end.
 * 4. Entries that were restored from a session file make rounds that are restored, for prompts
 *    and numbers. A round that goes on behind them is continued.
 * 5. What became of an issue is what later reviews say of it, never what an executor says. */
#include "dialect/session/session.h"

#include "dialect/session/file.h"
#include "format/json/json.h"

/* ---- documents: writing ---- */

static void put_number(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key,
                       uint32_t number)
{
    if (number) yyjson_mut_obj_add_uint(doc, object, key, number);
}

static void put_flag(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key, bool set)
{
    if (set) yyjson_mut_obj_add_bool(doc, object, key, true);
}

static void put_issues(yyjson_mut_doc *doc, yyjson_mut_val *root, const struct session_doc *from)
{
    yyjson_mut_val *list;

    if (from->issue_count == 0) return;
    list = yyjson_mut_obj_add_arr(doc, root, "issues");
    for (uint32_t i = 0; i < from->issue_count; i++) {
        const struct finding *issue = &from->issues[i];
        yyjson_mut_val *item = yyjson_mut_arr_add_obj(doc, list);

        put_flag(doc, item, "critical", issue->severity == SEVERITY_HIGH);
        json_add_some(doc, item, "source", issue->source);
        json_add_some(doc, item, "text", issue->text);
        json_add_some(doc, item, "file", issue->file);
        put_number(doc, item, "line", issue->line);
    }
}

static void put_claims(yyjson_mut_doc *doc, yyjson_mut_val *root, const struct session_doc *from)
{
    yyjson_mut_val *list;

    if (from->claim_count == 0) return;
    list = yyjson_mut_obj_add_arr(doc, root, "claims");
    for (uint32_t i = 0; i < from->claim_count; i++) {
        yyjson_mut_val *item = yyjson_mut_arr_add_obj(doc, list);

        json_add_some(doc, item, "path", from->claims[i].path);
        json_add_some(doc, item, "what", from->claims[i].what);
    }
}

static void put_files(yyjson_mut_doc *doc, yyjson_mut_val *root, const char *key,
                      const struct tree_file *files, uint32_t count)
{
    yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, root, key);

    for (uint32_t i = 0; i < count; i++) {
        yyjson_mut_val *item = yyjson_mut_arr_add_obj(doc, list);

        json_add_some(doc, item, "path", files[i].path);
        json_add_some(doc, item, "change", str_of(files[i].change));
        json_add_some(doc, item, "oid", str_of(files[i].oid));
    }
}

struct str session_doc_write(const struct session_doc *from, struct arena *arena)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc);

    put_flag(doc, root, "restored", from->restored);
    put_number(doc, root, "entries", from->entries);
    json_add_some(doc, root, "title", from->title);
    json_add_some(doc, root, "answer", from->answer);
    put_flag(doc, root, "approved", from->approved);
    put_issues(doc, root, from);
    put_flag(doc, root, "noop", from->noop);
    put_claims(doc, root, from);
    if (from->has_tree) {
        json_add_text(doc, root, "head", from->head);
        put_files(doc, root, "delta", from->delta, from->delta_count);
        put_files(doc, root, "dirty", from->dirty, from->dirty_count);
    }
    return json_keep(doc, false, arena);
}

/* ---- documents: reading ---- */

static struct str get_text(yyjson_val *object, const char *key, struct arena *arena)
{
    return arena_copy(arena, json_str(object, key));
}

static uint32_t get_number(yyjson_val *object, const char *key)
{
    uint64_t number;

    return json_uint(object, key, &number) && number <= UINT32_MAX ? (uint32_t)number : 0;
}

static bool get_flag(yyjson_val *object, const char *key)
{
    return yyjson_get_bool(yyjson_obj_get(object, key));
}

/* A list, and room for one struct per item. */
static yyjson_val *get_list(yyjson_val *root, const char *key, struct arena *arena, size_t bytes,
                            void **room)
{
    yyjson_val *list = yyjson_obj_get(root, key);

    *room = arena_alloc(arena, yyjson_arr_size(list) * bytes + 1);
    return list;
}

static void get_issues(yyjson_val *root, struct arena *arena, struct session_doc *out)
{
    yyjson_val *item;
    yyjson_arr_iter iter;
    void *room;

    yyjson_arr_iter_init(get_list(root, "issues", arena, sizeof *out->issues, &room), &iter);
    out->issues = room;
    while ((item = yyjson_arr_iter_next(&iter))) {
        struct finding *issue = &((struct finding *)room)[out->issue_count++];

        issue->severity = get_flag(item, "critical") ? SEVERITY_HIGH : SEVERITY_LOW;
        issue->source = get_text(item, "source", arena);
        issue->text = get_text(item, "text", arena);
        issue->file = get_text(item, "file", arena);
        issue->line = get_number(item, "line");
        issue->fingerprint = finding_fingerprint(issue);
    }
}

static void get_claims(yyjson_val *root, struct arena *arena, struct session_doc *out)
{
    yyjson_val *item;
    yyjson_arr_iter iter;
    void *room;

    yyjson_arr_iter_init(get_list(root, "claims", arena, sizeof *out->claims, &room), &iter);
    out->claims = room;
    while ((item = yyjson_arr_iter_next(&iter))) {
        struct session_claim *claim = &((struct session_claim *)room)[out->claim_count++];

        claim->path = get_text(item, "path", arena);
        claim->what = get_text(item, "what", arena);
    }
}

static const struct tree_file *get_files(yyjson_val *root, const char *key, struct arena *arena,
                                         uint32_t *count)
{
    struct tree_file *files;
    yyjson_val *item;
    yyjson_arr_iter iter;
    void *room;

    yyjson_arr_iter_init(get_list(root, key, arena, sizeof *files, &room), &iter);
    files = room;
    while ((item = yyjson_arr_iter_next(&iter))) {
        struct tree_file *file = &files[(*count)++];

        file->path = get_text(item, "path", arena);
        file->change = arena_cstr(arena, json_str(item, "change"));
        file->oid = arena_cstr(arena, json_str(item, "oid"));
    }
    return files;
}

bool session_doc_read(struct str text, struct arena *arena, struct session_doc *out)
{
    yyjson_doc *doc = NULL;
    yyjson_val *root;
    struct err none;

    *out = (struct session_doc){ .restored = false };
    if (json_read(text, &doc, &none) != 0) return false;
    root = yyjson_doc_get_root(doc);
    out->restored = get_flag(root, "restored");
    out->entries = get_number(root, "entries");
    out->title = get_text(root, "title", arena);
    out->answer = get_text(root, "answer", arena);
    out->approved = get_flag(root, "approved");
    get_issues(root, arena, out);
    out->noop = get_flag(root, "noop");
    get_claims(root, arena, out);
    out->has_tree = yyjson_is_str(yyjson_obj_get(root, "head"));
    if (out->has_tree) {
        out->head = get_text(root, "head", arena);
        out->delta = get_files(root, "delta", arena, &out->delta_count);
        out->dirty = get_files(root, "dirty", arena, &out->dirty_count);
    }
    yyjson_doc_free(doc);
    return true;
}

bool session_doc_claims(const struct session_doc *doc, struct str path)
{
    for (uint32_t i = 0; i < doc->claim_count; i++) {
        if (str_eq(doc->claims[i].path, path)) return true;
    }
    return false;
}

/* ---- rounds ---- */

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

/* ---- rounds: asked about them ---- */

bool session_step_is_review(const struct session_step *step)
{
    return step->entry->kind == ENTRY_ANSWER && step->entry->purpose == FOR_REVIEW;
}

/* Of a round with several reviewers all must have answered. What was said before the tree was
 * changed from outside is void, unless it was all. */
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
    enum session_stage stage = session_stage_of(plan->phases[phase].name);

    return stage < STAGE_OTHER ? session_stage_title(stage) : plan->phases[phase].name;
}

/* A stream that ends without a result at all is a command that failed. */
const char *session_miss_class(const struct diary_entry *entry)
{
    switch (entry->miss) {
    case MISS_EMPTY: return "missing result";
    case MISS_TREE: return "workspace changed";
    case MISS_UNREAD: return "nothing was looked at";
    case MISS_STREAM: return "JSON parsing";
    case MISS_PLAIN:
    case MISS_COUNT: break;
    }
    return entry->verdict == VERDICT_FAILED ? "command execution" : "schema validation";
}
