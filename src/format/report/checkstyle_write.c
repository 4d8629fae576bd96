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
#include "format/report/xml_write.h"

enum { TEXT_BYTES_MAX = 4000, WORD_BYTES_MAX = 500 };

static const char *const severities[SEVERITY_COUNT] = {
    [SEVERITY_LOW] = "info",
    [SEVERITY_MEDIUM] = "warning",
    [SEVERITY_HIGH] = "error",
};

/* One writing. */
struct sheet {
    const struct listing *listing;
    struct buf *out;
    struct buf path; /* of the file that is open; empty: none is */
    struct buf text;
};

static void open_file(struct sheet *sheet, struct str path)
{
    if (sheet->path.size > 0 && str_eq(buf_str(&sheet->path), path)) return;
    if (sheet->path.size > 0) buf_text(sheet->out, "  </file>\n");
    buf_clear(&sheet->path);
    buf_add(&sheet->path, path);
    if (path.size == 0) return;
    buf_text(sheet->out, "  <file");
    xml_add_attribute(sheet->out, "name", path, 0);
    buf_text(sheet->out, ">\n");
}

/* The text of the sheet as an error. */
static void add_error(struct sheet *sheet, uint32_t line, uint32_t column, const char *severity,
                      struct str source)
{
    buf_text(sheet->out, "    <error");
    xml_add_number(sheet->out, "line", line > 0 ? line : 1);
    if (line > 0 && column > 0) xml_add_number(sheet->out, "column", column);
    xml_add_attribute(sheet->out, "severity", str_of(severity), 0);
    xml_add_attribute(sheet->out, "message", buf_str(&sheet->text), TEXT_BYTES_MAX);
    xml_add_attribute(sheet->out, "source", source, WORD_BYTES_MAX);
    buf_text(sheet->out, "/>\n");
    buf_clear(&sheet->text);
}

static void add_entry(struct sheet *sheet, const struct ledger_entry *entry)
{
    const struct finding *finding = &entry->finding;
    bool open = finding_is_open(entry->state);
    struct buf word;
    bool placed;

    buf_init(&word, SIZE_MAX / 4);
    placed = listing_path(sheet->listing, finding->file, &word);
    open_file(sheet, buf_str(&word));
    buf_clear(&word);
    listing_rule(sheet->listing, entry, &word);
    if (!open) buf_printf(&sheet->text, "%s: ", finding_state_word(entry->state));
    listing_words(sheet->listing, entry, &sheet->text);
    add_error(sheet, placed ? finding->line : 0, finding->column,
              open ? severities[finding->severity] : "info", buf_str(&word));
    buf_release(&word);
}

static void add_unlooked(struct sheet *sheet)
{
    const struct coverage *coverage = &sheet->listing->coverage;
    struct buf path;

    buf_init(&path, SIZE_MAX / 4);
    for (uint32_t i = 0; i < coverage->unlooked_count && i < LISTING_UNLOOKED_MAX; i++) {
        buf_clear(&path);
        (void)listing_path(sheet->listing, coverage->unlooked[i].file, &path);
        open_file(sheet, buf_str(&path));
        unlooked_say_one(&coverage->unlooked[i], &sheet->text);
        add_error(sheet, 0, 0, "error", STR("hone/coverage"));
    }
    buf_release(&path);
}

static void add_run(struct sheet *sheet)
{
    listing_end_say(sheet->listing, &sheet->text);
    if (sheet->text.size > 0) {
        open_file(sheet, STR("."));
        add_error(sheet, 0, 0, "error", STR("hone/run"));
    }
    listing_left_say(sheet->listing, &sheet->text);
    if (sheet->text.size > 0) {
        open_file(sheet, STR("."));
        add_error(sheet, 0, 0, "warning", STR("hone/left-out"));
    }
}

void checkstyle_write(const struct listing *listing, struct buf *out)
{
    struct sheet sheet = { .listing = listing, .out = out };

    buf_init(&sheet.path, SIZE_MAX / 4);
    buf_init(&sheet.text, SIZE_MAX / 4);
    buf_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<checkstyle version=\"4.3\">\n");
    for (uint32_t i = 0; i < listing->count; i++) add_entry(&sheet, listing->items[i]);
    add_unlooked(&sheet);
    add_run(&sheet);
    open_file(&sheet, STR(""));
    buf_text(out, "</checkstyle>\n");
    buf_release(&sheet.path);
    buf_release(&sheet.text);
}
