/* SPDX-License-Identifier: Apache-2.0
 *
 * sarif_write.c - findings as a SARIF 2.1.0 log.
 *
 * One run of the tool hone, with a rule for each thing that a tool or a role reports
 * ("gcc/-Wformat", "critic/style"; the role alone where it names no rule) and a result for each
 * finding.
 *
 * 1. A fixed finding is a result of kind pass: the rule was asked again and had nothing to say.
 *    Some programs take every result for a problem: where the user does not ask for fixed ones,
 *    `hone findings` writes none.
 * 2. Every result has a place and a line, since services refuse a whole log for one without. What
 *    is about no file in the workspace is about "." there, and properties.file has the name that
 *    was said; what is about no line is at the first, and properties.wholeFile says so.
 * 3. Columns count UTF-16 units here and bytes with us. They are written where the line is known to
 *    be ASCII, by its text, which a tool's finding has as evidence: there they are the same. Else
 *    whole lines are meant.
 * 4. Edits of fixes are byte ranges; the text is there as text and, as the specification wants it
 *    for byte ranges, as base64. contentHash says which content they fit.
 * 5. What became of a finding is its baselineState, as if the round before were the baseline. What
 *    is waived is suppressed, with the reason that a person gave; all others are said not to be.
 * 6. A finding that is fixed has what its repair did, where that is known: replacements by lines,
 *    in the file as it was then. Nothing else of it is a proposal.
 * 7. The steps of an analyzer's path are a code flow; other places that a tool names, and those at
 *    which other reviewers reported the same, are related locations. What happened to a finding
 *    from round to round is no flow of a program: properties have it.
 * 8. A message never becomes a link that an agent chose.
 * 9. The log of a run that has not said all it could says that it was not successful: what it does
 *    not have may still come. Why, each reviewer that could not answer, each file that was not
 *    looked at and what was left out are notifications of the invocation.
 * 10. Texts are bounded: services refuse a whole log for one that is too long. */
#include "format/report/listing.h"

#include "format/json/finding_json.h"
#include "format/report/fix.h"
#include "format/report/hints.h"
#include "format/report/uri.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    URI_BYTES_MAX = 1 << 20,
    NAME_BYTES_MAX = 1000,
    TEXT_BYTES_MAX = 4000,      /* of a message; of what stands beside it half of that */
    FIX_BYTES_MAX = 256 << 10,  /* of a finding's fixes: longer ones are left out */
    STEPS_MAX = 100,            /* of a code flow */
    PLACES_MAX = 20,            /* related locations */
    LOOKS_MAX = 100,            /* reviewers that could not answer */
};

static const char *const levels[SEVERITY_COUNT] = {
    [SEVERITY_LOW] = "note",
    [SEVERITY_MEDIUM] = "warning",
    [SEVERITY_HIGH] = "error",
};

/* One writing. */
struct log {
    const struct listing *listing;
    yyjson_mut_doc *doc;
    struct arena arena;
    struct str *ids;   /* the rule of each item */
    struct str *rules; /* the same, each once, sorted */
    uint32_t rule_count;
};

static void add_text(struct log *log, yyjson_mut_val *object, const char *key, struct str text)
{
    yyjson_mut_obj_add_val(log->doc, object, key, json_text(log->doc, text));
}

/* {"text": ...}, which is how SARIF has most texts. */
static void add_message(struct log *log, yyjson_mut_val *object, const char *key, struct str text)
{
    add_text(log, yyjson_mut_obj_add_obj(log->doc, object, key), "text", text);
}

/* ---- rules ---- */

static struct str rule_id(struct log *log, const struct ledger_entry *entry)
{
    struct buf id;

    buf_init(&id, LISTING_RULE_BYTES_MAX);
    listing_rule(log->listing, entry, &id);
    return arena_take(&log->arena, &id);
}

static void rules_collect(struct log *log)
{
    uint32_t count = log->listing->count;

    if (count == 0) return;
    log->ids = arena_alloc(&log->arena, count * sizeof *log->ids);
    log->rules = arena_alloc(&log->arena, count * sizeof *log->rules);
    for (uint32_t i = 0; i < count; i++) {
        log->rules[i] = log->ids[i] = rule_id(log, log->listing->items[i]);
    }
    qsort(log->rules, count, sizeof *log->rules, str_order);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && str_eq(log->rules[i], log->rules[log->rule_count - 1])) continue;
        log->rules[log->rule_count++] = log->rules[i];
    }
}

