/* SPDX-License-Identifier: Apache-2.0
 *
 * shape.c - JSON against tables.
 *
 * 1. The walk that tells lines moves beside the parsed value, member by member: work is linear in
 *    the text.
 * 2. It goes as deep as the tables do, which is never deeper than JSON_DEPTH_MAX.
 * 3. A message names the member by its way from the top: runs[0].results[3].level. */
#include "dialect/shape/shape.h"

#include "dialect/review/r1.h"
#include "format/json/json_walk.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { WAY_BYTES = 200, FIELDS_MAX = 32 };

/* One step of the way from the top to a value. */
struct step {
    const struct step *up;
    struct str key; /* empty: an element */
    size_t index;
};

struct looking {
    struct check_report *report;
    const struct shape *shape; /* of the object the value is a member of */
    const struct field *field;
    struct step step;          /* to the value */
    uint32_t line;             /* where it stands */
};

static void check_object(const struct shape *shape, yyjson_val *value, struct json_walk *walk,
                         const struct step *step, struct check_report *report);

static void add_step(struct buf *out, const struct step *step)
{
    if (step->up) add_step(out, step->up);
    if (step->key.size == 0 && step->up) {
        buf_printf(out, "[%zu]", step->index);
    } else {
        buf_printf(out, "%s%.*s", out->size && step->key.size ? "." : "", STR_ARG(step->key));
    }
}

static const char *way_to(const struct step *step, char out[WAY_BYTES])
{
    struct buf way;

    buf_init(&way, 64 * 1024);
    add_step(&way, step);
    snprintf(out, WAY_BYTES, "%s", way.size ? buf_cstr(&way) : "it");
    buf_release(&way);
    return out;
}

static void bad_type(const struct looking *at, yyjson_val *value, const char *wanted)
{
    char way[WAY_BYTES], shown[R1_SHOWN_BYTES];

    check_report_add(at->report, "bad-type", at->line, "%s is %s: wanted %s",
                     way_to(&at->step, way), r1_show(value, shown), wanted);
}

/* protobuf's JSON has whole numbers as texts and as 1.0, too, and none beyond 32 bits. */
static bool is_number(const struct looking *at, yyjson_val *value)
{
    struct str text = json_value(value);
    bool protobuf = at->shape->protobuf;
    int least = at->field->least;
    double real = yyjson_get_real(value);
    uint64_t number = yyjson_get_uint(value);

    if (yyjson_is_sint(value)) return yyjson_get_sint(value) >= least;
    if (protobuf && yyjson_is_real(value)) {
        return real >= least && real <= INT32_MAX && real == (double)(int64_t)real;
    }
    if (protobuf && yyjson_is_str(value)) {
        if (!str_number(text, &number)) return false;
    } else if (!yyjson_is_uint(value)) {
        return false;
    }
    return (least <= 0 || number >= (uint64_t)least) && (!protobuf || number <= INT32_MAX);
}

static void check_number(const struct looking *at, yyjson_val *value)
{
    char way[WAY_BYTES], shown[R1_SHOWN_BYTES];

    if (is_number(at, value)) return;
    check_report_add(at->report, "bad-number", at->line,
                     "%s is %s: wanted a whole number from %d", way_to(&at->step, way),
                     r1_show(value, shown), at->field->least);
}

static void check_word(const struct looking *at, yyjson_val *value)
{
    enum { WORDS_BYTES = 200 };
    char way[WAY_BYTES], shown[R1_SHOWN_BYTES], wanted[WORDS_BYTES] = "";
    uint64_t count = 0;

    for (const char *const *word = at->field->words; *word; word++, count++) {
        size_t used = strlen(wanted);

        if (yyjson_equals_str(value, *word)) return;
        snprintf(wanted + used, sizeof wanted - used, "%s\"%s\"",
                 !used ? "" : word[1] ? ", " : " or ", *word);
    }
    if (at->shape->protobuf && yyjson_is_uint(value) && yyjson_get_uint(value) < count) return;
    check_report_add(at->report, at->field->code ? at->field->code : "bad-word", at->line,
                     "%s is %s: wanted %s", way_to(&at->step, way), r1_show(value, shown), wanted);
}

