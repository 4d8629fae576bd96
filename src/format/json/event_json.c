/* SPDX-License-Identifier: Apache-2.0
 *
 * event_json.c - an event as one line of JSON, and back.
 *
 *     {"event":"ended","at":1763195000000,"job":3,"attempt":1,"verdict":"findings","findings":
 *      [{"severity":"high","source":"critic","file":"a.c","line":7,"text":"...","fingerprint":
 *      "00c0ffee00c0ffee"}],"doc":"..."}
 *
 * Plain members are rows of a table (members.h). Words, findings and groups are written out.
 *
 * Nothing of an event is lost: a replay must see what the live engine saw.
 *
 * Not here: whether the event makes sense at this moment (the engine's affair). */
#include "format/json/event_json.h"

#include "format/json/finding_json.h"
#include "format/json/members.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#define BIT(kind) (1u << (kind))

#define AT(member) .offset = offsetof(struct event, member)

static const struct member event_members[] = {
    { .key = "at", .type = MEMBER_U64, AT(now_ms), .always = UINT32_MAX },
    { .key = "job", .type = MEMBER_U32, AT(job), .always = BIT(EV_ENDED) },
    { .key = "attempt", .type = MEMBER_U32, AT(attempt), .always = BIT(EV_ENDED) },
    { .key = "lane", .type = MEMBER_U32, AT(lane), .always = BIT(EV_ANSWER) | BIT(EV_DRIFT) },
    { .key = "permanent", .type = MEMBER_BOOL, AT(result.permanent) },
    { .key = "complete", .type = MEMBER_BOOL, AT(result.complete) },
    { .key = "stuck", .type = MEMBER_BOOL, AT(result.stuck) },
    { .key = "broken", .type = MEMBER_BOOL, AT(result.broken) },
    { .key = "unchanged", .type = MEMBER_BOOL, AT(result.unchanged) },
    { .key = "taken_back", .type = MEMBER_BOOL, AT(result.taken_back) },
    { .key = "fix_groups", .type = MEMBER_U32, AT(result.fix_groups) },
    { .key = "fix_alone", .type = MEMBER_BOOL, AT(result.fix_alone) },
    { .key = "retry_at", .type = MEMBER_U64, AT(result.retry_at_ms) },
    { .key = "cost_micros", .type = MEMBER_U64, AT(result.usage.cost_micros) },
    { .key = "tokens_in", .type = MEMBER_U64, AT(result.usage.tokens_in) },
    { .key = "tokens_out", .type = MEMBER_U64, AT(result.usage.tokens_out) },
    { .key = "late", .type = MEMBER_BOOL, AT(late) },
    { .key = "budget", .type = MEMBER_BOOL, AT(has_budget) },
    { .key = "budget_micros", .type = MEMBER_U64, AT(budget.limit.of[BUDGET_USD]) },
    { .key = "budget_tokens", .type = MEMBER_U64, AT(budget.limit.of[BUDGET_TOKENS]) },
    { .key = "budget_ms", .type = MEMBER_U64, AT(budget.limit.of[BUDGET_TIME]) },
    { .key = "budget_calls", .type = MEMBER_U64, AT(budget.limit.of[BUDGET_CALLS]) },
    { .key = "budget_stop", .type = MEMBER_BOOL, AT(budget.stop) },
    { .key = "by", .type = MEMBER_TEXT, AT(result.by) },
    { .key = "problem", .type = MEMBER_TEXT, AT(result.problem) },
    { .key = "doc", .type = MEMBER_TEXT, AT(result.doc) },
    { .key = NULL },
};

/* ---- writing ---- */

static void write_findings(yyjson_mut_doc *doc, yyjson_mut_val *root, const char *key,
                           const struct finding *findings, uint32_t count)
{
    yyjson_mut_val *list = count ? yyjson_mut_obj_add_arr(doc, root, key) : NULL;

    for (uint32_t i = 0; i < count; i++) {
        yyjson_mut_arr_append(list, finding_write(doc, &findings[i]));
    }
}

static void write_doubts(yyjson_mut_doc *doc, yyjson_mut_val *root, const struct result *result)
{
    yyjson_mut_val *list = result->doubt_count ? yyjson_mut_obj_add_arr(doc, root, "doubts") : NULL;

    for (uint32_t i = 0; i < result->doubt_count; i++) {
        const struct doubtful *doubt = &result->doubts[i];
        yyjson_mut_val *item = yyjson_mut_arr_add_obj(doc, list);
        char hash[17];

        (void)snprintf(hash, sizeof hash, "%016" PRIx64, doubt->fingerprint);
        yyjson_mut_obj_add_strcpy(doc, item, "fingerprint", hash);
        yyjson_mut_obj_add_uint(doc, item, "line", doubt->line);
        yyjson_mut_obj_add_str(doc, item, "why", doubt_word(doubt->why));
    }
}