static void add_rules(struct log *log, yyjson_mut_val *driver)
{
    yyjson_mut_val *list = yyjson_mut_obj_add_arr(log->doc, driver, "rules");
    struct buf text;

    buf_init(&text, NAME_BYTES_MAX);
    for (uint32_t i = 0; i < log->rule_count; i++) {
        yyjson_mut_val *rule = yyjson_mut_arr_add_obj(log->doc, list);
        struct str kind = log->rules[i], role = { "", 0 };

        str_cut(&kind, '/', &role);
        buf_clear(&text);
        buf_add(&text, kind);
        buf_text(&text, kind.size > 0 ? ", as " : "What ");
        buf_add(&text, role);
        buf_text(&text, kind.size > 0 ? " reports it." : " reports.");
        add_text(log, rule, "id", log->rules[i]);
        add_message(log, rule, "shortDescription", buf_str(&text));
        buf_clear(&text);
        buf_text(&text, "Findings of the reviewer ");
        buf_add(&text, role);
        if (kind.size > 0) {
            buf_text(&text, " of the kind ");
            buf_add(&text, kind);
        }
        buf_byte(&text, '.');
        add_message(log, rule, "fullDescription", buf_str(&text));
        add_message(log, rule, "help",
                    STR("The message says what is wrong; where the reviewer gave reasons or a way "
                        "to mend it, they are properties of the result."));
    }
    buf_release(&text);
}

static uint32_t rule_index(const struct log *log, struct str id)
{
    const struct str *rule = bsearch(&id, log->rules, log->rule_count, sizeof *log->rules,
                                     str_order);

    assert(rule);
    return (uint32_t)(rule - log->rules);
}

/* ---- places ---- */

/* Where a file is. False: not in the workspace, and no address can be made of it. */
static bool add_artifact(struct log *log, yyjson_mut_val *object, struct str file)
{
    yyjson_mut_val *location = yyjson_mut_obj_add_obj(log->doc, object, "artifactLocation");
    struct buf uri;
    bool below, known;

    buf_init(&uri, URI_BYTES_MAX);
    file = listing_below(log->listing, file);
    below = uri_below(&uri, file) && !uri.overflow;
    known = below;
    if (!below && str_starts(file, STR("/"))) {
        buf_clear(&uri);
        buf_text(&uri, "file://");
        uri_path(&uri, file);
        known = !uri.overflow;
    }
    add_text(log, location, "uri", known ? buf_str(&uri) : STR("."));
    if (below || !known) yyjson_mut_obj_add_str(log->doc, location, "uriBaseId", "%SRCROOT%");
    buf_release(&uri);
    return known;
}

/* False: they cannot be told. */
static bool add_columns(struct log *log, yyjson_mut_val *region, const struct finding *finding)
{
    uint32_t start, end;

    if (!listing_columns(finding, &start, &end)) return false;
    yyjson_mut_obj_add_uint(log->doc, region, "startColumn", start);
    if (end > 0) {
        yyjson_mut_obj_add_uint(log->doc, region, "endLine", finding->line);
        yyjson_mut_obj_add_uint(log->doc, region, "endColumn", end);
    }
    return true;
}

static void add_region(struct log *log, yyjson_mut_val *physical, const struct finding *finding)
{
    uint32_t last = finding->end_line;
    yyjson_mut_val *region;

    region = yyjson_mut_obj_add_obj(log->doc, physical, "region");
    yyjson_mut_obj_add_uint(log->doc, region, "startLine", finding->line > 0 ? finding->line : 1);
    if (finding->line == 0) return;
    if (last <= finding->line && add_columns(log, region, finding)) return;
    if (last > finding->line && finding->end_column == 1) last--; /* nothing of that line */
    if (last > finding->line) yyjson_mut_obj_add_uint(log->doc, region, "endLine", last);
}

static void add_location(struct log *log, yyjson_mut_val *result, const struct finding *finding)
{
    yyjson_mut_val *list = yyjson_mut_obj_add_arr(log->doc, result, "locations");
    yyjson_mut_val *location = yyjson_mut_arr_add_obj(log->doc, list);
    yyjson_mut_val *physical = yyjson_mut_obj_add_obj(log->doc, location, "physicalLocation");

    if (add_artifact(log, physical, finding->file)) add_region(log, physical, finding);
    else add_region(log, physical, &(struct finding){ .line = 0 });
}

