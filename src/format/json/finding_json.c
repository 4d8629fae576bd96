/* SPDX-License-Identifier: Apache-2.0 */
#include "format/json/finding_json.h"

#include "format/json/members.h"
#include "format/text/words.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#define AT(member) .offset = offsetof(struct finding, member)

static const struct member finding_members[] = {
    { .key = "source", .type = MEMBER_TEXT, AT(source) },
    { .key = "tool", .type = MEMBER_TEXT, AT(tool) },
    { .key = "kind", .type = MEMBER_TEXT, AT(kind) },
    { .key = "file", .type = MEMBER_TEXT, AT(file) },
    { .key = "line", .type = MEMBER_U32, AT(line) },
    { .key = "column", .type = MEMBER_U32, AT(column) },
    { .key = "end_line", .type = MEMBER_U32, AT(end_line) },
    { .key = "end_column", .type = MEMBER_U32, AT(end_column) },
    { .key = "text", .type = MEMBER_TEXT, AT(text), .always = UINT32_MAX },
    { .key = "evidence", .type = MEMBER_TEXT, AT(evidence) },
    { .key = "suggestion", .type = MEMBER_TEXT, AT(suggestion) },
    { .key = "fix", .type = MEMBER_TEXT, AT(fix) },
    { .key = "say", .type = MEMBER_TEXT, AT(say) },
    { .key = NULL },
};

static const char *const severities[SEVERITY_COUNT] = {
    [SEVERITY_LOW] = "low",
    [SEVERITY_MEDIUM] = "medium",
    [SEVERITY_HIGH] = "high",
};

const char *severity_word(enum severity severity)
{
    assert((unsigned)severity < SEVERITY_COUNT);
    return severities[severity];
}

bool severity_from_word(struct str word, enum severity *out)
{
    uint32_t at = word_index(word, severities, SEVERITY_COUNT);

    if (at < SEVERITY_COUNT) *out = (enum severity)at;
    return at < SEVERITY_COUNT;
}

yyjson_mut_val *finding_write(yyjson_mut_doc *doc, const struct finding *finding)
{
    yyjson_mut_val *object = yyjson_mut_obj(doc);
    char hex[17];

    yyjson_mut_obj_add_str(doc, object, "severity", severity_word(finding->severity));
    members_write(doc, object, finding_members, finding, 1);
    (void)snprintf(hex, sizeof hex, "%016" PRIx64, finding->fingerprint);
    yyjson_mut_obj_add_strcpy(doc, object, "fingerprint", hex);
    return object;
}

static int read_severity(yyjson_val *object, enum severity *out, struct err *err)
{
    struct str word;
    int rc = member_word(object, "severity", true, &word, err);

    if (rc != 0) return rc;
    return severity_from_word(word, out) ? 0 : member_bad_word("severity", word, err);
}

int finding_read(yyjson_val *object, struct arena *arena, struct finding *out, struct err *err)
{
    int rc;

    *out = (struct finding){ 0 };
    if (!yyjson_is_obj(object)) return err_set(err, ERR_FORMAT, "it must be an object");
    rc = read_severity(object, &out->severity, err);
    if (rc != 0) return rc;
    rc = members_read(object, finding_members, arena, out, 1, err);
    if (rc != 0) return rc;
    return member_hash(object, "fingerprint", &out->fingerprint, err);
}

/* ---- how much was looked at ---- */

static const struct member coverage_members[] = {
    { .key = "files", .type = MEMBER_U32, .offset = offsetof(struct coverage, files) },
    { .key = "unbuilt", .type = MEMBER_U32, .offset = offsetof(struct coverage, unbuilt) },
    { .key = "generated", .type = MEMBER_U32, .offset = offsetof(struct coverage, generated) },
    { .key = "hint", .type = MEMBER_TEXT, .offset = offsetof(struct coverage, hint) },
    { .key = "older", .type = MEMBER_U32, .offset = offsetof(struct coverage, older) },
    { .key = "baseline", .type = MEMBER_U32, .offset = offsetof(struct coverage, baseline) },
    { .key = NULL },
};

static const struct member unlooked_members[] = {
    { .key = "file", .type = MEMBER_TEXT, .offset = offsetof(struct unlooked, file),
      .always = UINT32_MAX },
    { .key = "tool", .type = MEMBER_TEXT, .offset = offsetof(struct unlooked, tool) },
    { .key = "why", .type = MEMBER_TEXT, .offset = offsetof(struct unlooked, why) },
    { .key = NULL },
};

void coverage_write(yyjson_mut_doc *doc, yyjson_mut_val *object, const struct coverage *coverage)
{
    yyjson_mut_val *value = yyjson_mut_obj(doc), *list;

    members_write(doc, value, coverage_members, coverage, 1);
    if (coverage->unlooked_count > 0 || yyjson_mut_obj_size(value) > 0) {
        yyjson_mut_obj_add_val(doc, object, "coverage", value);
    }
    if (coverage->unlooked_count == 0) return;
    list = yyjson_mut_obj_add_arr(doc, value, "unlooked");
    for (uint32_t i = 0; i < coverage->unlooked_count; i++) {
        members_write(doc, yyjson_mut_arr_add_obj(doc, list), unlooked_members,
                      &coverage->unlooked[i], 1);
    }
}

