/* SPDX-License-Identifier: Apache-2.0 */
#include "format/report/baseline.h"

#include "base/mem.h"
#include "format/json/members.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define AT(member) .offset = offsetof(struct baseline_item, member)

static const struct member item_members[] = {
    { .key = "file", .type = MEMBER_TEXT, AT(file) },
    { .key = "rule", .type = MEMBER_TEXT, AT(rule) },
    { .key = "text", .type = MEMBER_TEXT, AT(text) },
    { .key = "count", .type = MEMBER_U32, AT(count), .always = UINT32_MAX },
    { .key = NULL },
};

void baseline_release(struct baseline *baseline)
{
    free(baseline->items);
    *baseline = (struct baseline){ 0 };
}

static struct baseline_item *item_find(const struct baseline *baseline, struct str file,
                                       uint64_t fingerprint, uint64_t evidence)
{
    for (uint32_t i = 0; i < baseline->count; i++) {
        struct baseline_item *item = &baseline->items[i];

        if (item->fingerprint == fingerprint && item->evidence == evidence &&
            str_eq(item->file, file)) {
            return item;
        }
    }
    return NULL;
}

static void item_add(struct baseline *baseline, const struct baseline_item *item)
{
    baseline->items = mem_grow(baseline->items, baseline->count, &baseline->cap,
                               sizeof *baseline->items);
    baseline->items[baseline->count++] = *item;
}

static int item_read(yyjson_val *value, struct arena *arena, struct baseline_item *out,
                     struct err *err)
{
    int rc;

    *out = (struct baseline_item){ 0 };
    if (!yyjson_is_obj(value)) return err_set(err, ERR_FORMAT, "it must be an object");
    rc = members_read(value, item_members, arena, out, 1, err);
    if (rc == 0) rc = member_hash(value, "fingerprint", &out->fingerprint, err);
    if (rc == 0) rc = member_hash(value, "evidence", &out->evidence, err);
    return rc;
}

int baseline_read(struct str text, struct arena *arena, struct baseline *out, struct err *err)
{
    struct baseline_item item;
    yyjson_val *root, *list = NULL;
    yyjson_arr_iter items;
    uint64_t version = 0;
    uint32_t count = 0;
    yyjson_doc *doc;
    int rc = json_read(text, &doc, err);

    *out = (struct baseline){ 0 };
    if (rc != 0) return rc;
    root = yyjson_doc_get_root(doc);
    if (!json_uint(root, "version", &version) || version != 1) {
        rc = err_set(err, ERR_FORMAT, "wanted: an object with \"version\" 1");
    }
    if (rc == 0) rc = member_list(root, "findings", &list, &count, err);
    if (rc == 0 && list) items = yyjson_arr_iter_with(list);
    for (uint32_t i = 0; rc == 0 && list && i < count; i++) {
        rc = item_read(yyjson_arr_iter_next(&items), arena, &item, err);
        if (rc == 0) item_add(out, &item);
        else err_wrap(err, "finding %" PRIu32, i + 1);
    }
    yyjson_doc_free(doc);
    if (rc != 0) baseline_release(out);
    return rc;
}

void baseline_add(struct baseline *baseline, const struct finding *finding, struct str rule)
{
    uint64_t evidence = evidence_fingerprint(finding);
    struct baseline_item *item = item_find(baseline, finding->file, finding->fingerprint,
                                           evidence);

    if (item) {
        item->count++;
        return;
    }
    item_add(baseline, &(struct baseline_item){
        .file = finding->file, .rule = rule, .text = finding->text,
        .fingerprint = finding->fingerprint, .evidence = evidence, .count = 1 });
}

void baseline_join(struct baseline *baseline, const struct baseline *other)
{
    for (uint32_t i = 0; i < other->count; i++) {
        const struct baseline_item *from = &other->items[i];
        struct baseline_item *item = item_find(baseline, from->file, from->fingerprint,
                                               from->evidence);

        if (!item) item_add(baseline, from);
        else if (item->count < from->count) item->count = from->count;
    }
}

bool baseline_takes(struct baseline *baseline, const struct finding *finding)
{
    struct baseline_item *item;

    if (baseline->count == 0) return false;
    item = item_find(baseline, finding->file, finding->fingerprint, evidence_fingerprint(finding));
    if (!item || item->count == 0) return false;
    item->count--;
    return true;
}

static int item_order(const void *a, const void *b)
{
    const struct baseline_item *left = a, *right = b;
    int order = str_compare(left->file, right->file);

    if (order == 0) order = str_compare(left->rule, right->rule);
    if (order == 0) order = str_compare(left->text, right->text);
    if (order == 0) order = (left->evidence > right->evidence) - (left->evidence < right->evidence);
    return order;
}

void baseline_write(struct baseline *baseline, struct buf *out)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *root = json_object(doc), *list;
    char hex[17];

    if (baseline->count > 0) {
        qsort(baseline->items, baseline->count, sizeof *baseline->items, item_order);
    }
    yyjson_mut_obj_add_uint(doc, root, "version", 1);
    list = yyjson_mut_obj_add_arr(doc, root, "findings");
    for (uint32_t i = 0; i < baseline->count; i++) {
        const struct baseline_item *item = &baseline->items[i];
        yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list);

        members_write(doc, object, item_members, item, 1);
        (void)snprintf(hex, sizeof hex, "%016" PRIx64, item->fingerprint);
        yyjson_mut_obj_add_strcpy(doc, object, "fingerprint", hex);
        (void)snprintf(hex, sizeof hex, "%016" PRIx64, item->evidence);
        yyjson_mut_obj_add_strcpy(doc, object, "evidence", hex);
    }
    json_finish(doc, true, out);
}