/* ---- fixes ---- */

static void add_base64(struct log *log, yyjson_mut_val *object, const char *key, struct str bytes)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    struct buf out;

    buf_init(&out, bytes.size / 3 * 4 + 4);
    for (size_t i = 0; i < bytes.size; i += 3) {
        uint32_t group = 0;

        for (size_t k = 0; k < 3; k++) {
            group = group << 8 | (i + k < bytes.size ? (unsigned char)bytes.data[i + k] : 0);
        }
        for (size_t k = 0; k < 4; k++) {
            bool there = k < 2 || i + k - 1 < bytes.size;
            buf_byte(&out, there ? digits[group >> (18 - 6 * k) & 63] : '=');
        }
    }
    add_text(log, object, key, buf_str(&out));
    buf_release(&out);
}

static void add_edit(struct log *log, yyjson_mut_val *list, const struct edit *edit)
{
    yyjson_mut_val *replacement = yyjson_mut_arr_add_obj(log->doc, list);
    yyjson_mut_val *region = yyjson_mut_obj_add_obj(log->doc, replacement, "deletedRegion");
    yyjson_mut_val *content;

    yyjson_mut_obj_add_uint(log->doc, region, "byteOffset", edit->start);
    yyjson_mut_obj_add_uint(log->doc, region, "byteLength", edit->end - edit->start);
    content = yyjson_mut_obj_add_obj(log->doc, replacement, "insertedContent");
    add_text(log, content, "text", edit->text);
    add_base64(log, content, "binary", edit->text);
}

/* The edits of one file that follow one another. */
static uint32_t add_change(struct log *log, yyjson_mut_val *changes, const struct fix *fix,
                           uint32_t at)
{
    yyjson_mut_val *change = yyjson_mut_arr_add_obj(log->doc, changes);
    const struct edit *first = &fix->edits[at];
    yyjson_mut_val *list, *properties;
    char hex[17];

    add_artifact(log, change, first->file);
    list = yyjson_mut_obj_add_arr(log->doc, change, "replacements");
    for (; at < fix->count && str_eq(fix->edits[at].file, first->file) &&
           fix->edits[at].hash == first->hash; at++) {
        add_edit(log, list, &fix->edits[at]);
    }
    (void)snprintf(hex, sizeof hex, "%016" PRIx64, first->hash);
    properties = yyjson_mut_obj_add_obj(log->doc, change, "properties");
    add_text(log, properties, "contentHash", str_of(hex));
    return at;
}

/* What cannot be read as fixes is left out. */
static void add_fixes(struct log *log, yyjson_mut_val *result, struct str json)
{
    struct arena arena = { NULL };
    struct fixes fixes;
    struct err err;
    yyjson_mut_val *list;

    if (json.size > 0 && json.size <= FIX_BYTES_MAX &&
        fixes_read(json, &arena, &fixes, &err) == 0 && fixes.count > 0) {
        list = yyjson_mut_obj_add_arr(log->doc, result, "fixes");
        for (uint32_t i = 0; i < fixes.count; i++) {
            yyjson_mut_val *fix = yyjson_mut_arr_add_obj(log->doc, list);
            yyjson_mut_val *changes;

            if (fixes.items[i].text.size > 0) {
                add_message(log, fix, "description", fixes.items[i].text);
            }
            changes = yyjson_mut_obj_add_arr(log->doc, fix, "artifactChanges");
            for (uint32_t at = 0; at < fixes.items[i].count;) {
                at = add_change(log, changes, &fixes.items[i], at);
            }
        }
    }
    arena_release(&arena);
}