int coverage_read(yyjson_val *object, struct arena *arena, struct coverage *out, struct err *err)
{
    yyjson_val *value = yyjson_obj_get(object, "coverage"), *list;
    struct unlooked *unlooked;
    yyjson_arr_iter items;
    int rc;

    *out = (struct coverage){ 0 };
    if (!value) return 0;
    if (!yyjson_is_obj(value)) return member_bad_type("coverage", "an object", err);
    rc = members_read(value, coverage_members, arena, out, 1, err);
    if (rc == 0) rc = member_list(value, "unlooked", &list, &out->unlooked_count, err);
    if (rc != 0 || !list) return rc;
    unlooked = arena_alloc(arena, out->unlooked_count * sizeof *unlooked);
    items = yyjson_arr_iter_with(list);
    for (uint32_t i = 0; rc == 0 && i < out->unlooked_count; i++) {
        yyjson_val *item = yyjson_arr_iter_next(&items);

        unlooked[i] = (struct unlooked){ 0 };
        if (!yyjson_is_obj(item)) return member_bad_type("unlooked", "a list of objects", err);
        rc = members_read(item, unlooked_members, arena, &unlooked[i], 1, err);
    }
    out->unlooked = unlooked;
    return rc;
}

void findings_write(const struct findings *findings, struct buf *out)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc);
    yyjson_mut_val *list;

    list = yyjson_mut_obj_add_arr(doc, root, "findings");
    for (uint32_t i = 0; i < findings->count; i++) {
        yyjson_mut_arr_append(list, finding_write(doc, &findings->items[i]));
    }
    list = yyjson_mut_obj_add_arr(doc, root, "notes");
    for (uint32_t i = 0; i < findings->note_count; i++) {
        yyjson_mut_arr_append(list, json_text(doc, findings->notes[i]));
    }
    if (findings->unseen) yyjson_mut_obj_add_bool(doc, root, "unseen", true);
    coverage_write(doc, root, &findings->coverage);
    json_finish(doc, false, out);
}

static int read_items(yyjson_val *root, struct arena *arena, struct findings *out, struct err *err)
{
    yyjson_arr_iter items;
    yyjson_val *list;
    int rc = member_list(root, "findings", &list, &out->count, err);

    if (rc != 0 || !list) return rc;
    if (out->count > FINDINGS_COUNT_MAX) {
        return err_set(err, ERR_LIMIT, "there are more than %d findings", FINDINGS_COUNT_MAX);
    }
    out->cap = out->count;
    out->items = arena_alloc(arena, out->count * sizeof *out->items);
    items = yyjson_arr_iter_with(list);
    for (uint32_t i = 0; i < out->count; i++) {
        rc = finding_read(yyjson_arr_iter_next(&items), arena, &out->items[i], err);
        if (rc != 0) return err_wrap(err, "finding %" PRIu32, i + 1);
        out->items[i].say = (struct str){ "", 0 }; /* a program does not speak for the user */
    }
    return 0;
}

static int read_notes(yyjson_val *root, struct arena *arena, struct findings *out, struct err *err)
{
    yyjson_arr_iter items;
    yyjson_val *list;
    int rc = member_list(root, "notes", &list, &out->note_count, err);

    if (rc != 0 || !list) return rc;
    out->note_cap = out->note_count;
    out->notes = arena_alloc(arena, out->note_count * sizeof *out->notes);
    items = yyjson_arr_iter_with(list);
    for (uint32_t i = 0; i < out->note_count; i++) {
        yyjson_val *note = yyjson_arr_iter_next(&items);
        if (!yyjson_is_str(note)) return member_bad_type("notes", "a list of strings", err);
        out->notes[i] = arena_copy(arena, json_value(note));
    }
    return 0;
}

int findings_read(struct str text, struct arena *arena, struct findings *out, struct err *err)
{
    yyjson_doc *doc;
    yyjson_val *root;
    int rc;

    *out = (struct findings){ 0 };
    rc = json_read(text, &doc, err);
    if (rc != 0) return rc;
    root = yyjson_doc_get_root(doc);
    if (!yyjson_is_obj(root) || !yyjson_obj_get(root, "findings")) {
        rc = err_set(err, ERR_FORMAT, "wanted: an object with \"findings\"");
    }
    if (rc == 0) rc = read_items(root, arena, out, err);
    if (rc == 0) rc = read_notes(root, arena, out, err);
    if (rc == 0) rc = coverage_read(root, arena, &out->coverage, err);
    if (rc == 0) out->unseen = yyjson_get_bool(yyjson_obj_get(root, "unseen"));
    yyjson_doc_free(doc);
    if (rc != 0) *out = (struct findings){ 0 };
    return rc;
}