static const struct member move_members[] = {
    { .key = "old", .type = MEMBER_TEXT, .offset = offsetof(struct file_move, old_path) },
    { .key = "new", .type = MEMBER_TEXT, .offset = offsetof(struct file_move, new_path) },
    { .key = NULL },
};

static const struct member waiver_members[] = {
    { .key = "id", .type = MEMBER_TEXT, .offset = offsetof(struct waiver, id),
      .always = UINT32_MAX },
    { .key = "grave", .type = MEMBER_BOOL, .offset = offsetof(struct waiver, grave) },
    { .key = NULL },
};

/* {"old":"a.c","new":"a.c","hunks":[7,2,7,3,...]}: four numbers a hunk. A file that was not there,
 * or is gone, has one name. */
static void write_moved(yyjson_mut_doc *doc, yyjson_mut_val *root, const struct line_map *moved)
{
    yyjson_mut_val *list = moved->file_count ? yyjson_mut_obj_add_arr(doc, root, "moved") : NULL;

    for (uint32_t i = 0; i < moved->file_count; i++) {
        const struct file_move *file = &moved->files[i];
        yyjson_mut_val *item = yyjson_mut_arr_add_obj(doc, list);
        yyjson_mut_val *hunks;

        members_write(doc, item, move_members, file, 1);
        hunks = yyjson_mut_obj_add_arr(doc, item, "hunks");
        for (uint32_t k = 0; k < file->hunk_count; k++) {
            yyjson_mut_arr_add_uint(doc, hunks, file->hunks[k].old_line);
            yyjson_mut_arr_add_uint(doc, hunks, file->hunks[k].old_count);
            yyjson_mut_arr_add_uint(doc, hunks, file->hunks[k].new_line);
            yyjson_mut_arr_add_uint(doc, hunks, file->hunks[k].new_count);
        }
    }
}

static void write_waivers(yyjson_mut_doc *doc, yyjson_mut_val *root, const struct event *event)
{
    yyjson_mut_val *list = event->waiver_count ? yyjson_mut_obj_add_arr(doc, root, "waivers")
                                               : NULL;

    for (uint32_t i = 0; i < event->waiver_count; i++) {
        const struct waiver *waiver = &event->waivers[i];
        yyjson_mut_val *item = yyjson_mut_arr_add_obj(doc, list);

        members_write(doc, item, waiver_members, waiver, 1);
        yyjson_mut_obj_add_val(doc, item, "finding", finding_write(doc, &waiver->finding));
    }
}

static void write_lists(yyjson_mut_doc *doc, yyjson_mut_val *root, const struct result *result)
{
    write_findings(doc, root, "findings", result->findings, result->finding_count);
    write_findings(doc, root, "notes", result->notes, result->note_count);
    write_doubts(doc, root, result);
    write_moved(doc, root, &result->moved);
    coverage_write(doc, root, &result->coverage);
    if (result->group_count) {
        yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, root, "groups");
        for (uint32_t i = 0; i < result->group_count; i++) {
            yyjson_mut_arr_add_uint(doc, list, result->groups[i]);
        }
    }
}

void event_write(const struct event *event, struct buf *out)
{
    const struct result *result = &event->result;
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc);

    assert((unsigned)event->kind < EV_COUNT);
    yyjson_mut_obj_add_str(doc, root, "event", event_word(event->kind));
    members_write(doc, root, event_members, event, BIT(event->kind));
    if (event->kind == EV_ANSWER || event->choice) {
        yyjson_mut_obj_add_str(doc, root, "choice", choice_word(event->choice));
    }
    if (event->kind == EV_ENDED || result->verdict) {
        yyjson_mut_obj_add_str(doc, root, "verdict", verdict_word(result->verdict));
    }
    if (result->failure) {
        yyjson_mut_obj_add_str(doc, root, "failure", failure_word(result->failure));
    }
    if (result->basis) {
        yyjson_mut_obj_add_str(doc, root, "basis", basis_word(result->basis));
    }
    if (result->miss) {
        yyjson_mut_obj_add_str(doc, root, "miss", miss_word(result->miss));
    }
    if (result->proof) {
        yyjson_mut_obj_add_str(doc, root, "proof", proof_word(result->proof));
    }
    write_lists(doc, root, result);
    write_waivers(doc, root, event);
    json_finish(doc, false, out);
}

/* ---- reading ---- */

