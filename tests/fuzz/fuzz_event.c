/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_event.c - all that can be read as an event is the same event after it was written and read
 * again: its text does not change any more. */
#include "format/json/event_json.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = { 0 };
    struct event event, back;
    struct err err = { 0 };
    struct buf once, twice;

    if (event_read((struct str){ (const char *)data, size }, &arena, &event, &err) != 0) {
        assert(err.code == ERR_FORMAT && err.text[0]);
        arena_release(&arena);
        return 0;
    }
    buf_init(&once, 64 * size + 1024);
    buf_init(&twice, 64 * size + 1024);
    event_write(&event, &once);
    assert(!once.overflow && !str_has(buf_str(&once), '\n'));
    assert(event_read(buf_str(&once), &arena, &back, &err) == 0);
    assert(event.kind == back.kind && event.now_ms == back.now_ms && event.job == back.job);
    assert(event.result.finding_count == back.result.finding_count);
    assert(str_eq(event.result.doc, back.result.doc));
    event_write(&back, &twice);
    assert(str_eq(buf_str(&once), buf_str(&twice)));
    buf_release(&once);
    buf_release(&twice);
    arena_release(&arena);
    return 0;
}
