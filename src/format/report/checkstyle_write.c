/* SPDX-License-Identifier: Apache-2.0
 *
 * checkstyle_write.c - findings as Checkstyle's XML, version 4.3, which most services and editors
 * read.
 *
 * 1. A file is there once, with its errors by line. Its name is a path in the workspace; what is
 *    about none is about ".", and the message has the name that was said.
 * 2. The format has no word for a run that could not look: what was not looked at, and why, is an
 *    error of its own at the first line of that file; of the run as a whole, of ".". A reader that
 *    counts errors never counts none where a reviewer was dead.
 * 3. Where findings were left out (listing.left), an error of "." says how many. */
#include "format/report/listing.h"

#include "base/mem.h"
#include "format/report/xml_write.h"

#include <stdlib.h>

enum { TEXT_BYTES_MAX = 4000, WORD_BYTES_MAX = 500 };

static const char *const severities[SEVERITY_COUNT] = {
    [SEVERITY_LOW] = "info",
    [SEVERITY_MEDIUM] = "warning",
    [SEVERITY_HIGH] = "error",
};

/* An error: of a finding, of a file that was not looked at, of the run. */
struct row {
    enum row_kind { ROW_FINDING, ROW_UNLOOKED, ROW_RUN, ROW_LEFT } kind;
    uint32_t at;   /* among those of its kind */
    uint32_t line; /* 0: there is none */
    struct str path;
};

/* One writing. */
struct sheet {
    const struct listing *listing;
    struct arena arena;
    struct row *rows;
    uint32_t count, cap;
    struct buf text; /* of the error that is next */
};

/* ---- which errors there are ---- */

static void add_row(struct sheet *sheet, enum row_kind kind, uint32_t at, struct str file,
                    uint32_t line)
{
    struct buf path;
    bool placed;

    buf_init(&path, SIZE_MAX / 4);
    placed = listing_path(sheet->listing, file, &path);
    sheet->rows = mem_grow(sheet->rows, sheet->count, &sheet->cap, sizeof *sheet->rows);
    sheet->rows[sheet->count++] = (struct row){
        .kind = kind, .at = at, .line = placed ? line : 0,
        .path = arena_copy(&sheet->arena, buf_str(&path)) };
    buf_release(&path);
}

static int compare_rows(const void *one, const void *other)
{
    const struct row *a = one, *b = other;
    int order = str_compare(a->path, b->path);

    if (order == 0) order = (a->line > b->line) - (a->line < b->line);
    if (order == 0) order = (int)a->kind - (int)b->kind;
    if (order == 0) order = (a->at > b->at) - (a->at < b->at);
    return order;
}

static void list_rows(struct sheet *sheet)
{
    const struct listing *listing = sheet->listing;
    const struct coverage *coverage = &listing->coverage;

    for (uint32_t i = 0; i < listing->count; i++) {
        const struct finding *finding = &listing->items[i]->finding;

        add_row(sheet, ROW_FINDING, i, finding->file, finding->line);
    }
    for (uint32_t i = 0; i < coverage->unlooked_count && i < LISTING_UNLOOKED_MAX; i++) {
        add_row(sheet, ROW_UNLOOKED, i, coverage->unlooked[i].file, 0);
    }
    add_row(sheet, ROW_RUN, 0, STR(""), 0);
    add_row(sheet, ROW_LEFT, 0, STR(""), 0);
    qsort(sheet->rows, sheet->count, sizeof *sheet->rows, compare_rows);
}

/* ---- what they say ---- */

/* The text of the sheet as an error. */
static void add_error(struct sheet *sheet, const struct row *row, uint32_t column,
                      const char *severity, struct str source, struct buf *out)
{
    buf_text(out, "    <error");
    xml_add_number(out, "line", row->line > 0 ? row->line : 1);
    if (row->line > 0 && column > 0) xml_add_number(out, "column", column);
    xml_add_attribute(out, "severity", str_of(severity), 0);
    xml_add_attribute(out, "message", buf_str(&sheet->text), TEXT_BYTES_MAX);
    xml_add_attribute(out, "source", source, WORD_BYTES_MAX);
    buf_text(out, "/>\n");
}

static void add_entry(struct sheet *sheet, const struct row *row, struct buf *out)
{
    const struct ledger_entry *entry = sheet->listing->items[row->at];
    bool open = finding_is_open(entry->state);
    struct buf rule;

    buf_init(&rule, LISTING_RULE_BYTES_MAX);
    listing_rule(sheet->listing, entry, &rule);
    if (!open) buf_printf(&sheet->text, "%s: ", finding_state_word(entry->state));
    listing_words(sheet->listing, entry, &sheet->text);
    add_error(sheet, row, entry->finding.column,
              open ? severities[entry->finding.severity] : "info", buf_str(&rule), out);
    buf_release(&rule);
}

/* Nothing where the run has nothing to say of itself. */
static void add_row_text(struct sheet *sheet, const struct row *row, struct buf *out)
{
    const struct listing *listing = sheet->listing;

    buf_clear(&sheet->text);
    switch (row->kind) {
    case ROW_FINDING:
        add_entry(sheet, row, out);
        break;
    case ROW_UNLOOKED:
        unlooked_say_one(&listing->coverage.unlooked[row->at], &sheet->text);
        add_error(sheet, row, 0, "error", STR("hone/coverage"), out);
        break;
    case ROW_RUN:
        listing_end_say(listing, &sheet->text);
        if (sheet->text.size > 0) add_error(sheet, row, 0, "error", STR("hone/run"), out);
        break;
    case ROW_LEFT:
        listing_left_say(listing, &sheet->text);
        if (sheet->text.size > 0) add_error(sheet, row, 0, "warning", STR("hone/left-out"), out);
        break;
    }
}

void checkstyle_write(const struct listing *listing, struct buf *out)
{
    struct sheet sheet = { .listing = listing };
    struct buf errors;

    buf_init(&errors, out->limit);
    buf_init(&sheet.text, SIZE_MAX / 4);
    list_rows(&sheet);
    buf_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<checkstyle version=\"4.3\">\n");
    for (uint32_t i = 0; i < sheet.count; i++) {
        add_row_text(&sheet, &sheet.rows[i], &errors);
        if (i + 1 < sheet.count && str_eq(sheet.rows[i].path, sheet.rows[i + 1].path)) continue;
        if (errors.size > 0) {
            buf_text(out, "  <file");
            xml_add_attribute(out, "name", sheet.rows[i].path, 0);
            buf_text(out, ">\n");
            buf_add(out, buf_str(&errors));
            buf_text(out, "  </file>\n");
        }
        buf_clear(&errors);
    }
    buf_text(out, "</checkstyle>\n");
    buf_release(&errors);
    buf_release(&sheet.text);
    free(sheet.rows);
    arena_release(&sheet.arena);
}
