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
    if (rc == 0) out->unseen = yyjson_get_bool(yyjson_obj_get(root, "unseen"));
    yyjson_doc_free(doc);
    if (rc != 0) *out = (struct findings){ 0 };
    return rc;
}
