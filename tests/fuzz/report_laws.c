/* SPDX-License-Identifier: Apache-2.0 */
#include "report_laws.h"

#include "format/text/utf8.h"

#include <assert.h>
#include <string.h>

enum { NOTE_BYTES_MAX = 64 }; /* that a text was cut */

static void check_text(struct str text)
{
    assert(text.size <= DIAGNOSTIC_TEXT_BYTES_MAX + NOTE_BYTES_MAX);
    assert(utf8_prefix(text) == text.size);
}

static void check_place(const struct place *place, bool needs_end)
{
    if (place->word.size) {
        assert(place->line && utf8_prefix(place->word) == place->word.size);
        return;
    }
    if (place->by_offset) {
        assert(place->offset <= place->end_offset);
        assert(!place->line && !place->column && !place->end_line && !place->end_column);
        return;
    }
    assert(!place->offset && !place->end_offset);
    if (place->column) assert(place->line);
    if (place->end_line) {
        assert(place->end_line >= place->line);
        if (place->end_line == place->line) assert(place->end_column >= place->column);
    }
    if (needs_end) assert(place->line && place->column && place->end_line && place->end_column);
}

static void check_fix(const struct tool_fix *fix)
{
    check_text(fix->text);
    assert(fix->count > 0);
    for (uint32_t i = 0; i < fix->count; i++) {
        assert(fix->edits[i].file.size > 0);
        assert(utf8_prefix(fix->edits[i].file) == fix->edits[i].file.size);
        assert(fix->edits[i].text.size <= DIAGNOSTIC_EDIT_BYTES_MAX);
        assert(utf8_prefix(fix->edits[i].text) == fix->edits[i].text.size);
        check_place(&fix->edits[i].place, true);
    }
}

static void check_item(const struct diagnostic *item)
{
    assert(item->severity < SEVERITY_COUNT);
    assert(item->text.size > 0);
    check_text(item->rule);
    check_text(item->text);
    check_text(item->help);
    assert(utf8_prefix(item->file) == item->file.size);
    assert(utf8_prefix(item->unit) == item->unit.size);
    check_place(&item->place, false);
    if (!item->file.size) assert(!item->place.line && !item->place.by_offset);
    for (uint32_t i = 0; i < item->fix_count; i++) check_fix(&item->fixes[i]);
}

static void check_same(const struct diagnostics *a, const struct diagnostics *b)
{
    assert(a->count == b->count);
    assert(str_eq(a->failure, b->failure));
    for (uint32_t i = 0; i < a->count; i++) {
        const struct diagnostic *x = &a->items[i], *y = &b->items[i];

        assert(x->severity == y->severity && str_eq(x->rule, y->rule) && str_eq(x->text, y->text));
        assert(str_eq(x->file, y->file) && str_eq(x->unit, y->unit) && str_eq(x->help, y->help));
        assert(x->place.line == y->place.line && x->place.offset == y->place.offset);
        assert(x->fix_count == y->fix_count);
    }
}

void report_laws(report_reader *read, const uint8_t *data, size_t size)
{
    struct str text = { (const char *)data, size };
    struct diagnostics first = { 0 }, again = { 0 };
    struct err err = { 0 };
    int rc = read(text, &first, &err);

    if (rc == 0) {
        assert(first.count <= DIAGNOSTICS_MAX);
        for (uint32_t i = 0; i < first.count; i++) check_item(&first.items[i]);
    } else {
        assert(rc == ERR_FORMAT || rc == ERR_LIMIT);
        assert(err.code == (enum err_code)rc && err.text[0]);
        for (const char *at = err.text; *at; at++) assert((unsigned char)*at >= ' ');
    }
    assert(read(text, &again, &err) == rc);
    if (rc == 0) check_same(&first, &again);
    diagnostics_release(&first);
    diagnostics_release(&again);
}

void report_end_law(report_reader *read, const uint8_t *data, size_t size)
{
    struct str text = { (const char *)data, size };
    struct str part = text;
    struct diagnostics whole = { 0 }, cut = { 0 };
    struct err err = { 0 };

    if (read(text, &whole, &err) == 0) {
        assert(str_trim(text).size > 0);
        for (size_t i = 0; i < size; i++) part.size = (part.size * 31 + data[i]) % size;
        if (read(part, &cut, &err) == 0) check_same(&whole, &cut);
        diagnostics_release(&cut);
    }
    diagnostics_release(&whole);
}