/* The elements of a list or the members of a map; walk stands at it and passes it. */
static void check_items(const struct looking *at, yyjson_val *value, struct json_walk *walk)
{
    bool map = yyjson_is_obj(value);
    yyjson_arr_iter items = yyjson_arr_iter_with(value);
    yyjson_obj_iter members = yyjson_obj_iter_with(value);
    struct looking inner = *at;

    inner.step = (struct step){ .up = &at->step };
    json_walk_enter(walk);
    while (json_walk_next(walk, NULL)) {
        yyjson_val *key = map ? yyjson_obj_iter_next(&members) : NULL;
        yyjson_val *item = map ? yyjson_obj_iter_get_val(key) : yyjson_arr_iter_next(&items);

        inner.line = walk->line;
        if (map) inner.step.key = json_value(key);
        if (at->field->kind == FIELD_TEXTS) {
            if (!yyjson_is_str(item)) bad_type(&inner, item, "a text");
            json_walk_skip(walk);
        } else {
            check_object(at->field->shape, item, walk, &inner.step, at->report);
        }
        inner.step.index++;
    }
}

/* One member; walk stands at its value and passes it. */
static void check_field(const struct looking *at, yyjson_val *value, struct json_walk *walk)
{
    switch (at->field->kind) {
    case FIELD_TEXT:
        if (!yyjson_is_str(value)) bad_type(at, value, "a text");
        break;
    case FIELD_NUMBER:
        check_number(at, value);
        break;
    case FIELD_FLAG:
        if (!yyjson_is_bool(value)) bad_type(at, value, "true or false");
        break;
    case FIELD_WORD:
        check_word(at, value);
        break;
    case FIELD_OBJECT:
        check_object(at->field->shape, value, walk, &at->step, at->report);
        return;
    case FIELD_LIST:
    case FIELD_TEXTS:
        if (yyjson_is_arr(value)) {
            check_items(at, value, walk);
            return;
        }
        bad_type(at, value, "an array");
        break;
    case FIELD_MAP:
        if (yyjson_is_obj(value)) {
            check_items(at, value, walk);
            return;
        }
        bad_type(at, value, "an object");
        break;
    }
    json_walk_skip(walk);
}

static const struct field *field_of(const struct shape *shape, yyjson_val *key)
{
    for (const struct field *field = shape->fields; field->key; field++) {
        if (yyjson_equals_str(key, field->key)) return field;
        if (field->alias && yyjson_equals_str(key, field->alias)) return field;
    }
    return NULL;
}

static void add_by_key(const struct looking *at, const char *code, const char *what)
{
    char way[WAY_BYTES];

    check_report_add(at->report, code, at->line, "%s %s", way_to(&at->step, way), what);
}

/* At least one of some members must be there. */
static void check_one_of(const struct looking *at, yyjson_val *object)
{
    char way[WAY_BYTES];
    struct buf list;

    buf_init(&list, 1024);
    for (const char *const *key = at->shape->one_of; *key; key++) {
        if (yyjson_obj_get(object, *key)) break;
        buf_printf(&list, "%s%s", !list.size ? "" : key[1] ? ", " : " nor ", *key);
        if (key[1]) continue;
        check_report_add(at->report, "missing-member", at->line, "%s has neither %s",
                         way_to(&at->step, way), buf_cstr(&list));
    }
    buf_release(&list);
}

/* Members that should be there; seen has a bit for each that is. */
static void check_missing(const struct looking *at, yyjson_val *object, uint32_t seen)
{
    const struct field *fields = at->shape->fields;
    char way[WAY_BYTES];

    for (size_t i = 0; fields[i].key; i++) {
        struct step step = { .up = &at->step, .key = str_of(fields[i].key) };

        if (!fields[i].needed || seen & 1u << i) continue;
        check_report_add(at->report, "missing-member", at->line, "%s is missing",
                         way_to(&step, way));
    }
    if (at->shape->one_of) check_one_of(at, object);
}

