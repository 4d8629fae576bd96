/* SPDX-License-Identifier: Apache-2.0
 *
 * fix.c - edits as JSON, and the hash that says which file they are for.
 *
 * 1. What was read has clean paths only, no end before its start, no fix without an edit, and
 *    UTF-8 in all its texts.
 * 2. fixes_read(fixes_write(f)) == f, but for fixes that JSON cannot carry: an edit whose path or
 *    text is no UTF-8 would come back as another edit, so its fix is left out.
 * 3. A hash is the same on every machine. It tells changed files from unchanged ones; it is no
 *    protection against an attacker who makes two files with one hash.
 *
 * Not here: whether an edit fits its file (patch.c). */
#include "format/report/fix.h"

#include "base/path.h"
#include "format/json/json.h"
#include "format/json/members.h"
#include "format/text/safe.h"
#include "format/text/utf8.h"

#include <inttypes.h>
#include <stdio.h>

enum { SHOWN_BYTES_MAX = 200 };

/* --- the hash --- */

static const uint64_t hash_start = 0x9e3779b97f4a7c15u;
static const uint64_t prime_1 = 0xd6e8feb86659fd93u, prime_2 = 0xbf58476d1ce4e5b9u;

/* A word's high bits would reach nothing but high bits by a product alone, and two such changes
 * could meet: so a word is spread before it is added. Each step can be undone: contents that
 * differ in one word never meet here. */
static uint64_t stir(uint64_t hash, uint64_t word)
{
    word *= prime_1;
    word = (word ^ word >> 32) * prime_2;
    word ^= word >> 29;
    return ((hash << 27 | hash >> 37) ^ word) * prime_1;
}

