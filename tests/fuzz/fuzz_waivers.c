/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_waivers.c - any bytes as .hone/waivers.yaml: refused with a line, or a list whose entries
 * have a reason and decide the same when they are written again. The same bytes as a source: the
 * code of every line is found where it is. */
#include "base/clock.h"
#include "format/report/waivers.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool decides_same(const struct waiver_entry *a, const struct waiver_entry *b)
{
    struct buf one, other;
    bool same;

    buf_init(&one, 1 << 20);
    buf_init(&other, 1 << 20);
    waiver_decision(a, &one);
    waiver_decision(b, &other);
    same = str_eq(buf_str(&one), buf_str(&other));
    buf_release(&one);
    buf_release(&other);
    return same;
}

/* Written by hone as a file of its own. An id that hone does not write need not come back. */
static void check_entry(const struct waiver_entry *entry, struct arena *arena)
{
    struct waiver_entry copy = *entry;
    struct waivers back;
    struct buf text;
    struct err err;
    int rc;

    assert(str_trim(entry->reason).size > 0 && str_trim(entry->owner).size > 0);
    assert(clock_is_day(entry->made));
    assert(entry->until.size == 0 || clock_is_day(entry->until));
    assert(entry->first > 0 && entry->first <= entry->last);
    copy.id = STR("00c0ffee00c0ffee-1");
    buf_init(&text, 4 << 20);
    waivers_append(STR(""), &copy, &text);
    rc = waivers_read(buf_str(&text), arena, &back, &err);
    assert(rc == 0 && back.count == 1 && decides_same(&copy, &back.items[0]));
    assert(str_eq(back.items[0].reason, copy.reason));
    buf_release(&text);
}

static void check_code(struct str source)
{
    struct str rest = source, line;
    uint32_t number = 0;

    while (number < 64 && str_cut(&rest, '\n', &line)) {
        uint64_t code = waiver_code(source, ++number);
        uint32_t at = number;

        if (str_trim(line).size == 0) continue;
        assert(code != 0 && waiver_code_is_there(source, code, &at) && at == number);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = { (const char *)data, size };
    struct arena arena = { 0 };
    struct waivers waivers;
    struct err err = { 0 };

    if (size > 1 << 16) return 0;
    if (waivers_read(text, &arena, &waivers, &err) != 0) {
        assert(waivers.count == 0);
        assert(strncmp(err.text, WAIVERS_PATH ":", strlen(WAIVERS_PATH ":")) == 0);
    }
    for (uint32_t i = 0; i < waivers.count; i++) {
        check_entry(&waivers.items[i], &arena);
        assert(waivers_find(&waivers, waivers.items[i].id) == &waivers.items[i]);
    }
    check_code(text);
    arena_release(&arena);
    return 0;
}
