/* SPDX-License-Identifier: Apache-2.0
 *
 * finding.c - one finding with all that is known of it, as a document: every state over the rounds,
 * every wording, the hunks of what resolved it, the lines around it before and behind that, and the
 * waiver.
 *
 *     tree of its last report --> source        tree that found it no more --> after
 *              '------------------- diff --------------------'
 *                         hunks near its line --> hunks
 *
 * 1. Nothing of the workspace is read but the file of waivers: the trees that were kept are.
 * 2. What is not known is null, and fix_why says why there are no hunks. */
#include "document/parts.h"

#include "format/json/finding_json.h"
#include "run/teller.h"

enum { AROUND = 8, DIFF_BYTES_MAX = 1 << 20, HUNKS_MAX = 20, HUNK_LINES_MAX = 400,
       NAME_BYTES_MAX = 64 << 10 };

static const char not_near[] = "nothing changed near it; it was not reported again";

struct telling_one {
    struct teller teller;
    const struct ledger_entry *entry;
    struct story_fate fate;
    uint32_t from, to;       /* rounds */
    bool resolved;           /* they are known */
    struct story_diff diff;  /* between them */
    uint32_t after_line;     /* its line in the second; 0: not known */
};

/* ---- history ---- */

static void history_json(const struct telling_one *one, yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    const struct run *run = one->teller.replay;
    yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, root, "history");

    for (uint32_t i = 0; i < one->fate.change_count; i++) {
        const struct story_change *change = &one->fate.changes[i];
        yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list);
        const struct round *round = change->round == STORY_NONE ? NULL
                                  : &run->engine.rounds[change->round];

        if (round) yyjson_mut_obj_add_uint(doc, object, "at", change->round);
        else yyjson_mut_obj_add_null(doc, object, "at"); /* behind the last round that ended */
        yyjson_mut_obj_add_str(doc, object, "state", finding_state_word(change->state));
        yyjson_mut_obj_add_uint(doc, object, "lane", one->entry->lane);
        if (!round) continue;
        yyjson_mut_obj_add_uint(doc, object, "iteration", round->iteration);
        yyjson_mut_obj_add_uint(doc, object, "round", round->number);
        json_add(doc, object, "phase", run->plan.phases[round->phase].name);
        time_json(doc, object, "ended_ms", round->ended_ms);
    }
}

static void votes_json(const struct listing *listing, const struct ledger_entry *entry,
                       yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    yyjson_mut_val *list = yyjson_mut_arr(doc);

    for (uint32_t i = 0; i < entry->vote_count; i++) {
        const struct vote *vote = &entry->votes[i];
        yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list);

        json_add(doc, object, "role", listing_voter(listing, vote));
        json_add_text(doc, object, "by", vote->by);
        yyjson_mut_obj_add_uint(doc, object, "iteration", vote->iteration);
        yyjson_mut_obj_add_uint(doc, object, "round", vote->round);
        yyjson_mut_obj_add_str(doc, object, "severity", severity_word(vote->finding.severity));
        json_add_text(doc, object, "file", vote->finding.file);
        yyjson_mut_obj_add_uint(doc, object, "line", vote->finding.line);
        json_add_text(doc, object, "kind", vote->finding.kind);
        json_add_text(doc, object, "text", vote->finding.text);
        json_add_text(doc, object, "evidence", vote->finding.evidence);
        json_add_text(doc, object, "suggestion", vote->finding.suggestion);
        yyjson_mut_obj_add_bool(doc, object, "stands", vote->stands);
    }
    (void)yyjson_mut_obj_remove_key(root, "votes");
    yyjson_mut_obj_add_val(doc, root, "votes", list);
}

/* ---- the fix ---- */

static bool is_file(struct str name, struct str path)
{
    struct buf plain;
    bool same;

    buf_init(&plain, NAME_BYTES_MAX);
    story_diff_name(name, &plain);
    same = str_eq(buf_str(&plain), path);
    buf_release(&plain);
    return same;
}

static void hunks_json(struct telling_one *one, yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, root, "hunks");
    struct str rest = one->diff.text, name = one->entry->finding.file;
    const char *why = one->diff.why;
    struct story_file file;
    struct story_hunk hunk;
    uint32_t count = 0, line = one->fate.line;

    if (one->resolved && !why) one->after_line = line;
    while (one->resolved && !why && story_diff_file(&rest, &file)) {
        if (!is_file(file.name, name)) continue;
        one->after_line = file.deleted || line == 0 ? 0 : story_hunks_line(file.hunks, line);
        while (count < HUNKS_MAX && story_diff_hunk(&file.hunks, &hunk)) {
            yyjson_mut_val *object;

            if (line > 0 && !story_hunk_is_near(&hunk, line)) continue;
            object = yyjson_mut_arr_add_obj(doc, list);
            json_add_text(doc, object, "file", name);
            hunk_json(&hunk, HUNK_LINES_MAX, doc, object);
            count++;
        }
    }
    if (!one->resolved) {
        why = one->entry->state == FINDING_FIXED
            ? "the rounds between which it was resolved are not known" : "it is not fixed";
    } else if (!why && count == 0) {
        why = not_near;
    }
    if (why) json_add(doc, root, "fix_why", why);
    else yyjson_mut_obj_add_null(doc, root, "fix_why");
}