/* What the repair did that fixed it. */
static void add_repair(struct log *log, yyjson_mut_val *result, const struct ledger_entry *entry)
{
    const struct listing_fix *fix = listing_fix(log->listing, entry);
    yyjson_mut_val *object, *list;

    if (!fix || fix->round == 0) return;
    object = yyjson_mut_arr_add_obj(log->doc, yyjson_mut_obj_add_arr(log->doc, result, "fixes"));
    add_message(log, object, "description",
                str_of(arena_printf(&log->arena, "What the fix of round %" PRIu32 " did here, in "
                                    "the file as it was then.", fix->round)));
    list = yyjson_mut_obj_add_arr(log->doc, object, "artifactChanges");
    object = yyjson_mut_arr_add_obj(log->doc, list);
    add_artifact(log, object, fix->edits[0].file);
    list = yyjson_mut_obj_add_arr(log->doc, object, "replacements");
    for (uint32_t i = 0; i < fix->count; i++) {
        const struct listing_edit *edit = &fix->edits[i];
        yyjson_mut_val *replacement = yyjson_mut_arr_add_obj(log->doc, list);
        yyjson_mut_val *region = yyjson_mut_obj_add_obj(log->doc, replacement, "deletedRegion");

        yyjson_mut_obj_add_uint(log->doc, region, "startLine", edit->line);
        yyjson_mut_obj_add_uint(log->doc, region, "startColumn", edit->column);
        yyjson_mut_obj_add_uint(log->doc, region, "endLine", edit->end_line);
        yyjson_mut_obj_add_uint(log->doc, region, "endColumn", edit->end_column);
        add_message(log, replacement, "insertedContent", edit->text);
    }
    object = yyjson_mut_obj_add_obj(log->doc, object, "properties");
    yyjson_mut_obj_add_bool(log->doc, object, "made", true);
}

/* ---- other places ---- */

static void add_step(struct log *log, yyjson_mut_val *location, struct str file, uint32_t line,
                     struct str text)
{
    yyjson_mut_val *physical = yyjson_mut_obj_add_obj(log->doc, location, "physicalLocation");
    yyjson_mut_val *region;

    (void)add_artifact(log, physical, file);
    region = yyjson_mut_obj_add_obj(log->doc, physical, "region");
    yyjson_mut_obj_add_uint(log->doc, region, "startLine", line > 0 ? line : 1);
    if (text.size > 0) add_message(log, location, "message", str_head(text, NAME_BYTES_MAX));
}

/* Whether what a tool says beside its message is the way to the fault, step by step. */
static bool is_path(const struct finding *finding)
{
    return str_starts(finding->kind, STR("-Wanalyzer-")) ||
           str_starts(finding->tool, STR("cppcheck"));
}

static void add_flow(struct log *log, yyjson_mut_val *result, const struct finding *finding)
{
    struct str rest = finding->suggestion, text, file;
    yyjson_mut_val *list, *object;
    uint32_t line = 0, count = 0;

    list = yyjson_mut_arr(log->doc);
    while (count < STEPS_MAX && hint_cut(&rest, &text, &file, &line)) {
        object = yyjson_mut_arr_add_obj(log->doc, list);
        add_step(log, yyjson_mut_obj_add_obj(log->doc, object, "location"),
                 file.size > 0 ? file : finding->file, line, text);
        count++;
    }
    if (count == 0) return;
    if (line != finding->line) { /* else the last step says it */
        object = yyjson_mut_arr_add_obj(log->doc, list);
        add_step(log, yyjson_mut_obj_add_obj(log->doc, object, "location"), finding->file,
                 finding->line, finding->text);
    }
    object = yyjson_mut_arr_add_obj(log->doc, yyjson_mut_obj_add_arr(log->doc, result,
                                                                     "codeFlows"));
    object = yyjson_mut_arr_add_obj(log->doc, yyjson_mut_obj_add_arr(log->doc, object,
                                                                     "threadFlows"));
    yyjson_mut_obj_add_val(log->doc, object, "locations", list);
}

static yyjson_mut_val *new_related(struct log *log, yyjson_mut_val *list)
{
    yyjson_mut_val *location = yyjson_mut_arr_add_obj(log->doc, list);

    yyjson_mut_obj_add_uint(log->doc, location, "id", yyjson_mut_arr_size(list));
    return location;
}

/* Where a tool's notes are, and where others reported the same. */
static void add_related(struct log *log, yyjson_mut_val *result, const struct ledger_entry *entry)
{
    const struct finding *finding = &entry->finding;
    struct str rest = finding->suggestion, text, file;
    yyjson_mut_val *list = yyjson_mut_arr(log->doc);
    uint32_t line;

    while (finding->tool.size > 0 && yyjson_mut_arr_size(list) < PLACES_MAX &&
           hint_cut(&rest, &text, &file, &line)) {
        add_step(log, new_related(log, list), file.size > 0 ? file : finding->file, line, text);
    }
    for (uint32_t i = 0; i < entry->vote_count && yyjson_mut_arr_size(list) < PLACES_MAX; i++) {
        const struct vote *vote = &entry->votes[i];
        const struct finding *other = &vote->finding;

        if (vote->round != entry->round_last || other->line == 0 || other->file.size == 0) continue;
        if (other->line == finding->line && str_eq(other->file, finding->file)) continue;
        text = str_of(arena_printf(&log->arena, "%s: %.*s", listing_voter(log->listing, vote),
                                   STR_ARG(str_head(other->text, NAME_BYTES_MAX / 2))));
        add_step(log, new_related(log, list), other->file, other->line, text);
    }
    if (yyjson_mut_arr_size(list) == 0) return;
    yyjson_mut_obj_add_val(log->doc, result, "relatedLocations", list);
}

