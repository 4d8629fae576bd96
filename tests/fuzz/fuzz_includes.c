/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_includes.c - names that a file can have, and the same ones wherever the text begins and
 * however far it is read: the digraph behind it includes nothing and forbids the scanner to stop
 * early. */
#include "base/buf.h"
#include "format/source/includes.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect_same(const struct includes *a, const struct includes *b)
{
    assert(a->count == b->count && a->uncertain == b->uncertain);
    for (uint32_t i = 0; i < a->count; i++) {
        assert(strcmp(a->items[i].name, b->items[i].name) == 0);
        assert(a->items[i].angled == b->items[i].angled && a->items[i].next == b->items[i].next);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = { (const char *)data, size };
    struct includes found, again;
    struct arena arena = { 0 };
    struct buf longer;

    buf_init(&longer, size + 64);
    includes_scan(text, &arena, &found);
    for (uint32_t i = 0; i < found.count; i++) {
        const char *name = found.items[i].name;

        assert(name[0] && !strchr(name, '\n') && strlen(name) <= size);
    }
    buf_text(&longer, "int x;\n");
    buf_add(&longer, text);
    includes_scan(buf_str(&longer), &arena, &again);
    expect_same(&found, &again);
    buf_text(&longer, "\n%:");
    includes_scan(buf_str(&longer), &arena, &again);
    expect_same(&found, &again);
    buf_release(&longer);
    arena_release(&arena);
    return 0;
}