/* ---- source ---- */

static void source_json(const struct teller_source *source, const char *key, yyjson_mut_doc *doc,
                        yyjson_mut_val *root)
{
    yyjson_mut_val *object;

    if (source->first == 0) {
        yyjson_mut_obj_add_null(doc, root, key);
        return;
    }
    object = yyjson_mut_obj_add_obj(doc, root, key);
    yyjson_mut_obj_add_uint(doc, object, "at", source->at);
    json_add_text(doc, object, "file", source->file);
    yyjson_mut_obj_add_uint(doc, object, "first", source->first);
    yyjson_mut_obj_add_uint(doc, object, "line", source->line);
    json_add_text(doc, object, "text", source->text);
}

static void sources_json(struct telling_one *one, yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    struct str file = one->entry->finding.file;
    struct teller_source sources[] = {
        { .at = one->from, .file = file, .line = one->fate.line, .around = AROUND },
        { .at = one->to, .file = file, .line = one->after_line, .around = AROUND },
    };
    bool before = one->from != STORY_NONE, after = one->resolved && one->after_line > 0;

    if (before) tell_sources(&one->teller, sources, after ? 2 : 1);
    source_json(&sources[0], "source", doc, root);
    source_json(&sources[1], "after", doc, root);
}

static void waiver_json(const struct listing *listing, const struct ledger_entry *entry,
                        yyjson_mut_doc *doc, yyjson_mut_val *root)
{
    const struct waiver_entry *waiver = listing->waivers && entry->waiver.size > 0
        ? waivers_find(listing->waivers, entry->waiver) : NULL;
    yyjson_mut_val *object;

    (void)yyjson_mut_obj_remove_key(root, "waiver");
    if (entry->waiver.size == 0) {
        yyjson_mut_obj_add_null(doc, root, "waiver");
        return;
    }
    object = yyjson_mut_obj_add_obj(doc, root, "waiver");
    json_add_text(doc, object, "id", entry->waiver);
    if (!waiver) return; /* its file is another one now */
    json_add_text(doc, object, "reason", waiver->reason);
    json_add_text(doc, object, "owner", waiver->owner);
    json_add_text(doc, object, "made", waiver->made);
    json_add_text(doc, object, "until", waiver->until);
}

/* ---- the finding ---- */

/* What several tools say of one fault is one item, with the votes of all. */
static const struct ledger_entry *merged(struct listed *listed, const struct ledger_entry *entry)
{
    struct finding_filter all = { .severity_min = SEVERITY_LOW };

    if (entry->finding.tool.size == 0) return entry;
    for (uint32_t i = 0; i < FINDING_STATE_COUNT; i++) all.states[i] = true;
    listed_choose(listed, &all, LISTING_BY_FILE);
    for (uint32_t i = 0; i < listed->listing.count; i++) {
        if (listed->listing.items[i]->order == entry->order) return listed->listing.items[i];
    }
    return entry;
}

int document_finding(struct listed *listed, const char *id, yyjson_mut_doc *doc,
                     yyjson_mut_val *root, struct err *err)
{
    struct telling_one one = { .from = STORY_NONE, .to = STORY_NONE };
    const struct ledger_entry *entry = NULL;
    yyjson_mut_obj_iter members;
    yyjson_mut_val *key, *plain;
    int rc = finding_find(&listed->replay->engine.ledger, id, listed->look->run.id, &entry, err);

    if (rc != 0) return rc;
    entry = merged(listed, entry);
    one.entry = entry;
    teller_open(&one.teller, listed->look, listed->replay, listed->history, &listed->arena);
    rc = teller_recall(&one.teller, err);
    if (rc == 0) {
        tell_fate(&one.teller, entry, &one.fate);
        one.from = teller_round(&one.teller, entry->lane, entry->phase, entry->iteration_last,
                                entry->round_last);
        one.resolved = tell_resolved(&one.teller, entry, &one.fate, &one.from, &one.to);
        if (one.resolved) tell_diff(&one.teller, one.from, one.to, DIFF_BYTES_MAX, &one.diff);
        json_add(doc, root, "run", listed->look->run.id);
        plain = listing_entry_json(&listed->listing, entry, doc);
        members = yyjson_mut_obj_iter_with(plain);
        while ((key = yyjson_mut_obj_iter_next(&members))) {
            yyjson_mut_val *value = yyjson_mut_obj_iter_get_val(key);

            yyjson_mut_obj_add(root, yyjson_mut_val_mut_copy(doc, key),
                               yyjson_mut_val_mut_copy(doc, value));
        }
        history_json(&one, doc, root);
        votes_json(&listed->listing, entry, doc, root);
        hunks_json(&one, doc, root);
        sources_json(&one, doc, root);
        waiver_json(&listed->listing, entry, doc, root);
    }
    teller_close(&one.teller);
    return rc;
}
