/* SPDX-License-Identifier: Apache-2.0
 *
 * event_json.c - an event as one line of JSON, and back.
 *
 *     {"event":"ended","at":1763195000000,"job":3,"attempt":1,"verdict":"findings","findings":
 *      [{"severity":"high","source":"critic","file":"a.c","line":7,"text":"...","fingerprint":
 *      "00c0ffee00c0ffee"}],"doc":"..."}
 *
 * Plain members are rows of two tables, which the writer and the reader share: what one knows the
 * other knows. Words, findings and groups are written out.
 *
 * 1. Nothing of an event is lost: a replay must see what the live engine saw.
 * 2. A member that is 0, false or empty is left out, unless its kind of event lives by it
 *    (`always`); the reader asks for those, and takes the others as 0.
 * 3. A member of another type or range is refused, by its name; members nobody knows are ignored.
 *
 * Not here: whether the event makes sense at this moment (the engine's affair). */
#include "format/event_json.h"

#include "format/json.h"
#include "format/safe.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

enum member_type { MEMBER_U32, MEMBER_U64, MEMBER_BOOL, MEMBER_TEXT };

#define BIT(kind) (1u << (kind))

/* One plain member of a struct. */
struct member {
    const char *key;
    enum member_type type;
    size_t offset;
    uint32_t always; /* kinds of event that always have it, as bits */
};

static const struct member event_members[] = {
    { .key = "at", .type = MEMBER_U64, .offset = offsetof(struct event, now_ms),
      .always = UINT32_MAX },
    { .key = "job", .type = MEMBER_U32, .offset = offsetof(struct event, job),
      .always = BIT(EV_ENDED) },
    { .key = "attempt", .type = MEMBER_U32, .offset = offsetof(struct event, attempt),
      .always = BIT(EV_ENDED) },
    { .key = "lane", .type = MEMBER_U32, .offset = offsetof(struct event, lane),
      .always = BIT(EV_ANSWER) | BIT(EV_DRIFT) },
    { .key = "permanent", .type = MEMBER_BOOL, .offset = offsetof(struct event, result.permanent) },
    { .key = "complete", .type = MEMBER_BOOL, .offset = offsetof(struct event, result.complete) },
    { .key = "stuck", .type = MEMBER_BOOL, .offset = offsetof(struct event, result.stuck) },
    { .key = "fix_groups", .type = MEMBER_U32,
      .offset = offsetof(struct event, result.fix_groups) },
    { .key = "retry_at", .type = MEMBER_U64, .offset = offsetof(struct event, result.retry_at_ms) },
    { .key = "problem", .type = MEMBER_TEXT, .offset = offsetof(struct event, result.problem) },
    { .key = "doc", .type = MEMBER_TEXT, .offset = offsetof(struct event, result.doc) },
    { .key = NULL },
};

static const struct member finding_members[] = {
    { .key = "source", .type = MEMBER_TEXT, .offset = offsetof(struct finding, source) },
    { .key = "kind", .type = MEMBER_TEXT, .offset = offsetof(struct finding, kind) },
    { .key = "file", .type = MEMBER_TEXT, .offset = offsetof(struct finding, file) },
    { .key = "line", .type = MEMBER_U32, .offset = offsetof(struct finding, line) },
    { .key = "text", .type = MEMBER_TEXT, .offset = offsetof(struct finding, text),
      .always = UINT32_MAX },
    { .key = "evidence", .type = MEMBER_TEXT, .offset = offsetof(struct finding, evidence) },
    { .key = "suggestion", .type = MEMBER_TEXT, .offset = offsetof(struct finding, suggestion) },
    { .key = NULL },
};

static const char *const severities[SEVERITY_COUNT] = {
    [SEVERITY_LOW] = "low",
    [SEVERITY_MEDIUM] = "medium",
    [SEVERITY_HIGH] = "high",
};

/* ---- writing ---- */

static void write_members(yyjson_mut_doc *doc, yyjson_mut_val *object,
                          const struct member *member, const void *from, uint32_t kind_bit)
{
    for (; member->key; member++) {
        const void *at = (const char *)from + member->offset;
        bool always = (member->always & kind_bit) != 0;

        switch (member->type) {
        case MEMBER_U32: {
            uint32_t value = *(const uint32_t *)at;
            if (value || always) yyjson_mut_obj_add_uint(doc, object, member->key, value);
            break;
        }
        case MEMBER_U64: {
            uint64_t value = *(const uint64_t *)at;
            if (value || always) yyjson_mut_obj_add_uint(doc, object, member->key, value);
            break;
        }
        case MEMBER_BOOL: {
            bool value = *(const bool *)at;
            if (value || always) yyjson_mut_obj_add_bool(doc, object, member->key, value);
            break;
        }
        case MEMBER_TEXT: {
            struct str value = *(const struct str *)at;
            if (value.size || always) {
                yyjson_mut_obj_add_val(doc, object, member->key, json_text(doc, value));
            }
            break;
        }
        }
    }
}