static int read_words(yyjson_val *root, struct event *out, struct err *err)
{
    struct str word;
    int rc;

    rc = member_word(root, "choice", out->kind == EV_ANSWER, &word, err);
    if (rc != 0) return rc;
    if (word.data && !choice_from_word(word, &out->choice)) {
        return member_bad_word("choice", word, err);
    }

    rc = member_word(root, "verdict", out->kind == EV_ENDED, &word, err);
    if (rc != 0) return rc;
    if (word.data && !verdict_from_word(word, &out->result.verdict)) {
        return member_bad_word("verdict", word, err);
    }

    rc = member_word(root, "failure", false, &word, err);
    if (rc != 0) return rc;
    if (word.data && !failure_from_word(word, &out->result.failure)) {
        return member_bad_word("failure", word, err);
    }

    rc = member_word(root, "basis", false, &word, err);
    if (rc != 0) return rc;
    if (word.data && !basis_from_word(word, &out->result.basis)) {
        return member_bad_word("basis", word, err);
    }

    rc = member_word(root, "miss", false, &word, err);
    if (rc != 0) return rc;
    if (word.data && !miss_from_word(word, &out->result.miss)) {
        return member_bad_word("miss", word, err);
    }

    rc = member_word(root, "proof", false, &word, err);
    if (rc != 0) return rc;
    if (word.data && !proof_from_word(word, &out->result.proof)) {
        return member_bad_word("proof", word, err);
    }
    return 0;
}

struct findings_read {
    const char *key, *word; /* "findings", "finding" */
    const struct finding **out;
    uint32_t *count;
};

static int read_findings(yyjson_val *root, struct arena *arena, const struct findings_read *read,
                         struct err *err)
{
    struct finding *findings;
    yyjson_arr_iter items;
    yyjson_val *list;
    int rc = member_list(root, read->key, &list, read->count, err);

    if (rc != 0 || !list) return rc;
    findings = arena_alloc(arena, *read->count * sizeof *findings);
    items = yyjson_arr_iter_with(list);
    for (uint32_t i = 0; i < *read->count; i++) {
        rc = finding_read(yyjson_arr_iter_next(&items), arena, &findings[i], err);
        if (rc != 0) return err_wrap(err, "%s %" PRIu32, read->word, i + 1);
    }
    *read->out = findings;
    return 0;
}

static int read_groups(yyjson_val *root, struct arena *arena, struct result *out, struct err *err)
{
    static const struct member size = { .key = "groups", .type = MEMBER_U32 };
    uint32_t *groups;
    yyjson_arr_iter items;
    yyjson_val *list;
    int rc = member_list(root, "groups", &list, &out->group_count, err);

    if (rc != 0 || !list) return rc;
    groups = arena_alloc(arena, out->group_count * sizeof *groups);
    items = yyjson_arr_iter_with(list);
    for (uint32_t i = 0; i < out->group_count; i++) {
        rc = member_number(yyjson_arr_iter_next(&items), &size, &groups[i], err);
        if (rc != 0) return err_wrap(err, "group %" PRIu32, i + 1);
    }
    out->groups = groups;
    return 0;
}

static int read_doubts(yyjson_val *root, struct arena *arena, struct result *out, struct err *err)
{
    static const struct member line = { .key = "line", .type = MEMBER_U32 };
    struct doubtful *doubts;
    yyjson_arr_iter items;
    yyjson_val *list;
    int rc = member_list(root, "doubts", &list, &out->doubt_count, err);

    if (rc != 0 || !list) return rc;
    doubts = arena_alloc(arena, out->doubt_count * sizeof *doubts);
    items = yyjson_arr_iter_with(list);
    for (uint32_t i = 0; i < out->doubt_count; i++) {
        yyjson_val *item = yyjson_arr_iter_next(&items);

        if (!str_hash(json_str(item, "fingerprint"), &doubts[i].fingerprint) ||
            !doubt_from_word(json_str(item, "why"), &doubts[i].why)) {
            return err_set(err, ERR_FORMAT, "doubt %" PRIu32 ": no fingerprint, or no reason",
                           i + 1);
        }
        rc = member_number(yyjson_obj_get(item, "line"), &line, &doubts[i].line, err);
        if (rc != 0) return err_wrap(err, "doubt %" PRIu32, i + 1);
    }
    out->doubts = doubts;
    return 0;
}

static int read_hunks(yyjson_val *object, struct arena *arena, struct file_move *out,
                      struct err *err)
{
    static const struct member number = { .key = "hunks", .type = MEMBER_U32 };
    struct line_hunk *hunks;
    yyjson_arr_iter items;
    yyjson_val *list;
    uint32_t count = 0;
    int rc = member_list(object, "hunks", &list, &count, err);

