/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_lsp_mark.c - a text and another one (behind the first NUL): the edits between them make one
 * of the other, every offset has a place and back, and marks stay inside the text. */
#include "format/lsp/mark.h"
#include "format/lsp/place.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_places(struct str text)
{
    struct line_starts starts = { 0 };

    line_starts_read(&starts, text);
    for (uint32_t encoding = 0; encoding < ENCODING_COUNT; encoding++) {
        for (size_t at = 0; at <= text.size; at++) {
            struct place place = place_of(text, &starts, at, (enum encoding)encoding);
            size_t back = place_offset(text, &starts, place, (enum encoding)encoding);
            struct place again = place_of(text, &starts, back, (enum encoding)encoding);

            assert(back <= at && at - back < 4); /* inside a character, or of CR LF */
            assert(again.line == place.line && again.character == place.character);
        }
    }
    line_starts_release(&starts);
}

static void check_mark(struct str was, struct str now, const struct text_edit *edits,
                       uint32_t count, size_t begin)
{
    struct mark mark = mark_at(was, begin, begin + 3 < was.size ? begin + 3 : begin);

    assert(mark.from <= mark.to && mark.to <= was.size && mark.end <= mark.to - mark.from);
    for (uint32_t i = 0; i < count; i++) mark_shift(&mark, &edits[i]);
    mark_settle(&mark, now);
    if (mark.gone) return;
    assert(mark_shown(&mark).start <= mark_shown(&mark).end);
    assert(mark_shown(&mark).end <= now.size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *cut = memchr(data, 0, size);
    size_t first = cut ? (size_t)(cut - data) : size;
    struct str was = { (const char *)data, first };
    struct str now = { (const char *)data + first, size - first };
    const struct text_edit *edits;
    struct arena arena = { 0 };
    struct buf text;
    uint32_t count;

    if (size == 0 || size > 600) return 0;
    check_places(now);
    count = edits_between(was, now, &arena, &edits);
    for (size_t at = 0; at <= was.size; at++) check_mark(was, now, edits, count, at);
    buf_init(&text, 4 * size + 16);
    buf_add(&text, was);
    for (uint32_t i = 0; i < count; i++) {
        int rc = text_edit_make(&text, &edits[i]);
        assert(rc == 0);
    }
    assert(str_eq(buf_str(&text), now));
    buf_release(&text);
    arena_release(&arena);
    return 0;
}