static void write_finding(yyjson_mut_doc *doc, yyjson_mut_val *list,
                          const struct finding *finding)
{
    yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list);
    char hex[17];

    assert((unsigned)finding->severity < SEVERITY_COUNT);
    yyjson_mut_obj_add_str(doc, object, "severity", severities[finding->severity]);
    write_members(doc, object, finding_members, finding, 1);
    (void)snprintf(hex, sizeof hex, "%016" PRIx64, finding->fingerprint);
    yyjson_mut_obj_add_strcpy(doc, object, "fingerprint", hex);
}

static void write_lists(yyjson_mut_doc *doc, yyjson_mut_val *root, const struct result *result)
{
    if (result->finding_count) {
        yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, root, "findings");
        for (uint32_t i = 0; i < result->finding_count; i++) {
            write_finding(doc, list, &result->findings[i]);
        }
    }
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
    yyjson_mut_val *root = yyjson_mut_obj(doc);

    assert((unsigned)event->kind < EV_COUNT);
    yyjson_mut_doc_set_root(doc, root);
    yyjson_mut_obj_add_str(doc, root, "event", event_word(event->kind));
    write_members(doc, root, event_members, event, BIT(event->kind));
    if (event->kind == EV_ANSWER || event->choice) {
        yyjson_mut_obj_add_str(doc, root, "choice", choice_word(event->choice));
    }
    if (event->kind == EV_ENDED || result->verdict) {
        yyjson_mut_obj_add_str(doc, root, "verdict", verdict_word(result->verdict));
    }
    if (result->failure) {
        yyjson_mut_obj_add_str(doc, root, "failure", failure_word(result->failure));
    }
    write_lists(doc, root, result);
    json_write(doc, false, out);
    yyjson_mut_doc_free(doc);
}

/* ---- reading ---- */

static int bad_type(const char *key, const char *wanted, struct err *err)
{
    return err_set(err, ERR_FORMAT, "\"%s\" must be %s", key, wanted);
}

static int read_number(yyjson_val *value, const struct member *member, void *at, struct err *err)
{
    uint64_t max = member->type == MEMBER_U32 ? UINT32_MAX : UINT64_MAX;
    uint64_t number = yyjson_get_uint(value);

    if (!yyjson_is_uint(value) || number > max) {
        return err_set(err, ERR_FORMAT, "\"%s\" must be a whole number from 0 to %" PRIu64,
                       member->key, max);
    }
    if (member->type == MEMBER_U32) *(uint32_t *)at = (uint32_t)number;
    else *(uint64_t *)at = number;
    return 0;
}

static int read_member(yyjson_val *value, const struct member *member, struct arena *arena,
                       void *at, struct err *err)
{
    switch (member->type) {
    case MEMBER_U32:
    case MEMBER_U64:
        return read_number(value, member, at, err);
    case MEMBER_BOOL:
        if (!yyjson_is_bool(value)) return bad_type(member->key, "true or false", err);
        *(bool *)at = yyjson_get_bool(value);
        return 0;
    case MEMBER_TEXT:
        if (!yyjson_is_str(value)) return bad_type(member->key, "a string", err);
        *(struct str *)at = arena_copy(arena, (struct str){ yyjson_get_str(value),
                                                            yyjson_get_len(value) });
        return 0;
    }
    return 0;
}

static int read_members(yyjson_val *object, const struct member *member, struct arena *arena,
                        void *into, uint32_t kind_bit, struct err *err)
{
    for (; member->key; member++) {
        yyjson_val *value = yyjson_obj_get(object, member->key);
        int rc;

        if (!value && (member->always & kind_bit)) {
            return err_set(err, ERR_FORMAT, "\"%s\" is missing", member->key);
        }
        if (!value) continue;
        rc = read_member(value, member, arena, (char *)into + member->offset, err);
        if (rc != 0) return rc;
    }
    return 0;
}

/* A member that holds one of some fixed words. Missing and not needed: *out has data NULL. */
static int read_word(yyjson_val *object, const char *key, bool needed, struct str *out,
                     struct err *err)
{
    yyjson_val *value = yyjson_obj_get(object, key);

    *out = json_str(object, key);
    if (!value && needed) return err_set(err, ERR_FORMAT, "\"%s\" is missing", key);
    if (value && !yyjson_is_str(value)) return bad_type(key, "a string", err);
    return 0;
}

static int bad_word(const char *key, struct str word, struct err *err)
{
    struct buf shown;
    int rc;

    buf_init(&shown, 64);
    safe_text(&shown, word, true, 40);
    rc = err_set(err, ERR_FORMAT, "\"%s\" cannot be \"%s\"", key, buf_cstr(&shown));
    buf_release(&shown);
    return rc;
}

