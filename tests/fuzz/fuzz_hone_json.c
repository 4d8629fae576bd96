/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_hone_json.c - a settings file of any bytes is read or refused in one line; what was read has
 * values that can be written back, one by one, into a file that says the same. */
#include "settings/hone_json.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct hone_file file = { .name = "hone.json", .folder = "/w", .foreign = true };

/* A value as `hone config set` is given it. */
static const char *word_of(const struct hone_value *value)
{
    bool list = value->key->kind == HONE_PATTERNS || value->key->kind == HONE_LIST;

    return list ? value->json : value->text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = { (const char *)data, size };
    struct hone_values values = { 0 }, again = { 0 };
    struct arena arena = { 0 };
    struct err err = { 0 };
    struct buf out, next;

    if (hone_read(text, &file, &arena, &values, &err) != 0) {
        assert(err.code == ERR_USAGE);
        assert(strncmp(err.text, "hone.json: ", 11) == 0);
        arena_release(&arena);
        return 0;
    }
    buf_init(&out, HONE_FILE_BYTES_MAX);
    buf_init(&next, HONE_FILE_BYTES_MAX);
    for (uint32_t i = 0; i < values.count; i++) {
        const struct hone_value *value = &values.items[i];

        assert(hone_find(&values, value->path) == value);
        assert(hone_key_find(str_of(value->path), &arena, NULL) == value->key);
        buf_clear(&next);
        assert(hone_edit(buf_str(&out), &file, value->path, word_of(value), &next, &err) == 0);
        buf_clear(&out);
        buf_add(&out, buf_str(&next));
    }
    if (values.count > 0) assert(hone_read(buf_str(&out), &file, &arena, &again, &err) == 0);
    assert(again.count == values.count);
    for (uint32_t i = 0; i < values.count; i++) {
        const struct hone_value *value = hone_find(&again, values.items[i].path);
        assert(value && strcmp(value->text, values.items[i].text) == 0);
        buf_clear(&next);
        assert(hone_edit(buf_str(&out), &file, value->path, NULL, &next, &err) == 0);
        buf_clear(&out);
        buf_add(&out, buf_str(&next));
    }
    if (values.count > 0) assert(str_is(buf_str(&out), "{}\n"));
    buf_release(&out);
    buf_release(&next);
    arena_release(&arena);
    return 0;
}
