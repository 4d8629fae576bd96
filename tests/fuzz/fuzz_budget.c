/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_budget.c - any bytes as --budget or HONE_BUDGET: refused and nothing changed,
 * or read as what it is written as. */
#include "format/text/budget_text.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_same(const struct budget *a, const struct budget *b)
{
    for (uint32_t i = 0; i < BUDGET_PART_COUNT; i++) {
        if (a->limit.of[i] != b->limit.of[i]) return false;
    }
    return a->stop == b->stop;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct budget before = { .limit = { .of = { 1, 2, 3000, 4 } } };
    struct budget read = before, again = { 0 };
    struct err err = { 0 };
    struct buf text;

    if (budget_read((struct str){ (const char *)data, size }, &read, &err) != 0) {
        assert(err.code == ERR_USAGE && err.text[0] && is_same(&read, &before));
        return 0;
    }
    buf_init(&text, 256);
    budget_write(&read, &text);
    assert(!text.overflow);
    if (budget_has_limit(&read)) {
        assert(budget_read(buf_str(&text), &again, &err) == 0 && is_same(&read, &again));
    } else {
        assert(text.size == 0);
    }
    buf_release(&text);
    return 0;
}
