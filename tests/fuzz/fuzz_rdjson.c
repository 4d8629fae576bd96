/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_rdjson.c - any bytes as a report in rdjson or rdjsonl. What must hold for all of them:
 *
 * 1. It is read, or refused with ERR_FORMAT or ERR_LIMIT and words that begin with the format.
 * 2. A report in lines that is read has a finding; a finding has a text, and a path without NUL.
 * 3. Columns are bytes, and a place ends where it begins or behind it. A fix has one edit in the
 *    finding's file, with an exact place.
 * 4. What the check finds no fault with is read; its problems are harmless lines. */
#include "check_laws.h"
#include "format/report/diagnostic.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_place(const struct place *place, bool exact)
{
    assert(place->unit == COLUMN_BYTES && !place->by_offset);
    assert(place->line > 0 || (!exact && place->column == 0 && place->end_line == 0));
    assert(place->end_line > 0 || (!exact && place->end_column == 0));
    assert(place->end_column == 0 || place->column > 0);
    if (place->end_line == 0) return;
    assert(place->end_line >= place->line);
    assert(place->end_line > place->line || place->end_column == 0 ||
           place->end_column >= place->column);
}

static void check_item(const struct diagnostic *item)
{
    assert(item->text.size > 0 && item->severity < SEVERITY_COUNT);
    assert(!str_has(item->file, '\0'));
    check_place(&item->place, false);
    for (uint32_t i = 0; i < item->fix_count; i++) {
        assert(item->fixes[i].count == 1 && item->file.size > 0);
        assert(str_eq(item->fixes[i].edits[0].file, item->file));
        check_place(&item->fixes[i].edits[0].place, true);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = { (const char *)data, size };
    struct diagnostics found = { 0 };
    struct err err = { 0 };
    int rc = rdjson_read(text, &found, &err);
    bool valid = check_laws("rdjson", text);

    if (rc == 0) {
        assert(found.count > 0 || !rdjson_is_lines(text));
        for (uint32_t i = 0; i < found.count; i++) check_item(&found.items[i]);
    } else {
        assert(rc == ERR_FORMAT || rc == ERR_LIMIT);
        assert(str_starts(str_of(err.text), STR("rdjson: ")) && !valid);
    }
    diagnostics_release(&found);
    return 0;
}
