/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_yaml_tree.c - any bytes as YAML that people write: refused with a line that is there, or a
 * tree that comes back the same when it is written. */
#include "format/text/yaml_tree.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint32_t line_count(struct str text)
{
    uint32_t count = 1;

    /* libyaml ends lines with CR, NEL, LS and PS, too: each byte ends one at most. */
    for (size_t i = 0; i < text.size; i++) {
        count += text.data[i] == '\n' || text.data[i] == '\r' || (text.data[i] & 0x80);
    }
    return count;
}

static uint32_t is_same(const struct yaml_node *a, const struct yaml_node *b)
{
    uint32_t nodes = 1;

    assert(a->kind == b->kind && a->count == b->count);
    assert(a->kind != YAML_TEXT || (str_eq(a->text, b->text) && a->count == 0));
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->kind == YAML_MAP) assert(str_eq(a->keys[i], b->keys[i]));
        nodes += is_same(a->items[i], b->items[i]);
    }
    return nodes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = { (const char *)data, size };
    struct yaml_node *tree, *back;
    struct arena arena = { 0 };
    struct err err = { 0 };
    uint32_t line = 0;
    struct buf out;

    if (size > 1 << 14) return 0;
    buf_init(&out, 4 << 20);
    if (yaml_tree_read(text, &arena, &tree, &line, &err) != 0) {
        assert(!tree && err.text[0] && line >= 1 && line <= line_count(text) + 1);
    } else {
        yaml_tree_write(tree, &out);
        if (!out.overflow && out.size <= YAML_BYTES_MAX) {
            int rc = yaml_tree_read(buf_str(&out), &arena, &back, &line, &err);

            assert(rc == 0 && is_same(tree, back) <= YAML_NODES_MAX);
        }
    }
    buf_release(&out);
    arena_release(&arena);
    return 0;
}