static uint64_t word_at(const unsigned char *at)
{
    return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 |
           (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 |
           (uint64_t)at[7] << 56;
}

uint64_t content_hash(struct str content)
{
    const unsigned char *at = (const unsigned char *)content.data;
    uint64_t hash = stir(hash_start, content.size);
    uint64_t last = 0;
    size_t left = content.size;

    for (; left >= 8; left -= 8, at += 8) hash = stir(hash, word_at(at));
    for (size_t i = 0; i < left; i++) last |= (uint64_t)at[i] << (8 * i);
    hash = stir(hash, last);
    hash = (hash ^ hash >> 32) * prime_2;
    hash ^= hash >> 29;
    return hash ? hash : 1;
}

/* --- writing --- */

static bool is_utf8(struct str text)
{
    return utf8_prefix(text) == text.size;
}

static bool is_portable(const struct fix *fix)
{
    for (uint32_t i = 0; i < fix->count; i++) {
        if (!is_utf8(fix->edits[i].file) || !is_utf8(fix->edits[i].text)) return false;
    }
    return fix->count > 0;
}

static yyjson_mut_val *edit_value(yyjson_mut_doc *doc, const struct edit *edit)
{
    yyjson_mut_val *value = yyjson_mut_obj(doc);
    char hex[17];

    (void)snprintf(hex, sizeof hex, "%016" PRIx64, edit->hash);
    json_add_text(doc, value, "file", edit->file);
    yyjson_mut_obj_add_strcpy(doc, value, "hash", hex);
    yyjson_mut_obj_add_uint(doc, value, "start", edit->start);
    yyjson_mut_obj_add_uint(doc, value, "end", edit->end);
    json_add_text(doc, value, "text", edit->text);
    return value;
}

void fixes_write(const struct fixes *fixes, struct buf *out)
{
    yyjson_mut_doc *doc = json_new();
    yyjson_mut_val *list = yyjson_mut_arr(doc);

    yyjson_mut_doc_set_root(doc, list);
    for (uint32_t i = 0; i < fixes->count; i++) {
        const struct fix *fix = &fixes->items[i];
        yyjson_mut_val *value, *edits;

        if (!is_portable(fix)) continue;
        value = yyjson_mut_arr_add_obj(doc, list);
        if (fix->text.size) json_add_text(doc, value, "text", fix->text);
        if (fix->safe) yyjson_mut_obj_add_bool(doc, value, "safe", true);
        if (fix->rank) yyjson_mut_obj_add_uint(doc, value, "rank", fix->rank);
        edits = yyjson_mut_obj_add_arr(doc, value, "edits");
        for (uint32_t k = 0; k < fix->count; k++) {
            yyjson_mut_arr_append(edits, edit_value(doc, &fix->edits[k]));
        }
    }
    json_finish(doc, false, out);
}

/* --- reading --- */

static int bad_path(struct str path, struct err *err)
{
    struct buf shown;
    int rc;

    buf_init(&shown, SHOWN_BYTES_MAX);
    safe_text(&shown, path, true, SHOWN_BYTES_MAX);
    rc = err_set(err, ERR_FORMAT, "\"%s\" is no path inside the workspace", buf_cstr(&shown));
    buf_release(&shown);
    return rc;
}

static int read_edit(yyjson_val *object, struct arena *arena, struct edit *out, struct err *err)
{
    struct str text;
    int rc;

    if (!yyjson_is_obj(object)) return err_set(err, ERR_FORMAT, "it must be an object");
    rc = member_word(object, "file", true, &text, err);
    if (rc != 0) return rc;
    if (!path_is_clean(text)) return bad_path(text, err);
    out->file = arena_copy(arena, text);
    rc = member_word(object, "text", true, &text, err);
    if (rc != 0) return rc;
    out->text = arena_copy(arena, text);
    rc = member_hash(object, "hash", &out->hash, err);
    if (rc != 0) return rc;
    if (!json_uint(object, "start", &out->start)) {
        return member_bad_type("start", "a whole number", err);
    }
    if (!json_uint(object, "end", &out->end)) return member_bad_type("end", "a whole number", err);
    if (out->end < out->start) return err_set(err, ERR_FORMAT, "its end is before its start");
    return 0;
}

static int read_fix(yyjson_val *object, struct arena *arena, struct fix *out, struct err *err)
{
    yyjson_arr_iter items;
    yyjson_val *list;
    uint64_t rank = 0;
    struct str text;
    int rc;

    if (!yyjson_is_obj(object)) return err_set(err, ERR_FORMAT, "it must be an object");
    rc = member_word(object, "text", false, &text, err);
    if (rc != 0) return rc;
    out->safe = yyjson_is_true(yyjson_obj_get(object, "safe"));
    if (json_uint(object, "rank", &rank)) {
        out->rank = rank < FIX_RANK_MAX ? (uint32_t)rank : FIX_RANK_MAX;
    }
    rc = member_list(object, "edits", &list, &out->count, err);
    if (rc != 0) return rc;
    if (!list) return err_set(err, ERR_FORMAT, "it has no edits");
    out->text = arena_copy(arena, text);
    out->edits = arena_alloc(arena, out->count * sizeof *out->edits);
    items = yyjson_arr_iter_with(list);
    for (uint32_t i = 0; i < out->count; i++) {
        rc = read_edit(yyjson_arr_iter_next(&items), arena, &out->edits[i], err);
        if (rc != 0) return err_wrap(err, "edit %" PRIu32, i + 1);
    }
    return 0;
}

int fixes_read(struct str json, struct arena *arena, struct fixes *out, struct err *err)
{
    yyjson_arr_iter items;
    yyjson_doc *doc;
    yyjson_val *list;
    int rc;

    *out = (struct fixes){ 0 };
    rc = json_read(json, &doc, err);
    if (rc != 0) return rc;
    list = yyjson_doc_get_root(doc);
    if (!yyjson_is_arr(list) || yyjson_arr_size(list) > UINT32_MAX) {
        rc = err_set(err, ERR_FORMAT, "wanted: a list of fixes");
    } else {
        out->count = (uint32_t)yyjson_arr_size(list);
        out->items = arena_alloc(arena, out->count * sizeof *out->items);
    }
    items = yyjson_arr_iter_with(list);
    for (uint32_t i = 0; rc == 0 && i < out->count; i++) {
        rc = read_fix(yyjson_arr_iter_next(&items), arena, &out->items[i], err);
        if (rc != 0) rc = err_wrap(err, "fix %" PRIu32, i + 1);
    }
    yyjson_doc_free(doc);
    if (rc != 0) *out = (struct fixes){ 0 };
    return rc;
}
