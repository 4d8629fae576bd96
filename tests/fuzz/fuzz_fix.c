/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_fix.c - fixes as JSON, over any bytes.
 *
 * 1. What cannot be read is refused with words that a terminal can stand.
 * 2. What was read keeps the promises of fix.h, and is the same after it was written and read. */
#include "format/report/fix.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_path(struct str path)
{
    struct str part;

    assert(path.size > 0 && path.data[0] != '/' && path.data[path.size - 1] != '/');
    assert(!str_has(path, '\0'));
    while (str_cut(&path, '/', &part)) {
        assert(part.size > 0 && part.size <= 255);
        assert(!str_is(part, ".") && !str_is(part, ".."));
    }
}

static void check_read(const struct fixes *fixes)
{
    for (uint32_t i = 0; i < fixes->count; i++) {
        const struct fix *fix = &fixes->items[i];

        assert(fix->count > 0);
        for (uint32_t k = 0; k < fix->count; k++) {
            assert(fix->edits[k].start <= fix->edits[k].end);
            check_path(fix->edits[k].file);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = { (const char *)data, size };
    struct arena arena = { 0 };
    struct fixes fixes, back;
    struct err err = { 0 };
    struct buf once, twice;

    assert(content_hash(text) != 0);
    if (fixes_read(text, &arena, &fixes, &err) != 0) {
        assert(err.code == ERR_FORMAT && err.text[0]);
        for (const char *at = err.text; *at; at++) assert((unsigned char)*at >= ' ');
        arena_release(&arena);
        return 0;
    }
    check_read(&fixes);
    buf_init(&once, 64 * size + 1024);
    buf_init(&twice, 64 * size + 1024);
    fixes_write(&fixes, &once);
    assert(!once.overflow && !str_has(buf_str(&once), '\n'));
    assert(fixes_read(buf_str(&once), &arena, &back, &err) == 0);
    assert(back.count == fixes.count);
    fixes_write(&back, &twice);
    assert(str_eq(buf_str(&once), buf_str(&twice)));
    buf_release(&once);
    buf_release(&twice);
    arena_release(&arena);
    return 0;
}