/* ---- results ---- */

/* "[text](target)" would be a link: its bracket is escaped as the specification has it. */
static void add_words(struct log *log, yyjson_mut_val *result, const struct finding *finding)
{
    struct str text = str_head(finding->text, TEXT_BYTES_MAX);
    struct buf out;
    bool links = false;

    if (text.size == 0) text = finding->kind.size > 0 ? finding->kind : STR("(no text)");
    for (size_t i = 1; i < text.size && !links; i++) {
        links = text.data[i - 1] == ']' && text.data[i] == '(';
    }
    buf_init(&out, 2 * text.size + 8);
    for (size_t i = 0; i < text.size; i++) {
        if (links && (text.data[i] == '[' || text.data[i] == ']')) buf_byte(&out, '\\');
        buf_byte(&out, text.data[i]);
    }
    if (text.size < finding->text.size) buf_text(&out, "...");
    add_message(log, result, "message", buf_str(&out));
    buf_release(&out);
}

/* Of what is noted or waived: whether an earlier round had it. */
static const char *baseline_state(const struct ledger_entry *entry)
{
    switch (entry->state) {
    case FINDING_NEW: return "new";
    case FINDING_PERSISTING:
    case FINDING_PARKED: return "unchanged";
    case FINDING_REGRESSED: return "updated";
    case FINDING_FIXED: return "absent";
    case FINDING_NOTED:
    case FINDING_WAIVED:
    case FINDING_STATE_COUNT: break;
    }
    return entry->rounds_seen > 1 ? "unchanged" : "new";
}

/* An empty list says that it is not suppressed. */
static void add_suppressions(struct log *log, yyjson_mut_val *result,
                             const struct ledger_entry *entry)
{
    yyjson_mut_val *list = yyjson_mut_obj_add_arr(log->doc, result, "suppressions");
    struct str reason = listing_reason(log->listing, entry);
    yyjson_mut_val *object;

    if (entry->state != FINDING_WAIVED) return;
    object = yyjson_mut_arr_add_obj(log->doc, list);
    add_text(log, object, "kind", STR("external"));
    add_text(log, object, "status", STR("accepted"));
    if (reason.size > 0) add_text(log, object, "justification", reason);
}

static void add_votes(struct log *log, yyjson_mut_val *object, const struct ledger_entry *entry)
{
    yyjson_mut_val *list = yyjson_mut_obj_add_arr(log->doc, object, "votes");

    for (uint32_t i = 0; i < entry->vote_count; i++) {
        const struct vote *vote = &entry->votes[i];
        yyjson_mut_val *item = yyjson_mut_arr_add_obj(log->doc, list);

        add_text(log, item, "role", str_of(listing_voter(log->listing, vote)));
        add_text(log, item, "by", vote->by);
        yyjson_mut_obj_add_uint(log->doc, item, "round", vote->round);
    }
}

static void add_properties(struct log *log, yyjson_mut_val *result,
                           const struct ledger_entry *entry)
{
    yyjson_mut_val *object = yyjson_mut_obj_add_obj(log->doc, result, "properties");
    const struct finding *finding = &entry->finding;

    add_text(log, object, "role", str_of(listing_role(log->listing, entry)));
    if (finding->tool.size > 0) add_text(log, object, "tools", finding->tool);
    add_text(log, object, "severity", str_of(severity_word(finding->severity)));
    add_text(log, object, "state", str_of(finding_state_word(entry->state)));
    yyjson_mut_obj_add_uint(log->doc, object, "roundFirst", entry->round_first);
    yyjson_mut_obj_add_uint(log->doc, object, "roundLast", entry->round_last);
    yyjson_mut_obj_add_uint(log->doc, object, "roundsSeen", entry->rounds_seen);
    yyjson_mut_obj_add_uint(log->doc, object, "tries", entry->tries);
    if (entry->cause_round > 0) {
        yyjson_mut_obj_add_uint(log->doc, object, "causeRound", entry->cause_round);
    }
    add_votes(log, object, entry);
    if (finding->file.size > 0 && !path_below(listing_below(log->listing, finding->file))) {
        add_text(log, object, "file", finding->file);
    }
    if (finding->line == 0) yyjson_mut_obj_add_bool(log->doc, object, "wholeFile", true);
    if (finding->evidence.size > 0) {
        add_text(log, object, "evidence", str_head(finding->evidence, TEXT_BYTES_MAX / 2));
    }
    if (finding->suggestion.size > 0) {
        add_text(log, object, "suggestion", str_head(finding->suggestion, TEXT_BYTES_MAX / 2));
    }
}