static int read_words(yyjson_val *root, struct event *out, struct err *err)
{
    struct str word;
    int rc;

    rc = read_word(root, "choice", out->kind == EV_ANSWER, &word, err);
    if (rc != 0) return rc;
    if (word.data && !choice_from_word(word, &out->choice)) return bad_word("choice", word, err);

    rc = read_word(root, "verdict", out->kind == EV_ENDED, &word, err);
    if (rc != 0) return rc;
    if (word.data && !verdict_from_word(word, &out->result.verdict)) {
        return bad_word("verdict", word, err);
    }

    rc = read_word(root, "failure", false, &word, err);
    if (rc != 0) return rc;
    if (word.data && !failure_from_word(word, &out->result.failure)) {
        return bad_word("failure", word, err);
    }
    return 0;
}

static int read_severity(yyjson_val *object, enum severity *out, struct err *err)
{
    struct str word;
    int rc = read_word(object, "severity", true, &word, err);

    if (rc != 0) return rc;
    for (int i = 0; i < SEVERITY_COUNT; i++) {
        if (str_is(word, severities[i])) {
            *out = (enum severity)i;
            return 0;
        }
    }
    return bad_word("severity", word, err);
}

static int read_fingerprint(yyjson_val *object, uint64_t *out, struct err *err)
{
    struct str hex;
    uint64_t value = 0;
    int rc = read_word(object, "fingerprint", true, &hex, err);

    if (rc != 0) return rc;
    if (hex.size != 16) return bad_type("fingerprint", "16 hexadecimal digits", err);
    for (size_t i = 0; i < hex.size; i++) {
        char byte = hex.data[i];
        bool digit = byte >= '0' && byte <= '9';

        if (!digit && (byte < 'a' || byte > 'f')) {
            return bad_type("fingerprint", "16 hexadecimal digits", err);
        }
        value = value << 4 | (uint64_t)(digit ? byte - '0' : byte - 'a' + 10);
    }
    *out = value;
    return 0;
}

static int read_finding(yyjson_val *object, struct arena *arena, struct finding *out,
                        struct err *err)
{
    int rc;

    if (!yyjson_is_obj(object)) return err_set(err, ERR_FORMAT, "it must be an object");
    rc = read_severity(object, &out->severity, err);
    if (rc != 0) return rc;
    rc = read_members(object, finding_members, arena, out, 1, err);
    if (rc != 0) return rc;
    return read_fingerprint(object, &out->fingerprint, err);
}

/* An optional list: *list is NULL when it is missing or empty, and *count its length. */
static int read_list(yyjson_val *root, const char *key, yyjson_val **list, uint32_t *count,
                     struct err *err)
{
    *list = yyjson_obj_get(root, key);
    *count = 0;
    if (!*list) return 0;
    if (!yyjson_is_arr(*list) || yyjson_arr_size(*list) > UINT32_MAX) {
        return bad_type(key, "a list", err);
    }
    *count = (uint32_t)yyjson_arr_size(*list);
    if (*count == 0) *list = NULL;
    return 0;
}

static int read_findings(yyjson_val *root, struct arena *arena, struct result *out,
                         struct err *err)
{
    struct finding *findings;
    yyjson_arr_iter items;
    yyjson_val *list;
    int rc = read_list(root, "findings", &list, &out->finding_count, err);

    if (rc != 0 || !list) return rc;
    findings = arena_alloc(arena, out->finding_count * sizeof *findings);
    items = yyjson_arr_iter_with(list);
    for (uint32_t i = 0; i < out->finding_count; i++) {
        rc = read_finding(yyjson_arr_iter_next(&items), arena, &findings[i], err);
        if (rc != 0) return err_wrap(err, "finding %" PRIu32, i + 1);
    }
    out->findings = findings;
    return 0;
}

static int read_groups(yyjson_val *root, struct arena *arena, struct result *out, struct err *err)
{
    static const struct member size = { .key = "groups", .type = MEMBER_U32 };
    uint32_t *groups;
    yyjson_arr_iter items;
    yyjson_val *list;
    int rc = read_list(root, "groups", &list, &out->group_count, err);

    if (rc != 0 || !list) return rc;
    groups = arena_alloc(arena, out->group_count * sizeof *groups);
    items = yyjson_arr_iter_with(list);
    for (uint32_t i = 0; i < out->group_count; i++) {
        rc = read_number(yyjson_arr_iter_next(&items), &size, &groups[i], err);
        if (rc != 0) return err_wrap(err, "group %" PRIu32, i + 1);
    }
    out->groups = groups;
    return 0;
}

static int read_event(yyjson_val *root, struct arena *arena, struct event *out, struct err *err)
{
    struct str word;
    int rc;

    if (!yyjson_is_obj(root)) return err_set(err, ERR_FORMAT, "an event must be an object");
    rc = read_word(root, "event", true, &word, err);
    if (rc != 0) return rc;
    if (!event_from_word(word, &out->kind)) return bad_word("event", word, err);
    rc = read_members(root, event_members, arena, out, BIT(out->kind), err);
    if (rc == 0) rc = read_words(root, out, err);
    if (rc == 0) rc = read_findings(root, arena, &out->result, err);
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