    if (rc != 0 || !list) return rc;
    if (count % 4 != 0) return err_set(err, ERR_FORMAT, "hunks: four numbers each are wanted");
    hunks = arena_alloc(arena, (count / 4 + (size_t)1) * sizeof *hunks);
    items = yyjson_arr_iter_with(list);
    for (uint32_t i = 0; i < count && rc == 0; i++) {
        struct line_hunk *hunk = &hunks[i / 4];
        uint32_t *const to[] = { &hunk->old_line, &hunk->old_count, &hunk->new_line,
                                 &hunk->new_count };

        rc = member_number(yyjson_arr_iter_next(&items), &number, to[i % 4], err);
    }
    out->hunks = hunks;
    out->hunk_count = count / 4;
    return rc;
}

static int read_moved(yyjson_val *root, struct arena *arena, struct line_map *out, struct err *err)
{
    struct file_move *files;
    yyjson_arr_iter items;
    yyjson_val *list;
    int rc = member_list(root, "moved", &list, &out->file_count, err);

    if (rc != 0 || !list) return rc;
    files = arena_alloc(arena, out->file_count * sizeof *files);
    items = yyjson_arr_iter_with(list);
    for (uint32_t i = 0; i < out->file_count && rc == 0; i++) {
        yyjson_val *item = yyjson_arr_iter_next(&items);

        rc = yyjson_is_obj(item) ? 0 : member_bad_type("moved", "a list of objects", err);
        if (rc == 0) rc = members_read(item, move_members, arena, &files[i], 1, err);
        if (rc == 0) rc = read_hunks(item, arena, &files[i], err);
        if (rc != 0) return err_wrap(err, "moved file %" PRIu32, i + 1);
    }
    out->files = files;
    return 0;
}

static int read_waivers(yyjson_val *root, struct arena *arena, struct event *out, struct err *err)
{
    struct waiver *waivers;
    yyjson_arr_iter items;
    yyjson_val *list;
    int rc = member_list(root, "waivers", &list, &out->waiver_count, err);

    if (rc != 0 || !list) return rc;
    waivers = arena_alloc(arena, out->waiver_count * sizeof *waivers);
    items = yyjson_arr_iter_with(list);
    for (uint32_t i = 0; i < out->waiver_count; i++) {
        yyjson_val *item = yyjson_arr_iter_next(&items);

        rc = yyjson_is_obj(item) ? 0 : member_bad_type("waivers", "a list of objects", err);
        if (rc == 0) rc = members_read(item, waiver_members, arena, &waivers[i], 1, err);
        if (rc == 0) {
            rc = finding_read(yyjson_obj_get(item, "finding"), arena, &waivers[i].finding, err);
        }
        if (rc != 0) return err_wrap(err, "waiver %" PRIu32, i + 1);
    }
    out->waivers = waivers;
    return 0;
}

static int read_event(yyjson_val *root, struct arena *arena, struct event *out, struct err *err)
{
    struct str word;
    int rc;

    if (!yyjson_is_obj(root)) return err_set(err, ERR_FORMAT, "an event must be an object");
    rc = member_word(root, "event", true, &word, err);
    if (rc != 0) return rc;
    if (!event_from_word(word, &out->kind)) return member_bad_word("event", word, err);
    rc = members_read(root, event_members, arena, out, BIT(out->kind), err);
    if (rc == 0) rc = read_words(root, out, err);
    if (rc == 0) {
        rc = read_findings(root, arena, &(struct findings_read){
            "findings", "finding", &out->result.findings, &out->result.finding_count }, err);
    }
    if (rc == 0) {
        rc = read_findings(root, arena, &(struct findings_read){
            "notes", "note", &out->result.notes, &out->result.note_count }, err);
    }
    if (rc == 0) rc = coverage_read(root, arena, &out->result.coverage, err);
    if (rc == 0) rc = read_doubts(root, arena, &out->result, err);
    if (rc == 0) rc = read_moved(root, arena, &out->result.moved, err);
    if (rc == 0) rc = read_waivers(root, arena, out, err);
    if (rc == 0) rc = read_groups(root, arena, &out->result, err);
    return rc;
}

int event_read(struct str text, struct arena *arena, struct event *out, struct err *err)
{
    yyjson_doc *doc;
    int rc;

    *out = (struct event){ 0 };
    rc = json_read(text, &doc, err);
    if (rc != 0) return rc;
    rc = read_event(yyjson_doc_get_root(doc), arena, out, err);
    yyjson_doc_free(doc);
    if (rc != 0) *out = (struct event){ 0 };
    return rc;
}
