/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_sarif.c - any bytes as a SARIF report. What must hold for all of them:
 *
 * 1. It is read, or refused with ERR_FORMAT or ERR_LIMIT and words that begin with the format.
 * 2. A finding has a text; a path has neither a NUL nor more bytes than a path may have.
 * 3. A place ends where it begins or behind it. A fix has edits, each with a file and a place that
 *    is exact.
 * 4. What the check finds no fault with is read; its problems are harmless lines. */
#include "check_laws.h"
#include "format/report/diagnostic.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_place(const struct place *place)
{
    if (place->by_offset) {
        assert(place->offset <= place->end_offset);
        assert(place->line == 0 && place->end_line == 0);
    } else if (place->line == 0) {
        assert(place->column == 0 && place->end_line == 0 && place->end_column == 0);
    } else if (place->end_line == 0) {
        assert(place->end_column == 0);
    } else {
        assert(place->end_line >= place->line);
        assert(place->end_column == 0 || place->column > 0);
        assert(place->end_line > place->line || place->end_column == 0 ||
               place->end_column >= place->column);
    }
}

static void check_path(struct str path)
{
    assert(path.size <= SARIF_PATH_BYTES_MAX);
    assert(!str_has(path, '\0'));
}

static void check_item(const struct diagnostic *item)
{
    assert(item->text.size > 0 && item->severity < SEVERITY_COUNT);
    check_path(item->file);
    check_path(item->unit);
    check_place(&item->place);
    for (uint32_t i = 0; i < item->fix_count; i++) {
        assert(item->fixes[i].count > 0);
        for (uint32_t k = 0; k < item->fixes[i].count; k++) {
            const struct tool_edit *edit = &item->fixes[i].edits[k];

            check_path(edit->file);
            check_place(&edit->place);
            assert(edit->file.size > 0);
            assert(edit->place.by_offset || (edit->place.line > 0 && edit->place.end_line > 0));
            assert(edit->text.size <= DIAGNOSTIC_EDIT_BYTES_MAX);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = { (const char *)data, size };
    struct diagnostics found = { 0 };
    struct err err = { 0 };
    int rc = sarif_read(text, &found, &err);
    bool valid = check_laws("sarif", text);

    if (rc == 0) {
        for (uint32_t i = 0; i < found.count; i++) check_item(&found.items[i]);
    } else {
        assert(rc == ERR_FORMAT || rc == ERR_LIMIT);
        assert(str_starts(str_of(err.text), STR("SARIF: ")) && !valid);
    }
    diagnostics_release(&found);
    return 0;
}