static void add_result(struct log *log, yyjson_mut_val *list, uint32_t item)
{
    const struct ledger_entry *entry = log->listing->items[item];
    yyjson_mut_val *result = yyjson_mut_arr_add_obj(log->doc, list);
    yyjson_mut_val *prints;
    char hex[32];

    add_text(log, result, "ruleId", log->ids[item]);
    yyjson_mut_obj_add_uint(log->doc, result, "ruleIndex", rule_index(log, log->ids[item]));
    if (entry->state == FINDING_FIXED) {
        add_text(log, result, "kind", STR("pass"));
        add_text(log, result, "level", STR("none"));
    } else if (entry->state == FINDING_NOTED) {
        add_text(log, result, "kind", STR("informational"));
        add_text(log, result, "level", STR("none"));
    } else {
        add_text(log, result, "level", str_of(levels[entry->finding.severity]));
    }
    add_words(log, result, &entry->finding);
    add_location(log, result, &entry->finding);
    (void)snprintf(hex, sizeof hex, "%016" PRIx64 ":%" PRIu32, entry->fingerprint,
                   entry->ordinal + 1);
    prints = yyjson_mut_obj_add_obj(log->doc, result, "partialFingerprints");
    add_text(log, prints, "hone/v1", str_of(hex));
    prints = yyjson_mut_obj_add_obj(log->doc, result, "fingerprints");
    add_text(log, prints, "hone/id/v1", str_of(listing_id(entry, true, hex)));
    add_text(log, result, "baselineState", str_of(baseline_state(entry)));
    add_suppressions(log, result, entry);
    if (is_path(&entry->finding)) add_flow(log, result, &entry->finding);
    else add_related(log, result, entry);
    if (finding_is_open(entry->state)) add_fixes(log, result, entry->finding.fix);
    else if (entry->state == FINDING_FIXED) add_repair(log, result, entry);
    add_properties(log, result, entry);
}

/* ---- the invocation ---- */

/* What text says, and the text is empty again. */
static yyjson_mut_val *add_notification(struct log *log, yyjson_mut_val *list, const char *level,
                                        struct buf *text)
{
    yyjson_mut_val *note = yyjson_mut_arr_add_obj(log->doc, list);

    add_text(log, note, "level", str_of(level));
    add_message(log, note, "message", str_head(buf_str(text), TEXT_BYTES_MAX));
    buf_clear(text);
    return note;
}

static void add_dead(struct log *log, yyjson_mut_val *list, struct buf *text)
{
    uint32_t said = 0;

    for (uint32_t i = 0; i < log->listing->look_count && said < LOOKS_MAX; i++) {
        const struct listing_look *look = &log->listing->looks[i];

        buf_printf(text, "The reviewer %s: ", look->role);
        if (look_problem_say(look, text)) {
            (void)add_notification(log, list, "error", text);
            said++;
        }
        buf_clear(text);
    }
}

static void add_notifications(struct log *log, yyjson_mut_val *invocation)
{
    const struct coverage *coverage = &log->listing->coverage;
    yyjson_mut_val *list = yyjson_mut_arr(log->doc);
    struct buf text;

    buf_init(&text, SIZE_MAX / 4);
    listing_end_say(log->listing, &text);
    if (text.size > 0) (void)add_notification(log, list, "error", &text);
    add_dead(log, list, &text);
    for (uint32_t i = 0; i < coverage->unlooked_count && i < LISTING_UNLOOKED_MAX; i++) {
        yyjson_mut_val *note, *place;

        unlooked_say_one(&coverage->unlooked[i], &text);
        note = add_notification(log, list, "error", &text);
        place = yyjson_mut_arr_add_obj(log->doc, yyjson_mut_obj_add_arr(log->doc, note,
                                                                        "locations"));
        add_artifact(log, yyjson_mut_obj_add_obj(log->doc, place, "physicalLocation"),
                     coverage->unlooked[i].file);
    }
    listing_left_say(log->listing, &text);
    if (text.size > 0) (void)add_notification(log, list, "warning", &text);
    buf_release(&text);
    if (yyjson_mut_arr_size(list) == 0) return;
    yyjson_mut_obj_add_val(log->doc, invocation, "toolExecutionNotifications", list);
}