/* The object's members in the order of the text; a bit for each field that is there. */
static uint32_t check_members(const struct looking *at, yyjson_val *object, struct json_walk *walk)
{
    yyjson_obj_iter members = yyjson_obj_iter_with(object);
    bool twice = json_has_duplicates(object);
    uint32_t seen = 0;

    json_walk_enter(walk);
    while (json_walk_next(walk, NULL)) {
        yyjson_val *key = yyjson_obj_iter_next(&members);
        yyjson_val *value = yyjson_obj_iter_get_val(key);
        const struct field *field = field_of(at->shape, key);
        struct looking inner = {
            .report = at->report,
            .shape = at->shape,
            .field = field,
            .step = { &at->step, { yyjson_get_str(key), yyjson_get_len(key) }, 0 },
            .line = walk->line,
        };
        uint32_t bit = field ? 1u << (field - at->shape->fields) : 0;

        assert(!field || field - at->shape->fields < FIELDS_MAX);
        if (seen & bit) {
            add_by_key(&inner, "duplicate-key", "is there twice");
            twice = false;
        }
        if (!field && at->shape->protobuf) {
            add_by_key(&inner, "unknown-member", "is not a member that the format knows");
        }
        if (!field || (yyjson_is_null(value) && (field->or_null || at->shape->protobuf))) {
            json_walk_skip(walk);
            continue;
        }
        seen |= bit;
        check_field(&inner, value, walk);
    }
    if (twice) add_by_key(at, "duplicate-key", "has a key twice");
    return seen;
}

/* walk stands at the value and passes it. */
static void check_object(const struct shape *shape, yyjson_val *value, struct json_walk *walk,
                         const struct step *step, struct check_report *report)
{
    struct looking at = {
        .report = report, .shape = shape, .step = *step, .line = walk->line
    };
    uint32_t before = report->count + report->more;
    const char *wrong = NULL;

    if (!yyjson_is_obj(value)) {
        bad_type(&at, value, "an object");
        json_walk_skip(walk);
        return;
    }
    check_missing(&at, value, check_members(&at, value, walk));
    if (shape->wrong && report->count + report->more == before) wrong = shape->wrong(value);
    if (wrong) add_by_key(&at, "bad-value", wrong);
}

struct str shape_content(struct str content, struct check_report *report)
{
    const struct str mark = STR("\xef\xbb\xbf");

    if (!str_starts(content, mark)) return content;
    check_report_add(report, "byte-order-mark", 1,
                     "it begins with a byte order mark, which JSON does not have");
    return str_skip(content, mark.size);
}

void shape_check(const struct shape *shape, struct str text, uint32_t before,
                 struct check_report *report)
{
    struct json_walk walk = json_walk_start(text);
    struct step top = { 0 };
    yyjson_doc *doc;
    struct err err;

    walk.line += before;
    if (json_read(text, &doc, &err) != 0) {
        check_report_err(report, "not-json", "not JSON: ", err.text, before);
    } else {
        check_object(shape, yyjson_doc_get_root(doc), &walk, &top, report);
    }
    yyjson_doc_free(doc);
}

void shape_check_read(int (*read)(struct str, struct diagnostics *, struct err *),
                      struct str content, struct check_report *report)
{
    struct diagnostics diagnostics = { 0 };
    struct err err = { 0 };

    if (report->count == 0 && read(content, &diagnostics, &err) != 0) {
        const char *text = strchr(err.text, ':'); /* behind the name of the format */

        assert(text);
        check_report_err(report, err.code == ERR_LIMIT ? "too-much" : "unreadable", "", text + 2,
                         0);
    }
    diagnostics_release(&diagnostics);
}

uint64_t shape_number(yyjson_val *object, const char *key)
{
    uint64_t number = 0;

    return json_uint(object, key, &number) ? number : 0;
}

const char *stretch_wrong(const struct stretch *stretch)
{
    uint64_t column = stretch->column ? stretch->column : 1;

    if (stretch->end_line > stretch->line) return NULL;
    if (stretch->end_line && stretch->end_line < stretch->line) return "ends before it begins";
    if (stretch->end_column && stretch->end_column < column) return "ends before it begins";
    return NULL;
}