static void add_invocation(struct log *log, yyjson_mut_val *run)
{
    const struct listing *listing = log->listing;
    yyjson_mut_val *list = yyjson_mut_obj_add_arr(log->doc, run, "invocations");
    yyjson_mut_val *object = yyjson_mut_arr_add_obj(log->doc, list);

    yyjson_mut_obj_add_bool(log->doc, object, "executionSuccessful", !listing->unfinished);
    if (listing->unfinished) {
        add_text(log, object, "exitCodeDescription", str_of(listing->unfinished));
    }
    if (listing->began_ms > 0) json_add_time(log->doc, object, "startTimeUtc", listing->began_ms);
    if (listing->ended_ms > 0) json_add_time(log->doc, object, "endTimeUtc", listing->ended_ms);
    add_notifications(log, object);
}

static void add_source(struct log *log, yyjson_mut_val *run)
{
    const struct listing_source *source = &log->listing->source;
    yyjson_mut_val *list, *object, *base;

    if (!source->repository) return;
    list = yyjson_mut_obj_add_arr(log->doc, run, "versionControlProvenance");
    object = yyjson_mut_arr_add_obj(log->doc, list);
    add_text(log, object, "repositoryUri", str_of(source->repository));
    if (source->revision) add_text(log, object, "revisionId", str_of(source->revision));
    if (source->branch) add_text(log, object, "branch", str_of(source->branch));
    base = yyjson_mut_obj_add_obj(log->doc, object, "mappedTo");
    add_text(log, base, "uriBaseId", STR("%SRCROOT%"));
    base = yyjson_mut_obj_add_obj(log->doc, object, "properties");
    yyjson_mut_obj_add_bool(log->doc, base, "changedSince", source->changed);
}

static void add_run(struct log *log, yyjson_mut_val *runs)
{
    yyjson_mut_val *run = yyjson_mut_arr_add_obj(log->doc, runs);
    const struct listing *listing = log->listing;
    yyjson_mut_val *object, *list;

    object = yyjson_mut_obj_add_obj(log->doc, run, "tool");
    object = yyjson_mut_obj_add_obj(log->doc, object, "driver");
    add_text(log, object, "name", STR("hone"));
    add_text(log, object, "version", str_of(listing->version));
    add_text(log, object, "semanticVersion", str_of(listing->version));
    add_text(log, object, "informationUri", STR("man:hone(1)"));
    add_rules(log, object);
    add_invocation(log, run);
    add_source(log, run);
    object = yyjson_mut_obj_add_obj(log->doc, run, "automationDetails");
    yyjson_mut_obj_add_strcpy(log->doc, object, "id",
                              arena_printf(&log->arena, "hone/%s", listing->run));
    object = yyjson_mut_obj_add_obj(log->doc, run, "originalUriBaseIds");
    object = yyjson_mut_obj_add_obj(log->doc, object, "%SRCROOT%");
    add_message(log, object, "description", STR("The workspace that was reviewed."));
    add_text(log, run, "columnKind", STR("utf16CodeUnits"));
    list = yyjson_mut_obj_add_arr(log->doc, run, "results");
    for (uint32_t i = 0; i < listing->count; i++) add_result(log, list, i);
}

void sarif_write(const struct listing *listing, struct buf *out)
{
    struct log log = { .listing = listing, .doc = json_new() };
    yyjson_mut_val *root = yyjson_mut_obj(log.doc);

    yyjson_mut_doc_set_root(log.doc, root);
    add_text(&log, root, "$schema", STR("https://json.schemastore.org/sarif-2.1.0.json"));
    add_text(&log, root, "version", STR("2.1.0"));
    rules_collect(&log);
    add_run(&log, yyjson_mut_obj_add_arr(log.doc, root, "runs"));
    json_finish(log.doc, true, out);
    arena_release(&log.arena);
}
